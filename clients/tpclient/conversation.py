"""A conversation with a server over an open stream: requests go out, their answers come in the same order, and the
clock is heard whenever it is told. What is said is left to `connection`."""

import asyncio
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from google.protobuf.message import Message

from tpproto import tp_pb2
from tpproto.dialects import TP03, TP04, Dialect

from .errors import ClientError, ConnectionClosed, NoAnswer, UnexpectedAnswer
from .session import Answer, M, Request, Session
from .transport import Stream

TURN_BEGINS = 1
"""The reason of the TimeRemaining frame that is pushed when a turn begins (TP04, TimeRemaining)."""


class Conversation:
    """One conversation with a server.

    Every method that asks the server something raises RequestFailed if it refuses, NoAnswer if it does not answer
    within `timeout` seconds, and ConnectionClosed if the connection has ended. `clock` is the newest TimeRemaining
    frame, asked for or not; in TP04 and Protocol Buffers it has the turn number and name and the players awaited.
    `on_clock` is called with each of them and whether it came unasked, `on_end` with the reason when all is over; what
    they call must neither wait nor raise.
    """

    def __init__(self, dialect: Dialect = TP04, timeout: float = 30.0) -> None:
        self.session = Session(dialect)
        self.timeout = timeout
        self.clock: tp_pb2.TimeRemaining | None = None
        self.turns_begun = 0
        """How many turns have begun while we listened."""
        self._stream: Stream | None = None
        self.has_turn_numbers = dialect is not TP03
        self._answers: dict[int, asyncio.Future[Answer]] = {}
        self._watchers: list[asyncio.Future[None]] = []
        self._arrivals: list[asyncio.Future[None]] = []
        self.on_clock: Callable[[tp_pb2.TimeRemaining, bool], None] | None = None
        self.on_end: Callable[[ClientError], None] | None = None
        self._end: ClientError | None = None

    def attach(self, stream: Stream) -> None:
        """Use a stream that somebody else has opened; it has to report to `received` and `ended`."""
        self._stream = stream

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; whoever still waits for an answer gets ConnectionClosed."""
        self._finish(ConnectionClosed("The connection was closed here."))

    def drop(self, error: ClientError) -> None:
        """Hang up because of an error, which whoever still waits gets; nothing if the connection has ended before."""
        self._finish(error)

    @property
    def end(self) -> ClientError | None:
        """Why the connection has ended, None if it has not."""
        return self._end

    @property
    def is_open(self) -> bool:
        return self._stream is not None and self._end is None

    # --- asking

    async def ask(self, kind: str, message: Message) -> Answer:
        """Send one request, named as in `Frame.body`, and wait for the whole answer."""
        (answer,) = await self.ask_all([Request(kind, message)])
        return answer

    async def ask_all(self, requests: Sequence[Request], progress: Callable[[int], None] | None = None) -> list[Answer]:
        """Send several requests in one go and wait for all their answers, which come in the same order.

        `timeout` is for the time between two frames of them. `progress` is told how many frames have come so far.
        """
        if self._end is not None:
            raise self._end
        if self._stream is None:
            raise ConnectionClosed("There is no connection yet.")
        futures = []
        loop = asyncio.get_running_loop()
        sequences = [self.session.request(request) for request in requests]
        for sequence in sequences:
            future: asyncio.Future[Answer] = loop.create_future()
            self._answers[sequence] = future
            futures.append(future)
        self._stream.write(self.session.bytes_to_send())
        try:
            await self._arrival_of(sequences, futures, progress)
            return [future.result() for future in futures]
        except TimeoutError:
            titles = ", ".join(dict.fromkeys(request.title for request in requests))
            raise NoAnswer(f"The server did not answer {titles} within {self.timeout:g} seconds.") from None
        finally:
            for sequence, future in zip(sequences, futures, strict=True):
                self._answers.pop(sequence, None)
                if future.done() and not future.cancelled():
                    future.exception()  # read, so that asyncio does not complain about the other answers of a batch
                future.cancel()

    async def _arrival_of(
        self,
        sequences: Sequence[int],
        futures: Sequence[asyncio.Future[Answer]],
        progress: Callable[[int], None] | None,
    ) -> None:
        """Wait until all answers are there, or one has failed. Raises TimeoutError after a silence."""
        loop = asyncio.get_running_loop()
        answered: dict[int, int] = {}
        most = 0
        async with asyncio.timeout(self.timeout) as limit:
            while True:
                for sequence, future in zip(sequences, futures, strict=True):
                    if future.done() and sequence not in answered:
                        answered[sequence] = len(future.result().replies)
                waiting = (self.session.received(sequence) for sequence in sequences if sequence not in answered)
                received = sum(answered.values()) + sum(waiting)
                if progress is not None:
                    progress(received)
                if len(answered) == len(futures):
                    return
                if received > most:
                    most = received
                    limit.reschedule(loop.time() + self.timeout)
                arrival: asyncio.Future[None] = loop.create_future()
                self._arrivals.append(arrival)
                await arrival

    async def _one(self, kind: str, message: Message, wanted: type[M]) -> M:
        return (await self.ask(kind, message)).one(wanted)

    # --- the clock

    async def wait_for_change(self, timeout: float | None = None) -> bool:
        """Wait until `clock` changes; False if that takes longer than `timeout` seconds."""
        if self._end is not None:
            raise self._end
        watcher: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._watchers.append(watcher)
        try:
            async with asyncio.timeout(timeout):
                await watcher
        except TimeoutError:
            return False
        finally:
            if watcher in self._watchers:
                self._watchers.remove(watcher)
        if self._end is not None:
            raise self._end
        return True

    # --- what the stream reports

    def received(self, data: bytes) -> None:
        if self._end is not None:
            return  # a WebSocket hands over what was on its way
        try:
            events = self.session.receive(data)
        except UnexpectedAnswer as error:
            self._finish(error)
            return
        for event in events:
            if isinstance(event, Answer):
                for reply in event.replies:
                    if isinstance(reply.message, tp_pb2.TimeRemaining):
                        self._set_clock(reply.message, is_push=False)
                waiting = self._answers.pop(event.sequence, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(event)
            elif isinstance(event.reply.message, tp_pb2.TimeRemaining):
                self._set_clock(event.reply.message, is_push=True)
        self._rouse(self._arrivals)

    def ended(self, error: Exception | None) -> None:
        if isinstance(error, ClientError):
            self._finish(error)
            return
        closed = self.session.closed()
        closed.__cause__ = error
        self._finish(closed)

    def _finish(self, error: ClientError) -> None:
        is_first = self._end is None
        if self._end is None:
            self._end = error
            if self._stream is not None:
                self._stream.close()
        for waiting in self._answers.values():
            if not waiting.done():
                waiting.set_exception(self._end)
        self._answers.clear()
        self._rouse(self._arrivals)
        self._rouse(self._watchers)
        if is_first and self.on_end is not None:
            self.on_end(error)

    def _set_clock(self, clock: tp_pb2.TimeRemaining, *, is_push: bool) -> None:
        before, self.clock = self.clock, clock
        if self.has_turn_numbers:
            begins = clock.reason == TURN_BEGINS
        else:  # seconds again after none
            begins = clock.time > 0 and before is not None and before.time == 0
        if is_push and begins:
            self.turns_begun += 1
        self._rouse(self._watchers)
        if self.on_clock is not None:
            self.on_clock(clock, is_push)

    @staticmethod
    def _rouse(waiting: list[asyncio.Future[None]]) -> None:
        for future in waiting:
            if not future.done():
                future.set_result(None)
        waiting.clear()
