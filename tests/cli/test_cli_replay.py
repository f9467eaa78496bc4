"""`tpserver replay`: the journal yields the recorded digests again.

The command names the first digest that differs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, update

from tests.support.played import played
from tpserver.store import Store, tables
from tpserver.store.games import snapshots as stored_snapshots

Run = Callable[..., Any]


def _digests(data: Path) -> list[str]:
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)
    digests = store.read(lambda connection: stored_snapshots.digests(connection, 1))
    store.close()
    return [digest for _, digest in digests]


def _tamper(data: Path, statement: Any) -> None:
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)
    store.write(lambda connection: connection.execute(statement).rowcount)
    store.close()


def test_a_game_is_run_again_to_the_same_digests(data: Path, tpserver: Run) -> None:
    """Each recorded digest is printed once, in order."""
    played(data)
    said = tpserver("replay", "lots", "--data", data)
    assert said.code == 0
    *turns, summary = said.lines
    assert [line.split()[-1] for line in turns] == _digests(data)
    assert len(set(_digests(data))) == 5
    assert summary.startswith("lots: 4 turns and ")
    assert summary.endswith("every digest is the same.")


def test_a_replay_beside_a_running_server(data: Path, tpserver: Run, serve: Any) -> None:
    """It only reads, so it needs neither lock nor socket."""
    played(data)
    alone = tpserver("replay", "lots", "--data", data)
    serve()
    assert tpserver("replay", "LOTS", "--data", data) == alone


@pytest.mark.parametrize("turn", [0, 2, 4])
def test_a_tampered_digest_is_found(data: Path, tpserver: Run, turn: int) -> None:
    """The first difference is named with its turn and both digests, and ends the replay with code 1."""
    played(data)
    true = _digests(data)[turn]
    snapshots = tables.snapshots
    _tamper(data, update(snapshots).where(snapshots.c.turn == turn).values(digest="0" * 64))
    said = tpserver("replay", "lots", "--data", data)
    assert said.code == 1
    assert f"turn {turn} differs: recorded digest {'0' * 64}, run again {true}" in said.err
    assert len(said.lines) == turn


def test_a_tampered_order_is_found(data: Path, tpserver: Run) -> None:
    """An order that was not given changes the turn after it."""
    played(data)
    journal = tables.journal
    _tamper(
        data,
        update(journal)
        .where(journal.c.turn == 2, journal.c.seat == 1, journal.c.kind == "insert")
        .values(body=[3, "Bid", {"gold": 5, "words": ""}, False, 0]),
    )
    said = tpserver("replay", "lots", "--data", data)
    assert (said.code, len(said.lines)) == (1, 3)
    assert "turn 3 differs" in said.err


@pytest.mark.parametrize(
    ("turn", "sentence"),
    [(1, "closes turn 2, but the game is in turn 1"), (3, "turn 4 is recorded, but no entry of the journal closes")],
)
def test_a_missing_close_is_found(data: Path, tpserver: Run, turn: int, sentence: str) -> None:
    played(data)
    journal = tables.journal
    _tamper(data, delete(journal).where(journal.c.turn == turn, journal.c.kind == "close"))
    said = tpserver("replay", "lots", "--data", data)
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert sentence in said.err


def test_an_entry_that_cannot_be_applied_is_named(data: Path, tpserver: Run) -> None:
    played(data)
    journal = tables.journal
    _tamper(data, update(journal).where(journal.c.turn == 1, journal.c.kind == "remove").values(body=[99, 7]))
    said = tpserver("replay", "lots", "--data", data)
    assert said.code == 1
    assert "(remove, turn 1) cannot be applied" in said.err
    assert said.err.count("\n") == 1


def test_a_held_game_shows_why_it_is_held(data: Path, tpserver: Run) -> None:
    """Closing the turn is refused with the reason, and the replay tries that turn again."""
    from tpserver.admin.socket_protocol import OperationError

    with pytest.raises(OperationError, match="the game is held: Broken: advance broke"):
        played(data, "brittle", "raise in advance")
    assert "state      held: Broken: advance broke" in tpserver("game", "show", "lots", "--data", data).out
    assert "is held" in tpserver("game", "close-turn", "lots", "--data", data).err
    said = tpserver("replay", "lots", "--data", data)
    assert said.code == 1
    assert "ruleset brittle fails at turn 0: Broken: advance broke (brittle.py line" in said.err


def test_an_unknown_game_is_named(data: Path, tpserver: Run) -> None:
    played(data, turns=0)
    said = tpserver("replay", "lost", "--data", data)
    assert (said.code, said.err) == (1, "tpserver: there is no game 'lost' (games: lots)\n")
