"""Files of the web client, read from its package without importing it."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

PACKAGE, DIRECTORY = "tpclient", "web"

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
"""File types for browsers; others are not served."""

PACKED = frozenset({".png", ".ico", ".woff2"})
"""File types that are compressed already."""

SCRIPTS = frozenset({".js", ".mjs"})
"""File types that are sent without whole-line comments, a quarter of the page."""

LARGEST_FILE = 4 * 1024 * 1024
MOST_FILES = 512
"""Maximum files kept in memory; the client has a few dozen."""

_COMMENT = re.compile(rb"^[ \t]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n", re.MULTILINE)
"""Whole-line comments of a script.

No template of the client spans several lines, which could look like this inside.
"""

_SEGMENT = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class File:
    """One file as it is sent: `compressed` is None if it would not be shorter. `modified` is in unix seconds."""

    content: bytes
    compressed: bytes | None
    kind: str
    tag: str
    modified: float


class Files:
    """The files below a directory by URL path. Changed files are read again."""

    def __init__(self, directory: Path | None) -> None:
        self.directory = None if directory is None else directory.resolve()
        self._kept: dict[Path, tuple[tuple[int, int], File]] = {}

    def get(self, path: str) -> File | None:
        """Return the file for a URL path, which begins with a slash, or None.

        Names with a leading dot, links out of the directory, and directories are not served.
        """
        if self.directory is None or not path.startswith("/"):
            return None
        segments = unquote(path[1:]).split("/") if path != "/" else ["index.html"]
        if not all(_SEGMENT.fullmatch(segment) for segment in segments):
            return None
        wanted = self.directory.joinpath(*segments)
        kind = TYPES.get(wanted.suffix)
        if kind is None:
            return None
        try:
            place = wanted.resolve()
            if not place.is_relative_to(self.directory) or not place.is_file():
                return None
            facts = place.stat()
            if facts.st_size > LARGEST_FILE:
                return None
            stamp = (facts.st_mtime_ns, facts.st_size)
            kept = self._kept.get(place)
            if kept is not None and kept[0] == stamp:
                return kept[1]
            made = _read(place, kind, facts.st_mtime)
        except (OSError, ValueError, RuntimeError):
            # No such file, no permission, or a name that is invalid for files.
            return None
        if len(self._kept) >= MOST_FILES:
            self._kept.clear()
        self._kept[place] = (stamp, made)
        return made


def _read(place: Path, kind: str, modified: float) -> File:
    content = place.read_bytes()
    if place.suffix in SCRIPTS:
        content = _COMMENT.sub(b"", content)
    compressed = None
    if place.suffix not in PACKED:
        smaller = gzip.compress(content, 9, mtime=0)
        compressed = smaller if len(smaller) < len(content) else None
    return File(content, compressed, kind, hashlib.sha256(content).hexdigest()[:32], modified)


def client_directory() -> Path | None:
    """Return the directory of the browser client's files; None if it is not installed with the server."""
    found = importlib.util.find_spec(PACKAGE)
    for place in (found and found.submodule_search_locations) or ():
        directory = Path(place) / DIRECTORY
        if directory.is_dir():
            return directory
    return None
