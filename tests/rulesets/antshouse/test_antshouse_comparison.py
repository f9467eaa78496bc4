"""Antshouse equals the second statement of its rules.

The tests play random games and positions made for rare situations.
"""

from __future__ import annotations

import os

import pytest

from tests.rulesets.antshouse import statement
from tests.rulesets.antshouse.comparison import compare
from tests.rulesets.rules_compared import Difference, told_and_held

LEAST = {
    "a dead position": 3,
    "water that cannot move its ant": 1,
    "a chain of 3 before the water": 3,
    "a clash of 4": 2,
    "two clashes in a round": 3,
    "a loser without room": 8,
    "two enter at one square": 3,
    "several enter anew": 5,
    "entered outside of home": 4,
    "a second cone on a square": 4,
    "the guard returns a cone": 12,
    "all three gestures in a contest": 5,
    "4 throws of one kind": 4,
    "a shared win": 8,
    "a turned ant burnt": 3,
    "the own ant is burnt": 6,
    "the own ant is flushed": 12,
}
"""Rare situations, and how often each comes up at least in 1,000 positions."""


def compared(positions: int, first: int) -> None:
    """Compare, print what came up, and assert that the rare things were among it."""
    told_and_held(compare(positions, first), positions, "Antshouse", LEAST)


def test_the_game_is_as_its_rules_are_stated():
    """400 positions: the same position, chance, reports, objects and refusals by both."""
    compared(400, 0)


def test_a_rule_that_differs_is_shown_as_one_small_turn(monkeypatch):
    """One rule is changed on one side. The report has the game up to there, and the smallest turn that differs."""
    monkeypatch.setattr(statement, "BEATS", {1: 2, 2: 3, 3: 1})
    with pytest.raises(Difference) as found:
        compare(1000, 0)
    text = str(found.value)
    assert text.startswith("Antshouse, game ")
    assert "\nturn 0, " in text
    assert "\nmade small, one turn" in text
    small = text[text.index("\nmade small") :]
    assert len(small) < len(text) / 2
    assert "the game has" in small and "the statement" in small


@pytest.mark.thorough
def test_the_game_is_as_its_rules_are_stated_at_length():
    """3,000 other positions."""
    compared(2000, 10**6)


@pytest.mark.soak
@pytest.mark.timeout(40_000)
def test_the_game_is_as_its_rules_are_stated_for_long():
    """100,000 positions, or so many as COMPARED_POSITIONS says; COMPARED_FIRST is the number of the first game."""
    compared(int(os.environ.get("COMPARED_POSITIONS", 100_000)), int(os.environ.get("COMPARED_FIRST", 2 * 10**6)))
