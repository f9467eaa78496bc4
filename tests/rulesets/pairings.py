"""Tournament of bots: many games, and a table of results.

`python -m tests.rulesets.pairings GAME [BOT/BOT[/BOT]...] [--games 200] [--first 1] [--processes 1]` plays each
pairing: one bot for each seat, by the names in `PLAYERS`. Without pairings it plays those in `TABLE`. The seed of a
game decides all its chance, so a row repeats exactly. A shared victory counts for each winner.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import Pool
from statistics import median
from typing import Any

from tests.rulesets.rivals import PLAYERS
from tprules.api import BotTurn
from tprules.testing import play
from tprules.testing.processes import named

TABLE = {
    "taller_ants": ["bot/bot", "sealing/bot", "random/bot", "bot/random", "bot/bot/bot"],
    "colony_battle": ["bot/rush", "bot/random", "bot/bot"],
    "tae": ["bot/bot", "bot/bot/bot", "bot/bot/bot/bot", "random/random", "random/random/random"],
}
"""Game -> the pairings that are played by default."""
SYMMETRIC = ("colony_battle",)
"""Games of two equal seats, in which the players swap seats in every other game."""
MOST_TURNS = 5000

HEADING = f"{'PLAYERS':<24} {'GAMES':>5}  {'WON BY EACH, PERCENT':<24} {'TURNS':<18} {'SECONDS':>7}  ENDS"


@dataclass
class Row:
    """The results of one pairing."""

    players: Sequence[str]
    won: list[int]
    turns: list[int] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def percent(self, player: int) -> float:
        return 100 * self.won[player] / len(self.turns)

    def line(self) -> str:
        shares = " : ".join(f"{self.percent(player):.0f}" for player in range(len(self.won)))
        turns = f"{median(self.turns):g} ({min(self.turns)}..{max(self.turns)})"
        ends = ", ".join(f"{end} {number}" for end, number in self.ends.most_common())
        players = " / ".join(self.players)
        return f"{players:<24} {len(self.turns):>5}  {shares:<24} {turns:<18} {self.seconds:>7.0f}  {ends}"


def play_pairing(
    game: str,
    players: Sequence[str],
    seeds: Iterable[int],
    options: Mapping[str, str] | None = None,
    processes: int = 1,
) -> Row:
    """Play one game for each seed; ``players`` are names in ``PLAYERS``, one for each seat."""
    row = Row(players, [0] * len(players))
    begun = time.monotonic()
    one_game = partial(_play_game, game, players, dict(options or {}))
    if processes > 1:
        with Pool(processes) as pool:
            results = pool.map(one_game, seeds, chunksize=4)
    else:
        results = [one_game(seed) for seed in seeds]
    for winners, why, turns in results:
        for winner in winners:
            row.won[winner] += 1
        row.ends[why] += 1
        row.turns.append(turns)
    row.seconds = time.monotonic() - begun
    return row


def _play_game(game: str, players: Sequence[str], options: Mapping[str, str], seed: int) -> tuple[list[int], str, int]:
    """Return the winners, as indexes of ``players``, why the game ended, and its turns."""
    swap = seed % 2 if game in SYMMETRIC else 0
    bots = [PLAYERS[game][name] for name in players]

    def choose(turn: BotTurn[Any]) -> None:
        bots[turn.seat ^ swap](turn)

    played = play(named(game), options, len(players), seed, choose, MOST_TURNS)
    assert played.outcome is not None
    return [seat ^ swap for seat in played.outcome.winners()], played.outcome.why, played.turns


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Play many games of bots against each other and print who won.")
    parser.add_argument("game", choices=sorted(PLAYERS))
    parser.add_argument("pairings", metavar="BOT/BOT", nargs="*", help="one bot for each seat; default: several")
    parser.add_argument("--games", type=int, default=200, help="of each pairing (default 200)")
    parser.add_argument("--first", type=int, default=1, metavar="SEED", help="of the first game (default 1)")
    parser.add_argument("--processes", type=int, default=1, help="that play at the same time (default 1)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the games")
    given = parser.parse_args(words)
    if given.games < 1:
        parser.error("--games is 1 or more")
    options = dict(option.split("=", 1) for option in given.option)
    seeds = range(given.first, given.first + given.games)
    print(HEADING, flush=True)
    for pairing in given.pairings or TABLE[given.game]:
        players = pairing.split("/")
        unknown = [name for name in players if name not in PLAYERS[given.game]]
        if unknown:
            parser.error(f"there is no bot {unknown[0]}; there are {', '.join(PLAYERS[given.game])}")
        print(play_pairing(given.game, players, seeds, options, given.processes).line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
