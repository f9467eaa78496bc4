"""Notifications of the time remaining to the connections of a game."""

from __future__ import annotations

from dataclasses import replace

from tpserver.games.core import attendance, phases
from tpserver.games.core.game import Game
from tpserver.games.core.time_left import REQUESTED, Reason, TimeLeft
from tpserver.games.terms.clock import seconds_left


def time_left(game: Game, reason: Reason, now: float) -> TimeLeft:
    """Return the time remaining in the turn, and the delay of a game for its spectators.

    It is 0 seconds only while the turn is being computed. Clients request it often. So the result is the same object
    while nothing changes in a started game without a delay.
    """
    left = _for_players(game, reason, now)
    return replace(left, delay=game.delay, present=game.newest, encoded={}) if game.delay else left


def _for_players(game: Game, reason: Reason, now: float) -> TimeLeft:
    seconds = 0 if game.closing else seconds_left(game.row.next_end(now), now)
    finished, phase = game.finished, phases.phase_of(game) if game.started and not game.over else None
    is_kept = reason == REQUESTED and game.started and not game.is_held
    if game.known_time is not None and is_kept:
        left, then_finished, then_phase = game.known_time
        if left.seconds == seconds and then_finished == finished and then_phase is phase:
            return left
    waiting = tuple(seat + 1 for seat in attendance.awaited_if_playable(game))
    left = TimeLeft(seconds, reason, game.state.turn, phases.title(game), waiting)
    if is_kept:  # before the start, the title has the number of players
        game.known_time = left, finished, phase
    return left


def tell_time(game: Game, reason: Reason, now: float) -> None:
    """Send the time remaining to all connections of the game, once the data is durable."""
    left = time_left(game, reason, now)
    game.saving.after_saving(lambda: _tell(game, left))


def _tell(game: Game, left: TimeLeft) -> None:
    for subscriber in list(game.subscribers):
        subscriber.time_left(left)
