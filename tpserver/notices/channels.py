"""What all channels have in common: how one is asked to deliver, and how it says that it did not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.defer import Deferred

from tpserver.notices.letters import Letter
from tpserver.store.outbox import Notice

MAIL, PUSH = "mail", "push"
WEBHOOKS = ("json", "discord", "slack", "matrix")


class NotDelivered(Exception):
    """A notice did not arrive, or it is not known whether it did; the message is a sentence for its receiver.

    ``final``: it never will at this address; ``gone``: that address is none any more.  ``wait``: seconds before the
    next try, as the other side asks for.  ``channel``: nothing can be delivered by this channel for now, to nobody.
    """

    def __init__(
        self, why: str, *, final: bool = False, wait: float = 0.0, channel: bool = False, gone: bool = False
    ) -> None:
        super().__init__(why)
        self.final = final
        self.gone = gone
        self.wait = wait
        self.channel = channel


class Later:
    """A channel that is made when the first notice goes by it."""

    def __init__(self, make: Callable[[], NoticeChannel]) -> None:
        self._make = make
        self._made: NoticeChannel | None = None

    def send(self, notice: Notice, letter: Letter) -> Deferred[str]:
        if self._made is None:
            self._made = self._make()
        return self._made.send(notice, letter)


class NoticeChannel(Protocol):
    """A way by which notices go."""

    def send(self, notice: Notice, letter: Letter) -> Deferred[str]:
        """Deliver a notice within SEND_SECONDS (`delivery`); the Deferred fires with what the receiver calls its
        message, empty if it cannot be changed later, and fails with NotDelivered."""
        ...
