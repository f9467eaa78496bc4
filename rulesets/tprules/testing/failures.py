"""The error of a failed check: the observation, and advice."""

from __future__ import annotations

from typing import NoReturn


class Nonconforming(AssertionError):
    """A ruleset breaks its contract. The message has the observation (``what``) and advice (``advice``)."""

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what}\n  Advice: {advice}" if advice else what)
        self.what = what
        self.advice = advice


def fail(what: str, advice: str) -> NoReturn:
    """Raise Nonconforming with an observation and advice."""
    raise Nonconforming(what, advice)
