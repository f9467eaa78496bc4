"""Proxies in front of the server, and the client addresses they report.

A report counts only if its connection comes from an address that the operator has named. Other clients could claim any
address. On plain listeners a proxy uses the PROXY protocol (proxy-protocol.txt of HAProxy), versions 1 and 2. For
browsers it uses one header, which the operator names. Proxies pass on all other headers as the client wrote them.
"""

from __future__ import annotations

import ipaddress
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHalfCloseableProtocol, ITCPTransport
from twisted.internet.protocol import Protocol
from twisted.logger import Logger
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from zope.interface import directlyProvides, implementer, providedBy  # type: ignore[import-untyped] # zope.interface has no annotations

from tpserver.addresses import CLIENT_HEADER
from tpserver.concurrency import Clock, Timer
from tpserver.wire.net.connection import READ_AT_ONCE

log = Logger()

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
LONGEST_LINE = 107
"""Maximum bytes of a header of version 1, with its line end."""

LONGEST_BLOCK = 2048
"""Maximum bytes of a header of version 2 after its first 16: addresses, and other fields, which are skipped."""

MOST_HOPS = 32
"""Maximum addresses of a forwarded request that are read."""

_Wrapper: Any = ProtocolWrapper  # not annotated well enough to be subclassed
_Wrapping: Any = WrappingFactory
_Base: Any = Protocol


class BadHeader(ValueError):
    """A connection does not begin with a header of the PROXY protocol."""


@dataclass(frozen=True, slots=True)
class Header:
    """The client's address, and the size of the header.

    The address is empty for the proxy itself, such as a health check.
    """

    address: str
    port: int
    size: int


class Proxies:
    """Addresses of trusted proxies, and the header that names the client.

    ``header`` is that of RFC 7239 if its name is Forwarded. Any other is a list of addresses like X-Forwarded-For.
    ``note_missing`` is called with a proxy's address when one of its requests lacks the header.
    """

    def __init__(
        self,
        named: Iterable[str] = (),
        header: str = CLIENT_HEADER,
        note_missing: Callable[[str], object] = lambda peer: None,
    ) -> None:
        """Raises ValueError for a text that is neither an address nor a network."""
        self._networks = [ipaddress.ip_network(name, strict=False) for name in named]
        self.header = header.encode("ascii").lower()
        self.note_missing = note_missing

    def has(self, address: str) -> bool:
        """Return whether this is the address of a proxy."""
        found = _parsed(address)
        return found is not None and any(found in network for network in self._networks)

    def client_of(self, peer: str, value: str | None) -> str:
        """Return the address of the client of a request.

        The request came from ``peer`` with this value of the header. The address is the last address that is not one of
        our proxies. Earlier ones are not trusted.
        """
        if not self.has(peer) or value is None:
            return peer
        client = peer
        hops = _forwarded_hops(value) if self.header == b"forwarded" else reversed(value.split(","))
        for hop in islice(hops, MOST_HOPS):
            found = _parsed(_without_port(hop.strip()))
            if found is None:
                break  # "unknown" or nonsense: the proxy that passed it on is the last known address
            client = str(found)
            if not self.has(client):
                break
        return client


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an IP address, or None for any other text; an IPv4 address mapped into IPv6 becomes an IPv4 address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


_LAST_ELEMENT = re.compile(r'((?:[^",]|"(?:"\\|[^"])*"(?!\\))*)(,|$)')
"""The last element of a value of Forwarded, which is read backwards.

The proxy has written the end. The client may have left a quotation mark open before it.
"""
_PAIR = re.compile(r'(?:^|;)\s*([^\s=;"]+)=("(?:[^"\\]|\\.)*"|[^\s;"]*)\s*(?=;|$)')


def _forwarded_hops(value: str) -> Iterator[str]:
    """Yield the addresses in a value of Forwarded (RFC 7239), the last first; empty for an element without one."""
    backwards, at = value[::-1], 0
    while (found := _LAST_ELEMENT.match(backwards, at)) is not None:
        element = found[1][::-1].strip()
        named = [text for name, text in _PAIR.findall(element) if name.lower() == "for"]
        yield re.sub(r"\\(.)", r"\1", named[0].strip('"')) if len(named) == 1 else ""
        if not found[2]:
            return
        at = found.end()


def _without_port(word: str) -> str:
    if word.startswith("["):
        return word[1:].partition("]")[0]
    return word.partition(":")[0] if word.count(":") == 1 else word


def read_header(data: bytes) -> Header | None:
    """Return the header at the start of a connection, None while it is incomplete. Raises BadHeader."""
    if SIGNATURE.startswith(data[: len(SIGNATURE)]):
        return _read_block(data)
    if b"PROXY ".startswith(data[:6]):
        return _read_line(data)
    raise BadHeader


def _read_line(data: bytes) -> Header | None:
    line, end, _ = data[:LONGEST_LINE].partition(b"\r\n")
    if not end:
        if len(data) >= LONGEST_LINE:
            raise BadHeader
        return None
    size = len(line) + 2
    words = line.decode("latin-1").split(" ")
    if words[1] == "UNKNOWN":
        return Header("", 0, size)
    if len(words) != 6 or words[1] not in ("TCP4", "TCP6") or not re.fullmatch(r"\d{1,5}", words[4]):
        raise BadHeader
    address = _parsed(words[2])
    if address is None or address.version != int(words[1][3]) or int(words[4]) > 65535:
        raise BadHeader
    return Header(str(address), int(words[4]), size)


def _read_block(data: bytes) -> Header | None:
    if len(data) < 16:
        return None
    version, family, length = struct.unpack_from(">BBH", data, 12)
    if version not in (0x20, 0x21) or length > LONGEST_BLOCK:
        raise BadHeader
    size = 16 + length
    if len(data) < size:
        return None
    if version == 0x20 or family not in (0x11, 0x21):
        return Header("", 0, size)  # LOCAL, or no TCP: the connection counts as the proxy's own
    bytes_of_address = 4 if family == 0x11 else 16
    if length < 2 * bytes_of_address + 4:
        raise BadHeader
    address = ipaddress.ip_address(data[16 : 16 + bytes_of_address])
    (port,) = struct.unpack_from(">H", data, 16 + 2 * bytes_of_address)
    return Header(str(address), port, size)


@implementer(IHalfCloseableProtocol)
class ProxiedConnection(_Wrapper):  # type: ignore[misc] # see above
    """A connection that may begin with a header of the PROXY protocol.

    It does if it comes from a proxy. The wrapped protocol starts when the header is complete, and sees the client's
    address.
    """

    factory: ProxiedFactory
    transport: Any
    wrappedProtocol: Any

    def __init__(self, factory: ProxiedFactory, protocol: Any) -> None:
        super().__init__(factory, protocol)
        self._peer: Any = None
        self._head: bytes | None = None
        self._late: Timer | None = None

    def makeConnection(self, transport: Any) -> None:
        if ITCPTransport.providedBy(transport):
            transport.bufferSize = READ_AT_ONCE
        if not self.factory.proxies.has(str(getattr(transport.getPeer(), "host", ""))):
            super().makeConnection(transport)
            return
        self._head = b""
        directlyProvides(self, providedBy(transport))
        _Base.makeConnection(self, transport)
        self.factory.registerProtocol(self)
        self._late = self.factory.clock.callLater(self.factory.seconds, self._refuse)

    def dataReceived(self, data: bytes) -> None:
        if self._head is None:
            super().dataReceived(data)
            return
        self._head += data
        try:
            header = read_header(self._head)
        except BadHeader:
            self._refuse()
            return
        if header is None:
            return
        rest, self._head = self._head[header.size :], None
        self._stop_waiting()
        if header.address:
            kind = IPv6Address if ":" in header.address else IPv4Address
            self._peer = kind("TCP", header.address, header.port)
        self.wrappedProtocol.makeConnection(self)
        if rest and not self.disconnecting:
            super().dataReceived(rest)

    def connectionLost(self, reason: Failure) -> None:
        self._stop_waiting()
        if self._head is None:
            super().connectionLost(reason)
        else:  # the wrapped protocol does not exist yet
            self.factory.unregisterProtocol(self)

    def readConnectionLost(self) -> None:
        if self._head is None and IHalfCloseableProtocol.providedBy(self.wrappedProtocol):
            self.wrappedProtocol.readConnectionLost()
        else:
            self.transport.loseConnection()

    def writeConnectionLost(self) -> None:
        if self._head is None and IHalfCloseableProtocol.providedBy(self.wrappedProtocol):
            self.wrappedProtocol.writeConnectionLost()

    def getPeer(self) -> Any:
        return self.transport.getPeer() if self._peer is None else self._peer

    def _stop_waiting(self) -> None:
        if self._late is not None and self._late.active():
            self._late.cancel()
        self._late = None

    def _refuse(self) -> None:
        self._stop_waiting()
        self.factory.tell_refused(str(getattr(self.transport.getPeer(), "host", "")))
        self.transport.abortConnection()


class ProxiedFactory(_Wrapping):  # type: ignore[misc] # see above
    """The connections of a plain listener behind proxies, with ``seconds`` for their header."""

    protocol = ProxiedConnection
    noisy = False

    def __init__(self, factory: Any, proxies: Proxies, clock: Clock, seconds: float) -> None:
        super().__init__(factory)
        self.proxies = proxies
        self.clock = clock
        self.seconds = seconds
        self._told = False

    def tell_refused(self, address: str) -> None:
        """Log once that a proxy works wrongly, as it may open thousands of connections."""
        if not self._told:
            self._told = True
            log.warn(
                "a connection of the proxy {address} was refused, as it does not begin with a header of the PROXY "
                "protocol; have the proxy send it, or set proxy.header = false. Later ones are not logged",
                address=address,
            )
