"""Seats and games of removed accounts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tpserver.concurrency import Timers, pause
from tpserver.games.core import attendance
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.game import Game
from tpserver.games.core.saving import NotSaved
from tpserver.games.hall.directory import GameDirectory
from tpserver.games.seats.seat_service import SeatChanges
from tpserver.games.terms.initiator import BY_OPERATOR
from tpserver.names import REMOVED
from tpserver.store import Store
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games import rows as stored_games
from tpserver.store.people import accounts as stored_accounts

log = Logger()

CLOSING_SECONDS = 0.05
"""Seconds between checks whether a turn is still being computed."""


class GamesOfAccounts(Protocol):
    """Interface of the registry that this module needs."""

    def with_id(self, number: int) -> Game: ...


class RemovedAccounts:
    """Hands over the games of removed accounts, and opens their seats. Used on the reactor's thread.

    ``is_current`` returns whether a game is in memory on a running server.
    """

    def __init__(
        self,
        games: GamesOfAccounts,
        directory: GameDirectory,
        store: Store,
        seat_changes: SeatChanges,
        timers: Timers,
        is_current: Callable[[Game], bool],
    ) -> None:
        self._games = games
        self._directory = directory
        self._store = store
        self._seat_changes = seat_changes
        self._timers = timers
        self._is_current = is_current

    async def hand_over_games_of(self, account: int) -> None:
        """Give the games of a removed account to present players, else to the operator."""
        for row in self._directory.rows_of(account):
            if row.state == "over" or self._store.read(stored_ownership.creator_of, row.id) != account:
                continue
            with suppress(GameError, NotNow):  # the operator owns it then
                game = self._games.with_id(row.id)
                people = (one for one in game.players if one.is_person and one.account != account)
                heir = next((one for one in people if not attendance.is_absent(game, one.seat)), None)
                name = BY_OPERATOR if heir is None else heir.account_name
                await self._seat_changes.hand_over(game, None if heir is None else heir.account, name)

    async def vacate_seats_of(self, account: int) -> list[tuple[str, int, Exception]]:
        """Remove an account from its seats in all unfinished games, as the operator would.

        Return the games in which that failed, with the number of the player and the error.
        """
        problems: list[tuple[str, int, Exception]] = []
        for row in self._directory.rows_of(account):
            if row.state != "over":
                try:
                    await self._vacate(row.id, account)
                except (GameError, NotNow, NotSaved) as error:
                    seats = self._store.read(stored_games.seats, row.id)
                    problems += [(row.name, one.seat + 1, error) for one in seats if one.account == account]
        return problems

    async def _vacate(self, number: int, account: int) -> None:
        while (game := self._games.with_id(number)).closing:
            await pause(self._timers, CLOSING_SECONDS)
        seat = game.seat_of(account)
        if seat is not None and not game.over:
            await self._seat_changes.remove_player(game, seat, BY_OPERATOR)

    def came(self, game: Game, wait: float) -> None:
        """Remove the players with removed accounts from a game in memory, ``wait`` seconds later.

        They were removed by a server version that kept seats, or while this server was stopped.
        """
        if any(player.account_name.startswith(REMOVED) for player in game.players):
            self._timers.callLater(wait, self._vacate_all, game)

    def _vacate_all(self, game: Game) -> None:
        if not self._is_current(game) or game.over:
            return
        ids = [one.account for one in game.players if one.account is not None]
        known = self._store.read(stored_accounts.with_ids, ids)
        for account in [number for number, one in known.items() if one.removed is not None]:
            work = Deferred.fromCoroutine(self._vacate(game.row.id, account))
            work.addErrback(lambda failure: log.failure("the seat of a removed account stays taken", failure))
