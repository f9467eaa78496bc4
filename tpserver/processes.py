"""Memory and processor time of processes and threads, from /proc.

Without /proc these functions return nothing.
"""

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
_M_MMAP_THRESHOLD = -3
LARGE_BLOCK = 1024 * 1024
"""Bytes from which a freed block of memory returns to the system at once."""


@dataclass(frozen=True, slots=True)
class Task:
    """A thread of a process: the letter of its state, and its processor seconds."""

    state: str
    seconds: float


def memory_of(process: int) -> int:
    """Return the bytes of memory of a process, 0 if unknown."""
    try:
        return memory_in(Path(f"/proc/{process}/statm").read_bytes())
    except (OSError, ValueError, IndexError):
        return 0


def memory_in(statm: bytes) -> int:
    """Return the bytes of memory of a process from its file statm. Raises ValueError or IndexError."""
    return int(statm.split()[1]) * _PAGE


def task_of(process: int, task: int) -> Task | None:
    """Return a thread of a process by the system's id of the thread, or None if unknown."""
    try:
        words = Path(f"/proc/{process}/task/{task}/stat").read_text().rpartition(")")[2].split()
        return Task(words[0], (int(words[11]) + int(words[12])) / _TICK)
    except (OSError, ValueError, IndexError):
        return None


def wanted_seconds() -> Mapping[str, float]:
    """Return the seconds that each thread of this process has run or waited to run, by the system's thread id."""
    wanted = {}
    for thread in Path("/proc/self/task").glob("*"):
        try:
            ran, waited, _ = (thread / "schedstat").read_text().split()
            wanted[thread.name] = (int(ran) + int(waited)) / 1e9
        except (OSError, ValueError):
            continue  # the thread has just ended, or the system does not count
    return wanted


def give_back_large_blocks() -> None:
    """Return freed blocks of LARGE_BLOCK bytes and more to the system; only with the GNU C library.

    That library raises its limit to the largest block that was ever freed. Each thread that has hashed a password would
    keep 20 MB for it.
    """
    if _LIBC is not None and hasattr(_LIBC, "mallopt"):
        _LIBC.mallopt(_M_MMAP_THRESHOLD, LARGE_BLOCK)


def die_with_the_parent() -> None:
    """Have the system kill this process when the thread that started it ends (Linux only)."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
