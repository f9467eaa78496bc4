"""Control socket of a running server."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from twisted.internet.address import UNIXAddress
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory, connectionDone
from twisted.logger import Logger
from twisted.protocols.basic import LineOnlyReceiver
from twisted.protocols.policies import TimeoutMixin
from twisted.python.failure import Failure

from tpserver.admin import socket_protocol
from tpserver.admin.context import OPERATOR, AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import Fault, OperationError

log = Logger()

MOST_CONNECTIONS = 16
SILENCE_SECONDS = 60.0
"""Maximum seconds of silence on a connection."""
YOUNG_SECONDS = 10.0
"""Seconds for which an idle connection keeps its place, however many others wait."""

FAULT = "the server met an unexpected error; its log has the whole story"


class AdminSocketError(Exception):
    """The control socket cannot be opened. The message is one sentence."""


def listen(reactor: Any, directory: Path, context: AdminContext, process: int = 0) -> AdminSocket:
    """Open the control socket of a server's process in a data directory.

    Only its owner may use it, and it replaces a stale one. The caller holds the store's lock, or has checked that no
    server listens there. Raises AdminSocketError or PathTooLong.
    """
    name = socket_protocol.socket_name(process)
    admin_socket = AdminSocket(reactor, context, socket_protocol.SocketPath(directory, name))
    path = admin_socket.socket_path.path
    _remove_stale(Path(path))
    try:
        # Twisted sets the mode between bind and listen, so no process can connect before that.
        admin_socket.port = reactor.listenUNIX(path, admin_socket, mode=0o600, wantPID=False)
    except CannotListenError as error:
        admin_socket.socket_path.close()
        reason = getattr(error.socketError, "strerror", None) or error.socketError
        raise AdminSocketError(f"the control socket {directory / name} cannot be opened: {reason}") from None
    return admin_socket


def _remove_stale(path: Path) -> None:
    """Remove a socket that a killed server has left; other files stay."""
    try:
        if path.is_socket():
            path.unlink()
    except OSError:
        return


class AdminSocket(Factory):
    """The control socket and its connections."""

    noisy = False

    def __init__(self, reactor: Any, context: AdminContext, socket_path: socket_protocol.SocketPath) -> None:
        self.reactor = reactor
        self.context = context
        self.socket_path = socket_path
        self.conversations: dict[Conversation, float] = {}
        """The time since which each has been silent, the oldest first."""
        self.port: Any = None
        """Twisted's IListeningPort, while the socket is open."""

    def buildProtocol(self, addr: UNIXAddress) -> Conversation:  # type: ignore[override] # Twisted: IAddress
        return Conversation(self)

    def make_room(self) -> None:
        """Close the connection that has been idle longest, if that is YOUNG_SECONDS or more."""
        now = self.reactor.seconds()
        for conversation, since in tuple(self.conversations.items()):
            if not conversation.is_asking and since + YOUNG_SECONDS <= now:
                conversation.give_way()
                return

    def close(self) -> Deferred[None]:
        """Accept no more requests and answer those in progress; the Deferred fires when the socket is closed."""
        for conversation in tuple(self.conversations):
            conversation.finish()
        port, self.port = self.port, None
        gone: Deferred[Any] = succeed(None) if port is None else maybeDeferred(port.stopListening)
        return gone.addBoth(lambda _: self.socket_path.close())


# Twisted has no annotations for it.
_TimeoutMixin: Any = TimeoutMixin


class Conversation(LineOnlyReceiver, _TimeoutMixin):  # type: ignore[misc] # see above
    """One connection. Its requests are performed in order, one at a time."""

    delimiter = b"\n"
    MAX_LENGTH = socket_protocol.LONGEST_LINE

    def __init__(self, admin_socket: AdminSocket) -> None:
        self._socket = admin_socket
        self._busy = False
        self._closing = False
        self._waiting: list[bytes] = []
        self.callLater = admin_socket.reactor.callLater

    def connectionMade(self) -> None:
        if len(self._socket.conversations) >= MOST_CONNECTIONS:
            self._socket.make_room()
        self._socket.conversations[self] = self._socket.reactor.seconds()
        self.setTimeout(SILENCE_SECONDS)
        if len(self._socket.conversations) > MOST_CONNECTIONS:
            self._refuse(f"more than {MOST_CONNECTIONS} connections at once; close some")

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._socket.conversations.pop(self, None)
        self._closing = True
        self._waiting.clear()
        self.setTimeout(None)

    @property
    def is_asking(self) -> bool:
        """True if a request is being performed or is waiting."""
        return self._busy or bool(self._waiting)

    def give_way(self) -> None:
        """Close, and free the place for another connection now."""
        self.connectionLost()
        self._hang_up()

    def lineReceived(self, line: bytes) -> None:
        if self._closing:
            return
        if len(self._waiting) >= MOST_CONNECTIONS:
            self._refuse("too many requests without waiting for their answers")
            return
        self._waiting.append(line)
        self._next()

    def lineLengthExceeded(self, line: bytes) -> None:
        self._refuse(f"a line is longer than {socket_protocol.LONGEST_LINE} bytes")

    def finish(self) -> None:
        """Close after the response to the request in progress."""
        self._closing = True
        self._waiting.clear()
        if not self._busy:
            self._hang_up()

    def _next(self) -> None:
        if self._busy or not self._waiting:
            return
        self.setTimeout(None)
        line = self._waiting.pop(0)
        try:
            operation, arguments, actor = socket_protocol.parse_request(line)
        except socket_protocol.BadLine as error:
            self._refuse(str(error))
            return
        self._busy = True
        performing = perform(self._socket.context, operation, arguments, actor or OPERATOR, passed_on=bool(actor))
        done = Deferred.fromCoroutine(performing)
        done.addCallback(partial(socket_protocol.reply_line, "lines")).addErrback(self._failed).addCallback(
            self._answer
        )

    def _failed(self, failure: Failure) -> bytes:
        if isinstance(failure.value, OperationError):
            return socket_protocol.reply_line("refused", str(failure.value))
        if isinstance(failure.value, Fault):
            return socket_protocol.reply_line("fault", str(failure.value))
        log.failure("an operation at the control socket failed", failure)
        return socket_protocol.reply_line("fault", FAULT)

    def _answer(self, reply: bytes) -> None:
        self._busy = False
        self._write(reply)
        if self._closing:
            self._hang_up()
        else:
            self._socket.conversations[self] = self._socket.reactor.seconds()
            self.setTimeout(SILENCE_SECONDS)
            self._next()

    def _refuse(self, sentence: str) -> None:
        self._write(socket_protocol.reply_line("refused", sentence))
        self._closing = True
        self._waiting.clear()
        self._hang_up()

    def _write(self, data: bytes) -> None:
        transport: Any = self.transport
        transport.write(data)

    def _hang_up(self) -> None:
        transport: Any = self.transport
        transport.loseConnection()

    timeoutConnection = _hang_up
