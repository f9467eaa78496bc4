"""Databases that a server of November 2026 has left, with games of all five rulesets in mid-turn: they open and go on.

Bots had given orders for the turn that was open.  The server of ``five_games`` was stopped, that of ``more_seats`` was
killed.  Both are the tables and the states of that day: what is called otherwise now, a loader reads.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from server_in_memory import Server

from tpserver.store import journal as stored_journal

DIGESTS = {
    "five_games": {
        "antshouse": (7, "3d37606adc239506", "60b201e136beaebf", "887e15b1952f9398"),
        "colony_battle": (7, "fd0c1e4ddfff7a87", "36774da1539c08c6", "b86cf9ab45863ece"),
        "swarm": (7, "cc6b318b766c2014", "fcec342e0e1cbb65", "dd1695ffccc2a9c9"),
        "tae": (7, "d22fdc9351361867", "17a239aa98d9c66b", "cd3241c1305c663e"),
        "taller_ants": (7, "73fbed469292dc9f", "a8eb40ad6ada93af", "6f22b2ab50e84b6a"),
    },
    "more_seats": {
        "antshouse": (12, "88a7e4eb9da4a448", "066b30eb6ef2dfad", "dda4fd5309418e6d"),
        "colony_battle": (12, "47e45cddd691d9cc", "0e2009d1b8a2324c", "1cb6c7836b8c6c2a"),
        "swarm": (12, "e702d3dc089b68fd", "711d1c256d9aa94b", "d076f470d65f620d"),
        "tae": (12, "24e91219d09d850a", "896adce72d6cdbeb", "b39530b15cd5eb21"),
        "taller_ants": (12, "2cd92f9c75a33488", "d3aaed7c7784a57e", "b90ce965f5428ba3"),
    },
}
"""By game: the turn that was open, and how the digests begin that it had then, after its end and after the next."""

GAMES = [(database, name) for database, games in DIGESTS.items() for name in games]


@pytest.fixture
def stored(database: str, open_stored: Callable[[str], Server]) -> Server:
    return open_stored(f"{database}_of_2026_11.sqlite.gz")


@pytest.mark.parametrize(("database", "name"), GAMES)
def test_a_stored_game_goes_on_with_the_same_digests(stored: Server, database: str, name: str):
    """The orders in the journal show in the digest after the first end of a turn; the second, what that saved."""
    turn, *digests = DIGESTS[database][name]
    game = stored.game(name)
    assert game.state.turn == turn
    assert game.digest.startswith(digests[0])
    entries = stored.store.read(lambda connection: stored_journal.after(connection, game.row.id, 0))
    assert any(entry.turn == turn and entry.kind == "insert" for entry in entries)
    stored.close_turn(name)
    assert stored.game(name).digest.startswith(digests[1])
    later = stored.restarted()
    try:
        later.close_turn(name)
        assert later.game(name).state.turn == turn + 2
        assert later.game(name).digest.startswith(digests[2])
    finally:
        later.stop()
