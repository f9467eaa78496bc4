"""Manuals of the rulesets for players, read once."""

from __future__ import annotations

from typing import Any

from twisted.logger import Logger

from tprules import manuals
from tprules.api import Ruleset
from tpserver.rules.call_limits import LOAD_SECONDS, WATCHDOG, Caller, why_it_failed

log = Logger()

_kept: dict[int, tuple[Ruleset[Any], str, str]] = {}
"""By ``id``, as a ruleset may define its own equality: the ruleset, text and goal.

The reference keeps the number of the ruleset in use.
"""


def manual_of(rules: Ruleset[Any]) -> tuple[str, str]:
    """Return the rules for players as Markdown, and the goal in one sentence; both empty if missing.

    A text that cannot be read is logged. It is empty from then on.
    """
    found = _kept.get(id(rules))
    if found is None:
        try:
            text = WATCHDOG.call(LOAD_SECONDS, lambda: manuals.manual_of(rules), Caller(0, rules.name))
        except Exception as error:
            log.error(
                "ruleset {rules}: its rules for players cannot be read: {why}",
                rules=rules.name,
                why=why_it_failed(error),
            )
            text = ""
        found = _kept[id(rules)] = rules, text, manuals.goal_of(text)
    return found[1:]
