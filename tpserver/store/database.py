"""The store: one database, read by any thread, written in groups by one thread."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError
from twisted.internet.defer import Deferred, execute, fail
from twisted.internet.interfaces import IReactorFromThreads
from twisted.logger import Logger

from tpserver.store.backend import Backend
from tpserver.store.errors import StoreError
from tpserver.store.games import LACKING
from tpserver.store.journal import JournalEntry, JournalValues
from tpserver.store.schema import bring_up_to_date, check_readable
from tpserver.store.urls import backend_of
from tpserver.store.writer import WriteJob, Writer

T = TypeVar("T")
P = ParamSpec("P")
log = Logger()

# Maximum jobs per commit; more would not be cheaper, only later.
GROUP = 2048

_NO_ROW: JournalValues = (0, 0, 0, 0.0, None, "", "")


class Store:
    """The database of one server.

    ``write`` and ``append`` are called in the reactor thread (without a reactor: in one thread at a time). They put
    jobs on a queue; the writer thread takes all that are waiting, runs them in one transaction, commits, and fires the
    Deferreds of the group by one call into the reactor thread. No Deferred fires before its COMMIT has returned.

    Jobs are committed in the order in which they were given. If the database fails (disk full, server gone), the whole
    group fails with StoreError, and so does every job given before the failure was reported in the reactor thread: jobs
    given on the assumption that earlier ones would be saved are not saved without them. After that the store goes on.

    The queue is unbounded. With a slow disk ``pending`` grows; the caller refuses new requests above a limit of its
    own, and can still give jobs that must not be refused (the closing of a turn).
    """

    def __init__(self, backend: Backend, writer: Writer, reactor: IReactorFromThreads | None) -> None:
        """Called by ``open`` only."""
        self._backend = backend
        self._writer = writer
        self._reader = backend.reader()
        self._queue: SimpleQueue[WriteJob | None] = SimpleQueue()
        self.pending = 0
        """The number of jobs that were given and have not fired yet.  Read only."""
        self._closed: Deferred[None] | None = None
        # The number of faults reported in the reactor thread; each job carries the number when it was given.
        self._known_faults = 0
        self._fault: StoreError | None = None  # of the last group
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

    @classmethod
    def open(
        cls,
        url: str,
        *,
        reactor: IReactorFromThreads | None,
        before_migration: Callable[[str], object] = lambda version: None,
    ) -> Store:
        """Open the database of an SQLAlchemy URL, create or migrate its tables, and lock out other processes.

        ``sqlite:////directory/file.sqlite`` (created if missing; its directory must exist) or
        ``postgresql+psycopg://user:password@host/database``. With ``reactor`` None there are no threads: writes happen
        at once and return fired Deferreds.  ``before_migration`` is called with the version of tables that are about
        to be changed; what it raises is raised here, and they are left as they are.

        Raises StoreError with a sentence for the operator; then nothing has been changed.
        """
        backend = backend_of(url)
        backend.lock()
        writer = None
        try:
            writer = Writer(backend)
            connection = writer.connection()
            with connection.begin():
                bring_up_to_date(connection, backend.label, before_migration)
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
        """Whether ``close`` was called."""
        return self._closed is not None

    @property
    def gone(self) -> StoreError | None:
        """Why this process can never save anything again: the database was removed or replaced; None if it was not."""
        return self._gone

    def look(self) -> None:
        """Check whether the database is still where it was opened; to be called about twice a second."""
        if self._closed is None and self._gone is None and (gone := self._backend.gone()):
            self._told(gone)

    def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``fn`` on the calling thread with a new connection and ``args``, and return its result.

        The connection sees one state, with everything committed, and cannot write. The result must not need the
        connection any more (exhaust iterators inside). Raises what ``fn`` raises, and StoreError if the database fails.
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

        ``unit`` runs in the writer thread. It may run more than once (if another job of its group raises), so it must
        have no effects but on the connection, and neither commit nor roll back. If it raises, it is undone and the
        Deferred fails with its exception; if the database fails, with StoreError.
        """
        return self._give(WriteJob(_NO_ROW, lambda connection: unit(connection, *args, **kwargs), self._known_faults))

    def append(self, entry: JournalEntry) -> Deferred[None]:
        """Commit a journal entry; fires in the reactor thread after the COMMIT. The body is encoded before this
        returns.

        Fails with StoreError, code ``entry``, if the number exists already, the game does not, or JSON cannot represent
        the body.
        """
        try:
            values = entry.values()
        except (TypeError, ValueError, RecursionError) as error:
            what = f"Entry {entry.number} of game {entry.game}"
            return fail(StoreError(f"{what} cannot be put into the journal: {error}.", code="entry"))
        return self._give(WriteJob(values, None, self._known_faults))

    def close(self) -> Deferred[None]:
        """Commit what is pending, then close the database; fires when that is done. Later jobs are refused.

        Further calls do nothing but return a Deferred that fires with the first.
        """
        if self._closed is None:
            self._closed = Deferred()
            if self._thread is None:
                self._release()
                self._closed.callback(None)
            else:
                self._readings.put(None)
                self._queue.put(None)
        again: Deferred[None] = Deferred()
        self._closed.chainDeferred(again)
        return again

    def _give(self, job: WriteJob) -> Deferred[Any]:
        if refused := self._refused():
            return fail(refused)
        self.pending += 1
        if self._thread is None:
            self._writer.commit_group([job])
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
            unaware = 0  # jobs given before the last fault was reported
            while fault and unaware < len(group) and group[unaware].known_faults < fault_known:
                group[unaware].error = fault.copy()
                unaware += 1
            if unaware < len(group):
                fault = self._commit_group(group[unaware:])
                if fault:
                    fault_known = group[-1].known_faults + 1
            if group:
                reactor.callFromThread(self._fire, group, fault_known)
        self._release()
        assert self._closed is not None
        reactor.callFromThread(self._closed.callback, None)

    def _read_all(self, reactor: IReactorFromThreads) -> None:
        """The reader thread."""
        while (reading := self._readings.get()) is not None:
            fn, deferred = reading
            try:
                result = _read(self._backend, self._reader, fn)
            except BaseException as error:
                reactor.callFromThread(deferred.errback, error)
            else:
                reactor.callFromThread(deferred.callback, result)

    def _commit_group(self, jobs: list[WriteJob]) -> StoreError | None:
        try:
            return self._writer.commit_group(jobs)
        except Exception as error:  # a bug here must not end the thread that does all saving
            fault = StoreError(f"The database {self._backend.label} could not save what it was given ({error!r}).")
            for job in jobs:
                job.error = fault.copy()
            return fault

    def _fire(self, group: list[WriteJob], fault_known: int = 0) -> None:
        """Fire the Deferreds of a group, in order; runs in the reactor thread."""
        self.pending -= len(group)
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

    def _release(self) -> None:
        if self._reading is not None:
            self._reading.join()
        self._reader.dispose()
        self._writer.close()
        self._backend.unlock()


def _read(
    backend: Backend, engine: Engine, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Return the result of ``fn`` with a new connection.  Raises what it raises, and StoreError for a fault."""
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
    """A database opened for reading only.  Raises StoreError if there is none, or its tables are not known."""

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
        """Return ``fn(connection, *args)``, which sees one state.  Raises StoreError, or what ``fn`` raises."""

        def reading(connection: Connection) -> T:
            connection.info[LACKING] = self._lacking
            return fn(connection, *args, **kwargs)

        return _read(self._backend, self._engine, reading)

    def close(self) -> None:
        self._engine.dispose()
