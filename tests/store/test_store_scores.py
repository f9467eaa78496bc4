"""Stored scores, and the part of them that each seat may see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tpserver.store.games import rows as games
from tpserver.store.games.scores import LONGEST, MOST_NUMBERS, MOST_TURNS, Line, ScoreHistory, put, spread, until

PUBLIC = {0: {"Won": 1}, 1: {"Won": 2}}


Keep, Seen = Callable[[int, Any], None], Callable[[int | None, int], ScoreHistory]


@pytest.fixture
def keep(do: Callable[..., Any], game: Any) -> Keep:
    """keep(turn, told): store the scores of a turn as each seat saw them."""
    return lambda turn, told: do(lambda c: put(c, game.id, turn, told))


@pytest.fixture
def seen(do: Callable[..., Any], game: Any) -> Seen:
    """seen(seat, last): the scores that a seat may see, up to a turn."""
    return lambda seat, last: do(lambda c: until(c, game.id, seat, last))


def told(*golds: int) -> dict[int | None, dict[int, dict[str, int]]]:
    """Return the scores for two seats and spectators. Each seat alone knows its gold."""
    return {
        None: PUBLIC,
        **{seat: {**PUBLIC, seat: {"Gold": gold, "Won": 1 + seat}} for seat, gold in enumerate(golds)},
    }


def test_each_is_told_what_it_was_told_and_all_of_it_when_the_game_is_over(
    do: Callable[..., Any], game: Any, keep: Keep, seen: Seen
):
    """Own figures come first, and the order of the figures is kept."""
    for turn in range(3):
        keep(turn, told(10 + turn, 20 + turn))
    won = [Line(0, "Won", 0, [1, 1, 1]), Line(1, "Won", 0, [2, 2, 2])]
    gold = [Line(0, "Gold", 0, [10, 11, 12]), Line(1, "Gold", 0, [20, 21, 22])]
    assert seen(None, 9).lines == won
    assert seen(0, 9).lines == [gold[0], *won]
    assert seen(1, 9).lines == [won[0], gold[1], won[1]]
    assert seen(1, 1).turns == [0, 1]
    do(lambda c: games.update(c, game.id, state="over"))
    for seat in (None, 0, 1):
        assert seen(seat, 9).lines == [gold[0], won[0], gold[1], won[1]]


def test_a_seat_is_not_told_what_only_spectators_were(keep: Keep, seen: Seen):
    """Scores of a seat replace the public ones where they differ, also if there are fewer."""
    keep(0, {None: PUBLIC, 0: {1: {"Won": 2}}, 1: {0: {}, 1: {"Won": 3}}})
    assert seen(0, 0).lines == [Line(1, "Won", 0, [2])]
    assert seen(1, 0).lines == [Line(1, "Won", 0, [3])]


def test_a_figure_that_was_not_told_in_a_turn_leaves_a_gap(keep: Keep, seen: Seen):
    for turn, row in enumerate([{"Won": 1}, {"Won": 2}, {}, {"Won": 4, "Late": 5}]):
        keep(turn, {None: {0: {"Sure": 0, **row}}})
    assert seen(None, 3).lines == [
        Line(0, "Sure", 0, [0, 0, 0, 0]),
        Line(0, "Won", 0, [1, 2]),
        Line(0, "Won", 3, [4]),
        Line(0, "Late", 3, [5]),
    ]


def test_of_before_there_is_nothing(keep: Keep, seen: Seen):
    """A game of which nothing was kept, or not up to that turn: no turns, no lines."""
    keep(5, {None: PUBLIC})
    for last in (0, 4):
        assert seen(None, last).turns == []
    assert seen(None, 5).turns == [5]


@pytest.mark.parametrize("width", [1, 64])
def test_of_many_turns_and_figures_a_bounded_number_is_told(keep: Keep, seen: Seen, width: int):
    """The first and the last turn are among them."""
    for turn in range(300):
        keep(turn, {None: {0: {f"f{number}": turn for number in range(width)}}})
    found = seen(None, 299)
    assert (found.turns[0], found.turns[-1]) == (0, 299)
    assert len(found.turns) == min(MOST_TURNS, MOST_NUMBERS // width)
    assert sum(len(line.numbers) for line in found.lines) <= MOST_NUMBERS
    assert all(line.numbers == found.turns for line in found.lines)


def test_what_is_too_long_or_nothing_is_not_kept(keep: Keep, seen: Seen):
    keep(0, {None: {0: {"x" * LONGEST: 1}}})
    keep(1, {None: {}, 0: {}})
    assert seen(None, 1).turns == []


def test_the_ends_are_always_among_what_is_chosen():
    assert spread(3, 3, 2) == [3]
    assert spread(0, 9, 10) == list(range(10))
    assert spread(0, 9, 4) == [0, 3, 6, 9]
    assert spread(5, 1000, 2) == [5, 1000]
