"""A plugin of pytest for runs of mutmut: what each mutant would do again is done once, and tests that killed go first.

mutmut collects the tests once and forks a process for each mutant from there.  That each of these would migrate a
database and compile each statement took longer than most tests.  Of the tests that run a function, those that killed
other mutants of it are likely to kill this one.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Any

import pytest

MUTANT = "MUTANT_UNDER_TEST"
"""Where mutmut says which mutant is tried: empty before it has chosen one, a word while it tries something else."""

KILLERS = Path("killers.txt")
"""Where it is noted, in the directory in which mutmut runs tests, which test has killed a mutant of which function: one
a line, the last one at the end."""


def function() -> str:
    """Return the function of which a mutant is tried, as mutmut names it; empty if none is."""
    name, found, _ = os.environ.get(MUTANT, "").rpartition("__mutmut_")
    return name if found else ""


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Before the processes of mutants are forked: use a server in memory once, if tests do."""
    module: Any = sys.modules.get("server_in_memory")
    if not session.config.option.collectonly or os.environ.get(MUTANT) or module is None:
        return
    from tpserver.rules.watchdog import WATCHDOG

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests first that have killed mutants of this function, the last one before the others."""
    tried = function()
    if not tried or not KILLERS.exists():
        return
    noted = [line.split(" ", 1) for line in KILLERS.read_text(encoding="utf-8").splitlines()]
    last = {test: number for number, (where, test) in enumerate(noted) if where == tried}
    items.sort(key=lambda item: -last.get(item.nodeid, -1))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed and function():
        with KILLERS.open("a", encoding="utf-8") as file:
            file.write(f"{function()} {report.nodeid}\n")
