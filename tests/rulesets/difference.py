"""First difference of two positions or lists of reports, in words.

Also makes a case that differs as small as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def difference(game: Any, statement: Any, where: str = "") -> str:
    """Return the first difference between what the game and what the statement says, or "" if there is none."""
    if game == statement:
        return ""
    if isinstance(game, Mapping) and isinstance(statement, Mapping):
        for key in [*game, *(key for key in statement if key not in game)]:
            at = f"{where}[{key!r}]" if where else str(key)
            if key not in statement:
                return f"{at}: the game has {game[key]!r}, the statement nothing"
            if key not in game:
                return f"{at}: the game has nothing, the statement {statement[key]!r}"
            if found := difference(game[key], statement[key], at):
                return found
        return ""
    if _is_list(game) and _is_list(statement):
        for number, (one, other) in enumerate(zip(game, statement, strict=False)):
            if found := difference(one, other, f"{where}[{number}]"):
                return found
        if len(game) != len(statement):
            common = min(len(game), len(statement))
            has, rest = ("the game", game) if len(game) > common else ("the statement", statement)
            return f"{where}: {has} has also {list(rest[common:])!r}"
        return ""
    return f"{where}: the game has {game!r}, the statement {statement!r}"


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def smallest(parts: Sequence[T], fails: Callable[[list[T]], bool]) -> list[T]:
    """Return as few of ``parts`` as still make ``fails`` true: halves are left out first, single ones at last."""
    left, size = list(parts), max(1, len(parts) // 2)
    while size:
        start = 0
        while start < len(left):
            without = [*left[:start], *left[start + size :]]
            if fails(without):
                left = without
            else:
                start += size
        size //= 2
    return left
