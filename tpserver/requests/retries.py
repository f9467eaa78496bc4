"""Repeated requests, whose first process ended before it responded.

The changes of such a request are in the store, and are not repeated. The response contains everything that is still
available. Requests that only read, or that may safely run twice, are simply repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message

from tpproto.errors import FailCode, FrameError
from tpproto.frames import BY_NAME, KINDS, policy_of
from tpproto.stream import RawFrame
from tpserver.requests.entry.login import ANY_GAME
from tpserver.requests.play import orders
from tpserver.requests.session.decode_limits import decoded
from tpserver.requests.session.error_codes import request_error
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer, Frames, okay
from tpserver.requests.session.session import Session
from tpserver.store.tables import name_key

_LOST = ("create_token", "add_notice_address", "administer")
"""Requests with a response that cannot be sent again."""

ONCE: frozenset[int] = frozenset(kind.number for kind in KINDS if kind.request and not policy_of(kind).idempotent)
"""The frame numbers of requests that must not run twice."""


_LOGIN = BY_NAME["login"]


def is_logged_in(session: Session, frame: RawFrame) -> bool:
    """Return whether a repeated login was carried out already.

    Only its response was lost then. The session continues with that account, and with that game if the login names one.
    """
    account, game = session.account, session.game
    if frame.kind != _LOGIN.number or account is None:
        return False
    try:
        message: Any = decoded(_LOGIN, frame, session.lookup())
    except (FrameError, RequestError):
        return False  # the session responds with an error
    name, _, aim = message.username.partition("@")
    wanted = aim.partition("/")[0]
    is_there = wanted.casefold() in ("", ANY_GAME) or (game is not None and name_key(wanted) == name_key(game.name))
    return name_key(name) == name_key(account.name) and is_there


def welcome_again(session: Session, frame: RawFrame) -> bytes:
    """Return the response to a login that was carried out before."""
    payloads = [okay(frame.dialect, "Welcome; the server was replaced before it could answer")]
    return frame.dialect.join_payloads(frame.sequence, payloads)


_OF_TURN = frozenset(
    BY_NAME[name].number for name in ("finished_turn", "unfinish_turn", "order_insert", "order_replace", "remove_order")
)
"""The frame numbers of requests that apply only to the turn in which they were sent."""


def is_too_late(session: Session, frame: RawFrame, turn: int | None) -> bool:
    """Return whether a repeated request is for a turn that has ended.

    The request was not carried out before. ``turn`` is the last turn that the client knew when it sent the request;
    None: unknown.
    """
    game, told = session.game, session.told_turn if turn is None else turn
    return frame.kind in _OF_TURN and game is not None and told is not None and game.row.turn != told


OVERTAKEN = "what you asked for after this was done, and this was not; look at what there is now, and ask again"

DONE_BUT = "this was done, but {why}"

UNKNOWN = "{why}; this may have been done or not, so look before you ask again"

TOO_LATE = "the turn ended before the server came to this, so it was not done; look at the new turn"


def answer(session: Session, frame: RawFrame, changes: int) -> bytes:
    """Return the response to a request of `ONCE` with ``changes`` saved changes. Never raises."""
    request = session.host.requests[frame.kind]
    session.dialect, session.phrase = frame.dialect, request.phrase
    try:
        message = decoded(request.kind, frame, session.lookup())
        payloads = _ANSWERS.get(request.kind.field, _okay)(session, message, changes)
    except Exception as error:
        payloads = [session.fail_payload(request_error(session, error))]
    return frame.dialect.join_payloads(frame.sequence, payloads)


def _okay(session: Session, message: Message, changes: int) -> Answer:
    return [okay(session.dialect, "It is done; the server was replaced before it could answer")]


def _lost(session: Session, message: Message, changes: int) -> Answer:
    text = "this was done, but the server was replaced before it could answer; look at what there is now"
    raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text)


def _all_slots(session: Session, message: Any, changes: int) -> Answer:
    return _slots(session, message, len(message.slots))


def _slots(session: Session, message: Any, changes: int) -> Answer:
    """Each slot gets its own response. The client must repeat the slots after the last saved one."""
    count = len(message.slots)
    done = min(count, changes)
    text = "the server was replaced before it came to this one; list them and ask again"
    failed = session.fail_payload(RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text))
    payloads = [okay(session.dialect, "It is removed")] * done + [failed] * (count - done)
    frames = Frames(session.dialect, count, payloads)
    found: Answer = []
    while frames.left:
        found += frames.take()
    return found


_ANSWERS: Mapping[str, Callable[[Session, Any, int], Answer]] = {
    "order_insert": lambda session, message, changes: orders.put_before(session, message),
    "order_replace": lambda session, message, changes: orders.put_before(session, message),
    "remove_order": _slots,
    "remove_message": _all_slots,
    **dict.fromkeys(_LOST, _lost),
}

assert all(name in BY_NAME for name in _ANSWERS)
