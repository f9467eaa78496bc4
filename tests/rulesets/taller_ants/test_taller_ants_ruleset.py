"""Taller-Ants beyond its vectors: conformance, options, maps, views."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tprules.api import Dice, OptionError, Refusal, canonical, parse_options
from tprules.api.advance import advance, dump_state, load_state, opening
from tprules.api.order_checks import apply, insertion, removal
from tprules.kit.dijkstra import costs_to
from tprules.taller_ants import RULESET, designs, orders, resources
from tprules.taller_ants.board import MEADOW, Board, read_board
from tprules.taller_ants.orders import ILLEGAL
from tprules.testing import check, play, random_bot, view
from tprules.testing.play import give_orders


def _opened(seats=2, **options):
    return opening(RULESET, parse_options(RULESET.options, options), seats, b"ruleset").state


# The contract of rulesets.


@pytest.mark.thorough
@pytest.mark.parametrize("underground", ["open", "own"])
def test_conforms(disguise, underground):
    """Every promise of the api, with open and with hidden colonies; stances and what is below stay secret."""
    options = {"max_rounds": 5, "underground": underground, "map": "text", "map_text": _small()}
    summary = check(RULESET, games=2, options=options, twins=2, disguise=disguise, processes=underground == "own")
    assert summary.games == 2
    assert summary.moves_tried > 200
    assert summary.answers_compared > 200


def _small() -> str:
    rows = [["."] * 8 for _ in range(8)]
    rows[0][0] = rows[7][0] = "F"
    rows[3][3] = rows[3][4] = rows[4][3] = "~"
    return "/".join("".join(row) for row in rows)


def test_play_without_orders_ends_by_score():
    """Absent players get nothing done, and the last round is the end."""
    played = play(RULESET, {"max_rounds": 5}, 3, bot=lambda turn: None)
    assert played.outcome.why == "rounds"
    assert played.turns == 1 + 3 * 5
    assert played.outcome.figures[1]["Ants"] == 20
    assert played.outcome.figures[0]["Cocooned"] == 10


# Options and maps.


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"ant_players": 1}, "ant_players"),
        ({"ant_players": 3}, "ant_players"),
        ({"web_goal_percent": 9}, "web_goal_percent"),
        ({"cocoon_goal": 0}, "cocoon_goal"),
        ({"food_goal": 1001}, "food_goal"),
        ({"ants_goal": 4}, "ants_goal"),
        ({"start_cocooned": 31}, "start_cocooned"),
        ({"spider_hp": 0}, "spider_hp"),
        ({"queen_hp": 101}, "queen_hp"),
        ({"max_spiders": 11}, "max_spiders"),
        ({"store_per_square": -1}, "store_per_square"),
        ({"ant_hatch_delay": 6}, "ant_hatch_delay"),
        ({"ant_hatch_food": 6}, "ant_hatch_food"),
        ({"ward_cost_mp": "x"}, "ward_cost_mp"),
        ({"web_under_ants": "perhaps"}, "web_under_ants"),
        ({"phase_steps": 6}, "phase_steps"),
        ({"underground": "closed"}, "underground"),
        ({"ant_order": "random"}, "ant_order"),
        ({"places": "corner"}, "places"),
        ({"ant_setup": "three_groups"}, "ant_setup"),
        ({"map": "desert"}, "map"),
        ({"max_rounds": 4}, "max_rounds"),
        ({"seal_rounds": 101}, "seal_rounds"),
    ],
)
def test_bad_options_refuse_the_game(options, name):
    """Option and limits are named (page, 2)."""
    with pytest.raises(OptionError) as refused:
        _opened(3, **options)
    assert refused.value.option == name
    assert refused.value.text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        ("......../" * 7, "too few lines"),
        ("......./" * 8, "too few columns"),
        ("......../" * 8, "no fungus"),
        ("F......./......../......../......../####x###/......../......../........", "unknown character 'x'"),
        ("F######./#######./########/########/########/########/########/########", "south half has no place"),
        ("F~~~~~~~/~~~~~~~~/~~~~~~~~/~~~~.~~~/~~~~.~~~/~~~~~~~~/~~~~~~~~/~~~~~~~~", "2 places for the spider"),
        ("F......./........./......../......../......../......../......../........", "unequal length"),
        ("F" + "." * 32 + "/" + "......", "too long"),
    ],
)
def test_bad_maps_refuse_the_game(text, what):
    """Each fault is named with line and column."""
    with pytest.raises(OptionError, match=what) as refused:
        _opened(2, map="text", map_text=text)
    assert refused.value.option == "map_text"
    assert "line " in refused.value.text or not text


def test_the_meadow():
    """The default map of the page: narrow water, places, and the same turned around."""
    board = Board.drawn(read_board(MEADOW))
    narrow = [board.coordinates(s) for s in range(board.area) if board.water[s] and not board.wide[s]]
    assert narrow == [(3, 6), (4, 6), (6, 6), (7, 7), (9, 7), (10, 7)]
    assert [board.coordinates(place) for place in board.middle_places] == [(12, 6), (6, 12), (7, 1)]
    assert [board.coordinates(place) for place in board.fungus_places] == [(10, 3), (11, 11), (2, 2)]
    assert [[board.coordinates(place) for place in group] for group in board.fungi] == [
        [(1, 1), (2, 1), (1, 2)],
        [(12, 11), (11, 12), (12, 12)],
    ]
    assert board.drawing == board.drawing[::-1]
    assert sum(board.terrain(square) == 4 for square in range(board.area)) == 6


def test_digits_draw_fungus_groups():
    """F is one group in each half, every digit one of its own."""
    drawing = "FF....3./......../......../......../......3./......../F.1...../........"
    groups = _opened(2, map="text", map_text=drawing).world.fungi.values()
    assert [len(group.squares) for group in groups] == [2, 2, 1, 1]


# What is shown.


def test_objects_and_their_places():
    """Universe > two boards > squares > ground and pieces; homes with the resource that clients look for."""
    state = advance(RULESET, _opened(3), b"").state
    seen = view(RULESET, state.world, None)
    boards = [oid for oid, shown in seen.items() if shown.kind == "board"]
    assert [seen[oid].name for oid in boards] == ["Above", "Below"]
    assert sum(shown.kind == "square" and shown.parent == boards[0] for shown in seen.values()) == 196
    assert sum(shown.kind == "square" and shown.parent == boards[1] for shown in seen.values()) == 196
    homes = [shown for shown in seen.values() if any(row.resource == resources.HOME_PLANET for row in shown.resources)]
    assert [(shown.kind, shown.owner) for shown in homes] == [("brood", 0), ("colony", 1), ("colony", 2)]
    spider = next(shown for shown in seen.values() if shown.kind == "spider")
    assert spider.at == (10000, -3000, 1000)
    assert seen[spider.parent].name == "10, 3"
    assert (resources.HIT_POINT, 20, 0, 0) in spider.resources
    assert (resources.MOVE_POINT, 10, 0, 0) in spider.resources
    group = next(shown for shown in seen.values() if shown.kind == "group")
    assert group.at[2] == 0
    assert group.ships == ((designs.ANTS[0], 5),)
    colony = homes[1]
    assert (resources.FOOD, 30, 70, 100) in colony.resources
    assert (resources.BLACK_ANT, 10, 30, 0) in colony.resources


def test_a_captured_world_in_numbers(position):
    """Fungus, wards, webs, holes, bridges and food are resources of the ground."""
    game = position("H@(6,12) W@(6,12) V@(3,3) f4@(3,3) p2@(4,4) B2@(5,4){bridge=S} F@(9,9)", 1, meadow=True)
    world = game.world

    def rows(x, y, below=False):
        shown = RULESET.show(world, game.square(x, y, below) + 1, "public")
        return {row.resource: (row.stored, row.unavailable) for row in shown.resources}

    assert rows(6, 12) == {resources.WEB: (1, 0), resources.HOLE: (1, 1)}
    assert rows(6, 12, True) == {resources.EXCAVATED: (1, 0), resources.HOLE: (1, 1)}
    assert rows(3, 3) == {resources.FOOD: (4, 0), resources.WARD: (1, 0)}
    assert rows(4, 4) == {resources.WEB_POINT: (2, 0)}
    assert rows(5, 5) == rows(5, 6) == {resources.BRIDGE: (1, 0)}
    assert rows(9, 9) == {resources.FUNGUS: (1, 0)}


def test_own_colonies_hide_what_is_below(position):
    """Section 6: the spider sees dirt, a colony what is near its units or its own; totals stay public."""
    game = position("S@(0,0) 2:B3@(9,9)_ 2:D@(9,9)..(13,9) f5@(13,9)_ B2@(7,9)_ B2@(3,3)_", 1, underground="own")
    world = game.world
    sight = {seat: RULESET.sight(world, seat) for seat in (None, 0, 1, 2)}
    far, near = game.square(13, 9, True), game.square(9, 9, True)
    assert (sight[0][near], sight[1][near], sight[1][far], sight[2][far]) == ("dirt", "public", "dirt", "public")
    assert RULESET.show(world, far + 1, "dirt").resources == ()
    enemy = game.named["B1"]
    assert [enemy in sight[seat] for seat in (None, 0, 1, 2)] == [False, False, True, True]
    assert game.named["B3"] not in sight[2]
    colony = RULESET.show(world, world.home(2) + 1, "public")
    assert any(row.resource == resources.FOOD and row.stored == 5 for row in colony.resources)


@pytest.mark.parametrize("underground", ["open", "own"])
def test_eggs_and_squares_of_hidden_colonies_are_not_counted_for_others(position, underground):
    """Section 6: of what is below only food and ants are public, because they are goals."""
    game = position(
        "S@(0,0) 2:D@(9,9)..(13,9) 2:f5@(13,9)_ 2:B3@(9,9)_{eggs=b} 2:er@(9,9)_", 1, underground=underground
    )
    shown = {}
    for seat in (None, 0, 1, 2):
        colony = view(RULESET, game.world, seat)[game.world.home(2) + 1]
        shown[seat] = {row.resource: row for row in colony.resources}
    assert shown[2][resources.ANT_EGG].stored == 2
    assert shown[2][resources.EXCAVATED].stored == 6
    assert shown[2][resources.FOOD] == (resources.FOOD, 5, 95, 30)
    for seat in (None, 0, 1):
        hidden = underground == "own"
        assert (resources.ANT_EGG in shown[seat], resources.EXCAVATED in shown[seat]) == (not hidden, not hidden)
        assert shown[seat][resources.FOOD] == (resources.FOOD, 5, 95, 0 if hidden else 30)
        assert shown[seat][resources.BLACK_ANT] == shown[2][resources.BLACK_ANT] == (resources.BLACK_ANT, 3, 47, 0)


# Planning.


def test_orders_wait_for_their_own_phase(position):
    """An ant player plans in the spider's phase; drafts and orders are kept until the own one."""
    game = position("S@(5,5) B3@(8,8)")
    game.order("B1", "Move", Square=game.square(8, 6))
    apply(game.state, insertion(RULESET, game.state, 1, game.named["B1"], "Drop", {"Goods": []}))
    game.close()
    assert game.queue("B1") == ["Move", "Drop"]
    assert game.has("B3@(8,8)")
    game.close()
    assert game.has("B3@(8,6)")
    assert "Draft dropped" in game.subjects
    assert game.queue("B1") == []


def test_setup_orders_fill_their_queue():
    """One slot; after a removal there is room again."""
    state = _opened()
    home = state.world.home(1) + 1
    for x in (3, 4):
        args = {"Square": state.world.system(state.world.board.at(x, 12))}
        if x == 4:
            with pytest.raises(Exception, match="chosen already") as refused:
                insertion(RULESET, state, 1, home, "Choose Hole", args)
            assert (refused.value.reason, int(refused.value.code)) == ("QueueFull", 3)
            apply(state, removal(RULESET, state, 1, home, 0))
        apply(state, insertion(RULESET, state, 1, home, "Choose Hole", args))
    world = advance(RULESET, state, b"").state.world
    assert world.board.coordinates(world.colony(1).hole) == (4, 12)


def test_arguments_of_a_wrong_kind(position):
    """BadOrder for what can never be meant, before any other class."""
    game = position("S@(5,5) B3@(5,6) B3@(5,6) Q@(8,8) eb@(5,5)", 1)
    bad = ("BadOrder", 1)
    assert game.refused("B1", "Move", Square="S1") == bad
    assert game.refused("B1", "Group Attack", Target="B2") == bad
    assert game.refused("B1", "Group Attack", Target="e1") == bad
    assert game.refused("B1", "Raise Queen", Egg="B2") == bad
    assert game.refused("S1", "Cocoon", Group="Q1", Size=1, Number=1) == bad
    assert game.refused("S1", "Attack", Target=game.square(5, 6), Choice=1, Limit=0) == bad
    assert game.refused("B1", "Drop", Goods=2) == bad
    assert game.refused("B1", "Excavate", Directions=[0, 0]) == bad
    assert game.refused("B1", "Move", Square=10**6) == ("NoSuchThing", 4)
    assert game.refused("S1", "Lay", Red=1, Black=0, With=1) == ("NotHere", 2)
    game.order("B1", "Move", Square=game.square(5, 9) + 1)  # the ground of a square stands for it


def test_every_reason_word_has_a_sentence():
    """The reasons that the orders give are exactly those that are explained to players."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in Path(orders.__file__).parent.glob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    given = [call.args[-1] for call in calls if ast.unparse(call.func) in ("Illegal", "illegal_if")]
    assert {last.value for last in given if isinstance(last, ast.Constant)} == set(ILLEGAL)
    assert all(text and text[0].islower() for text in ILLEGAL.values())


# Rules without a vector of their own.


def test_units_made_during_a_phase_do_not_act_in_it(position):
    """Section 5: an ant set free in the first turn of a phase keeps its orders for the next phase."""
    game = position("B6@(4,5) S@(5,5)4{captives=1b} S@(0,0) B1@(12,12)", 1, phase_steps=2)
    game.order("B1", "Group Attack", Target="S1")
    game.close(6, 1, 1)
    assert (game.world.active, game.world.step) == (1, 1)
    free = max(group.id for group in game.world.groups(1))
    assert game.world.units[free].place == game.place(5, 5)
    game.named["free"] = free
    game.order("free", "Pick Up", Square=game.square(5, 5), Goods=[[1, 5]])
    game.order("B2", "Move", Square=game.square(12, 10))
    game.close()
    assert game.has("B1@(12,10)")
    assert game.queue("free") == ["Pick Up"]
    assert game["free"].food == 0
    game.close()
    game.close()
    assert game["free"].food == 5


def test_many_moves_without_a_way_take_one_search(position, monkeypatch):
    """Each is dropped anyway. A move that has a way, or finds one after a change, is carried out."""
    searches = []
    monkeypatch.setattr(orders, "costs_to", lambda *given: searches.append(given) or costs_to(*given))
    game = position("B2@(5,5)_ D@(9,9)..(12,9)", 1)
    for x in (9, 10, 11, 12):
        game.order("B1", "Move", Square=game.square(x, 9, True))
    game.order("B1", "Excavate", Directions=[2, 4])
    game.order("B1", "Move", Square=game.square(6, 5, True))
    game.close()
    assert game.reasons == ["no path"] * 4
    assert game.has("B2@(6,5)_[7]")
    assert len(searches) == 2


def test_one_cocooned_ant_is_told_as_one(position):
    """The message goes to both sides."""
    game = position("S@(5,5) B2@(5,6) W@(5,6)")
    game.order("S1", "Cocoon", Group="B1", Size=1, Number=1)
    game.close()
    told = [(report.to, report.body) for report in game.reports if report.subject == "Cocooned"]
    assert told == [(seat, "1 ant of {player 1} was cocooned at 5, 6.") for seat in (0, 1)]


def test_alternating_colonies(position):
    """R66: in even rounds seat 2 comes first."""
    game = position("S@(0,0) B1@(5,5) 2:B1@(9,9)", 2, ant_order="alternate")
    seen = []
    for _ in range(7):
        game.close()
        seen.append(game.world.active)
    assert seen == [0, 2, 1, 0, 1, 2, 0]


def test_eggs_hatch_later_and_for_food(position):
    """Options ant_hatch_delay and ant_hatch_food: the egg waits, and again while food is missing."""
    game = position("Q@(5,5)_10", 1, ant_hatch_delay=2, ant_hatch_food=1)
    game.order("Q1", "Lay", Red=0, Black=1, With=1)
    for _ in range(4):
        game.close()
    assert len(game.world.eggs(1)) == 1
    game.world.food[game.place(5, 6, True)] = 1
    game.close()
    game.close()
    assert game.has("B1@(5,5)_")
    assert not game.world.food


def test_a_carried_fed_egg_hatches_at_its_carrier(position):
    """R16, R29."""
    game = position("S@(5,5){eggs=1,captives=1b}", max_spiders=2)
    game.order("S1", "Feed Egg", Egg="S1", With=1, Number=1)
    game.order("S1", "Move", Square=game.square(7, 5))
    game.close()
    game.close()
    assert [unit.place for unit in game.world.spiders()] == [game.place(7, 5)] * 2


def test_ants_use_cocooned_ants_and_webs(position):
    """R23, R47: two food points each, as many as fit; web points weigh nothing."""
    game = position("B1@(5,5) C4@(5,6) p3@(5,6)", 1)
    game.order("B1", "Pick Up", Square=game.square(5, 6), Goods=[[2, 4], [4, 9]])
    game.close()
    assert game.has("B1@(5,5){food=4,points=3}")
    assert game.has("C2@(5,6)")
    assert not game.world.web_points


def test_a_spider_picks_up_and_drops(position):
    """R26, R78: counters are merged and split at no cost."""
    game = position("S@(5,5) C4@(5,6) c3+1@(5,6)")
    game.order("S1", "Pick Up", Square=game.square(5, 6), Goods=[[2, 3], [3, 9], [4, 9]])
    game.order("S1", "Drop", Goods=[[2, 1], [3, 1]])
    game.close()
    assert game.has("S@(5,5)[20]{cocooned=2,eggs=2,fed=1}")
    assert game.has("C1@(5,6)")
    assert game.has("C1@(5,5)")
    assert game.has("c1@(5,5)")


def test_healing_stops_at_the_top(position):
    """R5: one point for each move point; what is left of the order is dropped."""
    game = position("S@(5,5)17[8]")
    game.order("S1", "Heal", Points=10)
    game.close()
    assert game.has("S@(5,5)20[2]")
    game = position("S@(5,5)17[0]")
    game.order("S1", "Heal", Points=10)
    game.close()
    assert game.queue("S1") == ["Heal"]


def test_a_spider_dies_in_its_own_attack(position):
    """R7, R32: what it had planned goes with it."""
    game = position("S@(5,5)3{captives=1b} S@(0,0) R6@(5,6)")
    game.order("S1", "Attack", Target="R1", Choice=1, Limit=0)
    game.order("S1", "Move", Square=game.square(9, 9))
    game.close(5, 1, 1)
    assert len(game.world.spiders()) == 1
    assert game.has("B1@(5,5)")
    assert game.named["S1"] not in game.state.queues


def test_growth_is_told_and_drawn_from_its_own_dice():
    """R61: one square for each group; the message names them; other dice do not move it."""
    done = advance(RULESET, _opened(), b"a")
    grown = [report for report in done.reports if report.subject == "Growth"]
    assert len(grown) == 1
    assert len(grown[0].references) == 2
    assert [len(fungus.squares) for fungus in done.state.world.fungi.values()] == [4, 4]
    assert Dice.named(b"a", 0, 0, "grow").below(8) in range(8)


def test_a_refusal_has_the_right_article(position):
    """Another group is no egg: "give an egg", not "a egg"."""
    game = position("B1@(5,5) B1@(6,6)", 1)
    with pytest.raises(Refusal, match="give an egg, or the number of the unit itself"):
        insertion(RULESET, game.state, 1, game.named["B1"], "Raise Queen", {"Egg": game.named["B2"]})


# Worlds of older versions.


def test_a_game_of_version_1_goes_on():
    """Its groups do not say whether their actions have ended; it is played to its end, by this version's rules."""
    data = json.loads((Path(__file__).parent / "dumps" / "version-1.json").read_text(encoding="utf-8"))
    assert data["version"] == 1
    state = load_state(RULESET, data)
    assert (state.world.active, state.world.step) == (1, 1)
    assert not any(group.ended for group in state.world.groups(1))
    written = dump_state(RULESET, state)
    assert written["version"] == RULESET.version == 3
    assert load_state(RULESET, json.loads(canonical(written))).world == state.world
    for turn in range(100):
        if not state.over:
            give_orders(RULESET, state, random_bot, Dice.named(b"version", turn))
            state = advance(RULESET, state, b"version").state
    assert state.over
