"""Which version of its ruleset a game was saved by, and what that means for the version that is installed.

A game names the version that wrote its newest snapshot.  A newer one goes on from it, an older one cannot read it.
"""

from __future__ import annotations

from typing import Any

from tprules.api import Ruleset
from tpserver.store.games import GameRow


def too_new(row: GameRow, rules: Ruleset[Any] | None) -> str:
    """Return why the installed ruleset cannot go on with a game that a newer version saved; else an empty text.

    ``rules`` is None if the ruleset is not installed, which is told elsewhere.
    """
    if rules is None or row.ruleset_version <= rules.version:
        return ""
    return (
        f"game {row.name!r} cannot be loaded: its turn {row.turn} was saved by version {row.ruleset_version} of "
        f"ruleset {row.ruleset}, and version {rules.version} is installed. Install version {row.ruleset_version} or a "
        "newer one and restart the server; nothing is lost"
    )


def goes_on(row: GameRow, rules: Ruleset[Any]) -> str:
    """Return what to say of a game that an older version saved; else an empty text."""
    if row.ruleset_version >= rules.version or row.state == "over":
        return ""
    return (
        f"{row.name}: turn {row.turn} was saved by version {row.ruleset_version} of ruleset {row.ruleset}; version "
        f"{rules.version} goes on from it, and the next turn is recorded as that version's"
    )


def version_words(row: GameRow, rules: Ruleset[Any] | None) -> str:
    """Return the version that saved a game, and the one that is installed if that is another."""
    if rules is None or rules.version == row.ruleset_version:
        return str(row.ruleset_version)
    return f"{row.ruleset_version} (installed: {rules.version})"
