"""A bot in two styles (RULES.md, section 11).

Its queen heads for the throne, workers dig and fetch items, and others fight. While enemies are near the queen, units
near her fight them, and she spawns soldiers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Mapping
from dataclasses import replace
from typing import Any

from tprules.api import BotTurn, Oid, Order
from tprules.colony_battle import orders
from tprules.colony_battle import world as worlds
from tprules.colony_battle.board import BOARDS, SITES, Spot, Square
from tprules.colony_battle.movement import next_heads
from tprules.colony_battle.world import STATS, Unit, World
from tprules.kit.bfs import found_from, path_to
from tprules.kit.single_choice import choosing

RACE, FIGHT = "race", "fight"

WORKERS = {RACE: 6, FIGHT: 4}
SOLDIERS = 2
"""Number of soldiers after the workers, in a race."""
DIGGERS = 2
FETCHED = 8
"""Maximum steps to an item that is fetched."""
WAITING = 2
"""Steps from a closed site at which the queen waits."""
AWAY = 4
"""Minimum steps from an antlion to the own queen."""
AHEAD = 3
"""Number of dangerous squares ahead of a worm's head."""
ALARM = 9
"""Maximum steps from the queen to the enemies that units near her fight."""
GUARDS = 2
"""Soldiers that stay with the queen."""
GUARDED = 2
"""Maximum steps between the queen and her guards."""

FIGHTERS = (worlds.SOLDIER, worlds.DRONE, worlds.YOUNG_QUEEN, worlds.TERMITE)

Way = list[Square]


def bot(turn: BotTurn[World]) -> None:
    """Give the orders of a turn: the seat that moves first in each round fights, the other one races."""
    play(turn, FIGHT if turn.seat == turn.world.first else RACE)


def play(turn: BotTurn[World], style: str) -> None:
    """Give the orders of a turn in a style, RACE or FIGHT; no orders if it is not the seat's turn."""
    world = turn.world
    queen, enemy = world.queen(turn.seat), world.queen(1 - turn.seat)
    if turn.seat != world.seat or queen is None or enemy is None:
        return
    if world.placing:
        _place(turn, queen.square, enemy.square)
    else:
        _Main(turn, style, enemy.square).give_orders()


def _place(turn: BotTurn[World], queen: Square, enemy: Square) -> None:
    """Put antlions near the enemy queen. Termite bombs go beside the own queen without an order."""
    world, layout = turn.world, turn.world.layout
    squares = world.places_for(turn.seat, worlds.ANTLION)
    free = [square for square in squares if not layout.within(square, queen, AWAY - 1)]

    def remoteness(square: Square) -> tuple[int, int, Spot]:
        boards = abs(square // layout.area - enemy // layout.area)
        return boards, layout.distance(square, enemy) or 0, layout.spot(square)

    free.sort(key=remoteness)
    for item in sorted(world.hand(turn.seat)):
        if world.items[item].kind == worlds.ANTLION and free:
            args = {orders.ITEM: choosing(item), orders.WHERE: world.system(free.pop(0))}
            turn.give(Order(turn.seat, world.colonies[turn.seat].queen, orders.PlaceItem.name, args))


class _Main:
    """The orders of one main phase. Units with older orders keep these."""

    def __init__(self, turn: BotTurn[World], style: str, enemy: Square) -> None:
        self._turn, self._style, self._seat, self._enemy = turn, style, turn.seat, enemy
        units = {oid: replace(unit) for oid, unit in turn.world.units.items()}
        self._world = world = replace(turn.world, units=units)
        """A copy in which units stand where they will be after the orders given so far."""
        self._queues = Counter(order.on for order in turn.plan.before)
        """Object -> number of its older orders."""
        self._queen = world.colonies[turn.seat].queen
        self._busy = {oid for oid in self._queues if oid in world.units}
        self._moves = world.settings.move_cap - len(self._busy - {self._queen})
        self._worms = _ahead_of_worms(world)
        self._danger = _danger(world) | self._worms
        home = world.units[self._queen].square
        self._threats = self._near_queen(home)
        self._deadly = self._danger | _guarded(world, 1 - turn.seat)

    def give_orders(self) -> None:
        """Give all orders, for the queen first, then diggers, carriers and fighters."""
        can_advance = self._lead()
        self._dodge()
        self._guard()
        self._dig()
        self._fetch()
        self._close_in()
        self._strike()
        self._spawn(can_advance)

    # The queen.

    def _lead(self) -> bool:
        """Move the queen, and return whether she has a step towards an open site."""
        world, queen = self._world, self._world.units[self._queen]
        board = queen.square // world.layout.area
        site, left = world.layout.sites[board], world.left[board]
        if world.colonies[self._seat].brood_left:
            return False
        way = self._queens_way(queen.square, site)
        if not left and board < SITES[-1] and queen.square == site:
            way = [site + world.layout.area]
        can_advance = bool(way) and not left
        if self._queen in self._busy:
            return can_advance
        in_danger = queen.square in self._danger
        if in_danger and (not way or way[0] in self._danger):
            is_deadly = not self._worms.isdisjoint([queen.square, *(way or [])[:1]])
            if is_deadly or self._turn.dice.below(2) == 0:
                way = self._safe(queen.square)[:1] or way
        if not way or (way[0] in self._danger and not in_danger):
            return can_advance
        if self._threats and not can_advance and not in_danger:
            return can_advance
        if way[0] not in world.occupied or self._make_way(world.occupied[way[0]], way):
            self._go(self._queen, way[:1])
        return can_advance

    def _queens_way(self, start: Square, site: Square) -> Way | None:
        """Return the way to a site, if possible without danger.

        If the site is closed, the way ends WAITING steps from it. Own units are no obstacle.
        """
        world = self._world
        goals = {site}
        if world.is_closed(site):
            squares = range(BOARDS * world.layout.area)
            goals = {near for near in squares if world.layout.distance(near, site) == WAITING} - self._danger
        aside = {unit.square for _, unit in self._own(worlds.WORKER, worlds.QUEEN, *FIGHTERS)}
        fixed = world.occupied.keys() - aside
        return self._way(start, goals, fixed | self._danger) or self._way(start, goals, fixed)

    def _make_way(self, oid: Oid, way: Way) -> bool:
        """Order an own unit aside; return whether it goes."""
        unit = self._world.units.get(oid)
        if unit is None or unit.owner != self._seat or self._moves < 2:
            return False
        aside = [near for near in self._safe(unit.square) if near not in way]
        return bool(aside) and self._go(oid, aside[:1])

    # The defense.

    def _near_queen(self, home: Square) -> list[Oid]:
        """Return the enemies near the own queen that can hurt her, the nearest first."""
        world, layout = self._world, self._world.layout
        found = []
        for oid, unit in world.units.items():
            if unit.owner != self._seat and unit.kind in (worlds.WORKER, *FIGHTERS):
                steps = layout.distance(unit.square, home)
                if steps is not None and steps <= ALARM:
                    found.append((steps, oid))
        return [oid for _, oid in sorted(found)]

    def _dodge(self) -> None:
        """Move units out of the way of worms that would crush them in the next rounds."""
        for oid, unit in self._own(worlds.WORKER, *FIGHTERS):
            if unit.square in self._worms and oid not in self._busy:
                self._go(oid, self._safe(unit.square)[:1])

    def _guard(self) -> None:
        """Send units nearby against the enemies that threaten the queen. Without threats, keep guards with her."""
        world = self._world
        home = world.units[self._queen].square
        for threat in self._threats:
            square = world.units[threat].square
            goals = set(world.beside(square))
            guards = [(oid, unit) for oid, unit in self._own(*FIGHTERS, worlds.WORKER) if oid not in self._busy]
            there = [oid for oid, unit in guards if unit.square in goals]
            if there:
                self._busy.add(there[0])
                continue
            ways = [
                (way, unit.kind == worlds.WORKER, oid)
                for oid, unit in guards
                if not unit.item and (way := self._way(unit.square, goals, self._blocked()))
            ]
            if ways:
                way, _, oid = min(ways, key=lambda found: (len(found[0]), *found[1:]))
                if len(way) <= ALARM:
                    self._go(oid, way)
                    self._busy.add(oid)
        soldiers = [(oid, unit) for oid, unit in self._own(worlds.SOLDIER) if oid not in self._busy]
        ways_home = [(self._way(unit.square, world.beside(home), self._blocked()), oid) for oid, unit in soldiers]
        near = sorted((len(way), oid, way) for way, oid in ways_home if way is not None and len(way) <= ALARM)
        for steps, oid, way in near[:GUARDS]:
            if steps > GUARDED:
                self._go(oid, way)
            self._busy.add(oid)

    # Workers.

    def _dig(self) -> None:
        """Keep two workers beside the first closed site. The nearest ones go."""
        world = self._world
        closed = [site for site in world.layout.sites if world.is_closed(site)]
        if not closed:
            return
        goals = world.layout.around[closed[0]]
        workers = [(oid, unit) for oid, unit in self._own(worlds.WORKER) if not unit.item]
        there = [oid for oid, unit in workers if unit.square in goals]
        self._busy.update(there[:DIGGERS])
        blocked = self._blocked()
        ways = [(self._way(unit.square, goals, blocked), oid) for oid, unit in workers]
        far = sorted((len(way), oid, way) for way, oid in ways if way)
        for _, oid, way in far[: max(0, DIGGERS - len(there))]:
            self._go(oid, way)
            self._busy.add(oid)

    def _fetch(self) -> None:
        """Bring items home, and fetch items nearby."""
        world, blocked = self._world, self._blocked()
        home = world.beside(world.units[self._queen].square)
        wanted = {oid: item.square for oid, item in world.items.items() if item.square != worlds.NOWHERE}
        for oid, unit in self._own(worlds.WORKER):
            if oid in self._busy:
                continue
            if unit.item:
                self._go(oid, self._way(unit.square, home, blocked))
                continue
            near = {place: item for item, square in wanted.items() for place in (square, *world.beside(square))}
            way = self._way(unit.square, near, blocked)
            if way is None or len(way) > FETCHED:
                continue
            item = near[way[-1] if way else unit.square]
            if way and not self._go(oid, way):
                continue
            if len(way) <= STATS[worlds.WORKER].steps:
                self._give(oid, orders.PickUp.name, {orders.ITEM: item})
            del wanted[item]

    # Fighters.

    def _close_in(self) -> None:
        """Send fighters towards the enemy queen."""
        goals = self._world.beside(self._enemy)
        for oid, unit in self._own(*FIGHTERS):
            if oid not in self._busy:
                self._go(oid, self._way(unit.square, goals, self._blocked()))

    def _strike(self) -> None:
        """Convert and attack enemies beside the future squares of the units."""
        world = self._world
        for oid, unit in self._own(worlds.WORKER, *FIGHTERS):
            if self._queues[oid] or unit.item:
                continue
            near = [world.occupied[square] for square in world.beside(unit.square) if square in world.occupied]
            beside = [one for one in near if one in world.units and world.units[one].owner != self._seat]
            worth = [one for one in beside if world.units[one].kind in (worlds.SOLDIER, worlds.DRONE, worlds.TERMITE)]
            targets = [one for one in beside if world.units[one].kind != worlds.ANTLION and not self._blasts_queen(one)]
            if unit.kind == worlds.TERMITE and self._blasts_queen(oid):
                continue
            eaten = [one for one in near if one not in world.units and one not in world.spiders]
            if unit.kind == worlds.YOUNG_QUEEN and worth:
                self._give(oid, orders.Convert.name, {orders.TARGET: worth[0]})
            elif targets:
                target = min(targets, key=self._rank)
                # A unit does not lose its only hit point to take one of several. In a race, workers are not wasted.
                is_spent = unit.kind == worlds.WORKER and self._style != FIGHT and target not in self._threats
                is_fair = world.units[target].hit_points == 1 and not is_spent
                if is_fair or unit.kind == worlds.SOLDIER or world.units[target].kind == worlds.QUEEN:
                    self._give(oid, orders.Attack.name, {orders.TARGET: target})
            elif unit.kind == worlds.SOLDIER and eaten:
                self._give(oid, orders.Attack.name, {orders.TARGET: min(eaten)})

    def _blasts_queen(self, oid: Oid) -> bool:
        """Return whether this is a termite bomb that would hurt the own queen when it dies."""
        world = self._world
        unit, queen = world.units[oid], world.units[self._queen]
        is_near = world.layout.within(unit.square, queen.square, world.settings.blast_range)
        return unit.kind == worlds.TERMITE and is_near

    def _rank(self, oid: Oid) -> tuple[int, int, Oid]:
        """Return the sort key of a target: queens, soldiers, others; then those with few hit points."""
        unit = self._world.units[oid]
        return {worlds.QUEEN: 0, worlds.SOLDIER: 1}.get(unit.kind, 2), unit.hit_points, oid

    # The brood.

    def _spawn(self, can_advance: bool) -> None:
        world, dice = self._world, self._turn.dice
        square = world.units[self._queen].square
        if world.colonies[self._seat].brood_left or self._queues[self._queen] > 1:
            return
        soldiers = world.alive(self._seat, worlds.SOLDIER)
        can_brood = not can_advance and self._queen not in self._busy and square not in self._danger
        if self._threats and can_brood and soldiers < min(len(self._threats), world.settings.caps[worlds.SOLDIER]):
            kind = worlds.SOLDIER
        elif world.alive(self._seat, worlds.WORKER) < WORKERS[self._style]:
            kind = worlds.WORKER
        elif not can_brood:
            return
        elif self._style == FIGHT:
            kind = dice.pick((worlds.SOLDIER, worlds.DRONE, worlds.YOUNG_QUEEN))
        elif soldiers < SOLDIERS:
            kind = worlds.SOLDIER
        else:
            return
        # Without a square, the rules choose by compass, which would favor the player who moves west.
        free = self._safe(square)
        where = world.system(dice.pick(free)) if free else worlds.UNIVERSE
        self._give(self._queen, orders.Spawn.name, {orders.KIND: choosing(kind + 1), orders.WHERE: where})

    # Squares and ways.

    def _own(self, *kinds: int) -> list[tuple[Oid, Unit]]:
        """Return the own units of these kinds, in the order of their numbers."""
        units = sorted(self._world.units.items())
        return [(oid, unit) for oid, unit in units if unit.owner == self._seat and unit.kind in kinds]

    def _safe(self, square: Square) -> Way:
        """Return the neighbors of a square that are free and without danger."""
        world = self._world
        return [near for near in world.layout.around[square] if world.is_free(near) and near not in self._danger]

    def _blocked(self) -> set[Square]:
        return self._deadly | self._world.occupied.keys()

    def _way(self, start: Square, goals: Collection[Square], blocked: Container[Square]) -> Way | None:
        """Return the shortest way to the nearest goal, which is empty at a goal. None if there is no way."""
        before = found_from(start, self._world.ways(), blocked)
        return next((path_to(place, before) for place in before if place in goals), None)

    # Giving orders.

    def _go(self, oid: Oid, way: Way | None) -> bool:
        """Move a unit along a way as far as it comes in one turn, and return whether it moves."""
        world = self._world
        unit = world.units[oid]
        steps = (way or [])[: STATS[unit.kind].steps]
        while steps and steps[-1] in world.occupied:
            steps.pop()
        if not steps or self._moves <= 0 or oid in self._busy:
            return False
        self._give(oid, orders.Move.name, {orders.DESTINATION: world.system(steps[-1])})
        del world.occupied[unit.square]
        unit.square = steps[-1]
        world.occupied[unit.square] = oid
        self._busy.add(oid)
        self._moves -= 1
        return True

    def _give(self, oid: Oid, name: str, args: Mapping[str, Any]) -> None:
        self._turn.give(Order(self._seat, oid, name, args))


def _danger(world: World) -> set[Square]:
    """Return the squares in a web or beside a spider."""
    layout = world.layout
    found = {square for square in range(BOARDS * layout.area) if world.in_web(square)}
    for spider in world.spiders.values():
        found.update((spider.square, *layout.around[spider.square]))
    return found


def _ahead_of_worms(world: World) -> set[Square]:
    """Return the squares not far ahead of a worm's head."""
    found = set()
    for worm in world.worms.values():
        head, facing = worm.squares[0], worm.facing
        for _ in range(AHEAD):
            head, facing = next_heads(world.layout, head, facing)[0]
            found.add(head)
    return found


def _guarded(world: World, seat: int) -> set[Square]:
    """Return the squares near antlions of a seat, where they kill ants."""
    guards = [unit.square for unit in world.units.values() if unit.kind == worlds.ANTLION and unit.owner == seat]
    reach, squares = world.settings.antlion_range, range(BOARDS * world.layout.area)
    return {square for square in squares if any(world.layout.within(guard, square, reach) for guard in guards)}
