"""Settings of the interpreter of a server process."""

from __future__ import annotations

import gc
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from tpserver.processes import give_back_large_blocks
from tpserver.reactors import run
from tpserver.server.assembly import App

SWITCH_SECONDS = 0.0005
"""Seconds for which a thread that computes a turn keeps the interpreter while the reactor waits.

An order needs the interpreter dozens of times. With Python's 0.005 it took half a second beside two turns that loop.
"""

GARBAGE_THRESHOLDS = (50_000, 20, 50)
"""Numbers of new objects, and of collections of each younger generation, that start a collection
(`gc.set_threshold`)."""


def run_reactor(reactor: Any, app: App, main: Callable[[], Awaitable[int | None]]) -> int:
    """Run a server with an interpreter that is tuned for it; see `tpserver.reactors.run`."""

    async def tuned() -> int | None:
        collect_garbage_rarely()
        return await main()

    give_back_large_blocks()
    sys.setswitchinterval(SWITCH_SECONDS)
    return run(reactor, app, tuned)


def collect_garbage_rarely() -> None:
    """Make garbage collections rarer, and exclude all present objects from them.

    Thousands of requests that wait for one commit are many new objects but no garbage. A collection every 700
    allocations takes a fifth of the time of an order. Reference counting is not affected.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)
