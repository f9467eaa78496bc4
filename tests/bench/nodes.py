"""Benchmark: nodes of a cluster on one PostgreSQL database.

Measured are their joint throughput, and the cost of a game at another node. The database shares the disk and the cores
with the nodes. Each node has a core for itself only if the machine has enough.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Iterator

from tests.bench.figures import Figure
from tests.bench.server import MOST_CONNECTIONS, answered
from tests.support.orders import number, order
from tests.support.postgres import drop_tables, postgres_server
from tests.support.process import TPSERVER, run
from tests.support.server import ServerProcess, free_port, short_directory
from tests.support.wire import Client
from tpproto import tp_pb2 as tp

LEASE = 3
"""Seconds, the shortest that is allowed: no client waits longer for a dead node."""

CLIENTS = 48
SEATS = 4
FLEET = 4
"""A fleet of the first seat of the synthetic game; those of the other seats follow, three objects a fleet."""
ADDED = 300.0
"""Microseconds that may be added to a read, on the machine on which the targets were set.

A present machine is twice as fast.
"""
GAMES, QUICK_GAMES = 1000, 100


def measure(quick: bool) -> list[Figure]:
    figures = []
    with postgres_server() as url:
        for count in (1, 2, 3):
            with _nodes(url, count) as nodes:
                figures += _together(nodes, quick)
                if count == 2:
                    figures += _relayed(nodes, quick)
                    figures += _drained(nodes, QUICK_GAMES if quick else GAMES)
                    figures += _killed(nodes)
            drop_tables(url)
    return figures


@contextlib.contextmanager
def _nodes(url: str, count: int) -> Iterator[list[ServerProcess]]:
    with short_directory() as directory, contextlib.ExitStack() as stack:
        nodes = []
        for place in range(count):
            config = directory / f"{place}.toml"
            config.write_text(
                f'[server]\nstore = "{url}"\n[cluster]\naddress = "127.0.0.1:{free_port()}"\n'
                f"lease_seconds = {LEASE}\n[limits]\nconnections_per_address = {MOST_CONNECTIONS}\n"
                "[accounts]\ncreated_per_hour = 1000000\n"
            )
            server = ServerProcess(directory / f"{place}", "--no-parent", "--web", "off", "--config", str(config))
            nodes.append(stack.enter_context(server))
            server.start()
        yield nodes


def _together(nodes: list[ServerProcess], quick: bool) -> list[Figure]:
    """Return orders and closings a second of all nodes, each of whose clients is at the node with its game."""
    crowd: list[tuple[Client, int]] = []
    for place in range(CLIENTS // SEATS):
        server = nodes[place % len(nodes)]
        server.create_game(f"game {place}", "synthetic", SEATS, clock="all-done", objects=2 + 3 * 6 * SEATS)
        for seat in range(SEATS):
            client = Client(server.port, user=f"player{SEATS * place + seat}@game {place}")
            client.learn_orders()
            crowd.append((client, FLEET + 3 * seat))
    rounds, turns = (3, 5) if quick else (5, 30)
    rates, closings = [], []
    for attempt in range(rounds):
        bursts = [
            [
                client.request("order_insert", order(fleet, 1, number(1 + (turn + attempt) % 100)))
                for turn in range(turns)
            ]
            for client, fleet in crowd
        ]
        seconds = sum(answered([client for client, _ in crowd], list(burst), 1) for burst in zip(*bursts, strict=True))
        rates.append(turns * len(crowd) / seconds)
    for _ in range(rounds):
        begun = time.perf_counter()
        for _ in range(turns // 5):
            before = [_turn(client) for client, _ in crowd[::SEATS]]
            bursts_now = [client.request("finished_turn", tp.FinishedTurn()) for client, _ in crowd]
            answered([client for client, _ in crowd], bursts_now, 1)
            while any(_turn(client) == turn for (client, _), turn in zip(crowd[::SEATS], before, strict=True)):
                time.sleep(0.002)
        closings.append(turns // 5 * len(crowd) / SEATS / (time.perf_counter() - begun))
    for client, _ in crowd:
        client.close()
    title = f"{len(nodes)} node{'s' if len(nodes) > 1 else ''}"
    return [
        Figure(
            f"{title}: orders of {CLIENTS} clients, one at a time", statistics.median(rates), "orders/s", None, "", ""
        ),
        Figure(f"{title}: turns of {CLIENTS // SEATS} games", statistics.median(closings), "closings/s", None, "", ""),
    ]


def _relayed(nodes: list[ServerProcess], quick: bool) -> list[Figure]:
    """Return what it adds to a read and to an order that the game is at another node."""
    here, there = nodes
    here.create_game("relayed", "synthetic", 2, clock="manual")
    direct, relayed = Client(here.port, user="near@relayed"), Client(there.port, user="far@relayed")
    for client in (direct, relayed):
        client.learn_orders()
    rounds, count = (3, 100) if quick else (9, 500)
    figures = []
    for what, frames in (("read", 2), ("order", 1)):
        added = []
        for attempt in range(rounds):
            medians = []
            for client, fleet in ((direct, FLEET), (relayed, FLEET + 3)):
                requests = [_request(client, what, fleet, attempt * count + one) for one in range(count // len(what))]
                medians.append(statistics.median(answered([client], [request], frames) for request in requests))
            added.append((medians[1] - medians[0]) * 1e6)
        article = "an" if what == "order" else "a"
        title = f"{article} {what} of a game at another node takes longer"
        target = ADDED if what == "read" else None
        figures.append(Figure(title, statistics.median(added), "us", target, "", "one at a time"))
    for client in (direct, relayed):
        client.close()
    return figures


def _request(client: Client, what: str, fleet: int, count: int) -> bytes:
    if what == "read":
        return client.request("get_objects_by_id", tp.GetWithID(ids=[10]))
    return client.request("order_insert", order(fleet, 1, number(1 + count % 100)))


def _drained(nodes: list[ServerProcess], count: int) -> list[Figure]:
    """Return how long it takes to hand so many games over, with two clients in each of some."""
    full = nodes[0]
    for place in range(count):
        full.create_game(f"drained {place}", "swarm", 2, clock="interval:86400")
    clients = [Client(full.port, user=f"d{place}@drained {place // 2}") for place in range(2 * CLIENTS)]
    begun = time.perf_counter()
    done = run(TPSERVER, "node", "drain", "--data", full.data, "--config", full.data.with_suffix(".toml"))
    seconds = time.perf_counter() - begun
    assert done.code == 0, done.err
    begun = time.perf_counter()
    asked = [client.request("get_time_remaining", tp.GetTimeRemaining()) for client in clients]
    answered(clients, asked, 1)
    silence = time.perf_counter() - begun
    run(TPSERVER, "node", "undrain", "--data", full.data, "--config", full.data.with_suffix(".toml"))
    for client in clients:
        client.close()
    words = done.lines[0].partition(" were")[0]
    return [
        Figure("a node is drained", seconds, "s", None, "", words),
        Figure(f"until {len(clients)} clients of it have an answer", silence, "s", None, "", "afterwards"),
    ]


def _killed(nodes: list[ServerProcess]) -> list[Figure]:
    """Return how long a client waits for an answer whose game was at a node that is killed."""
    there, here = nodes
    there.create_game("killed", "synthetic", 2, clock="manual")
    client = Client(here.port, user="ann@killed")
    _turn(client)
    there.kill()
    begun = time.perf_counter()
    _turn(client)
    seconds = time.perf_counter() - begun
    client.close()
    return [Figure("a node is killed, until the next one answers", seconds, "s", 5.0, "", f"lease {LEASE} s")]


def _turn(client: Client) -> int:
    return client.one("get_time_remaining", tp.GetTimeRemaining(), tp.TimeRemaining).turn
