"""Steps of every request: fence, policy, decode, handle, release."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from google.protobuf.message import Message
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.stream import RawFrame
from tpserver.events import EVENTS
from tpserver.fault_points import reached
from tpserver.games.core.errors import GameElsewhere
from tpserver.games.core.game import Game
from tpserver.games.stored.history import PastGame
from tpserver.requests.session import refusals
from tpserver.requests.session.decode_limits import decoded
from tpserver.requests.session.error_codes import request_error
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer, Frames, FromElsewhere, Reply, failed
from tpserver.requests.session.session import RequestType, Session
from tpserver.store.people.tokens import Token

NO_NODE = "this server is cut off from its cluster, and says nothing that may be old; try again in a moment"


def answer(session: Session, frame: RawFrame) -> Reply:
    """Return the response to a request, as `Session.answer` promises."""
    may_speak = session.host.may_speak
    if may_speak is None:
        return _respond(session, frame)
    if not may_speak():
        return _answer_elsewhere(session, frame)
    return _fence(session, frame, _respond(session, frame), may_speak)


def _respond(session: Session, frame: RawFrame) -> Reply:
    EVENTS.frames += 1
    reached("session: asked")
    session.dialect = frame.dialect
    game, request = session.game, session.host.requests.get(frame.kind)
    if request is not None:
        session.phrase = request.phrase
        if request.quick is not None and game is not None and game.saving.all_saved() and not _has_expired(session):
            ready = request.quick(session, frame)
            if ready is not None:
                return ready
    try:
        request = _permitted(session, frame, request)
        message = decoded(request.kind, frame, session.lookup())
        if session.token is not None and session.account is not None:
            _check_token(session, session.token, request, message)
        is_login = session.account is None
        result = request.handle(session, message)
        if isinstance(result, Coroutine):
            return Deferred.fromCoroutine(_handle_later(session, frame, result, game, is_login))
        if isinstance(result, Frames):
            return _release_frames(session, frame, result, game)
        ready = frame.dialect.join_payloads(frame.sequence, result)
        return _release(session, frame, ready, _unsaved(session, game))
    except Exception as error:
        reply = _pass_on(session, frame, error)
        if reply is not None:
            return reply
        # A refusal shows game state, too.
        return _release(session, frame, _refuse(session, frame, error), _unsaved(session, game))


# --- policy ---------------------------------------------------------------------------------------------------------


def _has_expired(session: Session) -> bool:
    return session.token is not None and session.host.registry.now() >= session.token.ends


def _permitted(session: Session, frame: RawFrame, request: RequestType | None) -> RequestType:
    """Return the type of a request. Raises RequestError if the session may not send it now."""
    if request is None or frame.kind not in frame.dialect.kinds:
        what = frame.dialect.kind(frame.kind).title
        raise RequestError(FailCode.FRAME, f"{what} is an answer; servers send it, clients do not")
    if session.ended:
        session.closing = True
        raise RequestError(FailCode.PERMISSION_DENIED, session.ended)
    account, game = session.account, session.game
    if account is None and not request.is_open:
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, f"log in to {session.phrase}")
    if request.needs_present and isinstance(game, PastGame) and not game.is_watched and account is not None:
        raise refusals.only_the_past(game.turn, game.name, account.name)
    return request


def _check_token(session: Session, token: Token, request: RequestType, message: Message) -> None:
    """Raise RequestError for a request that a token does not permit."""
    if _has_expired(session):
        session.end("this token has expired; make another one")
        session.closing = True
        raise RequestError(FailCode.PERMISSION_DENIED, session.ended)
    if session.account is not None and session.account.is_guest:
        return  # it has no password, and logs in by this token alone
    if request.access == "account":
        raise RequestError(FailCode.PERMISSION_DENIED, "a token is for games only; log in with the password for that")
    if request.access == "change" and token.read_only:
        raise RequestError(FailCode.PERMISSION_DENIED, "this token is read-only")
    if token.game is None:
        return
    named = getattr(message, "game", "")
    if named or isinstance(message, tp.CreateGame):
        row = session.host.registry.directory.row_named(named.partition("/")[0])
        if row is None or row.id != token.game:
            raise refusals.another_game()


# --- decode and handle ----------------------------------------------------------------------------------------------


async def _handle_later(
    session: Session, frame: RawFrame, handling: Coroutine[Any, Any, Answer], game: Game | None, is_login: bool
) -> bytes:
    """Finish a request whose handler waits. If a login cannot be saved, the client is not logged in."""
    session.occupied = True
    try:
        try:
            payloads = await handling
        finally:
            session.occupied = False
        ready = frame.dialect.join_payloads(frame.sequence, payloads)
    except Exception as error:
        ready = await _answer_error(session, frame, error)
    waiting = _unsaved(session, game)
    if waiting is not None and is_login and session.account is not None:
        session.watch_login(frame, waiting)
    released = _release(session, frame, ready, waiting)
    return await released if isinstance(released, Deferred) else released


async def _answer_error(session: Session, frame: RawFrame, error: Exception) -> bytes:
    try:
        reply = _pass_on(session, frame, error)
        if reply is not None:
            return await reply if isinstance(reply, Deferred) else reply
    except Exception as failed_elsewhere:
        error = failed_elsewhere
    return _refuse(session, frame, error)


def _pass_on(session: Session, frame: RawFrame, error: Exception) -> bytes | Deferred[bytes] | None:
    """Let the node that has the game answer; None if the error is another one, or the client gets it."""
    if not isinstance(error, GameElsewhere) or session.route is None or session.gone:
        return None
    return session.route.elsewhere(session, frame, error)


def _refuse(session: Session, frame: RawFrame, error: BaseException, failure: Failure | None = None) -> bytes:
    return frame.dialect.join_payloads(frame.sequence, [failed(frame.dialect, request_error(session, error, failure))])


# --- release --------------------------------------------------------------------------------------------------------


def _unsaved(session: Session, game: Game | None) -> Deferred[None] | None:
    """Return what to wait for until the store holds everything of ``game``, the game of the request.

    That game may have become stale, and been replaced in the session, while the request was handled.
    """
    game = game or session.game
    return None if game is None else game.saving.when_durable()


def _release(
    session: Session,
    frame: RawFrame,
    ready: bytes,
    waiting: Deferred[None] | None,
    count: int = 1,
    head: bytes = b"",
) -> bytes | Deferred[bytes]:
    """Hold frames back until everything they show is saved.

    If saving fails, return `head` and `count` Fail frames.
    """
    reached("session: answered")
    if waiting is None:
        return ready
    return waiting.addCallbacks(
        lambda _: ready, lambda failure: head + _refuse(session, frame, failure.value, failure) * count
    )


def _release_frames(session: Session, frame: RawFrame, frames: Frames, game: Game | None) -> Reply:
    # Of this object: the game may become stale and be replaced while the response is produced.
    settled = frames.settled or (_without_wait if game is None else game.saving.when_durable)
    payloads = frames.take()
    if frames.left:
        return _release_pieces(session, frame, payloads, frames, settled)
    return _release(session, frame, frame.dialect.join_payloads(frame.sequence, payloads), settled())


def _without_wait() -> None:
    """Return None, as frames without a game wait for nothing to be saved."""


def _release_pieces(
    session: Session,
    frame: RawFrame,
    payloads: Answer,
    frames: Frames,
    settled: Callable[[], Deferred[None] | None],
) -> Iterator[bytes | Deferred[bytes]]:
    """Produce a long response piece by piece.

    After an error the remaining frames are Fail frames, so that their number stays as announced.
    """
    dialect, sequence = frame.dialect, frame.sequence
    head = dialect.join_payloads(sequence, payloads[:1])
    ready = dialect.join_payloads(sequence, payloads)
    session.left = frames.left
    yield _release(session, frame, ready, settled(), len(payloads) - 1, head)
    while frames.left:
        left = frames.left
        try:
            payloads = frames.take()
        except Exception as error:
            session.left = 0
            yield _refuse(session, frame, error) * left
            return
        session.left = frames.left
        ready = dialect.join_payloads(sequence, payloads)
        yield _release(session, frame, ready, settled(), len(payloads))


# --- fence ----------------------------------------------------------------------------------------------------------


def _answer_elsewhere(session: Session, frame: RawFrame) -> Reply:
    """Have the right node answer a request, or refuse it if that is not possible, as before login."""
    reply = None if session.route is None or session.account is None else session.route.unspoken(session, frame)
    return _no_node(session, frame) if reply is None else reply


def _no_node(session: Session, frame: RawFrame) -> bytes:
    return session.refuse(FailCode.UNAVAILABLE_TEMPORARILY, NO_NODE, frame.sequence, frame.dialect)


def _fence(session: Session, frame: RawFrame, reply: Reply, may_speak: Callable[[], bool]) -> Reply:
    """Return a response, or its replacement if this node may not speak.

    This check is the last step before the response leaves, as the process may have been frozen meanwhile.
    """
    if isinstance(reply, Deferred):
        return reply.addCallback(lambda ready: _fence_later(session, frame, ready, may_speak))
    if isinstance(reply, bytes):
        is_allowed = isinstance(reply, FromElsewhere) or may_speak()
        return reply if is_allowed else _answer_elsewhere(session, frame)
    return _fence_pieces(session, frame, reply, may_speak)


def _fence_later(session: Session, frame: RawFrame, ready: bytes, may_speak: Callable[[], bool]) -> Any:
    if isinstance(ready, FromElsewhere):
        return ready
    if frame is session.unsaved_login:
        return _answer_elsewhere(session, frame)
    request = session.host.requests.get(frame.kind)
    if may_speak() or (request is not None and request.access != "read"):
        # What a change has saved was saved while nobody else had the game, and what it has not was not done: neither
        # changes, and to refuse what was done would be wrong.
        return ready
    return _answer_elsewhere(session, frame)


def _fence_pieces(
    session: Session, frame: RawFrame, pieces: Iterator[bytes | Deferred[bytes]], may_speak: Callable[[], bool]
) -> Iterator[bytes | Deferred[bytes]]:
    announced = 1  # frames that were not sent yet: before the first piece the client knows of one answer
    for piece in pieces:
        if not may_speak():
            session.left = 0
            yield _no_node(session, frame) * announced
            return
        announced = session.left
        yield piece
