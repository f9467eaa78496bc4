"""Real HTTP receivers of notifications on this machine, in threads.

They behave as a test chooses.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

SECONDS = 60.0


class Received(NamedTuple):
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Behaviour = Callable[[socket.socket, Received], None]
"""The reaction of a receiver to a request that it has read."""


def answering(code: int = 200, body: bytes = b"", **headers: str) -> Behaviour:
    """Answer with a code, a body and headers."""

    def answer(line: socket.socket, received: Received) -> None:
        lines = [f"HTTP/1.1 {code} Whatever", f"Content-Length: {len(body)}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        line.sendall("\r\n".join([*lines, "", ""]).encode() + body)

    return answer


def pouring(head: bytes, piece: bytes = b"x" * 65536) -> Behaviour:
    """Answer with a head and then without end, a gigabyte at most."""

    def pour(line: socket.socket, received: Received) -> None:
        line.sendall(head)
        for _ in range((1 << 30) // len(piece)):
            line.sendall(piece)

    return pour


@dataclass(eq=False)
class Receiver:
    """An HTTP server at ``url``; ``received`` is all that has come."""

    listener: socket.socket
    behaviour: Behaviour
    received: list[Received]
    came: threading.Condition
    ended: threading.Event
    tls: ssl.SSLContext | None = None

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}/hook"

    def wait_for(self, number: int) -> list[Received]:
        """Wait until so many requests have come, and return all."""
        with self.came:
            if not self.came.wait_for(lambda: len(self.received) >= number, SECONDS):
                raise AssertionError(f"{len(self.received)} requests came, not {number}")
            return list(self.received)

    def serve(self) -> None:
        while not self.ended.is_set():
            try:
                line, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(line,), daemon=True).start()

    def _answer(self, line: socket.socket) -> None:
        line.settimeout(SECONDS)
        if self.tls is not None:
            try:
                line = self.tls.wrap_socket(line, server_side=True)
            except OSError:  # whoever does not trust us hangs up
                return
        with line, suppress(OSError), line.makefile("rb") as lines:
            words = lines.readline().decode().split()
            headers = {}
            while (read := lines.readline()).strip():
                name, _, value = read.decode().partition(":")
                headers[name.strip().lower()] = value.strip()
            length = int(headers.get("content-length", 0))
            body = lines.read(length)
            if not read or len(body) < length:
                return  # whoever was sending it is no more
            received = Received(words[0], words[1], headers, body)
            with self.came:
                self.received.append(received)
                self.came.notify_all()
            self.behaviour(line, received)


@contextmanager
def receiver(behaviour: Behaviour | None = None, tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver that answers 200, or behaves otherwise."""
    listener = socket.create_server(("127.0.0.1", 0))
    made = Receiver(listener, behaviour or answering(), [], threading.Condition(), threading.Event(), tls)
    threading.Thread(target=made.serve, daemon=True).start()
    try:
        yield made
    finally:
        made.ended.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def hanging(ended: threading.Event) -> Behaviour:
    """Say nothing until the test ends."""
    return lambda line, received: ended.wait(SECONDS) and None
