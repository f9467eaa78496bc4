"""The command ``python -m tprules.testing NAME``: check a ruleset.

It prints the checks.
"""

from __future__ import annotations

import argparse
import sys

from tprules.api.faults import why_it_failed
from tprules.testing.conformance import check
from tprules.testing.failures import Nonconforming
from tprules.testing.processes import answer_trace, named


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tprules.testing", description="Check that a ruleset keeps its contract."
    )
    parser.add_argument("name", nargs="?", help="an installed ruleset, or MODULE:ATTRIBUTE")
    parser.add_argument("--games", type=int, default=4, help="random games to play")
    parser.add_argument("--seed", default="conformance", help="what the games depend on")
    parser.add_argument("--trace", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.trace:
        try:
            answer_trace()
        except Exception as error:
            print(why_it_failed(error), file=sys.stderr)
            return 1
        return 0
    if not given.name:
        parser.error("name a ruleset")
    try:
        summary = check(named(given.name), games=given.games, seed=given.seed)
    except (Nonconforming, LookupError) as error:
        print(error.args[0], file=sys.stderr)
        return 1
    print(summary.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
