"""Play a ruleset without a host, for tests, playthroughs and measurements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tprules.api import BotTurn, Dice, Event, Order, Outcome, Refusal, Report, Ruleset, Seat, parse_options
from tprules.api.advance import Advanced, advance, opening
from tprules.api.bots import Bot, bot_orders, give_any, random_bot
from tprules.api.legal import legal_orders
from tprules.api.order_checks import State, apply, insertion
from tprules.api.ruleset import find_phase
from tprules.testing.failures import fail

W = TypeVar("W")

MOST_ORDERS = 64
"""Maximum orders of ``busy_bot`` in one turn. In some games there is always another legal one."""


def busy_bot(turn: BotTurn[Any]) -> None:
    """Choose like ``random_bot``, but stop only if there is no legal order."""
    for _ in range(MOST_ORDERS):
        if not give_any(turn):
            return


@dataclass
class Step(Generic[W]):
    """One closing: the state before it, with all orders, and the result."""

    before: State[W]
    done: Advanced[W]


@dataclass
class Played(Generic[W]):
    """A game that was played to its end."""

    state: State[W]
    outcome: Outcome | None
    turns: int
    digests: list[str] = field(default_factory=list)
    """The digests of the opening and of the state after each turn."""
    events: list[Event] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)


def playing(
    rules: Ruleset[W],
    options: Mapping[str, Any] | None = None,
    seats: int | None = None,
    seed: int | str = 0,
    bot: Bot | None = random_bot,
    most_turns: int = 2000,
) -> Iterator[Step[W]]:
    """Play a game and yield each closing.

    ``options`` are those that an operator types. ``seats`` None means the smallest possible number. ``seed`` decides
    all chance. ``bot`` None means the ruleset's own. Raises Nonconforming if the game is not over after ``most_turns``
    turns.
    """
    key = str(seed).encode()
    count = rules.seats[0] if seats is None else seats
    state = opening(rules, parse_options(rules.options, options or {}), count, key).state
    for number in range(most_turns):
        if state.over:
            return
        give_orders(rules, state, bot, Dice.named(key, "policy", number))
        step = Step(state, advance(rules, state, key))
        state = step.done.state
        yield step
    if not state.over:
        fail(
            f"{rules.name}: a game with {count} seats and seed {seed!r} is not over after {most_turns} turns",
            "end every game, for example after a number of turns that is an option",
        )


def play(
    rules: Ruleset[W],
    options: Mapping[str, Any] | None = None,
    seats: int | None = None,
    seed: int | str = 0,
    bot: Bot | None = random_bot,
    most_turns: int = 2000,
) -> Played[W]:
    """Play a game to its end and return it. The arguments are those of ``playing``."""
    count = rules.seats[0] if seats is None else seats
    first = opening(rules, parse_options(rules.options, options or {}), count, str(seed).encode())
    played = Played(first.state, first.outcome, 0, [first.digest], list(first.events), list(first.reports))
    for step in playing(rules, options, seats, seed, bot, most_turns):
        played.state, played.outcome = step.done.state, step.done.outcome
        played.turns += 1
        played.digests.append(step.done.digest)
        played.events += step.done.events
        played.reports += step.done.reports
    return played


def give_orders(rules: Ruleset[W], state: State[W], bot: Bot | None, dice: Dice, only: Seat | None = None) -> None:
    """Insert a bot's orders into the state, for all seats that may give orders, or only for the seat ``only``.

    ``bot`` None means the ruleset's own. Raises Nonconforming if the known world accepts an order that is refused.
    """
    phase = find_phase(rules, state.phase)
    active = list(phase.active(state.world))
    running = {kind.name for kind in phase.orders}
    planners = [seat for seat in phase.planners(state.world) if seat not in active]
    for seat in [*planners, *active]:
        if only is not None and seat != only:
            continue
        for order in bot_orders(rules, state, seat, dice, bot):
            try:
                change = insertion(rules, state, seat, order.on, order.type, order.args)
            except Refusal as refusal:
                what = f"{order.type} on {order.on} with {dict(order.args)}"
                fail(f"{rules.name}: a bot of seat {seat} gives {what}, which is refused: {refusal.text}",
                     "the world that known() returns must answer as the true one")  # fmt: skip
            apply(state, change)
            if phase.ends_after == "each" and seat in active and order.type in running:
                return


def first_of_each_type(rules: Ruleset[W], state: State[W], seat: Seat) -> dict[str, Order]:
    """Return the first of the seat's legal orders of each type."""
    found: dict[str, Order] = {}
    for order in legal_orders(rules, state, seat):
        found.setdefault(order.type, order)
    return found
