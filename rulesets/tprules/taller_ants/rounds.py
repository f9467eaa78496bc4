"""The course of a game: setup, rounds, phases with their orders, the end.

RULES.md, sections 2, 4, 5 and 8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from tprules.api import (
    ELIMINATED,
    Dice,
    Oid,
    Order,
    OrderWords,
    Outcome,
    Param,
    Plan,
    Reference,
    RefKind,
    Seat,
    Turn,
    player,
)
from tprules.kit.compass import OFF
from tprules.kit.seats import final_table, places
from tprules.kit.unit_queues import Verdict, run_queues
from tprules.taller_ants import ants, goods, orders, spiders
from tprules.taller_ants import world as worlds
from tprules.taller_ants.board import Place
from tprules.taller_ants.goods import spider_dies, take_eggs, use, within
from tprules.taller_ants.orders import (
    A_SQUARE,
    ILLEGAL,
    SQUARE,
    Action,
    Command,
    Illegal,
    Scene,
    fungus_distances,
    refusal,
)
from tprules.taller_ants.views import SETUP_SLOTS
from tprules.taller_ants.world import SETUP, SPIDER_SEAT, Group, Queen, Spider, World

_TOUCHING = 1

MOST_PLANNED = 4
"""Maximum orders of one unit for which legal ones are offered.

The position in which later ones are executed is unknown.
"""

SPIDER_GOAL, COLONY_GOAL, LAST, VANISHED, ROUNDS, SEALED = "web", "colony", "last", "vanished", "rounds", "sealed"

_WHY = {
    SPIDER_GOAL: "the spider has covered the ground and cocooned the ants",
    COLONY_GOAL: "a colony has its food and its ants",
    LAST: "nobody else is left",
    VANISHED: "nobody is left",
    ROUNDS: "the last round has been played",
    SEALED: "all colonies have been shut in for too long",
}


# The orders of the phases, and the legal ones (RULES.md, section 4).


class _Setup(Command):
    params: ClassVar[Mapping[str, Param]] = {SQUARE: A_SQUARE}
    slots = SETUP_SLOTS
    full = "you have chosen already; remove that order first"
    illegal: ClassVar[str]
    """The key of ILLEGAL for a place that is not allowed."""

    def allows(self, world: World, seat: Seat, place: Place) -> bool:
        """Return whether the place may be chosen, as far as that is known before all players have chosen."""
        raise NotImplementedError

    def check(self, plan: Plan[World], order: Order) -> None:
        """Check the length of the queue and the place. Only the choices of others come before the execution."""
        super().check(plan, order)
        if not self.allows(plan.world, order.seat, plan.world.place_of(order.args[SQUARE])):
            raise refusal("place", ILLEGAL[self.illegal], SQUARE)


class PlaceSpider(_Setup):
    number = 0
    name = "Place Spider"
    words = OrderWords("Place spider", "Place the spider on {Square}", {SQUARE: "square"})
    help = "Choose where the first spider starts: on land, three squares or more from fungus, not on an ant hole"
    kinds = ("brood",)
    illegal = "bad start"

    def allows(self, world: World, seat: Seat, place: Place) -> bool:
        return world.start_allowed(place)

    def doubt(self, plan: Plan[World], order: Order) -> str:
        """Warn that all players choose at the same time, and that the holes are dug first (R1, R36)."""
        world, place = plan.world, plan.world.place_of(order.args[SQUARE])
        if any(world.hole_allowed(seat, place) for seat in range(1, world.seats)):
            return "a colony may choose its hole there, and then the spider starts elsewhere"
        return ""


class ChooseHole(_Setup):
    number = 1
    name = "Choose Hole"
    words = OrderWords("Choose hole", "Choose {Square} for the ant hole", {SQUARE: "square"})
    help = "Choose where your ant hole is: on soil or grass in your half (seat 1 has the south)"
    kinds = ("colony",)
    illegal = "bad hole"

    def allows(self, world: World, seat: Seat, place: Place) -> bool:
        return world.hole_allowed(seat, place)


SETUP_ORDERS: tuple[type[Command], ...] = (PlaceSpider, ChooseHole)
UNIT_ORDERS: tuple[type[Action[Any]], ...] = (
    orders.Move,
    orders.Wait,
    goods.Drop,
    goods.PickUp,
    spiders.Heal,
    spiders.Eat,
    spiders.FeedEgg,
    spiders.BuildWeb,
    spiders.SpanWeb,
    spiders.DestroyWeb,
    spiders.Cocoon,
    spiders.Wrap,
    spiders.Attack,
    spiders.LayEggs,
    spiders.Reaction,
    ants.Excavate,
    ants.CollectWeb,
    ants.Bridge,
    ants.Unbridge,
    ants.Harvest,
    ants.Ward,
    ants.GroupAttack,
    ants.RaiseQueen,
    ants.Stance,
    ants.Merge,
    ants.Split,
    ants.Lay,
    ants.FeedQueen,
)
ORDERS = SETUP_ORDERS + UNIT_ORDERS

ACTIONS: dict[str, Action[Any]] = {kind.name: kind() for kind in UNIT_ORDERS}

_ACTIONS_OF: dict[type, list[Action[Any]]] = {
    unit: [action for action in ACTIONS.values() if kind in action.kinds]
    for unit, kind in ((Spider, "spider"), (Group, "group"), (Queen, "queen"))
}


def legal_orders(plan: Plan[World]) -> Iterator[Order]:
    """Yield legal orders for ``plan.seat`` after ``plan.before``, in its own phase.

    Of many equal orders, some are left out.
    """
    world, seat = plan.world, plan.seat
    if world.ended:
        return
    if world.stage == SETUP:
        if not plan.before:
            name = PlaceSpider.name if seat == SPIDER_SEAT else ChooseHole.name
            for place in range(world.board.area):
                if world.start_allowed(place) if seat == SPIDER_SEAT else world.hole_allowed(seat, place):
                    yield Order(seat, world.home(seat) + 1, name, {SQUARE: world.system(place)})
        return
    if seat != world.active:
        return
    if world.offers is None:
        world.offers = [
            Order(seat, unit.id, action.name, args)
            for unit in world.own(seat)
            for action in _ACTIONS_OF[type(unit)]
            for args in action.legal(world, unit)
        ]
    planned = Counter(before.on for before in plan.before)
    full = {on for on, number in planned.items() if number >= MOST_PLANNED}
    for order in world.offers:
        if order.on not in full:
            yield order


# Setup: the holes, the first spider, and the start of every player (R1, R2, R35, R36).


def set_up(turn: Turn[World]) -> None:
    """Execute the setup orders, holes by seat and then the spider, and begin the first round."""
    scene = Scene(turn, turn.dice("act"))
    world, board = turn.world, turn.world.board
    given = {order.seat: order for order in turn.take_orders()}
    colonies, defaults = range(1, world.seats), world.default_places()
    for seat in colonies:
        hole = _chosen(scene, given.get(seat), partial(world.hole_allowed, seat), Illegal("bad hole"))
        world.colony(seat).hole = defaults[seat] if hole is None else hole
    start = _chosen(scene, given.get(SPIDER_SEAT), world.start_allowed, Illegal("bad start"))
    if start is None:
        start = board.nearest(defaults[SPIDER_SEAT], world.start_allowed)
    for seat in colonies:
        worlds.excavate(world, seat)
    for seat in colonies:
        worlds.settle(world, seat)
    settings = world.settings
    world.add(Spider(world.new_id(), start, settings.spider_hp, 0, settings.start_cocooned))
    for seat in colonies:
        _tell_place(scene, f"The ant hole of {player(seat)} is", world.colony(seat).hole)
    _tell_place(scene, "The spider starts", start)
    _begin_round(scene)


def _chosen(scene: Scene, order: Order | None, allowed: Callable[[Place], bool], otherwise: Illegal) -> Place | None:
    """Return the place that a setup order names, or None if there is no order or the place is not allowed."""
    if order is None:
        return None
    place = scene.world.place_of(order.args[SQUARE])
    if allowed(place):
        return place
    scene.failed(order, otherwise)
    return None


def _tell_place(scene: Scene, what: str, place: Place) -> None:
    scene.turn.report(None, "Setup", f"{what} at {scene.world.board.name_of(place)}.", [scene.world.system(place)])


# Rounds and phases (R65, R66, R75).


def _begin_round(scene: Scene) -> None:
    """Begin the next round and its first phase. At least one player must be alive."""
    world = scene.world
    world.round += 1
    grown = grow(world, scene.turn.dice("grow"))
    if grown:
        names = "; ".join(world.board.name_of(place) for place in grown)
        scene.turn.report(None, "Growth", f"The fungus has grown to {names}.", map(world.system, grown))
    world.opened = False
    _note_opened(world)
    _begin_phase(scene, world.phase_order(world.round))


def next_phase(scene: Scene) -> None:
    """Begin the next phase of a living player, in this round or the next, unless the game ends between the rounds."""
    world = scene.world
    order = world.phase_order(world.round)
    rest = order[order.index(world.active) + 1 :]
    if any(not world.is_out(seat) for seat in rest):
        _begin_phase(scene, rest)
        return
    world.sealed = 0 if world.opened else world.sealed + 1
    settings = world.settings
    if world.round >= settings.max_rounds:
        _end_by_score(scene, ROUNDS)
    elif settings.seal_rounds and world.sealed >= settings.seal_rounds:
        _end_by_score(scene, SEALED)
    else:
        _begin_round(scene)


def _note_opened(world: World) -> None:
    """Record if a living colony is not shut in at this moment (R75)."""
    if any(seat != SPIDER_SEAT and not world.shut_in(seat) for seat in world.living()):
        world.opened = True


def _begin_phase(scene: Scene, seats: list[Seat]) -> None:
    world = scene.world
    seat = next(seat for seat in seats if not world.is_out(seat))
    world.active, world.step = seat, 0
    world.stage = worlds.SPIDER if seat == SPIDER_SEAT else worlds.ANTS
    if seat == SPIDER_SEAT:
        _hatch_spiders(scene)
    else:
        _hatch_ants(scene, seat)
    for unit in world.own(seat):
        unit.ticks = unit.all_ticks
        if isinstance(unit, Spider):
            unit.attacked = unit.acted = unit.ended = False
        elif isinstance(unit, Group):
            unit.wards, unit.ended = 0, False
    world.newest = world.next_id


def _hatch_spiders(scene: Scene) -> None:
    """Hatch fed eggs: of clutches by id, then of their carriers (R16, R86)."""
    world = scene.world
    hatching: list[Place] = []
    for clutch in world.clutches():
        hatching += [clutch.place] * clutch.fed
        take_eggs(world, clutch, 0, clutch.fed)
    for spider in world.spiders():
        hatching += [spider.place] * spider.fed
        spider.fed = 0
    for place in hatching:
        world.add(Spider(world.new_id(), place, world.settings.spider_hp, 0))
        scene.tell([SPIDER_SEAT], "Hatched", f"A spider hatched at {world.board.name_of(place)}.", place)


def _hatch_ants(scene: Scene, seat: Seat) -> None:
    """Hatch ant eggs: on the ground by id, then carried ones. The last one waits while there is no queen (R65)."""
    world = scene.world
    # (own phases to wait, color, place, places with food for it, the function that removes it)
    eggs: list[tuple[int, int, Place, Sequence[Place], Callable[[], object]]] = []
    for egg in world.eggs(seat):
        egg.wait = max(0, egg.wait - 1)
        eggs.append((egg.wait, egg.colour, egg.place, world.board.near[egg.place], partial(world.goods.pop, egg.id)))
    for group in world.groups(seat):
        for row in group.eggs:
            row[1] = max(0, row[1] - 1)
            eggs.append((row[1], row[0], group.place, world.around(group), partial(group.eggs.remove, row)))
    if world.queen(seat) is None and world.groups(seat):
        del eggs[-1:]
    hatched = Counter[Place]()
    for wait, colour, place, near, remove in eggs:
        if not wait and _has_food_to_hatch(world, seat, near):
            remove()
            _hatch(world, seat, colour, place)
            hatched[place] += 1
    for place, number in hatched.items():
        what = "ant" if number == 1 else "ants"
        scene.tell([seat], "Hatched", f"{number} {what} hatched at {world.board.name_of(place)}.", place)


def _has_food_to_hatch(world: World, seat: Seat, near: Sequence[Place]) -> bool:
    """Use the food for one hatching (option ``ant_hatch_food``) and return True, or False if there is not enough."""
    needed = world.settings.ant_hatch_food
    if within(world, near, seat, "food") < needed:
        return False
    use(world, near, seat, "food", needed)
    return True


def _hatch(world: World, seat: Seat, colour: int, place: Place) -> None:
    """Add a hatched ant to the first group of its color with room at the place, or as a new group."""
    world.colony(seat).hatched += 1
    for group in world.groups(seat):
        if group.colour == colour and group.ants < worlds.MOST_ANTS and place in group.places:
            group.ants += 1
            return
    world.add(Group(world.new_id(), seat, colour, 1, place, worlds.TICKS_OF_ANTS))


# The growth of the fungus at the beginning of a round (R50, R61 to R63).


def grow(world: World, dice: Dice) -> list[Place]:
    """Let every fungus group grow by one square if it can, and return the new squares."""
    grown = []
    for fungus in world.fungi.values():
        fungus.exhausted = False
        place = _drawn(world, fungus.squares, lambda square: square not in world.webs, dice)
        if place is None:
            place = _drawn(world, fungus.squares, lambda square: square in world.webs, dice)
        if place is not None:
            world.webs.discard(place)
            fungus.squares = sorted([*fungus.squares, place])
            grown.append(place)
    return grown


def _drawn(world: World, squares: Sequence[Place], wanted: Callable[[Place], bool], dice: Dice) -> Place | None:
    """Draw one of the directions in which a wanted square is free, then one such square. None if there is none."""
    board = world.board
    taken = {square for fungus in world.fungi.values() for square in fungus.squares} | world.wards
    taken.update(colony.hole for colony in world.colonies)
    by_direction = []
    for direction in range(8):
        beside = {board.ways[square][direction] for square in squares} - taken
        free = sorted(way for way in beside if way != OFF and not board.water[way] and wanted(way))
        if free:
            by_direction.append(free)
    return dice.pick(dice.pick(by_direction)) if by_direction else None


# The stages of a turn.


def act(turn: Turn[World]) -> None:
    """Execute the queues of the active player's units, by id. Then decide whether the phase has another turn."""
    world = turn.world
    scene = Scene(turn, turn.dice("act"))

    def execute(oid: Oid, order: Order) -> Verdict:
        return _carry_out(scene, oid, order)

    acting = [unit.id for unit in world.own(world.active) if unit.id < world.newest]
    run_queues(acting, turn.queues, execute, world.units.__contains__)
    world.again = (
        world.step + 1 < world.settings.phase_steps
        and scene.executed > 0
        and any(unit.ticks > 0 for unit in world.own(world.active))
    )


def regroup(turn: Turn[World]) -> None:
    """Execute Merge and Split orders at the head of queues (R41)."""
    world = turn.world
    if world.again or world.active == SPIDER_SEAT:
        return
    scene = Scene(turn, turn.dice("regroup"))
    for unit in world.own(world.active):
        queue = turn.queues.get(unit.id, [])
        while queue and isinstance(ACTIONS[queue[0].type], ants.Regroup) and unit.id in world.units:
            order = queue.pop(0)
            action = ACTIONS[order.type]
            try:
                action.check_position(world, unit, order.args)
                action.execute(scene, unit, order.args)
            except Illegal as illegal:
                scene.failed(order, illegal)


def cull(turn: Turn[World]) -> None:
    """Remove spiders that touch fungus, or that have no hit points left after laying eggs (R15, R27)."""
    world = turn.world
    if world.again or world.active != SPIDER_SEAT:
        return
    scene = Scene(turn, turn.dice("cull"))
    distances = fungus_distances(world)
    for spider in world.spiders():
        if spider.hp < 1 or distances.get(spider.place, _TOUCHING + 1) <= _TOUCHING:
            spider_dies(scene, spider)


def go_on(turn: Turn[World]) -> None:
    """Begin the next turn of this phase, or the next phase. Remove orders of units that are gone."""
    world = turn.world
    if world.again:
        world.again = False
        world.step += 1
    elif not world.ended:
        next_phase(Scene(turn, turn.dice("next")))
    for oid in [oid for oid in turn.queues if oid not in world.units]:
        del turn.queues[oid]


def _carry_out(scene: Scene, oid: Oid, order: Order) -> Verdict:
    unit = scene.world.units[oid]
    if unit.ended:
        return Verdict.STOPS
    action = ACTIONS[order.type]
    try:
        verdict = action.do(scene, unit, order)
    except Illegal as illegal:
        scene.failed(order, illegal)
        return Verdict.DONE
    scene.pocket = None
    if verdict is not Verdict.STOPS:
        scene.executed += 1
        if isinstance(unit, Spider) and action.counts_as_done:
            unit.acted = True
    return verdict


# Eliminations, goals, and the end of the game (R3, R4, R38, R73 to R75).


def judge_phase(turn: Turn[World]) -> None:
    """Check for eliminations and victories at the end of a phase (R74).

    If nobody is left, the players eliminated in this phase share the first place (R82).
    """
    scene, world = Scene(turn, turn.dice("judge")), turn.world
    if world.again:
        return
    _note_opened(world)
    before = world.living()
    for seat in before:
        if _is_gone(world, seat):
            if seat == SPIDER_SEAT:
                world.spiders_out = True
            else:
                world.colony(seat).eliminated = True
            references = [ELIMINATED, Reference(RefKind.SEAT, seat)]
            scene.turn.report(None, "Eliminated", f"{player(seat)} is eliminated.", references)
    living = world.living()
    if not living:
        _end(scene, VANISHED, before)
    elif len(living) == 1:
        _end(scene, LAST, living)
    else:
        for seat in sorted(living, key=lambda seat: (seat != world.active, seat)):
            if all(have >= goal for have, goal in world.goals(seat)):
                _end(scene, SPIDER_GOAL if seat == SPIDER_SEAT else COLONY_GOAL, [seat])
                return


def _end_by_score(scene: Scene, why: str) -> None:
    """End the game. The highest score wins, and equal ones share the victory (R75)."""
    world = scene.world
    scores = {seat: world.score(seat) for seat in range(world.seats)}
    best = max(scores.values())
    _end(scene, why, [seat for seat, points in scores.items() if points == best])


def _end(scene: Scene, why: str, winners: list[Seat]) -> None:
    world = scene.world
    world.ended, world.winners = why, winners
    outcome = final_outcome(world)
    assert outcome is not None
    scene.turn.report(None, "GAME OVER!", final_table(outcome, _WHY[why]))


def final_outcome(world: World) -> Outcome | None:
    """Return places and the final table, or None while the game goes on."""
    if not world.ended:
        return None
    figures: dict[Seat, dict[str, int]] = {
        SPIDER_SEAT: {
            "Score": world.score(SPIDER_SEAT),
            "Webs": len(world.webs),
            "Cocooned": world.cocooned(),
            "Spiders": len(world.spiders()),
        }
    }
    for seat in range(1, world.seats):
        colony = world.colony(seat)
        figures[seat] = {
            "Score": world.score(seat),
            "Food": world.stored(seat),
            "Ants": world.ants(seat),
            "Hatched": colony.hatched,
            "Killed": colony.killed,
        }
    ranks = places({seat: (seat in world.winners, row["Score"]) for seat, row in figures.items()})
    if len(world.winners) > 1:
        ranks |= dict.fromkeys(world.winners, 1)
    return Outcome(ranks, world.ended, figures)


def _is_gone(world: World, seat: Seat) -> bool:
    """Return whether a player has lost everything and is eliminated (R4, R73)."""
    if seat == SPIDER_SEAT:
        return not world.spiders()
    return not world.own(seat) and not world.eggs(seat)
