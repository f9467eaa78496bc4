"""A small game with secrets: sealed bids for a lot, five rounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tprules.api import (
    Amount,
    Choice,
    Code,
    Dice,
    Integer,
    Kind,
    Number,
    ObjectRef,
    Oid,
    Order,
    OrderType,
    Outcome,
    Phase,
    Plan,
    Refusal,
    Resource,
    Role,
    Ruleset,
    Seat,
    Selection,
    Shown,
    String,
    Turn,
    player,
)
from tprules.manuals import skeleton_of

FIRST_HOME = 2


@dataclass
class World:
    """``gold`` and ``won`` by seat; ``hidden`` is the unknown value of the next lot."""

    gold: list[int]
    won: list[int]
    rounds: int
    hidden: int
    round: int = 0


class Bid(OrderType[World]):
    number = 1
    name = "Bid"
    help = "Offer gold for the lot; the highest offer gets it"
    kinds = ("home",)
    params = {"gold": Number("How much to offer", 0, 9), "words": String("What to say about it", 20)}

    def check(self, plan: Plan[World], order: Order) -> None:
        if any(other.type == self.name for other in plan.before):
            raise Refusal("one offer a round is enough", reason="twice")
        if order.args["gold"] > plan.world.gold[order.seat]:
            have = plan.world.gold[order.seat]
            raise Refusal(f"you have {have} gold", "gold", reason="poor")


class Gift(OrderType[World]):
    number = 2
    name = "Gift"
    help = "Give gold to somebody's home"
    kinds = ("home",)
    params = {"to": ObjectRef("Whose home", ("home",)), "coins": Selection("Which coins", least=1, most=3)}

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        return [Choice(1, "gold coin", plan.world.gold[plan.seat])] if plan.world.gold[plan.seat] else []

    def check(self, plan: Plan[World], order: Order) -> None:
        if not FIRST_HOME <= order.args["to"] < FIRST_HOME + len(plan.world.gold):
            raise Refusal(f"object {order.args['to']} is no home", "to", reason="nosuch", code=Code.NO_SUCH_THING)


def sell(turn: Turn[World]) -> None:
    world = turn.world
    for order in turn.orders():
        if order.type == Gift.name:
            count = min(order.args["coins"][0][1], world.gold[order.seat])
            world.gold[order.seat] -= count
            world.gold[order.args["to"] - FIRST_HOME] += count
    bids = {order.seat: order.args["gold"] for order in turn.orders() if order.type == Bid.name}
    turn.queues.clear()
    world.round += 1
    best = [seat for seat in sorted(bids) if bids[seat] == max(bids.values())]
    if best:
        winner = turn.dice("tie").pick(best)
        world.gold[winner] = max(0, world.gold[winner] - bids[winner])
        world.won[winner] += 1
        turn.report(None, "Sold", f"{player(winner)} gets the lot")
        turn.event("sale", seat=winner)
    world.hidden = turn.dice("lot").below(100)


class Auction(Ruleset[World]):
    name = "auction"
    title = "Auction"
    manual = property(skeleton_of)
    help = "Sealed bids"
    version = 1
    seats = range(1, 9)
    options: Mapping[str, Any] = {
        "rounds": Integer(5, "How many lots", 1, 1000),
        "gold": Integer(9, "To begin with", 0, 99),
    }
    orders = (Bid, Gift)
    kinds = {
        "universe": Kind(Role.UNIVERSE, "Universe"),
        "house": Kind(Role.GALAXY, "Auction house"),
        "home": Kind(Role.PLANET, "Home"),
    }
    resources = (Resource(1, "gold coin", "gold coins"), Resource(2, "lot", "lots"))
    phases = (
        Phase(
            "bidding",
            active=lambda world: range(len(world.gold)),
            orders=(Bid, Gift),
            stages=(sell,),
            next_phase=lambda world: "bidding",
            title=lambda world: f"Round {world.round + 1}",
        ),
    )

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> World:
        return World([options["gold"]] * seats, [0] * seats, options["rounds"], dice.below(100))

    def dump(self, world: World) -> Any:
        return asdict(world)

    def load(self, data: Any, version: int) -> World:
        return World(**{name: list(value) if isinstance(value, list) else value for name, value in data.items()})

    def sight(self, world: World, seat: Seat | None) -> Mapping[Oid, str]:
        seen = {0: "all", 1: "all"}
        for other in range(len(world.gold)):
            seen[FIRST_HOME + other] = "own" if other == seat else "far"
        return seen

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        if oid == 0:
            return Shown("universe", "The Universe")
        if oid == 1:
            return Shown("house", "The House", size=100)
        seat = oid - FIRST_HOME
        amounts = [Amount(2, world.won[seat])]
        if level == "own":
            amounts.insert(0, Amount(1, world.gold[seat]))
        return Shown("home", f"{player(seat)}'s home", 1, (10 * seat, 0, 0), 5, seat, resources=tuple(amounts))

    def outcome(self, world: World) -> Outcome | None:
        if world.round < world.rounds:
            return None
        places = {seat: 1 + sum(other > won for other in world.won) for seat, won in enumerate(world.won)}
        return Outcome(places, "all lots are sold", {seat: {"lots": won} for seat, won in enumerate(world.won)})

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        if plan.world.round >= plan.world.rounds or any(order.type == Bid.name for order in plan.before):
            return []
        home = FIRST_HOME + plan.seat
        most = min(9, plan.world.gold[plan.seat])
        return [Order(plan.seat, home, "Bid", {"gold": gold, "words": ""}) for gold in range(most + 1)]


RULESET = Auction()
