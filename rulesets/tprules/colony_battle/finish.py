"""After a main phase: placing items, the next player's turn, the end of rounds and of the game (RULES.md, sections 5
and 8)."""

from __future__ import annotations

from tprules.api import Oid, Outcome, Turn, player
from tprules.colony_battle.board import SITES, Square
from tprules.colony_battle.course import Course, about
from tprules.colony_battle.creatures import crawl, weave
from tprules.colony_battle.orders import WHERE, PlaceItem, placed_item
from tprules.colony_battle.pieces import ANTLION, SPAWNED, STATS
from tprules.colony_battle.world import NOBODY, World

_SITE_NAMES = ("The entrance to the tunnels", "The entrance to the lowest board", "The burrow throne")

_WHY = {
    "throne": "a queen has taken the burrow throne",
    "queen": "a queen is dead",
    "queens": "both queens are dead",
    "rounds": "the last round has been played",
}


def hand_on(turn: Turn[World]) -> None:
    """End a main phase: the seat places its items next, if it has any, else the turn passes on."""
    world = turn.world
    if not world.ended and world.placeable(world.seat):
        world.placing = True
        kinds = ", ".join(STATS[world.items[oid].kind].name for oid in world.hand(world.seat))
        turn.report(world.seat, "Place your item", f"You have in hand: {kinds}.", about(*world.hand(world.seat)))
        return
    _pass_on(turn)


def place_items(turn: Turn[World]) -> None:
    """Execute the orders to place items, place the other items by default, and pass the turn on."""
    world = turn.world
    course = Course(turn)
    for order in turn.orders():
        if order.type != PlaceItem.name or not course.is_waiting(order) or world.ended:
            continue
        oid, square = placed_item(order), world.square_of(order.args[WHERE])
        if square is None or not _may_go(world, oid, square):
            course.fail(order, "the item cannot be put there any more")
            continue
        kind = world.items[oid].kind
        course.complete(order, f"{STATS[kind].name} is at {world.layout.name(square)}")
        _place(course, oid, square)
    for oid in world.hand(world.seat):
        default = None if world.ended else world.default_place(world.seat, world.items[oid].kind)
        if default is not None:
            _place(course, oid, default)
    world.placing = False
    _pass_on(turn)


def _may_go(world: World, oid: Oid, square: Square) -> bool:
    item = world.items.get(oid)
    if item is None or item.hand != world.seat:
        return False
    if item.kind == ANTLION:
        return world.takes_antlion(square)
    return world.takes_termite(world.seat, square) and world.is_free(square)


def _place(course: Course, oid: Oid, square: Square) -> None:
    world = course.world
    kind = world.items.pop(oid).kind
    world.placed += 1
    course.greet(world.add_unit(kind, world.seat, square))
    course.check_queens()


def _pass_on(turn: Turn[World]) -> None:
    """Begin the turn of the next player; after the second player, end the round first."""
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
            turn.report(None, "Excavation opened", body, about(world.site_object(site)))
            turn.event("excavation opened", site=site)


def final_outcome(world: World) -> Outcome | None:
    """Return who won, or None while the game goes on (RULES.md, section 8)."""
    if not world.ended:
        return None
    places = {seat: 1 if world.winner in (NOBODY, seat) else 2 for seat in range(len(world.colonies))}
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
    result = "It is a draw." if world.winner == NOBODY else f"{player(world.winner)} wins!"
    turn.report(None, "Game over", f"The game is over: {_WHY[world.ended]}. {result}")
    turn.event("game over", winner=world.winner, why=world.ended, round=world.round)
