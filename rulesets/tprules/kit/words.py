"""English words for pieces, resources and kinds of object."""

from __future__ import annotations

import re

from tprules.api import Look, Resource

_VOWEL = re.compile(r"(?!eu|one\b|uni(?![mn])|us[eu])[aeiou]|hour|heir", re.IGNORECASE)
"""Words that begin with a vowel sound: egg and hour do, unit and universe do not."""


def called(words: str, each: str = "", symbol: str = "") -> Look:
    """Return the look with ``words`` for one and ``each`` for several. ``each`` is by default ``words`` with an s."""
    return Look(symbol, words=words, each=each or f"{words}s")


def resource(number: int, name: str, text: str, words: str = "", unit: str = "unit", colour: str = "") -> Resource:
    """Return a resource, as one row of a table.

    ``name``, ``words`` and ``unit`` may have both forms of a word, as "ant|ants lost". Others get an s for several. By
    default the words are the name in lower case.
    """
    one, each = _forms(words or name.lower())
    return Resource(number, *_forms(name), *_forms(unit), text, look=Look("", colour, one, each))


def fact(number: int, name: str, text: str, words: str = "", unit: str = "unit") -> Resource:
    """Return a resource that is shown by its words alone, as its amount means nothing to people."""
    return Resource(number, *_forms(name), *_forms(unit), text, look=Look(words=words or name.lower()))


def _forms(words: str) -> tuple[str, str]:
    if "|" not in words:
        return words, f"{words}s"
    forms = [word.split("|") for word in words.split(" ")]
    return " ".join(form[0] for form in forms), " ".join(form[-1] for form in forms)


def with_article(words: str) -> str:
    """Return words for one thing after "a" or "an", by their first sound."""
    return f"an {words}" if _VOWEL.match(words) else f"a {words}"
