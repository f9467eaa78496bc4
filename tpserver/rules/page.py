"""Shared memory page with the current call of the rules in each thread.

Recording a call is a few stores of eight bytes and no system call. A reader never sees a partly written number. The
supervisor process (`tpserver.supervisor`) reads the page while the server that writes it is frozen. The module uses
only the standard library.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass

PATIENCE = 4.0
"""Maximum time of a call on a busy machine without free processor time, as a multiple of its limit."""

SIZE = 8192
ROWS = 32
"""Maximum threads that call rules at once. A few are used: the reactor's and those that compute turns."""
COLUMNS = 8
BEGUN, UNTIL, GAME, RULESET, THREAD, TASK = range(6)
"""Columns of a row.

BEGUN and UNTIL are the beginning of the call and the end of its time (``time.monotonic``). BEGUN is negative after the
end of the call. GAME is the game's id (0: none), RULESET the index of the ruleset's name, THREAD the result of
``threading.get_ident``, and TASK the system's id of the thread.
"""
_BEAT = ROWS * COLUMNS
_KEEPER = _BEAT + 1
"""Three numbers: the game's id, the index of the ruleset's name, and the bytes of the caller that keeps most memory."""
_PULSE = _KEEPER + 3
_NAMES = (_PULSE + 1) * 8
_NAME = struct.Struct("64s")
NAMES = (SIZE - _NAMES) // _NAME.size


@dataclass(frozen=True, slots=True)
class Noted:
    """One row: the running call of a thread, or its last one."""

    running: bool
    begun: float
    until: float
    game: int
    ruleset: str
    thread: int
    task: int


@dataclass(frozen=True, slots=True)
class Keeper:
    """Caller whose calls keep most memory, in bytes; infinite if one has closed the server's files."""

    game: int
    ruleset: str
    kept: float


class Page:
    """A page in shared memory: ``memory`` has SIZE bytes, all zero before the first use."""

    def __init__(self, memory: mmap.mmap | None = None) -> None:
        self._memory = mmap.mmap(-1, SIZE) if memory is None else memory
        self._numbers = memoryview(self._memory).cast("d")
        self._rows = 0
        self._names: dict[str, int] = {}

    # --- writing ----------------------------------------------------------------------------------------------------

    def row(self, thread: int, task: int) -> memoryview[float]:
        """Return the row for a thread that begins to call rules. Threads above `ROWS` share the last row."""
        number = min(self._rows, ROWS - 1)
        self._rows += 1
        row = self._numbers[number * COLUMNS : (number + 1) * COLUMNS]
        row[THREAD], row[TASK] = float(thread), float(task)
        return row

    def place(self, ruleset: str) -> int:
        """Return the number of a ruleset in the rows, or 0 if there are too many names."""
        place = self._names.get(ruleset)
        if place is None:
            place = len(self._names) + 1
            if place >= NAMES:
                return 0
            self._names[ruleset] = place
            _NAME.pack_into(self._memory, _NAMES + place * _NAME.size, ruleset.encode()[: _NAME.size])
        return place

    def keeps_most(self, game: int, ruleset: str, kept: float) -> None:
        """Record the caller that keeps most memory, in bytes; infinite if it closed the server's files."""
        self._numbers[_KEEPER], self._numbers[_KEEPER + 1] = game, self.place(ruleset)
        self._numbers[_KEEPER + 2] = kept

    def beat(self, now: float) -> None:
        """Record that the reactor is alive at ``now``, or with -1 that it has stopped as requested."""
        self._numbers[_BEAT] = now

    def pulse(self, now: float) -> None:
        """Record that the watchdog's thread runs at ``now``, so that no other thread blocks the interpreter."""
        self._numbers[_PULSE] = now

    # --- reading ----------------------------------------------------------------------------------------------------

    def beaten(self) -> float:
        """Return when the reactor was last alive; 0 before its start, negative after it has stopped as requested."""
        return float(self._numbers[_BEAT])

    def pulsed(self) -> float:
        """Return when the watchdog's thread ran last; 0 before the first call."""
        return float(self._numbers[_PULSE])

    def keeper(self) -> Keeper | None:
        """Return the last record about memory, or None."""
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
