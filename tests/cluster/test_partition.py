"""A node cut off from its database: packets are lost, nothing closes."""

from __future__ import annotations

import pytest

from tests.support.cluster_node import Node, engine, turn
from tests.support.partition import cable
from tests.support.postgres import USER, PostgresServer
from tests.support.server import short_directory
from tests.support.wire import Client, Failed, Gone

LEASE = 3

pytestmark = pytest.mark.thorough


def test_a_node_that_is_cut_off_says_nothing_and_the_others_go_on() -> None:
    """Clients of the other node play on there. Clients of this one wait, and get nothing from its memory.

    When the cable is plugged in again it is another node, also if its supervisor had to end a process that waited.
    """
    with (
        cable() as way,
        PostgresServer(way.address, way.prefix) as database,
        short_directory() as directory,
        Node(directory / "one", f"postgresql+psycopg://{USER}@{way.address}/postgres", LEASE) as one,
        Node(directory / "two", database.url, LEASE, alone=True) as two,
    ):
        one.start()
        two.start()
        one.create_game("first", "auction", 2)
        ann, ben = (one.connected(f"{name}@first") for name in ("ann", "ben"))
        assert turn(ann) == turn(ben) == 0
        log = len(one.said)
        way.pull_out()
        two.play_a_turn("first", "ann", "ben")
        ben.socket.settimeout(3)
        assert told(ben) in (None, 1), "not what it remembers"
        way.plug_in()
        one.wait_for("this server is node", log)
        two.play_a_turn("first", "ann", "ben")
        assert turn(one.connected("ann@first")) == 2, "as the node has it which holds the game"
        with engine(database.url) as connected, connected.connect() as connection:
            doubled = connection.exec_driver_sql("SELECT count(*) - max(number) FROM journal").scalar_one()
        assert doubled == 0


def told(client: Client) -> int | None:
    """The number of the turn, from the server; None if it refuses, or has not answered yet."""
    try:
        return turn(client)
    except (Failed, Gone, OSError):
        return None
