"""Anonymous games: nobody but an account itself is told which seat it has, before the game is over.

In memory the players of such a game are called by their seats (`seat_name`), and the names of their accounts are apart
(`Player.account_name`), so that no frame, text or title that is made of the names of players can tell any other.  As
the game ends they get their names (`revealing`), and one message tells who was who.

*   Before the start only the number of players is told: which seats are taken is nobody's business, for whoever has
    just invited a friend would know the friend's (`taken_for`).  Whoever joins gets any of the open seats.
*   What is known of an account in all games (its reliability, when it is on vacation, whom it has blocked) would tell
    who it is: such a game tells nothing of it, waits for no vacations, and has blocks of its own.
*   A bot of the server has no account, and is called a bot.  A program that plays with an account is not.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tprules.api import Seat

if TYPE_CHECKING:
    from tpserver.store.games import GameRow, SeatRow

WORDS = "nobody is told who plays before it is over"
"""What an anonymous game is, for people, without a full stop."""

MAKER = "Whoever has made the game"
"""How players are told that the account that has made an anonymous game has done something to it."""

NO_VACATIONS = "an anonymous game waits for no vacations, for those of a player are told in other games, too"


def hides(row: GameRow) -> bool:
    """Return whether nobody is told who plays a game; ``row`` is as it is now, not that of an old turn."""
    return bool(row.anonymous) and row.state != "over"


def seat_name(seat: Seat) -> str:
    """Return what the player of a seat is called whose name is not told; no account can have such a name."""
    return f"Player {seat + 1}"


def any_of(seats: Sequence[Seat]) -> Seat:
    """Return one of the open seats, so that the order in which accounts join tells nothing."""
    return secrets.choice(seats)


def taken_for(seats: int, taken: int, own: Seat | None) -> frozenset[Seat]:
    """Return the seats of which one is told that they are taken, in an anonymous game that waits for players.

    ``taken`` is how many are.  They are the ``own`` one, if there is one, and the first ones besides.
    """
    mine = [] if own is None else [own]
    others = [seat for seat in range(seats) if seat != own]
    return frozenset([*mine, *others[: max(0, taken - len(mine))]])


def names_told(row: GameRow, seats: Sequence[SeatRow], account: int) -> list[str]:
    """Return the names that an account is told of the players of a game as the store has it; empty: it is open."""
    if not hides(row):
        return [seat.name for seat in seats]
    shown = frozenset(seat.seat for seat in seats if not seat.empty)
    if row.started is None:
        own = next((seat.seat for seat in seats if seat.account == account), None)
        shown = taken_for(len(seats), len(shown), own)
    return [seat_name(seat.seat) if seat.seat in shown else "" for seat in seats]


def plain(text: str) -> str:
    """Return a text in which nothing stands for the name of a player."""
    return text.replace("{", "(").replace("}", ")")
