"""The encodings in Protocol Buffers: each frame a serialized Frame."""

from google.protobuf.message import DecodeError, Message

from tpproto import tp_pb2
from tpproto.descriptions import NOTHING, Lookup
from tpproto.dialects.base import LARGEST, Body, Dialect, check_range, length_before, require, unfit
from tpproto.errors import FrameError
from tpproto.frames import BY_NAME, BY_NUMBER, kind_of

_SINGLE_BYTES = [bytes([number]) for number in range(0x80)]


class Envelope(Dialect):
    """Protocol Buffers with each frame as a serialized Frame, sent as one WebSocket message.

    The header is the beginning of the serialized Frame: sequence number, then key and length of the body's field.
    """

    kinds = BY_NUMBER

    def __init__(self, name: str) -> None:
        self.name = name
        self._starts: dict[int, bytes] = {}

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        if not (0 <= sequence <= LARGEST and 0 <= length <= LARGEST):
            raise unfit(sequence, kind, length)
        start = self._starts.get(kind)
        if start is None:
            field = tp_pb2.Frame.DESCRIPTOR.fields_by_name[self.kind(kind).field]
            start = self._starts[kind] = _varint(field.number << 3 | 2)
        return (b"\x08" + _varint(sequence) if sequence else b"") + start + _varint(length)

    def encode_body(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        require(self.kind(kind), message)
        check_range(message)
        return message.SerializeToString()

    def decode_body(self, kind: int, body: Body, lookup: Lookup = NOTHING) -> Message:
        try:
            message = self.kind(kind).message.FromString(bytes(body))
        except DecodeError:
            raise FrameError(f"The body is not a serialized message of {self.kind(kind)}.") from None
        check_range(message)
        return message

    def split(self, data: Body) -> tuple[int, int, bytes]:
        plain = self._plain(bytes(data))
        if plain is not None:
            return plain
        try:
            frame = tp_pb2.Frame.FromString(bytes(data))
        except DecodeError:
            raise FrameError("The message is not a serialized Frame.") from None
        try:
            kind = kind_of(frame)
            if self.kinds.get(kind.number) is not kind:
                raise FrameError(f"{self.name} has no frame {kind.field}.")
        except FrameError as error:
            error.sequence = frame.sequence
            raise
        body: Message = getattr(frame, kind.field)
        return frame.sequence, kind.number, body.SerializeToString()

    def _plain(self, data: bytes) -> tuple[int, int, bytes] | None:
        """Split a Frame without parsing its body, or return None.

        Its fields must have the usual order of serializers.
        """
        position = sequence = 0
        if data[:1] == b"\x08":
            sequence, position = _varint_at(data, 1)
        key, position = _varint_at(data, position)
        length, position = _varint_at(data, position)
        kind = _BY_KEY.get(key)
        if kind is None or position + length != len(data) or not 0 <= sequence <= LARGEST:
            return None
        if self.kinds.get(kind.number) is not kind:
            return None
        return sequence, kind.number, data[position:]


class Stream(Envelope):
    """Protocol Buffers on a stream, after the greeting `TPPB`.

    Each serialized Frame has its length before it (32 bits, big-endian).
    """

    greeting = b"TPPB"

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        return length_before(super().header(sequence, kind, length), sequence, kind, length)


def _varint(number: int) -> bytes:
    """Return a number from 0 as a varint of Protocol Buffers: groups of seven bits, the lowest first."""
    if number < 0x80:
        return _SINGLE_BYTES[number]
    groups = bytearray()
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


def _varint_at(data: bytes, position: int) -> tuple[int, int]:
    """Return the varint at a position, and the position after it. The number is -1 if there is no valid varint."""
    number = 0
    for shift in range(0, 35, 7):
        if position >= len(data):
            return -1, position
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
    return -1, position


_BY_KEY = {
    field.number << 3 | 2: BY_NAME[field.name] for field in tp_pb2.Frame.DESCRIPTOR.oneofs_by_name["body"].fields
}
