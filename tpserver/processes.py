"""What the system tells of processes and their threads: memory and processor time, from /proc; nothing where there is
none."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Task:
    """A thread of a process: the letter of its state, and the seconds that it has had a processor."""

    state: str
    seconds: float


class OwnMemory:
    """How much memory this process holds, to be asked often: the file that tells stays open."""

    def __init__(self) -> None:
        """Raises OSError where there is no such file."""
        self.file = os.open("/proc/self/statm", os.O_RDONLY)

    def bytes(self) -> int:
        """Return 0 if that cannot be told, such as after somebody has closed the file."""
        try:
            return _memory(os.pread(self.file, 64, 0))
        except (OSError, ValueError, IndexError):
            return 0


def memory_of(process: int) -> int:
    """Return how many bytes of memory a process holds, 0 if that cannot be told."""
    try:
        return _memory(Path(f"/proc/{process}/statm").read_bytes())
    except (OSError, ValueError, IndexError):
        return 0


def _memory(statm: bytes) -> int:
    return int(statm.split()[1]) * _PAGE


def task_of(process: int, task: int) -> Task | None:
    """Return a thread of a process by the number that the system has for it, None if that cannot be told."""
    try:
        words = Path(f"/proc/{process}/task/{task}/stat").read_text().rpartition(")")[2].split()
        return Task(words[0], (int(words[11]) + int(words[12])) / _TICK)
    except (OSError, ValueError, IndexError):
        return None


def wanted_seconds() -> Mapping[str, float]:
    """Return how long each thread of this process has run or waited for a processor, by the system's number for it."""
    wanted = {}
    for thread in Path("/proc/self/task").glob("*"):
        try:
            ran, waited, _ = (thread / "schedstat").read_text().split()
            wanted[thread.name] = (int(ran) + int(waited)) / 1e9
        except (OSError, ValueError):
            continue  # it has just ended, or the system does not count
    return wanted


def die_with_the_parent() -> None:
    """Have the system kill this process when the thread that started it ends; other systems than Linux do not."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
