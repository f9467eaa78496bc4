"""Press: the messages that players of a game may write to each other.

It is chosen when the game is created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line uses these words without a database
    from tpserver.store.games.rows import GameRow

NONE, PUBLIC, PRIVATE = "none", "public", "private"
PRESS = (NONE, PUBLIC, PRIVATE)
"""The press rules: no messages, messages to all only, or to all and to single players."""

MOST_DAYS = 366
"""Maximum days of an account's silence, under any press rule."""

WORDS = {
    NONE: "players write nothing to each other",
    PUBLIC: "players write to everybody at once only",
    PRIVATE: "players write to each other and to everybody",
}
"""Each rule for people, without a full stop."""


def press_of(row: GameRow) -> str:
    """Return the press rule of a game.

    It is PRIVATE for games from before press rules existed, and NONE for an unknown rule.
    """
    press = row.press or PRIVATE
    return press if press in PRESS else NONE
