"""Benchmark: this server measured in the same way as the old C++ server.

TaE is played over TP03. Closings and downloads use TP04. One core serves both ends.

The client is a separate process, and the kernel reports the server's processor time. The data is in memory where the
machine has such a file system, as the old server saves nothing at all. The cost of the disk is in `orders`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

from tests.bench.figures import Figure
from tests.bench.server import answered, measured_server, one_core
from tests.support.orders import order, target
from tests.support.server import ServerProcess
from tests.support.wire import Client
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, TP04

BATCH = 64
"""Requests per write of a client that does not wait."""

PLAYERS = 500


def measure(quick: bool) -> list[Figure]:
    rounds = 3 if quick else 5
    figures = []
    with one_core(), measured_server("--web", "off", in_memory=True) as server:
        figures += _started(server)
        server.create_game("g", "tae", 2, clock="interval:86400", seed="bench")
        for user in ("bench@g", "other@g"):
            Client(server.port, TP03, user).close()
        figures += _downloads(server)
        figures += _reads(server, rounds, 2000 if quick else 20_000)
        figures += _orders(server, rounds, 400 if quick else 3000)
        figures += _logins(server, rounds, 30 if quick else 300)
        for seats, goal, theirs in ((2, 5.0, "8.7 ms"), (4, 9.0, "17.7 ms")):
            figures += _turns(server, seats, goal, theirs, 4 if quick else 9)
        figures += _players(server, 50 if quick else PLAYERS)
        figures += _games(server, 10 if quick else 50)
    return figures


def _started(server: ServerProcess) -> list[Figure]:
    """Start it again on its empty database; the first start made that."""
    results = []
    for _ in range(3):
        server.stop()
        server.start()
        results.append((server.cpu_seconds(), server.memory() / 1e6))
    return [
        Figure("start until it answers", statistics.median(cpu for cpu, _ in results), "s CPU", 0.6),
        Figure("memory after the start", statistics.median(memory for _, memory in results), "MB", 45),
    ]


def _each(server: ServerProcess, rounds: int, count: int, work: Callable[[], object]) -> tuple[float, float]:
    """Return the processor time, and the time that passes, of one of ``count`` in microseconds; medians."""
    work()
    results = []
    for _ in range(rounds):
        cpu, begun = server.cpu_seconds(), time.perf_counter()
        work()
        passed = time.perf_counter() - begun
        results.append(((server.cpu_seconds() - cpu) / count * 1e6, passed / count * 1e6))
    return statistics.median(cpu for cpu, _ in results), statistics.median(passed for _, passed in results)


def _reads(server: ServerProcess, rounds: int, count: int) -> list[Figure]:
    clients = [Client(server.port, TP03, "bench@g") for _ in range(8)]
    bursts = [
        b"".join(client.request("get_time_remaining", tp.GetTimeRemaining()) for _ in range(BATCH))
        for client in clients
    ]
    times = count // BATCH

    def ask(asking: Sequence[Client]) -> Callable[[], None]:
        def work() -> None:
            for _ in range(times):
                answered(asking, bursts[: len(asking)], BATCH)

        return work

    one, _ = _each(server, rounds, times * BATCH, ask(clients[:1]))
    eight, _ = _each(server, rounds, times * BATCH * 8, ask(clients))
    request = [bursts[0][: len(bursts[0]) // BATCH]]
    alone, waited = _each(server, rounds, count // 8, lambda: _one_at_a_time(clients[0], request * (count // 8)))
    for client in clients:
        client.close()
    return [
        Figure("GetTimeRemaining, pipelined", one, "us CPU", 2.5, "6.4 us"),
        Figure("GetTimeRemaining, pipelined on 8 connections", eight, "us CPU", 3.0, "5.8 us"),
        Figure("GetTimeRemaining, one at a time", alone, "us CPU", 44, "12.5 us"),
        Figure("GetTimeRemaining, one at a time, waited for", waited, "us", None, "23 us"),
    ]


def _one_at_a_time(client: Client, requests: Sequence[bytes]) -> None:
    """Send each request when the one before has its answer, of one short frame."""
    for request in requests:
        client.socket.sendall(request)
        client.socket.recv(4096)


def _orders(server: ServerProcess, rounds: int, count: int) -> list[Figure]:
    """Insert and remove one legal order, again and again."""
    client = Client(server.port, TP03, "bench@g")
    insert, remove = _colonization(client)
    batch = BATCH // 2
    pair = [client.request("order_insert", insert), client.request("remove_order", remove)]
    burst = b"".join(pair) * batch

    def pipelined() -> None:
        for _ in range(count // batch):
            answered([client], [burst], 2 * batch)

    many, _ = _each(server, rounds, count // batch * batch, pipelined)
    client.one("order_insert", insert, tp.Okay)
    client.one("remove_order", remove, tp.Okay)
    single, passed = _each(server, rounds, count // 4, lambda: _one_at_a_time(client, pair * (count // 4)))
    client.close()
    return [
        Figure("order inserted and removed, pipelined", many, "us CPU", 75, "94 us"),
        Figure("order inserted and removed, one at a time", single, "us CPU", 300, "87 us"),
        Figure("order inserted and removed, one at a time, rate", 1e6 / passed, "/s", 2000, "7,777/s"),
    ]


def _colonization(client: Client) -> tuple[tp.Order, tp.GetWithIDSlot]:
    """An order to colonize the system in the middle, and its removal."""
    types = client.ask("get_order_desc", tp.GetWithID(ids=client.ids("get_order_desc_ids")))
    (kind,) = (described.id for described in types if described.name == "Colonize")
    objects = client.ask("get_objects_by_id", tp.GetWithID(ids=client.ids("get_object_ids")))
    (middle,) = (one.id for one in objects if one.name == "0, 0")
    leader = next(one.id for one in objects if kind in one.order_types)
    return order(leader, kind, target(middle)), tp.GetWithIDSlot(id=leader, slots=[0])


def _logins(server: ServerProcess, rounds: int, count: int) -> list[Figure]:
    first = []
    for number in range(rounds):
        before = server.cpu_seconds()
        Client(server.port, TP03, f"newcomer{number}@g/watch").close()
        first.append((server.cpu_seconds() - before) * 1000)

    def again() -> None:
        for _ in range(count):
            Client(server.port, TP03, "bench@g").close()

    known, _ = _each(server, rounds, count, again)
    return [
        Figure("login by a new name, with its connection", statistics.median(first), "ms CPU", 30, "0.09 ms"),
        Figure("login by a name known since the start, likewise", known / 1000, "ms CPU", 0.1, "0.09 ms"),
    ]


def _downloads(server: ServerProcess) -> list[Figure]:
    """All objects, first after a start."""
    results = []
    for _ in range(3):
        server.stop()
        server.start()
        client = Client(server.port, TP04, "bench@g")
        results.append(_downloaded(server, client))
        client.close()
    return [Figure("all objects for the first time after a start", statistics.median(results), "ms CPU", 3.0, "1.4 ms")]


def _downloaded(server: ServerProcess, client: Client) -> float:
    request = client.request("get_objects_by_id", tp.GetWithID(ids=(ids := client.ids("get_object_ids"))))
    before = server.cpu_seconds()
    answered([client], [request], 1 + len(ids))
    return (server.cpu_seconds() - before) * 1000


def _turns(server: ServerProcess, seats: int, goal: float, theirs: str, turns: int) -> list[Figure]:
    """Measure from the last player's FinishedTurn until all have the frame of the new turn."""
    game = f"turns{seats}"
    server.create_game(game, "tae", seats, clock="all-done", seed="bench")
    clients = [Client(server.port, TP04, f"player{seat}@{game}") for seat in range(seats)]
    passed, spent, downloads = [], [], []
    for _ in range(turns):
        for client in clients[:-1]:
            client.one("finished_turn", tp.FinishedTurn(), tp.Okay)
        for client in clients:
            client.one("ping", tp.Ping(), tp.Okay)
        turn = clients[0].one("get_time_remaining", tp.GetTimeRemaining(), tp.TimeRemaining).turn
        cpu, begun = server.cpu_seconds(), time.perf_counter()
        clients[-1].begin("finished_turn", tp.FinishedTurn())
        for client in clients:
            while client.clock is None or client.clock.turn == turn or not client.clock.time:
                client.feed(client.socket.recv(1 << 16))
        passed.append((time.perf_counter() - begun) * 1000)
        spent.append((server.cpu_seconds() - cpu) * 1000)
        downloads.append(_downloaded(server, clients[0]))
    for client in clients:
        client.close()
    figures = [
        Figure(
            f"end of turn, {seats} players, last mark to push", statistics.median(passed), "ms", goal, theirs,
            f"{statistics.median(spent):.1f} ms CPU",
        )
    ]  # fmt: skip
    if seats == 2:
        figures.append(Figure("all objects after a turn", statistics.median(downloads), "ms CPU", 1.0, "1.6 ms"))
    return figures


def _games(server: ServerProcess, count: int) -> list[Figure]:
    """Running games of two of the server's own bots, which have just begun."""
    before = server.memory()
    for number in range(count):
        server.command(
            "game", "create", f"m{number}", "--ruleset", "tae", "--seats", 2, "--bots", 2, "--clock", "manual"
        )
    time.sleep(1)  # until the bots have moved
    return [Figure("memory of a running game of two", (server.memory() - before) / count / 1e6, "MB", 0.15)]


def _players(server: ServerProcess, count: int) -> list[Figure]:
    clients = [Client(server.port, TP03, "bench@g") for _ in range(count)]
    memory = server.memory() / 1e6
    for client in clients:
        client.close()
    return [Figure(f"memory with {count} players connected", memory, "MB", 120)]
