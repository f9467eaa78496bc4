"""What the actions of a TaE turn are worth: one point of the type of which we have least counts 1."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..objects import NOBODY
from .tae_board import MERCHANTS, ROBOTS, SCIENTISTS, SETTLERS, TYPES, Board, Region, Square

COLONIZE, COLONIZE_MINING, MOVE, ATTACK, EXCHANGE = "Colonize", "ColonizeMining", "Move", "Attack", "Exchange"

MARGIN = 2
"""By how much we want to exceed what is seen of a rival before we start a fight."""

JOKER = 1.0
"""An artifact point."""
LEADER_HOME = 0.5
"""A rival's leader has to start anew."""
GROWTH_TURNS = 2.5
"""How many colonies of a type a well placed leader is expected to score before the region changes."""
ENOUGH_ROOM = 4
"""Free squares beside a region that are as good as any number."""
HOLDING = 2.0
"""What the place of a leader is worth that holds regions together."""
SHUTTING_OUT = 0.15
"""A second leader of ours where we score already: no rival can take the type over without a fight."""
TAKING_OVER = 0.5
"""A rival loses a type that it scored."""
STRANDING = 0.3
"""A bomb that sends a rival's leader home."""
WORTH_KEEPING = 0.5
"""If no colony is worth this, the hand is worth exchanging."""
EXCHANGING = 0.3
"""New colonists for such a hand."""
RIVALRY = 0.5
"""Share of its worth that a place beside a rival keeps, since the fight for it may be lost."""
MOVING_COST = 4.0
"""What a leader that is on the board has to gain by moving."""
FOUNDING = 0.02
"""A colony that scores for nobody, but draws a new ship."""
STRENGTH = 0.05
"""A colony more for a leader of ours to fight with."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something to do.

    `carrier` is the object that takes the order, `ships` are the fleets that it keeps busy, `square` is the target;
    `after` gives the board as the action leaves it.
    """

    worth: float
    order: str
    carrier: int
    ships: tuple[int, ...]
    square: Square | None
    after: Callable[[Board], Board]

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two actions the same order."""
        return self.order, self.carrier, self.square, self.ships


def weights(points: Sequence[int], jokers: int) -> tuple[float, ...]:
    """What one more point of each type is worth, when our points are these and `jokers` go where we have least."""
    have = list(points)
    for _ in range(jokers):
        have[have.index(min(have))] += 1
    return tuple(1 / (1 + 0.6 * (number - min(have))) for number in have)


def actions(board: Board, wanted: Sequence[float]) -> list[Action]:
    """All actions that seem legal and are worth something, in an order of their own."""
    colonies = list(_colonies(board, wanted))
    best = max((action.worth for action in colonies), default=0.0)
    found = [*colonies, *_moves(board, wanted), *_attacks(board), *_exchanges(board, best)]
    return [action for action in found if action.worth > 0]


def _colonies(board: Board, wanted: Sequence[float]) -> Iterator[Action]:
    first_of = {kind: fleet for fleet, kind in sorted(board.hand.items(), reverse=True)}
    squares = board.free_squares()
    for kind, fleet in sorted(first_of.items()):
        order = COLONIZE if kind != ROBOTS else COLONIZE_MINING
        for square in squares:
            if board.may_colonize(square, kind):
                worth = _worth_of_colony(board, wanted, square, kind)
                yield Action(worth, order, fleet, (fleet,), square, _colonized(fleet, square))


def _colonized(fleet: int, square: Square) -> Callable[[Board], Board]:
    def after(board: Board) -> Board:
        changed = board.copy()
        changed.colonize(fleet, square)
        return changed

    return after


def _worth_of_colony(board: Board, wanted: Sequence[float], square: Square, kind: int) -> float:
    joined = board.regions_beside(square)
    if not joined:
        return FOUNDING
    if len(joined) > 1:
        return _worth_of_connection(board, wanted, joined, kind)
    (region,) = joined
    scorer = board.scorer(region, kind)
    if scorer not in (board.me, NOBODY):
        return -wanted[kind]
    worth = wanted[kind] if scorer == board.me else 0.0
    worth += FOUNDING + STRENGTH * (board.me in board.leaders_in(region, kind))
    if kind == SCIENTISTS:
        worth += STRENGTH * sum(board.leaders.get((board.me, type_)) in board.beside(square) for type_ in TYPES)
    return worth + _artifacts_gained(board, [region], square) * JOKER


def _artifacts_gained(board: Board, joined: Sequence[Region], square: Square) -> int:
    """Artifact points that our merchant leader would get if these regions were one with the square."""
    place = board.leaders.get((board.me, MERCHANTS))
    if place is None or not any(place in region for region in joined):
        return 0
    return max(0, sum(board.artifacts_in(region) for region in joined) + (square in board.artifacts) - 1)


def _worth_of_connection(board: Board, wanted: Sequence[float], joined: Sequence[Region], kind: int) -> float:
    """Joining regions scores nothing itself, but may start fights (to be won) and bring artifacts together."""
    worth = 0.0
    for type_, sides in board.rivals(joined).items():
        if len(sides) < 2:
            continue
        if board.me not in sides:
            worth -= 0.1  # others would get the points
            continue
        ships = sum(one == type_ for one in board.hand.values()) - (kind == type_)
        mine = board.strength(sides[board.me], type_) + ships
        for rival, region in sides.items():
            if rival == board.me:
                continue
            theirs = board.strength(region, type_)
            if mine <= theirs + MARGIN:
                return -1.0
            worth += wanted[type_] * (1 + theirs) + LEADER_HOME
    if worth == 0:
        worth = FOUNDING / 2
    return worth + _artifacts_gained(board, joined, (-1, -1)) * JOKER


def _moves(board: Board, wanted: Sequence[float]) -> Iterator[Action]:
    for kind, fleet in sorted(board.fleets.items()):
        old = board.leaders.get((board.me, kind))
        if old in board.frozen:
            continue
        lifted = board.without_leader(kind)
        fields = _Fields(lifted)
        cost = 0.0
        if old is not None:
            cost = MOVING_COST + (
                _worth_of_place(lifted, wanted, old, kind, fields) if lifted.may_place(old) else HOLDING
            )
        for square in lifted.beside_science():
            if square != old and lifted.may_place(square):
                worth = _worth_of_place(lifted, wanted, square, kind, fields) - cost
                yield Action(worth, MOVE, fleet, (fleet,), square, _moved(kind, square))


def _moved(kind: int, square: Square) -> Callable[[Board], Board]:
    def after(board: Board) -> Board:
        changed = board.copy()
        changed.move(kind, square)
        return changed

    return after


def _worth_of_place(lifted: Board, wanted: Sequence[float], square: Square, kind: int, fields: "_Fields") -> float:
    """What our leader of a type is worth on a square, when it is not on the board now."""
    (region,) = lifted.regions_beside(square)
    rivals = lifted.leaders_in(region, kind)
    science = lifted.science_beside(square)
    worth = 0.1 * min(science, 3) + STRENGTH * lifted.strength(region, kind)
    if rivals:
        theirs = max(lifted.science_beside(lifted.leaders[rival, kind]) for rival in rivals)
        mine = science + sum(one == SCIENTISTS for one in lifted.hand.values())
        if len(rivals) > 1 or mine < theirs + MARGIN:
            return -1.0
        worth += wanted[SCIENTISTS] + LEADER_HOME
    if kind == MERCHANTS:
        worth += JOKER * max(0, lifted.artifacts_in(region) - 1)
    for type_ in TYPES if kind == SETTLERS else (kind,):
        other = _scorer_without(lifted, region, type_, kind)
        if type_ != kind and other != NOBODY:
            continue  # the leader of that type goes before the settler leader
        room = fields.room(region, type_)
        worth += wanted[type_] * GROWTH_TURNS * max(0.0, room - fields.covered(type_))
        if other == lifted.me:
            worth += SHUTTING_OUT
        elif other != NOBODY:
            worth += TAKING_OVER * wanted[type_] * room
    return worth * RIVALRY if rivals else worth


def _scorer_without(board: Board, region: Region, type_: int, kind: int) -> int:
    """Who scores a type in a region while no leader of type `kind` is there."""
    for one in (type_, SETTLERS):
        found = board.leaders_in(region, one) if one != kind else []
        if found:
            return found[0]
    return NOBODY


class _Fields:
    """How much room for colonies the regions of a board have, from 0 (none) to 1 (plenty)."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._rooms: dict[Region, tuple[float, float]] = {}
        self._covered: dict[int, float] = {}

    def room(self, region: Region, kind: int) -> float:
        """Room beside this region and no other, on the ground of a type."""
        rooms = self._rooms.get(region)
        if rooms is None:
            rooms = self._rooms[region] = self._count(region)
        return rooms[kind == ROBOTS]

    def covered(self, kind: int) -> float:
        """The most room in a region where we score this type already."""
        if kind not in self._covered:
            board = self._board
            ours = [region for region in board.regions if board.scorer(region, kind) == board.me]
            self._covered[kind] = max((self.room(region, kind) for region in ours), default=0.0)
        return self._covered[kind]

    def _count(self, region: Region) -> tuple[float, float]:
        board = self._board
        edge = {near for square in region for near in board.beside(square) if board.is_free(near)}
        edge = {square for square in edge if len(board.regions_beside(square)) == 1}
        behind = {near for square in edge for near in board.beside(square) if board.is_free(near)} - edge
        behind = {square for square in behind if not board.regions_beside(square)}
        counts = [0.0, 0.0]
        for squares, share in ((edge, 1.0), (behind, 0.5)):
            for square in squares:
                counts[square not in board.inhabitable] += share
        habitable, barren = (min(1.0, count / ENOUGH_ROOM) for count in counts)
        return habitable, barren


def _attacks(board: Board) -> Iterator[Action]:
    """Bombs on the only scientist colony that borders a rival's leader."""
    if not board.bombers:
        return
    bomber = min(board.bombers)
    targets = set()
    for (player, _), place in board.leaders.items():
        science = [near for near in board.beside(place) if board.colonies.get(near) == SCIENTISTS]
        if player != board.me and len(science) == 1 and board.may_attack(science[0]):
            targets.add(science[0])
    for square in sorted(targets):
        after = _attacked(bomber, square)
        lost = board.leaders.keys() - after(board).leaders.keys()
        if any(player == board.me for player, _ in lost):
            continue
        worth = 0.0
        for player, kind in sorted(lost):
            region = board.region_of(board.leaders[player, kind])
            worth += STRANDING * (1 + board.strength(region, kind) / 4 + (kind == SETTLERS))
        yield Action(worth, ATTACK, bomber, (bomber,), square, after)


def _attacked(bomber: int, square: Square) -> Callable[[Board], Board]:
    def after(board: Board) -> Board:
        changed = board.copy()
        changed.attack(bomber, square)
        return changed

    return after


def _exchanges(board: Board, best_colony: float) -> Iterator[Action]:
    """New colonists for the whole hand when none of the present ones scores."""
    ships = tuple(sorted(board.hand))
    has_enough = board.pool is None or board.pool >= len(ships)
    if ships and board.home_planet and has_enough and best_colony < WORTH_KEEPING:
        yield Action(EXCHANGING, EXCHANGE, board.home_planet, ships, None, _exchanged)


def _exchanged(board: Board) -> Board:
    changed = board.copy()
    changed.hand.clear()
    return changed
