"""What the browser tests need and a machine may lack."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip the test that needs this, or let it fail where the environment says TP_BROWSER=required."""
    if os.environ.get("TP_BROWSER") == "required":
        pytest.fail(f'TP_BROWSER is "required", but {what}', pytrace=False)
    pytest.skip(what)
