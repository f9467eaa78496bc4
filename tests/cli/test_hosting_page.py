"""The pages for operators: every command on them works as printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tpserver.cli.arguments import parse

PLACE = Path(__file__).parents[2] / "tpserver"
COMMANDS = PLACE / "docs" / "commands.md"
PAGES = (PLACE / "HOSTING.md", COMMANDS, *(PLACE / "docs" / f"{name}.md" for name in ("failover", "guests", "sign-in")))
WITHOUT_A_PLACE = (
    "init",
    "metaserver",
    "play",
    "ruleset check tae",
    "ruleset list",
    "ruleset manual",
    "ruleset show",
)
"""Commands that look at no accounts and games."""


def commands() -> list[list[str]]:
    """Return the words of all commands of tpserver in lines of their own, without what comes from the shell."""
    text = "\n".join(page.read_text() for page in PAGES)
    lines = dict.fromkeys(re.findall(r"(?m)^ {4,}(?:\S+/)?tpserver (.+)$", text))
    return [shlex.split(line.replace("$CONFIG", "--config tp.toml"), comments=True) for line in lines]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_a_command_is_one_as_it_stands_and_says_where_the_data_is(words: list[str]) -> None:
    """Without its configuration it would look at another, empty place."""
    parse(words)
    says_where = "--config" in words
    assert says_where != " ".join(words).startswith(WITHOUT_A_PLACE)


def test_every_command_that_looks_after_games_and_people_has_an_example() -> None:
    from tpserver.admin.commands import COMMANDS

    shown = [" ".join(words) for words in commands()]
    without_group = {"game import": "import", "game archive": "archive"}
    for name in COMMANDS:
        assert any(f"{words} ".startswith(f"{without_group.get(name, name)} ") for words in shown), name
