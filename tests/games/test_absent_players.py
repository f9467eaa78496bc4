"""Absent players: missed turns, and turns that do not wait for them.

All of it ends when the player is back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_games.auction import Auction

from tests.games.test_clock_turns import kinds, told
from tests.support.server_in_memory import Client, Server, result_of
from tpserver.games.core import attendance
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.seats.seat_service import MOST_POLICY_CHANGES
from tpserver.games.stored.replay import read_recorded, run_again
from tpserver.games.terms.seat_policy import (
    MOST_COUNTED,
    MOST_MISSED,
    SeatPolicy,
    SeatRecord,
    policy_from,
    record_from,
    stored,
)
from tpserver.rules.discovery import Rulesets
from tpserver.store import reliability
from tpserver.store.games import rows as stored_games

FOUND = Rulesets({"auction": Auction()})
TURN = 100


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    made = make_server(found=FOUND)
    made.registry.load_all()
    return made


def begin(server: Server, seats: int = 2, clock: str = f"interval:{TURN}", **policy: Any) -> list[Client]:
    """Return the players of a new game that has begun."""
    server.create(seats=seats, clock=clock, policy=SeatPolicy(**policy))
    return list(server.players(seats))


def turn(server: Server) -> int:
    return server.game().state.turn


def records(server: Server) -> list[tuple[int, int, int]]:
    """Return the turns due, kept and missed in a row of each seat, as memory and store have them."""
    game = server.game()
    seats = server.store.read(stored_games.seats, game.row.id)
    assert [record_from(seat.record) for seat in seats] == [player.record for player in game.players]
    return [(player.record.due, player.record.kept, player.record.missed) for player in game.players]


def replayed(server: Server) -> str:
    """Return what running the game again from its journal has come to; it fails if a digest differs."""
    name = server.game().name
    return run_again(*server.store.read(read_recorded, name, FOUND)).done


# --- turns due and kept -----------------------------------------------------------------------------------------------


def test_a_turn_is_kept_by_who_finishes_or_orders_and_missed_by_who_does_neither(server: Server):
    """A player who gave orders and did not finish the turn was present."""
    ann, ben, _ = begin(server, 3)
    ann.ask("finished_turn")
    ben.bid(1)
    server.pass_time(TURN)
    assert records(server) == [(1, 1, 0), (1, 1, 0), (1, 0, 1)]
    server.pass_time(TURN)
    assert records(server) == [(2, 1, 1), (2, 1, 1), (2, 0, 2)]


def test_a_kept_turn_ends_the_row_of_missed_ones(server: Server):
    ann, ben = begin(server)
    server.pass_time(TURN)
    server.pass_time(TURN)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    assert records(server) == [(3, 1, 0), (3, 1, 0)]


def test_of_a_turn_that_the_operator_closes_nobody_is_late(server: Server):
    ann, _ = begin(server)
    ann.ask("finished_turn")
    server.close_turn()
    assert records(server) == [(1, 1, 0), (0, 0, 0)]


def test_turns_are_counted_of_accounts_over_all_games(server: Server):
    """A bot has no account, and none is counted."""
    begin(server)
    server.pass_time(TURN)
    server.create("second", clock=f"interval:{TURN}")
    ann, _ = server.players(2, game="second")
    ann.ask("finished_turn")
    server.pass_time(TURN)
    accounts = [player.account for player in server.game("second").players]
    found = server.store.read(reliability.of_accounts, accounts)
    assert [found[account] for account in accounts] == [(3, 1), (3, 0)]


def test_records_are_read_again_after_a_restart_also_orders_of_the_turn(server: Server):
    ann, _ = begin(server)
    server.pass_time(TURN)
    ann.bid(1)
    server = server.restarted()
    assert records(server) == [(1, 0, 1), (1, 0, 1)]
    server.pass_time(TURN)
    assert records(server) == [(2, 1, 0), (2, 0, 2)]


def test_a_turn_that_could_not_be_saved_is_not_counted(delayed: Server):
    server = delayed
    begin(server)
    server.disk.at_once = False
    server.pass_time(TURN)
    server.disk.fail()
    server.disk.at_once = True
    assert records(server) == [(0, 0, 0), (0, 0, 0)]


@pytest.fixture
def delayed(make_server: Callable[..., Server]) -> Server:
    made = make_server(found=FOUND, delayed=True)
    made.registry.load_all()
    return made


# --- not waiting ------------------------------------------------------------------------------------------------------


def test_who_missed_so_many_turns_in_a_row_is_not_waited_for(server: Server):
    """The others are notified, and their turn ends when they have finished."""
    ann, _ = begin(server, absent_after=2)
    for _ in range(2):
        ann.ask("finished_turn")
        assert attendance.awaited(server.game()) == [1]
        server.pass_time(TURN)
    assert (turn(server), attendance.awaited(server.game())) == (2, [0])
    text = "ben has missed 2 turns in a row. The game does not wait for them until they are back."
    assert told(ann, "Not waited for") == [text]
    ann.ask("finished_turn")
    assert turn(server) == 3
    assert records(server) == [(3, 3, 0), (2, 0, 2)]  # a turn that did not wait for him was not due from him
    assert replayed(server).startswith("3 turns")


@pytest.mark.parametrize("act", ["finish", "order"])
def test_whoever_does_something_is_back(server: Server, act: str):
    ann, ben = begin(server, absent_after=1)
    ann.ask("finished_turn")
    server.pass_time(TURN)
    assert attendance.is_absent(server.game(), 1)
    if act == "finish":
        ben.ask("finished_turn")
        assert records(server)[1] == (1, 0, 0)
        ann.ask("finished_turn")
        assert turn(server) == 2
    else:
        ben.bid(1)
        ann.ask("finished_turn")
        assert turn(server) == 1
        assert attendance.awaited(server.game()) == [1]
    assert told(ann, "Back again") == ["ben is back, and the game waits for them again."]
    assert kinds(server).count("back") == 1
    server = server.restarted()
    assert not attendance.is_absent(server.game(), 1)
    replayed(server)


def test_a_game_whose_players_are_all_absent_waits_for_its_clock(server: Server):
    """Else it would run to its end at once."""
    begin(server, absent_after=1)
    server.pass_time(TURN)
    assert (turn(server), attendance.awaited(server.game())) == (1, [0, 1])
    server.pass_time(TURN - 1)
    assert turn(server) == 1
    server.pass_time(1)
    assert turn(server) == 2
    assert records(server) == [(2, 0, 2), (2, 0, 2)]


def test_a_threshold_counts_only_those_who_are_waited_for(server: Server):
    """Two of three are there; when one of these is done, that is half of them."""
    ann, ben, _ = begin(server, 3, "threshold:60:50", absent_after=1)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    server.pass_time(50)
    assert (turn(server), attendance.is_absent(server.game(), 2)) == (1, True)
    ann.ask("finished_turn")
    assert server.game().row.deadline is None
    ben.ask("finished_turn")
    assert turn(server) == 2


def test_a_new_turn_does_not_wait_for_the_time_bank_of_who_is_absent(server: Server):
    ann, _ = begin(server, 2, f"interval:{TURN} bank:60", absent_after=1)
    ann.ask("finished_turn")
    server.pass_time(TURN + 60)
    row = server.game().row
    assert (turn(server), row.deadline - row.due) == (1, 60.0)
    server.game().banks.update({0: 0.0, 1: 60.0})
    ann.ask("finished_turn")
    assert (turn(server), server.game().row.deadline) == (2, server.game().row.due)


def test_a_game_without_a_policy_waits_for_everybody(server: Server):
    ann, _ = begin(server)
    for _ in range(3):
        ann.ask("finished_turn")
        server.pass_time(TURN)
    assert (records(server)[1], attendance.awaited(server.game())) == ((3, 0, 3), [0, 1])


# --- another policy ---------------------------------------------------------------------------------------------------


def change(server: Server, policy: SeatPolicy, **more: Any) -> None:
    result_of(server.registry.seat_changes.set_policy(server.game(), policy, "The operator", **more))


def test_a_policy_counts_at_once_is_told_and_kept(server: Server):
    """A player who has already missed that many turns is no longer awaited, so the turn may end at once."""
    ann, _ = begin(server)
    ann.ask("finished_turn")
    server.pass_time(TURN)
    ann.ask("finished_turn")
    change(server, SeatPolicy(absent_after=1))
    assert turn(server) == 2
    words = "the game does not wait for a player who has missed a turn, until that player is back"
    assert told(ann, "Absent players") == [f"The operator has decided: {words}."]
    server = server.restarted()
    assert server.game().policy == SeatPolicy(absent_after=1)
    replayed(server)


def test_policies_out_of_bounds_and_too_many_changes_are_refused(server: Server):
    with pytest.raises(GameError, match="1 to 100 turns in a row"):
        server.create(policy=SeatPolicy(absent_after=MOST_MISSED + 1))
    begin(server)
    before = server.game().last_entry
    for wrong in (-1, MOST_MISSED + 1):
        with pytest.raises(GameError, match="1 to 100 turns in a row"):
            change(server, SeatPolicy(absent_after=wrong))
    assert server.game().last_entry == before
    for number in range(MOST_POLICY_CHANGES):
        change(server, SeatPolicy(absent_after=1 + number % 2), maker=True)
    server = server.restarted()
    with pytest.raises(NotNow, match="20 times in this turn"):
        change(server, SeatPolicy(), maker=True)
    change(server, SeatPolicy())  # the operator may
    server.pass_time(TURN)
    change(server, SeatPolicy(absent_after=3), maker=True)


def test_stored_records_and_policies_are_read_whatever_they_say():
    """A file from elsewhere may say anything."""
    assert record_from(None) == record_from([1]) == record_from({"due": "x", "more": 1}) == SeatRecord()
    assert record_from({"due": -1, "kept": 10**20, "missed": True}) == SeatRecord(0, MOST_COUNTED, 0)
    assert policy_from({"absent_after": 10**6}) == policy_from(None) == SeatPolicy()
    for kept in (SeatRecord(3, 2, 1), SeatRecord()):
        assert record_from(stored(kept)) == kept
    assert policy_from(stored(SeatPolicy(absent_after=4))) == SeatPolicy(absent_after=4)


def test_a_turn_of_absent_players_alone_ends_at_once(make_server: Callable[..., Server]):
    """If players take turns by the rules, the present player never finishes an absent one's turn, and has no clock."""
    server = make_server()
    server.create("first", "swarm", clock="all-done")
    ann, _ = server.players(2)
    result_of(server.registry.seat_changes.remove_player(server.game(), 1, "The operator"))
    for _ in range(8):
        server.settle()
        before = turn(server)
        assert attendance.awaited(server.game()) == [0], "a turn of the other waits for nobody"
        ann.ask("finished_turn")
        assert turn(server) > before
