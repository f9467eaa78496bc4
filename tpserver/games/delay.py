"""By how many turns spectators see a game later than its players, which is chosen when it is made.

It only grows once the game has begun: what players did while it was hidden for so many turns is seen no sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tprules.printable import quoted

if TYPE_CHECKING:  # the command line knows these words, and loads no database for them
    from tpserver.games.game import Game
    from tpserver.store.games import GameRow

MOST_DELAY = 50
"""Maximum turns by which a game is shown later."""

UNWATCHED = -1
"""In the place of a number of turns: nobody watches the game before it is over."""

CLOSED = "closed"
"""How that is typed."""


class BadDelay(ValueError):
    """A game cannot be shown so late; the message is one sentence for whoever wants that, without its end."""


def delay_from(text: str) -> int:
    """Return the delay that was typed: a number of turns, or CLOSED.  Raises BadDelay."""
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
    """Raise BadDelay unless a game can be shown so many turns later."""
    if delay != UNWATCHED and not 0 <= delay <= MOST_DELAY:
        raise BadDelay(f"spectators see a game 0 to {MOST_DELAY} turns later, or if it is {CLOSED}, not before its end")


def delay_of(row: GameRow) -> int:
    """Return by how many turns a game is shown later, or UNWATCHED; 0 for games made before there was a delay."""
    delay = row.watch_delay or 0
    return delay if 0 <= delay <= MOST_DELAY else UNWATCHED


def is_shown_later(row: GameRow) -> bool:
    """Return whether whoever has no seat in a game does not see its present turn: it is shown later, and not over."""
    return delay_of(row) != 0 and row.state != "over"


def is_shorter(new: int, old: int) -> bool:
    """Return whether with the delay ``new`` anything is seen sooner than with ``old``."""
    return new != UNWATCHED and (old == UNWATCHED or new < old)


def newest_shown(game: Game) -> int | None:
    """Return the newest turn that whoever has no seat sees of a game now; None if there is none yet."""
    if not game.started:
        return None
    if not is_shown_later(game.row):
        return game.state.turn
    delay = delay_of(game.row)
    return None if delay == UNWATCHED or game.state.turn < delay else game.state.turn - delay


def later(delay: int) -> str:
    """Return how much later a game is shown, as "3 turns later"."""
    return f"{delay} turn{'' if delay == 1 else 's'} later"


def words(delay: int) -> str:
    """Return what is told of a delay, without a full stop."""
    if delay == UNWATCHED:
        return "nobody watches this game before it is over"
    return f"spectators see this game {later(delay)}" if delay else "spectators see this game as it is"


def not_yet(game: Game) -> str:
    """Return what is told while nothing of a game that is shown later can be seen, without a full stop."""
    delay = delay_of(game.row)
    return f"the game {game.name} shows its turns {later(delay)}, so its turn 0 is seen when turn {delay} begins"
