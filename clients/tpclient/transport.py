"""Byte streams to a server over TCP, TLS or WebSocket, with asyncio.

WebSocket uses the library `websockets` and the sub-protocol tp.pb, with one frame per message. The session speaks the
dialect PB, in which a length precedes each frame, but a WebSocket message has its own length. So outgoing bytes are cut
at their lengths and lose the greeting, and a length is put before each incoming message.
"""

import asyncio
import os
import ssl
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from tpclient.address import TRUSTED, Address
from tpclient.errors import BadArgument, ConnectionClosed, NoAnswer, ServerAway, UnexpectedAnswer
from tpclient.session import LONGEST_FRAME
from tpproto.dialects import PB, TP03, TP04, Dialect

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

SUBPROTOCOL = "tp.pb"
"""Protocol Buffers, with one envelope in each message."""

_LENGTH = 4
"""Bytes of the length before a frame of the dialect PB."""

# Error codes of OpenSSL's X509_verify_cert (x509_vfy.h), and reasons of TLS for bytes that are not TLS.
_OUT_OF_TIME = frozenset({9, 10})
_FOR_ANOTHER = frozenset({62, 64})
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"})


def dialect_named(name: str | None) -> Dialect | None:
    """Return the dialect with this name: tp03, tp04 or pb. None for None."""
    return None if name is None else {"tp03": TP03, "tp04": TP04, "pb": PB}[name]


def spoken_at(address: Address, dialect: Dialect | None) -> Dialect:
    """Return the dialect for an address: `dialect`, or by default TP04, on a WebSocket Protocol Buffers.

    Raises BadArgument for another dialect on a WebSocket.
    """
    if not address.is_web:
        return dialect or TP04
    if dialect not in (None, PB):
        raise BadArgument(f"{address}: WebSocket connections speak Protocol Buffers only (pb), not {dialect.name}.")
    return PB


class Stream(Protocol):
    """An open stream of bytes."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


async def open_stream(address: Address, protocol: asyncio.Protocol, timeout: float) -> Stream:
    """Connect within `timeout` seconds. `protocol` receives the bytes.

    On a WebSocket the bytes are those of the dialect PB on a stream. Raises ServerAway if the connection fails, and
    NoAnswer after `timeout`. Raises BadArgument for unreadable certificates, or if the library for WebSocket is
    missing.
    """
    context = _tls_context(address) if address.tls else None
    try:
        if address.is_web:
            return await _open_websocket(address, context, protocol, timeout)
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(timeout):
            transport, _ = await loop.create_connection(lambda: protocol, address.host, address.port, ssl=context)
        return transport
    except TimeoutError:
        raise NoAnswer(f"No connection to {address} within {timeout:g} seconds.") from None
    except ssl.SSLError as error:
        raise _tls_failed(address, error) from error
    except OSError as error:
        raise ServerAway(f"Cannot connect to {address}: {_reason(error)}.") from error
    except ValueError as error:  # the name resolution rejects the host: empty or long parts, NUL
        raise _bad_host(address) from error


def _tls_context(address: Address) -> ssl.SSLContext:
    """Return the trusted certificates: the address's, or the system's.

    The variable SSL_CERT_FILE replaces the latter.
    """
    named = os.environ.get(TRUSTED)
    if named and not address.certificates:
        try:  # because OpenSSL ignores an unreadable file
            ssl.create_default_context(cafile=named)
        except OSError as error:
            raise _unreadable(f"{named}, which {TRUSTED} names,", error) from error
    try:
        return ssl.create_default_context(cafile=address.certificates)
    except OSError as error:
        raise _unreadable(str(address.certificates), error) from error


def _unreadable(where: str, error: OSError) -> BadArgument:
    if isinstance(error, ssl.SSLError):
        return BadArgument(
            f"In {where} there is no certificate; one in PEM form begins with -----BEGIN CERTIFICATE-----."
        )
    return BadArgument(f"The certificates in {where} cannot be read: {_reason(error)}.")


def _tls_failed(address: Address, error: ssl.SSLError) -> ServerAway:
    """Return the error for a failed TLS connection, with advice."""
    if isinstance(error, ssl.SSLCertVerificationError):
        said = (error.verify_message or "it cannot be verified").rstrip(".")
        if error.verify_code in _OUT_OF_TIME:
            return ServerAway(
                f"The certificate of {address} is not valid now ({said}); its operator has to renew it, or the clock "
                "of this machine is wrong."
            )
        if error.verify_code in _FOR_ANOTHER:
            return ServerAway(
                f"The certificate of {address} is for another host ({said}); connect by a name that it has, or let its "
                "operator add this one."
            )
        return ServerAway(
            f"The certificate of {address} is not trusted ({said}). If the server is one that you trust, get its "
            f"certificate from its operator and name the file: tpclient --certificates FILE, or {TRUSTED}=FILE in the "
            "environment."
        )
    if error.reason in _NO_TLS:
        plain = f"{'ws' if address.is_web else 'tp'}://"
        return ServerAway(f"What answers at {address} does not speak TLS; {plain} goes without, if that is wanted.")
    why = (error.reason or str(error)).replace("_", " ").casefold()
    return ServerAway(f"TLS with {address} failed: {why}.")


def _bad_host(address: Address) -> BadArgument:
    """Return the error for an invalid name of a host. The name is escaped for display."""
    return BadArgument(f"{address.host!r} can be no name of a host.")


def _reason(error: OSError) -> str:
    """Return the reason of an error of the system, without a full stop."""
    if isinstance(error, ConnectionRefusedError):
        return "nobody listens there"
    return (error.strerror or str(error) or type(error).__name__).rstrip(".")


# --- WebSocket


async def _open_websocket(
    address: Address, context: ssl.SSLContext | None, protocol: asyncio.Protocol, timeout: float
) -> Stream:
    """Connect and agree on the sub-protocol.

    Raises ServerAway if the peer is no WebSocket of a game server, and BadArgument without the library. Also raises the
    errors of the system.
    """
    try:
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidHandshake, InvalidStatus, InvalidURI
        from websockets.typing import Subprotocol
    except ImportError:
        raise BadArgument(
            f"{address}: WebSocket connections need the library websockets, which the extra websocket installs "
            "(pip install 'tpserver[websocket]'); tp:// and tps:// work without it."
        ) from None
    try:
        async with asyncio.timeout(timeout):
            link = await connect(
                str(address),
                ssl=context,
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                proxy=None,  # directly, as over TCP
                open_timeout=None,
                close_timeout=timeout,
                max_size=LONGEST_FRAME,
            )
    except InvalidURI as error:
        raise _bad_host(address) from error
    except InvalidStatus as error:
        status = error.response.status_code
        raise ServerAway(f"{address} is no WebSocket of a game server: it answers with status {status}.") from error
    except InvalidHandshake as error:
        hint = "" if address.tls else "; if it speaks TLS there, the address begins with wss://"
        raise ServerAway(f"{address} is no WebSocket of a game server: {str(error).rstrip('.')}{hint}.") from error
    if link.subprotocol != SUBPROTOCOL:
        await link.close()
        raise ServerAway(f"{address} is no WebSocket of a game server: it does not speak {SUBPROTOCOL}.")
    return _WebStream(link, protocol)


class _WebStream:
    """A stream over a WebSocket with two tasks, one to receive and one to send in order."""

    def __init__(self, link: "ClientConnection", protocol: asyncio.Protocol) -> None:
        self._link = link
        self._protocol = protocol
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read())
        self._sending = asyncio.create_task(self._send())
        self._closing: asyncio.Task[None] | None = None

    def write(self, data: bytes) -> None:
        """Queue whole frames of the dialect PB."""
        for message in _messages(data.removeprefix(PB.greeting)):  # read as a length, it is larger than any frame
            self._outgoing.put_nowait(message)

    def close(self) -> None:
        """Close the connection. Bytes not yet sent are dropped."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())

    async def _close(self) -> None:
        self._sending.cancel()
        await self._link.close()

    async def _read(self) -> None:
        problem: Exception | None = None
        try:
            async for message in self._link:
                if isinstance(message, str):
                    problem = UnexpectedAnswer(f"The server sent text, not the bytes of {SUBPROTOCOL}.")
                    break
                self._protocol.data_received(len(message).to_bytes(_LENGTH, "big") + message)
        except Exception as error:  # the protocol reports every end of the stream
            problem = error
        if problem is None and self._link.close_reason:
            problem = ConnectionClosed(f"The server closed the connection: {self._link.close_reason}")
        self._sending.cancel()
        self._protocol.connection_lost(problem)
        self.close()

    async def _send(self) -> None:
        from websockets.exceptions import WebSocketException

        while True:
            message = await self._outgoing.get()
            try:
                await self._link.send(message)
            except WebSocketException:  # the reading task reports the end
                return


def _messages(data: bytes) -> Iterator[bytes]:
    """Yield the frames in bytes of the dialect PB, without their lengths."""
    at = 0
    while at < len(data):
        start = at + _LENGTH
        at = start + int.from_bytes(data[at:start], "big")
        yield data[start:at]
