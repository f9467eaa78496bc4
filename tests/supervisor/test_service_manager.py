"""Messages to the service manager over a real socket.

They are ready, alive and stopping, from any process that it has started.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.process import SECONDS, TPSERVER, Process
from tpserver.supervisor.service_manager import ServiceManager


class Manager:
    """The end of systemd."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.settimeout(SECONDS)

    def heard(self) -> list[str]:
        return self.socket.recv(4096).decode().splitlines()

    def until(self, line: str) -> list[str]:
        while line not in (heard := self.heard()):
            pass
        return heard

    def is_silent(self) -> bool:
        self.socket.setblocking(False)
        try:
            return not self.heard()
        except BlockingIOError:
            return True
        finally:
            self.socket.settimeout(SECONDS)


@pytest.fixture
def manager(directory: Path) -> Iterator[Manager]:
    made = Manager(directory / "notify")
    yield made
    made.socket.close()


@pytest.fixture
def environment(directory: Path, manager: Manager) -> dict[str, str]:
    return {"NOTIFY_SOCKET": str(directory / "notify"), "WATCHDOG_USEC": "4000000"}


def test_ready_and_a_status_on_one_line(manager: Manager, environment: dict[str, str]) -> None:
    told = ServiceManager(environment)
    told.ready("serves\nREADY=0" + "x" * 1000)
    ready, status = manager.heard()
    assert ready == "READY=1"
    assert status.startswith(r"STATUS=serves\nREADY=0xxx")
    assert len(status) < 300
    assert environment == {}, "no child of this process speaks for it"


def test_signs_of_life_come_four_times_as_often_as_they_must(manager: Manager, environment: dict[str, str]) -> None:
    told = ServiceManager(environment)
    told.alive(100.0)
    told.alive(100.9)
    assert manager.heard() == ["WATCHDOG=1"]
    assert manager.is_silent()
    told.alive(101.0)
    assert manager.heard() == ["WATCHDOG=1"]


def test_a_watchdog_of_another_process_is_not_fed(manager: Manager, environment: dict[str, str]) -> None:
    told = ServiceManager({**environment, "WATCHDOG_PID": str(os.getpid() + 1)})
    told.alive(100.0)
    assert manager.is_silent()
    assert ServiceManager({**environment, "WATCHDOG_PID": str(os.getpid())}).watchdog_seconds == 4.0


@pytest.mark.parametrize("path", ["", "relative", "/nowhere/at/all", "@nobody-listens-here"])
def test_without_a_manager_nothing_happens(path: str) -> None:
    told = ServiceManager({"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "nonsense"})
    told.ready("serves")
    told.alive(1.0)
    told.stopping()


@pytest.fixture
def serve(directory: Path, environment: dict[str, str]) -> Iterator[Callable[..., Process]]:
    with ExitStack() as stack:

        def serve(*more: str) -> Process:
            words = ["run", "--data", str(directory / "data"), "--port", "0", "--web", "off", *more]
            server = Process(TPSERVER, *words, log=directory / "log", **environment)
            stack.enter_context(server).spawn()
            return server

        yield serve


@pytest.mark.parametrize(
    "more", [[], pytest.param(["--no-parent"], marks=pytest.mark.thorough)], ids=["parent", "alone"]
)
def test_a_server_says_when_it_serves_lives_and_stops(serve: Any, manager: Manager, more: list[str]) -> None:
    """READY comes when clients can connect, and the process that systemd has started gives the signs of life."""
    server = serve(*more)
    manager.until("READY=1")
    server.wait_for("listens on tp://")
    manager.until("WATCHDOG=1")
    assert server.stop() == 0
    manager.until("STOPPING=1")
