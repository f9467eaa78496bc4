"""Power cuts at any moment under a writer: nothing acknowledged is lost.

No change is half done. The settings are those that the server ships. Two more runs show that the tests can detect a
loss. One has synchronous=NORMAL, and in the other the sync of a directory does nothing.
"""

from __future__ import annotations

import sys

import pytest

from tests.power.mounted import need_fuse
from tests.support.process import Ended, run


def cut(*words: object, seconds: float = 590.0) -> Ended:
    """Cut the power again and again in a process of its own, which has no threads and can be copied."""
    need_fuse()
    return run(sys.executable, "-m", "tests.power.cuts", *words, seconds=seconds)


@pytest.mark.parametrize(
    ("cuts", "seed"),
    [
        (8, "7"),
        pytest.param(150, "8", marks=pytest.mark.thorough),
        pytest.param(10_000, "1", marks=[pytest.mark.soak, pytest.mark.timeout(7_200)]),
    ],
)
def test_nothing_acknowledged_is_lost_when_the_power_goes(cuts: int, seed: str) -> None:
    """A writer lives again and again, each time on what the last cut has left; many disks fail in between."""
    done = cut("--cuts", cuts, "--seed", seed, seconds=7_000)
    assert done.code == 0, done.out + done.err
    print(done.out)


@pytest.mark.thorough
def test_a_writer_that_could_not_have_its_log_does_not_go_on_without_it() -> None:
    """A writer stops if the database cannot get its write-ahead log.

    Once the disk failed as the log was set up, and no check noticed. The writer used a rollback journal instead.
    Removing that journal commits a transaction, and the removal was not synced.
    """
    done = cut("--seed", "1", "--chain", 448, "--chains", 1, "--cuts", 1)
    assert done.code == 0, done.out + done.err


@pytest.mark.thorough
@pytest.mark.parametrize("option", ["--normal", "--forget-names"])
def test_the_rig_shows_a_loss_where_there_is_one(option: str) -> None:
    done = cut("--cuts", 200, "--seed", "5", option)
    assert done.code == 1 and "LOST" in done.out and "acknowledged" in done.out, done.out + done.err
