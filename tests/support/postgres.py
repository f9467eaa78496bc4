"""A PostgreSQL server of the tests, and the skip or failure without one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest
from sqlalchemy import Engine, create_engine, inspect, make_url

from tpserver.concurrency import result_now
from tpserver.store import Timeouts
from tpserver.store.backends.backend import driver_connection
from tpserver.store.writer import Writer

USER = "tpserver"
NAMED = "TPSERVER_TEST_POSTGRES"
"""The environment variable with the URL of a database that may be emptied, on a server that runs already."""
MISSING = (
    "no PostgreSQL server found: install one (Debian: apt install postgresql), or name a database that may be emptied "
    f"in the variable {NAMED}"
)
PATIENCE = 240.0
"""Seconds that the server may take to start on a busy machine."""

# Nothing of it has to outlive the machine.
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "on",  # as a COMMIT waits in earnest
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "autovacuum": "off",
}


def missing(what: str) -> NoReturn:
    """Skip the test that needs this, or let it fail where the environment says TP_POSTGRES=required."""
    if os.environ.get("TP_POSTGRES") == "required":
        pytest.fail(f'TP_POSTGRES is "required", but {what}', pytrace=False)
    pytest.skip(what)


def find_programs() -> Path | None:
    """Return the directory of PostgreSQL's programs, the newest version; Debian keeps them out of the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return None if initdb is None else Path(initdb).resolve().parent


def other_user() -> dict[str, Any]:
    """Return what runs a program as PostgreSQL's own user, for it refuses to run as root."""
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}


class PostgresServer:
    """A server in a temporary directory, reached by a socket there; it can be stopped and put back to an older copy.

    A `with` block makes and starts it, and ends it. ``address`` is one on which it listens, too, ``prefix`` the
    command that runs it elsewhere than in this network, for which one has to be root.
    Skips the test, or fails it, if there is no PostgreSQL.
    """

    def __init__(self, address: str = "", prefix: Sequence[str] = ()) -> None:
        programs = find_programs()
        if programs is None:
            missing(MISSING)
        self._programs, self._user = programs, other_user()
        self._address, self._prefix = address, prefix
        self._directory = tempfile.TemporaryDirectory(prefix="tppg")
        self.home = Path(self._directory.name)
        self.log = self.home / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> PostgresServer:
        if self._user:
            shutil.chown(self.home, self._user["user"], self._user["group"])
        init = [self._programs / "initdb", "-D", self.home / "data", "-A", "trust", "-U", USER, "-E", "UTF8"]
        init += ["--no-locale", "--no-sync"]
        done = subprocess.run(init, capture_output=True, text=True, cwd=self.home, check=False, **self._user)
        assert done.returncode == 0, done.stderr
        if self._address:
            with (self.home / "data" / "pg_hba.conf").open("a") as rules:
                rules.write("host all all samenet trust\n")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self.stop()
        self._directory.cleanup()

    @property
    def url(self) -> str:
        """That of the empty database."""
        return f"postgresql+psycopg://{USER}@/postgres?host={self.home}"

    def start(self, **more: object) -> None:
        """Start it, with more settings, and wait until it can be connected to."""
        settings = {**SETTINGS, "listen_addresses": self._address, **more}
        command = [self._programs / "postgres", "-D", self.home / "data", "-k", self.home]
        command += [f"--{name}={value}" for name, value in settings.items()]
        user = self._user
        if self._prefix:  # only root may do what it does
            command = [*self._prefix, "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
            user = {}
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output, cwd=self.home, **user)
        await_start(self._process, self.home, self.log)

    def stop(self, by: signal.Signals = signal.SIGINT) -> None:
        """Stop it, without waiting for those who are connected; by SIGQUIT as a power cut would."""
        assert self._process is not None
        self._process.send_signal(by)
        self._process.wait(PATIENCE)
        self._process = None

    def back_up(self) -> Path:
        """Copy a server that is stopped; return where to."""
        copy = self.home / "copy"
        shutil.copytree(self.home / "data", copy)
        return copy

    def restore(self, copy: Path) -> None:
        """Put a copy in the place of a server that is stopped."""
        shutil.rmtree(self.home / "data")
        shutil.copytree(copy, self.home / "data")
        if self._user:
            for place in (self.home / "data", *(self.home / "data").rglob("*")):
                shutil.chown(place, self._user["user"], self._user["group"])
        (self.home / "data").chmod(0o700)


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server with an empty database, and give its URL; with TPSERVER_TEST_POSTGRES set that database is given."""
    if url := os.environ.get(NAMED):
        yield url
        return
    with PostgresServer() as server:
        yield server.url


def await_start(server: subprocess.Popen[bytes], home: Path, log: Path) -> None:
    import psycopg

    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            psycopg.connect(host=str(home), user=USER, dbname="postgres").close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > give_up:
                raise AssertionError(f"PostgreSQL does not start: {log.read_text()}") from None
            time.sleep(0.05)


def drop_tables(url: str) -> None:
    """Empty a database of our tables."""
    from tpserver.store.schema import VERSION_TABLE
    from tpserver.store.tables import metadata

    engine = create_engine(url)
    with engine.begin() as connection:
        metadata.drop_all(connection)
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {VERSION_TABLE}")
    engine.dispose()


def _await_unlocked(engine: Engine) -> None:
    """Wait until no server has the database for itself: the lock of one is let go a moment after it has closed it."""
    give_up = time.monotonic() + PATIENCE
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
    while True:
        with engine.connect() as connection:
            if not connection.exec_driver_sql(held).scalar() or time.monotonic() > give_up:
                return
        time.sleep(0.01)


def remove_rows(url: str) -> None:
    """Leave our tables in a database, without rows, as they are after the first start; make them if they are not there.

    It takes a tenth of the time that making them takes.
    """
    from tpserver.store import Store
    from tpserver.store.schema import VERSION_TABLE, newest_version
    from tpserver.store.tables import metadata

    names = [table.name for table in metadata.sorted_tables]
    engine = create_engine(url)
    _await_unlocked(engine)
    with engine.begin() as connection:
        are_there = {*names, VERSION_TABLE}.issubset(inspect(connection).get_table_names())
        are_there = (
            are_there and connection.exec_driver_sql(f"SELECT * FROM {VERSION_TABLE}").scalar() == newest_version()
        )
        if are_there:
            look = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in names)
            if filled := connection.exec_driver_sql(look).scalars().all():
                connection.exec_driver_sql(f"TRUNCATE {', '.join(filled)} CASCADE")
            used = "SELECT setval(format('%%I', sequencename)::regclass, 1, false) FROM pg_sequences"
            connection.exec_driver_sql(f"{used} WHERE last_value IS NOT NULL AND schemaname = 'public'")
    engine.dispose()
    if not are_there:
        drop_tables(url)
        # As a node: a server of its own has a lock, which is let go only some time after the connection has ended.
        result_now(Store.open(url, reactor=None, timeouts=PATIENT).close())


PATIENT = Timeouts(connect=60, statement=300, lock=300, idle=300, unanswered=300, unknown=300)
"""For nodes of tests on a busy machine, where nobody is frozen on purpose."""


def end_when_idle(writer: Writer) -> None:
    """Let the server end the open transaction of ``writer`` as soon as it is idle.

    A node's limit (``Timeouts.idle``) as short as this would also end transactions that only a busy machine delays.
    """
    driver_connection(writer.connection()).execute("SET LOCAL idle_in_transaction_session_timeout = '100ms'")


class Relay:
    """Stands between a program and the server, and cuts a connection at will; within ``with``."""

    def __init__(self, url: str) -> None:
        self._server = make_url(url)
        self._directory = tempfile.TemporaryDirectory(prefix="tprl")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{self._directory.name}/.s.PGSQL.5432")
        self._listener.listen()
        query = {**self._server.query, "host": self._directory.name}
        self.url = self._server.set(host=None, port=None, query=query).render_as_string(hide_password=False)
        self.cuts = 0
        self.refuse = False
        """If true, new connections are closed at once."""
        self._last: bytes | None = None
        self._then_refuse = False
        self._silenced: socket.socket | None = None
        """The connection to the server whose next answer does not reach the client."""
        self._has_answered = threading.Event()
        self._open: list[socket.socket] = []

    def __enter__(self) -> Relay:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for end in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._directory.cleanup()

    def cut_after(self, statement: bytes, *, refuse: bool = False) -> None:
        """Let this statement, sent next, reach the server, and cut the connection in place of its answer."""
        self._last, self._then_refuse = statement + b"\0", refuse

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                client, _ = self._listener.accept()
                if self.refuse:
                    client.close()
                    continue
                server = self._connected()
                self._open += [client, server]
                threading.Thread(target=self._pass_on, args=(client, server, True), daemon=True).start()
                threading.Thread(target=self._pass_on, args=(server, client, False), daemon=True).start()

    def _connected(self) -> socket.socket:
        host, port = self._server.host or self._server.query.get("host", "localhost"), self._server.port or 5432
        if not str(host).startswith("/"):
            return socket.create_connection((str(host), port))
        server = socket.socket(socket.AF_UNIX)
        server.connect(f"{host}/.s.PGSQL.{port}")
        return server

    def _pass_on(self, source: socket.socket, target: socket.socket, from_client: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if source is self._silenced:
                    self._has_answered.set()
                    break
                if from_client and self._last is not None and self._last in data:
                    self._last, self.refuse = None, self._then_refuse
                    self.cuts += 1
                    self._silenced = target
                    self._has_answered.clear()
                    target.sendall(data)
                    self._has_answered.wait(60)  # only then the client learns that the connection is lost
                    break
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
