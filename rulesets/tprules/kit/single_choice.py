"""List parameters with exactly one selected item, such as a direction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tprules.api import Selection


def one_of(what: str) -> Selection:
    """Return the parameter with the help ``what``. An order without a selection is a draft."""
    return Selection(what, least=1, most=1)


def choosing(number: int) -> list[list[int]]:
    """Return the argument that selects the item with this id."""
    return [[number, 1]]


def chosen(args: Mapping[str, Any], name: str) -> int:
    """Return the id of the item selected in the parameter ``name``. The order must not be a draft."""
    number: int = args[name][0][0]
    return number
