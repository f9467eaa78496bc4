"""Supervisor process: starts a server, watches it, and replaces it.

It ends a server if the rules block it. It runs no reactor and imports no ruleset. Everything that a killed server has
acknowledged is in its store, so nothing is lost. Its listening sockets stay open here, so that clients can connect
until the next server accepts them.

A node of a cluster may be several processes that share the ports for clients and browsers. Each process is watched,
ended and replaced separately, while the others continue.

To keep connections, clients connect to a second process, the portal (`tpserver.portal`). It starts first, and stops
first, so that the server can still answer its pending requests. Each new server finds it in the data directory.
"""

from __future__ import annotations

import mmap
import os
import selectors
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tpserver.games.core import crash_record
from tpserver.games.core.crash_record import Verdict
from tpserver.log_lines import say
from tpserver.supervisor import traces
from tpserver.supervisor.child import Child
from tpserver.supervisor.process_limits import Charge
from tpserver.supervisor.service_manager import ServiceManager
from tpserver.supervisor.worker import Worker
from tpserver.wire.net.sharing import NOBODY, Counts

LOOK_SECONDS = 0.1
STOP_SECONDS = 60.0
"""Maximum seconds for a server to stop before it is killed."""

SPARE_SECONDS = 15.0
"""Seconds of service of a server after which the spare process is started."""

SPARE_SECONDS_OF_KEPT = 2.0
"""The same with kept connections, whose clients wait for the next server."""

STEADY_SECONDS = 60.0
"""Seconds of service from which the end of a server does not count as a quick one."""

QUICK_ENDS = 3
"""Number of consecutive quick ends after which a server is replaced at once. After more, the pauses double."""

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
EDGE_STOP_SECONDS = 15.0
"""Maximum seconds for the portal to answer pending requests and to stop, before it is killed."""

EDGE_WAIT = 1.0
"""Seconds until a portal that has ended by itself is replaced."""

SUCCESSOR_SECONDS = 30.0
"""Maximum seconds for a server to load its modules. After that its predecessor is stopped anyway."""

KILLED = 128
"""Added to the number of the signal that ended a process for its exit code, as shells do."""


class Parent:
    """Keeps a server running until it is stopped.

    The server may have a number of ``processes``. ``arguments`` are those of the command line after the program's name.
    ``memory`` is the maximum bytes of a process. With ``keep_connections`` a portal keeps the connections of clients,
    and there is one server process.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        data: Path,
        memory: int,
        keep_connections: bool = False,
        processes: int = 1,
    ) -> None:
        self._arguments = arguments
        self._data = data
        self._memory = memory
        self.workers = [Worker(number) for number in range(processes)]
        """The places of the server processes, each with its process if that lives."""
        self._counts: Counts | None = None
        self._counts_file = -1
        if processes > 1:
            with tempfile.TemporaryFile() as file:
                file.truncate(Counts.size(processes))
                self._counts = Counts(mmap.mmap(file.fileno(), 0))
                self._counts_file = os.dup(file.fileno())
            for worker in self.workers:
                self._counts.put(NOBODY, worker.number)
        self._spare: Child | None = None
        """Spare process, which replaces the next server that ends."""
        self._spare_at = 0.0
        self._unusable: dict[str, str] = {}
        """Rulesets whose import ended a server, with the reasons; not saved."""
        self._stop: int | None = None
        self._code = 0
        """The exit code once all have stopped."""
        self._selector = selectors.DefaultSelector()
        self.manager = ServiceManager()
        self._keeps = keep_connections
        self.edge: Child | None = None
        """The process of the portal, if there is one."""
        self._edge_sockets: dict[str, int] = {}
        self._edge_has_served = False
        self._edge_next = 0.0
        self._edge_kill_at = float("inf")

    def run(self) -> int:
        """Run until the server has stopped or could not start; return its exit code."""
        woken, wakes = socket.socketpair()
        woken.setblocking(False)
        wakes.setblocking(False)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._told_to_stop)
        # From a terminal the signal means that the terminal is closed, from others that the configuration has changed.
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
            others = [child for child in (self._spare, self.edge) if child is not None]
            for child in [*self._children(), *others]:
                child.process.kill()
                child.process.wait()
                child.bury()

    def _children(self) -> Iterator[Child]:
        return (worker.child for worker in self.workers if worker.child is not None)

    def _told_to_stop(self, number: int, frame: object) -> None:
        if number == signal.SIGINT and self._stop is not None:
            for child in self._children():
                child.process.kill()  # a second Ctrl-C; a service manager may repeat SIGTERM
        self._stop = signal.SIGINT if number == signal.SIGINT else signal.SIGTERM

    def _told_to_reload(self, number: int, frame: object) -> None:
        for worker in self.workers:
            worker.reload = True

    def _pause(self) -> float:
        now = time.monotonic()
        soonest = [child.soonest(now) for child in self._children()]
        waiting = [max(0.0, worker.next - now) for worker in self.workers if worker.child is None]
        return min(LOOK_SECONDS, *soonest, *(waiting if not soonest else []))

    def _turn(self) -> int | None:
        """Do all due work; return the exit code at the end."""
        now = time.monotonic()
        self.say_alive(now)
        if self._keeps:
            code = self._tend_edge(now)
            if code is not None:
                return code
            if self.edge is not None and (self._stop is not None or not self.edge.serves):
                return None  # the portal starts first and stops first, while the server can answer pending requests
        for worker in self.workers:
            ended = self._tend(worker, now)
            if ended is not None:  # the others stop, too
                self._code = self._code or ended
                self._stop = self._stop or signal.SIGTERM
        if self._stop is not None:
            return None if any(self._children()) else self._code
        if all(worker.serves for worker in self.workers):
            is_asked = any(child.wants_successor for child in self._children())
            if self._spare is None and now >= self._spare_at and not is_asked:
                self._spare = Child(self._arguments)
        return None

    def say_alive(self, now: float) -> None:
        """Send the service manager a sign of life if all processes send heartbeats."""
        edge = [] if self.edge is None else [self.edge]
        if not any(child.is_silent for child in [*self._children(), *edge]):
            self.manager.alive(now)

    def _tend(self, worker: Worker, now: float) -> int | None:
        """Start, watch and stop a server process; return an exit code if no process should run any longer."""
        child = worker.child
        if child is None:
            # The first one opens the ports, and migrates the tables.
            may_begin = worker.number == 0 or self.workers[0].has_served
            if self._stop is None and may_begin and now >= worker.next and (self.edge is not None or not self._keeps):
                self._begin(worker)
            return None
        if self._stop is not None and worker.kill_at == float("inf"):
            worker.close_doors()
            self.manager.stopping()
            child.ask_to_stop(self._stop)
            worker.kill_at = now + STOP_SECONDS
        if child.process.poll() is not None:
            return self._ended(worker, child)
        if now >= worker.kill_at:
            child.process.kill()
        else:
            self._listen_to(worker, child)
        if child.charge is None:
            charge = child.look(now)
            if charge is not None:
                child.end(charge)
        if worker.reload and child.serves:
            worker.reload = False
            child.signal(signal.SIGHUP)
        if child.wants_successor and self._stop is None and not worker.is_replaced:
            self._replace(worker, child, now)
        return None

    def _replace(self, worker: Worker, child: Child, now: float) -> None:
        """Stop a server as soon as a new one, of the present release, has loaded its modules."""
        if worker.successor_by is None:
            if self._spare is not None:
                self._spare.process.kill()
                self._spare.process.wait()
                self._spare.bury()
            self._spare = Child(self._arguments)
            worker.successor_by = now + SUCCESSOR_SECONDS
            self.manager.status("the server is being replaced")
        spare = self._spare
        if spare is not None and spare.has_said():
            spare.heard()
        if spare is not None and not spare.is_loaded and (spare.hung_up or spare.process.poll() is not None):
            spare.process.kill()
            spare.process.wait()
            spare.bury()
            self._spare, worker.successor_by, child.wants_successor = None, None, False
            self._spare_at = now + SPARE_SECONDS
            self.manager.ready(self._who_serves())
            say("error", f"the next server cannot be started (see above); process {child.number} goes on")
        elif spare is None or spare.is_loaded or now >= worker.successor_by:
            worker.is_replaced = True
            child.ask_to_stop(signal.SIGTERM)
            worker.kill_at = now + STOP_SECONDS

    def _tend_edge(self, now: float) -> int | None:
        """Start, watch and stop the portal; return the exit code if it cannot be started."""
        edge = self.edge
        if edge is None:
            if self._stop is None and now >= self._edge_next:
                self.edge = Child([*self._arguments, "--edge"])
                self.edge.begin(self._edge_sockets, self._memory, {})
                self._selector.register(self.edge.line, selectors.EVENT_READ)
            return None
        if edge.process.poll() is not None:
            return self._edge_ended(edge, now)
        if self._stop is not None and self._edge_kill_at == float("inf"):
            self.manager.stopping()
            for number in self._edge_sockets.values():
                os.close(number)
            self._edge_sockets = {}
            edge.ask_to_stop(signal.SIGTERM)
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
        self.edge = None
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

    def _begin(self, worker: Worker) -> None:
        child, self._spare = self._spare or Child(self._arguments), None
        self._selector.register(child.line, selectors.EVENT_READ)
        shared = {key: number for other in self.workers for key, number in other.sockets.items() if key in other.shared}
        sockets = {**shared, **worker.sockets}
        counts = None if self._counts is None else self._counts_file
        child.begin(sockets, self._memory, self._unusable, worker.number, follows=worker.has_served, counts=counts)
        worker.child, worker.kill_at = child, float("inf")
        worker.successor_by, worker.is_replaced = None, False

    def _listen_to(self, worker: Worker, child: Child) -> None:
        if not child.has_said():
            return
        sockets = child.heard()
        if child.hung_up:
            self._selector.unregister(child.line)
        if sockets is None:
            return
        worker.keep(sockets, child.shared)
        worker.has_served = True
        if all(one.serves for one in self.workers):
            self.manager.ready(self._who_serves())
            self._spare_at = time.monotonic() + (SPARE_SECONDS_OF_KEPT if self._keeps else SPARE_SECONDS)

    def _who_serves(self) -> str:
        numbers = [str(child.number) for child in self._children()]
        if len(numbers) == 1:
            return f"process {numbers[0]} serves"
        return f"{len(numbers)} processes serve ({', '.join(numbers)})"

    def _called(self, worker: Worker, child: Child) -> str:
        which = f"server {worker.number}" if len(self.workers) > 1 else "the server"
        return f"{which} (process {child.number})"

    def _ended(self, worker: Worker, child: Child) -> int | None:
        """Handle the end of a server: return the exit code if the supervisor is done, else schedule the next server."""
        worker.child = None
        if self._counts is not None:
            self._counts.put(NOBODY, worker.number)
        if child.line in [key.fileobj for key in self._selector.get_map().values()]:
            self._selector.unregister(child.line)
        is_expected = self._stop is not None or worker.is_replaced
        charge = None if is_expected else child.charge or child.last_words()
        child.bury()
        code, called = child.process.returncode, self._called(worker, child)
        if worker.is_replaced and self._stop is None:
            worker.next = time.monotonic()
            say("info", f"{called} has stopped, and the next one takes its place")
            return None
        if charge is not None:
            self._condemn(charge, worker, child)
        is_alone = len(self.workers) == 1
        cannot_start = not worker.has_served and (is_alone or code > 0)  # others serve, and continue if this one ends
        if self._stop is not None or (charge is None and (cannot_start or (is_alone and code == 0))):
            if self._stop is not None and code == -self._stop:
                return 0  # it stopped before it handled signals, with nothing to save
            return code if code >= 0 else KILLED - code
        now = time.monotonic()
        if child.serves and (now - child.begun >= STEADY_SECONDS or (charge is not None and charge.call is not None)):
            worker.fails = 0  # the cause is known and handled
        worker.fails += 1
        quick = worker.fails - QUICK_ENDS
        wait = 0.0 if quick <= 0 else min(LONGEST_WAIT, FIRST_WAIT * 2 ** (quick - 1))
        worker.next = now + wait
        if charge is None:
            how = f"signal {-code}" if code < 0 else f"code {code}"
            say("error", f"{called} has ended with {how}")
        self.manager.status(f"{called} has ended; another is started{f' in {wait:g} s' if wait else ''}")
        say("warn", f"another server is started{f' in {wait:g} s' if wait else ' at once'}")
        return None

    def _condemn(self, charge: Charge, worker: Worker, child: Child) -> None:
        """Record for the next server which rules have ended this one, and log it."""
        call = charge.call
        where = "" if call is None or not call.running else traces.place(child.trace, call.thread)
        reason = f"{charge.why}{f' ({where})' if where else ''}; the server was ended"
        if call is None:
            say("error", f"{reason}; no rules are known to be to blame")
        else:
            whose = f"ruleset {call.ruleset}, game number {call.game}" if call.game else f"ruleset {call.ruleset}"
            say("error", f"{whose}: {reason}")
            if call.game or child.serves:
                try:
                    crash_record.read(self._data).add(Verdict(call.game, call.ruleset, reason, worker.number))
                except OSError as error:
                    say("error", f"that cannot be written down for the next server: {error.strerror or error}")
            else:
                self._unusable[call.ruleset] = f"importing it failed: {reason}"
        lines = traces.of_thread(child.trace, 0 if call is None else call.thread)
        for line in lines or child.trace.splitlines():
            say("error", f"  {line}")


def has_terminal() -> bool:
    """Return whether the log goes to a terminal."""
    return os.isatty(sys.stderr.fileno())
