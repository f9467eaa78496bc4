"""Files and directories that are on disk, under their names, when a function of this module returns.

The bytes of a file and its name are two things: after a power cut the name is there only if its directory was synced,
too.  Whatever somebody is told of, or something else that is saved relies on, is written by these.
"""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Have the bytes of a file, or the names in a directory, on disk.  Raises OSError."""
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def make_directory(directory: Path, mode: int) -> None:
    """Make a directory, and those above it, if it is not there; only the last one gets the mode.  Raises OSError."""
    missing = [one for one in (directory, *directory.parents) if not one.exists()]
    directory.mkdir(mode=mode, parents=True, exist_ok=True)
    for one in missing:
        sync(one.parent)


def write_whole(file: Path, content: bytes, *, mode: int = 0o600, part: str = ".new") -> None:
    """Write a file, which has its name only when it is complete, and replaces one that has it.  Raises OSError.

    ``part`` is added to the name until then; who writes the same file at the same time needs another one.
    """
    new = file.with_name(file.name + part)
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode), "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        new.replace(file)
    except OSError:
        new.unlink(missing_ok=True)
        raise
    sync(file.parent)
