"""A process that stops itself between the last statement and the COMMIT.

It creates and takes game 1, and prints "freezing" before it stops. When it continues, it prints the result of the entry
that it was saving, and of the next one.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from tpserver.store import JournalEntry, Store, Timeouts
from tpserver.store.backends.backend import driver_connection
from tpserver.store.games import nodes
from tpserver.store.games import rows as games
from tpserver.store.writer import Writer

LEASE = 1.0


def main(url: str) -> None:
    store = Store.open(url, reactor=None, timeouts=Timeouts(idle=300))
    store.write_apart(nodes.register, "frozen", "frozen:1", "1", LEASE)
    store.write(lambda c: games.create(c, "Rome", ruleset="tae", ruleset_version=1, options={}, seed=b"",
                                       clock="manual", join="open", seats=2, now=0.0))  # fmt: skip
    held = store.fenced(1, store.write_apart(nodes.take, 1, "frozen"))
    really = Writer._commit

    def committing(writer: Writer, connection: Any, commit: Any) -> None:
        Writer._commit = really  # type: ignore[method-assign]
        # A limit of a node as short as this would also end the transactions before, on a busy machine.
        driver_connection(connection).execute("SET LOCAL idle_in_transaction_session_timeout = '100ms'")
        print("freezing", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
        really(writer, connection, commit)

    Writer._commit = committing  # type: ignore[method-assign]
    for _ in range(2):
        entry = JournalEntry(1, 1, 0, 0.0, 0, "insert", None)
        saved = held.append(entry)
        saved.addCallbacks(lambda _: print("saved", flush=True), lambda failure: print(failure.value.code, flush=True))


main(sys.argv[1])
