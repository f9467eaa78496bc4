"""Games, objects and order types as data, which is what --json prints."""

from typing import Any

from tpproto import tp_pb2

from ..listing import comment_of
from ..names import player_name, resource_name
from ..objects import SpaceObject
from ..parameters import type_of
from ..universe import Universe

PLAYERS, OBJECTS, NEXT_TURN, TURN = 1, 3, 6, 9
"""The numbers of a Game frame that are told (TP04, Game)."""


def object_facts(universe: Universe, thing: SpaceObject) -> dict[str, Any]:
    return {
        "id": thing.id,
        "kind": thing.kind,
        "name": thing.name,
        "parent": thing.parent,
        "contains": list(thing.contains),
        "position": list(thing.position),
        "owner": {"id": thing.owner, "name": player_name(universe, thing.owner)} if thing.owner else None,
        "resources": [
            {
                "id": number,
                "name": resource_name(universe, number, 1),
                "stored": amount.stored,
                "minable": amount.minable,
                "unavailable": amount.unavailable,
            }
            for number, amount in thing.resources.items()
        ],
        "ships": [
            {"id": number, "name": universe.designs[number].name if number in universe.designs else "", "count": count}
            for number, count in thing.ships.items()
        ],
    }


def offer_facts(offer: tp_pb2.OrderDesc) -> dict[str, Any]:
    return {
        "name": offer.name,
        "description": offer.description,
        "parameters": [
            {"name": parameter.name, "wants": type_of(parameter).meaning, "description": parameter.description}
            for parameter in offer.parameters
        ],
    }


def game_facts(game: tp_pb2.Game) -> dict[str, Any]:
    numbers = {parameter.id: parameter for parameter in game.parameters}

    def number(key: int) -> int | None:
        return numbers[key].int_value if key in numbers else None

    return {
        "name": game.name,
        "ruleset": game.rule,
        "version": game.rule_version,
        "players": number(PLAYERS),
        "turn": number(TURN),
        "objects": number(OBJECTS),
        "next_turn": number(NEXT_TURN),
        "comment": comment_of(game),
        "protocols": list(game.tp),
        "connections": [{"type": one.type, "host": one.dns or one.ip, "port": one.port} for one in game.connections],
    }
