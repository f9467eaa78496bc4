"""Process limits: decides when to end a server, and which rules to blame.

It looks at calls, memory and threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tpserver.processes import Task
from tpserver.rules.page import PATIENCE, Keeper, Noted

GRACE = 1.0
"""Seconds that the watchdog inside the server has to end a call after the call is known to be late."""

FROZEN = 1.5
"""Seconds in which neither the reactor nor the watchdog has run, after which rules are taken to block all threads."""

SEEN = 0.1
"""Seconds for which a call may have run before it was first seen."""

WAITING = 0.1
"""Maximum processor seconds of a thread that waits for the interpreter, in the time that a call has to end."""

SILENT = 30.0
"""Seconds without a heartbeat after which a server is ended, whatever the cause."""

LONGEST_STEP = 1.0
"""Maximum seconds between two looks that count as silence: in a longer pause the supervisor itself did not run."""

MEMORY_SECONDS = 1.0
"""Maximum seconds with memory above the limit; above one and a half times the limit the server is ended at once."""

GROWTH = 4 << 20
"""Minimum bytes of growth between two checks that are attributed to the running calls."""

STOPPED = "Tt"
"""States of a process that is suspended or being debugged: no call of its rules is to blame."""


@dataclass(frozen=True, slots=True)
class Charge:
    """Why the server has to be ended; ``call`` is the one to blame, if any is known."""

    why: str
    call: Noted | None


@dataclass
class Judge:
    """Watches one server. ``task`` returns the state of a thread; ``main`` is the id of the reactor's thread."""

    main: int
    memory_limit: int
    task: Callable[[int], Task | None]
    silence: float = 0.0
    """Seconds since the last heartbeat in which the supervisor ran, too; 0 while the server does not serve."""
    is_stopping: bool = False
    """True if the server was asked to stop, which has a separate limit."""
    _beat: float = 0.0
    _looked_at: float = float("inf")
    _first: dict[int, tuple[float, float]] = field(default_factory=dict)
    """By thread: when the call began, and the thread's processor seconds when the call was first seen."""
    _late: dict[int, tuple[float, float]] = field(default_factory=dict)
    """By thread: when the late call began, and since when it is known to be late."""
    _sign: float = 0.0
    """Last known time when the reactor or the call limits ran."""
    _then: dict[int, float] = field(default_factory=dict)
    """The processor seconds of each thread by then, or when a call in it was first seen after that."""
    _growth: dict[float, tuple[Noted, int]] = field(default_factory=dict)
    """Bytes by which the server has grown during each running call, by the time when the call began."""
    _memory: int = 0
    _looked: bool = False
    _above: float | None = None

    def overdue(self, now: float, calls: list[Noted]) -> bool:
        """Return whether a call on the reactor's thread is late; to be called after ``charge``."""
        return any(call.running and call.task == self.main and self._is_late(call, now) for call in calls)

    def charge(
        self,
        now: float,
        calls: list[Noted],
        beat: float,
        memory: int,
        keeper: Keeper | None = None,
        pulse: float = 0.0,
    ) -> Charge | None:
        """Return why the server has to be ended now; None if it has not.

        ``now``, ``beat`` and ``pulse`` are times of ``time.monotonic``. ``beat`` is the last heartbeat of its reactor,
        0 or less before it begins and after it has stopped. ``pulse`` is the last time when its watchdog ran.
        ``memory`` is in bytes (0: unknown). ``keeper`` is the caller whose calls keep most memory.
        """
        self._count_silence(now, beat)
        if self.silence >= SILENT and not self.is_stopping:
            return Charge(f"the server gave no sign of life for {self.silence:.0f} s", None)
        main = self.task(self.main)
        if main is not None and main.state in STOPPED:
            self._first.clear()
            return None
        running = [call for call in calls if call.running]
        for call in running:
            if self._first.get(call.task, (0.0, 0.0))[0] != call.begun:
                self._first[call.task] = call.begun, self._seconds(call.task)
        self._see(running, max(beat, pulse), main)
        for call in running:
            if not self._is_late(call, now):
                continue
            begun, since = self._late.get(call.task, (0.0, 0.0))
            if begun != call.begun:
                self._late[call.task] = call.begun, now
            elif now - since >= GRACE:
                why = f"a call of its rules did not end in {now - call.begun:.1f} s"
                return self._blocked(now, call, running) or Charge(why, call)
        return self._frozen(now, running, beat, main) or self._too_large(now, running, memory, keeper)

    def _count_silence(self, now: float, beat: float) -> None:
        if beat <= 0 or beat != self._beat:
            self.silence = 0.0
        else:
            self.silence += min(max(0.0, now - self._looked_at), LONGEST_STEP)
        self._beat, self._looked_at = beat, now

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
        return used + SEEN >= limit or now >= call.begun + PATIENCE * limit

    def _see(self, running: list[Noted], sign: float, main: Task | None) -> None:
        """Note how long each thread had run when the reactor or the watchdog, whichever was later, ran last."""
        if sign != self._sign:
            self._sign = sign
            self._then.clear()
        for task in (self.main, *(call.task for call in running)):
            if task not in self._then:
                self._then[task] = main.seconds if main is not None and task == self.main else self._seconds(task)

    def _used(self, call: Noted) -> float:
        """Return the processor seconds of a call since the reactor or the watchdog ran last."""
        return self._seconds(call.task) - self._then[call.task]

    def _frozen(self, now: float, running: list[Noted], beat: float, main: Task | None) -> Charge | None:
        """Return a charge if a call in another thread holds the interpreter's lock, so that all others only wait."""
        if main is None or beat <= 0 or not running:
            return None
        silent = now - self._sign
        if silent < FROZEN or main.state != "S" or main.seconds - self._then[self.main] > silent / 5:
            return None
        busiest = max(running, key=self._used)
        if now - busiest.begun >= FROZEN and 2 * self._used(busiest) >= FROZEN:
            return self._keeps_waiting(busiest, silent)
        return None

    def _blocked(self, now: float, late: Noted, running: list[Noted]) -> Charge | None:
        """Return a charge against another call that keeps the late one from running."""
        silent = now - self._sign
        busiest = max(running, key=self._used)
        if silent < GRACE or self._used(late) > WAITING or self._used(busiest) <= WAITING:
            return None
        return self._keeps_waiting(busiest, silent)

    @staticmethod
    def _keeps_waiting(call: Noted, silent: float) -> Charge:
        return Charge(f"its rules kept all others waiting for {silent:.1f} s", call)

    def _too_large(self, now: float, running: list[Noted], memory: int, keeper: Keeper | None) -> Charge | None:
        """Return a charge if memory is above the limit.

        ``keeper`` covers ended calls; running calls are measured here.
        """
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
