"""Retention rule of the operator for snapshots of old turns.

A thinned turn is computed again when a player opens it (`tpserver.games.stored.history`). The rule has bounds because
with too few snapshots, opening one turn would require computing hundreds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FORMS = "all, every:N:last:M or every:N:last:M:over:DAYS"

MOST_EVERY, LEAST_LAST, MOST_LAST, MOST_DAYS = 100, 2, 1_000_000, 36_500
"""Bounds of the numbers of a rule. Two turns are always kept, as players may return to the last but one."""

_FORM = re.compile(r"every:(\d{1,3}):last:(\d{1,7})(?::over:(\d{1,5}))?", re.ASCII)


class BadRule(ValueError):
    """A text is no valid rule. The message names the fault, without a full stop."""


@dataclass(frozen=True, slots=True)
class KeepRule:
    """Rule that keeps every n-th turn, and the last ones.

    The others are thinned in games that have been over for ``days``, or with None in all games.
    """

    every: int = 1
    last: int = LEAST_LAST
    days: int | None = None

    @property
    def keeps_all(self) -> bool:
        """True if nothing is thinned."""
        return self.every == 1

    def __str__(self) -> str:
        if self.keeps_all:
            return "all"
        over = "" if self.days is None else f":over:{self.days}"
        return f"every:{self.every}:last:{self.last}{over}"


KEEP_ALL = KeepRule()


def parse_rule(text: str) -> KeepRule:
    """Return the rule of a text of one of the FORMS. Raises BadRule."""
    if text == "all":
        return KEEP_ALL
    found = _FORM.fullmatch(text)
    if found is None:
        raise BadRule(f"{text[:60]!r} is none of {FORMS}")
    every, last = int(found[1]), int(found[2])
    days = None if found[3] is None else int(found[3])
    if not 2 <= every <= MOST_EVERY:
        raise BadRule(f"every goes from 2 to {MOST_EVERY}")
    if not LEAST_LAST <= last <= MOST_LAST:
        raise BadRule(f"last goes from {LEAST_LAST} to {MOST_LAST}")
    if days is not None and days > MOST_DAYS:
        raise BadRule(f"over goes from 0 to {MOST_DAYS} days")
    return KeepRule(every, last, days)
