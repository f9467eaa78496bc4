"""Message board of a game's spectators, which players read after the end.

In memory it is like a board of players, but it shows a message only when it is durable. So spectators of a delayed game
do not wait for actions of its players (`tpserver.games.service.spectator_feed`).
"""

from __future__ import annotations

from collections.abc import Callable

from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.game import Game
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.terms.chat_rules import NONE, WORDS, press_of
from tpserver.store.errors import StoreError
from tpserver.store.games import spectator_letters as stored_letters
from tpserver.store.games.boards import Listed
from tpserver.store.games.spectator_letters import SpectatorLetter

MOST_LETTERS, MOST_BYTES = 256, 256 * 1024
"""Maximum messages of a game's spectators, and their stored bytes; a new one replaces the oldest."""

LONGEST_LETTER = 2000
"""Maximum characters of a message's text."""

MOST_A_MINUTE = 6
"""Maximum messages that an account writes as a spectator in a minute, in all games together."""
MINUTE = 60.0
MOST_REMEMBERED = 1000
"""Maximum accounts whose recent messages are remembered."""


class SpectatorTalk:
    """The messages of spectators, for all games of a server. ``steady`` is a monotonic clock."""

    def __init__(self, registry: GameRegistry, steady: Callable[[], float]) -> None:
        self._registry = registry
        self._steady = steady
        self._written: dict[int, list[float]] = {}
        """Times of recent messages, by account."""

    async def post(self, game: Game, account: int, subject: str, body: str, turn: int) -> None:
        """Put a message on the board of a game's spectators, durably.

        ``turn`` is the turn that its author sees. Its lengths are checked already. Raises GameError, NotNow.
        """
        if press_of(game.row) == NONE:
            raise GameError(f"in this game {WORDS[NONE]}, and neither do spectators")
        self._note(account)
        board = game.spectators
        letter = SpectatorLetter(game.row.id, board.next_number(), turn, self._registry.now(), account, subject, body)
        gone = board.numbers[: board.oldest_beyond(MOST_LETTERS, MOST_BYTES, letter.size)]
        try:
            await game.saving.write(stored_letters.add, letter, list(gone))
        except StoreError as error:
            if error.is_fault:
                raise
            raise NotNow("another message was written at the same time; try again") from None
        board = self._registry.with_id(game.row.id).spectators  # the game may have been loaded again meanwhile
        if letter.number not in board.numbers:
            board.drop(gone)
            board.last = max(board.last, letter.number)
            board.put(Listed(board.number, letter.number, account, letter.size))
            board.touch(int(self._registry.now()))

    def _note(self, account: int) -> None:
        """Record a message of an account. Raises NotNow if it writes too often."""
        now = self._steady()
        if len(self._written) >= MOST_REMEMBERED:
            self._written = {one: times for one, times in self._written.items() if times[-1] > now - MINUTE}
        recent = [time for time in self._written.get(account, []) if time > now - MINUTE]
        if len(recent) >= MOST_A_MINUTE:
            raise NotNow(f"you have written {MOST_A_MINUTE} messages within a minute, the maximum; try again later")
        self._written[account] = [*recent, now]
