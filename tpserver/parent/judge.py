"""Decides whether a server has to be ended, and whose rules are to blame, from its calls, memory and threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tpserver.processes import Task
from tpserver.rules.page import PATIENCE, Keeper, Noted

GRACE = 1.0
"""Seconds that the watchdog inside the server has to end a call after the call is known to be late."""

FROZEN = 1.5
"""Seconds without a heartbeat after which the rules of a turn are taken to block all other threads."""

MEMORY_SECONDS = 1.0
"""Maximum seconds with memory above the limit; above one and a half times the limit the server is ended at once."""

GROWTH = 4 << 20
"""Minimum bytes of growth between two checks that are attributed to the running calls."""

STOPPED = "Tt"
"""States of a process that is suspended or being debugged: it is not to blame for its silence."""


@dataclass(frozen=True, slots=True)
class Charge:
    """Why the server has to be ended; ``call`` is the one to blame, if any is known."""

    why: str
    call: Noted | None


@dataclass
class Judge:
    """Watches one server.  ``task`` returns the state of a thread; ``main`` is the id of the reactor's thread."""

    main: int
    memory_limit: int
    task: Callable[[int], Task | None]
    _first: dict[int, tuple[float, float]] = field(default_factory=dict)
    """By thread: when the call began, and the thread's processor seconds when the call was first seen."""
    _late: dict[int, tuple[float, float]] = field(default_factory=dict)
    """By thread: when the late call began, and since when it is known to be late."""
    _main: tuple[float, float] = (0.0, 0.0)
    _growth: dict[float, tuple[Noted, int]] = field(default_factory=dict)
    """Bytes by which the server has grown during each running call, by the time when the call began."""
    _memory: int = 0
    _looked: bool = False
    _above: float | None = None

    def overdue(self, now: float, calls: list[Noted]) -> bool:
        """Return whether a call on the reactor's thread is late; to be called after ``charge``."""
        return any(call.running and call.task == self.main and self._is_late(call, now) for call in calls)

    def charge(
        self, now: float, calls: list[Noted], beat: float, memory: int, keeper: Keeper | None = None
    ) -> Charge | None:
        """Return why the server has to be ended now, None if it has not.

        ``now`` and ``beat`` (the last heartbeat of its reactor; 0 or less before it begins and after it has stopped)
        are times of ``time.monotonic``; ``memory`` is in bytes (0: unknown); ``keeper`` is the server's record of whose
        calls keep most memory.
        """
        main = self.task(self.main)
        if main is not None and main.state in STOPPED:
            self._first.clear()
            return None
        running = [call for call in calls if call.running]
        for call in running:
            if self._first.get(call.task, (0.0, 0.0))[0] != call.begun:
                self._first[call.task] = call.begun, self._seconds(call.task)
        for call in running:
            if not self._is_late(call, now):
                continue
            begun, since = self._late.get(call.task, (0.0, 0.0))
            if begun != call.begun:
                self._late[call.task] = call.begun, now
            elif now - since >= GRACE:
                return Charge(f"a call of its rules did not end in {now - call.begun:.1f} s", call)
        return self._frozen(now, running, beat, main) or self._too_large(now, running, memory, keeper)

    def _seconds(self, task: int) -> float:
        found = self.task(task)
        return 0.0 if found is None else found.seconds

    def _is_late(self, call: Noted, now: float) -> bool:
        """Return whether a call is slow by itself, and not because others have the processor."""
        if now < call.until:
            return False
        limit = call.until - call.begun
        begun, before = self._first.get(call.task, (0.0, 0.0))
        used = self._seconds(call.task) - before if begun == call.begun else 0.0
        return 2 * used >= limit or now >= call.begun + PATIENCE * limit

    def _frozen(self, now: float, running: list[Noted], beat: float, main: Task | None) -> Charge | None:
        """Return a charge if a call in another thread holds the interpreter's lock, so that the reactor only waits."""
        if main is None or beat <= 0:
            return None
        if self._main[0] != beat:
            self._main = beat, main.seconds
        silent = now - beat
        if silent < FROZEN or main.state != "S" or main.seconds - self._main[1] > silent / 5:
            return None
        for call in running:
            _, before = self._first[call.task]
            if now - call.begun >= FROZEN and 2 * (self._seconds(call.task) - before) >= FROZEN:
                return Charge(f"its rules kept all others waiting for {silent:.1f} s", call)
        return None

    def _too_large(self, now: float, running: list[Noted], memory: int, keeper: Keeper | None) -> Charge | None:
        """Return a charge if memory is above the limit; ``keeper`` covers ended calls, running ones are measured
        here."""
        grown, self._memory = memory - self._memory, memory
        if self._looked and abs(grown) >= GROWTH:
            for call in running:
                share = self._growth.get(call.begun, (call, 0))[1] + grown // len(running)
                self._growth[call.begun] = call, max(0, share)
        self._looked = True
        for begun in self._growth.keys() - {call.begun for call in running}:
            del self._growth[begun]
        if memory <= self.memory_limit:
            self._above = None
            return None
        if self._above is None:
            self._above = now
        if now - self._above < MEMORY_SECONDS and memory < self.memory_limit * 3 // 2:
            return None
        why = f"the server held {memory >> 20} MiB of memory, more than limits.memory_bytes allows"
        suspects = list(self._growth.values())
        if keeper is not None:
            suspects.append((call_of(keeper), int(keeper.kept)))
        guilty, share = max(suspects, key=lambda suspect: suspect[1], default=(None, 0))
        return Charge(why, guilty if share >= self.memory_limit // 4 else None)


def call_of(keeper: Keeper) -> Noted:
    """Return the call of a keeper's record; it has ended at an unknown time."""
    return Noted(False, 0.0, 0.0, keeper.game, keeper.ruleset, 0, 0)
