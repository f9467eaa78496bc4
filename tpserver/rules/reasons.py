"""Texts of exceptions that may come from a ruleset: producing the text runs code of the rules and may never end."""

from __future__ import annotations

from collections.abc import Callable

from tprules.api import faults
from tpserver.rules.sandbox import CHECK_SECONDS, WATCHDOG


def why_it_failed(error: BaseException) -> str:
    """Return what an exception says and where it came from (``tprules.api.faults``), within CHECK_SECONDS."""
    return _in_time(error, faults.why_it_failed)


def what_it_says(error: BaseException) -> str:
    """Return the name and the text of an exception, within CHECK_SECONDS."""
    return _in_time(error, faults.what_it_says)


def _in_time(error: BaseException, tell: Callable[[BaseException], str]) -> str:
    try:
        return WATCHDOG.call(CHECK_SECONDS, lambda: tell(error))
    except Exception:
        return "an exception that cannot be shown"
