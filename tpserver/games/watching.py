"""What spectators see of games that are shown later: an old turn in place of the present one.

All who watch such a game share one `PastGame`, which is not what the players see now but what was public so many turns
ago (`games.delay`).  When a turn begins they get the one that is shown then; nothing else of the present reaches them.
As soon as the game is over they are shown its last turn, with all that `games.history` tells of games that are over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, cast

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tprules.api.order_checks import State
from tpserver.concurrency import Timers
from tpserver.games.boards import Board
from tpserver.games.delay import delay_of, is_shown_later, later, newest_shown
from tpserver.games.game import TIMER_STARTED, WARNING, Game, GameError, NotNow, NotSaved, Player, Subscriber, durable
from tpserver.games.history import AGAIN_SECONDS, History, PastGame
from tpserver.games.registry import GameRegistry
from tpserver.games.views import waiting_view

log = Logger()


MOST_KEPT = 100
"""Maximum turns that are kept for who comes back to a game that nobody watches now; who comes to another one finds all
things as new as that turn."""


class Viewer(Subscriber, Protocol):
    """A connection that watches a game which is shown later."""

    def show(self, past: PastGame) -> None:
        """Show another turn in place of this one."""


class Watching:
    """The turns of games that are shown later and are watched now.  Used on the reactor's thread."""

    def __init__(self, registry: GameRegistry, history: History, timers: Timers) -> None:
        self._registry = registry
        self._history = history
        self._timers = timers
        self._shown: dict[int, PastGame] = {}
        """What was shown last of each game that goes on, by its id: to whoever comes back, what has changed since is
        newer."""
        self._moving: dict[int, bool] = {}
        """The games of which another turn is being read, and whether one more has begun meanwhile."""
        registry.lifecycle.began.append(self.moved)
        registry.aborted.append(self.moved)
        registry.removed.append(lambda game: self._forget(game.row.id))
        registry.dropped.append(self._dropped)

    async def open(self, game: Game, is_awaited: Callable[[], bool] = lambda: True) -> PastGame:
        """Return what spectators see of a game that is shown later; it goes on as long as somebody subscribes to it.

        ``is_awaited`` says whether anybody still waits for it.  Raises GameError, NotNow, NotSaved.
        """
        await durable(game)
        game = self._registry.with_id(game.row.id)
        before = self._shown.get(game.row.id)
        if before is not None and (before.subscribers or not self._is_behind(before)):
            return before
        made = await self._turn_due(game, is_awaited, before)
        shown = self._shown.get(game.row.id)
        if shown is not None and shown.subscribers:  # somebody else has come meanwhile
            return shown
        self._keep(game.row.id, made)
        if self._is_behind(made):
            self._timers.callLater(0, self._catch_up, game.row.id)
        return made

    def _keep(self, number: int, made: PastGame) -> None:
        """Keep what is shown of a game as the newest, and of games that nobody watches MOST_KEPT."""
        self._shown.pop(number, None)
        self._shown[number] = made
        unwatched = [one for one, shown in self._shown.items() if not shown.subscribers and one != number]
        for one in unwatched[: max(0, len(unwatched) - MOST_KEPT)]:
            if one not in self._moving:
                self._forget(one)

    def moved(self, game: Game) -> None:
        """Show those who watch the turn that is due to them now, as another one has begun or the game is over."""
        self._catch_up(game.row.id)

    def changed(self, game: Game) -> None:
        """The game is shown later than before: who watches it already is told, and waits for the turn after this."""
        shown = self._shown.get(game.row.id)
        if shown is not None and is_shown_later(game.row):
            shown.delay = max(0, delay_of(game.row))
            shown.tell_time(WARNING, self._registry.now())

    def _is_behind(self, shown: PastGame) -> bool:
        """Return whether those who watch are to be shown something else than this."""
        game = self._registry.with_id(shown.row.id)
        newest = newest_shown(game)
        if not is_shown_later(game.row):
            return bool(shown.delay)
        return shown.newest != game.state.turn or (newest is not None and (not shown.started or newest > shown.turn))

    def _catch_up(self, number: int) -> None:
        shown = self._shown.get(number)
        if shown is None:
            return
        if not shown.subscribers:
            if not is_shown_later(self._registry.with_id(number).row):
                self._forget(number)
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
            shown.tell_time(WARNING, self._registry.now())
            return
        made = await self._turn_due(game, lambda: bool(shown.subscribers), shown)
        self._shown[number] = made
        if not made.delay:
            self._forget(number)  # it is over, and whoever comes now sees the game itself
        for one in tuple(shown.subscribers):
            cast(Viewer, one).show(made)
        made.tell_time(TIMER_STARTED if made.delay else WARNING, self._registry.now())

    def _dropped(self, game: Game) -> None:
        """End the connections that watch a game which another node goes on with: nothing of it is told here now."""
        shown = self._shown.pop(game.row.id, None)
        for one in tuple(shown.subscribers) if shown is not None else ():
            one.game_moved(game.name)

    def _forget(self, number: int) -> None:
        self._shown.pop(number, None)

    async def _turn_due(self, game: Game, is_awaited: Callable[[], bool], before: PastGame | None) -> PastGame:
        """Return what is shown of a game now to whoever watches it."""
        newest = newest_shown(game)
        if newest is None:
            made = _nothing_yet(game)
        else:
            made = await self._history.shared(game, newest, is_awaited, before)
        made.is_watched = True
        made.newest = game.state.turn
        if is_shown_later(game.row):
            made.delay = max(0, delay_of(game.row))
        else:  # it may have ended without its rules saying so
            made.row = replace(made.row, state="over")
        return made


def _nothing_yet(game: Game) -> PastGame:
    """Return what is shown of a game before its first turn is: the players, and why there is nothing else."""
    row, rules, delay = game.row, game.rules, delay_of(game.row)
    waiting = PastGame(
        row=replace(row, turn=0, state="waiting", held_reason="", started=None, deadline=None, left=None, due=None),
        rules=rules,
        description=game.description,
        clock=game.clock,
        state=State(None, game.state.phase, 0, {}, 0, False),
        players=[Player(one.seat, one.name, one.account, one.bot, since=one.since) for one in game.players],
        views={None: waiting_view(rules, None, game.modtime)},
        phase_title=f"Turn 0 is shown when turn {delay} begins: spectators see this game {later(delay)}",
    )
    for player in game.players:
        waiting.boards[player.seat + 1] = Board(player.seat + 1, game.modtime)
    return waiting
