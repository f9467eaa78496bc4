"""A game of many objects, for measuring. Nobody wins.

It is a grid of star systems. Each has a planet that holds resources.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tprules.api import (
    Amount,
    Catalogue,
    Design,
    Dice,
    Integer,
    Kind,
    Number,
    Oid,
    Order,
    OrderType,
    Outcome,
    Phase,
    Plan,
    Resource,
    Role,
    Ruleset,
    Seat,
    Ships,
    Shown,
    Turn,
    player,
)
from tprules.manuals import skeleton_of


@dataclass
class World:
    """Objects from 2 on: system, planet, fleet, in turn; the seat of each is its place in that row modulo seats."""

    seats: int
    objects: int
    amounts: dict[int, int] = field(default_factory=dict)
    round: int = 0


class Work(OrderType[World]):
    number = 1
    name = "Work"
    help = "Let a fleet work; any number of such orders may wait"
    kinds = ("fleet",)
    params = {"effort": Number("How hard", 1, 100)}


def work(turn: Turn[World]) -> None:
    for order in turn.orders():
        turn.world.amounts[order.on] = turn.world.amounts.get(order.on, 0) + order.args["effort"]
    turn.queues.clear()
    turn.world.round += 1


class Synthetic(Ruleset[World]):
    name = "synthetic"
    title = "Synthetic"
    manual = property(skeleton_of)
    version = 1
    seats = range(1, 129)
    options: Mapping[str, Any] = {"objects": Integer(5000, "How many objects", 5, 100_000)}
    orders = (Work,)
    kinds = {
        "universe": Kind(Role.UNIVERSE, "Universe"),
        "galaxy": Kind(Role.GALAXY, "Galaxy"),
        "system": Kind(Role.STAR_SYSTEM, "Star System"),
        "planet": Kind(Role.PLANET, "Planet"),
        "fleet": Kind(Role.FLEET, "Fleet"),
    }
    resources = (Resource(1, "unit of work", "units of work"), Resource(2, "stone", "stones"))
    catalogue = Catalogue(designs=(Design(1, "Ship"),))
    phases = (
        Phase(
            "work",
            active=lambda world: range(world.seats),
            orders=(Work,),
            stages=(work,),
            next_phase=lambda world: "work",
            title=lambda world: f"Round {world.round + 1}",
        ),
    )

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> World:
        return World(seats, options["objects"])

    def dump(self, world: World) -> Any:
        return [world.seats, world.objects, sorted(world.amounts.items()), world.round]

    def load(self, data: Any, version: int) -> World:
        seats, objects, amounts, number = data
        return World(seats, objects, dict(amounts), number)

    def sight(self, world: World, seat: Seat | None) -> Mapping[Oid, str]:
        return dict.fromkeys(range(world.objects), "all")

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        if oid == 0:
            return Shown("universe", "The Universe", size=10**12)
        if oid == 1:
            return Shown("galaxy", "The Galaxy", size=10**11)
        row, place = divmod(oid - 2, 3)
        at = (1000 * (row % 100), 1000 * (row // 100), 0)
        system = 2 + 3 * row
        if place == 0:
            return Shown("system", f"System {row}", 1, at, 600)
        seat = row % world.seats
        if place == 1:
            return Shown("planet", f"Planet {row}", system, at, 2, seat, resources=(Amount(2, row % 7, 3, 1),))
        name = f"{player(seat)}'s fleet"
        effort = world.amounts.get(oid, 0)
        return Shown("fleet", name, system, at, 2, seat, ships=(Ships(1, 1 + row % 5),), damage=effort)

    def outcome(self, world: World) -> Outcome | None:
        return None if world.round < 1_000_000 else Outcome(dict.fromkeys(range(world.seats), 1), "enough")

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        rows = (plan.world.objects - 2) // 3
        fleets = [4 + 3 * row for row in range(rows) if row % plan.world.seats == plan.seat]
        return [Order(plan.seat, fleet, "Work", {"effort": 1}) for fleet in fleets[:50]]


RULESET = Synthetic()
