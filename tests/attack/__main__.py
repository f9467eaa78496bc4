"""Load from attackers: `python -m tests.attack`.

Run by hand: `python -m tests.attack [--minutes 10] [--connections 1000]`.

The first attacker has no account, the second has one. Each opens that many connections and sends the most expensive
requests. Two other players of the same game measure their waits, and the kernel reports the memory of the server.

The goal: no other player waits longer than 100 ms, and the server needs at most 200 MB more than when idle. On a busy
machine the server also waits for the processor, so each wait is printed in the server's own processor time, too.
Password guessing comes last, see `logins.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path

from google.protobuf.message import Message

from tests.attack import logins
from tests.bench.server import answered, measured_server
from tests.support.server import ServerProcess, running_server
from tests.support.wire import Client
from tpproto import tp_pb2 as tp

GAMES = 100


class Watcher(threading.Thread):
    """A player who does what players do, and remembers the longest wait of each kind."""

    def __init__(self, server: ServerProcess, user: str) -> None:
        super().__init__(daemon=True)
        self.server = server
        self.client = Client(server.port, user=user)
        self.waits: dict[str, list[float]] = {}
        self.longest_work = 0.0
        self.problem = ""
        self.over = threading.Event()

    def run(self) -> None:
        try:
            some = self.client.ids("get_object_ids")[:20]
            while not self.over.wait(0.02):
                self._ask("Ping", 1, "ping", tp.Ping())
                self._ask("GetObjects", 1 + len(some), "get_objects_by_id", tp.GetWithID(ids=some))
                self._ask("PostMessage", 1, "post_message", tp.Message(id=0, slot=-1, subject="hello", body="there"))
        except Exception as error:
            self.problem = repr(error)

    def _ask(self, title: str, frames: int, name: str, message: Message) -> None:
        worked = worked_for(self.server)
        waited = answered([self.client], [self.client.request(name, message)], frames)
        self.waits.setdefault(title, []).append(waited)
        self.longest_work = max(self.longest_work, worked_for(self.server) - worked)

    def told(self) -> str:
        parts = []
        for title, waits in self.waits.items():
            ordered = sorted(waits)
            median, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.999)]
            parts.append(f"{title} {1000 * median:.1f}/{1000 * late:.0f}/{1000 * ordered[-1]:.0f}")
        parts.append(f"at most {1000 * self.longest_work:.0f} of the server's processor time")
        return "; ".join(parts) + (f"; then {self.problem}" if self.problem else "")


def worked_for(server: ServerProcess) -> float:
    """Return the seconds for which the server's main thread has had a processor."""
    return int(Path(f"/proc/{server.pid}/schedstat").read_text().split()[0]) / 1e9


def watch(server: ServerProcess, seconds: float, attack: list[str] | None) -> None:
    """Measure the others for so long, with an attack or without."""
    watchers = {"player": Watcher(server, "victim@game0"), "another": Watcher(server, "other@game0")}
    idle = most = server.memory()
    process = None
    for watcher in watchers.values():
        watcher.start()
    if attack is not None:
        command = [sys.executable, "-m", "tests.attack.flood", str(server.port), *attack, str(seconds)]
        process = subprocess.Popen(command)
    before, end = server.cpu_seconds(), time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.1)
        most = max(most, server.memory())
    if process is not None:
        process.wait(30)
    print(f"  server: {(idle >> 20)} MB idle, at most {(most - idle) >> 20} MB more, "
          f"{server.cpu_seconds() - before:.1f} s CPU in {seconds:.0f} s")  # fmt: skip
    for name, watcher in watchers.items():
        watcher.over.set()
        watcher.join(60)
        print(f"  {name}, ms (half/99.9 %/longest): {watcher.told()}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument(
        "--only", choices=("stranger", "member", "guesser"), help="without an account, with one, or wrong passwords"
    )
    chosen = parser.parse_args()
    seconds, many = chosen.minutes * 60, str(chosen.connections)
    if chosen.only != "guesser":
        with measured_server("--web", "off") as server:
            for number in range(chosen.games):
                server.create_game(f"game{number}", "tae", 3, clock="manual")
            for user in ("victim", "other", "attacker"):
                Client(server.port, user=f"{user}@game0").close()
            print("nobody attacks")
            watch(server, min(seconds, 10.0), None)
            if chosen.only != "member":
                print(f"{many} connections without an account")
                watch(server, seconds, ["127.0.0.3", "", many])
            if chosen.only != "stranger":
                print(f"{many} connections of one account")
                watch(server, seconds, ["127.0.0.4", "attacker@game0", many])
    if chosen.only in (None, "guesser"):
        with running_server("--no-parent", "--accounts", "register", "--web", "off") as server:
            asyncio.run(logins.measure(server, min(seconds, 10.0)))


if __name__ == "__main__":
    main()
