"""Requests for password resets: a limited number is recorded each hour.

Several nodes may count them.
"""

from sqlalchemy import func, insert, select, update

from tpserver.store.games import rows as games
from tpserver.store.people import accounts, resets
from tpserver.store.tables import accounts as accounts_table
from tpserver.store.tables import resets as table


def test_only_mails_count_for_all_and_some_are_kept_for_new_networks_and_known_accounts(
    store, do, new_game, monkeypatch
):
    """Requests for unknown accounts take nothing from others, and leave few rows."""
    monkeypatch.setattr(resets, "MOST_IDLE", 30)
    day = 2 * 86400.0
    names = [do(lambda c, n=n: accounts.add(c, f"a{n}", "", email=f"a{n}@example.org", now=0.0)).id for n in range(12)]
    do(lambda c: c.execute(update(accounts_table).values(email_resets=True)))
    game = do(lambda c: new_game(c, "both"))
    for seat, account in enumerate(names[:2]):
        do(lambda c, seat=seat, account=account: games.take_seat(c, game.id, seat, account, f"a{account}"))

    def ask(name, is_new=False, now=day):
        return do(lambda c: resets.ask(c, name, lambda text: True, most=8, most_of_account=1, is_new=is_new, now=now))

    assert all(ask("nobody") for _ in range(resets.MOST_IDLE + 5))
    assert store.read(resets.count, 0.0) == 0
    assert do(lambda c: c.execute(select(func.count()).select_from(table)).scalar()) == resets.MOST_IDLE
    assert [ask(f"a{n}") for n in range(2, 7)] == [True] * 4 + [False]
    assert [ask(f"a{n}", is_new=True) for n in range(6, 9)] == [True, True, False]
    assert (ask("a0"), ask("a0", is_new=True), ask("a1", is_new=True)) == (False, True, True)
    assert store.read(resets.count, 0.0) == 8
    assert ask("a8", now=day + resets.SECONDS)


def test_a_mail_is_sent_by_whoever_is_first(store, do):
    """Two nodes of a cluster see it at the same time. Either of them may do the next try."""
    assert do(lambda c: resets.take(c, mail(c), 0, b"code", 60.0))
    (seen,) = store.read(resets.due, 60.0, 10)
    assert not do(lambda c: resets.take(c, seen.id, 0, b"other", 61.0))
    assert do(lambda c: resets.take(c, seen.id, seen.tries, b"next", 61.0))


def mail(c):
    """The id of a mail that waits to be sent."""
    made = insert(table).values(at=1.0, tries=0, account=None, target="ann@example.org", next_try=1.0)
    return c.execute(made.returning(table.c.id)).scalar_one()
