"""Known reasons why a recorded frame differs from the definitions: faults of the old server, and deliberate ones.

`roundtrip` counts a frame that cannot be decoded, or is encoded differently, as explained only if the test of one of
these accepts its bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..dialects import TP03, TP04
from ..errors import FrameError
from ..stream import RawFrame
from .transcript import Piece, Transcript


@dataclass(frozen=True, slots=True)
class Fault:
    """A known difference: its name, its reason, and the test whether a frame has this fault and no other."""

    name: str
    reason: str
    explains: Callable[[RawFrame, Piece, Transcript], bool]


def _same(raw: RawFrame, body: bytes, transcript: Transcript) -> bool:
    """Whether a body, decoded and encoded in the frame's own dialect, is unchanged."""
    try:
        message = raw.dialect.decode_body(raw.kind, body, transcript.known)
        return raw.dialect.encode_body(raw.kind, message, transcript.known) == body
    except FrameError:
        return False


def _player_with_time(raw: RawFrame, piece: Piece, transcript: Transcript) -> bool:
    return raw.dialect is TP03 and raw.kind == 40 and len(raw.body) > 8 and _same(raw, raw.body[:-8], transcript)


def _object_of_tp04(raw: RawFrame, piece: Piece, transcript: Transcript) -> bool:
    return raw.dialect is TP03 and raw.kind in (11, 12, 34) and _same(raw._replace(dialect=TP04), raw.body, transcript)


def _on_purpose(raw: RawFrame, piece: Piece, transcript: Transcript) -> bool:
    return piece.sender == "client" and piece.marked


FAULTS: tuple[Fault, ...] = (
    Fault(
        "player-time-in-tp03",
        "the old server ends Player with 8 bytes of modification time in TP03 too",
        _player_with_time,
    ),
    Fault(
        "object-parameter-of-tp04",
        "the old server has the order parameter Object with its TP04 list of valid types in TP03 too",
        _object_of_tp04,
    ),
    Fault(
        "wrong-on-purpose",
        "the recording client sent a wrong body to see the answer; the recording marks it as short or too long",
        _on_purpose,
    ),
)


def fault_of(raw: RawFrame, piece: Piece, transcript: Transcript) -> Fault | None:
    """The first known fault that explains a frame, or None."""
    for fault in FAULTS:
        if fault.explains(raw, piece, transcript):
            return fault
    return None
