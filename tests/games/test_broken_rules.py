"""Rules that fail or never return: only their own game is suspended.

Its state stays as it was, and all other games go on.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from test_games.brittle import Brittle, BrittleBid
from twisted.internet.defer import Deferred

from tests.requests.odd_rulesets import ODD, breaking
from tests.support.orders import number, text
from tests.support.server_in_memory import BID, GIFT, Server, chosen, result_of, state_of, target, view_of
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import OperationError
from tpserver.games.core import next_turn, phases, rules_calls
from tpserver.games.core.errors import GameError
from tpserver.games.stored import loader
from tpserver.rules.call_limits import WATCHDOG

PERMANENTLY, TEMPORARILY = 2, 3


class Ghost(BaseException):
    """Neither an Exception nor any of Python's own."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that loop are stopped after a twentieth of a second."""
    monkeypatch.setattr(rules_calls, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(phases, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(next_turn, "TURN_SECONDS", 0.05)
    monkeypatch.setattr(WATCHDOG, "_interval", 0.01)


def another_game_goes_on(server: Server) -> None:
    """Play a turn of another game on the same server."""
    server.create("other", clock="all-done")
    ann, ben = server.players(2, game="other")
    ann.bid(3)
    for client in (ann, ben):
        assert client.ask("finished_turn").name == "okay"
    assert server.game("other").state.turn == 1


# --- in the check of an order ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["raise in check", "loop in check"])
def test_a_check_that_breaks_refuses_the_order_and_nothing_else(server: Server, impatient: None, words: str):
    """Insertion and probe are refused with a sentence; other orders, players and games go on."""
    server.create("first", "brittle", clock="manual")
    ann, ben = server.players(2, game="first")
    before, views = state_of(server.game("first")), repr(view_of(server.game("first")))
    answer = ann.bid(1, words)
    assert answer.code == TEMPORARILY
    assert "operator" in answer.text
    assert "broke" not in answer.text, "what went wrong inside is for the operator"
    assert state_of(server.game("first")) == before
    assert repr(view_of(server.game("first"))) == views
    assert ann.bid(1).name == "order"
    assert ben.bid(2).name == "order"
    another_game_goes_on(server)


def test_a_check_that_loops_is_logged_for_the_operator(server: Server, impatient: None, logged: list[str]):
    server.create("first", "brittle", clock="manual")
    ann, _ = server.players(2)
    ann.bid(1, "loop in check")
    assert any(
        "first: ruleset brittle was too slow to look at an order: TooSlow: it took longer than 0.05 s" in line
        for line in logged
    )


@pytest.fixture
def no_keyboard() -> Iterator[None]:
    """A server handles the signal of the keyboard, so that KeyboardInterrupt can only come from rules."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), Ghost("boo"), MemoryError()])
def test_a_check_that_raises_what_is_no_error_of_rules_holds_its_game(
    server: Server, no_keyboard: None, monkeypatch: pytest.MonkeyPatch, raised: BaseException
):
    """It is refused, suspended at once and announced. No rule of it runs before the operator resumes it."""
    server.create("first", "brittle", clock="interval:60")
    ann, ben = server.players(2, game="first")
    ann.bid(1)
    asked = []

    def check(*_: Any) -> None:
        asked.append(1)
        raise raised

    with monkeypatch.context() as patch:
        patch.setattr(BrittleBid, "check", check)
        assert ben.bid(2).code == TEMPORARILY
        game = server.game("first")
        assert (game.row.state, game.row.deadline) == ("held", None)
        assert type(raised).__name__ in game.row.held_reason
        assert ben.messages()[-1].subject == "The game is held"
        assert "held" in ben.bid(2).text
        assert asked == [1]
        another_game_goes_on(server)
    result_of(server.registry.control.resume(game))
    assert ben.bid(2).name == "order"
    server.pass_time(60)
    assert (game.row.state, game.state.turn, sum(game.state.world.won)) == ("running", 1, 1)


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), Ghost("boo")])
def test_a_turn_that_raises_what_is_no_error_of_rules_holds_its_game(
    server: Server, no_keyboard: None, monkeypatch: pytest.MonkeyPatch, raised: BaseException
):
    server.create("first", "brittle", clock="interval:60")
    server.players(2, game="first")

    def outcome(*_: Any) -> None:
        raise raised

    with monkeypatch.context() as patch:
        patch.setattr(Brittle, "outcome", outcome)
        server.pass_time(60)
    game = server.game("first")
    assert (game.row.state, game.state.turn, game.closing) == ("held", 0, False)
    another_game_goes_on(server)


@pytest.mark.parametrize("function", ["title", "active"])
def test_a_title_or_active_that_hangs_is_asked_once_and_holds_its_game(
    make_server: Any, impatient: None, monkeypatch: pytest.MonkeyPatch, function: str
):
    """However often lists of games, times and pages are asked for, before and after login."""
    server = make_server(found=ODD)
    server.create("first", "faulty", clock="interval:60")
    ann, ben = server.players(2, game="first")
    asked = []

    def hang(world: Any) -> Any:
        asked.append(world)
        while True:
            try:
                while True:
                    pass
            except Exception:
                continue

    game = server.game("first")
    phase = replace(game.rules.phases[0], **{function: hang})
    monkeypatch.setattr(type(game.rules), "phases", (phase,))
    game.state = replace(game.state)  # as after a turn: nothing of it has been asked yet
    for _ in range(5):
        ann.ask("get_time_remaining")
        assert server.connect().ask("get_games").name == "game"
        assert result_of(perform(AdminContext(server.registry, server.accounts), "game show", {"name": "first"}))
    assert len(asked) == 1
    assert (game.row.state, game.row.deadline) == ("held", None)
    assert "TooSlow" in game.row.held_reason
    assert ben.messages()[-1].subject == "The game is held"
    another_game_goes_on(server)


@pytest.mark.parametrize("is_question", [True, False])
def test_a_call_for_a_seat_that_is_ended_suspends_no_game_and_is_not_repeated_at_once(
    server: Server, impatient: None, monkeypatch: pytest.MonkeyPatch, is_question: bool
):
    """A loop in a question, or in the check of an order: both are refused to the asker, and the others go on."""
    server.create("first", "brittle", clock="manual")
    ann, ben = server.players(2, game="first")
    game, calls, check = server.game("first"), [0], BrittleBid.check

    def counted(*arguments: Any) -> Any:
        calls[0] += 1
        server.clock.advance(0.5)  # as long as a call may take
        return check(*arguments)

    monkeypatch.setattr(BrittleBid, "check", counted)
    loop = (ann.home, BID, number(1), text("loop in check"))
    ask = partial(ann.probe if is_question else ann.insert, *loop)
    for times in range(1, 9):
        assert ask().code == TEMPORARILY
        server.clock.advance(5)
        answer = ask()
        assert (answer.code, calls) == (TEMPORARILY, [times])
        assert answer.text == "The rules took too long for your last request; try again in 10 seconds."
        server.clock.advance(100)
    assert game.row.state == "running"
    assert ben.bid(1).name == "order"
    another_game_goes_on(server)


def test_a_game_held_before_its_start_waits_for_players_again_when_it_is_resumed(server: Server):
    server.create("first", "brittle")
    server.player("ann", game="first")
    game = server.game("first")
    rules_calls.broke(game, MemoryError(), "look at an order")
    assert game.row.state == "held"
    result_of(server.registry.control.resume(game))
    assert game.row.state == "waiting"
    server.player("ben", game="first")
    assert game.row.state == "running"


# --- in the closing of a turn ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["raise in advance", "loop in advance"])
def test_a_turn_that_breaks_holds_its_game_as_it_was(server: Server, impatient: None, words: str):
    """World, queues, marks and views are the old ones. The players are notified, and it can be tried again."""
    server.create("first", "brittle", clock="interval:60")
    ann, ben = server.players(2, game="first")
    ann.bid(3, words)
    ann.ask("finished_turn")
    game = server.game("first")
    digest, queues, views = game.digest, dict(game.state.queues), repr(view_of(game))
    ann.times_pushed()
    server.pass_time(60)
    assert (game.row.state, game.row.deadline, game.state.turn) == ("held", None, 0)
    assert game.row.held_reason
    assert (game.digest, game.state.queues, repr(view_of(game)), game.finished) == (digest, queues, views, {0})
    assert [seconds for seconds, _ in ann.times_pushed()] == [0, 2147483647]
    assert [message.subject for message in ben.messages()] == ["Welcome", "The game is held"]

    for answer in (ben.bid(2), ann.ask("remove_order", id=ann.home, slots=[0])):
        assert answer.code == TEMPORARILY
        assert "held" in answer.text
        assert "broke" not in answer.text
    assert len(ann.queue(ann.home)) == 1
    with pytest.raises(GameError, match="held"):
        server.close_turn("first")
    server.pass_time(10_000)
    assert game.state.turn == 0
    another_game_goes_on(server)


def test_a_held_game_that_is_tried_again_and_breaks_again_is_held_again(server: Server):
    server.create("first", "brittle", clock="all-done")
    ann, ben = server.players(2, game="first")
    ann.bid(3, "raise in advance")
    ann.ask("finished_turn")
    ben.ask("finished_turn")
    assert server.game("first").row.state == "held"
    result_of(server.registry.control.resume(server.game("first")))
    assert server.game("first").row.state == "held"
    assert server.game("first").state.turn == 0


def test_a_held_game_is_held_after_a_restart_and_goes_on_when_its_rules_work(make_server: Any):
    """With the orders and marks that it had."""
    server = make_server(found=ODD)
    server.create("first", "faulty", clock="all-done")
    ann, ben = server.players(2)
    ann.bid(3)
    ann.ask("finished_turn")
    with breaking("an event that is no data"):
        ben.ask("finished_turn")
    assert server.game().row.state == "held"
    server = server.restarted(100)
    game = server.game()
    assert (game.row.state, game.state.turn, game.finished) == ("held", 0, {0, 1})
    ann = server.player("ann")
    result_of(server.registry.control.resume(game))
    assert (game.row.state, game.state.turn, game.state.world.won) == ("running", 1, [1, 0])
    assert game.row.held_reason == ""
    assert ann.queue(ann.home) == []
    server.stop()


@pytest.mark.parametrize(
    "broken",
    [
        "sight",
        "show",
        "outcome",
        "dump",
        "dump no data",
        "load",
        "title",
        "active",
        "a report to nobody",
        "a report that is no text",
        "an event that is no data",
    ],
)
def test_whatever_breaks_in_a_turn_holds_the_game(make_server: Any, broken: str):
    """Also what only the host finds out: reports to nobody, and what cannot be saved."""
    server = make_server(found=ODD)
    server.create("first", "faulty", clock="interval:60")
    ann, ben = server.players(2, game="first")
    ann.bid(3)
    game = server.game("first")
    digest, reports = game.digest, ben.messages()
    with breaking(broken):
        server.pass_time(60)
        assert server.game("first") is game
        assert (game.row.state, game.state.turn, game.digest, game.closing) == ("held", 0, digest, False)
        assert ann.ask("ping").name == "okay"
        assert server.connect().ask("get_games").name == "game"
        another_game_goes_on(server)
    assert ben.messages()[: len(reports)] == reports
    assert [message.subject for message in ben.messages()[len(reports) :]] == ["The game is held"]
    result_of(server.registry.control.resume(server.game("first")))
    server.pass_time(60)
    assert game.state.turn == 1
    assert game.state.world.won == [1, 0]
    assert [message.subject for message in ben.messages()][-1] == "Sold"


@pytest.mark.parametrize("broken", ["title", "active", "choices", "turns"])
def test_reading_while_rules_break_is_refused_at_worst(make_server: Any, broken: str):
    """Some data may be unavailable. Nothing raises, nothing changes, and it works again afterwards."""
    server = make_server(found=ODD)
    server.create("first", "faulty", clock="manual")
    ann, ben = server.players(2)
    ann.insert(ann.home, GIFT, target(ben.home), chosen((1, 1)))
    before = state_of(server.game())
    with breaking(broken):
        answers = [
            ann.ask("get_time_remaining"),
            ann.ask("get_order", id=ann.home, slots=[0]),
            ann.probe(ann.home, GIFT, target(ben.home), chosen()),
            ann.ask("get_objects_by_id", ids=[0, ann.home]),
        ]
        assert {answer.code for answer in answers if answer.names == ["fail"]} <= {TEMPORARILY}
    assert state_of(server.game()) == before
    assert ann.ask("get_time_remaining").name == "time_remaining"
    assert ann.ask("get_order", id=ann.home, slots=[0]).name == "order"


@pytest.mark.parametrize("looping", ["load", "sight"])
def test_a_game_whose_rules_never_come_back_from_loading_is_left_alone(
    make_server: Any, monkeypatch: pytest.MonkeyPatch, looping: str
):
    """The server starts, in the time that rules may take, and serves the others."""

    def loop(*_: Any) -> None:
        while True:
            pass

    server = make_server(found=ODD)
    server.create("first", "faulty", clock="interval:60")
    server.players(2, game="first")
    server.create("second", "auction")
    with monkeypatch.context() as patch:
        patch.setattr(loader, "LOAD_SECONDS", 0.05)
        patch.setattr(WATCHDOG, "_interval", 0.01)
        patch.setattr(type(server.game("first").rules), looping, loop)
        server = server.restarted(100)
        with pytest.raises(GameError, match="cannot be loaded by ruleset faulty version 1: TooSlow"):
            server.game("first")
        another_game_goes_on(server)
    with pytest.raises(GameError, match="TooSlow"):  # what took long is not tried again at once
        server.game("first")
    server.set_clock(-100_000)  # which makes that no longer
    server.pass_time(1000)
    assert server.game("first").row.state == "held"
    result_of(server.registry.control.resume(server.game("first")))
    assert server.game("first").row.state == "running"
    server.stop()


def test_a_game_that_is_about_to_be_held_is_not_loaded_before_that_is_saved(
    make_server: Any, monkeypatch: pytest.MonkeyPatch
):
    """Otherwise it would be played as if it ran.

    New entries would be saved behind the one that suspends it, or refused and saved anyway.
    """

    def escape(*_: Any) -> None:
        raise SystemExit

    server = make_server(found=ODD, delayed=True)
    server.create("first", "faulty")
    server.players(2, game="first")
    server = server.restarted()
    server.disk.at_once = False
    with monkeypatch.context() as patch:
        patch.setattr(server.found.named("faulty").__class__, "load", escape)
        with pytest.raises(GameError, match="Escaped"):
            server.game("first")
    with pytest.raises(GameError, match="about to be held"):  # though its rules would do their work now
        server.game("first")
    server.disk.commit()
    assert server.game("first").row.state == "held"
    server.disk.at_once = True
    result_of(server.registry.control.resume(server.game("first")))
    ann = server.player("ann", game="first")
    assert ann.ask("finished_turn").name == "okay"


@pytest.mark.parametrize("broken", ["setup", "sight"])
def test_the_operator_is_not_told_that_a_game_has_started_whose_rules_failed_at_it(make_server: Any, broken: str):
    """Neither by the invitation that fills the game, nor by trying again by hand, until its rules work."""
    server = make_server(found=ODD)
    context = AdminContext(server.registry, server.accounts)

    def asked(operation: str, /, **arguments: Any) -> str:
        return result_of(perform(context, operation, arguments))[0]

    asked("game create", name="first", ruleset="faulty", seats=1)
    asked("account add", name="ann", password="ann's word")
    with breaking(broken):
        told = asked("game invite", name="first", account="ann")
        assert "ann is player 1 of first; the game could not be started, and is held: Broken" in told
        for again in ("game start", "game resume"):
            with pytest.raises(OperationError, match=r"is held.*: Broken"):
                asked(again, name="first")
    assert "has started" in asked("game start", name="first")
    assert server.game("first").row.state == "running"


def test_the_operator_is_told_when_a_game_that_goes_on_is_held_again(server: Server):
    """The turn that is due closes at once, and its rules fail as they did before."""
    server.create("first", "brittle", clock="all-done")
    ann, ben = server.players(2, game="first")
    ann.bid(3, "raise in advance")
    ann.ask("finished_turn")
    ben.ask("finished_turn")
    with pytest.raises(
        OperationError, match=r"first is held again: Broken.*. Fix the ruleset, then restart the server"
    ):
        result_of(perform(AdminContext(server.registry, server.accounts), "game resume", {"name": "first"}))
    subjects = [message.subject for message in ann.messages()]
    assert subjects[-3:] == ["The game is held", "The game goes on", "The game is held"]


def test_a_game_whose_rules_fail_as_it_is_resumed_is_held_again(make_server: Any):
    """They are asked whom the turn waits for. Else its row would say that it runs, and it would take nothing."""
    server = make_server(found=ODD)
    server.create("first", "faulty", clock="all-done")
    ann, ben = server.players(2, game="first")
    game = server.game("first")
    rules_calls.broke(game, MemoryError(), "look at an order")
    with breaking("active"):
        result_of(server.registry.control.resume(game))
    assert game.row.state == "held"
    result_of(server.registry.control.resume(game))
    assert game.row.state == "running"
    for client in (ann, ben):
        assert client.ask("finished_turn").name == "okay"
    assert game.state.turn == 1


def test_the_operator_waits_for_the_turn_that_a_resumed_game_computes(make_server: Any):
    """The answer comes when the turn is closed or the game is held again, not before."""
    server = make_server(found=ODD)
    server.create("first", "faulty", clock="all-done")
    ann, ben = server.players(2, game="first")
    ann.ask("finished_turn")
    with breaking("an event that is no data"):
        ben.ask("finished_turn")
    computing: list[tuple[Deferred[Any], Any]] = []

    def later(work: Any) -> Deferred[Any]:
        waiting: Deferred[Any] = Deferred()
        computing.append((waiting, work))
        return waiting

    server.registry.turns.compute = later
    answers: list[Any] = []
    asked = Deferred.fromCoroutine(
        perform(AdminContext(server.registry, server.accounts), "game resume", {"name": "first"})
    )
    asked.addBoth(answers.append)
    assert answers == []
    (waiting, work) = computing.pop()
    waiting.callback(work())
    assert answers == [["Game first goes on."]]
    assert server.game("first").state.turn == 1


@pytest.mark.parametrize("broken", ["load", "sight", "show"])
def test_a_game_that_cannot_be_loaded_is_left_alone(make_server: Any, broken: str):
    """At a restart it is logged; all others run; when its rules work again it can be entered."""
    server = make_server(found=ODD)
    server.create("first", "faulty", clock="interval:20")
    server.create("other", clock="interval:20")
    ann, _ = server.players(2, game="first")
    server.players(2, game="other")
    ann.bid(3)
    with breaking(broken):
        server = server.restarted(30)
        assert server.game("other").state.turn == 1
        answer = server.connect().ask("login", username="ann@first", password="ann's word")
        assert answer.code == PERMANENTLY
        assert "cannot be loaded" in answer.text
    ann = server.player("ann", game="first")
    server.settle()
    assert server.game("first").state.turn == 1
    assert server.game("first").state.world.won == [1, 0]
    server.stop()
