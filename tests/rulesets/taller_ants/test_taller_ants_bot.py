"""The bot of Taller-Ants: orders in positions, whole games, its knowledge.

It knows only what its seat sees.
"""

from __future__ import annotations

import pytest

from tests.rulesets.pairings import play_pairing
from tprules.api import Dice, parse_options
from tprules.api.advance import opening
from tprules.api.bots import bot_orders
from tprules.taller_ants import RULESET
from tprules.taller_ants.views import known
from tprules.testing import play
from tprules.testing.play import give_orders

NEST = "H@(6,8) D@(4,6)..(8,10)"
"""A nest with room enough."""


def ordered(game, name=None, seat=None):
    """Return what the bot orders, or what it orders one unit to do."""
    given = bot_orders(RULESET, game.state, game.world.active if seat is None else seat, Dice(b""))
    return [order for order in given if name is None or order.on == game.named[name]]


def types(game, name=None, seat=None):
    return [order.type for order in ordered(game, name, seat)]


def closed(game, *rolls):
    """Let the bot play its part of a turn, and close it; none of its orders may fail."""
    give_orders(RULESET, game.state, None, Dice(b""))
    game.close(*rolls)
    assert game.reasons == []
    return game.world


# Games.


@pytest.mark.parametrize(("seats", "setup"), [(2, "four_groups"), (2, "two_groups"), (3, "four_groups")])
def test_it_plays_to_the_end(seats, setup):
    """Hardly any order fails, and the game ends long before its last round."""
    played = play(RULESET, {"ant_setup": setup}, seats, 1, None)
    assert played.state.world.round < 30
    assert sum(report.subject == "Order Invalid" for report in played.reports) < 10


@pytest.mark.thorough
@pytest.mark.parametrize(
    "options",
    [{"store_per_square": 0}, {"store_per_square": 12, "food_goal": 150}, {"store_per_square": 3, "ants_goal": 70}],
)
def test_colonies_reach_other_goals_too(options):
    """They dig and breed for the goals of their game; the spider wants too much to win."""
    outcome = play(RULESET, {"web_goal_percent": 100, **options}, 2, 3, None).outcome
    assert (outcome.winners(), outcome.why) == ([1], "colony")


def test_it_leaves_alone_what_is_not_its_turn(position):
    """It gives nothing in the phases of others, and nothing to units that have orders."""
    game = position("S@(6,6) B5@(7,6)", 1)
    assert types(game, seat=0) == []
    game = position("S@(6,6) S@(6,8)")
    game.order("S1", "Wait")
    assert {order.on for order in ordered(game)} == {game.named["S2"]}


def test_a_colony_chooses_a_hole_beside_the_fungus():
    """A place that touches two squares of it, and not always the same one; no spider can come near such a place."""
    state = opening(RULESET, parse_options(RULESET.options, {}), 3, b"holes").state
    board = state.world.board
    for seat in (1, 2):
        chosen = set()
        for number in range(20):
            (order,) = bot_orders(RULESET, state, seat, Dice.named(b"holes", number))
            assert order.type == "Choose Hole"
            chosen.add(state.world.place_of(order.args["Square"]))
        fungus = {square for group in board.fungi for square in group}
        assert all(len(fungus.intersection(board.near[place])) >= 2 for place in chosen)
        assert len(chosen) > 2
        assert not any(board.spider_allowed(near) for place in chosen for near in board.near[place])
    assert bot_orders(RULESET, state, 0, Dice.named(b"holes")) == []


# Spiders.


@pytest.mark.parametrize(("ants", "size"), [(2, 1), (5, 2), (6, 1)])
def test_a_spider_cocoons_what_is_on_a_web(position, ants, size):
    """As many as can be, without an attack."""
    game = position(f"S@(6,6) B{ants}@(7,6) W@(7,6)")
    first = ordered(game)[0]
    assert (first.type, first.args["Size"]) == ("Cocoon", [[size, 1]])


@pytest.mark.parametrize("fungus", ["F@(6,6)", "F@(6,5)", "F@(6,4)"])
def test_a_spider_flees_from_fungus(position, fungus):
    """Before anything else, and far enough to live."""
    game = position(f"S@(6,6) {fungus}")
    assert types(game)[0] == "Move"
    world = closed(game)
    (square,) = next(iter(world.fungi.values())).squares
    assert world.board.distance(world.spiders()[0].place, square) >= 3


def test_a_well_fed_spider_lays_eggs(position):
    """And does nothing else in that phase; it feeds them with captives, and with spare ants."""
    assert types(position("S@(6,6){cocooned=10}")) == ["Lay Eggs"]
    assert "Lay Eggs" not in types(position("S@(6,6){cocooned=6}"))
    game = position("S@(6,6){cocooned=10,captives=1b} c10@(6,7)")
    fed = [(order.args["With"], order.args["Number"]) for order in ordered(game) if order.type == "Feed Egg"]
    assert fed == [([[1, 1]], 1), ([[2, 1]], 3)]


def test_a_spider_hunts_the_weakest_group_in_reach(position):
    """If it survives a defeat; it takes an ant, or kills when there are cocooned ants enough."""
    game = position("S@(1,1) R3@(4,1) B4@(1,4) B1@(13,13)")
    attack = ordered(game)[1]
    assert types(game)[:2] == ["Move", "Attack"]
    assert (attack.args["Target"], attack.args["Choice"]) == (game.named["B1"], [[2, 1]])
    game = position("S@(6,6){cocooned=20} B1@(7,6) S@(0,0) S@(0,1) S@(0,2)")
    assert ordered(game, "S1")[0].args["Choice"] == [[1, 1]]
    assert "Attack" in types(position("S@(6,6)5 B4@(7,6)"))
    assert "Attack" not in types(position("S@(6,6)5 B5@(7,6)"))


def test_a_spider_goes_to_ants_on_webs(position):
    """The largest group that it can reach and pay for; it does not only wait for what is beside it."""
    game = position("S@(1,1) B2@(1,4) B4@(6,1) W@(1,4) W@(6,1)")
    assert types(game)[:2] == ["Move", "Cocoon"]
    assert ordered(game)[1].args["Group"] == game.named["B2"]
    assert closed(game).spiders()[0].cocooned == 4


def test_a_spider_webs_where_ants_walk_first(position):
    """Between a hole and the fungus, rather than beside it on the other side."""
    game = position("H@(2,8) F@(12,8) S@(4,8)")
    squares = [game.world.place_of(order.args["Square"]) for order in ordered(game) if order.type == "Build Web"]
    assert {game.world.board.coordinates(square)[1] for square in squares[:6]} <= {7, 8, 9}


def test_a_spider_wraps_spins_and_heals(position):
    """With what is left of its phase, and of its hit points."""
    game = position("S@(6,6)6{captives=1b}")
    assert types(game) == ["Wrap", "Build Web", "Build Web", "Heal"]
    assert len(closed(game).webs) == 2
    game = position("S@(6,6) W@(5,5)..(7,7)")
    assert types(game)[:2] == ["Move", "Build Web"]


# Colonies.


def test_a_colony_uncovers_its_hole_first(position):
    """The nearest group above goes to the covered hole, and collects the web in the next phase.

    Groups without a way there attack a spider.
    """
    game = position(f"{NEST} W@(6,8) B5@(9,8) R5@(7,8)", 1)
    assert ordered(game, "R1")[0].args["Square"] == game.square(6, 8)
    assert types(position(f"{NEST} W@(6,8) B5@(6,8)", 1)) == ["Collect Web"]
    assert types(position(f"{NEST} W@(6,8) B5@(7,8) S@(6,8)", 1)) == ["Group Attack"]


def test_a_loaded_group_goes_home_and_out_again(position):
    """Food is dropped in the nest; the rest of the phase is for the way back."""
    game = position(f"{NEST} B5@(6,8){{food=22}} F@(6,1)(7,1)", 1)
    assert types(game) == ["Move", "Drop", "Move"]
    assert closed(game).stored(1) == 22


def test_food_is_not_dropped_on_the_way(position):
    """A group that is not home in one phase only walks, and thinks it over in the next."""
    game = position(f"{NEST} R5@(6,0){{food=25}} F@(6,1)(7,1)", 1)
    assert types(game) == ["Move"]
    closed(game)
    assert game.queue("R1") == []


def test_groups_dig_where_there_is_no_room(position):
    """From the middle of a small nest too: they go to where there is dirt, and drop what they carry there."""
    game = position("H@(6,8) D@(5,7)..(7,9) B6@(6,8)_{food=15} R6@(6,8)_{food=15}", 1)
    assert types(game, "B1")[:3] == ["Move", "Excavate", "Drop"]
    world = closed(game)
    assert len(world.dug) > 9 + 6
    assert world.stored(1) == 30


def test_groups_take_turns_at_a_small_patch(position):
    """It is good for one harvest a round: the other group waits beside it and does not walk away."""
    game = position(f"{NEST} B5@(8,12) B5@(9,12) F@(8,11)(9,11)", 1)
    assert (types(game, "B1"), types(game, "B2")) == (["Harvest"], [])


def test_groups_harvest_a_large_patch_side_by_side(position):
    """The second names a square that the first will most likely leave."""
    game = position(f"{NEST} B5@(8,12) B5@(11,12) F@(8,11)..(13,11)", 1)
    one, other = ordered(game)
    assert (one.type, other.type) == ("Harvest", "Harvest")
    assert one.args != other.args


@pytest.mark.parametrize(("spider", "leaves"), [("S@(3,5)", []), ("S@(7,4)", []), ("S@(8,8)", ["Move"])])
def test_nobody_leaves_the_nest_to_stop_before_a_spider(position, spider, leaves):
    """A group stays below that would be in the open, and near a spider, at the end of its phase; others are above."""
    text = f"H@(3,8) D@(1,6)..(5,10) B5@(9,9) F@(9,8)(10,8) R5@(3,8)_[2] {spider}"
    assert types(position(f"{text} B5@(10,9)", 1), "R1") == leaves
    assert types(position(text, 1), "R1") == ["Move"]


def test_a_queen_eats_for_her_eggs_only(position):
    """As much as she needs to lay, where it is, and nothing once the colony is large."""
    fed, laid = ordered(position("Q@(6,8)_2 f5@(6,8)_", 1))
    assert (fed.args["Number"], laid.args["Black"]) == (4, 5)
    assert types(position("Q@(6,8)_1 f5@(6,10)_ D@(6,8)..(6,10)", 1)) == ["Move", "Feed Queen", "Lay"]
    assert types(position("Q@(6,8)_2 f5@(6,8)_" + " B6@(6,8)_" * 9, 1), "Q1") == []


def test_groups_of_one_colour_join(position):
    """If all have room in one of them."""
    game = position(f"{NEST} B2@(3,3) B4@(3,3) B1@(3,3) R1@(3,3)", 1)
    (joining,) = ordered(game)
    assert (joining.on, joining.args) == (game.named["B2"], {"Group": game.named["B1"], "Number": 4})


@pytest.mark.parametrize(("fungus", "given"), [("F@(7,7)", []), ("F@(9,9)", ["Ward"])])
def test_a_ward_keeps_the_exit_open(position, fungus, given):
    """A group makes one beside the hole when a spider could come near enough to cover it, and not before."""
    game = position(f"H@(6,6) D@(4,5)..(8,8) B5@(6,7)[0]{{food=3}} {fungus} S@(0,0)", 1)
    assert types(game, "B1") == given
    world = closed(game)
    assert len(world.wards) == len(given)
    assert all(ward in world.board.near[world.colony(1).hole] for ward in world.wards)


@pytest.mark.parametrize(("clutch", "taken"), [("(9,9)", 5), ("(13,13)", 0)])
def test_eggs_of_spiders_near_the_hole_are_fetched(position, clutch, taken):
    """They are food, and no spider hatches from them; what lies far away is not worth the way."""
    game = position(f"H@(6,6) D@(4,5)..(8,8) B5@(6,6)_ c10@{clutch} S@(0,0)", 1)
    assert ("Pick Up" in types(game, "B1")) == bool(taken)
    world = closed(game)
    assert sum(one.eggs for one in world.clutches()) == 10 - taken


# Games against others: 200 of each are measured by hand (RULES.md, section 11).


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("players", "games", "least", "most"),
    [
        (("bot", "bot"), 24, (5, 6), (18, 19)),
        (("sealing", "bot"), 16, (0, 7), (9, 16)),
        (("bot", "bot", "bot"), 24, (2, 2, 2), (18, 18, 18)),
    ],
)
def test_no_role_is_hopeless(players, games, least, most):
    """Each role wins some games between these bots, and a spider that webs the only hole first not more than half."""
    row = play_pairing("taller_ants", players, range(1, games + 1))
    assert all(low <= won <= high for low, won, high in zip(least, row.won, most, strict=True)), row.line()


# What a seat knows.


def test_only_totals_are_known_of_a_hidden_nest(position):
    """They stand below the hole; behaviour and what is not shown are never known."""
    text = f"{NEST} B5@(5,7)_{{food=3}} R3@(8,8)_ B2@(3,3){{stance=fight}} Q@(8,8)_ f4@(4,6)_ S@(13,0){{reaction=take}}"
    game = position(text, underground="own")
    spiders = known(game.world, 0)
    assert (spiders.ants(1), spiders.stored(1), spiders.queen(1)) == (10, 4, None)
    hole = game.place(6, 8, below=True)
    assert [(group.place, group.ants, group.stance) for group in spiders.groups(1)] == [
        (game.place(3, 3), 2, 1),
        (hole, 5, 1),
        (hole, 3, 1),
    ]
    assert spiders.dug == {hole: 1}
    ants = known(game.world, 1)
    assert (ants.own(1), ants.dug, ants.spiders()[0].reaction) == (game.world.own(1), game.world.dug, 1)
