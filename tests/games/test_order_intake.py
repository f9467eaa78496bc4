"""Intake of an order: refusals, codes, journal entry, view of the seat."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from test_games.auction import Auction, Bid

from tests.support.server_in_memory import BEGINNING, Server, state_of, view_of
from tprules.api import Amount, Code, Order, Plan, Refusal
from tpserver.fault_points import interfering
from tpserver.games.core.game import Game
from tpserver.games.turns import order_intake, turn_time
from tpserver.rules.call_limits import TooSlow
from tpserver.rules.discovery import Rulesets
from tpserver.store.games import journal

HOME = 2
"""The home of seat 0."""

NOW = BEGINNING + 5.5


class Hinting(Auction):
    """An auction with a message to finished players, which shows on a home the bid of its owner."""

    name = "hinting"
    version = 1

    def end_turn_hint(self, plan: Plan[Any]) -> str:
        return f"{{player {plan.seat}}} has {len(plan.before)} orders"

    def marks(self, plan: Plan[Any]) -> dict[int, list[Amount]]:
        return {HOME + plan.seat: [Amount("lot", len(plan.before))]} if plan.before else {}


@pytest.fixture
def server(make_server: Any) -> Server:
    made: Server = make_server(found=Rulesets({"auction": Auction(), "hinting": Hinting()}))
    return made


def begun(server: Server, ruleset: str = "auction", **more: Any) -> Game:
    server.create("first", ruleset, **{"clock": "manual", **more})
    server.players(2)
    return server.game()


@pytest.fixture
def game(server: Server) -> Game:
    return begun(server)


def insert(game: Game, gold: int = 3, slot: int = -1, seat: int = 0) -> Any:
    args = {"gold": gold, "words": ""}
    return order_intake.insertion(game, seat, HOME + seat, "Bid", args, slot, NOW)


def refusal(*work: Any) -> tuple[Code, str, str]:
    call, *arguments = work
    with pytest.raises(Refusal) as refused:
        call(*arguments)
    return refused.value.code, refused.value.reason, refused.value.text


def last(server: Server) -> journal.JournalEntry:
    return server.store.read(journal.after, 1, 0)[-1]


# --- what is written down


def test_each_change_is_one_entry_that_says_all_of_it(server: Server, game: Game) -> None:
    now = NOW
    order_intake.make(game, insert(game), now)
    assert game.reordered == {HOME: 0} and game.order_entries == 1
    entry = last(server)
    assert (entry.turn, entry.at, entry.seat, entry.kind) == (0, now, 0, "insert")
    assert entry.body == [HOME, "Bid", {"gold": 3, "words": ""}, False, 0]
    other = order_intake.replacement(game, 0, HOME, "Bid", {"gold": 4, "words": "x"}, 0, now + 1)
    order_intake.make(game, other, now + 1)
    entry = last(server)
    assert (entry.at, entry.seat, entry.kind) == (now + 1, 0, "replace")
    assert entry.body == [HOME, "Bid", {"gold": 4, "words": "x"}, False, 0]
    order_intake.make(game, order_intake.removal(game, 0, HOME, 0, now + 2), now + 2)
    entry = last(server)
    assert (entry.at, entry.seat, entry.kind, entry.body) == (now + 2, 0, "remove", [HOME, 0])
    assert game.order_entries == 3 and not game.state.queues.get(HOME)


def test_an_order_goes_into_the_slot_that_was_named(game: Game) -> None:
    order_intake.make(game, insert(game), NOW)
    change = order_intake.insertion(game, 0, HOME, "Gift", {"to": HOME + 1, "coins": [(1, 1)]}, 0, NOW)
    assert change.slot == 0 and [order.type for order in change.queue] == ["Gift", "Bid"]


def test_the_seat_sees_its_own_queue_and_nobody_else_does(game: Game) -> None:
    others = {seat: repr(view) for seat, view in game.views.items() if seat != 0}
    now = int(NOW)
    order_intake.make(game, insert(game), NOW)
    view = game.views[0]
    assert view.objects[HOME].orders == 1 and len(view.queues[HOME].orders) == 1
    assert view.time(HOME) >= now
    assert {seat: repr(view) for seat, view in game.views.items() if seat != 0} == others


def test_what_orders_add_is_shown_as_they_are_given(server: Server) -> None:
    game = begun(server, "hinting")
    order_intake.make(game, insert(game), NOW)
    assert game.views[0].marks == {HOME: (Amount("lot", 1),)}
    order_intake.make(game, order_intake.removal(game, 0, HOME, 0, NOW), NOW)
    assert game.views[0].marks == {}
    assert game.fault is None


def test_marks_that_fail_do_not_take_the_order_back(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    game = begun(server, "hinting")
    monkeypatch.setattr(Hinting, "marks", lambda self, plan: 1 // 0)
    order_intake.make(game, insert(game), NOW)
    assert len(game.state.queues[HOME]) == 1 and game.views[0].marks == {}


def test_a_probe_is_judged_as_if_it_were_alone_and_changes_nothing(game: Game) -> None:
    order_intake.make(game, insert(game), NOW)
    before, views = state_of(game), repr(view_of(game))
    found = order_intake.probe(game, 0, HOME, "Bid", {"gold": 5, "words": "hm"})
    assert (found.seat, found.on, found.type, dict(found.args)) == (0, HOME, "Bid", {"gold": 5, "words": "hm"})
    assert state_of(game) == before and repr(view_of(game)) == views


# --- the journal is kept short


def test_the_journal_is_compacted_before_an_order_not_after_it(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each multiple of so many entries, with the time of the order; what has come of that decides about it."""
    game.most_entries = 2
    asked: list[float] = []

    def compacted(which: Game, now: float) -> bool:
        assert which is game and not any(game.state.queues.values())
        asked.append(now)
        return False

    monkeypatch.setattr(order_intake, "compact_if_due", compacted)
    order_intake.make(game, insert(game), NOW)
    order_intake.make(game, order_intake.removal(game, 0, HOME, 0, 7.0), 7.0)
    assert asked == [NOW]

    def fails(which: Game, now: float) -> bool:
        which.closing = True
        return True

    monkeypatch.setattr(order_intake, "compact_if_due", fails)
    assert refusal(insert, game)[1] == "closing"


def test_each_change_of_a_queue_has_the_journal_looked_at_with_its_time(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    game.most_entries = 1
    asked: list[float] = []
    monkeypatch.setattr(order_intake, "compact_if_due", lambda which, now: asked.append(now))
    order_intake.make(game, insert(game), NOW)
    order_intake.replacement(game, 0, HOME, "Bid", {"gold": 4, "words": ""}, 0, 8.0)
    order_intake.removal(game, 0, HOME, 0, 9.0)
    assert asked == [NOW, 8.0, 9.0]


def test_the_server_may_be_stopped_between_the_steps_of_an_order(game: Game) -> None:
    """In the simulation, which knows these points by their names."""
    names: list[str] = []
    with interfering(names.append):
        order_intake.make(game, insert(game), NOW)
    assert [name for name in names if name.startswith("intake")] == [
        "intake: checked",
        "intake: applied",
        "intake: given",
    ]


# --- who is refused

CLOSING = (Code.UNAVAILABLE_TEMPORARILY, "closing", "the turn is being computed; try again in a moment")
LOST = (Code.UNAVAILABLE_TEMPORARILY, "lost", "the game could not be saved and is being reloaded")
HELD = (Code.UNAVAILABLE_TEMPORARILY, "held", "the game is held: its rules failed, and the operator has been notified")
OVER = (Code.UNAVAILABLE_PERMANENTLY, "over", "the game is over; no more orders are taken")
RESIGNED = (Code.PERMISSION_DENIED, "resigned", "you have resigned from this game, so you cannot give orders in it")


def test_a_game_that_takes_no_orders_says_why(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of its reasons; and it takes them again when that is over."""
    fine = insert(game)
    game.saving.stale = True
    assert refusal(insert, game) == LOST
    game.closing = True
    assert refusal(insert, game) == refusal(order_intake.unfinish, game, 0, 7.0) == CLOSING
    game.resigned = frozenset({0})
    assert refusal(insert, game) == RESIGNED
    assert refusal(order_intake.check_open, game) == refusal(order_intake.check_open, game, 1) == CLOSING
    with monkeypatch.context() as changed:
        changed.setattr(game, "row", replace(game.row, state="held"))
        assert refusal(insert, game) == HELD
        assert refusal(order_intake.probe, game, 0, HOME, "Bid", {}) == HELD
    game.saving.stale, game.closing, game.resigned = False, False, frozenset()
    assert insert(game) == fine


def end(game: Game) -> None:
    game.row = replace(game.row, state="over")


def test_a_game_that_is_over_takes_no_orders_for_ever(game: Game) -> None:
    end(game)
    assert refusal(insert, game) == OVER


def test_a_game_that_waits_says_for_how_many(server: Server) -> None:
    server.create("first", seats=4)
    server.player("ann")
    game = server.game()
    told = (Code.UNAVAILABLE_TEMPORARILY, "waiting", "the game has not started; it waits for 3 more players")
    assert refusal(order_intake.check_open, game) == told
    assert refusal(order_intake.probe, game, 0, HOME, "Bid", {}) == told
    order_intake.finish(game, 0, 7.0)
    assert game.finished == set() and order_intake.hint_for(game, 0) == ""


def test_orders_are_refused_while_the_disk_does_not_keep_up(make_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server = make_server(delayed=True)
    game = begun(server)
    monkeypatch.setattr(order_intake, "MOST_UNSAVED", 2)
    server.disk.at_once = False
    for number in range(3):
        order_intake.make(game, insert(game, slot=0, seat=0) if not number else insert_gift(game), 7.0)
    told = (Code.UNAVAILABLE_TEMPORARILY, "busy", "the server cannot save orders this fast; try again")
    assert refusal(insert_gift, game) == told
    server.disk.commit()
    insert_gift(game)


def insert_gift(game: Game) -> Any:
    args = {"to": HOME + 1, "coins": [(1, 1)]}
    return order_intake.insertion(game, 0, HOME, "Gift", args, -1, 7.0)


# --- rules that refuse, fail or take too long


def test_a_refusal_of_the_rules_keeps_its_code_and_its_parameter(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of players are filled in."""

    def check(self: Bid, plan: Any, order: Order) -> None:
        raise Refusal("{player 1} would see it", "gold", reason="shy", code=Code.PERMISSION_DENIED)

    monkeypatch.setattr(Bid, "check", check)
    with pytest.raises(Refusal) as refused:
        insert(game)
    told = refused.value
    assert (told.code, told.reason, told.text, told.param) == (
        Code.PERMISSION_DENIED, "shy", f"{game.name_of(1)} would see it", "gold",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (TooSlow("slow"), "the rules took too long to judge this order; the operator has been notified"),
        (ZeroDivisionError(), "the rules failed on this order; the operator has been notified"),
    ],
)
def test_rules_that_fail_refuse_the_order_and_say_no_more(
    game: Game, monkeypatch: pytest.MonkeyPatch, error: Exception, text: str
) -> None:
    def check(self: Bid, plan: Any, order: Order) -> None:
        raise error

    monkeypatch.setattr(Bid, "check", check)
    before = state_of(game)
    assert refusal(insert, game) == (Code.UNAVAILABLE_TEMPORARILY, "fault", text)
    assert state_of(game) == before


def test_rules_that_do_worse_than_fail_at_an_order_are_not_called_any_more(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game is held for what they were asked to do."""
    wrong = MemoryError()

    def check(self: Bid, plan: Any, order: Order) -> None:
        raise wrong

    monkeypatch.setattr(Bid, "check", check)
    assert refusal(insert, game)[1] == "fault"
    assert game.fault == (wrong, "look at an order") and game.row.state == "held"


def test_rules_that_have_a_fault_are_not_asked_again(game: Game) -> None:
    asked: list[int] = []
    game.fault = (RuntimeError("broken"), "look at an order")
    assert refusal(order_intake.run_guarded, game, 0, lambda: asked.append(1)) == HELD
    assert refusal(insert, game) == HELD
    assert asked == []


# --- done with the turn


def test_who_is_done_is_written_down_once_with_what_was_used_of_the_time_bank(
    server: Server, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    order_intake.finish(game, 0, 7.0)
    assert game.finished == {0} and game.used == {}
    entry = last(server)
    assert (entry.at, entry.seat, entry.kind, entry.body) == (7.0, 0, "finished", None)
    order_intake.finish(game, 0, 8.0)
    assert last(server) == entry
    monkeypatch.setattr(turn_time, "bank_used", lambda game, seat, now: 2.5 if (seat, now) == (1, 9.0) else 0.0)
    order_intake.finish(game, 1, 9.0)
    assert game.finished == {0, 1} and game.used == {1: 2.5}
    entry = last(server)
    assert (entry.at, entry.seat, entry.kind, entry.body) == (9.0, 1, "finished", 2.5)


def test_who_takes_it_back_has_used_nothing(server: Server, game: Game) -> None:
    assert order_intake.unfinish(game, 0, 6.0) is False
    order_intake.finish(game, 0, 7.0)
    order_intake.finish(game, 1, 7.0)
    game.used = {0: 1.5, 1: 2.5}
    assert order_intake.unfinish(game, 0, 8.0) is True
    assert (game.finished, game.used, game.counts.unfinished) == ({1}, {1: 2.5}, {0: 1})
    entry = last(server)
    assert (entry.at, entry.seat, entry.kind, entry.body) == (8.0, 0, "unfinished", None)
    order_intake.finish(game, 0, 9.0)
    assert order_intake.unfinish(game, 0, 9.0) and game.counts.unfinished == {0: 2}


def test_it_is_taken_back_only_so_often(game: Game) -> None:
    game.finished = frozenset({0})
    game.counts.unfinished[0] = order_intake.MOST_UNFINISHED
    code, reason, text = refusal(order_intake.unfinish, game, 0, 8.0)
    assert (code, reason) == (Code.UNAVAILABLE_TEMPORARILY, "often")
    assert text == "you have taken this back 20 times in this turn, the maximum; you can still give orders"
    assert game.finished == {0}


def test_nobody_is_done_with_a_game_that_is_over(game: Game) -> None:
    end(game)
    order_intake.finish(game, 0, 7.0)
    assert game.finished == set()


def test_the_rules_say_something_to_who_is_done(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless they fail: finishing a turn is never refused."""
    game = begun(server, "hinting")
    order_intake.make(game, insert(game), NOW)
    assert order_intake.hint_for(game, 0) == f"{game.name_of(0)} has 1 orders"
    assert order_intake.hint_for(game, 1) == f"{game.name_of(1)} has 0 orders"
    server.create("second", "hinting", 2)
    server.player("ann", game="second")
    assert order_intake.hint_for(server.game("second"), 0) == "", "it waits for players"
    game.closing = True
    assert order_intake.hint_for(game, 0) == ""
    game.closing = False
    monkeypatch.setattr(Hinting, "end_turn_hint", lambda self, plan: 1 // 0)
    assert order_intake.hint_for(game, 0) == ""
    end(game)
    assert order_intake.hint_for(game, 0) == ""
