"""A bot that spawns only workers, and sends them all to the enemy queen.

Its own queen does not move.
"""

from __future__ import annotations

from tprules.api import BotTurn, Oid, Order
from tprules.colony_battle import orders
from tprules.colony_battle import world as worlds
from tprules.colony_battle.world import STATS, World
from tprules.kit.bfs import found_from, path_to
from tprules.kit.single_choice import choosing


def rush_bot(turn: BotTurn[World]) -> None:
    """Move the workers that are nearest to the enemy queen, let all attack what is beside them, and spawn one."""
    world, seat = turn.world, turn.seat
    queen, enemy = world.queen(seat), world.queen(1 - seat)
    if seat != world.seat or world.placing or queen is None or enemy is None:
        return
    goals = set(world.beside(enemy.square))
    workers = [oid for oid, unit in sorted(world.units.items()) if (unit.owner, unit.kind) == (seat, worlds.WORKER)]
    places = {oid: world.units[oid].square for oid in workers}
    occupied = set(world.occupied)
    ways = []
    for oid in workers:
        if places[oid] not in goals:
            before = found_from(places[oid], world.ways(), occupied)
            goal = next((square for square in before if square in goals), None)
            if goal is not None:
                ways.append((path_to(goal, before), oid))
    for way, oid in sorted(ways, key=lambda found: len(found[0]))[: world.settings.move_cap]:
        steps = [square for square in way[: STATS[worlds.WORKER].steps] if square not in occupied]
        if steps:
            occupied.add(steps[-1])
            places[oid] = steps[-1]
            turn.give(Order(seat, oid, orders.Move.name, {orders.DESTINATION: world.system(steps[-1])}))
    for oid in workers:
        beside = [world.occupied[near] for near in world.beside(places[oid]) if near in world.occupied]
        targets = [one for one in beside if one in world.units and world.units[one].owner != seat]
        targets = [one for one in targets if world.units[one].kind != worlds.ANTLION]
        if targets:
            target = min(targets, key=lambda one: _worth(world, one))
            turn.give(Order(seat, oid, orders.Attack.name, {orders.TARGET: target}))
    args = {orders.KIND: choosing(worlds.WORKER + 1), orders.WHERE: worlds.UNIVERSE}
    turn.give(Order(seat, world.colonies[seat].queen, orders.Spawn.name, args))


def _worth(world: World, oid: Oid) -> tuple[bool, int, Oid]:
    """Return a key by which units are attacked: the queen first, then those with few hit points."""
    unit = world.units[oid]
    return unit.kind != worlds.QUEEN, unit.hit_points, oid
