"""Environment of the parts of a server process: launch, configuration, reactor, threads and shutdown."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

from tpserver.concurrency import Executor
from tpserver.config import Config
from tpserver.server.shutdown import Shutdown, Stage
from tpserver.wire.net.sharing import Counts


@dataclass(frozen=True)
class Launch:
    """Parameters from the command line and the supervisor; by default a single process without a supervisor."""

    number: int = 0
    """The number of this process, below `cluster.processes`."""
    follows: bool = False
    """True if it replaces another process of this number that has served and ended."""
    counts: Counts | None = None
    """The connections of all processes, if there are several."""
    sockets: Mapping[str, int] = field(default_factory=dict)
    """The inherited listening sockets, by ``EndpointSpec.key``."""
    ask_for_successor: Callable[[], object] | None = None
    """Behind a portal, which listens for clients: starts another process to replace this one."""
    backup_command: Sequence[str] = ()
    """Makes a backup of this server."""
    read_config: Callable[[], Config] | None = None
    """Reads the configuration again; raises OperationError."""
    set_log_level: Callable[[str], None] = lambda level: None


class BackgroundTask(Protocol):
    """A part of a server that runs in the background."""

    def start(self) -> None: ...

    def stop(self) -> object: ...


P = TypeVar("P", bound=BackgroundTask)


@dataclass
class Process:
    """Environment of all parts of a server; ``config`` is the latest applied configuration."""

    config: Config
    reactor: Any
    launch: Launch
    shutdown: Shutdown = field(default_factory=Shutdown)

    @property
    def is_first(self) -> bool:
        """True if this process does the work that only one of several does."""
        return self.launch.number == 0

    def start(self, stage: Stage, part: P) -> P:
        """Start a part, and add it to a stage of the shutdown."""
        self.shutdown.add(stage, part.stop)
        part.start()
        return part

    def pool(self, name: str, threads: int) -> Executor:
        """Start threads that do not keep the process alive."""
        pool = ThreadPool(0, threads, name)
        pool.threadFactory = partial(threading.Thread, daemon=True)  # type: ignore[assignment]
        pool.start()
        # Not waited for: results of threads that still compute are no longer used.
        self.shutdown.add(Stage.THREADS, threading.Thread(target=pool.stop, daemon=True).start)
        return partial(deferToThreadPool, self.reactor, pool)
