"""Turn reports as messages on the players' boards.

Their number and bytes are limited.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tprules.api import ORDER_INVALID, Reference, RefKind, Report, Seat
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.games.core.game import Game
from tpserver.games.core.message_board import BOARD_BYTES, BOARD_MESSAGES
from tpserver.store.games.boards import Delivery, StoredMessage, stored_size
from tpserver.store.games.summaries import TurnReport

LONGEST_SUBJECT, LONGEST_BODY, MOST_REFERENCES = 255, 16_384, 64
"""Maximum characters of a subject and of a body, and maximum references, per message.

Larger messages of players are refused. Reports are cut, and their terminal control characters are escaped.
"""

TURN_MESSAGES, TURN_BYTES = 128, 256 * 1024
"""Maximum messages, and bytes, of one turn on one board. The last message lists the reports beyond that."""

MOST_LISTED, LONGEST_LINE, LIST_BYTES = 50, 80, 50 * 1024
"""Maximum reports listed, characters of each subject in the list, and bytes reserved for the list."""


@dataclass(frozen=True, slots=True)
class BoardMessage:
    """A report as one player's message, with the players' names filled in, and cut to the limits."""

    subject: str
    body: str
    references: list[list[int]]
    player: int = 0
    """Number of the player who caused it, or 0."""

    @property
    def failed(self) -> bool:
        """True for the report of a failed order."""
        return _ORDER_INVALID in self.references

    @property
    def size(self) -> int:
        """Size in the store, in bytes."""
        return stored_size(self.subject, self.body, self.references)

    def stored(self, game: int, board: int, number: int, turn: int, at: float) -> StoredMessage:
        """Return the message in its stored form."""
        return StoredMessage(game, board, number, turn, at, None, self.subject, self.body, self.references)


_GONE = BoardMessage(
    "Older messages are gone",
    f"They made room for reports: a board holds {BOARD_MESSAGES} messages and {BOARD_BYTES // 1024} KiB.",
    [],
)
"""The note that replaces removed messages on a full board."""


def written(game: Game, reports: Iterable[Report]) -> dict[Seat | None, list[BoardMessage]]:
    """Return the messages from ``reports`` for each seat (None: spectators), within the limits of one turn.

    Changes nothing.
    """
    seats = [player.seat for player in game.players]
    messages: dict[Seat | None, list[BoardMessage]] = {seat: [] for seat in (*seats, None)}
    for report in reports:
        message = BoardMessage(
            _cut(game.text(report.subject), LONGEST_SUBJECT),
            _cut(game.text(report.body), LONGEST_BODY, "\n\t"),
            [wire_reference(reference) for reference in report.references[:MOST_REFERENCES]],
            0 if report.by is None else report.by + 1,
        )
        for seat in messages if report.to is None else [report.to]:
            messages[seat].append(message)
    return {seat: bounded(mine) for seat, mine in messages.items() if mine}


def bounded(messages: Sequence[BoardMessage]) -> list[BoardMessage]:
    """Return the messages within the limits of one turn. If some are left out, the last message lists them."""
    size = 0
    for index, message in enumerate(messages):
        size += message.size
        if size > TURN_BYTES - LIST_BYTES or index == TURN_MESSAGES - 1 < len(messages) - 1:
            return [*messages[:index], _list_of(messages[index:])]
    return list(messages)


def summaries(messages: Mapping[Seat | None, Sequence[BoardMessage]]) -> dict[Seat | None, list[TurnReport]]:
    """Return ``messages`` in the form of a turn summary."""
    return {
        seat: [TurnReport(one.player, one.failed, one.subject, one.body, one.references) for one in mine]
        for seat, mine in messages.items()
    }


def delivery(game: Game, messages: Mapping[Seat | None, Sequence[BoardMessage]], turn: int, at: float) -> Delivery:
    """Return the delivery that puts ``messages`` on the boards, with their numbers assigned; spectators have no board.

    On a full board the oldest messages are removed, and a note takes their place.
    """
    stored: list[StoredMessage] = []
    notes: list[StoredMessage] = []
    for seat, mine in messages.items():
        if seat is None:
            continue
        board = game.boards[seat + 1]
        gone = board.oldest_in_the_way(len(mine), sum(message.size for message in mine), _GONE.size)
        if gone:
            notes.append(_GONE.stored(game.row.id, board.number, board.numbers[gone - 1], turn, at))
        stored += [message.stored(game.row.id, board.number, board.next_number(), turn, at) for message in mine]
    return Delivery(stored, notes)


def wire_reference(reference: Reference) -> list[int]:
    """Return a reference with a seat converted to the player's number."""
    number = reference.id + 1 if reference.kind is RefKind.SEAT else reference.id
    return [int(reference.kind), number]


_ORDER_INVALID = wire_reference(ORDER_INVALID)


def _list_of(messages: Sequence[BoardMessage]) -> BoardMessage:
    lines = [_cut(message.subject, LONGEST_LINE) for message in messages[:MOST_LISTED]]
    if len(messages) > MOST_LISTED:
        lines.append(f"and {len(messages) - MOST_LISTED} more")
    return BoardMessage(f"Further reports: {len(messages)}", "\n".join(lines), [])


def _cut(text: str, longest: int, keep: str = "") -> str:
    return printable(text, longest, KEPT_FOR_PLAYERS + keep)
