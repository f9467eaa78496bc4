"""Creatures that nobody owns: earthworms and spiders (R58 to R72)."""

from __future__ import annotations

from tprules.api import Dice, Oid
from tprules.colony_battle.board import Layout, Square
from tprules.colony_battle.course import Course, about
from tprules.colony_battle.pieces import QUEEN
from tprules.colony_battle.world import LEFT, NOWHERE, RIGHT, Spider, Worm
from tprules.kit.bfs import found_from, path_to

# Earthworms.


def eat_segment(course: Course, segment: Oid) -> None:
    """Remove a segment from its worm; removing an inner one splits the worm (R62, R64)."""
    world = course.world
    oid = world.worm_of(segment)
    assert oid is not None, "only segments that are there are eaten"
    worm = world.worms[oid]
    place = worm.segments.index(segment)
    del world.occupied[worm.squares[place]]
    front, rear = slice(0, place), slice(None, place, -1)
    rear_segments, rear_squares = worm.segments[rear], worm.squares[rear]
    facing = worm.facing
    if place:
        worm.segments, worm.squares = worm.segments[front], worm.squares[front]
        if rear_segments:
            other = world.new_id()
            world.worms[other] = Worm(rear_segments, rear_squares, _facing_away(course, rear_squares, facing))
            body = f"An earthworm was split at {world.layout.name(rear_squares[-1])}."
            course.turn.report(None, "Worm split", body, about(oid, other))
    elif rear_segments:
        worm.segments, worm.squares = rear_segments[::-1], rear_squares[::-1]
    else:
        del world.worms[oid]


def _facing_away(course: Course, squares: list[Square], before: int) -> int:
    """Return the facing of a worm whose head is its old tail: away from its second segment, or, if these are not in
    the same row, the reverse of ``before`` (R64, R75)."""
    spot = course.world.layout.spot
    if len(squares) > 1:
        (_, head_x, head_y), (_, next_x, next_y) = spot(squares[0]), spot(squares[1])
        if head_y == next_y:
            return RIGHT if head_x > next_x else LEFT
    return 1 - before


def next_heads(layout: Layout, head: Square, facing: int) -> list[tuple[Square, int]]:
    """Return the squares to which a worm's head may crawl, the first choice first, each with the facing afterwards
    (R60, R65); whatever stands there is not considered."""
    board, x, y = layout.spot(head)
    step = 1 if facing == RIGHT else -1
    choices = (((board, x + step, y), facing), ((board, x, y + step), 1 - facing), ((board, x, y - step), 1 - facing))
    return [(layout.square(spot), after) for spot, after in choices if layout.holds(spot)]


def crawl(course: Course, oid: Oid) -> None:
    """Move a worm by one square; units on that square are crushed (R60, R61, R65, R66).  A worm that cannot move turns
    round in place (R75)."""
    world = course.world
    worm = world.worms[oid]
    for square, facing in next_heads(world.layout, worm.squares[0], worm.facing):
        if _can_crawl(course, square):
            worm.facing = facing
            _crawl_to(course, worm, square)
            return
    worm.segments.reverse()
    worm.squares.reverse()
    worm.facing = _facing_away(course, worm.squares, worm.facing)


def _can_crawl(course: Course, square: Square) -> bool:
    """Return whether there is neither a spider nor a worm on a square; the worm's own tail counts too (R76)."""
    world = course.world
    return square not in world.occupied or world.occupied[square] in world.units


def _crawl_to(course: Course, worm: Worm, square: Square) -> None:
    world = course.world
    if square in world.occupied:
        course.kill(world.occupied[square], "worm")
    del world.occupied[worm.squares[-1]]
    worm.squares = [square, *worm.squares[:-1]]
    world.occupied.update(zip(worm.squares, worm.segments, strict=True))
    course.settle()


# Spiders.


def react(course: Course, oid: Oid) -> None:
    """Move a spider towards the units caught in its web, the nearest first, as far as its steps suffice (R71)."""
    world = course.world
    spider = world.spiders[oid]
    left = world.settings.spider_speed
    while spider.weaves and not world.ended:
        path = _way_to_prey(course, oid, spider)
        if not path or not left:
            return
        _walk(course, oid, spider, path[:left])
        left = max(0, left - len(path))
        course.strike(oid)


def _way_to_prey(course: Course, oid: Oid, spider: Spider) -> list[Square] | None:
    """Return the shortest free path to a square beside a caught unit, or None if there is no such unit.

    Units that are beside the spider already are left out: it strikes after a walk, an arrival, or at the end of a round
    (R72).
    """
    world = course.world
    around = world.layout.around()
    prey = {
        unit.square: caught
        for caught, unit in world.units.items()
        if unit.caught
        and unit.square not in around[spider.square]
        and world.layout.within(spider.centre, unit.square, spider.radius)
        and not (unit.kind == QUEEN and (oid, caught) in world.bitten)
    }
    if not prey:
        return None
    before = found_from(spider.square, world.layout.lairs(), world.occupied)
    steps = {spider.square: 0}
    nearest: tuple[int, Oid] | None = None
    best = spider.square
    for place, last in before.items():
        if place != last:
            steps[place] = steps[last] + 1
        if nearest is not None and steps[place] > nearest[0]:
            break
        for near in around[place]:
            if near in prey and (nearest is None or (steps[place], prey[near]) < nearest):
                nearest, best = (steps[place], prey[near]), place
    return None if nearest is None else path_to(best, before)


def weave(course: Course, oid: Oid, dice: Dice) -> None:
    """Let a spider extend its web, or travel on to the place of the next one, and strike (R68, R69, R72)."""
    world = course.world
    spider = world.spiders[oid]
    if not spider.weaves:
        _travel(course, oid, spider, dice)
    elif spider.radius < world.settings.web_max:
        spider.radius += 1
    else:
        _leave_web(course, spider)
        _travel(course, oid, spider, dice)
    course.strike(oid)


def _leave_web(course: Course, spider: Spider) -> None:
    """Give up a web and free the units caught in it (R69)."""
    world = course.world
    if world.settings.web_persists:
        world.webs.append((spider.centre, spider.radius))
    spider.weaves, spider.goal = False, NOWHERE
    for unit in world.units.values():
        held = unit.caught and world.layout.within(spider.centre, unit.square, spider.radius)
        if held and not world.in_web(unit.square):
            unit.caught = False
    spider.radius = 0


def _travel(course: Course, oid: Oid, spider: Spider, dice: Dice) -> None:
    """Travel on to the goal and begin a web on arrival.  The goal is drawn if there is none or it cannot be reached."""
    world = course.world
    before = found_from(spider.square, world.layout.lairs(), world.occupied)
    if spider.goal not in before:
        goals = [place for place in before if _is_far(course, spider, place)]
        goals.sort(key=lambda place: world.layout.spot(place)[1:])
        spider.goal = dice.pick(goals) if goals else NOWHERE
    if spider.goal == NOWHERE:
        return
    _walk(course, oid, spider, path_to(spider.goal, before)[: world.settings.spider_speed])
    if spider.square == spider.goal:
        spider.centre, spider.radius, spider.weaves, spider.goal = spider.square, 0, True, NOWHERE


def _is_far(course: Course, spider: Spider, place: Square) -> bool:
    """Return whether a new web may begin here."""
    world = course.world
    is_near = world.layout.within(spider.centre, place, world.settings.spider_relocate - 1)
    return place != spider.square and not is_near and not world.layout.is_shaft(place)


def _walk(course: Course, oid: Oid, spider: Spider, path: list[Square]) -> None:
    if path:
        occupied = course.world.occupied
        del occupied[spider.square]
        spider.square = path[-1]
        occupied[spider.square] = oid
