"""A followed game: its copy, its news as events, and reconnecting.

    async with await Game.open("tp://127.0.0.1:6923", "ann", "secret") as game:
        async for event in game.events():
            if isinstance(event, TurnStarted):
                ...  # game.universe, game.orders and game.mail are those of this turn

After a lost connection, the next call that waits for the server reconnects, with a pause that grows with each attempt.
It logs in again and asks only for changes. It repeats requests that only read. For an order without a response it reads
the order queue. The order is then confirmed or lost. If the turn has passed, its fate is unknown. Between calls, only
the reading of frames and attempts to reconnect that have begun go on.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, TypeVar

from tpclient.address import Address
from tpclient.connection import REPLACE, TURN_BEGINS, Connection, Login, Progress
from tpclient.errors import (
    ClientError,
    ConnectionClosed,
    GameSuspended,
    NoAnswer,
    OrderUnconfirmed,
    RequestFailed,
    TurnPassed,
)
from tpclient.events import (
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
from tpclient.games import is_over, is_suspended
from tpclient.mail import Mail, MailChanges
from tpclient.manual import Manual
from tpclient.objects import SpaceObject
from tpclient.orders import APPEND, Arguments, OrderType, build_order, choices, order_type
from tpclient.parameters import Value, build, type_of
from tpclient.reconnect import Persistence, Reconnector, is_broken
from tpclient.session import Request
from tpclient.universe import PLAYABLE, Changes, Universe
from tpproto import tp_pb2
from tpproto.descriptions import Descriptions
from tpproto.dialects import Dialect
from tpproto.errors import FailCode

T = TypeVar("T")

GLANCE = 30.0
"""Seconds without news after which the server is asked.

Messages arrive without a push, and the request detects a dead connection.
"""

MOST_EVENTS = 10_000
"""Maximum of unread events. The oldest are dropped."""


class Game:
    """A player's game on a server, with a copy that downloads only changes.

    `universe` is the copy of what the player sees. `orders` has the orders by queue, in slot order. `mail` has the
    messages of the player's board. `universe`, `orders` and `mail` are new objects after GameReplaced. `turn` is the
    number of the turn of this copy (TP03: the year in the root object). `is_stale` is True if a turn has begun that is
    not yet downloaded. `pending` has the orders that are not answered yet.

    `clock` is the newest TimeRemaining. If `has_turn_numbers` is True, it has the turn and the awaited players. In TP03
    it has neither.

    Methods that send requests raise RequestFailed if the server refuses. While the connection is lost they wait until
    it is available again, as long as the persistence allows. Then they raise ConnectionClosed. An error that waiting
    cannot fix, such as a wrong password after the server was replaced, ends `events`. Every later call raises it.
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
        """Prepare a game with the arguments of `open`. Nothing is sent before `start`."""
        self.universe: Universe
        self.orders: dict[int, tuple[tp_pb2.Order, ...]] = {}
        self.pending: list[PendingOrder] = []
        self.clock = tp_pb2.TimeRemaining()
        self.turn = 0
        self.is_over = False
        self.is_stale = False
        self.has_turn_numbers = True
        self._login = login
        self._tables = tuple(tables)
        self._progress = progress
        self._glance = glance
        self._descriptions = Descriptions()
        self._identity: Identity | None = None
        self._mail = Mail()
        self._looking = asyncio.Lock()
        self._unsure: set[int] = set()
        """Queues with unknown content."""
        self._has_begun = False
        self._turns_begun = 0
        self._downloading: int | None = None
        """The number of the turn that is being downloaded."""
        self._finished_at: int | None = None
        self.unread: deque[Event] = deque(maxlen=MOST_EVENTS)
        """Events that nobody has read, the oldest first."""
        self._news = asyncio.Event()
        self._is_closed = False
        self.reconnector = Reconnector(login, persistence or Persistence(), self._take_up, self._tell)
        """Keeps the connection, and opens another one when it is lost."""

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
        turn: int | None = None,
    ) -> Self:
        """Connect, log in and download the game.

        `game` is the name of one of several games. `dialect` is TP04 unless named (WebSocket: Protocol Buffers).
        `timeout` is the seconds for one response. `register` creates the account if the login is refused. `tables` are
        downloaded, and `progress` is called with the counts of received and of all things. `persistence` decides how a
        lost connection is opened again. After `glance` seconds without news the server is asked. With the number of an
        old `turn`, everything is as it was then, also after a lost connection. Nothing can be changed then, and no turn
        follows.

        Tries once: raises ServerAway, NoAnswer, ConnectionClosed, RequestFailed (as for a wrong password) or
        BadArgument.
        """
        login = Login(partial(Connection.open, address, dialect, timeout), user, password, game, register, turn)
        followed = cls(login, tables=tables, progress=progress, persistence=persistence, glance=glance)
        await followed.start()
        return followed

    async def start(self) -> None:
        """Connect, log in and download, without a second attempt. Raises the errors of `open`. Yields no events."""
        await self.reconnector.start()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection and stop reconnecting.

        `events` ends, and waiting callers get ConnectionClosed.
        """
        self._is_closed = True
        await self.reconnector.close()

    @property
    def is_connected(self) -> bool:
        return self.reconnector.is_up

    def speaks(self, request: str) -> bool:
        """Return whether the dialect has a request, named as in `Frame.body`."""
        connection = self.reconnector.connection
        return connection is not None and connection.speaks(request)

    @property
    def mail(self) -> list[tp_pb2.Message]:
        """The messages of the player's own board, oldest first, each with its present slot."""
        return self._mail.messages

    @property
    def welcome(self) -> str:
        """The text of the server at the last login."""
        return self.reconnector.connection.welcome if self.reconnector.connection is not None else ""

    @property
    def me(self) -> int:
        """The id of the own player."""
        return self.universe.me

    @property
    def is_awaited(self) -> bool:
        """Return whether the downloaded turn waits for this player.

        TP03 does not tell. There this is True until the game is over.
        """
        if self.is_stale:
            return False
        return self.me in self.clock.waiting if self.has_turn_numbers else not self.is_over

    @property
    def is_suspended(self) -> bool:
        """Return whether the rules failed, so that the game waits for its operator. TP03 does not tell: False."""
        return is_suspended(self.clock)

    # --- news

    async def events(self) -> AsyncIterator[Event]:
        """Yield the events of the game until `close`.

        A turn that begins is downloaded before its event. There is one queue of events, so let one task read it. Raises
        the error if the connection cannot be opened again.
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

        The next turn is one after number `after`. Without that, it is one after the turn in which `finish_turn` was
        called since the last wait, or after the present one. Reads and drops the events until then. Raises NoAnswer
        after `timeout` seconds, and GameSuspended if the game waits for its operator.
        """
        begun = self._finished_at if self._finished_at is not None else self._turns_begun
        try:
            async with asyncio.timeout(timeout):
                while not self.is_over and (self._turns_begun <= begun if after is None else self.turn <= after):
                    if self.is_suspended:
                        raise GameSuspended("The rules of this game failed. It waits until its operator resumes it.")
                    await self._next()
        except TimeoutError:
            awaited = self.turn if after is None else after
            raise NoAnswer(f"No turn after {awaited} began within {timeout:g} seconds.") from None
        self._finished_at = None
        return self.turn

    async def refresh(self) -> Changes:
        """Update the copy now and return the changes. They also become events."""
        return await self.reconnector.retry(self._look)

    # --- asking

    async def order(
        self, carrier: int | SpaceObject, kind: OrderType, arguments: Arguments | None = None, slot: int = APPEND
    ) -> tp_pb2.Order:
        """Give an order to an object, or to a queue by its id, and return it as the server has it.

        If the connection breaks before the response, waits until it is available again. Then returns the order if it is
        in its queue. Otherwise raises OrderUnconfirmed, which tells whether the order is certainly lost.
        """
        queue, turn = _queue_of(carrier), max(self.turn, 0)
        connection = await self.reconnector.connected()
        description = order_type(self._descriptions, kind)
        order = build_order(description, queue, arguments, slot)
        if connection.speaks(REPLACE):
            order.turn = turn
        pending = PendingOrder(description.name, order, turn)
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
        else:  # the queue was read meanwhile, with or without this order
            await self._reread(queue)
        return pending.order

    async def replace_order(
        self, old: tp_pb2.Order, kind: OrderType, arguments: Arguments | None = None
    ) -> tp_pb2.Order:
        """Replace `old`, one of `orders`, and return the new order as the server has it.

        If it is refused, the old one stays. If the connection breaks before the response, waits until it is available
        again. Then updates `orders` and raises ConnectionClosed.
        """
        turn = self.turn
        return await self._change(
            old.id, lambda connection: connection.replace_order(old, kind, arguments, turn), "the order was changed"
        )

    async def move_order(self, old: tp_pb2.Order, slot: int) -> tp_pb2.Order:
        """Move one of `orders` to another slot of its queue, like `replace_order`. Raises BadArgument for a draft."""
        turn = self.turn
        return await self._change(
            old.id, lambda connection: connection.move_order(old, slot, turn), "the order was moved"
        )

    async def _change(self, queue: int, ask: Callable[[Connection], Awaitable[T]], deed: str) -> T:
        """Send a change of a queue once, and read the queue again in any case."""
        self._unsure.add(queue)
        try:
            return await self.reconnector.at_most_once(ask, deed)
        finally:
            await self._reread(queue)

    async def probe(
        self,
        carrier: int | SpaceObject,
        kind: OrderType,
        arguments: Arguments | None = None,
        slot: int = APPEND,
        *,
        replaces: bool = False,
    ) -> tp_pb2.Order:
        """Return what `order`, or with `replaces` `replace_order`, would give, without giving the order.

        See `Connection.probe`.
        """
        queue = _queue_of(carrier)
        return await self.reconnector.retry(
            lambda connection: connection.probe(queue, kind, arguments, slot, replaces=replaces)
        )

    async def remove_order(self, carrier: int | SpaceObject, *slots: int) -> None:
        """Remove orders from a queue.

        If the connection breaks before the response, waits until it is available again. Then updates `orders` and
        raises ConnectionClosed.
        """
        queue, turn = _queue_of(carrier), self.turn
        await self._change(
            queue, lambda connection: connection.remove_order(queue, *slots, turn=turn), "the orders were removed"
        )

    async def _reread(self, queue: int) -> None:
        """Read one queue. If that fails, the next update reads it."""
        self._unsure.add(queue)
        with suppress(ClientError):
            self.orders[queue] = tuple(await self.reconnector.retry(lambda connection: connection.orders(queue)))
            self._unsure.discard(queue)

    async def finish_turn(self) -> None:
        """Finish the turn of this copy.

        Raises TurnPassed, and sends nothing, if that turn has ended. `wait_for_turn` then returns the turn after it.
        """
        begun, turn = self._turns_begun, self.turn

        async def finish(connection: Connection) -> None:
            is_past = self._turns_begun != begun or self.is_stale
            if not is_past:
                try:
                    await connection.finish_turn(turn)
                except RequestFailed as refusal:
                    if refusal.code != FailCode.GONE:
                        raise
                    is_past = True
            if is_past:
                self._finished_at = begun
                raise TurnPassed(
                    f"Turn {turn} has ended, so it cannot be finished. Call wait_for_turn, then look again."
                )

        await self.reconnector.retry(finish)
        self._finished_at = begun

    async def unfinish_turn(self) -> str:
        """Undo `finish_turn`, until the turn is computed, and return the server's text.

        Raises BadArgument in TP03 and TP04, which have no such request.
        """
        turn = self.turn
        words = await self.reconnector.retry(lambda connection: connection.unfinish_turn(turn))
        self._finished_at = None
        return words

    async def legal_orders(self, *objects: int) -> list[tp_pb2.LegalOrder]:
        """Return the types of order that can be given (`Connection.legal_orders`)."""
        return await self.reconnector.retry(lambda connection: connection.legal_orders(*objects))

    async def legal_values(
        self, carrier: int | SpaceObject, kind: OrderType, chosen: Sequence[Value] = ()
    ) -> tp_pb2.LegalValues:
        """Return the values of the next parameter (`Connection.legal_values`)."""
        return await self.reconnector.retry(lambda connection: connection.legal_values(carrier, kind, chosen))

    async def legal_arguments(
        self, order: tp_pb2.LegalOrder, choose: Callable[[Sequence[tp_pb2.OrderParameter]], tp_pb2.OrderParameter]
    ) -> list[tp_pb2.OrderParameter] | None:
        """Choose a value for each parameter of one of `legal_orders`, and return the values for `order`.

        `choose` gets the legal values of the next parameter and returns one of them. It must not call the game.
        Optional parameters are left out if the server cannot list their values. Returns None if no value fits.
        """
        description = order_type(self._descriptions, order)
        chosen: list[tp_pb2.OrderParameter] = []
        for parameter in description.parameters:
            if order.named and not chosen:
                values = [build(description.name, parameter, order.named)]
            else:
                told = await self.legal_values(order.id, order, chosen)
                values = [*(build(description.name, parameter, number) for number in told.ids), *told.values]
            if values:
                chosen.append(choose(values))
            elif type_of(parameter).default is None:
                return None
            else:
                chosen.append(build(description.name, parameter, None))
        return chosen

    async def turn_summaries(self, first: int, amount: int = 1) -> list[tp_pb2.TurnSummary]:
        """Return summaries of turns (`Connection.turn_summaries`)."""
        return await self.reconnector.retry(lambda connection: connection.turn_summaries(first, amount))

    async def post(self, board: int, subject: str, body: str, references: Sequence[tp_pb2.Reference] = ()) -> None:
        """Post a message to a board. Raises ConnectionClosed if the connection breaks before the response."""
        await self.reconnector.at_most_once(
            lambda connection: connection.post(board, subject, body, references, self.turn), "the message was posted"
        )

    async def remove_messages(self, *messages: tp_pb2.Message) -> int:
        """Remove messages of `mail` from the board and return how many were still there.

        Slots change when other messages are removed, so they are read again first. If the connection breaks before the
        response, waits until it is available again. Then updates `mail` and raises ConnectionClosed.
        """

        async def remove(connection: Connection) -> int:
            await self._look(connection)
            slots = self._mail.slots_of(messages)
            if slots:
                await connection.remove_messages(*slots)
            return len(slots)

        removed = await self.reconnector.at_most_once(remove, "the messages were removed")
        await self.refresh()
        return removed

    async def time_remaining(self) -> tp_pb2.TimeRemaining:
        """Return the time remaining of the turn."""
        return await self.reconnector.retry(lambda connection: connection.time_remaining())

    async def rules(self, ruleset: str = "") -> Manual:
        """Return the rules for players of this game, or of a ruleset by its name.

        Raises BadArgument in TP03 and TP04, which have no such request. `tpclient.read_manual` uses a separate
        connection instead.
        """
        return await self.reconnector.retry(lambda connection: connection.rules(ruleset))

    async def appearance(self, ruleset: str = "") -> tp_pb2.Appearance:
        """Return the appearance of this game, or of a ruleset by its name.

        See `Connection.appearance`.
        """
        return await self.reconnector.retry(lambda connection: connection.appearance(ruleset))

    async def standing(self) -> tp_pb2.Standing:
        """Return the scores in the turn that is shown (`Connection.standing`)."""
        return await self.reconnector.retry(lambda connection: connection.standing())

    async def scores(self) -> tp_pb2.Scores:
        """Return the scores of each turn, and final places (`Connection.scores`)."""
        return await self.reconnector.retry(lambda connection: connection.scores())

    async def setup(self, game: str = "") -> tp_pb2.GameSetup:
        """Return the setup of this game, or of another by name.

        See `Connection.setup`.
        """
        return await self.reconnector.retry(lambda connection: connection.setup(game))

    async def game_clock(self, game: str = "") -> tp_pb2.Clock:
        """Return the turn clock of this game, or of another by name.

        See `Connection.game_clock`.
        """
        return await self.reconnector.retry(lambda connection: connection.game_clock(game))

    async def extend_turn(self, game: str, seconds: int) -> str:
        """Give the present turn of a game more time (`Connection.extend_turn`). Never repeated."""
        turn = self._turn_in(game)
        return await self.reconnector.at_most_once(
            lambda connection: connection.extend_turn(game, seconds, turn), "the turn has more time"
        )

    async def take_time_back(self, game: str) -> str:
        """Take back an extension of the turn (`Connection.take_time_back`). Never repeated."""
        turn = self._turn_in(game)
        return await self.reconnector.at_most_once(
            lambda connection: connection.take_time_back(game, turn), "the time is taken back"
        )

    def _turn_in(self, game: str) -> int | None:
        """Return the turn of this copy, if `game` is this game. None for other games."""
        ours = self._identity.game if self._identity is not None else ""
        return self.turn if ours and game.casefold() == ours.casefold() and self.turn >= 0 else None

    async def set_clock(self, game: str, clock: str) -> str:
        """Change the turn clock of a game (`Connection.set_clock`). Never repeated."""
        return await self.reconnector.at_most_once(
            lambda connection: connection.set_clock(game, clock), "the clock is changed"
        )

    async def game_seats(self, game: str = "") -> tp_pb2.Seats:
        """Return the seats of this game, or of another by name.

        See `Connection.game_seats`.
        """
        return await self.reconnector.retry(lambda connection: connection.game_seats(game))

    async def set_seat_policy(self, game: str, policy: tp_pb2.SeatPolicy) -> str:
        """Set the policy for absent players (`Connection.set_seat_policy`). Never repeated."""
        return await self.reconnector.at_most_once(
            lambda connection: connection.set_seat_policy(game, policy), "that is decided"
        )

    async def say_here(self) -> str:
        """Report that the player is present (`Connection.say_here`)."""
        return await self.reconnector.retry(lambda connection: connection.say_here())

    async def set_autopilot(self, turns: int) -> str:
        """Let the bot of the rules play this seat (`Connection.set_autopilot`). Never repeated."""
        turn = self.turn
        return await self.reconnector.at_most_once(
            lambda connection: connection.set_autopilot(turns, turn), "the bot plays for you"
        )

    async def remove_player(self, game: str, player: int) -> str:
        """Remove a player, or offer a bot's seat (`Connection.remove_player`). Never repeated."""
        return await self.reconnector.at_most_once(
            lambda connection: connection.remove_player(game, player), "the player is removed"
        )

    async def proposals(self, game: str = "") -> tp_pb2.Proposals:
        """Return the proposals of the players of this game, or of another.

        See `Connection.proposals`.
        """
        return await self.reconnector.retry(lambda connection: connection.proposals(game))

    async def propose(self, /, game: str, kind: str, seconds: int = 0, **arguments: Any) -> str:
        """Propose something (`Connection.propose`). Never repeated."""
        turn = self._turn_in(game)
        return await self.reconnector.at_most_once(
            lambda connection: connection.propose(game, kind, seconds, turn, **arguments), "it is proposed"
        )

    async def vote(self, game: str, number: int, vote: str) -> str:
        """Vote on a proposal (`Connection.vote`). Never repeated."""
        return await self.reconnector.at_most_once(
            lambda connection: connection.vote(game, number, vote), "the vote has counted"
        )

    async def vacations(self) -> tp_pb2.Vacations:
        """Return the vacations of the account (`Connection.vacations`)."""
        return await self.reconnector.retry(lambda connection: connection.vacations())

    async def add_vacation(self, begins: int, ends: int) -> str:
        """Add a vacation of the account (`Connection.add_vacation`). Never repeated."""
        return await self.reconnector.at_most_once(
            lambda connection: connection.add_vacation(begins, ends), "the vacation is known"
        )

    async def end_vacation(self, number: int) -> str:
        """End a vacation (`Connection.end_vacation`). Never repeated."""
        return await self.reconnector.at_most_once(
            lambda connection: connection.end_vacation(number), "the vacation is over"
        )

    async def ask(self, ask: Callable[[Connection], Awaitable[T]]) -> T:
        """Send any other request that can be repeated. It is repeated if the connection breaks before the response."""
        return await self.reconnector.retry(ask)

    async def change_password(
        self,
        old: str,
        new: str,
        *,
        drop_addresses: bool = False,
        drop_providers: bool = False,
        drop_links: bool = False,
    ) -> str:
        """Change the password of the account, and return the server's text.

        This game then logs in with the new password. Also ends addresses, providers and links as
        `Connection.change_password` does. Raises RequestFailed. Raises ConnectionClosed if it is unknown whether the
        password was changed.
        """
        words = await self.reconnector.at_most_once(
            lambda connection: connection.change_password(
                old, new, drop_addresses=drop_addresses, drop_providers=drop_providers, drop_links=drop_links
            ),
            "the password was changed",
        )
        self._login = replace(self._login, password=new)
        self.reconnector.log_in_as(self._login)
        return words

    async def _settled(self, pending: PendingOrder) -> None:
        """Reconnect, and return if the order was confirmed.

        Raises OrderUnconfirmed if not.
        """
        try:
            await self.reconnector.connected()
        except ClientError as error:
            if pending.fate is Fate.SENT:
                pending.why = f"Nobody can tell whether the order {pending.kind} has reached the server: {error}"
                raise OrderUnconfirmed(pending.why, is_lost=False) from error
        if pending.fate is not Fate.CONFIRMED:
            raise OrderUnconfirmed(pending.why, is_lost=pending.fate is Fate.LOST)

    def _heard(self, clock: tp_pb2.TimeRemaining, is_push: bool) -> None:
        before, self.clock = self.clock, clock
        if clock.time == 0:
            self.is_stale = False
            if before.time or before.turn != clock.turn:
                self._tell([TurnEnded(self.turn, clock)])
        elif self._is_new(before, clock, is_push):
            self.is_stale = True
            self._news.set()
        elif is_push:
            self._tell([TimeTold(clock)])

    def _is_new(self, before: tp_pb2.TimeRemaining, clock: tp_pb2.TimeRemaining, is_push: bool) -> bool:
        """Return whether a clock belongs to a turn that is not downloaded.

        The first turn of a game has the same number as the wait before it.
        """
        is_start = clock.reason == TURN_BEGINS if self.has_turn_numbers else before.time == 0
        if is_push and is_start:
            self._has_begun = True
        known = self.turn if self._downloading is None else self._downloading
        return self._has_begun or (clock.turn != known if self.has_turn_numbers else is_start)

    # --- a new connection

    async def _take_up(self, connection: Connection) -> Sequence[Event]:
        """Continue with a new connection, and return the events.

        Checks that it is the same game, downloads the changes and settles orders without a response.
        """
        self.has_turn_numbers = connection.has_turn_numbers
        clock = await connection.time_remaining()
        now = await identify(connection, self._identity.game if self._identity else self._login.game)
        is_first = self._identity is None
        why = self._identity.difference(now) if self._identity else ""
        if not why and self.has_turn_numbers and clock.turn < self.turn:
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
        if is_first and self.has_turn_numbers:
            self.turn = clock.turn
        told = await self._catch_up(connection)
        settle(waiting, before, self.orders, self.turn)
        self.pending = [one for one in self.pending if one not in waiting]
        if is_first:
            if not self.has_turn_numbers:
                self.turn = self.universe.turn or 0
            return ()
        return [*map(OrderSettled, waiting), *told]

    def _forget(self, why: str) -> None:
        """Drop the copy, because the server has another game."""
        self._descriptions = Descriptions()
        self.orders, self._mail = {}, Mail()
        self._unsure.clear()
        self.turn, self.is_over, self._finished_at = -1, False, None
        lost, self.pending = self.pending, []
        for one in lost:
            one.fate, one.why = Fate.LOST, f"The order {one.kind} was for a game that no longer exists. {why}"
        self._tell([GameReplaced(why), *map(OrderSettled, lost)])

    # --- looking

    async def _look(self, connection: Connection) -> Changes:
        """Update the copy, queue the events and return the changes."""
        told = await self._catch_up(connection)
        self._tell(told)
        return next((event.changes for event in told if isinstance(event, ThingsChanged)), Changes())

    async def _catch_up(self, connection: Connection) -> list[Event]:
        """Download the changes, and return the events about them."""
        async with self._looking:
            clock = await connection.time_remaining()
            was_stale, self.is_stale = self.is_stale, False
            has_begun, self._has_begun = self._has_begun, False
            universe, changes = self.universe, Changes()
            self._downloading = clock.turn
            try:
                changes = await connection.refresh(universe, self._tables, self._progress)
                await self._read_orders(connection, changes)
                letters = await self._mail.read(connection)
            except BaseException as error:
                # The changes are not reported yet, so the next update has to report them.
                universe.tell_again(changes)
                if not isinstance(error, RequestFailed):  # else the server is computing the turn
                    self.is_stale |= was_stale
                    self._has_begun |= has_begun
                raise
            finally:
                self._downloading = None
            return self._tidings(clock, changes, letters, has_begun)

    async def _read_orders(self, connection: Connection, changes: Changes) -> None:
        """Read the queues in which a refresh of the universe has found changes, and those in `_unsure`.

        If this is interrupted, `_unsure` has the queues to read next time.
        """
        queues = self.universe.queues
        changed = changes.fetched.get("queues" if connection.has_turn_numbers else "objects", ())
        doubtful = self._unsure & queues.keys()
        counts = {number: queues[number].num_orders for number in changed if number in queues.keys() - doubtful}
        self._unsure.clear()  # now, because another call may add a queue during the wait
        for number in self.orders.keys() - queues.keys():
            del self.orders[number]
        try:
            for number in sorted(doubtful):
                try:
                    self.orders[number] = tuple(await connection.orders(number))
                except RequestFailed as refusal:
                    if not refusal.is_gone:
                        raise
                    self.orders.pop(number, None)
            # The others in one batch, because their numbers of orders are known.
            filled = [number for number, count in sorted(counts.items()) if count]
            for number in counts.keys() - set(filled):
                self.orders.pop(number, None)
            answers = await connection.ask_all(
                [Request("get_order", tp_pb2.GetWithIDSlot(id=one, slots=range(counts[one]))) for one in filled]
            )
            for number, answer in zip(filled, answers, strict=True):
                self.orders[number] = tuple(answer.present(tp_pb2.Order))
        except BaseException:
            self._unsure |= doubtful | counts.keys()
            raise

    def _tidings(
        self, clock: tp_pb2.TimeRemaining, changes: Changes, letters: MailChanges, has_begun: bool
    ) -> list[Event]:
        told: list[Event] = []
        number = self._number(clock)
        if clock.time and (has_begun or number != self.turn):
            self.turn = number
            self._turns_begun += 1
            told.append(TurnStarted(number, clock.turn_name, clock))
        if changes:
            told.append(ThingsChanged(changes))
        if letters.gone:
            told.append(MessagesGone(letters.gone))
        if letters.fresh:
            told.append(MessagesCame(letters.fresh))
        if not self.is_over and is_over(clock, letters.fresh):
            self.is_over = True
            told.append(GameEnded(clock.turn_name))
        return told

    def _number(self, clock: tp_pb2.TimeRemaining) -> int:
        return clock.turn if self.has_turn_numbers else self.universe.turn or 0

    # --- hearing

    def _tell(self, events: Iterable[Event]) -> None:
        self.unread.extend(events)
        self._news.set()

    async def _next(self) -> Event:
        while not self.unread:
            if self.reconnector.failure is not None:
                raise self.reconnector.failure
            await self._listen()
        return self.unread.popleft()

    async def _listen(self) -> None:
        """Wait for news, and act on it: reconnect, or update the copy."""
        self._news.clear()
        if not self.reconnector.is_up:
            self.reconnector.come_back()
            await self._news.wait()
            return
        connection = self.reconnector.connection
        assert connection is not None
        try:
            if self.is_stale or any(self.universe.untold.values()) or not await self._hear():
                await self._look(connection)
        except ClientError as error:
            if is_broken(connection, error) or not connection.is_open:
                return
            if not isinstance(error, RequestFailed) or error.code != FailCode.UNAVAILABLE_TEMPORARILY:
                raise
            await self._hear()  # the server is computing the turn, and the clock will change

    async def _hear(self) -> bool:
        try:
            async with asyncio.timeout(self._glance):
                await self._news.wait()
        except TimeoutError:
            return False
        return True


def _queue_of(carrier: int | SpaceObject) -> int:
    """Return the id of the queue of an object, or the id as given.

    An object without a visible queue gives its own id, which the server then refuses.
    """
    return carrier.queue or carrier.id if isinstance(carrier, SpaceObject) else carrier


def insert_known(queued: Sequence[tp_pb2.Order], order: tp_pb2.Order) -> tuple[tp_pb2.Order, ...]:
    """Return a queue after an insertion by the server. Later orders move up by one slot."""
    slot = len(queued) if order.slot == APPEND else min(order.slot, len(queued))
    after = [*queued[:slot], order, *queued[slot:]]
    for number, one in enumerate(after):
        one.slot = number
    return tuple(after)


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a game: the player, and the game's name, rules and age.

    The age is the time of creation. The game is empty in TP03, which cannot ask for it. It is also empty if the server
    has several games and the name of this one is unknown.
    """

    player: int
    player_name: str
    game: str = ""
    rules: str = ""
    created: int = 0

    def difference(self, now: "Identity") -> str:
        """Return the difference to the present identity as a sentence, or ""."""
        if self.game and not now.game:
            return f"The game {self.game} no longer exists."
        if self.game and (self.game, self.rules) != (now.game, now.rules):
            return f"The game is now {now.game} ({now.rules}), not {self.game} ({self.rules})."
        if self.game and self.created != now.created:
            return f"The game {self.game} was created again."
        if (self.player, self.player_name) != (now.player, now.player_name):
            return f"We are now player {now.player}, {now.player_name}, not player {self.player}, {self.player_name}."
        return ""


async def identify(connection: Connection, game: str) -> Identity:
    """Return the present identity in a game by its name; empty for the only game."""
    player = (await connection.ask("get_player", tp_pb2.GetWithID(ids=[0]))).one(tp_pb2.Player)
    games: list[tp_pb2.Game] = []
    if connection.has_turn_numbers:
        try:
            games = await connection.games()
        except RequestFailed:  # the server may refuse
            games = []
    found = [one for one in games if one.name == game] if game else games
    if len(found) != 1:
        return Identity(player.id, player.name)
    (one,) = found
    return Identity(player.id, player.name, one.name, one.rule, one.created)


def settle(
    pending: Sequence[PendingOrder],
    before: Mapping[int, Sequence[tp_pb2.Order]],
    now: Mapping[int, Sequence[tp_pb2.Order]],
    turn: int,
) -> None:
    """Decide the fate of orders without a response.

    `before` has the known orders by queue when the connection was lost, without the pending ones. `now` has the present
    ones, in turn number `turn`. An order that is there more often than before was accepted.
    """
    fresh: dict[int, list[tp_pb2.Order]] = {}
    for one in pending:
        if one.queue not in fresh:
            fresh[one.queue] = _additional(before.get(one.queue, ()), now.get(one.queue, ()))
        found = next((order for order in fresh[one.queue] if choices(order) == choices(one.order)), None)
        if found is not None:
            fresh[one.queue].remove(found)
            one.order = found
            one.fate = Fate.CONFIRMED
        elif one.turn == turn:
            one.fate = Fate.LOST
            one.why = f"The connection broke, and the order {one.kind} has not reached the server; give it again."
        else:
            one.fate = Fate.UNKNOWN
            one.why = (
                f"The connection broke and the turn has passed; nobody can tell whether the order {one.kind} had "
                "reached the server."
            )


def _additional(before: Sequence[tp_pb2.Order], now: Sequence[tp_pb2.Order]) -> list[tp_pb2.Order]:
    """Return the orders that were not there before. An order that was added twice appears twice."""
    known = Counter(map(choices, before))
    fresh = []
    for order in now:
        if known[choices(order)]:
            known[choices(order)] -= 1
        else:
            fresh.append(order)
    return fresh
