"""A game for scripts that wait: each call returns when it is done.

    with open_game("tp://127.0.0.1:6923", "ann", "secret") as game:
        for thing in game.own():
            ...
        game.finish()
        game.wait_for_turn()

This is `following.Game` on an event loop in a separate thread. Between calls, that thread only reads what the server
sends. The copy changes in `refresh` and `wait_for_turn` only. After a lost connection, the next call that needs the
server connects again.

Errors are those of the library. Make all calls from one thread; only `close` may come from another. Callbacks, such as
`progress`, run in the thread of the event loop. They must not call the game: that raises BadArgument.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import update_wrapper, wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from tpclient.errors import BadArgument, ConnectionClosed
from tpclient.following import Game
from tpclient.objects import SpaceObject
from tpclient.universe import Universe
from tpclient.views import Map, read_map
from tpproto import tp_pb2

P = ParamSpec("P")
T = TypeVar("T")


def _taking_what(method: Callable[P, object]) -> Callable[[Callable[..., T]], Callable[P, T]]:
    """Give a function the signature of `method`, because it passes all its arguments on."""
    return lambda function: update_wrapper(function, method, assigned=())


def _waiting(
    method: Callable[Concatenate[Game, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["BlockingGame", P], T]:
    """Return a method of `Game` as a method that waits for its result."""

    @wraps(method)
    def wait(self: "BlockingGame", /, *words: P.args, **more: P.kwargs) -> T:
        return self._loop.run(method(self._game, *words, **more))

    return wait


@_taking_what(Game.open)
def open_game(*words: Any, **more: Any) -> "BlockingGame":
    """Connect, log in and download the game. Parameters and errors are those of `Game.open`.

    `progress` is called in the thread of the event loop. Close the game, or use it with `with`.
    """
    loop = _Loop()
    try:
        return BlockingGame(loop.run(Game.open(*words, **more)), loop)
    except BaseException:
        loop.stop()
        raise


class BlockingGame:
    """A game whose methods wait, created by `open_game`. See `Game`."""

    def __init__(self, game: Game, loop: "_Loop") -> None:
        self._game = game
        self._loop = loop

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and end the thread. Pending and later calls raise ConnectionClosed.

        Any thread may call this, except that of the event loop, in which callbacks run.
        """
        try:
            with suppress(ConnectionClosed):  # already closed
                self._loop.run(self._game.close())
        finally:
            self._loop.stop()

    # --- what is known

    @property
    def universe(self) -> Universe:
        return self._game.universe

    @property
    def orders(self) -> Mapping[int, tuple[tp_pb2.Order, ...]]:
        return self._game.orders

    @property
    def me(self) -> int:
        return self._game.me

    @property
    def turn(self) -> int:
        return self._game.turn

    @property
    def clock(self) -> tp_pb2.TimeRemaining:
        return self._game.clock

    @property
    def is_over(self) -> bool:
        return self._game.is_over

    @property
    def is_awaited(self) -> bool:
        return self._game.is_awaited

    def own(self) -> list[SpaceObject]:
        """Return the objects of the own player, by rising id."""
        return self.universe.own()

    def of_kind(self, kind: str) -> list[SpaceObject]:
        """Return all objects whose description has this name, by rising id."""
        return self.universe.of_kind(kind)

    def offers(self, thing: SpaceObject) -> list[tp_pb2.OrderDesc]:
        """Return the order types that an object takes now, by rising id."""
        return self.universe.offers(thing)

    def map(self) -> Map:
        """Return the present map, for the two views."""
        return read_map(self.universe)

    def messages(self, since: int | None = None) -> list[tp_pb2.Message]:
        """Return the downloaded messages of the player's own board, or only those of turn `since` and later."""
        return [message for message in self._game.mail if since is None or message.turn >= since]

    # --- what waits

    refresh = _waiting(Game.refresh)
    order = _waiting(Game.order)
    probe = _waiting(Game.probe)
    replace_order = _waiting(Game.replace_order)
    remove_order = _waiting(Game.remove_order)
    post = _waiting(Game.post)
    remove_messages = _waiting(Game.remove_messages)
    finish = _waiting(Game.finish_turn)
    wait_for_turn = _waiting(Game.wait_for_turn)
    time_remaining = _waiting(Game.time_remaining)
    rules = _waiting(Game.rules)
    appearance = _waiting(Game.appearance)
    standing = _waiting(Game.standing)
    scores = _waiting(Game.scores)
    setup = _waiting(Game.setup)
    game_clock = _waiting(Game.game_clock)
    extend_turn = _waiting(Game.extend_turn)
    take_time_back = _waiting(Game.take_time_back)
    set_clock = _waiting(Game.set_clock)
    game_seats = _waiting(Game.game_seats)
    set_seat_policy = _waiting(Game.set_seat_policy)
    say_here = _waiting(Game.say_here)
    set_autopilot = _waiting(Game.set_autopilot)
    remove_player = _waiting(Game.remove_player)
    proposals = _waiting(Game.proposals)
    propose = _waiting(Game.propose)
    vote = _waiting(Game.vote)
    vacations = _waiting(Game.vacations)
    add_vacation = _waiting(Game.add_vacation)
    end_vacation = _waiting(Game.end_vacation)
    unfinish = _waiting(Game.unfinish_turn)
    legal_orders = _waiting(Game.legal_orders)
    legal_values = _waiting(Game.legal_values)
    legal_arguments = _waiting(Game.legal_arguments)
    turn_summaries = _waiting(Game.turn_summaries)
    ask = _waiting(Game.ask)


class _Loop:
    """An event loop in a separate thread."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._lock = threading.Lock()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="tpclient", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop and wait for its result. An interrupt cancels it."""
        if threading.current_thread() is self._thread:
            work.close()
            raise BadArgument("The game cannot be called by what it has called itself, as a progress callback.")
        with self._lock:  # so that `stop` runs before it, or cancels it
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
        """Cancel all tasks, and end the thread. A second call does nothing."""
        with self._lock:
            if self._is_stopped or threading.current_thread() is self._thread:
                return
            self._is_stopped = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        with self._runner:  # which finally ends all running tasks
            while True:
                try:
                    self._loop.run_forever()
                except BaseException:
                    # Such as sys.exit() in a callback. The waiting call raises it, and other calls still wait.
                    continue
                return


def _closed() -> ConnectionClosed:
    return ConnectionClosed("The game was closed here.")
