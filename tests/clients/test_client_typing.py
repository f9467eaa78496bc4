"""Numbers, names and passwords as other keyboards and editors write them."""

import io
import unicodedata
from argparse import Namespace

import pytest

from tpclient.errors import BadArgument
from tpclient.games import login_name
from tpclient.names import number_in
from tpclient.parameters import _typed_point
from tpclient.plain.arguments import compose, line_of_input, seconds
from tpclient.terminal.clock_screen import seconds_in


@pytest.mark.parametrize("text", ["12", " 12 ", "\u00a012", "\uff11\uff12"])
def test_a_number_is_read_as_it_is_written(text: str) -> None:
    """With spaces that do not break, and with wide digits."""
    assert number_in(text) == 12
    assert seconds_in(f"{text}\u00a0min") == 720


@pytest.mark.parametrize("minus", "-\u2212\u2013\u2010")
def test_a_minus_sign_is_one(minus: str) -> None:
    assert _typed_point(f"{minus}3,4,\uff15") == (-3, 4, 5)


@pytest.mark.parametrize("unseen", "\u00ad\u200b\u200e\ufeff\u2060")
def test_what_copying_adds_is_left_out(unseen: str) -> None:
    """In numbers, and in the options that are names or codes; a message stays as it is written."""
    pasted = f"{unseen}ann\u00a0b@fri{unseen}day\u202f"
    options = Namespace(user=pasted, code=pasted, body=pasted)
    compose(options)
    assert options == Namespace(user="ann b@friday", code="ann b@friday", body=pasted)
    assert number_in(f"1{unseen}2") == 12


def test_the_game_that_is_named_counts() -> None:
    assert login_name("ann@friday", "monday") == login_name("ann", "monday") == "ann@monday"
    assert login_name("ann@friday/watch", "monday", 3) == "ann@monday/turn/3"
    assert login_name("ann@friday/watch") == "ann@friday/watch"


def test_a_decimal_comma_is_one() -> None:
    assert seconds()("1,5") == seconds()("1.5") == 1.5


@pytest.mark.parametrize(("data", "line"), [(b"geheim\r\n", "geheim"), ("\ufeffgeheim".encode(), "geheim")])
def test_a_line_of_input_is_without_what_editors_add(monkeypatch: pytest.MonkeyPatch, data: bytes, line: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
    assert line_of_input() == line


@pytest.mark.parametrize("errors", ["strict", "replace", "surrogateescape"])
def test_bytes_that_are_no_text_are_said(monkeypatch: pytest.MonkeyPatch, errors: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9\n"), "utf-8", errors))
    with pytest.raises(BadArgument, match="is not UTF-8 text"):
        line_of_input()


def test_names_are_composed_and_passwords_stay() -> None:
    apart = unicodedata.normalize("NFD", "José")
    options = Namespace(player=apart, values=[apart, 3], password=apart, new_password=apart)
    compose(options)
    assert options == Namespace(player="José", values=["José", 3], password=apart, new_password=apart)
