"""All refusals of requests: a code of the protocol, and a sentence for the client."""

from __future__ import annotations

from collections.abc import Sequence

from tpproto.errors import FailCode
from tprules.printable import quoted

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


def not_logged_in(what: str) -> Refused:
    return Refused(FailCode.UNAVAILABLE_TEMPORARILY, f"{what} is for players; log in first")


def not_in_a_game(what: str) -> Refused:
    return Refused(FailCode.UNAVAILABLE_TEMPORARILY, f"{what} needs a game; log in as name@game")


def only_watching(what: str) -> Refused:
    return Refused(FailCode.PERMISSION_DENIED, f"{what} is for players; you only watch this game")


def unknown_purpose(purpose: str, known: str) -> Refused:
    return Refused(
        FailCode.UNAVAILABLE_PERMANENTLY, f"{quoted(purpose)} cannot be done in a game; name@game/{known} can"
    )


def already_logged_in() -> Refused:
    return Refused(FailCode.UNAVAILABLE_PERMANENTLY, "this connection is logged in already; use another one")


def wrong_direction(what: str) -> Refused:
    return Refused(FailCode.FRAME, f"{what} is an answer; servers send it, clients do not")


def no_such(what: str, number: int, kind: int) -> Refused:
    return Refused(FailCode.NO_SUCH_THING, f"there is no {what} {number}", [(kind, number)])


def gone(number: int) -> Refused:
    return Refused(FailCode.GONE, f"object {number} is not there any more", [(OBJECT, number)])


def no_such_player(number: int) -> Refused:
    return no_such("player", number, PLAYER)


def no_such_list(key: int) -> Refused:
    return Refused(FailCode.NO_SUCH_THING, f"there is no list with the key {key}; begin a new one with key -1")


def beyond_the_list(start: int, length: int) -> Refused:
    return Refused(FailCode.NO_SUCH_THING, f"position {start} is beyond the end; this list has {length} ids")


def bad_amount(amount: int) -> Refused:
    return Refused(FailCode.FRAME, f"an amount is -1 for all or a number from 0, not {amount}")


def too_long(what: str, length: int, most: int) -> Refused:
    return Refused(FailCode.REQUEST_TOO_BIG, f"a {what} of {length} bytes is too long; {most} are the most")


def too_many(what: str, count: int, most: int) -> Refused:
    return Refused(FailCode.REQUEST_TOO_BIG, f"{what} can name {most} at once, not {count}; ask for less")


def too_big(length: int, most: int) -> Refused:
    return Refused(FailCode.REQUEST_TOO_BIG, f"the answer would have {length} bytes, at most {most}; ask for less")


def limit_slots(count: int, most: int) -> None:
    """Raise Refused if a request has more slots than there can be."""
    if count > most:
        raise Refused(FailCode.REQUEST_TOO_BIG, f"at most {most} slots can be named at once, not {count}")


def no_such_slot(slot: int, length: int, references: References) -> Refused:
    return Refused(FailCode.NO_SUCH_THING, f"there is nothing in slot {slot}; there are {length}", references)


def foreign_board(number: int) -> Refused:
    text = f"board {number} belongs to another player; you can post to it, not read it"
    return Refused(FailCode.PERMISSION_DENIED, text, [(BOARD, number)])


def foreign_queue(number: int) -> Refused:
    text = f"object {number} is not yours; its orders are its owner's secret"
    return Refused(FailCode.PERMISSION_DENIED, text, [(QUEUE, number)])


def fixed(what: str) -> Refused:
    return Refused(FailCode.UNAVAILABLE_PERMANENTLY, f"this game does not let players change its {what}")


def objects_change_by_orders() -> Refused:
    return Refused(FailCode.UNAVAILABLE_PERMANENTLY, "objects are changed by orders only")


def by_position_is_old() -> Refused:
    return Refused(FailCode.UNAVAILABLE_PERMANENTLY, "GetObjectsByPos is of TP02; ask for ids with GetObjectIDsByPos")


def unknown_filter(number: int) -> Refused:
    return Refused(FailCode.UNAVAILABLE_PERMANENTLY, f"filter {number} is not offered; GetFeatures lists what is")


def not_saved() -> Refused:
    return Refused(FailCode.UNAVAILABLE_TEMPORARILY, "this could not be saved, so nothing was changed; try again")


def not_read(what: str) -> Refused:
    return Refused(FailCode.UNAVAILABLE_TEMPORARILY, f"the {what} cannot be read from the server's database; try again")


def no_database() -> Refused:
    text = "the server has lost its database and saves nothing until its operator has put it back; nothing was changed"
    return Refused(FailCode.UNAVAILABLE_TEMPORARILY, text)


def fault() -> Refused:
    return Refused(FailCode.UNAVAILABLE_TEMPORARILY, "the server failed on this request; the operator has been told")


def too_many_attempts() -> Refused:
    return Refused(FailCode.PERMISSION_DENIED, "too many wrong passwords; the connection is closed")


def text_too_long(what: str, most: int) -> Refused:
    return Refused(FailCode.FRAME, f"{what} may have {most} characters at most")


def board_full(most: int, size: int) -> Refused:
    text = f"this board is full ({most} messages or {size // 1024} KiB); its owner must remove some"
    return Refused(FailCode.UNAVAILABLE_TEMPORARILY, text)


def share_used(messages: int, size: int, most: int, most_bytes: int) -> Refused:
    text = (
        f"you have {messages} messages and {size // 1024} KiB on this board, of at most {most} and "
        f"{most_bytes // 1024} KiB for one sender; its owner must remove some"
    )
    return Refused(FailCode.UNAVAILABLE_TEMPORARILY, text)
