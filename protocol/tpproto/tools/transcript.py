"""Reads a recorded conversation frame by frame; earlier frames tell how later ones must be decoded.

Descriptions are stored as they come, and strings are read with padding after a SetFilters that was granted.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from .. import tp_pb2
from ..descriptions import Descriptions
from ..dialects import PB, TP03, TP04, Dialect
from ..frames import FrameKind, frame
from ..stream import Event, FrameReader, RawFrame

PADDING = 0x1D00
"""The feature number of the filter that pads strings."""

DIALECTS: dict[str, Dialect] = {"tp03": TP03, "tp04": TP04, "pb": PB}
"""The dialects that a stream can be in, by their name on the command line."""

MOST_BYTES = 1 << 28
"""Maximum bytes of an input."""


class InputError(Exception):
    """An input cannot be read. The sentence says which file, where in it, and what would be right."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of a conversation, with what a recording says about them.

    `whole` says that the bytes begin with a new frame; else they continue the bytes before. `marked` is the recording's
    note about a body that differs from its definition.
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


@dataclass(slots=True)
class _Connection:
    padded: bool = False
    asked: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Transcript:
    """The state of a conversation: the descriptions so far, and which connections have padded strings."""

    known: Descriptions = field(default_factory=Descriptions)
    connections: dict[str, _Connection] = field(default_factory=dict)

    def dialect(self, raw: RawFrame, connection: str = "") -> Dialect:
        """The dialect that a frame is in, padded strings considered."""
        if raw.dialect is TP04 and self.connections.setdefault(connection, _Connection()).padded:
            return TP04.padded
        return raw.dialect

    def decode(self, raw: RawFrame, connection: str = "") -> tuple[FrameKind, Message]:
        """The message of the next frame; the state is updated from it. Raises FrameError."""
        dialect = self.dialect(raw, connection)
        kind = dialect.kind(raw.kind)
        message = dialect.decode_body(raw.kind, raw.body, self.known)
        self.known.learn(frame(raw.sequence, kind.field, message))
        state = self.connections.setdefault(connection, _Connection())
        if isinstance(message, tp_pb2.SetFilters) and PADDING in message.filters:
            state.asked.add(raw.sequence)
        elif raw.sequence in state.asked:
            state.asked.discard(raw.sequence)
            state.padded = state.padded or isinstance(message, tp_pb2.Okay)
        return kind, message


def read_input(name: str) -> bytes:
    """The bytes of a file, unpacked if its name ends in .gz; `-` is the standard input. Raises InputError."""
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
    """The pieces of an input: JSON lines of a recording, lines of hexadecimal digits, or else the bytes of a stream.

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
    """The rows of a recording in JSON lines; each has a frame in the field `hex`. Raises InputError."""
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
    """One event of a conversation and the piece that it came from. An event of None: the bytes end within a frame."""

    event: Event | None
    piece: Piece
    left: int = 0


def conversation(parts: Iterator[Piece], dialect: Dialect | None = None) -> Iterator[Said]:
    """The events of a conversation, in order. `dialect` is assumed if the bytes do not tell it."""
    reader = FrameReader(dialect=dialect)
    last: Piece | None = None
    for piece in parts:
        if piece.whole:
            reader = FrameReader(dialect=piece.dialect or dialect)
        elif reader.closed:
            reader = FrameReader(dialect=reader.dialect or dialect)
        for event in reader.feed(piece.data):
            yield Said(event, piece)
        last = piece
        if piece.whole and reader.incomplete():
            yield Said(None, piece, reader.incomplete())
    if last is not None and not last.whole and reader.incomplete():
        yield Said(None, last, reader.incomplete())
