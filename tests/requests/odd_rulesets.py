"""Unusual rulesets, for which a server must be ready.

Objects appear and vanish, phases close after each order, and rules fail. All are auctions,
except where a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from test_games.auction import FIRST_HOME, Auction, Bid, Gift, World, sell

from tprules.api import (
    Choice,
    Code,
    Coordinates,
    Dice,
    Kind,
    Number,
    ObjectRef,
    Oid,
    Order,
    OrderType,
    Outcome,
    Phase,
    Plan,
    PlayerRef,
    Refusal,
    ResourceList,
    Role,
    Seat,
    Selection,
    Ships,
    Shown,
    String,
    Turn,
    Turns,
)
from tpserver.rules.discovery import Rulesets

CAT, PURSE, FLY = 100, 200, 1000
"""An object that comes and goes; the first of the objects that lie elsewhere for their owners than for others; the
first of the mayflies."""


class Fading(Auction):
    """In even rounds a cat is in the house. Each seat has a purse: at home for itself, in the house for all others."""

    name = "fading"
    version = 1
    kinds = {**Auction.kinds, "cat": Kind(Role.FLEET, "Cat"), "purse": Kind(Role.FLEET, "Purse")}

    def sight(self, world: World, seat: Seat | None) -> Mapping[Oid, str]:
        seen = dict(super().sight(world, seat))
        if world.round % 2 == 0:
            seen[CAT] = "all"
        for other in range(len(world.gold)):
            seen[PURSE + other] = "own" if other == seat else "far"
        return seen

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        if oid == CAT:
            return Shown("cat", "The cat", 1, (7, 7, 7), 1, ships=(Ships(1, 1),))
        if oid >= PURSE:
            seat = oid - PURSE
            parent = FIRST_HOME + seat if level == "own" else 1
            return Shown("purse", "A purse", parent, (3, 3, 3), 1, seat)
        return super().show(world, oid, level)


def fly(world_round: int, seat: Seat) -> Oid:
    """Return the number of a seat's mayfly of a round."""
    return FLY + 8 * world_round + seat


class FlyBid(Bid):
    kinds = ("home", "fly")


class FlyGift(Gift):
    kinds = ("home", "fly")


class Mayflies(Auction):
    """Each seat has a mayfly at home that takes orders and lives for one round; then there is another one."""

    name = "mayflies"
    version = 1
    kinds = {**Auction.kinds, "fly": Kind(Role.FLEET, "Mayfly")}
    orders = (FlyBid, FlyGift)
    phases = (
        Phase(
            "bidding",
            active=lambda world: range(len(world.gold)),
            orders=(FlyBid, FlyGift),
            stages=(sell,),
            next_phase=lambda world: "bidding",
            title=lambda world: f"Round {world.round + 1}",
        ),
    )

    def sight(self, world: World, seat: Seat | None) -> Mapping[Oid, str]:
        flies = {fly(world.round, other): "all" for other in range(len(world.gold))}
        return {**super().sight(world, seat), **flies}

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        if oid >= FLY:
            number, seat = divmod(oid - FLY, 8)
            return Shown("fly", f"Mayfly {number}", FIRST_HOME + seat, (10 * seat, 1, 0), 1, seat, ships=(Ships(1, 1),))
        return super().show(world, oid, level)


class Sequential(Auction):
    """The round ends after the first bid, and only one seat after the other may bid."""

    name = "sequential"
    version = 1
    phases = (
        Phase(
            "bidding",
            active=lambda world: [world.round % len(world.gold)],
            orders=(Bid, Gift),
            stages=(sell,),
            next_phase=lambda world: "bidding",
            ends_after="each",
            title=lambda world: f"Round {world.round + 1}",
        ),
    )


BREAKS: set[str] = set()
"""Names of the functions of `Faulty` that fail at the moment."""


class Broken(Exception):
    """An error that a ruleset should not raise."""


@contextmanager
def breaking(*names: str) -> Iterator[None]:
    """Break these functions of `Faulty` for a while."""
    BREAKS.update(names)
    try:
        yield
    finally:
        BREAKS.difference_update(names)


def _may_break(name: str) -> None:
    if name in BREAKS:
        raise Broken(f"{name} broke")


class FaultyBid(Bid):
    def turns(self, world: World, order: Order) -> int:
        _may_break("turns")
        return super().turns(world, order)


class FaultyGift(Gift):
    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        _may_break("choices")
        return super().choices(plan, on, param)

    def turns(self, world: World, order: Order) -> int:
        _may_break("turns")
        return super().turns(world, order)


def _odd_sale(turn: Turn[World]) -> None:
    sell(turn)
    if "a report to nobody" in BREAKS:
        turn.report(77, "Hello", "Is anybody there?")
    if "a report that is no text" in BREAKS:
        turn.report(0, 5, b"bytes")  # type: ignore[arg-type] # on purpose
    if "an event that is no data" in BREAKS:
        turn.event("odd", what=object())


def _title(world: World) -> str:
    _may_break("title")
    return f"Round {world.round + 1}"


def _active(world: World) -> Sequence[Seat]:
    _may_break("active")
    return range(len(world.gold))


class Faulty(Auction):
    """Each of its functions breaks when it is in `BREAKS`."""

    name = "faulty"
    version = 1
    orders = (FaultyBid, FaultyGift)
    phases = (Phase("bidding", _active, (FaultyBid, FaultyGift), (_odd_sale,), lambda world: "bidding", title=_title),)

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> World:
        _may_break("setup")
        return super().setup(options, seats, dice)

    def dump(self, world: World) -> Any:
        _may_break("dump")
        return {**super().dump(world), "extra": object()} if "dump no data" in BREAKS else super().dump(world)

    def load(self, data: Any, version: int) -> World:
        _may_break("load")
        return super().load(data, version)

    def sight(self, world: World, seat: Seat | None) -> Mapping[Oid, str]:
        _may_break("sight")
        return super().sight(world, seat)

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        _may_break("show")
        return super().show(world, oid, level)

    def outcome(self, world: World) -> Outcome | None:
        _may_break("outcome")
        return super().outcome(world)


class Bazaar(OrderType[World]):
    """An order with a parameter of every type that TP03 has."""

    number, name, kinds = 3, "Bazaar", ("home",)
    params = {
        "target": ObjectRef("Whose home", ("home",)),
        "whom": PlayerRef("Who"),
        "period": Turns("How long", 2, 9),
        "amount": Number("How much", 10, 50, 5),
        "coins": Selection("Which coins", least=1, most=3),
        "where": Coordinates("Where"),
        "words": String("What to say", 12),
    }

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        return [Choice(1, "gold coin", 9)]

    def offered(self, world: World, seat: Seat, on: Oid, shown: Shown) -> bool:
        return world.round != 1

    def check(self, plan: Plan[World], order: Order) -> None:
        if order.args["where"] == [0, 0, 0]:
            raise Refusal("Nothing is there.", "where", reason="nowhere", code=Code.FRAME)


class Depot(OrderType[World]):
    """An order with the type of parameter that TP03 has not."""

    number, name, kinds = 4, "Depot", ("home",)
    params = {"goods": ResourceList("What to store")}

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        return [Choice(1, "gold", 9)]

    def check(self, plan: Plan[World], order: Order) -> None:
        if not order.args["goods"]:
            raise Refusal("Store something.", "goods", reason="nothing", code=Code.FRAME)


class Market(Auction):
    """With parameters of every type. In the second round no bazaar is held."""

    name = "market"
    version = 1
    orders = (Bid, Gift, Bazaar, Depot)
    phases = (Phase("bidding", _active, orders, (sell,), lambda world: "bidding"),)


ODD = Rulesets({kind.name: kind() for kind in (Auction, Fading, Mayflies, Sequential, Faulty, Market)}, {})
"""All of them, and an auction that works."""
