"""Check that the declarations of a ruleset are consistent."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, NoReturn

from tprules.api import OptionError, OrderType, Role, Ruleset, canonical
from tprules.api.appearance import MOST_BADGES, unfit_appearance, unfit_look, unfit_order_words
from tprules.api.clock_groups import unfit_clock_groups
from tprules.api.objects import LONGEST_QUEUE
from tprules.api.old_clients import TOP_LEVEL_GROUPS, hidden_icons, unfit_name
from tprules.kit.words import with_article
from tprules.manuals import unfit_manual
from tprules.testing.failures import fail

_NEARLY = 0.8
"""Minimum similarity with which a name of a base class is taken for a misspelled hook (``difflib``)."""


def check_declarations(rules: Ruleset[Any]) -> None:
    """Raise Nonconforming unless names are unique and all references are declared."""
    name = rules.name
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        fail(f"the name {name!r} cannot be typed everywhere", "use lower case, digits, dashes and underscores")
    if not len(rules.seats) or rules.seats[0] < 1:
        fail(f"{name}: seats is {rules.seats}", "say how many players are possible, for example range(2, 5)")
    if not rules.phases:
        fail(f"{name}: there is no phase", "declare at least one; the first opens the game")
    _check_names(rules)
    _unique(name, "phase", (phase.name for phase in rules.phases))
    _unique(name, "order type", (kind.name for kind in rules.orders))
    _unique(name, "order number", (kind.number for kind in rules.orders))
    _unique(name, "resource", (resource.id for resource in rules.resources))
    for phase in rules.phases:
        for kind in phase.takes():
            if kind not in rules.orders:
                fail(f"{name}: phase {phase.name} takes {kind.name}, which is not declared", "add it to Ruleset.orders")
    for kind in rules.orders:
        if not kind.kinds or any(carrier not in rules.kinds for carrier in kind.kinds):
            fail(f"{name}: order {kind.name} is for {kind.kinds}", "name kinds that Ruleset.kinds declares")
        if not any(kind in phase.takes() for phase in rules.phases):
            fail(f"{name}: no phase takes the order {kind.name}", "add it to a phase or remove it")
    problem = unfit_clock_groups(rules)
    if problem:
        fail(f"{name}: {problem}", "Ruleset.clock_groups says what a group is, Phase.clock_group which turns it has")
    problem = unfit_name(rules)
    if problem:
        fail(
            f"{name}: {problem}",
            "old clients make attributes of these names: give each group and parameter of a type its own, another one",
        )
    if not any(kind.role is Role.UNIVERSE for kind in rules.kinds.values()):
        fail(f"{name}: no kind has the role of the universe", "object 0 needs one")
    problem = hidden_icons(rules)
    if problem:
        names = ", ".join(TOP_LEVEL_GROUPS)
        fail(f"{name}: {problem}", f"give a galaxy groups called {names} only, and show the rest on what lies in it")
    for title, carrier in rules.kinds.items():
        if not 1 <= carrier.slots <= LONGEST_QUEUE:
            fail(
                f"{name}: the queue of {with_article(title)} has {carrier.slots} slots", f"give it 1 to {LONGEST_QUEUE}"
            )
    _check_options(rules)
    _check_catalogue(rules)
    _check_looks(rules)
    problem = unfit_manual(rules)
    if problem:
        fail(f"{name}: {problem}", "write for somebody who has never seen the game; tprules.manuals has the form")


def _check_names(rules: Ruleset[Any]) -> None:
    """Raise Nonconforming if a class has a public name that the api does not know, such as a misspelled hook.

    Order types may have their own methods, unless the name is nearly that of a hook.
    """
    for cls, name in _own_names(type(rules), Ruleset):
        _fail_unknown(rules, cls, name, Ruleset)
    for kind in rules.orders:
        for cls, name in _own_names(kind, OrderType):
            is_value = cls in rules.orders and not callable(inspect.getattr_static(cls, name, None))
            if is_value or get_close_matches(name, _public(OrderType), 1, _NEARLY):
                _fail_unknown(rules, cls, name, OrderType)


def _own_names(cls: type[Any], api: type[Any]) -> Iterator[tuple[type[Any], str]]:
    """Yield each public name that ``api`` lacks, with the first class between it and ``cls`` that has it."""
    seen = _public(api)
    for one in reversed(cls.__mro__):
        if one is not api and issubclass(one, api):
            names = [*vars(one), *vars(one).get("__annotations__", {})]
            new = [name for name in names if not name.startswith("_") and name not in seen]
            yield from ((one, name) for name in new)
            seen.update(new)


def _public(cls: type[Any]) -> set[str]:
    """Return the public attributes of a class, with or without a value."""
    declared = {name for one in cls.__mro__ for name in vars(one).get("__annotations__", {})}
    return {name for name in {*dir(cls), *declared} if not name.startswith("_")}


def _fail_unknown(rules: Ruleset[Any], cls: type[Any], name: str, api: type[Any]) -> NoReturn:
    near = get_close_matches(name, _public(api), 1)
    meant = f"; did you mean {near[0]}?" if near else ""
    fail(
        f"{rules.name}: {cls.__name__}.{name} is no part of api.{api.__name__}{meant}",
        "correct the name, or begin it with an underscore if it is your own",
    )


def _check_looks(rules: Ruleset[Any]) -> None:
    """Raise Nonconforming unless clients can show the declared looks."""
    problem = unfit_appearance(rules.appearance)
    if problem:
        fail(f"{rules.name}: {problem}", "tprules.api.appearance says what a game may declare")
    declared = {resource.id for resource in rules.resources}
    looks = [(f"the kind {name}", kind.look) for name, kind in rules.kinds.items()]
    looks += [(f"the design {design.name}", design.look) for design in rules.catalogue.designs]
    looks += [(f"the resource {resource.name}", resource.look) for resource in rules.resources]
    for what, look in looks:
        problem = unfit_look(look)
        if problem:
            fail(
                f"{rules.name}: {what}: {problem}",
                "api.Look says what it may have, tprules.api.symbols which part of SVG",
            )
    for order in rules.orders:
        problem = "" if order.words is None else unfit_order_words(order.words, order.params)
        if problem:
            fail(f"{rules.name}: the order {order.name}: {problem}", "api.OrderWords says how people read of an order")
    for name, kind in rules.kinds.items():
        if kind.nameless and not kind.look.words:
            fail(f"{rules.name}: the kind {name} has neither names nor words", "say in its look what one is called")
        if len(kind.badges) > MOST_BADGES or not declared.issuperset(kind.badges):
            fail(
                f"{rules.name}: the kind {name} has the badges {kind.badges}",
                f"name at most {MOST_BADGES} resources that Ruleset.resources declares",
            )


def _check_options(rules: Ruleset[Any]) -> None:
    for name, option in rules.options.items():
        try:
            value = option.parse(name, option.default)
            canonical(value)
        except (OptionError, TypeError, ValueError) as error:
            fail(
                f"{rules.name}: the default of option {name} does not parse: {error}", "give a default that is allowed"
            )
        if not option.help:
            fail(f"{rules.name}: option {name} has no help", "say in a few words what it is; operators read it")
        for bad in (object(), [[]], "\x00 no such value \x00"):
            try:
                canonical(option.parse(name, bad))
            except OptionError as error:
                if error.option != name:
                    fail(f"{rules.name}: option {name} complains about {error.option}", "name the option at fault")
            except Exception as error:
                fail(f"{rules.name}: option {name} raised {error!r} for {bad!r}", "raise OptionError")


def _check_catalogue(rules: Ruleset[Any]) -> None:
    catalogue = rules.catalogue
    _unique(rules.name, "design", (design.id for design in catalogue.designs))
    _unique(rules.name, "component", (component.id for component in catalogue.components))
    _unique(rules.name, "property", (prop.id for prop in catalogue.properties))
    components = {component.id for component in catalogue.components}
    properties = {prop.id for prop in catalogue.properties}
    used = [(design.name, set(design.components) - components) for design in catalogue.designs]
    used += [(design.name, set(design.values) - properties) for design in catalogue.designs]
    used += [(component.name, set(component.values) - properties) for component in catalogue.components]
    for what, missing in used:
        if missing:
            fail(f"{rules.name}: {what} names {sorted(missing)}, which is not declared", "add it to the catalogue")


def _unique(name: str, what: str, items: Iterable[Any]) -> None:
    twice = [item for item, number in Counter(items).items() if number > 1]
    if twice:
        fail(f"{name}: {what} {twice[0]!r} is declared twice", "give each its own name and number")
