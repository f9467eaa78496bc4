"""PostgreSQL backend, through psycopg."""

from importlib import import_module
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError

from tpserver.store.backends.backend import Backend, Timeouts, driver_connection
from tpserver.store.errors import StoreError

# "tpserver" in ASCII. Any number that no other program locks in this database would do.
LOCK_NUMBER = int.from_bytes(b"tpserver", "big")

CONNECT_SECONDS = 10

# Seconds in which the server may notice a lost connection before a new one is refused the lock.
LOCK_SECONDS = 2

# SQLSTATE classes of faults of the server, not of a statement: connection, resources, operator, system.
_FAULT_CLASSES = ("08", "53", "57", "58", "XX")
_ENDED = ("08", "57P", "58", "XX")  # of them those possible after a completed COMMIT: the connection has ended
_DISK_FULL = "53100"
LOCK_NOT_AVAILABLE = "55P03"
_CONFLICTS = ("40001", "40P01")  # serialization failure, deadlock
# A statement was cancelled; idle_in_transaction_session_timeout has ended the connection.
_CANCELLED = ("57014", "25P03")
_READ_ONLY = "25006"
# Warning of PostgreSQL beside a COMMIT that has succeeded without its standby (the wait ended by pg_cancel_backend).
# Only this server has the transaction then. It is lost if another server takes over.
_WARNING = "01000"


class PostgresDatabase(Backend):
    """A database on a server; the writing connection holds an advisory lock.

    With ``timeouts`` it belongs to several nodes. It uses no features that only PostgreSQL itself has. It uses nothing
    that only PostgreSQL itself has.
    """

    def __init__(self, url: URL, timeouts: Timeouts | None = None) -> None:
        self.label = url.render_as_string(hide_password=True)
        self.timeouts = timeouts
        self._url = url
        self._warned = False

    def _connect_args(self, statement: float = 0.0) -> dict[str, Any]:
        """Return psycopg's arguments.

        A ``statement`` other than 0 is the maximum of a statement in seconds, in place of that in ``timeouts``.
        """
        wait = self.timeouts
        if wait is None:
            return {"connect_timeout": CONNECT_SECONDS}
        settings = {
            "statement_timeout": statement or wait.statement,
            "lock_timeout": wait.lock,
            "idle_in_transaction_session_timeout": wait.idle,
        }
        given = self._url.query.get("options", "")
        options = [given if isinstance(given, str) else " ".join(given)]
        options += [f"-c {name}={round(1000 * seconds)}" for name, seconds in settings.items()]
        return {
            "connect_timeout": max(2, round(wait.connect)),  # libpq takes 1 for 2
            "tcp_user_timeout": round(1000 * wait.unanswered),
            "keepalives_idle": max(1, round(wait.unanswered)),
            "options": " ".join(filter(None, options)),
        }

    def lock(self, *, is_new: bool = False) -> None:
        self._need_driver()

    def _need_driver(self) -> None:
        try:
            import_module("psycopg")
        except ImportError:
            raise StoreError(
                f"The database {self.label} needs psycopg, which is not installed: pip install 'tpserver[postgres]'.",
                code="driver",
            ) from None

    def reader(self) -> Engine:
        self._need_driver()  # a reader takes no lock
        engine = create_engine(
            self._url,
            pool_pre_ping=True,
            isolation_level="REPEATABLE READ",  # all queries of a read see the same state
            connect_args=self._connect_args(),
        )
        return engine.execution_options(postgresql_readonly=True)

    def writer(self) -> Engine:
        # Positional parameters, as `journal.insertion` needs.
        return create_engine(self._url, paramstyle="format", connect_args=self._connect_args())

    def engine_apart(self) -> Engine:
        assert self.timeouts is not None
        return create_engine(self._url, pool_pre_ping=True, connect_args=self._connect_args(self.timeouts.lock))

    def prepare_writer(self, connection: Connection) -> None:
        if self.timeouts is not None:
            driver_connection(connection).add_notice_handler(self._noticed)
            return
        try:
            connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"))
            connection.execute(text("SELECT pg_advisory_lock(:number)"), {"number": LOCK_NUMBER})
            connection.commit()
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
                raise
            connection.rollback()
            query = text("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = :high AND objid = :low")
            halves = {"high": LOCK_NUMBER >> 32, "low": LOCK_NUMBER & 0xFFFFFFFF}
            holder = connection.execute(query, halves).scalar()
            raise StoreError(
                f"The database {self.label} is in use by another tpserver (PostgreSQL's process {holder}). "
                "Stop that one first, or give this one another database.",
                code="in-use",
            ) from None
        self._check_no_node(connection)

    def _check_no_node(self, connection: Connection) -> None:
        """Raise StoreError if a node of a cluster is alive. Nodes ignore the lock, but look for it when they start."""
        with connection.begin():
            if connection.execute(text("SELECT to_regclass('nodes')")).scalar() is None:
                return
            living = text("SELECT address FROM nodes WHERE until > extract(epoch FROM clock_timestamp()) LIMIT 1")
            address = connection.execute(living).scalar()
        if address is not None:
            raise StoreError(
                f"The database {self.label} is in use by a cluster (its node at {address} lives). Stop all nodes "
                "first, or be one: [cluster] in the configuration.",
                code="in-use",
            )

    def still_open(self, connection: Connection) -> bool:
        # After an error that a unit has caught, a COMMIT would silently roll back: psycopg's INERROR, which is 3. A
        # transaction without a statement so far is no fault.
        return int(driver_connection(connection).info.transaction_status) != 3

    def _noticed(self, notice: Any) -> None:
        self._warned = self._warned or notice.sqlstate == _WARNING

    def in_doubt(self) -> bool:
        warned, self._warned = self._warned, False
        return warned

    def may_be_committed(self, error: BaseException) -> bool:
        driver = import_module("psycopg")
        cause = error.orig if isinstance(error, DBAPIError) else error
        state = getattr(cause, "sqlstate", None)
        if state is None:
            return isinstance(cause, (driver.OperationalError, driver.InterfaceError))  # there was no response
        return bool(state.startswith(_ENDED))

    def takes_no_changes(self, error: BaseException) -> bool:
        cause = error.orig if isinstance(error, DBAPIError) else error
        return getattr(cause, "sqlstate", None) == _READ_ONLY

    def is_conflict(self, error: BaseException) -> bool:
        cause = error.orig if isinstance(error, DBAPIError) else error
        return getattr(cause, "sqlstate", None) in _CONFLICTS

    def translate_error(self, error: BaseException) -> StoreError | None:
        driver = import_module("psycopg")
        cause = error.orig if isinstance(error, DBAPIError) else error
        if not isinstance(cause, driver.Error):
            return None
        state = getattr(cause, "sqlstate", None) or ""
        unreached = isinstance(cause, (driver.OperationalError, driver.InterfaceError))
        faulty = state.startswith(_FAULT_CLASSES) or state in _CANCELLED if state else unreached
        if state == _READ_ONLY:
            return StoreError(
                f"The database {self.label} takes no changes: this server of it is read-only, or another one has taken "
                "its place. The server goes on by itself as soon as it reaches one that takes them.",
                code="unavailable",
            )
        if not faulty and not getattr(error, "connection_invalidated", False):
            return None
        if state == _DISK_FULL:
            return self.full()
        return StoreError(
            f"The database {self.label} cannot be reached or used ({' '.join(str(cause).split())}). "
            "Look after the PostgreSQL server and the database URL.",
            code="unavailable",
        )
