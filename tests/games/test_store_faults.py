"""Responses when SQLite cannot save: disk full, file locked or gone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NoReturn

import pytest

from tests.support.server_in_memory import Client, Reply, Server, number, state_of
from tests.support.stored import all_messages
from tpserver.games.core.errors import NotNow
from tpserver.games.hall.stale_games import RETRY_SECONDS
from tpserver.store.people import accounts as stored_accounts

TEMPORARILY = 3
FLEET, WORK = 4, 1


@contextmanager
def locked(server: Server) -> Iterator[None]:
    """Another program holds the database."""
    other = sqlite3.connect(server.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


@contextmanager
def full(server: Server) -> Iterator[None]:
    """Limit the file to its present size."""
    connection = server.disk.store.writer.connection()
    most = connection.exec_driver_sql("PRAGMA max_page_count").scalar()
    connection.exec_driver_sql("PRAGMA max_page_count = 1")
    connection.rollback()
    yield
    connection.exec_driver_sql(f"PRAGMA max_page_count = {most}")
    connection.rollback()


MOST_TRIES = 100
"""After so many a page of the file is full, whatever is in it."""

REQUESTS: dict[str, Callable[[Client, int], Reply]] = {
    "an order": lambda ann, n: ann.insert(FLEET, WORK, number(n % 10 + 1)),
    "the removal of an order": lambda ann, n: ann.ask("remove_order", id=FLEET, slots=[0]),
    "a mark": lambda ann, n: ann.ask("finished_turn"),
    "a letter": lambda ann, n: ann.ask("post_message", id=2, slot=-1, subject="s", body="x" * 1000),
    "the removal of a message": lambda ann, n: ann.ask("remove_message", id=0, slots=[0]),
    "a new account": lambda ann, n: ann.server.connect().ask(
        "create_account", username=f"dan{n}", password="word", comment="x" * 200
    ),
    "a login that makes an account": lambda ann, n: ann.server.connect().ask(
        "login", username=f"dan{n}@third/watch", password="word"
    ),
    "a login that takes a seat": lambda ann, n: ann.server.connect().ask(
        "login", username="cem@second", password="cem's word"
    ),
}
FILLING = [what for what in REQUESTS if not what.startswith("the removal") and what != "a login that takes a seat"]
"""Requests that need disk space sooner or later."""


@pytest.fixture
def server(make_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr("tpserver.store.backends.sqlite.BUSY_SECONDS", 0.0)
    return make_server()


@pytest.mark.parametrize(
    ("what", "fault"), [*((what, locked) for what in REQUESTS), *((what, full) for what in FILLING if what != "a mark")]
)
def test_it_could_not_be_saved_is_what_is_told(
    server: Server, what: str, fault: Callable[[Server], AbstractContextManager[None]], logged: list[str]
):
    """A player and a new login get it, and nothing is changed. It works as soon as the database does."""
    server.create("first", "synthetic", 2, clock="manual", options={"objects": 20})
    server.create("second", seats=5, clock="manual")
    server.create("third", clock="manual")
    server.player("cem", game="third")
    ann, _ = server.players(2, game="first")
    assert REQUESTS["an order"](ann, 1).name == "order"
    before = state_of(server.game("first"))
    accounts = server.store.read(stored_accounts.all)
    with fault(server):
        for attempt in range(MOST_TRIES):
            answer = REQUESTS[what](ann, attempt)
            if answer.names[0] == "fail":
                break
            assert fault is full, "nothing is saved while another program holds the database"
            before, accounts = state_of(server.game("first")), server.store.read(stored_accounts.all)
        assert answer.code == TEMPORARILY
        assert "could not be saved" in answer.text
        assert state_of(server.game("first")) == before
        assert server.store.read(stored_accounts.all) == accounts
    server.pass_time(20)
    assert REQUESTS[what](ann, MOST_TRIES).names[0] != "fail"
    told = [line for line in logged if str(server.path) in line]
    assert any("locked by another program" in line or "is full" in line for line in told)
    begun = [line for line in told if line.startswith(("The database", "The disk of the database"))]
    assert len(begun) == 1, "once, however often it was tried"
    assert any("is saving again" in line for line in told)


def test_a_lost_database_is_told_to_everybody(server: Server, logged: list[str]):
    """Changes are refused for good. The operator gets one message that says what to do."""
    server.create(clock="manual")
    ann, ben = server.players(2)
    server.path.unlink()
    for _ in range(2):
        for answer in (ann.bid(3), ben.ask("finished_turn"), ann.ask("remove_message", id=0, slots=[0]),
                       server.connect().ask("login", username="dan", password="word"),
                       server.connect().ask("create_account", username="dan", password="word")):  # fmt: skip
            assert answer.code == TEMPORARILY
            assert "lost its database" in answer.text
    server.pass_time(60)
    told = [line for line in logged if "was removed, moved or replaced" in line]
    assert len([line for line in told if "could not be saved" not in line]) == 1
    assert len(logged) < 10


def test_what_is_changed_in_a_game_that_cannot_be_read_again_is_not_saved(
    make_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused, and would be there when the game has been read."""
    server = make_server(delayed=True)
    server.create()
    ann, _ = server.players(2, "pb", "first")

    def away(*_: object) -> NoReturn:
        raise NotNow("game number 1 cannot be read from the server's database now")

    server.disk.at_once = False
    ann.post("finished_turn")
    with monkeypatch.context() as patch:
        patch.setattr(server.registry, "with_id", away)
        server.disk.fail()
        server.disk.at_once = True
        reply = ann.ask("post_message", id=2, slot=-1, subject="a letter", body="x")
        assert reply.name == "fail" and "could not be saved, so nothing was changed" in reply.text
    server.pass_time(RETRY_SECONDS)
    assert "a letter" not in [message.subject for message in server.disk.read(all_messages, 1)]
    assert ann.ask("post_message", id=2, slot=-1, subject="another", body="x").name == "okay"
