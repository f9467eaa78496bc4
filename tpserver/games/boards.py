"""Message boards: each player has one, with reports of turns and letters from others."""

from __future__ import annotations

from dataclasses import dataclass, field

from tpserver.store.boards import StoredMessage


@dataclass(slots=True)
class Board:
    """One player's board.  Slots are positions in ``messages``, from 0; message numbers are never used again."""

    number: int
    """The player's number: its seat + 1."""
    modtime: int
    messages: list[StoredMessage] = field(default_factory=list)
    last: int = 0
    """The number of the newest message there ever was."""

    def next_number(self) -> int:
        self.last += 1
        return self.last

    def touch(self, now: int) -> None:
        """Say that something about the board, or about the boards told beside it, is not as it was."""
        self.modtime = max(now, self.modtime + 1)

    def add(self, message: StoredMessage, now: int) -> None:
        self.messages.append(message)
        self.touch(now)

    def drop(self, message: StoredMessage, now: int) -> None:
        self.messages.remove(message)
        self.touch(now)
