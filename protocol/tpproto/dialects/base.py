"""The interface of all encodings of frames."""

import struct
from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from .. import tp_pb2
from ..descriptions import NOTHING, Lookup
from ..errors import FailCode, FrameError
from ..frames import FIRST_LATER, FrameKind, kind_of
from ..frames import frame as make_frame

Body = bytes | bytearray | memoryview

_U32 = struct.Struct(">I")

LARGEST = 0xFFFFFFFF
"""The largest sequence number, frame number and body length (in bytes): 32 bits."""


class Dialect:
    """One encoding of frames.

    `name` is its name for people, `kinds` maps frame numbers to its frame types, `greeting` is what a client sends once
    before its first frame, and `trailer` the bytes after each body.
    """

    name: str
    kinds: Mapping[int, FrameKind]
    greeting = b""
    trailer = b""

    def __repr__(self) -> str:
        return f"<dialect {self.name}>"

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        """The bytes before a body of `length` bytes. Raises FrameError for numbers that do not fit 32 bits."""
        raise NotImplementedError

    def encode_body(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        """The body, encoded, of a frame with number `kind`.

        Raises FrameError for a frame that the dialect lacks, for numbers out of range, and for typed parameters that
        differ from their description; UnknownType for an order or object type that the lookup does not know.
        """
        raise NotImplementedError

    def decode_body(self, kind: int, body: Body, lookup: Lookup = NOTHING) -> Message:
        """The message in a body. Raises UnknownType as above, and FrameError, also for bytes after the message."""
        raise NotImplementedError

    def encode(self, frame: tp_pb2.Frame, lookup: Lookup = NOTHING) -> bytes:
        """A whole frame, encoded. Raises what `encode_body` raises."""
        kind = kind_of(frame)
        if self.kinds.get(kind.number) is not kind:
            raise FrameError(f"{self.name} has no frame {kind.field}.")
        body = self.encode_body(kind.number, getattr(frame, kind.field), lookup)
        return self.header(frame.sequence, kind.number, len(body)) + body + self.trailer

    def decode(self, sequence: int, kind: int, body: Body, lookup: Lookup = NOTHING) -> tp_pb2.Frame:
        """A frame from the parts that a `FrameReader` returns. Raises what `decode_body` raises."""
        return make_frame(sequence, self.kind(kind).field, self.decode_body(kind, body, lookup))

    def payload(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        """The part of a frame that is the same in every response: its number and its body, without magic and sequence
        number.  Only for `join_payloads` of the same dialect; it can be kept and joined again."""
        return _U32.pack(kind) + self.encode_body(kind, message, lookup)

    def join_payloads(self, sequence: int, payloads: Sequence[bytes]) -> bytes:
        """Frames with these payloads, encoded, as the response to the request `sequence`."""
        frames: list[bytes] = []
        for one in payloads:
            (kind,) = _U32.unpack_from(one)
            frames += (self.header(sequence, kind, len(one) - 4), one[4:], self.trailer)
        return b"".join(frames)

    def split(self, data: Body) -> tuple[int, int, bytes]:
        """Split one whole frame into sequence number, frame number and body. Raises FrameError.

        For dialects whose frames come as separate messages; `FrameReader` finds the frames of a stream.
        """
        raise NotImplementedError

    def values(self, data: bytes) -> int:
        """An estimate of the work to decode a whole frame, made without decoding; 0 if its length bounds the work."""
        return 0

    def kind(self, number: int) -> FrameKind:
        """The frame type with this number. Raises FrameError if the dialect has none."""
        kind = self.kinds.get(number)
        if kind is None:
            classic = [known for known in self.kinds if known < FIRST_LATER]
            later = "".join(f", and {known}" for known in self.kinds if known >= FIRST_LATER)
            raise FrameError(f"{self.name} has no frame type {number}; they go from 0 to {max(classic)}{later}.")
        return kind


def require(kind: FrameKind, message: Message) -> None:
    """Raise FrameError if a message is not of the class that frames of this type carry."""
    if type(message) is not kind.message:
        raise FrameError(f"A {kind} frame carries a {kind.message.DESCRIPTOR.name}, not a {type(message).__name__}.")


def unfit(sequence: int, kind: int, length: int) -> FrameError:
    """The error for a header in which a number does not fit 32 bits."""
    return FrameError(
        f"Sequence number {sequence}, frame type {kind} and length {length} each have to be from 0 to {LARGEST}.",
        FailCode.REQUEST_TOO_BIG if length > LARGEST else FailCode.FRAME,
    )
