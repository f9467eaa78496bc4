"""English words for pieces, resources and kinds of object."""

from __future__ import annotations

import re

from tprules.api import Look

_VOWEL = re.compile(r"(?!eu|one\b|uni(?![mn])|us[eu])[aeiou]|hour|heir", re.IGNORECASE)
"""Begins like a vowel: egg and hour do, unit and universe do not."""


def called(words: str, each: str = "", symbol: str = "") -> Look:
    """Return the look of what is called ``words`` for one and ``each`` for several, by default with an s at its end."""
    return Look(symbol, words=words, each=each or f"{words}s")


def with_article(words: str) -> str:
    """Return words for one thing with "a" or "an" before them, by their first sound."""
    return f"an {words}" if _VOWEL.match(words) else f"a {words}"
