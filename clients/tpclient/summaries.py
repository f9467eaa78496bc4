"""What happened as turns began, as the server keeps it for the player, of however many turns; what failed first."""

from collections.abc import Awaitable, Callable

from tpproto import tp_pb2

MOST_AT_ONCE = 64
"""So many turns are asked for in one request; of long ones the server tells fewer."""

Ask = Callable[[int, int], Awaitable[list[tp_pb2.TurnSummary]]]
"""Asks for the summaries of a first turn and so many in all, as `Game.turn_summaries` does."""


async def read_summaries(ask: Ask, first: int, last: int) -> list[tp_pb2.TurnSummary]:
    """The summaries of the turns `first` to `last`, both included, as far as the server has them. Raises what `ask`
    does."""
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
    """The reports of a turn, those of orders that failed first."""
    return sorted(summary.reports, key=lambda report: not report.failed)
