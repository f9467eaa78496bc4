"""Groups of phases that a ruleset declares to have a separate turn clock."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tprules.api.ruleset import Ruleset
from tprules.printable import KEPT_FOR_PLAYERS, printable

MOST_GROUPS = 8
"""Maximum groups of phases of a ruleset."""
LONGEST_WORDS = 200
"""Maximum characters of the description of a group."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")


def unfit_clock_groups(rules: Ruleset[Any]) -> str:
    """Return a sentence about an error in the declared groups of phases, or ""."""
    groups = rules.clock_groups
    if not isinstance(groups, Mapping) or len(groups) > MOST_GROUPS:
        return f"clock_groups is no mapping of at most {MOST_GROUPS} names"
    for name, words in groups.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            return f"a clock group is called {str(name)[:40]!r}, not 1 to 32 lower case letters, digits, - and _"
        if not isinstance(words, str) or not words or printable(words, LONGEST_WORDS, KEPT_FOR_PLAYERS) != words:
            return f"the clock group {name} is described by no printable text of at most {LONGEST_WORDS} letters"
    named = {phase.clock_group for phase in rules.phases} - {""}
    if unknown := sorted(map(str, named - groups.keys())):
        return f"a phase is of the clock group {unknown[0]!r}, which clock_groups does not have"
    if empty := sorted(groups.keys() - named):
        return f"no phase is of the clock group {empty[0]!r}"
    return ""
