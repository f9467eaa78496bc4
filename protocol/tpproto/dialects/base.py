"""The interface of all encodings of frames."""

import struct
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from google.protobuf.message import Message

from tpproto import tp_pb2
from tpproto.codegen.layout import option
from tpproto.descriptions import NOTHING, Lookup
from tpproto.errors import FailCode, FrameError
from tpproto.frames import FIRST_LATER, FrameKind, kind_of
from tpproto.frames import frame as make_frame

Body = bytes | bytearray | memoryview

_U32 = struct.Struct(">I")

LARGEST = 0xFFFFFFFF
"""The largest sequence number, frame number and body length (in bytes): 32 bits."""


class Dialect:
    """One encoding of frames.

    `name` is its name for people, `kinds` maps frame numbers to its frame types. `greeting` is sent once by a client
    before its first frame, and `trailer` are the bytes after each body.
    """

    name: str
    kinds: Mapping[int, FrameKind]
    greeting = b""
    trailer = b""

    def __repr__(self) -> str:
        return f"<dialect {self.name}>"

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        """Return the bytes before a body of `length` bytes. Raises FrameError for numbers that do not fit 32 bits."""
        raise NotImplementedError

    def encode_body(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        """Return the encoded body of a frame with number `kind`.

        Raises FrameError for a frame that the dialect lacks, and for numbers out of range. Also raises it for typed
        parameters that differ from their description. Raises UnknownType for an order or object type that the lookup
        does not know.
        """
        raise NotImplementedError

    def decode_body(self, kind: int, body: Body, lookup: Lookup = NOTHING) -> Message:
        """Return the message in a body. Raises UnknownType, and FrameError, also for bytes after the message."""
        raise NotImplementedError

    def encode(self, frame: tp_pb2.Frame, lookup: Lookup = NOTHING) -> bytes:
        """Return a whole encoded frame. Raises the errors of `encode_body`."""
        kind = kind_of(frame)
        if self.kinds.get(kind.number) is not kind:
            raise FrameError(f"{self.name} has no frame {kind.field}.")
        body = self.encode_body(kind.number, getattr(frame, kind.field), lookup)
        return self.header(frame.sequence, kind.number, len(body)) + body + self.trailer

    def decode(self, sequence: int, kind: int, body: Body, lookup: Lookup = NOTHING) -> tp_pb2.Frame:
        """Return a frame from the parts that a `FrameReader` returns. Raises the errors of `decode_body`."""
        return make_frame(sequence, self.kind(kind).field, self.decode_body(kind, body, lookup))

    def payload(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        """Return the part of a frame that is the same in every response: its number and its body.

        It lacks magic and sequence number. It can be kept, and joined again by `join_payloads` of the same dialect.
        """
        return _U32.pack(kind) + self.encode_body(kind, message, lookup)

    def join_payloads(self, sequence: int, payloads: Sequence[bytes]) -> bytes:
        """Return encoded frames with these payloads, as the response to the request `sequence`."""
        frames: list[bytes] = []
        for one in payloads:
            (kind,) = _U32.unpack_from(one)
            frames += (self.header(sequence, kind, len(one) - 4), one[4:], self.trailer)
        return b"".join(frames)

    def split(self, data: Body) -> tuple[int, int, bytes]:
        """Split one whole frame into sequence number, frame number and body. Raises FrameError.

        For dialects whose frames arrive as separate messages; `FrameReader` finds the frames of a stream.
        """
        raise NotImplementedError

    def values(self, data: bytes) -> int:
        """Return an estimate of the work to decode a whole frame. 0 means that its length bounds the work."""
        return 0

    def kind(self, number: int) -> FrameKind:
        """Return the frame type with this number. Raises FrameError if the dialect has none."""
        kind = self.kinds.get(number)
        if kind is None:
            classic = [known for known in self.kinds if known < FIRST_LATER]
            later = "".join(f", and {known}" for known in self.kinds if known >= FIRST_LATER)
            raise FrameError(f"{self.name} has no frame type {number}; they go from 0 to {max(classic)}{later}.")
        return kind


def require(kind: FrameKind, message: Message) -> None:
    """Raise FrameError if a message is not of the class that frames of this type carry."""
    if type(message) is not kind.message:
        raise FrameError(f"{kind} carries {kind.message.DESCRIPTOR.name}, not {type(message).__name__}.")


def length_before(start: bytes, sequence: int, kind: int, length: int) -> bytes:
    """Return a header for a stream: a length (32 bits, big-endian), then `start`, the frame's own header.

    `length` is that of the bytes after `start`. The length in the header includes `start`. Raises FrameError.
    """
    whole = len(start) + length
    if whole > LARGEST:
        raise unfit(sequence, kind, length)
    return whole.to_bytes(4, "big") + start


def unfit(sequence: int, kind: int, length: int) -> FrameError:
    """Return the error for a header in which a number does not fit 32 bits."""
    return FrameError(
        f"Sequence number {sequence}, frame type {kind} and length {length} each have to be from 0 to {LARGEST}.",
        FailCode.REQUEST_TOO_BIG if length > LARGEST else FailCode.FRAME,
    )


MOST_ITEMS = 4096
"""Maximum items of a list that are checked one by one: typed parameters and choices."""

_LIMITS = {tp_pb2.SEMI32: 0xFFFFFFFE, tp_pb2.SEMI64: 0x7FFFFFFFFFFFFFFF}


def check_range(message: Message) -> None:
    """Raise FrameError with the field's name if a semisigned number anywhere in a message is out of range."""
    problem = _problem(message, _checks(message.DESCRIPTOR))
    if problem:
        raise FrameError(problem)


class _Check(NamedTuple):
    """The check of one field: its largest value, or the checks of the messages in it."""

    field: str
    limit: int
    repeated: bool
    inner: tuple[Any, ...]


def _problem(message: Message, checks: tuple[_Check, ...]) -> str:
    for field, limit, repeated, inner in checks:
        if not inner:
            value = getattr(message, field)
            if not -1 <= value <= limit:
                return f"{field} is {value}; it may be -1 or from 0 to {limit}."
        elif repeated:
            items = getattr(message, field)
            if len(items) > MOST_ITEMS:
                return f"{field} has {len(items)} items; {MOST_ITEMS} are the most."
            for item in items[:]:  # reading a slice takes half the time of iterating over the container
                problem = _problem(item, inner)
                if problem:
                    return f"{field}.{problem}"
        elif message.HasField(field):
            problem = _problem(getattr(message, field), inner)
            if problem:
                return f"{field}.{problem}"
    return ""


@cache
def _checks(descriptor: Any) -> tuple[_Check, ...]:
    checks = []
    for field in descriptor.fields:
        if field.message_type is not None:
            inner = _checks(field.message_type)
            if inner:
                checks.append(_Check(field.name, 0, field.is_repeated, inner))
        else:
            limit = _LIMITS.get(option(field, tp_pb2.integer))
            if limit:
                checks.append(_Check(field.name, limit, False, ()))
    return tuple(checks)
