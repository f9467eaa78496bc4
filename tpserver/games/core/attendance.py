"""Attendance of seats: awaited and absent seats, and those that the rules' bot plays."""

from __future__ import annotations

from collections.abc import Iterable

from tprules.api import Seat
from tpserver.games.core import phases
from tpserver.games.core.game import Game
from tpserver.games.core.player import Player
from tpserver.games.terms.seat_policy import BOT


def is_absent(game: Game, seat: Seat) -> bool:
    """Return whether the game does not wait for the player of a seat.

    The player has missed too many turns in a row, or was silent for too many days. Finishing a turn or changing an
    order ends the absence. A seat without a player is absent, too. No seat is absent before the start and after the
    end.
    """
    record = game.players[seat].record
    is_away = record.vacant or record.away or 0 < game.policy.absent_after <= record.missed
    return is_away and game.started and not game.over


def seeks_player(game: Game, seat: Seat) -> bool:
    """Return whether another player can take a seat of the running game."""
    if not game.started or game.over or seat in game.resigned:
        return False
    return game.players[seat].record.seeks or (game.policy.seeks and is_absent(game, seat))


def somebody_is_there(game: Game) -> bool:
    """Return whether a person plays a seat, without a resignation or absence."""
    return any(not is_absent(game, player.seat) for player in _people(game))


def _people(game: Game) -> list[Player]:
    """Return the people who have seats and have not resigned."""
    return [player for player in game.players if player.is_person and player.seat not in game.resigned]


def bot_plays(game: Game, seat: Seat) -> bool:
    """Return whether the rules' bot plays a seat now: its own seat, a seat left to it, or an absent player's."""
    player = game.players[seat]
    if seat in game.resigned:
        return False
    if player.bot or player.record.autopilot:
        return True
    return game.policy.absent == BOT and is_absent(game, seat) and somebody_is_there(game)


def nobody_plays(game: Game) -> bool:
    """Return whether no player with a seat plays now.

    All players, at least one, are absent or have left their seats to the bot. Then turns end by their clock only.
    Otherwise the game could run to its end in a minute before a player returns.
    """
    people = _people(game)
    return bool(people) and all(player.record.autopilot or is_absent(game, player.seat) for player in people)


def waited_for(game: Game, active: Iterable[Seat]) -> list[Seat]:
    """Return the active seats that a turn waits for, finished or not.

    It does not wait for players who have resigned, but for a bot that plays an absent seat. It also waits for
    absent players while no others are present, as otherwise the game would run on without all of them.
    """
    seats = [seat for seat in active if seat not in game.resigned]
    present = [seat for seat in seats if not is_absent(game, seat) or bot_plays(game, seat)]
    return present if len(present) == len(seats) or somebody_is_there(game) else seats


def awaited(game: Game) -> list[Seat]:
    """Return the active seats for which the turn waits and that have not finished."""
    return [seat for seat in waited_for(game, phases.active(game)) if seat not in game.finished]


def awaited_if_playable(game: Game) -> list[Seat]:
    """Return the awaited seats; none while the game is suspended, as no player can act then."""
    return [] if game.is_held else awaited(game)


def is_asked(game: Game, seat: Seat) -> bool:
    """Return whether agreements need the vote of a seat's player.

    The player must be a person who has not resigned. Silent players are not asked, nor those who have missed their
    last due turn and have not finished this one.
    """
    player = game.players[seat]
    if not player.is_person or seat in game.resigned or player.record.away:
        return False
    return not player.record.missed or seat in game.finished
