"""The board of TaE as a client sees it: what stands where, and a small model of what an action would change.

Squares are (x, y), counted from the south-west. Types of colonist, colony, leader and point are 0 merchants (money),
1 scientists (technology), 2 settlers (people), 3 mining robots (raw material). Players are ids as on the wire.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..objects import NOBODY, SpaceObject
from ..universe import Universe

Square = tuple[int, int]
Leader = tuple[int, int]
"""A leader: its player and its type."""
Region = frozenset[Square]

MERCHANTS, SCIENTISTS, SETTLERS, ROBOTS = TYPES = range(4)

COLONISTS = {"MerchantShip": MERCHANTS, "ScientistShip": SCIENTISTS, "SettlerShip": SETTLERS, "MiningShip": ROBOTS}
LEADERS = {
    "MerchantLeaderShip": MERCHANTS,
    "ScientistLeaderShip": SCIENTISTS,
    "SettlerLeaderShip": SETTLERS,
    "MiningLeaderShip": ROBOTS,
}
BOMBER = "Bomber"

SPACING = 80000
"""Distance of neighbouring systems; the first is at 1, and the homes are in a row south of the board."""

UNINHABITABLE, DESTROYED, ARTIFACT, FIRST_COLONY = 1, 2, 3, 4
"""Resource ids; the colonies of the four types follow each other."""

SYSTEM, PLANET, FLEET = 2, 3, 4
"""Object types."""


@dataclass(slots=True)
class Board:
    """What is public, and the own hand.

    `hand` and `bombers` hold the ids of own fleets at home, `leaders` the square of each leader that is on the board;
    `fleets` are the own leaders' ids by type. `pool` is None if nobody says.
    """

    me: int
    systems: Mapping[Square, int]
    inhabitable: frozenset[Square]
    home: int = 0
    home_planet: int = 0
    pool: int | None = None
    destroyed: set[Square] = field(default_factory=set)
    colonies: dict[Square, int] = field(default_factory=dict)
    artifacts: set[Square] = field(default_factory=set)
    leaders: dict[Leader, Square] = field(default_factory=dict)
    hand: dict[int, int] = field(default_factory=dict)
    fleets: dict[int, int] = field(default_factory=dict)
    bombers: list[int] = field(default_factory=list)
    frozen: set[Square] = field(default_factory=set)
    """The areas of contests that our own orders of this turn have opened; nothing may be changed in or beside them."""
    _near: dict[Square, tuple[Square, ...]] = field(default_factory=dict)
    _regions: dict[Square, Region] | None = None

    def copy(self) -> "Board":
        """An independent copy; what never changes is shared."""
        return Board(
            self.me,
            self.systems,
            self.inhabitable,
            self.home,
            self.home_planet,
            self.pool,
            set(self.destroyed),
            dict(self.colonies),
            set(self.artifacts),
            dict(self.leaders),
            dict(self.hand),
            dict(self.fleets),
            list(self.bombers),
            set(self.frozen),
            self._near,
        )

    # --- what is where

    def beside(self, square: Square) -> tuple[Square, ...]:
        """The up to four neighbours on the board."""
        near = self._near.get(square)
        if near is None:
            x, y = square
            around = ((x, y + 1), (x - 1, y), (x + 1, y), (x, y - 1))
            near = self._near[square] = tuple(place for place in around if place in self.systems)
        return near

    def is_free(self, square: Square) -> bool:
        """Whether a colony or leader could stand there, if the ground is right."""
        return (
            square in self.systems
            and square not in self.destroyed
            and square not in self.colonies
            and square not in self.leaders.values()
        )

    def has_ground(self, square: Square, kind: int) -> bool:
        """Whether colonists of this type live on that ground: mining robots on uninhabitable systems only."""
        return (square in self.inhabitable) == (kind != ROBOTS)

    def is_frozen(self, square: Square) -> bool:
        """Whether a colony or leader there would touch a contest."""
        return bool(self.frozen) and any(near in self.frozen for near in self.beside(square))

    def science_beside(self, square: Square) -> int:
        """How many scientist colonies border a square: what a leader there lives on."""
        return sum(self.colonies.get(near) == SCIENTISTS for near in self.beside(square))

    def _by_square(self) -> dict[Square, Region]:
        if self._regions is None:
            parts = connected({*self.colonies, *self.leaders.values()})
            self._regions = {square: part for part in parts for square in part}
        return self._regions

    @property
    def regions(self) -> list[Region]:
        """The connected sets of colonies and leaders, each once."""
        return list({id(region): region for region in self._by_square().values()}.values())

    def regions_beside(self, square: Square) -> list[Region]:
        """The regions that a colony or leader on a free square would join, each once."""
        regions = self._by_square()
        found: list[Region] = []
        for near in self.beside(square):
            region = regions.get(near)
            if region is not None and not any(region is other for other in found):
                found.append(region)
        return found

    def region_of(self, square: Square) -> Region:
        """The region that a square is part of; empty if of none."""
        return self._by_square().get(square, frozenset())

    def leaders_in(self, region: Region, kind: int) -> list[int]:
        """The players whose leader of a type stands in a region."""
        return sorted(player for (player, type_), place in self.leaders.items() if type_ == kind and place in region)

    def scorer(self, region: Region, kind: int) -> int:
        """The player who gets the point for a colony of this type that joins a region, or NOBODY."""
        for type_ in (kind, SETTLERS):
            found = self.leaders_in(region, type_)
            if found:
                return found[0]
        return NOBODY

    def strength(self, region: Region, kind: int) -> int:
        """How many colonies of a type a region has: what its leader of that type fights with in external combat."""
        return sum(self.colonies.get(square) == kind for square in region)

    def artifacts_in(self, region: Iterable[Square]) -> int:
        return sum(square in self.artifacts for square in region)

    def free_squares(self) -> list[Square]:
        taken = {*self.destroyed, *self.colonies, *self.leaders.values()}
        return sorted(square for square in self.systems if square not in taken)

    def beside_science(self) -> list[Square]:
        """All squares that border a scientist colony."""
        colonies = [square for square, kind in self.colonies.items() if kind == SCIENTISTS]
        return sorted({near for square in colonies for near in self.beside(square)})

    # --- what may be done, as far as can be seen

    def may_colonize(self, square: Square, kind: int) -> bool:
        return self.is_free(square) and self.has_ground(square, kind) and not self.is_frozen(square)

    def may_place(self, square: Square) -> bool:
        """Whether a leader in hand may go to a square; for one on the board ask the board `without_leader`."""
        return (
            self.is_free(square)
            and square in self.inhabitable
            and self.science_beside(square) > 0
            and len(self.regions_beside(square)) == 1
            and not self.is_frozen(square)
        )

    def may_attack(self, square: Square) -> bool:
        return (
            square in self.systems
            and square not in self.destroyed
            and square not in self.artifacts
            and square not in self.leaders.values()
            and square not in self.frozen
        )

    def without_leader(self, kind: int) -> "Board":
        """The board with our leader of a type taken up."""
        if (self.me, kind) not in self.leaders:
            return self
        board = self.copy()
        del board.leaders[self.me, kind]
        return board

    # --- what an action changes

    def colonize(self, fleet: int, square: Square) -> None:
        """Use a colonist ship up for a colony."""
        kind = self.hand.pop(fleet)
        joined = self.regions_beside(square)
        if any(len(sides) > 1 for sides in self.rivals(joined).values()):
            self.frozen.update({square}, *joined)
        self.colonies[square] = kind
        self._regions = None

    def move(self, kind: int, square: Square) -> None:
        self.leaders[self.me, kind] = square
        self._regions = None
        region = self.region_of(square)
        if len(self.leaders_in(region, kind)) > 1:
            self.frozen.update(region)

    def attack(self, fleet: int, square: Square) -> None:
        self.bombers.remove(fleet)
        self.colonies.pop(square, None)
        self.destroyed.add(square)
        for leader in self.stranded():
            del self.leaders[leader]
        self._regions = None

    def stranded(self) -> list[Leader]:
        """Leaders without a bordering scientist colony; they go home."""
        return sorted(leader for leader, place in self.leaders.items() if not self.science_beside(place))

    def rivals(self, regions: Iterable[Region]) -> dict[int, dict[int, Region]]:
        """By type of leader, who would fight if these regions were joined: player and region of each."""
        found: dict[int, dict[int, Region]] = {kind: {} for kind in TYPES}
        for region in regions:
            for kind in TYPES:
                for player in self.leaders_in(region, kind):
                    found[kind][player] = region
        return found


def connected(squares: set[Square]) -> Iterator[Region]:
    """The connected parts of a set of squares, each part once, the one with the lowest square first."""
    left = set(squares)
    for start in sorted(squares, key=lambda square: (square[1], square[0])):
        if start not in left:
            continue
        left.remove(start)
        part = [start]
        for x, y in part:
            for near in ((x, y + 1), (x - 1, y), (x + 1, y), (x, y - 1)):
                if near in left:
                    left.remove(near)
                    part.append(near)
        yield frozenset(part)


def read_board(universe: Universe) -> Board:
    """The board as the universe shows it; squares, planets and ships that make no sense are left out."""
    squares: dict[int, Square] = {}
    for thing in universe.where(lambda thing: thing.role == SYSTEM):
        x, y = (thing.position[0] - 1) // SPACING, (thing.position[1] - 1) // SPACING - 1
        if y >= 0:
            squares[thing.id] = (x, y)
    inhabitable = {square for number, square in squares.items() if universe.objects[number].number("Inhabitable") != 0}
    board = Board(universe.me, {square: number for number, square in squares.items()}, frozenset())
    for number, square in squares.items():
        if universe.objects[number].number("Destroyed"):
            board.destroyed.add(square)
    for planet in universe.where(lambda thing: thing.role == PLANET):
        if planet.owner == universe.me:
            board.home_planet, board.home = planet.id, planet.parent
        elif planet.parent in squares:
            _read_planet(board, inhabitable, squares[planet.parent], planet)
    board.inhabitable = frozenset(inhabitable)
    for fleet in universe.where(lambda thing: thing.role == FLEET):
        places = [squares[thing.id] for thing in universe.ancestors(fleet.id) if thing.id in squares]
        _read_fleet(board, universe, fleet, places[0] if places else None)
    pools = [thing.number("Ships", "Informational") for thing in universe.objects.values()]
    board.pool = next((pool for pool in pools if pool is not None), None)
    return board


def _read_planet(board: Board, inhabitable: set[Square], square: Square, planet: SpaceObject) -> None:
    for resource, amount in planet.resources.items():
        if not amount.total:
            continue
        if resource == UNINHABITABLE:
            inhabitable.discard(square)
        elif resource == DESTROYED:
            board.destroyed.add(square)
        elif resource == ARTIFACT:
            board.artifacts.add(square)
        elif FIRST_COLONY <= resource < FIRST_COLONY + len(TYPES):
            board.colonies[square] = resource - FIRST_COLONY


def _read_fleet(board: Board, universe: Universe, fleet: SpaceObject, place: Square | None) -> None:
    for design in fleet.ships:
        name = universe.designs[design].name if design in universe.designs else ""
        is_mine = fleet.owner == board.me
        if name in LEADERS:
            if is_mine:
                board.fleets[LEADERS[name]] = fleet.id
            if place is not None:
                board.leaders[fleet.owner, LEADERS[name]] = place
        elif is_mine and name in COLONISTS:
            board.hand[fleet.id] = COLONISTS[name]
        elif is_mine and name == BOMBER:
            board.bombers.append(fleet.id)
