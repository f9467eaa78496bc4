"""A program that relays bytes between processes, or holds them back.

    python gates.py ADDRESS NAME=PORT=TARGET[=PORT=TARGET...] ...

So it makes a partition without a FIN. It listens at ADDRESS. TARGET is a port of this machine, or the path of a socket.
It prints "ready", and then reads one command a line: `hold NAME` or `pass NAME`. It answers each with "done".

A gate that is held accepts connections and relays nothing in either direction, not even the close of a connection. All
of that arrives when the gate passes again. The program is a separate process, so that no bytes wait for the clients of
the tests.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial

HOST = "127.0.0.1"


class Gate:
    """Where connections arrive, and whether anything gets through."""

    def __init__(self) -> None:
        self.held = False
        self.ends: set[End] = set()
        self.passing = asyncio.Event()
        self.passing.set()
        self.tasks: set[asyncio.Task[None]] = set()

    def accept(self, target: str) -> End:
        end = End(self)
        task = asyncio.get_running_loop().create_task(self._connect(end, target))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return end

    def hold(self, held: bool) -> None:
        self.held = held
        (self.passing.clear if held else self.passing.set)()
        for end in list(self.ends):
            end.look()

    async def _connect(self, client: End, target: str) -> None:
        await self.passing.wait()
        loop = asyncio.get_running_loop()
        try:
            if target.isdecimal():
                _, server = await loop.create_connection(lambda: End(self), HOST, int(target))
            else:
                _, server = await loop.create_unix_connection(lambda: End(self), target)
        except OSError:
            client.close()
            return
        client.other, server.other = server, client
        client.look()
        server.look()
        if client.is_lost:
            server.close()


class End(asyncio.Protocol):
    """One end of a connection; it is read from only while the other one takes what comes."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.other: End | None = None
        self.is_full = self.is_lost = self.is_closed = False
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.gate.ends.add(self)
        if self.is_closed:
            transport.abort()
        self.look()

    def look(self) -> None:
        if self.is_lost or self.transport is None:
            return
        if self.other is not None and self.other.is_lost and not self.gate.held:
            self.close()  # which could not be told before
        elif self.gate.held or self.other is None or self.other.is_full:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        assert self.other is not None and self.other.transport is not None
        self.other.transport.write(data)

    def pause_writing(self) -> None:
        self.is_full = True
        if self.other is not None:
            self.other.look()

    def resume_writing(self) -> None:
        self.is_full = False
        if self.other is not None:
            self.other.look()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        self.gate.ends.discard(self)
        if self.other is not None and not self.gate.held:
            self.other.close()

    def close(self) -> None:
        self.is_closed = True
        if self.transport is not None and not self.is_lost:
            self.transport.close()


async def main(address: str, words: list[str]) -> None:
    loop = asyncio.get_running_loop()
    gates = {}
    for word in words:
        name, *pairs = word.split("=")
        gate = gates[name] = Gate()
        for port, target in zip(pairs[::2], pairs[1::2], strict=True):
            await loop.create_server(partial(gate.accept, target), address, int(port), backlog=1024)
    print("ready", flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        what, name = line.split()
        gates[name].hold(what == "hold")
        print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
