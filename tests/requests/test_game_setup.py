"""GetGameSetup: the settings with which a game was created.

Only Protocol Buffers and JSON have it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.server_in_memory import SMALL_BOARD, Client, Server, rulesets
from tpserver.requests.lobby.game_setup import LONGEST_VALUE

PERMANENTLY, TEMPORARILY, DENIED = 2, 3, 5


@pytest.fixture(params=["pb", "json"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def options(client: Client, game: str) -> dict[str, tuple[str, bool]]:
    found = client.ask("get_game_setup", game=game).message.options
    return {one.name: (one.value, one.changed) for one in found}


def test_what_a_game_was_made_with_is_told_before_login(server: Server, dialect: str):
    """Values are shown as typed, with a mark on changed ones. A map from a file is not shown."""
    server.create(
        "chess", "tae", 3, bots=1, clock="interval:60",
        options={"hand_size": 4, "exchange": "off", "pool": "9,9,9,9", "board": SMALL_BOARD},
    )  # fmt: skip
    told = server.connect(dialect).ask("get_game_setup", game="CHESS").message
    assert (told.game, told.ruleset, told.title) == ("chess", "tae", rulesets().usable["tae"].title)
    assert (told.seats, told.bots, told.clock, told.invited) == (3, 1, "interval:60", False)
    found = options(server.connect(dialect), "chess")
    assert list(found) == list(rulesets().usable["tae"].options)
    assert found["hand_size"] == ("4", True)
    assert found["exchange"] == ("off", True)
    assert found["pool"] == ("9,9,9,9", True)
    assert found["board"] == ("", True)
    assert found["actions"] == ("2", False)
    assert all(one.help for one in told.options)


def test_what_was_told_makes_the_same_game_again(server: Server, dialect: str):
    """Changed options are accepted as they were shown, and mean the same. Defaults are marked as such."""
    first = server.create("one", "swarm", 2, options={"max_rounds": 33, "chain_swarm": "off"})
    found = options(server.connect(dialect), "one")
    second = server.create("two", "swarm", 2, options={name: value for name, (value, _) in found.items()})
    assert first.row.options == second.row.options
    assert {name for name, (_, changed) in found.items() if changed} == {"max_rounds", "chain_swarm"}
    long = server.create("three", "tae", 2)
    default = str(long.rules.options["board"].default)
    assert options(server.connect(dialect), "three")["board"] == (default, False)
    assert len(default) <= LONGEST_VALUE


def test_of_a_game_for_invited_players_only_they_are_told(server: Server, dialect: str):
    """A stranger or another account does not get it. A player does, by the name of the game or inside it."""
    server.create("closed", "auction", 2, clock="manual")
    ann, _ = server.players(2, dialect, "closed")
    game = server.game("closed")
    game.row = replace(game.row, join="invited")
    server.create("other", "auction", 2)
    eve = server.player("eve", dialect, "other")
    for stranger in (server.connect(dialect), eve):
        answer = stranger.ask("get_game_setup", game="closed")
        assert (answer.code, "invited players only" in answer.text) == (DENIED, True)
    assert ann.ask("get_game_setup", game="closed").message == ann.ask("get_game_setup").message
    assert ann.ask("get_game_setup").message.invited
    home = server.connect(dialect)
    home.ask("login_account", username="ann", password="ann's word")
    assert home.ask("get_game_setup", game="closed").message.game == "closed"


def test_a_game_that_is_not_there_is_refused(server: Server, dialect: str):
    client = server.connect(dialect)
    for name, code, words in (("", TEMPORARILY, "Log in to a game"), ("nothing", PERMANENTLY, "There is no game")):
        answer = client.ask("get_game_setup", game=name)
        assert (answer.code, words in answer.text) == (code, True)
