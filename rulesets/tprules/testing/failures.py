"""How a check fails: what was seen, and what to do about it."""

from __future__ import annotations

from typing import NoReturn


class Nonconforming(AssertionError):
    """A ruleset does not keep its contract; the message says what was seen and what to do."""


def fail(what: str, advice: str) -> NoReturn:
    """Raise Nonconforming with both."""
    raise Nonconforming(f"{what}\n  Advice: {advice}")
