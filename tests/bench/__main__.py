"""All measurements in one run: ``python -m tests.bench [NAME ...]``.

Each figure is the median of several rounds.  CPU time is what the measured process used, in user and system together,
divided by the operations; it hardly depends on what else the machine does, wall time does.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable

from tests.bench import codec, connections, downloads, orders, pages, reads, turns
from tests.bench.figures import Figure

PARTS: dict[str, Callable[[bool], list[Figure]]] = {
    "codec": codec.measure,
    "reads": reads.measure,
    "downloads": downloads.measure,
    "orders": orders.measure,
    "turns": turns.measure,
    "connections": connections.measure,
    "pages": pages.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="measure, and compare with the targets")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help=f"which to measure: {', '.join(PARTS)} (all)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: to see that it works")
    chosen = parser.parse_args()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"Python {platform.python_version()} on {machine}")
    print(f"{'':52} {'median':>14}   {'target':>14}   old C++ server")
    for name in chosen.parts or PARTS:
        print(f"{name}")
        for figure in PARTS[name](chosen.quick):
            print(figure.line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
