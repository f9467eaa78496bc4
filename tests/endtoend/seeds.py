"""Plays TaE with bots for many seeds and looks whether every game ends.

    python tests/endtoend/seeds.py [--seeds 1-20] [--players 2-4] [--seconds 120]

Each game is `tpserver play tae --seats N --bots N --seed S --until-end`. Prints a line for each: turns, winner,
combats, digest, seconds. Exit code 1 if a game is stuck, fails, or ends without a winner.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from live_server import ServerFailed, attempt

HEAD = f"{'seed':>4} {'seats':>5} {'turns':>5}  {'winner':<20} {'internal':>8} {'external':>8}  {'digest':<16} {'s':>6}"


class Unfinished(Exception):
    """A game that did not end as a game ends."""


@dataclass(frozen=True)
class End:
    """What was printed at the end of a game."""

    turns: int
    winner: str
    internal: int
    external: int
    digest: str


def play(seed: int, seats: int, seconds: float) -> End:
    """Play one game. Raises Unfinished."""
    number = str(seats)
    arguments = ["play", "tae", "--seats", number, "--bots", number, "--seed", str(seed), "--port", "0", "--web", "off"]
    arguments += ["--until-end"]
    try:
        code, output = attempt(arguments, seconds)
    except ServerFailed as failure:
        raise Unfinished(str(failure)) from None
    if code:
        raise Unfinished(f"it ended with code {code}:\n{output[-2000:]}")
    return read_end(output)


def read_end(output: str) -> End:
    """Find turns, winner, combats and digest in what `tpserver play` printed. Raises Unfinished."""
    last = re.search(r"^(\d+) turns; digest ([0-9a-f]{64})$", output, re.MULTILINE)
    over = re.search(r"Game over: (.*)$", output, re.MULTILINE)
    if last is None or over is None:
        raise Unfinished(f"its end is missing:\n{output[-2000:]}")
    winner = "a draw" if over[1] == "a draw" else over[1].removesuffix(" won")
    return End(int(last[1]), winner, _combats("internal", output), _combats("external", output), last[2])


def _combats(kind: str, output: str) -> int:
    found = re.findall(rf"{kind} combats?: (\d+)", output)
    return int(found[-1]) if found else 0


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Play TaE with bots for many seeds.")
    parser.add_argument("--seeds", type=_range, default=range(1, 21), metavar="FIRST-LAST")
    parser.add_argument("--players", type=_range, default=range(2, 5), metavar="FEWEST-MOST")
    parser.add_argument("--seconds", type=float, default=120.0, help="the longest that a game may take")
    options = parser.parse_args(arguments)
    print(HEAD)
    stuck = games = internal = external = 0
    for seats in options.players:
        for seed in options.seeds:
            begun = time.monotonic()
            games += 1
            try:
                end = play(seed, seats, options.seconds)
            except Unfinished as problem:
                stuck += 1
                print(f"{seed:>4} {seats:>5}  NOT FINISHED: {problem}", flush=True)
                continue
            internal += end.internal
            external += end.external
            print(
                f"{seed:>4} {seats:>5} {end.turns:>5}  {end.winner:<20} {end.internal:>8} {end.external:>8}  "
                f"{end.digest[:16]} {time.monotonic() - begun:>6.1f}",
                flush=True,
            )
    print(f"{games} games, {games - stuck} finished; {internal} internal and {external} external combats")
    return 1 if stuck else 0


if __name__ == "__main__":
    sys.exit(main())
