"""Migrations lead to exactly the program's tables, on PostgreSQL, too."""

import re
import sys
from tempfile import TemporaryDirectory

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.schema import CreateIndex, CreateTable

from tests.support.process import run
from tpserver.store import Store
from tpserver.store.games import journal
from tpserver.store.people import accounts, resets
from tpserver.store.schema import VERSION_TABLE, configuration
from tpserver.store.tables import metadata


@pytest.fixture
def migrate(make_first_tables):
    """migrate(url): make a database of version 0001, run all later migrations, and return an engine on it."""

    def migrate(url):
        engine = create_engine(url)
        with engine.begin() as connection:
            make_first_tables(connection)
            config = configuration()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        return engine

    return migrate


@pytest.fixture
def migrated(url, migrate):
    """An engine on a database that was made as version 0001 and has gone through all migrations since."""
    engine = migrate(url)
    Store.open(url, reactor=None).close()
    yield engine
    engine.dispose()


def test_autogenerate_finds_nothing_to_add_to_the_migrations(migrated):
    with migrated.connect() as connection:
        options = {"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []


def test_that_comparison_does_see_a_difference(migrated):
    """So that the test above can fail."""
    with migrated.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE views ADD COLUMN more INTEGER")
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert [change[0] for change in compare_metadata(context, metadata)] == ["remove_column"]


def parts(sql):
    """The columns and constraints of a definition, and what stands before and after them."""
    before, _, rest = sql.partition("(")
    within, _, after = rest.rpartition(")")
    return [before, *re.split(r",(?![^(]*\))", within), after]


def definitions(connection):
    """Return the columns and constraints of a file's tables, in any order.

    Checks and table options are included, which Alembic does not compare. A column that was added later stands after
    the constraints.
    """
    rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").all()
    return {
        name: sorted(re.sub(r"\s+", " ", part).strip() for part in parts(sql))
        for name, sql in rows
        if name != "sqlite_sequence"
    }


def test_on_sqlite_a_new_database_and_a_migrated_one_are_the_same_to_the_letter(tmp_path, migrate):
    """A new one is made without the migrations; its version is that of the last of them."""
    Store.open(f"sqlite:///{tmp_path}/created", reactor=None).close()
    migrated, created = migrate(f"sqlite:///{tmp_path}/migrated"), create_engine(f"sqlite:///{tmp_path}/created")
    with migrated.connect() as one, created.connect() as other:
        assert definitions(one) == definitions(other)
        indexes = sum(len(table.indexes) for table in metadata.tables.values())
        assert len(definitions(one)) == len(metadata.tables) + indexes + 1
        versions = [each.exec_driver_sql(f"SELECT * FROM {VERSION_TABLE}").all() for each in (one, other)]
        assert versions[0] == versions[1] and len(versions[0]) == 1
    migrated.dispose()
    created.dispose()


def test_no_migration_makes_the_first_tables(tmp_path):
    """They are made by opening the database, and a migration says so."""
    engine = create_engine(f"sqlite:///{tmp_path}/empty")
    config = configuration()
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        with pytest.raises(RuntimeError, match=r"gets its tables from tpserver.store.tables"):
            command.upgrade(config, "head")
    engine.dispose()


def test_a_new_database_is_made_without_alembic():
    """It would take a fifth of the first start."""
    script = "import sys; from tpserver.store import Store\n"
    script += "Store.open(f'sqlite:///{sys.argv[1]}', reactor=None).close()\n"
    script += "print([name for name in sys.modules if name.startswith('alembic')])"
    with TemporaryDirectory() as folder:
        assert run(sys.executable, "-c", script, f"{folder}/new.sqlite") == (0, "[]\n", "")


def test_tables_and_the_fast_insertion_compile_for_postgresql():
    dialect = psycopg.dialect(paramstyle="format")
    for table in metadata.sorted_tables:
        assert str(CreateTable(table).compile(dialect=dialect)).strip().startswith("CREATE TABLE")
        for index in table.indexes:
            CreateIndex(index).compile(dialect=dialect)
    assert journal.insertion(dialect).count("%s") == len(metadata.tables["journal"].columns)


def test_the_fast_insertion_refuses_a_dialect_with_named_parameters():
    """Its rows are tuples: with named parameters every append would fail later and less clearly."""
    with pytest.raises(TypeError, match="not positional"):
        journal.insertion(psycopg.dialect(paramstyle="pyformat"))


def test_every_statement_of_the_tests_was_compiled_for_postgresql(statements, do, game, account):
    """The watch in conftest works: it has seen the statements of these fixtures as PostgreSQL has them."""
    assert any(line.startswith("INSERT INTO games") and "RETURNING games.id" in line for line in statements)
    assert any("accounts.name_key = %s" in line for line in statements)


def test_every_address_to_which_a_reset_could_go_still_resets_after_the_upgrade(tmp_path, make_first_tables):
    """That of an account, and verified mail addresses; others, and those of new accounts, have to be marked first."""
    url = f"sqlite:///{tmp_path}/old.sqlite"
    engine = create_engine(url)
    with engine.begin() as connection:
        make_first_tables(connection)
        config = configuration()
        config.attributes["connection"] = connection
        command.upgrade(config, "0023")
        for name, email in (("ann", "ann@example.org"), ("ben", ""), ("cem", "cem@example.org")):
            values = f"'{name}', '{name}', 'h', '\"{email}\"', '\"\"', 1.0, false"
            columns = "name, name_key, password_hash, email, comment, created, bot"
            connection.exec_driver_sql(f"INSERT INTO accounts ({columns}) VALUES ({values})")
        columns = "account, kind, target, secret, state, code, wrong, problem, rest, created"
        for account, kind, target, state in (
            (1, "mail", "other@example.org", "verified"),
            (1, "mail", "new@example.org", "unverified"),
            (2, "json", "https://example.org/", "verified"),
        ):
            values = f"{account}, '{kind}', '\"{target}\"', '\"\"', '{state}', '', 0, '\"\"', 0, 0"
            connection.exec_driver_sql(f"INSERT INTO notice_addresses ({columns}) VALUES ({values})")
        command.upgrade(config, "head")
    engine.dispose()
    store = Store.open(url, reactor=None)
    store.write(accounts.add, "new", "h", email="new@example.org", now=1.0)
    asked = ["ann", "ann@example.org", "OTHER@example.org", "new@example.org", "ben", "cem", "new"]
    found = {}
    for name in asked:
        before = {one.id for one in store.read(resets.due, 10.0, 100)}
        store.write(resets.ask, name, lambda text: "@" in text, most=100, most_of_account=100, is_new=True, now=10.0)
        found[name] = [one.target for one in store.read(resets.due, 10.0, 100) if one.id not in before]
    store.close()
    assert found == {
        "ann": ["ann@example.org", "other@example.org"],
        "ann@example.org": ["ann@example.org"],
        "OTHER@example.org": ["other@example.org"],
        "new@example.org": [],
        "ben": [],
        "cem": ["cem@example.org"],
        "new": [],
    }
