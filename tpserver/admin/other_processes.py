"""Operations that another process of this server performs.

A process asks the one with the game through its control socket.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.defer import TimeoutError as DeferredTimeout
from twisted.internet.endpoints import UNIXClientEndpoint
from twisted.internet.error import ConnectError
from twisted.internet.protocol import Factory, connectionDone
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from tpserver.admin import socket_protocol
from tpserver.admin.socket_client import ANSWER_SECONDS
from tpserver.admin.socket_protocol import BadLine, Fault, OperationError, PathTooLong, SocketPath, socket_name

SECONDS = ANSWER_SECONDS - 10
"""Maximum seconds of an operation in another process, below the wait of its caller."""
LONGEST_ANSWER = 16 * socket_protocol.LONGEST_LINE

# Twisted has no annotations for it.
_Endpoint: Any = UNIXClientEndpoint


class OtherProcesses:
    """The other processes of a server, by number.

    ``directory`` is their data directory. ``addresses`` has the cluster address of every process. ``number`` is that of
    this process. Used on the reactor's thread.
    """

    def __init__(self, reactor: Any, directory: Path, addresses: Sequence[str], number: int) -> None:
        self._reactor = reactor
        self._directory = directory
        self.addresses = addresses
        self._number = number

    def __iter__(self) -> Iterator[int]:
        return (number for number in range(len(self.addresses)) if number != self._number)

    def at(self, address: str) -> int | None:
        """Return the process at an address of other nodes; None if it belongs to another server."""
        found = self.addresses.index(address) if address in self.addresses else self._number
        return None if found == self._number else found

    async def ask(self, number: int, operation: str, arguments: Mapping[str, Any], actor: str) -> list[str]:
        """Have a process perform an operation in the name of ``actor``, and return its output lines.

        Raises OperationError, also for a missing process, and Fault.
        """
        try:
            line = socket_protocol.request_line(operation, arguments, actor)
            with SocketPath(self._directory, socket_name(number)) as path:
                connection = await _Endpoint(self._reactor, path, timeout=5).connect(Factory.forProtocol(_Asking))
        except (ConnectError, FileNotFoundError):
            raise OperationError(
                f"process {number} of this server does not answer now; try again in a moment"
            ) from None
        except (BadLine, PathTooLong) as error:
            raise OperationError(str(error)) from None
        try:
            kind, content = socket_protocol.parse_reply(await connection.ask(line).addTimeout(SECONDS, self._reactor))
        except DeferredTimeout:
            raise Fault(f"process {number} of this server did not answer in time; look at its log") from None
        except BadLine as error:
            raise Fault(f"the answer of process {number} of this server cannot be understood: {error}") from None
        finally:
            connection.transport.loseConnection()
        if kind == "lines":
            return [str(one) for one in content]
        raise (OperationError if kind == "refused" else Fault)(str(content))


class _Asking(LineOnlyReceiver):
    """One request and its response."""

    delimiter = b"\n"
    MAX_LENGTH = LONGEST_ANSWER

    def __init__(self) -> None:
        self._reply: Deferred[bytes] | None = None

    def ask(self, line: bytes) -> Deferred[bytes]:
        """Send a request.

        The Deferred fires with its response, or fails with BadLine without one.
        """
        self._reply = Deferred()
        transport: Any = self.transport
        transport.write(line)
        return self._reply

    def lineReceived(self, line: bytes) -> None:
        if self._reply is not None:
            reply, self._reply = self._reply, None
            reply.callback(line)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if self._reply is not None:
            reply, self._reply = self._reply, None
            reply.errback(BadLine("it hung up before it said whether that is done"))
