"""Opening of a database: creation, permissions, and refusals.

Every refusal is a sentence, and leaves files unchanged.
"""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from tpserver.store import Store, StoreError
from tpserver.store.backends import sqlite as sqlite_place
from tpserver.store.database import ReadOnly
from tpserver.store.games import rows as games
from tpserver.store.people import accounts
from tpserver.store.schema import VERSION_TABLE
from tpserver.store.tables import metadata


@pytest.fixture
def path(tmp_path):
    return tmp_path / "game.sqlite"


def at(path):
    return f"sqlite:///{path}"


def refusal(url):
    with pytest.raises(StoreError) as refused:
        Store.open(url, reactor=None).close()
    sentence = refused.value.sentence
    assert sentence[0].isupper() or sentence[0] == "/", sentence
    assert sentence.endswith("."), sentence
    return refused.value.code, sentence


def test_a_file_is_made_that_only_its_owner_can_read(path):
    store = Store.open(at(path), reactor=None)
    assert {stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()} == {0o600}
    assert store.read(lambda c: c.exec_driver_sql("PRAGMA journal_mode").scalar()) == "wal"
    store.close()
    assert sorted(p.name for p in path.parent.iterdir()) == ["game.sqlite", "game.sqlite.lock"], "the log is merged"


def test_the_writer_waits_for_the_disk_and_keeps_references_whole(path):
    store = Store.open(at(path), reactor=None)
    pragmas = ("synchronous", "foreign_keys", "busy_timeout")
    outcome = []
    store.write(lambda c: [c.exec_driver_sql(f"PRAGMA {p}").scalar() for p in pragmas]).addBoth(outcome.append)
    assert outcome == [[3, 1, 5000]], "EXTRA, on, milliseconds"
    store.close()


def test_what_was_written_is_there_when_opened_again(store, do, url):
    do(lambda c: accounts.add(c, "Ann", "h", now=1.0))
    store.close()
    again = Store.open(url, reactor=None)
    assert again.read(lambda c: accounts.by_name(c, "Ann")).name == "Ann"
    again.close()


def test_a_path_with_odd_characters_is_one_path(tmp_path):
    path = tmp_path / "50% of #1 ä" / "a b.sqlite"
    path.parent.mkdir()
    Store.open(at(path), reactor=None).close()
    assert sorted(p.name for p in path.parent.iterdir()) == ["a b.sqlite", "a b.sqlite.lock"]


def test_a_closed_store_refuses_and_closes_again(store):
    outcomes = []
    for _ in range(2):
        store.close().addBoth(outcomes.append)
    assert outcomes == [None, None] and store.closed
    store.write(accounts.all).addErrback(lambda failure: outcomes.append(failure.value.code))
    assert outcomes[2:] == ["closed"]
    with pytest.raises(StoreError, match="closed"):
        store.read(games.all)


def test_a_read_cannot_write(store):
    with pytest.raises(Exception, match=r"readonly|read-only"):
        store.read(lambda c: accounts.add(c, "Ann", "h", now=1.0))


def test_what_is_no_database_is_not_read_either(path):
    path.write_text("something else\n" * 1000)
    with pytest.raises(StoreError) as refused:
        ReadOnly(at(path))
    assert refused.value.code == "foreign"
    assert "is not a database of tpserver" in refused.value.sentence


# Refusals: the place


def test_a_missing_directory(tmp_path):
    code, sentence = refusal(at(tmp_path / "no" / "x.sqlite"))
    assert code == "directory" and sentence == (
        f"The directory {tmp_path}/no for the database does not exist. Make it, or name another one."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_the_directory_should_be(tmp_path):
    (tmp_path / "file").write_text("")
    code, sentence = refusal(at(tmp_path / "file" / "x.sqlite"))
    assert code == "directory" and "is not a directory" in sentence


def test_a_directory_where_the_file_should_be(tmp_path):
    code, sentence = refusal(at(tmp_path))
    assert code == "directory" and sentence == f"{tmp_path} is a directory; the database must be a file."


@pytest.fixture
def nobody():
    """Run as a user who may not write what the test has protected; root may write everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


@pytest.fixture
def closed_directory():
    """A directory that everybody may read and nobody may write (root's own temporary directories bar others)."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o555)
        yield Path(name)
        Path(name).chmod(0o755)


def test_a_directory_that_may_not_be_written(closed_directory, nobody):
    code, sentence = refusal(at(closed_directory / "x.sqlite"))
    assert code == "directory"
    assert sentence.startswith(f"The database {closed_directory}/x.sqlite cannot be opened for writing: Permission")


def test_a_file_that_may_not_be_written(closed_directory, request):
    closed_directory.chmod(0o777)
    path = closed_directory / "x.sqlite"
    Store.open(at(path), reactor=None).close()
    path.chmod(0o444)
    Path(f"{path}.lock").unlink()
    request.getfixturevalue("nobody")
    code, sentence = refusal(at(path))
    assert code == "directory" and "Permission denied" in sentence


# Refusals: what is in the file


@pytest.mark.parametrize("content", [b"x", b"Dear diary, " * 500, b"\0" * 4096], ids=["short", "text", "zeros"])
def test_a_file_that_is_no_database_is_left_alone(path, content):
    path.write_bytes(content)
    code, sentence = refusal(at(path))
    assert code == "foreign"
    assert sentence.startswith(f"The file {path} is not a database of tpserver.")
    assert path.read_bytes() == content
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_file_that_only_begins_like_a_database(path):
    path.write_bytes(sqlite_place.FILE_START + b"\xff" * 8192)
    code, _ = refusal(at(path))
    assert code in ("foreign", "damaged")
    assert path.exists()


def test_an_empty_file_becomes_a_database(path):
    path.touch()
    Store.open(at(path), reactor=None).close()


def test_a_database_of_something_else_is_left_alone(path):
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    before = path.read_bytes()
    code, sentence = refusal(at(path))
    assert code == "foreign" and f"{path} belongs to something else (it has a table 'recipes')" in sentence
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("recipes",)]
    other.close()
    assert len(path.read_bytes()) == len(before)


def test_a_database_of_a_newer_version_is_left_alone(path):
    Store.open(at(path), reactor=None).close()
    with sqlite3.connect(path) as other:
        other.execute(f"UPDATE {VERSION_TABLE} SET version_num = '0999'")
    other.close()
    code, sentence = refusal(at(path))
    assert code == "newer" and "was made by a newer tpserver (its tables are of version 0999, this program" in sentence
    with sqlite3.connect(path) as other:
        assert other.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchall() == [("0999",)]
    other.close()


def failing(work):
    """Do the work, and then fail."""

    def fails(*arguments):
        work(*arguments)
        raise OperationalError("CREATE TABLE", {}, sqlite3.OperationalError("out of paper"))

    return fails


def test_a_database_that_has_lost_its_version_is_left_alone(path):
    """It may be of any version, so that no migration can be right."""
    Store.open(at(path), reactor=None).close()
    with sqlite3.connect(path) as other:
        other.execute(f"DELETE FROM {VERSION_TABLE}")
        before = other.execute("SELECT * FROM sqlite_master").fetchall()
    other.close()
    code, sentence = refusal(at(path))
    assert code == "damaged" and sentence.startswith(f"The database {path} has lost the version of its tables")
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT * FROM sqlite_master").fetchall() == before
    other.close()


def test_a_migration_that_fails_leaves_nothing_behind(path, monkeypatch, make_first_tables):
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        make_first_tables(connection)
    engine.dispose()
    with sqlite3.connect(path) as left:
        before = left.execute("SELECT * FROM sqlite_master").fetchall()
        monkeypatch.setattr(command, "upgrade", failing(command.upgrade))
        code, sentence = refusal(at(path))
        assert code == "unavailable"
        assert sentence == f"The tables of the database {path} could not be prepared: out of paper."
        assert left.execute("SELECT * FROM sqlite_master").fetchall() == before != []
    left.close()


def test_tables_that_cannot_be_made_leave_nothing_behind(path, monkeypatch):
    monkeypatch.setattr(metadata, "create_all", failing(metadata.create_all))
    code, sentence = refusal(at(path))
    assert code == "unavailable"
    assert sentence == f"The tables of the database {path} could not be prepared: out of paper."
    assert not path.exists()
    path.touch()
    refusal(at(path))
    with sqlite3.connect(path) as left:
        assert left.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,), "definitions roll back as well"
    left.close()


# Refusals: others


def test_another_program_that_holds_the_file(path, monkeypatch):
    monkeypatch.setattr(sqlite_place, "BUSY_SECONDS", 0.01)
    Store.open(at(path), reactor=None).close()
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    code, sentence = refusal(at(path))
    assert code == "in-use" and "is locked by another program" in sentence
    other.close()
    Store.open(at(path), reactor=None).close()


HOLDER = """
import sys
from tpserver.store import Store
store = Store.open(sys.argv[1], reactor=None)
print("open", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_which_one_has_the_database(path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, at(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout.readline() == "open\n"
        code, sentence = refusal(at(path))
        assert code == "in-use" and sentence.startswith(f"The database {path} is in use by process {holder.pid}.")
        assert path.exists()
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        Store.open(at(path), reactor=None).close()


def test_one_process_opens_a_database_once(store, url):
    code, sentence = refusal(url)
    assert code == "in-use"
    assert f"process {os.getpid()}" in sentence or "PostgreSQL's process" in sentence


@pytest.mark.parametrize(
    "url",
    ["", "nonsense", "sqlite://", "sqlite:///:memory:", "sqlite:///x?mode=ro", "mysql://h/d", "postgresql+asyncpg://h/d",
     "postgresql://user:secret@host:port/d"],
)  # fmt: skip
def test_urls_that_are_none_of_ours(url):
    code, sentence = refusal(url)
    assert code == "url" and "secret" not in sentence
    assert "sqlite:////directory/file.sqlite" in sentence


def test_postgresql_without_its_driver(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    code, sentence = refusal("postgresql://ann:secret@host/games")
    assert code == "driver" and sentence == (
        "The database postgresql+psycopg://ann:***@host/games needs psycopg, which is not installed: "
        "pip install 'tpserver[postgres]'."
    )
