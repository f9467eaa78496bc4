"""Fixtures: a store on a fresh database, a reactor, a watch on statements.

The test drives the reactor by hand. Every test that takes `url` (and so `store` or `threaded`) runs on SQLite. The
thorough tests repeat it on a PostgreSQL server of the tests, if there is one (`tests.support.postgres`). Otherwise
they are skipped, and the reason says what to install. With TP_POSTGRES=required in the environment it fails instead.
"""

import queue
import sqlite3
import threading
from pathlib import Path

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.sql import ClauseElement

from tests.support.postgres import drop_tables
from tpserver.store import JournalEntry, Store
from tpserver.store.games import rows as games
from tpserver.store.people import accounts


class Reactor:
    """The one method of a reactor that the store needs. The thread that calls ``run`` is the reactor thread.

    Once a thread has ended by an error, ``run`` raises it, as nothing would call any longer.
    """

    def __init__(self):
        self.calls = queue.Queue()
        self.called = 0
        self._error = None

    def callFromThread(self, function, *arguments):
        self.calls.put((function, arguments))

    def thread_ended(self, error):
        self._error = error
        self.callFromThread(lambda: None)  # which is waited for

    def run_one(self):
        """Run the next call, waiting for it if need be."""
        if self._error is None:
            function, arguments = self.calls.get(timeout=240)
        if self._error is not None:
            raise self._error
        self.called += 1
        function(*arguments)

    def result_of(self, deferred):
        """Run calls until ``deferred`` has fired; return its result or raise its error."""
        outcome = []
        deferred.addBoth(outcome.append)
        while not outcome:
            self.run_one()
        return unwrap(outcome)


def unwrap(outcome):
    assert len(outcome) == 1, "the Deferred has not fired"
    if hasattr(outcome[0], "raiseException"):
        outcome[0].raiseException()
    return outcome[0]


def make_first_tables(connection):
    """Make the tables of version 0001 in an empty database."""
    text = Path(__file__).with_name(f"tables_0001.{connection.dialect.name}.sql").read_text()
    for statement in text.rstrip(";\n").split(";\n"):
        connection.exec_driver_sql(statement)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.thorough)])
def url(request, tmp_path):
    """The URL of a fresh database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/game.sqlite"
    return request.getfixturevalue("emptied_postgres")


@pytest.fixture
def store(url):
    """A store without a reactor: everything happens at once."""
    opened = Store.open(url, reactor=None)
    yield opened
    opened.close()


@pytest.fixture
def reactor(monkeypatch):
    made = Reactor()
    monkeypatch.setattr(threading, "excepthook", lambda ended: made.thread_ended(ended.exc_value))
    return made


@pytest.fixture
def threaded(url, reactor):
    """A store with its writer thread and the reactor of the fixture ``reactor``; one game, number 1, is in it."""
    opened = Store.open(url, reactor=reactor)
    reactor.result_of(opened.write(new_game))
    yield opened
    reactor.result_of(opened.close())


@pytest.fixture
def do(store):
    """do(fn): write a unit to ``store``, and return its result or raise its error."""

    def do(unit):
        outcome = []
        store.write(unit).addBoth(outcome.append)
        return unwrap(outcome)

    return do


def new_game(connection, name="Rome", seats=2, **columns):
    return games.create(
        connection,
        name,
        **{
            "ruleset": "tae",
            "ruleset_version": 1,
            "options": {"rows": 9, "map": ["a", "b"]},
            "seed": b"\x00seed\xff",
            "clock": "manual",
            "join": "open",
            "seats": seats,
            "now": 1000.25,
            **columns,
        },
    )


def new_entry(number, game=1, body=None, **columns):
    values = {"turn": 0, "at": 1000.5 + number, "seat": 0, "kind": "insert", **columns}
    return JournalEntry(game=game, number=number, body=body, **values)


@pytest.fixture
def game(do):
    """A game with two empty seats."""
    return do(new_game)


@pytest.fixture
def account(do):
    return do(lambda c: accounts.add(c, "Ann", "hash", now=999.5))


@pytest.fixture(name="new_game")
def new_game_fixture():
    """new_game(connection, name, **columns): add a game."""
    return new_game


@pytest.fixture(name="make_first_tables")
def make_first_tables_fixture():
    """make_first_tables(connection): make the tables of version 0001."""
    return make_first_tables


@pytest.fixture(name="drop_tables")
def drop_tables_fixture():
    """drop_tables(url): empty a PostgreSQL database."""
    return drop_tables


@pytest.fixture(name="new_entry")
def new_entry_fixture():
    """new_entry(number, **columns): make an entry of game 1."""
    return new_entry


@pytest.fixture(autouse=True)
def statements():
    """Every statement that any of these tests executes must be one that PostgreSQL understands too."""
    dialect = psycopg.dialect(paramstyle="format")
    seen = []

    def executed(connection, statement, *_rest):
        if isinstance(statement, ClauseElement):
            seen.append(str(statement.compile(dialect=dialect)))

    event.listen(Engine, "before_execute", executed)
    yield seen
    event.remove(Engine, "before_execute", executed)


@pytest.fixture(autouse=True)
def rows_in_any_order():
    """SQLite gives rows the other way round where nobody asks for an order, as PostgreSQL may."""

    def connected(driver, _record):
        if isinstance(driver, sqlite3.Connection):
            driver.execute("PRAGMA reverse_unordered_selects = ON")

    event.listen(Engine, "connect", connected)
    yield
    event.remove(Engine, "connect", connected)
