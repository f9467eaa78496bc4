"""The objects that players see (RULES.md, sections 6 and 7).

Everything is public except for order queues, which no ruleset shows.
"""

from __future__ import annotations

from collections.abc import Mapping

from tprules import api
from tprules.kit.grid import Square
from tprules.kit.words import called
from tprules.swarm.board import MOST_STEPS, NAMES, SIDE
from tprules.swarm.designs import CUBE
from tprules.swarm.resources import BLUE, CAPTURES, DIE, DOUBLES, HOME, IN_SUPPLY, ON_BOARD, RED, STEPS, TO_PLACE
from tprules.swarm.world import COLOURS, FIRST_CUBE, GALAXY, SEATS, UNIVERSE, World

EVERYBODY = "everybody"
"""The only level of sight."""

KINDS = {
    "universe": api.Kind(
        api.Role.UNIVERSE,
        "Universe",
        "The Universe",
        (api.Group("Game", "How far the game is", (("Round", "The number of the round"),)),),
        look=called("universe"),
    ),
    "board": api.Kind(
        api.Role.GALAXY,
        "Board",
        "The board",
        (
            api.Group(
                "Informational",
                "All cubes of the game",
                (("Cubes", "Cubes on the board"), ("Supply", "Cubes that can come to the board")),
            ),
        ),
        look=called("board"),
    ),
    "tile": api.Kind(api.Role.STAR_SYSTEM, "Tile", "A square of the board", look=called("tile")),
    "ground": api.Kind(
        api.Role.PLANET,
        "Ground",
        "The ground of a tile; its resources say whose cube is there",
        look=called("ground"),
        nameless=True,
    ),
    "cube": api.Kind(api.Role.FLEET, "Cube", "A cube", resources=True, look=called("cube")),
    "home": api.Kind(api.Role.STAR_SYSTEM, "Home", "The side of the table where a player sits", look=called("side")),
    "swarm": api.Kind(
        api.Role.PLANET,
        "Swarm",
        "A player's hand: the supply, the dice, and the orders for all cubes",
        slots=MOST_STEPS,
        look=called("swarm"),
    ),
}

APPEARANCE = api.Appearance(seats=("#c8362b", "#1f68b0"))
"""The cubes are red and blue (RULES.md, section 1)."""

_TILE_SIZE, _CUBE_SIZE = 900, 500
_SPACING = 1000
_HOME_AT = ((2500, -2000, 0), (2500, 7000, 0))

_AT = tuple((square % SIDE * _SPACING, square // SIDE * _SPACING, 0) for square in range(SIDE * SIDE))
_TILES = tuple(api.Shown("tile", NAMES[square], GALAXY, _AT[square], _TILE_SIZE) for square in range(SIDE * SIDE))
_GROUNDS = tuple(
    tuple(
        api.Shown("ground", f"Ground of {name}", GALAXY + 1 + 2 * square, _AT[square], _TILE_SIZE, resources=resources)
        for resources in ((), *((api.Amount(cube, 1),) for cube in (RED, BLUE)))
    )
    for square, name in enumerate(NAMES)
)
"""For each square: its ground empty, with a red cube, and with a blue cube."""

_HOMES = tuple(
    api.Shown("home", f"{colour}'s side", GALAXY, _HOME_AT[seat], _TILE_SIZE) for seat, colour in enumerate(COLOURS)
)


def sight(world: World, seat: api.Seat | None) -> Mapping[api.Oid, str]:
    """Return all objects: every seat sees everything."""
    seen = dict.fromkeys(range(FIRST_CUBE), EVERYBODY)
    for cube in world.cubes.values():
        seen[cube.id] = EVERYBODY
    return seen


def show(world: World, oid: api.Oid, level: str) -> api.Shown:
    if oid >= FIRST_CUBE:
        square = world.place_of(oid)
        if square is None:
            raise KeyError(oid)
        return _cube(world, square)
    found = world.square(oid)
    if found is not None:
        if oid == world.system(found):
            return _TILES[found]
        cube = world.cubes.get(found)
        return _GROUNDS[found][0 if cube is None else 1 + cube.seat]
    if oid == UNIVERSE:
        return api.Shown("universe", "The Universe", UNIVERSE, size=10**6, numbers=(world.round,))
    if oid == GALAXY:
        supply = sum(world.supply(seat) for seat in SEATS)
        return api.Shown("board", "The Board", UNIVERSE, size=10**5, numbers=(len(world.cubes), supply))
    for seat in SEATS:
        if oid == world.home(seat):
            return _HOMES[seat]
        if oid == world.swarm(seat):
            return _swarm(world, seat)
    raise KeyError(oid)


def _cube(world: World, square: Square) -> api.Shown:
    cube = world.cubes[square]
    name, at, ships = f"{COLOURS[cube.seat]} {cube.number}", _AT[square], (api.Ships(CUBE[cube.seat]),)
    captures = (api.Amount(CAPTURES, cube.captures),) if cube.captures else ()
    return api.Shown("cube", name, world.system(square), at, _CUBE_SIZE, cube.seat, resources=captures, ships=ships)


def _swarm(world: World, seat: api.Seat) -> api.Shown:
    supply = world.supply(seat)
    moves = bool(world.movers) and not world.pending and world.movers[0] == seat
    doubled = world.doubled[seat]
    # The possible placements, limited by the supply.
    left = max(0, world.settings.double_limit - doubled)
    resources = (
        api.Amount(ON_BOARD, world.count(seat), supply),
        api.Amount(IN_SUPPLY, supply),
        api.Amount(DIE, world.rolls[seat]),
        api.Amount(STEPS, world.movement if moves else 0, 0, world.lapsed if moves else 0),
        api.Amount(TO_PLACE, sum(who == seat for who, _ in world.pending)),
        api.Amount(DOUBLES, doubled, left),
        api.Amount(CAPTURES, world.captures[seat]),
        api.Amount(HOME, 1),
    )
    name = f"{COLOURS[seat]} Swarm"
    return api.Shown("swarm", name, world.home(seat), _HOME_AT[seat], _TILE_SIZE, seat, resources=resources)


# --- Scores


def scores(world: World, seat: api.Seat | None) -> dict[api.Seat, dict[str, int]]:
    """Return the cubes of both seats, on the board and in the supply."""
    return {
        one: {"Cubes": world.count(one), "In supply": world.supply(one), "Captures": world.captures[one]}
        for one in SEATS
    }


def actions(plan: api.Plan[World]) -> tuple[int, int] | None:
    """Return the number of ordered steps, and the number of steps of the movement."""
    world = plan.world
    if world.pending or not world.movers or world.movers[0] != plan.seat:
        return None
    return len(plan.before), world.movement
