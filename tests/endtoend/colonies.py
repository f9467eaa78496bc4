"""Whole games of bots for every shipped ruleset: they end, the winners are spread, and the same seed repeats them.

`python tests/endtoend/colonies.py [GAME...] [--seeds 20] [--jobs 1]` runs, for the smallest and the largest number of
seats of each game and for seeds 1 to 20, `tpserver play GAME --seats N --bots N --seed S --until-end`, repeats the
first and the last seed, and prints a table.  The exit code is 1 if a game got stuck, failed, or differed when repeated.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from statistics import median
from typing import NamedTuple

from live_server import ServerFailed, attempt

LIMIT = 600.0
"""Seconds that one game may take before it counts as stuck."""
HEADING = (
    f"{'GAME':<14} {'SEATS':>5} {'GAMES':>5}  {'TURNS least/median/most':<24} {'WINS by seat':<24} {'DRAWS':>5} "
    f"{'SECONDS':>8}  REPEATED"
)
_PLACE = re.compile(r" *(\d+)  bot-(\d+)\b")
_END = re.compile(r"^(\d+) turns; digest ([0-9a-f]{64})$", re.MULTILINE)


class Played(NamedTuple):
    """One game as the server has told of it."""

    turns: int
    digest: str
    winners: tuple[int, ...]
    """Bots at the first place, counted from 1 in the order of their seats."""
    seconds: float


class Broken(Exception):
    """A game got stuck, failed, or said something that cannot be read."""


@dataclass
class Row:
    """All games of one ruleset with one number of seats."""

    game: str
    seats: int
    played: dict[int, Played] = field(default_factory=dict)
    """By seed."""
    repeated: int = 0
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return the row of the table."""
        games = list(self.played.values())
        turns = [one.turns for one in games]
        lengths = f"{min(turns)} / {median(turns):g} / {max(turns)}" if turns else "-"
        wins = Counter(one.winners[0] for one in games if len(one.winners) == 1)
        by_seat = " ".join(f"{wins[seat]}" for seat in range(1, self.seats + 1))
        draws = sum(len(one.winners) > 1 for one in games)
        seconds = sum(one.seconds for one in games)
        repeated = f"{self.repeated} the same" if not self.faults else f"{len(self.faults)} FAULTS"
        return (
            f"{self.game:<14} {self.seats:>5} {len(games):>5}  {lengths:<24} {by_seat:<24} {draws:>5} {seconds:>8.1f}  "
            f"{repeated}"
        )


def shipped() -> dict[str, range]:
    """Return the numbers of seats of the installed rulesets of this project."""
    points = entry_points(group="tpserver.rulesets")
    return {
        point.name: point.load().seats
        for point in sorted(points, key=lambda point: point.name)
        if point.value.partition(".")[0] == "tprules"
    }


def play(game: str, seats: int, seed: int) -> Played:
    """Play one game to its end.  Raises Broken."""
    words = ["play", game, "--seats", str(seats), "--bots", str(seats), "--seed", str(seed), "--until-end"]
    begun = time.monotonic()
    try:
        code, said = attempt([*words, "--port", "0", "--web", "off"], LIMIT)
    except ServerFailed as stuck:
        raise Broken(f"{' '.join(words)}: {_end_of(str(stuck))}") from None
    if code:
        raise Broken(f"{' '.join(words)} ended with {code}: {_end_of(said)}")
    return read(said, seats, time.monotonic() - begun)


def read(said: str, seats: int, seconds: float) -> Played:
    """Return what the last lines of `tpserver play --until-end` tell.  Raises Broken."""
    end = _END.search(said)
    lines = said.splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("PLACE ")]
    rows = [_PLACE.match(line) for line in lines[heads[-1] + 1 :][:seats]] if heads else []
    places = {int(row[2]): int(row[1]) for row in rows if row}
    if end is None or sorted(places) != list(range(1, seats + 1)):
        raise Broken(f"no final table with {seats} bots, number of turns and digest: {_end_of(said)}")
    winners = tuple(seat for seat, place in sorted(places.items()) if place == 1)
    return Played(int(end[1]), end[2], winners, seconds)


def play_row(game: str, seats: int, seeds: Iterable[int], pool: ThreadPoolExecutor) -> Row:
    """Play all seeds, repeat the first and the last, and note what is wrong."""
    row = Row(game, seats)
    seeds = list(seeds)
    again = sorted({seeds[0], seeds[-1]})
    waiting = [(seed, pool.submit(play, game, seats, seed)) for seed in [*seeds, *again]]
    for seed, future in waiting:
        try:
            played = future.result()
        except Broken as broken:
            row.faults.append(str(broken))
            continue
        if seed not in row.played:
            row.played[seed] = played
        elif row.played[seed].digest != played.digest:
            row.faults.append(f"{game} with {seats} seats and seed {seed}: another digest when repeated")
        else:
            row.repeated += 1
    return row


def rows(games: dict[str, range], seeds: Iterable[int], jobs: int) -> Iterator[Row]:
    """Play everything; each row as soon as it is complete."""
    seeds = list(seeds)
    with ThreadPoolExecutor(jobs) as pool:
        for game, seats in games.items():
            for count in sorted({seats[0], seats[-1]}):
                yield play_row(game, count, seeds, pool)


def _end_of(said: str) -> str:
    return "\n".join(said.splitlines()[-20:])


def main(words: list[str]) -> int:
    known = shipped()
    parser = argparse.ArgumentParser(description="Play whole games of bots and print how they went.")
    parser.add_argument("games", metavar="GAME", nargs="*", help=f"default: {', '.join(known)}")
    parser.add_argument("--seeds", type=int, default=20, help="how many, counted from 1 (default 20)")
    parser.add_argument("--jobs", type=int, default=1, help="games at the same time (default 1)")
    given = parser.parse_args(words)
    if unknown := sorted(set(given.games) - set(known)):
        parser.error(f"no such game: {', '.join(unknown)} (there are: {', '.join(known)})")
    if given.seeds < 1 or given.jobs < 1:
        parser.error("--seeds and --jobs are 1 or more")
    print(HEADING, flush=True)
    faults: list[str] = []
    for row in rows({game: known[game] for game in given.games or known}, range(1, given.seeds + 1), given.jobs):
        print(row.line(), flush=True)
        faults += row.faults
    for fault in faults:
        print(f"\n{fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
