"""Benchmark: memory of idle connections."""

from __future__ import annotations

import socket

from tests.bench.figures import Figure
from tests.bench.server import measured_server
from tests.support.server import ServerProcess
from tests.support.wire import Client
from tpproto import tp_pb2 as tp

COUNT = 1000


def measure(quick: bool) -> list[Figure]:
    count = 200 if quick else COUNT
    with measured_server("--web", "off") as server:
        server.create_game("g", "synthetic", 2, clock="manual")
        bystander = Client(server.port, user="bystander")
        bystander.ask("ping", tp.Ping())
        silent = _grown(server, count, b"")
        hello = bystander.request("connect", tp.Connect(client="idle"))
        greeted = _grown(server, count, hello)
        bystander.close()
    return [
        Figure(f"{count} connections, nothing said", silent, "bytes each", 4096, "", "resident memory"),
        Figure(f"{count} connections, after Connect", greeted, "bytes each", 4096, "", "resident memory"),
    ]


def _grown(server: ServerProcess, count: int, hello: bytes) -> float:
    warm = _opened(server, 50, hello)
    before = server.memory()
    idle = _opened(server, count, hello)
    after = server.memory()
    for connection in (*warm, *idle):
        connection.close()
    return (after - before) / count


def _opened(server: ServerProcess, count: int, hello: bytes) -> list[socket.socket]:
    made = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", server.port), 10)
        if hello:
            connection.sendall(hello)
            connection.recv(4096)
        made.append(connection)
    witness = Client(server.port)
    witness.ask("ping", tp.Ping())
    witness.close()
    return made
