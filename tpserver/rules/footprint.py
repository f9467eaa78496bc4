"""Memory kept by calls of the rules, and server files that they closed.

Each call is measured. Later it would be impossible to identify one of a thousand short calls.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock

from tpserver.processes import memory_in
from tpserver.rules.page import Page

WORTH_NOTING = 1 << 20
"""Minimum growth or shrinkage of the process in one call that is attributed to the rules, in bytes."""

MOST_CALLERS = 1000
"""Maximum games and rulesets whose kept memory is remembered. Those that keep least are dropped."""

FRESH_SECONDS = 0.001
"""Seconds for which a measurement after a call counts for the next call of the same game.

Within a burst of orders the server itself needs no memory worth noting between them.
"""


class Footprint:
    """Records the caller that keeps most memory on a page.

    Calls ``closed`` when a call has closed the server's files.
    """

    def __init__(self, page: Page, closed: Callable[[], None]) -> None:
        """Raises OSError on systems without these figures."""
        self._page = page
        self._closed = closed
        self.file = os.open("/proc/self/statm", os.O_RDONLY)  # it stays open, so that reading it is cheap
        self.kept: dict[tuple[int, str], int] = {}
        """Bytes of memory that calls have kept, by game and ruleset, at most MOST_CALLERS."""
        self._lock = Lock()
        self._measured = 0
        self._measured_at = -FRESH_SECONDS
        self._measured_game = 0

    def memory(self) -> int:
        """Return the bytes of memory of the process, or 0 if the file with the figures was closed."""
        try:
            return memory_in(os.pread(self.file, 64, 0))
        except (OSError, ValueError, IndexError):
            return 0

    def before(self, game: int, at: float) -> int:
        """Return the bytes of memory before a call for a game at ``at``, in seconds of any clock."""
        if game and game == self._measured_game and at - self._measured_at < FRESH_SECONDS:
            return self._measured
        return self.memory()

    def after(self, game: int, ruleset: str, before: int, at: float) -> None:
        """Measure again after a call for a game; ``before`` is the result of the function of that name."""
        now = self.memory()
        self._measured, self._measured_at, self._measured_game = now, at, game
        if not now:
            self._page.keeps_most(game, ruleset, float("inf"))
            self._closed()
        elif abs(now - before) >= WORTH_NOTING:
            self._note(game, ruleset, now - before)

    def _note(self, game: int, ruleset: str, grown: int) -> None:
        """Attribute memory to the calls for a game, in any thread."""
        whose, kept = (game, ruleset), self.kept
        with self._lock:
            kept[whose] = max(0, kept.get(whose, 0) + grown)
            most = max(kept, key=lambda one: kept[one])
            self._page.keeps_most(*most, float(kept[most]))
            if not kept[whose]:
                del kept[whose]
            elif len(kept) > MOST_CALLERS:  # of others, or this one would never be seen to grow
                del kept[min(kept.keys() - {whose}, key=lambda one: kept[one])]
