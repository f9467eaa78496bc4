"""What the server answers over HTTP: the browser client's files, /healthz, /link, and the way into /ws."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.web.files import DIRECTORY, PACKAGE, File, Files
from tpserver.web.http import Request
from tpserver.web.login_tokens import Credentials, Links, NotLinked
from tpserver.web.origins import Origins
from tpserver.web.websocket import SUBPROTOCOLS, Sockets

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",  # which means the WebSocket of the same host, too
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every answer carries."""

UPGRADE_REQUIRED = 426
_PHRASES = {UPGRADE_REQUIRED: b"Upgrade Required"}
"""Of those codes that Twisted has no words for."""

TEXT, JSON = "text/plain; charset=utf-8", "application/json"
_TAGS = re.compile(r'(?:W/)?("[^"]*")')

log = Logger()


class Web:
    """Answers requests.

    `health` returns what /healthz tells, or None while the server cannot serve; `links` are the login links, if the
    server makes any.
    """

    def __init__(
        self,
        files: Files,
        sockets: Sockets,
        origins: Origins,
        health: Callable[[], Mapping[str, object] | None],
        links: Links | None = None,
    ) -> None:
        self.links = links
        self._files = files
        self._sockets = sockets
        self._origins = origins
        self._health = health

    @property
    def has_pages(self) -> bool:
        """Whether the browser client is installed."""
        return self._files.get("/") is not None

    def answer(self, request: Request) -> None:
        """Answer one request; whatever goes wrong, with a sentence."""
        try:
            self._answer(request)
        except Exception:
            log.failure("a request of {address} for {path} failed", address=request.channel.address, path=request.path)
            if not request.startedWriting:
                _say(request, 500, "The server failed to answer this; its log says more.")

    def _answer(self, request: Request) -> None:
        path = request.path
        if path == b"/ws":
            self._open_socket(request)
        elif path == b"/link":
            self._follow_link(request)
        elif request.method not in (b"GET", b"HEAD"):
            _say(request, 405, "Only GET and HEAD are answered here.", Allow="GET, HEAD")
        elif path == b"/healthz":
            self._tell_health(request)
        else:
            self._send_file(request)

    # --- files

    def _send_file(self, request: Request) -> None:
        file = self._files.get(request.path.decode("ascii", "replace"))
        if file is not None:
            _send(request, file)
        elif not self.has_pages:
            said = (
                f"There are no pages here: the package {PACKAGE} with its directory {DIRECTORY} is not installed beside"
                " this server. Thousand Parsec clients connect to the server's other port."
            )
            _say(request, 404, said)
        else:
            _say(request, 404, "There is no such page here; the game is at /.")

    # --- health

    def _tell_health(self, request: Request) -> None:
        told = self._health()
        if told is None:
            _json(request, 503, {"status": "not ready"})
        elif "problem" in told:
            _json(request, 503, {"status": "failing", **told})
        else:
            _json(request, 200, {"status": "ok", **told})

    # --- login links

    def _follow_link(self, request: Request) -> None:
        if request.method != b"POST":
            _problem(request, 405, "A login link is used with POST only; open its address in a browser.", Allow="POST")
            return
        refusal = self._origin_problem(request)
        if refusal:
            _problem(request, 403, refusal)
            return
        if (request.header("content-type") or "").partition(";")[0].strip().lower() != JSON:
            _problem(request, 415, f"A login link is used with {JSON} only.")
            return
        token = _token(request.content.read())
        if token is None:
            _problem(request, 400, 'A login link is used with a JSON object like {"token": "..."}.')
            return
        if self.links is None:
            _problem(request, 403, "This server has no login links; log in with a name and a password.")
            return
        following: Deferred[Credentials] = Deferred.fromCoroutine(self.links.redeem(token))
        following.addCallbacks(self._linked, self._not_linked, callbackArgs=(request,), errbackArgs=(request,))
        following.addErrback(lambda failure: log.failure("a login link failed", failure))

    @staticmethod
    def _linked(told: Credentials, request: Request) -> None:
        _json(request, 200, told)

    @staticmethod
    def _not_linked(failure: Failure, request: Request) -> None:
        if isinstance(failure.value, NotLinked):
            _problem(request, 403, str(failure.value))
        else:
            log.failure("a login link failed", failure)
            _problem(request, 500, "The server failed to log you in; its log says more.")

    # --- WebSocket

    def _open_socket(self, request: Request) -> None:
        refusal = self._origin_problem(request)
        offered = [word.strip() for word in (request.header("sec-websocket-protocol") or "").split(",")]
        if request.method != b"GET":
            _say(request, 405, "A WebSocket begins with GET.", Allow="GET")
        elif refusal:
            _say(request, 403, refusal)
        elif "websocket" not in (request.header("upgrade") or "").lower():
            said = f"Here is a WebSocket; it speaks the sub-protocols {_and(SUBPROTOCOLS)}."
            _say(request, UPGRADE_REQUIRED, said, Upgrade="websocket", Connection="Upgrade")
        elif not any(name in SUBPROTOCOLS for name in offered):
            found = f"{_shown(', '.join(offered))!r} was" if any(offered) else "none was"
            said = f"This WebSocket speaks the sub-protocols {_and(SUBPROTOCOLS)}; {found} offered."
            _say(request, 400, said)
        else:
            channel = request.channel
            channel.give_way(self._sockets.messages(channel.leave), _head(request))

    def _origin_problem(self, request: Request) -> str:
        origin = request.header("origin")
        return self._origins.problem(origin, request.header("host") or "", _is_loopback(request))


def _head(request: Request) -> bytes:
    """The beginning of a request as it was, for who reads it a second time."""
    lines = [b"GET %b HTTP/1.1" % request.uri]
    for name, values in request.requestHeaders.getAllRawHeaders():
        lines += [b"%b: %b" % (name, value) for value in values]
    return b"\r\n".join([*lines, b"", b""])


def _token(body: bytes) -> str | None:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    token = said.get("token") if isinstance(said, dict) else None
    return token if isinstance(token, str) else None


def _is_loopback(request: Request) -> bool:
    try:
        here = ipaddress.ip_address(str(getattr(request.getHost(), "host", "")).partition("%")[0])
    except ValueError:
        return False
    # A listener of all addresses of both kinds shows those of IPv4 as ::ffff:127.0.0.1.
    return (getattr(here, "ipv4_mapped", None) or here).is_loopback


# --- writing answers --------------------------------------------------------------------------------------------------


def _send(request: Request, file: File) -> None:
    body, tag = file.content, f'"{file.tag}"'
    headers = {"Content-Type": file.kind, "Cache-Control": "no-cache"}
    if file.compressed is not None:
        headers["Vary"] = "Accept-Encoding"
        if _takes_gzip(request.header("accept-encoding") or ""):
            body, tag = file.compressed, f'"{file.tag}-gzip"'
            headers["Content-Encoding"] = "gzip"
    headers["ETag"] = tag
    known = request.header("if-none-match")
    if known is not None:
        same = known.strip() == "*" or tag in _TAGS.findall(known)
        request.setLastModified(file.modified)
    else:
        try:
            same = bool(request.setLastModified(file.modified))
        except (ValueError, OverflowError):
            # A date that is none, or one that no clock can show.
            same = False
    _write(request, 304 if same else 200, b"" if same else body, headers)


def _takes_gzip(accepted: str) -> bool:
    for word in accepted.lower().split(","):
        coding, _, weight = word.partition(";")
        if coding.strip() in ("gzip", "*"):
            return not re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight)
    return False


def _say(request: Request, code: int, sentence: str, **headers: str) -> None:
    _write(request, code, f"{sentence}\n".encode(), {"Content-Type": TEXT, "Cache-Control": "no-store", **headers})


def _json(request: Request, code: int, value: Mapping[str, object], **headers: str) -> None:
    body = json.dumps(dict(value), separators=(",", ":")).encode()
    _write(request, code, body, {"Content-Type": JSON, "Cache-Control": "no-store", **headers})


def _problem(request: Request, code: int, sentence: str, **headers: str) -> None:
    _json(request, code, {"error": sentence}, **headers)


def _write(request: Request, code: int, body: bytes, headers: Mapping[str, str]) -> None:
    if request.gone:
        return
    request.setResponseCode(code, _PHRASES.get(code))
    for name, value in {**HEADERS, **headers}.items():
        request.setHeader(name, value)
    if code != 304:
        request.setHeader("Content-Length", str(len(body)))
    request.write(body)
    request.finish()


def _and(words: Mapping[str, Any]) -> str:
    return " and ".join(words)


def _shown(text: str) -> str:
    text = "".join(letter for letter in text if letter.isprintable())
    return text if len(text) <= 60 else f"{text[:60]}…"
