"""Restart of a server: all games are the same as before.

Worlds, queues, marks, boards, views and times are compared.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.requests.odd_rulesets import ODD
from tests.support.server_in_memory import (
    GIFT,
    SMALL_BOARD,
    Client,
    Server,
    chosen,
    making_servers,
    result_of,
    state_of,
    target,
    view_of,
)
from tpserver.games.core import game as games
from tpserver.games.core import phases
from tpserver.games.core.errors import GameError
from tpserver.games.turns import order_intake
from tpserver.store import JournalEntry
from tpserver.store.games.rows import GameRow


def looks(server: Server, name: str = "first") -> tuple[Any, ...]:
    """Return all that must be the same after a restart."""
    game = server.game(name)
    objects = {seat: seen for seat, (seen, _, _) in view_of(game).items()}
    # Until when its clock has run is noted as it is changed.
    state = tuple(replace(part, ran=None) if isinstance(part, GameRow) else part for part in state_of(game))
    return (state, objects, game.outcome, phases.active(game), phases.title(game))


def times_do_not_go_back(before: dict[Any, Any], after: dict[Any, Any]) -> None:
    """Data that a client has with a time must never look older to it afterwards."""
    for seat, (_, times, gone) in before.items():
        _, later, later_gone = after[seat]
        assert all(later[number] >= time for number, time in times.items())
        assert set(gone) == set(later_gone)
        assert all(later_gone[number] >= time for number, time in gone.items())


def restarted(server: Server) -> Server:
    """Restart, and make sure that nothing is different."""
    before, views, boards = looks(server), view_of(server.game()), times_of_boards(server)
    later = server.restarted(1)
    assert looks(later) == before
    times_do_not_go_back(views, view_of(later.game()))
    assert all(later_time >= time for time, later_time in zip(boards, times_of_boards(later), strict=True))
    return later


def times_of_boards(server: Server) -> list[int]:
    return [board.modtime for _, board in sorted(server.game().boards.items())]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("bid"), st.integers(0, 1), st.integers(0, 9)),
        st.tuples(st.just("gift"), st.integers(0, 1), st.integers(0, 3)),
        st.tuples(st.just("remove"), st.integers(0, 1), st.integers(0, 2)),
        st.tuples(st.just("finish"), st.integers(0, 1), st.just(0)),
        st.tuples(st.just("post"), st.integers(0, 1), st.integers(0, 2)),
        st.tuples(st.just("unpost"), st.integers(0, 1), st.integers(0, 3)),
        st.tuples(st.just("read"), st.integers(0, 1), st.just(0)),
        st.tuples(st.just("close"), st.just(0), st.just(0)),
        st.tuples(st.just("time"), st.just(0), st.integers(0, 3)),
        st.tuples(st.just("restart"), st.just(0), st.just(0)),
    ),
    max_size=14,
)


def do(clients: list[Client], server: Server, step: tuple[str, int, int]) -> None:
    what, seat, value = step
    client = clients[seat]
    if what == "bid":
        client.bid(value)
    elif what == "gift":
        client.insert(client.home, GIFT, target(2), chosen((1, value)) if value else chosen(), slot=0)
    elif what == "remove":
        client.ask("remove_order", id=client.home, slots=[value])
    elif what == "finish":
        client.ask("finished_turn")
    elif what == "post":
        client.ask("post_message", id=value, slot=-1, subject=f"Letter {value}", body="b")
    elif what == "unpost":
        client.ask("remove_message", id=0, slots=[value])
    elif what == "read":
        client.ids()
        client.ids("get_board_ids")
    elif what == "close" and not server.game().over:
        server.close_turn()
    elif what == "time":
        server.pass_time(value)


@pytest.mark.thorough
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_whatever_was_done_a_restart_changes_nothing(steps: list[tuple[str, int, int]]):
    """Any orders, drafts, removals, marks, messages and turns, with restarts in between and one at the end."""
    with making_servers() as make:
        server = make(found=ODD)
        server.create("first", "fading", clock="manual", options={"rounds": 3})
        clients = server.players(2)
        for step in steps:
            if step[0] == "restart":
                server = restarted(server)
                clients = server.players(2)
            else:
                do(clients, server, step)
        restarted(restarted(server)).stop()


def test_a_game_of_tae_is_the_same_after_a_restart(server: Server):
    """In the middle of a turn, with orders queued in the plan of both players, turn after turn."""
    server.create("first", "tae", clock="manual", options={"board": SMALL_BOARD})
    server.players(2)
    for _ in range(4):
        game = server.game()
        for seat in phases.active(game):
            for _ in range(2):
                move = next(iter(game.rules.legal_orders(game.state.plan(seat))), None)
                if move is not None:
                    now = server.clock.seconds()
                    order_intake.make(
                        game, order_intake.insertion(game, seat, move.on, move.type, move.args, -1, now), now
                    )
        server = restarted(server)
        server.close_turn()
        server = restarted(server)
    server.stop()


def test_the_same_file_gives_the_same_game_again_and_again(server: Server):
    """Ten restarts in a row do not move anything, not even times."""
    server.create("first", clock="manual")
    ann, _ = server.players(2)
    ann.bid(3)
    server = restarted(server)
    views = view_of(server.game())
    for _ in range(10):
        server = restarted(server)
        assert view_of(server.game()) == views
    server.stop()


def test_another_version_of_the_software_makes_all_objects_new(server: Server, monkeypatch: pytest.MonkeyPatch):
    """They may look different then; clients compare times only."""
    server.create("first", clock="manual")
    ann, _ = server.players(2)
    server.close_turn()
    before = ann.ids()
    server.stop()
    monkeypatch.setattr(games, "__version__", "99.0")
    later = server.restarted(5)
    try:
        after = later.player("ann").ids()
        assert set(after) == set(before)
        assert all(after[number] > time for number, time in before.items())
    finally:
        later.stop()


def test_a_phase_that_closes_after_each_order_closes_after_a_crash_too(make_server: Any):
    """The order was saved, the closing was not: the turn closes when the server is back."""
    server = make_server(found=ODD, delayed=True)
    server.create("first", "sequential", 2, clock="manual")
    ann, _ = server.players(2)
    server.disk.at_once = False
    order = ann.post_bid(3)
    server.disk.commit(1)
    assert order.came
    crashed = server.crashed(server.path.with_name("copy.sqlite"))
    try:
        assert crashed.game().state.turn == 1
        assert crashed.game().state.world.won == [1, 0]
    finally:
        crashed.stop()


def test_nobody_is_told_of_a_restart_but_all_can_go_on(server: Server):
    """The game goes on where it was: the same slots, the same board, the next number of the journal."""
    server.create("first", clock="all-done")
    ann, _ = server.players(2)
    ann.bid(3, "mine")
    last = server.game().last_entry
    server = restarted(server)
    assert server.game().last_entry == last
    ann, ben = server.players(2)
    assert ann.queue(ann.home)[0].parameters[1].string.string == "mine"
    assert ann.ask("remove_order", id=ann.home, slots=[0]).name == "okay"
    ann.bid(4)
    for client in (ann, ben):
        client.ask("finished_turn")
    assert server.game().state.world.gold == [5, 9]
    server.stop()


def test_an_order_of_nobody_in_the_journal_is_said_and_not_played(make_server: Any):
    server = make_server()
    game = server.create(clock="manual")
    server.players(2)
    body = [2, "Bid", {"gold": 1, "words": ""}, False, 0]
    result_of(
        server.store.append(JournalEntry(game.row.id, game.last_entry + 1, 0, server.now(), None, "insert", body))
    )
    later = server.restarted()
    with pytest.raises(GameError, match="of kind insert names no seat"):
        later.game()
    later.stop()
