"""Random numbers by SHA-256 in counter mode.

They are the same on every machine and in every version of Python.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A stream of random draws that depends only on its key.

    The standard library's ``random`` is not used, because a game may continue under another version of Python.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.drawn = 0
        """Number of draws."""

    @classmethod
    def named(cls, seed: bytes, *names: str | int) -> Dice:
        """Return the stream of ``seed`` with this name. Draws from one stream never change another."""
        return cls(hashlib.sha256(b"|".join([seed, *(str(name).encode() for name in names)])).digest())

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to ``limit - 1``, each equally likely.

        Raises ValueError unless ``limit`` is 1 to 2**32.
        """
        if not 1 <= limit <= 2**32:
            raise ValueError(f"dice go from 1 to 2**32 sides, not {limit}")
        while True:
            raw = hashlib.sha256(self._key + self.drawn.to_bytes(8, "big")).digest()
            self.drawn += 1
            value = int.from_bytes(raw[:8], "big")
            if value < 2**64 - 2**64 % limit:
                return value % limit

    def roll(self, sides: int = 6) -> int:
        """Return a whole number from 1 to ``sides``."""
        return 1 + self.below(sides)

    def pick(self, items: Sequence[T]) -> T:
        """Return one of ``items``. They must be in a fixed order: sort a set first."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """Return ``items`` in a random order, as a new list. They must come in a fixed order: sort a set first."""
        cards = list(items)
        for last in range(len(cards) - 1, 0, -1):
            other = self.below(last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        return cards
