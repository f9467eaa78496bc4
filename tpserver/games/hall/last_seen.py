"""Last-seen markers per player: the turn and message seen last.

*   A player sees a turn by entering the game, or when a connection in the game is notified of the new turn.
*   A player sees a message of another player by fetching it, or a later one, from the board.
*   Listing the own games, opening an old turn, and watching a game do not change markers.

Only the account itself can read its markers. They are saved together, a few seconds later and separately from the
changes of the game. So no request or turn waits for them. If the server is killed meanwhile, the account sees these
turns and messages as new again.
"""

from __future__ import annotations

from itertools import islice

from twisted.python.failure import Failure

from tprules.api import Seat
from tpserver.concurrency import Timer, Timers
from tpserver.games.core.game import Game
from tpserver.store import Store
from tpserver.store.games.rows import GameRow
from tpserver.store.people import last_seen as stored_last_seen
from tpserver.store.people.last_seen import NEVER, LastLook

SAVE_SECONDS = 5.0
"""Seconds from a new marker until it is saved, with all others of that time."""

RETRY_SECONDS = 60.0
"""Seconds until markers that could not be saved are tried again."""

SAVED_AT_ONCE = 500
"""Maximum markers per transaction; further ones wait for the next."""


class LastSeen:
    """Unsaved last-seen markers of all games; ``Player.look`` has all markers."""

    def __init__(self, store: Store, timers: Timers) -> None:
        self._store = store
        self._timers = timers
        self._unsaved: dict[tuple[int, int], LastLook] = {}
        """By game and account, at most one for each seat."""
        self._timer: Timer | None = None
        self._stopped = False

    def restore(self, game: Game) -> None:
        """Read the last-seen markers of a loaded game. Raises StoreError.

        The game itself is read without them, as that is also done in databases of older versions.
        """
        seen = self._store.read(stored_last_seen.of_game, game.row.id)
        for player in game.players:
            if player.account is not None:
                key = game.row.id, player.account
                player.look = self._unsaved.get(key) or seen.get(player.account, NEVER)

    def come_in(self, game: Game, seat: Seat) -> LastLook:
        """Record that a player enters the game; return the earlier marker."""
        before = game.players[seat].look
        self.see_turn(game, seat, game.state.turn if game.started else before.turn)
        return before

    def see_turn(self, game: Game, seat: Seat, turn: int) -> None:
        """Record that a player was notified that a turn has begun."""
        self._see(game, seat, LastLook(turn, 0))

    def see_letters(self, game: Game, seat: Seat, number: int) -> None:
        """Record that a player has fetched the message with this number; it must be durable."""
        self._see(game, seat, LastLook(-1, number))

    def _see(self, game: Game, seat: Seat, seen: LastLook) -> None:
        player = game.players[seat]
        look = LastLook(max(player.look.turn, seen.turn), max(player.look.letter, seen.letter))
        if look == player.look or player.account is None:
            return
        player.look = self._unsaved[game.row.id, player.account] = look
        self._save_in(SAVE_SECONDS)

    def _save_in(self, seconds: float) -> None:
        if self._timer is None and not self._stopped:
            self._timer = self._timers.callLater(seconds, self._rung)

    def _rung(self) -> None:
        self._timer = None
        self.save(SAVED_AT_ONCE)

    def save(self, most: int) -> None:
        """Save at most ``most`` markers, the longest waiting first."""
        if not self._unsaved:
            return
        saving = dict(islice(self._unsaved.items(), most))

        def saved(result: object) -> None:
            if isinstance(result, Failure):  # the store logs the error
                self._save_in(RETRY_SECONDS)
                return
            for key, look in saving.items():
                if self._unsaved.get(key) is look:
                    del self._unsaved[key]
            if self._unsaved:
                self._save_in(SAVE_SECONDS)

        self._store.write(stored_last_seen.put_all, saving).addBoth(saved)

    def stop(self) -> None:
        """Save the remaining markers. The store must be closed after that."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.save(len(self._unsaved))


def new_turns(row: GameRow, turn: int, look: LastLook) -> int:
    """Return the number of turns that have begun since a marker, up to ``turn`` if the game has started."""
    return 0 if row.started is None else max(0, turn - look.turn)
