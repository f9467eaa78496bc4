"""Node: its path, its start, and the skip or failure without it."""

from __future__ import annotations

import re
import shutil
from functools import cache

from tests.support.chromium import missing
from tests.support.process import run

OLDEST = (20, 10)
"""From this version on Node has a WebSocket, until 22 only if it is asked for."""


@cache
def _command() -> tuple[str, ...] | None:
    program = shutil.which("node") or shutil.which("nodejs")
    version = re.match(r"v(\d+)\.(\d+)", run(program, "--version").out) if program else None
    if not program or not version or (int(version[1]), int(version[2])) < OLDEST:
        return None
    return (program, *(["--no-warnings", "--experimental-websocket"] if int(version[1]) < 22 else []))


def node() -> tuple[str, ...]:
    """The words with which Node is started; without it the test is skipped, or fails where it is required."""
    return _command() or missing("no Node found: install version 20.10 or newer (Debian: apt install nodejs)")
