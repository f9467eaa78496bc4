"""The objects that players see (RULES.md, sections 1, 2 and 5).

Everything is public, except for the type of a colonist in another player's hand. Such a colonist has the unknown
design. Scores, orders and the types in the pool are never shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from tprules import api
from tprules.kit.grid import Square
from tprules.kit.words import called
from tprules.tae.board import SPACING, Board
from tprules.tae.designs import BOMBER_SHIP, LEADER_SHIP, SHIP, UNKNOWN_SHIP
from tprules.tae.resources import ARTIFACT, COLONIES, DESTROYED, HOME, UNINHABITABLE
from tprules.tae.world import ARTIFACT_POINTS, AT_HOME, GALAXY, TYPES, UNIVERSE, WORDS, World

PUBLIC, OWN = "public", "own"

_SLOTS = 1
"""Maximum orders in a queue. An object takes one order in a turn (R9)."""

KINDS = {
    "universe": api.Kind(api.Role.UNIVERSE, "Universe", "The Universe", look=called("universe")),
    "galaxy": api.Kind(
        api.Role.GALAXY,
        "Galaxy",
        "The board",
        (api.Group("Informational", "What players draw from", (("Ships", "Colonist ships left to be drawn"),)),),
        look=api.Look(words="galaxy", each="galaxies"),
    ),
    "system": api.Kind(
        api.Role.STAR_SYSTEM,
        "Star System",
        "A star system",
        (
            api.Group(
                "Status",
                "The status of the star system",
                (
                    ("Inhabitable", "1 if the system is inhabitable"),
                    ("Destroyed", "1 if the star is destroyed"),
                    ("Region", "The region this star system belongs to, 0 for none"),
                ),
            ),
        ),
        look=called("star system"),
    ),
    "planet": api.Kind(api.Role.PLANET, "Planet", "The planet of a star system", slots=_SLOTS, look=called("planet")),
    "fleet": api.Kind(
        api.Role.FLEET, "Fleet", "A ship", slots=_SLOTS, in_hand=True, look=called("ship"), nameless=True
    ),
}

APPEARANCE = api.Appearance(hand="hand")

_SYSTEM_SIZE = 60000
_SIZE = 2
"""Diameter of planets and fleets."""

_THE_UNIVERSE = api.Shown("universe", "The Universe", UNIVERSE, size=10**12)
_THE_GALAXY = api.Shown("galaxy", "The Fertile Galaxy", UNIVERSE, (0, -6000, 0), 10**11)


def sight(world: World, seat: api.Seat | None) -> Mapping[api.Oid, str]:
    """Return all objects. The seat sees the objects of its own hand at a separate level."""
    seen = _board_seen(world.board_end()).copy()
    for number, one in enumerate(world.players):
        for oids in ((one.home, one.home + 1), one.leaders, one.bombers):
            seen.update(dict.fromkeys(oids, PUBLIC))
        seen.update(dict.fromkeys(one.colonists, OWN if number == seat else PUBLIC))
    return seen


@lru_cache(maxsize=32)
def _board_seen(end: api.Oid) -> dict[api.Oid, str]:
    return dict.fromkeys(range(end), PUBLIC)


def show(world: World, oid: api.Oid, level: str) -> api.Shown:
    if GALAXY < oid < world.board_end():
        square, is_planet = divmod(oid - GALAXY - 1, 2)
        return _planet(world, square) if is_planet else _system(world, square)
    if oid == UNIVERSE:
        return _THE_UNIVERSE
    if oid == GALAXY:
        return _THE_GALAXY._replace(numbers=(sum(world.pool),))
    for seat, one in enumerate(world.players):
        if oid in one.colonists:
            design = SHIP[one.colonists[oid]] if level == OWN else UNKNOWN_SHIP
            return _fleet("Colonist Fleet", one.home + 1, _home_at(seat), seat, design)
        if oid in one.leaders:
            kind = one.leaders.index(oid)
            place = one.places[kind]
            name, design = WORDS[kind].leader, LEADER_SHIP[kind]
            if place == AT_HOME:
                return _fleet(name, one.home + 1, _home_at(seat), seat, design)
            return _fleet(name, world.system(place), world.board.positions[place], seat, design)
        if oid in one.bombers:
            return _fleet("Bomber", one.home + 1, _home_at(seat), seat, BOMBER_SHIP)
        if oid == one.home:
            name = f"{api.player(seat)}'s System"
            return api.Shown("system", name, GALAXY, _home_at(seat), _SYSTEM_SIZE, numbers=(1, 0, 0))
        if oid == one.home + 1:
            name = f"{api.player(seat)}'s Home Planet"
            return api.Shown("planet", name, one.home, _home_at(seat), _SIZE, seat, resources=(api.Amount(HOME, 1),))
    raise KeyError(oid)


def known(world: World, seat: api.Seat) -> World:
    """Return the world without the hands and scores of others, and without the types in the pool."""
    players = [
        one
        if number == seat
        else replace(one, colonists=dict.fromkeys(one.colonists, 0), scores=[0] * len(one.scores), artifacts=0)
        for number, one in enumerate(world.players)
    ]
    return replace(world, players=players, pool=[sum(world.pool), *[0] * (len(world.pool) - 1)])


@lru_cache(maxsize=32)
def _untouched(board: Board) -> tuple[tuple[api.Shown, ...], tuple[api.Shown, ...]]:
    """Return the look of the empty systems and planets of a board."""
    systems, planets = [], []
    for square, (name, position) in enumerate(zip(board.names, board.positions, strict=True)):
        inhabitable = board.inhabitable(square)
        numbers = (int(inhabitable), 0, 0)
        systems.append(api.Shown("system", name, GALAXY, position, _SYSTEM_SIZE, numbers=numbers))
        resources = () if inhabitable else (api.Amount(UNINHABITABLE, 1),)
        parent = GALAXY + 1 + 2 * square
        planets.append(api.Shown("planet", f"Planet {name}", parent, position, _SIZE, resources=resources))
    return tuple(systems), tuple(planets)


def _system(world: World, square: Square) -> api.Shown:
    shown = _untouched(world.board)[0][square]
    region = world.regions.get(square, 0)
    destroyed = square in world.destroyed
    if region or destroyed:
        return shown._replace(numbers=(shown.numbers[0], int(destroyed), region))
    return shown


def _planet(world: World, square: Square) -> api.Shown:
    shown = _untouched(world.board)[1][square]
    found: list[api.Amount] = []
    if square in world.destroyed:
        return shown._replace(resources=(api.Amount(DESTROYED, 1),))
    if square in world.artifacts:
        found.append(api.Amount(ARTIFACT, 1))
    if square in world.colonies:
        found.append(api.Amount(COLONIES[world.colonies[square]], 1))
    return shown._replace(resources=(*shown.resources, *found)) if found else shown


def _home_at(seat: api.Seat) -> tuple[int, int, int]:
    return (1 + SPACING * (seat + 1), 1, 0)


def _fleet(name: str, parent: api.Oid, at: tuple[int, int, int], owner: api.Seat, design: int) -> api.Shown:
    return api.Shown("fleet", name, parent, at, _SIZE, owner, ships=(api.Ships(design),))


# --- Scores


def scores(world: World, seat: api.Seat | None) -> dict[api.Seat, dict[str, int]]:
    """Return the leaders on the board and the bombers left of each seat, and scores and points where visible.

    Only the seat itself sees its score and points. When the game is over, all are visible.
    """
    found: dict[api.Seat, dict[str, int]] = {}
    for number, one in enumerate(world.players):
        points: dict[str, int] = {}
        if number == seat or world.ended:
            points = {"Score": min(one.final_scores()), **{WORDS[kind].points: one.scores[kind] for kind in TYPES}}
            points[ARTIFACT_POINTS] = one.artifacts
        leaders = sum(place != AT_HOME for place in one.places)
        found[number] = {**points, "Leaders on the board": leaders, "Bombers": len(one.bombers)}
    return found


def regions(world: World, seat: api.Seat | None) -> list[api.Region]:
    """Return the regions (R23, R24). A region belongs to the only player with leaders in it."""
    places: dict[int, list[Square]] = {}
    for square, region in sorted(world.regions.items()):
        places.setdefault(region, []).append(square)
    owners: dict[int, set[api.Seat]] = {}
    for square, (owner, _) in world.leaders().items():
        if square in world.regions:
            owners.setdefault(world.regions[square], set()).add(owner)
    return [
        api.Region(
            tuple(map(world.system, squares)),
            min(owners[region]) if len(owners.get(region, ())) == 1 else None,
            f"Region {region}",
        )
        for region, squares in sorted(places.items())
    ]


def actions(plan: api.Plan[World]) -> tuple[int, int] | None:
    """Return the number of orders in a normal turn so far, and the maximum (R9)."""
    return None if plan.world.combat or plan.world.ended else (len(plan.before), plan.world.settings.actions)
