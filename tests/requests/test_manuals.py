"""GetRules: the rules for players.

Only Protocol Buffers and JSON have it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_games.auction import Auction
from twisted.logger import LogEvent

from tests.requests.odd_rulesets import ODD
from tests.support.server_in_memory import Client, Server
from tprules.manuals import LONGEST, LONGEST_GOAL
from tpserver.rules.discovery import Rulesets

NO_SUCH_THING, TEMPORARILY = 4, 3


class Told(Auction):
    """An auction with other rules to read."""

    name = "told"
    version = 1


def served(make_server: Callable[..., Server], rules: Any) -> Client:
    return make_server(found=Rulesets({**ODD.usable, rules.name: rules}, {"broken": "it is broken"})).connect("pb")


def with_manual(manual: Any) -> Auction:
    return type("Told", (Told,), {"manual": manual})()


@pytest.mark.parametrize("dialect", ["pb", "json"])
def test_they_can_be_read_before_login_and_in_the_game(server: Server, dialect: str):
    server.create("game", "tae", 2)
    stranger = server.connect(dialect)
    told = stranger.ask("get_rules", ruleset="tae").message
    assert (told.ruleset, told.title, told.version) == ("tae", "TaE: Tigris and Euphrates in space", "2")
    assert told.text.startswith("# TaE: Tigris and Euphrates in space\n")
    assert told.goal in " ".join(told.text.split())
    assert server.player("ann", dialect).ask("get_rules").message == told
    assert server.player("eve", dialect, "game/watch").ask("get_rules").message == told


def test_without_a_game_the_ruleset_is_to_be_named(server: Server):
    refused = server.connect("pb").ask("get_rules")
    assert (refused.name, refused.message.code) == ("fail", TEMPORARILY)
    assert "Name a ruleset, or log in to a game as name@game, to read the rules." in refused.message.result


def test_a_ruleset_that_is_not_there_is_refused_with_those_that_are(make_server: Callable[..., Server]):
    client = served(make_server, with_manual("# Told\n\nWin.\n"))
    for name in ("tale", "broken", "x" * 4000, "\x1b[2J"):
        refused = client.ask("get_rules", ruleset=name)
        assert (refused.name, refused.message.code) == ("fail", NO_SUCH_THING)
        assert "there are: auction, " in refused.message.result
        assert "it is broken" not in refused.message.result, "that is for the operator"
        assert len(refused.message.result) < 400
        assert refused.message.result.isprintable()


class Raises:
    """A text that cannot be had."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __get__(self, rules: object, kind: object) -> str:
        raise self.error


@pytest.mark.parametrize(
    "manual", [Raises(ValueError("no")), Raises(SystemExit(3)), 7, b"bytes"], ids=["raises", "ends", "7", "bytes"]
)
def test_a_text_that_cannot_be_had_is_none(make_server: Callable[..., Server], logged: list[LogEvent], manual: Any):
    """The ruleset can be played anyway. The operator finds the reason in the log, once."""
    client = served(make_server, with_manual(manual))
    for _ in range(2):
        told = client.ask("get_rules", ruleset="told").message
        assert (told.title, told.text, told.goal) == ("Auction", "", "")
    (line,) = [event for event in logged if "its rules for players cannot be read" in (event["log_format"] or "")]
    assert line["rules"] == "told"


def test_a_hostile_text_is_printable_and_bounded(make_server: Callable[..., Server]):
    """Control characters, ends of lines of other kinds, what turns the direction of writing, and sheer length."""
    text = "# T\x1b[2J\r\n\nA goal \u202e\x00 " + "x" * 5000 + "\n\n<script>alert(1)</script>\n" + "y" * 100_000
    told = served(make_server, with_manual(text)).ask("get_rules", ruleset="told").message
    assert len(told.text) <= LONGEST
    assert len(told.goal) <= LONGEST_GOAL
    assert all(line.isprintable() for line in told.text.split("\n"))
    assert r"\x1b[2J" in told.text
    assert "<script>" in told.text, "it is text: clients show it as that"
