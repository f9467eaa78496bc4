"""Run simulated worlds: `python -m tests.simulation --seeds 100`.

Repeat one world: `--kind server --seed 1:17`. A seed is written behind the version of the simulation, as another
version makes another world of it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from twisted.logger import globalLogBeginner

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests/plugins"), str(ROOT / "tests/requests")]

from tests.simulation.finding import KINDS, Found, found_in, of_this_version, parts_of, plan_of  # noqa: E402
from tests.simulation.world import VERSION  # noqa: E402
from tpserver.fault_points import POINTS  # noqa: E402

STEPS = 400


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument(
        "--kind",
        choices=[*KINDS, "both", "all"],
        default="server",
        help="one server, a cluster, one server twice with other secrets, or the first two, or all in turn",
    )
    parser.add_argument("--seeds", type=int, default=100, help="how many worlds")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--seconds", type=float, help="begin worlds for so long, however many they are")
    parser.add_argument("--seed", help="only this world, as VERSION:SEED")
    parser.add_argument("--steps", type=int, default=STEPS, help="how much happens in each")
    parser.add_argument("--only", default="", help="of these steps, such as 3,17,40-52")
    parser.add_argument("--as-it-is", action="store_true", help="do not make what is found smaller")
    parser.add_argument("--until-found", action="store_true", help="end with the first fault")
    parser.add_argument("--digest", action="store_true", help="print what is the same for equal histories only")
    chosen = parser.parse_args(words)
    globalLogBeginner.beginLoggingTo([], redirectStandardIO=False, discardBuffer=True)
    if chosen.seed is not None:
        try:
            seed = of_this_version(chosen.seed)
        except ValueError as error:
            print(error)
            return 2
        seeds: Sequence[int] = [seed]
    else:
        seeds = range(chosen.first, chosen.first + (10**9 if chosen.seconds else chosen.seeds))
    begun, worlds, steps, faults = time.monotonic(), 0, 0, 0
    points, interfered, tally = Counter[str](), Counter[str](), Counter[str]()
    kinds = {"both": ["server", "cluster"], "all": list(KINDS)}.get(chosen.kind, [chosen.kind])
    for seed, kind in ((seed, kind) for seed in seeds for kind in kinds):
        if chosen.seconds and time.monotonic() - begun > chosen.seconds:
            break
        plan = plan_of(kind, seed, chosen.steps)
        numbers = parts_of(chosen.only) if chosen.only else range(1, len(plan) + 1)
        outcome = found_in(kind, seed, plan, numbers)
        worlds, steps = worlds + 1, steps + len(numbers)
        points += outcome.world.reached
        interfered += outcome.world.interfered
        tally += outcome.world.checker.tally
        if chosen.digest:
            print(f"{kind} {VERSION}:{seed} {outcome.world.digest()}")
        if outcome.sentence:
            faults += 1
            told(outcome, chosen.steps, make_smaller=not chosen.as_it_is and not chosen.only)
            if chosen.until_found:
                break
    seconds = time.monotonic() - begun
    print(f"{worlds} worlds, {steps} steps, {steps / max(seconds, 0.001):.0f} steps a second; {faults} faults found")
    print("what was checked:", ", ".join(f"{what} {count}" for what, count in sorted(tally.items())))
    print("what went wrong:", ", ".join(f"{what} {count}" for what, count in sorted(interfered.items())))
    print("points reached:", ", ".join(f"{name} {count}" for name, count in sorted(points.items())))
    print("points never reached:", ", ".join(sorted(set(POINTS) - set(points))) or "none")
    return 1 if faults else 0


def told(found: Found, steps: int, *, make_smaller: bool) -> None:
    """Print what was found, and how to see it again."""
    print(f"{found.of}, seed {VERSION}:{found.seed}: {found.sentence}")
    again = f"  python -m tests.simulation --kind {found.of} --seed {VERSION}:{found.seed} --steps {steps}"
    print(again)
    if make_smaller:
        small = found.smaller()
        print(f"  or, of its steps, {again.strip()} --only {','.join(map(str, small))}")
        for number in small:
            print(f"  {number:>5}  {found.plan[number - 1][0]}")


if __name__ == "__main__":
    sys.exit(main())
