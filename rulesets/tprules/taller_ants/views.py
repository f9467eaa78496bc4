"""The objects that players see (RULES.md, sections 6 and 7).

With ``underground=open`` everything is public, except for stances, reactions and order queues. With ``own``, squares
below the ground look like dirt, and the objects on them do not exist for a seat. A square is visible if one of the
seat's units below the ground is within two squares. It is also visible if the seat's own colony excavated it. Of other
colonies, a seat sees only the totals that count for their goals, food and ants.

A bot gets the world as its seat knows it: hidden parts are removed or have a fixed stand-in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from tprules import api
from tprules.api import Amount, Kind, Oid, Role, Seat, Ships, Shown, player
from tprules.kit.words import called
from tprules.taller_ants import designs, resources
from tprules.taller_ants import world as worlds
from tprules.taller_ants.board import Board, Place
from tprules.taller_ants.world import SPIDER_SEAT, TICKS, Group, Queen, Spider, Unit, World

SLOTS, SETUP_SLOTS = 16, 1
"""Maximum orders in the queue of a unit, and of an object that takes orders only in the setup (RULES.md, section 4)."""

PUBLIC, OWN, DIRT = "public", "own", "dirt"

_SIGHT_BELOW = 2
"""Range of sight of a unit below ground, in squares."""

_STANCE = api.Group(
    "Behaviour", "What only the owner sees", (("Standing order", "0 hidden, 1 the first choice, 2 the other"),)
)
_COURSE = "The course of the game"
_ROUND = ("Round", "1 and up, 0 before the first")

KINDS = {
    "universe": Kind(
        Role.UNIVERSE,
        "Universe",
        "The Universe",
        (api.Group("Game", _COURSE, (_ROUND,)),),
        look=called("universe"),
    ),
    # The graphical clients of 2006 draw the objects on a board only if its groups have certain names.
    "board": Kind(
        Role.GALAXY, "Board", "A board", (api.Group("Informational", _COURSE, (_ROUND,)),), look=called("board")
    ),
    "square": Kind(
        Role.STAR_SYSTEM,
        "Square",
        "A square of a board",
        (
            api.Group(
                "Square",
                "The ground",
                (
                    ("Terrain", "0 soil, 1 grass, 2 rock, 3 water, 4 narrow water; below 0"),
                    ("Colony", "The seat of the colony that excavated it, 0 for none"),
                ),
            ),
        ),
        look=called("square"),
    ),
    "home": Kind(Role.STAR_SYSTEM, "Home", "Where a player's goals are shown", look=called("home")),
    "ground": Kind(Role.PLANET, "Ground", "What lies on a square", look=called("ground"), nameless=True),
    "brood": Kind(Role.PLANET, "Brood", "The spider player's goals", slots=SETUP_SLOTS, look=called("brood")),
    "colony": Kind(
        Role.PLANET, "Colony", "An ant player's goals", slots=SETUP_SLOTS, look=called("colony", "colonies")
    ),
    "spider": Kind(
        Role.FLEET,
        "Spider",
        "A spider",
        (_STANCE,),
        resources=True,
        slots=SLOTS,
        badges=(resources.HIT_POINT, resources.COCOONED_ANT),
        look=called("spider"),
        nameless=True,
    ),
    "group": Kind(
        Role.FLEET,
        "Group",
        "A group of ants",
        (_STANCE,),
        resources=True,
        slots=SLOTS,
        badges=(resources.FOOD, resources.WEB_POINT),
        look=called("group of ants", "groups of ants"),
    ),
    "queen": Kind(
        Role.FLEET,
        "Queen",
        "A queen",
        resources=True,
        slots=SLOTS,
        badges=(resources.HIT_POINT, resources.FOOD),
        look=called("queen"),
        nameless=True,
    ),
    "clutch": Kind(Role.FLEET, "Clutch", "Spider eggs", resources=True, look=called("clutch", "clutches")),
    "egg": Kind(Role.FLEET, "Ant Egg", "An ant egg", resources=True, look=called("ant egg"), nameless=True),
    "cocoon": Kind(Role.FLEET, "Cocoon", "Cocooned ants", resources=True, look=called("cocoon")),
    "fungus": Kind(
        Role.FLEET, "Fungus Group", "Fungus that grows together", resources=True, look=called("fungus group")
    ),
}

APPEARANCE = api.Appearance(places=api.Places("{board} {column},{row}"))

_KINDS: Mapping[type, str] = {
    Spider: "spider",
    Group: "group",
    Queen: "queen",
    worlds.Clutch: "clutch",
    worlds.AntEgg: "egg",
    worlds.Cocoon: "cocoon",
    worlds.Fungus: "fungus",
}

_SPACING = 1000
_SQUARE_SIZE, _PIECE_SIZE = 1000, 100
_ABOVE_HEIGHT = 1000

# Objects, and their visibility.


def kind_of(world: World, oid: Oid) -> str | None:
    """Return the kind of an object, or None if there is no such object."""
    board_end = world.board_end()
    if worlds.BELOW < oid < board_end:
        return "square" if oid % 2 else "ground"
    if oid >= world.homes_end():
        return _KINDS.get(type(world.piece(oid)))
    if oid >= board_end:
        if (oid - board_end) % 2 == 0:
            return "home"
        return "brood" if oid == world.home(SPIDER_SEAT) + 1 else "colony"
    return "universe" if oid == worlds.UNIVERSE else "board" if oid > worlds.UNIVERSE else None


def owner_of(world: World, oid: Oid) -> Seat | None:
    if oid >= world.homes_end():
        piece = world.piece(oid)
        return None if piece is None else piece.seat
    home, is_planet = divmod(oid - world.board_end(), 2)
    return home if is_planet and 0 <= home < world.seats else None


def sees(world: World, seat: Seat | None, oid: Oid) -> bool:
    """Return whether an object exists for a seat."""
    if oid < world.homes_end():
        return oid >= worlds.UNIVERSE
    piece = world.piece(oid)
    if piece is None:
        return False
    return piece.seat == seat or all(sees_place(world, seat, place) for place in piece.places)


def seen_kind(world: World, seat: Seat | None, oid: Oid) -> str | None:
    """Return the kind of an object that exists for a seat, or None if it does not."""
    kind = kind_of(world, oid)
    return kind if kind is None or oid < world.homes_end() or sees(world, seat, oid) else None


def sees_place(world: World, seat: Seat | None, place: Place) -> bool:
    """Return whether objects at a place exist for a seat."""
    board = world.board
    if world.settings.underground == worlds.OPEN or not board.below(place):
        return True
    if seat is None or seat == SPIDER_SEAT:
        return False
    return world.dug.get(place) == seat or any(
        board.below(unit.place) and board.distance(unit.place, place) <= _SIGHT_BELOW for unit in world.own(seat)
    )


def _hidden(world: World, seat: Seat | None) -> list[Place]:
    """Return the places that look like dirt to a seat. They may be something else."""
    if world.settings.underground == worlds.OPEN:
        return []
    return [place for place in range(world.board.area, 2 * world.board.area) if not sees_place(world, seat, place)]


@lru_cache(maxsize=32)
def _boards_seen(end: Oid) -> dict[Oid, str]:
    return dict.fromkeys(range(end), PUBLIC)


def sight(world: World, seat: Seat | None) -> Mapping[Oid, str]:
    """Return the objects that a seat sees. Its own units have a separate level."""
    seen = _boards_seen(world.homes_end()).copy()
    seen.update(dict.fromkeys(world.fungi, PUBLIC))
    if seat is not None and world.settings.underground != worlds.OPEN:
        seen[world.home(seat) + 1] = OWN
    for place in _hidden(world, seat):
        seen[world.system(place)] = seen[world.system(place) + 1] = DIRT
    for oid, unit in world.units.items():
        if sees(world, seat, oid):
            seen[oid] = OWN if unit.seat == seat else PUBLIC
    seen.update({oid: PUBLIC for oid in world.goods if sees(world, seat, oid)})
    return seen


# The knowledge of a seat.


def known(world: World, seat: Seat) -> World:
    """Return the world as a seat knows it.

    It lacks what other players keep secret, and everything below ground that the seat does not see. The totals of
    stored food and of ants are public. So hidden food and ants are placed below the holes of their owners.
    """
    hidden = frozenset(_hidden(world, seat))
    units = {oid: _unit_as_known(world, unit, seat) for oid, unit in world.units.items() if sees(world, seat, oid)}
    goods = {oid: _thing_as_known(world, thing, seat) for oid, thing in world.goods.items() if sees(world, seat, oid)}
    food, web_points, dug = (
        {place: value for place, value in pile.items() if place not in hidden}
        for pile in (world.food, world.web_points, world.dug)
    )
    colonies = [
        one if owner == seat else worlds.Colony(one.hole, one.eliminated) for owner, one in enumerate(world.colonies, 1)
    ]
    next_id = 1 + max([world.homes_end() - 1, *world.fungi, *units, *goods])
    result = replace(
        world, units=units, goods=goods, colonies=colonies, food=food, web_points=web_points, dug=dug, next_id=next_id
    )
    nearest = {
        owner: sorted(hidden, key=lambda place: (world.board.distance(place, world.colony(owner).hole), place))
        for owner in range(1, world.seats)
        if owner != seat
    }
    for owner, places in nearest.items():
        _add_hidden_food(result, owner, world.stored(owner) - result.stored(owner), places)
    for owner, places in nearest.items():
        for colour in worlds.COLOURS:
            ants = _ants(world, owner, colour) - _ants(result, owner, colour)
            _add_hidden_ants(result, owner, colour, ants, places)
    result.newest = min((unit.id for unit in world.own(seat) if unit.id >= world.newest), default=result.next_id)
    return result


def _unit_as_known(world: World, unit: Unit, seat: Seat) -> Unit:
    """Return a unit as the seat knows it. Other players' units have only their visible parts."""
    if unit.seat == seat:
        return unit
    ticks = unit.ticks // TICKS * TICKS
    if isinstance(unit, Spider):
        captives = [[1, worlds.BLACK] for _ in unit.captives]
        return Spider(unit.id, unit.place, unit.hp, ticks, unit.cocooned, unit.eggs, unit.fed, captives)
    if isinstance(unit, Queen):
        return replace(unit, ticks=ticks)
    eggs = [[worlds.BLACK, world.settings.ant_hatch_delay] for _ in unit.eggs]
    group = Group(unit.id, unit.seat, unit.colour, unit.ants, unit.place, ticks, unit.food, unit.web_points, eggs)
    group.bridge = unit.bridge
    return group


def _thing_as_known(world: World, thing: worlds.Goods, seat: Seat) -> worlds.Goods:
    if isinstance(thing, worlds.AntEgg) and thing.seat != seat:
        return replace(thing, wait=world.settings.ant_hatch_delay)
    return thing


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
        group = Group(world.new_id(), owner, colour, min(ants, worlds.MOST_ANTS), places[0], 0)
        world.add(group)
        ants -= group.ants


def _ants(world: World, owner: Seat, colour: int) -> int:
    return sum(group.ants for group in world.groups(owner) if group.colour == colour)


# Looks.


def show(world: World, oid: Oid, level: str) -> Shown:
    if worlds.BELOW < oid < world.board_end():
        place, is_planet = divmod(oid - worlds.BELOW - 1, 2)
        shown = _untouched(world.board)[is_planet][place]
        if level == DIRT:
            return shown
        return _planet(world, place, shown) if is_planet else _system(world, place, shown)
    piece = world.piece(oid)
    if piece is not None:
        return _piece(world, piece, level)
    if oid == worlds.UNIVERSE:
        return Shown("universe", "The Universe", worlds.UNIVERSE, size=10**9, numbers=(world.round,))
    if oid in (worlds.ABOVE, worlds.BELOW):
        at = (0, 0, _ABOVE_HEIGHT if oid == worlds.ABOVE else 0)
        return Shown(
            "board", "Above" if oid == worlds.ABOVE else "Below", worlds.UNIVERSE, at, 10**7, numbers=(world.round,)
        )
    seat, is_planet = divmod(oid - world.board_end(), 2)
    if not 0 <= seat < world.seats:
        raise KeyError(oid)
    if is_planet:
        return _home_planet(world, seat, level)
    return Shown("home", f"{player(seat)}'s Home", worlds.ABOVE, _home_at(world, seat), _SQUARE_SIZE)


@lru_cache(maxsize=16)
def _untouched(board: Board) -> tuple[tuple[Shown, ...], tuple[Shown, ...]]:
    """Return the look of the empty systems and planets of the boards. Below ground all is dirt."""
    systems, planets = [], []
    for place in range(2 * board.area):
        below, name = board.below(place), board.name_of(place)
        galaxy = worlds.BELOW if below else worlds.ABOVE
        terrain = 0 if below else board.terrain(place)
        at = _at(board, place)
        systems.append(Shown("square", name, galaxy, at, _SQUARE_SIZE, numbers=(terrain, 0)))
        planets.append(Shown("ground", f"Ground {name}", worlds.BELOW + 1 + 2 * place, at, _PIECE_SIZE))
    return tuple(systems), tuple(planets)


def _at(board: Board, place: Place) -> tuple[int, int, int]:
    x, y = board.coordinates(place)  # y grows south, and clients draw north at the top
    return (_SPACING * x, -_SPACING * y, 0 if board.below(place) else _ABOVE_HEIGHT)


def _system(world: World, place: Place, shown: Shown) -> Shown:
    owner = world.dug.get(place)
    return shown if owner is None else shown._replace(numbers=(shown.numbers[0], owner))


def _planet(world: World, place: Place, shown: Shown) -> Shown:
    found = []
    if place in world.food:
        found.append(Amount(resources.FOOD, world.food[place]))
    if place in world.webs:
        found.append(Amount(resources.WEB, 1))
    if place in world.web_points:
        found.append(Amount(resources.WEB_POINT, world.web_points[place]))
    if place < world.board.area:
        if world.fungus_at(place) is not None:
            found.append(Amount(resources.FUNGUS, 1))
        if place in world.wards:
            found.append(Amount(resources.WARD, 1))
        if world.board.water[place] and world.is_bridged(place):
            found.append(Amount(resources.BRIDGE, 1))
    elif place in world.dug:
        found.append(Amount(resources.EXCAVATED, 1))
    if world.is_hole(place):
        found.append(Amount(resources.HOLE, 1, 0, int(not world.is_open_hole(place))))
    return shown._replace(resources=tuple(found)) if found else shown


def _piece(world: World, piece: worlds.Piece, level: str) -> Shown:
    """Return the look of a unit, goods or a fungus group. Only its owner's level includes the behavior of a unit."""
    settings, kind = world.settings, _KINDS[type(piece)]
    name, damage = KINDS[kind].title, 0
    numbers: tuple[int, ...] = ()
    found: tuple[Amount, ...]
    ships: tuple[Ships, ...]
    if isinstance(piece, Spider):
        numbers = (piece.reaction if level == OWN else 0,)
        damage = settings.spider_hp - piece.hp
        found = (
            Amount(resources.HIT_POINT, piece.hp, damage),
            _moves(piece),
            Amount(resources.COCOONED_ANT, piece.cocooned),
            Amount(resources.CAPTIVE, len(piece.captives)),
            Amount(resources.SPIDER_EGG, piece.eggs),
            Amount(resources.FED_EGG, piece.fed),
        )
        ships = (Ships(designs.SPIDER),)
    elif isinstance(piece, Queen):
        damage = settings.queen_hp - piece.hp
        found = (Amount(resources.HIT_POINT, piece.hp, damage), _moves(piece))
        ships = (Ships(designs.QUEEN),)
    elif isinstance(piece, Group):
        name = f"{worlds.COLOUR_WORDS[piece.colour].capitalize()} Group"
        numbers = (piece.stance if level == OWN else 0,)
        found = (
            _moves(piece),
            Amount(resources.FOOD, piece.food, max(0, piece.room)),
            Amount(resources.WEB_POINT, piece.web_points),
            Amount(resources.RED_ANT if piece.colour == worlds.RED else resources.BLACK_ANT, piece.ants),
            Amount(resources.ANT_EGG, len(piece.eggs)),
            Amount(resources.BRIDGE, len(piece.bridge)),
        )
        ships = (Ships(designs.ANTS[piece.colour], piece.ants),)
    elif isinstance(piece, worlds.Clutch):
        found = (Amount(resources.SPIDER_EGG, piece.eggs), Amount(resources.FED_EGG, piece.fed))
        ships = (Ships(designs.EGG, piece.eggs), Ships(designs.FED_EGG, piece.fed))
    elif isinstance(piece, worlds.AntEgg):
        found = (Amount(resources.ANT_EGG, 1),)
        ships = (Ships(designs.ANT_EGGS[piece.colour]),)
    elif isinstance(piece, worlds.Cocoon):
        found = (Amount(resources.COCOONED_ANT, piece.ants),)
        ships = (Ships(designs.COCOON, piece.ants),)
    else:
        size = len(piece.squares)
        found = (Amount(resources.FUNGUS, size, 0, int(piece.exhausted)),)
        ships = (Ships(designs.FUNGUS, size),)
    place, ships = piece.places[0], tuple(row for row in ships if row.number)
    system, at = world.system(place), _at(world.board, place)
    return Shown(kind, name, system, at, _PIECE_SIZE, piece.seat, numbers, _present(*found), ships, damage)


def _moves(unit: Unit) -> Amount:
    left = unit.ticks // TICKS
    return Amount(resources.MOVE_POINT, left, 0, unit.all_ticks // TICKS - left)


def _home_at(world: World, seat: Seat) -> tuple[int, int, int]:
    return (_SPACING * seat, -_SPACING * (world.board.height + 1), _ABOVE_HEIGHT)


def _home_planet(world: World, seat: Seat, level: str) -> Shown:
    """Return the home planet with its player's goals. Other facts below ground are only at levels that may see them."""
    settings = world.settings
    (first, first_goal), (second, second_goal) = world.goals(seat)
    first_missing, second_missing = max(0, first_goal - first), max(0, second_goal - second)
    if seat == SPIDER_SEAT:
        kind, alive = "brood", len(world.spiders())
        found = [
            Amount(resources.WEB, first, first_missing),
            Amount(resources.COCOONED_ANT, second, second_missing),
            Amount(resources.SPIDER, alive, max(0, settings.max_spiders - alive)),
        ]
    else:
        kind, red = "colony", _ants(world, seat, worlds.RED)
        dug = eggs = 0
        if level == OWN or settings.underground == worlds.OPEN:
            dug = sum(owner == seat for owner in world.dug.values())
            eggs = world.egg_count(seat)
        found = [
            Amount(resources.FOOD, first, first_missing, dug * settings.store_per_square),
            Amount(resources.BLACK_ANT, second - red, second_missing),
            Amount(resources.RED_ANT, red),
            Amount(resources.ANT_EGG, eggs),
            Amount(resources.EXCAVATED, dug),
        ]
    name, amounts = f"{player(seat)}'s {KINDS[kind].title}", _present(Amount(resources.HOME_PLANET, 1), *found)
    return Shown(kind, name, world.home(seat), _home_at(world, seat), _PIECE_SIZE, seat, resources=amounts)


def _present(*amounts: Amount) -> tuple[Amount, ...]:
    """Return the amounts that have a figure above zero: stored, minable or unavailable."""
    return tuple(amount for amount in amounts if amount.stored or amount.minable or amount.unavailable)


# Scores.


def role(world: World, seat: Seat) -> str:
    """Return the role of a seat."""
    return "spider" if seat == SPIDER_SEAT else "ants"


def scores(world: World, seat: Seat | None) -> dict[Seat, dict[str, int]]:
    """Return the score of each seat, and its progress in its two goals, which are public (RULES.md, section 6)."""
    found: dict[Seat, dict[str, int]] = {}
    for one in range(world.seats):
        words = ("Webs", "Cocooned") if one == SPIDER_SEAT else ("Food", "Ants")
        goals = world.goals(one)
        parts = {f"{word} of {goal}": have for word, (have, goal) in zip(words, goals, strict=True)}
        found[one] = {"Score": world.score(one), **parts}
    return found


def regions(world: World, seat: Seat | None) -> list[api.Region]:
    """Return the excavation of each colony, as far as the seat sees it."""
    found: dict[Seat, list[Oid]] = {}
    for place, owner in sorted(world.dug.items()):
        if sees_place(world, seat, place):
            found.setdefault(owner, []).append(world.system(place))
    return [api.Region(tuple(oids), owner, f"Nest of {player(owner)}") for owner, oids in sorted(found.items())]
