"""What the parameters of an order may be, learnt from the answers to probes: nobody is given these orders.

A server tells the limits of parameters only with an order that it would take. So what is missing is made up, and for
objects several are tried, because what stands for nothing in particular is often refused.
"""

import asyncio
from collections.abc import Iterable, Mapping

from tpproto import tp_pb2

from ..errors import RequestFailed
from ..objects import SpaceObject
from ..parameters import ObjectType, Value, stand_ins, type_of
from .link import Link

MOST_KINDS = 8
"""So many objects are tried first, each of another type."""

MOST_OTHERS = 56
"""So many more are tried if none of those is taken, from all over the map."""


async def told_by_trial(
    link: Link, thing: SpaceObject, kind: tp_pb2.OrderDesc, values: Mapping[str, Value]
) -> tp_pb2.Order | None:
    """An order of `thing` that the server would take, with these values and what is missing made up; None if it takes
    none of those that were tried. Raises ClientError if the server cannot be asked."""
    missing = [one for one in kind.parameters if one.name not in values]
    anything = stand_ins(link.universe, thing, missing)
    objects = [one.name for one in missing if isinstance(type_of(one), ObjectType)]
    first = _of_each_type(link, thing) if objects else [thing.id]
    taken = await _first_taken(
        link, thing, kind, ({**anything, **dict.fromkeys(objects, one), **values} for one in first)
    )
    if taken is not None or not objects:
        return taken
    others = _spread([number for number in link.map.icon_of if number not in first])
    return await _first_taken(
        link, thing, kind, ({**anything, **dict.fromkeys(objects, one), **values} for one in others)
    )


def _of_each_type(link: Link, thing: SpaceObject) -> list[int]:
    """The thing itself and an object of each type, what is near it before what is anywhere."""
    universe = link.universe
    system = link.map.icon_of.get(thing.id, thing.id)
    near = [thing.id, system, *(one.id for one in universe.inside(system)), *link.map.icon_of]
    examples: dict[int, int] = {}
    for number in near:
        if number in universe.objects:
            examples.setdefault(universe.objects[number].role, number)
    return list(examples.values())[:MOST_KINDS]


def _spread(numbers: list[int]) -> list[int]:
    """At most so many of them, from the whole length of the list."""
    step = max(1, -(-len(numbers) // MOST_OTHERS))
    return numbers[::step]


async def _first_taken(
    link: Link, thing: SpaceObject, kind: tp_pb2.OrderDesc, trials: Iterable[Mapping[str, Value]]
) -> tp_pb2.Order | None:
    async def tried(values: Mapping[str, Value]) -> tp_pb2.Order | None:
        try:
            return await link.probe(thing.queue or thing.id, kind, values)
        except RequestFailed:
            return None

    answers = await asyncio.gather(*map(tried, trials))
    return next((order for order in answers if order is not None), None)
