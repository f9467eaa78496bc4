"""HTTP responses to browsers: files, headers, health, errors, and limits."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from web_in_memory import HOST, WebServer, read_answer

from tests.support.process import run
from tpserver.wire.net.limits import Limits
from tpserver.wire.web.connection import IDLE_SECONDS
from tpserver.wire.web.files import Files, client_directory
from tpserver.wire.web.http import BODY_BYTES, HEADER_BYTES, HEADERS
from tpserver.wire.web.resources import Origins

PAGE = b"<!doctype html><title>Play</title>" + b" " * 500
SECRET = b"not for browsers"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A small client, and around it what must not be seen."""
    web = tmp_path / "web"
    (web / "core").mkdir(parents=True)
    (web / "index.html").write_bytes(PAGE)
    (web / "core" / "wire.js").write_bytes(b"export const one = 1;\n" * 50)
    (web / "style.css").write_bytes(b"body { color: black }\n")
    (web / "ant.svg").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    (web / "icon.png").write_bytes(b"\x89PNG" + bytes(500))
    (web / "core" / "notes.py").write_bytes(SECRET)
    (web / ".hidden.js").write_bytes(SECRET)
    (web / ".git").mkdir()
    (web / ".git" / "config.txt").write_bytes(SECRET)
    (tmp_path / "secret.txt").write_bytes(SECRET)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.txt").write_bytes(SECRET)
    (web / "link.txt").symlink_to(tmp_path / "secret.txt")
    (web / "away").symlink_to(tmp_path / "secret")
    return web


@pytest.fixture
def server(directory: Path) -> WebServer:
    return WebServer(directory)


# --- files


@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [
        ("/", "text/html; charset=utf-8", PAGE),
        ("/index.html", "text/html; charset=utf-8", PAGE),
        ("/?x=1", "text/html; charset=utf-8", PAGE),
        ("/core/wire.js", "text/javascript; charset=utf-8", b"export const one = 1;\n" * 50),
        ("/style.css", "text/css; charset=utf-8", b"body { color: black }\n"),
        ("/ant.svg", "image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("/icon.png", "image/png", b"\x89PNG" + bytes(500)),
    ],
)
def test_files_are_sent_with_their_kind(server: WebServer, path: str, kind: str, body: bytes) -> None:
    answer = server.get(path)
    assert answer.code == 200
    assert answer.headers["content-type"] == kind
    assert answer.body == body
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["etag"]
    assert answer.headers["last-modified"].endswith(" GMT")


@pytest.mark.parametrize("path", ["/", "/ant.svg", "/nothing.js", "/healthz", "/ws", "/link"])
def test_every_answer_has_the_headers_that_guard_the_page(server: WebServer, path: str) -> None:
    """Scripts and connections of this server only; no frames, no forms, no guessing of kinds, no referrer."""
    headers = server.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in headers


@pytest.mark.parametrize("path", ["/core/wire.js", "/style.css"])
def test_parts_of_a_page_have_only_the_headers_that_guard_those(server: WebServer, path: str) -> None:
    """No page of others takes them, no browser takes them for something else; a policy would be as long as they are."""
    headers = server.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert not headers.keys() & {"content-security-policy", "referrer-policy", "cross-origin-opener-policy", "server"}


def test_scripts_are_sent_without_comments(server: WebServer, directory: Path) -> None:
    """Those that have lines of their own; every line with code stays as it is, whatever is in it."""
    comments = "// why\n/** what\n * @param {//} x\n */\n  /* one */\n\t// two\n    /**\n     * three **/  \n"
    code = """export const address = "http://host"; // where
    /* this */ export const pattern = /[/*"'`]\\/\\//u;
  export const product = 2 * /* that */ 3;
  /* neither */ export const comment = "/*"; /* nor */

"""
    (directory / "core" / "texts.js").write_text(comments + code + comments + comments + code)
    assert server.get("/core/texts.js").body.decode() == code + code


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/core/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e%2fsecret.txt",
        "/core/..%5c..%5csecret.txt",
        "//secret.txt",
        "/./index.html",
        "/core/",
        "/core",
        "/core//wire.js",
        "/.hidden.js",
        "/%2ehidden.js",
        "/.git/config.txt",
        "/core/notes.py",
        "/link.txt",
        "/away/key.txt",
        "/index.html%00.js",
        "/index.html/",
        "/%ff.js",
        "/" + "a" * 5000 + ".js",
        "/a" * 2000 + ".js",
        "/none.js",
        "/healthz/",
        "/healthz/more",
        "/link/more",
        "/ws/more",
    ],
)
def test_nothing_else_is_a_file(server: WebServer, path: str) -> None:
    """No way out of the directory, no links out of it, no dots, no directories, no other kinds: all are not there."""
    answer = server.get(path)
    assert answer.code == 404
    assert answer.body == b"There is no such page here; the game is at /.\n"


@given(path=st.text(alphabet="./%25e\\f_ak~:;@cCiXj\0é", max_size=30))
@settings(max_examples=100)
def test_no_path_leads_out(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    base = tmp_path_factory.getbasetemp() / "paths"
    (base / "web").mkdir(parents=True, exist_ok=True)
    (base / "a.js").write_bytes(SECRET)
    found = Files(base / "web").get(f"/{path}")
    assert found is None


def test_no_code_of_the_client_is_taken_for_a_comment() -> None:
    """No template goes over several lines, of which one could look like a comment; what is not sent are comments."""
    directory = client_directory()
    assert directory is not None
    files, scripts = Files(directory), sorted(directory.rglob("*.js"))
    for path in scripts:
        written, sent = path.read_text("utf-8"), files.get(f"/{path.relative_to(directory).as_posix()}")
        assert sent is not None
        lines = written.splitlines()
        assert [line for line in lines if line.count("`") % 2] == [], path
        left = iter(sent.content.decode().splitlines())
        wanted = next(left, None)
        for line in lines:
            if line == wanted:
                wanted = next(left, None)
            else:
                assert re.match(r"\s*(//|/\*|\*|.*\*/$)", line), f"{path}: {line}"
        assert wanted is None
    assert len(scripts) > 50


def test_text_is_compressed_for_browsers_that_take_it(server: WebServer) -> None:
    """With another tag, so that no cache mixes them up; pictures and what would grow are left alone."""
    plain = server.get("/")
    packed = server.get("/", Accept_Encoding="br, gzip;q=0.8")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert packed.headers["etag"] != plain.headers["etag"]
    for encoding in ("gzip;q=0", "br", "gzip; q=0.00", ""):
        assert "content-encoding" not in server.get("/", Accept_Encoding=encoding).headers
    for path in ("/icon.png", "/ant.svg"):
        assert "content-encoding" not in server.get(path, Accept_Encoding="gzip").headers


def test_head_has_the_headers_only(server: WebServer) -> None:
    got, head = server.get("/"), server.get("/", "HEAD")
    assert head.code == 200
    assert head.body == b""
    assert head.headers == got.headers


def test_what_a_browser_has_is_not_sent_again(server: WebServer) -> None:
    first = server.get("/core/wire.js")
    tag, date = first.headers["etag"], first.headers["last-modified"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = server.get("/core/wire.js", If_None_Match=known)
        assert (again.code, again.body) == (304, b"")
        assert again.headers["etag"] == tag
    assert server.get("/core/wire.js", If_Modified_Since=date).code == 304
    assert server.get("/core/wire.js", If_None_Match='"other"', If_Modified_Since=date).code == 200
    for nonsense in ("yesterday", "Thu, 99 Foo 2020 00:00:00 GMT", ""):
        assert server.get("/core/wire.js", If_Modified_Since=nonsense).code == 200


def test_a_changed_file_is_sent_anew(server: WebServer, directory: Path) -> None:
    before = server.get("/style.css")
    (directory / "style.css").write_bytes(b"body { color: white; }")
    os.utime(directory / "style.css", (2_000_000_000, 2_000_000_000))
    after = server.get("/style.css", If_None_Match=before.headers["etag"])
    assert (after.code, after.body) == (200, b"body { color: white; }")


def test_a_server_without_the_client_says_so() -> None:
    answer = WebServer(None).get("/")
    assert answer.code == 404
    assert b"the package tpclient with its directory web is not installed beside this server" in answer.body


def test_the_client_is_found_without_being_imported() -> None:
    """In a process of its own: the package is there, and still not loaded."""
    program = (
        "import sys; from tpserver.wire.web.files import client_directory as f; print(f(), 'tpclient' in sys.modules)"
    )
    assert run(sys.executable, "-c", program).out.split() == [str(client_directory()), "False"]
    assert client_directory() is not None


# --- the rest


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("path", ["/", "/healthz", "/nothing"])
def test_other_methods_are_refused(server: WebServer, method: str, path: str) -> None:
    answer = server.get(path, method)
    assert answer.code == 405
    assert answer.headers["allow"] == "GET, HEAD"
    assert answer.body == b"Only GET and HEAD are answered here.\n"


def test_health_tells_little_and_only_when_it_is_true(directory: Path) -> None:
    told: list[Any] = [{"games": 3, "connections": 1}, None, {"games": 3, "problem": "less"}, {"failing": "nothing"}]
    server = WebServer(directory, health=lambda: told.pop(0))
    well, ill = server.get("/healthz"), server.get("/healthz")
    assert (well.code, json.loads(well.body)) == (200, {"status": "ok", "games": 3, "connections": 1})
    assert well.headers["content-type"] == "application/json"
    assert well.headers["cache-control"] == "no-store"
    assert (ill.code, json.loads(ill.body)) == (503, {"status": "not ready"})
    less, failing = server.get("/healthz"), server.get("/healthz")
    assert (less.code, json.loads(less.body)) == (200, {"status": "ok", "games": 3, "problem": "less"})
    assert (failing.code, json.loads(failing.body)) == (503, {"status": "failing", "problem": "nothing"})


def test_a_fault_of_ours_is_a_sentence(server: WebServer, logged: list[dict[str, Any]]) -> None:
    def broken() -> None:
        raise RuntimeError("secret detail")

    server.health = broken  # type: ignore[assignment] # it is meant to be wrong
    answer = server.get("/healthz")
    assert (answer.code, answer.body) == (500, b"The server failed to answer this; its log says more.\n")
    assert len([event for event in logged if "log_failure" in event]) == 1


# --- limits


def test_several_requests_on_one_connection(server: WebServer) -> None:
    wire = server.connect()
    for _ in range(3):
        wire.protocol.dataReceived(f"GET /style.css HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
        assert read_answer(wire.read()).code == 200
    assert not wire.gone


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00\r\n\r\n",
        b"TP03\0\0\0\1\0\0\0\x1b\0\0\0\0\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: " + b"x" * HEADER_BYTES + b"\r\n\r\n",
        b"GET /" + b"x" * (HEADER_BYTES + 10),
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * (HEADERS + 1) + b"\r\n",
        b"POST /link HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"POST /link HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /link HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    ],
)
def test_what_is_no_request_is_refused_once_and_closed(server: WebServer, request_: bytes) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(request_ + b"more\r\n" * 3)
    answer = read_answer(wire.read())
    assert answer.code == 400
    assert answer.body.startswith(b"This is not an HTTP request, or its header is longer than 16384 bytes")
    assert wire.gone
    assert server.connection_factory.limiter.count == 0


def test_bodies_are_short_and_have_a_length(server: WebServer) -> None:
    """Refused as soon as the header is there, not when the body is."""
    long = server.ask(f"POST /link HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {BODY_BYTES + 1}\r\n\r\n")
    assert (long.code, long.body) == (413, b"A request of 1025 bytes is too long; 1024 are the most.\n")
    chunked = server.ask(f"POST /link HTTP/1.1\r\nHost: {HOST}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello")
    assert (chunked.code, chunked.body) == (411, b"A request with a body has to say how long it is.\n")


def test_a_request_has_limited_time_however_slowly_it_comes() -> None:
    """One byte a second keeps nobody here."""
    server = WebServer(limits=Limits(frame_seconds=10))
    wire = server.connect()
    sent = 0
    while not wire.gone and sent < 60:
        wire.protocol.dataReceived(b"GET / HTTP/1.1\r\nA: and so on and on and on and on and on"[sent : sent + 1])
        server.clock.advance(1)
        sent += 1
    assert 9 <= sent <= 12
    assert server.connection_factory.limiter.count == 0


def test_a_connection_without_requests_is_closed_in_the_end(server: WebServer) -> None:
    """At once it may be idle for as long as any; after an answer it has its time again."""
    wire = server.connect()
    server.clock.advance(IDLE_SECONDS - 2)
    wire.protocol.dataReceived(f"GET /style.css HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
    assert read_answer(wire.read()).code == 200
    server.clock.advance(IDLE_SECONDS - 2)
    assert not wire.gone
    server.clock.advance(4)
    assert wire.gone


def test_a_client_that_does_not_read_its_page_is_cut_off(server: WebServer, directory: Path) -> None:
    """Nothing more is read from it, and it has its time."""
    wire = server.connect()
    (directory / "big.txt").write_bytes(os.urandom(200_000))
    for _ in range(50):
        wire.protocol.dataReceived(f"GET /big.txt HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
    server.clock.advance(IDLE_SECONDS + 2)
    assert wire.gone


def test_connections_are_counted_together_with_all_others(directory: Path) -> None:
    server = WebServer(directory, limits=Limits(connections=2))
    lines = [server.connect(), server.connect()]
    refused = read_answer(server.connect().read())
    assert (refused.code, refused.body) == (503, b"The server is full: it serves 2 connections at once.\n")
    lines[0].hang_up()
    assert server.get("/").code == 200


def test_a_server_that_stops_cuts_off_what_is_idle(server: WebServer) -> None:
    wire = server.connect()
    server.site.close()
    assert wire.gone
    assert server.site.buildProtocol(None) is None


@given(
    data=st.lists(st.binary(max_size=200) | st.sampled_from([b"GET / HTTP/1.1\r\n", b"\r\n", b"A: b\r\n"]), max_size=9)
)
@settings(max_examples=60)
def test_any_bytes_are_borne(data: list[bytes]) -> None:
    """An answer, a refusal or a cut; never an exception, and nobody stays counted."""
    server = WebServer(None)
    wire = server.connect()
    for piece in data:
        if not wire.gone:
            wire.protocol.dataReceived(piece)
    wire.read_all()
    for _ in range(4):
        server.clock.advance(31)
        wire.read_all()
    assert wire.gone
    assert server.connection_factory.limiter.count == 0


# --- origins


@pytest.mark.parametrize(
    ("origin", "host", "loopback", "welcome"),
    [
        (None, "anything", True, True),
        ("http://127.0.0.1:8080", "127.0.0.1:8080", True, True),
        ("http://localhost:8080", "localhost:8080", True, True),
        ("http://[::1]:8080", "[::1]:8080", True, True),
        ("http://LOCALHOST", "localhost:80", True, True),
        ("https://server.lan", "server.lan:443", False, True),
        ("http://server.lan:8080", "server.lan:8080", False, True),
        ("https://games.example.org", "127.0.0.1:8080", True, True),
        ("https://GAMES.example.org", "games.example.org", True, True),
        ("http://games.example.org", "127.0.0.1:8080", True, False),
        ("http://server.lan:8080", "server.lan:8080", True, False),
        ("http://127.0.0.1:8081", "127.0.0.1:8080", True, False),
        ("http://localhost:8080", "127.0.0.1:8080", True, False),
        ("https://evil.example", "127.0.0.1:8080", False, False),
        ("null", "null", False, False),
        ("null", "", False, False),
        ("", "", False, False),
        ("http://", "", False, False),
        ("file://", "", False, False),
        ("http://a@127.0.0.1:8080", "a@127.0.0.1:8080", True, False),
        ("http://127.0.0.1:8080/x", "127.0.0.1:8080/x", True, False),
        ("http://[::1", "[::1", True, False),
        ("chrome-extension://127.0.0.1:8080", "127.0.0.1:8080", True, False),
    ],
)
def test_which_pages_may_talk_to_the_server(origin: str | None, host: str, loopback: bool, welcome: bool) -> None:
    """Its own, and those on the list; programs say no origin. A name that leads to 127.0.0.1 is nobody's own page."""
    problem = Origins(["https://games.example.org"]).problem(origin, host, loopback)
    assert (problem == "") is welcome
    assert not problem or problem.endswith("web.origins in the configuration.")
