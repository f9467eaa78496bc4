"""Declarations of a ruleset that old graphical clients cannot use or draw.

The Python clients of 2008 and 2010 use attributes for the groups of an object. They do so for the parameters of a group
or an order, too. The attributes have exactly the names in the descriptions (TP04, ObjectDesc and OrderDesc frames).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tprules.api.objects import Group, Role, common_groups
from tprules.api.ruleset import Ruleset, kinds_with_orders

RESERVED = frozenset(
    (
        *("id", "slot", "turns", "resources", "type", "subtype", "sequence", "protocol", "majorv", "minorv", "length"),
        *("data", "name", "desc", "parent", "contains", "modify_time", "properties", "pack"),
    )
)
"""Attributes that those clients' objects have already; upper and lower case differ."""


def unfit_name(rules: Ruleset[Any]) -> str:
    """Return one sentence about the first name of a group or parameter that clients cannot use, or "".

    A group and a parameter may have the same name, as they become attributes of different Python objects.
    """
    carriers = kinds_with_orders(rules)
    for kind_name, kind in rules.kinds.items():
        common = common_groups(kind, kind_name in carriers)
        every = (*common, *kind.groups)
        problem = _problem("groups", [group.name for group in every], [group.name for group in common])
        problem = problem or _problem("parameters", _parameters(every), _parameters(common))
        if problem:
            return f"object type {kind_name}: {problem}"
    for order in rules.orders:
        problem = _problem("parameters", list(order.params), ())
        if problem:
            return f"order type {order.name}: {problem}"
    return ""


def _parameters(groups: Iterable[Group]) -> list[str]:
    return [name for group in groups for name, _ in group.fields]


def _problem(what: str, names: Iterable[str], common: Iterable[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            return f"one of its {what} is named {name!r}; names are text"
        if name in RESERVED:
            return f"clients use the name {name!r} themselves; {what} may not be {', '.join(sorted(RESERVED))}"
        if name in seen:
            whose = "every object of its role has one" if name in common else "each needs a name of its own"
            return f"two {what} are named {name!r}; {whose}"
        seen.add(name)
    return ""


TOP_LEVEL_GROUPS = ("Positional", "Informational", "Media")
"""The groups of objects whose contents old graphical clients draw.

In TP04, these clients draw only objects directly in the universe, or in an object there whose type has no other groups.
"""


def hidden_icons(rules: Ruleset[Any]) -> str:
    """Return why old clients would draw nothing in a galaxy of this ruleset, or "".

    The host itself adds "Positional". A ruleset can put the numbers of a galaxy into "Informational".
    """
    carriers = kinds_with_orders(rules)
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
