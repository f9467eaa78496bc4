"""Rules for players as text: blocks, emphasis, lines, sections.

Hostile texts are covered, too.
"""

import re
import unicodedata

import pytest

from tpclient.columns import width
from tpclient.errors import UnknownName
from tpclient.manual import LONGEST, LONGEST_LINE, Manual, Section, blocks, plain_lines, set_lines, spans
from tpproto import tp_pb2 as tp
from tprules.manuals import manual_of
from tpserver.rules.discovery import discover

TEXT = """\
# Told

Be the last
one here.

## Pieces

A word before.

### Red Cube, Blue Cube

A cube of **one
player**.

- It *steps* onto `a1`,
  or stays.
- It waits.

### Move

No order, but a piece.

## Orders

### Move

1. Choose a `cube`.
10. Go.

## How it ends

Somebody wins.
"""
MANUAL = Manual("told", "Told", "1", "Be the last one here.", TEXT)


def test_as_plain_text() -> None:
    """Headings underlined, words wrapped, items behind their marks, what is below a small heading moved in."""
    assert (
        "\n".join(plain_lines(TEXT, 24))
        == """\
Told
====

Be the last one here.

Pieces
------

A word before.

Red Cube, Blue Cube

  A cube of one player.

  - It steps onto a1, or
    stays.
  - It waits.

Move

  No order, but a piece.

Orders
------

Move

  1. Choose a cube.
  10. Go.

How it ends
-----------

Somebody wins."""
    )


def test_a_heading_of_two_lines_is_underlined_once() -> None:
    assert list(plain_lines("## One heading that is long", 20)) == ["One heading that is", "long", "-" * 19]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a **b** *c* `d`", [("a ", ""), ("b", "bold"), (" ", ""), ("c", "italic"), (" ", ""), ("d", "code")]),
        ("**a *b* `c`**", [("a ", "bold"), ("b", "bold italic"), (" ", "bold"), ("c", "bold code")]),
        ("2 * 3 * 4", [("2 * 3 * 4", "")]),
        ("`**a**`", [("**a**", "code")]),
        ("**open", [("**open", "")]),
        ("[red]x[/] <b> [a](http://b) ![p](q) ~~s~~", [("[red]x[/] <b> [a](http://b) ![p](q) ~~s~~", "")]),
    ],
)
def test_emphasis(text: str, found: list[tuple[str, str]]) -> None:
    """Bold, italic and code, within each other too; all other signs are text."""
    assert spans(text) == found


def test_words_of_two_emphases_are_not_torn() -> None:
    assert [line.text for line in set_lines("aaaa bbbb ccccc `dddd`, e", 20)] == ["aaaa bbbb ccccc", "dddd, e"]
    assert [line.text for line in set_lines("a ` b`", 20)] == ["a b"]


HOSTILE = {
    "control": "# T\x1b[2J\n\n\x1b]0;t\x07 \u202e \x00 \x85 \u2028",
    "items": "- a\n" * 60_000,
    "headings": "### a\n" * 20_000,
    "word": "x" * 100_000,
    "wide": "界" * 70_000,
    "accents": "a" + "\u0301" * 70_000,
    "escapes": "\U000e0001" * 70_000,
    "stars": "**a *b `c " * 9_000,
    "open": "*a" * 40_000,
    "blank": "\n" * 70_000,
    "tabs": "\t" * 70_000 + "a",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_bounded_and_steers_nothing(name: str) -> None:
    """Of any text no more lines come than it has letters, none wider than is asked for, all of them safe to print."""
    lines = set_lines(HOSTILE[name], 30)
    assert len(lines) <= LONGEST // 2
    assert all(width(line.text) <= 30 and len(line.text) <= 150 for line in lines)
    assert not [line for line in lines if {unicodedata.category(letter) for letter in line.text} & {"Cc", "Cf", "Zl"}]
    if name == "control":
        assert lines[0].text == r"T\x1b[2J"
        assert r"\x1b]0;t\x07 \u202e" in lines[2].text


def test_what_a_server_sends_is_cut() -> None:
    long = "x" * (2 * LONGEST)
    manual = Manual.told(tp.Rules(ruleset="r", title=long, version=long, goal=long, text=long))
    assert [*map(len, (manual.title, manual.version, manual.goal))] == [LONGEST_LINE] * 3
    assert len(manual.text) == LONGEST


def test_sections_and_paragraphs() -> None:
    """By name in any letters; a name that several share; where one name is a piece and an order, `among` says which."""
    assert [section.title for section in MANUAL.sections()] == ["Pieces", "Orders", "How it ends"]
    assert MANUAL.section("how IT ends") == Section("How it ends", 2, "Somebody wins.")
    cube = MANUAL.about("blue cube")
    assert cube is not None
    assert (cube.title, cube.text.split("\n")[0]) == ("Red Cube, Blue Cube", "A cube of **one")
    assert cube == MANUAL.about("Red Cube") == MANUAL.about("Red Cube, Blue Cube")
    piece, order = MANUAL.about("Move"), MANUAL.about("Move", ("Orders",))
    assert piece is not None
    assert order is not None
    assert (piece.text, order.text.split("\n")[0]) == ("No order, but a piece.", "1. Choose a `cube`.")
    assert order.whole == "### Move\n\n1. Choose a `cube`.\n10. Go."
    assert MANUAL.about("Cube") is None
    with pytest.raises(UnknownName, match="no section 'Money'; there are: Pieces, Orders, How it ends"):
        MANUAL.section("Money")


def test_a_text_without_any_of_that() -> None:
    empty = Manual("r", "", "", "", "")
    assert (empty.sections(), empty.about("Move"), set_lines("", 80), blocks("")) == ((), None, [], [])


def test_the_rules_of_all_games_are_read() -> None:
    """Every design and every order type has its paragraph, and no sign of Markdown is left in what is shown."""
    rulesets = discover().usable
    assert len(rulesets) >= 5
    for rules in rulesets.values():
        text = manual_of(rules)
        manual = Manual(rules.name, rules.title, "1", "", text)
        for design in rules.catalogue.designs:
            assert any(manual.about(name, ("Pieces",)) for name in (design.name, design.look.words)), design.name
        for kind in rules.orders:
            names = [kind.name, *([kind.words.name] if kind.words else [])]
            assert any(manual.about(name, ("Orders",)) for name in names), kind.name
        shown = "\n".join(plain_lines(text, 80))
        assert not re.search(r"\*\*|`|^#|\\", shown, re.MULTILINE), rules.name
