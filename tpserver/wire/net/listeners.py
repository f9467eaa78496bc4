"""Listeners: endpoint strings and ports, plain or with TLS."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred, DeferredList, inlineCallbacks, maybeDeferred
from twisted.internet.endpoints import TCP4ServerEndpoint, quoteStringArgument, serverFromString
from twisted.internet.error import CannotListenError

from tpserver.wire.net import PLAIN_PORT, WEB_PORT
from tpserver.wire.net.errors import ListenError

if TYPE_CHECKING:
    from tpserver.wire.net.tls import ServerCertificate

HTTP = ("http", "https")
LOOPBACK = "127.0.0.1"
BACKLOG = 1024
"""Maximum connections waiting to be accepted; after a restart all clients reconnect at once."""

# Twisted has no annotations for these.
_quoted: Callable[[str], str] = quoteStringArgument
_endpoint_from: Callable[[Any, str], Any] = serverFromString
_tcp_endpoint: Callable[..., Any] = TCP4ServerEndpoint

NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class EndpointSpec:
    """Place of a listener: a Twisted endpoint string. With `tls` it is of the kind tcp:PORT:interface=ADDRESS."""

    endpoint: str
    tls: ServerCertificate | None = None
    port: int = 0
    address: str = ""
    schemes: tuple[str, str] = ("tp", "tps")
    """The URL schemes of the address, without and with TLS."""
    use: str = ""
    """The purpose, if it is neither clients nor browsers; it distinguishes endpoints with port 0."""

    @property
    def key(self) -> str:
        """Identifies a listening socket that a server process can pass on to the next one; "" for others."""
        if self.tls is None and not self.endpoint.lower().startswith("tcp:"):
            return ""
        return self.endpoint if self.port else f"{self.use or self.schemes[0]} {self.endpoint}"


def web(port: int = WEB_PORT, address: str = LOOPBACK) -> EndpointSpec:
    """Return the endpoint of a TCP port (0: any free one) of a local address for browsers, unencrypted."""
    return replace(plain(port, address), schemes=HTTP)


def plain(port: int = PLAIN_PORT, address: str = LOOPBACK) -> EndpointSpec:
    """Return the endpoint of a TCP port (0: any free one) of a local address, unencrypted."""
    return EndpointSpec(f"tcp:{port}:interface={_quoted(address)}:backlog={BACKLOG}", None, port, address)


def encrypted(certificate: Path, key: Path | None, port: int, address: str = LOOPBACK) -> EndpointSpec:
    """Return the endpoint of a TLS port, from PEM files (see `tls.certificate_options`). Raises CertificateError."""
    from tpserver.wire.net.tls import ServerCertificate  # see `tpserver.reactors`

    served = ServerCertificate(certificate, key)
    return EndpointSpec(f"tls:{port}:interface={_quoted(address)}", served, port, address)


@dataclass(frozen=True, slots=True)
class Listener:
    """An open listener: `host` and `port` are the real ones. On a Unix socket `host` is its path and `port` is 0."""

    place: EndpointSpec
    host: str
    port: int
    secure: bool
    listening: Any
    """Twisted's IListeningPort."""

    def __str__(self) -> str:
        """The URL: tp://host:port, or with tps, http or https."""
        if not self.port:
            return f"unix:{self.host}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.place.schemes[self.secure]}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Listeners:
    """All open listeners."""

    all: tuple[Listener, ...]

    def sockets(self) -> dict[str, int]:
        """Return the sockets that another server can take over, by `EndpointSpec.key`."""
        return {at.place.key: at.listening.fileno() for at in self.all if at.place.key}

    def close(self) -> Deferred[None]:
        """Accept no more connections; the Deferred fires when the ports are free. Open connections stay."""
        stopping = [maybeDeferred(listener.listening.stopListening) for listener in self.all]
        return DeferredList(stopping, consumeErrors=True).addCallback(lambda _: None)


@inlineCallbacks
def listen(
    reactor: Any,
    factory: Any,
    places: Sequence[EndpointSpec],
    inherited: Mapping[str, int] | None = None,
    outside: Callable[[Any], Any] = lambda factory: factory,
) -> Generator[Deferred[Any], Any, Listeners]:
    """Listen at all places, or at none.

    The Deferred fires with Listeners in the order of `places`, or fails with ListenError. `reactor` provides
    IReactorTCP and the interfaces that the endpoints need. `inherited` has sockets that already listen, by
    `EndpointSpec.key`; None: no other process shares the sockets. `outside` returns the factory for the arriving bytes,
    which may be encrypted, from the factory for their content.
    """
    listeners: list[Listener] = []
    try:
        for place in places:
            if inherited is not None and place.key in inherited:
                listening = _adopted(reactor, outside(_served(factory, place)), inherited[place.key])
            else:
                listening = yield _listen(reactor, outside(_served(factory, place)), place)
                if inherited is not None and place.key:
                    listening = _left_open(reactor, listening)
            host = listening.getHost()
            name = getattr(host, "name", b"") or b""
            listeners.append(
                Listener(
                    place=place,
                    host=getattr(host, "host", None) or name.decode(errors="replace"),
                    port=getattr(host, "port", 0),
                    secure=place.tls is not None or place.endpoint.lower().startswith(("ssl:", "tls:")),
                    listening=listening,
                )
            )
    except ListenError:
        yield Listeners(tuple(listeners)).close()
        raise
    return Listeners(tuple(listeners))


def _adopted(reactor: Any, factory: Any, number: int) -> Any:
    """Listen at a socket that another process has opened, through a copy of it."""
    with socket.socket(fileno=number) as inherited:
        return reactor.adoptStreamPort(inherited.fileno(), inherited.family, factory)


def _served(factory: Any, place: EndpointSpec) -> Any:
    """Return the factory for the bytes that arrive at a place. They may be encrypted."""
    if place.tls is None:
        return factory
    from twisted.protocols.tls import TLSMemoryBIOFactory

    from tpserver.wire.net.tls_records import FramePerRecord

    make: Callable[..., Any] = TLSMemoryBIOFactory
    made = make(place.tls, False, factory)
    made.protocol = FramePerRecord
    return made


def _left_open(reactor: Any, port: Any) -> Any:
    """Return a port at the same socket that leaves it open when it stops.

    Twisted shuts down a socket that it has opened itself. That would also affect the copies of the supervisor and the
    next server.
    """
    copy = reactor.adoptStreamPort(port.fileno(), port.addressFamily, port.factory)
    port.stopReading()
    port.socket.close()
    port.factory.doStop()  # the copy has started it a second time
    return copy


@inlineCallbacks
def _listen(reactor: Any, factory: Any, place: EndpointSpec) -> Generator[Deferred[Any], Any, Any]:
    try:
        if place.tls is not None:
            endpoint = _tcp_endpoint(reactor, place.port, BACKLOG, place.address)
        else:
            endpoint = _endpoint_from(reactor, place.endpoint)
        port = yield endpoint.listen(factory)
    except CannotListenError as error:
        raise ListenError(_cannot_listen(place, error)) from None
    except Exception as error:
        # Plugins parse endpoint strings, and may raise any exception.
        example = f"tcp:{WEB_PORT if place.schemes is HTTP else PLAIN_PORT}:interface={LOOPBACK}"
        what = f"endpoint {place.endpoint!r} cannot be used: {_why(error)}; write one such as {example}"
        raise ListenError(what) from None
    return port


def _why(error: Exception) -> str:
    """Return the error in an endpoint string, from the exception of its parser."""
    if isinstance(error, OSError) and error.strerror:
        name = error.filename if error.filename2 is None else error.filename2
        named = name.decode(errors="replace") if isinstance(name, bytes) else name
        return f"{error.strerror}: {named}" if named else error.strerror
    if isinstance(error, (TypeError, LookupError)):
        return "a part of it is missing, or is none of this kind of endpoint"
    text = str(error)
    if text.startswith("invalid literal for int()"):
        return f"{text.rpartition(': ')[2]} is no number"
    return text.rstrip(".") or type(error).__name__


def _cannot_listen(place: EndpointSpec, error: CannotListenError) -> str:
    reason = error.socketError
    code = reason.errno if isinstance(reason, OSError) else None
    if isinstance(error.port, int):
        where = f"port {error.port} of {error.interface or 'this machine'}"
    else:
        where = str(error.port)
    if code == errno.EADDRINUSE:
        return f"{where} is in use by another program: stop that one, or choose another port"
    if code == errno.EACCES:
        return f"{where} needs rights that this user lacks: choose a port from 1024 to 65535, or another place"
    if code == errno.EADDRNOTAVAIL or isinstance(reason, socket.gaierror):
        return f"{where}: this machine has no such address; 127.0.0.1 is itself, 0.0.0.0 all its addresses"
    return f"{where} ({place.endpoint}): {getattr(reason, 'strerror', None) or reason}"
