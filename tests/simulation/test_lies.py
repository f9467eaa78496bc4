"""The checker detects lies: each test changes one fact of a sound history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from tests.simulation.checker import TOKEN, Checker, Event, Wrong
from tests.simulation.world import plan_of, run

SEED, STEPS = 41, 300
ENTRY_NUMBER, ENTRY_KIND, ENTRY_BODY = 4, 8, 9

History = list[Event]


@pytest.fixture(scope="module")
def recorded() -> History:
    """The history of a world with orders, messages, and turns closed by the clock."""
    world = run(SEED, plan_of(SEED, STEPS))
    tally = world.checker.tally
    needed = "acknowledged: insert", "letters", "turns closed by the clock", "outages in a turn"
    assert min(tally[what] for what in needed) > 2, tally
    return world.history


def is_entry(event: Event, *kinds: str) -> bool:
    return event[0] == "entry" and event[ENTRY_KIND] in kinds


def orders(history: History) -> list[int]:
    """Where the entries are of orders that were acknowledged, each with a secret word."""
    words = {event[3]: TOKEN.search(repr(event[9]).encode()) for event in history if event[0] == "asked"}
    told = {words[event[3]][0] for event in history if event[0] == "answered" and event[4] and words.get(event[3])}
    found = (
        (index, TOKEN.search(repr(event).encode())) for index, event in enumerate(history) if is_entry(event, "insert")
    )
    return [index for index, word in found if word is not None and word[0] in told]


def renumbered(history: History) -> Iterator[Event]:
    """Return the history with the entries of each journal, and references to them, counted again without gaps."""
    last: dict[int, int] = {}
    news: dict[tuple[int, int], int] = {}
    for event in history:
        if event[0] == "entry":
            number = last[event[3]] = last.get(event[3], 0) + 1
            news[event[3], event[ENTRY_NUMBER]] = number
            yield (*event[:ENTRY_NUMBER], number, *event[ENTRY_NUMBER + 1 :])
        elif event[0] == "turn":
            yield (*event[:6], news.get((event[3], event[6]), 0))
        elif event[0] != "journal":
            yield event


def without_an_order(history: History) -> None:
    del history[orders(history)[0]]
    history[:] = renumbered(history)


def with_an_order_twice(history: History) -> None:
    first = orders(history)[0]
    history.insert(first, history[first])
    history[:] = renumbered(history)


def with_two_orders_swapped(history: History) -> None:
    first, second = orders(history)[:2]
    one, other = history[first], history[second]
    history[first] = (*one[:7], *other[7:])
    history[second] = (*other[:7], *one[7:])


def with_a_turn_skipped(history: History) -> None:
    index = next(index for index, event in enumerate(history) if event[0] == "turn" and event[4] > 0)
    del history[index]


def with_a_turn_twice(history: History) -> None:
    index = next(index for index, event in enumerate(history) if is_entry(event, "close"))
    history.insert(index, history[index])
    history[:] = renumbered(history)


def with_a_deadline_early(history: History) -> None:
    for index, event in enumerate(history):
        if is_entry(event, "close") and event[ENTRY_BODY] == {"reason": 5}:
            before = [other for other in history[:index] if is_entry(other, "close", "start") and other[3] == event[3]]
            time = before[-1][2] + 2.0
            history[index] = (*event[:2], time, *event[3:6], before[-1][6] + 2.0, *event[7:])
            return


def closed_by_clock(history: History) -> Iterator[int]:
    """Where the entries are of turns that were closed by the clock."""
    return (i for i, event in enumerate(history) if is_entry(event, "close") and event[ENTRY_BODY] == {"reason": 5})


def with_an_outage_not_given_back(history: History) -> None:
    """The turn in which there was no server is closed as soon as there is one again."""
    for index in closed_by_clock(history):
        game = history[index][3]
        begun = max(i for i in range(index) if is_entry(history[i], "close", "start") and history[i][3] == game)
        lives = [event for event in history[begun:index] if event[0] == "server" and event[3] in ("killed", "started")]
        for killed, started in pairwise(lives):
            if killed[3] == "killed" and started[2] - killed[2] >= 60.0 and started[2] < history[index][2] - 2.0:
                event = history[index]
                history[index] = (*event[:2], started[2], *event[3:6], started[2], *event[7:])
                return


def with_a_turn_late(history: History) -> None:
    index = max(closed_by_clock(history))
    history.insert(index, ("well", history[index][2] + 31.0, history[index][2] - 31.0))


def with_a_foreign_secret(history: History) -> None:
    word = TOKEN.search(repr(history[orders(history)[0]]).encode())
    assert word is not None
    writer = next(event[4] for event in history if event[0] == "asked" and word[0].decode() in repr(event))
    index = next(i for i, event in enumerate(history) if event[0] == "heard" and event[2] != writer)
    heard = history.pop(index)
    history.append((*heard[:5], heard[5] + word[0]))


def with_another_digest(history: History) -> None:
    index = [index for index, event in enumerate(history) if event[0] == "turn"][-1]
    event = history[index]
    history[index] = (*event[:5], "0" * 64, event[6])


def with_an_answer_twice(history: History) -> None:
    index = next(index for index, event in enumerate(history) if event[0] == "answered" and event[4])
    history.insert(index, history[index])


def with_a_session_left(history: History) -> None:
    history[:] = [("left", "sessions", 1) if event[:2] == ("left", "sessions") else event for event in history]


def with_a_letter_lost(history: History) -> None:
    history[:] = [(*event[:2], []) if event[0] == "letters" else event for event in history]


def test_the_checker_believes_what_was_recorded(recorded: History):
    """And so the lies below are found for what is changed, and for nothing else."""
    Checker().see_all(recorded)
    Checker().see_all(renumbered(recorded))


LIES: list[tuple[Callable[[History], Any], str]] = [
    (without_an_order, "acknowledged and is not in the journal|undisturbed game refuses|which was|has the digest"),
    (with_an_order_twice, "nobody asked for entry"),
    (with_two_orders_swapped, "nobody asked for entry"),
    (with_a_turn_skipped, "is saved after turn"),
    (with_a_turn_twice, "is of turn|have not"),
    (with_a_deadline_early, "which is not due before"),
    (with_an_outage_not_given_back, "which is not due before"),
    (with_a_turn_late, "is not closed"),
    (with_a_foreign_secret, "which is a secret of"),
    (with_another_digest, "has the digest"),
    (with_an_answer_twice, "was answered twice"),
    (with_a_session_left, "1 sessions were left"),
    (with_a_letter_lost, "the letter .* was acknowledged"),
]


@pytest.mark.parametrize(("lie", "found"), LIES, ids=lambda value: getattr(value, "__name__", ""))
def test_a_lie_is_found(recorded: History, lie: Callable[[History], Any], found: str):
    told = list(recorded)
    lie(told)
    with pytest.raises(Wrong, match=found):
        Checker().see_all(told)
