"""Stored accounts: unique names in any case, and changed passwords."""

import pytest

from tpserver.store import NameTaken
from tpserver.store.people import accounts


def test_an_account_comes_back_as_it_was_added(store, do):
    added = do(lambda c: accounts.add(c, "Ann", "h", email="a@b", comment="hello\0", now=17.125))
    assert added == accounts.Account(1, "Ann", "h", "a@b", "hello\0", 17.125, False)
    assert store.read(lambda c: accounts.by_name(c, "Ann")) == added


def test_nobody_is_none(store):
    assert store.read(lambda c: accounts.by_name(c, "Ann")) is None


@pytest.mark.parametrize(
    ("name", "other"), [("Ann", "aNN"), ("Straße", "STRASSE"), ("Zoé", "ZOE\u0301"), ("ﬁn", "FIN")], ids=ascii
)
def test_names_that_differ_only_in_case_or_composition_are_one(store, do, name, other):
    added = do(lambda c: accounts.add(c, name, "h", now=1.0))
    assert store.read(lambda c: accounts.by_name(c, other)) == added
    with pytest.raises(NameTaken, match="already an account named") as refused:
        do(lambda c: accounts.add(c, other, "h", now=1.0))
    assert refused.value.code == "name-taken"
    assert [a.name for a in store.read(accounts.all)] == [name]


def test_a_hash_is_replaced_unless_it_is_another_by_now(store, do, account):
    assert do(lambda c: accounts.replace_hash(c, account.id, account.password_hash, "new")) is True
    assert store.read(lambda c: accounts.by_name(c, "ann")).password_hash == "new"
    assert do(lambda c: accounts.replace_hash(c, account.id, account.password_hash, "newer")) is False
    assert do(lambda c: accounts.replace_hash(c, 77, account.password_hash, "new")) is False
    assert store.read(lambda c: accounts.by_name(c, "ann")).password_hash == "new"


def test_all_accounts_come_oldest_first(store, do):
    for name in ("b", "a", "c"):
        do(lambda c, name=name: accounts.add(c, name, "h", now=1.0))
    assert [(a.id, a.name) for a in store.read(accounts.all)] == [(1, "b"), (2, "a"), (3, "c")]
