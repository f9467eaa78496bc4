"""The encodings TP03 and TP04: a header of 16 bytes, and a body.

The schema's options define the layout of the bodies.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from google.protobuf.message import Message

from tpproto import tp_pb2
from tpproto.codegen.layout import Layout, Number, Part, has_types, layout_of, typed_step
from tpproto.codegen.packers import Pack, Packer, Row, RowPacker
from tpproto.codegen.unpackers import Unpack, Unpacker
from tpproto.descriptions import NOTHING, Lookup
from tpproto.dialects.base import Body, Dialect, require, unfit
from tpproto.errors import FrameError, UnknownType
from tpproto.frames import FrameKind

MOST_PARAMETERS = 256
"""Maximum parameters of a description. More are refused, because a function is compiled for each sequence of types."""

MOST_VARIANTS = 512
"""Maximum compiled functions for the parameter sequences of one message. Above it, all are dropped."""


F = TypeVar("F")


class _Compiled(dict[tuple[int, ...], F]):
    """The packers or unpackers of one message by its parameter types. `make` creates each one at its first use."""

    def __init__(self, make: Callable[[list[Part]], F], layout: Layout) -> None:
        super().__init__()
        self._make = make
        self._layout = layout

    def __missing__(self, types: tuple[int, ...]) -> F:
        """Compile the function for these types. Raises FrameError for unknown types."""
        function = self._make(chosen(self._layout, types) if has_types(self._layout) else [])
        if len(self) >= MOST_VARIANTS:
            self.clear()
        self[types] = function
        return function


def _offset_of_type(layout: Layout) -> int:
    offset = 0
    for step in layout.steps:
        assert isinstance(step, Number), "only numbers may come before the type of typed parameters"
        if step.name == "otype":
            return offset
        offset += step.size
    raise AssertionError(f"{layout.name} has typed parameters but no field otype")


def chosen(layout: Layout, types: Sequence[int]) -> list[Part]:
    """Return the layouts of the typed parameters for a sequence of type ids. Raises FrameError for unknown ones."""
    if len(types) > MOST_PARAMETERS:
        raise FrameError(f"A type with {len(types)} parameters is not supported; {MOST_PARAMETERS} are the most.")
    alternatives = typed_step(layout).alternatives
    for position, type_id in enumerate(types):
        if type_id not in alternatives:
            raise FrameError(
                f"Parameter {position} of this {layout.name} is described with type {type_id}; there are types 0 to "
                f"{max(alternatives)} only."
            )
    return [alternatives[type_id] for type_id in types]


_Read = Callable[[Body, Lookup], Message]
_Write = Callable[[Message, Lookup], bytes]


class BinaryDialect(Dialect):
    """TP03 or TP04: a header of 16 bytes, and bodies in the layout of the schema's options."""

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
        # Frames with the same message, such as Order and OrderProbe, share its functions.
        self.unpackers: dict[str, _Compiled[Unpack]] = {}
        self._packers: dict[str, _Compiled[Pack]] = {}
        self._row_packers: dict[int, _Compiled[Pack]] = {}

    def header(self, sequence: int, kind: int, length: int) -> bytes:
        try:
            return self._header(self.magic, sequence, kind, length)
        except struct.error:
            raise unfit(sequence, kind, length) from None

    def encode_body(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        write = self._writers.get(kind)
        if write is None:
            write = self._writers[kind] = self._writer(self.kind(kind))
        try:
            return write(message, lookup)
        except AttributeError:
            require(self.kind(kind), message)
            raise

    def decode_body(self, kind: int, body: Body, lookup: Lookup = NOTHING) -> Message:
        read = self._readers.get(kind)
        if read is None:
            read = self._readers[kind] = self._reader(self.kind(kind))
        return read(body, lookup)

    def encode_row(self, kind: int, row: Row, types: tuple[int, ...] = ()) -> bytes:
        """Return the body of a frame from the values of its message, as `RowPacker` takes them.

        `types` are those of its typed parameters or its detail. Raises FrameError for values that only the layout
        excludes (-1 or unsigned), and struct.error for others.
        """
        packers = self._row_packers.get(kind)
        if packers is None:
            layout = layout_of(self.kind(kind).message.DESCRIPTOR, self.version)
            packers = self._row_packers[kind] = _Compiled(
                lambda parts: RowPacker(layout, self.is_padded, parts).function(), layout
            )
        return packers[types](row)

    def payload(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        return self.payload_of(kind, self.encode_body(kind, message, lookup))

    def payload_of(self, kind: int, body: bytes) -> bytes:
        """Return the payload of a frame with this body."""
        return self.header(0, kind, len(body))[8:] + body

    def join_payloads(self, sequence: int, payloads: Sequence[bytes]) -> bytes:
        head = self.header(sequence, 0, 0)[:8]
        return head + head.join(payloads) if payloads else b""

    def _reader(self, kind: FrameKind) -> _Read:
        layout = layout_of(kind.message.DESCRIPTOR, self.version)
        if not has_types(layout):
            plain = Unpacker(layout, self.is_padded).function(kind.message)
            return lambda body, lookup: plain(body)
        made = _Compiled(lambda parts: Unpacker(layout, self.is_padded, parts).function(kind.message), layout)
        unpackers = self.unpackers.setdefault(layout.name, made)
        types_of, offset = _TYPES[typed_step(layout).rule], _offset_of_type(layout)
        type_at, least = struct.Struct(f">{offset}xI").unpack_from, offset + 4

        def read(body: Body, lookup: Lookup) -> Message:
            if len(body) < least:
                raise FrameError(f"The body ends after {len(body)} bytes, before the type, which ends at byte {least}.")
            return unpackers[types_of(type_at(body)[0], lookup)](body)

        return read

    def _writer(self, kind: FrameKind) -> _Write:
        layout = layout_of(kind.message.DESCRIPTOR, self.version)
        if not has_types(layout):
            plain = Packer(layout, self.is_padded).function()
            return lambda message, lookup: plain(message)
        made = _Compiled(lambda parts: Packer(layout, self.is_padded, parts).function(), layout)
        packers, types_of = self._packers.setdefault(layout.name, made), _TYPES[typed_step(layout).rule]

        def write(message: Message, lookup: Lookup) -> bytes:
            otype: int = message.otype  # type: ignore[attr-defined] # every message with typed parameters has it
            return packers[types_of(otype, lookup)](message)

        return write


class Tp04(BinaryDialect):
    """The dialect TP04. `padded` is the same dialect with strings padded to a multiple of 4 bytes (feature 0x1D00)."""

    padded: BinaryDialect


def _order_types(otype: int, lookup: Lookup) -> tuple[int, ...]:
    types = lookup.order_parameters.get(otype)
    if types is None:
        raise UnknownType("order", otype)
    return types


def _object_types(otype: int, lookup: Lookup) -> tuple[int, ...]:
    types = lookup.object_parameters.get(otype)
    if types is None:
        raise UnknownType("object", otype)
    return types


def _command_types(otype: int, lookup: Lookup) -> tuple[int, ...]:
    types = lookup.command_parameters.get(otype)
    if types is None:
        raise UnknownType("command", otype)
    return types


_CLASSIC_DETAILS = tuple((otype,) for otype in range(6))


def _classic_types(otype: int, lookup: Lookup) -> tuple[int, ...]:
    if otype >= len(_CLASSIC_DETAILS):
        raise UnknownType("object", otype)
    return _CLASSIC_DETAILS[otype]


_TYPES: dict[int, Callable[[int, Lookup], tuple[int, ...]]] = {
    tp_pb2.ORDER_DESCRIPTION: _order_types,
    tp_pb2.OBJECT_DESCRIPTION: _object_types,
    tp_pb2.OBJECT_TYPE: _classic_types,
    tp_pb2.COMMAND_DESCRIPTION: _command_types,
}
