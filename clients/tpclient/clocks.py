"""The turn clock and the time banks as text, with times in the local zone."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from tpproto import tp_pb2

NO_DEADLINE = 2147483647
"""The seconds that a clock without a deadline shows."""


def seconds_words(seconds: int) -> str:
    """Return the time remaining, in words."""
    if seconds >= NO_DEADLINE:
        return "no deadline"
    if seconds == 0:
        return "the turn is being computed"
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    parts = ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def own_time(at: float) -> str:
    """Return a moment, in unix seconds, in the local time zone; "" if the calendar cannot express it."""
    try:
        return datetime.fromtimestamp(at).astimezone().strftime("%a %d %b %Y %H:%M %Z").strip()
    except (OverflowError, OSError, ValueError):
        return ""


def is_late(clock: tp_pb2.Clock, now: float) -> bool:
    """Return whether the turn goes on only by grace or time banks."""
    return bool(clock.due) and clock.due <= now < clock.ends


def clock_facts(clock: tp_pb2.Clock, name_of: Callable[[int], str]) -> dict[str, Any]:
    """Return a clock as data. Times are unix seconds, None without a deadline or while the clock is paused."""
    return {
        "game": clock.game,
        "clock": clock.clock,
        "words": clock.words,
        "due": clock.due or None,
        "ends": clock.ends or None,
        "banks": [{"player": one.player, "name": name_of(one.player), "seconds": one.seconds} for one in clock.banks],
        "owned": clock.owned,
    }


def clock_rows(clock: tp_pb2.Clock, name_of: Callable[[int], str], now: float | None = None) -> list[tuple[str, str]]:
    """Return a clock for people, as heads and values."""
    now = time.time() if now is None else now
    rows = [("Clock", clock.words)]
    if clock.due:
        left = int(clock.due - now)
        rows.append(
            ("Due", f"{own_time(clock.due)}{f', in {seconds_words(left)}' if left > 0 else ', which has passed'}")
        )
        if clock.ends > clock.due:
            rows.append(("Ends", f"{own_time(clock.ends)} at the latest, by grace and time banks"))
    else:
        rows.append(("Due", "no deadline now"))
    if clock.banks:
        banks = (
            f"{name_of(one.player)} {seconds_words(one.seconds) if one.seconds else 'empty'}" for one in clock.banks
        )
        rows.append(("Banks", ", ".join(banks)))
    return rows
