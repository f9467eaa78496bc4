"""Fixtures: a server without sockets, with a shared clock.

Its sessions echo, and its transports are in memory.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from twisted.internet.task import Clock

from tests.support.connections import StubSession, Transport
from tpproto.dialects import Dialect
from tpproto.stream import RawFrame
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits

HEADER = struct.Struct(">4sIII")


def frame(sequence: int, kind: int, body: bytes) -> bytes:
    return HEADER.pack(b"TP03", sequence, kind, len(body)) + body


class EchoSession(StubSession):
    """A session that answers with frame 0 and the request's body, and notes what it refuses."""

    def __init__(self, address: str, secure: bool, send: Callable[[bytes], None]) -> None:
        super().__init__(address, secure, send)
        self.refused: list[tuple[int, str, int, Dialect]] = []

    def usual(self, request: RawFrame) -> bytes:
        return frame(request.sequence, 0, request.body)

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        self.refused.append((int(code), text, sequence, dialect))
        return frame(sequence, 1, text.encode())


@dataclass
class NetServer:
    """A server without sockets."""

    limits: Limits
    clock: Clock = field(default_factory=Clock)
    seconds: Callable[[], float] | None = None
    """Measures the duration of work. The default is the clock, by which no work takes time."""
    sessions: list[EchoSession] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.connection_factory = ConnectionFactory(self._session, self.limits, self.clock, self.seconds)

    def _session(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> EchoSession:
        self.sessions.append(EchoSession(address, secure, send))
        return self.sessions[-1]

    def connect(self, address: str = "192.0.2.1") -> Transport:
        return Transport(self.connection_factory.buildProtocol(None), address)


@pytest.fixture(scope="session")
def make_net_server() -> Callable[..., NetServer]:
    def make(seconds: Callable[[], float] | None = None, **limits: Any) -> NetServer:
        return NetServer(Limits(**limits), seconds=seconds)

    return make


@pytest.fixture
def server(make_net_server: Callable[..., NetServer]) -> NetServer:
    return make_net_server()
