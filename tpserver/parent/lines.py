"""The socket between parent and server: JSON, one message per line, with open files attached.

The parent sends one message, to begin; the server answers with one, when it serves.
"""

from __future__ import annotations

import json
import os
import socket
from typing import Any

MOST_FILES = 200


class Orphan(Exception):
    """The other end of the socket is closed."""


def send(line: socket.socket, said: object, files: list[int]) -> None:
    """Send a message and open files.  Raises OSError."""
    data = json.dumps(said).encode() + b"\n"
    sent = socket.send_fds(line, [data], files) if files else line.send(data)
    line.sendall(data[sent:])


def receive(line: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return a message and the files attached to it.  Raises Orphan if the other end is closed, and OSError."""
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
