"""Bots: programs that play a seat.

A bot is a function of the knowledge of its seat and of dice, and has no memory. So a host plays it in a seat without a
connection, and tests and training call the same function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from tprules.api.dice import Dice
from tprules.api.legal import legal_orders
from tprules.api.order_checks import State, apply, insertion
from tprules.api.orders import Order, Plan
from tprules.api.ruleset import Ruleset, find_phase
from tprules.api.turns import BotTurn
from tprules.api.types import Code, Refusal, Seat

W = TypeVar("W")

MOST_ORDERS = 1024
"""Maximum orders of a bot in one turn, accepted or refused. It stops a bot that goes on for ever."""


class _PlayedTurn(BotTurn[W]):
    """A turn in a copy of the state, without secrets of other seats. ``given`` are the accepted orders."""

    def __init__(self, rules: Ruleset[W], state: State[W], seat: Seat, dice: Dice) -> None:
        self.seat = seat
        self.dice = dice
        self.given: list[Order] = []
        own = {on: list(queue) for on, queue in state.queues.items() if queue and queue[0].seat == seat}
        known = rules.known(state.world, seat)
        self._rules = rules
        self._state = State(known, state.phase, state.turn, own, state.stamp, state.over)
        self._phase = find_phase(rules, state.phase)
        self._left = MOST_ORDERS
        self._ended = False

    @property
    def world(self) -> W:
        return self._state.world

    @property
    def phase(self) -> str:
        return self._state.phase

    @property
    def plan(self) -> Plan[W]:
        return self._state.plan(self.seat)

    def legal_orders(self) -> list[Order]:
        return list(legal_orders(self._rules, self._state, self.seat))

    def give(self, order: Order) -> Refusal | None:
        if self._ended:
            return Refusal("the order before it ends this turn", reason="ended")
        if not self._left:
            return Refusal(f"a bot gives at most {MOST_ORDERS} orders in a turn", reason="full")
        self._left -= 1
        try:
            change = insertion(self._rules, self._state, self.seat, order.on, order.type, order.args)
        except Refusal as refusal:
            return refusal
        if change.order.draft:
            return Refusal("a choice is missing", reason="draft", code=Code.FRAME)
        apply(self._state, change)
        self.given.append(change.order)
        runs = any(kind.name == order.type for kind in self._phase.orders)
        self._ended = self._phase.ends_after == "each" and runs
        return None


Bot: TypeAlias = Callable[[BotTurn[Any]], None]
"""Gives the orders of one turn with ``BotTurn.give``."""


def bot_orders(rules: Ruleset[W], state: State[W], seat: Seat, dice: Dice, bot: Bot | None = None) -> list[Order]:
    """Return the orders of a bot in this turn. ``state`` is not changed.

    ``bot`` None means ``rules.bot``, or ``random_bot`` if the ruleset has none of its own.
    """
    turn = _PlayedTurn(rules, state, seat, dice)
    if bot is not None:
        bot(turn)
    elif has_bot(rules):
        rules.bot(turn)
    else:
        random_bot(turn)
    return turn.given


def has_bot(rules: Ruleset[Any]) -> bool:
    """Return whether the ruleset has a bot of its own."""
    return type(rules).bot is not Ruleset.bot


def random_bot(turn: BotTurn[Any]) -> None:
    """Give random legal orders: first a type, then one of its orders. It stops if there is none, and at random."""
    while turn.dice.below(10) and give_any(turn):
        pass


def give_any(turn: BotTurn[Any]) -> bool:
    """Give a random legal order, first by type. Return whether there was one and it was accepted."""
    legal = turn.legal_orders()
    if not legal:
        return False
    kind = turn.dice.pick(sorted({order.type for order in legal}))
    return turn.give(turn.dice.pick([order for order in legal if order.type == kind])) is None
