"""A bot (RULES.md, section 11).  It gives orders that are carried out in the same phase, so that in the next one it can
think everything over again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tprules.api import BotTurn, Order, Turn, copy_world
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import bot_colony, bot_spider
from tprules.taller_ants.actions import SQUARE, Action, Illegal, Scene
from tprules.taller_ants.board import Place
from tprules.taller_ants.orders import ACTIONS, Move
from tprules.taller_ants.paths import move
from tprules.taller_ants.world import SETUP, Group, Queen, Spider, Unit, World


def bot(turn: BotTurn[World]) -> None:
    """Give orders to all units that have none, in the seat's own phase; in the setup none: the default places are
    good."""
    if turn.phase == SETUP or turn.world.active != turn.seat:
        return
    rehearsal = Rehearsal(turn)
    for unit in rehearsal.free:
        if isinstance(unit, Spider):
            bot_spider.act(rehearsal, unit)
    bot_colony.Colony(rehearsal).act()


class Rehearsal:
    """A turn of the bot, and a copy of the world in which its orders are carried out as it gives them."""

    def __init__(self, turn: BotTurn[World]) -> None:
        self.turn = turn
        self.world = copy_world(turn.world)
        self.scene = Scene(Turn(self.world, 0, turn.phase, {}, b""), turn.dice)
        busy = {order.on for order in turn.plan.before}
        self.free = [
            unit
            for unit in self.world.own(turn.seat)
            if unit.id not in busy and (isinstance(unit, Queen) or not unit.ended)
        ]
        """The units that can get orders."""

    def give(self, unit: Unit, kind: type[Action], args: Mapping[str, Any]) -> bool:
        """Carry an order out and give it, unless it is illegal or the unit cannot pay; return whether it was given."""
        try:
            verdict = ACTIONS[kind.name].do(self.scene, unit, self._order(unit, kind, args))
        except Illegal:
            return False
        return verdict is not Verdict.STOPS and self.give_only(unit, kind, args)

    def give_only(self, unit: Unit, kind: type[Action], args: Mapping[str, Any]) -> bool:
        """Give an order whose result is not known yet, and return whether it was accepted."""
        return self.turn.give(self._order(unit, kind, args)) is None

    def go(self, unit: Unit, goal: Place) -> bool:
        """Let a unit go towards a place that it can reach, as far as its ticks last; return whether it is there."""
        start = unit.place
        move(self.scene, unit, goal)
        if unit.place != start:
            self.give_only(unit, Move, {SQUARE: self.world.system(unit.place)})
        return unit.place == goal

    def stop(self, group: Group, goal: Place) -> Place:
        """Return the place where a group would be after ``go``."""
        sent = replace(group)
        move(self.scene, sent, goal)
        return sent.place

    def _order(self, unit: Unit, kind: type[Action], args: Mapping[str, Any]) -> Order:
        return Order(self.turn.seat, unit.id, kind.name, args)
