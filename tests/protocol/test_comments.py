"""Comments of tp.proto: the reader takes the forms in use, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tpproto.tools.comments import SCHEMA, read_comments, read_schema
from tpproto.tools.transcript import InputError


def test_no_comment_on_a_message_or_field_is_lost() -> None:
    read = read_schema()
    assert read.messages["ClassicObject"].startswith("The Object frame of TP03: six fixed kinds")
    assert read.fields["GetIDSequence", "fromtime"].endswith("else all that changed or vanished after this time")
    assert read.fields["Frame", "order_replace"].endswith("the old one stays.")
    everything = " ".join((*read.messages.values(), *read.fields.values()))
    messages = SCHEMA.read_text("utf-8").split("// --- the envelope")[1]
    comments = re.findall(r"// (?!---)(.*)", messages)
    assert len(comments) > 80
    assert [comment for comment in comments if comment not in everything] == []


def test_comments_stand_before_or_after_and_go_on_in_the_same_column() -> None:
    read = read_comments(
        'syntax = "proto3";\n'
        "// Of the file.\n"
        "\n"
        "// --- section ---\n"
        "// Before\n"
        "// it.\n"
        "message One {\n"
        "  uint32 a = 1; // after\n"
        "                // and on\n"
        "  // Before b.\n"
        "  repeated Other b = 2\n"
        "      [(only) = TP04]; // after b\n"
        "  string e = 4 [(frame) = {number: 1},\n"
        "      (policy) = {access: READ}]; // after e\n"
        "  oneof c {\n"
        "    option (detail_types) = OBJECT_TYPE; // not kept\n"
        "    string d = 3;\n"
        "  }\n"
        "}\n"
        "message Two {}\n"
    )
    assert read.messages == {"One": "Before it.", "Two": ""}
    assert read.fields == {
        ("One", "a"): "after and on",
        ("One", "b"): "Before b. after b",
        ("One", "d"): "",
        ("One", "e"): "after e",
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("message One {\n  map<string, string> a = 1;\n}\n", "line 2"),
        ("message One {\n  uint32 a = 1; /* no */\n}\n", "line 2"),
        ("uint32 a = 1;\n", "line 1"),
        ("message One {\n  uint32 a = 1\n\n}\n", "line 3"),
        ("service One {\n}\n", "line 1"),
        ("message One {\n", "ends in the middle"),
    ],
)
def test_a_form_that_the_reader_does_not_know_is_an_error(text: str, line: str) -> None:
    with pytest.raises(InputError, match=line):
        read_comments(text)


def test_a_schema_that_is_not_that_of_the_code_is_an_error(tmp_path: Path) -> None:
    other = tmp_path / "tp.proto"
    other.write_text(SCHEMA.read_text("utf-8").replace("uint32 rank = 4;", "uint32 order = 4;"), "utf-8")
    with pytest.raises(InputError, match="make proto"):
        read_schema(other)


def test_without_the_source_tree_there_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="source tree only"):
        read_schema(tmp_path / "tp.proto")
