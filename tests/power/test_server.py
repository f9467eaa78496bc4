"""Power cuts of a real server under clients: every promise is kept.

`tests/durability` checks the same with kills. Each kill there is a cut here: first of the disk, so that nothing is
written any longer, then of all processes. The next start uses what the disk has left.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Connection

from tests.durability.ledger import Database, Violation
from tests.durability.test_kills import CLIENTS, ORDER_ENTRIES, Killing, kill_again_and_again, report
from tests.power.mounted import Disks
from tests.support.process import ProcessFailed
from tests.support.server import ServerProcess
from tests.support.wire import Failed, Gone


class PoweredServer(ServerProcess):
    """A server on a disk; killed means that the power goes, and that its data is on the next disk."""

    def __init__(self, disks: Disks, log: Path, seed: int, *arguments: str) -> None:
        self.disks = disks
        self.seed = seed
        self.cuts = 0
        self.left: Counter[str] = Counter()
        super().__init__(disks.make("server 0") / "data", *arguments)
        self.log = log

    def __enter__(self) -> PoweredServer:
        return self

    def kill(self) -> None:
        if not self.is_running:
            return
        family = self._family()
        self.cuts += 1
        after = f"server {self.cuts}"
        left = self.disks.cut(f"server {self.cuts - 1}", after, seed=f"{self.seed} {self.cuts}")
        for process in family:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        super().kill()
        self.left += Counter(pieces=left.pieces, kept=left.kept, torn=left.torn, names=left.names)
        self.data = self.disks.path(after) / "data"


class MovedDatabase(Database):
    """The database of a server, wherever it is now."""

    def __init__(self, server: ServerProcess) -> None:
        self._server = server
        self._path = server.database
        super().__init__(self._path)

    def connect(self) -> Connection:
        if self._server.database != self._path:
            self.close()
            self._path = self._server.database
            super().__init__(self._path)
        return super().connect()


@pytest.mark.parametrize(
    ("cuts", "seed"),
    [
        pytest.param(3, 3, marks=pytest.mark.thorough),
        pytest.param(100, 1, marks=[pytest.mark.soak, pytest.mark.timeout(20_000)]),
    ],
)
def test_a_server_whose_power_went_has_kept_every_promise(
    disks: Disks, directory: Path, tmp_path: Path, cuts: int, seed: int
) -> None:
    """Orders, removals, messages, finished marks and turns survive; no turn is half done; the games replay."""
    begun = time.monotonic()
    config = directory / "tpserver.toml"
    config.write_text(f"[server]\norder_entries = {ORDER_ENTRIES}\n")
    with PoweredServer(disks, directory / "server.log", seed, "--config", str(config)) as server:
        killing = Killing(server, seed, random.Random(seed))
        try:
            asyncio.run(kill_again_and_again(killing, cuts, CLIENTS, MovedDatabase))
        except (Violation, ProcessFailed, Failed, Gone, TimeoutError) as problem:
            server.kill()
            kept = tmp_path / "kept"
            kept.mkdir()
            disks.put_into(f"server {server.cuts}", kept)
            shutil.copy(server.log, kept)
            pytest.fail(f"after {dict(killing.tally)}\n{type(problem).__name__}: {problem}\n"
                        f"the data is in {kept}, the end of the server's log:\n{server.tail(15)}")  # fmt: skip
    print(*report(killing, time.monotonic() - begun), f"left of what was not synced: {dict(server.left)}", sep="\n")
    assert server.left["pieces"], "the power went and nothing was on its way to the disk"
