"""The page of all frames: made from schema and vectors, true to the wire."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.protocol.test_schema import DESIGNS, HISTORICAL, LATER, PROTOCOL
from tpproto import JSON, PB, TP03, TP04, FailCode, tp_pb2
from tpproto.__main__ import main
from tpproto.frames import BY_NAME, KINDS, FrameKind
from tpproto.tools import answers
from tpproto.tools.comments import read_schema
from tpproto.tools.frames_page import WIDTH, page
from tpproto.tools.transcript import InputError

PAGE = (PROTOCOL / "FRAMES.md").read_text("utf-8")
TITLES = {"TP03": TP03, "TP04": TP04, "Protocol Buffers": PB, "JSON": JSON}


@cache
def sections() -> dict[str, str]:
    """The text under each heading of the third level."""
    found = re.split(r"^### (.*)\n", PAGE, flags=re.MULTILINE)
    return {heading: text.split("\n## ")[0] for heading, text in zip(found[1::2], found[2::2], strict=True)}


def section_of(kind: FrameKind) -> str:
    return sections()[f"{kind.number} {kind.title}{' of TP03' if kind.field == 'classic_object' else ''}"]


def examples(kind: FrameKind) -> dict[str, str]:
    """The code blocks of a frame, by the encoding that stands before each."""
    return dict(re.findall(r"^([\w ]+):\n\n```\w+\n(.*?)\n```", section_of(kind), flags=re.MULTILINE | re.DOTALL))


def table(text: str) -> list[dict[str, str]]:
    """The rows of the first table in a text, by the titles of its columns."""
    lines = [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")]
    return [dict(zip(lines[0], row, strict=True)) for row in lines[2:]]


# --- the whole page ---------------------------------------------------------------------------------------------------


def test_the_page_is_what_the_tool_writes() -> None:
    same = page(read_schema()) == PAGE
    assert same, "FRAMES.md is not what the schema says; say python -m tpproto frames protocol/FRAMES.md"


def test_every_frame_has_its_section_in_the_order_of_the_numbers() -> None:
    numbers = [int(heading.split()[0]) for heading in sections() if heading[0].isdigit()]
    assert numbers == [kind.number for kind in KINDS]
    for kind in KINDS:
        assert f"`{kind.field}`, field " in section_of(kind)


def test_every_link_of_the_page_leads_somewhere() -> None:
    """Headings become anchors as GitHub makes them; files are beside the page."""
    headings = re.findall(r"^#+ (.*)$", PAGE, flags=re.MULTILINE)
    anchors = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
    assert len(set(anchors)) == len(anchors)
    for target in re.findall(r"\]\(([^)]*)\)", PAGE):
        file, _, anchor = target.partition("#")
        if file:
            assert (PROTOCOL / file).exists(), target
            if anchor:
                there = (PROTOCOL / file).read_text("utf-8").lower().replace(",", "")
                assert f"## {anchor.replace('-', ' ')}" in there, target
        else:
            assert anchor in anchors, target


def test_every_row_of_a_table_has_as_many_cells_as_its_head() -> None:
    width = 0
    for line in PAGE.splitlines():
        cells = line.count("|")
        assert not line.startswith("|") or width in (0, cells), line
        width = cells if line.startswith("|") else 0


# --- examples ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.field)
def test_a_frame_has_one_example_in_each_encoding_and_they_are_vectors_of_one_message(kind: FrameKind) -> None:
    shown = examples(kind)
    assert list(shown) == [title for title, dialect in TITLES.items() if dialect.kinds.get(kind.number) is kind]
    names = set()
    for title, text in shown.items():
        assert all(len(line) <= WIDTH for line in text.splitlines())
        if title != "JSON":
            names.add(vectors(title)["".join(text.split())]["name"])
    assert len(names) == 1
    if "JSON" in shown:
        whole = vectors("Protocol Buffers")["".join(shown["Protocol Buffers"].split())]
        assert json.loads(shown["JSON"]) == whole["json"]
        assert JSON.decode(*JSON.split(shown["JSON"].encode())).WhichOneof("body") == kind.field


@cache
def vectors(title: str) -> dict[str, dict]:
    """The golden vectors of an encoding by their bytes."""
    file = {"TP03": "tp03", "TP04": "tp04", "Protocol Buffers": "pb"}[title]
    lines = (PROTOCOL / "vectors" / f"{file}.jsonl").read_text("utf-8").splitlines()
    return {row["hex"]: row for row in map(json.loads, lines)}


@pytest.mark.parametrize("title", ["TP03", "TP04", "Protocol Buffers"])
def test_the_lines_of_an_example_can_be_given_to_dump(title: str, tmp_path: Path, capsys) -> None:
    """All at once, too: descriptions are of lower numbers than orders; objects are the exception."""
    kinds = [kind for kind in KINDS if title in examples(kind) and kind.message is not tp_pb2.Object]
    kinds.sort(key=lambda kind: kind.message is not tp_pb2.OrderDesc)
    file = tmp_path / "pasted"
    file.write_text("\n".join(examples(kind)[title] for kind in kinds))
    assert main(["dump", "--dialect", "pb" if title == "Protocol Buffers" else title.lower(), str(file)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["frame"] for row in rows] == [kind.field for kind in kinds]
    assert not [row for row in rows if "error" in row]


# --- fields -----------------------------------------------------------------------------------------------------------


def signature(rows: list[tuple[str, str]]) -> str:
    """The layout that rows of a table describe, in the words of the table of historical layouts.

    Each row is the path of a field and what is on the wire.
    """
    return " ".join(words(iter([*rows, ("", "")]), "", [])).replace("  ", " ").strip()


def words(rows: Iterator[tuple[str, str]], within: str, kept: list[tuple[str, str]]) -> Iterator[str]:
    """The words for the rows whose paths begin with `within`; the first other row is put into `kept`."""
    while True:
        path, wire = kept.pop() if kept else next(rows)
        if not path or (path != "padding" and not path.startswith(within)):
            kept.append((path, wire))
            return
        if wire in ("parts", "list of parts"):
            inner = " ".join(words(rows, f"{path}.", kept))
            yield f"[ {inner} ]" if wire == "list of parts" else inner
        elif path == "padding":
            yield f"pad{wire.removesuffix(' bytes')}"
        elif wire.startswith("list of "):
            yield f"[ {short(wire.removeprefix('list of '))} ]"
        elif not wire.startswith("*none"):
            yield short(wire)


def short(wire: str) -> str:
    return {"string": "str", "typed": "parameters", "nothing": ""}.get(wire, wire)


@pytest.mark.parametrize("version", ["TP03", "TP04"])
def test_the_tables_of_fields_are_the_historical_layouts(version: str) -> None:
    """As in test_schema, from an independent table of the definitions; here the page is read as a person reads it."""
    for kind in KINDS:
        if version not in examples(kind):
            continue
        rows = [(row["field"].strip("`"), row[version]) for row in table(section_of(kind))]
        name, defined = HISTORICAL[version]["frames"][str(kind.number)]
        if (version, kind.number) in LATER:
            defined = f"{defined} {LATER[version, kind.number]}"
        if version == "TP03" and kind.number in DESIGNS:
            defined = "semi32" + defined.removeprefix("u32")
        assert (kind.title, signature(rows)) == (name, defined)


@pytest.mark.parametrize(
    ("heading", "version", "definition"),
    [
        ("Parameters of orders", "TP03", "OrderParams"),
        ("Parameters of orders", "TP04", "OrderParams"),
        ("Parameters of objects", "TP04", "ObjectParams"),
        ("Kinds of objects in TP03", "TP03", "ObjectParams"),
    ],
)
def test_the_tables_of_typed_parameters_are_the_historical_layouts(heading: str, version: str, definition: str) -> None:
    shown: dict[str, list[tuple[str, str]]] = {}
    number = ""
    for row in table(sections()[heading]):
        number = row["type"] or number
        shown.setdefault(number, []).append((row["field"].strip("`"), row[version]))
    found = {number: signature(rows) for number, rows in shown.items() if rows[0][1] != "*none*"}
    defined = dict(HISTORICAL[version]["parameters"][definition])
    if heading.startswith("Kinds"):
        assert (defined.pop("5"), found.pop("5")) == ("u64 u64 u64", "i64 i64 i64")  # as every other coordinate
    assert found == defined


def test_what_a_version_lacks_has_the_value_that_it_is_read_as() -> None:
    by_name = {(kind.field, row["field"]): row for kind in KINDS for row in table(section_of(kind))}
    assert by_name["get_object_ids", "`fromtime`"]["TP03"] == "*none: -1*"
    assert by_name["player", "`modtime`"]["TP03"] == "*none: 0*"
    assert by_name["time_remaining", "`turn_name`"]["TP03"] == '*none: ""*'
    assert by_name["time_remaining", "`waiting[]`"]["TP03"] == "*none: empty*"
    assert by_name["get_object_ids", "`fromtime`"]["meaning"].endswith(
        "else all that changed or vanished after this time"
    )


# --- answers and refusals ---------------------------------------------------------------------------------------------


def test_every_frame_has_a_group_and_every_request_its_answers_and_refusals() -> None:
    """The groups that do not follow from the names are in tools/answers.py, all else in the policies."""
    for kind in KINDS:
        assert answers.group_of(kind) in answers.GROUPS
        if kind.request:
            assert all(not answer.request for answer in answers.answers_to(kind))
            assert answers.refusals_of(kind)
        elif kind.field not in ("fail", "redirect"):
            assert answers.answered_by(kind), kind
    codes = {field.number: field.name for field in tp_pb2.Errors.DESCRIPTOR.fields}
    assert codes == {int(code): code.name.lower() for code in FailCode if code is not FailCode.PROTOCOL}
    assert set(answers.NOTES) <= {kind.field for kind in KINDS}
    assert set(answers.CODES) == set(FailCode)


def test_a_frame_of_which_nothing_is_known_is_named() -> None:
    new = FrameKind(2000, "praise", "Praise", tp_pb2.Ping, request=True, only=1)
    with pytest.raises(InputError, match=r"Praise \(2000\).*tools/answers.py"):
        answers.group_of(new)
    with pytest.raises(InputError, match=r"Okay \(0\).*tp.proto"):
        answers.answers_to(BY_NAME["okay"])


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_page_is_written_to_a_file_or_printed(capsys, tmp_path: Path) -> None:
    assert main(["frames", str(tmp_path / "page.md")]) == 0
    assert main(["frames"]) == 0
    assert (tmp_path / "page.md").read_text("utf-8") == capsys.readouterr().out == PAGE
    assert main(["frames", str(tmp_path)]) == 2
    assert "cannot be written" in capsys.readouterr().err
