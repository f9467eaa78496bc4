"""Guests who come no more: after the days of the configuration their accounts are removed, as the operator would."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tpserver.accounts.guests import Guests
from tpserver.admin.operations import AdminContext, perform
from tpserver.admin.socket_protocol import Refused
from tpserver.concurrency import Clock
from tpserver.games.game import GameError, NotNow, NotSaved
from tpserver.games.lifecycle import BY_OPERATOR
from tpserver.repeated import Repeated
from tpserver.store import StoreError
from tpserver.store import games as stored_games
from tpserver.store.accounts import Account

log = Logger()

LOOK_SECONDS = 3600.0
"""Seconds between two looks."""
SERVER = "the server"
"""Who removes guests, in the audit."""


class GuestExpiry:
    """Removes guests who have been away for too long, from when it is started until it is stopped."""

    def __init__(self, clock: Clock, guests: Guests, context: AdminContext) -> None:
        self._guests = guests
        self._context = context
        looking = Repeated(clock, LOOK_SECONDS, self._look)
        self.start, self.stop = looking.start, looking.stop

    def _look(self) -> Deferred[None]:
        doing = Deferred.fromCoroutine(self.expire())
        return doing.addErrback(lambda failure: log.failure("guests could not be removed", failure))

    async def expire(self) -> None:
        """Remove the guests who have been away for too long; what cannot be done now is tried again at the next
        look."""
        try:
            for guest in self._guests.expired():
                if not await self._guests.remove_traceless(guest):
                    await self._remove(guest)
                log.info("{guest} is removed, as nobody was there for long", guest=guest.name)
        except (Refused, StoreError) as error:
            log.error("guests could not be removed: {why}", why=str(error))

    async def _remove(self, guest: Account) -> None:
        """Remove the account of a guest who has been in games; games that have not begun get their seats back."""
        registry = self._context.registry
        for number in sorted(registry.store.read(stored_games.with_seat_of, guest.id)):
            try:
                game = registry.with_id(number)
                seat = game.seat_of(guest.id)
                if seat is not None and not game.started and not game.over:
                    await registry.seat_changes.remove_player(game, seat, BY_OPERATOR)
            except (GameError, NotNow, NotSaved) as error:
                log.warn("the seat of {guest} stays taken: {why}", guest=guest.name, why=str(error))
        reason = f"a guest who was away for {self._guests.terms.days} days"
        await perform(self._context, "account remove", {"name": guest.name, "reason": reason}, SERVER)
