"""Wrong keys: no turn is finished and no order or input lost by mistake."""

from typing import Any

import pytest
from textual.widgets import Button

from tests.clients.terminal.test_terminal_orders import begin, field, given
from tests.support.memory_client import Served
from tests.support.workshop import YARD
from tpclient.cli import main
from tpclient.terminal.dialogs import Question, RepeatedQuestion
from tpclient.terminal.side import Queue
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB

NOTHING = "You have given no orders this turn. Finish anyway?"


def finished(server: Served) -> int:
    """The number of times that ann has finished a turn."""
    return server.server.asked.count((0, "finished_turn"))


async def asked(player: Any, key: str, kind: Any = Question) -> Any:
    """Press a key upon which a question comes."""
    await player.press(key)
    await player.until(lambda: isinstance(player.app.screen, kind), "nothing is asked")
    return player.app.screen


async def tuned(player: Any, *levels: int) -> None:
    """Give orders, and look at them."""
    link = player.game_screen.link
    for level in levels:
        await link.order(YARD, "Tune", {"Level": level, "Turns": 1})
    player.game_screen.go_to(YARD)
    player.game_screen.reload()
    await player.until(lambda: len(player.game_screen.side.orders) == len(levels))


async def close_turn(player: Any, server: Served) -> None:
    """Let the next turn begin, and be shown."""
    before = player.game_screen.turns_begun
    server.do(server.server.close_turn)
    await player.until(lambda: player.game_screen.turns_begun > before and not player.game_screen.link.is_behind)


def levels_of(server: Served) -> list[int]:
    return [order.parameters[0].range.value for order in given(server)]


@pytest.mark.parametrize(
    "key", ["enter", *(pytest.param(key, marks=pytest.mark.thorough) for key in ("n", "escape", "q"))]
)
def test_a_turn_without_orders_is_asked_about(workshop: Served, play: Any, key: str) -> None:
    """No is what enter means, and what every key means that does not say yes; then nothing has happened."""

    async def scene(player: Any) -> None:
        await asked(player, "f", RepeatedQuestion)
        await player.sees(NOTHING)
        await player.press("f", "x")
        assert isinstance(player.app.screen, RepeatedQuestion)
        await player.press(key)
        await player.hears("The turn is not finished.")
        assert finished(workshop) == 0

    play(workshop.address, scene)


@pytest.mark.thorough
def test_yes_finishes_and_the_next_turn_is_asked_about_again(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await asked(player, "f")
        await player.press("y")
        await player.hears("You are done with this turn; awaited: ben.")
        assert finished(workshop) == 1
        await close_turn(player, workshop)
        await asked(player, "f")

    play(workshop.address, scene)


@pytest.mark.thorough
@pytest.mark.parametrize("by_key", [True, False])
def test_not_again_in_this_session(workshop: Served, play: Any, by_key: bool) -> None:
    """A key and a button say yes for good."""

    async def scene(player: Any) -> None:
        screen = await asked(player, "f")
        if by_key:
            await player.press("a")
        else:
            screen.query_one("#always", Button).press()
        await player.hears("You are done with this turn; awaited: ben.")
        await close_turn(player, workshop)
        await player.press("f")
        await player.hears("You are done with this turn; awaited: ben.")
        assert finished(workshop) == 2

    play(workshop.address, scene)


@pytest.mark.thorough
def test_the_buttons_mean_what_they_say(workshop: Served, play: Any) -> None:
    """No, and yes for this time."""

    async def scene(player: Any) -> None:
        (await asked(player, "f")).query_one("#no", Button).press()
        await player.hears("The turn is not finished.")
        (await asked(player, "f")).query_one("#yes", Button).press()
        await player.hears("You are done with this turn")
        assert player.game_screen.asks

    play(workshop.address, scene)


@pytest.mark.thorough
def test_what_was_ordered_needs_no_question(workshop: Served, play: Any) -> None:
    """Queued orders need no question, and neither do orders that are carried out at once."""

    async def scene(player: Any) -> None:
        await tuned(player, 1)
        await player.press("f")
        await player.hears("You are done with this turn; awaited: ben.")
        await close_turn(player, workshop)
        form = await begin(player, "Tune")
        field(form, "Level").text, field(form, "Turns").text = "1", "0"
        await player.press("ctrl+s")
        await player.hears("Given to Yard")
        player.game_screen.link.orders.clear()  # as where orders are carried out at once
        await player.press("f")
        await player.hears("You are done with this turn; awaited: ben.")

    play(workshop.address, scene)


@pytest.mark.thorough
def test_who_is_done_or_can_do_nothing_is_not_asked(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await asked(player, "f")
        await player.press("y")
        await player.hears("You are done with this turn")
        await player.press("f")
        await player.until(lambda: finished(workshop) == 2, "it was asked about")
        await close_turn(player, workshop)
        player.game_screen.link.universe.queues.clear()
        assert not player.game_screen.link.can_order
        await player.press("f")
        await player.until(lambda: finished(workshop) == 3, "it was asked about")

    play(workshop.address, scene)


@pytest.mark.thorough
def test_a_yes_for_a_turn_that_has_passed_is_none_for_the_next(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await asked(player, "f")
        await close_turn(player, workshop)
        await player.press("y")
        await player.hears("That turn has passed meanwhile; this one is not finished.")
        assert finished(workshop) == 0

    play(workshop.address, scene)


@pytest.mark.thorough
def test_a_turn_that_is_not_shown_yet(workshop: Served, play: Any) -> None:
    """The clock shows it before it is downloaded. It is not finished, and gets no order of the last turn."""

    async def scene(player: Any) -> None:
        link = player.game_screen.link
        await tuned(player, 1, 3)
        await player.press("ctrl+u", "x")
        await player.until(lambda: len(player.game_screen.side.orders) == 1)
        link.clock = tp.TimeRemaining(time=500, turn=link.turn + 1, waiting=[1, 2])
        await player.press("f")
        await player.hears("A turn has begun that is not shown yet; it is not finished.")
        await player.press("u")
        await player.hears("No order was removed in this turn.")
        assert finished(workshop) == 0
        assert levels_of(workshop) == [3]

    play(workshop.address, scene)


@pytest.mark.thorough
def test_a_yes_while_the_next_turn_comes(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        link = player.game_screen.link
        await asked(player, "f")
        link.clock = tp.TimeRemaining(time=500, turn=link.turn + 1, waiting=[1, 2])
        await player.press("y")
        await player.hears("That turn has passed meanwhile; this one is not finished.")
        assert finished(workshop) == 0

    play(workshop.address, scene)


def test_a_second_press_finishes_nothing_more(workshop: Served, play: Any) -> None:
    """The first one is on its way to the server."""

    async def scene(player: Any) -> None:
        await tuned(player, 1)
        player.game_screen.action_finish()
        player.game_screen.action_finish()
        await player.hears("You are done with this turn; awaited: ben.")
        await player.until(lambda: all(one.is_finished for one in player.app.workers if one.group == "finish"))
        assert finished(workshop) == 1

    play(workshop.address, scene)


def test_a_finished_turn_is_taken_back(workshop: Served, play: Any) -> None:
    """The status line offers it, until the turn is over."""

    def head(player: Any) -> str:
        return str(player.game_screen.query_one("#head").content)

    async def scene(player: Any) -> None:
        player.game_screen.asks = False
        await player.press("f")
        await player.hears("You are done with this turn; awaited: ben. U takes that back.")
        assert "you are done (U takes that back)" in head(player)
        await player.press("U")
        await player.hears("You are not done with this turn.")
        assert workshop.server.game().finished == frozenset()
        assert "takes that back" not in head(player)
        await player.press("f")
        await player.hears("U takes that back.")
        await close_turn(player, workshop)
        assert "takes that back" not in head(player)
        await player.press("U")
        await player.hears("You were not done with this turn.")

    play(workshop.address, scene, dialect=PB)


def test_in_tp04_a_finished_turn_stays_finished(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        player.game_screen.asks = False
        await player.press("f")
        await player.hears("You are done with this turn; awaited: ben.")
        assert "U takes" not in player.said
        await player.press("U")
        await player.hears("TP04 cannot reopen the turn")

    play(workshop.address, scene)


@pytest.mark.thorough
def test_an_order_that_is_being_filled_in(workshop: Served, play: Any) -> None:
    """Neither f nor q, pressed where they are no letters, leaves it behind without a question; a letter stays one."""

    async def scene(player: Any) -> None:
        form = await begin(player, "Tune")
        field(form, "Level").text = "5"
        await player.press("f")
        assert player.app.screen is player.game_screen  # it is a letter in the field
        form.query_one("#give", Button).focus()
        await asked(player, "f")
        await player.sees("An order is being filled in and has not been given. Finish the turn without it?")
        await player.press("n")
        await asked(player, "q")
        await player.sees("Quit? The order that is being filled in has not been given.")
        await player.press("n")
        assert player.game_screen.form is form
        assert player.app.is_running
        assert finished(workshop) == 0

    play(workshop.address, scene)


@pytest.mark.thorough
@pytest.mark.parametrize("by_key", [True, False])
def test_what_was_filled_in_is_discarded_after_a_question(workshop: Served, play: Any, by_key: bool) -> None:
    """By escape or by the button; a form in which nothing was changed closes at once."""

    async def leave(player: Any, form: Any) -> None:
        if by_key:
            await player.press("escape")
        else:
            form.query_one("#cancel", Button).press()

    async def scene(player: Any) -> None:
        form = await begin(player, "Tune")
        field(form, "Level").text = "5"
        await leave(player, form)
        await player.sees("Discard what was filled in? The order has not been given.")
        await player.press("n")
        assert player.game_screen.form is form
        assert field(form, "Level").text == "5"
        await leave(player, form)
        await player.until(lambda: isinstance(player.app.screen, Question))
        await player.press("y")
        await player.until(lambda: player.game_screen.form is None, "it is still open")
        await leave(player, await begin(player, "Tune"))
        await player.until(lambda: player.game_screen.form is None, "it is still open")

    play(workshop.address, scene)


def test_quitting_with_nothing_to_lose(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("q")
        await player.until(lambda: player.app.return_code is not None or not player.app.is_running)

    play(workshop.address, scene)


@pytest.mark.thorough
def test_a_removed_order_is_given_again(workshop: Served, play: Any) -> None:
    """Into its place, the last one first; in the next turn there is nothing to take back."""

    async def scene(player: Any) -> None:
        await tuned(player, 1, 3, 5)
        await player.press("ctrl+u")
        player.game_screen.query_one(Queue).highlighted = 1
        await player.press("x")
        await player.hears("Removed: Tune: Level = 3")
        await player.hears("(u gives it again)")
        assert levels_of(workshop) == [1, 5]
        await player.until(lambda: len(player.game_screen.side.orders) == 2)
        await player.press("u")
        await player.hears("Given again: Tune: Level = 3")
        assert levels_of(workshop) == [1, 3, 5]
        await player.press("u")
        await player.hears("No order was removed in this turn.")
        await player.until(lambda: len(player.game_screen.side.orders) == 3)
        await player.press("ctrl+u", "x")
        await player.hears("Removed: ")
        await close_turn(player, workshop)
        await player.press("u")
        await player.hears("No order was removed in this turn.")

    play(workshop.address, scene)


@pytest.mark.thorough
def test_all_orders_are_removed_after_a_question(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await tuned(player, 1, 3)
        await player.press("ctrl+u")
        await asked(player, "X")
        await player.sees("Remove 2 orders of Yard (4)?")
        await player.press("enter")
        assert levels_of(workshop) == [1, 3]
        await asked(player, "X")
        await player.press("y")
        await player.hears("2 orders removed (u gives them again, one by one)")
        assert levels_of(workshop) == []
        await player.until(lambda: not player.game_screen.side.orders)
        await player.press("u")
        await player.hears("Given again: Tune: Level = 1")
        await player.press("u")
        await player.hears("Given again: Tune: Level = 3")
        assert levels_of(workshop) == [1, 3]

    play(workshop.address, scene)


@pytest.mark.thorough
def test_orders_that_came_meanwhile_are_not_removed(workshop: Served, play: Any) -> None:
    """The question was about others."""

    async def scene(player: Any) -> None:
        await tuned(player, 1)
        await player.press("ctrl+u")
        await asked(player, "X")
        await player.game_screen.link.order(YARD, "Tune", {"Level": 3, "Turns": 1})
        await player.press("y")
        await player.hears("The queue has changed meanwhile; nothing is removed.")
        assert levels_of(workshop) == [1, 3]

    play(workshop.address, scene)


def test_the_option_turns_the_question_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--finish-at-once`; without it the client asks."""
    made: list[bool] = []

    class Client:
        return_code = 0

        def __init__(self, *words: Any, asks: bool, find: object) -> None:
            made.append(asks)

        async def run_async(self) -> int:
            return 0

    monkeypatch.setattr("tpclient.terminal.app.TerminalClient", Client)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main(["play", "--user", "ann", "--password", "word"]) == 0
    assert main(["play", "--user", "ann", "--password", "word", "--finish-at-once"]) == 0
    assert made == [True, False]


def test_without_the_question(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        player.game_screen.asks = False
        await player.press("f")
        await player.hears("You are done with this turn; awaited: ben.")

    play(workshop.address, scene)
