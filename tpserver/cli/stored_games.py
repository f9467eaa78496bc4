"""``tpserver replay``: runs a game's journal again from its opening and compares the digest of every turn."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tprules.api import Ruleset
from tprules.api.advance import Advanced, advance, load_state, opening
from tprules.api.order_checks import State
from tpserver.admin.offline import has_data, store_url
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say
from tpserver.config import Config
from tpserver.games.restoring import again
from tpserver.games.versions import too_new
from tpserver.rules.discovery import Rulesets, UnknownRuleset, discover
from tpserver.rules.watchdog import TURN_SECONDS, WATCHDOG, Caller, why_it_failed
from tpserver.store import JournalEntry, Store, StoreError, Transaction
from tpserver.store import games as stored_games
from tpserver.store import journal as stored_journal
from tpserver.store import snapshots as stored_snapshots
from tpserver.store.database import Reader, ReadOnly
from tpserver.store.games import GameRow
from tpserver.store.journal import ORDER_KINDS
from tpserver.store.snapshots import Snapshot

T = TypeVar("T")


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
    be_quiet()
    config = config_of(options)
    rulesets = discover()
    try:
        if not has_data(config):
            raise Failed(f"there is no data in {config.server.data} yet; --data names another directory")
        with closing(_source(config)) as source:
            rules, recorded = source.read(_recorded, options.name, rulesets)
    except StoreError as error:
        raise Failed(error.sentence) from None
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


def _source(config: Config) -> Reader:
    """Open the store for reading: with its lock if it is free, else without it beside the running server."""
    url = store_url(config)
    try:
        return Store.open(url, reactor=None)
    except StoreError as error:
        if error.code != "in-use":
            raise
    return ReadOnly(url)


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
