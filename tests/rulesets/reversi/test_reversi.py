"""Reversi, the first game of an author: it conforms, follows its rules, and is played from an installed package."""

from __future__ import annotations

from random import Random

import pytest
from reversi import EMPTY, HANDS, RULESET, SIDE, SQUARES, TO, World, enclosed, name_of

from tests.rulesets.reversi import statement
from tprules.api.advance import advance, opening
from tprules.api.legal import legal_orders
from tprules.api.order_checks import State, apply, insertion
from tprules.testing import busy_bot, check, play

PASS = [
    "XOOOOOO.",
    "XXXXXXXX",
    "XXXXXXXX",
    "XXXXXXXX",
    "XXXXXXXX",
    "XXXXXXXX",
    "XXXXXXXX",
    "XXXXXXOO",
]
"""After the first player's disc on h1 neither can move."""


def world_of(rows: list[str] | tuple[str, ...], mover: int) -> World:
    signs = {".": EMPTY, "X": 0, "O": 1}
    return World([signs[sign] for row in rows for sign in row], mover)


def rows_of(world: World) -> tuple[str, ...]:
    text = "".join({EMPTY: ".", 0: "X", 1: "O"}[disc] for disc in world.squares)
    return tuple(text[start : start + SIDE] for start in range(0, len(text), SIDE))


def legal_squares(state: State[World]) -> list[str]:
    orders = legal_orders(RULESET, state, state.world.mover)
    return [name_of(order.args[TO] - SQUARES.start) for order in orders]


def closed(state: State[World], square: str) -> State[World]:
    """Return the state after the mover has placed a disc."""
    number = SQUARES["abcdefgh".index(square[0]) + SIDE * (int(square[1]) - 1)]
    apply(state, insertion(RULESET, state, state.world.mover, HANDS[state.world.mover], "Place", {TO: number}))
    return advance(RULESET, state, b"reversi").state


def compare(seed: int) -> int:
    """Play a random game by both versions of the rules; return the number of passes."""
    chance, passes = Random(seed), 0
    state = opening(RULESET, {}, 2, b"reversi").state
    rows, mover = statement.OPENING, "X"
    while True:
        assert rows_of(state.world) == rows
        assert state.over == (mover == " ")
        if state.over:
            return passes
        assert statement.SIGNS[state.world.mover] == mover
        found = legal_squares(state)
        assert set(found) == statement.legal(rows, mover)
        assert len(found) == len(set(found))
        square = chance.choice(found)
        state = closed(state, square)
        rows = statement.placed(rows, mover, square)
        following = statement.next_player(rows, mover)
        passes += following == mover
        mover = following


def test_it_conforms():
    summary = check(RULESET, games=2, processes=False)
    assert summary.moves_tried > 300
    assert not summary.notes


def test_flips_and_passes_follow_the_statement():
    """Positions, movers, legal squares and the end of random games; some have passes."""
    assert sum(compare(seed) for seed in range(4))


@pytest.mark.thorough
def test_the_same_in_many_games():
    assert sum(compare(seed) for seed in range(4, 40)) > 5


@pytest.mark.parametrize(
    ("row", "turned"),
    [(".OX.....", "b1"), (".OOOOOOX", "b1 c1 d1 e1 f1 g1"), (".OO.X...", ""), (".X......", ""), (".OOOOOOO", "")],
)
def test_discs_in_a_row_are_enclosed(row: str, turned: str):
    squares = world_of([row, *["." * 8] * 7], 0).squares
    assert " ".join(map(name_of, enclosed(squares, 0, 0))) == turned


def test_the_game_ends_when_neither_can_move():
    state = State(world_of(PASS, 0), "place")
    assert legal_squares(state) == ["h1"]
    over = closed(state, "h1")
    outcome = RULESET.outcome(over.world)
    assert over.over
    assert outcome is not None
    assert outcome.winners() == [0]
    assert outcome.figures == {0: {"Discs": 62}, 1: {"Discs": 2}}


@pytest.mark.thorough
def test_its_bot_wins_most_games_against_a_random_one():
    """As the first player in half of the games."""
    won = 0
    for seed in range(20):
        mine = seed % 2
        played = play(
            RULESET, seed=seed, bot=lambda turn, mine=mine: (RULESET.bot if turn.seat == mine else busy_bot)(turn)
        )
        assert played.outcome is not None
        won += played.outcome.winners() == [mine]
    assert won > 15


def test_random_bots_play_it_to_the_end():
    played = play(RULESET, seed=3)
    assert played.outcome is not None
    assert played.turns > 50
    assert sum(figures["Discs"] for figures in played.outcome.figures.values()) <= SIDE * SIDE
