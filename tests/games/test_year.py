"""Games played for months: deadlines, notifications and memory stay right.

The thorough tests simulate two days. Weeks and a whole year are run by hand (`pytest -m soak -s
tests/games/test_year.py`); the year prints its counts. `year_referee` computes the expected results without the server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.games.year import BEGINNING, DAY, TABLES, Year, run_year
from tests.games.year_referee import Referee, first_minute, next_of, wall
from tests.games.year_summary import summary
from tests.support.server_in_memory import Server

ROOT = Path(__file__).parents[2]
WEEKS, DAYS, YEAR = 14, 2, 365
"""Days that are simulated."""
MOST_GAMES = len(TABLES)
"""Games that may be in memory when nobody is in them: those of which something is due now."""
OBJECTS_IN_MEMORY = 8_000
"""Maximum objects of one game in memory; they have 500 to 8,000, with what those of one ruleset have in common."""
NOISE = 6_000
"""Objects by which a quarter may differ from another one: statements, clocks and recent responses.

In a process that has run other tests 3,327 were seen.
"""
OBJECTS_OF_A_GAME = 10
"""Objects that may stay in memory of each game that was ever made: its row for the lists, with lists and mappings of
its options, is 1 (swarm) to 27 (Colony Battle), 6 on average; one in ten leaves a clock that was read, up to 1,000."""


def judged(year: Year) -> Referee:
    """Have the referee look at all, and compare it with what the server has kept."""
    referee = Referee(year.log, TABLES, year.people)
    referee.judge()
    referee.judge_missing(year.outages, year.end)
    assert Counter(year.finishes()) == referee.finishes, (
        "somebody's turn was finished by nobody, or a bot played another's"
    )
    told = {
        account: (referee.due[account], referee.kept[account]) for account in referee.people if referee.due[account]
    }
    assert year.reliability() == told
    turns = year.replay()
    assert turns == {name: max(0, game.turn) for name, game in referee.games.items()}
    assert sum(turns.values()) == sum(referee.turns.values())
    return referee


def says(referee: Referee, *wanted: str) -> None:
    """Make sure that all this has happened: a year in which nobody is late proves little."""
    missing = [what for what in wanted if not referee.counts[what]]
    assert not missing, f"{missing} in {dict(referee.counts)}"


def does_not_grow(year: Year) -> None:
    assert max(there for _, _, there, _ in year.memory) <= MOST_GAMES, year.memory
    (_, first, _, before), *_, (_, last, there, games) = year.memory
    assert last <= first + NOISE + OBJECTS_IN_MEMORY * there + OBJECTS_OF_A_GAME * (games - before), year.memory


# --- weeks ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def weeks() -> Year:
    """Some weeks, run once for all tests that look at them."""
    from tests.support.server_in_memory import making_servers

    with making_servers() as make:
        year = run_year(make, "spring", WEEKS)
        year.referee = judged(year)  # type: ignore[attr-defined] # while the server is there
        year.prints = year.fingerprints()  # type: ignore[attr-defined]
        return year


@pytest.mark.soak
def test_weeks_of_ten_games_go_by_their_clocks(weeks: Year):
    """Every clock and every absence; see `year_referee` for all that is looked at."""
    says(
        weeks.referee,  # type: ignore[attr-defined]
        "turns closed by time",
        "turns closed as all were done",
        "turns closed by the operator",
        "turns that went on in grace or by a time bank",
        "turns with a clock for combat",
        "first deadlines",
        "calendar deadlines around a change of clocks",
        "deadlines at a time that the day does not have",
        "turns missed",
        "turns on autopilot",
        "players who came back",
        "seats that others took",
        "games played to the end",
        "turns that got time back",
        "notices told: turn",
        "notices told: deadline",
        "notices told: digest",
        "notices told: over",
    )


@pytest.mark.soak
def test_memory_does_not_grow_with_time(weeks: Year):
    does_not_grow(weeks)


@pytest.mark.thorough
def test_the_same_seed_has_the_same_digests_reports_and_notices(make_server: Callable[..., Server]):
    """All go by their clocks. Restarts without an outage change nothing; another seed has other digests."""
    played = run_year(make_server, "one", DAYS, downtime=False)
    judged(played)
    one = played.fingerprints()
    same = run_year(make_server, "one", DAYS, restarts=False).fingerprints()
    other = run_year(make_server, "other", DAYS).fingerprints()
    assert one == same
    assert all(one[kind] != other[kind] for kind in one)


# --- a year -----------------------------------------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_year_of_ten_games(make_server: Callable[..., Server]):
    """Both changes of clocks, everybody's habits, and a second run in a process of its own."""
    begun = time.monotonic()
    places = [ROOT, ROOT / "tests" / "requests", os.environ["PYTHONPATH"]]
    again = subprocess.Popen(
        [sys.executable, "-m", "tests.games.year", "year", str(YEAR)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places)), "PYTHONHASHSEED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        year = run_year(make_server, "year", YEAR)
        referee = judged(year)
        print(f"\n{summary(year, referee)}\n")
        says(
            referee,
            "refused because of their reliability",
            "admitted where reliability is asked for",
            "roll calls that were not answered by all",
            "players removed",
            "pauses",
            "turns that were given more time",
            "turns that waited for a vacation",
            "agreements: pause",
            "agreements: resume",
            "agreements: extension",
            "games ended by players: draw",
            "games ended by players: resign",
            "proposals refused",
            "proposals: nudge",
        )
        assert json.loads(again.communicate()[0]) == year.fingerprints()
        print("  A second run, in another process, has the same digests, reports and notices; all games were replayed.")
        print(f"  {time.monotonic() - begun:.0f} seconds")
        does_not_grow(year)
    finally:
        again.kill()
        again.wait()


# --- the referee itself -----------------------------------------------------------------------------------------------


def test_the_referee_reads_the_clock_on_the_wall():
    """On 29 March 2026 clocks in Berlin go from 2 to 3: half past two is three."""
    night = next(table for table in TABLES if table.name == "night")
    sunday = first_minute(wall(BEGINNING + 6 * DAY, "UTC").date(), "0230", "Europe/Berlin")
    assert wall(sunday, "Europe/Berlin").strftime("%a %H:%M") == "Sun 03:00"
    assert next_of(night.form, sunday - 1) == sunday
    assert wall(next_of(night.form, sunday), "Europe/Berlin").strftime("%a %H:%M") == "Tue 02:30"


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("turn", "line"),
        ("finish", "it should have ended at"),
        ("told", "was to be told"),
    ],
)
def test_the_referee_sees_what_is_missing_from_a_log(weeks: Year, kind: str, found: str):
    """Without one line it does not agree: a turn that did not begin, a turn not finished, or a lost notification."""
    lines = [number for number, line in enumerate(weeks.log) if json.loads(line)[0] == kind]
    if kind == "told":
        lines = [number for number in lines if json.loads(weeks.log[number])[5] == "turn"]
    problems = []
    for line in lines[len(lines) // 5 :: len(lines) // 4]:
        referee = Referee([*weeks.log[:line], *weeks.log[line + 1 :]], TABLES, weeks.people)
        try:
            referee.judge()
            referee.judge_missing(weeks.outages, weeks.end)
        except AssertionError as problem:
            problems.append(str(problem))
    assert any(found in problem for problem in problems), problems
