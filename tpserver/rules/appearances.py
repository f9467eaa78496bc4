"""Appearance frame of each ruleset, created once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twisted.logger import Logger

from tpproto import tp_pb2 as tp
from tprules.api import Appearance, Look, OrderType, Ruleset
from tprules.api.appearance import MOST_BADGES, unfit_appearance, unfit_look, unfit_order_words
from tpserver.rules.call_limits import LOAD_SECONDS, WATCHDOG, Caller, why_it_failed
from tpserver.rules.descriptions import description_of

log = Logger()

_CELLS = {"square": 0, "hexagon": 1}

_kept: dict[int, tuple[Ruleset[Any], tp.Appearance]] = {}
"""By ``id``, as a ruleset may define its own equality: the ruleset and the frame.

The reference keeps the number of the ruleset in use.
"""


def appearance_of(rules: Ruleset[Any]) -> tp.Appearance:
    """Return the appearance of a ruleset.

    Parts that clients cannot show are logged once and omitted. Clients then use their defaults.
    """
    found = _kept.get(id(rules))
    if found is None:
        try:
            made = WATCHDOG.call(LOAD_SECONDS, lambda: _made(rules), Caller(0, rules.name))
        except Exception as error:
            _unfit(rules, why_it_failed(error))
            made = tp.Appearance(ruleset=rules.name, version=str(rules.version))
        found = _kept[id(rules)] = rules, made
    return found[1]


def _unfit(rules: Ruleset[Any], why: str) -> None:
    log.error("ruleset {rules}: what it looks like cannot be shown: {why}", rules=rules.name, why=why)


def _made(rules: Ruleset[Any]) -> tp.Appearance:
    declared = rules.appearance
    problem = unfit_appearance(declared)
    if problem:
        _unfit(rules, problem)
        declared = Appearance()
    made = tp.Appearance(
        ruleset=rules.name,
        version=str(rules.version),
        players=declared.seats,
        cells=_CELLS[declared.cells],
        places=declared.places.words,
        boards=[tp.BoardName(name=name, words=words) for name, words in declared.places.boards.items()],
        hand=declared.hand,
    )
    numbers, resources = description_of(rules).type_of, {resource.id for resource in rules.resources}
    for name, kind in rules.kinds.items():
        shown = _look(rules, f"the kind {name}", numbers[name], kind.look)
        shown.badges.extend([number for number in kind.badges if number in resources][:MOST_BADGES])
        shown.in_hand, shown.nameless = kind.in_hand, kind.nameless
        made.object_types.extend(_declared([shown]))
    for design in rules.catalogue.designs:
        made.designs.extend(_declared([_look(rules, f"the design {design.name}", design.id, design.look)]))
    for resource in rules.resources:
        made.resources.extend(_declared([_look(rules, f"the resource {resource.name}", resource.id, resource.look)]))
    for order in rules.orders:
        made.orders.extend(_order_words(rules, order))
    return made


def _look(rules: Ruleset[Any], what: str, number: int, look: Look) -> tp.Look:
    """Return a look for clients. It is empty for looks that clients cannot show."""
    fit = _fit(rules, what, look)
    return tp.Look(id=number, symbol=fit.symbol, colour=fit.colour, words=fit.words, each=fit.each)


def _order_words(rules: Ruleset[Any], order: type[OrderType[Any]]) -> Iterable[tp.OrderWords]:
    """Yield the words of an order type, if it has any that clients can show."""
    words = order.words
    if words is None:
        return
    problem = unfit_order_words(words, order.params)
    if problem:
        _unfit(rules, f"the order {order.name}: {problem}")
        return
    called = [words.params.get(name, "") for name in order.params]
    yield tp.OrderWords(
        otype=order.number, name=words.name, sentence=words.sentence, parameters=called, stays=words.stays
    )


def _fit(rules: Ruleset[Any], what: str, look: Look) -> Look:
    problem = unfit_look(look)
    if problem:
        _unfit(rules, f"{what}: {problem}")
        return Look()
    return look


def _declared(looks: Iterable[tp.Look]) -> list[tp.Look]:
    """Return the looks with content."""
    return [look for look in looks if any(field.name != "id" for field, _ in look.ListFields())]
