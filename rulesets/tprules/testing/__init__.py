"""Tests for any ruleset: ``check(RULESET)`` tests all that a host relies on, ``play`` plays a game at random.

    from tprules.testing import check

    def test_my_game():
        check(RULESET)

From the command line: ``python -m tprules.testing NAME`` for an installed ruleset, or ``MODULE:ATTRIBUTE``.
"""

from tprules.testing.conformance import Summary, check
from tprules.testing.failures import Nonconforming
from tprules.testing.play import Played, Policy, Step, busy_policy, play, playing, random_policy
from tprules.testing.views import knowledge, view

__all__ = [
    "Nonconforming",
    "Played",
    "Policy",
    "Step",
    "Summary",
    "busy_policy",
    "check",
    "knowledge",
    "play",
    "playing",
    "random_policy",
    "view",
]
