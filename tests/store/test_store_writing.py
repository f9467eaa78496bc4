"""Group commit: order, single failures, database faults, late responses.

No response leaves before its COMMIT. A unit that waits holds the writer thread, so the content of a group does not
depend on time.
"""

import sqlite3
import threading
import time

import pytest
from sqlalchemy import Engine, create_engine, event, select

from tpserver.fault_points import interfering
from tpserver.store import NameTaken, Store, StoreError
from tpserver.store.backends.sqlite import SqliteFile
from tpserver.store.games import journal
from tpserver.store.games import rows as games
from tpserver.store.idempotency import REQUEST
from tpserver.store.people import accounts
from tpserver.store.tables import done_requests


class Gate:
    """A unit that holds the writer thread until it is opened; the group after it holds all that was given meanwhile."""

    def __init__(self, store):
        self._open = threading.Event()
        entered = threading.Event()

        def wait(connection):
            entered.set()
            assert self._open.wait(20)

        self.passed = store.write(wait)
        assert entered.wait(20)

    def open(self):
        self._open.set()


@pytest.fixture
def gate(threaded):
    """gate(): hold the writer thread; .open() lets it go on."""
    return lambda: Gate(threaded)


@pytest.fixture
def at_commit():
    """Functions called before each COMMIT, in the writer's thread. At first there is none."""
    calls = []

    def reached(point):
        if point == "store: written":
            for call in calls:
                call()

    with interfering(reached):
        yield calls


@pytest.fixture
def commits(at_commit):
    """The COMMITs since the test began, counted."""
    seen = []
    at_commit.append(lambda: seen.append(threading.get_ident()))
    return seen


def outcomes_of(deferreds):
    outcomes = [[] for _ in deferreds]
    for deferred, outcome in zip(deferreds, outcomes, strict=True):
        deferred.addBoth(outcome.append)
    return outcomes


def numbers(store):
    return store.read(lambda c: [entry.number for entry in journal.after(c, 1, 0)])


def test_what_waits_is_one_transaction_and_one_call_into_the_reactor(threaded, reactor, gate, commits, new_entry):
    held = gate()
    given = outcomes_of([threaded.append(new_entry(n)) for n in range(1, 101)])
    assert threaded.pending == 101
    held.open()
    reactor.run_one()
    assert threaded.pending == 100 and given == [[]] * 100
    reactor.run_one()
    assert threaded.pending == 0 and given == [[None]] * 100
    assert len(commits) == 2, "one for the gate, one for the hundred"
    assert numbers(threaded) == list(range(1, 101))


def test_deferreds_fire_in_the_reactor_thread_in_the_order_given_and_units_run_in_another(
    threaded, reactor, gate, new_entry
):
    held = gate()
    order, threads, unit_threads = [], set(), set()

    def fired(result, number):
        order.append(number)
        threads.add(threading.get_ident())

    def unit(connection):
        unit_threads.add(threading.get_ident())

    for number in range(1, 50):
        deferred = threaded.write(unit) if number % 7 == 0 else threaded.append(new_entry(number))
        deferred.addCallback(fired, number)
    held.open()
    reactor.result_of(threaded.write(lambda c: None))
    assert order == list(range(1, 50))
    assert threads == {threading.get_ident()} and threads.isdisjoint(unit_threads)


def test_a_unit_sees_what_was_given_before_it_and_nothing_of_what_was_given_after(threaded, reactor, gate, new_entry):
    held = gate()
    seen = []
    for number in range(1, 31):
        threaded.append(new_entry(number))
        if number % 10 == 0:
            seen += outcomes_of([threaded.write(lambda c: journal.last_number(c, 1))])
    held.open()
    reactor.result_of(threaded.write(lambda c: None))
    assert seen == [[10], [20], [30]]


def test_one_group_is_bounded(threaded, reactor, gate, commits, monkeypatch, new_entry):
    monkeypatch.setattr("tpserver.store.database.GROUP", 10)
    held = gate()
    for number in range(1, 36):
        threaded.append(new_entry(number))
    held.open()
    reactor.result_of(threaded.write(lambda c: None))
    assert len(commits) == 1 + 4
    assert numbers(threaded) == list(range(1, 36))


@pytest.fixture
def second_look(url):
    """The number of journal rows that a connection outside of the store sees."""
    engine = create_engine(url)

    def rows():
        with engine.connect() as connection:
            return connection.exec_driver_sql("SELECT count(*) FROM journal").scalar_one()

    yield rows
    engine.dispose()


def test_nothing_is_told_before_its_commit_has_returned(threaded, reactor, gate, at_commit, second_look, new_entry):
    """While the COMMIT is held back, no call waits for the reactor and others see nothing. Afterwards all is there."""
    held = gate()
    seen_when_told = outcomes_of(
        [threaded.append(new_entry(n)).addCallback(lambda _: second_look()) for n in range(1, 6)]
    )
    reached, go_on = threading.Event(), threading.Event()
    commits = []

    def committing():
        commits.append(None)
        if len(commits) == 2:  # the first is the gate's
            reached.set()
            assert go_on.wait(20)

    at_commit.append(committing)
    try:
        held.open()
        assert reached.wait(20)
        reactor.result_of(held.passed)
        assert reactor.calls.empty() and seen_when_told == [[]] * 5 and second_look() == 0
        go_on.set()
        reactor.run_one()
    finally:
        go_on.set()
    assert seen_when_told == [[5]] * 5


@pytest.fixture
def only_sqlite(url):
    if not url.startswith("sqlite"):
        pytest.skip("makes its fault as only SQLite allows")


class Mistake(Exception):
    """The error of a unit with a defect."""


def mistaken(connection):
    games.update(connection, 1, clock="spoilt")
    raise Mistake


def test_whatever_fails_fails_alone_and_the_rest_stays_in_its_order(
    threaded, reactor, gate, commits, new_game, new_entry
):
    held = gate()
    order = []
    given = [threaded.append(new_entry(number)) for number in range(1, 61)]
    bad = {
        "mistake": threaded.write(mistaken),
        "doubled": threaded.append(new_entry(30)),
        "taken": threaded.write(lambda c: new_game(c, "ROME")),
        "no such game": threaded.append(new_entry(1, game=99)),
    }
    given += [threaded.append(new_entry(number)) for number in range(61, 121)]
    for position, deferred in enumerate(given):
        deferred.addCallback(lambda _, position=position: order.append(position))
    errors = dict(zip(bad, outcomes_of(bad.values()), strict=True))
    held.open()
    reactor.result_of(threaded.write(lambda c: None))
    assert order == list(range(120))
    assert numbers(threaded) == list(range(1, 121))
    assert {name: type(error[0].value) for name, error in errors.items()} == {
        "mistake": Mistake,
        "doubled": StoreError,
        "taken": NameTaken,
        "no such game": StoreError,
    }
    assert threaded.read(lambda c: games.by_id(c, 1)).clock == "manual", "nothing of the unit that raised stays"
    assert len(commits) <= 8, "some commits more, but not one for each of the 120"


def test_a_run_of_entries_with_bad_ones_at_both_ends_and_in_the_middle(threaded, reactor, gate, new_entry):
    held = gate()
    wanted = [1, 1, 2, 3, 3, 4, 5, 5]
    outcomes = outcomes_of([threaded.append(new_entry(1, game=99)), *(threaded.append(new_entry(n)) for n in wanted)])
    held.open()
    reactor.result_of(threaded.write(lambda c: None))
    told = ["error" if o[0] is not None else "saved" for o in outcomes]
    assert told == ["error", "saved", "error", "saved", "saved", "error", "saved", "saved", "error"]
    assert numbers(threaded) == [1, 2, 3, 4, 5]


def test_entries_between_units_are_inserted_together(only_sqlite, threaded, reactor, gate, new_entry):
    """And those behind the last one."""
    inserted = []

    def executed(connection, cursor, statement, *_):
        if statement.startswith("INSERT INTO journal"):
            inserted.append(statement)

    held = gate()
    for number in range(1, 17):
        last = threaded.append(new_entry(number))
        if number == 8:
            threaded.write(lambda c: None)
    event.listen(Engine, "before_cursor_execute", executed)
    try:
        held.open()
        reactor.result_of(last)
    finally:
        event.remove(Engine, "before_cursor_execute", executed)
    assert len(inserted) == 2 and numbers(threaded) == list(range(1, 17))


@pytest.mark.parametrize("kind", ["entry", "unit"])
def test_what_is_bad_among_others_is_found_at_once(only_sqlite, threaded, reactor, gate, commits, new_entry, kind):
    """Those before it are not tried one by one."""
    held = gate()
    given = [threaded.append(new_entry(n)) for n in range(1, 20)]
    given.append(threaded.append(new_entry(3)) if kind == "entry" else threaded.write(mistaken))
    given += [threaded.append(new_entry(n)) for n in range(20, 30)]
    given.append(threaded.write(lambda c: None))
    outcomes = outcomes_of(given)
    held.open()
    while not outcomes[-1]:
        reactor.run_one()
    assert [number for number, (outcome,) in enumerate(outcomes, 1) if outcome is not None] == [20]
    assert len(commits) == 3, "the gate, those before it, those after it"
    assert numbers(threaded) == list(range(1, 30))


def test_a_unit_cannot_end_the_writer_thread(threaded, reactor):
    def leaves(connection):
        raise SystemExit

    with pytest.raises(SystemExit):
        reactor.result_of(threaded.write(leaves))
    assert reactor.result_of(threaded.write(lambda c: 7)) == 7


@pytest.mark.parametrize("word", ["ROLLBACK", "COMMIT"])
def test_a_unit_that_ends_the_transaction_itself_fails(only_sqlite, threaded, reactor, word, new_entry):
    """Otherwise what follows it would be saved, or lost, without anybody knowing."""
    with pytest.raises(StoreError, match="ended a transaction before its time"):
        reactor.result_of(threaded.write(lambda c: c.exec_driver_sql(word) and None))
    assert reactor.result_of(threaded.append(new_entry(1))) is None


# Faults of the database


def fill_disk(connection):
    """Let the file have no page more than it has now: what needs one gets SQLITE_FULL, as on a full disk."""
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


def free_disk(connection):
    connection.exec_driver_sql("PRAGMA max_page_count = 1000000")


def test_a_full_disk_fails_the_whole_group_with_a_sentence_and_the_store_goes_on(
    only_sqlite, url, threaded, reactor, gate, new_entry, second_look
):
    reactor.result_of(threaded.write(fill_disk))
    held = gate()
    big = "x" * 50_000
    outcomes = outcomes_of(
        [
            threaded.write(lambda c: games.update(c, 1, clock="small")),
            threaded.append(new_entry(1)),
            threaded.append(new_entry(2, body=big)),
            threaded.write(lambda c: "needs no room"),
        ]
    )
    held.open()
    while not outcomes[-1]:
        reactor.run_one()
    path = url.removeprefix("sqlite:///")
    for (failure,) in outcomes:
        assert failure.value.code == "full"
        assert failure.value.sentence == (
            f"The disk of the database {path} is full: nothing more can be saved. "
            "Free some space; the server goes on by itself."
        )
    assert len({id(failure.value) for (failure,) in outcomes}) == 4, "each has an error of its own"
    assert second_look() == 0 and threaded.read(lambda c: games.by_id(c, 1)).clock == "manual"
    assert threaded.pending == 0
    reactor.result_of(threaded.write(free_disk))
    assert reactor.result_of(threaded.append(new_entry(1, body=big))) is None
    assert numbers(threaded) == [1]


def test_a_commit_that_fails_fails_the_whole_group(only_sqlite, threaded, reactor, gate, second_look, new_entry):
    """A real one: the reference is checked only by COMMIT itself."""
    held = gate()

    def to_nowhere(connection):
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.exec_driver_sql("INSERT INTO views VALUES (99, 0, x'00')")

    outcomes = outcomes_of([threaded.append(new_entry(1)), threaded.write(to_nowhere), threaded.append(new_entry(2))])
    held.open()
    while not outcomes[-1]:
        reactor.run_one()
    for (failure,) in outcomes:
        assert isinstance(failure.value, StoreError)
        assert failure.value.sentence.endswith("(FOREIGN KEY constraint failed).")
    assert second_look() == 0
    assert reactor.result_of(threaded.append(new_entry(1))) is None


def test_what_was_given_before_a_fault_was_told_fails_with_it(only_sqlite, threaded, reactor, new_entry):
    """Entry 2 was checked in the belief that entry 1 would be saved; it must not be saved without it."""
    reactor.result_of(threaded.write(fill_disk))
    told = []
    first = threaded.append(new_entry(1, body="x" * 50_000))
    first.addErrback(lambda failure: told.append("first"))
    call = reactor.calls.get(timeout=240)  # the first has failed, and the reactor thread does not know it yet
    second = outcomes_of([threaded.append(new_entry(2)), threaded.write(free_disk)])
    reactor.calls.put(call)
    while not all(second):
        reactor.run_one()
    assert told == ["first"] and [outcome[0].value.code for outcome in second] == ["full", "full"]
    reactor.result_of(threaded.write(free_disk))
    assert reactor.result_of(threaded.append(new_entry(1))) is None
    assert numbers(threaded) == [1]


def test_a_program_that_locks_the_file_too_long_fails_the_group(only_sqlite, url, reactor, new_game, monkeypatch):
    monkeypatch.setattr("tpserver.store.backends.sqlite.BUSY_SECONDS", 0.01)
    store = Store.open(url, reactor=reactor)
    other = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="is locked by another program") as refused:
        reactor.result_of(store.write(new_game))
    assert refused.value.code == "in-use"
    other.execute("ROLLBACK")
    other.close()
    assert reactor.result_of(store.write(new_game)).id == 1
    reactor.result_of(store.close())


def test_a_lost_connection_is_made_anew(threaded, reactor, new_entry):
    with pytest.raises(StoreError):
        reactor.result_of(threaded.write(lambda c: c.invalidate()))
    assert reactor.result_of(threaded.append(new_entry(1))) is None


def test_why_there_is_no_connection_is_told(only_sqlite, threaded, reactor, monkeypatch, new_entry):
    """Neither if it cannot be made nor if it cannot be prepared is anything wrong with what was to be saved."""

    def fail(*_):
        raise OSError("no device")

    def refused():
        with pytest.raises(StoreError) as error:
            reactor.result_of(threaded.append(new_entry(1)))
        return error.value.sentence

    with pytest.raises(StoreError):
        reactor.result_of(threaded.write(lambda c: c.invalidate()))
    event.listen(Engine, "engine_connect", fail)
    try:
        assert refused().endswith("could not save what it was given (no device).")
    finally:
        event.remove(Engine, "engine_connect", fail)
    with monkeypatch.context() as patch:
        patch.setattr(SqliteFile, "prepare_writer", fail)
        assert refused().endswith("could not save what it was given (no device).")
    assert reactor.result_of(threaded.append(new_entry(1))) is None


def test_nothing_is_saved_on_top_of_what_has_failed_unheard(threaded, reactor, new_entry):
    """A fault also fails the jobs that were given before the caller learned of it.

    The caller learns of it later, and jobs given meanwhile may build on the failed ones.
    """

    def told():
        return reactor.calls.get(timeout=240)

    jobs = [threaded.write(lambda c: c.invalidate())]
    call, arguments = told()
    jobs.append(threaded.append(new_entry(1)))
    later, of_the_entry = told()
    call(*arguments)
    jobs.append(threaded.append(new_entry(2)))
    call, arguments = told()
    later(*of_the_entry)
    call(*arguments)
    for job in jobs:
        with pytest.raises(StoreError):
            reactor.result_of(job)
    assert reactor.result_of(threaded.append(new_entry(1))) is None and numbers(threaded) == [1]


BEGUN, WRITTEN, COMMITTED, TOLD = "store: begun", "store: written", "store: committed", "store: told"


def outcome_of(deferred):
    (outcome,) = outcomes_of([deferred])
    return outcome[0]


def set_clock(store, clock):
    return outcome_of(store.write(lambda c: games.update(c, 1, clock=clock)))


def test_a_group_passes_its_fault_points_once_and_notes_its_requests(only_sqlite, store, game, new_entry):
    """Were they passed twice, entries alone would take the way of units, which is as good, but slow."""
    points, before = [], time.time()
    for request in ("", "c:1"):
        token = REQUEST.set(request)
        try:
            with interfering(points.append):
                assert outcome_of(store.append(new_entry(2 if request else 1))) is None
                assert set_clock(store, "small") is None
        finally:
            REQUEST.reset(token)
    assert points == [BEGUN, WRITTEN, COMMITTED, TOLD] * 4
    ((request, at, changes),) = store.read(lambda c: c.execute(select(done_requests)).all())
    assert (request, changes) == ("c:1", 2) and before <= at <= time.time()


def test_whatever_fails_at_any_point_is_a_fault_of_the_database(only_sqlite, store, game, new_entry):
    """Nothing is acknowledged, and the error has the words of the cause. The next group continues."""

    def fail(point):
        if point == where:
            raise OSError("  the cable was cut\n")

    for where in (BEGUN, WRITTEN, COMMITTED):
        with interfering(fail):
            errors = [outcome_of(store.append(new_entry(1))).value, set_clock(store, "small").value]
        for error in errors:
            assert (error.code, error.is_fault) == ("unavailable", True)
            assert error.sentence.endswith("game.sqlite could not save what it was given (the cable was cut).")
        if where != COMMITTED:
            assert numbers(store) == [] and store.read(games.by_id, 1).clock == "manual"
        assert set_clock(store, "manual") is None


def failed_commit(store, text, code):
    """Return the error of a change whose COMMIT fails with this error."""
    fault = sqlite3.OperationalError(text)
    fault.sqlite_errorcode = code

    def fail(point):
        if point == WRITTEN:
            raise fault

    with interfering(fail):
        return set_clock(store, "small").value


def test_a_disk_that_is_full_at_the_commit_is_told_as_such(only_sqlite, store, game):
    error = failed_commit(store, "database or disk is full", sqlite3.SQLITE_FULL)
    assert error.code == "full" and error.sentence.endswith("Free some space; the server goes on by itself.")


def test_a_commit_that_may_be_there_all_the_same_is_told_as_such(only_sqlite, store, game):
    """Its log could not be synced. The error includes the words of the database."""
    error = failed_commit(store, "disk I/O error", sqlite3.SQLITE_IOERR)
    assert (error.code, error.is_fault) == ("unknown", True)
    assert "disk I/O error" in error.sentence
    assert error.sentence.endswith(". What it was given may be saved anyway.")


def test_an_interrupt_among_entries_is_not_swallowed_and_undoes_them(only_sqlite, store, game, new_entry):
    def interrupt(point):
        if point == BEGUN:
            raise KeyboardInterrupt

    with interfering(interrupt), pytest.raises(KeyboardInterrupt):
        store.append(new_entry(1))
    assert outcome_of(store.append(new_entry(1))) is None and numbers(store) == [1]


def test_an_entry_that_cannot_be_put_into_the_journal_says_why(store, game, new_entry):
    """In words of the database, if it has said any, and without the statement."""
    for columns, why in (
        ({"game": 9}, "an entry of that number is there already, or there is no such game."),
        ({"turn": 2**70}, ""),
        ({"seat": {}}, ""),
    ):
        error = outcome_of(store.append(new_entry(1, **columns))).value
        start = f"Entry 1 of game {columns.get('game', 1)} cannot be put into the journal: "
        assert error.code == "entry" and error.sentence.startswith(f"{start}{why}")
        reason = error.sentence.removeprefix(start)
        assert reason.endswith(".") and len(reason) > 10 and "INSERT" not in reason


# Closing


def test_closing_saves_what_is_pending_and_tells_it_first(url, reactor, new_game, new_entry):
    store = Store.open(url, reactor=reactor)
    reactor.result_of(store.write(new_game))
    gate = Gate(store)
    order = []
    for number in range(1, 101):
        store.append(new_entry(number)).addCallback(lambda _, number=number: order.append(number))
    closed = store.close().addCallback(lambda _: order.append("closed"))
    late = outcomes_of([store.append(new_entry(101)), store.write(accounts.all)])
    assert [outcome[0].value.code for outcome in late] == ["closed", "closed"]
    gate.open()
    reactor.result_of(closed)
    assert order == [*range(1, 101), "closed"]
    again = Store.open(url, reactor=None)
    assert numbers(again) == list(range(1, 101))
    again.close()


def test_closing_twice_gives_two_deferreds(url, reactor):
    store = Store.open(url, reactor=reactor)
    first, second = outcomes_of([store.close(), store.close()])
    while not second:
        reactor.run_one()
    assert first == second == [None]


def test_without_a_reactor_everything_has_happened_at_once(store, new_game, new_entry):
    outcomes = outcomes_of([store.write(new_game), store.append(new_entry(1)), store.write(mistaken)])
    assert outcomes[0][0].name == "Rome" and outcomes[1] == [None] and isinstance(outcomes[2][0].value, Mistake)
    assert store.pending == 0
    assert numbers(store) == [1]


def test_without_a_reactor_an_interrupt_is_not_swallowed(store):
    def interrupted(connection):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write(interrupted)
    assert store.read(games.all) == []
