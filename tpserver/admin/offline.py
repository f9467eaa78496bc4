"""Operations on the store itself while no server runs."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from twisted.internet.task import Clock
from twisted.logger import Logger

from tpserver import __version__, files
from tpserver.accounts.accounts import Accounts
from tpserver.admin import lost_database, socket_protocol
from tpserver.admin.commands import COMMANDS
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.socket_client import NoServer, ask
from tpserver.admin.socket_protocol import OperationError
from tpserver.cluster.node import Node
from tpserver.concurrency import Timers, at_once, result_now
from tpserver.config import Config
from tpserver.games.core import crash_record
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.turns.suspension import carry_out
from tpserver.rules.discovery import Rulesets
from tpserver.store import Store, StoreError, Timeouts
from tpserver.store.backends.sqlite import has_been_made
from tpserver.store.backends.urls import sqlite_url
from tpserver.store.copies import database_copy
from tpserver.store.database import ReadOnly
from tpserver.store.games import nodes

T = TypeVar("T")

log = Logger()

DATABASE = "tpserver.sqlite"


def store_url(config: Config) -> str:
    """Return the URL of the database: the configured one, or a SQLite file in the data directory."""
    return config.server.store or sqlite_url(config.server.data / DATABASE)


COPIES_OF_A_VERSION = 3
"""Maximum copies of databases from before the migration of one version."""

CLOCK_SECONDS = 60.0
"""Seconds by which a backup may seem to be in the future: two of one second have two names."""


def backup_directory(config: Config) -> Path:
    """Return the directory of the backups."""
    return config.backup.directory or config.server.data / "backups"


def open_store(config: Config, reactor: Any, *, as_node: bool = False) -> Store:
    """Open the store like ``Store.open``. Before a migration of its tables, the database is copied.

    ``as_node``: together with other nodes, if this is a server of a cluster. A command has exclusive use of the
    database, while no node lives. A lost database is not created again. Raises StoreError.
    """
    if refused := lost_database.refusal(config, store_url(config), backup_directory(config)):
        raise StoreError(refused, code="gone")
    return Store.open(
        store_url(config),
        reactor=reactor,
        before_migration=partial(_copy_before_migration, config),
        timeouts=Timeouts() if as_node and config.cluster.address else None,
    )


def begin_new(config: Config) -> None:
    """Create an empty database, even if one was lost; an existing one stays. Raises StoreError."""
    if not config.server.store:
        make_directory(config.server.data)
    Store.open(store_url(config), reactor=None, is_new=True).close()


def node_of(config: Config, store: Store, timers: Timers, rulesets: Mapping[str, int] | None = None) -> Node | None:
    """Return the node of a server in its cluster, not started yet, or None without a cluster.

    ``rulesets`` are its playable ones, with their versions.
    """
    if not store.shared:
        return None
    cluster, file = config.cluster, config.server.data / "node.json"
    return Node(store, timers, cluster.address, __version__, cluster.lease_seconds, rulesets=rulesets, file=file)


def _copy_before_migration(config: Config, version: str) -> None:
    """Copy the database to a file beside the backups. Raises StoreError.

    COPIES_OF_A_VERSION are kept of a version. A server that restarts repeatedly with a failing migration must not fill
    the disk.
    """
    directory = backup_directory(config)
    try:
        files.make_directory(directory, 0o700)
        target = unused_name(directory, f"before-upgrade-from-{version}")
        part = target.with_name(target.name + ".part")
        database_copy.remove(part)
        database_copy.copy(store_url(config), part)
        database_copy.put_in_place(part, target)
        # Copies with a later date, from a wrong clock, do not count.
        made = [one for one in directory.glob(f"before-upgrade-from-{version}-*.sqlite") if one <= target]
        for old in sorted(made)[:-COPIES_OF_A_VERSION]:
            old.unlink(missing_ok=True)
    except (OSError, StoreError) as error:
        raise StoreError(
            f"The database is copied before its tables are brought up to date, which failed: {error} Nothing has been "
            "changed.",
            code="migration",
        ) from None
    log.info("the tables are brought up to date; before, the database was copied to {file}", file=str(target))


def unused_name(directory: Path, begins: str) -> Path:
    """Return the name of a new copy: its beginning, and the time in UTC.

    The second copy in one second gets the time of a later second, even if older copies were removed.
    """

    def name(second: int) -> Path:
        return directory / f"{begins}-{datetime.fromtimestamp(second, UTC):%Y%m%dT%H%M%SZ}.sqlite"

    now = int(time.time())
    second = max((one + 1 for one in range(now, now + int(CLOCK_SECONDS)) if name(one).exists()), default=now)
    while name(second).exists():
        second += 1
    return name(second)


def has_data(config: Config) -> bool:
    """Return whether there may be data.

    It may be in a database file that exists or has existed, or at a configured database URL. Only its server knows
    whether the latter has data. Raises StoreError if the data directory is not a directory.
    """
    if config.server.store:
        return True
    _check_is_directory(config.server.data)
    return has_been_made(config.server.data / DATABASE)


def no_data(config: Config) -> str:
    """Return why no operation is possible without data: it is lost, not created yet, or elsewhere."""
    return lost_database.refusal(config, store_url(config), backup_directory(config)) or (
        f"there is no data in {config.server.data} yet: the first account or game makes it; if it is elsewhere, say "
        "--config FILE as for tpserver run, or --data DIR"
    )


def make_directory(directory: Path) -> bool:
    """Create a data directory that only its owner can access; return whether it had to be created.

    Raises StoreError with a sentence.
    """
    try:
        _check_is_directory(directory)
        made = not directory.exists()
        files.make_directory(directory, 0o700)
    except OSError as error:
        raise StoreError(
            f"The data directory {directory} cannot be made: {(error.strerror or str(error)).lower()}. "
            "Name another one with --data.",
            code="directory",
        ) from None
    return made


def _check_is_directory(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise StoreError(f"{path} is not a directory. Name another one with --data.", code="directory")


@contextmanager
def offline_context(config: Config, rulesets: Rulesets) -> Iterator[AdminContext]:
    """Open the data for one operation. Raises StoreError, with the code "in-use" while a server runs."""
    made = not config.server.store and make_directory(config.server.data)
    try:
        store = open_store(config, None)
    except StoreError:
        if made:
            remove_if_empty(config.server.data)
        raise
    with closing(store):
        _carry_out_verdicts(store, config.server.data)
        yield _context(store, config, rulesets)


def _carry_out_verdicts(store: Store, data: Path) -> None:
    """Suspend the games whose rules ended a server, if no server has done so yet."""
    record = crash_record.read(data)
    if record.pending:
        try:
            carry_out(store, record, time.time())
        except OSError as error:
            raise OperationError(f"{data} cannot be written: {error.strerror or error}") from None


@contextmanager
def rehearsal(config: Config, rulesets: Rulesets) -> Iterator[AdminContext]:
    """Open a temporary empty store to try an operation. A failed one then creates no data directory."""
    with (
        tempfile.TemporaryDirectory(prefix="tpserver-") as directory,
        closing(Store.open(sqlite_url(Path(directory) / DATABASE), reactor=None)) as store,
    ):
        yield _context(store, config, rulesets)


def _context(store: Store, config: Config, rulesets: Rulesets) -> AdminContext:
    # Timers never fire here. The next server does what is due.
    clock: Any = Clock()
    registry = GameRegistry(store, rulesets, clock, at_once, time.time, verdicts=crash_record.read(config.server.data))
    accounts = Accounts(store, config.accounts.policy, at_once, time.time)
    guests = config.accounts.guests
    return AdminContext(registry, accounts, config.games.clock, config.games.join, takes_guests=lambda: guests)


def remove_if_empty(directory: Path) -> None:
    """Remove a data directory that was just created and has no database."""
    try:
        (directory / f"{DATABASE}.lock").unlink(missing_ok=True)
        directory.rmdir()
    except OSError:
        return


def _a_node_lives(config: Config) -> bool:
    with closing(ReadOnly(store_url(config))) as source:
        return bool(source.read(nodes.living_addresses))


PATIENCE = 15.0
"""Maximum seconds to retry while the store is locked by a server that does not respond."""


def get_done(
    config: Config,
    rulesets: Rulesets,
    operation: str,
    arguments: Mapping[str, Any],
    begun: Callable[[Path], object] = lambda file: None,
) -> list[str]:
    """Perform an operation and return its output lines.

    ``begun`` gets the file of a database that was created for it. Raises OperationError or StoreError with a sentence,
    without any change, and Fault if the server failed.
    """
    if not has_data(config):
        if operation not in COMMANDS or not COMMANDS[operation].creates_data:
            raise OperationError(no_data(config))
        with rehearsal(config, rulesets) as context:
            result_now(perform(context, operation, arguments))
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            with offline_context(config, rulesets) as context:
                done = result_now(perform(context, operation, arguments))
                if (file := context.registry.store.made) is not None:
                    begun(file)
                return done
        except StoreError as error:
            if error.code != "in-use":
                raise
            locked = error
        try:
            with socket_protocol.SocketPath(config.server.data) as path:
                return ask(path, operation, arguments)
        except (NoServer, FileNotFoundError):
            if config.cluster.address and _a_node_lives(config):
                raise OperationError(
                    "this node of the cluster does not run, and others do: start it, or give the command at one that "
                    "runs (tpserver node list)"
                ) from None
            if time.monotonic() > give_up:
                raise locked from None
            time.sleep(0.05)
        except socket_protocol.PathTooLong as error:
            raise OperationError(str(error)) from None
