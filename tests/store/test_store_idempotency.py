"""The id of a request is saved together with its changes, or not at all."""

import pytest

from tpserver.store import NameTaken, StoreError
from tpserver.store.idempotency import REQUEST, changes_of, forget
from tpserver.store.people import accounts


def asked(request, change):
    """Make a change on behalf of a request."""
    token = REQUEST.set(request)
    try:
        return change()
    finally:
        REQUEST.reset(token)


def test_a_request_counts_its_changes_and_others_none(store):
    for name in ("ann", "ben"):
        asked("e:1:1", lambda name=name: store.write(accounts.add, name, "h", now=1.0))
    store.write(accounts.add, "cem", "h", now=1.0)
    assert store.read(changes_of, "e:1:1") == 2
    assert store.read(changes_of, "e:1:2") == 0


def test_rows_of_the_journal_note_it_too_alone_and_among_other_changes(threaded, reactor, new_entry):
    given = [asked(f"e:1:{number}", lambda number=number: threaded.append(new_entry(number))) for number in (1, 2, 3)]
    given.append(asked("e:1:3", lambda: threaded.append(new_entry(4))))
    given.append(asked("e:2:1", lambda: threaded.write(accounts.add, "ann", "h", now=1.0)))
    given.append(asked("e:2:2", lambda: threaded.append(new_entry(5))))
    for deferred in given:
        reactor.result_of(deferred)
    assert [threaded.read(changes_of, f"e:1:{number}") for number in (1, 2, 3)] == [1, 1, 2]
    assert [threaded.read(changes_of, f"e:2:{number}") for number in (1, 2)] == [1, 1]


def test_what_fails_leaves_no_trace_and_its_neighbours_do(threaded, reactor, new_entry):
    first = asked("e:1:1", lambda: threaded.append(new_entry(1)))
    twice = asked("e:1:2", lambda: threaded.append(new_entry(1)))
    taken = asked("e:1:3", lambda: threaded.write(accounts.add, "ann", "h", now=1.0))
    again = asked("e:1:4", lambda: threaded.write(accounts.add, "ann", "h", now=1.0))
    last = asked("e:1:5", lambda: threaded.append(new_entry(2)))
    reactor.result_of(first)
    with pytest.raises(StoreError):
        reactor.result_of(twice)
    reactor.result_of(taken)
    with pytest.raises(NameTaken):
        reactor.result_of(again)
    reactor.result_of(last)
    assert [threaded.read(changes_of, f"e:1:{number}") for number in range(1, 6)] == [1, 0, 1, 0, 1]


def test_old_requests_are_forgotten(store, monkeypatch):
    for moment in (100.0, 200.0):
        monkeypatch.setattr("time.time", lambda moment=moment: moment)
        asked(f"e:1:{moment:g}", lambda moment=moment: store.write(accounts.add, f"a{moment:g}", "h", now=1.0))
    store.write(forget, 100.0)
    assert store.read(changes_of, "e:1:100") == 1, "it is not older than that"
    store.write(forget, 150.0)
    assert [store.read(changes_of, f"e:1:{moment}") for moment in (100, 200)] == [0, 1]
