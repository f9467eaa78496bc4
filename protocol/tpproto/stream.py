"""A reader that takes bytes as they arrive and returns complete frames.

It does no input or output and decodes no bodies. A server's reader detects the dialect from the first bytes. A client's
reader gets it as an argument. It holds at most one frame and the last bytes given to it. It checks a frame's length as
soon as the header is complete.
"""

import struct
from dataclasses import dataclass
from typing import NamedTuple

from google.protobuf.message import Message

from tpproto.descriptions import NOTHING, Lookup
from tpproto.dialects import PB, TP03, TP04, Dialect
from tpproto.errors import FailCode, FrameError

_HEADER = struct.Struct(">4sIII")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the frames that are read. 0 means no limit.

    `frame` is the maximum bytes of a body. A longer one ends the stream, with an error whose sentence ends with `when`.
    `message` is the maximum bytes of a message of Protocol Buffers or JSON, which is parsed as a whole. `values` is the
    maximum work for one (see `Dialect.values`). A message above these two is refused, and the stream goes on.
    """

    frame: int = 1 << 20
    message: int = 0
    values: int = 0
    when: str = ""


class RawFrame(NamedTuple):
    """A complete frame with its body not yet decoded. `kind` is the frame number, which the dialect may lack."""

    dialect: Dialect
    sequence: int
    kind: int
    body: bytes

    def decode(self, lookup: Lookup = NOTHING) -> Message:
        """Return the message in the body. Raises FrameError."""
        return self.dialect.decode_body(self.kind, self.body, lookup)


class UnknownVersion(NamedTuple):
    """A skipped frame of an unsupported version. The Fail in response should carry `sequence`.

    `dialect` is the one for the response: that of the stream, or TP03, whose header all old versions share.
    """

    dialect: Dialect
    version: str
    sequence: int
    error: FrameError


class BadFrame(NamedTuple):
    """A frame that cannot be read. Respond with Fail.

    If `error.closes` is True, then close the stream, as no more frames follow.
    """

    dialect: Dialect
    sequence: int
    error: FrameError


class NotTP(NamedTuple):
    """The peer does not use the protocol. A server sends one line of text and closes. No more frames follow.

    `start` is the beginning of the peer's bytes, at most 64, for the log.
    """

    start: bytes
    error: FrameError


Event = RawFrame | UnknownVersion | BadFrame | NotTP


class FrameReader:
    """Finds the frames in a stream of bytes.

    A client passes its `dialect`; without one, the first bytes decide. A stream keeps its dialect, and frames of
    another version are refused. Only `use` changes it, for padded strings. `closed` is True after an error that ends
    the stream. All further bytes are ignored then.
    """

    def __init__(self, limits: Limits | None = None, dialect: Dialect | None = None) -> None:
        self.limits = limits or Limits()
        self.dialect = dialect
        self.closed = False
        self._rest = bytearray()
        self._need = 0
        self._skip = 0
        self._started = False

    def use(self, dialect: Dialect) -> None:
        """Read later frames in another form of the stream's dialect, such as TP04 with padded strings.

        Frames that `feed` has already returned keep their dialect. Clients wait for the response to SetFilters first.
        """
        self.dialect = dialect

    def incomplete(self) -> int:
        """The bytes received of an incomplete frame, at least 1 while one is being skipped. 0 means between frames."""
        return len(self._rest) or (1 if self._skip else 0)

    def feed(self, data: bytes | bytearray | memoryview) -> list[Event]:
        """Process arriving bytes and return the complete events in order. Returns none once closed."""
        if self.closed:
            return []
        if self._rest:
            self._rest += data
            if len(self._rest) < self._need:
                return []
            data = self._rest
        data = bytes(data)
        events: list[Event] = []
        used = self._scan(data, events)
        if self.closed or used == len(data):
            self._rest = bytearray()
        else:
            self._rest = bytearray(data[used:])
        return events

    def _scan(self, data: bytes, events: list[Event]) -> int:
        """Append the complete events to `events` and return the number of used bytes.

        The methods for one frame return the number of bytes that they used. They return 0 if the frame is incomplete.
        Then `_need` is the number of bytes before the next attempt.
        """
        position, end = 0, len(data)
        while position < end and not self.closed:
            if self._skip:
                used = min(self._skip, end - position)
                self._skip -= used
            elif self.dialect is PB:
                used = self._take_envelope(data, position, events)
            else:
                used = self._take_frame(data, position, events)
            if not used:
                break
            position += used
        return position

    def _take_frame(self, data: bytes, position: int, events: list[Event]) -> int:
        left = len(data) - position
        if left < 16:
            return self._take_beginning(data[position:], events)
        header: tuple[bytes, int, int, int] = _HEADER.unpack_from(data, position)
        magic, sequence, kind, length = header
        dialect = self.dialect
        if dialect is None or magic != _MAGIC[dialect]:
            return self._take_other(data, position, events)
        if length > self.limits.frame:
            return self._end(BadFrame(dialect, sequence, _too_long(length, self.limits)), events)
        if left < 16 + length:
            self._need = 16 + length
            return 0
        self._started = True
        start = position + 16
        events.append(RawFrame(dialect, sequence, kind, data[start : start + length]))
        return 16 + length

    def _take_beginning(self, data: bytes, events: list[Event]) -> int:
        """Handle less than a header: wait, unless the bytes can already be identified."""
        if not b"TP".startswith(data[:2]):
            return self._take_alien(data, events)
        if data[:4] == PB.greeting:
            return self._take_greeting(events)
        self._need = 2 if len(data) < 2 else 4 if len(data) < 4 else 16
        return 0

    def _take_other(self, data: bytes, position: int, events: list[Event]) -> int:
        """Handle the first header of a stream, or a header of another dialect than the stream's."""
        magic, sequence, _, length = _HEADER.unpack_from(data, position)
        if magic[:2] != b"TP":
            return self._take_alien(data[position:], events)
        if magic == PB.greeting:
            return self._take_greeting(events)
        spoken = _DIALECTS.get(magic)
        if self.dialect is None and spoken is not None:
            self.dialect = spoken
            return self._take_frame(data, position, events)
        answer = self.dialect or TP03
        if length > self.limits.frame:
            return self._end(BadFrame(answer, sequence, _too_long(length, self.limits)), events)
        version = _version(magic)
        if spoken is not None:
            problem = f"This connection speaks {answer.name}; a frame in {version} cannot be mixed in."
            events.append(BadFrame(answer, sequence, FrameError(problem, FailCode.PROTOCOL)))
        elif magic[:3] == b"TP\x04":
            problem = f"Frame version {magic[3]} is not supported, only 0."
            error = FrameError(problem, FailCode.FRAME_VERSION_NOT_SUPPORTED)
            events.append(BadFrame(TP04 if self.dialect is None else answer, sequence, error))
        else:
            problem = f"Protocol version {version} is not spoken here, only TP03 and TP04."
            if magic == b"TP04":
                problem = "A header of TP04 begins with the bytes 54 50 04 00, not with the characters TP04."
            events.append(UnknownVersion(answer, version, sequence, FrameError(problem, FailCode.PROTOCOL)))
        self._skip = length
        return 16

    def _take_greeting(self, events: list[Event]) -> int:
        if self.dialect is None:
            self.dialect = PB
            self._started = True
            return 4
        problem = (
            f"This connection speaks {self.dialect.name}; Protocol Buffers have to start a connection of their own."
        )
        return self._end(BadFrame(self.dialect, 0, FrameError(problem, FailCode.PROTOCOL, closes=True)), events)

    def _take_alien(self, data: bytes, events: list[Event]) -> int:
        """Handle bytes that are not a frame."""
        if self._started and self.dialect is not None:
            problem = "What follows the last frame is not a frame: it does not start with TP."
            return self._end(BadFrame(self.dialect, 0, FrameError(problem, FailCode.PROTOCOL, closes=True)), events)
        problem = "This is not the Thousand Parsec protocol: it does not start with TP."
        return self._end(NotTP(data[:64], FrameError(problem, FailCode.PROTOCOL, closes=True)), events)

    def _take_envelope(self, data: bytes, position: int, events: list[Event]) -> int:
        left = len(data) - position
        if not self._started and data[position : position + 4] == PB.greeting:
            self._started = True
            return 4
        if left < 4:
            self._need = 4
            return 0
        length = int.from_bytes(data[position : position + 4], "big")
        if length > self.limits.frame:
            return self._end(BadFrame(PB, 0, _too_long(length, self.limits)), events)
        if left < 4 + length:
            self._need = 4 + length
            return 0
        self._started = True
        start = position + 4
        events.append(read_message(PB, data[start : start + length], self.limits))
        return 4 + length

    def _end(self, event: Event, events: list[Event]) -> int:
        events.append(event)
        self.closed = True
        return 0


def read_message(dialect: Dialect, data: bytes, limits: Limits | None = None) -> RawFrame | BadFrame:
    """Return one frame from a separate message, as on a WebSocket. `dialect` is one of Protocol Buffers or JSON.

    For PB and JSON_STREAM too, `data` is the message without the length before it.
    """
    limits = limits or Limits()
    if len(data) > limits.frame:
        return BadFrame(dialect, 0, _too_long(len(data), limits))
    if limits.message and len(data) > limits.message:
        problem = f"A request of {len(data)} bytes is too long; {limits.message} are the most."
        return BadFrame(dialect, 0, FrameError(problem, FailCode.REQUEST_TOO_BIG))
    if limits.values and dialect.values(data) > limits.values:
        problem = "A request with so many numbers, texts and objects is not looked into; ask for less at once."
        return BadFrame(dialect, 0, FrameError(problem, FailCode.REQUEST_TOO_BIG))
    try:
        return RawFrame(dialect, *dialect.split(data))
    except FrameError as error:
        # Drop the traceback, which would keep the message's bytes in memory as long as the event.
        return BadFrame(dialect, error.sequence, error.with_traceback(None))


def _too_long(length: int, limits: Limits) -> FrameError:
    return FrameError(f"A frame of {length} bytes is too long; {limits.frame} are the most{limits.when}.", closes=True)


_MAGIC: dict[Dialect, bytes] = {dialect: dialect.magic for dialect in (TP03, TP04, TP04.padded)}
_DIALECTS: dict[bytes, Dialect] = {TP03.magic: TP03, TP04.magic: TP04}


def _version(magic: bytes) -> str:
    """Return the name of a version for people: TP02, or TP followed by the number of a binary version."""
    if magic[2:].isalnum():
        return magic.decode("ascii")
    return f"TP version {magic[2]}"
