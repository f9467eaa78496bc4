"""An auction for two that keeps the contract, and copies of it with one fault."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from test_games.auction import FIRST_HOME, Auction, Bid, Gift, World, sell

from tprules.api import (
    Amount,
    Checks,
    Group,
    Integer,
    Kind,
    Number,
    Oid,
    Order,
    Outcome,
    Phase,
    Plan,
    Refusal,
    Region,
    Role,
    Seat,
    Shown,
    Turn,
)


class Sound(Auction):
    seats = range(2, 3)


SOUND = Sound()


def _phase(*stages: Any, **changes: Any) -> tuple[Phase[World], ...]:
    return (replace(Auction.phases[0], stages=(sell, *stages), **changes),)


class _LeakyBid(Bid):
    @staticmethod
    def secret(world: World, seat: Seat) -> int:
        return world.hidden % 10

    def check(self, plan: Plan[World], order: Order) -> None:
        super().check(plan, order)
        if order.args["gold"] == self.secret(plan.world, order.seat):
            raise Refusal("that is the secret", reason="guessed")


class Leaky(Sound):
    """An answer depends on what the seat cannot see."""

    orders = (_LeakyBid,)
    phases = _phase(orders=(_LeakyBid,))

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        for order in super().legal_orders(plan):
            if order.args["gold"] != self.orders[0].secret(plan.world, plan.seat):
                yield order


class _WhisperingBid(_LeakyBid):
    @staticmethod
    def secret(world: World, seat: Seat) -> int:
        return world.gold[1 - seat]


class Whispering(Leaky):
    """The leak is not there at the opening: both begin with the same gold, and what they bid is a secret."""

    orders = (_WhisperingBid,)
    phases = _phase(orders=(_WhisperingBid,))


class Transparent(Sound):
    """A view depends on what the seat should not see."""

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        return super().show(world, oid, "own")


class _CountingBid(Bid):
    def check(self, plan: Plan[World], order: Order) -> None:
        super().check(plan, order)
        plan.world.hidden += 1


class Impure(Sound):
    """A check changes the world."""

    orders = (_CountingBid,)
    phases = _phase(orders=(_CountingBid,))


def _gamble(turn: Turn[World]) -> None:
    turn.world.hidden = random.randrange(10**9)


class Random(Sound):
    """Chance comes from elsewhere."""

    phases = _phase(_gamble)


def _spell(turn: Turn[World]) -> None:
    turn.world.hidden = int("".join(str(len(word)) for word in {"ant", "wasp", "midge", "cicada", "firefly"}))


class Unordered(Sound):
    """The order of a set gets into the world: the same within one process, not between two."""

    phases = _phase(_spell)


class Illegal(Sound):
    """Moves that are refused."""

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        for order in super().legal_orders(plan):
            yield Order(order.seat, order.on, order.type, {**order.args, "gold": 10})


class Forgetful(Sound):
    """Something that matters is not in the dump."""

    def dump(self, world: World) -> Any:
        return {**super().dump(world), "round": 0}


class _FragileGift(Gift):
    def check(self, plan: Plan[World], order: Order) -> None:
        plan.world.gold[order.args["to"] - FIRST_HOME]


class Fragile(Sound):
    """Bad arguments raise something else than a Refusal."""

    orders = (Bid, _FragileGift)
    phases = _phase(orders=(Bid, _FragileGift))

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        yield from super().legal_orders(plan)
        if plan.world.round < plan.world.rounds and plan.world.gold[plan.seat]:
            yield Order(plan.seat, FIRST_HOME + plan.seat, "Gift", {"to": FIRST_HOME, "coins": [[1, 1]]})


class Endless(Sound):
    """The game does not end."""

    def outcome(self, world: World) -> Outcome | None:
        return None


class Orphan(Sound):
    """An object is in something that is out of sight."""

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        return super().show(world, oid, level)._replace(parent=99 if oid else 0)


class Undeclared(Sound):
    """A kind is not declared."""

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        return super().show(world, oid, level)._replace(kind="shop" if oid else "universe")


class Short(Sound):
    """A number is missing."""

    kinds = {
        **Sound.kinds,
        "house": Kind(Role.STAR_SYSTEM, "House", "", (Group("Sales", "", (("Sold", ""), ("Left", ""))),)),
    }

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        return super().show(world, oid, level)._replace(numbers=(1,) if oid == 1 else ())


class Lax(Sound):
    """Any seat may order."""

    checks = Checks(("over", "nosuch", "owner", "kind", "phase", "form"))
    phases = _phase(active=lambda world: [world.round % 2])

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        return super().legal_orders(plan) if plan.seat == plan.world.round % 2 else ()


class Absent(Sound):
    """An absent seat gives an illegal order."""

    phases = _phase(
        default_orders=lambda world, seat: [Order(seat, FIRST_HOME + seat, "Bid", {"gold": 10, "words": ""})]
    )


class Defaultless(Sound):
    """A default that is not allowed."""

    options = {**Sound.options, "gold": Integer(100, "To begin with", 0, 99)}


class Boundless(Sound):
    """A queue without any slot."""

    kinds = {**Sound.kinds, "home": replace(Sound.kinds["home"], slots=0)}


class Undrawn(Sound):
    """Old clients draw nothing that lies in the galaxy."""

    kinds = {**Sound.kinds, "house": Kind(Role.GALAXY, "House", "", (Group("Score", "", (("Lots", ""),)),))}


class Rich(Sound):
    """The same because of its resources."""

    kinds = {**Sound.kinds, "house": Kind(Role.GALAXY, "House", resources=True)}


class Unseen(Sound):
    """The additions by orders are on no object."""

    def marks(self, plan: Plan[World]) -> Mapping[Oid, Sequence[Amount]]:
        return {99: (Amount(1, 1),)} if plan.before else {}


class _HouseBid(Bid):
    kinds = ("home", "house")


class Commanded(Sound):
    """The same because of its orders."""

    orders = (_HouseBid,)
    phases = _phase(orders=(_HouseBid,))


class Ungrouped(Sound):
    """A phase is of a group of clocks that is not declared."""

    phases = _phase(clock_group="duel")


class Unclocked(Sound):
    """A group of clocks has no phase."""

    clock_groups = {"duel": "the turns of two"}


class Wordless(Sound):
    """A group of clocks is not described."""

    clock_groups = {"duel": ""}
    phases = _phase(clock_group="duel")


class Shouting(Sound):
    """A group of clocks whose name nobody can type."""

    clock_groups = {"A duel": "the turns of two"}
    phases = _phase(clock_group="A duel")


class Boasting(Sound):
    """The scores reveal a secret."""

    def scores(self, world: World, seat: Seat | None) -> Mapping[Seat, Mapping[str, int]]:
        return {0: {"Lot": world.hidden}}


class Mapped(Sound):
    """The regions reveal a secret."""

    def regions(self, world: World, seat: Seat | None) -> Sequence[Region]:
        return [Region((0,), None, f"Lot {world.hidden}")]


class Misspelled(Sound):
    """A hook that nobody calls."""

    def legal_order(self, plan: Plan[World]) -> Iterable[Order]:
        return ()


class Additional(Sound):
    """A declaration that nobody reads."""

    victory_points = 3


class MisspelledBid(Bid):
    """An order type with a hook that nobody calls."""

    def chek(self, plan: Plan[World], order: Order) -> None:
        raise Refusal("never")


class ParametrisedBid(Bid):
    """An order type with a declaration that nobody reads."""

    parameters = {"gold": Number("How much to offer", 0, 9)}


class MisspelledOrder(Sound):
    orders = (MisspelledBid,)
    phases = _phase(orders=(MisspelledBid,))


class AdditionalOfOrder(Sound):
    orders = (ParametrisedBid,)
    phases = _phase(orders=(ParametrisedBid,))


MISSPELLED = Misspelled()
ADDITIONAL = Additional()
MISSPELLED_ORDER = MisspelledOrder()
ADDITIONAL_OF_ORDER = AdditionalOfOrder()
LEAKY = Leaky()
WHISPERING = Whispering()
TRANSPARENT = Transparent()
IMPURE = Impure()
RANDOM = Random()
UNORDERED = Unordered()
ILLEGAL = Illegal()
FORGETFUL = Forgetful()
FRAGILE = Fragile()
ENDLESS = Endless()
ORPHAN = Orphan()
UNDECLARED = Undeclared()
SHORT = Short()
LAX = Lax()
ABSENT = Absent()
DEFAULTLESS = Defaultless()
BOUNDLESS = Boundless()
UNDRAWN = Undrawn()
RICH = Rich()
UNSEEN = Unseen()
COMMANDED = Commanded()
UNGROUPED = Ungrouped()
UNCLOCKED = Unclocked()
WORDLESS = Wordless()
SHOUTING = Shouting()
BOASTING = Boasting()
MAPPED = Mapped()
