"""Swarm beyond its vectors: changed queues, reports, views, the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tprules.api import Amount, BotTurn, Dice, Order, RefKind, Refusal, Role, Turn, parse_options
from tprules.api.advance import advance, opening
from tprules.api.order_checks import State, apply, insertion, probe, removal
from tprules.api.ruleset import find_phase
from tprules.swarm import RULESET
from tprules.swarm.board import (
    NAMES,
    Position,
    Settings,
    completable,
    leaves_rest,
    movement,
    on_start,
    step,
    steps,
)
from tprules.swarm.execution import MOST_DOUBLES, go_on
from tprules.swarm.orders import CUBE, TILE, TO, MoveCube, PlaceCube
from tprules.swarm.world import GALAXY, METHOD_THREE, METHOD_TWO, World
from tprules.testing import check, play, playing, random_bot, view

RED, BLUE = 0, 1
SETTINGS = Settings(20, True, True, 3, 200)


def game(red: str, blue: str, moves: int = 0, **options: Any) -> State[World]:
    """Return a game with cubes on these tiles in which Red moves, or places if ``moves`` is 0."""
    parsed = parse_options(RULESET.options, options)
    world = World(Settings(**{name: parsed[name] for name in Settings.__slots__}), RED)
    for seat, names in ((RED, red), (BLUE, blue)):
        for name in names.split():
            world.add(seat, NAMES.index(name))
    if moves:
        world.movers, world.rolls = [RED, BLUE], [moves, moves + 1]
        world.movement = movement(world.position(RED), moves, world.settings)
        return State(world, "move")
    world.pending = [(RED, METHOD_TWO), (BLUE, METHOD_TWO)]
    return State(world, "place")


def moving(state: State[World], cube: str, to: str, by_tile: bool = False) -> tuple[str, dict[str, int]]:
    """Return the order that moves the cube which stands on ``cube`` before the turn."""
    world = state.world
    named = world.system(NAMES.index(cube)) if by_tile else world.cubes[NAMES.index(cube)].id
    return MoveCube.name, {CUBE: named, TO: world.system(NAMES.index(to))}


def give(state: State[World], order: tuple[str, dict[str, int]], slot: int = -1, seat: int = RED) -> Order:
    change = insertion(RULESET, state, seat, state.world.swarm(seat), *order, slot)
    apply(state, change)
    return change.order


def why(state: State[World], order: tuple[str, dict[str, int]], slot: int = -1, seat: int = RED) -> str:
    """Return the text of the refusal."""
    with pytest.raises(Refusal) as error:
        insertion(RULESET, state, seat, state.world.swarm(seat), *order, slot)
    assert error.value.text.startswith(f"{error.value.reason}: ")
    return error.value.text


# Queues.


def test_an_insertion_in_the_middle_is_judged_as_the_whole_queue():
    """Later orders must still be possible (page, 4)."""
    state = game("c3 a1", "a6 f6", 4)
    give(state, moving(state, "c3", "c4"))
    give(state, moving(state, "c3", "c5"))
    assert why(state, moving(state, "c3", "c2"), 0) == "Illegal: not adjacent (c4)"
    give(state, moving(state, "a1", "a2"), 0)
    assert why(state, moving(state, "c3", "c2"), 1) == "Illegal: not adjacent (c4)"
    assert len(state.queues[state.world.swarm(RED)]) == 3


def test_a_full_queue_takes_no_insertion_in_the_middle():
    """The last order would be one too many."""
    state = game("c3 a1", "a6 f6", 1)
    give(state, moving(state, "c3", "c4"))
    assert why(state, moving(state, "a1", "a2"), 0).startswith("Illegal: all movement already used")


def test_a_removal_leaves_what_has_become_illegal_and_it_is_dropped_when_the_turn_closes():
    """With a message that refers to object and order type; the default makes up for it (page, 4 and 5)."""
    state = game("c3 a1", "a6 f6", 3)
    for to in ("c4", "c5", "c6"):
        give(state, moving(state, "c3", to))
    apply(state, removal(RULESET, state, RED, state.world.swarm(RED), 1))
    assert len(state.queues[state.world.swarm(RED)]) == 2
    assert why(state, moving(state, "a1", "a2")).startswith("Illegal: an earlier order is no longer possible")
    assert list(RULESET.legal_orders(state.plan(RED))) == []
    done = advance(RULESET, state, b"x")
    told = {report.subject: report for report in done.reports if report.to == RED}
    invalid = told["Order Invalid"]
    assert invalid.body == "Move Cube to c6 was dropped: not adjacent."
    assert [tuple(each) for each in invalid.references] == [
        (RefKind.OBJECT, state.world.swarm(RED)),
        (RefKind.ORDER_TYPE, MoveCube.number),
        (RefKind.ORDER_ACTION, 4),
    ]
    assert told["Default used"].body == "These steps were made for you: c4-c5, c5-c6."
    assert NAMES[done.state.world.place_of(state.world.cubes[NAMES.index("c3")].id)] == "c6"


def test_what_follows_a_dropped_order_is_dropped():
    """Only the beginning of the queue is kept."""
    state = game("c3 a1", "a6 f6", 4)
    for cube, to in (("c3", "c4"), ("c3", "c5"), ("c3", "c6"), ("a1", "a2")):
        give(state, moving(state, cube, to))
    apply(state, removal(RULESET, state, RED, state.world.swarm(RED), 1))
    done = advance(RULESET, state, b"x")
    bodies = [report.body for report in done.reports if report.subject == "Order Invalid"]
    assert bodies == [
        "Move Cube to c6 was dropped: not adjacent.",
        "Move Cube to a2 was dropped: an earlier order is no longer possible.",
    ]


def test_after_a_win_the_rest_of_the_queue_is_discarded():
    """And refused while it is planned: the game is won by then."""
    state = game("b3 d2", "c3 a6", 3)
    give(state, moving(state, "d2", "d3"))
    assert why(state, moving(state, "b3", "b4")) == "Illegal: the game is won by then"
    assert list(RULESET.legal_orders(state.plan(RED))) == []
    assert RULESET.end_turn_hint(state.plan(RED)) == ""
    done = advance(RULESET, state, b"x")
    assert done.state.over
    assert done.outcome is not None
    assert (done.outcome.winners(), done.outcome.why) == ([RED], "reduced")
    assert [report.subject for report in done.reports] == ["Moved", "Game over"]


def test_a_cube_may_be_named_by_its_tile():
    """A tile means the cube that stands there at that moment; its ground will do as well."""
    state = game("c3 a1", "a6 f6", 3)
    give(state, moving(state, "c3", "c4", by_tile=True))
    assert why(state, moving(state, "c3", "d4", by_tile=True)) == (
        "Illegal: no cube of yours there; none stands on c3 then"
    )
    ground = state.world.system(NAMES.index("c4")) + 1
    give(state, (MoveCube.name, {CUBE: ground, TO: state.world.system(NAMES.index("d4")) + 1}))
    give(state, moving(state, "a1", "a2"))
    done = advance(RULESET, state, b"x")
    assert {NAMES[square] for square, cube in done.state.world.cubes.items() if cube.seat == RED} == {"d4", "a2"}


def test_refusals_of_the_board():
    """The words of the page, each with the tile."""
    state = game("c3 b1", "c4 f6", 2)
    assert why(state, moving(state, "c3", "c5")) == "Illegal: not adjacent (c5)"
    assert why(state, moving(state, "c3", "c4")) == "Illegal: occupied (c4)"
    state = game("c3 b1", "b6 a6")
    tile = {name: {TILE: state.world.system(NAMES.index(name))} for name in ("b1", "a2", "a1", "c1")}
    assert why(state, (PlaceCube.name, tile["b1"])) == "Illegal: occupied (b1)"
    assert why(state, (PlaceCube.name, tile["a2"])) == "Illegal: not your edge (a2)"
    give(state, (PlaceCube.name, tile["a1"]))
    assert why(state, (PlaceCube.name, tile["c1"])).startswith("Illegal: already placing")
    assert probe(RULESET, state, RED, state.world.swarm(RED), PlaceCube.name, tile["c1"]).args == tile["c1"]


def test_without_diagonals_there_are_four_directions():
    """R8, option diagonal_moves."""
    state = game("c3 b1", "b6 a6", 1, diagonal_moves=False)
    assert why(state, moving(state, "c3", "d4")) == "Illegal: not adjacent (d4)"
    targets = {order.args[TO] for order in RULESET.legal_orders(state.plan(RED)) if order.args[CUBE] == 78}
    assert targets == {state.world.system(NAMES.index(name)) for name in ("c4", "d3", "c2", "b3")}


def test_which_class_goes_first():
    """BadOrder, NotHere, NotYours, NoSuchThing, GameOver, WrongPhase, Illegal (page, 4)."""
    state = game("c3 b1", "b6 a6", 1)
    world = state.world
    blue = world.cubes[NAMES.index("b6")].id

    def reason(seat: int, on: int, name: str = MoveCube.name, **args: Any) -> str:
        with pytest.raises(Refusal) as error:
            insertion(RULESET, state, seat, on, name, args)
        assert error.value.text.startswith(f"{error.value.reason}: ")
        return error.value.reason

    assert reason(BLUE, 9999, cube=GALAXY, to=2) == "BadOrder"
    assert reason(BLUE, 9999, cube=2, to=world.home(BLUE)) == "BadOrder"
    assert reason(BLUE, 2, cube=9999, to=2) == "NotHere"
    assert reason(BLUE, blue, cube=9999, to=2) == "NotHere"
    assert reason(BLUE, world.swarm(RED), cube=9999, to=2) == "NotYours"
    assert reason(BLUE, 9999, cube=2, to=2) == "NoSuchThing"
    assert reason(BLUE, world.swarm(BLUE), cube=78, to=9999) == "NoSuchThing"
    assert reason(BLUE, world.swarm(BLUE), cube=78, to=2) == "NotYours"
    assert reason(BLUE, world.swarm(BLUE), cube=blue, to=2) == "WrongPhase"
    assert reason(RED, world.swarm(RED), PlaceCube.name, tile=2) == "WrongPhase"
    assert reason(RED, world.swarm(RED), "Jump") == "NotHere"
    assert reason(RED, world.swarm(RED), cube=78, to=2, over=1) == "BadOrder"
    state.over = True
    assert reason(BLUE, world.swarm(BLUE), cube=blue, to=2) == "GameOver"


def test_what_is_missing_is_named_when_a_player_is_done():
    """The server sends it with the Okay (page, 4)."""
    state = game("c3 a1", "a6 f6", 3)
    give(state, moving(state, "c3", "c4"))
    assert RULESET.end_turn_hint(state.plan(RED)) == "2 of 3 steps are missing; they will be made for you"
    assert RULESET.end_turn_hint(state.plan(BLUE)) == ""
    give(state, moving(state, "a1", "a2"))
    give(state, moving(state, "a1", "a3"))
    assert RULESET.end_turn_hint(state.plan(RED)) == ""
    state = game("c3 a1", "a6 f6")
    assert RULESET.end_turn_hint(state.plan(RED)).startswith("no tile is chosen")
    give(state, (PlaceCube.name, {TILE: state.world.system(1)}))
    assert RULESET.end_turn_hint(state.plan(RED)) == ""


@pytest.mark.thorough
def test_moves_are_exactly_what_is_accepted():
    """For every own cube and tile, at every point of a few games."""
    dice = Dice.named(b"moves")
    for number, played in enumerate(playing(RULESET, seed=3)):
        state = played.before
        if number % 9 or state.phase != "move":
            continue
        state.queues.clear()
        state.planned.clear()
        seat = state.world.movers[0]
        while orders := list(RULESET.legal_orders(state.plan(seat))):
            listed = {(order.args[CUBE], order.args[TO]) for order in orders}
            accepted = set()
            for cube in {each for each, _ in listed} | {one.id for one in state.world.cubes.values()}:
                for square in range(36):
                    args = {CUBE: cube, TO: state.world.system(square)}
                    try:
                        insertion(RULESET, state, seat, state.world.swarm(seat), MoveCube.name, args)
                    except Refusal:
                        continue
                    accepted.add((cube, args[TO]))
            assert accepted == listed
            chosen = dice.pick(orders)
            give(state, (chosen.type, dict(chosen.args)), seat=seat)


# Rounds.


@pytest.mark.parametrize("seed", range(40))
def test_the_lowest_moves_first_with_its_own_die(seed):
    """R14, R19, R20, R32: a 1 places before anybody moves, and always belongs to the first mover."""
    opened = opening(RULESET, parse_options(RULESET.options, {"initial_cubes": 5}), 2, str(seed).encode())
    state = opened.state
    order = []
    while state.world.round == 1 and not state.over:
        world = state.world
        if not any(world.rolls):  # placements of a double come before the first deciding roll
            assert state.phase == "place"
        else:
            lowest = 0 if world.rolls[0] < world.rolls[1] else 1
            (seat,) = find_phase(RULESET, state.phase).active(world)
            if state.phase == "place":
                assert (seat, world.rolls[seat], order) == (lowest, 1, [])
            else:
                assert world.movement + world.lapsed == world.rolls[seat]
                order.append(seat)
        state = advance(RULESET, state, str(seed).encode()).state
    assert order == [lowest, 1 - lowest]


@dataclass
class _Loaded(Dice):
    """Dice that always show the same."""

    shows: int

    def roll(self, sides: int = 6) -> int:
        return self.shows


class _LoadedTurn(Turn[World]):
    def dice(self, name: str) -> Dice:
        return _Loaded(4)


@pytest.mark.parametrize("first", [RED, BLUE])
def test_a_thousand_doubles_end_the_rolling(first):
    """The order of the round before, and one step each (page, 5)."""
    world = game("a1 b1 c1 d1 e1 f1", "a6 b6 c6 d6 e6 f6").world
    world.pending, world.first = [], first
    turn = _LoadedTurn(world, 0, "roll", {}, b"")
    go_on(turn)
    assert len([event for event in turn.events if event.name == "dice"]) == MOST_DOUBLES
    assert (world.movers, world.rolls, world.movement) == ([first, 1 - first], [1, 1], 1)
    assert not world.pending


def test_a_limit_of_no_doubles_still_lets_a_double_one_bring_a_cube():
    """R31, R34."""

    class Ones(_LoadedTurn):
        def dice(self, name: str) -> Dice:
            return _Loaded(1)

    world = game("c3 d2", "a5 f5", double_limit=0).world
    world.pending = []
    go_on(Ones(world, 0, "roll", {}, b""))
    assert world.pending == [(RED, METHOD_THREE), (BLUE, METHOD_THREE)]


def test_the_round_is_over_when_both_have_moved():
    """R21, R30: limits start again, and the first mover is remembered."""
    state = game("c3 a1", "a6 f6", 3)
    state.world.rolls, state.world.movers = [5, 2], [RED]
    state.world.doubled, state.world.combined = [2, 1], True
    after = advance(RULESET, state, b"x").state.world
    assert (after.round, after.first) == (2, BLUE)
    assert after.doubled == [0, 0]
    assert not after.combined or (after.double == 1)


def test_titles_say_who_does_what():
    """Page, 7: the turn's name."""
    titles = {find_phase(RULESET, each.before.phase).title(each.before.world) for each in playing(RULESET, seed=5)}
    shapes = {"".join("#" if letter.isdigit() else letter for letter in title) for title in titles}
    assert {"Round #: Blue moves # (rolled #)", "Round ##: Red moves # (rolled #)"} <= shapes
    assert any(shape.startswith(("Round #: Red places (", "Round ##: Red places (")) for shape in shapes)


# Views.


def test_everything_is_shown_to_everybody():
    """Page, 6 and 7."""
    state = opening(RULESET, parse_options(RULESET.options, {}), 2, b"1").state
    views = [view(RULESET, state.world, seat) for seat in (None, RED, BLUE)]
    assert views[0] == views[1] == views[2]
    shown = views[0]
    roles = [RULESET.kinds[one.kind].role for one in shown.values()]
    counted = [roles.count(role) for role in (Role.UNIVERSE, Role.GALAXY, Role.STAR_SYSTEM, Role.PLANET, Role.FLEET)]
    assert counted == [1, 1, 36 + 2, 36 + 2, 12]
    system = state.world.system(NAMES.index("c2"))
    assert (shown[system].name, shown[system].at, shown[system].size) == ("c2", (2000, 1000, 0), 900)
    assert shown[system + 1].parent == system
    assert shown[state.world.swarm(RED)].at == (2500, -2000, 0)
    assert shown[state.world.swarm(BLUE)].at == (2500, 7000, 0)
    assert (shown[GALAXY].numbers, shown[GALAXY].resources) == ((12, 28), ())
    cube = shown[state.world.cubes[NAMES.index("c6")].id]
    assert (cube.name, cube.owner, cube.size) == ("Blue 3", BLUE, 500)


def test_resources_tell_the_state_of_the_game():
    """Page, 7: on tiles the colour, on the Swarm supply, dice, movement, placements, doubles and captures."""
    state = game("b3 d2", "c3 a6 f6", 2)
    give(state, moving(state, "d2", "d3"))
    names = {resource.name: resource.id for resource in RULESET.resources}
    shown = view(RULESET, state.world, None)[state.world.swarm(RED)]
    rows = {row.resource: row[1:] for row in shown.resources}
    assert rows[names["movement"]] == (2, 0, 0)
    assert rows[names["die"]] == (2, 0, 0)
    assert rows[names["Home Planet"]] == (1, 0, 0)
    world = advance(RULESET, state, b"x").state.world
    after = view(RULESET, world, None)
    rows = {row.resource: row[1:] for row in after[world.swarm(RED)].resources}
    assert rows[names["cube on board"]] == (3, 17, 0)
    assert rows[names["cube in supply"]] == (17, 0, 0)
    assert rows[names["capture"]] == (1, 0, 0)
    assert rows[names["double cube"]] == (0, 3, 0)
    captor = next(cube for cube in world.cubes.values() if cube.captures)
    assert after[captor.id].resources == (Amount(names["capture"], 1),)
    ground = after[world.system(NAMES.index("c3")) + 1]
    assert ground.resources == (Amount(names["red cube"], 1),)
    assert after[world.system(NAMES.index("f6")) + 1].resources == (Amount(names["blue cube"], 1),)


def test_numbers_of_cubes_are_never_used_again():
    """A number of a removed cube is never used again, and a cube keeps its owner and its name."""
    known: dict[int, tuple[Any, ...]] = {}
    gone: set[int] = set()
    for each in playing(RULESET, seed=8):
        seen = view(RULESET, each.done.state.world, None)
        gone |= known.keys() - seen.keys()
        assert not gone & seen.keys()
        for oid, shown in seen.items():
            assert known.setdefault(oid, (shown.name, shown.owner)) == (shown.name, shown.owner)


# The search for what can be spent.


@st.composite
def _crowded(draw: st.DrawFn) -> tuple[Position, Settings]:
    """A board with at most four free tiles, where steps are hard to find."""
    free = draw(st.lists(st.integers(0, 35), min_size=1, max_size=4, unique=True))
    taken = [square for square in range(36) if square not in free]
    own = draw(st.lists(st.sampled_from(taken), min_size=2, max_size=32, unique=True))
    mine = sum(1 << square for square in own)
    enemy = sum(1 << square for square in taken) & ~mine
    return Position(mine, enemy), Settings(40, draw(st.booleans()), draw(st.booleans()), 3, 200)


def _by_trying(position: Position, left: int, variant: Settings) -> bool:
    """Return the answer of ``completable`` by trying everything."""
    if not left:
        return not on_start(position)
    for origin, target in steps(position, variant):
        after = step(position, origin, target, variant)
        if after.won or _by_trying(after.position, left - 1, variant):
            return True
    return False


@settings(deadline=None, database=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(crowded=_crowded(), left=st.integers(0, 3), choice=st.integers(0, 1000))
def test_shortcuts_find_what_trying_everything_finds(crowded, left, choice):
    """Also after steps that leave a cube on its start tile."""
    position, variant = crowded
    for _ in range(3):
        assert completable(position, left, variant) == _by_trying(position, left, variant)
        possible = list(steps(position, variant))
        for origin, target in possible:
            after = step(position, origin, target, variant)
            wanted = after.won or _by_trying(after.position, left - 1, variant) if left else False
            if left:
                assert leaves_rest(position, origin, target, left - 1, variant) == wanted
        if not possible:
            return
        after = step(position, *possible[choice % len(possible)], variant)
        if after.won:
            return
        position = after.position


@settings(
    deadline=None, database=None, derandomize=True, max_examples=100, suppress_health_check=[HealthCheck.too_slow]
)
@given(crowded=_crowded(), budget=st.integers(1, 6))
def test_at_most_one_step_lapses_unless_nothing_can_move(crowded, budget):
    """I8, R38: an odd budget is spent whenever anything can move; an even one loses at most one step."""
    position, variant = crowded
    spent = movement(position, budget, variant)
    if not list(steps(position, variant)):
        assert spent == 0
    else:
        assert spent == budget or (budget % 2 == 0 and spent == budget - 1)


# The contract, and the players.


@pytest.mark.thorough
def test_swarm_conforms():
    """Swarm keeps every promise of the api, also in other processes."""
    summary = check(RULESET, games=2)
    assert summary.moves_tried > 500
    assert summary.refusals > 5000
    assert summary.answers_compared > 100
    assert summary.turns_in_other_processes > 50


def test_swarm_conforms_with_other_options():
    """The same where nobody can win by numbers, and captures do not chain."""
    options = {
        "cubes_total": 40,
        "diagonal_moves": "off",
        "chain_swarm": "off",
        "double_limit": 6,
        "max_rounds": 12,
        "opening_seat": 2,
    }
    check(RULESET, games=1, options=options, bot=RULESET.bot, processes=False)


@pytest.mark.thorough
def test_greed_beats_chance():
    """Page, 11: a greedy player wins against one that plays at random."""

    def mixed(turn: BotTurn[World]) -> None:
        (RULESET.bot if turn.seat == BLUE else random_bot)(turn)

    assert all(play(RULESET, seed=seed, bot=mixed).outcome.winners() == [BLUE] for seed in range(5))
