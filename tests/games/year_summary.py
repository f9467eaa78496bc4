"""Summary of a `Year` for a reader, with the counts of the referee."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from tests.games.year import BEGINNING, TABLES, Year
from tests.games.year_referee import ENDINGS, Referee


def summary(year: Year, referee: Referee) -> str:
    """Return some thirty lines; the referee has judged the year."""
    return "\n".join(_lines(year, referee))


def _lines(year: Year, referee: Referee) -> Iterator[str]:
    of = referee.counts
    first = datetime.fromtimestamp(BEGINNING, UTC).date()
    last = first + timedelta(days=year.days)
    who = f"{len(TABLES)} games at a time, {len(year.people)} people"
    yield f"{year.days:.0f} days, {first} to {last}, seed {year.seed!r}: {who}"
    ended = of["games ended by players: draw"], of["games ended by players: resign"]
    more = f"of these {ended[0]:,} by an agreed draw, {ended[1]:,} as players resigned"
    yield _line("games", len(referee.games), f"{of['games played to the end']:,} have ended, {more}")
    yield ""
    yield f"  {'turns by their clock':<26}{'all':>9}" + "".join(f"{words:>14}" for words in ENDINGS.values())
    clocks = sorted({clock for clock, _ in referee.turns})
    for clock in clocks:
        yield _row(clock, [referee.turns[clock, how] for how in ENDINGS])
    yield _row("all clocks", [sum(referee.turns[clock, how] for clock in clocks) for how in ENDINGS])
    yield ""
    kept, missed = of["turns kept"], of["turns missed"]
    yield _line("turns of people", kept + missed, f"{missed:,} of them missed")
    yield _line("closings by time", of["turns closed by time"], f"{of[_LONGER]:,} after grace or with a time bank")
    changed, lacking = of["calendar deadlines around a change of clocks"], of[_LACKING]
    more = f"{changed:,} around a change of clocks, {lacking:,} at a time that their day does not have"
    yield _line("calendar deadlines", of["calendar deadlines"], more)
    yield _line("first deadlines", of["first deadlines"], "set when the game was made")
    yield _line("autopilots", of["autopilots"], f"for {of['turns on autopilot']:,} turns")
    yield _line("turns by a bot", of["turns a bot played for somebody absent"], "for somebody absent")
    yield _line("players came back", of["players who came back"], "to a game that did not wait for them any more")
    refused = of["refused because of their reliability"]
    more = f"{of['players removed']:,} players removed; {refused:,} times somebody unreliable was refused"
    yield _line("replaced seats", of["seats that others took"], more)
    yield _line("roll calls in vain", of["roll calls that were not answered by all"], "")
    kinds = ("nudge", "extension", "pause", "resume", "draw", "resign")
    proposed = {kind: of[f"proposals: {kind}"] for kind in kinds}
    yield _line(
        "proposals", sum(proposed.values()), ", ".join(f"{number:,} {kind}" for kind, number in proposed.items())
    )
    agreed = ", ".join(f"{of[f'agreements: {kind}']:,} {kind}" for kind in ("extension", "pause", "resume", "draw"))
    yield _line("votes", of["votes"], f"{of['proposals refused']:,} refused; agreed: {agreed}")
    yield _line("vacations", of["vacations"], f"{of['turns that waited for a vacation']:,} times a turn waited for one")
    yield _line("pauses", of["pauses"], f"and {of['turns that were given more time']:,} turns got more time")
    yield _line(
        "restarts", of["restarts"], f"{of['turns that got time back']:,} turns got back the time without a server"
    )
    yield ""
    yield _line("outages", len(year.outages), "of all that delivers notices, for up to five hours")
    for kind, words in _NOTICES.items():
        told, mails, had = (
            of[f"{what}: {kind}"] for what in ("notices told", "by mail", "notices that had to be told")
        )
        yield _line(
            words, told, f"{mails:,} mails, {told - mails:,} webhooks; {had:,} had to come by some time, and did"
        )
    yield ""
    for number, (day, objects, there, games) in enumerate(year.memory, 1):
        yield _line(
            f"quarter {number}, day {day:.0f}", objects, f"objects in memory; {there} games in it, of {games} made"
        )


_LONGER = "turns that went on in grace or by a time bank"
_LACKING = "deadlines at a time that the day does not have"
_NOTICES = {"turn": "turn begins", "deadline": "reminders", "digest": "digests", "over": "game over"}


def _line(label: str, number: int, more: str) -> str:
    return f"  {label:<20}{number:>9,}  {more}".rstrip()


def _row(label: str, numbers: list[int]) -> str:
    return f"  {label:<26}{sum(numbers):>9,}" + "".join(f"{number:>14,}" for number in numbers)
