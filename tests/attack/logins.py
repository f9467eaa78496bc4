"""Duration of honest logins while attackers send wrong passwords.

First, many players log in at once after a restart, each from a different address. Then attackers, all from one address,
send wrong passwords. Each connection sends the next password as soon as the last one is answered, at most 50 a second.

Meanwhile, honest players log in one after the other, from another address and from the address of the attackers. Some
log in for the first time since the restart, others again. A player waits as long as the server asks, and that wait
counts, too.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import time
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

from tests.support.server import ServerProcess
from tests.support.wire import Failed, Gone, Line
from tpproto import tp_pb2 as tp

ATTACKERS, ELSEWHERE = "127.0.0.1", "127.0.0.2"
TEMPORARILY = 3
BREATH = 0.02
"""Seconds that an attacker waits between two passwords."""
MOST_AT_ONCE = 100
RETURNING, GUESSERS = 500, 20
"""Players who log in again at once, and connections that guess."""
HONEST = 40
"""Maximum honest logins of each kind."""


async def login(server: ServerProcess, name: str, source: str) -> tuple[float, int]:
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


async def make_accounts(server: ServerProcess, names: list[str]) -> None:
    line = await Line.open(server.port, source=ELSEWHERE)
    await line.one("connect", tp.Connect(client="maker"), tp.Okay)
    for name in names:
        await line.one("create_account", tp.CreateAccount(username=name, password="secret"), tp.Okay)
    line.close()


async def come_back(server: ServerProcess, names: list[str]) -> None:
    before, begun = server.cpu_seconds(), time.monotonic()
    gate = asyncio.Semaphore(MOST_AT_ONCE)

    async def one(number: int, name: str) -> tuple[float, int]:
        async with gate:
            return await login(server, name, f"127.0.{1 + number // 250}.{1 + number % 250}")

    for title in ("for the first time", "once more"):
        taken = await asyncio.gather(*(one(number, name) for number, name in enumerate(names)))
        now, passed = server.cpu_seconds(), time.monotonic() - begun
        print(f"{len(names)} players log in {title}: {passed:.1f} s in all, {now - before:.1f} s CPU; "
              f"put off {sum(times for _, times in taken)} times")  # fmt: skip
        before, begun = now, time.monotonic()


@dataclass
class Attack:
    """Connections that send wrong passwords until they are stopped."""

    server: ServerProcess
    names: list[str]
    answers: dict[int, int] = field(default_factory=dict)
    """The number of responses with each code."""

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


async def under_attack(server: ServerProcess, names: list[str], title: str, seconds: float) -> None:
    attack = Attack(server, names)
    guessing = [asyncio.create_task(attack.guess(number)) for number in range(GUESSERS)]
    await asyncio.sleep(1)
    print(f"{GUESSERS} attackers at {ATTACKERS}, {title}:")
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


async def measure(server: ServerProcess, seconds: float) -> None:
    """Print how long logins take; `seconds` is for each kind of honest login."""
    players = [f"returning {number}" for number in range(RETURNING)]
    titles = ("one name", "many names")
    honest = [f"{title[:3]} {last}-{number}" for title in titles for last in "12" for number in range(HONEST)]
    await make_accounts(server, [*players, *honest, "victim"])
    server.stop()
    server.start()
    await come_back(server, players)
    await under_attack(server, ["victim"], titles[0], seconds)
    await under_attack(server, [f"nobody {number}" for number in range(5000)], titles[1], seconds)
