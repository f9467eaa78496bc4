"""Promises of the server, compared with its database after a kill.

For each game there is a second, undisturbed game in this process. It gets the orders that clients sent and the server
acknowledged, in the server's order, through the full checks of the rules. The pure `advance` closes its turns.
Everything in the database must equal it: each journal entry, snapshot, digest and report.

A promise is open if the server was killed before it answered. Only then may the change be in the database or not.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter, deque
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine
from sqlalchemy import text as sql

from tests.support.stored import all_messages
from tprules.api import Refusal, Report, Ruleset, digest, order_checks, parse_options, with_names
from tprules.api.advance import Advanced, advance, named_seats, opening
from tprules.api.ruleset import find_phase, to_stored_order
from tpserver.games.core.next_turn import default_ending
from tpserver.games.core.time_left import END_OF_TURN
from tpserver.games.turns.punctuality import not_waited_for
from tpserver.store.games import boards as stored_boards
from tpserver.store.games import journal as stored_journal
from tpserver.store.games import rows as stored_games
from tpserver.store.games import snapshots as stored_snapshots
from tpserver.store.games import summaries as stored_summaries
from tpserver.store.games.boards import StoredMessage
from tpserver.store.games.journal import JournalEntry

PAUSED = Report(None, "The game is paused", "The operator has stopped the clock; orders are still taken.")
RESUMED = Report(None, "The game goes on", "The operator lets the clock run again.")


TIME_RAN_OUT = not_waited_for([0])[0].subject

KEPT = "kept_journal"
"""A table of ours in the server's database, with what its journal had and has no more."""


class Violation(Exception):
    """The server has not kept a promise, or has done something half."""


@dataclass(eq=False)
class Promise:
    """Something that was asked for: kind is insert, remove, finished, post or tidy, or the operator's pause and resume.

    `began` and `ended` are the turns that the client knew of when it asked and when the answer came.
    """

    kind: str
    body: tuple[Any, ...]
    began: int
    ended: int | None = None
    """None: no answer yet."""


def said_again(promise: Promise, seat: int | None, marks: Container[tuple[int, int | None]]) -> bool:
    """Return True if a seat finished the turn that it had finished already, which changes nothing."""
    last = promise.began if promise.ended is None else promise.ended
    return promise.kind == "finished" and any((turn, seat) in marks for turn in range(promise.began, last + 1))


@dataclass
class SeatLedger:
    """Promises to one seat."""

    orders: deque[Promise] = field(default_factory=deque)
    """Insertions, removals and finished marks since the last look, as they were sent; none that was refused."""
    posts: deque[Promise] = field(default_factory=deque)
    """Letters to others since the last look."""
    tidied: deque[Promise] = field(default_factory=deque)
    """Removals of the oldest message of the seat's board since the last check."""

    def take(self, promise: Promise) -> None:
        self._queue(promise).append(promise)

    def refuse(self, promise: Promise) -> None:
        self._queue(promise).remove(promise)

    def _queue(self, promise: Promise) -> deque[Promise]:
        return {"post": self.posts, "tidy": self.tidied}.get(promise.kind, self.orders)


@dataclass
class BoardLedger:
    """A board as it should be: what was ever put on it, by number of the message."""

    last: int = 0
    """The number of the newest message at the last look."""
    gone: int = 0
    """The number of the oldest messages that were removed."""
    known: dict[int, StoredMessage] = field(default_factory=dict)
    reports: list[tuple[int, str, str]] = field(default_factory=list)
    """Turn, subject and body of every report since the beginning."""
    reports_seen: int = 0
    letters: int = 0
    """The known number of players' messages put on it."""


@dataclass(frozen=True)
class Setting:
    """The settings with which a game is made."""

    name: str
    ruleset: str
    seats: int
    seed: str
    clock: str
    options: Mapping[str, Any]


class GameLedger:
    """One game: the undisturbed one beside what the database has."""

    def __init__(self, setting: Setting, rules: Ruleset[Any], tally: Counter[str]) -> None:
        self.setting = setting
        self.rules = rules
        self.tally = tally
        self.seed = setting.seed.encode()
        options = parse_options(rules.options, setting.options)
        opened = opening(rules, options, setting.seats, self.seed)
        self.state = opened.state
        self.opened = opened
        self.desks = [SeatLedger() for _ in range(setting.seats)]
        self.operator = SeatLedger()
        self.paused = False
        self.boards = {seat + 1: BoardLedger() for seat in range(setting.seats)}
        self.finished: set[int] = set()
        self.marks: set[tuple[int, int]] = set()
        """Turn and seat of every finished mark."""
        self.names: dict[int, str] = {}
        self.started = False
        self._aligned: dict[int, Promise] = {}
        """By number of an entry: the promise that it keeps, where that is not just the next one."""
        self.last_entry = 0
        self.id = 0

    @property
    def over(self) -> bool:
        return self.state.over

    def fail(self, what: str) -> None:
        raise Violation(f"game {self.setting.name}, turn {self.state.turn}: {what}")

    # --- the journal ----------------------------------------------------------------------------------------------

    def audit(self, connection: Connection) -> None:
        """Hold everything new in the database against what is owed. Call it when no request is on its way."""
        row = stored_games.by_name(connection, self.setting.name)
        if row is None:
            self.fail("the game is not there any more")
        assert row is not None
        self.id = row.id
        entries = [*stored_journal.after(connection, self.id, self.last_entry), *self._replaced(connection)]
        entries.sort(key=lambda entry: entry.number)
        digests = dict(stored_snapshots.digests(connection, self.id))
        if 0 in digests and digests[0] != self.opened.digest:
            self.fail("the opening has another digest than the undisturbed game")
        self._align(entries)
        for entry in entries:
            if entry.number != self.last_entry + 1:
                self.fail(f"journal entry {self.last_entry + 1} is missing, {entry.number} is there")
            self.last_entry = entry.number
            self._follow(entry, connection)
        for seat, desk in [*enumerate(self.desks), (None, self.operator)]:
            self._settle(seat, desk)
        if sorted(digests) != list(range(self.state.turn + 1)):
            self.fail(f"there are snapshots of the turns {sorted(digests)[-3:]}, and {len(digests)} in all")
        newest = stored_snapshots.newest(connection, self.id)
        assert newest is not None
        if digest(newest.state) != newest.digest:
            self.fail("the newest snapshot does not have the digest that is written beside it")
        state = "over" if self.over else "paused" if self.paused else "running" if self.started else "waiting"
        if (row.turn, row.state) != (self.state.turn, state):
            self.fail(f"the game says turn {row.turn}, {row.state}, and should say {state}")
        self._audit_boards(connection)

    def _replaced(self, connection: Connection) -> list[JournalEntry]:
        """Return the new entries that one of kind queues has replaced, which the trigger of `Database` has kept."""
        rows = connection.execute(
            sql(f"SELECT game, number, turn, at, seat, kind, body FROM {KEPT} WHERE game = :game AND number > :number"),
            {"game": self.id, "number": self.last_entry},
        )
        return [JournalEntry(*row[:-1], json.loads(row[-1])) for row in rows]

    def _follow(self, entry: JournalEntry, connection: Connection) -> None:
        if entry.kind == "seat":
            assert entry.seat is not None
            self.names[entry.seat] = entry.body["name"]
        elif entry.kind == "start":
            self.started = True
            title = self.rules.title or self.rules.name
            welcome = Report(None, "Welcome", f"Welcome to {self.setting.name}, a game of {title}.")
            self._report([welcome, *self.opened.reports])
        elif entry.kind in ("insert", "remove", "finished"):
            promise = self._owed(entry)
            if promise.ended is None:
                self.tally["in flight, found"] += 1
            elif not promise.began <= entry.turn <= promise.ended:
                self.fail(f"entry {entry.number} is of turn {entry.turn}, but was asked and answered "
                          f"in the turns {promise.began} to {promise.ended}")  # fmt: skip
            if entry.kind == "finished":
                self._mark(entry)
            else:
                self._order(entry, promise)
        elif entry.kind == "queues":
            shown = [[on, [order.dump() for order in queue]] for on, queue in sorted(self.state.queues.items())]
            if (entry.body["stamp"], entry.body["queues"]) != (self.state.stamp, json.loads(json.dumps(shown))):
                self.fail(f"entry {entry.number} has the queues {entry.body}, not {shown} and {self.state.stamp}")
            self.tally["journals made shorter"] += 1
        elif entry.kind == "close":
            self._close(entry, advance(self.rules, self.state, self.seed), connection)
        elif entry.kind in ("pause", "resume"):
            promise = self._owed(entry)
            self.paused = entry.kind == "pause"
            self._report([PAUSED if self.paused else RESUMED])
            self.tally["in flight, found" if promise.ended is None else "pauses and resumptions"] += 1
        else:
            self.fail(f"entry {entry.number} is of the kind {entry.kind}, for which nobody asked")

    def _align(self, entries: list[JournalEntry]) -> None:
        """Find which promises of a seat the new entries keep, where some are open and may be as others that came later.

        Nothing is noted if the entries cannot be what was promised: `_owed` finds out at which one.
        """
        self._aligned = {}
        for seat, desk in enumerate(self.desks):
            promises = list(desk.orders)
            if all(promise.ended is not None for promise in promises):
                continue
            mine = [one for one in entries if one.seat == seat and one.kind in ("insert", "remove", "finished")]
            marks = self.marks | {(one.turn, seat) for one in mine if one.kind == "finished"}
            may_lack = [promise.ended is None or said_again(promise, seat, marks) for promise in promises]
            # fits[e][p]: the entries from e on can be those of the promises from p on.
            fits = [[False] * (len(promises) + 1) for _ in range(len(mine) + 1)]
            fits[-1][-1] = True
            for e in range(len(mine), -1, -1):
                for p in range(len(promises) - 1, -1, -1):
                    kept = e < len(mine) and fits[e + 1][p + 1] and self._is_kept_by(promises[p], mine[e])
                    fits[e][p] = kept or (may_lack[p] and fits[e][p + 1])
            p = 0
            for e, entry in enumerate(mine if fits[0][0] else []):
                while not (fits[e + 1][p + 1] and self._is_kept_by(promises[p], entry)):
                    p += 1
                self._aligned[entry.number] = promises[p]
                p += 1

    def _owed(self, entry: JournalEntry) -> Promise:
        """The promise that an entry keeps: the first of the seat, or one after open ones that were lost."""
        waiting = (self.operator if entry.seat is None else self.desks[entry.seat]).orders
        aligned = self._aligned.get(entry.number)
        while waiting:
            promise = waiting.popleft()
            if promise is aligned or (aligned is None and self._is_kept_by(promise, entry)):
                return promise
            if self._is_said_again(promise, entry.seat):
                continue
            if promise.ended is not None:
                self.fail(f"{promise} of seat {entry.seat} was acknowledged, but the journal has {entry} in its place")
            self.tally["in flight, not found"] += 1
        self.fail(f"nobody asked for {entry}")
        raise AssertionError

    @staticmethod
    def _is_kept_by(promise: Promise, entry: JournalEntry) -> bool:
        if promise.kind != entry.kind:
            return False
        if promise.kind == "insert":
            return (promise.body[0], promise.body[1], promise.body[2]) == (entry.body[0], entry.body[1], entry.body[2])
        if promise.kind == "remove":
            return list(promise.body) == list(entry.body)
        # One of an earlier turn, said when the seat was done already, is not kept by the mark of the next turn.
        return promise.kind != "finished" or promise.ended is None or entry.turn <= promise.ended

    def _is_said_again(self, promise: Promise, seat: int | None) -> bool:
        return said_again(promise, seat, self.marks)

    def _mark(self, entry: JournalEntry) -> None:
        assert entry.seat is not None
        self.marks.add((entry.turn, entry.seat))
        if entry.turn == self.state.turn:
            if entry.seat in self.finished:
                self.fail(f"entry {entry.number} marks seat {entry.seat} a second time")
            self.finished.add(entry.seat)

    def _order(self, entry: JournalEntry, promise: Promise) -> None:
        """Do in the undisturbed game what the client asked for, through all checks."""
        assert entry.seat is not None
        if entry.turn != self.state.turn:
            self.fail(f"entry {entry.number} is of turn {entry.turn}")
        try:
            if entry.kind == "insert":
                on, name, arguments, slot = promise.body
                change = order_checks.insertion(self.rules, self.state, entry.seat, on, name, arguments, slot)
                stored = to_stored_order(self.rules, change.order)
                written = [on, name, dict(stored.args), stored.draft, change.slot]
            else:
                on, slot = promise.body
                change = order_checks.removal(self.rules, self.state, entry.seat, on, slot)
                written = [on, slot]
        except Refusal as refusal:
            self.fail(f"the undisturbed game refuses {promise}: {refusal.text}")
            raise AssertionError from refusal
        if entry.body != written:
            self.fail(f"entry {entry.number} has {entry.body}, not {written}")
        order_checks.apply(self.state, change)
        if promise.ended is not None:
            self.tally["orders inserted" if entry.kind == "insert" else "orders removed"] += 1

    def _close(self, entry: JournalEntry, advanced: Advanced[Any], connection: Connection) -> None:
        snapshot = stored_snapshots.by_turn(connection, self.id, advanced.state.turn)
        if snapshot is None:
            self.fail("the journal says that the turn was closed, but there is no snapshot of the next")
        assert snapshot is not None
        if snapshot.digest != advanced.digest:
            self.fail(f"the digest after the turn is {snapshot.digest}, undisturbed {advanced.digest}")
        if snapshot.journal_number != entry.number:
            self.fail(f"the snapshot says that it holds the journal to {snapshot.journal_number}, not {entry.number}")
        active = named_seats(find_phase(self.rules, self.state.phase).active(self.state.world))
        ran_out = entry.body["reason"] == END_OF_TURN and "operator" not in entry.body
        self.state = advanced.state
        late = self._late(active, connection) if ran_out else []
        self.finished = set()
        self._report([*not_waited_for(late), *advanced.reports, *default_ending(advanced)])
        self._summarized(connection)
        self.tally["turns"] += 1

    def _late(self, active: list[int], connection: Connection) -> list[int]:
        """The seats that had not finished when the time ran out.

        Marks that come while the turn is computed stand before its closing in the journal; of their seats it is both
        right to say that they had finished and that they had not, but of all seats the same.
        """
        (found,) = stored_summaries.between(connection, self.id, 0, self.state.turn, self.state.turn)
        told = {(one.subject, one.body) for one in found.reports}
        finished = [seat for seat in active if seat in self.finished]
        for number in range(len(finished) + 1):
            for belated in combinations(finished, number):
                late = [seat for seat in active if seat not in self.finished or seat in belated]
                said = {(one.subject, with_names(one.body, self.name_of)) for one in not_waited_for(late)}
                if said == {one for one in told if one[0] == TIME_RAN_OUT}:
                    return late
        self.fail(f"seats {sorted(self.finished)} of {active} had finished, but the summary says {sorted(told)}")
        raise AssertionError

    def _settle(self, seat: int | None, desk: SeatLedger) -> None:
        """Check the open promises after the whole journal was read: only requests in flight may be lost."""
        for promise in desk.orders:
            if self._is_said_again(promise, seat):
                continue
            if promise.ended is not None:
                self.fail(f"{promise} of seat {seat} was acknowledged and is not in the journal")
            self.tally["in flight, not found"] += 1
        desk.orders.clear()

    # --- boards ---------------------------------------------------------------------------------------------------

    def name_of(self, seat: int) -> str:
        return self.names.get(seat, f"Player {seat + 1}")

    def _summarized(self, connection: Connection) -> None:
        """Fail if the summary of the turn is not what its reports were, for one of the seats."""
        turn = self.state.turn
        for seat in range(self.setting.seats):
            (found,) = stored_summaries.between(connection, self.id, seat, turn, turn)
            told = [text for began, *text in self.boards[seat + 1].reports if began == turn]
            if [[one.subject, one.body] for one in found.reports] != told:
                self.fail(f"the summary of turn {turn} for seat {seat} has {found.reports}, not {told}")

    def _report(self, reports: list[Report]) -> None:
        for report in reports:
            text = with_names(report.subject, self.name_of), with_names(report.body, self.name_of)
            for seat in range(self.setting.seats) if report.to is None else [report.to]:
                self.boards[seat + 1].reports.append((self.state.turn, *text))

    def _audit_boards(self, connection: Connection) -> None:
        messages: dict[int, list[StoredMessage]] = {number: [] for number in self.boards}
        for message in all_messages(connection, self.id):
            messages[message.board].append(message)
        last = stored_boards.last_numbers(connection, self.id)
        for number, board in self.boards.items():
            self._audit_board(number, board, messages[number], last.get(number, 0))
        for desk in self.desks:
            desk.posts.clear()
            desk.tidied.clear()

    def _audit_board(self, number: int, board: BoardLedger, there: list[StoredMessage], last: int) -> None:
        numbers = [message.number for message in there]
        gone = last - len(there)
        if numbers != list(range(gone + 1, last + 1)):
            self.fail(f"board {number} has the messages {numbers} of {last}: not only the oldest are gone")
        self._audit_removals(number, board, gone)
        fresh = [message for message in there if message.number > board.last]
        for message in there:
            if message.number <= board.last and message != board.known[message.number]:
                self.fail(f"message {message.number} of board {number} has changed")
        reports = board.reports[len(board.reports) - sum(message.sender is None for message in there) :]
        shown = [(message.turn, message.subject, message.body) for message in there if message.sender is None]
        if shown != reports:
            self.fail(f"board {number} does not end with the reports of the turns: {shown[-3:]} for {reports[-3:]}")
        self._audit_letters(number, board, fresh, last)
        board.last = last
        board.known = {message.number: message for message in there}

    def _audit_removals(self, number: int, board: BoardLedger, gone: int) -> None:
        tidied = self.desks[number - 1].tidied
        acknowledged = sum(promise.ended is not None for promise in tidied)
        found = gone - board.gone - acknowledged
        if not 0 <= found <= len(tidied) - acknowledged:
            self.fail(f"{acknowledged} removals from board {number} were acknowledged, {gone - board.gone} were made")
        self.tally["messages removed"] += acknowledged
        self.tally["in flight, found"] += found
        self.tally["in flight, not found"] += len(tidied) - acknowledged - found
        board.gone = gone

    def _audit_letters(self, number: int, board: BoardLedger, fresh: list[StoredMessage], last: int) -> None:
        """Check each message to this board since the last check: acknowledged ones are there, in the sender's order."""
        new_reports = len(board.reports) - board.reports_seen
        board.reports_seen = len(board.reports)
        arrived = last - board.last - new_reports
        owed = open_ = 0
        visible = {message.subject for message in fresh if message.sender is not None}
        for seat, desk in enumerate(self.desks):
            mine = [post for post in desk.posts if post.body[0] == number or (post.body[3] and seat + 1 == number)]
            texts = {(promise.body[1], promise.body[2]) for promise in mine}
            shown = [message for message in fresh if message.sender == seat + 1]
            for message in shown:
                if (message.subject, message.body) not in texts:
                    self.fail(f"board {number} has a letter of seat {seat} that it did not write: {message.subject}")
                if [7, seat + 1] not in message.references:
                    self.fail(f"the letter {message.subject} does not say who wrote it")
            order = [promise.body[1] for promise in mine]
            if [message.subject for message in shown] != [subject for subject in order if subject in visible]:
                self.fail(f"the letters of seat {seat} on board {number} are not in the order in which they were sent")
            owed += sum(promise.ended is not None for promise in mine)
            open_ += sum(promise.ended is None for promise in mine)
            # With nothing removed meanwhile each acknowledged letter can be named.
            if board.gone <= board.last:
                for promise in mine:
                    if promise.ended is not None and promise.body[1] not in visible:
                        self.fail(f"the letter {promise.body[1]} was acknowledged and is not on board {number}")
        if not owed <= arrived <= owed + open_:
            self.fail(f"{owed} letters to board {number} were acknowledged and {open_} in flight; {arrived} arrived")
        board.letters += arrived
        self.tally["messages posted"] += owed
        self.tally["in flight, found"] += arrived - owed
        self.tally["in flight, not found"] += open_ - (arrived - owed)


class Database:
    """The server's database, read while it runs or not.

    Only a trigger is added, which keeps the entries that are removed from the journal. With them the ledger can check
    the entries in their place.
    """

    def __init__(self, path: Path) -> None:
        with contextlib.closing(sqlite3.connect(path, timeout=30.0)) as connection:
            connection.executescript(f"""
                CREATE TABLE IF NOT EXISTS {KEPT} AS SELECT * FROM journal WHERE 0;
                CREATE TRIGGER IF NOT EXISTS keep AFTER DELETE ON journal BEGIN
                    INSERT INTO {KEPT} SELECT old.game, old.number, old.turn, old.at, old.seat, old.kind, old.body;
                END;
            """)
        self._engine = create_engine(f"sqlite:///file:{path}?mode=ro&uri=true")

    def connect(self) -> Connection:
        """Return a connection that sees one state, whatever the server saves meanwhile."""
        connection = self._engine.connect()
        connection.exec_driver_sql("BEGIN")  # the driver begins none of its own for what only reads
        return connection

    def close(self) -> None:
        self._engine.dispose()
