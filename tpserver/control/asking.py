"""How the command line gets something done: by the running server, or on the store itself.

The store's lock decides, not a guess: whoever holds it is asked over its control socket.  If nobody answers there, it
is another command line or a server that is starting or stopping, so both are tried again for a while.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tpserver.config import Config
from tpserver.control import lines
from tpserver.control.direct import has_data, office_of, rehearsal, result_now
from tpserver.control.operations import MAKING, Refused, perform
from tpserver.rules.discovery import Rulesets
from tpserver.store import StoreError

PATIENCE = 15.0
"""Seconds for which a store may be locked by somebody who does not answer."""

ANSWER_SECONDS = 120.0
"""Seconds that a server may take for an operation; closing a turn is the longest."""


class Fault(Exception):
    """Something went wrong that should not; the message says where the whole story is."""


class NobodyThere(Exception):
    """Nobody listens at the control socket."""


def get_done(config: Config, rulesets: Rulesets, operation: str, arguments: Mapping[str, Any]) -> list[str]:
    """Do an operation and return the lines to print.

    Raises Refused or StoreError with a sentence, then nothing has changed; Fault if the server failed.
    """
    if not has_data(config):
        if operation not in MAKING:
            raise Refused(
                f"there is no data in {config.server.data} yet; tpserver game create makes it, --data names another "
                "directory"
            )
        with rehearsal(config, rulesets) as office:
            result_now(perform(office, operation, arguments))
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            with office_of(config, rulesets) as office:
                return result_now(perform(office, operation, arguments))
        except StoreError as error:
            if error.code != "in-use":
                raise
            locked = error
        try:
            with lines.Doorway(config.server.data) as path:
                return ask(path, operation, arguments)
        except (NobodyThere, FileNotFoundError):
            if time.monotonic() > give_up:
                raise locked from None
            time.sleep(0.05)
        except lines.PathTooLong as error:
            raise Refused(str(error)) from None


def ask(path: str, operation: str, arguments: Mapping[str, Any], seconds: float = ANSWER_SECONDS) -> list[str]:
    """Have a running server do an operation.  Raises NobodyThere, Refused or Fault."""
    try:
        request = lines.request_line(operation, arguments)
    except lines.BadLine as error:
        raise Refused(str(error)) from None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(seconds)
        try:
            connection.connect(path)
            connection.sendall(request)
        except (FileNotFoundError, ConnectionError):
            # Nothing there, a stale socket, or a server that stops in this moment: it has not read the request.
            raise NobodyThere from None
        except OSError as error:
            raise Fault(f"the control socket {path} cannot be used: {error.strerror or error}") from None
        reply = _read_line(connection, path, operation)
    try:
        kind, content = lines.parse_reply(reply)
    except lines.BadLine as error:
        raise Fault(f"the server's answer at {path} cannot be understood: {error}") from None
    if kind == "lines":
        return [str(line) for line in content]
    raise (Refused if kind == "refused" else Fault)(str(content))


def somebody_listens(directory: Path) -> bool:
    """Return whether a server is there at the control socket of a data directory."""
    with lines.Doorway(directory) as path, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(path)
        except OSError:
            return False
    return True


def _read_line(connection: socket.socket, path: str, operation: str) -> bytes:
    data = bytearray()
    try:
        while not data.endswith(b"\n"):
            piece = connection.recv(65536)
            if not piece:
                raise Fault(
                    f"the server hung up at {path} before it said whether {operation} is done; look at its log, and at "
                    "tpserver game list"
                )
            data += piece
            if len(data) > 16 * lines.LONGEST_LINE:
                raise Fault(f"the server's answer at {path} does not end")
    except TimeoutError:
        raise Fault(f"the server did not answer at {path} in time; look at its log") from None
    except OSError as error:
        raise Fault(f"the control socket {path} failed: {error.strerror or error}; look at the server's log") from None
    return bytes(data)
