"""Read-only checks of the stored games with the installed rulesets.

The commands are ``tpserver replay`` and ``tpserver ruleset check --games``. They neither migrate the tables nor take a
lock. So a server may be running, even an older one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from tpserver.admin.offline import has_data, no_data, store_url
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say
from tpserver.games.core import next_turn
from tpserver.games.core.errors import GameError
from tpserver.games.stored.compat import too_new, version_words
from tpserver.games.stored.loader import read_game
from tpserver.games.stored.replay import ReplayError, close_once_more, read_recorded, run_again
from tpserver.rules.call_limits import why_it_failed
from tpserver.rules.discovery import Rulesets, UnknownRuleset, discover
from tpserver.store import StoreError
from tpserver.store.database import ReadOnly
from tpserver.store.games import rows as stored_games
from tpserver.store.games import snapshots as stored_snapshots
from tpserver.store.games.rows import GameRow


@contextmanager
def _stored(options: argparse.Namespace) -> Iterator[ReadOnly]:
    """Open the store for reading. Raises Failed, also if the store fails inside the block."""
    be_quiet()
    config = config_of(options)
    try:
        if not has_data(config):
            raise Failed(no_data(config))
        with closing(ReadOnly(store_url(config))) as source:
            yield source
    except StoreError as error:
        raise Failed(error.sentence) from None


def replay(options: argparse.Namespace) -> int:
    """Replay a game and print a line for each turn; raise Failed at the first difference."""
    try:
        with _stored(options) as source:
            rules, recorded = source.read(read_recorded, options.name, discover())
        replayed = run_again(rules, recorded, say)
        row = recorded.row
        say(f"{row.name}: {replayed.done}.")
        if row.state == "held":
            say(f"The game is held: {row.held_reason}. Closing turn {replayed.state.turn} once more:")
            close_once_more(rules, recorded, replayed)
            say(f"  this time it worked; tpserver game resume {row.name} lets the game go on.")
    except ReplayError as error:
        raise Failed(str(error)) from error
    return 0


def check_games(options: argparse.Namespace) -> int:
    """Try all games, or the one or those that ``options.ruleset`` names.

    It is the name of a game, or of a ruleset. Print a line for each. Raise Failed if a game cannot continue, or for an
    unknown name.
    """
    with _stored(options) as source:
        rulesets = discover()
        rows = source.read(stored_games.all)
        if options.ruleset is not None:
            rows = _named(rows, rulesets, options.ruleset)
        bad = sum(not _try(source, row, rulesets) for row in rows)
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


def _try(source: ReadOnly, row: GameRow, rulesets: Rulesets) -> bool:
    """Try one game and print the result; return whether it can continue."""
    try:
        row = replace(row, ruleset_version=_version(source, row))
        done, problem = _tried(source, row, rulesets), ""
    except (GameError, UnknownRuleset) as error:
        problem = str(error)
    version = version_words(row, rulesets.usable.get(row.ruleset))
    told = f"CANNOT GO ON: {problem}" if problem else done
    say(f"{row.name}: {row.ruleset} version {version}, turn {row.turn}, {row.state}: {told}")
    return not problem


def _version(source: ReadOnly, row: GameRow) -> int:
    """Return the version that saved a game. In a database of an older tpserver only the snapshot has it."""
    snapshot = source.read(stored_snapshots.newest, row.id)
    return row.ruleset_version if snapshot is None else int(snapshot.state["version"])


def _tried(source: ReadOnly, row: GameRow, rulesets: Rulesets) -> str:
    """Try a game in memory, and return the result.

    It is loaded, the spectators' view is projected, and its turn is closed. Raises GameError or UnknownRuleset with the
    problem.
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
        next_turn.compute(game, int(now))
    except Exception as error:
        raise GameError(f"its turn {row.turn} cannot be closed: {why_it_failed(error)}") from None
    return "loaded, and one turn computed"
