"""The game protocol: encodes and decodes frames, without input or output.

`tp_pb2` has the messages, `frames` the frame types, and `dialects` the encodings TP03, TP04, PB, ENVELOPE, JSON and
JSON_STREAM. `stream` has the reader that turns bytes into frames, and `descriptions` the types of typed parameters.
"""

from tpproto.descriptions import NOTHING, Descriptions, Lookup
from tpproto.dialects import ENVELOPE, JSON, JSON_STREAM, PB, TP03, TP04, Dialect
from tpproto.errors import FailCode, FrameError, UnknownType
from tpproto.frames import BY_NAME, BY_NUMBER, CLASSIC, FrameKind, body_of, frame, kind_of
from tpproto.stream import BadFrame, Event, FrameReader, Limits, NotTP, RawFrame, UnknownVersion, read_message

__all__ = [
    "BY_NAME",
    "BY_NUMBER",
    "CLASSIC",
    "ENVELOPE",
    "JSON",
    "JSON_STREAM",
    "NOTHING",
    "PB",
    "TP03",
    "TP04",
    "BadFrame",
    "Descriptions",
    "Dialect",
    "Event",
    "FailCode",
    "FrameError",
    "FrameKind",
    "FrameReader",
    "Limits",
    "Lookup",
    "NotTP",
    "RawFrame",
    "UnknownType",
    "UnknownVersion",
    "body_of",
    "frame",
    "kind_of",
    "read_message",
]
