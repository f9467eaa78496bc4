"""Games saved by another version of their ruleset.

The server reports and records the change of version. It refuses an older version of the ruleset.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update
from test_games.auction import Auction

from tests.support.server_in_memory import Server, result_of
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.rules.discovery import Rulesets
from tpserver.store import Store, tables
from tpserver.store.games import rows as stored_games
from tpserver.store.games import snapshots as stored_snapshots

BEFORE = Path(__file__).with_name("before_versions.sqlite.gz")
"""A database of the first tables. Version 1 of Colony Battle and of Swarm saved its games, but for the newest turn of
"hill", which is of version 2; the games name version 1."""


def installed(version: int) -> Rulesets:
    """Return the auction as the only ruleset, in this version."""
    kind = type("Auction", (Auction,), {"version": version})
    return Rulesets({"auction": kind()}, {})


def said(server: Server, operation: str, **arguments: str) -> str:
    return "\n".join(result_of(perform(AdminContext(server.registry, server.accounts), operation, arguments)))


@pytest.fixture
def played(make_server: Callable[..., Server]) -> Server:
    """A server with a game that version 1 has saved."""
    server = make_server(found=installed(1))
    server.create(clock="manual")
    server.players()
    server.close_turn()
    return server


def upgraded(server: Server, version: int) -> Server:
    server.found = installed(version)
    return server.restarted()


def test_a_newer_version_goes_on_and_is_recorded_with_the_next_turn(played: Server, logged: list[str]):
    assert "version 1\n" in said(played, "game show", name="first")
    again = upgraded(played, 2)
    assert [line for line in logged if "saved by version 1 of ruleset auction; version 2 goes on" in line] != []
    assert again.registry.directory.rows()[0].state == "running"
    assert "version 1 (installed: 2)" in said(again, "game show", name="first")
    assert "1 (installed: 2)" in said(again, "game list")
    again.close_turn()
    assert "version 2\n" in said(again, "game show", name="first")
    assert "installed" not in said(again, "game list")
    assert again.store.read(lambda c: stored_games.by_name(c, "first")).ruleset_version == 2
    assert again.store.read(lambda c: stored_snapshots.versions(c, 1)) == [(0, 1), (1, 1), (2, 2)]
    logged.clear()
    upgraded(again, 2)
    assert not any("goes on from it" in line for line in logged)


@pytest.mark.parametrize("paused", [False, True], ids=["running", "paused"])
def test_an_older_version_does_not_touch_a_newer_game(played: Server, paused: bool):
    """It is held, with a sentence, and goes on as it was when the newer version is back."""
    upper = upgraded(played, 3)
    upper.close_turn()
    if paused:
        said(upper, "game pause", name="first")
    below = upgraded(upper, 2)
    (row,) = below.registry.directory.rows()
    assert row.state == "held"
    assert row.held_reason == (
        "game 'first' cannot be loaded: its turn 2 was saved by version 3 of ruleset auction, and version 2 is "
        "installed. Install version 3 or a newer one and restart the server; nothing is lost"
    )
    answer = below.connect().ask("login", username="ann@first", password="ann's word")
    assert answer.name == "fail"
    assert "saved by version 3" in answer.message.result
    assert "3 (installed: 2)" in said(below, "game list")
    back = upgraded(below, 3)
    assert back.registry.directory.rows()[0].state == ("paused" if paused else "running")
    assert back.game().digest == upper.game().digest


def test_a_game_that_is_over_stays_over(played: Server):
    """Nobody can look at it meanwhile, but it waits for nobody."""
    played.store.write(lambda c: c.execute(update(tables.games).values(state="over", ruleset_version=5)).rowcount)
    assert upgraded(played, 1).registry.directory.rows()[0].state == "over"


def test_databases_of_before_name_the_version_of_the_newest_snapshot(tmp_path: Path):
    file = tmp_path / "old.sqlite"
    file.write_bytes(gzip.decompress(BEFORE.read_bytes()))
    store = Store.open(f"sqlite:///{file}", reactor=None)
    rows = store.read(stored_games.all)
    store.close()
    assert {row.name: row.ruleset_version for row in rows} == {"hill": 2, "pond": 1, "lobby": 1}
