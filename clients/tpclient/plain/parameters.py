"""The parameters of an order that the server sent: as data, and in words."""

from collections.abc import Mapping
from typing import Any

from tpproto import tp_pb2

from ..names import object_name, player_name, reference_name, resource_name
from ..orders import Kind, is_unset
from ..universe import Universe
from .choices import options_of


def parameter_facts(
    universe: Universe, parameter: tp_pb2.ParameterDesc, value: tp_pb2.OrderParameter
) -> dict[str, Any]:
    """One parameter of an order as data: `value`, what it is called, and whatever limits the server tells."""
    facts: dict[str, Any] = {"name": parameter.name, "type": _word(parameter.type)}
    which = value.WhichOneof("value")
    if which == "coordinates":
        facts["value"] = _vector(value.coordinates)
    elif which == "time":
        facts |= {"value": value.time.turns, "max": value.time.max_time}
    elif which == "object":
        facts |= {"value": value.object.object_id, "words": object_name(universe, value.object.object_id)}
        facts["allowed"] = [_type_name(universe, kind) for kind in value.object.valid_types]
    elif which == "player":
        facts |= {"value": value.player.player_id, "words": player_name(universe, value.player.player_id)}
    elif which == "relative_coordinates":
        relative = value.relative_coordinates
        facts |= {"value": relative.object_id, "offset": _vector(relative.pos)}
        facts["words"] = f"{object_name(universe, relative.object_id)} @ {', '.join(map(str, facts['offset']))}"
    elif which == "range":
        ranged = value.range
        facts |= {"value": ranged.value, "min": ranged.min_value, "max": ranged.max_value, "step": ranged.increment}
    elif which == "string":
        facts |= {"value": value.string.string, "longest": value.string.max_length}
    elif which == "reference":
        facts["value"] = value.reference.reference
        if len(value.reference.allowed) == 1:
            facts["words"] = reference_name(universe, value.reference.allowed[0], value.reference.reference)
    elif which == "reference_list":
        facts["value"] = list(value.reference_list.references)
    elif which is not None:
        facts |= _list_facts(universe, value)
    if is_unset(value):
        facts["words"] = "nothing chosen"
    return facts


def parameter_words(facts: Mapping[str, Any]) -> str:
    """What `parameter_facts` has as the value, in words."""
    value = facts.get("words", facts.get("value"))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _list_facts(universe: Universe, value: tp_pb2.OrderParameter) -> dict[str, Any]:
    options = options_of(universe, value)
    names = {option.id: option.name for option in options}
    if value.HasField("list"):
        chosen = [(item.id, item.number) for item in value.list.selection]
    elif value.HasField("resource_list"):
        chosen = [(item.resource_id, item.quantity) for item in value.resource_list.selected]
        names |= {number: resource_name(universe, number, amount) for number, amount in chosen}
    else:
        chosen = [(item.id, item.number) for item in value.quantity_list.selection]
    rows = [{"id": key, "name": names.get(key, ""), "number": number} for key, number in chosen]
    words = [
        f"{f'{number} ' if number != 1 else ''}{names[key]} ({key})" if names.get(key) else f"{number} of {key}"
        for key, number in chosen
    ]
    choices = [{"id": option.id, "name": option.name, "max": option.most} for option in options]
    return {"value": rows, "words": ", ".join(words) or "nothing chosen", "choices": choices}


def _vector(vector: tp_pb2.Vector) -> list[int]:
    return [vector.x, vector.y, vector.z]


def _type_name(universe: Universe, number: int) -> str:
    description = universe.object_descriptions.get(number)
    return description.name if description is not None else f"object type {number}"


def _word(kind: int) -> str:
    return Kind(kind).name.lower() if kind in set(Kind) else f"type {kind}"
