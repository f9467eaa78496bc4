"""Bad input: old crashes and hangs, random bodies, mutated real frames."""

from __future__ import annotations

import gzip
import json
import random
import struct
import tracemalloc
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.server_in_memory import (
    DIALECTS,
    SMALL_BOARD,
    Client,
    Server,
    chosen,
    making_servers,
    state_of,
    target,
)
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, TP04, Dialect
from tpproto.frames import BY_NAME
from tpproto.stream import BadFrame, FrameReader, NotTP, RawFrame, UnknownVersion
from tprules.api.ruleset import find_phase
from tpserver.requests.session.responses import BYTES_AT_ONCE, FRAMES_AT_ONCE
from tpserver.requests.session.session import Peer, Session

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED, TOO_BIG = 1, 2, 3, 4, 5, 8
NOWHERE = 4_000_000_000
RECORDINGS = Path(__file__).parents[1] / "protocol" / "golden"
CLASSIC = ["tp03", "tp04", "padded"]


def u32(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


@pytest.fixture
def ann(server: Server) -> Any:
    """Make Ann, who plays TaE with Ben on a small board, in any dialect."""

    def make(dialect: str) -> Client:
        server.create("game", "tae", 2, options={"board": SMALL_BOARD}, clock="manual")
        return server.players(2, dialect)[0]

    return make


# --- each thing that was seen to crash or hang the old server -------------------------------------------------------


@pytest.mark.parametrize("title", CLASSIC)
@pytest.mark.parametrize("name", ["connect", "login", "create_account"])
def test_a_string_of_4_gigabytes_before_login(server: Server, title: str, name: str):
    """A length of 0xFFFFFFFF is checked against the bytes that are there, before anything is allocated."""
    client = server.connect(title)
    tracemalloc.start()
    answer = client.raw(BY_NAME[name].number, u32(0xFFFFFFFF) + b"abc")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.code == FRAME
    assert peak < 1_000_000
    assert client.ask("ping").name == "okay"
    assert not client.session.closing


@pytest.mark.parametrize("title", CLASSIC)
@pytest.mark.parametrize("count", [0x20000000, 0x40000000, 0xFFFFFFFF, 0x80000000, 3])
def test_counts_that_are_larger_than_the_body(ann: Any, title: str, count: int):
    """In every request with a list."""
    client = ann(title)
    for name in ("get_objects_by_id", "get_order_desc", "get_boards", "get_resource", "get_design", "remove_design"):
        assert client.raw(BY_NAME[name].number, u32(count, 1, 2)).code == FRAME
    for name in ("get_order", "remove_order", "get_message", "remove_message"):
        assert client.raw(BY_NAME[name].number, u32(1, count, 1, 2)).code == FRAME
    assert client.ask("ping").name == "okay"


@pytest.mark.parametrize("title", CLASSIC)
def test_an_order_insert_of_8_bytes(ann: Any, title: str):
    client = ann(title)
    before = state_of(client.session.game)
    for size in (0, 1, 8, 12, 16, 23):
        assert client.raw(BY_NAME["order_insert"].number, bytes(size)).code in (FRAME, NO_SUCH_THING)
    assert client.raw(BY_NAME["order_insert"].number, bytes(8)).code == FRAME
    assert state_of(client.session.game) == before


def test_an_order_whose_target_does_not_exist(ann: Any, dialect: str):
    client = ann(dialect)
    before = state_of(client.session.game)
    answer = client.insert(29, 2, target(NOWHERE))
    assert answer.code == NO_SUCH_THING
    assert state_of(client.session.game) == before


def test_a_second_order_behind_a_queued_reinforce(server: Server, dialect: str):
    """The old server lost the whole combat; here it is refused, and the combat is fought."""
    client = in_combat(server, dialect)
    game = client.session.game
    colonists = [move.on for move in game.rules.legal_orders(game.state.plan(client.seat)) if move.type == "Reinforce"]
    reinforce = game.description.order_number["Reinforce"]
    assert client.insert(colonists[0], reinforce).name in ("okay", "order")
    before = state_of(game)
    for kind in game.rules.orders:
        parameters = [target(2) if p.wire_type == 2 else chosen((1, 1)) for p in kind.params.values()]
        assert client.insert(colonists[0], kind.number, *parameters).code in (PERMANENTLY, TEMPORARILY), kind
    assert state_of(game) == before
    server.close_turn("game")
    assert any(message.subject == "Combat Complete!" for message in client.messages())


def in_combat(server: Server, dialect: str) -> Client:
    """Let two leaders meet, and return a side that has scientists to reinforce with."""
    server.create("game", "tae", 2, options={"board": "AAA/..."}, clock="manual", seed="combat")
    players = server.players(2, dialect)
    game = server.game("game")
    move = game.description.order_number["Move"]
    for client, system in zip(players, (2, 6), strict=True):
        (leader,) = [
            one.id
            for one in client.objects(*client.ids())
            if one.name == "Settler Leader" and client.session.game.views[client.seat].objects[one.id].has_queue
        ]
        assert client.insert(leader, move, target(system)).name in ("okay", "order")
    server.close_turn("game")
    assert [kind.name for kind in find_phase(game.rules, game.state.phase).takes()] == ["Reinforce"]
    return next(one for one in players if list(game.rules.legal_orders(game.state.plan(one.seat))))


@pytest.mark.parametrize("name", ["resource", "design"])
def test_unknown_ids_and_then_the_list(ann: Any, dialect: str, name: str):
    client = ann(dialect)
    before = client.ids(f"get_{name}_ids")
    assert client.ask(f"get_{name}", ids=[NOWHERE]).code == NO_SUCH_THING
    assert client.ids(f"get_{name}_ids") == before


def test_a_design_in_an_unknown_category(ann: Any, dialect: str):
    client = ann(dialect)
    assert client.ask("add_design", id=-1, categories=[NOWHERE], name="x").code == NO_SUCH_THING
    assert client.ask("get_category", ids=[1]).name == "category"


def test_more_players_than_seats(ann: Any, dialect: str):
    client = ann(dialect)
    late = client.server.connect(dialect)
    assert late.ask("login", username="cem", password="word").code == PERMANENTLY
    assert late.ask("login", username="dan", password="word").code == PERMANENTLY
    assert client.ask("get_player", ids=[1, 2]).names == ["sequence_of", "player", "player"]


# --- the stream and the session together ----------------------------------------------------------------------------


class Wire:
    """Bytes to a session through a reader, as the network room does it: what is refused to be read is answered, too."""

    def __init__(self, server: Server) -> None:
        self.reader = FrameReader()
        self.sent: list[bytes] = []
        self.session = Session(server.host, Peer("192.0.2.9"), self.sent.append)
        self.closed = False

    def feed(self, data: bytes) -> list[Any]:
        answers: list[Any] = []
        for event in self.reader.feed(data):
            if isinstance(event, RawFrame):
                answers.append(self.session.answer(event))
            elif isinstance(event, NotTP):
                answers.append(event.error.text)
                self.closed = True
            else:
                assert isinstance(event, BadFrame | UnknownVersion)
                answers.append(
                    self.session.refuse(int(event.error.code), event.error.text, event.sequence, event.dialect)
                )
                self.closed = self.closed or event.error.closes
        return answers


@pytest.mark.parametrize("magic", [b"TP03", b"TP\x04\0"])
def test_a_frame_of_any_length_is_refused_before_it_is_there(server: Server, magic: bytes):
    """A header alone that promises 4 GiB gets its Fail, and the connection is closed."""
    for length in (2**20 + 1, 2**31, 2**32 - 1):
        wire = Wire(server)
        (answer,) = wire.feed(magic + u32(5, 3, length))
        assert wire.closed
        kind, size = struct.unpack(">II", answer[8:16])
        assert (kind, struct.unpack(">I", answer[4:8])[0], len(answer)) == (1, 5, 16 + size)


def test_a_client_that_stops_in_the_middle_of_a_frame_holds_nobody_up(server: Server):
    """It gets nothing, and everybody else their answers."""
    server.create(clock="manual")
    ann, _ = server.players(2)
    wire = Wire(server)
    body = TP03.encode_body(3, tp.Connect(client="slow"))
    frame = TP03.header(1, 3, len(body)) + body
    for end in range(1, len(frame)):
        half = Wire(server)
        assert half.feed(frame[:end]) == []
        assert half.reader.incomplete()
    assert ann.ask("ping").name == "okay"
    answers = [answer for byte in frame for answer in wire.feed(bytes([byte]))]
    assert len(answers) == 1


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\n\r\n", b"\0" * 64, b"SSH-2.0-x\r\n", b"T", b"\x16\x03\x01"])
def test_what_is_not_the_protocol_gets_a_line_of_text_or_waits(server: Server, data: bytes):
    wire = Wire(server)
    answers = wire.feed(data)
    if data == b"T":
        assert answers == []
    else:
        assert wire.closed
        assert isinstance(answers[0], str)


def test_an_unknown_version_is_refused_and_another_connect_works(server: Server):
    wire = Wire(server)
    old = b"TP02" + u32(1, 3, 4) + u32(0)
    (fail,) = wire.feed(old)
    assert struct.unpack(">II", fail[4:12]) == (1, 1)
    assert not wire.closed
    body = TP03.encode_body(3, tp.Connect(client="x"))
    (okay,) = wire.feed(TP03.header(2, 3, len(body)) + body)
    assert struct.unpack(">II", okay[4:12]) == (2, 0)


# --- answers that would be too large --------------------------------------------------------------------------------


def test_a_long_answer_is_made_piece_by_piece(ann: Any, dialect: str):
    """It is never whole in memory, however often a request names a long thing, and nobody waits for all of it."""
    client = ann(dialect)
    assert client.ask("post_message", id=1, slot=-1, subject="long", body="x" * 16_000).name == "okay"
    for name, fields in (
        *((f"get_{what}", {"ids": [1] * 10_000}) for what in (*ONES, "objects_by_id") if client.knows(f"get_{what}")),
        *((f"get_{what}", {"ids": [NOWHERE] * 10_000}) for what in ("boards", "objects_by_id")),
    ):
        kind = BY_NAME[name]
        body = client.dialect.encode_body(kind.number, kind.message(**fields))
        answer = client.session.answer(RawFrame(client.dialect, 7, kind.number, body))
        assert isinstance(answer, Iterator), name
        count = 0
        for piece in answer:
            assert isinstance(piece, bytes)
            assert len(piece) <= BYTES_AT_ONCE + 17_000, name
            frames = list(client.frames(piece))
            assert 0 < len(frames) <= FRAMES_AT_ONCE
            assert {sequence for sequence, _, _ in frames} == {7}
            count += len(frames)
            if count > 200:
                break  # the others are made the same way
        assert count > 200


def test_a_long_answer_has_as_many_frames_as_it_said_whatever_happens(ann: Any, monkeypatch: pytest.MonkeyPatch):
    client = ann("tp04")
    kind = BY_NAME["get_player"]
    body = client.dialect.encode_body(kind.number, tp.GetWithID(ids=[1] * 100))
    pieces = client.session.answer(RawFrame(client.dialect, 7, kind.number, body))
    data = next(pieces)
    monkeypatch.setattr("tpserver.requests.play.players.player_frame", lambda game, number: 1 / 0)
    data += b"".join(pieces)
    names = [name for _, name, _ in client.frames(data)]
    assert names[:1] == ["sequence_of"]
    assert set(names[1:]) == {"player", "fail"}
    assert len(names) == 101


ONES = ("order_desc", "object_desc", "resource", "category", "design", "component", "property", "player", "boards")


def test_no_more_slots_than_a_queue_or_board_can_have(ann: Any, dialect: str):
    """A request that changes something is refused as a whole, before any change."""
    client = ann(dialect)
    before = state_of(client.session.game)
    for name, number in (("remove_order", 29), ("remove_message", 0), ("get_order", 29)):
        answer = client.ask(name, id=number, slots=[0] * 20_000)
        assert answer.code == (PERMANENTLY if dialect == "tp03" else TOO_BIG), name
    assert state_of(client.session.game) == before


# --- text -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", CLASSIC)
@pytest.mark.parametrize("raw", [b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", b"a\xf5"])
def test_text_that_is_not_utf_8_is_refused(server: Server, title: str, raw: bytes):
    client = server.connect(title)
    padded = raw + bytes(-len(raw) % 4) if title == "padded" else raw
    assert client.raw(BY_NAME["connect"].number, u32(len(raw)) + padded).code == FRAME


def test_half_a_surrogate_pair_in_json_is_refused_everywhere(server: Server):
    """JSON can say what UTF-8 cannot; it must not reach names, boards or orders."""
    server.create(clock="manual")
    ann, ben = server.players(2, "json")
    half = '"\\ud800"'
    before = state_of(ann.session.game)
    bodies = {
        "connect": f'{{"client":{half}}}',
        "post_message": f'{{"id":2,"slot":"-1","subject":{half},"body":"b"}}',
        "order_insert": '{"id":2,"slot":"-1","otype":1,"parameters":'
        f'[{{"range":{{"value":1}}}},{{"string":{{"string":{half}}}}}]}}',
    }
    for name, body in bodies.items():
        answer = ann.raw(BY_NAME[name].number, body.encode())
        assert answer.code == FRAME, name
    stranger = server.connect("json")
    for name in ("login", "create_account"):
        answer = stranger.raw(BY_NAME[name].number, f'{{"username":{half},"password":{half}}}'.encode())
        assert answer.code in (FRAME, DENIED), name
    assert state_of(ann.session.game) == before
    assert ben.ask("ping").name == "okay"


# --- any bytes at all -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _anywhere() -> tuple[Any, dict[str, Client]]:
    """Return one server with a client in each dialect, for tests that must not change anything."""
    context = making_servers()
    server = context.__enter__()()
    server.create("game", "auction", len(DIALECTS), clock="manual")
    clients = {title: server.player(f"player {title}", title) for title in DIALECTS}
    return context, clients


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    title=st.sampled_from(sorted(DIALECTS)),
    kind=st.one_of(st.integers(0, 80), st.integers(0, 2**32 - 1)),
    body=st.one_of(
        st.binary(max_size=80), st.lists(st.sampled_from([0, 1, 2, 3, 8, 2**31, 2**32 - 1])).map(lambda n: u32(*n))
    ),
)
def test_any_body_of_any_frame_gets_an_answer(title: str, kind: int, body: bytes):
    """Never an exception, never silence; a refusal changes nothing, and the next request works."""
    _, clients = _anywhere()
    client = clients[title]
    game = client.session.game
    before = state_of(game)
    answer = client.raw(kind, body)
    assert len(answer) >= 1
    assert answer.sequences == {client.sequence}
    if "fail" in answer.names:
        assert b"failed on this request" not in answer.data, "that is a fault of the server"
    if answer.names == ["fail"]:
        assert state_of(game) == before
    assert client.ask("ping").name == "okay"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.binary(max_size=200), start=st.sampled_from([b"", b"TP03", b"TP\x04\0", b"TPPB", b"TP05", b"TP"]))
def test_any_bytes_as_a_stream_get_answers(data: bytes, start: bytes):
    """Before login, in whatever pieces: each event is answered, and nothing is read after a refusal that closes."""
    _, clients = _anywhere()
    wire = Wire(clients["tp04"].server)
    for piece in (start, data[:7], data[7:]):
        for answer in wire.feed(piece):
            assert answer
    if wire.closed:
        assert wire.feed(b"TP03" + u32(1, 27, 0)) == []
    wire.session.connection_lost()


# --- mutations of recorded frames -----------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def recorded() -> list[tuple[Dialect, int, bytes]]:
    """Return the requests of all recordings: dialect, frame number, body."""
    frames = []
    for path in sorted(RECORDINGS.glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            row = json.loads(line)
            if row["dir"] == "c2s" and row["name"] not in ("RAW", "CLOSE"):
                data = bytes.fromhex(row["hex"])
                frames.append((TP03 if data[:4] == b"TP03" else TP04, struct.unpack(">I", data[8:12])[0], data[16:]))
    return sorted(set(frames), key=lambda frame: (frame[0].name, frame[1:]))


INTERESTING = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0x20000000, 0x40000000, 0xFFFFFFFE, 0xFFFFFFFF)


def mutated(dice: random.Random, body: bytes, others: list[bytes]) -> bytes:
    """Return a body with one to four changes, of the kinds that find faults in parsers."""
    data = bytearray(body)
    for _ in range(dice.randint(1, 4)):
        where = dice.randrange(len(data) + 1)
        match dice.randrange(8):
            case 0 if data:
                data[min(where, len(data) - 1)] ^= 1 << dice.randrange(8)
            case 1:
                data[where:where] = dice.randbytes(dice.randint(1, 9))
            case 2:
                del data[where : where + dice.randint(1, 9)]
            case 3 if len(data) >= 4:
                at = dice.randrange(len(data) // 4) * 4
                data[at : at + 4] = u32(dice.choice(INTERESTING))
            case 4:
                del data[where:]
            case 5:
                other = dice.choice(others)
                data[where:] = other[dice.randrange(len(other) + 1) :]
            case 6:
                data += data[where : where + 64] * dice.randint(1, 20)
            case _ if data:
                data[min(where, len(data) - 1)] = dice.randrange(256)
    return bytes(data[:100_000])


def mutation_run(number_of_frames: int, seed: int, server: Server) -> Iterator[int]:
    """Send so many mutated frames to a server with two games; yield now and then how much memory is used.

    Every frame gets an answer of whole frames; the server never says that it failed; turns close all along.
    """
    dice = random.Random(seed)
    server.create("tae", "tae", 2, options={"board": SMALL_BOARD}, clock="manual")
    server.create("room", "auction", 2, clock="all-done", options={"rounds": 1000})
    clients = {
        dialect: [server.players(2, title, game=name)[0] for name in ("tae", "room")] + [server.connect(title)]
        for title, dialect in (("tp03", TP03), ("tp04", TP04))
    }
    frames = recorded()
    bodies = [body for _, _, body in frames]
    for count in range(number_of_frames):
        dialect, kind, body = dice.choice(frames)
        if not dice.randrange(20):
            kind = dice.choice([dice.randrange(80), dice.choice(INTERESTING)])
        client = dice.choice(clients[dialect])
        if BY_NAME["login"].number == kind and client.session.account is None:
            continue  # so that there is always one that is not logged in
        answer = client.raw(kind, mutated(dice, body, bodies))
        assert len(answer) >= 1
        assert b"failed on this request" not in answer.data
        client.pushed.clear()
        client.pushed_data.clear()
        if client.session.closing:
            assert client.session.account is None
            clients[dialect][2] = server.connect("tp03" if dialect is TP03 else "tp04")
        if count % 500 == 499:
            if not server.game("tae").over:
                server.close_turn("tae")
            yield tracemalloc.get_traced_memory()[0]


def run_and_measure(server: Server, number_of_frames: int, seed: int) -> None:
    assert len(recorded()) > 100
    tracemalloc.start()
    try:
        used = list(mutation_run(number_of_frames, seed, server))
    finally:
        tracemalloc.stop()
    settled = used[len(used) // 3]
    assert max(used[len(used) // 3 :]) < settled + 8_000_000, f"memory grows: {used}"
    for name in ("tae", "room"):
        assert server.game(name).row.state in ("running", "over")
    later = server.restarted(1)
    later.stop()


@pytest.mark.thorough
def test_three_thousand_mutated_frames(server: Server):
    """The short form of the run below."""
    run_and_measure(server, 3_000, 1)


@pytest.mark.soak
def test_a_hundred_thousand_mutated_frames(server: Server):
    """Every answer is whole, the server never fails, memory stays bounded, the game can be loaded afterwards."""
    run_and_measure(server, 100_000, 2)


def test_orders_of_any_numbers(ann: Any):
    """A leader sent to a thousand objects that are not there, and back: the queue is empty afterwards."""
    client = ann("tp04")
    before = state_of(client.session.game)
    for value in (*range(60, 160), 2**31, 2**32 - 1):
        assert client.insert(29, 2, target(value)).code == NO_SUCH_THING
        assert client.probe(29, 2, target(value)).code == NO_SUCH_THING
    assert state_of(client.session.game) == before
