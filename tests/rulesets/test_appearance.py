"""Styles declared by games: which can be shown, and errors for the others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_games.auction import RULESET, Auction, Bid, Gift

from tprules import antshouse, api, colony_battle, swarm, tae, taller_ants
from tprules.api.appearance import MOST_FIGURES, MOST_REGION_PLACES, MOST_REGIONS
from tprules.api.symbols import DEEPEST, LONGEST_SYMBOL, MOST_ELEMENTS, unfit_symbol
from tprules.testing import Nonconforming, check
from tprules.testing.declarations import check_declarations

CASES = json.loads((Path(__file__).parents[1] / "clients" / "symbol_cases.json").read_text())
SYMBOL = '<svg viewBox="0 0 24 24"><circle cx="12" cy="12" r="9"/></svg>'


@pytest.mark.parametrize("symbol", CASES["fit"])
def test_a_symbol_of_the_allowed_part_of_svg_is_fit(symbol: str):
    assert unfit_symbol(symbol) == ""


@pytest.mark.parametrize(("symbol", "words"), CASES["unfit"])
def test_anything_else_is_named_with_its_place(symbol: str, words: str):
    """Scripts, styles, references, entities, other elements and attributes; the page's reader has these cases, too."""
    assert words in unfit_symbol(symbol)


def test_symbols_are_bounded():
    """In characters, in elements and in depth."""

    def svg(inner: str) -> str:
        return f'<svg viewBox="0 0 9 9">{inner}</svg>'

    dot = '<circle r="1"/>'
    assert unfit_symbol(svg(dot * MOST_ELEMENTS)) == ""
    assert "more than 64 elements" in unfit_symbol(svg(dot * (MOST_ELEMENTS + 1)))
    assert unfit_symbol(svg("<g>" * DEEPEST + "</g>" * DEEPEST)) == ""
    assert "more than 8 deep" in unfit_symbol(svg("<g>" * (DEEPEST + 1) + "</g>" * (DEEPEST + 1)))
    assert f"at most {LONGEST_SYMBOL} are allowed" in unfit_symbol(svg(dot + " " * LONGEST_SYMBOL))
    assert unfit_symbol(7) == "it is int, not text"


def auction(**declared: Any) -> Auction:
    return type("Painted", (Auction,), declared)()


def with_look(look: Any, **more: Any) -> Auction:
    return auction(kinds={**RULESET.kinds, "home": replace(RULESET.kinds["home"], look=look, **more)})


GOLD = "gold"


def with_order(words: Any) -> Auction:
    """An auction whose order to bid, of gold and words, has such words."""
    bid = type("Bid", (Bid,), {"words": words})
    mine = {Bid: bid, Gift: Gift}
    phases = tuple(replace(phase, orders=tuple(mine[one] for one in phase.orders)) for phase in RULESET.phases)
    return auction(orders=(bid, Gift), phases=phases)


def test_what_is_fit_passes():
    check_declarations(with_order(api.OrderWords("Bid", f"Bid {{{GOLD}|coin|coins}}", {GOLD: "coins"}, stays=True)))
    check_declarations(with_look(api.Look(words="x" * 100, each="y" * 100), nameless=True))
    appearance = api.Appearance(("#a00000", "#0000a0"), "hexagon", api.Places("{board} {column}{row}"), "purse")
    first = next(iter(RULESET.resources)).id
    rules = with_look(api.Look(SYMBOL, "#123456"), badges=(first,), in_hand=True)
    check_declarations(auction(appearance=appearance, kinds=rules.kinds))


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (with_look(api.Look("<svg onload='x'>")), "the kind home: its symbol cannot be shown: at character 1"),
        (with_look(api.Look(colour="red")), "the kind home: its colour is 'red', not written like #1a2b3c"),
        (with_look("red"), "the kind home: its look is str, not api.Look"),
        (with_look(api.Look(b"bytes")), "its symbol cannot be shown: it is bytes, not text"),  # type: ignore[arg-type]
        (with_look(api.Look(), badges=(99,)), r"the kind home has the badges \(99,\)"),
        (with_look(api.Look(words="\x1b[2J")), "the kind home: it is called .*not a printable text"),
        (with_look(api.Look(words="\u202eeman")), "the kind home: it is called"),
        (with_look(api.Look(words="x" * 101)), "not a printable text of at most 100 letters"),
        (with_look(api.Look(words=7)), "the kind home: it is called 7"),  # type: ignore[arg-type]
        (with_look(api.Look(each="homes")), "several of it are called 'homes', and one is not"),
        (with_look(api.Look(), nameless=True), "the kind home has neither names nor words"),
        (with_order("Bid"), "the order Bid: its words are str, not api.OrderWords"),
        (with_order(api.OrderWords("")), "the order Bid: it is called '', not a printable text of 1 to 100"),
        (with_order(api.OrderWords("a\nb")), r"it is called 'a\\nb'"),
        (with_order(api.OrderWords(b"Bid")), "it is called bytes"),  # type: ignore[arg-type]
        (with_order(api.OrderWords("Bid", "x" * 201)), "its sentence is .*at most 200 letters"),
        (with_order(api.OrderWords("Bid", "Bid {silver}")), r"names 'silver', .* its parameters \(gold, words\)"),
        (with_order(api.OrderWords("Bid", "Bid {} of it")), "its sentence names ''"),
        (with_order(api.OrderWords("Bid", "Bid {{" + GOLD)), "a brace that belongs to no parameter"),
        (with_order(api.OrderWords("Bid", f"{{{GOLD}|coin}}")), "a brace that belongs to no parameter"),
        (with_order(api.OrderWords("Bid", params={"silver": "coins"})), "it has words for 'silver'"),
        (with_order(api.OrderWords("Bid", params={GOLD: ""})), f"its parameter {GOLD} is called ''"),
        (with_order(api.OrderWords("Bid", params={GOLD: "\x07"})), f"its parameter {GOLD} is called"),
        (with_order(api.OrderWords("Bid", params=7)), "parameters are int, not a mapping"),  # type: ignore[arg-type]
        (with_order(api.OrderWords("Bid", stays=1)), "stays is 1, not True or False"),  # type: ignore[arg-type]
        (auction(appearance=7), "appearance is int, not api.Appearance"),
        (auction(appearance=api.Appearance(("#a00000", "blue"))), "the colour of seat 1 is 'blue'"),
        (auction(appearance=api.Appearance(("#a00000", "#a00000"))), "two seats have one colour"),
        (auction(appearance=api.Appearance(cells="round")), "cells are 'round'"),  # type: ignore[arg-type]
        (auction(appearance=api.Appearance(hand="\x1b[2J")), "the hand is called"),
        (auction(appearance=api.Appearance(places=api.Places("x" * 200))), "a place or board is called"),
        (auction(appearance=api.Appearance(places=api.Places(boards={"a": 7}))), "called 7"),  # type: ignore[dict-item]
        (auction(appearance=api.Appearance(places=None)), "places are NoneType"),  # type: ignore[arg-type]
    ],
)
def test_what_clients_cannot_show_is_named(rules: Auction, words: str):
    with pytest.raises(Nonconforming, match=words):
        check_declarations(rules)


def endless():  # type: ignore[no-untyped-def] # stands for a hook that never ends
    while True:
        yield api.Region((0,))


@pytest.mark.parametrize(
    ("hook", "given", "words"),
    [
        ("scores", 7, "gave int, not a mapping"),
        ("scores", {9: {}}, "names the seat 9"),
        ("scores", {0: {str(number): 0 for number in range(MOST_FIGURES + 1)}}, "no mapping of at most 8 names"),
        ("scores", {0: {"\u202e": 1}}, "has a figure called"),
        ("scores", {0: {"Gold": 0.5}}, "gave float for Gold, not a whole number"),
        ("scores", {0: {"Gold": 2**70}}, "gave int for Gold"),
        ("actions", 3, r"not \(used, most\)"),
        ("actions", (-1, 2), "less than none"),
        ("regions", 7, "gave int, not regions"),
        ("regions", [7], "gave 7, not api.Region"),
        ("regions", endless(), f"gave more than {MOST_REGIONS}"),
        ("regions", [api.Region((0,) * (MOST_REGION_PLACES + 1))], "names more than 16384 places"),
        ("regions", [api.Region((-1,))], "names a place that is no object"),
        ("regions", [api.Region((0,), 5)], "names the owner 5"),
        ("regions", [api.Region((0,), name="x" * 200)], "has a region called"),
        ("regions", [api.Region((4000,))], "names object 4000, which a spectator does not see"),
    ],
)
def test_a_standing_that_cannot_be_shown_is_named(hook: str, given: Any, words: str):
    rules = auction(**{hook: lambda self, *about: given})
    with pytest.raises(Nonconforming, match=words):
        check(rules, games=1, processes=False)


def test_a_failing_standing_is_explained():
    def broken(self: Any, world: Any, seat: Any) -> Any:
        raise ZeroDivisionError("no")

    with pytest.raises(Nonconforming, match="ZeroDivisionError"):
        check(auction(scores=broken), games=1, processes=False)


@pytest.mark.parametrize("game", [antshouse, colony_battle, swarm, tae, taller_ants])
def test_the_games_say_how_all_stand(game: Any):
    """At the opening each seat has public figures, and a secret figure is shown to its seat only."""
    rules = game.RULESET
    seats = rules.seats[0]
    options = api.parse_options(rules.options, {})
    world = rules.setup(options, seats, api.Dice.named(b"standing"))
    public = rules.scores(world, None)
    assert set(public) == set(range(seats))
    assert all(public.values())
    own = rules.scores(world, 0)
    assert {seat: row for seat, row in own.items() if seat} == {seat: row for seat, row in public.items() if seat}
    assert ("Money" in own[0]) == (rules.name == "tae")
    assert "Money" not in public[0]
    assert ("Score" in public[0]) == (rules.name == "taller_ants")


def test_the_score_of_tae_is_that_of_the_end_and_told_to_all_then():
    """The lowest of the four kinds, with artifacts as jokers (R57, R58); before the end it is its seat's (R7)."""
    rules = tae.RULESET
    world = rules.setup(api.parse_options(rules.options, {}), 2, api.Dice.named(b"score"))
    world.players[1].scores, world.players[1].artifacts = [3, 1, 2, 2], 2
    assert rules.scores(world, 1)[1]["Score"] == 2
    assert "Score" not in rules.scores(world, 0)[1]
    assert "Score" not in rules.scores(world, None)[1]
    world.ended = "artifacts"
    assert rules.scores(world, 0)[1]["Score"] == rules.outcome(world).figures[1]["Score"] == 2
    assert next(iter(rules.scores(world, None)[1])) == "Score"
