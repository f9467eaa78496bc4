"""A ruleset: the pure rules of one game, and all that a host and its clients need to know about them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from tprules.api.codec import copy_world, dump_world, load_world
from tprules.api.dice import Dice
from tprules.api.objects import Amount, Catalogue, Kind, Resource, Shown
from tprules.api.options import Option
from tprules.api.orders import Order, OrderType, Plan
from tprules.api.renamed import HOOKS, refuse_old
from tprules.api.turns import Phase
from tprules.api.types import Code, Oid, Seat, canonical

W = TypeVar("W")

_NO_WORLD = "name the dataclass of the worlds (world = World), or write dump and load"


@dataclass(frozen=True)
class Outcome:
    """How a game ended: places (1 is best, a place may be shared), why, and the final table (column -> value)."""

    places: Mapping[Seat, int]
    why: str
    figures: Mapping[Seat, Mapping[str, int]] = field(default_factory=dict)

    def winners(self) -> list[Seat]:
        return sorted(seat for seat, place in self.places.items() if place == 1)

    def ranked(self) -> list[tuple[Seat, int]]:
        """Return seats with their places, the best first, and who shares a place in the order of the seats."""
        return sorted(self.places.items(), key=lambda item: (item[1], item[0]))


class Ruleset(Generic[W]):
    """Subclass it, fill in the declarations, and name one instance in the entry points ``tpserver.rulesets``.

    A world is a tree of dataclasses.  Everything that matters is in it: whose turn it is, what is pending, moves left.
    No clock, no ``random``, no floats, no iteration over sets that have no order.

    What is a function of the world alone may stay a function in its own module: ``show = staticmethod(views.show)``.
    """

    name: ClassVar[str]
    """The key by which operators and other programs know the ruleset; lower case, digits, dashes and underscores."""
    title: ClassVar[str] = ""
    help: ClassVar[str] = ""
    version: ClassVar[int] = 1
    """Of the dumped world and the rules.  ``load`` upgrades older worlds; rules that must not touch running games are
    a new name."""
    world: ClassVar[type[Any] | None] = None
    """The dataclass of the worlds, which is then dumped, loaded and copied by ``tprules.api.codec``."""
    seats: ClassVar[range]
    """The possible numbers of seats; a game with another number is refused before ``setup``."""
    options: ClassVar[Mapping[str, Option]] = {}
    phases: ClassVar[tuple[Phase[Any], ...]]
    """The first one opens the game."""
    orders: ClassVar[tuple[type[OrderType[Any]], ...]]
    kinds: ClassVar[Mapping[str, Kind]]
    resources: ClassVar[tuple[Resource, ...]] = ()
    catalogue: ClassVar[Catalogue] = Catalogue()
    root_name: ClassVar[str] = "The Universe"
    reasons: ClassVar[Mapping[str, tuple[Code, str]]] = {}
    """Other codes and reason words for the common refusals over, phase, active, nosuch, gone, owner, kind, form,
    choice, slot and full."""
    refusal_text: ClassVar[str] = "{text}"
    """How the sentence of a common refusal is put; it may name the ``{reason}`` too."""
    checks: ClassVar[tuple[str, ...]] = (
        "over",
        "nosuch",
        "owner",
        "kind",
        "phase",
        "active",
        "form",
        "choice",
        "precheck",
    )
    """The order of the common checks of an inserted order (``tprules.api.order_checks``); ``OrderType.check`` follows.
    ``precheck`` is the ruleset's own; it and ``choice`` (what is selected is offered) may be left out."""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        refuse_old(cls.__name__, vars(cls), HOOKS)

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> W:
        """Return the opening world.  ``options`` are parsed; raise OptionError where they do not fit together."""
        raise NotImplementedError

    def dump(self, world: W) -> Any:
        """Return JSON-able data for all of the world.  Needed only where ``self.world`` is not named."""
        if self.world is None:
            raise NotImplementedError(_NO_WORLD)
        return dump_world(world)

    def load(self, data: Any, version: int) -> W:
        """Return the world that ``dump`` of this or an older ``version`` gave: ``load(dump(w), version) == w``.

        Raises ValueError, with the place at fault, for data that are no world.  Needed only where ``self.world`` is not
        named, or an older version had other fields than ``stored(since=...)`` can tell.
        """
        if self.world is None:
            raise NotImplementedError(_NO_WORLD)
        loaded: W = load_world(self.world, data, version)
        return loaded

    def copy(self, world: W) -> W:
        """Return an independent copy of a world: what a turn changes."""
        if self.world is None:
            return self.load(json.loads(canonical(self.dump(world))), self.version)
        return copy_world(world)

    def sight(self, world: W, seat: Seat | None) -> Mapping[Oid, str]:
        """Return which objects the seat sees, each with the level at which it sees it.  All secrecy is here."""
        raise NotImplementedError

    def show(self, world: W, oid: Oid, level: str) -> Shown:
        """Return how an object looks at a level.  It must not depend on who looks."""
        raise NotImplementedError

    def outcome(self, world: W) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""
        raise NotImplementedError

    def legal_orders(self, plan: Plan[W]) -> Iterable[Order]:
        """Return legal orders for ``plan.seat`` after ``plan.before``: for bots and tests.  May be a selection."""
        raise NotImplementedError

    def precheck(self, plan: Plan[W], order: Order) -> None:
        """A check of the ruleset's own that runs among the common ones, at its place in ``checks``.

        ``order.args`` are parsed only if "form" comes before "precheck".
        """

    def marks(self, plan: Plan[W]) -> Mapping[Oid, Sequence[Amount]]:
        """Return what the orders of ``plan.seat`` add to the resources of objects that it sees, for its eyes only.

        Asked after each change of its orders.
        """
        return {}

    def end_turn_hint(self, plan: Plan[W]) -> str:
        """Return what ``plan.seat`` should hear when it is done with its turn now, such as what will be done for it;
        nothing if all is well.  Only what the seat may know."""
        return ""

    def is_gone(self, world: W, seat: Seat, oid: Oid) -> bool:
        """Return whether ``seat`` knows that an object had this number and is no more.

        Asked about objects out of sight only; orders on them are then refused as gone (TP04, Fail frame, code 6).
        """
        return False

    # What follows is derived from the declarations.

    def phase(self, name: str) -> Phase[W]:
        for phase in self.phases:
            if phase.name == name:
                return phase
        raise KeyError(f"{self.name} has no phase {name!r}")

    def order_type(self, name: str) -> OrderType[W] | None:
        """Return the order type of this name, or None."""
        cache = self.__dict__.get("_types")
        if cache is None:
            cache = self.__dict__["_types"] = {kind.name: kind() for kind in self.orders}
        found: OrderType[W] | None = cache.get(name)
        return found

    def stored(self, order: Order) -> Order:
        """Return the order as it is stored: its arguments under the names that they had first."""
        kind = self.order_type(order.type)
        names = {} if kind is None else kind.stored_names
        return _renamed(order, names) if names else order

    def restored(self, order: Order) -> Order:
        """Return the order that was stored, with the present names of its arguments."""
        kind = self.order_type(order.type)
        names = {} if kind is None else kind.stored_names
        return _renamed(order, {old: new for new, old in names.items()}) if names else order

    def carriers(self) -> Sequence[str]:
        """Return the kinds of object that can carry orders."""
        return [kind for kind in self.kinds if any(kind in order.kinds for order in self.orders)]


def _renamed(order: Order, names: Mapping[str, str]) -> Order:
    return order._replace(args={names.get(name, name): value for name, value in order.args.items()})
