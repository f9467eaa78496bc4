"""The game protocol: encodes and decodes frames, without any input or output.

`tp_pb2` has the messages, `frames` the frame types, `dialects` the encodings TP03, TP04, PB, ENVELOPE, JSON and
JSON_STREAM, `stream` the reader that turns arriving bytes into frames, and `descriptions` the types of typed
parameters.
"""

from .descriptions import NOTHING, Descriptions, Lookup
from .dialects import ENVELOPE, JSON, JSON_STREAM, PB, TP03, TP04, Dialect
from .errors import FailCode, FrameError, UnknownType
from .frames import BY_NAME, BY_NUMBER, CLASSIC, FrameKind, body_of, frame, kind_of
from .stream import BadFrame, Event, FrameReader, Limits, NotTP, RawFrame, UnknownVersion, read_message

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
