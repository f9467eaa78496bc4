"""Prints recorded or captured bytes as readable lines: one JSON object for each frame."""

import json
from collections.abc import Iterator
from typing import Any

from ..dialects import Dialect
from ..errors import FrameError
from ..stream import BadFrame, NotTP, RawFrame, UnknownVersion
from .readable import readable, version_of
from .transcript import Said, Transcript, conversation, pieces, read_input

MOST_SHOWN = 64
"""Maximum bytes shown of a frame that cannot be read."""


def dump(name: str, dialect: Dialect | None = None) -> Iterator[str]:
    """The lines for the frames of a file (`-`: standard input). Raises InputError.

    `dialect` is assumed if the bytes do not tell it, as with Protocol Buffers without their greeting. A frame that
    cannot be read becomes a line with an error; readable frames after it follow.
    """
    transcript = Transcript()
    for said in conversation(pieces(name, read_input(name)), dialect):
        yield json.dumps(_line(said, transcript), ensure_ascii=False)


def _line(said: Said, transcript: Transcript) -> dict[str, Any]:
    line: dict[str, Any] = {}
    if said.piece.connection:
        line["connection"] = said.piece.connection
    if said.piece.sender:
        line["from"] = said.piece.sender
    event = said.event
    if isinstance(event, RawFrame):
        _frame(line, event, said, transcript)
    elif isinstance(event, BadFrame | UnknownVersion):
        line["dialect"] = event.dialect.name
        line["sequence"] = event.sequence
        line["error"] = _error(event.error, said)
    elif isinstance(event, NotTP):
        line["error"] = _error(event.error, said)
        line["start"] = event.start.decode("latin-1")
    else:
        text = f"The bytes end in the middle of a frame: {said.left} bytes of it are there."
        line["error"] = _error(FrameError(text), said)
    if said.piece.note:
        line["note"] = said.piece.note
    return line


def _frame(line: dict[str, Any], raw: RawFrame, said: Said, transcript: Transcript) -> None:
    dialect = transcript.dialect(raw, said.piece.connection)
    line["dialect"] = dialect.name
    line["sequence"] = raw.sequence
    line["number"] = raw.kind
    kind = dialect.kinds.get(raw.kind)
    if kind:
        line["frame"] = kind.field
    try:
        kind, message = transcript.decode(raw, said.piece.connection)
        line["fields"] = readable(kind, message, transcript.known, version_of(dialect.name))
    except FrameError as error:
        line["error"] = _error(error, said)
        line["body"] = raw.body[:MOST_SHOWN].hex() + ("..." if len(raw.body) > MOST_SHOWN else "")


def _error(error: FrameError, said: Said) -> dict[str, Any]:
    return {"code": error.code.name.lower(), "text": error.text, "where": said.piece.where}
