"""A connection that is opened again after a loss, with growing pauses.

The caller that waits for the server opens it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from random import random
from typing import TypeVar

from tpclient.connection import Connection, Login
from tpclient.errors import ClientError, ConnectionClosed, NoAnswer, RequestFailed, ServerAway, UnexpectedAnswer
from tpclient.events import ConnectionBack, ConnectionLost, Event
from tpproto.errors import FailCode

T = TypeVar("T")

AWAY = (ConnectionClosed, NoAnswer, ServerAway, UnexpectedAnswer)
"""Errors of an attempt to connect. All other errors are responses."""

MOST_REPETITIONS = 3
"""Maximum attempts of one request, each on a new connection, before its error is raised."""


def is_broken(connection: Connection, error: ClientError) -> bool:
    """Return whether an error is the connection's, and not a response.

    If so, the connection is dropped for good. A refusal is a response, even if it was the last frame of the connection.
    """
    broken = not isinstance(error, RequestFailed) and (isinstance(error, NoAnswer) or not connection.is_open)
    if broken:
        connection.drop(error)
    return broken


def growing_pauses(chance: Callable[[], float] = random) -> Iterator[float]:
    """Yield the seconds before each attempt, each twice the one before.

    The maximum is half a minute. Each pause is reduced at random to between half and all of it. So the clients of a
    restarted server do not all reconnect at the same moment. `chance` returns numbers from 0 up to 1.
    """
    pause = 0.5
    while True:
        yield pause * (1 + chance()) / 2
        pause = min(2 * pause, 30.0)


@dataclass(frozen=True, slots=True)
class Persistence:
    """The policy for opening a lost connection again.

    `pauses` yields the seconds before each attempt, and ends when it is time to give up. `sleep` waits for some
    seconds. `patience` is the seconds that a request waits for the connection.
    """

    pauses: Callable[[], Iterator[float]] = growing_pauses
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    patience: float = 60.0


class Reconnector:
    """The connection of a player, opened again after a loss.

    `take_up` is called with each new connection before any other use, and returns the events. `tell` is called with
    lost and restored connections. It is called without events when waiting callers should check again. `failure` is a
    permanent error, which is raised from then on.
    """

    def __init__(
        self,
        login: Login,
        persistence: Persistence,
        take_up: Callable[[Connection], Awaitable[Sequence[Event]]],
        tell: Callable[[Sequence[Event]], None],
    ) -> None:
        self.connection: Connection | None = None
        self.failure: Exception | None = None
        self._login = login
        self._persistence = persistence
        self._take_up = take_up
        self._tell = tell
        self._coming_back: asyncio.Task[None] | None = None

    @property
    def is_up(self) -> bool:
        """Return whether the connection can be used now."""
        return self._coming_back is None and self.connection is not None and self.connection.is_open

    async def start(self) -> Sequence[Event]:
        """Open the first connection, with one attempt. Raises the errors of `Login.enter` and `take_up`."""
        connection = await self._login.enter()
        try:
            told = await self._take_up(connection)
        except BaseException:
            connection.close()
            raise
        if self.failure is not None:  # it was closed meanwhile
            connection.close()
            raise self.failure
        self.connection = connection
        connection.on_end = lambda error: self._tell(())
        return told

    def come_back(self) -> asyncio.Task[None]:
        """Start to reconnect, unless this is under way. The task never fails."""
        if self._coming_back is None:
            self._coming_back = asyncio.create_task(self._resume())
        return self._coming_back

    async def connected(self) -> Connection:
        """Return the connection, after opening it again if necessary.

        Raises the permanent failure, if any. Raises ConnectionClosed after the persistence's patience.
        """
        patience = self._persistence.patience
        try:
            async with asyncio.timeout(patience):
                while True:
                    if self.failure is not None:
                        raise self.failure
                    if self.is_up and self.connection is not None:
                        return self.connection
                    await asyncio.wait([self.come_back()])
        except TimeoutError:
            raise ConnectionClosed(f"The server has been away for more than {patience:g} seconds.") from None

    async def retry(self, ask: Callable[[Connection], Awaitable[T]]) -> T:
        """Send a request, and repeat it a few times on new connections. For requests that can be repeated."""
        repetitions = 1
        while True:
            connection = await self.connected()
            try:
                return await ask(connection)
            except ClientError as error:
                if not is_broken(connection, error) or repetitions == MOST_REPETITIONS:
                    raise
            repetitions += 1

    async def at_most_once(self, ask: Callable[[Connection], Awaitable[T]], deed: str) -> T:
        """Send a request once. If the connection breaks before the response, reconnect.

        Then raise ConnectionClosed.
        """
        connection = await self.connected()
        try:
            return await ask(connection)
        except ClientError as error:
            if not is_broken(connection, error):
                raise
            await self.connected()
            raise ConnectionClosed(f"The connection broke; whether {deed} has to be looked up.") from error

    def log_in_as(self, login: Login) -> None:
        """Use another login for later connections."""
        self._login = login

    def fail(self, error: Exception) -> None:
        """Stop for good with an error. The first error counts."""
        if self.failure is None:
            self.failure = error
        self._tell(())

    async def close(self) -> None:
        """Close the connection and stop reconnecting. Waiting callers get ConnectionClosed."""
        self.fail(ConnectionClosed("The connection was closed here."))
        task = self._coming_back
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        if self.connection is not None:
            self.connection.close()

    async def _resume(self) -> None:
        lost = self.connection.end if self.connection is not None else None
        error: ClientError = lost or ConnectionClosed("There is no connection yet.")
        try:
            for attempt, pause in enumerate(self._persistence.pauses(), 1):
                self._tell([ConnectionLost(error, attempt, pause)])
                await self._persistence.sleep(pause)
                try:
                    told = await self.start()
                except AWAY as problem:
                    error = problem
                except RequestFailed as refusal:
                    if refusal.code != FailCode.UNAVAILABLE_TEMPORARILY:
                        raise
                    error = refusal
                else:
                    self._tell([ConnectionBack(attempt), *told])
                    return
            self.fail(error)
        except Exception as final:  # raised for all waiting callers, now and later
            self.fail(final)
        finally:
            self._coming_back = None
            self._tell(())
