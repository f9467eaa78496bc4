"""The order of play, and final places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Seat = int


def cyclic(first: Seat, seats: int) -> list[Seat]:
    """Return all seats in the order of play, beginning with ``first``."""
    return [(first + step) % seats for step in range(seats)]


def places(scores: Mapping[Seat, Any]) -> dict[Seat, int]:
    """Return the place of each seat: 1 for the highest score.  Equal scores share a place, and the next is skipped
    (1, 1, 3)."""
    ranked = sorted(scores.values(), reverse=True)
    return {seat: 1 + ranked.index(score) for seat, score in sorted(scores.items())}
