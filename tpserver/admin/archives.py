"""Archives: a game in a file, for another server.

The file is a gzip of lines, and each line is a digest and a JSON list. The digest is the SHA-256 of the previous digest
and the list. So a check finds and names each line that was changed, moved, added or removed. The first list names the
format, the last one has the number of lines, and those between are ``[table, row]``
(`tpserver.store.copies.export_game`).

Correct digests are not enough for an import. The server also replays the game from its journal, and each turn must have
its digest.

An archive contains no passwords, but all secrets of the game: orders, messages, and the seed of all random numbers.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

from tprules.api.types import canonical, digest_of
from tpserver import __version__
from tpserver.concurrency import result_now
from tpserver.files import sync
from tpserver.games.core.errors import GameError
from tpserver.games.stored.loader import read_game
from tpserver.games.stored.replay import ReplayError, read_recorded, run_again
from tpserver.games.terms.clock import ClockError, parse_clock
from tpserver.rules.call_limits import why_it_failed
from tpserver.rules.discovery import Rulesets, UnknownRuleset
from tpserver.store import Store, StoreError, Transaction
from tpserver.store import audit as stored_audit
from tpserver.store.audit import AuditEntry
from tpserver.store.backends.urls import sqlite_url
from tpserver.store.copies import export_game
from tpserver.store.copies.database_copy import put_in_place
from tpserver.store.copies.export_game import BadRow, Row
from tpserver.store.database import Reader
from tpserver.store.games import rows as stored_games
from tpserver.store.games import snapshots as stored_snapshots
from tpserver.store.games.rows import GameRow
from tpserver.store.people import accounts as stored_accounts

KIND, FORMAT = "tpserver game", 1

MOST_BYTES = 1 << 30
"""Maximum bytes of an archive when it is unpacked."""

LONGEST_LINE = 96 << 20
"""Maximum bytes of a line: more than the longest state of a game."""

PIECE = 64 << 10
"""Bytes that are unpacked at once."""

FREE_BYTES, MOST_GROWTH = 4 << 20, 250
"""Bytes that any archive may unpack to; beyond them, the maximum ratio of unpacked to read bytes.

An archive of equal turns has a ratio of 140. A higher ratio is an attempt to fill memory.
"""

MOST_LINES = 5_000_000
MOST_FILE_BYTES = 1 << 30
SUFFIX = ".tpgame"

MOST_NAMES = 100
"""Maximum names that are tried for the file of one game."""


class BadArchive(Exception):
    """A file is no archive, was changed, or contains an inconsistent game; the message is a sentence."""


class Changed(Exception):
    """A game has changed while it was archived; the message is a sentence without an end."""


@dataclass(frozen=True, slots=True)
class Archive:
    """The game of a file: its name and ruleset, when it was taken (unix seconds), and all rows, checked."""

    name: str
    ruleset: str
    taken_at: float
    rows: list[tuple[str, Row]]

    @property
    def accounts(self) -> list[str]:
        """The names of the accounts that have seats."""
        return [row["account"] for table, row in self.rows if table == "seats" and row["account"] is not None]


def write(connection: Transaction, row: GameRow, target: Path, now: float) -> int:
    """Write a game to a new file, and return its number of lines.

    Only the file's owner may read it. The file gets its name only when it is complete and on disk. Raises StoreError if
    it cannot be written, or exists.
    """
    part = target.with_name(target.name + ".part")
    lines, digest = 0, ""
    head = {"format": FORMAT, "tpserver": __version__, "name": row.name, "ruleset": row.ruleset, "taken_at": now}
    try:
        number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(number, "wb") as file:
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=int(now)) as packed:

                def add(*content: object) -> None:
                    nonlocal lines, digest
                    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
                    digest = _chained(digest, text)
                    packed.write(f"{digest} {text}\n".encode())
                    lines += 1

                add(KIND, head)
                for table, found in export_game.rows_of(connection, row.id):
                    add(table, found)
                add("end", lines + 1)
            file.flush()
            os.fsync(file.fileno())
        put_in_place(part, target)
    except OSError as error:
        _forget(part)
        raise StoreError(
            f"{target} cannot be written: {(error.strerror or str(error)).lower()}.", code="full"
        ) from None
    except BaseException:
        _forget(part)
        raise
    return lines


def read(file: Path) -> Archive:
    """Return the content of a file, with each line checked. Raises BadArchive, which names the line."""
    try:
        if file.stat().st_size > MOST_FILE_BYTES:
            raise BadArchive(f"{file} has more than {MOST_FILE_BYTES} bytes, which is too much for a game")
        with file.open("rb") as packed, gzip.GzipFile(fileobj=packed) as opened:
            return _archive(_lines(opened, packed, file), file)
    except (gzip.BadGzipFile, zlib.error, EOFError):
        raise BadArchive(f"{file} is not the archive of a game, or not all of it: it cannot be unpacked") from None
    except OSError as error:
        raise BadArchive(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from None


def _lines(opened: gzip.GzipFile, packed: IO[bytes], file: Path) -> Iterator[tuple[int, list[Any]]]:
    digest, size = "", 0
    for number in range(1, MOST_LINES + 2):
        line = _line(opened, packed, size, file, number)
        size += len(line)
        if not line:
            return
        if number > MOST_LINES:
            raise BadArchive(f"{file}, line {number}: this is too much for a game")
        said, _, text = line.rstrip(b"\n").partition(b" ")
        try:
            decoded = text.decode()
            digest = _chained(digest, decoded)
            content = json.loads(decoded) if said.decode() == digest else None
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, list) or len(content) != 2:
            raise BadArchive(f"{file}, line {number}: {_what(text)} was changed after it was written, or one before it")
        yield number, content


def _line(opened: gzip.GzipFile, packed: IO[bytes], before: int, file: Path, number: int) -> bytes:
    """Return the next line of an archive. Raises BadArchive.

    It is unpacked in pieces, each of which is counted before the next one. ``before`` is the number of bytes unpacked
    earlier.
    """
    line = bytearray()
    while piece := opened.readline(PIECE):
        line += piece
        size = before + len(line)
        grows = size > FREE_BYTES + MOST_GROWTH * packed.tell()
        if len(line) > LONGEST_LINE or size > MOST_BYTES or grows:
            raise BadArchive(f"{file}, line {number}: this is too much for a game")
        if piece.endswith(b"\n"):
            break
    return bytes(line)


def _what(text: bytes) -> str:
    """Return a description of an untrusted line."""
    word = text[:40].partition(b'["')[2].partition(b'"')[0].decode(errors="replace")
    return f"this row of {word}" if word in export_game.TABLES else "this"


def _archive(lines: Iterator[tuple[int, list[Any]]], file: Path) -> Archive:
    _, head = next(lines, (0, ["", {}]))
    facts = head[1]
    if head[0] != KIND or not isinstance(facts, dict):
        raise BadArchive(f"{file} is not the archive of a game")
    if facts.get("format") != FORMAT:
        raise BadArchive(f"{file} has the format {facts.get('format')!r:.20}, and only {FORMAT} is known here")
    rows: list[tuple[str, Row]] = []
    number = 1
    for number, (table, row) in lines:
        if table == "end":
            if row != number or next(lines, None) is not None:
                raise BadArchive(f"{file}, line {number}: this says that there are {row!r:.20} lines, which is not so")
            break
        try:
            rows.append((table, export_game.check(table, row)))
        except BadRow as bad:
            raise BadArchive(f"{file}, line {number}: it is refused because {bad}") from None
    else:
        raise BadArchive(f"{file} ends after line {number}, before its end")
    try:
        return Archive(str(facts["name"]), str(facts["ruleset"]), float(facts["taken_at"]), rows)
    except (KeyError, TypeError, ValueError):
        raise BadArchive(f"{file}, line 1: this does not say whose game it is") from None


def prove(archive: Archive, rulesets: Rulesets, say: Callable[[str], object]) -> str:
    """Verify a game in a separate store.

    Return a sentence without its subject about that. Each turn must have its digest, the journal must lead to the same
    turns again, and the game must load. ``say`` gets a line for each turn. Raises BadArchive.
    """
    try:
        with (
            tempfile.TemporaryDirectory(prefix="tpserver-") as directory,
            closing(Store.open(sqlite_url(Path(directory) / "game.sqlite"), reactor=None)) as store,
        ):
            row = result_now(store.write(_put_with_accounts, archive))
            _check_turns(store, row)
            replayed = run_again(*store.read(read_recorded, row.name, rulesets), say)
            if replayed.state.turn != row.turn:
                raise BadArchive(f"the game is in turn {row.turn}, but its journal leads to turn {replayed.state.turn}")
            parse_clock(row.clock)
            read_game(store, row, rulesets.named(row.ruleset), time.time())
            return replayed.done
    except (ReplayError, GameError, UnknownRuleset, ClockError) as error:
        raise BadArchive(f"the game is not what it says, or not for this server: {error}") from None
    except StoreError as error:
        raise BadArchive(f"the game is not what it says: {error.sentence}") from None
    except (KeyError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise BadArchive(f"the game is not what it says: {why_it_failed(error)}") from None


def _put_with_accounts(connection: Transaction, archive: Archive) -> GameRow:
    now = time.time()
    added = [stored_accounts.add(connection, name, "", now=now) for name in dict.fromkeys(archive.accounts)]
    numbers = {account.name: (account.id, account.name) for account in added}
    return export_game.put(connection, archive.rows, archive.name, numbers, now, archive.taken_at)


def _check_turns(store: Store, row: GameRow) -> None:
    """Raise BadArchive unless each turn has its digest; thinned turns are computed again for that."""
    for turn in store.read(stored_snapshots.turns, row.id):
        snapshot = store.read(stored_snapshots.by_turn, row.id, turn)
        if snapshot is not None and snapshot.thinned:
            if snapshot.state != {"version": snapshot.version}:
                raise BadArchive(f"the game is not what it says: what it has of turn {turn} is no thinned snapshot")
            continue
        if snapshot is None or digest_of(canonical(snapshot.state)) != snapshot.digest:
            raise BadArchive(f"the game is not what it says: what it has of turn {turn} does not have its digest")


def put(connection: Transaction, archive: Archive, name: str, renamed: Mapping[str, str], now: float) -> GameRow:
    """Add a verified game under a name, and give its seats to the accounts of the same names.

    ``renamed`` says which account has another name here. Raises StoreError, code "entry" if an account does not exist.
    """
    numbers = {}
    missing = []
    for old in dict.fromkeys(archive.accounts):
        found = stored_accounts.by_name(connection, renamed.get(old, old))
        if found is None:
            missing.append(renamed.get(old, old))
        else:
            numbers[old] = (found.id, found.name)
    if missing:
        raise StoreError(
            f"There is no account {' and none '.join(repr(one) for one in missing)}, who has a seat in the game. Make "
            f"it with tpserver account add, or say which one it is here: --account {archive.accounts[0]}=NAME",
            code="entry",
        )
    if len(set(numbers.values())) < len(numbers):
        raise StoreError("Two seats of the game would be of one account.", code="entry")
    if stored_games.by_name(connection, name) is not None:
        raise StoreError(
            f"There is already a game named {name!r}; give it another name: --name NAME", code="name-taken"
        )
    return export_game.put(connection, archive.rows, name, numbers, now, archive.taken_at)


# --- games that are over and leave the database ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filed:
    """A game in a file that was read and verified: its digest, and a sentence about the verification."""

    file: Path
    digest: str
    done: str
    was_there: bool
    """True if the file existed already, such as from an earlier attempt that was killed."""


def over_since(source: Reader, seconds: float, now: float) -> list[GameRow]:
    """Return the games that have been over for so many seconds, the oldest first."""
    found = []
    for row in source.read(stored_games.all):
        ended = source.read(stored_snapshots.ended, row.id) if row.state == "over" else None
        if ended is not None and ended + seconds <= now:
            found.append(row)
    return found


def put_to_file(source: Reader, row: GameRow, directory: Path, rulesets: Rulesets, now: float) -> Filed:
    """Write a game to a file in a directory, read the file and verify it.

    An existing file of the same game is used again. Raises StoreError if it cannot be written, and BadArchive or
    Changed. In all cases no file of the game was added.
    """
    for number in range(1, MOST_NAMES + 1):
        more = "" if number == 1 else f"-{number}"
        file = directory / f"{row.name}-{row.id}{more}{SUFFIX}"
        was_there = file.exists()
        if not was_there:
            source.read(write, row, file, now)
        try:
            digest, archive = digest_of_file(file), read(file)
            if was_there:  # an earlier attempt may not have waited for the disk
                sync(file)
                sync(directory)
            if not source.read(holds, archive, row.id):
                raise Changed(f"{row.name} has changed while it was archived")
            return Filed(file, digest, prove(archive, rulesets, lambda line: None), was_there)
        except OSError as error:
            _forget_new(file, was_there)
            why = (error.strerror or str(error)).lower()
            raise StoreError(f"{file} cannot be read: {why}.", code="unavailable") from None
        except (BadArchive, Changed):
            if not was_there:
                _forget_new(file, was_there)
                raise
    raise StoreError(f"There are {MOST_NAMES} files of {row.name} in {directory} already.", code="exists")


def holds(connection: Transaction, archive: Archive, game: int) -> bool:
    """Return whether an archive has all that is stored of a game now, and nothing else."""
    stored = ((table, export_game.check(table, row)) for table, row in export_game.rows_of(connection, game))
    return all(one == other for one, other in zip_longest(stored, archive.rows))


def delete_archived(connection: Transaction, game: int, archive: Archive, entry: AuditEntry) -> None:
    """Delete an archived game and add the entry to the audit.

    Raises StoreError, code "changed", if the game differs from the archive.
    """
    if not holds(connection, archive, game):
        raise StoreError(f"{archive.name} has changed since it was written to the file.", code="changed")
    stored_games.delete(connection, game)
    stored_audit.add(connection, entry)


def read_proven(path: str, digest: str) -> Archive:
    """Return the content of a verified file, which must have this digest. Raises BadArchive."""
    file = Path(path)
    try:
        if digest_of_file(file) != digest:
            raise BadArchive(f"{path} was changed after it was proven")
    except OSError as error:
        raise BadArchive(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    return read(file)


def _forget_new(file: Path, was_there: bool) -> None:
    if not was_there:
        _forget(file)


def digest_of_file(file: Path) -> str:
    """Return the SHA-256 of a file. Raises OSError."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _chained(digest: str, text: str) -> str:
    return hashlib.sha256(f"{digest} {text}".encode()).hexdigest()


def _forget(part: Path) -> None:
    with suppress(OSError):
        part.unlink(missing_ok=True)
