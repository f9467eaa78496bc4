"""What each ruleset looks like, as clients are told it, made once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twisted.logger import Logger

from tpproto import tp_pb2 as tp
from tprules.api import Appearance, Look, Ruleset
from tprules.api.appearance import MOST_BADGES, unfit_appearance, unfit_look
from tpserver.rules.descriptions import description_of
from tpserver.rules.watchdog import LOAD_SECONDS, WATCHDOG, Caller, why_it_failed

log = Logger()

_CELLS = {"square": 0, "hexagon": 1}

_kept: dict[int, tuple[Ruleset[Any], tp.Appearance]] = {}
"""By ``id``, as a ruleset may define its own equality: the ruleset, which keeps the number its own, and the frame."""


def appearance_of(rules: Ruleset[Any]) -> tp.Appearance:
    """Return what a ruleset looks like.

    What clients cannot show is logged, once, and left out; it is up to the client then, as if it were not declared.
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
        look = _fit(rules, f"the kind {name}", kind.look)
        badges = [number for number in kind.badges if number in resources][:MOST_BADGES]
        shown = tp.Look(id=numbers[name], symbol=look.symbol, colour=look.colour, badges=badges, in_hand=kind.in_hand)
        made.object_types.extend(_declared([shown]))
    for design in rules.catalogue.designs:
        look = _fit(rules, f"the design {design.name}", design.look)
        made.designs.extend(_declared([tp.Look(id=design.id, symbol=look.symbol, colour=look.colour)]))
    for resource in rules.resources:
        look = _fit(rules, f"the resource {resource.name}", resource.look)
        made.resources.extend(_declared([tp.Look(id=resource.id, symbol=look.symbol, colour=look.colour)]))
    return made


def _fit(rules: Ruleset[Any], what: str, look: Look) -> Look:
    problem = unfit_look(look)
    if problem:
        _unfit(rules, f"{what}: {problem}")
        return Look()
    return look


def _declared(looks: Iterable[tp.Look]) -> list[tp.Look]:
    """Return the looks that say anything."""
    return [look for look in looks if look.symbol or look.colour or look.badges or look.in_hand]
