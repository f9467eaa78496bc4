"""A connection to a game server, for asyncio: log in, look, give orders, finish the turn, wait for the next."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Self

from tpproto import tp_pb2
from tpproto.dialects import Dialect

from .address import Address, parse_address
from .conversation import Conversation
from .errors import NoAnswer, RequestFailed, ServerAway
from .orders import APPEND, build_order, order_type
from .parameters import Value
from .replacing import inserted_order, move_order, replace_order
from .session import M, Request
from .transport import open_stream, spoken_at
from .universe import EVERYTHING, Changes, Universe

CLIENT = "tpclient"
"""What we call ourselves in the Connect frame."""

MOST_MESSAGES_AT_ONCE = 500

Progress = Callable[[int, int], None]
"""Is told during a download how many things have come and how many there will be; at least once at its end."""


class Connection(Conversation):
    """One connection to a server: the requests by name. Errors, clock and callbacks are those of `Conversation`."""

    @classmethod
    async def open(cls, address: Address | str, dialect: Dialect | None = None, timeout: float = 30.0) -> Self:
        """Make a connection; nothing is said yet. Without a dialect it is TP04, on a WebSocket Protocol Buffers.

        Raises ServerAway, NoAnswer or BadArgument.
        """
        where = parse_address(address) if isinstance(address, str) else address
        connection = cls(spoken_at(where, dialect), timeout)
        connection.attach(await open_stream(where, connection, timeout))
        return connection

    # --- sessions

    async def connect(self, client: str = CLIENT) -> str:
        """Say hello (Connect) and return the server's welcome. Raises ServerAway if it sends us elsewhere."""
        answer = await self.ask("connect", tp_pb2.Connect(client=client))
        for reply in answer.replies:
            if isinstance(reply.message, tp_pb2.Redirect):
                raise ServerAway(f"The server is not for us; it sends us to {reply.message.uri}.")
        return answer.one(tp_pb2.Okay).result

    async def login(self, username: str, password: str, game: str = "") -> str:
        """Log in, to one game of several if its name is given, and return the server's words."""
        name = f"{username}@{game}" if game else username
        return (await self._one("login", tp_pb2.Login(username=name, password=password), tp_pb2.Okay)).result

    async def create_account(self, username: str, password: str, email: str = "", comment: str = "") -> str:
        """Make an account and return the server's words; log in afterwards."""
        account = tp_pb2.CreateAccount(username=username, password=password, email=email, comment=comment)
        return (await self._one("create_account", account, tp_pb2.Okay)).result

    async def features(self) -> list[int]:
        """The numbers of the features that the server offers (TP04, Features)."""
        return list((await self._one("get_features", tp_pb2.GetFeatures(), tp_pb2.Features)).features)

    async def games(self) -> list[tp_pb2.Game]:
        """The games on the server. TP03 has no such request: BadArgument."""
        answer = await self.ask("get_games", tp_pb2.GetGames())
        return [_must(item) for item in answer.items(tp_pb2.Game)]

    async def ping(self) -> None:
        """Make sure that the server is there."""
        await self._one("ping", tp_pb2.Ping(), tp_pb2.Okay)

    # --- looking

    def universe(self) -> Universe:
        """An empty copy of the universe for this connection, to be filled with `refresh`."""
        return Universe(self.session.dialect, self.session.descriptions)

    async def refresh(
        self, universe: Universe, tables: Iterable[str] = EVERYTHING, progress: Progress | None = None
    ) -> Changes:
        """Bring a copy of the universe up to date and say what changed. Lists of ids are no progress, things are."""
        steps = universe.refresh(tables)
        try:
            requests = next(steps)
            while True:
                wanted = sum(map(things_wanted, requests))
                tell = partial(_tell, progress, wanted) if progress is not None and wanted else None
                requests = steps.send(await self.ask_all(requests, tell))
        except StopIteration as end:
            changes: Changes = end.value
            return changes

    async def messages(self, board: int = 0, start: int = 0) -> list[tp_pb2.Message]:
        """The messages of a board from slot `start` on, oldest first; board 0 is the player's own."""
        boards = await self.ask("get_boards", tp_pb2.GetWithID(ids=[board]))
        count = boards.one(tp_pb2.Board).messages
        found: list[tp_pb2.Message] = []
        for first in range(start, count, MOST_MESSAGES_AT_ONCE):
            slots = range(first, min(first + MOST_MESSAGES_AT_ONCE, count))
            answer = await self.ask("get_message", tp_pb2.GetWithIDSlot(id=board, slots=slots))
            found += [item for item in answer.items(tp_pb2.Message) if isinstance(item, tp_pb2.Message)]
        return found

    async def post(
        self, board: int, subject: str, body: str, references: Sequence[tp_pb2.Reference] = (), turn: int = 0
    ) -> None:
        """Put a message at the end of a board."""
        message = tp_pb2.Message(id=board, slot=APPEND, subject=subject, body=body, turn=turn, references=references)
        await self._one("post_message", message, tp_pb2.Okay)

    async def remove_messages(self, *slots: int, board: int = 0) -> None:
        """Take messages off a board, one after the other as given: each moves up those behind it. Raises the first
        refusal, after all have been answered."""
        answer = await self.ask("remove_message", tp_pb2.GetWithIDSlot(id=board, slots=slots))
        for item in answer.items(tp_pb2.Okay):
            _must(item)

    # --- orders

    async def orders(self, queue: int, slots: Sequence[int] | None = None) -> list[tp_pb2.Order]:
        """The orders in a queue, all of them unless slots are named. The ids of TP03 are those of objects."""
        if slots is None:
            slots = range(await self._queue_length(queue))
        answer = await self.ask("get_order", tp_pb2.GetWithIDSlot(id=queue, slots=slots))
        return [_must(item) for item in answer.items(tp_pb2.Order)]

    async def _queue_length(self, queue: int) -> int:
        if self.has_turn_numbers:
            found = await self._one("get_order_queue", tp_pb2.GetWithID(ids=[queue]), tp_pb2.OrderQueue)
            return found.num_orders
        thing = await self._one("get_objects_by_id", tp_pb2.GetWithID(ids=[queue]), tp_pb2.ClassicObject)
        return thing.orders

    async def insert_order(
        self,
        queue: int,
        kind: str | tp_pb2.OrderDesc,
        arguments: Mapping[str, Value] | None = None,
        slot: int = APPEND,
    ) -> tp_pb2.Order:
        """Give an order by its type, or that type's name, and the names of its parameters.

        `tpclient.parameters` has the values that fit.

        Returns it as the server has it, with its slot and, for lists, what can be selected; TP03 servers only say Okay,
        so there it comes back as it was sent. Raises UnknownName and BadArgument before anything is sent.
        """
        return await self.send_order(build_order(self._order_type(kind), queue, arguments, slot))

    async def send_order(self, order: tp_pb2.Order) -> tp_pb2.Order:
        """Give an order that is built already, into its queue and slot."""
        return inserted_order(await self.ask("order_insert", order), order)

    async def replace_order(
        self, old: tp_pb2.Order, kind: str | tp_pb2.OrderDesc, arguments: Mapping[str, Value] | None = None
    ) -> tp_pb2.Order:
        """Put an order in the place of `old`, which is as `orders` gave it; see `tpclient.replacing`."""
        return await replace_order(self, old, build_order(self._order_type(kind), old.id, arguments, old.slot))

    async def move_order(self, old: tp_pb2.Order, slot: int) -> tp_pb2.Order:
        """Move an order, which is as `orders` gave it, to another slot of its queue; see `tpclient.replacing`."""
        return await move_order(self, old, slot)

    async def probe(
        self, queue: int, kind: str | tp_pb2.OrderDesc, arguments: Mapping[str, Value] | None = None
    ) -> tp_pb2.Order:
        """Ask what `insert_order` would give, without giving the order."""
        order = build_order(self._order_type(kind), queue, arguments)
        return await self._one("order_probe", order, tp_pb2.Order)

    def _order_type(self, kind: str | tp_pb2.OrderDesc) -> tp_pb2.OrderDesc:
        return order_type(self.session.descriptions, kind) if isinstance(kind, str) else kind

    async def remove_order(self, queue: int, *slots: int) -> None:
        """Take orders out of a queue. Raises the first refusal."""
        answer = await self.ask("remove_order", tp_pb2.GetWithIDSlot(id=queue, slots=slots))
        for item in answer.items(tp_pb2.Okay):
            _must(item)

    # --- turns

    async def time_remaining(self) -> tp_pb2.TimeRemaining:
        """Ask how long the turn still lasts; `clock` is set to the answer as well."""
        return await self._one("get_time_remaining", tp_pb2.GetTimeRemaining(), tp_pb2.TimeRemaining)

    async def next_clock(self, seen: tp_pb2.TimeRemaining | None, patience: float) -> tp_pb2.TimeRemaining:
        """A newer clock than `seen`, which may be there already. After `patience` seconds without one it is asked for:
        a notice may be lost, letters come without any, and a server that has gone is noticed.
        """
        if self.clock is not None and self.clock is not seen:
            return self.clock
        if await self.wait_for_change(patience) and self.clock is not None:
            return self.clock
        return await self.time_remaining()

    async def finish_turn(self) -> None:
        """Say that we are done with this turn."""
        await self._one("finished_turn", tp_pb2.FinishedTurn(), tp_pb2.Okay)

    async def wait_for_turn(self, after: int, timeout: float | None = None) -> int:
        """Wait until a turn after number `after` has begun and return its number.

        TP03 has no turn numbers on the clock: there `after` is counted as in `turns_begun`, and so is what is returned.
        Raises NoAnswer if no such turn begins within `timeout` seconds.
        """
        try:
            async with asyncio.timeout(timeout):
                while True:
                    if self._present_turn() > after:
                        return self._present_turn()
                    await self.wait_for_change()
        except TimeoutError:
            raise NoAnswer(f"No turn after {after} began within {timeout:g} seconds.") from None

    def _present_turn(self) -> int:
        if not self.has_turn_numbers:
            return self.turns_begun
        return self.clock.turn if self.clock is not None else -1


def things_wanted(request: Request) -> int:
    """How many things a request asks for by their ids; 0 for one that asks who we are."""
    wanted = request.message.ids if isinstance(request.message, tp_pb2.GetWithID) else ()
    return 0 if list(wanted) == [0] and request.kind == "get_player" else len(wanted)


def _tell(progress: Progress, wanted: int, received: int) -> None:
    progress(min(received, wanted), wanted)


def _must(item: M | RequestFailed) -> M:
    if isinstance(item, RequestFailed):
        raise item
    return item
