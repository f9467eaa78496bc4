"""Message boards: each player has one, with reports of turns and letters from others.

Memory holds which messages there are and how large they are; their texts are read from the store when somebody asks.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from tpserver.store.boards import Listed, StoredMessage

BOARD_MESSAGES, BOARD_BYTES = 1024, 1024 * 1024
"""What one board holds at most, its bytes as they are stored: letters are refused beyond it, and for reports the oldest
messages go.  A whole board fits into one answer, because programs of 2010 ask for all slots at once."""

SHARE_MESSAGES, SHARE_BYTES = BOARD_MESSAGES // 4, BOARD_BYTES // 4
"""What one sender may have on one board."""


@dataclass(slots=True)
class Mailbox:
    """One player's board.  Slots are positions, from 0; message numbers are never used again."""

    number: int
    """The player's number: its seat + 1."""
    modtime: int
    last: int = 0
    """The number of the newest message there ever was."""
    numbers: array[int] = field(default_factory=lambda: array("q"))
    """By slot: the number of the message."""
    _senders: array[int] = field(default_factory=lambda: array("q"))
    """By slot: the player's number; 0 for the game itself."""
    _sizes: array[int] = field(default_factory=lambda: array("q"))
    """By slot: bytes in the store."""
    size: int = 0
    """Bytes of all messages in the store."""

    def __len__(self) -> int:
        return len(self.numbers)

    def next_number(self) -> int:
        self.last += 1
        return self.last

    def touch(self, now: int) -> None:
        """Say that something about the board, or about the boards told beside it, is not as it was."""
        self.modtime = max(now, self.modtime + 1)

    def put(self, listed: Listed) -> None:
        """Add a message behind all others."""
        self.numbers.append(listed.number)
        self._senders.append(listed.sender or 0)
        self._sizes.append(listed.size)
        self.size += listed.size

    def take(self, slot: int) -> int:
        """Take the message out of a slot and return its number; those behind it move up."""
        self._senders.pop(slot)
        self.size -= self._sizes.pop(slot)
        return self.numbers.pop(slot)

    def sizes(self, slots: Iterable[int]) -> int:
        """Return how many bytes the messages in these slots have together."""
        return sum(self._sizes[slot] for slot in slots)

    def share(self, sender: int) -> tuple[int, int]:
        """Return how many messages of a player are here, and their bytes."""
        mine = [size for number, size in zip(self._senders, self._sizes, strict=True) if number == sender]
        return len(mine), sum(mine)

    def room_for(self, messages: int, size: int) -> bool:
        """Return whether so many messages more, with so many bytes, fit on the board."""
        return len(self) + messages <= BOARD_MESSAGES and self.size + size <= BOARD_BYTES

    def oldest_in_the_way(self, messages: int, size: int, note: int) -> int:
        """Return how many of the oldest must go for so many more of so many bytes, beside a note of ``note`` bytes."""
        if self.room_for(messages, size):
            return 0
        left = self.size + size + note
        for gone, one in enumerate(self._sizes, 1):
            left -= one
            if len(self) - gone + 1 + messages <= BOARD_MESSAGES and left <= BOARD_BYTES:
                return gone
        return len(self)

    def replace_up_to(self, note: StoredMessage) -> None:
        """Put a note in the place of the message with its number and of all older ones."""
        count = bisect_right(self.numbers, note.number)
        self.size -= self.sizes(range(count))
        for column in (self.numbers, self._senders, self._sizes):
            del column[:count]
        self.numbers.insert(0, note.number)
        self._senders.insert(0, 0)
        self._sizes.insert(0, note.size)
        self.size += note.size
