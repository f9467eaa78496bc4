"""A ruleset: the pure rules of one game, for a host and its clients."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin

from tprules.api.appearance import Appearance, Region
from tprules.api.codec import dump_world, load_world
from tprules.api.derived import derived
from tprules.api.dice import Dice
from tprules.api.endings import Outcome, shared
from tprules.api.objects import Amount, Catalogue, Kind, Resource, Shown
from tprules.api.options import Option
from tprules.api.orders import Order, OrderType, Plan
from tprules.api.renamed import HOOKS, refuse_old
from tprules.api.turns import BotTurn, Phase
from tprules.api.types import Code, Oid, Seat

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
    """The rules of one game.  ``W`` is the type of its worlds.

    To write one, subclass it, fill in the declarations, write the methods below, and name one instance in the entry
    point group ``tpserver.rulesets``.

    A world is a tree of dataclasses that holds the complete state of the game: whose turn it is, what is pending, moves
    left.  The rules must be deterministic: no clock, no ``random``, no floats, no iteration over unsorted sets.

    Methods must not change the worlds they are given; only the stages of a phase change a world, that of their Turn.

    A method that does not need ``self`` can be a function in another module: ``show = staticmethod(views.show)``.
    """

    name: ClassVar[str]
    """The key by which operators and programs name the ruleset: lower case letters, digits, dashes and underscores."""
    title: ClassVar[str] = derived(_title)
    """The name shown to people; by default ``name`` with a capital letter."""
    help: ClassVar[str] = ""
    """One line about the game."""
    manual: ClassVar[str] = ""
    """The rules for players, as Markdown (``tprules.manuals``).  If it is empty, they are in the file PLAY.md beside
    the module of the class."""
    version: ClassVar[int] = 1
    """Version of the dumped world and of the rules.  ``load`` upgrades worlds of older versions.  A game based on
    another has its own.  A change of rules that must not affect running games needs a new ``name`` instead."""
    world: ClassVar[type[Any] | None] = derived(_world)
    """The dataclass of the worlds, which ``tprules.api.codec`` dumps, loads and copies.  By default the ``World`` of
    ``Ruleset[World]``, and None if the class has its own ``dump``."""
    seats: ClassVar[range]
    """The possible numbers of seats; a game with another number is refused before ``setup``."""
    options: ClassVar[Mapping[str, Option]] = {}
    """Option name -> what an operator may choose when a game is made."""
    phases: ClassVar[tuple[Phase[Any], ...]]
    """All phases; the game opens with the first."""
    clock_groups: ClassVar[Mapping[str, str]] = {}
    """Groups of phases (``Phase.clock_group``) whose turns a host may give a clock of their own, as short turns between
    long ones: name -> for people, what these turns are.  Up to 8 names of lower case letters, digits, dashes and
    underscores."""
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
    reasons: ClassVar[Mapping[str, tuple[Code, str]]] = {}
    """Common refusal -> the code and reason word to use instead of the default ones.  The common refusals are over,
    phase, active, nosuch, gone, owner, kind, form, choice, slot and full."""
    refusal_text: ClassVar[str] = "{text}"
    """Format of the sentence of a common refusal: contains ``{text}``, and may contain ``{reason}``."""
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
    """The common checks of an inserted order (``tprules.api.order_checks``), in the order in which they run.
    ``OrderType.check`` runs after them.  "precheck" is the ruleset's own check, "choice" checks that what is selected
    was offered; these two may be left out."""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        refuse_old(cls.__name__, vars(cls), HOOKS)

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> W:
        """Return the opening world.  Called when a game starts.

        ``options`` has the parsed value of every declared option, ``seats`` is the number of seats, and ``dice`` the
        only source of chance.  Raise OptionError if the options do not fit together.
        """
        raise NotImplementedError

    def dump(self, world: W) -> Any:
        """Return JSON-able data for the complete world.  Override it only if ``self.world`` is None."""
        if self.world is None:
            raise NotImplementedError(_NO_WORLD)
        return dump_world(world)

    def load(self, data: Any, version: int) -> W:
        """Return the world for data that ``dump`` of this or an older ``version`` returned.

        ``load(dump(w), version)`` must equal ``w``.  Raises ValueError, saying where the fault is, for data that are
        not a world.  Override it only if ``self.world`` is None, or if worlds of older versions differ in more
        than ``stored(since=...)`` can describe.
        """
        if self.world is None:
            raise NotImplementedError(_NO_WORLD)
        loaded: W = load_world(self.world, data, version)
        return loaded

    def sight(self, world: W, seat: Seat | None) -> Mapping[Oid, str]:
        """Return the objects that a seat sees: object number -> the level at which it sees it.

        ``seat`` is None for a spectator.  Levels are words of the ruleset's own choice, passed on to ``show``.  Only
        ``sight`` and ``show`` keep secrets: whatever a seat must not know, they must leave out.
        """
        raise NotImplementedError

    def show(self, world: W, oid: Oid, level: str) -> Shown:
        """Return how an object looks at a level that ``sight`` gave for it.

        The result must not depend on who looks: all seats that see the object at this level see the same.
        """
        raise NotImplementedError

    def outcome(self, world: W) -> Outcome | None:
        """Return how the game ended, or None while it goes on.

        Called for the opening world and after the stages of each phase; once it returns an Outcome, the game is over.
        """
        raise NotImplementedError

    def after_resignation(self, world: W, seats: int, resigned: Collection[Seat]) -> Outcome | None:
        """Return how the game ends now that these seats, of so many, have resigned; None if it goes on without them.

        By default it ends when one seat is left, which wins.  As long as it goes on, nobody waits for those who have
        resigned: like somebody absent they have no orders (``Phase.default_orders``).  Whatever ``outcome`` says at the
        end, they come after all others.
        """
        if seats - len(resigned) > 1:
            return None
        return shared(seats, resigned, "All others have resigned.", self.scores(world, None))

    def agreed_draw(self, world: W, seats: int, resigned: Collection[Seat]) -> Outcome:
        """Return how the game ends as its players have agreed on a draw.

        By default all of the ``seats`` that have not ``resigned`` share the first place.
        """
        return shared(seats, resigned, "The players have agreed on a draw.", self.scores(world, None))

    def legal_orders(self, plan: Plan[W]) -> Iterable[Order]:
        """Return legal orders that ``plan.seat`` could give after those in ``plan.before``.

        For bots and tests.  Every order returned must be legal, but legal orders may be left out.  By default they are
        derived from the domains of the parameters and ``OrderType.check``.  Override it if that is too slow.
        """
        raise NotImplementedError("call tprules.api.legal.legal_orders, which derives them")

    def known(self, world: W, seat: Seat) -> W:
        """Return the world as a seat knows it: with everything that is hidden from the seat replaced.

        It must look and answer to the seat as the true world does, and must not depend on anything that the seat
        cannot know.  By default the world itself, which is right for games without secrets.  For bots.
        """
        return world

    def bot(self, turn: BotTurn[W]) -> None:
        """Give the orders of a bot that plays ``turn.seat``, by ``turn.give``; when this returns, its turn is finished.

        Called for each turn in which the seat is active, away from the thread that serves clients.  A ruleset without
        a bot is played by ``tprules.api.bots.random_bot``.
        """
        raise NotImplementedError

    def precheck(self, plan: Plan[W], order: Order) -> None:
        """Raise a Refusal if the ruleset's own early check refuses the order; by default nothing is refused.

        Called when an order is inserted or probed, at the place of "precheck" in ``checks``.  ``order.args`` are parsed
        only if "form" comes before "precheck".  In a draft, missing arguments are replaced by ``Param.stand_in``.
        """

    def marks(self, plan: Plan[W]) -> Mapping[Oid, Sequence[Amount]]:
        """Return what the orders in ``plan.before`` add to the resources of objects: object number -> amounts.

        Shown to ``plan.seat`` only, on objects that it sees.  Called after each change of the seat's orders.
        """
        return {}

    def end_turn_hint(self, plan: Plan[W]) -> str:
        """Return a text for ``plan.seat`` if it finishes its turn now, such as which orders will be added for it.

        An empty text means that there is nothing to say.  It may tell only what the seat may know.
        """
        return ""

    def role(self, world: W, seat: Seat) -> str:
        """Return the part that a seat plays where not all play the same, in lower case, such as "spider"; else nothing.

        It is public from the beginning, and stays the same.
        """
        return ""

    def scores(self, world: W, seat: Seat | None) -> Mapping[Seat, Mapping[str, int]]:
        """Return how all stand, as ``seat`` (None: a spectator) may know it: seat -> name -> number, the most telling
        first.  Up to 8 for each seat, shown in the list of players in this order; what is a secret is left out."""
        return {}

    def actions(self, plan: Plan[W]) -> tuple[int, int] | None:
        """Return how many actions ``plan.seat`` has used in this turn and how many it has, or None if the game does
        not count them.  Shown to this seat only."""
        return None

    def regions(self, world: W, seat: Seat | None) -> Iterable[Region]:
        """Return the places that belong together or to somebody, as ``seat`` (None: a spectator) may know it."""
        return ()

    def is_gone(self, world: W, seat: Seat, oid: Oid) -> bool:
        """Return whether ``seat`` knows that there was an object with this number and that it is gone.

        Called only for objects that the seat does not see; if true, orders on them are refused as gone (TP04, Fail
        frame, code 6), else as unknown.
        """
        return False

    # What follows is derived from the declarations.

    def phase(self, name: str) -> Phase[W]:
        """Return the phase of this name, or raise KeyError."""
        for phase in self.phases:
            if phase.name == name:
                return phase
        raise KeyError(f"{self.name} has no phase {name!r}")

    def order_type(self, name: str) -> OrderType[W] | None:
        """Return the order type of this name, or None."""
        return self._order_types.get(name)

    @cached_property
    def _order_types(self) -> dict[str, OrderType[W]]:
        return {kind.name: kind() for kind in self.orders}

    def stored(self, order: Order) -> Order:
        """Return the order as it is stored: with its arguments under the names in ``OrderType.stored_names``."""
        kind = self.order_type(order.type)
        names = {} if kind is None else kind.stored_names
        return _renamed(order, names) if names else order

    def restored(self, order: Order) -> Order:
        """Return a stored order with the present names of its arguments: the reverse of ``stored``."""
        kind = self.order_type(order.type)
        names = {} if kind is None else kind.stored_names
        return _renamed(order, {old: new for new, old in names.items()}) if names else order

    def carriers(self) -> Sequence[str]:
        """Return the kinds of object that can carry orders."""
        return [kind for kind in self.kinds if any(kind in order.kinds for order in self.orders)]


def _renamed(order: Order, names: Mapping[str, str]) -> Order:
    return order._replace(args={names.get(name, name): value for name, value in order.args.items()})
