"""Queue for slow questions about the rules, fair among accounts.

One question is answered at a time, with the accounts in rotation. After it, none is answered for twice as long as it
took. So all questions together take at most a third of the server's time. A request of another kind waits for one
question at most. Accounts with constant questions share a twentieth of the server's time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import TypeVar

from twisted.internet.defer import Deferred

from tpserver.concurrency import Timer, Timers
from tpserver.rules.call_limits import CHECK_SECONDS

T = TypeVar("T")

REST = 2
"""Seconds of rest for each second of a question."""

SHARE = 0.05
"""The part of the server's time for all accounts with constant questions together."""

BURST_SECONDS, BURST_SHARE = 0.25, 0.01
"""Seconds of questions after which an account counts as constantly asking, and the seconds forgiven each second."""

MOST_ACCOUNTS = 1000
"""Number of accounts with recent questions above which accounts without a wait are dropped."""


class Questions:
    """Answers one question at a time.

    ``clock`` returns seconds from any starting point.
    """

    def __init__(self, timers: Timers, clock: Callable[[], float]) -> None:
        self._timers = timers
        self._clock = clock
        self._waiting: dict[Hashable, deque[Deferred[None]]] = {}  # in the order in which payers are served
        self.paid: dict[Hashable, float] = {}  # by payer: the time when all its questions are forgiven
        self._next = 0.0  # the earliest time of the next question of a constantly asking payer
        self._is_busy = False  # it answers a question, or rests after it
        self._timer: Timer | None = None

    async def answer(self, payer: Hashable, work: Callable[[], T]) -> T:
        """Return the result of ``work`` at the turn of its ``payer``; raises its errors."""
        if self._is_busy or self._begins(payer) > self._clock():
            turn: Deferred[None] = Deferred()
            self._waiting.setdefault(payer, deque()).append(turn)
            if not self._is_busy:
                self._go_on()
            await turn
        self._is_busy = True
        begun = self._clock()
        try:
            return work()
        finally:
            took = min(self._clock() - begun, CHECK_SECONDS)  # the process may have been suspended meanwhile
            if took > 0:
                if self._asks_much(payer, begun):
                    self._next = begun + took / SHARE
                self._pay(payer, took, begun)
                self._call(REST * took)
            else:
                self._is_busy = False
                self._go_on()

    def _begins(self, payer: Hashable) -> float:
        """Return the earliest time for the next question of a payer."""
        return self._next if self._asks_much(payer, self._clock()) else 0.0

    def _asks_much(self, payer: Hashable, now: float) -> bool:
        return self.paid.get(payer, 0.0) - BURST_SECONDS / BURST_SHARE > now

    def _pay(self, payer: Hashable, seconds: float, now: float) -> None:
        if len(self.paid) >= MOST_ACCOUNTS:
            self.paid = {other: until for other, until in self.paid.items() if until > now}
        until = max(self.paid.get(payer, now), now) + seconds / BURST_SHARE
        self.paid[payer] = min(until, now + 2 * BURST_SECONDS / BURST_SHARE)

    def _call(self, seconds: float) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = self._timers.callLater(seconds, self._rested)

    def _rested(self) -> None:
        self._is_busy = False
        self._go_on()

    def _go_on(self) -> None:
        """Answer the question of the next payer that need not wait. If all must wait, set a timer."""
        now = self._clock()
        payer = next((payer for payer in self._waiting if self._begins(payer) <= now), None)
        if payer is None:
            if self._waiting:
                self._call(max(0.001, min(map(self._begins, self._waiting)) - now))
            return
        turns = self._waiting.pop(payer)
        turn = turns.popleft()
        if turns:
            self._waiting[payer] = turns
        self._is_busy = True
        turn.callback(None)
