"""Decode recorded frames, encode them again, and compare the bytes."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tpproto.descriptions import Descriptions
from tpproto.dialects import TP03, TP04
from tpproto.errors import FrameError
from tpproto.stream import RawFrame
from tpproto.tools.transcript import Piece, Said, Transcript, read_input, recorded


@dataclass(frozen=True, slots=True)
class Fault:
    """A known difference: its name, its reason, and the test for frames with only this fault."""

    name: str
    reason: str
    explains: Callable[[RawFrame, Piece, Descriptions], bool]


def _same(raw: RawFrame, body: bytes, known: Descriptions) -> bool:
    """Return whether a body is unchanged after decoding and encoding in the frame's dialect."""
    try:
        message = raw.dialect.decode_body(raw.kind, body, known)
        return raw.dialect.encode_body(raw.kind, message, known) == body
    except FrameError:
        return False


FAULTS: tuple[Fault, ...] = (
    Fault(
        "player-time-in-tp03",
        "the old server ends Player with 8 bytes of modification time in TP03 too",
        lambda raw, _, known: raw.dialect is TP03 and raw.kind == 40 and _same(raw, raw.body[:-8], known),
    ),
    Fault(
        "object-parameter-of-tp04",
        "the old server has the order parameter Object with its TP04 list of valid types in TP03 too",
        lambda raw, _, known: (
            raw.dialect is TP03 and raw.kind in (11, 12, 34) and _same(raw._replace(dialect=TP04), raw.body, known)
        ),
    ),
    Fault(
        "wrong-on-purpose",
        "the recording client sent a wrong body to see the answer; the recording marks it as short or too long",
        lambda _, piece, known: piece.sender == "client" and piece.marked,
    ),
)


SAME, DIFFERENT, UNDECODABLE, LISTED = "same", "different", "undecodable", "listed"


@dataclass(slots=True)
class Tally:
    """The results: counts by dialect, frame and outcome, counts by known reason, and the unexplained frames."""

    outcomes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Return whether all frames were unchanged or have a known reason.

        False without any frame.
        """
        return bool(self.outcomes) and not self.unexplained


def roundtrip(names: Iterable[str]) -> Tally:
    """Decode and encode every frame of recordings in JSON lines, and return the results. Raises InputError."""
    tally = Tally()
    for name in names:
        transcript = Transcript()
        for said in transcript.read(recorded(name, read_input(name))):
            _count(tally, name, said, transcript.known)
    return tally


def _count(tally: Tally, name: str, said: Said, known: Descriptions) -> None:
    place = f"{name}, {said.piece.where}"
    raw = said.event
    if not isinstance(raw, RawFrame):
        reason = f"{said.left} bytes of an unfinished frame" if raw is None else raw.error.text
        tally.outcomes["-", said.piece.name or "no frame", UNDECODABLE] += 1
        tally.unexplained.append(f"{place}: {reason}")
        return
    dialect = raw.dialect
    kind = dialect.kinds.get(raw.kind)
    label = kind.field if kind else f"frame {raw.kind}"
    outcome, problem = SAME, ""
    try:
        again = dialect.encode_body(raw.kind, said.message(), known)
        whole = dialect.header(raw.sequence, raw.kind, len(again)) + again
        given = said.piece.data.removeprefix(dialect.greeting)
        if whole != given:
            outcome, problem = DIFFERENT, f"encodes as {whole[:64].hex()}, was {given[:64].hex()}"
    except FrameError as error:
        outcome, problem = UNDECODABLE, error.text
    if outcome != SAME:
        fault = next((fault for fault in FAULTS if fault.explains(raw, said.piece, known)), None)
        if fault:
            tally.reasons[fault.name] += 1
            outcome = LISTED
        else:
            tally.unexplained.append(f"{place}, {label}: {problem}")
    tally.outcomes[dialect.name, label, outcome] += 1


def table(tally: Tally) -> str:
    """Return the counts as a table, then the known reasons, then each frame without one."""
    columns = (SAME, DIFFERENT, UNDECODABLE, LISTED)
    rows = sorted({(dialect, label) for dialect, label, _ in tally.outcomes})
    lines = [f"{'dialect':<12} {'frame':<28}" + "".join(f"{column:>12}" for column in columns)]
    for dialect, label in rows:
        counts = "".join(f"{tally.outcomes[dialect, label, column]:>12}" for column in columns)
        lines.append(f"{dialect:<12} {label:<28}{counts}")
    sums = [sum(count for key, count in tally.outcomes.items() if key[2] == column) for column in columns]
    lines.append(f"{'all':<12} {'':<28}" + "".join(f"{count:>12}" for count in sums))
    lines += [
        f"listed: {tally.reasons[fault.name]} x {fault.name}: {fault.reason}."
        for fault in FAULTS
        if tally.reasons[fault.name]
    ]
    lines += [f"unexplained: {text}" for text in tally.unexplained]
    return "\n".join(lines)
