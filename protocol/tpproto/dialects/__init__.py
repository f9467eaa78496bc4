"""The encodings of frames: TP03, TP04, Protocol Buffers and JSON.

TP04 also exists with padded strings. A frame on the wire is `header + body + trailer`. Bodies do not depend on the
sequence number, so a server may cache them and put a new header before them. All dialects have the same methods.
"""

from tpproto.codegen.layout import TP03 as VERSION_3
from tpproto.codegen.layout import TP04 as VERSION_4
from tpproto.dialects.base import Dialect
from tpproto.dialects.binary import BinaryDialect, Tp04
from tpproto.dialects.json import Json, JsonStream
from tpproto.dialects.protobuf import Envelope, Stream
from tpproto.frames import ADMIN, CLASSIC, METASERVER, TP04_FRAMES

__all__ = ["ADMIN_DIALECTS", "ENVELOPE", "JSON", "JSON_STREAM", "METASERVER_DIALECT", "PB", "TP03", "TP04", "Dialect"]

TP03 = BinaryDialect("TP03", VERSION_3, b"TP03", CLASSIC)
TP04 = Tp04("TP04", VERSION_4, b"TP\x04\0", TP04_FRAMES)
TP04.padded = BinaryDialect("TP04 padded", VERSION_4, b"TP\x04\0", TP04_FRAMES, padded=True)
ADMIN_DIALECTS: dict[Dialect, BinaryDialect] = {
    TP03: BinaryDialect("administration in TP03", VERSION_3, TP03.magic, ADMIN),
    TP04: BinaryDialect("administration in TP04", VERSION_4, TP04.magic, ADMIN),
}
"""Dialect -> the dialect of the administration protocol with the same header.

Frames of the administration protocol arrive in the former, and are decoded and answered in the latter.
"""
METASERVER_DIALECT = BinaryDialect("metaserver", VERSION_3, TP03.magic, METASERVER)
"""The dialect of a metaserver's list."""
PB = Stream("PB")
ENVELOPE = Envelope("PB message")
JSON = Json()
JSON_STREAM = JsonStream()
