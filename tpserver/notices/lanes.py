"""Lanes of notifications: mail, push and webhooks do not delay each other.

Receivers are not trusted, and may be slow on purpose. So a host or an account has only a few notifications in delivery
at once. Those that were slow the last time share a small part of the lane.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from urllib.parse import urlsplit

from tpserver.notices.channels import MAIL, PUSH, WEBHOOKS
from tpserver.store.games.outbox import Notice

AT_ONCE, SLOW_AT_ONCE = 8, 2
"""Maximum notices of a lane on their way at once, and of those that were slow in addition."""
HOST_AT_ONCE = 2
SLOW_SECONDS = 5.0
"""Seconds from which a receiver is slow."""
REMEMBERED_SECONDS, MOST_REMEMBERED = 3600.0, 1000
"""Seconds for which a slow host or account is remembered, and how many of each lane are."""


def host_of(notice_channel: str, target: str) -> str:
    """Return the host to which a notice goes; empty for a mail, which goes to the operator's own mail server."""
    if notice_channel == MAIL:
        return ""
    try:
        return (urlsplit(target).hostname or "").rstrip(".")
    except ValueError:
        return target


@dataclass
class Choice:
    """Choices of notices to send, in one transaction."""

    free: int
    free_slow: int
    accounts: set[int]
    hosts: Counter[str]
    slow: Collection[Hashable]

    def __post_init__(self) -> None:
        self.passed: set[int] = set()
        """Accounts that have to wait, as the hosts of their notices are slow."""
        self._waiting: set[int] = set()
        """Accounts that have to wait, as the hosts of their notices have enough to do."""

    @property
    def excluded(self) -> set[int]:
        """The accounts of which nothing may be sent now."""
        slow = set() if self.free_slow > 0 else {one for one in self.slow if isinstance(one, int)}
        return self.accounts | self.passed | self._waiting | slow

    @property
    def is_full(self) -> bool:
        return self.free <= 0 and self.free_slow <= 0

    def take(self, account: int, channel: str, target: str) -> bool:
        """Count a notice, and return True, if it may be sent now."""
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
    """The notices of some channels that are on their way."""

    def __init__(self, channels: Collection[str]) -> None:
        self.channels = channels
        self._sending: dict[int, tuple[Notice, bool]] = {}
        """By id: the notices on their way, and whether they are among the slow ones."""
        self._slow: OrderedDict[Hashable, float] = OrderedDict()
        """Until when hosts, and accounts by their ids, are slow."""

    def choice(self, now: float) -> Choice:
        """Return what may be sent now, as a copy that the store's thread may change."""
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
        """Note that a notice is on its way."""
        is_slow = notice.account in self._slow or host_of(notice.channel, notice.target) in self._slow
        self._sending[notice.id] = notice, is_slow

    def end(self, notice: Notice) -> None:
        """Note that a notice is not on its way."""
        self._sending.pop(notice.id, None)

    def note_time(self, notice: Notice, seconds: float, now: float) -> None:
        """Note how long the receiver of a notice took."""
        host = host_of(notice.channel, notice.target)
        if seconds >= SLOW_SECONDS:
            self.note_slow({notice.account, *([host] if host else [])}, now)
        else:
            self._slow.pop(notice.account, None)
            self._slow.pop(host, None)

    def note_slow(self, ones: Collection[Hashable], now: float) -> None:
        """Let hosts and accounts be slow."""
        for one in ones:
            self._slow[one] = now + REMEMBERED_SECONDS
            self._slow.move_to_end(one)


def all_lanes() -> list[Lane]:
    """Return a lane for mail, one for browsers, and one for all kinds of webhooks."""
    return [Lane([MAIL]), Lane([PUSH]), Lane(WEBHOOKS)]
