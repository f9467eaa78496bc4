"""Endpoints and log lines of the server as a whole."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from twisted.logger import Logger, LogLevel

from tpserver.cli.log import Lines
from tpserver.config import load
from tpserver.endpoints import places_of, web_places_of


@pytest.mark.parametrize(
    ("said", "endpoints"),
    [
        ({}, ["tcp:6923:interface=127.0.0.1:backlog=1024"]),
        ({"listen.port": 0}, ["tcp:0:interface=127.0.0.1:backlog=1024"]),
        ({"listen.endpoints": ["tcp:1234"]}, ["tcp:1234"]),
        ({"listen.endpoints": ["tcp:1234"], "listen.port": 5}, ["tcp:5:interface=127.0.0.1:backlog=1024", "tcp:1234"]),
        ({"listen.address": "::1"}, [r"tcp:6923:interface=\:\:1:backlog=1024"]),
    ],
)
def test_where_the_server_listens(said: dict[str, Any], endpoints: list[str]) -> None:
    """The usual port unless endpoints are given; both if both are."""
    assert [place.endpoint for place in places_of(load(None, said))] == endpoints


@pytest.mark.parametrize(
    ("said", "endpoints"),
    [
        ({}, ["tcp:8080:interface=127.0.0.1:backlog=1024"]),
        ({"web.port": 0}, ["tcp:0:interface=127.0.0.1:backlog=1024"]),
        ({"web.address": "0.0.0.0"}, ["tcp:8080:interface=0.0.0.0:backlog=1024"]),
        ({"web.endpoint": "ssl:8443:privateKey=k.pem"}, ["ssl:8443:privateKey=k.pem"]),
        ({"web.endpoint": "off"}, []),
    ],
)
def test_where_browsers_connect(said: dict[str, Any], endpoints: list[str]) -> None:
    """One place or none; the usual port unless something else is said."""
    places = web_places_of(load(None, said))
    assert [place.endpoint for place in places] == endpoints
    assert all(place.schemes == ("http", "https") for place in places)


def test_a_certificate_adds_a_place_with_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("tpserver.endpoints.encrypted", lambda *given: asked.append(given) or "with TLS")
    config = load(None, {"tls.certificate": tmp_path / "server.pem", "tls.port": 0})
    assert places_of(config)[1:] == ["with TLS"]
    assert asked == [(tmp_path / "server.pem", None, 0, "127.0.0.1")]


def _logged(tracebacks: bool) -> str:
    out = io.StringIO()
    log = Logger(namespace="test", observer=Lines(out, tracebacks))
    log.info("{game}:\nbegun", game="lots")
    try:
        raise KeyError("lost")
    except KeyError:
        log.failure("it failed")
    log.emit(LogLevel.warn, "last")
    return out.getvalue()


def test_every_event_is_one_line() -> None:
    """Time, level and text; of a failure also what and where."""
    first, second, third = _logged(False).splitlines()
    assert first.split(maxsplit=2)[1:] == ["info", "lots: | begun"]
    assert second.split(maxsplit=2)[1] == "critical"
    assert "it failed: KeyError: 'lost' (test_app_parts.py line" in second
    assert third.split(maxsplit=2)[1:] == ["warn", "last"]


def test_tracebacks_are_shown_when_they_are_wanted() -> None:
    assert "Traceback" in _logged(True)
    assert "Traceback" not in _logged(False)
