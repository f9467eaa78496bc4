"""Ant colonies over a real socket: see `raw_colonies.py`, which also prints the frames."""

from __future__ import annotations

import json

import pytest
import raw_colonies


@pytest.mark.parametrize(
    ("game", "dialect", "orders"),
    [("swarm", "TP03", 6), pytest.param("antshouse", "TP04", 14, marks=pytest.mark.thorough)],
)
def test_rounds_are_played_over_the_socket(game: str, dialect: str, orders: int):
    """The session checks the boards from frames after each turn; here that nothing else was spoken, and all dumped."""
    happened, lines = raw_colonies.session(game)
    frames = [json.loads(line) for line in lines]
    assert not any("error" in one for one in frames)
    assert {one["dialect"] for one in frames} == {dialect}
    assert sum(one["frame"] == "order_insert" for one in frames) >= orders
    assert happened


def test_wrong_words_are_refused_with_what_is_allowed(capsys: pytest.CaptureFixture[str]):
    assert raw_colonies.main(["tae"]) == 2
    assert "swarm, antshouse" in capsys.readouterr().err
