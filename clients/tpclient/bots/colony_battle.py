"""A bot for Colony Battle: its queen heads for the throne, workers dig and fetch items, the rest goes for the enemy.

It has two styles: one spawns six workers and then two soldiers, and races for the throne; the other one is content with
four workers, and fights with soldiers, drones and young queens. It plays from what the wire shows.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .colony_battle_board import (
    ANTLION,
    DRONE,
    QUEEN,
    SOLDIER,
    STEPS,
    TERMITE_BOMB,
    UNITS,
    WORKER,
    YOUNG_QUEEN,
    Board,
    Square,
    Unit,
    distance,
    read_board,
)
from .play import Turn

MOVES = 3
"""Units that may move in a turn, unless the game has other options."""
DIGGERS = 2
FETCHED = 8
"""Steps to an item that are worth it."""
WAITING = 2
"""Steps at which the queen waits for a site to open."""
AWAY = 4
"""An antlion stays this far from the own queen."""

KINDS = {WORKER: 1, SOLDIER: 2, DRONE: 3, YOUNG_QUEEN: 4}
"""As the Spawn order numbers them."""

RACE, FIGHT = "race", "fight"
_WORKERS = {RACE: 6, FIGHT: 4}
_SOLDIERS = 2
"""After the workers, in a race."""


@dataclass(frozen=True, slots=True)
class Command:
    """One order: the unit, the type, and the arguments."""

    on: int
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


class ColonyBattlePolicy:
    """Plays Colony Battle; `give_orders` is what `play` calls each turn. Without a style chance chooses one."""

    def __init__(self, style: str = "") -> None:
        self._style = style

    async def give_orders(self, turn: Turn) -> None:
        """Give the orders of a main phase, or place items. Refusals do not matter: the next turn is looked at anew."""
        universe = turn.universe
        if not self._style:
            self._style = turn.chance.choice((RACE, FIGHT))
        own = universe.own()
        offered = {description.name for thing in own for description in universe.offers(thing)}
        orders = {number: queue.num_orders for number, queue in universe.queues.items()}
        board = read_board(universe.me, universe.objects.values(), orders)
        commands = placements(board) if "PlaceItem" in offered else Plan(board, turn.chance, self._style).commands()
        for command in commands:
            await turn.order(universe.objects[command.on].queue, command.name, command.arguments)


def placements(board: Board) -> Iterator[Command]:
    """Put antlions near the enemy queen; termite bombs go beside the own one without being told."""
    queen, enemy = board.queen(), board.queen(mine=False)
    if queen is None or enemy is None:
        return
    shafts = {site.square for site in board.sites.values()}
    shafts |= {(level + 1, *site.square[1:]) for level, site in board.sites.items()}
    for item, is_antlion in sorted(board.hand.items()):
        free = [
            square
            for square in sorted(board.systems)
            if square not in board.taken and square not in shafts and distance(square, queen.square) >= AWAY
        ]
        if is_antlion and free:
            place = min(free, key=lambda square: distance(square, enemy.square))
            board.taken[place] = item
            yield Command(queen.id, "PlaceItem", {"item": [item], "where": board.systems[place]})


class Plan:
    """The orders of one main phase. Units with orders from before are left to them."""

    def __init__(self, board: Board, chance: random.Random, style: str) -> None:
        self._board = board
        self._chance = chance
        self._style = style
        self._moves = MOVES
        self._busy: set[int] = set()
        self._commands: list[Command] = []

    def commands(self) -> list[Command]:
        """All orders, in the order in which they are to be given: queen, diggers, carriers, fighters."""
        queen = self._board.queen()
        if queen is None:
            return []
        self._moves -= sum(unit.orders > 0 for unit in self._board.own(*UNITS) if unit.kind != QUEEN)
        self._busy = {unit.id for unit in self._board.own(*UNITS) if unit.orders}
        can_advance = self._lead(queen)
        self._dig()
        self._fetch(queen)
        self._close_in()
        self._strike()
        self._spawn(queen, can_advance)
        return self._commands

    # --- the queen

    def _lead(self, queen: Unit) -> bool:
        """Move the queen, and say whether she has a step to make towards an open site."""
        board = self._board
        site = board.sites.get(queen.square[0])
        if site is None or board.brood:
            return False
        level, x, y = site.square
        way = self._queens_way(queen, site.square, site.left > 0)
        if not site.left and level < 2 and queen.square == site.square:
            way = [(level + 1, x, y)]
        can_advance = bool(way) and not site.left
        if queen.id in self._busy:
            return can_advance
        in_danger = queen.square in board.danger
        if in_danger and (not way or way[0] in board.danger) and self._chance.random() < 0.5:
            safe = [near for near in board.around(queen.square) if self._is_safe(near)]
            way = safe[:1] or way
        if not way or (way[0] in board.danger and not in_danger):
            return can_advance
        if way[0] not in board.taken or self._make_way(board.taken[way[0]], way):
            self._go(queen, way[:1])
        return can_advance

    def _queens_way(self, queen: Unit, goal: Square, waits: bool) -> list[Square] | None:
        """The way to the site, or near it while it is closed; own units are no obstacle, dangers only if need be."""
        board = self._board
        fixed = {square for square, number in board.taken.items() if number not in board.units}
        fixed |= {unit.square for unit in board.units.values() if unit.owner != board.me or unit.kind == ANTLION}

        def is_goal(square: Square) -> bool:
            if not waits:
                return square == goal
            return distance(square, goal) == WAITING and square not in board.danger

        return board.way(queen.square, is_goal, fixed | board.danger) or board.way(queen.square, is_goal, fixed)

    def _is_safe(self, square: Square) -> bool:
        board = self._board
        return square not in board.taken and square not in board.danger and not board.is_closed(square)

    def _make_way(self, number: int, way: list[Square]) -> bool:
        """Order a unit of our own aside."""
        board = self._board
        unit = board.units.get(number)
        if unit is None or unit.owner != board.me or unit.id in self._busy or self._moves < 2:
            return False
        for near in board.around(unit.square):
            if near not in way and self._is_safe(near):
                self._go(unit, [near])
                return True
        return False

    # --- workers

    def _dig(self) -> None:
        """Keep two workers beside the next site that can be reached; the nearest ones go."""
        board = self._board
        closed = [site for _, site in sorted(board.sites.items()) if site.left]
        if not closed:
            return
        goals = list(board.around(closed[0].square))
        workers = [unit for unit in board.own(WORKER) if not unit.carries]
        there = [unit for unit in workers if unit.square in goals]
        self._busy.update(unit.id for unit in there[:DIGGERS])
        missing = DIGGERS - len(there)
        far = sorted((len(way), unit.id, way) for unit, way in self._ways(workers, goals))
        for _, number, way in far[: max(0, missing)]:
            if number not in self._busy:
                self._go(board.units[number], way)
                self._busy.add(number)

    def _ways(self, units: list[Unit], goals: list[Square]) -> Iterator[tuple[Unit, list[Square]]]:
        board = self._board
        avoided = board.taken.keys() | board.deadly()
        for unit in units:
            if unit.square not in goals:
                way = board.way(unit.square, goals.__contains__, avoided)
                if way:
                    yield unit, way

    def _fetch(self, queen: Unit) -> None:
        """Bring items home, and go for those that lie near."""
        board = self._board
        avoided = board.taken.keys() | board.deadly()
        home = set(board.beside(queen.square))
        wanted = {item: square for item, square in board.items.items() if not self._is_carried(square)}
        for unit in board.own(WORKER):
            if unit.id in self._busy:
                continue
            if unit.carries:
                way = board.way(unit.square, home.__contains__, avoided)
                if way:
                    self._go(unit, way)
                continue
            near = {place: item for item, square in wanted.items() for place in (square, *board.beside(square))}
            way = board.way(unit.square, near.__contains__, avoided, FETCHED)
            if way is None:
                continue
            item = near[way[-1] if way else unit.square]
            if len(way) <= STEPS[WORKER] and (not way or self._go(unit, way)):
                self._give(unit, "PickUp", {"item": item})
                del wanted[item]
            elif way and self._go(unit, way):
                del wanted[item]

    def _is_carried(self, square: Square) -> bool:
        unit = self._board.units.get(self._board.taken.get(square, -1))
        return unit is not None and unit.carries

    # --- fighters

    def _close_in(self) -> None:
        """Send soldiers, termite bombs, drones and young queens towards the enemy queen."""
        board = self._board
        enemy = board.queen(mine=False)
        if enemy is None:
            return
        goals = [*board.beside(enemy.square)]
        for unit in board.own(SOLDIER, TERMITE_BOMB, DRONE, YOUNG_QUEEN):
            if unit.id in self._busy or unit.square in goals:
                continue
            way = board.way(unit.square, goals.__contains__, board.taken.keys() | board.deadly())
            if way:
                self._go(unit, way)

    def _strike(self) -> None:
        """Convert and attack what is beside the units where they will be: queens, soldiers, others, worms."""
        board = self._board
        for unit in board.own(SOLDIER, DRONE, TERMITE_BOMB, YOUNG_QUEEN, WORKER):
            if unit.orders or unit.carries:
                continue
            found = [board.units.get(board.taken.get(near, -1)) for near in board.beside(unit.square)]
            beside = [one for one in found if one is not None and one.owner != board.me]
            if unit.kind == YOUNG_QUEEN:
                worth = [one for one in beside if one.kind in (SOLDIER, DRONE, TERMITE_BOMB)]
                if worth:
                    self._give(unit, "Convert", {"target": worth[0].id})
                    continue
            self._attack(unit, [one for one in beside if one.kind != ANTLION])

    def _attack(self, unit: Unit, beside: list[Unit]) -> None:
        board = self._board
        rank = {QUEEN: 0, SOLDIER: 1}
        if beside:
            target = min(beside, key=lambda one: (rank.get(one.kind, 2), one.hit_points, one.id))
            # The only hit point is not given for one of three; and those who race do not waste workers.
            is_worth_it = unit.kind == SOLDIER or target.hit_points == 1
            if unit.kind == WORKER and self._style == RACE:
                is_worth_it = False
            if is_worth_it or target.kind == QUEEN:
                self._give(unit, "Attack", {"target": target.id})
            return
        if unit.kind in (SOLDIER, WORKER):
            around = set(board.beside(unit.square))
            eaten = sorted(number for number, square in board.segments.items() if square in around)
            if eaten and unit.kind == SOLDIER:
                self._give(unit, "Attack", {"target": eaten[0]})

    # --- brood

    def _spawn(self, queen: Unit, can_advance: bool) -> None:
        board = self._board
        if board.brood or queen.orders > 1:
            return
        workers = len(board.own(WORKER))
        if workers < _WORKERS[self._style]:
            self._give(queen, "Spawn", {"kind": [KINDS[WORKER]], "where": self._nursery(queen)})
        elif not can_advance and queen.id not in self._busy and queen.square not in board.danger:
            if self._style == FIGHT:
                kind = self._chance.choice((SOLDIER, DRONE, YOUNG_QUEEN))
            elif len(board.own(SOLDIER)) < _SOLDIERS:
                kind = SOLDIER
            else:
                return
            self._give(queen, "Spawn", {"kind": [KINDS[kind]], "where": self._nursery(queen)})

    def _nursery(self, queen: Unit) -> int:
        """The system for a new unit: some safe one beside the queen; 0 leaves it to the rules, which go by compass, and
        would favour the player whose way leads west."""
        free = [near for near in self._board.around(queen.square) if self._is_safe(near)]
        return self._board.systems[self._chance.choice(free)] if free else 0

    # --- giving orders

    def _go(self, unit: Unit, way: list[Square]) -> bool:
        """Move a unit along a way as far as it comes in one turn; say whether it may."""
        if self._moves <= 0 or unit.id in self._busy:
            return False
        board = self._board
        steps = way[: STEPS[unit.kind]]
        while steps and steps[-1] in board.taken:
            steps.pop()
        if not steps:
            return False
        self._give(unit, "Move", {"destination": board.systems[steps[-1]]})
        board.move(unit, steps[-1])
        self._busy.add(unit.id)
        self._moves -= 1
        return True

    def _give(self, unit: Unit, name: str, arguments: Mapping[str, Any]) -> None:
        self._commands.append(Command(unit.id, name, arguments))
