"""TaE equals the second statement of its rules.

Positions, refusals and reports are compared. Rare situations are made and counted. With `python -m pytest -m soak -s`
this file compares 100,000 positions and prints the counts.
"""

from __future__ import annotations

import re

import pytest

from tests.rulesets.tae import statement
from tests.rulesets.tae.comparison import Different, Hunt, summary

AT_LEAST = {
    # Regions (R16 to R18, R24, R27 to R29).
    "3 regions merge": 20,
    "4 regions merge": 5,
    "a leader moves inside its region": 15,
    "a leader that leaves splits its region": 12,
    "a region falls apart": 60,
    "a bomb strands a leader": 5,
    "several leaders are stranded at once": 1,
    "a colony scores for another player": 40,
    "a colony scores for the settler leader": 20,
    # Combats (R30 to R48).
    "a connection of 2 regions is contested": 50,
    "a connection of 3 regions is contested": 10,
    "a connection of 4 regions is contested": 10,
    "3 leaders of a type are joined": 5,
    "4 leaders of a type are joined": 1,
    "leaders of several types meet at a connection": 10,
    "a second type is struck off": 4,
    "a combat changes the strengths of the next": 1,
    "several contests in a turn": 5,
    "the attacker is not who connected": 20,
    "the connecting colony is of the type that fights": 20,
    "external combat, a tie": 20,
    "external combat, both sides reinforced": 10,
    "external combat, nothing to nothing": 5,
    "external combat, one side reinforced": 25,
    "external combat, won by the attacker": 20,
    "external combat, won by the defender": 25,
    "internal combat, a tie": 15,
    "internal combat, both sides reinforced": 5,
    "internal combat, one side reinforced": 15,
    "internal combat, won by the attacker": 10,
    "internal combat, won by the defender": 15,
    "reinforcements turn a combat": 20,
    "the loser's reinforcements are used up": 25,
    "several colonies are removed": 8,
    "a combat splits a region": 20,
    "a combat strands a leader": 4,
    "a combat empties a system with an artifact": 4,
    "a colony on an artifact is protected": 2,
    # Artifacts, the pool and the end (R50 to R58).
    "artifacts are taken": 25,
    "several artifacts are taken at once": 15,
    "artifacts stay without a merchant leader": 100,
    "a colony on an emptied system with an artifact": 80,
    "an artifact lies in no region": 100,
    "the pool is drawn empty": 0.4,
    "the pool is empty and the game goes on": 10,
    "over: artifacts": 30,
    "over: pool": 2,
    "over: turns": 5,
    "shared victory": 4,
    "a tie is broken by a further type": 25,
    "jokers change who wins": 5,
    # What fails as others were before (R12), and what is refused at once (section 4).
    "Attack fails: contested": 8,
    "Attack fails: destroyed": 20,
    "Attack fails: leader": 3,
    "Colonize fails: colony": 100,
    "Colonize fails: contested": 80,
    "Colonize fails: destroyed": 10,
    "Colonize fails: leader": 15,
    "ColonizeMining fails: colony": 4,
    "ColonizeMining fails: contested": 4,
    "ColonizeMining fails: destroyed": 0.4,
    "Exchange fails: pool": 2,
    "Move fails: colony": 12,
    "Move fails: contested": 40,
    "Move fails: destroyed": 4,
    "Move fails: home": 0.4,
    "Move fails: joins": 8,
    "Move fails: leader": 40,
    "Move fails: science": 2,
    **{f"refused: {reason}": 10 for reason in ("off", "nosuch", "notsystem", "offboard", "choice", "owner", "kind")},
    **{f"refused: {reason}": 10 for reason in ("phase", "busy", "actions", "destroyed", "colony", "ground", "science")},
    **{f"refused: {reason}": 4 for reason in ("side", "leader", "artifact", "home", "joins", "pool")},
    **{f"refused: {reason}": 0.4 for reason in ("target", "contested")},
}
"""Minimum number of each situation in 1,000 positions."""


def hunted(number: int, positions: int) -> Hunt:
    """Compare so many positions, print what was seen, and see that the rare was seen often enough."""
    hunt = Hunt(number)
    hunt.go(positions)
    print(summary(hunt))
    seldom = {
        name: hunt.seen[name] for name, least in AT_LEAST.items() if hunt.seen[name] < int(least * positions / 1000)
    }
    assert not seldom, f"seen too seldom: {seldom}"
    return hunt


def test_the_game_and_its_statement_agree_on_400_positions():
    """Positions, views, refusals, messages and ends are the same. Most rare situations come up only in longer hunts."""
    hunt = Hunt(0)
    hunt.go(400)
    assert hunt.positions == 400
    assert sum(hunt.seen[name] > 0 for name in AT_LEAST) > len(AT_LEAST) * 0.8


@pytest.mark.thorough
def test_the_game_and_its_statement_agree_on_1500_positions():
    """The same in 1,500 others."""
    assert hunted(1, 1500).positions == 1500


@pytest.mark.soak
@pytest.mark.timeout(40_000)
def test_the_game_and_its_statement_agree_on_100000_positions():
    """The same in 100,000 others."""
    assert hunted(2, 100_000).positions == 100_000


LIES = {
    "R25: leaders stay without scientists": (statement, "strand", lambda position, situation: []),
    "R31: the connecting colony is in a region": (statement.Position, "neutral", lambda position: []),
    "R33: of an area only the place is frozen": (statement, "area", lambda position, contest: [contest.place]),
    "R38: merchants fight first": (statement, "COMBAT_ORDER", "mspr"),
    "R40, R41: nobody is stronger": (statement, "strength_of", lambda position, contest, kind, seat: 1),
    "R50: artifacts stay": (statement, "take_artifacts", lambda position: None),
    "section 4: whatever exists is one's own": (statement, "owner", lambda position, number: 0),
}
"""A rule that the statement may have wrong: where it is stated, and what is stated instead."""


@pytest.mark.parametrize(
    "rule",
    [
        "R50: artifacts stay",
        *(pytest.param(rule, marks=pytest.mark.thorough) for rule in LIES if not rule.startswith("R50")),
    ],
)
def test_a_wrong_rule_is_found_and_shown_as_one_small_game(rule: str, monkeypatch: pytest.MonkeyPatch):
    """With one rule wrong on one side the hunt ends, with a game of few orders that shows it."""
    where, name, wrong = LIES[rule]
    monkeypatch.setattr(where, name, wrong)
    with pytest.raises(Different) as found:
        Hunt(0).go(1000)
    lines = str(found.value).split("\n")
    assert re.match(r"after \d+ positions, game \d+ of hunt 0, \d seats, \{.*\}:$", lines[0])
    assert "by the game" in lines[1], lines[1]
    assert re.match(r"seed '0-\d+', \d+ turns closed before$", lines[2])
    assert lines[3].startswith("[")
    assert 1 <= len(lines[4:-1]) <= 6, "no more than what leads there is left"
    assert lines[-1] == f"  -> {lines[1]}"
