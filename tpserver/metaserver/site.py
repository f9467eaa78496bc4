"""HTTP site of a metaserver: updates, and the list.

The list is available as frames, as JSON and as a page.
"""

from __future__ import annotations

import html
import ipaddress
import json
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IResolutionReceiver
from twisted.logger import Logger
from twisted.web.server import NOT_DONE_YET
from zope.interface import implementer  # type: ignore[import-untyped] # zope.interface has no annotations

from tpserver.addresses import is_public
from tpserver.metaserver.entries import Entries, Entry, NotListed, frame, hosts_of, join_frames, object_of
from tpserver.network_counts import HeldCounts, may_take
from tpserver.wire.web.http import Request
from tpserver.wire.web.resources import Resource

MOST_FIELDS = 80
"""Maximum fields of a request."""

RESOLVE_SECONDS = 5.0
"""Maximum seconds of a name lookup."""

BODY_BYTES = 8 * 1024
"""Maximum bytes of an update in a POST."""

Resolve = Callable[[str], "Deferred[list[str]]"]
"""Returns a Deferred of the addresses of a name; empty if there are none, or no response within RESOLVE_SECONDS."""

UPDATES_AT_ONCE, UPDATES_PER_NETWORK = 64, 4
"""Maximum updates whose names are looked up at the same time.

The numbers are for all, and for one address (see `levels_of`). The second half of the places is for networks without
any.
"""


class Form(NamedTuple):
    """A form of the list: a function that writes an entry, and one that joins the pieces."""

    piece: Callable[[Entry], bytes]
    join: Callable[[Sequence[bytes]], bytes]


log = Logger()


class List(Resource):
    """/, /servers.json: the list of a metaserver. `changed` is called after each update."""

    isLeaf = True

    def __init__(self, entries: Entries, resolve: Resolve, changed: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._entries = entries
        self._resolve = resolve
        self._changed = changed
        self._made: dict[Form, tuple[int, bytes]] = {}
        self._pieces: dict[Form, dict[str, tuple[Entry, bytes]]] = {}
        """The written entry and its piece, by form and name."""
        self._updating = 0
        self._updates = HeldCounts()

    def _list(self, form: Form) -> bytes:
        """Return the list in a form.

        It is joined once for each change, as clients may request it often. Only changed entries are written again, as
        servers may update theirs often.
        """
        version = self._entries.version
        known = self._made.get(form)
        if known is None or known[0] != version:
            before, pieces = self._pieces.get(form, {}), {}
            for entry in self._entries.all():
                piece = before.get(entry.name)
                pieces[entry.name] = piece if piece is not None and piece[0] is entry else (entry, form.piece(entry))
            self._pieces[form] = pieces
            known = self._made[form] = version, form.join([piece for _, piece in pieces.values()])
        return known[1]

    def refuse_method(self, request: Request) -> bytes:
        return request.sentence(405, "Only GET, HEAD and POST are answered here.", Allow="GET, HEAD, POST")

    def render_GET(self, request: Request) -> bytes | int:
        return self._answer(request, request.uri.partition(b"?")[2])

    def render_POST(self, request: Request) -> bytes | int:
        return self._answer(request, request.content.read())

    def _answer(self, request: Request, query: bytes) -> bytes | int:
        if request.path == b"/servers.json":
            request.begin(200, {"Content-Type": "application/json", "Cache-Control": "no-store"})
            return self._list(DOCUMENTS)
        if request.path != b"/":
            return request.sentence(404, "There is no such page here; the list is at /.")
        try:
            said = dict(parse_qsl(query.decode(), True, True, max_num_fields=MOST_FIELDS))
        except ValueError:
            return request.sentence(400, f"A request has at most {MOST_FIELDS} fields, as key=value with & between.")
        match said.get("action"):
            case None:
                request.begin(200, {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"})
                return self._list(PAGE)
            case "get":
                request.begin(200, {"Content-Type": "application/octet-stream", "Cache-Control": "no-store"})
                return self._list(FRAMES)
            case "update":
                doing = Deferred.fromCoroutine(self._update(request, said))
                doing.addErrback(lambda failure: log.failure("an update failed", failure))
                return NOT_DONE_YET
        return request.sentence(400, "action is update or get; without any there is a page.")

    async def _update(self, request: Request, said: dict[str, str]) -> None:
        try:
            hosts = await self._hosts(said, request.address)
            entry = self._entries.update(said, request.address, hosts)
        except NotListed as refused:
            log.info("{address} was refused: {why}", address=request.address, why=str(refused))
            request.end(request.sentence(refused.code, str(refused)))
            return
        self._changed()
        request.end(request.sentence(200, f"{entry.name} is listed."))

    async def _hosts(self, said: dict[str, str], address: str) -> list[str]:
        """Return the names in an update that lead to its server. Raises NotListed."""
        is_new = self._updates.is_new(address)
        has_place = may_take(self._updating, UPDATES_AT_ONCE, is_new=is_new, is_known=is_new)
        if not has_place or self._updates.is_full(address, UPDATES_PER_NETWORK):
            raise NotListed(503, "Names of too many updates are being looked up; try again in a moment.")
        self._updating += 1
        self._updates.add(address)
        try:
            return [host for host in hosts_of(said) if await self._leads_here(host, address)]
        finally:
            self._updating -= 1
            self._updates.remove(address)

    async def _leads_here(self, host: str, address: str) -> bool:
        """Return whether a name leads to the server that uses it. A server of the own network is trusted."""
        if not is_public(address):
            return True
        if is_public(host) is not None:
            return _same(host, address)
        return any(_same(found, address) for found in await self._resolve(host))


def _same(one: str, other: str) -> bool:
    try:
        return ipaddress.ip_address(one) == ipaddress.ip_address(other)
    except ValueError:
        return False


@implementer(IResolutionReceiver)
class _Addresses:
    """Collects the addresses of a name."""

    def __init__(self) -> None:
        self.done: Deferred[list[str]] = Deferred()
        self._found: list[str] = []

    def resolutionBegan(self, resolution: object) -> None: ...

    def addressResolved(self, address: Any) -> None:
        self._found.append(address.host)

    def resolutionComplete(self) -> None:
        if not self.done.called:
            self.done.callback(self._found)


def resolver(reactor: Any) -> Resolve:
    """Return a function that looks names up by the system's own means."""

    def resolve(host: str) -> Deferred[list[str]]:
        receiver = _Addresses()
        reactor.nameResolver.resolveHostName(receiver, host)
        receiver.done.addTimeout(RESOLVE_SECONDS, reactor)
        nobody: list[str] = []
        return receiver.done.addErrback(lambda failure: nobody)

    return resolve


def documents(entries: Iterable[Entry]) -> bytes:
    """Return the list as JSON."""
    return _join_documents([_document(entry) for entry in entries])


def _document(entry: Entry) -> bytes:
    return json.dumps(object_of(entry)).encode()


def _join_documents(pieces: Sequence[bytes]) -> bytes:
    return b'{"servers": [' + b", ".join(pieces) + b"]}"


def page(entries: Iterable[Entry]) -> bytes:
    """Return the list as a page for people."""
    return _join_rows([_row(entry).encode() for entry in entries])


def _join_rows(rows: Sequence[bytes]) -> bytes:
    head = b"<tr><th>Game</th><th>Rules</th><th>Players</th><th>About</th><th>Next turn</th><th>Where</th></tr>"
    table = b"<p>No server is listed now.</p>"
    if rows:
        table = b"".join((b"<table>", head, *rows, b"</table>"))
    return (
        b'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Servers</title>'
        b'<meta name="viewport" content="width=device-width"></head><body><h1>Servers</h1>'
        + table
        + b"</body></html>\n"
    )


def _row(entry: Entry) -> str:
    facts = dict(entry.facts)
    due = facts.get("next", "")
    when = ""
    if due.isascii() and due.isdigit() and len(due) <= 10:
        when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(int(due)))
    ways = [f"{way.kind}://{f'[{way.dns}]' if ':' in way.dns else way.dns}:{way.port}" for way in entry.ways]
    rules = f"{facts['rule']} {facts['rulever']} ({facts['sertype']} {facts['server']})"
    cells = [entry.name, rules, facts.get("plys", ""), facts.get("cmt", ""), when]
    told = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
    return f"<tr>{told}<td>{'<br>'.join(map(html.escape, ways))}</td></tr>"


DOCUMENTS = Form(_document, _join_documents)
PAGE = Form(lambda entry: _row(entry).encode(), _join_rows)
FRAMES = Form(frame, join_frames)
