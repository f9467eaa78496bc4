"""Login links: usable once, for a limited time, only from our own page."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest
from twisted.internet.defer import Deferred
from twisted.logger import LogEvent
from web_in_memory import HOST, Answer, WebServer, read_answer

from tests.support.connections import Transport
from tests.support.pasting import pasted
from tpserver.wire.web.login_tokens import LIFETIME, NotLinked

ORIGIN = f"http://{HOST}"
GIVEN = {"user": "you", "password": "p", "game": "tae"}


def giving(count: list[int]) -> Callable[[], Awaitable[dict[str, str]]]:
    async def follow() -> dict[str, str]:
        count.append(1)
        return GIVEN

    return follow


def follow(server: WebServer, token: object, **headers: str) -> Answer:
    return server.post("/link", json.dumps({"token": token}).encode(), **{"Origin": ORIGIN, **headers})


def followed_slowly(server: WebServer) -> tuple[Transport, str, Deferred[dict[str, str]]]:
    """Follow a new link, whose account is made when the Deferred fires; the connection and the token."""
    slow: Deferred[dict[str, str]] = Deferred()

    async def make() -> dict[str, str]:
        return await slow

    token = server.links.offer(make)
    body = json.dumps({"token": token}).encode()
    head = (
        f"POST /link HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    wire = server.connect()
    wire.protocol.dataReceived(head.encode() + body)
    return wire, token, slow


def test_a_link_gives_what_it_was_made_for_once() -> None:
    server, made = WebServer(), list[int]()
    token = server.links.offer(giving(made))
    first, second = follow(server, token), follow(server, token)
    assert (first.code, json.loads(first.body)) == (200, GIVEN)
    assert first.headers["cache-control"] == "no-store"
    assert second.code == 403
    assert json.loads(second.body)["error"].startswith("This login link has been used;")
    assert made == [1]


def test_a_link_is_taken_as_it_is_pasted() -> None:
    server = WebServer()
    assert follow(server, pasted(server.links.offer(giving([])))).code == 200


def test_two_at_the_same_time_are_not_both_let_in() -> None:
    """The link is used up while the account is being made. A visitor who leaves meanwhile does no harm."""
    server = WebServer()
    first, token, slow = followed_slowly(server)
    assert first.read() == b""
    assert follow(server, token).code == 403
    slow.callback(GIVEN)
    assert json.loads(read_answer(first.read()).body) == GIVEN


def test_a_visitor_who_has_gone_is_told_nothing(errors: list[LogEvent]) -> None:
    """The server is not at fault, so the log has nothing. The link is used up, as somebody may have read it."""
    server = WebServer()
    wire, token, slow = followed_slowly(server)
    wire.hang_up()
    slow.callback(GIVEN)
    assert (wire.read(), errors) == (b"", [])
    assert json.loads(follow(server, token).body)["error"].startswith("This login link has been used;")


@pytest.mark.parametrize("token", ["", "wrong", "é" * 100, "\ud800", "x" * 900])
def test_a_wrong_token_is_refused(token: str) -> None:
    server = WebServer()
    server.links.offer(giving([]))
    answer = follow(server, token)
    assert answer.code == 403
    assert json.loads(answer.body)["error"].startswith("This login link is unknown;")


def test_an_old_link_is_refused() -> None:
    server, made = WebServer(), list[int]()
    token = server.links.offer(giving(made))
    server.clock.advance(LIFETIME)
    answer = follow(server, token)
    assert answer.code == 403
    assert json.loads(answer.body)["error"].startswith("This login link has expired;")
    assert made == []


def test_a_link_that_gave_nothing_is_not_used_up() -> None:
    server = WebServer()
    reasons = [NotLinked("All seats of this game are taken."), RuntimeError("a fault")]

    async def make() -> dict[str, str]:
        if reasons:
            raise reasons.pop(0)
        return GIVEN

    token = server.links.offer(make)
    taken, fault, good = (follow(server, token) for _ in range(3))
    assert (taken.code, json.loads(taken.body)) == (403, {"error": "All seats of this game are taken."})
    assert (fault.code, b"a fault" in fault.body) == (500, False)
    assert good.code == 200


@pytest.mark.parametrize(
    ("headers", "body", "code"),
    [
        ({"Origin": "https://evil.example"}, b'{"token":"x"}', 403),
        ({"Content_Type": "text/plain"}, b'{"token":"x"}', 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, b"token=x", 415),
        ({}, b"", 400),
        ({}, b"{", 400),
        ({}, b"[]", 400),
        ({}, b"{}", 400),
        ({}, b'{"token":7}', 400),
        ({}, b"[" * 1000, 400),
        ({}, b"\xff", 400),
        ({}, b'{"token":"' + b"x" * 1024 + b'"}', 413),
    ],
)
def test_other_requests_are_refused_with_a_sentence(headers: dict[str, str], body: bytes, code: int) -> None:
    server = WebServer()
    answer = server.post("/link", body, **headers)
    assert answer.code == code
    said = answer.body.decode() if code == 413 else json.loads(answer.body)["error"]
    assert said.strip().endswith(".") or '"token"' in said


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT"])
def test_post_is_the_only_way_to_follow_a_link(method: str) -> None:
    server = WebServer()
    wire = server.connect()
    wire.protocol.dataReceived(f"{method} /link?token=x HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
    answer = read_answer(wire.read(), head=method == "HEAD")
    assert (answer.code, answer.headers["allow"]) == (405, "POST")
    assert method == "HEAD" or json.loads(answer.body)["error"].startswith("A login link is used with POST only;")


def test_tokens_are_long_and_not_kept() -> None:
    server = WebServer()
    tokens = {server.links.offer(giving([])) for _ in range(50)}
    assert len(tokens) == 50
    assert all(len(token) == 22 for token in tokens)  # 128 bits in base 64
    kept = repr([(link.digest, link.ends) for link in server.links.links])
    assert not any(token in kept for token in tokens)


def test_a_server_without_links_says_so() -> None:
    server = WebServer()
    server.root.link.links = None
    answer = follow(server, "x")
    assert (answer.code, json.loads(answer.body)["error"]) == (
        403,
        "This server has no login links; log in with a name and a password.",
    )
