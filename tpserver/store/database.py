"""The store: one database, read by any thread, written by one thread.

The writer commits in groups (`tpserver.store.writer`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection, Engine, inspect
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError, SQLAlchemyError
from twisted.internet.defer import Deferred, execute, fail
from twisted.internet.interfaces import IReactorFromThreads
from twisted.logger import Logger

from tpserver.fault_points import reached
from tpserver.store.backends.backend import Backend, Timeouts
from tpserver.store.backends.urls import backend_of
from tpserver.store.errors import StoreError, gone_back
from tpserver.store.games import nodes
from tpserver.store.games.journal import JournalEntry, JournalValues
from tpserver.store.games.rows import LACKING
from tpserver.store.idempotency import REQUEST
from tpserver.store.schema import bring_up_to_date, check_readable, lock_version, only_adds_since, touch
from tpserver.store.writer import MOST_TRIES, Fence, WriteJob, Writer

T = TypeVar("T")
P = ParamSpec("P")
log = Logger()

# Maximum jobs per commit; more would not be cheaper, only later.
GROUP = 2048

_NO_ROW: JournalValues = (0, 0, 0, 0.0, None, "", "")


class Store:
    """The database of one server.

    ``write`` and ``append`` are called in the reactor thread (without a reactor: in one thread at a time). They put
    jobs on a queue. The writer thread takes all waiting jobs, runs them in one transaction, and commits it. Then one
    call into the reactor thread fires the Deferreds of the group. No Deferred fires before its COMMIT has returned.

    Jobs are committed in the order in which they were given. If the database fails (disk full, server gone), the whole
    group fails with StoreError. So does every job given before the failure was reported in the reactor thread. Such a
    job may build on earlier ones, so it must not be saved without them. After that the store goes on.

    In a cluster several stores share a database. Changes of a game go through ``fenced`` there. They fail, alone, once
    another node holds the game. ``write_apart`` has a separate connection, for work that must not wait for earlier
    groups.

    The queue is unbounded. With a slow disk ``pending`` grows. The caller refuses new requests above a limit of its
    own. It can still give jobs that must not be refused, such as the closing of a turn.
    """

    def __init__(self, backend: Backend, writer: Writer, reactor: IReactorFromThreads | None) -> None:
        """Called by ``open`` only."""
        self._backend = backend
        self.writer = writer
        """The connection that writes. Only the writer thread may use it."""
        self._reader = backend.reader()
        self.shared = backend.timeouts is not None
        """True for the database of a cluster, of which this process is a node."""
        self._apart = backend.engine_apart() if self.shared else None
        self._apart_jobs: SimpleQueue[tuple[Callable[[Connection], Any], Deferred[Any]] | None] = SimpleQueue()
        self._working_apart: Thread | None = None
        self._queue: SimpleQueue[WriteJob | None] = SimpleQueue()
        self.pending = 0
        """The number of jobs that were given and have not fired yet. Read only."""
        self._closed: Deferred[None] | None = None
        # The number of faults reported in the reactor thread; each job carries the number when it was given.
        self._known_faults = 0
        self._fault: StoreError | None = None  # of the last group
        self.failed_saves = 0
        """The number of changes that could not be saved because the database failed. Read only."""
        self._gone: StoreError | None = None
        self._thread: Thread | None = None
        self._readings: SimpleQueue[tuple[Callable[[Connection], Any], Deferred[Any]] | None] = SimpleQueue()
        self._reading: Thread | None = None
        if reactor is not None:
            # A daemon, so that a process that does not close the store can end; what is lost then was never
            # acknowledged.
            self._thread = Thread(target=self._work, args=(reactor,), name="store writer", daemon=True)
            self._thread.start()
            self._reading = Thread(target=self._read_all, args=(reactor,), name="store reader", daemon=True)
            self._reading.start()
            if self.shared:
                self._working_apart = Thread(target=self._work_apart, args=(reactor,), name="store apart", daemon=True)
                self._working_apart.start()

    @classmethod
    def open(
        cls,
        url: str,
        *,
        reactor: IReactorFromThreads | None,
        before_migration: Callable[[str], object] = lambda version: None,
        timeouts: Timeouts | None = None,
        is_new: bool = False,
    ) -> Store:
        """Open the database of an SQLAlchemy URL, create or migrate its tables, and lock out other processes.

        The URL is ``sqlite:////directory/file.sqlite`` or ``postgresql+psycopg://user:password@host/database``. A
        missing file is created, but its directory must exist. With ``reactor`` None there are no threads. Writes happen
        at once then, and return fired Deferreds. ``before_migration`` is called with the version of tables that are
        about to be changed. If it raises, the tables stay, and its error is raised here.

        ``is_new`` creates an empty database even if one is lost; an existing one is opened as it is. With ``timeouts``
        this process is a node of a cluster. Other nodes of the same version of its tables may have the database open,
        too. Without them it has the database for itself, and no node may live.

        Raises StoreError with a sentence for the operator; then nothing has been changed.
        """
        backend = backend_of(url, timeouts)
        backend.lock(is_new=is_new)
        writer = None
        try:
            writer = Writer(backend)
            connection = writer.connection()
            if timeouts is not None:
                _prepare_shared(connection, backend, before_migration)
            else:
                with connection.begin():
                    bring_up_to_date(connection, backend.label, before_migration)
                    if connection.dialect.name != "sqlite":
                        # All nodes are dead; one that is only frozen must not save anything when it wakes up.
                        nodes.release_all(connection)
            backend.opened()
            return cls(backend, writer, reactor)
        except BaseException as error:
            if writer is not None:
                writer.close()
            backend.discard()
            backend.unlock()
            if isinstance(error, SQLAlchemyError):
                cause = str(getattr(error, "orig", None) or error).strip()
                raise backend.translate_error(error) or StoreError(
                    f"The tables of the database {backend.label} could not be prepared: {cause}."
                ) from error
            raise

    @property
    def closed(self) -> bool:
        """True after ``close`` was called."""
        return self._closed is not None

    @property
    def gone(self) -> StoreError | None:
        """The reason why this process can never save again; None if it can.

        The database was removed, replaced, or has gone back in time.
        """
        return self._gone

    @property
    def fault(self) -> StoreError | None:
        """The reason why changes are not saved now.

        It is None if the last changes were saved, or were refused for their own faults.
        """
        return self._gone or self._fault

    @property
    def file(self) -> Path | None:
        """The file of the database; None if it is on a server."""
        return self._backend.path

    @property
    def made(self) -> Path | None:
        """The file of the database if there was none before it was opened."""
        return self._backend.path if self._backend.is_made else None

    def try_again(self) -> None:
        """Save a change without effect, to find out whether the database accepts changes again."""
        if self._fault is not None and self._refused() is None:
            self.write(touch).addErrback(lambda failure: None)  # `fault` says it

    def look(self) -> None:
        """Check whether the database is still where it was opened; to be called about twice a second."""
        if self._closed is None and self._gone is None and (gone := self._backend.gone()):
            self._told(gone)

    def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``fn`` with a new connection and ``args``, and return its result.

        It runs on the calling thread. The connection sees one state, with everything committed, and cannot write. The
        result must not need the connection later, so exhaust iterators inside. Raises what ``fn`` raises, and
        StoreError if the database fails.
        """
        if refused := self._refused():
            raise refused
        return _read(self._backend, self._reader, fn, *args, **kwargs)

    def read_later(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        """Call ``fn`` as ``read`` does, but in the reader thread; fires in the reactor thread with its result.

        Reads run one at a time, in the order given. Without a reactor they run at once.
        """
        if refused := self._refused():
            return fail(refused)
        if self._thread is None:
            return execute(lambda: self.read(fn, *args, **kwargs))
        deferred: Deferred[T] = Deferred()
        self._readings.put((lambda connection: fn(connection, *args, **kwargs), deferred))
        return deferred

    def write(self, unit: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        """Commit a unit of work; fires with its result, in the reactor thread, after the COMMIT.

        ``unit`` runs in the writer thread. It may run more than once (if another job of its group raises). So it must
        have no effects but on the connection, and neither commit nor roll back. If it raises, it is undone and the
        Deferred fails with its exception. If the database fails, the Deferred fails with StoreError.
        """
        return self.give(WriteJob(_NO_ROW, lambda connection: unit(connection, *args, **kwargs), self._known_faults))

    def append(self, entry: JournalEntry, fence: Fence | None = None) -> Deferred[None]:
        """Commit a journal entry; fires in the reactor thread after the COMMIT.

        The body is encoded before this returns. Fails with StoreError. Its code is ``entry`` if the number exists
        already, the game does not, or JSON cannot represent the body. It is ``fenced`` if the ``fence`` is broken.
        """
        try:
            values = entry.values()
        except (TypeError, ValueError, RecursionError) as error:
            what = f"Entry {entry.number} of game {entry.game}"
            return fail(StoreError(f"{what} cannot be put into the journal: {error}.", code="entry"))
        return self.give(WriteJob(values, None, self._known_faults, fence))

    def fenced(self, game: int, epoch: int, node: str | None = None) -> FencedStore:
        """Return a store that writes to a game only while it is held at this epoch.

        With ``node`` this node must hold it. Raises ValueError outside of a cluster.
        """
        if not self.shared:
            raise ValueError("the database is not that of a cluster")
        return FencedStore(self, (game, epoch, node))

    @property
    def saved(self) -> tuple[str, int]:
        """The id of this store's writer, and the number of its newest confirmed group.

        The database of a cluster has both. If it lacks that group, it has gone back in time.
        """
        return self.writer.saved

    def has_gone_back(self) -> StoreError:
        """Accept no more work, as the database lacks what this process has seen in it; return why."""
        fault = gone_back(self._backend.label)
        self._told(fault)
        return fault.copy()

    def write_fenced(self, fence: Fence, unit: Callable[[Connection], T]) -> Deferred[T]:
        """Commit a unit of work on a game as ``write`` does.

        Fails with StoreError, code ``fenced``, if the game is no longer held at that epoch.
        """
        return self.give(WriteJob(_NO_ROW, unit, self._known_faults, fence))

    def write_apart(self, unit: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Commit a short unit of work in a cluster at once, and return its result.

        It runs on this thread, apart from the writer. It may run more than once, as in ``write``. Errors of the unit
        are raised. After a StoreError it is unknown whether the unit was committed.
        """
        if refused := self._refused():
            raise refused
        return self._do_apart(lambda connection: unit(connection, *args, **kwargs))

    def write_apart_later(
        self, unit: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> Deferred[T]:
        """Run ``write_apart`` in a separate thread, one call after the other; fires in the reactor thread."""
        if refused := self._refused():
            return fail(refused)
        if self._working_apart is None:
            return execute(lambda: self.write_apart(unit, *args, **kwargs))
        deferred: Deferred[T] = Deferred()
        self._apart_jobs.put((lambda connection: unit(connection, *args, **kwargs), deferred))
        return deferred

    def close(self) -> Deferred[None]:
        """Commit what is pending, then close the database; fires when that is done. Later jobs are refused.

        Further calls do nothing but return a Deferred that fires with the first.
        """
        if self._closed is None:
            self._closed = Deferred()
            if self._thread is None:
                self.release()
                self._closed.callback(None)
            else:
                self._readings.put(None)
                self._apart_jobs.put(None)
                self._queue.put(None)
        again: Deferred[None] = Deferred()
        self._closed.chainDeferred(again)
        return again

    def give(self, job: WriteJob) -> Deferred[Any]:
        """Put a job on the queue of the writer; fires with its result, as ``write`` does."""
        if refused := self._refused():
            self.failed_saves += refused.code == "gone"
            return fail(refused)
        job.request = REQUEST.get()
        self.pending += 1
        if self._thread is None:
            self.writer.commit_group([job])
            if job.error is not None and not isinstance(job.error, Exception):
                self.pending -= 1
                raise job.error  # KeyboardInterrupt, not an error of the unit
            self._fire([job])
        else:
            self._queue.put(job)
        return job.deferred

    def _work(self, reactor: IReactorFromThreads) -> None:
        """The writer thread."""
        queue = self._queue
        fault: StoreError | None = None
        fault_known = 0  # a job that knows this number of faults was given after the last fault was reported
        last = False
        while not last:
            group: list[WriteJob] = []
            job = queue.get()
            while job is not None:
                group.append(job)
                if queue.empty() or len(group) == GROUP:
                    break
                job = queue.get()
            last = job is None
            if fault and group and group[0].known_faults < fault_known:
                # The first job was given before the last fault was reported, so it may build on lost jobs. The rest of
                # the group may build on it.
                for job in group:
                    job.error = fault.copy()
                fault_known += 1
            elif group:
                fault = self._commit_group(group)
                if fault:
                    fault_known = group[-1].known_faults + 1
            if group:
                reactor.callFromThread(self._fire, group, fault_known)
        for other in (self._reading, self._working_apart):
            if other is not None:
                other.join()
        self.release()
        assert self._closed is not None
        reactor.callFromThread(self._closed.callback, None)

    def _read_all(self, reactor: IReactorFromThreads) -> None:
        """The reader thread."""
        _work_off(self._readings, lambda fn: _read(self._backend, self._reader, fn), reactor)

    def _work_apart(self, reactor: IReactorFromThreads) -> None:
        """Run the thread of the writes apart."""
        _work_off(self._apart_jobs, self._do_apart, reactor)

    def _do_apart(self, unit: Callable[[Connection], T]) -> T:
        assert self._apart is not None, "only a store of a cluster does anything apart"
        tries = 0
        while True:
            tries += 1
            try:
                with self._apart.begin() as connection:
                    try:
                        return unit(connection)
                    except Exception as error:
                        if self._backend.takes_no_changes(error):
                            connection.invalidate()
                        raise
            except Exception as error:
                if self._backend.is_conflict(error) and tries < MOST_TRIES:
                    continue
                if fault := self._backend.translate_error(error):
                    raise fault from error
                raise

    def _commit_group(self, jobs: list[WriteJob]) -> StoreError | None:
        try:
            return self.writer.commit_group(jobs)
        except Exception as error:  # a bug here must not end the thread that does all saving
            fault = StoreError(f"The database {self._backend.label} could not save what it was given ({error!r}).")
            for job in jobs:
                job.error = fault.copy()
            return fault

    def _fire(self, group: list[WriteJob], fault_known: int = 0) -> None:
        """Fire the Deferreds of a group, in order; runs in the reactor thread."""
        reached("store: told")
        self.pending -= len(group)
        self.failed_saves += sum(isinstance(job.error, StoreError) and job.error.is_fault for job in group)
        if group:
            last = group[-1].error
            self._told(last if isinstance(last, StoreError) and last.is_fault else None)
        for job in group:
            if job.error is None:
                job.deferred.callback(job.result)
            else:
                job.deferred.errback(job.error)
        self._known_faults = max(self._known_faults, fault_known)

    def _told(self, fault: StoreError | None) -> None:
        """Log when the database begins to fail and when it works again; one that is gone never does."""
        if self._gone is not None:
            return
        if fault is not None and fault.code == "gone":
            self._gone = fault
            log.critical("{fault}", fault=fault.sentence)
        elif fault is not None and self._fault is None:
            log.error("{fault}", fault=fault.sentence)
        elif fault is None and self._fault is not None:
            log.info("the database {label} is saving again", label=self._backend.label)
        self._fault = fault

    def _refused(self) -> StoreError | None:
        """Return why the store accepts no work now; None if it does."""
        if self._closed is not None:
            return StoreError("The database is closed: the server is stopping.", code="closed")
        return None if self._gone is None else self._gone.copy()

    def release(self) -> None:
        """Close the connections and release the lock, without a look at what is pending. ``close`` ends with it."""
        self._reader.dispose()
        if self._apart is not None:
            self._apart.dispose()
        self.writer.close()
        self._backend.unlock()


class FencedStore:
    """Writer for one game of a cluster, while the game is held at one epoch.

    Its writes are those of the store. After that epoch they fail with StoreError, code ``fenced``.
    """

    def __init__(self, store: Store, fence: Fence) -> None:
        self._store = store
        self.fence = fence

    @property
    def pending(self) -> int:
        """That of the store."""
        return self._store.pending

    def write(self, unit: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        """Commit a unit of work on the game."""
        return self._store.write_fenced(self.fence, lambda connection: unit(connection, *args, **kwargs))

    def append(self, entry: JournalEntry) -> Deferred[None]:
        """Commit a journal entry of the game."""
        if entry.game != self.fence[0]:
            raise ValueError(f"an entry of game {entry.game} is not one of game {self.fence[0]}")
        return self._store.append(entry, self.fence)


class GameStore(Protocol):
    """Where the changes of one game are saved: a `Store`, or in a cluster a `FencedStore`."""

    @property
    def pending(self) -> int: ...

    def write(
        self, unit: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> Deferred[T]: ...

    def append(self, entry: JournalEntry) -> Deferred[None]: ...


def _work_off(
    jobs: SimpleQueue[tuple[Callable[[Connection], Any], Deferred[Any]] | None],
    do: Callable[[Callable[[Connection], Any]], Any],
    reactor: IReactorFromThreads,
) -> None:
    """Do jobs one after the other until None comes, and fire the Deferred of each in the reactor thread."""
    while (job := jobs.get()) is not None:
        fn, deferred = job
        try:
            result = do(fn)
        except BaseException as error:
            reactor.callFromThread(deferred.errback, error)
        else:
            reactor.callFromThread(deferred.callback, result)


OPENINGS = 5
"""Maximum tries to open tables that other nodes create or migrate at the same time."""


def _prepare_shared(
    connection: Connection, backend: Backend, before_migration: Callable[[str], object] = lambda version: None
) -> None:
    """Create or migrate the tables of a cluster.

    Raises StoreError, and what SQLAlchemy raises. No node locks the whole database. If two nodes create the tables at
    once, one of them fails and tries again.
    """

    def alone(version: str) -> None:
        lock_version(connection, version, backend.label)
        has_nodes = not only_adds_since(version) and inspect(connection).has_table("nodes")
        if has_nodes and (addresses := nodes.living_addresses(connection)):
            raise StoreError(
                f"The tables of the database {backend.label} are of an older version, which the node at {addresses[0]} "
                "needs. Stop all nodes, then start one of this version.",
                code="in-use",
            )
        before_migration(version)

    for last in (*[False] * (OPENINGS - 1), True):
        try:
            with connection.begin():
                # A migration takes as long as it takes, and so does the copy that is made before.
                connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
                connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
                if process := nodes.single_server(connection):
                    raise StoreError(
                        f"The database {backend.label} is in use by a tpserver without [cluster] (PostgreSQL's process "
                        f"{process}). Stop that one first.",
                        code="in-use",
                    )
                bring_up_to_date(connection, backend.label, alone)
                nodes.note_upgrade(connection)
            return
        except (IntegrityError, ProgrammingError, OperationalError):
            if last or connection.invalidated:
                raise


def _read(
    backend: Backend, engine: Engine, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Return the result of ``fn`` with a new connection. Raises what it raises, and StoreError for a fault."""
    try:
        with engine.connect() as connection:
            return fn(connection, *args, **kwargs)
    except Exception as error:
        if fault := backend.translate_error(error):
            raise fault from error
        raise


class Reader(Protocol):
    """Anything that can be read: a `Store`, or a database without its lock."""

    def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T: ...

    def close(self) -> object: ...


class ReadOnly:
    """A database opened for reading only. Raises StoreError if there is none, or its tables are not known."""

    def __init__(self, url: str) -> None:
        self._backend = backend_of(url)
        self._engine = self._backend.reader()
        self.label = self._backend.label
        """The name of the database in messages; never contains a password."""
        self._lacking: frozenset[str] = frozenset()
        try:
            self._lacking = self.read(check_readable, self.label)
        except BaseException:
            self.close()
            raise

    def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return ``fn(connection, *args)``, which sees one state. Raises StoreError, or what ``fn`` raises."""

        def reading(connection: Connection) -> T:
            connection.info[LACKING] = self._lacking
            return fn(connection, *args, **kwargs)

        return _read(self._backend, self._engine, reading)

    def close(self) -> None:
        self._engine.dispose()
