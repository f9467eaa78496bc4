"""The commands for orders: orders, order add, order probe, order remove."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tpclient.columns import counted, indented, listed, shown, table
from tpclient.errors import BadArgument, RequestFailed, UnknownName
from tpclient.names import find_carrier, find_parameter, find_type, holdings, object_name, order_name, parameter_name
from tpclient.objects import SpaceObject
from tpclient.orders import APPEND
from tpclient.parameters import SelectionType, Value, limit, parse, stand_ins, type_in, type_of
from tpclient.plain.context import CommandContext
from tpclient.plain.facts import object_facts, offer_facts, offer_lines, order_facts, order_line
from tpclient.universe import Universe
from tpproto import tp_pb2


async def orders(context: CommandContext) -> int:
    """List the queues with orders, or one queue and the orders that it takes."""
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
                "takes": [offer_facts(universe, offer) for offer in offers],
            }
        )
        held = holdings(universe, thing)
        rows = [f"{order.slot}  {order_line(universe, order)}" for order in found]
        lines += ["", shown(object_name(universe, thing.id) + (f", {held}" if held else ""))]
        lines += indented(rows or ["no orders"])
        if context.options.object is not None and offers:
            lines += ["", "Takes", *indented(offer_lines(universe, offers))]
    context.tell(facts, lines[1:] or ["No orders are queued."])
    return 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A typed order: its queue, its type, and the values that can be read without the server."""

    thing: SpaceObject
    description: tp_pb2.OrderDesc
    texts: dict[str, list[str]]
    values: dict[str, Value]

    @property
    def queue(self) -> int:
        """The id of the order queue. If the player cannot see one, the server refuses the order."""
        return self.thing.queue or self.thing.id

    def lists(self) -> list[tp_pb2.ParameterDesc]:
        """Return the parameters whose choices a probe must find."""
        return [one for one in self.description.parameters if isinstance(type_of(one), SelectionType)]


async def add(context: CommandContext) -> int:
    """Insert an order into a queue. If a list is missing, show its possible choices."""
    draft = await _typed(context)
    universe, connection = context.universe, context.connection
    values, probed = await _chosen(context, draft)
    missing = [one for one in draft.lists() if one.name not in draft.texts]
    if missing:
        raise BadArgument(_needs(universe, draft.description, missing, probed))
    order = await connection.insert_order(draft.queue, draft.description, values, context.options.slot)
    if order.slot < 0:  # TP03 does not send the slot; in some games the order has already run
        queued = await connection.orders(draft.queue)
        order = queued[-1] if queued else order
    facts = {**order_facts(universe, order), "inserted": True}
    slot = f", order {order.slot}" if order.slot >= 0 else ""
    name = shown(object_name(universe, draft.thing.id))
    context.tell(facts, [f"{name}{slot}: {order_line(universe, order)}"])
    return 0


async def probe(context: CommandContext) -> int:
    """Probe an order without giving it, and show the possible choices."""
    draft = await _typed(context)
    universe = context.universe
    values, _ = await _chosen(context, draft)
    order = await _probed(context, draft, values)
    facts = {**order_facts(universe, order), "inserted": False}
    lines = [f"{shown(object_name(universe, draft.thing.id))}: {order_line(universe, order)}"]
    for parameter, value in zip(draft.description.parameters, order.parameters, strict=False):
        lines += _limits(universe, parameter_name(universe, draft.description, parameter), value)
    context.tell(facts, [*lines, "Not given, only probed."])
    return 0


async def remove(context: CommandContext) -> int:
    """Remove orders from a queue, by their slots or all of them."""
    universe, options = await context.look(), context.options
    thing = find_carrier(universe, options.object)
    queue = thing.queue or thing.id
    if options.all == bool(options.slots):
        raise BadArgument("Say which orders are to go: their slots, as `tpclient orders` shows them, or --all.")
    slots = range(len(await context.connection.orders(queue))) if options.all else options.slots
    if slots:
        # The highest slot first, so that no order moves before its removal.
        await context.connection.remove_order(queue, *sorted(set(slots), reverse=True))
    left = await context.connection.orders(queue)
    facts = {"object": thing.id, "removed": sorted(set(slots)), "left": len(left)}
    name = shown(object_name(universe, thing.id))
    context.tell(facts, [f"{name}: {counted(len(set(slots)), 'order')} removed, {counted(len(left), 'order')} left."])
    return 0


async def _probed(context: CommandContext, draft: Draft, values: Mapping[str, Value]) -> tp_pb2.Order:
    slot = getattr(context.options, "slot", APPEND)
    return await context.connection.probe(draft.queue, draft.description, values, slot)


async def _typed(context: CommandContext) -> Draft:
    """Read the order of the command line as far as possible without a probe."""
    universe, options = await context.look(), context.options
    thing = find_carrier(universe, options.object)
    description = find_type(universe, options.type, universe.offers(thing))
    texts = sorted_out(universe, description, options.values)
    values = {
        parameter.name: parse(
            universe,
            order_name(universe, description),
            parameter,
            texts[parameter.name],
            parameter_name(universe, description, parameter),
        )
        for parameter in description.parameters
        if not isinstance(type_of(parameter), SelectionType) and parameter.name in texts
    }
    draft = Draft(thing, description, texts, values)
    if any(one.name not in texts and type_of(one).default is None for one in description.parameters):
        raise BadArgument(await _what_is_missing(context, draft))
    return draft


def sorted_out(universe: Universe, description: tp_pb2.OrderDesc, words: Sequence[str]) -> dict[str, list[str]]:
    """Return the texts for each parameter, by its name in the protocol.

    A text is PARAM=VALUE, where PARAM may be in the words of the game. A value alone goes to the next parameter without
    one. Raises UnknownName for a parameter that the order type does not have, BadArgument for one value too many.
    """
    names = [parameter.name for parameter in description.parameters]
    called = [parameter_name(universe, description, parameter) for parameter in description.parameters]
    order = order_name(universe, description)
    given: dict[str, list[str]] = {}
    alone: list[str] = []
    for word in words:
        fitting = [name for name in (*names, *called) if word.casefold().startswith(f"{name}=".casefold())]
        if fitting:
            longest = max(fitting, key=len)
            name = find_parameter(universe, description, longest) or longest
            given.setdefault(name, []).append(word[len(longest) + 1 :])
        elif "=" in word:
            known = listed(map(repr, called)) or "none"
            wrong = word.partition("=")[0]
            raise UnknownName(f"{order} has no parameter {wrong!r}; it has: {known}.")
        else:
            alone.append(word)
    for word in alone:
        free = [name for name in names if name not in given]
        if not free:
            count = f"takes {len(names)}" if names else "takes none"
            raise BadArgument(f"{word!r} is one value too many: {order} {count}.")
        given[free[0]] = [word]
    return given


async def _what_is_missing(context: CommandContext, draft: Draft) -> str:
    """Return a sentence about the missing values, with limits and choices if a probe returns them.

    The probe has neutral values in place of the missing ones. No order is given.
    """
    parameters = draft.description.parameters
    values = stand_ins(context.universe, draft.thing, parameters) | draft.values
    probed = None
    with suppress(RequestFailed, BadArgument):  # then only the kinds of values are known
        probed = await _probed(context, draft, values)
    left_out = [one for one in parameters if one.name not in draft.texts]
    missing = [one for one in left_out if type_of(one).default is None or type_of(one).is_limited]
    return _needs(context.universe, draft.description, missing, probed)


def _needs(
    universe: Universe,
    description: tp_pb2.OrderDesc,
    missing: Sequence[tp_pb2.ParameterDesc],
    probed: tp_pb2.Order | None,
) -> str:
    """Return a sentence about the missing values of an order, with the limits of a probe."""
    told = zip(description.parameters, probed.parameters if probed is not None else (), strict=False)
    values = {parameter.name: value for parameter, value in told}

    def wanted(parameter: tp_pb2.ParameterDesc) -> str:
        known, value = type_of(parameter), values.get(parameter.name)
        return known.limits(universe, value) if value is not None and known.is_limited else known.meaning

    named = [(parameter_name(universe, description, one), wanted(one)) for one in missing]
    words = " and ".join(shown(f"{name}=VALUE ({what})") for name, what in named)
    return f"{order_name(universe, description)} needs {words}."


async def _chosen(context: CommandContext, draft: Draft) -> tuple[dict[str, Value], tp_pb2.Order | None]:
    """Return all values, also of lists, and the probed order with the possible choices. Raises the server's refusal."""
    lists = draft.lists()
    if not lists:
        return draft.values, None
    probed = await _probed(context, draft, draft.values)
    values = dict(draft.values)
    for parameter, value in zip(draft.description.parameters, probed.parameters, strict=False):
        known = type_of(parameter)
        if isinstance(known, SelectionType) and parameter.name in draft.texts:
            called = parameter_name(context.universe, draft.description, parameter)
            about = f"{order_name(context.universe, draft.description)}: {called}"
            values[parameter.name] = known.select(context.universe, about, value, draft.texts[parameter.name])
    return values, probed


def _limits(universe: Universe, called: str, value: tp_pb2.OrderParameter) -> list[str]:
    """Return the possible choices for a parameter of this name, as lines."""
    known = type_in(value)
    if isinstance(known, SelectionType):
        options = known.options(universe, value)
        if not options:
            return [shown(f"{called}: nothing can be chosen now")]
        rows = [(f"  {option.id}", option.name, limit(option)) for option in options]
        return [shown(f"{called}, to choose from:"), *table(("  id", "name", "up to"), rows)]
    limits = known.limits(universe, value)
    return [shown(f"{called}: {limits}")] if limits else []
