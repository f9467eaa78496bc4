"""One server process, as its parent sees it."""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence

from tpserver.parent.judge import Charge, Judge, call_of
from tpserver.parent.lines import Orphan, receive, send
from tpserver.processes import die_with_the_parent, memory_of, task_of
from tpserver.rules.page import SIZE, Page

TRACE_SIGNAL = signal.SIGUSR1
"""On it the server writes where all its threads are, without needing the interpreter."""

LATE_SIGNAL = signal.SIGUSR2
"""On it the server ends the call of its main thread that is late: C functions that look for signals end by it."""

FILES_CLOSED = 70
"""The exit code of a server that finds that somebody has closed its files: it can serve nobody any more."""

TRACE_SECONDS = 0.3
"""How long a server may take to say where its threads are before it is killed."""


class Child:
    """A server: a spare one, which has loaded its modules and waits, until ``begin``."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.line, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "tpserver.cli", *arguments, "--child-of", str(theirs.fileno())]
        with theirs:
            # From its first moment on it dies with us: one that still loads its modules would keep the ports, which it
            # has been given already, from whoever is started next.
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,
                preexec_fn=die_with_the_parent,
            )
        self.begun = 0.0
        self.serves = False
        self.hung_up = False
        self.charge: Charge | None = None
        """Why it was killed."""
        self.trace = ""
        self._page = Page()
        self._trace = -1
        self._judge: Judge | None = None

    @property
    def number(self) -> int:
        return self.process.pid

    def begin(self, sockets: Mapping[str, int], memory: int, unusable: Mapping[str, str]) -> None:
        """Let it serve.

        It inherits sockets at which it is to listen, may hold ``memory`` bytes, and does not import the rulesets that
        are ``unusable``.
        """
        with tempfile.TemporaryFile() as page, tempfile.TemporaryFile() as trace:
            page.truncate(SIZE)
            self._page = Page(mmap.mmap(page.fileno(), SIZE))
            self._trace = os.dup(trace.fileno())
            files = [page.fileno(), trace.fileno(), *sockets.values()]
            with contextlib.suppress(OSError):  # it has died already, which is seen soon
                said = {"places": list(sockets), "memory": memory, "unusable": dict(unusable)}
                send(self.line, said, files)
        self._judge = Judge(self.number, memory, lambda task: task_of(self.number, task))
        self.begun = time.monotonic()

    def heard(self) -> dict[str, int] | None:
        """Read the line: return the sockets of a server that has begun to serve, None if it has hung up."""
        try:
            said, files = receive(self.line)
        except (Orphan, OSError, ValueError):
            self.hung_up = True
            return None
        self.serves = True
        return dict(zip(said["places"], files, strict=True))

    def look(self, now: float) -> Charge | None:
        """Return why it has to be ended, if it has; a late call of its reactor gets its signal."""
        if self._judge is None:
            return None
        calls = self._page.noted()
        charge = self._judge.charge(now, calls, self._page.beaten(), memory_of(self.number), self._page.keeper())
        if charge is None and self.serves and self._judge.overdue(now, calls):
            self.signal(LATE_SIGNAL)
        return charge

    def soonest(self, now: float) -> float:
        """Return in how many seconds the next call is late, at least a hundredth."""
        return max(0.01, min((call.until - now for call in self._page.noted() if call.running), default=60.0) + 0.01)

    def last_words(self) -> Charge | None:
        """Return why it has ended by itself, if that was the doing of a ruleset."""
        code = self.process.returncode
        stopped = self._page.beaten() < 0
        if self._judge is None or stopped or code in (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT):
            return None
        if code == FILES_CLOSED:
            keeper = self._page.keeper()
            if keeper is None or keeper.kept != float("inf"):
                return Charge("the files of the server were closed", None)
            return Charge("its rules closed the files of the server", call_of(keeper))
        how = f"signal {-code}" if code < 0 else f"code {code}"
        for call in self._page.noted():
            if call.running:
                return Charge(f"its rules ended the server ({how})", call)
        return None

    def end(self, charge: Charge) -> None:
        """Kill it, after it has said where its threads are."""
        self.charge = charge
        self.signal(TRACE_SIGNAL)
        give_up, before = time.monotonic() + TRACE_SECONDS, 0
        while time.monotonic() < give_up and self.process.poll() is None:
            time.sleep(0.03)
            size = os.fstat(self._trace).st_size
            if size and size == before:
                break
            before = size
        self.trace = os.pread(self._trace, 1 << 20, 0).decode(errors="replace")
        self.process.kill()

    def signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def bury(self) -> None:
        """It has ended: end what it has started, too, and let go of everything."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.number, signal.SIGKILL)
        self.line.close()
        if self._trace >= 0:
            os.close(self._trace)
