"""Stored times of the future: bounded at the start and every hour.

A server with a wrong clock, before the time when it was installed, bounds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from twisted.internet.task import Clock
from twisted.logger import LogEvent, formatEvent

from tpserver.admin.time_bounds import LOOK_SECONDS, TimeBounds
from tpserver.store import Store, tables
from tpserver.store.people import accounts as stored_accounts

NOW, LATER = 1_800_000_000.0, 2_400_000_000.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store.open(f"sqlite:///{tmp_path}/file.sqlite", reactor=None)) as opened:
        opened.write(lambda c: stored_accounts.add(c, "ann", "hash", now=LATER))
        yield opened


def created(store: Store) -> Any:
    return store.read(lambda c: c.scalar(tables.accounts.select().with_only_columns(tables.accounts.c.created)))


def test_at_the_start_and_every_hour(store: Store, logged: list[LogEvent]) -> None:
    clock = Clock()
    bounds = TimeBounds(clock, store, lambda: NOW, NOW - 1)
    bounds.start()
    assert created(store) == NOW
    assert [formatEvent(event) for event in logged] == [
        "stored times were in the future, as the clock was wrong once, and were bounded (accounts: 1)"
    ]
    store.write(lambda c: c.execute(update(tables.accounts).values(created=LATER)))
    clock.advance(LOOK_SECONDS)
    assert created(store) == NOW
    bounds.stop()


def test_not_while_the_clock_says_a_time_before_the_program_was_installed(store: Store) -> None:
    """Then it is now that is wrong, and what is stored is right."""
    TimeBounds(Clock(), store, lambda: 1000.0, NOW).start()
    assert created(store) == LATER
