"""All measurements in one run: `python -m tests.bench [NAME ...]`.

Each figure is the median of several rounds. CPU time is the user and system time of the measured process, divided by
the operations. Unlike wall time, it hardly depends on the load of the machine.

Each time is also given as a number of rounds of a fixed loop in plain Python, measured before and after each part. That
number can be compared with another hour or another machine. Targets are scaled by it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench import (
    calibration,
    codec,
    connections,
    crowds,
    downloads,
    idle,
    legal,
    nodes,
    orders,
    pages,
    playing,
    processes,
    reads,
    reference,
    relays,
    storage,
    turns,
)
from tests.bench.figures import NOISE, Figure

PARTS: dict[str, Callable[[bool], list[Figure]]] = {
    "reference": reference.measure,
    "codec": codec.measure,
    "reads": reads.measure,
    "downloads": downloads.measure,
    "orders": orders.measure,
    "relays": relays.measure,
    "legal": legal.measure,
    "turns": turns.measure,
    "storage": storage.measure,
    "connections": connections.measure,
    "crowds": crowds.measure,
    "idle": idle.measure,
    "nodes": nodes.measure,
    "processes": processes.measure,
    "pages": lambda quick: [*pages.measure(quick), *playing.measure(quick)],
}

UNSTEADY = 1.15
"""The factor by which the machine may have changed during a run that is compared with others."""

HEAD = f"{'':78} {'loops':>9} {'target':>9} {'':6} {'old C++':>12}"


def main() -> int:
    chosen = _arguments()
    kept: dict[str, Any] = {}
    if chosen.against is not None:
        try:
            kept = json.loads(chosen.against.read_text())["figures"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"{chosen.against} is not what --out wrote: {error}", file=sys.stderr)
            return 2
    print(f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores, "
          f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
    begin = calibration.measured(chosen.quick)
    print(f"at the beginning: {begin.line()}")
    print(HEAD + ("    against" if kept else ""))
    figures: dict[str, dict[str, Any]] = {}
    missed, grown = [], []
    for part in chosen.parts or PARTS:
        before = calibration.loop()
        measured = PARTS[part](chosen.quick)
        loop = min(before, calibration.loop())  # what else the machine does makes it longer, nothing shorter
        slower = loop / calibration.LOOP_WHEN_SET
        print(f"{part} (loop {loop:.2f} us)", flush=True)
        for figure in measured:
            name, multiple = f"{part}: {figure.name}", figure.multiple(loop)
            compared = figure.value if multiple is None else multiple
            then = kept.get(name, {}).get("compared")
            print(figure.line(loop, slower, then), flush=True)
            figures[name] = {"value": figure.value, "unit": figure.unit, "compared": compared}
            missed += [name] if figure.misses(slower) else []
            grown += [name] if then is not None and compared > then * NOISE else []
    end = calibration.measured(chosen.quick)
    print(f"at the end: {end.line()}")
    if end.changed(begin) > UNSTEADY:
        print(f"The machine changed by a factor of {end.changed(begin):.2f} meanwhile: repeat what is to be compared.")
    print(f"{len(figures)} figures; {len(missed)} miss their targets"
          + (f"; {len(grown)} grew by more than {NOISE - 1:.0%} against {chosen.against}" if kept else ""))  # fmt: skip
    if chosen.out is not None:
        calibrated = {"beginning": begin._asdict(), "end": end._asdict()}
        chosen.out.write_text(json.dumps({"calibration": calibrated, "figures": figures}, indent=1) + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="measure, and compare with the targets")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help=f"which to measure: {', '.join(PARTS)} (all)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: to see that it works")
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep the figures in a JSON file")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with what --out kept")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
