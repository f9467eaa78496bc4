"""From bytes to frames: a reader that is fed whatever arrives and gives back what is complete.

It does no input or output and decodes no bodies. Both ends can use it: a server's reader learns the dialect from the
first bytes, a client's is told. At most one frame and the last piece fed are held, and a frame's length is checked as
soon as its header is there.
"""

import struct
from dataclasses import dataclass
from typing import NamedTuple

from google.protobuf.message import Message

from .descriptions import NOTHING, Lookup
from .dialects import PB, TP03, TP04, Dialect
from .errors import FailCode, FrameError

_HEADER = struct.Struct(">4sIII")


@dataclass(frozen=True, slots=True)
class Limits:
    """What is looked into at all.

    `frame` is the largest body in bytes; a longer one ends the stream, with a sentence that ends with `when`. `message`
    is the same for a message of Protocol Buffers or JSON that is taken apart as a whole, and `values` is how much may
    be in one (see `Dialect.values`); what goes beyond is refused, and the stream goes on. 0: no such limit.
    """

    frame: int = 1 << 20
    message: int = 0
    values: int = 0
    when: str = ""


class RawFrame(NamedTuple):
    """A complete frame whose body has not been looked into; `kind` is the frame number, known to the dialect or not."""

    dialect: Dialect
    sequence: int
    kind: int
    body: bytes

    def decode(self, lookup: Lookup = NOTHING) -> Message:
        """The message in the body. Raises FrameError."""
        return self.dialect.decode_body(self.kind, self.body, lookup)


class UnknownVersion(NamedTuple):
    """A frame of a version that is not spoken here, skipped. The Fail should carry `sequence`.

    `dialect` is the one to answer in: that of the stream, or TP03, whose header all old versions share.
    """

    dialect: Dialect
    version: str
    sequence: int
    error: FrameError


class BadFrame(NamedTuple):
    """A frame that cannot be read. Answer with Fail; if `error.closes`, then close: nothing more will be read."""

    dialect: Dialect
    sequence: int
    error: FrameError


class NotTP(NamedTuple):
    """The peer does not speak the protocol. A server sends one line of text and closes; nothing more will be read.

    `start` is the beginning of what it said, for the log: at most 64 bytes.
    """

    start: bytes
    error: FrameError


Event = RawFrame | UnknownVersion | BadFrame | NotTP


class FrameReader:
    """Finds the frames in a stream of bytes.

    `dialect` is what a client speaks; without it the first bytes decide. In either case a stream keeps its dialect:
    frames of another version are refused. Only `use` changes it, for padded strings. `closed` is true once the stream
    has ended in a way that leaves nothing to read: every further byte is ignored.
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
        """Give the frames still to come another form of the stream's dialect, as TP04 with padded strings.

        Frames that `feed` has returned already keep the dialect they have; clients wait for the answer to SetFilters.
        """
        self.dialect = dialect

    def incomplete(self) -> int:
        """How many bytes of an unfinished frame are held, at least 1 while one is being skipped. 0: between frames."""
        return len(self._rest) or (1 if self._skip else 0)

    def feed(self, data: bytes | bytearray | memoryview) -> list[Event]:
        """Take in what has arrived and return what is complete, in order. Once closed: nothing."""
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
        """Append what is complete to `events`; the result is how many bytes are done with.

        The methods that take one frame return the bytes they used, or 0 after setting `_need`, the number of bytes that
        the rest has to have before another look at it is worth while.
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
            return self._end(BadFrame(dialect, sequence, self._too_long(length)), events)
        if left < 16 + length:
            self._need = 16 + length
            return 0
        self._started = True
        start = position + 16
        events.append(RawFrame(dialect, sequence, kind, data[start : start + length]))
        return 16 + length

    def _take_beginning(self, data: bytes, events: list[Event]) -> int:
        """Less than a header: wait, unless it can be told already."""
        if not b"TP".startswith(data[:2]):
            return self._take_alien(data, events)
        if data[:4] == PB.greeting:
            return self._take_greeting(events)
        self._need = 2 if len(data) < 2 else 4 if len(data) < 4 else 16
        return 0

    def _take_other(self, data: bytes, position: int, events: list[Event]) -> int:
        """A header that is not the stream's own, or the first one."""
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
            return self._end(BadFrame(answer, sequence, self._too_long(length)), events)
        version = _version(magic)
        if spoken is not None:
            events.append(
                BadFrame(
                    answer,
                    sequence,
                    FrameError(
                        f"This connection speaks {answer.name}; a frame in {version} cannot be mixed in.",
                        FailCode.PROTOCOL,
                    ),
                )
            )
        elif magic[:3] == b"TP\x04":
            events.append(
                BadFrame(
                    TP04 if self.dialect is None else answer,
                    sequence,
                    FrameError(
                        f"Frame version {magic[3]} is not supported, only 0.", FailCode.FRAME_VERSION_NOT_SUPPORTED
                    ),
                )
            )
        else:
            events.append(
                UnknownVersion(
                    answer,
                    version,
                    sequence,
                    FrameError(
                        f"Protocol version {version} is not spoken here, only TP03 and TP04.", FailCode.PROTOCOL
                    ),
                )
            )
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
        """Bytes that are no frame at all."""
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
            return self._end(BadFrame(PB, 0, self._too_long(length)), events)
        if left < 4 + length:
            self._need = 4 + length
            return 0
        self._started = True
        start = position + 4
        events.append(read_message(PB, data[start : start + length], self.limits))
        return 4 + length

    def _too_long(self, length: int) -> FrameError:
        return _too_long(length, self.limits)

    def _end(self, event: Event, events: list[Event]) -> int:
        events.append(event)
        self.closed = True
        return 0


def read_message(dialect: Dialect, data: bytes, limits: Limits | None = None) -> RawFrame | BadFrame:
    """One frame that came as a message of its own, as on a WebSocket; `dialect` is one of Protocol Buffers or JSON.

    Of PB and JSON_STREAM, too, this is the message without the length in front.
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
        # Without the traceback, which would keep the message's bytes alive for as long as the event.
        return BadFrame(dialect, error.sequence, error.with_traceback(None))


def _too_long(length: int, limits: Limits) -> FrameError:
    return FrameError(f"A frame of {length} bytes is too long; {limits.frame} are the most{limits.when}.", closes=True)


_MAGIC: dict[Dialect, bytes] = {dialect: dialect.magic for dialect in (TP03, TP04, TP04.padded)}
_DIALECTS: dict[bytes, Dialect] = {TP03.magic: TP03, TP04.magic: TP04}


def _version(magic: bytes) -> str:
    """How people write a version: TP02, or TP followed by the number of a binary version."""
    if magic[2:].isalnum():
        return magic.decode("ascii")
    return f"TP version {magic[2]}"
