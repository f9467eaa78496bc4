"""Tests for any ruleset: ``check(RULESET)`` tests all that a host relies on, ``play`` plays a game at random.

    from tprules.testing import check

    def test_my_game():
        check(RULESET)

From the command line: ``python -m tprules.testing NAME`` for an installed ruleset, or ``MODULE:ATTRIBUTE``.
"""

from tprules.api.bots import random_bot
from tprules.testing.conformance import Summary, check
from tprules.testing.failures import Nonconforming
from tprules.testing.play import Played, Step, busy_bot, play, playing
from tprules.testing.views import knowledge, view

__all__ = [
    "Nonconforming",
    "Played",
    "Step",
    "Summary",
    "busy_bot",
    "check",
    "knowledge",
    "play",
    "playing",
    "random_bot",
    "view",
]
