"""Parametrize the tests of requests with two dialects that differ most."""

from __future__ import annotations

import pytest


@pytest.fixture(params=[pytest.param("tp03", marks=pytest.mark.thorough), "json"])
def dialect(request: pytest.FixtureRequest) -> str:
    """JSON and, in thorough tests, the oldest dialect; `tests/protocol` proves that all dialects carry all messages."""
    return str(request.param)
