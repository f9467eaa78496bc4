"""The journal: entries come back whole and in order."""

import pytest

from tpserver.store import StoreError, journal


@pytest.fixture
def put(store, game):
    def put(*entries):
        outcomes = []
        for entry in entries:
            store.append(entry).addBoth(outcomes.append)
        return outcomes

    return put


BODIES = [None, 0, "", "ä \0 \ud800 𝄞", [], {}, {"b": [1, -(2**63), 1.5], "a": {"": None}}, True]


def test_entries_come_back_as_they_were_given(store, put, new_entry):
    entries = [new_entry(n, body=body, seat=None if n % 2 else n) for n, body in enumerate(BODIES, 1)]
    assert put(*entries) == [None] * len(entries)
    assert store.read(lambda c: journal.after(c, 1, 0)) == entries
    assert store.read(lambda c: journal.after(c, 1, 0)) == entries
    assert store.read(lambda c: journal.after(c, 1, 3)) == entries[3:]
    assert store.read(lambda c: journal.last_number(c, 1)) == len(BODIES)


def test_an_empty_journal(store, game):
    assert store.read(lambda c: journal.last_number(c, game.id)) == 0
    assert store.read(lambda c: journal.after(c, game.id, 0)) == []
    assert store.read(lambda c: journal.after(c, game.id, 0)) == []


def test_each_game_has_its_own_numbers(store, do, put, new_game, new_entry):
    do(lambda c: new_game(c, "Carthage"))
    put(new_entry(1), new_entry(1, game=2), new_entry(2))
    assert [store.read(lambda c, g=g: journal.last_number(c, g)) for g in (1, 2, 3)] == [2, 1, 0]


def test_all_streams_more_rows_than_it_keeps_in_memory(store, do, game, new_entry):
    do(lambda c: [journal.append(c, new_entry(n)) for n in range(1, 1203)])
    assert store.read(lambda c: [entry.number for entry in journal.after(c, 1, 0)]) == list(range(1, 1203))


def test_an_entry_inside_a_unit_is_the_same_entry(store, do, game, new_entry):
    entry = new_entry(1, body={"slot": 3})
    do(lambda c: journal.append(c, entry))
    assert store.read(lambda c: journal.after(c, 1, 0)) == [entry]


def refusal(outcomes):
    (failure,) = outcomes
    error = failure.value
    assert isinstance(error, StoreError) and error.code == "entry"
    return error.sentence


def test_a_number_is_used_once(put, new_entry, store):
    put(new_entry(1))
    assert refusal(put(new_entry(1, body="other"))) == (
        "Entry 1 of game 1 cannot be put into the journal: an entry of that number is there already, "
        "or there is no such game."
    )
    assert store.read(lambda c: journal.after(c, 1, 0)) == [new_entry(1)]


def test_an_entry_of_no_game_is_refused(put, new_entry):
    assert "there is no such game" in refusal(put(new_entry(1, game=7)))


def circle():
    body = []
    body.append(body)
    return body


@pytest.mark.parametrize("body", [{1, 2}, b"bytes", float("nan"), circle()], ids=["set", "bytes", "nan", "circle"])
def test_a_body_that_json_cannot_hold_is_refused(put, new_entry, body):
    assert refusal(put(new_entry(1, body=body))).startswith("Entry 1 of game 1 cannot be put into the journal: ")


def test_a_number_too_large_for_any_database_is_refused(put, new_entry):
    assert refusal(put(new_entry(2**70)))


def test_the_body_is_read_when_it_is_given(store, put, new_entry):
    body = [1]
    put(new_entry(1, body=body))
    body.append(2)
    assert store.read(lambda c: journal.after(c, 1, 0))[0].body == [1]
