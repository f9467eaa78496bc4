"""`tpserver export` and `import`: a game moves complete or not at all."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.played import played
from tpserver.admin import archives
from tpserver.cli import main
from tpserver.store import tables
from tpserver.store.copies import export_game

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data that the tests copy. To make it again for each takes longer than most of them."""
    folder = tmp_path_factory.mktemp("originals")
    data, other = folder / "data", folder / "other"
    played(data, clock="interval:3600")
    commands = [["export", "lots", "--to", folder / "lots.tpgame", "--data", data]]
    commands += [["account", "add", name, "--password", "word", "--data", other] for name in ("zoe", "bob", "Ada")]
    commands += [["game", "create", "first", "--ruleset", "auction", "--seats", "2", "--data", other]]
    for command in commands:
        assert main([str(word) for word in command]) == 0
    return folder


@pytest.fixture
def file(originals: Path, data: Path, tmp_path: Path) -> Path:
    """A game of ada and bob in a file, whose clock ran."""
    shutil.copytree(originals / "data", data)
    return Path(shutil.copy(originals / "lots.tpgame", tmp_path))


@pytest.fixture
def other(originals: Path, tmp_path: Path) -> Path:
    """The data of another server, which has accounts of the same names, and one more, and a game."""
    return Path(shutil.copytree(originals / "other", tmp_path / "other"))


def dump(data: Path) -> list[str]:
    with closing(sqlite3.connect(data / "tpserver.sqlite")) as connection:
        return list(connection.iterdump())


def texts(file: Path) -> list[Any]:
    """The lists of a file."""
    return [json.loads(line.partition(b" ")[2]) for line in gzip.decompress(file.read_bytes()).splitlines()]


def written(file: Path, lists: list[Any]) -> None:
    """Write an archive with these lists and matching digests, as an attacker who knows the format."""
    digest, lines = "", []
    for content in lists:
        text = json.dumps(content, separators=(",", ":"))
        digest = hashlib.sha256(f"{digest} {text}".encode()).hexdigest()
        lines.append(f"{digest} {text}\n")
    file.write_bytes(gzip.compress("".join(lines).encode()))


@pytest.mark.thorough
@pytest.mark.parametrize("running", [False, True], ids=["offline", "running"])
def test_a_game_goes_on_at_another_server(
    file: Path, other: Path, data: Path, tpserver: Run, start: Any, running: bool
) -> None:
    """Its turns have the same digests, its seats are those of the accounts of the same names, its clock waits."""
    if running:
        server = start("run", "--data", other, "--port", "0", "--web", "off")
        server.wait_for("listens on")
    said = tpserver("import", file, "--data", other)
    assert said.code == 0, said.err
    assert said.lines[0].startswith("lots was run again: 4 turns and")
    assert said.lines[1:] == [
        "Game lots is here, in turn 4, paused.",
        "  player 1 is Ada",
        "  player 2 is bob",
        "Let it go on with: tpserver game resume lots",
    ]
    digests = tpserver("replay", "lots", "--data", data).lines[:-1]
    assert tpserver("replay", "lots", "--data", other).lines[:-1] == digests
    assert "s left when paused" in tpserver("game", "show", "lots", "--data", other).out
    assert tpserver("game", "resume", "lots", "--data", other).code == 0
    assert "is closed; now turn 5" in tpserver("game", "close-turn", "lots", "--data", other).out
    assert tpserver("replay", "lots", "--data", other).code == 0


def test_a_file_holds_no_account_and_is_for_its_owner(file: Path) -> None:
    """Neither passwords nor addresses; all that is said of accounts is their names."""
    assert file.stat().st_mode & 0o777 == 0o600
    content = gzip.decompress(file.read_bytes())
    assert b"no hash" not in content
    assert b"password" not in content
    assert [row["account"] for table, row in texts(file)[1:-1] if table == "seats"] == ["ada", "bob"]


def test_a_game_is_exported_beside_a_running_server(data: Path, tmp_path: Path, tpserver: Run, serve: Any) -> None:
    """As it is at one moment; an existing file is left alone."""
    played(data, clock="interval:3600")
    serve()
    said = tpserver("export", "LOTS", "--to", tmp_path / "x", "--data", data)
    assert said.code == 0
    assert "It is running here still" in said.out
    again = tpserver("export", "lots", "--to", tmp_path / "x", "--data", data)
    assert (again.code, "already; it has been left alone" in again.err) == (1, True)
    assert not list(tmp_path.glob("*.part"))
    assert "there is no game 'lost' (games: lots)" in tpserver("export", "lost", "--data", data).err


@pytest.mark.parametrize("table", ["seats", "journal", "snapshots", "summaries", "messages"])
def test_a_line_that_was_changed_by_hand_is_named(file: Path, other: Path, tpserver: Run, table: str) -> None:
    """By its number and what it is; the other server is as it was."""
    before = dump(other)
    lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    number = next(at for at, line in enumerate(lines) if f'["{table}"'.encode() in line)
    changed = lines[number].replace(b"0", b"1", 100)[65:]
    lines[number] = lines[number][:65] + changed
    file.write_bytes(gzip.compress(b"".join(lines)))
    said = tpserver("import", file, "--data", other)
    assert (said.code, said.out) == (1, "")
    assert f"lots.tpgame, line {number + 1}: this row of {table} was changed after it was written" in said.err
    assert dump(other) == before


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda lists: lists.pop(5), "says that there are"),
        (lambda lists: lists.insert(5, lists[5]), "says that there are"),
        (lambda lists: lists.pop(), "before its end"),
        (lambda lists: lists.append(["more", {}]), "says that there are"),
        (lambda lists: lists[0][1].update(format=2), "has the format 2, and only 1 is known here"),
        (lambda lists: lists[0].__setitem__(0, "a letter"), "is not the archive of a game"),
        (lambda lists: lists[1][1].update(turn="4"), "line 2: it is refused because turn of games cannot be '4'"),
        (lambda lists: lists[1][1].update(turn=2**63), "turn of games cannot be"),
        (lambda lists: lists[1][1].update(seed="?"), "seed of games cannot be '?'"),
        (lambda lists: lists[1][1].update(more=1), "a row of games has name, ruleset"),
        (lambda lists: lists[1].__setitem__(0, "accounts"), "there is no table 'accounts' of games"),
        (lambda lists: lists[1][1].update(turn=3), "the game is in turn 3, but its journal leads to turn 4"),
        (lambda lists: lists[1][1].update(seed="AAAA"), "turn 0 differs"),
        (lambda lists: lists[1][1].update(clock="never"), "is not a clock"),
        (lambda lists: lists[1][1].update(ruleset="gone"), "there is no ruleset 'gone'"),
        (lambda lists: lists[1][1].update(options=5), "options of games cannot be 5"),
        (lambda lists: _order(lists)[1]["body"][2].update(gold=5), "differs: recorded digest"),
        (lambda lists: _of("snapshots", lists)[1]["state"].update(stamp=99), "turn 0 does not have its digest"),
        (lambda lists: _of("snapshots", lists)[1].update(thinned=True), "has of turn 0 is no thinned snapshot"),
        (lambda lists: _thin(_last("snapshots", lists)[1]), "the game is not what it says"),
        (lambda lists: _thin(_of("snapshots", lists)[1], 2), "the game is not what it says"),
        (lambda lists: _thin(_of("snapshots", lists)[1], "1"), "the game is not what it says"),
        (lambda lists: _of("snapshots", lists)[1].update(thinned=1), "thinned of snapshots cannot be 1"),
        (lambda lists: _of("journal", lists)[1].update(kind="unknown", body=None), "no journal entries of the kind"),
        (lambda lists: _of("messages", lists)[1].update(subject=[]), "subject of messages cannot be []"),
        (lambda lists: _of("seats", lists)[1].update(seat=1), "The rows of seats contradict others"),
        (lambda lists: _of("seats", lists).__setitem__(1, 5), "a row of seats has seat, account"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_who_knows_how_digests_are_made_is_found_out_too(
    file: Path, other: Path, tpserver: Run, change: Callable[[list[Any]], object], sentence: str
) -> None:
    """By what a row can be, and by running the game again."""
    before = dump(other)
    lists = texts(file)
    change(lists)
    written(file, lists)
    said = tpserver("import", file, "--data", other)
    assert (said.code, said.err.count("\n")) == (1, 1)
    assert sentence in said.err
    assert dump(other) == before


def _of(table: str, lists: list[Any]) -> Any:
    return next(one for one in lists if one[0] == table)


def _last(table: str, lists: list[Any]) -> Any:
    return [one for one in lists if one[0] == table][-1]


def _thin(row: Any, version: object = 1) -> None:
    row.update(thinned=True, state={"version": version})


def _order(lists: list[Any]) -> Any:
    """The last order that was given."""
    return [one for one in lists if one[0] == "journal" and one[1]["kind"] == "insert"][-1]


@pytest.mark.parametrize(
    "content",
    [b"", b"something else", gzip.compress(b"")[:-4], gzip.compress(b"no digest\n")],
    ids=["empty", "other", "cut off", "without digests"],
)
def test_what_is_no_archive(tmp_path: Path, other: Path, tpserver: Run, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    said = tpserver("import", tmp_path / "x", "--data", other)
    assert (said.code, said.err.count("\n")) == (1, 1)
    assert "tpserver: nothing was imported: " in said.err


def test_an_archive_that_unpacks_to_too_much(
    file: Path, other: Path, tpserver: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounded in bytes, in a line, and in lines, before anything is decoded."""
    for name, value in (("MOST_BYTES", 2000), ("LONGEST_LINE", 300), ("MOST_LINES", 10), ("MOST_FILE_BYTES", 100)):
        with monkeypatch.context() as patch:
            patch.setattr(archives, name, value)
            said = tpserver("import", file, "--data", other)
        assert said.code == 1
        assert "too much for a game" in said.err


@pytest.mark.thorough
def test_a_line_that_grows_without_end_is_not_unpacked(tmp_path: Path) -> None:
    """A file of a few hundred kilobytes does not fill a hundred megabytes of memory."""
    file = tmp_path / "bomb.tpgame"
    with gzip.open(file, "wb") as packed:
        for _ in range(160):
            packed.write(b"0" * (1 << 20))
    assert file.stat().st_size < 200_000
    tracemalloc.start()
    with pytest.raises(archives.BadArchive, match="line 1: this is too much for a game"):
        archives.read(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < archives.FREE_BYTES + 1.5 * archives.MOST_GROWTH * file.stat().st_size


def test_accounts_that_are_not_there_and_others_in_their_place(file: Path, tmp_path: Path, tpserver: Run) -> None:
    """Nobody gets a seat by chance: each is named, or has the same name."""
    third = tmp_path / "third"
    assert tpserver("account", "add", "robert", "--password", "word", "--data", third).code == 0
    said = tpserver("import", file, "--data", third)
    assert said.code == 1
    assert "There is no account 'ada' and none 'bob', who has a seat in the game." in said.err
    assert "write OLD=NEW" in tpserver("import", file, "--account", "ada", "--data", third).err
    both = ("--account", "ada=robert", "--account", "bob=robert")
    assert "Two seats of the game would be of one account." in tpserver("import", file, *both, "--data", third).err
    assert tpserver("account", "add", "ada", "--password", "word", "--data", third).code == 0
    said = tpserver("import", file, "--account", "bob=Robert", "--name", "sold", "--data", third)
    assert said.code == 0, said.err
    assert "  player 2 is robert" in said.lines
    assert "is closed; now turn 5" in tpserver("game", "close-turn", "sold", "--data", third).out
    again = tpserver("import", file, "--account", "bob=robert", "--name", "SOLD", "--data", third)
    assert "There is already a game named 'SOLD'; give it another name: --name NAME" in again.err
    assert "'a/b' is not a name for a game" in tpserver("import", file, "--name", "a/b", "--data", third).err


def test_files_of_versions_without_policies_and_records_are_read() -> None:
    """Their games wait for everybody; any other column that is missing is refused."""
    seat = {"seat": 0, "account": None, "name": "", "bot": False, "bank": None}
    assert export_game.check("seats", seat)["record"] is None
    with pytest.raises(export_game.BadRow):
        export_game.check("seats", {"seat": 0, "account": None, "name": "", "bot": False})
    with pytest.raises(export_game.BadRow, match="record of seats cannot be"):
        export_game.check("seats", {**seat, "record": [1]})


def test_files_of_versions_without_what_came_later_are_read() -> None:
    """Games in them have these defaults: open chat, public names, immediate watching, and no guests."""
    of_the_server = ("id", "name_key", "wake", "resting", "node", "epoch")
    row = {column.name: None for column in tables.games.columns if column.name not in of_the_server}
    row |= dict.fromkeys(("name", "ruleset", "clock", "join", "state", "held_reason"), "x")
    row |= {"ruleset_version": 1, "turn": 0, "created": 0.0, "bots": 0, "options": {}, "seed": ""}
    later = ("policy", "press", "anonymous", "watch_delay", "guests")
    for name in later:
        del row[name]
    checked = export_game.check("games", row)
    assert [checked[name] for name in later] == [None] * len(later)
