"""A workshop whose only order has one parameter of every type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.workshop import Workshop, World, fulfil
from tprules import api

NAMES = ["The Universe", "The Galaxy", "Alpha", "<i>Beta</i>", "Base", "Post", "Boat"]
ORE = 1


class Everything(api.OrderType[World]):
    number, name, help = 1, "Everything", "Wants one of each"
    kinds = ("port",)
    params = {
        "target": api.ObjectRef("Any star system", kinds=("system",)),
        "where": api.Coordinates("Anywhere"),
        "how long": api.Turns("Turns", low=1, high=9),
        "whom": api.PlayerRef("A player"),
        "how much": api.Number("In steps of five", 10, 50, 5),
        "which": api.Selection("Some of them", least=1, most=5),
        "words": api.String("Anything", 12),
        "goods": api.ResourceList("Of the ore"),
    }

    def choices(self, plan: api.Plan[World], on: api.Oid, param: str) -> Sequence[api.Choice]:
        if param == "goods":
            return [api.Choice(ORE, "Ore", 7)]
        return [api.Choice(1, "one of these"), api.Choice(2, "some of those", 4)]

    def check(self, plan: api.Plan[World], order: api.Order) -> None:
        if order.args["words"] == "bad":
            raise api.Refusal("words: bad is not a word for this.", "words", reason="bad", code=api.Code.FRAME)


class Parameters(Workshop):
    name, title, version, orders = "parameters", "Parameters", 1, (Everything,)
    phases = (
        api.Phase[World]("work", lambda world: range(1), (Everything,), (fulfil,), next_phase=lambda world: "work"),
    )
    resources = (api.Resource(ORE, "Ore", "Ore"),)

    def setup(self, options: Mapping[str, Any], seats: int, dice: api.Dice) -> World:
        return World(seats, options["rounds"], list(NAMES))


RULESET = Parameters()
