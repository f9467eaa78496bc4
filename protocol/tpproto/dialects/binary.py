"""The encodings TP03 and TP04: a header of 16 bytes, and bodies as the schema's options lay them out."""

import struct
from collections.abc import Callable, Mapping, Sequence

from google.protobuf.message import Message

from .. import tp_pb2
from ..codegen.layout import has_types, layout_of
from ..codegen.packers import packer
from ..codegen.unpackers import unpacker
from ..codegen.variants import Variants
from ..descriptions import NOTHING, Lookup
from ..errors import FrameError, UnknownType
from ..frames import FrameKind
from .base import Body, Dialect, require, unfit

_Read = Callable[[Body, Lookup], Message]
_Write = Callable[[Message, Lookup], bytes]


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

    def payload(self, kind: int, message: Message, lookup: Lookup = NOTHING) -> bytes:
        body = self.encode_body(kind, message, lookup)
        return self.header(0, kind, len(body))[8:] + body

    def join_payloads(self, sequence: int, payloads: Sequence[bytes]) -> bytes:
        head = self.header(sequence, 0, 0)[:8]
        return head + head.join(payloads) if payloads else b""

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
        """The packers of a frame type; types with the same message, such as Order and OrderProbe, share them."""
        name = kind.message.DESCRIPTOR.name
        if name not in self._variants:
            layout = layout_of(kind.message.DESCRIPTOR, self.version)
            self._variants[name] = Variants(layout, kind.message, self.is_padded)
        return self._variants[name]


class Tp04(BinaryDialect):
    """TP04. `padded` is the same dialect with strings padded to a multiple of 4 bytes (feature 0x1D00)."""

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
