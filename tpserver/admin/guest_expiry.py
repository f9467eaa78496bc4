"""Removal of guests who have been away for the configured days.

Guests who were in a game are removed like by the operator's command.
"""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tpserver.accounts.guests import Guests
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import OperationError
from tpserver.concurrency import Clock
from tpserver.periodic import Repeated
from tpserver.store import StoreError
from tpserver.store.people.accounts import Account

log = Logger()

LOOK_SECONDS = 3600.0
"""Seconds between two passes."""
SERVER = "the server"
"""Actor in the audit for the removal of guests."""


class GuestExpiry:
    """Removes guests who have been absent for too long, between its start and its stop."""

    def __init__(self, clock: Clock, guests: Guests, context: AdminContext) -> None:
        self._guests = guests
        self._context = context
        looking = Repeated(clock, LOOK_SECONDS, self._look)
        self.start, self.stop = looking.start, looking.stop

    def _look(self) -> Deferred[None]:
        doing = Deferred.fromCoroutine(self.expire())
        return doing.addErrback(lambda failure: log.failure("guests could not be removed", failure))

    async def expire(self) -> None:
        """Remove guests who have been absent for too long. Failures are tried again in the next pass."""
        try:
            for guest in self._guests.expired():
                if not await self._guests.remove_traceless(guest):
                    await self._remove(guest)
                log.info("{guest} is removed, as nobody was there for long", guest=guest.name)
        except (OperationError, StoreError) as error:
            log.error("guests could not be removed: {why}", why=str(error))

    async def _remove(self, guest: Account) -> None:
        """Remove the account of a guest who has been in games."""
        reason = f"a guest who was away for {self._guests.terms.days} days"
        await perform(self._context, "account remove", {"name": guest.name, "reason": reason}, SERVER)
