"""Test in random play everything that hosts rely on in a ruleset."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Generic, TypeVar

from tprules.api import Dice, Order, RefKind, Refusal, Ruleset, canonical, parse_options
from tprules.api.advance import Advanced, RulesFault, advance, copied, dump_state, load_state, opening
from tprules.api.bots import Bot, has_bot, random_bot
from tprules.api.faults import why_it_failed
from tprules.api.legal import legal_orders
from tprules.api.order_checks import State, apply, insertion
from tprules.api.ruleset import find_phase
from tprules.testing.declarations import check_declarations
from tprules.testing.differences import first_difference, not_whole
from tprules.testing.failures import Nonconforming, fail
from tprules.testing.garbage import check_garbage
from tprules.testing.leaks import Disguise, check_known, compare_disguised, compare_openings, compare_orders
from tprules.testing.play import first_of_each_type, give_orders, play
from tprules.testing.processes import compare_processes
from tprules.testing.views import check_marks, check_view, view

W = TypeVar("W")

_MOVES_TRIED = 4
"""Maximum legal orders that are tried of each order type, for each seat and turn."""

_EACH = 7
"""Turns between two expensive checks."""


@dataclass
class Summary:
    """Counts of the checks."""

    ruleset: str
    games: int = 0
    turns: int = 0
    orders: int = 0
    moves_tried: int = 0
    refusals: int = 0
    objects_shown: int = 0
    answers_compared: int = 0
    turns_in_other_processes: int = 0
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the summary in a few lines."""
        lines = [
            f"{self.ruleset}: conforms",
            f"  {self.games} random games ended after {self.turns} turns with {self.orders} orders",
            f"  {self.moves_tried} offered moves were accepted, {self.refusals} bad orders refused",
            f"  {self.objects_shown} objects were shown with parents, kinds, resources and designs declared",
            f"  {self.answers_compared} answers were the same in worlds that look the same",
            f"  {self.turns_in_other_processes} turns were the same in two other processes",
        ]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def check(
    rules: Ruleset[W],
    *,
    games: int = 4,
    seed: int | str = "conformance",
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    bot: Bot | None = random_bot,
    most_turns: int = 2000,
    twins: int = 64,
    disguise: Disguise | None = None,
    processes: bool = True,
) -> Summary:
    """Check a ruleset in ``games`` random games and return the counts.

    Raises Nonconforming, with advice, if the ruleset breaks its contract. ``seats`` and ``options`` apply to all games
    (default: all possible numbers of seats in turn, default options). ``bot`` gives the orders. A game must end within
    ``most_turns`` turns. ``twins`` is the number of openings in the search for openings that look the same to a seat.

    ``disguise`` takes a world, a seat and dice. It returns a world with other secrets that must look the same to the
    seat. With it, the test finds leaks even if such worlds are rare. ``processes=False`` skips the games in other
    processes.
    """
    with _explained(rules):
        summary = Summary(rules.name)
        check_declarations(rules)
        given = dict(options or {})
        parsed = parse_options(rules.options, given)
        for number in range(games):
            count = rules.seats[number % len(rules.seats)] if seats is None else seats
            _Watched(rules, parsed, count, f"{seed} game {number}", bot, disguise, summary).play(most_turns)
            summary.games += 1
        for count in rules.seats if seats is None else [seats]:
            summary.answers_compared += compare_openings(rules, parsed, count, str(seed), twins)
        if has_bot(rules):
            play(rules, given, seats, f"{seed} bot", None, most_turns)
        if not summary.answers_compared:
            summary.notes.append("no two different worlds looked the same to a seat, so no answers were compared")
        if processes:
            compared = min(games, len(rules.seats), 3)
            summary.turns_in_other_processes = compare_processes(rules, given, compared, str(seed), most_turns)
    return summary


@contextmanager
def _explained(rules: Ruleset[Any]) -> Iterator[None]:
    """Turn any exception of a ruleset into Nonconforming with advice."""
    try:
        yield
    except Nonconforming:
        raise
    except RulesFault as error:
        fail(f"{rules.name}: {str(error).removeprefix(f'{rules.name}: ')}", "keep the promise that it names")
    except Exception as error:
        fail(
            f"{rules.name}: {why_it_failed(error)}",
            "a ruleset raises nothing but Refusal, and that only while it judges an order; "
            "if the line is not in the ruleset, one of its methods returned what could not be used there",
        )


@dataclass
class _Watched(Generic[W]):
    """One game with checks at every step."""

    rules: Ruleset[W]
    options: Mapping[str, Any]
    seats: int
    seed: str
    bot: Bot | None
    disguise: Disguise | None
    summary: Summary

    def play(self, most_turns: int) -> None:
        rules, key = self.rules, self.seed.encode()
        opened = opening(rules, dict(self.options), self.seats, key)
        again = opening(rules, dict(self.options), self.seats, key)
        if again.digest != opened.digest:
            where = first_difference(opened.state.world, again.state.world, "world")
            fail(
                f"{rules.name}: the same options and seed open another game: {where}",
                "draw from the dice that setup() is given",
            )
        self._check_told(opened)
        state = opened.state
        for number in range(most_turns):
            dice = Dice.named(key, "check", number)
            self._check_state(state, dice)
            if state.over:
                self._check_outcome(state)
                return
            if rules.outcome(state.world) is not None:
                fail(f"{rules.name}: there is an outcome, but the game goes on", "outcome() is None until the end")
            with self._untouched(state, "legal_orders() or check()"):
                self._check_moves(state, dice)
                self._check_inactive(state)
                self._check_absent(state)
                if number % _EACH == 0:
                    self.summary.refusals += check_garbage(rules, state, self.seats, dice, 6)
            if number % _EACH == 0:
                with self._untouched(state, "known()"):
                    for seat in range(self.seats):
                        self.summary.answers_compared += check_known(rules, state, seat, dice)
            if number % _EACH == 0 and self.disguise is not None:
                self.summary.answers_compared += compare_disguised(rules, state, self.seats, self.disguise, dice)
            give_orders(rules, state, self.bot, dice)
            with self._untouched(state, "marks()"):
                for seat in range(self.seats):
                    check_marks(rules, state, seat)
            self.summary.orders += sum(len(queue) for queue in state.queues.values())
            if number % _EACH == 0:
                self.summary.answers_compared += compare_orders(rules, state, key, self.bot, dice)
            state = self._close(state, key)
            self.summary.turns += 1
        fail(
            f"{rules.name}: a game with {self.seats} seats and seed {self.seed!r} is not over after {most_turns} turns",
            "end every game, for example after a number of turns that is an option",
        )

    def _check_state(self, state: State[W], dice: Dice) -> None:
        rules = self.rules
        dumped = rules.dump(state.world)
        try:
            read = json.loads(canonical(dumped))
        except (TypeError, ValueError) as error:
            where = not_whole(dumped, "dump") or error
            fail(f"{rules.name}: dump() gave something that is no JSON: {where}", "use numbers, text, lists and dicts")
        loaded = rules.load(read, rules.version)
        if loaded != state.world:
            fail(
                f"{rules.name}: load(dump(world)) is not equal to the world after turn {state.turn}: "
                f"{first_difference(state.world, loaded, 'world', 'in the world', 'loaded')}",
                "dump everything that matters; compare by value; JSON makes keys text and tuples lists",
            )
        if canonical(again := rules.dump(loaded)) != canonical(dumped):
            where = first_difference(json.loads(canonical(dumped)), json.loads(canonical(again)), "dump")
            fail(f"{rules.name}: dump(load(dump(world))) differs from dump(world): {where}", "sort what has no order")
        with self._untouched(state, "sight(), show(), offered() or choices()"):
            for seat in [None, *range(self.seats)]:
                self.summary.objects_shown += check_view(rules, state, self.seats, seat)
        title = find_phase(rules, state.phase).title(state.world)
        if not isinstance(title, str):
            fail(f"{rules.name}: the title of phase {state.phase} is {title!r}", "return text")

    def _check_moves(self, state: State[W], dice: Dice) -> None:
        rules, phase = self.rules, find_phase(self.rules, state.phase)
        active = list(phase.active(state.world))
        if len(set(active)) != len(active) or any(seat not in range(self.seats) for seat in active):
            fail(f"{rules.name}: in phase {phase.name} the seats {active} are active", "name each seat once")
        for seat in {*active, *phase.planners(state.world)}:
            by_type: dict[str, list[Order]] = {}
            for order in legal_orders(rules, state, seat):
                by_type.setdefault(order.type, []).append(order)
            for _, orders in sorted(by_type.items()):
                for order in dice.shuffled(orders)[:_MOVES_TRIED]:
                    self._try_move(state, seat, order)

    def _try_move(self, state: State[W], seat: int, order: Order) -> None:
        what = f"{self.rules.name}: legal_orders() gives seat {seat} {order.type} on {order.on} with {dict(order.args)}"
        if order.seat != seat:
            fail(f"{what}, but for seat {order.seat}", "legal_orders(plan) are orders of plan.seat")
        try:
            change = insertion(self.rules, state, seat, order.on, order.type, order.args)
        except Refusal as refusal:
            fail(
                f"{what}, but it is refused: {refusal.reason}: {refusal.text}",
                "legal_orders() must only give legal orders",
            )
        if change.order.draft:
            fail(f"{what}, but its choice is still empty", "give complete orders")
        self.summary.moves_tried += 1

    def _check_inactive(self, state: State[W]) -> None:
        rules, phase = self.rules, find_phase(self.rules, state.phase)
        allowed = {*phase.active(state.world), *phase.planners(state.world)}
        if len(allowed) == self.seats:
            return
        samples = [
            order for seat in sorted(allowed) for _, order in sorted(first_of_each_type(rules, state, seat).items())
        ]
        for seat in sorted({*range(self.seats)} - allowed):
            if any(True for _ in legal_orders(rules, state, seat)):
                fail(
                    f"{rules.name}: legal_orders() gives some to seat {seat}, who is not active in phase {phase.name}",
                    "give moves only to active seats and planners",
                )
            own = [oid for oid, shown in view(rules, state.world, seat).items() if shown.owner == seat]
            for oid, order in product(own, samples):
                try:
                    insertion(rules, state, seat, oid, order.type, order.args)
                except Refusal:
                    self.summary.refusals += 1
                else:
                    fail(
                        f"{rules.name}: seat {seat}, not active in phase {phase.name}, may order {order.type}",
                        'keep "active" in Ruleset.checks, or put a check of your own there',
                    )

    def _check_absent(self, state: State[W]) -> None:
        rules, phase = self.rules, find_phase(self.rules, state.phase)
        for seat in phase.active(state.world):
            branch = copied(rules, state)
            branch.queues = {on: queue for on, queue in branch.queues.items() if queue[0].seat != seat}
            for order in phase.default_orders(branch.world, seat):
                try:
                    apply(branch, insertion(rules, branch, seat, order.on, order.type, order.args))
                except Refusal as refusal:
                    fail(
                        f"{rules.name}: in phase {phase.name} seat {seat} is absent and gets {order.type} on "
                        f"{order.on}, which is refused: {refusal.text}",
                        "default_orders() must give legal orders; none at all is a pass",
                    )

    def _close(self, state: State[W], key: bytes) -> State[W]:
        rules = self.rules
        with self._untouched(state, "advance()"):
            done = advance(rules, state, key)
        again = advance(rules, load_state(rules, json.loads(canonical(dump_state(rules, state)))), key)
        if (again.digest, again.reports, again.events) != (done.digest, done.reports, done.events):
            where = (
                first_difference(done.state.world, again.state.world, "world")
                or first_difference(done.reports, again.reports, "reports")
                or first_difference(done.events, again.events, "events")
            )
            fail(
                f"{rules.name}: closing phase {state.phase} in turn {state.turn} twice gives two results: {where}",
                "use turn.dice() for chance; keep everything that matters in the world; no set iteration, no clock",
            )
        self._check_told(done)
        return done.state

    def _check_told(self, done: Advanced[W]) -> None:
        for report in done.reports:
            if report.to is not None and report.to not in range(self.seats):
                fail(
                    f"{self.rules.name}: a report goes to seat {report.to}", "to is a seat of the game, or None for all"
                )
            if not report.subject or not isinstance(report.body, str):
                fail(f"{self.rules.name}: the report {report} has no text", "give it a subject and a body")
            if any(reference.kind not in set(RefKind) for reference in report.references):
                fail(f"{self.rules.name}: the report {report} refers to something unknown", "use RefKind")
        for event in done.events:
            try:
                canonical(dict(event.facts))
            except (TypeError, ValueError) as error:
                where = not_whole(dict(event.facts), "facts") or error
                fail(f"{self.rules.name}: the event {event.name} is no JSON: {where}", "use numbers, text and lists")

    def _check_outcome(self, state: State[W]) -> None:
        rules = self.rules
        outcome = rules.outcome(state.world)
        if outcome is None or set(outcome.places) != set(range(self.seats)) or min(outcome.places.values()) != 1:
            fail(f"{rules.name}: the game ended with {outcome}", "give every seat a place; the best one is 1")
        for seat in range(self.seats):
            for order in legal_orders(rules, state, seat):
                fail(
                    f"{rules.name}: legal_orders() gives {order.type} after the end", "give none when the game is over"
                )
        self.summary.refusals += check_garbage(rules, state, self.seats, Dice.named(b"over"), 2)

    @contextmanager
    def _untouched(self, state: State[W], by: str) -> Iterator[None]:
        before = canonical(dump_state(self.rules, state))
        yield
        after = canonical(dump_state(self.rules, state))
        if after != before:
            where = first_difference(json.loads(before), json.loads(after), "state", "before", "after")
            fail(
                f"{self.rules.name}: {by} changed the caller's world: {where}",
                "change only the world of a Turn; copy otherwise",
            )
