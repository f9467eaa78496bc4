"""Named points at which a simulation may interfere with the server.

It may freeze the server there, end it, or raise an error. Without a simulation a point costs one call of an empty
function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

POINTS: Mapping[str, str] = {
    "session: asked": "a request was read and is about to be answered",
    "session: answered": "the response to a request is made; it may still wait for the store",
    "intake: checked": "an order was found to be legal, and nothing has changed",
    "intake: applied": "an order is in its queue in memory, and not in the journal",
    "intake: given": "the journal entry of an order was given to the store",
    "closing: begun": "a turn takes no more orders, and is not computed yet",
    "closing: computed": "a turn is computed, and nothing of it was given to the store",
    "closing: given": "a new turn was given to the store, with its snapshot",
    "closing: saved": "a new turn is durable, and not shown to anybody yet",
    "closing: done": "the server shows a new turn, and has notified nobody",
    "compaction: given": "the journal entries about the orders of a turn are about to be replaced by one",
    "snapshot: put": "the snapshot of a turn was written in a transaction that is not committed",
    "store: begun": "the writer has taken a group of jobs, and its transaction has begun",
    "store: written": "all of a group is written, and its COMMIT comes next",
    "store: committed": "the COMMIT of a group has returned, and nobody was notified",
    "store: told": "those who wait for a group are about to be notified",
    "lease: asked": "a node is about to ask the database for more time",
    "lease: renewed": "the database has given a node more time, and the node does not know yet",
    "take-over: taken": "a node holds a game in the database, and has not read it",
    "relay: passed on": "a node has passed a request on to the node that holds the game",
}
"""Situation at each point, by its name."""

_interfere: Callable[[str], None] | None = None


def reached(name: str) -> None:
    """Mark that the work has reached a point of POINTS. A simulation may raise here, or not return."""
    if _interfere is not None:
        _interfere(name)


@contextmanager
def interfering(interfere: Callable[[str], None]) -> Iterator[None]:
    """Have ``interfere`` called with the name of each point that is reached inside the block, on its thread.

    A name that is not in POINTS raises KeyError there.
    """
    global _interfere

    def known(name: str) -> None:
        if name not in POINTS:
            raise KeyError(f"{name!r} is no point of tpserver.fault_points")
        interfere(name)

    before, _interfere = _interfere, known
    try:
        yield
    finally:
        _interfere = before
