"""The order of play, final places, and the winners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tprules.api import Outcome, Seat, player


def cyclic(first: Seat, seats: int) -> list[Seat]:
    """Return all seats in the order of play, beginning with ``first``."""
    return [(first + step) % seats for step in range(seats)]


def places(scores: Mapping[Seat, Any]) -> dict[Seat, int]:
    """Return the place of each seat: 1 for the highest score.

    Equal scores share a place, and the next place is skipped (1, 1, 3).
    """
    ranked = sorted(scores.values(), reverse=True)
    return {seat: 1 + ranked.index(score) for seat, score in sorted(scores.items())}


def victory(winners: Sequence[Seat]) -> str:
    """Return the winners as a clause for a sentence."""
    return f"{' and '.join(map(player, winners))} {'wins' if len(winners) == 1 else 'share the victory'}"


def final_table(outcome: Outcome, why: str) -> str:
    """Return the report of a game's end: the reason, the place and figures of each seat, and the winners."""
    lines = [f"The game is over: {why}."]
    for seat, place in outcome.ranked():
        figures = ", ".join(f"{name} {value}" for name, value in outcome.figures[seat].items())
        lines.append(f"{place}. {player(seat)}: {figures}")
    return "\n".join([*lines, f"{victory(outcome.winners())}!"])
