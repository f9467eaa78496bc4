"""Time banks, vacations and deadlines of a turn, computed from the state of a game.

Changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tprules.api import Seat
from tpserver.games.core import attendance, phases
from tpserver.games.core.game import Game

DAY = 86_400.0
BACK_SECONDS = DAY
"""Seconds that a player has for a waiting turn after a vacation."""


def clock_reads(game: Game, now: float) -> float:
    """Return ``now``, or for a paused game the time of its pause."""
    row = game.row
    return now if row.state != "paused" or row.due is None or row.left is None else row.due - row.left


def bank_of(game: Game, seat: Seat) -> float:
    """Return the seconds that a seat had in its time bank as the turn began, or 0 without banks."""
    rule = game.clock.bank
    return 0.0 if rule is None else min(game.banks.get(seat, rule.seconds), rule.seconds)


def bank_used(game: Game, seat: Seat, now: float) -> float:
    """Return the seconds of its time bank that a seat has used in this turn."""
    if seat in game.finished:
        return game.used.get(seat, 0.0)
    if game.row.due is None or seat not in phases.active(game):
        return 0.0
    late = clock_reads(game, now) - game.row.due - game.clock.grace - _late_before(game, seat, game.row.due)
    return min(bank_of(game, seat), max(0.0, late))


def _late_before(game: Game, seat: Seat, due: float) -> float:
    """Return the lateness in seconds of a turn that was ``due`` when the player took the seat."""
    record = game.players[seat].record
    return max(0.0, record.since - due - game.clock.grace) if record.fresh else 0.0


def _banks_of(game: Game, seats: Iterable[Seat], due: float | None) -> list[float]:
    """Return the seconds for which a turn that is ``due`` waits for each of these seats, after its grace."""
    late = {} if due is None else {seat: _late_before(game, seat, due) for seat in seats}
    return [bank + late.get(seat, 0.0) if (bank := bank_of(game, seat)) else bank for seat in seats]


def banks_after(game: Game, now: float) -> dict[Seat, float]:
    """Return the time banks after a closing of the turn at ``now``; empty if the game has none."""
    rule = game.clock.bank
    if rule is None:
        return {}
    after = {player.seat: bank_of(game, player.seat) for player in game.players}
    for seat in phases.active(game):
        after[seat] = min(rule.seconds, after[seat] - bank_used(game, seat, now) + rule.plus)
    return after


def deadline_of(game: Game, due: float | None, awaited: Iterable[Seat]) -> float | None:
    """Return the latest end of a turn that is ``due`` and waits for these seats."""
    seats = list(awaited)
    return with_vacations(game, game.clock.deadline(due, _banks_of(game, seats, due)), seats, game.waited)


def with_vacations(
    game: Game, ends: float | None, awaited: Iterable[Seat], waited: Mapping[Seat, float]
) -> float | None:
    """Return the end of a turn, extended for vacations of these seats.

    ``ends`` is its end without vacations. ``waited`` has the seconds that turns have already waited for each seat.
    """
    if ends is None or not game.clock.vacation:
        return ends
    return max((_back(game, seat, ends, waited) or ends for seat in awaited), default=ends)


def _back(game: Game, seat: Seat, ends: float, waited: Mapping[Seat, float]) -> float | None:
    """Return until when a turn with this end waits for a seat, or None."""
    left = DAY * game.clock.vacation - waited.get(seat, 0.0)
    away = next((one for one in game.players[seat].vacations if one.begins <= ends < one.ends), None)
    return None if away is None or left <= 0 else min(away.ends, ends + left) + BACK_SECONDS


def on_vacation(game: Game, seat: Seat, now: float) -> float | None:
    """Return the end of a player's vacation in a game that waits for vacations, or None."""
    if not game.clock.vacation or game.clock.vacation * DAY <= game.waited.get(seat, 0.0):
        return None
    return next((one.ends for one in game.players[seat].vacations if one.begins <= now < one.ends), None)


def waited_after(game: Game, now: float) -> dict[Seat, float]:
    """Return the seconds that turns have waited for each seat on vacation, if this one closes at ``now``."""
    waited = dict(game.waited)
    if game.row.due is None or not game.clock.vacation:
        return waited
    seats = attendance.awaited(game)
    ends = game.clock.deadline(game.row.due, _banks_of(game, seats, game.row.due))
    assert ends is not None
    for seat in seats:
        back = _back(game, seat, ends, game.waited)
        if back is not None and now > ends:
            waited[seat] = waited.get(seat, 0.0) + min(now, back - BACK_SECONDS) - ends
    return waited


def deadline_columns(game: Game, due: float | None, awaited: Iterable[Seat], now: float) -> dict[str, Any]:
    """Return the columns of a turn that is ``due`` and awaits these seats, with its clock running from now on."""
    return {"due": due, "deadline": deadline_of(game, due, awaited), "ran": now}
