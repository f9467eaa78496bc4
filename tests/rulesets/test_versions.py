"""Games that an older version of a shipped ruleset saved."""

from __future__ import annotations

import json

import pytest

from tprules.api import canonical, parse_options
from tprules.api.advance import advance, dump_state, load_state, opening
from tprules.colony_battle import RULESET as COLONY_BATTLE
from tprules.swarm import RULESET as SWARM


@pytest.mark.parametrize("rules", [COLONY_BATTLE, SWARM], ids=lambda rules: rules.name)
def test_a_game_of_version_1_goes_on(rules):
    """Versions 1 and 2 write the same worlds; the first closing is computed by the new rules."""
    assert rules.version == 2
    opened = opening(rules, parse_options(rules.options, {}), rules.seats[0], b"versions")
    saved = json.loads(canonical(dump_state(rules, opened.state))) | {"version": 1}
    state = load_state(rules, saved)
    assert state == opened.state
    assert advance(rules, state, b"versions").digest == advance(rules, opened.state, b"versions").digest
