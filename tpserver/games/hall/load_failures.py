"""Games that are not loaded again at once, as their rules failed or ended a server process."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.games.core.crash_record import Verdicts
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game
from tpserver.games.turns.suspension import CAN_BE_HELD, hold_stored
from tpserver.rules.call_limits import Escaped, TooSlow, why_it_failed
from tpserver.store import GameStore, StoreError
from tpserver.store.games.rows import GameRow

log = Logger()


class LoadFailures:
    """Failures to load games of a server. Used on the reactor's thread. ``steady`` is a monotonic clock."""

    def __init__(self, verdicts: Verdicts, steady: Callable[[], float], now: Callable[[], float]) -> None:
        self._verdicts = verdicts
        self._steady = steady
        self._now = now
        self._being_held: set[int] = set()
        """Games that could not be loaded and are about to be suspended. The suspension is not in the store yet."""
        self._until: dict[int, tuple[float, str]] = {}
        """By game id: the time of the next try to load it, by the steady clock, and the problem."""
        self._read_verdicts()

    @property
    def killed_rules(self) -> int:
        """Number of times the rules of games have ended a server since the operator resumed them."""
        return sum(self._verdicts.ends.values())

    def forgive(self, row: GameRow) -> None:
        """Allow loading a game again after any failure, as the operator resumes it. Raises OSError."""
        self._until.pop(row.id, None)
        self._verdicts.forgive(row.id, row.ruleset)

    def ends_soon(self, number: int) -> bool:
        """Return whether a game is about to be suspended, as its rules ended another process of this server."""
        self._verdicts.refresh()
        self._read_verdicts()
        return any(verdict.game == number for verdict in self._verdicts.pending)

    def check(self, row: GameRow) -> None:
        """Raise GameError if a game must not be loaded now."""
        if row.id in self._being_held:
            # The store still shows it as running. Its next changes would be saved after the suspension, or not at all.
            raise GameError(f"game {row.name!r} cannot be loaded: its rules have failed, and it is about to be held")
        again, problem = self._until.get(row.id, (0.0, ""))
        if self._steady() < again:
            raise GameError(f"game {row.name!r} cannot be loaded {problem}")

    def loaded(self, number: int) -> None:
        """Forget the failures of a game that was loaded."""
        self._until.pop(number, None)

    def watched(self, row: GameRow, version: int, saves: GameStore, read: Callable[[], Game]) -> Game:
        """Return the game that ``read`` loads by this version of its ruleset.

        Raises StoreError, and GameError if the rules fail, which is recorded.
        """
        begun = time.monotonic()
        try:
            return read()
        except StoreError:
            raise
        except Exception as error:
            log.failure("game {game} cannot be loaded", game=row.name)
            problem = f"by ruleset {row.ruleset} version {version}: {why_it_failed(error)}"
            self._failed(row, problem, error, time.monotonic() - begun, saves)
            raise GameError(f"game {row.name!r} cannot be loaded {problem}") from None

    def _failed(self, row: GameRow, problem: str, error: Exception, seconds: float, saves: GameStore) -> None:
        """Record that the rules failed after these seconds of loading.

        After failures worse than an exception of the rules the game is suspended. The next server does not try again.
        """
        if isinstance(error, TooSlow):
            # Loading blocks all clients: repeated requests for this game may use at most a hundredth of the time.
            self._until[row.id] = (self._steady() + 100 * seconds, problem)
        if isinstance(error, TooSlow | Escaped | MemoryError) and row.state in CAN_BE_HELD:
            self._hold(row, why_it_failed(error), saves)

    def _hold(self, row: GameRow, reason: str, saves: GameStore) -> None:
        def ended(result: object) -> None:
            self._being_held.discard(row.id)
            if isinstance(result, Failure):
                log.error("{game} could not be held: {why}", game=row.name, why=result.getErrorMessage())

        self._being_held.add(row.id)
        hold_stored(saves, [(row, reason)], "load the game", self._now()).addBoth(ended)

    def _read_verdicts(self) -> None:
        """Read which games must not be loaded, as their rules ended the server again."""
        found = self._verdicts.unreadable()
        for number in [number for number, (until, _) in self._until.items() if until == math.inf]:
            if number not in found:
                del self._until[number]
        self._until |= dict.fromkeys(found, (math.inf, "because its rules ended the server again"))
