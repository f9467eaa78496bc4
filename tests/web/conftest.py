"""Fixtures: log entries of the level warning or worse."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from twisted.logger import LogEvent, LogLevel, globalLogPublisher

sys.path.insert(0, str(Path(__file__).parent))  # for web_in_memory.py, which tests beside this file import


@pytest.fixture
def errors() -> Iterator[list[LogEvent]]:
    """Log entries of the level warning or worse."""
    found: list[LogEvent] = []

    def observe(event: LogEvent) -> None:
        if event["log_level"] >= LogLevel.warn:
            found.append(event)

    globalLogPublisher.addObserver(observe)
    yield found
    globalLogPublisher.removeObserver(observe)
