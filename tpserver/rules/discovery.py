"""Discovery of rulesets by the entry points ``tpserver.rulesets``.

It treats the rulesets of this project like all others.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

from tprules.api import Phase, Ruleset
from tprules.api.clock_groups import unfit_clock_groups
from tprules.api.old_clients import hidden_icons, unfit_name
from tprules.api.renamed import MODULES
from tprules.printable import printable
from tpserver.rules.call_limits import IMPORT_SECONDS, WATCHDOG, Caller, why_it_failed

GROUP = "tpserver.rulesets"
NONE: Mapping[str, str] = MappingProxyType({})
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")


class UnknownRuleset(LookupError):
    """No usable ruleset has this name. The message lists the usable ones."""


@dataclass(frozen=True)
class Rulesets:
    """All usable rulesets, and the reasons why others are not usable."""

    usable: Mapping[str, Ruleset[Any]] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)
    """The reasons why rulesets are not usable, by entry point name."""
    hint: str = ""
    """Added to the message about an unusable ruleset."""

    def title_of(self, name: str) -> str:
        """Return the title of the ruleset ``name`` for people; its name if it is not usable."""
        rules = self.usable.get(name)
        return name if rules is None else rules.title

    def named(self, name: str) -> Ruleset[Any]:
        """Return the ruleset ``name``. Raises UnknownRuleset."""
        if name in self.usable:
            return self.usable[name]
        if name in self.problems:
            raise UnknownRuleset(f"ruleset {name} cannot be used: {self.problems[name]}{self.hint}")
        near = difflib.get_close_matches(name, self.usable, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UnknownRuleset(
            f"there is no ruleset {name!r}{hint} (there are: {', '.join(sorted(self.usable)) or 'none'}){self.hint}"
        )


def discover(points: Iterable[EntryPoint] | None = None, unusable: Mapping[str, str] = NONE) -> Rulesets:
    """Load the rulesets of all entry points. One that cannot be loaded becomes a problem, never an exception.

    ``unusable`` has rulesets that must not be loaded, with the reasons.
    """
    found = sorted(entry_points(group=GROUP) if points is None else points, key=lambda point: (point.name, point.value))
    usable: dict[str, Ruleset[Any]] = {}
    problems: dict[str, str] = dict(unusable)
    names = [point.name for point in found]
    for point in found:
        if point.name in unusable:
            continue
        if names.count(point.name) > 1:
            rivals = ", ".join(other.value for other in found if other.name == point.name)
            problems[point.name] = f"several packages offer it ({rivals}); uninstall all but one"
            continue
        caller = Caller(0, point.name)
        try:
            ruleset = WATCHDOG.call(IMPORT_SECONDS, point.load, caller)
            problem = WATCHDOG.call(IMPORT_SECONDS, partial(fault_of, ruleset, point), caller)
        except Exception as error:
            problems[point.name] = f"loading {point.value} failed with {why_it_failed(error)}{_new_module(error)}"
            continue
        if problem:
            problems[point.name] = problem
        else:
            usable[point.name] = ruleset
    return Rulesets(usable, {name: printable(problem) for name, problem in problems.items()})


def _new_module(error: Exception) -> str:
    """Return the present name of a module that a ruleset failed to import, or an empty string."""
    name = MODULES.get(error.name or "") if isinstance(error, ModuleNotFoundError) else None
    return f" (it is now called {name})" if name else ""


def fault_of(ruleset: object, point: EntryPoint) -> str:
    """Return why this object cannot be hosted as a ruleset, or an empty string."""
    if not isinstance(ruleset, Ruleset):
        return f"{point.value} is {type(ruleset).__name__}, not an instance of tprules.api.Ruleset"
    missing = [
        name
        for name in ("name", "version", "seats", "phases", "orders", "kinds")
        if getattr(ruleset, name, None) is None
    ]
    if missing:
        return f"it does not declare {', '.join(missing)}"
    if next(cls for cls in type(ruleset).__mro__ if "version" in vars(cls)) not in (type(ruleset), Ruleset):
        return "it does not declare a version of its own"
    if ruleset.name != point.name:
        return f"it calls itself {ruleset.name!r}, the entry point says {point.name!r}"
    if not _NAME.fullmatch(ruleset.name):
        return "a name is lower case letters, digits, dashes and underscores, and begins with a letter"
    if not isinstance(ruleset.version, int) or ruleset.version < 1:
        return f"its version is {ruleset.version!r}, not a whole number from 1"
    if not ruleset.seats or ruleset.seats[0] < 1:
        return "it declares no possible number of seats"
    if not ruleset.phases or not all(isinstance(phase, Phase) for phase in ruleset.phases):
        return "it declares no phases"
    numbers = [order.number for order in ruleset.orders]
    if len(set(numbers)) != len(numbers):
        return "two of its order types have the same number"
    try:
        return unfit_clock_groups(ruleset) or unfit_name(ruleset) or hidden_icons(ruleset)
    except Exception as error:
        return f"what it declares cannot be described to clients: {why_it_failed(error)}"
