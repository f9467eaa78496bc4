"""Invariants I1 to I18 of Swarm's page, over random and greedy games.

The games have many options. An independent `Referee` plays every turn again, with plain sets of coordinates and no code
of the ruleset.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tprules.api import BotTurn, parse_options
from tprules.api.advance import opening
from tprules.api.bots import Bot
from tprules.api.ruleset import find_phase
from tprules.swarm import RULESET
from tprules.swarm.world import METHOD_TWO, World
from tprules.testing import playing, random_bot, view

BOUNDED = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

Coordinates = tuple[int, int]
Options = dict[str, Any]

NORTH, EAST, SOUTH, WEST = (0, 1), (1, 0), (0, -1), (-1, 0)


def place(name: str) -> Coordinates:
    return "abcdef".index(name[0]), int(name[1]) - 1


def coordinates(world: World, seat: int) -> set[Coordinates]:
    return {(square % 6, square // 6) for square, cube in world.cubes.items() if cube.seat == seat}


class Referee:
    """The rules of captures again, for one seat."""

    def __init__(self, own: set[Coordinates], enemy: set[Coordinates], total: int, chain: bool) -> None:
        self.own, self.enemy = set(own), set(enemy)
        self.total, self.chain = total, chain
        self.won = len(own) >= total

    def arrive(
        self, at: Coordinates, directions: tuple[Coordinates, ...] = (NORTH, EAST, SOUTH, WEST)
    ) -> list[Coordinates]:
        """Make the captures of a cube that has come to ``at``, and return its triggers, the cube first."""
        triggers, waiting = [at], [at]
        while waiting and not self.won:
            x, y = waiting.pop(0)
            for dx, dy in directions:
                between, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if between in self.enemy and far in self.own and not self.won:
                    self.enemy.discard(between)
                    self.own.add(between)
                    self.won = len(self.own) >= self.total or len(self.enemy) <= 1
                    if self.chain:
                        waiting.append(between)
                        triggers.append(between)
        return triggers

    def copy(self) -> Referee:
        return Referee(self.own, self.enemy, self.total, self.chain)


class Watch:
    """The invariants, asserted on one turn after the other. Each is named by its number on the page."""

    def __init__(self, options: Options) -> None:
        self.options = parse_options(RULESET.options, options)
        self.placed: dict[tuple[int, int, int], int] = {}
        """Placements by round, seat and method."""

    def opening(self, state: Any) -> None:
        self._every_state(state)

    def turn(self, before: Any, done: Any) -> None:
        if before.phase == "place":
            self._placement(before.world, done)
        else:
            self._movement(before.world, done)
        self._every_state(done.state)

    def _every_state(self, state: Any) -> None:
        world: World = state.world
        counts = [world.count(seat) for seat in (0, 1)]
        squares = [shown.at for shown in view(RULESET, world, None).values() if shown.kind == "cube"]
        assert len(squares) == len(set(squares)) == sum(counts), "I1"
        total = self.options["cubes_total"]
        assert all(count + world.supply(seat) == total for seat, count in enumerate(counts)), "I2"
        assert all(world.supply(seat) >= 0 for seat in (0, 1)), "I2"
        assert min(counts) >= 1, "I3"
        assert state.over or (min(counts) > 1 and max(counts) < total), "I3"
        active = list(find_phase(RULESET, state.phase).active(world))
        assert len(active) == (0 if state.over else 1), "I13"
        assert state.over or sum(counts) < 36, "I15"
        assert world.round <= self.options["max_rounds"], "I18"
        if state.phase == "move" and not state.over:
            self._measured(world)

    def _measured(self, world: World) -> None:
        """I8."""
        seat = world.movers[0]
        budget = world.rolls[seat]
        assert world.movement in (budget, budget - 1), "I8: a turn without movement is passed over"
        assert world.movement == budget or budget % 2 == 0, "I8"
        assert world.lapsed == budget - world.movement

    def _placement(self, world: World, done: Any) -> None:
        after = done.state.world
        seat, method = world.pending[0]
        (event,) = [event for event in done.events if event.name == "placement"]
        assert event.facts["seat"] == seat
        at = place(event.facts["tile"])
        taken = coordinates(world, 0) | coordinates(world, 1)
        assert at not in taken
        assert at[1] == (0, 5)[seat], "I12"
        referee = self._referee(world, seat, coordinates(world, seat) | {at})
        self._arrive(referee, at)
        self._compare(world, after, referee, seat, added=1)
        key = (world.round, seat, method)
        self.placed[key] = self.placed.get(key, 0) + 1
        twos = self.placed.get((world.round, seat, METHOD_TWO), 0)
        assert twos <= self.options["double_limit"], "I11"
        assert twos + self.placed.get((world.round, seat, 3), 0) <= self.options["double_limit"] + 2, "I11"
        if after.round == world.round and not done.state.over:
            assert after.doubled[seat] == twos

    def _movement(self, world: World, done: Any) -> None:
        after = done.state.world
        seat = world.movers[0]
        (body,) = [report.body for report in done.reports if report.subject == "Moved"]
        moves = re.findall(r"([a-f]\d)-([a-f]\d)", body)
        referee = self._referee(world, seat, coordinates(world, seat))
        starts: dict[Coordinates, Coordinates] = {}
        for number, (one, other) in enumerate(moves):
            origin, target = place(one), place(other)
            assert not referee.won, "nothing happens after a win"
            assert origin in referee.own
            assert target not in referee.own | referee.enemy
            distance = [abs(a - b) for a, b in zip(origin, target, strict=True)]
            assert max(distance) == 1, "I5"
            assert self.options["diagonal_moves"] or sum(distance) == 1
            own = len(referee.own)
            starts[target] = starts.pop(origin, origin)
            referee.own ^= {origin, target}
            self._arrive(referee, target)
            assert len(referee.own) >= own, "I9"
            assert referee.won or number < world.movement, "I6"
        if not referee.won:
            assert len(moves) == world.movement, "I6, I17"
            assert all(at != start for at, start in starts.items()), "I7"
        self._compare(world, after, referee, seat, added=0)

    def _referee(self, world: World, seat: int, own: set[Coordinates]) -> Referee:
        enemy = coordinates(world, 1 - seat)
        return Referee(own, enemy, self.options["cubes_total"], self.options["chain_swarm"])

    def _arrive(self, referee: Referee, at: Coordinates) -> None:
        other = referee.copy()
        triggers = referee.arrive(at)
        if not referee.won:
            other.arrive(at, (WEST, SOUTH, EAST, NORTH))
            assert (other.own, other.enemy) == (referee.own, referee.enemy), "I16"
        if referee.chain and not referee.won:
            for x, y in triggers:
                for dx, dy in (NORTH, EAST, SOUTH, WEST):
                    flanked = (x + dx, y + dy) in referee.enemy and (x + 2 * dx, y + 2 * dy) in referee.own
                    assert not flanked, "I10"

    def _compare(self, before: World, after: World, referee: Referee, seat: int, added: int) -> None:
        assert coordinates(after, seat) == referee.own
        assert coordinates(after, 1 - seat) == referee.enemy
        assert len(after.cubes) == len(before.cubes) + added, "I4"
        assert after.count(seat) >= before.count(seat) + added, "I9"
        if referee.won:
            assert after.winner == seat
        if len(after.cubes) == 36 and not referee.won:
            red, blue = after.count(0), after.count(1)
            assert (after.ended, after.winner) == ("full", None if red == blue else int(blue > red)), "I15"


def lazy_bot(turn: BotTurn[World]) -> None:
    """Give some orders or none at all, so that the rest is done by default (I17)."""
    while turn.dice.below(2):
        legal = list(RULESET.legal_orders(turn.plan))
        if not legal or turn.give(turn.dice.pick(legal)) is not None:
            return


def absent_bot(turn: BotTurn[World]) -> None:
    """Seat 1 never gives an order."""
    if turn.seat == 0:
        random_bot(turn)


@st.composite
def _games(draw: st.DrawFn) -> tuple[int, Options]:
    """A seed, and options."""
    options: Options = {}
    if draw(st.booleans()):
        options = {
            "cubes_total": draw(st.integers(7, 40)),
            "initial_cubes": draw(st.integers(2, 6)),
            "diagonal_moves": draw(st.booleans()),
            "chain_swarm": draw(st.booleans()),
            "double_limit": draw(st.integers(0, 6)),
            "max_rounds": draw(st.integers(10, 60)),
            "opening_seat": draw(st.integers(1, 2)),
        }
    return draw(st.integers(0, 10**6)), options


def _watch(game: tuple[int, Options], bot: Bot) -> None:
    seed, options = game
    watch = Watch(options)
    watch.opening(opening(RULESET, watch.options, 2, str(seed).encode()).state)
    digests = []
    for step in playing(RULESET, options, 2, seed, bot, most_turns=9000):
        watch.turn(step.before, step.done)
        digests.append(step.done.digest)
    again = playing(RULESET, options, 2, seed, bot, most_turns=9000)
    assert [step.done.digest for step in again] == digests, "I14"


def test_every_invariant_of_the_page_is_watched():
    """I1 to I18 are asserted by name in this module."""
    source = Path(__file__).read_text(encoding="utf-8")
    named = set(re.findall(r"\bI(\d+)\b", " ".join(re.findall(r'assert .*"(I\d.*)"', source))))
    assert named == {str(number) for number in range(1, 19)}


@pytest.mark.thorough
@settings(BOUNDED, max_examples=12)
@given(game=_games())
def test_invariants_in_random_games(game):
    """All of them, after every turn of random games."""
    _watch(game, random_bot)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=3)
@given(game=_games())
def test_invariants_in_greedy_games(game):
    """The same where players capture what they can."""
    _watch(game, RULESET.bot)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=12)
@given(game=_games())
def test_invariants_where_half_is_done_by_default(game):
    """The same where queues are short or empty: the completion is always legal."""
    _watch(game, lazy_bot)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=8)
@given(game=_games())
def test_invariants_where_one_is_absent(game):
    """The same where a player is never there."""
    _watch(game, absent_bot)
