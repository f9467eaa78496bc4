"""Interface of the channels: delivery of a notification, and its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.defer import Deferred

from tpserver.notices.content import Letter
from tpserver.store.games.outbox import Notice

MAIL, PUSH = "mail", "push"
WEBHOOKS = ("json", "discord", "slack", "matrix")


class NotDelivered(Exception):
    """A notification did not arrive, or may not have arrived.

    The message is a sentence for its receiver. ``final``: it never can arrive at this contact. ``gone``: the contact no
    longer exists. ``wait``: seconds before the next try, at the request of the other side. ``channel``: the channel can
    deliver nothing to any contact for now.
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
    """A channel that is created with its first notification."""

    def __init__(self, make: Callable[[], NoticeChannel]) -> None:
        self._make = make
        self._made: NoticeChannel | None = None

    def send(self, notice: Notice, letter: Letter) -> Deferred[str]:
        if self._made is None:
            self._made = self._make()
        return self._made.send(notice, letter)


class NoticeChannel(Protocol):
    """A channel of notifications."""

    def send(self, notice: Notice, letter: Letter) -> Deferred[str]:
        """Deliver a notification within SEND_SECONDS (`delivery`).

        The Deferred fires with the receiver's id of the message, empty if it cannot be changed later. It fails with
        NotDelivered.
        """
        ...
