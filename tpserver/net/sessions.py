"""What a connection needs of its conversation: whatever answers frame by frame what a client asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from twisted.internet.defer import Deferred

from tpproto.dialects import Dialect
from tpproto.stream import RawFrame


class Session(Protocol):
    """One connection's conversation, as the connection needs it."""

    @property
    def closing(self) -> bool:
        """Set by `answer` or `refuse`, or by the time an answer's Deferred fires: send that answer, then close."""
        ...

    @property
    def logged_in(self) -> bool:
        """Whether the client has said who it is, so that it may be silent for longer."""
        ...

    @property
    def occupied(self) -> bool:
        """Whether a login, which decides what may be asked, or a read of the store is on its way.

        Until it ends `answer` must not be called.
        """
        ...

    @property
    def account_id(self) -> int | None:
        """The number of the account that has logged in: all its connections share one share of the server's time."""
        ...

    @property
    def use(self) -> Dialect | None:
        """The form of its dialect that the client uses from the next piece of input on, as TP04 with padded strings."""
        ...

    def answer(self, frame: RawFrame) -> bytes | Deferred[bytes] | Iterator[bytes | Deferred[bytes]]:
        """The encoded answer to a request, whole or in pieces, which are taken when there is room and time for them.

        Never raises; a Deferred never fails.  The next request is not answered before all pieces are taken.
        """
        ...

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        """An encoded Fail frame for what the connection found wrong."""
        ...

    def connection_lost(self) -> None:
        """The connection has gone."""
        ...


class SessionFactory(Protocol):
    """Makes the conversation of a new connection.

    `address` is the client's IP address, empty on a Unix socket; `secure` says whether the connection is encrypted.
    `send` takes encoded frames that nobody asked for; it may be called in the reactor's thread at any time, without
    effect once the connection has gone.
    """

    def __call__(self, address: str, secure: bool, send: Callable[[bytes], None]) -> Session: ...
