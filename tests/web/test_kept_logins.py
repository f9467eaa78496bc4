"""The cookie of a kept login: set, sent by the WebSocket, and revoked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from twisted.internet.defer import Deferred
from web_in_memory import HOST, Answer, WebServer

from tpserver.accounts.kept_logins import KeptLogins
from tpserver.store import Store
from tpserver.store.people import accounts, logins
from tpserver.wire.web.resources import Origins

ORIGIN = f"http://{HOST}"
NAME = "tp-login-8080"
"""Of the cookie: with the port of HOST."""


class Kept:
    """A server for browsers with a database in which ann has an account."""

    def __init__(self, path: Path) -> None:
        self.store = Store.open(f"sqlite:///{path}", reactor=None)
        self.store.write(accounts.add, "ann", "h", now=1.0)
        self.server = WebServer(origins=Origins(["https://games.example.org"]))
        self.logins = KeptLogins(self.store, self.server.clock.seconds, self.server.clock.seconds)
        self.ended: list[int] = []
        self.server.root.keep_logins(self.logins, self.ended.extend)

    def ticket(self) -> str:
        return self.logins.ticket(1, "a browser", SimpleNamespace(kept_login=0))

    def log_in(self, ticket: str, **headers: str) -> Answer:
        return self.server.post("/login", json.dumps({"ticket": ticket}).encode(), **{"Origin": ORIGIN, **headers})

    def log_out(self, cookie: str, **headers: str) -> Answer:
        return self.server.post("/logout", b"{}", **{"Origin": ORIGIN, "Cookie": cookie, **headers})

    def count(self) -> int:
        return len(self.store.read(logins.of_account, 1))


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    made = Kept(tmp_path / "store.sqlite")
    yield made
    made.store.close()


def attributes(answer: Answer) -> tuple[str, set[str]]:
    """Return the pair of name and value of a Set-Cookie header, and its attributes."""
    pair, *words = answer.headers["set-cookie"].split("; ")
    return pair, set(words)


def test_a_ticket_becomes_a_cookie_that_no_script_and_no_other_site_gets(kept: Kept) -> None:
    answer = kept.log_in(kept.ticket())
    pair, words = attributes(answer)
    assert (answer.code, json.loads(answer.body)) == (200, {}), "the token is in the header alone"
    assert pair.startswith(f"{NAME}=")
    assert words == {"Max-Age=34560000", "Path=/", "HttpOnly", "SameSite=Strict"}
    assert answer.headers["cache-control"] == "no-store"


def test_behind_tls_the_cookie_is_for_encrypted_connections_only(kept: Kept) -> None:
    """A proxy ends the encryption, so the origin of the page shows it."""
    answer = kept.log_in(kept.ticket(), Origin="https://games.example.org")
    pair, words = attributes(answer)
    assert pair.startswith(f"__Host-{NAME}=")
    assert {"Secure", "Path=/"} <= words and not any(word.startswith("Domain") for word in words)


def test_a_cookie_of_the_old_name_is_replaced_by_the_handshake_and_by_each_response(kept: Kept) -> None:
    """Over TLS the old name logs in, and ends in the same response; the new one goes before it. Elsewhere it stays."""
    secure = {"Origin": "https://games.example.org"}
    token = attributes(kept.log_in(kept.ticket()))[0].partition("=")[2]
    shaken = kept.server.ask(handshake(f"{NAME}={token}", **secure))
    assert [session.token for session in kept.server.sessions] == [token]
    assert shaken.code == 101
    renewed, ended = shaken.all_of("set-cookie")
    assert renewed.startswith(f"__Host-{NAME}={token}; Max-Age=34560000; Path=/; HttpOnly") and "; Secure" in renewed
    assert ended.startswith(f"{NAME}=; Max-Age=0; Path=/")
    both = f"{NAME}=planted; __Host-{NAME}={token}"
    assert kept.server.ask(handshake(both, **secure)).all_of("set-cookie") == []
    assert kept.server.sessions[-1].token == token
    assert kept.server.ask(handshake(f"{NAME}={token}", Origin=ORIGIN)).all_of("set-cookie") == []
    out = kept.log_out(both, **secure)
    assert {value.partition(";")[0] for value in out.all_of("set-cookie")} == {f"{NAME}=", f"__Host-{NAME}="}
    assert kept.count() == 0


def handshake(cookie: str, **headers: str) -> str:
    """Return the beginning of a WebSocket."""
    lines = ["GET /ws HTTP/1.1", f"Host: {HOST}", "Upgrade: websocket", "Connection: Upgrade"]
    lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", f"Cookie: {cookie}"]
    lines += ["Sec-WebSocket-Protocol: tp.json", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""])


def test_a_websocket_brings_the_cookie_of_its_port(kept: Kept) -> None:
    """The server ignores other cookies.

    Browsers send the cookies of all ports of a host, so those of another server may come, too.
    """
    pair, _ = attributes(kept.log_in(kept.ticket()))
    kept.server.socket(cookie=f"other=1; tp-login-9090=theirs; {pair}; more=2")
    kept.server.socket(cookie="tp-login-9090=theirs")
    kept.server.socket()
    assert [session.token for session in kept.server.sessions] == [pair.partition("=")[2], "", ""]


@pytest.mark.parametrize("cookie", [NAME, f"{NAME}=", ";;;=;", f"{NAME}=" + "x" * 8000, f"x{NAME}=1", f"{NAME}=\xff"])
def test_any_cookie_at_all_lets_the_handshake_pass(kept: Kept, cookie: str) -> None:
    """The login decides about its value. Bytes that are no UTF-8 are among them."""
    lines = ["GET /ws HTTP/1.1", f"Host: {HOST}", "Upgrade: websocket", "Connection: Upgrade"]
    lines += [
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: tp.json",
    ]
    answer = kept.server.ask("\r\n".join([*lines, f"Cookie: {cookie}", "", ""]).encode("latin-1"))
    assert answer.code == 101
    assert len(kept.server.sessions) == 1


def test_the_token_of_the_cookie_logs_in_and_logging_out_ends_it(kept: Kept) -> None:
    pair, _ = attributes(kept.log_in(kept.ticket()))
    found: list[object] = []
    Deferred.fromCoroutine(kept.logins.login(pair.partition("=")[2])).addBoth(found.append)
    assert found[0][1].id == 1  # type: ignore[index] # a pair of account and login
    out = kept.log_out(pair)
    assert (out.code, kept.count(), kept.ended) == (200, 0, [1])
    assert attributes(out)[0] == f"{NAME}="
    assert "Max-Age=0" in attributes(out)[1]
    assert kept.log_out(pair).code == 200, "who is logged out already hears nothing else"
    assert kept.ended == [1]


@pytest.mark.parametrize(("path", "field"), [("/login", "ticket"), ("/logout", "")], ids=["in", "out"])
def test_only_our_own_pages_log_in_and_out(kept: Kept, path: str, field: str) -> None:
    """No other page, no form, no method but POST: each is a sentence, and changes nothing."""
    pair, _ = attributes(kept.log_in(kept.ticket()))
    body = json.dumps({field: kept.ticket()} if field else {}).encode()
    for code, answer in (
        (403, kept.server.post(path, body, Origin="http://evil.example", Cookie=pair)),
        (415, kept.server.post(path, body, Origin=ORIGIN, Content_Type="text/plain", Cookie=pair)),
        (415, kept.server.post(path, body, Origin=ORIGIN, Content_Type="application/x-www-form-urlencoded")),
        (400, kept.server.post(path, b"[]", Origin=ORIGIN, Cookie=pair)),
        (400, kept.server.post(path, b"", Origin=ORIGIN, Cookie=pair)),
        (405, kept.server.get(path, Cookie=pair)),
    ):
        assert answer.code == code
        assert json.loads(answer.body)["error"].endswith(".")
        assert "set-cookie" not in answer.headers
    assert (kept.count(), kept.ended) == (1, [])


@pytest.mark.parametrize("ticket", ["", "wrong", "\ud800", "x" * 900])
def test_a_wrong_ticket_is_refused(kept: Kept, ticket: str) -> None:
    answer = kept.log_in(ticket)
    assert answer.code == 403
    assert json.loads(answer.body)["error"].startswith("This saved login was already used")
    assert "set-cookie" not in answer.headers


def test_a_ticket_works_once(kept: Kept) -> None:
    ticket = kept.ticket()
    assert [kept.log_in(ticket).code for _ in range(2)] == [200, 403]
    assert kept.count() == 1


def test_a_login_that_cannot_be_saved_sets_no_cookie(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    ticket = kept.ticket()
    pair, _ = attributes(kept.log_in(kept.ticket()))
    kept.store.close()
    for answer in (kept.log_in(ticket), kept.log_out(pair)):
        assert answer.code == 503
        assert "set-cookie" not in answer.headers


def test_while_the_server_starts_nobody_is_logged_in(kept: Kept) -> None:
    """The listener is there before the store."""
    server = WebServer()
    assert server.post("/login", b'{"ticket": "x"}', Origin=ORIGIN).code == 403
