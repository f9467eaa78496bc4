"""Orders and what takes them: the command orders, and orders in one line."""

from collections.abc import Sequence
from typing import Any

from tpproto import tp_pb2

from ..columns import counted, indented, shown
from ..names import find_carrier, holdings, object_name
from ..objects import SpaceObject
from ..parameters import parameter_facts, parameter_words, type_of
from ..universe import Universe
from .context import CommandContext
from .facts import object_facts, offer_facts


async def orders(context: CommandContext) -> int:
    """The queues with orders in them, or one queue and what it takes."""
    universe = await context.look()
    if context.options.object is not None:
        things = [find_carrier(universe, context.options.object)]
    else:
        things = [
            thing
            for thing in universe.where(lambda thing: True)
            if (queue := universe.queue_of(thing)) is not None and queue.num_orders
        ]
    facts, lines = [], []
    for thing in things:
        found = await context.connection.orders(thing.queue or thing.id)
        offers = universe.offers(thing)
        facts.append(
            {
                **object_facts(universe, thing),
                "orders": [order_facts(universe, order) for order in found],
                "takes": [offer_facts(offer) for offer in offers],
            }
        )
        lines += ["", *_queue_lines(universe, thing, found)]
        if context.options.object is not None and offers:
            lines += ["", "Takes", *indented(offer_lines(offers))]
    context.tell(facts, lines[1:] or ["No orders are queued."])
    return 0


def _queue_lines(universe: Universe, thing: SpaceObject, found: Sequence[tp_pb2.Order]) -> list[str]:
    held = holdings(universe, thing)
    lines = [shown(object_name(universe, thing.id) + (f", {held}" if held else ""))]
    rows = [f"{order.slot}  {order_line(universe, order)}" for order in found]
    return [*lines, *indented(rows or ["no orders"])]


def order_facts(universe: Universe, order: tp_pb2.Order) -> dict[str, Any]:
    """An order as data, its parameters with what limits them."""
    description = universe.order_descriptions.get(order.otype)
    parameters = description.parameters if description is not None else ()
    return {
        "object": order.id,
        "slot": order.slot,
        "type": description.name if description is not None else str(order.otype),
        "turns": order.turns,
        "parameters": [
            parameter_facts(universe, parameter, value)
            for parameter, value in zip(parameters, order.parameters, strict=False)
        ],
    }


def order_line(universe: Universe, order: tp_pb2.Order) -> str:
    """An order in one line: its type and parameters, and how long it takes if the server says so."""
    facts = order_facts(universe, order)
    values = [f"{one['name']} = {parameter_words(one)}" for one in facts["parameters"]]
    turns = f" (takes {counted(facts['turns'], 'turn')})" if facts["turns"] else ""
    return shown(f"{facts['type']}{': ' if values else ''}{'; '.join(values)}{turns}")


def offer_lines(offers: Sequence[tp_pb2.OrderDesc]) -> list[str]:
    """What an object takes: each order type with its description, its parameters below it."""
    lines = []
    for offer in offers:
        lines.append(shown(offer.name + (f": {offer.description}" if offer.description else "")))
        for parameter in offer.parameters:
            about = f"; {parameter.description}" if parameter.description else ""
            lines.append(shown(f"  {parameter.name}= {type_of(parameter).meaning}{about}"))
    return lines
