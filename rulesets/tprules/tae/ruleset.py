"""TaE as a ruleset: its declarations, and the functions for its hooks."""

from __future__ import annotations

from tprules.api import Checks, Flag, Integer, IntegerList, Phase, Ruleset, Text, Turn, player
from tprules.tae import bot, views
from tprules.tae import world as worlds
from tprules.tae.board import DEFAULT_MAP, read_board
from tprules.tae.designs import CATALOGUE
from tprules.tae.execution import announce_combat, execute_orders, fight, final_outcome, find_combat, finish_turn
from tprules.tae.orders import ORDERS, Attack, Colonize, ColonizeMining, Exchange, Move, Reinforce, judge, legal_orders
from tprules.tae.resources import RESOURCES
from tprules.tae.world import WORDS, World

NORMAL, COMBAT = "normal", "combat"


def _next_phase(world: World) -> str:
    return COMBAT if world.combat else NORMAL


def _combat_title(world: World) -> str:
    combat = world.combat
    if combat is None:
        return ""
    attacker, defender = combat.sides
    where = world.board.names[combat.square]
    leaders = WORDS[combat.type].leader
    return f"{combat.kind.capitalize()} combat at {where}: {player(attacker)} against {player(defender)} ({leaders}s)"


def _go_on(turn: Turn[World]) -> None:
    """Announce the next combat, or finish the normal turn (R38, R48, R49)."""
    find_combat(turn.world)
    if turn.world.combat:
        announce_combat(turn)
    else:
        finish_turn(turn)


class Tae(Ruleset[World]):
    name = "tae"
    title = "TaE: Tigris and Euphrates in space"
    help = (
        "Plant colonies, earn points through leaders, and fight over regions that meet. "
        "The lowest of your four kinds of points is your score."
    )
    world = World
    version = 2
    """2: the option ``idle_turns``."""
    seats = range(2, 5)
    options = {
        "board": Text(
            DEFAULT_MAP,
            "The map, north first: . inhabitable, M uninhabitable, A with an artifact and a scientist colony",
            read_board,
            allowed="a map of lines of equal length (or separated by /), drawn with . M and A,",
        ),
        "hand_size": Integer(6, "Colonists in a hand", 1, 12),
        "bombers": Integer(2, "Bombers of a player", 0, 9),
        "actions": Integer(2, "Orders of a player in a normal turn", 1, 6),
        "pool": IntegerList(
            (30, 57, 30, 36), "Merchants, scientists, settlers and mining robots to draw from", 4, 0, 500
        ),
        "min_artifacts": Integer(3, "The game ends when fewer artifacts are left", 1, 99),
        "exchange": Flag(True, "Whether colonists in the hand can be exchanged"),
        "protect_artifacts": Flag(False, "Whether a scientist colony on an artifact survives a lost external combat"),
        "max_turns": Integer(1000, "The game ends after this many normal turns", 10, 100000),
        "idle_turns": Integer(20, "It ends after so many normal turns in a row without an order, 0 for never", 0, 1000),
    }
    orders = ORDERS
    clock_groups = {"combat": "the turns of a combat, in which its two sides may reinforce in secret"}
    phases = (
        Phase(
            NORMAL,
            active=lambda world: range(len(world.players)),
            orders=(ColonizeMining, Colonize, Move, Attack, Exchange),
            stages=(execute_orders, _go_on),
            next_phase=_next_phase,
            title=lambda world: f"Turn {world.turns + 1}: {player(world.first)} is first",
        ),
        Phase(
            COMBAT,
            active=lambda world: world.combat.sides if world.combat else (),
            orders=(Reinforce,),
            stages=(fight, _go_on),
            next_phase=_next_phase,
            title=_combat_title,
            clock_group="combat",
        ),
    )
    kinds = views.KINDS
    resources = RESOURCES
    catalogue = CATALOGUE
    appearance = views.APPEARANCE
    checks = Checks(("over", "phase", "form", judge))
    """``judge`` checks all reasons from ``off`` to ``kind``, which have their own order (RULES.md, section 4)."""

    setup = staticmethod(worlds.opened)
    sight = staticmethod(views.sight)
    show = staticmethod(views.show)
    known = staticmethod(views.known)
    scores = staticmethod(views.scores)
    regions = staticmethod(views.regions)
    actions = staticmethod(views.actions)
    outcome = staticmethod(final_outcome)
    legal_orders = staticmethod(legal_orders)
    bot = staticmethod(bot.bot)


RULESET = Tae()
