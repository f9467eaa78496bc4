"""Delayed feed for spectators: an old turn in place of the current one.

All spectators of such a game share one `PastGame`, the turn that became public by the delay
(`tpserver.games.terms.delay`). When a turn begins, they get the next public turn, and no other data of the present.
After the end they see the last turn, with everything that `tpserver.games.stored.history` shows of such games.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, cast

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tprules.api.order_checks import State
from tpserver.concurrency import Timers
from tpserver.games.core import time_notices
from tpserver.games.core.delayed_turn import newest_shown
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.game import Game, Subscriber, durable
from tpserver.games.core.message_board import Board
from tpserver.games.core.player import Player
from tpserver.games.core.saving import NotSaved
from tpserver.games.core.time_left import TIMER_STARTED, WARNING
from tpserver.games.core.views import waiting_view
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.stored.history import AGAIN_SECONDS, History, PastGame
from tpserver.games.terms.delay import delay_of, is_shown_later, later

log = Logger()


MOST_KEPT = 100
"""Maximum turns kept for spectators who return to an unwatched game.

In other games, returning spectators see all objects as changed with the shown turn.
"""


class Viewer(Subscriber, Protocol):
    """A connection that watches a game with a delay."""

    def show(self, past: PastGame) -> None:
        """Show another turn in place of this one."""


class Watching:
    """The turns of delayed games with spectators. Used on the reactor's thread."""

    def __init__(self, registry: GameRegistry, history: History, timers: Timers) -> None:
        self._registry = registry
        self._history = history
        self._timers = timers
        self.shown: dict[int, PastGame] = {}
        """The last shown turn of each unfinished game, by its id.

        For returning spectators, later changes are newer than it.
        """
        self._moving: dict[int, bool] = {}
        """The games with a turn that is being read, and whether one more has begun meanwhile."""

    async def open(self, game: Game, is_awaited: Callable[[], bool] = lambda: True) -> PastGame:
        """Return the turn of a delayed game that spectators see.

        It advances while a connection subscribes to it. ``is_awaited`` returns whether the result is still needed.
        Raises GameError, NotNow, NotSaved.
        """
        await durable(game)
        game = self._registry.with_id(game.row.id)
        before = self.shown.get(game.row.id)
        if before is not None and (before.subscribers or not self._is_behind(before)):
            return before
        made = await self._turn_due(game, is_awaited, before)
        shown = self.shown.get(game.row.id)
        if shown is not None and shown.subscribers:  # another spectator has subscribed meanwhile
            return shown
        self._keep(game.row.id, made)
        if self._is_behind(made):
            self._timers.callLater(0, self._catch_up, game.row.id)
        return made

    def _keep(self, number: int, made: PastGame) -> None:
        """Keep the newest shown turn of a game, and at most MOST_KEPT turns of unwatched games."""
        self.shown.pop(number, None)
        self.shown[number] = made
        unwatched = [one for one, shown in self.shown.items() if not shown.subscribers and one != number]
        for one in unwatched[: max(0, len(unwatched) - MOST_KEPT)]:
            if one not in self._moving:
                self.forget(one)

    def moved(self, game: Game) -> None:
        """Show spectators their next turn, as a turn has begun or the game is over."""
        self._catch_up(game.row.id)

    def changed(self, game: Game) -> None:
        """Notify the spectators of a longer delay of the game. They wait for the next turn."""
        shown = self.shown.get(game.row.id)
        if shown is not None and is_shown_later(game.row):
            shown.delay = max(0, delay_of(game.row))
            time_notices.tell_time(shown, WARNING, self._registry.now())

    def _is_behind(self, shown: PastGame) -> bool:
        """Return whether spectators must see another turn than this."""
        game = self._registry.with_id(shown.row.id)
        newest = newest_shown(game)
        if not is_shown_later(game.row):
            return bool(shown.delay)
        return shown.newest != game.state.turn or (newest is not None and (not shown.started or newest > shown.turn))

    def _catch_up(self, number: int) -> None:
        shown = self.shown.get(number)
        if shown is None:
            return
        if not shown.subscribers:
            if not is_shown_later(self._registry.with_id(number).row):
                self.forget(number)
            return
        if number in self._moving:
            self._moving[number] = True
            return
        self._moving[number] = False
        work = Deferred.fromCoroutine(self._move(number, shown))
        work.addErrback(lambda failure: log.failure("{game}: what is watched stays behind", failure, game=shown.name))

    async def _move(self, number: int, shown: PastGame) -> None:
        try:
            await self._move_now(number, shown)
        except (GameError, NotNow, NotSaved) as error:
            log.error("{game}: spectators see no newer turn: {error}", game=shown.name, error=error)
            self._timers.callLater(AGAIN_SECONDS, self._catch_up, number)
            return
        finally:
            missed = self._moving.pop(number)
        if missed:
            self._catch_up(number)

    async def _move_now(self, number: int, shown: PastGame) -> None:
        game = self._registry.with_id(number)
        await durable(game)
        game = self._registry.with_id(number)
        if not self._is_behind(shown):
            return
        newest = newest_shown(game)
        if is_shown_later(game.row) and (newest is None or (shown.started and newest <= shown.turn)):
            shown.newest = game.state.turn
            time_notices.tell_time(shown, WARNING, self._registry.now())
            return
        made = await self._turn_due(game, lambda: bool(shown.subscribers), shown)
        self.shown[number] = made
        if not made.delay:
            self.forget(number)  # the game is over: later spectators see the game itself
        for one in tuple(shown.subscribers):
            cast(Viewer, one).show(made)
        time_notices.tell_time(made, TIMER_STARTED if made.delay else WARNING, self._registry.now())

    def dropped(self, game: Game) -> None:
        """End the spectators' connections of a game that another node continues."""
        shown = self.shown.pop(game.row.id, None)
        for one in tuple(shown.subscribers) if shown is not None else ():
            one.game_moved(game.name)

    def forget(self, number: int) -> None:
        """Drop the shown turn of a game."""
        self.shown.pop(number, None)

    async def _turn_due(self, game: Game, is_awaited: Callable[[], bool], before: PastGame | None) -> PastGame:
        """Return the turn of a game that spectators may see now."""
        newest = newest_shown(game)
        if newest is None:
            made = _nothing_yet(game)
        else:
            made = await self._history.shared(game, newest, is_awaited, before)
        made.is_watched = True
        made.newest = game.state.turn
        if is_shown_later(game.row):
            made.delay = max(0, delay_of(game.row))
        else:  # it may have ended without an outcome of its rules
            made.row = replace(made.row, state="over")
        return made


def _nothing_yet(game: Game) -> PastGame:
    """Return the display before a game's first public turn: the players, and the reason for the empty view."""
    row, rules, delay = game.row, game.rules, delay_of(game.row)
    waiting = PastGame(
        row=replace(row, turn=0, state="waiting", held_reason="", started=None, deadline=None, left=None, due=None),
        rules=rules,
        description=game.description,
        clock=game.clock,
        state=State(None, game.state.phase, 0, {}, 0, False),
        players=[Player(one.seat, one.name, one.account, one.bot, since=one.since) for one in game.players],
        views={None: waiting_view(rules, None, game.modtime)},
        title_before_start=f"Turn 0 is shown when turn {delay} begins: spectators see this game {later(delay)}",
    )
    for player in game.players:
        waiting.boards[player.seat + 1] = Board(player.seat + 1, game.modtime)
    return waiting
