"""Orders in the terminal: widgets, refusals at parameters, the queue.

There is a widget for every parameter type.
"""

from typing import Any

import pytest
from textual.widgets import Input, Select

from tests.support.memory_client import TEXT_AND_REFERENCES, Request, Served, fail, offer_sailors
from tests.support.workshop import PLACE, POST, SMALL_YARD, YARD, Tune
from tpclient.parameters import Kind
from tpclient.terminal.amounts import AmountList
from tpclient.terminal.order_form import blamed_parameter
from tpclient.terminal.side import Queue
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04

pytestmark = pytest.mark.thorough

DIALECTS = [TP03, TP04, PB]


async def begin(player: Any, order: str) -> Any:
    """Open the form of one of the yard's orders."""
    player.game_screen.go_to(YARD)
    await player.press("o")
    await player.until(lambda: len(player.app.screen_stack) > 2, "no orders are offered")
    await player.press(*order, "enter")
    await player.until(lambda: player.game_screen.form is not None, "there is no form")
    form = player.game_screen.form
    await player.until(lambda: player.app.focused is not None and form in player.app.focused.ancestors)
    return form


def field(form: Any, name: str) -> Any:
    return next(one for one in form.fields if one.parameter.name == name)


def given(workshop: Served) -> list[tp.Order]:
    orders: list[tp.Order] = workshop.do(workshop.server.seated["ann"].queue, YARD)
    return orders


async def give(player: Any) -> None:
    await player.press("ctrl+s")
    await player.until(lambda: player.game_screen.form is None, "the order was not given")


def test_what_is_filled_in_is_judged_behind_the_queue(workshop: Served, play: Any) -> None:
    """So an order can be offered that needs the one before it."""
    judged: list[int] = []

    def note(request: Request) -> None:
        judged.append(request.message.judged)

    workshop.server.scripts["order_probe"] = note

    async def scene(player: Any) -> None:
        await begin(player, "Send")
        await player.until(lambda: judged, "nothing is asked")
        assert set(judged) == {1}

    play(workshop.address, scene, dialect=PB)


@pytest.mark.parametrize(
    "dialect",
    [pytest.param(one, marks=() if one is TP04 else pytest.mark.thorough) for one in DIALECTS],
    ids=lambda one: one.name,
)
def test_object_player_and_place(workshop: Served, play: Any, dialect: Any) -> None:
    """An object is picked on the map, a player from a list, a place by naming what stands there."""

    async def scene(player: Any) -> None:
        form = await begin(player, "Send")
        await player.press("enter")  # the empty field for an object
        await player.sees("Pick To: enter takes it")
        player.game_screen.go_to(SMALL_YARD)
        await player.press("enter")
        await player.until(lambda: field(form, "To").text == "3" or len(player.app.screen_stack) > 2)
        if len(player.app.screen_stack) > 2:  # what may be named is not known in this dialect
            await player.press("enter")
        await player.until(lambda: field(form, "To").text == "3", "nothing was picked")
        await player.sees("= yard (3)")
        field(form, "For").query_one(Select).value = 2
        field(form, "Place").query_one(Input).value = "Post"
        await player.sees("The server would take it: Send: To = yard (3); For = ben; Place = 80, 2, 3")
        assert given(workshop) == []
        await give(player)
        to, whom, place = given(workshop)[0].parameters
        assert (to.object.object_id, whom.player.player_id, place.coordinates.x) == (SMALL_YARD, 2, 80)
        await player.hears("Given to Yard (4): Send: To = yard (3)")

    play(workshop.address, scene, dialect=dialect)


def test_what_an_object_may_be_is_offered_at_once(workshop: Served, play: Any) -> None:
    """The server takes star systems and nothing else: the form knows the type before anything is typed."""
    probed: list[int] = []
    workshop.server.scripts["order_probe"] = lambda request: probed.append(
        request.message.parameters[0].object.object_id
    )

    async def scene(player: Any) -> None:
        form = await begin(player, "Send")
        assert field(form, "To").allowed == {2}
        await player.sees("Star System, by id, exact name, or picked")
        await player.press("f3")
        await player.until(lambda: len(player.app.screen_stack) > 2)
        assert {one.id for one in player.app.screen.everything} == {PLACE, SMALL_YARD}
        assert not given(workshop)
        await player.press("escape", "escape")
        await player.until(lambda: player.game_screen.form is None)
        asked = len(probed)
        form = await begin(player, "Send")
        assert field(form, "To").allowed == {2}
        assert len(probed) <= asked + 10

    play(workshop.address, scene)


def test_what_an_object_may_be_is_not_told(workshop: Served, play: Any) -> None:
    """Where the server takes nothing that is tried, the list has everything and says why; the form opens anyway."""
    workshop.server.scripts["order_probe"] = fail(2, "Not today.")

    async def scene(player: Any) -> None:
        form = await begin(player, "Send")
        assert not field(form, "To").allowed
        await player.press("f3")
        await player.sees("Pick To; the server has not told what it may be, so here is everything")
        assert len(player.app.screen.everything) == len(player.game_screen.link.universe.objects)

    play(workshop.address, scene)


def test_numbers(workshop: Served, play: Any) -> None:
    """The arrow keys use the steps and limits of the server. A value beyond them is refused at once."""

    async def scene(player: Any) -> None:
        form = await begin(player, "Tune")
        await player.sees("a whole number from 1 to 7 in steps of 2")
        level, turns = field(form, "Level"), field(form, "Turns")
        await player.press("up", "up", "up", "up", "up", "up")
        assert level.text == "7"
        await player.press("down")
        turns.text = "7"
        await player.sees("Turns goes from 0 to 6, not to 7.")
        turns.text = "soon"
        await player.sees("Turns has to be a number of turns, not 'soon'.")
        assert level.text == "5"
        turns.text = "5"
        await give(player)
        first, second = given(workshop)[0].parameters
        assert (first.range.value, second.time.turns) == (5, 5)

    play(workshop.address, scene)


def test_lists_with_amounts(workshop: Served, play: Any) -> None:
    """Choices and amounts as the server's answer to a probe has them; too many are cut to the most there are."""

    async def scene(player: Any) -> None:
        form = await begin(player, "Build")
        parts, fuel = form.query(AmountList)
        await player.until(lambda: parts.option_count == 4, "no choices came")
        parts.focus()
        await player.press("space", "down", "enter", "down", "down", "9")
        assert parts.chosen == {1: 1, 2: 1, 7: 5}
        await player.press("ctrl+s")
        await player.sees("Choose something here.")
        fuel.focus()
        await player.press("plus", "plus", "minus")
        await give(player)
        listed, resources = given(workshop)[0].parameters
        assert [(one.id, one.number) for one in listed.list.selection] == [(1, 1), (2, 1), (7, 5)]
        assert [(one.resource_id, one.quantity) for one in resources.resource_list.selected] == [(1, 1)]

    play(workshop.address, scene)


def test_an_amount_of_another_server(workshop: Served, play: Any) -> None:
    """Of what there is any number of, digits make any amount."""
    taken = workshop.server.take(("Crew", Kind.QUANTITY_LIST), offer=offer_sailors)

    async def scene(player: Any) -> None:
        form = await begin(player, "Wish")
        crew = form.query_one(AmountList)
        await player.until(lambda: crew.option_count == 1, "no choices came")
        crew.focus()
        await player.press("1", "2")
        await give(player)
        assert [(one.id, one.number) for one in taken[0].parameters[0].quantity_list.selection] == [(5, 12)]

    play(workshop.address, scene)


def test_text_and_references(workshop: Served, play: Any) -> None:
    """Text as typed, references picked from a list one after the other, a place beside an object."""
    taken = workshop.server.take(*TEXT_AND_REFERENCES)

    async def scene(player: Any) -> None:
        form = await begin(player, "Wish")
        await player.press(*"peace")
        also = field(form, "Also")
        also.query_one(Input).focus()
        for name in ("Coal", "ben"):
            await player.press("f3")
            await player.until(lambda: len(player.app.screen_stack) > 2)
            await player.press(*name, "enter")
            await player.until(lambda: len(player.app.screen_stack) == 2)
        assert also.text.startswith("1,")
        field(form, "About").text = "1"
        field(form, "Near").text = "Post@-1,0,2"
        await player.sees("The server would take it")
        await give(player)
        words, about, more, near = taken[0].parameters
        assert (words.string.string, about.reference.reference) == ("peace", 1)
        assert list(more.reference_list.references) == [1, 2]
        assert (near.relative_coordinates.object_id, near.relative_coordinates.pos.x) == (POST, -1)

    play(workshop.address, scene)


def test_a_refusal_stands_at_its_parameter(workshop: Served, play: Any) -> None:
    """The server's words are at the parameter that they name. The input stays, and can be corrected."""
    workshop.do(workshop.server.close_turn)  # in whose second round it does not take a level of 3

    async def scene(player: Any) -> None:
        form = await begin(player, "Tune")
        field(form, "Level").text, field(form, "Turns").text = "3", "2"
        await player.press("ctrl+s")
        await player.until(lambda: field(form, "Level").has_class("-wrong"), "no fault is shown")
        assert not field(form, "Turns").has_class("-wrong")
        await player.sees("Refused: Level may not be 3 today.")
        assert (field(form, "Level").text, field(form, "Turns").text) == ("3", "2")
        field(form, "Level").text = "5"
        await player.until(lambda: not field(form, "Level").has_class("-wrong"))
        await give(player)
        assert given(workshop)[0].parameters[0].range.value == 5

    play(workshop.address, scene)


def test_an_answer_after_the_form_is_closed_says_nothing(workshop: Served, play: Any) -> None:
    """A player who leaves the form does not wait for the server, whose response may come later."""

    async def scene(player: Any) -> None:
        form = await begin(player, "Send")
        await form.remove_children()
        form.action_give()
        await form.workers.wait_for_complete([one for one in form.workers if one.group == "give"])
        assert not form.query("#answer")

    play(workshop.address, scene)


def test_parameter_at_fault() -> None:
    """By the parameter's name, else by what its value is called, else nobody's fault in particular."""
    names = ["To", "Level"]
    words = {"To": ["5, 3", "2"], "Level": ["7"]}
    assert blamed_parameter("The level is too high for To.", names, words) == "Level"
    assert blamed_parameter("5, 3 has the wrong ground", names, words) == "To"
    assert blamed_parameter("Only 7 of them.", names, words) == "Level"
    assert blamed_parameter("You have given all orders, all 27.", names, words) is None
    assert blamed_parameter("Tomorrow, perhaps.", ["To"], {"To": [""]}) is None


def test_the_queue(workshop: Served, play: Any) -> None:
    """Orders are moved, changed, inserted before others and removed; the server's queue is as the screen says."""

    def levels() -> list[int]:
        return [order.parameters[0].range.value for order in given(workshop)]

    async def scene(player: Any) -> None:
        link = player.game_screen.link
        kind = link.universe.order_descriptions[Tune.number]
        for level in (1, 3, 5):
            await link.order(YARD, kind, {"Level": level, "Turns": 1}, -1)
        player.game_screen.go_to(YARD)
        player.game_screen.reload()
        await player.sees("2 Tune: Level = 5")
        await player.press("ctrl+u", "down", "shift+up")
        await player.hears("Moved: Tune: Level = 3")
        assert levels() == [3, 1, 5]
        await player.until(lambda: [o.parameters[0].range.value for o in player.game_screen.side.orders] == [3, 1, 5])
        await player.press("greater_than_sign")
        await player.until(lambda: levels() == [1, 3, 5], "it was not moved back")
        await player.until(lambda: player.game_screen.side.orders[1].parameters[0].range.value == 3)
        player.game_screen.query_one(Queue).highlighted = 2
        await player.press("greater_than_sign")
        await player.hears("It is at the end of the queue.")
        player.game_screen.query_one(Queue).highlighted = 1
        await player.press("enter")
        await player.until(lambda: player.game_screen.form is not None)
        assert field(player.game_screen.form, "Level").text == "3"
        field(player.game_screen.form, "Level").text = "7"
        await give(player)
        assert levels() == [1, 7, 5]
        await player.until(lambda: [o.parameters[0].range.value for o in player.game_screen.side.orders] == [1, 7, 5])
        await player.press("ctrl+u")
        player.game_screen.query_one(Queue).highlighted = 0
        await player.press("x")
        await player.hears("Removed: Tune: Level = 1")
        assert levels() == [7, 5]
        await player.until(lambda: [o.parameters[0].range.value for o in player.game_screen.side.orders] == [7, 5])
        await player.press("ctrl+u")
        player.game_screen.query_one(Queue).highlighted = 1
        await player.press("i")
        await player.until(lambda: len(player.app.screen_stack) > 2)
        await player.press(*"Tune", "enter")
        await player.until(lambda: player.game_screen.form is not None)
        await player.sees("Tune: Yard (4), before order 1")
        field(player.game_screen.form, "Level").text, field(player.game_screen.form, "Turns").text = "1", "0"
        await give(player)
        assert levels() == [7, 1, 5]

    play(workshop.address, scene)


def test_nothing_to_command(workshop: Served, play: Any) -> None:
    """Somebody else's port takes no orders from us, and the line says what to press."""

    async def scene(player: Any) -> None:
        player.game_screen.go_to(POST)
        await player.press("o")
        await player.hears("Post (5) takes no orders from you now; n goes to what does.")

    play(workshop.address, scene)
