"""What players see: everything but orders, which no ruleset shows (RULES.md, sections 6 and 7)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from tprules.antshouse.board import CORNERS, COURSES, NAMES, SIDE, SQUARES, column_and_row
from tprules.antshouse.world import (
    CONE,
    FIRST_HOME,
    GLASS,
    OF_A_SEAT,
    OFF_BOARD,
    PAVEMENT,
    PHASES,
    UNIVERSE,
    WATER,
    World,
)
from tprules.api import (
    Amount,
    Catalogue,
    Component,
    Design,
    DesignProperty,
    Group,
    Kind,
    Oid,
    Resource,
    Role,
    Seat,
    Ships,
    Shown,
    player,
)
from tprules.kit import designs
from tprules.kit.grid import Square

# --- Resources and designs (RULES.md, section 7)

CONES, WATERS, GLASSES, GOAL_DISTANCE, TURNED, HOME, DEATHS, HITS, HOME_PLANET = range(1, 10)

RESOURCES = (
    Resource(CONES, "Pine Cone", "Pine Cones", help="On a pad: ready; on a square: no ant may enter"),
    Resource(WATERS, "Water", "Waters", help="On a pad: ready; not obtainable: used up"),
    Resource(GLASSES, "Magnifying Glass", "Magnifying Glasses", help="On a pad: ready; not obtainable: used up"),
    Resource(GOAL_DISTANCE, "Goal Distance", "Goal Distance", "step", "steps", "From the ant to where it goes"),
    Resource(TURNED, "Turned", "Turned", "ant", "ants", "An ant that has been on the far side and goes home"),
    Resource(HOME, "Home", "Home", "seats", "seats", "Whose home the square is: 1, 2, 4 and 8 for the four seats"),
    Resource(DEATHS, "Death", "Deaths", "ant", "ants", "Ants lost"),
    Resource(HITS, "Hit", "Hits", "throw", "throws", "Something was thrown here in the last round"),
    Resource(HOME_PLANET, "Home Planet", "Home Planets", help="Where a player's pad is"),
)

HOME_PLANET_AMOUNT = Amount(HOME_PLANET, 1)

ANT, PINE_CONE = 1, 2
"""Designs.  An ant is a medium pyramid on its side, so that it differs from water (R36)."""

_SIZE = 1
_SIZES = ((1, "small"), (2, "medium"), (3, "large"))
_ALONE = designs.alone("A piece is one pyramid")

CATALOGUE = Catalogue(
    "Pyramids",
    "The pieces on the pavement",
    designs=(
        Design(ANT, "Ant", "A medium pyramid that lies on its side", {ANT: 1}, {_SIZE: "medium"}),
        Design(PINE_CONE, "PineCone", "A small pyramid that stands", {PINE_CONE: 1}, {_SIZE: "small"}),
    ),
    components=(
        Component(ANT, "LyingPyramid", "What an ant is made of", _ALONE, {_SIZE: designs.constant(2)}),
        Component(PINE_CONE, "SmallPyramid", "What a pine cone is made of", _ALONE, {_SIZE: designs.constant(1)}),
    ),
    properties=(DesignProperty(_SIZE, "Size", "Size", "How large the pyramid is", 0, designs.named(_SIZES)),),
)


# --- Objects

EVERYBODY = "everybody"
"""The only level of sight."""

_SLOTS = 1
"""Maximum orders in a queue: one of each type in a phase, and each phase has one type for each object (RULES.md,
section 4)."""

KINDS = {
    "universe": Kind(
        Role.UNIVERSE,
        "Universe",
        "The Universe",
        (
            Group(
                "Game",
                "How far the game is",
                (
                    ("Round", "The number of the round"),
                    ("Phase", "0 setup, 1 plan, 2 push, 3 water, 4 respawn, 5 over"),
                ),
            ),
        ),
    ),
    "pavement": Kind(Role.GALAXY, "Pavement", "The board"),
    "square": Kind(Role.STAR_SYSTEM, "Square", "A square of the pavement"),
    "ground": Kind(Role.PLANET, "Ground", "The ground of a square; its resources say what is there"),
    "ant": Kind(
        Role.FLEET,
        "Ant",
        "An ant: a medium pyramid on its side",
        (Group("Way", "How far the ant is", (("Turned", "1 if it has been on the other side"),)),),
        resources=True,
        slots=_SLOTS,
    ),
    "cone": Kind(Role.FLEET, "Pine Cone", "A pine cone, which no ant can enter"),
    "home": Kind(Role.STAR_SYSTEM, "Home", "The side of the pavement where a player sits"),
    "kid": Kind(
        Role.PLANET,
        "Kid",
        "A player's stash pad; orders to enter, to throw and to choose are given here",
        slots=_SLOTS,
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

_THE_PAVEMENT = Shown("pavement", "The Pavement", UNIVERSE, size=_PAVEMENT_SIZE)
_SQUARES = tuple(Shown("square", NAMES[square], PAVEMENT, _AT[square], _SQUARE_SIZE) for square in SQUARES)
_A_CONE, _A_HIT = Amount(CONES, 1), Amount(HITS, 1)


def sight(world: World, seat: Seat | None) -> Mapping[Oid, str]:
    """Return all objects: every seat sees everything."""
    return dict.fromkeys(range(world.end()), EVERYBODY)


def show(world: World, oid: Oid, level: str) -> Shown:
    """Return how an object looks."""
    square = world.square(oid)
    if square is not None:
        return _SQUARES[square] if oid == world.system(square) else _ground(world, square)
    if oid == UNIVERSE:
        numbers = (world.round, PHASES.index(world.phase))
        return Shown("universe", "The Universe", UNIVERSE, size=10**6, numbers=numbers)
    if oid == PAVEMENT:
        return _THE_PAVEMENT
    if not 0 <= oid < world.end():
        raise KeyError(oid)
    if oid >= world.first_cone():
        return _cone(world, oid)
    seat, which = divmod(oid - FIRST_HOME, OF_A_SEAT)
    return (_home, _kid, _ant)[which](world, seat)


@lru_cache(maxsize=8)
def _homes(layout: str, seats: int) -> tuple[int, ...]:
    """Return for each square the seats whose home it is, as a whole number with a bit for each seat."""
    courses = COURSES[layout][:seats]
    return tuple(sum(1 << seat for seat, one in enumerate(courses) if square in one.home) for square in SQUARES)


def _ground(world: World, square: Square) -> Shown:
    homes = _homes(world.settings.layout, len(world.players))[square]
    resources = [
        *([_A_CONE] if square in world.cones else []),
        *([Amount(HOME, homes)] if homes else []),
        *([_A_HIT] if square in world.hits else []),
    ]
    name = f"Ground of {NAMES[square]}"
    return Shown("ground", name, world.system(square), _AT[square], _SQUARE_SIZE, resources=tuple(resources))


def _cone(world: World, oid: Oid) -> Shown:
    square, seat = list(world.cones.items())[oid - world.first_cone()]
    name = f"Pine Cone of {player(seat)}"
    return Shown("cone", name, world.system(square), _AT[square], _CONE_SIZE, seat, ships=(Ships(PINE_CONE),))


def _home_at(world: World, seat: Seat) -> tuple[int, int, int]:
    return (_CORNERS_AT if world.settings.layout == CORNERS else _SIDES_AT)[seat]


def _home(world: World, seat: Seat) -> Shown:
    return Shown("home", f"{player(seat)}'s Side", PAVEMENT, _home_at(world, seat), _SQUARE_SIZE)


def _kid(world: World, seat: Seat) -> Shown:
    one = world.players[seat]
    resources = (
        Amount(CONES, one.pad[CONE]),
        *(Amount(weapon, one.pad[weapon], 0, one.used[weapon]) for weapon in (WATER, GLASS)),
        Amount(DEATHS, one.deaths),
        HOME_PLANET_AMOUNT,
    )
    name = f"{player(seat)}'s Kid"
    return Shown("kid", name, world.home(seat), _home_at(world, seat), _SQUARE_SIZE, seat, resources=resources)


def _ant(world: World, seat: Seat) -> Shown:
    one = world.players[seat]
    name, ships, turned = f"Ant of {player(seat)}", (Ships(ANT),), (int(one.turned),)
    if one.ant == OFF_BOARD:
        return Shown("ant", name, world.kid(seat), _home_at(world, seat), _ANT_SIZE, seat, turned, ships=ships)
    resources = (Amount(GOAL_DISTANCE, world.to_goal(seat, one.ant)), Amount(TURNED, turned[0]))
    return Shown("ant", name, world.system(one.ant), _AT[one.ant], _ANT_SIZE, seat, turned, resources, ships)
