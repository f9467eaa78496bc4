"""Turn summaries that the server keeps for the player, failures first."""

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tpproto import tp_pb2

MOST_AT_ONCE = 64
"""Maximum of turns in one request. The server sends fewer if they are long."""

LONG_AWAY = 2
"""Minimum of turns without the player after which a summary is shown."""

OBJECT = 1
"""The reference type of an object (TP04, the generic reference system)."""

_FIGHT = re.compile(r"\b(?:combat|battle|fight|clash)", re.IGNORECASE)
"""Words in the subject of a report on a fight (rulesets/docs/appearance.md)."""

Ask = Callable[[int, int], Awaitable[list[tp_pb2.TurnSummary]]]
"""Requests summaries from a first turn on, as many as the number, as `Game.turn_summaries` does."""


async def read_summaries(ask: Ask, first: int, last: int) -> list[tp_pb2.TurnSummary]:
    """Return the summaries of the turns `first` to `last`, both included, as far as the server has them.

    Raises the errors of `ask`.
    """
    found: list[tp_pb2.TurnSummary] = []
    while first <= last:
        told = await ask(first, min(MOST_AT_ONCE, last - first + 1))
        following = told[-1].turn + 1 if told else first
        if following <= first:
            break
        found += told
        first = following
    return found


def by_weight(summary: tp_pb2.TurnSummary) -> list[tp_pb2.TurnReport]:
    """Return the reports of a turn, those on failed orders first."""
    return sorted(summary.reports, key=lambda report: not report.failed)


class Absence(NamedTuple):
    """The turns `first` to `last` that began while the player was away, and the number of messages since then."""

    first: int
    last: int
    letters: int

    @property
    def turns(self) -> int:
        return self.last - self.first + 1


def absence_of(game: tp_pb2.MyGame) -> Absence | None:
    """Return the turns and messages since the player's last visit to a game.

    Returns None for fewer turns than LONG_AWAY.
    """
    found = Absence(max(0, game.turn - game.new_turns + 1), game.turn, game.new_letters)
    return found if game.new_turns >= LONG_AWAY else None


@dataclass(frozen=True, slots=True)
class Missed:
    """The most important reports of some turns, in order."""

    failed: list[tuple[tp_pb2.TurnSummary, tp_pb2.TurnReport]]
    """Reports on orders of the player that failed."""
    fights: list[tuple[tp_pb2.TurnSummary, tp_pb2.TurnReport]]
    """The first report of each fight."""


def fight_at(report: tp_pb2.TurnReport) -> int | None:
    """Return the object at which the fight in a report took place; None for other reports."""
    if report.failed or not _FIGHT.search(report.subject):
        return None
    return next((one.id for one in report.references if one.type == OBJECT), None)


def missed_in(summaries: Iterable[tp_pb2.TurnSummary]) -> Missed:
    """Return the most important reports of these turns."""
    found = Missed([], [])
    for summary in summaries:
        places: set[int] = set()
        for report in summary.reports:
            place = fight_at(report)
            if report.failed:
                found.failed.append((summary, report))
            elif place is not None and place not in places:
                places.add(place)
                found.fights.append((summary, report))
    return found
