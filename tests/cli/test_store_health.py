"""A failing or incomplete database: health checks, metrics, notifications.

They also report how long the fault has lasted. The notifications go to the operator.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from twisted.internet.task import Clock

from tests.support.played import played
from tests.support.process import TPSERVER, run
from tests.support.receivers import receiver
from tests.support.server import HOST, ServerProcess, free_port
from tpserver.admin.store_health import LEAST_FREE, LOOK_SECONDS, StoreHealth
from tpserver.config import Config
from tpserver.portal.link_pb2 import Status
from tpserver.portal.portal import EdgeProcess
from tpserver.store import Store

DATABASE = "tpserver.sqlite"


class Told(list[tuple[str, str, str]]):
    def __call__(self, about: str, subject: str, text: str) -> None:
        self.append((about, subject, text))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture(scope="module")
def two_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the games lots and more."""
    data = tmp_path_factory.mktemp("health")
    played(data, turns=1)
    played(data, turns=1, name="more")
    return data / DATABASE


@pytest.fixture
def store(tmp_path: Path, two_games: Path) -> Iterator[Store]:
    """The same, opened."""
    shutil.copy(two_games, tmp_path)
    with closing(Store.open(f"sqlite:///{tmp_path / DATABASE}", reactor=None)) as opened:
        yield opened


def break_states(store: Store, *games: int) -> None:
    """Have what is stored of the turns of some games be nothing that can be read."""
    update = "UPDATE snapshots SET state = x'00' WHERE game = ?"
    store.write(lambda c: [c.exec_driver_sql(update, (game,)) for game in games])


def states(store: Store) -> list[tuple[bytes, int, int]]:
    """Return what is stored of the turns of all games."""
    return store.read(lambda c: [tuple(row) for row in c.exec_driver_sql("SELECT state, game, turn FROM snapshots")])


def fill(store: Store) -> None:
    """Let the database get no larger, and try to make it so."""
    store.write(lambda c: c.exec_driver_sql("PRAGMA max_page_count = 1").close())
    failed: list[Any] = []
    store.write(lambda c: c.exec_driver_sql("CREATE TABLE more (x)")).addErrback(failed.append)
    assert failed[0].value.code == "full"


def test_a_database_that_is_full_takes_no_changes_until_it_does_again(store: Store, told: Told) -> None:
    """That it does is found out by the server itself, though nobody changes anything."""
    clock = Clock()
    health = StoreHealth(clock, store, told)
    health.start()
    assert (health.failing(), health.problem(), health.saves_nothing, told) == ("", "", False, [])
    fill(store)
    assert health.failing() == "the database takes no changes: its disk is full"
    assert health.saves_nothing
    assert store.failed_saves == 1
    clock.advance(LOOK_SECONDS)
    # The change that changes nothing finds room; so the fault is over as soon as there is some.
    assert (health.failing(), health.saves_nothing) == ("", False)
    health.stop()


def test_a_fault_that_lasts_is_told_to_the_operator(store: Store, told: Told, monkeypatch: Any) -> None:
    fill(store)
    monkeypatch.setattr(store, "try_again", lambda: None)
    StoreHealth(Clock(), store, told).start()
    ((about, subject, text),) = told
    assert (about, subject) == ("store", "nothing can be saved")
    assert "is full" in text


def test_a_disk_without_room_fails_before_anybody_changes_anything(store: Store, told: Told) -> None:
    health = StoreHealth(Clock(), store, told, free=lambda place: LEAST_FREE - 1)
    health.start()
    assert health.failing() == "the database takes no changes: its disk is full"
    assert [about for about, _, _ in told] == ["store"]


def test_a_game_that_cannot_be_read_is_a_problem_and_all_are_a_failure(store: Store, told: Told) -> None:
    """Others are played meanwhile, so that a health check must not restart the server for one."""
    clock = Clock()
    health = StoreHealth(clock, store, told)
    health.start()
    whole = states(store)
    break_states(store, 2)
    clock.advance(LOOK_SECONDS)
    assert (health.failing(), health.problem()) == ("", "1 of 2 games cannot be read from the database")
    assert health.unreadable == 1
    assert [(about, "more" in text) for about, _, text in told] == [("unreadable games", True)]
    break_states(store, 1)
    clock.advance(LOOK_SECONDS)
    assert health.failing() == "no game can be read from the database"
    repair = "UPDATE snapshots SET state = ? WHERE game = ? AND turn = ?"
    store.write(lambda c: [c.exec_driver_sql(repair, row) for row in whole])
    clock.advance(LOOK_SECONDS)
    assert (health.failing(), health.problem(), health.unreadable) == ("", "", 0)


def test_a_file_that_is_damaged_is_noticed_although_sqlite_has_it_in_memory(
    store: Store, told: Told, tmp_path: Path
) -> None:
    clock = Clock()
    health = StoreHealth(clock, store, told)
    store.write(lambda c: None)
    store.read(lambda c: c.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").close())
    health.start()
    assert health.failing() == ""
    file = tmp_path / DATABASE
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(4096)
        opened.write(b"\xff" * (size - 4096))
    clock.advance(LOOK_SECONDS)
    assert health.failing() in (
        "the database cannot be read: it is damaged",
        "no game can be read from the database",
    )


def test_a_node_without_its_lease_fails(store: Store, told: Told) -> None:
    health = StoreHealth(Clock(), store, told, lambda: True)
    assert "cluster" in health.failing()
    assert health.saves_nothing


@pytest.mark.parametrize(
    ("status", "health"),
    [
        (Status(problem="nothing is saved"), {"failing": "nothing is saved"}),
        (Status(games=2, less="1 of 3"), {"games": 2, "connections": 0, "problem": "1 of 3"}),
    ],
)
def test_the_process_that_keeps_the_connections_says_the_same(
    monkeypatch: pytest.MonkeyPatch, status: Status, health: dict[str, Any]
) -> None:
    process = EdgeProcess(Config(), Clock())
    monkeypatch.setattr(process.edge, "holder", object())
    monkeypatch.setattr(process.edge, "status", status)
    assert process.health() == health


@pytest.mark.thorough
@pytest.mark.parametrize("keeps", [False, True])
def test_a_server_without_a_readable_game_says_so_everywhere(
    live: Callable[..., ServerProcess], supervised: Callable[..., ServerProcess], tmp_path: Path, keeps: bool
) -> None:
    """By /healthz, also of the process that keeps connections, by its metrics, by `doctor`, and to the operator."""
    metrics, config = free_port(), tmp_path / "tp.toml"
    with receiver() as hook:
        config.write_text(
            f"[server]\nkeep_connections = {str(keeps).lower()}\n[metrics]\nport = {metrics}\n"
            f'[notices]\noperator = ["json://127.0.0.1:{hook.port}/"]\n'
        )
        server = (supervised if keeps else live)("--config", str(config))
        played(server.data)
        with closing(sqlite3.connect(server.database)) as opened, opened:
            opened.execute("UPDATE snapshots SET state = x'00'")
        server.start()

        def health() -> tuple[int, Any]:
            try:
                with urlopen(f"{server.url}healthz", timeout=60) as answer:
                    return answer.status, json.load(answer)
            except HTTPError as error:
                return error.code, json.load(error)

        server.wait_until(lambda: "problem" in health()[1], "says that no game can be read")
        assert health() == (503, {"status": "failing", "problem": "no game can be read from the database"})
        with urlopen(f"http://{HOST}:{metrics}/metrics", timeout=60) as answer:
            figures = answer.read().decode()
        assert "tpserver_store_gone 0.0" in figures
        assert "tpserver_store_failing 1.0" in figures
        assert "tpserver_games_unreadable 1.0" in figures
        assert "tpserver_failed_saves_total 0.0" in figures
        assert 'tpserver_free_bytes{of="database"}' in figures
        assert hook.wait_for(1)[0].json["title"] == "tpserver: games cannot be read from the database"
    doctor = run(TPSERVER, "doctor", "--config", config, "--data", server.data)
    assert doctor.code == 1
    assert "lots cannot be read" in doctor.out
