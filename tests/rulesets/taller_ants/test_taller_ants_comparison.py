"""Taller-Ants equals the second statement of its rules.

The tests play random games and positions made for rare situations.
"""

from __future__ import annotations

import os

import pytest

from tests.rulesets.rules_compared import Difference, told_and_held
from tests.rulesets.taller_ants import statement
from tests.rulesets.taller_ants.comparison import compare

LEAST = {
    "all on a bridge drown": 1,
    "a bridge collapses to its far end": 2,
    "a bridge collapses": 4,
    "ants of a collapsed bridge live": 1,
    "a queen is killed": 1,
    "a queen is raised": 4,
    "a tie of queen and group": 2,
    "a spider escapes from fungus": 1,
    "a spider lays its last eggs": 4,
    "an attack through a hole": 4,
    "an enemy's ant egg is food": 1,
    "a spider's egg is food": 2,
    "a tie of ants and ants": 2,
    "a tie of spider and group": 2,
    "a hole is covered": 1,
    "a fungus is exhausted": 3,
    "fungus grows onto a web": 8,
    "a captive drowns": 8,
    "sealed for too long": 1,
    "two reach their goals": 2,
    "the last ones vanish together": 2,
    "Illegal cap": 10,
    "Illegal limit": 1,
}
"""Rare situations, and how often each comes up at least in 1,000 positions."""


def compared(positions: int, first: int) -> None:
    """Compare, print what came up, and assert that the rare things were among it."""
    told_and_held(compare(positions, first), positions, "Taller-Ants", LEAST)


def test_the_game_is_as_its_rules_are_stated():
    """400 positions: the same position, queues, chance, reasons and winners by both."""
    compared(400, 0)


def test_a_rule_that_differs_is_shown_as_one_small_turn(monkeypatch):
    """One rule is changed on one side. The report has the game up to there, and the smallest turn that differs."""
    monkeypatch.setattr(statement, "strength", lambda group: group["ants"])
    with pytest.raises(Difference) as found:
        compare(1000, 0)
    text = str(found.value)
    assert text.startswith("Taller-Ants, game ")
    assert "\nturn 0, " in text
    assert "\nmade small, one turn" in text
    small = text[text.index("\nmade small") :]
    assert len(small) < len(text) / 2
    assert "the game has" in small and "the statement" in small


@pytest.mark.thorough
def test_the_game_is_as_its_rules_are_stated_at_length():
    """5,000 other positions."""
    compared(2500, 10**6)


@pytest.mark.soak
@pytest.mark.timeout(40_000)
def test_the_game_is_as_its_rules_are_stated_for_long():
    """100,000 positions, or so many as COMPARED_POSITIONS says; COMPARED_FIRST is the number of the first game."""
    compared(int(os.environ.get("COMPARED_POSITIONS", 100_000)), int(os.environ.get("COMPARED_FIRST", 2 * 10**6)))
