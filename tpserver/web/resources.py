"""HTTP resources: the browser client's files, /healthz, /link and /ws."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.web.error import UnsupportedMethod
from twisted.web.resource import Resource as TwistedResource
from twisted.web.server import NOT_DONE_YET

from tpserver.web.files import DIRECTORY, PACKAGE, Files
from tpserver.web.http import UPGRADE_REQUIRED, Request
from tpserver.web.login_tokens import LoginTokens, NotLinked
from tpserver.web.websocket import SUBPROTOCOLS, SocketResource, WebSocketFactory

_USUAL_PORTS = {"http": "80", "https": "443"}


class Origins:
    """Allows the server's own pages, and those from `others`: origins such as https://games.example.org."""

    def __init__(self, others: Iterable[str] = ()) -> None:
        self._others = frozenset(other.lower() for other in others)

    def problem(self, origin: str | None, host: str, loopback: bool) -> str:
        """Return why a request is refused, or an empty text.

        `origin` and `host` are the request's headers; `loopback`: it arrived at a loopback address.
        """
        if origin is None or origin.lower() in self._others:
            return ""
        if not _is_same(origin, host):
            return (
                f"Pages from {_shown(origin, 100)} may not talk to this server; its operator can allow them with "
                "web.origins in the configuration."
            )
        if loopback and not _is_local_name(host):
            # A foreign domain name that resolves to this machine would get around the rule (DNS rebinding).
            return (
                f"This server is for this machine only and does not go by the name {_shown(host, 100)}; "
                "its operator can allow the name with web.origins in the configuration."
            )
        return ""


def _is_same(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin.lower())
    except ValueError:
        return False
    usual = _USUAL_PORTS.get(parts.scheme)
    if usual is None or not parts.netloc or parts.path or parts.query or "@" in parts.netloc:
        return False
    return parts.netloc.removesuffix(f":{usual}") == host.lower().removesuffix(f":{usual}")


def _is_local_name(host: str) -> bool:
    """Return whether a Host header is an address, or a name that no other machine can have."""
    name = host.lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    else:
        name = name.partition(":")[0]
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _shown(text: str, longest: int) -> str:
    text = "".join(letter for letter in text if letter.isprintable())
    return text if len(text) <= longest else f"{text[:longest]}…"


JSON = "application/json"
ONCE = ("Host", "Origin", "Sec-WebSocket-Key", "Sec-WebSocket-Version")
"""Headers that may occur only once in a WebSocket handshake."""

_TAGS = re.compile(r'(?:W/)?("[^"]*")')

_SPOKEN = " and ".join(SUBPROTOCOLS)

log = Logger()

_Resource: Any = TwistedResource  # not annotated


class Resource(_Resource):  # type: ignore[misc] # see above
    """A resource with its own methods and no children: paths below it are those of `below`."""

    def __init__(self, below: Resource | None = None) -> None:
        super().__init__()
        self._below = below or self

    def getChild(self, path: bytes, request: Request) -> Resource:
        return self._below

    def render(self, request: Request) -> bytes | int:
        try:
            answer: bytes | int = super().render(request)
        except UnsupportedMethod:
            return self.refuse_method(request)
        return answer

    def refuse_method(self, request: Request) -> bytes:
        """Begin the response to a method that is not supported, and return its body."""
        return request.sentence(405, "Only GET and HEAD are answered here.", Allow="GET, HEAD")


class FilesResource(Resource):
    """All files of the browser client, at any path."""

    isLeaf = True

    def __init__(self, files: Files) -> None:
        super().__init__()
        self._files = files

    @property
    def has_pages(self) -> bool:
        """Whether the browser client is installed."""
        return self._files.get("/") is not None

    def render_GET(self, request: Request) -> bytes:
        file = self._files.get(request.path.decode("ascii", "replace"))
        if file is None:
            return self._not_found(request)
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
                # Not a date, or one out of range.
                same = False
        request.begin(304 if same else 200, headers)
        return b"" if same else body

    def _not_found(self, request: Request) -> bytes:
        if self.has_pages:
            return request.sentence(404, "There is no such page here; the game is at /.")
        said = (
            f"There are no pages here: the package {PACKAGE} with its directory {DIRECTORY} is not installed beside"
            " this server. Thousand Parsec clients connect to the server's other port."
        )
        return request.sentence(404, said)


class HealthResource(Resource):
    """/healthz; `health` returns what it tells, or None while the server cannot serve."""

    def __init__(self, below: Resource, health: Callable[[], Mapping[str, object] | None]) -> None:
        super().__init__(below)
        self._health = health

    def render_GET(self, request: Request) -> bytes:
        told = self._health()
        if told is None:
            return _json(request, 503, {"status": "not ready"})
        if "problem" in told:
            return _json(request, 503, {"status": "failing", **told})
        return _json(request, 200, {"status": "ok", **told})


class LinkResource(Resource):
    """/link; `links` are the server's login links, None if it makes none."""

    def __init__(self, below: Resource, origins: Origins, links: LoginTokens | None) -> None:
        super().__init__(below)
        self.links = links
        self._origins = origins

    def refuse_method(self, request: Request) -> bytes:
        return _problem(
            request, 405, "A login link is used with POST only; open its address in a browser.", Allow="POST"
        )

    render_GET = refuse_method

    def render_POST(self, request: Request) -> bytes | int:
        refusal = _origin_problem(self._origins, request)
        if refusal:
            return _problem(request, 403, refusal)
        if (request.header("content-type") or "").partition(";")[0].strip().lower() != JSON:
            return _problem(request, 415, f"A login link is used with {JSON} only.")
        token = _token(request.content.read())
        if token is None:
            return _problem(request, 400, 'A login link is used with a JSON object like {"token": "..."}.')
        if self.links is None:
            return _problem(request, 403, "This server has no login links; log in with a name and a password.")
        following = Deferred.fromCoroutine(_follow(self.links, token, request))
        following.addErrback(lambda failure: log.failure("a login link failed", failure))
        return NOT_DONE_YET


class SocketDoor(Resource):
    """/ws: opens WebSockets for the server's own pages and for programs that speak one of its sub-protocols."""

    def __init__(self, below: Resource, origins: Origins, sockets: WebSocketFactory) -> None:
        super().__init__(below)
        self._origins = origins
        self._inside = SocketResource(sockets)

    def refuse_method(self, request: Request) -> bytes:
        return request.sentence(405, "A WebSocket begins with GET.", Allow="GET")

    render_HEAD = refuse_method

    def render_GET(self, request: Request) -> bytes | int:
        refusal = _origin_problem(self._origins, request)
        offered = [word.strip() for word in (request.header("sec-websocket-protocol") or "").split(",")]
        if refusal:
            return request.sentence(403, refusal)
        if "websocket" not in (request.header("upgrade") or "").lower():
            said = f"Here is a WebSocket; it speaks the sub-protocols {_SPOKEN}."
            return request.sentence(UPGRADE_REQUIRED, said, Upgrade="websocket", Connection="Upgrade")
        if not any(name in SUBPROTOCOLS for name in offered):
            found = f"{_shown(', '.join(offered), 60)!r} was" if any(offered) else "none was"
            said = f"This WebSocket speaks the sub-protocols {_SPOKEN}; {found} offered."
            return request.sentence(400, said)
        for name in ONCE:
            if len(request.requestHeaders.getRawHeaders(name, ())) > 1:
                # Autobahn would join all values into one.
                said = f"HTTP {name} header appears more than once in opening handshake request"
                return request.sentence(400, f"This is not the beginning of a WebSocket: {said}.")
        return self._inside.render(request)


class Root(Resource):
    """The root of the site: files, and beside them /healthz, /link and /ws."""

    def __init__(
        self,
        files: Files,
        sockets: WebSocketFactory,
        origins: Origins,
        health: Callable[[], Mapping[str, object] | None],
        links: LoginTokens | None = None,
    ) -> None:
        self.files = FilesResource(files)
        super().__init__(self.files)
        self.link = LinkResource(self.files, origins, links)
        self.putChild(b"healthz", HealthResource(self.files, health))
        self.putChild(b"link", self.link)
        self.putChild(b"ws", SocketDoor(self.files, origins, sockets))


async def _follow(links: LoginTokens, token: str, request: Request) -> None:
    try:
        body = _json(request, 200, await links.redeem(token))
    except NotLinked as error:
        body = _problem(request, 403, str(error))
    except Exception:
        log.failure("a login link failed")
        body = _problem(request, 500, "The server failed to log you in; its log says more.")
    request.end(body)


def _origin_problem(origins: Origins, request: Request) -> str:
    """Return why a page may not use the server, or an empty text."""
    return origins.problem(request.header("origin"), request.header("host") or "", _is_loopback(request))


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
    # A listener on all IPv6 and IPv4 addresses shows IPv4 ones as ::ffff:127.0.0.1.
    return (getattr(here, "ipv4_mapped", None) or here).is_loopback


def _takes_gzip(accepted: str) -> bool:
    for word in accepted.lower().split(","):
        coding, _, weight = word.partition(";")
        if coding.strip() in ("gzip", "*"):
            return not re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight)
    return False


def _json(request: Request, code: int, value: Mapping[str, object], **headers: str) -> bytes:
    """Begin a JSON response, and return its body."""
    request.begin(code, {"Content-Type": JSON, "Cache-Control": "no-store", **headers})
    return json.dumps(dict(value), separators=(",", ":")).encode()


def _problem(request: Request, code: int, sentence: str, **headers: str) -> bytes:
    return _json(request, code, {"error": sentence}, **headers)
