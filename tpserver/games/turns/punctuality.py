"""Seats that kept or missed a closing turn, and the report about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tprules.api import Report, Seat
from tprules.api import player as player_text
from tpserver.games.core import attendance, phases
from tpserver.games.core.game import Game
from tpserver.games.terms.seat_policy import BOT, SeatRecord


def kept_turn(game: Game, ran_out: bool) -> dict[Seat, bool]:
    """Return the seats from which the present turn was due, and whether they kept it (see `terms.seat_policy`).

    ``ran_out``: it closes because its time ran out.
    """
    acted = game.finished.union(game.reordered.values())
    awaited = set(attendance.awaited(game)) if ran_out else set()
    playing = [seat for seat in phases.active(game) if seat not in game.resigned]
    players = [game.players[seat] for seat in playing]
    people = [
        one.seat
        for one in players
        if one.is_person and not one.record.fresh and not attendance.bot_plays(game, one.seat)
    ]
    return {seat: seat in acted for seat in people if seat in acted or seat in awaited}


def records_after(game: Game, kept: Mapping[Seat, bool]) -> dict[Seat, SeatRecord]:
    """Return the records of seats that change at the end of the current turn.

    ``kept`` has the turns kept and missed.
    """
    changed = {seat: game.players[seat].record.after_turn(was_kept) for seat, was_kept in kept.items()}
    for seat in phases.active(game):
        record = game.players[seat].record
        if record.autopilot:
            changed[seat] = replace(record, autopilot=record.autopilot - 1)
    for player in game.players:
        if player.record.fresh:
            changed[player.seat] = replace(changed.get(player.seat, player.record), fresh=False)
    return changed


def flown(game: Game) -> list[Report]:
    """Return the reports on seats that the bot has played for their players.

    Each of them gets a report about the turn. All players get one when the bot stops.
    """
    reports = []
    for seat in phases.active(game):
        left = game.players[seat].record.autopilot - 1
        if left < 0:
            continue
        more = f"It plays {left} more {'turn' if left == 1 else 'turns'} of yours." if left else "You play again now."
        reports.append(Report(seat, "Autopilot", f"The bot of the rules has played this turn for you. {more}"))
        if not left:
            reports.append(Report(None, "Autopilot", f"{player_text(seat)} plays again, and the bot no more for them."))
    return reports


def not_waited_for(seats: Iterable[Seat]) -> list[Report]:
    """Return the public report on the ``seats`` that had not finished when the time of the turn ran out."""
    listed = names(seats)
    if not listed:
        return []
    return [Report(None, "The time ran out", f"{listed} had not finished. The orders given until then count.")]


def gone(game: Game, kept: Mapping[Seat, bool]) -> list[Report]:
    """Return the public report on the seats for which the game stops waiting, as they have missed this turn, too."""
    after = game.policy.absent_after
    listed = [seat for seat, was_kept in kept.items() if not was_kept and game.players[seat].record.missed == after - 1]
    if not listed:
        return []
    has, turns = ("has" if len(listed) == 1 else "have"), ("a turn" if after == 1 else f"{after} turns in a row")
    text = f"{names(listed)} {has} missed {turns}. The game does not wait for them until they are back."
    if game.policy.absent == BOT:
        text += " Until then the bot of the rules plays for them."
    return [Report(None, "Not waited for", text)]


def names(seats: Iterable[Seat]) -> str:
    """Return the names of players as part of a sentence, for a report; empty for none."""
    found = [player_text(seat) for seat in seats]
    return f"{', '.join(found[:-1])} and {found[-1]}" if len(found) > 1 else "".join(found)
