"""The objects that players see (RULES.md, sections 1, 2 and 5).

Everything is public, except for the type of a colonist in another player's hand. Such a colonist has the unknown
design. Scores, orders and the types in the pool are never shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from tprules import api
from tprules.kit import designs
from tprules.kit.grid import Square
from tprules.kit.words import called, with_article
from tprules.tae.board import SPACING, Board
from tprules.tae.world import ARTIFACT_POINTS, AT_HOME, GALAXY, TYPES, UNIVERSE, WORDS, World

# --- Resources and designs (RULES.md, section 2)


RESOURCES = (
    api.Resource(
        1,
        "Uninhabitable planet",
        "Uninhabitable planets",
        help="Only mining robots can colonize it",
        look=api.Look(words="uninhabitable planet", each="uninhabitable planets"),
    ),
    api.Resource(
        2,
        "Destroyed Star System",
        "Destroyed Star Systems",
        help="Bombed, and lost for good",
        look=api.Look(words="destroyed star system", each="destroyed star systems"),
    ),
    api.Resource(
        3,
        "Alien Artifact",
        "Alien Artifacts",
        help="A merchant leader whose region has two takes all but one",
        look=api.Look(words="alien artifact", each="alien artifacts"),
    ),
    api.Resource(
        4,
        "Monetary Asset",
        "Monetary Assets",
        help="What a colony of merchants is worth",
        look=api.Look(words="colony of merchants", each="colonies of merchants", colour="#9a6b00"),
    ),
    api.Resource(
        5,
        "Technological Advancement",
        "Technological Advancements",
        help="What a colony of scientists has found out",
        look=api.Look(words="colony of scientists", each="colonies of scientists", colour="#1a5fa8"),
    ),
    api.Resource(
        6,
        "Team of People",
        "Teams of People",
        help="The people of a colony of settlers",
        look=api.Look(words="colony of settlers", each="colonies of settlers", colour="#8a3d7c"),
    ),
    api.Resource(
        7,
        "Raw Material",
        "Raw Materials",
        help="What mining robots dig up",
        look=api.Look(words="colony of mining robots", each="colonies of mining robots", colour="#4a6a2e"),
    ),
    api.Resource(
        8, "Home Planet", "Home Planets", help="Where a player's ships wait", look=api.Look(words="home planet")
    ),
)

UNINHABITABLE_PLANET = api.Amount(1, 1)
DESTROYED_SYSTEM = api.Amount(2, 1)
ALIEN_ARTIFACT = api.Amount(3, 1)
COLONY = tuple(api.Amount(4 + kind, 1) for kind in TYPES)
HOME_PLANET = api.Amount(8, 1)

SHIP = tuple(1 + kind for kind in TYPES)
"""The design of a colonist ship, by type."""
LEADER_SHIP = tuple(5 + kind for kind in TYPES)
BOMBER_SHIP = 9
UNKNOWN_SHIP = 10
"""The design of another player's colonist ship."""

_PASSENGERS, _BOMBS = 1, 2

_CARRIED = ("Unknown", *(words.colonists for words in WORDS), *(words.passenger for words in WORDS))


def _design(number: int, name: str, words: str, text: str, prop: int, shown: str) -> api.Design:
    return api.Design(number, name, text, components={number: 1}, values={prop: shown}, look=called(words))


def _hold(number: int, name: str, text: str, value: int, prop: int = _PASSENGERS) -> api.Component:
    needs = designs.alone("Nothing fits into the ship beside this component")
    return api.Component(number, name, text, needs, {prop: designs.constant(value)})


CATALOGUE = api.Catalogue(
    "Ships",
    "Ships and what they carry",
    designs=(
        *(
            _design(
                SHIP[k],
                f"{w.ship}Ship",
                f"{w.ship.lower()} ship",
                "A ship full of colonists",
                _PASSENGERS,
                _CARRIED[1 + k],
            )
            for k, w in enumerate(WORDS)
        ),
        *(
            _design(
                LEADER_SHIP[k],
                f"{w.ship}LeaderShip",
                w.leader.lower(),
                "The ship of a leader",
                _PASSENGERS,
                _CARRIED[5 + k],
            )
            for k, w in enumerate(WORDS)
        ),
        _design(BOMBER_SHIP, "Bomber", "bomber", "Destroys one star system", _BOMBS, "1 bombs"),
        _design(
            UNKNOWN_SHIP,
            "ColonistShip",
            "colonist ship",
            "A colonist ship with passengers unknown to you",
            _PASSENGERS,
            _CARRIED[0],
        ),
    ),
    components=(
        *(_hold(SHIP[k], f"{w.ship}Cargo", f"Room for {w.colonists.lower()}", 1 + k) for k, w in enumerate(WORDS)),
        *(
            _hold(LEADER_SHIP[k], f"{w.ship}LeaderCargo", f"Room for {with_article(w.leader.lower())}", 5 + k)
            for k, w in enumerate(WORDS)
        ),
        _hold(BOMBER_SHIP, "Weapon", "A bomb that makes a star explode", 1, _BOMBS),
        _hold(UNKNOWN_SHIP, "UnknownCargo", "Room for colonists", 0),
    ),
    properties=(
        api.DesignProperty(
            _PASSENGERS, "Passengers", "Passengers", "The passengers of the ship", 0, designs.named(enumerate(_CARRIED))
        ),
        api.DesignProperty(
            _BOMBS,
            "Bombs",
            "Supernova Bombs",
            "How many star systems the ship can destroy",
            0,
            designs.counted("bombs"),
        ),
    ),
)


# --- Objects

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
    seen = dict.fromkeys(range(world.board_end()), PUBLIC)
    for number, one in enumerate(world.players):
        for oids in ((one.home, one.home + 1), one.leaders, one.bombers):
            seen.update(dict.fromkeys(oids, PUBLIC))
        seen.update(dict.fromkeys(one.colonists, OWN if number == seat else PUBLIC))
    return seen


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
            return api.Shown("planet", name, one.home, _home_at(seat), _SIZE, seat, resources=(HOME_PLANET,))
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
        resources = () if inhabitable else (UNINHABITABLE_PLANET,)
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
        return shown._replace(resources=(DESTROYED_SYSTEM,))
    if square in world.artifacts:
        found.append(ALIEN_ARTIFACT)
    if square in world.colonies:
        found.append(COLONY[world.colonies[square]])
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
