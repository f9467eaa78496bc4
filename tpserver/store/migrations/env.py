"""Run by Alembic for every command on the migrations of this directory.

The connection is ``config.attributes["connection"]``, already in the one transaction of all migrations; for SQL as text
(``--sql``) the dialect's name is ``config.attributes["dialect"]``.
"""

from alembic import context

from tpserver.store.schema import VERSION_TABLE
from tpserver.store.tables import metadata

attributes = context.config.attributes

if context.is_offline_mode():
    context.configure(
        dialect_name=attributes.get("dialect", "postgresql"),
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        literal_binds=True,
    )
else:
    context.configure(
        connection=attributes["connection"],
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        render_as_batch=True,  # SQLite changes a table by copying it
    )

with context.begin_transaction():
    context.run_migrations()
