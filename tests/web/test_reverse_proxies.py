"""The documented nginx and Caddy in front of a server.

No header lets a client choose its address.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from websockets.sync.client import connect

from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.process import SECONDS, Process
from tests.support.server import HOST, ServerProcess, free_port, short_directory

PAGE = Path(__file__).parents[2] / "tpserver" / "HOSTING.md"
STRANGER, OTHER = "127.0.0.2", "127.0.0.3"
"""Addresses from which clients come; that of the proxy is 127.0.0.1."""

FORGED = {
    "Forwarded": "for=198.51.100.1",
    "X-Forwarded-For": "198.51.100.2, 198.51.100.3",
    "X-Real-IP": "198.51.100.4",
    "True-Client-IP": "198.51.100.5",
    "Via": "1.1 198.51.100.6",
}

NGINX = """
daemon off; worker_processes 1; pid nginx.pid; error_log stderr;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    {block}
}}
"""


def documented(language: str) -> str:
    """Return the block of a language on the page for operators."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return str(block)


def nginx(directory: Path, port: int, web_port: int) -> tuple[str, ...]:
    """Write the documented configuration without TLS; return the command."""
    block = re.sub(r"ssl_certificate(_key)? \S+;", "", documented("nginx")).replace(":8080", f":{web_port}")
    block = block.replace("listen 443 ssl;", f"listen {HOST}:{port};")
    (directory / "nginx.conf").write_text(NGINX.format(block=block))
    return "nginx", "-e", "stderr", "-p", str(directory), "-c", str(directory / "nginx.conf")


def caddy(directory: Path, port: int, web_port: int) -> tuple[str, ...]:
    block = documented("caddy").replace("games.example.org", f"http://:{port}").replace(":8080", f":{web_port}")
    (directory / "Caddyfile").write_text(f"{{\n    admin off\n    auto_https off\n}}\n{block}")
    return "caddy", "run", "--adapter", "caddyfile", "--config", str(directory / "Caddyfile")


@pytest.fixture(params=[nginx, caddy], ids=["nginx", "caddy"])
def proxied(request: pytest.FixtureRequest) -> Iterator[tuple[ServerProcess, int]]:
    """A server that lets a network have one connection, and the port of the proxy in front of it."""
    program = request.param.__name__
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}")
    with short_directory() as directory:
        configuration = directory / "server.toml"
        configuration.write_text(f'[proxy]\naddresses = ["{HOST}"]\n[limits]\nconnections_per_address = 1\n')
        words = ("--no-parent", "--accounts", "closed", "--config", str(configuration))
        with ServerProcess(directory / "data", *words, preloaded=True) as server:
            server.start()
            port = free_port()
            with Process(*request.param(directory, port, server.web_port), log=directory / "proxy.log") as proxy:
                proxy.spawn()
                proxy.wait_until(lambda: listens(port), "does not listen")
                yield server, port


def listens(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex((HOST, port)) == 0


def status(port: int, address: str, headers: dict[str, str]) -> int:
    """Return the status of a request from an address."""
    connection = HTTPConnection(HOST, port, timeout=SECONDS, source_address=(address, 0))
    connection.request("GET", "/healthz", headers=headers)
    with connection.getresponse() as response:
        response.read()
    connection.close()
    return response.status


@pytest.mark.thorough
@pytest.mark.parametrize("headers", [{}, FORGED, *({name: value} for name, value in FORGED.items())], ids=",".join)
def test_no_header_of_a_client_is_its_address(proxied: tuple[ServerProcess, int], headers: dict[str, str]) -> None:
    """Over a WebSocket, as the log says, and over HTTP, where its network has had its connections already."""
    server, port = proxied
    with connect(
        f"ws://{HOST}:{port}/ws",
        subprotocols=["tp.json"],  # type: ignore[list-item] # a type of its own
        additional_headers=headers,
        source_address=(STRANGER, 0),
    ) as socket:
        for sequence, asked in enumerate(
            ({"connect": {"client": "a"}}, {"login": {"username": "a", "password": "b"}}), 1
        ):
            socket.send(json.dumps({"sequence": sequence, **asked}))
            socket.recv(SECONDS)
        server.wait_for(rf"a login from {re.escape(STRANGER)} was refused")
        assert status(port, STRANGER, headers) == 503
        assert status(port, STRANGER, {"X-Forwarded-For": OTHER}) == 503
        assert status(port, OTHER, headers) == 200
        assert "198.51.100" not in server.said


def test_nginx_accepts_the_documented_configuration_with_tls(tmp_path: Path) -> None:
    if shutil.which("nginx") is None:
        pytest.skip("there is no nginx")
    pem = tmp_path / "pem"
    key = new_key()
    pem.write_bytes(certificate_pem(key) + private_pem(key))
    block, files = re.subn(r"(ssl_certificate(?:_key)?) \S+;", rf"\1 {pem};", documented("nginx"))
    block, ports = re.subn("listen 443 ssl;", f"listen {HOST}:{free_port()} ssl;", block)
    assert (files, ports) == (2, 1)
    (tmp_path / "nginx.conf").write_text(NGINX.format(block=block))
    words = ("nginx", "-t", "-e", "stderr", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"))
    tried = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert tried.returncode == 0, tried.stderr
