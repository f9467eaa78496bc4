"""Durable files and directories: on disk, with their names, on return.

The bytes of a file and its name are synced separately. After a power cut the name may be missing if the directory was
not synced. Use these functions for files that the server acknowledges or that other saved data relies on.
"""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Sync the bytes of a file, or the names in a directory, to disk. Raises OSError."""
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def make_directory(directory: Path, mode: int) -> None:
    """Create a directory, and its missing parents; only the last one gets the mode. Raises OSError."""
    missing = [one for one in (directory, *directory.parents) if not one.exists()]
    directory.mkdir(mode=mode, parents=True, exist_ok=True)
    for one in missing:
        sync(one.parent)


def write_whole(file: Path, content: bytes, *, mode: int = 0o600, part: str = ".new") -> None:
    """Write a whole file, which replaces an older one. Raises OSError.

    It gets its name only when it is complete. ``part`` is added to the name until then. Concurrent writers of the same
    file need different ones.
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
