"""What the reports of a turn become: messages on the players' boards, bounded in number and bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tprules.api import Reference, RefKind, Report, Seat
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.games.game import Game
from tpserver.games.mailboxes import BOARD_BYTES, BOARD_MESSAGES
from tpserver.store.boards import Delivery, StoredMessage, stored_size

LONGEST_SUBJECT, LONGEST_BODY, MOST_REFERENCES = 255, 16_384, 64
"""Characters and references of one message.  What players write beyond it is refused, reports are cut,
and what could steer a terminal is written out in them."""

TURN_MESSAGES, TURN_BYTES = 128, 256 * 1024
"""What one turn may put on one board; what is more is only listed, in the last message."""

MOST_LISTED, LONGEST_LINE, LIST_BYTES = 50, 80, 50 * 1024
"""How many reports are listed, with how many characters of their subjects, and how many bytes are kept free for it."""

PLAYER_REFERENCE = 7
"""What a reference to a player is called on the wire (TP04, Message frame)."""


@dataclass(frozen=True, slots=True)
class BoardMessage:
    """What a report says to one player, with the players' names in it, cut to what a message may have."""

    subject: str
    body: str
    references: list[list[int]]

    @property
    def size(self) -> int:
        """Bytes in the store."""
        return stored_size(self.subject, self.body, self.references)


def written(game: Game, reports: Iterable[Report]) -> dict[Seat, list[BoardMessage]]:
    """Return what ``reports`` say to each seat, at most what one turn may put on a board.  Changes nothing."""
    seats = [player.seat for player in game.players]
    messages: dict[Seat, list[BoardMessage]] = {seat: [] for seat in seats}
    for report in reports:
        message = BoardMessage(
            _cut(game.text(report.subject), LONGEST_SUBJECT),
            _cut(game.text(report.body), LONGEST_BODY, "\n\t"),
            [wire_reference(reference) for reference in report.references[:MOST_REFERENCES]],
        )
        for seat in seats if report.to is None else [report.to]:
            messages[seat].append(message)
    return {seat: bounded(mine) for seat, mine in messages.items() if mine}


def bounded(messages: Sequence[BoardMessage]) -> list[BoardMessage]:
    """Return what one turn puts on one board; if it is too much, the last message lists what is left out."""
    size = 0
    for index, message in enumerate(messages):
        size += message.size
        if size > TURN_BYTES - LIST_BYTES or index == TURN_MESSAGES - 1 < len(messages) - 1:
            return [*messages[:index], _list_of(messages[index:])]
    return list(messages)


def delivery(game: Game, messages: Mapping[Seat, Sequence[BoardMessage]], turn: int, at: float) -> Delivery:
    """Return what ``messages`` put on the boards, with their numbers given out.

    Where a board has no room the oldest messages go, and a note stands in their place.
    """
    stored: list[StoredMessage] = []
    notes: list[StoredMessage] = []
    for seat, mine in messages.items():
        board = game.mailboxes[seat + 1]
        note = StoredMessage(
            game=game.row.id,
            board=board.number,
            number=0,
            turn=turn,
            at=at,
            sender=None,
            subject="Older messages are gone",
            body=f"They made room for reports: a board holds {BOARD_MESSAGES} messages and {BOARD_BYTES // 1024} KiB.",
            references=[],
        )
        gone = board.oldest_in_the_way(len(mine), sum(message.size for message in mine), note.size)
        if gone:
            notes.append(note.numbered(board.numbers[gone - 1]))
        for message in mine:
            stored.append(
                StoredMessage(
                    game=game.row.id,
                    board=board.number,
                    number=board.next_number(),
                    turn=turn,
                    at=at,
                    sender=None,
                    subject=message.subject,
                    body=message.body,
                    references=message.references,
                )
            )
    return Delivery(stored, notes)


def wire_reference(reference: Reference) -> list[int]:
    """Return a reference with a seat turned into the player's number."""
    if reference.kind is RefKind.SEAT:
        return [PLAYER_REFERENCE, reference.id + 1]
    return [int(reference.kind), reference.id]


def _list_of(messages: Sequence[BoardMessage]) -> BoardMessage:
    lines = [_cut(message.subject, LONGEST_LINE) for message in messages[:MOST_LISTED]]
    if len(messages) > MOST_LISTED:
        lines.append(f"and {len(messages) - MOST_LISTED} more")
    return BoardMessage(f"Further reports: {len(messages)}", "\n".join(lines), [])


def _cut(text: str, longest: int, keep: str = "") -> str:
    return printable(text, longest, KEPT_FOR_PLAYERS + keep)
