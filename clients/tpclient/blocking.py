"""The same game for scripts that wait: every call returns when it is done, and nothing happens in between.

    with open_game("tp://127.0.0.1:6923", "ann", "secret") as game:
        for thing in game.own():
            ...
        game.finish()
        game.wait_for_turn()

All of it is `following.Game` on an event loop in a thread of its own. Between calls that thread only takes in what the
server sends; the copy changes in `refresh` and `wait_for_turn`, the connection is made again by the call that needs it.
Errors are those of the library. The calls are for one thread, only `close` may be called from another. What is called
back in the event loop's thread, as a progress callback, must not call the game: that raises BadArgument.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from tpproto import tp_pb2
from tpproto.dialects import Dialect

from .address import Address
from .connection import Connection, Progress
from .errors import BadArgument, ConnectionClosed
from .following import Game
from .objects import SpaceObject
from .orders import APPEND
from .parameters import Value
from .reconnect import Persistence
from .universe import PLAYABLE, Changes, Universe
from .views import Map, read_map

T = TypeVar("T")


def open_game(
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
) -> "BlockingGame":
    """Connect, log in and download the game; parameters and errors are those of `Game.open`.

    `progress` is called in the thread of the event loop. Close it, or use it with `with`.
    """
    loop = _Loop()
    try:
        followed = loop.run(
            Game.open(
                address,
                user,
                password,
                game,
                dialect=dialect,
                timeout=timeout,
                register=register,
                tables=tables,
                progress=progress,
                persistence=persistence,
            )
        )
    except BaseException:
        loop.stop()
        raise
    return BlockingGame(followed, loop)


class BlockingGame:
    """A game whose methods wait. Made by `open_game`."""

    def __init__(self, game: Game, loop: "_Loop") -> None:
        self._game = game
        self._loop = loop

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up and end the thread. Calls after that raise ConnectionClosed, and so do calls of other threads now.

        It may be called from any thread but that of the event loop, in which `progress` and what is given to `ask` run.
        """
        try:
            with suppress(ConnectionClosed):  # closed before
                self._loop.run(self._game.close())
        finally:
            self._loop.stop()

    # --- what is known

    @property
    def universe(self) -> Universe:
        """The copy of what the player sees."""
        return self._game.universe

    @property
    def orders(self) -> Mapping[int, tuple[tp_pb2.Order, ...]]:
        """What is queued, by queue, in slot order."""
        return self._game.orders

    @property
    def me(self) -> int:
        """This player's id."""
        return self._game.me

    @property
    def turn(self) -> int:
        """The number of the turn that the copy is of."""
        return self._game.turn

    @property
    def clock(self) -> tp_pb2.TimeRemaining:
        """The newest clock."""
        return self._game.clock

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._game.is_over

    @property
    def is_awaited(self) -> bool:
        """Whether the turn waits for this player."""
        return self._game.is_awaited

    def own(self) -> list[SpaceObject]:
        """This player's objects, by rising id."""
        return self.universe.own()

    def of_kind(self, kind: str) -> list[SpaceObject]:
        """All objects whose description has this name, by rising id."""
        return self.universe.of_kind(kind)

    def offers(self, thing: SpaceObject) -> list[tp_pb2.OrderDesc]:
        """The order types that an object takes now, by rising id."""
        return self.universe.offers(thing)

    def map(self) -> Map:
        """The map as it is now, for the two views."""
        return read_map(self.universe)

    def messages(self, since: int | None = None) -> list[tp_pb2.Message]:
        """The messages of the player's own board that have been read: all, or those of turn `since` and later."""
        return [message for message in self._game.mail if since is None or message.turn >= since]

    # --- what waits

    def refresh(self) -> Changes:
        """Bring everything up to date and say what changed."""
        return self._loop.run(self._game.refresh())

    def order(
        self,
        queue: int | SpaceObject,
        kind: str | tp_pb2.OrderDesc,
        arguments: Mapping[str, Value] | None = None,
        slot: int = APPEND,
    ) -> tp_pb2.Order:
        """Give an order to an object, or to a queue by its id, and return it as the server has it.

        Raises RequestFailed if it is refused, OrderUnconfirmed if the connection broke and it is not there.
        """
        return self._loop.run(self._game.order(_queue(queue), kind, arguments, slot))

    def probe(
        self, queue: int | SpaceObject, kind: str | tp_pb2.OrderDesc, arguments: Mapping[str, Value] | None = None
    ) -> tp_pb2.Order:
        """Ask what `order` would give, without giving the order."""
        return self._loop.run(self._game.probe(_queue(queue), kind, arguments))

    def replace_order(
        self, old: tp_pb2.Order, kind: str | tp_pb2.OrderDesc, arguments: Mapping[str, Value] | None = None
    ) -> tp_pb2.Order:
        """Put an order in the place of `old`, one of `orders`. If it is refused, the old one stays."""
        return self._loop.run(self._game.replace_order(old, kind, arguments))

    def remove_order(self, queue: int | SpaceObject, *slots: int) -> None:
        """Take orders out of a queue."""
        self._loop.run(self._game.remove_order(_queue(queue), *slots))

    def post(self, board: int, subject: str, body: str, references: Sequence[tp_pb2.Reference] = ()) -> None:
        """Put a message on a board, which is that of the player with its number."""
        self._loop.run(self._game.post(board, subject, body, references))

    def remove_messages(self, *messages: tp_pb2.Message) -> int:
        """Take messages, as `messages` gave them, off the own board and say how many of them were still there."""
        return self._loop.run(self._game.remove_messages(*messages))

    def finish(self) -> None:
        """Say that we are done with the turn that we see."""
        self._loop.run(self._game.finish_turn())

    def wait_for_turn(self, after: int | None = None, timeout: float | None = None) -> int:
        """Wait for the turn after the one that was finished last, download it and return its number.

        Returns as well when the game is over. Raises NoAnswer after `timeout` seconds.
        """
        return self._loop.run(self._game.wait_for_turn(after, timeout))

    def time_remaining(self) -> tp_pb2.TimeRemaining:
        """Ask how long the turn still lasts."""
        return self._loop.run(self._game.time_remaining())

    def ask(self, ask: Callable[[Connection], Awaitable[T]]) -> T:
        """Ask anything else that can be said twice, as `game.ask(lambda connection: connection.features())`."""
        return self._loop.run(self._game.ask(ask))


def _queue(carrier: int | SpaceObject) -> int:
    return carrier.queue if isinstance(carrier, SpaceObject) else carrier


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="tpclient", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Let the loop do something and wait for its result. An interrupt here ends it there."""
        if threading.current_thread() is self._thread:
            work.close()
            raise BadArgument("The game cannot be called by what it has called itself, as a progress callback.")
        with self._lock:  # so that `stop` comes before it, or sees it
            if self._is_stopped:
                work.close()
                raise _closed()
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise _closed() from None
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """End what is still running, and the thread. Nothing happens the second time."""
        with self._lock:
            if self._is_stopped or threading.current_thread() is self._thread:
                return
            self._is_stopped = True
            ending = asyncio.run_coroutine_threadsafe(_end_tasks(), self._loop)
        try:
            ending.result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _run(self) -> None:
        while True:
            try:
                self._loop.run_forever()
            except BaseException:
                # As sys.exit() in a callback: it is raised by the call that waits for it, and others still wait.
                continue
            return


def _closed() -> ConnectionClosed:
    return ConnectionClosed("The game was closed here.")


async def _end_tasks() -> None:
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
