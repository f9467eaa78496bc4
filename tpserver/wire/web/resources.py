"""HTTP resources for browsers, apart from the sign-in.

They are the files of the web client, /calendar, /healthz, /link, /login, /logout, /stop-notices and /ws.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, Protocol, runtime_checkable
from urllib.parse import urlsplit

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.web.error import UnsupportedMethod
from twisted.web.resource import Resource as TwistedResource
from twisted.web.server import NOT_DONE_YET

from tpserver.accounts.accounts import NotAdmitted
from tpserver.notices.calendar import PATH as CALENDAR_PATH
from tpserver.notices.calendar import SUFFIX, CalendarFeed
from tpserver.notices.unsubscribe import PATH as STOP_PATH
from tpserver.store import StoreError
from tpserver.wire.net.errors import HolderAway
from tpserver.wire.web.files import DIRECTORY, PACKAGE, Files
from tpserver.wire.web.http import AWAY_SECONDS, UPGRADE_REQUIRED, Request
from tpserver.wire.web.login_tokens import LoginTokens, NotLinked
from tpserver.wire.web.tunnel import PATH as TUNNEL_PATH
from tpserver.wire.web.tunnel import open_tunnel
from tpserver.wire.web.websocket import SUBPROTOCOLS, SocketResource, WebSocketFactory

_USUAL_PORTS = {"http": "80", "https": "443"}


class Origins:
    """Allows the server's own pages, and those from `others`: origins such as https://games.example.org."""

    def __init__(self, others: Iterable[str] = ()) -> None:
        self.allow(others)

    def allow(self, others: Iterable[str]) -> None:
        """Allow these other origins, and none that was allowed before."""
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
CALENDAR = "text/calendar; charset=utf-8"
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
    """All files of the browser client, at any path; a POST opens a tunnel, if there are some."""

    isLeaf = True
    tunnels = False

    def __init__(self, files: Files) -> None:
        super().__init__()
        self._files = files

    @property
    def has_pages(self) -> bool:
        """True if the web client is installed."""
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
        if request.header("if-none-match") is not None:
            same = _has_tag(request, tag)
            request.setLastModified(file.modified)
        else:
            try:
                same = bool(request.setLastModified(file.modified))
            except (ValueError, OverflowError):
                # Not a date, or one out of range.
                same = False
        request.begin(304 if same else 200, headers)
        return b"" if same else body

    def render_POST(self, request: Request) -> bytes | int:
        if self.tunnels and TUNNEL_PATH.fullmatch(request.path):
            return open_tunnel(request)
        return self.refuse_method(request)

    def _not_found(self, request: Request) -> bytes:
        if self.has_pages:
            return request.sentence(404, "There is no such page here; the game is at /.")
        said = (
            f"There are no pages here: the package {PACKAGE} with its directory {DIRECTORY} is not installed beside"
            " this server. Thousand Parsec clients connect to the server's other port."
        )
        return request.sentence(404, said)


class HealthResource(Resource):
    """/healthz: the health of the server.

    `health` returns its content, or None while the server cannot serve. "failing" is the reason why the server cannot
    go on: 503. With a "problem" it can go on: 200, so that no health check restarts the server for that.
    """

    def __init__(self, below: Resource, health: Callable[[], Mapping[str, object] | None]) -> None:
        super().__init__(below)
        self._health = health

    def render_GET(self, request: Request) -> bytes:
        told = self._health()
        if told is None:
            return json_answer(request, 503, {"status": "not ready"}, **{"Retry-After": str(AWAY_SECONDS)})
        if "failing" in told:
            return json_answer(request, 503, {"status": "failing", "problem": told["failing"]})
        return json_answer(request, 200, {"status": "ok", **told})


class PostResource(Resource):
    """A resource to which the server's own pages POST a JSON object with one text."""

    what = ""
    """Purpose of the resource, as the beginning of a sentence."""
    field = ""
    """The name of the text; empty: any object will do."""

    def __init__(self, below: Resource, origins: Origins) -> None:
        super().__init__(below)
        self._origins = origins

    def refuse_method(self, request: Request) -> bytes:
        return _problem(request, 405, f"{self.what} with POST only.", Allow="POST")

    def render_GET(self, request: Request) -> bytes:
        return self.refuse_method(request)

    def render_POST(self, request: Request) -> bytes | int:
        refusal = _origin_problem(self._origins, request)
        if refusal:
            return _problem(request, 403, refusal)
        if (request.header("content-type") or "").partition(";")[0].strip().lower() != JSON:
            return _problem(request, 415, f"{self.what} with {JSON} only.")
        text = _text(request.content.read(), self.field)
        if text is None:
            example = f'{{"{self.field}": "..."}}' if self.field else "{}"
            return _problem(request, 400, f"{self.what} with a JSON object like {example}.")
        doing = Deferred.fromCoroutine(self._answer(request, text))
        doing.addErrback(lambda failure: log.failure("a request to log in or out failed", failure))
        return NOT_DONE_YET

    async def _answer(self, request: Request, text: str) -> None:
        try:
            body = await self.post(request, text)
        except (NotLinked, NotAdmitted) as error:
            body = _problem(request, 403, str(error))
        except StoreError as error:
            body = _problem(request, 503, error.for_clients)
        except HolderAway:
            said = "The server is being replaced; try again in a moment."
            body = _problem(request, 503, said, **{"Retry-After": str(AWAY_SECONDS)})
        except Exception:
            log.failure("a request to log in or out failed")
            body = _problem(request, 500, "The server failed to do this; its log says more.")
        request.end(body)

    async def post(self, request: Request, text: str) -> bytes:
        """Begin the response to a text, and return its body."""
        raise NotImplementedError


class LinkResource(PostResource):
    """/link; `links` are the server's login links, None if it makes none."""

    what = "A login link is used"
    field = "token"

    def __init__(self, below: Resource, origins: Origins, links: LoginTokens | None) -> None:
        super().__init__(below, origins)
        self.links = links

    def refuse_method(self, request: Request) -> bytes:
        return _problem(
            request, 405, "A login link is used with POST only; open its address in a browser.", Allow="POST"
        )

    async def post(self, request: Request, text: str) -> bytes:
        if self.links is None:
            raise NotLinked("This server has no login links; log in with a name and a password.")
        return json_answer(request, 200, await self.links.redeem(text))


class LoginResource(PostResource):
    """/login: exchanges a ticket (frame Ticket) for a cookie, by which the browser stays logged in."""

    what = "A ticket to stay logged in is used"
    field = "ticket"

    def __init__(self, files: FilesResource, origins: Origins, logins: Logins | None = None) -> None:
        super().__init__(files, origins)
        self._logins = logins

    async def post(self, request: Request, text: str) -> bytes:
        if self._logins is None:
            raise NotAdmitted("The server is starting; log in once more.")
        token = await self._logins.redeem(text)
        set_login(request, token)
        return json_answer(request, 200, {})


class LogoutResource(PostResource):
    """/logout: ends the login that the browser's cookie is for, and removes the cookie."""

    what = "This browser is logged out"

    def __init__(
        self,
        files: FilesResource,
        origins: Origins,
        logins: Logins | None = None,
        end: Callable[[Collection[int]], None] | None = None,
    ) -> None:
        super().__init__(files, origins)
        self._logins = logins
        self._end = end

    async def post(self, request: Request, text: str) -> bytes:
        token = token_of(request)
        gone = await self._logins.revoke_token(token) if self._logins is not None and token else None
        if gone is not None and self._end is not None:
            self._end([gone])
        set_login(request, "")
        return json_answer(request, 200, {})


COOKIE_SECONDS = 400 * 24 * 3600
"""Seconds for which browsers keep the cookie, their maximum; the server decides how long it is valid."""


LOGIN = "tp-login"
"""The cookie of a kept login, before the port."""


HOST_PREFIX = "__Host-"
"""So begins the name of a cookie that browsers take with Secure and Path=/ only, from this host (RFC 6265bis)."""
_OF_TOKENS = re.compile(r"[A-Za-z0-9._~-]{1,200}")


def token_of(request: Request) -> str:
    """Return the token of a kept login that the browser has sent; empty if there is none."""
    return _sent(request, HOST_PREFIX + _cookie_name(request, LOGIN)) or sent_cookie(request, LOGIN)


def set_login(request: Request, token: str) -> None:
    """Have the browser keep the token of a login, or with an empty one forget it."""
    for value in _login_cookies(request, token):
        request.responseHeaders.addRawHeader(b"Set-Cookie", value.encode())


def renewed_cookies(request: Request) -> list[str]:
    """Return values of Set-Cookie that rename a login cookie from before HOST_PREFIX."""
    if not _is_secure(request) or _sent(request, HOST_PREFIX + _cookie_name(request, LOGIN)):
        return []
    token = sent_cookie(request, LOGIN)
    return _login_cookies(request, token) if _OF_TOKENS.fullmatch(token) else []


def _login_cookies(request: Request, token: str) -> list[str]:
    seconds = COOKIE_SECONDS if token else 0
    found = [cookie(request, LOGIN, token, seconds)]
    if _is_secure(request) and sent_cookie(request, LOGIN):
        found.append(_cookie(_cookie_name(request, LOGIN), "", 0, "Strict", "/", is_secure=True))
    return found


def sent_cookie(request: Request, cookie: str) -> str:
    """Return the value of a cookie of this server that the browser has sent; empty if there is none."""
    return _sent(request, _cookie_name(request, cookie))


def _sent(request: Request, name: str) -> str:
    for header in request.requestHeaders.getRawHeaders(b"Cookie", ()):
        for pair in header.decode(errors="replace").split(";"):
            key, _, value = pair.strip().partition("=")
            if key == name:
                return str(value)
    return ""


def _cookie_name(request: Request, cookie: str) -> str:
    """Return the name of a cookie, which contains the port.

    Browsers send the cookies of a host to all of its ports.
    """
    _, _, port = (request.header("host") or "").rpartition(":")
    return f"{cookie}-{port}" if port.isascii() and port.isdigit() else cookie


def cookie(request: Request, name: str, token: str, seconds: int, *, site: str = "Strict", path: str = "/") -> str:
    """Return the value of Set-Cookie.

    Scripts cannot read the cookie. Browsers send it only with requests of this site, unless ``site`` is Lax. Then they
    also send it when a link on another site leads here.
    """
    is_secure = _is_secure(request)
    prefix = HOST_PREFIX if is_secure and path == "/" else ""
    return _cookie(prefix + _cookie_name(request, name), token, seconds, site, path, is_secure=is_secure)


def _cookie(name: str, token: str, seconds: int, site: str, path: str, *, is_secure: bool) -> str:
    words = [f"{name}={token}", f"Max-Age={seconds}", f"Path={path}", "HttpOnly", f"SameSite={site}"]
    return "; ".join([*words, "Secure"] if is_secure else words)


def _is_secure(request: Request) -> bool:
    """Return whether the connection to the browser is encrypted.

    Behind a proxy with TLS only the page's origin shows it.
    """
    return bool(request.channel.transport.is_secure or (request.header("origin") or "").lower().startswith("https:"))


class StopNoticesResource(Resource):
    """/stop-notices/TOKEN: a POST stops the notices to an address (RFC 8058); to look at it changes nothing."""

    isLeaf = True

    def __init__(self, files: FilesResource, stop: Callable[[str], Awaitable[bool]] | None = None) -> None:
        super().__init__(files)
        self._stop_address = stop

    def refuse_method(self, request: Request) -> bytes:
        return request.sentence(405, "Notices are stopped with POST, as mail programs do it.", Allow="GET, HEAD, POST")

    def render_GET(self, request: Request) -> bytes:
        return request.sentence(
            200, "Your mail program stops these notices when you unsubscribe there; or remove the address in the game."
        )

    def render_POST(self, request: Request) -> int:
        doing = Deferred.fromCoroutine(self._stop(request))
        doing.addErrback(lambda failure: log.failure("a request to stop notices failed", failure))
        return NOT_DONE_YET

    async def _stop(self, request: Request) -> None:
        try:
            token = request.postpath[-1].decode("ascii", "replace") if request.postpath else ""
            was_known = self._stop_address is not None and await self._stop_address(token)
        except StoreError as error:
            request.end(request.sentence(503, error.for_clients))
            return
        except HolderAway:
            request.end(request.away())
            return
        if was_known:
            request.end(request.sentence(200, "No more notices come to this address."))
        else:
            request.end(request.sentence(404, "No notices come to this address."))


@runtime_checkable
class RemoteFeed(Protocol):
    """Calendars that another process has."""

    async def find_elsewhere(self, token: str) -> tuple[str, Callable[[], bytes]] | None:
        """Return what `CalendarFeed.find` does. Raises StoreError, HolderAway."""
        ...


Feed = CalendarFeed | RemoteFeed


class Logins(Protocol):
    """The kept logins of browsers, as resources use `tpserver.accounts.kept_logins.KeptLogins`."""

    async def redeem(self, ticket: str) -> str: ...

    async def revoke_token(self, token: str) -> int | None: ...


class CalendarResource(Resource):
    """/calendar/TOKEN.ics: deadlines of an account, for any client with the token."""

    isLeaf = True

    def __init__(self, files: FilesResource, feed: Feed | None = None) -> None:
        super().__init__(files)
        self.feed = feed

    def render_GET(self, request: Request) -> bytes | int:
        name = request.postpath[-1].decode("ascii", "replace") if len(request.postpath) == 1 else ""
        if isinstance(self.feed, RemoteFeed):
            doing = Deferred.fromCoroutine(self._ask(self.feed, request, name.removesuffix(SUFFIX)))
            doing.addErrback(lambda failure: log.failure("a request for a calendar failed", failure))
            return NOT_DONE_YET
        try:
            found = None if self.feed is None else self.feed.find(name.removesuffix(SUFFIX))
        except StoreError:
            return request.sentence(503, "The calendar cannot be read now; try again.")
        return self._told(request, found)

    async def _ask(self, feed: RemoteFeed, request: Request, token: str) -> None:
        try:
            request.end(self._told(request, await feed.find_elsewhere(token)))
        except StoreError:
            request.end(request.sentence(503, "The calendar cannot be read now; try again."))
        except HolderAway:
            request.end(request.away())

    def _told(self, request: Request, found: tuple[str, Callable[[], bytes]] | None) -> bytes:
        """Begin the response with a calendar, and return its body."""
        if found is None:
            return request.sentence(404, "There is no such calendar; its link may have been revoked.")
        tag, text = found
        same = _has_tag(request, f'"{tag}"')
        headers = {"Content-Type": CALENDAR, "Cache-Control": "private, no-cache", "ETag": f'"{tag}"'}
        request.begin(304 if same else 200, headers)
        return b"" if same else text()


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
            # By bytes: by text Twisted would decode the values, which may be no UTF-8.
            if len(request.requestHeaders.getRawHeaders(name.encode(), ())) > 1:
                # Autobahn would join all values into one.
                said = f"HTTP {name} header appears more than once in opening handshake request"
                return request.sentence(400, f"This is not the beginning of a WebSocket: {said}.")
        request.channel.transport.token = token_of(request)
        request.channel.transport.cookies = renewed_cookies(request)
        return self._inside.render(request)


class Root(Resource):
    """The root of the site: files, and beside them /healthz, /link, /login, /logout and /ws."""

    def __init__(
        self,
        files: Files,
        sockets: WebSocketFactory,
        origins: Origins,
        health: Callable[[], Mapping[str, object] | None],
        links: LoginTokens | None = None,
        tunnels: bool = False,
    ) -> None:
        self.files = FilesResource(files)
        self.files.tunnels = tunnels
        super().__init__(self.files)
        self.link = LinkResource(self.files, origins, links)
        self._origins = origins
        self.putChild(b"healthz", HealthResource(self.files, health))
        self.putChild(b"link", self.link)
        self.putChild(b"login", LoginResource(self.files, origins))
        self.putChild(b"logout", LogoutResource(self.files, origins))
        self.putChild(STOP_PATH.encode(), StopNoticesResource(self.files))
        self.putChild(CALENDAR_PATH.encode(), CalendarResource(self.files))
        self.putChild(b"ws", SocketDoor(self.files, origins, sockets))

    def stop_notices(self, stop: Callable[[str], Awaitable[bool]]) -> None:
        """Let notices be stopped, see `Browsers.stop_notices`."""
        self.putChild(STOP_PATH.encode(), StopNoticesResource(self.files, stop))

    def show_calendars(self, feed: Feed) -> None:
        """Let calendars be read, see `Browsers.show_calendars`."""
        self.putChild(CALENDAR_PATH.encode(), CalendarResource(self.files, feed))

    def sign_in(self, resource: Resource) -> None:
        """Let browsers sign in, see `Browsers.sign_in`."""
        self.putChild(b"sign-in", resource)

    def keep_logins(self, logins: Logins, end: Callable[[Collection[int]], None]) -> None:
        """Let browsers stay logged in, see `Browsers.keep_logins`."""
        self.putChild(b"login", LoginResource(self.files, self._origins, logins))
        self.putChild(b"logout", LogoutResource(self.files, self._origins, logins, end))


def _origin_problem(origins: Origins, request: Request) -> str:
    """Return why a page may not use the server, or an empty text."""
    return origins.problem(request.header("origin"), request.header("host") or "", _is_loopback(request))


def _text(body: bytes, field: str) -> str | None:
    """Return a text of a JSON object, empty if no field is named; None if the body is something else."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    text = said.get(field) if field else ""
    return text if isinstance(text, str) else None


def _is_loopback(request: Request) -> bool:
    try:
        here = ipaddress.ip_address(str(getattr(request.getHost(), "host", "")).partition("%")[0])
    except ValueError:
        return False
    # A listener on all IPv6 and IPv4 addresses shows IPv4 ones as ::ffff:127.0.0.1.
    return (getattr(here, "ipv4_mapped", None) or here).is_loopback


def _has_tag(request: Request, tag: str) -> bool:
    """Return whether the client already has this state."""
    known = request.header("if-none-match") or ""
    return known.strip() == "*" or tag in _TAGS.findall(known)


def _takes_gzip(accepted: str) -> bool:
    for word in accepted.lower().split(","):
        coding, _, weight = word.partition(";")
        if coding.strip() in ("gzip", "*"):
            return not re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight)
    return False


def json_answer(request: Request, code: int, value: Mapping[str, object], **headers: str) -> bytes:
    """Begin a JSON response, and return its body."""
    request.begin(code, {"Content-Type": JSON, "Cache-Control": "no-store", **headers})
    return json.dumps(dict(value), separators=(",", ":")).encode()


def _problem(request: Request, code: int, sentence: str, **headers: str) -> bytes:
    return json_answer(request, code, {"error": sentence}, **headers)
