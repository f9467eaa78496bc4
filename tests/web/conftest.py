"""What the server's log says during a test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.logger import LogEvent, LogLevel, globalLogPublisher

sys.path.insert(0, str(Path(__file__).parent))  # for web_house.py, which tests beside this file import


@pytest.fixture
def logged() -> Iterator[list[dict[str, Any]]]:
    """The events that the web's modules log during the test."""
    events: list[dict[str, Any]] = []

    def observe(event: dict[str, Any]) -> None:
        if str(event.get("log_namespace", "")).startswith("tpserver.web"):
            events.append(event)

    globalLogPublisher.addObserver(observe)
    yield events
    globalLogPublisher.removeObserver(observe)


@pytest.fixture
def errors() -> Iterator[list[LogEvent]]:
    """What reaches the log as a warning or worse."""
    found: list[LogEvent] = []

    def observe(event: LogEvent) -> None:
        if event["log_level"] >= LogLevel.warn:
            found.append(event)

    globalLogPublisher.addObserver(observe)
    yield found
    globalLogPublisher.removeObserver(observe)
