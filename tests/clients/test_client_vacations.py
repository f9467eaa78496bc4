"""Vacations in the library and at the shell: the days as people type them."""

import asyncio
import json
import time
from typing import Any

import pytest

from tests.support.memory_client import MemoryServer, Served
from tests.support.server_in_memory import BEGINNING
from tpclient.errors import BadArgument, RequestFailed
from tpclient.vacations import days_between
from tpproto.dialects import PB, TP04


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A machine that stands in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_days_as_people_type_them(berlin: Any) -> None:
    """From the beginning of the first to the end of the last, also where clocks are changed between them."""
    assert days_between("2026-12-24 2026-12-24") == (1798066800, 1798066800 + 86400)
    assert days_between("2026-10-25 2026-10-25") == (1792879200, 1792879200 + 25 * 3600)
    assert days_between("2026-12-24") == (0, 1798066800 + 86400)
    wrong = ("", "soon", "2026-13-01", "2026-12-24 2026-12-23", "1 2 3", "9999-12-31", "2026-12-24 x", "1900-01-01")
    assert [days_between(words) for words in wrong] == [None] * len(wrong)


def test_vacations_over_the_library(server: MemoryServer) -> None:
    server.create(clock="interval:86400 vacation:10")
    server.players(2)

    async def run() -> None:
        connection = server.link(PB)
        await connection.connect()
        await connection.login("ben", "ben's word")
        assert "3 days" in await connection.add_vacation(0, BEGINNING + 3 * 86400)
        told = await connection.vacations()
        assert [(one.begins, one.ends) for one in told.vacations] == [(BEGINNING, BEGINNING + 3 * 86400)]
        assert [one.player for one in (await connection.proposals()).vacations] == [2]
        assert "over" in await connection.end_vacation(told.vacations[0].id)
        with pytest.raises(RequestFailed):
            await connection.end_vacation(told.vacations[0].id)
        with pytest.raises(BadArgument):
            await server.link(TP04).vacations()

    asyncio.run(run())


def test_vacations_at_the_shell(owned: Served, shell: Any, berlin: Any) -> None:
    """The clock of these servers stands in November 2023."""
    out = shell(owned, "vacation", "2023-11-20", "2023-11-25", dialect=None)[1]
    assert out.startswith("You are on vacation for 6 days; games whose clocks say so wait for you.\n")
    assert "\n  1  Mon 20 Nov 2023 00:00 CET to Sun 26 Nov 2023 00:00 CET\n24 d left this year.\n" in out
    facts = json.loads(shell(owned, "vacation", "--json", dialect=None)[1])
    assert [one["id"] for one in facts["vacations"]] == [1]
    out = shell(owned, "vacation", "--end", "1", dialect=None)[1]
    assert out == "This vacation is over.\nNo vacation.\n30 d left this year.\n"
    code, _, err = shell(owned, "vacation", "soon", dialect=None)
    assert (code, "is no vacation; say the first and the last day" in err) == (2, True)
    code, _, err = shell(owned, "vacation", "--end", "1", dialect=None)
    assert (code, "no vacation 1" in err) == (3, True)
    out = shell(owned, "clock", "mine", "--set", "interval:7200 vacation:5", dialect=None)[1]
    assert "it waits for players on vacation, 5 days for each of them" in out
    shell(owned, "proposals", "--agree", "1", user="ben@mine", dialect=None)
    shell(owned, "vacation", "2023-11-20", "2023-11-25", dialect=None)
    out = shell(owned, "proposals", user="ben@mine", dialect=None)[1]
    assert "On vacation: ann, Mon 20 Nov 2023 00:00 CET to Sun 26 Nov 2023 00:00 CET\n" in out
