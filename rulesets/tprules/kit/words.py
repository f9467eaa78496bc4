"""English words for pieces, resources and kinds of object."""

from __future__ import annotations

import re

from tprules.api import Look

_VOWEL = re.compile(r"(?!eu|one\b|uni(?![mn])|us[eu])[aeiou]|hour|heir", re.IGNORECASE)
"""Words that begin with a vowel sound: egg and hour do, unit and universe do not."""


def called(words: str, each: str = "", symbol: str = "") -> Look:
    """Return the look with ``words`` for one and ``each`` for several. ``each`` is by default ``words`` with an s."""
    return Look(symbol, words=words, each=each or f"{words}s")


def with_article(words: str) -> str:
    """Return words for one thing after "a" or "an", by their first sound."""
    return f"an {words}" if _VOWEL.match(words) else f"a {words}"
