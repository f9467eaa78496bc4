"""A game that is followed: its copy, its news as events, and a connection that is made again whenever it is lost.

    async with await Game.open("tp://127.0.0.1:6923", "ann", "secret") as game:
        async for event in game.events():
            if isinstance(event, TurnStarted):
                ...  # game.universe, game.orders and game.mail are those of this turn

When the connection is lost, whoever waits for the server makes it come back: after a pause that grows with every
attempt it connects and logs in again and asks only for what has changed. A look is repeated then; an order that was not
answered is looked for in its queue and is confirmed, or lost, or, if the turn has passed, unknown. Nothing runs between
calls but the reading of what the server sends, and attempts to come back that have begun.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from tpproto import tp_pb2
from tpproto.dialects import Dialect
from tpproto.errors import FailCode

from .address import Address, parse_address
from .connection import Connection, Progress
from .errors import ClientError, ConnectionClosed, NoAnswer, OrderUnconfirmed, RequestFailed
from .events import Event, Fate, PendingOrder
from .login import Login
from .orders import APPEND, build_order, order_type
from .parameters import Value
from .queues import insert_known
from .reconnect import Persistence, Reconnector, is_broken
from .replica import Replica
from .universe import PLAYABLE, Changes

T = TypeVar("T")

GLANCE = 30.0
"""Seconds without news after which the server is asked: letters come without notice, and a dead line is noticed."""

MOST_EVENTS = 10_000
"""So many events are kept for whoever does not ask for them; of more the oldest are forgotten."""


class Game(Replica):
    """One player's game on a server. What is known of it is what `Replica` has: `universe`, `orders`, `mail`, `clock`,
    `turn`, `pending`, `is_over`.

    Methods that ask the server raise RequestFailed if it refuses; while the connection is lost they wait for it to come
    back, for as long as the persistence says, and then raise ConnectionClosed. What waiting cannot mend, as a wrong
    password after the server was replaced, ends `events` and is raised by every later call.
    """

    def __init__(
        self,
        login: Login,
        *,
        tables: Iterable[str] = PLAYABLE,
        progress: Progress | None = None,
        persistence: Persistence | None = None,
        glance: float = GLANCE,
    ) -> None:
        """See `open`; nothing happens before `start`."""
        super().__init__(login.game, tables, progress, self._emit, self._rouse)
        self._glance = glance
        self._events: deque[Event] = deque(maxlen=MOST_EVENTS)
        self._news = asyncio.Event()
        self._is_closed = False
        self._reconnector = Reconnector(login, persistence or Persistence(), self._take_up, self._emit, self._rouse)

    @classmethod
    async def open(
        cls,
        address: Address | str,
        user: str,
        password: str,
        game: str = "",
        *,
        dialect: Dialect | None = None,
        timeout: float = 30.0,
        register: bool = False,
        tables: Iterable[str] = PLAYABLE,
        progress: Progress | None = None,
        persistence: Persistence | None = None,
        glance: float = GLANCE,
    ) -> Self:
        """Connect, log in and download the game.

        `game` is the name of one of several games, `dialect` TP04 unless named (WebSocket: Protocol Buffers), `timeout`
        the seconds for one answer; `register` makes the account if the login is refused; `tables` are what is
        downloaded, `progress` is told how many things have come and how many there will be; `persistence` says how a
        lost connection is made again; after `glance` seconds without news the server is asked.

        Tries once: raises ServerAway, NoAnswer, ConnectionClosed, RequestFailed (as a wrong password) or BadArgument.
        """
        where = parse_address(address) if isinstance(address, str) else address
        login = Login(partial(Connection.open, where, dialect, timeout), user, password, game, register)
        followed = cls(login, tables=tables, progress=progress, persistence=persistence, glance=glance)
        await followed.start()
        return followed

    async def start(self) -> None:
        """Connect, log in and download, once; raises what `open` does. No events tell of it."""
        await self._reconnector.start()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Hang up and stop trying; `events` ends, whoever waits gets ConnectionClosed."""
        self._is_closed = True
        await self._reconnector.close()

    @property
    def is_connected(self) -> bool:
        return self._reconnector.is_up

    @property
    def has_turn_numbers(self) -> bool:
        """Whether the clock tells the turn and who is awaited; TP03's does not."""
        return self._has_turn_numbers

    @property
    def welcome(self) -> str:
        """What the server said at the last login."""
        return self._reconnector.welcome

    @property
    def me(self) -> int:
        """This player's id."""
        return self.universe.me

    @property
    def is_awaited(self) -> bool:
        """Whether the turn waits for this player. TP03 does not tell: there it is whenever the game is not over."""
        return self.me in self.clock.waiting if self._has_turn_numbers else not self.is_over

    # --- news

    async def events(self) -> AsyncIterator[Event]:
        """What happens, as it happens, until `close`.

        A turn that begins is downloaded before it is told. There is one queue of events: let one task read it. Raises
        the error if the connection cannot come back.
        """
        while True:
            try:
                event = await self._next()
            except ConnectionClosed:
                if self._is_closed:
                    return
                raise
            yield event

    async def wait_for_turn(self, after: int | None = None, timeout: float | None = None) -> int:
        """Wait until the next turn has begun or the game is over, and return the turn's number.

        The next turn is one after number `after`, or else after the turn in which `finish_turn` was called since the
        last wait, or else after the present one. Reads, and forgets, the events until then. Raises NoAnswer after
        `timeout` seconds.
        """
        begun = self._finished_at if self._finished_at is not None else self._turns_begun
        try:
            async with asyncio.timeout(timeout):
                while not self.is_over and (self._turns_begun <= begun if after is None else self.turn <= after):
                    await self._next()
        except TimeoutError:
            awaited = self.turn if after is None else after
            raise NoAnswer(f"No turn after {awaited} began within {timeout:g} seconds.") from None
        self._finished_at = None
        return self.turn

    async def refresh(self) -> Changes:
        """Bring the copy up to date now and say what changed. Events tell of it as well."""
        return await self._reconnector.retry(self._look)

    # --- asking

    async def order(
        self,
        queue: int,
        kind: str | tp_pb2.OrderDesc,
        arguments: Mapping[str, Value] | None = None,
        slot: int = APPEND,
    ) -> tp_pb2.Order:
        """Give an order, as `Connection.insert_order` does, and return it as the server has it.

        If the connection breaks before the answer, waits until it is back and returns the order if it is in its queue.
        Else raises OrderUnconfirmed, which says whether it is certainly lost.
        """
        connection = await self._reconnector.connected()
        description = order_type(self._descriptions, kind) if isinstance(kind, str) else kind
        pending = PendingOrder(description.name, build_order(description, queue, arguments, slot), self.turn)
        self.pending.append(pending)
        before = self.orders.get(queue)
        try:
            pending.order = await connection.send_order(pending.order)
        except ClientError as error:
            if is_broken(connection, error):
                await self._settled(pending)
                return pending.order
            self.pending.remove(pending)
            raise
        except BaseException:
            self.pending.remove(pending)
            self._unsure.add(queue)
            raise
        self.pending.remove(pending)
        if self.orders.get(queue) is before:
            self.orders[queue] = insert_known(before or (), pending.order)
        else:  # read meanwhile, with or without this order
            await self._reread(queue)
        return pending.order

    async def replace_order(
        self, old: tp_pb2.Order, kind: str | tp_pb2.OrderDesc, arguments: Mapping[str, Value] | None = None
    ) -> tp_pb2.Order:
        """Put an order in the place of `old`, one of `orders`, and return it as the server has it.

        If it is refused, the old one stays. If the connection breaks before the answer, raises ConnectionClosed when it
        is back; `orders` has what is there.
        """
        return await self._change(
            old.id, lambda connection: connection.replace_order(old, kind, arguments), "the order was changed"
        )

    async def move_order(self, old: tp_pb2.Order, slot: int) -> tp_pb2.Order:
        """Move one of `orders` to another slot of its queue, as `replace_order`. Raises BadArgument for a draft."""
        return await self._change(old.id, lambda connection: connection.move_order(old, slot), "the order was moved")

    async def _change(self, queue: int, ask: Callable[[Connection], Awaitable[T]], deed: str) -> T:
        """Ask once for a change of a queue, and read it anew, whatever has become of it."""
        self._unsure.add(queue)
        try:
            return await self._reconnector.at_most_once(ask, deed)
        finally:
            await self._reread(queue)

    async def probe(
        self, queue: int, kind: str | tp_pb2.OrderDesc, arguments: Mapping[str, Value] | None = None
    ) -> tp_pb2.Order:
        """Ask what `order` would give, without giving the order."""
        return await self._reconnector.retry(lambda connection: connection.probe(queue, kind, arguments))

    async def remove_order(self, queue: int, *slots: int) -> None:
        """Take orders out of a queue.

        If the connection breaks before the answer, raises ConnectionClosed when it is back; `orders` has what is there.
        """
        self._unsure.add(queue)
        await self._reconnector.at_most_once(
            lambda connection: connection.remove_order(queue, *slots), "the orders were removed"
        )
        await self.read_queue(queue)

    async def read_queue(self, queue: int) -> tuple[tp_pb2.Order, ...]:
        """Read the orders of one queue as they are now."""
        self.orders[queue] = tuple(await self._reconnector.retry(lambda connection: connection.orders(queue)))
        self._unsure.discard(queue)
        return self.orders[queue]

    async def _reread(self, queue: int) -> None:
        """Read one queue, or leave it to the next look if that cannot be."""
        self._unsure.add(queue)
        with suppress(ClientError):
            await self.read_queue(queue)

    async def finish_turn(self) -> None:
        """Say that we are done with the turn that we see. If that one has passed already nothing is said."""
        begun = self._turns_begun

        async def finish(connection: Connection) -> None:
            if self._turns_begun == begun and not self._is_stale:
                await connection.finish_turn()

        await self._reconnector.retry(finish)
        self._finished_at = begun

    async def post(self, board: int, subject: str, body: str, references: Sequence[tp_pb2.Reference] = ()) -> None:
        """Put a message on a board. Raises ConnectionClosed if the connection breaks before the answer."""
        await self._reconnector.at_most_once(
            lambda connection: connection.post(board, subject, body, references, self.turn), "the message was posted"
        )

    async def remove_messages(self, *messages: tp_pb2.Message) -> int:
        """Take messages of `mail` off the board and say how many of them were still there.

        Slots move up when others are removed, so where these stand is looked up just before. If the connection breaks
        before the answer, raises ConnectionClosed when it is back; `mail` has what is there.
        """

        async def remove(connection: Connection) -> int:
            await self._look(connection)
            slots = self._mail.slots_of(messages)
            if slots:
                await connection.remove_messages(*slots)
            return len(slots)

        removed = await self._reconnector.at_most_once(remove, "the messages were removed")
        await self.refresh()
        return removed

    async def time_remaining(self) -> tp_pb2.TimeRemaining:
        """Ask how long the turn still lasts."""
        return await self._reconnector.retry(lambda connection: connection.time_remaining())

    async def ask(self, ask: Callable[[Connection], Awaitable[T]]) -> T:
        """Ask anything else that can be said twice: it is said again if the connection breaks before the answer."""
        return await self._reconnector.retry(ask)

    async def _settled(self, pending: PendingOrder) -> None:
        """Come back and return if the order was confirmed; raises OrderUnconfirmed if not."""
        try:
            await self._reconnector.connected()
        except ClientError as error:
            if pending.fate is Fate.SENT:
                pending.why = f"Nobody can tell whether the order {pending.kind} has reached the server: {error}"
                raise OrderUnconfirmed(pending.why, is_lost=False) from error
        if pending.fate is not Fate.CONFIRMED:
            raise OrderUnconfirmed(pending.why, is_lost=pending.fate is Fate.LOST)

    # --- hearing

    def _emit(self, events: Iterable[Event]) -> None:
        self._events.extend(events)
        self._rouse()

    def _rouse(self) -> None:
        self._news.set()

    async def _next(self) -> Event:
        while not self._events:
            if self._reconnector.failure is not None:
                raise self._reconnector.failure
            await self._listen()
        return self._events.popleft()

    async def _listen(self) -> None:
        """Wait for something to happen, and do what it asks for."""
        self._news.clear()
        if not self._reconnector.is_up:
            self._reconnector.come_back()
            await self._news.wait()
            return
        connection = self._reconnector.connection
        assert connection is not None
        try:
            if self._is_stale or self._untold or not await self._hear():
                await self._look(connection)
        except ClientError as error:
            if is_broken(connection, error) or not connection.is_open:
                return
            if not isinstance(error, RequestFailed) or error.code != FailCode.UNAVAILABLE_TEMPORARILY:
                raise
            await self._hear()  # the turn is just being computed; the clock will tell

    async def _hear(self) -> bool:
        try:
            async with asyncio.timeout(self._glance):
                await self._news.wait()
        except TimeoutError:
            return False
        return True
