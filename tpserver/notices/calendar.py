"""Calendar of an account: deadlines of its turns as an iCalendar feed.

The format is RFC 5545. A secret link opens the feed, with a token of 256 random bits. The store has its SHA-256. The
feed contains only names of games, numbers of turns, and times. It needs icalendar, which is loaded when the first feed
is read.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec

from tpserver.games.hall.registry import GameRegistry
from tpserver.notices.content import line
from tpserver.store.games.rows import GameRow
from tpserver.store.people import calendars

PATH = "calendar"
SUFFIX = ".ics"
TOKEN_BYTES = 32
LONGEST_TOKEN = 100
"""Maximum characters of a token; longer ones are unknown."""
MOST_EVENTS = 100
"""Maximum turns in a feed, those that are due first."""
MOST_KEPT = 32
"""Maximum feeds whose text is cached."""


def is_there() -> bool:
    """Return whether the library that writes calendars is installed."""
    return find_spec("icalendar") is not None


def new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


def digest_of(token: str) -> bytes:
    """Return the stored digest of a token."""
    return hashlib.sha256(token.encode(errors="replace")).digest()


def path_of(token: str) -> str:
    """Return the path of the feed with this token at the server's page."""
    return f"/{PATH}/{token}{SUFFIX}"


@dataclass(frozen=True, slots=True)
class _Event:
    """A turn in a calendar; times are whole unix seconds.

    ``uid`` identifies the game, so that the next turn replaces this one. ``set`` is the time at which ``due`` was set.
    """

    uid: str
    game: str
    turn: int
    due: int
    ends: int
    set: int


class CalendarFeed:
    """All feeds. ``now`` gives unix seconds; ``site`` is the address of the server's page, empty if unknown."""

    def __init__(self, registry: GameRegistry, now: Callable[[], float], server: str, site: str) -> None:
        self._registry = registry
        self._now = now
        self._server = server
        self._site = site
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def find(self, token: str) -> tuple[str, Callable[[], bytes]] | None:
        """Return the tag of a feed and a function that returns its text; None if no account has this token.

        A change of the text changes the tag. Raises StoreError.
        """
        if not 0 < len(token) <= LONGEST_TOKEN:
            return None
        store = self._registry.store
        account = store.read(calendars.owner, digest_of(token))
        if account is None:
            return None
        events = self._events(account)
        tag = hashlib.sha256(repr((self._server, self._site, events)).encode()).hexdigest()[:32]
        return tag, lambda: self._text(tag, events)

    def _events(self, account: int) -> list[_Event]:
        now, found = self._now(), []
        for row in self._registry.directory.rows_of(account):
            due = row.next_end(now)
            known = None if due is None else self._registry.directory.outline(row.id)
            if due is not None and known is not None and known.is_settled and known.seats.get(account) in known.awaited:
                found.append(_event(row, due))
        return sorted(found, key=lambda event: (event.due, event.uid))[:MOST_EVENTS]

    def _text(self, tag: str, events: list[_Event]) -> bytes:
        if tag not in self._kept:
            self._kept[tag] = _written(events, self._server, self._site)
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return self._kept[tag]


def _event(row: GameRow, due: float) -> _Event:
    uid = hashlib.sha256(f"{row.id} {row.name} {row.created}".encode()).hexdigest()[:32]
    ends = due if row.deadline is None else row.deadline
    begun = row.created if row.ran is None else row.ran
    return _Event(uid, row.name, row.turn, int(due), int(ends), int(begun))


def _written(events: list[_Event], server: str, site: str) -> bytes:
    from icalendar import Calendar, Event

    calendar = Calendar()
    calendar.add("prodid", "-//tpserver//deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", line(f"Turns on {server}"))
    for event in events:
        written = Event()
        written.add("uid", f"{event.uid}@tpserver")
        written.add("dtstamp", _time(event.set))
        written.add("dtstart", _time(event.due))
        written.add("summary", line(f"Turn {event.turn} of {event.game} is due"))
        text = "It awaits you."
        if event.ends > event.due:
            text += f" With grace and time banks it ends at {_time(event.ends):%Y-%m-%d %H:%M} UTC at the latest."
        written.add("description", text)
        if site:
            written.add("url", site)
        calendar.add_component(written)
    return bytes(calendar.to_ical())


def _time(at: int) -> datetime:
    return datetime.fromtimestamp(at, UTC)
