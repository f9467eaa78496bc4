"""A server process without a heartbeat: the supervisor replaces it.

The service manager gets no sign of life meanwhile.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.supervisor.test_service_manager import Manager
from tests.support.process import TPSERVER, Process
from tpserver.supervisor.process_limits import SILENT
from tpserver.supervisor.supervisor import Parent


class StandIn:
    """A server process of the supervisor that only reports whether it is silent."""

    is_silent = False

    def __getattr__(self, name: str) -> Any:
        return None


def test_no_sign_of_life_while_a_process_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of several, and the process that keeps connections, count as the only one does."""
    given: list[float] = []
    parent = Parent([], tmp_path, 1 << 30, processes=2)
    monkeypatch.setattr(parent.manager, "alive", given.append)
    first, second, edge = StandIn(), StandIn(), StandIn()
    parent.workers[0].child, parent.workers[1].child, parent.edge = first, second, edge  # type: ignore[assignment]
    parent.say_alive(1.0)
    assert given == [1.0]
    for one in (first, second, edge):
        one.is_silent = True
        parent.say_alive(2.0)
        assert given == [1.0]
        one.is_silent = False
    parent.say_alive(3.0)
    assert given == [1.0, 3.0]


@pytest.mark.thorough
def test_a_frozen_server_is_replaced(directory: Path) -> None:
    """It is stopped from outside; the next one serves at the same port, with systemd's watchdog twice as patient."""
    manager = Manager(directory / "notify")
    environment = {"NOTIFY_SOCKET": str(directory / "notify"), "WATCHDOG_USEC": str(int(2e6 * SILENT))}
    words = ["run", "--data", str(directory / "data"), "--port", "0", "--web", "off"]
    with Process(TPSERVER, *words, log=directory / "log", **environment) as server:
        server.spawn()
        manager.until("READY=1")
        port = server.wait_for(r"listens on tp://\S+:(\d+);")[1]
        said = len(server.said)
        os.kill(server.children()[0], signal.SIGSTOP)
        server.wait_for(r"gave no sign of life for 30 s", said)
        assert server.wait_for(r"listens on tp://\S+:(\d+);", said)[1] == port
        manager.until("READY=1")
        assert server.stop() == 0
    manager.socket.close()
