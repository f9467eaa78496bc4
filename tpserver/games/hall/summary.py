"""Summary of a game without its rules, also of a hibernated game.

A game hibernates when nobody is in it and nothing is due soon. It leaves memory, and its row has what lists, calendars
and notifications show of it (`Resting`). Nothing changes a hibernated game, so the row stays true until the game is
loaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tprules.api import Seat, with_names
from tpserver.games.core import attendance, phases
from tpserver.games.core.game import Game
from tpserver.games.seats.silence import next_silent
from tpserver.games.terms.anonymity import names_told
from tpserver.games.turns import turn_end
from tpserver.store.games.proposals import OPEN
from tpserver.store.games.rows import GameRow, SeatRow


@dataclass(frozen=True, slots=True)
class Resting:
    """Summary of a game that is not in memory.

    ``title`` is that of its turn, with "{player 0}" for the name of the player in seat 0. Of seats: those that are
    ``awaited`` and ``absent``, those that a bot plays now, and those that seek another player. ``version`` is that of
    the ruleset that has computed it.
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
"""Summary of a game that was in memory when its server was killed, until it is loaded."""


def is_of_version(stored: str, version: int) -> bool:
    """Return whether this version of the ruleset has computed a summary.

    Every game is checked at the start of a server, so the rest of the summary is not read.
    """
    return stored.startswith(f'{{"version":{version},')


def resting_from(row: GameRow) -> Resting:
    """Return the summary in the row of a game that is not in memory; UNKNOWN if there is none."""
    if row.resting is None:
        return UNKNOWN
    data: Any = json.loads(row.resting)
    return Resting(data["version"], data["title"], **{name: tuple(data.get(name, ())) for name in _SEATS})


def resting_of(game: Game) -> Resting:
    """Return the summary of a game that leaves memory."""
    seats = [player.seat for player in game.players]
    return Resting(
        game.rules.version,
        phases.title_with_seats(game),
        tuple(attendance.awaited_if_playable(game)),
        tuple(seat for seat in seats if attendance.is_absent(game, seat)),
        tuple(seat for seat in seats if attendance.bot_plays(game, seat)),
        tuple(seat for seat in seats if attendance.seeks_player(game, seat)),
    )


def roll_is_called(row: GameRow) -> bool:
    """Return whether a game begins when all have answered the roll call; ``row.due`` is its end."""
    return row.started is None and row.state == "waiting" and row.due is not None


def wake_of(game: Game, now: float) -> float | None:
    """Return when a game next changes by itself, in unix seconds; None if it does not.

    Such changes are the end of its turn's time, then of grace, time banks and vacations, and the end of a roll call.
    Others are a proposal that lapses, and a player who begins to count as silent.
    """
    row = game.row
    times = [one.until for one in game.proposals if one.state == OPEN]
    if (silent := next_silent(game)) is not None:
        times.append(silent)
    if game.roll_is_called() and row.due is not None:
        times.append(row.due)
    if row.state == "running" and row.deadline is not None:
        times.append(row.due if row.due is not None and now < row.due else row.deadline)
    return min(times, default=None)


def has_settled(game: Game, now: float) -> bool:
    """Return whether the server has no immediate work in a game.

    Such work is a turn to close or compute, or a bot to move or to seat. A fault without a suspension is work, too.
    """
    if game.closing or game.saving.stale or (game.fault is not None and game.row.state != "held"):
        return False
    if game.row.state == "waiting" and game.open_seats():
        return sum(player.bot for player in game.players) >= game.row.bots
    if game.row.state != "running":
        return True
    if any(attendance.bot_plays(game, seat) for seat in attendance.awaited(game)):
        return False
    return turn_end.reason_to_close(game, now) is None and turn_end.due_of_threshold(game, now) is None


@dataclass(frozen=True, slots=True)
class GameOutline:
    """Summary of a game, in memory or not.

    ``seats`` are the seats of accounts, ``title`` that of its turn with the names of players. ``is_settled`` is False
    while a turn is computed, or after something could not be saved. Then the state is not known yet.
    """

    row: GameRow
    turn: int
    title: str
    awaited: Sequence[Seat]
    bots: Sequence[Seat]
    seats: Mapping[int, Seat]
    is_settled: bool = True

    def awaits(self, account: int) -> bool:
        """Return whether it awaits an account itself, and not the bot that plays for it."""
        seat = self.seats.get(account)
        return seat is not None and seat in self.awaited and seat not in self.bots


def outline_of(game: Game) -> GameOutline:
    """Return the summary of a game in memory."""
    return GameOutline(
        game.row,
        game.state.turn,
        phases.title(game),
        attendance.awaited_if_playable(game),
        [player.seat for player in game.players if attendance.bot_plays(game, player.seat)],
        {player.account: player.seat for player in game.players if player.account is not None},
        not (game.closing or game.saving.stale),
    )


def outline_from(row: GameRow, told: Resting, seats: Sequence[SeatRow]) -> GameOutline:
    """Return the summary of a game that is not in memory, from its rows."""
    mine = {one.account: one.seat for one in seats if one.account is not None}
    title = title_from(told, names_told(row, seats, 0))
    return GameOutline(row, row.turn, title, told.awaited, told.bots, mine, told is not UNKNOWN)


def title_from(told: Resting, names: Sequence[str]) -> str:
    """Return the title of a game's turn with the ``names`` of its players, by seat."""
    there = dict(enumerate(names))
    return with_names(told.title, lambda seat: there.get(seat) or f"Player {seat + 1}")
