"""What the bot's colony does: it uncovers its hole first, carries food home, digs room to store it, harvests fungus,
and has its queen eat and lay.

A patch of fungus grows by a square a round and cannot be harvested down to nothing, so it is good for one harvest in
every round however small it is.  Groups therefore take turns at the patches: each is sent where its turn comes first,
and stays at home while there is none for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tprules.api import Oid
from tprules.kit.compass import OFF
from tprules.kit.single_choice import choosing
from tprules.taller_ants.actions import BLACK_EGGS, DIRECTIONS_DUG, GOODS, GROUP, NUMBER, RED_EGGS, SQUARE, TARGET, WITH
from tprules.taller_ants.ant_orders import CollectWeb, Excavate, FeedQueen, GroupAttack, Harvest, Lay, Merge
from tprules.taller_ants.ants import BODY, FOOD, free_storage
from tprules.taller_ants.board import Place
from tprules.taller_ants.goods import food_within
from tprules.taller_ants.orders import Drop
from tprules.taller_ants.paths import ANY_COST, fungus_distances, within_reach
from tprules.taller_ants.world import LOAD, MOST_ANTS, TICKS, TICKS_OF_ANTS, Fungus, Group, Queen

if TYPE_CHECKING:
    from tprules.taller_ants.bot import Rehearsal

QUEEN_EATS_BELOW = 6
MOST_EATEN, MOST_LAID = 10, 5
ENOUGH_ANTS, SPARE_ANTS = 54, 4
ENOUGH_STORAGE, SPARE_STORAGE = 110, 10
"""So much, or so much more than the goal if that is higher."""
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


@dataclass
class Patch:
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


Way: TypeAlias = tuple[int, Place, Patch]
"""In how many rounds a group can harvest a patch, and the place where it would stand."""


class Colony:
    """The orders of a colony for one phase."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        self.rehearsal, self.world, self.seat = rehearsal, rehearsal.world, rehearsal.turn.seat
        self.board = self.world.board
        self.groups = [unit for unit in rehearsal.free if isinstance(unit, Group)]
        self.done: set[Oid] = set()
        """Groups that have something to do that takes the rest of their phase."""

    def act(self) -> None:
        """Give orders to the queen and to all groups that have none."""
        for unit in self.rehearsal.free:
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
        ants, goal = world.ants(self.seat), world.settings.ants_goal
        eggs = len(world.eggs(self.seat)) + sum(len(group.eggs) for group in world.groups(self.seat))
        enough = max(ENOUGH_ANTS, goal + SPARE_ANTS if ants < goal else 0)
        wanted = min(MOST_LAID, enough - ants - eggs)
        if wanted <= 0:
            return
        if queen.hp < QUEEN_EATS_BELOW and queen.hp <= wanted:
            reach = within_reach(world, queen, queen.ticks)
            meal = next((place for place in reach if food_within(world, board.near[place], self.seat)), queen.place)
            self.rehearsal.go(queen, meal)
        wanted = min(wanted, queen.ticks // TICKS)
        eaten = min(MOST_EATEN, wanted + 1 - queen.hp)
        if eaten > 0:
            self.rehearsal.give(queen, FeedQueen, {NUMBER: eaten})
        laid = min(wanted, queen.hp - 1)
        if laid > 0:
            self.rehearsal.give(queen, Lay, {RED_EGGS: 0, BLACK_EGGS: laid, WITH: choosing(BODY)})

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
            if group.place == hole and group.ticks == TICKS_OF_ANTS:
                self.rehearsal.give_only(group, CollectWeb, {})
            else:
                self.rehearsal.go(group, hole)
            return
        for group in above:
            spider = next((one for one in world.spiders() if world.touches(group, one.place)), None)
            if spider is not None:
                self.done.add(group.id)
                self.rehearsal.give_only(group, GroupAttack, {TARGET: spider.id})

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
        dirt = {place: self._dirt(place)[:most] for place in reach if self.board.below(place)}
        place = max(dirt, key=lambda one: len(dirt[one]))
        if dirt[place] and self.rehearsal.go(group, place):
            self.rehearsal.give(group, Excavate, {DIRECTIONS_DUG: [[direction, 1] for direction in dirt[place]]})

    def _dirt(self, place: Place) -> list[int]:
        """Return the directions in which there is dirt."""
        ways = enumerate(self.board.ways[place])
        return [direction for direction, way in ways if way != OFF and way not in self.world.dug]

    def _store(self, group: Group, at_once: bool) -> None:
        """Take food to the nearest place below that has room for it; with ``at_once`` only if it is in reach."""
        reach = within_reach(self.world, group, ANY_COST)
        rooms = {place: min(group.food, self._room(place)) for place in reach if self.world.dug.get(place) == self.seat}
        places = [(-room, reach[place], place) for place, room in rooms.items() if room]
        _, ticks, place = min(places, default=(0, 0, group.place))
        if not places or (at_once and ticks > group.ticks):
            return
        if self.rehearsal.go(group, place):
            self.rehearsal.give(group, Drop, {GOODS: [[FOOD, group.food]]})
        else:
            self.done.add(group.id)

    def _room(self, place: Place) -> int:
        """Return how much food can be dropped at a place of the colony."""
        own = (one for one in self.board.near[place] if self.world.dug.get(one) == self.seat)
        return sum(free_storage(self.world, one) for one in own)

    # The fungus.

    def _patches(self) -> list[Patch]:
        """Return all fungus; rivals who stand there and move before us in the next round are before us."""
        before_us = [group for seat in range(1, self.seat) for group in self.world.groups(seat)]
        rivals = [group for group in before_us if group.room >= LOAD]
        patches = []
        for fungus in self.world.fungi.values():
            turns = 0 if fungus.exhausted else max(1, -(-(len(fungus.squares) - 1) // SQUARES_A_HARVEST))
            there = sum(any(self.world.touches(group, square) for square in fungus.squares) for group in rivals)
            patches.append(Patch(fungus, turns, [1] * there))
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
                if self.rehearsal.go(group, place) and turn == 0:
                    self._harvest(group, patch.fungus)

    def _ways(self, group: Group, reach: dict[Place, int], patches: list[Patch]) -> list[Way]:
        """Return the way to each patch that can be reached, to the nearest place that touches it."""
        ways: list[Way] = []
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
        stop = self.rehearsal.stop(group, goal)
        if self.board.below(stop) or fungus_distances(self.world).get(stop, FAR) <= 1:
            return False
        return any(self.board.distance(stop, spider.place) <= FAR for spider in self.world.spiders())

    def _harvest(self, group: Group, fungus: Fungus) -> None:
        """Harvest, and take away what will most likely go, so that the next group does not name that square."""
        squares = sorted(fungus.squares, key=lambda one: (self.board.distance(one, group.place), one))
        if self.rehearsal.give_only(group, Harvest, {SQUARE: self.world.system(squares[0])}):
            gone = min(group.room, DICE_OF_TWO_ANTS * group.ants // 2) // LOAD
            fungus.squares = sorted(squares[min(gone, len(squares) - 1) :])

    def _join(self) -> None:
        """Join groups of one colour that will be in one place, as far as they have room for all."""
        for group in self.groups:
            for other in self.groups:
                if (
                    other.id < group.id
                    and (other.place, other.colour) == (group.place, group.colour)
                    and 0 < other.ants <= MOST_ANTS - group.ants
                    and self.rehearsal.give_only(group, Merge, {GROUP: other.id, NUMBER: group.ants})
                ):
                    other.ants += group.ants
                    group.ants = 0
                    break


def _carries(group: Group, percent: int) -> bool:
    """Return whether a group carries so much of what its ants can carry."""
    return group.food > 0 and 100 * group.food >= percent * LOAD * group.ants


def _rounds(ticks: int, left: int) -> int:
    """Return in how many rounds a group that is so far away can harvest, which takes a whole phase."""
    if not ticks and left == TICKS_OF_ANTS:
        return 0
    return 1 + max(0, -(-(ticks - left) // TICKS_OF_ANTS))
