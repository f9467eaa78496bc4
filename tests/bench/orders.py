"""Benchmark: OrderInsert into SQLite, acknowledged after the commit.

The database is a real file with synchronous FULL.
"""

from __future__ import annotations

import statistics

from tests.bench.figures import Figure
from tests.bench.server import answered, measured_server
from tests.support.orders import number, order
from tests.support.server import ServerProcess
from tests.support.wire import Client

OLD = "5,800/s, memory only"
DEPTH = 16
"""Orders that each client has on their way at a time."""


OBJECTS = 2 + 3 * 600
"""Six fleets a seat."""


def measure(quick: bool) -> list[Figure]:
    with measured_server("--web", "off") as server:
        server.create_game("g", "synthetic", 100, clock="manual", objects=OBJECTS)
        clients = [Client(server.port, user=f"player{number}") for number in range(100)]
        for client in clients:
            client.learn_orders()
        fleets = [_fleets(client, number, 100) for number, client in enumerate(clients)]
        single = _rate(server, clients[:1], fleets[:1], 1, 200 if quick else 1000, quick)
        deep = _rate(server, clients[:1], fleets[:1], DEPTH, 50 if quick else 200, quick)
        crowd = _rate(server, clients, fleets, 1, 5 if quick else 20, quick)
        crowd_deep = _rate(server, clients, fleets, DEPTH, 2 if quick else 4, quick)
        for client in clients:
            client.close()
    return [
        Figure("1 client, one order at a time", single[0], "orders/s", None, OLD, f"{single[1]:.0f} us CPU each"),
        Figure(f"1 client, {DEPTH} orders at a time", deep[0], "orders/s", None, "", f"{deep[1]:.0f} us CPU each"),
        Figure(
            "100 clients, one order at a time", crowd[0], "orders/s", 15_000, OLD,
            f"{crowd[1]:.0f} us CPU each",
        ),
        Figure(
            f"100 clients, {DEPTH} orders at a time", crowd_deep[0], "orders/s", 15_000, OLD,
            f"{crowd_deep[1]:.0f} us CPU each",
        ),
    ]  # fmt: skip


def _fleets(client: Client, seat: int, seats: int) -> list[int]:
    """Return the fleets of a seat of the synthetic game."""
    return [4 + 3 * row for row in range(seat, (OBJECTS - 2) // 3, seats)]


def _rate(
    server: ServerProcess, clients: list[Client], fleets: list[list[int]], depth: int, turns: int, quick: bool
) -> tuple[float, float]:
    results = []
    for attempt in range(3 if quick else 5):
        bursts = []
        for client, own in zip(clients, fleets, strict=True):
            bursts.append([_burst(client, own, depth, turn + attempt * turns) for turn in range(turns)])
        before, seconds = server.cpu_seconds(), 0.0
        for turn in range(turns):
            seconds += answered(clients, [burst[turn] for burst in bursts], depth)
        total = turns * depth * len(clients)
        results.append((total / seconds, (server.cpu_seconds() - before) / total * 1e6))
    return statistics.median(rate for rate, _ in results), statistics.median(cpu for _, cpu in results)


def _burst(client: Client, own: list[int], depth: int, turn: int) -> bytes:
    fleets = (own[(turn * depth + place) % len(own)] for place in range(depth))
    effort = number(1 + turn % 100)
    return b"".join(client.request("order_insert", order(fleet, 1, effort)) for fleet in fleets)
