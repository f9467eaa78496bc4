"""The bot of the page's section 11 as a policy: the client's own, fed with what the wire would show."""

from __future__ import annotations

import random
from typing import Any

from tpclient.bots.colony_battle import FIGHT, RACE, Command, Plan, placements
from tpclient.bots.colony_battle_board import read_board
from tpclient.objects import Amount, SpaceObject
from tprules.api import Dice, Order, Ruleset
from tprules.api import Plan as Planned
from tprules.colony_battle.world import World

ID_OF_SEAT = 1
"""On the wire players are numbered from 1."""


def trial_policy(*styles: str):
    """Return a policy that plays these styles, one for each seat."""
    prepared: dict[tuple[int, int, int, bool], list[Command]] = {}

    def policy(rules: Ruleset[Any], plan: Planned[World], dice: Dice) -> Order | None:
        world, seat = plan.world, plan.seat
        if seat != world.seat:
            return None
        key = (id(world), seat, world.round, world.placing)
        if key not in prepared:
            prepared.clear()
            prepared[key] = _commands(rules, plan, styles[seat], dice)
        if not prepared[key]:
            return None
        command = prepared[key].pop(0)
        return Order(seat, command.on, command.name, _arguments(command))

    return policy


def race_and_fight():
    """Return the policy of a racing and a fighting bot."""
    return trial_policy(RACE, FIGHT)


def _commands(rules: Ruleset[Any], plan: Planned[World], style: str, dice: Dice) -> list[Command]:
    orders: dict[int, int] = {}
    for order in plan.before:
        orders[order.on] = orders.get(order.on, 0) + 1
    board = read_board(plan.seat + ID_OF_SEAT, _things(rules, plan.world, plan.seat), orders)
    if plan.world.placing:
        return list(placements(board))
    return Plan(board, random.Random(dice.below(2**32)), style).commands()


def _arguments(command: Command) -> dict[str, Any]:
    """Return the arguments as the api has them: a list parameter is a list of ids and numbers."""
    return {
        name: [[number, 1] for number in value] if isinstance(value, list) else value
        for name, value in command.arguments.items()
    }


def _things(rules: Ruleset[Any], world: World, seat: int) -> list[SpaceObject]:
    """Return all that a seat sees, as a client reads it."""
    things = []
    for oid, level in rules.sight(world, seat).items():
        shown = rules.show(world, oid, level)
        kind = rules.kinds[shown.kind]
        fields = [(group.name, name) for group in kind.groups for name, _ in group.fields]
        owner = 0 if shown.owner is None else shown.owner + ID_OF_SEAT
        things.append(
            SpaceObject(
                id=oid,
                role=int(kind.role),
                kind=kind.title,
                name=shown.name,
                parent=shown.parent,
                contains=(),
                modified=0,
                owner=owner,
                queue=oid if shown.owner == seat else 0,
                resources={row.resource: Amount(*row[1:]) for row in shown.resources},
                ships={ships.design: ships.number for ships in shown.ships},
                numbers=dict(zip(fields, shown.numbers, strict=True)),
            )
        )
    return things
