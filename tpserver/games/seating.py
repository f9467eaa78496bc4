"""Who plays the seats of a game: what is known of each seat, and what a game does about seats whose players are away.

A turn is **due** from a seat that its phase awaits; the seat **keeps** it if its player finishes it or changes an order
in it before it closes.  It is **missed** if its time ran out before that.  Turns in which the game did not wait for the
seat are neither, and so are those that the operator closes before their time, and those that a bot has played.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

MOST_MISSED = 100
"""Maximum turns in a row after whose missing a game does not wait for a seat any more."""
MOST_AUTOPILOT = 100
"""Maximum turns for which players leave their seats to the bot of the rules at once."""
RULES, BOT = "rules", "bot"
"""What plays an absent seat: the orders that the rules give for whoever has none, or the bot of the rules."""
MOST_COUNTED = 1 << 40
"""No number goes beyond this, whatever a file says."""
LONGEST_ROLL_CALL = 2_592_000
"""Maximum seconds in which players say that they are here before a game begins: 30 days."""
FEWEST_DUE = 10
"""Turns that must have been due from an account before its reliability is asked for: nobody begins with any."""


class BadPolicy(ValueError):
    """A game cannot have such a policy of seats; the message is one sentence that says what is allowed."""


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """What a game keeps of a seat and its present player: turns ``due`` and ``kept``, and turns ``missed`` in a row.

    ``autopilot``: so many more of its turns its player has left to the bot of the rules.  ``vacant``: nobody has it,
    and the rules give its orders.  ``seeks``: it seeks another player.  ``since``: when somebody else has
    got it, or it began to seek another, after the start, as `Game.next_player_time` has it.  ``here``: its player has
    said so, before the start.
    """

    due: int = 0
    kept: int = 0
    missed: int = 0
    autopilot: int = 0
    vacant: bool = False
    seeks: bool = False
    since: int = 0
    here: bool = False

    def after_turn(self, kept: bool) -> SeatRecord:
        """Return the record after a turn that was due."""
        return replace(self, due=self.due + 1, kept=self.kept + kept, missed=0 if kept else self.missed + 1)


@dataclass(frozen=True, slots=True)
class SeatPolicy:
    """What a game does about seats whose players are away.

    ``absent_after``: it does not wait for a player who has missed so many turns in a row; 0: it waits for everybody.
    ``absent``: what plays then, RULES or BOT.  ``seeks``: absent seats seek another player.  ``reliability``: whoever
    joins must have kept so many percent of the turns that were due in all games, if there were FEWEST_DUE.
    ``roll_call``: the game begins when all have said that they are here; who has not in so many seconds loses the seat.
    """

    absent_after: int = 0
    absent: str = RULES
    seeks: bool = False
    reliability: int = 0
    roll_call: int = 0

    def check(self, has_bot: bool = True) -> None:
        """Raise BadPolicy for values out of their bounds; ``has_bot`` is whether the rules have a bot of their own."""
        if not 0 <= self.absent_after <= MOST_MISSED:
            raise BadPolicy(
                f"a game stops waiting for a player who has missed 1 to {MOST_MISSED} turns in a row, or with 0 never, "
                f"not after {self.absent_after}"
            )
        if not 0 <= self.roll_call <= LONGEST_ROLL_CALL:
            raise BadPolicy(f"players have 0 to {LONGEST_ROLL_CALL} seconds to say that they are here")
        if not 0 <= self.reliability <= 100:
            raise BadPolicy(f"a game asks for 0 to 100 % of turns kept, not {self.reliability}")
        if self.absent not in (RULES, BOT):
            raise BadPolicy(f"absent seats are played by {RULES} or {BOT}, not {self.absent[:40]!r}")
        if self.absent == BOT and not has_bot:
            raise BadPolicy("these rules have no bot of their own that could play absent seats")

    def words(self) -> str:
        """Return the policy for people, as one sentence without its full stop."""
        asks = f"; whoever joins has kept {self.reliability} % of the turns that were due" if self.reliability else ""
        if self.roll_call:
            asks += "; it begins when all have said that they are here"
        if not self.absent_after:
            return f"the game waits for everybody{asks}"
        turns = "a turn" if self.absent_after == 1 else f"{self.absent_after} turns in a row"
        plays = "; the bot of the rules plays for them" if self.absent == BOT else ""
        seeks = "; somebody else can take the seat" if self.seeks else ""
        text = f"the game does not wait for a player who has missed {turns}, until that player is back"
        return f"{text}{plays}{seeks}{asks}"

    def admits(self, due: int, kept: int) -> bool:
        """Return whether an account that has kept so many of so many turns is reliable enough."""
        return due < FEWEST_DUE or 100 * kept >= self.reliability * due


NO_RECORD = SeatRecord()
WAITS_FOR_ALL = SeatPolicy()


def record_from(data: Any) -> SeatRecord:
    """Return the record of a seat from its stored data (None: of a seat of which nothing is kept yet)."""
    return SeatRecord(**_fit(SeatRecord(), data))


def policy_from(data: Any) -> SeatPolicy:
    """Return the policy of a game from its stored data (None: of a game that was made before there were any)."""
    policy = SeatPolicy(**_fit(SeatPolicy(), data))
    try:
        policy.check()
    except BadPolicy:
        return SeatPolicy()  # a file from elsewhere may say anything
    return policy


def stored(one: SeatRecord | SeatPolicy) -> dict[str, Any]:
    """Return what is stored of a record or policy: what differs from a new one's."""
    new = type(one)()
    values = {field.name: getattr(one, field.name) for field in fields(one)}
    return {name: value for name, value in values.items() if value != getattr(new, name)}


def _fit(new: SeatRecord | SeatPolicy, data: Any) -> dict[str, Any]:
    """Return the values of ``data`` that are of the types of those in ``new``, numbers within their bounds."""
    if not isinstance(data, Mapping):
        return {}
    values = {field.name: data[field.name] for field in fields(new) if field.name in data}
    return {
        name: min(max(value, 0), MOST_COUNTED) if type(value) is int else value
        for name, value in values.items()
        if type(value) is type(getattr(new, name))
    }
