"""Three PostgreSQL servers under Patroni, in strict synchronous mode.

An etcd decides which server is the primary. All of it listens on 127.0.0.1, lives in a temporary directory, and ends
with the test. Nothing is used of what Debian adds for whole machines (`pg_createconfig_patroni`, a unit for systemd).
`patroni FILE` takes its whole configuration from one file. It creates the first database, its copies and its
replication users by itself. Times are as short as Patroni allows, so that a failover takes seconds and not half a
minute.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.postgres import PATIENCE, find_programs, other_user
from tests.support.process import children_of
from tests.support.server import HOST, free_port

NAMES = ("red", "green", "blue")
"""Not "first": that is a word of synchronous_standby_names, and Patroni does not quote it."""
TTL, LOOP = 5, 1
"""Seconds after which a primary that says nothing is replaced, and between two looks of each Patroni."""

MISSING = "no {program} found: install it (Debian: apt install {package})"
LOOK_SECONDS = 0.1
USER = "postgres"

# As in tests.support.postgres; a primary that is killed must not come back in less time than another takes over.
PARAMETERS = {
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": 50,
    "max_wal_senders": 8,
    "wal_log_hints": "on",
    "wal_keep_size": "64MB",
    "autovacuum": "off",
    "unix_socket_directories": "",
}
ON_DISK = {"log_min_messages": "warning"}


def missing(what: str) -> Any:
    """Skip the test that needs this, or let it fail where the environment says TP_PATRONI=required."""
    if os.environ.get("TP_PATRONI") == "required":
        pytest.fail(f'TP_PATRONI is "required", but {what}', pytrace=False)
    pytest.skip(what)


class Member:
    """One of the three: a Patroni, and the PostgreSQL server that it looks after."""

    def __init__(self, name: str, home: Path) -> None:
        self.name = name
        self.port, self.rest = free_port(), free_port()
        self.data = home / name
        self.config = home / f"{name}.json"
        self.log = home / f"{name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def postmaster(self) -> int | None:
        """The number of PostgreSQL's first process; None if it does not run."""
        try:
            return int((self.data / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def kill(self) -> None:
        """End Patroni and PostgreSQL at once, as if the machine was switched off."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process = None
        first = self.postmaster()
        if first is not None:
            with contextlib.suppress(OSError):
                family = [first, *children_of(first)]
                for process in family:  # the first one first: it would start others in the place of those
                    with contextlib.suppress(OSError):
                        os.kill(process, signal.SIGKILL)
                give_up = time.monotonic() + PATIENCE
                while any(Path(f"/proc/{process}/exe").exists() for process in family):
                    assert time.monotonic() < give_up
                    time.sleep(0.01)
            (self.data / "postmaster.pid").unlink(missing_ok=True)


class Patroni:
    """The three servers, and the present primary. A `with` block starts them and ends them."""

    def __init__(self) -> None:
        self._programs = {"patroni": shutil.which("patroni"), "etcd": shutil.which("etcd")}
        for program, package in (("patroni", "patroni"), ("etcd", "etcd-server")):
            if self._programs[program] is None:
                missing(MISSING.format(program=program, package=package))
        self._bin = find_programs()
        if self._bin is None:
            missing(MISSING.format(program="PostgreSQL server", package="postgresql"))
        self._user = other_user()
        self._directory = tempfile.TemporaryDirectory(prefix="tppt")
        self.home = Path(self._directory.name)
        self._etcd: subprocess.Popen[bytes] | None = None
        self._etcd_ports = free_port(), free_port()
        self.members = [Member(name, self.home) for name in NAMES]

    def __enter__(self) -> Patroni:
        try:
            if self._user:
                shutil.chown(self.home, self._user["user"], self._user["group"])
            client, peer = (f"http://{HOST}:{port}" for port in self._etcd_ports)
            words = ["--name", "only", "--data-dir", self.home / "etcd", "--unsafe-no-fsync"]
            words += ["--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer]
            words += ["--initial-advertise-peer-urls", peer, "--initial-cluster", f"only={peer}"]
            self._etcd = self._started(self.home / "etcd.log", self._programs["etcd"], *words)
            for member in self.members:
                self.start(member)
            self.await_whole()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for member in self.members:
            if member.process is not None:
                member.kill()
        if self._etcd is not None:
            self._etcd.kill()
            self._etcd.wait(PATIENCE)
        self._directory.cleanup()

    def _started(self, log: Path, *command: object) -> subprocess.Popen[bytes]:
        # Patroni is a program of the system's own Python, which must find nothing of ours.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        with log.open("ab") as output:
            words = [str(word) for word in command]
            return subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.home, env=environment,
                start_new_session=True, **self._user,
            )  # fmt: skip

    def start(self, member: Member) -> None:
        """Start a member, and do not wait for it."""
        member.config.write_text(json.dumps(self._configuration(member)))
        if self._user:
            shutil.chown(member.config, self._user["user"])
        member.process = self._started(member.log, self._programs["patroni"], member.config)

    def _configuration(self, member: Member) -> dict[str, Any]:
        anybody = ["local all all trust", f"host all all {HOST}/32 trust", f"host replication all {HOST}/32 trust"]
        accounts = {name: {"username": USER, "password": "unused"} for name in ("superuser", "replication", "rewind")}
        address = f"{HOST}:{member.port}"
        return {
            "scope": "tpserver",
            "name": member.name,
            "restapi": {"listen": f"{HOST}:{member.rest}", "connect_address": f"{HOST}:{member.rest}"},
            "etcd3": {"hosts": f"{HOST}:{self._etcd_ports[0]}"},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL,
                    "loop_wait": LOOP,
                    "retry_timeout": 2,
                    "maximum_lag_on_failover": 0,
                    "primary_start_timeout": 0,
                    "synchronous_mode": True,
                    "synchronous_mode_strict": True,
                    "postgresql": {"use_pg_rewind": True, "parameters": PARAMETERS},
                },
                "initdb": ["data-checksums", "no-sync", {"encoding": "UTF8"}, {"locale": "C"}],
            },
            "postgresql": {
                "listen": address,
                "connect_address": address,
                "data_dir": str(member.data),
                "bin_dir": str(self._bin),
                "pgpass": str(self.home / f"{member.name}.pgpass"),
                "authentication": accounts,
                "pg_hba": anybody,
                "parameters": ON_DISK,
                "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
                "create_replica_methods": ["basebackup"],
                "basebackup": [{"checkpoint": "fast"}, "no-sync"],
            },
        }

    # --- what clients and operators do

    @property
    def url(self) -> str:
        """The value of `server.store`: all three, of which libpq takes the writable one."""
        hosts = "&".join(f"host={HOST}:{member.port}" for member in self.members)
        return f"postgresql+psycopg://{USER}@/postgres?{hosts}&target_session_attrs=read-write"

    def roles(self) -> dict[str, str]:
        """The role of each running member, from Patroni: leader, sync_standby, replica."""
        for member in self.members:
            if member.process is None:
                continue
            try:
                with urllib.request.urlopen(f"http://{HOST}:{member.rest}/cluster", timeout=5) as answer:
                    told = json.load(answer)["members"]
                return {one["name"]: one["role"] for one in told if one["state"] in ("running", "streaming")}
            except (OSError, ValueError, KeyError):
                continue
        return {}

    def named(self, role: str) -> Member | None:
        """The member with this role; None while there is none."""
        roles = self.roles()
        return next((member for member in self.members if roles.get(member.name) == role), None)

    def primary(self) -> Member:
        """The primary, as soon as there is one."""
        self.await_so(lambda: self.named("leader") is not None, "no primary")
        found = self.named("leader")
        assert found is not None
        return found

    def await_whole(self) -> None:
        """Wait until there are a primary, one that follows it in step, and a third."""
        self.await_so(
            lambda: sorted(self.roles().values()) == ["leader", "replica", "sync_standby"], "not all three serve"
        )

    def switch_over(self) -> Member:
        """Have the standby that is in step take over, as an operator does for an upgrade; return the new primary."""
        old, new = self.primary(), self.named("sync_standby")
        assert new is not None
        body = json.dumps({"leader": old.name, "candidate": new.name}).encode()
        url = f"http://{HOST}:{old.rest}/switchover"
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            assert answer.status == 200, answer.read()
        self.await_so(lambda: self.named("leader") is new, "the switchover does not end")
        return new

    def await_so(self, test: Callable[[], bool], otherwise: str) -> None:
        give_up = time.monotonic() + PATIENCE
        while not test():
            assert time.monotonic() < give_up, f"{otherwise}: {self.roles()}\n{self.said()}"
            time.sleep(LOOK_SECONDS)

    def said(self) -> str:
        """The end of what each has logged."""
        logs = sorted(self.home.glob("*.log"))
        return "\n".join(
            f"{log.name}:\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:]) for log in logs
        )


@contextlib.contextmanager
def patroni() -> Iterator[Patroni]:
    """The three, running. Skips the test, or fails it, where something of them is missing."""
    with Patroni() as cluster:
        yield cluster
