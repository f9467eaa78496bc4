"""What had another name in an earlier version: a ruleset that was written against it is told what it is called now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

NAMES: Mapping[str, str] = {
    "Words": "String",
    "Pick": "Selection",
    "Amounts": "ResourceList",
    "Place": "Coordinates",
    "Whole": "Integer",
    "Wholes": "IntegerList",
}
"""Of ``tprules.api``."""

HOOKS: Mapping[str, str] = {
    "early": "precheck",
    "screening": "checks",
    "unfinished": "end_turn_hint",
    "moves": "legal_orders",
}
"""Attributes of a Ruleset."""

PHASE: Mapping[str, str] = {
    "absent": "default_orders",
    "then": "next_phase",
    "also": "deferred_orders",
    "closes": "ends_after",
}
"""Arguments of a Phase."""

MODULES: Mapping[str, str] = {
    "tprules.api.words": "tprules.api.types",
    "tprules.api.intake": "tprules.api.order_checks",
    "tprules.kit.breadth": "tprules.kit.bfs",
    "tprules.kit.cheapest": "tprules.kit.dijkstra",
    "tprules.kit.pick_one": "tprules.kit.single_choice",
    "tprules.kit.sequence": "tprules.kit.unit_queues",
}


def refuse_old(whose: str, names: Iterable[str], renamed: Mapping[str, str]) -> None:
    """Raise TypeError, with the name of today, if one of ``names`` is an old one."""
    for name in names:
        if name in renamed:
            raise TypeError(f"{whose}.{name} is now called {renamed[name]}")
