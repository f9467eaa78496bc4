"""Nodes that take, lose, freeze and write in any order.

The journal is the work of one lease holder after the other. Each node writes the number after the last one it knows,
which it read as it took the game. Two holders at once would leave gaps, duplicates, or entries under an old epoch.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, insert

from tests.support.postgres import PATIENT, end_when_idle
from tpserver.store import FencedStore, JournalEntry, Store, StoreError
from tpserver.store.games import journal, nodes
from tpserver.store.games import rows as games
from tpserver.store.games.nodes import HeldElsewhere
from tpserver.store.tables import journal as journal_table
from tpserver.store.writer import Writer

NODES = 3
STEPS = 120
SEEDS = range(2)


@pytest.fixture
def kill(cleared_postgres: str) -> Iterator[Callable[[str], None]]:
    """kill(node): its lease has run out."""
    engine = create_engine(cleared_postgres)

    def kill(node: str) -> None:
        with engine.begin() as connection:
            connection.exec_driver_sql(
                "UPDATE nodes SET until = extract(epoch FROM clock_timestamp()) - 1 WHERE id = %s", (node,)
            )

    yield kill
    engine.dispose()


class One:
    """A node with at most one game, number 1, in memory."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name, self.lives = store, name, 0
        self.id = ""
        self.saves: FencedStore | None = None
        self.last = 0
        self.acknowledged: list[int] = []
        self.become()

    def become(self) -> None:
        self.lives += 1
        self.id = f"{self.name} {self.lives}"
        self.store.write_apart(nodes.register, self.id, f"{self.name}:1", "1", 3600.0)

    def take(self) -> None:
        try:
            epoch = self.store.write_apart(nodes.take, 1, self.id)
        except HeldElsewhere:
            return
        self.saves = self.store.fenced(1, epoch)
        self.last = self.store.read(journal.last_number, 1)

    def write(self, as_unit: bool, number: int = 0) -> None:
        """Write the next entry, which says under which epoch; forget the game if that fails, as a server does."""
        if self.saves is None:
            return
        saves, number = self.saves, number or self.last + 1
        body = [self.name, saves.fence[1]]
        entry = JournalEntry(1, number, 0, 1.0, 0, "insert", body)
        self.last = number
        given = saves.write(_both, entry) if as_unit else saves.append(entry)
        given.addCallbacks(lambda _: self.acknowledged.append(number), self._failed)

    def _failed(self, failure: Any) -> None:
        assert isinstance(failure.value, StoreError), failure
        assert failure.value.code == "fenced", failure
        self.saves = None


def _both(connection: Connection, entry: JournalEntry) -> None:
    journal.append(connection, entry)
    games.update(connection, 1, turn=entry.number)


def create_game(connection: Connection) -> object:
    return games.create(connection, "Rome", ruleset="tae", ruleset_version=1, options={}, seed=b"", clock="manual",
                        join="open", seats=2, now=0.0)  # fmt: skip


def _check(store: Store, players: list[One]) -> None:
    found = store.read(journal.after, 1, 0)
    assert [entry.number for entry in found] == list(range(1, len(found) + 1)), "no gap, and nothing twice"
    epochs = [entry.body[1] for entry in found]
    assert epochs == sorted(epochs), "nobody writes under an epoch that is over"
    holders = dict(zip(epochs, (entry.body[0] for entry in found), strict=True))
    assert all(holders[entry.body[1]] == entry.body[0] for entry in found), "an epoch is one node's"
    acknowledged = sorted(number for player in players for number in player.acknowledged)
    assert acknowledged == [entry.number for entry in found], "what was acknowledged is there, and nothing else"


@pytest.mark.parametrize("seed", SEEDS)
def test_nodes_in_any_order(cleared_postgres: str, kill: Callable[[str], None], seed: int, watch: list[str]) -> None:
    dice = random.Random(seed)
    stores = [Store.open(cleared_postgres, reactor=None, timeouts=PATIENT) for _ in range(NODES)]
    try:
        stores[0].write(create_game)
        players = [One(store, name) for store, name in zip(stores, "abc", strict=True)]
        takes = 0
        for _ in range(STEPS):
            player = dice.choice(players)
            step = dice.choices(("write", "unit", "take", "die", "release"), (6, 3, 3, 1, 1))[0]
            if step in ("write", "unit"):
                player.write(step == "unit")
            elif step == "take":
                before = player.saves
                player.take()
                takes += player.saves is not before
            elif step == "release" and player.saves is not None:
                player.store.write_apart(nodes.release, *player.saves.fence)  # and goes on as if it had not
            elif step == "die":
                kill(player.id)  # frozen: it still believes that it holds the game
                player.become()
        _check(stores[0], players)
        written = sum(len(player.acknowledged) for player in players)
        assert written > 10 and takes > 5, "the walk is no empty one"
        assert watch == []
    finally:
        for store in stores:
            store.close()


@pytest.mark.thorough
def test_a_writer_that_stands_still_within_its_transaction(
    cleared_postgres: str, kill: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every place of a group's transaction: another node takes the game meanwhile, writes, and is not disturbed."""
    for place in ("begin_group", "commit"):
        _one_stands_still(cleared_postgres, kill, monkeypatch, place)


def _one_stands_still(url: str, kill: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    stores = [Store.open(url, reactor=None, timeouts=PATIENT) for _ in range(2)]
    really = getattr(Writer, place)
    frozen, wakes = threading.Event(), threading.Event()

    def stands_still(writer: Writer, *words: Any) -> Any:
        if place == "begin_group":
            result = really(writer, *words)  # behind the look at the epoch, before the rows
            _wait(writer)
            return result
        _wait(writer)
        return really(writer, *words)

    def _wait(writer: Writer) -> None:
        if writer is stores[0].writer and not frozen.is_set():
            end_when_idle(writer)
            frozen.set()
            assert wakes.wait(60)

    try:
        if stores[0].read(games.by_id, 1) is None:
            stores[0].write(create_game)
        old, new = One(stores[0], f"old {place}"), One(stores[1], f"new {place}")
        old.take()
        old.write(False)
        with monkeypatch.context() as patch:
            patch.setattr(Writer, place, stands_still)
            outcomes: list[Any] = []
            assert old.saves is not None
            saves, number = old.saves, old.last + 1
            entry = JournalEntry(1, number, 0, 1.0, 0, "insert", "of the old one")
            writing = threading.Thread(target=lambda: saves.append(entry).addBoth(outcomes.append))
            writing.start()
            assert frozen.wait(60)
            kill(old.id)
            new.take()
            assert new.saves is not None and new.last == number - 1, "after the database has undone what stood still"
            new.write(True)
            wakes.set()
            writing.join(60)
        assert isinstance(outcomes[0].value, StoreError)
        saves.append(JournalEntry(1, number + 1, 0, 1.0, 0, "insert", "of the old one")).addBoth(outcomes.append)
        assert outcomes[1].value.code == "fenced"
        assert [entry.body for entry in stores[1].read(journal.after, 1, number - 1)] == [
            [new.name, new.saves.fence[1]]
        ]
        kill(new.id)
    finally:
        for store in stores:
            store.close()


def test_the_check_finds_what_it_is_for(cleared_postgres: str) -> None:
    """Entries of two holders in each other's way, as without a fence."""
    store = Store.open(cleared_postgres, reactor=None, timeouts=PATIENT)
    try:
        store.write(create_game)
        rows = [{"game": 1, "number": number, "turn": 0, "at": 1.0, "kind": "insert", "body": body}
                for number, body in ((1, ["a", 1]), (2, ["b", 2]), (3, ["a", 1]))]  # fmt: skip
        engine = create_engine(cleared_postgres)
        with engine.begin() as connection:
            connection.execute(insert(journal_table), rows)
        engine.dispose()
        with pytest.raises(AssertionError, match="under an epoch that is over"):
            _check(store, [])
    finally:
        store.close()
