"""A game that cannot be loaded is not listed as running."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.server_in_memory import Server, result_of
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.rules.discovery import Rulesets


@pytest.mark.parametrize("players", [1, 2], ids=["waiting", "running"])
def test_a_game_without_its_ruleset_is_held(make_server: Callable[..., Server], players: int):
    """To players and to the operator; it goes on when the ruleset is there again."""
    server = make_server()
    server.create(clock="interval:100")
    server.players(players)
    found, server.found = server.found, Rulesets()
    again = server.restarted()
    (row,) = again.registry.directory.rows()
    assert row.state == "held"
    assert "cannot be loaded" in row.held_reason
    assert row.deadline is None
    (game,) = again.connect().ask("get_games").things
    told = {parameter.id: parameter.string_value for parameter in game.parameters}
    assert told[5].startswith("held; ")
    assert not any(parameter.id == 6 for parameter in game.parameters)
    table = result_of(perform(AdminContext(again.registry, again.accounts), "game list", {}))
    assert "held" in table[1] and "running" not in table[1]
    again.found = found
    assert again.restarted().registry.directory.rows()[0].state == ("running" if players == 2 else "waiting")
