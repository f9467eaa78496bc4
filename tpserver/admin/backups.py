"""Backups of the whole database: creation, verification, expiry, restore.

A backup is one SQLite file, also of a PostgreSQL database (`tpserver.store.copies.database_copy`). It is written under
a temporary name and then verified. The check opens it, reads it, compares the newest turn of each game with its digest,
and replays some games from their journals. Only then the backup gets its final name. Nothing here calls or stops the
running server.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tprules.api.types import canonical, digest_of
from tpserver import files
from tpserver.admin.offline import CLOCK_SECONDS, make_directory, store_url, unused_name
from tpserver.config import Config
from tpserver.games.stored.replay import ReplayError, read_recorded, run_again
from tpserver.rules.discovery import Rulesets
from tpserver.store import StoreError, Transaction
from tpserver.store.backends.urls import sqlite_url
from tpserver.store.copies import database_copy
from tpserver.store.copies.database_copy import Content
from tpserver.store.database import ReadOnly
from tpserver.store.games import rows as stored_games
from tpserver.store.games import snapshots as stored_snapshots
from tpserver.store.games.rows import GameRow

Say = Callable[[str], object]

NAME = re.compile(r"tpserver-(\d{8}T\d{6}Z)\.sqlite")
"""Names of backups; only files of such a name are ever removed to make room for newer ones."""

PART = ".part"
"""Suffix of the name of an incomplete backup."""

EVERY = 1_000_000
"""Number of games to replay that means all."""

REPLAY_SECONDS = 300.0
"""Seconds of a verification after which no further game is replayed."""


@dataclass
class Proof:
    """Result of a verification: the amount of data in a copy, and games that differ from their record."""

    content: Content
    differences: list[str] = field(default_factory=list)
    """One sentence each. The copy equals the database then, but the database should be checked."""


def made_in(directory: Path) -> list[Path]:
    """Return the complete backups in a directory, the newest first; none if it cannot be read."""
    try:
        return sorted((file for file in directory.iterdir() if NAME.fullmatch(file.name)), reverse=True)
    except OSError:
        return []


def made_until(directory: Path, now: float) -> list[Path]:
    """Return those of `made_in` that are not of the future.

    For a backup of the future, the clock was wrong at its creation, or is wrong now.
    """
    return [backup for backup in made_in(directory) if not is_of_future(backup, now)]


def is_of_future(backup: Path, now: float) -> bool:
    """Return whether the name of a backup has a time in the future."""
    return time_of(backup) > now + CLOCK_SECONDS


def time_of(backup: Path) -> float:
    """Return the start of a backup in unix seconds, from its name."""
    found = NAME.fullmatch(backup.name)
    assert found is not None
    return datetime.strptime(found[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()


def back_up(config: Config, rulesets: Rulesets, directory: Path, keep: int, sample: int, say: Say) -> list[str]:
    """Make a backup in a directory, verify it, and remove old ones.

    The newest ``keep`` stay there. ``sample`` is the number of games to replay, those played last. ``say`` gets a line
    for each step. Return a sentence for each game that differs from its record. The backup exists then, and no older
    one was removed. Raises StoreError; then there is no new backup, and no older one was removed.
    """
    begun = time.monotonic()
    try:
        files.make_directory(directory, 0o700)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StoreError(f"The directory {directory} cannot be made: {why}.", code="directory") from None
    with alone_in(directory, "Another backup is being made"):
        for left in directory.glob(f"tpserver-*.sqlite{PART}"):
            database_copy.remove(left)  # left by a killed backup: no other one runs now
        target = unused_name(directory, "tpserver")
        part = target.with_name(target.name + PART)
        database_copy.copy(store_url(config), part)
        try:
            say(f"Copied in {time.monotonic() - begun:.1f} s: {part.stat().st_size / 1e6:.1f} MB.")
            proof = prove(part, rulesets, sample, say)
            database_copy.put_in_place(part, target)
        except BaseException:
            database_copy.remove(part)
            raise
        say(f"Backup {target} is complete: {_amount(proof.content)}.")
        if not proof.differences:
            _remove_old(directory, keep, say)
    return proof.differences


def prove(file: Path, rulesets: Rulesets, sample: int, say: Say) -> Proof:
    """Verify a copy.

    It must be whole, each game's newest turn must have its digest, and ``sample`` games must replay. ``say`` gets a
    line for each step. Raises StoreError if it is not a whole database that this version can read.
    """
    with closing(ReadOnly(sqlite_url(file))) as source:
        if damage := source.read(database_copy.faults):
            raise StoreError(f"{file} is damaged: {'; '.join(damage)}. Use another backup.", code="damaged")
        rows = source.read(stored_games.all)
        proof = Proof(source.read(database_copy.content))
        played: list[tuple[float, GameRow]] = []
        for row in rows:
            at, problem = source.read(_newest_turn, row)
            if problem:
                proof.differences.append(problem)
            played.append((at, row))
        say(
            "The file is whole"
            + (", and the newest turn of each game has its digest." if not proof.differences else ".")
        )
        played.sort(key=lambda one: one[0], reverse=True)
        begun = time.monotonic()
        for number, (_, row) in enumerate(played[:sample]):
            if time.monotonic() - begun > REPLAY_SECONDS:
                left = len(played[number:sample])
                say(f"Not run again, as {number} games took {REPLAY_SECONDS:g} s: {_many(left, 'other')}.")
                break
            if row.ruleset not in rulesets.usable:
                say(f"Not run again: {row.name}; its ruleset {row.ruleset} is not there or cannot be used.")
                continue
            try:
                done = run_again(*source.read(read_recorded, row.name, rulesets)).done
            except ReplayError as error:
                proof.differences.append(f"{error}.")
            else:
                say(f"Run again: {row.name}, {done}.")
    for difference in proof.differences:
        say(f"NOT AS RECORDED: {difference}")
    return proof


def restore(config: Config, rulesets: Rulesets, backup: Path, sample: int, say: Say) -> list[str]:
    """Restore the database of a configuration from a backup.

    The backup is verified before, and compared with the database afterwards. Returns the differences of the
    verification, as ``back_up`` does. Raises StoreError, code "exists" if there is a database, "in-use" while a server
    runs. Then nothing has changed.
    """
    if not backup.is_file():
        raise StoreError(f"There is no backup {backup}.", code="gone")
    url = store_url(config)
    if not config.server.store and config.server.data.exists():
        database_copy.check_nothing_there(url)  # now, as the proof may take minutes
    proof = prove(backup, rulesets, sample, say)
    if not config.server.store:
        make_directory(config.server.data)
    database_copy.fill(backup, url)
    with closing(ReadOnly(sqlite_url(backup))) as source, closing(ReadOnly(url)) as restored:
        before, after = (one.read(_digests) for one in (source, restored))
        damage = [] if config.server.store else restored.read(database_copy.faults)
        label = restored.label
    if before != after or damage:
        raise StoreError(f"The database {label} is not what {backup} holds. Look after its disk.", code="damaged")
    turns = sum(map(len, after.values()))
    say(f"Restored to {label}: {_amount(proof.content)}; all {turns} turns have the digests of the backup.")
    return proof.differences


def _newest_turn(connection: Transaction, row: GameRow) -> tuple[float, str]:
    """Return the time when the newest turn of a game began, and its problem, a sentence or ""."""
    newest = stored_snapshots.newest(connection, row.id)
    if newest is None:
        return row.created, f"{row.name} has no turn."
    if newest.turn != row.turn:
        return newest.at, f"{row.name} is in turn {row.turn}, but the newest that is kept is {newest.turn}."
    if digest_of(canonical(newest.state)) != newest.digest:
        return newest.at, f"{row.name}: what is kept of turn {newest.turn} does not have the digest {newest.digest}."
    return newest.at, ""


def _digests(connection: Transaction) -> dict[str, list[tuple[int, str]]]:
    """Return turn and digest of all turns, by the name of the game."""
    return {row.name: stored_snapshots.digests(connection, row.id) for row in stored_games.all(connection)}


@contextmanager
def alone_in(directory: Path, otherwise: str) -> Iterator[None]:
    """Lock a directory against other processes that write to it.

    Raises StoreError, code "in-use", if another process has the lock. Its sentence begins with ``otherwise``.
    """
    try:
        lock = os.open(directory / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StoreError(f"{directory} cannot be written: {why}.", code="directory") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            text = f"{otherwise} in {directory}; wait until it is done."
            raise StoreError(text, code="in-use") from None
        yield
    finally:
        os.close(lock)


def _remove_old(directory: Path, keep: int, say: Say) -> None:
    removed = 0
    for old in made_until(directory, time.time())[keep:]:
        with contextlib.suppress(OSError):
            old.unlink()
            removed += 1
    kept = len(made_until(directory, time.time()))
    if removed:
        say(f"Removed {_many(removed, 'older backup')}; {kept} are kept.")


def _amount(content: Content) -> str:
    return f"{_many(content.games, 'game')}, {_many(content.accounts, 'account')}"


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
