"""`tpserver archive`: finished games move from the database to files.

At any moment a game is in the database or in a file.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from tests.support.played import played
from tpserver.admin import archives
from tpserver.store import Store, tables

Run = Callable[..., Any]

KILLED = """
import os, sys
from tpserver.admin import archives
from tpserver.cli import archives as commands, main

def die(*words):
    os._exit(9)

def done_and_die(*words, asked=commands._asked):
    asked(*words)
    os._exit(9)

point = sys.argv.pop(1)
if point == "before it has its name":
    archives.put_in_place = die
elif point == "before it is deleted":
    commands._asked = die
else:
    commands._asked = done_and_die
main(sys.argv[1:])
"""


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> list[object]:
    """The options that name a separate database of each kind."""
    config, store = tmp_path / "tp.toml", ""
    if request.param == "postgres":
        store = request.getfixturevalue("emptied_postgres")
    config.write_text(f'[server]\ndata = "{tmp_path}/data"\nstore = "{store}"\n')
    return ["--config", config]


@pytest.fixture
def over(where: list[object], tmp_path: Path, tpserver: Run) -> list[object]:
    """The same, with a game that is over, and one that goes on."""
    store = next(line for line in (tmp_path / "tp.toml").read_text().splitlines() if "store" in line).split('"')[1]
    for name in ("lots", "more"):
        played(tmp_path / "data", name=name, store=store)
    assert tpserver("game", "abort", "lots", "--reason", "nobody plays", *where).code == 0
    return where


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path / "files"


def named(tpserver: Run, where: list[object]) -> list[str]:
    """The names of the games that are in the database."""
    lines = tpserver("game", "list", *where).lines[1:]
    return [line.split()[0] for line in lines]


def test_a_game_that_is_over_goes_to_a_file_and_comes_back(over: list[object], files: Path, tpserver: Run) -> None:
    """It is deleted only if that is asked for, with an entry of the audit; what is played is left alone."""
    digests = tpserver("replay", "lots", *over).lines[:-1]
    said = tpserver("archive", "--over-for", "0d", files, *over)
    assert said.code == 0, said.err
    assert said.lines[-2:] == [
        "Archived: 1. Deleted here: 0. Left: 0.",
        "Nothing was deleted; with --delete they are, once more proven before.",
    ]
    assert [file.name for file in files.glob("*.tp*")] == ["lots-1.tpgame"]
    assert named(tpserver, over) == ["lots", "more"]
    said = tpserver("archive", "--over-for", "0d", "--delete", files, *over)
    assert said.code == 0, said.err
    assert said.lines[0].startswith("lots: 4 turns and ")
    assert said.lines[0].endswith("lots-1.tpgame, which was there already.")
    assert said.lines[-1] == "Archived: 1. Deleted here: 1. Left: 0."
    assert named(tpserver, over) == ["more"]
    audit = tpserver("audit", "lots", *over).out
    assert audit.count("game archive") == 1
    assert "the operator" in audit
    assert tpserver("import", files / "lots-1.tpgame", *over).code == 0
    assert tpserver("replay", "lots", *over).lines[:-1] == digests
    assert "over" in tpserver("game", "show", "lots", *over).out


def test_only_what_is_over_for_so_long(data: Path, files: Path, tpserver: Run) -> None:
    played(data)
    assert tpserver("game", "abort", "lots", "--reason", "no more", "--data", data).code == 0
    said = tpserver("archive", "--over-for", "1d", "--delete", files, "--data", data)
    assert (said.code, said.lines) == (0, ["Archived: 0. Deleted here: 0. Left: 0."])
    assert "'ninety' is not a number of days" in tpserver("archive", "--over-for", "ninety", files).err
    assert "--over-for is missing" in tpserver("archive", files).err


@pytest.mark.thorough
def test_beside_a_running_server(data: Path, files: Path, tpserver: Run, serve: Any) -> None:
    """The server knows at once that the game is gone, and that its name is free."""
    played(data)
    assert tpserver("game", "abort", "lots", "--reason", "no more", "--data", data).code == 0
    serve()
    said = tpserver("archive", "--over-for", "0", "--delete", files, "--data", data)
    assert said.lines[-1] == "Archived: 1. Deleted here: 1. Left: 0.", said.err
    assert "There are no games yet" in tpserver("game", "list", "--data", data).out
    made = tpserver("game", "create", "lots", "--ruleset", "auction", "--seats", "2", "--data", data)
    assert made.code == 0, made.err


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("point", "there"),
    [("before it has its name", ["lots"]), ("before it is deleted", ["lots"]), ("after it was deleted", [])],
)
def test_killed_at_any_moment_nothing_is_lost(
    data: Path, files: Path, tpserver: Run, point: str, there: list[str]
) -> None:
    """The next attempt goes on from what there is, and the game is in one file at the end."""
    played(data)
    assert tpserver("game", "abort", "lots", "--reason", "no more", "--data", data).code == 0
    words = ["archive", "--over-for", "0d", "--delete", files, "--data", data]
    killed = subprocess.run([sys.executable, "-c", KILLED, point, *map(str, words)], capture_output=True, check=False)
    assert killed.returncode == 9, killed.stderr
    if there:
        assert named(tpserver, ["--data", data]) == there
    said = tpserver(*words)
    assert said.code == 0, said.err
    assert said.lines[-1] == f"Archived: {len(there)}. Deleted here: {len(there)}. Left: 0."
    assert sorted(file.name for file in files.glob("*.tp*")) == ["lots-1.tpgame"]
    assert tpserver("import", files / "lots-1.tpgame", "--data", data).code == 0
    assert tpserver("audit", "lots", "--data", data).out.count("game archive") == 1


def test_a_disk_that_is_full_ends_it_and_nothing_is_deleted(
    data: Path, files: Path, tpserver: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(data)
    assert tpserver("game", "abort", "lots", "--reason", "no more", "--data", data).code == 0

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    files.mkdir()
    monkeypatch.setattr(os, "fsync", full)
    said = tpserver("archive", "--over-for", "0d", "--delete", files, "--data", data)
    monkeypatch.undo()
    assert said.code == 1
    assert "cannot be written: no space left on device. Archived until then: 0, deleted: 0\n" in said.err
    assert not list(files.glob("*.tpgame*"))
    assert named(tpserver, ["--data", data]) == ["lots"]


def test_a_game_that_cannot_be_proven_stays(data: Path, files: Path, tpserver: Run) -> None:
    played(data)
    assert tpserver("game", "abort", "lots", "--reason", "no more", "--data", data).code == 0
    with closing(Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)) as store:
        wrong = update(tables.snapshots).where(tables.snapshots.c.turn == 2).values(digest="0" * 64)
        store.write(lambda connection: connection.execute(wrong).rowcount)
    said = tpserver("archive", "--over-for", "0d", "--delete", files, "--data", data)
    assert said.code == 1
    assert said.lines[0].startswith("NOT ARCHIVED: lots stays as it is, and no file was written: ")
    assert said.lines[-1] == "Archived: 0. Deleted here: 0. Left: 1."
    assert not list(files.glob("*.tpgame*"))
    assert named(tpserver, ["--data", data]) == ["lots"]


def test_a_file_of_the_same_name_is_left_alone(data: Path, files: Path, tpserver: Run) -> None:
    """Whatever it is; the game gets another one."""
    played(data)
    assert tpserver("game", "abort", "lots", "--reason", "no more", "--data", data).code == 0
    files.mkdir()
    (files / "lots-1.tpgame").write_bytes(b"something else")
    said = tpserver("archive", "--over-for", "0d", files, "--data", data)
    assert said.code == 0, said.err
    assert (files / "lots-1.tpgame").read_bytes() == b"something else"
    assert archives.read(files / "lots-1-2.tpgame").name == "lots"


def test_a_thinned_game_is_archived_as_it_is(data: Path, files: Path, tpserver: Run, start: Any) -> None:
    """The server thins it as its configuration says; the file is proven by running the game again, and imported so."""
    played(data, turns=5)  # it is over then
    config = data.parent / "tp.toml"
    config.write_text(f'[server]\ndata = "{data}"\n[games]\nkeep_snapshots = "every:4:last:2"\n')
    server = start("run", "--no-parent", "--config", config, "--port", "0", "--web", "off", preloaded=True)
    server.wait_for(r"3 old turns were thinned \(every:4:last:2\)")
    said = tpserver("archive", "--over-for", "0d", "--delete", files, "--data", data)
    assert said.lines[-1] == "Archived: 1. Deleted here: 1. Left: 0.", said.err
    thinned = [row["turn"] for table, row in archives.read(files / "lots-1.tpgame").rows
               if table == "snapshots" and row["thinned"]]  # fmt: skip
    assert thinned == [1, 2, 3]
    assert tpserver("import", files / "lots-1.tpgame", "--data", data).code == 0
