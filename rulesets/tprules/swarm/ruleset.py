"""Swarm as a ruleset: its declarations, and the functions for its hooks."""

from __future__ import annotations

from tprules.api import Checks, Flag, Integer, Phase, Ruleset
from tprules.swarm import bot, views
from tprules.swarm import world as worlds
from tprules.swarm.designs import CATALOGUE
from tprules.swarm.execution import final_outcome, go_on, move_cubes, place_cube, tell_end
from tprules.swarm.orders import ORDERS, MoveCube, PlaceCube, in_class, judge, legal_orders, missing_orders, must_leave
from tprules.swarm.resources import RESOURCES
from tprules.swarm.world import COLOURS, World

ROLL, PLACE, MOVE = "roll", "place", "move"


def _move_title(world: World) -> str:
    if not world.movers:
        return ""
    seat = world.movers[0]
    return f"Round {world.round}: {COLOURS[seat]} moves {world.movement} (rolled {world.rolls[seat]})"


def _place_title(world: World) -> str:
    if not world.pending:
        return ""
    why = f"double {world.double}" if world.double else "rolled 1"
    return f"Round {world.round}: {COLOURS[world.pending[0][0]]} places ({why})"


def _next_phase(world: World) -> str:
    return PLACE if world.pending else MOVE


class Swarm(Ruleset[World]):
    name = "swarm"
    title = "Swarm"
    help = (
        "Roll, move that many steps, and catch enemy cubes between two of yours to turn them. "
        "Win with all your cubes on the board, or when the enemy has a single one left."
    )
    world = World
    version = 2
    """2: R16 does not apply to a step that wins. The stored worlds are unchanged."""
    seats = range(2, 3)
    options = {
        "cubes_total": Integer(20, "Cubes of a player; who has all of them on the board wins", 7, 40),
        "initial_cubes": Integer(6, "Cubes of a player on the board at the start, from file a", 2, 6),
        "diagonal_moves": Flag(True, "Whether cubes step in eight directions instead of four"),
        "chain_swarm": Flag(True, "Whether a captured cube can capture in its turn"),
        "double_limit": Integer(3, "Cubes that a player can place in a round because of doubles", 0, 6),
        "max_rounds": Integer(200, "The game ends after this many rounds", 10, 1000),
        "opening_seat": Integer(1, "The player who places first when the first round begins with a double", 1, 2),
    }
    orders = ORDERS
    clock_groups = {"placing": "the turns in which a player places a cube"}
    phases = (
        Phase(ROLL, active=lambda world: (), orders=(), stages=(go_on, tell_end), next_phase=_next_phase),
        Phase(
            PLACE,
            active=lambda world: (world.pending[0][0],) if world.pending else (),
            orders=(PlaceCube,),
            stages=(place_cube, go_on, tell_end),
            reveals_nothing=True,
            next_phase=_next_phase,
            title=_place_title,
            clock_group="placing",
            removal="free",
        ),
        Phase(
            MOVE,
            active=lambda world: (world.movers[0],) if world.movers and not world.pending else (),
            orders=(MoveCube,),
            stages=(move_cubes, go_on, tell_end),
            reveals_nothing=True,
            next_phase=_next_phase,
            title=_move_title,
            removal="free",
        ),
    )
    kinds = views.KINDS
    resources = RESOURCES
    catalogue = CATALOGUE
    appearance = views.APPEARANCE
    checks = Checks(("form", judge, "over", "phase", "active"), reword=in_class)
    """``judge`` checks the objects that an order names. The order is that of RULES.md, section 4."""

    setup = staticmethod(worlds.opened)
    sight = staticmethod(views.sight)
    show = staticmethod(views.show)
    scores = staticmethod(views.scores)
    actions = staticmethod(views.actions)
    outcome = staticmethod(final_outcome)
    legal_orders = staticmethod(legal_orders)
    end_turn_hint = staticmethod(missing_orders)
    marks = staticmethod(must_leave)
    bot = staticmethod(bot.bot)


RULESET = Swarm()
