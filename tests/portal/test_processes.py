"""Engine processes, replaced and killed under clients: nothing is lost.

The clients speak all dialects.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.cli.test_console import OKAY, PASSWORD, USER, OldConsole
from tests.portal.crowd import Crowd
from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.process import SECONDS, TPSERVER, run
from tests.support.server import ServerProcess, free_port
from tests.support.wire import Client
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP04
from tpserver.admin.socket_client import ask_running


@pytest.fixture
def make_crowd(tmp_path: Path) -> Iterator[Callable[[int], Crowd]]:
    servers: list[ServerProcess] = []

    def make(size: int) -> Crowd:
        key = new_key()
        certificate, both, tls_port = tmp_path / "certificate.pem", tmp_path / "both.pem", free_port()
        certificate.write_bytes(certificate_pem(key))
        both.write_bytes(private_pem(key) + certificate_pem(key))
        certificate.write_bytes(both.read_bytes().partition(b"-----END PRIVATE KEY-----\n")[2])
        configuration = tmp_path / "server.toml"
        configuration.write_text(
            f"[server]\nkeep_connections = true\norder_entries = 1000000\n[tls]\nport = {tls_port}\n"
            f'certificate = "{both}"\n[limits]\nlogin_seconds = 3600\n'
        )
        server = ServerProcess(tmp_path / "data", "--config", str(configuration))
        servers.append(server)
        server.start()
        crowd = Crowd(server, size, tls_port, certificate)
        crowd.make_games()
        return crowd

    yield make
    for server in servers:
        server.kill()


@pytest.mark.thorough
def test_three_restarts_and_a_kill_under_clients_of_all_dialects(make_crowd: Callable[[int], Crowd]) -> None:
    crowd = make_crowd(12)

    async def play() -> None:
        await crowd.gather()
        events = (crowd.restart, crowd.restart, crowd.kill, crowd.restart)
        await crowd.live_through(*events, pause=0.02, between=1.0)

    asyncio.run(play())
    assert crowd.server.stop() == 0
    crowd.audit()
    assert min(member.told for member in crowd.members) > 4 * 5
    assert sum(member.removed for member in crowd.members) > len(crowd.members)


@pytest.mark.thorough
def test_a_server_goes_on_if_the_next_one_cannot_be_started(make_crowd: Callable[[int], Crowd], tmp_path: Path) -> None:
    """As with a configuration that is wrong, or a release that is half installed."""
    crowd = make_crowd(1)
    holder, configuration = crowd.holder(), tmp_path / "server.toml"
    client, right = Client(crowd.server.port, TP04), configuration.read_text()
    configuration.write_text("[server")
    assert ask_running(crowd.server.data, "restart", {})
    crowd.server.wait_for(f"the next server cannot be started .* process {holder} goes on")
    assert client.one("ping", tp.Ping(), tp.Okay).result
    configuration.write_text(right.replace("[tls]", "[web]\nping_seconds = 9\n[tls]"))
    said = len(crowd.server.said)
    waits = "web.ping_seconds is 9.0 now, which waits until the server is stopped and started, not by tpserver restart"
    (line,) = [line for line in ask_running(crowd.server.data, "reload", {}) or [] if "ping" in line]
    assert line == waits
    assert (ask_running(crowd.server.data, "restart", {}) or [])[1:] == [line]
    crowd.server.wait_for("takes its place", said)
    crowd.server.wait_for("listens on .* data in ", said)
    configuration.write_text(right)
    crowd.restart()
    assert client.one("ping", tp.Ping(), tp.Okay).result
    assert crowd.holder() != holder
    client.socket.close()


@pytest.mark.thorough
def test_restart_is_a_command_that_says_what_to_do_where_nothing_keeps_connections(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        server.start()
        ended = run(TPSERVER, "restart", "--data", server.data)
        assert ended.code != 0
        assert "keep_connections = true" in ended.err
        with Client(server.port, TP04).socket:
            pass
        server.stop()
        assert "no server runs" in run(TPSERVER, "restart", "--data", server.data).err


@pytest.mark.thorough
def test_every_listener_survives_two_restarts(tmp_path: Path) -> None:
    """Metrics, consoles and the control socket are those of the process with the games, which is replaced."""
    (tmp_path / "secret").write_text(f"{PASSWORD}\n")
    configuration = tmp_path / "server.toml"
    configuration.write_text(
        "[server]\nkeep_connections = true\n[metrics]\nport = 0\n"
        f'[admin]\nport = 0\nuser = "{USER}"\npassword = "secret"\n'
    )
    with ServerProcess(tmp_path / "data", "--config", str(configuration)) as server:
        server.start()
        metrics = server.wait_for(r"metrics: (http://\S+/metrics)")[1]
        console = int(server.wait_for(r"administration consoles: tp://127\.0\.0\.1:(\d+)")[1])
        configuration.write_text(f'{configuration.read_text()}[log]\nformat = "json"\n')
        waits = "log.format is 'json' now, which waits until the server is stopped and started"
        for restarts in range(3):
            with urlopen(metrics, timeout=SECONDS) as answer:
                assert b"tpserver_games" in answer.read()
            assert console_login(console)
            assert Client(server.port, TP04).one("ping", tp.Ping(), tp.Okay).result
            with urlopen(f"http://127.0.0.1:{server.web_port}/healthz", timeout=SECONDS) as answer:
                assert answer.status == 200
            if restarts < 2:
                said = len(server.said)
                assert f"{waits}, not by tpserver restart" in (ask_running(server.data, "restart", {}) or [])
                server.wait_for("takes its place", said)
                server.wait_for(f"warn     {waits}", said)
                server.wait_for("listens on .* data in ", said)
        assert server.stop() == 0


def console_login(port: int) -> bool:
    """Log in as an administration console; return whether that is granted."""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as connection:

        def exchange(data: bytes) -> bytes:
            connection.sendall(data)
            header = connection.recv(16, socket.MSG_WAITALL)
            return header + connection.recv(int.from_bytes(header[12:16], "big"), socket.MSG_WAITALL)

        console = OldConsole(exchange)
        console.connect()
        return console.login()[0] == OKAY


def test_the_edge_is_started_again_if_it_is_killed(make_crowd: Callable[[int], Crowd]) -> None:
    crowd = make_crowd(1)
    server = crowd.server
    (edge,) = [child for child in server.children() if "--edge" in Path(f"/proc/{child}/cmdline").read_text()]
    holder = crowd.holder()
    said = len(server.said)
    os.kill(edge, signal.SIGKILL)
    server.wait_for("connections are kept by a process", said)
    client = Client(server.port, TP04)
    assert client.one("ping", tp.Ping(), tp.Okay).result
    assert crowd.holder() == holder
    client.socket.close()


@pytest.mark.soak
def test_fifty_restarts_under_two_hundred_clients(make_crowd: Callable[[int], Crowd]) -> None:
    """Prints the longest pause: `pytest -m soak -s tests/portal`."""
    crowd = make_crowd(int(os.environ.get("TP_CROWD", "200")))
    restarts = int(os.environ.get("TP_RESTARTS", "50"))

    async def play() -> None:
        await crowd.gather()
        await crowd.live_through(*[crowd.restart] * restarts, pause=3.0, between=2.0)

    begun = time.monotonic()
    asyncio.run(play())
    assert crowd.server.stop() == 0
    crowd.audit()
    waits = sorted(member.longest for member in crowd.members)
    asked = sum(member.asked for member in crowd.members)
    print(
        f"\n{restarts} restarts under {crowd.size} clients in {time.monotonic() - begun:.0f} s: {asked} requests, each "
        f"answered once; the longest pause {waits[-1]:.2f} s, of the median client {waits[len(waits) // 2]:.2f} s"
    )
