"""Chromium: its path, its start, and the skip or failure without it."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Names of Chromium on various systems, first the one without windows, which needs less of the processor.

The environment variable CHROMIUM goes before.
"""

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """The path of the browser; None if this machine has none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)


def missing(what: str) -> NoReturn:
    """Skip the test that needs this, or let it fail where the environment says TP_BROWSER=required."""
    if os.environ.get("TP_BROWSER") == "required":
        pytest.fail(f'TP_BROWSER is "required", but {what}', pytrace=False)
    pytest.skip(what)
