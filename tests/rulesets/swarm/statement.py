"""Second statement of the rules of Swarm, from RULES.md alone.

It is slow and plain, and uses no module of the game. So a mistake in one is not repeated in the other.
`test_swarm_comparison.py` plays both side by side. A position is a dictionary:

* `options`: the options of section 2, by name
* `cubes`: tile -> (id, seat, number, captures). A tile is (x, y), from (0, 0) for a1 to (5, 5) for f6.
* `made`, `captures`, `rolls`, `doubled`: two numbers each, Red's and Blue's
* `round`, `first` (the seat that moved first in the last round), `double` (the value of the last double), `combined`
  (whether the double 1 that brings two cubes has come in this round), `doubles` (their number in this round)
* `pending`: [(seat, method)] still to be placed, `movers`: seats still to move in this round
* `m` and `lapsed` of the present movement phase, `next_id`
* `phase`: "roll", "place" or "move", `ended`: "" or the reason, `winner`: a seat or None

An order is (on, type, arguments): ("red", "Place Cube", (place,)) or ("red", "Move Cube", (cube, place)). An argument
is ("cube", id), ("tile", (x, y)), ("other", id) or ("nothing", id), and `on` is "red", "blue", "other" or "nothing".
"""

from __future__ import annotations

from typing import Any

from tprules.api import Dice

Tile = tuple[int, int]
Position = dict[str, Any]
Order = tuple[str, str, tuple[Any, ...]]
Told = list[tuple[Any, ...]]
"""Reports: (seat or None for all, subject), and for some subjects more."""

NAMES = ("red", "blue")
SIZE = 6
CROSS = ((0, 1), (1, 0), (0, -1), (-1, 0))
ALL_EIGHT = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
MOST_DOUBLES = 1000

EDGE = (0, 5)
"""R33: the rank of each seat's edge."""


def opening(options: dict[str, Any], dice: Dice) -> tuple[Position, Told]:
    """R1, R6: the position in which the first seat acts, and what was reported."""
    position: Position = {
        "options": options,
        "cubes": {},
        "made": [0, 0],
        "captures": [0, 0],
        "rolls": [0, 0],
        "doubled": [0, 0],
        "round": 1,
        "first": options["opening_seat"] - 1,  # R30: before round 1
        "double": 0,
        "doubles": 0,
        "combined": False,
        "pending": [],
        "movers": [],
        "m": 0,
        "lapsed": 0,
        "next_id": 0,
        "phase": "roll",
        "ended": "",
        "winner": None,
    }
    for seat in (0, 1):
        for x in range(options["initial_cubes"]):  # filled from file a
            add(position, seat, (x, EDGE[seat]))
    told: Told = []
    go_on(position, dice, told)
    return position, told


def closing(before: Position, orders: list[Order], dice: Dice) -> tuple[Position, Told]:
    """Section 5: the position after the present TP turn, in which the active seat gave ``orders``."""
    position = copied(before)
    told: Told = []
    if position["phase"] == "place":
        place(position, orders, told)
    elif position["phase"] == "move":
        move(position, orders, told)
    if not position["ended"]:
        go_on(position, dice, told)
    if position["ended"]:
        position["pending"], position["movers"] = [], []  # section 8: nobody is active
        told.append((None, "Game over"))
    return position, told


def copied(position: Position) -> Position:
    return {
        key: dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value
        for key, value in position.items()
    }


def active(position: Position) -> list[int]:
    """The seats to move: one seat until the end, then none (section 8, I13)."""
    if position["ended"] or position["phase"] == "roll":
        return []
    return [position["pending"][0][0] if position["phase"] == "place" else position["movers"][0]]


def title(position: Position) -> str:
    """Section 7: the name of the turn."""
    seat = active(position)[0]
    who = ("Red", "Blue")[seat]
    if position["phase"] == "move":
        return f"Round {position['round']}: {who} moves {position['m']} (rolled {position['rolls'][seat]})"
    why = f"double {position['double']}" if position["double"] else "rolled 1"
    return f"Round {position['round']}: {who} places ({why})"


# Between the turns: dice, and phases in which nobody can act.


def go_on(position: Position, dice: Dice, told: Told) -> None:
    """Go on to the next turn of somebody, or to the end of the game."""
    while not position["ended"]:
        if position["pending"]:
            seat, _ = position["pending"][0]
            if free_edge(position, seat):
                position["phase"] = "place"
                return
            told.append((None, "Placement lost"))  # R36: without a turn, and it does not count
            position["pending"].pop(0)
        elif position["movers"]:
            seat = position["movers"][0]
            budget = position["rolls"][seat]
            m = spend(position, seat, budget)
            if m < budget:
                told.append((None, "Movement lapsed"))  # R38
            if m:
                position["phase"], position["m"], position["lapsed"] = "move", m, budget - m
                return
            position["movers"].pop(0)
            end_of_round_if_all_moved(position)
        else:
            roll(position, dice, told)


def roll(position: Position, dice: Dice, told: Told) -> None:
    """R13: Red's die, then Blue's."""
    red, blue = dice.roll(), dice.roll()
    told.append((None, "Dice", red, blue))
    if red == blue:
        if position["doubles"] + 1 == MOST_DOUBLES:  # section 5: a broken generator
            position["double"], position["rolls"] = 0, [1, 1]
            position["movers"] = [position["first"], 1 - position["first"]]
            return
        position["doubles"] += 1
        position["double"] = red
        order = [position["first"], 1 - position["first"]]  # R30
        limit = position["options"]["double_limit"]
        for seat in order:
            if position["doubled"][seat] < limit:  # R31: by player, cubes really placed
                position["pending"].append((seat, 2))
        if red == 1 and not position["combined"]:  # R34, R35: once a round, in two passes, whatever the limit
            position["combined"] = True
            position["pending"] += [(seat, 3) for seat in order]
        return
    position["double"] = 0
    position["rolls"] = [red, blue]  # R30: the value of a double is never used for movement
    position["movers"] = [0, 1] if red < blue else [1, 0]  # R19
    if 1 in (red, blue):
        position["pending"] = [((red, blue).index(1), 3)]  # R32: before any movement


def end_of_round_if_all_moved(position: Position) -> None:
    """Section 5, 5."""
    if position["movers"]:
        return
    rolls = position["rolls"]
    if rolls[0] != rolls[1]:
        position["first"] = 0 if rolls[0] < rolls[1] else 1
    position["doubled"], position["combined"], position["doubles"] = [0, 0], False, 0
    if position["round"] >= position["options"]["max_rounds"]:  # R42: so many rounds are complete
        by_count(position, "rounds")
        return
    position["round"] += 1


def by_count(position: Position, why: str) -> None:
    """R11, R12, R42: more cubes win; as many are a draw."""
    red, blue = count(position, 0), count(position, 1)
    position["ended"] = why
    position["winner"] = None if red == blue else int(blue > red)


# Cubes.


def count(position: Position, seat: int) -> int:
    return sum(cube[1] == seat for cube in position["cubes"].values())


def free_edge(position: Position, seat: int) -> list[Tile]:
    """R33: the empty tiles of the seat's edge, from file a."""
    return [(x, EDGE[seat]) for x in range(SIZE) if (x, EDGE[seat]) not in position["cubes"]]


def add(position: Position, seat: int, tile: Tile) -> None:
    """A cube comes to the board, named by colour and number."""
    position["made"][seat] += 1
    position["cubes"][tile] = (position["next_id"], seat, position["made"][seat], 0)
    position["next_id"] += 1


def test_win(position: Position, seat: int) -> None:
    """R9, R10: at that instant."""
    if count(position, seat) >= position["options"]["cubes_total"]:
        position["ended"], position["winner"] = "swarm", seat
    elif count(position, 1 - seat) <= 1:
        position["ended"], position["winner"] = "reduced", seat


def captures(position: Position, seat: int, tile: Tile) -> list[Tile]:
    """R22 to R27, R39 to R41: the captures of a cube that has just arrived; returns where they were made."""
    cubes = position["cubes"]
    made = []
    triggers = [tile]
    while triggers:
        x, y = trigger = triggers.pop(0)  # R40: first in, first out
        for dx, dy in CROSS:
            between, beyond = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if between not in cubes or beyond not in cubes:
                continue
            if cubes[between][1] == seat or cubes[beyond][1] != seat:
                continue
            add(position, seat, between)  # R25: a new cube; the old one goes back to its owner's supply
            position["captures"][seat] += 1
            number, owner, name, caught = cubes[trigger]
            cubes[trigger] = (number, owner, name, caught + 1)
            made.append(between)
            test_win(position, seat)
            if position["ended"]:
                return made  # R41: the remaining pairs stay
            if position["options"]["chain_swarm"]:
                triggers.append(between)  # R27
    return made


# Placing.


def place(position: Position, orders: list[Order], told: Told) -> None:
    """Section 5, 2."""
    seat, method = position["pending"].pop(0)
    free = free_edge(position, seat)
    wanted = [order[2][0][1] for order in orders[:1] if order[2][0][1] in free]
    tile = wanted[0] if wanted else free[0]  # R43
    if orders and not wanted:
        told.append((seat, "Order Invalid"))
    if not wanted:
        told.append((seat, "Default used"))
    add(position, seat, tile)
    if method == 2:
        position["doubled"][seat] += 1
    test_win(position, seat)  # R9: by placement
    made = [] if position["ended"] else captures(position, seat, tile)  # R37
    told.append((None, "Placement", tile, made))
    if not position["ended"] and len(position["cubes"]) == SIZE * SIZE:
        by_count(position, "full")  # R11


# Moving.


def begun(position: Position) -> Position:
    """The beginning of a movement phase: R16, where each cube starts, and which have made a step."""
    phase = copied(position)
    phase["start"] = {cube[0]: tile for tile, cube in position["cubes"].items()}
    phase["moved"] = []
    return phase


def step(phase: Position, seat: int, tile: Tile, to: Tile) -> tuple[Position, list[Tile]]:
    """One step with its captures (R7, R8, R39): the position after it, and where cubes were captured."""
    after = copied(phase)
    cube = after["cubes"].pop(tile)
    after["cubes"][to] = cube
    if cube[0] not in after["moved"]:
        after["moved"].append(cube[0])
    made = captures(after, seat, to)
    for each in made:
        after["start"][after["cubes"][each][0]] = each  # R16: for a converted cube where it was created
    return after, made


def steps(phase: Position, seat: int) -> list[tuple[Tile, Tile]]:
    """All steps, by the id of the cube and then by direction from north clockwise."""
    directions = ALL_EIGHT if phase["options"]["diagonal_moves"] else CROSS
    found = []
    for _, tile in sorted((cube[0], tile) for tile, cube in phase["cubes"].items() if cube[1] == seat):
        for dx, dy in directions:
            to = (tile[0] + dx, tile[1] + dy)
            if 0 <= to[0] < SIZE and 0 <= to[1] < SIZE and to not in phase["cubes"]:
                found.append((tile, to))
    return found


def ends_legally(phase: Position) -> bool:
    """R16: no cube that made a step is on its start tile."""
    return not any(
        cube[0] in phase["moved"] and phase["start"][cube[0]] == tile for tile, cube in phase["cubes"].items()
    )


def completion(phase: Position, seat: int, left: int, hopeless: set[Any] | None = None) -> list[Any] | None:
    """Return the first way to make exactly ``left`` steps and end legally, or to win earlier (R15, R16).

    "First" is in the order of ``steps``. The result is None if there is no way. ``hopeless`` remembers positions
    without one.
    """
    if phase["ended"]:
        return []
    if not left:
        return [] if ends_legally(phase) else None
    hopeless = set() if hopeless is None else hopeless
    moved = {cube for cube in phase["moved"] if cube in {one[0] for one in phase["cubes"].values()}}
    key = (
        left,
        frozenset(
            (tile, cube[1], phase["start"][cube[0]] if cube[0] in moved else None)
            for tile, cube in phase["cubes"].items()
        ),
    )
    if key in hopeless:
        return None
    for tile, to in steps(phase, seat):
        rest = completion(step(phase, seat, tile, to)[0], seat, left - 1, hopeless)
        if rest is not None:
            return [(tile, to), *rest]
    hopeless.add(key)
    return None


def spend(position: Position, seat: int, budget: int) -> int:
    """R15, R38: the largest number of steps up to ``budget`` that can be made."""
    for m in range(budget, 0, -1):
        if completion(begun(position), seat, m) is not None:
            return m
    return 0


def origin(phase: Position, seat: int, named: Any) -> Tile | None:
    """The tile of the cube that an order names, by its id or by where it stands at that moment (section 4)."""
    what, which = named
    if what == "tile":
        return which if which in phase["cubes"] and phase["cubes"][which][1] == seat else None
    return next((tile for tile, cube in phase["cubes"].items() if cube[:2] == (which, seat)), None)


def move(position: Position, orders: list[Order], told: Told) -> None:
    """Section 5, "Processing a Move turn"."""
    seat, m = position["movers"].pop(0), position["m"]
    phase = begun(position)
    kept = 0
    after = phase
    made_by_then: list[Any] = []
    for number, (_, _, (named, (_, to))) in enumerate(orders[:m], 1):
        tile = origin(after, seat, named)
        if after["ended"] or tile is None or (tile, to) not in steps(after, seat):
            break
        after, made = step(after, seat, tile, to)
        made_by_then.append((tile, to, made))
        if completion(after, seat, m - number) is not None:
            kept = number
            if after["ended"]:
                break
    while len(made_by_then) > kept:
        made_by_then.pop()
    for tile, to, _ in made_by_then:
        phase, _ = step(phase, seat, tile, to)
    if not phase["ended"]:  # what comes after a win is discarded
        told += [(seat, "Order Invalid")] * (len(orders) - kept)
        rest = completion(phase, seat, m - kept)
        assert rest is not None, "I17: the default completion is always legal"
        if rest:
            told.append((seat, "Default used"))
        for tile, to in rest:
            phase, made = step(phase, seat, tile, to)
            made_by_then.append((tile, to, made))
    del phase["start"], phase["moved"]
    position.update(phase)
    told.append((None, "Moved", made_by_then))
    position["m"] = position["lapsed"] = 0
    if not position["ended"]:
        end_of_round_if_all_moved(position)


# What may be ordered (section 4).


def verdict(position: Position, seat: int, queue: list[Order], order: Order) -> str:
    """Return the refusal of an order at the end of ``queue``; "" if it is accepted.

    It is the class of the refusal, or its text where the page has one.
    """
    on, kind, arguments = order
    wanted = [("tile",)] if kind == "Place Cube" else [("cube", "tile"), ("tile",)]
    for (what, _), allowed in zip(arguments, wanted, strict=True):
        if what not in (*allowed, "nothing"):
            return "BadOrder"
    if on == "other":
        return "NotHere"
    if on in NAMES and on != NAMES[seat]:
        return "NotYours"
    if on == "nothing" or any(what == "nothing" for what, _ in arguments):
        return "NoSuchThing"
    what, which = arguments[0]
    if what == "cube" and all(cube[:2] != (which, seat) for cube in position["cubes"].values()):
        return "NotYours"
    if position["ended"]:
        return "GameOver"
    if active(position) != [seat] or (kind == "Place Cube") != (position["phase"] == "place"):
        return "WrongPhase"
    if kind == "Place Cube":
        return place_verdict(position, seat, queue, which)
    return move_verdict(position, seat, [*queue, order])


def place_verdict(position: Position, seat: int, queue: list[Order], tile: Tile) -> str:
    if queue:
        return "Illegal: already placing"
    if tile[1] != EDGE[seat]:
        return "Illegal: not your edge"
    return "Illegal: occupied" if tile in position["cubes"] else ""


def move_verdict(position: Position, seat: int, orders: list[Order]) -> str:
    """Simulate a queue; its last order is the one in question."""
    m = position["m"]
    if len(orders) > m:
        return "Illegal: all movement already used"
    phase = begun(position)
    for number, (_, _, (named, (_, to))) in enumerate(orders, 1):
        is_last = number == len(orders)
        tile = origin(phase, seat, named)
        if phase["ended"] or tile is None:
            return "Illegal"
        if max(abs(to[0] - tile[0]), abs(to[1] - tile[1])) != 1:
            return "Illegal: not adjacent" if is_last else "Illegal"
        if not phase["options"]["diagonal_moves"] and to[0] != tile[0] and to[1] != tile[1]:
            return "Illegal: not adjacent" if is_last else "Illegal"
        if to in phase["cubes"]:
            return "Illegal: occupied" if is_last else "Illegal"
        phase, _ = step(phase, seat, tile, to)
    if completion(phase, seat, m - len(orders)) is None:
        return "Illegal: would end on its start tile" if len(orders) == m else "Illegal: no legal completion"
    return ""
