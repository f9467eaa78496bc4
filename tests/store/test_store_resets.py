"""Requests for resets of passwords: so many are noted within an hour, whoever else counts them."""

from sqlalchemy import insert

from tpserver.store import resets
from tpserver.store.tables import resets as table


def test_one_request_more_than_there_may_be_is_not_noted(store, do):
    def ask(c, now):
        return resets.ask(c, "nobody", lambda text: True, most=2, most_of_account=1, now=now)

    assert [do(lambda c, now=now: ask(c, now)) for now in (1.0, 2.0, 3.0)] == [True, True, False]
    assert do(lambda c: ask(c, 1.0 + resets.SECONDS)) is True
    assert store.read(resets.count, 0.0) == 2


def test_a_mail_is_sent_by_whoever_is_first(store, do):
    """Two nodes of a cluster see it at the same time; the next try is for whoever comes then."""
    assert do(lambda c: resets.take(c, mail(c), 0, b"code", 60.0))
    (seen,) = store.read(resets.due, 60.0, 10)
    assert not do(lambda c: resets.take(c, seen.id, 0, b"other", 61.0))
    assert do(lambda c: resets.take(c, seen.id, seen.tries, b"next", 61.0))


def mail(c):
    """The id of a mail that waits to be sent."""
    made = insert(table).values(at=1.0, tries=0, account=None, target="ann@example.org", next_try=1.0)
    return c.execute(made.returning(table.c.id)).scalar_one()
