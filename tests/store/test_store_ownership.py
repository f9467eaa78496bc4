"""Games created by accounts: limits on open and recent ones, invitations.

Invitations are stored as digests.
"""

import pytest

from tpserver.store.games import ownership
from tpserver.store.games import rows as games
from tpserver.store.games.ownership import Creator, TooManyGames

HOUR = 3600.0


@pytest.fixture
def make(do, new_game, account):
    """make(name, now): add a game of the account, and return its id; ``more`` are other bounds than the wide ones."""

    def make(name, now=1000.0, **more):
        bounds = {"most_open": 9, "most_of_all": 9, "most_new": 9, "seconds": HOUR, **more}

        def unit(c):
            made = new_game(c, name, now=now)
            ownership.add(c, made.id, Creator(account.id, **bounds), now)
            return made.id

        return do(unit)

    return make


def test_who_has_made_a_game_is_known(store, make, account, game):
    made = make("mine")
    assert store.read(ownership.creator_of, made) == account.id
    assert store.read(ownership.creator_of, game.id) is None


@pytest.mark.parametrize(
    ("bound", "passes", "words"),
    [("most_open", False, "are not over"), ("most_of_all", True, "as many games"), ("most_new", True, "recently")],
)
def test_each_bound_holds_and_what_is_refused_is_not_there(store, make, bound, passes, words):
    make("first")
    with pytest.raises(TooManyGames, match=words) as refused:
        make("second", **{bound: 1})
    assert refused.value.passes is passes
    assert store.read(games.by_name, "second") is None


def test_what_is_over_and_long_ago_counts_no_more(do, make):
    first = make("first", now=1000.0)
    with pytest.raises(TooManyGames):
        make("second", now=1000.0 + HOUR, most_open=1, most_of_all=1, most_new=1)
    do(lambda c: games.update(c, first, state="over"))
    make("second", now=1000.0 + HOUR, most_open=1, most_of_all=1, most_new=1)


def test_an_invitation_is_set_and_replaced(store, do, make):
    made = make("mine")
    assert store.read(ownership.invitation_of, made) is None
    for digest in (b"a" * 32, b"b" * 32):
        do(lambda c, digest=digest: ownership.set_invitation(c, made, digest))
        assert store.read(ownership.invitation_of, made) == digest
