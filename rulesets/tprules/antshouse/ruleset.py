"""Antshouse as a ruleset: declarations, and the functions for its hooks."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from tprules.antshouse import bot, execution, views
from tprules.antshouse import world as worlds
from tprules.antshouse.board import DIRECTION_NAMES, LAYOUTS, NAMES, SIDES
from tprules.antshouse.designs import CATALOGUE
from tprules.antshouse.orders import SQUARE, Enter, Flush, Go, Push, Throw, default_direction, legal_orders
from tprules.antshouse.resources import RESOURCES
from tprules.antshouse.world import BACK, CONTESTS, FLUSH, GESTURE, GOALS, PLAN, PUSH, RESPAWN, SETUP, World
from tprules.api import Integer, OneOf, Order, Phase, Plan, Ruleset, Seat, player


def _entering(world: World, seat: Seat) -> Iterable[Order]:
    yield Order(seat, world.kid(seat), Enter.name, {SQUARE: world.system(execution.default_entrance(world, seat))})


def _first_direction(world: World, seat: Seat) -> Iterable[Order]:
    """Return the default order of a push or water phase: the lowest direction that is possible."""
    return islice(legal_orders(Plan(world, world.phase, seat)), 1)


def _shove_title(world: World) -> str:
    shove = world.shove
    if shove is None:
        return ""
    where = NAMES[world.players[shove.seat].ant]
    what = "pushes" if world.pushes else "washes away"
    return f"Round {world.round}: {player(shove.chooser)} {what} the ant of {player(shove.seat)} on {where}"


_AFTER_A_MOVE = (execution.settle_pushes, execution.rank_throws, execution.resolve_throws, execution.finish_round)


class Antshouse(Ruleset[World]):
    name = "antshouse"
    title = "Antshouse"
    help = (
        "Bring your ant across the pavement and home again before the others do, and throw pine cones, water and "
        "magnifying glasses at theirs. Everybody plans in secret, and everything happens at once."
    )
    world = World
    version = 1
    seats = range(2, 5)
    options = {
        "layout": OneOf(SIDES, "Whether ants start on the sides of the pavement or in its corners", LAYOUTS),
        "goal": OneOf(BACK, "Whether ants win at home again, or on the other side already", GOALS),
        "contest": OneOf(GESTURE, "Whether gestures decide contests, or chance alone", CONTESTS),
        "cone_guard": OneOf(
            "auto",
            "Whether a pine cone that would close the last way of an ant goes back (auto: in the corners layout)",
            ("on", "off", "auto"),
        ),
        "max_rounds": Integer(100, "The game ends after this many rounds", 10, 1000),
    }
    orders = (Enter, Go, Throw, Push, Flush)
    clock_groups = {
        "entering": "the turns in which new ants enter",
        "shove": "the turns in which one player chooses where an ant is pushed or flushed",
    }
    phases = (
        Phase(
            SETUP,
            active=lambda world: range(len(world.players)),
            orders=(Enter,),
            stages=(execution.enter_ants,),
            next_phase=lambda world: world.phase,
            title=lambda world: "All ants enter",
            default_orders=_entering,
            clock_group="entering",
        ),
        Phase(
            PLAN,
            active=lambda world: range(len(world.players)),
            orders=(Go, Throw),
            stages=(execution.reveal_and_move, execution.find_clashes, *_AFTER_A_MOVE),
            next_phase=lambda world: world.phase,
            title=lambda world: f"Round {world.round}: all plan a step and a throw",
        ),
        Phase(
            PUSH,
            active=lambda world: (world.shove.chooser,) if world.shove else (),
            orders=(Push,),
            stages=(execution.push, *_AFTER_A_MOVE),
            next_phase=lambda world: world.phase,
            title=_shove_title,
            clock_group="shove",
            default_orders=_first_direction,
        ),
        Phase(
            FLUSH,
            active=lambda world: (world.shove.chooser,) if world.shove else (),
            orders=(Flush,),
            stages=(execution.flush, execution.resolve_throws, execution.finish_round),
            next_phase=lambda world: world.phase,
            title=_shove_title,
            clock_group="shove",
            default_orders=_first_direction,
        ),
        Phase(
            RESPAWN,
            active=lambda world: world.dead(),
            orders=(Enter,),
            stages=(execution.enter_ants,),
            next_phase=lambda world: world.phase,
            title=lambda world: f"Round {world.round}: a new ant for {' and '.join(map(player, world.dead()))}",
            default_orders=_entering,
            clock_group="entering",
        ),
    )
    kinds = views.KINDS
    resources = RESOURCES
    catalogue = CATALOGUE

    setup = staticmethod(worlds.opened)
    sight = staticmethod(views.sight)
    show = staticmethod(views.show)
    scores = staticmethod(views.scores)
    regions = staticmethod(views.regions)
    outcome = staticmethod(execution.final_outcome)
    legal_orders = staticmethod(legal_orders)
    bot = staticmethod(bot.bot)

    def end_turn_hint(self, plan: Plan[World]) -> str:
        if plan.phase != PLAN or any(order.type == Go.name for order in plan.before):
            return ""
        way = DIRECTION_NAMES[default_direction(plan.world, plan.seat)]
        return f"You have not said where your ant goes; it will go {way}."


RULESET = Antshouse()
