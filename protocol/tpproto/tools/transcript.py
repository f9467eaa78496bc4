"""Read a recorded conversation; earlier frames determine the decoding.

Descriptions are stored as they come, and strings are read with padding after a SetFilters that was granted.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from tpproto import tp_pb2
from tpproto.descriptions import Descriptions
from tpproto.dialects import PB, TP03, TP04, Dialect
from tpproto.errors import FrameError
from tpproto.stream import Event, FrameReader, RawFrame

PADDING = 0x1D00
"""The feature number of the filter that pads strings."""

DIALECTS: dict[str, Dialect] = {"tp03": TP03, "tp04": TP04, "pb": PB}
"""The possible dialects of a stream, by their name on the command line."""

MOST_BYTES = 1 << 28
"""Maximum bytes of an input."""


class InputError(Exception):
    """An input cannot be read. The sentence names the file, the place in it, and the right form."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of a conversation, with the notes of a recording.

    If `whole` is True, the bytes begin with a new frame; else they continue the bytes before. `marked` is the
    recording's note about a body that differs from its definition.
    """

    data: bytes
    where: str
    whole: bool
    connection: str = ""
    sender: str = ""
    name: str = ""
    note: str = ""
    marked: bool = False
    dialect: Dialect | None = None


def read_input(name: str) -> bytes:
    """Return the bytes of a file, unpacked if its name ends in .gz. `-` is the standard input. Raises InputError."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        elif name.endswith(".gz"):
            with gzip.open(name) as file:
                data = file.read(MOST_BYTES + 1)
        else:
            with Path(name).open("rb") as plain:
                data = plain.read(MOST_BYTES + 1)
    except (OSError, EOFError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
        raise InputError(f"{name} cannot be read: {reason}.") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{name} is longer than {MOST_BYTES >> 20} MiB, the most that is read.")
    return data


def pieces(name: str, data: bytes) -> Iterator[Piece]:
    """Yield the pieces of an input: JSON lines of a recording, hexadecimal lines, or the bytes of a stream.

    Raises InputError for a line that does not fit the form of the first.
    """
    start = data[:4096].lstrip()
    if start[:1] == b"{":
        yield from recorded(name, data)
    elif start and _is_hex(start.split(b"\n")[0]):
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip():
                yield Piece(
                    _from_hex(f"{name}, line {number}", line.decode("ascii", "replace")), f"line {number}", False
                )
    else:
        yield Piece(data, "the stream", False)


def recorded(name: str, data: bytes) -> Iterator[Piece]:
    """Yield the rows of a recording in JSON lines. Each has a frame in the field `hex`. Raises InputError."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(f"{where}: this is not JSON; each line has to be an object with a field hex.") from None
        if not isinstance(row, dict) or not isinstance(row.get("hex", ""), str):
            raise InputError(f"{where}: each line has to be an object whose field hex is a string.")
        yield _piece(where, f"line {number}", row)


def _piece(where: str, place: str, row: dict[str, Any]) -> Piece:
    sender = {"c2s": "client", "s2c": "server"}.get(str(row.get("dir")), "")
    decoded = row.get("decoded")
    marked = isinstance(decoded, dict) and ("_short" in decoded or "_trailing" in decoded)
    return Piece(
        _from_hex(where, row.get("hex", "")),
        place,
        whole=True,
        connection=str(row.get("conn", "")),
        sender=sender,
        name=str(row.get("name", "")),
        note=str(row.get("note", "")),
        marked=marked,
        dialect=_recorded_dialect(where, row.get("dialect")),
    )


def _recorded_dialect(where: str, name: object) -> Dialect | None:
    if name is None:
        return None
    for dialect in (*DIALECTS.values(), TP04.padded):
        if dialect.name == name:
            return dialect
    raise InputError(f"{where}: the dialect {name!r} is not one of TP03, TP04, TP04 padded and PB.")


def _is_hex(line: bytes) -> bool:
    digits = line.translate(None, b" \t\r:")
    return len(digits) >= 2 and not digits.strip(b"0123456789abcdefABCDEF")


def _from_hex(where: str, text: str) -> bytes:
    try:
        return bytes.fromhex(text.replace(":", " "))
    except ValueError:
        raise InputError(f"{where}: hex has to be pairs of the digits 0 to 9 and a to f.") from None


@dataclass(frozen=True, slots=True)
class Said:
    """One event of a conversation and its piece. An event of None means that the bytes end within a frame.

    `content` is the message of a frame, or the error if it cannot be decoded.
    """

    event: Event | None
    piece: Piece
    left: int = 0
    content: Message | FrameError | None = None

    def message(self) -> Message:
        """Return the message of a frame. Raises FrameError."""
        if isinstance(self.content, FrameError):
            raise self.content
        assert self.content is not None, "only frames have messages"
        return self.content


class Transcript:
    """The state of a conversation: `known` are the descriptions so far."""

    def __init__(self) -> None:
        self.known = Descriptions()
        self._padded: set[str] = set()
        """The connections that have padded strings."""
        self._asked: set[tuple[str, int]] = set()
        """Connection and sequence number of the requests for padded strings."""

    def read(self, parts: Iterator[Piece], dialect: Dialect | None = None) -> Iterator[Said]:
        """Yield the events of a conversation, in order. `dialect` applies if the bytes do not identify it."""
        reader = FrameReader(dialect=dialect)
        last: Piece | None = None
        for piece in parts:
            if piece.whole:
                reader = FrameReader(dialect=piece.dialect or dialect)
            elif reader.closed:
                reader = FrameReader(dialect=reader.dialect or dialect)
            for event in reader.feed(piece.data):
                yield self._decoded(event, piece) if isinstance(event, RawFrame) else Said(event, piece)
            last = piece
            if piece.whole and reader.incomplete():
                yield Said(None, piece, reader.incomplete())
        if last is not None and not last.whole and reader.incomplete():
            yield Said(None, last, reader.incomplete())

    def _decoded(self, raw: RawFrame, piece: Piece) -> Said:
        """Return the next frame with its message, and update the state."""
        if raw.dialect is TP04 and piece.connection in self._padded:
            raw = raw._replace(dialect=TP04.padded)
        try:
            message = raw.decode(self.known)
        except FrameError as error:
            return Said(raw, piece, content=error)
        self.known.learn(message)
        request = piece.connection, raw.sequence
        if isinstance(message, tp_pb2.SetFilters) and PADDING in message.filters:
            self._asked.add(request)
        elif request in self._asked:
            self._asked.discard(request)
            if isinstance(message, tp_pb2.Okay):
                self._padded.add(piece.connection)
        return Said(raw, piece, content=message)
