"""A seat of a game and its player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tprules.api import Seat
from tpserver.games.terms.anonymity import hides, seat_name
from tpserver.games.terms.seat_policy import NO_RECORD, SeatRecord, record_from
from tpserver.store.games.rows import GameRow, SeatRow
from tpserver.store.games.vacations import Vacation
from tpserver.store.people.last_seen import NEVER, LastLook


@dataclass(slots=True)
class Player:
    """A seat and its player."""

    seat: Seat
    name: str = ""
    """The name that all see; empty while the seat is open."""
    account: int | None = None
    bot: bool = False
    since: int = 0
    """Time when the seat was taken or left, or its player renamed (`Game.next_player_time`); 0: never."""
    record: SeatRecord = NO_RECORD
    vacations: Sequence[Vacation] = ()
    """Vacations of the account, the earliest first."""
    look: LastLook = NEVER
    """Last-seen marker of the account (`tpserver.games.hall.last_seen`). Only the account itself may see it."""
    account_name: str = ""
    """The name of the account or bot; in an anonymous game ``name`` differs. Empty while the seat is open."""

    @property
    def is_person(self) -> bool:
        """True if a person has the seat, present or not."""
        return self.account is not None and not self.bot


def player_of(row: GameRow, seat: SeatRow) -> Player:
    """Return the player of a stored seat of a game; ``row`` is the present one."""
    name = seat_name(seat.seat) if hides(row) and seat.name else seat.name
    return Player(seat.seat, name, seat.account, seat.bot, record=record_from(seat.record), account_name=seat.name)
