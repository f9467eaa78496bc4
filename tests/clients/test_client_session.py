"""The client session: scripted conversations in each dialect.

Bytes that are no valid response end the session.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format

from tpclient.errors import BadArgument, RequestFailed, UnexpectedAnswer
from tpclient.session import LAST_SEQUENCE, Answer, Request, Session, Unasked
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect
from tpproto.frames import BY_NAME
from tpproto.stream import FrameReader

CONVERSATIONS = sorted((Path(__file__).parent / "conversations").glob("*.txt"))
DIALECTS = {dialect.name: dialect for dialect in (TP03, TP04, PB)}


def message_of(text: str) -> tuple[str, Any]:
    kind, _, content = text.partition(" ")
    return kind, json_format.ParseDict(json.loads(content), BY_NAME[kind].message())


def results(events: list[Answer | Unasked]) -> Iterator[tuple[str, str, Any]]:
    for event in events:
        if isinstance(event, Unasked):
            yield "!", event.reply.kind, event.reply.message
        for reply in event.replies if isinstance(event, Answer) else ():
            yield "=", reply.kind, reply.message


@pytest.mark.parametrize("piece", [1, 7, 1 << 16])
@pytest.mark.parametrize("file", CONVERSATIONS, ids=lambda file: file.stem)
def test_a_scripted_conversation(file: Path, piece: int) -> None:
    """Sent bytes and received messages are those of the file, for any pieces of the response."""
    session = None
    heard: list[tuple[str, str, Any]] = []
    answers = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "dialect":
            session = Session(DIALECTS[rest])
        elif mark in ("ask", ">", "<"):
            assert session is not None
            if mark == "ask":
                assert not heard
                assert not session.unanswered
                session.request(Request(*message_of(rest)))
            elif mark == ">":
                assert session.bytes_to_send().hex() == rest
                assert session.bytes_to_send() == b""
            else:
                data = bytes.fromhex(rest)
                for start in range(0, len(data), piece):
                    events = session.receive(data[start : start + piece])
                    answers += sum(isinstance(event, Answer) for event in events)
                    heard += results(events)
        elif mark in ("=", "!") and rest != "nothing":
            assert heard.pop(0) == (mark, *message_of(rest))
    assert not heard
    assert answers == 15 - (file.stem == "tp03")


def test_there_is_a_conversation_for_every_dialect() -> None:
    """The files are all there: a wrong directory must not pass for an empty list."""
    assert [file.stem for file in CONVERSATIONS] == ["pb", "tp03", "tp04"]


class Peer:
    """The server's end of a session, in the session's dialect."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.reader = FrameReader(dialect=session.dialect)

    def heard(self) -> list[int]:
        """The sequence numbers of the requests that have come."""
        return [event.sequence for event in self.reader.feed(self.session.bytes_to_send())]

    def says(self, sequence: int, kind: str, message: Any) -> list[Answer | Unasked]:
        dialect, number = self.session.dialect, BY_NAME[kind].number
        body = dialect.encode_body(number, message, self.session.descriptions)
        return self.session.receive(dialect.header(sequence, number, len(body)) + body + dialect.trailer)


PING = Request("ping", tp.Ping())


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_answers_belong_to_their_requests_in_any_order(dialect: Dialect) -> None:
    """Two requests in one write; the answers are matched by sequence number."""
    session = Session(dialect)
    peer = Peer(session)
    first, second = session.request(PING), session.request(PING)
    assert peer.heard() == [first, second]
    (answer,) = peer.says(second, "okay", tp.Okay(result="2"))
    assert isinstance(answer, Answer)
    assert (answer.sequence, answer.one(tp.Okay).result) == (second, "2")
    (answer,) = peer.says(first, "okay", tp.Okay(result="1"))
    assert isinstance(answer, Answer)
    assert (answer.sequence, answer.one(tp.Okay).result) == (first, "1")


def test_sequence_numbers_start_anew_at_1_and_pass_over_those_in_use() -> None:
    """0 is for what nobody asked for, and a number that still waits for its answer is not used twice."""
    session = Session(TP04)
    assert session.request(PING) == 1
    session.last_sequence = LAST_SEQUENCE - 1
    assert [session.request(PING), session.request(PING)] == [LAST_SEQUENCE, 2]


def test_a_refusal_has_code_and_text() -> None:
    """Fail becomes RequestFailed, whose sentence names the request."""
    session = Session(TP04)
    sequence = session.request(PING)
    (answer,) = Peer(session).says(sequence, "fail", tp.Fail(code=3, result="Later"))
    assert isinstance(answer, Answer)
    with pytest.raises(RequestFailed) as caught:
        answer.one(tp.Okay)
    assert (caught.value.code, caught.value.text) == (3, "Later")
    assert str(caught.value) == "The server refused Ping: Later (code 3)."


def test_a_refused_order_names_its_parameter() -> None:
    """Of the references that a refusal carries, the one with the servers' own type is a parameter's position."""
    session = Session(TP04)
    for references, parameter in (([(13, 7), (2, 1), (-1000, 2)], 2), ([(13, 7), (2, 1)], None)):
        fail = tp.Fail(code=2, result="No", references=[tp.Reference(type=kind, id=one) for kind, one in references])
        (answer,) = Peer(session).says(session.request(PING), "fail", fail)
        assert isinstance(answer, Answer)
        with pytest.raises(RequestFailed) as caught:
            answer.one(tp.Okay)
        assert caught.value.parameter == parameter


def test_an_answer_of_the_wrong_kind_is_named() -> None:
    """A request for Okay that gets a Board raises an error that says so, and fails nowhere else."""
    session = Session(TP04)
    (answer,) = Peer(session).says(session.request(PING), "board", tp.Board(id=1))
    assert isinstance(answer, Answer)
    with pytest.raises(UnexpectedAnswer, match="answered Ping with board, not with Okay"):
        answer.one(tp.Okay)


def test_an_answer_to_nothing_ends_the_session() -> None:
    session = Session(TP04)
    with pytest.raises(UnexpectedAnswer, match="request 9 with okay, but nothing was asked"):
        Peer(session).says(9, "okay", tp.Okay())


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_bytes_that_are_no_frame_end_the_session(dialect: Dialect) -> None:
    with pytest.raises(UnexpectedAnswer, match="no frame"):
        Session(dialect).receive(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_an_absurd_count_is_refused_at_once() -> None:
    """A Sequence of four thousand million frames would never end."""
    session = Session(TP04)
    with pytest.raises(UnexpectedAnswer, match="4294967295 frames"):
        Peer(session).says(session.request(PING), "sequence_of", tp.Sequence(number=0xFFFFFFFF))


def test_an_announcement_within_an_answer_is_no_announcement() -> None:
    """Sequence(1) and then Sequence(3): the second is the one frame of the answer, and not what was asked for."""
    session = Session(TP04)
    peer = Peer(session)
    sequence = session.request(PING)
    assert peer.says(sequence, "sequence_of", tp.Sequence(number=1)) == []
    (answer,) = peer.says(sequence, "sequence_of", tp.Sequence(number=3))
    assert isinstance(answer, Answer)
    with pytest.raises(UnexpectedAnswer, match="answered Ping with sequence_of"):
        answer.one(tp.Okay)


def test_what_the_server_says_before_it_hangs_up_is_remembered() -> None:
    """An unasked Fail is an event, and explains the end of the connection."""
    session = Session(TP04)
    (event,) = Peer(session).says(0, "fail", tp.Fail(code=1, result="The frame is too long."))
    assert isinstance(event, Unasked)
    assert str(session.closed()) == "The server closed the connection: The frame is too long."


def test_an_object_without_description_spoils_only_its_own_answer() -> None:
    """The stream goes on: the next answer is read as ever."""
    session = Session(TP04)
    frame = "545004000000000100000007" + "00000038" + "00000009" + "00000063" + "00" * 48
    session.request(Request("get_objects_by_id", tp.GetWithID(ids=[9])))
    (answer,) = session.receive(bytes.fromhex(frame))
    assert isinstance(answer, Answer)
    with pytest.raises(UnexpectedAnswer, match=r"cannot be read: There is no object type 99\."):
        answer.items(tp.Object)
    (answer,) = Peer(session).says(session.request(PING), "okay", tp.Okay())
    assert isinstance(answer, Answer)
    assert answer.one(tp.Okay) == tp.Okay()


def test_requests_that_the_dialect_lacks_or_cannot_hold_are_refused_here() -> None:
    """Nothing is sent; the sentence says what is wrong."""
    session = Session(TP03)
    with pytest.raises(BadArgument, match="TP03 has no GetGames frame"):
        session.request(Request("get_games", tp.GetGames()))
    with pytest.raises(BadArgument, match=r"OrderInsert cannot be sent: There is no order type 7\."):
        session.request(Request("order_insert", tp.Order(id=1, otype=7)))
    assert (session.unanswered, session.bytes_to_send()) == ({}, b"")
