"""``tpserver replay`` and ``tpserver ruleset check --games``: what the installed rulesets make of the stored games.

Nothing is changed, not even the version of the tables, and no lock is taken: a server, also an older one, may be
running.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tprules.api import Ruleset
from tprules.api.advance import Advanced, advance, load_state, opening
from tprules.api.order_checks import State
from tpserver.admin.offline import has_data, store_url
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say
from tpserver.games import turn_result
from tpserver.games.game import GameError
from tpserver.games.restoring import again, read_game
from tpserver.games.versions import too_new, version_words
from tpserver.rules.discovery import Rulesets, UnknownRuleset, discover
from tpserver.rules.watchdog import TURN_SECONDS, WATCHDOG, Caller, why_it_failed
from tpserver.store import JournalEntry, StoreError, Transaction
from tpserver.store import games as stored_games
from tpserver.store import journal as stored_journal
from tpserver.store import snapshots as stored_snapshots
from tpserver.store.database import ReadOnly
from tpserver.store.games import GameRow
from tpserver.store.journal import ORDER_KINDS
from tpserver.store.snapshots import Snapshot

T = TypeVar("T")


@contextmanager
def _stored(options: argparse.Namespace) -> Iterator[ReadOnly]:
    """Open the store for reading.  Raises Failed, also if the store fails within the context."""
    be_quiet()
    config = config_of(options)
    try:
        if not has_data(config):
            raise Failed(f"there is no data in {config.server.data} yet; --data names another directory")
        with closing(ReadOnly(store_url(config))) as source:
            yield source
    except StoreError as error:
        raise Failed(error.sentence) from None


# --- replay -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recorded:
    """What the store holds of a game.

    ``start`` is the newest snapshot that was saved by another version of the ruleset than the installed one, as only
    what comes after it can be run again; None if there is none.  ``entries`` is the journal from there on.
    """

    row: GameRow
    seats: int
    entries: list[JournalEntry]
    digests: dict[int, str]
    start: Snapshot | None = None


def replay(options: argparse.Namespace) -> int:
    """Re-run a game and print a line for each turn; raise Failed at the first difference."""
    with _stored(options) as source:
        rules, recorded = source.read(_recorded, options.name, discover())
    return run_again(rules, recorded)


def run_again(rules: Ruleset[Any], recorded: Recorded) -> int:
    """Re-run what is recorded.  Raises Failed at the first difference, naming the turn and both digests."""
    row, turns, start = recorded.row, 0, recorded.start
    if start is None:
        advanced = _kept(row, "the opening", lambda: opening(rules, row.options, recorded.seats, row.seed))
        _compare(row, recorded.digests, advanced)
        state = advanced.state
    else:
        say(
            f"{row.name}: version {start.state['version']} of ruleset {row.ruleset} has saved turn {start.turn}, and "
            f"version {rules.version} is installed; what comes after that turn is run again."
        )
        state = _kept(row, f"reading turn {start.turn}", lambda: load_state(rules, start.state))
    for entry in recorded.entries:
        if entry.kind in ORDER_KINDS:
            _order_again(row, rules, state, entry)
        elif entry.kind == "close":
            if entry.turn != state.turn:
                raise Failed(
                    f"{row.name}: journal entry {entry.number} closes turn {entry.turn}, but the game is in turn "
                    f"{state.turn}"
                )
            before = state
            advanced = _kept(row, f"turn {state.turn}", lambda: advance(rules, before, row.seed))  # noqa: B023 - called at once
            state = advanced.state
            _compare(row, recorded.digests, advanced)
            turns += 1
    missing = sorted(set(recorded.digests) - set(range(state.turn + 1)))
    if missing:
        raise Failed(f"{row.name}: turn {missing[0]} is recorded, but no entry of the journal closes the one before it")
    entries = len(recorded.entries)
    what = f"{turns} {'turn' if turns == 1 else 'turns'} and {entries} journal {'entry' if entries == 1 else 'entries'}"
    same = "every digest is the same" if turns or start is None else f"no turn is of version {rules.version} yet"
    say(f"{row.name}: {what} run again; {same}.")
    if row.state == "held":
        say(f"The game is held: {row.held_reason}. Closing turn {state.turn} once more:")
        advanced = _kept(row, f"turn {state.turn}", lambda: advance(rules, state, row.seed))
        say(f"  this time it worked; tpserver game resume {row.name} lets the game go on.")
    return 0


def _recorded(connection: Transaction, name: str, rulesets: Rulesets) -> tuple[Ruleset[Any], Recorded]:
    row = stored_games.by_name(connection, name)
    if row is None:
        known = ", ".join(sorted(other.name for other in stored_games.all(connection))) or "none"
        raise Failed(f"there is no game {name!r} (games: {known})")
    try:
        rules = rulesets.named(row.ruleset)
    except UnknownRuleset as error:
        raise Failed(f"{row.name} cannot be replayed: {error}") from None
    versions = stored_snapshots.versions(connection, row.id)
    if problem := too_new(replace(row, ruleset_version=versions[-1][1]), rules):
        raise Failed(problem)
    others = [turn for turn, version in versions if version != rules.version]
    start = stored_snapshots.by_turn(connection, row.id, others[-1]) if others else None
    entries = stored_journal.after(connection, row.id, 0 if start is None else start.journal_number)
    seats = len(stored_games.seats(connection, row.id))
    digests = dict(stored_snapshots.digests(connection, row.id))
    return rules, Recorded(row, seats, list(entries), digests, start)


def _kept(row: GameRow, what: str, work: Callable[[], T]) -> T:
    """Return the result of ``work``, which calls the ruleset, within the limit for closing a turn.  Raises Failed."""
    try:
        return WATCHDOG.call(TURN_SECONDS, work, Caller(row.id, row.ruleset))
    except Exception as error:
        raise Failed(f"{row.name}: ruleset {row.ruleset} fails at {what}: {why_it_failed(error)}") from error


def _order_again(row: GameRow, rules: Ruleset[Any], state: State[Any], entry: JournalEntry) -> None:
    try:
        again(rules, state, entry)
    except Exception as error:
        raise Failed(
            f"{row.name}: journal entry {entry.number} ({entry.kind}, turn {entry.turn}) cannot be applied: "
            f"{type(error).__name__}: {error}"
        ) from None


def _compare(row: GameRow, digests: dict[int, str], advanced: Advanced[Any]) -> None:
    turn = advanced.state.turn
    recorded = digests.get(turn)
    if recorded is None:
        raise Failed(f"{row.name}: turn {turn} was run again with digest {advanced.digest}, but none is recorded")
    if recorded != advanced.digest:
        raise Failed(
            f"{row.name}: turn {turn} differs: recorded digest {recorded}, run again {advanced.digest} (ruleset "
            f"{row.ruleset}, version {row.ruleset_version})"
        )
    say(f"turn {turn:>4}  {advanced.digest}")


# --- check --games ----------------------------------------------------------------------------------------------------


def check_games(options: argparse.Namespace) -> int:
    """Try all games, or those that ``options.ruleset`` names: a game, or a ruleset.

    Print a line for each; raise Failed if one cannot go on, or if there is none of that name.
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


def _version(source: ReadOnly, row: GameRow) -> int:
    """Return the version that saved a game; in a database of an older tpserver only the snapshot tells it."""
    snapshot = source.read(stored_snapshots.newest, row.id)
    return row.ruleset_version if snapshot is None else int(snapshot.state["version"])


def _tried(source: ReadOnly, row: GameRow, rulesets: Rulesets) -> str:
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
