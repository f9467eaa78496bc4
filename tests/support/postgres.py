"""A PostgreSQL server of the tests' own, and what happens where it is missing."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

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


def _programs() -> Path | None:
    """Return the directory of PostgreSQL's programs, the newest version; Debian keeps them out of the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return None if initdb is None else Path(initdb).resolve().parent


def _other_user() -> dict[str, Any]:
    """Return what runs a program as PostgreSQL's own user, for it refuses to run as root."""
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server with an empty database in a temporary directory, reached by a socket there; give its URL.

    Skips the test, or fails it, if there is none; with TPSERVER_TEST_POSTGRES set that database is given.
    """
    if url := os.environ.get(NAMED):
        yield url
        return
    programs = _programs()
    if programs is None:
        missing(MISSING)
    with tempfile.TemporaryDirectory(prefix="tppg") as directory:
        home, user = Path(directory), _other_user()
        if user:
            shutil.chown(home, user["user"], user["group"])
        data, log = home / "data", home / "log"
        init = [programs / "initdb", "-D", data, "-A", "trust", "-U", USER, "-E", "UTF8", "--no-locale", "--no-sync"]
        done = subprocess.run(init, capture_output=True, text=True, cwd=home, check=False, **user)
        assert done.returncode == 0, done.stderr
        settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
        command = [programs / "postgres", "-D", data, "-k", home, *settings]
        with log.open("wb") as output:
            server = subprocess.Popen(command, stdout=output, stderr=output, cwd=home, **user)
        try:
            _await_start(server, home, log)
            yield f"postgresql+psycopg://{USER}@/postgres?host={home}"
        finally:
            server.send_signal(signal.SIGINT)  # without waiting for those who are connected
            server.wait(PATIENCE)


def _await_start(server: subprocess.Popen[bytes], home: Path, log: Path) -> None:
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
