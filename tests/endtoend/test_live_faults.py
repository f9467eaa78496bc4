"""Faults of running servers: restarts, TLS, crowds, misbehaving clients."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.orders import number, order
from tests.support.server import HOST, ServerProcess, free_port
from tests.support.wire import Gone, Line, everything
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04

SECURE_HERE, SECURE_ELSEWHERE = 1, 2
MIB = 1 << 20


def work(fleet: int, effort: int) -> tp.Order:
    """An order of the test ruleset `synthetic`."""
    return order(fleet, 1, number(effort))


@pytest.fixture
def certificate(directory: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that vouches for itself, and its key, as PEM files."""
    key = new_key()
    paths = directory / "certificate.pem", directory / "key.pem"
    paths[0].write_bytes(certificate_pem(key))
    paths[1].write_bytes(private_pem(key))
    return paths


def test_tls_with_a_certificate_of_ones_own(
    directory: Path, live: Callable[..., ServerProcess], certificate: tuple[Path, Path]
) -> None:
    """A client that trusts the certificate logs in by TLS; the features say where it is secure."""
    port = free_port()
    configuration = directory / "tpserver.toml"
    configuration.write_text(f'[tls]\ncertificate = "{certificate[0]}"\nkey = "{certificate[1]}"\nport = {port}\n')
    server = live("--config", str(configuration))
    server.start()

    async def talk() -> None:
        trusting = ssl.create_default_context(cafile=str(certificate[0]))
        secure = await Line.open(port, TP04, tls=trusting)
        plain = await Line.open(server.port, TP04)
        await secure.enter("ann")
        features = await secure.one("get_features", tp.GetFeatures(), tp.Features)
        assert SECURE_HERE in features.features
        features = await plain.one("get_features", tp.GetFeatures(), tp.Features)
        assert SECURE_ELSEWHERE in features.features and SECURE_HERE not in features.features
        with pytest.raises(ssl.SSLCertVerificationError):
            await Line.open(port, TP04, tls=ssl.create_default_context())
        await plain.one("ping", tp.Ping(), tp.Okay)

    asyncio.run(talk())


def test_a_restart_under_connected_clients_loses_nothing(live: Callable[..., ServerProcess]) -> None:
    """Asked to stop, the server hangs up and ends with 0; the next one goes on, deadline included."""
    server = live()
    server.start()
    server.create_game("long", "synthetic", 2, clock="interval:600", objects=20)

    async def before() -> tuple[int, int]:
        lines = [await Line.open(server.port, dialect) for dialect in (TP03, TP04)]
        for place, line in enumerate(lines):
            await line.enter(f"worker{place}")
        begun = await lines[1].time()
        assert list(begun.waiting) == [1, 2]
        await lines[1].learn_orders()
        listed = await lines[1].one("get_order_queue_ids", everything(), tp.IDSequence)
        fleet = listed.ids[1].id  # the first is queue 0, which is nobody's
        for effort in (3, 4, 5):
            await lines[1].one("order_insert", work(fleet, effort), tp.Order)
        assert await asyncio.to_thread(server.stop) == 0
        for line in lines:
            await asyncio.wait_for(line.gone.wait(), 30)
            with pytest.raises(Gone):
                line.send("ping", tp.Ping())
        return fleet, begun.time

    async def after(fleet: int, seconds: int) -> None:
        line = await Line.open(server.port, PB)
        await line.enter("worker1")
        orders = await line.ask("get_order", tp.GetWithIDSlot(id=fleet, slots=[0, 1, 2]))
        assert [order.parameters[0].range.value for order in orders if isinstance(order, tp.Order)] == [3, 4, 5]
        left = await line.time()
        assert 0 < left.time <= seconds and list(left.waiting) == [1, 2]

    fleet, seconds = asyncio.run(before())
    server.start()
    asyncio.run(after(fleet, seconds))


async def hung_up(reader: asyncio.StreamReader) -> bool:
    """Wait until the server has ended a connection, after whatever it still says."""
    with contextlib.suppress(ConnectionError):
        await asyncio.wait_for(reader.read(), 30)
    return True


def test_clients_that_do_not_behave_hinder_nobody(directory: Path, live: Callable[..., ServerProcess]) -> None:
    """One never reads its answers, one stops in the middle of a frame, one talks nonsense; another one plays on."""
    configuration = directory / "tpserver.toml"
    configuration.write_text("[limits]\nframe_seconds = 1\nunread_seconds = 1\n")
    server = live("--config", str(configuration))
    server.start()
    server.create_game("big", "synthetic", 2, objects=2000)

    async def talk() -> None:
        deaf, player = [await Line.open(server.port, TP04) for _ in range(2)]
        for place, line in enumerate((deaf, player)):
            await line.enter(f"worker{place}")
        deaf.read(False)
        download = deaf.frame("get_objects_by_id", tp.GetWithID(ids=range(2000)), 9)
        stalled, half = await asyncio.open_connection(HOST, server.port)
        half.write(deaf.frame("login", tp.Login(username="worker1", password="secret"), 1)[:30])
        refused, nonsense = await asyncio.open_connection(HOST, server.port)
        nonsense.write(struct.pack(">4sIII", b"TP03", 1, 4, 8) + b"\xff" * 8)
        before = server.memory()
        await player.learn_orders()
        fleet = (await player.one("get_order_queue_ids", everything(), tp.IDSequence)).ids[2].id
        for effort in range(1, 51):
            with contextlib.suppress(Gone):
                deaf.write(download * 4)
            await player.one("order_insert", work(fleet, effort), tp.Order)
        header = await asyncio.wait_for(refused.readexactly(16), 30)
        assert struct.unpack(">4sIII", header)[:3] == (b"TP03", 1, 1), "the nonsense is answered with Fail"
        assert server.memory() - before < 32 * MIB
        assert await hung_up(stalled), "half a frame is not waited for longer than the limit"
        while not deaf.gone.is_set():
            # Whoever does not read is not told that the server hung up; writing tells.
            with contextlib.suppress(Gone):
                deaf.write(download)
            await player.one("ping", tp.Ping(), tp.Okay)
        for writer in (half, nonsense):
            writer.close()
        player.close()

    asyncio.run(asyncio.wait_for(talk(), 60))


@pytest.mark.thorough
def test_two_hundred_connections_at_once(live: Callable[..., ServerProcess]) -> None:
    """All are served side by side, whatever they speak; those who leave make room."""
    server = live()
    server.start()

    async def crowd() -> None:
        dialects = [(TP03, TP04, PB)[number % 3] for number in range(200)]
        lines = await asyncio.gather(*[Line.open(server.port, dialect) for dialect in dialects])
        hello = tp.Connect(client="crowd")
        for _ in range(5):
            asked = [line.ask(kind, message) for line in lines for kind, message in
                     (("connect", hello), ("ping", tp.Ping()), ("get_features", tp.GetFeatures()))]  # fmt: skip
            answers = await asyncio.gather(*asked)
            assert not any(isinstance(answer, tp.Fail) for (answer,) in answers)
        assert not any(line.strange or line.gone.is_set() for line in lines)
        for line in lines[1:]:
            line.close()
        await lines[0].one("ping", tp.Ping(), tp.Okay)
        lines[0].close()

    asyncio.run(crowd())
    assert server.stop() == 0
