"""Ordering by pointing: a piece, its target, then missing parameters.

The server lists pieces, targets and values (`legal`). If it does not, the player uses the form of an order.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.text import Text
from textual import work
from textual.widgets import Static

from tpclient.columns import listed, shown
from tpclient.errors import ClientError
from tpclient.legal import PartialOrder, values_of
from tpclient.names import object_name, order_name, parameter_name
from tpclient.objects import SpaceObject
from tpclient.parameters import Kind, parameter_facts, parameter_words
from tpclient.plain.facts import order_line
from tpclient.terminal.board_screen import BoardScreen
from tpclient.terminal.deeds import deed
from tpclient.terminal.dialogs import Choice, Find
from tpclient.terminal.link import FollowedGame, spoken
from tpclient.terminal.marks import ACTING, FREE, TAKEN, Sign
from tpclient.terminal.order_form import Draft
from tpproto import tp_pb2

MOST_VALUES = 16
"""Maximum values in a list of choices. For more values, the form has fields."""

CHOICES = frozenset({Kind.LIST, Kind.QUANTITY_LIST, Kind.PLAYER, Kind.RANGE, Kind.TIME})
"""The types of parameters that are chosen from a list."""


@dataclass(frozen=True, slots=True)
class Target:
    """An object that completes an order, or that can be its next parameter."""

    part: PartialOrder
    id: int


@dataclass(eq=False, slots=True)
class Aim:
    """The state of pointing with a piece.

    `piece` is its id, `parts` are the orders that want an object next, `others` the other orders. `targets` are by star
    system. They arrive in sequence, and are complete when `loaded` is set. `is_begun` is whether part of an order is
    chosen already, `position` the position in which all this is right.
    """

    piece: int
    parts: Sequence[PartialOrder]
    others: Sequence[PartialOrder]
    position: int
    is_begun: bool = False
    targets: dict[int, list[Target]] = field(default_factory=dict)
    loaded: asyncio.Event = field(default_factory=asyncio.Event)


class ActingScreen(BoardScreen):
    """A board screen that shows the pieces that can act. `aim` is the state of pointing, None without a piece."""

    def __init__(self, link: FollowedGame) -> None:
        super().__init__(link)
        self.aim: Aim | None = None

    async def open_form(self, draft: Draft) -> None:
        """Open the form for the rest of an order."""
        raise NotImplementedError

    def gave(self, piece: int, words: str) -> None:
        """React to an order that was given for a piece."""
        raise NotImplementedError

    def called(self, part: PartialOrder) -> str:
        """Return the name of an order."""
        return order_name(self.link.universe, part.kind)

    def _wanted_words(self, part: PartialOrder) -> str:
        """Return the name of an order, and the parameter that it wants next."""
        assert part.wanted is not None
        return f"{self.called(part)}, {parameter_name(self.link.universe, part.kind, part.wanted)}"

    # --- what can act

    def updated(self) -> None:
        self._learn()

    @work(group="legal")
    async def _learn(self) -> None:
        await self.link.legal.learn()
        if self.is_composed:
            self._show_legal()

    def _show_legal(self) -> None:
        """Show the pieces that can act.

        The old marks stay during a new request, as they would flicker at each order.
        """
        legal = self.link.legal
        if legal.is_asking:
            return
        acting = legal.acting
        if acting != self.side.acting:
            self.side.acting = acting
            self._show_place()
        aim = self.aim
        if aim is not None and aim.position != legal.position:
            if not legal.is_known or aim.piece not in self.link.universe.objects:
                self.say("What can be ordered has changed.")
                self.end_aim()
            else:
                self._point(aim.piece, aim.parts if aim.is_begun else None)
        self._light()

    def _light(self) -> None:
        """Mark the targets, or else the pieces that can act."""
        places = self.link.map.icon_of
        acting = {places[number] for number in self.side.acting if number in places}
        targets = self.aim.targets if self.aim is not None else {}
        self.map.light(acting, self._occupied(targets))
        self._show_legend()

    def _occupied(self, systems: Iterable[int]) -> dict[int, bool]:
        """Return for each of these star systems whether it contains anything."""
        pieces = self.marks.pieces if self.marks is not None else {}
        return {number: number in pieces for number in systems}

    def signs(self) -> list[tuple[Sign, str]]:
        return [*self._light_signs(), *super().signs()]

    def _light_signs(self) -> list[tuple[Sign, str]]:
        lit = [(FREE, "an order can go there"), (TAKEN, "there, too: it is taken")]
        if self.map.lit:
            return [row for row in lit if row[0] in self.map.lit]
        return [(ACTING, "can act now")] if self.side.acting else []

    def show_title(self) -> None:
        if self.aim is None:
            super().show_title()
            return
        kinds = listed(dict.fromkeys(self.called(part) for part in self.aim.parts), 4)
        words = f"{kinds}: enter at a lit place, n to the next, escape goes back"
        self.query_one("#title", Static).update(Text(shown(words), "reverse", no_wrap=True, overflow="ellipsis"))

    def on_map_view_moved(self) -> None:
        if self.aim is not None and self.is_ready:
            names = listed(object_name(self.link.universe, icon.thing.id) for icon in self.map.here)
            kinds = listed(dict.fromkeys(self.called(one.part) for one in self._targets_here(self.aim)))
            self.say(f"{names or 'Nothing'}: {kinds or 'no order goes there'}.")

    def action_next(self, step: int) -> None:
        """Go to the next piece that can act. While pointing, go to the next target."""
        universe = self.link.universe
        if self.aim is not None:
            self.map.go_to_lit(step)
            return
        found, what = sorted(self.link.legal.acting), "that can act"
        if not found:
            found = [thing.id for thing in universe.where(lambda thing: bool(universe.offers(thing)))]
            what = "that take orders"
        if not found:
            self.say("Nothing takes orders from you now.")
            return
        present = self.side.selected
        if present in found:
            number = found[(found.index(present) + step) % len(found)]
        else:
            number = found[0 if step > 0 else -1]
        self.go_to(number)
        self.say(f"{found.index(number) + 1} of {len(found)} {what}: {object_name(universe, number)}")

    # --- pointing

    def action_point(self) -> None:
        """Start to point with the selected piece, or choose the target under the cursor."""
        if self.aim is not None:
            self.take_target()
        elif self.side.thing is None:
            self.say("There is nothing here.")
        else:
            self._point(self.side.thing.id, None)

    def end_aim(self) -> None:
        """Stop pointing."""
        self.aim = None
        self.map.points = False
        self.show_title()
        self._light()

    def back_in_aim(self) -> None:
        """Go one step back, on escape."""
        aim = self.aim
        self.say("")
        if aim is not None and aim.is_begun:
            self._point(aim.piece, None)
        else:
            self.end_aim()

    @work(exclusive=True, group="point")
    async def _point(self, piece: int, begun: Sequence[PartialOrder] | None) -> None:
        """Point with a piece, with the orders in `begun` or with all its orders."""
        legal, thing = self.link.legal, self.link.universe.objects.get(piece)
        if thing is None:
            self.end_aim()
            return
        if not legal.is_known:
            self.end_aim()
            self.say("What can be ordered here is not known now; o opens the form of an order.")
            return
        parts = list(begun) if begun is not None else legal.of(thing)
        pointing = [part for part in parts if part.wanted is not None and part.wanted.type == Kind.OBJECT]
        others = [part for part in parts if part not in pointing]
        if not parts:
            self.end_aim()
            self.say(f"{object_name(self.link.universe, piece)} can do nothing now; n goes to what can.")
            return
        aim = Aim(piece, pointing, others, legal.position, begun is not None)
        if pointing:
            self.aim = aim
            self.map.points = True
            self.map.focus()
            self.show_title()
            await self._find_targets(aim)
            if self.aim is not aim or aim.targets:
                return
            self.end_aim()
        if others:
            await self._ask_order(aim)
        else:
            self.say(
                f"There is nothing on the map for {listed(self.called(part) for part in pointing)}; o has all orders."
            )

    async def _find_targets(self, aim: Aim) -> None:
        """Request the targets of one order after the other, so that the first ones appear soon."""
        places = self.link.map.icon_of
        try:
            for part in aim.parts:
                told = await self.link.legal.values(part)
                if self.aim is not aim:
                    return
                for number in told.ids if told is not None else ():
                    if number in places:
                        aim.targets.setdefault(places[number], []).append(Target(part, number))
                self._light()
        finally:
            aim.loaded.set()

    def _targets_here(self, aim: Aim) -> list[Target]:
        """Return the possible choices under the cursor, without unlikely ones."""
        universe = self.link.universe
        found: list[Target] = []
        for icon in self.map.here:
            for part in aim.parts:
                here = {one.id: one for one in aim.targets.get(icon.thing.id, ()) if one.part is part}
                things = [universe.objects[number] for number in here if number in universe.objects]
                name = part.wanted.name if part.wanted is not None else ""
                found += [here[thing.id] for thing in meant(name, things, icon.thing.id)]
        return found

    @deed("take")
    async def take_target(self) -> None:
        """Use the target under the cursor for an order, or show why that is not possible."""
        aim, icons = self.aim, self.map.here
        if aim is None:
            return
        await aim.loaded.wait()
        if self.aim is not aim:
            return
        found = self._targets_here(aim)
        things = [thing for icon in icons for thing in (icon.thing, *self.link.universe.inside(icon.thing.id))]
        taken = {aim.piece, *(target.id for target in found)}
        others = [thing for thing in things if thing.id in self.side.acting and thing.id not in taken]
        if len(found) == 1 and not others:
            await self._go_on(aim, found[0].part.followed_by(found[0].id))
        elif found:
            await self._ask_which(aim, found, others)
        elif aim.others and not aim.is_begun and any(thing.id == aim.piece for thing in things):
            await self._ask_order(aim)
        elif others and not aim.is_begun:
            self.side.selected = others[0].id
            self._show_place()
            self._point(others[0].id, None)
        else:
            await self._refuse(aim, things)

    async def _refuse(self, aim: Aim, things: Sequence[SpaceObject]) -> None:
        """Show why no order can go there. The pointing goes on."""
        objects = self.link.universe.objects
        roles = {objects[one.id].role for found in aim.targets.values() for one in found if one.id in objects}
        thing = next((one for one in things if one.role in roles), things[0] if things else None)
        if thing is None:
            self.say("Nothing is here.")
            return
        part = aim.parts[0]
        why = await self.link.legal.why(part, thing.id)
        name = object_name(self.link.universe, thing.id)
        self.say(f"Refused: {why.rstrip('.')}." if why else f"{self.called(part)} cannot go to {name}.")

    async def _ask_which(self, aim: Aim, found: Sequence[Target], others: Sequence[SpaceObject]) -> None:
        """Let the player choose an order and its target, or another own piece there."""
        universe = self.link.universe
        rows = [f"{self.called(one.part)}: {object_name(universe, one.id)}" for one in found]
        rows += [f"Point with {object_name(universe, thing.id)} instead" for thing in others]
        at = await self.app.push_screen_wait(Find("Which is meant?", [*map(Choice, range(len(rows)), rows)]))
        if at is None or self.aim is not aim:
            return
        if at < len(found):
            await self._go_on(aim, found[at].part.followed_by(found[at].id))
        else:
            self._point(others[at - len(found)].id, None)

    # --- what is still missing

    async def _ask_order(self, aim: Aim) -> None:
        """Let the player choose an order without a target. Orders with few values have one choice for each value."""
        rows: list[tuple[PartialOrder, str]] = []
        for part in aim.others:
            values = await self._few_values(part)
            if values:
                rows += [
                    (part.followed_by(one), f"{self.called(part)}: {self._value_words(part, one)}") for one in values
                ]
            else:
                rows.append((part, self.called(part) + (" ..." if part.wanted is not None else "")))
        title = f"Order for {object_name(self.link.universe, aim.piece)}"
        at = await self.app.push_screen_wait(Find(title, [Choice(at, words) for at, (_, words) in enumerate(rows)]))
        if at is not None:
            await self._go_on(aim, rows[at][0])

    async def _few_values(self, part: PartialOrder) -> list[tp_pb2.OrderParameter]:
        """Return the values of the next parameter; none if there are too many for a list, or if they are unknown."""
        if part.wanted is None or part.wanted.type not in CHOICES:
            return []
        told = await self.link.legal.values(part)
        values = values_of(part, told) if told is not None else []
        return values if len(values) <= MOST_VALUES else []

    def _value_words(self, part: PartialOrder, value: tp_pb2.OrderParameter) -> str:
        assert part.wanted is not None
        facts = parameter_facts(self.link.universe, part.wanted, value)
        return parameter_words({key: one for key, one in facts.items() if key in ("value", "words", "offset")})

    async def _go_on(self, aim: Aim, part: PartialOrder) -> None:
        """Give an order, mark its next targets, list its next choices, or open its form."""
        if part.wanted is None:
            await self._give(aim, part)
            return
        if part.wanted.type == Kind.OBJECT:
            self._point(aim.piece, [part])
            return
        values = await self._few_values(part)
        told = await self.link.legal.values(part) if values else None
        if len(values) == 1 and told is not None and not told.free:
            await self._go_on(aim, part.followed_by(values[0]))
        elif values:
            rows = [Choice(at, self._value_words(part, one)) for at, one in enumerate(values)]
            at = await self.app.push_screen_wait(Find(self._wanted_words(part), rows))
            if at is not None:
                await self._go_on(aim, part.followed_by(values[at]))
        else:
            self.end_aim()
            carrier = self.link.universe.objects.get(part.carrier)
            if carrier is not None:
                await self.open_form(Draft(carrier, part.kind, chosen=part.chosen, piece=aim.piece))

    async def _give(self, aim: Aim, part: PartialOrder) -> None:
        carrier = self.link.universe.objects.get(part.carrier)
        if carrier is None:
            return
        told = await self.link.legal.values(part)
        try:
            order = await self.link.order(carrier, part.kind, part.arguments)
        except ClientError as error:
            self.say(spoken(error))
            return
        self.end_aim()
        doubt = f" But: {told.doubt}" if told is not None and told.doubt else ""
        self.gave(aim.piece, order_line(self.link.universe, order) + doubt)


def meant(name: str, things: Sequence[SpaceObject], place: int) -> list[SpaceObject]:
    """Return the likely objects among the fitting ones, when the player points at a place.

    These are objects with the name of the parameter, or else the place itself, or else all.
    """
    named = [thing for thing in things if _plain(thing.kind) == _plain(name)]
    return named or [thing for thing in things if thing.id == place] or list(things)


def _plain(words: str) -> str:
    return "".join(letter for letter in words.casefold() if letter.isalnum())
