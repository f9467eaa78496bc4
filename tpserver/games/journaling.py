"""What the entries of a journal mean: how a game is brought from a snapshot to where it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tprules.api import Order, Seat
from tprules.api import intake as rules_intake
from tprules.api.intake import State
from tpserver.store.journal import JournalEntry

ORDER_KINDS = ("insert", "remove")


def change_of(state: State[Any], entry: JournalEntry) -> rules_intake.Change:
    """Return the change that an entry of kind insert or remove made to ``state``."""
    if entry.kind == "insert":
        on, name, args, draft, slot = entry.body
        return rules_intake.replayed_insertion(state, Order(_seat(entry), on, name, args, 0, draft), slot)
    on, slot = entry.body
    return rules_intake.replayed_removal(state, on, slot)


def again(state: State[Any], entries: Iterable[JournalEntry]) -> set[Seat]:
    """Make the changes of ``entries`` again and return the seats that have finished the turn."""
    finished: set[Seat] = set()
    for entry in entries:
        if entry.kind in ORDER_KINDS:
            rules_intake.apply(state, change_of(state, entry))
        elif entry.kind == "finished":
            finished.add(_seat(entry))
        elif entry.kind == "close":
            finished.clear()
    return finished


def _seat(entry: JournalEntry) -> Seat:
    if entry.seat is None:
        raise ValueError(f"journal entry {entry.number} of kind {entry.kind} names no seat")
    return entry.seat
