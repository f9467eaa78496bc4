"""Reduction of a plan that shows a fault: leave out steps, keep the fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def smaller(things: Sequence[T], fails: Callable[[Sequence[T]], bool], most_tries: int = 400) -> list[T]:
    """Return a part of ``things``, in their order, for which ``fails`` is still so, after at most so many tries.

    It is the algorithm ddmin: parts are taken out, half of all at first, then smaller and smaller ones, until no single
    one can be.
    """
    kept, parts, tries = list(things), 2, 0
    while len(kept) > 1:
        size = -(-len(kept) // parts)
        for start in range(0, len(kept), size):
            if tries >= most_tries:
                return kept
            tries += 1
            rest = kept[:start] + kept[start + size :]
            if fails(rest):
                kept, parts = rest, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(len(kept), 2 * parts)
    return kept
