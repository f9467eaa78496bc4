"""A bot for Taller-Ants, for the spider player and for ant players.

A spider keeps away from fungus, cocoons what stands on its webs, attacks weak groups while it is well, covers the
ground with webs, heals, and lays eggs when it has enough to feed them with. A colony uncovers its hole first, carries
food home, digs room to store it, harvests fungus, and has its queen eat and lay. It plays from what the wire shows.
"""

from collections.abc import Mapping
from typing import Any

from ..errors import RequestFailed
from .play import Turn
from .taller_ants_board import (
    ANT_EGG,
    BLACK_ANT,
    BRIDGE,
    CAPTIVE,
    COCOONED,
    EXCAVATED,
    FED_EGG,
    FOOD,
    FUNGUS,
    HIT_POINT,
    LOAD,
    MOST_ANTS,
    MOVE_POINT,
    RED_ANT,
    SAFE,
    SPIDER,
    SPIDER_EGG,
    STEPS,
    STORE,
    WARD,
    WEB,
    Board,
    Piece,
    Square,
    apart,
    nearest,
    read_board,
)

CAPTIVES, COCOONED_ANTS = 1, 2
SMALL, LARGE = 1, 2
KILL, TAKE = 1, 2
LOAD_FOOD = 1
BODY = 1

# Spiders.
LAY_FROM_ROUND, LAY_FROM_HP, FEWEST_FOR_EGGS, ENOUGH_SPIDERS = 3, 14, 8, 4
ATTACK_FROM_HP, FAR = 11, 7
WEB_FROM_HP = 5

# Colonies.
QUEEN_EATS_BELOW = 6
MOST_LAID = 5
ENOUGH_ANTS = 54
ENOUGH_STORAGE = 110
HARVEST = 7
"""Twice what one ant harvests on the average."""
FULL, HALF = 80, 40
"""Percent of what a group can carry, from which on it goes home, at once or if there is nothing to harvest."""


class TallerAntsPolicy:
    """Plays Taller-Ants; `give_orders` is what `play` calls each turn."""

    async def give_orders(self, turn: Turn) -> None:
        """Give orders to all units that have none, or nothing in the setup: the default places are good."""
        board = read_board(turn.universe)
        spiders = [piece for piece in board.own("Spider") if not piece.orders]
        webs: set[Square] = set()
        for spider in spiders:
            await _Spider(turn, board, spider, webs).act()
        for queen in board.own("Queen"):
            if not queen.orders:
                await _reign(turn, board, queen)
        reserved: set[Square] = set()
        for group in board.own("Group"):
            if not group.orders:
                await _work(turn, board, group, reserved)


async def _give(turn: Turn, piece: Piece, order: str, arguments: Mapping[str, Any] | None = None) -> bool:
    return not isinstance(await turn.order(piece.queue, order, arguments or {}), RequestFailed)


# --- spiders


class _Spider:
    """One spider's phase: what it still has after the orders given so far, as far as that can be known."""

    def __init__(self, turn: Turn, board: Board, piece: Piece, webs: set[Square]) -> None:
        self.turn, self.board, self.piece = turn, board, piece
        self.webs = webs
        """Webs that are going to be built by orders of this turn."""
        self.square = piece.square
        self.ticks = 2 * piece.amount(MOVE_POINT)
        self.hp = piece.amount(HIT_POINT)
        self.poison = board.poison()
        self.ants = {ants.square for kind in ("Group", "Queen") for ants in board.enemies(kind)}
        self.wants_eggs = self._wants_eggs()

    async def act(self) -> None:
        if nearest(self.square, self.poison) < SAFE:
            await self._flee()
        elif self.wants_eggs and self.board.round >= LAY_FROM_ROUND and self.hp >= LAY_FROM_HP:
            await _give(self.turn, self.piece, "Lay Eggs")
            return
        await self._feed()
        await self._cocoon()
        if self.hp >= ATTACK_FROM_HP:
            await self._hunt()
        if self.piece.amount(CAPTIVE) and self.ticks >= 2:
            wrapped = min(self.piece.amount(CAPTIVE), self.ticks // 2)
            await _give(self.turn, self.piece, "Wrap", {"Number": wrapped})
            self.ticks -= 2 * wrapped
        await self._spin()
        missing = self.turn.universe.objects[self.piece.id].resources[HIT_POINT].minable
        if self.ticks >= 2 and (missing or self.hp < self.piece.amount(HIT_POINT)):
            await _give(self.turn, self.piece, "Heal", {"Points": min(10, self.ticks // 2)})

    def _may_enter(self, square: Square) -> bool:
        return (
            (self.board.holds_spider(square) or square in self.webs)
            and square not in self.ants
            and nearest(square, self.poison) >= SAFE
        )

    async def _go(self, square: Square, steps: int) -> None:
        """Walk; a step takes two ticks at most."""
        await _give(self.turn, self.piece, "Move", {"Square": self.board.systems[square]})
        self.square = square
        self.ticks -= min(self.ticks, 2 * steps)

    async def _flee(self) -> None:
        """Go away from the fungus, farther with each step."""
        square, steps = self.square, 0
        while nearest(square, self.poison) < SAFE and steps < 3:
            here = nearest(square, self.poison)
            ways = [
                way
                for way in self.board.around(square)
                if self.board.holds_spider(way) and way not in self.ants and nearest(way, self.poison) > here
            ]
            if not ways:
                break
            square, steps = ways[0], steps + 1
        if steps:
            await self._go(square, steps)

    def _wants_eggs(self) -> bool:
        """Whether this spider is to lay eggs as soon as it can."""
        board = self.board
        eggs = any(kind == "Clutch" for _, kind, _ in board.goods) or any(
            spider.amount(SPIDER_EGG) + spider.amount(FED_EGG) for spider in board.own("Spider")
        )
        return not eggs and len(board.own("Spider")) < ENOUGH_SPIDERS and self.piece.amount(COCOONED) > FEWEST_FOR_EGGS

    async def _feed(self) -> None:
        """Feed touching eggs: captives first, then what there is of cocooned ants above the reserve."""
        clutch = next(
            (oid for oid, kind, square in self.board.goods if kind == "Clutch" and apart(square, self.square) <= 1),
            None,
        )
        places = self.board.totals.get(self.board.me, {}).get(SPIDER, (0, 0, 0))[1]
        if clutch is None or not places:
            return
        for kind, resource, spare in ((CAPTIVES, CAPTIVE, 0), (COCOONED_ANTS, COCOONED, FEWEST_FOR_EGGS)):
            number = min(places, 5, self.piece.amount(resource) - spare)
            if number > 0 and await _give(
                self.turn, self.piece, "Feed Egg", {"Egg": clutch, "With": [kind], "Number": number}
            ):
                places -= number
                self.piece.amounts[resource] -= number

    async def _cocoon(self) -> None:
        """Cocoon whatever touches this square and stands on a web."""
        for group in list(self.board.enemies("Group")):
            cost = self._cost(group)
            if apart(group.square, self.square) > 1 or cost is None:
                continue
            size, points, ticks = cost
            arguments = {"Group": group.id, "Size": [size], "Number": min(2, group.ants)}
            if await _give(self.turn, self.piece, "Cocoon", arguments):
                self.hp -= points
                self.ticks -= ticks
                if size == LARGE or group.ants < 3:
                    self.board.pieces.remove(group)
                    self.ants.discard(group.square)

    def _cost(self, group: Piece) -> tuple[int, int, int] | None:
        """How to cocoon a group: size, hit points and ticks; None if it cannot be."""
        if not self.board.has(group.square, WEB) or group.square[2]:
            return None
        if 2 < group.ants < MOST_ANTS and self.hp > 3 and self.ticks >= 10:
            return LARGE, 3, 10
        return (SMALL, 1, 4) if self.hp > 1 and self.ticks >= 4 else None

    async def _hunt(self) -> None:
        """Go to the weakest group that is near and attack it."""
        reach = self.board.distances(self.square, self._may_enter)
        prey: list[tuple[int, int, int, Square]] = []
        groups = {group.id: group for group in self.board.enemies("Group")}
        for group in groups.values():
            if group.square[2] or self.board.has(group.square, BRIDGE):
                continue
            beside = [(reach[way], way) for way in self.board.touching(group.square) if way in reach]
            steps, way = min(beside, default=(FAR + 1, group.square))
            if steps <= FAR and 2 * steps <= self.ticks:
                prey.append((group.strength, steps, group.id, way))
        if not prey:
            return
        _, steps, number, way = min(prey)
        if steps:
            await self._go(way, steps)
        choice = TAKE if groups[number].ants == 1 else KILL
        await _give(self.turn, self.piece, "Attack", {"Target": number, "Choice": [choice], "Limit": 0})
        self.hp -= 1

    async def _spin(self) -> None:
        """Web this square, then those around, then the nearest where there is something to web."""
        least = LAY_FROM_HP + 1 if self.wants_eggs else WEB_FROM_HP
        while self.hp >= least and self.ticks >= 2:
            free = next((square for square in self.board.touching(self.square) if self._may_web(square)), None)
            if free is not None:
                if not await _give(self.turn, self.piece, "Build Web", {"Square": self.board.systems[free]}):
                    return
                self.webs.add(free)
                self.hp -= 1
                self.ticks -= 2
                continue
            reach = self.board.distances(self.square, self._may_enter)
            goals = (
                (square, steps)
                for square, steps in reach.items()
                if steps and any(self._may_web(way) for way in self.board.touching(square))
            )
            square, steps = next(goals, (self.square, 0))
            if not steps:
                return
            await self._go(square, steps)

    def _may_web(self, square: Square) -> bool:
        marks = self.board.ground.get(square, {})
        return (
            square not in self.webs
            and not {WEB, FUNGUS, WARD}.intersection(marks)
            and square not in self.ants
            and self.board.holds_spider(square)
        )


# --- colonies


async def _reign(turn: Turn, board: Board, queen: Piece) -> None:
    """Let the queen eat when she is weak, and lay while the colony is small."""
    hp, points = queen.amount(HIT_POINT), queen.amount(MOVE_POINT)
    square = queen.square
    if hp < QUEEN_EATS_BELOW and not _food_within(board, square):
        reach = board.distances(square, board.holds_ants)
        meal = next((one for one, steps in reach.items() if 2 * steps <= points and _food_within(board, one)), square)
        if meal != square and await _go(turn, board, queen, meal):
            points -= 2 * reach[meal]
            square = meal
    food = _food_within(board, square)
    if hp < QUEEN_EATS_BELOW and food:
        most = turn.universe.objects[queen.id].resources[HIT_POINT].minable
        eaten = min(10, food, most)
        if eaten and await _give(turn, queen, "Feed Queen", {"Number": eaten}):
            hp += eaten
    totals = board.totals.get(board.me, {})
    ants = sum(totals.get(kind, (0, 0, 0))[0] for kind in (BLACK_ANT, RED_ANT, ANT_EGG))
    laid = min(MOST_LAID, hp - 1, points, ENOUGH_ANTS - ants)
    if laid > 0:
        await _give(turn, queen, "Lay", {"Red": 0, "Black": laid, "With": [BODY]})


def _food_within(board: Board, square: Square) -> int:
    """What a queen here could eat."""
    near = board.touching(square)
    carried = sum(group.amount(FOOD) for group in board.own("Group") if group.square in near)
    return carried + sum(board.has(one, FOOD) for one in near)


async def _work(turn: Turn, board: Board, group: Piece, reserved: set[Square]) -> None:
    """Do the most urgent thing for a group of ants: uncover, store, dig or harvest; join others at the end."""
    seat = board.seats[board.me]
    enemies = {piece.square for piece in board.pieces if piece.owner != board.me}

    def may_enter(square: Square) -> bool:
        return square not in enemies and board.holds_ants(square)

    reach = board.distances(group.square, may_enter, through=True)
    hole = next((one for one in board.covered if not one[2] and board.diggers.get(board.other_side(one)) == seat), None)
    if hole is not None and not group.square[2]:
        if hole in reach and hole not in reserved:
            reserved.add(hole)
            if hole != group.square:
                await _go(turn, board, group, hole)
            await _give(turn, group, "Collect Web")
            return
        spider = next((one for one in board.enemies("Spider") if apart(one.square, group.square) <= 1), None)
        if spider is not None:
            await _give(turn, group, "Group Attack", {"Target": spider.id})
            return
    if 100 * group.amount(FOOD) >= FULL * LOAD * group.ants and group.amount(FOOD):
        await _store(turn, board, group, seat, reach, reserved)
    else:
        await _dig(turn, board, group, seat)
        if not await _harvest(turn, board, group, reach) and 100 * group.amount(FOOD) >= HALF * LOAD * group.ants:
            await _store(turn, board, group, seat, reach, reserved)
    await _join(turn, board, group)


async def _go(turn: Turn, board: Board, piece: Piece, square: Square) -> bool:
    return await _give(turn, piece, "Move", {"Square": board.systems[square]})


async def _store(
    turn: Turn, board: Board, group: Piece, seat: int, reach: Mapping[Square, int], reserved: set[Square]
) -> None:
    """Take food to the nearest square of the colony that has room, and that no other group is going to."""
    free = [
        square
        for square in reach
        if square[2] and board.diggers.get(square) == seat and board.has(square, FOOD) < STORE
    ]
    if not free:
        return
    square = next((one for one in free if one not in reserved), free[0])
    reserved.update(board.touching(square))
    if square != group.square:
        await _go(turn, board, group, square)
    await _give(turn, group, "Drop", {"Goods": {LOAD_FOOD: group.amount(FOOD)}})


async def _dig(turn: Turn, board: Board, group: Piece, seat: int) -> None:
    """Dig while there is too little room for food; only who is below can, and has move points left afterwards."""
    dug = sum(owner == seat for owner in board.diggers.values())
    missing = -(-(ENOUGH_STORAGE - dug * STORE) // STORE)
    if not group.square[2] or missing <= 0:
        return
    x, y, below = group.square
    around = {number: (x + dx, y + dy, below) for number, (dx, dy) in enumerate(STEPS)}
    dirt = [number for number, one in around.items() if one in board.systems and not board.has(one, EXCAVATED)][
        :missing
    ]
    if dirt and await _give(turn, group, "Excavate", {"Directions": dirt}):
        for number in dirt:
            board.diggers[around[number]] = seat
            board.ground.setdefault(around[number], {})[EXCAVATED] = 1


async def _harvest(turn: Turn, board: Board, group: Piece, reach: Mapping[Square, int]) -> bool:
    """Harvest the nearest fungus, or go there; return whether there is something to harvest."""
    fungus = [
        square
        for square, marks in board.ground.items()
        if FUNGUS in marks and not square[2] and square not in board.exhausted
    ]
    if not fungus or group.room <= 0:
        return False
    for square in reach:  # the nearest first
        target = None if square[2] else next((one for one in fungus if apart(one, square) <= 1), None)
        if target is None:
            continue
        if square != group.square:
            await _go(turn, board, group, square)
        elif await _give(turn, group, "Harvest", {"Square": board.systems[target]}):
            _foresee(board, group, target)
        return True
    return False


def _foresee(board: Board, group: Piece, target: Square) -> None:
    """Take away what a harvest will most likely take away, so that others look elsewhere."""
    patch = board.distances(target, lambda square: bool(board.has(square, FUNGUS)))
    taken = min(group.room, HARVEST * group.ants // 2) // LOAD
    nearest_first = sorted(patch, key=lambda square: apart(square, group.square))
    for square in nearest_first[:taken]:
        del board.ground[square][FUNGUS]
    if taken >= len(patch) - 1:
        board.exhausted.update(patch)


async def _join(turn: Turn, board: Board, group: Piece) -> None:
    """Join a group of the same colour that stands here and has room for all."""
    colour = RED_ANT if group.amount(RED_ANT) else BLACK_ANT
    for other in board.own("Group"):
        if (
            other.id < group.id
            and other.square == group.square
            and other.amount(colour)
            and other.ants + group.ants <= MOST_ANTS
        ):
            await _give(turn, group, "Merge", {"Group": other.id, "Number": group.ants})
            return
