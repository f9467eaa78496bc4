"""Second statement of the rules of Antshouse, from RULES.md alone.

It is slow and plain, and shares no code with the game. A position is a dictionary. A square is (x, y) with a1 = (0, 0).
Chance is a function `draw(n)` that returns 0 to n - 1. `opening` returns the first position. `close` returns the
position that follows from a position and the orders of its phase. `refusal` returns the code with which an order is
refused.

Orders are tuples: ("Enter", seat, square), ("Go", seat, direction, gesture), ("Throw", seat, weapon, square),
("Push", seat, direction) and ("Flush", seat, direction).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Square = tuple[int, int]
Position = dict[str, Any]
Order = tuple[Any, ...]
Draw = Callable[[int], int]

# Section 2: 1 N, 2 NE, 3 E, 4 SE, 5 S, 6 SW, 7 W, 8 NW; x grows to the east, y to the north.
STEPS = {1: (0, 1), 2: (1, 1), 3: (1, 0), 4: (1, -1), 5: (0, -1), 6: (-1, -1), 7: (-1, 0), 8: (-1, 1)}
STAY = 0
CONE, WATER, GLASS = 1, 2, 3
ROCK, PAPER, SCISSORS = 1, 2, 3
BEATS = {ROCK: SCISSORS, PAPER: ROCK, SCISSORS: PAPER}
BOARD = [(x, y) for y in range(8) for x in range(8)]

FRAME, NEVER, LATER = 1, 2, 3
"""The classes of refusals in section 4: E-FRAME, E-NEVER, E-LATER."""


def opening(layout: str, goal: str, contest: str, cone_guard: str, max_rounds: int, seats: int) -> Position:
    """Return the position in which all enter."""
    guard = layout == "corners" if cone_guard == "auto" else cone_guard == "on"
    return {
        "layout": layout,
        "goal": goal,
        "contest": contest,
        "guard": guard,
        "max_rounds": max_rounds,
        "seats": seats,
        "phase": "setup",
        "round": 0,
        "ant": [None] * seats,
        "turned": [False] * seats,
        "pad": [{CONE: 5, WATER: 4, GLASS: 4} for _ in range(seats)],  # section 2
        "used": [{CONE: 0, WATER: 0, GLASS: 0} for _ in range(seats)],
        "deaths": [0] * seats,
        "cones": {},
        "gestures": [],
        "losers": [],
        "throws": [],
        "flush": None,
        "hits now": [],
        "hits": [],
        "winners": [],
        "why": "",
    }


# The board.


def on_board(square: Square) -> bool:
    return 0 <= square[0] <= 7 and 0 <= square[1] <= 7


def step(square: Square, direction: int) -> Square:
    return square[0] + STEPS[direction][0], square[1] + STEPS[direction][1]


def distance(one: Square, other: Square) -> int:
    """Chebyshev."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def home(position: Position, seat: int) -> list[Square]:
    """R7, R34: south, north, west, east; corners a1, h8, h1, a8."""
    if position["layout"] == "corners":
        return [[(0, 0)], [(7, 7)], [(7, 0)], [(0, 7)]][seat]
    return [(x, y) for x, y in BOARD if (y, 7 - y, x, 7 - x)[seat] == 0]


def far(position: Position, seat: int) -> list[Square]:
    """R7, R34: the opposite side or corner."""
    return [(7 - x, 7 - y) for x, y in home(position, seat)]


def goal_distance(position: Position, seat: int, square: Square) -> int:
    """Resource 4: Chebyshev to the current goal, which is home once turned."""
    goal = home(position, seat) if position["turned"][seat] else far(position, seat)
    return min(distance(square, one) for one in goal)


def standing(position: Position) -> list[Square]:
    return [ant for ant in position["ant"] if ant is not None]


def is_free(position: Position, square: Square) -> bool:
    return on_board(square) and square not in position["cones"] and square not in standing(position)


def offered(position: Position, seat: int) -> list[Square]:
    """R17, R34: the home row as far as it is free, else the nearest row inward, or ring, with a free square."""
    own = home(position, seat)
    for away in range(8):
        row = [square for square in BOARD if min(distance(square, one) for one in own) == away]
        free = [square for square in row if is_free(position, square)]
        if free:
            return free
    raise AssertionError("64 squares are taken")


def steps(position: Position, seat: int) -> list[int]:
    """R18, R19: the directions in which an ant may go; none: it stays."""
    return [
        way
        for way in STEPS
        if on_board(step(position["ant"][seat], way)) and step(position["ant"][seat], way) not in position["cones"]
    ]


def moves_to_free(position: Position, seat: int) -> list[int]:
    """R21, R25: where an ant can be pushed, and flushed."""
    return [way for way in STEPS if is_free(position, step(position["ant"][seat], way))]


def awaited(position: Position) -> list[int]:
    """Section 1: all, one, or the dead."""
    phase = position["phase"]
    if phase == "push":
        return [position["losers"][0][0]]
    if phase == "water":
        return [position["flush"][0]]
    if phase == "respawn":
        return [seat for seat in range(position["seats"]) if position["ant"][seat] is None]
    return [] if phase == "over" else list(range(position["seats"]))


# Section 4: which orders are taken.

PHASES = {"Enter": ("setup", "respawn"), "Go": ("plan",), "Throw": ("plan",), "Push": ("push",), "Flush": ("water",)}


def refusal(position: Position, order: Order, given: Sequence[str] = ()) -> int:
    """Return the code with which an order is refused, 0 if it is taken.

    ``given`` are the types of the orders that its seat has given in this phase. The object that carries it is right.
    """
    name, seat = order[0], order[1]
    if position["phase"] == "over":
        return NEVER
    if position["phase"] not in PHASES[name] or seat not in awaited(position):
        return LATER
    if name == "Go" and (order[2] not in range(9) or order[3] not in range(4)):
        return FRAME
    if name == "Throw" and order[2] not in (CONE, WATER, GLASS):
        return FRAME
    if name == "Push" and order[2] not in moves_to_free(position, position["losers"][0][1]):
        return FRAME
    if name == "Flush" and order[2] not in moves_to_free(position, position["flush"][1]):
        return FRAME
    if name in given:
        return LATER
    if name == "Enter" and order[2] not in offered(position, seat):
        return NEVER
    if name == "Go" and order[2] not in (steps(position, seat) or [STAY]):
        return NEVER
    if name == "Throw":
        if position["pad"][seat][order[2]] == 0:  # R31
            return NEVER
        if order[3] == position["ant"][seat] or order[3] in position["cones"]:  # R11
            return NEVER
    return 0


def possible(position: Position, seat: int) -> list[Order]:
    """Return all orders that are taken of a seat that has given none."""
    phase = position["phase"]
    found: list[Order] = []
    if phase in ("setup", "respawn"):
        found = [("Enter", seat, square) for square in BOARD]
    elif phase == "plan":
        found = [("Go", seat, way, gesture) for way in range(9) for gesture in range(4)]
        found += [("Throw", seat, weapon, square) for weapon in (CONE, WATER, GLASS) for square in BOARD]
    elif phase in ("push", "water"):
        found = [("Push" if phase == "push" else "Flush", seat, way) for way in range(9)]
    return [order for order in found if not refusal(position, order)]


# Section 5: one phase after the other.


class Closing:
    """One closing: the position, which it changes, chance, and the reports: (to whom, subject, facts)."""

    def __init__(self, position: Position, draw: Draw) -> None:
        self.position = copy.deepcopy(position)
        self.draw = draw
        self.told: list[tuple[Any, ...]] = []
        self.seen: list[str] = []
        """Rare situations that came up, for statistics."""

    def tell(self, to: int | None, subject: str, *facts: Any) -> None:
        self.told.append((to, subject, *facts))


def close(position: Position, orders: Iterable[Order], draw: Draw) -> Closing:
    """Return the result of the orders of a phase. An awaited seat without an order is absent."""
    closing = Closing(position, draw)
    given = list(orders)
    if position["phase"] in ("setup", "respawn"):
        enter(closing, given)
        begin_plan(closing)
        return closing
    if position["phase"] == "plan":
        plan(closing, given)
    elif position["phase"] == "push":
        push(closing, given)
    else:
        flush(closing, given)
    go_on(closing)
    return closing


def enter(closing: Closing, orders: Sequence[Order]) -> None:
    position = closing.position
    wanted = {}
    for seat in awaited(position):
        mine = [order for order in orders if order[1] == seat]
        if mine:
            wanted[seat] = mine[0][2]
        else:  # section 5: the offered square nearest to the centre, then x, then y
            closing.seen.append("entered by default")
            wanted[seat] = min(offered(position, seat), key=lambda s: (abs(s[0] - 3.5) + abs(s[1] - 3.5), s[0], s[1]))
    if position["phase"] == "respawn" and len(wanted) > 1:
        closing.seen.append("several enter anew")
    for seat, square in sorted(wanted.items()):
        if not is_free(position, square):  # R8: the lower seat keeps it, the other goes to the nearest
            closing.seen.append("two enter at one square")
            closing.tell(seat, "Order failed")
            square = min(offered(position, seat), key=lambda s: (distance(s, wanted[seat]), s[0], s[1]))
        if square not in home(position, seat):
            closing.seen.append("entered outside of home")
        position["ant"][seat] = square


def begin_plan(closing: Closing) -> None:
    position = closing.position
    # Section 8: no ant has a legal step and no pad has a pyramid; that round is not begun.
    can_step = any(steps(position, seat) for seat in range(position["seats"]))
    can_throw = any(number for pad in position["pad"] for number in pad.values())
    if not can_step and not can_throw:
        closing.seen.append("a dead position")
        end(closing, [], "stuck")
        return
    position["round"] += 1
    position["phase"] = "plan"


def default_direction(position: Position, seat: int) -> int:
    """Section 5: the legal step closest to the current goal, tie the lowest id."""
    ways = steps(position, seat)
    if not ways:
        return STAY
    return min(ways, key=lambda way: (goal_distance(position, seat, step(position["ant"][seat], way)), way))


def plan(closing: Closing, orders: Sequence[Order]) -> None:
    position = closing.position
    ways, gestures = [], []
    for seat in range(position["seats"]):  # (1)
        mine = [order for order in orders if order[0] == "Go" and order[1] == seat]
        ways.append(mine[0][2] if mine else default_direction(position, seat))
        gestures.append(mine[0][3] if mine else 0)
        if not mine:
            closing.seen.append("a step by default")
    position["gestures"] = gestures
    throws = sorted((order[1], order[2], order[3]) for order in orders if order[0] == "Throw")
    closing.tell(None, "Reveal")  # (2), R12
    for seat, weapon, _ in throws:  # (3), R28
        position["pad"][seat][weapon] -= 1
    position["throws"] = throws
    old = list(position["ant"])
    for seat, way in enumerate(ways):  # (4), R13
        if way == STAY:
            closing.seen.append("an ant without a step")
        else:
            position["ant"][seat] = step(position["ant"][seat], way)
    for one in range(position["seats"]):
        for other in range(one):
            if position["ant"][one] == old[other] and position["ant"][other] == old[one]:
                closing.seen.append("two ants swap")
    # (5), R20: clashes by row, then column.
    for square in sorted(BOARD, key=lambda s: (s[1], s[0])):
        here = [seat for seat in range(position["seats"]) if position["ant"][seat] == square]
        if len(here) > 1:
            winner = contest(closing, here)
            closing.seen.append(f"a clash of {len(here)}")
            closing.tell(None, "Clash", square, tuple(here), winner)
            position["losers"] += [(winner, seat) for seat in here if seat != winner]
    if len({winner for winner, _ in position["losers"]}) == 2:
        closing.seen.append("two clashes in a round")


def contest(closing: Closing, seats: Sequence[int]) -> int:
    """Section 5, Contest(S): return the winner."""
    left = list(seats)
    if closing.position["contest"] == "gesture":
        shown = {}
        for seat in left:
            shown[seat] = closing.position["gestures"][seat] or 1 + closing.draw(3)
        kinds = set(shown.values())
        if len(kinds) == 2:
            one, other = kinds
            winning = one if BEATS[one] == other else other
            left = [seat for seat in left if shown[seat] == winning]
        elif len(kinds) == 3:
            closing.seen.append("all three gestures in a contest")
    if len(left) == 1:
        return left[0]
    closing.seen.append("a contest by chance")
    return left[closing.draw(len(left))]


def push(closing: Closing, orders: Sequence[Order]) -> None:
    position = closing.position
    _, loser = position["losers"].pop(0)
    way = orders[0][2] if orders else min(moves_to_free(position, loser))
    if not orders:
        closing.seen.append("a push or flush by default")
    position["ant"][loser] = step(position["ant"][loser], way)


def flush(closing: Closing, orders: Sequence[Order]) -> None:
    position = closing.position
    thrower, seat = position["flush"]
    way = orders[0][2] if orders else min(moves_to_free(position, seat))
    if not orders:
        closing.seen.append("a push or flush by default")
    if seat == thrower:
        closing.seen.append("the own ant is flushed")
    position["ant"][seat] = step(position["ant"][seat], way)
    position["flush"] = None


def go_on(closing: Closing) -> None:
    """Go on where the round has paused: with pushes, then throws, then the end of the round."""
    position = closing.position
    while position["losers"]:
        winner, loser = position["losers"][0]
        if moves_to_free(position, loser):
            position["phase"] = "push"
            closing.tell(winner, "Choose a push")
            return
        # R21: no legal target: the nearest free square (Chebyshev, then y, then x).
        closing.seen.append("a loser without room")
        at = position["ant"][loser]
        free = [square for square in BOARD if is_free(position, square)]
        position["ant"][loser] = min(free, key=lambda s: (distance(s, at), s[1], s[0]))
        position["losers"].pop(0)
    # (6): ranked once, as the last push is over.
    if position["phase"] != "water":
        rank(closing)
    while position["throws"]:
        if execute(closing, position["throws"].pop(0)):
            position["phase"] = "water"
            closing.tell(position["flush"][0], "Choose where the water takes it")
            return
    end_round(closing)


def rank(closing: Closing) -> None:
    """R15: cones, waters, glasses; of one size by contest, the winner first, then contest among the rest."""
    ranked = []
    for weapon in (CONE, WATER, GLASS):
        same = [throw for throw in closing.position["throws"] if throw[1] == weapon]
        if len(same) > 1:
            closing.seen.append(f"{len(same)} throws of one kind")
        while len(same) > 1:
            first = contest(closing, [throw[0] for throw in same])
            ranked += [throw for throw in same if throw[0] == first]
            same = [throw for throw in same if throw[0] != first]
        ranked += same
    closing.position["throws"] = ranked


def execute(closing: Closing, throw: tuple[int, int, Square]) -> bool:
    """R22 to R30: run one throw; return whether its thrower has to choose where the water takes an ant."""
    position = closing.position
    thrower, weapon, square = throw
    position["hits now"] = sorted({*position["hits now"], square})
    here = [seat for seat in range(position["seats"]) if position["ant"][seat] == square]
    asks = False
    if weapon == CONE:
        success = square not in position["cones"]
        if not success:
            closing.seen.append("a second cone on a square")
        elif position["guard"] and seals(position, square):
            closing.seen.append("the guard returns a cone")
            success = False
        if success:
            position["cones"][square] = thrower
            if here:
                closing.seen.append("a cone lands on an ant")
    elif weapon == WATER:
        moved = splash(closing, square)
        success = bool(here) or moved
        # R25: after the neighbours; none legal: the ant stays, still a success.
        if here:
            asks = bool(moves_to_free(position, here[0]))
            if not asks:
                closing.seen.append("water that cannot move its ant")
    else:
        success = bool(here)
        if success:  # R27
            seat = here[0]
            closing.seen.append("an ant burnt")
            if seat == thrower:
                closing.seen.append("the own ant is burnt")
            if position["turned"][seat]:
                closing.seen.append("a turned ant burnt")
            position["ant"][seat] = None
            position["turned"][seat] = False
            position["deaths"][seat] += 1
    if not success:  # R30
        position["pad"][thrower][weapon] += 1
    elif weapon != CONE:  # R29
        position["used"][thrower][weapon] += 1
    closing.tell(None, "Weapon", thrower, weapon, square, success)
    if weapon == GLASS and success:
        closing.tell(None, "Ant burnt")
    if asks:
        position["flush"] = (thrower, here[0])
    return asks


def splash(closing: Closing, square: Square) -> bool:
    """R26: all ants beside the water move away at once; return whether one did."""
    position = closing.position
    goes: dict[int, Square] = {}
    for way in STEPS:
        beside = step(square, way)
        line: list[int] = []
        while beside in standing(position) and (not line or beside not in position["cones"]):
            line.append(position["ant"].index(beside))
            beside = step(beside, way)
        if not line:
            continue
        if len(line) > 1:
            closing.seen.append(f"a chain of {len(line)} before the water")
        if on_board(beside) and beside not in position["cones"]:
            for seat in line:
                goes[seat] = step(position["ant"][seat], way)
        else:
            closing.seen.append("an ant that the water cannot push")
    for seat, target in goes.items():
        position["ant"][seat] = target
    return bool(goes)


def seals(position: Position, square: Square) -> bool:
    """R24: whether a cone there leaves some seat without a cone-free path from a home square to a far square."""
    cones = {*position["cones"], square}
    for seat in range(position["seats"]):
        reached = [one for one in home(position, seat) if one not in cones]
        for one in reached:  # grows while it is gone through
            for way in STEPS:
                near = step(one, way)
                if on_board(near) and near not in cones and near not in reached:
                    reached.append(near)
        if not any(one in reached for one in far(position, seat)):
            return True
    return False


def end_round(closing: Closing) -> None:
    """(8): turned and wins, the limit, then RESPAWN or the next PLAN."""
    position = closing.position
    position["hits"], position["hits now"] = position["hits now"], []
    position["gestures"] = []
    winners = []
    for seat in range(position["seats"]):  # R32, R33
        ant = position["ant"][seat]
        if ant is None:
            continue
        if position["goal"] == "there":
            if ant in far(position, seat):
                winners.append(seat)
        elif position["turned"][seat]:
            if ant in home(position, seat):
                winners.append(seat)
        elif ant in far(position, seat):
            position["turned"][seat] = True
            closing.tell(None, "Turned around")
    if winners:
        closing.seen.append("a shared win" if len(winners) > 1 else "a win")
        end(closing, winners, position["goal"])
        return
    if position["round"] >= position["max_rounds"]:
        closing.seen.append("the last round")
        end(closing, [], "rounds")
        return
    dead = [seat for seat in range(position["seats"]) if position["ant"][seat] is None]
    if dead:
        position["phase"] = "respawn"
        for seat in dead:
            closing.tell(seat, "Enter a new ant")
        return
    begin_plan(closing)


def end(closing: Closing, winners: list[int], why: str) -> None:
    position = closing.position
    position["phase"] = "over"
    position["winners"] = winners
    position["why"] = why
    closing.tell(None, "Game over")


def places(position: Position) -> dict[int, int]:
    """Section 8: winners share the first place and all others the next; in a draw all share the first."""
    winners = position["winners"] or list(range(position["seats"]))
    return {seat: 1 if seat in winners else 1 + len(winners) for seat in range(position["seats"])}


# Section 7: what objects show.


def shown(position: Position) -> dict[Any, Any]:
    """Return what everybody sees: (what, which) -> its numbers."""
    found: dict[Any, Any] = {}
    phases = ["setup", "plan", "push", "water", "respawn", "over"]
    found["universe", 0] = position["round"], phases.index(position["phase"])
    for square in BOARD:
        is_home = any(square in home(position, seat) for seat in range(position["seats"]))
        amounts = {1: int(square in position["cones"]), 6: int(is_home), 8: int(square in position["hits"])}
        found["ground", square] = {number: amount for number, amount in amounts.items() if amount}
    for seat in range(position["seats"]):
        pad, used, ant = position["pad"][seat], position["used"][seat], position["ant"][seat]
        found["kid", seat] = {
            1: (pad[CONE], 0),
            2: (pad[WATER], used[WATER]),
            3: (pad[GLASS], used[GLASS]),
            7: (position["deaths"][seat], 0),
        }
        turned = int(position["turned"][seat])
        steps_to_go = None if ant is None else goal_distance(position, seat, ant)
        found["ant", seat] = ("kid", seat) if ant is None else ("square", ant), turned, steps_to_go
    for square, seat in position["cones"].items():
        found["cone", square] = seat
    return found
