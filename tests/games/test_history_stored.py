"""Turn history of databases from older servers: all stored turns show."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.server_in_memory import Server, result_of
from tpserver.games.core import phases
from tpserver.store.games import snapshots as stored_snapshots

DATABASES = (
    "five_games_of_2026_11",
    "more_seats_of_2026_11",
    "before_versions",
    "colony_battle_before_renaming",
)

WITH_ORDERS = DATABASES[:2]


@pytest.mark.parametrize(
    "database", [pytest.param(one, marks=pytest.mark.thorough) if "more_seats" in one else one for one in DATABASES]
)
def test_every_stored_turn_is_shown_to_each_seat_and_to_spectators(open_stored: Callable[[str], Server], database: str):
    """Also those that an older version of the ruleset saved, with the orders that were given in them."""
    server = open_stored(f"{database}.sqlite.gz")
    history = server.host.history
    shown = ordered = 0
    for row in server.registry.directory.rows():
        if row.started is None:
            continue  # no turns to be looked at
        game = server.registry.with_id(row.id)
        turns = server.store.read(stored_snapshots.turns, row.id)
        assert turns == list(range(row.turn + 1)), "all snapshots are kept"
        for turn in turns:
            for seat in (*range(len(game.players)), None):
                past = result_of(history.open("visitor", 1, game, seat, turn))
                history.leave("visitor")
                assert past.turn == turn
                assert phases.title(past)
                assert past.views[seat].objects[0].turn == turn
                ordered += len(past.views[seat].queues)
                shown += 1
    assert shown >= 3
    assert ordered > 0 or database not in WITH_ORDERS
