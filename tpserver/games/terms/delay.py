"""Delay of spectators: the turns by which they see a game later.

It is chosen when the game is created, and can only grow after the start. So spectators never see an action earlier than
the delay at its time allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tprules.printable import quoted

if TYPE_CHECKING:  # the command line uses these words without a database
    from tpserver.store.games.rows import GameRow

MOST_DELAY = 50
"""Maximum turns by which a game is shown later."""

UNWATCHED = -1
"""Delay of a game that spectators cannot see before its end."""

CLOSED = "closed"
"""Typed form of UNWATCHED."""


class BadDelay(ValueError):
    """A game cannot have such a delay. The message is one sentence for the requester, without a full stop."""


def delay_from(text: str) -> int:
    """Return a typed delay: a number of turns, or CLOSED. Raises BadDelay."""
    plain = text.strip()
    if plain.casefold() == CLOSED:
        return UNWATCHED
    delay = int(plain) if plain.isascii() and plain.isdecimal() and len(plain) <= 3 else MOST_DELAY + 1
    try:
        check(delay)
    except BadDelay as error:
        raise BadDelay(f"{quoted(text)} is no delay: {error}") from None
    return delay


def typed(delay: int) -> str:
    """Return a delay as it would be typed."""
    return CLOSED if delay == UNWATCHED else str(delay)


def check(delay: int) -> None:
    """Raise BadDelay unless a game can have this delay."""
    if delay != UNWATCHED and not 0 <= delay <= MOST_DELAY:
        raise BadDelay(f"spectators see a game 0 to {MOST_DELAY} turns later, or if it is {CLOSED}, not before its end")


def delay_of(row: GameRow) -> int:
    """Return the turns of delay of a game, or UNWATCHED; 0 for games from before delays existed."""
    delay = row.watch_delay or 0
    return delay if 0 <= delay <= MOST_DELAY else UNWATCHED


def is_shown_later(row: GameRow) -> bool:
    """Return whether spectators do not see the current turn of a game, because of its delay."""
    return delay_of(row) != 0 and row.state != "over"


def is_shorter(new: int, old: int) -> bool:
    """Return whether the delay ``new`` shows anything sooner than ``old``."""
    return new != UNWATCHED and (old == UNWATCHED or new < old)


def later(delay: int) -> str:
    """Return the delay of a game as words, such as "3 turns later"."""
    return f"{delay} turn{'' if delay == 1 else 's'} later"


def words(delay: int) -> str:
    """Return the description of a delay, without a full stop."""
    if delay == UNWATCHED:
        return "nobody watches this game before it is over"
    return f"spectators see this game {later(delay)}" if delay else "spectators see this game as it is"
