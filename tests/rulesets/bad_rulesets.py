"""A small game that keeps the contract, and copies of it with one fault.

Each of two players hides a coin of 1 to 3. In turn they call numbers, and the game ends after six calls.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tprules.api import (
    Amount,
    Code,
    Dice,
    Group,
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
    Region,
    Role,
    Ruleset,
    Seat,
    Shown,
    Turn,
    player,
)
from tprules.manuals import skeleton_of


@dataclass
class World:
    coins: list[int]
    calls: list[int] = field(default_factory=list)
    luck: int = 0
    words: str = ""


def token(seat: Seat) -> Oid:
    return 1 + seat


class Call(OrderType[World]):
    number = 1
    name = "Call"
    help = "Call a number"
    kinds = ("token",)
    params = {"number": Number("What you call", 1, 3), "about": ObjectRef("Whose coin it is about", ("token",))}

    def check(self, plan: Plan[World], order: Order) -> None:
        if plan.before:
            raise Refusal(Code.UNAVAILABLE_TEMPORARILY, "twice", "one call a turn")
        if order.args["about"] not in (token(0), token(1)):
            raise Refusal(Code.NO_SUCH_THING, "about", "name a token", "about")


def active(world: World) -> Iterable[Seat]:
    return [len(world.calls) % 2]


def call(turn: Turn[World]) -> None:
    for order in turn.orders():
        turn.world.calls.append(order.args["number"])
    turn.queues.clear()
    turn.report(None, "Called", f"{player(0)} and {player(1)}: {turn.world.calls}")


def passing(world: World, seat: Seat) -> Iterable[Order]:
    return [Order(seat, token(seat), Call.name, {"number": 1, "about": token(seat)})]


class Coins(Ruleset[World]):
    name = "coins"
    manual = property(skeleton_of)
    seats = range(2, 3)
    options = {"most": Integer(3, "The highest coin", 2, 3)}
    orders = (Call,)
    phases = (Phase("call", active, (Call,), (call,), lambda world: "call", default_orders=passing),)
    kinds = {
        "universe": Kind(Role.UNIVERSE, "Universe"),
        "token": Kind(Role.PLANET, "Token", "", (Group("Coin", "", (("Coin", ""), ("Calls", ""))),)),
    }

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> World:
        return World([dice.roll(options["most"]) for _ in range(seats)])

    def dump(self, world: World) -> Any:
        return [world.coins, world.calls, world.luck, world.words]

    def load(self, data: Any, version: int) -> World:
        coins, calls, luck, words = data
        return World(list(coins), list(calls), luck, words)

    def sight(self, world: World, seat: Seat | None) -> Mapping[Oid, str]:
        return {0: "all", **{token(other): "own" if other == seat else "all" for other in (0, 1)}}

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        if oid == 0:
            return Shown("universe", "The Table")
        coin = world.coins[oid - 1] if level == "own" else 0
        return Shown("token", f"Token of {player(oid - 1)}", owner=oid - 1, numbers=(coin, len(world.calls)))

    def outcome(self, world: World) -> Outcome | None:
        return Outcome({0: 1, 1: 2}, "calls", {0: {"Calls": 3}, 1: {"Calls": 3}}) if len(world.calls) >= 6 else None

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        if self.outcome(plan.world) is None and plan.seat in active(plan.world) and not plan.before:
            for number in (1, 2, 3):
                yield Order(plan.seat, token(plan.seat), Call.name, {"number": number, "about": token(0)})


COINS = Coins()


def _phase(*stages: Any, **changes: Any) -> tuple[Phase[World], ...]:
    given: dict[str, Any] = {"orders": (Call,), "default_orders": passing, **changes}
    return (Phase("call", active, stages=(call, *stages), next_phase=lambda world: "call", **given),)


class _LeakyCall(Call):
    def check(self, plan: Plan[World], order: Order) -> None:
        super().check(plan, order)
        if order.args["number"] == plan.world.coins[1 - order.seat]:
            raise Refusal(Code.UNAVAILABLE_TEMPORARILY, "guessed", "that is the other coin")


class Leaky(Coins):
    """An answer depends on what the seat cannot see."""

    orders = (_LeakyCall,)
    phases = _phase(orders=(_LeakyCall,), default_orders=lambda world, seat: ())

    def outcome(self, world: World) -> Outcome | None:
        return super().outcome(world) if len(world.calls) < 6 else Outcome({0: 1, 1: 1}, "calls")

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        for order in super().legal_orders(plan):
            if order.args["number"] != plan.world.coins[1 - plan.seat]:
                yield order


def _hide(turn: Turn[World]) -> None:
    for order in turn.orders():
        turn.world.coins[order.seat] = order.args["number"]
    turn.queues.clear()
    turn.world.calls.append(0)


class Whispering(Leaky):
    """The leak is not there at the opening: players hide at the same time, again and again."""

    phases = (Phase("hide", lambda world: (0, 1), (_LeakyCall,), (_hide,), lambda world: "hide"),)

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> World:
        return World([1, 1])

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        for number in (1, 2, 3):
            if number != plan.world.coins[1 - plan.seat] and not plan.before and len(plan.world.calls) < 6:
                yield Order(plan.seat, token(plan.seat), Call.name, {"number": number, "about": token(0)})


class Transparent(Coins):
    """A view depends on what the seat should not see."""

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        return super().show(world, oid, "own")


class _CountingCall(Call):
    def check(self, plan: Plan[World], order: Order) -> None:
        super().check(plan, order)
        plan.world.luck += 1


class Impure(Coins):
    """A check changes the world."""

    orders = (_CountingCall,)
    phases = _phase(orders=(_CountingCall,))


def _gamble(turn: Turn[World]) -> None:
    turn.world.luck = random.randrange(10**9)


class Random(Coins):
    """Chance comes from elsewhere."""

    phases = _phase(_gamble)


def _say_words(turn: Turn[World]) -> None:
    turn.world.words = " ".join({"ant", "bee", "cicada", "dragonfly", "earwig", "firefly"})


class Unordered(Coins):
    """The order of a set gets into the world: the same within one process, not between two."""

    phases = _phase(_say_words)


class Illegal(Coins):
    """Moves that are refused."""

    def legal_orders(self, plan: Plan[World]) -> Iterable[Order]:
        for order in super().legal_orders(plan):
            yield Order(order.seat, order.on, order.type, {**order.args, "number": 4})


class Forgetful(Coins):
    """Something that matters is not in the dump."""

    phases = _phase(lambda turn: setattr(turn.world, "luck", len(turn.world.calls)))

    def dump(self, world: World) -> Any:
        return [world.coins, world.calls, 0, world.words]


class _FragileCall(Call):
    def check(self, plan: Plan[World], order: Order) -> None:
        super().check(plan, Order(order.seat, order.on, order.type, {**order.args, "about": token(0)}))
        plan.world.coins[order.args["about"] - 1]


class Fragile(Coins):
    """Bad arguments raise something else than a Refusal."""

    orders = (_FragileCall,)
    phases = _phase(orders=(_FragileCall,))


class Endless(Coins):
    """The game does not end."""

    def outcome(self, world: World) -> Outcome | None:
        return None


class Orphan(Coins):
    """An object is in something that is out of sight."""

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        return super().show(world, oid, level)._replace(parent=99 if oid else 0)


class Undeclared(Coins):
    """A kind is not declared."""

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        return super().show(world, oid, level)._replace(kind="coin" if oid else "universe")


class Short(Coins):
    """A number is missing."""

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        return super().show(world, oid, level)._replace(numbers=(1,) if oid else ())


class Lax(Coins):
    """Any seat may order."""

    checks = ("over", "nosuch", "owner", "kind", "phase", "form")


class Absent(Coins):
    """An absent seat gives an illegal order."""

    phases = _phase(default_orders=lambda world, seat: [Order(seat, token(seat), Call.name, {"number": 9, "about": 1})])


class Defaultless(Coins):
    """A default that is not allowed."""

    options = {"most": Integer(9, "The highest coin", 2, 3)}


class Boundless(Coins):
    """A queue without any slot."""

    kinds = {**Coins.kinds, "token": replace(Coins.kinds["token"], slots=0)}


class Undrawn(Coins):
    """Old clients draw nothing that lies in the galaxy."""

    kinds = {**Coins.kinds, "table": Kind(Role.GALAXY, "Table", "", (Group("Score", "", (("Calls", ""),)),))}


class Rich(Coins):
    """The same because of its resources."""

    kinds = {**Coins.kinds, "table": Kind(Role.GALAXY, "Table", resources=True)}


class Unseen(Coins):
    """The additions by orders are on no object."""

    def marks(self, plan: Plan[World]) -> Mapping[Oid, Sequence[Amount]]:
        return {99: (Amount(1, 1),)} if plan.before else {}


class _TableCall(Call):
    kinds = ("token", "table")


class Commanded(Coins):
    """The same because of its orders."""

    orders = (_TableCall,)
    phases = _phase(orders=(_TableCall,))
    kinds = {**Coins.kinds, "table": Kind(Role.GALAXY, "Table")}


class Ungrouped(Coins):
    """A phase is of a group of clocks that is not declared."""

    phases = _phase(clock_group="duel")


class Unclocked(Coins):
    """A group of clocks has no phase."""

    clock_groups = {"duel": "the turns of two"}


class Wordless(Coins):
    """A group of clocks is not described."""

    clock_groups = {"duel": ""}
    phases = _phase(clock_group="duel")


class Shouting(Coins):
    """A group of clocks whose name nobody can type."""

    clock_groups = {"A duel": "the turns of two"}
    phases = _phase(clock_group="A duel")


class Boasting(Coins):
    """The scores reveal a secret."""

    def scores(self, world: World, seat: Seat | None) -> Mapping[Seat, Mapping[str, int]]:
        return {0: {"Coin": world.coins[0]}}


class Mapped(Coins):
    """The regions reveal a secret."""

    def regions(self, world: World, seat: Seat | None) -> Sequence[Region]:
        return [Region((0,), None, f"Coin {world.coins[0]}")]


class Misspelled(Coins):
    """A hook that nobody calls."""

    def legal_order(self, plan: Plan[World]) -> Iterable[Order]:
        return ()


class Additional(Coins):
    """A declaration that nobody reads."""

    victory_points = 3


class Calls(Call):
    """An order type with a hook that nobody calls."""

    def chek(self, plan: Plan[World], order: Order) -> None:
        raise Refusal("form", "never")


class Parametrised(Call):
    """An order type with a declaration that nobody reads."""

    parameters = {"number": Number("What you call", 1, 3)}


class MisspelledOrder(Coins):
    orders = (Calls,)
    phases = _phase(orders=(Calls,))


class AdditionalOfOrder(Coins):
    orders = (Parametrised,)
    phases = _phase(orders=(Parametrised,))


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
