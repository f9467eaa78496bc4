"""The state of a game of Taller-Ants: pieces, settings, world, opening."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tprules.api import Dice, Oid, OptionError, Order, Seat, player, stored, stored_as_row
from tprules.taller_ants.board import MEADOW, Board, Place

SPIDER_SEAT: Seat = 0

BLACK, RED = COLOURS = range(2)
COLOUR_WORDS = ("black", "red")

TICKS_OF_SPIDER, TICKS_OF_ANTS = 20, 10
"""Ticks (half move points) of a spider, and of ants, in a phase."""

HALF = 50
"""Score of each half of a goal (R75)."""

TICKS = 2
"""Ticks of one move point."""

MOST_ANTS = 6
"""Maximum ants in a group (R39)."""
LOAD = 5
"""Maximum food points that one ant carries, and also the food points of an egg (R28, R30, R47)."""
_QUEEN_BONUS = 6
"""Bonus of a queen on her two dice (R59, R72)."""
COCOONED_FOOD = 2
"""Food points of a cocooned ant (R23)."""

AVOID, FIGHT = 1, 2
"""Stances of a group."""
KILL, TAKE = 1, 2
"""Reactions of a spider."""


class _Placed:
    """The objects on one place."""

    __slots__ = ()
    place: Place

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.place,)


@stored_as_row
@dataclass(slots=True)
class Spider(_Placed):
    seat = SPIDER_SEAT
    described = "a spider"
    all_ticks = TICKS_OF_SPIDER
    id: Oid
    place: Place
    hp: int
    ticks: int
    cocooned: int = 0
    """Number of cocooned ants that it carries."""
    eggs: int = 0
    fed: int = 0
    """Number of fed eggs, which ``eggs`` does not include."""
    captives: list[list[int]] = field(default_factory=list)
    """[seat, color] of each captive, in the order of capture."""
    attacked: bool = False
    """True if it has attacked in this phase."""
    acted: bool = False
    """True if it has done anything in this phase."""
    ended: bool = False
    """True if it can do nothing more in this phase."""
    reaction: int = KILL


@stored_as_row
@dataclass(slots=True)
class Group(_Placed):
    """A group of ants. A bridge covers all places of ``bridge``, and ``place`` is the first of these."""

    all_ticks = TICKS_OF_ANTS
    id: Oid
    seat: Seat
    colour: int
    ants: int
    place: Place
    ticks: int
    food: int = 0
    web_points: int = 0
    eggs: list[list[int]] = field(default_factory=list)
    """[color, own phases to wait] of each ant egg that it carries."""
    stance: int = AVOID
    wards: int = 0
    """Number of wards built in this phase."""
    bridge: list[Place] = field(default_factory=list)
    near: Place = -1
    """The land at the near end of a bridge."""
    far: Place = -1
    """The land at the far end of a bridge."""
    ended: bool = field(default=False, metadata=stored(since=2))
    """True if it may only regroup in the rest of this phase (R80)."""

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(self.bridge) if self.bridge else (self.place,)

    @property
    def strength(self) -> int:
        """The strength in fights: the number of ants. Red ones count twice (R31, R37)."""
        return 2 * self.ants if self.colour == RED else self.ants

    def ants_for(self, points: int) -> int:
        """Return a difference in a fight as a number of ants. Red ones count as two, rounded up (R33, R58)."""
        return -(-points // 2) if self.colour == RED else points

    @property
    def described(self) -> str:
        """The description of the group in reports of fights. Spiders and queens also have one."""
        ants = "ant" if self.ants == 1 else "ants"
        return f"{self.ants} {COLOUR_WORDS[self.colour]} {ants} of {player(self.seat)}"

    @property
    def room(self) -> int:
        """The food points that it can still load (R30, R47). It is below 0 while ants are being removed."""
        return LOAD * (self.ants - len(self.eggs)) - self.food


@stored_as_row
@dataclass(slots=True)
class Queen(_Placed):
    all_ticks = TICKS_OF_ANTS
    ended = False
    id: Oid
    seat: Seat
    place: Place
    hp: int
    ticks: int

    @property
    def described(self) -> str:
        return f"the queen of {player(self.seat)}"

    def defence(self, dice: Dice) -> int:
        """Roll the dice for a queen under attack (R59, R72)."""
        return dice.roll() + dice.roll() + _QUEEN_BONUS


Unit: TypeAlias = Spider | Group | Queen


@stored_as_row
@dataclass(slots=True)
class Clutch(_Placed):
    """Spider eggs on the ground."""

    seat = SPIDER_SEAT
    id: Oid
    place: Place
    eggs: int
    fed: int = 0


@stored_as_row
@dataclass(slots=True)
class AntEgg(_Placed):
    id: Oid
    seat: Seat
    place: Place
    colour: int
    wait: int
    """Number of its owner's phases that must still begin until it hatches."""


@stored_as_row
@dataclass(slots=True)
class Cocoon(_Placed):
    """Cocooned ants on the ground."""

    seat = None
    id: Oid
    place: Place
    ants: int


Goods: TypeAlias = Clutch | AntEgg | Cocoon


@stored_as_row
@dataclass(slots=True)
class Fungus:
    """A fungus group, with its squares in rising order."""

    seat = None
    squares: list[Place]
    exhausted: bool = False

    @property
    def places(self) -> list[Place]:
        return self.squares


Piece: TypeAlias = Unit | Goods | Fungus


@stored_as_row
@dataclass(slots=True)
class Colony:
    """An ant player."""

    hole: Place = -1
    """The square of the hole above ground; -1 before the choice."""
    eliminated: bool = False
    hatched: int = 0
    """Number of ants that hatched, including those at the start."""
    killed: int = 0
    cocooned: int = 0
    """Number of ants that were cocooned."""


UNIVERSE: Oid = 0
ABOVE: Oid = 1
BELOW: Oid = 2
"""The galaxies of the boards above and below ground."""
_FIRST_SYSTEM: Oid = 3
"""The number of the first Star System. Systems have odd numbers; the Planet of a system has the next number."""

SETUP, SPIDER, ANTS = "setup", "spider", "ants"
"""The phases of the game."""

FOUR_GROUPS, TWO_GROUPS = "four_groups", "two_groups"
"""Values of the option ``ant_setup`` (R2, R35)."""
OPEN, OWN = "open", "own"
"""Values of the option ``underground``: whether all players see below ground (RULES.md, section 6)."""
FIXED, ALTERNATE = "fixed", "alternate"
"""Values of the option ``ant_order`` (R66)."""
BY_FUNGUS, IN_MIDDLE = "fungus", "middle"
"""Values of the option ``places``, which sets the default places (RULES.md, section 2)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The options that are used after the opening."""

    ant_setup: str
    web_goal_percent: int
    cocoon_goal: int
    food_goal: int
    ants_goal: int
    start_cocooned: int
    spider_hp: int
    queen_hp: int
    max_spiders: int
    store_per_square: int
    ant_hatch_delay: int
    ant_hatch_food: int
    ward_cost_mp: int
    web_under_ants: bool
    phase_steps: int
    underground: str
    ant_order: str
    max_rounds: int
    seal_rounds: int
    places: str = field(default=IN_MIDDLE, metadata=stored(since=3))


@dataclass(slots=True)
class World:
    """The complete state of a game."""

    width: int
    drawing: str
    """``Board.drawing``."""
    settings: Settings
    colonies: list[Colony]
    """The colonies of seats 1 and up."""
    stage: str = SETUP
    round: int = 0
    active: Seat = SPIDER_SEAT
    """The seat whose phase it is, except in the setup."""
    step: int = 0
    """Number of closed turns of this phase (option ``phase_steps``)."""
    again: bool = False
    """True if this phase has another turn."""
    newest: Oid = 0
    """Units with this number or a higher one are new in this phase, and do not act in it."""
    webs: set[Place] = field(default_factory=set)
    wards: set[Place] = field(default_factory=set)
    food: dict[Place, int] = field(default_factory=dict)
    web_points: dict[Place, int] = field(default_factory=dict)
    dug: dict[Place, Seat] = field(default_factory=dict)
    """Excavated place below ground -> the seat that owns it."""
    fungi: dict[Oid, Fungus] = field(default_factory=dict)
    units: dict[Oid, Unit] = field(default_factory=dict, metadata=stored(key="id"))
    """Units by rising id."""
    goods: dict[Oid, Goods] = field(default_factory=dict, metadata=stored(key="id"))
    """Goods by rising id."""
    spiders_out: bool = False
    """True if the spider player is eliminated."""
    sealed: int = 0
    """Number of consecutive complete rounds in which every living colony was shut in (R75)."""
    opened: bool = False
    """True if a living colony was not shut in at some moment of this round."""
    next_id: Oid = 0
    ended: str = ""
    """Why the game is over, or empty."""
    winners: list[Seat] = field(default_factory=list)
    board: Board = field(init=False)
    offers: list[Order] | None = field(default=None, init=False, repr=False, compare=False)
    """Cache of ``moves`` for the active seat, valid until the phase closes."""

    def __post_init__(self) -> None:
        self.board = Board.of(self.width, self.drawing)

    # Objects.

    @property
    def seats(self) -> int:
        return 1 + len(self.colonies)

    def system(self, place: Place) -> Oid:
        return _FIRST_SYSTEM + 2 * place

    def board_end(self) -> Oid:
        """Return the first number after those of the systems and planets of both boards."""
        return _FIRST_SYSTEM + 4 * self.board.area

    def home(self, seat: Seat) -> Oid:
        """Return the home system of a seat. Its planet, the Brood or Colony, has the next number."""
        return self.board_end() + 2 * seat

    def homes_end(self) -> Oid:
        return _FIRST_SYSTEM + 4 * self.board.area + 2 + 2 * len(self.colonies)  # board_end() and two for each seat

    def place_of(self, oid: Oid) -> Place:
        """Return the place of a system or planet of the boards."""
        return (oid - _FIRST_SYSTEM) // 2

    def new_id(self) -> Oid:
        self.next_id += 1
        return self.next_id - 1

    def add(self, unit: Unit) -> None:
        self.units[unit.id] = unit

    def piece(self, oid: Oid) -> Piece | None:
        return self.units.get(oid) or self.goods.get(oid) or self.fungi.get(oid)

    # Units, goods and progress.

    def spiders(self) -> list[Spider]:
        return [unit for unit in self.units.values() if isinstance(unit, Spider)]

    def groups(self, seat: Seat) -> list[Group]:
        return [unit for unit in self.units.values() if isinstance(unit, Group) and unit.seat == seat]

    def queen(self, seat: Seat) -> Queen | None:
        return next((unit for unit in self.own(seat) if isinstance(unit, Queen)), None)

    def eggs(self, seat: Seat) -> list[AntEgg]:
        """Return the ant eggs of a colony on the ground."""
        return [thing for thing in self.goods.values() if isinstance(thing, AntEgg) and thing.seat == seat]

    def clutches(self) -> list[Clutch]:
        return [thing for thing in self.goods.values() if isinstance(thing, Clutch)]

    def egg_count(self, seat: Seat) -> int:
        """Return the number of ant eggs of a colony, on the ground and carried."""
        return len(self.eggs(seat)) + sum(len(group.eggs) for group in self.groups(seat))

    def own(self, seat: Seat) -> list[Unit]:
        return [unit for unit in self.units.values() if unit.seat == seat]

    def colony(self, seat: Seat) -> Colony:
        return self.colonies[seat - 1]

    def is_out(self, seat: Seat) -> bool:
        return self.spiders_out if seat == SPIDER_SEAT else self.colony(seat).eliminated

    def living(self) -> list[Seat]:
        """Return the seats that are not eliminated."""
        return [seat for seat in range(self.seats) if not self.is_out(seat)]

    def phase_order(self, number: int) -> list[Seat]:
        """Return the seats in the order of their phases in the round of this number (R66)."""
        colonies = list(range(1, self.seats))
        if self.settings.ant_order == ALTERNATE and number % 2 == 0:
            colonies.reverse()
        return [SPIDER_SEAT, *colonies]

    def ants(self, seat: Seat) -> int:
        """Return the living ants of a colony in its groups (R38)."""
        return sum(group.ants for group in self.groups(seat))

    def stored(self, seat: Seat) -> int:
        """Return the stored food of a colony (R70)."""
        most = self.settings.store_per_square
        return sum(
            min(amount, most) if most else amount for place, amount in self.food.items() if self.dug.get(place) == seat
        )

    def cocooned(self) -> int:
        """Return the cocooned ants that count for the spider's goal (R3)."""
        lying = sum(thing.ants for thing in self.goods.values() if isinstance(thing, Cocoon))
        return lying + sum(spider.cocooned for spider in self.spiders())

    def fed_eggs(self) -> int:
        return sum(spider.fed for spider in self.spiders()) + sum(clutch.fed for clutch in self.clutches())

    def goals(self, seat: Seat) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the progress and the goals of a seat: webs and cocooned ants, or stored food and ants (R3, R38)."""
        goals = self.settings
        if seat == SPIDER_SEAT:
            webs_needed = -(-goals.web_goal_percent * self.board.area // 100)
            return (len(self.webs), webs_needed), (self.cocooned(), goals.cocoon_goal)
        return (self.stored(seat), goals.food_goal), (self.ants(seat), goals.ants_goal)

    def score(self, seat: Seat) -> int:
        """Return the score at the round limit: half for each part of the goal, or -1 if eliminated (R75)."""
        return -1 if self.is_out(seat) else sum(HALF * min(have, goal) // goal for have, goal in self.goals(seat))

    # Squares.

    def sinks(self, place: Place) -> bool:
        """Return whether goods on a place are lost (R8)."""
        return self.board.water[place] and place not in self.webs

    def fungus_at(self, place: Place) -> Oid | None:
        return next((oid for oid, fungus in self.fungi.items() if place in fungus.squares), None)

    def is_hole(self, place: Place) -> bool:
        """Return whether there is a hole at a place, on either board."""
        square = place % self.board.area
        return square in [colony.hole for colony in self.colonies]

    def is_open_hole(self, place: Place) -> bool:
        """Return whether there is a hole at a place without a web on it (R64)."""
        return self.is_hole(place) and place % self.board.area not in self.webs

    def hole_allowed(self, seat: Seat, place: Place) -> bool:
        """Return whether a seat may have its hole at a place (R36)."""
        return not self.board.below(place) and self.board.hole_allowed(place, seat)

    def default_places(self) -> tuple[Place, ...]:
        """Return the default place of each seat. Games without seat 2 also have one for it."""
        return self.board.fungus_places if self.settings.places == BY_FUNGUS else self.board.middle_places

    def start_allowed(self, place: Place) -> bool:
        """Return whether the first spider may start at a place (R1)."""
        return not self.board.below(place) and self.board.spider_allowed(place) and not self.is_hole(place)

    def units_at(self, place: Place) -> Iterator[Unit]:
        return (unit for unit in self.units.values() if place in unit.places)

    def is_bridged(self, place: Place) -> bool:
        return any(isinstance(unit, Group) and place in unit.bridge for unit in self.units.values())

    def ants_at(self, place: Place) -> bool:
        return any(not isinstance(unit, Spider) for unit in self.units_at(place))

    def enemy_at(self, place: Place, seat: Seat) -> bool:
        return any(unit.seat != seat for unit in self.units_at(place))

    def touches(self, unit: Unit, place: Place) -> bool:
        """Return whether a place touches one of the unit's places: distance <= 1 on the same board."""
        near = self.board.near[place]
        return any(own in near for own in unit.places)

    def meets(self, unit: Unit, other: Unit) -> bool:
        """Return whether two units touch (R83)."""
        return any(self.touches(unit, place) for place in other.places)

    def around(self, unit: Unit) -> list[Place]:
        """Return all places that a unit touches, in rising order."""
        if len(unit.places) == 1:
            return list(self.board.near[unit.place])
        return sorted({near for place in unit.places for near in self.board.near[place]})

    def shut_in(self, seat: Seat) -> bool:
        """Return whether a colony's hole is covered and it has no unit above ground (R75)."""
        return self.colony(seat).hole in self.webs and all(self.board.below(unit.place) for unit in self.own(seat))


# The opening (R2, R35; RULES.md, section 2).

_STORED_SQUARES, _STORED_FOOD = 6, 5
_GROUPS_OF_FOUR, _ANTS_OF_FOUR = (BLACK, BLACK, RED, RED), 5
_ANTS_OF_TWO, _FOOD_OF_TWO = 6, 15


def settings_from(options: Mapping[str, Any]) -> Settings:
    """Return the settings among the parsed options."""
    return Settings(**{name: options[name] for name in Settings.__slots__})


def opened(options: Mapping[str, Any], seats: int, dice: Dice) -> World:
    """Return the world before setup: an empty map (RULES.md, section 2)."""
    wanted = options["ant_players"]
    if wanted and wanted != seats - 1:
        limits = f"0 for all who have joined, or their number, here {seats - 1}"
        raise OptionError("ant_players", f"{wanted} is not {limits}")
    board = Board.drawn(options["map_text"] if options["map"] == "text" else MEADOW.split())
    world = World(board.width, board.drawing, settings_from(options), [Colony() for _ in range(1, seats)])
    world.next_id = world.homes_end()
    for squares in board.fungi:
        world.fungi[world.new_id()] = Fungus(list(squares))
    return world


def excavate(world: World, seat: Seat) -> None:
    """Excavate the rectangle around a hole.

    Squares in two rectangles belong to the lower seat, except for the hole of the other.
    """
    board = world.board
    x, y = board.coordinates(world.colony(seat).hole)
    columns, rows, left, top = (5, 4, 2, 1) if world.settings.ant_setup == FOUR_GROUPS else (3, 3, 1, 1)
    holes = {board.other_side(colony.hole): owner for owner, colony in enumerate(world.colonies, 1)}
    for place in _rectangle(board, x - left, y - top, columns, rows):
        world.dug[place] = holes.get(place, world.dug.get(place, seat))


def _rectangle(board: Board, x: int, y: int, columns: int, rows: int) -> list[Place]:
    """Return the places below ground in a rectangle. It is shifted if necessary to lie on the board."""
    x = min(max(x, 0), board.width - columns)
    y = min(max(y, 0), board.height - rows)
    return [board.other_side(board.at(column, row)) for row in range(y, y + rows) for column in range(x, x + columns)]


def settle(world: World, seat: Seat) -> None:
    """Put the units of a colony below its hole, and its food."""
    place = world.board.other_side(world.colony(seat).hole)
    if world.settings.ant_setup == FOUR_GROUPS:
        for colour in _GROUPS_OF_FOUR:
            world.add(Group(world.new_id(), seat, colour, _ANTS_OF_FOUR, place, 0))
        for own in sorted(own for own, owner in world.dug.items() if owner == seat)[:_STORED_SQUARES]:
            world.food[own] = _STORED_FOOD
    else:
        for colour in COLOURS:
            world.add(Group(world.new_id(), seat, colour, _ANTS_OF_TWO, place, 0, _FOOD_OF_TWO))
    world.add(Queen(world.new_id(), seat, place, world.settings.queen_hp, 0))
    world.colony(seat).hatched = world.ants(seat)
