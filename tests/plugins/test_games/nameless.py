"""A ruleset that does not declare its own version."""

from __future__ import annotations

from test_games.auction import Auction


class Nameless(Auction):
    name = "nameless"


RULESET = Nameless()
