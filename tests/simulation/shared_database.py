"""A database that simulated nodes share, in place of PostgreSQL.

A real PostgreSQL server cannot be stepped: a transaction that waits for a lock would block the only thread. Here the
rows are in one SQLite file, and a waiting transaction lets the others run. Everything that nodes rely on goes through
the product's own backend and its statements. A dialect and a driver translate the few statements that only PostgreSQL
has, and raise psycopg's errors.

Properties that it shares with PostgreSQL:

* Each statement before the first write or lock sees what is committed by then.
* A write waits, for at most `lock_timeout`, while another transaction has written.
* A transaction whose client is silent for `idle_in_transaction_session_timeout` is ended together with its connection.
* After an error a transaction does nothing more, and its COMMIT rolls back.
* Only the database's own clock counts, and it goes on within a transaction.

It cannot show these: rows are not locked one by one, but all together, from the first change on. So there is no
skipping of locked rows, there are no deadlocks and no serialization failures. After its first change a transaction sees
no commits of others, as there are none. tests/cluster tests all that on a real PostgreSQL.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import greenlet
import psycopg
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.pool import QueuePool

from tests.simulation.threads import THE_PROCESS, Process, wait_until
from tpserver.store.backends.backend import Timeouts, driver_connection
from tpserver.store.backends.postgres import PostgresDatabase
from tpserver.store.writer import _BEGIN_FIRST, _BEGIN_GROUP, _COMMITTED

URL = "postgresql+psycopg://database/simulated"
TIMEOUTS = Timeouts()

IDLE, IN_TRANSACTION, IN_ERROR = 0, 2, 3
"""psycopg's numbers for the state of a transaction."""

_LOCKS = "/* FOR UPDATE */"
_WRITES = ("INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER")
_NOTHING = "SELECT 1 WHERE 0"
_AT_FIRST = (
    "INSERT INTO writers (id, at, committed) VALUES (?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET at = excluded.at, committed = excluded.committed"
)
_LATER = "UPDATE writers SET at = ?, committed = ? WHERE id = ? AND committed >= ?"
_LOOKED = (
    "INSERT INTO writers (id, at, committed) VALUES (?, ?, 0)"
    " ON CONFLICT (id) DO UPDATE SET at = excluded.at RETURNING committed"
)

DRIVER: Any = SimpleNamespace(
    **{name: getattr(psycopg, name) for name in psycopg.__all__ if isinstance(getattr(psycopg, name), type)},
)
"""The module of the driver, as SQLAlchemy expects it."""
DRIVER.paramstyle, DRIVER.sqlite_version_info, DRIVER.Binary = "qmark", sqlite3.sqlite_version_info, sqlite3.Binary


class Lost(psycopg.OperationalError):
    """The connection is closed, or nothing arrives over it."""


class SharedCompiler(SQLiteCompiler):
    """Compiles what only PostgreSQL has."""

    def visit_extract(self, extract: Any, **more: Any) -> str:
        return "world_clock()"

    def for_update_clause(self, select: Any, **more: Any) -> str:
        return f" {_LOCKS}"


class SharedDialect(SQLiteDialect_pysqlite):
    """The dialect of the shared database."""

    statement_compiler = SharedCompiler
    supports_statement_cache = True

    def is_disconnect(self, error: Any, connection: Any, cursor: Any) -> bool:
        return isinstance(error, (Lost, psycopg.errors.IdleInTransactionSessionTimeout))


registry.register("shared", __name__, "SharedDialect")


class Cursor(sqlite3.Cursor):
    connection: Connection

    def execute(self, sql: str, parameters: Any = ()) -> Cursor:
        self.connection.run(self, sql, lambda: self.do(sql, parameters), parameters)
        return self

    def executemany(self, sql: str, parameters: Any) -> Cursor:
        self.connection.run(self, sql, lambda: sqlite3.Cursor.executemany(self, sql, parameters))
        return self

    def close(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # the connection is closed already
            super().close()

    def do(self, sql: str, parameters: Any = ()) -> None:
        """Execute it as it stands."""
        sqlite3.Cursor.execute(self, sql, parameters)


class Connection(sqlite3.Connection):
    """A connection of a node to the database; the node's driver and the server's process for it in one."""

    database: SharedDatabase
    process: Process
    is_reader = False

    def set_up(self, database: SharedDatabase, *, is_reader: bool) -> None:
        self.database = database
        self.process = THE_PROCESS[-1]
        self.is_reader = is_reader
        self.status = IDLE
        self.lock_seconds = TIMEOUTS.lock
        self.has_locked = False
        self.is_busy = False
        """True while a statement takes its time."""
        self.last = 0.0
        """The time at which the last statement ended."""
        self.why_lost: Exception | None = None
        self.journal_has_changed = False
        self.isolation_level = None
        self.create_function("world_clock", 0, lambda: database.clock())
        self.plainly("PRAGMA synchronous=OFF")
        self.plainly("PRAGMA foreign_keys=ON")
        if is_reader:
            self.plainly("PRAGMA query_only=ON")
        database.connections[self] = None

    # --- what is used of psycopg's connection

    @property
    def info(self) -> Any:
        return SimpleNamespace(transaction_status=self.status)

    def add_notice_handler(self, handle: Callable[[Any], None]) -> None:
        """Do nothing, as there are no notices here."""

    def cursor(self, factory: Any = Cursor) -> Any:
        if self.why_lost is not None:
            raise greenlet.GreenletExit if self.process.is_dead else Lost("the connection is closed")
        return super().cursor(factory)

    def execute(self, sql: str, parameters: Any = ()) -> Any:
        return self.cursor().execute(sql, parameters)

    def plainly(self, sql: str) -> None:
        """Execute it at once, whatever is so."""
        Cursor(self).do(sql)

    def begin(self) -> None:
        """Begin to read one state."""
        self._reach()
        self.plainly("BEGIN")

    def run(self, cursor: Cursor, sql: str, do: Callable[[], None], parameters: Any = ()) -> None:
        """Perform a statement in the transaction, which begins with it if none is open."""
        if sql.startswith("PRAGMA"):
            do()
            return
        self._reach()
        if self.status == IN_ERROR:
            raise psycopg.errors.InFailedSqlTransaction("current transaction is aborted")
        if not self.is_reader:
            self.status = IN_TRANSACTION
        try:
            self._perform(cursor, sql, do, parameters)
        except sqlite3.IntegrityError as error:
            self._fail()
            raise psycopg.errors.UniqueViolation(str(error)) from error
        except sqlite3.Error as error:
            self._fail()
            raise psycopg.errors.SyntaxError(f"{error}: {sql}") from error
        except psycopg.Error:
            self._fail()
            raise
        self.last = self.database.clock()

    def _fail(self) -> None:
        if not self.is_reader:
            self.status = IN_ERROR

    def _perform(self, cursor: Cursor, sql: str, do: Callable[[], None], parameters: Sequence[Any]) -> None:
        if sql.startswith("SET LOCAL"):
            name, _, value = sql.removeprefix("SET LOCAL ").partition(" = ")
            if name == "lock_timeout":
                self.lock_seconds = float(value) / 1000
            cursor.do(_NOTHING)
        elif "pg_locks" in sql:
            cursor.do(_NOTHING)  # nobody has the database for itself
        elif sql in (_BEGIN_FIRST, _BEGIN_GROUP):
            self._lock()
            self._begin_group(cursor, sql, *parameters)
        elif sql == _COMMITTED:
            self._lock()
            cursor.do(_LOOKED, (parameters[0], self.database.clock()))
        else:
            if sql.lstrip().startswith(_WRITES) or _LOCKS in sql:
                self._lock()
                self.journal_has_changed |= "journal" in sql or "snapshots" in sql
            do()

    def _begin_group(self, cursor: Cursor, sql: str, *words: Any) -> None:
        """Do what the writer's first statement of a group does: number it, and read the lease holders of the games."""
        now, games = self.database.clock(), words[-1]
        if sql == _BEGIN_FIRST:
            writer, number = words[:2]
            cursor.do(_AT_FIRST, (writer, now, number))
        else:
            number, writer, saved = words[:3]
            cursor.do(_LATER, (now, number, writer, saved))
        numbered = cursor.rowcount
        marks = ", ".join("?" * len(games))
        query = (
            "SELECT numbered, games.id, games.epoch, games.node FROM (SELECT ? AS numbered)"
            f" LEFT JOIN games ON games.id IN ({marks}) ORDER BY games.id"
        )
        cursor.do(query, (numbered, *games))

    def _lock(self) -> None:
        database = self.database
        if self.has_locked:
            return
        if self.is_reader or database.is_read_only():
            raise psycopg.errors.ReadOnlySqlTransaction("cannot execute it in a read-only transaction")
        if not wait_until(lambda: database.is_free() or self.why_lost is not None, self.lock_seconds, database.clock):
            raise psycopg.errors.LockNotAvailable("canceling statement due to lock timeout")
        self._reach()
        self.plainly("BEGIN IMMEDIATE")
        database.holder, self.has_locked = self, True

    def commit(self) -> None:
        self._reach()
        if self.status == IN_ERROR:
            self._end()  # which PostgreSQL does without an error
            return
        if not self.has_locked:
            self._end()
            return
        database = self.database
        self.is_busy = True
        wait_until(lambda: database.slow_until <= database.clock(), 60.0, database.clock)
        self.is_busy = False
        self._reach()
        trouble = database.trouble_at_commit(self)
        if trouble == "nothing arrives":
            self.lose(Lost("the connection was lost"))
            self._reach()
        self.plainly("COMMIT")
        has_changed = self.journal_has_changed
        self._end()
        database.committed(self, has_changed)
        if trouble == "no answer":
            self.lose(Lost("the connection was lost"))
            self._reach()

    def rollback(self) -> None:
        if not self.process.is_dead:  # else the server has done it, and a pool of the dead may still call this
            self._reach()
            self._end()

    def close(self) -> None:
        if self.why_lost is None:
            self.lose(Lost("the connection is closed"))

    # --- the server's side

    def lose(self, why: Exception) -> None:
        """Undo the transaction, and close the connection."""
        self._end()
        self.why_lost = why
        self.database.connections.pop(self, None)
        super().close()

    def _end(self) -> None:
        if self.why_lost is None and self.in_transaction:
            self.plainly("ROLLBACK")
        if self.database.holder is self:
            self.database.holder = None
        self.has_locked = self.journal_has_changed = False
        self.status, self.lock_seconds = IDLE, TIMEOUTS.lock

    def _reach(self) -> None:
        """Raise what has become of the connection, if it is lost."""
        database = self.database
        if self.process.is_dead:
            raise greenlet.GreenletExit
        if self.why_lost is None and database.is_cut_off(self.process):

            def is_back() -> bool:
                return self.why_lost is not None or not database.is_cut_off(self.process)

            if not wait_until(is_back, TIMEOUTS.unanswered, database.clock) and self.why_lost is None:
                self.lose(Lost("no answer has come from the database"))
        if self.why_lost is not None:
            raise type(self.why_lost)(*self.why_lost.args)


class SharedDatabase:
    """The server of the database. ``clock`` gives Unix seconds, and is the only clock that it has.

    ``saw`` is called in the middle of a COMMIT that can no longer be undone, with its process and whether the journal
    or a snapshot has changed. ``is_cut_off`` returns whether the server and a process cannot reach each other.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float],
        saw: Callable[[Process, bool], None],
        is_cut_off: Callable[[Process], bool],
    ) -> None:
        self.path = path
        self.clock = clock
        self.is_cut_off = is_cut_off
        self._saw = saw
        self.holder: Connection | None = None
        """The connection whose transaction has changed something."""
        self.connections: dict[Connection, None] = {}
        self.slow_until = self.away_until = self.read_only_until = 0.0
        self.troubles: list[tuple[int, str, bool, float]] = []
        """After how many more COMMITs one is not answered, how ("nothing arrives", or "no answer"), whether only
        those count that change the journal of a game, and for how long the database is away then."""
        self.met: Counter[str] = Counter()
        """Troubles that a client has met."""

    def connect(self, *, is_reader: bool) -> Connection:
        """Return a connection of the present process."""
        process = THE_PROCESS[-1]
        if process.is_dead:
            raise greenlet.GreenletExit
        reached = wait_until(lambda: not self.is_cut_off(process), TIMEOUTS.connect, self.clock)
        if not reached or self.clock() < self.away_until:
            self.met["connection refused"] += 1
            raise Lost("the database cannot be reached")
        made = sqlite3.connect(self.path, factory=Connection, timeout=0, check_same_thread=False)
        made.set_up(self, is_reader=is_reader)
        return made

    def is_free(self) -> bool:
        """True if another connection may change something."""
        self.look()
        return self.holder is None

    def is_read_only(self) -> bool:
        if self.clock() >= self.read_only_until:
            return False
        self.met["read-only"] += 1
        return True

    def look(self) -> None:
        """End a transaction whose client has said nothing for too long."""
        held = self.holder
        if held is not None and not held.is_busy and self.clock() >= held.last + TIMEOUTS.idle:
            self.met["idle transaction ended"] += 1
            held.lose(psycopg.errors.IdleInTransactionSessionTimeout("terminating connection"))

    def next_look(self) -> float | None:
        """The time at which such a transaction is due for a check."""
        held = self.holder
        return None if held is None or held.is_busy else held.last + TIMEOUTS.idle

    def trouble_at_commit(self, connection: Connection) -> str:
        if not self.troubles:
            return ""
        left, what, of_games, away = self.troubles[0]
        if of_games and not connection.journal_has_changed:
            return ""
        if left:
            self.troubles[0] = left - 1, what, of_games, away
            return ""
        del self.troubles[0]
        if away:
            self.away_until = self.clock() + away
        self.met[f"COMMIT: {what}"] += 1
        return what

    def committed(self, connection: Connection, has_changed: bool) -> None:
        self._saw(connection.process, has_changed)

    def ended(self, process: Process) -> None:
        """A process is dead: the server ends what it had."""
        for connection in list(self.connections):
            if connection.process is process:
                connection.lose(Lost("the client is gone"))

    def restart(self, seconds: float) -> None:
        """End all connections, and take none for so long."""
        self.away_until = self.clock() + seconds
        for connection in list(self.connections):
            connection.lose(Lost("terminating connection due to administrator command"))

    def copy(self, path: Path) -> None:
        """Put a copy of what is committed at a path."""
        source, target = sqlite3.connect(self.path), sqlite3.connect(path)
        source.backup(target)
        target.close()
        source.close()

    def replace(self, path: Path) -> None:
        """Go on with what is at a path, as a standby does that takes over."""
        self.restart(0.0)
        self.path = path


class SharedBackend(PostgresDatabase):
    """The product's backend, for the database of a simulated world."""

    _first: Engine | None = None
    _compiled: ClassVar[dict[Any, Any]] = {}
    """Statements, which are compiled once for all nodes of all worlds."""

    def __init__(self, database: SharedDatabase, url: str, timeouts: Timeouts | None) -> None:
        super().__init__(make_url(url), timeouts)
        self._database = database

    def reader(self) -> Engine:
        engine = self._engine(is_reader=True)

        @event.listens_for(engine, "begin")
        def begun(connection: Any) -> None:
            driver_connection(connection).begin()

        return engine

    def writer(self) -> Engine:
        return self._engine(pool_pre_ping=False)

    def engine_apart(self) -> Engine:
        return self._engine()

    def _engine(self, *, is_reader: bool = False, pool_pre_ping: bool = True) -> Engine:
        made = create_engine(
            "shared://",
            module=DRIVER,
            creator=lambda: self._database.connect(is_reader=is_reader),
            poolclass=QueuePool,
            pool_pre_ping=pool_pre_ping,
            execution_options={"compiled_cache": self._compiled},
        )
        if SharedBackend._first is None:
            SharedBackend._first = made
        made.dialect = SharedBackend._first.dialect
        return made
