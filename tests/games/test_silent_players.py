"""Silent players: turns without a deadline stop waiting for them.

Seats of removed accounts are covered, too.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_games.auction import Auction

from tests.games.test_absent_players import replayed
from tests.games.test_clock_turns import told
from tests.requests.test_create_game import make
from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import Client, Server, result_of
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.games.core import attendance
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game
from tpserver.games.hall.summary import wake_of
from tpserver.games.terms.seat_policy import SeatPolicy
from tpserver.rules.discovery import Rulesets
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.people import accounts as stored_accounts

FOUND = Rulesets({"auction": Auction()})
DAY = 86_400
WAITING = {"clock": "all-done", "policy": SeatPolicy(silent_days=14)}


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    made = make_server(found=FOUND)
    made.registry.load_all()
    return made


def begin(server: Server, seats: int = 3, **more: object) -> list[Client]:
    server.create(seats=seats, **{**WAITING, **more})
    return list(server.players(seats, "pb"))


def turn(server: Server) -> int:
    return server.game().state.turn


def remove(server: Server, name: str) -> list[str]:
    context = AdminContext(server.registry, server.accounts)
    return result_of(perform(context, "account remove", {"name": name}))


# --- silence ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clock", ["all-done", "threshold:100:60"])
def test_a_turn_without_a_deadline_stops_waiting_for_who_has_done_nothing(server: Server, clock: str):
    """All are notified. The next turns do not wait either, until the player does something."""
    ann, ben, _ = begin(server, clock=clock)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    server.pass_time(14 * DAY - 10)
    assert (turn(server), attendance.awaited(server.game())) == (0, [2])
    server.pass_time(20)
    assert (turn(server), attendance.awaited(server.game())) == (1, [0, 1])
    assert told(ann, "Not waited for") == [
        "cem has done nothing for 14 days. The game does not wait for them until they are back."
    ]
    assert ann.ask("propose", game="first", kind="pause").name == "okay"
    assert (
        ben.ask("vote", game="first", id=1, vote="agree").text == "The clock is stopped, and all players are notified"
    )
    ben.ask("propose", game="first", kind="resume"), ann.ask("vote", game="first", id=2, vote="agree")
    ann.ask("finished_turn"), ben.ask("finished_turn")
    assert turn(server) == 2
    server = server.restarted()
    server.registry.load_all()
    assert attendance.is_absent(server.game(), 2)
    server.player("cem", "tp03")
    assert not attendance.is_absent(server.game(), 2), "a login is something"
    assert replayed(server)


@pytest.mark.parametrize("act", ["order", "here", "login"])
def test_whoever_does_something_is_waited_for_as_long_again(server: Server, act: str):
    ann, ben = begin(server, 2)
    ann.ask("finished_turn")
    server.pass_time(10 * DAY)
    if act == "order":
        ben.bid(1)
    elif act == "here":
        ben.ask("say_here")
    else:
        server.player("ben", "tp04")
    server = server.restarted()
    server.registry.load_all()
    server.game()
    server.pass_time(13 * DAY)
    assert (turn(server), attendance.awaited(server.game())) == (0, [1])
    server.pass_time(DAY + 10)
    assert turn(server) == 1


def test_a_game_that_rests_is_read_when_a_player_has_been_silent(server: Server):
    ann, _ = begin(server, 2)
    ann.ask("finished_turn")
    wake = wake_of(server.game(), server.now())
    assert wake is not None
    assert abs(wake - (server.now() + 14 * DAY)) < 10


def test_the_turn_counts_from_its_begin_and_a_pause_and_a_stopped_server_do_not_count(server: Server):
    """A player who was not awaited, or could do nothing, is not silent."""
    ann, ben = begin(server, 2)
    ann.ask("finished_turn")
    server.pass_time(10 * DAY)
    ben.ask("finished_turn")
    assert turn(server) == 1
    ben.ask("finished_turn")
    server.pass_time(10 * DAY)
    assert turn(server) == 1, "ann was not awaited before"
    context = AdminContext(server.registry, server.accounts)
    result_of(perform(context, "game pause", {"name": "first"}))
    server.pass_time(30 * DAY)
    result_of(perform(context, "game resume", {"name": "first"}))
    server.pass_time(13 * DAY)
    assert turn(server) == 1
    server = server.restarted(30 * DAY)
    server.registry.load_all()
    server.game()
    server.pass_time(13 * DAY)
    assert turn(server) == 1
    server.pass_time(2 * DAY)
    assert turn(server) == 2


@pytest.mark.parametrize(
    ("before", "away", "left"), [(0.1, 7, 13.9), (1, 10, 13), (13, 1, 1), (5, 30, 14), (13, 30, 14)]
)
def test_days_in_which_the_server_was_away_are_no_silence(server: Server, before: float, away: float, left: float):
    """The days that were left are still left, at least as many as it was away. The game may rest until then."""
    ann, _ = begin(server, 2)
    ann.ask("finished_turn")
    server.pass_time(before * DAY)
    server = server.restarted(away * DAY)
    server.registry.load_all()
    server.game()
    server.pass_time(10)
    wake = wake_of(server.game(), server.now())
    assert wake == pytest.approx(server.now() + left * DAY, abs=3600)
    server.pass_time(left * DAY - 3600)
    assert turn(server) == 0
    server.pass_time(7200)
    assert turn(server) == 1


@pytest.mark.parametrize("more", [{"clock": "manual"}, {"policy": SeatPolicy()}, {"clock": "all-done bank:9999999:60"}])
def test_games_of_the_operator_and_of_before_wait(server: Server, more: dict[str, object]):
    """So do time banks, which end a turn themselves."""
    ann, _ = begin(server, 2, **more)
    ann.ask("finished_turn")
    server.pass_time(100 * DAY)
    assert (turn(server), attendance.awaited(server.game())) == (0, [1])


def test_where_all_are_silent_the_game_waits_for_all(server: Server):
    begin(server, 2)
    server.pass_time(20 * DAY)
    game = server.game()
    assert (turn(server), attendance.awaited(game), attendance.is_absent(game, 0), attendance.is_absent(game, 1)) == (
        0,
        [0, 1],
        True,
        True,
    )
    server.player("ann").ask("finished_turn")
    assert turn(server) == 1


# --- accounts that are removed ----------------------------------------------------------------------------------------


def test_nothing_waits_for_an_account_that_was_removed(server: Server):
    """Its seat is as after `game remove`: not awaited, not asked, without the account, and sought for another."""
    ann, ben, cem = begin(server)
    ann.ask("finished_turn")
    assert cem.ask("propose", game="first", kind="draw").name == "okay"
    assert ann.ask("propose", game="first", kind="pause").name == "okay"
    assert ben.ask("vote", game="first", id=2, vote="agree").name == "okay"
    lines = remove(server, "cem")
    assert lines == [
        "Account cem is removed; in games that are over it is 'removed player 3', in others it has no seat."
    ]
    game = server.game()
    assert (game.players[2].account, game.players[2].name, attendance.awaited(game)) == (None, "Player 3", [1])
    assert [(one.kind, one.state) for one in game.proposals] == [("draw", "lapsed"), ("pause", "agreed")]
    assert attendance.seeks_player(game, 2)
    ann.ask("propose", game="first", kind="resume"), ben.ask("vote", game="first", id=3, vote="agree")
    ben.ask("finished_turn")
    assert turn(server) == 1
    assert replayed(server)


def test_before_the_start_the_seat_of_a_removed_account_is_open(server: Server):
    begin(server, 3)
    server.create("second", seats=3, **WAITING)
    for name in ("ann", "ben"):
        server.player(name, "pb", "second")
    remove(server, "ann")
    assert server.game("second").open_seats() == [0, 2]


def test_games_of_a_removed_owner_are_another_player_s_or_the_operator_s(server: Server):
    ann = at_home(server, "ann")
    for name, master in (("mine", False), ("watched", True)):
        assert make(ann, name, master=master).name == "okay"
        server.pass_time(60)
        server.player("ben", "pb", name)
    ben = server.accounts.named("ben").id
    rows = [server.game(name).row.id for name in ("mine", "watched")]
    remove(server, "ann")
    assert [server.store.read(stored_ownership.creator_of, number) for number in rows] == [ben, ben]
    remove(server, "ben")
    assert [server.store.read(stored_ownership.creator_of, number) for number in rows] == [None, None]


def test_seats_of_accounts_that_an_older_server_removed_are_taken_as_the_server_starts(server: Server):
    """So are those of a server that was killed between the two."""
    _, ben = begin(server, 2)
    ben.ask("finished_turn")
    number = server.accounts.named("ann").id
    server.store.write(stored_accounts.remove, number, server.now())
    server = server.restarted()
    server.registry.load_all()
    server.pass_time(10)
    assert server.game().players[0].account is None
    assert turn(server) == 1


def test_the_seat_of_a_removed_account_stays_where_the_rules_are_missing(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    """The line says so. The account is removed anyway."""
    begin(server, 2)
    context = AdminContext(server.registry, server.accounts)

    def lost(number: int) -> Game:
        raise GameError("its rules are missing")

    monkeypatch.setattr(server.registry, "with_id", lost)
    lines = result_of(perform(context, "account remove", {"name": "ann"}))
    assert lines[1:] == ["In first seat 1 stays taken until the game is read again: its rules are missing."]
