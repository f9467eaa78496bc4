"""The encodings in JSON.

Each frame is the canonical JSON of Frame, as Protocol Buffers define it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from tpproto import tp_pb2
from tpproto.descriptions import NOTHING, Lookup
from tpproto.dialects.base import LARGEST, Body, Dialect, check_range, length_before, require, unfit
from tpproto.errors import FrameError
from tpproto.frames import BY_NAME, BY_NUMBER, FrameKind

_Convert = Callable[[Any], Any]
_LONG = (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)
_PLAIN = (
    FieldDescriptor.CPPTYPE_BOOL,
    FieldDescriptor.CPPTYPE_STRING,
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_UINT32,
)
_known: dict[FieldDescriptor, tuple[str, _Convert | None]] = {}


def as_canonical(message: Message) -> dict[str, Any]:
    """Return the message as data that `json.dumps` turns into its canonical JSON."""
    value: dict[str, Any] = {}
    for field, content in message.ListFields():
        known = _known.get(field)
        if known is None:
            known = _known[field] = field.json_name, _converter(field)
        name, convert = known
        value[name] = content if convert is None else convert(content)
    return value


def _converter(field: FieldDescriptor) -> _Convert | None:
    """Return the function that converts the content of a field, or None if it needs no conversion."""
    if field.cpp_type in _PLAIN and field.type != FieldDescriptor.TYPE_BYTES:
        return list if field.is_repeated else None
    if field.cpp_type in _LONG:
        return (lambda items: [str(item) for item in items]) if field.is_repeated else str
    if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
        return (lambda items: [as_canonical(item) for item in items]) if field.is_repeated else as_canonical
    raise NotImplementedError(f"{field.full_name}: the canonical JSON of this type is not written here")


_SEQUENCE = f"The sequence number has to be a whole number from 0 to {LARGEST}."
_LONG_LIST = 64


class Json(Dialect):
    """Protocol Buffers' canonical JSON of Frame, without white space. Browsers use it."""

    name = "JSON"
    kinds = BY_NUMBER
    trailer = b"}"

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        if not 0 <= sequence <= LARGEST:
            raise unfit(sequence, kind, length)
        start = f'"sequence":{sequence},' if sequence else ""
        return f'{{{start}"{_JSON_NAMES[self.kind(kind).field]}":'.encode()

    def encode_body(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        require(self.kind(kind), message)
        check_range(message)
        return _JSON_TEXT.encode(as_canonical(message)).encode()

    def decode_body(self, kind: int, body: Body, lookup: Lookup = NOTHING) -> Message:
        value, known = _loaded(body), self.kind(kind)
        if not isinstance(value, dict):
            raise FrameError(f"The fields of {known.field} have to be a JSON object.")
        message = known.message()
        try:
            json_format.ParseDict(_without_long_lists(value, message), message)
        except (json_format.ParseError, ValueError, TypeError, RecursionError) as problem:
            raise FrameError(f"The fields of {known.field} cannot be read: {_sentence(problem)}") from None
        check_range(message)
        return message

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

    def values(self, data: bytes) -> int:
        """Return an upper bound of the work: the numbers, texts and lists in a message, and 16 for each object."""
        return data.count(b",") + data.count(b"[") + 16 * data.count(b"{")

    def _only_frame(self, value: dict[str, Any]) -> tuple[FrameKind, object]:
        if len(value) != 1:
            raise FrameError(f"Besides sequence there has to be the name of one frame; there are {len(value)} names.")
        ((name, content),) = value.items()
        kind = _JSON_FIELDS.get(name)
        if kind is None or self.kinds.get(kind.number) is not kind:
            raise FrameError(f"There is no frame {name[:40]!r}.")
        return kind, content


class JsonStream(Json):
    """The JSON dialect on a stream: each frame with its length before it (32 bits, big-endian).

    No peer uses it. A server passes responses of several frames in this form to the code that sends them as messages.
    """

    name = "JSON stream"

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        return length_before(super().header(sequence, kind, length), sequence, kind, length + len(self.trailer))


def _number(written: object) -> int:
    """Return a sequence number from any form that canonical JSON allows, such as "5", 5.0 or null."""
    try:
        return json_format.ParseDict({"sequence": written}, tp_pb2.Frame()).sequence
    except (json_format.ParseError, ValueError, TypeError, RecursionError):
        raise FrameError(_SEQUENCE) from None


def _without_long_lists(value: dict[str, Any], message: Message) -> dict[str, Any]:
    """Put long lists of whole numbers into the message, and return the other fields of `value`.

    The general parser is slow: it needs microseconds for each number.
    """
    rest = {}
    for name, content in value.items():
        field = message.DESCRIPTOR.fields_by_name.get(name)
        if (
            type(content) is list
            and len(content) > _LONG_LIST
            and field is not None
            and field.is_repeated
            and field.type == FieldDescriptor.TYPE_UINT32
            and all(type(number) is int for number in content)
        ):
            getattr(message, name).extend(content)
        else:
            rest[name] = content
    return rest


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object from its pairs. Raises an error for a name that occurs twice."""
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


_JSON_TEXT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_JSON_VALUE = json.JSONDecoder(object_pairs_hook=_once)
_JSON_NAMES = {field.name: field.json_name for field in tp_pb2.Frame.DESCRIPTOR.oneofs_by_name["body"].fields}
_JSON_FIELDS = {name: BY_NAME[field] for field, json_name in _JSON_NAMES.items() for name in (field, json_name)}
