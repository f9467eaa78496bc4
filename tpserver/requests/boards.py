"""Message boards: everybody reads and clears the own one, and can post to all."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpserver.games.boards import Board
from tpserver.games.game import Game
from tpserver.requests import refusals
from tpserver.requests.answers import Frames, okay
from tpserver.requests.listing import Ids, after
from tpserver.requests.reading import BoardState
from tpserver.requests.refusals import BOARD, MESSAGE
from tpserver.requests.session import Answer, Session
from tpserver.store.boards import StoredMessage

BOARD_FRAME, MESSAGE_FRAME = BY_NAME["board"].number, BY_NAME["message"].number

LONGEST_SUBJECT, LONGEST_BODY, MOST_REFERENCES = 255, 16_384, 64
MOST_MESSAGES = 10_000
"""On one board; reports of turns are always delivered, letters are refused beyond it."""


def board_ids(session: Session, fromtime: int) -> tuple[Ids, int]:
    """List the own board and those of the others, all with the time of the own one.

    A client of 2008 keeps every board with the time that stands last in the list, and fails on the next message if
    that is older than the own board's.  What may be seen of the others' boards changes only with their players.
    """
    game = session.seeing("GetBoardIDs")
    own = _own(session, game)
    others = [place.seat + 1 for place in game.places if place.seat != session.seat and place.name]
    ids = [(number, own.modtime) for number in (own.number, *(others if session.seat is not None else ()))]
    ids = after(ids, fromtime)
    reading, now = session.reads(), session.host.shelf.now()
    for number, time in ids:
        reading.list_board(number, BoardState(len(own.messages) if number == own.number else 0, time, now))
    return ids, own.modtime


def get_boards(session: Session, message: tp.GetWithID) -> Frames:
    """A board that was listed is answered once as it was then (`reading`)."""
    game = session.seeing("GetBoards")
    own, reading, now = _own(session, game), session.reads(), session.host.shelf.now()
    told: set[int] = set()

    def one(number: int) -> bytes:
        board = own if number in (0, own.number) else _board(game, number)
        if board is None:
            return session.fail_tail(refusals.no_such("board", number, BOARD))
        listed = None if board.number in told else reading.listed_board(board.number, now)
        state = listed or BoardState(len(own.messages) if board is own else 0, own.modtime, now)
        told.add(board.number)
        reading.fetched_board(board.number, state._replace(since=now), own=board is own)
        return session.tail(BOARD_FRAME, board_frame(game, own, board, state))

    return Frames(session.dialect, len(message.ids), map(one, message.ids))


def board_frame(game: Game, own: Board, board: Board, state: BoardState) -> tp.Board:
    """Return a board; of another's only the name, never how much is on it or when that changed."""
    if board is own:
        return tp.Board(
            id=board.number,
            name="Personal board",
            description="Reports of the turns, and what other players write to you",
            messages=state.messages,
            modtime=state.modtime,
        )
    name = game.name_of(board.number - 1)
    return tp.Board(
        id=board.number,
        name=f"{name}'s board",
        description=f"What you post here is read by {name}",
        modtime=state.modtime,
    )


def get_message(session: Session, message: tp.GetWithIDSlot) -> Frames:
    board = _own_board(session, "GetMessage", message.id)
    there = len(board.messages)
    chosen = [(slot, board.messages[slot] if slot < there else None) for slot in message.slots]

    def one(wanted: tuple[int, StoredMessage | None]) -> bytes:
        slot, found = wanted
        if found is not None:
            return session.tail(MESSAGE_FRAME, message_frame(found, slot))
        if session.reading is not None and session.reading.stand_in(slot, session.host.shelf.now()):
            return session.tail(MESSAGE_FRAME, removed_message_frame(board.number, slot))
        return session.fail_tail(_no_slot(board, slot, there))

    return Frames(session.dialect, len(chosen), map(one, chosen))


def removed_message_frame(board: int, slot: int) -> tp.Message:
    """Return what stands in for a message that a client was told of, and that the player removed meanwhile."""
    body = "This message was removed through another connection; what stood behind it has moved up."
    return tp.Message(id=board, slot=slot, subject="(removed)", body=body)


def message_frame(message: StoredMessage, slot: int) -> tp.Message:
    return tp.Message(
        id=message.board,
        slot=slot,
        subject=message.subject,
        body=message.body,
        turn=message.turn,
        references=[tp.Reference(type=kind, id=number & 0xFFFFFFFF) for kind, number in message.references],
    )


def post_message(session: Session, message: tp.Message) -> Answer:
    """Messages are always put at the end: a board is read in the order in which things happened."""
    game, seat = session.playing("PostMessage")
    number = message.id or seat + 1
    board = _board(game, number)
    if board is None:
        raise refusals.no_such("board", number, BOARD)
    for what, length, most in (
        ("the subject", len(message.subject), LONGEST_SUBJECT),
        ("the body", len(message.body), LONGEST_BODY),
        ("the list of references", len(message.references), MOST_REFERENCES),
    ):
        if length > most:
            raise refusals.text_too_long(what, most)
    if len(board.messages) >= MOST_MESSAGES:
        raise refusals.board_full(MOST_MESSAGES)
    references = [[reference.type, reference.id] for reference in message.references]
    sender = [refusals.PLAYER, seat + 1]
    if sender not in references:
        references.insert(0, sender)
    session.host.shelf.post(game, seat + 1, number, message.subject, message.body, references)
    return [okay(session.dialect, "The message is on the board")]


def remove_message(session: Session, message: tp.GetWithIDSlot) -> Frames:
    """Slots are removed one after the other in the order given; each gets its own answer."""
    game = session.seeing("RemoveMessage")
    board = _own_board(session, "RemoveMessage", message.id)
    refusals.limit_slots(len(message.slots), MOST_MESSAGES)

    def one(slot: int) -> bytes:
        there = len(board.messages)
        if slot >= there:
            return session.fail_tail(_no_slot(board, slot, there))
        session.host.shelf.remove_message(game, board.number, board.messages[slot])
        if session.reading is not None:
            session.reading.removed_messages(board.number)
        return okay(session.dialect, "The message is removed")

    return Frames(session.dialect, len(message.slots), map(one, message.slots))


def _own(session: Session, game: Game) -> Board:
    """Return the board of the session's player; who only watches has an empty one."""
    number = session.number_of(0)
    return Board(number, game.modtime, [], 0) if session.seat is None else game.boards[number]


def _own_board(session: Session, what: str, number: int) -> Board:
    game = session.seeing(what)
    own = _own(session, game)
    if number not in (0, own.number):
        if _board(game, number) is None:
            raise refusals.no_such("board", number, BOARD)
        raise refusals.foreign_board(number)
    return own


def _board(game: Game, number: int) -> Board | None:
    if not 1 <= number <= len(game.places) or not game.places[number - 1].name:
        return None
    return game.boards.get(number)


def _no_slot(board: Board, slot: int, there: int) -> refusals.Refused:
    return refusals.no_such_slot(slot, there, [(BOARD, board.number), (MESSAGE, slot)])
