"""Guest rule of a game: no guests, silent guests, or guests.

It is chosen when the game is created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line uses these words without a database
    from tpserver.store.games.rows import GameRow

NO, SILENT, YES = "no", "silent", "yes"
GUESTS = (NO, SILENT, YES)
"""Guest rules: guests may not join, may join without the right to write, or may join like all others."""

WORDS = {NO: "no guests", SILENT: "guests may join, but write to nobody", YES: "guests may join"}
"""Each rule as words for people, without a full stop."""


def guests_of(row: GameRow) -> str:
    """Return the guest rule of a game: NO for old games, and for rules unknown to this version."""
    return row.guests if row.guests in GUESTS else NO
