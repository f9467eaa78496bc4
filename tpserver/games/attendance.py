"""Which seats have kept a turn that closes, which have missed it, and what all are told of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tprules.api import Report, Seat, player
from tpserver.games.game import Game


def kept_turn(game: Game, ran_out: bool) -> dict[Seat, bool]:
    """Return the seats from which the present turn was due, and whether they have kept it (`tpserver.games.seating`).

    ``ran_out``: it closes because its time ran out.
    """
    acted = game.finished.union(game.reordered.values())
    awaited = set(game.awaited()) if ran_out else set()
    people = [seat for seat in game.active() if game.players[seat].account is not None]
    return {seat: seat in acted for seat in people if seat in acted or seat in awaited}


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
    return [Report(None, "Not waited for", text)]


def names(seats: Iterable[Seat]) -> str:
    """Return the names of players as part of a sentence, for a report; empty for none."""
    found = [player(seat) for seat in seats]
    return f"{', '.join(found[:-1])} and {found[-1]}" if len(found) > 1 else "".join(found)
