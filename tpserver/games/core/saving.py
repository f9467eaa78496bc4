"""Saving of one game's changes, and the wait until they are durable."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from twisted.internet.defer import Deferred, fail
from twisted.python.failure import Failure

from tpserver.store import GameStore, Transaction
from tpserver.store.errors import StoreError, not_saved
from tpserver.store.games.journal import JournalEntry

P = ParamSpec("P")
T = TypeVar("T")


class NotSaved(Exception):
    """A change could not be made durable.

    It is not acknowledged, and the game continues from the stored state. ``is_unknown``: the change may be in the
    store.
    """

    def __init__(self, text: str, *, is_unknown: bool = False) -> None:
        super().__init__(text)
        self.is_unknown = is_unknown

    @property
    def for_clients(self) -> str:
        """The error as a sentence for the player who requested the change."""
        return not_saved(self.is_unknown)


class _NothingSaved:
    """The store of a stale game.

    Its state was not saved, so nothing may be saved on top of it. The database may work again before the game is loaded
    again.
    """

    pending = 0

    def write(self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        return fail(NotSaved("the game is being read from the store again"))

    def append(self, entry: JournalEntry) -> Deferred[None]:
        return fail(NotSaved("the game is being read from the store again"))


NOTHING_SAVED: GameStore = _NothingSaved()


class Saving:
    """Changes of one game on their way to the store. Used on the reactor's thread only."""

    __slots__ = ("_durable", "_given", "_waiters", "stale", "store")

    def __init__(self) -> None:
        self.store: GameStore | None = None
        """Destination of the changes; None for a read-only game."""
        self.stale = False
        """True after a failure to save. Then another object replaces the game."""
        self._given = 0
        self._durable = 0
        self._waiters: deque[tuple[int, Deferred[None]]] = deque()

    def append(self, entry: JournalEntry) -> Deferred[None]:
        """Save a journal entry, as ``save`` does."""
        return self._tracked(self._open().append(entry))

    def save(self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        """Save a change that the game shows already; ``when_durable`` waits for it.

        If that fails, the game is stale. All its waiters fail with NotSaved first, then the result fails.
        """
        return self._tracked(self._open().write(unit, *args, **kwargs))

    def write(self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        """Save a change of stored data that is not in memory. No response waits for it."""
        return self._open().write(unit, *args, **kwargs)

    def keeps_up(self, most: int) -> bool:
        """Return whether at most ``most`` changes, of all games, are waiting to be saved."""
        return self._open().pending <= most

    def all_saved(self) -> bool:
        """Return whether the store holds everything that the game shows."""
        return self._durable == self._given and not self.stale

    def when_durable(self) -> Deferred[None] | None:
        """Return None if the store holds everything that the game shows, else a Deferred that fires when it does.

        No response about the game may be sent before. The Deferred fails with NotSaved if saving fails.
        """
        if self.stale:
            return fail(NotSaved("the game is being read from the store again"))
        if self._durable == self._given and not self._waiters:
            return None
        # It follows the present waiters, even those about to fire. The responses of a turn leave before the
        # notification of the next one.
        waiter: Deferred[None] = Deferred()
        self._waiters.append((self._given, waiter))
        return waiter

    def after_saving(self, call: Callable[[], None]) -> None:
        """Call ``call`` when the store holds everything that the game shows; never call it if saving fails."""
        waiting = self.when_durable()
        if waiting is None:
            call()
        else:
            waiting.addCallbacks(lambda _: call(), lambda _: None)

    def _open(self) -> GameStore:
        if self.store is None:
            raise RuntimeError("this game is only looked at and cannot be changed")
        return NOTHING_SAVED if self.stale else self.store

    def _tracked(self, saved: Deferred[T]) -> Deferred[T]:
        self._given += 1
        return saved.addCallbacks(self._saved, self._not_saved, callbackArgs=(self._given,), errbackArgs=(self._given,))

    def _saved(self, result: T, number: int) -> T:
        self._durable = max(self._durable, number)
        while self._waiters and self._waiters[0][0] <= self._durable:
            self._waiters.popleft()[1].callback(None)
        return result

    def _not_saved(self, failure: Failure, number: int) -> Failure:
        self.stale = True
        # If this change was not even tried, earlier ones are still on their way and may be saved.
        failed = [waiter for upto, waiter in self._waiters if upto >= number]
        self._waiters = deque(one for one in self._waiters if one[0] < number)
        is_unknown = isinstance(failure.value, StoreError) and failure.value.is_unknown
        for waiter in failed:
            waiter.errback(NotSaved(str(failure.value), is_unknown=is_unknown))
        return failure
