"""Colony Battle as a ruleset: options, declarations, and its hooks."""

from __future__ import annotations

import re
from collections.abc import Callable

from tprules.api import Checks, Flag, Integer, IntegerList, Oid, OneOf, Order, Phase, Plan, Ruleset, Seat, Text, player
from tprules.api.ruleset import find_order_type
from tprules.colony_battle import bot, views
from tprules.colony_battle.designs import CATALOGUE
from tprules.colony_battle.execution import final_outcome, hand_on, place_items, play_main
from tprules.colony_battle.orders import MAIN_ORDERS, Command, PlaceItem, legal_orders, placed_item
from tprules.colony_battle.resources import RESOURCES
from tprules.colony_battle.world import LEFT, RIGHT, STATS, World, opened

_FACING = {"left": LEFT, "right": RIGHT}
_SPOT = re.compile(r"([0-9]{1,3}):([0-9]{1,3}),([0-9]{1,3})")
_WORM = re.compile(r"([0-9]{1,3}):([0-9]{1,3}),([0-9]{1,3}) (left|right)(?: ([0-9]{1,3})(?![0-9:]))?")

_OWN_LENGTH = 0
"""The number for the default length of a worm."""


def _spots(least: int, most: int) -> Callable[[str], list[list[int]]]:
    """Return a reader, for an option, of a list of ``least`` to ``most`` squares."""

    def read(text: str) -> list[list[int]]:
        found = []
        for word in text.split():
            match = _SPOT.fullmatch(word)
            if match is None:
                raise ValueError(f"{word!r} is not a square such as 0:8,6 (board:x,y)")
            found.append([int(number) for number in match.groups()])
        if not least <= len(found) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise ValueError(f"give {wanted} squares, not {len(found)}")
        return found

    return read


def _read_spot(text: str) -> list[int]:
    return _spots(1, 1)(text)[0]


def _read_worms(text: str) -> list[list[int]]:
    """Return board, x and y of the head, facing and length of each worm."""
    words = re.sub(r"[();]", " ", text).split()
    worms: list[list[int]] = []
    line = " ".join(words)
    while line:
        match = _WORM.match(line)
        if match is None or line[match.end() : match.end() + 1].strip():
            raise ValueError(f"{line!r} does not begin with a worm such as 0:12,3 right 10 (head, facing, length)")
        board, x, y, facing, length = match.groups()
        worms.append([int(board), int(x), int(y), _FACING[facing], int(length) if length else _OWN_LENGTH])
        line = line[match.end() :].strip()
    if len(worms) > _MOST_CREATURES:
        raise ValueError(f"give at most {_MOST_CREATURES} worms, not {len(worms)}")
    if any(not 2 <= worm[4] <= _LONGEST_WORM for worm in worms if worm[4] != _OWN_LENGTH):
        raise ValueError(f"a worm has 2 to {_LONGEST_WORM} segments")
    return worms


_MOST_CREATURES = 6
_LONGEST_WORM = 32
_SQUARE = "a square such as 0:8,6 (board:x,y)"

MAIN, PLACE = "main", "place"


def _next_phase(world: World) -> str:
    return PLACE if world.placing else MAIN


def _judge(plan: Plan[World], order: Order) -> None:
    kind = find_order_type(RULESET, order.type)
    if isinstance(kind, Command):
        kind.judge(plan, order)


class ColonyBattle(Ruleset[World]):
    name = "colony_battle"
    title = "Colony Battle"
    help = (
        "Spawn ants, dig down through three boards past earthworms and spiders, and bring your queen onto the burrow "
        "throne first, or kill the other one."
    )
    world = World
    version = 2
    """2: ways over trails follow RULES.md, stuck worms follow R75. The stored worlds are unchanged."""
    seats = range(2, 3)
    options = {
        "width": Integer(17, "Columns of all three boards", 13, 64),
        "height": Integer(13, "Rows of all three boards", 9, 64),
        "adjacency": OneOf("4", "Whether squares have 4 neighbours, or 8 with those across the corners", ("4", "8")),
        "first_player": OneOf("random", "The first player", ("random", "0", "1")),
        "starts": Text("0:1,6 0:15,6", "Where the queens begin", _spots(2, 2), allowed="two squares of board 0"),
        "entrance1": Text("0:8,6", "The entrance from board 0 to board 1", _read_spot, allowed=_SQUARE),
        "entrance2": Text("1:8,11", "The entrance from board 1 to board 2", _read_spot, allowed=_SQUARE),
        "throne": Text("2:8,1", "The burrow throne on board 2", _read_spot, allowed=_SQUARE),
        "dig_turns": IntegerList((3, 5, 10), "Rounds of excavation for the two entrances and the throne", 3, 1, 99),
        "items": Text(
            "0:4,2 0:12,2 0:4,10 0:12,10 1:3,3 1:13,3 2:4,6 2:12,6",
            "Where items lie at the beginning",
            _spots(0, 40),
            allowed="up to 40 squares",
        ),
        "item_kinds": IntegerList((4, 4), "How many of the items are antlions and termite bombs", 2, 0, 40),
        "items_hidden": Flag(True, "Whether items stay unknown until they are activated"),
        "worms": Text(
            "0:12,3 right 1:4,8 left",
            "Earthworms: the square of the head, left or right, and the length if it is not worm_length",
            _read_worms,
            allowed="up to 6 worms such as 0:12,3 right 10",
        ),
        "worm_length": Integer(10, "Segments of an earthworm", 2, _LONGEST_WORM),
        "spiders": Text("1:8,1 2:8,6", "Where spiders begin", _spots(0, _MOST_CREATURES), allowed="up to 6 squares"),
        "web_max": Integer(6, "The largest radius of a web", 1, 12),
        "spider_speed": Integer(6, "Squares that a spider walks in a player's turn, and at the end of a round", 1, 20),
        "spider_relocate": Integer(10, "How far a spider goes at least to begin a new web", 1, 20),
        "move_cap": Integer(3, "Units that a player may move in a turn", 1, 50),
        "caps": IntegerList((10, 5, 2, 1), "The most workers, soldiers, drones and young queens of a player", 4, 0, 50),
        "brood": IntegerList(
            (0, 1, 2, 3), "Turns a queen gives up for a worker, soldier, drone and young queen", 4, 0, 9
        ),
        "antlion_range": Integer(3, "How near enemy ants may not come to an antlion", 0, 9),
        "antlion_kills": Integer(3, "Ants after which an antlion dies", 1, 99),
        "blast_range": Integer(4, "How far a termite bomb hurts", 0, 12),
        "blast_damage": Integer(2, "How much a termite bomb hurts", 1, 10),
        "trail_life": Integer(0, "Rounds for which a trail lasts; 0 is for ever", 0, 999),
        "web_persists": Flag(False, "Whether webs stay when their spider moves on"),
        "termite_any_queen": Flag(False, "Whether a termite bomb may be put beside either queen"),
        "max_rounds": Integer(200, "The game is a draw after this many rounds", 10, 5000),
    }
    orders = (*MAIN_ORDERS, PlaceItem)
    clock_groups = {"items": "the turns in which the player who moved places an item"}
    phases = (
        Phase(
            MAIN,
            active=lambda world: (world.seat,),
            orders=MAIN_ORDERS,
            stages=(play_main, hand_on),
            next_phase=_next_phase,
            title=lambda world: f"Round {world.round}: {player(world.seat)} moves",
            planners=lambda world: range(len(world.colonies)),
            removal="free",
        ),
        Phase(
            PLACE,
            active=lambda world: (world.seat,),
            # The others have no effect in this phase. They are listed so that the orders of dead units can be removed.
            orders=(PlaceItem, *MAIN_ORDERS),
            stages=(place_items,),
            next_phase=_next_phase,
            title=lambda world: f"Round {world.round}: {player(world.seat)} places an item",
            clock_group="items",
            planners=lambda world: range(len(world.colonies)),
            removal="free",
        ),
    )
    kinds = views.KINDS
    resources = RESOURCES
    catalogue = CATALOGUE
    appearance = views.APPEARANCE
    checks = Checks(("over", "nosuch", "owner", "kind", "phase", "active", "form", _judge, "choice"))
    """``_judge`` is before ``choice``: with an empty hand, the named item is not the fault (RULES.md, section 4)."""

    setup = staticmethod(opened)
    sight = staticmethod(views.sight)
    show = staticmethod(views.show)
    scores = staticmethod(views.scores)
    regions = staticmethod(views.regions)
    outcome = staticmethod(final_outcome)
    legal_orders = staticmethod(legal_orders)
    known = staticmethod(views.known)
    bot = staticmethod(bot.bot)

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
