"""How long an honest login takes while others send wrong passwords, measured by hand.

    python tests/endtoend/login_flood.py --attackers 20 --seconds 10

A real `tpserver run` on loopback. First many players come back at once after a restart, each from an address of its
own. Then attackers, all from one address, send wrong passwords as fast as they are answered (at most 50 a second each);
meanwhile honest players log in one after the other: from another address and from the attackers' own, for the first
time since the restart and again. Whoever is told to wait waits as long as it is told; that counts, too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from live_server import LiveServer
from wire_client import Failed, Gone, Line

from tpproto import tp_pb2 as tp

ATTACKERS, ELSEWHERE = "127.0.0.1", "127.0.0.2"
TEMPORARILY = 3
BREATH = 0.02
"""Seconds that an attacker waits between two passwords."""
MOST_AT_ONCE = 100
HONEST = 40
"""Maximum honest logins of each kind."""
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(server: LiveServer) -> float:
    assert server.process is not None
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def login(server: LiveServer, name: str, source: str) -> tuple[float, int]:
    """Log in with the right password; return the seconds that it took and how often it was put off."""
    begun = time.monotonic()
    line = await Line.open(server.port, source=source)
    await line.one("connect", tp.Connect(client="honest"), tp.Okay)
    for put_off in count():
        try:
            # Without a limit of its own: that is what is measured.
            (answer,) = await line.send("login", tp.Login(username=name, password="secret"))
        except Gone:
            line = await Line.open(server.port, source=source)
            continue
        if isinstance(answer, tp.Okay):
            line.close()
            return time.monotonic() - begun, put_off
        assert isinstance(answer, tp.Fail)
        if answer.code != TEMPORARILY:
            raise Failed(answer.code, answer.result)
        told = re.search(r"in (\d+) second", answer.result)
        await asyncio.sleep(int(told[1]) if told else 1)
    raise AssertionError


async def make_accounts(server: LiveServer, names: list[str]) -> None:
    line = await Line.open(server.port, source=ELSEWHERE)
    await line.one("connect", tp.Connect(client="maker"), tp.Okay)
    for name in names:
        await line.one("create_account", tp.CreateAccount(username=name, password="secret"), tp.Okay)
    line.close()


async def come_back(server: LiveServer, names: list[str]) -> None:
    before, begun = cpu_seconds(server), time.monotonic()
    gate = asyncio.Semaphore(MOST_AT_ONCE)

    async def one(number: int, name: str) -> tuple[float, int]:
        async with gate:
            return await login(server, name, f"127.0.{1 + number // 250}.{1 + number % 250}")

    for title in ("for the first time", "once more"):
        taken = await asyncio.gather(*(one(number, name) for number, name in enumerate(names)))
        now, passed = cpu_seconds(server), time.monotonic() - begun
        print(f"{len(names)} players log in {title}: {passed:.1f} s in all, {now - before:.1f} s CPU; "
              f"put off {sum(times for _, times in taken)} times")  # fmt: skip
        before, begun = now, time.monotonic()


@dataclass
class Attack:
    """Connections that send wrong passwords until they are stopped."""

    server: LiveServer
    names: list[str]
    answers: dict[int, int] = field(default_factory=dict)
    """How many of each code there were."""

    async def guess(self, number: int) -> None:
        for turn in count():
            with suppress(Gone, OSError, TimeoutError):
                line = await Line.open(self.server.port, source=ATTACKERS)
                for guess in count():
                    name = self.names[(number + guess + turn) % len(self.names)]
                    (answer,) = await line.send("login", tp.Login(username=name, password=f"guess {guess}"))
                    code = answer.code if isinstance(answer, tp.Fail) else 0
                    self.answers[code] = self.answers.get(code, 0) + 1
                    await asyncio.sleep(BREATH)
            await asyncio.sleep(BREATH)


async def under_attack(server: LiveServer, attackers: int, names: list[str], title: str, seconds: float) -> None:
    attack = Attack(server, names)
    guessing = [asyncio.create_task(attack.guess(number)) for number in range(attackers)]
    await asyncio.sleep(1)
    print(f"{attackers} attackers at {ATTACKERS}, {title}:")
    for where, source in (("another address", ELSEWHERE), ("the same address", ATTACKERS)):
        for how in ("for the first time", "again"):
            times: list[float] = []
            put_off = 0
            end = time.monotonic() + seconds
            for number in count():
                name = (
                    f"{title[:3]} {source[-1]}-{number}"
                    if how == "for the first time"
                    else f"{title[:3]} {source[-1]}-0"
                )
                if number == HONEST or (times and time.monotonic() > end):
                    break
                taken, waited = await login(server, name, source)
                times.append(taken)
                put_off += waited
            print(f"  honest, from {where}, {how}: median {statistics.median(times) * 1000:.0f} ms, "
                  f"longest {max(times) * 1000:.0f} ms of {len(times)}; put off {put_off} times")  # fmt: skip
    for task in guessing:
        task.cancel()
    await asyncio.gather(*guessing, return_exceptions=True)
    print(f"  answers to the attackers by code: {attack.answers}")


async def measure(server: LiveServer, attackers: int, returning: int, seconds: float) -> None:
    server.start()
    players = [f"returning {number}" for number in range(returning)]
    titles = ("one name", "many names")
    honest = [f"{title[:3]} {last}-{number}" for title in titles for last in "12" for number in range(HONEST)]
    await make_accounts(server, [*players, *honest, "victim"])
    server.stop()
    server.start()
    if players:
        await come_back(server, players)
    await under_attack(server, attackers, ["victim"], titles[0], seconds)
    await under_attack(server, attackers, [f"nobody {number}" for number in range(5000)], titles[1], seconds)
    server.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attackers", type=int, default=20, help="connections that guess, at most 500 (20)")
    parser.add_argument("--returning", type=int, default=500, help="players who come back at once (500)")
    parser.add_argument("--seconds", type=float, default=10, help="for each kind of honest login (10)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tpserver-flood-") as folder:
        arguments = ("--no-parent", "--accounts", "register", "--web", "off")
        with LiveServer(Path(folder) / "data", *arguments) as server:
            asyncio.run(measure(server, min(500, chosen.attackers), chosen.returning, chosen.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
