"""Comparison of TaE with the second statement of its rules.

A `Twin` holds both. Both judge every order, and both close each turn with the same dice. The first difference is raised
as `Different`, in words. `Hunt` plays random games from openings and from positions made for rare situations, and
counts these. A failure is made small before it is reported (`smallest`).

`python -m tests.rulesets.tae.comparison [--positions 20000] [--first 0]` compares that many positions.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from tests.rulesets.tae.statement import (
    HOME,
    TYPES,
    Given,
    Place,
    Position,
    awaited,
    close,
    execute,
    figures,
    hindrance,
    opened,
    parts,
    planned,
    refusal,
    renumber,
    seated,
    shown,
)
from tprules.api import Dice, Order, Refusal, Report, parse_options
from tprules.api.advance import Advanced, advance, opening
from tprules.api.order_checks import State, apply, insertion, removal
from tprules.api.ruleset import find_phase
from tprules.tae import RULESET
from tprules.tae.orders import BOARD_REASONS, SHIPS, TARGET
from tprules.testing import view

LEADERS = {"Merchant": "m", "Scientist": "s", "Settler": "p", "Mining": "r"}
POINTS = {"Money": "m", "Technology": "s", "People": "p", "Raw Materials": "r"}
NOWHERE = 10**6
"""The number of no object."""

OFTEN = {"Colonize": 4, "ColonizeMining": 1, "Move": 4, "Attack": 1, "Exchange": 1}
"""Weights of the types of orders that players try."""

Script = list[tuple[Any, ...]]
"""Actions in a game: ("give", order), ("take back", seat, piece), ("close",), one after the other."""


class Different(AssertionError):
    """The game and the statement differ; the message says in what."""


def equal(what: str, game: Any, statement: Any) -> None:
    """Raise Different unless both say the same."""
    if game == statement:
        return
    if isinstance(game, dict) and isinstance(statement, dict):
        for key in sorted({*game, *statement}, key=str):
            equal(f"{what}, {key}", game.get(key, "nothing"), statement.get(key, "nothing"))
    if isinstance(game, list) and isinstance(statement, list) and len(game) == len(statement):
        for number, (one, other) in enumerate(zip(game, statement, strict=True)):
            equal(f"{what}, {number}", one, other)
    raise Different(f"{what}: {game!r} by the game, {statement!r} by the statement")


# What the game stores of a world, written from a position.


def stored(position: Position) -> dict[str, Any]:
    """Return what the game would store of this position (rulesets/docs/storage.md)."""

    def square(place: Any) -> int:
        return -1 if place == HOME else place[1] * position.width + place[0]

    settings, combat = position.settings, position.combat
    return {
        "width": position.width,
        "ground": "".join(position.ground[place] for place in position.places()),
        "settings": {
            name: settings[name]
            for name in (
                "hand_size",
                "actions",
                "exchange",
                "protect_artifacts",
                "min_artifacts",
                "max_turns",
                "idle_turns",
            )
        },
        "pool": [position.pool[kind] for kind in TYPES],
        "colonies": sorted([square(place), TYPES.index(kind)] for place, kind in position.colonies.items()),
        "artifacts": sorted(square(place) for place in position.artifacts),
        "next_id": position.next_number,
        "players": [
            {
                "home": position.homes[seat],
                "colonists": [[ship, TYPES.index(kind)] for ship, kind in sorted(position.hands[seat].items())],
                "leaders": [position.leader_numbers[seat, kind] for kind in TYPES],
                "places": [square(position.leaders[seat, kind]) for kind in TYPES],
                "bombers": position.bombers[seat],
                "scores": [position.points[seat][kind] for kind in TYPES],
                "artifacts": position.artifact_points[seat],
            }
            for seat in range(position.seats)
        ],
        "destroyed": sorted(square(place) for place in position.destroyed),
        "regions": sorted([square(place), number] for place, number in position.regions.items()),
        "last_region": position.last_region,
        "contests": [
            [each.kind, square(each.place), each.by, TYPES.index(each.type) if each.type else -1]
            for each in position.contests
        ],
        "combat": combat
        and [
            combat.kind,
            square(combat.place),
            TYPES.index(combat.type),
            [combat.attacker, combat.defender],
            [combat.strength[combat.attacker], combat.strength[combat.defender]],
        ],
        "first": position.first,
        "turns": position.turns,
        "idle": position.idle,
        "ended": position.over,
    }


def state_of(position: Position, turn: int) -> State[Any]:
    """Return the game in this position; a normal turn begins in which nothing was ordered yet."""
    world = RULESET.load(stored(position), RULESET.version)
    return State(world, "normal", turn)


# What the game tells, as the statement has it.


def told_by(reports: Iterable[Report]) -> list[tuple[Any, ...]]:
    """Return what the rules speak of in these reports, in the form of `close`."""
    told = []
    for report in reports:
        seats = [int(number) for number in re.findall(r"\{player (\d)\}", report.body)]
        place = re.search(r"at (\d+), (\d+)", report.body)
        at = (int(place.group(1)), int(place.group(2))) if place else None
        if report.subject == "Order failed":
            told.append(("failed", report.to, report.references[-1].id, _reason(report.body)))
        elif report.subject == "COMBAT!":
            _to_all(report)
            kind, leader = re.search(r"(INTERNAL|EXTERNAL) .* the (\w+) Leaders", report.body).groups()
            strengths = [int(number) for number in re.findall(r"strength of (\d+)", report.body)]
            told.append(("combat", kind.lower(), at, LEADERS[leader], *zip(seats, strengths, strict=True)))
        elif report.subject == "Combat Complete!":
            _to_all(report)
            told.append(_won(report.body, seats, at))
        elif report.subject == "Turn complete":
            points = {POINTS[name]: _figure(report.body, name) for name in POINTS}
            told.append(("scores", report.to, points, _figure(report.body, "Alien Artifacts")))
        elif report.subject == "Turn Order":
            _to_all(report)
            told.append(("order", seats))
        elif report.subject == "GAME OVER!":
            _to_all(report)
            told.append(("over", report.body))
    return told


def _to_all(report: Report) -> None:
    equal(f"who is told {report.subject}", report.to, None)


def _reason(body: str) -> str:
    """Return the reason of which a report of a failure has the sentence."""
    for reason, (_, sentence) in BOARD_REASONS.items():
        if re.search(".+".join(re.escape(part) for part in re.split(r"\{\w+\}", sentence)), body):
            return reason
    raise Different(f"an order fails for no reason of the page: {body}")


def _figure(text: str, name: str) -> int:
    return int(re.search(rf"{name}:? (\d+)", text).group(1))


def _won(body: str, seats: list[int], at: Any) -> tuple[Any, ...]:
    kind, leader = re.search(r"the (internal|external) combat of the (\w+) Leaders", body).groups()
    first, second = re.search(r"strength of (\d+) to (\d+)", body).groups()
    winner, loser, gains = seats[:3]
    equal("who gets points for a combat", gains, winner)
    points = {POINTS[name]: int(number) for number, name in re.findall(r"gets (\d+) points? of (\w+(?: \w+)?)", body)}
    removed = re.search(r"removed at (.*)\.", body)
    places = [(int(x), int(y)) for x, y in re.findall(r"(\d+), (\d+)", removed.group(1) if removed else "")]
    lost = re.findall(r"The (\w+) Leader of \{player (\d)\} has lost its support", body)
    stranded = sorted((int(seat), LEADERS[name]) for name, seat in lost)
    return ("won", kind, at, LEADERS[leader], winner, loser, int(first), int(second), points, places, stranded)


def _compare_told(position: Position, done: Advanced[Any], told: list[tuple[Any, ...]]) -> None:
    game = told_by(done.reports)
    if position.over:
        body = game[-1][1]
        table = {
            int(seat): (int(place), _figure(line, "Score"), {POINTS[name]: _figure(line, name) for name in POINTS})
            for line in body.split("\n")
            for place, seat in re.findall(r"^(\d+)\. \{player (\d)\}", line)
        }
        expected = {
            seat: (position.winning_order[seat], min(position.final[seat].values()), position.final[seat])
            for seat in range(position.seats)
        }
        equal("GAME OVER! tells", table, expected)
        game[-1] = ("over", position.over)
    # Who is told of points before whom is nobody's business: the messages are to each alone.
    for some in (game, told):
        scores = sorted((each for each in some if each[0] == "scores"), key=lambda each: each[1])
        first = next((index for index, each in enumerate(some) if each[0] == "scores"), 0)
        some[:] = [each for each in some if each[0] != "scores"]
        some[first:first] = scores
    equal("what is told", game, told)


# Both at once.


@dataclass
class Twin:
    """A game by both. Every method raises Different where they part."""

    state: State[Any]
    position: Position
    key: bytes
    given: list[Given] = field(default_factory=list)
    """The orders of the turn as accepted."""
    plans: dict[int, Position] = field(default_factory=dict)
    """By seat: the board as its orders so far would leave it, kept only to save time."""

    def before(self, seat: int) -> list[Given]:
        return [order for order in self.given if order.seat == seat]

    def plan(self, seat: int) -> Position:
        if seat not in self.plans:
            self.plans[seat] = planned(self.position, self.before(seat))
        return self.plans[seat]

    def give(self, order: Given) -> str:
        """Give an order; return why it is refused, or ""."""
        expected = refusal(self.position, self.before(order.seat), order, self.plan(order.seat))
        args: dict[str, Any] = {}
        if order.type == "Exchange":
            args = {SHIPS: [list(pair) for pair in order.ships]}
        elif order.type != "Reinforce":
            args = {TARGET: order.to}
        reason = ""
        try:
            change = insertion(RULESET, self.state, order.seat, order.on, order.type, args)
        except Refusal as refused:
            reason = refused.reason
        else:
            if change.order.draft:
                raise Different(f"{told_order(self.position, order)} is a draft")
        equal(f"why {told_order(self.position, order)} is refused", reason, expected)
        if not reason:
            apply(self.state, change)
            self.given.append(order)
            self.plans.pop(order.seat, None)
        return reason

    def take_back(self, seat: int, on: int) -> bool:
        """Take the order on a piece back, if that is possible (R11: what is left must still be legal)."""
        mine = self.before(seat)
        gone = next((order for order in mine if order.on == on), None)
        if gone is None:
            return False
        rest = [order for order in mine if order is not gone]
        fits = all(not refusal(self.position, rest[:number], order) for number, order in enumerate(rest))
        try:
            change = removal(RULESET, self.state, seat, on, 0)
        except Refusal:
            change = None
        equal(f"{told_order(self.position, gone)} can be taken back", change is not None, fits)
        if change is not None:
            apply(self.state, change)
            self.given.remove(gone)
            self.plans.pop(seat, None)
        return fits

    def close(self) -> None:
        """Close the turn and compare all that there is."""
        number = self.state.turn
        done = advance(RULESET, self.state, self.key)
        told = close(self.position, self.given, lambda name: Dice.named(self.key, number, 0, name))
        self.state, self.given, self.plans = done.state, [], {}
        self.compare()
        if self.position.over:
            outcome = done.outcome
            assert outcome is not None
            equal("the places at the end", dict(outcome.places), self.position.winning_order)
            equal("why the game is over", outcome.why, self.position.over)
        _compare_told(self.position, done, told)

    def compare(self) -> None:
        """Compare the position."""
        equal("the position", RULESET.dump(self.state.world), stored(self.position))
        equal("the game is over", self.state.over, bool(self.position.over))
        if not self.state.over:
            equal("the phase", self.state.phase, "combat" if self.position.combat else "normal")
            active = sorted(find_phase(RULESET, self.state.phase).active(self.state.world))
            equal("who is awaited", active, awaited(self.position))
        equal("orders left", self.state.queues, {})

    def compare_views(self) -> None:
        """Compare how every object looks to every seat and to spectators."""
        for seat in [None, *range(self.position.seats)]:
            looks = {
                oid: (
                    *(each.kind, each.name, each.parent, each.at, each.owner, each.numbers),
                    [amount.resource for amount in each.resources if amount.stored == 1],
                    [ships.design for ships in each.ships if ships.number == 1],
                )
                for oid, each in view(RULESET, self.state.world, seat).items()
            }
            equal(f"what seat {seat} sees", looks, shown(self.position, seat))
            standing = {other: dict(row) for other, row in RULESET.scores(self.state.world, seat).items()}
            equal(f"how all stand, as seat {seat} knows", standing, figures(self.position, seat))

    def compare_legal(self, seat: int) -> None:
        """Compare all that a seat can order now; of equal ships the game lists one, of Exchanges some."""
        listed = set()
        for order in RULESET.legal_orders(self.state.plan(seat)):
            given = as_given(order)
            if given.type == "Exchange":
                equal(
                    f"why {told_order(self.position, given)} is refused",
                    "",
                    refusal(self.position, self.before(seat), given),
                )
            else:
                listed.add((given.type, self._alike(seat, given.on), given.to))
        position = self.position
        pieces = [
            *position.hands[seat],
            *position.bombers[seat],
            *(position.leader_numbers[seat, kind] for kind in TYPES),
        ]
        tried = {self._alike(seat, piece): piece for piece in pieces if not self._is_busy(seat, piece)}
        targets = [*(position.system(place) for place in position.places()), *position.homes.values()]
        legal = set()
        for alike, piece in tried.items():
            for kind in ("Colonize", "ColonizeMining", "Move", "Attack", "Reinforce"):
                for to in targets if kind != "Reinforce" else [0]:
                    reason = refusal(position, self.before(seat), Given(seat, kind, piece, to), self.plan(seat))
                    if not reason:
                        legal.add((kind, alike, to))
                    elif reason in ("over", "phase", "owner", "side", "kind", "busy", "actions"):
                        break  # whatever the target
        equal(f"what seat {seat} can order", sorted(listed, key=str), sorted(legal, key=str))

    def _alike(self, seat: int, piece: int) -> Any:
        position = self.position
        if piece in position.bombers[seat]:
            return "bomber"
        return position.hands[seat].get(piece, piece)

    def _is_busy(self, seat: int, piece: int) -> bool:
        return any(piece in (other.on, *(ship for ship, _ in other.ships)) for other in self.before(seat))


def as_given(order: Order) -> Given:
    """Return an order of the game in the statement's form."""
    ships = tuple((ship, number) for ship, number in order.args.get(SHIPS, ()))
    return Given(order.seat, order.type, order.on, order.args.get(TARGET, 0), ships)


# In words.


def told_order(position: Position, order: Given) -> str:
    """Return an order in words, with what its piece is."""

    def named(number: int) -> str:
        for seat in range(position.seats):
            if number in position.hands[seat]:
                return f"ship {number} ({position.hands[seat][number]}, seat {seat})"
            if number in position.bombers[seat]:
                return f"bomber {number} (seat {seat})"
            if number in (position.homes[seat], position.homes[seat] + 1):
                return f"home of seat {seat}"
            for kind in TYPES:
                if number == position.leader_numbers[seat, kind]:
                    return f"leader {number} ({seat}{kind.upper()})"
        place = position.place_of(number)
        return f"object {number}" if place is None else f"{place[0]},{place[1]}"

    words = f"seat {order.seat}: {order.type} of {named(order.on)}"
    if order.ships:
        return f"{words}: {', '.join(f'{number} x {named(ship)}' for ship, number in order.ships)}"
    return words if order.type in ("Exchange", "Reinforce") else f"{words} to {named(order.to)}"


def drawing(position: Position) -> str:
    """Return the board in the notation of RULES.md, section 7, and what else there is."""
    rows = []
    for y in reversed(range(position.height)):
        row = []
        for x in range(position.width):
            leader = position.leader_at((x, y))
            token = "#" if position.ground[x, y] == "M" else "."
            token = "x" if (x, y) in position.destroyed else position.colonies.get((x, y), token)
            token = f"{leader[0]}{leader[1].upper()}" if leader else token
            row.append(token + "*" * ((x, y) in position.artifacts))
        rows.append(" ".join(row))
    words = [f"[{' / '.join(rows)}]", f"n={position.seats}", f"first={position.first}"]
    words += [f"h{seat}={''.join(position.hands[seat].values())}" for seat in range(position.seats)]
    for seat in range(position.seats):
        points = [*position.points[seat].values(), position.artifact_points[seat]]
        words.append(f"sc{seat}={','.join(str(number) for number in points)}")
    words.append(f"pool={','.join(str(position.pool[kind]) for kind in TYPES)}")
    words += [f"{name}={value}" for name, value in position.settings.items() if name not in ("board", "pool")]
    return " ".join(words)


# Made small.


@dataclass
class Failure:
    """A difference, with all that is needed to see it again."""

    start: Position
    turn: int
    """Number of turns that were closed before the start."""
    key: bytes
    script: Script
    words: str
    is_difference: bool
    """True if both ended differently. Otherwise one of them raised an error."""

    def __str__(self) -> str:
        lines = [self.words, f"seed {self.key.decode()!r}, {self.turn} turns closed before", drawing(self.start)]
        twin = Twin(state_of(self.start, self.turn), self.start.copy(), self.key)
        for act in self.script:
            if act[0] == "give":
                lines.append(f"  {told_order(twin.position, act[1])}")
            else:
                lines.append(f"  {' '.join(str(word) for word in act)}")
            try:
                _do(twin, act)
            except Exception as found:
                lines.append(f"  -> {in_words(found)}")
                break
        return "\n".join(lines)


def _do(twin: Twin, act: tuple[Any, ...]) -> None:
    if act[0] == "give":
        twin.give(act[1])
    elif act[0] == "take back":
        twin.take_back(act[1], act[2])
    elif act[0] == "close":
        if not twin.position.over:
            twin.close()
    elif act[0] == "legal":
        twin.compare_legal(act[1])
    else:
        twin.compare_views()


def failure_of(start: Position, turn: int, key: bytes, script: Script) -> Failure | None:
    """Play a script from a normal turn; return the difference with what led to it, or None."""
    twin = Twin(state_of(start, turn), start.copy(), key)
    for number, act in enumerate(script):
        try:
            _do(twin, act)
        except Exception as found:
            return Failure(start, turn, key, script[: number + 1], in_words(found), isinstance(found, Different))
    return None


def in_words(found: Exception) -> str:
    """Return what is different, or how one of both broke down."""
    return str(found) if isinstance(found, Different) else f"broken: {found!r}"


def smallest(failure: Failure) -> Failure:
    """Leave out turns, orders, pieces and points without which it still fails."""
    best = _from_the_last_turn(failure)
    while True:
        smaller = _fails_with_less(best)
        if smaller is None:
            return best
        best = smaller


def _fails_with_less(failure: Failure) -> Failure | None:
    for fewer in _fewer_acts(failure):
        found = failure_of(failure.start, failure.turn, failure.key, fewer)
        if found is not None and found.is_difference == failure.is_difference:
            return found
    if failure.is_difference:
        for less in _fewer_pieces(failure.start):
            found = failure_of(less, failure.turn, failure.key, failure.script)
            if found is not None and found.is_difference:
                return found
    return None


def _from_the_last_turn(failure: Failure) -> Failure:
    """Begin at the last normal turn from which the difference still comes."""
    twin = Twin(state_of(failure.start, failure.turn), failure.start.copy(), failure.key)
    best = failure
    for number, act in enumerate(failure.script[:-1]):
        _do(twin, act)
        if act[0] == "close" and twin.position.combat is None and not twin.position.over:
            rest = failure.script[number + 1 :]
            found = failure_of(twin.position.copy(), twin.state.turn, failure.key, rest)
            if found is not None and found.is_difference == failure.is_difference:
                best = found
    return best


def _fewer_acts(failure: Failure) -> Iterable[Script]:
    script = failure.script
    size = max(1, len(script) // 2)
    while size:
        for start in range(0, len(script), size):
            yield [*script[:start], *script[start + size :]]
        size //= 2


def _fewer_pieces(position: Position) -> Iterable[Position]:
    for place in [*position.colonies, *position.artifacts, *position.destroyed]:
        less = position.copy()
        less.colonies.pop(place, None)
        if place not in position.colonies:
            less.artifacts = [each for each in less.artifacts if each != place]
            less.destroyed = [each for each in less.destroyed if each != place]
        yield _with_regions_anew(less)
    for leader, at in position.leaders.items():
        if at != HOME:
            less = position.copy()
            less.leaders[leader] = HOME
            yield _with_regions_anew(less)
    for seat in range(position.seats):
        if any(position.points[seat].values()) or position.artifact_points[seat]:
            less = position.copy()
            less.points[seat] = dict.fromkeys(TYPES, 0)
            less.artifact_points[seat] = 0
            yield less


def _with_regions_anew(position: Position) -> Position:
    position.regions, position.last_region = {}, 0
    renumber(position)
    return position


# The hunt for rare situations.


class Hunt:
    """Plays games until so many positions were compared. ``seed`` decides everything."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.games = 0
        self.positions = 0
        self.judged = 0
        """Orders that both have judged one by one."""
        self.seen: Counter[str] = Counter()
        self.options: Counter[str] = Counter()

    def go(self, positions: int) -> None:
        """Compare so many positions more; raise Different with a small failure."""
        wanted = self.positions + positions
        while self.positions < wanted:
            self._game(wanted)
            self.games += 1

    def _game(self, wanted: int) -> None:
        dice = Dice.named(b"comparison", self.seed, self.games)
        key = f"{self.seed}-{self.games}".encode()
        options, seats = random_options(dice)
        header = f"after {self.positions} positions, game {self.games} of hunt {self.seed}, {seats} seats, {options}:"
        is_made = bool(self.games % 16)
        if not is_made:  # from an opening to the end
            parsed = parse_options(RULESET.options, options)
            state = opening(RULESET, parsed, seats, key).state
            position = opened(parsed["board"], parsed, seats, Dice.named(key, "setup"))
            twin, most = Twin(state, position, key), 40
            try:
                twin.compare()
            except Different as found:
                raise Different(f"{header}\nthe opening with seed {key.decode()!r}: {found}") from None
        else:
            position = made_position(dice, options, seats)
            twin, most = Twin(state_of(position, 0), position, key), 8 if dice.below(8) == 0 else 2
        self.seen[f"{seats} players"] += 1
        start, script, fought = twin.position.copy(), [], False
        try:
            if is_made and dice.below(3):
                self._connect(twin, dice, script)
            for played in range(1, 1000):
                self._turn(twin, dice, script)
                self.positions += 1
                fought = fought or twin.position.combat is not None
                is_done = twin.position.combat is None and (played >= most or (fought and is_made))
                if twin.position.over or is_done or self.positions >= wanted:
                    break
        except Exception as found:
            failure = failure_of(start, 0, key, script)
            raise Different(
                f"{header}\n" + (str(smallest(failure)) if failure else f"{in_words(found)} (not seen again)")
            ) from None
        finally:
            self.seen.update(twin.position.seen)

    def _connect(self, twin: Twin, dice: Dice, script: Script) -> None:
        """Let the first player connect the regions in which most leaders of a type are, if that is possible."""
        position = twin.position
        seat = position.first
        sides = {place: most_sides(position, place) for place in position.places()}
        best = [place for place in sides if sides[place] == max(sides.values()) > 1]
        ships = [ship for ship, kind in position.hands[seat].items() if kind != "r"]
        if best and ships:
            order = Given(seat, "Colonize", dice.pick(ships), position.system(dice.pick(best)))
            script.append(("give", order))
            twin.give(order)

    def _turn(self, twin: Twin, dice: Dice, script: Script) -> None:
        def act(*what: Any) -> Any:
            script.append(what)
            if what[0] == "give":
                self.judged += 1
                return twin.give(what[1])
            _do(twin, what)
            return None

        position = twin.position
        if dice.below(20) == 0:
            act("views")
        seats = awaited(position)
        for seat in sorted(seats, key=lambda seat: (seat * 7 + position.turns) % 4):
            if dice.below(8) == 0:
                act("legal", seat)
            self._anything(act, twin, dice)
            if position.combat is not None:
                ships = [
                    ship for ship in position.hands[seat] if not refusal(position, [], Given(seat, "Reinforce", ship))
                ]
                for ship in dice.shuffled(ships)[: dice.below(len(ships) + 1)]:
                    act("give", Given(seat, "Reinforce", ship))
            else:
                for _ in range(position.settings["actions"] - len(twin.before(seat))):
                    order = self._chosen(twin, seat, dice)
                    if order is None:
                        break
                    act("give", order)
                if twin.before(seat) and dice.below(12) == 0:
                    act("take back", seat, dice.pick(twin.before(seat)).on)
                if dice.below(2 if twin.plan(seat).contests else 16) == 0:
                    act("legal", seat)
        self._anything(act, twin, dice)
        act("close")
        if position.over and dice.below(4) == 0:
            act("views")

    def _anything(self, act: Callable[..., Any], twin: Twin, dice: Dice) -> None:
        """Let somebody give an order that is mostly refused, now and then."""
        while dice.below(2):
            reason = act("give", random_order(dice, twin.position, dice.below(twin.position.seats)))
            if reason:
                self.seen[f"refused: {reason}"] += 1

    def _chosen(self, twin: Twin, seat: int, dice: Dice) -> Given | None:
        """Choose one of some legal orders: mostly that which leads to what was seen least."""
        legal = list(RULESET.legal_orders(twin.state.plan(seat)))
        if not legal:
            return None
        by_kind: dict[str, list[Given]] = {}
        for order in legal:
            by_kind.setdefault(order.type, []).append(as_given(order))
        plan = twin.plan(seat)
        connecting = [
            order
            for kind in ("Colonize", "ColonizeMining")
            for order in by_kind.get(kind, [])
            if len(plan.regions_beside(plan.place_of(order.to) or (-1, -1))) > 1
        ]
        if connecting and dice.below(2):
            return min(dice.shuffled(connecting)[:4], key=lambda order: self._how_common(plan, order))
        kinds = [kind for kind in OFTEN for _ in range(OFTEN[kind]) if kind in by_kind]
        some = [dice.pick(by_kind[dice.pick(kinds)]) for _ in range(4)]
        if dice.below(3) == 0:
            return some[0]
        return min(some, key=lambda order: self._how_common(plan, order))

    def _how_common(self, plan: Position, order: Given) -> float:
        if order.type == "Exchange":
            return self.seen["an exchange"]
        after = plan.copy()
        if hindrance(after, order):
            return 0  # the two disagree of what is legal, which is to be seen
        execute(after, order)
        if after.contests[len(plan.contests) :]:
            return 0
        return min([self.seen[name] for name in after.seen] or [10**9])


def most_sides(position: Position, place: Place) -> int:
    """Return how many leaders of one type a colony on a place would connect at most."""
    if place in position.colonies or place in position.destroyed or position.leader_at(place) is not None:
        return 0
    beside = position.regions_beside(place)
    return max(sum(len(position.leaders_in(region, kind)) for region in beside) for kind in TYPES)


def random_order(dice: Dice, position: Position, seat: int) -> Given:
    """Return an order of a seat, with mostly a piece that takes it, and any target: it is mostly refused."""
    kind = dice.pick(["Colonize", "ColonizeMining", "Move", "Move", "Attack", "Exchange", "Reinforce"])
    if dice.below(4):  # mostly of the phase
        kind = "Reinforce" if position.combat else kind if kind != "Reinforce" else "Move"
    whose = seat if dice.below(12) else dice.below(position.seats)
    hand = [*position.hands[whose]] or [NOWHERE]
    leaders = [position.leader_numbers[whose, kind] for kind in TYPES]
    anything = [*hand, *position.bombers[whose], *leaders, position.homes[whose], position.homes[whose] + 1]
    fit = {
        "Move": leaders,
        "Attack": position.bombers[whose] or leaders,
        "Exchange": [position.homes[whose] + 1],
        "Colonize": [ship for ship in hand if position.hands[whose].get(ship) != "r"] or hand,
        "ColonizeMining": [ship for ship in hand if position.hands[whose].get(ship) == "r"] or hand,
    }
    on = dice.pick(fit.get(kind, hand) if dice.below(10) else anything)
    if dice.below(30) == 0:
        on = dice.pick([NOWHERE, 1, 2])
    if kind == "Reinforce":
        return Given(seat, kind, on)
    if kind == "Exchange":
        ships = [dice.pick(hand) for _ in range(1 + dice.below(3))]
        if dice.below(4):
            ships = sorted(set(ships))
        if dice.below(8) == 0:
            ships.append(dice.pick(anything))
        return Given(seat, kind, on, 0, tuple((ship, 1 if dice.below(12) else 2) for ship in ships))
    to = position.system(dice.pick(position.places()))
    if dice.below(8) == 0:
        to = dice.pick([NOWHERE, 1, to + 1, *position.homes.values(), *[position.homes[seat]] * 4, *anything])
    return Given(seat, kind, on, to)


# Options and positions.


def random_options(dice: Dice) -> tuple[dict[str, Any], int]:
    """Return options over their whole range, mostly such that much happens, and a number of players."""
    seats = dice.pick([2, 2, 3, 3, 4, 4, 4])
    hand = 1 + dice.below(12) if dice.below(2) else 4 + dice.below(4)
    board = random_map(dice)
    artifacts = board.count("A")
    most = dice.pick([8, 20, 20, 40, 500])
    pool = [dice.below(most + 1) for _ in TYPES]
    while sum(pool) < seats * hand:
        pool[dice.below(4)] += 1
    options: dict[str, Any] = {
        "board": board,
        "hand_size": hand,
        "bombers": dice.pick([0, 1, 2, 2, 3, 9]),
        "actions": dice.pick([1, 2, 2, 3, 4, 6]),
        "pool": pool,
        "min_artifacts": min(dice.pick([1, 1, 2, 3, 99]), artifacts),
        "exchange": bool(dice.below(4)),
        "protect_artifacts": bool(dice.below(2)),
        "max_turns": dice.pick([10, 15, 20, 1000, 100000]),
        "idle_turns": dice.pick([0, 1, 2, 20]),
    }
    return options, seats


def random_map(dice: Dice) -> str:
    """Return a map; small ones, on which regions meet soon, and now and then a large or narrow one."""
    if dice.below(40) == 0:
        return RULESET.options["board"].default.strip()
    width, height = dice.pick(
        [(3 + dice.below(5), 2 + dice.below(4)), (4 + dice.below(20), 1), (1, 4 + dice.below(20))]
    )
    squares = [dice.pick("......MA") for _ in range(width * height)]
    while squares.count("A") < 3:
        squares[dice.below(len(squares))] = "A"
    return "\n".join("".join(squares[start : start + width]) for start in range(0, len(squares), width))


def made_position(dice: Dice, options: dict[str, Any], seats: int) -> Position:
    """Return a position in which much is about to happen.

    The board is that of a vector of the page, or has arms that lead to leaders around a free system. Other pieces are
    random.
    """
    parsed = parse_options(RULESET.options, options)
    if dice.below(3):
        tokens, hub = {}, (1 + dice.below(4), 1 + dice.below(4))
        width, height = hub[0] + 2 + dice.below(4), hub[1] + 2 + dice.below(4)
        if seats == 4 and dice.below(3) == 0:  # room for four arms
            hub, width, height = (2, 2), 5 + dice.below(2), 5 + dice.below(2)
    else:
        tokens, width, height = _of_the_page(dice)
        hub = (-9, -9)
    places = [(x, y) for y in range(height) for x in range(width)]
    position = Position(
        width=width,
        height=height,
        ground=dict.fromkeys(places, "."),
        settings=parsed,
        seats=seats,
        pool=dict(zip(TYPES, parsed["pool"], strict=True)),
        next_number=2 + 2 * width * height,
    )
    for seat in range(seats):
        seated(position, seat, [dice.pick(TYPES) for _ in range(parsed["hand_size"])])
        if dice.below(2):
            position.points[seat] = {kind: dice.below(4) for kind in TYPES}
            position.artifact_points[seat] = dice.below(4)
    position.first = dice.below(seats)
    position.turns = dice.pick([0, 3, 9])
    position.idle = dice.pick([0, 0, 1])
    kept_free = [hub, *tokens]
    if tokens:
        needed = 1 + max(int(token[0]) for token in tokens.values() if token[0].isdigit())
        _put(position, tokens, dice.shuffled(range(max(needed, seats))))
    elif dice.below(6):
        _arms(dice, position, hub, four=hub == (2, 2) and dice.below(3) > 0)
        kept_free += [(hub[0] + x, hub[1] + y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    crowded = dice.pick([0, 2, 6, 14, 20])
    for place in places:
        is_taken = place in kept_free or place in position.colonies or position.leader_at(place) is not None
        if dice.below(20) < crowded and not is_taken:
            _fill(dice, position, place)
    rich = dice.pick([3, 10, 30])
    for place in places:
        is_free = place not in position.destroyed and position.ground[place] != "M"
        if is_free and place not in position.artifacts and dice.below(rich) == 0:
            position.artifacts.append(place)
    _mend(position)
    return position


def _fill(dice: Dice, position: Position, place: Place) -> None:
    """Put anything on a place, or nothing."""
    what = dice.below(12)
    if what < 4:
        position.colonies[place] = dice.pick("msp")
    elif what == 4:
        _settle(position, place, "r")
    elif what == 5:
        position.ground[place] = "M"
    elif what == 6:
        position.destroyed.append(place)
    elif what < 9:
        _stand(position, dice, place)


PAGE = (files("tprules.tae") / "RULES.md").read_text(encoding="utf-8")
BOARDS = [
    board
    for board in re.findall(r"`\[([^\]]+)\]", PAGE[PAGE.index("## 7.") :])
    if len(re.findall(r"\d[MSPR]", board)) > 1
]
BOARDS += [board for board in BOARDS if len(re.findall(r"\d[MSPR]", board)) > 2] * 3
BOARDS += [f". . . 0P . 1P . . . / {kind} p 0{kind.upper()} s . s 1{kind.upper()} p {kind}" for kind in "msr"] * 3
"""The boards with two leaders or more with which the page's vectors begin; those with more come up more often. The
last are like that of V40: the first combat cuts off colonies that count in the second."""


def _of_the_page(dice: Dice) -> tuple[dict[Place, str], int, int]:
    """Return what stands where on a board of the page, turned, with some room around it; its width and height."""
    rows = [row.split() for row in reversed(dice.pick(BOARDS).split("/"))]
    tokens = {(x, y): token for y, row in enumerate(rows) for x, token in enumerate(row)}
    width, height = len(rows[0]), len(rows)
    if dice.below(2):
        tokens = {(width - 1 - x, y): token for (x, y), token in tokens.items()}
    if dice.below(2):
        tokens = {(y, x): token for (x, y), token in tokens.items()}
        width, height = height, width
    left, below = dice.below(3), dice.below(3)
    tokens = {(x + left, y + below): token for (x, y), token in tokens.items()}
    return tokens, width + left + dice.below(2), height + below + dice.below(2)


def _put(position: Position, tokens: dict[Place, str], seats: Sequence[int]) -> None:
    """Put pieces on the board, in the page's notation. ``seats`` tells who is whom."""
    for place, token in tokens.items():
        piece = token.rstrip("*")
        if token.endswith("*"):
            position.artifacts.append(place)
        if piece == "#":
            position.ground[place] = "M"
        elif piece == "x":
            position.destroyed.append(place)
        elif piece in TYPES:
            _settle(position, place, piece)
        elif piece[0].isdigit() and seats[int(piece[0])] < position.seats:
            position.leaders[seats[int(piece[0])], piece[1].lower()] = place


ARMS = ("sL", "skL", "sLk", "sLsM", "sMkL", "sLskM", "sLs", "ksL", "ssL", "sksL", "sM", "kksLs")
"""Branches that may lead away from a system.

`s` is scientists, `L` a leader of the first type, `k` a colony of it, `M` a leader of a second type.
"""


def _arms(dice: Dice, position: Position, hub: Place, *, four: bool) -> None:
    """Put straight arms around a free system: colonies that lead to leaders, most of them of one type."""
    kind, second = dice.pick(TYPES), dice.pick(TYPES)
    arms, number = dice.pick([(ARMS, 2), (ARMS, 3), (ARMS, 4), (ARMS[:3], 4), (ARMS[3:6], 2), (ARMS[3:6], 3)])
    if four:
        arms, number = ARMS[:3], 4
    for x, y in dice.shuffled([(1, 0), (-1, 0), (0, 1), (0, -1)])[:number]:
        arm = dice.pick(arms)
        for steps, letter in enumerate(arm, 1):
            place = (hub[0] + x * steps, hub[1] + y * steps)
            if place not in position.ground:
                break
            if letter in "LM":
                leader = (dice.below(position.seats), kind if letter == "L" else second)
                seats = [seat for seat in range(position.seats) if position.leaders[seat, leader[1]] == HOME]
                if seats:
                    position.leaders[dice.pick(seats), leader[1]] = place
            else:
                _settle(position, place, kind if letter == "k" else "s")
                for beside in ((place[0] + y, place[1] + x), (place[0] - y, place[1] - x)):
                    if steps > 1 and beside in position.ground and dice.below(3) == 0:
                        _settle(position, beside, dice.pick([kind, "s", "m"]))


def _settle(position: Position, place: Place, kind: str) -> None:
    position.colonies[place] = kind
    if kind == "r":
        position.ground[place] = "M"


def _stand(position: Position, dice: Dice, place: Place) -> None:
    leader = (dice.below(position.seats), dice.pick(TYPES))
    if position.leaders[leader] == HOME:
        position.leaders[leader] = place


def _mend(position: Position) -> None:
    """Take away leaders that the rules do not let stand: without scientists (R25), or beside a rival (I6)."""
    while True:
        rivals = set()
        for part in parts(position, position.occupied()):
            for kind in TYPES:
                there = [seat for seat in range(position.seats) if position.leaders[seat, kind] in part]
                rivals |= {(seat, kind) for seat in there[1:]}
        alone = {leader for leader, at in position.leaders.items() if at != HOME and not position.by_scientists(at)}
        if not rivals | alone:
            break
        for leader in rivals | alone:
            position.leaders[leader] = HOME
    renumber(position)


def main(arguments: Sequence[str]) -> None:
    """Compare, and print what was seen."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--positions", type=int, default=20000)
    parser.add_argument("--first", type=int, default=0, help="number of the hunt, which decides everything")
    chosen = parser.parse_args(arguments)
    hunt = Hunt(chosen.first)
    hunt.go(chosen.positions)
    print(summary(hunt))


def summary(hunt: Hunt) -> str:
    """Return what was compared, and how often each situation came up."""
    lines = [f"{hunt.positions} positions in {hunt.games} games, {hunt.judged} orders judged one by one, no difference"]
    lines += [f"  {number:7} {name}" for name, number in sorted(hunt.seen.items())]
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
