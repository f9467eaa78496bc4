"""The copy of a game that is followed: universe, orders, mail and clock, brought up to date over any connection.

What has changed since the last look is told as events. Whether what answers is still the same game is looked at with
each new connection; orders that were not answered are settled then.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from tpproto import tp_pb2
from tpproto.descriptions import Descriptions

from .connection import Connection, Progress
from .conversation import TURN_BEGINS
from .errors import RequestFailed
from .events import (
    Event,
    Fate,
    GameEnded,
    GameReplaced,
    MessagesCame,
    MessagesGone,
    OrderSettled,
    PendingOrder,
    ThingsChanged,
    TimeTold,
    TurnEnded,
    TurnStarted,
)
from .mail import Mail, MailChanges
from .news import is_over
from .queues import read_orders
from .resuming import Identity, identify, settle
from .universe import Changes, Universe, together


class Replica:
    """A copy of one player's game, and what has to be known to keep it up to date.

    `universe` is the copy of what the player sees, `orders` what is queued, by queue, in slot order, `mail` the
    messages of the player's own board, `clock` the newest TimeRemaining, `turn` the number of the turn that all this is
    of (TP03: the year that the root object shows), `pending` the orders that the server has not answered yet.
    `universe`, `orders` and `mail` are new objects after GameReplaced.
    """

    def __init__(
        self,
        game_name: str,
        tables: Iterable[str],
        progress: Progress | None,
        tell: Callable[[Iterable[Event]], None],
        wake: Callable[[], None],
    ) -> None:
        """`tell` hears what happens, `wake` is called when there is a turn to download."""
        self.universe: Universe
        self.orders: dict[int, tuple[tp_pb2.Order, ...]] = {}
        self.pending: list[PendingOrder] = []
        self.clock = tp_pb2.TimeRemaining()
        self.turn = 0
        self.is_over = False
        self._game_name = game_name
        self._tables = tuple(tables)
        self._progress = progress
        self._tell = tell
        self._wake = wake
        self._descriptions = Descriptions()
        self._identity: Identity | None = None
        self._mail = Mail()
        self._looking = asyncio.Lock()
        self._has_turn_numbers = True
        self._is_stale = False
        self._unsure: set[int] = set()
        self._untold: list[Changes] = []
        self._untold_mail: list[MailChanges] = []
        self._has_begun = False
        self._turns_begun = 0
        self._finished_at: int | None = None

    @property
    def is_stale(self) -> bool:
        """Whether a turn has begun that has not been downloaded yet."""
        return self._is_stale

    @property
    def mail(self) -> list[tp_pb2.Message]:
        """The messages of the player's own board, oldest first, each with the slot that it has now."""
        return self._mail.messages

    def _heard(self, clock: tp_pb2.TimeRemaining, is_push: bool) -> None:
        before, self.clock = self.clock, clock
        if clock.time == 0:
            self._is_stale = False
            if before.time or before.turn != clock.turn:
                self._tell([TurnEnded(self.turn, clock)])
        elif self._is_new(before, clock, is_push):
            self._is_stale = True
            self._wake()
        elif is_push:
            self._tell([TimeTold(clock)])

    def _is_new(self, before: tp_pb2.TimeRemaining, clock: tp_pb2.TimeRemaining, is_push: bool) -> bool:
        """Whether a clock tells of a turn that we have not seen; a game's first has the number of the wait for it."""
        is_start = clock.reason == TURN_BEGINS if self._has_turn_numbers else before.time == 0
        if is_push and is_start:
            self._has_begun = True
        return self._has_begun or (clock.turn != self.turn if self._has_turn_numbers else is_start)

    # --- a new connection

    async def _take_up(self, connection: Connection) -> Sequence[Event]:
        """Go on with a new connection: see whether it is the same game, ask for what has changed, settle what was not
        answered. Returns what there is to tell."""
        self._has_turn_numbers = connection.has_turn_numbers
        clock = await connection.time_remaining()
        now = await identify(connection, self._identity.game if self._identity else self._game_name)
        is_first = self._identity is None
        why = self._identity.difference(now) if self._identity else ""
        if not why and self._has_turn_numbers and clock.turn < self.turn:
            why = f"The game went back from turn {self.turn} to turn {clock.turn}."
        self._identity = now
        if why:
            self._forget(why)
        connection.session.descriptions = self._descriptions
        if is_first or why:
            self.universe = connection.universe()
        before = dict(self.orders)
        waiting = list(self.pending)
        self._unsure.update(one.queue for one in waiting)
        connection.on_clock = self._heard
        told = await self._catch_up(connection)
        settle(waiting, before, self.orders, self.turn)
        self.pending = [one for one in self.pending if one not in waiting]
        if is_first:
            self.turn = self._number(clock)
            return ()
        return [*map(OrderSettled, waiting), *told]

    def _forget(self, why: str) -> None:
        """Drop the copy: what answers is another game."""
        self._descriptions = Descriptions()
        self.orders, self._mail = {}, Mail()
        self._unsure.clear()
        self._untold.clear()
        self._untold_mail.clear()
        self.turn, self.is_over, self._finished_at = -1, False, None
        lost, self.pending = self.pending, []
        for one in lost:
            one.fate, one.why = Fate.LOST, f"The order {one.kind} was for a game that is not there any more. {why}"
        self._tell([GameReplaced(why), *map(OrderSettled, lost)])

    # --- looking

    async def _look(self, connection: Connection) -> Changes:
        """Bring the copy up to date and tell of it."""
        told = await self._catch_up(connection)
        self._tell(told)
        return next((event.changes for event in told if isinstance(event, ThingsChanged)), Changes())

    async def _catch_up(self, connection: Connection) -> list[Event]:
        """Ask for what has changed, and say what there is to tell."""
        async with self._looking:
            clock = await connection.time_remaining()
            was_stale, self._is_stale = self._is_stale, False
            has_begun, self._has_begun = self._has_begun, False
            try:
                changes = await connection.refresh(self.universe, self._tables, self._progress)
                self._untold.append(changes)
                await read_orders(connection, self.universe, changes, self.orders, self._unsure)
                self._untold_mail.append(await self._mail.read(connection))
            except RequestFailed:
                raise  # the turn is just being computed; the clock will tell
            except BaseException:
                # Interrupted: what has come is not told yet, and the next look has to tell it.
                self._is_stale |= was_stale
                self._has_begun |= has_begun
                raise
            changes, self._untold = together(self._untold), []
            letters, self._untold_mail = self._untold_mail, []
            return self._tidings(clock, changes, letters, has_begun)

    def _tidings(
        self, clock: tp_pb2.TimeRemaining, changes: Changes, letters: Sequence[MailChanges], has_begun: bool
    ) -> list[Event]:
        told: list[Event] = []
        fresh = tuple(message for one in letters for message in one.fresh)
        gone = tuple(message for one in letters for message in one.gone)
        number = self._number(clock)
        if clock.time and (has_begun or number != self.turn):
            self.turn = number
            self._turns_begun += 1
            told.append(TurnStarted(number, clock.turn_name, clock))
        if changes:
            told.append(ThingsChanged(changes))
        if gone:
            told.append(MessagesGone(gone))
        if fresh:
            told.append(MessagesCame(fresh))
        if not self.is_over and is_over(clock, fresh):
            self.is_over = True
            told.append(GameEnded(clock.turn_name))
        return told

    def _number(self, clock: tp_pb2.TimeRemaining) -> int:
        return clock.turn if self._has_turn_numbers else self.universe.turn or 0
