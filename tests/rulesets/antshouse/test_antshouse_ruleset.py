"""Antshouse beyond its vectors: views, reports, refusals, options.

Defaults and rare positions are covered, too.
"""

from __future__ import annotations

from typing import Any

import pytest

from tprules.antshouse import RULESET
from tprules.antshouse.board import COURSES, NAMES, NEXT, by_distance, nearest, way_open
from tprules.antshouse.orders import DIRECTION, GESTURE, ORDER_REASONS, SQUARE, TARGET, WEAPON, Go
from tprules.antshouse.world import OFF_BOARD
from tprules.api import Amount, OptionError, Refusal, Role, Ships, parse_options
from tprules.api.advance import opening
from tprules.api.order_checks import apply, insertion, removal
from tprules.api.ruleset import find_phase
from tprules.testing import check, view

FRAME, NEVER, LATER, NOTHING, DENIED = 1, 2, 3, 4, 5


def opened(seats: int = 2, **options: Any) -> Any:
    """Return a game that has just opened."""
    return opening(RULESET, parse_options(RULESET.options, options), seats, b"x").state


def refusal(at: Any, seat: int, on: int, name: str, args: dict[str, Any]) -> Refusal:
    """Return why an order is refused."""
    with pytest.raises(Refusal) as refused:
        insertion(RULESET, at.state, seat, on, name, args)
    return refused.value


# The board.


def test_directions_go_round_the_compass():
    """1 is north, 3 east, 5 south, 7 west; a1 is in the south-west corner."""
    a1, d4 = NAMES.index("a1"), NAMES.index("d4")
    around = [NAMES[square] for square in NEXT[d4]]
    assert around == ["d4", "d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5"]
    assert [NAMES[square] if square >= 0 else "" for square in NEXT[a1]] == ["a1", "a2", "b2", "b1", *[""] * 5]


@pytest.mark.parametrize(
    ("layout", "homes", "fars"),
    [("sides", ("a1", "a8", "a1", "h1"), ("a8", "a1", "h1", "a1")), ("corners", ("a1", "h8", "h1", "a8"), None)],
)
def test_courses_lead_across(layout, homes, fars):
    """South, north, west, east; in the other layout a1, h8, h1, a8; far is the opposite side or corner (R7, R34)."""
    for seat, course in enumerate(COURSES[layout]):
        assert NAMES[course.home[0]] == homes[seat]
        assert all(course.to_home[square] == 7 for square in course.far)
        assert all(course.to_far[square] == 7 for square in course.home)
        assert sorted(square for ring in course.rings for square in ring) == list(range(64))
        if fars:
            assert NAMES[course.far[0]] == fars[seat]
        else:
            assert course.far == (63 - course.home[0],)


def test_a_wall_closes_the_sides_but_not_with_a_gap():
    """Seven cones in a row leave a way, eight do not; another seat goes along the wall (R24)."""
    wall = {NAMES.index(f"{column}4") for column in "abcdefgh"}
    assert not way_open("sides", 0, wall)
    assert way_open("sides", 0, wall - {NAMES.index("h4")})
    assert way_open("sides", 2, wall)
    assert not way_open("corners", 0, {0})


# What clients see.


def test_the_object_tree():
    """Universe, pavement, 64 squares with their ground, and for each player a side with the kid who holds the ant."""
    seen = view(RULESET, opened().world, 0)
    assert len(seen) == 2 + 2 * 64 + 2 * 3
    assert (seen[0].kind, seen[0].numbers) == ("universe", (0, 0))
    assert seen[1][:5] == ("pavement", "The Pavement", 0, (0, 0, 0), 8000)
    assert seen[2][:4] == ("square", "a1", 1, (0, 0, 0))
    assert seen[3][:4] == ("ground", "Ground of a1", 2, (0, 0, 0))
    assert seen[128][:4] == ("square", "h8", 1, (7000, 7000, 0))
    assert seen[130][:4] == ("home", "{player 0}'s Side", 1, (3500, -2000, 0))
    assert seen[131][:4] == ("kid", "{player 0}'s Kid", 130, (3500, -2000, 0))
    assert seen[132][:4] == ("ant", "Ant of {player 0}", 131, (3500, -2000, 0))
    assert [seen[oid].owner for oid in (130, 131, 132, 134, 135)] == [None, 0, 0, 1, 1]
    roles = [RULESET.kinds[seen[oid].kind].role for oid in (0, 1, 2, 3, 132)]
    assert roles == [Role.UNIVERSE, Role.GALAXY, Role.STAR_SYSTEM, Role.PLANET, Role.FLEET]


def test_kids_sit_beside_their_side():
    """2000 outside of the board (page, 7)."""
    sides = [view(RULESET, opened(4).world, None)[131 + 3 * seat].at for seat in range(4)]
    assert sides == [(3500, -2000, 0), (3500, 9000, 0), (-2000, 3500, 0), (9000, 3500, 0)]
    corners = [view(RULESET, opened(4, layout="corners").world, None)[131 + 3 * seat].at for seat in range(4)]
    assert corners == [(-2000, -2000, 0), (9000, 9000, 0), (9000, -2000, 0), (-2000, 9000, 0)]


def test_resources_of_pads_squares_and_ants(table):
    """The pad with what is used up; cone, home and hit on the ground; goal distance and turned on the ant."""
    at = table("", "0 d4*, 1 d6", 2)
    at.play("0: W, cone h8; 1: S, water d4")
    seen = view(RULESET, at.world, None)
    assert seen[131].resources == (Amount(1, 4), Amount(2, 4), Amount(3, 4), Amount(7, 0), Amount(9, 1))
    assert seen[134].resources[1] == Amount(2, 3, 0, 1), "both ants were beside d4"
    h8 = at.world.system(NAMES.index("h8"))
    assert seen[h8 + 1].resources == (Amount(1, 1), Amount(6, 1), Amount(8, 1))
    d6, d4 = NAMES.index("d6"), NAMES.index("d4")
    assert seen[at.world.system(d4) + 1].resources == (Amount(8, 1),)
    assert (seen[135].parent, seen[135].resources) == (at.world.system(d6), (Amount(4, 5), Amount(5, 0)))
    assert seen[132].resources == (Amount(4, 3), Amount(5, 1))
    assert seen[132].numbers == (1,)
    cone = seen[136]
    assert (cone.kind, cone.parent, cone.owner, cone.ships) == ("cone", h8, 0, (Ships(2),))


def test_a_corner_is_home_of_two():
    """Its amount is 1 like that of any home, as old clients add amounts up; the regions name both (page, 7)."""
    world = opened(4).world
    assert view(RULESET, world, None)[3].resources == (Amount(6, 1),)
    a1 = world.system(NAMES.index("a1"))
    assert [region.owner for region in RULESET.regions(world, None) if a1 in region.places] == [0, 2]


def test_ants_lie_and_are_no_water():
    """R36: the design of an ant is a pyramid on its side; water is a resource and no object at all."""
    designs = {design.name: design.help for design in RULESET.catalogue.designs}
    assert "on its side" in designs["Ant"]
    assert "Water" not in designs
    assert RULESET.resources[1].name == "Water"


def test_the_universe_tells_round_and_phase(table):
    """0 setup, 1 plan, 2 push, 3 water, 4 respawn, 5 over (page, 7)."""
    at = table("", "0 d4, 1 d6")
    assert view(RULESET, at.world, None)[0].numbers == (1, 1)
    at.play("0: N, P, glass d6; 1: S,R")
    assert view(RULESET, at.world, None)[0].numbers == (1, 2)
    at.choose(0, "N")
    assert view(RULESET, at.world, None)[0].numbers == (1, 4)
    at.enter(1, "h8")
    at.close()
    at.play("0: N, water g7; 1: SW")
    assert view(RULESET, at.world, None)[0].numbers == (2, 3)
    at.choose(0, "N")
    at.place("0 e2*")
    at.play("0: S")
    assert view(RULESET, at.world, None)[0].numbers == (3, 5)


def test_titles_say_who_does_what(table):
    """Names of turns are public, and stand for players as {player n}."""

    def title(at: Any) -> str:
        return find_phase(RULESET, at.state.phase).title(at.world)

    at = table("", "0 d4, 1 d6")
    assert title(at) == "Round 1: all plan a step and a throw"
    at.play("0: N,P, glass d6; 1: S,R")
    assert title(at) == "Round 1: {player 0} pushes the ant of {player 1} on d5"
    at.choose(0, "N")
    assert title(at) == "Round 1: a new ant for {player 1}"


# What is told.


def test_who_has_to_choose_is_told(table):
    """Only the one who chooses is asked; everybody hears of the clash and of each weapon (page, 7)."""
    at = table("", "0 d4, 1 d6")
    at.play("0: N,P, water d6; 1: S,R, glass a1")
    assert [(report.to, report.subject) for report in at.reports] == [
        (None, "Reveal"),
        (None, "Clash"),
        (0, "Choose a push"),
    ]
    assert "{player 0} (paper) and {player 1} (rock) meet on d5" in at.told("Clash")[0].body
    at.choose(0, "N")
    assert [(report.to, report.subject) for report in at.reports] == [
        (None, "Pushed"),
        (None, "Weapon"),
        (0, "Choose where the water takes it"),
    ]
    at.choose(0, "W")
    assert [(report.to, report.subject) for report in at.reports] == [(None, "Flushed"), (None, "Weapon")]
    assert "no ant is there; the pyramid goes back to the pad" in at.reports[-1].body


def test_a_burnt_ant_is_mourned_and_replaced(table):
    """Everybody hears of the death, the owner is asked for a new ant."""
    at = table("", "0 d4, 1 d6*")
    at.play("0: W, glass d5; 1: S")
    assert [(report.to, report.subject) for report in at.reports][-2:] == [(None, "Ant burnt"), (1, "Enter a new ant")]
    assert at.world.players[1].deaths == 1
    assert view(RULESET, at.world, None)[135].parent == 134


def test_the_steps_to_go_lead_there_and_home_again(table):
    """On the way there the way home counts, too, unless the game ends on the other side."""
    at = table("", "0 d2, 1 h5*")
    before = [at.world.to_goal(seat, player.ant) for seat, player in enumerate(at.world.players)]
    home = min(at.world.course(0).to_home[square] for square in at.world.course(0).far)
    assert home > 0
    assert [row["Steps to go"] for row in RULESET.scores(at.world, 0).values()] == [before[0] + home, before[1]]
    at = table("", "0 d2, 1 h5*", goal="there")
    assert RULESET.scores(at.world, 0)[0]["Steps to go"] == at.world.to_goal(0, at.world.players[0].ant)


def test_the_end_is_told_with_places(table):
    """The winner has place 1, the others come behind; in a draw all share place 1."""
    at = table("", "0 d2*, 1 h5, 2 c5", 3)
    at.play("0: S; 1: S; 2: E")
    assert at.told("Game over")[0].body == "{player 0} wins: home again."
    assert at.outcome.places == {0: 1, 1: 2, 2: 2}
    assert at.outcome.figures[1] == {"Goal distance": 3, "Turned": 0, "Deaths": 0}
    at = table("", "0 d2*, 1 h7*, 2 c5", 3)
    at.play("0: S; 1: N; 2: E")
    assert at.told("Game over")[0].body == "{player 0} and {player 1} share the victory: home again."
    assert at.outcome.places == {0: 1, 1: 1, 2: 3}
    at = table("", "0 d4, 1 h5", max_rounds=10)
    at.world.round = 10
    at.close()
    assert at.outcome.why == "rounds"
    assert at.outcome.places == {0: 1, 1: 1}
    assert at.told("Game over")[0].body == "It is a draw: the last round has been played."


# Refusals.


def test_classes_of_refusals(table):
    """Every reason has the code of its class on the page (page, 4)."""
    codes = {reason: int(code) for reason, (code, _) in ORDER_REASONS.items()}
    assert codes == {
        "nosuch": NOTHING,
        "queued": LATER,
        **dict.fromkeys(["notsquare", "start", "edge", "cone", "stay", "pad", "own", "barred"], NEVER),
    }
    at = table("", "0 a1, 1 d6, X=b1")
    world = at.world
    ant, kid = world.ant(0), world.kid(0)
    north, wrong = {DIRECTION: [[1, 1]], GESTURE: [[0, 1]]}, {WEAPON: [[1, 1]], TARGET: 2}
    for on, name, args, code, reason in (
        (ant, "Go", north | {DIRECTION: [[9, 1]]}, FRAME, "choice"),
        (ant, "Go", north | {GESTURE: [[4, 1]]}, FRAME, "choice"),
        (ant, "Go", north | {DIRECTION: [[1, 2]]}, FRAME, "choice"),
        (ant, "Go", north | {DIRECTION: [[1, 1], [2, 1]]}, FRAME, "choice"),
        (ant, "Go", {DIRECTION: [[1, 1]]}, FRAME, "form"),
        (ant, "Go", north | {DIRECTION: [[0, 1]]}, NEVER, "stay"),
        (ant, "Go", north | {DIRECTION: [[5, 1]]}, NEVER, "edge"),
        (ant, "Go", north | {DIRECTION: [[3, 1]]}, NEVER, "cone"),
        (kid, "Go", north, NEVER, "kind"),
        (world.ant(1), "Go", north, DENIED, "owner"),
        (0, "Go", north, DENIED, "owner"),
        (9999, "Go", north, NOTHING, "nosuch"),
        (ant, "Fly", north, NOTHING, "kind"),
        (kid, "Throw", wrong, NEVER, "own"),
        (kid, "Throw", wrong | {TARGET: 4}, NEVER, "barred"),
        (kid, "Throw", wrong | {TARGET: ant}, NEVER, "notsquare"),
        (kid, "Throw", wrong | {TARGET: world.home(0)}, NEVER, "notsquare"),
        (kid, "Throw", wrong | {TARGET: 9999}, NOTHING, "nosuch"),
        (kid, "Throw", wrong | {WEAPON: [[4, 1]]}, FRAME, "choice"),
        (kid, "Enter", {SQUARE: 2}, LATER, "phase"),
        (kid, "Push", {DIRECTION: [[1, 1]]}, LATER, "phase"),
    ):
        found = refusal(at, 0, on, name, args)
        assert (int(found.code), found.reason) == (code, reason), (name, args)
    assert world == table("", "0 a1, 1 d6, X=b1").world


def test_one_order_of_each_type(table):
    """A second Go or Throw is refused until the first is removed; a draft does not count (page, 4)."""
    at = table("", "0 d4, 1 d6")
    kid, ant = at.world.kid(0), at.world.ant(0)
    draft = insertion(RULESET, at.state, 0, ant, "Go", {DIRECTION: [], GESTURE: []})
    assert draft.order.draft
    apply(at.state, draft)
    at.insert(0, "Go", "N")
    assert at.refused(0, "Go", "S") == LATER
    apply(at.state, removal(RULESET, at.state, 0, ant, 1))
    assert at.refused(0, "Go", "S") == 0
    at.insert(0, "Throw", "cone", "h8")
    assert at.refused(0, "Throw", "cone", "h8") == LATER
    apply(at.state, removal(RULESET, at.state, 0, kid, 0))
    assert at.refused(0, "Throw", "water", "h8") == 0


def test_ground_may_stand_for_its_square(table):
    """Clients that name the planet of a square mean the square."""
    at = table("", "0 d4, 1 d6")
    at.insert(0, "Throw", "cone", at.world.system(NAMES.index("h8")) + 1)
    at.close()
    at.shows("X=h8")


def test_choices_outside_of_what_is_offered(table):
    """In a push only what is possible is offered; all else is a bad frame, and over is over (page, 4 and 8)."""
    at = table("", "0 d4, 1 d6, X=c5 e5")
    at.play("0: N,P; 1: S,R")
    assert at.offers() == [1, 2, 4, 5, 6, 8]
    assert at.refused(0, "Push", "W") == FRAME
    assert at.refused(0, "Push", "N", on=at.world.kid(1)) == DENIED
    at = table("", "0 d2*, 1 h5")
    at.play("0: S")
    assert at.state.over
    assert at.refused(0, "Go", "N") == NEVER
    assert at.refused(0, "Throw", "cone", "a1") == NEVER


def test_the_go_list_names_the_eight_directions(table):
    """R35, with where they lead; what is not possible says why."""
    at = table("", "0 a4, 1 d6, X=a5")
    offers = Go().choices(at.state.plan(0), at.world.ant(0), DIRECTION)
    names = {offer.id: offer.name for offer in offers}
    assert [names[way].split()[0] for way in range(1, 9)] == ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
    assert (names[1], names[2], names[7]) == ("N (a pine cone)", "NE to b5", "W (the edge)")
    assert names[0] == "stay (only where no step is possible)"


def test_orders_are_offered_where_they_make_sense(table):
    """Enter for dead ants, Throw while the pad has something, Push and Flush for the seat that chooses."""
    at = table("", "0 d4, 1 d6")
    seen = view(RULESET, at.world, 0)

    def offered(seat: int, oid: int) -> list[str]:
        taken = find_phase(RULESET, at.state.phase).takes()
        kinds = [kind() for kind in taken if seen[oid].kind in kind.kinds]
        return [kind.name for kind in kinds if kind.offered(at.world, seat, oid, seen[oid])]

    assert offered(0, 131) == ["Throw"]
    assert offered(0, 132) == ["Go"]
    at.world.players[0].pad = [0, 0, 0, 0]
    assert offered(0, 131) == []
    at.play("0: N,P; 1: S,R, glass d5")
    assert (offered(0, 131), offered(1, 134)) == (["Push"], [])
    at.choose(0, "N")
    assert (offered(0, 131), offered(1, 134)) == (["Enter"], [])


def test_who_is_done_without_a_direction_is_warned(table):
    """The sentence names the default; nothing is said where a direction was given."""
    at = table("", "0 d4, 1 h8")
    assert "it will go N" in RULESET.end_turn_hint(at.state.plan(0))
    at.insert(0, "Go", "W")
    assert RULESET.end_turn_hint(at.state.plan(0)) == ""


# Options.


@pytest.mark.parametrize(
    ("option", "bad"),
    [
        ("layout", "round"),
        ("goal", "away"),
        ("contest", "dice"),
        ("cone_guard", "maybe"),
        ("max_rounds", 9),
        ("max_rounds", 1001),
    ],
)
def test_bad_options_are_refused_by_name(option, bad):
    """With what is allowed."""
    with pytest.raises(OptionError) as refused:
        parse_options(RULESET.options, {option: bad})
    assert refused.value.option == option
    assert "1000" in str(refused.value) or "one of" in str(refused.value)


@pytest.mark.parametrize(
    ("layout", "guard", "on"),
    [("sides", "auto", False), ("corners", "auto", True), ("sides", "on", True), ("corners", "off", False)],
)
def test_the_guard_goes_by_the_layout_unless_it_is_said(layout, guard, on):
    """Option cone_guard (page, 2)."""
    assert opened(layout=layout, cone_guard=guard).world.settings.guard is on


def test_the_guard_works_on_sides_too(table):
    """The eighth cone of a wall goes back to the pad."""
    at = table("", "0 d2, 1 d7, X=a4 b4 c4 d4 e4 f4 g4", cone_guard="on")
    at.play("0: N, cone h4")
    assert len(at.world.cones) == 7
    assert at.pad(0) == "5/4/4"


# Rare positions.


def test_where_absent_players_enter(table):
    """Nearest to the centre, by column and then by row (page, 5)."""
    for layout, places in (("sides", ["d1", "d8", "a4", "h4"]), ("corners", ["a1", "h8", "h1", "a8"])):
        at = table("", "")
        at.state = opened(4, layout=layout)
        at.close()
        assert [NAMES[player.ant] for player in at.world.players] == places


def test_a_choice_that_nobody_makes(table):
    """The lowest possible direction, for a push and for water (page, 5)."""
    at = table("", "0 d4, 1 d6, X=d6")
    at.play("0: N,P, water d5; 1: S,R")
    at.goes_on("push", [0])
    at.close()
    at.shows("1 f7")  # pushed north-east, and on by the water
    at.goes_on("water", [0])
    at.close()
    at.shows("0 e6")


def test_a_throw_without_a_step(table):
    """A seat that orders only a throw steps by default. The throw counts (page, 5)."""
    at = table("", "0 d4, 1 h8")
    at.insert(0, "Throw", "cone", "a1")
    at.close()
    at.shows("0 d5 X=a1")


def test_two_dead_ants_enter_at_one_square(table):
    """R8 also after deaths: the higher seat takes the nearest square of its own home that is free."""
    at = table("", "1 e5, 3 f5", 4)
    at.goes_on("respawn", [0, 2])
    at.enter(0, "a1")
    at.enter(2, "a1")
    at.close()
    at.shows("0 a1, 2 a2")
    at = table("", "1 e5, 2 f5", 4)
    at.enter(0, "h1")
    at.enter(3, "h1")
    at.close()
    at.shows("0 h1, 3 h2")  # g1 is as near, but no home of seat 3


def test_the_nearest_square_goes_by_column_then_row():
    """R8, where R21 goes by row and then by column."""
    a1, a2, b1, b2 = (NAMES.index(name) for name in ("a1", "a2", "b1", "b2"))
    assert nearest(a1, [b2, b1, a2]) == a2
    assert by_distance(a1)[:4] == (a1, b1, a2, b2)


def test_an_ant_burnt_with_all_homes_taken(table):
    """R34: a taken corner is replaced by the nearest ring of squares."""
    at = table("", "1 d5, X=a1", layout="corners", cone_guard="off")
    assert sorted(NAMES[square] for square in at.world.offered(0)) == ["a2", "b1", "b2"]
    assert at.refused(0, "Enter", "a1") == NEVER
    at.enter(0, "b2")
    at.close()
    at.shows("0 b2")


def test_a_chain_does_not_enter_cones(table):
    """R26 and invariant 7: an ant that stands under a cone is not pushed into, and so the chain stays."""
    at = table("", "0 d2, 1 d5, 2 h4", 3)
    at.play("0: N; 1: S, cone d4; 2: N, water d2")
    at.shows("0 d3, 1 d4")
    assert at.pad(2) == "5/4/4"


def test_an_ant_that_water_cannot_move_stays(table):
    """R25: no room around it. The water counts as a success anyway."""
    at = table("", "0 a2, 1 h8, X=a3 b3 b2 b1")
    at.play("0: S; 1: S, water a1")
    at.goes_on("water", [1])
    at = table("", "0 a2, 1 h8, X=a3 b3 b2 b1 a2")
    at.play("0: S; 1: S, water a1")
    at.goes_on("plan")
    at.shows("0 a1")
    assert at.pad(1) == "5/3/4"


def test_an_eternal_round_is_a_draw(table):
    """No ant has a step and no pad a pyramid: nothing can ever change (page, 8)."""
    at = table("", "0 a1, 1 h8, X=a2 b1 b2 g8 g7 h7")
    for player in at.world.players:
        player.pad = [0, 0, 0, 0]
    at.world.players[1].pad[1] = 1
    at.close()
    at.goes_on("plan")
    at.world.players[1].pad[1] = 0
    at.close()
    assert at.outcome.why == "stuck"
    assert at.outcome.places == {0: 1, 1: 1}


def test_gestures_and_chance(table):
    """Three kinds, one kind or none: chance decides; with rng gestures count for nothing (page, 5)."""
    for gestures, contest in ((("R", "P", "S"), "gesture"), (("R", "R", "R"), "gesture"), (("P", "R", "R"), "rng")):
        winners = set()
        for seed in range(30):
            at = table("", "0 d4, 1 d6, 2 c5", 3, contest=contest)
            at.seed = f"{seed}".encode()
            at.play("0: N,{}; 1: S,{}; 2: E,{}".format(*gestures))
            winners.update(at.active)
        assert winners == {0, 1, 2}
    for gestures, winner in ((("R", "S"), 0), (("S", "P"), 0), (("P", "R"), 0), (("S", "R"), 1)):
        at = table("", "0 d4, 1 d6")
        at.play("0: N,{}; 1: S,{}".format(*gestures))
        at.goes_on("push", [winner])


def test_a_gesture_that_nobody_chose_is_drawn(table):
    """Against rock both may win, and everybody hears of a gesture that there is (page, 5)."""
    winners = set()
    for seed in range(30):
        at = table("", "0 d4, 1 d6")
        at.seed = f"{seed}".encode()
        at.play("0: N; 1: S,R")
        winners.update(at.active)
        assert "no preference" not in at.told("Clash")[0].body
    assert winners == {0, 1}


def test_throws_are_ranked_after_a_push_too(table):
    """R15: small before large, from any seat."""
    at = table("", "0 d4, 1 d6")
    at.play("0: N,P, glass a1; 1: S,R, water h8")
    at.choose(0, "N")
    assert [event.facts["weapon"] for event in at.events if event.name == "weapon"] == ["water", "magnifying glass"]


def test_a_burnt_ant_loses_what_it_had(table):
    """R27: the turned flag is lost, and the way begins again."""
    at = table("", "0 d4*, 1 d6")
    at.play("0: N; 1: W, glass d5")
    assert at.world.players[0].ant == OFF_BOARD
    at.enter(0, "d1")
    at.close()
    at.shows("0 d1")
    assert at.world.to_goal(0, at.world.players[0].ant) == 7


# Conformance.


@pytest.mark.thorough
def test_antshouse_conforms():
    """Every promise of the api, with 2, 3 and 4 players, also in other processes."""
    summary = check(RULESET, games=3, options={"max_rounds": 20})
    assert summary.games == 3
    assert summary.moves_tried > 500
    assert summary.refusals > 500
    assert summary.turns_in_other_processes > 20


@pytest.mark.thorough
def test_antshouse_conforms_in_the_corners():
    """The same where ants meet, die and wait for each other."""
    options = {"layout": "corners", "max_rounds": 25, "contest": "rng"}
    summary = check(RULESET, games=2, seats=4, options=options, bot=RULESET.bot, processes=False)
    assert summary.turns > 30
