"""Messages on the boards of games: from players, and from the server to all games of an account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tprules.api import Report
from tpserver.concurrency import Slices, Timers
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.game import Game
from tpserver.games.core.turn_reports import delivery, written
from tpserver.games.hall.directory import GameDirectory
from tpserver.games.hall.removed_accounts import GamesOfAccounts
from tpserver.store.games.boards import Delivery, StoredMessage
from tpserver.store.games.changes import GameChanges

log = Logger()

TELL_SECONDS = 0.005
"""Seconds of posting a message in all games of an account after which other work is done."""


def post(game: Game, sender: int, to: Mapping[int, list[list[int]]], subject: str, body: str, now: float) -> None:
    """Put a player's message on boards of the game.

    ``to`` maps the number of each board to the references of the message there. The message is durable when
    ``game.saving.when_durable`` says so.
    """
    messages = [
        StoredMessage(
            game.row.id, board, game.boards[board].next_number(), game.state.turn, now, sender, subject, body, told
        )
        for board, told in to.items()
    ]
    game.commit(GameChanges(delivery=Delivery(messages)), now)


def remove(game: Game, number: int, slots: Iterable[int], now: float) -> list[bool]:
    """Remove messages from a board, one slot after the other; return for each slot whether it held one."""
    board = game.boards[number]
    taken = [board.take(slot) if slot < len(board) else None for slot in slots]
    gone = [message for message in taken if message is not None]
    if gone:
        board.touch(int(now))
        game.commit(GameChanges(removed={number: gone}), now)
    return [message is not None for message in taken]


class AccountMessages:
    """Messages from the server to an account. Used on the reactor's thread.

    ``is_current`` returns whether a game is in memory on a server that goes on.
    """

    def __init__(
        self,
        games: GamesOfAccounts,
        directory: GameDirectory,
        timers: Timers,
        now: Callable[[], float],
        is_current: Callable[[Game], bool],
    ) -> None:
        self._games = games
        self._directory = directory
        self._timers = timers
        self._now = now
        self._is_current = is_current

    def tell(self, account: int, subject: str, body: str, only: int | None = None) -> None:
        """Put a message on the boards of an account in its games.

        They are all that are not over, or only game ``only``, over or not. ``game.saving.when_durable`` of each waits
        for it. An account with very many games gets it in batches.
        """
        numbers = (
            [only] if only is not None else [row.id for row in self._directory.rows_of(account) if row.state != "over"]
        )
        report = (subject, body.replace("{", "(").replace("}", ")"))

        async def tell_all() -> None:
            slices = Slices(self._timers, TELL_SECONDS)
            for number in numbers:
                with suppress(GameError, NotNow):  # nobody would read it in a game that is gone or cannot be loaded
                    self._tell(self._games.with_id(number), account, *report)
                await slices.rest()

        Deferred.fromCoroutine(tell_all()).addErrback(
            lambda failure: log.failure("an account could not be notified in all its games", failure)
        )

    def _tell(self, game: Game, account: int, subject: str, body: str) -> None:
        seat, now = game.seat_of(account), self._now()
        if seat is not None and self._is_current(game):
            told = written(game, [Report(seat, subject, body)])
            game.commit(GameChanges(delivery=delivery(game, told, game.row.turn, now)), now)
