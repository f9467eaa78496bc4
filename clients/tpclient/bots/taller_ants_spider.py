"""A spider of Taller-Ants: it keeps away from fungus, cocoons what stands on its webs, attacks weak groups while it is
well, covers the ground with webs, heals, and lays eggs when there is enough to feed them with.
"""

from .play import Turn
from .taller_ants_board import (
    BRIDGE,
    CAPTIVE,
    COCOONED,
    FED_EGG,
    FUNGUS,
    HIT_POINT,
    MOST_ANTS,
    MOVE_POINT,
    SAFE,
    SPIDER,
    SPIDER_EGG,
    WARD,
    WEB,
    Board,
    Piece,
    Square,
    apart,
    give,
    nearest,
)

CAPTIVES, COCOONED_ANTS = 1, 2
SMALL, LARGE = 1, 2
KILL, TAKE = 1, 2

LAY_FROM_ROUND, LAY_FROM_HP, FEWEST_FOR_EGGS, ENOUGH_SPIDERS = 3, 14, 8, 4
ATTACK_FROM_HP, FAR = 11, 7
WEB_FROM_HP = 5


class Spider:
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
            await give(self.turn, self.piece, "Lay Eggs")
            return
        await self._feed()
        await self._cocoon()
        if self.hp >= ATTACK_FROM_HP:
            await self._hunt()
        if self.piece.amount(CAPTIVE) and self.ticks >= 2:
            wrapped = min(self.piece.amount(CAPTIVE), self.ticks // 2)
            await give(self.turn, self.piece, "Wrap", {"Number": wrapped})
            self.ticks -= 2 * wrapped
        await self._spin()
        missing = self.turn.universe.objects[self.piece.id].resources[HIT_POINT].minable
        if self.ticks >= 2 and (missing or self.hp < self.piece.amount(HIT_POINT)):
            await give(self.turn, self.piece, "Heal", {"Points": min(10, self.ticks // 2)})

    def _may_enter(self, square: Square) -> bool:
        return (
            (self.board.holds_spider(square) or square in self.webs)
            and square not in self.ants
            and nearest(square, self.poison) >= SAFE
        )

    async def _go(self, square: Square, steps: int) -> None:
        """Walk; a step takes two ticks at most."""
        await give(self.turn, self.piece, "Move", {"Square": self.board.systems[square]})
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
            if number > 0 and await give(
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
            if await give(self.turn, self.piece, "Cocoon", arguments):
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
        await give(self.turn, self.piece, "Attack", {"Target": number, "Choice": [choice], "Limit": 0})
        self.hp -= 1

    async def _spin(self) -> None:
        """Web this square, then those around, then the nearest where there is something to web."""
        least = LAY_FROM_HP + 1 if self.wants_eggs else WEB_FROM_HP
        while self.hp >= least and self.ticks >= 2:
            free = next((square for square in self.board.touching(self.square) if self._may_web(square)), None)
            if free is not None:
                if not await give(self.turn, self.piece, "Build Web", {"Square": self.board.systems[free]}):
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
