"""A memory for results that depend on the plan alone, so that many orders share one computation."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from tprules.api import Plan

R = TypeVar("R")


def once_per_plan(function: Callable[[Plan[Any]], R]) -> Callable[[Plan[Any]], R]:
    """Return ``function`` with a memory for the last plan.

    A host judges many orders by the same plan, whose world does not change. Callers must not change the result.
    """
    last: tuple[Plan[Any], R] | None = None

    @wraps(function)
    def remembered(plan: Plan[Any]) -> R:
        nonlocal last
        known = last  # read once: bots call it in other threads
        if known is None or known[0] is not plan:
            known = last = plan, function(plan)
        return known[1]

    return remembered
