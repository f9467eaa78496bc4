"""What players see (RULES.md, sections 6 and 7).

With ``underground=open`` everything is public except stances, reactions and order queues.  With ``own``, squares below
ground look like dirt and the objects on them do not exist for a seat, unless one of its units below ground is within
two squares or its own colony excavated the square.  Of other colonies it sees only the totals that count for their
goals, food and ants.

A bot gets the world as its seat knows it: what is not shown is gone or has a fixed stand-in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from tprules.api import Amount, Kind, Oid, Role, Seat, Ships, Shown, player
from tprules.api import Group as Numbers
from tprules.taller_ants import pieces
from tprules.taller_ants.actions import OPEN
from tprules.taller_ants.board import Board, Place
from tprules.taller_ants.pieces import SETUP_SLOTS, SLOTS
from tprules.taller_ants.world import (
    ABOVE,
    BELOW,
    BLACK,
    COLOUR_WORDS,
    COLOURS,
    MOST_ANTS,
    RED,
    SPIDER_SEAT,
    TICKS,
    TICKS_OF_ANTS,
    TICKS_OF_SPIDER,
    UNIVERSE,
    AntEgg,
    Clutch,
    Colony,
    Fungus,
    Goods,
    Group,
    Queen,
    Spider,
    Unit,
    World,
)

PUBLIC, OWN, DIRT = "public", "own", "dirt"

_SIGHT_BELOW = 2
"""Distance in squares that a unit below ground sees."""

_STANCE = Numbers(
    "Behaviour", "What only the owner sees", (("Standing order", "0 hidden, 1 the first choice, 2 the other"),)
)
_COURSE = "The course of the game"
_ROUND = ("Round", "1 and up, 0 before the first")

KINDS = {
    "universe": Kind(Role.UNIVERSE, "Universe", "The Universe", (Numbers("Game", _COURSE, (_ROUND,)),)),
    # The graphical clients of 2006 draw the objects on a board only if its groups have no names but certain ones.
    "board": Kind(Role.GALAXY, "Board", "A board", (Numbers("Informational", _COURSE, (_ROUND,)),)),
    "square": Kind(
        Role.STAR_SYSTEM,
        "Square",
        "A square of a board",
        (
            Numbers(
                "Square",
                "The ground",
                (
                    ("Terrain", "0 soil, 1 grass, 2 rock, 3 water, 4 narrow water; below 0"),
                    ("Colony", "The seat of the colony that excavated it, 0 for none"),
                ),
            ),
        ),
    ),
    "home": Kind(Role.STAR_SYSTEM, "Home", "Where a player's goals are shown"),
    "ground": Kind(Role.PLANET, "Ground", "What lies on a square"),
    "brood": Kind(Role.PLANET, "Brood", "The spider player's goals", slots=SETUP_SLOTS),
    "colony": Kind(Role.PLANET, "Colony", "An ant player's goals", slots=SETUP_SLOTS),
    "spider": Kind(Role.FLEET, "Spider", "A spider", (_STANCE,), resources=True, slots=SLOTS),
    "group": Kind(Role.FLEET, "Group", "A group of ants", (_STANCE,), resources=True, slots=SLOTS),
    "queen": Kind(Role.FLEET, "Queen", "A queen", resources=True, slots=SLOTS),
    "clutch": Kind(Role.FLEET, "Clutch", "Spider eggs", resources=True),
    "egg": Kind(Role.FLEET, "Ant Egg", "An ant egg", resources=True),
    "cocoon": Kind(Role.FLEET, "Cocoon", "Cocooned ants", resources=True),
    "fungus": Kind(Role.FLEET, "Fungus Group", "Fungus that grows together", resources=True),
}

_UNIT_KINDS = {Spider: "spider", Group: "group", Queen: "queen"}
_GOODS_KINDS = {Clutch: "clutch", AntEgg: "egg"}

_SPACING = 1000
_SQUARE_SIZE, _PIECE_SIZE = 1000, 100
_ABOVE_HEIGHT = 1000

# What there is, and who sees it.


def kind_of(world: World, oid: Oid) -> str | None:
    """Return the kind of an object, or None if there is no such object."""
    if oid >= world.homes_end():
        if oid in world.units:
            return _UNIT_KINDS[type(world.units[oid])]
        if oid in world.goods:
            return _GOODS_KINDS.get(type(world.goods[oid]), "cocoon")
        return "fungus" if oid in world.fungi else None
    if oid >= world.board_end():
        if (oid - world.board_end()) % 2 == 0:
            return "home"
        return "brood" if oid == world.home(SPIDER_SEAT) + 1 else "colony"
    if oid > BELOW:
        return "square" if oid % 2 else "ground"
    return "universe" if oid == UNIVERSE else "board" if oid > UNIVERSE else None


def owner_of(world: World, oid: Oid) -> Seat | None:
    unit = world.units.get(oid)
    if unit is not None:
        return unit.seat
    thing = world.goods.get(oid)
    if thing is not None:
        return thing.seat if isinstance(thing, AntEgg) else SPIDER_SEAT if isinstance(thing, Clutch) else None
    home, is_planet = divmod(oid - world.board_end(), 2)
    return home if is_planet and 0 <= home < world.seats else None


def sees(world: World, seat: Seat | None, oid: Oid) -> bool:
    """Return whether an object exists for a seat."""
    if kind_of(world, oid) is None:
        return False
    unit, thing = world.units.get(oid), world.goods.get(oid)
    if unit is None and thing is None:
        return True
    places = unit.places if unit is not None else (thing.place,) if thing is not None else ()
    return owner_of(world, oid) == seat or all(sees_place(world, seat, place) for place in places)


def sees_place(world: World, seat: Seat | None, place: Place) -> bool:
    """Return whether objects at a place exist for a seat."""
    board = world.board
    if world.settings.underground == OPEN or not board.below(place):
        return True
    if seat is None or seat == SPIDER_SEAT:
        return False
    return world.dug.get(place) == seat or any(
        board.below(unit.place) and board.distance(unit.place, place) <= _SIGHT_BELOW for unit in world.own(seat)
    )


def sight(world: World, seat: Seat | None) -> Mapping[Oid, str]:
    """Return the objects that a seat sees; its own units have a level of their own."""
    seen = dict.fromkeys(range(world.homes_end()), PUBLIC)
    seen.update(dict.fromkeys(world.fungi, PUBLIC))
    if world.settings.underground == OPEN:
        for oid, unit in world.units.items():
            seen[oid] = OWN if unit.seat == seat else PUBLIC
        seen.update(dict.fromkeys(world.goods, PUBLIC))
        return seen
    if seat is not None:
        seen[world.home(seat) + 1] = OWN
    for place in range(world.board.area, 2 * world.board.area):
        if not sees_place(world, seat, place):
            seen[world.system(place)] = seen[world.system(place) + 1] = DIRT
    for oid, unit in world.units.items():
        if sees(world, seat, oid):
            seen[oid] = OWN if unit.seat == seat else PUBLIC
    seen.update({oid: PUBLIC for oid in world.goods if sees(world, seat, oid)})
    return seen


# What a seat knows.


def known(world: World, seat: Seat) -> World:
    """Return the world as a seat knows it: without what others keep to themselves, and without what lies below where
    the seat does not see it.

    The totals of stored food and of ants are public, so what is missing of them is put below the holes of the others.
    """
    hidden = {place for place in range(world.board.area, 2 * world.board.area) if not sees_place(world, seat, place)}
    units = {oid: _unit_as_known(world, unit, seat) for oid, unit in world.units.items() if sees(world, seat, oid)}
    goods = {oid: _thing_as_known(world, thing, seat) for oid, thing in world.goods.items() if sees(world, seat, oid)}
    result = replace(
        world,
        units=units,
        goods=goods,
        colonies=[
            one if owner == seat else Colony(one.hole, one.eliminated) for owner, one in enumerate(world.colonies, 1)
        ],
        food={place: amount for place, amount in world.food.items() if place not in hidden},
        web_points={place: points for place, points in world.web_points.items() if place not in hidden},
        dug={place: owner for place, owner in world.dug.items() if place not in hidden},
        next_id=1 + max([world.homes_end() - 1, *world.fungi, *units, *goods]),
    )
    others = [owner for owner in range(1, world.seats) if owner != seat]
    nearest = {owner: _nearest(world, sorted(hidden), owner) for owner in others}
    for owner in others:
        _add_hidden_food(result, owner, world.stored(owner) - result.stored(owner), nearest[owner])
    for owner in others:
        for colour in COLOURS:
            ants = _ants(world, owner, colour) - _ants(result, owner, colour)
            _add_hidden_ants(result, owner, colour, ants, nearest[owner])
    result.newest = min((unit.id for unit in world.own(seat) if unit.id >= world.newest), default=result.next_id)
    return result


def _unit_as_known(world: World, unit: Unit, seat: Seat) -> Unit:
    """Return a unit that the seat sees; of those of others only what is shown."""
    if unit.seat == seat:
        return unit
    ticks = unit.ticks // TICKS * TICKS
    if isinstance(unit, Spider):
        captives = [[1, BLACK] for _ in unit.captives]
        return Spider(unit.id, unit.place, unit.hp, ticks, unit.cocooned, unit.eggs, unit.fed, captives)
    if isinstance(unit, Queen):
        return replace(unit, ticks=ticks)
    eggs = [[BLACK, world.settings.ant_hatch_delay] for _ in unit.eggs]
    group = Group(unit.id, unit.seat, unit.colour, unit.ants, unit.place, ticks, unit.food, unit.web_points, eggs)
    group.bridge = unit.bridge
    return group


def _thing_as_known(world: World, thing: Goods, seat: Seat) -> Goods:
    if isinstance(thing, AntEgg) and thing.seat != seat:
        return replace(thing, wait=world.settings.ant_hatch_delay)
    return thing


def _nearest(world: World, places: Sequence[Place], owner: Seat) -> list[Place]:
    """Return places, the nearest to a colony's hole first."""
    return sorted(places, key=lambda place: world.board.distance(place, world.colony(owner).hole))


def _add_hidden_food(world: World, owner: Seat, food: int, places: Sequence[Place]) -> None:
    for place in places:
        if food and place not in world.dug:
            world.dug[place] = owner
            world.food[place] = min(food, world.settings.store_per_square or food)
            food -= world.food[place]


def _add_hidden_ants(world: World, owner: Seat, colour: int, ants: int, places: Sequence[Place]) -> None:
    if ants:
        world.dug.setdefault(places[0], owner)
    while ants:
        group = Group(world.new_id(), owner, colour, min(ants, MOST_ANTS), places[0], 0)
        world.add(group)
        ants -= group.ants


def _ants(world: World, owner: Seat, colour: int) -> int:
    return sum(group.ants for group in world.groups(owner) if group.colour == colour)


# How it looks.


def show(world: World, oid: Oid, level: str) -> Shown:
    """Return how an object looks."""
    if BELOW < oid < world.board_end():
        place, is_planet = divmod(oid - BELOW - 1, 2)
        shown = _untouched(world.board)[is_planet][place]
        if level == DIRT:
            return shown
        return _planet(world, place, shown) if is_planet else _system(world, place, shown)
    if oid in world.units:
        return _unit(world, world.units[oid], level)
    if oid in world.goods:
        return _thing(world, world.goods[oid])
    if oid in world.fungi:
        return _fungus(world, world.fungi[oid])
    if oid == UNIVERSE:
        return Shown("universe", "The Universe", UNIVERSE, size=10**9, numbers=(world.round,))
    if oid in (ABOVE, BELOW):
        at = (0, 0, _ABOVE_HEIGHT if oid == ABOVE else 0)
        return Shown("board", "Above" if oid == ABOVE else "Below", UNIVERSE, at, 10**7, numbers=(world.round,))
    seat, is_planet = divmod(oid - world.board_end(), 2)
    if not 0 <= seat < world.seats:
        raise KeyError(oid)
    return _home_planet(world, seat, level) if is_planet else _home_system(world, seat)


@lru_cache(maxsize=16)
def _untouched(board: Board) -> tuple[tuple[Shown, ...], tuple[Shown, ...]]:
    """Return how the systems and planets of the boards look with nothing on them; below ground all is dirt."""
    systems, planets = [], []
    for place in range(2 * board.area):
        x, y = board.coordinates(place)
        below = board.below(place)
        name = f"{x}, {y} below" if below else f"{x}, {y}"
        galaxy = BELOW if below else ABOVE
        terrain = 0 if below else board.terrain(place)
        at = _at(board, place)
        systems.append(Shown("square", name, galaxy, at, _SQUARE_SIZE, numbers=(terrain, 0)))
        planets.append(Shown("ground", f"Ground {name}", BELOW + 1 + 2 * place, at, _PIECE_SIZE))
    return tuple(systems), tuple(planets)


def _at(board: Board, place: Place) -> tuple[int, int, int]:
    x, y = board.coordinates(place)
    return (_SPACING * x, _SPACING * y, 0 if board.below(place) else _ABOVE_HEIGHT)


def _system(world: World, place: Place, shown: Shown) -> Shown:
    owner = world.dug.get(place)
    return shown if owner is None else shown._replace(numbers=(shown.numbers[0], owner))


def _planet(world: World, place: Place, shown: Shown) -> Shown:
    found = []
    if place in world.food:
        found.append(Amount(pieces.FOOD, world.food[place]))
    if place in world.webs:
        found.append(Amount(pieces.WEB, 1))
    if place in world.web_points:
        found.append(Amount(pieces.WEB_POINT, world.web_points[place]))
    if place < world.board.area:
        if world.fungus_at(place) is not None:
            found.append(Amount(pieces.FUNGUS, 1))
        if place in world.wards:
            found.append(Amount(pieces.WARD, 1))
        if world.board.water[place] and _is_bridged(world, place):
            found.append(Amount(pieces.BRIDGE, 1))
    elif place in world.dug:
        found.append(Amount(pieces.EXCAVATED, 1))
    if world.is_hole(place):
        found.append(Amount(pieces.HOLE, 1, 0, int(not world.is_open_hole(place))))
    return shown._replace(resources=tuple(found)) if found else shown


def _is_bridged(world: World, place: Place) -> bool:
    return any(isinstance(unit, Group) and place in unit.bridge for unit in world.units.values())


def _unit(world: World, unit: Unit, level: str) -> Shown:
    settings = world.settings
    parent, at = world.system(unit.place), _at(world.board, unit.place)
    whole = TICKS_OF_SPIDER if isinstance(unit, Spider) else TICKS_OF_ANTS
    left = unit.ticks // TICKS
    moves = Amount(pieces.MOVE_POINT, left, 0, whole // TICKS - left)
    if isinstance(unit, Spider):
        found = [
            Amount(pieces.HIT_POINT, unit.hp, settings.spider_hp - unit.hp),
            moves,
            Amount(pieces.COCOONED_ANT, unit.cocooned),
            Amount(pieces.CAPTIVE, len(unit.captives)),
            Amount(pieces.SPIDER_EGG, unit.eggs),
            Amount(pieces.FED_EGG, unit.fed),
        ]
        ships: tuple[Ships, ...] = (Ships(pieces.SPIDER_DESIGN),)
        name, numbers = "Spider", (unit.reaction if level == OWN else 0,)
    elif isinstance(unit, Queen):
        found = [Amount(pieces.HIT_POINT, unit.hp, settings.queen_hp - unit.hp), moves]
        return Shown(
            "queen",
            "Queen",
            parent,
            at,
            _PIECE_SIZE,
            unit.seat,
            resources=_present(found),
            ships=(Ships(pieces.QUEEN_DESIGN),),
            damage=settings.queen_hp - unit.hp,
        )
    else:
        found = [
            moves,
            Amount(pieces.FOOD, unit.food, max(0, unit.room)),
            Amount(pieces.WEB_POINT, unit.web_points),
            Amount(pieces.RED_ANT if unit.colour == RED else pieces.BLACK_ANT, unit.ants),
            Amount(pieces.ANT_EGG, len(unit.eggs)),
            Amount(pieces.BRIDGE, len(unit.bridge)),
        ]
        ships = (Ships(pieces.ANT_DESIGNS[unit.colour], unit.ants),)
        name = f"{COLOUR_WORDS[unit.colour].capitalize()} Group"
        numbers = (unit.stance if level == OWN else 0,)
    damage = settings.spider_hp - unit.hp if isinstance(unit, Spider) else 0
    kind = _UNIT_KINDS[type(unit)]
    return Shown(kind, name, parent, at, _PIECE_SIZE, unit.seat, numbers, _present(found), ships, damage)


def _thing(world: World, thing: Goods) -> Shown:
    parent, at = world.system(thing.place), _at(world.board, thing.place)
    if isinstance(thing, Clutch):
        found = [Amount(pieces.SPIDER_EGG, thing.eggs), Amount(pieces.FED_EGG, thing.fed)]
        rows = ((pieces.EGG_DESIGN, thing.eggs), (pieces.FED_EGG_DESIGN, thing.fed))
        ships = tuple(Ships(design, number) for design, number in rows if number)
        kind, name, owner = "clutch", "Clutch", SPIDER_SEAT
        return Shown(kind, name, parent, at, _PIECE_SIZE, owner, resources=_present(found), ships=ships)
    if isinstance(thing, AntEgg):
        ships = (Ships(pieces.ANT_EGG_DESIGNS[thing.colour]),)
        found = [Amount(pieces.ANT_EGG, 1)]
        return Shown("egg", "Ant Egg", parent, at, _PIECE_SIZE, thing.seat, resources=tuple(found), ships=ships)
    found = [Amount(pieces.COCOONED_ANT, thing.ants)]
    ships = (Ships(pieces.COCOON_DESIGN, thing.ants),)
    return Shown("cocoon", "Cocoon", parent, at, _PIECE_SIZE, resources=tuple(found), ships=ships)


def _fungus(world: World, fungus: Fungus) -> Shown:
    place = fungus.squares[0]
    size = len(fungus.squares)
    found = (Amount(pieces.FUNGUS, size, 0, int(fungus.exhausted)),)
    ships = (Ships(pieces.FUNGUS_DESIGN, size),)
    parent, at = world.system(place), _at(world.board, place)
    return Shown("fungus", "Fungus Group", parent, at, _PIECE_SIZE, resources=found, ships=ships)


def _home_at(seat: Seat) -> tuple[int, int, int]:
    return (_SPACING * seat, -2 * _SPACING, _ABOVE_HEIGHT)


def _home_system(world: World, seat: Seat) -> Shown:
    return Shown("home", f"{player(seat)}'s Home", ABOVE, _home_at(seat), _SQUARE_SIZE)


def _home_planet(world: World, seat: Seat, level: str) -> Shown:
    """Return the home planet with its player's goals; other facts below ground only at levels that may see them."""
    settings = world.settings
    home = Amount(pieces.HOME_PLANET, 1)
    if seat == SPIDER_SEAT:
        webs, cocooned, alive = len(world.webs), world.cocooned(), len(world.spiders())
        found = [
            home,
            Amount(pieces.WEB, webs, max(0, world.webs_needed() - webs)),
            Amount(pieces.COCOONED_ANT, cocooned, max(0, settings.cocoon_goal - cocooned)),
            Amount(pieces.SPIDER, alive, max(0, settings.max_spiders - alive)),
        ]
        kind, name = "brood", f"{player(seat)}'s Brood"
    else:
        groups = world.groups(seat)
        stored, ants = world.stored(seat), sum(group.ants for group in groups)
        red = sum(group.ants for group in groups if group.colour == RED)
        dug = eggs = 0
        if level == OWN or settings.underground == OPEN:
            dug = sum(owner == seat for owner in world.dug.values())
            eggs = len(world.eggs(seat)) + sum(len(group.eggs) for group in groups)
        found = [
            home,
            Amount(pieces.FOOD, stored, max(0, settings.food_goal - stored), dug * settings.store_per_square),
            Amount(pieces.BLACK_ANT, ants - red, max(0, settings.ants_goal - ants)),
            Amount(pieces.RED_ANT, red),
            Amount(pieces.ANT_EGG, eggs),
            Amount(pieces.EXCAVATED, dug),
        ]
        kind, name = "colony", f"{player(seat)}'s Colony"
    at = _home_at(seat)
    return Shown(kind, name, world.home(seat), at, _PIECE_SIZE, seat, resources=_present(found))


def _present(amounts: list[Amount]) -> tuple[Amount, ...]:
    """Return the amounts without those that are empty and of which nothing more can be obtained."""
    return tuple(amount for amount in amounts if amount.stored or amount.minable or amount.unavailable)
