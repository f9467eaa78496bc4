"""Words in place of protocol names: the shipped games have all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tprules import antshouse, api, colony_battle, swarm, tae, taller_ants
from tprules.kit.words import called, fact, resource, with_article

GAMES = [game.RULESET for game in (antshouse, colony_battle, swarm, tae, taller_ants)]
PLACEHOLDER = re.compile(r"\{([^{}|]*)(?:\|([^{}|]*)\|([^{}|]*))?\}")


def looks(rules: api.Ruleset[Any]) -> Iterator[tuple[str, api.Look]]:
    for kind in rules.kinds.values():
        yield kind.title, kind.look
    for design in rules.catalogue.designs:
        yield design.name, design.look
    for shown in rules.resources:
        yield shown.name, shown.look


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_a_game_has_words_for_all_that_it_shows(rules: api.Ruleset[Any]):
    """In small letters, without what only a machine needs: no class names, no colons at the end."""
    for name, look in looks(rules):
        assert look.words, name
        for words in (look.words, look.each):
            assert words == words.lower()
            assert not words.endswith(":")
        assert look.each != look.words or look.words == "food"
    for kind in rules.kinds.values():
        assert kind.look.each, kind.title


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_a_game_has_words_for_all_orders_and_parameters(rules: api.Ruleset[Any]):
    """Each sentence has all choices, and begins as words for people do."""
    for kind in rules.orders:
        words = kind.words
        assert words is not None, kind.name
        assert [found[0] for found in sorted(PLACEHOLDER.findall(words.sentence))] == sorted(kind.params), kind.name
        assert set(words.params) == set(kind.params), kind.name
        for text in (words.name, words.sentence):
            assert re.match("[A-Z][a-z ]*[^:.]*", text), kind.name
            assert not text.endswith((":", "."))
            assert not re.search("[a-z][A-Z]", PLACEHOLDER.sub("", text)), kind.name
        assert all(text == text.lower() for text in words.params.values())


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_two_orders_that_one_piece_may_be_given_are_called_differently(rules: api.Ruleset[Any]):
    """TaE has two that are called Colonize: a colonist ship is offered one of them, whatever its kind."""
    for name in rules.kinds:
        taken = [kind.words.name for kind in rules.orders if name in kind.kinds and kind.words]
        twice = {one for one in taken if taken.count(one) > 1}
        assert twice <= ({"Colonize"} if rules.name == "tae" else set()), name


def test_what_stays_in_a_queue_is_what_takes_turns():
    staying = {
        f"{rules.name}: {kind.name}" for rules in GAMES for kind in rules.orders if kind.words and kind.words.stays
    }
    assert staying == {
        "colony_battle: Move",
        "colony_battle: NoOp",
        "colony_battle: Spawn",
        "taller_ants: Move",
    }


def test_words_have_the_article_that_their_first_letter_asks_for():
    assert [with_article(words) for words in ("egg", "Ant Group", "clutch")] == ["an egg", "an Ant Group", "a clutch"]


def test_english_plurals_have_an_s_unless_they_are_told():
    assert called("hit point") == api.Look(words="hit point", each="hit points")
    assert called("colony", "colonies", "<svg/>") == api.Look("<svg/>", words="colony", each="colonies")


def test_a_row_of_a_resource_derives_its_plurals_and_words():
    assert resource(3, "Pine Cone", "On a pad") == api.Resource(
        3, "Pine Cone", "Pine Cones", help="On a pad", look=api.Look(words="pine cone", each="pine cones")
    )
    assert resource(4, "Team|Teams of People", "People", "ant|ants lost", "HP|HP", "#8a3d7c") == api.Resource(
        4,
        "Team of People",
        "Teams of People",
        "HP",
        "HP",
        "People",
        look=api.Look(colour="#8a3d7c", words="ant lost", each="ants lost"),
    )
    assert fact(5, "Hit", "Thrown here", unit="throw") == api.Resource(
        5, "Hit", "Hits", "throw", "throws", "Thrown here", look=api.Look(words="hit")
    )
