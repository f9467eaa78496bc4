"""Compute once what many orders are judged by: a result that depends on the plan alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from tprules.api import Plan

R = TypeVar("R")


def once_per_plan(function: Callable[[Plan[Any]], R]) -> Callable[[Plan[Any]], R]:
    """Return ``function`` with a memory for the last plan.

    A host judges many orders by one and the same plan, whose world does not change.  Nothing may change the result.
    """
    last: tuple[Plan[Any], R] | None = None

    @wraps(function)
    def remembered(plan: Plan[Any]) -> R:
        nonlocal last
        known = last  # bots ask in threads of their own
        if known is None or known[0] is not plan:
            known = last = plan, function(plan)
        return known[1]

    return remembered
