"""Lists of which exactly one thing is picked: a direction, a weapon, an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tprules.api import Selection


def one_of(what: str) -> Selection:
    """Return the parameter, with ``what`` as its help.  As long as nothing is selected, the order is a draft."""
    return Selection(what, least=1, most=1)


def choosing(number: int) -> list[list[int]]:
    """Return the argument that picks the thing with this number."""
    return [[number, 1]]


def chosen(args: Mapping[str, Any], name: str) -> int:
    """Return the number of what is picked in the parameter ``name`` of an order that is no draft."""
    number: int = args[name][0][0]
    return number
