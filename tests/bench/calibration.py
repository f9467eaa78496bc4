"""Present speed of this machine: figures are compared as multiples of it.

No code of this project is measured here. Two machines differ by a factor of two, and so do two hours on one machine.
"""

from __future__ import annotations

import json
import socket
import sqlite3
import statistics
import struct
import subprocess
import sys
import time
from typing import NamedTuple

from tests.bench.figures import cpu_per_call
from tests.bench.server import one_core
from tests.support.process import SECONDS, environment
from tests.support.server import HOST, cpu_seconds, short_directory

_REQUEST = b"TP03" + struct.pack(">III", 1, 14, 0)
_DOCUMENT = {"numbers": list(range(100)), "names": {str(number): number * 1.5 for number in range(100)}}


class Calibration(NamedTuple):
    """Microseconds: of processor time, but for ``commit``, which is what passes."""

    loop: float
    """A loop of plain Python that counts to 250."""
    json: float
    """``json.dumps`` of 200 numbers."""
    twisted: float
    """One request and its answer of fixed bytes through Twisted alone, one at a time, on the client's core."""
    commit: float
    """A transaction of one row in SQLite with a write-ahead log and ``synchronous=FULL``, on the disk."""

    def line(self) -> str:
        """The figures for people."""
        return (
            f"loop {self.loop:.2f} us, json.dumps {self.json:.1f} us, Twisted alone {self.twisted:.1f} us, "
            f"SQLite's commit {self.commit:.0f} us"
        )

    def changed(self, before: Calibration) -> float:
        """The largest factor by which plain Python or Twisted became slower or faster since ``before``."""
        return max(max(now, then) / min(now, then) for now, then in zip(self[:3], before[:3], strict=True))


LOOP_WHEN_SET = 9.0
"""Microseconds of the loop on the machine on which the targets were set, on 22 November 2026.

It is worked back: requests to the server of that day cost 1.5 (orders) to 2.1 times (reads) what they cost the same
server where the loop takes 5 us.
"""


def measured(quick: bool) -> Calibration:
    """Measure all four; takes about two seconds."""
    return Calibration(
        cpu_per_call(_loop, quick, 10), cpu_per_call(lambda: json.dumps(_DOCUMENT), quick), _twisted(), _commit()
    )


def loop() -> float:
    """The first of the four alone."""
    return cpu_per_call(_loop, True, 10)


COUNT_WHEN_SET = 1.4
"""Seconds of the count on the machine on which the targets of legal orders were set, on 28 November 2026."""

_COUNT = """
x = 0
for i in range({times}): x += i
"""


def count(quick: bool) -> float:
    """Return the CPU seconds of ten million additions of global variables; ``quick`` does a tenth of them."""
    times = 10**6 if quick else 10**7
    code = compile(_COUNT.format(times=times), "count", "exec")
    begun = time.process_time()
    exec(code, {})
    return (time.process_time() - begun) * 10**7 / times


def _loop() -> int:
    total = 0
    for _ in range(10):
        for number in range(250):
            total += number % 7
    return total


def _twisted() -> float:
    command = [sys.executable, "-m", "tests.bench.echo"]
    with one_core(), subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(), text=True) as echo:
        assert echo.stdout is not None
        try:
            with socket.create_connection((HOST, int(echo.stdout.readline())), SECONDS) as line:
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                results = []
                for _ in range(5):
                    before = cpu_seconds(echo.pid)
                    for _ in range(2000):
                        line.sendall(_REQUEST)
                        line.recv(64)
                    results.append((cpu_seconds(echo.pid) - before) / 2000 * 1e6)
        finally:
            echo.kill()
    return statistics.median(results)


def _commit() -> float:
    with short_directory() as directory:
        database = sqlite3.connect(directory / "commits.sqlite", isolation_level=None)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT)")
        results = []
        for _ in range(300):
            begun = time.perf_counter()
            database.execute("BEGIN IMMEDIATE")
            database.execute("INSERT INTO rows (text) VALUES ('as long as an order may be, more or less')")
            database.execute("COMMIT")
            results.append((time.perf_counter() - begun) * 1e6)
        database.close()
    return statistics.median(results)
