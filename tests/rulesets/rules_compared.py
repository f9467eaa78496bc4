"""Comparison of a game with a second statement of its rules.

The game plays, and its draws are recorded. The statement gets the same numbers in the same order. The first difference
is reported in words. A draw with other bounds, an additional draw or a missing draw is a difference like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from tests.rulesets.difference import difference
from tprules.api import Dice, Turn
from tprules.api.advance import Advanced, advance
from tprules.api.order_checks import State
from tprules.api.ruleset import Ruleset

SEED = b"compared"
"""The seed of all closings: their chance differs by the number of the turn."""


class Difference(AssertionError):
    """Game and statement differ; the text says where."""


class _WrittenDice(Dice):
    """Dice that write down what they show: (sides, number)."""

    log: list[tuple[int, int]]

    def below(self, limit: int) -> int:
        number = super().below(limit)
        self.log.append((limit, number))
        return number


@contextmanager
def written_draws() -> Iterator[list[tuple[int, int]]]:
    """Write down what the stages of closings draw."""
    log: list[tuple[int, int]] = []

    def dice(turn: Turn[Any], name: str) -> Dice:
        found = _WrittenDice.named(turn.seed, turn.number, turn.step, name)
        assert isinstance(found, _WrittenDice)
        found.log = log
        return found

    with patch.object(Turn, "dice", dice):
        yield log


class SameDraws:
    """Gives the statement the numbers that the game has drawn: ``draw(n)`` is one of 0 to n - 1."""

    def __init__(self, log: Sequence[tuple[int, int]]) -> None:
        self._left = list(log)

    def __call__(self, limit: int) -> int:
        if not self._left:
            raise Difference(f"the statement draws one of {limit} where the game draws nothing")
        known, number = self._left.pop(0)
        if known != limit:
            raise Difference(f"the statement draws one of {limit} where the game draws one of {known}")
        return number

    def finish(self) -> None:
        """Raise Difference if the game has drawn more than the statement."""
        if self._left:
            raise Difference(f"the game draws one of {self._left[0][0]} where the statement draws nothing")


def closed(rules: Ruleset[Any], state: State[Any]) -> tuple[Advanced[Any], SameDraws]:
    """Close the phase of the game; return the result, and the same chance for the statement."""
    with written_draws() as log:
        done = advance(rules, state, SEED)
    return done, SameDraws(log)


def same(stated: Any, game: Any, path: str = "") -> None:
    """Raise Difference, with the first place and both values, unless the two are equal."""
    if found := difference(game, stated, path):
        raise Difference(found)


def table(counts: Counter[str], positions: int, heading: str) -> str:
    """Return the situations and how often they came up, the rarest first, as text to print."""
    lines = [f"{heading}: {positions} positions compared"]
    lines += [f"{number:>9}  {name}" for name, number in sorted(counts.items(), key=lambda item: (item[1], item[0]))]
    return "\n".join(lines)


def told_and_held(counts: Counter[str], positions: int, heading: str, least: Mapping[str, int]) -> None:
    """Print what came up, and fail if a situation came less often than ``least`` of 1,000 positions has it."""
    print(table(counts, positions, heading))
    few = {name: counts[name] for name, count in least.items() if counts[name] < count * positions // 1000}
    assert not few, f"these came up too rarely: {few}"
