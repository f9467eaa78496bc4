"""A bot (RULES.md, section 11).

It gives only orders that are carried out in the same phase, so it can decide again in the next one.

Spiders avoid fungus, cocoon units on webs and attack weak groups while they are healthy. They cover the ground with
webs, heal, and lay eggs when there is enough food for them. A colony uncovers its hole first. Then it carries food
home, digs room to store it and harvests fungus. Its queen eats and lays eggs.

A patch of fungus grows by a square in each round and cannot be harvested down to nothing. So it is good for one harvest
in every round, however small it is. Groups take turns at the patches. Each goes to the patch where its turn comes
first, and stays at home if there is none for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tprules.api import BotTurn, Oid, Order, Turn, copy_world
from tprules.kit.single_choice import choosing
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import ants, orders, rounds, spiders
from tprules.taller_ants import world as worlds
from tprules.taller_ants.board import FUNGUS_DISTANCE, Place
from tprules.taller_ants.goods import CAPTIVES, COCOONED, EGGS, FOOD, GOODS, Drop, PickUp, free_storage, within
from tprules.taller_ants.orders import ANY_COST, Action, Illegal, Move, Scene, fungus_distances, move, within_reach
from tprules.taller_ants.world import SPIDER_SEAT, TICKS, Fungus, Group, Queen, Spider, Unit, World

# Spiders.
LAY_FROM_HP, FEWEST_FOR_EGGS, ENOUGH_SPIDERS = 14, 6, 4
WEB_FROM_HP = 5
OFF_WAY = 6
"""Ticks by which a square off the ways of ants counts as farther away."""
DETOUR = 1
"""Maximum detour of a way that ants may use, in squares."""
HUNTING_GROUND = 14
"""Maximum ticks of the way to a group for an attack."""
MOST_FED = 5

# Colonies.
QUEEN_EATS_BELOW = 6
MOST_EATEN, MOST_LAID = 10, 5
ENOUGH_ANTS, SPARE_ANTS = 54, 4
ENOUGH_STORAGE, SPARE_STORAGE = 110, 10
"""The wanted storage of food: the first number, or the goal plus the second one if that is more."""
DICE_OF_TWO_ANTS = 7
"""Average harvest of two ants."""
SQUARES_A_HARVEST = 3
"""Average squares of fungus that a harvest of five ants removes."""
DANGER = {1: 4, 2: 6}
"""Number of colonies -> squares around a spider that groups avoid. In a race each loss costs the game."""
LOOTED = 6
"""Maximum squares from the hole to spider eggs that groups fetch."""
GUARD = 2
"""Minimum of groups above ground."""
PATIENCE = 3
"""Rounds that a group waits for its turn at a patch."""
FULL, HALF = 80, 40
"""Percent of its capacity with which a group goes home: always, or if it arrives at once."""


def bot(turn: BotTurn[World]) -> None:
    """Choose a hole in the setup. In the seat's own phase, give orders to all units that have none."""
    if turn.phase == worlds.SETUP:
        if turn.seat != SPIDER_SEAT and not turn.plan.before:
            _choose_hole(turn)
    elif turn.world.active == turn.seat:
        player = _Spiders(turn) if turn.seat == SPIDER_SEAT else _Colony(turn)
        player.act()


def _choose_hole(turn: BotTurn[World]) -> None:
    """Choose one of the places that touch the most fungus, or one square less.

    Spiders cannot come near enough to cover such a hole.
    """
    world = turn.world
    fungus = {square for group in world.board.fungi for square in group}
    touched = {
        place: len(fungus.intersection(world.board.near[place]))
        for place in range(world.board.area)
        if world.hole_allowed(turn.seat, place)
    }
    most = max(touched.values())
    place = turn.dice.pick([place for place, squares in touched.items() if squares >= max(1, most - 1)] or [*touched])
    args = {orders.SQUARE: world.system(place)}
    turn.give(Order(turn.seat, world.home(turn.seat) + 1, rounds.ChooseHole.name, args))


class _Rehearsal:
    """A turn of the bot, and a copy of the world in which it executes its orders as it gives them."""

    def __init__(self, turn: BotTurn[World]) -> None:
        self.turn = turn
        self.seat = turn.seat
        self.world = copy_world(turn.world)
        self.board = self.world.board
        self.scene = Scene(Turn(self.world, 0, turn.phase, {}, b""), turn.dice)
        busy = {order.on for order in turn.plan.before}
        self.free = [unit for unit in self.world.own(turn.seat) if unit.id not in busy and not unit.ended]
        """The units that can take orders."""

    def give(self, unit: Unit, kind: type[Action[Any]], args: Mapping[str, Any]) -> bool:
        """Execute and give an order, unless it is illegal or the unit cannot pay. Return whether it was given."""
        try:
            verdict = kind().do(self.scene, unit, self._order(unit, kind, args))
        except Illegal:
            return False
        return verdict is not Verdict.STOPS and self.give_only(unit, kind, args)

    def give_only(self, unit: Unit, kind: type[Action[Any]], args: Mapping[str, Any]) -> bool:
        """Give an order whose result is not known yet, and return whether it was accepted."""
        return self.turn.give(self._order(unit, kind, args)) is None

    def go(self, unit: Unit, goal: Place) -> bool:
        """Move a unit towards a reachable place, as far as its ticks last. Return whether it has arrived."""
        start = unit.place
        move(self.scene, unit, goal)
        if unit.place != start:
            self.give_only(unit, Move, {orders.SQUARE: self.world.system(unit.place)})
        return unit.place == goal

    def stop(self, group: Group, goal: Place) -> Place:
        """Return the place of a group after ``go``."""
        sent = replace(group)
        move(self.scene, sent, goal)
        return sent.place

    def _order(self, unit: Unit, kind: type[Action[Any]], args: Mapping[str, Any]) -> Order:
        return Order(self.turn.seat, unit.id, kind.name, args)


class _Spiders(_Rehearsal):
    """The orders of all spiders for one phase."""

    def __init__(self, turn: BotTurn[World]) -> None:
        super().__init__(turn)
        self.webs_needed = self.world.goals(SPIDER_SEAT)[0][1]
        self.ways = self._ants_ways()
        self.bare = {place for place in range(self.board.area) if _web_allowed(self.world, place)}
        """Squares on which a web may be built."""

    def act(self) -> None:
        for unit in self.free:
            if isinstance(unit, Spider):
                self._act(unit)

    def _act(self, spider: Spider) -> None:
        dangers = fungus_distances(self.world)
        if spider.place in dangers:
            reach = within_reach(self.world, spider, spider.ticks)
            self.go(spider, max(reach, key=lambda place: dangers.get(place, FUNGUS_DISTANCE)))
        elif self._wants_eggs(spider) and spider.hp >= LAY_FROM_HP and self.give(spider, spiders.LayEggs, {}):
            return
        self._feed(spider)
        while self._catch(spider):
            pass
        self._hunt(spider)
        if spider.captives:
            self.give(spider, spiders.Wrap, {orders.NUMBER: len(spider.captives)})
        self._spin(spider, LAY_FROM_HP + 1 if self._wants_eggs(spider) else WEB_FROM_HP)
        if spider.hp < self.world.settings.spider_hp:
            self.give(spider, spiders.Heal, {spiders.POINTS: worlds.TICKS_OF_SPIDER // TICKS})

    def _ants_ways(self) -> set[Place]:
        """Return the squares on the ways of ants from their holes to the fungus, with a detour of at most DETOUR."""
        world, distance = self.world, self.board.distance
        found: set[Place] = set()
        for colony in world.colonies:
            for fungus in world.fungi.values():
                end = min(fungus.squares, key=lambda square: distance(square, colony.hole))
                length = distance(colony.hole, end)
                found.update(
                    square
                    for square in range(self.board.area)
                    if distance(colony.hole, square) + distance(square, end) <= length + DETOUR
                )
        return found

    def _enemies(self) -> list[Group]:
        return [
            unit for unit in self.world.units.values() if isinstance(unit, Group) and not self.board.below(unit.place)
        ]

    def _wants_eggs(self, spider: Spider) -> bool:
        """Return whether this spider should lay eggs as soon as it can."""
        alive = self.world.spiders()
        has_eggs = self.world.clutches() or any(one.eggs + one.fed for one in alive)
        return not has_eggs and len(alive) < ENOUGH_SPIDERS and spider.cocooned > FEWEST_FOR_EGGS

    def _feed(self, spider: Spider) -> None:
        """Feed touching eggs: first with captives, then with cocooned ants above the reserve."""
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

    def _catch(self, spider: Spider) -> bool:
        """Go to ants on webs within reach, most of them first, and cocoon them. Return whether it did."""
        world = self.world
        caught = [group for group in self._enemies() if all(place in world.webs for place in group.places)]
        if not caught:
            return False
        reach = within_reach(world, spider, spider.ticks)
        for group in sorted(caught, key=lambda group: (-group.ants, group.id)):
            place = next((place for place in reach if world.touches(group, place)), None)
            if place is None:
                continue
            size = spiders.LARGE if 2 < group.ants <= spiders.LARGE_MOST else spiders.SMALL
            args = {orders.GROUP: group.id, orders.NUMBER: min(2, group.ants), spiders.SIZE: choosing(size)}
            hp, ticks = spiders.COCOON_COSTS[size]
            if spider.hp > hp and spider.ticks - reach[place] >= ticks and self.go(spider, place):
                return self.give(spider, spiders.Cocoon, args)
        return False

    def _hunt(self, spider: Spider) -> None:
        """Go to the weakest group nearby, and attack it if the spider would survive a defeat."""
        world = self.world
        reach = within_reach(world, spider, min(HUNTING_GROUND, spider.ticks))
        prey = [
            (group.strength, reach[place], group.id, place)
            for group in self._enemies()
            if spider.hp > group.strength
            for place in world.around(group)
            if place in reach
        ]
        if not prey or spider.attacked:
            return
        *_, target, place = min(prey)
        self.go(spider, place)
        choice = worlds.TAKE if world.cocooned() < world.settings.cocoon_goal else worlds.KILL
        args = {orders.TARGET: target, orders.CHOICE: choosing(choice), spiders.LIMIT: 0}
        if self.give_only(spider, spiders.Attack, args):
            spider.hp -= 1
            spider.attacked = True

    def _spin(self, spider: Spider, least: int) -> None:
        """Build webs while the spider has ``least`` hit points: here, then around, then at the nearest bare place.

        Squares on the ways of ants come first. Once there are enough webs, no other squares count.
        """
        world, board = self.world, self.board
        while spider.hp >= least and spider.ticks >= TICKS:
            wanted = self.bare if len(world.webs) < self.webs_needed else self.bare & self.ways
            best = min(
                wanted.intersection(board.near[spider.place]), key=lambda one: (one not in self.ways, one), default=None
            )
            if best is not None:
                if not self.give(spider, spiders.BuildWeb, {orders.SQUARE: world.system(best)}):
                    return
                self.bare.discard(best)
                continue
            reach = within_reach(world, spider, spider.ticks)
            goals = [place for place in reach if not wanted.isdisjoint(board.near[place])]
            if not goals:
                reach = within_reach(world, spider, ANY_COST)
                goals = [place for place in reach if not wanted.isdisjoint(board.near[place])]
            if not goals:
                return
            self.go(spider, min(goals, key=lambda place: reach[place] + (0 if place in self.ways else OFF_WAY)))


def _web_allowed(world: World, place: Place) -> bool:
    try:
        spiders.check_web(world, place)
    except Illegal:
        return False
    return True


@dataclass
class _Patch:
    """Fungus, and the turns to harvest it."""

    fungus: Fungus
    turns: int
    """Number of groups that can harvest it in this round."""
    taken: list[int]
    """The rounds in which groups will harvest it. This round is 0."""

    def turn_from(self, first: int) -> int:
        """Return the first round from ``first`` on in which it can be harvested. Each round adds one harvest."""
        rounds = first
        while sum(taken <= rounds for taken in self.taken) >= self.turns + rounds:
            rounds += 1
        return rounds


_Way: TypeAlias = tuple[int, Place, _Patch]
"""The rounds until a group can harvest a patch, the place where it would stand, and the patch."""


class _Colony(_Rehearsal):
    """The orders of a colony for one phase."""

    def __init__(self, turn: BotTurn[World]) -> None:
        super().__init__(turn)
        self.groups = [unit for unit in self.free if isinstance(unit, Group)]
        self.danger = DANGER[len(self.world.colonies)]
        self.done: set[Oid] = set()
        """Groups whose task takes the rest of their phase."""

    def act(self) -> None:
        """Give orders to the queen and to all groups that have none."""
        for unit in self.free:
            if isinstance(unit, Queen):
                self._reign(unit)
        self._uncover()
        self._loot()
        for group in self._free():
            self._dig(group)
        for group in self._free():
            if _carries(group, HALF):
                self._store(group, at_once=not _carries(group, FULL))
        self._share_patches()
        self._keep_exit()
        self._join()

    def _free(self) -> list[Group]:
        return [group for group in self.groups if group.id not in self.done]

    # The queen.

    def _reign(self, queen: Queen) -> None:
        """Let the queen lay eggs while the colony is small. If she is too weak, she eats first."""
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
        """If the hole is covered, send the nearest group above to it. Groups without a way there attack spiders."""
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

    def _loot(self) -> None:
        """Fetch spider eggs near the hole. Each is worth 5 food, and no spider hatches from it."""
        world, board = self.world, self.board
        hole = world.colony(self.seat).hole
        for clutch in [one for one in world.clutches() if board.distance(one.place, hole) <= LOOTED]:
            for group in self._free():
                reach = within_reach(world, group, group.ticks) if group.room >= worlds.LOAD else {}
                place = next((one for one in reach if one in board.near[clutch.place]), None)
                if clutch.id in world.goods and place is not None and self.go(group, place):
                    goods = [[EGGS, group.room // worlds.LOAD]]
                    self.give(group, PickUp, {orders.SQUARE: world.system(clutch.place), GOODS: goods})

    def _keep_exit(self) -> None:
        """Build a ward beside the hole if a spider could come near enough to cover it."""
        world, board = self.world, self.board
        hole = world.colony(self.seat).hole
        dangers = fungus_distances(world)
        if all(place in dangers for place in board.near[hole] if board.open_to_spiders[place]):
            return
        spots = sorted(
            board.beside[hole], key=lambda place: (dangers.get(place, FUNGUS_DISTANCE), -place), reverse=True
        )
        for group in self.groups:
            if group.food >= ants.WARD_FOOD and not board.below(group.place):
                for spot in spots:
                    if world.touches(group, spot) and self.give(group, ants.Ward, {orders.SQUARE: world.system(spot)}):
                        return
        below = board.other_side(hole)
        for group in self._free():
            if group.place != below or hole not in within_reach(world, group, group.ticks):
                continue
            if group.food < ants.WARD_FOOD:
                food = next((place for place in board.near[below] if world.food.get(place)), None)
                if food is None or not self.give(
                    group, PickUp, {orders.SQUARE: world.system(food), GOODS: [[FOOD, ants.WARD_FOOD]]}
                ):
                    continue
            if self.go(group, hole):
                for spot in spots:
                    if self.give(group, ants.Ward, {orders.SQUARE: world.system(spot)}):
                        return

    def _dig(self, group: Group) -> None:
        """Dig while there is too little room for food.

        Groups below dig where the most can be dug, and continue there.
        """
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
        """Take food to the nearest place below with room for it. With ``at_once``, only if it is within reach."""
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
        """Return the amount of food that can be dropped at a place of the colony."""
        own = (one for one in self.board.near[place] if self.world.dug.get(one) == self.seat)
        return sum(free_storage(self.world, one) for one in own)

    # The fungus.

    def _patches(self) -> list[_Patch]:
        """Return all fungus. Rivals there that move before this colony in the next round take the first turn."""
        order = self.world.phase_order(self.world.round + 1)
        before_us = [group for seat in order[1 : order.index(self.seat)] for group in self.world.groups(seat)]
        rivals = [group for group in before_us if group.room >= worlds.LOAD]
        patches = []
        for fungus in self.world.fungi.values():
            turns = 0 if fungus.exhausted else max(1, -(-(len(fungus.squares) - 1) // SQUARES_A_HARVEST))
            there = sum(any(self.world.touches(group, square) for square in fungus.squares) for group in rivals)
            patches.append(_Patch(fungus, turns, [1] * there))
        return patches

    def _share_patches(self) -> None:
        """Give each group with free capacity its turn at a patch. The first to arrive chooses first."""
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
        """Return the way to each reachable patch, up to the nearest place that touches it."""
        ways: list[_Way] = []
        for patch in patches:
            beside = {place for square in patch.fungus.squares for place in self.board.near[square]}
            place = next((one for one in reach if one in beside), None)
            if place is not None:
                ways.append((_rounds(reach[place], group.ticks), place, patch))
        return ways

    def _is_in_danger_outside(self, group: Group, goal: Place) -> bool:
        """Return whether a group below would stop beside the next way of a spider.

        Groups that touch fungus are safe. While too few groups are above, the danger does not count, because nobody can
        uncover the hole from below.
        """
        above = sum(not self.board.below(one.place) for one in self.groups)
        if above < GUARD or not self.board.below(group.place):
            return False
        stop = self.stop(group, goal)
        if self.board.below(stop) or fungus_distances(self.world).get(stop, FUNGUS_DISTANCE) <= 1:
            return False
        return any(self.board.distance(stop, spider.place) <= self.danger for spider in self.world.spiders())

    def _harvest(self, group: Group, fungus: Fungus) -> None:
        """Harvest, and remove the squares that will probably go, so that the next group does not choose them."""
        squares = sorted(fungus.squares, key=lambda one: (self.board.distance(one, group.place), one))
        if self.give_only(group, ants.Harvest, {orders.SQUARE: self.world.system(squares[0])}):
            taken = min(group.room, DICE_OF_TWO_ANTS * group.ants // 2)
            gone = taken // worlds.LOAD
            fungus.squares = sorted(squares[min(gone, len(squares) - 1) :])
            group.food += taken

    def _join(self) -> None:
        """Join groups of one color that will be in one place, if one group has room for all."""
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
    """Return whether a group carries this percentage of its capacity."""
    return group.food > 0 and 100 * group.food >= percent * worlds.LOAD * group.ants


def _rounds(ticks: int, left: int) -> int:
    """Return the rounds until a group at this distance can harvest, which takes a whole phase."""
    if not ticks and left == worlds.TICKS_OF_ANTS:
        return 0
    return 1 + max(0, -(-(ticks - left) // worlds.TICKS_OF_ANTS))
