"""A bot that plays any game by trying: it knows no rules, only what the server describes.

It picks one of its objects that takes orders, one of the order types that the object's queue offers, and fills in the
parameters by their types: objects and players that it sees, places of objects, and for lists and numbers what a probe
of the order says can be chosen. From every answer it learns what is worth trying: which types of order, which kinds of
object, whose, and how far away, which choices, and how many at once. What was refused is not asked again in a turn.
"""

import random
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tpproto import tp_pb2

from ..errors import RequestFailed
from ..objects import SpaceObject
from ..parameters import (
    NumberType,
    ObjectType,
    PlaceType,
    PlayerType,
    SelectionType,
    UndefinedType,
    Value,
    type_in,
    type_of,
)
from .play import Turn

T = TypeVar("T")

MOST_QUESTIONS = 40
"""Orders and probes sent in one turn, accepted or not."""
MOST_ORDERS = 8
"""Orders wanted in one turn; how many is drawn anew each turn, from 1."""
MOST_DRAWS = 4 * MOST_QUESTIONS
"""Orders thought of in one turn; those that were refused in it already are not sent."""
MOST_OF_ONE = 100
"""No more than so many of a thing or steps of a number are chosen, even if more are allowed."""
SINGLE_FIRST = 3
"""How many times likelier a list gets one selection than several, other things being equal."""

Trait = tuple[Hashable, ...]
"""Something that can be said of an attempt, and by which it may resemble others: order, parameter, what, which."""
Pair = tuple[SpaceObject, tp_pb2.OrderDesc]


@dataclass(slots=True)
class _Draft:
    """An order that is thought of: its arguments by parameter name, and the traits by which it will be remembered."""

    arguments: dict[str, Value] = field(default_factory=dict)
    traits: list[Trait] = field(default_factory=list)


class _Experience:
    """How often what was tried was accepted."""

    def __init__(self) -> None:
        self._tried: Counter[Trait] = Counter()
        self._accepted: Counter[Trait] = Counter()

    def note(self, traits: Sequence[Trait], accepted: bool) -> None:
        for trait in traits:
            self._tried[trait] += 1
            self._accepted[trait] += accepted

    def promise(self, trait: Trait, expected: float = 0.5) -> float:
        """The share of attempts with this trait to be accepted, above 0; `expected` counts as two attempts."""
        return (self._accepted[trait] + 2 * expected) / (self._tried[trait] + 2)

    def has_tried(self, trait: Trait) -> bool:
        return trait in self._tried


@dataclass(slots=True)
class _ThisTurn:
    """What counts for one turn only: positions change, and so does what is refused."""

    refused: Counter[Trait] = field(default_factory=Counter)
    """Refusals by carrier and order, and by carrier, order, parameter and value."""
    sent: set[str] = field(default_factory=set)
    """The orders that were refused."""
    probed: dict[tuple[int, int], tp_pb2.Order] = field(default_factory=dict)
    """By queue and order type, until an order is accepted: what was planned can change what is offered."""


class RandomPolicy:
    """Chooses at random among what objects offer; `give_orders` is what `play` calls each turn."""

    def __init__(self) -> None:
        self._experience = _Experience()
        self._allowed: dict[tuple[int, str], frozenset[int]] = {}
        """By order and object parameter: the object types that the server says make sense, if it says so."""
        self._failed_probes: Counter[int] = Counter()
        """By order type, since the last that was answered."""

    async def give_orders(self, turn: Turn) -> None:
        """Give up to MOST_ORDERS orders with at most MOST_QUESTIONS questions."""
        chance, now = turn.chance, _ThisTurn()
        pairs = [(thing, one) for thing in turn.universe.own() for one in _offers(turn, thing)]
        wanted = chance.randint(1, MOST_ORDERS)
        questions = MOST_QUESTIONS
        for _ in range(MOST_DRAWS):
            if not (pairs and wanted and questions > 1):
                return
            thing, description = pair = _drawn(chance, pairs, [self._hope(pair, now) for pair in pairs])
            order = self._filled_in(turn, now, thing, description)
            if any(type_of(parameter).is_limited for parameter in description.parameters):
                probed = now.probed.get((thing.queue, description.id))
                if probed is None:
                    questions -= 1
                    answer = await turn.probe(thing.queue, description.name, order.arguments)
                    if isinstance(answer, RequestFailed):
                        self._failed_probes[description.id] += 1
                        self._refused(now, pair, order)
                        continue
                    self._failed_probes[description.id] = 0
                    self._learn_types(description, answer)
                    probed = now.probed[thing.queue, description.id] = answer
                self._choose(turn, now, pair, probed, order)
            key = f"{thing.queue} {description.id} {order.arguments}"
            if key in now.sent:
                if not description.parameters:
                    pairs.remove(pair)
                continue
            questions -= 1
            result = await turn.order(thing.queue, description.name, order.arguments)
            if isinstance(result, RequestFailed):
                now.sent.add(key)
                self._refused(now, pair, order)
            else:
                wanted -= 1
                now.probed.clear()
                self._experience.note([(description.id,), *order.traits], accepted=True)
                self._learn_types(description, result)

    # --- what to try

    def _hope(self, pair: Pair, now: _ThisTurn) -> float:
        """How promising an order type is for an object: by all that is known, and by the refusals of this turn."""
        thing, description = pair
        return self._experience.promise((description.id,)) / (1 + now.refused[thing.queue, description.id]) ** 2

    def _filled_in(self, turn: Turn, now: _ThisTurn, thing: SpaceObject, description: tp_pb2.OrderDesc) -> _Draft:
        """An order with arguments that need no probe; lists are left empty, numbers guessed, until it is probed.

        Where empty lists were refused, every other time resources that the object has are named at once.
        """
        draft, near = _Draft(), thing
        failed = self._failed_probes[description.id]
        for parameter in description.parameters:
            known = type_of(parameter)
            if isinstance(known, PlaceType):
                near = self._target(turn, now, thing, near, description, parameter, draft)
                value: Value = known.of_object(near)
            elif isinstance(known, PlayerType):
                value = self._player(turn, description, parameter, draft)
            else:
                value = known.guess(turn.chance, thing, failed)
            if value is not None:
                draft.arguments[parameter.name] = value
        return draft

    def _target(
        self,
        turn: Turn,
        now: _ThisTurn,
        carrier: SpaceObject,
        near: SpaceObject,
        description: tp_pb2.OrderDesc,
        parameter: tp_pb2.ParameterDesc,
        draft: _Draft,
    ) -> SpaceObject:
        """An object: rather near than far, and rather like those that were accepted.

        Near to what the order named before, or to its carrier.
        """
        allowed = self._allowed.get((description.id, parameter.name), frozenset())
        candidates = turn.universe.where(lambda thing: not allowed or thing.role in allowed)
        candidates = candidates or turn.universe.where(lambda thing: True)
        distances = {thing.id: _distance(near, thing) for thing in candidates}
        rings = {distance: ring for ring, distance in enumerate(sorted(set(distances.values())))}
        weights = []
        for thing in candidates:
            kind, owner, way = self._traits(turn, near, description, parameter, thing)
            weight = self._experience.promise(kind) * self._experience.promise(owner)
            weight *= self._experience.promise(way, expected=1 / (2 + rings[distances[thing.id]]))
            refusals = now.refused[carrier.queue, description.id, parameter.name, thing.id]
            weights.append(weight / (1 + refusals))
        target = _drawn(turn.chance, candidates, weights)
        draft.traits += self._traits(turn, near, description, parameter, target)
        return target

    def _traits(
        self,
        turn: Turn,
        near: SpaceObject,
        description: tp_pb2.OrderDesc,
        parameter: tp_pb2.ParameterDesc,
        thing: SpaceObject,
    ) -> tuple[Trait, Trait, Trait]:
        """By what one object resembles another: its kind, whose it is, and the way there."""
        owner = "own" if thing.owner == turn.universe.me else "foreign" if thing.owner else "free"
        way = tuple(there - here for there, here in zip(thing.position, near.position, strict=True))
        key = (description.id, parameter.name)
        return (*key, "kind", thing.kind), (*key, "owner", owner), (*key, "way", way)

    def _player(self, turn: Turn, description: tp_pb2.OrderDesc, parameter: tp_pb2.ParameterDesc, draft: _Draft) -> int:
        players = sorted(turn.universe.players)
        traits: list[Trait] = [(description.id, parameter.name, "player", player) for player in players]
        index = _drawn(turn.chance, range(len(players)), [self._experience.promise(trait) for trait in traits])
        draft.traits.append(traits[index])
        return players[index]

    def _choose(self, turn: Turn, now: _ThisTurn, pair: Pair, probed: tp_pb2.Order, draft: _Draft) -> None:
        """Fill in each list and number of an order with something of what the server offers."""
        chance, description = turn.chance, pair[1]
        for parameter, value in zip(description.parameters, probed.parameters, strict=False):
            known = type_in(value)
            if isinstance(known, NumberType):
                low, high, step = known.bounds(value)
                draft.arguments[parameter.name] = low + step * _rather_small(chance, max(0, high - low) // step)
            elif isinstance(known, SelectionType):
                options = known.options(turn.universe, value)
                offered = {one.id: 1 if one.most < 0 else one.most for one in options if one.most}
                draft.arguments[parameter.name] = self._selection(chance, now, pair, parameter, offered, draft)

    def _selection(
        self,
        chance: random.Random,
        now: _ThisTurn,
        pair: Pair,
        parameter: tp_pb2.ParameterDesc,
        offered: Mapping[int, int],
        draft: _Draft,
    ) -> dict[int, int]:
        """What to select in a list of which so many of each are offered, and how many of each.

        The first attempt is a single one of a single thing; whether several will do is for the server to say.
        """
        thing, description = pair
        if not offered:
            return {}
        key = (description.id, parameter.name)
        single, several = (*key, "size", "single"), (*key, "size", "several")
        size: Trait = single
        if self._experience.has_tried(single) and (len(offered) > 1 or max(offered.values()) > 1):
            weights = [SINGLE_FIRST * self._experience.promise(single), self._experience.promise(several)]
            size = _drawn(chance, (single, several), weights)
        draft.traits.append(size)
        left = sorted(offered)
        count = 1 if size is single else chance.randint(1, len(left))
        selected = {}
        for _ in range(count):
            weights = [
                self._experience.promise((*key, "choice", number))
                / (1 + now.refused[thing.queue, description.id, parameter.name, number]) ** 2
                for number in left
            ]
            number = _drawn(chance, left, weights)
            left.remove(number)
            draft.traits.append((*key, "choice", number))
            most = min(offered[number], MOST_OF_ONE)
            selected[number] = 1 if size is single else 1 + _rather_small(chance, most - 1)
        return dict(sorted(selected.items()))

    # --- what came of it

    def _refused(self, now: _ThisTurn, pair: Pair, order: _Draft) -> None:
        thing, description = pair
        now.refused[thing.queue, description.id] += 1
        for name, value in order.arguments.items():
            for one in value if isinstance(value, dict) else [value]:
                now.refused[thing.queue, description.id, name, one] += 1
        self._experience.note([(description.id,), *order.traits], accepted=False)

    def _learn_types(self, description: tp_pb2.OrderDesc, order: tp_pb2.Order) -> None:
        """Note which object types the server says make sense."""
        for parameter, value in zip(description.parameters, order.parameters, strict=False):
            known = type_in(value)
            if isinstance(known, ObjectType):
                self._allowed[description.id, parameter.name] = known.allowed(value)


def _offers(turn: Turn, thing: SpaceObject) -> list[tp_pb2.OrderDesc]:
    """The order types that an object takes and whose parameters we can fill in."""
    return [
        one
        for one in turn.universe.offers(thing)
        if not any(isinstance(type_of(parameter), UndefinedType) for parameter in one.parameters)
    ]


def _drawn(chance: random.Random, items: Sequence[T], weights: Sequence[float]) -> T:
    return chance.choices(items, weights)[0]


def _rather_small(chance: random.Random, most: int) -> int:
    """A number from 0 to `most`, and to MOST_OF_ONE; small ones are likelier."""
    return chance.randint(0, chance.randint(0, min(most, MOST_OF_ONE)))


def _distance(one: SpaceObject, other: SpaceObject) -> int:
    """The square of the distance between two objects."""
    return sum((there - here) ** 2 for there, here in zip(other.position, one.position, strict=True))
