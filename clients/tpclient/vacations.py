"""Vacations as text and as data, and the dates that a player types."""

from datetime import datetime, timedelta
from typing import Any

from tpclient.clocks import own_time, seconds_words
from tpproto import tp_pb2

AWAY_FORM = "the first and the last day, as 2026-12-24 2027-01-02; one alone is the last, from now on"


def days_between(words: str) -> tuple[int, int] | None:
    """Return the first and the last day in a text as unix seconds, or None for any other text.

    The first number is the beginning of the first day, the second the end of the last day, in local time. A single day
    is the last one. The beginning is then 0, which means now.
    """
    days = words.split()
    if not 1 <= len(days) <= 2:
        return None
    try:
        first = datetime.strptime(days[0], "%Y-%m-%d").astimezone()
        last = datetime.strptime(days[-1], "%Y-%m-%d")
        end = (last + timedelta(days=1)).astimezone()
        begins, ends = int(first.timestamp()) if len(days) == 2 else 0, int(end.timestamp())
    except (ValueError, OverflowError, OSError):
        return None
    return (begins, ends) if 0 <= begins < ends else None


def vacation_words(one: tp_pb2.Vacation | tp_pb2.PlayerVacation) -> str:
    """Return the begin and the end of a vacation, in local time."""
    return f"{own_time(one.begins)} to {own_time(one.ends)}"


def left_words(told: tp_pb2.Vacations) -> str:
    """Return the vacation days that are left."""
    return f"{seconds_words(told.left) if told.left else 'nothing'} left this year"


def vacations_facts(told: tp_pb2.Vacations) -> dict[str, Any]:
    """Return the vacations of an account as data. Times are unix seconds."""
    return {
        "vacations": [{"id": one.id, "begins": one.begins, "ends": one.ends} for one in told.vacations],
        "left": told.left,
    }
