"""A game in memory: settings, state, players, and unsaved changes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, TypeVar

from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import Oid, Outcome, Ruleset, Seat, with_names
from tprules.api.order_checks import State
from tprules.api.ruleset import find_phase
from tpserver import __version__
from tpserver.games.core.message_board import Board
from tpserver.games.core.old_views import Past
from tpserver.games.core.player import Player
from tpserver.games.core.saving import Saving
from tpserver.games.core.scores import Standing
from tpserver.games.core.time_left import TimeLeft
from tpserver.games.core.turn_counts import TurnCounts
from tpserver.games.core.views import Plain, View
from tpserver.games.terms.anonymity import hides, seat_name, taken_for
from tpserver.games.terms.clock import Clock
from tpserver.games.terms.seat_policy import WAITS_FOR_ALL, SeatPolicy
from tpserver.rules.call_limits import Caller
from tpserver.rules.descriptions import Description, InCommon
from tpserver.store.games import changes as stored_changes
from tpserver.store.games import rows as stored_games
from tpserver.store.games.boards import Delivery, Listed
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.journal import JournalEntry
from tpserver.store.games.proposals import Proposal
from tpserver.store.games.rows import GameRow
from tpserver.store.idempotency import beside

T = TypeVar("T")
log = Logger()


class Phase(NamedTuple):
    """The active seats and the title of a phase; a new object for each turn."""

    active: list[Seat]
    title: str


MOST_ORDER_ENTRIES = 1000

RESIGN = "resign"
"""The kind of proposal with which a player resigns. It takes effect at once."""


class Subscriber(Protocol):
    """A connection to a game, which is notified of the time left."""

    def time_left(self, left: TimeLeft) -> None: ...

    def game_reloaded(self, game: Game) -> None: ...

    def game_deleted(self, name: str) -> None: ...

    def game_moved(self, name: str) -> None: ...


class GameObserver(Protocol):
    """Interface of the registry that a game in memory needs."""

    def in_use(self, game: Game) -> None:
        """Called before each change. A game that has left memory but is still referenced returns to it."""

    def due_given(self, game: Game) -> None:
        """Called after each change of the due time of the turn."""

    def broke(self, game: Game, error: Exception, doing: str) -> None:
        """Called once for each ``Game.fault``."""

    def reload(self, game: Game, failure: Failure) -> None:
        """Called for each change that could not be saved."""


@dataclass(eq=False)
class Game:
    """One game. Used on the reactor's thread only."""

    row: GameRow
    rules: Ruleset[Any]
    description: Description
    """Shared with other games of the ruleset."""
    clock: Clock
    state: State[Any]
    players: list[Player]
    title_before_start: str = ""
    """The title before the start; empty: the number of players who have joined."""
    saving: Saving = field(default_factory=Saving)
    observer: GameObserver | None = None
    """The registry that has loaded the game; None for a read-only game."""
    policy: SeatPolicy = WAITS_FOR_ALL
    digest: str = ""
    outcome: Outcome | None = None
    finished: frozenset[Seat] = frozenset()
    banks: dict[Seat, float] = field(default_factory=dict)
    """The seconds in the time bank of each seat as the turn began. A missing seat has the initial amount."""
    used: dict[Seat, float] = field(default_factory=dict)
    """The seconds of their time banks that seats had used when they finished this turn; 0 for a missing seat."""
    counts: TurnCounts = field(default_factory=TurnCounts)
    waited: dict[Seat, float] = field(default_factory=dict)
    """The seconds for which turns of this game have waited for each seat on vacation; 0 for a missing seat."""
    can_go_back: bool = False
    """True if the last closing revealed nothing, so that it can be undone."""
    resigned: frozenset[Seat] = frozenset()
    """Seats of players who have resigned: turns do not wait for them, and they are last at the end."""
    proposals: list[Proposal] = field(default_factory=list)
    """Proposals of the players, the oldest first (`tpserver.games.seats.proposals`)."""
    paused_by_players: bool = False
    """True if the players or the owner have paused the game, False if the operator has."""
    views: dict[Seat | None, View] = field(default_factory=dict)
    past: defaultdict[Seat | None, Past] = field(default_factory=lambda: defaultdict(Past))
    """Earlier views and queues by seat (None: spectators), as far as a connection still reads them."""
    projected: tuple[Plain, ...] = ()
    """Common part of all views, with which the next projection is compared; empty before the start."""
    descriptions: dict[tuple[str, int], dict[int, bytes]] = field(default_factory=dict)
    """Encoded descriptions by id, by dialect and frame number. They are created on the first request."""
    boards: dict[int, Board] = field(default_factory=dict)
    spectators: Board = field(init=False)
    """The board of the spectators' messages to each other (`games.service.spectators`).

    Its number follows that of the last seat. Its senders are accounts.
    """
    subscribers: set[Subscriber] = field(default_factory=set)
    delay: int = 0
    """Turns by which all connections to this object see the game later.

    It is 0 for the present turn, after the end of the game, and for a view of the turn history.
    """
    newest: int = 0
    """The players' current turn while spectators watch an earlier one; it is public."""
    turn_began: float = 0.0
    """Time when the current turn began, in unix seconds."""
    server_began: tuple[float, float] = (0.0, 0.0)
    """Time when the server began, and the seconds of downtime before it, in which no player could act."""
    first_stamp: int = 0
    """The last order stamp assigned before this turn began."""
    closing: bool = False
    """True while a turn is being computed and no orders are accepted."""
    last_entry: int = 0
    """The number of the newest journal entry."""
    snapshot_entry: int = 0
    """The number of the last journal entry contained in the newest snapshot."""
    order_entries: int = 0
    """The number of entries about orders after that one."""
    reordered: dict[Oid, Seat] = field(default_factory=dict)
    """Objects whose order queues have changed since the newest snapshot, with their seats."""
    most_entries: int = MOST_ORDER_ENTRIES
    """The number of entries about orders at which compaction is considered."""
    has_no_scores: bool = False
    """True if the rules are not called for scores and regions: they failed before, or the turn is an old one."""
    fault: tuple[Exception, str] | None = None
    """Error and failed action of the rules. They are not called again until the operator resumes the game."""
    last_used: float = 0.0
    """Time of the last request or change, by a monotonic clock."""
    at_rest: tuple[str, float | None] | None = None
    """`GameRow.resting` and ``wake`` as stored; None after a change in memory.

    ``row`` of a game in memory has neither.
    """
    clock_ran: float | None = None
    """For a game loaded from hibernation: the last time at which its clock surely ran. The first change saves it."""
    steady: Callable[[], float] = time.monotonic
    """A monotonic clock, in seconds."""
    too_slow: dict[Seat, float] = field(default_factory=dict)
    """The time by ``steady`` until which the rules are not called for a seat, as a call for it exceeded its limit."""
    caller: Caller = field(init=False)
    """Caller of this game's rules, for the call limits."""
    in_common: InCommon = field(init=False)
    """A reference that is never called. The shared data of a ruleset is dropped with its last game."""
    known_phase: tuple[State[Any], Phase] | None = None
    """The phase of a state, as the ruleset has it (`games.core.phases`)."""
    known_time: tuple[TimeLeft, frozenset[Seat], Phase | None] | None = None
    """Last response with the time remaining, and all its inputs except the clock (`games.core.time_notices`)."""
    known_standings: tuple[State[Any], dict[Seat | None, Standing]] | None = None
    """Scores and regions in a state, by seat (`games.core.current_scores`)."""

    def __post_init__(self) -> None:
        self.spectators = Board(len(self.players) + 1, int(self.row.created))
        self.in_common = self.description.in_common()
        self.caller = Caller(self.row.id, self.row.ruleset)

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def started(self) -> bool:
        return self.row.started is not None

    @property
    def over(self) -> bool:
        return self.row.state == "over"

    @property
    def hides_players(self) -> bool:
        """True while the link between players and seats is hidden (`tpserver.games.terms.anonymity`)."""
        return hides(self.row)

    @property
    def hides_seats(self) -> bool:
        """True while only the number of taken seats is shown."""
        return self.hides_players and not self.started

    @property
    def mark(self) -> str:
        """Identifies the versions of server and ruleset. An object may look different in other versions."""
        return f"{__version__} {self.rules.name} {self.rules.version}"

    @property
    def modtime(self) -> int:
        """Time when the game was created, in unix seconds.

        It is the modification time of everything that never changes in the game.
        """
        return int(self.row.created)

    def player_time(self, seat: Seat) -> int:
        """Return the modification time of a seat's player.

        It is the latest of several times: the player joined or was renamed, the game started, or another player took
        the seat.
        """
        player = self.players[seat]
        since = max(one.since for one in self.players) if self.hides_seats else player.since
        return max(since, int(self.row.started or 0), player.record.since)

    def next_player_time(self, seat: Seat, now: float) -> int:
        """Return the modification time of a seat's player that changes ``now``.

        It is later than any time that clients already know, so that they notice two changes in one second.
        """
        told = self.players_told() if self.started else self.player_time(seat)
        return max(int(now), told + 1)

    def players_told(self) -> int:
        """Return the time from which a client is to request further players.

        Before the start it is one second before the newest, as another player may join in the same second. A repeated
        player is better than a missing one.
        """
        newest = max(self.player_time(player.seat) for player in self.players)
        return newest if self.started else newest - 1

    def viewers(self) -> list[Seat | None]:
        """Return the viewers with a projected view: all seats, and None for spectators after the first one."""
        return [*(player.seat for player in self.players), *([None] if None in self.views else [])]

    def show(self, views: Mapping[Seat | None, View], now: float) -> None:
        """Set the views of the present turn."""
        for seat, old in self.views.items():
            new = views.get(seat)
            if new is not old:
                self.past[seat].replaced(old, new, self.state.turn, now)
        self.views = dict(views)

    def player(self, number: int) -> Player | None:
        """Return the player with a number (seat + 1); None for an unknown number or an open seat."""
        found = self.players[number - 1] if 1 <= number <= len(self.players) else None
        return found if found is not None and found.name else None

    def taken_for(self, seat: Seat | None) -> frozenset[Seat]:
        """Return the seats that are shown as taken to a seat (None: to others)."""
        taken = frozenset(player.seat for player in self.players if player.name)
        return taken_for(len(self.players), len(taken), seat) if self.hides_seats else taken

    def name_for(self, seat: Seat, to: Seat | None) -> str:
        """Return the name of a seat's player as shown to a seat (None: to others); empty if the seat is open."""
        if self.hides_seats:
            return seat_name(seat) if seat in self.taken_for(to) else ""
        return self.players[seat].name

    def called(self, seat: Seat, name: str) -> str:
        """Return the public name of a new player of a seat; ``name`` is empty for an open seat."""
        return seat_name(seat) if self.hides_players and name else name

    def name_of(self, seat: Seat) -> str:
        """Return the name of a seat's player."""
        player = self.player(seat + 1)
        return seat_name(seat) if player is None else player.name

    def text(self, text: str) -> str:
        """Return a ruleset's text with the players' names filled in."""
        return with_names(text, self.name_of)

    def seat_of(self, account: int) -> Seat | None:
        """Return the seat of an account; None if it has none."""
        return next((player.seat for player in self.players if player.account == account), None)

    def open_seats(self) -> list[Seat]:
        return [player.seat for player in self.players if not player.name]

    def roll_is_called(self) -> bool:
        """Return whether the game starts after a roll call, which ends at ``row.due``."""
        return not self.started and self.row.state == "waiting" and self.row.due is not None

    @property
    def is_held(self) -> bool:
        """True if the rules failed, so that the game waits for the operator."""
        return self.row.state == "held"

    @property
    def turn_clock(self) -> Clock:
        """The clock of the present turn."""
        return self.clock.of_group(find_phase(self.rules, self.state.phase).clock_group)

    def forget_player(self, seat: Seat) -> None:
        """Reset the time bank and the counts of a seat, as another player takes it."""
        for seconds in (self.banks, self.used, self.waited):
            seconds.pop(seat, None)
        self.counts.forget_player(seat)

    def deliver(self, delivered: Delivery, now: float) -> None:
        """Put messages in the players' boards."""
        for note in delivered.notes:
            self.boards[note.board].replace_up_to(note)
        for message in delivered.messages:
            board = self.boards[message.board]
            board.put(Listed(message.board, message.number, message.sender, message.size))
            board.touch(int(now))

    def entry(self, kind: str, seat: Seat | None, body: Any, at: float) -> JournalEntry:
        """Return the next entry of the game's journal."""
        self.last_entry += 1
        return JournalEntry(self.row.id, self.last_entry, self.state.turn, at, seat, kind, body)

    def propose(self, proposals: list[Proposal]) -> None:
        """Set the proposals, and with them the players who have resigned."""
        self.proposals = proposals
        self.resigned = frozenset(one.seat for one in proposals if one.kind == RESIGN and one.seat is not None)
        self.known_time = None

    def append(self, entry: JournalEntry) -> None:
        """Save a journal entry; ``saving.when_durable`` waits for it."""
        if waking := self._waking():
            with beside():  # it is saved before the entry, and may be saved without it
                self.saving.save(stored_games.set_awake, self.row.id, waking).addErrback(self._not_saved)
        self.saving.append(entry).addErrback(self._not_saved)

    def commit(self, changes: GameChanges, now: float) -> None:
        """Apply the changes of the row and the boards to this object, and save all changes in one transaction.

        No response about the game is sent before that is done: ``saving.when_durable`` waits for it.
        """
        columns = {**self._waking(), **changes.columns}
        stored = replace(changes, columns=columns, at=now)
        self.saving.save(stored_changes.save, self.row.id, stored).addErrback(self._not_saved)
        if changes.columns:
            self.row = replace(self.row, **changes.columns)
        if "due" in changes.columns and self.observer is not None:
            self.observer.due_given(self)
        for proposal in changes.proposals:
            self.propose([*(one for one in self.proposals if one.number != proposal.number), proposal])
        if changes.delivery is not None:
            self.deliver(changes.delivery, now)

    def _waking(self) -> dict[str, Any]:
        """Return the columns that the first change of a hibernated game resets."""
        if self.observer is not None:
            self.observer.in_use(self)
        if self.at_rest is None:
            return {}
        self.at_rest = None
        return {**stored_games.AWAKE, "ran": self.clock_ran}

    def _not_saved(self, failure: Failure) -> None:
        if self.observer is not None:
            self.observer.reload(self, failure)


def durable(game: Game) -> Deferred[None]:
    """Return a Deferred that fires when the store holds everything that ``game`` shows."""
    return game.saving.when_durable() or succeed(None)
