"""Tests of requests are of every dialect."""

from __future__ import annotations

import pytest
from server_in_memory import DIALECTS


@pytest.fixture(params=list(DIALECTS))
def dialect(request: pytest.FixtureRequest) -> str:
    """Each dialect in turn."""
    return str(request.param)
