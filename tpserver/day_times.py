"""Times of day in a player's time zone: quiet hours and daily digests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAY_MINUTES = 24 * 60
EVE = 15 * 60.0
"""Seconds before quiet hours in which their notifications are sent early.

There may be many at once, and a player who is online gets them some minutes later.
"""
LONGEST_ZONE = 64
"""Maximum characters of the name of a zone."""


def zone_named(name: str) -> ZoneInfo:
    """Return the time zone of this name, such as Europe/Zurich. Raises ValueError if there is none."""
    try:
        if not 0 < len(name) <= LONGEST_ZONE:
            raise ValueError
        return ZoneInfo(name)
    except (ValueError, ZoneInfoNotFoundError, OSError):
        raise ValueError(f"there is no time zone {name[:LONGEST_ZONE]!r}; they are called like Europe/Zurich") from None


@dataclass(frozen=True, slots=True)
class DayTimes:
    """An account's quiet hours and time of the daily digest.

    ``zone`` is the name of a time zone. In it, ``quiet_from``, ``quiet_to`` and ``digest`` are minutes since midnight,
    0 to 1439. Equal times mean no quiet hours. A zone that this machine no longer knows counts as UTC.
    """

    zone: str = "UTC"
    quiet_from: int = 0
    quiet_to: int = 0
    digest: int = 8 * 60

    def tz(self) -> ZoneInfo:
        try:
            return zone_named(self.zone)
        except ValueError:
            return ZoneInfo("UTC")

    def is_quiet(self, at: float) -> bool:
        """Return whether a time in unix seconds is in the quiet hours."""
        if self.quiet_from == self.quiet_to:
            return False
        minute = self._minute(at)
        if self.quiet_from < self.quiet_to:
            return self.quiet_from <= minute < self.quiet_to
        return minute >= self.quiet_from or minute < self.quiet_to

    def loud(self, at: float) -> float:
        """Return the first time from ``at`` on that is not in the quiet hours."""
        if not self.is_quiet(at):
            return at
        return self._out_of_quiet(at, (self.quiet_to - self._minute(at)) % DAY_MINUTES, 60)

    def before_quiet(self, at: float, earliest: float) -> float:
        """Move a time out of the quiet hours, if possible to before they begin.

        A time outside the quiet hours stays. Otherwise the result is EVE seconds before they begin, but not before
        ``earliest``. If they begin before ``earliest``, it is the first time after them.
        """
        if not self.is_quiet(at):
            return at
        begin = self._out_of_quiet(at, (self._minute(at) - self.quiet_from) % DAY_MINUTES + 1, -60) + 60
        return max(self.loud(begin - EVE), earliest) if earliest < begin else self.loud(at)

    def next_digest(self, at: float) -> float:
        """Return the first time after ``at`` at which a digest is due."""
        return self._next(self.digest, at)

    def _minute(self, at: float) -> int:
        here = datetime.fromtimestamp(at, self.tz())
        return here.hour * 60 + here.minute

    def _out_of_quiet(self, at: float, minutes: int, step: int) -> float:
        """Return the beginning of the first minute outside quiet hours.

        The search begins at ``at``, within them. ``step`` is 60 or -60 seconds. On a day without a clock change that
        minute is ``minutes`` away.
        """
        minute = at // 60 * 60
        found = minute + step * minutes
        zone = self.tz()
        if datetime.fromtimestamp(minute, zone).utcoffset() == datetime.fromtimestamp(found, zone).utcoffset():
            return found
        while self.is_quiet(minute):  # a wall may show minutes twice, or never
            minute += step
        return minute

    def _next(self, minute: int, after: float) -> float:
        """Return the first time after ``after`` at which the clock on the wall shows ``minute``."""
        zone = self.tz()
        day = datetime.fromtimestamp(after, zone).replace(
            hour=minute // 60, minute=minute % 60, second=0, microsecond=0
        )
        for days in range(3):
            found = (day + timedelta(days=days)).timestamp()
            if found > after:
                return found
        raise AssertionError("a day has not more than 48 hours")
