"""What only a PostgreSQL server does."""

import pytest
from sqlalchemy import create_engine

from tpserver.store import Store, StoreError


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
