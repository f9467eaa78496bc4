"""The objects that players see (RULES.md, sections 6 and 7).

Everything is public except for orders, which no ruleset shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from tprules import api
from tprules.antshouse import world as worlds
from tprules.antshouse.board import CORNERS, COURSES, NAMES, SIDE, SQUARES, column_and_row
from tprules.antshouse.designs import ANT, PINE_CONE
from tprules.antshouse.resources import CONES, DEATHS, HITS, HOME, HOME_PLANET, TO_GOAL, TURNED
from tprules.antshouse.world import OFF_BOARD, UNIVERSE, World
from tprules.kit.grid import Square
from tprules.kit.words import called

EVERYBODY = "everybody"
"""The only level of sight."""

_SLOTS = 1
"""Maximum orders in a queue: one, as each phase has one type for each object (RULES.md, section 4)."""

KINDS = {
    "universe": api.Kind(
        api.Role.UNIVERSE,
        "Universe",
        "The Universe",
        (
            api.Group(
                "Game",
                "How far the game is",
                (
                    ("Round", "The number of the round"),
                    ("Phase", "0 setup, 1 plan, 2 push, 3 water, 4 respawn, 5 over"),
                ),
            ),
        ),
        look=called("universe"),
    ),
    "pavement": api.Kind(api.Role.GALAXY, "Pavement", "The board", look=called("pavement")),
    "square": api.Kind(api.Role.STAR_SYSTEM, "Square", "A square of the pavement", look=called("square")),
    "ground": api.Kind(
        api.Role.PLANET,
        "Ground",
        "The ground of a square; its resources say what is there",
        look=called("ground"),
        nameless=True,
    ),
    "ant": api.Kind(
        api.Role.FLEET,
        "Ant",
        "An ant: a medium pyramid on its side",
        (api.Group("Way", "How far the ant is", (("Turned", "1 if it has been on the other side"),)),),
        resources=True,
        slots=_SLOTS,
        look=called("ant"),
    ),
    "cone": api.Kind(api.Role.FLEET, "Pine Cone", "A pine cone, which no ant can enter", look=called("pine cone")),
    "home": api.Kind(api.Role.STAR_SYSTEM, "Home", "The side of the pavement where a player sits", look=called("side")),
    "kid": api.Kind(
        api.Role.PLANET,
        "Kid",
        "A player's stash pad; orders to enter, to throw and to choose are given here",
        slots=_SLOTS,
        look=called("kid"),
    ),
}

_SPACING = 1000
_BESIDE = 2000
"""Distance of the kids from the edge of the pavement, in units of positions."""
_PAVEMENT_SIZE, _SQUARE_SIZE, _ANT_SIZE, _CONE_SIZE = 8000, 900, 600, 300

_AT = tuple((x * _SPACING, y * _SPACING, 0) for x, y in map(column_and_row, SQUARES))

_LOW, _MIDDLE, _HIGH = -_BESIDE, (SIDE - 1) * _SPACING // 2, (SIDE - 1) * _SPACING + _BESIDE
_SIDES_AT = ((_MIDDLE, _LOW, 0), (_MIDDLE, _HIGH, 0), (_LOW, _MIDDLE, 0), (_HIGH, _MIDDLE, 0))
_CORNERS_AT = ((_LOW, _LOW, 0), (_HIGH, _HIGH, 0), (_HIGH, _LOW, 0), (_LOW, _HIGH, 0))

_THE_PAVEMENT = api.Shown("pavement", "The Pavement", UNIVERSE, size=_PAVEMENT_SIZE)
_SQUARES = tuple(api.Shown("square", NAMES[square], worlds.PAVEMENT, _AT[square], _SQUARE_SIZE) for square in SQUARES)
_A_CONE, _A_HOME, _A_HIT = api.Amount(CONES, 1), api.Amount(HOME, 1), api.Amount(HITS, 1)


def sight(world: World, seat: api.Seat | None) -> Mapping[api.Oid, str]:
    """Return all objects: every seat sees everything."""
    return dict.fromkeys(range(world.end()), EVERYBODY)


def show(world: World, oid: api.Oid, level: str) -> api.Shown:
    square = world.square(oid)
    if square is not None:
        return _SQUARES[square] if oid == world.system(square) else _ground(world, square)
    if oid == UNIVERSE:
        numbers = (world.round, worlds.PHASES.index(world.phase))
        return api.Shown("universe", "The Universe", UNIVERSE, size=10**6, numbers=numbers)
    if oid == worlds.PAVEMENT:
        return _THE_PAVEMENT
    if not 0 <= oid < world.end():
        raise KeyError(oid)
    if oid >= world.first_cone():
        return _cone(world, oid)
    seat, which = divmod(oid - worlds.FIRST_HOME, worlds.OF_A_SEAT)
    return (_home, _kid, _ant)[which](world, seat)


@lru_cache(maxsize=8)
def _homes(layout: str, seats: int) -> frozenset[Square]:
    """Return the squares that are a home of any seat.

    They do not name the seat, because old clients add amounts up.
    """
    return frozenset(square for course in COURSES[layout][:seats] for square in course.home)


def _ground(world: World, square: Square) -> api.Shown:
    homes = _homes(world.settings.layout, len(world.players))
    resources = [
        *([_A_CONE] if square in world.cones else []),
        *([_A_HOME] if square in homes else []),
        *([_A_HIT] if square in world.hits else []),
    ]
    name = f"Ground of {NAMES[square]}"
    return api.Shown("ground", name, world.system(square), _AT[square], _SQUARE_SIZE, resources=tuple(resources))


def _cone(world: World, oid: api.Oid) -> api.Shown:
    square, seat = list(world.cones.items())[oid - world.first_cone()]
    name = f"Pine Cone of {api.player(seat)}"
    return api.Shown("cone", name, world.system(square), _AT[square], _CONE_SIZE, seat, ships=(api.Ships(PINE_CONE),))


def _home_at(world: World, seat: api.Seat) -> tuple[int, int, int]:
    return (_CORNERS_AT if world.settings.layout == CORNERS else _SIDES_AT)[seat]


def _home(world: World, seat: api.Seat) -> api.Shown:
    return api.Shown("home", f"{api.player(seat)}'s Side", worlds.PAVEMENT, _home_at(world, seat), _SQUARE_SIZE)


def _kid(world: World, seat: api.Seat) -> api.Shown:
    one = world.players[seat]
    resources = (
        api.Amount(CONES, one.pad[worlds.CONE]),
        *(api.Amount(weapon, one.pad[weapon], 0, one.used[weapon]) for weapon in (worlds.WATER, worlds.GLASS)),
        api.Amount(DEATHS, one.deaths),
        api.Amount(HOME_PLANET, 1),
    )
    name = f"{api.player(seat)}'s Kid"
    return api.Shown("kid", name, world.home(seat), _home_at(world, seat), _SQUARE_SIZE, seat, resources=resources)


def _ant(world: World, seat: api.Seat) -> api.Shown:
    one = world.players[seat]
    name, ships, turned = f"Ant of {api.player(seat)}", (api.Ships(ANT),), (int(one.turned),)
    if one.ant == OFF_BOARD:
        return api.Shown("ant", name, world.kid(seat), _home_at(world, seat), _ANT_SIZE, seat, turned, ships=ships)
    resources = (api.Amount(TO_GOAL, world.to_goal(seat, one.ant)), api.Amount(TURNED, turned[0]))
    return api.Shown("ant", name, world.system(one.ant), _AT[one.ant], _ANT_SIZE, seat, turned, resources, ships)


# --- Scores


def scores(world: World, seat: api.Seat | None) -> dict[api.Seat, dict[str, int]]:
    """Return the steps that each ant has to go, there and home again, and the losses on the way."""
    return {
        one: {
            "Steps to go": world.steps_left(one),
            "On the way home": int(each.turned),
            "Ants lost": each.deaths,
        }
        for one, each in enumerate(world.players)
    }


def regions(world: World, seat: api.Seat | None) -> list[api.Region]:
    """Return the homes of the seats, where their ants enter and return."""
    return [
        api.Region(tuple(map(world.system, world.course(one).home)), one, f"Home of {api.player(one)}")
        for one in range(len(world.players))
    ]
