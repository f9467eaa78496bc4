"""Which games' rules ended a server, in a file of the data directory: the next server holds these games before it
serves.

Written by the parent while no server runs, and by the server when it starts and when an operator resumes a game.
Standard library only, as the parent imports it, too.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FILE = "verdicts.json"

ROW = 3
"""Number of ends in a row by one ruleset after which all its games are held."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whose rules ended a server (game 0: one not created yet), and why, as one sentence for the operator."""

    game: int
    ruleset: str
    reason: str


@dataclass
class Verdicts:
    """The record of one data directory; with ``directory`` None it is not saved."""

    directory: Path | None = field(default=None, compare=False)
    pending: list[Verdict] = field(default_factory=list)
    """Verdicts that no server has carried out yet."""
    row: list[str] = field(default_factory=list)
    """The rulesets of the last ends, the newest last; at most ROW."""
    ends: dict[int, int] = field(default_factory=dict)
    """By game id: how often its rules ended a server since the operator resumed it."""

    def add(self, verdict: Verdict) -> None:
        """Add a verdict and save the record.  Raises OSError."""
        self.pending.append(verdict)
        self.row = [*self.row, verdict.ruleset][-ROW:]
        if verdict.game:
            self.ends[verdict.game] = self.ends.get(verdict.game, 0) + 1
        self.save()

    def condemned(self) -> str | None:
        """Return the ruleset whose games are all to be held; None if there is none."""
        named = set(self.row) if len(self.row) == ROW else set()
        return named.pop() or None if len(named) == 1 else None

    def unreadable(self) -> list[int]:
        """Return the games that must not be loaded: their rules ended a server again after they were held."""
        return [game for game, ends in self.ends.items() if ends > 1]

    def forgive(self, game: int, ruleset: str) -> None:
        """Delete the history of a game and its ruleset, as the operator resumes it.  Raises OSError."""
        if game in self.ends or ruleset in self.row:
            self.ends.pop(game, None)
            self.row = [name for name in self.row if name != ruleset]
            self.save()

    def save(self) -> None:
        """Save the record.  Raises OSError."""
        if self.directory is not None:
            new = self.directory / f"{FILE}.new"
            pending = [asdict(verdict) for verdict in self.pending]
            new.write_text(json.dumps({"pending": pending, "row": self.row, "ends": self.ends}, indent=1))
            new.replace(self.directory / FILE)


def read(directory: Path) -> Verdicts:
    """Return the record of a data directory; an unreadable file counts as none, as it only adds to the store."""
    try:
        data: Any = json.loads((directory / FILE).read_bytes())
        return Verdicts(
            directory,
            [Verdict(**verdict) for verdict in data["pending"]],
            [str(name) for name in data["row"]],
            {int(game): int(ends) for game, ends in data["ends"].items()},
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Verdicts(directory)
