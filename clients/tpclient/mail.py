"""The message board of the player, kept current without message ids.

Another client of the same player may remove messages at any time, and later messages then move up. So new messages
cannot be found by counting. The messages of the newest known turn are read again with all that follow, and one of the
turn before. If they are no longer in their slots, the whole board is read and compared with the known messages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tpclient.connection import Connection, message_requests
from tpclient.session import Request
from tpproto import tp_pb2

MOST_READINGS = 5
"""Maximum readings of a board that changes meanwhile. After that, the next update has to read it."""


@dataclass(frozen=True, slots=True)
class MailChanges:
    """Changes of the board: new messages, oldest first, and removed ones."""

    fresh: tuple[tp_pb2.Message, ...] = ()
    gone: tuple[tp_pb2.Message, ...] = ()


class Mail:
    """A copy of the own board. `messages` are oldest first, each with its present slot.

    A message stays the same object as long as it is on the board. Identical messages cannot be distinguished, so it is
    unknown which of them was removed or posted again.
    """

    def __init__(self) -> None:
        self.messages: list[tp_pb2.Message] = []
        self._board: tp_pb2.Board | None = None
        """The last Board frame; None before the first reading."""

    async def read(self, connection: Connection) -> MailChanges:
        """Update the copy and return the changes. If this is interrupted, the copy stays unchanged.

        Raises RequestFailed if the server refuses now, as while it computes a turn, and the errors of `Connection`.
        """
        _, board = await _read(connection, 0, 0)
        start = min(self._anchor(), board.messages)
        for _ in range(MOST_READINGS):
            if board == self._board and board.modtime:
                break  # without the time of the last change, the board is read each time
            found, after = await _read(connection, start, board.messages)
            known = self.messages[start:]  # all known messages must be in their old slots
            if after == board and (not start or (len(found) >= len(known) and all(map(_is_same, known, found)))):
                return self._take(start, found, board)
            board, start = after, 0
        return MailChanges()

    def slots_of(self, messages: Iterable[tp_pb2.Message]) -> list[int]:
        """Return the present slots of these messages, the last first.

        In this order, no message moves before its removal. Messages that no longer exist are left out.
        """
        known = {id(one): one.slot for one in self.messages}
        return sorted({known[id(one)] for one in messages if id(one) in known}, reverse=True)

    def _anchor(self) -> int:
        """Return the slot from which to read the board: the last message before the newest known turn."""
        turn = self.messages[-1].turn if self.messages else 0
        slot = len(self.messages)
        while slot and self.messages[slot - 1].turn == turn:
            slot -= 1
        return max(0, slot - 1)

    def _take(self, start: int, found: Sequence[tp_pb2.Message], board: tp_pb2.Board) -> MailChanges:
        """Replace the known messages from slot `start` on by those found on the board."""
        kept = self.messages[:start]
        gone: list[tp_pb2.Message] = []
        at = start
        read = 0
        for message in found:
            there = next(
                (slot for slot in range(at, len(self.messages)) if _is_same(self.messages[slot], message)), None
            )
            if there is None:
                break  # new messages come at the end, so all from here on are new
            gone += self.messages[at:there]
            self.messages[there].slot = message.slot
            kept.append(self.messages[there])
            at, read = there + 1, read + 1
        gone += self.messages[at:]
        self.messages[:] = [*kept, *found[read:]]
        self._board = board
        return MailChanges(tuple(found[read:]), tuple(gone))


async def _read(connection: Connection, start: int, count: int) -> tuple[list[tp_pb2.Message], tp_pb2.Board]:
    """Return the messages from slot `start` on, of `count`, and the state of the board after that."""
    requests = message_requests(0, range(start, count))
    *answers, last = await connection.ask_all([*requests, Request("get_boards", tp_pb2.GetWithID(ids=[0]))])
    found: list[tp_pb2.Message] = []
    for item in (item for answer in answers for item in answer.items(tp_pb2.Message)):
        if isinstance(item, tp_pb2.Message):
            found.append(item)
        elif not item.is_gone:  # else it was removed during the reading; the board's state shows that
            raise item
    return found, last.one(tp_pb2.Board)


def _is_same(one: tp_pb2.Message, other: tp_pb2.Message) -> bool:
    """Return whether two messages are equal, except for their slots."""
    return (
        one.turn == other.turn
        and one.subject == other.subject
        and one.body == other.body
        and one.writer == other.writer
        and list(one.references) == list(other.references)
    )
