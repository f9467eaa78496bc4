"""Environment that Alembic runs for every command on these migrations.

The connection is ``config.attributes["connection"]``, already in the one transaction of all migrations. A migration
describes the tables as they were then. It uses plain column types and never imports ``tables``.
"""

from alembic import context

from tpserver.store.schema import VERSION_TABLE
from tpserver.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,  # SQLite changes a table by copying it
)
with context.begin_transaction():
    context.run_migrations()
