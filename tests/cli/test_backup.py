"""`tpserver backup` and `restore`: complete, verified, never half-made.

A backup shows one moment. It is restored only where no data exists.
"""

from __future__ import annotations

import gzip
import re
import resource
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import delete, update

from tests.support.played import played
from tests.support.process import SECONDS, TPSERVER, environment
from tpserver.admin import backups
from tpserver.store import Store, tables
from tpserver.store.copies import database_copy
from tpserver.store.copies.database_copy import SPARE_BYTES

Run = Callable[..., Any]


def made(data: Path) -> list[Path]:
    return backups.made_in(data / "backups")


def dump(file: Path) -> list[str]:
    """All that a SQLite file holds, as statements."""
    with closing(sqlite3.connect(file)) as connection:
        return list(connection.iterdump())


def changed(data: Path, statement: Any) -> None:
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)
    store.write(lambda connection: connection.execute(statement).rowcount)
    store.close()


def test_a_backup_holds_everything_and_is_one_file_for_its_owner(data: Path, tpserver: Run) -> None:
    """It is verified before it gets its name, and the results are printed, such as a replayed game."""
    played(data)
    said = tpserver("backup", "--data", data)
    assert said.code == 0, said.err
    (file,) = made(data)
    assert file.read_bytes()[18:20] == b"\x01\x01", "it needs no write-ahead log, so that it can be read anywhere"
    assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(one.name for one in file.parent.iterdir()) == [".lock", file.name]
    assert dump(file) == dump(data / "tpserver.sqlite")
    assert "The file is whole, and the newest turn of each game has its digest." in said.lines
    assert re.search(r"^Run again: lots, 4 turns and \d+ journal entries run again; every digest is", said.out, re.M)
    assert f"Backup {file} is complete: 1 game, 2 accounts." in said.lines
    first, _, listed = tpserver("backup", "--list", "--data", data).lines
    assert first == f"Backups in {data}/backups: 1"
    assert listed.split()[-1] == file.name


def test_a_disaster_and_a_restore(data: Path, tpserver: Run, serve: Any) -> None:
    """The database is lost; from the backup the server goes on, and the replay of every game agrees."""
    played(data)
    assert tpserver("backup", "--data", data).code == 0
    before = dump(data / "tpserver.sqlite")
    for file in data.glob("tpserver.sqlite*"):
        file.unlink()
    (file,) = made(data)
    said = tpserver("restore", file, "--data", data)
    assert said.code == 0, said.err
    assert "1 game, 2 accounts; all 5 turns have the digests of the backup." in said.out
    assert "Run again: lots, 4 turns" in said.out
    assert dump(data / "tpserver.sqlite") == before
    serve()
    assert tpserver("replay", "lots", "--data", data).lines[-1].endswith("every digest is the same.")
    assert "is closed; now turn 5" in tpserver("game", "close-turn", "lots", "--data", data).out


@pytest.mark.thorough
def test_backups_while_turns_close(data: Path, tpserver: Run, serve: Any, process: Run) -> None:
    """Each is one moment of the game, whose replay agrees; the server, which is not asked, goes on closing turns."""
    made_game = ("game", "create", "lots", "--ruleset", "auction", "--seats", "2", "--bots", "2")
    assert tpserver(*made_game, "--option", "rounds=1000", "--data", data).code == 0
    serve()
    turns = []
    for _ in range(4):
        said = process("backup", "--data", data)
        assert said.code == 0, said.err
        found = re.search(r"Run again: lots, (\d+) turns?", said.out)
        assert found
        turns.append(int(found[1]))
    assert turns == sorted(turns)
    assert turns[0] < turns[-1], "the game went on"


def test_a_backup_in_the_middle_of_a_transaction(data: Path, tpserver: Run) -> None:
    """Uncommitted changes are not in it, and writers need not wait for it."""
    played(data)
    before = dump(data / "tpserver.sqlite")
    with closing(sqlite3.connect(data / "tpserver.sqlite", isolation_level=None)) as writing:
        writing.execute("PRAGMA journal_mode=WAL")
        writing.execute("BEGIN IMMEDIATE")
        writing.execute("DELETE FROM journal")
        writing.execute("UPDATE games SET turn = 99")
        assert tpserver("backup", "--data", data).code == 0
        writing.execute("COMMIT")
    assert dump(made(data)[0]) == before


def test_only_the_newest_are_kept(data: Path, tpserver: Run) -> None:
    """And nothing else is ever removed, but what a backup that was killed has left."""
    played(data, turns=1)
    directory = data / "backups"
    directory.mkdir()
    old = [f"tpserver-2020010{day}T000000Z.sqlite" for day in range(1, 6)]
    others = ["tpserver-20200101T000000Z.sqlite.gz", "precious", "xtpserver-20200101T000000Z.sqlite"]
    others.append("tpserver-29991231T000000Z.sqlite")  # made while the clock was wrong: it is not among the newest
    killed = "tpserver-20200109T000000Z.sqlite.part"
    for name in (*old, *others, killed):
        (directory / name).touch()
    said = tpserver("backup", "--keep", "3", "--data", data)
    assert "Removed 3 older backups; 3 are kept." in said.lines
    new = next(one.name for one in made(data) if one.name not in others)
    assert sorted(one.name for one in directory.iterdir()) == sorted([".lock", *others, *old[-2:], new])


@pytest.mark.thorough
def test_a_disk_that_fills_up_leaves_all_as_it_was(data: Path, process: Run, tpserver: Run, serve: Any) -> None:
    """The system lets the file have half of the bytes that it needs: a sentence, no half backup, none lost."""
    played(data)
    assert tpserver("backup", "--data", data).code == 0
    before = {file.name: file.read_bytes() for file in (data / "backups").iterdir()}
    serve()
    half = made(data)[0].stat().st_size // 2
    done = subprocess.run(
        [TPSERVER, "backup", "--data", data],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (half, half)),
        capture_output=True,
        text=True,
        env=environment(),
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 1
    assert re.fullmatch(r"tpserver: there is no new backup: .* cannot be written .*: is its disk full\?\n", done.stderr)
    assert {file.name: file.read_bytes() for file in (data / "backups").iterdir()} == before
    assert "is closed; now turn 5" in tpserver("game", "close-turn", "lots", "--data", data).out


def test_a_disk_without_room_is_not_touched(data: Path, tpserver: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some is left for the server that goes on."""
    played(data, turns=1)
    size = (data / "tpserver.sqlite").stat().st_size

    class Usage:
        free = size + SPARE_BYTES - 1

    monkeypatch.setattr("tpserver.store.copies.database_copy.shutil.disk_usage", lambda path: Usage)
    said = tpserver("backup", "--data", data)
    assert said.code == 1
    assert "there is no new backup: There is no room in" in said.err
    assert made(data) == []
    Usage.free += 1
    assert tpserver("backup", "--data", data).code == 0


def test_a_damaged_database_makes_no_backup_and_takes_no_old_one(data: Path, tpserver: Run) -> None:
    played(data)
    assert tpserver("backup", "--data", data).code == 0
    with closing(sqlite3.connect(data / "tpserver.sqlite", isolation_level=None)) as writing:
        writing.execute("DELETE FROM accounts")  # seats name them
    said = tpserver("backup", "--keep", "1", "--data", data)
    assert said.code == 1
    assert "a row of seats names a row of accounts that is not there" in said.err
    assert len(made(data)) == 1
    assert len(list((data / "backups").iterdir())) == 2


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            update(tables.snapshots).where(tables.snapshots.c.turn == 4).values(digest="0" * 64),
            "what is kept of turn 4 does not have the digest",
        ),
        (update(tables.games).values(turn=3), "is in turn 3, but the newest that is kept is 4"),
        (
            delete(tables.journal).where(tables.journal.c.turn == 2, tables.journal.c.kind == "close"),
            "closes turn 3, but the game is in turn 2",
        ),
    ],
    ids=["digest", "turn", "journal"],
)
def test_a_game_that_is_not_as_recorded(data: Path, tpserver: Run, statement: Any, sentence: str) -> None:
    """The copy is as good as the database, so it is kept. The operator is notified, and no older backup is removed."""
    played(data)
    assert tpserver("backup", "--data", data).code == 0
    changed(data, statement)
    said = tpserver("backup", "--keep", "1", "--data", data)
    assert said.code == 1
    assert sentence in said.out
    assert "not what they were recorded to be; nothing older was removed" in said.err
    assert len(made(data)) == 2


def test_a_game_whose_ruleset_is_not_there_is_told_and_no_fault(data: Path, tpserver: Run) -> None:
    played(data, turns=1)
    changed(data, update(tables.games).values(ruleset="gone"))
    said = tpserver("backup", "--data", data)
    assert said.code == 0
    assert "Not run again: lots; its ruleset gone is not there or cannot be used." in said.lines


def test_two_backups_at_once(data: Path, tpserver: Run) -> None:
    """The second is refused, and leaves what the first is writing."""
    played(data, turns=1)
    directory = data / "backups"
    directory.mkdir()
    part = directory / "tpserver-20200109T000000Z.sqlite.part"
    part.touch()
    with backups.alone_in(directory, "Another backup is being made"):
        said = tpserver("backup", "--data", data)
    assert said.code == 1
    assert "Another backup is being made in" in said.err
    assert part.exists()


def test_nothing_is_restored_over_a_database_or_its_log(data: Path, tpserver: Run) -> None:
    """A log that belongs to another database would be played into the restored one."""
    played(data, turns=1)
    assert tpserver("backup", "--data", data).code == 0
    (file,) = made(data)
    said = tpserver("restore", file, "--data", data)
    assert said.code == 1
    assert f"nothing was restored: {data}/tpserver.sqlite exists, and is not overwritten." in said.err
    (data / "tpserver.sqlite").rename(data / "elsewhere")
    log = data / "tpserver.sqlite-wal"
    log.write_bytes(b"of the lost one")
    said = tpserver("restore", file, "--data", data)
    assert said.code == 1
    assert "tpserver.sqlite-wal exists" in said.err
    assert log.read_bytes() == b"of the lost one"
    assert not (data / "tpserver.sqlite").exists()


def test_nothing_is_restored_while_a_server_runs(data: Path, tpserver: Run, serve: Any) -> None:
    """Not even when its database has been removed under it."""
    played(data, turns=1)
    assert tpserver("backup", "--data", data).code == 0
    (file,) = made(data)
    server = serve()
    for gone in data.glob("tpserver.sqlite*"):
        if not gone.name.endswith(".lock"):
            gone.unlink()
    said = tpserver("restore", file, "--data", data)
    assert said.code == 1
    assert "nothing was restored: The database" in said.err
    assert "is in use by process" in said.err
    assert not (data / "tpserver.sqlite").exists()
    server.stop(signal.SIGKILL)


def test_a_backup_that_was_changed_is_not_restored(data: Path, tpserver: Run) -> None:
    """Bytes that rotted, a file of something else, a file that is not there: there is still no database."""
    played(data)
    assert tpserver("backup", "--data", data).code == 0
    (file,) = made(data)
    whole = file.read_bytes()
    for gone in data.glob("tpserver.sqlite*"):
        gone.unlink()
    for content, sentence in (
        (whole[: len(whole) // 2], "damaged"),
        (b"something else", "is not a database"),
        (None, "There is no backup"),
    ):
        file.write_bytes(content) if content is not None else file.unlink()
        said = tpserver("restore", file, "--data", data)
        assert said.code == 1
        assert sentence in said.err
        assert said.err.count("\n") == 1
        assert not (data / "tpserver.sqlite").exists()


def test_a_restore_that_finds_no_room_leaves_nothing(
    data: Path, tpserver: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(data, turns=1)
    assert tpserver("backup", "--data", data).code == 0
    (file,) = made(data)
    for gone in data.glob("tpserver.sqlite*"):
        gone.unlink()

    class Usage:
        free = 0

    monkeypatch.setattr("tpserver.store.copies.database_copy.shutil.disk_usage", lambda path: Usage)
    said = tpserver("restore", file, "--data", data)
    assert said.code == 1
    assert "There is no room in" in said.err
    assert sorted(one.name for one in data.iterdir()) == ["backups", "tpserver.sqlite.lock"]
    monkeypatch.undo()
    assert tpserver("restore", file, "--data", data).code == 0


def test_a_killed_restore_is_no_database(data: Path, tpserver: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the last step there is only a file of another name, which the next attempt replaces."""
    played(data, turns=1)
    assert tpserver("backup", "--data", data).code == 0
    (file,) = made(data)
    for gone in data.glob("tpserver.sqlite*"):
        gone.unlink()
    (data / "tpserver.sqlite.restoring").write_bytes(b"half")

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(database_copy, "put_in_place", killed)
        assert tpserver("restore", file, "--data", data).code == 130
    assert not (data / "tpserver.sqlite").exists()
    assert tpserver("restore", file, "--data", data).code == 0


@pytest.mark.thorough
def test_a_server_makes_backups_by_itself(data: Path, tpserver: Run, serve: Any, tmp_path: Path) -> None:
    """By a process of its own, with its configuration; what that says is in the log."""
    played(data)
    (tmp_path / "tp.toml").write_text('[backup]\nevery_hours = 24\ndirectory = "copies"\n')
    server = serve("--config", tmp_path / "tp.toml")
    server.wait_for(r"backup: Backup \S+/copies/tpserver-\S+\.sqlite is complete: 1 game, 2 accounts\.")
    assert server.stop() == 0
    assert len(backups.made_in(tmp_path / "copies")) == 1
    again = serve("--config", tmp_path / "tp.toml")
    assert again.stop() == 0
    assert len(backups.made_in(tmp_path / "copies")) == 1, "the next is due in a day, restart or not"


# --- migrations -------------------------------------------------------------------------------------------------------

OLD = Path(__file__).parents[1] / "games" / "before_versions.sqlite.gz"


@pytest.fixture
def old(data: Path) -> Path:
    """A data directory whose tables are of version 0001."""
    data.mkdir()
    (data / "tpserver.sqlite").write_bytes(gzip.decompress(OLD.read_bytes()))
    return data


def test_a_copy_is_made_before_tables_are_changed(old: Path, tpserver: Run) -> None:
    """It is what the older version can open; `--keep` never removes it, and the next start makes no other."""
    before = dump(old / "tpserver.sqlite")
    assert tpserver("account", "add", "ann", "--password", "word", "--data", old).code == 0
    assert dump(old / "tpserver.sqlite") != before
    (copy,) = (old / "backups").glob("before-upgrade-from-0001-*.sqlite")
    assert dump(copy) == before
    assert tpserver("backup", "--keep", "1", "--data", old).code == 0
    assert tpserver("game", "list", "--data", old).code == 0
    assert list((old / "backups").glob("before-*")) == [copy]


def test_tables_are_not_changed_where_they_cannot_be_copied(old: Path, tpserver: Run) -> None:
    before = dump(old / "tpserver.sqlite")
    (old / "backups").touch()
    said = tpserver("game", "list", "--data", old)
    assert said.code == 1
    assert "is copied before its tables are brought up to date, which failed" in said.err
    assert dump(old / "tpserver.sqlite") == before


def test_a_migration_that_fails_half_way_changes_nothing(
    old: Path, tpserver: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ones before it have run; all is undone, the sentence says so, and a second attempt works.

    All attempts are in one second here.
    """
    before, now = dump(old / "tpserver.sqlite"), time.time()
    with monkeypatch.context() as patch:
        patch.setattr("alembic.op.create_index", lambda *_, **__: 1 / 0)  # in version 0005
        patch.setattr("tpserver.admin.offline.time", SimpleNamespace(**{**vars(time), "time": lambda: now}))
        for _ in range(5):
            said = tpserver("game", "list", "--data", old)
    assert len(list((old / "backups").iterdir())) == 3, "a service manager that tries for ever does not fill the disk"
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert "could not be brought up to date: ZeroDivisionError: division by zero. Nothing has been changed" in said.err
    assert dump(old / "tpserver.sqlite") == before
    assert tpserver("game", "list", "--data", old).code == 0
