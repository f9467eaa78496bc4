"""The parent process: starts a server, watches it, ends it if its rules block it, and starts the next.

It runs no reactor and imports no ruleset.  Everything that a killed server has acknowledged is in its store, so nothing
is lost; its listening sockets stay open here, so that clients can connect until the next server accepts them.

If connections are to be kept there is a second process, the edge (`tpserver.edge`), which clients are connected to.  It
is started first and stopped last, and the servers that follow each other find it in the data directory.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tprules.printable import printable
from tpserver.games import verdicts
from tpserver.games.verdicts import Verdict
from tpserver.parent import traces
from tpserver.parent.child import Child
from tpserver.parent.judge import Charge
from tpserver.parent.service_manager import ServiceManager

LOOK_SECONDS = 0.1
STOP_SECONDS = 60.0
"""Maximum seconds for a server to stop before it is killed."""

SPARE_SECONDS = 15.0
"""Seconds after a server has begun to serve until the spare one is started."""

SPARE_SECONDS_OF_KEPT = 2.0
"""The same where clients stay connected, and wait for the next server."""

STEADY_SECONDS = 60.0
"""Seconds of service after which the end of a server does not count as a quick one."""

QUICK_ENDS = 3
"""Number of quick ends in a row after which a server is replaced at once; after more, the pauses double."""

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
EDGE_STOP_SECONDS = 15.0
"""Maximum seconds for the edge to answer what is pending and to stop, before it is killed."""

EDGE_WAIT = 1.0
"""Seconds until another edge is started after one has ended by itself."""

SUCCESSOR_SECONDS = 30.0
"""Maximum seconds for a server to load its modules before the one that it replaces is stopped anyway."""

KILLED = 128
"""Added to the number of the signal that ended a process for its exit code, as shells do."""


class Parent:
    """Keeps one server running until it is told to stop.

    ``arguments`` are those of the command line after the program's name; ``memory`` is the maximum bytes of a server.
    ``keep_connections``: whether an edge keeps the connections of clients.
    """

    def __init__(self, arguments: Sequence[str], data: Path, memory: int, keep_connections: bool = False) -> None:
        self._arguments = arguments
        self._data = data
        self._memory = memory
        self._child: Child | None = None
        self._spare: Child | None = None
        self._spare_at = 0.0
        self._sockets: dict[str, int] = {}
        self._unusable: dict[str, str] = {}
        """Rulesets whose import ended a server, and why; not saved."""
        self._has_served = False
        self._fails = 0
        self._next = 0.0
        self._stop: int | None = None
        self._kill_at = float("inf")
        self._selector = selectors.DefaultSelector()
        self._manager = ServiceManager()
        self._reload = False
        self._keeps = keep_connections
        self._edge: Child | None = None
        self._edge_sockets: dict[str, int] = {}
        self._edge_has_served = False
        self._edge_next = 0.0
        self._edge_kill_at = float("inf")
        self._successor_by: float | None = None
        """Until when the server that has asked for a successor goes on while that loads its modules."""
        self._is_replaced = False
        """Whether the server was stopped to be replaced."""

    def run(self) -> int:
        """Run until the server has stopped or could not start; return its exit code."""
        woken, wakes = socket.socketpair()
        woken.setblocking(False)
        wakes.setblocking(False)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._told_to_stop)
        # Of a terminal it says that nobody is there any more, of anybody else that the configuration has changed.
        signal.signal(signal.SIGHUP, self._told_to_stop if has_terminal() else self._told_to_reload)
        self._selector.register(woken, selectors.EVENT_READ)
        try:
            while True:
                code = self._turn()
                if code is not None:
                    return code
                for key, _ in self._selector.select(self._pause()):
                    if key.fileobj is woken:
                        woken.recv(4096)
        finally:
            for child in (self._child, self._spare, self._edge):
                if child is not None:
                    child.process.kill()
                    child.process.wait()
                    child.bury()

    def _told_to_stop(self, number: int, frame: object) -> None:
        if number == signal.SIGINT and self._stop is not None and self._child is not None:
            self._child.process.kill()  # a second Ctrl-C; a service manager may repeat SIGTERM
        self._stop = signal.SIGINT if number == signal.SIGINT else signal.SIGTERM

    def _told_to_reload(self, number: int, frame: object) -> None:
        self._reload = True

    def _pause(self) -> float:
        child = self._child
        if child is None:
            return max(0.0, min(LOOK_SECONDS, self._next - time.monotonic()))
        return min(LOOK_SECONDS, child.soonest(time.monotonic()))

    def _turn(self) -> int | None:
        """Do what is due; return the exit code at the end."""
        now = time.monotonic()
        self._manager.alive(now)
        if self._keeps:
            code = self._tend_edge(now)
            if code is not None:
                return code
            if self._edge is not None and (self._stop is not None or not self._edge.serves):
                return None  # the edge is started first, and answers what is pending before the server stops
        child = self._child
        if child is None:
            if self._stop is not None:
                return 0
            if now >= self._next and (self._edge is not None or not self._keeps):
                self._begin()
            return None
        if self._stop is not None and self._kill_at == float("inf"):
            self._close_doors()
            self._manager.stopping()
            child.signal(self._stop)
            self._kill_at = now + STOP_SECONDS
        if child.process.poll() is not None:
            return self._ended(child)
        if now >= self._kill_at:
            child.process.kill()
        else:
            self._listen_to(child)
        if child.charge is None:
            charge = child.look(now)
            if charge is not None:
                child.end(charge)
        if self._reload and child.serves:
            self._reload = False
            child.signal(signal.SIGHUP)
        if child.wants_successor and self._stop is None and not self._is_replaced:
            self._replace(child, now)
        elif self._spare is None and child.serves and now >= self._spare_at and self._stop is None:
            self._spare = Child(self._arguments)
        return None

    def _replace(self, child: Child, now: float) -> None:
        """Stop a server as soon as another one, started now and so of the present release, has loaded its modules."""
        if self._successor_by is None:
            if self._spare is not None:
                self._spare.process.kill()
                self._spare.process.wait()
                self._spare.bury()
            self._spare = Child(self._arguments)
            self._successor_by = now + SUCCESSOR_SECONDS
            self._manager.status("the server is being replaced")
        spare = self._spare
        if spare is not None and spare.has_said():
            spare.heard()
        if spare is not None and not spare.is_loaded and (spare.hung_up or spare.process.poll() is not None):
            spare.process.kill()
            spare.process.wait()
            spare.bury()
            self._spare, self._successor_by, child.wants_successor = None, None, False
            self._spare_at = now + SPARE_SECONDS
            self._manager.ready(f"process {child.number} serves")
            say("error", f"the next server cannot be started (see above); process {child.number} goes on")
        elif spare is None or spare.is_loaded or now >= self._successor_by:
            self._is_replaced = True
            child.signal(signal.SIGTERM)
            self._kill_at = now + STOP_SECONDS

    def _tend_edge(self, now: float) -> int | None:
        """Start the edge, look after it, and stop it; return the exit code if it cannot be started."""
        edge = self._edge
        if edge is None:
            if self._stop is None and now >= self._edge_next:
                self._edge = Child([*self._arguments, "--edge"])
                self._edge.begin(self._edge_sockets, self._memory, {})
                self._selector.register(self._edge.line, selectors.EVENT_READ)
            return None
        if edge.process.poll() is not None:
            return self._edge_ended(edge, now)
        if self._stop is not None and self._edge_kill_at == float("inf"):
            self._manager.stopping()
            edge.signal(signal.SIGTERM)
            self._edge_kill_at = now + EDGE_STOP_SECONDS
        elif now >= self._edge_kill_at:
            edge.process.kill()
        if edge.has_said():
            sockets = edge.heard()
            if sockets is not None:
                for number in self._edge_sockets.values():
                    os.close(number)
                self._edge_sockets = sockets
                self._edge_has_served = True
            elif edge.hung_up:
                self._selector.unregister(edge.line)
        if edge.charge is None and (charge := edge.look(now)) is not None:
            edge.end(charge)
        return None

    def _edge_ended(self, edge: Child, now: float) -> int | None:
        self._edge = None
        if edge.line in [key.fileobj for key in self._selector.get_map().values()]:
            self._selector.unregister(edge.line)
        edge.bury()
        code = edge.process.returncode
        if self._stop is not None:
            return None
        how = f"signal {-code}" if code < 0 else f"code {code}"
        if not self._edge_has_served:
            return code if code > 0 else KILLED - code
        self._edge_next = now + EDGE_WAIT
        why = f": {edge.charge.why}" if edge.charge is not None else ""
        say(
            "error",
            f"the process that keeps the connections ({edge.number}) has ended with {how}{why}; they are lost, and "
            f"another one is started in {EDGE_WAIT:g} s",
        )
        return None

    def _begin(self) -> None:
        self._child, self._spare = self._spare or Child(self._arguments), None
        self._selector.register(self._child.line, selectors.EVENT_READ)
        self._child.begin(self._sockets, self._memory, self._unusable)
        self._kill_at = float("inf")
        self._successor_by, self._is_replaced = None, False

    def _listen_to(self, child: Child) -> None:
        if not child.has_said():
            return
        sockets = child.heard()
        if child.hung_up:
            self._selector.unregister(child.line)
        if sockets is None:
            return
        self._close_doors()
        self._sockets = sockets
        self._has_served = True
        self._manager.ready(f"process {child.number} serves")
        self._spare_at = time.monotonic() + (SPARE_SECONDS_OF_KEPT if self._keeps else SPARE_SECONDS)

    def _close_doors(self) -> None:
        for number in self._sockets.values():
            os.close(number)
        self._sockets = {}

    def _ended(self, child: Child) -> int | None:
        """Handle the end of a server: return the exit code if the parent is done, else schedule the next server."""
        self._child = None
        if child.line in [key.fileobj for key in self._selector.get_map().values()]:
            self._selector.unregister(child.line)
        child.bury()
        code = child.process.returncode
        if self._is_replaced and self._stop is None:
            self._next = time.monotonic()
            say("info", f"the server (process {child.number}) has stopped, and the next one takes its place")
            return None
        charge = None if self._stop is not None else child.charge or child.last_words()
        if charge is not None:
            self._condemn(charge, child)
        if self._stop is not None or (charge is None and (code == 0 or not self._has_served)):
            if self._stop is not None and code == -self._stop:
                return 0  # stopped before it handled signals, so that there was nothing to save
            return code if code >= 0 else KILLED - code
        now = time.monotonic()
        if child.serves and (now - child.begun >= STEADY_SECONDS or (charge is not None and charge.call is not None)):
            self._fails = 0  # the cause is known and dealt with
        self._fails += 1
        wait = 0.0 if self._fails <= QUICK_ENDS else min(LONGEST_WAIT, FIRST_WAIT * 2 ** (self._fails - QUICK_ENDS - 1))
        self._next = now + wait
        if charge is None:
            how = f"signal {-code}" if code < 0 else f"code {code}"
            say("error", f"the server (process {child.number}) has ended with {how}")
        self._manager.status(f"the server has ended; another is started{f' in {wait:g} s' if wait else ''}")
        say("warn", f"another server is started{f' in {wait:g} s' if wait else ' at once'}")
        return None

    def _condemn(self, charge: Charge, child: Child) -> None:
        """Record for the next server whose rules have ended this one, and log it."""
        call = charge.call
        where = "" if call is None or not call.running else traces.place(child.trace, call.thread)
        reason = f"{charge.why}{f' ({where})' if where else ''}; the server was ended"
        if call is None:
            say("error", f"{reason}; nobody knows whose rules were to blame")
        else:
            whose = f"ruleset {call.ruleset}, game number {call.game}" if call.game else f"ruleset {call.ruleset}"
            say("error", f"{whose}: {reason}")
            if call.game or child.serves:
                try:
                    verdicts.read(self._data).add(Verdict(call.game, call.ruleset, reason))
                except OSError as error:
                    say("error", f"that cannot be written down for the next server: {error.strerror or error}")
            else:
                self._unusable[call.ruleset] = f"importing it failed: {reason}"
        lines = traces.of_thread(child.trace, 0 if call is None else call.thread)
        for line in lines or child.trace.splitlines():
            say("error", f"  {line}")


def has_terminal() -> bool:
    """Return whether somebody reads the log at a terminal."""
    return os.isatty(sys.stderr.fileno())


def say(level: str, text: str) -> None:
    """Write a line in the format of the server's log."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    print(moment, f"{level:<8}", printable(text), file=sys.stderr, flush=True)
