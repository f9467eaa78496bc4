"""A real server measured from outside, and connections that keep it busy."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.process import SECONDS
from tests.support.server import ServerProcess, short_directory
from tests.support.wire import Client

MEMORY = Path("/dev/shm")

MOST_CONNECTIONS = 5_000
"""All measuring connections come from one address."""


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process, and those that it starts meanwhile, on one core."""
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(all_cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_cores)


@contextmanager
def measured_server(
    *arguments: str, in_memory: bool = False, fill: Callable[[Path], None] = lambda data: None
) -> Iterator[ServerProcess]:
    """A running server of one process, which can be measured, and which takes many connections.

    ``in_memory``: on a file system without a disk, where this machine has one. ``fill`` makes the data directory, if
    there is to be something in it.
    """
    with short_directory(MEMORY if in_memory and MEMORY.is_dir() else None) as directory:
        config = directory / "config.toml"
        accounts = "[accounts]\ncreated_per_hour = 1000000\n"
        config.write_text(f"[limits]\nconnections_per_address = {MOST_CONNECTIONS}\n{accounts}")
        fill(directory / "data")
        with ServerProcess(directory / "data", "--no-parent", "--config", str(config), *arguments) as server:
            server.start()
            yield server


def answered(clients: Sequence[Client], bursts: Sequence[bytes], frames: int) -> float:
    """Send each client its burst at once and read until each has had ``frames`` answers; return the seconds taken.

    Answers are counted by their headers only, so that the measuring side stays out of the way.
    """
    waiting = selectors.DefaultSelector()
    counters: dict[Client, list[Any]] = {}
    begun = time.perf_counter()
    for client, burst in zip(clients, bursts, strict=True):
        client.socket.setblocking(False)
        counters[client] = [memoryview(burst), frames, bytearray()]
        waiting.register(client.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, client)
    left = len(clients)
    while left:
        ready = waiting.select(SECONDS)
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
        client.socket.settimeout(SECONDS)
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
