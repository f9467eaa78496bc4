"""Recorded frames of the old server and clients: identical round trips.

Listed faults are the exception.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from tpproto import FrameError, tp_pb2
from tpproto.stream import RawFrame
from tpproto.tools.roundtrip import FAULTS, LISTED, SAME, roundtrip, table
from tpproto.tools.transcript import Transcript, read_input, recorded

GOLDEN = Path(__file__).parent / "golden"

FRAMES = {
    "minisec-tp03-download": 186,
    "minisec-tp04-download": 207,
    "minisec-tp04-orders": 235,
    "tae-tp03-download": 462,
    "tae-tp03-misc": 70,
    "tae-tp03-orders": 469,
    "tae-tp04-combat-internal": 1345,
    "tae-tp04-download": 492,
    "tae-tp04-misc": 649,
    "tae-tp04-orders": 499,
    "tae-tp04-timer": 16,
}
"""The number of frames of each recording."""

EXCEPTIONS = {
    "minisec-tp03-download": {"player-time-in-tp03": 2},
    "minisec-tp04-orders": {"wrong-on-purpose": 6},
    "tae-tp03-download": {"player-time-in-tp03": 2},
    "tae-tp03-misc": {"wrong-on-purpose": 1},
    "tae-tp03-orders": {"object-parameter-of-tp04": 23, "wrong-on-purpose": 4},
    "tae-tp04-misc": {"wrong-on-purpose": 1},
    "tae-tp04-orders": {"wrong-on-purpose": 4},
}
"""The number of frames that depart from the definitions, by the name of the fault. All others have to be the same."""


def path(name: str) -> str:
    return str(GOLDEN / f"{name}.jsonl.gz")


def test_no_recording_is_left_out() -> None:
    assert {file.name.removesuffix(".jsonl.gz") for file in GOLDEN.iterdir()} == set(FRAMES)


@pytest.mark.parametrize("name", FRAMES)
def test_every_recorded_frame_survives_the_round_trip(name: str) -> None:
    tally = roundtrip([path(name)])
    expected = EXCEPTIONS.get(name, {})
    assert tally.unexplained == []
    assert dict(tally.reasons) == expected
    outcomes: Counter[str] = Counter()
    for (_, _, outcome), count in tally.outcomes.items():
        outcomes[outcome] += count
    assert outcomes[SAME] == FRAMES[name] - sum(expected.values())
    assert outcomes[LISTED] == sum(expected.values())
    assert sum(outcomes.values()) == FRAMES[name]


def test_the_table_has_every_listed_reason() -> None:
    tally = roundtrip([path(name) for name in FRAMES])
    text = table(tally)
    assert "4 x player-time-in-tp03" in text
    assert "23 x object-parameter-of-tp04" in text
    assert "16 x wrong-on-purpose" in text
    assert {fault.name for fault in FAULTS} == set(tally.reasons)


def test_what_is_decoded_is_what_the_recording_says() -> None:
    """Okay, Sequence, Board, Message and Resource carry the values that the recording noted, field by field."""
    renamed = {
        "singularname": "singular_name",
        "pluralname": "plural_name",
        "singularunit": "singular_unit",
        "singularunitname": "singular_unit",
        "pluralunit": "plural_unit",
        "pluralunitname": "plural_unit",
        "msgtypelist": "types",
    }
    compared = 0
    for name in FRAMES:
        rows = [json.loads(line) for line in read_input(path(name)).splitlines()]
        transcript = Transcript()
        for row, said in zip(rows, transcript.read(recorded(name, read_input(path(name)))), strict=True):
            assert isinstance(said.event, RawFrame)
            try:
                message = said.message()
            except FrameError:
                continue
            if row["name"] not in ("Okay", "Sequence", "Board", "Message", "Resource", "Connect", "Login", "Features"):
                continue
            for field, value in row["decoded"].items():
                if field.startswith("_") or field == "references":
                    continue
                ours = getattr(message, renamed.get(field, field) if row["name"] != "Connect" else "client")
                assert (list(ours) if isinstance(value, list) else ours) == value, (name, row["name"], field)
                compared += 1
    assert compared > 400


def test_padded_strings_are_read_after_set_filters_was_granted_only() -> None:
    transcript = Transcript()
    dialects: dict[str, set[str]] = {}
    for said in transcript.read(recorded("misc", read_input(path("tae-tp04-misc")))):
        assert isinstance(said.event, RawFrame)
        dialects.setdefault(said.piece.connection, set()).add(said.event.dialect.name)
        try:
            said.message()
        except FrameError as error:
            assert said.piece.marked, error
    assert dialects["filters"] == {"TP04", "TP04 padded"}
    assert dialects["c1"] == {"TP04"}


def test_objects_of_both_versions_are_the_same_objects() -> None:
    """The first star systems of the two TaE downloads, one in TP03 and one in TP04, lie where the other says."""
    places: list[dict[int, tuple[str, int, int]]] = []
    for name in ("tae-tp03-download", "tae-tp04-download"):
        transcript, found = Transcript(), {}
        for said in transcript.read(recorded(name, read_input(path(name)))):
            assert isinstance(said.event, RawFrame)
            try:
                message = said.message()
            except FrameError:
                continue
            if isinstance(message, tp_pb2.ClassicObject) and message.otype == 2:
                found[message.id] = (message.name, message.position.x, message.position.y)
            elif isinstance(message, tp_pb2.Object) and message.otype == 2:
                vector = message.parameters[0].position.vector
                found[message.id] = (message.name, vector.x, vector.y)
        places.append(found)
    assert len(places[0]) > 100
    assert places[0] == places[1]
