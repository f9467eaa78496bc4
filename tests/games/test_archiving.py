"""Archiving: a game leaves the database only if it is idle and unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.server_in_memory import Client, Server, result_of
from tpserver.admin import archives
from tpserver.admin.archives import Filed
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import OperationError
from tpserver.games.service import ownership
from tpserver.store import audit as stored_audit
from tpserver.store.games import rows as stored_games


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Iterator[Server]:
    """A server with an auction that is over, which nobody is in."""
    server = make_server(delayed=True)
    server.create("first", clock="manual")
    clients = server.players(2)
    clients[0].bid(2, "")
    server.close_turn()
    result_of(ownership.abort(server.registry, server.game(), "nobody plays", "The operator"))
    for client in clients:
        client.hang_up()
    yield server


def filed(server: Server, directory: Path) -> Filed:
    (row,) = archives.over_since(server.store, 0.0, server.now())
    return archives.put_to_file(server.store, row, directory, server.found, server.now())


def archived(server: Server, file: Filed, name: str = "first") -> list[str]:
    arguments = {"name": name, "path": str(file.file), "digest": file.digest}
    return result_of(perform(AdminContext(server.registry, server.accounts), "game archive", arguments))


def is_there(server: Server) -> bool:
    """Return True if the game is in the database and in the list, which must agree."""
    stored = server.store.read(stored_games.by_id, 1) is not None
    assert [row.id for row in server.registry.directory.rows()] == [1] * stored
    done = [entry.operation for entry in server.store.read(stored_audit.newest, 100)]
    assert done.count("game archive") == (not stored)
    return stored


def back(server: Server) -> Client:
    client = server.connect("tp04")
    answer = client.ask("login", username="ann@first", password="ann's word")
    assert answer.name == "okay", answer
    return client


def test_it_leaves_when_nobody_is_in_it(server: Server, tmp_path: Path) -> None:
    """Neither in it nor in its old turns."""
    file = filed(server, tmp_path)
    for name in ("ann@first", "ann@first/turn/0"):
        client = server.connect("tp04")
        assert client.ask("login", username=name, password="ann's word").name == "okay"
        with pytest.raises(OperationError, match="somebody is in the game first now"):
            archived(server, file)
        assert is_there(server)
        assert client.ids()
        client.hang_up()
    assert archived(server, file) == [f"Game first is deleted here; {file.file} holds all of it."]
    assert not is_there(server)


def test_a_letter_that_was_written_meanwhile_is_not_lost(server: Server, tmp_path: Path) -> None:
    file = filed(server, tmp_path)
    client = back(server)
    result_of(
        perform(AdminContext(server.registry, server.accounts), "game rename", {"name": "first", "new_name": "1st"})
    )
    client.hang_up()
    with pytest.raises(OperationError, match="first has changed since it was written to the file"):
        archived(server, file, "1st")
    assert is_there(server)
    assert server.player("ann", game="1st").messages()[-1].subject == "Another name"


@pytest.mark.parametrize("state", ["running", "other file"])
def test_what_the_file_does_not_hold_is_refused(server: Server, tmp_path: Path, state: str) -> None:
    file = filed(server, tmp_path)
    if state == "running":
        server.create("second", clock="manual")
        server.players(2, game="second")
        with pytest.raises(OperationError, match="game second is not over"):
            archived(server, file, "second")
        return
    file.file.write_bytes(file.file.read_bytes() + b" ")
    with pytest.raises(OperationError, match="was changed after it was proven"):
        archived(server, file)
    file.file.unlink()
    with pytest.raises(OperationError, match="cannot be read: no such file or directory"):
        archived(server, file)
    assert is_there(server)


def test_a_disk_that_is_full_leaves_it_where_it_is(server: Server, tmp_path: Path) -> None:
    """In the list as well; at the next attempt it goes."""
    from twisted.internet.defer import Deferred

    file = filed(server, tmp_path)
    server.disk.at_once = False
    arguments = {"name": "first", "path": str(file.file), "digest": file.digest}
    context = AdminContext(server.registry, server.accounts)
    doing = Deferred.fromCoroutine(perform(context, "game archive", arguments))
    server.disk.fail()
    with pytest.raises(OperationError, match="disk is full"):
        result_of(doing)
    server.disk.at_once = True
    assert is_there(server)
    archived(server, file)
    assert not is_there(server)


def test_a_game_that_changes_while_it_is_written_has_no_file(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holds = archives.holds

    def later(*words: object) -> bool:
        arguments = {"name": "first", "new_name": "1st"}
        result_of(perform(AdminContext(server.registry, server.accounts), "game rename", arguments))
        return holds(*words)

    monkeypatch.setattr(archives, "holds", later)
    with pytest.raises(archives.Changed, match="first has changed while it was archived"):
        filed(server, tmp_path)
    assert not list(tmp_path.iterdir())
