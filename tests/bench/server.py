"""A real server in a process of its own, measured from outside, and connections that keep it busy."""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.message import Message

from tpproto import tp_pb2 as tp
from tpproto.descriptions import NOTHING, Descriptions, Lookup
from tpproto.dialects import TP03, TP04, Dialect
from tpproto.frames import BY_NAME
from tpproto.stream import FrameReader, RawFrame

TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE = 60.0
MOST_CONNECTIONS = 5_000
"""All measuring connections come from one address."""


@dataclass
class Server:
    """A running server."""

    process: subprocess.Popen[str]
    port: int
    data: Path
    web: int = 0
    """The port of the browser client; 0: it is off."""

    def cpu(self) -> float:
        """Return the CPU seconds used so far, user and system."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> int:
        """Return the resident memory in bytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError("this system does not tell the memory of a process")


@contextmanager
def running(*games: Sequence[str], accounts: str = "open", has_pages: bool = False) -> Iterator[Server]:
    """Run ``tpserver`` with these games (arguments of ``game create``) until the block ends."""
    with tempfile.TemporaryDirectory(prefix="tpserver-bench-") as folder:
        data = Path(folder)
        for game in games:
            command = [sys.executable, "-m", "tpserver.cli", "game", "create", *game, "--data", str(data)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
        port = free_port()
        config = data / "config.toml"
        config.write_text(f"[limits]\nconnections_per_address = {MOST_CONNECTIONS}\n")
        web = free_port() if has_pages else 0
        pages = ["--web-port", str(web)] if has_pages else ["--web", "off"]
        command = [
            sys.executable,
            "-m",
            "tpserver.cli",
            "run",
            "--no-parent",
            "--data",
            str(data),
            "--port",
            str(port),
            *pages,
        ]
        command += ["--config", str(config)]
        log = data / "log.txt"
        with log.open("w") as errors:
            process = subprocess.Popen([*command, "--accounts", accounts], stdout=errors, stderr=errors, text=True)
            try:
                _await(port, process, log)
                yield Server(process, port, data, web)
            finally:
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(10)
                process.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await(port: int, process: subprocess.Popen[str], log: Path) -> None:
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        if process.poll() is not None:
            raise RuntimeError(f"the server did not start:\n{log.read_text()[-2000:]}")
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"the server does not listen on port {port}")


class Client:
    """One blocking connection."""

    def __init__(self, server: Server, dialect: Dialect = TP04, user: str = "") -> None:
        self.dialect = dialect
        self.known = Descriptions()
        self.socket = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = FrameReader(dialect=dialect)
        self.frames: list[RawFrame] = []
        self.sequence = 0
        if user:
            self.login(user)

    def login(self, user: str) -> None:
        self.ask("connect", tp.Connect(client="bench"))
        (answer,) = self.ask("login", tp.Login(username=user, password="bench"))
        if self.dialect.kinds[answer.kind].field != "okay":
            raise RuntimeError(f"login: {answer.decode()}")

    def request(self, name: str, message: Message, lookup: Lookup = NOTHING) -> bytes:
        """Return an encoded request."""
        self.sequence += 1
        kind = BY_NAME[name].number
        body = self.dialect.encode_body(kind, message, lookup)
        return self.dialect.header(self.sequence, kind, len(body)) + body

    def ask(self, name: str, message: Message) -> list[RawFrame]:
        """Send a request and return its whole answer."""
        self.socket.sendall(self.request(name, message, self.known))
        first = self.receive()
        field = self.dialect.kinds[first.kind].field
        if field != "sequence_of":
            return [first]
        count = first.decode()
        return [self.receive() for _ in range(count.number)]  # type: ignore[attr-defined] # a Sequence has a number

    def receive(self) -> RawFrame:
        """Return the next frame that answers the last request."""
        while True:
            while self.frames:
                frame = self.frames.pop(0)
                if frame.sequence:
                    return frame
            data = self.socket.recv(1 << 18)
            if not data:
                raise RuntimeError("the server closed the connection")
            self.frames += [event for event in self.reader.feed(data) if isinstance(event, RawFrame)]

    def learn(self) -> None:
        """Learn the order types of the game."""
        ids = self.ask("get_order_desc_ids", tp.GetIDSequence(key=-1, amount=-1, fromtime=-1))[0].decode()
        wanted = [pair.id for pair in ids.ids]  # type: ignore[attr-defined] # an IDSequence
        for frame in self.ask("get_order_desc", tp.GetWithID(ids=wanted)):
            self.known.learn_order(frame.decode())  # type: ignore[arg-type] # an OrderDesc

    def close(self) -> None:
        self.socket.close()


def answered(clients: Sequence[Client], bursts: Sequence[bytes], frames: int) -> float:
    """Send each client its burst at once and read until each has had ``frames`` answers; return the seconds taken.

    Answers are counted by their headers only, so that the measuring side stays out of the way.
    """
    waiting = selectors.DefaultSelector()
    counters = {}
    begun = time.perf_counter()
    for client, burst in zip(clients, bursts, strict=True):
        client.socket.setblocking(False)
        counters[client] = [memoryview(burst), frames, bytearray()]
        waiting.register(client.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, client)
    left = len(clients)
    while left:
        ready = waiting.select(PATIENCE)
        if not ready:
            raise RuntimeError("the server stopped answering")
        for key, events in ready:
            state = counters[key.data]
            if events & selectors.EVENT_WRITE:
                sent = key.data.socket.send(state[0][: 1 << 16])
                state[0] = state[0][sent:]
                if not state[0]:
                    waiting.modify(key.data.socket, selectors.EVENT_READ, key.data)
            if events & selectors.EVENT_READ:
                data = key.data.socket.recv(1 << 20)
                if not data:
                    raise RuntimeError("the server closed a connection")
                state[2] += data
                state[1] -= _count(state[2])
                if state[1] <= 0:
                    waiting.unregister(key.data.socket)
                    left -= 1
    seconds = time.perf_counter() - begun
    for client in clients:
        client.socket.setblocking(True)
        client.socket.settimeout(PATIENCE)
    return seconds


def _count(buffer: bytearray) -> int:
    """Take whole frames off the buffer and return how many of them answer a request."""
    position = count = 0
    while len(buffer) - position >= 16:
        length = int.from_bytes(buffer[position + 12 : position + 16], "big")
        if len(buffer) - position < 16 + length:
            break
        if buffer[position + 4 : position + 8] != b"\0\0\0\0":
            count += 1
        position += 16 + length
    del buffer[:position]
    return count


__all__ = ["TP03", "TP04", "Client", "Server", "answered", "running"]
