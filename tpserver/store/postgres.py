"""A database on a PostgreSQL server, through psycopg."""

from importlib import import_module

from sqlalchemy import URL, Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError

from tpserver.store.backend import Backend, driver_connection
from tpserver.store.errors import StoreError

# "tpserver" in ASCII; any number that no other program locks in this database would do.
LOCK_NUMBER = int.from_bytes(b"tpserver", "big")

CONNECT_SECONDS = 10

# Seconds that a connection opened after a lost one waits for the server to notice the loss.
LOCK_SECONDS = 2

# SQLSTATE classes of faults of the server, not of a statement: connection, resources, operator, system.
_FAULT_CLASSES = ("08", "53", "57", "58", "XX")
_DISK_FULL = "53100"
_LOCK_NOT_AVAILABLE = "55P03"


class PostgresDatabase(Backend):
    """A database on a server; the writing connection holds an advisory lock."""

    def __init__(self, url: URL) -> None:
        self.label = url.render_as_string(hide_password=True)
        self._url = url

    def lock(self) -> None:
        try:
            import_module("psycopg")
        except ImportError:
            raise StoreError(
                f"The database {self.label} needs psycopg, which is not installed: pip install 'tpserver[postgres]'.",
                code="driver",
            ) from None

    def reader(self) -> Engine:
        engine = create_engine(
            self._url,
            pool_pre_ping=True,
            isolation_level="REPEATABLE READ",  # all queries of a read see the same state
            connect_args={"connect_timeout": CONNECT_SECONDS},
        )
        return engine.execution_options(postgresql_readonly=True)

    def writer(self) -> Engine:
        # Positional parameters, as `journal.insertion` needs.
        return create_engine(self._url, paramstyle="format", connect_args={"connect_timeout": CONNECT_SECONDS})

    def prepare_writer(self, connection: Connection) -> None:
        try:
            connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"))
            connection.execute(text("SELECT pg_advisory_lock(:number)"), {"number": LOCK_NUMBER})
            connection.commit()
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
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

    def still_open(self, connection: Connection) -> bool:
        # After an error that a unit has caught, a COMMIT would silently roll back: psycopg's INERROR, which is 3. A
        # transaction that has not begun (no statement yet) is no fault.
        return int(driver_connection(connection).info.transaction_status) != 3

    def translate_error(self, error: BaseException) -> StoreError | None:
        driver = import_module("psycopg")
        cause = error.orig if isinstance(error, DBAPIError) else error
        if not isinstance(cause, driver.Error):
            return None
        state = getattr(cause, "sqlstate", None) or ""
        unreached = isinstance(cause, (driver.OperationalError, driver.InterfaceError))
        faulty = state.startswith(_FAULT_CLASSES) if state else unreached
        if not faulty and not getattr(error, "connection_invalidated", False):
            return None
        if state == _DISK_FULL:
            return self.full()
        return StoreError(
            f"The database {self.label} cannot be reached or used ({' '.join(str(cause).split())}). "
            "Look after the PostgreSQL server and the database URL.",
            code="unavailable",
        )
