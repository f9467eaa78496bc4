"""Plays a ruleset without a host, for tests, golden playthroughs and measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from tprules.api import Dice, Event, Order, Outcome, Plan, Report, Ruleset, Seat, parse_options
from tprules.api.advance import Advanced, advance, copied, opening
from tprules.api.order_checks import State, apply, insertion
from tprules.testing.failures import fail

W = TypeVar("W")

Policy: TypeAlias = Callable[[Ruleset[Any], Plan[Any], Dice], Order | None]
"""Returns the next order of ``plan.seat``, or None when the seat is done.  The dice are used by the policy only."""

MOST_ORDERS = 64
"""Maximum orders of one seat in one phase, so that a policy that never returns None is stopped."""


def random_policy(rules: Ruleset[Any], plan: Plan[Any], dice: Dice) -> Order | None:
    """Choose an order type at random, then one of its legal orders.  Stops if there is none, and at random."""
    if dice.below(10) == 0:
        return None
    return busy_policy(rules, plan, dice)


def busy_policy(rules: Ruleset[Any], plan: Plan[Any], dice: Dice) -> Order | None:
    """Choose like ``random_policy``, but stop only if there is no legal order."""
    moves = list(rules.legal_orders(plan))
    if not moves:
        return None
    kind = dice.pick(sorted({order.type for order in moves}))
    return dice.pick([order for order in moves if order.type == kind])


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
    policy: Policy = random_policy,
    most_turns: int = 2000,
) -> Iterator[Step[W]]:
    """Play a game and yield each closing.

    ``options`` are as an operator types them; ``seats`` None means the smallest possible number; ``seed`` decides all
    chance.  Raises Nonconforming if the game is not over after ``most_turns`` turns.
    """
    key = str(seed).encode()
    count = rules.seats[0] if seats is None else seats
    state = opening(rules, parse_options(rules.options, options or {}), count, key).state
    for number in range(most_turns):
        if state.over:
            return
        give_orders(rules, state, policy, Dice.named(key, "policy", number))
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
    policy: Policy = random_policy,
    most_turns: int = 2000,
) -> Played[W]:
    """Play a game to its end and return it.  The arguments are those of ``playing``."""
    count = rules.seats[0] if seats is None else seats
    first = opening(rules, parse_options(rules.options, options or {}), count, str(seed).encode())
    played = Played(first.state, first.outcome, 0, [first.digest], list(first.events), list(first.reports))
    for step in playing(rules, options, seats, seed, policy, most_turns):
        played.state, played.outcome = step.done.state, step.done.outcome
        played.turns += 1
        played.digests.append(step.done.digest)
        played.events += step.done.events
        played.reports += step.done.reports
    return played


def give_orders(rules: Ruleset[W], state: State[W], policy: Policy, dice: Dice, only: Seat | None = None) -> None:
    """Insert the policy's orders into the state, for all seats that may give orders, or only for the seat ``only``."""
    phase = rules.phase(state.phase)
    active = list(phase.active(state.world))
    running = {kind.name for kind in phase.orders}
    planners = [seat for seat in phase.planners(state.world) if seat not in active]
    for seat in [*planners, *active]:
        if only is not None and seat != only:
            continue
        for _ in range(MOST_ORDERS):
            order = policy(rules, state.plan(seat), dice)
            if order is None:
                break
            apply(state, insertion(rules, state, seat, order.on, order.type, order.args))
            if phase.ends_after == "each" and seat in active and order.type in running:
                return


def branched(rules: Ruleset[W], state: State[W]) -> State[W]:
    """Return an independent copy of the state, to play on in another way."""
    return copied(rules, state)
