"""`tpserver reload` and SIGHUP: take over changes, drop no player.

A mistake in the configuration changes nothing.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.server import HOST, PING, free_port
from tpclient.connection import Connection
from tpclient.errors import RequestFailed
from tpproto.dialects import PB
from tpserver.wire.net.errors import CertificateError
from tpserver.wire.net.tls import ServerCertificate

Run = Callable[..., Any]


class Place:
    """The files of a server with TLS, and its ports."""

    def __init__(self, directory: Path) -> None:
        self.config, self.pem = directory / "tp.toml", directory / "server.pem"
        self.ports = free_port(), free_port()
        self.renew()
        self.say("")

    def renew(self) -> None:
        key = new_key()
        self.pem.write_bytes(certificate_pem(key, 1.5) + private_pem(key))

    def say(self, more: str) -> None:
        plain, secure = self.ports
        listen = f'[listen]\nport = {plain}\n[web]\nendpoint = "off"\n'
        self.config.write_text(f'{listen}[tls]\ncertificate = "server.pem"\nport = {secure}\n{more}')


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def connect(place: Place) -> Iterator[Callable[[], ssl.SSLSocket]]:
    """Connect by TLS, whatever the certificate is."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with ExitStack() as stack:
        yield lambda: stack.enter_context(
            context.wrap_socket(socket.create_connection((HOST, place.ports[1]), timeout=240))
        )


def answers(client: ssl.SSLSocket) -> bool:
    client.sendall(PING)
    head = client.recv(16)
    (size,) = struct.unpack(">I", head[12:16])
    while size > 0:
        size -= len(client.recv(size))
    return head[:4] == b"TP03"


@pytest.fixture
def server(start: Any, place: Place, data: Path) -> Any:
    server = start("run", "--data", data, "--config", place.config)
    server.wait_for(r"listens on tp://")
    return server


@pytest.fixture
def reload(tpserver: Run, place: Place, data: Path) -> Callable[[], Any]:
    return lambda: tpserver("reload", "--data", data)


def test_a_renewed_certificate_is_for_new_connections(
    server: Any, reload: Any, place: Place, connect: Callable[[], ssl.SSLSocket]
) -> None:
    """Present connections keep the old one, and are not dropped."""
    old = connect()
    before = old.getpeercert(binary_form=True)
    assert answers(old)
    place.renew()
    assert connect().getpeercert(binary_form=True) == before
    said = reload()
    assert said.lines == [
        "Nothing has changed in the configuration.",
        f"The certificate {place.pem} was read again; it is good for 1 days.",
    ]
    new = connect()
    assert new.getpeercert(binary_form=True) != before
    assert answers(new)
    assert answers(old)


def unfit(days: float, since: float) -> bytes:
    key = new_key()
    return certificate_pem(key, days, since=since) + private_pem(key)


UNFIT = {
    "there is no certificate in this file": b"half a certificate",
    "there is no certificate in this file that can be read": b"",
    "expired on 20": unfit(-1.0, -60.0),
    "is not valid before 20": unfit(9.0, 2.0),
    "this key does not belong to the first certificate": certificate_pem(new_key()) + private_pem(new_key()),
}


@pytest.mark.parametrize("says", UNFIT)
def test_no_unfit_certificate_takes_the_place_of_a_valid_one(tmp_path: Path, says: str) -> None:
    """Another one that is unfit may: a server that was started with an expired one can read that again."""
    pem = tmp_path / "server.pem"
    pem.write_bytes(unfit(1.0, -60.0))
    served = ServerCertificate(pem)
    before = served.serverConnectionForTLS(None).get_context()
    pem.write_bytes(UNFIT[says])
    with pytest.raises(CertificateError, match=says):
        served.renew(pem)
    assert served.serverConnectionForTLS(None).get_context() is before
    pem.write_bytes(unfit(-1.0, -60.0))
    expired = ServerCertificate(pem)
    pem.write_bytes(unfit(-2.0, -60.0))
    expired.renew(pem)


@pytest.mark.thorough
@pytest.mark.parametrize("says", UNFIT)
def test_a_certificate_that_cannot_be_used_changes_nothing(
    server: Any, reload: Any, place: Place, connect: Callable[[], ssl.SSLSocket], says: str
) -> None:
    """Neither the certificate nor the configuration."""
    before = connect().getpeercert(binary_form=True)
    place.pem.write_bytes(UNFIT[says])
    place.say('[accounts]\npolicy = "closed"\n')
    said = reload()
    assert (said.code, said.err.count("\n")) == (1, 1)
    assert says in said.err
    assert connect().getpeercert(binary_form=True) == before
    place.renew()
    assert "accounts.policy is 'closed' now" in reload().lines, "it was not taken over before"


def test_what_is_taken_over_and_what_waits(server: Any, reload: Any, place: Place, tpserver: Run, data: Path) -> None:
    """Each changed key is printed, once if it is taken over, and again if it waits."""
    accounts = "[accounts]\ncreated_per_hour = 7\n"
    place.say(f'[server]\nname = "other"\n{accounts}[games]\nclock = "manual"\n[limits]\nconnections = 5\n')
    waits = "server.name is 'other' now, which waits for a restart"
    taken = ["accounts.created_per_hour is 7 now", "games.clock is 'manual' now", "limits.connections is 5 now"]
    assert reload().lines[:-1] == [waits, *taken]
    assert reload().lines[:-1] == [waits]
    place.say(f'[server]\nname = "other"\n{accounts}[games]\nclock = "manual"\n[proxy]\naddresses = ["10.0.0.1"]\n')
    proxies = "proxy.addresses has changed, which waits for a restart"
    assert reload().lines[:-1] == [waits, proxies, "limits.connections is 10000 now"]
    made = tpserver("game", "create", "lots", "--ruleset", "auction", "--seats", "2", "--data", data)
    assert "clock manual" in made.out


@pytest.mark.thorough
def test_a_first_certificate_waits_for_a_restart(start: Any, tpserver: Run, place: Place, data: Path) -> None:
    """As nothing listens with TLS yet, the next reload prints it again."""
    place.config.write_text(place.config.read_text().replace("certificate", "# certificate"))
    server = start("run", "--data", data, "--config", place.config)
    server.wait_for(r"listens on tp://")
    place.say("")
    for _ in range(2):
        (line,) = tpserver("reload", "--data", data).lines
        assert line.startswith("tls.certificate is ")
        assert line.endswith(" now, which waits for a restart")
    assert server.stop() == 0


def test_limits_hold_from_now_on(server: Any, reload: Any, place: Place, connect: Callable[[], ssl.SSLSocket]) -> None:
    """Present connections stay, also above the new limit. The next one is refused."""
    there = [connect(), connect()]
    assert all(map(answers, there))
    place.say("[limits]\nconnections = 1\n")
    assert reload().code == 0
    with pytest.raises(OSError):  # cut off before it is encrypted
        connect()
    assert all(map(answers, there))


def test_a_lock_down_sends_those_away_who_do_not_play(server: Any, reload: Any, place: Place) -> None:
    """An account without a seat is logged out at its next request. A new login without a seat is refused."""

    async def scene() -> None:
        async with await Connection.open(f"{HOST}:{place.ports[0]}", PB) as guest:
            await guest.connect()
            await guest.create_account("guest", "word")
            await guest.login_account("guest", "word")
            place.say('[accounts]\npolicy = "lockdown"\n')
            assert "accounts.policy is 'lockdown' now" in reload().lines
            with pytest.raises(RequestFailed, match="This server is in lockdown"):
                await guest.my_games()
        async with await Connection.open(f"{HOST}:{place.ports[0]}", PB) as guest:
            await guest.connect()
            with pytest.raises(RequestFailed, match="This server is in lockdown"):
                await guest.login_account("guest", "word")

    asyncio.run(scene())


def test_a_configuration_that_is_wrong_is_refused_with_its_sentence(
    server: Any, place: Place, reload: Any, connect: Callable[[], ssl.SSLSocket]
) -> None:
    """The server goes on."""
    there = connect()
    place.say("[limits]\nconnections = 0\n")
    said = reload()
    assert (said.code, said.err.count("\n")) == (1, 1)
    assert "limits.connections is 0, but must be a whole number from 1 to 1000000" in said.err
    assert answers(there)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "more", [pytest.param([], id="parent"), pytest.param(["--no-parent"], id="alone", marks=pytest.mark.thorough)]
)
def test_a_signal_does_the_same(
    start: Any, place: Place, data: Path, connect: Callable[[], ssl.SSLSocket], more: list[str]
) -> None:
    """`systemctl reload` sends it. The log has any mistake, too, and backups can be turned on this way."""
    server = start("run", "--data", data, "--config", place.config, *more)
    server.wait_for(r"listens on tp://")
    there = connect()
    place.say("[backup]\nevery_hours = 24\n")
    server.send_signal(signal.SIGHUP)
    server.wait_for(r"reload: backup\.every_hours is 24\.0 now")
    server.wait_for(r"backup: Backup \S+ is complete")
    place.say("nonsense")
    server.send_signal(signal.SIGHUP)
    server.wait_for(r"error +reload: \S+tp\.toml, line")
    assert answers(there)
    assert server.stop() == 0


def test_without_a_server_there_is_nothing_to_reload(tpserver: Run, data: Path) -> None:
    assert "there is no data in" in tpserver("reload", "--data", data).err
    assert tpserver("account", "add", "ann", "--password", "word", "--data", data).code == 0
    said = tpserver("reload", "--data", data)
    assert (said.code, said.err) == (
        1,
        "tpserver: no server runs on this data, so there is none to read a configuration\n",
    )
