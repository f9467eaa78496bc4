"""The objects that players see (RULES.md, sections 6 and 7).

Nearly everything is public. The kind of an item is shown only if all players know it. The goal of a spider and the kind
of a queen's brood are never shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tprules import api
from tprules.colony_battle import designs, resources
from tprules.colony_battle import world as worlds
from tprules.colony_battle.board import BOARDS, Layout, Square
from tprules.colony_battle.world import SPAWNED, STATS, Item, World
from tprules.kit.words import called

PUBLIC = "public"

_BOARD_NAMES = ("The Surface", "The Tunnels", "The Throne Level")

APPEARANCE = api.Appearance(
    seats=("#c8362b", "#1f68b0"),
    places=api.Places("{board} {column},{row}", dict(zip(_BOARD_NAMES, ("Surface", "Tunnels", "Throne"), strict=True))),
)
"""The seats have the colors of their trails' names."""

_SITE_NAMES = ("Entrance", "Entrance", "Burrow Throne")

_SLOTS = 16
"""Maximum orders in the queue of a unit or colony (RULES.md, section 4)."""

_LEVEL = (("Level", "0 is the surface, 2 the lowest board"),)

KINDS = {
    "universe": api.Kind(
        api.Role.UNIVERSE,
        "Universe",
        "All three boards",
        (api.Group("Colony Battle", "The state of the game", (("Round", "The round that is being played"),)),),
        look=called("universe"),
    ),
    "board": api.Kind(
        api.Role.GALAXY,
        "Board",
        "One of the three boards",
        (api.Group("Informational", "Which board it is", _LEVEL),),
        look=called("board"),
    ),
    "square": api.Kind(api.Role.STAR_SYSTEM, "Square", "A square of a board", look=called("square")),
    "ground": api.Kind(api.Role.PLANET, "Ground", "The ground of a square", look=called("ground"), nameless=True),
    "site": api.Kind(
        api.Role.PLANET,
        "Site",
        "An entrance or the burrow throne, closed until it is excavated",
        (api.Group("Board", "Where it belongs", _LEVEL),),
        look=called("site"),
    ),
    "colony": api.Kind(
        api.Role.PLANET,
        "Colony",
        "A player's brood, and the items in hand",
        slots=_SLOTS,
        look=api.Look(words="colony", each="colonies"),
    ),
    **{
        unit.kind: api.Kind(
            api.Role.FLEET,
            unit.name,
            f"A unit: {unit.name.lower()}",
            resources=True,
            slots=_SLOTS,
            badges=(resources.HIT_POINTS, resources.CARRIED) if unit.hit_points else (resources.KILLS,),
            look=called(unit.kind),
            nameless=True,
        )
        for unit in STATS
    },
    "item": api.Kind(
        api.Role.FLEET,
        "Item",
        "Something that a worker can carry to its queen",
        resources=True,
        look=called("item"),
        nameless=True,
    ),
    "worm": api.Kind(
        api.Role.FLEET,
        "Worm",
        "An earthworm; it is where its head is",
        (api.Group("Worm", "The whole worm", (("Length", "Segments"), ("Facing", "0 left (west), 1 right (east)"))),),
        look=called("earthworm"),
        nameless=True,
    ),
    "segment": api.Kind(
        api.Role.FLEET,
        "Worm Segment",
        "A part of an earthworm",
        (api.Group("Segment", "What it is a part of", (("Worm", "The number of the worm"),)),),
        look=called("worm segment"),
        nameless=True,
    ),
    "spider": api.Kind(
        api.Role.FLEET,
        "Spider",
        "A spider",
        (api.Group("Spider", "What it does", (("Weaving", "1 while it weaves, 0 while it moves on"),)),),
        resources=True,
        look=called("spider"),
        nameless=True,
    ),
}

SPACING = 1000
_SQUARE_SIZE, _PIECE_SIZE = 900, 400
_DEPTH = 100_000
"""Vertical distance between two boards, in units of positions."""
_GAP = 3
"""Empty columns between two boards. Boards are side by side, because most clients look straight down."""


def sight(world: World, seat: api.Seat | None) -> Mapping[api.Oid, str]:
    """Return all objects. Every seat sees them in the same way."""
    seen = _boards_seen(world.site_end()).copy()
    for colony in world.colonies:
        seen[colony.home] = seen[colony.home + 1] = PUBLIC
    for oids in (world.units, world.items, world.worms, world.spiders):
        seen.update(dict.fromkeys(oids, PUBLIC))
    for worm in world.worms.values():
        seen.update(dict.fromkeys(worm.segments, PUBLIC))
    return seen


@lru_cache(maxsize=32)
def _boards_seen(end: api.Oid) -> dict[api.Oid, str]:
    return dict.fromkeys(range(end), PUBLIC)


def show(world: World, oid: api.Oid, level: str) -> api.Shown:
    first = world.system(0)
    if first <= oid < world.site_object(0):
        square, is_ground = divmod(oid - first, 2)
        return _ground(world, square) if is_ground else _squares(world.layout)[square]
    if oid in world.units:
        return _unit(world, oid)
    if oid < first:
        return _root(world, oid)
    if oid < world.site_end():
        return _site(world, oid - world.site_object(0))
    if oid in world.items:
        return _item(world, oid)
    if oid in world.spiders or oid in world.worms:
        return _creature(world, oid)
    seat = world.home_seat(oid)
    if seat is not None:
        return _home(world, oid, seat)
    return _segment(world, oid)


def known(world: World, seat: api.Seat) -> World:
    """Return the world as a seat knows it.

    It lacks the kinds of unknown items, the goals of spiders and the units bitten in this turn. For the other colony,
    it also lacks the kind of the brood and the age of the trail.
    """
    items = world.items
    if world.settings.items_hidden:
        items = {oid: item if _in_hand(item) else replace(item, kind=worlds.ANTLION) for oid, item in items.items()}
    spiders = {oid: replace(spider, goal=worlds.NOWHERE) for oid, spider in world.spiders.items()}
    colonies = [
        colony
        if number == seat
        else replace(
            colony,
            trail=dict.fromkeys(sorted(colony.trail), 0),
            brood=worlds.SOLDIER if colony.locked else worlds.NO_KIND,
        )
        for number, colony in enumerate(world.colonies)
    ]
    return replace(world, items=items, spiders=spiders, colonies=colonies, bitten=[])


def position(layout: Layout, square: Square) -> tuple[int, int, int]:
    """Return the position of a square. The boards lie side by side, each lower than the one before."""
    board, x, y = layout.spot(square)
    return ((board * (layout.width + _GAP) + x) * SPACING, y * SPACING, -board * _DEPTH)


@lru_cache(maxsize=32)
def _squares(layout: Layout) -> tuple[api.Shown, ...]:
    places = [(square, worlds.FIRST_GALAXY + square // layout.area) for square in range(BOARDS * layout.area)]
    return tuple(
        api.Shown("square", layout.name(square), board, position(layout, square), _SQUARE_SIZE)
        for square, board in places
    )


@lru_cache(maxsize=32)
def _grounds(layout: Layout, first: api.Oid) -> tuple[api.Shown, ...]:
    """Return the look of the empty grounds."""
    return tuple(
        api.Shown("ground", f"Ground {shown.name}", first + 2 * square, shown.at, _SQUARE_SIZE)
        for square, shown in enumerate(_squares(layout))
    )


def _root(world: World, oid: api.Oid) -> api.Shown:
    layout = world.layout
    whole = SPACING * max(BOARDS * (layout.width + _GAP), layout.height)
    if oid == worlds.UNIVERSE:
        return api.Shown("universe", "The Universe", worlds.UNIVERSE, size=10 * whole, numbers=(world.round,))
    board = oid - worlds.FIRST_GALAXY
    at = position(layout, layout.square((board, layout.width // 2, layout.height // 2)))
    return api.Shown("board", _BOARD_NAMES[board], worlds.UNIVERSE, at, SPACING * layout.width, numbers=(board,))


def _ground(world: World, square: Square) -> api.Shown:
    shown = _grounds(world.layout, world.system(0))[square]
    found = []
    if world.in_web(square):
        found.append(api.Amount(resources.WEBS, 1))
    for colony, trail in zip(world.colonies, resources.TRAILS, strict=True):
        if square in colony.trail:
            found.append(api.Amount(trail, 1))
    return shown._replace(resources=tuple(found)) if found else shown


def _site(world: World, site: int) -> api.Shown:
    square = world.layout.sites[site]
    left = world.left[site]
    amounts = [api.Amount(resources.EXCAVATION, left, world.settings.dig_turns[site] - left)]
    if not left:
        amounts.append(api.Amount(resources.OPEN, 1))
    name, at = f"{_SITE_NAMES[site]} {world.layout.name(square)}", position(world.layout, square)
    numbers, found = (square // world.layout.area,), tuple(amounts)
    return api.Shown("site", name, world.system(square), at, _SQUARE_SIZE, numbers=numbers, resources=found)


def _fleet(world: World, kind: str, name: str, square: Square, number: int, **more: Any) -> api.Shown:
    at = position(world.layout, square)
    return api.Shown(kind, name, world.system(square), at, _PIECE_SIZE, ships=(api.Ships(number),), **more)


def _unit(world: World, oid: api.Oid) -> api.Shown:
    unit = world.units[oid]
    stats = STATS[unit.kind]
    amounts = []
    if stats.hit_points:
        amounts.append(api.Amount(resources.HIT_POINTS, unit.hit_points, stats.hit_points - unit.hit_points))
    else:
        amounts.append(api.Amount(resources.KILLS, unit.kills))
    if stats.steps:
        amounts.append(api.Amount(resources.STEPS, stats.steps))
    if unit.kind == worlds.WORKER:
        amounts.append(api.Amount(resources.CARRIED, int(unit.item != 0)))
    if unit.kind == worlds.QUEEN:
        amounts += _colony(world, unit.owner)
    if unit.caught:
        amounts.append(api.Amount(resources.CAUGHT, 1))
    more = {"owner": unit.owner, "resources": tuple(amounts), "damage": max(0, stats.hit_points - unit.hit_points)}
    return _fleet(world, stats.kind, stats.name, unit.square, designs.design(unit.kind), **more)


def _colony(world: World, seat: api.Seat) -> list[api.Amount]:
    """Return the resources of the whole colony, as a queen and her home planet show them."""
    colony, caps = world.colonies[seat], world.settings.caps
    alive = [world.alive(seat, kind) for kind in SPAWNED]
    return [
        api.Amount(resources.IN_HAND, len(world.hand(seat))),
        *([api.Amount(resources.BROOD, colony.brood_left)] if colony.brood_left else []),
        *(api.Amount(resources.ALIVE[kind], alive[kind], 0, max(0, caps[kind] - alive[kind])) for kind in SPAWNED),
    ]


def _home_at(world: World, seat: api.Seat) -> tuple[int, int, int]:
    return (seat * (world.layout.width - 1) * SPACING, -_GAP * SPACING, 0)


def _home(world: World, oid: api.Oid, seat: api.Seat) -> api.Shown:
    at, home = _home_at(world, seat), world.colonies[seat].home
    if oid == home:
        return api.Shown("square", f"{api.player(seat)}'s System", worlds.FIRST_GALAXY, at, _SQUARE_SIZE)
    amounts = (api.Amount(resources.HOME_PLANET, 1), *_colony(world, seat))
    return api.Shown("colony", f"{api.player(seat)}'s Colony", home, at, _SQUARE_SIZE, seat, resources=amounts)


def _in_hand(item: Item) -> bool:
    return item.square == worlds.NOWHERE and not item.carrier


def _item(world: World, oid: api.Oid) -> api.Shown:
    item = world.items[oid]
    in_hand = _in_hand(item)
    is_known = in_hand or not world.settings.items_hidden
    number = designs.design(item.kind) if is_known else designs.UNKNOWN_ITEM
    if in_hand:
        at = _home_at(world, item.hand)
        home = world.colonies[item.hand].home + 1
        return api.Shown("item", "Item", home, at, _PIECE_SIZE, item.hand, ships=(api.Ships(number),))
    square = item.square if item.square != worlds.NOWHERE else world.units[item.carrier].square
    return _fleet(world, "item", "Item", square, number)


def _creature(world: World, oid: api.Oid) -> api.Shown:
    spider = world.spiders.get(oid)
    if spider is not None:
        web = api.Amount(resources.WEBS, spider.radius, 0, world.settings.web_max - spider.radius)
        amounts = (web,) if spider.weaves else ()
        numbers = (int(spider.weaves),)
        return _fleet(world, "spider", "Spider", spider.square, designs.SPIDER, numbers=numbers, resources=amounts)
    worm = world.worms[oid]
    return _fleet(world, "worm", "Earthworm", worm.squares[0], designs.WORM, numbers=(len(worm.segments), worm.facing))


def _segment(world: World, oid: api.Oid) -> api.Shown:
    number = world.worm_of(oid)
    if number is None:
        raise KeyError(oid)
    worm = world.worms[number]
    square = worm.squares[worm.segments.index(oid)]
    return _fleet(world, "segment", "Worm Segment", square, designs.SEGMENT, numbers=(number,))


# --- Scores


def scores(world: World, seat: api.Seat | None) -> dict[api.Seat, dict[str, int]]:
    """Return the hit points of the queens, the living units, and the items in hand."""
    found: dict[api.Seat, dict[str, int]] = {}
    for one in range(len(world.colonies)):
        queen = world.queen(one)
        found[one] = {
            "Queen's hit points": queen.hit_points if queen else 0,
            **{f"{STATS[kind].name}s": world.alive(one, kind) for kind in SPAWNED},
            "Items in hand": len(world.hand(one)),
        }
    return found


def regions(world: World, seat: api.Seat | None) -> list[api.Region]:
    """Return the chemical trail of each colony."""
    return [
        api.Region(tuple(world.system(square) for square in sorted(colony.trail)), one, f"Trail of {api.player(one)}")
        for one, colony in enumerate(world.colonies)
        if colony.trail
    ]
