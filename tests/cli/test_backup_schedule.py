"""Scheduled backups of a running server: due times, retries of failures.

The time of the newest backup decides when the next one is due.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.task import Clock
from twisted.logger import LogEvent, formatEvent
from twisted.python.failure import Failure

from tpserver.admin.backup_schedule import LONGEST_SECONDS, LOOK_SECONDS, BackupSchedule

DAY = 86400.0
EPOCH = 1_800_000_000.0


class Program:
    """A process that was started, and ends when the test says so."""

    def __init__(self, protocol: Any) -> None:
        self.protocol = protocol
        self.signals: list[str] = []
        protocol.transport = self

    def signalProcess(self, name: str) -> None:
        self.signals.append(name)

    def end(self, said: bytes, code: int = 0) -> None:
        self.protocol.outReceived(said)
        how: Any = ProcessDone(None) if code == 0 else ProcessTerminated(code)
        self.protocol.processEnded(Failure(how))


class Machine(Clock):
    """A clock that starts processes."""

    def __init__(self) -> None:
        super().__init__()
        self.programs: list[Program] = []

    def spawnProcess(self, protocol: Any, executable: str, command: Sequence[str], env: object) -> Program:
        assert command == ["tpserver", "backup"]
        self.programs.append(Program(protocol))
        return self.programs[-1]

    def pass_by(self, seconds: float) -> None:
        self.pump([LOOK_SECONDS] * int(seconds / LOOK_SECONDS))


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def schedule(machine: Machine, tmp_path: Path) -> BackupSchedule:
    return BackupSchedule(machine, ["tpserver", "backup"], tmp_path, DAY, lambda: EPOCH + machine.seconds())


def put(directory: Path, name: str) -> None:
    (directory / f"tpserver-{name}.sqlite").touch()


def test_one_is_made_when_the_newest_is_as_old_as_said(
    machine: Machine, schedule: BackupSchedule, tmp_path: Path, logged: list[LogEvent]
) -> None:
    """1,800,000,000 is 2027-01-15 08:00 UTC; the newest is six hours older."""
    put(tmp_path, "20270115T020000Z")
    put(tmp_path, "20270101T000000Z")
    schedule.start()
    machine.pass_by(17.9 * 3600)
    assert machine.programs == []
    machine.pass_by(0.2 * 3600)
    (program,) = machine.programs
    machine.pass_by(3000)
    assert len(machine.programs) == 1, "one at a time"
    put(tmp_path, "20270116T020000Z")
    program.end(b"Copied.\nBackup is complete.\n")
    assert [formatEvent(event) for event in logged] == ["backup: Copied.", "backup: Backup is complete."]
    machine.pass_by(3600)
    assert len(machine.programs) == 1


def test_one_that_fails_is_told_and_tried_again_in_an_hour(
    machine: Machine, schedule: BackupSchedule, logged: list[LogEvent]
) -> None:
    schedule.start()
    machine.programs[0].end(b"Copied.\ntpserver: there is no new backup: the disk is full.\n", 1)
    (event,) = logged
    assert formatEvent(event).endswith("exit code 1): there is no new backup: the disk is full.")
    machine.pass_by(3540)
    assert len(machine.programs) == 1
    machine.pass_by(120)
    assert len(machine.programs) == 2


def test_one_that_hangs_is_ended(machine: Machine, schedule: BackupSchedule, logged: list[LogEvent]) -> None:
    """Rules that are run again may do that, and there they harm nobody."""
    schedule.start()
    machine.pass_by(LONGEST_SECONDS)
    (program,) = machine.programs
    assert program.signals == ["KILL"]
    program.end(b"", 9)
    assert formatEvent(logged[0]) == "the backup failed (not done after 3600 s): it said nothing"


def test_none_is_left_running_by_a_server_that_stops(
    machine: Machine, schedule: BackupSchedule, logged: list[LogEvent]
) -> None:
    schedule.start()
    schedule.stop()
    (program,) = machine.programs
    assert program.signals == ["KILL"]
    program.end(b"", 9)
    machine.pass_by(3 * DAY)
    assert len(machine.programs) == 1
    assert logged == []


def test_one_from_the_future_does_not_stop_the_schedule(
    machine: Machine, schedule: BackupSchedule, tmp_path: Path
) -> None:
    """The system's clock was set back since."""
    put(tmp_path, "20370115T020000Z")
    schedule.start()
    assert len(machine.programs) == 1


def test_a_date_in_the_future_counts_for_nothing(machine: Machine, schedule: BackupSchedule, tmp_path: Path) -> None:
    """Neither is one made every minute, nor none for years."""
    put(tmp_path, "20370101T000000Z")
    schedule.start()
    (program,) = machine.programs
    put(tmp_path, "20270115T080000Z")
    program.end(b"Copied.\n")
    machine.pass_by(3600)
    assert len(machine.programs) == 1
    machine.pass_by(DAY)
    assert len(machine.programs) == 2


def test_a_clock_that_is_set_back_does_not_delay_the_next_try(machine: Machine, tmp_path: Path) -> None:
    now = [EPOCH]
    BackupSchedule(machine, ["tpserver", "backup"], tmp_path, DAY, lambda: now[0]).start()
    machine.programs[0].end(b"no", 1)
    now[0] -= 365 * DAY
    machine.pass_by(3700)
    assert len(machine.programs) == 2
