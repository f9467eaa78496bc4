"""Replay of a stored game from its journal, with a check of its digests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tprules.api import Ruleset
from tprules.api.advance import Advanced, advance, concluded, load_state, opening, taken_back
from tprules.api.order_checks import State
from tpserver.games.core.next_turn import outcome_from
from tpserver.games.stored.compat import too_new
from tpserver.games.stored.loader import again
from tpserver.rules.call_limits import TURN_SECONDS, WATCHDOG, Caller, why_it_failed
from tpserver.rules.discovery import Rulesets, UnknownRuleset
from tpserver.store import JournalEntry, Transaction
from tpserver.store.games import journal as stored_journal
from tpserver.store.games import rows as stored_games
from tpserver.store.games import snapshots as stored_snapshots
from tpserver.store.games.history import Way
from tpserver.store.games.journal import ORDER_KINDS
from tpserver.store.games.rows import GameRow
from tpserver.store.games.snapshots import Snapshot

T = TypeVar("T")


class ReplayError(Exception):
    """A game cannot be replayed, or becomes another one; the message is one sentence with the place."""


@dataclass(frozen=True)
class Recording:
    """Journal and digests of a stored game.

    ``start`` is the newest snapshot by another version of the ruleset than the installed one; None if there is none.
    Only later turns can be replayed. ``entries`` is the journal from there on.
    """

    row: GameRow
    seats: int
    entries: Sequence[JournalEntry]
    digests: Mapping[int, str]
    start: Snapshot | None = None
    before: Snapshot | None = None
    """The snapshot of the turn before ``start``, to which players may have gone back."""


def read_recorded(connection: Transaction, name: str, rulesets: Rulesets) -> tuple[Ruleset[Any], Recording]:
    """Return the installed ruleset of the game of this name, and its recording. Raises ReplayError."""
    row = stored_games.by_name(connection, name)
    if row is None:
        known = ", ".join(sorted(other.name for other in stored_games.all(connection))) or "none"
        raise ReplayError(f"there is no game {name!r} (games: {known})")
    try:
        rules = rulesets.named(row.ruleset)
    except UnknownRuleset as error:
        raise ReplayError(f"{row.name} cannot be replayed: {error}") from None
    versions = stored_snapshots.versions(connection, row.id)
    if problem := too_new(replace(row, ruleset_version=versions[-1][1]), rules):
        raise ReplayError(problem)
    others = [turn for turn, version in versions if version != rules.version]
    start = stored_snapshots.by_turn(connection, row.id, others[-1]) if others else None
    entries = stored_journal.after(connection, row.id, 0 if start is None else start.journal_number)
    seats = len(stored_games.seats(connection, row.id))
    digests = dict(stored_snapshots.digests(connection, row.id))
    before = None if start is None else stored_snapshots.by_turn(connection, row.id, start.turn - 1)
    return rules, Recording(row, seats, list(entries), digests, start, before)


@dataclass(frozen=True)
class Replayed:
    """A replayed game: its last state, and a sentence without subject about the replay."""

    done: str
    state: State[Any]


def run_again(rules: Ruleset[Any], recorded: Recording, say: Callable[[str], object] = lambda line: None) -> Replayed:
    """Replay a recording.

    ``say`` gets a line for each turn. Raises ReplayError at the first difference, naming the turn and both digests.
    """
    row, turns, start = recorded.row, 0, recorded.start
    if start is None:
        advanced = _kept(row, "the opening", lambda: opening(rules, row.options, recorded.seats, row.seed))
        _compare(row, recorded.digests, advanced, say)
        state, data = advanced.state, advanced.data
    else:
        data = start.state
        say(
            f"{row.name}: version {start.state['version']} of ruleset {row.ruleset} has saved turn {start.turn}, and "
            f"version {rules.version} is installed; what comes after that turn is run again."
        )
        state = _kept(row, f"reading turn {start.turn}", lambda: load_state(rules, start.state))
    earlier = None if recorded.before is None else recorded.before.state
    for step in closings(rules, row, state, data, earlier, recorded.entries):
        _compare(row, recorded.digests, step.advanced, say)
        state = step.advanced.state
        turns += 1
    missing = sorted(set(recorded.digests) - set(range(state.turn + 1)))
    if missing:
        raise ReplayError(
            f"{row.name}: turn {missing[0]} is recorded, but no entry of the journal closes the one before it"
        )
    entries = len(recorded.entries)
    what = f"{turns} {'turn' if turns == 1 else 'turns'} and {entries} journal {'entry' if entries == 1 else 'entries'}"
    same = "every digest is the same" if turns or start is None else f"no turn is of version {rules.version} yet"
    return Replayed(f"{what} run again; {same}", state)


@dataclass(frozen=True)
class Step:
    """A repeated closing: its result, and the state at the begin of the turn before."""

    advanced: Advanced[Any]
    earlier: dict[str, Any]


def closings(
    rules: Ruleset[Any],
    row: GameRow,
    state: State[Any],
    data: dict[str, Any],
    earlier: dict[str, Any] | None,
    entries: Iterable[JournalEntry],
) -> Iterator[Step]:
    """Repeat the entries of a journal on a ``state``; yield each closing when it is done.

    The ``state`` is changed. ``data`` is the saved data at the start of its turn. ``earlier`` is that of the turn
    before, to which players may go back. Raises ReplayError.
    """
    for entry in entries:
        if entry.kind in ORDER_KINDS:
            _order_again(row, rules, state, entry)
        elif entry.kind == "close":
            if entry.turn != state.turn:
                raise ReplayError(
                    f"{row.name}: journal entry {entry.number} closes turn {entry.turn}, but the game is in turn "
                    f"{state.turn}"
                )
            advanced = _kept(row, f"turn {state.turn}", _step(rules, row, state, earlier, entry))
            earlier, data, state = data, advanced.data, advanced.state
            yield Step(advanced, earlier)


def way_again(rules: Ruleset[Any], row: GameRow, way: Way) -> Iterator[Step]:
    """Compute the turns of a way again, one at a time. Raises ReplayError, also if a digest differs."""
    start = way.start
    state = _kept(row, f"reading turn {start.turn}", lambda: load_state(rules, start.state))
    earlier = None if way.earlier is None else way.earlier.state
    for step in closings(rules, row, state, start.state, earlier, way.entries):
        _compare(row, way.digests, step.advanced, lambda line: None)
        yield step


def _step(
    rules: Ruleset[Any], row: GameRow, state: State[Any], earlier: dict[str, Any] | None, entry: JournalEntry
) -> Callable[[], Advanced[Any]]:
    """Return the effect of an entry of kind close on ``state``; ``earlier`` is the data of the turn before."""
    ending = outcome_from(entry.body.get("outcome"))
    if ending is not None:
        return lambda: concluded(rules, state, ending)
    if "back" not in entry.body:
        return lambda: advance(rules, state, row.seed)
    if earlier is None:
        raise ReplayError(f"{row.name}: journal entry {entry.number} takes back a turn that is not run again")
    return lambda: taken_back(rules, earlier, state)


def close_once_more(rules: Ruleset[Any], recorded: Recording, replayed: Replayed) -> None:
    """Close the current turn of a suspended game again, in memory only. Raises ReplayError."""
    row, state = recorded.row, replayed.state
    _kept(row, f"turn {state.turn}", lambda: advance(rules, state, row.seed))


def _kept(row: GameRow, what: str, work: Callable[[], T]) -> T:
    """Return the result of ``work``, which calls the ruleset, within the limit for closing a turn."""
    try:
        return WATCHDOG.call(TURN_SECONDS, work, Caller(row.id, row.ruleset))
    except Exception as error:
        raise ReplayError(f"{row.name}: ruleset {row.ruleset} fails at {what}: {why_it_failed(error)}") from error


def _order_again(row: GameRow, rules: Ruleset[Any], state: State[Any], entry: JournalEntry) -> None:
    try:
        again(rules, state, entry)
    except Exception as error:
        raise ReplayError(
            f"{row.name}: journal entry {entry.number} ({entry.kind}, turn {entry.turn}) cannot be applied: "
            f"{type(error).__name__}: {error}"
        ) from None


def _compare(row: GameRow, digests: Mapping[int, str], advanced: Advanced[Any], say: Callable[[str], object]) -> None:
    turn = advanced.state.turn
    recorded = digests.get(turn)
    if recorded is None:
        raise ReplayError(f"{row.name}: turn {turn} was run again with digest {advanced.digest}, but none is recorded")
    if recorded != advanced.digest:
        raise ReplayError(
            f"{row.name}: turn {turn} differs: recorded digest {recorded}, run again {advanced.digest} (ruleset "
            f"{row.ruleset}, version {row.ruleset_version})"
        )
    say(f"turn {turn:>4}  {advanced.digest}")
