"""A hostile page in another tab of a player's browser, in real Chromium.

The page of the game may then do everything that the hostile page may not. So no request fails for another reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

pytestmark = pytest.mark.thorough

OPEN = """([address, protocol]) => new Promise((done) => {
  const socket = new WebSocket(address, protocol);
  socket.onopen = () => { socket.close(); done("open"); };
  socket.onclose = ({ code }) => done(`closed with ${code}`);
})"""
"""Open a WebSocket and return the result. A page gets 1006 for a refused handshake."""

POST = """async ([address, token, mode, type]) => {
  const options = { method: "POST", mode, headers: { "Content-Type": type }, body: JSON.stringify({ token }) };
  try {
    const answer = await fetch(address, options);
    return { kind: answer.type, status: answer.status, text: await answer.text() };
  } catch (error) {
    return { kind: error.name, status: 0, text: "" };
  }
}"""

FRAME = """(address) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.onload = () => { try { done(String(frame.contentDocument)); } catch (error) { done(error.name); } };
  frame.src = address;
  document.body.append(frame);
})"""


FORM = """([address, token]) => {
  const form = document.createElement("form");
  Object.assign(form, { method: "POST", action: address, enctype: "text/plain" });
  const field = document.createElement("input");
  Object.assign(field, { name: `{"token": "${token}", "rest": "`, value: '"}' });
  form.append(field);
  document.body.append(form);
  form.submit();
}"""
"""Send a token as a form, the one kind of request that needs no script; the tab goes to the answer."""

NOWHERE = "nowhere"
"""The page at this address is in a sandbox, so its origin is "null"."""


class Anything(BaseHTTPRequestHandler):
    """Answers every address with an empty page."""

    def do_GET(self) -> None:
        body = b"<!doctype html><title>Win a prize</title><body></body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        if self.path.endswith(NOWHERE):
            self.send_header("Content-Security-Policy", "sandbox allow-scripts allow-forms")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[int]:
    """The port of somebody else's web server on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Anything) as server:
        Thread(target=partial(server.serve_forever, 0.05), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """The player's browser, with whatever tabs there are."""
    made = browser.new_context()
    yield made
    made.close()


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:{port}/", "http://localhost:{port}/", f"http://127.0.0.1:{{port}}/{NOWHERE}"]
)
def test_a_page_from_elsewhere_gets_nothing(context: BrowserContext, link: str, elsewhere: int, origin: str) -> None:
    """From another port, another name or nowhere: no WebSocket, no use of a stolen login link.

    The server refuses with 403, nothing can be read, and the link still works for its owner.
    """
    address, token = link.split("#link=")
    socket = address.replace("http:", "ws:") + "ws"
    hostile = context.new_page()
    said: list[str] = []
    hostile.on("console", lambda line: said.append(line.text))
    hostile.goto(origin.format(port=elsewhere))
    for protocol in ("tp.json", "tp.pb"):
        assert hostile.evaluate(OPEN, [socket, protocol]) == "closed with 1006"
    assert sum("Unexpected response code: 403" in line for line in said) == 2, said

    # With a type that browsers send without asking first, and like the page's own, which they ask about.
    for mode, kind in (("no-cors", "text/plain"), ("cors", "application/json")):
        answer = hostile.evaluate(POST, [address + "link", token, mode, kind])
        assert answer == {"kind": "TypeError", "status": 0, "text": ""}
    for path in ("healthz", "", "core/player.js"):
        read = hostile.evaluate("(address) => fetch(address).then(() => 'read', (error) => error.name)", address + path)
        assert read == "TypeError", path
    loaded = "(address) => import(address).then(() => 'loaded', (error) => error.name)"
    assert hostile.evaluate(loaded, address + "core/player.js") == "TypeError"
    with hostile.expect_response(address + "link") as sent:
        hostile.evaluate(FORM, [address + "link", token])
    assert sent.value.status == 403
    expect(hostile.locator("body")).to_contain_text("may not talk to this server")

    own = context.new_page()
    own.goto(address)
    assert own.evaluate(OPEN, [socket, "tp.json"]) == "open"
    used = own.evaluate(POST, [address + "link", token, "cors", "application/json"])
    assert (used["kind"], used["status"]) == ("basic", 200)


def test_a_page_from_elsewhere_cannot_frame_the_game(context: BrowserContext, link: str, elsewhere: int) -> None:
    """Nobody can lay a page of theirs over the game and let the player's clicks through: it is not shown in frames."""
    address = link.partition("#")[0]
    hostile = context.new_page()
    said: list[str] = []
    hostile.on("console", lambda line: said.append(line.text))
    hostile.goto(f"http://127.0.0.1:{elsewhere}/")
    assert hostile.evaluate(FRAME, f"http://localhost:{elsewhere}/") == "null"  # another page may be framed
    assert hostile.frames[-1].title() == "Win a prize"
    hostile.evaluate(FRAME, address)
    shown = hostile.frames[-1]
    expect(hostile.locator("iframe")).to_have_count(2)
    assert not shown.url.startswith(address), shown.url
    assert shown.locator("#login").count() == 0
    assert any(re.search("frame-ancestors 'none'", line) for line in said), said
    seen: Page = context.new_page()
    seen.goto(address)
    expect(seen.get_by_role("heading", name="Log in to play")).to_be_visible()
