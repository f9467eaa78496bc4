"""A WebSocket as a stream: one message a frame, in the sub-protocol tp.pb, with the library `websockets`.

The session speaks the dialect PB, in which each frame follows its length; on a WebSocket messages have their own
lengths. So what is written is cut at its lengths, without the greeting, and what comes in gets its length in front.
"""

import asyncio
import ssl
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tpproto.dialects import PB

from .address import Address
from .errors import BadArgument, ConnectionClosed, NoAnswer, ServerAway, UnexpectedAnswer
from .session import LONGEST_FRAME
from .transport import Listener, Stream, bad_host, reason, tls_failed

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

SUBPROTOCOL = "tp.pb"
"""Protocol Buffers, one envelope a message."""

_LENGTH = 4
"""Bytes of a length before a frame of the dialect PB."""


async def open_websocket(
    address: Address, context: ssl.SSLContext | None, listener: Listener, timeout: float
) -> Stream:
    """Connect and agree on the sub-protocol within `timeout` seconds.

    Raises ServerAway if nobody or something else answers, NoAnswer if it takes longer, BadArgument without the library.
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
                proxy=None,  # straight, as over TCP
                open_timeout=None,
                close_timeout=timeout,
                max_size=LONGEST_FRAME,
            )
    except TimeoutError:
        raise NoAnswer(f"No connection to {address} within {timeout:g} seconds.") from None
    except ssl.SSLError as error:
        raise tls_failed(address, error) from error
    except OSError as error:
        raise ServerAway(f"Cannot connect to {address}: {reason(error)}.") from error
    except (ValueError, InvalidURI) as error:
        raise bad_host(address) from error
    except InvalidStatus as error:
        status = error.response.status_code
        raise ServerAway(f"{address} is no WebSocket of a game server: it answers with status {status}.") from error
    except InvalidHandshake as error:
        hint = "" if address.tls else "; if it speaks TLS there, the address begins with wss://"
        raise ServerAway(f"{address} is no WebSocket of a game server: {str(error).rstrip('.')}{hint}.") from error
    if link.subprotocol != SUBPROTOCOL:
        await link.close()
        raise ServerAway(f"{address} is no WebSocket of a game server: it does not speak {SUBPROTOCOL}.")
    return _WebStream(link, listener)


class _WebStream:
    """Two tasks: one hands over what comes in, one sends what was written, in order."""

    def __init__(self, link: "ClientConnection", listener: Listener) -> None:
        self._link = link
        self._listener = listener
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        self._is_greeted = False
        self._reading = asyncio.create_task(self._read())
        self._sending = asyncio.create_task(self._send())
        self._closing: asyncio.Task[None] | None = None

    def write(self, data: bytes) -> None:
        """Queue whole frames of the dialect PB."""
        if not self._is_greeted:
            data = data.removeprefix(PB.greeting)
            self._is_greeted = True
        for message in _messages(data):
            self._outgoing.put_nowait(message)

    def close(self) -> None:
        """Hang up. What was not sent yet is not sent any more."""
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
                self._listener.received(len(message).to_bytes(_LENGTH, "big") + message)
        except Exception as error:  # whatever ends the stream is the listener's to tell
            problem = error
        if problem is None and self._link.close_reason:
            problem = ConnectionClosed(f"The server closed the connection: {self._link.close_reason}")
        self._sending.cancel()
        self._listener.ended(problem)
        self.close()

    async def _send(self) -> None:
        from websockets.exceptions import WebSocketException

        while True:
            message = await self._outgoing.get()
            try:
                await self._link.send(message)
            except WebSocketException:  # the reading task tells of the end
                return


def _messages(data: bytes) -> Iterator[bytes]:
    """The frames in bytes of the dialect PB, without their lengths."""
    at = 0
    while at < len(data):
        start = at + _LENGTH
        at = start + int.from_bytes(data[at:start], "big")
        yield data[start:at]
