"""Sends the mails by which forgotten passwords are reset.

Each try has a code of its own, made as the mail is written, for the store keeps none; the one sent last is good.
"""

from __future__ import annotations

from typing import Any

from twisted.internet import defer
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.accounts.resets import PasswordResets, digest_of, new_code
from tpserver.concurrency import Timer
from tpserver.games.registry import GameRegistry
from tpserver.notices import letters
from tpserver.notices.channels import MAIL, NotDelivered, NoticeChannel
from tpserver.store import StoreError
from tpserver.store import accounts as stored_accounts
from tpserver.store import resets as stored_resets
from tpserver.store.outbox import Notice
from tpserver.store.resets import Reset

log = Logger()

AT_ONCE = 2
"""Maximum mails on their way at once."""
SEND_SECONDS = 60.0
"""Maximum seconds of a try."""
PAUSE = 60.0
"""Seconds after the first try until the second, doubled with each."""
MOST_TRIES = 5
LONGEST_WAIT = 60.0
"""Seconds after which it is looked again, whatever was noted."""


class ResetMail:
    """Sends what is asked for, by ``channel``.  Used on the reactor's thread.

    ``server`` is what the server is called, ``site`` the address of its page, empty if nobody knows.
    """

    def __init__(
        self, registry: GameRegistry, resets: PasswordResets, channel: NoticeChannel, server: str, site: str
    ) -> None:
        self._store = registry.store
        self._now = registry.now
        self._clock: Any = registry.timers  # a reactor, whose interface is zope's, which mypy does not understand
        self._channel = channel
        self._server = server
        self._site = site
        self._sending: set[int] = set()
        self._timer: Timer | None = None
        self._stopped = False
        resets.asked = self.look

    def stop(self) -> None:
        """Send no more."""
        self._stopped = True
        self._cancel()

    def look(self) -> None:
        """Look for mails that are to be sent; to be called when there may be some."""
        self._cancel()
        free = AT_ONCE - len(self._sending)
        if self._stopped or free <= 0:
            return  # the end of one that is on its way looks again
        now = self._now()
        try:
            due = self._store.read(stored_resets.due, now, free + len(self._sending))
            following = self._store.read(stored_resets.next_try, now)
        except StoreError:
            due, following = [], now + LONGEST_WAIT
        for reset in [one for one in due if one.id not in self._sending][:free]:
            self._sending.add(reset.id)
            sending = Deferred.fromCoroutine(self._send(reset))
            sending.addErrback(self._failed).addBoth(self._done, reset)
        if following is not None and not self._sending:
            wait = max(0.1, min(LONGEST_WAIT, following - now))
            self._timer = self._clock.callLater(wait, self.look)

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _failed(self, failure: Failure) -> None:
        if not isinstance(failure.value, StoreError):  # which the store has logged
            log.failure("a mail by which a password is reset could not be sent", failure)

    def _done(self, result: object, reset: Reset) -> None:
        self._sending.discard(reset.id)
        self.look()

    async def _send(self, reset: Reset) -> None:
        account = self._store.read(stored_accounts.by_id, reset.account)
        if account is None or reset.tries >= MOST_TRIES:
            await self._store.write(stored_resets.sent, reset.id)
            return
        code, again = new_code(), self._now() + PAUSE * 2**reset.tries
        if not await self._store.write(stored_resets.take, reset.id, reset.tries, digest_of(code), again):
            return
        notice = Notice(
            0, 0, "code", 0, f"reset-{reset.id}-{reset.tries}", reset.at, reset.tries + 1, "", 0, reset.account, MAIL,
            reset.target, "", code,
        )  # fmt: skip
        try:
            sending = self._channel.send(notice, letters.of_reset(code, account.name, self._server, self._site))
            sending.addTimeout(SEND_SECONDS, self._clock)
            await sending
        except (NotDelivered, defer.TimeoutError) as problem:
            log.warn("a mail by which a password is reset did not arrive: {why}", why=str(problem))
            if not (isinstance(problem, NotDelivered) and problem.final):
                return
        await self._store.write(stored_resets.sent, reset.id)
