"""A ruleset: the pure rules of one game, for a host and its clients."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin

from tprules.api.appearance import Appearance, Region
from tprules.api.codec import dump_world, load_world
from tprules.api.derived import derived
from tprules.api.dice import Dice
from tprules.api.endings import Outcome, shared
from tprules.api.objects import Amount, Catalogue, Kind, Resource, Shown
from tprules.api.options import Option
from tprules.api.orders import Checks, Order, OrderType, Plan
from tprules.api.renamed import FUNCTIONS, HOOKS, refuse_old
from tprules.api.turns import BotTurn, Phase
from tprules.api.types import Oid, Seat

W = TypeVar("W")

_NO_WORLD = "name the dataclass of the worlds (world = World), or write dump and load"


def _title(cls: Any) -> str:
    title: str = cls.name.replace("-", " ").replace("_", " ")
    return title[:1].upper() + title[1:]


def _world(cls: Any) -> type[Any] | None:
    if cls.dump is Ruleset.dump:
        for one in cls.__mro__:
            for base in vars(one).get("__orig_bases__", ()):
                if isinstance(origin := get_origin(base), type) and issubclass(origin, Ruleset):
                    world = get_args(base)[0]
                    return world if isinstance(world, type) and is_dataclass(world) else None
    return None


def _orders(cls: Any) -> tuple[type[OrderType[Any]], ...]:
    return tuple(dict.fromkeys(kind for phase in cls.phases for kind in phase.takes()))


class Ruleset(Generic[W]):
    """The rules of one game. ``W`` is the type of its worlds.

    To write one, subclass it, fill in the declarations and write the methods below. Then name one instance in the entry
    point group ``tpserver.rulesets``.

    A world is a tree of dataclasses with the complete state of the game, including the seat to move and pending
    choices. The rules must be deterministic: no clock, no ``random``, no floats, no iteration over unsorted sets.

    Methods must not change the worlds in their arguments. Only the stages of a phase change a world, that of their
    Turn.

    A method that does not need ``self`` can be a function in another module: ``show = staticmethod(views.show)``.
    """

    name: ClassVar[str]
    """The key of the ruleset for operators and programs: lower case letters, digits, dashes and underscores."""
    title: ClassVar[str] = derived(_title)
    """The name shown to people; by default ``name`` with a capital letter."""
    help: ClassVar[str] = ""
    """One line about the game."""
    manual: ClassVar[str] = ""
    """The rules for players, as Markdown (``tprules.manuals``).

    If empty, they are in the file PLAY.md beside the module of the class.
    """
    version: ClassVar[int] = 1
    """Version of the dumped world and of the rules.

    ``load`` upgrades worlds of older versions. A game based on another has its own version. If a change of rules must
    not affect running games, choose a new ``name`` instead.
    """
    world: ClassVar[type[Any] | None] = derived(_world)
    """The dataclass of the worlds. ``tprules.api.codec`` dumps, loads and copies them.

    By default the ``World`` of ``Ruleset[World]``, and None if the class has its own ``dump``.
    """
    seats: ClassVar[range]
    """The possible numbers of seats. A game with another number is refused before ``setup``."""
    options: ClassVar[Mapping[str, Option]] = {}
    """Option name -> the option that an operator may set at the creation of a game."""
    phases: ClassVar[tuple[Phase[Any], ...]]
    """All phases; the game opens with the first."""
    clock_groups: ClassVar[Mapping[str, str]] = {}
    """Group of phases (``Phase.clock_group``) -> its description for people.

    A host may give the turns of a group a separate clock, for example for short turns between long ones. There are up
    to 8 names of lower case letters, digits, dashes and underscores.
    """
    orders: ClassVar[tuple[type[OrderType[Any]], ...]] = derived(_orders)
    """All types of order; by default those of the phases, in their order."""
    kinds: ClassVar[Mapping[str, Kind]]
    """Name of a kind of object (``Shown.kind``) -> its declaration."""
    resources: ClassVar[tuple[Resource, ...]] = ()
    """All resources that objects may show."""
    catalogue: ClassVar[Catalogue] = Catalogue()
    """The designs of pieces."""
    appearance: ClassVar[Appearance] = Appearance()
    """The appearance of the game, in addition to kinds, designs and resources."""
    checks: ClassVar[Checks] = Checks()
    """The checks of an inserted order before ``OrderType.check``."""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        refuse_old(cls.__name__, vars(cls), {**HOOKS, **FUNCTIONS})

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> W:
        """Return the opening world. Called when a game starts.

        ``options`` has the parsed value of every declared option. ``dice`` is the only source of chance. Raise
        OptionError if the options do not fit together.
        """
        raise NotImplementedError

    def dump(self, world: W) -> Any:
        """Return JSON-able data for the complete world. Override it only if ``self.world`` is None."""
        if self.world is None:
            raise NotImplementedError(_NO_WORLD)
        return dump_world(world)

    def load(self, data: Any, version: int) -> W:
        """Return the world for data that ``dump`` of this or an older ``version`` returned.

        ``load(dump(w), version)`` must equal ``w``. Raises ValueError with the position of the fault if the data are
        not a world. Override it only if ``self.world`` is None, or if ``stored(since=...)`` cannot describe the older
        versions.
        """
        if self.world is None:
            raise NotImplementedError(_NO_WORLD)
        loaded: W = load_world(self.world, data, version)
        return loaded

    def sight(self, world: W, seat: Seat | None) -> Mapping[Oid, str]:
        """Return the objects that a seat sees: object number -> the level at which it sees it.

        ``seat`` is None for a spectator. The ruleset chooses the words for levels, and ``show`` gets them. Only
        ``sight`` and ``show`` keep secrets, so they must omit everything that a seat must not know.
        """
        raise NotImplementedError

    def show(self, world: W, oid: Oid, level: str) -> Shown:
        """Return the look of an object at a level from ``sight``.

        The result must not depend on the seat: all seats that see the object at this level see the same.
        """
        raise NotImplementedError

    def outcome(self, world: W) -> Outcome | None:
        """Return the end of the game, or None while it goes on.

        Called for the opening world and after the stages of each phase. The game is over when it returns an Outcome.
        """
        raise NotImplementedError

    def early_outcome(self, world: W, seats: int, resigned: Collection[Seat], is_draw: bool) -> Outcome | None:
        """Return the end of the game after a resignation or an agreed draw, or None if it goes on.

        ``seats`` is the number of seats, and ``resigned`` are those that have resigned. ``is_draw`` is True if the
        others have agreed on a draw; None then means that the rules allow none. By default all others share the first
        place in a draw, and after a resignation the last one left wins.

        While the game goes on, no turn waits for resigned seats. Like absent players, they get the orders of
        ``Phase.default_orders``. At the end, they come after all others, whatever ``outcome`` returns.
        """
        if is_draw:
            return shared(seats, resigned, "The players have agreed on a draw.", self.scores(world, None))
        if seats - len(resigned) > 1:
            return None
        return shared(seats, resigned, "All others have resigned.", self.scores(world, None))

    def legal_orders(self, plan: Plan[W]) -> Iterable[Order]:
        """Return legal orders that ``plan.seat`` could give after those in ``plan.before``.

        For bots and tests. Every returned order must be legal, but legal orders may be missing. By default they are
        derived from the domains of the parameters and ``OrderType.check``. Override it if that is too slow.
        """
        raise NotImplementedError("call tprules.api.legal.legal_orders, which derives them")

    def known(self, world: W, seat: Seat) -> W:
        """Return the world as a seat knows it, with all hidden parts replaced. For bots.

        To the seat it must be indistinguishable from the true world. It must not depend on anything that the seat
        cannot know. By default it is the world itself, which is right for games without secrets.
        """
        return world

    def bot(self, turn: BotTurn[W]) -> None:
        """Give the orders of a bot for ``turn.seat`` with ``turn.give``. The turn is finished when this returns.

        Called for each turn in which the seat is active, in another thread than the clients'. Without this method,
        ``tprules.api.bots.random_bot`` plays.
        """
        raise NotImplementedError

    def marks(self, plan: Plan[W]) -> Mapping[Oid, Sequence[Amount]]:
        """Return the resources that the orders in ``plan.before`` add to objects: object number -> amounts.

        Shown to ``plan.seat`` only, on objects that it sees. Called after each change of the seat's orders.
        """
        return {}

    def end_turn_hint(self, plan: Plan[W]) -> str:
        """Return a hint for ``plan.seat`` before it finishes its turn, such as the orders that will be added for it.

        Return "" for no hint. The text must reveal only what the seat may know.
        """
        return ""

    def role(self, world: W, seat: Seat) -> str:
        """Return the role of a seat in lower case, such as "spider", or "" if all seats are alike.

        It is public from the beginning, and stays the same.
        """
        return ""

    def scores(self, world: W, seat: Seat | None) -> Mapping[Seat, Mapping[str, int]]:
        """Return the scores that ``seat`` (None: a spectator) may know: seat -> name -> number.

        Put the most important name first, as the list of players shows them in this order. There may be up to 8 for
        each seat. Omit secrets.
        """
        return {}

    def actions(self, plan: Plan[W]) -> tuple[int, int] | None:
        """Return the used and the available number of actions of ``plan.seat`` in this turn.

        Return None if the game does not count them. Shown to this seat only.
        """
        return None

    def regions(self, world: W, seat: Seat | None) -> Iterable[Region]:
        """Return the regions that ``seat`` (None: a spectator) may know: places that belong together or to an owner."""
        return ()

    def is_gone(self, world: W, seat: Seat, oid: Oid) -> bool:
        """Return whether ``seat`` knows that an object with this number existed and is gone.

        Called only for objects that the seat does not see. If it is True, orders on them are refused as gone (TP04,
        Fail frame, code 6), else as unknown.
        """
        return False


# For hosts and tests: what follows from the declarations of a ruleset.


def find_phase(rules: Ruleset[W], name: str) -> Phase[W]:
    """Return the phase with this name, or raise KeyError."""
    for phase in rules.phases:
        if phase.name == name:
            return phase
    raise KeyError(f"{rules.name} has no phase {name!r}")


def find_order_type(rules: Ruleset[W], name: str) -> OrderType[W] | None:
    """Return the order type with this name, or None."""
    return _order_types(rules).get(name)


@cache
def _order_types(rules: Ruleset[Any]) -> Mapping[str, OrderType[Any]]:
    return {kind.name: kind() for kind in rules.orders}


def to_stored_order(rules: Ruleset[Any], order: Order) -> Order:
    """Return the order as it is stored: with its arguments under the names in ``OrderType.stored_names``."""
    kind = find_order_type(rules, order.type)
    names = {} if kind is None else kind.stored_names
    return _renamed(order, names) if names else order


def from_stored_order(rules: Ruleset[Any], order: Order) -> Order:
    """Return a stored order with the present names of its arguments: the reverse of ``to_stored_order``."""
    kind = find_order_type(rules, order.type)
    names = {} if kind is None else kind.stored_names
    return _renamed(order, {old: new for new, old in names.items()}) if names else order


def kinds_with_orders(rules: Ruleset[Any]) -> Sequence[str]:
    """Return the kinds of object that can carry orders."""
    taking = {kind for order in rules.orders for kind in order.kinds}
    return [kind for kind in rules.kinds if kind in taking]


def _renamed(order: Order, names: Mapping[str, str]) -> Order:
    return order._replace(args={names.get(name, name): value for name, value in order.args.items()})
