"""A pytest plugin that makes the mutation run faster.

mutmut collects the tests once and then forks a process for each mutant. Work that each mutant would repeat, such as
migrating a database and compiling each statement, is done once before the forks. It took longer than most tests. Traces
of earlier mutants are removed.

mutmut gives the tests in no order. The plugin first runs those that noticed the last mutants, as the next mutant is
mostly in the same function. Then come the fastest, as mutmut has measured them.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from tests.support.postgres import NAMED

MUTANT = "MUTANT_UNDER_TEST"
"""Where mutmut says which mutant is tried: empty before it has chosen one."""

STATS, NOTICED = Path("mutmut-stats.json"), Path("noticed.json")
"""Measurements of mutmut, and the tests that have noticed a mutant, the last one first. In the working directory."""

QUICK_SECONDS = 5.0
"""A test that has failed later than that, as it waited for something in vain, does not come first for it."""


_OTHERS = (
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def pytest_sessionstart() -> None:
    """Reset the server after tests of mutants that were killed because they hung.

    Resets settings, and ends transactions that still wait.
    """
    if url := os.environ.get(NAMED):
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for statement in ("ALTER SYSTEM RESET ALL", "SELECT pg_reload_conf()", _OTHERS):
                connection.exec_driver_sql(statement)
        engine.dispose()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Before the processes of mutants are forked: use a server in memory once, if tests do."""
    module: Any = sys.modules.get("tests.support.server_in_memory")
    if not session.config.option.collectonly or os.environ.get(MUTANT) or module is None:
        return
    from tpserver.rules.call_limits import WATCHDOG

    # The watchdog would start a thread, which the forked processes would not have.
    unwatched: Any = lambda seconds, work, *_, **__: work()  # noqa: E731 - of one line
    WATCHDOG.call = unwatched  # type: ignore[method-assign]
    try:
        with module.making_servers() as make:
            server = make()
            server.create("first", "auction", 2)
            server.players(2)
            server.close_turn()
    finally:
        del WATCHDOG.call
    gc.collect()
    gc.freeze()


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # it is not there yet, or being written by another process
        return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    durations: dict[str, float] = (_read(STATS) or {}).get("duration_by_test", {})
    noticed = {test: place for place, test in enumerate(_read(NOTICED) or ())}
    items.sort(key=lambda item: (noticed.get(item.nodeid, len(noticed)), durations.get(item.nodeid, 0.0)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed and report.duration < QUICK_SECONDS:
        before = [test for test in _read(NOTICED) or () if test != report.nodeid]
        NOTICED.write_text(json.dumps([report.nodeid, *before]), encoding="utf-8")
