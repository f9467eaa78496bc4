"""The calendar feed of an account: due times of the turns that await it.

Anyone with the link can read the feed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from icalendar import Calendar
from sqlalchemy import select
from told import Told

from tests.support.server_in_memory import result_of
from tpserver.notices import calendar
from tpserver.notices.calendar import MOST_EVENTS, MOST_KEPT, CalendarFeed
from tpserver.notices.contacts import NotKept, Terms
from tpserver.store.tables import calendar_links, vacations


class Reader:
    """A calendar program with the link of an account."""

    def __init__(self, told: Told, name: str = "ann", site: str = "https://games.example/") -> None:
        self.told = told
        told.server.host.notices.terms = Terms(calendar=True)
        self.feed = CalendarFeed(told.server.registry, told.server.now, "our server", site)
        self.token = ""
        self.make(name)

    def make(self, name: str = "ann") -> None:
        path = result_of(self.told.server.host.notices.make_calendar(self.told.account(name)))
        assert path.startswith("/calendar/") and path.endswith(".ics")
        self.token = path.removeprefix("/calendar/").removesuffix(".ics")

    @property
    def tag(self) -> str:
        found = self.feed.find(self.token)
        assert found is not None
        return found[0]

    def text(self) -> Callable[[], bytes]:
        """Return what returns the present text, now or later."""
        found = self.feed.find(self.token)
        assert found is not None
        return found[1]

    def events(self) -> list[dict[str, Any]]:
        """Return the events as a calendar program reads them, by the names of their properties."""
        read = Calendar.from_ical(self.text()())
        assert str(read["version"]) == "2.0"
        for event in read.events:
            assert not event.errors
        return [{name.lower(): value for name, value in event.items()} for event in read.events]


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


def test_nobody_reads_the_calendar_of_an_account_that_is_disabled_or_removed(told: Told) -> None:
    """The link works again when the account is enabled. Nothing is kept of a removed account, nor of its vacations."""
    told.game("first", clock="interval:86400")
    reader, accounts = Reader(told), told.server.accounts
    result_of(accounts.disable(accounts.named("ann"), ""))
    assert reader.feed.find(reader.token) is None
    result_of(accounts.enable(accounts.named("ann")))
    assert len(reader.events()) == 1
    now, ann = told.server.now(), told.account("ann")
    result_of(told.server.registry.vacations.add(ann, now, now + 86400))
    result_of(accounts.remove(accounts.named("ann")))
    assert reader.feed.find(reader.token) is None
    for table in (calendar_links, vacations):
        assert told.server.store.read(lambda c, table=table: c.execute(select(table)).first()) is None


def test_the_turns_that_await_me_are_there_until_when_they_are_due(told: Told) -> None:
    """Names of games, numbers of turns and times; with grace it says when the turn ends at the latest."""
    told.game("first", clock="interval:86400 grace:3600")
    told.game("second", clock="manual")
    reader = Reader(told)
    (event,) = reader.events()
    row = told.server.game("first").row
    assert event["dtstart"].dt == at(row.due)
    assert str(event["summary"]) == "Turn 0 of first is due"
    assert "ends at " + at(row.due + 3600).strftime("%Y-%m-%d %H:%M UTC") in str(event["description"])
    assert str(event["url"]) == "https://games.example/"
    assert set(event) == {"uid", "dtstamp", "dtstart", "summary", "description", "url"}


def test_the_next_turn_takes_the_place_of_the_one_before(told: Told) -> None:
    """The next turn has the same UID, so that programs move the entry.

    The entry disappears when the player has finished, when the game is paused, and at its end.
    """
    told.game("first", clock="interval:86400", options={"rounds": 3})
    reader = Reader(told)
    (before,) = reader.events()
    told.pass_time(60)
    told.server.close_turn("first")
    (after,) = reader.events()
    assert after["uid"] == before["uid"]
    assert after["dtstart"].dt > before["dtstart"].dt
    assert str(after["summary"]) == "Turn 1 of first is due"
    told.finish("ann")
    assert reader.events() == []
    told.server.close_turn("first")
    assert len(reader.events()) == 1
    result_of(told.server.registry.control.pause(told.server.game()))
    assert reader.events() == []
    result_of(told.server.registry.control.resume(told.server.game()))
    assert len(reader.events()) == 1
    told.server.close_turn("first")
    assert reader.events() == []


def test_the_calendar_is_mine_only(told: Told) -> None:
    told.game("first", clock="interval:86400")
    ann, ben = Reader(told, "ann"), Reader(told, "ben")
    told.finish("ann")
    assert ann.events() == []
    assert len(ben.events()) == 1


def test_the_tag_is_another_one_whenever_the_text_is(told: Told) -> None:
    told.game("first", clock="interval:86400")
    reader = Reader(told)
    tags = [reader.tag]
    told.pass_time(3600, 60)
    assert reader.tag == tags[0], "time alone changes nothing"
    told.server.close_turn("first")
    tags.append(reader.tag)
    result_of(told.server.registry.clock_changes.give_time(told.server.game(), 60, "The operator"))
    tags.append(reader.tag)
    told.finish("ann")
    tags.append(reader.tag)
    assert len(set(tags)) == 4


def test_a_text_is_written_once_while_nothing_changes(told: Told) -> None:
    """And not more than so many are kept."""
    told.game("first", clock="interval:86400", options={"rounds": 99})
    reader = Reader(told)
    first = reader.text()
    kept = first()
    for _ in range(MOST_KEPT - 1):
        assert reader.text()() is reader.text()()
        told.server.close_turn("first")
    reader.events()
    assert first() is kept
    told.server.close_turn("first")
    reader.events()
    assert first() is not kept and first() == kept


def test_a_feed_is_bounded_to_the_turns_that_are_due_first(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_EVENTS == 100
    monkeypatch.setattr(calendar, "MOST_EVENTS", 2)
    for days, name in enumerate(("c", "a", "b"), 1):
        told.game(name, clock=f"interval:{86400 * days}")
    assert [str(event["summary"]) for event in Reader(told).events()] == ["Turn 0 of c is due", "Turn 0 of a is due"]


def test_another_link_and_a_revocation_end_the_one_before(told: Told) -> None:
    told.game("first", clock="interval:86400")
    reader = Reader(told)
    old = reader.token
    reader.make()
    assert reader.feed.find(old) is None
    assert len(reader.events()) == 1
    told.killed()
    reader.feed = CalendarFeed(told.server.registry, told.server.now, "our server", "")
    assert len(reader.events()) == 1, "it survives a restart"
    result_of(told.server.host.notices.revoke_calendar(told.account("ann")))
    assert reader.feed.find(reader.token) is None
    with pytest.raises(NotKept, match="you have no calendar link"):
        result_of(told.server.host.notices.revoke_calendar(told.account("ann")))


def test_the_store_has_no_token(told: Told) -> None:
    """A reader of the database or a backup cannot read a calendar with it."""
    told.game("first")
    reader = Reader(told)
    rows = told.server.store.read(lambda c: c.execute(select(calendar_links)).all())
    assert reader.token not in str(rows)
    assert len(reader.token) >= 43, "256 random bits"
    assert reader.feed.find(rows[0].digest.hex()) is None


@pytest.mark.parametrize("token", ["", "x", "x" * 200, "\udcff" * 10, "1' or '1'='1"])
def test_what_is_no_token_finds_nothing(told: Told, token: str) -> None:
    told.game("first")
    assert Reader(told).feed.find(token) is None


def test_a_server_without_calendars_makes_no_link(told: Told) -> None:
    told.game("first")
    told.server.host.notices.terms = Terms()
    with pytest.raises(NotKept, match="no calendars on this server"):
        result_of(told.server.host.notices.make_calendar(told.account("ann")))
