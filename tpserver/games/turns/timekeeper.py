"""Valid deadlines of games, after shifts of the wall clock and downtime.

Deadlines are times of the wall clock. If that is set, they move with it. If the clock of a turn could not run for a
while, its deadline moves by that time. Until a new deadline is saved, the stored one does not hold. A game may be read
from the store at any time. So this module knows each reason why a stored deadline is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from tpserver.cluster.node import Node
from tpserver.concurrency import Timers
from tpserver.games.core.game import Game
from tpserver.games.terms.clock import known_clock
from tpserver.store import Store
from tpserver.store.games import nodes
from tpserver.store.games import rows as stored_games
from tpserver.store.games.changes import move as move_games
from tpserver.store.games.rows import GameRow

RETRY_SECONDS = 10.0
"""Seconds after a failure to save until the deadlines of hibernated games are saved again."""
LEAST_LOST = 60.0
"""Minimum seconds of a stopped clock that are given back."""
MOVED_AT_ONCE = 200
"""Maximum games in a transaction that moves deadlines after a change of the wall clock."""


@dataclass(frozen=True, slots=True)
class HoldingRow:
    """The row of a game as it holds, and as it is ``stored``.

    ``lost`` are the seconds for which the clock of the turn could not run, negative if the wall clock was set back.
    """

    stored: GameRow
    row: GameRow
    lost: float = 0.0

    @property
    def is_saved(self) -> bool:
        """True if the stored deadline holds."""
        return not self.lost and self.row.due == self.stored.due


class Timekeeper:
    """Keeps the deadlines that the store does not have yet. Used on the reactor's thread.

    ``games`` are the games in memory. ``rows`` returns the rows of all games, with their present values for those that
    are hibernated. In a cluster (``node``) only the deadlines of games in memory move.
    """

    def __init__(
        self,
        store: Store,
        timers: Timers,
        now: Callable[[], float],
        games: Mapping[int, Game],
        rows: Callable[[], MutableMapping[int, GameRow]],
        node: Node | None = None,
    ) -> None:
        self._store = store
        self._timers = timers
        self._now = now
        self._games = games
        self._rows = rows
        self._node = node
        self._set_by = 0.0
        """The seconds by which the wall clock was set since the start, forward less back."""
        self._dues: dict[int, dict[float | None, float | None]] = {}
        """By id: the due times that the store may have, the newest last, of games in memory and those in ``_moving``.
        For each, ``_set_by`` when it was given; None if the clock of the turn has not run since `GameRow.ran`."""
        self._moving: dict[int, dict[str, Any]] = {}
        """By id of a hibernated game: columns that are being saved, as the wall clock was set."""
        self._stopped: dict[int, float] = {}
        """By id of a hibernated game: since when its clock has been stopped. It is given the time back when loaded."""
        self._starts = False
        """True until the store has the clocks that were stopped before this server started."""
        self._running_again: list[int] = []
        """Games that were just loaded, whose clocks run again."""

    # --- games in memory ------------------------------------------------------------------------------------------

    def holding(self, row: GameRow) -> HoldingRow:
        """Return the row of a game that was just read from the store, with the deadline that holds."""
        stored = row
        if row.resting is not None and row.id in self._stopped:
            row = replace(row, ran=self._stopped[row.id], **stored_games.AWAKE)
        set_by: float | None = self._set_by
        if row.id not in self._dues or row.id in self._moving:  # it was hibernated
            row = replace(row, **self._moving.get(row.id, {}))
            was_stopped = row.resting is None
        else:
            set_by = self._given_by(row.id, row.due)
            was_stopped = set_by is None
        lost = _lost(row, self._now()) if was_stopped else 0.0
        shift = 0.0 if set_by is None else self._set_by - set_by
        return HoldingRow(stored, moved(row, lost or shift, self._now()), lost)

    def came(self, number: int, held: HoldingRow) -> None:
        """Record that a game was loaded into memory, with the deadline that holds."""
        self._dues[number] = {held.stored.due: None if held.lost else self._given_by(number, held.stored.due)}
        self._dues[number][held.row.due] = self._set_by
        self._moving.pop(number, None)
        if not self._starts:
            self._stopped.pop(number, None)

    def _given_by(self, number: int, due: float | None) -> float | None:
        return self._dues.get(number, {}).get(due, self._set_by)

    def returned(self, game: Game) -> None:
        """Record that a hibernated game that was still referenced is in memory again."""
        self._dues[game.row.id] = {game.row.due: self._set_by}

    def forget(self, number: int) -> None:
        """Forget a game that leaves memory."""
        self._dues.pop(number, None)

    def forget_removed(self, number: int) -> None:
        """Forget a game that was removed from the store."""
        for known in (self._dues, self._moving, self._stopped):
            known.pop(number, None)

    def given(self, game: Game) -> None:
        """Record that the due time of a turn was given to the store, by the wall clock as it is."""
        dues, due = self._dues.get(game.row.id), game.row.due
        if dues is not None:
            dues.pop(due, None)
            dues[due] = self._set_by
            game.saving.after_saving(partial(self._saved, game.row.id, due))

    def _saved(self, number: int, due: float | None) -> None:
        dues = self._dues.get(number)
        if dues and next(reversed(dues)) == due:
            self._dues[number] = {due: dues[due]}

    def set_since(self, game: Game) -> float:
        """Return the seconds by which the wall clock was set since the due time of a turn was given to the store."""
        set_by = self._given_by(game.row.id, game.row.due)
        return 0.0 if set_by is None else self._set_by - set_by

    def is_saved(self, game: Game) -> bool:
        """Return whether the store has the deadline of a game that holds."""
        row = game.row
        return row.state != "running" or row.due is None or len(self._dues.get(row.id, ())) <= 1

    # --- the wall clock -------------------------------------------------------------------------------------------

    def clock_was_set(self, seconds: float) -> bool:
        """Record that the wall clock was set by ``seconds``, and move the deadlines of hibernated games.

        Return False if the new time is not trusted. Then no game stays in memory, and deadlines do not move.
        """
        if self._node is not None and self._node.clock_was_set(seconds):
            return False
        self._set_by += seconds
        if self._node is None:  # else the clocks of all nodes would have to be set
            self._move_hibernated(seconds)
        return True

    def _move_hibernated(self, seconds: float) -> None:
        now, rows = self._now(), self._rows()
        for row in list(rows.values()):
            if row.id in self._games or row.resting is None or not _has_deadline(row) or known_clock(row.clock) is None:
                continue
            if row.id in self._stopped:
                continue  # the time that it is given back will include these seconds
            later = moved(row, seconds, now)
            due, deadline = later.due, later.deadline
            assert due is not None and deadline is not None
            # Other due times of it are not known here: it may be loaded sooner than necessary.
            wake = min(one for one in (row.wake, due if now < due else deadline) if one is not None)
            self._dues.setdefault(row.id, {})[row.due] = self._set_by - seconds
            self._moving[row.id] = {"due": due, "deadline": deadline, "wake": wake}
            rows[row.id] = replace(row, **self._moving[row.id])
        self._save_moved()

    def _save_moved(self) -> None:
        if not self._can_save():
            return
        moving = list(self._moving.items())
        for first in range(0, len(moving), MOVED_AT_ONCE):
            some = moving[first : first + MOVED_AT_ONCE]
            self._store.write(move_games, some, self._now()).addCallbacks(
                self._have_moved, self._have_not_moved, callbackArgs=(some,)
            )

    def _have_moved(self, result: object, some: Iterable[tuple[int, dict[str, Any]]]) -> None:
        for number, columns in some:
            if self._moving.get(number) is columns:
                del self._moving[number]
                self.forget(number)

    def _have_not_moved(self, failure: Failure) -> None:
        self._timers.callLater(RETRY_SECONDS, self._save_moved)  # the store says in the log what is wrong with it

    # --- clocks that are stopped, and those that run -----------------------------------------------------------------

    def stopped_since(self) -> float | None:
        """Return the time at which the clocks of hibernated games stopped before this start.

        It is None if the time without a server is unknown or shorter than LEAST_LOST.
        """
        ran = self.last_ran()
        return None if ran is None or abs(self._now() - ran) < LEAST_LOST else ran

    def last_ran(self) -> float | None:
        """Return the last time at which clocks of hibernated games are known to have run; None if unknown."""
        return self._store.read(stored_games.clocks_ran)

    def clocks_ran(self, *, is_server: bool) -> float:
        """Return until when the clocks of hibernated games have run: now, or if no server runs, until it stopped."""
        ran = None if is_server else self.last_ran()
        return self._now() if ran is None else ran

    def begin(self, stopped_since: float | None) -> list[GameRow]:
        """Have the store mark the games to load; return those that get time back then."""
        stopped: list[GameRow] = []
        if stopped_since is not None:
            stopped = [row for row in self._rows().values() if row.resting is not None and _has_deadline(row)]
            self._stopped = dict.fromkeys((row.id for row in stopped), stopped_since)
        self._starts = bool(stopped)
        self._wake_all(stopped_since)
        return stopped

    def _wake_all(self, stopped_since: float | None) -> None:
        wake_all = stored_games.wake_all if self._node is None else nodes.wake_all

        def saved(result: object) -> None:
            if not isinstance(result, Failure):
                self._starts = False
                # In a cluster another node may load them.
                kept = [] if self._node is not None else self._stopped.keys() - self._games.keys()
                self._stopped = {number: self._stopped[number] for number in kept}
            elif self._can_save():
                self._timers.callLater(RETRY_SECONDS, self._wake_all, stopped_since)

        self._store.write(wake_all, stopped_since).addBoth(saved)

    def stop_clock(self, number: int) -> None:
        """Stop the clock of a hibernated game that cannot be loaded; it gets the time back when it is."""
        if self._node is None:
            self._stopped.setdefault(number, self._now())
        self._store.write(stored_games.clock_stands, number, self._now()).addErrback(lambda failure: None)

    def run_again(self, row: GameRow) -> None:
        """Record soon in the store that the clock of a loaded game runs again, if it had stopped."""
        if row.resting is None and _has_deadline(row):
            if not self._running_again:
                self._timers.callLater(0, self._note_running)
            self._running_again.append(row.id)

    def note_all(self, now: float) -> None:
        """Record in the store that the clocks of all games have run until now.

        That includes hibernated games. It waits until earlier lost time was saved, which would be forgotten otherwise.
        A server that is no node of its cluster records nothing, as its clock may be wrong.
        """
        if self._node is None or self._node.may_speak():
            self._note(now, self._games)

    def _note_running(self) -> None:
        """Record that the clocks of loaded games run again: else the next server would give the time back again."""
        numbers, self._running_again = self._running_again, []
        self._note(self._now(), numbers)

    def _note(self, now: float, numbers: Iterable[int]) -> None:
        if self._starts or not self._can_save():
            return
        running = [number for number in numbers if number in self._games and self.is_saved(self._games[number])]
        holder = None if self._node is None else self._node.id
        noted: Deferred[None] = self._store.write(stored_games.clocks_run, now, running, holder)
        noted.addErrback(lambda failure: None)  # that nothing can be saved is in the log already

    def _can_save(self) -> bool:
        return not self._store.closed and self._store.gone is None


def moved(row: GameRow, seconds: float, now: float) -> GameRow:
    """Return the row of a running game with its deadline moved by so many seconds (`Clock.moved`)."""
    clock = known_clock(row.clock)
    if not seconds or not _has_deadline(row) or clock is None:
        return row
    assert row.due is not None and row.deadline is not None
    due = clock.moved(row.due, seconds, now)
    return replace(row, due=due, deadline=row.deadline + due - row.due)


def _lost(row: GameRow, now: float) -> float:
    """Return the seconds in which the clock of a turn could not run; 0 if they are fewer than LEAST_LOST."""
    if not _has_deadline(row) or row.ran is None:
        return 0.0
    lost = now - row.ran
    return lost if abs(lost) >= LEAST_LOST else 0.0


def _has_deadline(row: GameRow) -> bool:
    return row.state == "running" and row.deadline is not None and row.due is not None
