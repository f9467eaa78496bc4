"""Events of a game: each is saved and announced completely and at once.

They are the start, a closing, a suspension, a pause and a resumption.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from test_games.auction import Auction
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock as Timers

from tests.support.server_in_memory import BEGINNING, Client, Server, result_of
from tprules.api import Order, Outcome, Phase, Report, Turn
from tprules.api.advance import advance, concluded
from tpserver.bus import Bus
from tpserver.events import EVENTS
from tpserver.fault_points import interfering
from tpserver.games.core import attendance, next_turn, phases, rules_calls
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.events import (
    AwaitedSeatsChanged,
    DeadlineReached,
    GameSuspended,
    TurnBegan,
    TurnClosed,
    TurnDue,
)
from tpserver.games.core.game import Game
from tpserver.games.core.next_turn import spectators_view
from tpserver.games.core.saving import NotSaved
from tpserver.games.core.scores import scores_of
from tpserver.games.core.time_left import ALL_FINISHED, END_OF_TURN, THRESHOLD, TIMER_STARTED, WARNING
from tpserver.games.core.views import dump_view
from tpserver.games.hall.summary import has_settled
from tpserver.games.terms.clock import LONGEST, parse_clock
from tpserver.games.terms.initiator import Initiator, PlayersStep
from tpserver.games.terms.seat_policy import SeatPolicy, SeatRecord
from tpserver.games.turns import closing, suspension, turn_service
from tpserver.games.turns.clock_changes import MOST_CLOCK_CHANGES
from tpserver.games.turns.clock_service import BEAT_SECONDS, ClockService
from tpserver.games.turns.turn_service import (
    MOST_AT_ONCE,
    ClosingLine,
)
from tpserver.rules.call_limits import LOAD_SECONDS, WATCHDOG
from tpserver.rules.discovery import Rulesets
from tpserver.store.games import journal as stored_journal
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.outbox import TurnBegins
from tpserver.store.games.proposals import AGREED, Proposal
from tpserver.store.games.vacations import Vacation

NEVER = 2147483647
"""The seconds in frames of games without a deadline."""


def deal(turn: Turn[Any]) -> None:
    for seat in range(len(turn.world.gold)):
        turn.report(seat, "Dealt", f"a {turn.dice('hand').below(1000)} of {turn.world.gold[seat]} for {seat}")
    turn.world.hidden = -1  # so that it is not dealt again


class Dealing(Auction):
    """An auction that says something as it opens, and how all stand."""

    name = "dealing"
    version = 1
    phases = (
        Phase("deal", lambda world: (), (), (deal,), lambda world: "bidding", title=lambda world: "Deal"),
        *Auction.phases,
    )

    def scores(self, world: Any, seat: int | None) -> dict[int, dict[str, int]]:
        return {one: {"Won": won} for one, won in enumerate(world.won)}


class Each(Auction):
    """An auction in which the first bid of any of two ends the round; gifts do not."""

    name = "each"
    version = 1
    phases = (replace(Auction.phases[0], active=lambda world: (0, 1), orders=(Auction.orders[0],), ends_after="each",
                      deferred_orders=(Auction.orders[1],)),)  # fmt: skip


class Open(Auction):
    """An auction in which nothing is revealed, as nobody bids."""

    name = "open"
    version = 1
    phases = (replace(Auction.phases[0], stages=(), reveals_nothing=True),)


class Alternating(Auction):
    """An auction in which two take turns; those of the second are duels."""

    name = "alternating"
    version = 1
    clock_groups = {"duel": "the turns of the second"}
    phases = (
        replace(Auction.phases[0], active=lambda world: (0,), next_phase=lambda world: "duel"),
        replace(Auction.phases[0], name="duel", active=lambda world: (1,), clock_group="duel"),
    )


FOUND = Rulesets({rules.name: rules() for rules in (Auction, Dealing, Each, Open, Alternating)}, {})


@pytest.fixture
def server(make_server: Any) -> Server:
    made: Server = make_server(found=FOUND)
    return made


@pytest.fixture
def committed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[GameChanges, float]]:
    """Changes given to the store in one piece, and their time."""
    found: list[tuple[GameChanges, float]] = []
    commit = Game.commit

    def noted(self: Game, changes: GameChanges, now: float) -> None:
        found.append((changes, now))
        commit(self, changes, now)

    monkeypatch.setattr(Game, "commit", noted)
    return found


def of_kind(committed: list[tuple[GameChanges, float]], kind: str) -> GameChanges:
    """The only change with an entry of a kind, which was committed with the time of the entry."""
    ((changes, at),) = [(one, at) for one, at in committed if one.entry is not None and one.entry.kind == kind]
    assert changes.entry is not None and changes.entry.at == at and changes.entry.seat is None
    return changes


def mail(changes: GameChanges) -> dict[int, list[tuple[str, str]]]:
    """Messages that a change puts on the boards, by seat."""
    assert changes.delivery is not None
    found: dict[int, list[tuple[str, str]]] = {}
    for message in changes.delivery.messages:
        found.setdefault(message.board - 1, []).append((message.subject, message.body))
    return found


def begun(server: Server, clock: str = "interval:600", ruleset: str = "auction", seats: int = 2, **more: Any) -> Game:
    server.create("first", ruleset, seats, clock=clock, **more)
    server.players(seats)
    server.settle()  # else a look that was put off as the game was made would find what a test is about
    return server.game()


def finish(*clients: Client) -> None:
    for client in clients:
        assert client.ask("finished_turn").name == "okay"


# --- the turns that are computed at once


def test_so_many_turns_are_computed_at_once_and_each_that_is_saved_lets_one_in() -> None:
    """In the order in which they came, and a round of the reactor later."""
    timers, came = Timers(), []
    line = ClosingLine(timers)

    def enter(number: int) -> None:
        line.enter().addCallback(lambda _: came.append(number))

    for _ in range(2):  # it is as before when all have left
        came.clear()
        for number in range(MOST_AT_ONCE + 2):
            enter(number)
        assert came == list(range(MOST_AT_ONCE))
        line.leave()
        assert came == list(range(MOST_AT_ONCE))
        timers.advance(0)
        assert came == list(range(MOST_AT_ONCE + 1))
        enter(99)
        for _ in range(MOST_AT_ONCE + 2):
            line.leave()
        timers.advance(0)
        assert came == [*range(MOST_AT_ONCE + 2), 99]


def test_the_turns_of_so_many_games_are_computed_at_once(server: Server) -> None:
    """The next one a round of the reactor after the first that is saved."""
    running = later(server)
    for number in range(MOST_AT_ONCE + 1):
        server.create(f"game {number}", seats=1, clock="all-done")
        finish(server.player("ann", game=f"game {number}"))
    assert len(running) == MOST_AT_ONCE
    (waiting, work) = running[0]
    waiting.callback(work())
    assert server.game("game 0").state.turn == 1 and len(running) == MOST_AT_ONCE
    server.settle()
    assert len(running) == MOST_AT_ONCE + 1


# --- the clocks of a server


def test_a_server_notes_that_its_clocks_run_and_when_they_stopped() -> None:
    """At once, again and again, and once as it stops; a command does not watch."""
    timers, noted = Timers(), []
    timers.advance(1000)
    timekeeper: Any = SimpleNamespace(note_all=noted.append)
    clocks = ClockService(timers, timers.seconds, timers.seconds, timekeeper, Bus())
    assert not clocks.watches and not clocks.stopped
    clocks.watch()
    assert clocks.watches and noted == [1000]
    for _ in range(2 * int(BEAT_SECONDS)):
        timers.advance(1)
    assert noted == [1000, 1000 + BEAT_SECONDS, 1000 + 2 * BEAT_SECONDS]
    timers.advance(1)
    clocks.stop()
    assert clocks.stopped and noted[3:] == [timers.seconds()]
    clocks.stop()
    assert len(noted) == 4 and timers.getDelayedCalls() == []


def test_a_command_that_does_not_watch_can_stop() -> None:
    timers = Timers()
    timekeeper: Any = SimpleNamespace(note_all=lambda now: None)
    clocks = ClockService(timers, timers.seconds, None, timekeeper, Bus())
    clocks.stop()
    assert clocks.stopped and not clocks.watches and timers.getDelayedCalls() == []


def test_as_the_clock_is_set_turns_keep_their_seconds_their_warning_and_their_players_quiet(
    server: Server, committed: list[tuple[GameChanges, float]], logged: list[str]
) -> None:
    """Their timers are left alone, as these go by another clock: a warning that is still to come comes."""
    game = begun(server, "interval:300 grace:10")
    server.registry.clocks.wall_clock.watch()
    eve = server.player("ann")
    server.pass_time(200)
    committed.clear()
    server.set_clock(5000.25)
    server.registry.clocks.wall_clock.look()
    ((changes, at),) = committed
    due = BEGINNING + 300 + 5000.25
    assert (changes.columns, at) == ({"due": due, "deadline": due + 10, "ran": server.now()}, server.now())
    (line,) = [one for one in logged if "clock was set" in one]
    assert "was set forward by 5000 s; the ends of 1 turns were moved with it" in line
    assert eve.times_pushed() == []
    server.pass_time(40)
    assert eve.times_pushed() == [(60, WARNING)]
    assert game.state.turn == 0
    server.set_clock(-1000)
    server.registry.clocks.wall_clock.look()
    assert game.row.due == due - 1000


def test_the_moved_end_of_a_turn_is_known_until_it_is_saved(
    make_server: Any, committed: list[tuple[GameChanges, float]]
) -> None:
    """A row that is read until then has the deadline of before, which does not hold."""
    server: Server = make_server(found=FOUND, delayed=True)
    game = begun(server, "interval:300 grace:10")
    timekeeper = server.registry.timekeeper
    before = game.row
    server.disk.at_once = False
    server.registry.clocks.wall_clock.watch()
    server.set_clock(5000)
    committed.clear()
    server.registry.clocks.wall_clock.look()
    now = server.now()
    columns = {"due": BEGINNING + 5300, "deadline": BEGINNING + 5310, "ran": now}
    ((changes, at),) = committed
    assert (changes.columns, at) == (columns, now)
    held = timekeeper.holding(before)
    assert held.row == replace(before, due=BEGINNING + 5300, deadline=BEGINNING + 5310)
    assert not held.is_saved and not timekeeper.is_saved(game)
    assert timekeeper.holding(game.row).is_saved
    committed.clear()
    server.registry.clocks.save_deadline(game, held)
    assert [changes.columns for changes, _ in committed] == [columns]
    server.disk.commit()
    assert timekeeper.is_saved(game)
    committed.clear()
    server.registry.clocks.save_deadline(game, held)
    assert committed == []


def test_a_clock_that_is_set_moves_nothing_of_games_that_do_not_run(server: Server) -> None:
    """Nor of those that are lost, nor where nothing is due."""
    paused = begun(server)
    result_of(server.registry.control.pause(paused))
    server.create("second", clock="all-done")
    server.players(2, game="second")
    server.create("third", clock="interval:600")
    server.players(2, game="third")
    lost = server.game("third")
    rows = [game.row for game in (paused, server.game("second"))]
    lost.saving.stale = True
    server.registry.clocks.wall_clock.watch()
    server.set_clock(5000)
    server.registry.clocks.wall_clock.look()
    assert [game.row for game in (paused, server.game("second"))] == rows
    assert lost.row.due == BEGINNING + 600
    lost.saving.stale = False
    server.set_clock(70)
    server.registry.clocks.wall_clock.look()
    assert [game.row for game in (paused, server.game("second"))] == rows
    assert lost.row.due == BEGINNING + 670


def test_a_time_of_a_calendar_stays_as_the_clock_is_set_and_its_timer_moves(server: Server) -> None:
    game = begun(server, "calendar:daily:2000:Europe/Berlin")
    server.registry.clocks.wall_clock.watch()
    due = game.row.due
    assert due is not None
    server.set_clock(7200)
    server.registry.clocks.wall_clock.look()
    assert game.row.due == due
    rings = [one for one in server.clock.getDelayedCalls() if one.args == (DeadlineReached(game),)]
    assert [one.getTime() - server.clock.seconds() for one in rings] == [due - server.now()]


def give_back(server: Server, game: Game) -> bool:
    """Let a game be loaded with its row as stored; return whether another deadline holds, which is saved then."""
    timekeeper = server.registry.timekeeper
    timekeeper.forget(game.row.id)
    held = timekeeper.holding(game.row)
    game.row = held.row
    timekeeper.came(game.row.id, held)
    if not held.is_saved:
        server.registry.clocks.save_deadline(game, held)
    return not held.is_saved


def test_time_that_is_given_back_is_written_down_in_one_piece(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    game = begun(server, "interval:300 grace:10")
    server.pass_time(1000.5 - 700)
    game.row = replace(game.row, state="running", due=BEGINNING + 300.0, deadline=BEGINNING + 310.0, turn=0,
                       ran=BEGINNING + 200.0)  # fmt: skip
    committed.clear()
    assert give_back(server, game) is True
    changes = of_kind(committed, "more time")
    now = server.now()
    assert changes.entry is not None and changes.entry.body == {"lost": 100.5, "maker": False}
    assert changes.columns == {"due": BEGINNING + 400.5, "deadline": BEGINNING + 410.5, "ran": now}
    text = "The server was away for 1 minute 40 seconds. This turn is due at 2023-11-14 22:20 (UTC)."
    assert mail(changes) == {seat: [("Time given back", text)] for seat in (0, 1)}


@pytest.mark.parametrize(
    ("lost", "moved"), [(59.0, 0.0), (60.0, 60.0), (-59.0, 0.0), (-60.0, -60.0), (-5000.0, -5000.0)]
)
def test_a_minute_is_given_back_and_less_is_not(
    server: Server, committed: list[tuple[GameChanges, float]], lost: float, moved: float
) -> None:
    """If the clock was set back while the server was down, no time was lost, and there is no message."""
    game = begun(server, "interval:30000 grace:10")
    game.row = replace(game.row, ran=server.now() - lost)
    due = game.row.due
    assert due is not None
    committed.clear()
    assert give_back(server, game) is (moved != 0)
    assert game.row.due == due + moved
    if moved < 0:
        ((changes, at),) = committed
        assert (changes.columns, at) == (
            {"due": due + moved, "deadline": due + moved + 10, "ran": server.now()}, server.now(),
        )  # fmt: skip
        assert changes.entry is None and changes.delivery is None
    else:
        assert len(committed) == (moved > 0)


def test_a_time_of_a_calendar_that_is_ahead_needs_nothing_given_back(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """But it is noted that the clock runs."""
    game = begun(server, "calendar:daily:2000:Europe/Berlin")
    due = game.row.due
    game.row = replace(game.row, ran=server.now() - 3600)
    committed.clear()
    assert give_back(server, game) is True
    ((changes, at),) = committed
    assert (changes.columns, at) == ({"due": due, "deadline": due, "ran": server.now()}, server.now())
    assert changes.entry is None


@pytest.mark.parametrize("missing", [{"state": "paused"}, {"deadline": None}, {"due": None}, {"ran": None}])
def test_no_time_is_given_back_to_a_turn_that_has_none(
    server: Server, committed: list[tuple[GameChanges, float]], missing: dict[str, Any]
) -> None:
    game = begun(server)
    game.row = replace(game.row, ran=BEGINNING - 1000.0)
    game.row = replace(game.row, **missing)
    committed.clear()
    assert give_back(server, game) is False
    assert committed == []


# --- starting


def test_a_game_starts_in_one_piece(server: Server, committed: list[tuple[GameChanges, float]]) -> None:
    """It includes the opening reports, the awaited players, the scores and the views of each seat."""
    server.create("first", "dealing", 2, clock="interval:600 first:2023-11-15T12:00:UTC grace:60", options={"gold": 7})
    server.pass_time(2.5)
    ann = server.player("ann")
    before = server.game().views[0].latest()
    committed.clear()
    ann.pushed.clear()
    server.player("ben")
    game, now = server.game(), server.now()
    changes = of_kind(committed, "start")
    entry = changes.entry
    assert entry is not None and (entry.turn, entry.body) == (0, None)
    due = float(parse_clock("interval:1 first:2023-11-15T12:00:UTC").first.at())  # type: ignore[union-attr]
    assert changes.columns == {
        "state": "running", "started": now, "held_reason": "", "due": due, "deadline": due + 60, "ran": now,
    }  # fmt: skip
    assert changes.begins == TurnBegins((0, 1))
    told = mail(changes)
    assert told[0][0] == ("Welcome", "Welcome to first, a game of Auction.")
    assert [subject for subject, _ in told[1]] == ["Welcome", "Dealt"]
    assert told[0][1][1].endswith("of 7 for 0") and told[0][1] != told[1][1]
    assert changes.delivery is not None and {(one.turn, one.at) for one in changes.delivery.messages} == {(0, now)}
    assert changes.summary is not None and changes.summary[0] == 0
    assert [one.subject for one in changes.summary[1][0]] == ["Welcome", "Dealt"]
    assert changes.scores == (0, scores_of(game.rules, game.state.world, 2))
    assert list(changes.views) == list(game.views) == [0, 1]
    assert all(blob == dump_view(game.views[seat], game.mark) for seat, blob in changes.views.items())
    assert all(view.seat == seat and view.latest() > before for seat, view in game.views.items())
    assert game.projected
    assert ann.times_pushed()[-1:] == [(int(due - now) + 1, TIMER_STARTED)]
    began: list[Game] = []
    server.registry.bus.subscribe(TurnBegan, lambda event: began.append(event.game))
    server.close_turn()
    assert began == [game]


def test_what_a_start_changes_is_newer_than_what_was_told_in_the_same_second(server: Server) -> None:
    """So that a client that asks for what has changed since gets it."""
    server.create("first")
    ann = server.player("ann")
    (told,) = set(ann.ids().values())
    server.player("ben")
    assert set(ann.ids(fromtime=told)) == set(ann.ids())


def test_a_game_whose_rules_cannot_tell_how_all_stand_starts_without_that(
    server: Server, committed: list[tuple[GameChanges, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dealing, "scores", lambda self, world, seat: 1 // 0)
    game = begun(server, ruleset="dealing")
    assert of_kind(committed, "start").scores is None
    assert game.row.state == "running"


def test_the_rules_open_a_game_within_the_time_of_loading_and_on_account_of_it(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.create("first", clock="manual")
    game = server.game()
    called: list[tuple[float, object]] = []
    call = WATCHDOG.call

    def noted(seconds: float, work: Any, caller: Any, **more: Any) -> Any:
        called.append((seconds, caller))
        return call(seconds, work, caller, **more)

    server.player("ann")
    monkeypatch.setattr(WATCHDOG, "call", noted)
    server.player("ben")
    assert (LOAD_SECONDS, game.caller) in called
    assert game.started


def test_a_game_whose_rules_fail_as_it_starts_is_held(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A start also fails by texts that only the server recognizes as unfit to send."""
    server.create("first", "dealing", clock="manual")
    ann = server.player("ann")
    with monkeypatch.context() as patched:
        patched.setattr(next_turn, "LONGEST_REPORTS", 3)
        server.player("ben")
    assert (server.game().row.state, server.game().row.started) == ("held", None)
    assert "dealing: the reports of a turn have " in server.game().row.held_reason
    text = "The rules failed to start the game. The operator has been notified; all orders are kept."
    assert [message.body for message in ann.messages()] == [text]
    result_of(server.registry.control.resume(server.game()))
    assert server.game().row.state == "running"


def test_a_game_that_is_held_while_seats_are_open_waits_again(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    server.create("first", clock="manual")
    server.player("ann")
    server.undergo("hold")
    server.pass_time(5)
    committed.clear()
    result_of(server.registry.control.resume(server.game()))
    changes = of_kind(committed, "resume")
    assert changes.columns == {"state": "waiting", "held_reason": ""}
    assert changes.entry is not None and changes.entry.body is None and changes.entry.at == server.now()
    text = "The operator lets it try the turn again; all orders were kept."
    assert mail(changes)[0] == [("The game goes on", text)]


def test_players_are_welcomed_with_what_is_not_so_in_every_game(server: Server) -> None:
    server.create("quiet", press="none", watch_delay=2, anonymous=True)
    server.create("loud", press="private")
    ann = server.players(2, game="quiet")[0]
    assert ann.messages()[0].body == (
        "Welcome to quiet, a game of Auction. In this game players write nothing to each other. It is anonymous: "
        "the players stay hidden until the game is over. Spectators see this game 2 turns later."
    )
    assert server.players(2, game="loud")[0].messages()[0].body == "Welcome to loud, a game of Auction."


# --- finishing


def test_who_is_done_is_told_once(server: Server) -> None:
    game = begun(server, seats=3)
    ann, eve = server.player("ann"), server.player("ben")
    server.pass_time(10)
    finish(ann)
    assert eve.times_pushed() == [(590, WARNING)]
    finish(ann)
    assert eve.times_pushed() == [] and game.finished == {0}


def test_a_threshold_begins_once_with_the_mark_that_reaches_it(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """Only awaited players count. Absent ones do not."""
    game = begun(server, "threshold:40:60 grace:5", seats=5, policy=SeatPolicy(absent_after=1))
    game.players[4].record = SeatRecord(due=1, missed=1)
    clients = server.players(5)
    eve = clients[3]
    server.pass_time(10.5)
    eve.pushed.clear()
    finish(clients[0])
    assert game.row.due is None and eve.times_pushed() == [(NEVER, WARNING)]
    committed.clear()
    finish(clients[1])
    ((changes, at),) = committed
    due = server.now() + 60
    assert (changes.columns, at) == ({"due": due, "deadline": due + 5, "ran": server.now()}, server.now())
    assert eve.times_pushed() == [(60, THRESHOLD)]
    server.pass_time(10)
    finish(clients[2])
    assert game.row.due == due and eve.times_pushed() == [(50, WARNING)]
    finish(eve)
    assert game.state.turn == 1


@pytest.mark.parametrize("state", ["closing", "stale", "paused", "stopped"])
def test_no_threshold_begins_where_no_turn_runs(
    server: Server, committed: list[tuple[GameChanges, float]], state: str
) -> None:
    """Though enough have finished."""
    game = begun(server, "threshold:50:60")
    turns = server.registry.turns
    game.finished = frozenset({0})
    game.closing, game.saving.stale = state == "closing", state == "stale"
    if state == "paused":
        game.row = replace(game.row, state=state)
    elif state == "stopped":
        server.registry.clocks.stop()
    committed.clear()
    turns.close_if_due(game)
    assert (committed, game.row.due, server.registry.clocks.turn_timers.games()) == ([], None, [])


def test_a_threshold_that_is_chosen_in_a_pause_begins_after_it(server: Server) -> None:
    game = begun(server, "all-done")
    result_of(server.registry.control.pause(game))
    finish(server.player("ann"))
    result_of(server.registry.clock_changes.set_clock(game, parse_clock("threshold:50:60"), "The operator"))
    assert (game.row.state, game.row.due, game.row.deadline) == ("paused", None, None)
    server.pass_time(10)
    result_of(server.registry.control.resume(game))
    assert game.row.due == game.row.deadline == server.now() + 60


def test_a_turn_of_absent_players_alone_ends_a_round_of_the_reactor_later(server: Server) -> None:
    """As nobody will say that he is done with it."""
    game = begun(server, "all-done", "alternating", policy=SeatPolicy(absent_after=1))
    game.players[1].record = SeatRecord(due=1, missed=1)
    finish(server.player("ann"))
    assert game.state.turn == 1
    server.settle()
    assert game.state.turn == 2
    server.settle()
    assert game.state.turn == 2 and attendance.awaited(game) == [0]


def test_a_turn_of_a_group_has_the_clock_of_that(server: Server, committed: list[tuple[GameChanges, float]]) -> None:
    begun(server, "interval:600 phase:duel=interval:60", "alternating")
    for seconds in (60, 600):
        committed.clear()
        server.close_turn()
        assert of_kind(committed, "close").columns["due"] == server.now() + seconds


def test_a_turn_that_waits_for_its_end_ends_then_without_grace_if_all_have_finished(server: Server) -> None:
    """Not before, nor with the grace that nobody needs."""
    game = begun(server, "interval:600 grace:60 wait")
    finish(*server.players(2))
    server.pass_time(599)
    assert game.state.turn == 0
    server.pass_time(1)
    assert game.state.turn == 1 and reasons(server) == [ALL_FINISHED]


def reasons(server: Server) -> list[int]:
    """Why the turns of the game have closed, as the journal says."""
    entries = server.store.read(lambda c: stored_journal.after(c, server.game().row.id, 0))
    return [entry.body["reason"] for entry in entries if entry.kind == "close"]


def test_the_journal_says_why_each_turn_has_closed(server: Server) -> None:
    begun(server, options={"rounds": 10})
    ann, ben = server.players(2)
    finish(ann, ben)
    server.pass_time(600)
    server.close_turn()
    assert reasons(server) == [ALL_FINISHED, END_OF_TURN, END_OF_TURN]


def test_an_order_that_ends_its_phase_is_counted_and_closes_the_turn(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A draft does not, nor one of another phase; the reason is that all are done."""
    game = begun(server, "manual", "each", seats=3)
    ann = server.players(3)[0]
    monkeypatch.setattr(EVENTS, "orders", 5)
    assert ann.bid(1).name == "order"
    assert EVENTS.orders == 6 and game.state.turn == 1
    assert reasons(server) == [ALL_FINISHED]
    turns = server.registry.turns
    bid = Order(0, 2, "Bid", {"gold": 1, "words": ""})
    for order in (bid._replace(draft=True), bid._replace(type="Gift"), bid._replace(seat=2)):
        turns.ordered(game, order)
    assert game.state.turn == 1
    turns.ordered(game, bid._replace(seat=1))
    assert game.state.turn == 2


def test_orders_that_are_older_than_the_turn_do_not_end_it(server: Server) -> None:
    """As they stand in their queues with the stamps that they had."""
    game = begun(server, "manual", "each")
    turns = server.registry.turns
    game.first_stamp = 7
    game.state.queues[2] = [Order(0, 2, "Bid", {"gold": 1, "words": ""}, 7)]
    assert has_settled(game, server.now())
    game.state.queues[2] = [Order(0, 2, "Bid", {"gold": 1, "words": ""}, 8)]
    assert not has_settled(game, server.now())
    turns.close_if_due(game)
    assert game.state.turn == 1 and reasons(server) == [ALL_FINISHED]


def test_a_game_has_settled_when_only_time_or_somebody_can_change_it(server: Server) -> None:
    turns = server.registry.turns
    game = begun(server, "threshold:50:60")
    assert has_settled(game, server.now())
    game.finished = frozenset({0})
    assert not has_settled(game, server.now()), "its time is to begin"
    turns.close_if_due(game)
    assert has_settled(game, server.now()) and game.row.due == server.now() + 60
    server.registry.clocks.turn_timers.disarm(game)
    server.clock.rightNow += 60
    assert not has_settled(game, server.now()), "its time is up"
    turns.close_if_due(game)
    assert game.state.turn == 1 and reasons(server) == [END_OF_TURN]
    game.row = replace(game.row, state="paused")
    assert has_settled(game, server.now())


@pytest.mark.parametrize("state", ["closing", "stale", "paused", "held", "over", "stopped"])
def test_what_comes_too_late_changes_nothing_and_is_told_to_nobody(
    server: Server, committed: list[tuple[GameChanges, float]], state: str
) -> None:
    """Such as a timer, a saved mark or a vote: the turn is computed already, or the game is lost or stopped."""
    game = begun(server, "interval:600 grace:5 bank:60:5")
    ann = server.player("ann")
    turns = server.registry.turns
    seated: list[Game] = []
    server.registry.bus.subscribe(AwaitedSeatsChanged, lambda event: seated.append(event.game))
    server.pass_time(3)
    server.registry.clocks.turn_timers.disarm(game)
    server.clock.rightNow += 700
    if state != "stopped":
        game.banks = {0: 1.0, 1: 2.0}  # which the deadline does not fit any more
    if state == "closing":
        game.closing = True
    elif state == "stale":
        game.saving.stale = True
    elif state == "stopped":
        server.registry.clocks.stop()
    else:
        game.row = replace(game.row, state=state)
    row = game.row
    committed.clear()
    ann.pushed.clear()
    turns.close_if_due(game)
    server.registry.bus.publish(DeadlineReached(game))
    if state != "stopped":
        server.registry.bus.publish(TurnDue(game))
        turns.waits_anew(game)
    if state in ("closing", "stale", "stopped", "over", "held"):
        server.registry.suspensions.broke(game, RuntimeError("broken"), "go on")
    if state in ("paused", "held", "over"):
        server.registry.clocks.fit_deadline(game)
    turns.all_may_be_done(game)
    server.settle()
    assert (committed, ann.pushed, seated, game.row, game.state.turn) == ([], [], [], row, 0)


@pytest.mark.parametrize("state", ["closing", "stale", "paused", "held", "over"])
@pytest.mark.parametrize("mark", ["first", "last", "taken back"])
def test_a_mark_that_is_saved_too_late_changes_nothing(
    make_server: Any, committed: list[tuple[GameChanges, float]], state: str, mark: str
) -> None:
    server: Server = make_server(found=FOUND, delayed=True)
    game = begun(server, "interval:600 grace:5 bank:60:5")
    ann = server.player("ann")
    turns = server.registry.turns
    game.finished = frozenset({"first": (), "last": (1,), "taken back": (0, 1)}[mark])
    game.banks = {0: 1.0, 1: 2.0}
    server.disk.at_once = False
    committed.clear()
    ann.pushed.clear()
    if mark == "taken back":
        assert turns.unfinished(game, 0)
    else:
        turns.finished(game, 0)
    if state == "closing":
        game.closing = True
    elif state == "stale":
        game.saving.stale = True
    else:
        game.row = replace(game.row, state=state)
    row = game.row
    server.disk.commit()
    assert (committed, game.row, game.state.turn) == ([], row, 0)
    assert ann.times_pushed() == (
        [(NEVER, WARNING)] if mark == "taken back" and state in ("paused", "held", "over") else []
    )


def test_others_than_before_are_awaited(server: Server, committed: list[tuple[GameChanges, float]]) -> None:
    """All are notified, the deadline fits their time banks, and the part that gives seats to bots is called."""
    game = begun(server, "interval:600 bank:60:5")
    ann = server.player("ann")
    seated: list[Game] = []
    server.registry.bus.subscribe(AwaitedSeatsChanged, lambda event: seated.append(event.game))
    game.banks = {0: 10.0, 1: 20.0}
    server.pass_time(1)
    committed.clear()
    server.registry.turns.waits_anew(game)
    assert seated == [game]
    ((changes, at),) = committed
    due = BEGINNING + 600
    assert (changes.columns, at) == ({"due": due, "deadline": due + 20, "ran": server.now()}, server.now())
    assert ann.times_pushed() == [(599, WARNING)]
    server.registry.clocks.fit_deadline(game)
    assert len(committed) == 1, "it fits already"
    server.pass_time(618)
    assert game.state.turn == 0
    server.pass_time(1)
    assert game.state.turn == 1


def test_a_turn_that_nobody_plays_ends_when_it_is_due_not_before(server: Server) -> None:
    """All have left their seats to the bot of the rules, which is done at once."""
    game = begun(server, "interval:100 grace:10")
    for player in game.players:
        player.record = SeatRecord(autopilot=3)
    game.finished = frozenset({0, 1})
    turns = server.registry.turns
    assert attendance.awaited(game) == [] and attendance.nobody_plays(game)
    turns.close_if_due(game)
    server.pass_time(99)
    assert game.state.turn == 0
    server.pass_time(1)
    assert game.state.turn == 1 and reasons(server) == [ALL_FINISHED]


# --- late


def test_grace_is_told_of_when_the_time_is_up_and_not_a_moment_before(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """The system's clock may be a little slow against the one of the timers."""
    game = begun(server, "interval:300 grace:60", seats=3)
    server.registry.clocks.wall_clock.watch()
    ann = server.players(3)[0]
    finish(ann)
    server.set_clock(-0.5)
    committed.clear()
    server.pass_time(240)
    ann.pushed.clear()
    server.pass_time(60)
    assert committed == [] and ann.times_pushed() == [(1, WARNING)]
    server.pass_time(0.5)
    changes = of_kind(committed, "late")
    assert changes.entry is not None and changes.entry.body is None and changes.columns == {}
    text = "The time of this turn is up. It waits for ben and cem until 2023-11-14 22:19 (UTC) at the latest."
    assert mail(changes) == {seat: [("Grace", text)] for seat in range(3)}
    assert ann.times_pushed() == [(60, WARNING)]
    server.pass_time(59.5)
    assert game.state.turn == 0
    server.pass_time(0.5)
    assert game.state.turn == 1


def test_a_clock_without_grace_tells_of_none(server: Server, committed: list[tuple[GameChanges, float]]) -> None:
    """Time banks are counted down for all to see."""
    game = begun(server, "interval:300 bank:60:5")
    ann = server.player("ann")
    server.pass_time(299)
    committed.clear()
    ann.pushed.clear()
    server.pass_time(1)
    assert (committed, ann.times_pushed(), game.state.turn) == ([], [(60, WARNING)], 0)


# --- closing


def test_a_turn_closes_in_one_piece(server: Server, committed: list[tuple[GameChanges, float]]) -> None:
    """The entry, snapshot, row, seats, views, messages and awaited players are saved together. Then all is new."""
    game = begun(server, "interval:600 grace:5 bank:60:7", "dealing", 3, options={"gold": 7})
    ann = server.players(3)[0]
    ann.bid(3)
    server.pass_time(10)
    finish(ann)
    game.counts.unfinished[0] = 3
    game.counts.clock_changes, game.counts.policy_changes, game.counts.autopilots = 2, 2, Counter({0: 1})
    server.pass_time(595)
    ann.pushed.clear()
    committed.clear()
    names: list[str] = []
    server.pass_time(59.25)
    assert committed == []
    before, last = game.digest, game.last_entry
    turns, seconds = sum(EVENTS.turns), EVENTS.turn_seconds
    with interfering(names.append):
        server.pass_time(0.75)
    now = server.now()
    assert now == BEGINNING + 665
    assert [name for name in names if name.startswith("closing")] == [
        "closing: begun", "closing: computed", "closing: given", "closing: saved", "closing: done",
    ]  # fmt: skip
    changes = of_kind(committed, "close")
    entry, kept = changes.entry, changes.snapshot
    assert entry is not None and kept is not None
    assert (entry.number, entry.turn, entry.body) == (last + 1, 0, {"reason": END_OF_TURN})
    assert (kept.journal_number, kept.at, kept.turn, kept.phase) == (entry.number, now, 1, "bidding")
    due = now + 600
    assert changes.columns == {
        "turn": 1, "ruleset_version": 1, "state": "running", "due": due, "deadline": due + 5 + 60, "ran": now,
    }  # fmt: skip
    assert changes.banks == {0: 60, 1: 7, 2: 7} == game.banks
    assert changes.records == {0: {"due": 1, "kept": 1}, 1: {"due": 1, "missed": 1}, 2: {"due": 1, "missed": 1}}
    assert changes.due == {game.players[seat].account: seat == 0 for seat in range(3)}
    assert changes.begins == TurnBegins([0, 1, 2], [1, 2])
    assert list(changes.views) == [0, 1, 2]
    assert all(blob == dump_view(game.views[seat], game.mark) for seat, blob in changes.views.items())
    assert list(game.views) == [0, 1, 2], "nobody watches"
    assert changes.scores == (1, {seat: {0: {"Won": 1}, 1: {"Won": 0}, 2: {"Won": 0}} for seat in (None, 0, 1, 2)})
    told = mail(changes)
    text = "ben and cem had not finished. The orders given until then count."
    assert told == {seat: [("The time ran out", text), ("Sold", "ann gets the lot")] for seat in range(3)}
    assert changes.delivery is not None and {(one.turn, one.at) for one in changes.delivery.messages} == {(1, now)}
    assert changes.summary is not None and changes.summary[0] == 1
    assert [one.subject for one in changes.summary[1][1]] == ["The time ran out", "Sold"]
    assert changes.proposals == ()
    assert (game.state.turn, game.closing, game.digest == kept.digest) == (1, False, True) and game.digest != before
    assert (game.finished, game.counts.unfinished, game.used, game.waited) == (frozenset(), Counter(), {}, {})
    assert (game.counts.clock_changes, game.counts.policy_changes, game.counts.autopilots) == (0, 0, Counter())
    assert (game.snapshot_entry, game.order_entries, game.reordered) == (entry.number, 0, {})
    assert game.first_stamp == game.state.stamp == 1
    assert game.outcome is None and game.can_go_back is False
    assert ann.times_pushed() == [(0, END_OF_TURN), (600, TIMER_STARTED)]
    assert sum(EVENTS.turns) == turns + 1 and 0 < EVENTS.turn_seconds - seconds < 60


def test_the_log_says_which_turn_was_closed_and_that_the_game_is_over(server: Server, logged: list[str]) -> None:
    begun(server, options={"rounds": 2})
    server.close_turn()
    server.close_turn()
    lines = [line for line in logged if " was closed in " in line]
    assert [line.startswith(f"first: turn {turn} was closed in ") for turn, line in enumerate(lines)] == [True, True]
    assert [line.endswith(", and the game is over") for line in lines] == [False, True]


def test_who_watches_has_been_shown_the_new_turn_with_the_players(server: Server) -> None:
    """Not a second time."""
    game = begun(server)
    eve = server.connect()
    assert eve.ask("login", username="eve@first/watch", password="word").name == "okay"
    told: list[Any] = []
    server.registry.bus.subscribe(TurnClosed, lambda event: told.append(event.result))
    server.close_turn()
    assert game.projected is told[0].projected and game.views[None] is told[0].views[None]


def test_rules_that_fail_to_close_a_turn_hold_their_game(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    game = begun(server)
    monkeypatch.setattr(Auction, "outcome", lambda self, world: 1 // 0)
    server.pass_time(600)
    assert (game.row.state, game.state.turn, len(server.registry.turns.line)) == ("held", 0, 0)
    assert "ZeroDivisionError" in game.row.held_reason
    text = "The rules failed to close turn 0. The operator has been notified; all orders are kept."
    assert server.player("ann").messages()[-1].body == text


def test_each_turn_ends_by_its_own_time(server: Server) -> None:
    game = begun(server)
    for turn in range(3):
        server.pass_time(599)
        assert game.state.turn == turn
        server.pass_time(1)
        assert game.state.turn == turn + 1


def test_a_turn_has_the_time_at_which_its_computation_has_come_back(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """And so have its snapshot and its entry; the rules may have taken a minute."""
    game = begun(server)
    running = later(server)
    server.pass_time(600)
    (waiting, work) = running.pop()
    computed = work()
    server.pass_time(30.5)
    committed.clear()
    waiting.callback(computed)
    changes, now = of_kind(committed, "close"), server.now()
    assert changes.snapshot is not None and changes.entry is not None
    assert changes.snapshot.at == changes.entry.at == now == BEGINNING + 630.5
    assert game.row.due == now + 600


def test_a_turn_keeps_its_seconds_if_the_clock_is_set_while_it_is_saved(
    make_server: Any, committed: list[tuple[GameChanges, float]]
) -> None:
    """It has no timer then, by which others are known that are to be moved; what was set before is in its time."""
    server: Server = make_server(found=FOUND, delayed=True)
    game = begun(server, "interval:300 grace:10")
    turns = server.registry.turns
    server.set_clock(1000)
    server.registry.clocks.wall_clock.look()
    server.disk.at_once = False
    turns.close_turn(game)
    due = game.row.due
    assert due == server.now() + 300
    server.pass_time(2)
    server.set_clock(5000)
    server.registry.clocks.wall_clock.look()
    assert game.row.due == due
    committed.clear()
    server.disk.commit()
    ((changes, at),) = committed
    assert (changes.columns, at) == ({"due": due + 5000, "deadline": due + 5010, "ran": server.now()}, server.now())
    server.disk.at_once = True
    server.disk.commit()
    server.pass_time(307.5)
    assert game.state.turn == 1
    server.pass_time(0.5)
    assert game.state.turn == 2


def test_a_game_that_is_paused_while_its_turn_is_saved_keeps_its_seconds_if_the_clock_is_set(
    make_server: Any, committed: list[tuple[GameChanges, float]]
) -> None:
    server: Server = make_server(found=FOUND, delayed=True)
    game = begun(server, "interval:300 grace:10")
    server.disk.at_once = False
    server.registry.turns.close_turn(game)
    paused = Deferred.fromCoroutine(server.registry.control.pause(game))
    server.set_clock(5000)
    row = game.row
    committed.clear()
    server.disk.commit()
    result_of(paused)
    assert (committed, game.row, game.row.left, game.state.turn) == ([], row, 300, 1)


def test_a_game_that_is_dropped_while_its_turn_is_saved_has_no_timer(make_server: Any) -> None:
    """As where the clock is set, and is not believed; the new turn ends where the game is read again."""
    server: Server = make_server(found=FOUND, delayed=True)
    game = begun(server)
    turns = server.registry.turns
    server.disk.at_once = False
    turns.close_turn(game)

    def distrusts(seconds: float) -> bool:
        game.saving.stale = True
        return False

    server.registry.timekeeper.clock_was_set = distrusts  # type: ignore[method-assign] # of a node
    server.set_clock(5000)
    server.disk.commit()
    assert game.state.turn == 1 and server.registry.clocks.turn_timers.games() == []


def test_the_time_bank_of_who_resigns_while_a_turn_is_saved_does_not_count_in_the_new_one(make_server: Any) -> None:
    server: Server = make_server(found=FOUND, delayed=True)
    game = begun(server, "interval:600 bank:60:5", seats=3)
    game.banks = {0: 50.0, 1: 20.0, 2: 10.0}
    server.disk.at_once = False
    server.registry.turns.close_turn(game)
    due = game.row.due
    assert due is not None and game.row.deadline == due + 55
    game.resigned = frozenset({0})
    server.disk.commit()
    assert game.state.turn == 1 and game.row.deadline == due + 25


def test_who_watches_a_turn_close_is_told_after_it_is_saved_and_with_what_it_has_come_to(server: Server) -> None:
    game = begun(server)
    told: list[Any] = []
    server.registry.bus.subscribe(TurnClosed, lambda event: told.append((event.game, event.result.snapshot.turn)))
    server.close_turn()
    assert told == [(game, 1)]


def test_what_the_operator_closes_is_nobodys_fault_and_a_turn_that_reveals_nothing_can_be_taken_back(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    game = begun(server, "manual", "open", options={"rounds": 3})
    committed.clear()
    server.close_turn()
    changes = of_kind(committed, "close")
    assert changes.entry is not None
    assert changes.entry.body == {"reason": END_OF_TURN, "operator": True, "open": True}
    assert (changes.records, changes.due, changes.delivery.messages) == ({}, {}, [])  # type: ignore[union-attr]
    assert changes.columns["due"] is changes.columns["deadline"] is None
    assert game.can_go_back is True


def test_of_seats_that_the_bot_plays_nobody_is_late(server: Server, committed: list[tuple[GameChanges, float]]) -> None:
    game = begun(server, seats=3, policy=SeatPolicy(absent_after=2))
    game.players[1].record = SeatRecord(autopilot=2)
    game.players[2].record = SeatRecord(due=1, missed=1)
    committed.clear()
    server.pass_time(600)
    told = mail(of_kind(committed, "close"))
    assert [subject for subject, _ in told[0]] == ["The time ran out", "Not waited for"]
    assert told[0][0][1] == "ann and cem had not finished. The orders given until then count."
    assert told[0][1][1].startswith("cem has missed 2 turns in a row.")
    assert [subject for subject, _ in told[1]] == ["The time ran out", "Not waited for", "Autopilot"]
    assert game.players[1].record == SeatRecord(autopilot=1)


def test_a_new_turn_has_the_banks_of_those_for_whom_it_waits(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """Where they say nothing, none; and with their vacations what turns have waited for these."""
    game = begun(server, "interval:600 bank:60", seats=3, policy=SeatPolicy(absent_after=1))
    game.players[0].record = SeatRecord(due=1, missed=1)
    game.banks = {0: 50.0, 1: 20.0, 2: 30.0}
    committed.clear()
    server.close_turn()
    columns = of_kind(committed, "close").columns
    assert columns["deadline"] - columns["due"] == 30


def test_the_last_turn_closes_without_another_one(server: Server, committed: list[tuple[GameChanges, float]]) -> None:
    """An anonymous game sends the names of its players behind the other messages."""
    server.create("first", clock="interval:600", options={"rounds": 1}, anonymous=True)
    ann, _ = server.players(2)
    game = server.game()
    ann.bid(2)
    game.players[1].record = SeatRecord(autopilot=2)
    committed.clear()
    server.pass_time(600)
    changes = of_kind(committed, "close")
    assert (changes.columns["state"], changes.columns["due"], changes.columns["deadline"]) == ("over", None, None)
    told = mail(changes)
    assert [subject for subject, _ in told[0]] == ["The time ran out", "Sold", "Game over", "Player names"]
    assert sorted(told[1])[0][0] == "Autopilot", "what only one is told is told, too"
    assert told[0][3][1] in ("Player 1 was ann and Player 2 was ben.", "Player 1 was ben and Player 2 was ann.")
    assert game.outcome is not None and game.outcome.why == "all lots are sold"
    assert game.over and {player.name for player in game.players} == {"ann", "ben"}
    assert changes.begins == TurnBegins([], [0, 1])
    assert not game.can_go_back


def test_a_turn_that_is_closed_by_hand_in_a_pause_has_its_full_time_afterwards(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    game = begun(server)
    server.pass_time(100)
    result_of(server.registry.control.pause(game))
    server.pass_time(50)
    committed.clear()
    server.close_turn()
    now = server.now()
    assert of_kind(committed, "close").columns == {
        "turn": 1, "ruleset_version": 1, "state": "paused", "due": now + 600, "deadline": None, "ran": now, "left": 600,
    }  # fmt: skip


def test_a_turn_without_a_deadline_that_is_closed_by_hand_in_a_pause_leaves_none(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    game = begun(server, "all-done")
    result_of(server.registry.control.pause(game))
    committed.clear()
    server.close_turn()
    columns = of_kind(committed, "close").columns
    assert game.state.turn == 1 and (columns["due"], columns["deadline"], columns["left"]) == (None, None, None)


def test_scores_that_the_rules_cannot_tell_are_not_asked_for_again(
    server: Server, committed: list[tuple[GameChanges, float]], monkeypatch: pytest.MonkeyPatch, logged: list[str]
) -> None:
    game = begun(server, "manual", "dealing")
    committed.clear()
    with monkeypatch.context() as patched:
        patched.setattr(Dealing, "scores", lambda self, world, seat: 1 // 0)
        server.close_turn()
    assert of_kind(committed, "close").scores is None and game.has_no_scores
    (line,) = [one for one in logged if "how all stand" in one]
    assert "ZeroDivisionError" in line


def later(server: Server) -> list[tuple[Deferred[Any], Any]]:
    """Have turns computed when the test says so."""
    running: list[tuple[Deferred[Any], Any]] = []

    def compute(work: Any) -> Deferred[Any]:
        running.append((Deferred(), work))
        return running[-1][0]

    server.registry.turns.compute = compute
    return running


def test_a_spectator_who_comes_while_a_turn_is_computed_sees_the_new_one(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what has not changed as it was; unless the rules fail at that, which does not hold up the turn."""
    game = begun(server, "manual")
    running = later(server)
    closing = server.registry.turns.close_turn(game)
    (waiting, work) = running.pop()
    computed = work()
    eve = server.connect()
    assert eve.ask("login", username="eve@first/watch", password="word").name == "okay"
    before = game.views[None]
    projected = len(computed.projected)
    waiting.callback(computed)
    result_of(closing)
    view = game.views[None]
    assert view is not before and view.objects[0].turn == 1 and view.seat is None
    assert view.objects[2] is before.objects[2] and view.changed.keys() == {0}
    assert view.time(0) >= int(server.now())
    assert len(game.projected) == projected + 1


def test_spectators_of_rules_that_fail_have_no_view(
    server: Server, monkeypatch: pytest.MonkeyPatch, logged: list[str]
) -> None:
    game = begun(server, "manual")
    monkeypatch.setattr(Auction, "sight", lambda self, world, seat: 1 // 0)
    assert spectators_view(game, None, 7) is None
    assert "first: ruleset auction failed to show the game to a spectator" in logged


def test_a_turn_that_cannot_be_closed_says_why(server: Server) -> None:
    server.create("first", clock="manual", options={"rounds": 1})
    turns, game = server.registry.turns, server.game()
    step = PlayersStep(lambda: advance(game.rules, game.state, game.row.seed), [], Initiator(), {})

    def refused(call: Any, *arguments: Any) -> str:
        with pytest.raises((GameError, NotNow)) as error:
            result_of(call(*arguments))
        return str(error.value)

    assert refused(turns.close_turn, game) == "the game 'first' has not started"
    assert refused(turns.go, game, step) == "the game 'first' is waiting"
    server.players(2)
    game = server.game()
    game.closing = True
    assert refused(turns.close_turn, game) == "the turn of 'first' is already being computed"
    assert refused(turns.go, game, step) == "the turn of 'first' is being computed; try again in a moment"
    game.closing = False
    game.row = replace(game.row, state="held", held_reason="Broken")
    assert refused(turns.close_turn, game) == "the game 'first' is held: Broken; resume it first"
    assert refused(turns.go, game, step) == "the game 'first' is held"
    game.row = replace(game.row, state="over")
    assert refused(turns.close_turn, game) == "the game 'first' is over"
    assert refused(turns.go, game, step) == "the game 'first' is over"


def test_a_step_of_the_players_is_written_down_with_whose_it_is(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """And with what they have agreed on; nobody has kept or missed the turn, and it cannot be taken back."""
    game = begun(server, "interval:600", "open")
    agreed = Proposal(game.row.id, 1, "draw", 0, 0, 0, 5.0, 6.0, AGREED)
    outcome = Outcome({0: 1, 1: 1}, "agreed")
    step = PlayersStep(
        lambda: concluded(game.rules, game.state, outcome),
        [Report(None, "A draw", "It is a draw")],
        Initiator("An agreement", True, agreed),
        {"concluded": True},
    )
    committed.clear()
    result_of(server.registry.turns.go(game, step))
    changes = of_kind(committed, "close")
    assert changes.entry is not None
    assert changes.entry.body == {"reason": ALL_FINISHED, "by": "An agreement", "proposal": 1, "concluded": True}
    assert changes.proposals == (agreed,) and game.proposals == [agreed]
    assert (changes.records, changes.due) == ({}, {})
    assert [subject for subject, _ in mail(changes)[0]] == ["A draw", "Game over"]
    assert game.over and game.outcome == outcome and not game.can_go_back


@pytest.mark.parametrize("rules_fail", [False, True])
@pytest.mark.parametrize(
    ("state", "error", "text"),
    [
        ("stale", NotSaved, "the game is being read from the store again"),
        ("stopped", GameError, "the server stops; turn 0 of 'first' was not closed"),
    ],
)
def test_a_turn_whose_game_is_lost_or_whose_server_stops_is_not_closed(
    server: Server,
    committed: list[tuple[GameChanges, float]],
    state: str,
    error: type[Exception],
    text: str,
    rules_fail: bool,
) -> None:
    """Whatever the rules have made of it; the line is free for others."""
    running = later(server)
    game = begun(server, "manual")
    closing = server.registry.turns.close_turn(game)
    committed.clear()
    lose(server, game, state)
    waiting, work = running.pop()
    if rules_fail:
        waiting.errback(ValueError("the rules failed"))
    else:
        waiting.callback(work())
    with pytest.raises(error) as refused:
        result_of(closing)
    assert str(refused.value) == text and committed == []
    assert game.row.state == "running" and len(server.registry.turns.line) == 0


def lose(server: Server, game: Game, state: str) -> None:
    """Have a game read from the store again ("stale"), or stop the clocks of the server ("stopped")."""
    if state == "stale":
        game.saving.stale = True
    else:
        server.registry.clocks.stop()


def test_a_game_whose_rules_broke_before_its_turn_closes_is_held_for_that(server: Server) -> None:
    game = begun(server)
    game.fault = (RuntimeError("broken"), "look at an order")
    server.pass_time(600)
    assert (game.row.state, game.closing, game.state.turn) == ("held", False, 0)
    assert "RuntimeError: broken" in game.row.held_reason
    text = "The rules failed to look at an order. The operator has been notified; all orders are kept."
    assert server.player("ann").messages()[-1].body == text


def test_a_game_whose_rules_break_while_its_turn_is_saved_is_held_in_the_new_one(server: Server) -> None:
    game = begun(server)
    running = later(server)
    server.pass_time(600)
    (waiting, work) = running.pop()
    rules_calls.broke(game, RuntimeError("broken"), "look at an order")
    assert game.row.state == "running"
    waiting.callback(work())
    assert (game.row.state, game.state.turn, game.row.deadline) == ("held", 1, None)


def test_a_closing_that_fails_otherwise_is_logged(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error outside of the rules is a fault of the server."""
    failures: list[Any] = []
    monkeypatch.setattr(turn_service.log, "failure", lambda *said, **more: failures.append((said, more)))

    def fails(*_: Any) -> Any:
        raise LookupError("no such thing")

    begun(server)
    monkeypatch.setattr(closing, "delivery", fails)
    server.pass_time(600)
    ((said, more),) = failures
    assert said[0] == "{game}: closing the turn failed" and more == {"game": "first"}
    assert isinstance(said[1].value, LookupError)


@pytest.mark.parametrize("state", ["stale", "stopped"])
def test_a_closing_that_ends_with_its_game_or_server_is_not_logged_again(
    server: Server, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    failures: list[Any] = []
    monkeypatch.setattr(turn_service.log, "failure", lambda *said, **more: failures.append((said, more)))
    game = begun(server)
    running = later(server)
    server.pass_time(600)
    lose(server, game, state)
    running[0][0].callback(None)
    assert failures == []


# --- holding


def test_a_game_is_held_in_one_piece(
    server: Server, committed: list[tuple[GameChanges, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator gets the reason. The players learn which part failed, and that no time counts."""
    failures: list[Any] = []
    monkeypatch.setattr(suspension.log, "failure", lambda *said, **more: failures.append((said, more)))
    game = begun(server)
    ann = server.player("ann")
    held: list[tuple[Game, str]] = []
    server.registry.bus.subscribe(GameSuspended, lambda event: held.append((event.game, event.reason)))
    server.pass_time(2.5)
    monkeypatch.setattr(EVENTS, "holds", 5)
    committed.clear()
    ann.pushed.clear()
    error = RuntimeError("broken")
    server.registry.suspensions.broke(game, error, "look at an order")
    changes = of_kind(committed, "hold")
    reason = game.row.held_reason
    assert "RuntimeError: broken" in reason
    assert changes.entry is not None and changes.entry.body == {"reason": reason}
    assert changes.entry.at == server.now()
    assert changes.columns == {"state": "held", "held_reason": reason, "deadline": None, "due": None}
    text = "The rules failed to look at an order. The operator has been notified; all orders are kept."
    assert mail(changes) == {seat: [("The game is held", text)] for seat in (0, 1)}
    assert held == [(game, reason)] and EVENTS.holds == 6
    assert ann.times_pushed() == [(NEVER, WARNING)]
    ((_, more),) = failures
    assert (more["game"], more["rules"], more["doing"]) == ("first", "auction", "look at an order")
    assert more["failure"].value is error


# --- pausing


def test_a_pause_and_its_end_are_written_down_in_one_piece_each(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    game = begun(server, "interval:600 grace:5")
    server.pass_time(100.5)
    ann = server.player("ann")
    committed.clear()
    result_of(server.registry.control.pause(game))
    assert ann.times_pushed() == [(NEVER, WARNING)]
    changes = of_kind(committed, "pause")
    assert changes.columns == {"state": "paused", "deadline": None, "left": 499.5}
    assert changes.entry is not None and changes.entry.body is None and changes.proposals == ()
    assert game.paused_by_players is False
    server.pass_time(1000)
    began: list[Game] = []
    server.registry.bus.subscribe(TurnBegan, lambda event: began.append(event.game))
    committed.clear()
    result_of(server.registry.control.resume(game))
    changes, now = of_kind(committed, "resume"), server.now()
    assert changes.columns == {
        "state": "running", "left": None, "held_reason": "", "due": now + 499.5, "deadline": now + 504.5, "ran": now,
    }  # fmt: skip
    assert changes.entry is not None and changes.entry.body is None
    assert began == [game] and ann.times_pushed() == [(500, TIMER_STARTED)]


def test_players_pause_and_go_on_by_agreement(server: Server, committed: list[tuple[GameChanges, float]]) -> None:
    """The message and the journal name the players who agreed. Braces in a name stand for no player."""
    game = begun(server)
    agreed = Proposal(game.row.id, 1, "pause", 0, 0, 0, 5.0, 6.0, AGREED)
    committed.clear()
    result_of(server.registry.control.pause(game, Initiator("{player 0}", True, agreed)))
    changes = of_kind(committed, "pause")
    assert changes.entry is not None and changes.entry.body == {"by": "{player 0}", "proposal": 1}
    assert mail(changes)[1] == [("The game is paused", "(player 0) has stopped the clock; orders are still taken.")]
    assert changes.proposals == (agreed,) and game.paused_by_players is True
    committed.clear()
    agreed = Proposal(game.row.id, 2, "resume", 0, 0, 0, 5.0, 6.0, AGREED)
    result_of(server.registry.control.resume(game, Initiator("{player 0}", True, agreed)))
    changes = of_kind(committed, "resume")
    assert changes.entry is not None and changes.entry.body == {"by": "{player 0}", "proposal": 2}
    assert changes.proposals == (agreed,)
    assert Initiator("{player 0}", True).body == {"by": "{player 0}"}
    assert mail(changes)[1] == [("The game goes on", "(player 0) lets the clock run again.")]


def test_a_game_that_was_held_has_a_whole_turn_again(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """The players are notified of the new attempt. A game that was paused before gets the same."""
    game = begun(server, "interval:600 first:2023-11-20T12:00:UTC")
    server.pass_time(100)
    result_of(server.registry.control.pause(game))
    server.undergo("hold")
    server.pass_time(100)
    committed.clear()
    result_of(server.registry.control.resume(game))
    changes, now = of_kind(committed, "resume"), server.now()
    assert (changes.columns["due"], changes.columns["deadline"]) == (now + 600, now + 600)
    text = "The operator lets it try the turn again; all orders were kept."
    assert mail(changes)[0] == [("The game goes on", text)]


def test_a_time_of_a_calendar_stays_over_a_pause(server: Server) -> None:
    """Unless it has passed, or an hour is not left; what old servers have stored has seconds only."""
    game = begun(server, "calendar:daily:2000:Europe/Berlin")
    due = game.row.due
    result_of(server.registry.control.pause(game))
    server.pass_time(5 * 3600)
    result_of(server.registry.control.resume(game))
    assert game.row.due == due
    result_of(server.registry.control.pause(game))
    game.row = replace(game.row, due=None, left=50.0)
    result_of(server.registry.control.resume(game))
    assert game.row.due == game.row.deadline == server.now() + 50


def test_a_pause_of_a_turn_without_a_deadline_leaves_it_without_one(server: Server) -> None:
    game = begun(server, "threshold:50:60")
    result_of(server.registry.control.pause(game))
    assert game.row.left is None
    server.pass_time(10)
    result_of(server.registry.control.resume(game))
    assert (game.row.state, game.row.due, game.row.deadline) == ("running", None, None)


def test_a_game_that_does_not_run_cannot_be_paused_nor_resumed(server: Server) -> None:
    server.create("first", clock="manual")
    with pytest.raises(GameError) as refused:
        result_of(server.registry.control.pause(server.game()))
    assert str(refused.value) == "the game 'first' is waiting, not running"
    server.players(2)
    with pytest.raises(GameError) as refused:
        result_of(server.registry.control.resume(server.game()))
    assert str(refused.value) == "the game 'first' is running, not paused or held"


def test_a_turn_of_a_resumed_game_that_is_due_is_closed_before_that_is_answered(server: Server) -> None:
    game = begun(server, "all-done")
    result_of(server.registry.control.pause(game))
    finish(*server.players(2))
    assert game.state.turn == 0
    result_of(server.registry.control.resume(game))
    assert game.state.turn == 1 and reasons(server) == [ALL_FINISHED]


def test_who_resumes_a_game_waits_for_the_turn_that_is_computed(server: Server) -> None:
    game = begun(server, "all-done")
    result_of(server.registry.control.pause(game))
    finish(*server.players(2))
    running = later(server)
    resumed = Deferred.fromCoroutine(server.registry.control.resume(game))
    assert game.row.state == "running" and not resumed.called
    (waiting, work) = running.pop()
    waiting.callback(work())
    result_of(resumed)
    assert game.state.turn == 1


@pytest.mark.parametrize("what", ["closes", "stops", "is held"])
def test_what_happens_as_a_game_goes_on_comes_before_a_turn_that_is_due(server: Server, what: str) -> None:
    """A listener may close that turn, or find out that the rules fail."""
    game = begun(server, "all-done")
    turns = server.registry.turns
    result_of(server.registry.control.pause(game))
    finish(*server.players(2))
    running = later(server)

    def began(_: TurnBegan) -> None:
        if what == "closes":
            turns.close_turn(game)
        elif what == "stops":
            server.registry.clocks.stop()
        else:
            server.registry.suspensions.broke(game, RuntimeError("broken"), "go on")

    server.registry.bus.subscribe(TurnBegan, began)
    result_of(server.registry.control.resume(game))
    assert len(running) == (what == "closes") and game.closing is (what == "closes")


def test_a_game_whose_rules_fail_while_it_is_saved_that_it_goes_on_does_not(make_server: Any) -> None:
    """No player is notified that time runs, and no bot is asked to play."""
    server: Server = make_server(found=FOUND, delayed=True)
    game = begun(server)
    result_of(server.registry.control.pause(game))
    ann = server.player("ann")
    began: list[Game] = []
    server.registry.bus.subscribe(TurnBegan, lambda event: began.append(event.game))
    server.disk.at_once = False
    resumed = Deferred.fromCoroutine(server.registry.control.resume(game))
    rules_calls.broke(game, RuntimeError("broken"), "look at an order")
    server.disk.commit()
    result_of(resumed)
    assert (game.row.state, game.row.deadline, began) == ("held", None, [])
    assert ann.times_pushed() == [(NEVER, WARNING)]


def test_a_game_has_gone_on_though_the_turn_that_ended_with_that_could_not_be_saved(make_server: Any) -> None:
    server: Server = make_server(found=FOUND, delayed=True)
    game = begun(server)
    turns = server.registry.turns
    result_of(server.registry.control.pause(game))
    for seat in phases.active(game):
        turns.finished(game, seat)
    server.disk.at_once = False
    resumed = Deferred.fromCoroutine(server.registry.control.resume(game))
    server.disk.commit(server.disk.pending)
    assert game.closing and server.disk.pending
    server.disk.fail()
    server.disk.at_once = True
    assert result_of(resumed) is None
    server.pass_time(60)
    assert server.registry.with_id(1).state.turn == 1


# --- another clock


def test_more_time_is_written_down_with_who_gave_it(server: Server, committed: list[tuple[GameChanges, float]]) -> None:
    game = begun(server, "interval:600 grace:5")
    ann = server.player("ann")
    server.pass_time(100.5)
    committed.clear()
    ann.pushed.clear()
    result_of(server.registry.clock_changes.give_time(game, 60, "{ann}", maker=True))
    changes, now = of_kind(committed, "more time"), server.now()
    assert changes.entry is not None and changes.entry.body == {"seconds": 60, "by": "{ann}", "maker": True}
    due = BEGINNING + 660
    assert changes.columns == {"due": due, "deadline": due + 5, "ran": now}
    text = "(ann) has given this turn 1 minute more; it is due at 2023-11-14 22:24 (UTC)."
    assert mail(changes)[0] == [("More time", text)]
    assert game.counts.clock_changes == 1 and ann.times_pushed() == [(560, WARNING)]
    agreed = Proposal(game.row.id, 1, "extend", 0, 0, 1, 5.0, 6.0, AGREED)
    committed.clear()
    result_of(server.registry.clock_changes.give_time(game, 1, "all", cause=Initiator("An agreement", True, agreed)))
    changes = of_kind(committed, "more time")
    assert changes.entry is not None
    assert changes.entry.body == {"by": "all", "proposal": 1, "seconds": 1, "maker": False}
    assert changes.proposals == (agreed,) and game.counts.clock_changes == 1


def test_more_time_for_a_paused_turn_is_left_when_it_goes_on(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    game = begun(server)
    server.pass_time(100)
    result_of(server.registry.control.pause(game))
    server.pass_time(1000)
    committed.clear()
    result_of(server.registry.clock_changes.give_time(game, 60, "The operator"))
    changes = of_kind(committed, "more time")
    assert changes.columns == {"due": BEGINNING + 660, "left": 560}
    assert mail(changes)[0][0][1] == "The operator has given this turn 1 minute more; the game is paused."


def test_more_time_goes_up_to_a_year_from_now(server: Server) -> None:
    """By what the clock of the game reads, which stands in a pause."""
    game = begun(server, "interval:600")

    def refused(seconds: Any) -> str:
        with pytest.raises(GameError) as error:
            result_of(server.registry.clock_changes.give_time(game, seconds, "The operator"))
        return str(error.value)

    assert refused(0) == f"an extension is 1 to {LONGEST} seconds, not 0"
    assert refused(LONGEST + 1) == f"an extension is 1 to {LONGEST} seconds, not {LONGEST + 1}"
    assert refused(10**50) == f"an extension is 1 to {LONGEST} seconds, not {10**39}"
    assert refused(LONGEST) == "no turn can be given a deadline more than 365 days away"
    server.pass_time(300)
    result_of(server.registry.control.pause(game))
    server.pass_time(10_000)
    assert refused(LONGEST - 299) == "no turn can be given a deadline more than 365 days away"
    result_of(server.registry.clock_changes.give_time(game, 1, "The operator"))
    result_of(server.registry.clock_changes.give_time(game, LONGEST - 301, "The operator"))


def test_time_cannot_be_given_where_none_is_counted(server: Server) -> None:
    server.create("first", clock="all-done")

    def refused(error: type[Exception], **more: Any) -> str:
        with pytest.raises(error) as told:
            result_of(server.registry.clock_changes.give_time(server.game(), 5, "The operator", **more))
        return str(told.value)

    assert refused(GameError) == "the game 'first' is waiting, so its turn has no deadline"
    server.players(2)
    assert refused(GameError) == "this turn of 'first' has no deadline"
    server.game().counts.clock_changes = MOST_CLOCK_CHANGES
    assert refused(NotNow, maker=True) == "the clock was changed 20 times in this turn, the maximum"
    server.game().closing = True
    assert refused(NotNow) == "the turn of 'first' is being computed; try again in a moment"


def test_another_clock_is_written_down_with_who_chose_it(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    game = begun(server, "interval:600")
    server.pass_time(100.5)
    ann = server.player("ann")
    ann.pushed.clear()
    game.banks, game.used = {0: 1.0}, {0: 1.0}
    committed.clear()
    clock = parse_clock("interval:60 grace:7")
    result_of(server.registry.clock_changes.set_clock(game, clock, "{ann}", maker=True))
    changes, now = of_kind(committed, "clock"), server.now()
    assert changes.entry is not None and changes.entry.body == {"clock": str(clock), "by": "{ann}", "maker": True}
    due = BEGINNING + 600
    assert changes.columns == {"clock": str(clock), "due": due, "deadline": due + 7, "ran": now}
    assert changes.banks == {} and game.banks == {0: 1.0}, "there were none before, and are none now"
    text = f"(ann) has given the game another clock: {clock.words()}. This turn is due at 2023-11-14 22:23 (UTC)."
    assert mail(changes)[1] == [("Another clock", text)]
    assert game.clock is clock and game.counts.clock_changes == 1
    assert ann.times_pushed() == [(500, WARNING)]
    committed.clear()
    clock = parse_clock("interval:60 bank:30")
    result_of(server.registry.clock_changes.set_clock(game, clock, "The operator"))
    changes = of_kind(committed, "clock")
    assert changes.banks == {0: None, 1: None} and game.banks == game.used == {}
    assert changes.entry is not None and changes.entry.body["maker"] is False and game.counts.clock_changes == 1


def test_another_clock_in_a_pause_leaves_what_was_left(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    game = begun(server, "interval:600")
    server.pass_time(100)
    result_of(server.registry.control.pause(game))
    server.pass_time(50)
    for clock, due, left in (("interval:60", 500, 500), ("interval:900", 900, 900), ("all-done", None, None)):
        committed.clear()
        result_of(server.registry.clock_changes.set_clock(game, parse_clock(clock), "The operator"))
        changes = of_kind(committed, "clock")
        expected = None if due is None else server.now() + due
        assert changes.columns == {"clock": clock, "due": expected, "left": left}
        assert ("This turn is due" in mail(changes)[0][0][1]) is (due is not None)


def test_another_clock_of_a_game_that_waits_is_that_of_its_first_turn(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    server.create("first", clock="all-done")
    server.player("ann")
    committed.clear()
    result_of(server.registry.clock_changes.set_clock(server.game(), parse_clock("interval:60"), "The operator"))
    changes = of_kind(committed, "clock")
    assert changes.columns == {"clock": "interval:60"}
    text = f"The operator has given the game another clock: {parse_clock('interval:60').words()}."
    assert mail(changes)[0] == [("Another clock", text)]


def test_a_clock_that_a_game_cannot_have_is_refused(server: Server) -> None:
    server.create("first", clock="all-done", anonymous=True)

    def refused(clock: str) -> str:
        with pytest.raises(GameError) as told:
            result_of(server.registry.clock_changes.set_clock(server.game(), parse_clock(clock), "The operator"))
        return str(told.value)

    assert "no group of the turns" in refused("interval:60 phase:combat=all-done")
    assert "must be later than now" in refused("interval:60 first:2020-01-01T12:00:UTC")
    assert refused("interval:60 vacation:3").startswith("an anonymous game cannot wait for vacations")
    assert server.game().row.clock == "all-done"
    server.game().row = replace(server.game().row, state="over")
    assert refused("interval:60") == "the game 'first' is over"


def test_a_turn_whose_time_is_that_of_the_banks_is_not_said_to_be_due(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """It is so from the beginning."""
    game = begun(server, "all-done")
    committed.clear()
    result_of(server.registry.clock_changes.set_clock(game, parse_clock("all-done bank:60:5"), "The operator"))
    changes = of_kind(committed, "clock")
    assert changes.columns["due"] == server.now() and "This turn is due" not in mail(changes)[0][0][1]


def test_who_made_a_game_changes_its_clock_only_so_often(server: Server) -> None:
    """The operator does as often as need be."""
    game = begun(server)
    game.counts.clock_changes = MOST_CLOCK_CHANGES
    clock = parse_clock("interval:60 vacation:3")
    with pytest.raises(NotNow) as refused:
        result_of(server.registry.clock_changes.set_clock(game, clock, "ann", maker=True))
    assert str(refused.value) == "the clock was changed 20 times in this turn, the maximum"
    result_of(server.registry.clock_changes.set_clock(game, clock, "The operator"))
    assert game.clock is clock and game.counts.clock_changes == MOST_CLOCK_CHANGES


def test_a_clock_under_which_nothing_is_awaited_closes_the_turn(server: Server) -> None:
    game = begun(server, "manual")
    finish(*server.players(2))
    assert game.state.turn == 0
    result_of(server.registry.clock_changes.set_clock(game, parse_clock("all-done"), "The operator"))
    assert game.state.turn == 1


# --- taking back, vacations, resignations


def test_who_takes_back_being_done_is_awaited_again_with_the_own_time_bank(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    game = begun(server, "interval:600 bank:60:5")
    ann, eve = server.player("ann"), server.player("ben")
    turns = server.registry.turns
    game.banks = {0: 50.0, 1: 20.0}
    server.pass_time(10)
    assert turns.unfinished(game, 0) is False and eve.times_pushed() == []
    finish(ann)
    assert game.row.deadline == BEGINNING + 620
    eve.pushed.clear()
    committed.clear()
    server.pass_time(0.5)
    assert turns.unfinished(game, 0) is True
    assert game.finished == frozenset() and eve.times_pushed() == [(590, WARNING)]
    ((changes, _),) = committed
    assert changes.columns["deadline"] == BEGINNING + 650
    entry = server.store.read(stored_journal.after, 1, 0)[-1]
    assert (entry.kind, entry.seat, entry.at) == ("unfinished", 0, server.now())


def test_a_turn_says_for_whose_vacation_it_waits_when_its_time_is_up(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """It comes exactly then, with or without grace, and names only awaited players."""
    game = begun(server, "interval:300 grace:60 vacation:3", seats=3)
    ann = server.players(3)[0]
    server.registry.clocks.wall_clock.watch()
    for seat, ends in ((0, 5000.0), (1, 4000.0), (2, 200.0)):
        game.players[seat].vacations = [Vacation(1, seat, BEGINNING, BEGINNING + ends, BEGINNING)]
    finish(ann)
    ends = BEGINNING + 4000 + 86_400
    assert game.row.deadline == ends
    server.set_clock(-0.5)
    committed.clear()
    server.pass_time(300)
    assert committed == []
    server.pass_time(0.5)
    changes = of_kind(committed, "late")
    text = "The time of this turn is up. It waits for ben on vacation until 2023-11-15 23:20 (UTC)."
    assert mail(changes) == {seat: [("Vacation", text)] for seat in range(3)}
    assert changes.columns == {} and changes.entry is not None and changes.entry.body is None
    committed.clear()
    ben = server.player("ben")
    server.pass_time(4000)
    finish(ben)
    server.pass_time(ends - server.now())
    close = of_kind(committed, "close")
    assert close.entry is not None and "waited" not in close.entry.body


def test_what_turns_have_waited_for_vacations_is_written_down(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """And the new turn waits for what is left of them."""
    game = begun(server, "interval:300 vacation:3")
    game.players[1].vacations = [Vacation(1, 2, BEGINNING, BEGINNING + 10 * 86_400.0, BEGINNING)]
    server.registry.clocks.fit_deadline(game)
    committed.clear()
    server.pass_time(300 + 4 * 86_400)
    close = of_kind(committed, "close")
    assert close.entry is not None
    assert close.entry.body == {"reason": END_OF_TURN, "waited": [(1, 3 * 86_400.0)]}
    assert game.waited == {1: 3 * 86_400.0}
    assert close.columns["deadline"] == close.columns["due"] == server.now() + 300


def test_after_a_resignation_the_turn_fits_those_who_are_left_and_closes_if_all_are_done(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """A round of the reactor later."""
    game = begun(server, "interval:600 bank:60:5", seats=3)
    turns = server.registry.turns
    game.banks = {0: 50.0, 1: 20.0, 2: 10.0}
    game.resigned = frozenset({0})
    committed.clear()
    turns.all_may_be_done(game)
    ((changes, _),) = committed
    assert changes.columns["deadline"] == BEGINNING + 620
    server.settle()
    assert game.state.turn == 0
    game.finished = frozenset({1, 2})
    turns.all_may_be_done(game)
    assert game.state.turn == 0
    server.settle()
    assert game.state.turn == 1


def test_rules_that_do_worse_than_fail_for_a_spectator_are_not_called_any_more(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = begun(server, "manual")
    wrong = MemoryError()

    def sight(*_: Any) -> Any:
        raise wrong

    monkeypatch.setattr(Auction, "sight", sight)
    assert spectators_view(game, None, 7) is None
    assert game.fault == (wrong, "show it to a spectator")


def test_a_spectator_has_the_objects_that_others_have(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that look alike are there once, also if no other game has them."""
    game = begun(server, "manual")
    monkeypatch.setattr(game.description, "_in_common", lambda: None)
    server.close_turn()
    view = spectators_view(game, None, int(server.now()))
    assert view is not None and view.objects[1] is game.views[0].objects[1]


def test_the_first_spectator_sees_what_nobody_has_seen_before(server: Server) -> None:
    game = begun(server, "manual")
    game.projected = ()
    view = spectators_view(game, None, int(server.now()))
    assert view is not None and view.objects.keys() == game.views[0].objects.keys()
    assert len(game.projected) == 1


def test_games_that_a_distrusted_clock_drops_are_left_alone(
    server: Server, committed: list[tuple[GameChanges, float]]
) -> None:
    """Their deadlines stay for the next server, and no timer starts for them here."""
    game = begun(server)
    turns = server.registry.turns
    asked: list[float] = []

    def distrusts(seconds: float) -> bool:
        asked.append(seconds)
        game.saving.stale = True
        return False

    server.registry.timekeeper.clock_was_set = distrusts  # type: ignore[method-assign] # of a node
    server.registry.clocks.wall_clock.watch()
    due = game.row.due
    committed.clear()
    server.pass_time(595)
    server.set_clock(-5000)
    server.clock.rightNow += 5
    server.registry.bus.publish(DeadlineReached(game))
    turns.close_if_due(game)
    assert (asked, committed) == ([-5000], [])
    assert game.row.due == due and game.state.turn == 0
    server.settle()
    assert not [one for one in server.clock.getDelayedCalls() if one.args == (DeadlineReached(game),)]
