"""The database of a cluster of real processes, and its failover.

For a cluster on another database, write a class with the same members, see `ClusterDatabase`.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, create_engine

from tests.durability.ledger import KEPT, Database
from tests.support import patroni, postgres
from tests.support.patroni import Patroni

SETTINGS = {**postgres.SETTINGS, "max_connections": "200", "shared_buffers": "64MB"}


class ClusterDatabase(Protocol):
    """The database that nodes share. `url` is for an observer beside them."""

    url: str
    user: str

    def targets(self) -> list[str]:
        """The addresses of the database's servers, of which one is the leader.

        Each is a port of this machine or the path of a socket.
        """

    def fail_over(self) -> None:
        """Lose the leader without warning, and return when there is one again."""


class OnePostgres:
    """One PostgreSQL, whose failover is its restart after all its processes were ended at once."""

    def __init__(self, home: Path, programs: Path) -> None:
        self.user = postgres.USER
        self.url = f"postgresql+psycopg://{self.user}@/postgres?host={home}"
        self._home = home
        self._programs = programs
        self._user = postgres.other_user()
        self._server: subprocess.Popen[bytes]

    def targets(self) -> list[str]:
        return [f"{self._home}/.s.PGSQL.5432"]

    def start(self) -> None:
        settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
        words = ["-D", f"{self._home}/data", "-k", f"{self._home}", *settings]
        log = self._home / "log"
        with log.open("ab") as output:
            self._server = subprocess.Popen(
                [self._programs / "postgres", *words], stdout=output, stderr=output, cwd=self._home, **self._user
            )
        postgres.await_start(self._server, self._home, log)

    def fail_over(self) -> None:
        """Do `pg_ctl restart -m immediate`: no client is notified, and the database recovers from its log."""
        self._server.send_signal(signal.SIGQUIT)
        self._server.wait(postgres.PATIENCE)
        self.start()

    def stop(self) -> None:
        self._server.send_signal(signal.SIGINT)
        self._server.wait(postgres.PATIENCE)


@contextlib.contextmanager
def one_postgres() -> Iterator[OnePostgres]:
    """Run one with an empty database; skips the test, or fails it, if there is none."""
    programs = postgres.find_programs()
    if programs is None:
        postgres.missing(postgres.MISSING)
    with tempfile.TemporaryDirectory(prefix="tppg") as directory:
        home, user = Path(directory), postgres.other_user()
        if user:
            shutil.chown(home, user["user"], user["group"])
        init = ["-D", f"{home}/data", "-A", "trust", "-U", postgres.USER, "-E", "UTF8", "--no-locale", "--no-sync"]
        done = subprocess.run(
            [programs / "initdb", *init], capture_output=True, text=True, cwd=home, check=False, **user
        )
        assert done.returncode == 0, done.stderr
        made = OnePostgres(home, programs)
        made.start()
        try:
            yield made
        finally:
            made.stop()


class ThreePostgres:
    """Three, of which Patroni makes another one the leader when that is lost."""

    def __init__(self, servers: Patroni) -> None:
        self.user = patroni.USER
        self.url = servers.url
        self._servers = servers

    def targets(self) -> list[str]:
        return [str(member.port) for member in self._servers.members]

    def fail_over(self) -> None:
        """Switch the leader's machine off, and on again when another one leads."""
        lost = self._servers.primary()
        lost.kill()
        self._servers.await_so(lambda: self._servers.named("leader") not in (None, lost), "nobody leads")
        self._servers.start(lost)
        self._servers.await_whole()


@contextlib.contextmanager
def three_postgres() -> Iterator[ThreePostgres]:
    """Run them; skips the test, or fails it, if Patroni or etcd is missing."""
    with patroni.patroni() as servers:
        servers.await_whole()
        yield ThreePostgres(servers)


class SharedDatabase(Database):
    """That of a cluster, looked at while nodes write to it."""

    def __init__(self, url: str) -> None:
        self._engine = create_engine(url, isolation_level="REPEATABLE READ", pool_pre_ping=True)
        with self._engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE TABLE IF NOT EXISTS {KEPT} AS SELECT * FROM journal WHERE false")
            connection.exec_driver_sql(
                f"CREATE OR REPLACE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ "
                f"BEGIN INSERT INTO {KEPT} SELECT old.*; RETURN old; END $$"
            )
            connection.exec_driver_sql(
                "CREATE OR REPLACE TRIGGER keep AFTER DELETE ON journal FOR EACH ROW EXECUTE FUNCTION keep()"
            )

    def connect(self) -> Connection:
        """Return a connection that sees one state, whatever the nodes save meanwhile."""
        return self._engine.connect()
