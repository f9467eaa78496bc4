"""``tpserver ruleset check --games``: whether the installed rulesets can go on with the stored games.

Nothing is changed, not even the version of the tables, and no lock is taken: a server, also an older one, may be
running.
"""

from __future__ import annotations

import argparse
import time
from contextlib import closing as closed_afterwards
from dataclasses import replace

from tpserver.admin.offline import has_data, store_url
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say
from tpserver.games import turn_result
from tpserver.games.game import GameError
from tpserver.games.restoring import read_game
from tpserver.games.versions import too_new, version_words
from tpserver.rules.discovery import Rulesets, UnknownRuleset, discover
from tpserver.rules.watchdog import why_it_failed
from tpserver.store import StoreError
from tpserver.store import games as stored_games
from tpserver.store import snapshots as stored_snapshots
from tpserver.store.database import Reader, ReadOnly
from tpserver.store.games import GameRow


def check_games(options: argparse.Namespace) -> int:
    """Try all games, or those that ``options.ruleset`` names: a game, or a ruleset.

    Print a line for each; raise Failed if one cannot go on, or if there is none of that name.
    """
    be_quiet()
    config = config_of(options)
    rulesets = discover()
    try:
        if not has_data(config):
            raise Failed(f"there is no data in {config.server.data} yet; --data names another directory")
        with closed_afterwards(ReadOnly(store_url(config))) as source:
            rows = source.read(stored_games.all)
            if options.ruleset is not None:
                rows = _named(rows, rulesets, options.ruleset)
            bad = sum(not _try(source, row, rulesets) for row in rows)
    except StoreError as error:
        raise Failed(error.sentence) from None
    games = "1 game" if len(rows) == 1 else f"{len(rows)} games"
    if bad:
        raise Failed(f"{bad} of {games} cannot go on with the installed rulesets; nothing has been changed")
    say(f"All can go on: {games} tried." if rows else "There are no games to try.")
    return 0


def _named(rows: list[GameRow], rulesets: Rulesets, name: str) -> list[GameRow]:
    found = [row for row in rows if name.casefold() in (row.name.casefold(), row.ruleset)]
    if not found and name not in rulesets.usable:
        raise Failed(f"there is neither a game nor a ruleset {name!r}")
    return found


def _try(source: Reader, row: GameRow, rulesets: Rulesets) -> bool:
    """Try one game and print the result; return whether it can go on."""
    try:
        row = replace(row, ruleset_version=_version(source, row))
        done, problem = _tried(source, row, rulesets), ""
    except (GameError, UnknownRuleset) as error:
        problem = str(error)
    version = version_words(row, rulesets.usable.get(row.ruleset))
    told = f"CANNOT GO ON: {problem}" if problem else done
    say(f"{row.name}: {row.ruleset} version {version}, turn {row.turn}, {row.state}: {told}")
    return not problem


def _version(source: Reader, row: GameRow) -> int:
    """Return the version that saved a game; in a database of an older tpserver only the snapshot tells it."""
    snapshot = source.read(stored_snapshots.newest, row.id)
    return row.ruleset_version if snapshot is None else int(snapshot.state["version"])


def _tried(source: Reader, row: GameRow, rulesets: Rulesets) -> str:
    """Load a game, project the spectators' view, and close its turn in memory; return what was done.

    Raises GameError or UnknownRuleset with what went wrong.
    """
    rules = rulesets.named(row.ruleset)
    if problem := too_new(row, rules):
        raise GameError(problem)
    now = time.time()
    try:
        game = read_game(source, row, rules, now)
    except GameError:
        raise
    except Exception as error:
        raise GameError(f"it cannot be loaded: {why_it_failed(error)}") from None
    if game.over:
        return "loaded"
    try:
        turn_result.compute(game, int(now))
    except Exception as error:
        raise GameError(f"its turn {row.turn} cannot be closed: {why_it_failed(error)}") from None
    return "loaded, and one turn computed"
