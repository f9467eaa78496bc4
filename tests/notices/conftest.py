"""Fixtures: a server in memory, and the notifications of its players."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.server_in_memory import Server

sys.path.insert(0, str(Path(__file__).parent))  # for told.py, which tests beside this file import

from told import Told


@pytest.fixture
def told(make_server: Callable[..., Server]) -> Iterator[Told]:
    made = Told(make_server)
    yield made
    made.delivery.stop()
