"""TaE's vectors V1 and V2 over a real socket: see `raw_session.py`, which also prints the frames."""

from __future__ import annotations

import json

import pytest
import raw_session


@pytest.mark.parametrize(
    ("vector", "dialect"),
    [
        ("v1", "tp03"),
        ("v2", "tp04"),
        pytest.param("v1", "tp04", marks=pytest.mark.thorough),
        pytest.param("v2", "tp03", marks=pytest.mark.thorough),
    ],
)
def test_a_vector_is_played_over_the_socket_as_the_page_has_it(vector: str, dialect: str):
    """Both players see the board of the page at the end, and every frame of theirs can be dumped."""
    board, lines = raw_session.session(vector, dialect)
    assert board == raw_session.VECTORS[vector].after
    frames = [json.loads(line) for line in lines]
    assert not any("error" in one for one in frames)
    assert {one["dialect"] for one in frames} == {dialect.upper()}
    said = [one["frame"] for one in frames if one["from"] == "client"]
    assert said.count("order_insert") == len(raw_session.VECTORS[vector].opening) + 1 + len(
        raw_session.VECTORS[vector].reinforcing
    )
    assert said.count("finished_turn") == 6


def test_wrong_words_are_refused_with_what_is_allowed(capsys: pytest.CaptureFixture[str]):
    assert raw_session.main(["v3"]) == 2
    assert "v1, v2, tp03, tp04" in capsys.readouterr().err
