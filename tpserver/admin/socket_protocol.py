"""Protocol of the control socket: one JSON object per line.

Requests and responses alternate.

> {"tpserver": 1, "operation": "game show", "arguments": {"name": "tae"}}
< {"tpserver": 1, "lines": ["tae: running, ..."]}
< {"tpserver": 1, "refused": "there is no game 'tea' (games: tae)"}
< {"tpserver": 1, "fault": "an unexpected KeyError: 'x'; the server's log has the whole story"}
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal


class OperationError(Exception):
    """An operation that is not carried out.

    The message is one sentence for the operator. Nothing has changed, unless the message says that this is unknown.
    """


class Fault(Exception):
    """An unexpected error; the message says where to find the details."""


VERSION = 1
SOCKET = "control.socket"
OTHER_SOCKETS = "control-*.socket"
"""The sockets of further processes, as a pattern."""
LONGEST_LINE = 1024 * 1024
"""Maximum bytes of a line; many times the largest board file."""

LONGEST_ACTOR = 200
"""Maximum characters of an operation's actor."""

LONGEST_PATH = 107
"""Maximum bytes of a Unix socket's path (unix(7): sun_path, without its closing zero)."""


def socket_name(process: int) -> str:
    """Return the name of the control socket of one of a server's processes, counted from 0."""
    return SOCKET if process == 0 else f"control-{process}.socket"


OPEN_FILES = Path("/proc/self/fd")
"""On Linux, files opened by this process have a short path below this one (proc(5))."""


class BadLine(ValueError):
    """An invalid line; the message is a sentence."""


class PathTooLong(ValueError):
    """The path of the socket would be too long; the message is a sentence."""


class SocketPath:
    """The path of the control socket of a data directory, or of another socket in it.

    Use ``path`` before ``close``, or within a ``with``. The directory must exist. Raises PathTooLong on a system
    without a shorter path for it.
    """

    def __init__(self, directory: Path, name: str = SOCKET) -> None:
        self.path = str(directory.absolute() / name)
        self._directory: int | None = None
        too_long = len(os.fsencode(self.path)) - LONGEST_PATH
        if too_long <= 0:
            return
        if not OPEN_FILES.is_dir():
            raise PathTooLong(
                f"the path of the data directory is too long by {too_long} bytes for a socket in it "
                f"({self.path}); choose a shorter one"
            )
        self._directory = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.path = f"{OPEN_FILES}/{self._directory}/{name}"

    def close(self) -> None:
        if self._directory is not None:
            os.close(self._directory)
            self._directory = None

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def request_line(operation: str, arguments: Mapping[str, Any], actor: str = "") -> bytes:
    """Return the request line for an operation. Raises BadLine if it is too long.

    With an ``actor``, another process of the server relays the operation for that actor.
    """
    said = {"operation": operation, "arguments": dict(arguments)}
    line = _line({**said, "actor": actor} if actor else said)
    if len(line) > LONGEST_LINE:
        raise BadLine(f"{operation} with {len(line)} bytes of arguments is too long; {LONGEST_LINE} bytes are allowed")
    return line


def reply_line(kind: Literal["lines", "refused", "fault"], content: list[str] | str) -> bytes:
    """Return the reply to a request: the lines of its output, or a sentence why there are none."""
    return _line({kind: content})


def parse_request(line: bytes) -> tuple[str, dict[str, Any], str]:
    """Return operation, arguments, and the actor of a relayed request or an empty text. Raises BadLine."""
    data = _parsed(line)
    operation, arguments, actor = data.get("operation"), data.get("arguments", {}), data.get("actor", "")
    if not isinstance(operation, str) or not isinstance(arguments, dict):
        raise BadLine('a request has an "operation", which is text, and "arguments", which are an object')
    if not isinstance(actor, str) or len(actor) > LONGEST_ACTOR:
        raise BadLine(f'the "actor" of a request is a text of at most {LONGEST_ACTOR} characters')
    return operation, arguments, actor


def parse_reply(line: bytes) -> tuple[str, Any]:
    """Return ("lines", list), ("refused", sentence) or ("fault", sentence). Raises BadLine."""
    data = _parsed(line)
    for kind, form in (("lines", list), ("refused", str), ("fault", str)):
        if isinstance(data.get(kind), form):
            return kind, data[kind]
    raise BadLine("the server's answer has neither lines nor a reason")


def _line(content: Mapping[str, Any]) -> bytes:
    return json.dumps({"tpserver": VERSION, **content}, ensure_ascii=False).encode() + b"\n"


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line)
        if b"\\u" in line:
            json.dumps(data, ensure_ascii=False).encode()  # half of a surrogate pair is no text that could be stored
    except (ValueError, RecursionError):
        raise BadLine("every line is one JSON object in UTF-8") from None
    if not isinstance(data, dict) or "tpserver" not in data:
        raise BadLine(f'every line is one JSON object with "tpserver": {VERSION} in it')
    if data["tpserver"] != VERSION:
        raise BadLine(
            f"version {data['tpserver']!r} of the control socket's language is not spoken here, only {VERSION}: "
            "server and command line are of different releases"
        )
    return data
