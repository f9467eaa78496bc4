"""Client of the control socket: asks a running server for an operation.

It imports no other module of the server, so that the command line responds fast.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tpserver.admin import socket_protocol
from tpserver.admin.socket_protocol import Fault, OperationError

ANSWER_SECONDS = 120.0
"""Maximum seconds of an operation. Closing a turn takes longest."""


class NoServer(Exception):
    """No server listens at the control socket."""


def ask_running(directory: Path, operation: str, arguments: Mapping[str, Any]) -> list[str] | None:
    """Have the server of a data directory perform an operation; return None if no server responds.

    Any of its processes can do it. The first one is asked first, but it may just be replaced. Raises OperationError or
    Fault.
    """
    for name in [socket_protocol.SOCKET, *sorted(path.name for path in directory.glob(socket_protocol.OTHER_SOCKETS))]:
        try:
            with socket_protocol.SocketPath(directory, name) as path:
                if Path(path).is_socket():
                    return ask(path, operation, arguments)
        except (NoServer, OSError, socket_protocol.PathTooLong):
            continue
    return None


def ask(path: str, operation: str, arguments: Mapping[str, Any], seconds: float = ANSWER_SECONDS) -> list[str]:
    """Have a running server perform an operation. Raises NoServer, OperationError or Fault."""
    try:
        request = socket_protocol.request_line(operation, arguments)
    except socket_protocol.BadLine as error:
        raise OperationError(str(error)) from None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(seconds)
        try:
            connection.connect(path)
            connection.sendall(request)
        except (FileNotFoundError, ConnectionError):
            # There is no socket, a stale one, or a server that stops and has not read the request.
            raise NoServer from None
        except OSError as error:
            raise Fault(f"the control socket {path} cannot be used: {error.strerror or error}") from None
        reply = _read_line(connection, path, operation)
    try:
        kind, content = socket_protocol.parse_reply(reply)
    except socket_protocol.BadLine as error:
        raise Fault(f"the server's answer at {path} cannot be understood: {error}") from None
    if kind == "lines":
        return [str(line) for line in content]
    raise (OperationError if kind == "refused" else Fault)(str(content))


def somebody_listens(directory: Path, process: int = 0) -> bool:
    """Return whether the server process with this number listens at its control socket in a data directory."""
    name = socket_protocol.socket_name(process)
    with (
        socket_protocol.SocketPath(directory, name) as path,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection,
    ):
        connection.settimeout(1.0)
        try:
            connection.connect(path)
        except OSError:
            return False
    return True


def _read_line(connection: socket.socket, path: str, operation: str) -> bytes:
    longest = 16 * socket_protocol.LONGEST_LINE
    try:
        with connection.makefile("rb") as reader:
            line = reader.readline(longest + 1)
    except TimeoutError:
        raise Fault(f"the server did not answer at {path} in time; look at its log") from None
    except OSError as error:
        raise Fault(f"the control socket {path} failed: {error.strerror or error}; look at the server's log") from None
    if len(line) > longest:
        raise Fault(f"the server's answer at {path} does not end")
    if not line.endswith(b"\n"):
        raise Fault(
            f"the server hung up at {path} before it said whether {operation} is done; look at its log, and at "
            "tpserver game list"
        )
    return line
