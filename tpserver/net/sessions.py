"""The interface between a connection and its session, which answers requests frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from twisted.internet.defer import Deferred

from tpproto.dialects import Dialect
from tpproto.stream import RawFrame


class Session(Protocol):
    """The session of one connection, as the connection uses it."""

    @property
    def closing(self) -> bool:
        """Set by `answer` or `refuse`, or before a response's Deferred fires: close after sending that response."""
        ...

    @property
    def logged_in(self) -> bool:
        """Whether the client has logged in and so may be silent for longer."""
        ...

    @property
    def occupied(self) -> bool:
        """Whether a login, which decides what may be requested, or a read of the store is in progress.

        Until it ends `answer` must not be called.
        """
        ...

    @property
    def account_id(self) -> int | None:
        """The id of the account that has logged in, if any: its connections share one share of the server's time."""
        ...

    @property
    def use(self) -> Dialect | None:
        """The variant of its dialect that the client uses from the next input on, such as TP04 with padded strings."""
        ...

    def answer(self, frame: RawFrame) -> bytes | Deferred[bytes] | Iterator[bytes | Deferred[bytes]]:
        """Return the encoded response to a request, whole or in pieces, which are taken as limits and time permit.

        Never raises; a Deferred never fails.  The next request is not answered before all pieces are taken.
        """
        ...

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        """Return an encoded Fail frame for an error that the connection found."""
        ...

    def connection_lost(self) -> None:
        """Called when the connection is gone."""
        ...


class SessionFactory(Protocol):
    """Creates the session of a new connection.

    `address` is the client's IP address, empty on a Unix socket; `secure` says whether the connection is encrypted.
    `send` takes encoded frames that were not requested; it may be called in the reactor's thread at any time and does
    nothing once the connection is gone.
    """

    def __call__(self, address: str, secure: bool, send: Callable[[bytes], None]) -> Session: ...
