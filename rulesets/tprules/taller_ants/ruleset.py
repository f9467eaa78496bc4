"""Taller-Ants as a ruleset: declarations, and the functions for its hooks."""

from __future__ import annotations

from tprules.api import Checks, Flag, Integer, OneOf, Option, Order, Phase, Plan, Ruleset, Text
from tprules.api.ruleset import find_order_type
from tprules.taller_ants import bot, rounds, views
from tprules.taller_ants import world as worlds
from tprules.taller_ants.board import MEADOW, read_board
from tprules.taller_ants.designs import CATALOGUE
from tprules.taller_ants.orders import Command, in_class
from tprules.taller_ants.resources import RESOURCES
from tprules.taller_ants.rounds import ORDERS, SETUP_ORDERS, UNIT_ORDERS
from tprules.taller_ants.world import (
    ALTERNATE,
    BY_FUNGUS,
    FIXED,
    FOUR_GROUPS,
    IN_MIDDLE,
    OPEN,
    OWN,
    SPIDER_SEAT,
    TWO_GROUPS,
    World,
)


def _title(world: World) -> str:
    if world.stage == worlds.SETUP:
        return "Setup"
    return f"Round {world.round}: {'spider' if world.active == SPIDER_SEAT else f'ants {world.active}'}"


OPTIONS: dict[str, Option] = {
    "ant_players": Integer(0, "Ant players: 1 or 2 to insist on that number, 0 for all who have joined", 0, 2),
    "ant_setup": OneOf(FOUR_GROUPS, "What a colony starts with", (FOUR_GROUPS, TWO_GROUPS)),
    "map": OneOf("meadow14", "The map: meadow14, or the one of the option map_text", ("meadow14", "text")),
    "map_text": Text(
        MEADOW,
        "A map, north first: . soil, comma grass, # rock, ~ water, F fungus (a group a half), 1 to 9 fungus groups",
        read_board,
        allowed="a map of 8 to 32 lines of equal length, 8 to 32, drawn with . , # ~ F and 1 to 9,",
    ),
    "places": OneOf(
        BY_FUNGUS, "Where the standard places are: holes by the fungus, or in the middle", (BY_FUNGUS, IN_MIDDLE)
    ),
    "web_goal_percent": Integer(50, "Squares above that the spider must cover, in percent", 10, 100),
    "cocoon_goal": Integer(20, "Ants that the spider must have cocooned", 1, 100),
    "food_goal": Integer(100, "Food that a colony must store", 10, 1000),
    "ants_goal": Integer(50, "Ants that a colony must have", 5, 200),
    "start_cocooned": Integer(10, "Cocooned ants that the first spider carries", 0, 30),
    "spider_hp": Integer(20, "Hit points of a spider", 1, 100),
    "queen_hp": Integer(10, "Hit points of a queen", 1, 100),
    "max_spiders": Integer(5, "Spiders at one time", 1, 10),
    "store_per_square": Integer(5, "Food that can be stored on an excavated square, 0 for no limit", 0, 100),
    "ant_hatch_delay": Integer(1, "Own phases until an ant egg hatches", 1, 5),
    "ant_hatch_food": Integer(0, "Food within reach that an ant egg needs to hatch", 0, 5),
    "ward_cost_mp": Integer(0, "Move points that a ward costs", 0, 5),
    "web_under_ants": Flag(False, "Whether a web may be built under ants"),
    "phase_steps": Integer(1, "Turns that a phase may have", 1, 5),
    "underground": OneOf(OPEN, "Whether all see what is below (open), or only what is near or their own", (OPEN, OWN)),
    "ant_order": OneOf(ALTERNATE, "Whether two colonies alternate in who is first", (FIXED, ALTERNATE)),
    "max_rounds": Integer(60, "The game ends after this many rounds", 5, 500),
    "seal_rounds": Integer(10, "It ends after so many rounds in which all colonies are shut in, 0 for never", 0, 100),
}

PHASES: tuple[Phase[World], ...] = (
    Phase(
        worlds.SETUP,
        active=lambda world: range(world.seats),
        orders=SETUP_ORDERS,
        stages=(rounds.set_up,),
        next_phase=lambda world: world.stage,
        title=_title,
        removal="free",
        clock_group="setup",
    ),
    *(
        Phase[World](
            name,
            active=lambda world: (world.active,),
            planners=World.living,
            orders=UNIT_ORDERS,
            stages=(rounds.act, rounds.regroup, rounds.cull, rounds.judge_phase, rounds.go_on),
            next_phase=lambda world: world.stage,
            title=_title,
            removal="free",
        )
        for name in (worlds.SPIDER, worlds.ANTS)
    ),
)


def _judge(plan: Plan[World], order: Order) -> None:
    kind = find_order_type(RULESET, order.type)
    if isinstance(kind, Command):
        kind.judge(plan, order)


class TallerAnts(Ruleset[World]):
    name = "taller_ants"
    title = "Taller-Ants"
    help = (
        "A spider player webs the ground and cocoons ants; colonies of ants dig, harvest fungus, store food and breed. "
        "Each has goals of its own."
    )
    world = World
    version = 3
    """2: groups remember that their actions have ended (R80). 3: the option ``places``."""
    seats = range(2, 4)
    options = OPTIONS
    orders = ORDERS
    clock_groups = {"setup": "the turns before the first round, in which all set up"}
    phases = PHASES
    kinds = views.KINDS
    resources = RESOURCES
    catalogue = CATALOGUE
    appearance = views.APPEARANCE
    checks = Checks(("form", "choice", _judge, "phase", "active", "over"), reword=in_class)
    """The order of classes in RULES.md, section 4. ``_judge`` checks objects, ``BadOrder`` to ``NoSuchThing``."""

    setup = staticmethod(worlds.opened)
    sight = staticmethod(views.sight)
    show = staticmethod(views.show)
    known = staticmethod(views.known)
    role = staticmethod(views.role)
    scores = staticmethod(views.scores)
    regions = staticmethod(views.regions)
    outcome = staticmethod(rounds.final_outcome)
    legal_orders = staticmethod(rounds.legal_orders)
    bot = staticmethod(bot.bot)


RULESET = TallerAnts()
