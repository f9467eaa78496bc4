"""What calls of rules leave behind in this process: memory that they keep, files that they have closed.

Looked at around each call, for nobody can say afterwards which of a thousand short calls it was.
"""

from __future__ import annotations

from collections.abc import Callable

from tpserver.processes import OwnMemory
from tpserver.rules.page import Page

WORTH_NOTING = 1 << 20
"""Bytes by which the process has grown, or shrunk, in one call that are put down to the rules."""


class Footprint:
    """Notes on a page whose calls keep most memory; ``closed`` is called when a call has closed the server's files."""

    def __init__(self, page: Page, closed: Callable[[], None]) -> None:
        """Raises OSError where the system does not tell."""
        self._page = page
        self._closed = closed
        self.own = OwnMemory()
        self._kept: dict[tuple[int, str], int] = {}

    def memory(self) -> int:
        """Return the bytes that the process has; 0 if the file was closed that tells."""
        return self.own.bytes()

    def after(self, game: int, ruleset: str, before: int) -> None:
        """Look again after a call on behalf of a game; ``before`` is what ``memory`` was then."""
        now = self.memory()
        if not now:
            self._page.keeps_most(game, ruleset, float("inf"))
            self._closed()
        elif abs(now - before) >= WORTH_NOTING:
            self._kept[game, ruleset] = max(0, self._kept.get((game, ruleset), 0) + now - before)
            most = max(self._kept, key=lambda whose: self._kept[whose])
            self._page.keeps_most(*most, float(self._kept[most]))
