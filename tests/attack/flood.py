"""An attacker with a thousand connections that repeat the worst requests.

Half of the connections never read.
"""

from __future__ import annotations

import selectors
import socket
import sys
import time
from contextlib import suppress

from tests.attack.worst_requests import MEMBER, STRANGER, request
from tpproto import tp_pb2 as tp

CONNECTIONS_A_ROUND = 50


class Attacker:
    """One connection; `data` is sent again and again."""

    def __init__(self, port: int, address: str, begin: bytes, data: bytes, reads: bool) -> None:
        self.data = data
        self.reads = reads
        self.rest = memoryview(begin + data)
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.bind((address, 0))
        with suppress(BlockingIOError):
            self.socket.connect(("127.0.0.1", port))

    def step(self, events: int) -> bool:
        """Send and read what can be; return False when the server has closed."""
        try:
            if events & selectors.EVENT_READ and not self.socket.recv(1 << 18):
                return False
            if events & selectors.EVENT_WRITE:
                self.rest = self.rest[self.socket.send(self.rest) :]
                if not self.rest:
                    self.rest = memoryview(self.data)
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True


def flood(port: int, address: str, user: str, connections: int, seconds: float) -> None:
    """Keep so many connections busy for so long; with `user`, all of them log in first."""
    begin, worst = b"", STRANGER
    if user:
        begin = request("connect", tp.Connect(client="attack"))
        begin += request("login", tp.Login(username=user, password="secret"))
        worst = MEMBER
    kinds = list(worst.values())
    waiting = selectors.DefaultSelector()
    made = alive = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(min(CONNECTIONS_A_ROUND, connections - alive)):
            one = Attacker(port, address, begin, kinds[made % len(kinds)], made // len(kinds) % 2 == 0)
            events = selectors.EVENT_WRITE | (selectors.EVENT_READ if one.reads else 0)
            waiting.register(one.socket, events, one)
            made, alive = made + 1, alive + 1
        for key, events in waiting.select(0.1):
            if not key.data.step(events):
                waiting.unregister(key.fileobj)
                key.data.socket.close()
                alive -= 1
    print(f"{made} connections made, {alive} at the end", flush=True)


if __name__ == "__main__":
    flood(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
