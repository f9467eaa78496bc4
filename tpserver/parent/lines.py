"""The line between parent and server: JSON, one a line, with open files beside it.

The parent says once whether and with what to begin; the server answers once, when it serves.
"""

from __future__ import annotations

import json
import os
import socket
from typing import Any

MOST_FILES = 200


class Orphan(Exception):
    """Nobody is at the other end any more."""


def send(line: socket.socket, said: object, files: list[int]) -> None:
    """Send a line and open files.  Raises OSError."""
    data = json.dumps(said).encode() + b"\n"
    sent = socket.send_fds(line, [data], files) if files else line.send(data)
    line.sendall(data[sent:])


def receive(line: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return a line and the files that came with it.  Raises Orphan if nobody is there any more, and OSError."""
    data = b""
    files: list[int] = []
    while not data.endswith(b"\n"):
        piece, more, _, _ = socket.recv_fds(line, 65536, MOST_FILES)
        if not piece:
            raise Orphan
        data += piece
        files += more
    for file in files:
        os.set_inheritable(file, False)
    said: dict[str, Any] = json.loads(data)
    return said, files
