"""A server of Twisted alone, to compare with.

It answers each frame of 16 bytes with 20 others, and prints its port.
"""

from __future__ import annotations

import struct
from typing import Any, cast

from twisted.internet import reactor
from twisted.internet.protocol import Factory, Protocol

ANSWER = b"TP03" + struct.pack(">IIII", 1, 15, 4, 3600)


class Echo(Protocol):
    def connectionMade(self) -> None:
        cast(Any, self.transport).setTcpNoDelay(True)

    def dataReceived(self, data: bytes) -> None:
        cast(Any, self.transport).write(ANSWER * (len(data) // 16))


if __name__ == "__main__":
    running = cast(Any, reactor)
    print(running.listenTCP(0, Factory.forProtocol(Echo), interface="127.0.0.1").getHost().port, flush=True)
    running.run()
