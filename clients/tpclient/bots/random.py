"""A bot that plays any game by trying: it knows no rules, only what the server describes.

It picks one of its objects that takes orders, one of the order types that the object's queue offers, and fills in the
parameters by their types: objects and players that it sees, places of objects, and for lists and numbers what a probe
of the order says can be chosen. What the server accepted before is tried more often.
"""

import random
from dataclasses import dataclass, field

from tpproto import tp_pb2

from ..errors import RequestFailed
from ..objects import SpaceObject
from ..orders import Kind, Value
from .play import Turn

MOST_QUESTIONS = 24
"""Orders and probes sent in one turn, accepted or not."""
MOST_ORDERS = 6
"""Orders wanted in one turn; how many is drawn anew each turn, from 1."""
MOST_OF_ONE = 100
"""No more than so many of a thing or steps of a number are chosen, even if more are allowed."""

ASKED = frozenset({Kind.TIME, Kind.RANGE, Kind.LIST, Kind.RESOURCE_LIST, Kind.QUANTITY_LIST})
"""Parameter types whose limits only an Order frame from the server tells; an order with one of them is probed first."""


@dataclass(slots=True)
class _Experience:
    """What is known of an object parameter of one order type."""

    kinds: set[str] = field(default_factory=set)
    """Kinds of object that were accepted."""
    allowed: frozenset[int] = frozenset()
    """Object types that the server says make sense; empty: all."""


class RandomPolicy:
    """Chooses at random among what objects offer; `give_orders` is what `play` calls each turn."""

    def __init__(self) -> None:
        self._experience: dict[tuple[int, str], _Experience] = {}

    async def give_orders(self, turn: Turn) -> None:
        """Give up to MOST_ORDERS orders with at most MOST_QUESTIONS questions."""
        universe, chance = turn.universe, turn.chance
        offers = [(thing, self._offers(turn, thing)) for thing in universe.own()]
        carriers = [(thing, offered) for thing, offered in offers if offered]
        wanted = chance.randint(1, MOST_ORDERS)
        questions = MOST_QUESTIONS
        while carriers and wanted and questions > 1:
            thing, offered = chance.choice(carriers)
            description = chance.choice(offered)
            arguments = self._arguments(turn, thing, description)
            if any(parameter.type in ASKED for parameter in description.parameters):
                questions -= 1
                probed = await turn.probe(thing.queue, description.name, arguments)
                if isinstance(probed, RequestFailed):
                    continue
                arguments |= _choices(chance, description, probed)
            questions -= 1
            result = await turn.order(thing.queue, description.name, arguments)
            if not isinstance(result, RequestFailed):
                wanted -= 1
                self._learn(turn, description, result)

    def _offers(self, turn: Turn, thing: SpaceObject) -> list[tp_pb2.OrderDesc]:
        """The order types that an object takes and whose parameters we can fill in."""
        known = {int(kind) for kind in Kind}
        return [one for one in turn.universe.offers(thing) if all(value.type in known for value in one.parameters)]

    def _arguments(self, turn: Turn, thing: SpaceObject, description: tp_pb2.OrderDesc) -> dict[str, Value]:
        arguments = {}
        for parameter in description.parameters:
            value = self._value(turn, thing, description.id, parameter)
            if value is not None:
                arguments[parameter.name] = value
        return arguments

    def _value(self, turn: Turn, thing: SpaceObject, order: int, parameter: tp_pb2.ParameterDesc) -> Value:
        """A value for one parameter; None for lists, which are left empty until their choices are known."""
        match parameter.type:
            case Kind.COORDINATES:
                return self._target(turn, order, parameter).position
            case Kind.OBJECT:
                return self._target(turn, order, parameter).id
            case Kind.RELATIVE_COORDINATES:
                return self._target(turn, order, parameter).id, (0, 0, 0)
            case Kind.PLAYER:
                return turn.chance.choice(sorted(turn.universe.players))
            case Kind.TIME | Kind.RANGE:
                return turn.chance.randint(0, 3)
            case Kind.STRING:
                return turn.chance.choice(("Alpha", "Beta", "Gamma"))
            case Kind.REFERENCE:
                return thing.id
        return None

    def _target(self, turn: Turn, order: int, parameter: tp_pb2.ParameterDesc) -> SpaceObject:
        """An object: three times out of four of a kind that was accepted before, if any was."""
        known = self._known(order, parameter.name)
        candidates = turn.universe.where(lambda thing: not known.allowed or thing.role in known.allowed)
        if known.kinds and turn.chance.randrange(4):
            candidates = [thing for thing in candidates if thing.kind in known.kinds] or candidates
        return turn.chance.choice(candidates or turn.universe.where(lambda thing: True))

    def _learn(self, turn: Turn, description: tp_pb2.OrderDesc, order: tp_pb2.Order) -> None:
        """Note what an accepted order says about its object parameters."""
        for parameter, value in zip(description.parameters, order.parameters, strict=False):
            if value.HasField("object"):
                known = self._known(description.id, parameter.name)
                known.allowed = frozenset(value.object.valid_types)
                target = turn.universe.objects.get(value.object.object_id)
                if target is not None:
                    known.kinds.add(target.kind)

    def _known(self, order: int, name: str) -> _Experience:
        return self._experience.setdefault((order, name), _Experience())


def _choices(chance: random.Random, description: tp_pb2.OrderDesc, probed: tp_pb2.Order) -> dict[str, Value]:
    """For each list and number of a probed order something of what it offers."""
    chosen: dict[str, Value] = {}
    for parameter, value in zip(description.parameters, probed.parameters, strict=False):
        if value.HasField("range"):
            low, high, step = value.range.min_value, value.range.max_value, max(1, value.range.increment)
            steps = max(0, high - low) // step
            chosen[parameter.name] = low + step * chance.randint(0, min(steps, MOST_OF_ONE))
        elif value.HasField("time"):
            chosen[parameter.name] = chance.randint(0, min(max(0, value.time.max_time), MOST_OF_ONE))
        elif parameter.type in ASKED:
            offered = _offered(value)
            picked = chance.sample(offered, chance.randint(1, len(offered))) if offered else []
            chosen[parameter.name] = {
                number: chance.randint(1, min(most, MOST_OF_ONE)) for number, most in sorted(picked)
            }
    return chosen


def _offered(value: tp_pb2.OrderParameter) -> list[tuple[int, int]]:
    """What a list parameter offers: ids, and how many of each may be chosen, at least 1."""
    if value.HasField("list"):
        offered = [(item.id, item.max_number) for item in value.list.possible_selections]
    elif value.HasField("resource_list"):
        offered = [(item.resource_id, item.maximum) for item in value.resource_list.allowed]
    else:
        possibles = value.quantity_list.possibles
        offered = [(item.id, 1 if item.maximum == -1 else item.maximum) for item in possibles]
    return [(number, most) for number, most in offered if most >= 1]
