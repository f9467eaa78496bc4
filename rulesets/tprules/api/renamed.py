"""Former names and their replacements, for errors of rulesets."""

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
"""Old -> present names in ``tprules.api``."""

HOOKS: Mapping[str, str] = {
    "early": "checks",
    "screening": "checks",
    "reasons": "checks",
    "refusal_text": "checks",
    "unfinished": "end_turn_hint",
    "moves": "legal_orders",
}
"""Old -> present attributes of a Ruleset."""

FUNCTIONS: Mapping[str, str] = {
    "phase": "find_phase",
    "order_type": "find_order_type",
    "stored": "to_stored_order",
    "restored": "from_stored_order",
    "carriers": "kinds_with_orders",
}
"""Former methods of a Ruleset -> functions in ``tprules.api.ruleset``."""

PHASE: Mapping[str, str] = {
    "absent": "default_orders",
    "then": "next_phase",
    "also": "deferred_orders",
    "closes": "ends_after",
}
"""Old -> present arguments of a Phase."""

MODULES: Mapping[str, str] = {
    "tprules.api.words": "tprules.api.types",
    "tprules.api.intake": "tprules.api.order_checks",
    "tprules.kit.breadth": "tprules.kit.bfs",
    "tprules.kit.cheapest": "tprules.kit.dijkstra",
    "tprules.kit.pick_one": "tprules.kit.single_choice",
    "tprules.kit.sequence": "tprules.kit.unit_queues",
}
"""Old -> present modules."""


def refuse_old(whose: str, names: Iterable[str], renamed: Mapping[str, str]) -> None:
    """Raise TypeError with the present name if one of ``names`` is a key of ``renamed``.

    ``whose`` is the class or object of these names, for the message.
    """
    for name in names:
        if name in renamed:
            raise TypeError(f"{whose}.{name} is now called {renamed[name]}")
