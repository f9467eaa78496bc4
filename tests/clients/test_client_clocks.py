"""Turn clocks in the library and at the shell, in the reader's time zone."""

import asyncio
import json
import time
from typing import Any

import pytest

from tests.support.memory_client import MemoryServer, Served
from tests.support.server_in_memory import BEGINNING
from tpclient.clocks import clock_rows, is_late, own_time, seconds_words
from tpclient.errors import BadArgument, RequestFailed
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP04

WORDS = "a turn ends when all are done, after 2 hours at the latest"


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A machine that stands in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_moment_is_told_in_the_time_of_the_machine(berlin: Any) -> None:
    assert own_time(BEGINNING) == "Tue 14 Nov 2023 23:13 CET"
    assert own_time(1e30) == ""
    assert seconds_words(90061) == "1 d 1 h 1 min 1 s"


def test_a_clock_in_rows(berlin: Any) -> None:
    """With grace and banks there are two ends; what has passed is said so; without a deadline there are none."""
    clock = tp.Clock(clock="interval:7200", words=WORDS, due=BEGINNING, ends=BEGINNING + 60)
    clock.banks.add(player=1, seconds=30)
    clock.banks.add(player=2)
    name = {1: "ann", 2: "ben"}.__getitem__
    assert clock_rows(clock, name, BEGINNING - 3600) == [
        ("Clock", WORDS),
        ("Due", "Tue 14 Nov 2023 23:13 CET, in 1 h"),
        ("Ends", "Tue 14 Nov 2023 23:14 CET at the latest, by grace and time banks"),
        ("Banks", "ann 30 s, ben empty"),
    ]
    assert clock_rows(clock, name, BEGINNING)[1] == ("Due", "Tue 14 Nov 2023 23:13 CET, which has passed")
    assert clock_rows(tp.Clock(words=WORDS), name, 0.0) == [("Clock", WORDS), ("Due", "no deadline now")]
    assert [is_late(clock, BEGINNING + more) for more in (-1, 0, 59, 60)] == [False, True, True, False]
    assert not is_late(tp.Clock(), BEGINNING)


def test_whoever_has_made_a_game_changes_its_clock(server: MemoryServer) -> None:
    async def run() -> None:
        ann = server.connect("pb")
        ann.ask("create_account", username="ann", password="ann's word")
        connection = server.link(PB)
        await connection.connect()
        await connection.login_account("ann", "ann's word")
        await connection.create_game(
            tp.CreateGame(name="mine", ruleset="auction", seats=2, clock="interval:60", master=True)
        )
        server.player("dan", game="mine"), server.player("ben", game="mine")
        clock = await connection.game_clock("mine")
        assert (clock.owned, clock.due) == (True, BEGINNING + 60)
        assert "more" in await connection.extend_turn("mine", 60)
        assert "says now" in await connection.set_clock("mine", "interval:90 wait")
        clock = await connection.game_clock("mine")
        assert (clock.clock, clock.due) == ("interval:90 wait", BEGINNING + 120)
        with pytest.raises(RequestFailed):
            await connection.set_clock("mine", "hourly")
        assert [one.name for one in await connection.clock_groups("tae")] == ["combat"]
        old = server.link(TP04)
        with pytest.raises(BadArgument):
            await old.game_clock("mine")

    asyncio.run(run())


def test_what_a_clock_says_needs_no_user(owned: Served, shell: Any, berlin: Any) -> None:
    code, out, err = shell(owned, "clock", dialect=None, user="")
    assert (code, err) == (0, "")
    assert out.startswith(f"Clock:  {WORDS}, with 1 minute of grace for late players, each player has")
    assert "\nDue:    Wed 15 Nov 2023 01:13 CET, " in out
    assert "\nEnds:   Wed 15 Nov 2023 01:24 CET at the latest, by grace and time banks\n" in out
    assert out.endswith("Banks:  player 1 10 min, player 2 10 min\n")
    facts = json.loads(shell(owned, "clock", "mine", "--json", dialect=None, user="")[1])
    assert (facts["clock"], facts["due"], facts["said"]) == ("interval:7200 grace:60 bank:600", BEGINNING + 7200, "")
    assert facts["banks"][1] == {"player": 2, "name": "player 2", "seconds": 600}


def test_a_clock_is_changed_at_the_shell_by_a_game_master(mastered: Served, shell: Any) -> None:
    out = shell(mastered, "clock", "mine", "--extend", "3600", dialect=None)[1]
    assert out.startswith("This turn has 1 hour more, and all players are notified\n")
    out = shell(mastered, "clock", "--set", "interval:60", dialect=None)[1]
    assert out.startswith("The clock of mine says now: a turn ends when all are done, after 1 minute")


def test_an_owner_who_plays_proposes_another_clock_at_the_shell(owned: Served, shell: Any) -> None:
    """By the same command; the server says that it is proposed."""
    out = shell(owned, "clock", "mine", "--extend", "3600", dialect=None)[1]
    assert out.startswith("You have proposed to give this turn 1 hour more, and all players are notified;")
    out = shell(owned, "clock", "--set", "calendar:daily:2000:Europe/Berlin", dialect=None)[1]
    assert out.startswith(
        "You have proposed to give the game another clock: a turn ends when all are done, every day at 20:00"
    )
    code, out, err = shell(owned, "clock", "mine", "--extend", "60", dialect=None, user="ben")
    assert (code, out) == (3, "")
    assert "only the owner of the game" in err.casefold()
    code, _, err = shell(owned, "clock", "mine", "--set", "hourly", dialect=None)
    assert code == 3
    assert "is not a clock" in err


def test_of_several_games_one_is_named(owned: Served, shell: Any) -> None:
    owned.do(owned.server.create, "other", "auction", 2)
    code, _, err = shell(owned, "clock", dialect=None, user="")
    assert (code, err) == (2, "tpclient: Say which game: tpclient clock GAME.\n")
    out = shell(owned, "clock", dialect=None, user="ann@other")[1]
    assert out.startswith("Clock:  a turn ends when all are done\n")


def test_status_tells_until_when(owned: Served, shell: Any, berlin: Any) -> None:
    assert "\nUntil:      " in shell(owned, "status", user="ann@mine")[1]
