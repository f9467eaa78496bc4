"""Setup: the holes, the first spider, and what every player starts with (R1, R2, R35, R36; RULES.md, section 2)."""

from __future__ import annotations

from tprules.api import Order, Reference, RefKind, Seat, Turn, player
from tprules.taller_ants.board import Board, Place
from tprules.taller_ants.refusals import Illegal
from tprules.taller_ants.rounds import begin_round
from tprules.taller_ants.scene import Scene
from tprules.taller_ants.units import BLACK, COLOURS, RED, SPIDER_SEAT, Group, Queen, Spider
from tprules.taller_ants.world import World

FOUR_GROUPS, TWO_GROUPS = "four_groups", "two_groups"
SQUARE = "Square"

_STORED_SQUARES, _STORED_FOOD = 6, 5
_GROUPS_OF_FOUR, _ANTS_OF_FOUR = (BLACK, BLACK, RED, RED), 5
_ANTS_OF_TWO, _FOOD_OF_TWO = 6, 15


def set_up(turn: Turn[World]) -> None:
    """Execute the setup orders, holes by seat and then the spider, and begin the first round."""
    scene = Scene(turn, turn.dice("act"))
    world = turn.world
    orders = {order.seat: order for order in turn.orders()}
    turn.queues.clear()
    for seat in range(1, world.seats):
        world.colony(seat).hole = _hole(scene, seat, orders.get(seat))
    start = _start(scene, orders.get(SPIDER_SEAT))
    for seat in range(1, world.seats):
        _dig(world, seat)
    for seat in range(1, world.seats):
        _settle(world, seat)
    settings = world.settings
    world.add(Spider(world.new_id(), start, settings.spider_hp, 0, settings.start_cocooned))
    for seat in range(1, world.seats):
        _tell_place(scene, f"The ant hole of {player(seat)} is", world.colony(seat).hole)
    _tell_place(scene, "The spider starts", start)
    begin_round(scene)


def hole_allowed(world: World, seat: Seat, place: Place) -> bool:
    """Return whether a seat may have its hole at a place (R36)."""
    return not world.board.below(place) and world.board.hole_allowed(place, seat)


def start_allowed(world: World, place: Place) -> bool:
    """Return whether the first spider may start at a place (R1)."""
    return not world.board.below(place) and world.board.spider_allowed(place) and not world.is_hole(place)


def _tell_place(scene: Scene, what: str, place: Place) -> None:
    reference = Reference(RefKind.OBJECT, scene.world.system(place))
    scene.turn.report(None, "Setup", f"{what} at {scene.world.name_of(place)}.", [reference])


def _chosen(scene: Scene, order: Order) -> Place:
    place = scene.world.place_of(order.args[SQUARE])
    assert place is not None, "only squares are accepted"
    return place


def _hole(scene: Scene, seat: Seat, order: Order | None) -> Place:
    if order is not None:
        place = _chosen(scene, order)
        if hole_allowed(scene.world, seat, place):
            return place
        scene.failed(order, Illegal("bad hole"))
    return scene.world.board.default_holes[seat - 1]


def _start(scene: Scene, order: Order | None) -> Place:
    world = scene.world
    if order is not None:
        place = _chosen(scene, order)
        if start_allowed(world, place):
            return place
        scene.failed(order, Illegal("bad start"))
    return world.board.nearest(world.board.default_spider, lambda place: start_allowed(world, place))


def _dig(world: World, seat: Seat) -> None:
    """Excavate the rectangle around a hole.  Squares in two rectangles belong to the lower seat, except for the hole of
    the other."""
    board = world.board
    x, y = board.coordinates(world.colony(seat).hole)
    columns, rows, left, top = (5, 4, 2, 1) if world.settings.ant_setup == FOUR_GROUPS else (3, 3, 1, 1)
    holes = {board.other_side(colony.hole): owner for owner, colony in enumerate(world.colonies, 1)}
    for place in _rectangle(board, x - left, y - top, columns, rows):
        world.dug[place] = holes.get(place, world.dug.get(place, seat))


def _rectangle(board: Board, x: int, y: int, columns: int, rows: int) -> list[Place]:
    """Return the places below ground in a rectangle, which is shifted if necessary to lie on the board."""
    x = min(max(x, 0), board.width - columns)
    y = min(max(y, 0), board.height - rows)
    return [board.other_side(board.at(column, row)) for row in range(y, y + rows) for column in range(x, x + columns)]


def _settle(world: World, seat: Seat) -> None:
    place = world.board.other_side(world.colony(seat).hole)
    if world.settings.ant_setup == FOUR_GROUPS:
        for colour in _GROUPS_OF_FOUR:
            world.add(Group(world.new_id(), seat, colour, _ANTS_OF_FOUR, place, 0))
        for own in sorted(own for own, owner in world.dug.items() if owner == seat)[:_STORED_SQUARES]:
            world.food[own] = _STORED_FOOD
    else:
        for colour in COLOURS:
            world.add(Group(world.new_id(), seat, colour, _ANTS_OF_TWO, place, 0, _FOOD_OF_TWO))
    world.add(Queen(world.new_id(), seat, place, world.settings.queen_hp, 0))
    world.colony(seat).hatched = world.ants(seat)
