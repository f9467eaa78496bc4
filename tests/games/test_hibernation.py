"""Hibernated games: out of memory when nobody plays, loaded when needed.

A player who logs in loads the game, and so does a deadline.
"""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import pytest
from test_games.auction import Auction, World
from twisted.internet.defer import Deferred

from tests.support.server_in_memory import BEGINNING, Client, Server, result_of
from tprules.api import Oid, Shown
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.games.core import phases
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.game import Game
from tpserver.games.hall import hibernation, messages, registry
from tpserver.games.hall.directory import MOST_NAMES
from tpserver.games.hall.hibernation import (
    AHEAD_SECONDS,
    IDLE_SECONDS,
    LEAST_IDLE_SECONDS,
    LOOK_SECONDS,
    MOST_IDLE,
    RETRY_SECONDS,
    STAYS_SECONDS,
)
from tpserver.games.terms.seat_policy import SeatPolicy
from tpserver.games.turns.timekeeper import LEAST_LOST
from tpserver.games.turns.turn_timers import LOOK_SECONDS as CLOCK_SECONDS
from tpserver.notices.calendar import CalendarFeed
from tpserver.notices.contacts import Terms
from tpserver.rules.discovery import Rulesets
from tpserver.store import Store
from tpserver.store.errors import StoreError
from tpserver.store.games import changes as stored_changes
from tpserver.store.games import rows as stored_games
from tpserver.store.games.rows import GameRow

DAY = 86_400
FOUND = Rulesets({"auction": Auction()})


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    """A server that has begun to look after its games."""
    server = make_server()
    server.registry.load_all()
    return server


def in_memory(server: Server) -> list[str]:
    return [game.name for game in server.registry.games.values()]


def idle(server: Server, *players: Client) -> None:
    """Let the players go, and the time pass after which their games leave memory."""
    for client in players:
        client.hang_up()
    server.pass_time(LOOK_SECONDS)
    server.pass_time(IDLE_SECONDS)
    server.pass_time(LOOK_SECONDS)


def read_ahead(server: Server, due: float) -> None:
    """Let the time pass until a game is read in which something is due so many seconds after the beginning."""
    server.pass_time(BEGINNING + due - server.now() - AHEAD_SECONDS)
    server.pass_time(LOOK_SECONDS)


def row_of(server: Server, name: str = "first") -> Any:
    return server.store.read(stored_games.by_name, name)


# --- leaving memory -------------------------------------------------------------------------------------------------


def test_a_game_that_nobody_is_in_leaves_memory(server: Server):
    """A player who returns finds it as it was."""
    server.create(clock="all-done")
    ann, ben = server.players(2)
    ann.bid(4)
    time = ann.ask("get_time_remaining").message
    idle(server, ann, ben)
    assert in_memory(server) == []
    ann = server.player("ann", game="first")
    assert [found.slot for found in ann.queue(ann.home)] == [0]
    assert ann.ask("get_time_remaining").message == time
    assert in_memory(server) == ["first"]


def test_it_stays_while_somebody_is_in_it_and_a_while_longer(server: Server):
    server.create(clock="all-done")
    ann, ben = server.players(2)
    ann.hang_up()
    for _ in range(3):
        server.pass_time(IDLE_SECONDS)
    ben.hang_up()
    server.pass_time(IDLE_SECONDS - 2 * LOOK_SECONDS)
    assert in_memory(server) == ["first"]
    server.pass_time(3 * LOOK_SECONDS)
    assert in_memory(server) == []


@pytest.mark.parametrize("kind", ["deadline", "proposal", "roll call"])
def test_it_stays_if_something_is_due_soon(server: Server, kind: str):
    """Be it the end of a turn, of a vote, or of a roll call: it comes at its time."""
    soon = IDLE_SECONDS + STAYS_SECONDS
    clock = f"interval:{soon:.0f}" if kind == "deadline" else "all-done"
    policy = {} if kind != "roll call" else {"policy": SeatPolicy(roll_call=round(soon))}
    server.create(clock=clock, **policy)
    ann, ben = server.players(2, "pb")
    if kind == "proposal":
        ann.ask("propose", game="first", kind="draw")
        server.pass_time(3 * DAY - soon)
    idle(server, ann, ben)
    assert in_memory(server) == ["first"]


@pytest.mark.parametrize("called", [False, True], ids=["running", "roll call"])
def test_nothing_of_it_is_left_in_memory(server: Server, called: bool):
    """Without any garbage collection: a server collects rarely, and ten thousand games would wait for that."""
    server.create(clock="interval:86400", policy=SeatPolicy(roll_call=3600 * called))
    idle_game = weakref.ref(server.game())
    gc.collect()
    gc.disable()
    try:
        players = server.players(2)
        if not called:
            players[0].bid(3)
            server.close_turn()
        idle(server, *players)
        del players
        assert in_memory(server) == []
        assert idle_game() is None
    finally:
        gc.enable()


class Marked(Auction):
    """Says of all objects that they are its own, so that they are found in memory."""

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        return super().show(world, oid, level)._replace(description=Marked.__doc__ or "")


@pytest.mark.thorough
def test_how_games_looked_is_left_in_memory_only_while_one_of_their_ruleset_is_there(
    make_server: Callable[..., Server],
):
    """The shared views would grow with all games ever played, as each turn has new ones."""
    server = make_server(found=Rulesets({"auction": Marked()}))
    server.registry.load_all()
    there = []
    for name in ("first", "second"):
        server.create(name, clock="all-done")
        there.append(server.players(2, game=name))
        for gold in (3, 2):
            there[-1][0].bid(gold)
            server.close_turn(name)

    def shown() -> int:
        return sum(isinstance(one, Shown) and one.description == Marked.__doc__ for one in gc.get_objects())

    both = shown()
    idle(server, *there.pop(0))
    gc.collect()
    assert in_memory(server) == ["second"]
    assert 0 < shown() <= both
    idle(server, *there.pop())
    gc.collect()
    assert shown() == 0


def test_a_disk_that_saves_nothing_keeps_it_in_memory(make_server: Callable[..., Server]):
    """The time of its next deadline would be lost. The game leaves memory when that is saved."""
    server = make_server(delayed=True)
    server.registry.load_all()
    server.create(clock="interval:86400")
    players = server.players(2)
    for client in players:
        client.hang_up()
    server.pass_time(IDLE_SECONDS - 2 * LOOK_SECONDS)
    server.disk.at_once = False
    server.pass_time(3 * LOOK_SECONDS)
    server.disk.fail()
    server.pass_time(LOOK_SECONDS)
    assert in_memory(server) == ["first"]
    server.disk.at_once = True
    server.disk.commit()
    server.pass_time(LOOK_SECONDS)
    assert in_memory(server) == []


def test_whoever_comes_while_that_is_saved_keeps_it_there(make_server: Callable[..., Server]):
    server = make_server(delayed=True)
    server.registry.load_all()
    server.create(clock="interval:86400")
    ann, ben = server.players(2)
    ann.hang_up()
    ben.hang_up()
    server.pass_time(IDLE_SECONDS - 2 * LOOK_SECONDS)
    server.disk.at_once = False
    server.pass_time(3 * LOOK_SECONDS)
    assert server.disk.waiting
    server.disk.at_once = True
    ann = server.player("ann", game="first")
    game = ann.session.game
    server.disk.commit()
    assert server.registry.games == {1: game}


def test_there_are_never_two_objects_of_one_game(server: Server):
    """A reference to a game that has left memory is the same object as that of a new player."""
    server.create(clock="interval:86400")
    players = server.players(2)
    held = server.game()
    idle(server, *players)
    assert in_memory(server) == []
    assert server.game() is held
    idle(server)
    assert in_memory(server) == []
    messages.post(held, 1, {2: []}, "a word", "to ben", server.registry.now())
    assert server.registry.games == {1: held}
    assert row_of(server).resting is None
    server.pass_time(DAY)
    assert held.state.turn == 1


def test_a_game_that_is_over_tells_how_it_has_ended(server: Server):
    server.create(options={"rounds": 1})
    ann, ben = server.players(2)
    for client in (ann, ben):
        client.ask("finished_turn")
    title = phases.title(server.game())
    assert server.game().over
    idle(server, ann, ben)
    assert in_memory(server) == []
    assert server.registry.directory.outline(1).title == title


@pytest.mark.thorough
def test_many_that_nobody_is_in_leave_sooner(server: Server):
    """A player who opens one game after the other does not fill the memory."""
    for number in range(MOST_IDLE + 3):
        server.create(f"game{number}", clock="all-done")
        server.clock.advance(0.01)
    server.pass_time(LEAST_IDLE_SECONDS + LOOK_SECONDS)
    assert in_memory(server)[0] == "game3"
    assert len(in_memory(server)) == MOST_IDLE


def test_whoever_asks_for_one_after_the_other_fills_no_memory(server: Server, monkeypatch: pytest.MonkeyPatch):
    """Faster than it is looked for idle games."""
    monkeypatch.setattr(hibernation, "MOST_IDLE", 10)
    monkeypatch.setattr(hibernation, "MOST_READ", 5)
    for number in range(60):
        server.create(f"game{number}", clock="all-done")
    idle(server)
    most = 0
    for number in range(60):
        server.registry.named(f"game{number}")
        server.pass_time(0.05)
        most = max(most, len(in_memory(server)))
    assert most <= 10 + 5 + LEAST_IDLE_SECONDS / 0.05
    server.pass_time(LEAST_IDLE_SECONDS)
    server.pass_time(LOOK_SECONDS)
    assert len(in_memory(server)) == 10


def test_a_bot_that_has_to_move_keeps_it_there(make_server: Callable[..., Server]):
    """Neither a bot that is choosing nor one that has not been asked yet lets the game hibernate."""
    server = make_server(found=FOUND)
    server.registry.load_all()
    server.create("first", "auction", clock="manual", bots=1)
    choosing: Deferred[None] = Deferred()
    bots = server.start_bots(lambda work: choosing)
    server.player("ann", game="first").hang_up()
    idle(server)
    assert in_memory(server) == ["first"]
    bots.stop()
    assert not server.game().finished


# --- coming back ----------------------------------------------------------------------------------------------------


def test_a_turn_is_closed_on_time_though_nobody_comes(server: Server):
    """Again and again: it is read ahead of its deadline, and leaves memory afterwards."""
    server.create(clock="interval:86400")
    players = server.players(2)
    idle(server, *players)
    due = row_of(server).deadline
    for turn in (1, 2):
        assert in_memory(server) == []
        server.pass_time(due - server.now() - AHEAD_SECONDS)
        server.pass_time(LOOK_SECONDS)
        assert in_memory(server) == ["first"]
        server.pass_time(due - server.now() - 1)
        assert row_of(server).turn == turn - 1
        server.pass_time(1)
        assert row_of(server).turn == turn
        assert row_of(server).deadline == due + DAY
        due += DAY
        idle(server)


def test_grace_is_told_on_time(server: Server):
    """The time of the turn is over before its deadline, and the players are notified then."""
    server.create(clock="interval:86400 grace:3600")
    players = server.players(2)
    idle(server, *players)
    read_ahead(server, DAY)
    server.pass_time(AHEAD_SECONDS)
    assert any("waits for" in message.body for message in server.player("ann", game="first").messages())


def test_a_proposal_lapses_on_time(server: Server):
    server.create(clock="all-done")
    ann, ben = server.players(2, "pb")
    ann.ask("propose", game="first", kind="draw")
    idle(server, ann, ben)
    assert in_memory(server) == []
    server.pass_time(3 * DAY)
    server.pass_time(AHEAD_SECONDS)
    assert [one.state for one in server.game().proposals] == ["lapsed"]


def test_a_roll_call_ends_on_time(server: Server):
    server.create(clock="all-done", policy=SeatPolicy(roll_call=3600))
    ann, ben = server.players(2)
    idle(server, ann, ben)
    assert in_memory(server) == []
    server.pass_time(3600)
    assert server.registry.directory.seat_counts() == {1: (1, 2)}


def test_what_is_due_earlier_counts(server: Server):
    """A clock that the operator sets, in a game that rests, with an earlier deadline."""
    server.create(clock="interval:864000")
    players = server.players(2)
    idle(server, *players)
    context = AdminContext(server.registry, server.accounts)
    result_of(perform(context, "game set-clock", {"name": "first", "clock": "all-done"}))
    result_of(perform(context, "game set-clock", {"name": "first", "clock": "interval:7200"}))
    assert row_of(server).deadline == server.now() + 7200
    idle(server)
    assert in_memory(server) == []
    server.pass_time(7200)
    assert row_of(server).turn == 1


def test_many_that_are_due_at_once_are_read_a_few_at_a_time(make_server: Callable[..., Server]):
    """Others are served between them."""
    server = make_server()
    ticks = itertools.count()
    server.registry.idle.clock = lambda: float(next(ticks))
    server.registry.load_all()
    for number in range(5):
        server.create(f"game{number}", clock="interval:86400")
        for client in server.players(2, game=f"game{number}"):
            client.hang_up()
    idle(server)
    assert in_memory(server) == []
    rounds: list[int] = []
    server.clock.advance(BEGINNING + DAY - server.now() - AHEAD_SECONDS - 1)

    def count() -> None:
        rounds.append(len(server.registry.games))
        if len(server.registry.games) < 5:
            server.clock.callLater(0, count)

    server.clock.callLater(0, count)
    server.pass_time(LOOK_SECONDS)
    assert {1, 2, 3, 4, 5} <= set(rounds)
    server.pass_time(AHEAD_SECONDS)
    assert {row.turn for row in server.registry.directory.rows()} == {1}


# --- what is told meanwhile -----------------------------------------------------------------------------------------


def test_lists_tell_the_same_of_a_game_that_rests(make_server: Callable[..., Server]):
    """No list loads it for that: awaited, absent and sought players, the title of the turn, its time."""
    server = make_server(found=FOUND)
    server.registry.load_all()
    policy = SeatPolicy(absent_after=1, seeks=True)
    server.create("first", "auction", seats=3, clock="interval:864000 grace:60", policy=policy)
    ann, ben, cem = server.players(3, "pb")
    ann.ask("finished_turn")
    ben.ask("finished_turn")
    server.pass_time(864_060)
    ann.ask("finished_turn")
    feed = CalendarFeed(server.registry, server.now, "tp", "")
    reader, mine = server.connect("pb"), server.connect("pb")
    for client, name in ((reader, "dan"), (mine, "ben")):
        assert client.ask("login_account", username=name, password=f"{name}'s word").name == "account"
    ben_here = server.accounts.named("ben").id
    server.host.notices.terms = Terms(calendar=True)
    token = Path(result_of(server.host.notices.make_calendar(ben_here))).stem
    context = AdminContext(server.registry, server.accounts)

    def told() -> dict[str, Any]:
        known, calendar = server.registry.directory.outline(1), feed.find(token)
        assert calendar is not None
        return {
            "seats": reader.ask("get_seats", game="first").message,
            "clock": reader.ask("get_clock", game="first").message,
            "open seats": reader.ask("get_open_seats").message,
            "games": [[one for one in game.parameters if one.id != 2] for game in reader.ask("get_games").things],
            "own games": [
                (one.name, one.turn_name, [seat.awaited for seat in one.seats], one.state, one.player)
                for one in mine.ask("get_my_games").message.games
            ],
            "calendar": calendar[1](),
            "outline": (known.title, list(known.awaited), list(known.bots), known.seats, known.awaits(ben_here)),
            "counts": server.registry.directory.seat_counts(),
            "operator": result_of(perform(context, "game list", {})),
        }

    before = told()
    assert [seat.absent for seat in before["seats"].seats] == [False, False, True]
    assert [seat.awaited for seat in before["seats"].seats] == [False, True, False]
    assert [seat.seeks for seat in before["seats"].seats] == [False, False, True]
    assert b"BEGIN:VEVENT" in before["calendar"]
    idle(server, ann, ben, cem)
    assert in_memory(server) == []
    assert told() == before
    assert in_memory(server) == []


def test_a_player_with_another_name_is_listed_under_it(server: Server):
    server.create(clock="all-done")
    players = server.players(2)
    idle(server, *players)
    context = AdminContext(server.registry, server.accounts)
    result_of(perform(context, "account rename", {"name": "ann", "new_name": "anna"}))
    (game,) = server.connect().ask("get_games").things
    assert any("awaited: anna, ben" in parameter.string_value for parameter in game.parameters)


def test_a_game_that_rests_is_renamed_and_deleted(server: Server):
    server.create(clock="all-done")
    idle(server)
    context = AdminContext(server.registry, server.accounts)
    result_of(perform(context, "game rename", {"name": "first", "new_name": "other"}))
    idle(server)
    assert (in_memory(server), [row.name for row in server.registry.directory.rows()]) == ([], ["other"])
    result_of(perform(context, "game delete", {"name": "other"}))
    assert (server.registry.directory.rows(), server.registry.directory.seat_counts()) == ([], {})
    with pytest.raises(GameError, match="there is no game"):
        server.registry.named("other")
    server.pass_time(IDLE_SECONDS)


def test_who_is_told_something_in_all_games_is_told_in_those_that_rest(server: Server):
    for name in ("first", "second"):
        server.create(name, clock="all-done")
        idle(server, *server.players(2, game=name))
    assert in_memory(server) == []
    server.registry.messages.tell(server.accounts.named("ann").id, "A warning", "of a moderator")
    server.pass_time(0)
    for name in ("first", "second"):
        assert "A warning" in [message.subject for message in server.player("ann", game=name).messages()]
        assert "A warning" not in [message.subject for message in server.player("ben", game=name).messages()]


def test_a_turn_waits_for_a_vacation_that_begins_while_its_game_rests(server: Server):
    server.create(clock="interval:86400 vacation:10")
    players = server.players(2)
    account = server.accounts.named("ann").id
    idle(server, *players)
    assert in_memory(server) == []
    result_of(server.registry.vacations.add(account, server.now(), server.now() + 5 * DAY))
    assert row_of(server).deadline > server.now() + 5 * DAY
    idle(server)
    server.pass_time(2 * DAY)
    assert row_of(server).turn == 0


def test_a_refusal_names_some_of_many_games(server: Server):
    """Not ten thousand."""
    for number in range(MOST_NAMES + 5):
        server.create(f"game{number:02}", clock="all-done")
    refused = server.connect().ask("login", username="ann", password="ann's word")
    assert "and 5 more" in refused.text
    with pytest.raises(GameError, match="and 5 more"):
        server.registry.named("nowhere")


# --- the system's clock, restarts and crashes -----------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [5 * 3600, -5 * 3600])
def test_a_turn_keeps_its_time_when_the_clock_of_the_system_is_set(server: Server, seconds: int):
    """Also that of a game that rests, and of one that comes before that is saved."""
    server.create(clock="interval:86400")
    idle(server, *server.players(2))
    due = row_of(server).due
    server.set_clock(seconds)
    server.pass_time(CLOCK_SECONDS)
    assert in_memory(server) == []
    assert row_of(server).due == row_of(server).deadline == due + seconds
    assert server.registry.directory.rows()[0].deadline == due + seconds
    server.pass_time(due + seconds - server.now() - 1)
    assert row_of(server).turn == 0
    server.pass_time(1)
    assert row_of(server).turn == 1


def test_a_game_that_comes_before_its_moved_time_is_saved_has_it(make_server: Callable[..., Server]):
    server = make_server(delayed=True)
    server.registry.load_all()
    server.create(clock="interval:86400")
    idle(server, *server.players(2))
    due = row_of(server).due
    server.disk.at_once = False
    server.set_clock(7200)
    server.pass_time(CLOCK_SECONDS)
    assert row_of(server).due == due
    game = server.game()
    assert game.row.due == due + 7200
    server.disk.commit()
    assert row_of(server).due == due + 7200


def test_a_start_reads_no_game_that_rests(server: Server):
    for name in ("first", "second"):
        server.create(name, clock="interval:86400")
        for client in server.players(2, game=name):
            client.hang_up()
    later = server.restarted(5)
    assert in_memory(later) == []
    assert [row.deadline for row in later.registry.directory.rows()] == [BEGINNING + DAY] * 2
    later.pass_time(DAY - 5 - AHEAD_SECONDS)
    later.pass_time(AHEAD_SECONDS)
    assert [row.turn for row in later.registry.directory.rows()] == [1, 1]


def test_after_a_crash_those_are_read_that_were_in_memory(server: Server, tmp_path: Path):
    """Their next event is unknown, while that of a hibernated game is stored."""
    for name in ("first", "second"):
        server.create(name, clock="interval:86400")
        idle(server, *server.players(2, game=name))
    server.player("ann", game="second").bid(3)
    crashed = server.crashed(tmp_path / "crashed.sqlite")
    assert in_memory(crashed) == ["second"]


def test_what_a_crash_left_to_be_done_is_done(make_server: Callable[..., Server], tmp_path: Path):
    """All have finished, and the server is killed before it closes the turn."""
    server = make_server()
    server.registry.load_all()
    server.create(clock="all-done")
    players = server.players(2)
    idle(server, *players)
    game = server.game()
    for seat in (0, 1):
        game.finished = frozenset()
        game.append(game.entry("finished", seat, None, server.now()))
    crashed = server.crashed(tmp_path / "crashed.sqlite")
    crashed.settle()
    assert row_of(crashed).turn == 1


@pytest.mark.parametrize("killed", [False, True])
def test_time_is_given_back_to_all_games_for_which_the_server_was_down(server: Server, killed: bool, tmp_path: Path):
    """Also if it is killed again while it does so: to each game once."""
    for number in range(3):
        server.create(f"game{number}", clock="interval:86400")
        idle(server, *server.players(2, game=f"game{number}"))
    dues = [row.deadline for row in server.registry.directory.rows()]
    assert in_memory(server) == []
    server.stop()
    down = 10 * LEAST_LOST
    later = Server(server.path, now=server.now() + down, found=server.found)
    if killed:
        ticks = itertools.count()
        later.registry.idle.clock = lambda: float(next(ticks))
        later.registry.load_all()
        again = later.crashed(tmp_path / "again.sqlite")
        assert len(later.registry.games) == 1
        later.stop()
        later = again
    else:
        later.registry.load_all()
        later.settle()
    assert [row.deadline for row in later.registry.directory.rows()] == [due + down for due in dues]
    assert [sum("was away" in one.body for one in told(later, f"game{number}")) for number in range(3)] == [1, 1, 1]
    later.stop()


def test_time_is_given_back_also_before_it_is_saved_which_games_get_some(make_server: Callable[..., Server]):
    """A player who logs in as the server starts sees the right time."""
    server = make_server(delayed=True)
    server.registry.load_all()
    server.create(clock="interval:86400")
    idle(server, *server.players(2))
    due = row_of(server).due
    server.stop()
    later = Server(server.path, now=server.now() + 7200, found=server.found, delayed=True)
    later.disk.at_once = False
    later.registry.load_all()
    assert later.game().row.due == due + 7200
    later.disk.commit()
    later.settle()
    assert row_of(later).due == due + 7200
    later.disk.at_once = True
    later.stop()


def told(server: Server, name: str) -> list[Any]:
    return list(server.player("ann", game=name).messages())


def test_a_command_while_no_server_runs_does_not_count_the_time_at_rest(server: Server):
    """The game gets back the time in which the server was down, not that since it left memory."""
    server.create(clock="interval:864000")
    idle(server, *server.players(2))
    server.pass_time(DAY)
    due = row_of(server).due
    server.stop()
    command = Server(server.path, now=server.now() + 3600, found=server.found)
    messages.post(command.game(), 1, {2: []}, "a word", "by a command", command.registry.now())
    result_of(command.store.close())
    later = Server(server.path, now=server.now() + 7200, found=server.found)
    later.registry.load_all()
    later.settle()
    assert row_of(later).due == due + 7200
    later.stop()


def test_a_command_does_not_record_that_clocks_run(server: Server, tmp_path: Path):
    """The next server gives back the time since the last one was killed."""
    server.create(clock="interval:864000")
    server.players(2)
    server.crashed(tmp_path / "killed.sqlite").store.close()
    command = Server(tmp_path / "killed.sqlite", now=server.now() + LEAST_LOST / 2, found=server.found)
    ran = command.store.read(stored_games.clocks_ran), row_of(command).ran
    assert command.game().started
    command.settle()
    assert (command.store.read(stored_games.clocks_ran), row_of(command).ran) == ran
    result_of(command.store.close())


def test_another_version_of_its_rules_looks_at_a_game_that_rests(make_server: Callable[..., Server]):
    """These rules decide about awaited players, not the earlier ones."""

    class Other(Auction):
        version = 2

    server = make_server(found=FOUND)
    server.registry.load_all()
    server.create("first", "auction", clock="all-done")
    idle(server, *server.players(2))
    server.found = Rulesets({"auction": Other()})
    assert in_memory(server.restarted()) == ["first"]


# --- what cannot be read --------------------------------------------------------------------------------------------


def test_a_game_that_cannot_be_read_when_it_is_due_is_tried_rarely(
    make_server: Callable[..., Server], logged: list[str], monkeypatch: pytest.MonkeyPatch
):
    """It is listed as held, and gets the time back; other games are not harmed."""
    server = make_server(found=FOUND)
    server.registry.load_all()
    for name in ("first", "second"):
        server.create(name, "auction", clock="interval:7200")
        idle(server, *server.players(2, game=name))
    assert in_memory(server) == []
    broken = {1}
    read = registry.read_game

    def fails(store: Store, row: GameRow, *more: Any) -> Game:
        if row.id in broken:
            raise ValueError("of its rules")
        return read(store, row, *more)

    monkeypatch.setattr(registry, "read_game", fails)
    read_ahead(server, 7200)
    for _ in range(200):
        server.pass_time(LOOK_SECONDS)
    assert [row.state for row in server.registry.directory.rows()] == ["held", "running"]
    assert [row.turn for row in server.registry.directory.rows()] == [0, 1]
    assert len([line for line in logged if "'first' cannot be loaded" in line]) == 1
    broken.clear()
    server.pass_time(RETRY_SECONDS)
    server.pass_time(LOOK_SECONDS)
    (row, _) = server.registry.directory.rows()
    assert (row.state, row.turn) == ("running", 0)
    assert row.deadline is not None and row.deadline > server.now()


def test_whatever_is_wrong_with_one_the_others_are_read(
    server: Server, logged: list[str], monkeypatch: pytest.MonkeyPatch
):
    """Also if the server itself has failed."""
    for name in ("first", "second"):
        server.create(name, clock="interval:7200")
        idle(server, *server.players(2, game=name))
    read = server.registry.with_id

    def fails(number: int) -> Game:
        if number == 1:
            raise ZeroDivisionError("a fault of the server")
        return read(number)

    monkeypatch.setattr(server.registry, "with_id", fails)
    read_ahead(server, 7200)
    server.pass_time(2 * IDLE_SECONDS)
    assert row_of(server, "second").turn == 1
    assert len([line for line in logged if "game number 1 cannot be read" in line]) == 1


def test_a_damaged_game_keeps_no_other_from_being_read(server: Server, logged: list[str]):
    """A database that is away is tried again, and nothing is read until then; damage stays."""
    for name in ("first", "second"):
        server.create(name, clock="interval:7200")
        idle(server, *server.players(2, game=name))
    read = server.store.read

    def fails(fn: Callable[..., Any], *args: Any) -> Any:
        if fn is stored_changes.stored_game and args == (1,):
            raise StoreError("The database is damaged.", code="damaged")
        return read(fn, *args)

    server.store.read = fails
    read_ahead(server, 7200)
    server.pass_time(2 * IDLE_SECONDS)
    assert row_of(server, "second").turn == 1
    assert len([line for line in logged if "game 'first' cannot be read" in line]) == 1


def test_a_game_whose_rules_fail_meanwhile_stays_and_harms_no_other(make_server: Callable[..., Server]):
    """The server cannot find out if the game has anything to do."""
    server = make_server(found=FOUND)
    server.registry.load_all()
    for name in ("first", "second"):
        server.create(name, "auction", clock="interval:864000")
        for client in server.players(2, game=name):
            client.hang_up()
    server.settle()
    broken = copy(server.game("first").rules)
    broken.phases = None  # type: ignore[misc,assignment] # looking up the phase raises
    server.game("first").rules = broken
    idle(server)
    assert in_memory(server) == ["first"]
    server.stop()
    assert server.store.closed


def test_a_database_that_cannot_be_read_now_is_tried_again(server: Server):
    """A player is asked to try again. A due game is loaded with the next attempt."""
    server.create(clock="interval:7200")
    idle(server, *server.players(2))
    read, busy = server.store.read, [True]

    def fails(fn: Callable[..., Any], *args: Any) -> Any:
        if busy and fn is stored_games.by_id:
            raise StoreError("The database is locked.", code="busy")
        return read(fn, *args)

    server.store.read = fails
    with pytest.raises(NotNow, match="try again in a moment"):
        server.registry.with_id(1)
    server.pass_time(7200 - IDLE_SECONDS)
    assert in_memory(server) == []
    busy.clear()
    server.pass_time(LOOK_SECONDS)
    server.pass_time(IDLE_SECONDS)
    assert row_of(server).turn == 1


# --- secrets --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3], ids=["running", "waiting"])
def test_an_anonymous_game_that_rests_names_nobody(server: Server, seats: int):
    """Not in any list, to strangers and players, also not after a start, when names come from the rows of seats."""
    server.create(clock="interval:864000", seats=seats, anonymous=True)
    idle(server, *server.players(2, "pb"))

    def told(at: Server, name: str) -> bytes:
        client = at.connect("pb")
        assert client.ask("login_account", username=name, password=f"{name}'s word").name == "account"
        answers = [client.ask(request).data for request in ("get_games", "get_open_seats", "get_my_games")]
        answers += [client.ask(request, game="first").data for request in ("get_seats", "get_clock")]
        client.hang_up()
        return b"".join(
            [
                *answers,
                at.registry.directory.outline(1).title.encode(),
                repr(at.registry.directory.seat_names(1)).encode(),
            ]
        )

    for _ in range(2):
        assert in_memory(server) == []
        for name in ("dan", "ben"):
            listed = told(server, name)
            assert b"Player 1" in listed
            assert b"ann" not in listed
            assert b"ben" not in listed
        server = server.restarted()
