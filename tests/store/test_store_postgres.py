"""Behavior that only a PostgreSQL server has."""

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import create_engine, make_url

from tests.support.postgres import Relay
from tpserver.store import Store, StoreError
from tpserver.store.backends.postgres import PostgresDatabase
from tpserver.store.people import accounts


def backend(connection):
    return connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()


@pytest.fixture
def url(emptied_postgres):
    """Only PostgreSQL here."""
    return emptied_postgres


def test_a_server_that_ends_our_connection_fails_one_group(threaded, reactor, new_entry, url):
    victim = reactor.result_of(threaded.write(backend))
    other = create_engine(url, isolation_level="AUTOCOMMIT")
    with other.connect() as connection:
        assert connection.exec_driver_sql(f"SELECT pg_terminate_backend({victim}, 5000)").scalar_one() is True
    other.dispose()
    with pytest.raises(StoreError, match="cannot be reached or used") as refused:
        reactor.result_of(threaded.append(new_entry(1)))
    assert refused.value.code == "unavailable"
    assert reactor.result_of(threaded.append(new_entry(1))) is None
    assert reactor.result_of(threaded.write(backend)) != victim


def test_a_commit_that_was_not_answered_is_not_said_to_have_changed_nothing(reactor, url):
    """The connection is cut after the server has committed: the change is saved, but a single server cannot know it."""
    with Relay(url) as relay:
        store = Store.open(relay.url, reactor=reactor)
        try:
            relay.cut_after(b"COMMIT")
            with pytest.raises(StoreError) as refused:
                reactor.result_of(store.write(lambda c: accounts.add(c, "ann", "", now=0.0).id))
            assert relay.cuts == 1 and refused.value.code == "unknown" and refused.value.is_fault
            assert store.read(accounts.by_name, "ann") is not None
        finally:
            reactor.result_of(store.close())


@pytest.mark.parametrize(
    ("error", "may_be"),
    [
        (psycopg.OperationalError("the connection is lost"), True),
        (errors.AdminShutdown(), True),
        (errors.SerializationFailure(), False),
        (errors.ForeignKeyViolation(), False),
        (errors.IdleInTransactionSessionTimeout(), False),
        (errors.DiskFull(), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_server_says_of_a_commit_that_it_has_undone_is_believed(url, error, may_be):
    assert PostgresDatabase(make_url(url)).may_be_committed(error) is may_be


def test_an_error_that_a_unit_keeps_to_itself_is_found_out(threaded, reactor):
    """PostgreSQL answers COMMIT with a rollback then, and says nothing."""

    def quiet(connection):
        with pytest.raises(Exception, match="nowhere"):
            connection.exec_driver_sql("SELECT 1 FROM nowhere")

    with pytest.raises(StoreError, match="ended a transaction before its time"):
        reactor.result_of(threaded.write(quiet))


def test_a_server_that_is_not_there():
    with pytest.raises(StoreError, match=r"cannot be reached or used \(.*Look after the PostgreSQL server"):
        Store.open("postgresql://ann:secret@127.0.0.1:1/games", reactor=None)


def test_a_database_of_something_else(url):
    other = create_engine(url)
    with other.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE recipes (name text)")
    try:
        with pytest.raises(StoreError, match="belongs to something else") as refused:
            Store.open(url, reactor=None)
        assert refused.value.code == "foreign"
    finally:
        with other.begin() as connection:
            connection.exec_driver_sql("DROP TABLE recipes")
        other.dispose()
