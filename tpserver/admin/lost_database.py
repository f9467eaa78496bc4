"""Detection of a lost database, which an empty new one would hide.

The evidence is backups, logs of the database, and files that a server writes only after it has a database. Sockets and
lock files are no evidence, as they are created earlier. Neither are files of the operator: configuration, certificates
and passwords.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tpserver.config import Config
from tpserver.store import StoreError
from tpserver.store.backends.sqlite import PUT_BACK, SqliteFile
from tpserver.store.backends.urls import backend_of
from tpserver.store.database import ReadOnly

BACKUPS = ("tpserver-*.sqlite*", "before-upgrade-from-*.sqlite*")
"""Names of complete and incomplete backups."""
WRITTEN = (
    "vapid.pem",
    "metaserver.key",
    "verdicts.json",
    "node.json",
    "tpserver.running",
    "tpserver.running-*",
    "rules.page",
    "rules.trace",
)
"""Names of files that a server writes into its data directory once it has a database."""


def refusal(config: Config, url: str, backups: Path) -> str:
    """Return why no empty database may be created at a URL.

    The result is a sentence for the operator. It is empty if a database exists, or none was lost. Raises StoreError if
    the URL cannot be read.
    """
    backend = backend_of(url)
    left: list[Path] = []
    if isinstance(backend, SqliteFile):
        if backend.is_there:
            return ""
        left = backend.leftovers()
    left += [file for pattern in BACKUPS for file in sorted(backups.glob(pattern))]
    left += [file for pattern in WRITTEN for file in sorted(config.server.data.glob(pattern))]
    if not left or (backend.path is None and not _is_empty(url)):
        return ""
    return f"The database {backend.label} is missing, but there was one: {left[0]} is there. {PUT_BACK}"


def _is_empty(url: str) -> bool:
    """Return whether a database server has a database without tables; False if it does not respond."""
    try:
        with closing(ReadOnly(url)):
            return False
    except StoreError as error:
        return error.code == "empty"
