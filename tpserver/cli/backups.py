"""``tpserver backup`` and ``restore``: save and restore the database."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from tpserver.admin import backups
from tpserver.admin.columns import when
from tpserver.admin.listing import Listing, Row
from tpserver.admin.offline import backup_directory, has_data, no_data
from tpserver.cli.arguments import UsageError
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say, say_list
from tpserver.rules.discovery import discover
from tpserver.store import StoreError

GENTLENESS = 10
"""The niceness of a backup that the server has started (`nice`)."""


def backup(options: argparse.Namespace) -> int:
    """Make a backup and report it, or list the existing ones."""
    be_quiet()
    if not options.list and (options.json or options.match is not None):
        raise UsageError(f"--json and --match go with --list (see {options.parser.prog} --help)")
    if options.gently:
        os.nice(GENTLENESS)
    config = config_of(options)
    directory = backup_directory(config) if options.to is None else options.to.absolute()
    if options.list:
        return _list_all(directory, options)
    chosen = config.backup
    keep = chosen.keep if options.keep is None else options.keep
    sample = chosen.sample if options.sample is None else options.sample
    begun = time.monotonic()
    try:
        if not has_data(config):
            raise Failed(no_data(config))
        differences = backups.back_up(config, discover(), directory, keep, sample, say)
    except StoreError as error:
        raise Failed(f"there is no new backup: {error.sentence}") from None
    if differences:
        raise Failed(
            f"the backup is there, but {len(differences)} of its games are not what they were recorded to be; nothing "
            "older was removed"
        )
    say(f"That took {time.monotonic() - begun:.1f} s.")
    return 0


def _list_all(directory: Path, options: argparse.Namespace) -> int:
    now = time.time()
    rows = [_row(one, is_future=backups.is_of_future(one, now)) for one in backups.made_in(directory)]
    if rows and not options.json:
        if future := [row.data["file"] for row in rows if row.data["future"]]:
            say(f"Dated in the future, so neither newest nor removed: {', '.join(future)}")
        say(f"Backups in {directory}: {len(rows)}")
    return say_list(Listing(("file",), rows, ("MADE", "SIZE", "FILE"), f"Backups in {directory}: none"), options)


def _row(backup: Path, *, is_future: bool) -> Row:
    made, size = backups.time_of(backup), backup.stat().st_size
    data = {"file": backup.name, "made": made, "bytes": size, "future": is_future}
    return Row(data, (when(made), f"{size / 1e6:.1f} MB", backup.name))


def restore(options: argparse.Namespace) -> int:
    """Restore the database from a backup."""
    be_quiet()
    config = config_of(options)
    try:
        sample = backups.EVERY if options.sample is None else options.sample
        differences = backups.restore(config, discover(), options.file.absolute(), sample, say)
    except StoreError as error:
        raise Failed(f"nothing was restored: {error.sentence}") from None
    if differences:
        raise Failed(f"it is restored, but {len(differences)} of its games are not what they were recorded to be")
    say("The server can be started now.")
    return 0
