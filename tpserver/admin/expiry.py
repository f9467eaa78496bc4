"""Expiry of unused accounts, and of games without other players.

An expired account is removed. An expired game is deleted if it has not started, otherwise it is ended.
"""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tpserver.admin.context import AdminContext
from tpserver.admin.guest_expiry import LOOK_SECONDS, SERVER
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import OperationError
from tpserver.concurrency import Clock
from tpserver.games.core.errors import GameError, NotNow
from tpserver.periodic import Repeated
from tpserver.store import StoreError
from tpserver.store.games import ownership as stored_ownership

log = Logger()

GAMES_AT_ONCE = 50
"""Maximum games that expire in one pass."""
ALONE = f"nobody but its maker had a seat in it for {stored_ownership.DAYS} days"


class Expiry:
    """Removes expired accounts and games, between its start and its stop."""

    def __init__(self, clock: Clock, context: AdminContext) -> None:
        self._context = context
        looking = Repeated(clock, LOOK_SECONDS, self._look)
        self.start, self.stop = looking.start, looking.stop

    def _look(self) -> Deferred[None]:
        doing = Deferred.fromCoroutine(self.expire())
        return doing.addErrback(lambda failure: log.failure("what has expired could not be removed", failure))

    async def expire(self) -> None:
        """Remove expired accounts and games. Failures are tried again in the next pass."""
        registry = self._context.registry
        try:
            for name in await self._context.accounts.remove_unused():
                log.info("{account} is removed, as nobody has logged in to it", account=name, event="account")
            for number in registry.store.read(stored_ownership.expired, registry.now(), GAMES_AT_ONCE):
                await self._end(number)
        except StoreError as error:
            log.error("what has expired could not be removed: {why}", why=str(error))

    async def _end(self, number: int) -> None:
        """Delete a game that has not begun, or end one that has. Its turns stay visible."""
        try:
            game = self._context.registry.with_id(number)
            if sum(bool(player.name) for player in game.players) > 1:
                return  # a player has just joined
            name, arguments = "game delete", {"name": game.name}
            if game.started:
                name, arguments = "game abort", {"name": game.name, "reason": ALONE}
            await perform(self._context, name, arguments, SERVER)
            log.info("{game} has expired: {why}", game=game.name, why=ALONE)
        except (GameError, NotNow):
            return  # another node has it, or its turn is being computed
        except OperationError as error:
            log.warn("a game that has expired stays: {why}", why=str(error))
