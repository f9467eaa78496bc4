"""Benchmark: cached reads with GetObjectsByID for one object.

The requests are pipelined on one connection, and 8 deep on 50 connections.
"""

from __future__ import annotations

import statistics

from tests.bench.figures import Figure
from tests.bench.server import answered, measured_server
from tests.support.server import ServerProcess
from tests.support.wire import Client
from tpproto import tp_pb2 as tp

OLD = "3.8 to 6.6 us"


def measure(quick: bool) -> list[Figure]:
    rounds = 3 if quick else 7
    with measured_server("--web", "off") as server:
        server.create_game("g", "synthetic", 50, clock="manual")
        clients = [Client(server.port, user=f"reader{number}") for number in range(50)]
        one = _pipelined(server, clients[0], 20_000 if quick else 100_000, rounds)
        many = _many(server, clients, 20 if quick else 100, rounds)
        for client in clients:
            client.close()
    return [
        Figure("one object a request, pipelined on 1 connection", one[0], "us CPU", 2.5, OLD),
        Figure("one object a request, requests on 1 connection", one[1], "/s"),
        Figure("one object a request, 50 connections, 8 deep", many[0], "us CPU", None, OLD),
        Figure("one object a request, requests on 50 connections", many[1], "/s"),
    ]


def _pipelined(server: ServerProcess, client: Client, count: int, rounds: int) -> tuple[float, float]:
    burst = b"".join(client.request("get_objects_by_id", tp.GetWithID(ids=[10])) for _ in range(count))
    answered([client], [burst], 2 * count)
    return _rounds(server, [client], [burst], 2 * count, count, rounds)


def _many(server: ServerProcess, clients: list[Client], turns: int, rounds: int) -> tuple[float, float]:
    bursts = []
    for client in clients:
        burst = [client.request("get_objects_by_id", tp.GetWithID(ids=[10])) for _ in range(8)]
        bursts.append(b"".join(burst))
    results = []
    for _ in range(rounds):
        before, seconds = server.cpu_seconds(), 0.0
        for _ in range(turns):
            seconds += answered(clients, bursts, 16)
        total = turns * 8 * len(clients)
        results.append(((server.cpu_seconds() - before) / total * 1e6, total / seconds))
    return statistics.median(cpu for cpu, _ in results), statistics.median(rate for _, rate in results)


def _rounds(
    server: ServerProcess, clients: list[Client], bursts: list[bytes], frames: int, total: int, rounds: int
) -> tuple[float, float]:
    results = []
    for _ in range(rounds):
        before = server.cpu_seconds()
        seconds = answered(clients, bursts, frames)
        results.append(((server.cpu_seconds() - before) / total * 1e6, total / seconds))
    return statistics.median(cpu for cpu, _ in results), statistics.median(rate for _, rate in results)
