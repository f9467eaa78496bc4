"""The page "Run it for others": every command on it is to be typed as it stands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tpserver.cli.arguments import parse

PAGE = Path(__file__).parents[2] / "tpserver" / "HOSTING.md"
WITHOUT_A_PLACE = ("init", "metaserver", "ruleset list")
"""Commands that look at no accounts and games."""


def commands() -> list[list[str]]:
    """Return the words of all commands of tpserver in lines of their own, without what comes from the shell."""
    lines = re.findall(r"(?m)^    (?:\S+/)?tpserver (.+)$", PAGE.read_text())
    return [shlex.split(line.replace("$CONFIG", "--config tp.toml"), comments=True) for line in lines]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_a_command_is_one_as_it_stands_and_says_where_the_data_is(words: list[str]) -> None:
    """Without its configuration it would look at another, empty place."""
    parse(words)
    says_where = "--config" in words
    assert says_where != " ".join(words).startswith(WITHOUT_A_PLACE)


def test_every_command_that_looks_after_games_and_people_is_on_it() -> None:
    """Also where a comment beside another one names its opposite."""
    from tpserver.admin.operations import OPERATIONS

    text = PAGE.read_text()
    opposites = {"game open": "open", "account enable": "enable", "account unsilence": "unsilence"}
    apart = {"reload", "restart", "game import", "game archive"}
    for name in set(OPERATIONS) - apart:
        assert f"tpserver {name} " in text or f"and: {opposites[name]}" in text, name
