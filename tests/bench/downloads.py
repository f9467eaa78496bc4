"""Downloading a whole universe: all objects of a TaE game and of a synthetic one with 5,000 objects."""

from __future__ import annotations

import statistics

from tests.bench.figures import Figure
from tests.bench.server import TP03, TP04, Client, Server, answered, running
from tpproto import tp_pb2 as tp
from tpproto.dialects import Dialect

OLD = "2.2 us"


def measure(quick: bool) -> list[Figure]:
    figures = []
    tae = ["tae", "--ruleset", "tae", "--seats", "2", "--clock", "manual"]
    many = ["many", "--ruleset", "synthetic", "--seats", "2", "--clock", "manual"]
    with running(tae, many) as server:
        for game in ("tae", "many"):
            others = Client(server, user=f"second@{game}")
            for dialect in (TP03, TP04):
                client = Client(server, dialect, f"first@{game}")
                figures += _download(server, client, game, dialect, quick)
                client.close()
            others.close()
    return figures


def _download(server: Server, client: Client, game: str, dialect: Dialect, quick: bool) -> list[Figure]:
    listed = client.ask("get_object_ids", tp.GetIDSequence(key=-1, amount=-1, fromtime=-1))[0].decode()
    ids = [pair.id for pair in listed.ids]  # type: ignore[attr-defined] # an IDSequence
    request = client.request("get_objects_by_id", tp.GetWithID(ids=ids))
    before = server.cpu()
    first = answered([client], [request], 1 + len(ids))
    cold = (server.cpu() - before) / len(ids) * 1e6
    repeats = max(1, (100_000 if quick else 500_000) // len(ids))
    results = []
    for _ in range(3 if quick else 7):
        before = server.cpu()
        for _ in range(repeats):
            answered([client], [request], 1 + len(ids))
        results.append((server.cpu() - before) / repeats / len(ids) * 1e6)
    name = f"{dialect.name}, {len(ids)} objects of {game}"
    return [
        Figure(f"{name}, each", statistics.median(results), "us CPU", "0.3 us CPU", OLD),
        Figure(f"{name}, first time, each", cold, "us CPU", "", "", f"{first * 1000:.0f} ms in all"),
    ]
