"""Vacations of an account: quotas, visibility, and turns that wait.

They are public in games whose clocks wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.server_in_memory import BEGINNING, Client, Server, state_of
from tpserver.games.hall.vacations import DAYS_A_YEAR, LONGEST_AHEAD, MOST_A_YEAR
from tpserver.games.stored.replay import read_recorded, run_again
from tpserver.games.terms.clock import ClockError, parse_clock
from tpserver.games.turns.turn_time import BACK_SECONDS

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 2, 3, 4, 5
HOUR, DAY = 3600, 86_400


@pytest.fixture(params=["pb", "json"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def table(server: Server, clock: str = "interval:86400 vacation:10", dialect: str = "pb") -> list[Client]:
    server.create(clock=clock)
    return server.players(2, dialect)


def away(server: Server, client: Client, begins: float, ends: float) -> Any:
    """Say that one is on vacation from so many seconds from now to so many."""
    now = int(server.now())
    return client.ask("add_vacation", begins=now + int(begins), ends=now + int(ends))


def told(client: Client, subject: str) -> list[str]:
    return [message.body for message in client.messages() if message.subject == subject]


def ends(server: Server) -> float:
    found = server.game().row.deadline
    assert found is not None
    return found - BEGINNING


# --- what waits -------------------------------------------------------------------------------------------------------


def test_a_turn_waits_for_a_player_on_vacation_and_a_day_longer(server: Server, dialect: str):
    """All are notified, also with a program of 2010: of the vacation at once, and of the wait when the turn is due."""
    ann, ben = table(server, dialect=dialect)
    old = server.player("ann", "tp04")
    answer = away(server, ben, 0, 3 * DAY)
    assert answer.text == "You are on vacation for 3 days; games whose clocks say so wait for you"
    assert ends(server) == 3 * DAY + BACK_SECONDS
    said = "ben is on vacation from 2023-11-14 22:13 (UTC) to 2023-11-17 22:13 (UTC)."
    assert told(old, "Vacation") == [f"{said} Turns wait for that, for 10 days of the game."]
    public = ann.ask("get_proposals", game="first").message
    assert [(one.player, one.begins, one.ends) for one in public.vacations] == [(2, BEGINNING, BEGINNING + 3 * DAY)]
    ann.ask("finished_turn")
    server.pass_time(DAY)
    assert told(old, "Vacation")[1].startswith("The time of this turn is up. It waits for ben on vacation until ")
    server.pass_time(3 * DAY - 1)
    assert server.game().state.turn == 0
    server.pass_time(1)
    assert server.game().state.turn == 1
    assert server.game().waited == {1: 2 * DAY}


def test_who_comes_back_finishes_and_the_turn_closes(server: Server):
    ann, ben = table(server)
    away(server, ben, 0, 5 * DAY)
    ann.ask("finished_turn")
    server.pass_time(2 * DAY)
    assert server.game().state.turn == 0
    ben.ask("finished_turn")
    assert server.game().state.turn == 1


def test_a_game_waits_for_so_many_days_of_each_player_and_no_longer(server: Server):
    """Also over several turns, and over a restart."""
    ann, ben = table(server, "interval:86400 vacation:3")
    away(server, ben, 0, 20 * DAY)
    assert ends(server) == DAY + 3 * DAY + BACK_SECONDS
    server.pass_time(3 * DAY)
    ben.ask("finished_turn"), ann.ask("finished_turn")
    server = server.restarted()
    ann, ben = server.players(2, "pb")
    assert server.game().waited == {}  # he came back by himself, and nothing is taken for that
    assert ends(server) == 3 * DAY + DAY + 3 * DAY + BACK_SECONDS
    ann.ask("finished_turn")
    server.pass_time(DAY + 3 * DAY + BACK_SECONDS)
    assert server.game().waited == {1: 3 * DAY}
    server = server.restarted()
    assert server.game().waited == {1: 3 * DAY}
    assert server.game().row.deadline == server.game().row.due
    server.pass_time(DAY)
    assert "every digest is the same" in run_again(*server.store.read(read_recorded, "first", server.found)).done


def test_other_games_do_not_wait_and_are_not_told(server: Server):
    """That is so of every game whose clock does not say otherwise."""
    ann, ben = table(server, "interval:86400")
    away(server, ben, 0, 3 * DAY)
    assert ends(server) == DAY
    assert told(ann, "Vacation") == []
    assert len(ann.ask("get_proposals", game="first").message.vacations) == 0


def test_a_vacation_that_begins_after_the_turn_is_due_moves_nothing(server: Server):
    _, ben = table(server)
    away(server, ben, DAY + HOUR, 3 * DAY)
    assert ends(server) == DAY


def test_nobody_asks_who_is_on_vacation_for_votes(server: Server):
    ann, ben = table(server)
    away(server, ben, 0, 3 * DAY)
    assert ann.ask("propose", game="first", kind="pause").text == "The clock is stopped, and all players are notified"


def test_a_vacation_outlives_a_crash(server: Server, tmp_path: Path):
    _, ben = table(server)
    away(server, ben, 0, 3 * DAY)
    server = server.crashed(tmp_path / "copy.sqlite")
    assert ends(server) == 3 * DAY + BACK_SECONDS
    assert [one.ends for one in server.game().players[1].vacations] == [BEGINNING + 3 * DAY]
    server.stop()


# --- ending, and bad input --------------------------------------------------------------------------------------------


def test_a_vacation_is_ended_or_called_off(server: Server, dialect: str):
    ann, ben = table(server, dialect=dialect)
    away(server, ben, 0, 3 * DAY), away(server, ben, 5 * DAY, 6 * DAY)
    first, second = ben.ask("get_vacations").message.vacations
    assert ben.ask("end_vacation", id=second.id).text == "This vacation is over"
    server.pass_time(2 * DAY)
    assert ann.ask("end_vacation", id=first.id).code == NO_SUCH_THING
    assert ben.ask("end_vacation", id=first.id).name == "okay"
    assert told(ann, "Vacation")[-1] == "ben is no longer on vacation."
    assert ends(server) == 2 * DAY + BACK_SECONDS
    assert len(ben.ask("get_vacations").message.vacations) == 0
    assert ben.ask("end_vacation", id=first.id).code == NO_SUCH_THING
    year = datetime.fromtimestamp(BEGINNING, UTC).year
    assert server.registry.vacations.seconds_left(ben.session.account_id or 0, year) == (DAYS_A_YEAR - 2) * DAY


@pytest.mark.parametrize(
    ("begins", "ends_", "why"),
    [
        (0, 0, "ends at least 1 hour after it begins"),
        (DAY, 0, "ends at least"),
        (-5 * DAY, -DAY, "ends at least"),
        (0, HOUR - 1, "ends at least"),
        (0, LONGEST_AHEAD + DAY, "within a year"),
        (2 * DAY, 3 * DAY, "already have a vacation at that time"),
        (DAY, 10 * DAY, "already have a vacation at that time"),
        (4 * DAY, 40 * DAY, "30 days a year"),
    ],
)
def test_what_is_no_vacation_is_refused_and_nothing_has_changed(server: Server, begins: int, ends_: int, why: str):
    _, ben = table(server)
    away(server, ben, DAY, 3 * DAY)
    before = state_of(server.game())
    refused = away(server, ben, begins, ends_)
    assert refused.code == PERMANENTLY
    assert why in refused.text
    assert state_of(server.game()) == before
    assert len(ben.ask("get_vacations").message.vacations) == 1


def test_an_account_says_so_only_so_often_a_year(server: Server):
    _, ben = table(server)
    for _ in range(MOST_A_YEAR):
        assert away(server, ben, DAY, 2 * DAY).name == "okay"
        (one,) = ben.ask("get_vacations").message.vacations
        ben.ask("end_vacation", id=one.id)
    assert away(server, ben, DAY, 2 * DAY).code == TEMPORARILY


def test_a_vacation_that_cannot_be_saved_is_none(make_server: Callable[..., Server]):
    server = make_server(delayed=True)
    ann, ben = table(server)
    server.disk.at_once = False
    now = int(server.now())
    other = server.player("ben", "pb")
    asked = ben.post("add_vacation", begins=now, ends=now + DAY)
    refused = other.ask("add_vacation", begins=now, ends=now + DAY)
    assert (refused.code, "just being saved" in refused.text) == (TEMPORARILY, True)
    assert not asked.came
    server.disk.fail()
    assert asked.reply.code == TEMPORARILY
    server.disk.at_once = True
    assert told(ann, "Vacation") == []
    assert ends(server) == DAY


@pytest.mark.parametrize(
    ("clock", "why"),
    [
        ("interval:60 vacation:0", "go from 1 to 90"),
        ("interval:60 vacation:91", "go from 1 to 90"),
        ("interval:60 vacation", "go from 1 to 90"),
        ("manual vacation:5", "nothing but the operator"),
        ("all-done vacation:5", "vacation needs a deadline"),
    ],
)
def test_clocks_that_cannot_wait_for_vacations(clock: str, why: str):
    with pytest.raises(ClockError, match=why):
        parse_clock(clock)
