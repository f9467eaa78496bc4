"""Nim: two players take one to three stones in turn; who takes the last one wins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tprules import api
from tprules.manuals import skeleton_of

STONES, TABLE, FIRST_HAND = "stones", 1, 2


@dataclass
class World:
    stones: int
    mover: int = 0


class Take(api.OrderType[World]):
    number, name, help = 1, "Take", "Take stones from the table"
    kinds = ("hand",)
    params = {STONES: api.Number("How many", 1, 3)}

    def check(self, plan: api.Plan[World], order: api.Order) -> None:
        if plan.before or order.args[STONES] > plan.world.stones:
            raise api.Refusal(api.Code.UNAVAILABLE_TEMPORARILY, "stones", "Take once a turn, and what is there.")


def take(turn: api.Turn[World]) -> None:
    for order in turn.orders():
        turn.world.stones -= order.args[STONES]
        turn.report(None, "Taken", f"{api.player(order.seat)} takes {order.args[STONES]}.")
    turn.queues.clear()
    turn.world.mover = 1 - turn.world.mover


class Nim(api.Ruleset[World]):
    name, title, help = "nim", "Nim", "Take one to three stones; the last one wins"
    world, version, seats = World, 1, range(2, 3)
    manual = property(skeleton_of)
    options = {STONES: api.Integer(21, "How many there are", 1, 1000)}
    orders = (Take,)
    phases = (
        api.Phase[World](
            name="take",
            active=lambda world: [world.mover] if world.stones else [],
            orders=(Take,),
            stages=(take,),
            next_phase=lambda world: "take",
            default_orders=lambda world, seat: RULESET.legal_orders(api.Plan(world, "take", seat))[:1],
            title=lambda world: f"{world.stones} stones, {api.player(world.mover)} takes",
        ),
    )
    kinds = {
        "universe": api.Kind(api.Role.UNIVERSE, "Universe"),
        "table": api.Kind(api.Role.GALAXY, "Table"),
        "hand": api.Kind(api.Role.PLANET, "Hand"),
    }

    def setup(self, options: Mapping[str, Any], seats: int, dice: api.Dice) -> World:
        return World(options[STONES])

    def sight(self, world: World, seat: api.Seat | None) -> Mapping[api.Oid, str]:
        return dict.fromkeys(range(FIRST_HAND + 2), "all")

    def show(self, world: World, oid: api.Oid, level: str) -> api.Shown:
        if oid < FIRST_HAND:
            return api.Shown(("universe", "table")[oid], f"{world.stones} stones" if oid else "The Universe")
        seat = oid - FIRST_HAND
        return api.Shown("hand", f"Hand of {api.player(seat)}", TABLE, (1000 * seat, 0, 0), owner=seat)

    def outcome(self, world: World) -> api.Outcome | None:
        return None if world.stones else api.Outcome({1 - world.mover: 1, world.mover: 2}, "the last stone is taken")

    def legal_orders(self, plan: api.Plan[World]) -> list[api.Order]:
        most = 0 if plan.before or plan.seat != plan.world.mover else min(3, plan.world.stones)
        return [api.Order(plan.seat, FIRST_HAND + plan.seat, Take.name, {STONES: 1 + more}) for more in range(most)]


RULESET = Nim()
