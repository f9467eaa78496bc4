"""Request errors: a code of the protocol, and a sentence for the client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tpproto.errors import FailCode

OBJECT, ORDER_TYPE, ORDER, BOARD, MESSAGE, RESOURCE, PLAYER, CATEGORY, DESIGN, COMPONENT, PROPERTY = range(1, 12)
OBJECT_TYPE, QUEUE = 12, 13
"""Types of references (TP04, Message frame: the generic reference system)."""

PARAMETER = -1000
"""A reference type that the protocol leaves to servers: here the index of an order's invalid parameter.

It is counted from 0.
"""

References = Sequence[tuple[int, int]]


class Turned(Protocol):
    """A request that may name the turn of its sender."""

    turn: int

    def HasField(self, field_name: str, /) -> bool: ...


class RequestError(Exception):
    """A request gets a Fail frame and changes nothing."""

    def __init__(self, code: FailCode, text: str, references: References = ()) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.references = tuple(references)


def already_logged_in() -> RequestError:
    return RequestError(FailCode.UNAVAILABLE_PERMANENTLY, "this connection is already logged in; use another one")


def not_as_guest(what: str) -> RequestError:
    """Return the refusal of a function that requires a registered account."""
    text = f"guests have no {what}; register an account first"
    return RequestError(FailCode.PERMISSION_DENIED, text)


def another_game() -> RequestError:
    return RequestError(FailCode.PERMISSION_DENIED, "this token is for another game")


def only_the_past(turn: int, game: str, name: str) -> RequestError:
    """Return the refusal of a change in an old turn."""
    text = f"this is the old turn {turn} of {game}, which cannot be changed; log in as {name}@{game} to play"
    return RequestError(FailCode.PERMISSION_DENIED, text)


def no_such(what: str, number: int, kind: int) -> RequestError:
    return RequestError(FailCode.NO_SUCH_THING, f"there is no {what} {number}", [(kind, number)])


def check_turn(message: Turned, present: int) -> None:
    """Raise RequestError if a request is for another turn, as its sender does not see the current one."""
    if message.HasField("turn") and message.turn != present:
        text = f"this is turn {present}, and you meant turn {message.turn}; look at the game, then decide again"
        raise RequestError(FailCode.GONE, text)


def limit_slots(count: int, most: int) -> None:
    """Raise RequestError if a request has too many slots."""
    if count > most:
        raise RequestError(FailCode.REQUEST_TOO_BIG, f"at most {most} slots can be named at once, not {count}")


def no_such_slot(slot: int, length: int, references: References) -> RequestError:
    return RequestError(FailCode.NO_SUCH_THING, f"there is nothing in slot {slot}; there are {length}", references)


def fixed(what: str) -> RequestError:
    return RequestError(FailCode.UNAVAILABLE_PERMANENTLY, f"this game does not let players change its {what}")


def text_too_long(what: str, most: int) -> RequestError:
    return RequestError(FailCode.FRAME, f"{what} may have {most} characters at most")
