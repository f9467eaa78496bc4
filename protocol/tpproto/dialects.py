"""The encodings of frames: TP03, TP04 (also with padded strings), Protocol Buffers and JSON.

A frame on the wire is `header + body + trailer`. Bodies do not depend on the sequence number, so a server may keep them
and put a new header in front. Every dialect has the same methods; whoever holds a message need not know which it is.
"""

import json
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from . import tp_pb2
from .canonical import as_canonical
from .descriptions import NOTHING, Lookup
from .errors import FailCode, FrameError, UnknownType
from .frames import BY_NAME, BY_NUMBER, CLASSIC, FrameKind, kind_of
from .frames import frame as make_frame
from .layout import TP03 as VERSION_3
from .layout import TP04 as VERSION_4
from .layout import layout_of
from .packers import Variants, has_types, packer, unpacker
from .ranges import check_range

Body = bytes | bytearray | memoryview
_Read = Callable[[Body, Lookup], Message]
_Write = Callable[[Message, Lookup], bytes]

LARGEST = 0xFFFFFFFF
"""The largest sequence number, frame number and body length."""


class Dialect:
    """One encoding of frames.

    `name` is how people call it, `kinds` the frames it has by their number, `greeting` what a client sends once before
    its first frame, and `trailer` what follows each body.
    """

    name: str
    kinds: Mapping[int, FrameKind]
    greeting = b""
    trailer = b""

    def __repr__(self) -> str:
        return f"<dialect {self.name}>"

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        """What comes before a body of `length` bytes. Raises FrameError for numbers that do not fit 32 bits."""
        raise NotImplementedError

    def encode_body(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        """The body of the frame number `kind`.

        Raises FrameError for a frame that the dialect lacks, for numbers out of range, and for typed parameters that
        differ from their description; UnknownType for an order or object type that the lookup does not know.
        """
        raise NotImplementedError

    def decode_body(self, kind: int, body: Body, lookup: Lookup = NOTHING) -> Message:
        """The message in a body, which must be used up exactly. Raises FrameError, or UnknownType as above."""
        raise NotImplementedError

    def encode(self, frame: tp_pb2.Frame, lookup: Lookup = NOTHING) -> bytes:
        """A whole frame. Raises what `encode_body` raises."""
        kind = kind_of(frame)
        if self.kinds.get(kind.number) is not kind:
            raise FrameError(f"{self.name} has no frame {kind.field}.")
        body = self.encode_body(kind.number, getattr(frame, kind.field), lookup)
        return self.header(frame.sequence, kind.number, len(body)) + body + self.trailer

    def decode(self, sequence: int, kind: int, body: Body, lookup: Lookup = NOTHING) -> tp_pb2.Frame:
        """A whole frame from the parts that a reader yields. Raises what `decode_body` raises."""
        return make_frame(sequence, self.kind(kind).field, self.decode_body(kind, body, lookup))

    def split(self, data: Body) -> tuple[int, int, bytes]:
        """Take one whole frame apart into sequence number, frame number and body. Raises FrameError.

        For the dialects that come as messages; frames on a stream are found by `FrameReader`.
        """
        raise NotImplementedError

    def kind(self, number: int) -> FrameKind:
        """The frame type with a number. Raises FrameError if the dialect has none."""
        kind = self.kinds.get(number)
        if kind is None:
            raise FrameError(f"{self.name} has no frame type {number}; they go from 0 to {max(self.kinds)}.")
        return kind


class BinaryDialect(Dialect):
    """TP03 or TP04: a header of 16 bytes, and bodies as the schema's options lay them out."""

    def __init__(
        self, name: str, version: int, magic: bytes, kinds: Mapping[int, FrameKind], padded: bool = False
    ) -> None:
        self.name = name
        self.version = version
        self.magic = magic
        self.kinds = kinds
        self.is_padded = padded
        self._header = struct.Struct(">4sIII").pack
        self._readers: dict[int, _Read] = {}
        self._writers: dict[int, _Write] = {}
        self._variants: dict[str, Variants] = {}

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        try:
            return self._header(self.magic, sequence, kind, length)
        except struct.error:
            raise _unfit(sequence, kind, length) from None

    def encode_body(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        write = self._writers.get(kind)
        if write is None:
            write = self._writers[kind] = self._writer(self.kind(kind))
        try:
            return write(message, lookup)
        except AttributeError:
            _require(self.kind(kind), message)
            raise

    def decode_body(self, kind: int, body: Body, lookup: Lookup = NOTHING) -> Message:
        read = self._readers.get(kind)
        if read is None:
            read = self._readers[kind] = self._reader(self.kind(kind))
        return read(body, lookup)

    def _reader(self, kind: FrameKind) -> _Read:
        layout = layout_of(kind.message.DESCRIPTOR, self.version)
        if not has_types(layout):
            plain = unpacker(layout, kind.message, self.is_padded)
            return lambda body, lookup: plain(body)
        variants = self._variants_of(kind)
        kept, types_of = variants.unpackers, _TYPES[variants.rule]
        type_at, least = struct.Struct(f">{variants.offset}xI").unpack_from, variants.offset + 4

        def read(body: Body, lookup: Lookup) -> Message:
            if len(body) < least:
                raise FrameError(f"The body ends after {len(body)} bytes, before the type, which ends at byte {least}.")
            types = types_of(type_at(body)[0], lookup)
            return (kept.get(types) or variants.unpacker(types))(body)

        return read

    def _writer(self, kind: FrameKind) -> _Write:
        layout = layout_of(kind.message.DESCRIPTOR, self.version)
        if not has_types(layout):
            plain = packer(layout, self.is_padded)
            return lambda message, lookup: plain(message)
        variants = self._variants_of(kind)
        kept, types_of = variants.packers, _TYPES[variants.rule]

        def write(message: Message, lookup: Lookup) -> bytes:
            otype: int = message.otype  # type: ignore[attr-defined] # every message with typed parameters has it
            types = types_of(otype, lookup)
            return (kept.get(types) or variants.packer(types))(message)

        return write

    def _variants_of(self, kind: FrameKind) -> Variants:
        """Shared by all frames with the same message, as Order, OrderInsert and OrderProbe."""
        name = kind.message.DESCRIPTOR.name
        if name not in self._variants:
            layout = layout_of(kind.message.DESCRIPTOR, self.version)
            self._variants[name] = Variants(layout, kind.message, self.is_padded)
        return self._variants[name]


class _Tp04(BinaryDialect):
    """TP04: `padded` is the same with strings filled up to a multiple of 4 bytes, as feature 0x1D00 has it."""

    padded: BinaryDialect


def _order_types(otype: int, lookup: Lookup) -> tuple[int, ...]:
    types = lookup.order_parameters(otype)
    if types is None:
        raise UnknownType("order", otype)
    return types if type(types) is tuple else tuple(types)


def _object_types(otype: int, lookup: Lookup) -> tuple[int, ...]:
    types = lookup.object_parameters(otype)
    if types is None:
        raise UnknownType("object", otype)
    return types if type(types) is tuple else tuple(types)


_CLASSIC_DETAILS = tuple((otype,) for otype in range(6))


def _classic_types(otype: int, lookup: Lookup) -> tuple[int, ...]:
    if otype >= len(_CLASSIC_DETAILS):
        raise UnknownType("object", otype)
    return _CLASSIC_DETAILS[otype]


_TYPES: dict[int, Callable[[int, Lookup], tuple[int, ...]]] = {
    tp_pb2.ORDER_DESCRIPTION: _order_types,
    tp_pb2.OBJECT_DESCRIPTION: _object_types,
    tp_pb2.OBJECT_TYPE: _classic_types,
}


class _Envelope(Dialect):
    """Protocol Buffers: each frame a serialized Frame, as one WebSocket message carries it.

    The header is the beginning of the serialized Frame: sequence number, then key and length of the body's field.
    """

    kinds = BY_NUMBER

    def __init__(self, name: str) -> None:
        self.name = name
        self._starts: dict[int, bytes] = {}

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        if not (0 <= sequence <= LARGEST and 0 <= length <= LARGEST):
            raise _unfit(sequence, kind, length)
        start = self._starts.get(kind)
        if start is None:
            field = tp_pb2.Frame.DESCRIPTOR.fields_by_name[self.kind(kind).field]
            start = self._starts[kind] = _varint(field.number << 3 | 2)
        return (b"\x08" + _varint(sequence) if sequence else b"") + start + _varint(length)

    def encode_body(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        _require(self.kind(kind), message)
        check_range(message)
        return message.SerializeToString()

    def decode_body(self, kind: int, body: Body, lookup: Lookup = NOTHING) -> Message:
        try:
            message = self.kind(kind).message.FromString(bytes(body))
        except DecodeError:
            raise FrameError(f"The body is not a serialized message of a {self.kind(kind)} frame.") from None
        check_range(message)
        return message

    def split(self, data: Body) -> tuple[int, int, bytes]:
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


class _Stream(_Envelope):
    """Protocol Buffers on a stream: `TPPB` once, then each serialized Frame after its length in 32 bits, big-endian."""

    greeting = b"TPPB"

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        start = super().header(sequence, kind, length)
        if len(start) + length > LARGEST:
            raise _unfit(sequence, kind, length)
        return _U32.pack(len(start) + length) + start


class _Json(Dialect):
    """Protocol Buffers' canonical JSON of Frame, without white space: what a browser sends and receives."""

    name = "JSON"
    kinds = BY_NUMBER
    trailer = b"}"

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        if not 0 <= sequence <= LARGEST:
            raise _unfit(sequence, kind, length)
        start = f'"sequence":{sequence},' if sequence else ""
        return f'{{{start}"{_JSON_NAMES[self.kind(kind).field]}":'.encode()

    def encode_body(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        _require(self.kind(kind), message)
        check_range(message)
        return _JSON_TEXT.encode(as_canonical(message)).encode()

    def decode_body(self, kind: int, body: Body, lookup: Lookup = NOTHING) -> Message:
        return self._parsed(_loaded(body), self.kind(kind))

    def split(self, data: Body) -> tuple[int, int, bytes]:
        value = _loaded(data)
        if not isinstance(value, dict):
            raise FrameError("The message has to be a JSON object: sequence, and the frame's name with its fields.")
        sequence = value.pop("sequence", 0)
        if type(sequence) is not int:
            sequence = _number(sequence)
        if not 0 <= sequence <= LARGEST:
            raise FrameError(_SEQUENCE)
        try:
            kind, content = self._only_frame(value)
        except FrameError as error:
            error.sequence = sequence
            raise
        try:
            return sequence, kind.number, _JSON_TEXT.encode(content).encode()
        except UnicodeEncodeError:
            problem = FrameError(f"A text of {kind.field} has half of a surrogate pair, which is no character.")
            problem.sequence = sequence
            raise problem from None

    def _only_frame(self, value: dict[str, Any]) -> tuple[FrameKind, object]:
        if len(value) != 1:
            raise FrameError(f"Besides sequence there has to be the name of one frame; there are {len(value)} names.")
        ((name, content),) = value.items()
        kind = _JSON_FIELDS.get(name)
        if kind is None or self.kinds.get(kind.number) is not kind:
            raise FrameError(f"There is no frame {name[:40]!r}.")
        return kind, content

    @staticmethod
    def _parsed(value: object, kind: FrameKind) -> Message:
        if not isinstance(value, dict):
            raise FrameError(f"The fields of {kind.field} have to be a JSON object.")
        message = kind.message()
        try:
            json_format.ParseDict(value, message)
        except (json_format.ParseError, ValueError, TypeError, RecursionError) as problem:
            raise FrameError(f"The fields of {kind.field} cannot be read: {_sentence(problem)}") from None
        check_range(message)
        return message


class _JsonStream(_Json):
    """The same where no transport keeps messages apart: each after its length in 32 bits, big-endian.

    No peer speaks this; it is how a server hands answers of several frames to what sends them as messages.
    """

    name = "JSON stream"

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        start = super().header(sequence, kind, length)
        whole = len(start) + length + len(self.trailer)
        if whole > LARGEST:
            raise _unfit(sequence, kind, length)
        return _U32.pack(whole) + start


_SEQUENCE = f"The sequence number has to be a whole number from 0 to {LARGEST}."


def _number(written: object) -> int:
    """A sequence number as canonical JSON may write it, too: "5", 5.0 or null."""
    try:
        return json_format.ParseDict({"sequence": written}, tp_pb2.Frame()).sequence
    except (json_format.ParseError, ValueError, TypeError, RecursionError):
        raise FrameError(_SEQUENCE) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose names have to differ."""
    value = dict(pairs)
    if len(value) != len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the name {twice[:40]!r} comes twice in one object")
    return value


def _loaded(data: Body) -> Any:
    try:
        return _JSON_VALUE.decode(str(data, "utf-8"))
    except (ValueError, RecursionError) as problem:
        raise FrameError(f"The message is not JSON: {_sentence(problem)}") from None


def _sentence(problem: Exception) -> str:
    text = str(problem).strip().split("\n")[0][:200] or type(problem).__name__
    return text if text.endswith(".") else text + "."


def _require(kind: FrameKind, message: Message) -> None:
    if type(message) is not kind.message:
        raise FrameError(f"A {kind} frame carries a {kind.message.DESCRIPTOR.name}, not a {type(message).__name__}.")


def _unfit(sequence: int, kind: int, length: int) -> FrameError:
    return FrameError(
        f"Sequence number {sequence}, frame type {kind} and length {length} each have to be from 0 to {LARGEST}.",
        FailCode.REQUEST_TOO_BIG if length > LARGEST else FailCode.FRAME,
    )


def _varint(number: int) -> bytes:
    """A number from 0 in groups of seven bits, the lowest first, as Protocol Buffers writes it."""
    if number < 0x80:
        return _SINGLE_BYTES[number]
    groups = bytearray()
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


_JSON_TEXT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_JSON_VALUE = json.JSONDecoder(object_pairs_hook=_once)
_U32 = struct.Struct(">I")
_SINGLE_BYTES = [bytes([number]) for number in range(0x80)]
_JSON_NAMES = {field.name: field.json_name for field in tp_pb2.Frame.DESCRIPTOR.oneofs_by_name["body"].fields}
_JSON_FIELDS = {name: BY_NAME[field] for field, json_name in _JSON_NAMES.items() for name in (field, json_name)}

TP03 = BinaryDialect("TP03", VERSION_3, b"TP03", CLASSIC)
TP04 = _Tp04("TP04", VERSION_4, b"TP\x04\0", BY_NUMBER)
TP04.padded = BinaryDialect("TP04 padded", VERSION_4, b"TP\x04\0", BY_NUMBER, padded=True)
PB = _Stream("PB")
ENVELOPE = _Envelope("PB message")
JSON = _Json()
JSON_STREAM = _JsonStream()
