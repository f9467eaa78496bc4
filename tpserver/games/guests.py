"""Whether guests join a game, which is chosen when it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line knows these words, and loads no database for them
    from tpserver.store.games import GameRow

NO, SILENT, YES = "no", "silent", "yes"
GUESTS = (NO, SILENT, YES)
"""Guests do not join; they join and write to nobody but themselves; they join as all others do."""

WORDS = {NO: "no guests", SILENT: "guests may join, but write to nobody", YES: "guests may join"}
"""Each for people, without a full stop."""


def guests_of(row: GameRow) -> str:
    """Return what a game says about guests: NO for those made before there were any, and for what is not known here."""
    return row.guests if row.guests in GUESTS else NO
