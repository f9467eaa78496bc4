"""Requests about message boards: reading, clearing and posting.

Players read and clear their own boards, and can post to all. The spectators of a game share one board. Each of them
sees it as the own board, and players read it when the game is over.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any

from twisted.logger import Logger

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpserver.concurrency import next_round
from tpserver.games.core.game import Game, durable
from tpserver.games.core.message_board import BOARD_BYTES, BOARD_MESSAGES, SHARE_BYTES, SHARE_MESSAGES, Board
from tpserver.games.core.turn_reports import LONGEST_BODY, LONGEST_SUBJECT, MOST_REFERENCES
from tpserver.games.hall import messages
from tpserver.games.service.spectators import LONGEST_LETTER
from tpserver.games.stored.history import PastGame
from tpserver.games.terms.chat_rules import NONE, PRIVATE, PUBLIC, WORDS, press_of
from tpserver.games.terms.delay import delay_of, is_shown_later
from tpserver.games.terms.delay import words as delay_words
from tpserver.games.terms.guests import YES, guests_of
from tpserver.requests.session import refusals
from tpserver.requests.session.decode_limits import CLASSIC
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.paging import Ids, after, get_ids
from tpserver.requests.session.refusals import BOARD, MESSAGE, RequestError
from tpserver.requests.session.repeatable_reads import BoardState
from tpserver.requests.session.responses import Answer, Frames, okay, sequence_of
from tpserver.requests.session.session import Session
from tpserver.requests.talk import blocks
from tpserver.store import StoreError
from tpserver.store.games import boards as stored_boards
from tpserver.store.games import spectator_letters as stored_letters
from tpserver.store.games.boards import StoredMessage, stored_size
from tpserver.store.games.spectator_letters import SpectatorLetter
from tpserver.store.people import blocks as stored_blocks
from tpserver.store.people.blocks import EVERYWHERE

log = Logger()

BOARD_FRAME, MESSAGE_FRAME = BY_NAME["board"].number, BY_NAME["message"].number

AT_ONCE = 64
"""Maximum messages read from the store, or frames encoded, before other connections are served."""

OWN_BOARD = 0
"""The number by which a client can ask for its own board; responses carry the real number."""

EVERYBODY = 0xFFFFFFFF
"""Number of the board that stands for all players' boards when a message is posted."""


def board_ids(session: Session, fromtime: int) -> tuple[Ids, int]:
    """List the player's own board and those of the others.

    All have the modification time of the own one. TP03 and TP04 list the own board as 0, as old servers did, because
    their clients look for that number. A client of 2008 stores every board with the time of the last one in the list.
    It fails on the next message if that is older than the own board's. The data of other boards changes only with their
    players.
    """
    game = session.seeing()
    own = _own(session, game)
    others = [seat + 1 for seat in sorted(game.taken_for(session.seat)) if seat != session.seat]
    if _shows_spectators(session, game):
        others.append(game.spectators.number)
    ids = [(number, own.modtime) for number in (own.number, *(others if session.seat is not None else ()))]
    ids = after(ids, fromtime)
    reading, now = session.reads(), session.host.registry.now()
    for number, time in ids:
        reading.list_board(number, BoardState(_told_messages(game, own, number), time, now))
    mine = OWN_BOARD if session.dialect in CLASSIC else own.number
    return [(mine if number == own.number else number, time) for number, time in ids], own.modtime


handles("get_board_ids")(get_ids("board_ids", board_ids))


@handles("get_boards")
def get_boards(session: Session, message: tp.GetWithID) -> Frames:
    """Return boards.

    The first fetch of a listed board returns it as it was when listed (`tpserver.requests.session.repeatable_reads`).
    """
    game = session.seeing()
    own, reading, now = _own(session, game), session.reads(), session.host.registry.now()
    told: set[int] = set()

    def one(number: int) -> bytes:
        board = own if number in (OWN_BOARD, own.number) else _readable(session, game, number)
        if board is None:
            return session.fail_payload(refusals.no_such("board", number, BOARD))
        listed = None if board.number in told else reading.listed_board(board.number, now)
        state = listed or BoardState(_told_messages(game, own, board.number), own.modtime, now)
        told.add(board.number)
        reading.fetched_board(board.number, state._replace(since=now), own=board is own)
        return session.payload(BOARD_FRAME, board_frame(game, own, board, state))

    return Frames(session.dialect, len(message.ids), map(one, message.ids))


def board_frame(game: Game, own: Board, board: Board, state: BoardState) -> tp.Board:
    """Return a Board frame; for another player it has only the name, without messages and changes."""
    if board.number > len(game.players):
        return _spectators_frame(game, board, state)
    if board is own:
        return tp.Board(
            id=board.number,
            name="Personal board",
            description="Reports of the turns, and what other players write to you",
            messages=state.messages,
            modtime=state.modtime,
        )
    name, press = game.name_of(board.number - 1), press_of(game.row)
    return tp.Board(
        id=board.number,
        name=f"{name}'s board",
        description=f"What you post here is read by {name}" if press == PRIVATE else f"In this game {WORDS[press]}",
        modtime=state.modtime,
    )


def _spectators_frame(game: Game, board: Board, state: BoardState) -> tp.Board:
    late = f"; {delay_words(delay)}" if is_shown_later(game.row) and (delay := delay_of(game.row)) else ""
    press = f"In this game {WORDS[NONE]}" if press_of(game.row) == NONE else "What spectators write to each other"
    return tp.Board(
        id=board.number,
        name="Spectators",
        description=f"{press}; players read it when the game is over{late}",
        messages=state.messages,
        modtime=state.modtime,
    )


@handles("get_message")
async def get_message(session: Session, message: tp.GetWithIDSlot) -> Answer:
    """Return the current message of each slot, read from the store `AT_ONCE` at a time.

    All slots may be requested at once.
    """
    game = session.seeing()
    board = _own_board(session, message.id)
    refusals.limit_slots(len(message.slots), BOARD_MESSAGES)
    there = [slot for slot in message.slots if slot < len(board)]
    if (size := board.sizes(there)) > BOARD_BYTES:
        text = f"the answer would have {size} bytes, at most {BOARD_BYTES}; ask for less"
        raise RequestError(FailCode.REQUEST_TOO_BIG, text)
    if board.number > len(game.players):
        return await _spectator_letters(session, board, message.slots)
    wanted = [(slot, board.numbers[slot] if slot < len(board) else None) for slot in message.slots]
    registry = session.host.registry
    await durable(game)  # only then the store holds every message that is listed
    payloads: list[bytes] = []
    for start in range(0, len(wanted), AT_ONCE):
        part = wanted[start : start + AT_ONCE]
        numbers = {number for _, number in part if number is not None}
        texts: dict[int, StoredMessage] = {}
        if numbers:
            try:
                texts = await registry.store.read_later(stored_boards.texts, game.row.id, board.number, numbers)
            except StoreError as error:
                log.error("{game}: messages cannot be read: {error}", game=game.name, error=error.sentence)
                text = "the messages cannot be read from the server's database; try again"
                raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text) from None
        elif start:
            await next_round(registry.timers)
        if session.gone:
            break
        if session.seat is not None and not isinstance(game, PastGame):
            letters = [number for number, text in texts.items() if text.sender not in (None, board.number)]
            if letters:
                registry.looks.see_letters(game, session.seat, max(letters))
        for slot, number in part:
            found = None if number is None else texts.get(number)  # may have been removed since
            if found is not None:
                payloads.append(session.payload(MESSAGE_FRAME, message_frame(found, slot)))
            elif session.reading is not None and session.reading.stand_in(slot, registry.now()):
                payloads.append(session.payload(MESSAGE_FRAME, removed_message_frame(board.number, slot)))
            else:
                payloads.append(session.fail_payload(_no_slot(board, slot)))
    return payloads if len(payloads) == 1 else [sequence_of(session.dialect, len(payloads)), *payloads]


def removed_message_frame(board: int, slot: int) -> tp.Message:
    """Return the substitute for a listed message that the player has removed since."""
    body = "This message was removed through another connection. Later messages have moved up."
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


@handles("post_message")
def post_message(session: Session, message: tp.Message) -> Answer | Coroutine[Any, Any, Answer]:
    """Append a message to a board, that of players or of the spectators."""
    if (watched := session.watched()) is not None:
        return _post_as_spectator(session, watched, message)
    return _post(session, message)


async def _post_as_spectator(session: Session, game: Game, message: tp.Message) -> Answer:
    """Write to all spectators of a game. Raises RequestError, GameError, NotNow."""
    if message.id not in (OWN_BOARD, EVERYBODY, game.spectators.number):
        session.playing()  # raises RequestError
    _check_guest(session, game, game.spectators.number)
    for what, length, most in (
        ("the subject", len(message.subject), LONGEST_SUBJECT),
        ("the body", len(message.body), LONGEST_LETTER),
    ):
        if length > most:
            raise refusals.text_too_long(what, most)
    blocks.hearing_in(session, game)  # raises RequestError for a silenced account
    account, seen = session.account, session.seeing().state.turn
    assert account is not None
    await session.host.spectators.post(game, account.id, message.subject, message.body, seen)
    return [okay(session.dialect, "The spectators read it; players do when the game is over")]


def _post(session: Session, message: tp.Message) -> Answer:
    """Append a message to a board.

    The slot in the request is ignored, as a board is in order of time. A message to `EVERYBODY` goes on the board of
    each player that has room for it. The sender gets a copy, in Protocol Buffers and JSON only. The first reference
    names the sender. If the message is not for the reader alone, the next one names the board that it was posted to.
    """
    game, seat = session.playing()
    mine = seat + 1
    number = message.id or mine
    if number == len(game.players) + 1 and game.over:
        raise RequestError(FailCode.PERMISSION_DENIED, "players cannot write on the spectators' board, only read it")
    if number != EVERYBODY and _board(session, game, number) is None:
        raise refusals.no_such("board", number, BOARD)
    _check_press(session, game, mine, number)
    for what, length, most in (
        ("the subject", len(message.subject), LONGEST_SUBJECT),
        ("the body", len(message.body), LONGEST_BODY),
        ("the list of references", len(message.references), MOST_REFERENCES),
    ):
        if length > most:
            raise refusals.text_too_long(what, most)
    sender = [refusals.PLAYER, mine]
    given = [[one.type, one.id] for one in message.references]
    references = [sender, *(one for one in given if one != sender and one[0] != BOARD)]
    to_many = [sender, [BOARD, number], *references[1:]]
    if number == EVERYBODY:
        there = [player.seat + 1 for player in game.players if player.name]
        letters = dict.fromkeys(there, to_many)
    else:
        letters = {number: references}
        if number != mine and session.dialect not in CLASSIC:
            letters[mine] = to_many
    deaf = _deaf(session, game, mine, number, letters)
    problems = {
        one: problem
        for one, told in letters.items()
        if one not in deaf
        and (problem := _no_room(game.boards[one], mine, stored_size(message.subject, message.body, told)))
    }
    others = [one for one in letters if one != mine or number == mine]
    if others and all(one in problems or one in deaf for one in others):
        if why := next((problems[one] for one in others if one in problems), ""):
            raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, why)
        why = next(
            (deaf[one] for one in others if deaf[one]), "no other player of this game gets messages to everybody"
        )
        raise RequestError(FailCode.PERMISSION_DENIED, why, [(BOARD, number)])
    posted = {one: told for one, told in letters.items() if one not in problems and one not in deaf}
    messages.post(game, mine, posted, message.subject, message.body, session.host.registry.now())
    return [okay(session.dialect, _posted_words(game, others, problems, deaf))]


async def _spectator_letters(session: Session, board: Board, slots: Sequence[int]) -> Answer:
    """Return messages of spectators; for blocked authors a note replaces the text."""
    game, registry = session.seeing(), session.host.registry
    wanted = [(slot, board.numbers[slot] if slot < len(board) else None) for slot in slots]
    numbers = sorted({number for _, number in wanted if number is not None})
    letters: dict[int, tuple[SpectatorLetter, str]] = {}
    try:
        for start in range(0, len(numbers), AT_ONCE):
            part = numbers[start : start + AT_ONCE]
            letters |= await registry.store.read_later(stored_letters.texts, game.row.id, part)
    except StoreError as error:
        log.error("{game}: letters of spectators cannot be read: {error}", game=game.name, error=error.sentence)
        text = "the messages cannot be read from the server's database; try again"
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text) from None
    # Messages have names of accounts here: blocks of seats of anonymous games would reveal the players.
    counts = [EVERYWHERE] if game.hides_players else [EVERYWHERE, game.row.id]
    blocked = registry.store.read(stored_blocks.blocks, session.account_id or 0)
    deaf = {one.other for one in blocked if one.game in counts}
    payloads: list[bytes] = []
    for slot, number in wanted:
        found = None if number is None else letters.get(number)
        if found is None:
            payloads.append(session.fail_payload(_no_slot(board, slot)))
        else:
            letter, writer = found
            told = spectator_frame(session, board.number, slot, letter, writer, is_heard=letter.account not in deaf)
            payloads.append(session.payload(MESSAGE_FRAME, told))
    return payloads if len(payloads) == 1 else [sequence_of(session.dialect, len(payloads)), *payloads]


def spectator_frame(
    session: Session, board: int, slot: int, letter: SpectatorLetter, writer: str, *, is_heard: bool
) -> tp.Message:
    """Return a spectator's message; TP03 and TP04 have no field for its author, who begins the subject there."""
    subject, body = letter.subject, letter.body
    if not is_heard:
        subject, body = "(blocked)", "You have blocked this account."
    classic = session.dialect in CLASSIC
    return tp.Message(
        id=board,
        slot=slot,
        subject=f"{writer}: {subject}" if classic else subject,
        body=body,
        turn=letter.turn,
        writer="" if classic else writer,
    )


def _check_guest(session: Session, game: Game, number: int) -> None:
    """Raise RequestError for a guest if guests write to nobody."""
    if session.account is not None and session.account.is_guest and guests_of(game.row) != YES:
        raise RequestError(FailCode.PERMISSION_DENIED, "guests cannot write in this game", [(BOARD, number)])


def _check_press(session: Session, game: Game, mine: int, number: int) -> None:
    """Raise RequestError for a message that the press rules forbid; notes to oneself are always allowed."""
    press = press_of(game.row)
    if number != mine and game.hides_seats:
        text = "players of an anonymous game can write to each other once it has started"
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text, [(BOARD, number)])
    if number != mine:
        _check_guest(session, game, number)
    if number == mine or press == PRIVATE or (press == PUBLIC and number == EVERYBODY):
        return
    how = f"; post to board {EVERYBODY}, which stands for all boards" if press == PUBLIC else ""
    raise RequestError(FailCode.PERMISSION_DENIED, f"in this game {WORDS[press]}{how}", [(BOARD, number)])


def _no_room(board: Board, sender: int, size: int) -> str:
    """Return why a message of a player does not fit on a board; empty if it does."""
    if not board.room_for(1, size):
        room = f"{BOARD_MESSAGES} messages or {BOARD_BYTES // 1024} KiB"
        return f"this board is full ({room}); its owner must remove some"
    messages, used = board.share(sender)
    if messages >= SHARE_MESSAGES or used + size > SHARE_BYTES:
        return (
            f"you have {messages} messages and {used // 1024} KiB on this board, of at most {SHARE_MESSAGES} and "
            f"{SHARE_BYTES // 1024} KiB for one sender; its owner must remove some"
        )
    return ""


def _deaf(session: Session, game: Game, mine: int, number: int, letters: Iterable[int]) -> dict[int, str]:
    """Return the boards that reject a message, with reasons.

    The reason is empty if the player has muted the game. Raises RequestError if the account may write to nobody.
    """
    if number == mine:
        return {}
    hearing = blocks.hearing_in(session, game)
    deaf = {one: why for one in letters if one != mine and (why := blocks.not_heard(hearing, game, one))}
    if number == EVERYBODY:
        muted = [one for one in letters if one != mine and game.players[one - 1].account in hearing.muted]
        deaf = {**dict.fromkeys(muted, ""), **deaf}
    return deaf


def _posted_words(game: Game, others: Sequence[int], problems: Mapping[int, str], deaf: Mapping[int, str]) -> str:
    """Return the response for a posted message.

    The message has reached at least some of the boards of ``others``. The response does not name players who have muted
    the game: that is private, and the message was not for them alone.
    """
    if len(others) == 1:
        return "The message is on the board"
    words = "The message is on all boards"
    if any(not why for why in deaf.values()):
        words += " that take messages to everybody"
    if missed := [game.name_of(one - 1) for one in others if one in problems]:
        words += f" but {' and '.join(missed)}'s: no room there"
    if blocked := [game.name_of(one - 1) for one in others if deaf.get(one)]:
        words += f"; {' and '.join(blocked)} did not take it"
    return words


@handles("remove_message")
def remove_message(session: Session, message: tp.GetWithIDSlot) -> Frames:
    """Remove messages slot by slot, in the order given; each slot gets its own response."""
    game = session.seeing()
    board = _own_board(session, message.id)
    refusals.limit_slots(len(message.slots), BOARD_MESSAGES)
    if board.number > len(game.players) and len(board):
        text = "spectators' messages cannot be removed; newer messages replace them"
        raise RequestError(FailCode.PERMISSION_DENIED, text, [(BOARD, board.number)])
    if session.seat is None:
        removed = [False] * len(message.slots)
    else:
        removed = messages.remove(game, board.number, message.slots, session.host.registry.now())
        if any(removed) and session.reading is not None:
            session.reading.removed_messages(board.number)
    done = okay(session.dialect, "The message is removed")

    def one(slot: int, was_there: bool) -> bytes:
        return done if was_there else session.fail_payload(_no_slot(board, slot))

    return Frames(session.dialect, len(removed), map(one, message.slots, removed))


def _own(session: Session, game: Game) -> Board:
    """Return the board of the session's player, or that of all spectators.

    It is empty for a session at an old turn without a seat, and for an account that has muted the game.
    """
    number = session.number_of(0)
    if session.seat is not None:
        return game.boards[number]
    watched = session.watched()
    if watched is None or watched.row.id in session.host.registry.store.read(
        stored_blocks.mutes, session.account_id or 0
    ):
        return Board(number, game.modtime)
    return watched.spectators


def _own_board(session: Session, number: int) -> Board:
    game = session.seeing()
    own = _own(session, game)
    if number == game.spectators.number and _shows_spectators(session, game):
        return game.spectators
    if number not in (OWN_BOARD, own.number):
        if _board(session, game, number) is None:
            raise refusals.no_such("board", number, BOARD)
        text = f"board {number} belongs to another player; you can post to it, but not read it"
        raise RequestError(FailCode.PERMISSION_DENIED, text, [(BOARD, number)])
    return own


def _shows_spectators(session: Session, game: Game) -> bool:
    """Return whether a player reads the spectators' messages: when the game is over and there are some."""
    return session.seat is not None and game.over and not isinstance(game, PastGame) and len(game.spectators) > 0


def _told_messages(game: Game, own: Board, number: int) -> int:
    """Return the number of readable messages on a board: the own one, or that of the spectators."""
    return len(own) if number == own.number else len(game.spectators) if number == game.spectators.number else 0


def _readable(session: Session, game: Game, number: int) -> Board | None:
    """Return a board other than the own one; None if the session may not see such a board."""
    if number == game.spectators.number and _shows_spectators(session, game):
        return game.spectators
    return _board(session, game, number)


def _board(session: Session, game: Game, number: int) -> Board | None:
    return game.boards[number] if number - 1 in game.taken_for(session.seat) else None


def _no_slot(board: Board, slot: int) -> RequestError:
    return refusals.no_such_slot(slot, len(board), [(BOARD, board.number), (MESSAGE, slot)])
