"""A model of the client tpclient-pywx of 2007 to 2011, frame by frame.

It covers the versions 0.2, 0.3 and TP04. It was written from the behavior of those programs on the wire and in their
panels, not from their source. Each place where one of them would raise an error, wait forever, or return to its login
window is a failure with a sentence. `Lost` ends the session, and `faults` collects faults that only spoil a panel.

Some panels cannot work with any server: those for ranges never show theirs. There the model does what was meant.
Version 0.2 has no such panel, and leaves ranges as they are.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from google.protobuf.message import Message
from pywx_cache import OWN, Cache, Version
from pywx_views import Fault, Map, Things, drawn, home_of, panel_faults, unusable_object_type, unusable_order_type
from pywx_wire import Link, Lost, Wire

from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03

COORDINATES, TIME, OBJECT, PLAYER, RELATIVE, RANGE, LIST, STRING = range(8)

MOST_SHORT = 6
"""Orders that every queue of every game has room for."""

Arguments = Mapping[str, Any]
"""The user's choice by the name of the parameter: a number, or [[id, number], ...] in a list."""


class User(Protocol):
    """The user at the screen, who knows the legal orders, or does not."""

    def legal(self, queue: int, name: str) -> Sequence[Arguments]:
        """Return legal choices for an order of this name that is put at the end of a queue; none if none is known."""
        ...


class Novice:
    """A user who knows no rule."""

    def legal(self, queue: int, name: str) -> Sequence[Arguments]:
        return ()


@dataclass
class Tally:
    """The results of a client's orders."""

    tried: int = 0
    """Orders inserted, with default values or with chosen ones."""
    refused: int = 0
    """Chosen ones that the game does not allow."""
    taken: int = 0
    """Chosen ones that it has taken."""
    faults: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        if text not in self.faults:
            self.faults.append(text)


def unchosen(kind: int) -> tp.OrderParameter:
    """Return the value of a parameter in a new order, before its user has chosen anything."""
    made = tp.OrderParameter
    values = {
        COORDINATES: made(coordinates=tp.Vector()),
        TIME: made(time=tp.OrderTime()),
        OBJECT: made(object=tp.OrderObject()),
        PLAYER: made(player=tp.OrderPlayer()),
        RELATIVE: made(relative_coordinates=tp.OrderRelativeCoordinates(pos=tp.Vector())),
        RANGE: made(range=tp.OrderRange(value=-1, min_value=-1, max_value=-1, increment=-1)),
        LIST: made(list=tp.OrderList()),
        STRING: made(string=tp.OrderString()),
    }
    if kind not in values:
        raise Lost(f"it cannot make a new order with a parameter of type {kind}")
    return values[kind]


class Client:
    """One running client. ``chance`` decides what its user does where there is a choice."""

    def __init__(self, link: Link, version: Version, user: User | None = None, seed: str = "") -> None:
        self.version = version
        self.user = user or Novice()
        self.chance = random.Random(f"{version.name} {seed}")
        self.tally = Tally()
        self.wire = Wire(link, version.dialect, self._described)
        self.cache = Cache(self.wire, version)
        self.computing = False
        self.map = Map()

    @property
    def classic(self) -> bool:
        return self.version.dialect is TP03

    def _described(self, description: Message) -> None:
        problems: Iterator[str] = iter(())
        if isinstance(description, tp.OrderDesc):
            problems = unusable_order_type(description, self.classic)
        elif isinstance(description, tp.ObjectDesc):
            problems = unusable_object_type(description)
        for problem in problems:
            self.tally.fault(problem)

    # --- connecting -------------------------------------------------------------------------------------------------

    def enter(self, name: str, password: str = "secret") -> None:
        """Connect, make an account if there is none, and log in; ``name`` is user@game."""
        if isinstance(answer := self.wire.okay("connect", tp.Connect(client="a client of ours")), tp.Fail):
            raise Lost(f"this is no server of its kind: {answer.result}")
        if isinstance(answer := self.wire.single("get_features", "features"), tp.Fail):
            raise Lost(f"the features are refused: {answer.result}")
        if not self.version.oldest:
            games = self.wire.games()
            if not self.classic and (isinstance(games, tp.Fail) or not games):
                raise Lost("there is no first game, whose time of creation names the file of its cache")
        login = tp.Login(username=name, password=password)
        if isinstance(self.wire.okay("login", login), tp.Fail):
            self.wire.okay("create_account", tp.CreateAccount(username=name.partition("@")[0], password=password))
            if isinstance(answer := self.wire.okay("login", login), tp.Fail):
                raise Lost(f"the login is refused: {answer.result}")

    def update(self) -> Map:
        """Bring the cache up to date and build all panels and overlays from it."""
        self.cache.update()
        if not self.classic:
            self._ask_for_time()
        return self.look()

    def look(self) -> Map:
        """Build all panels and overlays from the cache."""
        self.map = drawn(self.cache)
        for order in [order for orders in self.cache.orders.values() for order in orders]:
            self._show(order)
        for fault in (*panel_faults(self.cache), *self.map.faults):
            self.tally.fault(fault)
        return self.map

    def look_for_home(self) -> None:
        """Show the player's home, as the map does first of all."""
        if not list(home_of(self.cache)):
            self.tally.fault("map: no own object has a resource named Home Planet")

    # --- time -------------------------------------------------------------------------------------------------------

    def _ask_for_time(self) -> None:
        answer = self.wire.single("get_time_remaining", "time_remaining")
        if isinstance(answer, tp.Fail):
            raise Lost(f"the time that is left is refused: {answer.result}")
        self.wire.times.append(answer)

    def finish(self) -> None:
        """Say that the turn is finished; version 0.2 does not know how, and waits for the end of the turn."""
        if self.version.oldest:
            return
        if isinstance(answer := self.wire.okay("finished_turn"), tp.Fail):
            self.tally.fault(f"the end of the turn cannot be asked for: {answer.result}")
        elif not self.classic:
            self._ask_for_time()

    def turn_has_begun(self) -> bool:
        """Look at the times that have come unasked: after one of 0 seconds, another says that a new turn has begun."""
        begun = False
        while self.wire.times:
            told = self.wire.times.popleft()
            if told.time == 0:
                self.computing = True
            elif self.computing:
                self.computing = False
                begun = True
        return begun

    def wait_for_turn(self) -> None:
        while not self.turn_has_begun():
            self.wire.pump()

    # --- boards -----------------------------------------------------------------------------------------------------

    def read_messages(self) -> None:
        """Show the first message and remove it, as a tidy reader does."""
        messages = self.cache.messages.get(OWN, [])
        if not messages:
            return
        slot = self.chance.randrange(len(messages))
        answer = self.wire.slots("message", OWN, [slot])
        if isinstance(answer, tp.Fail) or isinstance(answer[0], tp.Fail) or answer[0] != messages[slot]:
            self.tally.fault(f"message {slot} of the own board is not what it was when it was downloaded")
        removed = self.wire.things("okay", self.wire.send("remove_message", tp.GetWithIDSlot(id=OWN, slots=[slot])))
        if isinstance(removed, tp.Fail) or isinstance(removed[0], tp.Fail):
            raise Lost(f"message {slot} of the own board cannot be removed: it falls back to its log-in window")
        del messages[slot]

    # --- orders -----------------------------------------------------------------------------------------------------

    def offers(self) -> Iterator[tuple[int, int, int]]:
        """Return (object, queue, order type) for all that the order panel offers, as far as it can be shown."""
        things = Things(self.cache)
        for number in sorted(self.cache.objects):
            try:
                for queue in things.queues(number):
                    for otype in things.order_types(queue):
                        if otype in self.cache.order_types:
                            yield number, queue, otype
            except Fault:
                continue  # `look` has told of it

    def order(self, queue: int, otype: int, keep: bool = False) -> bool:
        """Make a new order with default values, change it to something legal, and remove it if it is not to be kept.

        Returns whether it was kept. An order that the game cannot allow now is refused when it is changed.
        """
        description = self.cache.order_types[otype]
        if not self._has_room(queue, 1) or not self._insert_new(queue, otype):
            return False
        slot = len(self.cache.orders[queue]) - 1
        if self.version.oldest and any(one.type == RANGE for one in description.parameters):
            self._remove(queue, [slot])  # this version has no panel for them
            return False
        legal = self.user.legal(queue, description.name)
        wanted = self.chance.choice(legal) if legal else None
        draft = self.cache.orders[queue][slot]
        changed = self._from_panel(draft, wanted)
        if changed is None:
            self._remove(queue, [slot])
            return False
        if not self._change(queue, slot, changed, known_as_legal=wanted is not None):
            return False
        if not keep or wanted is None:
            self._remove(queue, [slot])
            return False
        return True

    def order_in_the_middle(self, queue: int, otype: int) -> None:
        """Insert new orders after and before a selected one, and remove all three at once, the last slot first."""
        first = len(self.cache.orders[queue])
        if not self._has_room(queue, 3) or not self._insert_new(queue, otype):
            return
        if self._insert_new(queue, otype, first + 1) and self._insert_new(queue, otype, first):
            self._remove(queue, [first + 2, first + 1, first])

    def leave_draft(self, queue: int, otype: int) -> None:
        """Insert a new order and forget to change it."""
        if self._has_room(queue, 1):
            self._insert_new(queue, otype)

    def _has_room(self, queue: int, wanted: int) -> bool:
        """Return True if that many orders still fit. TP03 does not have the maximum length of a queue."""
        most = MOST_SHORT if self.classic else self.cache.queues[queue].max_slots
        return len(self.cache.orders[queue]) + wanted <= most

    def _insert_new(self, queue: int, otype: int, slot: int | None = None) -> bool:
        description = self.cache.order_types[otype]
        new = tp.Order(otype=otype, parameters=[unchosen(one.type) for one in description.parameters])
        where = len(self.cache.orders[queue]) if slot is None else slot
        refusal = self._insert(queue, where, new)
        if refusal:
            if description.parameters:
                self.tally.fault(f"a new {description.name} is refused, and the client thrown out: {refusal}")
            else:
                self.tally.refused += 1  # nothing is left to be chosen: what is refused is the order itself
        return not refusal

    def _insert(self, queue: int, slot: int, order: tp.Order) -> str:
        """Insert an order and read it back; return why it is refused, if it is."""
        self.tally.tried += 1
        order.id, order.slot = queue, slot
        answer = self.wire.single("order_insert", "okay" if self.classic else "order", order)
        if isinstance(answer, tp.Fail):
            return str(answer.result)
        back = self.wire.slots("order", queue, [slot])
        if isinstance(back, tp.Fail) or isinstance(back[0], tp.Fail):
            raise Lost(f"the order just inserted in slot {slot} of queue {queue} cannot be read back")
        read = back[0]
        if (read.id, read.slot, read.otype) != (queue, slot, order.otype):
            raise Lost(f"slot {slot} of queue {queue} has another order than was inserted there")
        self.cache.orders[queue].insert(slot, read)
        self._show(read)
        return ""

    def _change(self, queue: int, slot: int, changed: tp.Order, known_as_legal: bool) -> bool:
        """Replace an order: remove it, insert another in its place, read that back. Returns whether it is taken."""
        self._remove(queue, [slot])
        refusal = self._insert(queue, slot, changed)
        name = self.cache.order_types[changed.otype].name
        if refusal:
            if known_as_legal:
                self.tally.fault(f"a legal {name} is refused when the new one is changed to it: {refusal}")
            else:
                self.tally.refused += 1
            return False
        self.tally.taken += 1
        read = self.cache.orders[queue][slot]
        for mine, told in zip(changed.parameters, read.parameters, strict=True):
            if _chosen(mine) != _chosen(told):
                self.tally.fault(f"{name} is read back with {_chosen(told)} where {_chosen(mine)} was chosen")
        return True

    def _remove(self, queue: int, slots: list[int]) -> None:
        answer = self.wire.things("okay", self.wire.send("remove_order", tp.GetWithIDSlot(id=queue, slots=slots)))
        for one in [answer] if isinstance(answer, tp.Fail) else answer:
            if isinstance(one, tp.Fail):
                raise Lost(f"the orders in slots {slots} of queue {queue} cannot be removed: {one.result}")
        for slot in slots:
            del self.cache.orders[queue][slot]

    # --- the panel of an order --------------------------------------------------------------------------------------

    def _show(self, order: tp.Order) -> None:
        """Build the panel of an order that was read, and the path of its object."""
        name = self.cache.order_types[order.otype].name
        for parameter in order.parameters:
            kind = parameter.WhichOneof("value")
            if kind == "list":
                offered = {one.id for one in parameter.list.possible_selections}
                if gone := [one.id for one in parameter.list.selection if one.id not in offered]:
                    self.tally.fault(f"panel: {name} has {gone} selected, which is not among what is possible")
            elif kind == "range":
                span = parameter.range
                if not span.min_value <= span.value <= span.max_value or span.increment < 1:
                    self.tally.fault(f"panel: {name} has a range that cannot be set: {' '.join(str(span).split())}")
            elif kind == "object" and parameter.object.object_id not in self.cache.objects:
                self.tally.fault(f"map: the path of {name} leads to an object that does not exist")

    def _from_panel(self, shown: tp.Order, wanted: Arguments | None) -> tp.Order | None:
        """Return the order as its panel gives it back, with what the user chose; None if there is nothing to choose."""
        described = self.cache.order_types[shown.otype].parameters
        made = tp.Order(otype=shown.otype)
        for one, parameter in zip(described, shown.parameters, strict=True):
            choice = self._something(parameter) if wanted is None else wanted[one.name]
            if choice is None:
                return None
            if wanted is not None and not self._can_be_chosen(parameter, choice):
                name = self.cache.order_types[shown.otype].name
                self.tally.fault(f"panel: {name} does not let {one.name} be {choice}, which is legal")
            made.parameters.append(self._with_choice(parameter, choice))
        return made

    def _something(self, parameter: tp.OrderParameter) -> Any:
        """Return a random choice of a user without knowledge of the rules, or None if there is nothing to choose."""
        match parameter.WhichOneof("value"):
            case "list":
                offered = list(parameter.list.possible_selections)
                return [[self.chance.choice(offered).id, 1]] if offered else None
            case "object":
                valid = parameter.object.valid_types
                fits = [number for number, one in self.cache.objects.items() if not valid or one.otype in valid]
                return self.chance.choice(fits) if fits else None
            case "range":
                return self.chance.choice((parameter.range.min_value, parameter.range.max_value))
            case "time":
                return 1
            case "coordinates":
                at = self.chance.choice(Things(self.cache).positions(self.chance.choice(list(self.cache.objects))))
                return list(at)
            case "player":
                return self.cache.me
            case "string":
                return "words"
        return 0

    def _can_be_chosen(self, parameter: tp.OrderParameter, choice: Any) -> bool:
        """Return whether the panel of a parameter offers this."""
        match parameter.WhichOneof("value"):
            case "list":
                most = {one.id: one.max_number for one in parameter.list.possible_selections}
                return all(number in most and count <= most[number] for number, count in choice)
            case "object":
                valid = parameter.object.valid_types
                thing = self.cache.objects.get(choice)
                return thing is not None and (not valid or thing.otype in valid)
            case "range":
                return bool(parameter.range.min_value <= choice <= parameter.range.max_value)
        return True

    def _with_choice(self, parameter: tp.OrderParameter, choice: Any) -> tp.OrderParameter:
        """Return a parameter as its panel gives it back: lists with all that is possible, objects without types."""
        made = tp.OrderParameter
        match parameter.WhichOneof("value"):
            case "list":
                possible = [] if self.version.oldest else parameter.list.possible_selections
                selection = [tp.Selection(id=number, number=count) for number, count in choice]
                return made(list=tp.OrderList(possible_selections=possible, selection=selection))
            case "object":
                return made(object=tp.OrderObject(object_id=choice))
            case "range":
                span = tp.OrderRange()
                span.CopyFrom(parameter.range)
                span.value = choice
                return made(range=span)
            case "time":
                most = 0 if self.version.oldest else parameter.time.max_time
                return made(time=tp.OrderTime(turns=choice, max_time=most))
            case "coordinates":
                return made(coordinates=tp.Vector(x=choice[0], y=choice[1], z=choice[2]))
            case "player":
                return made(player=tp.OrderPlayer(player_id=choice, mask=parameter.player.mask))
            case "string":
                most = 0 if self.version.oldest else parameter.string.max_length
                return made(string=tp.OrderString(max_length=most, string=choice))
        return parameter


def _chosen(parameter: tp.OrderParameter) -> Any:
    """Return what is chosen in a parameter, without what is possible."""
    kind = parameter.WhichOneof("value")
    match kind:
        case "list":
            return sorted((one.id, one.number) for one in parameter.list.selection)
        case "object":
            return parameter.object.object_id
        case "range":
            return parameter.range.value
        case "time":
            return parameter.time.turns
        case "string":
            return parameter.string.string
    return getattr(parameter, kind).SerializeToString() if kind else None
