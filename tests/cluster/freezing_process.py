"""A process that stops itself between the last statement and the COMMIT.

It creates and takes game 1, and prints "freezing" before it stops. When it continues, it prints the result of the entry
that it was saving, and of the next one.
"""

from __future__ import annotations

import os
import signal
import sys

from tpserver.fault_points import interfering
from tpserver.store import JournalEntry, Store, Timeouts
from tpserver.store.backends.backend import driver_connection
from tpserver.store.games import nodes
from tpserver.store.games import rows as games

LEASE = 1.0


def main(url: str) -> None:
    store = Store.open(url, reactor=None, timeouts=Timeouts(idle=300))
    store.write_apart(nodes.register, "frozen", "frozen:1", "1", LEASE)
    store.write(lambda c: games.create(c, "Rome", ruleset="tae", ruleset_version=1, options={}, seed=b"",
                                       clock="manual", join="open", seats=2, now=0.0))  # fmt: skip
    held = store.fenced(1, store.write_apart(nodes.take, 1, "frozen"))

    def save() -> None:
        saved = held.append(JournalEntry(1, 1, 0, 0.0, 0, "insert", None))
        saved.addCallbacks(lambda _: print("saved", flush=True), lambda failure: print(failure.value.code, flush=True))

    def freeze(point: str) -> None:
        if point == "store: written":
            # A limit of a node as short as this would also end the transactions before, on a busy machine.
            limit = "SET LOCAL idle_in_transaction_session_timeout = '100ms'"
            driver_connection(store.writer.connection()).execute(limit)
            print("freezing", flush=True)
            os.kill(os.getpid(), signal.SIGSTOP)

    with interfering(freeze):
        save()
    save()


main(sys.argv[1])
