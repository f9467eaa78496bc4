"""A metaserver over HTTP: in memory, and as a separate program.

A server publishes at the program.
"""

from __future__ import annotations

import json
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock

from tests.metaserver.test_entries import OTHER, PUBLIC, UPDATE, OldReader
from tests.support.connections import Transport
from tests.support.process import TPSERVER, Process
from tests.support.server import ServerProcess, free_port
from tests.web.web_in_memory import Answer, read_answer
from tpclient.finding import from_metaserver
from tpserver.metaserver import entries
from tpserver.metaserver.entries import LIVES_SECONDS, Entries
from tpserver.metaserver.service import LIMITS
from tpserver.metaserver.site import BODY_BYTES, MOST_FIELDS, UPDATES_AT_ONCE, UPDATES_PER_NETWORK, List, page
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.web.connection import WebFactory
from tpserver.wire.web.http import WebSite


class Site:
    """A metaserver in memory; `names` are the addresses of names. Those of `slow` resolve when the test says so."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.entries = Entries(lambda: 1_300_000_000.0 + self.clock.seconds())
        self.names = {"games.example.org": [PUBLIC]}
        self.slow: dict[str, Deferred[list[str]]] = {}
        self.changes = 0
        connections = ConnectionFactory(lambda *given: None, LIMITS, self.clock)  # type: ignore[arg-type, return-value]
        root = List(self.entries, self._resolve, self._changed)
        self.factory = WebFactory(connections, WebSite(connections, root, self.clock, BODY_BYTES))

    def _resolve(self, host: str) -> Deferred[list[str]]:
        return self.slow[host] if host in self.slow else succeed(self.names.get(host, []))

    def _changed(self) -> None:
        self.changes += 1

    def line(self, address: str = PUBLIC) -> Transport:
        return Transport(self.factory.buildProtocol(None), address, polite=True)

    def ask(self, path: str, body: bytes | None = None, address: str = PUBLIC, method: str = "") -> Answer:
        line = self.line(address)
        method = method or ("GET" if body is None else "POST")
        length = "" if body is None else f"Content-Length: {len(body)}\r\n"
        line.protocol.dataReceived(f"{method} {path} HTTP/1.0\r\nHost: m\r\n{length}\r\n".encode() + (body or b""))
        return read_answer(line.read_all())

    def update(self, address: str = PUBLIC, **said: str) -> Answer:
        return self.ask(f"/?{urlencode({**UPDATE, **said})}", None, address)


@pytest.fixture
def site() -> Site:
    return Site()


def test_a_server_is_listed_and_read_by_old_and_new(site: Site) -> None:
    """As frames, as JSON and as a page."""
    answer = site.update()
    assert (answer.code, answer.body) == (200, b"Friday is listed.\n")
    assert site.changes == 1
    (game,) = OldReader(site.ask("/?action=get").body).games()
    assert (game["name"], game["ways"]) == ("Friday", [("tp", "games.example.org", PUBLIC, 6923)])
    (game,) = json.loads(site.ask("/servers.json").body)["servers"]
    assert (game["name"], game["rule"], game["ways"][0]["port"]) == ("Friday", "MiniSec", 6923)
    assert "tp://games.example.org:6923" in site.ask("/").body.decode()


def test_programs_of_2005_ask_and_publish_by_post_as_well(site: Site) -> None:
    """The request is that of urllib of that time for urlopen(url, urlencode(...))."""
    assert site.ask("/", urlencode(UPDATE).encode()).code == 200
    assert len(OldReader(site.ask("/", b"action=get").body).games()) == 1


def test_a_name_that_leads_elsewhere_is_not_listed(site: Site) -> None:
    """Nobody gets others' machines onto the list; the address from which it was asked is."""
    assert site.update(dns0="bank.example").code == 200
    assert site.update(OTHER, ln="Another", ip0=PUBLIC).code == 200
    ways = {entry.name: (entry.ways[0].dns, entry.ways[0].ip) for entry in site.entries.all()}
    assert ways == {"Friday": (PUBLIC, PUBLIC), "Another": (OTHER, OTHER)}


def test_a_name_that_takes_long_holds_nobody_else_up(site: Site) -> None:
    site.slow["games.example.org"] = Deferred()
    line = site.line()
    line.protocol.dataReceived(f"GET /?{urlencode(UPDATE)} HTTP/1.0\r\n\r\n".encode())
    assert line.read_all() == b""
    assert site.ask("/").code == 200
    site.slow["games.example.org"].callback([PUBLIC])
    assert read_answer(line.read_all()).code == 200


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/?action=remove", None, 400),
        ("/?action=update", None, 400),
        ("/?" + "&".join(f"a{n}=1" for n in range(MOST_FIELDS + 1)), None, 400),
        ("/?action=%ff", None, 400),
        ("/", b"\xff=", 400),
        ("/nowhere", None, 404),
        ("/", b"x" * (BODY_BYTES + 1), 413),
        ("/?x=" + "x" * 20_000, None, 400),
    ],
)
def test_nonsense_is_refused(site: Site, path: str, body: bytes | None, code: int) -> None:
    assert site.ask(path, body).code == code
    assert site.entries.all() == []


def test_who_is_refused_is_told_why_with_a_code(site: Site) -> None:
    site.update()
    answer = site.update(OTHER, key="other")
    assert (answer.code, b"this key is not its own" in answer.body) == (403, True)
    assert site.ask("/", None, method="PUT").code == 405
    assert site.changes == 1


def test_the_page_shows_no_markup_of_strangers(site: Site) -> None:
    evil = "<script>alert(1)</script>"
    site.update(ln=evil, cmt='"><img src=x>', rule="<b>", sertype="&amp;")
    text = page(site.entries.all()).decode()
    assert "<script" not in text
    assert "<img" not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in site.ask("/").headers["content-security-policy"]


def test_an_update_has_only_its_own_entry_written_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeated requests cost others little. Forgotten or renewed entries are not listed in their old form."""
    written: list[str] = []
    usual = entries.listed_game

    def counted(entry: Any) -> Any:
        written.append(entry.name)
        return usual(entry)

    monkeypatch.setattr(entries, "listed_game", counted)
    for number in range(20):
        site.update(ln=f"game {number}")
    assert len({site.ask("/?action=get").body for _ in range(5)}) == 1
    assert len(written) == 20
    written.clear()
    for players in range(5):
        site.update(ln="game 7", plys=str(players))
        games = OldReader(site.ask("/?action=get").body).games()
        assert [game["more"][1] for game in games if game["name"] == "game 7"] == [players]
    assert written == ["game 7"] * 5
    for path in ("/servers.json", "/"):
        assert site.ask(path).body.count(b"game ") == 20
    site.clock.advance(LIVES_SECONDS + 1)
    assert OldReader(site.ask("/?action=get").body).games() == []


def test_updates_whose_names_take_long_are_few(site: Site) -> None:
    """Of an address; others go on, and so does that one when its names are known."""
    site.slow["slow.example.org"] = Deferred()
    for number in range(UPDATES_PER_NETWORK):
        said = urlencode({**UPDATE, "ln": f"slow {number}", "dns0": "slow.example.org"})
        site.line().protocol.dataReceived(f"GET /?{said} HTTP/1.0\r\nHost: m\r\n\r\n".encode())
    assert site.update().code == 503
    assert site.update(OTHER).code == 200
    for number in range(UPDATES_PER_NETWORK, UPDATES_AT_ONCE // 2):
        said = urlencode({**UPDATE, "ln": f"slow {number}", "dns0": "slow.example.org"})
        line = site.line(f"9.9.{number // UPDATES_PER_NETWORK}.9")
        line.protocol.dataReceived(f"GET /?{said} HTTP/1.0\r\nHost: m\r\n\r\n".encode())
    assert site.update("9.9.1.10").code == 503, "the other half is for networks that have none"
    assert site.update("9.10.1.10", ln="new").code == 200
    site.slow.pop("slow.example.org").callback([])
    assert site.update(ln="again").code == 200


# --- as programs of their own -----------------------------------------------------------------------------------------


@pytest.fixture
def metaserver(directory: Path) -> Iterator[tuple[Process, str]]:
    """`tpserver metaserver`, with its address; its list is kept in list.json."""
    port = free_port()
    words = ["metaserver", "--port", port, "--file", directory / "list.json"]
    with Process(TPSERVER, *words, log=directory / "metaserver.log") as process:
        process.spawn()
        process.wait_for("the metaserver listens on http://127.0.0.1:")
        yield process, f"http://127.0.0.1:{port}/"


def read(url: str, **form: str) -> bytes:
    body = urlencode(form).encode() if form else None
    with urllib.request.urlopen(url, body, timeout=60) as answer:
        data: Any = answer.read()
    return bytes(data)


@pytest.mark.thorough
def test_a_server_publishes_and_an_old_program_finds_it(metaserver: tuple[Process, str], directory: Path) -> None:
    """From the server's configuration to what libtpproto-py reads; the list outlives the metaserver."""
    process, url = metaserver
    config = directory / "tpserver.toml"
    config.write_text(f'[server]\nname = "Friends"\n[metaserver]\nurl = "{url}"\nhost = "127.0.0.1"\n')
    with ServerProcess(directory / "data", "--no-parent", "--config", str(config), preloaded=True) as server:
        server.create_game("friday", "tae", 2)
        server.start()
        process.wait_until(lambda: b"friday" in read(f"{url}servers.json"), "lists nothing")
        (game,) = OldReader(read(url, action="get")).games()
        assert (game["name"], game["rule"]) == ("friday at Friends", "tae")
        assert game["ways"][0] == ("tp", "127.0.0.1", "127.0.0.1", server.port)
        (found,) = from_metaserver(url)
        assert (found.address, found.login) == (f"tp://127.0.0.1:{server.port}", "friday")
    assert process.stop(signal.SIGTERM) == 0
    assert "friday" in (directory / "list.json").read_text("utf-8")
    process.spawn()
    process.wait_until(lambda: process.said.count("the metaserver listens on") == 2, "does not start again")
    assert b"friday" in read(f"{url}servers.json")


def test_a_list_that_cannot_be_kept_is_told_at_the_start(directory: Path) -> None:
    """Not hours later, in a log, when the list of all servers is lost."""
    words = ["metaserver", "--port", "0", "--file", directory / "nowhere" / "list.json"]
    with Process(TPSERVER, *words, log=directory / "metaserver.log") as process:
        process.spawn()
        process.wait_until(lambda: not process.is_running, "goes on")
        assert "the list cannot be kept in" in process.said
        assert "--file names another" in process.said


@pytest.mark.thorough
def test_a_list_that_cannot_be_read_is_not_overwritten(directory: Path) -> None:
    (directory / "list.json").write_text("something else")
    words = ["metaserver", "--port", "0", "--file", directory / "list.json"]
    with Process(TPSERVER, *words, log=directory / "metaserver.log") as process:
        process.spawn()
        process.wait_until(lambda: not process.is_running, "goes on")
        assert "list.json cannot be read" in process.said
    assert (directory / "list.json").read_text() == "something else"
