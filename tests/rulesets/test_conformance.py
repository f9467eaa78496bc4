"""The conformance check: TaE passes, every kind of fault is found.

The check explains each fault.
"""

from __future__ import annotations

import pydoc
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tprules import api
from tprules.api import Dice
from tprules.tae import RULESET
from tprules.testing import Nonconforming, check
from tprules.testing.differences import _differences, _Missing, first_difference

FAULTS = {
    "LEAKY": "look the same to seat",
    "WHISPERING": "look the same to seat",
    "IMPURE": r"changed the caller's world: state.*: \d+ before, \d+ after",
    "RANDOM": r"twice gives two results: world\.hidden: \d+, \d+",
    "UNORDERED": "two processes disagree",
    "ILLEGAL": "refused: form: gold: give a whole number from 0 to 9",
    "FORGETFUL": r"load\(dump\(world\)\) is not equal .*: world\.round: 1 in the world, 0 loaded",
    "FRAGILE": "IndexError.* was raised",
    "ENDLESS": "is not over after 50 turns",
    "ORPHAN": "not its parent 99",
    "UNDECLARED": "kind 'shop', which is not declared",
    "SHORT": "shows 1 numbers, but its kind declares 2",
    "LAX": "seat 1, not active in phase bidding, may order Bid",
    "ABSENT": "is absent and gets Bid",
    "DEFAULTLESS": "default of option gold does not parse",
    "BOUNDLESS": "the queue of a home has 0 slots",
    "UNDRAWN": "the galaxy 'house' has a group 'Score', so old clients draw nothing that lies in it",
    "RICH": "the galaxy 'house' shows resources",
    "UNSEEN": "marks\\(\\) gives seat 0 .* for object 99",
    "UNGROUPED": "a phase is of the clock group 'duel', which clock_groups does not have",
    "UNCLOCKED": "no phase is of the clock group 'duel'",
    "WORDLESS": "the clock group duel is described by no printable text",
    "SHOUTING": "a clock group is called 'A duel', not 1 to 32",
    "BOASTING": "two worlds look the same to seat 0, but scores",
    "MAPPED": "two worlds look the same to seat 0, but scores",
    "COMMANDED": "the galaxy 'house' takes orders",
    "MISSPELLED": r"Misspelled\.legal_order is no part of api\.Ruleset; did you mean legal_orders\?",
    "ADDITIONAL": r"Additional\.victory_points is no part of api\.Ruleset",
    "MISSPELLED_ORDER": r"MisspelledBid\.chek is no part of api\.OrderType; did you mean check\?",
    "ADDITIONAL_OF_ORDER": r"ParametrisedBid\.parameters is no part of api\.OrderType; did you mean params\?",
}


@pytest.mark.thorough
def test_tae_conforms(disguise):
    """TaE keeps every promise of the api, with 2, 3 and 4 players, also in other processes."""
    summary = check(RULESET, games=3, disguise=disguise, twins=48)
    assert summary.games == 3
    assert summary.moves_tried > 1000
    assert summary.refusals > 500
    assert summary.answers_compared > 1000
    assert summary.turns_in_other_processes > 50
    assert summary.text().startswith("tae: conforms")


@pytest.mark.thorough
def test_tae_conforms_where_everybody_fights(disguise):
    """The same on a small map with greedy players, where combat turns are many."""
    options = {
        "board": "..A.MM./.....M./A...A..",
        "pool": "14,24,14,10",
        "actions": 3,
        "min_artifacts": 1,
        "max_turns": 40,
    }
    summary = check(RULESET, games=2, seats=3, options=options, bot=RULESET.bot, disguise=disguise, processes=False)
    assert summary.answers_compared > 300


def test_the_small_game_conforms(bad_rulesets):
    """The game from which the faulty ones are made has no fault, so it is the fault that is found."""
    summary = check(bad_rulesets.SOUND, games=2)
    assert summary.answers_compared > 100
    assert not summary.notes


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_with_advice(bad_rulesets, fault):
    """Each faulty ruleset fails with what was seen and what to do."""
    with pytest.raises(Nonconforming, match=FAULTS[fault]) as found:
        check(getattr(bad_rulesets, fault), games=3, most_turns=50, processes=fault == "UNORDERED")
    assert "\n  Advice: " in str(found.value)


def test_a_disguise_finds_a_transparent_view(bad_rulesets):
    """A view that shows too much is found by a world with other secrets."""

    def other_gold(world, seat, dice: Dice):
        for number in range(2):
            if number != seat:
                world.gold[number] = world.gold[number] % 9 + 1
        return world

    check(bad_rulesets.SOUND, games=1, disguise=other_gold, processes=False)
    with pytest.raises(Nonconforming, match="tells a secret"):
        check(bad_rulesets.TRANSPARENT, games=1, disguise=other_gold, processes=False)


def test_from_the_command_line():
    """An unknown name is refused with the known ones; exit status 1."""
    ran = subprocess.run(
        [sys.executable, "-m", "tprules.testing", "no-such-game"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert "no ruleset 'no-such-game' is installed (installed: " in ran.stderr
    assert "tae" in ran.stderr


TREES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
)


@pytest.mark.thorough
@given(TREES, TREES)
def test_two_values_differ_at_the_place_that_is_named(one, other):
    """There is a place if, and only if, they differ, and both values are at it."""
    where = first_difference(one, other, "")
    assert bool(where) == (one != other)
    found = next(_differences(one, other, ""), None)
    if found is not None:
        place, *values = found
        for tree, value in zip((one, other), values, strict=True):
            assert isinstance(value, _Missing) or eval(f"tree{place}", {"tree": tree}) == value


def test_help_shows_the_classes_of_the_api():
    """``help(tprules.api)`` is what an author types first."""
    text = pydoc.render_doc(api, renderer=pydoc.plaintext)
    assert [name for name in ("Ruleset", "Phase", "OrderType", "Shown") if f"class {name}(" not in text] == []
