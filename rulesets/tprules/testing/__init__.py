"""Tests for any ruleset: ``check`` and ``play``.

``check(RULESET)`` tests everything that a host relies on. ``play`` plays a random game.

    from tprules.testing import check

    def test_my_game():
        check(RULESET)

From the command line: ``python -m tprules.testing NAME`` for an installed ruleset, or ``MODULE:ATTRIBUTE``.
"""

from typing import Any

from tprules.api.bots import random_bot as random_bot
from tprules.testing.conformance import Summary as Summary
from tprules.testing.conformance import check as check
from tprules.testing.failures import Nonconforming as Nonconforming
from tprules.testing.play import Played as Played
from tprules.testing.play import Step as Step
from tprules.testing.play import busy_bot as busy_bot
from tprules.testing.play import play as play
from tprules.testing.play import playing as playing
from tprules.testing.views import knowledge as knowledge
from tprules.testing.views import view as view

_RENAMED = {"random_policy": "random_bot", "busy_policy": "busy_bot", "Policy": "tprules.api.bots.Bot"}


def __getattr__(name: str) -> Any:
    """Raise ImportError, with the present name, for a name that was renamed; else AttributeError."""
    if name in _RENAMED:
        raise ImportError(f"tprules.testing.{name} is now called {_RENAMED[name]}", name=__name__)
    raise AttributeError(f"tprules.testing has no {name!r}")
