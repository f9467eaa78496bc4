"""Server search: at a metaserver and on the local network.

The response of a metaserver may be anything.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.metaserver.test_entries import PUBLIC, UPDATE
from tests.support.receivers import answering, pouring, receiver
from tests.support.server import ServerProcess, free_port
from tpclient import finding
from tpclient.cli import main
from tpclient.errors import BadArgument, ClientError
from tpclient.finding import FoundGame, Way, from_metaserver, read_list
from tpserver.metaserver.entries import Entries, frames

Captured = pytest.CaptureFixture[str]


def listed(**said: str) -> bytes:
    """The response of a metaserver that lists one game."""
    entries = Entries(lambda: 1_300_000_000.0)
    entries.update({**UPDATE, **said}, PUBLIC, ["games.example.org"])
    return frames(entries.all())


def test_a_list_is_read() -> None:
    (game,) = read_list(listed(), "http://meta")
    assert (game.name, game.rule, game.rule_version, game.server) == ("Friday", "MiniSec", "0.1", "tpserver-cpp 0.6")
    assert (game.address, game.login) == ("tp://games.example.org:6923", "tp")
    assert game.facts["plys"] == "4"
    assert read_list(frames([])) == []


def test_a_tunnel_is_no_address_of_ours() -> None:
    """The first way that this client goes is named, if there is one."""
    ways = Way("tp+http", "h", 80), Way("tps", "::1", 6924)
    assert FoundGame("g", "", "", "", {}, ways, "").address == "tps://[::1]:6924"
    assert FoundGame("g", "", "", "", {}, ways[:1], "").address == ""


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", "does not begin with a Sequence"),
        (b"<html>sorry</html>", "does not begin with a Sequence"),
        (listed()[:-1], "announces 1 games and has 0"),
        (struct.pack(">4sIIII", b"TP03", 1, 2, 4, 0xFFFFFFFF), "announces 4294967295 games"),
        (struct.pack(">4sIIII", b"TP03", 1, 2, 4, 1) + struct.pack(">4sIII", b"TP03", 1, 3, 0), "something else than"),
        (struct.pack(">4sIIII", b"TP03", 1, 2, 4, 1) + struct.pack(">4sIII", b"TP03", 1, 66, 0), "does not answer"),
        (struct.pack(">4sIIII", b"TP03", 1, 1, 8, 0) + struct.pack(">I", 0), "it says that it has failed"),
        (struct.pack(">4sIII", b"TP03", 1, 2, 1 << 31), "does not begin with"),
    ],
)
def test_an_answer_that_is_no_list_is_told_as_one_sentence(answer: bytes, reason: str) -> None:
    with receiver(answering(200, answer)) as meta, pytest.raises(ClientError, match=reason):
        from_metaserver(meta.url)


def test_an_answer_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "MOST_BYTES", 1 << 20)
    with receiver(pouring(b"HTTP/1.0 200 OK\r\n\r\n")) as meta, pytest.raises(ClientError, match="longer than"):
        from_metaserver(meta.url)


def test_a_metaserver_that_says_nothing_is_left_in_time() -> None:
    begun = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(ClientError, match="cannot be asked"):
        from_metaserver(f"http://127.0.0.1:{silent.getsockname()[1]}/", 0.5)
    assert time.monotonic() - begun < 30


def test_one_that_refuses_or_is_away_is_told() -> None:
    with receiver(answering(503)) as meta, pytest.raises(ClientError, match="answers with 503"):
        from_metaserver(meta.url)
    with pytest.raises(ClientError, match="cannot be asked"):
        from_metaserver(f"http://127.0.0.1:{free_port()}/", 5)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/", "host:80"])
def test_only_http_is_asked(url: str) -> None:
    with pytest.raises(BadArgument, match="a metaserver is named as http"):
        from_metaserver(url)


def test_what_cannot_be_asked_hides_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal asks everywhere, and names each place that does not answer."""

    def nowhere(seconds: float, interface: str) -> list[FoundGame]:
        raise ClientError("There is no network.")

    monkeypatch.setattr(finding, "on_lan", nowhere)
    with receiver(answering(200, listed())) as meta, receiver(answering(503)) as away:
        games, faults = finding.everywhere([away.url, meta.url])
    assert [game.name for game in games] == ["Friday"]
    assert [fault.partition(" ")[2] for fault in faults] == ["answers with 503, and no list.", "is no network."]


def test_the_command_lists_what_a_metaserver_has(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the words by which to join; nothing that others write can steer the terminal."""
    with receiver(answering(200, listed(cmt="come \u202e in"))) as meta:
        assert main(["servers", "--metaserver", meta.url]) == 0
        out = capsys.readouterr().out
        assert "Friday  MiniSec 0.1" in out
        assert "tp://games.example.org:6923  NAME@tp" in out
        assert "\u202e" not in out
        monkeypatch.setenv("TPCLIENT_METASERVER", meta.url)
        assert main(["servers", "--json"]) == 0
        told: Any = json.loads(capsys.readouterr().out)
    assert (told["name"], told["address"]) == ("Friday", "tp://games.example.org:6923")
    assert told["ways"] == [{"kind": "tp", "host": "games.example.org", "port": 6923}]


def test_the_command_fails_with_a_sentence(capsys: Captured) -> None:
    assert main(["servers", "--metaserver", "nonsense"]) == 2
    assert capsys.readouterr().err == "tpclient: 'nonsense': a metaserver is named as http://HOST:PORT/.\n"


@pytest.mark.thorough
@pytest.mark.waits
def test_the_command_lists_what_is_announced_on_the_network(directory: Path, capsys: Captured) -> None:
    """A server on the loopback interface: one game with two ways to it is one line."""
    name = f"game-{uuid4().hex[:8]}"
    config = directory / "tpserver.toml"
    config.write_text('[lan]\nannounce = "on"\ninterface = "127.0.0.1"\n')
    with ServerProcess(directory / "data", "--no-parent", "--config", str(config), preloaded=True) as server:
        server.start()
        server.create_game(name, "tae", 2)
        mine: list[Any] = []
        for _ in range(20):  # names are probed before they are announced
            assert main(["servers", "--lan", "--interface", "127.0.0.1", "--json"]) == 0
            found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
            mine = [game for game in found if game["facts"].get("sn") == name]
            if mine and len(mine[0]["ways"]) == 2:
                break
    (game,) = mine
    assert (game["name"], game["rule"], game["source"]) == (f"{name} at tpserver", "tae", "lan")
    assert game["address"] == f"tp://127.0.0.1:{server.port}"
    assert [way["kind"] for way in game["ways"]] == ["tp", "tp+http"]
