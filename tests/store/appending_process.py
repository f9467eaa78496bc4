"""A process to be killed that appends entries to game 1.

It appends as fast as it can, and prints the number of each saved entry. Every tenth unit saves an entry and a snapshot
of the same number, so that a half-done unit would show.
"""

import os
import sys

from twisted.internet import reactor

from tpserver.store import JournalEntry, Store
from tpserver.store.games import journal, snapshots
from tpserver.store.games import rows as games

OUTSTANDING = 20


def entry(number):
    body = {"number": number, "pad": "x" * 40}
    return JournalEntry(1, number, number // 10, float(number), number % 2, "insert", body)


def snapshot(number):
    return snapshots.Snapshot(1, number, number, 0.0, "orders", "", f"digest {number}", {"number": number}, [], None)


def main(url):
    store = Store.open(url, reactor=reactor)
    last = store.read(lambda c: journal.last_number(c, 1))

    def both(connection, number):
        journal.append(connection, entry(number))
        snapshots.put(connection, snapshot(number))

    def give(_=None):
        nonlocal last
        last += 1
        number = last
        saved = store.append(entry(number)) if number % 10 else store.write(lambda c: both(c, number))
        saved.addCallback(lambda _: os.write(1, f"{number}\n".encode()))
        saved.addCallback(give)
        saved.addErrback(failed)

    def failed(failure):
        failure.printTraceback()
        reactor.stop()

    def start(_):
        for _ in range(OUTSTANDING):
            give()

    def create(c):
        if games.by_name(c, "Rome") is None:
            games.create(c, "Rome", ruleset="tae", ruleset_version=1, options={}, seed=b"", clock="manual", join="open",
                         seats=2, now=0.0)  # fmt: skip

    reactor.callWhenRunning(lambda: store.write(create).addCallbacks(start, failed))
    reactor.run()


if __name__ == "__main__":
    main(sys.argv[1])
