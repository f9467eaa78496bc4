"""Real servers, each in a process and a directory of its own."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from live_server import LiveServer


@pytest.fixture
def directory() -> Iterator[Path]:
    """A directory with a short path: a control socket has to fit."""
    made = Path(tempfile.mkdtemp(prefix="tp-"))
    yield made
    shutil.rmtree(made)


@pytest.fixture
def live(directory: Path) -> Iterator[Callable[..., LiveServer]]:
    """Makes servers that are killed at the end, whatever happens; they take any name at login and are not started."""
    with ExitStack() as stack:
        yield lambda *arguments: stack.enter_context(LiveServer(directory / "data", "--accounts", "open", *arguments))
