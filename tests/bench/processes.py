"""Benchmark: closings that are due at once, in one process and in two.

The database is PostgreSQL, which needs a part of the processor, too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, func, select, update

from tests.bench.crowds import GAMES, PLACE, QUICK_GAMES, SEATS, fill_store
from tests.bench.figures import Figure
from tests.support.postgres import postgres_server
from tests.support.process import PLUGINS
from tests.support.server import HOST, ServerProcess, cpu_seconds, free_ports, short_directory
from tpserver.admin.socket_client import ask, somebody_listens
from tpserver.admin.socket_protocol import SocketPath, socket_name
from tpserver.store.tables import games

PROCESSES = (1, 2)
GAIN = 1.7
"""The factor by which two processes should be faster than one."""
LEAST_SECONDS = 20.0
"""Seconds from the change of the deadlines until they come; the server starts meanwhile."""
MOST_PATIENCE = 8
"""Maximum times as long as usual that is waited for."""
ASKED_A_SECOND = 25
"""Games that a process is asked to load in a second, at the least."""


def measure(quick: bool) -> list[Figure]:
    sys.path.insert(0, str(PLUGINS))  # for the synthetic game
    count = QUICK_GAMES if quick else GAMES
    try:
        with postgres_server() as url:
            fill_store(url, count, accounts=SEATS * count // 5)
            engine = create_engine(url)
            rates = {number: _closings(url, engine, number, count) for number in PROCESSES}
            engine.dispose()
    except pytest.skip.Exception as skipped:
        print(f"  processes: {skipped}")
        return []
    return _figures(rates, count)


def _figures(rates: Mapping[int, tuple[float, float]], count: int) -> list[Figure]:
    figures = []
    for number, (rate, cpu) in rates.items():
        title = f"{count:,} games due at the same second, {number} {'processes' if number > 1 else 'process'}"
        figures.append(Figure(title, rate, "closings/s", None, "", f"{cpu:.2f} ms CPU each, without the database"))
    first, last = rates[PROCESSES[0]][0], rates[PROCESSES[-1]][0]
    figures.append(
        Figure("two processes close as many times faster", last / first, "times", None, "", f"target {GAIN}")
    )
    return figures


def _closings(url: str, engine: Engine, processes: int, count: int, patience: int = 1) -> tuple[float, float]:
    """Return the closings a second, and the milliseconds of processor time of each.

    If the games cannot be loaded before they are due, as others have the machine, it waits longer the next time.
    """
    due = time.time() + patience * (LEAST_SECONDS + count / ASKED_A_SECOND)
    with engine.begin() as c:
        # As they were never in memory: else they would be loaded by whichever process is first.
        fresh: dict[str, Any] = {"due": due, "deadline": due, "ran": time.time(), "resting": None, "wake": None}
        c.execute(update(games).where(games.c.name != PLACE).values(created=due + 3600, **fresh))
        names = list(c.scalars(select(games.c.name).where(games.c.name != PLACE).order_by(games.c.id)))
    before = _turns(engine)
    with short_directory() as directory:
        config = directory / "config.toml"
        config.write_text(
            f'[server]\nstore = "{url}"\n[cluster]\naddress = "{HOST}:{free_ports(processes)}"\n'
            f"processes = {processes}\nlease_seconds = 60\n"
        )
        with ServerProcess(directory / "data", "--web", "off", "--config", str(config)) as server:
            server.start()
            server.wait_until(lambda: all(_listens(server.data, number) for number in range(processes)), "is not whole")
            for place, name in enumerate(names):
                with SocketPath(server.data, socket_name(place % processes)) as path:
                    ask(path, "game show", {"name": name})
            children = server.children()[:processes]
            late = time.time() - due
            if late <= 0:
                time.sleep(-late)
                cpu = sum(map(cpu_seconds, children))
                while _turns(engine) - before < count:
                    time.sleep(0.05)
                seconds, cpu = time.time() - due, sum(map(cpu_seconds, children)) - cpu
            server.stop()
    if late <= 0:
        return count / seconds, 1000 * cpu / count
    if patience == MOST_PATIENCE:
        raise AssertionError(f"the games were loaded {late:.0f} s too late; this machine is too busy")
    return _closings(url, engine, processes, count, 2 * patience)


def _listens(data: Path, process: int) -> bool:
    try:
        return somebody_listens(data, process)
    except OSError:
        return False


def _turns(engine: Engine) -> int:
    """Return the turns that have ended, of all games together."""
    with closing(engine.connect()) as c:
        return int(c.scalar(select(func.sum(games.c.turn)).where(games.c.name != PLACE)) or 0)
