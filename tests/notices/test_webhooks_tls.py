"""Notifications of a server process to a TLS receiver with certificate.

The server checks the certificate.
"""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest

from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.receivers import receiver
from tests.support.server import ServerProcess
from tests.support.wire import Line
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB


@pytest.mark.thorough
@pytest.mark.parametrize("is_trusted", [True, False], ids=["trusted", "strange"])
def test_a_notice_goes_to_a_receiver_whose_certificate_is_good(
    directory: Path, monkeypatch: pytest.MonkeyPatch, is_trusted: bool
) -> None:
    """An untrusted certificate is reported to the player, and nothing is sent."""
    key, pem = new_key(), directory / "receiver.pem"
    certificate = certificate_pem(key)
    pem.write_bytes(private_pem(key) + certificate)
    trusted = directory / "trusted.pem"
    trusted.write_bytes(certificate if is_trusted else certificate_pem(new_key()))
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    config = directory / "tpserver.toml"
    config.write_text('[notices]\nwebhooks = "on"\nown_network = "allowed"\n')

    async def add(url: str) -> None:
        line = await Line.open(server.port, PB, lambda clock: None)
        await line.enter("ann", game="first")
        await line.one("add_notice_address", tp.AddNoticeAddress(kind="json", target=url), tp.NoticeAddress)
        if is_trusted:
            return line.close()
        while not (told := await line.one("get_notices", tp.GetNotices(), tp.Notices)).addresses[0].problem:
            continue
        assert told.addresses[0].problem == "the receiver's certificate cannot be trusted"
        return line.close()

    with receiver(tls=context) as other, ServerProcess(
        directory / "data", "--no-parent", "--web", "off", "--config", str(config), preloaded=True
    ) as server:  # fmt: skip
        server.start()
        server.create_game("first", "auction", 2)
        asyncio.run(add(other.url))
        if is_trusted:
            assert other.wait_for(1)[0].json["type"] == "address.code"
        else:
            assert other.received == []
