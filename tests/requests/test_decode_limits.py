"""Limits on the items of a request, checked before they are decoded."""

from __future__ import annotations

import contextlib
import struct
from typing import Any

import pytest

from tests.support.orders import order, text
from tpproto import tp_pb2 as tp
from tpproto.descriptions import NOTHING, Descriptions
from tpproto.dialects import JSON, PB, TP03, TP04
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME, KINDS
from tpproto.stream import BadFrame, Limits, RawFrame, read_message
from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.session.decode_limits import MOST_FILTERS, MOST_IDS
from tpserver.requests.session.pipeline import decoded
from tpserver.requests.session.refusals import RequestError
from tpserver.wire.net.limits import MESSAGE_BYTES, MESSAGE_VALUES

SERVER = Limits(message=MESSAGE_BYTES, values=MESSAGE_VALUES)
IDS, SLOTS, FILTERS = BY_NAME["get_objects_by_id"], BY_NAME["get_order"], BY_NAME["set_filters"]


def refused(frame: RawFrame) -> RequestError | None:
    """Return the refusal of a frame that is too long or names too much."""
    try:
        decoded(REQUESTS[frame.kind].kind, frame, NOTHING)
    except RequestError as refused:
        return refused
    return None


def in_dialect(dialect: Any, kind: Any, message: Any) -> RawFrame:
    return RawFrame(dialect, 1, kind.number, dialect.encode_body(kind.number, message))


@pytest.mark.parametrize("dialect", [TP03, TP04, TP04.padded, PB, JSON])
def test_all_objects_of_a_large_game_can_be_named_at_once_and_no_more(dialect: Any) -> None:
    largest = 0xFFFFFFFF
    for kind, most, more in (
        (IDS, tp.GetWithID(ids=[largest] * MOST_IDS), tp.GetWithID(ids=[0] * (MOST_IDS + 1))),
        (SLOTS, tp.GetWithIDSlot(slots=[largest] * MOST_IDS), tp.GetWithIDSlot(slots=[0] * (MOST_IDS + 1))),
    ):
        assert refused(in_dialect(dialect, kind, most)) is None
        problem = refused(in_dialect(dialect, kind, more))
        assert problem is not None
        assert problem.code is FailCode.REQUEST_TOO_BIG
        assert str(MOST_IDS) in problem.text


@pytest.mark.parametrize("dialect", [TP04, PB, JSON])
def test_filters_are_a_handful(dialect: Any) -> None:
    assert refused(in_dialect(dialect, FILTERS, tp.SetFilters(filters=[0x1D00] * MOST_FILTERS))) is None
    assert refused(in_dialect(dialect, FILTERS, tp.SetFilters(filters=[0x1D00] * (MOST_FILTERS + 1)))) is not None


BINARY = (TP03, TP04, TP04.padded)


@pytest.mark.parametrize(
    ("kind", "classic", "elsewhere"), [(IDS, 72 << 10, 192 << 10), (FILTERS, 4 << 10, 8 << 10)], ids=["long", "short"]
)
def test_a_request_may_have_as_many_bytes_as_the_refusal_says(kind: Any, classic: int, elsewhere: int) -> None:
    """A long one 72 KiB, in Protocol Buffers and JSON, where an id may take more, 192; any other 4 and 8."""
    for dialect in (TP03, TP04, TP04.padded, PB, JSON):
        if dialect.kinds.get(kind.number) is not kind:
            continue
        longest = classic if dialect in BINARY else elsewhere
        for length, is_told in ((longest, False), (longest + 1, True)):
            told = f"this request has {length} bytes; {longest} are the most"
            with contextlib.suppress(ValueError):  # what is in it is another question
                problem = refused(RawFrame(dialect, 1, kind.number, bytes(length)))
                assert (problem is not None and problem.text == told) is is_told
                continue
            assert not is_told


def test_an_order_is_read_with_the_parameters_of_its_game() -> None:
    """In TP03 and TP04 they have no types of their own."""
    described = Descriptions()
    described.learn(tp.OrderDesc(id=1001, parameters=[tp.ParameterDesc(name="Words", type=7)]))
    given = order(3, 1001, text("go"))
    kind = BY_NAME["order_insert"]
    body = TP04.encode_body(kind.number, given, described)
    assert decoded(kind, RawFrame(TP04, 1, kind.number, body), described) == given


def test_the_longest_message_fits() -> None:
    message = tp.Message(id=1, slot=-1, subject="\U0001f41c" * 255, body="\U0001f41c" * 16_384)
    for dialect in (TP03, TP04, TP04.padded, PB, JSON):
        assert refused(in_dialect(dialect, BY_NAME["post_message"], message)) is None


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.request], ids=lambda kind: kind.title)
def test_no_request_of_a_mebibyte_is_decoded(kind: Any) -> None:
    """Whatever is in it: the length of the body alone refuses it."""
    for dialect in (TP03, TP04, TP04.padded, PB, JSON):
        if dialect.kinds.get(kind.number) is kind:
            problem = refused(RawFrame(dialect, 1, kind.number, bytes(1 << 20)))
            assert problem is not None
            assert problem.code is FailCode.REQUEST_TOO_BIG


def test_messages_of_protocol_buffers_are_not_taken_apart_if_they_are_too_long() -> None:
    found = read_message(PB, bytes(MESSAGE_BYTES + 1), SERVER)
    assert isinstance(found, BadFrame)
    assert not found.error.closes
    assert found.error.code is FailCode.REQUEST_TOO_BIG


@pytest.mark.parametrize(
    "content", [f'{{"ids":[{"1," * MESSAGE_VALUES}1]}}', f'{{"a":[{"{}," * 2000}{{}}]}}', "[" * (MESSAGE_VALUES + 1)]
)
def test_json_with_too_much_in_it_is_refused_by_a_count_of_its_bytes(content: str) -> None:
    data = f'{{"sequence":1,"getObjectsById":{content}}}'.encode()
    assert len(data) < MESSAGE_BYTES
    found = read_message(JSON, data, SERVER)
    assert isinstance(found, BadFrame)
    assert (found.error.code, found.error.closes) == (FailCode.REQUEST_TOO_BIG, False)
    assert isinstance(read_message(JSON, data), (BadFrame, RawFrame)), "a client reads what a server sends"


def test_json_may_name_as_many_ids_as_any() -> None:
    ids = ",".join(["4294967295"] * MOST_IDS)
    data = f'{{"sequence":1,"getObjectsById":{{"ids":[{ids}]}}}}'.encode()
    found = read_message(JSON, data, SERVER)
    assert isinstance(found, RawFrame)
    assert refused(found) is None
    assert len(found.decode().ids) == MOST_IDS  # type: ignore[attr-defined] # it is a GetWithID


def test_a_frame_of_protocol_buffers_is_taken_apart_the_same_in_either_order() -> None:
    """As serializers write it, its body is not looked into; otherwise the library reads it all."""
    frame = tp.Frame(sequence=300, get_order=tp.GetWithIDSlot(id=3, slots=[1, 2]))
    usual = frame.SerializeToString()
    other = usual[3:] + usual[:3]
    assert usual[:1] == b"\x08"
    assert read_message(PB, usual) == read_message(PB, other) == RawFrame(PB, 300, 10, usual[6:])
    for end in range(len(usual)):
        found = read_message(PB, usual[:end])
        assert isinstance(found, BadFrame), end


def test_a_parameter_list_is_counted_before_its_items_are_looked_at() -> None:
    body = b"\x32\x00" * 5000
    found = refused_text(RawFrame(PB, 1, 12, body))
    assert "5000 items" in found


def refused_text(frame: RawFrame) -> str:
    with pytest.raises(ValueError) as problem:
        frame.decode()
    return str(problem.value)


def test_binary_counts_are_checked_before_anything_is_made() -> None:
    body = struct.pack(">I", 0xFFFFFFFF) + bytes(16)
    assert "claims 4294967295 items" in refused_text(RawFrame(TP04, 1, IDS.number, body))
