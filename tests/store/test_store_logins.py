"""Kept logins of browsers: found by digest, few an account, removable."""

import pytest
from sqlalchemy.exc import IntegrityError

from tpserver.store.people import accounts, logins

MOST, SINCE = 3, 0.0


@pytest.fixture
def add(do, account):
    """add(digest, now): add a login of the account."""

    def add(digest, now, owner=account.id, since=SINCE):
        return do(lambda c: logins.add(c, owner, digest, f"at {now}\0", most=MOST, since=since, now=now))

    return add


def ids(store, account):
    return [login.id for login in store.read(logins.of_account, account.id)]


def test_a_login_is_found_by_its_digest_only(store, add, account):
    added = add(b"d" * 32, 17.125)
    assert added == logins.KeptLogin(1, account.id, "at 17.125\0", 17.125, 17.125)
    assert store.read(logins.by_digest, b"d" * 32) == added
    assert store.read(logins.by_digest, b"e" * 32) is None


def test_two_logins_cannot_have_one_digest(add):
    add(b"d" * 32, 1.0)
    with pytest.raises(IntegrityError):
        add(b"d" * 32, 2.0)


def test_an_account_has_those_that_were_used_last(store, do, add, account):
    """The oldest by use goes for a new one, not the oldest that was made."""
    for number in range(MOST):
        add(bytes([number]), float(number))
    assert do(lambda c: logins.note_use(c, 1, 10.0)) is True
    add(b"new", 11.0)
    assert ids(store, account) == [4, 1, 3]
    add(b"newer", 12.0, since=11.0)
    assert ids(store, account) == [5, 4], "those that were not used for too long go as well"


def test_one_or_all_are_removed_and_others_stay(store, do, add, account):
    other = do(lambda c: accounts.add(c, "other", "h", now=1.0))
    for number in range(MOST):
        add(bytes([number]), float(number))
    add(b"other", 1.0, owner=other.id)
    assert do(lambda c: logins.remove(c, account.id, 4)) == [], "it is another account's"
    assert do(lambda c: logins.remove(c, account.id, 2)) == [2]
    assert ids(store, account) == [3, 1]
    assert sorted(do(lambda c: logins.remove(c, account.id, None))) == [1, 3]
    assert do(lambda c: logins.note_use(c, 1, 10.0)) is False
    assert ids(store, other) == [4]
