"""Parts of messages about the configuration: values and keys as the operator wrote them, and suggestions."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a suggestion for the end of a sentence, or an empty string; of dotted words, the last part is compared."""
    last: dict[str, str] = {}
    for name in words:
        last.setdefault(name.rpartition(".")[2].lower(), name)
    near = difflib.get_close_matches(word.rpartition(".")[2].lower(), last, n=1)
    return f"; did you mean {last[near[0]]}?" if near else ""


def titled(name: str, value: object) -> str:
    """Return a section's heading, or a key."""
    return f"[{name}]" if isinstance(value, dict) and "." not in name else name


def shown(value: object) -> str:
    """Return a value about as the operator wrote it, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    if isinstance(value, str):
        return repr(_cut(value))
    try:
        return _cut(str(value))
    except ValueError:  # an integer with thousands of digits
        return "a very long number"


def named(key: str) -> str:
    """Return an unknown key for a message; in TOML it may be any text."""
    return _cut(key) if key.isprintable() and key else repr(_cut(key))


def _cut(text: str, length: int = 60) -> str:
    return text if len(text) <= length else f"{text[:length]}…"
