"""A missing database: no command silently creates a new one.

Any trace of an earlier database stops every command.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.played import played
from tpserver.admin.lost_database import refusal
from tpserver.admin.offline import backup_directory, begin_new, store_url
from tpserver.config import load
from tpserver.store import Store, StoreError

ADD = ("account", "add", "ann", "--password", "SecretWord")
CREATE = ("game", "create", "lots", "--ruleset", "auction", "--seats", "2")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    return made


EVIDENCE = [
    "backups/tpserver-20261125T200149Z.sqlite",
    "backups/before-upgrade-from-0023-20261125T200149Z.sqlite",
    "backups/tpserver-20261125T200149Z.sqlite.part",
    "tpserver.sqlite-wal",
    "tpserver.sqlite-shm",
    "tpserver.sqlite-journal",
    "vapid.pem",
    "metaserver.key",
    "verdicts.json",
    "tpserver.running",
    "tpserver.running-1",
    "rules.page",
]
NONE = [
    "tpserver.toml",
    "server.pem",
    "server.key",
    "admin.password",
    "control.socket",
    "edge.socket",
    "verdicts.lock",
    "vapid.pem.lock",
    "backups/.lock",
    "tpserver.sqlite.lock",
    "tpserver.sqlite",
    "lots.tpgame",
]


def put(data: Path, name: str) -> None:
    (data / name).parent.mkdir(exist_ok=True)
    (data / name).write_bytes(b"")


@pytest.mark.parametrize("name", EVIDENCE)
def test_what_a_server_leaves_shows_that_there_was_a_database(data: Path, name: str) -> None:
    put(data, name)
    config = load(None, {"server.data": data})
    found = refusal(config, store_url(config), backup_directory(config))
    assert found.startswith(f"The database {data}/tpserver.sqlite is missing, but there was one: {data / name} is")
    assert found.endswith("or begin with an empty one: --new.")


@pytest.mark.parametrize("name", NONE)
def test_what_others_put_there_and_what_is_made_before_shows_nothing(data: Path, name: str) -> None:
    put(data, name)
    config = load(None, {"server.data": data})
    assert refusal(config, store_url(config), backup_directory(config)) == ""


def test_a_first_start_that_was_killed_as_it_wrote_shows_nothing(data: Path, tmp_path: Path) -> None:
    """Its journal leads back to an empty database; that of a database with content shows that it was overwritten."""
    made, config = tmp_path / "made.sqlite", load(None, {"server.data": data})
    with closing(sqlite3.connect(made, isolation_level=None)) as connection:
        for table, is_lost in (("first", False), ("second", True)):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"CREATE TABLE {table} (id INTEGER)")
            (data / "tpserver.sqlite").write_bytes(b"")
            shutil.copy(f"{made}-journal", data / "tpserver.sqlite-journal")
            assert bool(refusal(config, store_url(config), backup_directory(config))) == is_lost
            connection.execute("COMMIT")


@pytest.mark.parametrize(
    "command",
    [
        ADD,
        CREATE,
        ("account", "list"),
        ("game", "list"),
        ("audit",),
        ("backup",),
        ("replay", "lots"),
        ("export", "lots"),
        ("archive", "files", "--over-for", "1d"),
        ("run", "--no-parent", "--port", "0", "--web", "off"),
        pytest.param(("play", "auction", "--port", "0", "--web", "off"), marks=pytest.mark.thorough),
        ("doctor",),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_every_command_refuses(tpserver: Any, process: Any, data: Path, command: tuple[str, ...]) -> None:
    """And nothing is made."""
    put(data, "backups/tpserver-20261125T200149Z.sqlite")
    does = process if command[0] in ("run", "play") else tpserver
    done = does(*command, "--data", data)
    assert done.code == 1
    assert "is missing, but there was one" in done.err + done.out
    assert "--new" in done.err + done.out
    assert not (data / "tpserver.sqlite").exists()


def test_backups_elsewhere_show_it_too(tpserver: Any, data: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "tpserver-20261125T200149Z.sqlite").touch()
    config = tmp_path / "tp.toml"
    config.write_text(f'[server]\ndata = "{data}"\n[backup]\ndirectory = "{other}"\n')
    assert "is missing" in tpserver(*ADD, "--config", config).err
    done = tpserver(*ADD, "--config", config, "--new")
    assert done.code == 0
    assert tpserver("account", "list", "--config", config).code == 0


def test_an_empty_directory_begins_with_a_line_that_names_it(tpserver: Any, data: Path) -> None:
    """The line comes once, and shows an operator who uses the wrong directory which one it was."""
    first, second = tpserver(*ADD, "--data", data), tpserver(*CREATE, "--data", data)
    assert (first.code, second.code) == (0, 0)
    assert first.err == f"tpserver: {data}/tpserver.sqlite is a new database; there was nothing of one before.\n"
    assert second.err == ""


@pytest.mark.thorough
def test_a_server_names_its_new_database(serve: Any, data: Path) -> None:
    serve().wait_for(rf"{data}/tpserver.sqlite is a new database; there was nothing of one before")


def test_new_keeps_what_is_left_of_the_old_one(data: Path) -> None:
    """SQLite would put the log of the old database into the new one; a database that is there stays as it is."""
    played(data, turns=1)
    database, log = data / "tpserver.sqlite", data / "tpserver.sqlite-wal"
    shutil.copy(database, data / "kept")
    database.unlink()
    log.write_bytes(b"the last turns")
    config = load(None, {"server.data": data})
    with pytest.raises(StoreError):
        Store.open(store_url(config), reactor=None)
    begin_new(config)
    assert (data / "tpserver.sqlite-wal.1").read_bytes() == b"the last turns"
    assert database.exists()
    shutil.copy(data / "kept", database)
    begin_new(config)
    assert database.read_bytes() == (data / "kept").read_bytes()


def test_a_database_of_postgresql_that_is_empty_is_missed_too(emptied_postgres: str, data: Path) -> None:
    config = load(None, {"server.data": data, "server.store": emptied_postgres})
    assert refusal(config, store_url(config), backup_directory(config)) == ""
    put(data, "vapid.pem")
    assert "is missing" in refusal(config, store_url(config), backup_directory(config))
    begin_new(config)
    assert refusal(config, store_url(config), backup_directory(config)) == ""
