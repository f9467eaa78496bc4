"""Publishing at a metaserver: the announcements, and hostile metaservers.

No metaserver harms the server.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.logger import LogEvent, formatEvent

from tests.support.receivers import answering, receiver
from tests.support.server import ServerProcess
from tpserver.config import ConfigError, load
from tpserver.http_client import Answer, Unanswered
from tpserver.publishing.listing import Location, PublicGame
from tpserver.publishing.publisher import SECRET, Publisher, key_of, read_secret, update_url

URL = "http://meta.example:8090/"
WAYS = [Location("tp", "games.example.org", 6923), Location("tp+http", "192.0.2.7", 8080)]


def game(name: str) -> PublicGame:
    return PublicGame(name, (("tp", "0.3,0.4"), ("rule", "tae & more"), ("ln", f"{name} at Friends"), ("sn", name)))


class Metaserver:
    """A metaserver in memory, which answers when the test says so; `asked` are the games of which it heard."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.pending: list[Deferred[Answer]] = []

    async def ask(self, method: str, url: str, headers: Any, body: bytes = b"") -> Answer:
        assert (method, body) == ("GET", b"")
        self.asked.append(parse_qs(urlsplit(url).query)["sn"][0])
        self.pending.append(Deferred())
        return await self.pending[-1]

    def answer(self, code: int = 200, body: bytes = b"") -> None:
        self.pending.pop(0).callback(Answer(code, {}, body))


class Publishing:
    """A publisher of two games in memory."""

    def __init__(self) -> None:
        self.clock, self.metaserver = Clock(), Metaserver()
        self.games: Sequence[PublicGame] = [game("one"), game("two")]
        self.ways: Sequence[Location] = WAYS
        self.publisher = Publisher(
            self.clock, self.metaserver, URL, b"s" * 32, 300, lambda: succeed((self.games, self.ways))
        )
        self.publisher.start()


@pytest.fixture
def publishing() -> Publishing:
    return Publishing()


def said(logged: list[LogEvent]) -> list[str]:
    return [str(formatEvent(event)) for event in logged]


def test_an_update_says_what_servers_of_2005_said() -> None:
    address = update_url("http://meta.example", "k", game("friday"), WAYS)
    assert address.startswith("http://meta.example/?")
    assert {key: value[0] for key, value in parse_qs(urlsplit(address).query, True).items()} == {
        "action": "update",
        "key": "k",
        "tp": "0.3,0.4",
        "rule": "tae & more",
        "ln": "friday at Friends",
        "sn": "friday",
        "type0": "tp",
        "dns0": "games.example.org",
        "ip0": "",
        "port0": "6923",
        "type1": "tp+http",
        "dns1": "192.0.2.7",
        "ip1": "192.0.2.7",
        "port1": "8080",
    }


def test_a_key_is_the_same_for_ever_and_of_no_use_elsewhere(tmp_path: Path) -> None:
    """The secret is made once, for its owner only; neither another metaserver nor another name has the same key."""
    secret = read_secret(tmp_path)
    assert read_secret(tmp_path) == secret
    assert len(secret) == 32
    assert stat.S_IMODE((tmp_path / SECRET).stat().st_mode) == 0o600
    keys = {key_of(secret, url, name) for url in (URL, "http://other/") for name in ("one", "two")}
    assert len(keys) == 4
    assert key_of(secret, URL, "one") == key_of(secret, URL, "one")
    assert secret.hex() not in "".join(keys)
    (tmp_path / SECRET).write_bytes(b"cut")
    assert len(read_secret(tmp_path)) == 32


def test_one_game_after_the_other_is_published_again_and_again(publishing: Publishing) -> None:
    asked = publishing.metaserver.asked
    assert asked == ["one"]
    publishing.metaserver.answer()
    assert asked == ["one", "two"]
    publishing.metaserver.answer()
    publishing.clock.advance(299)
    assert asked == ["one", "two"]
    publishing.clock.advance(1)
    assert asked == ["one", "two", "one"]


def test_a_metaserver_that_hangs_is_asked_no_more_until_it_is_given_up(publishing: Publishing) -> None:
    """Rounds do not pile up behind each other."""
    publishing.clock.advance(900)
    assert publishing.metaserver.asked == ["one"]


def test_what_is_not_answered_ends_the_round_and_is_told_once(publishing: Publishing, logged: list[LogEvent]) -> None:
    for _ in range(3):
        publishing.metaserver.pending.pop(0).errback(Unanswered("{who} does not answer within 20 s"))
        publishing.clock.advance(300)
    assert publishing.metaserver.asked == ["one"] * 4
    assert said(logged) == [f"the games are not published at {URL}: the metaserver does not answer within 20 s"]


def test_a_refusal_is_told_as_one_printable_line(publishing: Publishing, logged: list[LogEvent]) -> None:
    publishing.metaserver.answer(403, b"no\x1b[31m {key} \n" + b"x" * 10_000)
    (line,) = said(logged)
    assert line.startswith(f"the games are not published at {URL}: the metaserver answers with 403: no")
    assert line.isprintable()
    assert len(line) < 300


def test_when_all_is_well_again_that_is_told(publishing: Publishing, logged: list[LogEvent]) -> None:
    publishing.metaserver.answer(500)
    publishing.clock.advance(300)
    publishing.metaserver.answer()
    publishing.metaserver.answer()
    assert [line.rpartition(" ")[2] for line in said(logged)] == ["500", "again"]


def test_a_server_that_stops_drops_what_is_under_way(publishing: Publishing, logged: list[LogEvent]) -> None:
    publishing.publisher.stop()
    assert publishing.metaserver.pending[0].called
    publishing.clock.advance(1000)
    assert publishing.metaserver.asked == ["one"]
    assert said(logged) == []
    publishing.publisher.stop()


@pytest.mark.parametrize("lacking", ["games", "ways"])
def test_without_a_game_or_a_way_nothing_is_said(lacking: str) -> None:
    publishing = Publishing()
    publishing.publisher.stop()
    setattr(publishing, lacking, [])
    publishing.publisher.start()
    assert publishing.metaserver.asked == ["one"]


def test_a_metaserver_needs_to_be_told_where_players_go() -> None:
    with pytest.raises(ConfigError, match=r"metaserver\.host, where players reach the server, is not"):
        load(None, {"metaserver.url": URL})
    with pytest.raises(ConfigError, match=r"without \? and #"):
        load(None, {"metaserver.url": "http://meta.example/?x", "metaserver.host": "h"})
    assert load().metaserver.url == ""


@pytest.mark.thorough
def test_a_server_publishes_what_anybody_may_know_and_no_secret(directory: Path) -> None:
    """A server process goes on when a metaserver sends nonsense, and sends it no secret."""
    config = directory / "tpserver.toml"
    with receiver(answering(200, b"\0nonsense" * 100)) as meta:
        config.write_text(f'[metaserver]\nurl = "{meta.url}"\nhost = "127.0.0.1"\nevery_seconds = 60\n')
        with ServerProcess(directory / "data", "--no-parent", "--config", str(config), preloaded=True) as server:
            server.command("game", "create", "hidden", "--ruleset", "tae", "--seats", "2", "--join", "invited")
            server.command("game", "create", "friday", "--ruleset", "tae", "--seats", "2", "--seed", "topsecretseed")
            server.start()
            (request, *_) = meta.wait_for(1)
            words = {key: value[0] for key, value in parse_qs(urlsplit(request.path).query, True).items()}
            assert (words["sn"], words["rule"], words["type0"]) == ("friday", "tae", "tp")
            assert (words["port0"], words["dns0"]) == (str(server.port), "127.0.0.1")
            assert (words["type1"], words["port1"]) == ("tp+http", str(server.web_port))
            secret = (server.data / SECRET).read_bytes()
            told = "".join(one.path + str(one.headers) for one in meta.received)
            assert secret.hex() not in told
            assert "topsecret" not in told
            assert "hidden" not in told
            assert "friday" in server.command("game", "list")
