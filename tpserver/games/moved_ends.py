"""The ends of turns that were moved, as the system's clock was set, until the store says so.

If that cannot be saved the game is read again as it was before: its turn would end too late, or too early.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from tpserver.games.clock import known_clock
from tpserver.games.game import Game
from tpserver.store.games import GameRow


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """A turn was ``due`` at that time, and ends so many ``seconds`` later, or sooner if they are negative."""

    due: float
    seconds: float


class MovedEnds:
    """What was moved of each game, and is not saved yet."""

    def __init__(self) -> None:
        self._moves: dict[int, list[Move]] = {}

    def __contains__(self, number: int) -> bool:
        """Return whether anything is not saved of the game with this id."""
        return number in self._moves

    def moved(self, game: Game, seconds: float) -> None:
        """Note that the end of a game's turn is about to be moved; ``being_saved`` is to follow."""
        if game.row.due is not None:
            self._moves.setdefault(game.row.id, []).append(Move(game.row.due, seconds))

    def being_saved(self, game: Game) -> None:
        """Forget what was moved of a game so far when what the game shows now is saved."""
        game.after_saving(partial(self._saved, game.row.id, self._moves[game.row.id][-1]))

    def _saved(self, number: int, last: Move) -> None:
        moves = self._moves.get(number, [])
        if last in moves:
            del moves[: moves.index(last) + 1]
        if not moves:
            self.forget(number)

    def forget(self, number: int) -> None:
        self._moves.pop(number, None)

    def applied(self, row: GameRow, now: float) -> GameRow:
        """Return a row as the store has it with what was moved and not saved.

        A row that is due at another time than that from which any move went has been changed since: all is saved.
        """
        moves, clock = self._moves.get(row.id, []), known_clock(row.clock)
        first = next((at for at, move in enumerate(moves) if move.due == row.due), None)
        if first is None or row.due is None or row.deadline is None or row.state != "running" or clock is None:
            self.forget(row.id)
            return row
        due = clock.moved(row.due, sum(move.seconds for move in moves[first:]), now)
        return replace(row, due=due, deadline=row.deadline + due - row.due)
