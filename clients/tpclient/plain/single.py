"""The command object: everything that is known of one object, by the groups and names of its description."""

from collections.abc import Sequence

from tpproto import tp_pb2

from ..columns import counted, indented, shown, table
from ..meanings import meanings_in
from ..names import find_object, holdings, object_name, player_name, reference_name, resource_name
from ..objects import NOBODY, SpaceObject
from ..universe import ROOT, Universe
from .context import CommandContext
from .facts import object_facts, offer_facts
from .queues import offer_lines

MOST_ROWS = 40
"""So many contents of an object are shown; `objects --under` shows all."""


async def one_object(context: CommandContext) -> int:
    """Everything that is known of one object, by the groups and names of its description."""
    universe = await context.look()
    thing = find_object(universe, context.options.object)
    answer = await context.connection.ask("get_objects_by_id", tp_pb2.GetWithID(ids=[thing.id]))
    has_descriptions = context.connection.has_turn_numbers
    wanted = tp_pb2.Object if has_descriptions else tp_pb2.ClassicObject
    frame = answer.one(wanted)
    groups = value_groups(universe, frame) if isinstance(frame, tp_pb2.Object) else classic_groups(universe, thing)
    description = universe.object_descriptions.get(thing.role)
    queue = universe.queue_of(thing)
    offers = universe.offers(thing)
    facts = {
        **object_facts(universe, thing),
        "description": frame.desc if isinstance(frame, tp_pb2.Object) else "",
        "groups": {group: dict(values) for group, values in groups},
        "queued": queue.num_orders if queue is not None else 0,
        "takes": [offer_facts(offer) for offer in offers],
    }
    about = facts["description"] or (description.description if description is not None else "")
    lines = [shown(f"{thing.name} ({thing.id}), {thing.kind}" + (f": {about}" if about else ""))]
    if thing.id != ROOT:
        lines.append(shown(f"in {object_name(universe, thing.parent)}"))
    for group, values in groups:
        rows = [(f"  {name}", text) for name, text in values]
        lines += ["", shown(group), *table(("", ""), rows)[1:]]
    inside = universe.children(thing.id)
    if inside:
        lines += ["", "Contains", *indented(table(("", "", ""), _short_rows(universe, inside[:MOST_ROWS]))[1:])]
        if len(inside) > MOST_ROWS:
            lines.append(f"  and {len(inside) - MOST_ROWS} more: tpclient objects --under {thing.id}")
    if offers:
        lines += ["", "Takes", *indented(offer_lines(offers))]
    context.tell(facts, lines)
    return 0


def _short_rows(universe: Universe, things: Sequence[SpaceObject]) -> list[tuple[object, ...]]:
    return [(thing.id, thing.name, holdings(universe, thing)) for thing in things]


def value_groups(universe: Universe, frame: tp_pb2.Object) -> list[tuple[str, list[tuple[str, str]]]]:
    """The groups of an object's description, each with the names and values of its parameters."""
    description = universe.object_descriptions.get(frame.otype)
    values = iter(frame.parameters)
    return [
        (
            group.name,
            [
                (parameter.name, _value_words(universe, value, parameter.description))
                for parameter, value in zip(group.parameters, values, strict=False)
            ],
        )
        for group in (description.property_groups if description is not None else ())
    ]


def classic_groups(universe: Universe, thing: SpaceObject) -> list[tuple[str, list[tuple[str, str]]]]:
    """The same for TP03, whose objects are not described: what its six kinds have."""
    groups: dict[str, list[tuple[str, str]]] = {
        "Positional": [("Position", ", ".join(map(str, thing.position))), ("Size", str(thing.size))]
    }
    if thing.owner != NOBODY:
        groups["Ownership"] = [("Owner", player_name(universe, thing.owner))]
    held = holdings(universe, thing)
    if held:
        groups["Holds"] = [("Ships" if thing.ships else "Resources", held)]
    for (group, name), number in thing.numbers.items():
        groups.setdefault(group, []).append((name, str(number)))
    return list(groups.items())


def _value_words(universe: Universe, value: tp_pb2.ObjectParameter, description: str) -> str:
    """One parameter of an object in words (TP04, Object frame); its description may say what a number means."""
    which = value.WhichOneof("value")
    if which in ("position", "velocity", "acceleration"):
        moving: tp_pb2.RelativeVector = getattr(value, which)
        words = f"{moving.vector.x}, {moving.vector.y}, {moving.vector.z}"
        return f"{words} from {object_name(universe, moving.relative)}" if moving.relative else words
    if which == "bound_position":
        return f"slot {value.bound_position.slot} of what it is in"
    if which == "order_queue":
        queue = universe.queues.get(value.order_queue.queue_id)
        return counted(queue.num_orders, "order") if queue is not None else "none that is yours"
    if which == "resource_list":
        rows = value.resource_list.resources
        return ", ".join(_resource_words(universe, row) for row in rows) or "none"
    if which == "reference":
        return reference_name(universe, value.reference.type, value.reference.id)
    if which == "reference_quantity_list":
        references = value.reference_quantity_list.references
        words = ", ".join(f"{row.number} x {reference_name(universe, row.type, row.id)}" for row in references)
        return words or "none"
    if which == "integer":
        meaning = meanings_in(description).get(value.integer.value)
        return f"{meaning} ({value.integer.value})" if meaning else str(value.integer.value)
    if which == "size":
        return str(value.size.size)
    return value.media.url


def _resource_words(universe: Universe, row: tp_pb2.ObjectResource) -> str:
    parts = [f"{row.minable} minable"] if row.minable else []
    parts += [f"{row.unavailable} inaccessible"] if row.unavailable else []
    more = f" ({', '.join(parts)})" if parts else ""
    return f"{row.stored} {resource_name(universe, row.id, row.stored)}{more}"
