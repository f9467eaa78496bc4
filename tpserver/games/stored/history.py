"""Turn history: one old turn as a seat saw it, read-only.

A turn is read from its snapshot on request. `sight_of_the_past` alone decides what a seat sees of an old turn:

*   Before the end of the game, a seat sees the objects that ``Ruleset.sight`` returned for it in that turn. Other
    viewers see those of spectators. Orders and messages are the seat's own.
*   After the end, every viewer sees each object that any seat or spectator saw in that turn. The level of detail is
    that of its owner's seat, or else of the seat that saw most of it. Objects that no seat saw stay hidden. Orders and
    messages are still the seat's own.

A turn is projected once, in another thread. Then its world is dropped, and no rules are called for it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from twisted.internet.defer import DeferredLock
from twisted.logger import Logger

from tprules.api import Oid, Ruleset, Seat, Shown
from tprules.api.advance import load_state
from tprules.api.order_checks import State
from tprules.api.ruleset import find_phase
from tpserver.concurrency import Executor, Timers, failure_of
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.game import Game, Phase
from tpserver.games.core.message_board import Board
from tpserver.games.core.next_turn import outcome_from
from tpserver.games.core.phases import title_of
from tpserver.games.core.player import player_of
from tpserver.games.core.scores import NO_STANDING, Standing, standing_of
from tpserver.games.core.views import Projector, View
from tpserver.games.stored.loader import again
from tpserver.games.stored.replay import ReplayError, way_again
from tpserver.games.terms.anonymity import hides
from tpserver.games.terms.clock import parse_clock
from tpserver.games.terms.seat_policy import NO_RECORD
from tpserver.network_counts import may_take
from tpserver.rules.call_limits import CHECK_SECONDS, LOAD_SECONDS, WATCHDOG, Caller, Escaped, TooSlow, why_it_failed
from tpserver.rules.descriptions import Description
from tpserver.store import Store, StoreError
from tpserver.store.games.history import StoredTurn, stored_turn
from tpserver.store.games.snapshots import Snapshot

log = Logger()

MOST_VISITS, MOST_VISITS_OF_ONE = 64, 4
"""Maximum connections with an old turn open, in total and of one account; `may_take` limits those in total."""

MOST_OBJECTS = 500_000
"""Maximum objects in all open old turns, if more than one is open."""

MOST_FAILURES = 256
"""Maximum turns that are remembered as not shown."""

AGAIN_SECONDS = 60.0
"""Seconds after which a failed turn may be tried again; longer if the failure took longer."""

ALL_TURNS = -1
"""Stands for all turns of a game whose rules were too slow for one of them, or had a worse failure."""


COMPUTE_SECONDS = 20.0
"""Seconds after which no further turn is computed again for a later one."""


class NoSuchTurn(GameError):
    """A game has no such turn. The message lists the existing ones."""


class TurnNotKept(NoSuchTurn):
    """The snapshot of a turn was thinned, and it cannot be computed again. The message has the reason."""


@dataclass(eq=False)
class PastGame(Game):
    """A game as it was in one turn, for one seat.

    It has the view and board of that seat only, and no world. It belongs to one connection, or to all spectators of a
    delayed game (`tpserver.games.service.spectator_feed`). Only methods with a note about it change it.
    """

    phase_title: str = ""
    """The title of the turn, as the rules have it."""
    is_watched: bool = False
    """True if spectators see this in place of the present turn (`games.service.spectator_feed`)."""
    hides_now: bool = False
    """True if players were hidden when the turn was read. Only the end of the game reveals them, for every turn."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.known_phase = self.state, Phase([], self.phase_title)
        self.has_no_scores = True

    @property
    def hides_players(self) -> bool:
        """True while the link between players and seats is hidden."""
        return self.hides_now

    @property
    def turn(self) -> int:
        """The number of the turn."""
        return self.state.turn


# --- sight of an old turn ---------------------------------------------------------------------------------------------


def sight_of_the_past(
    rules: Ruleset[Any], world: Any, seats: Iterable[Seat], seat: Seat | None, is_over: bool
) -> Mapping[Oid, str]:
    """Return the visible objects of an old turn, with their levels.

    ``seat`` sees them (None: others). ``is_over`` is whether the game is over now. ``seats`` are all seats of the game.
    See the module's docstring.
    """
    if not is_over:
        return rules.sight(world, seat)
    sights = {one: rules.sight(world, one) for one in (*seats, None)}
    every = sorted({oid for sight in sights.values() for oid in sight})
    return {oid: _level_for_all(rules, world, oid, sights) for oid in every}


def _level_for_all(rules: Ruleset[Any], world: Any, oid: Oid, sights: Mapping[Seat | None, Mapping[Oid, str]]) -> str:
    """Return the level of the seat that owns an object, else the most detailed one; the first of equal ones."""
    seen_by = {one: sight[oid] for one, sight in sights.items() if oid in sight}
    levels = list(dict.fromkeys(seen_by.values()))
    if len(levels) == 1:
        return levels[0]
    looks = {level: rules.show(world, oid, level) for level in levels}
    for one, level in seen_by.items():
        if one is not None and looks[level].owner == one:
            return level
    return max(levels, key=lambda level: _amount_told(looks[level]))


def _amount_told(shown: Shown) -> tuple[int, ...]:
    """Return a measure of the details of an object, for comparison with another level of it."""
    return (
        int(shown.owner is not None),
        len(shown.resources),
        len(shown.ships),
        sum(1 for number in shown.numbers if number),
        len(shown.description),
    )


# --- reading a turn ---------------------------------------------------------------------------------------------------


def past_game(
    rules: Ruleset[Any],
    description: Description,
    stored: StoredTurn,
    snapshot: Snapshot,
    seat: Seat | None,
    before: PastGame | None = None,
) -> tuple[PastGame, State[Any]]:
    """Return a turn as a seat (None: others) sees it, and its state.

    Raises the errors of the rules. All modification times are that of the snapshot. Players and descriptions have those
    of the game. ``before`` is the turn that the connection has open. Objects that differ from it are newer, and missing
    ones are gone.
    """
    state = load_state(rules, snapshot.state)
    for entry in stored.orders:
        again(rules, state, entry)
    known = {kind.name for kind in rules.orders}
    state.queues = {
        on: kept for on, queue in state.queues.items() if (kept := [order for order in queue if order.type in known])
    }
    state.planned.clear()
    seats = [one.seat for one in stored.seats]
    state.seen[seat] = sight_of_the_past(rules, state.world, seats, seat, stored.row.state == "over")
    at = int(snapshot.at)
    shown = None if before is None else before.views[seat]
    view = Projector(rules, description, state).view(seat, shown, at)
    if shown is not None:
        _touch_queues(view, shown)
    title = snapshot.title
    if not state.over and not title:  # the opening is stored without a title
        title = title_of(find_phase(rules, state.phase).title(state.world))
    row = replace(
        stored.row,
        turn=snapshot.turn,
        state="over" if state.over else "running",
        held_reason="",
        deadline=None,
        left=None,
        due=None,
    )
    game = PastGame(
        row=row,
        rules=rules,
        description=description,
        clock=parse_clock(row.clock),
        state=State(None, state.phase, state.turn, state.queues, state.stamp, state.over),
        players=[replace(player_of(stored.row, one), record=NO_RECORD) for one in stored.seats],
        digest=snapshot.digest,
        outcome=outcome_from(snapshot.outcome),
        views={seat: view},
        phase_title=title,
        hides_now=hides(stored.row),
    )
    for one in seats:
        since = at if before is None else max(at, before.boards[one + 1].modtime + 1)
        game.boards[one + 1] = Board(one + 1, since)
    for message in stored.listed:
        game.boards[message.board].put(message)
    return game, state


def _touch_queues(view: View, before: View) -> None:
    """Give new times to objects that look the same as before, but have other orders in their queues."""
    for oid in view.queues:
        was = before.queues.get(oid)
        if was is not view.queues[oid] and view.objects[oid] == before.objects.get(oid):
            view.touch(oid, view.objects[oid], view.told + 1)


def _standing(game: PastGame, state: State[Any], seat: Seat | None) -> Standing:
    """Return the scores and regions of a turn. They are empty if the rules fail, as the turn can still be shown."""
    rules, seen = game.rules, game.views[seat].objects
    try:
        return WATCHDOG.call(
            CHECK_SECONDS, lambda: standing_of(rules, state.world, len(game.players), seat, seen), game.caller
        )
    except Exception as error:
        log.error("{game}: no scores are shown for turn {turn}: {why}",
                  game=game.name, turn=game.turn, why=why_it_failed(error))  # fmt: skip
        return NO_STANDING


class _CannotShow(Exception):
    """The rules failed on an old turn. With ``worse`` no turn of the game is tried again for a while."""

    def __init__(self, why: str, error: Exception) -> None:
        super().__init__(why)
        self.error = error
        self.worse = isinstance(error, TooSlow | Escaped | MemoryError)


class History:
    """All open old turns of a server, within limits.

    It is used on the reactor's thread. Turns are read one after the other. The store's reader provides the stored data.
    ``compute`` does the rest in another thread, which then rests for the same time. ``seconds`` is a monotonic clock.
    """

    def __init__(self, store: Store, compute: Executor, timers: Timers, seconds: Callable[[], float]) -> None:
        self._store = store
        self.compute = compute
        """Executor of the other thread."""
        self._timers = timers
        self._seconds = seconds
        self._line = DeferredLock()
        self.visits: dict[object, tuple[int, int]] = {}
        """By visitor: its account, and the number of objects in its open turn."""
        self._failures: dict[tuple[int, int], tuple[float, GameError]] = {}
        """By game and turn: the time of the next possible try, and the error."""
        self.computed: tuple[Snapshot, Snapshot | None] | None = None
        """The last turn that was computed again, and the one before it, as a start for the next computation."""

    def __len__(self) -> int:
        return len(self.visits)

    def visitors(self) -> list[object]:
        """Return the connections with an open old turn of any game."""
        return list(self.visits)

    async def open(
        self,
        visitor: object,
        account: int,
        game: Game,
        seat: Seat | None,
        turn: int | None,
        is_awaited: Callable[[], bool] = lambda: True,
        before: PastGame | None = None,
    ) -> PastGame:
        """Return a turn of ``game`` as ``seat`` sees it.

        The turn counts as open until the visitor leaves. ``visitor`` is the connection, of ``account``. ``turn`` None
        is a turn that cannot exist. ``is_awaited`` returns whether the result is still needed. ``before`` is the open
        turn of the visitor, which this one replaces.

        Raises NoSuchTurn, GameError for a turn that cannot be shown, or NotNow. Then the visitor need not leave, or
        still has ``before`` open.
        """
        if before is None:
            self._admit(visitor, account, seat)
        try:
            found = await self._read(game, seat, turn, is_awaited, before)
            view = found.views[seat]
            objects = len(view.objects) + len(view.gone)
            others = sum(number for one, (_, number) in self.visits.items() if one is not visitor)
            if len(self) > 1 and others + objects > MOST_OBJECTS:
                raise NotNow("too much of the past is being looked at on this server; try again later")
        except BaseException:
            if before is None:
                self.leave(visitor)
            raise
        if visitor in self.visits:  # otherwise it has left meanwhile
            self.visits[visitor] = (account, objects)
        return found

    async def shared(self, game: Game, turn: int, is_awaited: Callable[[], bool], before: PastGame | None) -> PastGame:
        """Return a turn of ``game`` as spectators see it, shared by all of them.

        There is at most one per game, so it counts for no visitor. Arguments and errors are those of ``open``.
        """
        return await self._read(game, None, turn, is_awaited, before)

    def leave(self, visitor: object) -> None:
        """Record that a visitor has closed an old turn, or never opened it."""
        self.visits.pop(visitor, None)
        if not self.visits:
            self.computed = None

    def _admit(self, visitor: object, account: int, seat: Seat | None) -> None:
        mine = sum(one == account for one, _ in self.visits.values())
        if mine >= MOST_VISITS_OF_ONE:
            raise NotNow(f"you are looking at {mine} old turns, the most at once; close one of those connections first")
        if not may_take(len(self), MOST_VISITS, is_new=not mine, is_known=seat is not None):
            raise NotNow(f"{len(self)} old turns are being looked at, the most on this server; try again later")
        self.visits[visitor] = (account, 0)

    async def _read(
        self,
        game: Game,
        seat: Seat | None,
        turn: int | None,
        is_awaited: Callable[[], bool],
        before: PastGame | None,
    ) -> PastGame:
        await self._line.acquire()
        begun = self._seconds()
        try:
            if not is_awaited():
                raise NotNow("the connection no longer waits for this turn")
            return await self._read_now(game, seat, turn, is_awaited, before)
        finally:
            self._rest(self._seconds() - begun)

    def _rest(self, seconds: float) -> None:
        """Delay the next read, so that reads take at most half of a thread's time."""
        if seconds > 0:
            self._timers.callLater(seconds, self._line.release)
        else:
            self._line.release()

    async def _read_now(
        self,
        game: Game,
        seat: Seat | None,
        turn: int | None,
        is_awaited: Callable[[], bool],
        before: PastGame | None,
    ) -> PastGame:
        row, rules, description = game.row, game.rules, game.description
        if game.fault is not None:
            raise NotNow(f"the rules of {row.name!r} failed, and are not asked until its operator has looked into it")
        for which in (ALL_TURNS, turn):
            failed = None if which is None else self._failures.get((row.id, which))
            if failed is not None and self._seconds() < failed[0]:
                raise type(failed[1])(str(failed[1]))
        try:
            known = self.computed if self.computed is not None and self.computed[0].game == row.id else None
            stored = await self._store.read_later(stored_turn, row.id, turn, seat, known)
        except StoreError as error:
            log.error("{game}: an old turn cannot be read: {error}", game=row.name, error=error.sentence)
            raise NotNow("the turn cannot be read from the server's database; try again") from None
        if stored is None or stored.row.started is None:
            raise NoSuchTurn(f"the game {row.name!r} has not started, so it has no turns yet")
        snapshot = stored.snapshot
        if snapshot is None:
            raise NoSuchTurn(f"{row.name!r} has no such turn; there {turns_in_words(stored.turns)}")
        version = snapshot.version
        saved = f"turn {snapshot.turn} of {row.name!r} was saved by version {version} of ruleset {row.ruleset}"
        if version > rules.version:
            raise GameError(f"{saved}, and the older version {rules.version} is installed, which cannot read it")
        if snapshot.thinned:
            snapshot = await self._compute_again(rules, stored, snapshot, is_awaited)
        begun = self._seconds()

        def work() -> PastGame:
            try:
                game, state = WATCHDOG.call(
                    LOAD_SECONDS,
                    lambda: past_game(rules, description, stored, snapshot, seat, before),
                    Caller(row.id, row.ruleset),
                )
            except Exception as error:
                raise _CannotShow(why_it_failed(error), error) from None
            game.known_standings = game.state, {seat: _standing(game, state, seat)}
            return game

        try:
            return await self.compute(work)
        except _CannotShow as failed:
            log.failure(
                "turn {turn} of {game} cannot be shown",
                failure_of(failed.error),
                turn=snapshot.turn,
                game=row.name,
            )
            why = GameError(f"{saved}, and version {rules.version} cannot show it: {failed}")
            key = (row.id, ALL_TURNS if failed.worse else snapshot.turn)
            self._note_failure(key, max(AGAIN_SECONDS, 100 * (self._seconds() - begun)), why)
            raise why from None

    async def _compute_again(
        self, rules: Ruleset[Any], stored: StoredTurn, thinned: Snapshot, is_awaited: Callable[[], bool]
    ) -> Snapshot:
        """Return the snapshot of a thinned turn, computed from an earlier one.

        The journal has the turns between. It computes one turn after the other, so that other requests are served in
        between. Raises NotNow and TurnNotKept. Their texts contain no digests and no errors of the rules.
        """
        row, way = stored.row, stored.way
        gone = f"turn {thinned.turn} of {row.name!r} is no longer kept"
        if thinned.version != rules.version:
            raise TurnNotKept(
                f"{gone}: version {thinned.version} of ruleset {row.ruleset} has saved it, and version {rules.version} "
                "is installed, which would compute another one"
            )
        if way is None:
            raise TurnNotKept(f"{gone}: too much would have to be computed to have it again")
        steps, begun = way_again(rules, row, way), self._seconds()
        made, earlier = way.start, way.earlier
        try:
            while made.turn < thinned.turn:
                if not is_awaited():
                    raise NotNow("the connection no longer waits for this turn")
                if self._seconds() - begun > COMPUTE_SECONDS:
                    raise ReplayError(f"{row.name}: turn {made.turn} was reached after {COMPUTE_SECONDS:g} s only")
                step = await self.compute(lambda: next(steps, None))
                if step is None:
                    raise ReplayError(f"{row.name}: the journal does not lead to turn {thinned.turn}")
                data = step.advanced.data
                made, earlier = replace(thinned, turn=step.advanced.state.turn, state=data, thinned=None), made
        except ReplayError as error:
            log.error("{gone}, and cannot be computed again: {why}", gone=gone, why=str(error))
            worse = isinstance(error.__cause__, TooSlow | Escaped | MemoryError)
            refusal = TurnNotKept(f"{gone}, and cannot be computed again; the server's log says why")
            key = (row.id, ALL_TURNS if worse else thinned.turn)
            self._note_failure(key, max(AGAIN_SECONDS, 100 * (self._seconds() - begun)), refusal)
            raise refusal from None
        if self.visits:
            self.computed = made, earlier
        return made

    def _note_failure(self, key: tuple[int, int], seconds: float, error: GameError) -> None:
        self._failures.pop(key, None)
        self._failures[key] = (self._seconds() + seconds, error)
        while len(self._failures) > MOST_FAILURES:
            del self._failures[next(iter(self._failures))]


def turns_in_words(turns: list[int]) -> str:
    """Return the existing turns as "is turn 0 only" or "are the turns 0 to 12". ``turns`` are in order."""
    spans: list[list[int]] = []
    for turn in turns:
        if spans and turn == spans[-1][1] + 1:
            spans[-1][1] = turn
        else:
            spans.append([turn, turn])
    if not spans:
        return "are none"
    if len(turns) == 1:
        return f"is turn {turns[0]} only"
    words = [f"{first} to {last}" if first != last else f"{first}" for first, last in spans]
    return f"are the turns {' and '.join(words)}"
