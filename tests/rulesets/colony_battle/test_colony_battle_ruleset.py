"""Colony Battle beyond its vectors: options, views, reports, conformance.

Orders that wait are covered, too.
"""

from __future__ import annotations

import pytest

from tprules.api import Amount, OptionError, Refusal, Role, Ships, parse_options
from tprules.api.advance import advance, opening
from tprules.api.order_checks import State, apply, insertion, probe
from tprules.api.ruleset import find_order_type, find_phase
from tprules.colony_battle import RULESET, designs, movement, resources
from tprules.colony_battle.board import Layout
from tprules.colony_battle.world import ANTLION, QUEEN, SOLDIER, TERMITE
from tprules.kit.dijkstra import costs_to
from tprules.testing import check, view

SMALL = {
    "width": 13,
    "height": 9,
    "starts": "0:4,4 0:8,4",
    "entrance1": "0:6,4",
    "entrance2": "1:6,6",
    "throne": "2:6,4",
    "items": "0:3,4 0:9,4 0:4,6 0:8,2",
    "item_kinds": "2,2",
    "worms": "0:12,0 right 4",
    "spiders": "1:1,1",
    "dig_turns": "1,2,3",
    "max_rounds": 10,
}


def opened(**options):
    return opening(RULESET, parse_options(RULESET.options, options), 2, b"x").state


@pytest.mark.thorough
def test_colony_battle_conforms(colony_disguise):
    """It keeps every promise of the api on a small map, in other processes too."""
    summary = check(RULESET, games=2, options=SMALL, twins=8, disguise=colony_disguise)
    assert summary.moves_tried > 300
    assert summary.refusals > 200
    assert summary.answers_compared > 200
    assert not summary.notes


# Options.


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ("starts", {"width": 13}),
        ("starts", {"starts": "0:1,6 0:1,6"}),
        ("starts", {"starts": "0:1,6 1:15,6"}),
        ("starts", {"starts": "0:1,6"}),
        ("starts", {"starts": "0:8,6 0:15,6"}),
        ("starts", {"starts": "here there"}),
        ("entrance1", {"entrance1": "1:8,6"}),
        ("entrance2", {"entrance2": "1:8,6"}),
        ("entrance2", {"entrance2": "1:17,6"}),
        ("throne", {"throne": "2:8,11"}),
        ("throne", {"throne": "2:8"}),
        ("items", {"items": "0:8,6", "item_kinds": "1,0"}),
        ("items", {"items": "1:8,6", "item_kinds": "1,0"}),
        ("items", {"items": "3:8,6", "item_kinds": "1,0"}),
        ("items", {"items": " ".join(["0:2,2"] * 41)}),
        ("item_kinds", {"item_kinds": "4,3"}),
        ("worms", {"worms": "0:8,3 right 10"}),
        ("worms", {"worms": "0:12,6 right 10"}),
        ("worms", {"worms": "0:12,3 up 10"}),
        ("worms", {"worms": "0:12,3 right 33"}),
        ("worms", {"worms": "0:12,3 right 1"}),
        ("worms", {"worms": "0:12,3 right 3 " * 7}),
        ("worms", {"worms": "0:12,3 right 3 0:11,3 left 3"}),
        ("worm_length", {"worm_length": 1}),
        ("spiders", {"spiders": "1:8,6"}),
        ("spiders", {"spiders": "2:1,1 2:1,1"}),
        ("spiders", {"spiders": "0:1,6"}),
        ("spider_relocate", {"spider_relocate": 15}),
        ("spider_relocate", {"adjacency": 8}),
        ("adjacency", {"adjacency": 6}),
        ("width", {"width": 12}),
        ("height", {"height": 65}),
        ("dig_turns", {"dig_turns": "3,5"}),
        ("caps", {"caps": "10,5,2,51"}),
        ("first_player", {"first_player": "2"}),
        ("max_rounds", {"max_rounds": 9}),
    ],
)
def test_bad_options_are_refused_by_name(option, options):
    """No half-built game: the option at fault is named."""
    with pytest.raises(OptionError) as refused:
        opened(**options)
    assert refused.value.option == option


def test_only_two_can_play():
    with pytest.raises(OptionError):
        opening(RULESET, parse_options(RULESET.options, {}), 3, b"x")


def test_the_default_opening():
    """Boards, queens, items, worms and spiders as on the page. The kinds and the first mover come from the dice."""
    world = opened().world
    name = world.layout.name
    assert [name(world.queen(seat).square) for seat in range(2)] == ["0:1,6", "0:15,6"]
    assert [name(square) for square in world.layout.sites] == ["0:8,6", "1:8,11", "2:8,1"]
    assert [name(square) for square in world.layout.landings] == ["1:8,6", "2:8,11"]
    assert world.left == [3, 5, 10]
    assert sorted(item.kind for item in world.items.values()) == [ANTLION] * 4 + [TERMITE] * 4
    bodies = [[name(square) for square in worm.squares] for worm in world.worms.values()]
    assert [(body[0], body[-1], len(body)) for body in bodies] == [("0:12,3", "0:3,3", 10), ("1:4,8", "1:13,8", 10)]
    assert [name(spider.square) for spider in world.spiders.values()] == ["1:8,1", "2:8,6"]
    openings = [opening(RULESET, parse_options(RULESET.options, {}), 2, bytes([n])).state.world for n in range(20)]
    assert {world.first for world in openings} == {0, 1}
    assert len({tuple(item.kind for item in world.items.values()) for world in openings}) > 10
    assert opened(first_player=1).world.seat == 1
    assert opened(worms="(0:12,3 right 4); (1:4,8 left)", worm_length=7).world.worms.keys() == {
        oid for oid, worm in opened(worms="0:12,3 right 4 1:4,8 left", worm_length=7).world.worms.items() if worm
    }


def test_from_every_square_of_the_default_boards_some_square_is_ten_away():
    """R2: so that a spider can always move on (R69)."""
    layout = Layout(17, 13, False, (0, 0, 0))
    for square in range(layout.area):
        assert max(layout.distance(square, other) for other in range(layout.area)) >= 14


# What clients see.


def test_the_object_tree():
    """Universe, boards, squares with their ground, sites, homes, and fleets on their squares."""
    state = opened()
    seen = view(RULESET, state.world, 0)
    assert seen == view(RULESET, state.world, 1) == view(RULESET, state.world, None)
    assert seen[0].numbers == (1,)
    assert [seen[oid].name for oid in (1, 2, 3)] == ["The Surface", "The Tunnels", "The Throne Level"]
    names = {shown.name: oid for oid, shown in seen.items()}
    assert sum(RULESET.kinds[shown.kind].role is Role.STAR_SYSTEM for shown in seen.values()) == 3 * 17 * 13 + 2
    queen = next(shown for shown in seen.values() if shown.kind == "queen" and shown.owner == 0)
    assert seen[queen.parent].name == "0:1,6"
    assert Amount(resources.HIT_POINTS, 10) in queen.resources
    assert Amount(resources.ALIVE[SOLDIER], 0, 0, 5) in queen.resources
    assert seen[names["Entrance 0:8,6"]].resources == (Amount(resources.EXCAVATION, 3),)
    assert seen[names["Burrow Throne 2:8,1"]].numbers == (2,)
    home = seen[names["{player 0}'s Colony"]]
    assert (home.owner, home.resources[0]) == (0, Amount(resources.HOME_PLANET, 1))
    assert seen[names["Ground 1:8,1"]].resources == (Amount(resources.WEBS, 1),)
    assert all(shown.ships for shown in seen.values() if RULESET.kinds[shown.kind].role is Role.FLEET)
    places = [shown.at for shown in seen.values() if shown.kind == "square"]
    assert len(set(places)) == len(places)
    assert len({place[:2] for place in places}) == len(places), "old clients look straight down"


def test_a_site_shows_what_is_done_and_that_it_is_open(position):
    game = position("S(e1)=1 W0@0:7,6")
    site = game.world.site_object(0)
    assert RULESET.show(game.world, site, "public").resources == (Amount(resources.EXCAVATION, 1, 2),)
    game.round_end()
    assert RULESET.show(game.world, site, "public").resources == (
        Amount(resources.EXCAVATION, 0, 3),
        Amount(resources.OPEN, 1),
    )


def test_trails_webs_items_and_wounds_show(position):
    """The resource view: trails by colour, webs, hit points, kills left, carried items, caught units."""
    game = position("D0@0:2,2 D1@0:2,4 A1@1:1,1 k=2 W0@0:9,9 +I S1@0:6,6 hp=1 spider@1:8,3 r=2")
    game.play(0, "D0 move 3,2").play(1, "D1 move 3,4")
    world = game.world

    def shown(oid):
        return RULESET.show(world, oid, "public")

    assert shown(game.system("2,2") + 1).resources == (Amount(resources.RED_TRAIL, 1),)
    assert shown(game.system("2,4") + 1).resources == (Amount(resources.BLUE_TRAIL, 1),)
    assert shown(game.system("1:8,1") + 1).resources == (Amount(resources.WEBS, 1),)
    assert shown(game.names["spider"]).resources == (Amount(resources.WEBS, 2, 0, 4),)
    assert shown(game.names["A1"]).resources == (Amount(resources.KILLS, 2),)
    assert Amount(resources.CARRIED, 1) in shown(game.names["W0"]).resources
    assert shown(game.names["S1"]).resources[0] == Amount(resources.HIT_POINTS, 1, 2)
    assert shown(game.names["S1"]).damage == 2
    assert Amount(resources.CAUGHT, 1) not in shown(game.names["S1"]).resources
    game.unit("S1").caught = True
    assert Amount(resources.CAUGHT, 1) in shown(game.names["S1"]).resources
    assert shown(game.names["item"]).parent == game.system("9,9")


def test_the_turns_of_a_brood_show_while_there_are_any(position):
    """Resource 11: how many turns are left, but not the kind; absent at 0."""

    def brood(game):
        shown = RULESET.show(game.world, game.names["Q0"], "public")
        return [row for row in shown.resources if row.resource == resources.BROOD]

    game = position("Q0@0:1,6")
    assert brood(game) == []
    game.play(0, "Q0 spawn young")
    assert brood(game) == [Amount(resources.BROOD, 2)]
    assert brood(position("Q0@0:1,6").play(0, "Q0 spawn drone")) == [Amount(resources.BROOD, 1)]
    assert brood(game.play(0).play(0)) == []


def test_items_show_their_kind_from_the_beginning_if_they_are_not_hidden(position):
    game = position("antlion@0:5,5", items_hidden=False)
    assert RULESET.show(game.world, game.names["item"], "public").ships == (Ships(designs.design(ANTLION)),)


def test_an_item_in_hand_is_at_home(position):
    game = position("Q0@0:1,6").give(TERMITE, 0)
    shown = RULESET.show(game.world, game.names["item"], "public")
    assert (shown.parent, shown.owner) == (game.world.colonies[0].home + 1, 0)
    queen = RULESET.show(game.world, game.names["Q0"], "public")
    assert Amount(resources.IN_HAND, 1) in queen.resources


def test_the_title_says_whose_turn_it_is(position):
    game = position("")
    assert find_phase(RULESET, "main").title(game.world) == "Round 1: {player 0} moves"
    game.give(ANTLION, 0)
    assert find_phase(RULESET, "place").title(game.world) == "Round 1: {player 0} places an item"


# Orders.


def test_the_brood_can_be_ordered_at_home_too(position):
    """The home planet takes the orders for brood and hand."""
    game = position("Q0@0:1,6")
    home = game.world.colonies[0].home + 1
    apply(game.state, insertion(RULESET, game.state, 0, home, "Spawn", {"kind": [[2, 1]], "where": 0}))
    assert game.close().stands("S0@0:1,7")
    game = position("Q0@0:1,6").give(ANTLION, 0)
    args = {"item": [[game.names["item"], 1]], "where": game.system("5,5")}
    apply(game.state, insertion(RULESET, game.state, 0, game.world.colonies[0].home + 1, "PlaceItem", args))
    assert game.close().stands("A0@0:5,5")


def test_a_spawned_unit_goes_where_it_is_wanted(position):
    assert position("Q0@0:1,6").play(0, "Q0 spawn worker 0:0,6").stands("W0@0:0,6")
    assert position("Q0@0:1,6").play(0, "Q0 spawn worker 0:9,9").stands("W0@0:1,7")


def test_taking_the_order_away_ends_the_brood(position):
    """And whatever else is done to the queue does not."""
    game = position("Q0@0:1,6").play(0, "Q0 spawn young")
    game.changed(0)
    game.cancel("Q0")
    game.play(0, "Q0 move 2,6")
    assert game.stands("Q0@0:2,6")
    assert game.world.colonies[0].brood_left == 0
    game = position("Q0@0:1,6").play(0, "Q0 spawn young")
    game.changed(0)
    args = {"destination": game.system("2,6")}
    apply(game.state, insertion(RULESET, game.state, 0, game.names["Q0"], "Move", args, 0))
    game.close()
    assert game.stands("Q0@0:1,6")
    assert game.play(0).stands("Y0@0:1,7 Q0@0:1,6")


def test_several_moves_are_waypoints(position):
    """They share the steps of one turn; an order behind them waits for the last one."""
    game = position("W0@0:2,2 S1@0:4,4").play(0, "W0 move 2,3; W0 move 3,3; W0 move 3,4; W0 attack S1")
    assert game.gone("W0")
    assert game.stands("S1@0:4,4 hp=2")
    game = position("W0@0:2,2").play(0, "W0 move 2,4; W0 move 2,2")
    assert game.stands("W0@0:2,3")
    assert game.queue("W0") == ["Move"]


def test_many_moves_without_a_way_take_one_search(position, monkeypatch):
    """Each of them fails anyway, and the one behind them that has a way is carried out."""
    searches = []
    monkeypatch.setattr(movement, "costs_to", lambda *given: searches.append(given) or costs_to(*given))
    nowhere = "; ".join(f"W0 move 2:{x},5" for x in range(12))
    game = position("W0@0:2,2").play(0, f"{nowhere}; W0 move 3,3; W0 move 2:1,1; W0 move 3,4")
    assert game.told(0).count("Order failed") == 13
    assert game.stands("W0@0:3,4")
    assert game.queue("W0") == []
    assert len(searches) == 4


def test_waiting_counts_turns(position):
    """A unit that waits does what is behind only in the turn after."""
    game = position("W0@0:2,2").play(0, "W0 wait 2; W0 move 2,3")
    assert game.queue("W0") == ["NoOp", "Move"]
    game.play(0)
    assert game.queue("W0") == ["Move"]
    assert game.play(0).stands("W0@0:2,3")


def test_dropping_and_delivering(position):
    """A dropped item lies where the worker is; with nothing to drop the order fails."""
    game = position("W0@0:5,5 +I").play(0, "W0 drop; W0 drop")
    assert game.world.items[game.names["item"]].square == game.square("5,5")
    game.play(0)
    assert "Order failed" in game.told(0)


def test_an_order_on_what_is_gone_is_refused_as_gone(position):
    game = position("W0@0:5,5 S1@0:6,5").play(0, "W0 attack S1")
    assert game.gone("W0")
    game.changed(0)
    assert game.refused("W0 move 3,3") == 6


def test_refusals_of_places_and_targets(position):
    """Arguments that are no square, no item or no unit; the own square; the own units."""
    game = position("Q0@0:1,6 W0@0:5,5 Y0@0:7,7 A1@0:9,9 antlion@0:3,3 spider@0:12,12 r=0 worm@0:8,3-6,3 right")
    game.changed(0)
    worm = game.names["worm"]
    assert game.refused("W0 move 5,5") == 2
    assert game.refused("W0 move Q0") == 1
    assert game.refused("W0 pickup Q0") == 1
    assert game.refused("W0 pickup 99999") == 4
    assert game.refused("W0 attack Y0") == 2
    assert game.refused("W0 attack A1") == 2
    assert game.refused("W0 attack item") == 1
    assert game.refused(f"W0 attack {worm}") == 1
    assert game.refused("Y0 convert W0") == 2
    assert game.refused("Y0 convert spider") == 1
    assert game.refused("W0 wait 51") == 1
    assert game.refused("Q0 place antlion 5,5") == 3
    assert game.order("W0 move e1")
    ground = {"destination": game.system("6,6") + 1}
    assert insertion(RULESET, game.state, 0, game.names["W0"], "Move", ground)
    game.give(TERMITE, 0)
    assert game.refused("Q0 place termite 5,6") == 2
    game.changed(1, placing=False)
    assert game.refused("Q0 place termite 1,5") == 3


def test_after_the_end_nothing_is_taken(position):
    game = position("Q0@2:8,2 S(th)=0").play(0, "Q0 move th")
    assert game.state.over
    assert game.refused("Q0 spawn worker") == 2
    assert not list(RULESET.legal_orders(game.state.plan(0)))


def test_the_last_round_ends_in_a_draw(position):
    game = position("", max_rounds=10)
    game.world.round = 10
    game.round_end()
    assert game.done.outcome.why == "rounds"
    assert game.done.outcome.winners() == [0, 1]
    assert game.told()[-1] == "Game over"


def test_a_draft_of_the_waiting_player_survives_the_others_turn(position):
    """It is dropped when the phase closes in which it would have run."""
    game = position("Q0@0:1,6 Q1@0:9,9")
    game.changed(0, 0)
    draft = insertion(RULESET, game.state, 1, game.names["Q1"], "Spawn", {"kind": [], "where": 0})
    assert draft.order.draft
    apply(game.state, draft)
    game.close()
    assert game.queue("Q1") == ["Spawn"]
    game.close()
    assert game.queue("Q1") == []
    assert "Draft dropped" in game.told(1)


def test_the_turns_of_a_brood_are_told(position):
    game = position("Q0@0:1,6")
    order = probe(RULESET, game.state, 0, game.names["Q0"], "Spawn", {"kind": [[4, 1]], "where": 0})
    kind = find_order_type(RULESET, "Spawn")
    assert kind.turns(game.world, order) == 3
    game.play(0, "Q0 spawn young")
    assert kind.turns(game.world, order) == 2


# Options that change rules.


def test_eight_neighbours(position):
    """Diagonal steps, fights and spawns; distances are those of a king."""
    game = position("Q0@0:1,6 W0@0:5,5 S1@0:9,9", adjacency=8, spider_relocate=8)
    game.play(0, "W0 move 8,8; W0 attack S1")
    assert game.gone("W0")
    assert game.stands("S1@0:9,9 hp=2")
    blocked = "Q0@0:1,6 W1a@0:1,7 W1b@0:2,6 W1c@0:1,5 W1d@0:0,6"
    game = position(blocked, adjacency=8, spider_relocate=8).play(0, "Q0 spawn worker")
    assert game.stands("W0@0:2,7")


def test_trails_fade(position):
    game = position("D0@0:2,2", trail_life=2).play(0, "D0 move 5,2")
    assert game.round_end().trail(0) == ["0:2,2", "0:3,2", "0:4,2"]
    assert game.round_end().trail(0) == []


def test_abandoned_webs_persist(position):
    game = position("spider@0:8,3 r=6 W1@0:8,12", web_persists=True).round_end()
    assert game.world.in_web(game.square("8,3"))
    game.play(1, "W1 move 8,9").play(1)
    assert game.stands("W1@0:8,9")
    assert game.unit("W1").caught


def test_units_are_let_go_when_a_spider_leaves(position):
    """The queen was caught; with the web gone she is free."""
    game = position("spider@0:8,3 r=6 Q1@0:8,5")
    game.unit("Q1").caught = True
    game.round_end()
    assert not game.unit("Q1").caught


def test_a_termite_bomb_beside_the_other_queen(position):
    game = position("Q0@0:1,6 Q1@0:9,9").give(TERMITE, 0)
    assert game.refused("Q0 place termite 9,8") == 2
    game = position("Q0@0:1,6 Q1@0:9,9", termite_any_queen=True).give(TERMITE, 0)
    game.order("Q0 place termite 9,8")
    assert game.close().stands("T0@0:9,8")


def test_several_items_are_placed_in_one_phase(position):
    """Those without an order go to their defaults; an antlion never to a shaft."""
    game = position("Q0@1:8,6 S(e1)=0 W0a@1:8,7 W0b@1:9,6 W0c@1:8,5").give(TERMITE, 0)
    game.give(ANTLION, 0)
    game.close()
    assert game.stands("T0@1:7,6")
    assert [game.world.items[oid].kind for oid in game.world.hand(0)] == [ANTLION]
    assert (game.state.phase, game.world.seat) == ("main", 1)


def test_who_finishes_without_placing_is_told(position):
    """The report has the default action, and its items."""
    game = position("Q0@0:1,6").give(TERMITE, 0)
    told = "What you do not place yourself is put beside your queen: Termite Bomb."
    assert [RULESET.end_turn_hint(game.state.plan(seat)) for seat in (0, 1)] == [told, ""]
    game.order("Q0 place termite 1,7")
    assert RULESET.end_turn_hint(game.state.plan(0)) == ""
    game.changed(0)
    assert RULESET.end_turn_hint(game.state.plan(0)) == ""


def test_two_orders_for_one_square(position):
    """The second one fails, and its item goes to its default."""
    game = position("Q0@0:1,6").give(ANTLION, 0)
    first = game.names["item"]
    game.give(ANTLION, 0)
    for item in (first, game.names["item"]):
        args = {"item": [[item, 1]], "where": game.system("5,5")}
        apply(game.state, insertion(RULESET, game.state, 0, game.names["Q0"], "PlaceItem", args))
    game.close()
    assert game.stands("A0@0:5,5 A0@0:1,7")
    assert "Order failed" in game.told(0)


# Rules without a vector of their own.


def test_a_converted_carrier_keeps_its_item(position):
    """R25, R47: it does not drop; its new queen gets it in the next turn of her colony."""
    game = position("Q1@0:5,8 Y1@0:5,6 W0@0:5,5 +I").play(1, "Y1 convert W0")
    assert game.stands("W1@0:5,5 +I")
    game.names["W1"] = game.world.occupied[game.square("5,5")]
    game.play(1, "W1 move 5,7")
    assert game.world.hand(1) == [game.names["item"]]
    assert (game.state.phase, game.world.seat) == ("place", 1)


def test_who_is_spawned_near_an_antlion_or_a_spider_dies(position):
    """R34: an arrival as any other, but a web does not catch a unit that is spawned on it."""
    game = position("Q0@0:1,6 A1@0:4,7").play(0, "Q0 spawn worker")
    assert game.at("0:1,7") == ""
    assert game.stands("A1@0:4,7 k=2")
    assert [told for told in game.told(0) if told.startswith("Unit")] == ["Unit spawned", "Unit lost"]
    game = position("Q0@0:1,6 spider@0:2,7 r=0").play(0, "Q0 spawn worker")
    assert game.at("0:1,7") == ""
    game = position("Q0@0:1,6 spider@0:5,6 r=4").play(0, "Q0 spawn worker 2,6")
    assert game.stands("W0@0:2,6")
    assert not game.world.units[game.world.occupied[game.square("2,6")]].caught


def test_item_units_are_no_ants(position):
    """R19, R37, R41: no step more for a trail, and no antlion strikes them; they attack."""
    game = position("T0@0:2,2 A1@0:5,4 S1@0:5,3")
    game.world.colonies[0].trail = {game.square("2,2"): 0, game.square("3,2"): 0}
    game.play(0, "T0 move 5,2")
    assert game.stands("T0@0:4,2 A1@0:5,4 k=3")
    game.play(0, "T0 attack S1")
    assert game.gone("T0", "S1")
    assert game.stands("A1@0:5,4 k=3")


def test_queens_and_drones_use_trails(position):
    """R19, R31: one step more on a trail of the same colony, except on the drone's new one."""
    game = position("Q0@0:2,2 D0@0:2,4")
    game.world.colonies[0].trail = {game.square("2,2"): 0}
    game.play(0, "Q0 move 5,2; D0 move 9,4")
    assert game.stands("Q0@0:4,2 D0@0:5,4")
    assert game.trail(0) == ["0:2,2", "0:2,4", "0:3,4", "0:4,4"]
    assert game.play(0).stands("D0@0:8,4")


def test_a_travelling_spider_draws_anew_when_its_goal_is_taken(position):
    """R69: among the squares far enough from the old centre; a travelling spider lures nobody."""
    game = position("spider@0:8,3 r=6 W1@2:3,3").round_end()
    goal = game.spider.goal
    assert not game.spider.weaves
    game.unit("W1").square = goal
    game.round_end()
    assert game.spider.goal != goal
    aim = game.spider.centre if game.spider.weaves else game.spider.goal
    assert game.world.layout.distance(game.square("8,3"), aim) >= 10


def test_blocked_units_do_not_use_the_moves_of_a_turn(position):
    """R57: three that cannot go leave the three moves to others."""
    walls = "S1a@0:0,1 S1b@0:1,0 S1c@0:1,2 S1d@0:2,1 S1e@0:0,3"
    game = position(f"W0a@0:0,0 W0b@0:1,1 W0c@0:0,2 W0d@0:9,9 W0e@0:11,9 W0f@0:13,9 W0g@0:15,9 {walls}")
    game.play(
        0,
        "; ".join(f"W0{mark} move 5,{y}" for y, mark in enumerate("abc", 1))
        + "; W0d move 9,8; W0e move 11,8; W0f move 13,8; W0g move 15,8",
    )
    assert game.stands("W0d@0:9,8 W0e@0:11,8 W0f@0:13,8 W0g@0:15,9")
    assert game.told(0).count("Order failed") == 3


# Creatures.


def test_a_worm_that_cannot_go_on_turns_round_in_place(position):
    game = position("worma@0:16,1-14,1 right wormb@0:16,2-14,2 left wormc@0:16,0-14,0 left")
    game.round_end()
    assert game.worm("worma") == (["14,1", "15,1", "16,1"], "left")


def test_eating_the_ends_of_a_worm_only_shortens_it(position):
    game = position("worm@0:8,3-6,3 right W0a@0:8,4 W0b@0:6,4 W0c@0:7,4")
    game.play(0, "W0a attack segment:8,3; W0b attack segment:6,3")
    assert game.worm() == (["7,3"], "right")
    assert game.stands("W0a@0:8,4 hp=1")
    assert "Worm split" not in game.told()
    game.play(0, "W0c attack segment:7,3")
    assert game.world.worms == {}


def test_the_rear_of_a_bent_worm_turns_against_the_front(position):
    """Without a row of its own to face along, it faces away from the front part (R64)."""
    game = position("worm@0:16,3-14,3 right S0@0:16,2").round_end()
    game.play(0, "S0 attack segment:16,3")
    (other,) = set(game.world.worms) - {game.names["worm"]}
    assert game.worm() == (["16,4"], "left")
    assert game.body(game.world.worms[other]) == (["15,3"], "right")


def test_a_spider_goes_from_one_caught_unit_to_the_next(position):
    """As far as its steps lead; the nearest first."""
    game = position("spider@0:8,6 r=4 W1a@0:8,9 W1b@0:8,3 W1c@0:5,6", entrance1="0:1,1")
    for name in ("W1a", "W1b"):
        game.unit(name).caught = True
    game.play(0)
    assert game.gone("W1a", "W1b")
    assert game.stands("W1c@0:5,6")
    assert game.spider_at() == "0:8,4"
    game = position("spider@0:8,6 r=4 W1a@0:8,9 W1b@0:8,3", entrance1="0:1,1", spider_speed=5)
    for name in ("W1a", "W1b"):
        game.unit(name).caught = True
    game.play(0)
    assert game.stands("W1b@0:8,3")
    assert game.spider_at() == "0:8,5"


def test_a_spider_bites_a_queen_once_in_a_players_turn(position):
    """R72: the phase in which items are placed belongs to the same turn; the end of the round does not."""
    game = position("spider@0:8,3 r=2 Q0@0:5,3 W0@0:6,4 +I")
    game.world.items[game.names["item"]].kind = ANTLION
    game.play(0, "Q0 move 6,3")
    assert (game.state.phase, game.world.seat) == ("place", 0)
    assert game.stands("Q0@0:6,3 hp=5")
    game.order("Q0 place antlion 7,4")
    game.close()
    assert game.at("0:7,4") == "", "the spider has struck"
    assert game.stands("Q0@0:6,3 hp=5")
    assert game.round_end().stands("Q0@0:6,3 hp=3")
    assert game.round_end().stands("Q0@0:6,3 hp=2")


def test_a_spider_without_a_way_waits(position):
    game = position("spider@0:0,0 r=6 S1a@0:0,1 hp=1 S1b@0:1,0")
    for name in ("S1a", "S1b"):
        game.unit(name).kind = QUEEN  # whom a bite does not kill
    game.round_end()
    assert game.spider_at() == "0:0,0"
    assert not game.spider.weaves


def test_a_path_avoids_webs_and_antlions_and_prefers_trails(position):
    """Among equally short ways: fewest hazards, then most trail, then north first."""
    game = position("W0@0:2,2").play(0, "W0 move 3,3")
    assert game.stands("W0@0:3,3")
    game = position("S0@0:2,2 A1@0:2,5", antlion_range=2).play(0, "S0 move 3,3")
    assert game.stands("S0@0:3,3"), "the way east and north stays out of range"
    game = position("S0@0:2,2")
    game.world.colonies[0].trail = {game.square("3,2"): 0}
    assert game.play(0, "S0 move 4,3").stands("S0@0:4,3")


def test_dead_units_leave_no_orders(position):
    game = position("W0@0:5,5 W1@0:6,5")
    game.changed(1, 1)
    game.order("W0 move 2,2")
    game.order("W1 attack W0")
    game.close()
    assert game.state.queues == {}


def test_a_closed_turn_leaves_the_state_before_alone(position):
    game = position("Q0@0:1,6 W0@0:3,3")
    game.orders("Q0 spawn worker; W0 move 5,5")
    before = RULESET.dump(game.world)
    advance(RULESET, game.state, b"")
    assert RULESET.dump(game.world) == before
    assert isinstance(game.state, State)


def test_refusals_are_sentences(position):
    game = position("Q0@0:1,6")
    with pytest.raises(Refusal, match=r"the unit is at 0:1,6 already") as refused:
        game.order("Q0 move 1,6")
    assert refused.value.param == "destination"
