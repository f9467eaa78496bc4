"""The schema: generated code is current, layouts are the historical ones."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tpproto import BY_NAME, BY_NUMBER, CLASSIC, tp_pb2
from tpproto.__main__ import main
from tpproto.codegen.layout import Layout, Many, Number, Padding, Part, Text, has_types, layout_of, typed_step
from tpproto.frames import ADMIN, FIRST_LATER, KINDS, METASERVER, TP04_FRAMES, policy_of
from tpproto.tools.answers import answers_to

PROTOCOL = Path(importlib.util.find_spec("tpproto").origin).parent.parent
HISTORICAL = json.loads((Path(__file__).parent / "historical_layouts.json").read_text("utf-8"))

LATER = {("TP04", 40): "u64", ("TP04", 66): "u64"}
"""Fields that clients of 2010 read at the end of Player (modification time) and Game (creation time).

TP04 lacks them.
"""

DESIGNS = (48, 49, 50)
"""Their id is unsigned in the definition of TP03, semisigned in that of TP04 and in ours: the bytes are the same."""

NAMES = {("I", False): "u32", ("I", True): "semi32", ("i", False): "i32"} | {
    ("Q", False): "u64",
    ("q", False): "i64",
    ("q", True): "semi64",
}


def signature(layout: Layout) -> str:
    words: list[str] = []
    for step in layout.steps:
        if isinstance(step, Number):
            words.append(NAMES[step.code, step.semisigned])
        elif isinstance(step, Text):
            words.append("str")
        elif isinstance(step, Padding):
            words.append(f"pad{step.size}")
        elif isinstance(step, Part):
            words.append(signature(step.layout))
        elif isinstance(step, Many):
            item = step.item
            inner = NAMES[item.code, item.semisigned] if isinstance(item, Number) else "str"
            words.append(f"[ {signature(item) if isinstance(item, Layout) else inner} ]")
        else:
            words.append("parameters")
    return " ".join(word for word in words if word)


ADMIN_FRAMES = {
    1000: "LogMessage u64 u32 str",
    1001: "CommandUpdate",
    1002: "GetCommandDesc [ u32 ]",
    1003: "CommandDesc u32 str str [ str u32 str ] u64",
    1004: "GetCommandDescIDs semi32 u32 semi32 semi64",
    1005: "CommandDescIDs semi32 semi32 [ u32 u64 ] semi64",
    1006: "Command u32 parameters",
    1007: "CommandResult u32 str",
}
"""As the administration protocol of 2008 defines them; the last field of CommandDesc is what consoles read there."""


def test_every_frame_of_administration_is_laid_out_as_the_historical_definition_says() -> None:
    """Its first frames are those of games."""
    ours = {
        number: f"{kind.title} {signature(layout_of(kind.message.DESCRIPTOR, 4))}".strip()
        for number, kind in ADMIN.items()
    }
    assert {number: frame for number, frame in ours.items() if number >= FIRST_LATER} == ADMIN_FRAMES
    assert all(kind.message is TP04_FRAMES[number].message for number, kind in ADMIN.items() if number < FIRST_LATER)


def test_a_listed_game_ends_where_the_programs_of_2005_stop_reading() -> None:
    """As their own layout of it: SS[S]SSSS[SSSI][ISI]."""
    listed = signature(layout_of(METASERVER[66].message.DESCRIPTOR, 3))
    assert listed == "str str [ str ] str str str str [ str str str u32 ] [ u32 str u32 ]"
    assert METASERVER[2].message is CLASSIC[2].message


FRAMES = [(version, int(number)) for version in HISTORICAL for number in HISTORICAL[version]["frames"]]


@pytest.mark.parametrize(("version", "number"), FRAMES)
def test_every_frame_is_laid_out_as_the_historical_definition_says(version: str, number: int) -> None:
    """Number, name, order, width and sign of every field, from an independent table of the definitions."""
    name, defined = HISTORICAL[version]["frames"][str(number)]
    kind = (CLASSIC if version == "TP03" else TP04_FRAMES)[number]
    ours = signature(layout_of(kind.message.DESCRIPTOR, int(version[2:])))
    assert kind.title == name
    if (version, number) in LATER:
        defined = f"{defined} {LATER[version, number]}"
    if version == "TP03" and number in DESIGNS:
        defined = "semi32" + defined.removeprefix("u32")
    assert ours == defined


@pytest.mark.parametrize(
    ("version", "message", "table"),
    [
        ("TP03", tp_pb2.Order, "OrderParams"),
        ("TP04", tp_pb2.Order, "OrderParams"),
        ("TP03", tp_pb2.ClassicObject, "ObjectParams"),
        ("TP04", tp_pb2.Object, "ObjectParams"),
    ],
)
def test_every_parameter_type_is_laid_out_as_the_historical_definition_says(
    version: str, message: type, table: str
) -> None:
    """The wormhole of TP03 is the one exception: its end is signed here like every other coordinate."""
    layout = layout_of(message.DESCRIPTOR, int(version[2:]))
    assert has_types(layout)
    ours = {str(number): signature(part.layout) for number, part in typed_step(layout).alternatives.items()}
    defined = dict(HISTORICAL[version]["parameters"][table])
    if message is tp_pb2.ClassicObject:
        assert (defined.pop("5"), ours.pop("5")) == ("u64 u64 u64", "i64 i64 i64")
    assert ours == defined


def test_there_are_no_frames_beyond_the_definitions() -> None:
    assert sorted(CLASSIC) == list(range(64))
    assert sorted(TP04_FRAMES) == list(range(78))
    assert {("TP03", number) for number in CLASSIC} | {("TP04", number) for number in TP04_FRAMES} == set(FRAMES)


def test_what_later_dialects_have_beyond_tp04_is_numbered_from_1000_on() -> None:
    """No number is ever that of a frame which a historical client knows. The golden vectors have each number."""
    assert min(BY_NUMBER.keys() - TP04_FRAMES.keys()) == FIRST_LATER
    assert all(BY_NUMBER[number] is kind for number, kind in TP04_FRAMES.items())


def test_field_numbers_and_names_follow_from_the_frames() -> None:
    """The field number is the frame number plus 16; only frame 7 of TP03 has another."""
    for field in tp_pb2.Frame.DESCRIPTOR.oneofs_by_name["body"].fields:
        kind = BY_NAME[field.name]
        assert field.number == kind.number + (16 if field.name != "classic_object" else 16 + 256)
        plain = field.name.replace("_", "").replace("sequenceof", "sequence").replace("classicobject", "object")
        assert plain == kind.title.lower()


def test_every_frame_is_a_request_or_answers_one() -> None:
    """But for those that answer any request. GetX is a request."""
    answers = {answer.field for kind in KINDS if kind.request for answer in answers_to(kind)}
    assert {kind.field for kind in KINDS if not kind.request} == answers | {"fail", "redirect", "sequence_of"}
    assert all(kind.request for kind in KINDS if kind.title.startswith("Get"))


def test_every_request_declares_its_policy() -> None:
    """With a phrase for people, so that no refusal needs the name of the request. Responses have none."""
    policies = {field.name: field.GetOptions() for field in tp_pb2.Frame.DESCRIPTOR.oneofs_by_name["body"].fields}
    declared = {name for name, options in policies.items() if options.HasExtension(tp_pb2.policy)}
    assert declared == {kind.field for kind in KINDS if kind.request}
    for name in sorted(declared):
        assert re.fullmatch(r"[a-z]+( [a-z-]+)*", policy_of(BY_NAME[name]).phrase), name


def test_a_request_without_a_policy_gets_the_strictest_one() -> None:
    """A token, a stranger or an old turn does not reach it, and it is done once."""
    policy = policy_of(BY_NAME["okay"])
    assert (policy.needs, policy.access) == (tp_pb2.Policy.SEAT, tp_pb2.Policy.ACCOUNT)
    assert not policy.any_turn and not policy.idempotent


def test_the_generated_modules_are_those_of_the_schema(tmp_path: Path) -> None:
    """`make proto` would change nothing."""
    pytest.importorskip("grpc_tools", reason="the generator is a development package")
    command = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        "-I",
        ".",
        f"--python_out={tmp_path}",
        f"--pyi_out={tmp_path}",
    ]
    subprocess.run([*command, "tp.proto"], cwd=PROTOCOL, check=True, timeout=240)
    for name in ("tp_pb2.py", "tp_pb2.pyi"):
        assert (tmp_path / name).read_text("utf-8") == (PROTOCOL / "tpproto" / name).read_text("utf-8"), (
            f"{name} is not what tp.proto makes; say make proto"
        )


@pytest.mark.parametrize("name", ["requests.py", "web/core/requests.js"])
def test_the_methods_of_the_clients_are_those_of_the_schema(name: str, tmp_path: Path) -> None:
    """`make proto` would change nothing."""
    made = tmp_path / Path(name).name
    assert main(["methods", str(made)]) == 0
    kept = PROTOCOL.parent / "clients" / "tpclient" / name
    assert made.read_text("utf-8") == kept.read_text("utf-8"), f"{name} is not what tp.proto makes; say make proto"
