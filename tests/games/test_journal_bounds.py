"""Size of the journal: bounded by the remaining orders of a turn.

This holds however often orders are inserted and removed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.server_in_memory import Client, Server, number, state_of
from tpproto.frames import BY_NAME
from tpserver.cli.stored_games import replay
from tpserver.games.core.game import MOST_ORDER_ENTRIES
from tpserver.store.games import journal as stored_journal

FLEETS = (4, 10)
"""Of the first of two players of `synthetic`."""
WORK = 1
FEW = 20


def start(make_server: Callable[..., Server], few: int = FEW, **more: Any) -> tuple[Server, Client]:
    server = make_server(**more)
    server.registry.order_entries = few
    server.create("first", "synthetic", 2, options={"objects": 20}, clock="manual")
    ann, _ = server.players(2, "pb")
    return server, ann


def entries(server: Server) -> list[stored_journal.JournalEntry]:
    """Return what a server would have to read at its start, without the players' coming."""
    game = server.game("first")
    after = partial(stored_journal.after, game=game.row.id, number=game.snapshot_entry)
    return [entry for entry in server.store.read(after) if entry.kind not in ("seat", "start")]


def insert(ann: Client, fleet: int = FLEETS[0], effort: int = 5) -> None:
    assert ann.insert(fleet, WORK, number(effort)).name == "order"


def remove(ann: Client, fleet: int = FLEETS[0], slot: int = 0) -> None:
    assert ann.ask("remove_order", id=fleet, slots=[slot]).name == "okay"


def test_inserting_and_removing_again_and_again_leaves_a_bounded_journal(make_server: Callable[..., Server]):
    """As filed: 20,000 changes of which nothing is left; here a few thousand, counted after each."""
    server, ann = start(make_server, MOST_ORDER_ENTRIES)
    most = 0
    for _ in range(1250):
        insert(ann)
        remove(ann)
        most = max(most, server.game("first").order_entries)
    assert most <= MOST_ORDER_ENTRIES
    assert len(entries(server)) == server.game("first").order_entries <= MOST_ORDER_ENTRIES
    assert entries(server)[0].kind == "queues"


def test_the_bound_follows_what_is_left(make_server: Callable[..., Server]):
    """With many orders in the queues, a few changes do not cause a shorter journal."""
    server, ann = start(make_server)
    kinds: list[int] = []
    for count in range(1, 200):
        insert(ann, FLEETS[count % 2])
        kinds.append(len(entries(server)))
        assert kinds[-1] <= max(FEW, 2 * count) + FEW
    assert kinds == sorted(kinds), "insertions alone are never replaced: all of them are left"
    for _ in range(90):
        remove(ann, FLEETS[0])
        remove(ann, FLEETS[1])
        left = len(ann.session.game.state.queues.get(4, ())) + len(ann.session.game.state.queues.get(10, ()))
        assert len(entries(server)) <= max(FEW, 2 * left) + 2 * FEW + 200
    assert len(entries(server)) < 150


def same(server: Server, other: Server) -> None:
    """Make sure that both have the same game, and that no time of the later one is earlier."""
    one, two = server.game("first"), other.game("first")
    assert state_of(two) == state_of(one)
    assert two.state.queues == one.state.queues
    assert two.state.stamp == one.state.stamp
    assert two.finished == one.finished
    for seat, view in one.views.items():
        assert two.views[seat].objects == view.objects
        assert all(two.views[seat].time(on) >= view.time(on) for on in view.objects)
        assert two.views[seat].latest() >= view.latest()


def changes(ann: Client, first: int, rounds: int) -> None:
    """Insert at the end and at the beginning, replace, and remove, so that stamps are dealt again."""
    for count in range(first, first + rounds):
        insert(ann, FLEETS[count % 2], count % 9 + 1)
        ann.insert(FLEETS[0], WORK, number(count % 7 + 1), slot=0)
        replaced = ann.replace(FLEETS[0], WORK, number(count % 5 + 1), slot=count % 2)
        assert replaced.name == ("order" if count % 2 < len(ann.queue(FLEETS[0])) else "fail")
        if count % 3:
            remove(ann, FLEETS[0], 0)
            ann.ask("remove_order", id=FLEETS[0], slots=[0])
        if not count % 10:
            ann.server.pass_time(1)


def test_a_shorter_journal_says_the_same(make_server: Callable[..., Server], capsys: pytest.CaptureFixture[str]):
    """A crash at each moment, marks among the orders, the turn that follows, a replay: as if nothing were replaced."""
    server, ann = start(make_server)
    long, anne = start(make_server, 10**6)
    ben = server.player("ben")
    for number_of_change in range(1, 40):
        for client in (ann, anne):
            changes(client, number_of_change, 1)
        if number_of_change == 20:
            ben.ask("finished_turn")
            long.player("ben").ask("finished_turn")
        if number_of_change % 5 == 0:
            crashed = server.crashed(server.path.with_name(f"crashed{number_of_change}.sqlite"))
            same(server, crashed)
            assert crashed.game("first").order_entries == server.game("first").order_entries
            crashed.stop()
    assert "queues" in {entry.kind for entry in entries(server)}
    assert "queues" not in {entry.kind for entry in entries(long)}
    assert server.game("first").state.queues == long.game("first").state.queues
    for one in (server, long):
        one.close_turn("first")
        assert one.game("first").order_entries == 0
    assert server.game("first").digest == long.game("first").digest
    changes(ann, 0, 30)
    later = server.restarted()
    same(server, later)
    changes(later.player("ann", "pb"), 0, 30)
    later.close_turn("first")
    later.stop()
    replayed(server.path, capsys)


def replayed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Let the command line run the game again."""
    config = path.with_suffix(".toml")
    config.write_text(f'[server]\ndata = "{path.parent}"\nstore = "sqlite:///{path}"\n')
    options = argparse.Namespace(
        config=config, data=None, port=None, listen=None, web=None, web_port=None, accounts=None, name="first"
    )
    assert replay(options) == 0
    assert "every digest is the same" in capsys.readouterr().out


def due(make_server: Callable[..., Server]) -> tuple[Server, Client]:
    """Return a server whose journal is made shorter with the next change, on a disk that waits."""
    server, ann = start(make_server, delayed=True)
    for _ in range(FEW // 2):
        insert(ann)
        remove(ann)
    assert server.game("first").order_entries == FEW
    server.disk.at_once = False
    return server, ann


def test_nothing_is_lost_if_the_shorter_journal_cannot_be_saved(make_server: Callable[..., Server]):
    """The change that came with it fails with it; what was acknowledged stays."""
    server, ann = due(make_server)
    before = state_of(server.game("first"))
    asked = ann.post_message(BY_NAME["order_insert"], ann.order(FLEETS[0], WORK, number(5)))
    assert len(server.disk.waiting) == 2, "what takes the place of all, and the order"
    server.disk.fail()
    assert "could not be saved" in asked.reply.text
    assert state_of(server.game("first")) == before
    server.disk.at_once = True
    insert(ann)
    assert [entry.kind for entry in entries(server)] == ["queues", "insert"]


def test_a_crash_beside_a_shorter_journal(make_server: Callable[..., Server]):
    """Before it, after it, and after the next order: each is a whole game, and no response is early."""
    server, ann = due(make_server)
    asked = ann.post_message(BY_NAME["order_insert"], ann.order(FLEETS[0], WORK, number(5)))
    for committed, rows, orders in ((0, FEW, 0), (1, 1, 0), (1, 2, 1)):
        assert not asked.came
        server.disk.commit(committed)
        crashed = server.crashed(server.path.with_name(f"crashed{rows}.sqlite"))
        game = crashed.game("first")
        assert (game.order_entries, sum(len(queue) for queue in game.state.queues.values())) == (rows, orders)
        crashed.stop()
    assert asked.reply.name == "order"


def test_a_journal_that_says_something_else_is_left_as_it_is(make_server: Callable[..., Server]):
    """The number of entries that are replaced must be that which memory counted; else the game is read again."""
    server, ann = start(make_server)
    for _ in range(FEW // 2):
        insert(ann)
        remove(ann)
    game = server.game("first")
    server.store.write(lambda c: c.exec_driver_sql("DELETE FROM journal WHERE number = ?", (game.last_entry,)))
    answer = ann.insert(FLEETS[0], WORK, number(5))
    assert answer.code == 3
    assert len(entries(server)) == FEW - 1
    assert server.game("first") is not game
    insert(ann)
