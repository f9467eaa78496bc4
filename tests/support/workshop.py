"""A ruleset for tests of clients: all parameter types, changes on request.

The objects are numbered in this order: the universe, a galaxy, two star systems, one port of each seat, and a boat of
the first seat. The boat moves between the systems. In round 3 nothing can be built.

An order `Wish` of a port changes the world when the turn closes:

    name 2 Newtown     rename object 2
    hide 4, show 4     take an object out of the world, put it back
    end                end the game
    anything else      a report to the seat that wishes it
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tprules import api

ALL, PLAIN, PLACE, SMALL_YARD, YARD, POST, BOAT = range(7)
"""The objects by number: the first seat has the yard and the boat, the second the post."""

KINDS = ("universe", "galaxy", "system", "system", "port", "port", "boat")
PARTS = (api.Choice(1, "bolt, long", 3), api.Choice(2, "plate"), api.Choice(3, "plate", 2), api.Choice(7, "nut=2", 5))
GROUND = api.Group("Status", fields=(("Ground", "0 rock, 1 soil, 4 water"), ("Depth", "In fathoms")))
UNLUCKY = 3
"""The level that is refused in round 2."""


@dataclass
class World:
    seats: int
    rounds: int
    names: list[str] = field(default_factory=lambda: ["All", "Plain", "5, 3", "yard", "Yard", "Post", "Boat"])
    hidden: list[int] = field(default_factory=list)
    round: int = 1
    boat_in: int = PLACE
    over: bool = False


class Build(api.OrderType[World]):
    number, name, help, kinds = 1, "Build", "To build", ("port",)
    params = {"Parts": api.Selection(most=99), "Fuel": api.ResourceList()}

    def offered(self, world: World, seat: api.Seat, on: api.Oid, shown: api.Shown) -> bool:
        return world.round != 3

    def choices(self, plan: api.Plan[World], on: api.Oid, param: str) -> Sequence[api.Choice]:
        return PARTS if param == "Parts" else [api.Choice(1, "Coal", 9)]


class Send(api.OrderType[World]):
    number, name, help, kinds = 2, "Send", "To send", ("port",)
    params = {"To": api.ObjectRef(kinds=("system",)), "For": api.PlayerRef(), "Place": api.Coordinates()}

    def check(self, plan: api.Plan[World], order: api.Order) -> None:
        if not PLACE <= order.args["To"] <= SMALL_YARD:
            raise api.Refusal("To: not there.", "To", reason="nosuch", code=api.Code.NO_SUCH_THING)


class Tune(api.OrderType[World]):
    number, name, help, kinds = 3, "Tune", "To tune", ("port",)
    params = {"Level": api.Number("", 1, 7, 2), "Turns": api.Turns("", 0, 6)}

    def check(self, plan: api.Plan[World], order: api.Order) -> None:
        if plan.world.round == 2 and order.args["Level"] == UNLUCKY:
            raise api.Refusal(
                "Level may not be 3 today.", "Level", reason="unlucky", code=api.Code.UNAVAILABLE_PERMANENTLY
            )


class Wish(api.OrderType[World]):
    number, name, help, kinds = 4, "Wish", "To wish", ("port",)
    params = {"Words": api.String()}


class Move(api.OrderType[World]):
    number, name, help, kinds = 5, "Move", "To move", ("boat",)
    params = {"Star System": api.ObjectRef(kinds=("system",))}

    def check(self, plan: api.Plan[World], order: api.Order) -> None:
        if not PLACE <= order.args["Star System"] <= SMALL_YARD:
            raise api.Refusal("Boats go to star systems.", "Star System", reason="nosuch", code=api.Code.NO_SUCH_THING)
        if order.args["Star System"] == plan.world.boat_in:
            raise api.Refusal("The boat is there already.", "Star System", reason="there")


class Bid(api.OrderType[World]):
    number, name, help, kinds = 6, "Bid", "To bid", ("port",)
    params = {"To": api.ObjectRef(), "Parts": api.Selection(), "Level": api.Number("", 1, 7, 2), "Why": api.String()}

    def choices(self, plan: api.Plan[World], on: api.Oid, param: str) -> Sequence[api.Choice]:
        return PARTS


ORDERS = (Build, Send, Tune, Wish, Move, Bid)


def fulfil(turn: api.Turn[World]) -> None:
    world = turn.world
    for order in turn.orders():
        world.boat_in = order.args.get("Star System", world.boat_in)
        what, _, rest = order.args.get("Words", "").partition(" ")
        if what == "name":
            number, _, world.names[int(number)] = rest.partition(" ")
        elif what == "hide":
            world.hidden.append(int(rest))
        elif what == "show":
            world.hidden.remove(int(rest))
        elif what == "end":
            world.over = True
        elif what:
            turn.report(order.seat, order.args["Words"], "as you wished")
    turn.queues.clear()
    world.round += 1
    world.over = world.over or world.round > world.rounds


class Workshop(api.Ruleset[World]):
    name, title, help, world, seats, orders = "workshop", "Workshop", "Nothing to win", World, range(1, 3), ORDERS
    options: Mapping[str, api.Option] = {"rounds": api.Integer(1000, "How many turns", 1, 1000)}
    kinds = {
        "universe": api.Kind(api.Role.UNIVERSE, "Universe"),
        "galaxy": api.Kind(api.Role.GALAXY, "Galaxy"),
        "system": api.Kind(api.Role.STAR_SYSTEM, "Star System", groups=(GROUND,)),
        "port": api.Kind(api.Role.PLANET, "Port", slots=9),
        "boat": api.Kind(api.Role.FLEET, "Boat"),
    }
    resources = (api.Resource(1, "Coal", "Coals"),)
    catalogue = api.Catalogue(designs=(api.Design(1, "Rowing boat"),))
    phases = (
        api.Phase(
            "work",
            active=lambda world: range(world.seats),
            orders=ORDERS,
            stages=(fulfil,),
            next_phase=lambda world: "work",
            title=lambda world: f"Round {world.round}",
        ),
    )

    def setup(self, options: Mapping[str, Any], seats: int, dice: api.Dice) -> World:
        return World(seats, options["rounds"])

    def sight(self, world: World, seat: api.Seat | None) -> Mapping[api.Oid, str]:
        there = (*range(YARD + world.seats), BOAT)
        return {number: "all" for number in there if number not in world.hidden}

    def show(self, world: World, oid: api.Oid, level: str) -> api.Shown:
        if oid < PLACE:
            return api.Shown(KINDS[oid], world.names[oid])
        kind, name, at = KINDS[oid], world.names[oid], (10 * oid + 30, 2, 3)
        if oid <= SMALL_YARD:
            return api.Shown(kind, name, PLAIN, at, numbers=(4 if oid == PLACE else 9, oid))
        if oid == BOAT:
            at = (10 * world.boat_in + 30, 2, 3)
            return api.Shown(kind, name, world.boat_in, at, owner=0, ships=(api.Ships(1, 2),))
        return api.Shown(kind, name, PLAIN, at, owner=oid - YARD, resources=(api.Amount(1, 5, 6, 7),))

    def is_gone(self, world: World, seat: api.Seat, oid: api.Oid) -> bool:
        return oid in world.hidden

    def outcome(self, world: World) -> api.Outcome | None:
        return api.Outcome({seat: seat + 1 for seat in range(world.seats)}, "it was wished") if world.over else None

    def legal_orders(self, plan: api.Plan[World]) -> Iterable[api.Order]:
        return ()


RULESET = Workshop()
