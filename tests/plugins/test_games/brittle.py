"""An auction whose rules fail in the way that an option selects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from test_games.auction import Auction, Bid, Gift, World, sell
from tprules.api import Dice, OneOf, Order, Phase, Plan, Turn


class Broken(Exception):
    """An error that a ruleset should not raise."""


class BrittleBid(Bid):
    def check(self, plan: Plan[World], order: Order) -> None:
        if order.args["words"] == "raise in check":
            raise Broken("check broke")
        while order.args["words"] == "loop in check":
            pass
        super().check(plan, order)


def break_or_sell(turn: Turn[World]) -> None:
    said = {order.args["words"] for order in turn.orders() if order.type == "Bid"}
    if "raise in advance" in said:
        raise Broken("advance broke")
    while "loop in advance" in said:
        pass
    sell(turn)


class Brittle(Auction):
    name = "brittle"
    title = "Brittle auction"
    version = 1
    options: Mapping[str, Any] = {**Auction.options, "setup": OneOf("works", "What setup does", ("works", "raises"))}
    orders = (BrittleBid, Gift)
    phases = (
        Phase(
            "bidding",
            active=lambda world: range(len(world.gold)),
            orders=(BrittleBid, Gift),
            stages=(break_or_sell,),
            next_phase=lambda world: "bidding",
            title=lambda world: f"Round {world.round + 1}",
        ),
    )

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> World:
        if options["setup"] == "raises":
            raise Broken("setup broke")
        return super().setup(options, seats, dice)


RULESET = Brittle()
