"""Guest rule of a game: no guests, silent guests, or guests.

It is chosen when the game is created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line knows these words, and loads no database for them
    from tpserver.store.games.rows import GameRow

NO, SILENT, YES = "no", "silent", "yes"
GUESTS = (NO, SILENT, YES)
"""Guest rules: guests may not join, may join but write to nobody, or may join like all others."""

WORDS = {NO: "no guests", SILENT: "guests may join, but write to nobody", YES: "guests may join"}
"""Each for people, without a full stop."""


def guests_of(row: GameRow) -> str:
    """Return the guest rule of a game: NO for old games, and for rules unknown to this version."""
    return row.guests if row.guests in GUESTS else NO
