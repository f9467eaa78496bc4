"""Benchmark: the cost of the portal process for a read and for an order.

Requests are sent one at a time. One server has a portal, the other has none. Both have a supervisor and run at the same
time, so other load on the machine affects both equally.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import contextmanager

from tests.bench.figures import Figure
from tests.bench.server import MEMORY, answered
from tests.support.orders import number, order
from tests.support.server import ServerProcess, cpu_seconds, short_directory
from tests.support.wire import Client
from tpproto import tp_pb2 as tp

ADDED = 300.0
"""Microseconds that may be added to a read, on the machine on which the targets were set.

A present machine is twice as fast.
"""

FLEET = 4
"""A fleet of the first seat of the synthetic game."""


def measure(quick: bool) -> list[Figure]:
    rounds, count = (3, 200) if quick else (9, 1000)
    with _server(keeps=False) as direct, _server(keeps=True) as kept:
        reads = _added(direct, kept, "read", rounds, count)
        orders = _added(direct, kept, "order", rounds, count // 4)
    return [
        Figure("a read, one at a time", reads[0], "us", ADDED, "", f"{reads[1]:.0f} us CPU of both processes more"),
        Figure("an order, one at a time", orders[0], "us", None, "", f"{orders[1]:.0f} us CPU of both processes more"),
    ]


@contextmanager
def _server(*, keeps: bool) -> Iterator[tuple[ServerProcess, Client]]:
    with short_directory(MEMORY if MEMORY.is_dir() else None) as directory:
        config = directory / "config.toml"
        config.write_text(f"[server]\nkeep_connections = {str(keeps).lower()}\n")
        with ServerProcess(directory / "data", "--web", "off", "--config", str(config)) as server:
            server.start()
            server.create_game("g", "synthetic", 2, clock="manual")
            client = Client(server.port, user="reader")
            client.learn_orders()
            yield server, client
            client.close()


def _added(
    direct: tuple[ServerProcess, Client], kept: tuple[ServerProcess, Client], what: str, rounds: int, count: int
) -> tuple[float, float]:
    """Return the microseconds that an answer takes longer where connections are kept, and the processor time."""
    results = []
    for attempt in range(rounds):
        wall, cpu = [], []
        for server, client in (direct, kept):
            bursts = [_request(client, what, attempt * count + one) for one in range(count)]
            before, seconds = _cpu(server), []
            for burst in bursts:
                seconds.append(answered([client], [burst], 2 if what == "read" else 1))
            wall.append(statistics.median(seconds))
            cpu.append((_cpu(server) - before) / count)
        results.append(((wall[1] - wall[0]) * 1e6, (cpu[1] - cpu[0]) * 1e6))
    return statistics.median(wall for wall, _ in results), statistics.median(cpu for _, cpu in results)


def _request(client: Client, what: str, count: int) -> bytes:
    if what == "read":
        return client.request("get_objects_by_id", tp.GetWithID(ids=[10]))
    return client.request("order_insert", order(FLEET, 1, number(1 + count % 100)))


def _cpu(server: ServerProcess) -> float:
    """The processor seconds of all processes that the supervisor has started."""
    return sum(cpu_seconds(child) for child in server.children())
