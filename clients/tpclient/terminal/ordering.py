"""Giving orders: choosing a type, filling in the form, picking values on the map, and changing what is queued."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from textual import work

from tpproto import tp_pb2

from ..errors import ClientError
from ..names import object_name, place_name
from ..objects import SpaceObject
from ..orders import APPEND
from .composed import ComposedScreen
from .fields import Choice, Field
from .find import Find
from .link import Link, spoken
from .map_view import MapView
from .order_form import Draft, OrderForm
from .probing import told_by_trial
from .side import Queue, Side, Things

PROMPT = 1.0
"""Seconds that a form waits at most, before it opens, for what the server tells of its parameters."""


class Ordering(ComposedScreen[None]):
    """The part of a game's screen that gives orders; a screen that has a map and a panel beside it fills in the rest.

    `form` is the open form, `picking` the field that a value is being picked for.
    """

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link
        self.picking: Field | None = None
        self.form: OrderForm | None = None

    @property
    def map(self) -> MapView:
        """The map of the screen."""
        return self.query_one(MapView)

    @property
    def side(self) -> Side:
        """The panel beside it."""
        return self.query_one(Side)

    def say(self, words: str) -> None:
        """Say what has come of something."""
        raise NotImplementedError

    def tell(self, words: str) -> None:
        """Say what has happened without the player's doing, until it was seen."""
        raise NotImplementedError

    def go_to(self, number: int) -> bool:
        """Look at an object; False if it is on no board."""
        raise NotImplementedError

    def show_title(self) -> None:
        """Say above the map what it shows, or what is to be picked."""
        raise NotImplementedError

    def reload(self) -> object:
        """Bring everything up to date after something was changed from here."""
        raise NotImplementedError

    def choices(self, things: Sequence[SpaceObject]) -> list[Choice]:
        """Objects to pick from a list, mine first."""
        universe = self.link.universe

        def words(thing: SpaceObject) -> str:
            about = (object_name(universe, thing.id), thing.kind, place_name(universe, thing))
            return ", ".join(word for word in about if word)  # the root is in nothing

        return [
            Choice(thing.id, words(thing))
            for thing in sorted(things, key=lambda one: (one.owner != universe.me, one.id))
        ]

    def on_map_view_chosen(self) -> None:
        if self.picking is not None:
            self._picked()
        elif self.form is None:
            self.query_one(Things).focus()

    def on_option_list_option_selected(self) -> None:
        self.action_order()

    def action_order(self) -> None:
        if self.form is None:
            self._choose_order(APPEND)

    @work(exclusive=True, group="order")
    async def _choose_order(self, slot: int) -> None:
        """Ask which order the thing that is looked at is to get, and open its form."""
        thing, universe = self.side.thing, self.link.universe
        if thing is None:
            self.say("There is nothing here.")
            return
        offers = universe.offers(thing)
        if not offers:
            self.say(f"{object_name(universe, thing.id)} takes no orders from you now; n goes to what does.")
            return
        kind: tp_pb2.OrderDesc | None = offers[0]
        if len(offers) > 1:
            rows = [Choice(one.id, f"{one.name}: {one.description}".rstrip(": ")) for one in offers]
            number = await self.app.push_screen_wait(Find(f"Order for {object_name(universe, thing.id)}", rows))
            kind = next((one for one in offers if one.id == number), None)
        if kind is not None:
            await self._open_form(Draft(thing, kind, slot))

    async def _open_form(self, draft: Draft) -> None:
        await self._learn(draft)
        if self.form is not None:
            return
        self.form = OrderForm(self.link, draft)
        self.side.display = False
        await self.query_one("#right").mount(self.form)
        self.form.focus_field()
        self.say("")

    async def _learn(self, draft: Draft) -> None:
        """Let the server tell what a new order's parameters may be, so that its form shows that from the beginning."""
        if draft.old is None and draft.kind.parameters and self.link.is_connected:
            with suppress(ClientError, TimeoutError):
                async with asyncio.timeout(PROMPT):  # the form opens then, and goes on asking
                    await told_by_trial(self.link, draft.thing, draft.kind, {})

    def _close_form(self) -> None:
        if self.form is not None:
            self.form.remove()
            self.form = None
        self.picking = None
        self.side.display = True
        self.show_title()
        self.map.focus()

    def on_order_form_left(self) -> None:
        self._close_form()

    def begin_anew(self, why: str) -> None:
        """Another game is there in place of the one that was shown; `why` says how that shows."""
        self.link.told.clear()
        self._close_form()
        self.tell(f"{why} This is what is there now.")

    def on_order_form_given(self, event: OrderForm.Given) -> None:
        thing = self.form.draft.thing if self.form is not None else None
        self._close_form()
        name = object_name(self.link.universe, thing.id) if thing is not None else ""
        if thing is not None:
            self.go_to(thing.id)
        self.say(f"Given to {name}: {event.words}")
        self.reload()

    # --- picking a value

    @work
    async def on_field_wanted(self, event: Field.Wanted) -> None:
        field = event.field
        if event.on_map:
            self.picking = field
            self.show_title()
            self.map.focus()
            return
        choices = field.choices()
        if choices is None:
            choices = self.choices(self._allowed(field, list(self.link.universe.objects.values())))
        title = f"Pick {field.parameter.name}"
        if field.choices() is None and not field.allowed:
            title += "; the server has not told what it may be, so here is everything"
        number = await self.app.push_screen_wait(Find(title, choices))
        if number is not None:
            field.pick(number)

    def _allowed(self, field: Field, things: Sequence[SpaceObject]) -> list[SpaceObject]:
        return [thing for thing in things if not field.allowed or thing.role in field.allowed]

    @work(exclusive=True, group="pick")
    async def _picked(self) -> None:
        """Take what is under the cursor for the field that wants something; several things that fit are asked about."""
        field, universe = self.picking, self.link.universe
        if field is None:
            return
        things: list[SpaceObject] = []
        for icon in self.map.here:
            things += [icon.thing, *universe.inside(icon.thing.id)]
        fitting = self._allowed(field, things)
        if not fitting:
            self.say("Nothing that fits is here." if things else "Nothing is here.")
            return
        number: int | None = fitting[0].id
        if len(fitting) > 1:
            rows = self.choices(fitting)
            number = await self.app.push_screen_wait(Find(f"Pick {field.parameter.name}", rows))
        if number is not None and self.picking is field:
            field.pick(number)
            self._stop_picking()

    def _stop_picking(self) -> None:
        field, self.picking = self.picking, None
        self.say("")
        self.show_title()
        if field is not None:
            field.query("Input").first().focus()

    # --- queued orders

    @work(exclusive=True, group="queue")
    async def on_queue_acted(self, event: Queue.Acted) -> None:
        thing, orders = self.side.thing, self.side.orders
        if thing is None or event.slot >= len(orders):
            return
        order = tp_pb2.Order()
        order.CopyFrom(orders[event.slot])
        order.slot = event.slot
        words = self.link.line(order)
        try:
            if event.what == "remove":
                await self.link.remove(order.id, order.slot)
                self.say(f"Removed: {words}")
            elif event.what == "insert":
                self._choose_order(order.slot)
                return
            elif event.what == "change":
                kind = self.link.universe.order_descriptions.get(order.otype)
                if kind is not None:
                    await self._open_form(Draft(thing, kind, order.slot, order))
                return
            else:
                slot = order.slot + (-1 if event.what == "up" else 1)
                if not 0 <= slot < len(orders):
                    self.say("It is at the end of the queue." if slot else "It is the first order already.")
                    return
                await self.link.move(order, slot)
                self.say(f"Moved: {words}")
                self.query_one(Queue).highlighted = slot
        except ClientError as error:
            self.say(spoken(error))
        self.reload()
