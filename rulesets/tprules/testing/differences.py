"""The place at which two values differ, for messages of failed checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from tprules.kit.words import with_article

LONGEST = 80
"""Maximum characters of a value in a message."""


def first_difference(one: Any, other: Any, path: str, first: str = "", second: str = "") -> str:
    """Return the first difference of two trees of values, with both values; empty if they are equal.

    ``path`` is the name of the trees, ``first`` and ``second`` are the names of the values: "world.ants[2].food: 3
    before, 4 after".
    """
    found = next(_differences(one, other, path), None)
    if found is None:
        return ""
    place, left, right = found
    return f"{place}: {_cut(left)}{first and f' {first}'}, {_cut(right)}{second and f' {second}'}"


def not_whole(value: Any, path: str) -> str:
    """Return the first place in a tree that JSON cannot store as numbers, text, lists and dicts; empty if none."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                return f"{path}: the key {_cut(key)} is no text"
            if problem := not_whole(item, f"{path}.{key}"):
                return problem
        return ""
    if isinstance(value, list | tuple):
        return next(filter(None, (not_whole(item, f"{path}[{at}]") for at, item in enumerate(value))), "")
    if value is None or isinstance(value, str | int):
        return ""
    return f"{path}: {_cut(value)} is {with_article(type(value).__name__)}"


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


_MISSING = _Missing()


def _differences(one: Any, other: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if one == other:
        return
    parts, others = _parts(one), _parts(other)
    if type(one) is type(other) and parts is not None and others is not None:
        for name in [*parts, *(name for name in others if name not in parts)]:
            yield from _differences(parts.get(name, _MISSING), others.get(name, _MISSING), path + name)
    yield path, one, other


def _parts(value: Any) -> dict[str, Any] | None:
    """Return the parts of a value by the end of their path; None if it is no tree."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f".{one.name}": getattr(value, one.name) for one in fields(value) if one.compare}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {f".{name}": getattr(value, name) for name in value._fields}
    if isinstance(value, Mapping):
        return {f"[{key!r}]": item for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return {f"[{at}]": item for at, item in enumerate(value)}
    return None


def _cut(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
