"""Order in which the parts of a server stop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from enum import Enum, auto

from twisted.internet.defer import Deferred, maybeDeferred


class Stage(Enum):
    """Stages of a shutdown in order: dependants first, and the store last, after saving all pending changes."""

    SHARING = auto()
    PORTS = auto()
    LINKS_LEAVE = auto()
    PUBLISHING = auto()
    BROWSERS = auto()
    CHECKS = auto()
    OPERATOR_MAIL = auto()
    ADMIN_SOCKET = auto()
    EXPIRY = auto()
    BOTS = auto()
    NOTICES = auto()
    GAMES = auto()
    CONNECTIONS = auto()
    LINKS_CLOSE = auto()
    RECHECKS = auto()
    IDEMPOTENCY = auto()
    CONSOLES = auto()
    LAST_LOOK = auto()
    NODE = auto()
    STORE = auto()
    TIMERS = auto()
    THREADS = auto()


class Shutdown:
    """Calls that stop the parts of a server, added as each part is created."""

    def __init__(self) -> None:
        self._calls: defaultdict[Stage, list[Callable[[], object]]] = defaultdict(list)
        self._ended: Deferred[None] | None = None

    @property
    def has_begun(self) -> bool:
        """True after `run` was called."""
        return self._ended is not None

    def add(self, stage: Stage, *calls: Callable[[], object]) -> None:
        """Add calls to a stage. They run in the order of addition, and a returned Deferred is waited for."""
        self._calls[stage] += calls

    async def run(self) -> None:
        """Run all calls. A second run waits for the first to finish."""
        if self._ended is not None:
            following: Deferred[None] = Deferred()
            self._ended.chainDeferred(following)
            await following
            return
        self._ended = Deferred()
        try:
            for stage in Stage:
                for call in self._calls[stage]:
                    await maybeDeferred(call)
        finally:
            self._ended.callback(None)
