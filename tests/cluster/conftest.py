"""Fixtures: nodes in one process, on one PostgreSQL database.

A watch finds writes to games without a fence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Engine

from tests.support.server_in_memory import Server
from tpserver.store import Store
from tpserver.store.copies.export_game import TABLES
from tpserver.store.writer import WriteJob

OF_GAMES = frozenset({*TABLES, "creations", "removals", "spectator_letters"})
"""The tables with the state of games: what is in them decides what a game is."""

UNFENCED = {
    "create_game",  # nobody holds a game that is not there yet
    "put",  # of an archive, likewise
    "clocks_run",  # of the games whose row says that this node holds them, in the same statement
    "rest",  # likewise
    "wake_all",  # of games that nobody holds who lives, likewise
    "rename",  # the names of players at their seats, which no rule knows; the holder shows them when it looks next
    "clock_stands",  # of one that rests, and which this node could not read
}
"""Units that write to those tables without a fence."""

_WRITES = re.compile(r"\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+\"?(\w+)", re.IGNORECASE)


@pytest.fixture(autouse=True)
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Writes of jobs without a fence to tables of games. A test with such a write has failed."""
    found: list[str] = []
    really = Store.give

    def give(store: Store, job: WriteJob) -> Any:
        if store.shared and job.fence is None:
            unit = job.unit
            if unit is None:
                found.append(f"a row of the journal of game {job.row[0]}")
            else:

                def watched(connection: Any) -> Any:
                    connection.info["unfenced"] = unit
                    try:
                        return unit(connection)
                    finally:
                        del connection.info["unfenced"]

                job.unit = watched
        return really(store, job)

    def executed(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        unit = connection.info.get("unfenced")
        matched = _WRITES.match(statement)
        if unit is not None and matched is not None and matched[1] in OF_GAMES and _name(unit) not in UNFENCED:
            found.append(f"{matched[0]} by {_name(unit)}")

    monkeypatch.setattr(Store, "give", give)
    event.listen(Engine, "before_cursor_execute", executed)
    yield found
    event.remove(Engine, "before_cursor_execute", executed)
    assert found == []


def _name(unit: Any) -> str:
    """The name of what was given to ``Store.write``, which is in the closure of its job."""
    cells = dict(zip(unit.__code__.co_freevars, unit.__closure__ or (), strict=True))
    return str(getattr(cells["unit"].cell_contents, "__name__", "?")) if "unit" in cells else unit.__qualname__


@pytest.fixture
def open_server(cleared_postgres: str, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """open_server(name): a node of the cluster, whose address is name:6926."""
    opened: list[Server] = []

    def open_server(name: str, **more: Any) -> Server:
        server = Server(tmp_path / name, cluster=cleared_postgres, **more)
        opened.append(server)
        server.registry.load_all()
        server.settle()
        return server

    yield open_server
    for server in opened:
        server.stop()


@pytest.fixture
def kill(cleared_postgres: str) -> Iterator[Callable[[Server], None]]:
    """kill(server): for the database its lease has run out, which it does not know."""
    engine = create_engine(cleared_postgres)

    def kill(server: Server) -> None:
        assert server.node is not None
        with engine.begin() as connection:
            connection.exec_driver_sql(
                "UPDATE nodes SET until = extract(epoch FROM clock_timestamp()) - 1 WHERE id = %s", (server.node.id,)
            )

    yield kill
    engine.dispose()


@pytest.fixture
def one(open_server: Callable[..., Server]) -> Server:
    """The first node, with a game of ann and ben that has begun."""
    server = open_server("one")
    server.create()
    server.players(2, "pb", "first")
    return server


@pytest.fixture
def two(one: Server, open_server: Callable[..., Server]) -> Server:
    """The second node."""
    return open_server("two")
