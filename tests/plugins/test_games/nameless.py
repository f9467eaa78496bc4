"""A ruleset that forgets to say its own version."""

from __future__ import annotations

from test_games.auction import Auction


class Nameless(Auction):
    name = "nameless"


RULESET = Nameless()
