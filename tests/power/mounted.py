"""A file system whose directories are disks that forget (`disk.py`).

    with mounted() as disks:
        disks.make("a")                                 # a directory that is a disk, disks.path("a")
        disks.arm("a", group, cut_at=17)                # kill a group of processes at the 17th change from now on
        disks.cut("a", "b", seed="3")                   # what "a" has left is the disk "b"

It is a separate process (`filesystem.py`). This process and its mount end with the process that started it, whatever
happens.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from socket import socketpair
from typing import Any

import pytest

from tests.power.disk import Left, State, Trouble
from tests.power.unmounting import unmount
from tests.support.server import short_directory

SECONDS = 60.0
"""Maximum seconds for the mount on a busy machine."""


def why_not() -> str:
    """Return why this machine cannot mount anything, a sentence; "" if it can."""
    if sys.platform != "linux":
        return "FUSE is looked for on Linux only."
    if shutil.which("fusermount3") is None:
        return "FUSE is not installed: apt-get install fuse3."
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "This process may not use /dev/fuse."
    return ""


def need_fuse() -> None:
    """Skip the test where nothing can be mounted; fail where TP_FUSE=required."""
    if why := why_not():
        if os.environ.get("TP_FUSE") == "required":
            pytest.fail(f"TP_FUSE=required, and {why}")
        pytest.skip(why)


class Disks:
    """The disks of a mount, from outside."""

    def __init__(self, place: Path, connection: Connection) -> None:
        self._place = place
        self._connection = connection
        self._before = ""
        self._uses = 0

    @contextmanager
    def again(self) -> Iterator[Disks]:
        """Use the mount for other disks, which may have any names, until the end of the block.

        The kernel remembers what had a path, so that no two disks of a mount may have the same.
        """
        self._uses += 1
        other = Disks(self._place, self._connection)
        other._before = f"{self._before}{self._uses}."
        yield other
        self._ask("forget_all", other._before)

    def path(self, name: str) -> Path:
        """Return where a disk is mounted."""
        return self._place / f"{self._before}{name}"

    def _ask(self, what: str, *arguments: Any) -> Any:
        self._connection.send((what, arguments))
        done, answer = self._connection.recv()
        if not done:
            raise AssertionError(f"the file system failed in {what}: {answer}")
        return answer

    def make(self, name: str, seed: str = "", source: Path | None = None, forgets_names: bool = False) -> Path:
        """Make a disk, empty or with what is in a directory, and return where it is mounted."""
        self._ask("make", self._before + name, seed, source, forgets_names)
        return self.path(name)

    def arm(
        self,
        name: str,
        group: int,
        cut_at: int = 0,
        cut_after: bool = False,
        troubles: tuple[Trouble, ...] = (),
    ) -> None:
        """Choose the processes that a cut kills (a group; 0: none), and the next step at which it comes (0: at none).

        Troubles can begin at a step, too.
        """
        self._ask("arm", self._before + name, group, cut_at, cut_after, troubles)

    def state(self, name: str) -> State:
        """Return how far a disk is."""
        found: State = self._ask("state", self._before + name)
        return found

    def cut(self, name: str, to: str, seed: str = "", keeps: str = "") -> Left:
        """Cut the power of a disk, if it still has any, and have what it leaves on another, which is made.

        ``keeps`` is "nothing" of what was not synced, or the "names" without the bytes; else the seed decides.
        """
        left: Left = self._ask("cut", self._before + name, self._before + to, seed, keeps)
        return left

    def put_into(self, name: str, target: Path) -> None:
        """Write what is on a disk into a directory of the machine, which is there."""
        self._ask("put_into", self._before + name, target)

    def forget(self, name: str) -> None:
        """Remove a disk that is no longer used."""
        self._ask("forget", self._before + name)


@contextmanager
def mounted() -> Iterator[Disks]:
    """Mount a file system without any disks until the end of the block."""
    with short_directory() as place:
        ours, theirs = socketpair()
        with ours, theirs:
            # Its own session: what interrupts the tests must not leave a mount behind that nobody answers for.
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.power.filesystem", str(place), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=Path(__file__).parents[2],
                start_new_session=True,
            )
            theirs.close()
            connection = Connection(os.dup(ours.fileno()))
            ours.close()
            try:
                if not connection.poll(SECONDS) or connection.recv() != "mounted":
                    raise AssertionError("the file system was not mounted")
                yield Disks(place, connection)
            finally:
                connection.close()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(SECONDS)
                process.kill()
                process.wait()
                unmount(str(place))
