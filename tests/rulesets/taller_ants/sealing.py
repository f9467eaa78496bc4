"""A spider bot that webs the only ant hole as soon as it can.

Then it plays as the shipped bot. It starts on the allowed place nearest to the default hole of its colony.
"""

from __future__ import annotations

from tprules.api import BotTurn, Order
from tprules.taller_ants import RULESET
from tprules.taller_ants.orders import SQUARE, Move, within_reach
from tprules.taller_ants.rounds import PlaceSpider
from tprules.taller_ants.spiders import BuildWeb
from tprules.taller_ants.world import SETUP, SPIDER_SEAT, TICKS, World


def sealing_bot(turn: BotTurn[World]) -> None:
    """Place the spider beside the default hole, and web the holes before anything else."""
    world = turn.world
    if turn.phase == SETUP:
        hole = world.default_places()[1]
        start = world.board.nearest(hole, lambda place: place != hole and world.start_allowed(place))
        turn.give(Order(SPIDER_SEAT, world.home(SPIDER_SEAT) + 1, PlaceSpider.name, {SQUARE: world.system(start)}))
        return
    for spider in world.spiders():
        for hole in (colony.hole for colony in world.colonies if colony.hole not in world.webs):
            if spider.hp < 2 or world.ants_at(hole):
                continue
            reach = within_reach(world, spider, spider.ticks - TICKS)
            place = next((one for one in reach if one in world.board.near[hole]), None)
            if place is not None:
                if place != spider.place:
                    turn.give(Order(SPIDER_SEAT, spider.id, Move.name, {SQUARE: world.system(place)}))
                turn.give(Order(SPIDER_SEAT, spider.id, BuildWeb.name, {SQUARE: world.system(hole)}))
                break
    RULESET.bot(turn)
