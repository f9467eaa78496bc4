"""Encoding and decoding: refusals with their sentences, parts of a frame."""

import struct

import pytest

from tpproto import (
    ENVELOPE,
    JSON,
    JSON_STREAM,
    NOTHING,
    PB,
    TP03,
    TP04,
    BadFrame,
    Descriptions,
    Dialect,
    FailCode,
    FrameError,
    RawFrame,
    UnknownType,
    body_of,
    frame,
    kind_of,
    read_message,
    tp_pb2,
)
from tpproto.dialects.binary import MOST_PARAMETERS, MOST_VARIANTS


@pytest.fixture
def known() -> Descriptions:
    """Order type 1 takes an object, 2 nothing, 3 what does not exist; object type 1 has a position and a size."""
    descriptions = Descriptions()
    for order_type, types in ((1, [2]), (2, []), (3, [12]), (4, [10])):
        order = tp_pb2.OrderDesc(id=order_type, parameters=[tp_pb2.ParameterDesc(type=type_id) for type_id in types])
        descriptions.learn(frame(0, "order_desc", order))
    group = tp_pb2.PropertyGroup(parameters=[tp_pb2.ParameterDesc(type=0), tp_pb2.ParameterDesc(type=9)])
    descriptions.learn(frame(0, "object_desc", tp_pb2.ObjectDesc(id=1, property_groups=[group])))
    return descriptions


def order(otype: int, *parameters: tp_pb2.OrderParameter, slot: int = -1) -> tp_pb2.Order:
    return tp_pb2.Order(id=5, slot=slot, otype=otype, parameters=parameters)


TARGET = tp_pb2.OrderParameter(object=tp_pb2.OrderObject(object_id=9))


def test_an_order_by_hand(known: Descriptions) -> None:
    """The parameter Object: TP03 has the id only, TP04 the list of valid types behind it."""
    start = "00000005ffffffff000000010000000000000000"
    assert TP03.encode_body(12, order(1, TARGET), known).hex() == start + "00000009"
    assert TP04.encode_body(12, order(1, TARGET), known).hex() == start + "00000009" + "00000000"
    assert TP03.decode_body(12, bytes.fromhex(start + "00000009"), known) == order(1, TARGET)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("", "The body ends after 0 bytes, before the type, which ends at byte 12."),
        ("00000005ffffffff", "The body ends after 8 bytes, before the type, which ends at byte 12."),
        ("00000005ffffffff00000001", "The body ends after 12 bytes, where turns needs bytes 12 to 15."),
        (
            "00000005ffffffff000000010000000000000000",
            "The body ends after 20 bytes, where parameters[0].object.object_id needs bytes 20 to 23.",
        ),
        (
            "00000005ffffffff000000010000000020000000",
            "The list resources claims 536870912 items of at least 8 bytes, but 0 bytes are left.",
        ),
        (
            "00000005ffffffff00000001000000000000000000000009ff",
            "The body has 1 bytes more than its 24 bytes of content.",
        ),
    ],
)
def test_a_wrong_body_is_refused_with_the_place(known: Descriptions, body: str, sentence: str) -> None:
    with pytest.raises(FrameError) as caught:
        TP03.decode_body(12, bytes.fromhex(body), known)
    assert caught.value.text == sentence
    assert caught.value.code == FailCode.FRAME
    assert not caught.value.closes


@pytest.mark.parametrize(
    ("kind", "body", "sentence"),
    [
        (4, "ffffffff", "The text in username claims 4294967295 bytes, but 0 are left in the body."),
        (4, "00000002fffe00000000", "The text in username is not UTF-8: invalid start byte."),
        (4, "0000000161", "The body ends after 5 bytes, where password needs bytes 5 to 8."),
        (27, "00", "The body has 1 bytes more than its 0 bytes of content."),
        (29, "00" * 31, "The body ends after 31 bytes, where r needs bytes 24 to 31."),
    ],
)
def test_texts_and_plain_numbers_are_refused_with_the_place(kind: int, body: str, sentence: str) -> None:
    with pytest.raises(FrameError) as caught:
        TP03.decode_body(kind, bytes.fromhex(body))
    assert caught.value.text == sentence


def test_an_unknown_type_is_told_apart(known: Descriptions) -> None:
    """A server answers NoSuchThing with the type, not Frame."""
    body = struct.pack(">IIIII", 5, 0, 99, 0, 0)
    for act in (
        lambda: TP04.decode_body(12, body, known),
        lambda: TP04.encode_body(12, order(99), known),
        lambda: TP04.encode_body(11, order(1, TARGET), NOTHING),
    ):
        with pytest.raises(UnknownType) as caught:
            act()
        assert caught.value.kind == "order"
        assert caught.value.type_id in (99, 1)
        assert caught.value.code == FailCode.NO_SUCH_THING
    with pytest.raises(UnknownType) as caught:
        TP04.encode_body(7, tp_pb2.Object(otype=44), known)
    assert (caught.value.kind, caught.value.type_id) == ("object", 44)
    with pytest.raises(UnknownType) as caught:
        TP03.encode_body(7, tp_pb2.ClassicObject(otype=6), known)
    assert (caught.value.kind, caught.value.type_id) == ("object", 6)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (order(1), "parameters has 0 parameters; its type is described with 1."),
        (order(2, TARGET), "parameters has 1 parameters; its type is described with 0."),
        (order(1, tp_pb2.OrderParameter()), "parameters[0] has to be of kind object; it is empty."),
        (
            order(1, tp_pb2.OrderParameter(player=tp_pb2.OrderPlayer(player_id=3))),
            "parameters[0] has to be of kind object; it is player.",
        ),
        (order(3, TARGET), "Parameter 0 of this Order is described with type 12; there are types 0 to 11 only."),
        (order(2, slot=-2), "slot is -2; it may be -1 or a number that fits its unsigned width."),
        (order(2, slot=0xFFFFFFFF), "slot is 4294967295; it may be -1 or a number that fits its unsigned width."),
    ],
)
def test_what_the_layout_cannot_say_is_refused_on_encoding(
    known: Descriptions, message: tp_pb2.Order, sentence: str
) -> None:
    with pytest.raises(FrameError) as caught:
        TP04.encode_body(12, message, known)
    assert caught.value.text == sentence


def test_parameter_types_of_tp04_do_not_exist_in_tp03(known: Descriptions) -> None:
    with pytest.raises(FrameError, match="type 10; there are types 0 to 9 only"):
        TP03.encode_body(11, order(4, tp_pb2.OrderParameter(resource_list=tp_pb2.OrderResourceList())), known)


def test_the_detail_of_a_classic_object_has_to_be_that_of_its_type() -> None:
    planet = tp_pb2.ClassicObject(otype=3, fleet=tp_pb2.ClassicFleet(owner=1))
    with pytest.raises(FrameError, match=r"has to be of kind planet; it is fleet\."):
        TP03.encode_body(7, planet)


@pytest.mark.parametrize("dialect", [PB, ENVELOPE, JSON])
def test_other_dialects_hold_semisigned_numbers_to_the_same_range(dialect) -> None:
    """A value received in one dialect can be sent in every other."""
    for slot in (-2, 0xFFFFFFFF, 1 << 40):
        with pytest.raises(FrameError, match="slot is"):
            dialect.encode_body(11, order(1, slot=slot))
    raw = tp_pb2.Frame(order=order(1, slot=-2)).SerializeToString()
    event = read_message(ENVELOPE, raw)
    assert isinstance(event, RawFrame)
    with pytest.raises(FrameError, match="slot is -2"):
        event.decode()
    possibles = tp_pb2.OrderQuantityList(possibles=[tp_pb2.QuantityOption(maximum=-9)])
    with pytest.raises(FrameError, match=r"parameters\.quantity_list\.possibles\.maximum is -9"):
        dialect.encode_body(11, order(1, tp_pb2.OrderParameter(quantity_list=possibles)))


def test_a_time_beyond_what_is_understood_is_refused() -> None:
    body = struct.pack(">IIIQ", 0xFFFFFFFF, 0, 0, 1 << 63)
    with pytest.raises(FrameError, match="fromtime is beyond 9223372036854775807"):
        TP04.decode_body(28, body)
    assert TP04.decode_body(28, struct.pack(">IIIQ", 0, 0, 0, (1 << 64) - 1)).fromtime == -1


def test_fields_that_tp03_lacks_have_their_meaning_there() -> None:
    """A TP03 request for ids asks for what is there now, which TP04 says with a time of -1."""
    request = TP03.decode_body(28, struct.pack(">III", 0xFFFFFFFF, 0, 10))
    assert request == tp_pb2.GetIDSequence(key=-1, amount=10, fromtime=-1)
    with pytest.raises(FrameError):
        TP04.decode_body(28, struct.pack(">III", 0xFFFFFFFF, 0, 10))


def test_later_fields_of_player_and_game() -> None:
    """The clients of 2010 read a time at the end of both, in TP04 only."""
    player = tp_pb2.Player(id=1, name="a", race="b", modtime=5)
    assert TP03.encode_body(40, player).hex() == "0000000100000001610000000162"
    assert TP04.encode_body(40, player).hex() == "00000001000000016100000001620000000000000005"
    game = TP04.encode_body(66, tp_pb2.Game(created=7))
    assert game[-8:].hex() == "0000000000000007"
    assert len(game) == 4 * 10 + 8


@pytest.mark.parametrize(("kind", "field"), [(7, "object"), (66, "game"), (77, "order_queue_ids")])
def test_frames_of_tp04_do_not_exist_in_tp03(kind: int, field: str, known: Descriptions) -> None:
    whole = tp_pb2.Frame()
    getattr(whole, field).SetInParent()
    with pytest.raises(FrameError, match=f"TP03 has no frame {field}"):
        TP03.encode(whole, known)


@pytest.mark.parametrize("dialect", [TP04, PB, ENVELOPE, JSON])
def test_the_classic_object_exists_in_tp03_only(dialect) -> None:
    with pytest.raises(FrameError, match="has no frame classic_object"):
        dialect.encode(frame(1, "classic_object", tp_pb2.ClassicObject()))


def test_a_frame_without_a_body_is_refused() -> None:
    for act in (lambda: TP03.encode(tp_pb2.Frame()), lambda: kind_of(tp_pb2.Frame()), lambda: body_of(tp_pb2.Frame())):
        with pytest.raises(FrameError, match="no body"):
            act()


@pytest.mark.parametrize("dialect", [TP03, TP04, TP04.padded, PB, ENVELOPE, JSON])
def test_a_body_can_be_kept_and_sent_under_any_sequence_number(dialect) -> None:
    """A server keeps the encoded body: header + body + trailer is the same as a full encoding."""
    board = tp_pb2.Board(id=3, name="The board", description="Of all", messages=2, modtime=1_795_000_000)
    body = dialect.encode_body(17, board)
    for sequence in (0, 1, 127, 128, 0xFFFFFFFF):
        whole = dialect.header(sequence, 17, len(body)) + body + dialect.trailer
        assert whole == dialect.encode(frame(sequence, "board", board))


@pytest.mark.parametrize("dialect", [TP03, TP04, PB, ENVELOPE, JSON])
def test_headers_refuse_numbers_that_do_not_fit(dialect) -> None:
    for sequence in (-1, 1 << 32):
        with pytest.raises(FrameError):
            dialect.header(sequence, 17, 0)
    with pytest.raises(FrameError):
        dialect.encode_body(5000, tp_pb2.Ping())


def test_too_many_parameters_are_refused_instead_of_compiled() -> None:
    known = Descriptions()
    many = [tp_pb2.ParameterDesc(type=1)] * (MOST_PARAMETERS + 1)
    known.learn_order(tp_pb2.OrderDesc(id=1, parameters=many))
    with pytest.raises(FrameError, match="256 are the most"):
        TP04.decode_body(11, bytes(24)[:8] + b"\0\0\0\1" + bytes(12), known)


def test_the_number_of_compiled_variants_is_bounded() -> None:
    """A peer that describes ever new types does not fill the memory."""
    known = Descriptions()
    for number in range(MOST_VARIANTS + 20):
        types = [(number >> shift) & 7 for shift in (0, 3, 6, 9)]
        known.learn_order(
            tp_pb2.OrderDesc(id=number, parameters=[tp_pb2.ParameterDesc(type=type_id) for type_id in types])
        )
        with pytest.raises(FrameError):
            TP04.decode_body(11, struct.pack(">IIIII", 0, 0, number, 0, 0), known)
    assert len(TP04.unpackers["Order"]) <= MOST_VARIANTS


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff", "not JSON"),
        (b"[]", "has to be a JSON object"),
        (b'{"sequence": 1}', "there are 0 names"),
        (b'{"sequence": 1, "ping": {}, "okay": {}}', "there are 2 names"),
        (b'{"sequence": -1, "ping": {}}', "whole number"),
        (b'{"sequence": true, "ping": {}}', "whole number"),
        (b'{"nonsense": {}}', "no frame 'nonsense'"),
        (b'{"classicObject": {}}', "no frame 'classicObject'"),
    ],
)
def test_json_that_is_no_frame_is_refused(text: bytes, sentence: str) -> None:
    event = read_message(JSON, text)
    assert isinstance(event, BadFrame)
    assert sentence in event.error.text
    assert event.error.text.endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        b'{"ping": 1}',
        b'{"login": {"nonsense": 1}}',
        b'{"login": {"username": 1}}',
        b'{"login": {"username": "\\ud800"}}',
        b'{"getObjectsById": {"ids": [-1]}}',
        b'{"getObjectsById": {"ids": [1.5]}}',
        b'{"getObjectsById": {"ids": [' + b"9" * 5000 + b"]}}",
        b'{"order": {"parameters": [{"object": {}, "player": {}}]}}',
    ],
)
def test_json_fields_that_do_not_fit_are_refused(text: bytes) -> None:
    event = read_message(JSON, text)
    if isinstance(event, RawFrame):
        with pytest.raises(FrameError) as caught:
            event.decode()
        assert caught.value.text.endswith(".")
    else:
        assert event.error.text.endswith(".")


def test_json_takes_both_spellings_of_a_name() -> None:
    for name in (b"getObjectsById", b"get_objects_by_id"):
        event = read_message(JSON, b'{"sequence": 3, "' + name + b'": {"ids": [1, 2]}}')
        assert isinstance(event, RawFrame)
        assert (event.sequence, event.decode()) == (3, tp_pb2.GetWithID(ids=[1, 2]))


@pytest.mark.parametrize("dialect", [TP03, TP04, PB, JSON])
def test_a_message_of_another_frame_is_refused(dialect) -> None:
    with pytest.raises(FrameError, match=r"Board \(17\) carries Board, not Redirect"):
        dialect.encode_body(17, tp_pb2.Redirect(uri="tp://localhost/"))


@pytest.mark.parametrize(("stream", "form"), [(PB, ENVELOPE), (JSON_STREAM, JSON)])
def test_a_stream_form_is_the_message_after_its_length(stream: Dialect, form: Dialect) -> None:
    """Whatever the sizes, so that frames that were joined come apart again; and the message itself can be read."""
    names = ["", "é", "x" * 200, "y" * 70_000]
    for sequence, name in enumerate(names):
        written = frame(sequence, "okay", tp_pb2.Okay(result=name))
        framed, plain = stream.encode(written), form.encode(written)
        assert framed == struct.pack(">I", len(plain)) + plain
        raw = read_message(stream, framed[4:])
        assert isinstance(raw, RawFrame)
        assert raw.dialect is stream
        assert stream.decode(raw.sequence, raw.kind, raw.body) == written


@pytest.mark.parametrize("stream", [PB, JSON_STREAM])
def test_a_length_that_does_not_fit_is_refused(stream: Dialect) -> None:
    with pytest.raises(FrameError) as caught:
        stream.header(1, 0, 0xFFFFFFFF)
    assert caught.value.code == FailCode.REQUEST_TOO_BIG or "each have to be" in caught.value.text
