"""Many random games of each ruleset without a server: no hangs, no errors.

`python tests/rulesets/many_games.py [GAME...] [--games 500] [--first 0]` plays all installed rulesets of this project,
or the named ones, with all numbers of seats in turn. Every turn it checks three things. Orders that `moves` offers are
accepted. Closing does not change the caller's world. The new world survives dump and load. At the end, every seat has a
place.

Every EACH turns the turn is closed a second time from the dumped state, and all views are read as clients draw them.
Every FULL games one game is played under the whole conformance test.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any

from tprules.api import Dice, Ruleset, canonical, digest, parse_options
from tprules.api.advance import Advanced, advance, dump_state, load_state, opening
from tprules.api.order_checks import State
from tprules.testing import Nonconforming, check, random_bot
from tprules.testing.play import give_orders
from tprules.testing.processes import named
from tprules.testing.views import check_view

EACH = 11
"""Turns between the expensive checks."""
FULL = 100
"""Games between those that are played under the whole conformance test."""
MOST_TURNS = 5000
"""A game that is not over after so many turns is stuck."""

MOST_TOLD = 10
"""Faults that are printed in full."""


class Stuck(Exception):
    """A game does not end."""


@dataclass
class Tally:
    """The results of the games of one ruleset."""

    game: str
    games: int = 0
    turns: int = 0
    longest: int = 0
    stuck: int = 0
    raised: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        return (
            f"{self.game:<14} {self.games:>6} {self.turns:>9} {self.longest:>8} {self.stuck:>6} {self.raised:>7} "
            f"{self.seconds:>8.1f}"
        )


HEADING = f"{'GAME':<14} {'GAMES':>6} {'TURNS':>9} {'LONGEST':>8} {'STUCK':>6} {'RAISED':>7} {'SECONDS':>8}"


def shipped() -> list[str]:
    """The names of the installed rulesets of this project."""
    points = entry_points(group="tpserver.rulesets")
    return sorted(point.name for point in points if point.value.partition(".")[0] == "tprules")


def play_many(rules: Ruleset[Any], games: int, first: int = 0) -> Tally:
    """Play so many games, seeds counted from ``first``; faults are noted with what repeats them, not raised."""
    tally = Tally(rules.name)
    begun = time.monotonic()
    for number in range(first, first + games):
        seats = rules.seats[number % len(rules.seats)]
        try:
            turns = played(rules, seats, f"many games {number}")
            if number % FULL == 0:
                check(rules, games=1, seats=seats, seed=f"many games {number}", processes=False, most_turns=MOST_TURNS)
        except Stuck:
            tally.stuck += 1
            turns = MOST_TURNS
            tally.faults.append(f"{rules.name}: game {number} with {seats} seats is not over after {MOST_TURNS} turns")
        except Exception:
            tally.raised += 1
            turns = 0
            tally.faults.append(f"{rules.name}: game {number} with {seats} seats raised\n{traceback.format_exc()}")
        tally.games += 1
        tally.turns += turns
        tally.longest = max(tally.longest, turns)
    tally.seconds = time.monotonic() - begun
    return tally


def played(rules: Ruleset[Any], seats: int, seed: str) -> int:
    """Play one game to its end and return its turns. Raises Stuck, Nonconforming, or what the rules raise."""
    key = seed.encode()
    state = opening(rules, parse_options(rules.options, {}), seats, key).state
    for number in range(MOST_TURNS):
        if state.over:
            _check_end(rules, state, seats)
            return number
        # A refused order of legal_orders() is raised as a Refusal.
        give_orders(rules, state, random_bot, Dice.named(key, "many games", number))
        state = _closed(rules, state, seats, key, thorough=number % EACH == 0)
    raise Stuck


def _closed(rules: Ruleset[Any], state: State[Any], seats: int, key: bytes, thorough: bool) -> State[Any]:
    before = canonical(dump_state(rules, state))
    done: Advanced[Any] = advance(rules, state, key)
    if canonical(dump_state(rules, state)) != before:
        raise Nonconforming("advance() changed the caller's world")
    read = load_state(rules, json.loads(canonical(done.data)))
    if read.world != done.state.world or digest(dump_state(rules, read)) != done.digest:
        raise Nonconforming(f"load(dump(world)) is not equal to the world after turn {done.state.turn}")
    if thorough:
        again = advance(rules, load_state(rules, json.loads(before)), key)
        if (again.digest, again.reports, again.events) != (done.digest, done.reports, done.events):
            raise Nonconforming(f"closing turn {state.turn} twice gives two results")
        for seat in [None, *range(seats)]:
            check_view(rules, done.state, seats, seat)
    return done.state


def _check_end(rules: Ruleset[Any], state: State[Any], seats: int) -> None:
    outcome = rules.outcome(state.world)
    if outcome is None or set(outcome.places) != set(range(seats)) or min(outcome.places.values()) != 1:
        raise Nonconforming(f"the game ended with {outcome}; every seat needs a place, and the best one is 1")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Play many random games of each ruleset and check every turn.")
    parser.add_argument("rulesets", metavar="GAME", nargs="*", help="default: all of this project")
    parser.add_argument("--games", type=int, default=500, help="of each (default 500)")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER", help="of the first game (default 0)")
    given = parser.parse_args(words)
    try:
        rulesets = [named(name) for name in given.rulesets or shipped()]
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    print(HEADING, flush=True)
    faults = []
    for rules in rulesets:
        tally = play_many(rules, given.games, given.first)
        print(tally.line(), flush=True)
        faults += tally.faults
    for fault in faults[:MOST_TOLD]:
        print(f"\n{fault}", file=sys.stderr)
    if len(faults) > MOST_TOLD:
        print(f"\nand {len(faults) - MOST_TOLD} more", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
