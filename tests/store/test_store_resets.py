"""Requests for resets of passwords: so many are noted within an hour, whoever else counts them."""

from tpserver.store import resets


def test_one_request_more_than_there_may_be_is_not_noted(store, do):
    def ask(c, now):
        return resets.ask(c, "nobody", lambda text: True, most=2, most_of_account=1, now=now)

    assert [do(lambda c, now=now: ask(c, now)) for now in (1.0, 2.0, 3.0)] == [True, True, False]
    assert do(lambda c: ask(c, 1.0 + resets.SECONDS)) is True
    assert store.read(resets.count, 0.0) == 2
