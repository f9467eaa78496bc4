"""Power cuts during a command, or right after it reports success.

The data is as it was before the command, or as the command makes it, and nothing between. What the command reports as
done is done, though only what was synced reached the disk.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.power.cuts import in_memory
from tests.power.mounted import Disks
from tests.support.played import played
from tpserver.admin import archives, backups
from tpserver.cli import main
from tpserver.config import load
from tpserver.rules.discovery import discover
from tpserver.store import Store
from tpserver.store.backends.sqlite import has_been_made
from tpserver.store.backends.urls import sqlite_url
from tpserver.store.copies import database_copy
from tpserver.store.database import ReadOnly
from tpserver.store.games import rows as games
from tpserver.store.schema import newest_version, version_of

DATABASE = "tpserver.sqlite"
FIRST_TABLES = Path(__file__).parents[1] / "store/tables_0001.sqlite.sql"
CUTS = 25
"""Of each command, at steps of the file system."""


def dump(file: Path) -> list[str]:
    """All that a database holds, as statements; it has to be whole."""
    with closing(ReadOnly(sqlite_url(file))) as source:
        assert source.read(database_copy.faults) == []
    with closing(sqlite3.connect(file)) as connection:
        return list(connection.iterdump())


def whole_backups(directory: Path) -> list[Path]:
    """The backups of a directory, each of which has to be what a backup is."""
    found = backups.made_in(directory)
    for file in found:
        assert backups.prove(file, discover(), 10, lambda line: None).differences == []
    return found


@dataclass(frozen=True)
class Case:
    """A command on a disk, which has what `prepare` puts into a directory; `check` sees what a cut has left."""

    name: str
    prepare: Callable[[Path], None]
    words: Callable[[Path], list[object]]
    check: Callable[[Path, Path, bool], None]
    """Of what was left and what was prepared; and whether the command has said that it is done."""


def nothing(place: Path) -> None:
    """A disk without anything."""


def with_game(place: Path) -> None:
    played(place / "data", turns=2)


def first_start(left: Path, before: Path, done: bool) -> None:
    """The first game is there, if that was said; if it was not, it can be made."""
    data = left / "var/games"
    there = has_been_made(data / DATABASE)
    if done or there:
        with closing(Store.open(sqlite_url(data / DATABASE), reactor=None)) as store:
            assert store.read(lambda c: games.by_name(c, "lots")) is not None or not done
    else:
        words = ["game", "create", "lots", "--ruleset", "auction", "--seats", "2", "--data", str(data)]
        assert main(words) == 0


def with_backup(place: Path) -> None:
    with_game(place)
    assert main(["backup", "--data", str(place / "data")]) == 0
    (old,) = backups.made_in(place / "data/backups")
    old.rename(old.with_name("tpserver-20200101T000000Z.sqlite"))


def one_backup(left: Path, before: Path, done: bool) -> None:
    """There is a whole one at any time, the new one if that was said; the database is as it was."""
    found = whole_backups(left / "elsewhere/backups")
    found += whole_backups(left / "data/backups")
    assert found and (not done or "2020" not in found[0].name)
    assert dump(left / "data" / DATABASE) == dump(before / "data" / DATABASE)


def only_backup(place: Path) -> None:
    with_backup(place)
    for file in (place / "data").glob(f"{DATABASE}*"):
        file.unlink()


def restored(left: Path, before: Path, done: bool) -> None:
    """There is the whole database of the backup, or none, and then it can be restored again."""
    data = left / "data"
    if not has_been_made(data / DATABASE):
        assert not done
        (backup,) = whole_backups(data / "backups")
        assert main(["restore", str(backup), "--data", str(data)]) == 0
    (backup,) = whole_backups(before / "data/backups")
    assert dump(data / DATABASE) == dump(backup)
    Store.open(sqlite_url(data / DATABASE), reactor=None).close()


def game_over(place: Path) -> None:
    with_game(place)
    assert main(["game", "abort", "lots", "--reason", "nobody plays", "--data", str(place / "data")]) == 0


def archived(left: Path, before: Path, done: bool) -> None:
    """The game is in the database, or in its file, or in both."""
    with closing(Store.open(sqlite_url(left / "data" / DATABASE), reactor=None)) as store:
        row = store.read(lambda c: games.by_name(c, "lots"))
    assert row is None or not done
    files = list((left / "old/games").glob("*.tpgame"))
    for file in files:
        archives.prove(archives.read(file), discover(), lambda line: None)
    assert row is not None or files


def account_removed(left: Path, before: Path, done: bool) -> None:
    """The account is in the database, or all that was stored of it is in its file."""
    with closing(sqlite3.connect(left / "data" / DATABASE)) as connection:
        there = connection.execute("SELECT count(*) FROM accounts WHERE name = 'ada'").fetchone()[0]
    assert not there or not done
    if not there:
        assert json.loads((left / "ada.json").read_text())


def old_tables(place: Path) -> None:
    """A database of the first version, with an account."""
    (place / "data").mkdir()
    script = FIRST_TABLES.read_text()
    with closing(sqlite3.connect(place / "data" / DATABASE)) as connection:
        connection.executescript(script)
        connection.execute(
            "INSERT INTO accounts (id, name, name_key, password_hash, email, comment, created, bot)"
            " VALUES (1, 'ada', 'ada', '', '', '', 1.0, 0)"
        )
        connection.commit()


def migrated(left: Path, before: Path, done: bool) -> None:
    """The tables are old or new, and nothing between; the account is there; if they are new, so is the copy."""
    file = left / "data" / DATABASE
    with closing(ReadOnly(sqlite_url(file))) as source:
        assert source.read(database_copy.faults) == []
        is_new = source.read(version_of) == newest_version()
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM accounts").fetchall() == [("ada",)]
    assert is_new or not done
    copies = list((left / "data/backups").glob("before-upgrade*.sqlite"))
    assert copies or not is_new
    for copy in copies:
        assert dump(copy) == dump(before / "data" / DATABASE)
    with closing(Store.open(sqlite_url(file), reactor=None)) as store:
        assert store.read(version_of) == newest_version()


def initialised(left: Path, before: Path, done: bool) -> None:
    """If it was said, the whole configuration is there and can be used."""
    if done:
        config = left / "etc/games/tpserver.toml"
        load(config)
        assert (left / "etc/games/tpserver.service").read_text().rstrip().endswith("WantedBy=multi-user.target")
        assert (left / "etc/games/data").is_dir()


def backup_words(place: Path) -> list[object]:
    return ["backup", "--data", place / "data", "--to", place / "elsewhere/backups", "--keep", 1]


CASES = (
    Case("first start", nothing, lambda place: [
        "game", "create", "lots", "--ruleset", "auction", "--seats", 2, "--data", place / "var/games"], first_start),
    Case("backup", with_backup, lambda place: ["backup", "--data", place / "data", "--keep", 1], one_backup),
    Case("backup to a new directory", with_backup, backup_words, one_backup),
    Case("restore", only_backup, lambda place: [
        "restore", place / "data/backups/tpserver-20200101T000000Z.sqlite", "--data", place / "data"], restored),
    Case("archive", game_over, lambda place: [
        "archive", "--over-for", "0d", "--delete", place / "old/games", "--data", place / "data"], archived),
    Case("account remove", with_game, lambda place: [
        "account", "remove", "ada", "--data", place / "data", "--to", place / "ada.json"], account_removed),
    Case("migration", old_tables, lambda place: ["game", "list", "--data", place / "data"], migrated),
    Case("init", nothing, lambda place: ["init", place / "etc/games"], initialised),
)  # fmt: skip


@pytest.fixture(params=CASES, ids=lambda case: case.name.replace(" ", "-"))
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def before(case: Case) -> Iterator[Path]:
    """The content of a disk before the command."""
    with in_memory() as place:
        case.prepare(place)
        yield place


def compare(case: Case, disks: Disks, disk: str, before: Path, done: bool, what: str) -> None:
    """Hold what is on a disk against what it must have."""
    with in_memory() as left:
        disks.put_into(disk, left)
        there = [str(file.relative_to(left)) for file in left.rglob("*")]
        try:
            case.check(left, before, done)
        except Exception as error:
            trace = "\n".join(disks.state(disk.partition(" ")[0]).trace[-15:])
            pytest.fail(f"{case.name}, {what}: {error!r}\nthere is {there}\n{trace}")


@pytest.mark.parametrize("keeps", ["nothing", pytest.param("names", marks=pytest.mark.thorough)])
def test_what_a_command_has_said_to_be_done_is_done_on_the_disk(
    case: Case, disks: Disks, before: Path, keeps: str
) -> None:
    """The power goes at once, and nothing is left of what was not synced; or the names are, without the bytes."""
    place = disks.make("a", source=before)
    assert main([str(word) for word in case.words(place)]) == 0
    disks.cut("a", "a after", keeps=keeps)
    compare(case, disks, "a after", before, True, f"after it, {keeps}")


@pytest.mark.thorough
def test_a_command_that_is_cut_off_leaves_what_was_or_what_is_to_be(case: Case, disks: Disks, before: Path) -> None:
    """At steps all over it, whatever the disk keeps."""
    place = disks.make("whole", source=before)
    assert main([str(word) for word in case.words(place)]) == 0
    steps = disks.state("whole").steps
    chance = random.Random(case.name)
    for number in range(CUTS):
        at, after = chance.randint(1, steps), chance.random() < 0.5
        place = disks.make(f"{number}", source=before)
        disks.arm(f"{number}", 0, cut_at=at, cut_after=after)
        code = main([str(word) for word in case.words(place)])
        disks.cut(f"{number}", f"{number} after", seed=f"{case.name} {number}")
        what = f"cut {number}, {'after' if after else 'at'} step {at} of {steps}"
        compare(case, disks, f"{number} after", before, code == 0, what)
