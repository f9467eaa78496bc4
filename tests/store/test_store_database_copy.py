"""A copy of any database: one SQLite file, which restores to any database."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, inspect, select, text

from tpserver.store import Store, StoreError
from tpserver.store.copies.database_copy import copy, fill
from tpserver.store.games import journal, snapshots
from tpserver.store.games import rows as games
from tpserver.store.games.snapshots import Snapshot
from tpserver.store.people import accounts
from tpserver.store.schema import newest_version, version_of
from tpserver.store.tables import metadata


def rows(store):
    """All rows of all tables, as they are read but for their order, which no database promises."""

    def read(connection):
        found = {one.name: [tuple(row) for row in connection.execute(select(one))] for one in metadata.sorted_tables}
        return {name: sorted(read, key=repr) for name, read in found.items()}

    return store.read(read)


@pytest.fixture
def filled(store, do, new_game, new_entry):
    """A store with a row in tables of every kind of column."""
    do(lambda c: accounts.add(c, "Ann", "hash", email="a\x00b", comment="\U0001f41c", now=999.5))
    do(new_game)
    do(lambda c: games.take_seat(c, 1, 0, 1, "Ann"))
    do(lambda c: journal.append(c, new_entry(1, body={"z": [1, 2.5, None], "a": "é"})))
    world = {"version": 1, "world": {"b": 1, "a": [True]}}
    do(lambda c: snapshots.put(c, Snapshot(1, 0, 1, 5.25, "main", "Turn", "0" * 64, world, [["won", {}]], None)))
    return store


def test_a_copy_is_the_database(filled, url, tmp_path):
    target = tmp_path / "copy"
    copy(url, target)
    other = Store.open(f"sqlite:///{target}", reactor=None)
    assert rows(other) == rows(filled)
    other.close()
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_database_made_from_a_copy_goes_on(filled, url, tmp_path, drop_tables, new_game):
    """Its numbers follow those that were copied, and it is refused where there is one already."""
    before = rows(filled)
    target = tmp_path / "copy"
    copy(url, target)
    filled.close()
    with pytest.raises(StoreError) as refused:
        fill(target, url)
    assert refused.value.code == "exists"
    if url.startswith("sqlite"):
        url = f"sqlite:///{tmp_path}/other.sqlite"
    else:
        drop_tables(url)
    fill(target, url)
    other = Store.open(url, reactor=None)
    try:
        assert rows(other) == before
        made = []
        other.write(lambda c: new_game(c, "Carthage")).addCallback(made.append)
        assert [game.id for game in made] == [2]
    finally:
        other.close()


def test_a_database_of_the_first_version_is_copied_as_it_is_and_brought_up_to_date(
    url, tmp_path, make_first_tables, drop_tables
):
    """So is a copy of it that is put back: neither has the columns, tables and indexes that came later."""
    engine = create_engine(url)
    with engine.begin() as connection:
        make_first_tables(connection)
        connection.execute(text("INSERT INTO accounts (id, name, name_key, password_hash, email, comment, created, bot)"
                                " VALUES (7, 'Ann', 'ann', 'hash', '\"\"', '\"\"', 999, false)"))  # fmt: skip
    engine.dispose()
    target = tmp_path / "copy"
    copy(url, target)
    other = create_engine(f"sqlite:///{target}")
    with other.connect() as connection:
        assert version_of(connection) == "0001"
        assert not inspect(connection).has_table("nodes")
    other.dispose()
    if url.startswith("sqlite"):
        url = f"sqlite:///{tmp_path}/other.sqlite"
    else:
        drop_tables(url)
    fill(target, url)
    opened = Store.open(url, reactor=None)
    assert opened.read(accounts.by_name, "ann").id == 7
    assert opened.read(version_of) == newest_version()
    opened.close()


def test_a_file_that_is_there_is_left_alone(filled, url, tmp_path):
    target = tmp_path / "copy"
    target.write_bytes(b"precious")
    with pytest.raises(StoreError) as refused:
        copy(url, target)
    assert refused.value.code == "exists"
    assert target.read_bytes() == b"precious"
