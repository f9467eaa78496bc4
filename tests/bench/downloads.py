"""Benchmark: the download of a whole universe.

One universe is a game of TaE, the other a synthetic game with 5,000 objects.
"""

from __future__ import annotations

import statistics

from tests.bench.figures import Figure
from tests.bench.server import answered, measured_server
from tests.support.server import ServerProcess
from tests.support.wire import Client
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, TP04, Dialect

OLD = "2.2 us"


def measure(quick: bool) -> list[Figure]:
    figures = []
    with measured_server("--web", "off") as server:
        server.create_game("tae", "tae", 2, clock="manual")
        server.create_game("many", "synthetic", 2, clock="manual")
        for game in ("tae", "many"):
            others = Client(server.port, user=f"second@{game}")
            for dialect in (TP03, TP04):
                client = Client(server.port, dialect, user=f"first@{game}")
                figures += _download(server, client, game, dialect, quick)
                client.close()
            others.close()
    return figures


def _download(server: ServerProcess, client: Client, game: str, dialect: Dialect, quick: bool) -> list[Figure]:
    ids = client.ids("get_object_ids")
    request = client.request("get_objects_by_id", tp.GetWithID(ids=ids))
    before = server.cpu_seconds()
    first = answered([client], [request], 1 + len(ids))
    cold = (server.cpu_seconds() - before) / len(ids) * 1e6
    repeats = max(1, (100_000 if quick else 500_000) // len(ids))
    results = []
    for _ in range(3 if quick else 7):
        before = server.cpu_seconds()
        for _ in range(repeats):
            answered([client], [request], 1 + len(ids))
        results.append((server.cpu_seconds() - before) / repeats / len(ids) * 1e6)
    name = f"{dialect.name}, {len(ids)} objects of {game}"
    return [
        Figure(f"{name}, each", statistics.median(results), "us CPU", 0.3, OLD),
        Figure(f"{name}, first time, each", cold, "us CPU", None, "", f"{first * 1000:.0f} ms in all"),
    ]
