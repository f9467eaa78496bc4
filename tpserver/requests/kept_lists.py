"""The lists of ids that one connection pages through."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from tpserver.requests import refusals

MOST_LISTS = 32
"""Maximum lists of one connection; the oldest are forgotten."""

MOST_KEPT_IDS = 8192
"""Maximum ids in them together, 16 bytes each; a connection has its newest lists however long they are."""

ALWAYS_KEPT = 4
"""The newest lists, which are kept in any case: a client may page through a few at once."""

LAST_KEY = 0x7FFFFFFE


class KeptList(NamedTuple):
    """Ids and modification times, one after the other, and the time to ask from next."""

    numbers: array[int]
    latest: int

    def __len__(self) -> int:
        return len(self.numbers) // 2

    def part(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the pairs of id and modification time from ``start`` up to ``end``."""
        return list(zip(self.numbers[2 * start : 2 * end : 2], self.numbers[2 * start + 1 : 2 * end : 2], strict=True))


class KeptLists:
    """The newest lists, by their keys (TP04, GetIDSequence)."""

    __slots__ = ("_ids", "_lists", "last_key")

    def __init__(self) -> None:
        self._lists: OrderedDict[int, KeptList] = OrderedDict()
        self._ids = 0
        self.last_key = 0

    def __len__(self) -> int:
        return len(self._lists)

    def keep(self, ids: Sequence[tuple[int, int]], latest: int) -> int:
        """Remember a list, with the time to ask from next; return its key."""
        self.last_key = self.last_key % LAST_KEY + 1
        self._lists[self.last_key] = KeptList(array("Q", [number for pair in ids for number in pair]), latest)
        self._ids += len(ids)
        while len(self._lists) > (MOST_LISTS if self._ids <= MOST_KEPT_IDS else ALWAYS_KEPT):
            self._ids -= len(self._lists.popitem(last=False)[1])
        return self.last_key

    def get(self, key: int) -> KeptList:
        """Return the list with this key, or raise Refused."""
        if key not in self._lists:
            raise refusals.no_such_list(key)
        return self._lists[key]
