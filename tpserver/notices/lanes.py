"""Lanes of notifications: mail, push and webhooks do not delay each other.

Receivers are not trusted, and may be slow on purpose. So a host or an account has only a few notifications in delivery
at once. Receivers that were slow the last time share a small part of the lane.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from urllib.parse import urlsplit

from tpserver.notices.channels import MAIL, PUSH, WEBHOOKS
from tpserver.store.games.outbox import Notice

AT_ONCE, SLOW_AT_ONCE = 8, 2
"""Maximum notifications of a lane in delivery at once, and the maximum of slow ones in addition."""
HOST_AT_ONCE = 2
SLOW_SECONDS = 5.0
"""Seconds of a delivery from which its receiver is slow."""
REMEMBERED_SECONDS, MOST_REMEMBERED = 3600.0, 1000
"""Seconds for which a slow host or account is remembered, and the maximum number of these in a lane."""


def host_of(notice_channel: str, target: str) -> str:
    """Return the host that receives a notification; empty for mail, which goes through the operator's server."""
    if notice_channel == MAIL:
        return ""
    try:
        return (urlsplit(target).hostname or "").rstrip(".")
    except ValueError:
        return target


@dataclass
class Choice:
    """Selection of notifications for delivery, in one transaction."""

    free: int
    free_slow: int
    accounts: set[int]
    hosts: Counter[str]
    slow: Collection[Hashable]

    def __post_init__(self) -> None:
        self.passed: set[int] = set()
        """Accounts that have to wait, as the hosts of their notifications are slow."""
        self._waiting: set[int] = set()
        """Accounts that have to wait, as the hosts of their notifications are busy."""

    @property
    def excluded(self) -> set[int]:
        """The accounts that may get no notification now."""
        slow = set() if self.free_slow > 0 else {one for one in self.slow if isinstance(one, int)}
        return self.accounts | self.passed | self._waiting | slow

    @property
    def is_full(self) -> bool:
        return self.free <= 0 and self.free_slow <= 0

    def take(self, account: int, channel: str, target: str) -> bool:
        """Return whether a notification may be sent now, and count it if so."""
        host = host_of(channel, target)
        if account in self.accounts:
            return False
        if host and self.hosts[host] >= HOST_AT_ONCE:
            self._waiting.add(account)
            return False
        if account in self.slow or host in self.slow:
            if self.free_slow <= 0:
                self.passed.add(account)
                return False
            self.free_slow -= 1
        elif self.free <= 0:
            return False
        else:
            self.free -= 1
        self.accounts.add(account)
        self.hosts[host] += 1
        return True


class Lane:
    """The notifications in delivery for some channels."""

    def __init__(self, channels: Collection[str]) -> None:
        self.channels = channels
        self._sending: dict[int, tuple[Notice, bool]] = {}
        """By id: the notifications in delivery, and whether they are among the slow ones."""
        self._slow: OrderedDict[Hashable, float] = OrderedDict()
        """The times until which hosts, and accounts by their ids, count as slow."""

    def choice(self, now: float) -> Choice:
        """Return the selection for now, as a copy for the store's thread."""
        while self._slow and (len(self._slow) > MOST_REMEMBERED or next(iter(self._slow.values())) <= now):
            self._slow.popitem(last=False)
        slow = sum(is_slow for _, is_slow in self._sending.values())
        return Choice(
            AT_ONCE - (len(self._sending) - slow),
            SLOW_AT_ONCE - slow,
            {notice.account for notice, _ in self._sending.values()},
            Counter(host_of(notice.channel, notice.target) for notice, _ in self._sending.values()),
            frozenset(self._slow),
        )

    def begin(self, notice: Notice) -> None:
        """Record the start of a delivery."""
        is_slow = notice.account in self._slow or host_of(notice.channel, notice.target) in self._slow
        self._sending[notice.id] = notice, is_slow

    def end(self, notice: Notice) -> None:
        """Record the end of a delivery."""
        self._sending.pop(notice.id, None)

    def note_time(self, notice: Notice, seconds: float, now: float) -> None:
        """Record the time that the receiver of a notification took."""
        host = host_of(notice.channel, notice.target)
        if seconds >= SLOW_SECONDS:
            self.note_slow({notice.account, *([host] if host else [])}, now)
        else:
            self._slow.pop(notice.account, None)
            self._slow.pop(host, None)

    def note_slow(self, ones: Collection[Hashable], now: float) -> None:
        """Count hosts and accounts as slow."""
        for one in ones:
            self._slow[one] = now + REMEMBERED_SECONDS
            self._slow.move_to_end(one)


def all_lanes() -> list[Lane]:
    """Return a lane for mail, one for browsers, and one for all kinds of webhooks."""
    return [Lane([MAIL]), Lane([PUSH]), Lane(WEBHOOKS)]
