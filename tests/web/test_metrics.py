"""Metrics for Prometheus and the JSON log of a server with players."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.support.receivers import answering, receiver
from tests.support.server import HOST, ServerProcess, free_port
from tests.support.wire import Client, Failed
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB


@pytest.fixture
def watched(live: Callable[..., ServerProcess], tmp_path: Path) -> tuple[ServerProcess, str]:
    """A server with metrics and a log of JSON, and where the metrics are."""
    port = free_port()
    notices = '[notices]\nwebhooks = "on"\n'
    (tmp_path / "tp.toml").write_text(f'[metrics]\nport = {port}\n[log]\nformat = "json"\n{notices}')
    server = live("--config", str(tmp_path / "tp.toml"), "--web", "off", "--accounts", "register")
    server.start()
    return server, f"http://{HOST}:{port}/metrics"


def numbers(url: str) -> dict[str, float]:
    with urlopen(url, timeout=60) as answer:
        text = answer.read().decode()
    return {
        name: float(value)
        for name, _, value in (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    }


def test_what_has_happened_is_counted_and_logged(watched: tuple[ServerProcess, str]) -> None:
    """Logins, refused ones, seats, orders, turns with their time; and no password is in the log."""
    server, url = watched
    server.command("account", "add", "ann", "--password", "SecretWord")
    server.create_game("lots", "auction", 1, rounds=3)
    client = Client(server.port)
    try:
        client.one("connect", tp.Connect(client="test"), tp.Okay)
        with pytest.raises(Failed):
            client.one("login", tp.Login(username="ann", password="WrongWord"), tp.Okay)
        client.one("login", tp.Login(username="ann@lots", password="SecretWord"), tp.Okay)
        client.one("finished_turn", tp.FinishedTurn(), tp.Okay)
        server.wait_for("lots: turn 0 was closed")
    finally:
        client.close()
    found = numbers(url)
    assert found["tpserver_logins_total"] == 1
    assert found["tpserver_refused_logins_total"] == 1
    assert found["tpserver_seats_taken_total"] == 1
    assert found["tpserver_turn_seconds_count"] == 1
    assert found['tpserver_turn_seconds_bucket{le="+Inf"}'] == 1
    assert found["tpserver_frames_total"] >= 4
    assert found['tpserver_games{state="running"}'] == 1
    assert found["tpserver_store_queue"] == 0
    assert found["tpserver_memory_bytes"] > 1e6
    lines = [json.loads(line) for line in server.said.splitlines() if line.startswith("{")]
    told = {line["facts"].get("event"): line for line in lines}
    assert told["login"]["text"] == f"ann has logged in from {HOST} to lots, player 1"
    assert told["refused login"]["text"].startswith(f"a login from {HOST} was refused: wrong user name or password")
    assert told["seat"]["text"] == "lots: ann is player 1"
    assert re.fullmatch(r"lots: turn 0 was closed in [\d.]+ s", told["turn"]["text"])
    assert told["turn"]["facts"]["game"] == "lots"
    assert "SecretWord" not in server.said
    assert "WrongWord" not in server.said


@pytest.mark.thorough
def test_notices_that_do_not_arrive_are_counted(live: Callable[..., ServerProcess], tmp_path: Path) -> None:
    """By their channel, and the address that was given up for it."""
    port = free_port()
    notices = '[notices]\nwebhooks = "on"\nown_network = "allowed"\n'
    (tmp_path / "tp.toml").write_text(f"[metrics]\nport = {port}\n{notices}")
    server = live("--config", str(tmp_path / "tp.toml"), "--web", "off")
    server.start()
    server.command("account", "add", "ann", "--password", "SecretWord")
    with receiver(answering(410)) as hook, closing(Client(server.port, PB)) as client:
        client.one("connect", tp.Connect(client="test"), tp.Okay)
        client.one("login_account", tp.LoginAccount(username="ann", password="SecretWord"), tp.Account)
        client.one("add_notice_address", tp.AddNoticeAddress(kind="json", target=hook.url), tp.NoticeAddress)
        server.wait_for("is given up")
    found = numbers(f"http://{HOST}:{port}/metrics")
    assert found['tpserver_failed_deliveries_total{channel="json"}'] == 1
    assert found['tpserver_channels_down{channel="json"}'] == 0


def test_nothing_else_is_there(watched: tuple[ServerProcess, str]) -> None:
    _, url = watched
    with pytest.raises(HTTPError) as refused:
        urlopen(url.removesuffix("metrics"), timeout=60)
    assert refused.value.code == 404


DASHBOARD = Path(__file__).parents[2] / "tpserver" / "dashboard.json"


def test_the_dashboard_asks_for_what_there_is(watched: tuple[ServerProcess, str]) -> None:
    """A server has each metric that it names."""
    _, url = watched
    told = {re.sub(r"[{].*", "", name) for name in numbers(url)} | {"tpserver_games"}
    asked = set(re.findall(r"tpserver_\w+", " ".join(re.findall(r'"expr": "(.*)"', DASHBOARD.read_text()))))
    assert len(asked) > 12
    assert asked <= told
