"""Lists of ids that a connection pages through."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tpproto.errors import FailCode
from tpserver.requests.session.refusals import RequestError

MOST_LISTS = 32
"""Maximum lists per connection; the oldest are dropped."""

MOST_KEPT_IDS = 8192
"""Maximum ids in all lists of a connection, 16 bytes each; the newest `ALWAYS_KEPT` lists are kept even beyond it."""

ALWAYS_KEPT = 4
"""Number of newest lists that are kept at any length, as a client may page through several at once."""

LAST_KEY = 0x7FFFFFFE


class KeptList(NamedTuple):
    """Ids with their modification times, flattened, and the time from which to request the next changes (`latest`)."""

    numbers: array[int]
    latest: int

    def __len__(self) -> int:
        return len(self.numbers) // 2

    def part(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the pairs of id and modification time from ``start`` to before ``end``."""
        return list(zip(self.numbers[2 * start : 2 * end : 2], self.numbers[2 * start + 1 : 2 * end : 2], strict=True))


@dataclass(slots=True, eq=False)
class KeptLists:
    """The newest lists by key (TP04, GetIDSequence)."""

    _lists: dict[int, KeptList] = field(default_factory=dict)
    _ids: int = 0
    _finished: set[int] = field(default_factory=set)
    """The keys of lists that were fetched to their end."""
    last_key: int = 0

    def __len__(self) -> int:
        return len(self._lists)

    def keep(self, ids: Sequence[tuple[int, int]], latest: int) -> int:
        """Store a list with the time from which to request the next changes; return its key."""
        self.last_key = self.last_key % LAST_KEY + 1
        self._lists[self.last_key] = KeptList(array("Q", [number for pair in ids for number in pair]), latest)
        self._ids += len(ids)
        while len(self._lists) > (MOST_LISTS if self._ids <= MOST_KEPT_IDS else ALWAYS_KEPT):
            oldest = next(iter(self._lists))
            self._ids -= len(self._lists.pop(oldest))
            self._finished.discard(oldest)
        return self.last_key

    def finish(self, key: int) -> None:
        """Record that a list was fetched to its end."""
        self._finished.add(key)

    def unfinished(self) -> list[tuple[int, KeptList]]:
        """Return the lists that were not fetched to their end by key, the newest first."""
        return [(key, kept) for key, kept in reversed(self._lists.items()) if key not in self._finished]

    def restore(self, lists: Mapping[int, tuple[Sequence[tuple[int, int]], int]], last_key: int) -> None:
        """Restore these lists with their next times by key, up to the key ``last_key``."""
        for key, (ids, latest) in sorted(lists.items()):
            self.last_key = key - 1
            self.keep(ids, latest)
        self.last_key = last_key

    def get(self, key: int) -> KeptList:
        """Return the list with this key. Raises RequestError."""
        if key not in self._lists:
            text = f"there is no list with the key {key}; begin a new one with key -1"
            raise RequestError(FailCode.NO_SUCH_THING, text)
        return self._lists[key]
