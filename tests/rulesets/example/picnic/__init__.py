"""Picnic: a game in which parties of ants compete for crumbs.

In every round a crumb falls, and each player sends one party of ants in secret. The largest party brings the crumb
home. If several are the largest, they get in each other's way, and no player gets the crumb.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tprules import api

PARTY = "party"
CRUMBS, ANTS, HOME = range(1, 4)
RESOURCES = ((CRUMBS, "Crumb"), (ANTS, "Ant"), (HOME, "Home Planet"))
UNIVERSE, MEADOW, BLANKET, CRUMB, FIRST_GARDEN = range(5)
LANDSCAPE = (("universe", "The Universe", 0), ("meadow", "The Meadow", UNIVERSE), ("place", "The Blanket", MEADOW))


@dataclass(slots=True)
class World:
    crumbs: list[int]  # their sizes; the last crumb lies on the blanket, the others are a secret of the game
    parties: list[list[int]]  # by seat: the sizes of the parties at home
    eaten: list[int]  # by seat

    def hill(self, seat: api.Seat) -> api.Oid:
        return FIRST_GARDEN + 2 * seat + 1


class Send(api.OrderType[World]):
    help, kinds = "Send a party of ants to the crumb", ("hill",)
    params = {PARTY: api.Selection("Which party", least=1, most=1)}
    words = api.OrderWords("Send", "Send a party of {party}", {PARTY: "party"})

    def choices(self, plan: api.Plan[World], on: api.Oid, param: str) -> Sequence[api.Choice]:
        return [api.Choice(ants, f"{ants} ants") for ants in plan.world.parties[plan.seat]]

    def check(self, plan: api.Plan[World], order: api.Order) -> None:
        if plan.before:
            raise api.Refusal("One party a round. Remove that order first.")


def awaited(world: World) -> Iterable[api.Seat]:
    return range(len(world.parties)) if world.crumbs else ()


def smallest(world: World, seat: api.Seat) -> Iterable[api.Order]:
    yield api.Order(seat, world.hill(seat), Send.name, {PARTY: [[min(world.parties[seat]), 1]]})


def bring_home(turn: api.Turn[World]) -> None:
    world, crumb = turn.world, turn.world.crumbs.pop()
    sent = {order.seat: order.args[PARTY][0][0] for order in turn.take_orders()}
    for seat, ants in sent.items():
        world.parties[seat].remove(ants)
    best = [seat for seat, ants in sorted(sent.items()) if ants == max(sent.values())]
    what = f"{api.player(best[0])} brings it home." if len(best) == 1 else "It is crushed."
    if len(best) == 1:
        world.eaten[best[0]] += crumb
    turn.report(None, f"A crumb of {crumb}", what)


class Picnic(api.Ruleset[World]):
    name, help = "picnic", "Send ants for crumbs, which the largest party gets"
    seats = range(2, 5)
    options = {"rounds": api.Integer(8, "The number of crumbs, and of parties of each player", 2, 20)}
    phases = (
        api.Phase[World](
            name="send",
            active=awaited,
            orders=(Send,),
            stages=(bring_home,),
            default_orders=smallest,
            title=lambda world: f"A crumb of {world.crumbs[-1]}" if world.crumbs else "",
        ),
    )
    kinds = {
        "universe": api.Kind(api.Role.UNIVERSE, "Universe"),
        "meadow": api.Kind(api.Role.GALAXY, "Meadow"),
        "place": api.Kind(api.Role.STAR_SYSTEM, "Place"),
        "crumb": api.Kind(api.Role.PLANET, "Crumb"),
        "hill": api.Kind(api.Role.PLANET, "Anthill", "Takes the orders of its player"),
    }
    resources = tuple(api.Resource(number, name, f"{name}s") for number, name in RESOURCES)

    def setup(self, options: Mapping[str, Any], seats: int, dice: api.Dice) -> World:
        sizes = range(1, options["rounds"] + 1)
        return World(dice.shuffled(sizes), [list(sizes) for _ in range(seats)], [0] * seats)

    def sight(self, world: World, seat: api.Seat | None) -> Mapping[api.Oid, str]:
        seen = dict.fromkeys(range(FIRST_GARDEN + 2 * len(world.parties)), "public")
        return seen if seat is None else {**seen, world.hill(seat): "own"}

    def show(self, world: World, oid: api.Oid, level: str) -> api.Shown:
        if oid < CRUMB:
            return api.Shown(*LANDSCAPE[oid])
        if oid == CRUMB:
            size = api.Amount(CRUMBS, world.crumbs[-1] if world.crumbs else 0)
            return api.Shown("crumb", "The Crumb", BLANKET, resources=(size,))
        seat, is_hill = divmod(oid - FIRST_GARDEN, 2)
        at = (1000 * (seat + 1), 0, 0)
        if not is_hill:
            return api.Shown("place", f"Garden of {api.player(seat)}", MEADOW, at)
        rows = [api.Amount(HOME, 1), api.Amount(CRUMBS, world.eaten[seat])]
        if level == "own":  # only the player knows the number of ants at home
            rows.append(api.Amount(ANTS, sum(world.parties[seat])))
        return api.Shown("hill", f"Anthill of {api.player(seat)}", oid - 1, at, owner=seat, resources=tuple(rows))

    def outcome(self, world: World) -> api.Outcome | None:
        if world.crumbs:
            return None
        places = {seat: 1 + sum(other > mine for other in world.eaten) for seat, mine in enumerate(world.eaten)}
        return api.Outcome(places, "all crumbs are gone", {seat: {"crumbs": n} for seat, n in enumerate(world.eaten)})


RULESET = Picnic()
