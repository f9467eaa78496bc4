"""Sessions in games. The registry ends those that must not see a game before it shows a change."""

from __future__ import annotations

from typing import Protocol

from tprules.api import Seat
from tpserver.games.core.game import Game


class Visitor(Protocol):
    """A session in the view of the games."""

    @property
    def account_id(self) -> int | None: ...

    @property
    def game(self) -> Game | None:
        """The game of the session, also at an old turn, or None."""

    @property
    def seat(self) -> Seat | None: ...

    def end(self, reason: str) -> None: ...

    def game_deleted(self, name: str) -> None: ...


class Presence:
    """The sessions of a server. Used on the reactor's thread."""

    def __init__(self) -> None:
        self.sessions: set[Visitor] = set()

    def is_online(self, account: int) -> bool:
        """Return whether a session is logged in to an account."""
        return any(session.account_id == account for session in self.sessions)

    def is_in(self, game: Game) -> bool:
        """Return whether a session is in a game or its turn history."""
        return bool(self._in(game))

    def is_looked_at(self, game: Game) -> bool:
        """Return whether a connection is in a game or its turn history now."""
        return bool(game.subscribers) or self.is_in(game)

    def end_player(self, game: Game, account: int, why: str) -> None:
        """End the sessions of an account that has lost its seat, also those in the turn history."""
        for session in self._in(game):
            if session.account_id == account:
                session.end(why)

    def end_spectator(self, game: Game, account: int) -> None:
        """End the sessions in which an account watches a game, as it now has a seat there."""
        for session in self._in(game):
            if session.account_id == account and session.seat is None:
                session.end(plays_there(game.name))

    def end_removed(self, game: Game) -> None:
        """End the sessions in a removed game, also those in the turn history."""
        for session in self._in(game):
            session.game_deleted(game.name)

    def _in(self, game: Game) -> list[Visitor]:
        return [one for one in self.sessions if one.game is not None and one.game.row.id == game.row.id]


def plays_there(game: str) -> str:
    """Return the refusal for a player who tries to watch the own game."""
    return f"you have a seat in the game {game!r}, so you cannot also watch it"
