"""What the system tells of another process: memory and processor time, from /proc; nothing where there is none."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Task:
    """A thread of a process: the letter of its state, and the seconds that it has had a processor."""

    state: str
    seconds: float


def memory_of(process: int) -> int:
    """Return how many bytes of memory a process holds, 0 if that cannot be told."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def task_of(process: int, task: int) -> Task | None:
    """Return a thread of a process by the number that the system has for it, None if that cannot be told."""
    try:
        words = Path(f"/proc/{process}/task/{task}/stat").read_text().rpartition(")")[2].split()
        return Task(words[0], (int(words[11]) + int(words[12])) / _TICK)
    except (OSError, ValueError, IndexError):
        return None
