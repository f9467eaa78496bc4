"""Streams of bytes to a server, over TCP or TLS, with asyncio."""

import asyncio
import ssl
from dataclasses import dataclass
from typing import Protocol

from .errors import BadArgument, NoAnswer, ServerAway

PORT = 6923
"""Where servers listen for plain connections."""
TLS_PORT = 6924
"""Where they listen for TLS."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host and port, and whether to speak TLS there.

    `certificates` names a file with the certificates to trust instead of the system's own; `is_checked` False accepts
    any certificate, which protects from listeners only and is for trials.
    """

    host: str
    port: int
    tls: bool = False
    certificates: str | None = None
    is_checked: bool = True

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tps' if self.tls else 'tp'}://{host}:{self.port}"


def parse_address(text: str) -> Address:
    """Read HOST, HOST:PORT or [IPv6]:PORT, with tp:// or tps:// (TLS) before it if wanted.

    Raises BadArgument saying what is allowed.
    """
    scheme, found, rest = text.rpartition("://")
    if found and scheme not in ("tp", "tps"):
        raise BadArgument(f"{text!r}: an address begins with tp:// or tps:// (TLS) or with the host itself.")
    tls = scheme == "tps"
    rest = rest.rstrip("/")
    if rest.startswith("["):
        host, bracket, tail = rest[1:].partition("]")
        port = tail[1:] if tail.startswith(":") else ""
        if not bracket or (tail and not port):
            raise BadArgument(f"{text!r}: an IPv6 address is written [::1]:{PORT}.")
    elif rest.count(":") > 1:
        raise BadArgument(f"{text!r}: an IPv6 address is written [::1]:{PORT}.")
    else:
        host, _, port = rest.partition(":")
    if not host:
        raise BadArgument(f"{text!r}: the host is missing; write HOST:PORT, as 127.0.0.1:{PORT}.")
    if not port and not rest.endswith(":"):
        return Address(host, TLS_PORT if tls else PORT, tls)
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
        raise BadArgument(f"{text!r}: the port is a number from 1 to 65535.")
    return Address(host, int(port), tls)


class Listener(Protocol):
    """Who is told what arrives on a stream."""

    def received(self, data: bytes) -> None: ...

    def ended(self, error: Exception | None) -> None: ...


class Stream(Protocol):
    """An open stream of bytes."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


class _Link(asyncio.Protocol):
    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def data_received(self, data: bytes) -> None:
        self._listener.received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._listener.ended(exc)


async def open_stream(address: Address, listener: Listener, timeout: float) -> Stream:
    """Connect within `timeout` seconds.

    Raises ServerAway if that is not possible, NoAnswer if it takes longer, BadArgument for unreadable certificates.
    """
    loop = asyncio.get_running_loop()
    context = _tls_context(address) if address.tls else None
    try:
        async with asyncio.timeout(timeout):
            transport, _ = await loop.create_connection(
                lambda: _Link(listener), address.host, address.port, ssl=context
            )
    except TimeoutError:
        raise NoAnswer(f"No connection to {address} within {timeout:g} seconds.") from None
    except ssl.SSLError as error:
        raise ServerAway(f"TLS with {address} failed: {error.reason or error}.") from error
    except OSError as error:
        raise ServerAway(f"Cannot connect to {address}: {_reason(error)}.") from error
    return transport


def _tls_context(address: Address) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=address.certificates)
    except OSError as error:
        raise BadArgument(f"The certificates in {address.certificates} cannot be read: {_reason(error)}.") from error
    if not address.is_checked:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _reason(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nobody listens there"
    return (error.strerror or str(error) or type(error).__name__).rstrip(".")
