"""The state of a game of Colony Battle, and its opening.

RULES.md, section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tprules.api import Dice, Oid, OptionError, Seat, stored_as_row
from tprules.colony_battle.board import BOARDS, SITES, Layout, Neighbours, Spot, Square, beside, kept, ways

# --- Kinds of unit

WORKER, SOLDIER, DRONE, YOUNG_QUEEN, QUEEN, ANTLION, TERMITE = range(7)
"""Kinds of unit. The first four are spawned, the first five are ants, the last two come from items."""

SPAWNED = (WORKER, SOLDIER, DRONE, YOUNG_QUEEN)


class Stats(NamedTuple):
    """The name and strengths of a kind of unit."""

    name: str
    kind: str
    """The kind of object."""
    hit_points: int
    """0 for a unit without hit points (R38)."""
    steps: int


STATS = (
    Stats("Worker", "worker", 1, 3),
    Stats("Soldier", "soldier", 3, 2),
    Stats("Drone", "drone", 1, 3),
    Stats("Young Queen", "young queen", 1, 5),
    Stats("Queen", "queen", 10, 1),
    Stats("Antlion", "antlion", 0, 0),
    Stats("Termite Bomb", "termite bomb", 1, 2),
)


# --- The state

NOWHERE: Square = -1
NOBODY: Seat = -1
NO_KIND = -1

LEFT, RIGHT = 0, 1
"""The directions in which a worm faces."""


@stored_as_row
@dataclass(slots=True)
class Unit:
    """One piece of a player."""

    kind: int
    owner: Seat
    square: Square
    hit_points: int
    kills: int = 0
    """Number of kills that an antlion has left."""
    item: Oid = 0
    """The item that a worker carries, or 0."""
    caught: bool = False


@stored_as_row
@dataclass(slots=True)
class Item:
    """One token: on a square, with a worker, or in a hand."""

    kind: int
    square: Square = NOWHERE
    carrier: Oid = 0
    hand: Seat = NOBODY


@stored_as_row
@dataclass(slots=True)
class Worm:
    """An earthworm: its segments and their squares, the head first."""

    segments: list[Oid]
    squares: list[Square]
    facing: int


@stored_as_row
@dataclass(slots=True)
class Spider:
    """A spider. It weaves around ``centre``, or travels to ``goal``. With NOWHERE, it waits for a reachable goal."""

    square: Square
    centre: Square
    radius: int = 0
    weaves: bool = True
    goal: Square = NOWHERE


@stored_as_row
@dataclass(slots=True)
class Colony:
    """The state of one seat, except for its units. ``home`` is its Star System; its Planet has the next number."""

    home: Oid
    queen: Oid
    trail: dict[Square, int] = field(default_factory=dict)
    """Square of the chemical trail -> its age in rounds."""
    brood: int = NO_KIND
    """The kind of the running or waiting brood."""
    brood_left: int = 0

    @property
    def locked(self) -> bool:
        """Return whether a brood prevents the queen from moving."""
        return self.brood != NO_KIND and self.brood_left > 0


UNIVERSE: Oid = 0
FIRST_GALAXY: Oid = 1
_FIRST_SYSTEM: Oid = FIRST_GALAXY + BOARDS
"""The number of the first system. Every second number is a system; its planet has the next number."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The options that are used after the opening."""

    dig_turns: tuple[int, ...]
    items_hidden: bool
    web_max: int
    spider_speed: int
    spider_relocate: int
    move_cap: int
    caps: tuple[int, ...]
    """Maximum units of each kind that can be spawned."""
    brood: tuple[int, ...]
    """Number of turns for which spawning each kind locks the queen."""
    antlion_range: int
    antlion_kills: int
    blast_range: int
    blast_damage: int
    trail_life: int
    web_persists: bool
    termite_any_queen: bool
    max_rounds: int


@dataclass(slots=True)
class World:
    """The complete state of a game."""

    layout: Layout
    settings: Settings
    left: list[int]
    """Rounds left to dig, by site."""
    first: Seat
    seat: Seat
    """The seat whose turn it is."""
    next_id: Oid
    colonies: list[Colony] = field(default_factory=list)
    units: dict[Oid, Unit] = field(default_factory=dict)
    items: dict[Oid, Item] = field(default_factory=dict)
    worms: dict[Oid, Worm] = field(default_factory=dict)
    spiders: dict[Oid, Spider] = field(default_factory=dict)
    webs: list[tuple[Square, int]] = field(default_factory=list)
    """Abandoned webs that persist: (center, radius)."""
    placing: bool = False
    """True if the seat is placing items, False in its main phase."""
    round: int = 1
    placed: int = 0
    """Number of items that have become units."""
    bitten: list[tuple[Oid, Oid]] = field(default_factory=list)
    """(spider, queen) of each bite in this player's turn, as a spider bites a queen once a turn (R72).

    The turn includes the phase in which items are placed.
    """
    ended: str = ""
    """The reason why the game is over, or empty."""
    winner: Seat = NOBODY
    occupied: dict[Square, Oid] = field(init=False)
    """Square -> the unit, worm segment or spider on it. Computed from the other fields."""

    def __post_init__(self) -> None:
        self.layout = kept(self.layout)
        self.occupy()

    # Objects and squares.

    def system(self, square: Square) -> Oid:
        return _FIRST_SYSTEM + 2 * square

    def site_end(self) -> Oid:
        """Return the first number after those of squares, grounds and sites."""
        return self.site_object(0) + len(SITES)

    def site_object(self, site: int) -> Oid:
        return _FIRST_SYSTEM + 2 * BOARDS * self.layout.area + site

    def square_of(self, oid: Oid) -> Square | None:
        """Return the square of a system, its planet or a site, or None for other objects."""
        sites = _FIRST_SYSTEM + 2 * BOARDS * self.layout.area  # the first of site_object(), without its call
        if _FIRST_SYSTEM <= oid < sites:
            return (oid - _FIRST_SYSTEM) // 2
        if sites <= oid < sites + len(SITES):
            return self.layout.sites[oid - sites]
        return None

    def home_seat(self, oid: Oid) -> Seat | None:
        """Return the seat whose home system or home planet this is, or None."""
        return next((seat for seat, one in enumerate(self.colonies) if oid in (one.home, one.home + 1)), None)

    def worm_of(self, segment: Oid) -> Oid | None:
        """Return the worm of a segment, or None."""
        return next((oid for oid, worm in self.worms.items() if segment in worm.segments), None)

    def exists(self, oid: Oid) -> bool:
        return (
            0 <= oid < self.site_end()
            or any(oid in pieces for pieces in (self.units, self.items, self.worms, self.spiders))
            or self.home_seat(oid) is not None
            or self.worm_of(oid) is not None
        )

    def is_gone(self, oid: Oid) -> bool:
        """Return whether an object with this number existed and is gone."""
        return 0 <= oid < self.next_id and not self.exists(oid)

    def new_id(self) -> Oid:
        self.next_id += 1
        return self.next_id - 1

    # Neighborhoods.

    def is_open(self) -> tuple[bool, bool, bool]:
        one, two, throne = self.left
        return not one, not two, not throne

    def beside(self, square: Square) -> tuple[Square, ...]:
        """Return the neighbors of a square, including the other end of an open shaft."""
        return beside(self.layout, self.is_open())[square]

    def ways(self) -> Neighbours:
        """Return for each square the neighbors to which a unit can step, considering closed sites only."""
        return ways(self.layout, self.is_open())

    def is_closed(self, square: Square) -> bool:
        """Return whether this is a closed site."""
        sites = self.layout.sites
        return square in sites and self.left[sites.index(square)] > 0

    def closed(self) -> list[Square]:
        """Return the closed sites."""
        return [square for square, left in zip(self.layout.sites, self.left, strict=True) if left > 0]

    def is_free(self, square: Square) -> bool:
        """Return whether a unit could be put here (R10)."""
        return square not in self.occupied and not self.is_closed(square)

    def takes_antlion(self, square: Square) -> bool:
        """Return whether an antlion may be placed on a square (R36)."""
        return square not in self.occupied and not self.layout.is_shaft(square)

    def takes_termite(self, seat: Seat, square: Square) -> bool:
        """Return whether the square is beside a queen at which the seat may place a termite (R43)."""
        return any(square in self.beside(self.units[queen].square) for queen in self.queens_for_termites(seat))

    def queens_for_termites(self, seat: Seat) -> list[Oid]:
        """Return the queens beside which the seat may place termites, its own first."""
        order = [seat, 1 - seat] if self.settings.termite_any_queen else [seat]
        return [self.colonies[one].queen for one in order if self.colonies[one].queen in self.units]

    def in_web(self, square: Square) -> bool:
        """Return whether a web covers the square (R68)."""
        layout = self.layout
        board = square // layout.area
        for spider in self.spiders.values():
            on_board = spider.weaves and spider.centre // layout.area == board
            if on_board and layout.within(spider.centre, square, spider.radius):
                return True
        return any(layout.within(centre, square, radius) for centre, radius in self.webs)

    # Units.

    def queen(self, seat: Seat) -> Unit | None:
        return self.units.get(self.colonies[seat].queen)

    def alive(self, seat: Seat, kind: int) -> int:
        """Return the number of units of a kind that a seat has."""
        return sum(unit.kind == kind and unit.owner == seat for unit in self.units.values())

    def has_room(self, seat: Seat, kind: int) -> bool:
        """Return whether one more unit of a kind that is spawned is allowed (R12)."""
        return kind not in range(len(self.settings.caps)) or self.alive(seat, kind) < self.settings.caps[kind]

    def hand(self, seat: Seat) -> list[Oid]:
        """Return the items that a seat must still place."""
        return [oid for oid, item in self.items.items() if item.hand == seat]

    def placeable(self, seat: Seat) -> list[Oid]:
        """Return the items in hand that can be placed now (RULES.md, section 5)."""
        return [oid for oid in self.hand(seat) if any(True for _ in self.places_for(seat, self.items[oid].kind))]

    def places_for(self, seat: Seat, kind: int) -> Iterator[Square]:
        """Yield the squares on which an item may be placed now. For a termite, the default comes first."""
        if kind == TERMITE:
            for queen in self.queens_for_termites(seat):
                yield from (square for square in self.beside(self.units[queen].square) if self.is_free(square))
        else:
            yield from (square for square in range(BOARDS * self.layout.area) if self.takes_antlion(square))

    def default_place(self, seat: Seat, kind: int) -> Square | None:
        """Return the square of an item that its owner does not place, or None (RULES.md, section 5)."""
        queen = self.queen(seat)
        if queen is None:
            return None
        if kind == TERMITE:
            free = [square for square in self.beside(queen.square) if self.is_free(square)]
        else:
            free = [square for square in self.layout.around[queen.square] if self.takes_antlion(square)]
        return free[0] if free else None

    def add_unit(self, kind: int, owner: Seat, square: Square) -> Oid:
        """Put a new unit on a free square, and return its number."""
        oid = self.new_id()
        kills = self.settings.antlion_kills if not STATS[kind].hit_points else 0
        self.units[oid] = Unit(kind, owner, square, STATS[kind].hit_points, kills)
        self.occupied[square] = oid
        return oid

    def digging(self, square: Square) -> bool:
        """Return whether a worker of either seat is beside a site (R49)."""
        around = self.layout.around[square]
        return any(unit.kind == WORKER and unit.square in around for unit in self.units.values())

    def occupy(self) -> None:
        """Compute ``occupied`` again."""
        self.occupied = {unit.square: oid for oid, unit in self.units.items()}
        for worm in self.worms.values():
            self.occupied.update(zip(worm.squares, worm.segments, strict=True))
        self.occupied.update((spider.square, oid) for oid, spider in self.spiders.items())


# --- The opening


def opened(options: Mapping[str, Any], seats: int, dice: Dice) -> World:
    """Return the opening world of two seats. Raises OptionError if the options do not fit together."""
    layout = _layout(options)
    _check_relocation(layout, options["spider_relocate"])
    taken: dict[Square, str] = dict.fromkeys(layout.sites, "a site")
    taken.update((square, "a landing") for square in layout.landings)
    shafts = dict(taken)
    starts = []
    for spot in options["starts"]:
        if spot[0] != 0:
            raise OptionError("starts", f"{_written(spot)} is not on board 0")
        starts.append(_free(layout, "starts", spot, taken))
        taken[starts[-1]] = "a queen"
    items = [_free(layout, "items", spot, shafts) for spot in options["items"]]
    spiders = []
    for spot in options["spiders"]:
        spiders.append(_free(layout, "spiders", spot, taken))
        taken[spiders[-1]] = "a spider"
    taken.update((square, "an item") for square in items)
    worms = []
    for *head, facing, length in options["worms"]:
        squares = []
        for step in range(length or options["worm_length"]):
            spot = (head[0], head[1] + (step if facing == LEFT else -step), head[2])
            squares.append(_free(layout, "worms", spot, taken))
            taken[squares[-1]] = "a worm"
        worms.append((squares, facing))
    antlions, termites = options["item_kinds"]
    if antlions + termites != len(items):
        text = f"{antlions} antlions and {termites} termite bombs are not the {len(items)} items of option items"
        raise OptionError("item_kinds", text)
    first = dice.below(2) if options["first_player"] == "random" else int(options["first_player"])
    kinds = dice.shuffled([ANTLION] * antlions + [TERMITE] * termites)
    chosen: dict[str, Any] = {name: options[name] for name in Settings.__slots__}
    for name in ("dig_turns", "caps", "brood"):
        chosen[name] = tuple(chosen[name])
    settings = Settings(**chosen)
    world = World(layout, settings, list(settings.dig_turns), first, seat=first, next_id=0)
    world.next_id = world.site_end()
    for _ in starts:
        world.colonies.append(Colony(world.new_id(), 0))
        world.new_id()
    for seat, square in enumerate(starts):
        world.colonies[seat].queen = world.add_unit(QUEEN, seat, square)
    for square, kind in zip(items, kinds, strict=True):
        world.items[world.new_id()] = Item(kind, square)
    for squares, facing in worms:
        worm = world.new_id()
        world.worms[worm] = Worm([world.new_id() for _ in squares], squares, facing)
    for square in spiders:
        world.spiders[world.new_id()] = Spider(square, square)
    world.occupy()
    return world


def _layout(options: Mapping[str, Any]) -> Layout:
    """Return the boards with their sites (RULES.md, section 2)."""
    sites: list[Square] = []
    plain = Layout(options["width"], options["height"], options["adjacency"] == "8", (0, 0, 0))
    for board, name in enumerate(("entrance1", "entrance2", "throne")):
        spot = options[name]
        if spot[0] != board:
            raise OptionError(name, f"{_written(spot)} is not on board {board}")
        square = _free(plain, name, spot, {})
        if sites and square == sites[-1] + plain.area:
            raise OptionError(name, f"{_written(spot)} is right under the entrance to this board")
        sites.append(square)
    return Layout(plain.width, plain.height, plain.diagonals, (sites[0], sites[1], sites[2]))


def _check_relocation(layout: Layout, distance: int) -> None:
    """Check that every square has another one at this distance (R69). The middle has the smallest maximum distance."""
    columns, rows = layout.width // 2, layout.height // 2
    most = max(columns, rows) if layout.diagonals else columns + rows
    if distance > most:
        text = f"a spider in the middle of a board cannot go {distance} squares away; at most {most} fit these boards"
        raise OptionError("spider_relocate", text)


def _free(layout: Layout, option: str, spot: Any, taken: Mapping[Square, str]) -> Square:
    """Return the square of a spot. Raises OptionError if it does not exist or is taken."""
    place: Spot = tuple(spot)
    if not layout.holds(place):
        text = f"{_written(spot)} is not on the boards: 3 boards, {layout.width} columns, {layout.height} rows, from 0"
        raise OptionError(option, text)
    square = layout.square(place)
    if square in taken:
        raise OptionError(option, f"{_written(spot)} is taken by {taken[square]}")
    return square


def _written(spot: Any) -> str:
    board, x, y = spot
    return f"{board}:{x},{y}"
