"""Which call into a ruleset runs in which thread, on a page of memory that another process can read.

To note a call is a few stores of eight bytes and no system call; whoever reads sees each number whole.  A parent
process reads the page while the server that writes it is frozen (``tpserver.parent``).  Standard library only.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass

SIZE = 8192
ROWS = 32
"""Threads that may call rules at once; a few are enough, the reactor's and those that compute turns."""
COLUMNS = 8
BEGUN, UNTIL, GAME, RULESET, THREAD, TASK = range(6)
"""Columns of a row: when the call began and until when it may take (``time.monotonic``; BEGUN is negative after the
end of the call), the game's number (0: none), the ruleset's place among the names, ``threading.get_ident``, and the
number that the system has for the thread."""
_BEAT = ROWS * COLUMNS
_KEEPER = _BEAT + 1
"""Three numbers: the game, the ruleset's place and the bytes of who keeps most memory."""
_NAMES = (_KEEPER + 3) * 8
_NAME = struct.Struct("64s")
NAMES = (SIZE - _NAMES) // _NAME.size


@dataclass(frozen=True, slots=True)
class Noted:
    """One row: a call that runs, or the last that a thread made."""

    running: bool
    begun: float
    until: float
    game: int
    ruleset: str
    thread: int
    task: int


@dataclass(frozen=True, slots=True)
class Keeper:
    """Whose calls have left most memory behind, in bytes; infinite if one has closed the server's files."""

    game: int
    ruleset: str
    kept: float


class Page:
    """A page on shared memory: ``memory`` has SIZE bytes, all zero before the first use."""

    def __init__(self, memory: mmap.mmap | None = None) -> None:
        self._memory = mmap.mmap(-1, SIZE) if memory is None else memory
        self._numbers = memoryview(self._memory).cast("d")
        self._rows = 0
        self._names: dict[str, int] = {}

    # --- writing ----------------------------------------------------------------------------------------------------

    def row(self, thread: int, task: int) -> memoryview[float]:
        """Return the row of a thread that begins to call rules; all that are too many share the last."""
        number = min(self._rows, ROWS - 1)
        self._rows += 1
        row = self._numbers[number * COLUMNS : (number + 1) * COLUMNS]
        row[THREAD], row[TASK] = float(thread), float(task)
        return row

    def place(self, ruleset: str) -> int:
        """Return the number by which rows name a ruleset; 0 for those that are too many."""
        place = self._names.get(ruleset)
        if place is None:
            place = len(self._names) + 1
            if place >= NAMES:
                return 0
            self._names[ruleset] = place
            _NAME.pack_into(self._memory, _NAMES + place * _NAME.size, ruleset.encode()[: _NAME.size])
        return place

    def keeps_most(self, game: int, ruleset: str, kept: float) -> None:
        """Note whose calls have left most memory behind, in bytes; infinite for whoever closed the server's files."""
        self._numbers[_KEEPER], self._numbers[_KEEPER + 1] = game, self.place(ruleset)
        self._numbers[_KEEPER + 2] = kept

    def beat(self, now: float) -> None:
        """Note that the reactor is alive; ``now`` -1: that it has stopped as it was told."""
        self._numbers[_BEAT] = now

    # --- reading ----------------------------------------------------------------------------------------------------

    def beaten(self) -> float:
        """Return when the reactor was last alive; 0 before it began."""
        return float(self._numbers[_BEAT])

    def keeper(self) -> Keeper | None:
        """Return what was noted last about memory, None if nothing was."""
        game, place, kept = self._numbers[_KEEPER : _KEEPER + 3]
        return Keeper(int(game), self._name(int(place)), kept) if kept else None

    def noted(self) -> list[Noted]:
        """Return the rows of all threads that have called rules."""
        return [self._noted(number) for number in range(ROWS) if self._numbers[number * COLUMNS + TASK]]

    def _noted(self, number: int) -> Noted:
        row = self._numbers[number * COLUMNS : (number + 1) * COLUMNS]
        ruleset = self._name(int(row[RULESET]))
        begun = row[BEGUN]
        return Noted(begun > 0, abs(begun), row[UNTIL], int(row[GAME]), ruleset, int(row[THREAD]), int(row[TASK]))

    def _name(self, place: int) -> str:
        (name,) = _NAME.unpack_from(self._memory, _NAMES + place * _NAME.size)
        return str(name.rstrip(b"\0").decode(errors="replace"))
