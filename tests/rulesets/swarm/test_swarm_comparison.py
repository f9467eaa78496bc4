"""Swarm equals the second statement of its rules.

Both get the same dice and orders, and every position is compared. With `python -m pytest -m soak -s` this file compares
100,000 positions, and prints positions, situations and differences.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import count
from typing import Any, NamedTuple

import pytest

from tests.rulesets.difference import difference, smallest
from tests.rulesets.swarm import statement
from tprules.api import Dice, Order, Refusal, parse_options
from tprules.api.advance import BEFORE_THE_FIRST, Advanced, advance, copied, opening
from tprules.api.order_checks import State, apply, insertion, removal, replayed_insertion
from tprules.api.ruleset import find_phase
from tprules.swarm import RULESET
from tprules.swarm.world import World

PLACE, MOVE = "Place Cube", "Move Cube"

LIMITS = {
    "cubes_total": (7, 40),
    "initial_cubes": (2, 6),
    "diagonal_moves": (0, 1),
    "chain_swarm": (0, 1),
    "double_limit": (0, 6),
    "max_rounds": (10, 1000),
    "opening_seat": (1, 2),
}
"""RULES.md, section 2."""

RARE = {
    "all legal orders compared": 20,
    "placed the last cube": 4,
    "captured with the last cube": 8,
    "the last cube stops a chain": 2,
    "reduced to one": 8,
    "won by the last step": 4,
    "won on start tiles": 1,
    "won before the last step": 10,
    "full board, won": 4,
    "full board, drawn": 3,
    "full board after captures": 1,
    "nobody can step": 1,
    "placement lost": 20,
    "double beyond the limit": 5,
    "double 1": 5,
    "second double 1": 1,
    "double 1 beyond the limit": 1,
    "a 1 after a double": 8,
    "captured by placement": 4,
    "a captured cube steps": 6,
    "cube named by its tile": 50,
    "ends on another's start tile": 20,
    "passes over its start tile": 40,
    "orders dropped": 30,
    "completed by default": 100,
    "last round won": 8,
    "last round drawn": 1,
}
"""Situations, and how often each comes in 1,000 positions at least."""

RARER = {"a step lapses": 2, "four captures in a step": 1, "chain of three": 1, "reduced with pairs left": 1}
"""Situations that come once in 1,500 to 5,000 positions, and how often each comes at least in all: they are
aimed at among the first 1,000."""


class Failure(AssertionError):
    """The game and the statement differ."""


# Reading a position of the game.


def tile(square: int) -> statement.Tile:
    return square % 6, square // 6


def square(at: statement.Tile) -> int:
    return at[1] * 6 + at[0]


def name(at: statement.Tile) -> str:
    return f"{'abcdef'[at[0]]}{at[1] + 1}"


def at(text: str) -> statement.Tile:
    return "abcdef".index(text[0]), int(text[1]) - 1


def read(state: State[World]) -> statement.Position:
    """Return a position of the game as the statement has it."""
    world = state.world
    options = {each: getattr(world.settings, each) for each in type(world.settings).__slots__}
    moves = state.phase == "move" and not state.over
    return {
        "options": options,
        "cubes": {tile(on): (cube.id, cube.seat, cube.number, cube.captures) for on, cube in world.cubes.items()},
        "made": list(world.made),
        "captures": list(world.captures),
        "rolls": list(world.rolls),
        "doubled": list(world.doubled),
        "round": world.round,
        "first": world.first,
        "double": world.double,
        "doubles": world.doubles,
        "combined": world.combined,
        "pending": [tuple(each) for each in world.pending],
        "movers": list(world.movers),
        "m": world.movement if moves else 0,
        "lapsed": world.lapsed if moves else 0,
        "next_id": world.next_id,
        "phase": state.phase,
        "ended": world.ended,
        "winner": world.winner,
    }


def plain(state: State[World], order: Order) -> statement.Order:
    """Return an order as the statement has it."""
    world = state.world
    tiles = {world.system(number) + on: ("tile", tile(number)) for number in range(36) for on in (0, 1)}  # its ground
    cubes = {cube.id: ("cube", cube.id) for cube in world.cubes.values()}
    seen = RULESET.sight(world, order.seat)

    def named(oid: int) -> tuple[str, Any]:
        return tiles.get(oid) or cubes.get(oid) or ("other" if oid in seen else "nothing", oid)

    on = {world.swarm(0): "red", world.swarm(1): "blue"}.get(order.on) or named(order.on)[0]
    keys = ("tile",) if order.type == PLACE else ("cube", "to")
    return (
        on if on in ("red", "blue", "nothing") else "other",
        order.type,
        tuple(named(order.args[key]) for key in keys),
    )


def told(done: Advanced[World]) -> list[tuple[Any, ...]]:
    """Return what the game reports as the statement has it."""
    found: list[tuple[Any, ...]] = []
    for report in done.reports:
        about: list[Any] = []
        if report.subject == "Dice":
            rolled = re.search(r"Red rolls (\d), Blue rolls (\d)", report.body)
            about = [int(each) for each in rolled.groups()] if rolled else []
        elif report.subject == "Placement":
            first, *rest = re.findall(r"\b[a-f][1-6]\b", report.body)
            about = [at(first), [at(each) for each in rest]]
        elif report.subject == "Moved":
            steps = re.findall(r"([a-f]\d)-([a-f]\d)(?: \(captures ([^)]*)\))?", report.body)
            about = [[(at(a), at(b), [at(each) for each in re.findall(r"[a-f]\d", made)]) for a, b, made in steps]]
        found.append((report.to, report.subject, *about))
    return found


def by_reader(reports: list[tuple[Any, ...]]) -> dict[str, list[tuple[Any, ...]]]:
    """Sort reports by their readers: those of one reader have an order."""
    readers = {None: "all", 0: "Red", 1: "Blue"}
    return {named: [report[1:] for report in reports if report[0] == to] for to, named in readers.items()}


# Comparing.


class Case(NamedTuple):
    """One closing: a state with its orders, and the seed of the dice."""

    state: State[World]
    seed: bytes

    def done(self) -> Advanced[World]:
        return advance(RULESET, self.state, self.seed)

    def orders(self) -> list[Order]:
        return [order for queue in self.state.queues.values() for order in queue]

    def expected(self) -> tuple[statement.Position, statement.Told]:
        orders = [plain(self.state, order) for order in self.orders()]
        return statement.closing(read(self.state), orders, Dice.named(self.seed, self.state.turn, 0, "roll"))

    def difference(self) -> str:
        done, (position, reports) = self.done(), self.expected()
        return compared(done, position, reports)

    def written(self) -> str:
        """The position, in the notation of the page, and the orders."""
        world = self.state.world
        texts = []
        for seat, letter in enumerate("RB"):
            cubes = sorted((cube.id, name(tile(on))) for on, cube in world.cubes.items() if cube.seat == seat)
            texts.append(f"{letter}:" + ",".join(each for _, each in cubes))
        orders = [plain(self.state, order) for order in self.orders()]
        rest = {key: value for key, value in read(self.state).items() if key != "cubes"}
        return f"{' '.join(texts)}\n{rest}\nturn {self.state.turn}, seed {self.seed!r}, orders {orders}"

    def small(self) -> Case:
        """The same with as few orders and cubes as still differ."""

        def with_orders(orders: list[Order]) -> Case:
            state = copied(RULESET, self.state)
            state.queues = {orders[0].on: orders} if orders else {}
            return self._replace(state=state)

        def fails(case: Case) -> bool:
            try:
                return bool(case.difference())
            except Exception:  # a position that cannot be
                return False

        case = with_orders(smallest(self.orders(), lambda orders: fails(with_orders(orders))))

        def with_cubes(squares: list[int]) -> Case:
            state = copied(RULESET, case.state)
            state.world.cubes = {on: cube for on, cube in state.world.cubes.items() if on in squares}
            return case._replace(state=state)

        def fails_with(squares: list[int]) -> bool:
            seats = [case.state.world.cubes[on].seat for on in squares]
            return min(seats.count(0), seats.count(1)) >= 2 and fails(with_cubes(squares))

        return with_cubes(smallest(list(case.state.world.cubes), fails_with))


def compared(done: Advanced[World], position: statement.Position, reports: statement.Told) -> str:
    """Return the first difference after a closing or an opening."""
    game = read(done.state)
    found = difference(game, position) or difference(by_reader(told(done)), by_reader(reports), "told")
    if found:
        return found
    phase = find_phase(RULESET, done.state.phase)
    awaited = [] if done.state.over else list(phase.active(done.state.world))
    if awaited != statement.active(position):
        return f"awaited: the game has {awaited}, the statement {statement.active(position)}"
    if done.state.over != bool(position["ended"]):
        return f"over: the game has {done.state.over}"
    if not done.state.over and phase.title(done.state.world) != statement.title(position):
        return f"title: the game has {phase.title(done.state.world)!r}, the statement {statement.title(position)!r}"
    if done.state.over:
        winner = position["winner"]
        places = {seat: 1 if winner in (None, seat) else 2 for seat in (0, 1)}
        if done.outcome is None or dict(done.outcome.places) != places:
            return f"places: the game has {done.outcome}, the statement {places}"
    return ""


class Comparison:
    """Compares closings, and counts positions and situations."""

    def __init__(self) -> None:
        self.positions = self.orders_judged = 0
        self.seen: Counter[str] = Counter()

    def opening(self, options: dict[str, Any], seed: bytes) -> State[World]:
        done = opening(RULESET, options, 2, seed)
        position, reports = statement.opening(options, Dice.named(seed, BEFORE_THE_FIRST, 0, "roll"))
        for on, (_, seat, number, caught) in position["cubes"].items():  # the first number of a cube is the game's
            position["cubes"][on] = (done.state.world.cubes[square(on)].id, seat, number, caught)
        position["next_id"] = done.state.world.next_id
        position["options"] = {key: value for key, value in options.items() if key in read(done.state)["options"]}
        if found := compared(done, position, reports):
            raise Failure(f"opening with {options}, seed {seed!r}: {found}")
        self.positions += 1
        return done.state

    def closing(self, state: State[World], seed: bytes, history: str = "") -> State[World]:
        case = Case(state, seed)
        done, (position, reports) = case.done(), case.expected()
        if found := compared(done, position, reports):
            small = case.small()
            raise Failure(f"{found}\n{history}\n{case.written()}\nmade small: {small.difference()}\n{small.written()}")
        self.positions += 1
        self.count(read(state), case, position, reports)
        return done.state

    def verdict(self, state: State[World], order: Order, refused: Refusal | None) -> None:
        """Compare what the game says of one more order."""
        before = [plain(state, each) for each in state.queues.get(order.on, [])]
        expected = statement.verdict(read(state), order.seat, before, plain(state, order))
        self.orders_judged += 1
        found = refused.text if refused else ""
        if bool(found) != bool(expected) or not found.startswith(expected):
            text = (
                f"order {plain(state, order)} of seat {order.seat}: the game says {found!r}, the statement {expected!r}"
            )
            raise Failure(f"{text}\n{Case(state, b'').written()}")

    def legal_orders(self, state: State[World], seat: int) -> None:
        """Compare all that is legal after the orders of a seat, with each cube named as the game names it."""
        game = {plain(state, order)[2] for order in RULESET.legal_orders(state.plan(seat))}
        position, on = read(state), state.world.swarm(seat)
        queue = [plain(state, order) for order in state.queues.get(on, [])]
        places = [("tile", tile(number)) for number in range(36)]
        if state.phase == "place":
            tried: list[Any] = [(PLACE, (place,)) for place in places]
        else:
            named = {(what, which) for (what, which), *_ in game if what == "tile"}
            named |= {("cube", cube[0]) for cube in position["cubes"].values()}
            tried = [(MOVE, (cube, place)) for cube in sorted(named) for place in places]
        legal = {
            arguments
            for kind, arguments in tried
            if not statement.verdict(position, seat, queue, (statement.NAMES[seat], kind, arguments))
        }
        self.orders_judged += len(tried)
        self.seen["all legal orders compared"] += 1
        if game != legal:
            text = f"only the game: {sorted(game - legal)}, only the statement: {sorted(legal - game)}"
            raise Failure(f"legal orders of seat {seat}, {text}\n{Case(state, b'').written()}")

    def count(self, was: Any, case: Case, now: Any, reports: statement.Told) -> None:
        """Count the situations of one closing."""
        seen = self.seen
        orders = [plain(case.state, order) for order in case.orders()]
        seat = next(iter(statement.active(was)), -1)
        subjects = [report[1] for report in reports]
        steps = next((report[2] for report in reports if report[1] == "Moved"), [])
        placed = next((report[2:] for report in reports if report[1] == "Placement"), None)
        most = max((len(made) for _, _, made in steps), default=0)
        seen["placement lost"] += subjects.count("Placement lost")
        seen["orders dropped"] += "Order Invalid" in subjects
        seen["completed by default"] += "Default used" in subjects
        seen["four captures in a step"] += most >= 4
        seen["captured by placement"] += bool(placed and placed[1])
        seen["cube named by its tile"] += any(order[2][0][0] == "tile" for order in orders if order[1] == MOVE)
        seen["nobody can step"] += any(
            report[1] == "Movement lapsed" and now["movers"][:1] != [seat] and not now["m"] for report in reports
        )
        seen["a step lapses"] += bool(now["lapsed"])
        self._count_paths(was, steps, seat)
        limit = was["options"]["double_limit"]
        for number, report in enumerate(reports):
            if report[1] != "Dice":
                continue
            red, blue = report[2:]
            is_double = red == blue
            seen["double beyond the limit"] += is_double and limit <= max(was["doubled"])
            if (red, blue) == (1, 1):
                again = was["combined"] and "Dice" not in [other[1] for other in reports[:number]]
                seen["second double 1" if again and was["round"] == now["round"] else "double 1"] += 1
                seen["double 1 beyond the limit"] += limit <= max(was["doubled"])
            seen["a 1 after a double"] += bool(not is_double and 1 in (red, blue) and was["doubles"])
        if now["ended"]:
            self._count_end(was, now, steps, placed, seat)

    def _count_paths(self, was: Any, steps: Any, seat: int) -> None:
        seen = self.seen
        created: set[Any] = set()
        ids = {on: cube[0] for on, cube in was["cubes"].items()}
        start = dict(ids)
        moved: dict[Any, Any] = {}
        for origin, to, made in steps:
            moved.setdefault(origin, origin)
            seen["a captured cube steps"] += origin in created
            start_of = moved.pop(origin)
            seen["passes over its start tile"] += to == start_of
            moved[to] = start_of
            created.discard(origin)
            created.update(made)
            x, y = to
            chained = [each for each in made if abs(each[0] - x) + abs(each[1] - y) > 1]
            seen["chain of three"] += len(chained) >= 2
        seen["ends on another's start tile"] += any(
            to in start and begin != to and to in [other for where, other in moved.items() if where != to]
            for to, begin in moved.items()
        )

    def _count_end(self, was: Any, now: Any, steps: Any, placed: Any, seat: int) -> None:
        seen, ended = self.seen, now["ended"]
        left = any(
            now["cubes"].get((x + dx, y + dy), (0, seat))[1] != seat
            and now["cubes"].get((x + 2 * dx, y + 2 * dy), (0, 1 - seat))[1] == seat
            for _, to, made in steps[-1:]
            for x, y in (to, *made)
            for dx, dy in statement.CROSS
        )
        by_step = ended in ("swarm", "reduced") and steps
        if ended == "swarm":
            seen["placed the last cube" if placed and not placed[1] else "captured with the last cube"] += 1
            seen["the last cube stops a chain"] += left
        seen["reduced to one"] += ended == "reduced"
        seen["reduced with pairs left"] += ended == "reduced" and left
        if by_step:
            seen["won by the last step" if len(steps) == was["m"] else "won before the last step"] += 1
            moved: dict[Any, Any] = {}
            for origin, to, _ in steps:
                moved[to] = moved.pop(origin, origin)
            seen["won on start tiles"] += any(begin == to for to, begin in moved.items())
        if ended == "full":
            seen["full board, drawn" if now["winner"] is None else "full board, won"] += 1
            seen["full board after captures"] += bool(placed and placed[1])
        if ended == "rounds":
            seen["last round drawn" if now["winner"] is None else "last round won"] += 1


# Games and positions.


def some_options(dice: Dice) -> dict[str, Any]:
    """Return the default options, or some over the whole of their limits."""
    if dice.below(4) == 0:
        return parse_options(RULESET.options, {})
    drawn: dict[str, Any] = {}
    for each, (low, high) in LIMITS.items():
        value = low + dice.below(high - low + 1)
        drawn[each] = bool(value) if (low, high) == (0, 1) else value
    if dice.below(2):
        drawn["diagonal_moves"] = drawn["chain_swarm"] = True
    return parse_options(RULESET.options, drawn)


PATTERNS = (
    "R:b3,d2 B:c3",
    "R:b3,d2,c5 B:c3,c4",  # T7: a chain
    "R:a3,e3,c1,c5,d4 B:b3,d3,c2,c4",  # T8: four at once
    "R:a1,f1,b3,d2 B:c3,f6",  # T33: a win on start tiles
    "R:b2,d2,c4,e3,d1 B:c2,c3,d3",
)
"""Positions in which a step captures."""

ALMOST_FULL, EDGE_LEFT, MIXED, FEW, TWO, NEAR_TOTAL, DICE, PATTERN, OPENING = range(9)
KINDS = (
    *(PATTERN, ALMOST_FULL, PATTERN, NEAR_TOTAL, FEW, PATTERN, EDGE_LEFT, TWO),
    *(PATTERN, DICE, NEAR_TOTAL, MIXED, PATTERN, ALMOST_FULL, OPENING),
)
"""Kinds of made positions, and how often each is taken."""


def made_position(state: State[World], kind: int, dice: Dice) -> None:
    """Turn an opening into a position in which much is about to happen."""
    world = state.world
    most = world.settings.cubes_total - 1
    squares = dice.shuffled(range(36))
    counts = [2 + dice.below(8), 2 + dice.below(8)]
    if kind == ALMOST_FULL:
        counts[0] = 2 + dice.below(3)
        counts[1] = 35 - dice.below(2) - counts[0]
        if dice.below(2):  # one tile is free, in a corner, with one cube beside it that can step there
            counts, squares = [2, 33], [1, 35, *(on for on in squares if on not in (0, 1, 35))]
    elif kind == EDGE_LEFT:  # one tile of an edge is free, and two fronts with few pairs, or a mixture
        left = dice.below(6)
        squares = [on for on in (sorted(squares) if dice.below(3) else squares) if on != left]
        counts[0] = 17 if dice.below(2) else 14 + dice.below(8)
        counts[1] = 35 - counts[0]
    elif kind == FEW:
        counts = [2 + dice.below(2), 10 + dice.below(12)]
    elif kind == TWO:
        counts = [2, 2]
    elif kind == NEAR_TOTAL:
        counts[0] = most
    elif kind == MIXED:
        counts = [8 + dice.below(8), 8 + dice.below(8)]
    if kind == PATTERN:
        put_pattern(state, dice)
    else:
        world.cubes.clear()
        world.made[:] = [0, 0]
        mirrored = kind != EDGE_LEFT and dice.below(2)
        for seat, number in enumerate(counts):
            for _ in range(max(2, min(number, most))):
                if squares:
                    world.add(1 - seat if mirrored else seat, squares.pop(0))
    world.captures[:] = [dice.below(5), dice.below(5)]
    world.first, world.round = dice.below(2), 1 + dice.below(world.settings.max_rounds)
    if dice.below(3) == 0:
        world.round = world.settings.max_rounds
    world.movers, world.pending, world.double, world.doubles = [], [], 0, 0
    state.phase = "roll"
    if kind in (EDGE_LEFT, DICE) or dice.below(6) == 0:
        limit = world.settings.double_limit
        world.doubled[:] = [dice.below(limit + 1), dice.below(limit + 1)]
        world.double, world.doubles = 1 + dice.below(6), 1
        world.combined = world.double == 1 or dice.below(2) == 0
        order = [world.first, 1 - world.first]
        waiting = [(seat, 2 if world.doubled[seat] < limit else 3) for seat in order]
        free = {seat for seat in order if any(x + 30 * seat not in world.cubes for x in range(6))}
        world.pending = [each for each in waiting if each[0] in free]
        if world.pending and kind != DICE:
            state.phase = "place"
        else:
            world.pending = []
    elif kind != ALMOST_FULL or dice.below(3) == 0:
        _to_move(state, dice)
    state.seen.clear()


def put_pattern(state: State[World], dice: Dice) -> None:
    """Put one of the patterns somewhere, turned and with its sides exchanged at random, and some cubes around it."""
    world = state.world
    world.cubes.clear()
    world.made[:] = [0, 0]
    turn, flip, swap = dice.below(2), dice.below(2), dice.below(2)
    for seat, text in enumerate(dice.pick(PATTERNS).split()):
        for each in text[2:].split(","):
            x, y = at(each)
            x, y = (y, x) if turn else (x, y)
            world.add(seat ^ swap, square((5 - x, y) if flip else (x, y)))
    most = world.settings.cubes_total - 1
    fills = dice.below(3) == 0  # the attacker is one short of all
    for on in dice.shuffled(range(36))[: 36 if fills else dice.below(3) * 4]:
        seat = swap if fills else dice.below(2)
        if on not in world.cubes and world.count(seat) < most:
            world.add(seat, on)
    for seat in (0, 1):
        for on in dice.shuffled(sorted(set(range(36)) - set(world.cubes)))[: max(0, 2 - world.count(seat))]:
            world.add(seat, on)


def a_seed(state: State[World], number: int, dice: Dice) -> bytes:
    """Return a seed; with its dice a roll begins with a double 1, another double, or a double and a single 1."""
    wanted = dice.pick([lambda r: r[:2] == [1, 1], lambda r: r[0] == r[1], lambda r: r[0] == r[1] and 1 in r[2:]])
    for more in range(200):
        seed = f"{number}-{more}".encode()
        rolled = Dice.named(seed, state.turn, 0, "roll")
        if wanted([rolled.roll() for _ in range(4)]):
            return seed
    return seed


def _to_move(state: State[World], dice: Dice) -> None:
    """Let a seat move that can."""
    world = state.world
    for seat in dice.shuffled((0, 1)):
        budget = 1 + dice.below(6)
        m = statement.spend(read(state), seat, budget)
        if not m:
            continue
        world.rolls[seat], world.rolls[1 - seat] = budget, 1 + dice.below(6)
        if world.rolls[0] == world.rolls[1]:
            world.rolls[1 - seat] = budget % 6 + 1
        world.movers = [seat, 1 - seat] if budget < world.rolls[1 - seat] else [seat]
        world.movement, world.lapsed, state.phase = m, budget - m, "move"
        return
    state.phase = "roll"


def give_orders(comparison: Comparison, state: State[World], dice: Dice) -> None:
    """Let the active seat give random orders, most of them legal; take some back; and put some in unchecked."""
    world = state.world
    seat = next(iter(find_phase(RULESET, state.phase).active(world)))
    swarm = world.swarm(seat)
    if dice.below(8) == 0:
        return  # absent
    wanted = 1 if state.phase == "place" else 2 * world.movement + 1
    for _ in range(wanted):
        order = random_order(state, seat, dice)
        refused = None
        try:
            change = insertion(RULESET, state, seat, order.on, order.type, order.args)
        except Refusal as refusal:
            refused = refusal
        comparison.verdict(state, order, refused)
        if refused is None:
            apply(state, change)
        if dice.below(20) == 0:
            break
    if dice.below(20) == 0:
        comparison.legal_orders(state, seat)
    queue = state.queues.get(swarm, [])
    if queue and dice.below(6) == 0:
        apply(state, removal(RULESET, state, seat, swarm, dice.below(len(queue))))
    queue = state.queues.get(swarm, [])
    if dice.below(8) == 0:
        order = random_order(state, seat, dice)
        well_formed = not statement.verdict(read(state), seat, [], plain(state, order)).startswith(("B", "N", "W"))
        if well_formed and (state.phase == "move" or not queue):  # of placements there is never a second
            slot = dice.below(len(state.queues.get(swarm, [])) + 1)
            apply(state, replayed_insertion(state, order, slot))


def random_order(state: State[World], seat: int, dice: Dice) -> Order:
    """Return an order that is probably legal: near the seat's cubes, where the orders so far lead."""
    world = state.world
    swarm = world.swarm(seat)
    if dice.below(40) == 0:
        return wild_order(state, seat, dice)
    if state.phase == "place":
        return Order(seat, swarm, PLACE, {"tile": world.system(dice.below(6) + 30 * seat)})
    phase = statement.begun(read(state))
    for _, _, (named, (_, to)) in [plain(state, order) for order in state.queues.get(swarm, [])]:
        origin = statement.origin(phase, seat, named)
        if origin is not None and not phase["ended"] and (origin, to) in statement.steps(phase, seat):
            phase, _ = statement.step(phase, seat, origin, to)
    steps = statement.steps(phase, seat)
    if not steps:
        return wild_order(state, seat, dice)
    likely = [each for each in steps if statement.step(phase, seat, *each)[1]] if dice.below(2) else []
    again = [each for each in steps if phase["cubes"][each[0]][0] in phase["moved"]] if dice.below(2) else []
    origin, to = dice.pick(likely or again or steps)
    cube = phase["cubes"][origin][0]
    is_new = all(cube != each.id for each in world.cubes.values())
    named = world.system(square(origin)) if is_new or dice.below(4) == 0 else cube
    return Order(seat, swarm, MOVE, {"cube": named, "to": world.system(square(to))})


def wild_order(state: State[World], seat: int, dice: Dice) -> Order:
    """Return any order, most likely an illegal one."""
    objects = sorted(RULESET.sight(state.world, seat))[1:]  # 0 stands for nothing chosen: that makes a draft
    swarms = [state.world.swarm(0), state.world.swarm(1)]
    on = dice.pick([*swarms, swarms[seat], dice.pick([*objects, 9999])])
    some = [dice.pick([*objects, 9999]), state.world.system(dice.below(36))]
    some += [cube.id for cube in state.world.cubes.values()]
    if dice.below(2):
        return Order(seat, on, PLACE, {"tile": dice.pick(some)})
    return Order(seat, on, MOVE, {"cube": dice.pick(some), "to": dice.pick(some)})


def play(comparison: Comparison, number: int, turns: int) -> None:
    """Play one game, or on from a made position, for so many turns."""
    dice = Dice.named(b"statement", "swarm", number)
    options, seed = some_options(dice), str(number).encode()
    kind = KINDS[number % len(KINDS)]
    if kind in (ALMOST_FULL, EDGE_LEFT):
        options["cubes_total"] = 40
    elif kind in (NEAR_TOTAL, PATTERN):
        options["cubes_total"] = 10 + options["cubes_total"] % 12
    state = comparison.opening(options, seed)
    given: list[Any] = []
    is_made = kind != OPENING
    if is_made:
        made_position(state, kind, dice)
        turns = 1 + dice.below(3)
        if kind == DICE or dice.below(8) == 0:
            seed = a_seed(state, number, dice)
    made = "made position" if is_made else "opening"
    for _ in range(turns):
        if state.over:
            return
        history = f"game {number}: {options}, seed {seed!r}, {made}, orders {given}"
        if state.phase != "roll":
            try:
                give_orders(comparison, state, dice)
            except Failure as failure:
                raise Failure(f"{failure}\n{history}") from None
        given.append([plain(state, order) for queue in state.queues.values() for order in queue])
        state = comparison.closing(state, seed, history)


def compare(positions: int, first: int = 0) -> Comparison:
    """Compare at least so many positions, beginning with the game of this number."""
    comparison = Comparison()
    for number in count(first):
        play(comparison, number, 20 if number % 4 else 60)
        if comparison.positions >= positions:
            break
    return comparison


def told_and_held(comparison: Comparison) -> None:
    """Print the counts, and fail if a situation is rarer than it should be."""
    seen, times = comparison.seen, comparison.positions // 1000
    needed = {**RARER, **{each: least * times for each, least in RARE.items()}}
    print(f"\nSwarm: {comparison.positions} positions, {comparison.orders_judged} orders judged, no difference")
    for each, least in sorted(needed.items()):
        print(f"  {seen[each]:6}  {each} (at least {least})")
    missing = {each: seen[each] for each, least in needed.items() if seen[each] < least}
    assert not missing, f"too rare: {missing}"


def test_the_game_is_the_statement():
    """1,000 positions."""
    told_and_held(compare(1000))


def test_a_thousand_doubles_end_the_roll(monkeypatch):
    """Section 5: with broken dice the players move one step each, in the order of the round before."""
    monkeypatch.setattr(Dice, "roll", lambda dice: 4)
    comparison = Comparison()
    state = comparison.opening(parse_options(RULESET.options, {"opening_seat": 2}), b"")
    assert (state.phase, state.world.rolls, state.world.movers) == ("move", [1, 1], [1, 0])


def test_a_difference_is_told_with_its_game_and_made_small(monkeypatch):
    """A wrong rule is found; the text has what the game was played with, and a case with fewer orders."""
    monkeypatch.setattr(statement, "ALL_EIGHT", statement.ALL_EIGHT[::-1])
    with pytest.raises(Failure) as failure:
        compare(1000)
    text = str(failure.value)
    assert all(each in text for each in ("game ", "seed ", "orders ", "the statement", "made small: "))
    whole, _, small = text.partition("made small: ")
    assert small.count("'Move") <= whole.count("'Move")


@pytest.mark.thorough
def test_the_game_is_the_statement_for_longer():
    """5,000 other positions."""
    told_and_held(compare(5000, 10**6))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_the_game_is_the_statement_for_long(part):
    """100,000 other positions, in ten parts."""
    told_and_held(compare(10_000, 10**7 * (part + 1)))
