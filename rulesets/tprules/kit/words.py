"""What pieces, resources and kinds of object are called in English."""

from __future__ import annotations

from tprules.api import Look


def called(words: str, each: str = "", symbol: str = "") -> Look:
    """Return the look of what is called ``words`` for one and ``each`` for several, by default with an s at its end."""
    return Look(symbol, words=words, each=each or f"{words}s")
