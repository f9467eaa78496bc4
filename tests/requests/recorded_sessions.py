"""Recorded client sessions of TaE, sent to our server and compared.

The responses are compared with those of the old server. `recorded_differences.json` explains the intended differences.
"""

from __future__ import annotations

import gzip
import json
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from tests.support.server_in_memory import Server, making_servers, result_of
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP03, Dialect
from tpproto.errors import FrameError
from tpproto.frames import frame
from tpproto.stream import FrameReader, RawFrame
from tpserver.requests.session.session import Peer, Session

HERE = Path(__file__).parent
RECORDINGS = HERE.parent / "protocol" / "golden"
EXPLANATIONS = HERE / "recorded_differences.json"
NAMES = ("tae-tp03-download", "tae-tp04-download")


@dataclass
class Exchange:
    """A request and the frames of its answer, the recorded ones and ours."""

    request: str
    asked: Message
    recorded: list[tuple[str, Message]] = field(default_factory=list)
    ours: list[tuple[str, Message]] = field(default_factory=list)


def recording(name: str) -> list[dict[str, Any]]:
    path = RECORDINGS / f"{name}.jsonl.gz"
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


def frame_in(data: bytes) -> RawFrame:
    """Take one recorded frame apart."""
    (raw,) = FrameReader().feed(data)
    assert isinstance(raw, RawFrame)
    return raw


def decoded(raw: RawFrame, known: Descriptions) -> tuple[str, Message]:
    """Return a recorded frame's name and message; the old server's Player of TP03 has eight bytes too many."""
    kind = raw.dialect.kind(raw.kind)
    try:
        message = raw.dialect.decode_body(raw.kind, raw.body, known)
    except FrameError:
        assert kind.field == "player" and raw.dialect is TP03, kind
        message = raw.dialect.decode_body(raw.kind, raw.body[:-8], known)
    known.learn(frame(0, kind.field, message))
    return kind.field, message


def exchanges(name: str, server: Server) -> Iterator[Exchange]:
    """Send the recorded requests as they are, to a new game in which the player sits on the same seat.

    One thing is put in their place: the key of a list, which a client has from the answer before.
    """
    game = server.create("game", "tae", 2, clock="manual", seed="golden")
    bob = result_of(server.accounts.add("bob", "secret"))
    result_of(server.registry.lobby.take_seat(game, bob.id, "bob", seat=1))
    session = Session(server.host, Peer("192.0.2.1"), lambda data: None)
    known, learnt = Descriptions(), Descriptions()
    rows = recording(name)
    keys: dict[int, int] = {}
    for place, row in enumerate(rows):
        if row["dir"] != "c2s":
            continue
        raw = frame_in(bytes.fromhex(row["hex"]))
        request, asked = decoded(raw, known)
        exchange = Exchange(request, asked)
        for later in rows[place + 1 :]:
            if later["dir"] == "s2c" and later["seq"] == row["seq"]:
                exchange.recorded.append(decoded(frame_in(bytes.fromhex(later["hex"])), known))
        if isinstance(asked, tp.GetIDSequence) and asked.key in keys:
            raw = raw._replace(body=struct.pack(">I", keys[asked.key]) + raw.body[4:])
        given = session.answer(raw)
        pieces = list(given) if isinstance(given, Iterator) else [given]
        answer = b"".join(piece if isinstance(piece, bytes) else result_of(piece) for piece in pieces)
        exchange.ours = [decoded(one, learnt) for one in frames_of(answer, raw.dialect)]
        assert all(one.sequence == row["seq"] for one in frames_of(answer, raw.dialect))
        (_, first), (_, mine) = exchange.recorded[0], exchange.ours[0]
        if isinstance(first, tp.IDSequence) and isinstance(mine, tp.IDSequence):
            keys[first.key] = mine.key
        yield exchange
    session.connection_lost()


def frames_of(data: bytes, dialect: Dialect) -> list[RawFrame]:
    reader = FrameReader(dialect=dialect)
    frames = [event for event in reader.feed(data) if isinstance(event, RawFrame)]
    assert not reader.incomplete()
    return frames


def wanted(exchange: Exchange, *, logged_in: bool) -> list[str]:
    """Return the kinds of frames that the answer must have; "x or fail" where a thing may not be there."""
    name, asked = exchange.request, exchange.asked
    if name == "get_time_remaining" and not logged_in:
        return ["fail"]
    simple = {
        "connect": "okay",
        "login": "okay",
        "get_features": "features",
        "get_time_remaining": "time_remaining",
        "get_games": "game",
    }
    if name in simple:
        return [simple[name]]
    if isinstance(asked, tp.GetIDSequence):
        return [name.removeprefix("get_")]
    answer = {"get_objects_by_id": "object", "get_boards": "board"}.get(name, name.removeprefix("get_"))
    number = len(asked.slots) if isinstance(asked, tp.GetWithIDSlot) else len(asked.ids)  # type: ignore[attr-defined] # by id
    frames = [f"{answer} or fail"] * number
    return frames if number == 1 and answer != "object" else ["sequence_of", *frames]


def fits(frames: list[tuple[str, Message]], kinds: list[str]) -> bool:
    """Return whether an answer has these kinds of frames, and its Sequence the right number."""
    if len(frames) != len(kinds):
        return False
    for (name, message), kind in zip(frames, kinds, strict=True):
        if name.removeprefix("classic_") not in kind.split(" or "):
            return False
        if isinstance(message, tp.Sequence) and message.number != len(frames) - 1:
            return False
    return True


def differences(exchange: Exchange) -> Counter[str]:
    """Return how an answer differs from the recorded one: places by name, each with how often."""
    found: Counter[str] = Counter()
    recorded, ours = list(exchange.recorded), list(exchange.ours)
    if recorded[0][0] == "sequence_of" != ours[0][0]:
        found[f"{exchange.request}: a Sequence of 1 before a single frame"] += 1
        recorded = recorded[1:]
    if len(recorded) != len(ours):
        found[f"{exchange.request}: the number of frames"] += 1
    for (was, old), (name, new) in zip(recorded, ours, strict=False):
        if was != name:
            found[f"{exchange.request}: {was} was answered, now {name}"] += 1
            continue
        for place in places(old, new):
            found[f"{was}{place}"] += 1
    return found


def places(old: Message, new: Message, path: str = "") -> Iterator[str]:
    """Yield where two messages differ: names of fields, [] for any item of a list."""
    for one in old.DESCRIPTOR.fields:
        was, now = getattr(old, one.name), getattr(new, one.name)
        if was == now:
            continue
        here = f"{path}.{one.name}"
        if one.is_repeated:
            if len(was) != len(now):
                yield f"{here}: how many"
            if one.message_type is not None:
                seen = {place for pair in zip(was, now, strict=False) for place in places(*pair, f"{here}[]")}
                yield from sorted(seen)
            elif list(was) != list(now):
                yield f"{here}[]"
        elif one.message_type is not None:
            if old.HasField(one.name) != new.HasField(one.name):
                yield f"{here}: another kind"
            else:
                yield from places(was, now, here)
        else:
            yield here


def compared(name: str) -> tuple[list[Exchange], Counter[str]]:
    """Return all exchanges of a recording with our server, and all differences."""
    with making_servers() as make:
        done = list(exchanges(name, make()))
    found: Counter[str] = Counter()
    for exchange in done:
        found += differences(exchange)
    return done, found


def explained(name: str) -> list[tuple[str, str]]:
    """Return the differences that are meant: a pattern of places (as of file names), and why."""
    return [(pattern, why) for pattern, why in json.loads(EXPLANATIONS.read_text(encoding="utf-8"))[name]]


def why_of(place: str, reasons: list[tuple[str, str]]) -> str | None:
    """Return the explanation of a difference."""
    return next((why for pattern, why in reasons if fnmatchcase(place, pattern)), None)
