"""Seats of a game as text: awaited and absent players, bots, kept turns."""

from typing import Any

from tpproto import tp_pb2

RULES, BOT = "rules", "bot"
"""The values of a policy for absent seats."""
HEADS = ("SEAT", "NAME", "STATE", "TURNS")
"""The columns of `seats_rows`."""
MOST_TURNS = 100
"""Maximum turns of a policy and of an autopilot."""
MOST_SILENT_DAYS = 365
"""Maximum days of a policy without a sign of life."""


def state_words(seat: tp_pb2.SeatState) -> str:
    """Return a seat's state in words, without its numbers; may be ""."""
    if not seat.name:
        return "open"
    words = []
    if seat.autopilot:
        words.append(f"left to the bot for {turns_words(seat.autopilot)}")
    elif seat.absent:
        words.append("absent, the bot plays" if seat.bot_plays else "absent")
    elif seat.bot:
        words.append("bot")
    if seat.here:
        words.append("here")
    if seat.awaited:
        words.append("awaited")
    if seat.missed:
        words.append(f"missed {turns_words(seat.missed)} in a row" if seat.missed > 1 else "missed the last turn")
    if seat.seeks:
        words.append("can be taken over")
    return ", ".join(words)


def kept_words(seat: tp_pb2.SeatState) -> str:
    """Return the reliability of a seat's player, in words.

    Empty for a bot, and if no turn was due yet.
    """
    if not seat.due and not seat.due_of_all:
        return ""
    here = f"kept {seat.kept} of {seat.due} here"
    return f"{here}, {seat.kept_of_all} of {seat.due_of_all} in all games" if seat.due_of_all > seat.due else here


def turns_words(number: int) -> str:
    return f"{number} turn" if number == 1 else f"{number} turns"


def set_silent_days(policy: tp_pb2.SeatPolicy, days: int) -> None:
    """Set the days that a turn without a deadline waits for an idle player; 0 means for ever."""
    policy.silent_days, policy.waits_for_silent = days, not days


def seats_facts(seats: tp_pb2.Seats) -> dict[str, Any]:
    """Return the seats of a game as data."""
    policy = seats.policy
    return {
        "game": seats.game,
        "policy": {
            "absent_after": policy.absent_after,
            "absent": policy.absent or RULES,
            "seek": policy.seeks,
            "reliability": policy.reliability,
            "roll_call": policy.roll_call,
            "silent_days": policy.silent_days,
        },
        "words": seats.words,
        "owned": seats.owned,
        "roll_ends": seats.roll_ends or None,
        "seats": [
            {
                "player": one.player,
                "name": one.name,
                "bot": one.bot,
                "awaited": one.awaited,
                "absent": one.absent,
                "bot_plays": one.bot_plays,
                "autopilot": one.autopilot,
                "seeks": one.seeks,
                "missed": one.missed,
                "due": one.due,
                "kept": one.kept,
                "due_of_all": one.due_of_all,
                "kept_of_all": one.kept_of_all,
            }
            for one in seats.seats
        ],
    }


def seats_rows(seats: tp_pb2.Seats) -> list[tuple[str, str, str, str]]:
    """Return the seats of a game for people, with the columns of `HEADS`."""
    return [(str(one.player), one.name or "-", state_words(one), kept_words(one)) for one in seats.seats]
