"""Stored times of the future, left by a wrong clock: each is bounded.

Nothing else is changed.
"""

import pytest
from sqlalchemy import insert, select, update

from tpserver.store import future_times, tables
from tpserver.store.future_times import DAY, SLACK
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import logins, tokens

NOW = 1_000_000_000.0
YEARS = 20 * 365 * DAY


@pytest.fixture
def account_id(do):
    return do(lambda c: stored_accounts.add(c, "ann", "hash", now=NOW)).id


def times_of(c, table):
    return [tuple(row) for row in c.execute(select(*[table.c[name] for name in future_times.LATEST[table]]))]


def test_times_that_are_right_stay(do, account_id):
    do(lambda c: logins.add(c, account_id, b"1", "browser", most=9, since=0.0, now=NOW + SLACK / 2))
    do(lambda c: tokens.add(c, account_id, b"2", "bot", None, False, ends=NOW + 366 * DAY, most=9, now=NOW))
    before = do(lambda c: (times_of(c, tables.logins), times_of(c, tables.tokens)))
    assert do(lambda c: future_times.bound_all(c, NOW)) == {}
    assert do(lambda c: (times_of(c, tables.logins), times_of(c, tables.tokens))) == before


def test_times_of_the_future_are_the_latest_possible_afterwards(do, account_id):
    """A login, a token and a silence of twenty years end as they would if they had begun now."""
    late = NOW + YEARS
    do(lambda c: logins.add(c, account_id, b"1", "browser", most=9, since=0.0, now=late))
    do(lambda c: tokens.add(c, account_id, b"2", "bot", None, False, ends=late + DAY, most=9, now=late))
    do(lambda c: c.execute(insert(tables.silences).values(account=account_id, until=late, reason="")))
    do(lambda c: c.execute(update(tables.accounts).values(guest=late)))
    found = do(lambda c: future_times.count_all(c, NOW))
    assert found == {"logins": 2, "tokens": 2, "silences": 1, "accounts": 1}
    assert do(lambda c: future_times.bound_all(c, NOW)) == found
    assert do(lambda c: times_of(c, tables.logins)) == [(NOW, NOW, None)]
    assert do(lambda c: times_of(c, tables.tokens)) == [(NOW, None, NOW + 366 * DAY)]
    assert do(lambda c: times_of(c, tables.silences)) == [(NOW + 366 * DAY,)]
    assert do(lambda c: future_times.count_all(c, NOW)) == {}


def test_a_limit_that_future_requests_have_used_up_is_free_again(do, account_id):
    do(lambda c: c.execute(insert(tables.resets).values(at=NOW + YEARS, tries=0, target="", next_try=NOW + YEARS)))
    do(lambda c: c.execute(insert(tables.notice_codes).values(at=NOW + YEARS, account=account_id, target=b"x")))
    do(lambda c: future_times.bound_all(c, NOW))
    assert do(lambda c: times_of(c, tables.resets)) == [(NOW, NOW + 3600)]
    assert do(lambda c: times_of(c, tables.notice_codes)) == [(NOW,)]


def test_a_proposal_lasts_three_days_at_most_and_its_game_is_read(do, game):
    values = {"game": 1, "number": 1, "kind": "draw", "seat": 0, "turn": 0, "seconds": 0, "state": "open", "votes": []}
    do(lambda c: c.execute(insert(tables.proposals).values(**values, made=NOW + YEARS, until=NOW + YEARS)))
    do(lambda c: future_times.bound_all(c, NOW))
    assert do(lambda c: times_of(c, tables.proposals)) == [(NOW, NOW + 3 * DAY)]
    assert do(lambda c: c.scalar(select(tables.games.c.wake))) == NOW


def test_every_time_that_may_be_compared_is_known(store):
    """A developer who adds a column of times decides here what a time in the future does."""
    others = {
        "accounts": {"disabled", "removed"},  # that they are is all that counts
        "audit": {"at"},  # shown
        "games": {"created", "started", "deadline", "left", "due", "ran", "wake"},  # moved with the clock
        "game_clocks": {"ran"},  # the same
        "nodes": {"started", "until"},  # by the clock of the database
        "writers": {"at"},  # the same
        "seats": {"bank"},  # a duration
        "journal": {"at"},  # shown; a game in files and a thinned turn come later
        "snapshots": {"at"},  # the same
        "messages": {"at"},  # shown
        "spectator_letters": {"at"},  # shown
        "reported_letters": {"at", "written", "closed"},  # shown
        "calendar_links": {"made"},  # shown
    }
    doubles = {
        table.name: {column.name for column in table.c if type(column.type).__name__ == "Double"}
        for table in tables.metadata.tables.values()
    }
    known = {table.name: set(columns) for table, columns in future_times.LATEST.items()}
    for name, columns in doubles.items():
        assert columns == known.get(name, set()) | others.get(name, set()), name
