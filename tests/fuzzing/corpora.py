"""Corpus of each fuzzing target: an archive with one entry for each input.

The name of an entry is its digest if it reaches new code. An input that was once a fault of the server has a name that
describes the fault. It stays in the archive, and must never fail again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

DIRECTORY = Path(__file__).with_name("corpus")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FOUND = re.compile(r"[0-9a-f]{16}")
_WHEN = (1980, 1, 1, 0, 0, 0)
"""The time of every entry, so that the same entries are the same archive."""


def archive(target: str) -> Path:
    """Return the path of the archive of a target."""
    return DIRECTORY / f"{target}.zip"


def read(target: str) -> dict[str, bytes]:
    """Return the entries of a target by name; none if it has no archive."""
    path = archive(target)
    if not path.exists():
        return {}
    with ZipFile(path) as opened:
        return {name: opened.read(name) for name in sorted(opened.namelist())}


def write(target: str, entries: Mapping[str, bytes]) -> None:
    """Make these the entries of a target."""
    DIRECTORY.mkdir(exist_ok=True)
    with ZipFile(archive(target), "w") as opened:
        for name, data in sorted(entries.items()):
            opened.writestr(ZipInfo(name, _WHEN), data, ZIP_DEFLATED)


def is_fault(name: str) -> bool:
    """Return whether an entry was a fault of the server once."""
    return not _FOUND.fullmatch(name)


def name_of(data: bytes) -> str:
    """Return the name of an input that fuzzing has found."""
    return hashlib.sha256(data).hexdigest()[:16]


def add(target: str, name: str, data: bytes) -> None:
    """Add an input that is a fault of the server. Raises ValueError for what is no name, or is taken."""
    if not _NAME.fullmatch(name) or not is_fault(name):
        raise ValueError(f"{name!r} is no name for a fault: say in some words with dashes between them what it is")
    entries = read(target)
    if entries.get(name, data) != data:
        raise ValueError(f"there is another entry {name!r} of {target} already")
    write(target, {**entries, name: data})
