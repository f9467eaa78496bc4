"""Databases of November 2026 with games of all five rulesets in mid-turn.

They open, and the games go on. Bots had given orders for the open turn. The server of `five_games` was stopped, that of
`more_seats` was killed. Tables and states have the names of that time, so a loader must translate them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.server_in_memory import Server
from tprules.api import Ruleset, digest
from tprules.api.advance import dump_state
from tprules.tae import RULESET as TAE
from tprules.taller_ants import RULESET as TALLER_ANTS
from tpserver.store.games import journal as stored_journal

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

LATER: dict[str, tuple[Ruleset[Any], int, list[str], list[str]]] = {
    "tae": (TAE, 1, ["idle"], ["idle_turns"]),
    "taller_ants": (TALLER_ANTS, 2, [], ["places"]),
}
"""Game -> its rules, its version of that day, and what its world and its settings did not have then."""

GAMES = [(database, name) for database, games in DIGESTS.items() for name in games]


@pytest.fixture
def stored(database: str, open_stored: Callable[[str], Server]) -> Server:
    return open_stored(f"{database}_of_2026_11.sqlite.gz")


def digest_as_of_then(server: Server, name: str) -> str:
    """Return the digest of a game, as the version of its ruleset of that day would have computed it."""
    if name not in LATER:
        return server.game(name).digest
    rules, version, of_world, of_settings = LATER[name]
    data = dump_state(rules, server.game(name).state) | {"version": version}
    for field in of_world:
        del data["world"][field]
    for field in of_settings:
        del data["world"]["settings"][field]
    return digest(data)


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
    assert digest_as_of_then(stored, name).startswith(digests[1])
    later = stored.restarted()
    try:
        later.close_turn(name)
        assert later.game(name).state.turn == turn + 2
        assert digest_as_of_then(later, name).startswith(digests[2])
    finally:
        later.stop()
