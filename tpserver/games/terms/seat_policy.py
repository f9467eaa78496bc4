"""Seat policy: a game's rules for seats with absent players.

It also holds the record of each seat. A turn is **due** from a seat that its phase awaits. The seat **keeps** it if its
player finishes it or changes an order before it closes. It **misses** the turn if the time runs out first. Some turns
are neither kept nor missed:

*   The game did not wait for the seat.
*   The operator closed the turn early.
*   A bot played the turn.
*   The player took the seat in this turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

MOST_MISSED = 100
"""Maximum turns in a row that a policy lets a player miss before the game stops waiting."""
MOST_AUTOPILOT = 100
"""Maximum turns for which players leave their seats to the bot of the rules at once."""
RULES, BOT = "rules", "bot"
"""Player of an absent seat: the rules' orders for seats without a player, or the bot of the rules."""
MOST_COUNTED = 1 << 40
"""Maximum of every number from a file."""
LONGEST_ROLL_CALL = 2_592_000
"""Maximum seconds of a roll call before a game begins: 30 days."""
MOST_SILENT_DAYS, SILENT_DAYS = 365, 14
"""Maximum days of silence before a turn without a time limit stops waiting for a player, and their default."""
FEWEST_DUE = 10
"""Minimum due turns of an account before its reliability counts."""


class BadPolicy(ValueError):
    """A game cannot have such a seat policy. The message is one sentence with the allowed values."""


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """A game's record of a seat and its current player.

    - ``due``, ``kept``: numbers of turns; ``missed``: turns missed in a row.
    - ``autopilot``: number of its next turns that its player has left to the bot of the rules.
    - ``vacant``: the seat has no player, and the rules give its orders.
    - ``seeks``: it seeks another player.
    - ``since``: time after the start at which it got another player or began to seek one (`Game.next_player_time`).
    - ``here``: its player has confirmed to be present, before the start.
    - ``seen``: approximate time of the player's last action, in unix seconds.
    - ``away``: time since which the game does not wait for the player (`tpserver.games.seats.silence`).
    - ``fresh``: its player has taken it in the current turn, which does not count.
    """

    due: int = 0
    kept: int = 0
    missed: int = 0
    autopilot: int = 0
    vacant: bool = False
    seeks: bool = False
    since: int = 0
    here: bool = False
    fresh: bool = False
    away: bool = False
    seen: int = 0

    def after_turn(self, kept: bool) -> SeatRecord:
        """Return the record after a turn that was due."""
        return replace(self, due=self.due + 1, kept=self.kept + kept, missed=0 if kept else self.missed + 1)


@dataclass(frozen=True, slots=True)
class SeatPolicy:
    """A game's rule for seats whose players are absent.

    - ``absent_after``: number of missed turns in a row after which it stops waiting for a player; 0: it always waits.
    - ``absent``: RULES or BOT, which plays an absent seat.
    - ``seeks``: absent seats seek another player.
    - ``reliability``: percent of due turns in all games that a new player must have kept, after FEWEST_DUE turns.
    - ``roll_call``: the game begins when all have confirmed to be present. A player who does not confirm within these
      seconds loses the seat.
    - ``silent_days``: days without an action after which a turn without a time limit stops waiting for a player; 0: it
      always waits.
    """

    absent_after: int = 0
    absent: str = RULES
    seeks: bool = False
    reliability: int = 0
    roll_call: int = 0
    silent_days: int = 0

    def check(self, has_bot: bool = True) -> None:
        """Raise BadPolicy for values out of their bounds; ``has_bot`` is true for rules with a bot."""
        if not 0 <= self.absent_after <= MOST_MISSED:
            raise BadPolicy(
                f"a game stops waiting for a player who has missed 1 to {MOST_MISSED} turns in a row, or with 0 never, "
                f"not after {self.absent_after}"
            )
        if not 0 <= self.roll_call <= LONGEST_ROLL_CALL:
            raise BadPolicy(f"players have 0 to {LONGEST_ROLL_CALL} seconds to confirm that they are here")
        if not 0 <= self.silent_days <= MOST_SILENT_DAYS:
            raise BadPolicy(
                f"a turn stops waiting for a silent player after 1 to {MOST_SILENT_DAYS} days, or with 0 never"
            )
        if not 0 <= self.reliability <= 100:
            raise BadPolicy(f"a game asks for 0 to 100 % of turns kept, not {self.reliability}")
        if self.absent not in (RULES, BOT):
            raise BadPolicy(f"absent seats are played by {RULES} or {BOT}, not {self.absent[:40]!r}")
        if self.absent == BOT and not has_bot:
            raise BadPolicy("these rules have no bot of their own that could play absent seats")

    def words(self, is_endless: bool) -> str:
        """Return the policy as one sentence for people, without its full stop.

        ``is_endless``: the clock of the game has turns without a deadline.
        """
        asks = f"; new players must have kept {self.reliability} % of their due turns" if self.reliability else ""
        if self.roll_call:
            asks += "; it begins when all players have confirmed that they are here"
        if self.silent_days and is_endless:
            days = "a day" if self.silent_days == 1 else f"{self.silent_days} days"
            asks += f"; a turn without a deadline waits {days} for inactive players"
        if not self.absent_after:
            return f"the game waits for everybody{asks}"
        turns = "a turn" if self.absent_after == 1 else f"{self.absent_after} turns in a row"
        plays = "; the bot of the rules plays for them" if self.absent == BOT else ""
        seeks = "; somebody else can take the seat" if self.seeks else ""
        text = f"the game does not wait for a player who has missed {turns}, until that player is back"
        return f"{text}{plays}{seeks}{asks}"

    def admits(self, due: int, kept: int) -> bool:
        """Return whether an account is reliable enough by its numbers of due and kept turns."""
        return due < FEWEST_DUE or 100 * kept >= self.reliability * due


NO_RECORD = SeatRecord()
WAITS_FOR_ALL = SeatPolicy()
"""The policy of a stored game without one."""
NEW_POLICY = SeatPolicy(silent_days=SILENT_DAYS)
"""The default policy of a new game."""


def record_from(data: Any) -> SeatRecord:
    """Return the record of a seat from its stored data; None for a seat without any."""
    return SeatRecord(**_fit(SeatRecord(), data))


def policy_from(data: Any) -> SeatPolicy:
    """Return the policy of a game from its stored data; None for a game from before policies existed."""
    policy = SeatPolicy(**_fit(SeatPolicy(), data))
    try:
        policy.check()
    except BadPolicy:
        return SeatPolicy()  # a file from another server may have any value
    return policy


def stored(one: SeatRecord | SeatPolicy) -> dict[str, Any]:
    """Return the stored form of a record or policy: the values that differ from a new one's."""
    new = type(one)()
    values = {field.name: getattr(one, field.name) for field in fields(one)}
    return {name: value for name, value in values.items() if value != getattr(new, name)}


def _fit(new: SeatRecord | SeatPolicy, data: Any) -> dict[str, Any]:
    """Return the values of ``data`` with the types of those in ``new``, and with numbers within their bounds."""
    if not isinstance(data, Mapping):
        return {}
    values = {field.name: data[field.name] for field in fields(new) if field.name in data}
    return {
        name: min(max(value, 0), MOST_COUNTED) if type(value) is int else value
        for name, value in values.items()
        if type(value) is type(getattr(new, name))
    }
