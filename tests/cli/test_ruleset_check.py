"""`tpserver ruleset check`: any exception of a ruleset is one sentence.

The sentence names the fault and its place.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tpserver.rules.discovery import Rulesets

Run = Callable[..., Any]

SOURCE = """from dataclasses import replace

from test_games.auction import Auction, Bid, Gift


class OddBid(Bid):
    def check(self, plan, order):
        {check}
        super().check(plan, order)


class Odd(Auction):
    name = "odd"
    version = 1
    orders = (OddBid, Gift)
    phases = (replace(Auction.phases[0], orders=orders),)

    def setup(self, options, seats, dice):
        {setup}
        return super().setup(options, seats, dice)

    def sight(self, world, seat):
        {sight}
        return super().sight(world, seat)

    def show(self, world, oid, level):
        {show}
        return super().show(world, oid, level)

    def dump(self, world):
        {dump}
        return super().dump(world)

    def load(self, data, version):
        {load}
        return super().load(data, version)

    def outcome(self, world):
        {outcome}
        return super().outcome(world)

    def legal_orders(self, plan):
        {moves}
        return super().legal_orders(plan) if super().outcome(plan.world) is None else ()


RULESET = Odd()
"""

MANUAL = """
    @property
    def manual(self):
        {manual}
"""

PLACES = ("check", "setup", "sight", "show", "dump", "load", "outcome", "moves")


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make a ruleset with these lines in its methods the only one that is installed, and return its source."""

    def make(**lines: str) -> list[str]:
        source = SOURCE.format(**{place: lines.get(place, "pass") for place in PLACES})
        (tmp_path / "oddity.py").write_text(source)
        monkeypatch.syspath_prepend(str(tmp_path))
        rules = importlib.import_module("oddity").RULESET
        monkeypatch.setattr("tpserver.cli.rulesets.discover", lambda: Rulesets({"odd": rules}))
        return source.splitlines()

    yield make
    sys.modules.pop("oddity", None)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("line", "said"),
    [("lost", "NameError: name 'lost' is not defined"), ("return ()[0]", "IndexError: tuple index out of range")],
)
def test_what_a_ruleset_raises_is_told_with_its_line(odd: Any, tpserver: Run, place: str, line: str, said: str) -> None:
    """Exit code 1 as for whatever does not conform; the ruleset is named once, the advice has a line of its own."""
    source = odd(**{place: line})
    at = source.index(f"        {line}") + 1
    told = tpserver("ruleset", "check", "odd")
    assert told.code == 1
    what, advice = told.err.splitlines()
    assert what.startswith("tpserver: odd does not conform: ")
    assert what.count("odd") == 2  # and in the name of the file
    assert what.endswith(f"{said} (oddity.py line {at})")
    assert advice.startswith("  Advice: ")
    assert "fault of tpserver" not in told.err


def test_a_wrong_answer_that_only_others_stumble_over_is_told_as_such(odd: Any, tpserver: Run) -> None:
    """No line of the ruleset failed: the advice says what that means."""
    odd(moves="return 5")
    told = tpserver("ruleset", "check", "odd")
    assert told.code == 1
    what, advice = told.err.splitlines()
    assert "TypeError: 'int' object is not iterable (" in what
    assert "one of its methods returned what could not be used there" in advice


@pytest.mark.thorough
def test_what_breaks_in_another_process_only_is_told_with_its_line_too(odd: Any, tpserver: Run) -> None:
    """The games that are played again elsewhere fail with one sentence, not with the end of a traceback."""
    line = "import os; os.environ.get('PYTHONHASHSEED') != '1' or lost"
    source = odd(setup=line)
    told = tpserver("ruleset", "check", "odd")
    assert told.code == 1
    what, advice = told.err.splitlines()
    at = source.index(f"        {line}") + 1
    said = f"NameError: name 'lost' is not defined (oddity.py line {at})"
    assert what == f"tpserver: odd does not conform: another process could not play it: {said}"
    assert advice.startswith("  Advice: the module of the ruleset must be importable on its own")


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("return '# Odd\\x1b[2J\\n\\nWin.'", 0, "# Odd\\x1b[2J\n\nWin.\n"),
        ("return ''", 1, "odd has no rules for players; --skeleton prints a text to begin with"),
        ("return 7", 1, "the rules for players of odd cannot be read: TypeError: the manual of odd is int, not text"),
        ("raise SystemExit(0)", 1, "the rules for players of odd cannot be read: "),
    ],
)
def test_the_rules_for_players_are_printed(odd: Any, tpserver: Run, line: str, code: int, said: str) -> None:
    odd(sight=f"pass\n{MANUAL.format(manual=line)}\n    def other(self, world, seat):\n        pass")
    told = tpserver("ruleset", "manual", "odd")
    assert told.code == code
    assert said in (told.err if code else told.out)
    assert "fault of tpserver" not in told.err


def test_a_skeleton_is_printed_for_who_has_none(odd: Any, tpserver: Run) -> None:
    odd()
    told = tpserver("ruleset", "manual", "odd", "--skeleton")
    assert told.code == 0
    assert told.out.startswith("# Auction\n")
    assert "### Bid\n" in told.out
