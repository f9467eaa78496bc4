"""Writer: the only connection that writes. It commits jobs in groups.

In a cluster each group begins with one statement. It locks the games of its jobs, and returns the current epoch and
holder of each. The lock is that of an UPDATE of the row (NO KEY UPDATE). So a takeover waits until the group is
committed or rolled back. Rows that only refer to a game do not wait. No stronger lock is needed later. After FOR SHARE
it would be, which could end in a deadlock with that takeover.

Games that another transaction has locked are skipped, as if another node had taken them. So the writer never waits. A
node that has lost a game without need takes it again.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError
from twisted.internet.defer import Deferred

from tpserver.fault_points import reached
from tpserver.store.backends.backend import Backend, driver_connection
from tpserver.store.errors import StoreError, gone_back
from tpserver.store.games.journal import JournalValues, append_all
from tpserver.store.idempotency import note_all

Fence = tuple[int, int, str | None]
"""A game, the epoch at which it is held, and its holder (None: any node).

The epoch alone is not enough: after the database has gone back, the same epoch may be given twice.
"""

MOST_TRIES = 10
"""Maximum tries of a group that conflicts with other nodes."""
LOOK_SECONDS = 0.1
"""Seconds between two looks for the result of a COMMIT."""

_CLOCK = "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"
_FIRST_NUMBER = (
    f"INSERT INTO writers (id, at, committed) VALUES (%s, {_CLOCK}, %s)"
    " ON CONFLICT (id) DO UPDATE SET at = excluded.at, committed = excluded.committed RETURNING id"
)
# Only if the last group that was confirmed to this writer is there.
_NEXT_NUMBER = f"UPDATE writers SET at = {_CLOCK}, committed = %s WHERE id = %s AND committed >= %s RETURNING id"
_AND_LOCK = (
    "WITH number AS ({}) SELECT numbered, game, epoch, node FROM (SELECT count(*) AS numbered FROM number) AS found"
    " LEFT JOIN LATERAL (SELECT id AS game, epoch, node FROM games WHERE id = ANY(%s) ORDER BY id"
    " FOR NO KEY UPDATE SKIP LOCKED) AS locked ON true"
)
_BEGIN_FIRST, _BEGIN_GROUP = _AND_LOCK.format(_FIRST_NUMBER), _AND_LOCK.format(_NEXT_NUMBER)
# Not a plain SELECT: this one waits for the end of a transaction that has written the row.
_COMMITTED = (
    f"INSERT INTO writers (id, at, committed) VALUES (%s, {_CLOCK}, 0)"
    " ON CONFLICT (id) DO UPDATE SET at = excluded.at RETURNING committed"
)


@dataclass(slots=True, eq=False)
class WriteJob:
    """One unit of work or journal row, and its result.

    ``known_faults`` is the number of faults that had been reported when the job was given (see ``Store``). ``fence``
    is the game that it writes to, in a cluster.
    """

    row: JournalValues
    unit: Callable[[Connection], Any] | None  # None: the job is a row
    known_faults: int
    fence: Fence | None = None
    request: str = ""
    """The id of the request that it belongs to, if that has one (`done_requests`)."""
    deferred: Deferred[Any] = field(default_factory=Deferred)
    result: Any = None
    error: BaseException | None = None


MOST_BROKEN = 4096
"""Maximum broken fences that are remembered: more than there are games with waiting jobs."""


class _Conflict(Exception):
    """A group conflicted with other nodes and was rolled back; it may be tried again. Its cause has the error."""


class Writer:
    """The writing connection. Used by one thread at a time; reconnects after the connection was lost."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._timeouts = backend.timeouts
        self._id = secrets.token_hex(8)
        self._group = 0  # the number of the present group, by which it is found if its COMMIT is not answered
        self._saved = 0
        self._broken: dict[Fence, None] = {}  # fences that have failed a job, the oldest first
        self._engine = backend.writer()
        self._connection: Connection | None = None

    @property
    def saved(self) -> tuple[str, int]:
        """The id of this writer in the database of a cluster, and its newest confirmed group; 0 for none."""
        return self._id, self._saved

    def connection(self) -> Connection:
        """Return the connection, reconnecting if it was lost. Raises StoreError."""
        if self._connection is None:
            try:
                connection = self._engine.connect()
            except Exception as error:
                raise self._fault(error) from error
            try:
                self._backend.prepare_writer(connection)
            except Exception as error:
                connection.invalidate()
                connection.close()
                raise (error if isinstance(error, StoreError) else self._fault(error)) from error
            self._connection = connection
        return self._connection

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._backend.disconnecting()
            self._connection.close()
            self._connection = None
        self._engine.dispose()

    def commit_group(self, jobs: Sequence[WriteJob]) -> StoreError | None:
        """Commit the jobs in order, and set the ``result`` or ``error`` of each.

        All run in one transaction. If a job raises, the transaction is rolled back, and the jobs before it are run
        again and committed. Then the job is tried alone, and the rest goes on as a group. So a job that raises fails
        alone, and costs only two more commits.

        Returns the fault if the database itself failed (also at the commit). It is then the error of all jobs not yet
        committed.
        """
        rest = list(jobs)
        try:
            while rest:
                failed = self._attempt(rest)
                if failed is None:
                    break
                if failed > 0:
                    before, rest = rest[:failed], rest[failed:]
                    if fault := self.commit_group(before):
                        raise fault
                self._attempt(rest[:1])
                rest = rest[1:]
        except StoreError as fault:
            for job in rest:
                if job.error is None:  # not of one whose fence is broken
                    job.error = fault.copy()
            return fault
        return None

    def _attempt(self, jobs: Sequence[WriteJob]) -> int | None:
        """Run the jobs in one transaction and commit it; return None if that succeeds.

        If a job raised and was not alone, nothing is committed, and its position is returned. Raises StoreError for a
        fault of the database.
        """
        for _ in range(MOST_TRIES):
            try:
                are_rows = all(job.unit is None for job in jobs)
                failed = self._append(jobs) if are_rows else self._run(jobs, row_by_row=False)
                if failed == _IN_A_RUN:
                    failed = self._run(jobs, row_by_row=True)
                return failed
            except _Conflict as conflict:
                last = conflict
        raise StoreError(
            f"The database {self._backend.label} could not save what it was given: {MOST_TRIES} times it got in the "
            f"way of other nodes ({_said(last.__cause__)})."
        ) from last

    def begin_group(self, execute: Callable[[str, Any], Any], jobs: Sequence[WriteJob]) -> None:
        """Number the group, lock its games, and fail jobs whose fence is broken.

        An epoch never returns, so such a job keeps its error. Raises StoreError, code ``gone``, if the database lacks
        what it had confirmed.
        """
        self._group += 1
        games = list({job.fence[0] for job in jobs if job.fence is not None})
        if self._saved:
            found = execute(_BEGIN_GROUP, (self._group, self._id, self._saved, games)).fetchall()
        else:
            found = execute(_BEGIN_FIRST, (self._id, self._group, games)).fetchall()
        if not found[0][0]:
            raise gone_back(self._backend.label)
        held = {(game, epoch, node) for _, game, epoch, node in found}
        held |= {(game, epoch, None) for game, epoch, _ in held}
        for job in jobs:
            if job.fence is None or job.error is not None:
                continue
            # A game whose row is locked for a moment counts as lost: what follows must not be saved behind a gap.
            if job.fence not in held or job.fence in self._broken:
                self._broken[job.fence] = None
                if len(self._broken) > MOST_BROKEN:
                    del self._broken[next(iter(self._broken))]
                job.error = StoreError(
                    f"This node no longer holds game {job.fence[0]}: nothing of it was saved.", code="fenced"
                )

    def _append(self, jobs: Sequence[WriteJob]) -> int | None:
        """Commit jobs that are all rows, and return None; or do nothing, so that ``_run`` tells which one is to blame.

        It uses the driver itself: what SQLAlchemy adds to a transaction of one row costs more than SQLite.
        """
        connection = self.connection()
        driver = driver_connection(connection)
        try:
            self._backend.begin(driver)
            reached("store: begun")
            if self._timeouts is None:
                rows = [job.row for job in jobs]
            else:
                self.begin_group(driver.execute, jobs)
                rows = [job.row for job in jobs if job.error is None]
            append_all(driver.execute, connection.dialect, rows)
            if requests := [job.request for job in jobs if job.request and job.error is None]:
                note_all(driver.execute, connection.dialect, requests, time.time())
        except BaseException as error:
            self._undo(connection, error)
            if not isinstance(error, Exception) or isinstance(error, StoreError):
                raise
            if self._connection is None:  # lost, which is not the fault of a row
                raise self._fault(error) from error
            return _IN_A_RUN
        self.commit(connection, driver.commit)
        return None

    def _run(self, jobs: Sequence[WriteJob], *, row_by_row: bool) -> int | None:
        connection = self.connection()
        begun = 0
        rows: list[JournalValues] = []
        try:
            transaction = connection.begin()
            reached("store: begun")
            if self._timeouts is not None:
                self.begin_group(connection.exec_driver_sql, jobs)
            for job in jobs:
                begun += 1
                if job.error is not None:
                    continue
                if job.unit is None:
                    rows.append(job.row)
                    if row_by_row:
                        self._insert(connection, rows)
                else:
                    self._insert(connection, rows)
                    job.result = job.unit(connection)
            self._insert(connection, rows)
            if requests := [job.request for job in jobs if job.request and job.error is None]:
                note_all(connection.exec_driver_sql, connection.dialect, requests, time.time())
        except BaseException as error:
            self._undo(connection, error)
            if begun == 0 and isinstance(error, StoreError):
                raise
            if fault := self._backend.translate_error(error):
                raise fault from error
            if begun == 0:  # no job has been tried
                raise self._fault(error) from error
            if len(jobs) == 1:
                jobs[0].error = _own_error(jobs[0], error)
                return None
            # If rows are still collected here, inserting them failed, and it is not known which one is to blame.
            return _IN_A_RUN if rows and not row_by_row else begun - 1
        self.commit(connection, transaction.commit)
        return None

    def commit(self, connection: Connection, commit: Callable[[], object]) -> None:
        """Commit the open transaction.

        Raises StoreError if it cannot be committed, or would be lost. In a cluster the result of a COMMIT without a
        response, or with an error, is looked up afterwards. Elsewhere the code is ``unknown`` if the error leaves it
        open.
        """
        try:
            if not self._backend.still_open(connection):
                raise StoreError(
                    f"The database {self._backend.label} ended a transaction before its time: nothing of it was saved."
                )
            reached("store: written")
            commit()
            reached("store: committed")
        except Exception as error:
            if isinstance(error, StoreError):
                self._roll_back(connection)
                raise
            self._undo(connection, error)
            if self._timeouts is None:
                fault = self._fault(error)
                if self._backend.may_be_committed(error):
                    fault = StoreError(f"{fault.sentence} What it was given may be saved anyway.", code="unknown")
                raise fault from error
            if not self.was_committed(self._timeouts.unknown):
                raise self._fault(error) from error
        else:
            doubtful = self._timeouts is not None and self._backend.in_doubt()
            if self._timeouts is not None and doubtful and not self.was_committed(self._timeouts.unknown):
                raise StoreError(
                    f"The database {self._backend.label} has lost a transaction: nothing of it was saved, as another "
                    "server of it has taken over."
                )
        self._saved = self._group
        if gone := self._backend.gone():
            raise gone

    def was_committed(self, seconds: float) -> bool:
        """Return whether the current group is in the database.

        There was no clear response to its COMMIT. The result is certain: the look is a separate transaction behind that
        of the group, and its COMMIT waits for as many standbys. Raises StoreError if there is no result within so many
        seconds.
        """
        give_up = time.monotonic() + seconds
        while True:
            try:
                connection = self.connection()
                try:
                    with connection.begin():
                        committed: int = connection.exec_driver_sql(_COMMITTED, (self._id,)).scalar_one()
                except BaseException as error:
                    self._undo(connection, error, again=False)
                    raise
                if self._backend.in_doubt():
                    raise StoreError("The look was not confirmed by the standbys of the database.")
                return committed == self._group
            except Exception as error:
                if time.monotonic() > give_up:
                    raise StoreError(
                        f"The database {self._backend.label} has not said whether it has saved what it was given "
                        f"({_said(error)}): that counts as not saved, and is read again.",
                        code="unknown",
                    ) from error
            time.sleep(LOOK_SECONDS)

    def _undo(self, connection: Connection, error: BaseException, *, again: bool = True) -> None:
        """Roll back after an error, and disconnect from a server that is read-only.

        Raises _Conflict if the group is to be tried ``again``.
        """
        if self._backend.takes_no_changes(error):
            connection.invalidate()
        self._roll_back(connection)
        if again and self._timeouts is not None and self._backend.is_conflict(error):
            raise _Conflict from error

    def _insert(self, connection: Connection, rows: list[JournalValues]) -> None:
        if rows:
            append_all(connection.exec_driver_sql, connection.dialect, rows)
            rows.clear()

    def _roll_back(self, connection: Connection) -> None:
        try:
            if not connection.invalidated:
                connection.rollback()
                # For SQLAlchemy a transaction ends with its COMMIT even if that fails; for the database it does not.
                driver_connection(connection).rollback()
                return
        except Exception:
            connection.invalidate()
        # A connection that cannot even roll back is useless; the next group reconnects.
        self._backend.disconnecting()
        connection.close()
        self._connection = None

    def _fault(self, error: BaseException) -> StoreError:
        return self._backend.translate_error(error) or StoreError(
            f"The database {self._backend.label} could not save what it was given ({_said(error)})."
        )


# Returned by `_run` when a bulk insertion failed at an unknown row.
_IN_A_RUN = -1


def _said(error: BaseException | None) -> str:
    """Return the text of a driver's error."""
    return str(getattr(error, "orig", None) or error).strip()


def _own_error(job: WriteJob, error: BaseException) -> BaseException:
    """Return the error to report for a job that failed alone: the exception of a unit, or a StoreError for an entry."""
    if job.unit is not None or not isinstance(error, Exception):
        return error
    game, number = job.row[:2]
    if isinstance(error, IntegrityError):
        why = "an entry of that number is there already, or there is no such game"
    else:
        why = _said(error)
    return StoreError(f"Entry {number} of game {game} cannot be put into the journal: {why}.", code="entry")
