"""Many games of the Taller-Ants bot without a server, and how they end: to be held against the page, 11.

`python -m tests.rulesets.taller_ants.bot_games [--games 100] [--first 1] [--places]` plays one colony and two, with
four groups and with two.  The bots sit at the table of their own test: they see what the wire shows, and the rules'
intake answers them, so a seed ends here as it does in `tpserver play`.  With `--places` every other game has places
chosen at random, as in the measurement of the page.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import ModuleType

TABLE = Path(__file__).parents[2] / "clients" / "test_bot_taller_ants.py"
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


def table() -> ModuleType:
    """Return the module that plays games of bots: the tests are no package."""
    spec = importlib.util.spec_from_file_location("taller_ants_table", TABLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def play_row(seats: int, setup: str, seeds: range, at_random: bool) -> Row:
    """Play all seeds."""
    row, bots = Row(seats, setup), table()
    begun = time.monotonic()
    for seed in seeds:
        done, _, _ = bots.played(seats, seed, places_at_random=at_random and seed % 2 == 1, ant_setup=setup)
        winners = " and ".join("spider" if seat == 0 else f"seat {seat}" for seat in done.outcome.winners())
        row.ends[f"{winners} ({done.outcome.why})"] += 1
        row.rounds.append(done.state.world.round)
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
