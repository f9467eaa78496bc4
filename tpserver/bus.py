"""A typed, synchronous event bus.

A publisher does not know its subscribers. `tpserver.games.core.events` lists the events of a server.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from twisted.logger import Logger

E = TypeVar("E")
log = Logger()


class Bus:
    """Delivers each event to the subscribers of its class, in the order of subscription.

    Used on the reactor's thread. Events are published after the commit of the change that they announce.
    """

    def __init__(self) -> None:
        self._subscribers: dict[type[Any], tuple[Callable[[Any], object], ...]] = {}

    def subscribe(self, event: type[E], callback: Callable[[E], object]) -> None:
        """Have ``callback`` called with each event of this class."""
        self._subscribers[event] = (*self._subscribers.get(event, ()), callback)

    def publish(self, event: object) -> None:
        """Call all subscribers before this returns. An exception of one is logged and does not stop the others."""
        for callback in self._subscribers.get(type(event), ()):
            try:
                callback(event)
            except Exception:
                log.failure("a subscriber of {event} has failed", event=type(event).__name__)
