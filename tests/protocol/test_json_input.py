"""JSON input of any form: parsed as by protobuf, or refused in a sentence."""

import pytest
from google.protobuf import json_format

from tpproto import tp_pb2 as tp
from tpproto.dialects import JSON
from tpproto.errors import FrameError
from tpproto.stream import BadFrame, RawFrame, read_message


def problem(text: str | bytes) -> tuple[int, str]:
    """Sequence number and sentence of what is refused."""
    event = read_message(JSON, text if isinstance(text, bytes) else text.encode())
    if isinstance(event, BadFrame):
        return event.sequence, event.error.text
    with pytest.raises(FrameError) as refused:
        event.decode()
    return event.sequence, refused.value.text


@pytest.mark.parametrize(("written", "number"), [('"5"', 5), ("5.0", 5), ("1e2", 100), ("null", 0), ('"0"', 0)])
def test_a_sequence_number_may_be_written_as_any_number(written: str, number: int) -> None:
    text = f'{{"sequence":{written},"ping":{{}}}}'
    event = read_message(JSON, text.encode())
    assert isinstance(event, RawFrame)
    assert event.sequence == number == json_format.Parse(text, tp.Frame()).sequence


@pytest.mark.parametrize("written", ["true", "-1", "4294967296", "1.5", '"x"', "[]", "{}", "NaN", "1e400", "9" * 4000])
def test_other_sequence_numbers_are_refused(written: str) -> None:
    said = "The sequence number has to be a whole number from 0 to 4294967295."
    assert problem(f'{{"sequence":{written},"ping":{{}}}}') == (0, said)


@pytest.mark.parametrize(
    "fields", [r'{"username":"\ud800"}', r'{"\ud800":1}', r'{"username":"a","x\udfffy":[]}', r'{"username":["\ud800"]}']
)
def test_half_a_surrogate_pair_is_no_fault_of_ours(fields: str) -> None:
    """In a value as in a name; the sentence can be sent."""
    sequence, said = problem(f'{{"sequence":3,"login":{fields}}}')
    assert (sequence, said) == (3, "A text of login has half of a surrogate pair, which is no character.")


def test_a_whole_pair_is_a_character() -> None:
    event = read_message(JSON, rb'{"login":{"username":"\ud83d\udc1c"}}')
    assert isinstance(event, RawFrame)
    assert event.decode() == tp.Login(username="🐜")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"ping":{},"ping":{}}', "ping"),
        ('{"sequence":1,"sequence":2,"ping":{}}', "sequence"),
        ('{"login":{"username":"a","username":"b"}}', "username"),
        ('{"login":{' + ",".join(f'"{number % 70_000}":1' for number in range(70_001)) + "}}", "0"),
    ],
)
def test_a_name_that_comes_twice_is_refused(text: str, name: str) -> None:
    """Two readers could understand it differently. It is refused at once, for any number of names."""
    assert problem(text) == (0, f"The message is not JSON: the name '{name}' comes twice in one object.")


@pytest.mark.parametrize(
    "data", ['{"ping":{}}'.encode("utf-16"), b'\xef\xbb\xbf{"ping":{}}', b'{"ping":"\xed\xa0\x80"}']
)
def test_json_is_utf_8_without_a_mark(data: bytes) -> None:
    assert problem(data)[1].startswith("The message is not JSON: ")


def test_any_depth_is_refused_and_none_raises() -> None:
    """Around the depth where Python's own parser gives up, too."""
    for depth in (10, 90, 110, *range(880, 1010, 3)):
        for opened, closed in (("[", "]"), ('{"a":', "}")):
            assert problem('{"ping":{"x":' + opened * depth + "1" + closed * depth + "}}")[1].endswith(".")
