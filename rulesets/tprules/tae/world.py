"""The state of a game of TaE, and its opening."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tprules.api import Dice, Oid, OptionError, Seat, stored, stored_as_row
from tprules.kit.grid import Square
from tprules.tae.board import ARTIFACT, Board, board_of, numbered, too_few_artifacts

# --- The four types of colonist and of leader (RULES.md, section 2)

MERCHANTS, SCIENTISTS, SETTLERS, ROBOTS = TYPES = range(4)
"""The types, common to colonists, colonies, leaders and points."""


class TypeNames(NamedTuple):
    """The names of a type."""

    colonists: str
    leader: str
    points: str
    ship: str
    passenger: str
    """The passenger in the design of the leader's ship."""


WORDS = (
    TypeNames("Merchants", "Merchant Leader", "Money", "Merchant", "Merchant Leader"),
    TypeNames("Scientists", "Scientist Leader", "Technology", "Scientist", "Lead Scientist"),
    TypeNames("Settlers", "Settler Leader", "People", "Settler", "Government Official"),
    TypeNames("Mining Robots", "Mining Leader", "Raw Materials", "Mining", "Mining Foreman"),
)

ARTIFACT_POINTS = "Alien Artifacts"


# --- The state

UNIVERSE: Oid = 0
GALAXY: Oid = 1
_FIRST_SYSTEM: Oid = 2
"""The number of the first system. Systems have even numbers; the planet of a system has the number after it."""

AT_HOME: Square = -1
"""The square of a leader that is not on the board."""

INTERNAL, EXTERNAL = "internal", "external"


@dataclass(frozen=True, slots=True)
class Settings:
    """The options that are used after the opening."""

    hand_size: int
    actions: int
    exchange: bool
    protect_artifacts: bool
    min_artifacts: int
    max_turns: int
    idle_turns: int = field(default=0, metadata=stored(since=2))


@dataclass(slots=True)
class Player:
    """The state of one seat. ``home`` is its Star System. Its Planet has the next number."""

    home: Oid
    colonists: dict[Oid, int]
    """The hand: ship -> type. The rising number is the order of drawing."""
    leaders: tuple[Oid, ...]
    """The fleets of the leaders, by type."""
    places: list[Square]
    """The squares of the leaders, by type."""
    bombers: list[Oid]
    scores: list[int]
    """Points by type, without artifact points."""
    artifacts: int = 0
    """Artifact points."""

    def final_scores(self) -> list[int]:
        """Return the points by type, with each artifact point added as a joker to the lowest type (R57)."""
        scores = list(self.scores)
        for _ in range(self.artifacts):
            scores[scores.index(min(scores))] += 1
        return scores


@stored_as_row
@dataclass(frozen=True, slots=True)
class Contest:
    """A fight between rival leaders, or between the regions that a new colony connects.

    An internal contest began when ``seat`` moved a leader to ``square``. An external one began when ``seat`` placed the
    connecting colony there. Contests are settled in the order in which they began.
    """

    kind: str
    square: Square
    seat: Seat
    type: int = -1
    """The type of the leaders in an internal contest; -1 in an external one."""


@stored_as_row
@dataclass(frozen=True, slots=True)
class Combat:
    """One combat turn of a contest: the leaders' type, attacker and defender, and their initial strengths."""

    kind: str
    square: Square
    type: int
    sides: tuple[Seat, Seat]
    strengths: tuple[int, int]

    @property
    def reinforcements(self) -> int:
        """The type of the colonists that may reinforce (R43)."""
        return SCIENTISTS if self.kind == INTERNAL else self.type


@dataclass(slots=True)
class World:
    """The complete state of a game. Squares are the systems of the board (``Board``)."""

    width: int
    ground: str
    """``Board.ground``."""
    settings: Settings
    pool: list[int]
    """Colonists left to be drawn, by type."""
    colonies: dict[Square, int]
    artifacts: set[Square]
    next_id: Oid
    players: list[Player] = field(default_factory=list)
    destroyed: set[Square] = field(default_factory=set)
    regions: dict[Square, int] = field(default_factory=dict)
    """System -> its region. Systems in no region are missing."""
    last_region: int = 0
    contests: list[Contest] = field(default_factory=list)
    combat: Combat | None = None
    """The combat of the next turn, if that is a combat turn."""
    first: Seat = 0
    turns: int = 0
    """Number of normal turns that are finished."""
    idle: int = field(default=0, metadata=stored(since=2))
    """Number of consecutive normal turns without an order, up to the last one (R60)."""
    ended: str = ""
    """The reason why the game is over, or empty."""
    board: Board = field(init=False)

    def __post_init__(self) -> None:
        self.board = board_of(self.width, self.ground)

    # Objects and places.

    def system(self, square: Square) -> Oid:
        return _FIRST_SYSTEM + 2 * square

    def board_end(self) -> Oid:
        """Return the first number after those of the systems and planets of the board."""
        return _FIRST_SYSTEM + 2 * len(self.ground)

    def square(self, oid: Oid) -> Square | None:
        """Return the square of a system of the board, or None for other objects."""
        square, is_planet = divmod(oid - _FIRST_SYSTEM, 2)
        return None if is_planet or not 0 <= square < len(self.ground) else square

    def home_seat(self, oid: Oid) -> Seat | None:
        """Return the seat whose home system this is, or None."""
        return next((seat for seat, player in enumerate(self.players) if player.home == oid), None)

    def owner(self, oid: Oid) -> Seat | None:
        """Return the owner of a fleet or home planet, or None for other objects."""
        for seat, player in enumerate(self.players):
            if oid in player.colonists or oid in player.leaders or oid in player.bombers or oid == player.home + 1:
                return seat
        return None

    def exists(self, oid: Oid) -> bool:
        return 0 <= oid < self.board_end() or self.owner(oid) is not None or self.home_seat(oid) is not None

    def place_name(self, oid: Oid) -> str:
        """Return the name of a system for a sentence."""
        square = self.square(oid)
        return "the home system" if square is None else self.board.names[square]

    # Leaders and colonies.

    def leaders(self) -> dict[Square, tuple[Seat, int]]:
        """Return square -> (seat, type) of each leader on the board."""
        return {
            place: (seat, kind)
            for seat, player in enumerate(self.players)
            for kind, place in enumerate(player.places)
            if place != AT_HOME
        }

    def has_leader(self, square: Square) -> bool:
        return any(square in player.places for player in self.players)

    def leads(self, region: int, kind: int) -> Seat | None:
        """Return the owner of the leader of this type in a region, or None. During a contest, the first one counts."""
        regions = self.regions
        return next((seat for seat, one in enumerate(self.players) if regions.get(one.places[kind]) == region), None)

    def scorer(self, region: int, kind: int) -> Seat | None:
        """Return the seat that gets the point for a colony of this type in a region, or None (R28)."""
        leader = self.leads(region, kind)
        return self.leads(region, SETTLERS) if leader is None else leader

    def science_beside(self, square: Square) -> int:
        """Return the number of scientist colonies that border a system."""
        colonies = self.colonies
        return sum(colonies.get(beside) == SCIENTISTS for beside in self.board.neighbours[square])

    def neutral(self) -> set[Square]:
        """Return the connecting colonies of open contests, which are in no region meanwhile (R31)."""
        return {contest.square for contest in self.contests if contest.kind == EXTERNAL}

    def occupied(self) -> set[Square]:
        """Return the systems that belong to a region: with a colony or a leader, and not neutral (R23)."""
        taken = self.colonies.keys() | self.leaders().keys()
        return taken - self.neutral() if self.contests else taken

    def regions_beside(self, square: Square) -> set[int]:
        regions = self.regions
        return {regions[beside] for beside in self.board.neighbours[square] if beside in regions}

    def renumber(self) -> None:
        """Compute the regions again (R24)."""
        occupied = self.occupied()
        self.regions, self.last_region = numbered(occupied, self.board.neighbours, self.regions, self.last_region)

    def settle(self, square: Square) -> None:
        """Update the regions after one system became occupied and nothing else changed.

        The result is that of ``renumber``, but usually without a search of the whole board.
        """
        beside = self.regions_beside(square)
        if len(beside) > 1:
            self.renumber()
            return
        if not beside:
            self.last_region += 1
        self.regions = {**self.regions, square: min(beside, default=self.last_region)}

    def area(self, contest: Contest) -> set[Square]:
        """Return the systems of a contest (R33)."""
        if contest.kind == INTERNAL:
            parts = {self.regions[contest.square]}
            return {square for square, region in self.regions.items() if region in parts}
        parts = self.regions_beside(contest.square)
        return {square for square, region in self.regions.items() if region in parts} | {contest.square}

    def send_home_stranded(self) -> list[tuple[Seat, int]]:
        """Send all leaders home at once that border no scientist colony, and return them (R25)."""
        stranded = [leader for place, leader in self.leaders().items() if not self.science_beside(place)]
        for seat, kind in stranded:
            self.players[seat].places[kind] = AT_HOME
        return stranded

    def draw(self, seat: Seat, number: int, dice: Dice) -> None:
        """Draw this number of colonists from the pool into a hand (R6)."""
        hand = self.players[seat].colonists
        for _ in range(number):
            hand[self.next_id] = drawn(self.pool, dice)
            self.next_id += 1


def opened(options: Mapping[str, Any], seats: int, dice: Dice) -> World:
    """Return the opening world (R1 to R6)."""
    rows: list[str] = options["board"]
    pool: list[int] = list(options["pool"])
    if sum(pool) < seats * options["hand_size"]:
        least = f"{seats} players with {options['hand_size']} colonists each need {seats * options['hand_size']}"
        raise OptionError("pool", f"the sum is {sum(pool)}, but {least}")
    board = Board.drawn(rows)
    artifacts = {square for square, ground in enumerate(board.ground) if ground == ARTIFACT}
    if len(artifacts) < options["min_artifacts"]:
        raise OptionError("board", str(too_few_artifacts(rows, options["min_artifacts"])))
    world = World(
        width=board.width,
        ground=board.ground,
        settings=Settings(**{name: options[name] for name in Settings.__slots__}),
        pool=pool,
        colonies=dict.fromkeys(sorted(artifacts), SCIENTISTS),
        artifacts=artifacts,
        next_id=_FIRST_SYSTEM + 2 * len(board.ground),
    )
    for seat in range(seats):
        seat_player(world, options["bombers"])
        world.draw(seat, options["hand_size"], dice)
    world.renumber()
    return world


def seat_player(world: World, bombers: int) -> Player:
    """Give the next seat its home, leaders and bombers, and return it. The hand is still empty."""
    home = world.next_id
    leaders = tuple(home + 2 + kind for kind in TYPES)
    first_bomber = home + 2 + len(leaders)
    world.next_id = first_bomber + bombers
    player = Player(
        home, {}, leaders, [AT_HOME] * len(leaders), list(range(first_bomber, world.next_id)), [0] * len(leaders)
    )
    world.players.append(player)
    return player


# --- The pool of colonists that players draw from


def drawn(pool: list[int], dice: Dice) -> int:
    """Remove one colonist from the pool and return its type. Every ship left is equally likely (R6).

    ``pool`` has the number of ships left of each type, and at least one in all.
    """
    ticket = dice.below(sum(pool))
    for kind, left in enumerate(pool):
        if ticket < left:
            pool[kind] -= 1
            return kind
        ticket -= left
    raise AssertionError("the dice went beyond the pool")
