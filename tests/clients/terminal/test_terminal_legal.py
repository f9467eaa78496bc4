"""Legal orders in the terminal: marked, lit, listed, else explained."""

import asyncio
from typing import Any

import pytest
from textual.widgets import OptionList, Select

from tests.clients.terminal.test_terminal_orders import field, give, given
from tests.support.memory_client import MemoryServer, Request, Served, fail
from tests.support.workshop import BOAT, SMALL_YARD, YARD, Send
from tpclient.connection import Login
from tpclient.terminal.dialogs import Find
from tpclient.terminal.link import FollowedGame
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB

pytestmark = pytest.mark.thorough

THERE = "The boat is there already."


async def look_at_boat(player: Any) -> Any:
    """Wait until it is known what can act, and look at the boat."""
    screen = player.game_screen
    await player.until(lambda: screen.link.legal.is_known and BOAT in screen.side.acting, "nothing can act")
    screen.go_to(BOAT)
    await player.pilot.pause()
    return screen


def boats_orders(server: Served) -> list[int]:
    orders = server.do(server.server.seated["ann"].queue, BOAT)
    return [order.parameters[0].object.object_id for order in orders]


def test_two_steps_are_an_order(workshop: Served, play: Any) -> None:
    """A piece that can act is marked, its targets are lit; another place says why not, and the piece is kept."""

    async def scene(player: Any) -> None:
        screen = await look_at_boat(player)
        await player.sees("*Boat")
        await player.sees("can act now")
        await player.press("space")
        await player.sees("Move: enter at a lit place")
        await player.until(lambda: screen.aim.loaded.is_set())
        assert [*screen.aim.targets] == [SMALL_YARD]
        await player.press("enter")  # where it is
        await player.hears(f"Refused: {THERE}")
        assert boats_orders(workshop) == []
        await player.press("n")
        assert [icon.thing.id for icon in screen.map.here] == [SMALL_YARD]
        await player.hears("yard (3): Move.")
        await player.press("enter")
        await player.hears("Given to Boat (6): Move: Star System = yard (3)")
        assert boats_orders(workshop) == [SMALL_YARD]
        assert screen.aim is None

    play(workshop.address, scene, size=(120, 40), dialect=PB)


def test_escape_ends_pointing_and_gives_nothing(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        screen = await look_at_boat(player)
        await player.press("space")
        await player.sees("Move: enter at a lit place")
        await player.press("escape")
        assert screen.aim is None
        assert not screen.map.lit
        assert boats_orders(workshop) == []

    play(workshop.address, scene, dialect=PB)


def test_a_form_has_what_is_legal_and_the_reason_of_all_else(workshop: Served, play: Any) -> None:
    """In its list, which a key opens for everything, and on the map, where a refusal leaves the form as it is."""

    async def scene(player: Any) -> None:
        screen = await look_at_boat(player)
        await player.press("o")
        await player.until(lambda: screen.form is not None, "there is no form")
        to = field(screen.form, "Star System")
        await player.until(lambda: to.legal == {SMALL_YARD}, "it is not narrowed")
        await player.press("f3")
        await player.until(lambda: isinstance(player.app.screen, Find))
        await player.sees("1 thing. 1 that would be refused is left out; F4 shows all.")
        choices = player.app.screen.query_one(OptionList).options
        assert len(choices) == 1 and "5, 3" not in str(choices[0].prompt)
        await player.press("f4", "down")
        await player.sees(f"Would be refused: {THERE}")
        await player.press("escape")
        await player.press("f2")
        assert screen.map.lit
        await player.press("enter")
        await player.hears(f"Refused: {THERE}")
        assert screen.picking is to
        screen.go_to(SMALL_YARD)
        await player.press("enter")
        assert to.text == str(SMALL_YARD)
        await give(player)
        assert boats_orders(workshop) == [SMALL_YARD]

    play(workshop.address, scene, dialect=PB)


def test_a_piece_whose_orders_another_one_carries(workshop: Served, play: Any) -> None:
    """It can act, and its form begins with it; what is missing is asked, and goes into the form."""
    named = tp.LegalOrders(orders=[tp.LegalOrder(id=YARD, otype=Send.number, named=SMALL_YARD)])
    workshop.server.scripts["get_legal_orders"] = lambda request: [("legal_orders", named)]

    async def scene(player: Any) -> None:
        screen = player.game_screen
        await player.until(lambda: screen.side.acting == {SMALL_YARD})
        await player.press("n")
        await player.hears("1 of 1 that can act: yard (3)")
        await player.press("space")
        await player.until(lambda: isinstance(player.app.screen, Find), "nothing is asked")
        await player.sees("Send: ben")
        await player.press(*"ben", "enter")
        await player.until(lambda: screen.form is not None, "there is no form")
        assert field(screen.form, "To").text == str(SMALL_YARD)
        assert field(screen.form, "For").query_one(Select).value == 2
        field(screen.form, "Place").text = "1,2,3"
        await give(player)
        assert given(workshop)[0].parameters[0].object.object_id == SMALL_YARD
        assert screen.side.selected == SMALL_YARD
        await player.press("o")
        await player.until(lambda: screen.form is not None, "it has no form")
        assert field(screen.form, "To").text == str(SMALL_YARD)

    play(workshop.address, scene, dialect=PB)


@pytest.mark.parametrize("code", [1, 3])
def test_a_server_that_does_not_tell(workshop: Served, play: Any, code: int) -> None:
    """It is played with the form alone; one that has no such request is not asked again, one that cannot now is."""
    asked: list[Request] = []

    def refuse(request: Request) -> Any:
        asked.append(request)
        return fail(code, "No.")(request)

    workshop.server.scripts["get_legal_orders"] = refuse

    async def scene(player: Any) -> None:
        await player.until(lambda: asked, "nothing was asked")
        player.game_screen.go_to(BOAT)
        await player.press("space")
        await player.hears("What can be ordered here is not known now; o opens the form of an order.")
        workshop.do(workshop.server.close_turn)
        await player.sees("Round 2")
        if code == 3:
            await player.until(lambda: len(asked) > 1, "it was not asked anew")
        await player.press("o")
        await player.until(lambda: player.game_screen.form is not None)
        field(player.game_screen.form, "Star System").text = "yard"
        await player.sees("The server would take it: Move: Star System = yard (3)")
        assert len(asked) == 1 or code == 3

    play(workshop.address, scene, dialect=PB)


def test_what_was_asked_in_another_position_is_of_no_use(server: MemoryServer) -> None:
    """One request is out at a time; its answer is dropped if the position changes meanwhile, and it is asked again."""

    async def run() -> None:
        server.begin("ann", "ben")

        async def dial() -> Any:
            return server.link(PB)

        link = FollowedGame(Login(dial, "ann", "ann's word"))
        await link.start()
        asked: list[int] = []

        def late(request: Request) -> Any:
            if request.message.start:
                return None  # a further part of an answer that took long
            asked.append(link.legal.position)
            if len(asked) == 1:
                link.legal.forget()
            return None

        server.scripts["get_legal_orders"] = late
        await asyncio.gather(link.legal.learn(), link.legal.learn())
        assert len(asked) == 2
        assert link.legal.is_known
        assert link.legal.position == asked[1]
        await link.order(YARD, "Tune", {"Level": 1, "Turns": 1})
        await link.refresh()
        assert not link.legal.is_known
        await link.close()

    asyncio.run(run())
