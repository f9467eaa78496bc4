"""``tpserver export``, ``import`` and ``archive``: games as files."""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from pathlib import Path

from tpserver import files
from tpserver.admin import archives
from tpserver.admin.backups import alone_in
from tpserver.admin.offline import get_done, has_data, no_data, store_url
from tpserver.admin.socket_client import ask_running
from tpserver.admin.socket_protocol import Fault, OperationError
from tpserver.cli.commands import performed, say_new
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say
from tpserver.config import Config
from tpserver.rules.discovery import Rulesets, discover
from tpserver.store import StoreError, Transaction
from tpserver.store.database import ReadOnly
from tpserver.store.games import rows as stored_games
from tpserver.store.games.rows import GameRow


def export(options: argparse.Namespace) -> int:
    """Write a game in its present state to a file."""
    be_quiet()
    config = config_of(options)
    try:
        row, target, lines = _written(config, options.name, options.to)
    except StoreError as error:
        raise Failed(error.sentence) from None
    size = f"{target.stat().st_size / 1e6:.1f} MB"
    say(f"Game {row.name}, turn {row.turn}, is in {target}: {lines} lines, {size}. It holds all secrets of the game.")
    if row.state in ("running", "waiting"):
        say(f"It is {row.state} here still: what happens now is not in the file. tpserver game pause {row.name}")
    return 0


def delete(options: argparse.Namespace) -> int:
    """Delete a game after writing it to a file."""
    if not options.without_export:
        export(options)
    say(*performed(options, "game delete"))
    return 0


def _written(config: Config, name: str, to: Path | None) -> tuple[GameRow, Path, int]:
    if not has_data(config):
        raise Failed(no_data(config))

    def write(connection: Transaction) -> tuple[GameRow, Path, int]:
        row = stored_games.by_name(connection, name)
        if row is None:
            known = ", ".join(sorted(other.name for other in stored_games.all(connection))) or "none"
            raise Failed(f"there is no game {name!r} (games: {known})")
        target = Path(f"{row.name}{archives.SUFFIX}") if to is None else to
        return row, target, archives.write(connection, row, target.absolute(), time.time())

    with closing(ReadOnly(store_url(config))) as source:
        return source.read(write)


def import_(options: argparse.Namespace) -> int:
    """Verify the game of a file and add it, paused if it was running."""
    be_quiet()
    config = config_of(options)
    renamed = {}
    for text in options.account:
        old, found, new = text.partition("=")
        if not found or not old or not new:
            raise Failed(f"--account {text!r}: write OLD=NEW")
        renamed[old] = new
    file = options.file.absolute()
    rulesets = discover()
    try:
        digest = archives.digest_of_file(file)
        archive = archives.read(file)
        done = archives.prove(archive, rulesets, lambda line: None)
    except OSError as error:
        raise Failed(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from None
    except archives.BadArchive as error:
        raise Failed(f"nothing was imported: {error}") from None
    say(f"{archive.name} was run again: {done}.")
    name = archive.name if options.name is None else options.name
    arguments = {"name": name, "path": str(file), "digest": digest, "accounts": renamed}
    try:
        lines = ask_running(config.server.data, "game import", arguments)
        if lines is None:
            lines = get_done(config, rulesets, "game import", arguments, say_new)
    except (OperationError, Fault) as error:
        raise Failed(f"nothing was imported: {error}") from None
    except StoreError as error:
        raise Failed(f"nothing was imported: {error.sentence}") from None
    say(*lines)
    return 0


DAY = 86400.0


def archive(options: argparse.Namespace) -> int:
    """Write each game that has been over for the given time to a file and verify that.

    With ``--delete``, only then delete it. After a kill at any moment nothing is lost: a game is in the database, in
    its file, or in both.
    """
    be_quiet()
    config, directory = config_of(options), options.directory.absolute()
    if not has_data(config):
        raise Failed(no_data(config))
    rulesets, now = discover(), time.time()
    written = deleted = left = 0
    try:
        files.make_directory(directory, 0o700)
        with alone_in(directory, "Games are being archived"), closing(ReadOnly(store_url(config))) as source:
            for row in archives.over_since(source, DAY * options.over_for, now)[: options.most]:
                try:
                    filed = archives.put_to_file(source, row, directory, rulesets, now)
                except (archives.BadArchive, archives.Changed) as error:
                    say(f"NOT ARCHIVED: {row.name} stays as it is, and no file was written: {error}.")
                    left += 1
                    continue
                written += 1
                was_there = ", which was there already" if filed.was_there else ""
                say(f"{row.name}: {filed.done}; it is in {filed.file}{was_there}.")
                if not options.delete:
                    continue
                try:
                    say(*_asked(config, rulesets, row, filed))
                    deleted += 1
                except (OperationError, Fault) as error:
                    say(f"NOT DELETED: {row.name}: {error}.")
                    left += 1
    except OSError as error:
        raise Failed(f"{directory} cannot be made: {(error.strerror or str(error)).lower()}") from None
    except StoreError as error:
        raise Failed(f"{error.sentence} Archived until then: {written}, deleted: {deleted}") from None
    say(f"Archived: {written}. Deleted here: {deleted}. Left: {left}.")
    if not options.delete and written:
        say("Nothing was deleted; with --delete they are, once more proven before.")
    return 1 if left else 0


def _asked(config: Config, rulesets: Rulesets, row: GameRow, filed: archives.Filed) -> list[str]:
    """Delete a game by the running server, or without one. Raises OperationError, Fault, StoreError."""
    arguments = {"name": row.name, "path": str(filed.file), "digest": filed.digest}
    lines = ask_running(config.server.data, "game archive", arguments)
    return get_done(config, rulesets, "game archive", arguments) if lines is None else lines
