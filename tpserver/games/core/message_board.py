"""Message boards of players, with turn reports and messages.

Numbers, senders and sizes of the messages are in memory. Their texts are read from the store on request.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from tpserver.store.games.boards import Listed, StoredMessage

BOARD_MESSAGES, BOARD_BYTES = 1024, 1024 * 1024
"""Maximum messages on a board, and bytes as stored.

Beyond them messages of players are refused. Reports replace the oldest messages. A whole board fits into one response,
as programs of 2010 request all slots at once.
"""

SHARE_MESSAGES, SHARE_BYTES = BOARD_MESSAGES // 4, BOARD_BYTES // 4
"""Maximum messages, and bytes, of one sender on one board."""


@dataclass(slots=True)
class Board:
    """One player's board, or that of the spectators. Slots are positions, from 0. Message numbers are never reused."""

    number: int
    """The player's number: its seat + 1."""
    modtime: int
    last: int = 0
    """The highest message number ever used."""
    numbers: array[int] = field(default_factory=lambda: array("q"))
    """The message's number, by slot."""
    _senders: array[int] = field(default_factory=lambda: array("q"))
    """The sender's player number, by slot; 0 for the game itself."""
    _sizes: array[int] = field(default_factory=lambda: array("q"))
    """The message's bytes in the store, by slot."""
    size: int = 0
    """Bytes of all messages in the store."""

    def __len__(self) -> int:
        return len(self.numbers)

    def next_number(self) -> int:
        self.last += 1
        return self.last

    def touch(self, now: int) -> None:
        """Raise the modification time, as the board or another one in its list has changed."""
        self.modtime = max(now, self.modtime + 1)

    def put(self, listed: Listed) -> None:
        """Append a message."""
        self.numbers.append(listed.number)
        self._senders.append(listed.sender or 0)
        self._sizes.append(listed.size)
        self.size += listed.size

    def take(self, slot: int) -> int:
        """Remove the message in a slot and return its number. The later messages move up."""
        self._senders.pop(slot)
        self.size -= self._sizes.pop(slot)
        return self.numbers.pop(slot)

    def sizes(self, slots: Iterable[int]) -> int:
        """Return the total bytes of the messages in these slots."""
        return sum(self._sizes[slot] for slot in slots)

    def letters_after(self, number: int) -> int:
        """Return the number of messages of other players with a number above ``number``."""
        first = bisect_right(self.numbers, number)
        return sum(1 for sender in self._senders[first:] if sender not in (0, self.number))

    def letters(self) -> list[int]:
        """Return the slots of messages of players, including the owner of this board."""
        return [slot for slot, sender in enumerate(self._senders) if sender]

    def share(self, sender: int) -> tuple[int, int]:
        """Return the number of messages of a player on this board, and their bytes."""
        mine = [size for number, size in zip(self._senders, self._sizes, strict=True) if number == sender]
        return len(mine), sum(mine)

    def room_for(self, messages: int, size: int) -> bool:
        """Return whether so many more messages, with these bytes in total, fit on the board."""
        return len(self) + messages <= BOARD_MESSAGES and self.size + size <= BOARD_BYTES

    def oldest_in_the_way(self, messages: int, size: int, note: int) -> int:
        """Return how many of the oldest messages a note of ``note`` bytes must replace to make room.

        The room is for ``messages`` more messages of ``size`` bytes in total.
        """
        if self.room_for(messages, size):
            return 0
        left = self.size + size + note
        for gone, one in enumerate(self._sizes, 1):
            left -= one
            if len(self) - gone + 1 + messages <= BOARD_MESSAGES and left <= BOARD_BYTES:
                return gone
        return len(self)

    def oldest_beyond(self, most: int, most_bytes: int, size: int) -> int:
        """Return how many of the oldest messages to remove so that one more of ``size`` bytes fits into the limits."""
        left = self.size + size
        for gone, one in enumerate(self._sizes):
            if len(self) - gone + 1 <= most and left <= most_bytes:
                return gone
            left -= one
        return len(self)

    def drop(self, numbers: Iterable[int]) -> None:
        """Remove the existing messages among these numbers."""
        for number in numbers:
            slot = bisect_left(self.numbers, number)
            if slot < len(self) and self.numbers[slot] == number:
                self.take(slot)

    def sender(self, slot: int) -> int:
        """Return the sender of the message in a slot; 0 for the game itself."""
        return self._senders[slot]

    def replace_up_to(self, note: StoredMessage) -> None:
        """Replace the message with the note's number, and all older ones, by the note."""
        count = bisect_right(self.numbers, note.number)
        self.size -= self.sizes(range(count))
        for column in (self.numbers, self._senders, self._sizes):
            del column[:count]
        self.numbers.insert(0, note.number)
        self._senders.insert(0, 0)
        self._sizes.insert(0, note.size)
        self.size += note.size


def board_of(number: int, listed: list[tuple[int, int, int]], created: int, now: int) -> Board:
    """Return the board of the spectators of a game that was ``created`` then.

    ``listed`` are the stored messages: number, account and bytes.
    """
    board = Board(number, created)
    for letter, account, size in listed:
        board.put(Listed(number, letter, account, size))
        board.last = letter
    if board.last:  # each message has raised the modification time by one, or to the present
        board.modtime = now + board.last
    return board
