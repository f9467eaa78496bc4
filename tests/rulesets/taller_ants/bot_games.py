"""Many games of the Taller-Ants bot, and how they end: to be held against the page, 11.

`python -m tests.rulesets.taller_ants.bot_games [--games 100] [--first 1] [--places]` plays one colony and two, with
four groups and with two.  With `--places` every other game has places chosen at random, as in the measurement of the
page.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from statistics import median

from tprules.api import BotTurn
from tprules.taller_ants import RULESET
from tprules.taller_ants.world import SETUP, World
from tprules.testing import busy_bot, play

SETUPS = ("four_groups", "two_groups")
HEADING = f"{'SEATS':>5} {'SETUP':<12} {'GAMES':>5}  {'ROUNDS':<20} {'SECONDS':>7}  SHARES"


@dataclass
class Row:
    """What came of the games of one kind."""

    seats: int
    setup: str
    rounds: list[int] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def line(self) -> str:
        lengths = f"{median(self.rounds):g} ({min(self.rounds)}..{max(self.rounds)})"
        shares = ", ".join(
            f"{end} {100 * number / len(self.rounds):.0f} %" for end, number in sorted(self.ends.items())
        )
        return f"{self.seats:>5} {self.setup:<12} {len(self.rounds):>5}  {lengths:<20} {self.seconds:>7.0f}  {shares}"


def scattered(turn: BotTurn[World]) -> None:
    """Choose a place at random, and go on as the ruleset's bot."""
    (busy_bot if turn.phase == SETUP else RULESET.bot)(turn)


def play_row(seats: int, setup: str, seeds: range, at_random: bool) -> Row:
    """Play all seeds."""
    row = Row(seats, setup)
    begun = time.monotonic()
    for seed in seeds:
        played = play(RULESET, {"ant_setup": setup}, seats, seed, scattered if at_random and seed % 2 else None)
        winners = " and ".join("spider" if seat == 0 else f"seat {seat}" for seat in played.outcome.winners())
        row.ends[f"{winners} ({played.outcome.why})"] += 1
        row.rounds.append(played.state.world.round)
    row.seconds = time.monotonic() - begun
    return row


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Play many games of the Taller-Ants bot and print how they ended.")
    parser.add_argument("--games", type=int, default=100, help="of each kind (default 100)")
    parser.add_argument("--first", type=int, default=1, metavar="SEED", help="of the first game (default 1)")
    parser.add_argument("--places", action="store_true", help="places at random in every other game")
    given = parser.parse_args(words)
    if given.games < 1:
        parser.error("--games is 1 or more")
    print(HEADING, flush=True)
    for seats in (2, 3):
        for setup in SETUPS:
            seeds = range(given.first, given.first + given.games)
            print(play_row(seats, setup, seeds, given.places).line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
