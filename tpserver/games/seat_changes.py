"""Changes of who plays the seats of a game, each an entry of its journal that all players are told of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tprules.api import Report, Seat, player
from tpserver.games.game import Game, GameError, NotNow, durable
from tpserver.games.lifecycle import TurnLifecycle
from tpserver.games.reports import delivery, written
from tpserver.games.seating import MOST_AUTOPILOT, BadPolicy, SeatPolicy, SeatRecord, stored
from tpserver.store.game_changes import GameChanges
from tpserver.store.journal import AUTOPILOT, BACK, SEAT_POLICY

MOST_POLICY_CHANGES = 20
"""How often in a turn whoever made a game can change what it does about absent players: each time is a message to
all."""
MOST_AUTOPILOTS = 20
"""How often in a turn a player can leave the seat to the bot, or change for how long, likewise."""


class SeatChanges:
    """Changes who plays the seats of games.  Used on the reactor's thread."""

    def __init__(self, lifecycle: TurnLifecycle) -> None:
        self._lifecycle = lifecycle

    def back(self, game: Game, seat: Seat) -> bool:
        """Note that the player of a seat plays, as this one does something; return whether it was absent, or had left
        the seat to the bot.

        While the turn is being computed nothing happens: whoever is absent is still so in the next one.
        """
        record = game.players[seat].record
        if not (game.is_absent(seat) or record.autopilot) or game.over or game.closing or game.stale:
            return False
        reports = []
        if game.is_absent(seat):
            text = f"{player(seat)} is back, and the game waits for them again."
            reports.append(Report(None, "Back again", text))
        if record.autopilot:
            reports.append(Report(None, "Autopilot", f"{player(seat)} plays again, and the bot no more for them."))
        record = replace(record, missed=0, autopilot=0)
        _commit(game, BACK, seat, None, reports, self._now(), records={seat: record})
        game.after_saving(lambda: self._lifecycle.waits_anew(game))
        return True

    async def set_autopilot(self, game: Game, seat: Seat, turns: int) -> None:
        """Leave a seat to the bot of the rules for so many of its turns, this one included, or with 0 not any more;
        durably, and all are told.

        Raises GameError, NotNow.
        """
        check_open(game)
        if not 0 <= turns <= MOST_AUTOPILOT:
            raise GameError(f"the bot plays 1 to {MOST_AUTOPILOT} turns for you, or with 0 none, not {turns}")
        if not game.has_bot():
            raise GameError("these rules have no bot of their own that could play for you")
        if not game.started:
            raise NotNow(f"the game {game.name!r} has not started")
        if turns == game.players[seat].record.autopilot:
            return
        if not turns:
            self.back(game, seat)
            await durable(game)
            return
        if game.autopilots[seat] >= MOST_AUTOPILOTS:
            raise NotNow(f"you have said this {MOST_AUTOPILOTS} times in this turn, which is enough")
        game.autopilots[seat] += 1
        count = "a turn" if turns == 1 else f"{turns} turns"
        report = Report(None, "Autopilot", f"{player(seat)} leaves {count} to the bot of the rules.")
        record = replace(game.players[seat].record, missed=0, autopilot=turns)
        _commit(game, AUTOPILOT, seat, {"turns": turns}, [report], self._now(), records={seat: record})
        await durable(game)
        self._lifecycle.waits_anew(game)

    async def set_policy(self, game: Game, policy: SeatPolicy, who: str, *, maker: bool = False) -> None:
        """Have a game do something else about absent players, durably, and tell all who has done it.

        ``maker``: not the operator, but the account that has made the game; it can do so only so often in a turn.
        Raises GameError, NotNow.
        """
        check_open(game)
        try:
            policy.check(game.has_bot())
        except BadPolicy as error:
            raise GameError(str(error)) from None
        if maker and game.policy_changes >= MOST_POLICY_CHANGES:
            raise NotNow(f"this was changed {MOST_POLICY_CHANGES} times in this turn, which is enough")
        if policy == game.policy:
            return
        game.policy = policy
        game.policy_changes += maker
        plain = who.replace("{", "(").replace("}", ")")
        report = Report(None, "Absent players", f"{plain} has decided: {policy.words()}.")
        body = {**stored(policy), "by": who, "maker": maker}
        _commit(game, SEAT_POLICY, None, body, [report], self._now(), columns={"policy": stored(policy)})
        await durable(game)
        self._lifecycle.waits_anew(game)

    def _now(self) -> float:
        return self._lifecycle.now()


def check_open(game: Game) -> None:
    """Raise GameError or NotNow unless who plays the seats of a game can be changed now."""
    if game.over:
        raise GameError(f"the game {game.name!r} is over")
    if game.closing:
        raise NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")


def _commit(
    game: Game,
    kind: str,
    seat: Seat | None,
    body: Any,
    reports: Iterable[Report],
    now: float,
    *,
    columns: Mapping[str, Any] | None = None,
    records: Mapping[Seat, SeatRecord] | None = None,
) -> None:
    """Commit a journal entry with what it changes, and reports to the players."""
    for number, record in (records or {}).items():
        game.players[number].record = record
    delivered = delivery(game, written(game, reports), game.row.turn, now)
    kept = {number: stored(record) for number, record in (records or {}).items()}
    entry = game.entry(kind, seat, body, now)
    game.commit(GameChanges(entry=entry, columns=columns or {}, records=kept, delivery=delivered), now)
