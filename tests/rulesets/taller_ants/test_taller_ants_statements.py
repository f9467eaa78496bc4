"""Three rules that once were wrong hold in random games.

`statements.py` states them a second time.
"""

from __future__ import annotations

import pytest

NAMES = ("picked up", "of several kinds", "hatched", "bridges with eggs", "still")


def test_rules_are_as_they_are_stated(statements, keen_bot):
    """R80, R81, R65 and R83; each is put to the test often enough to prove something."""
    counts = statements.compare(keen_bot, 1, 3)
    assert min(counts[name] for name in NAMES) > 10, counts


@pytest.mark.thorough
def test_rules_are_as_they_are_stated_in_many_games(statements, keen_bot):
    """The same in more games."""
    counts = statements.compare(keen_bot, 100, 15)
    assert min(counts[name] for name in NAMES) > 75, counts
