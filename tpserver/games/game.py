"""One game in memory: its settings, its state, its players, and what is not durable yet."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar
from weakref import WeakMethod

from twisted.internet.defer import Deferred, fail, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import Oid, Outcome, Ruleset, Seat, with_names
from tprules.api.advance import named_seats
from tprules.api.appearance import fit_actions
from tprules.api.bots import has_bot
from tprules.api.order_checks import State
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver import __version__
from tpserver.games.anonymity import hides, seat_name, taken_for
from tpserver.games.boards import Board
from tpserver.games.clock import Clock, seconds_left
from tpserver.games.past import Past
from tpserver.games.seating import BOT, NO_RECORD, WAITS_FOR_ALL, SeatPolicy, SeatRecord, record_from
from tpserver.games.standing import NO_STANDING, Standing, Told, scores_of, standing_of
from tpserver.games.views import Plain, View
from tpserver.rules.descriptions import Description, InCommon
from tpserver.rules.watchdog import CHECK_SECONDS, WATCHDOG, Caller, Escaped, TooSlow, why_it_failed
from tpserver.store import GameStore, Transaction
from tpserver.store import game_changes as stored_changes
from tpserver.store import games as stored_games
from tpserver.store.boards import Delivery, Listed
from tpserver.store.done_requests import beside
from tpserver.store.errors import StoreError, not_saved
from tpserver.store.game_changes import GameChanges
from tpserver.store.games import GameRow, SeatRow
from tpserver.store.journal import JournalEntry
from tpserver.store.looks import NEVER, LastLook
from tpserver.store.proposals import Proposal
from tpserver.store.vacations import Vacation

T = TypeVar("T")
P = ParamSpec("P")
log = Logger()

LONGEST_TITLE = 200
"""Maximum characters of a turn's title; a ruleset's longer one is cut."""

_Phase = tuple[list[Seat], str]
"""The active seats and the title of a phase; another object for each turn."""

Reason = Literal[0, 1, 2, 3, 4, 5]
"""Why a TimeRemaining frame is sent (TP04, TimeRemaining): requested, timer started, warning, all finished, threshold
reached, end of turn started."""

REQUESTED: Reason = 0
TIMER_STARTED: Reason = 1
WARNING: Reason = 2
ALL_FINISHED: Reason = 3
THRESHOLD: Reason = 4
END_OF_TURN: Reason = 5


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The content of a TimeRemaining frame."""

    seconds: int
    reason: Reason
    turn: int
    title: str
    waiting: tuple[int, ...]
    """Numbers of the players who are awaited."""
    delay: int = 0
    """By how many turns this is shown later to whoever watches; 0: at once, or to a player."""
    present: int = 0
    """If there is a delay: the turn of the players."""
    encoded: dict[str, bytes] = field(default_factory=dict, compare=False, repr=False)
    """Cache: its payload by dialect."""


MOST_ORDER_ENTRIES = 1000

DAY = 86_400.0
BACK_SECONDS = DAY
"""Seconds that a player who comes back from a vacation still has for a turn that has waited."""

RESIGN = "resign"
"""The kind of proposal with which a player resigns; it comes into force at once."""


class GameError(Exception):
    """An operation on a game is not possible; the message is one sentence for the requester."""


class GameElsewhere(GameError):
    """Another node of the cluster holds the game, or this server is no node at the moment.

    ``address`` is where that node is reached; empty: nobody knows who could have the game.
    """

    def __init__(self, text: str, address: str = "") -> None:
        super().__init__(text)
        self.address = address

    @property
    def for_clients(self) -> str:
        """The message without the address, which is of the operator's own network."""
        return str(self).replace(f"the node at {self.address}", "another node of this server")


class NotNow(Exception):
    """What is asked of a game is not possible at the moment, and may be later; the message is one sentence."""


class Subscriber(Protocol):
    """A connection to a game, which is notified of the time left."""

    def time_left(self, left: TimeLeft) -> None: ...

    def game_reloaded(self, game: Game) -> None: ...

    def game_deleted(self, name: str) -> None: ...

    def game_moved(self, name: str) -> None: ...


class NotSaved(Exception):
    """A change could not be made durable.  It is not acknowledged, and the game goes on from what the store holds.

    ``is_unknown``: nobody knows whether it is there.
    """

    def __init__(self, text: str, *, is_unknown: bool = False) -> None:
        super().__init__(text)
        self.is_unknown = is_unknown

    @property
    def for_clients(self) -> str:
        """What whoever has asked for the change is told: a sentence."""
        return not_saved(self.is_unknown)


class _NothingSaved:
    """The store of a game that is stale: what it shows was not saved, so nothing may be saved on top of it, also if
    the database is well again before the game is read from it."""

    pending = 0

    def write(self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        return fail(NotSaved("the game is being read from the store again"))

    def append(self, entry: JournalEntry) -> Deferred[None]:
        return fail(NotSaved("the game is being read from the store again"))


NOTHING_SAVED: GameStore = _NothingSaved()


@dataclass(slots=True)
class Player:
    """A seat and its player."""

    seat: Seat
    name: str = ""
    """As all are told; empty while the seat is open."""
    account: int | None = None
    bot: bool = False
    since: int = 0
    """When the seat was taken or left, or its player renamed, as `Game.next_player_time` has it; 0 if neither was."""
    record: SeatRecord = NO_RECORD
    vacations: Sequence[Vacation] = ()
    """When the account is on vacation, the earliest first."""
    look: LastLook = NEVER
    """What the account has seen of the game (`games.looks`); nobody else is told that."""
    account_name: str = ""
    """The name of the account, or of the bot, which in an anonymous game is not the one that all are told; empty while
    the seat is open."""

    @property
    def is_person(self) -> bool:
        """Whether a person has the seat, present or not."""
        return self.account is not None and not self.bot


def player_of(row: GameRow, seat: SeatRow) -> Player:
    """Return the player of a stored seat of a game; ``row`` is as it is now."""
    name = seat_name(seat.seat) if hides(row) and seat.name else seat.name
    return Player(seat.seat, name, seat.account, seat.bot, record=record_from(seat.record), account_name=seat.name)


@dataclass(eq=False)
class Game:
    """One game.  Used on the reactor's thread only."""

    row: GameRow
    rules: Ruleset[Any]
    description: Description
    """Shared with other games of the ruleset."""
    clock: Clock
    state: State[Any]
    players: list[Player]
    store: GameStore | None = None
    """Where its changes are saved; None for a read-only game."""
    policy: SeatPolicy = WAITS_FOR_ALL
    digest: str = ""
    outcome: Outcome | None = None
    finished: frozenset[Seat] = frozenset()
    unfinished: Counter[Seat] = field(default_factory=Counter)
    """How often each seat has taken back in this turn that it had finished."""
    banks: dict[Seat, float] = field(default_factory=dict)
    """The seconds in the time bank of each seat as the turn began; of one that is missing, as many as at first."""
    used: dict[Seat, float] = field(default_factory=dict)
    """The seconds of their banks that seats had used when they finished this turn; of one that is missing, none."""
    autopilots: Counter[Seat] = field(default_factory=Counter)
    """How often in this turn each seat was left to the bot."""
    policy_changes: int = 0
    """How often in this turn its maker has changed what it does about absent players."""
    clock_changes: int = 0
    """How often in this turn its maker has given it more time or the game another clock."""
    waited: dict[Seat, float] = field(default_factory=dict)
    """The seconds for which turns of this game have waited for each seat on vacation; of one that is missing, none."""
    can_go_back: bool = False
    """Whether the last closing has revealed nothing, and so can be taken back."""
    resigned: frozenset[Seat] = frozenset()
    """The seats whose players have resigned: nobody waits for them, and they come after all others at the end."""
    proposals: list[Proposal] = field(default_factory=list)
    """What the players have proposed to each other, the oldest first (`games.agreements`)."""
    paused_by_players: bool = False
    """Whether it is the players, or whoever has made the game, who have paused it; else it was the operator."""
    views: dict[Seat | None, View] = field(default_factory=dict)
    past: defaultdict[Seat | None, Past] = field(default_factory=lambda: defaultdict(Past))
    """Earlier views and queues by seat (None: spectators), as far as a connection still reads them."""
    projected: tuple[Plain, ...] = ()
    """What all views have in common, with which the next projection compares; empty before the start."""
    descriptions: dict[tuple[str, int], dict[int, bytes]] = field(default_factory=dict)
    """By dialect and frame number: encoded descriptions by id, made when they are first requested."""
    boards: dict[int, Board] = field(default_factory=dict)
    spectators: Board = field(init=False)
    """The board on which spectators write to each other (`games.spectators`); its number is that after the last seat's,
    its senders are accounts."""
    subscribers: set[Subscriber] = field(default_factory=set)
    first_stamp: int = 0
    """The last order stamp assigned before this turn began."""
    closing: bool = False
    """Whether a turn is being computed: no orders are accepted."""
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
    stale: bool = False
    """Whether a change could not be saved; then another object replaces this one."""
    on_stale: Callable[[Game, Failure], None] | None = None
    """Called for each change that could not be saved."""
    untold: bool = False
    """Whether the rules failed to tell how all stand; they are not asked for that again."""
    fault: tuple[Exception, str] | None = None
    """Why the rules are not called any more until the operator resumes the game, and what they failed to do."""
    on_fault: Callable[[Game, Exception, str], None] | None = None
    """Called once for each ``fault``."""
    on_end: Callable[[Game], None] | None = None
    """Called after each change that says when the turn is due."""
    on_use: Callable[[Game], None] | None = None
    """Called before each change: a game that has left memory, and that somebody still holds, comes back."""
    last_used: float = 0.0
    """When somebody has asked for it or changed it last, by a monotonic clock."""
    at_rest: tuple[str, float | None] | None = None
    """What its row says of it while it is not in memory, `GameRow.resting` and ``wake``; None if it has changed since.
    ``row`` of a game in memory has neither."""
    clock_ran: float | None = None
    """Until when its clock is known to have run before it changes, for one that has come from rest."""
    caller: Caller = field(init=False)
    """On whose account the rules of this game run."""
    in_common: InCommon = field(init=False)
    """Held, and never called: with the last game of a ruleset goes what they have in common."""
    _asked: tuple[State[Any], _Phase] | None = None
    _told: tuple[TimeLeft, frozenset[Seat], _Phase | None] | None = None
    """What was last answered to a request for the time left, and what it depends on besides the clock."""
    _standings: tuple[State[Any], dict[Seat | None, Standing]] | None = None
    """How all stand in a state, by seat."""
    _given: int = 0
    _durable: int = 0
    _waiters: deque[tuple[int, Deferred[None]]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.spectators = Board(len(self.players) + 1, int(self.row.created))
        self.in_common = self.description.in_common()
        # Weakly: a game that leaves memory is gone at once, and waits for no garbage collection.
        too_slow = WeakMethod(self._too_often_slow)

        def exhausted() -> None:
            if (told := too_slow()) is not None:
                told()

        self.caller = Caller(self.row.id, self.row.ruleset, exhausted)

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
        """Whether nobody is told who has which seat (`games.anonymity`)."""
        return hides(self.row)

    @property
    def hides_seats(self) -> bool:
        """Whether nobody is even told which seats are taken, but how many."""
        return self.hides_players and not self.started

    @property
    def mark(self) -> str:
        """Identifies the versions of server and ruleset; with others, an object may look different."""
        return f"{__version__} {self.rules.name} {self.rules.version}"

    @property
    def modtime(self) -> int:
        """When the game was created, in unix seconds: the modification time of everything that never changes in it."""
        return int(self.row.created)

    def player_time(self, seat: Seat) -> int:
        """Return the modification time of a seat's player: when it joined, or was renamed; or, if that is later, the
        time of the start, or when somebody else took the seat."""
        player = self.players[seat]
        since = max(one.since for one in self.players) if self.hides_seats else player.since
        return max(since, int(self.row.started or 0), player.record.since)

    def next_player_time(self, seat: Seat, now: float) -> int:
        """Return the modification time of a seat's player that changes ``now``.

        It is later than any time that clients were told to go by, so that two changes in one second are two for them.
        """
        told = self.players_told() if self.started else self.player_time(seat)
        return max(int(now), told + 1)

    def players_told(self) -> int:
        """Return the time from which a client is to request further players.

        Before the start it is one second before the newest, as another player may join in the same second: telling one
        twice is better than missing one.
        """
        newest = max(self.player_time(player.seat) for player in self.players)
        return newest if self.started else newest - 1

    def viewers(self) -> list[Seat | None]:
        """Return whose views are projected: all seats, and None for spectators once there was one."""
        return [*(player.seat for player in self.players), *([None] if None in self.views else [])]

    def show(self, views: Mapping[Seat | None, View], now: float) -> None:
        """Make these the views of the present turn."""
        for seat, old in self.views.items():
            new = views.get(seat)
            if new is not old:
                self.past[seat].replaced(old, new, self.state.turn, now)
        self.views = dict(views)

    def player(self, number: int) -> Player | None:
        """Return the player with a number, which is the seat + 1; None if there is none, or the seat is open."""
        found = self.players[number - 1] if 1 <= number <= len(self.players) else None
        return found if found is not None and found.name else None

    def taken_for(self, seat: Seat | None) -> frozenset[Seat]:
        """Return the seats of which a seat (None: who has none) is told that somebody has them."""
        taken = frozenset(player.seat for player in self.players if player.name)
        return taken_for(len(self.players), len(taken), seat) if self.hides_seats else taken

    def name_for(self, seat: Seat, to: Seat | None) -> str:
        """Return what a seat (None: who has none) is told of the name of a seat's player; empty: it is open."""
        if self.hides_seats:
            return seat_name(seat) if seat in self.taken_for(to) else ""
        return self.players[seat].name

    def called(self, seat: Seat, name: str) -> str:
        """Return what all are told of the name of whoever takes a seat; ``name`` is empty if nobody does."""
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

    def active(self) -> list[Seat]:
        """Return the seats that may move now; none before the start and after the end."""
        if not self.started or self.over:
            return []
        return self._phase()[0]

    def is_absent(self, seat: Seat) -> bool:
        """Return whether the player of a seat has missed so many turns in a row that the game does not wait any more.

        Whoever finishes a turn, or changes an order, is back.  A seat that nobody has is absent, too; none is before
        the start and after the end.
        """
        record = self.players[seat].record
        is_away = record.vacant or 0 < self.policy.absent_after <= record.missed
        return is_away and self.started and not self.over

    def roll_is_called(self) -> bool:
        """Return whether the game begins when all have said that they are here; ``row.due`` is until when they can."""
        return not self.started and self.row.state == "waiting" and self.row.due is not None

    def seeks_player(self, seat: Seat) -> bool:
        """Return whether somebody else can take a seat of the running game."""
        if not self.started or self.over or seat in self.resigned:
            return False
        return self.players[seat].record.seeks or (self.policy.seeks and self.is_absent(seat))

    def somebody_is_there(self) -> bool:
        """Return whether a person plays a seat, has not resigned and is not absent."""
        return any(not self.is_absent(player.seat) for player in self._people())

    def _people(self) -> list[Player]:
        """Return the people who have seats and have not resigned."""
        return [player for player in self.players if player.is_person and player.seat not in self.resigned]

    def has_bot(self) -> bool:
        """Return whether the rules have a bot of their own."""
        return has_bot(self.rules)

    def bot_plays(self, seat: Seat) -> bool:
        """Return whether the rules' bot plays a seat now: it is a bot's, or left to it, or its player is absent."""
        player = self.players[seat]
        if seat in self.resigned:
            return False
        if player.bot or player.record.autopilot:
            return True
        return self.policy.absent == BOT and self.is_absent(seat) and self.somebody_is_there()

    def nobody_plays(self) -> bool:
        """Return whether people have seats, and all of them are absent or have left theirs to the bot.

        Then turns end by their clock only, so that nobody comes back to a game that has run to its end in a minute.
        """
        people = self._people()
        return bool(people) and all(player.record.autopilot or self.is_absent(player.seat) for player in people)

    def waited_for(self, active: Iterable[Seat]) -> list[Seat]:
        """Return those of these active seats for which a turn waits, whether they have finished or not.

        It waits for nobody who has resigned, and for a bot that plays for an absent player.  It waits for absent
        players, too, while there are no others: else the game would run away from all of them.
        """
        seats = [seat for seat in active if seat not in self.resigned]
        present = [seat for seat in seats if not self.is_absent(seat) or self.bot_plays(seat)]
        return present if len(present) == len(seats) or self.somebody_is_there() else seats

    def awaited(self) -> list[Seat]:
        """Return the active seats for which the turn waits and that have not finished."""
        return [seat for seat in self.waited_for(self.active()) if seat not in self.finished]

    def is_asked(self, seat: Seat) -> bool:
        """Return whether somebody sits in a seat who can be asked what all agree on: a person who has not resigned, and
        has not missed the last turn that was due without finishing one since."""
        player = self.players[seat]
        if not player.is_person or seat in self.resigned:
            return False
        return not player.record.missed or seat in self.finished

    @property
    def turn_clock(self) -> Clock:
        """The clock of the present turn."""
        return self.clock.of_group(self.rules.phase(self.state.phase).clock_group)

    def clock_reads(self, now: float) -> float:
        """Return ``now``, or when the game was paused: then its clock stands."""
        row = self.row
        return now if row.state != "paused" or row.due is None or row.left is None else row.due - row.left

    def bank(self, seat: Seat) -> float:
        """Return the seconds that a seat had in its time bank as the turn began; 0 if there are no banks."""
        bank = self.clock.bank
        return 0.0 if bank is None else min(self.banks.get(seat, bank.seconds), bank.seconds)

    def bank_used(self, seat: Seat, now: float) -> float:
        """Return the seconds of its time bank that a seat has used in this turn."""
        if seat in self.finished:
            return self.used.get(seat, 0.0)
        if self.row.due is None or seat not in self.active():
            return 0.0
        late = self.clock_reads(now) - self.row.due - self.clock.grace
        return min(self.bank(seat), max(0.0, late))

    def banks_after(self, now: float) -> dict[Seat, float]:
        """Return the time banks as they are when the turn closes at ``now``; empty if there are none."""
        bank = self.clock.bank
        if bank is None:
            return {}
        after = {player.seat: self.bank(player.seat) for player in self.players}
        for seat in self.active():
            after[seat] = min(bank.seconds, after[seat] - self.bank_used(seat, now) + bank.plus)
        return after

    def deadline_of(self, due: float | None, awaited: Iterable[Seat]) -> float | None:
        """Return when a turn that is ``due`` and waits for these seats ends at the latest."""
        seats = list(awaited)
        return self.with_vacations(self.clock.deadline(due, map(self.bank, seats)), seats, self.waited)

    def with_vacations(self, ends: float | None, awaited: Iterable[Seat], waited: Mapping[Seat, float]) -> float | None:
        """Return when a turn that would end then does, if it waits for those of these seats who are on vacation.

        ``waited`` is for how many seconds turns have waited for each seat already.
        """
        if ends is None or not self.clock.vacation:
            return ends
        return max((self._back(seat, ends, waited) or ends for seat in awaited), default=ends)

    def _back(self, seat: Seat, ends: float, waited: Mapping[Seat, float]) -> float | None:
        """Return until when a turn that would end then waits for a seat; None if it does not."""
        left = DAY * self.clock.vacation - waited.get(seat, 0.0)
        away = next((one for one in self.players[seat].vacations if one.begins <= ends < one.ends), None)
        return None if away is None or left <= 0 else min(away.ends, ends + left) + BACK_SECONDS

    def on_vacation(self, seat: Seat, now: float) -> float | None:
        """Return until when a player is on vacation in a game that waits for that; None if it is not so."""
        if not self.clock.vacation or self.clock.vacation * DAY <= self.waited.get(seat, 0.0):
            return None
        return next((one.ends for one in self.players[seat].vacations if one.begins <= now < one.ends), None)

    def waited_after(self, now: float) -> dict[Seat, float]:
        """Return for how many seconds turns have waited for each seat on vacation when this one closes at ``now``."""
        waited = dict(self.waited)
        if self.row.due is None or not self.clock.vacation:
            return waited
        seats = self.awaited()
        ends = self.clock.deadline(self.row.due, map(self.bank, seats))
        assert ends is not None
        for seat in seats:
            back = self._back(seat, ends, self.waited)
            if back is not None and now > ends:
                waited[seat] = waited.get(seat, 0.0) + min(now, back - BACK_SECONDS) - ends
        return waited

    def title(self) -> str:
        """Return the title of the turn."""
        return self.text(self.title_with_seats())

    def title_with_seats(self) -> str:
        """Return the title of the turn with "{player 0}" for the name of the player in seat 0."""
        if self.roll_is_called():
            people = [player for player in self.players if player.is_person]
            here = sum(player.record.here for player in people)
            return f"Waiting until all say that they are here ({here} of {len(people)})"
        if not self.started:
            taken = len(self.players) - len(self.open_seats())
            return f"Waiting for players ({taken} of {len(self.players)})"
        if self.over:
            return ended(self.outcome)
        return self._phase()[1]

    def _phase(self) -> _Phase:
        """Return the active seats and the title of the present phase, asking the ruleset once per turn.

        If the ruleset fails, no seat is active for the rest of the turn, and the game is held.
        """
        state, rules = self.state, self.rules
        if self._asked is None or self._asked[0] is not state:

            def looked_up() -> tuple[list[Seat], str]:
                phase = rules.phase(state.phase)
                return named_seats(phase.active(state.world)), title_of(phase.title(state.world))

            try:
                told = WATCHDOG.call(CHECK_SECONDS, looked_up, self.caller, counted=True)
            except Exception as error:
                self._asked = (state, ([], ""))
                self.broke(error, "describe its phase")
            else:
                self._asked = (state, told)
        return self._asked[1]

    def standing(self, seat: Seat | None) -> Standing:
        """Return how all stand, as ``seat`` (None: spectators) may know it, asking the ruleset once per turn.

        If the ruleset fails, that is logged, and nothing is told from then on; the game goes on.
        """
        if self._standings is None or self._standings[0] is not self.state:
            self._standings = (self.state, {})
        found = self._standings[1].get(seat) or self._asked_standing(seat)
        if found is None:  # not kept: a game that starts, or is resumed, is in the state that it was in before
            return NO_STANDING
        self._standings[1][seat] = found
        return found

    def _asked_standing(self, seat: Seat | None) -> Standing | None:
        rules, world, seen = self.rules, self.state.world, self.views[seat].objects if seat in self.views else {}
        return self._told_by_rules(lambda: standing_of(rules, world, len(self.players), seat, seen))

    def actions(self, seat: Seat) -> tuple[int, int] | None:
        """Return how many actions a seat has used in this turn, and how many it has; None if they are not counted."""
        if type(self.rules).actions is Ruleset.actions:
            return None
        return self._told_by_rules(lambda: fit_actions(self.rules.actions(self.state.plan(seat))))

    def _told_by_rules(self, work: Callable[[], T], starting: bool = False) -> T | None:
        """Return what the rules tell of a game that is played; None if they fail, now or before."""
        if not (self.started or starting) or self.untold or self.fault is not None:
            return None
        try:
            return self.ask(work, "tell how all stand")
        except Exception as error:
            self.tells_nothing(error)
            return None

    def tells_nothing(self, error: Exception) -> None:
        """Record that the rules failed to tell how all stand; they are not asked for that again."""
        self.untold = True
        log.error("{game}: ruleset {rules} cannot tell how all stand: {why}",
                  game=self.name, rules=self.rules.name, why=why_it_failed(error))  # fmt: skip

    def scores_of_opening(self) -> Told | None:
        """Return the scores of the turn with which a game starts now; None if the rules fail to tell them."""
        rules, world = self.rules, self.state.world
        return self._told_by_rules(lambda: scores_of(rules, world, len(self.players)), starting=True)

    # --- calling the rules --------------------------------------------------------------------------------------------

    def ask(self, work: Callable[[], T], doing: str) -> T:
        """Return the result of ``work``, which calls the rules on the reactor's thread, within CHECK_SECONDS.

        Raises what it raises, or TooSlow or Escaped; after failures worse than an exception of the rules the game is
        held. While it has a ``fault`` the rules are not called.
        """
        if self.fault is not None:
            raise self.fault[0].with_traceback(None)
        try:
            return WATCHDOG.call(CHECK_SECONDS, work, self.caller, counted=True)
        except (Escaped, MemoryError) as error:
            self.broke(error, doing)
            raise

    def broke(self, error: Exception, doing: str) -> None:
        """Record that the rules must not be called any more, and have the game held."""
        if self.fault is None:
            self.fault = (error, doing)
            if self.on_fault is not None:
                self.on_fault(self, error, doing)

    def mended(self) -> None:
        """Allow calling the rules again, as the operator resumes the game."""
        self.fault = None
        self.untold = False
        self._asked = None

    def _too_often_slow(self) -> None:
        self.broke(TooSlow("too many calls of the rules were slow, and all other games had to wait"), "answer in time")

    def forget_time(self) -> None:
        """Tell the time left anew at the next request, as others than before are awaited."""
        self._told = None

    def time_left(self, reason: Reason, now: float) -> TimeLeft:
        """Return what to tell of the time left; 0 seconds only while the turn is being computed.

        What clients request, as they do all the time, is the same object as long as nothing changes in a started game.
        """
        seconds = 0 if self.closing else seconds_left(self.row.next_end(now), now)
        finished, phase = self.finished, self._phase() if self.started and not self.over else None
        if self._told is not None and reason == REQUESTED:
            left, then_finished, then_phase = self._told
            if left.seconds == seconds and then_finished == finished and then_phase is phase:
                return left
        waiting = tuple(seat + 1 for seat in self.awaited())
        left = TimeLeft(seconds, reason, self.state.turn, self.title(), waiting)
        if reason == REQUESTED and self.started:  # before, the title tells how many players there are
            self._told = left, finished, phase
        return left

    def tell_time(self, reason: Reason, now: float) -> None:
        """Send the time left to all connections of the game, as soon as the store holds what it shows."""
        left = self.time_left(reason, now)
        self.after_saving(lambda: self._tell(left))

    def _tell(self, left: TimeLeft) -> None:
        for subscriber in list(self.subscribers):
            subscriber.time_left(left)

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
        """Set what the players have proposed, and with that who has resigned."""
        self.proposals = proposals
        self.resigned = frozenset(one.seat for one in proposals if one.kind == RESIGN and one.seat is not None)
        self._told = None

    def append(self, entry: JournalEntry) -> None:
        """Save a journal entry; ``when_durable`` waits for it."""
        if waking := self._waking():
            with beside():  # it is saved before the entry, and may be saved without it
                self._saving(self._store().write(stored_games.set_awake, self.row.id, waking))
        self._saving(self._store().append(entry))

    def commit(self, changes: GameChanges, now: float) -> None:
        """Apply the changes of the row and the boards to this object, and save all changes in one transaction.

        No response about the game is sent before that is done: ``when_durable`` waits for it.
        """
        columns = {**self._waking(), **changes.columns}
        self._saving(self._store().write(stored_changes.save, self.row.id, replace(changes, columns=columns, at=now)))
        if changes.columns:
            self.row = replace(self.row, **changes.columns)
        if "due" in changes.columns and self.on_end is not None:
            self.on_end(self)
        for proposal in changes.proposals:
            self.propose([*(one for one in self.proposals if one.number != proposal.number), proposal])
        if changes.delivery is not None:
            self.deliver(changes.delivery, now)

    def _waking(self) -> dict[str, Any]:
        """Return the columns of the row that the first change of a game from rest takes back."""
        if self.on_use is not None:
            self.on_use(self)
        if self.at_rest is None:
            return {}
        self.at_rest = None
        return {**stored_games.AWAKE, "ran": self.clock_ran}

    def keeps_up(self, most: int) -> bool:
        """Return whether at most ``most`` changes, of all games, are waiting to be saved."""
        return self._store().pending <= most

    def write(self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        """Save what only the store has of this game, by a unit of work; nothing else waits for it."""
        return self._store().write(unit, *args, **kwargs)

    def _store(self) -> GameStore:
        if self.store is None:
            raise RuntimeError(f"the game {self.name!r} is only looked at and cannot be changed")
        return NOTHING_SAVED if self.stale else self.store

    def _saving(self, saved: Deferred[Any]) -> None:
        self._given += 1
        saved.addCallbacks(self._saved, self._not_saved, callbackArgs=(self._given,), errbackArgs=(self._given,))

    def all_saved(self) -> bool:
        """Return whether the store holds everything that this object shows."""
        return self._durable == self._given and not self.stale

    def when_durable(self) -> Deferred[None] | None:
        """Return None if the store holds everything that this object shows, else a Deferred that fires when it does.

        No response about the game may be sent before; the Deferred fails with NotSaved if saving fails.
        """
        if self.stale:
            return fail(NotSaved("the game is being read from the store again"))
        if self._durable == self._given and not self._waiters:
            return None
        # Behind those that wait already, even if they are about to fire: no one is told of a new turn before the
        # responses made in the old one.
        waiter: Deferred[None] = Deferred()
        self._waiters.append((self._given, waiter))
        return waiter

    def after_saving(self, call: Callable[[], None]) -> None:
        """Call ``call`` when the store holds everything that this object shows; never if saving fails."""
        waiting = self.when_durable()
        if waiting is None:
            call()
        else:
            waiting.addCallbacks(lambda _: call(), lambda _: None)

    def _saved(self, result: Any, number: int) -> None:
        self._durable = max(self._durable, number)
        while self._waiters and self._waiters[0][0] <= self._durable:
            self._waiters.popleft()[1].callback(None)

    def _not_saved(self, failure: Failure, number: int) -> None:
        self.stale = True
        # What was given before is on its way yet, if this was not even tried: it may be saved.
        failed = [waiter for upto, waiter in self._waiters if upto >= number]
        self._waiters = deque(one for one in self._waiters if one[0] < number)
        is_unknown = isinstance(failure.value, StoreError) and failure.value.is_unknown
        for waiter in failed:
            waiter.errback(NotSaved(str(failure.value), is_unknown=is_unknown))
        if self.on_stale is not None:
            self.on_stale(self, failure)


def title_of(told: object) -> str:
    """Return a ruleset's title of a turn as one printable line."""
    return printable(str(told), LONGEST_TITLE, KEPT_FOR_PLAYERS)


def ended(outcome: Outcome | None) -> str:
    """Return the title of the turn after a game's end, which tells how it ended."""
    if outcome is None:
        return "Game over"
    winners = outcome.winners()
    names = " and ".join(f"{{player {seat}}}" for seat in winners)
    return f"Game over: {names} won" if len(winners) < len(outcome.places) or len(winners) == 1 else "Game over: a draw"


def durable(game: Game) -> Deferred[None]:
    """Return a Deferred that fires when the store holds everything that ``game`` shows."""
    return game.when_durable() or succeed(None)
