"""What a player hears when the database cannot save: a full disk, a lock, a file that is gone.  All are SQLite's own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from server_in_memory import Client, Server

TEMPORARILY = 3


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
    """The file may not grow any more."""
    connection = server.disk.store._writer.connection()
    most = connection.exec_driver_sql("PRAGMA max_page_count").scalar()
    connection.exec_driver_sql("PRAGMA max_page_count = 1")
    connection.rollback()
    yield
    connection.exec_driver_sql(f"PRAGMA max_page_count = {most}")
    connection.rollback()


FAULTS: dict[str, Callable[[Server], AbstractContextManager[None]]] = {"locked": locked, "full": full}

BIG = "x" * 16_000
"""What needs pages of its own."""

REQUESTS: dict[str, Callable[[Client], object]] = {
    "an order": lambda ann: ann.bid(3, BIG[:100]),
    "the removal of an order": lambda ann: ann.ask("remove_order", id=ann.home, slots=[0]),
    "a mark": lambda ann: ann.ask("finished_turn"),
    "a letter": lambda ann: ann.ask("post_message", id=2, slot=-1, subject="s", body=BIG),
    "the removal of a message": lambda ann: ann.ask("remove_message", id=0, slots=[0]),
}

STRANGERS: dict[str, Callable[[Client], object]] = {
    "a new account": lambda new: new.ask("create_account", username="dan", password="word", comment="x" * 1000),
    "a login that makes an account": lambda new: new.ask("login", username="dan@first", password="word"),
    "a login that takes a seat": lambda new: new.ask("login", username="cem@first", password="cem's word"),
}


@pytest.fixture(params=list(FAULTS))
def fault(request: pytest.FixtureRequest) -> Callable[[Server], AbstractContextManager[None]]:
    return FAULTS[request.param]


@pytest.fixture
def server(make_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr("tpserver.store.sqlite.BUSY_SECONDS", 0.0)
    return make_server()


@pytest.mark.parametrize("what", list(REQUESTS))
def test_a_player_is_told_that_it_could_not_be_saved(
    server: Server, fault: Callable[[Server], AbstractContextManager[None]], what: str
):
    """And it works as soon as the database does."""
    server.create(clock="manual")
    ann, _ = server.players(2)
    ann.bid(1)
    refused = 0
    with fault(server):
        for _ in range(60):
            answer = REQUESTS[what](ann)
            if answer.names[0] == "fail":
                refused += 1
                assert answer.code == TEMPORARILY
                assert "could not be saved" in answer.text
                break
            if what.startswith("the removal") or what == "a mark":
                break
    if fault is locked:
        assert refused
    server.pass_time(20)
    ann.bid(2)
    assert REQUESTS[what](ann).names[0] != "fail"


@pytest.mark.parametrize("what", list(STRANGERS))
def test_who_comes_in_is_told_that_it_could_not_be_saved(
    server: Server, fault: Callable[[Server], AbstractContextManager[None]], what: str, logged: list[str]
):
    server.create(seats=3, clock="manual")
    server.create("other", clock="manual")
    server.player("ann", game="first")
    server.player("cem", game="other")
    with fault(server):
        for _ in range(60):
            new = server.connect()
            answer = STRANGERS[what](new)
            if answer.name == "fail":
                break
        assert answer.code == TEMPORARILY
        assert "could not be saved" in answer.text
        assert not new.session.logged_in
    server.pass_time(20)
    assert STRANGERS[what](server.connect()).name == "okay"
    told = [line for line in logged if str(server.path) in line]
    assert any("locked by another program" in line or "is full" in line for line in told)
    assert any("is saving again" in line for line in told)


def test_a_lost_database_is_told_to_everybody(server: Server, logged: list[str]):
    """Changes are refused for good; the operator is told once what to do."""
    server.create(clock="manual")
    ann, ben = server.players(2)
    server.path.unlink()
    for _ in range(2):
        for answer in (ann.bid(3), ben.ask("finished_turn"), ann.ask("post_message", id=2, slot=-1, subject="s"),
                       server.connect().ask("login", username="dan", password="word"),
                       server.connect().ask("create_account", username="dan", password="word")):  # fmt: skip
            assert answer.code == TEMPORARILY
            assert "lost its database" in answer.text
    server.pass_time(60)
    told = [line for line in logged if "was removed, moved or replaced" in line]
    assert len([line for line in told if "could not be saved" not in line]) == 1
    assert len(logged) < 10
