"""The main phase, placing items, and the end of rounds and of the game.

RULES.md, sections 5 and 8.
"""

from __future__ import annotations

from collections.abc import Container

from tprules.api import ORDER_INVALID, Oid, Order, Outcome, Turn, player
from tprules.colony_battle import orders as order_types
from tprules.colony_battle import world as worlds
from tprules.colony_battle.board import SITES, Square
from tprules.colony_battle.movement import Course, Walk, crawl, eat_segment, reachable, react, way, weave
from tprules.colony_battle.orders import (
    COMMANDS,
    Attack,
    Convert,
    Drop,
    Move,
    NoOp,
    PickUp,
    PlaceItem,
    Spawn,
    placed_item,
    spawned_kind,
    too_many,
)
from tprules.colony_battle.world import SPAWNED, STATS, Colony, World

# --- The main phase of one player

_AS_QUEEN = (Move.name, NoOp.name)
"""The orders that a queen executes in sequence. Her brood is independent of them (RULES.md, section 4)."""


def play_main(turn: Turn[World]) -> None:
    """Execute the orders of the active seat, in stages. The game may end in any of them."""
    _Main(turn).run()


class _Main:
    """One main phase."""

    def __init__(self, turn: Turn[World]) -> None:
        self.course = Course(turn)
        self.turn = turn
        self.world = turn.world
        self.seat = turn.world.seat
        self.colony: Colony = turn.world.colonies[self.seat]
        self.is_locked = False

    def run(self) -> None:
        waiting = self._ready(NoOp.name)
        for stage in (
            self._lock_brood,
            self._move,
            self._let_spiders_react,
            self._pick_up_and_drop,
            self._deliver,
            self._convert,
            self._attack,
            self._spawn,
        ):
            stage()
            self.course.check_queens()
            if self.world.ended:
                return
        self._count_waiting(waiting)

    # Which orders are due.

    def _front(self, oid: Oid) -> Order | None:
        """Return the order that a unit executes next, or None."""
        queue = self.turn.queues.get(oid)
        if not queue:
            return None
        if oid == self.colony.queen:
            return next((order for order in queue if order.type in _AS_QUEEN), None)
        return queue[0]

    def _ready(self, *types: str) -> list[Order]:
        """Return the next orders of these types for the seat's units, by stamp: one for each unit (R77)."""
        units = [oid for oid, unit in self.world.units.items() if unit.owner == self.seat and oid in self.turn.queues]
        fronts = (self._front(oid) for oid in units)
        return sorted((one for one in fronts if one is not None and one.type in types), key=lambda one: one.stamp)

    def _brood_orders(self) -> list[Order]:
        """Return the Spawn orders on the queen and on her home planet, by stamp."""
        queues = (self.turn.queues.get(on, ()) for on in (self.colony.queen, self.colony.home + 1))
        found = [order for queue in queues for order in queue if order.type == Spawn.name]
        return sorted(found, key=lambda order: order.stamp)

    # Stage 1: brood lock.

    def _lock_brood(self) -> None:
        colony, orders = self.colony, self._brood_orders()
        if colony.brood != worlds.NO_KIND and self._running(orders) is None:
            colony.brood, colony.brood_left = worlds.NO_KIND, 0
        if colony.brood == worlds.NO_KIND and orders:
            kind = spawned_kind(orders[0])
            if self.world.settings.brood[kind]:
                if self.world.has_room(self.seat, kind):
                    colony.brood, colony.brood_left = kind, self.world.settings.brood[kind]
                else:
                    self._spawn_fails(orders[0], too_many(kind))
        self.is_locked = colony.locked

    def _running(self, orders: list[Order]) -> Order | None:
        """Return the order of the running brood: the first order for its kind.

        If there are two orders for the same kind, it makes no difference which one is removed.
        """
        return next((order for order in orders if spawned_kind(order) == self.colony.brood), None)

    def _spawn_fails(self, order: Order, why: str) -> None:
        self.course.remove(order)
        self.turn.report(self.seat, "Spawn failed", f"{order.type}: {why}.", [ORDER_INVALID, order.on], by=self.seat)

    # Stage 2: move.

    def _move(self) -> None:
        moved = 0
        for order in self._ready(Move.name):
            if moved == self.world.settings.move_cap or self.world.ended:
                return
            if order.on in self.world.units and not (order.on == self.colony.queen and self.is_locked):
                moved += self._walk(order.on)

    def _walk(self, oid: Oid) -> bool:
        """Move one unit along its Move orders, and return whether it left its square."""
        course, world = self.course, self.world
        unit, walk = world.units[oid], Walk(course, oid)
        within_reach: Container[Square] | None = None
        while (order := self._front(oid)) is not None and order.type == Move.name:
            goal = world.square_of(order.args[order_types.DESTINATION])
            assert goal is not None, "only squares are accepted as destinations"
            place = world.layout.name(goal)
            if unit.square != goal:
                if not walk.may_step():
                    break
                # Many orders without a way must be fast: nothing moves between them, so one search is enough.
                squares = way(world, unit, goal) if within_reach is None or goal in within_reach else None
                if squares is None:
                    course.fail(order, f"there is no free way to {place}")
                    within_reach = within_reach or reachable(world, unit)
                    continue
                walk.follow(squares)
                within_reach = None
            if oid not in world.units or unit.square != goal:
                break
            course.complete(order, f"{STATS[unit.kind].name} is at {place}")
        return walk.steps > 0

    # Stage 3: spiders.

    def _let_spiders_react(self) -> None:
        for oid in sorted(self.world.spiders):
            react(self.course, oid)

    # Stages 4 and 5: items.

    def _pick_up_and_drop(self) -> None:
        course, world = self.course, self.world
        for order in self._ready(PickUp.name, Drop.name):
            if self._fails(order):
                continue
            unit = world.units[order.on]
            place = world.layout.name(unit.square)
            if order.type == PickUp.name:
                oid: Oid = order.args[order_types.ITEM]
                item = world.items[oid]
                item.square, item.carrier, unit.item = worlds.NOWHERE, order.on, oid
                course.remove(order)
                body = f"Your worker at {place} carries an item."
                self.turn.report(self.seat, "Item picked up", body, [order.on, oid], by=self.seat)
            else:
                item = world.items[unit.item]
                item.carrier, item.square = 0, unit.square
                unit.item = 0
                course.complete(order, f"the item lies at {place}")

    def _fails(self, order: Order) -> bool:
        """Return whether an order cannot be executed. If so, remove it and report the reason to its player."""
        why = COMMANDS[order.type].against(self.world, order)
        if why:
            self.course.fail(order, why)
        return bool(why)

    def _deliver(self) -> None:
        world = self.world
        queen = world.queen(self.seat)
        if queen is None:
            return
        beside = world.beside(queen.square)
        for _, unit in sorted(world.units.items()):
            if unit.owner == self.seat and unit.item and unit.square in beside:
                item = world.items[unit.item]
                item.carrier, item.hand = 0, self.seat
                name = STATS[item.kind].name
                self.turn.report(None, "Item activated", f"The item is: {name}.", [unit.item], by=self.seat)
                self.turn.event("item activated", seat=self.seat, kind=STATS[item.kind].kind)
                unit.item = 0

    # Stage 6: convert.

    def _convert(self) -> None:
        for order in self._ready(Convert.name):
            if self.course.is_waiting(order):
                self._convert_one(order)

    def _convert_one(self, order: Order) -> None:
        if self._fails(order):
            return
        world = self.world
        oid: Oid = order.args[order_types.TARGET]
        target = world.units[oid]
        young = world.units.pop(order.on)
        del world.occupied[young.square]
        self.turn.queues.pop(order.on, None)
        self.turn.queues.pop(oid, None)
        target.owner = self.seat
        place = world.layout.name(target.square)
        body = f"The {STATS[target.kind].name} at {place} changes sides; a young queen is sacrificed."
        self.turn.report(None, "Unit converted", body, [oid], by=self.seat)
        self.turn.event("unit converted", seat=self.seat, kind=STATS[target.kind].kind, place=place)

    # Stage 7: attack.

    def _attack(self) -> None:
        for order in self._ready(Attack.name):
            if self.world.ended:
                return
            if self.course.is_waiting(order):
                self._attack_one(order)

    def _attack_one(self, order: Order) -> None:
        if self._fails(order):
            return
        course, world = self.course, self.world
        oid: Oid = order.args[order_types.TARGET]
        if world.worm_of(oid) is not None:
            course.complete(order, "the segment is eaten")
            eat_segment(course, oid)
            return
        target = world.units[oid]
        course.complete(order, f"{STATS[target.kind].name} at {world.layout.name(target.square)} is hurt")
        target.hit_points -= 1
        if target.kind == worlds.QUEEN:
            course.tell_queen(oid, target, "Queen hit")
        else:
            world.units[order.on].hit_points -= 1
        course.kill_dead((order.on, oid), "battle")
        course.settle()

    # Stage 8: spawn.

    def _spawn(self) -> None:
        colony, orders = self.colony, self._brood_orders()
        if colony.brood != worlds.NO_KIND:
            order = self._running(orders)
            assert order is not None, "stage 1 has ended broods without an order"
            colony.brood_left = max(0, colony.brood_left - 1)
            square = self._place_for(order)
            if colony.brood_left or square is None or not self.world.has_room(self.seat, colony.brood):
                return
            kind, colony.brood = colony.brood, worlds.NO_KIND
            self.course.remove(order)
            self.course.spawned(self.seat, kind, square)
        elif orders and not self.world.settings.brood[spawned_kind(orders[0])]:
            self._spawn_at_once(orders[0])

    def _spawn_at_once(self, order: Order) -> None:
        kind, square = spawned_kind(order), self._place_for(order)
        why = COMMANDS[Spawn.name].against(self.world, order)
        if why:
            self._spawn_fails(order, why)
            return
        assert square is not None, "against() asks for a free square"
        self.course.remove(order)
        self.course.spawned(self.seat, kind, square)

    def _place_for(self, order: Order) -> Square | None:
        """Return the square of the order if it is possible, else the first free one beside the queen (R34)."""
        queen = self.world.queen(self.seat)
        assert queen is not None, "the game is over without a queen"
        free = [square for square in self.world.beside(queen.square) if self.world.is_free(square)]
        wanted = self.world.square_of(order.args[order_types.WHERE])
        return wanted if wanted in free else free[0] if free else None

    # Last: waiting.

    def _count_waiting(self, waiting: list[Order]) -> None:
        """Count this turn for the units that have waited during all of it (R78)."""
        for order in waiting:
            if not self.course.is_waiting(order):
                continue
            if order.args[order_types.DURATION] > 1:
                queue = self.turn.queues[order.on]
                queue[queue.index(order)] = order._replace(
                    args={order_types.DURATION: order.args[order_types.DURATION] - 1}
                )
            else:
                self.course.complete(order, "the unit has waited", called=NoOp.words.name)


# --- After a main phase: placing items, the next player's turn, the end of rounds and of the game

_SITE_NAMES = ("The entrance to the tunnels", "The entrance to the lowest board", "The burrow throne")

_WHY = {
    "throne": "a queen has taken the burrow throne",
    "queen": "a queen is dead",
    "queens": "both queens are dead",
    "rounds": "the last round has been played",
}


def hand_on(turn: Turn[World]) -> None:
    """End a main phase. If the seat has items, it places them next; otherwise the turn passes on."""
    world = turn.world
    if not world.ended and world.placeable(world.seat):
        world.placing = True
        kinds = ", ".join(STATS[world.items[oid].kind].name for oid in world.hand(world.seat))
        turn.report(world.seat, "Place your item", f"You have in hand: {kinds}.", world.hand(world.seat))
        return
    _pass_on(turn)


def place_items(turn: Turn[World]) -> None:
    """Execute the orders to place items, place the other items by default, and pass the turn on."""
    world = turn.world
    course = Course(turn)
    for order in turn.orders():
        if order.type != PlaceItem.name or not course.is_waiting(order) or world.ended:
            continue
        oid, square = placed_item(order), world.square_of(order.args[order_types.WHERE])
        kind = world.items[oid].kind if oid in world.hand(world.seat) else None
        if square is None or kind is None or square not in world.places_for(world.seat, kind):
            course.fail(order, "the item can no longer be placed there")
            continue
        course.complete(order, f"{STATS[kind].name} is at {world.layout.name(square)}")
        _place(course, oid, square)
    for oid in world.hand(world.seat):
        default = None if world.ended else world.default_place(world.seat, world.items[oid].kind)
        if default is not None:
            _place(course, oid, default)
    world.placing = False
    _pass_on(turn)


def _place(course: Course, oid: Oid, square: Square) -> None:
    world = course.world
    kind = world.items.pop(oid).kind
    world.placed += 1
    course.greet(world.add_unit(kind, world.seat, square))
    course.check_queens()


def _pass_on(turn: Turn[World]) -> None:
    """Begin the turn of the next player. After the second player, end the round first."""
    world = turn.world
    world.bitten.clear()
    if not world.ended and world.seat != world.first:
        _end_round(turn)
        world.bitten.clear()
    if world.ended:
        _tell_end(turn)
        return
    world.seat = 1 - world.seat
    turn.report(world.seat, "Your turn", f"Round {world.round}: it is your turn.")


def _end_round(turn: Turn[World]) -> None:
    """Handle digging, worms, spiders, trails and the round limit, in this order (RULES.md, section 5)."""
    world = turn.world
    course = Course(turn)
    for site in SITES:
        _dig(turn, site)
    for oid in sorted(world.worms):
        if not world.ended:
            crawl(course, oid)
    dice = turn.dice("spiders")
    for oid in sorted(world.spiders):
        if not world.ended:
            weave(course, oid, dice)
    course.check_queens()
    if world.ended:
        return
    life = world.settings.trail_life
    if life:
        for colony in world.colonies:
            colony.trail = {square: age + 1 for square, age in colony.trail.items() if age + 1 < life}
    if world.round == world.settings.max_rounds:
        world.ended = "rounds"
    else:
        world.round += 1


def _dig(turn: Turn[World], site: int) -> None:
    """Count a round for a site that has a worker beside it (R49 to R52)."""
    world = turn.world
    if world.left[site] and world.digging(world.layout.sites[site]):
        world.left[site] -= 1
        if not world.left[site]:
            place = world.layout.name(world.layout.sites[site])
            body = f"{_SITE_NAMES[site]} at {place} is open."
            turn.report(None, "Excavation opened", body, [world.site_object(site)])
            turn.event("excavation opened", site=site)


def final_outcome(world: World) -> Outcome | None:
    """Return the winner, or None while the game goes on (RULES.md, section 8)."""
    if not world.ended:
        return None
    places = {seat: 1 if world.winner in (worlds.NOBODY, seat) else 2 for seat in range(len(world.colonies))}
    figures = {}
    for seat in places:
        queen = world.queen(seat)
        figures[seat] = {
            "Queen's hit points": queen.hit_points if queen else 0,
            **{f"{STATS[kind].name}s": world.alive(seat, kind) for kind in SPAWNED},
        }
    return Outcome(places, world.ended, figures)


def _tell_end(turn: Turn[World]) -> None:
    world = turn.world
    result = "It is a draw." if world.winner == worlds.NOBODY else f"{player(world.winner)} wins!"
    turn.report(None, "Game over", f"The game is over: {_WHY[world.ended]}. {result}")
    turn.event("game over", winner=world.winner, why=world.ended, round=world.round)
