"""Acknowledged entries survive a sudden kill of the process."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tpserver.store import Store
from tpserver.store.games import journal, snapshots

KILLS = 10
APPENDING = Path(__file__).with_name("appending_process.py")


@pytest.mark.thorough
def test_every_acknowledged_entry_survives_a_kill(tmp_path):
    """Ten lives of one process, each ended by SIGKILL at a moment of its own; seed 20.

    After each: every number that was printed is in the journal, there is no gap, no entry is torn, and each unit that
    saves two things has saved both or none.
    """
    url = f"sqlite:///{tmp_path}/game.sqlite"
    dice = random.Random(20)
    acknowledged = 0
    for life in range(KILLS):
        wanted = acknowledged + dice.randint(1, 400)
        with subprocess.Popen([sys.executable, str(APPENDING), url], stdout=subprocess.PIPE, text=True) as process:
            try:
                for line in process.stdout:
                    assert int(line) == acknowledged + 1, "told in the order given, on from where the last life ended"
                    acknowledged += 1
                    if acknowledged == wanted:
                        process.send_signal(signal.SIGKILL)
            finally:
                process.kill()
        assert process.returncode == -signal.SIGKILL and acknowledged >= wanted
        store = Store.open(url, reactor=None)
        entries = store.read(lambda c: journal.after(c, 1, 0))
        digests = store.read(lambda c: snapshots.digests(c, 1))
        newest = store.read(lambda c: snapshots.newest(c, 1))
        assert store.read(lambda c: c.exec_driver_sql("PRAGMA integrity_check").scalar_one()) == "ok"
        store.close()
        saved = len(entries)
        assert saved >= acknowledged, f"life {life}: {acknowledged} were told saved, {saved} are"
        assert [entry.body["number"] for entry in entries] == [entry.number for entry in entries]
        assert [entry.number for entry in entries] == list(range(1, saved + 1))
        assert digests == [(number, f"digest {number}") for number in range(10, saved + 1, 10)]
        assert newest is None or newest.state == {"number": newest.turn}
        acknowledged = saved  # what was saved but not told is where the next life begins
