"""Comparison of Antshouse with the second statement of its rules.

It plays random games and positions made for rare situations. After every closing `compare` compares the whole position,
chance, awaited players, reports and final places. In a sample of positions it also compares the views of objects and
the refused orders with their codes.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

from tests.rulesets.antshouse import statement as stated
from tests.rulesets.difference import smallest
from tests.rulesets.rules_compared import SEED, Difference, closed, same
from tprules.antshouse import RULESET
from tprules.api import Order, Refusal, canonical, parse_options
from tprules.api.advance import Advanced, opening
from tprules.api.order_checks import State, apply, insertion
from tprules.api.ruleset import find_phase
from tprules.testing import view

FIRST_SQUARE, FIRST_HOME = 2, 130
TOLD = ("Reveal", "Clash", "Weapon", "Ant burnt", "Turned around", "Game over")
"""Subjects of reports to all players (RULES.md, section 7)."""
ASKED = ("Choose a push", "Choose where the water takes it", "Enter a new ant", "Order failed")
"""Subjects of reports to one player."""
LONGEST_GAME = 6
"""Turns from a position that was made until another one is."""

Square = stated.Square
Position = stated.Position


# Between the game's numbers and the statement's squares.


def number(square: Square) -> int:
    return square[0] + 8 * square[1]


def square_of(number: int) -> Square:
    return number % 8, number // 8


def kid(seat: int) -> int:
    return FIRST_HOME + 3 * seat + 1


def ant(seat: int) -> int:
    return FIRST_HOME + 3 * seat + 2


def read(state: State[Any]) -> Position:
    """Return the statement's position for a state of the game; every field of the stored world is used."""
    data = json.loads(canonical(RULESET.dump(state.world)))
    layout, goal, contest, guard, max_rounds = data.pop("settings")
    players = data.pop("players")
    found = {
        "layout": layout,
        "goal": goal,
        "contest": contest,
        "guard": guard,
        "max_rounds": max_rounds,
        "seats": len(players),
        "phase": "over" if state.over else state.phase,
        "round": data.pop("round"),
        "ant": [None if player[0] < 0 else square_of(player[0]) for player in players],
        "turned": [player[1] for player in players],
        "pad": [{1: player[2][1], 2: player[2][2], 3: player[2][3]} for player in players],
        "used": [{1: player[3][1], 2: player[3][2], 3: player[3][3]} for player in players],
        "deaths": [player[4] for player in players],
        "cones": {square_of(place): seat for place, seat in data.pop("cones")},
        "gestures": data.pop("gestures"),
        "losers": [(winner, loser) for winner, loser in data.pop("pushes")],
        "throws": [(seat, weapon, square_of(place)) for seat, weapon, place in data.pop("throws")],
        "flush": None if data["flush"] is None else tuple(data["flush"]),
        "hits now": sorted({square_of(place) for place in data.pop("resolved")}),
        "hits": sorted({square_of(place) for place in data.pop("hits")}),
        "winners": data.pop("winners"),
        "why": data.pop("ended"),
    }
    assert list(data) == ["flush"], f"the stored world has more: {list(data)}"
    return found


def world_of(position: Position) -> Any:
    """Return the game's world for a position at the beginning of a phase PLAN, RESPAWN or SETUP."""
    players = [
        [
            -1 if position["ant"][seat] is None else number(position["ant"][seat]),
            position["turned"][seat],
            [0, *(position["pad"][seat][weapon] for weapon in (1, 2, 3))],
            [0, *(position["used"][seat][weapon] for weapon in (1, 2, 3))],
            position["deaths"][seat],
        ]
        for seat in range(position["seats"])
    ]
    data = {
        "settings": [position[name] for name in ("layout", "goal", "contest", "guard", "max_rounds")],
        "players": players,
        "cones": [[number(square), seat] for square, seat in position["cones"].items()],
        "round": position["round"],
        "gestures": [],
        "pushes": [],
        "throws": [],
        "flush": None,
        "resolved": [],
        "hits": [number(square) for square in position["hits"]],
        "ended": "",
        "winners": [],
    }
    return RULESET.load(data, RULESET.version)


def as_given(order: stated.Order) -> tuple[int, int, str, dict[str, Any]]:
    """Return seat, object, type and raw arguments of a statement's order for the game."""
    name, seat, *values = order
    if name == "Enter":
        return seat, kid(seat), name, {"square": FIRST_SQUARE + 2 * number(values[0])}
    if name == "Go":
        return seat, ant(seat), name, {"direction": [[values[0], 1]], "gesture": [[values[1], 1]]}
    if name == "Throw":
        return seat, kid(seat), name, {"weapon": [[values[0], 1]], "target": FIRST_SQUARE + 2 * number(values[1])}
    return seat, kid(seat), name, {"direction": [[values[0], 1]]}


def as_stated(order: Order) -> stated.Order:
    """Return the statement's order for one of the game."""
    args = order.args
    if order.type == "Enter":
        return "Enter", order.seat, square_of((args["square"] - FIRST_SQUARE) // 2)
    if order.type == "Go":
        return "Go", order.seat, args["direction"][0][0], args["gesture"][0][0]
    if order.type == "Throw":
        return "Throw", order.seat, args["weapon"][0][0], square_of((args["target"] - FIRST_SQUARE) // 2)
    return order.type, order.seat, args["direction"][0][0]


def all_orders(state: State[Any]) -> list[Order]:
    return sorted((order for queue in state.queues.values() for order in queue), key=lambda order: order.stamp)


# Comparing.


def compare_closing(before: State[Any]) -> tuple[Advanced[Any], stated.Closing]:
    """Close a phase in both; raise Difference."""
    orders = [as_stated(order) for order in all_orders(before)]
    done, draws = closed(RULESET, before)
    closing = stated.close(read(before), orders, draws)
    draws.finish()
    game = read(done.state)
    same(closing.position, game)
    awaited = [] if done.state.over else sorted(find_phase(RULESET, done.state.phase).active(done.state.world))
    same(stated.awaited(closing.position), awaited, "awaited")
    places = None if done.outcome is None else dict(done.outcome.places)
    same(stated.places(closing.position) if game["phase"] == "over" else None, places, "places")
    same({}, done.state.queues, "orders that are left")
    told = [(to, what) for to, what, *_ in closing.told]
    same(told, [(one.to, one.subject) for one in done.reports if one.subject in (*TOLD, *ASKED)], "told")
    weapons = [
        {"seat": seat, "success": success}
        for _, what, *facts in closing.told
        if what == "Weapon"
        for seat, _, _, success in [facts]
    ]
    facts = [event.facts for event in done.events if event.name == "weapon"]
    same(weapons, [{"seat": one["seat"], "success": one["success"]} for one in facts], "weapons")
    return done, closing


def compare_refusals(state: State[Any], position: Position, dice: random.Random) -> int:
    """Try all orders of the present phase, and some of others; return how many were tried."""
    tried = 0
    legal: set[tuple[Any, ...]] = set()
    for seat in range(position["seats"]):
        awaited = seat in stated.awaited(position)
        phase = position["phase"]
        every = [("Enter", seat, square) for square in stated.BOARD]
        every += [("Throw", seat, weapon, square) for weapon in range(5) for square in stated.BOARD]
        every += [("Go", seat, way, gesture) for way in range(10) for gesture in range(5)]
        every += [(name, seat, way) for name in ("Push", "Flush") for way in range(10)]
        if not awaited or phase == "over":
            every = dice.sample(every, 12)
        else:
            every = [order for order in every if phase in stated.PHASES[order[0]] or not dice.randrange(20)]
        for order in every:
            code = stated.refusal(position, order)
            on, name, args = as_given(order)[1:]
            try:
                change = insertion(RULESET, state, seat, on, name, args)
                game = LATER_DRAFT if change.order.draft else 0
            except Refusal as refusal:
                game = int(refusal.code)
            if code != game:
                raise Difference(f"{order}: code {code} by the statement, {game} in the game")
            tried += 1
            if not code:
                legal.add(order)
        listed = [as_stated(order) for order in RULESET.legal_orders(state.plan(seat))]
        for order in listed:
            if order not in legal and stated.refusal(position, order):
                raise Difference(f"{order} is listed as legal by the game, refused by the statement")
    return tried


LATER_DRAFT = 100
"""Stands for an order that the game takes as a draft."""


def compare_shown(state: State[Any], position: Position) -> None:
    """Compare what everybody sees: places, owners and resources of all objects (RULES.md, section 7)."""
    seen = view(RULESET, state.world, None)
    found: dict[Any, Any] = {}
    for look in seen.values():
        amounts = {amount.resource: amount for amount in look.resources}
        if look.kind == "universe":
            game_round, _ = look.numbers
            found["universe", 0] = game_round, stated.shown(position)["universe", 0][1]
        elif look.kind == "ground":
            where = look.at[0] // 1000, look.at[1] // 1000
            found["ground", where] = {number: amount.stored for number, amount in amounts.items()}
        elif look.kind == "kid":
            found["kid", look.owner] = {one: (amounts[one].stored, amounts[one].unavailable) for one in (1, 2, 3, 7)}
        elif look.kind == "ant":
            parent = seen[look.parent]
            on = (
                ("kid", parent.owner)
                if parent.kind == "kid"
                else ("square", (parent.at[0] // 1000, parent.at[1] // 1000))
            )
            to_go = amounts[4].stored if 4 in amounts else None
            found["ant", look.owner] = on, look.numbers[0], to_go
        elif look.kind == "cone":
            found["cone", (look.at[0] // 1000, look.at[1] // 1000)] = look.owner
            assert seen[look.parent].kind == "square"
    same(stated.shown(position), found)


# Playing.


def random_options(dice: random.Random) -> dict[str, Any]:
    return {
        "layout": dice.choice(["sides", "sides", "corners"]),
        "goal": dice.choice(["back", "back", "there"]),
        "contest": dice.choice(["gesture", "gesture", "rng"]),
        "cone_guard": dice.choice(["auto", "on", "off"]),
        "max_rounds": dice.choice([10, 11, 20, 100, 1000]),
    }


class Scene:
    """A position made for something rare, and what its players do first so that it comes up."""

    def __init__(self, position: Position, name: str) -> None:
        self.position, self.name = position, name
        self.goes: dict[int, Square] = {}
        """Seat -> the square to which its ant steps, mostly."""
        self.thrown_at: Square | None = None
        """Where players throw, mostly."""


SCENES = (
    "crowd",
    "crowd",
    "last steps",
    "last steps",
    "shut in",
    "dead",
    "dead",
    "guarded",
    "pairs",
    "meet",
    "line",
    "tight",
)


def made(dice: random.Random) -> Scene:
    """Return a random scene of one of the SCENES.

    Its ants stand in a crowd, in pairs, around a square, in a line, or in a tight corner. They may also be on their
    last steps, shut in, or dead.
    """
    name = dice.choice(SCENES)
    seats = dice.choice([3, 4] if name in ("dead", "pairs", "line") else [2, 3, 4, 4])
    position = stated.opening(**random_options(dice), seats=seats)
    scene = Scene(position, name)
    position["round"] = dice.choice([1, 3, position["max_rounds"] - 1, position["max_rounds"]])
    if name == "shut in":
        position["guard"] = position["guard"] and dice.random() < 0.2
    if name == "line":
        place_line(scene, dice)
    else:
        place_ants(scene, dice)
    for seat in range(seats):
        position["turned"][seat] = position["turned"][seat] or dice.random() < 0.2
        position["deaths"][seat] = dice.randrange(3)
    if position["goal"] == "there":
        position["turned"] = [False] * seats  # R33
    if name == "dead":
        for seat in range(seats):
            if seat != 1 and dice.random() < 0.8:
                position["ant"][seat], position["turned"][seat] = None, False
    lay_cones(scene, dice)
    for seat in range(seats):
        for weapon in (2, 3):
            position["used"][seat][weapon] = dice.choice([0, 0, 1, 3, 4])
            position["pad"][seat][weapon] = 4 - position["used"][seat][weapon]
        if name == "shut in":
            position["used"][seat] = {1: 0, 2: 4, 3: 4}
            position["pad"][seat] = {1: position["pad"][seat][1], 2: 0, 3: 0}
    position["phase"] = "respawn" if None in position["ant"] else "plan"
    return scene


def place_ants(scene: Scene, dice: random.Random) -> None:
    position, name = scene.position, scene.name
    free = list(stated.BOARD)
    corner = dice.choice([(0, 0), (7, 0), (0, 7), (7, 7)])
    if name == "shut in":
        free = [(0, 0), (7, 0), (0, 7), (7, 7), (3, 0)]
    elif name == "crowd":
        left, bottom, wide = dice.randrange(6), dice.randrange(6), dice.choice([2, 3, 4])
        free = [(x, y) for x, y in free if left <= x < left + wide and bottom <= y < bottom + wide]
    elif name == "tight":
        free = [one for one in free if stated.distance(one, corner) == 1]
        free += [one for one in stated.BOARD if stated.distance(one, corner) == 3][:1]
        scene.goes = dict.fromkeys(range(position["seats"]), corner)
    elif name == "meet":
        middle = dice.randrange(1, 7), dice.randrange(1, 7)
        free = [one for one in free if stated.distance(one, middle) == 1]
        scene.goes = dict.fromkeys(range(position["seats"]), middle)
    elif name == "last steps":
        position["turned"] = [dice.random() < 0.6 for _ in range(position["seats"])]
    for seat in range(position["seats"]):
        near = [one for one in free if one not in position["ant"]]
        if name == "last steps":
            near = [one for one in near if stated.goal_distance(position, seat, one) == 1]
        if name == "pairs" and seat % 2:  # each two can meet, so that two clashes come in one round
            other = position["ant"][seat - 1]
            near = [one for one in near if stated.distance(one, other) == 2]
        at = position["ant"][seat] = dice.choice(near)
        if name == "pairs" and seat % 2:
            between = [one for one in stated.BOARD if stated.distance(one, at) == stated.distance(one, other) == 1]
            scene.goes[seat] = scene.goes[seat - 1] = dice.choice(between)


def place_line(scene: Scene, dice: random.Random) -> None:
    """Ants that will stand in a line after one step each, and water at its end."""
    position = scene.position
    while True:
        at, way, move = dice.choice(stated.BOARD), dice.randrange(1, 9), dice.randrange(1, 9)
        scene.thrown_at = at
        line = []
        for _ in range(position["seats"]):
            at = stated.step(at, way)
            line.append(at)
        begin = [stated.step(one, move) for one in line]
        if all(stated.on_board(one) for one in line + begin):
            break
    position["ant"] = begin
    scene.goes = dict(enumerate(line))


def lay_cones(scene: Scene, dice: random.Random) -> None:
    """Lay cones, at most five of a seat: around the ants that are shut in, on homes of the dead, else anywhere."""
    position, name = scene.position, scene.name
    seats = position["seats"]
    left = [seat for seat in range(seats) for _ in range(5)]
    dice.shuffle(left)
    standing = stated.standing(position)
    most = dice.randrange(9)
    places = [one for one in stated.BOARD if one not in standing]
    dice.shuffle(places)
    if name == "shut in":
        places = [one for one in places if any(stated.distance(one, ant) == 1 for ant in standing)]
        most = len(left)
    elif name == "dead":
        dead = [seat for seat in range(seats) if position["ant"][seat] is None] or [0]
        places = stated.home(position, dice.choice(dead))[dice.randrange(3) :]  # sometimes one or two squares are left
        most = dice.choice([0, len(left)])
    elif name == "guarded":
        middle, way = dice.randrange(1, 7), dice.choice([0, 1])
        places = [one for one in places if one[way] == middle][dice.randrange(3) :]
        most = len(left)
    elif name == "crowd":
        places = [one for one in stated.BOARD if any(stated.distance(one, ant) <= 2 for ant in standing)]
        dice.shuffle(places)
    elif name == "tight":
        corner = scene.goes[0]
        places = [one for one in stated.BOARD if stated.distance(one, corner) == 1]
        most = 3
    elif name == "line":
        most = dice.choice([0, 0, 4])
    lay(position, places[:most], left)
    if name == "shut in" and dice.random() < 0.8:  # no pyramid is left: the last cones lie somewhere
        rest = [one for one in dice.sample(stated.BOARD, 64) if one not in standing and one not in position["cones"]]
        lay(position, rest[: len(left)], left)
    for seat in range(seats):
        position["pad"][seat][1] = 5 - list(position["cones"].values()).count(seat)


def lay(position: Position, places: list[Square], left: list[int]) -> None:
    for place in places:
        if left and not (position["guard"] and stated.seals(position, place)):
            position["cones"][place] = left.pop()


def choose(position: Position, seat: int, scene: Scene | None, dice: random.Random) -> list[stated.Order]:
    """Return random orders for a seat, which often suit the scene.

    They often lead towards others, towards the goal, and to squares where ants may be.
    """
    if dice.random() < 0.06:
        return []
    phase = position["phase"]
    if phase in ("setup", "respawn"):
        squares = stated.offered(position, seat)
        return [("Enter", seat, dice.choice([squares[0], squares[-1], dice.choice(squares)]))]
    if phase in ("push", "water"):
        loser = position["losers"][0][1] if phase == "push" else position["flush"][1]
        ways = stated.moves_to_free(position, loser)
        return [("Push" if phase == "push" else "Flush", seat, dice.choice(ways))]
    orders: list[stated.Order] = []
    ways = stated.steps(position, seat) or [0]
    at = position["ant"][seat]
    if ways != [0] and dice.random() < 0.8:
        others = [one for one in stated.standing(position) if one != at] or [at]
        meet, run = dice.choice(others), dice.random() < 0.5

        def worth(way: int) -> int:
            to = stated.step(at, way)
            return stated.goal_distance(position, seat, to) if run else abs(stated.distance(to, meet) - 1)

        best = min(worth(way) for way in ways)
        ways = [way for way in ways if worth(way) == best]
    if scene and seat in scene.goes and dice.random() < 0.9:
        ways = [way for way in stated.steps(position, seat) if stated.step(at, way) == scene.goes[seat]] or ways
    if dice.random() < 0.95:
        orders.append(("Go", seat, dice.choice(ways), dice.choice([0, 1, 2, 3])))
    weapons = [weapon for weapon in (1, 2, 3) if position["pad"][seat][weapon]]
    if weapons and dice.random() < 0.9:
        around = [
            (x + dx, y + dy)
            for x, y in stated.standing(position)
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            if stated.on_board((x + dx, y + dy))
        ]
        squares = around if dice.random() < 0.8 else stated.BOARD
        if dice.random() < 0.15:
            squares = [one for other in range(position["seats"]) for one in stated.far(position, other)]
        if scene and scene.thrown_at and dice.random() < 0.7:
            squares = [scene.thrown_at]
        squares = [one for one in squares if one != at and one not in position["cones"]]
        if squares:
            weapon = 2 if 2 in weapons and dice.random() < 0.3 else dice.choice(weapons)
            orders.append(("Throw", seat, weapon, dice.choice(squares)))
    dice.shuffle(orders)
    return orders


def give(state: State[Any], orders: list[stated.Order]) -> None:
    for order in orders:
        seat, on, name, args = as_given(order)
        try:
            apply(state, insertion(RULESET, state, seat, on, name, args))
        except Refusal as refusal:
            raise Difference(f"{order} is legal by the statement, refused by the game: {refusal.text}") from None


def compare(positions: int, first: int = 0, every: int = 10) -> Counter[str]:
    """Compare that many positions, from the game of this number on; return how often each situation came up.

    In one of ``every`` positions refusals and objects are compared as well.
    """
    counts: Counter[str] = Counter()
    done = 0
    game = first
    while done < positions:
        done += compare_game(game, positions - done, counts, every)
        game += 1
    counts["games"] = game - first
    return counts


def compare_game(game: int, most: int, counts: Counter[str], every: int) -> int:
    """Compare one game; return how many positions that were."""
    dice = random.Random(f"antshouse {game}")
    story: list[str] = []
    scene: Scene | None = None
    if dice.random() < 0.95:
        scene = made(dice)
        position = scene.position
        story.append(f"{scene.name}: {position}")
        state = State(world_of(position), position["phase"], turn=dice.randrange(10**6))
        turns = LONGEST_GAME
    else:
        options, seats = random_options(dice), dice.choice([2, 3, 4])
        story.append(f"{seats} seats, options {options}")
        state = opening(RULESET, parse_options(RULESET.options, options), seats, f"{game}".encode()).state
        position = stated.opening(**options, seats=seats)
        turns = 6 * LONGEST_GAME
    try:
        same(position, read(state))
        for turn in range(min(turns, most)):
            if not dice.randrange(every):
                counts["refusals tried"] += compare_refusals(state, position, dice)
                compare_shown(state, position)
            orders = [order for seat in stated.awaited(position) for order in choose(position, seat, scene, dice)]
            story.append(f"turn {turn}, {position['phase']}: {orders}")
            give(state, orders)
            done, closing = compare_closing(state)
            counts.update(closing.seen)
            state, position, scene = done.state, closing.position, None
            if state.over:
                compare_shown(state, position)
                return turn + 1
    except Difference as difference:
        raise Difference(explain(game, story, state, difference)) from None
    return min(turns, most)


def explain(game: int, story: list[str], state: State[Any], difference: Difference) -> str:
    """Return the game up to there, and the smallest position and orders that still differ."""
    lines = [f"Antshouse, game {game}: {difference}", *story]
    orders = all_orders(state)

    def at(cones: list[Any], orders: list[Order]) -> State[Any]:
        data = json.loads(canonical(RULESET.dump(state.world)))
        data["cones"] = cones
        queues: dict[int, list[Order]] = {}
        for order in orders:
            queues.setdefault(order.on, []).append(order)
        return State(RULESET.load(data, RULESET.version), state.phase, state.turn, queues, state.stamp)

    def fails(cones: list[Any], orders: list[Order]) -> bool:
        try:
            compare_closing(at(cones, orders))
        except Difference:
            return True
        except Exception:
            return False
        return False

    cones = json.loads(canonical(RULESET.dump(state.world)))["cones"]
    if fails(cones, orders):
        orders = smallest(orders, lambda fewer: fails(cones, fewer))
        cones = smallest(cones, lambda fewer: fails(fewer, orders))
        small = at(cones, orders)
        lines.append(f"made small, one turn (number {state.turn}, seed {SEED!r}): {read(small)}")
        lines.append(f"orders {[as_stated(order) for order in orders]}")
        try:
            compare_closing(small)
        except Difference as shorter:
            lines.append(f"there {shorter}")
    return "\n".join(lines)
