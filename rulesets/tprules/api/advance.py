"""The opening and the closing of a phase as pure functions; stored states."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from tprules.api.codec import copy_world
from tprules.api.dice import Dice
from tprules.api.endings import Outcome
from tprules.api.order_checks import State
from tprules.api.orders import Order
from tprules.api.ruleset import Ruleset, find_phase, from_stored_order, to_stored_order
from tprules.api.turns import Event, Phase, Report, Turn
from tprules.api.types import ORDER_INVALID, Oid, OptionError, Seat, canonical, digest_of

W = TypeVar("W")

MOST_SEATS = 10_000
"""Maximum seats that a phase may name. More are a fault of the ruleset, perhaps an endless iterator."""

LARGEST_STATE = 64 << 20
"""Maximum bytes of a dumped state, which is stored after each turn."""

MOST_STEPS = 1000
"""Maximum phases in a row with no active seat. More are a fault of the ruleset."""

MOST_LISTED_DRAFTS = 50
"""Maximum lines, and maximum objects, in the report about dropped drafts."""

BEFORE_THE_FIRST = -1
"""The turn number under which phases without an active seat run while a game opens."""


class RulesFault(RuntimeError):
    """A ruleset broke its contract. The message has the details."""


@dataclass
class Advanced(Generic[W]):
    """The result of a closing: the new state and its digest, the reports and events, and the outcome."""

    state: State[W]
    reports: list[Report]
    events: list[Event]
    data: dict[str, Any]
    """``dump_state(...)`` of the new state, for the host to store."""
    digest: str
    """The digest of ``data``. Equal digests mean equal games."""
    outcome: Outcome | None
    """None while the game goes on."""
    revealed: bool = True
    """True if a player may have learned hidden information.

    The closing cannot be taken back then.
    """


def named_seats(seats: Iterable[Seat]) -> list[Seat]:
    """Return the seats that a phase names. Raises RulesFault if there are more than MOST_SEATS."""
    found = list(islice(seats, MOST_SEATS + 1))
    if len(found) > MOST_SEATS:
        raise RulesFault(f"a phase names more than {MOST_SEATS} seats")
    return found


def opening(rules: Ruleset[W], options: dict[str, Any], seats: int, seed: bytes) -> Advanced[W]:
    """Return the opening of a game with these parsed options, in the first phase that has an active seat.

    Raises OptionError if the options do not fit together or the game does not allow this number of seats.
    """
    if seats not in rules.seats:
        fewest, most = rules.seats[0], rules.seats[-1]
        wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise OptionError("players", f"{seats} players cannot play; {rules.name} is for {wanted}")
    world = rules.setup(options, seats, Dice.named(seed, "setup"))
    state = State(world, rules.phases[0].name)
    if rules.outcome(world) is None and not named_seats(rules.phases[0].active(world)):
        return _run(rules, state, seed, BEFORE_THE_FIRST)
    return _advanced(rules, state, [], [], rules.outcome(world))


def advance(rules: Ruleset[W], state: State[W], seed: bytes) -> Advanced[W]:
    """Close the present phase and go on to the next phase that has an active seat.

    ``state`` and its world are not changed. Drafts of the phase's order types are dropped with a report to their seats.
    Active seats without orders get the phase's ``default_orders``. Raises RulesFault and the errors of the ruleset.
    """
    if state.over:
        raise RulesFault(f"{rules.name}: the game is over; there is nothing to close")
    return _run(rules, copied(rules, state), seed, state.turn)


def concluded(rules: Ruleset[W], state: State[W], outcome: Outcome) -> Advanced[W]:
    """End the game in its present phase, with an outcome decided by its players. No rules of a turn run.

    ``state`` and its world are not changed. Raises RulesFault and the errors of the ruleset.
    """
    if state.over:
        raise RulesFault(f"{rules.name}: the game is over; there is nothing to end")
    ended = copied(rules, state)
    ended.turn, ended.queues, ended.over = state.turn + 1, {}, True
    return _advanced(rules, ended, [], [], outcome)


def taken_back(rules: Ruleset[W], before: dict[str, Any], state: State[W]) -> Advanced[W]:
    """Go back to the beginning of the turn before, as a new turn.

    ``before`` is the data with which it began. Its orders must be given again. ``state`` is not changed. Raises the
    errors of ``load_state``, or RulesFault.
    """
    again = load_state(rules, before)
    again.turn, again.stamp = state.turn + 1, max(state.stamp, again.stamp)
    return _advanced(rules, again, [], [], None)


def copied(rules: Ruleset[W], state: State[W]) -> State[W]:
    """Return an independent copy of the state."""
    if rules.world is None:
        world = rules.load(json.loads(canonical(rules.dump(state.world))), rules.version)
    else:
        world = copy_world(state.world)
    queues = {on: list(queue) for on, queue in state.queues.items()}
    return State(world, state.phase, state.turn, queues, state.stamp, state.over)


def dump_state(rules: Ruleset[W], state: State[W]) -> dict[str, Any]:
    """Return the complete state as JSON-able data for ``load_state``."""
    return {
        "world": rules.dump(state.world),
        "version": rules.version,
        "phase": state.phase,
        "turn": state.turn,
        "queues": [
            [on, [to_stored_order(rules, order).dump() for order in queue]]
            for on, queue in sorted(state.queues.items())
            if queue
        ],
        "stamp": state.stamp,
        "over": state.over,
    }


def load_state(rules: Ruleset[W], data: dict[str, Any]) -> State[W]:
    """Return the state for data that ``dump_state`` returned, also with an older version of the ruleset."""
    world = rules.load(data["world"], data["version"])
    queues = {on: [from_stored_order(rules, Order.load(order)) for order in queue] for on, queue in data["queues"]}
    return State(world, data["phase"], data["turn"], queues, data["stamp"], data["over"])


def _run(rules: Ruleset[W], state: State[W], seed: bytes, number: int) -> Advanced[W]:
    reports: list[Report] = []
    events: list[Event] = []
    outcome = rules.outcome(state.world)
    revealed = False
    for step in range(MOST_STEPS):
        phase: Phase[W] = find_phase(rules, state.phase)
        turn = Turn(state.world, number, phase.name, {}, seed, step)
        kept = _split(state, phase, turn)
        _add_absent(state, phase, turn)
        for stage in phase.stages:
            stage(turn)
        state.queues = _merged(turn.queues, kept)
        revealed = revealed or turn.drew or not phase.reveals_nothing
        reports += turn.reports
        events += turn.events
        outcome = rules.outcome(state.world)
        if outcome is not None:
            state.over = True
            state.queues = {}
            break
        state.phase = phase.name if phase.next_phase is None else phase.next_phase(state.world)
        if named_seats(find_phase(rules, state.phase).active(state.world)):
            break
    else:
        last = state.phase
        raise RulesFault(f"{rules.name}: {MOST_STEPS} phases in a row with nobody to move; the last was {last!r}")
    state.turn = number + 1
    advanced = _advanced(rules, state, reports, events, outcome)
    advanced.revealed = revealed
    return advanced


def _advanced(
    rules: Ruleset[W], state: State[W], reports: list[Report], events: list[Event], outcome: Outcome | None
) -> Advanced[W]:
    data = dump_state(rules, state)
    dumped = canonical(data)
    if len(dumped) > LARGEST_STATE:
        raise RulesFault(f"{rules.name}: a state of {len(dumped)} bytes is too large; {LARGEST_STATE} are allowed")
    if rules.world is not None:
        # Load the data before they are stored, to detect a world that cannot be loaded. The game continues with the
        # loaded world, down to the order of dictionaries, as after a restart of the host. Rulesets with their own dump
        # are dumped and loaded before each turn (``copied``).
        loaded = rules.load(data["world"], rules.version)
        if loaded != state.world:
            raise RulesFault(f"{rules.name}: the world is not equal to what load() makes of its dump()")
        state.world = loaded
    return Advanced(state, reports, events, data, digest_of(dumped), outcome)


def _split(state: State[W], phase: Phase[W], turn: Turn[W]) -> dict[Oid, list[Order]]:
    """Put the orders that run now into the turn, drop drafts of their types, and return the other orders.

    Drafts of seats that only plan are also kept, because their phase is still to come.
    """
    running = {kind.name for kind in phase.orders}
    active = set(named_seats(phase.active(turn.world)))
    planning = set(named_seats(phase.planners(turn.world))) - active
    kept: dict[Oid, list[Order]] = {}
    dropped: dict[Seat, list[Order]] = {}
    for on in sorted(state.queues):
        for order in state.queues[on]:
            if order.type not in running or (order.draft and order.seat in planning):
                kept.setdefault(on, []).append(order)
            elif order.draft:
                dropped.setdefault(order.seat, []).append(order)
            else:
                turn.queues.setdefault(on, []).append(order)
    for seat, drafts in dropped.items():
        _report_dropped(turn, seat, drafts)
    return kept


def _report_dropped(turn: Turn[W], seat: Seat, drafts: Sequence[Order]) -> None:
    """Report all dropped drafts of a seat in one report, because a queue may hold a thousand."""
    if len(drafts) == 1:
        (draft,) = drafts
        turn.report(seat, "Draft dropped", f"{draft.type}: nothing was chosen in time", (ORDER_INVALID, draft.on))
        return
    counts = Counter((draft.type, draft.on) for draft in drafts)
    lines = [f"{count} x {name}, object {on}" for (name, on), count in counts.items()][:MOST_LISTED_DRAFTS]
    if len(counts) > len(lines):
        lines.append("and others")
    objects = list(dict.fromkeys(on for _, on in counts))[:MOST_LISTED_DRAFTS]
    body = "\n".join([f"Nothing was chosen in time for {len(drafts)} orders:", *lines])
    turn.report(seat, "Drafts dropped", body, (ORDER_INVALID, *objects))


def _add_absent(state: State[W], phase: Phase[W], turn: Turn[W]) -> None:
    present: set[Seat] = {order.seat for queue in turn.queues.values() for order in queue}
    for seat in named_seats(phase.active(turn.world)):
        if seat in present:
            continue
        given: list[Order] = []
        for order in phase.default_orders(turn.world, seat):
            state.stamp += 1
            given.append(Order(order.seat, order.on, order.type, order.args, state.stamp))
            turn.queues.setdefault(order.on, []).append(given[-1])
        if given:
            _report_given(turn, seat, given)


def _report_given(turn: Turn[W], seat: Seat, given: Sequence[Order]) -> None:
    """Report to a seat without orders the orders that the rules gave for it."""
    counts = Counter(order.type for order in given)
    names = [f"{count} x {name}" if count > 1 else name for name, count in counts.items()]
    objects = list(dict.fromkeys(order.on for order in given))[:MOST_LISTED_DRAFTS]
    turn.report(seat, "Played for you", f"You gave no order, so the rules gave {', '.join(names)} for you.", objects)


def _merged(left: dict[Oid, list[Order]], kept: dict[Oid, list[Order]]) -> dict[Oid, list[Order]]:
    queues = {}
    for on in sorted({*left, *kept}):
        queue = sorted([*left.get(on, []), *kept.get(on, [])], key=lambda order: order.stamp)
        if queue:
            queues[on] = queue
    return queues
