"""Compatibility of a saved game with the installed version of its ruleset.

The version of a game is that of its newest snapshot. A newer ruleset continues the game, an older one cannot read it.
"""

from __future__ import annotations

from typing import Any

from tprules.api import Ruleset
from tpserver.store.games.rows import GameRow


def too_new(row: GameRow, rules: Ruleset[Any] | None) -> str:
    """Return why a ruleset is too old for a saved game; else an empty text.

    ``rules`` is None if the ruleset is not installed. Another message reports that.
    """
    if rules is None or row.ruleset_version <= rules.version:
        return ""
    return (
        f"game {row.name!r} cannot be loaded: its turn {row.turn} was saved by version {row.ruleset_version} of "
        f"ruleset {row.ruleset}, and version {rules.version} is installed. Install version {row.ruleset_version} or a "
        "newer one and restart the server; nothing is lost"
    )


def goes_on(row: GameRow, rules: Ruleset[Any]) -> str:
    """Return a note on a game saved by an older version, or an empty text."""
    if row.ruleset_version >= rules.version or row.state == "over":
        return ""
    return (
        f"{row.name}: turn {row.turn} was saved by version {row.ruleset_version} of ruleset {row.ruleset}; version "
        f"{rules.version} goes on from it, and the next turn is recorded as that version's"
    )


def version_words(row: GameRow, rules: Ruleset[Any] | None) -> str:
    """Return the version that saved a game, and the installed one if it differs."""
    if rules is None or rules.version == row.ruleset_version:
        return str(row.ruleset_version)
    return f"{row.ruleset_version} (installed: {rules.version})"
