"""Swarm's numbered test vectors, played through the intake and closing.

Each test has the number of its vector. Positions and dice are in the page's own notation. `Case` refuses a text that is
not in its vector's line.
"""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import count
from typing import Any

import pytest

from tprules.api import Dice, OptionError, Refusal, parse_options
from tprules.api.advance import BEFORE_THE_FIRST, Advanced, advance, opening
from tprules.api.order_checks import State, apply, insertion
from tprules.api.ruleset import find_phase
from tprules.swarm import RULESET
from tprules.swarm.board import NAMES, Settings, movement
from tprules.swarm.orders import CUBE, TILE, TO, MoveCube, PlaceCube
from tprules.swarm.world import METHOD_TWO, World

VECTORS = dict(
    re.findall(
        r"^\| (T\d+) \| (.*) \|$",
        (files("tprules.swarm") / "RULES.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)

RED, BLUE = 0, 1
ROLL, PLACE, MOVE = "roll", "place", "move"


def tiles(text: str) -> list[int]:
    """Read tiles: "b3,d2", "a1-f1", "ranks 1-3", "rank 5", "ranks 4-6 without a6"."""
    text, _, without = text.partition(" without ")
    found: list[int] = []
    for low, high, first, last in re.findall(r"ranks? (\d)(?:-(\d))?|([a-f]\d)(?:-([a-f]\d))?", text):
        if low:
            found += range(6 * (int(low) - 1), 6 * int(high or low))
        else:
            found += range(NAMES.index(first), NAMES.index(last or first) + 1)
    return [square for square in found if square not in tiles(without)] if without else found


def board(text: str) -> tuple[set[int], set[int]]:
    """Read a position such as "R:b3,d2 B:c3,a6"."""
    red, blue = re.fullmatch(r"R:(\S*) B:(\S*)", text).groups()
    return set(tiles(red)), set(tiles(blue))


class Case:
    """One position of a vector."""

    def __init__(self, vector: str) -> None:
        self.text = VECTORS[vector]
        self.state: State[World] = State(World(self.settings(), RED), ROLL)
        self.done: Advanced[World] | None = None

    def says(self, *texts: str) -> None:
        """Fail unless the vector's line has all these texts."""
        for text in texts:
            assert text in self.text, f"{text!r} is not in {self.text!r}"

    @property
    def world(self) -> World:
        return self.state.world

    # Positions.

    @staticmethod
    def settings(**options: Any) -> Settings:
        parsed = parse_options(RULESET.options, options)
        return Settings(**{name: parsed[name] for name in Settings.__slots__})

    def put(self, position: str, first: int = RED, **options: Any) -> Case:
        """Set up the position "R:... B:..." of the vector's line."""
        self.says(*(part for part in position.split(" ") if part[2:]))
        red, blue = re.fullmatch(r"R:(\S*) B:(\S*)", position).groups()
        return self.place_all(red, blue, first, **options)

    def place_all(self, red: str, blue: str, first: int = RED, **options: Any) -> Case:
        """Set up cubes on these tiles."""
        self.state = State(World(self.settings(**options), first), ROLL)
        for seat, text in ((RED, red), (BLUE, blue)):
            for square in tiles(text):
                assert square not in self.world.cubes
                self.world.add(seat, square)
        return self

    def to_move(self, seat: int, m: int, then: int = 1) -> Case:
        """Let a seat have ``m`` to move, and the other one ``then``."""
        world = self.world
        world.movers = [seat, 1 - seat]
        world.rolls[seat], world.rolls[1 - seat] = m, then
        world.movement = movement(world.position(seat), m, world.settings)
        assert world.movement == m
        self.state.phase = MOVE
        return self

    def to_place(self, *seats: int) -> Case:
        self.world.pending = [(seat, METHOD_TWO) for seat in seats]
        self.state.phase = PLACE
        return self

    # Playing.

    def step(self, seat: int, text: str, named_by_tile: bool = False, slot: int = -1) -> Case:
        """Order a step such as "d2-d3"; the cube is named by its number, or by the tile on which it stands then."""
        origin, target = (NAMES.index(name) for name in text.split("-"))
        world = self.world
        cube = world.system(origin)
        if not named_by_tile:
            planned = {square: one.id for square, one in world.cubes.items()}
            for order in self.state.queues.get(world.swarm(seat), []):
                place = next(square for square, number in planned.items() if number == order.args[CUBE])
                planned[world.square(order.args[TO])] = planned.pop(place)
            cube = planned[origin]
        return self.order(seat, MoveCube.name, {CUBE: cube, TO: world.system(target)}, slot)

    def placement(self, seat: int, tile: str) -> Case:
        return self.order(seat, PlaceCube.name, {TILE: self.world.system(NAMES.index(tile))})

    def order(self, seat: int, name: str, args: dict[str, Any], slot: int = -1) -> Case:
        on = self.world.swarm(seat)
        apply(self.state, insertion(RULESET, self.state, seat, on, name, args, slot))
        return self

    def close(self, *rolls: tuple[int, int]) -> Case:
        """Close the phase; the dice that are then rolled show ``rolls``."""
        self.done = advance(RULESET, self.state, seed_for(self.state.turn, rolls))
        self.state = self.done.state
        shown = [(event.facts["red"], event.facts["blue"]) for event in self.done.events if event.name == "dice"]
        assert shown[: len(rolls)] == list(rolls)
        return self

    # What came of it.

    def stands(self, position: str) -> None:
        """Fail unless exactly these cubes are on the board."""
        assert (self.cubes(RED), self.cubes(BLUE)) == board(position)

    def cubes(self, seat: int) -> set[int]:
        return {square for square, cube in self.world.cubes.items() if cube.seat == seat}

    def owner(self, tile: str) -> int:
        return self.world.cubes[NAMES.index(tile)].seat

    def active(self) -> list[int]:
        return list(find_phase(RULESET, self.state.phase).active(self.world))

    def title(self) -> str:
        return find_phase(RULESET, self.state.phase).title(self.world)

    def subjects(self, to: int | None = None) -> list[str]:
        return [report.subject for report in self.done.reports if report.to == to]

    def counts(self) -> list[int]:
        return [self.world.count(RED), self.world.count(BLUE)]

    def winners(self) -> list[int]:
        assert self.state.over
        return RULESET.outcome(self.world).winners()

    def rolled(self, dice: str) -> list[tuple[int, int]]:
        """Return the dice "[3,3][2,5]" of the vector's line."""
        self.says(dice)
        return [(int(red), int(blue)) for red, blue in re.findall(r"\[(\d),(\d)\]", dice)]


def seed_for(turn: int, rolls: Any) -> bytes:
    """Return a seed with which the dice of a closing begin with these rolls."""
    for number in count():
        seed = str(number).encode()
        dice = Dice.named(seed, turn, 0, "roll")
        if all(dice.roll() == value for roll in rolls for value in roll):
            return seed
    raise AssertionError("unreachable")


def new_game(*rolls: tuple[int, int], **options: Any) -> Case:
    """Open a game whose first dice show ``rolls``."""
    case = Case("T1")
    parsed = parse_options(RULESET.options, options)
    case.done = opening(RULESET, parsed, 2, seed_for(BEFORE_THE_FIRST, rolls))
    case.state = case.done.state
    return case


def refused(case: Case, wanted: str, order: Any) -> None:
    """Fail unless the order is refused with a text that begins as wanted, and nothing has changed."""
    before = case.state.queues
    with pytest.raises(Refusal) as error:
        order()
    assert error.value.text.startswith(wanted), error.value.text
    assert error.value.reason == wanted.split(":")[0]
    assert case.state.queues is before


def test_every_vector_of_the_page_has_a_test():
    """The page has T1 to T33; each has exactly one test that carries its name, and there are no others."""
    assert list(VECTORS) == [f"T{number}" for number in range(1, 34)]
    named = [found[1].upper() for name in globals() if (found := re.match(r"test_(t\d+)_", name))]
    assert sorted(named) == sorted(VECTORS)


def test_t1_new_game():
    """Six cubes each on their edge, fourteen in the supply, and the dice are rolled at once (R6)."""
    case = new_game((2, 5))
    case.says("R:a1..f1, B:a6..f6", "supplies 14/14", "no setup turn")
    case.stands("R:a1-f1 B:a6-f6")
    assert [case.world.supply(seat) for seat in (RED, BLUE)] == [14, 14]
    assert (case.state.phase, case.active()) == (MOVE, [RED])
    assert case.title() == "Round 1: Red moves 2 (rolled 2)"


def test_t2_a_pair_left_and_right_captures():
    """R9, R22, R25: the captured cube is replaced, and goes back to its owner's supply."""
    case = Case("T2").put("R:b3,d2 B:c3,a6,f6").to_move(RED, 1)
    enemy = case.world.cubes[NAMES.index("c3")].id
    case.step(RED, "d2-d3").close()
    case.stands("R:b3,c3,d3 B:a6,f6")
    assert case.world.supply(BLUE) == 18
    assert case.world.place_of(enemy) is None


def test_t3_a_diagonal_step_captures_north_and_south():
    """R8, R22."""
    case = Case("T3").put("R:c2,d5 B:c3,a6,f6").to_move(RED, 1).step(RED, "d5-c4").close()
    case.stands("R:c2,c3,c4 B:a6,f6")


def test_t4_an_l_captures_nothing():
    """R23."""
    case = Case("T4").put("R:b3,d5 B:c3,a6,f6").to_move(RED, 1).step(RED, "d5-c4").close()
    case.stands("R:b3,c4 B:c3,a6,f6")


def test_t5_a_gap_or_a_diagonal_captures_nothing():
    """R24."""
    case = Case("T5").put("R:a3,e2 B:c3,a6,f6").to_move(RED, 1).step(RED, "e2-e3").close()
    case.stands("R:a3,e3 B:c3,a6,f6")
    case.says("R:b2,e4: e4-d4")
    case.place_all("b2,e4", "c3,a6,f6").to_move(RED, 1).step(RED, "e4-d4").close()
    case.stands("R:b2,d4 B:c3,a6,f6")


def test_t6_stepping_between_two_enemies_is_safe():
    """R26: nor does an unrelated step of the enemy capture it later."""
    case = Case("T6").put("R:b3,d3,a1 B:c4,a6,f6").to_move(BLUE, 1, then=1).step(BLUE, "c4-c3").close()
    assert case.owner("c3") == BLUE
    assert case.active() == [RED]
    case.step(RED, "a1-a2").close()
    case.stands("R:b3,d3,a2 B:c3,a6,f6")


def test_t7_a_converted_cube_captures_in_its_turn():
    """R27, R40; without chain_swarm only the first."""
    case = Case("T7").put("R:b3,d2,c5 B:c3,c4,a6,f6").to_move(RED, 1).step(RED, "d2-d3").close()
    case.stands("R:b3,c3,c4,c5,d3 B:a6,f6")
    case.put("R:b3,d2,c5 B:c3,c4,a6,f6", chain_swarm=False).to_move(RED, 1).step(RED, "d2-d3").close()
    case.stands("R:b3,c3,c5,d3 B:c4,a6,f6")


def test_t8_four_captures_in_one_step():
    """R40: in the order north, east, south, west."""
    case = Case("T8").put("R:a3,e3,c1,c5,d4 B:b3,d3,c2,c4,a6,f6").to_move(RED, 1).step(RED, "d4-c3").close()
    assert case.counts() == [9, 2]
    moved = next(report.body for report in case.done.reports if report.subject == "Moved")
    assert "c4 and d3 and c2 and b3" in moved
    case.says("Red 9, Blue 2")


def test_t9_a_capture_made_on_the_way_stays():
    """R39."""
    case = Case("T9").place_all("b3,d2", "c3,a6,f6").to_move(RED, 2).step(RED, "d2-d3").step(RED, "d3-e4").close()
    case.says("d2-d3, d3-e4", "R:b3,c3,e4")
    case.stands("R:b3,c3,e4 B:a6,f6")


def test_t10_a_new_cube_moves_at_once():
    """R27, R39: it is named by its tile."""
    case = Case("T10").place_all("b3,d2", "c3,a6,f6").to_move(RED, 2)
    case.step(RED, "d2-d3").step(RED, "c3-c4", named_by_tile=True).close()
    case.says("d2-d3, (tile c3)-c4", "R:b3,c4,d3")
    case.stands("R:b3,c4,d3 B:a6,f6")


def test_t11_out_and_back_is_refused():
    """R16, R17; with three steps the way may lead over the start tile."""
    case = Case("T11").put("R:c3,a1 B:a6,f6").to_move(RED, 2).step(RED, "c3-c4")
    case.says("`Illegal: would end on its start tile`")
    refused(case, "Illegal: would end on its start tile", lambda: case.step(RED, "c4-c3"))
    case.put("R:c3,a1 B:a6,f6").to_move(RED, 3)
    case.step(RED, "c3-c4").step(RED, "c4-c3").step(RED, "c3-d3").close()
    case.stands("R:d3,a1 B:a6,f6")


def test_t12_another_cube_may_end_on_a_start_tile():
    """R16."""
    case = Case("T12").put("R:a1,b1 B:a6,f6").to_move(RED, 2).step(RED, "b1-b2").step(RED, "a1-b1").close()
    case.stands("R:b1,b2 B:a6,f6")


@pytest.mark.parametrize("budget", range(1, 7))
def test_t13_even_budgets_lose_one_step_where_only_one_cube_can_move(budget):
    """R15, R38."""
    case = Case("T13")
    case.says("b2,f6", "hole a1", "m = 1,1,3,3,5,5")
    case.place_all("b2,f6", "ranks 1-6 without a1,b2,f6", cubes_total=40)
    case.world.movers, case.world.rolls = [RED, BLUE], [budget, 1]
    case.close()
    assert case.world.movement == [1, 1, 3, 3, 5, 5][budget - 1]
    assert case.world.lapsed == (budget + 1) % 2
    assert ("Movement lapsed" in case.subjects()) == (budget % 2 == 0)


@pytest.mark.parametrize("budget", range(1, 7))
def test_t14_who_cannot_move_is_passed_over(budget):
    """R38: with a message, without a turn."""
    case = Case("T14")
    case.says("f6,e6", "hole a1", "m=0 for all budgets")
    case.place_all("f6,e6", "ranks 1-6 without a1,e6,f6", cubes_total=40)
    case.world.movers, case.world.rolls = [RED, BLUE], [budget, 1]
    case.close()
    assert case.active() == [BLUE]
    assert case.subjects() == ["Movement lapsed"]
    assert movement(case.world.position(RED), budget, case.world.settings) == 0


def test_t15_full_edges_lose_the_placements_of_a_double():
    """R36, R14."""
    dice = Case("T15").rolled("[3,3][2,5]")
    case = new_game(*dice)
    assert case.subjects() == ["Dice", "Placement lost", "Placement lost", "Dice"]
    assert (case.state.phase, case.active(), case.world.movement) == (MOVE, [RED], 2)
    assert case.world.doubled == [0, 0]


def test_t16_the_first_mover_of_the_round_before_places_first():
    """R29, R30, R32, R36."""
    case = Case("T16")
    double, deciding = case.rolled("[4,4][1,3]")
    case.place_all("b1-f1,c3", "a6-e6,d4", first=BLUE).close(double)
    assert (case.state.phase, case.active()) == (PLACE, [BLUE])
    assert case.title() == "Round 1: Blue places (double 4)"
    case.placement(BLUE, "f6").close()
    assert (case.state.phase, case.active()) == (PLACE, [RED])
    case.placement(RED, "a1").close(deciding)
    assert case.subjects() == ["Placement", "Dice", "Placement lost"]
    assert (case.state.phase, case.active(), case.world.movement) == (MOVE, [RED], 1)
    case.close()
    assert (case.active(), case.world.movement) == ([BLUE], 3)


def test_t17_in_the_first_round_the_opening_seat_places_first_and_nobody_may_decline():
    """R29, R30."""
    double, deciding = Case("T17").rolled("[5,5][2,6]")
    case = new_game(double, initial_cubes=4)
    assert case.active() == [RED]
    case.close()
    assert case.active() == [BLUE]
    case.close(deciding)
    assert case.counts() == [5, 5]
    assert case.owner("e1") == RED
    assert case.owner("e6") == BLUE
    assert (case.active(), case.world.movement) == ([RED], 2)


def _placements(case: Case, rolls: list[tuple[int, int]], per_roll: list[int]) -> list[list[int]]:
    """Close placement after placement without players; return the seats that placed after each roll."""
    placed = []
    case.close(rolls[0])
    for number, placements in enumerate(per_roll):
        rest = rolls[number + 1 :] if number + 1 == len(per_roll) else rolls[number + 1 : number + 2]
        seats = []
        for left in range(placements, 0, -1):
            seats += case.active()
            assert case.state.phase == PLACE
            case.close(*(rest if left == 1 else ()))
        placed.append(seats)
    return placed


def _empty_edges(vector: str) -> Case:
    case = Case(vector)
    case.says("edges empty")
    return case.place_all("a3,f3", "a4,f4")


def test_t18_at_most_three_cubes_for_doubles():
    """R31."""
    case = _empty_edges("T18")
    rolls = case.rolled("[2,2][5,5][3,3][6,6][2,4]")
    assert _placements(case, rolls, [2, 2, 2]) == [[RED, BLUE]] * 3
    assert case.counts() == [5, 5]
    assert (case.state.phase, case.active(), case.world.movement) == (MOVE, [RED], 2)


def test_t19_a_double_one_brings_two_cubes_once():
    """R34, R35."""
    case = _empty_edges("T19")
    rolls = case.rolled("[1,1][1,1][2,3]")
    assert _placements(case, rolls, [4, 2]) == [[RED, BLUE, RED, BLUE], [RED, BLUE]]
    assert case.counts() == [5, 5]
    assert case.world.doubled == [2, 2]
    assert case.state.phase == MOVE


def test_t20_a_double_one_beyond_the_limit_still_brings_one_cube():
    """R34."""
    case = _empty_edges("T20")
    rolls = case.rolled("[2,2][3,3][4,4][1,1][5,6]")
    assert _placements(case, rolls, [2, 2, 2, 2]) == [[RED, BLUE]] * 4
    assert case.counts() == [6, 6]
    assert case.world.doubled == [3, 3]
    assert case.world.movement == 5


def test_t21_a_one_after_a_double_one_brings_one_more():
    """R32, R34."""
    case = _empty_edges("T21")
    rolls = case.rolled("[1,1][1,5]")
    assert _placements(case, rolls, [4, 1]) == [[RED, BLUE, RED, BLUE], [RED]]
    assert case.counts() == [5, 4]
    assert (case.state.phase, case.active(), case.world.movement) == (MOVE, [RED], 1)


def test_t22_a_placement_captures():
    """R37."""
    case = Case("T22").put("R:c1 B:b1,f6,e6").to_place(RED).placement(RED, "a1").close()
    case.stands("R:a1,b1,c1 B:f6,e6")


def test_t23_the_twentieth_cube_wins_at_once():
    """R9, R36: the other's placement is dropped."""
    case = Case("T23")
    case.says("Red 19 on board, Blue 12")
    case.place_all("ranks 1-3 without a1", "b6-f6, rank 5, c4")
    for tile in tiles("a4,b4"):
        case.world.add(RED, tile)
    assert case.counts() == [19, 12]
    case.close((2, 2))
    assert case.active() == [RED]
    case.placement(RED, "a1").close()
    assert (case.winners(), case.counts()) == ([RED], [20, 12])
    assert case.world.pending == []
    assert case.subjects() == ["Placement", "Game over"]


def test_t24_the_conversion_that_uses_the_last_cube_ends_the_chain():
    """R41."""
    case = Case("T24")
    red, blue = "a1-f1,a2-f2,a4,b4,c5,d3,f4,f5,e5", "c3,c4,a6,b6"
    case.says(red, blue)
    case.place_all(red, blue)
    assert case.counts() == [19, 4]
    case.to_move(RED, 1).step(RED, "a4-b3").close()
    assert (case.winners(), case.counts()) == ([RED], [20, 3])
    assert (case.owner("c3"), case.owner("c4")) == (RED, BLUE)


def test_t25_one_cube_left_loses():
    """R10."""
    case = Case("T25").put("R:b3,d2,c5 B:c3,c4").to_move(RED, 1).step(RED, "d2-d3").close()
    assert (case.winners(), case.world.ended) == ([RED], "reduced")
    assert case.owner("c4") == BLUE


def test_t26_a_full_board_with_eighteen_each_is_a_draw():
    """R11, R12."""
    case = Case("T26")
    case.says("Red ranks 1-3 (18)", "Blue ranks 4-6 without a6 (17)")
    case.place_all("ranks 1-3", "ranks 4-6 without a6").to_place(BLUE).placement(BLUE, "a6").close()
    assert (case.winners(), case.counts(), case.world.ended) == ([RED, BLUE], [18, 18], "full")


def test_t27_more_cubes_on_a_full_board_win():
    """R11."""
    case = Case("T27")
    case.says("Red ranks 1-3 and a4 (19)", "Blue b4-f4, rank 5, b6-f6 (16)")
    case.place_all("ranks 1-3, a4", "b4-f4, rank 5, b6-f6").to_place(BLUE).placement(BLUE, "a6").close()
    assert (case.winners(), case.counts()) == ([RED], [19, 17])


def test_t28_the_chain_of_the_last_placement_counts():
    """R11, R37, R39."""
    case = Case("T28")
    case.says("Red ranks 1-3 and a5", "Blue rank 4, b5-f5, b6-f6 (16)")
    case.place_all("ranks 1-3, a5", "rank 4, b5-f5, b6-f6").to_place(BLUE).placement(BLUE, "a6").close()
    assert case.owner("a5") == BLUE
    assert (case.winners(), case.counts()) == ([RED, BLUE], [18, 18])


def test_t29_who_is_absent_moves_the_first_cube_to_the_north():
    """R43; and places on the lowest free file."""
    case = new_game((3, 5)).close()
    vector = Case("T29")
    vector.says("a1-a2,a2-a3,a3-a4")
    (moved,) = [report.body for report in case.done.reports if report.subject == "Moved"]
    assert moved == "Red moves: a1-a2, a2-a3, a3-a4."
    assert case.subjects(RED) == ["Default used"]
    case.place_all("a1,b1,d1", "a6,f6").to_place(RED).close()
    assert case.owner("c1") == RED


def test_t30_the_beginning_of_a_queue_is_kept():
    """R43, R15."""
    case = Case("T30").put("R:c3,a1 B:a6,f6").to_move(RED, 2).step(RED, "c3-c4").close()
    case.says("c4-c5")
    case.stands("R:c5,a1 B:a6,f6")


@pytest.mark.parametrize(("blue", "winners"), [("a6-f6,a5-c5", [RED, BLUE]), ("a6-f6,a5,b5", [RED])])
def test_t31_after_the_last_round_more_cubes_win(blue, winners):
    """R42."""
    case = Case("T31")
    case.says("`max_rounds`=10", "Red 9, Blue 9", "with 9:8 Red wins")
    case.place_all("a1-f1,a2-c2", blue, max_rounds=10)
    case.world.round = 10
    case.to_move(BLUE, 1)
    case.world.movers = [BLUE]
    case.close()
    assert (case.winners(), case.world.ended) == (winners, "rounds")


def test_t32_the_classes_of_refusal():
    """Section 4 of the page: wrong player, wrong object, wrong time."""
    case = Case("T32")
    case.says("`WrongPhase` / `NotYours` / `BadOrder` / `NoSuchThing` / `Illegal`")
    case.place_all("a1-f1", "a6-f6").to_move(RED, 6)
    world = case.world
    red, blue = world.cubes[NAMES.index("a1")].id, world.cubes[NAMES.index("a6")].id
    free, system = world.system(NAMES.index("a2")), world.system

    def move(seat: int, cube: int, to: int) -> Any:
        return lambda: case.order(seat, MoveCube.name, {CUBE: cube, TO: to})

    refused(case, "WrongPhase", move(BLUE, blue, system(NAMES.index("a5"))))
    refused(case, "NotYours", move(RED, blue, system(NAMES.index("a5"))))
    refused(case, "BadOrder", move(RED, red, red))
    refused(case, "NoSuchThing", move(RED, 9999, free))
    refused(case, "NoSuchThing", move(RED, red, 9999))
    for file in "abcdef":
        case.step(RED, f"{file}1-{file}2")
    refused(case, "Illegal: all movement already used", move(RED, red, system(NAMES.index("a3"))))


def test_t33_a_win_frees_cubes_from_leaving_their_start_tiles():
    """R15, R16: two cubes are on their start tiles with one step left, which wins."""
    case = Case("T33").put("R:a1,f1,b3,d2 B:c3,f6").to_move(RED, 5)
    for text in ("a1-a2", "a2-a1", "f1-f2", "f2-f1"):
        case.says(text)
        case.step(RED, text)
    refused(case, "Illegal: would end on its start tile", lambda: case.step(RED, "d2-e2"))
    case.step(RED, "d2-d3").close()
    assert case.winners() == [RED]
    case.stands("R:a1,b3,c3,d3,f1 B:f6")


def test_the_codes_of_the_classes():
    """Section 4: the Fail code of each class."""
    case = new_game((1, 5), initial_cubes=4)
    world = case.world
    wanted = {
        (RED, world.swarm(RED), PlaceCube.name, "x"): ("BadOrder", 1),
        (RED, world.swarm(RED), PlaceCube.name, 1): ("BadOrder", 1),
        (RED, 3, PlaceCube.name, 2): ("NotHere", 2),
        (RED, world.swarm(BLUE), PlaceCube.name, 2): ("NotYours", 5),
        (RED, 4242, PlaceCube.name, 2): ("NoSuchThing", 4),
        (BLUE, world.swarm(BLUE), PlaceCube.name, 2): ("WrongPhase", 3),
        (RED, world.swarm(RED), PlaceCube.name, 14): ("Illegal", 3),
    }
    for (seat, on, name, tile), expected in wanted.items():
        with pytest.raises(Refusal) as error:
            insertion(RULESET, case.state, seat, on, name, {TILE: tile})
        assert (error.value.reason, int(error.value.code)) == expected
    case.state.over = True
    with pytest.raises(Refusal) as error:
        insertion(RULESET, case.state, RED, world.swarm(RED), PlaceCube.name, {TILE: world.system(4)})
    assert (error.value.reason, int(error.value.code)) == ("GameOver", 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cubes_total", 6),
        ("cubes_total", 41),
        ("initial_cubes", 1),
        ("initial_cubes", 7),
        ("diagonal_moves", "perhaps"),
        ("chain_swarm", "perhaps"),
        ("double_limit", -1),
        ("double_limit", 7),
        ("max_rounds", 9),
        ("max_rounds", 1001),
        ("opening_seat", 0),
        ("opening_seat", 3),
        ("opening_seats", 1),
    ],
)
def test_an_option_out_of_its_limits_refuses_the_game(name, value):
    """Section 2: the error names the option, the value and the limits."""
    with pytest.raises(OptionError) as error:
        opening(RULESET, parse_options(RULESET.options, {name: value}), 2, b"")
    assert error.value.option == name
    if name in RULESET.options:
        assert repr(value) in error.value.text
        assert RULESET.options[name].limits in error.value.text


@pytest.mark.parametrize("seats", [1, 3])
def test_exactly_two_play(seats):
    """R1."""
    assert seats not in RULESET.seats
    with pytest.raises(OptionError):
        opening(RULESET, parse_options(RULESET.options, {}), seats, b"")


def test_tiles_are_read_as_on_the_page():
    """The reader of this module itself."""
    assert [NAMES[square] for square in tiles("b3,d2")] == ["b3", "d2"]
    assert tiles("ranks 4-6 without a6") == [*range(18, 30), *range(31, 36)]
    assert tiles("rank 5, a4") == [*range(24, 30), 18]
