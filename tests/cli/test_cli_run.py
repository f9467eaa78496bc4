"""`tpserver run`: start, stop, bots, and the reasons of a failed start."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.support.process import Process

Run = Callable[..., Any]


@pytest.fixture
def serve(start: Callable[..., Process], data: Path) -> Callable[..., Process]:
    """Start ``tpserver run`` as an operator does, with its supervisor, and wait until it listens."""

    def serve(*arguments: object) -> Process:
        server = start("run", "--data", data, "--port", "0", "--web-port", "0", *arguments)
        server.wait_for(r"listens on (.+?); data in")
        return server

    return serve


def _lots(tpserver: Run, data: Path, *more: object) -> None:
    made = tpserver("game", "create", "lots", "--ruleset", "auction", "--data", data, *more)
    assert made.code == 0, made.err


@pytest.mark.parametrize("by", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.thorough)])
def test_a_server_stops_cleanly(serve: Any, by: signal.Signals, tmp_path: Path) -> None:
    """Code 0, connections closed, and a last line that says so."""
    (tmp_path / "tp.toml").write_text("[limits]\nfarewell_seconds = 0.1\n")
    server = serve("--config", tmp_path / "tp.toml")
    host, port = server.wait_for(r"listens on tp://(\S+):(\d+);").groups()
    with socket.create_connection((host, int(port)), timeout=240) as client:
        client.sendall(b"TP03\x00\x00\x00\x01\x00\x00\x00\x1b\x00\x00\x00\x00")
        assert client.recv(4) == b"TP03"
        assert server.stop(by) == 0
        while client.recv(4096):
            pass
    assert "stopped; everything is saved" in server.said
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)), timeout=240)


def test_rulesets_that_cannot_be_used_are_told_in_a_sentence_each(serve: Any) -> None:
    server = serve()
    assert re.search(r"error +ruleset missing cannot be used: loading .* ModuleNotFoundError", server.said)
    assert "ruleset nameless cannot be used: it does not declare a version of its own" in server.said
    assert "Traceback" not in server.said


@pytest.mark.thorough
def test_a_second_server_on_the_same_data_is_refused(serve: Any, process: Run, data: Path) -> None:
    """The refusal names the running process, which stops when asked."""
    first = serve()
    said = process("run", "--data", data, "--port", "0", "--web", "off")
    assert said.code == 1
    found = re.search(r"is in use by process (\d+)\.", said.err.splitlines()[-1])
    assert found
    assert int(found[1]) in first.children()
    os.kill(int(found[1]), signal.SIGTERM)
    assert first.end() == 0


@pytest.mark.thorough
def test_bots_play_a_game_made_while_the_server_runs(
    start: Any, tpserver: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots are no clients: they need no port that they could come in by."""
    monkeypatch.chdir(tmp_path)
    server = start("run", "--data", data, "--listen", "unix:tp.socket", "--web", "off")
    server.wait_for(r"listens on unix:tp.socket; data in")
    _lots(tpserver, data, "--seats", "2", "--bots", "2")
    shown = _until_turn(tpserver, data, 5)
    assert "state      over" in shown
    assert re.search(r"1  bot-1 \(bot\)", shown)
    assert server.stop() == 0


@pytest.mark.thorough
def test_bots_go_on_with_the_next_server(serve: Any, tpserver: Run, data: Path) -> None:
    """After a server was killed, too."""
    _lots(tpserver, data, "--seats", "1", "--bots", "1", "--option", "rounds=1000")
    server = serve()
    turn = _turn(_until_turn(tpserver, data, 2))
    server.stop(signal.SIGKILL)
    server = serve()
    _until_turn(tpserver, data, turn + 2)
    assert server.stop() == 0


def _turn(shown: str) -> int:
    found = re.search(r"turn +(\d+):", shown)
    assert found
    return int(found[1])


def _until_turn(tpserver: Run, data: Path, turn: int) -> str:
    for _ in range(2000):
        shown = str(tpserver("game", "show", "lots", "--data", data).out)
        if _turn(shown) >= turn:
            return shown
    raise AssertionError(f"the game does not come to turn {turn}:\n{shown}")


@pytest.mark.thorough
def test_a_database_that_is_removed_under_a_server_is_told_everywhere(
    serve: Any, process: Run, tpserver: Run, data: Path
) -> None:
    """In the log, by /healthz and `game list`, at the end and at the next start; nothing is said to be saved."""
    server = serve()
    web = server.wait_for(r"browsers: (http://\S+?)[;/]").group(1)
    with urlopen(f"{web}/healthz", timeout=30) as answer:
        assert json.load(answer)["status"] == "ok"
    (data / "tpserver.sqlite").unlink()
    server.wait_for(r"critical .*tpserver\.sqlite was removed, moved or replaced while the server ran")
    with pytest.raises(HTTPError) as failing:
        urlopen(f"{web}/healthz", timeout=30)
    assert failing.value.code == 503
    assert json.load(failing.value)["problem"] == "the database is gone, and nothing is saved"
    for command in (("game", "list"), ("account", "add", "ann", "--password", "word")):
        refused = tpserver(*command, "--data", data)
        assert refused.code == 1
        assert "nothing is saved now" in refused.err
    assert server.stop() == 1
    assert "everything is saved" not in server.said.replace("not everything is saved", "")
    assert "stopped, but not everything is saved" in server.said
    again = process("run", "--data", data, "--port", "0", "--web", "off")
    assert again.code == 1
    assert "is missing, but there was one" in again.err
    assert not (data / "tpserver.sqlite").exists()
