"""Antshouse's numbered test vectors, one test for each number.

The texts are those of RULES.md. `table.py` reads their notation, and refuses texts that are not in the vector's line.
"""

from __future__ import annotations

import pytest

from tprules.antshouse import RULESET
from tprules.antshouse.board import COURSES, NAMES, SIDES
from tprules.antshouse.world import OFF_BOARD
from tprules.api import OptionError, Role, parse_options
from tprules.api.advance import opening
from tprules.testing import view

FRAME, NEVER, LATER, NOTHING, DENIED = 1, 2, 3, 4, 5


def test_every_vector_of_the_page_has_its_test(tables):
    """The 28 lines of the page and the tests of this module have the same numbers."""
    tested = [name.split("_")[1].upper() for name in globals() if name.startswith("test_a") and name[6].isdigit()]
    assert tested == list(tables.VECTORS)
    assert len(tested) == 28


def test_a1_a_round_of_steps(table):
    at = table("A1", "0 d1, 1 e8")
    at.plan("0: N; 1: S")
    assert [NAMES[one.ant] for one in at.world.players] == ["d2", "e7"]
    assert at.world.round == 2
    at.goes_on("plan")
    assert [at.pad(0), at.pad(1)] == ["5/4/4"] * 2
    for players in (1, 5):
        with pytest.raises(OptionError) as refused:
            opening(RULESET, parse_options(RULESET.options, {}), players, b"")
        assert refused.value.option == "players"


def test_a2_two_ants_swap(table):
    at = table("A2", "0 d4, 1 e5")
    at.plan("0: NE; 1: SW")
    at.shows("0 e5, 1 d4")
    at.goes_on("plan")
    assert not at.told("Clash")


def test_a3_following_is_no_clash(table):
    at = table("A3", "0 d4, 1 d5")
    at.plan("0: N; 1: N")
    at.shows("0 d5, 1 d6")
    at.goes_on("plan")
    assert not at.told("Clash")


def test_a4_paper_wins_and_pushes(table):
    at = table("A4", "0 d4, 1 d6")
    at.plan("0: N,R; 1: S,P")
    at.shows("0 d5, 1 d5")
    at.goes_on("push", [1])
    assert sorted(at.offers()) == list(range(1, 9))
    at.choose(1, "S")
    at.shows("0 d4, 1 d5")
    at.goes_on("plan")
    assert at.world.round == 2
    winners = set()
    for seed in range(20):  # with R/R it is chance
        at = table("", "0 d4, 1 d6")
        at.seed = f"{seed}".encode()
        at.plan("0: N,R; 1: S,R")
        at.goes_on("push", at.active)
        winners.update(at.active)
    assert winners == {0, 1}


def test_a5_weapons_come_after_pushes(table):
    for target, dies in (("d7", False), ("d6", True)):
        at = table("A5" if not dies else "", "0 d4, 1 d6")
        if dies:  # d6 is the square of 1 in the plan, which is allowed
            at.plan("0: N,P, glass d6; 1: S,R")
        else:
            at.plan("0: N,P, glass d7; 1: S,R")
        at.goes_on("push", [0])
        assert at.pad(0) == "5/4/3"
        at.choose(0, "N")
        (weapon,) = at.told("Weapon")
        assert target in weapon.body
        if dies:
            assert at.world.players[1].ant == OFF_BOARD
            at.goes_on("respawn", [1])
            assert at.pad(0) == "5/4/3"
        else:
            at.shows("1 d6")
            at.goes_on("plan")
            assert at.pad(0) == "5/4/4"


def test_a6_a_glass_kills_and_a_glass_misses(table):
    at = table("A6", "0 d4, 1 d6")
    assert at.refused(0, "Throw", "glass", "d6") == 0
    assert at.refused(0, "Throw", "glass", "d4") == NEVER
    at.plan("0: W, glass d5; 1: S, glass c3")
    at.shows("0 c4")
    assert at.world.players[1].ant == OFF_BOARD
    at.goes_on("respawn", [1])
    assert at.pad(0) == "5/4/3"
    assert at.world.players[0].used[3] == 1
    assert at.pad(1) == "5/4/4"


def test_a7_a_cone_falls_after_the_steps(table):
    at = table("A7", "0 d4, 1 d6")
    at.plan("0: W, cone d5; 1: S, cone h1")
    at.shows("1 d5 X=d5,h1")
    assert at.pad(0) == at.pad(1) == "4/4/4"
    at.plan("0: W|1: S")
    at.shows("1 d4")
    assert at.refused(1, "Go", "N") == NEVER


def test_a8_water_hits_and_splashes(table):
    at = table("A8", "0 d4, 1 d6")
    at.plan("0: W, water d5, gesture -; 1: S")
    at.shows("0 b3")
    at.goes_on("water", [0])
    at.choose(0, "NE")
    at.shows("1 e6")
    assert at.pad(0) == "5/3/4"
    assert at.world.players[0].used[2] == 1


def test_a9_water_beside_an_ant(table):
    at = table("A9", "0 c3, 1 d6")
    at.plan("0: N, water d6; 1: S")
    at.shows("1 d4")
    assert at.pad(0) == "5/3/4"
    at.goes_on("plan")
    at = table("A9", "0 c3, 1 d6")
    at.play("0: N, water f1; 1: S")
    at.shows("1 d5")
    assert at.pad(0) == "5/4/4"


def test_a10_water_without_effect_is_returned(table):
    at = table("A10", "0 h2, 1 c3")
    at.plan("0: N; 1: N, water g3")
    at.shows("0 h3")
    assert at.pad(1) == "5/4/4"
    assert at.world.players[1].used == [0, 0, 0, 0]


def test_a11_a_chain_moves_or_nobody(table):
    at = table("A11", "0 d2, 1 d5, 2 h4", 3)
    at.plan("0: N; 1: S; 2: N, water d2")
    at.shows("0 d4, 1 d5")
    assert at.pad(2) == "5/3/4"
    at = table("", "0 d2, 1 e5, 2 h4, X=d5", 3)
    at.plan("0: N; 1: SW; 2: N, water d2")
    at.shows("0 d3, 1 d4")
    assert at.pad(2) == "5/4/4"


def test_a12_water_comes_before_glass(table):
    at = table("A12", "0 d4, 1 d6")
    at.plan("0: W, glass d5; 1: S, water d5")
    at.shows("0 b3")
    at.goes_on("water", [1])
    at.choose(1, "N")
    at.shows("1 d6")
    at.goes_on("plan")
    assert at.pad(0) == "5/4/4"
    assert at.pad(1) == "5/3/4"


def test_a13_paper_throws_first(table):
    at = table("A13", "0 d4, 1 h8")
    at.plan("0: W,R, cone f5; 1: S,P, cone f5")
    assert at.world.cones == {NAMES.index("f5"): 1}
    assert [at.pad(0), at.pad(1)] == ["5/4/4", "4/4/4"]


def test_a14_ants_turn_around(table):
    at = table("A14", "0 d7, 1 e2")
    at.plan("0: N; 1: S")
    at.shows("0 d8*, 1 e1*")
    at.goes_on("plan")
    assert len(at.told("Turned around")) == 2


def test_a15_home_again_wins(table):
    at = table("A15", "0 d2*, 1 h5")
    at.plan("0: S; 1: S")
    assert at.outcome.winners() == [0]
    assert at.state.over
    at = table("A15", "0 d2*, 1 h7*")
    at.play("0: S; 1: N")
    assert at.outcome.winners() == [0, 1]


def test_a16_an_ant_burnt_on_arrival_has_not_arrived(table):
    at = table("A16", "0 d2*, 1 h5")
    at.plan("0: S; 1: S, glass d1")
    assert at.outcome is None
    assert at.world.players[0].ant == OFF_BOARD
    assert not at.world.players[0].turned
    at.goes_on("respawn", [0])
    assert at.refused(0, "Enter", "a2") == NEVER
    at.enter(0, "a1")
    at.close()
    at.shows("0 a1")
    at.goes_on("plan")
    assert at.refused(0, "Go", "N") == 0


def test_a17_an_ant_without_a_step_stays(table):
    at = table("A17", "0 a1|X=a2 b1 b2")
    at.place("1 h5")
    assert at.refused(0, "Go", "N") == NEVER
    at.insert(0, "Throw", "water", "h4")
    at.play("0: stay; 1: S")
    at.shows("0 a1, 1 h4")
    at.goes_on("water", [0])
    assert at.offers() == [1, 5, 6, 7, 8]


def test_a18_the_shorter_game(table):
    at = table("A18", "0 b7", goal="there")
    at.place("1 h8")
    at.plan("0: NW")
    at.shows("0 a8")
    assert at.outcome.winners() == [0]


def test_a19_the_guard_of_the_corners(table):
    for guard in ("auto", "off"):
        at = table("A19", "0 a1, 1 h8", layout="corners", cone_guard=guard)
        at.plan("0: NE, cone h7; 1: SW, cone g8")
        at.plan("0: NE, cone g7; 1: SW")
        assert at.pad(0) == ("4/4/4" if guard == "auto" else "3/4/4")
        at.shows("X=h7,g8" if guard == "auto" else "X=h7,g8,g7")


def test_a20_three_ants_meet(table):
    at = table("A20", "0 d4, 1 d6, 2 c5, 3 e6", 4)
    at.plan("0: N,S; 1: S,P; 2: E,P; 3: N,R")
    at.shows("0 d5, 1 d5, 2 d5")
    at.goes_on("push", [0])
    at.choose(0, "N")
    at.shows("1 d6")
    at.goes_on("push", [0])
    assert at.offers() == [2, 3, 4, 5, 6, 7, 8]
    at.choose(0, "S")
    at.shows("2 d4")
    at.goes_on("plan")


def test_a21_the_own_ant_can_be_hit(table):
    at = table("A21", "0 d4, 1 g7")
    at.plan("0: N, water d5")
    at.goes_on("water", [0])
    at.choose(0, "N")
    at.shows("0 d6")
    assert at.pad(0) == "5/3/4"


def test_a22_two_ants_enter_at_one_corner(table):
    at = table("", "")
    at.state = opening(RULESET, parse_options(RULESET.options, {}), 4, b"").state
    at.goes_on("setup")
    for seat, name in enumerate(("a1", "h8", "a1", "h4")):
        at.enter(seat, name)
    at.close()
    at.shows("0 a1, 1 h8, 2 a2, 3 h4")
    assert [report.to for report in at.told("Order failed")] == [2]
    homes = [{NAMES[home] for home in course.home} for course in COURSES[SIDES][:3]]
    assert homes == [
        {f"{column}1" for column in "abcdefgh"},
        {f"{column}8" for column in "abcdefgh"},
        {f"a{row}" for row in range(1, 9)},
    ]


def test_a23_an_empty_pad(table):
    at = table("", "0 d4, 1 h8")
    at.world.players[0].pad = [0, 5, 4, 0]
    assert at.refused(0, "Throw", "glass", "d6") == NEVER
    assert at.pad(0) == "5/4/0"
    at = table("", "0 d4, 1 h8")
    for number, way in enumerate(("N", "S", "N", "S", "N")):
        at.play(f"0: {way}, cone {'abcde'[number]}1")
    assert at.pad(0) == "0/4/4"
    assert at.refused(0, "Throw", "cone", "h4") == NEVER
    at = table("", "0 d2, 1 h8")
    for number in range(4):
        at.play(f"0: N, water d{3 + number}")
        at.choose(0, "W")
        at.place(f"0 d{3 + number}")
    assert at.pad(0) == "5/0/4"
    assert at.refused(0, "Throw", "water", "h4") == NEVER


def test_a24_what_the_absent_do(table):
    at = table("A24", "0 d4, 1 h8")
    at.close()
    at.shows("0 d5, 1 h7")
    assert not at.told("Weapon")


def test_a25_a_cone_does_not_save_an_ant(table):
    at = table("A25", "0 d4, 1 d6")
    at.plan("0: W, glass d5; 1: S, cone d5")
    assert at.world.players[1].ant == OFF_BOARD
    at.shows("X=d5")


def test_a26_plans_are_secret_until_they_are_revealed(table):
    at = table("", "0 d4, 1 d6")
    before = view(RULESET, at.world, 1)
    at.insert(0, "Throw", "glass", "d5")
    at.insert(0, "Go", "N", "P")
    assert view(RULESET, at.world, 1) == before
    assert at.state.plan(1).before == ()
    assert at.refused(1, "Go", "W", on=at.world.ant(0)) == DENIED
    at.play("1: W")
    (told,) = at.told("Reveal")
    assert told.to is None
    assert told.body.split("\n") == [
        "{player 0}: d4 N, throws magnifying glass at d5, paper",
        "{player 1}: d6 W, throws nothing, no preference",
    ]
    ant = RULESET.kinds["ant"]
    assert ant.role is Role.FLEET
    assert "water" not in {kind.title.lower() for kind in RULESET.kinds.values()}


def test_a27_refusals_of_throws_and_pushes(table):
    at = table("", "0 d4, 1 d6, X=e4")
    for weapon in ("cone", "water", "glass"):
        assert at.refused(0, "Throw", weapon, "e4") == NEVER
    at.insert(0, "Throw", "cone", "a1")
    assert at.refused(0, "Throw", "glass", "a2") == LATER
    assert at.refused(0, "Go", "N", on=at.world.ant(1)) == DENIED
    at.play("0: N,R; 1: S,P")
    at.goes_on("push", [1])
    assert at.refused(1, "Throw", "glass", "a2") == LATER
    assert at.refused(0, "Push", "N") == LATER
    assert at.refused(1, "Push", "N") == 0


def test_a28_no_room_at_home_and_none_beside_a_clash(table):
    at = table("", "1 d6, X=" + " ".join(f"{column}1" for column in "abcdefgh"))
    at.goes_on("respawn", [0])
    assert [NAMES[square] for square in at.world.offered(0)] == [f"{column}2" for column in "abcdefgh"]
    assert at.refused(0, "Enter", "a1") == NEVER
    assert at.refused(0, "Enter", "c2") == 0
    at = table("A28", "0 a1|X=a2 b1 b2")
    at.place("1 b1")
    at.plan("0 stay,R; 1: W,P")
    at.goes_on("plan")
    (clash,) = at.told("Clash")
    assert "{player 1} wins" in clash.body
    at.shows("0 c1, 1 a1*")  # row 1 is the far side of seat 1
