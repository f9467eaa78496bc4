"""What is known of a game without its rules: of one in memory, or of one that rests in the store.

A game rests when nobody is in it and nothing is due soon: it leaves memory, and what lists, calendars and notices tell
of it is in its row (`Resting`).  Nothing changes a game that rests, so that stays true until it is read again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tprules.api import Seat, with_names
from tpserver.games.anonymity import names_told
from tpserver.games.game import Game
from tpserver.games.lifecycle import TurnLifecycle
from tpserver.store.games import GameRow, SeatRow
from tpserver.store.proposals import OPEN


@dataclass(frozen=True, slots=True)
class Resting:
    """What is told of a game that is not in memory.

    ``title`` is that of its turn, with "{player 0}" for the name of the player in seat 0. Of seats: those that are
    ``awaited`` and ``absent``, those that a bot plays now, and those that seek another player.
    ``version`` is that of the ruleset that has said so.
    """

    version: int
    title: str = ""
    awaited: tuple[Seat, ...] = ()
    absent: tuple[Seat, ...] = ()
    bots: tuple[Seat, ...] = ()
    seeks: tuple[Seat, ...] = ()

    def stored(self) -> str:
        """Return it as the store keeps it."""
        seats = {name: getattr(self, name) for name in _SEATS if getattr(self, name)}
        told = {"version": self.version, "title": self.title, **seats}
        return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


_SEATS = ("awaited", "absent", "bots", "seeks")

UNKNOWN = Resting(0)
"""Of a game that was in memory when its server was killed, until it is read."""


def is_of_version(stored: str, version: int) -> bool:
    """Return whether a version of the ruleset has said what is stored.

    It is asked of every game as a server starts, so the rest of it is not read.
    """
    return stored.startswith(f'{{"version":{version},')


def resting_from(row: GameRow) -> Resting:
    """Return what the row of a game that is not in memory tells; UNKNOWN if nobody knows."""
    if row.resting is None:
        return UNKNOWN
    data: Any = json.loads(row.resting)
    return Resting(data["version"], data["title"], **{name: tuple(data.get(name, ())) for name in _SEATS})


def resting_of(game: Game) -> Resting:
    """Return what is told of a game that leaves memory."""
    seats = [player.seat for player in game.players]
    return Resting(
        game.rules.version,
        game.title_with_seats(),
        tuple(game.awaited()),
        tuple(seat for seat in seats if game.is_absent(seat)),
        tuple(seat for seat in seats if game.bot_plays(seat)),
        tuple(seat for seat in seats if game.seeks_player(seat)),
    )


def roll_is_called(row: GameRow) -> bool:
    """Return whether a game begins when all have said that they are here; ``row.due`` is until when they can."""
    return row.started is None and row.state == "waiting" and row.due is not None


def wake_of(game: Game, now: float) -> float | None:
    """Return when something happens in a game by itself, in unix seconds; None if nothing does.

    That is the end of its turn's time, then of grace, time banks and vacations, the end of a roll call, and when a
    proposal lapses.
    """
    row = game.row
    times = [one.until for one in game.proposals if one.state == OPEN]
    if game.roll_is_called() and row.due is not None:
        times.append(row.due)
    if row.state == "running" and row.deadline is not None:
        times.append(row.due if row.due is not None and now < row.due else row.deadline)
    return min(times, default=None)


def has_settled(game: Game, lifecycle: TurnLifecycle) -> bool:
    """Return whether nothing is to be done in a game now by the server itself: no turn to be closed or computed, no bot
    to move or to take a seat, nothing to be held."""
    if game.closing or game.stale or (game.fault is not None and game.row.state != "held"):
        return False
    if game.row.state == "waiting" and game.open_seats():
        return sum(player.bot for player in game.players) >= game.row.bots
    if game.row.state == "running" and any(game.bot_plays(seat) for seat in game.awaited()):
        return False
    return lifecycle.has_settled(game)


@dataclass(frozen=True, slots=True)
class GameOutline:
    """What is known of a game, in memory or not.

    ``seats`` are the seats of accounts, ``title`` that of its turn with the names of players. ``is_settled`` is False
    while a turn is computed, or something of it could not be saved: what is so then is not known yet.
    """

    row: GameRow
    turn: int
    title: str
    awaited: Sequence[Seat]
    bots: Sequence[Seat]
    seats: Mapping[int, Seat]
    is_settled: bool = True

    def awaits(self, account: int) -> bool:
        """Return whether it awaits an account itself, and not the bot that plays for it and may still be choosing."""
        seat = self.seats.get(account)
        return seat is not None and seat in self.awaited and seat not in self.bots


def outline_of(game: Game) -> GameOutline:
    """Return what is known of a game in memory."""
    return GameOutline(
        game.row,
        game.state.turn,
        game.title(),
        game.awaited(),
        [player.seat for player in game.players if game.bot_plays(player.seat)],
        {player.account: player.seat for player in game.players if player.account is not None},
        not (game.closing or game.stale),
    )


def outline_from(row: GameRow, told: Resting, seats: Sequence[SeatRow]) -> GameOutline:
    """Return what is known of a game that is not in memory, from its rows."""
    mine = {one.account: one.seat for one in seats if one.account is not None}
    title = title_from(told, names_told(row, seats, 0))
    return GameOutline(row, row.turn, title, told.awaited, told.bots, mine, told is not UNKNOWN)


def title_from(told: Resting, names: Sequence[str]) -> str:
    """Return the title of a game's turn with the ``names`` of its players, by seat."""
    there = dict(enumerate(names))
    return with_names(told.title, lambda seat: there.get(seat) or f"Player {seat + 1}")
