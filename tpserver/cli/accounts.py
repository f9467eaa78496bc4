"""``tpserver account export`` and ``remove``: a person's data as a file."""

from __future__ import annotations

import argparse
import errno
import os
from pathlib import Path

from tpserver.cli.commands import performed
from tpserver.cli.options import Failed
from tpserver.cli.output import say
from tpserver.files import sync


def export(options: argparse.Namespace) -> int:
    """Write all stored data of an account to a new file that only its owner can read."""
    _export(options)
    return 0


def remove(options: argparse.Namespace) -> int:
    """Remove an account, after writing all its stored data to a file."""
    if not options.without_export:
        _export(options)
    say(*performed(options, "account remove"))
    return 0


def _export(options: argparse.Namespace) -> None:
    target: Path = options.to or Path(f"{options.name.replace('/', '_')}.json")
    try:
        if target.exists():  # before the audit records the export
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        lines = performed(options, "account export")
        number = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(number, "w") as file:
            file.writelines(f"{line}\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        sync(target.absolute().parent)
    except OSError as error:
        raise Failed(
            f"{target} cannot be written: {(error.strerror or str(error)).lower()}; --to FILE names another"
        ) from None
    say(f"All that is stored of {options.name} is in {target}.")
