"""Cut the power under a writer many times, and check the stored data.

    python -m tests.power.cuts --seed 1 --cuts 1000

A chain is one database with life after life. Each life runs on the disk that the last one has left. It ends with a cut
at a step of the file system that follows from the seed, or when its work is done. The remains are also loaded into
memory, opened there, and compared with what was acknowledged.

A loss reports its chain, which repeats it: `--chain 17 --chains 1`. Lives with a writer thread save in groups, which
depend on the kernel, too.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.power import lives
from tests.power.disk import Trouble
from tests.power.lives import Life, Told
from tests.power.mounted import Disks, mounted
from tests.power.units import Lost, Units
from tpserver.store import Store, StoreError
from tpserver.store.backends.urls import sqlite_url

DATABASE = "tpserver.sqlite"
LIVES = 20
"""Cuts of a chain."""

KINDS: tuple[frozenset[str], ...] = (
    frozenset({"sync"}),
    frozenset({"sync", "sync directory"}),
    frozenset({"write"}),
    frozenset({"truncate", "create", "unlink", "rename"}),
    frozenset({"open"}),
    frozenset({"write", "sync", "truncate", "create"}),
)
"""Changes that fail at a time."""


@dataclass
class Tally:
    """The counts."""

    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def table(self) -> list[str]:
        rate = self.counts["cuts"] / self.seconds if self.seconds else 0.0
        width = max(map(len, self.counts))
        return [
            *(f"{name:<{width}} {number:>10,}" for name, number in self.counts.items()),
            f"{'seconds':<{width}} {self.seconds:>10,.1f} ({rate:.0f} cuts a second)",
        ]


class Chain:
    """One database, and what is owed of it."""

    def __init__(self, disks: Disks, seed: str, options: argparse.Namespace, first: Path, tally: Tally) -> None:
        self.disks = disks
        self.seed = seed
        self.options = options
        self.tally = tally.counts
        self.chance = random.Random(seed)
        self.units = Units(seed)
        self.told = Told()
        self.acknowledged: dict[int, int] = {}
        """The acknowledged attempt, by number of the unit."""
        self.number = 0
        self.disk = f"{seed.replace(' ', '-')}-0"
        new = self.chance.random() < 0.3
        self.tally["chains"] += 1
        disks.make(self.disk, seed, None if new else first, options.forget_names)

    def run(self, cuts: int) -> None:
        """Live and be cut off so often. Raises Lost."""
        for _ in range(cuts):
            try:
                self._life()
            except Lost as lost:
                trace = "\n  ".join(self.disks.state(self.disk).trace[-12:])
                raise Lost(f"chain {self.seed}, cut {self.number}: {lost}\nthe last steps:\n  {trace}") from None
        self.disks.forget(self.disk)

    def _life(self) -> None:
        chance, told = self.chance, self.told
        self.number += 1
        together = chance.choice((1, 1, 1, 30))
        life = Life(chance.choice((5, 20, 60)), together, chance.random() < 0.5, self.options.normal)
        told.begin(len(self.acknowledged))
        wait, go = os.pipe()
        process = lives.begin(life, self.disks.path(self.disk) / DATABASE, self.units, told, wait)
        os.close(wait)
        cut_at = 0
        if chance.random() < 0.85:
            cut_at = int(2 ** chance.uniform(0, 10.5))
        troubles = self._troubles() if chance.random() < 0.25 else ()
        cut_after = chance.random() < 0.5
        self.disks.arm(self.disk, process, cut_at, cut_after, troubles)
        os.write(go, b".")
        os.close(go)
        _, status = os.waitpid(process, 0)
        state = self.disks.state(self.disk)
        if not state.off and status:
            raise Lost(f"the writer ended with {os.waitstatus_to_exitcode(status)}, which nobody has asked for")
        after = f"{self.seed.replace(' ', '-')}-{self.number}"
        left = self.disks.cut(self.disk, after, f"{self.seed} {self.number}")
        self.tally["cuts"] += 1
        self.tally["cuts at a step"] += state.off
        self.tally["steps"] += state.steps
        self.tally["steps that failed with EIO or ENOSPC"] += state.failed
        self.tally["units refused"] += told.refused
        self.tally["sectors and pages not synced"] += left.pieces
        self.tally["  of them left"] += left.kept
        self.tally["writes torn"] += left.torn
        self.tally["names not synced"] += left.names
        self.tally["  of them left"] += left.names_kept
        self._compare(after)
        self.disks.forget(self.disk)
        self.disk = after

    def _troubles(self) -> tuple[Trouble, ...]:
        chance = self.chance
        error = chance.choice((errno.EIO, errno.ENOSPC))
        first = int(2 ** chance.uniform(0, 7))
        return (Trouble(chance.choice(KINDS), error, first, chance.choice((1, 1, 2, 5, 20))),)

    def _compare(self, disk: str) -> None:
        """Hold what is on a disk against what is owed."""
        told = self.told
        owed = dict(self.acknowledged)
        for number in range(len(owed), told.acknowledged):
            owed[number] = told.attempt(number)
        unchanged = told.unchanged()
        given = {
            number: [attempt for attempt in range(told.attempt(number) + 1) if (number, attempt) not in unchanged]
            for number in range(told.acknowledged, told.given)
        }
        self.tally["units acknowledged"] += len(owed) - len(self.acknowledged)
        with in_memory() as place:
            self.disks.put_into(disk, place)
            try:
                with closing(Store.open(sqlite_url(place / DATABASE), reactor=None)) as store:
                    there = store.read(self.units.check, owed, given)
                    made = bool(there) or 0 in owed
                    if not made:
                        made = store.read(lambda c: c.exec_driver_sql("SELECT count(*) FROM games").scalar_one()) > 0
            except StoreError as error:
                raise Lost(f"the database cannot be opened: {error}") from None
        self.tally["units not acknowledged, left"] += made + len(there) - len(owed)
        self.acknowledged = {0: 0, **dict(enumerate(there, 1))} if made else {}


@contextmanager
def in_memory() -> Iterator[Path]:
    """A directory in memory, where there is one."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    place = Path(tempfile.mkdtemp(prefix="tp-power-", dir=memory))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def run(options: argparse.Namespace, tally: Tally) -> None:
    """Do all cuts, and count them. Raises Lost at the first loss."""
    begun = time.monotonic()
    with mounted() as disks, in_memory() as first:
        Store.open(sqlite_url(first / DATABASE), reactor=None).close()
        chain = options.chain
        while tally.counts["cuts"] < options.cuts:
            Chain(disks, f"{options.seed} {chain}", options, first, tally).run(
                min(LIVES, options.cuts - tally.counts["cuts"])
            )
            chain += 1
            tally.seconds = time.monotonic() - begun
            if chain % 50 == 0:
                print(f"{tally.counts['cuts']:,} cuts", flush=True)
            if options.chains and chain == options.chain + options.chains:
                break


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--chain", type=int, default=0, help="begin with this one")
    parser.add_argument("--chains", type=int, default=0, help="at most so many of them")
    parser.add_argument("--normal", action="store_true", help="synchronous=NORMAL, which the server never sets")
    parser.add_argument("--forget-names", action="store_true", help="a sync of a directory does nothing")
    options = parser.parse_args()
    tally = Tally()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have had ignored
    try:
        run(options, tally)
    except KeyboardInterrupt:
        print("interrupted; until then:")
    except Lost as lost:
        print(f"LOST: {lost}")
        return 1
    print(*tally.table(), "nothing acknowledged was lost, and nothing was half there", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
