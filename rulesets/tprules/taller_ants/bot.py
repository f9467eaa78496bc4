"""A bot (RULES.md, section 11).  It gives orders that are carried out in the same phase, so that in the next one it can
think everything over again.

Spiders keep away from fungus, cocoon what stands on webs, attack weak groups while they are well, cover the ground with
webs, heal, and lay eggs when there is enough to feed them with.  A colony uncovers its hole first, carries food home,
digs room to store it, harvests fungus, and has its queen eat and lay.

A patch of fungus grows by a square a round and cannot be harvested down to nothing, so it is good for one harvest in
every round however small it is.  Groups therefore take turns at the patches: each is sent where its turn comes first,
and stays at home while there is none for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tprules.api import BotTurn, Oid, Order, Turn, copy_world
from tprules.kit.single_choice import choosing
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import ants, orders, spiders
from tprules.taller_ants import world as worlds
from tprules.taller_ants.board import FUNGUS_DISTANCE, Place
from tprules.taller_ants.goods import CAPTIVES, COCOONED, FOOD, GOODS, Drop, free_storage, within
from tprules.taller_ants.orders import ANY_COST, Action, Illegal, Move, Scene, fungus_distances, move, within_reach
from tprules.taller_ants.world import SPIDER_SEAT, TICKS, Fungus, Group, Queen, Spider, Unit, World

# Spiders.
LAY_FROM_ROUND, LAY_FROM_HP, FEWEST_FOR_EGGS, ENOUGH_SPIDERS = 3, 14, 8, 4
ATTACK_FROM_HP, WEB_FROM_HP = 11, 5
HUNTING_GROUND = 14
"""Maximum ticks of the way to a group that is attacked."""
MOST_FED = 5

# Colonies.
QUEEN_EATS_BELOW = 6
MOST_EATEN, MOST_LAID = 10, 5
ENOUGH_ANTS, SPARE_ANTS = 54, 4
ENOUGH_STORAGE, SPARE_STORAGE = 110, 10
"""So much, or so much more than the goal if that is higher."""
DICE_OF_TWO_ANTS = 7
"""What two ants harvest on the average."""
SQUARES_A_HARVEST = 3
"""How many squares of fungus a harvest of five ants takes away on the average."""
DANGER = 8
"""How far a spider comes to attack, and one more."""
GUARD = 2
"""Groups that are always to be above."""
PATIENCE = 3
"""Rounds that a group waits for its turn at a patch."""
FULL, HALF = 80, 40
"""Percent of what a group can carry, from which on it goes home, always or if it is there at once."""


def bot(turn: BotTurn[World]) -> None:
    """Give orders to all units that have none, in the seat's own phase; in the setup none: the default places are
    good."""
    if turn.phase != worlds.SETUP and turn.world.active == turn.seat:
        player = _Spiders(turn) if turn.seat == SPIDER_SEAT else _Colony(turn)
        player.act()


class _Rehearsal:
    """A turn of the bot, and a copy of the world in which its orders are carried out as it gives them."""

    def __init__(self, turn: BotTurn[World]) -> None:
        self.turn = turn
        self.seat = turn.seat
        self.world = copy_world(turn.world)
        self.board = self.world.board
        self.scene = Scene(Turn(self.world, 0, turn.phase, {}, b""), turn.dice)
        busy = {order.on for order in turn.plan.before}
        self.free = [unit for unit in self.world.own(turn.seat) if unit.id not in busy and not unit.ended]
        """The units that can get orders."""

    def give(self, unit: Unit, kind: type[Action[Any]], args: Mapping[str, Any]) -> bool:
        """Carry an order out and give it, unless it is illegal or the unit cannot pay; return whether it was given."""
        try:
            verdict = kind().do(self.scene, unit, self._order(unit, kind, args))
        except Illegal:
            return False
        return verdict is not Verdict.STOPS and self.give_only(unit, kind, args)

    def give_only(self, unit: Unit, kind: type[Action[Any]], args: Mapping[str, Any]) -> bool:
        """Give an order whose result is not known yet, and return whether it was accepted."""
        return self.turn.give(self._order(unit, kind, args)) is None

    def go(self, unit: Unit, goal: Place) -> bool:
        """Let a unit go towards a place that it can reach, as far as its ticks last; return whether it is there."""
        start = unit.place
        move(self.scene, unit, goal)
        if unit.place != start:
            self.give_only(unit, Move, {orders.SQUARE: self.world.system(unit.place)})
        return unit.place == goal

    def stop(self, group: Group, goal: Place) -> Place:
        """Return the place where a group would be after ``go``."""
        sent = replace(group)
        move(self.scene, sent, goal)
        return sent.place

    def _order(self, unit: Unit, kind: type[Action[Any]], args: Mapping[str, Any]) -> Order:
        return Order(self.turn.seat, unit.id, kind.name, args)


class _Spiders(_Rehearsal):
    """The orders of all spiders for one phase."""

    def act(self) -> None:
        for unit in self.free:
            if isinstance(unit, Spider):
                self._act(unit)

    def _act(self, spider: Spider) -> None:
        world = self.world
        wants_eggs = self._wants_eggs(spider)
        dangers = fungus_distances(world)
        if spider.place in dangers:
            reach = within_reach(world, spider, spider.ticks)
            self.go(spider, max(reach, key=lambda place: dangers.get(place, FUNGUS_DISTANCE)))
        elif (
            wants_eggs
            and world.round >= LAY_FROM_ROUND
            and spider.hp >= LAY_FROM_HP
            and self.give(spider, spiders.LayEggs, {})
        ):
            return
        self._feed(spider)
        for group in self._enemies():
            args = {orders.GROUP: group.id, orders.NUMBER: min(2, group.ants)}
            if group.ants < 3 or not self.give(spider, spiders.Cocoon, {**args, spiders.SIZE: choosing(spiders.LARGE)}):
                self.give(spider, spiders.Cocoon, {**args, spiders.SIZE: choosing(spiders.SMALL)})
        if spider.hp >= ATTACK_FROM_HP:
            self._hunt(spider)
        if spider.captives:
            self.give(spider, spiders.Wrap, {orders.NUMBER: len(spider.captives)})
        self._spin(spider, LAY_FROM_HP + 1 if wants_eggs else WEB_FROM_HP)
        if spider.hp < world.settings.spider_hp:
            self.give(spider, spiders.Heal, {spiders.POINTS: worlds.TICKS_OF_SPIDER // TICKS})

    def _enemies(self) -> list[Group]:
        return [unit for unit in self.world.units.values() if isinstance(unit, Group)]

    def _wants_eggs(self, spider: Spider) -> bool:
        """Return whether this spider is to lay eggs as soon as it can."""
        alive = self.world.spiders()
        has_eggs = self.world.clutches() or any(one.eggs + one.fed for one in alive)
        return not has_eggs and len(alive) < ENOUGH_SPIDERS and spider.cocooned > FEWEST_FOR_EGGS

    def _feed(self, spider: Spider) -> None:
        """Feed touching eggs: with captives first, then with cocooned ants above the reserve."""
        world = self.world
        clutch = next((one for one in world.clutches() if world.touches(spider, one.place)), None)
        if clutch is None:
            return
        for kind in (CAPTIVES, COCOONED):
            spare = len(spider.captives) if kind == CAPTIVES else spider.cocooned - FEWEST_FOR_EGGS
            places = world.settings.max_spiders - len(world.spiders()) - world.fed_eggs()
            number = min(places, clutch.eggs, spare, MOST_FED)
            if number > 0:
                self.give(
                    spider, spiders.FeedEgg, {orders.EGG: clutch.id, orders.WITH: choosing(kind), orders.NUMBER: number}
                )

    def _hunt(self, spider: Spider) -> None:
        """Go to the weakest group that is near, and attack it."""
        world = self.world
        reach = within_reach(world, spider, min(HUNTING_GROUND, spider.ticks))
        prey = [
            (group.strength, reach[place], group.id, place)
            for group in self._enemies()
            for place in world.around(group)
            if place in reach
        ]
        if not prey or spider.attacked:
            return
        *_, target, place = min(prey)
        self.go(spider, place)
        group = world.units[target]
        assert isinstance(group, Group)
        choice = worlds.TAKE if group.ants == 1 else worlds.KILL
        if self.give_only(
            spider, spiders.Attack, {orders.TARGET: target, orders.CHOICE: choosing(choice), spiders.LIMIT: 0}
        ):
            spider.hp -= 1

    def _spin(self, spider: Spider, least: int) -> None:
        """Web this square, then those around, then the nearest where there is something to web, while it has ``least``
        hit points."""
        world, board = self.world, self.board
        while spider.hp >= least and spider.ticks >= TICKS:
            free = [one for one in (spider.place, *board.beside[spider.place]) if _web_allowed(world, one)]
            if free:
                if not self.give(spider, spiders.BuildWeb, {orders.SQUARE: world.system(free[0])}):
                    return
                continue
            reach = within_reach(world, spider, ANY_COST)
            goals = (place for place in reach if any(_web_allowed(world, one) for one in board.near[place]))
            goal = next(goals, None)
            if goal is None:
                return
            self.go(spider, goal)


def _web_allowed(world: World, place: Place) -> bool:
    try:
        spiders.check_web(world, place)
    except Illegal:
        return False
    return True


@dataclass
class _Patch:
    """Fungus, and whose turn it is to harvest it."""

    fungus: Fungus
    turns: int
    """How many groups can harvest it in this round."""
    taken: list[int]
    """The rounds in which somebody is going to harvest it; this round is 0."""

    def turn_from(self, first: int) -> int:
        """Return the first round from ``first`` on in which it can be harvested: each round it grows for one more."""
        rounds = first
        while sum(taken <= rounds for taken in self.taken) >= self.turns + rounds:
            rounds += 1
        return rounds


_Way: TypeAlias = tuple[int, Place, _Patch]
"""In how many rounds a group can harvest a patch, and the place where it would stand."""


class _Colony(_Rehearsal):
    """The orders of a colony for one phase."""

    def __init__(self, turn: BotTurn[World]) -> None:
        super().__init__(turn)
        self.groups = [unit for unit in self.free if isinstance(unit, Group)]
        self.done: set[Oid] = set()
        """Groups that have something to do that takes the rest of their phase."""

    def act(self) -> None:
        """Give orders to the queen and to all groups that have none."""
        for unit in self.free:
            if isinstance(unit, Queen):
                self._reign(unit)
        self._uncover()
        for group in self._free():
            self._dig(group)
        for group in self._free():
            if _carries(group, HALF):
                self._store(group, at_once=not _carries(group, FULL))
        self._share_patches()
        self._join()

    def _free(self) -> list[Group]:
        return [group for group in self.groups if group.id not in self.done]

    # The queen.

    def _reign(self, queen: Queen) -> None:
        """Let the queen lay while the colony is small, and eat before if she is too weak to."""
        world, board = self.world, self.board
        alive, goal = world.ants(self.seat), world.settings.ants_goal
        enough = max(ENOUGH_ANTS, goal + SPARE_ANTS if alive < goal else 0)
        wanted = min(MOST_LAID, enough - alive - world.egg_count(self.seat))
        if wanted <= 0:
            return
        if queen.hp < QUEEN_EATS_BELOW and queen.hp <= wanted:
            reach = within_reach(world, queen, queen.ticks)
            meal = next((place for place in reach if within(world, board.near[place], self.seat, "food")), queen.place)
            self.go(queen, meal)
        wanted = min(wanted, queen.ticks // TICKS)
        eaten = min(MOST_EATEN, wanted + 1 - queen.hp)
        if eaten > 0:
            self.give(queen, ants.FeedQueen, {orders.NUMBER: eaten})
        laid = min(wanted, queen.hp - 1)
        if laid > 0:
            self.give(queen, ants.Lay, {ants.RED_EGGS: 0, ants.BLACK_EGGS: laid, orders.WITH: choosing(ants.BODY)})

    # The hole, and room below.

    def _uncover(self) -> None:
        """Send the nearest group above to the hole if it is covered; those that have no way there attack spiders."""
        world, hole = self.world, self.world.colony(self.seat).hole
        if hole not in world.webs:
            return
        above = [group for group in self.groups if not self.board.below(group.place)]
        ticks = {group.id: within_reach(world, group, ANY_COST).get(hole, ANY_COST) for group in above}
        group = min(above, key=lambda one: ticks[one.id], default=None)
        if group is not None and ticks[group.id] < ANY_COST:
            self.done.add(group.id)
            if group.place == hole and group.ticks == worlds.TICKS_OF_ANTS:
                self.give_only(group, ants.CollectWeb, {})
            else:
                self.go(group, hole)
            return
        for group in above:
            spider = next((one for one in world.spiders() if world.touches(group, one.place)), None)
            if spider is not None:
                self.done.add(group.id)
                self.give_only(group, ants.GroupAttack, {orders.TARGET: spider.id})

    def _dig(self, group: Group) -> None:
        """Dig while there is too little room for food: who is below does it where most can be dug, and goes on then."""
        world, settings = self.world, self.world.settings
        goal = settings.food_goal + SPARE_STORAGE if world.stored(self.seat) < settings.food_goal else 0
        room = settings.store_per_square * sum(owner == self.seat for owner in world.dug.values())
        missing = max(ENOUGH_STORAGE, goal) - room
        if not settings.store_per_square or missing <= 0 or not self.board.below(group.place) or group.ticks < TICKS:
            return
        most = min(-(-missing // settings.store_per_square), group.ants)
        reach = within_reach(world, group, group.ticks - TICKS)
        dirt = {place: ants.dirt_around(world, place)[:most] for place in reach if self.board.below(place)}
        place = max(dirt, key=lambda one: len(dirt[one]))
        if dirt[place] and self.go(group, place):
            self.give(group, ants.Excavate, {ants.DIRECTIONS_DUG: [[direction, 1] for direction in dirt[place]]})

    def _store(self, group: Group, at_once: bool) -> None:
        """Take food to the nearest place below that has room for it; with ``at_once`` only if it is in reach."""
        reach = within_reach(self.world, group, ANY_COST)
        rooms = {place: min(group.food, self._room(place)) for place in reach if self.world.dug.get(place) == self.seat}
        places = [(-room, reach[place], place) for place, room in rooms.items() if room]
        _, ticks, place = min(places, default=(0, 0, group.place))
        if not places or (at_once and ticks > group.ticks):
            return
        if self.go(group, place):
            self.give(group, Drop, {GOODS: [[FOOD, group.food]]})
        else:
            self.done.add(group.id)

    def _room(self, place: Place) -> int:
        """Return how much food can be dropped at a place of the colony."""
        own = (one for one in self.board.near[place] if self.world.dug.get(one) == self.seat)
        return sum(free_storage(self.world, one) for one in own)

    # The fungus.

    def _patches(self) -> list[_Patch]:
        """Return all fungus; rivals who stand there and move before us in the next round are before us."""
        before_us = [group for seat in range(1, self.seat) for group in self.world.groups(seat)]
        rivals = [group for group in before_us if group.room >= worlds.LOAD]
        patches = []
        for fungus in self.world.fungi.values():
            turns = 0 if fungus.exhausted else max(1, -(-(len(fungus.squares) - 1) // SQUARES_A_HARVEST))
            there = sum(any(self.world.touches(group, square) for square in fungus.squares) for group in rivals)
            patches.append(_Patch(fungus, turns, [1] * there))
        return patches

    def _share_patches(self) -> None:
        """Give each group that can carry more its turn at a patch: who can be there first goes first."""
        patches = self._patches()
        reaches = {group.id: within_reach(self.world, group, ANY_COST) for group in self._free() if group.room > 0}
        coming = []
        for group in self._free():
            ways = self._ways(group, reaches.get(group.id, {}), patches)
            if ways:
                coming.append((min(arrival for arrival, *_ in ways), -group.room, group.id, group))
        for *_, group in sorted(coming, key=lambda one: one[:3]):
            ways = self._ways(group, reaches[group.id], patches)
            arrival, place, patch = min(ways, key=lambda way: (way[2].turn_from(way[0]), way[0]))
            turn = patch.turn_from(arrival)
            if turn > PATIENCE:
                if _carries(group, HALF):
                    self._store(group, at_once=False)
            elif not self._is_in_danger_outside(group, place):
                patch.taken.append(turn)
                if self.go(group, place) and turn == 0:
                    self._harvest(group, patch.fungus)

    def _ways(self, group: Group, reach: dict[Place, int], patches: list[_Patch]) -> list[_Way]:
        """Return the way to each patch that can be reached, to the nearest place that touches it."""
        ways: list[_Way] = []
        for patch in patches:
            beside = {place for square in patch.fungus.squares for place in self.board.near[square]}
            place = next((one for one in reach if one in beside), None)
            if place is not None:
                ways.append((_rounds(reach[place], group.ticks), place, patch))
        return ways

    def _is_in_danger_outside(self, group: Group, goal: Place) -> bool:
        """Return whether a group below would stop beside a spider's next way; fungus keeps it off who touches it.

        There is none while too few groups are above: nobody can uncover the hole from below.
        """
        above = sum(not self.board.below(one.place) for one in self.groups)
        if above < GUARD or not self.board.below(group.place):
            return False
        stop = self.stop(group, goal)
        if self.board.below(stop) or fungus_distances(self.world).get(stop, DANGER) <= 1:
            return False
        return any(self.board.distance(stop, spider.place) <= DANGER for spider in self.world.spiders())

    def _harvest(self, group: Group, fungus: Fungus) -> None:
        """Harvest, and take away what will most likely go, so that the next group does not name that square."""
        squares = sorted(fungus.squares, key=lambda one: (self.board.distance(one, group.place), one))
        if self.give_only(group, ants.Harvest, {orders.SQUARE: self.world.system(squares[0])}):
            gone = min(group.room, DICE_OF_TWO_ANTS * group.ants // 2) // worlds.LOAD
            fungus.squares = sorted(squares[min(gone, len(squares) - 1) :])

    def _join(self) -> None:
        """Join groups of one colour that will be in one place, as far as they have room for all."""
        for group in self.groups:
            for other in self.groups:
                if (
                    other.id < group.id
                    and (other.place, other.colour) == (group.place, group.colour)
                    and 0 < other.ants <= worlds.MOST_ANTS - group.ants
                    and self.give_only(group, ants.Merge, {orders.GROUP: other.id, orders.NUMBER: group.ants})
                ):
                    other.ants += group.ants
                    group.ants = 0
                    break


def _carries(group: Group, percent: int) -> bool:
    """Return whether a group carries so much of what its ants can carry."""
    return group.food > 0 and 100 * group.food >= percent * worlds.LOAD * group.ants


def _rounds(ticks: int, left: int) -> int:
    """Return in how many rounds a group that is so far away can harvest, which takes a whole phase."""
    if not ticks and left == worlds.TICKS_OF_ANTS:
        return 0
    return 1 + max(0, -(-(ticks - left) // worlds.TICKS_OF_ANTS))
