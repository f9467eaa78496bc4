"""A bare client: frames over a socket, one by one or many at once.

It remembers only types. `Line` is one connection of an asyncio program. `Client` is one that waits for each response.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import ssl
import struct
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from google.protobuf.message import Message

from tests.support.process import SECONDS
from tests.support.server import HOST
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP04, Dialect
from tpproto.frames import frame
from tpproto.stream import FrameReader, RawFrame

M = TypeVar("M", bound=Message)


class Gone(Exception):
    """The connection has ended."""


class Failed(Exception):
    """The server has answered with a Fail frame."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{text} (code {code})")
        self.code = code
        self.text = text


@dataclass(slots=True)
class _Pending:
    sequence: int
    missing: int = 1
    announced: bool = False
    frames: list[Message] = field(default_factory=list)


class Conversation(ABC):
    """Requests are numbered and encoded, frames decoded, and put together to answers; whatever carries the bytes.

    `pushed` is called with every TimeRemaining frame that nobody asked for.
    """

    def __init__(self, dialect: Dialect = TP04, pushed: Callable[[tp.TimeRemaining], None] | None = None) -> None:
        self.dialect = dialect
        self.types = Descriptions()
        self.pushed = pushed
        self.clock: tp.TimeRemaining | None = None
        self.strange: str = ""
        """A forbidden action of the server, or empty if there was none."""
        self._reader = FrameReader(None, dialect)
        self._numbers = itertools.count(1)
        self._order: deque[_Pending] = deque()

    def frame(self, kind: str, message: Message, sequence: int) -> bytes:
        """The bytes of one frame; `kind` is the frame's name in the schema."""
        return self.dialect.encode(frame(sequence, kind, message), self.types)

    def request(self, kind: str, message: Message) -> bytes:
        """The bytes of a request with a number of its own, whose answer is not put together here."""
        return self.frame(kind, message, next(self._numbers))

    def begin(self, kind: str, message: Message) -> int:
        """Send a request and return its number."""
        sequence = next(self._numbers)
        self.write(self.frame(kind, message, sequence))
        self._order.append(_Pending(sequence))
        return sequence

    def use(self, dialect: Dialect) -> None:
        """Speak and read this dialect from now on, as the server has agreed to."""
        self.dialect = dialect
        self._reader.use(dialect)

    @abstractmethod
    def write(self, data: bytes) -> None: ...

    def feed(self, data: bytes) -> None:
        for event in self._reader.feed(data):
            if not isinstance(event, RawFrame):
                self.found_strange(f"it sent what is no frame: {event.error.text}")
                return
            self.take(event)

    def take(self, raw: RawFrame) -> None:
        message = raw.decode(self.types)
        if isinstance(message, tp.OrderDesc):
            self.types.learn_order(message)
        elif isinstance(message, tp.ObjectDesc):
            self.types.learn_object(message)
        if isinstance(message, tp.TimeRemaining):
            if self.clock is not None and message.turn < self.clock.turn:
                self.found_strange(f"it told of turn {message.turn} after turn {self.clock.turn}")
            self.clock = message
        if raw.sequence == 0:
            if not isinstance(message, tp.TimeRemaining):
                self.found_strange(f"it sent {type(message).__name__} without being asked")
            elif self.pushed is not None:
                self.pushed(message)
            return
        if not self._order or self._order[0].sequence != raw.sequence:
            self.found_strange(f"it answered {raw.sequence} out of order or unasked")
            return
        pending = self._order[0]
        if isinstance(message, tp.Sequence) and not pending.announced:
            pending.announced, pending.missing = True, message.number
        else:
            pending.frames.append(message)
            pending.missing -= 1
        if not pending.missing:
            self._order.popleft()
            self.answered(pending.sequence, pending.frames)

    @abstractmethod
    def answered(self, sequence: int, frames: list[Message]) -> None:
        """An answer is whole: all frames but the Sequence that announced them."""

    def found_strange(self, what: str) -> None:
        self.strange = self.strange or what
        self.close()

    @abstractmethod
    def close(self) -> None: ...


class Line(Conversation, asyncio.Protocol):
    """One connection of a program with many."""

    def __init__(self, dialect: Dialect = TP04, pushed: Callable[[tp.TimeRemaining], None] | None = None) -> None:
        super().__init__(dialect, pushed)
        self.gone = asyncio.Event()
        self._changed = asyncio.Event()
        self.unanswered: dict[int, asyncio.Future[list[Message]]] = {}
        """The answers to come, by the number of the request."""
        self._transport: asyncio.Transport
        self._until_the_end: asyncio.Task[None]

    @classmethod
    async def open(
        cls,
        port: int,
        dialect: Dialect = TP04,
        pushed: Callable[[tp.TimeRemaining], None] | None = None,
        tls: ssl.SSLContext | None = None,
        source: str = "",
    ) -> Line:
        """Connect; `source` is an address of this machine to come from, if not the usual one."""
        loop = asyncio.get_running_loop()
        local = (source, 0) if source else None
        made = loop.create_connection(lambda: cls(dialect, pushed), HOST, port, ssl=tls, local_addr=local)
        async with asyncio.timeout(SECONDS):  # unlike wait_for, it loses no cancellation that comes with the answer
            _, line = await made
        line.write(dialect.greeting)
        return line

    async def _close_with_the_loop(self) -> None:
        """Hang up at the end of `asyncio.run`, which cancels this. A server that stops would wait for the client."""
        try:
            await self.gone.wait()
        finally:
            self.close()

    def close(self) -> None:
        self._transport.abort()

    def reset(self) -> None:
        """Close so that the server cannot take it for a client that is silent but still listens."""
        socket_ = self._transport.get_extra_info("socket")
        socket_.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def read(self, yes: bool) -> None:
        """Stop or resume reading. The kernel lets the server know when its buffers are full."""
        (self._transport.resume_reading if yes else self._transport.pause_reading)()

    # --- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._until_the_end = asyncio.get_running_loop().create_task(self._close_with_the_loop())

    def data_received(self, data: bytes) -> None:
        self.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        self._changed.set()
        for answer in self.unanswered.values():
            if not answer.done():
                answer.set_exception(Gone("the connection ended before the answer came"))
                answer.exception()  # looked at, for not all that was asked is awaited
        self.unanswered.clear()

    # --- asking

    def take(self, raw: RawFrame) -> None:
        super().take(raw)
        self._changed.set()

    def answered(self, sequence: int, frames: list[Message]) -> None:
        answer = self.unanswered.pop(sequence)
        if not answer.done():
            answer.set_result(frames)

    def write(self, data: bytes) -> None:
        if self.gone.is_set() or self._transport.is_closing():
            raise Gone("the connection has ended")
        self._transport.write(data)

    def send(self, kind: str, message: Message) -> asyncio.Future[list[Message]]:
        """Send a request and return its answer to come: all frames but the Sequence that announced them."""
        answer: asyncio.Future[list[Message]] = asyncio.get_running_loop().create_future()
        self.unanswered[self.begin(kind, message)] = answer
        return answer

    async def ask(self, kind: str, message: Message) -> list[Message]:
        async with asyncio.timeout(SECONDS):
            return await self.send(kind, message)

    async def one(self, kind: str, message: Message, wanted: type[M]) -> M:
        """Ask for one thing. Raises Failed if it is refused."""
        return only(await self.ask(kind, message), wanted)

    async def wait_for(self, test: Callable[[tp.TimeRemaining], bool], seconds: float = SECONDS) -> None:
        """Wait until the clock, asked for or pushed, passes a test."""
        async with asyncio.timeout(seconds):
            while self.clock is None or not test(self.clock):
                if self.gone.is_set():
                    raise Gone("the connection has ended")
                self._changed.clear()
                await self._changed.wait()

    # --- what every client does

    async def enter(self, name: str, password: str = "secret", game: str = "", client: str = "test") -> None:
        await self.one("connect", tp.Connect(client=client), tp.Okay)
        username = f"{name}@{game}" if game else name
        await self.one("login", tp.Login(username=username, password=password), tp.Okay)

    async def me(self) -> int:
        """The number of this player."""
        return (await self.one("get_player", tp.GetWithID(ids=[0]), tp.Player)).id

    async def learn_orders(self) -> None:
        """Have all order types described."""
        listed = await self.one("get_order_desc_ids", everything(), tp.IDSequence)
        await self.ask("get_order_desc", tp.GetWithID(ids=[item.id for item in listed.ids]))

    async def learn_objects(self) -> None:
        """Have all object types described; TP03 has none."""
        if "get_object_desc" in {kind.field for kind in self.dialect.kinds.values()}:
            listed = await self.one("get_object_desc_ids", everything(), tp.IDSequence)
            await self.ask("get_object_desc", tp.GetWithID(ids=[item.id for item in listed.ids]))

    async def time(self) -> tp.TimeRemaining:
        return await self.one("get_time_remaining", tp.GetTimeRemaining(), tp.TimeRemaining)

    async def finish(self) -> None:
        await self.one("finished_turn", tp.FinishedTurn(), tp.Okay)

    async def messages(self) -> list[Any]:
        """All messages of the player's board, oldest first."""
        board = await self.one("get_boards", tp.GetWithID(ids=[0]), tp.Board)
        if not board.messages:
            return []
        return await self.ask("get_message", tp.GetWithIDSlot(id=0, slots=range(board.messages)))


class Client(Conversation):
    """One connection of a program that waits for each answer; logged in if there is a user."""

    def __init__(self, port: int, dialect: Dialect = TP04, user: str = "") -> None:
        super().__init__(dialect)
        self.socket = socket.create_connection((HOST, port), SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.write(dialect.greeting)
        self._answers: list[list[Any]] = []
        if user:
            self.one("connect", tp.Connect(client="test"), tp.Okay)
            self.one("login", tp.Login(username=user, password="secret"), tp.Okay)

    def close(self) -> None:
        self.socket.close()

    def write(self, data: bytes) -> None:
        self.socket.sendall(data)

    def answered(self, sequence: int, frames: list[Message]) -> None:
        self._answers.append(frames)

    def ask(self, kind: str, message: Message) -> list[Any]:
        self.begin(kind, message)
        return self.hear()[0]

    def hear(self, count: int = 1) -> list[list[Any]]:
        """Wait for the answers to so many requests that were begun, and return them with all others that have come."""
        self._answers = []
        while len(self._answers) < count:
            data = self.socket.recv(1 << 18)
            if not data:
                raise Gone("the connection ended before the answer came")
            self.feed(data)
            assert not self.strange, self.strange
        return self._answers

    def one(self, kind: str, message: Message, wanted: type[M]) -> M:
        """Ask for one thing. Raises Failed if it is refused."""
        return only(self.ask(kind, message), wanted)

    def ids(self, kind: str) -> list[int]:
        """All ids of a list."""
        return [item.id for item in self.one(kind, everything(), tp.IDSequence).ids]

    def learn_orders(self) -> None:
        """Have all order types described."""
        self.ask("get_order_desc", tp.GetWithID(ids=self.ids("get_order_desc_ids")))


def only(answer: list[Message], wanted: type[M]) -> M:
    """The one message of an answer. Raises Failed if that is a refusal."""
    (message,) = answer
    if isinstance(message, tp.Fail):
        raise Failed(message.code, message.result)
    assert isinstance(message, wanted), message
    return message


def everything() -> tp.GetIDSequence:
    """A request for all ids that there are."""
    return tp.GetIDSequence(key=-1, start=0, amount=-1, fromtime=-1)
