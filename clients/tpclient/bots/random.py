"""A bot that plays any game by trying, from the server's descriptions.

It picks one of its objects that takes orders, and an order type from the object's queue. It fills in the parameters by
type, with objects and players that it sees, and with places of objects. For lists and numbers, it takes the choices
that a probe of the order returns.

From each response it learns what to try: order types, kinds of object, owners and distances, choices, and quantities.
It does not repeat a refused order within a turn.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TypeVar

from tpclient.address import Address
from tpclient.bots.play import Ending, Turn, play
from tpclient.errors import ClientError, RequestFailed
from tpclient.following import Game
from tpclient.objects import SpaceObject
from tpclient.parameters import (
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
from tpproto import tp_pb2
from tpproto.dialects import Dialect

T = TypeVar("T")

MOST_QUESTIONS = 40
"""Orders and probes sent in one turn, accepted or not."""
MOST_ORDERS = 8
"""Maximum orders in a turn. The number is drawn for each turn, from 1."""
MOST_DRAWS = 4 * MOST_QUESTIONS
"""Maximum planned orders in a turn. Orders that were refused in the turn are not sent again."""
MOST_OF_ONE = 100
"""Maximum of a choice, in things or in steps of a number, even if more are allowed."""
SINGLE_FIRST = 3
"""Odds of a single selection in a list over several, if all else is equal."""

Trait = tuple[Hashable, ...]
"""A property of an attempt by which it may resemble others: order, parameter, property, value."""
Pair = tuple[SpaceObject, tp_pb2.OrderDesc]


@dataclass(slots=True)
class _Draft:
    """A planned order: its arguments by parameter name, and the traits by which it will be remembered."""

    thing: SpaceObject
    description: tp_pb2.OrderDesc
    arguments: dict[str, Value] = field(default_factory=dict)
    traits: list[Trait] = field(default_factory=list)


class _Experience:
    """Counts of accepted attempts."""

    def __init__(self) -> None:
        self.tried: Counter[Trait] = Counter()
        self._accepted: Counter[Trait] = Counter()

    def note(self, traits: Sequence[Trait], accepted: bool) -> None:
        for trait in traits:
            self.tried[trait] += 1
            self._accepted[trait] += accepted

    def promise(self, trait: Trait, expected: float = 0.5) -> float:
        """Return the likely share of accepted attempts with this trait, above 0. `expected` counts as two attempts."""
        return (self._accepted[trait] + 2 * expected) / (self.tried[trait] + 2)


@dataclass(slots=True)
class _ThisTurn:
    """State of one turn only, because positions and refusals change."""

    turn: Turn
    refused: Counter[Trait] = field(default_factory=Counter)
    """Refusals by carrier and order, and by carrier, order, parameter and value."""
    sent: set[str] = field(default_factory=set)
    """The orders that were refused."""
    probed: dict[tuple[int, int], tp_pb2.Order] = field(default_factory=dict)
    """Probed orders by queue and order type, until an order is accepted. An accepted order can change the offers."""


class RandomPolicy:
    """Random choices among the offers of objects. `play` calls `give_orders` in each turn."""

    def __init__(self) -> None:
        self._experience = _Experience()
        self._allowed: dict[tuple[int, str], frozenset[int]] = {}
        """Order and object parameter -> the object types that the server allows, if it sends them."""
        self._failed_probes: Counter[int] = Counter()
        """Refused probes by order type, since the last accepted one."""

    async def give_orders(self, turn: Turn) -> None:
        """Give up to MOST_ORDERS orders with at most MOST_QUESTIONS questions."""
        chance, now = turn.chance, _ThisTurn(turn)
        pairs = [(thing, one) for thing in turn.universe.own() for one in _offers(turn, thing)]
        wanted = chance.randint(1, MOST_ORDERS)
        questions = MOST_QUESTIONS
        for _ in range(MOST_DRAWS):
            if not (pairs and wanted and questions > 1):
                return
            thing, description = pair = _drawn(chance, pairs, [self._hope(pair, now) for pair in pairs])
            order = self._filled_in(now, thing, description)
            if any(type_of(parameter).is_limited for parameter in description.parameters):
                probed = now.probed.get((thing.queue, description.id))
                if probed is None:
                    questions -= 1
                    answer = await turn.probe(thing.queue, description.name, order.arguments)
                    if isinstance(answer, RequestFailed):
                        self._failed_probes[description.id] += 1
                        self._refused(now, order)
                        continue
                    self._failed_probes[description.id] = 0
                    self._learn_types(description, answer)
                    probed = now.probed[thing.queue, description.id] = answer
                self._choose(now, order, probed)
            key = f"{thing.queue} {description.id} {order.arguments}"
            if key in now.sent:
                if not description.parameters:
                    pairs.remove(pair)
                continue
            questions -= 1
            result = await turn.order(thing.queue, description.name, order.arguments)
            if isinstance(result, RequestFailed):
                now.sent.add(key)
                self._refused(now, order)
            else:
                wanted -= 1
                now.probed.clear()
                self._experience.note([(description.id,), *order.traits], accepted=True)
                self._learn_types(description, result)

    # --- what to try

    def _hope(self, pair: Pair, now: _ThisTurn) -> float:
        """Return the promise of an order type for an object.

        It counts all experience, and the refusals of this turn.
        """
        thing, description = pair
        return self._experience.promise((description.id,)) / (1 + now.refused[thing.queue, description.id]) ** 2

    def _filled_in(self, now: _ThisTurn, thing: SpaceObject, description: tp_pb2.OrderDesc) -> _Draft:
        """Return an order without its probed arguments. Lists are empty and numbers guessed.

        If empty lists were refused, it names resources of the object at every other attempt.
        """
        draft, near = _Draft(thing, description), thing
        failed = self._failed_probes[description.id]
        for parameter in description.parameters:
            known = type_of(parameter)
            if isinstance(known, PlaceType):
                near = self._target(now, draft, near, parameter.name)
                value: Value = known.of_object(near)
            elif isinstance(known, PlayerType):
                value = self._player(now, draft, parameter.name)
            else:
                value = known.guess(now.turn.chance, thing, failed)
            if value is not None:
                draft.arguments[parameter.name] = value
        return draft

    def _target(self, now: _ThisTurn, draft: _Draft, near: SpaceObject, name: str) -> SpaceObject:
        """Return an object for the parameter of this name. Near objects and promising ones are more likely.

        The distance is to the previous object in the order, or to its carrier.
        """
        universe = now.turn.universe
        allowed = self._allowed.get((draft.description.id, name), frozenset())
        candidates = universe.where(lambda thing: not allowed or thing.role in allowed)
        candidates = candidates or universe.where(lambda thing: True)
        distances = {thing.id: _distance(near, thing) for thing in candidates}
        rings = {distance: ring for ring, distance in enumerate(sorted(set(distances.values())))}

        def traits(thing: SpaceObject) -> tuple[Trait, Trait, Trait]:
            """Return the traits of an object: its kind, its owner, and its relative position."""
            owner = "own" if thing.owner == universe.me else "foreign" if thing.owner else "free"
            way = tuple(there - here for there, here in zip(thing.position, near.position, strict=True))
            key = (draft.description.id, name)
            return (*key, "kind", thing.kind), (*key, "owner", owner), (*key, "way", way)

        weights = []
        for thing in candidates:
            kind, owner, way = traits(thing)
            weight = self._experience.promise(kind) * self._experience.promise(owner)
            weight *= self._experience.promise(way, expected=1 / (2 + rings[distances[thing.id]]))
            weights.append(weight / (1 + now.refused[draft.thing.queue, draft.description.id, name, thing.id]))
        target = _drawn(now.turn.chance, candidates, weights)
        draft.traits += traits(target)
        return target

    def _player(self, now: _ThisTurn, draft: _Draft, name: str) -> int:
        players = sorted(now.turn.universe.players)
        traits: list[Trait] = [(draft.description.id, name, "player", player) for player in players]
        index = _drawn(now.turn.chance, range(len(players)), [self._experience.promise(trait) for trait in traits])
        draft.traits.append(traits[index])
        return players[index]

    def _choose(self, now: _ThisTurn, draft: _Draft, probed: tp_pb2.Order) -> None:
        """Choose a value for each list and number of an order from the offers of the server."""
        for parameter, value in zip(draft.description.parameters, probed.parameters, strict=False):
            known = type_in(value)
            if isinstance(known, NumberType):
                low, high, step = known.bounds(value)
                number = _rather_small(now.turn.chance, max(0, high - low) // step)
                draft.arguments[parameter.name] = low + step * number
            elif isinstance(known, SelectionType):
                options = known.options(now.turn.universe, value)
                offered = {one.id: 1 if one.most < 0 else one.most for one in options if one.most}
                draft.arguments[parameter.name] = self._selection(now, draft, parameter.name, offered)

    def _selection(self, now: _ThisTurn, draft: _Draft, name: str, offered: Mapping[int, int]) -> dict[int, int]:
        """Return a selection of the offered items of a list, with numbers.

        The first attempt is a single item. The server decides whether several are possible.
        """
        if not offered:
            return {}
        chance, key = now.turn.chance, (draft.description.id, name)
        single, several = (*key, "size", "single"), (*key, "size", "several")
        size: Trait = single
        if single in self._experience.tried and (len(offered) > 1 or max(offered.values()) > 1):
            weights = [SINGLE_FIRST * self._experience.promise(single), self._experience.promise(several)]
            size = _drawn(chance, (single, several), weights)
        draft.traits.append(size)
        left = sorted(offered)
        count = 1 if size is single else chance.randint(1, len(left))
        selected = {}
        for _ in range(count):
            weights = [
                self._experience.promise((*key, "choice", number))
                / (1 + now.refused[draft.thing.queue, *key, number]) ** 2
                for number in left
            ]
            number = _drawn(chance, left, weights)
            left.remove(number)
            draft.traits.append((*key, "choice", number))
            most = min(offered[number], MOST_OF_ONE)
            selected[number] = 1 if size is single else 1 + _rather_small(chance, most - 1)
        return dict(sorted(selected.items()))

    # --- what came of it

    def _refused(self, now: _ThisTurn, draft: _Draft) -> None:
        key = (draft.thing.queue, draft.description.id)
        now.refused[key] += 1
        for name, value in draft.arguments.items():
            for one in value if isinstance(value, dict) else [value]:
                now.refused[*key, name, one] += 1
        self._experience.note([(draft.description.id,), *draft.traits], accepted=False)

    def _learn_types(self, description: tp_pb2.OrderDesc, order: tp_pb2.Order) -> None:
        """Note the object types that the server allows."""
        for parameter, value in zip(description.parameters, order.parameters, strict=False):
            known = type_in(value)
            if isinstance(known, ObjectType):
                self._allowed[description.id, parameter.name] = known.allowed(value)


def _offers(turn: Turn, thing: SpaceObject) -> list[tp_pb2.OrderDesc]:
    """Return the order types that an object takes and whose parameters have known types."""
    return [
        one
        for one in turn.universe.offers(thing)
        if not any(isinstance(type_of(parameter), UndefinedType) for parameter in one.parameters)
    ]


def _drawn(chance: random.Random, items: Sequence[T], weights: Sequence[float]) -> T:
    return chance.choices(items, weights)[0]


def _rather_small(chance: random.Random, most: int) -> int:
    """Return a random number from 0 to `most`, and at most MOST_OF_ONE. Small numbers are more likely."""
    return chance.randint(0, chance.randint(0, min(most, MOST_OF_ONE)))


def _distance(one: SpaceObject, other: SpaceObject) -> int:
    """Return the square of the distance between two objects."""
    return sum((there - here) ** 2 for there, here in zip(other.position, one.position, strict=True))


async def run_bots(
    address: Address,
    users: Sequence[str],
    password: str,
    seed: str = "",
    game: str = "",
    dialect: Dialect | None = None,
    timeout: float = 30.0,
    register: bool = False,
    tell: Callable[[str, Ending | ClientError], None] = lambda user, end: None,
) -> list[Ending | ClientError]:
    """Play with several bots until the game is over for each, and return their results in order.

    They log in one after the other, so that seats follow the order, and then play in parallel. Their players' numbers
    make them differ. If a bot cannot log in, the run ends with its ClientError before any has played. Later a bot that
    fails ends alone. `tell` is called when a bot has ended.
    """

    async def run(user: str, followed: Game) -> Ending | ClientError:
        end: Ending | ClientError
        try:
            end = await play(followed, RandomPolicy(), seed)
        except ClientError as error:
            end = error
        finally:
            await followed.close()
        tell(user, end)
        return end

    async with AsyncExitStack() as opened:
        games = []
        for user in users:
            one = await Game.open(address, user, password, game, dialect=dialect, timeout=timeout, register=register)
            games.append(await opened.enter_async_context(one))
        return await asyncio.gather(*map(run, users, games))
