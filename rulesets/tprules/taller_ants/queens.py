"""The actions of queens, except moves (R54 to R56)."""

from __future__ import annotations

from tprules.kit.unit_queues import Verdict
from tprules.taller_ants.goods import food_within, lay_ant_egg, use_food, use_web_points, web_points_within
from tprules.taller_ants.refusals import Illegal
from tprules.taller_ants.scene import Scene
from tprules.taller_ants.units import BLACK, RED, TICKS, Queen

BODY, WEB_POINT = 1, 2
"""From what eggs are made: hit points of the queen's body, or web points."""


def lay(scene: Scene, queen: Queen, red: int, black: int, source: int) -> tuple[Verdict, str]:
    """Lay as many of the wanted eggs as possible, black ones first.

    Returns the verdict, and why fewer were laid if hit points or web points ran out.
    """
    world = scene.world
    wanted = red + black
    if source == BODY:
        possible = min(wanted, queen.hp - 1)
        if wanted and possible < 1:
            raise Illegal("hp")
        laid = min(possible, queen.ticks // TICKS)
        if wanted and not laid:
            return Verdict.STOPS, ""
        queen.hp -= laid
        queen.ticks -= TICKS * laid
        short = "hp" if possible < wanted and laid == possible else ""
    else:
        around = world.around(queen)
        laid = min(wanted, web_points_within(world, around, queen.seat))
        if wanted and not laid:
            raise Illegal("no web point")
        use_web_points(world, around, queen.seat, laid)
        short = "no web point" if laid < wanted else ""
    for number in range(laid):
        colour = BLACK if number < black else RED
        lay_ant_egg(world, queen.seat, queen.place, colour, world.settings.ant_hatch_delay)
    return Verdict.DONE, short and f"{laid} of {wanted} eggs were laid ({short})"


def feed(scene: Scene, queen: Queen, number: int) -> Verdict:
    """Feed the queen with as much food as is wanted, available and needed (R56)."""
    world = scene.world
    around = world.around(queen)
    available = food_within(world, around, queen.seat)
    if not available:
        raise Illegal("no food")
    eaten = min(number, available, world.settings.queen_hp - queen.hp)
    if eaten < 1:
        raise Illegal("full")
    use_food(world, around, queen.seat, eaten)
    queen.hp += eaten
    return Verdict.DONE
