"""Record of the games whose rules ended a server, in a file.

The next server suspends these games before it serves. The file is in the data directory. The supervisor writes it when
a server process has ended. A server writes it when it starts, and when an operator resumes a game. A server may have
several processes: each changes the record in the file under a lock. The module uses only the standard library, as the
supervisor imports it, too.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tpserver.files import write_whole

FILE = "verdicts.json"
LOCK = "verdicts.lock"

ROW = 3
"""Number of consecutive ends by one ruleset after which all its games are suspended."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The rules that ended a server, and the reason.

    The reason is one sentence for the operator. ``game`` is 0 for a game that was not created yet. ``process`` is the
    number of the server process that was ended. Its successor carries the verdict out.
    """

    game: int
    ruleset: str
    reason: str
    process: int = 0


@dataclass
class Verdicts:
    """The record of one data directory. With ``directory`` None it is not saved."""

    directory: Path | None = field(default=None, compare=False)
    pending: list[Verdict] = field(default_factory=list)
    """Verdicts that no server has carried out yet."""
    row: list[str] = field(default_factory=list)
    """The rulesets of the last ends, the newest last; at most ROW."""
    ends: dict[int, int] = field(default_factory=dict)
    """By game id: how often its rules ended a server since the operator resumed it."""

    def add(self, verdict: Verdict) -> None:
        """Add a verdict and save the record. Raises OSError."""
        with self._changing():
            self.pending.append(verdict)
            self.row = [*self.row, verdict.ruleset][-ROW:]
            if verdict.game:
                self.ends[verdict.game] = self.ends.get(verdict.game, 0) + 1

    def carried_out(self, done: Collection[Verdict]) -> None:
        """Record that these verdicts were carried out, and save the record. Raises OSError."""
        with self._changing():
            self.pending = [verdict for verdict in self.pending if verdict not in done]

    def condemned(self) -> str | None:
        """Return the ruleset whose games must all be suspended, or None."""
        named = set(self.row) if len(self.row) == ROW else set()
        return named.pop() or None if len(named) == 1 else None

    def unreadable(self) -> list[int]:
        """Return the games that must not be loaded, as their rules ended a server again after a suspension."""
        return [game for game, ends in self.ends.items() if ends > 1]

    def of_process(self, process: int, processes: int) -> list[Verdict]:
        """Return the verdicts that a server process has to carry out.

        ``processes`` is the number of processes. The first one also gets verdicts of processes that no longer exist.
        """
        left = [verdict for verdict in self.pending if process == 0 and verdict.process >= processes]
        return [verdict for verdict in self.pending if verdict.process == process] + left

    def forgive(self, game: int, ruleset: str) -> None:
        """Delete the history of a game and its ruleset, as the operator resumes it. Raises OSError."""
        self.refresh()
        if game in self.ends or ruleset in self.row:
            with self._changing():
                self.ends.pop(game, None)
                self.row = [name for name in self.row if name != ruleset]

    def refresh(self) -> None:
        """Read the changes of other processes."""
        if self.directory is not None:
            now = read(self.directory)
            self.pending, self.row, self.ends = now.pending, now.row, now.ends

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Change the current record under the lock, and save it. Raises OSError."""
        if self.directory is None:
            yield
            return
        lock = os.open(self.directory / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refresh()
            yield
            self.save()
        finally:
            os.close(lock)

    def save(self) -> None:
        """Save the record. Raises OSError."""
        if self.directory is not None:
            pending = [asdict(verdict) for verdict in self.pending]
            record = json.dumps({"pending": pending, "row": self.row, "ends": self.ends}, indent=1)
            write_whole(self.directory / FILE, record.encode(), mode=0o666)


def read(directory: Path) -> Verdicts:
    """Return the record of a data directory. An unreadable file counts as empty, as it only adds to the store."""
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
