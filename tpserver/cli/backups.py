"""``tpserver backup`` and ``restore``."""

from __future__ import annotations

import argparse
import os
import time

from tpserver.admin import backups
from tpserver.admin.columns import table
from tpserver.admin.game_listing import when
from tpserver.admin.offline import backup_directory, has_data, no_data
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say
from tpserver.rules.discovery import discover
from tpserver.store import StoreError

GENTLENESS = 10
"""By how much a backup that the server has started gives way to it (`nice`)."""


def backup(options: argparse.Namespace) -> int:
    """Make a backup and say what was done, or list those that are there."""
    be_quiet()
    if options.gently:
        os.nice(GENTLENESS)
    config = config_of(options)
    directory = backup_directory(config) if options.to is None else options.to.absolute()
    if options.list:
        made = backups.made_in(directory)
        rows = [(when(backups.time_of(one)), f"{one.stat().st_size / 1e6:.1f} MB", one.name) for one in made]
        say(f"Backups in {directory}: {len(made) or 'none'}", *(table(("MADE", "SIZE", "FILE"), rows) if rows else []))
        return 0
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


def restore(options: argparse.Namespace) -> int:
    """Make the database from a backup."""
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
