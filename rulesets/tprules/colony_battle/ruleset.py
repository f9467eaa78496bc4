"""Colony Battle as a ruleset: its declarations, and which function implements each hook."""

from __future__ import annotations

from collections.abc import Iterable

from tprules.api import Oid, Order, Phase, Plan, Ruleset, Seat, player
from tprules.colony_battle import bot, views
from tprules.colony_battle.execution import play_main
from tprules.colony_battle.finish import final_outcome, hand_on, place_items
from tprules.colony_battle.opening import OPTIONS, world_of
from tprules.colony_battle.orders import MAIN_ORDERS, ORDERS, Command, PlaceItem, legal_orders, placed_item
from tprules.colony_battle.pieces import CATALOGUE, RESOURCES, STATS
from tprules.colony_battle.world import World

MAIN, PLACE = "main", "place"


def _whose_turn(world: World) -> Iterable[Seat]:
    return (world.seat,)


def _everybody(world: World) -> Iterable[Seat]:
    return range(len(world.colonies))


def _next_phase(world: World) -> str:
    return PLACE if world.placing else MAIN


def _main_title(world: World) -> str:
    return f"Round {world.round}: {player(world.seat)} moves"


def _place_title(world: World) -> str:
    return f"Round {world.round}: {player(world.seat)} places an item"


PHASES: tuple[Phase[World], ...] = (
    Phase(
        MAIN,
        active=_whose_turn,
        orders=MAIN_ORDERS,
        stages=(play_main, hand_on),
        next_phase=_next_phase,
        title=_main_title,
        planners=_everybody,
        removal="free",
    ),
    Phase(
        PLACE,
        active=_whose_turn,
        # The others do nothing in this phase; they are listed so that the orders of units that die can be removed.
        orders=(PlaceItem, *MAIN_ORDERS),
        stages=(place_items,),
        next_phase=_next_phase,
        title=_place_title,
        planners=_everybody,
        removal="free",
    ),
)


class ColonyBattle(Ruleset[World]):
    """Two ant queens race through three boards for one burrow throne."""

    name = "colony_battle"
    title = "Colony Battle"
    help = (
        "Spawn ants, dig down through three boards past earthworms and spiders, and bring your queen onto the burrow "
        "throne first, or kill the other one."
    )
    world = World
    version = 2
    """2: ways over trails follow RULES.md, stuck worms follow R75; the stored worlds are unchanged."""
    seats = range(2, 3)
    options = OPTIONS
    orders = ORDERS
    phases = PHASES
    kinds = views.KINDS
    resources = RESOURCES
    catalogue = CATALOGUE
    checks = ("over", "nosuch", "owner", "kind", "phase", "active", "form", "precheck", "choice")
    """``precheck`` is before ``choice``: with an empty hand, the named item is not the fault (RULES.md, section 4)."""

    setup = staticmethod(world_of)
    sight = staticmethod(views.sight)
    show = staticmethod(views.show)
    outcome = staticmethod(final_outcome)
    legal_orders = staticmethod(legal_orders)
    known = staticmethod(views.known)
    bot = staticmethod(bot.bot)

    def precheck(self, plan: Plan[World], order: Order) -> None:
        kind = self.order_type(order.type)
        if isinstance(kind, Command):
            kind.judge(plan, order)

    def end_turn_hint(self, plan: Plan[World]) -> str:
        world = plan.world
        if not world.placing or plan.seat != world.seat:
            return ""
        placed = [placed_item(order) for order in plan.before if order.type == PlaceItem.name]
        left = [STATS[world.items[oid].kind].name for oid in world.hand(plan.seat) if oid not in placed]
        return f"What you do not place yourself is put beside your queen: {', '.join(left)}." if left else ""

    def is_gone(self, world: World, seat: Seat, oid: Oid) -> bool:
        return world.is_gone(oid)


RULESET = ColonyBattle()
