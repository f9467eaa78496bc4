"""Proxies in front of the server, and whose connections they pass on.

Only what comes from an address that the operator has named is believed: anybody else could say to be anybody.  Of plain
listeners a proxy says it by the PROXY protocol (proxy-protocol.txt of HAProxy), versions 1 and 2; of browsers by the
headers Forwarded (RFC 7239) or X-Forwarded-For.
"""

from __future__ import annotations

import ipaddress
import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHalfCloseableProtocol, ITCPTransport
from twisted.internet.protocol import Protocol
from twisted.logger import Logger
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from zope.interface import directlyProvides, implementer, providedBy  # type: ignore[import-untyped] # zope.interface has no annotations

from tpserver.addresses import network_of
from tpserver.concurrency import Clock, Timer
from tpserver.net.connection import READ_AT_ONCE

log = Logger()

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
LONGEST_LINE = 107
"""Maximum bytes of a header of version 1, with its end."""

LONGEST_BLOCK = 2048
"""Maximum bytes of a header of version 2 after its first 16: addresses, and what else is said, which is skipped."""

MOST_HOPS = 32
"""Maximum addresses of a forwarded request that are looked at."""

_Wrapper: Any = ProtocolWrapper  # not annotated well enough to be subclassed
_Wrapping: Any = WrappingFactory
_Base: Any = Protocol


class BadHeader(ValueError):
    """A connection does not begin with a header of the PROXY protocol."""


@dataclass(frozen=True, slots=True)
class Header:
    """Whose connection it is ("": the proxy's own, such as a health check), and how many bytes say so."""

    address: str
    port: int
    size: int


class Proxies:
    """The addresses and networks whose word is believed."""

    def __init__(self, named: Iterable[str] = ()) -> None:
        """Raises ValueError for what is neither an address nor a network."""
        self._networks = [ipaddress.ip_network(name, strict=False) for name in named]

    def has(self, address: str) -> bool:
        """Return whether this is the address of a proxy."""
        found = _parsed(address)
        return found is not None and any(found in network for network in self._networks)

    def client_of(self, peer: str, forwarded: str | None, x_forwarded_for: str | None) -> str:
        """Return the address of the client of a request, which came from ``peer`` with these headers.

        It is the last one that no proxy of ours has; what is before it anybody may have written.
        """
        if not self.has(peer):
            return peer
        client = peer
        for hop in reversed(_hops(forwarded, x_forwarded_for)):
            if _parsed(hop) is None:
                break  # "unknown", or nonsense: who has passed it on is the last that is known
            client = str(_parsed(hop))
            if not self.has(client):
                break
        return client


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(network_of(address) if address.startswith("::ffff:") else address.partition("%")[0])
    except ValueError:
        return None


def _hops(forwarded: str | None, x_forwarded_for: str | None) -> list[str]:
    """Return the addresses that the headers name, the client's first; Forwarded goes before the older one."""
    if forwarded is not None:
        found = re.findall(r'(?:^|[;,\s])for="?(\[[^\]"]*\]|[^\s;,":]+)', forwarded, re.IGNORECASE)
    elif x_forwarded_for is not None:
        found = [word.strip() for word in x_forwarded_for.split(",")]
    else:
        return []
    return [_without_port(word) for word in found[-MOST_HOPS:]]


def _without_port(word: str) -> str:
    if word.startswith("["):
        return word[1:].partition("]")[0]
    return word.partition(":")[0] if word.count(":") == 1 else word


def read_header(data: bytes) -> Header | None:
    """Return the header at the start of a connection, None while it is incomplete.  Raises BadHeader."""
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
        return Header("", 0, size)  # LOCAL, or no TCP: the connection is the proxy's as far as we know
    bytes_of_address = 4 if family == 0x11 else 16
    if length < 2 * bytes_of_address + 4:
        raise BadHeader
    address = ipaddress.ip_address(data[16 : 16 + bytes_of_address])
    (port,) = struct.unpack_from(">H", data, 16 + 2 * bytes_of_address)
    return Header(str(address), port, size)


@implementer(IHalfCloseableProtocol)
class ProxiedConnection(_Wrapper):  # type: ignore[misc] # see above
    """A connection that begins with a header of the PROXY protocol if a proxy has made it.

    What is behind it learns of the connection when the header is complete, and sees the client's address.
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
        else:  # nobody behind has known of it
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
    """The connections of a plain listener behind proxies, which have ``seconds`` for their header."""

    protocol = ProxiedConnection
    noisy = False

    def __init__(self, factory: Any, proxies: Proxies, clock: Clock, seconds: float) -> None:
        super().__init__(factory)
        self.proxies = proxies
        self.clock = clock
        self.seconds = seconds
        self._told = False

    def tell_refused(self, address: str) -> None:
        """Log once that a proxy does not do as it should; there may be thousands of its connections."""
        if not self._told:
            self._told = True
            log.warn(
                "a connection of the proxy {address} was refused, as it does not begin with a header of the PROXY "
                "protocol; have the proxy send it, or set proxy.header = false. Others like it are not told",
                address=address,
            )
