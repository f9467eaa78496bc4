"""Resources kept by calls of rules, charged to the right game.

Any number of other calls may come between.
"""

from __future__ import annotations

import os
import sys

import pytest

from tpserver.rules.call_limits import Caller, Watchdog
from tpserver.rules.footprint import FRESH_SECONDS, MOST_CALLERS, Footprint
from tpserver.rules.page import Keeper

MIB = 1 << 20
GLUTTON, LEAN = Caller(9, "glutton"), Caller(3, "lean")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell a process what it holds")


@pytest.fixture
def closings() -> list[str]:
    return []


@pytest.fixture
def watchdog(closings: list[str]) -> Watchdog:
    made = Watchdog()
    made.footprint = Footprint(made.page, lambda: closings.append("closed"))
    return made


def test_who_keeps_memory_is_named(watchdog: Watchdog):
    kept: list[bytes] = []
    for _ in range(4):
        watchdog.call(5.0, lambda: kept.append(b"x" * (16 * MIB)), GLUTTON)
        for _ in range(100):
            watchdog.call(5.0, lambda: None, LEAN)
    keeper = watchdog.page.keeper()
    assert keeper is not None
    assert (keeper.game, keeper.ruleset) == (9, "glutton")
    assert 60 * MIB < keeper.kept < 80 * MIB


def test_what_is_given_back_is_not_kept(watchdog: Watchdog):
    watchdog.call(5.0, lambda: len(b"x" * (64 * MIB)), GLUTTON)
    assert watchdog.page.keeper() is None
    kept: list[bytes] = []
    for _ in range(20):
        watchdog.call(5.0, lambda: kept.append(b"x" * (16 * MIB)), GLUTTON)
        watchdog.call(5.0, kept.clear, GLUTTON)
    keeper = watchdog.page.keeper()
    assert keeper is None or keeper.kept < 40 * MIB


def test_who_has_given_back_what_it_kept_is_not_named_any_more(watchdog: Watchdog):
    kept: list[bytes] = []
    watchdog.call(5.0, lambda: kept.append(b"x" * (64 * MIB)), GLUTTON)
    watchdog.call(5.0, kept.clear, GLUTTON)
    watchdog.call(5.0, lambda: kept.append(b"x" * (32 * MIB)), LEAN)
    keeper = watchdog.page.keeper()
    assert keeper is not None and keeper.game == 3


def test_of_so_many_games_those_that_keep_least_are_forgotten(watchdog: Watchdog, monkeypatch: pytest.MonkeyPatch):
    """A server runs for months; what has been given back is forgotten at once."""
    footprint = watchdog.footprint
    assert footprint is not None
    held = [MIB]
    monkeypatch.setattr(footprint, "memory", lambda: held[-1])

    def grow(game: int, by: int) -> None:
        held.append(held[-1] + by)
        footprint.after(game, "any", held[-2], float(len(held)))

    grow(1, 3 * MIB)
    for game in range(2, 200):
        grow(game, 2 * MIB)
        grow(game, -2 * MIB)
    assert len(footprint.kept) == 1
    for game in range(200, 200 + 2 * MOST_CALLERS):
        grow(game, 2 * MIB)
    assert len(footprint.kept) == MOST_CALLERS
    assert watchdog.page.keeper() == Keeper(1, "any", 3.0 * MIB)
    for _ in range(4):
        grow(9, MIB)  # less than any other at first
    assert watchdog.page.keeper() == Keeper(9, "any", 4.0 * MIB)


def test_who_has_closed_the_files_is_named(watchdog: Watchdog, closings: list[str]):
    """At the end of that very call: whose rules run next is not to blame."""
    footprint = watchdog.footprint
    assert footprint is not None
    watchdog.call(5.0, lambda: None, LEAN)
    assert closings == []
    watchdog.call(5.0, lambda: os.close(footprint.file), GLUTTON)
    assert closings == ["closed"]
    assert watchdog.page.keeper() == Keeper(9, "glutton", float("inf"))


def test_a_measurement_counts_for_the_next_call_of_the_same_game_for_a_moment(
    watchdog: Watchdog, monkeypatch: pytest.MonkeyPatch
):
    """Later, or for another game, or for none, what the server has taken meanwhile is not put down to the rules."""
    footprint = watchdog.footprint
    assert footprint is not None
    held = [100 * MIB]
    monkeypatch.setattr(footprint, "memory", lambda: held[-1])
    footprint.after(9, "glutton", held[0], 10.0)
    held.append(130 * MIB)
    assert footprint.before(9, 10.0 + FRESH_SECONDS / 2) == 100 * MIB
    assert footprint.before(3, 10.0 + FRESH_SECONDS / 2) == 130 * MIB
    assert footprint.before(9, 10.0 + 2 * FRESH_SECONDS) == 130 * MIB
    footprint.after(0, "none yet", held[-1], 20.0)
    held.append(160 * MIB)
    assert footprint.before(0, 20.0) == 160 * MIB
