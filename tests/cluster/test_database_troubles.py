"""Node processes whose PostgreSQL server is down, full, or read-only.

The server may also be restored to older data.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.cluster_node import Node, engine, finish, refused, turn
from tests.support.postgres import USER, PostgresServer
from tests.support.process import environment
from tpserver.store.database import ReadOnly
from tpserver.store.games import journal

pytestmark = pytest.mark.thorough

LEASE = 3
"""Seconds of the leases here, the shortest that is allowed."""
CLOCKS = Path(__file__).with_name("another_clock")
"""A folder that changes the clock of a node when it is first in its path of modules."""


@pytest.fixture(scope="module")
def running() -> Iterator[PostgresServer]:
    with PostgresServer() as started:
        yield started


@pytest.fixture
def database(running: PostgresServer) -> PostgresServer:
    """The server, with an empty database."""
    with engine(running.url) as connected, connected.connect() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    return running


@pytest.fixture
def node(database: PostgresServer, make_node: Callable[..., Node]) -> Callable[..., Node]:
    """node(name): a node that is not started yet."""
    return lambda name, *words, **more: make_node(name, database.url, LEASE, *words, **more)


def entries(url: str) -> list[int]:
    """The numbers of all entries of game 1."""
    opened = ReadOnly(url)
    try:
        return [entry.number for entry in opened.read(journal.after, 1, 0)]
    finally:
        opened.close()


def lives(url: str, address: str) -> tuple[int, int]:
    """Return the number of lives of the nodes at an address, and of their beats."""
    with engine(url) as connected, connected.connect() as connection:
        counts = "SELECT count(*), sum(beats) FROM nodes WHERE address = %s"
        return tuple(connection.exec_driver_sql(counts, (address,)).one())  # type: ignore[return-value]


def test_a_database_that_is_gone_for_longer_than_a_lease(database: PostgresServer, node: Callable[..., Node]) -> None:
    """The node loses its lease, answers nothing from memory, and does not end.

    When the database is available again, it is another node. Clients repeat the requests that were not saved.
    """
    one = node("one", alone=True)
    one.start()
    one.create_game("first", "auction", 2)
    ann, ben = (one.connected(f"{name}@first") for name in ("ann", "ben"))
    server, before, log = one.serving(), entries(database.url), len(one.said)
    database.stop(signal.SIGQUIT)
    assert "not be saved" in refused(lambda: finish(ann))
    one.wait_for("has lost its lease", log)
    refused(lambda: turn(ben))
    database.start()
    one.wait_for("this server is node", log)
    assert entries(database.url) == before
    for client in (ann, ben):
        client.close()
    one.play_a_turn("first", "ann", "ben")
    assert one.serving() == server and " critical " not in one.said
    numbers = entries(database.url)
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_database_that_takes_no_changes_for_a_while(database: PostgresServer, node: Callable[..., Node]) -> None:
    """As an operator has it before a move: connections stay open. Nothing is saved, and it goes on by itself."""
    one = node("one", alone=True)
    one.start()
    one.create_game("first", "auction", 2)
    ann, ben = (one.connected(f"{name}@first") for name in ("ann", "ben"))
    before = entries(database.url)
    with engine(database.url) as connected, connected.connect() as connection:
        connection.exec_driver_sql("ALTER SYSTEM SET default_transaction_read_only = on")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
        try:
            one.wait_until(lambda: "takes no changes" in one.said, "has not noticed")
            assert refused(lambda: finish(ann))
            assert entries(database.url) == before
        finally:
            connection.exec_driver_sql("ALTER SYSTEM RESET default_transaction_read_only")
            connection.exec_driver_sql("SELECT pg_reload_conf()")
    for client in (ann, ben):
        client.close()
    one.play_a_turn("first", "ann", "ben")


def test_a_database_without_a_connection_to_spare(database: PostgresServer, node: Callable[..., Node]) -> None:
    """A node that starts reports it and ends.

    A running node that has lost its connections continues with the first free ones.
    """
    one, two = node("one", alone=True), node("two", alone=True)
    one.start()
    one.create_game("first", "auction", 2)
    ann = one.connected("ann@first")
    taken: list[Any] = []

    def take_all() -> None:
        with pytest.raises(psycopg.OperationalError, match=r"too many clients|reserved"):
            while True:
                taken.append(psycopg.connect(host=str(database.home), user=USER, dbname="postgres", autocommit=True))

    ours = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s AND pid <> ALL(%s)"

    def is_cut_off() -> bool:
        """Take the connections of the node, too. It can reconnect before all are taken, so this is repeated."""
        taken[0].execute(ours, (USER, [connection.info.backend_pid for connection in taken]))
        take_all()
        return "cannot tell the others that it lives" in one.said[log:]

    try:
        take_all()
        two.spawn()
        assert two.end() != 0
        assert re.search("cannot be reached or used.*(too many clients|reserved)", two.said), two.tail()
        log = len(one.said)
        one.wait_until(is_cut_off, "has not noticed")
    finally:
        for connection in taken:
            connection.close()
    one.wait_for("the nodes of the cluster can be reached again", log)
    ann.close()
    assert turn(one.connected("ann@first")) == 0
    two.start()


def test_a_database_that_is_put_back_to_older_days(database: PostgresServer, node: Callable[..., Node]) -> None:
    """A restored backup is noticed by a running node and by one that was stopped.

    Both report it, and neither mixes lost data with the restored data. The backup is from a moment in the lives of
    both.
    """
    one, two = node("one"), node("two", alone=True)  # the parent of one starts the next process
    one.start()
    two.start()
    one.create_game("first", "auction", 2)
    for name in ("ann", "ben"):
        one.connected(f"{name}@first").close()
    older = entries(database.url)
    beats = lives(database.url, two.address)
    database.stop()
    copy = database.back_up()
    database.start()
    one.play_a_turn("first", "ann", "ben")
    assert len(entries(database.url)) > len(older)
    two.wait_until(lambda: lives(database.url, two.address) > beats, "lives no longer")
    assert two.stop() == 0
    server, log = one.serving(), len(one.said)
    database.stop(signal.SIGQUIT)
    database.restore(copy)
    database.start()
    one.wait_for(r"critical .*has gone back: it lacks what it had confirmed to this server", log)
    one.wait_for("tpserver .* listens", log)
    assert one.serving() != server, "another process, with nothing in memory"
    assert re.search("critical The database is older than when this server was stopped", one.said[log:]), one.tail()
    assert turn(one.connected("ann@first")) == 0 and entries(database.url)[: len(older)] == older
    two.start()
    assert re.search("critical The database is older than when this server was stopped", two.said)
    log = len(two.said)
    assert two.stop() == 0
    two.start()
    assert "The database is older" not in two.said[log:], "once"
    assert json.loads((two.data / "node.json").read_text())["address"] == two.address


def test_a_node_whose_clock_is_hours_from_the_databases_is_none(
    database: PostgresServer, node: Callable[..., Node]
) -> None:
    """It would end turns hours too early."""
    one = node("one", "--no-parent")
    one.more_environment["PYTHONPATH"] = f"{CLOCKS}:{environment()['PYTHONPATH']}"
    one.more_environment["CLOCK_AHEAD"] = str(3 * 3600)
    one.spawn()
    assert one.end() != 0
    assert re.search(r"clock of this machine is 10[78]\d\d s ahead of that of the database", one.said), one.tail()
