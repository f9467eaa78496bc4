"""The schema: generated code is current, and its layouts are those of the historical definitions."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tpproto import BY_NAME, BY_NUMBER, CLASSIC, tp_pb2
from tpproto.codegen.layout import Layout, Many, Number, Padding, Part, Text, has_types, layout_of, typed_step
from tpproto.frames import ADMIN, FIRST_LATER, KINDS, METASERVER, TP04_FRAMES

PROTOCOL = Path(importlib.util.find_spec("tpproto").origin).parent.parent
HISTORICAL = json.loads((Path(__file__).parent / "historical_layouts.json").read_text("utf-8"))

LATER = {("TP04", 40): "u64", ("TP04", 66): "u64"}
"""What the clients of 2010 read at the end of Player (modification time) and Game (creation time), and TP04 lacks."""

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
    """No number is ever that of a frame which a historical client knows."""
    assert {number: kind.title for number, kind in BY_NUMBER.items() if number not in TP04_FRAMES} == {
        FIRST_LATER: "OrderReplace",
        FIRST_LATER + 1: "GetRules",
        FIRST_LATER + 2: "Rules",
        FIRST_LATER + 3: "GetLegalOrders",
        FIRST_LATER + 4: "LegalOrders",
        FIRST_LATER + 5: "GetLegalValues",
        FIRST_LATER + 6: "LegalValues",
        FIRST_LATER + 7: "UnfinishTurn",
        FIRST_LATER + 8: "GetTurnSummaries",
        FIRST_LATER + 9: "TurnSummary",
        FIRST_LATER + 10: "GetAppearance",
        FIRST_LATER + 11: "Appearance",
        FIRST_LATER + 12: "GetStanding",
        FIRST_LATER + 13: "Standing",
        FIRST_LATER + 20: "LoginAccount",
        FIRST_LATER + 21: "Account",
        FIRST_LATER + 22: "EnterGame",
        FIRST_LATER + 23: "KeepLogin",
        FIRST_LATER + 24: "Ticket",
        FIRST_LATER + 25: "GetKeptLogins",
        FIRST_LATER + 26: "KeptLogins",
        FIRST_LATER + 27: "RevokeLogin",
        FIRST_LATER + 28: "GetMyGames",
        FIRST_LATER + 29: "MyGames",
        FIRST_LATER + 30: "GetRulesets",
        FIRST_LATER + 31: "Ruleset",
        FIRST_LATER + 32: "CreateGame",
        FIRST_LATER + 33: "GetInvitation",
        FIRST_LATER + 34: "Invitation",
        FIRST_LATER + 35: "GetScores",
        FIRST_LATER + 36: "Scores",
        FIRST_LATER + 37: "GetGameSetup",
        FIRST_LATER + 38: "GameSetup",
        FIRST_LATER + 40: "ShowTurn",
        FIRST_LATER + 41: "TurnShown",
        FIRST_LATER + 50: "GetClock",
        FIRST_LATER + 51: "Clock",
        FIRST_LATER + 52: "ExtendTurn",
        FIRST_LATER + 53: "SetClock",
        FIRST_LATER + 54: "GetClockGroups",
        FIRST_LATER + 55: "ClockGroups",
        FIRST_LATER + 56: "GetCalendar",
        FIRST_LATER + 57: "Calendar",
        FIRST_LATER + 58: "MakeCalendar",
        FIRST_LATER + 59: "RevokeCalendar",
        FIRST_LATER + 80: "GetProposals",
        FIRST_LATER + 81: "Proposals",
        FIRST_LATER + 82: "Propose",
        FIRST_LATER + 83: "Vote",
        FIRST_LATER + 84: "GetVacations",
        FIRST_LATER + 85: "Vacations",
        FIRST_LATER + 86: "AddVacation",
        FIRST_LATER + 87: "EndVacation",
        FIRST_LATER + 60: "GetNotices",
        FIRST_LATER + 61: "Notices",
        FIRST_LATER + 62: "AddNoticeAddress",
        FIRST_LATER + 63: "NoticeAddress",
        FIRST_LATER + 64: "VerifyNoticeAddress",
        FIRST_LATER + 65: "RemoveNoticeAddress",
        FIRST_LATER + 66: "SetNoticeWish",
        FIRST_LATER + 67: "SetNoticeTimes",
        FIRST_LATER + 68: "GetPushKey",
        FIRST_LATER + 69: "PushKey",
        FIRST_LATER + 70: "GetSeats",
        FIRST_LATER + 71: "Seats",
        FIRST_LATER + 72: "SetSeatPolicy",
        FIRST_LATER + 73: "SayHere",
        FIRST_LATER + 74: "SetAutopilot",
        FIRST_LATER + 75: "GetOpenSeats",
        FIRST_LATER + 76: "OpenSeats",
        FIRST_LATER + 77: "TakeSeat",
        FIRST_LATER + 78: "RemovePlayer",
        FIRST_LATER + 92: "ChangePassword",
        FIRST_LATER + 93: "GetTokens",
        FIRST_LATER + 94: "Tokens",
        FIRST_LATER + 95: "CreateToken",
        FIRST_LATER + 96: "Token",
        FIRST_LATER + 97: "RevokeToken",
        FIRST_LATER + 98: "RequestReset",
        FIRST_LATER + 99: "ResetPassword",
        FIRST_LATER + 100: "Administer",
        FIRST_LATER + 101: "Administered",
        FIRST_LATER + 102: "GetAccounts",
        FIRST_LATER + 103: "Accounts",
        FIRST_LATER + 104: "GetOwnAccount",
        FIRST_LATER + 105: "OwnAccount",
        FIRST_LATER + 110: "GetTalk",
        FIRST_LATER + 111: "Talk",
        FIRST_LATER + 112: "SetMute",
        FIRST_LATER + 113: "SetBlock",
        FIRST_LATER + 114: "SetSilence",
        FIRST_LATER + 115: "ReportMessage",
        FIRST_LATER + 116: "GetMessageReports",
        FIRST_LATER + 117: "MessageReports",
        FIRST_LATER + 118: "CloseReport",
        FIRST_LATER + 119: "RenameGame",
        FIRST_LATER + 120: "SetJoin",
        FIRST_LATER + 121: "AbortGame",
        FIRST_LATER + 122: "HandOverGame",
        FIRST_LATER + 135: "SetWatchDelay",
        FIRST_LATER + 140: "PlayAsGuest",
        FIRST_LATER + 141: "Guest",
        FIRST_LATER + 142: "BecomeAccount",
        FIRST_LATER + 143: "GetProviders",
        FIRST_LATER + 144: "Providers",
        FIRST_LATER + 145: "ConnectProvider",
        FIRST_LATER + 146: "DisconnectProvider",
    }
    assert all(BY_NUMBER[number] is kind for number, kind in TP04_FRAMES.items())


def test_field_numbers_and_names_follow_from_the_frames() -> None:
    """The field number is the frame number plus 16; only frame 7 of TP03 has another."""
    for field in tp_pb2.Frame.DESCRIPTOR.oneofs_by_name["body"].fields:
        kind = BY_NAME[field.name]
        assert field.number == kind.number + (16 if field.name != "classic_object" else 16 + 256)
        plain = field.name.replace("_", "").replace("sequenceof", "sequence").replace("classicobject", "object")
        assert plain == kind.title.lower()


def test_requests_are_what_the_names_say() -> None:
    """A request asks (Get), changes (Add, Modify, Remove, Set, Order and PostMessage) or starts something."""
    asking = (
        "Get",
        "Make",
        "Add",
        "Modify",
        "Remove",
        "Set",
        "Create",
        "Connect",
        "Login",
        "Enter",
        "Keep",
        "Revoke",
        "Verify",
        "Say",
        "Take",
        "Change",
        "Request",
        "Reset",
        "Report",
        "Close",
        "Rename",
        "Abort",
        "HandOver",
        "PlayAsGuest",
        "Become",
        "Disconnect",
        "Ping",
        "Finished",
        "Unfinish",
        "Show",
        "Extend",
        "Propose",
        "Vote",
        "End",
        "PostMessage",
    )
    for kind in KINDS:
        assert kind.request == (
            kind.title.startswith(asking) or kind.title in ("OrderInsert", "OrderProbe", "OrderReplace", "Administer")
        ), kind


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
