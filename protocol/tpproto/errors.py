"""Errors in frames: a sentence and a code."""

from enum import IntEnum
from typing import Literal


class FailCode(IntEnum):
    """The codes of the Fail frame. TP03 has them up to PERMISSION_DENIED, TP04 up to REQUEST_TOO_BIG."""

    PROTOCOL = 0
    FRAME = 1
    UNAVAILABLE_PERMANENTLY = 2
    UNAVAILABLE_TEMPORARILY = 3
    NO_SUCH_THING = 4
    PERMISSION_DENIED = 5
    GONE = 6
    FRAME_VERSION_NOT_SUPPORTED = 7
    REQUEST_TOO_BIG = 8
    NEEDS_CONSENT = 9
    PASSWORD_NEEDED = 10


class FrameError(ValueError):
    """A frame that cannot be read or written.

    `text` is a sentence for people, `code` is the code for the Fail frame. `sequence` is the frame's sequence number if
    it could be read. If `closes` is True, the stream must be closed, because nothing after the frame can be trusted.
    """

    sequence = 0

    def __init__(self, text: str, code: FailCode = FailCode.FRAME, *, closes: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.closes = closes


class UnknownType(FrameError):
    """An order, object or command of a type without a description. Its parameters cannot be read or written.

    `kind` is the table that lacks the type, and `type_id` is the number of the type.
    """

    def __init__(self, kind: Literal["order", "object", "command"], type_id: int) -> None:
        super().__init__(f"There is no {kind} type {type_id}.", FailCode.NO_SUCH_THING)
        self.kind = kind
        self.type_id = type_id
