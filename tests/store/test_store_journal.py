"""The journal: entries are read whole and in order."""

import pytest
from sqlalchemy.dialects import sqlite

from tpserver.store import JournalEntry, StoreError
from tpserver.store.games import journal


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


def of_kinds(*kinds, game=1):
    return [JournalEntry(game, number, 0, 1000.0, 0, kind, [number]) for number, kind in enumerate(kinds, 1)]


@pytest.fixture
def played(do, game, new_game):
    """A game, and another with the same entries; returns those of the first."""
    do(lambda c: new_game(c, "Carthage"))
    kinds = ("insert", "finished", "remove", "replace", "queues", "clock", "insert", "finished")
    for number in (1, 2):
        for entry in of_kinds(*kinds, game=number):
            do(lambda c, entry=entry: journal.append(c, entry))
    return of_kinds(*kinds)


def test_entries_are_found_by_number_kind_and_range(store, played):
    read = store.read
    assert read(journal.between, 1, 2, 5) == played[2:5]
    assert read(journal.between, 1, 5, 5) == []
    assert read(journal.orders_between, 1, 1, 7) == played[2:5]
    assert read(journal.orders_between, 1, 1, None) == [*played[2:5], played[6]]
    assert read(journal.orders_between, 1, 7, None) == []
    assert read(journal.newest, 1, "finished") == played[7]
    assert read(journal.newest, 1, "abort") is read(journal.newest, 3, "finished") is None
    assert read(journal.by_number, 1, 4) == played[3]
    assert read(journal.by_number, 1, 9) is read(journal.by_number, 3, 4) is None


def test_one_entry_takes_the_place_of_those_about_orders_between_two(store, do, played):
    """Entries before and after them, about other things, or of another game stay."""
    entry = JournalEntry(1, 8, 0, 1001.0, None, "queues", "is ignored")
    do(lambda c: c.exec_driver_sql("DELETE FROM journal WHERE game = 1 AND number = 8"))
    do(lambda c: journal.replace_orders(c, entry, '{"all":1}', 2, 4))
    kept = [played[number - 1] for number in (1, 2, 6)]
    assert store.read(journal.after, 1, 0) == [*kept, JournalEntry(1, 8, 0, 1001.0, None, "queues", {"all": 1})]
    assert len(store.read(journal.after, 2, 0)) == len(played)


def test_what_does_not_stand_for_all_that_it_replaces_is_refused(store, do, played):
    """Memory and journal disagree then, and orders would be lost."""
    for claimed in (2, 4):
        with pytest.raises(StoreError) as refused:
            do(lambda c, claimed=claimed: journal.replace_orders(c, of_kinds(*["queues"] * 7)[6], "[]", 1, claimed))
        assert refused.value.code == "entry"
        assert (
            refused.value.sentence == f"Entry 7 of game 1 stands for {claimed} others and cannot take the place of 3."
        )
    assert store.read(journal.after, 1, 0) == played


def test_a_driver_whose_parameters_have_names_is_not_taken():
    """The values are given by their position: they would go into any column."""
    dialect = sqlite.dialect(paramstyle="named")
    with pytest.raises(TypeError, match="the parameters of sqlite are not positional: INSERT INTO journal"):
        journal.insertion(dialect)


def test_a_statement_is_compiled_once_for_each_number_of_rows():
    """It costs more than the database does."""
    dialect = sqlite.dialect(paramstyle="qmark")
    assert journal.insertion(dialect, 8) is journal.insertion(dialect, 8) is not journal.insertion(dialect, 64)


def test_a_statement_is_for_one_row_unless_more_are_said():
    dialect = sqlite.dialect(paramstyle="qmark")
    assert [journal.insertion(dialect, *rows).count("(?") for rows in ((), (1,), (8,))] == [1, 1, 8]


@pytest.mark.parametrize("count", [1, 137, 1100])
def test_many_rows_are_added_in_few_statements(store, game, new_entry, do, count):
    """512 in one: more are not within SQLite's limit."""
    statements = []

    def write(connection):
        def execute(statement, values):
            statements.append(len(values))
            connection.exec_driver_sql(statement, values)

        journal.append_all(execute, connection.dialect, [new_entry(n).values() for n in range(1, count + 1)])

    do(write)
    assert sum(statements) == 7 * count and max(statements) <= 7 * 512
    assert len(statements) <= count // 512 + 21
    assert store.read(journal.after, 1, 0) == [new_entry(n) for n in range(1, count + 1)]
