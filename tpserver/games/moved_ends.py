"""By which clock the ends of turns are that the store has, as the system's clock is set now and then.

Ends are moved with the clock.  If that cannot be saved, or if a change that is being saved then cannot be, the game is
read again as the store has it: its end is to be moved by what the clock was set since that was saved.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tpserver.games.clock import known_clock
from tpserver.games.game import Game
from tpserver.store.games import GameRow


class MovedEnds:
    """What the clock was set by when the ends of games were saved; for games that are in memory."""

    def __init__(self) -> None:
        self.set_by = 0.0
        """The seconds by which the system's clock was set since the start, forward less back."""
        self._saved_by: dict[int, float] = {}
        """By game id: what ``set_by`` was when the end was given that the store has."""

    def came(self, number: int) -> None:
        """Note that a game has come into memory, whose end is by the clock as it is; unless it is read again."""
        self._saved_by.setdefault(number, self.set_by)

    def forget(self, number: int) -> None:
        """Forget a game that leaves memory."""
        self._saved_by.pop(number, None)

    def given(self, game: Game) -> None:
        """Note that the end of a turn was given to the store, by the clock as it is."""
        game.after_saving(partial(self._saved, game.row.id, self.set_by))

    def _saved(self, number: int, set_by: float) -> None:
        if number in self._saved_by:
            self._saved_by[number] = set_by

    def owed(self, game: Game) -> bool:
        """Return whether the store has the end of a game's turn by the clock as it was."""
        return self._seconds(game.row) != 0

    def _seconds(self, row: GameRow) -> float:
        if row.state != "running" or row.due is None or row.deadline is None:
            return 0.0
        return self.set_by - self._saved_by.get(row.id, self.set_by)

    def applied(self, row: GameRow, now: float) -> GameRow:
        """Return a row as the store has it with the end of its turn by the clock as it is."""
        return moved(row, self._seconds(row), now)


def moved(row: GameRow, seconds: float, now: float) -> GameRow:
    """Return the row of a running game with the end of its turn so many seconds later, or sooner (`Clock.moved`)."""
    clock = known_clock(row.clock)
    if not seconds or row.due is None or row.deadline is None or clock is None:
        return row
    due = clock.moved(row.due, seconds, now)
    return replace(row, due=due, deadline=row.deadline + due - row.due)
