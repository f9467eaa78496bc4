"""Notifications to the operator, sent by a separate process each.

So a message that hangs does not block the server.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.task import Clock
from twisted.logger import LogEvent, formatEvent
from twisted.python.failure import Failure

from tests.support.played import played
from tests.support.process import run
from tests.support.receivers import receiver
from tests.support.server import TPSERVER, ServerProcess
from tpserver.admin.operator_notices import (
    COMMAND,
    CRASH_SECONDS,
    FIRST_PAUSE,
    LOOK_SECONDS,
    MOST_WAITING,
    QUIET_SECONDS,
    RUNNING,
    SECONDS,
    TRIES,
    DiskWatch,
    OperatorNotices,
    begin_running,
    end_running,
)
from tpserver.admin.socket_protocol import OperationError

SECRET = "json://games:SecretWord@127.0.0.1:9/"


class Program:
    """A process that was started, and ends when the test says so."""

    def __init__(self, protocol: Any, command: Sequence[str]) -> None:
        self.protocol, self.command = protocol, command
        self.signals: list[str] = []
        self.input = b""
        protocol.transport = self
        protocol.connectionMade()

    def write(self, data: bytes) -> None:
        self.input += data

    def closeStdin(self) -> None: ...

    def signalProcess(self, name: str) -> None:
        self.signals.append(name)

    def end(self, code: int = 0, said: bytes = b"") -> None:
        self.protocol.outReceived(said)
        how: Any = ProcessDone(None) if code == 0 else ProcessTerminated(code)
        self.protocol.processEnded(Failure(how))


class Machine(Clock):
    """A clock that starts processes."""

    def __init__(self) -> None:
        super().__init__()
        self.programs: list[Program] = []

    def spawnProcess(self, protocol: Any, executable: str, command: Sequence[str], env: object) -> None:
        self.programs.append(Program(protocol, command))


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def operator(machine: Machine) -> OperatorNotices:
    return OperatorNotices(machine, [SECRET], "friends")


def test_a_message_goes_by_the_input_of_a_process(machine: Machine, operator: OperatorNotices) -> None:
    """Its command, which all users of the machine see, has no address; and one is sent at a time."""
    operator.tell("a", "a backup has failed", "the disk\nis full")
    operator.tell("b", "another", "text")
    (program,) = machine.programs
    assert tuple(program.command) == COMMAND
    assert "SecretWord" not in str(program.command)
    told = json.loads(program.input)
    assert told == {"addresses": [SECRET], "title": "friends: a backup has failed", "body": told["body"]}
    assert told["body"].startswith("the disk") and "\n" not in told["body"]
    program.end()
    assert len(machine.programs) == 2


def test_a_message_that_fails_is_tried_again_and_then_logged(
    machine: Machine, operator: OperatorNotices, logged: list[LogEvent]
) -> None:
    operator.tell("a", "a backup has failed", "text")
    for number in range(TRIES):
        assert len(machine.programs) == number + 1
        machine.programs[-1].end(1, b"it did not arrive\n")
        machine.pump([FIRST_PAUSE] * 4**number)
    assert len(machine.programs) == TRIES
    (event,) = logged
    assert formatEvent(event) == "the operator could not be notified of friends: a backup has failed: it did not arrive"


def test_a_process_that_hangs_is_ended(machine: Machine, operator: OperatorNotices) -> None:
    operator.tell("a", "a backup has failed", "text")
    machine.advance(SECONDS)
    assert machine.programs[0].signals == ["KILL"]


def test_the_same_is_not_repeated_and_not_more_than_so_many_wait(
    machine: Machine, operator: OperatorNotices, logged: list[LogEvent]
) -> None:
    """A ruleset that breaks in a hundred games is no hundred processes."""
    for _ in range(3):
        operator.tell("same", "the disk is almost full", "text")
    machine.programs[0].end()
    assert len(machine.programs) == 1
    machine.advance(QUIET_SECONDS)
    operator.tell("same", "the disk is almost full", "text")
    assert len(machine.programs) == 2
    for number in range(MOST_WAITING + 5):
        operator.tell(f"held {number}", f"game {number} is held", "text")
    assert len(logged) == 5
    for _ in range(MOST_WAITING + 1):
        machine.programs[-1].end()
    assert len(machine.programs) == 2 + MOST_WAITING


def test_nothing_is_sent_after_the_end(machine: Machine, operator: OperatorNotices) -> None:
    operator.tell("a", "one", "text")
    operator.tell("b", "two", "text")
    operator.stop()
    assert machine.programs[0].signals == ["KILL"]
    machine.programs[0].end(9)
    operator.tell("c", "three", "text")
    machine.advance(10 * QUIET_SECONDS)
    assert len(machine.programs) == 1


def test_a_disk_that_is_almost_full_is_noticed(machine: Machine, tmp_path: Path) -> None:
    found: list[tuple[Path, bool]] = []
    watch = DiskWatch(
        machine, [tmp_path, tmp_path / "none"], 1 << 62, lambda place, free: found.append((place, free > 0))
    )
    watch.start()
    assert found == [(tmp_path, True)]
    machine.advance(LOOK_SECONDS)
    assert len(found) == 2
    watch.stop()
    enough: list[Path] = []
    DiskWatch(machine, [tmp_path], 0, lambda place, free: enough.append(place)).look()
    assert enough == []


def test_a_server_that_crashes_again_and_again_is_told_of_every_ten_minutes(tmp_path: Path) -> None:
    assert not begin_running(tmp_path, 1000.0)
    assert begin_running(tmp_path, 1005.0)
    assert not begin_running(tmp_path, 1010.0)
    assert begin_running(tmp_path, 1005.0 + CRASH_SECONDS)
    (tmp_path / RUNNING).write_bytes(b"\xff")
    assert begin_running(tmp_path, 9000.0), "what stands there harms nobody"
    end_running(tmp_path)
    assert not begin_running(tmp_path, 9999.0)


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (["nonsense://x"], "address 1: Apprise knows no such address"),
        (["json://games:SecretWord@127.0.0.1:9/"], "address 1: A Connection error occurred"),
    ],
)
def test_the_program_says_why_without_the_address(told: list[str], says: str) -> None:
    ended = run(*COMMAND, stdin=json.dumps({"addresses": told, "title": "t", "body": "b"}))
    assert ended.code == 1
    assert says in ended.out
    assert "SecretWord" not in ended.out


@pytest.mark.thorough
def test_the_operator_is_told_of_a_crash_and_of_a_held_game(live: Callable[..., ServerProcess], tmp_path: Path) -> None:
    """A real server, a real kill and real failing rules cause the messages. A proper stop causes none."""
    with receiver() as hook:
        (tmp_path / "tp.toml").write_text(f'[notices]\noperator = ["json://127.0.0.1:{hook.port}/"]\n')
        server = live("--config", str(tmp_path / "tp.toml"), "--web", "off")
        with pytest.raises(OperationError):
            played(server.data, "brittle", "raise in advance")
        server.start()
        server.stop()
        server.start()
        server.send_signal(signal.SIGKILL)
        server.end()
        server.start()
        first = hook.wait_for(1)[0].json
        assert first["title"] == "tpserver: started after a crash"
        assert first["message"].endswith("Held games: lots.")
        server.command("game", "resume", "lots")
        assert run(TPSERVER, "game", "close-turn", "lots", "--data", server.data).code == 1
        second = hook.wait_for(2)[1].json
    assert second["title"] == "tpserver: the game lots is held"
    assert second["message"].startswith("Its rules failed: ")
