"""Servers in memory for fuzzing targets that need a store, and its folder."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.server_in_memory import Server

MEMORY = Path("/dev/shm")


def memory() -> str | None:
    """Return a folder in memory, or None where there is none. The process of libFuzzer gets it as an argument."""
    return str(MEMORY) if MEMORY.is_dir() and "TMPDIR" not in os.environ else None


def folder(stack: ExitStack) -> Path:
    """Return a folder that is removed with the stack."""
    return Path(stack.enter_context(TemporaryDirectory(dir=memory(), prefix="fuzzing-")))


def server(stack: ExitStack, **more: Any) -> Server:
    """Return a server on a database of its own, which ends with the stack."""
    made = Server(folder(stack) / "server.sqlite", **more)
    stack.callback(made.stop)
    return made
