"""A server process, seen from its supervisor."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tpserver.log_lines import VARIABLE, form_in_use
from tpserver.processes import die_with_the_parent, memory_of, task_of
from tpserver.rules.page import SIZE, Page
from tpserver.supervisor import traces
from tpserver.supervisor.process_limits import Charge, Judge, call_of

MOST_FILES = 200

QUIET = 10.0
"""Seconds without a heartbeat after which a server counts as silent (see `process_limits.SILENT`)."""


class Orphan(Exception):
    """The other end of the socket is closed."""


def send(line: socket.socket, said: object, files: list[int]) -> None:
    """Send a message and open files. Raises OSError."""
    data = json.dumps(said).encode() + b"\n"
    sent = socket.send_fds(line, [data], files) if files else line.send(data)
    line.sendall(data[sent:])


def receive(line: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return a message and the files attached to it.

    Several messages that arrived at once are merged. Raises Orphan if the other end is closed, OSError, and ValueError
    for other data.
    """
    data = b""
    files: list[int] = []
    while not data.endswith(b"\n"):
        piece, more, _, _ = socket.recv_fds(line, 65536, MOST_FILES)
        if not piece:
            raise Orphan
        data += piece
        files += more
    for file in files:
        os.set_inheritable(file, False)
    said: dict[str, Any] = {}
    for line_said in data.splitlines():
        said |= json.loads(line_said)
    return said, files


TRACE_SIGNAL = signal.SIGUSR1
"""Makes the server write the stacks of all its threads, without needing the interpreter."""

LATE_SIGNAL = signal.SIGUSR2
"""Makes the server end the late call of its main thread, also in C functions that check for signals."""

FILES_CLOSED = 70
"""Exit code of a server whose files were closed, so that it can no longer serve."""

TRACE_SECONDS = 0.3
"""Maximum seconds for a server to write its stacks before it is killed."""


def charge_of_end(code: int, page: Page, trace: str) -> Charge | None:
    """Return why a server has ended with this code, if a ruleset is to blame or its files were closed; else None.

    ``page`` has the calls of its rules, and ``trace`` the stacks that it has written.
    """
    stopped = page.beaten() < 0
    if stopped or code in (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT):
        return None
    if code == FILES_CLOSED:
        keeper = page.keeper()
        if keeper is None or keeper.kept != float("inf"):
            return Charge("the files of the server were closed", None)
        return Charge("its rules closed the files of the server", call_of(keeper))
    running = [call for call in page.noted() if call.running]
    if not running:
        return None
    how = f"signal {-code}" if code < 0 else f"code {code}"
    crashed = traces.current_thread(trace)
    # Without a trace, as after ``os._exit``, the newest call is the likeliest: the others ran well before it.
    guilty = max(running, key=lambda call: (call.thread == crashed, call.begun))
    return Charge(f"its rules ended the server ({how})", guilty)


class Child:
    """A server process. Until ``begin`` it is a spare process, which has loaded its modules and waits."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.line, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "tpserver.cli", *arguments, "--child-of", str(theirs.fileno())]
        with theirs:
            # It dies with its parent from the start. Otherwise, while it loads modules, it would keep the inherited
            # ports from the next server.
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                env={**os.environ, VARIABLE: form_in_use()},
                pass_fds=[theirs.fileno()],
                process_group=0,
                preexec_fn=die_with_the_parent,
            )
        self.begun = 0.0
        self.is_loaded = False
        """True if a spare process has loaded its modules."""
        self.wants_successor = False
        """True if it has requested a successor."""
        self.serves = False
        self.shared: frozenset[str] = frozenset()
        """The keys of the sockets that all processes of the server share."""
        self.hung_up = False
        self.charge: Charge | None = None
        """The reason why it was killed."""
        self.trace = ""
        self._page = Page()
        self._trace = -1
        self._judge: Judge | None = None

    @property
    def number(self) -> int:
        return self.process.pid

    @property
    def is_silent(self) -> bool:
        """True if it serves, and has sent no heartbeat for QUIET seconds."""
        return self._judge is not None and self._judge.silence >= QUIET

    def ask_to_stop(self, number: int) -> None:
        """Send a signal that stops it. The caller limits the time for that."""
        if self._judge is not None:
            self._judge.is_stopping = True
        self.signal(number)

    def begin(
        self,
        sockets: Mapping[str, int],
        memory: int,
        unusable: Mapping[str, str],
        number: int = 0,
        *,
        follows: bool = False,
        counts: int | None = None,
    ) -> None:
        """Let it serve.

        It inherits the listening sockets, may use ``memory`` bytes, and does not import the ``unusable`` rulesets.
        ``number`` is its number among the server's processes. With ``follows`` it replaces one that has served and
        ended. ``counts`` is a file for `tpserver.wire.net.sharing.Counts`, if there are other processes.
        """
        with tempfile.TemporaryFile() as page, tempfile.TemporaryFile() as trace:
            page.truncate(SIZE)
            self._page = Page(mmap.mmap(page.fileno(), SIZE))
            self._trace = os.dup(trace.fileno())
            shared = [] if counts is None else [counts]
            files = [page.fileno(), trace.fileno(), *sockets.values(), *shared]
            with contextlib.suppress(OSError):  # it is dead already, which is noticed soon
                said = {
                    "places": list(sockets),
                    "memory": memory,
                    "unusable": dict(unusable),
                    "number": number,
                    "follows": follows,
                }
                send(self.line, said, files)
        self._judge = Judge(self.number, memory, lambda task: task_of(self.number, task))
        self.begun = time.monotonic()

    def heard(self) -> dict[str, int] | None:
        """Read its message: return the sockets of a server that has begun to serve.

        Return None for other messages. It may have closed the connection: `hung_up`.
        """
        try:
            said, files = receive(self.line)
        except (Orphan, OSError, ValueError):
            self.hung_up = True
            return None
        self.is_loaded = self.is_loaded or "loaded" in said
        self.wants_successor = self.wants_successor or "successor" in said
        if "places" not in said:
            return None
        self.serves = True
        self.shared = frozenset(said.get("shared", ()))
        return dict(zip(said["places"], files, strict=True))

    def has_said(self) -> bool:
        """Return whether there is a message to read, or the end of all messages."""
        return not self.hung_up and bool(select.select([self.line], [], [], 0)[0])

    def look(self, now: float) -> Charge | None:
        """Return why it must be ended, or None; send LATE_SIGNAL if a call of its reactor is late."""
        if self._judge is None:
            return None
        calls = self._page.noted()
        beat, memory = self._page.beaten(), memory_of(self.number)
        charge = self._judge.charge(now, calls, beat, memory, self._page.keeper(), self._page.pulsed())
        if charge is None and self.serves and self._judge.overdue(now, calls):
            self.signal(LATE_SIGNAL)
        return charge

    def soonest(self, now: float) -> float:
        """Return the seconds until the next call is late, at least 0.01."""
        return max(0.01, min((call.until - now for call in self._page.noted() if call.running), default=60.0) + 0.01)

    def last_words(self) -> Charge | None:
        """Return why it has ended by itself, if a ruleset is the cause or its files were closed; else None."""
        if self._judge is None:
            return None
        self.trace = self._read_trace()
        return charge_of_end(self.process.returncode, self._page, self.trace)

    def end(self, charge: Charge) -> None:
        """Kill it after it has written its stacks."""
        self.charge = charge
        self.signal(TRACE_SIGNAL)
        give_up, before = time.monotonic() + TRACE_SECONDS, 0
        while time.monotonic() < give_up and self.process.poll() is None:
            time.sleep(0.03)
            size = os.fstat(self._trace).st_size
            if size and size == before:
                break
            before = size
        self.trace = self._read_trace()
        self.process.kill()

    def _read_trace(self) -> str:
        return os.pread(self._trace, 1 << 20, 0).decode(errors="replace")

    def signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def bury(self) -> None:
        """Clean up after its end: end the processes that it has started, and close its files."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.number, signal.SIGKILL)
        self.line.close()
        if self._trace >= 0:
            os.close(self._trace)
