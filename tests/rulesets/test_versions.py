"""Games that an older version of a shipped ruleset saved."""

from __future__ import annotations

import json

import pytest

from tprules.api import canonical, parse_options
from tprules.api.advance import advance, dump_state, load_state, opening
from tprules.colony_battle import RULESET as COLONY_BATTLE
from tprules.swarm import RULESET as SWARM
from tprules.tae import RULESET as TAE
from tprules.taller_ants import RULESET as TALLER_ANTS


@pytest.mark.parametrize("rules", [COLONY_BATTLE, SWARM], ids=lambda rules: rules.name)
def test_a_game_of_version_1_goes_on(rules):
    """Versions 1 and 2 write the same worlds; the first closing is computed by the new rules."""
    assert rules.version == 2
    opened = opening(rules, parse_options(rules.options, {}), rules.seats[0], b"versions")
    saved = json.loads(canonical(dump_state(rules, opened.state))) | {"version": 1}
    state = load_state(rules, saved)
    assert state == opened.state
    assert advance(rules, state, b"versions").digest == advance(rules, opened.state, b"versions").digest


def saved_before(rules, seats, version, **options):
    """Return the opening of a game as an older version saved it: without what came later."""
    opened = opening(rules, parse_options(rules.options, options), seats, b"versions")
    saved = json.loads(canonical(dump_state(rules, opened.state))) | {"version": version}
    return opened.state, saved


def test_an_older_game_of_tae_does_not_end_because_nobody_orders():
    """The option ``idle_turns`` is off in games that were made before it; 20 turns of passes end a new one."""
    new, saved = saved_before(TAE, 2, 1)
    del saved["world"]["settings"]["idle_turns"], saved["world"]["idle"]
    old = load_state(TAE, saved)
    for _ in range(19):
        new, old = (advance(TAE, state, b"versions").state for state in (new, old))
    assert not new.over
    new, old = (advance(TAE, state, b"versions").state for state in (new, old))
    assert (new.over, new.world.ended) == (True, "idle")
    assert not old.over


def test_an_older_game_of_taller_ants_keeps_its_default_places():
    """They are in the middle of the halves in a game whose set-up is stored, and beside fungus in a new one."""
    new, saved = saved_before(TALLER_ANTS, 3, 2)
    del saved["world"]["settings"]["places"]
    old = load_state(TALLER_ANTS, saved)
    holes = []
    for state in (new, old):
        world = advance(TALLER_ANTS, state, b"versions").state.world
        places = [world.spiders()[0].place, *(colony.hole for colony in world.colonies)]
        holes.append([world.board.coordinates(place) for place in places])
    assert holes == [[(10, 3), (11, 11), (2, 2)], [(12, 6), (6, 12), (7, 1)]]
