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
"""So often is the board read when it changes under our hands; then the next look has to see to it."""


@dataclass(frozen=True, slots=True)
class MailChanges:
    """Changes of the board: new messages, oldest first, and removed ones."""

    fresh: tuple[tp_pb2.Message, ...] = ()
    gone: tuple[tp_pb2.Message, ...] = ()


class Mail:
    """A copy of the own board: `messages`, oldest first, each with the slot that it has now.

    A message stays the same object as long as it is on the board. Of messages that are alike in everything, turn and
    text and references, nobody can tell which of them was removed, nor whether one that was removed came again.
    """

    def __init__(self) -> None:
        self.messages: list[tp_pb2.Message] = []
        self._board: tp_pb2.Board | None = None
        """The Board frame that was read; None before the first reading."""

    async def read(self, connection: Connection) -> MailChanges:
        """Bring the copy up to date and say what changed. If this is interrupted the copy is as it was before.

        Raises RequestFailed if the server refuses now, as while it computes a turn, and what `Connection` raises.
        """
        _, board = await _read(connection, 0, 0)
        start = min(self._anchor(), board.messages)
        for _ in range(MOST_READINGS):
            if board == self._board and board.modtime:
                break  # a server that does not tell when it was changed is asked each time
            found, after = await _read(connection, start, board.messages)
            known = self.messages[start:]  # all of it has to stand where it stood
            if after == board and (not start or (len(found) >= len(known) and all(map(_is_same, known, found)))):
                return self._take(start, found, board)
            board, start = after, 0
        return MailChanges()

    def slots_of(self, messages: Iterable[tp_pb2.Message]) -> list[int]:
        """Return the present slots of these messages, the last first.

        So none moves before it is removed. Messages that no longer exist are left out.
        """
        known = {id(one): one.slot for one in self.messages}
        return sorted({known[id(one)] for one in messages if id(one) in known}, reverse=True)

    def _anchor(self) -> int:
        """From which slot on the board is read: the last message before the newest turn that is known."""
        turn = self.messages[-1].turn if self.messages else 0
        slot = len(self.messages)
        while slot and self.messages[slot - 1].turn == turn:
            slot -= 1
        return max(0, slot - 1)

    def _take(self, start: int, found: Sequence[tp_pb2.Message], board: tp_pb2.Board) -> MailChanges:
        """Take what stands on the board from slot `start` on in the place of what was known to be there."""
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
    """The messages from slot `start` on, of `count`, and what the server says of the board after that."""
    requests = message_requests(0, range(start, count))
    *answers, last = await connection.ask_all([*requests, Request("get_boards", tp_pb2.GetWithID(ids=[0]))])
    found: list[tp_pb2.Message] = []
    for item in (item for answer in answers for item in answer.items(tp_pb2.Message)):
        if isinstance(item, tp_pb2.Message):
            found.append(item)
        elif not item.is_gone:  # else it was removed while we read, as the board's state tells
            raise item
    return found, last.one(tp_pb2.Board)


def _is_same(one: tp_pb2.Message, other: tp_pb2.Message) -> bool:
    """Return whether two messages are alike, whatever their slots."""
    return (
        one.turn == other.turn
        and one.subject == other.subject
        and one.body == other.body
        and one.writer == other.writer
        and list(one.references) == list(other.references)
    )
