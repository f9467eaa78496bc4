"""A hostile OpenID Connect provider that sends too much, or nothing.

The server keeps serving everybody else.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.oidc_provider import CLIENT, SECRET, OidcProvider, oidc_provider
from tests.support.server import ServerProcess, short_directory
from tpserver.admin.socket_client import ask_running

DISCOVERY = "/.well-known/openid-configuration"


@pytest.fixture
def provider() -> Iterator[OidcProvider]:
    with oidc_provider() as made:
        yield made


@pytest.fixture
def server(provider: OidcProvider) -> Iterator[ServerProcess]:
    with short_directory() as directory:
        config = directory / "tpserver.toml"
        with ServerProcess(directory / "data", "--config", str(config), "--no-parent") as made:
            config.write_text(_config(directory, made, provider))
            made.start()
            yield made


def _config(directory: Path, server: ServerProcess, provider: OidcProvider) -> str:
    (directory / "secret").write_text(f"{SECRET}\n")
    return (
        f'[oidc]\nsite = "{server.url}"\n[[oidc.providers]]\nid = "ours"\nname = "Ours"\n'
        f'issuer = "{provider.issuer}"\nclient_id = "{CLIENT}"\nsecret = "secret"\nown_network = true\n'
    )


def begin(server: ServerProcess) -> tuple[int, dict[str, Any]]:
    """Return the server's response at the start of a sign-in."""
    headers = {"Content-Type": "application/json", "Origin": server.url.rstrip("/")}
    request = urllib.request.Request(f"{server.url}sign-in/begin", b'{"provider": "ours"}', headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def pour(handler: Any) -> None:
    """Answer with a gigabyte."""
    handler.send_response(200)
    handler.end_headers()
    with suppress(OSError):
        for _ in range(1 << 14):
            handler.wfile.write(b"x" * 65536)


@pytest.mark.thorough
def test_a_provider_that_pours_is_cut_off(server: ServerProcess, provider: OidcProvider) -> None:
    """The user gets a sentence, and the server reads only some kilobytes. A repaired provider is asked again."""
    before = server.memory()
    provider.answers[DISCOVERY] = pour
    code, told = begin(server)
    assert (code, "sign-in through Ours is not possible now" in told["error"]) == (403, True)
    assert server.memory() - before < 64 * 1024 * 1024


@pytest.mark.thorough
def test_a_provider_that_is_added_counts_after_a_restart_that_keeps_connections(provider: OidcProvider) -> None:
    """The process that keeps them has the pages, and began before there was a provider."""
    with short_directory() as directory:
        config = directory / "tpserver.toml"
        keeps = "[server]\nkeep_connections = true\n"
        config.write_text(keeps)
        with ServerProcess(directory / "data", "--config", str(config)) as server:
            server.start()
            code, told = begin(server)
            assert (code, "has named none" in told["error"]) == (403, True)
            config.write_text(f"{keeps}{_config(directory, server, provider)}")
            server.wait_for("listens on .* data in ")
            said = len(server.said)
            assert ask_running(server.data, "restart", {})
            server.wait_for("listens on .* data in ", said)
            # Until the edge has found the new process whoever comes is told that the server is being replaced.
            server.wait_until(lambda: begin(server)[0] != 503, "is still being replaced")
            code, told = begin(server)
            assert (code, told["url"].startswith(provider.issuer)) == (200, True)
            assert server.stop() == 0


@pytest.mark.thorough
def test_a_provider_that_says_nothing_keeps_only_its_own_waiting(server: ServerProcess, provider: OidcProvider) -> None:
    """Pages are served meanwhile. The user gets a sentence after the seconds of a request."""
    asked: list[int] = []

    def hang(handler: Any) -> None:
        with urllib.request.urlopen(f"{server.url}healthz", timeout=10) as answer:
            asked.append(answer.status)
        provider.ended.wait(60)

    provider.answers[DISCOVERY] = hang
    code, told = begin(server)
    assert (code, "does not answer within" in told["error"]) == (403, True)
    assert asked == [200]
