"""A colony of Taller-Ants: it uncovers its hole first, carries food home, digs room to store it, harvests fungus, and
has its queen eat and lay.

A patch of fungus grows by a square a round and cannot be harvested down to nothing, so it is good for one harvest in
every round however small it is. Groups therefore take turns at the patches: each is sent where its turn comes first,
and stays at home while there is none for it. Nothing is ordered that takes longer than the phase, so that in the next
one all can be thought over again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .play import Turn
from .taller_ants_board import (
    ANT_EGG,
    BLACK_ANT,
    EXCAVATED,
    FOOD,
    FUNGUS,
    HIT_POINT,
    LOAD,
    MOST_ANTS,
    MOVE_POINT,
    RED_ANT,
    STEPS,
    STORE,
    TICKS_OF_ANTS,
    Board,
    Piece,
    Routes,
    Square,
    apart,
    give,
    nearest,
)

NOTHING = (0, 0, 0)
LOAD_FOOD = 1
BODY = 1

QUEEN_EATS_BELOW = 6
MOST_LAID = 5
ENOUGH_ANTS, SPARE_ANTS = 54, 4
ENOUGH_STORAGE, SPARE_STORAGE = 110, 10
"""So much, or so much more than the goal if that is higher."""
NO_LIMIT = 10**6
"""Food on a square where the game sets no limit."""
DIGGING = 2
"""Ticks that digging takes a group."""
DICE_OF_TWO_ANTS = 7
"""What two ants harvest on the average."""
SQUARES_A_HARVEST = 3
"""How many squares of fungus a harvest of five ants takes away on the average."""
FAR = 8
"""How far a spider comes to attack, and one more."""
GUARD = 2
"""Groups that are always to be above."""
PATIENCE = 3
"""Rounds that a group waits for its turn at a patch."""
FULL, HALF = 80, 40
"""Percent of what a group can carry, from which on it goes home, always or if it is there at once."""


@dataclass(slots=True)
class Patch:
    """Fungus that grows together."""

    squares: set[Square]
    turns: int
    """How many groups can harvest it in this round."""
    taken: list[int] = field(default_factory=list)
    """The rounds in which somebody is going to harvest it; this round is 0."""

    def turn_from(self, first: int) -> int:
        """Return the first round from `first` on in which it can be harvested: each round it grows for one more."""
        rounds = first
        while sum(taken <= rounds for taken in self.taken) >= self.turns + rounds:
            rounds += 1
        return rounds


@dataclass(slots=True)
class Errand:
    """One group's phase: where it is and what it still has after the orders given so far."""

    group: Piece
    square: Square
    ticks: int
    food: int
    is_done: bool = False
    """Whether it has something to do that takes the rest of its phase."""

    @property
    def room(self) -> int:
        return self.group.room + self.group.amount(FOOD) - self.food

    def carries(self, percent: int) -> bool:
        """Whether it carries so much of what it can."""
        return self.food > 0 and 100 * self.food >= percent * LOAD * self.group.ants


Way = tuple[int, Square, Patch]
"""In how many rounds a group can harvest a patch, and the square where it would stand."""


class Colony:
    """What the units of a colony do in one turn."""

    def __init__(self, turn: Turn, board: Board) -> None:
        self.turn, self.board = turn, board
        self.seat = board.seats[board.me]
        self.enemies = {piece.square for piece in board.pieces if piece.owner != board.me}
        self.patches = [self._patch(squares) for squares in _patches(board)]
        self.totals = board.totals.get(board.me, {})
        self.capacity = self._capacity()
        """Food that a square holds."""
        self.brought: dict[Square, int] = {}
        """Food that is going to be dropped on squares of the colony."""
        self.errands = [
            Errand(group, group.square, group.ticks, group.amount(FOOD))
            for group in board.own("Group")
            if not group.orders
        ]

    def _capacity(self) -> int:
        """Work out what a square holds from what the colony's squares hold."""
        _, _, all_of_them = self.totals.get(FOOD, NOTHING)
        dug = self._dug()
        return (all_of_them // dug or NO_LIMIT) if dug else STORE

    def _dug(self) -> int:
        return sum(owner == self.seat for owner in self.board.diggers.values())

    async def act(self) -> None:
        """Give orders to the queen, and to all groups that have none."""
        for queen in self.board.own("Queen"):
            if not queen.orders:
                await self._reign(queen)
        await self._uncover()
        for errand in self._free():
            await self._dig(errand)
        for errand in self._free():
            if errand.carries(HALF):
                await self._store(errand, at_once=not errand.carries(FULL))
        await self._share_patches()
        await self._join()

    def _free(self) -> list[Errand]:
        return [errand for errand in self.errands if not errand.is_done]

    # --- the queen

    async def _reign(self, queen: Piece) -> None:
        """Let the queen lay while the colony is small, and eat before when she is too weak to."""
        hp, points = queen.amount(HIT_POINT), queen.amount(MOVE_POINT)
        ants, eggs = (
            sum(self.totals.get(kind, NOTHING)[0] for kind in kinds) for kinds in ((BLACK_ANT, RED_ANT), (ANT_EGG,))
        )
        missing = self.totals.get(BLACK_ANT, NOTHING)[1]
        wanted = min(MOST_LAID, max(ENOUGH_ANTS - ants, missing + SPARE_ANTS if missing else 0) - eggs)
        if wanted <= 0:
            return
        square = queen.square
        if hp < QUEEN_EATS_BELOW and hp <= wanted and not self._food_within(square):
            reach = self.board.distances(square, self.board.holds_ants)
            meals = (one for one, steps in reach.items() if 2 * steps <= points and self._food_within(one))
            meal = next(meals, square)
            if meal != square and await give(self.turn, queen, "Move", {"Square": self.board.systems[meal]}):
                points -= 2 * reach[meal]
                square = meal
        wanted = min(wanted, points)
        eaten = min(10, self._food_within(square), wanted + 1 - hp)
        if eaten > 0 and await give(self.turn, queen, "Feed Queen", {"Number": eaten}):
            hp += eaten
        laid = min(wanted, hp - 1)
        if laid > 0:
            await give(self.turn, queen, "Lay", {"Red": 0, "Black": laid, "With": [BODY]})

    def _food_within(self, square: Square) -> int:
        """What a queen here could eat."""
        near = self.board.touching(square)
        carried = sum(group.amount(FOOD) for group in self.board.own("Group") if group.square in near)
        return carried + sum(self.board.has(one, FOOD) for one in near)

    # --- the groups

    def _may_enter(self, square: Square) -> bool:
        return square not in self.enemies and self.board.holds_ants(square)

    def _routes(self, errand: Errand) -> Routes:
        return self.board.routes(errand.square, errand.group.pace, self._may_enter)

    async def _go(self, errand: Errand, routes: Routes, goal: Square) -> bool:
        """Go towards a square as far as the phase lasts; return whether it is reached."""
        square = routes.as_far_as(goal, errand.ticks)
        if square != errand.square:
            await give(self.turn, errand.group, "Move", {"Square": self.board.systems[square]})
            errand.ticks -= routes.ticks[square]
            errand.square = square
        return square == goal

    def _has_guard(self) -> bool:
        """Whether groups enough are above to uncover the hole, should it be webbed over: nobody can from below."""
        return sum(not errand.square[2] for errand in self.errands) >= GUARD

    def _is_prey(self, square: Square) -> bool:
        """Whether a spider may come beside this square in its next phase; fungus keeps it off who touches it."""
        if square[2] or nearest(square, self.board.poison()) <= 1:
            return False
        return nearest(square, [spider.square for spider in self.board.enemies("Spider")]) <= FAR

    async def _uncover(self) -> None:
        """Send the nearest group above to the hole if it is covered; one that has no way there attacks a spider."""
        board = self.board
        hole = next(
            (one for one in board.covered if not one[2] and board.diggers.get(board.other_side(one)) == self.seat), None
        )
        if hole is None:
            return
        above = [(errand, self._routes(errand)) for errand in self.errands if not errand.square[2]]
        coming = [one for one in above if hole in one[1].ticks]
        if coming:
            errand, routes = min(coming, key=lambda one: one[1].ticks[hole])
            errand.is_done = True
            if errand.square == hole and errand.ticks == TICKS_OF_ANTS:
                await give(self.turn, errand.group, "Collect Web")
            else:
                await self._go(errand, routes, hole)
            return
        for errand, _ in above:
            spider = next((one for one in board.enemies("Spider") if apart(one.square, errand.square) <= 1), None)
            if spider is not None:
                errand.is_done = True
                await give(self.turn, errand.group, "Group Attack", {"Target": spider.id})

    async def _dig(self, errand: Errand) -> None:
        """Dig while there is too little room for food: who is below does it where most can be dug, and goes on then."""
        board = self.board
        stored, lacking, _ = self.totals.get(FOOD, NOTHING)
        enough = max(ENOUGH_STORAGE, stored + lacking + SPARE_STORAGE if lacking else 0)
        missing = -(-(enough - self._dug() * self.capacity) // self.capacity)
        if not errand.square[2] or missing <= 0:
            return
        routes = self._routes(errand)
        reach = [one for one, ticks in routes.ticks.items() if one[2] and ticks + DIGGING <= errand.ticks]
        most = min(missing, errand.group.ants)
        square = max(reach, key=lambda one: (min(most, len(self._dirt(one))), -routes.ticks[one]), default=None)
        dirt = self._dirt(square) if square is not None else {}
        if square is None or not dirt:
            return
        await self._go(errand, routes, square)
        directions = sorted(dirt)[:most]
        if await give(self.turn, errand.group, "Excavate", {"Directions": directions}):
            errand.ticks -= DIGGING
            for direction in directions:
                board.diggers[dirt[direction]] = self.seat
                board.ground.setdefault(dirt[direction], {})[EXCAVATED] = 1

    def _dirt(self, square: Square) -> dict[int, Square]:
        """Return what can be dug out around a square below, by direction."""
        x, y, below = square
        around = {number: (x + dx, y + dy, below) for number, (dx, dy) in enumerate(STEPS)}
        return {
            number: one
            for number, one in around.items()
            if one in self.board.systems and not self.board.has(one, EXCAVATED)
        }

    async def _store(self, errand: Errand, at_once: bool) -> None:
        """Take food to the nearest place below that has room for it; with `at_once` only if it is in reach."""
        routes = self._routes(errand)
        ranked = [
            (errand.food - room, ticks, square)
            for square, ticks in routes.ticks.items()
            if square[2]
            and self.board.diggers.get(square) == self.seat
            and (room := self._room_around(square, errand.food)) > 0
        ]
        _, ticks, square = min(ranked, default=(0, 0, errand.square))
        if not ranked or (at_once and ticks > errand.ticks):
            return
        if await self._go(errand, routes, square):
            await give(self.turn, errand.group, "Drop", {"Goods": {LOAD_FOOD: errand.food}})
            errand.food = self._bring(square, errand.food)
        else:
            errand.is_done = True

    def _free_squares(self, square: Square) -> list[tuple[Square, int]]:
        """Where food that is dropped here is put, and how much goes there."""
        board = self.board
        own = (one for one in board.touching(square) if board.diggers.get(one) == self.seat)
        rooms = ((one, self.capacity - board.has(one, FOOD) - self.brought.get(one, 0)) for one in own)
        return [(one, room) for one, room in rooms if room > 0]

    def _room_around(self, square: Square, food: int) -> int:
        return min(food, sum(room for _, room in self._free_squares(square)))

    def _bring(self, square: Square, food: int) -> int:
        """Note that food is dropped here; return what is left over."""
        for one, room in self._free_squares(square):
            put = min(food, room)
            self.brought[one] = self.brought.get(one, 0) + put
            food -= put
        return food

    # --- the fungus

    def _patch(self, squares: set[Square]) -> Patch:
        """Read a patch; rivals who stand there and move before us in the next round are before us."""
        board = self.board
        is_exhausted = not board.exhausted.isdisjoint(squares)
        turns = 0 if is_exhausted else max(1, -(-(len(squares) - 1) // SQUARES_A_HARVEST))
        rivals = sum(
            group.room >= LOAD and board.seats[group.owner] < self.seat and nearest(group.square, squares) <= 1
            for group in board.enemies("Group")
        )
        return Patch(squares, turns, [1] * rivals)

    async def _share_patches(self) -> None:
        """Give each group that can carry more its turn at a patch: who can be there first goes first."""
        coming = []
        for errand in self._free():
            if errand.room > 0:
                routes = self._routes(errand)
                ways = self._ways_to_patches(errand, routes)
                if ways:
                    coming.append((min(arrival for arrival, *_ in ways), -errand.room, errand.group.id, errand))
        for *_, errand in sorted(coming, key=lambda one: one[:3]):
            routes = self._routes(errand)
            ways = self._ways_to_patches(errand, routes)
            arrival, square, patch = min(ways, key=lambda way: (way[2].turn_from(way[0]), way[0]))
            turn = patch.turn_from(arrival)
            if turn > PATIENCE:
                if errand.carries(HALF):
                    await self._store(errand, at_once=False)
                continue
            if errand.square[2] and self._has_guard() and self._is_prey(routes.as_far_as(square, errand.ticks)):
                continue
            patch.taken.append(turn)
            if await self._go(errand, routes, square) and turn == 0:
                await self._harvest(errand, patch)

    async def _harvest(self, errand: Errand, patch: Patch) -> None:
        """Harvest, and take away what will most likely go, so that the next group does not name that square."""
        nearest_first = sorted(patch.squares, key=lambda one: (apart(one, errand.square), one))
        if await give(self.turn, errand.group, "Harvest", {"Square": self.board.systems[nearest_first[0]]}):
            gone = min(errand.room, DICE_OF_TWO_ANTS * errand.group.ants // 2) // LOAD
            patch.squares.difference_update(nearest_first[: min(gone, len(nearest_first) - 1)])

    def _ways_to_patches(self, errand: Errand, routes: Routes) -> list[Way]:
        """Return the way to each patch that can be reached, to the nearest square that touches it."""
        ways: list[Way] = []
        for patch in self.patches:
            beside = {one for square in patch.squares for one in self.board.touching(square)}
            square = next((one for one in routes.ticks if one in beside), None)
            if square is not None:
                ways.append((_rounds(routes.ticks[square], errand.ticks), square, patch))
        return ways

    async def _join(self) -> None:
        """Join groups of one colour that will be in one place, as far as they have room for all."""
        ants = {errand.group.id: errand.group.ants for errand in self.errands}
        for errand in self.errands:
            group = errand.group
            colour = RED_ANT if group.amount(RED_ANT) else BLACK_ANT
            for other in self.errands:
                number = ants[group.id]
                if (
                    other.group.id < group.id
                    and other.square == errand.square
                    and other.group.amount(colour)
                    and 0 < ants[other.group.id] <= MOST_ANTS - number
                    and await give(self.turn, group, "Merge", {"Group": other.group.id, "Number": number})
                ):
                    ants[other.group.id] += number
                    ants[group.id] = 0
                    break


def _rounds(ticks: int, left: int) -> int:
    """In how many rounds a group that is so far away can harvest, which takes a whole phase."""
    if not ticks and left == TICKS_OF_ANTS:
        return 0
    return 1 + max(0, -(-(ticks - left) // TICKS_OF_ANTS))


def _patches(board: Board) -> Iterable[set[Square]]:
    """Return the squares of fungus that hang together."""
    fungus = {square for square, marks in board.ground.items() if FUNGUS in marks and not square[2]}
    while fungus:
        patch = set(board.distances(min(fungus), fungus.__contains__))
        fungus -= patch
        yield patch
