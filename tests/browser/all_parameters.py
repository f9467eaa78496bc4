"""A ruleset whose one order has a parameter of every type that rulesets know; it only repeats what it was told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tprules import api

UNIVERSE, GALAXY, FIRST = range(3)
NAME = "parameters"
SYSTEMS = ("Alpha", "<i>Beta</i>", "Gamma")
ORE, HOME = 1, 2


class World(list[str]):
    """What was told, the latest last."""


class Everything(api.OrderType[World]):
    number, name, help = 1, "Everything", "Wants one of each"
    kinds = ("planet",)
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
            raise api.Refusal(api.Code.FRAME, "bad", "words: bad is not a word for this.", "words")


class Parameters(api.Ruleset[World]):
    name, title, help = NAME, "Parameters", "Nothing to win"
    version, seats = 1, range(1, 3)
    options: Mapping[str, Any] = {}
    orders = (Everything,)
    phases = (
        api.Phase[World](
            name="tell",
            active=lambda world: range(1),
            orders=(Everything,),
            stages=(lambda turn: turn.queues.clear(),),
            next_phase=lambda world: "tell",
        ),
    )
    kinds = {
        "universe": api.Kind(api.Role.UNIVERSE, "Universe"),
        "galaxy": api.Kind(api.Role.GALAXY, "Galaxy"),
        "system": api.Kind(api.Role.STAR_SYSTEM, "System"),
        "planet": api.Kind(api.Role.PLANET, "Planet"),
    }
    resources = (api.Resource(ORE, "Ore", "Ore"), api.Resource(HOME, "Home Planet", "Home Planets"))

    def setup(self, options: Mapping[str, Any], seats: int, dice: api.Dice) -> World:
        return World()

    def dump(self, world: World) -> Any:
        return list(world)

    def load(self, data: Any, version: int) -> World:
        return World(data)

    def sight(self, world: World, seat: api.Seat | None) -> Mapping[api.Oid, str]:
        return dict.fromkeys(range(FIRST + len(SYSTEMS) + 1), "public")

    def show(self, world: World, oid: api.Oid, level: str) -> api.Shown:
        if oid == UNIVERSE:
            return api.Shown("universe", "The Universe", UNIVERSE)
        if oid == GALAXY:
            return api.Shown("galaxy", "The Galaxy", UNIVERSE)
        if oid < FIRST + len(SYSTEMS):
            at = (1000 * oid, 500 * oid * oid, 0)
            return api.Shown("system", SYSTEMS[oid - FIRST], GALAXY, at)
        rows = (api.Amount(HOME, 1), api.Amount(ORE, 7))
        return api.Shown("planet", "Base", FIRST, (1000 * FIRST, 0, 0), owner=0, resources=rows)

    def outcome(self, world: World) -> api.Outcome | None:
        return None

    def legal_orders(self, plan: api.Plan[World]) -> Iterable[api.Order]:
        return ()


RULESET = Parameters()
