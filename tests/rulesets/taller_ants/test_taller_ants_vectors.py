"""Taller-Ants' numbered test vectors, one test for each number.

The vectors are in `RULES.md` in the game's folder, and `position.py` explains the notation. Reasons are those of `Order
Invalid`. Dice are named in the order of drawing, and every vector must draw exactly the dice that it names.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tprules import taller_ants
from tprules.api import Order, Refusal, parse_options
from tprules.api.advance import advance, opening
from tprules.api.order_checks import apply, insertion, removal, replayed_insertion
from tprules.api.ruleset import find_phase
from tprules.taller_ants import RULESET
from tprules.taller_ants.board import Board
from tprules.taller_ants.rounds import grow
from tprules.taller_ants.world import BLACK, RED, Group, Queen, Spider
from tprules.testing import view

PAGE = (Path(taller_ants.__file__).parent / "RULES.md").read_text(encoding="utf-8")

N, NE, E, SE, S, SW, W, NW = range(8)
KILL, TAKE = 1, 2
CAPTIVE, COCOONED, EGGS, FED = 1, 2, 3, 4
FOOD, WEB_POINTS = 1, 4
SMALL, LARGE = 1, 2
BODY, WEB_POINT = 1, 2


def test_every_vector_of_the_page_has_a_test_of_its_name():
    """As many vectors as tests: none is left out."""
    numbers = [int(number) for number in re.findall(r"^\| T(\d+) \|", PAGE, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers
    tested = [int(name.split("_")[1][1:]) for name in globals() if re.match(r"test_t\d+_", name)]
    assert sorted(tested) == numbers


# Setup.


def _set_up(seats=2, orders=(), **options):
    """Return what closing the setup gives; orders are (seat, name, (x, y))."""
    state = opening(RULESET, parse_options(RULESET.options, options), seats, b"setup").state
    for seat, name, (x, y) in orders:
        home = state.world.home(seat) + 1
        # As if it had been accepted: bad choices are refused.
        order = Order(seat, home, name, {"Square": state.world.system(state.world.board.at(x, y))})
        apply(state, replayed_insertion(state, order, 0))
    return advance(RULESET, state, b"setup")


def _dug(world, seat):
    return [world.board.coordinates(place) for place in sorted(world.dug) if world.dug[place] == seat]


def _groups(world, seat):
    return [("BR"[group.colour], group.ants, group.food) for group in world.groups(seat)]


def test_t1_setup_with_no_orders():
    """R1, R2, R36, R76."""
    world = _set_up().state.world
    (spider,) = world.spiders()
    assert world.board.coordinates(spider.place) == (10, 3)
    assert (spider.hp, spider.cocooned) == (20, 10)
    brood = RULESET.show(world, world.home(0) + 1, "public")
    assert (8, 10, 10, 0) in brood.resources
    assert world.board.coordinates(world.colony(1).hole) == (11, 11)
    assert _dug(world, 1) == [(x, y) for y in range(10, 14) for x in range(9, 14)]
    below = world.board.other_side(world.colony(1).hole)
    assert _groups(world, 1) == [("B", 5, 0), ("B", 5, 0), ("R", 5, 0), ("R", 5, 0)]
    assert {unit.place for unit in world.own(1)} == {below}
    assert world.queen(1).hp == 10
    assert {world.board.coordinates(place): food for place, food in world.food.items()} == {
        **{(x, 10): 5 for x in range(9, 14)},
        (9, 11): 5,
    }
    assert all(world.board.below(place) for place in world.food)


def test_t2_setup_of_two_groups():
    """R35."""
    world = _set_up(ant_setup="two_groups").state.world
    assert _dug(world, 1) == [(x, y) for y in range(10, 13) for x in range(10, 13)]
    assert _groups(world, 1) == [("B", 6, 15), ("R", 6, 15)]
    assert world.stored(1) == 0


def test_t3_bad_choices_in_setup():
    """R36, R1, R76: the wrong half, and two squares from fungus."""
    state = opening(RULESET, parse_options(RULESET.options, {}), 2, b"setup").state
    for seat, name, (x, y), why in (
        (1, "Choose Hole", (0, 3), "in your own half"),
        (0, "Place Spider", (3, 3), "three squares or more from all fungus"),
    ):
        square = state.world.system(state.world.board.at(x, y))
        with pytest.raises(Refusal, match=why) as refused:
            insertion(RULESET, state, seat, state.world.home(seat) + 1, name, {"Square": square})
        assert (refused.value.reason, refused.value.param) == ("Illegal", "Square")
    done = _set_up(orders=[(1, "Choose Hole", (0, 3)), (0, "Place Spider", (3, 3))])
    world = done.state.world
    assert world.board.coordinates(world.colony(1).hole) == (11, 11)
    assert world.board.coordinates(world.spiders()[0].place) == (10, 3)
    invalid = [(report.to, report.body) for report in done.reports if report.subject == "Order Invalid"]
    assert [to for to, _ in invalid] == [1, 0]
    assert "(bad hole)" in invalid[0][1]
    assert "(bad start)" in invalid[1][1]


def test_t84_default_places():
    """R76: with places=middle; and with places=fungus on a map without room for 8 squares between spider and holes."""
    world = _set_up(seats=3, places="middle").state.world
    places = [world.spiders()[0].place, *(colony.hole for colony in world.colonies)]
    assert [world.board.coordinates(place) for place in places] == [(12, 6), (6, 12), (7, 1)]
    rows = ["........"] * 3 + ["....F..."] + ["........"] * 4
    world = _set_up(seats=3, map="text", map_text="/".join(rows)).state.world
    places = [world.spiders()[0].place, *(colony.hole for colony in world.colonies)]
    assert [world.board.coordinates(place) for place in places] == [(7, 2), (3, 4), (3, 2)]


# Goals.


@pytest.mark.parametrize(
    ("webs", "eaten", "wins"), [("W@(0,0)..(13,6)", 0, True), ("W@(0,0)..(12,6) W@(13,0)..(13,5)", 0, False)]
)
def test_t4_the_goal_of_the_spider(position, webs, eaten, wins):
    """R3, R74: 98 webs and 20 cocooned ants, on the spider and on the ground."""
    game = position(f"S@(5,5)10{{cocooned=19}} C1@(8,8) {webs}")
    game.close()
    assert game.state.over is wins
    assert (RULESET.outcome(game.world).winners() if wins else game.state.phase) == ([0] if wins else "ants")
    game = position("S@(5,5)10{cocooned=19} C1@(8,8) W@(0,0)..(13,6)")
    game.order("S1", "Eat", Captives=0, Cocooned=1)
    game.close()
    assert not game.state.over


def test_t5_the_last_spider_dies_in_an_ant_phase(position):
    """R4, R74: fed eggs do not save him."""
    game = position("S@(5,5)4 c0+3@(5,6) B6@(4,5)", 1)
    game.order("B1", "Group Attack", Target="S1")
    game.close(6, 1, 1)
    assert game.world.spiders_out
    assert RULESET.outcome(game.world).winners() == [1]
    assert game.subjects.count("Eliminated") == 1


def test_t57_a_colony_without_anything(position):
    """R73, R74."""
    game = position("B1@(4,5) S@(5,5)")
    game.order("S1", "Attack", Target="B1", Choice=KILL, Limit=0)
    game.close(1, 3, 3)
    assert game.world.colony(1).eliminated
    assert RULESET.outcome(game.world).winners() == [0]
    game = position("B1@(4,5) S@(5,5) 2:B1@(9,9)")
    game.order("S1", "Attack", Target="B1", Choice=KILL, Limit=0)
    game.close(1, 3, 3)
    assert game.world.colony(1).eliminated
    assert not game.state.over
    assert (game.state.phase, game.world.active) == ("ants", 2)


COLONY_58 = "D@(0,0)..(11,0) f5@(0,0)..(11,0)_ B6@(0,1) B6@(1,1) B6@(2,1) B6@(3,1) B6@(4,1) B6@(5,1) B6@(6,1)"


@pytest.mark.parametrize(
    ("ants", "winners", "scores"),
    [("B3@(7,1)", [1], (50, 75)), ("", [0, 1], (50, 50))],
)
def test_t58_the_round_limit(position, ants, winners, scores):
    """R75: 49 of 98 webs and 10 of 20 cocooned are worth 50; 60 food and 45 ants 75; equal scores are a draw."""
    colony = (
        f"{COLONY_58} {ants}"
        if ants
        else "D@(0,0)..(9,0) f5@(0,0)..(9,0)_ B6@(0,1) B6@(1,1) B6@(2,1) B6@(3,1) B1@(4,1)"
    )
    game = position(f"S@(5,9){{cocooned=10}} W@(0,5)..(13,7) W@(0,10)..(6,10) {colony}", 1)
    assert len(game.world.webs) == 49
    game.world.round = 60
    game.close()
    outcome = RULESET.outcome(game.world)
    assert tuple(outcome.figures[seat]["Score"] for seat in (0, 1)) == scores
    assert outcome.winners() == winners
    assert outcome.why == "rounds"


GROUPS_50 = " ".join(f"B6@({x},5)" for x in range(8)) + " B2@(8,5)"


def test_t60_both_goals_at_the_end_of_an_ant_phase(position):
    """R74: the active player's goal comes first."""
    stored = "D@(0,12)..(9,13) f5@(0,12)..(9,13)_"
    game = position(f"S@(0,0){{cocooned=20}} W@(0,0)..(13,4) W@(0,6)..(13,7) {GROUPS_50} {stored}", 1)
    assert len(game.world.webs) == 98
    game.close()
    assert RULESET.outcome(game.world).winners() == [1]


def test_t61_a_colony_that_is_shut_in(position):
    """R75, R64: ten complete rounds end the game; a group above in round 9 restarts the count."""
    for opened in (False, True):
        game = position("H@(6,12) W@(6,12) B4@(6,12)_ S@(0,0)")
        for _ in range(8):
            game.close()
            game.close()
        assert game.world.sealed == 8
        game.close()
        if opened:
            group = game["B1"]
            group.place = game.place(6, 11)
        game.close()
        if opened:
            assert game.world.sealed == 0
            group = game["B1"]
            group.place = game.place(6, 12, True)
            game.world.opened = False
            for _ in range(9):
                game.close()
                game.close()
            assert not game.state.over
        game.close()
        assert not game.state.over
        game.close()
        assert game.state.over
        assert RULESET.outcome(game.world).why == "sealed"


# Spiders.


def test_t6_eating(position):
    """R6, R78."""
    game = position("S@(5,5)17{captives=1b+1b,cocooned=5}")
    game.order("S1", "Eat", Captives=1, Cocooned=1)
    game.close()
    assert game.has("S@(5,5)20{captives=1,cocooned=4}")
    game = position("S@(5,5)10 C3@(5,5)")
    game.order("S1", "Eat", Captives=0, Cocooned=1)
    game.close()
    assert game.reasons == ["not carried"]
    assert game.has("S@(5,5)10")


def test_t7_what_a_dead_spider_leaves(position):
    """R7."""
    game = position("S@(9,1)4{cocooned=2,captives=1b} S@(0,13) B6@(8,1)", 1, meadow=True)
    game.order("B1", "Group Attack", Target="S1")
    game.close(6, 1, 1)
    assert game.food() == {(9, 1): 5, (9, 0): 5, (10, 0): 5, (10, 1): 5}
    assert game.has("C2@(9,1)")
    assert game.has("B1@(9,1)")
    assert len(game.world.spiders()) == 1


def test_t8_narrow_water(position):
    """R8, R68."""
    game = position("S@(3,5)[2]", meadow=True)
    game.order("S1", "Move", Square=game.square(3, 7))
    game.close()
    assert game.has("S@(4,6)[0]")
    game = position("S@(3,5)", meadow=True)
    game.order("S1", "Move", Square=game.square(3, 7))
    game.close()
    assert game.has("S@(3,7)[16]")
    for ticks, there in ((2, "S@(4,5)[0]"), (4, "S@(4,6)[0]"), (20, "S@(5,7)[14]")):
        game = position(f"S@(5,4)[{ticks}]", meadow=True)
        game.order("S1", "Move", Square=game.square(5, 7))
        game.close()
        assert game.has(there)


def test_t9_spiders_on_webs(position):
    """R11: the square that is left decides."""
    for ticks, there in ((1, "S@(3,3)[0]"), (2, "S@(4,3)[0]"), (20, "S@(5,3)[16]")):
        game = position(f"S@(2,3)[{ticks}] W@(2,3)..(3,3)")
        for x in (3, 4, 5):
            game.order("S1", "Move", Square=game.square(x, 3))
        game.close()
        assert game.has(there)


def _column(game, name):
    """Return how far to the east a unit is: of equally cheap ways the one that begins in the north-east is taken."""
    return game.world.board.coordinates(game[name].place)[0]


def test_t10_ants_on_webs(position):
    """R42, R11."""
    game = position("R3@(4,4) W@(0,0)..(9,9)", 1)
    game.order("R1", "Move", Square=game.square(7, 4))
    game.close()
    assert (_column(game, "R1"), game["R1"].ticks) == (6, 2)
    assert game.queue("R1") == ["Move"]
    game = position("R3@(4,4) W@(0,4)..(9,4)", 1)
    game.order("R1", "Move", Square=game.square(7, 4))
    game.close()
    assert game.has("R3@(7,4)[2]")
    assert game.queue("R1") == []


def test_t11_a_long_way(position):
    """R42: ten squares in this phase, two in the next."""
    game = position("B5@(0,4)", 1)
    game.order("B1", "Move", Square=game.square(12, 4))
    game.close()
    assert (_column(game, "B1"), game["B1"].ticks) == (10, 0)
    assert game.queue("B1") == ["Move"]
    game.close()
    game.close()
    assert game.has("B5@(12,4)[8]")


def test_t12_spiders_keep_off_fungus(position):
    """R15."""
    game = position("S@(5,1) F@(1,1)")
    game.order("S1", "Move", Square=game.square(2, 1))
    game.close()
    assert game.reasons == ["no path"]
    assert game.queue("S1") == []
    assert game.has("S@(5,1)")
    game = position("S@(5,1) F@(1,1)")
    game.order("S1", "Move", Square=game.square(4, 1))
    game.close()
    assert game.has("S@(4,1)")


def test_t13_escape_from_grown_fungus(position):
    """R15, R4: each step leads farther away. A unit that stays dies in the stage cull."""
    for orders in (True, False):
        game = position("S@(7,8) F@(9,9)", 1)
        if orders:
            game.order("S1", "Move", Square=game.square(5, 8))
        game.close(grow=[6, 0])  # the seventh direction is the west
        assert game.world.fungi[min(game.world.fungi)].squares == [game.place(8, 9), game.place(9, 9)]
        assert game.has("S@(7,8)[20]")
        game.close()
        if orders:
            assert game.has("S@(5,8)[16]")
        else:
            assert "Spider died" in game.subjects
            assert RULESET.outcome(game.world).winners() == [1]
    for ticks, there in ((2, "S@(3,0)[0]"), (20, "S@(4,1)[16]")):  # 1 -> 2 -> 3; at 2 it lives too
        game = position(f"S@(2,1)[{ticks}] F@(1,1)")
        game.order("S1", "Move", Square=game.square(4, 1))
        game.close()
        assert game.has(there)
    game = position("S@(3,1) F@(1,1)")
    game.order("S1", "Move", Square=game.square(3, 2))
    game.close()
    assert game.reasons == ["no path"], "as near as before"


def test_t14_a_ward_kills_at_the_end_of_the_spiders_phase(position):
    """R15, R51."""
    game = position("S@(7,5) B3@(5,5){food=2}", 1)
    game.order("B1", "Ward", Square=game.square(6, 5))
    game.close()
    assert game.has("S@(7,5)")
    game.close()
    assert not game.world.spiders()


def test_t15_the_cap_of_spiders(position):
    """R17, R16."""
    far = "S@(0,0) S@(13,0) S@(13,13)"
    game = position(f"S@(5,5){{cocooned=2}} {far} c4+1@(5,6)")
    game.order("S1", "Feed Egg", Egg="c1", With=COCOONED, Number=1)
    game.close()
    assert game.reasons == ["cap"]
    assert game.has("S@(5,5){cocooned=2}")
    game = position("S@(5,5){cocooned=2} S@(0,0) S@(13,0) c4+1@(5,6)")
    game.order("S1", "Feed Egg", Egg="c1", With=COCOONED, Number=1)
    game.close()
    assert not game.reasons
    assert game.has("c3+2@(5,6)")
    game.close()
    assert len(game.world.spiders()) == 5
    assert game.has("S@(5,6)20[20]")
    new = max(spider.id for spider in game.world.spiders())
    game.named["new"] = new
    game.order("new", "Move", Square=game.square(8, 6))
    game.close()
    assert game.has("S@(8,6)20[14]")


def test_t16_nine_webs_and_two_steps(position):
    """R18, R19, R11."""
    game = position("S@(5,5)20")
    for x, y in ((x, y) for y in (4, 5, 6) for x in (4, 5, 6)):
        game.order("S1", "Build Web", Square=game.square(x, y))
    game.order("S1", "Move", Square=game.square(6, 5))
    game.order("S1", "Move", Square=game.square(7, 5))
    game.close()
    assert game.has("S@(7,5)11[0]")
    assert game.webs() == {(x, y) for y in (4, 5, 6) for x in (4, 5, 6)}
    game = position("S@(5,5)20")
    for x, y in [(x, y) for y in (4, 5, 6) for x in (4, 5, 6)] + [(4, 4)]:
        game.order("S1", "Build Web", Square=game.square(x, y))
    game.close()
    assert game.reasons == ["web there"]
    assert game.has("S@(5,5)11[2]")


def test_t17_a_web_costs_a_hit_point(position):
    """R18."""
    game = position("S@(5,5)1")
    game.order("S1", "Build Web", Square=game.square(5, 5))
    game.close()
    assert game.reasons == ["hp"]
    assert game.has("S@(5,5)1[20]")


def test_t18_webs_under_ants(position):
    """R18."""
    for option, reasons in ((False, ["ants there"]), (True, [])):
        game = position("S@(5,5) B4@(5,6)", web_under_ants=option)
        game.order("S1", "Build Web", Square=game.square(5, 6))
        game.close()
        assert game.reasons == reasons
        assert game.webs() == ({(5, 6)} if option else set())


def test_t19_spanning_water(position):
    """R20."""
    game = position("S@(5,4)5", meadow=True)
    game.order("S1", "Span Web", Direction=S)
    game.close()
    assert game.has("S@(5,4)3[16]")
    assert game.webs() == {(5, 5), (5, 6)}
    game = position("S@(5,4)2", meadow=True)
    game.order("S1", "Span Web", Direction=S)
    game.close()
    assert game.reasons == ["hp"]
    assert game.webs() == set()
    assert game.has("S@(5,4)2[20]")


def test_t20_destroying_webs(position):
    """R21."""
    game = position("S@(5,4) B2@(5,5) W@(5,5) W@(4,4)", meadow=True)
    game.order("S1", "Destroy Web", Square=game.square(5, 5))
    game.order("S1", "Destroy Web", Square=game.square(4, 4))
    game.close()
    assert game.reasons == ["occupied water"]
    assert game.webs() == {(5, 5)}
    assert game.has("S@(5,4)[20]")


def test_t21_cocooning(position):
    """R22, R26."""
    game = position("S@(5,5)4 B5@(5,6) W@(5,6)")
    game.order("S1", "Cocoon", Group="B1", Size=LARGE, Number=1)
    game.close()
    assert game.has("S@(5,5)1[10]{cocooned=5}")
    assert not game.world.groups(1)
    game = position("S@(5,5)4 B6@(5,6) W@(5,6)")
    game.order("S1", "Cocoon", Group="B1", Size=LARGE, Number=1)
    game.order("S1", "Cocoon", Group="B1", Size=SMALL, Number=2)
    game.close()
    assert game.reasons == ["too many"]
    assert game.has("S@(5,5)3[16]{cocooned=2}")
    assert game.has("B4@(5,6)")


def test_t22_wrapping(position):
    """R25, R14."""
    game = position("S@(5,5)[2]{captives=1b+1b+1b}")
    game.order("S1", "Wrap", Number=3)
    game.close()
    assert game.has("S@(5,5)[0]{captives=2,cocooned=1}")
    assert game.queue("S1") == []


def test_t23_a_dropped_captive(position):
    """R14, R24."""
    game = position("S@(5,5){captives=1r}")
    assert game.world.ants(1) == 0
    game.order("S1", "Drop", Goods=CAPTIVE)
    game.close()
    assert game.has("R1@(5,5)")
    assert game.world.ants(1) == 1


def test_t24_laying_eggs(position):
    """R27."""
    game = position("S@(5,5)10 S@(0,0)")
    game.order("S1", "Lay Eggs")
    game.close()
    assert game.has("c10@(5,5)")
    assert len(game.world.spiders()) == 1
    assert "Spider died" in game.subjects
    game = position("S@(5,5)11")
    game.order("S1", "Lay Eggs")
    game.close()
    assert game.has("S@(5,5)1[0]")
    game = position("S@(5,5)11{cocooned=1}")
    game.order("S1", "Eat", Captives=0, Cocooned=1)
    game.order("S1", "Lay Eggs")
    game.close()
    assert game.queue("S1") == ["Lay Eggs"]
    assert game.has("S@(5,5)15[20]")
    assert not game.world.goods


def test_t65_feeding_several_eggs(position):
    """R23, R29, R26."""
    game = position("S@(5,5){cocooned=3} c10@(5,6)")
    game.order("S1", "Feed Egg", Egg="c1", With=COCOONED, Number=3)
    game.close()
    assert game.has("c7+3@(5,6)")
    assert game.has("S@(5,5){cocooned=0}")
    game = position("S@(5,5){eggs=3} c10@(5,6)")
    assert game.refused("S1", "Feed Egg", Egg="c1", With=3, Number=1) == ("BadOrder", 1)


def test_t68_goods_and_captives_on_narrow_water(position):
    """R8, R14."""
    game = position("S@(4,6){captives=1b,cocooned=2}", meadow=True)
    game.order("S1", "Drop", Goods=[[CAPTIVE, 1], [COCOONED, 2]])
    game.close()
    assert game.has("S@(4,6){captives=0,cocooned=0}")
    assert not game.world.goods
    assert not game.world.groups(1)
    assert game.world.colony(1).killed == 1


def test_t70_all_or_nothing(position):
    """Section 4, R17."""
    game = position("S@(5,5)10{cocooned=2,eggs=3} S@(0,0) S@(13,0) S@(13,13)")
    game.order("S1", "Eat", Captives=0, Cocooned=3)
    game.order("S1", "Feed Egg", Egg="S1", With=COCOONED, Number=2)
    game.close()
    assert game.reasons == ["not carried", "cap"]
    assert game.has("S@(5,5)10{cocooned=2,eggs=3,fed=0}")


# Combat.


def _attack(position, text, choice, limit, *dice, **options):
    game = position(text, **options)
    target = next(name for name in game.named if name[0] in "BRQ")
    game.order("S1", "Attack", Target=target, Choice=choice, Limit=limit)
    game.close(*dice)
    return game


def test_t26_a_spider_kills(position):
    """R31, R33."""
    game = _attack(position, "S@(5,5) B5@(5,6)", KILL, 0, 3, 4, 5)
    assert not game.world.groups(1)
    assert game.world.colony(1).killed == 5


def test_t27_a_spider_loses(position):
    """R32."""
    assert _attack(position, "S@(5,5) R5@(5,6)", KILL, 0, 5, 2, 3).has("S@(5,5)10")


def test_t28_red_ants_count_twice(position):
    """R33."""
    assert _attack(position, "S@(5,5) R6@(5,6)", KILL, 0, 2, 3, 5).has("R5@(5,6)")


def test_t29_taking_one(position):
    """R33, R12."""
    game = _attack(position, "S@(5,5) B3@(5,6)", TAKE, 0, 1, 2, 3)
    assert game.has("B2@(5,6)")
    assert game.has("S@(5,5){captives=1}")
    game = position("S@(5,5) B3@(5,6)")
    for _ in range(2):
        game.order("S1", "Attack", Target="B1", Choice=TAKE, Limit=0)
    game.close(2, 1, 5)
    assert game.reasons == ["already attacked"]
    assert game.has("B3@(5,6)")
    assert game.has("S@(5,5)20{captives=0}")


def test_t30_avoiding(position):
    """R34."""
    game = position("S@(5,5) B5@(5,6)")
    for _ in range(2):
        game.order("S1", "Attack", Target="B1", Choice=KILL, Limit=0)
    game.close(6)
    assert game.reasons == ["already attacked"]
    assert game.has("B5@(5,6)")
    game = _attack(position, "S@(5,5) B5@(5,6){stance=fight}", KILL, 0, 6, 3, 4)
    assert game.has("B4@(5,6)")


def test_t31_ants_attack_a_spider(position):
    """R71, R34, R57."""
    game = position("S@(5,5)20 B4@(5,6)", 1)
    game.order("B1", "Group Attack", Target="S1")
    game.close(6, 1, 2)
    assert game.has("S@(5,5)16")
    assert game.has("B4@(5,6)[0]")


def test_t32_a_spider_takes_an_attacker(position):
    """R71."""
    game = position("S@(5,5)20{reaction=take} B4@(5,6)", 1)
    game.order("B1", "Group Attack", Target="S1")
    game.close(1, 3, 3)
    assert game.has("B3@(5,6)[0]")
    assert game.has("S@(5,5)20{captives=1}")
    game.order("S1", "Attack", Target="B1", Choice=KILL, Limit=0)
    game.close(1, 3, 3)
    assert not game.reasons
    assert not game.world.groups(1)


def test_t33_a_spider_attacks_a_queen(position):
    """R72."""
    game = _attack(position, "S@(5,5) Q@(5,6)10", KILL, 0, 1, 1, 3, 4)
    assert game.has("Q@(5,6)6")
    game = _attack(position, "S@(5,5) Q@(5,6)10", KILL, 0, 6, 6, 1, 1)
    assert game.has("Q@(5,6)10")
    assert game.has("S@(5,5)19")


def test_t34_ants_attack_ants(position):
    """R58."""
    game = position("B5@(5,5) 2:B3@(5,6)", 1)
    game.order("B1", "Group Attack", Target="B2")
    game.close(4, 2)
    assert game.has("B4@(5,5)[0]")
    assert not game.world.groups(2)


def test_t35_red_ants_attack_black_ones(position):
    """R58, R37."""
    game = position("R4@(5,5) 2:B6@(5,6)", 1)
    game.order("R1", "Group Attack", Target="B1")
    game.close(3, 2)
    assert game.has("R2@(5,5)[0]")
    assert not game.world.groups(2)
    game = position("R4@(5,5) 2:B6@(5,6)", 1)
    game.order("R1", "Group Attack", Target="B1")
    game.close(1, 3)
    assert game.has("R4@(5,5)[0]")
    assert game.has("2:B6@(5,6)")


def test_t36_ants_attack_a_queen(position):
    """R59."""
    game = position("B6@(5,5) 2:Q@(5,6)10", 1)
    game.order("B1", "Group Attack", Target="Q1")
    game.close(6, 1, 1)
    assert game.has("2:Q@(5,6)6")
    assert game.has("B6@(5,5)[0]")
    game = position("B6@(5,5) 2:Q@(5,6)10", 1)
    game.order("B1", "Group Attack", Target="Q1")
    game.close(2, 1, 1)
    assert game.has("2:Q@(5,6)10")
    assert not game.world.groups(1)


def test_t37_what_lost_ants_carried(position):
    """R69."""
    game = _attack(position, "S@(5,5) B2@(5,6){food=10}", KILL, 1, 1, 3, 3)
    assert game.has("B1@(5,6){food=5}")
    assert game.food() == {(5, 6): 5}
    game = _attack(position, "S@(5,5) B2@(5,6){food=5,eggs=b}", KILL, 1, 1, 3, 3)
    assert game.has("B1@(5,6){food=0,eggs=b}")
    assert game.food() == {(5, 6): 5}


def test_t71_food_falls_on_a_full_square(position):
    """R69, R70."""
    game = position("B2@(5,5)_{food=10} f5@(5,5)_ 2:R6@(5,6)_", 2)
    game.order("R1", "Group Attack", Target="B1")
    game.close(6, 1)
    assert not game.world.groups(1)
    assert game.food() == {(5, 5): 15}
    assert game.world.stored(1) == 5


# Ants.


def test_t25_eggs_as_food(position):
    """R28, R30."""
    game = position("B2@(5,5) c10@(5,6)", 1)
    game.order("B1", "Pick Up", Square=game.square(5, 6), Goods=[[EGGS, 3]])
    game.close()
    assert game.has("B2@(5,5){food=10}")
    assert game.has("c8@(5,6)")
    game = position("B2@(5,5) 2:eb@(5,6) er@(6,5)", 1)
    game.order("B1", "Pick Up", Square=game.square(5, 6), Goods=[[EGGS, 1]])
    game.order("B1", "Pick Up", Square=game.square(6, 5), Goods=[[EGGS, 1]])
    game.close()
    assert game.has("B2@(5,5){food=5,eggs=r}")
    assert not game.world.goods


def test_t38_digging(position):
    """R43, R77."""
    around = {(x, y) for x in (4, 5, 6) for y in (4, 5, 6)}
    for group, ticks in (("B4", 8), ("R4", 6)):
        game = position(f"{group}@(5,5)_", 1, meadow=True)
        game.order(f"{group[0]}1", "Excavate", Directions=[N, NE, E, SE, S, SW, W, NW])
        game.close()
        assert game.has(f"{group}@(5,5)_[{ticks}]")
        assert around <= {game.world.board.coordinates(place) for place in game.world.dug}
    game = position("B4@(5,0)_", 1)
    game.order("B1", "Excavate", Directions=[N, S])
    game.close()
    assert game.reasons == ["edge"]
    assert game.place(5, 1, True) not in game.world.dug


def test_t39_collecting_webs(position):
    """R44."""
    game = position("B6@(5,5) W@(5,5)", 1)
    game.order("B1", "Collect Web")
    game.close()
    assert game.webs() == set()
    assert game.has("B6@(5,5)[0]{points=6}")
    game = position("B6@(5,5) W@(5,5)", 1, meadow=True)
    game.order("B1", "Collect Web")
    game.close()
    assert game.reasons == ["water"]
    assert game.webs() == {(5, 5)}
    game = position("B6@(5,4) W@(5,5)", 1)
    game.order("B1", "Move", Square=game.square(5, 5))
    game.order("B1", "Collect Web")
    game.close()
    assert game.queue("B1") == ["Collect Web"]
    assert game.webs() == {(5, 5)}


def test_t40_bridges(position):
    """R45."""
    game = position("B2@(5,4) B5@(5,3)", 1, meadow=True)
    game.order("B1", "Bridge", Direction=S)
    game.order("B2", "Move", Square=game.square(5, 7))
    game.close()
    assert game.has("B2@(5,5)[0]")
    assert game.has("B2@(5,6)[0]")
    assert game.has("B5@(5,7)[6]")
    game = position("B1@(5,4)", 1, meadow=True)
    game.order("B1", "Bridge", Direction=S)
    game.close()
    assert game.reasons == ["too few ants"]
    game = position("B2@(5,4){bridge=S} 2:B5@(5,3)", 2, meadow=True)
    game.order("B2", "Move", Square=game.square(5, 6))
    game.close()
    assert game.reasons == ["no path"]


def test_t41_the_end_of_a_bridge(position):
    """R46, R45."""
    game = _attack(position, "B2@(5,4){bridge=S} R3@(5,5) S@(4,5)", KILL, 1, 1, 3, 3, meadow=True)
    assert game.has("B1@(5,4)")
    assert game.has("R3@(5,4)")
    game = position("B2@(5,4){bridge=S}", 1, meadow=True)
    game.order("B1", "Unbridge", End=2)
    game.close()
    assert game.has("B2@(5,7)[0]")
    game = position("B2@(5,4){bridge=S} R3@(5,5)", 1, meadow=True)
    game.order("B1", "Unbridge", End=2)
    game.close()
    assert game.reasons == ["occupied"]
    assert game.has("B2@(5,6)")


def test_t67_a_bridge_with_an_enemy_at_the_near_end(position):
    """R46."""
    game = _attack(position, "B2@(5,4){bridge=S} R3@(5,5) S@(5,4)", KILL, 1, 1, 3, 3, meadow=True)
    assert game.has("B1@(5,7)")
    assert game.has("R3@(5,7)")
    game = _attack(position, "B2@(5,4){bridge=S} R3@(5,5) S@(5,4) S@(5,7)", KILL, 1, 1, 3, 3, meadow=True)
    assert not game.world.groups(1)
    assert game.world.colony(1).killed == 5


def test_t42_harvesting_a_small_fungus(position):
    """R48, R49, R50."""
    game = position("B5@(4,5) R5@(8,5) F@(5,5)(6,5)(7,5)", 1)
    game.order("B1", "Harvest", Square=game.square(5, 5))
    game.order("R1", "Harvest", Square=game.square(7, 5))
    growth = game.close(6, 6, 6, 6, 6, grow=[0, 0])
    assert game.reasons == ["exhausted"]
    assert game.has("B5@(4,5)[0]{food=25}")
    assert len(growth.offered) == 2
    (fungus,) = game.world.fungi.values()
    assert fungus.squares == [game.place(7, 4), game.place(7, 5)]
    assert not fungus.exhausted
    game.close()
    game.order("R1", "Harvest", Square=game.square(7, 5))
    game.close(1, 1, 1, 1, 1, grow=[0, 0])
    assert not game.reasons
    assert game.has("R5@(8,5){food=5}")


def test_t43_harvesting_what_can_be_carried(position):
    """R49."""
    game = position("B4@(4,5){food=10} F@(5,5)(6,5)(7,5)(5,6)(6,6)(7,6)(5,7)(6,7)(7,7)", 1)
    game.order("B1", "Harvest", Square=game.square(5, 5))
    game.close(3, 2, 1, 1, grow=[0, 0])
    assert game.has("B4@(4,5){food=17}")
    assert len(next(iter(game.world.fungi.values())).squares) == 8 + 1  # it has grown since


def test_t44_wards(position):
    """R51."""
    game = position("B3@(5,5)[10]{food=8}", 1)
    for x in (4, 5, 6):
        game.order("B1", "Ward", Square=game.square(x, 4))
    game.order("B1", "Ward", Square=game.square(4, 5))
    game.close()
    assert game.reasons == ["limit"]
    assert game.world.wards == {game.place(x, 4) for x in (4, 5, 6)}
    assert game.has("B3@(5,5)[10]{food=2}")


def test_t45_a_new_queen(position):
    """R53."""
    game = position("B1@(5,5){food=5} eb@(5,6)", 1)
    game.order("B1", "Raise Queen", Egg="e1")
    game.close()
    assert game.has("Q@(5,6)10[0]")
    assert game.has("B1@(5,5)[0]{food=0}")
    assert not game.world.goods
    game = position("B1@(5,5){food=5} eb@(5,6) Q@(9,9)", 1)
    game.order("B1", "Raise Queen", Egg="e1")
    game.close()
    assert game.reasons == ["queen lives"]


def test_t46_laying_with_the_body(position):
    """R55, R56."""
    game = position("Q@(5,5)_3[10]", 1)
    game.order("Q1", "Lay", Red=0, Black=5, With=BODY)
    game.close()
    assert [egg.colour for egg in game.world.eggs(1)] == [BLACK] * 2
    assert game.has("Q@(5,5)_1[6]")
    assert game.queue("Q1") == []
    assert game.reasons == ["hp"]
    game = position("Q@(5,5)_3[10] f5@(5,5)_", 1)
    game.order("Q1", "Feed Queen", Number=5)
    game.order("Q1", "Lay", Red=0, Black=5, With=BODY)
    game.close()
    assert len(game.world.eggs(1)) == 5
    assert game.has("Q@(5,5)_3[0]")


def test_t47_laying_with_web_points(position):
    """R55."""
    game = position("Q@(5,5)_10[0] B2@(5,6)_{points=3}", 1)
    game.order("Q1", "Lay", Red=3, Black=0, With=WEB_POINT)
    game.close()
    assert [egg.colour for egg in game.world.eggs(1)] == [RED] * 3
    assert game.has("Q@(5,5)_10[0]")
    assert game.has("B2@(5,6)_{points=0}")


def test_t48_hatching(position):
    """R65, R38."""
    for other, ants in (("", "B5"), ("B1@(5,5)_", "B6")):
        game = position(f"Q@(5,5)_8[10] {other}", 1)
        before = game.world.ants(1)
        game.order("Q1", "Lay", Red=0, Black=5, With=BODY)
        game.close()
        game.close()
        assert game.has(f"{ants}@(5,5)_[10]")
        assert game.world.ants(1) == before + 5
        assert not game.world.goods


def test_t49_through_the_hole(position):
    """R60, R67."""
    for group, ticks in (("B4", 9), ("R4", 8)):
        game = position(f"H@(6,6) {group}@(6,6)_", 1)
        game.order(f"{group[0]}1", "Move", Square=game.square(6, 6))
        game.close()
        assert game.has(f"{group}@(6,6)[{ticks}]")
    game = position("H@(6,6) B4@(6,6)_ S@(6,6)", 1)
    game.order("B1", "Move", Square=game.square(6, 6))
    game.order("B1", "Group Attack", Target="S1")
    game.close(6, 1, 1)
    assert game.reasons == ["no path"]
    assert game.has("B4@(6,6)_[0]")
    assert game.has("S@(6,6)16")


def test_t50_a_covered_hole(position):
    """R64, R21, R77."""
    game = position("H@(6,6) W@(6,6) B4@(6,6)_ S@(6,6)", 1)
    game.order("B1", "Move", Square=game.square(6, 7))
    game.order("B1", "Group Attack", Target="S1")
    game.close()
    assert game.reasons == ["no path", "covered hole"]
    game.order("S1", "Destroy Web", Square=game.square(6, 6))
    game.order("S1", "Move", Square=game.square(9, 6))
    game.close()
    assert "Hole uncovered" in game.subjects
    game.order("B1", "Move", Square=game.square(6, 7))
    game.close()
    assert game.has("B4@(6,7)[8]")
    game = position("H@(6,6) W@(6,6) B4@(6,6)", 1)
    game.order("B1", "Collect Web")
    game.close()
    assert game.webs() == set()
    assert "Hole uncovered" in game.subjects


def test_t51_growth(position):
    """R61, R63."""
    game = position("F@(5,5) V@(4,4)..(6,4) H@(6,5) V@(6,6) V@(4,5)", 1)
    growth = game.close(grow=[1, 0])
    assert growth.offered == [[[game.place(5, 6)], [game.place(4, 6)]], [game.place(4, 6)]]
    assert game.world.fungi[min(game.world.fungi)].squares == [game.place(5, 5), game.place(4, 6)]
    game = position("F@(5,4)", 1, meadow=True)  # water to the south and the south-east
    offered = game.close(grow=[0, 0]).offered[0]
    assert {place for row in offered for place in row}.isdisjoint({game.place(5, 5), game.place(6, 5)})
    assert len(offered) == 6


def test_t52_fungus_that_is_shut_in(position):
    """R62."""
    game = position("F@(0,0) W@(1,0)..(1,1) W@(0,1)", 1)
    game.close(grow=[0, 0])
    assert game.webs() == {(1, 1), (0, 1)}
    assert game.world.fungi[min(game.world.fungi)].squares == [game.place(0, 0), game.place(1, 0)]
    game = position("F@(5,4) W@(4,3)..(6,3) W@(4,4) W@(6,4) W@(4,5)..(6,5)", 1, meadow=True)
    board = game.world.board
    assert [board.coordinates(place) for place in board.near[game.place(5, 4)] if board.water[place]] == [
        (5, 5),
        (6, 5),
    ]
    growth = game.close(grow=[2, 0])
    offered = [place for row in growth.offered[0] for place in row]
    assert sorted(offered) == sorted(game.place(x, y) for x, y in [(4, 3), (5, 3), (6, 3), (4, 4), (6, 4), (4, 5)])
    assert game.world.fungi[min(game.world.fungi)].squares == [game.place(5, 4), game.place(6, 4)]
    assert len(game.world.webs) == 7
    for webs in ("", "W@(4,4)..(6,6)"):
        game = position(f"F@(5,5) {webs}", 1)
        game.world.board = board = Board.of(14, "".join("~" if near_5_5(square) else "." for square in range(196)))
        game.world.webs.discard(game.place(5, 5))
        assert grow(game.world, None) == []
        assert len(game.world.webs) == (8 if webs else 0)


def near_5_5(square):
    """Return whether a square of 14 columns is one of the eight around (5, 5)."""
    return max(abs(square % 14 - 5), abs(square // 14 - 5)) == 1


def test_t53_the_order_of_a_round(position):
    """R66."""
    game = position("S@(0,0) B1@(5,5) 2:B1@(9,9)", 2, ant_order="fixed")
    seen = []
    for _ in range(4):
        game.close()
        active = list(find_phase(RULESET, game.state.phase).active(game.world))
        seen.append((game.world.round, active, find_phase(RULESET, game.state.phase).title(game.world)))
    assert seen == [
        (2, [0], "Round 2: spider"),
        (2, [1], "Round 2: ants 1"),
        (2, [2], "Round 2: ants 2"),
        (3, [0], "Round 3: spider"),
    ]
    done = _set_up(3)
    assert [report.subject for report in done.reports].count("Growth") == 1
    assert (done.state.phase, done.state.world.active, done.state.world.round) == ("spider", 0, 1)


def test_t54_waiting(position):
    """R79, R78: the group has the lower number and waits for the queen."""
    game = position("B2@(5,5)_ Q@(5,5)_", 1)
    game.order("B1", "Wait")
    game.order("B1", "Pick Up", Square=game.square(5, 5, True), Goods=[[EGGS, 1]])
    game.order("Q1", "Lay", Red=1, Black=0, With=BODY)
    game.close()
    assert not game.reasons
    assert game.has("B2@(5,5)_{eggs=r}")


def test_t55_stored_food(position):
    """R70, R38."""
    stored = "D@(0,12)..(9,13)"
    game = position(f"{GROUPS_50} {stored} f5@(0,12)..(9,13)_", 1)
    game.close()
    assert RULESET.outcome(game.world).winners() == [1]
    carried = GROUPS_50.replace("B2@(8,5)", "B2@(8,5){food=5}")
    game = position(f"{carried} {stored} f5@(0,12)..(9,12)_ f5@(0,13)..(8,13)_", 1)
    game.close()
    assert not game.state.over
    game = position("B3@(5,5)_{food=12} D@(6,5) f4@(5,5)_ f2@(6,5)_", 1)
    game.order("B1", "Drop", Goods=[[FOOD, 12]])
    game.close()
    assert game.food() == {(5, 5): 5, (6, 5): 5}
    assert game.has("B3@(5,5)_{food=8}")


def test_t56_splitting_and_merging(position):
    """R41, R37."""
    game = position("B5@(5,5){food=7} R3@(9,9)", 1)
    game.order("B1", "Split", Number=2)
    game.close()
    assert game.has("B3@(5,5){food=5}")
    assert game.has("B2@(5,5){food=2}")
    game = position("R3@(5,5) B2@(5,5)", 1)
    game.order("R1", "Merge", Group="B1", Number=3)
    game.order("R1", "Stance", Choice=2)
    game.close()
    assert game.reasons == ["colour"]
    assert game.queue("R1") == ["Stance"], "a Merge ends the actions of a phase and runs in the stage regroup"
    assert game.has("R3@(5,5)")


def test_t62_phases_with_several_turns(position):
    """R12, R79."""
    game = position("S@(5,5) B5@(5,6)", phase_steps=2)
    game.order("S1", "Attack", Target="B1", Choice=KILL, Limit=0)
    game.close(3, 1, 1)
    assert (game.state.phase, game.world.active, game.world.step) == ("spider", 0, 1)
    assert game.has("S@(5,5)15[20]")
    game.order("S1", "Move", Square=game.square(4, 6))
    game.order("S1", "Attack", Target="B1", Choice=KILL, Limit=0)
    game.close()
    assert game.reasons == ["already attacked"]
    assert (game.state.phase, game.world.active) == ("ants", 1)
    game = position("S@(5,5)10 S@(0,0)", phase_steps=2)
    game.order("S1", "Lay Eggs")
    game.close()
    assert game.has("S@(5,5)0[0]"), "cull runs after the last turn of the phase only"
    game.order("S2", "Heal", Points=1)
    game.order("S2", "Move", Square=game.square(1, 1))
    game.close()
    assert len(game.world.spiders()) == 1
    game = position("S@(5,5)", phase_steps=2)
    game.close()
    assert game.state.phase == "ants"


# Refusals.


def test_t59_error_classes(position):
    """Section 4."""
    game = position("S@(5,5) B2@(8,8)")
    square = game.square(5, 6)
    assert game.refused("B1", "Move", seat=0, Square=square) == ("NotYours", 5)
    assert game.refused(99999, "Move", seat=0, Square=square) == ("NoSuchThing", 4)
    assert game.refused("S1", "Harvest", seat=0, Square=square) == ("NotHere", 2)
    assert game.refused("S1", "Heal", Points=0) == ("BadOrder", 1)
    assert game.refused("B1", "Bridge", seat=1, Direction=[N, S]) == ("BadOrder", 1)
    home = game.world.home(0) + 1
    assert game.refused(home, "Place Spider", seat=0, Square=square) == ("WrongPhase", 3)
    for _ in range(16):
        game.order("S1", "Wait")
    assert game.refused("S1", "Wait") == ("QueueFull", 3)
    game.state.over = True
    assert game.refused("B1", "Wait", seat=1) == ("GameOver", 2)


def test_t63_hidden_things(position):
    """Section 6."""
    game = position("S@(5,5) B2@(8,8)_ B2@(9,9){stance=fight} 2:B1@(1,1)", underground="own")
    assert game.refused("B1", "Move", seat=0, Square=game.square(5, 6)) == ("NoSuchThing", 4)
    assert game.named["B1"] not in RULESET.sight(game.world, 0)
    assert game.named["B1"] in RULESET.sight(game.world, 1)
    game = position("S@(5,5) B2@(9,9){stance=fight} 2:B1@(1,1)")
    assert view(RULESET, game.world, 1)[game.named["B1"]].numbers == (2,)
    assert view(RULESET, game.world, 2)[game.named["B1"]].numbers == (0,)


def test_t64_spiders_stay_above(position):
    """R9, R39."""
    game = position("S@(5,5) B3@(5,5)_")
    game.order("S1", "Attack", Target="B1", Choice=KILL, Limit=0)
    game.order("S1", "Move", Square=game.square(5, 5, True))
    game.close()
    assert game.reasons == ["below", "below"]
    game = position("B2@(5,5) B6@(5,5)", 1)
    game.order("B1", "Merge", Group="B2", Number=1)
    game.close()
    assert game.reasons == ["too big"]


# Hatching, captives and holes again.


def test_t66_an_egg_waits_for_a_queen(position):
    """R65, R53."""
    game = position("B1@(5,5)_{food=5} eb@(5,5)_ eb@(5,5)_")
    game.close()
    assert game.has("B2@(5,5)_")
    assert len(game.world.eggs(1)) == 1
    game.order("B1", "Raise Queen", Egg="e2")
    game.close()
    assert not game.reasons
    assert game.has("Q@(5,5)_10[0]")
    game = position("eb@(5,5) eb@(5,5)")
    game.close()
    assert game.has("B2@(5,5)")
    assert not game.world.goods


def test_t69_overlapping_colonies():
    """R2, R36."""
    done = _set_up(3, [(1, "Choose Hole", (4, 7)), (2, "Choose Hole", (2, 6))])
    world = done.state.world
    assert len(_dug(world, 1)) == 19
    assert len(_dug(world, 2)) == 12
    assert (2, 6) in _dug(world, 2)
    assert (world.stored(1), world.stored(2)) == (30, 30)


def test_t72_a_captive_of_an_eliminated_colony(position):
    """R73."""
    game = position("S@(5,5){captives=1b} S@(0,0) 2:B1@(9,9)", 2)
    del game.world.units[next(unit.id for unit in game.world.own(1))]
    game.close()
    assert game.world.colony(1).eliminated
    game.order("S1", "Drop", Goods=CAPTIVE)
    game.close()
    assert game.has("B1@(5,5)")
    assert game.world.colony(1).eliminated
    assert (game.state.phase, game.world.active) == ("ants", 2)
    group = game.world.groups(1)[0]
    assert isinstance(group, Group)
    assert game.refused(group.id, "Wait", seat=1) == ("WrongPhase", 3)
    assert not any(isinstance(unit, Queen | Spider) for unit in game.world.own(1))


# Decisions where the seed is silent.


def _take_back(game, name):
    """Take the first order out of a unit's queue, as its player does."""
    on = game.named[name]
    apply(game.state, removal(RULESET, game.state, game.world.units[on].seat, on, 0))


def test_t73_a_split_ends_the_actions_of_the_phase(position):
    """R80, R41: also if it is taken back in a later turn of the phase; other units go on."""
    for kept in (True, False):
        game = position("B5@(5,5) R5@(9,9)", 1, phase_steps=3)
        game.order("B1", "Split", Number=2)
        game.order("R1", "Move", Square=game.square(9, 8))
        game.close()
        assert (game.world.active, game.world.step) == (1, 1)
        if not kept:
            _take_back(game, "B1")
            game.order("B1", "Move", Square=game.square(5, 6))
        game.order("R1", "Move", Square=game.square(9, 7))
        game.close()
        game.order("R1", "Move", Square=game.square(9, 6))
        game.close()
        assert game.world.active == 0
        assert game.has("R5@(9,6)[4]")
        if kept:
            assert game.has("B3@(5,5)")
            assert game.has("B2@(5,5)")
            continue
        assert game.has("B5@(5,5)[10]")
        assert game.queue("B1") == ["Move"]
        game.close()
        game.close()
        assert game.has("B5@(5,6)[9]")


def test_t74_a_unit_that_cannot_pay_stops_for_one_turn(position):
    """R80: in the next turn of the phase it goes on, with that order or with another in its place."""
    for kept in (True, False):
        game = position("S@(5,5)[3]{cocooned=1} S@(9,9)", phase_steps=2)
        game.order("S1", "Move", Square=game.square(7, 5))
        game.close()
        assert game.queue("S1") == ["Move"]
        assert _column(game, "S1") == 6
        if kept:
            game.world.webs.add(game["S1"].place)
        else:
            _take_back(game, "S1")
            game.order("S1", "Drop", Goods=[[COCOONED, 1]])
        game.close()
        assert _column(game, "S1") == (7 if kept else 6)
        assert game.has("S@(7,5)[0]") if kept else game["S1"].cocooned == 0


def test_t75_objects_are_picked_up_by_id(position):
    """R81, R47: eggs before cocooned ants if their object is the older one; loose food before all of them."""
    wanted = [[FOOD, 9], [COCOONED, 3], [EGGS, 2]]
    for things, load, left in (
        ("c2@(5,6) C3@(5,6)", 14, "C1@(5,6)"),
        ("C3@(5,6) c2@(5,6)", 11, "c1@(5,6)"),
        ("2:eb@(5,6) C9@(5,6) c2@(5,6)", 11, "c2@(5,6)"),
        ("f3@(5,6) c2@(5,6) C3@(5,6)", 15, "C2@(5,6)"),
    ):
        game = position(f"B3@(5,5) {things}", 1)
        game.order("B1", "Pick Up", Square=game.square(5, 6), Goods=wanted)
        game.close()
        assert game.has(f"B3@(5,5){{food={load}}}")
        assert game.has(left)


def test_t76_a_draw_without_those_who_were_eliminated_before(position):
    """R82, R73: spider and last colony vanish in one phase; a colony that was gone before has the last place."""
    game = position("S@(5,5) B1@(5,6) V@(4,4) 2:B1@(9,9)")
    del game.world.units[game.named["B2"]]
    game.world.colony(2).eliminated = True
    game.order("S1", "Attack", Target="B1", Choice=KILL, Limit=0)
    game.close(1, 3, 3)
    outcome = RULESET.outcome(game.world)
    assert (outcome.why, outcome.places) == ("vanished", {0: 1, 1: 1, 2: 3})
    (told,) = [report.body for report in game.reports if report.subject == "GAME OVER!"]
    assert told.endswith("{player 0} and {player 1} share the victory!")


def test_t77_an_egg_on_a_bridge_finds_food_around_all_of_it(position):
    """R83, R65: the food touches only the second square of the bridge."""
    game = position("B2@(5,4){bridge=S,eggs=b} Q@(9,10) f1@(5,7)", 0, meadow=True, ant_hatch_food=1)
    game.close()
    assert game.has("B3@(5,6){eggs=}")
    assert not game["B1"].eggs
    assert not game.world.food
    game = position("B2@(5,4){bridge=S,eggs=b} Q@(9,10) f1@(5,8)", 0, meadow=True, ant_hatch_food=1)
    game.close()
    assert game.has("B2@(5,6){eggs=b}")


def test_t78_goods_fall_on_the_first_square_of_a_bridge(position):
    """R83, R69: they sink unless a web is there."""
    for web, food in (("W@(5,5)", {(5, 5): 5}), ("W@(5,6)", {})):
        game = _attack(position, f"B3@(5,4){{bridge=S,food=15}} {web} S@(4,4)", KILL, 1, 1, 3, 3, meadow=True)
        assert game.has("B2@(5,6){food=10}")
        assert game.food() == food


def test_t79_an_attack_that_fails_is_not_used_up(position):
    """R84, R12, R57: the next one is carried out."""
    game = position("S@(5,5) B3@(9,9) B2@(5,6)")
    for target in ("B1", "B2"):
        game.order("S1", "Attack", Target=target, Choice=KILL, Limit=0)
    game.close(1, 3, 3)
    assert game.reasons == ["not touching"]
    assert len(game.world.groups(1)) == 1
    game = position("S@(9,9) S@(5,6) B2@(5,5)", 1)
    for target in ("S1", "S2"):
        game.order("B1", "Group Attack", Target=target)
    game.close(6, 1, 1)
    assert game.reasons == ["not touching"]
    assert game.has("S@(5,6)18")


def test_t80_ants_set_free_in_a_phase_regroup_at_its_end(position):
    """R85: they do not act in it."""
    game = position("B6@(4,5) S@(5,5)4{captives=1b} S@(0,0) B2@(6,5)", 1, phase_steps=2)
    game.order("B1", "Group Attack", Target="S1")
    game.close(6, 1, 1)
    game.named["free"] = max(group.id for group in game.world.groups(1))
    game.order("free", "Merge", Group="B2", Number=1)
    game.order("B2", "Move", Square=game.square(5, 5))
    game.close()
    assert not game.reasons
    assert game.has("B3@(5,5)")
    assert game.named["free"] not in game.world.units


def test_t81_fed_eggs_on_the_ground_hatch_first(position):
    """R86."""
    game = position("S@(5,5){fed=1} c0+2@(9,9)", 1)
    game.close()
    _, *new = game.world.spiders()
    assert [spider.place for spider in new] == [game.place(9, 9), game.place(9, 9), game.place(5, 5)]


def test_t82_what_is_done_before_eggs_are_laid(position):
    """R87, R27."""
    for first, laid in (("Reaction", True), ("Heal", False)):
        game = position("S@(5,5)20 B2@(9,9)")
        game.order("S1", "Wait")
        game.order("S1", first, **({"Choice": TAKE} if laid else {"Points": 1}))
        game.order("S1", "Attack", Target="B1", Choice=KILL, Limit=0)
        game.order("S1", "Lay Eggs")
        game.close()
        assert game.reasons == ["not touching"]
        assert game.has("c10@(5,5)") is laid
        assert game.queue("S1") == ([] if laid else ["Lay Eggs"])


def test_t83_ticks_of_a_unit_that_has_ended_count_as_left(position):
    """R80: another turn of the phase follows, in which it does nothing."""
    game = position("B5@(5,5)", 1, phase_steps=2)
    game.order("B1", "Stance", Choice=2)
    game.order("B1", "Split", Number=2)
    game.close()
    assert (game.world.active, game.world.step) == (1, 1)
    game.close()
    assert game.world.active == 0
    assert game.has("B3@(5,5)[10]")
    assert game.has("B2@(5,5)[10]")
