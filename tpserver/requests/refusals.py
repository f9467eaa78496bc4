"""Refusals of requests: a code of the protocol, and a sentence for the client."""

from __future__ import annotations

from collections.abc import Sequence

from tpproto.errors import FailCode

OBJECT, ORDER_TYPE, ORDER, BOARD, MESSAGE, RESOURCE, PLAYER, CATEGORY, DESIGN, COMPONENT, PROPERTY = range(1, 12)
OBJECT_TYPE, QUEUE = 12, 13
"""Types of references (TP04, Message frame: the generic reference system)."""

PARAMETER = -1000
"""A reference type that the protocol leaves to servers: here the index of an order's invalid parameter, from 0."""

References = Sequence[tuple[int, int]]


class Refused(Exception):
    """A request is answered with a Fail frame and changes nothing."""

    def __init__(self, code: FailCode, text: str, references: References = ()) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.references = tuple(references)


def already_logged_in() -> Refused:
    return Refused(FailCode.UNAVAILABLE_PERMANENTLY, "this connection is logged in already; use another one")


def not_as_guest(what: str) -> Refused:
    """Refuse to a guest what only an account with a name and a password has."""
    text = f"a guest has no {what}; choose a name and a password, and you are none any more"
    return Refused(FailCode.PERMISSION_DENIED, text)


def another_game() -> Refused:
    return Refused(FailCode.PERMISSION_DENIED, "this token is for another game")


def only_the_past(turn: int, game: str, name: str) -> Refused:
    """Refuse to change something of an old turn that a connection looks at."""
    text = f"this is turn {turn} of the past of {game}, where nothing can be done; log in as {name}@{game} to play"
    return Refused(FailCode.PERMISSION_DENIED, text)


def no_such(what: str, number: int, kind: int) -> Refused:
    return Refused(FailCode.NO_SUCH_THING, f"there is no {what} {number}", [(kind, number)])


def limit_slots(count: int, most: int) -> None:
    """Raise Refused if a request has more slots than there can be."""
    if count > most:
        raise Refused(FailCode.REQUEST_TOO_BIG, f"at most {most} slots can be named at once, not {count}")


def no_such_slot(slot: int, length: int, references: References) -> Refused:
    return Refused(FailCode.NO_SUCH_THING, f"there is nothing in slot {slot}; there are {length}", references)


def fixed(what: str) -> Refused:
    return Refused(FailCode.UNAVAILABLE_PERMANENTLY, f"this game does not let players change its {what}")


def text_too_long(what: str, most: int) -> Refused:
    return Refused(FailCode.FRAME, f"{what} may have {most} characters at most")
