"""Anonymous games: players stay unknown to each other until the end.

An account learns only its own seat. In memory a player has the name of its seat (`seat_name`). The name of its account
is stored separately (`Player.account_name`). So no frame, text or title with names of players can reveal another
player. At the end the players get their names, and one message lists them (`revealing`).

*   Before the start, others see only the number of players, not which seats are taken. A player who has just invited a
    friend would otherwise know the friend's seat (`taken_for`). New players get a random open seat.
*   Facts about an account in all games would identify it: its reliability, its vacations and its blocks. An anonymous
    game shows none of them, waits for no vacations, and has separate blocks.
*   A bot of the server has no account, and is labeled as a bot. A program that plays with an account is not.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tprules.api import Seat

if TYPE_CHECKING:
    from tpserver.store.games.rows import GameRow, SeatRow

WORDS = "the players stay hidden until the game is over"
"""Short description of an anonymous game, without a full stop."""

MAKER = "The owner of the game"
"""Name of the owner of an anonymous game in messages to its players."""

NO_VACATIONS = "an anonymous game cannot wait for vacations: other games show them"


def hides(row: GameRow) -> bool:
    """Return whether a game hides its players now; ``row`` is the present one, not that of an old turn."""
    return bool(row.anonymous) and row.state != "over"


def seat_name(seat: Seat) -> str:
    """Return the name shown for a player whose own name is hidden; no account can have such a name."""
    return f"Player {seat + 1}"


def any_of(seats: Sequence[Seat]) -> Seat:
    """Return a random open seat, so that seats do not reveal the order in which accounts joined."""
    return secrets.choice(seats)


def taken_for(seats: int, taken: int, own: Seat | None) -> frozenset[Seat]:
    """Return the seats shown as taken while an anonymous game is waiting.

    ``taken`` is their number. They are the ``own`` one, if any, and then the first others.
    """
    mine = [] if own is None else [own]
    others = [seat for seat in range(seats) if seat != own]
    return frozenset([*mine, *others[: max(0, taken - len(mine))]])


def names_told(row: GameRow, seats: Sequence[SeatRow], account: int) -> list[str]:
    """Return the names of the players of a stored game, as an account may see them; empty for an open seat."""
    if not hides(row):
        return [seat.name for seat in seats]
    shown = frozenset(seat.seat for seat in seats if not seat.empty)
    if row.started is None:
        own = next((seat.seat for seat in seats if seat.account == account), None)
        shown = taken_for(len(seats), len(shown), own)
    return [seat_name(seat.seat) if seat.seat in shown else "" for seat in seats]


def plain(text: str) -> str:
    """Return a text without placeholders for names of players."""
    return text.replace("{", "(").replace("}", ")")
