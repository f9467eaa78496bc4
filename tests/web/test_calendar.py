"""/calendar/TOKEN.ics: the feed of a token with its tag.

The response is 304 if the client has that tag, and a bare 404 for an unknown token.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from icalendar import Calendar
from web_in_memory import WebServer

from tests.support.server import HOST, ServerProcess
from tests.support.wire import Client
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB
from tpserver.store import StoreError


class Feed:
    written = 0

    def find(self, token: str) -> tuple[str, Callable[[], bytes]] | None:
        return ("a1", self.write) if token == "right" else None

    def write(self) -> bytes:
        self.written += 1
        return b"BEGIN:VCALENDAR\r\n"


def test_a_feed_is_told_once_to_whoever_keeps_its_tag() -> None:
    server, feed = WebServer(), Feed()
    assert server.get("/calendar/right.ics").code == 404, "a server that is starting knows no token"
    server.root.show_calendars(feed)
    answer = server.get("/calendar/right.ics")
    assert (answer.code, answer.body) == (200, b"BEGIN:VCALENDAR\r\n")
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert answer.headers["cache-control"] == "private, no-cache"
    assert answer.headers["etag"] == '"a1"'
    known = server.get("/calendar/right.ics", If_None_Match='"a0", W/"a1"')
    assert (known.code, known.body, feed.written) == (304, b"", 1)
    assert server.get("/calendar/right.ics", If_None_Match='"a0"').code == 200
    for path in ("/calendar/wrong.ics", "/calendar/", "/calendar", "/calendar/right.ics/x", "/calendar/x/right.ics"):
        assert server.get(path).code == 404, path
    assert server.get("/calendar/right.ics", method="PUT").code == 405


def test_a_store_that_cannot_be_read_is_said() -> None:
    class Broken:
        def find(self, token: str) -> Any:
            raise StoreError("The disk is gone.", code="gone")

    server = WebServer()
    server.root.show_calendars(Broken())
    assert server.get("/calendar/x.ics").code == 503


@pytest.mark.thorough
def test_a_calendar_program_reads_a_real_server(live: Callable[..., ServerProcess], tmp_path: Path) -> None:
    """With the link that a frame brings, at the web port; and the log has no token."""
    (tmp_path / "tp.toml").write_text('[notices]\nsite = "https://games.example.org/"\n')
    server = live("--config", str(tmp_path / "tp.toml"), "--accounts", "open")
    server.start()
    server.create_game("first", "auction", 1, clock="interval:86400")
    with closing(Client(server.port, PB)) as client:
        client.one("connect", tp.Connect(client="test"), tp.Okay)
        client.one("login", tp.Login(username="ann@first", password="SecretWord"), tp.Okay)
        assert client.one("get_calendar", tp.GetCalendar(), tp.Calendar) == tp.Calendar(offered=True)
        made = client.one("make_calendar", tp.MakeCalendar(), tp.Calendar)
        assert client.one("get_calendar", tp.GetCalendar(), tp.Calendar) == tp.Calendar(offered=True, made=made.made)
    assert made.url == f"https://games.example.org{made.path}"
    url = f"http://{HOST}:{server.web_port}{made.path}"
    with urlopen(Request(url), timeout=60) as answer:
        (event,) = Calendar.from_ical(answer.read()).events
        assert re.fullmatch(r'"[0-9a-f]{32}"', answer.headers["ETag"])
    assert str(event["summary"]) == "Turn 0 of first is due"
    assert made.path.split("/")[2].removesuffix(".ics") not in server.said
