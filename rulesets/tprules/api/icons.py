"""Whether old graphical clients draw the objects of a ruleset, as far as its declarations decide that."""

from __future__ import annotations

from typing import Any

from tprules.api.objects import Role
from tprules.api.ruleset import Ruleset

TOP_LEVEL_GROUPS = ("Positional", "Informational", "Media")
"""In TP04, old graphical clients draw only objects that lie directly in the universe, or in an object there whose type
has no groups but these."""


def hidden_icons(rules: Ruleset[Any]) -> str:
    """Return why those clients would draw nothing in some galaxy of this ruleset, or an empty text.

    The host itself adds "Positional"; a ruleset can put the numbers of a galaxy into "Informational".
    """
    carriers = rules.carriers()
    for name, kind in rules.kinds.items():
        if kind.role is not Role.GALAXY:
            continue
        if kind.resources:
            return f"the galaxy {name!r} shows resources, so old clients draw nothing that lies in it"
        if name in carriers:
            return f"the galaxy {name!r} takes orders, so old clients draw nothing that lies in it"
        for group in kind.groups:
            if group.name not in TOP_LEVEL_GROUPS:
                return f"the galaxy {name!r} has a group {group.name!r}, so old clients draw nothing that lies in it"
    return ""
