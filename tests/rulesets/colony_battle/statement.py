"""Second statement of the rules of Colony Battle, from RULES.md alone.

It is slow and plain, and uses no module of the game. So a mistake in one is not repeated in the other.
`test_colony_battle_comparison.py` plays both side by side. A position is a dictionary:

* `options` by name, `width`, `height`, `sites`: the squares of the two entrances and the throne, and `left`, the
  remaining digs at each site. A square is (board, x, y).
* `units`: id -> kind, owner, at, hp, kills, item (the id of the carried item, or 0), caught
* `items`: id -> kind, at (or None), carrier (or 0), hand (a seat, or None)
* `worms`: id -> segments (ids), squares, facing. The head comes first.
* `spiders`: id -> at, centre, radius, weaves, goal (or None)
* `webs`: [(centre, radius)] of the webs that spiders left behind
* `trails`: for each seat square -> age
* `brood`: for each seat the kind or None, `brood_left`: its turns
* `queens`, `homes`: for each seat the ids of its queen and of its colony
* `queues`: id -> [order]. An order is a dictionary with stamp, type, and its arguments.
* `seat` and `phase` ("main" or "place") of the present turn, `first`, `round`, `next_id`, `placed`
* `bitten`: [(spider, queen)] of this turn
* `ended`: "" or the reason, `winner`: a seat or None
* `notes`: rare events of the turn, for statistics
"""

from __future__ import annotations

from typing import Any

from tprules.api import Dice

Square = tuple[int, int, int]
Position = dict[str, Any]
Told = list[tuple[Any, ...]]
"""Reports: (seat or None for both, subject), and the cause of a loss."""

WORKER, SOLDIER, DRONE, YOUNG, QUEEN = "worker", "soldier", "drone", "young queen", "queen"
ANTLION, TERMITE = "antlion", "termite bomb"
SPAWNED = (WORKER, SOLDIER, DRONE, YOUNG)
HIT_POINTS = {WORKER: 1, SOLDIER: 3, DRONE: 1, YOUNG: 1, QUEEN: 10, ANTLION: 0, TERMITE: 1}
STEPS = {WORKER: 3, SOLDIER: 2, DRONE: 3, YOUNG: 5, QUEEN: 1, ANTLION: 0, TERMITE: 2}
FOUR = ((0, 1), (1, 0), (0, -1), (-1, 0))
EIGHT = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


def note(position: Position, what: str) -> None:
    """Tell what was rare, which no rule needs."""
    position.setdefault("notes", []).append(what)


def closing(position: Position, dice: Dice) -> Told:
    """Section 5: close the present TP turn of a position, with the orders in its queues; change it in place."""
    told: Told = []
    if position["phase"] == "place":
        place_items(position, told)
    else:
        main(position, told)
    if not position["ended"] and not (position["phase"] == "main" and asks_to_place(position)):
        hand_on(position, dice, told)
    elif not position["ended"]:
        position["phase"] = "place"
        told.append((position["seat"], "Place your item"))
    if position["ended"]:
        told.append((None, "Game over"))
        position["queues"] = {}
    return told


def opening(options: dict[str, Any], dice: Dice) -> dict[str, Any]:
    """Section 2: what is where in the beginning, without ids; squares are (board, x, y)."""
    first = dice.below(2) if options["first_player"] == "random" else int(options["first_player"])
    antlions, termites = options["item_kinds"]
    kinds = dice.shuffled([ANTLION] * antlions + [TERMITE] * termites)  # R44
    worms = []
    for board, x, y, facing, given in options["worms"]:
        length = given or options["worm_length"]
        back = -1 if facing == 1 else 1  # straight behind the head
        worms.append(([(board, x + back * step, y) for step in range(length)], facing))
    return {
        "units": [(QUEEN, seat, tuple(at), 10) for seat, at in enumerate(options["starts"])],
        "items": [(kind, tuple(at)) for kind, at in zip(kinds, options["items"], strict=True)],
        "worms": worms,
        "spiders": [(tuple(at), tuple(at), 0, True) for at in options["spiders"]],
        "left": list(options["dig_turns"]),
        "first": first,
        "seat": first,
        "round": 1,
        "phase": "main",
    }


def hand_on(position: Position, dice: Dice, told: Told) -> None:
    """The other player's MAIN is next, after the round end if this was the second player."""
    position["phase"] = "main"
    if position["seat"] != position["first"]:
        round_end(position, dice, told)
    position["bitten"] = []  # R72: once per player turn, and once per round end
    if not position["ended"]:
        position["seat"] = 1 - position["seat"]
        told.append((position["seat"], "Your turn"))


# The map (section 2).


def neighbours(position: Position, at: Square) -> list[Square]:
    """On the same board, in the order of every tie."""
    board, x, y = at
    directions = EIGHT if position["options"]["adjacency"] == 8 else FOUR
    found = []
    for dx, dy in directions:
        if 0 <= x + dx < position["width"] and 0 <= y + dy < position["height"]:
            found.append((board, x + dx, y + dy))
    return found


def shaft(position: Position, at: Square) -> list[Square]:
    """The other end of an open shaft of which ``at`` is one end."""
    for number in (0, 1):
        board, x, y = entrance = position["sites"][number]
        landing = (board + 1, x, y)
        if position["left"][number] == 0 and at in (entrance, landing):
            return [landing if at == entrance else entrance]
    return []


def beside(position: Position, at: Square) -> list[Square]:
    """R3: with the two ends of an open shaft."""
    return neighbours(position, at) + shaft(position, at)


def distance(position: Position, one: Square, other: Square) -> int:
    """Never across boards (R3)."""
    if one[0] != other[0]:
        return 10**6
    dx, dy = abs(one[1] - other[1]), abs(one[2] - other[2])
    return max(dx, dy) if position["options"]["adjacency"] == 8 else dx + dy


def is_shaft_square(position: Position, at: Square) -> bool:
    """A site or a landing."""
    landings = [(board + 1, x, y) for board, x, y in position["sites"][:2]]
    return at in position["sites"] or at in landings


def is_closed(position: Position, at: Square) -> bool:
    return at in position["sites"] and position["left"][position["sites"].index(at)] > 0


def taken(position: Position) -> dict[Square, int]:
    """Where units, segments and spiders are."""
    found = {unit["at"]: oid for oid, unit in position["units"].items()}
    for worm in position["worms"].values():
        found.update(zip(worm["squares"], worm["segments"], strict=True))
    found.update({spider["at"]: oid for oid, spider in position["spiders"].items()})
    return found


def is_free(position: Position, at: Square) -> bool:
    return at not in taken(position) and not is_closed(position, at)


def in_web(position: Position, at: Square) -> bool:
    webs = [(one["centre"], one["radius"]) for one in position["spiders"].values() if one["weaves"]]
    return any(distance(position, centre, at) <= radius for centre, radius in webs + position["webs"])


def alive(position: Position, seat: int, kind: str) -> int:
    return sum(unit["owner"] == seat and unit["kind"] == kind for unit in position["units"].values())


def has_room(position: Position, seat: int, kind: str) -> bool:
    """The caps of W, S, D and Y."""
    return kind not in SPAWNED or alive(position, seat, kind) < position["options"]["caps"][SPAWNED.index(kind)]


# Orders.


def failed(position: Position, oid: int, told: Told) -> None:
    """The order is removed and reported."""
    order = position["queues"][oid].pop(0)
    told.append((position["seat"], "Spawn failed" if order["type"] == "Spawn" else "Order failed"))


def done(position: Position, oid: int, told: Told) -> None:
    position["queues"][oid].pop(0)
    told.append((position["seat"], "Order complete"))


def acting(position: Position, *kinds: str) -> list[int]:
    """Units of the active player with such an order at the front now, by its stamp (R77)."""
    found = []
    for oid, unit in position["units"].items():
        queue = position["queues"].get(oid, [])
        if unit["owner"] == position["seat"] and unit["kind"] != QUEEN and queue and queue[0]["type"] in kinds:
            found.append((queue[0]["stamp"], oid))
    return [oid for _, oid in sorted(found)]


def spawn_track(position: Position, kind: str = "Spawn") -> list[tuple[int, dict[str, Any], int]]:
    """The orders of a type on queen and colony, by stamp: (stamp, order, where it is queued)."""
    seat = position["seat"]
    found = []
    for oid in (position["queens"][seat], position["homes"][seat]):
        found += [(one["stamp"], one, oid) for one in position["queues"].get(oid, []) if one["type"] == kind]
    return sorted(found, key=lambda one: one[0])


def moves(position: Position, oid: int) -> list[dict[str, Any]]:
    """The orders that decide the move of a unit.

    They are its queue, and of a queen the Move and NoOp orders (section 4, Reading a queue).
    """
    queue = position["queues"].get(oid, [])
    if oid in position["queens"]:
        return [order for order in queue if order["type"] in ("Move", "NoOp")]
    return list(queue)


# Deaths.


def die(position: Position, oid: int, cause: str, told: Told) -> None:
    unit = position["units"].pop(oid)
    position["queues"].pop(oid, None)
    if unit["item"]:  # R47
        item = position["items"][unit["item"]]
        item["at"], item["carrier"] = unit["at"], 0
    told.append((unit["owner"], "Unit lost", cause))


def blasts(position: Position, termites: list[tuple[int, Square]], told: Told) -> None:
    """R42: a chain, first in first out, and then the queen check (R8)."""
    waiting = sorted(termites)
    if not waiting:
        return
    options = position["options"]
    chain = 0
    while waiting:
        _, centre = waiting.pop(0)
        chain += 1
        if chain == 3:
            note(position, "chain of three blasts")
        hit = [
            oid
            for oid, unit in sorted(position["units"].items())
            if unit["kind"] != ANTLION and distance(position, centre, unit["at"]) <= options["blast_range"]
        ]
        for oid in hit:
            unit = position["units"][oid]
            unit["hp"] -= options["blast_damage"]
            if unit["kind"] == QUEEN and unit["hp"] > 0:
                told.append((unit["owner"], "Queen hit"))
        for oid in hit:
            unit = position["units"][oid]
            if unit["hp"] <= 0:
                die(position, oid, "blast", told)
                if unit["kind"] == QUEEN:
                    note(position, "a blast kills a queen")
                if unit["item"]:
                    note(position, "a blast kills a carrier")
                if unit["kind"] == TERMITE:
                    waiting.append((oid, unit["at"]))
    check_queens(position)


def check_queens(position: Position) -> None:
    """R8: both dead at one check is a draw."""
    if position["ended"]:
        return
    dead = [seat for seat in (0, 1) if position["queens"][seat] not in position["units"]]
    if len(dead) == 2:
        note(position, "both queens die")
    if dead:
        position["ended"] = "queens" if len(dead) == 2 else "queen"
        position["winner"] = None if len(dead) == 2 else 1 - dead[0]


def antlion_strikes(position: Position, oid: int, told: Told) -> None:
    """R37 to R39, for one arrival."""
    unit = position["units"][oid]
    if unit["kind"] not in SPAWNED:
        return
    near = sorted(
        (distance(position, other["at"], unit["at"]), number)
        for number, other in position["units"].items()
        if other["kind"] == ANTLION and other["owner"] != unit["owner"]
    )
    if not near or near[0][0] > position["options"]["antlion_range"]:
        return
    guard = position["units"][near[0][1]]
    if len(near) > 1 and near[0][0] == near[1][0]:
        note(position, "two antlions as near")
    die(position, oid, "antlion", told)
    guard["kills"] -= 1
    if guard["kills"] == 0:
        die(position, near[0][1], "spent", told)
        told.append((None, "Antlion spent"))


def spider_strikes(position: Position, number: int, told: Told) -> None:
    """R72 to R74: all units beside the spider, then the blasts."""
    near = neighbours(position, position["spiders"][number]["at"])
    termites, was_bitten = [], False
    for oid in sorted(position["units"]):
        unit = position["units"][oid]
        if unit["at"] not in near:
            continue
        if unit["kind"] != QUEEN:
            die(position, oid, "spider", told)
            if unit["kind"] == TERMITE:
                termites.append((oid, unit["at"]))
                note(position, "a spider kills a termite bomb")
            if unit["kind"] == ANTLION:
                note(position, "a spider kills an antlion")
        elif (number, oid) not in position["bitten"]:
            position["bitten"].append((number, oid))
            unit["hp"] -= unit["hp"] // 2
            told.append((unit["owner"], "Queen bitten"))
            if unit["hp"] == 1:
                note(position, "a bitten queen has one left")
            was_bitten = True
    if termites and was_bitten:
        note(position, "bitten before a blast")
    blasts(position, termites, told)


def arrives(position: Position, oid: int, told: Told) -> None:
    """R37, R72: somebody has come to a square."""
    antlion_strikes(position, oid, told)
    if oid not in position["units"]:
        return
    at = position["units"][oid]["at"]
    near = [number for number, spider in position["spiders"].items() if at in neighbours(position, spider["at"])]
    if len(near) > 1:
        note(position, "two spiders strike at one arrival")
    for number in sorted(near):  # R73: an arrival is one event, whatever the strike before has done
        spider_strikes(position, number, told)


# MAIN.


def main(position: Position, told: Told) -> None:
    seat = position["seat"]
    waits = [
        oid
        for oid, unit in position["units"].items()
        if unit["owner"] == seat and moves(position, oid) and moves(position, oid)[0]["type"] == "NoOp"
    ]  # R78
    is_locked = brood_lock(position, told)
    for stage in (move_stage, reaction, pick_up_stage, deliver, convert_stage, attack_stage, spawn_stage):
        if stage is move_stage:
            move_stage(position, is_locked, told)
        else:
            stage(position, told)  # type: ignore[operator]
        check_queens(position)
        if position["ended"]:
            return
    for oid in waits:
        if oid in position["units"] and position["units"][oid]["owner"] == seat:
            order = moves(position, oid)[0]
            order["turns"] -= 1
            if not order["turns"]:
                position["queues"][oid].remove(order)
                told.append((seat, "Order complete"))


def brood_lock(position: Position, told: Told) -> bool:
    """Stage 1."""
    seat = position["seat"]
    turns = dict(zip(SPAWNED, position["options"]["brood"], strict=True))
    track = spawn_track(position)
    kind = position["brood"][seat]
    if kind and all(order["kind"] != kind for _, order, _ in track):  # R34: removing the order cancels it
        note(position, "a brood is cancelled")
        position["brood"][seat], position["brood_left"][seat] = None, 0
    if position["brood"][seat] is None and track and turns[track[0][1]["kind"]]:
        _, order, oid = track[0]
        if has_room(position, seat, order["kind"]):
            position["brood"][seat], position["brood_left"][seat] = order["kind"], turns[order["kind"]]
        else:  # R12
            note(position, "no room for a brood")
            position["queues"][oid].remove(order)
            told.append((seat, "Spawn failed"))
    return position["brood_left"][seat] > 0


def move_stage(position: Position, is_locked: bool, told: Told) -> None:
    """Stage 2, R57."""
    seat = position["seat"]
    order = []
    for oid, unit in position["units"].items():
        track = moves(position, oid)
        if unit["owner"] == seat and track and track[0]["type"] == "Move" and not (unit["kind"] == QUEEN and is_locked):
            order.append((track[0]["stamp"], oid))
    moved = 0
    for _, oid in sorted(order):
        if moved == position["options"]["move_cap"] or position["ended"]:
            note(position, "others have moved already")
            return
        if oid in position["units"]:
            moved += walk(position, oid, told)


def walk(position: Position, oid: int, told: Told) -> bool:
    """The whole movement of a unit; returns whether it took a step."""
    unit = position["units"][oid]
    seat = unit["owner"]
    old_trail = set(position["trails"][seat])  # R19: that lay there before its own move
    touched = unit["at"] in old_trail and unit["kind"] != TERMITE
    used = 0
    stopped = False
    while True:
        track = moves(position, oid)
        if not track or track[0]["type"] != "Move":
            return used > 0
        goal = track[0]["to"]
        if unit["at"] == goal:
            position["queues"][oid].remove(track[0])
            told.append((seat, "Order complete"))
            continue
        if stopped or used >= STEPS[unit["kind"]] + touched:
            return used > 0
        path = way(position, oid, goal)
        if path is None:
            position["queues"][oid].remove(track[0])
            told.append((seat, "Order failed"))
            continue
        for at in path:
            if stopped or used >= STEPS[unit["kind"]] + touched:
                return True
            if unit["kind"] == DRONE:
                position["trails"][seat][unit["at"]] = 0
            used += 1
            if at[0] != unit["at"][0]:
                note(position, "a step through a shaft")
            if used > STEPS[unit["kind"]]:
                note(position, "a step more by a trail")
            unit["at"] = at
            touched = touched or (at in old_trail and unit["kind"] != TERMITE)
            arrives(position, oid, told)
            if oid not in position["units"] or position["ended"]:
                return True
            if unit["kind"] == QUEEN and at == position["sites"][2]:  # R53
                position["ended"], position["winner"] = "throne", seat
                note(position, "the throne is entered")
                stopped = True
                continue
            was_caught, unit["caught"] = unit["caught"], in_web(position, at)  # R70
            if unit["caught"]:
                if not was_caught:
                    told.append((seat, "Caught in a web"))
                else:
                    note(position, "a caught unit steps to another square of web")
                stopped = True


def way(position: Position, oid: int, goal: Square) -> list[Square] | None:
    """Section 4, Path: fewest steps, hazards, most own trail, first directions."""
    unit = position["units"][oid]
    full = taken(position)
    closed = [site for site in position["sites"] if is_closed(position, site)]
    if goal in full or goal in closed:
        if goal == position["sites"][2] and unit["kind"] == QUEEN:
            note(position, "the throne is occupied or closed")
        return None
    guards = [
        other["at"]
        for other in position["units"].values()
        if other["kind"] == ANTLION and other["owner"] != unit["owner"]
    ]
    trail = position["trails"][unit["owner"]]
    options = position["options"]
    best: dict[Square, tuple[int, int, list[int], list[Square]]] = {unit["at"]: (0, 0, [], [])}
    seen = {unit["at"]}
    while best and goal not in best:
        further: dict[Square, tuple[int, int, list[int], list[Square]]] = {}
        for at, (hazards, untrailed, directions, squares) in best.items():
            near = neighbours(position, at)
            numbered = [(EIGHT.index((one[1] - at[1], one[2] - at[2])), one) for one in near]
            for direction, one in numbered + [(9, other) for other in shaft(position, at)]:
                if one in seen or one in full or one in closed:
                    continue
                is_hazard = in_web(position, one) or any(
                    distance(position, guard, one) <= options["antlion_range"] for guard in guards
                )
                through = (
                    hazards + is_hazard,
                    untrailed + (one not in trail),
                    [*directions, direction],
                    [*squares, one],
                )
                if one not in further or through[:3] < further[one][:3]:
                    further[one] = through
        seen.update(further)
        best = further
    return best[goal][3] if best else None


def reaction(position: Position, told: Told) -> None:
    """Stage 3, R71."""
    for number in sorted(position["spiders"]):
        spider = position["spiders"][number]
        left = position["options"]["spider_speed"]
        while left and spider["weaves"] and not position["ended"]:
            prey = {}
            for oid, unit in position["units"].items():
                on_web = distance(position, spider["centre"], unit["at"]) <= spider["radius"]
                if (number, oid) in position["bitten"]:
                    continue  # a queen that it has bitten in this turn lures it no more
                if unit["caught"] and on_web and unit["at"] not in neighbours(position, spider["at"]):
                    prey[oid] = unit["at"]
            path = way_to_prey(position, spider["at"], prey)
            if path is None:
                break
            if len(path) > left:
                note(position, "a spider does not get to its prey")
            if left < position["options"]["spider_speed"]:
                note(position, "a spider runs to a second one")
            path = path[:left]
            left -= len(path)
            spider["at"] = path[-1]
            spider_strikes(position, number, told)


def spider_paths(position: Position, start: Square) -> dict[Square, list[Square]]:
    """Breadth-first, N, E, S, W: a shortest path to each square that a spider can reach."""
    full = taken(position)
    paths: dict[Square, list[Square]] = {start: []}
    waiting = [start]
    while waiting:
        at = waiting.pop(0)
        for near in neighbours(position, at):
            if near not in paths and near not in full and not is_shaft_square(position, near):
                paths[near] = [*paths[at], near]
                waiting.append(near)
    return paths


def way_to_prey(position: Position, start: Square, prey: dict[int, Square]) -> list[Square] | None:
    """The shortest free path next to a caught unit; of equally near units to the one with the lowest id."""
    best = None
    if not prey:
        return None
    for order, (at, path) in enumerate(spider_paths(position, start).items()):
        for oid, where in prey.items():
            if where in neighbours(position, at) and (best is None or (len(path), oid, order) < best[:3]):
                best = (len(path), oid, order, path)
    return None if best is None else best[3]


def pick_up_stage(position: Position, told: Told) -> None:
    """Stage 4, R45, R47."""
    for oid in acting(position, "PickUp", "Drop"):
        unit, order = position["units"][oid], position["queues"][oid][0]
        if order["type"] == "Drop":
            if not unit["item"]:
                failed(position, oid, told)
                continue
            item = position["items"][unit["item"]]
            item["at"], item["carrier"], unit["item"] = unit["at"], 0, 0
            done(position, oid, told)
            continue
        item = position["items"].get(order["item"])
        where = item["at"] if item else None
        in_the_way = taken(position).get(where) if where else None
        if (
            unit["item"]
            or where is None
            or where not in [unit["at"], *beside(position, unit["at"])]
            or (in_the_way is not None and in_the_way not in position["units"])
        ):
            if in_the_way is not None and in_the_way not in position["units"] and not unit["item"]:
                note(position, "an item under a worm or spider")
            failed(position, oid, told)
            continue
        item["at"], item["carrier"], unit["item"] = None, oid, order["item"]
        told.append((unit["owner"], "Item picked up"))
        position["queues"][oid].pop(0)


def deliver(position: Position, told: Told) -> None:
    """Stage 5."""
    seat = position["seat"]
    queen = position["units"][position["queens"][seat]]
    for oid in sorted(position["units"]):
        unit = position["units"][oid]
        if unit["owner"] == seat and unit["item"] and unit["at"] in beside(position, queen["at"]):
            item = position["items"][unit["item"]]
            item["carrier"], item["hand"], unit["item"] = 0, seat, 0
            if unit["at"][0] != queen["at"][0]:
                note(position, "delivered through a shaft")
            told.append((None, "Item activated"))


def convert_stage(position: Position, told: Told) -> None:
    """Stage 6, R25 to R29."""
    seat = position["seat"]
    for oid in acting(position, "Convert"):
        young = position["units"][oid]
        number = position["queues"][oid][0]["target"]
        target = position["units"].get(number)
        if (
            target is None
            or target["owner"] == seat
            or target["kind"] == QUEEN
            or target["at"] not in beside(position, young["at"])
            or not (target["kind"] == YOUNG or has_room(position, seat, target["kind"]))
        ):
            if target and target["owner"] != seat and target["at"] in beside(position, young["at"]):
                note(position, "a conversion beyond the cap")
            failed(position, oid, told)
            continue
        if target["kind"] in (ANTLION, TERMITE, YOUNG):
            note(position, f"conversion of {target['kind']}")
        if target["item"]:
            note(position, "conversion of a carrier")
        if target["at"][0] != young["at"][0]:
            note(position, "conversion through a shaft")
        del position["units"][oid]
        del position["queues"][oid]
        position["queues"].pop(number, None)
        target["owner"] = seat
        told.append((None, "Unit converted"))


def attack_stage(position: Position, told: Told) -> None:
    """Stage 7, R54 to R56, R62 to R64."""
    seat = position["seat"]
    for oid in acting(position, "Attack"):
        if oid not in position["units"]:
            continue
        unit = position["units"][oid]
        number = position["queues"][oid][0]["target"]
        target = position["units"].get(number)
        worm = next((worm for worm, one in position["worms"].items() if number in one["segments"]), None)
        near = beside(position, unit["at"])
        if worm is not None:
            one = position["worms"][worm]
            at = one["squares"][one["segments"].index(number)]
            if at not in near:
                failed(position, oid, told)
                continue
            eat(position, worm, number, told)
            done(position, oid, told)
            continue
        if target is None or target["owner"] == seat or target["kind"] == ANTLION or target["at"] not in near:
            failed(position, oid, told)
            continue
        done(position, oid, told)
        if target["at"][0] != unit["at"][0]:
            note(position, "attack through a shaft")
        if unit["kind"] == TERMITE == target["kind"]:
            note(position, "two termite bombs fight")
        target["hp"] -= 1
        if target["kind"] == QUEEN:
            told.append((target["owner"], "Queen hit"))
            if target["hp"] <= 0:
                note(position, "an attack kills a queen")
        else:
            unit["hp"] -= 1
        termites = []
        for each, one in ((oid, unit), (number, target)):
            if one["hp"] <= 0:
                die(position, each, "battle", told)
                if one["kind"] == TERMITE:
                    termites.append((each, one["at"]))
        blasts(position, termites, told)
        if position["ended"]:
            return


def eat(position: Position, number: int, segment: int, told: Told) -> None:
    """R62 to R64."""
    worm = position["worms"][number]
    cut = worm["segments"].index(segment)
    front = (worm["segments"][:cut], worm["squares"][:cut])
    rear = (worm["segments"][cut + 1 :][::-1], worm["squares"][cut + 1 :][::-1])
    if front[0] and rear[0]:
        facing = turned(rear[1], 1 - worm["facing"])
        new = position["next_id"]
        position["next_id"] += 1
        position["worms"][new] = {"segments": rear[0], "squares": rear[1], "facing": facing}
        worm["segments"], worm["squares"] = front
        told.append((None, "Worm split"))
        if rear[1][0][2] != rear[1][min(1, len(rear[1]) - 1)][2]:
            note(position, "a bent worm is split")
    elif front[0]:
        worm["segments"], worm["squares"] = front
    elif rear[0]:  # the head is eaten: shortened only
        worm["segments"], worm["squares"] = worm["segments"][1:], worm["squares"][1:]
        note(position, "a head is eaten")
    else:
        note(position, "the last segment is eaten")
        del position["worms"][number]


def turned(squares: list[Square], otherwise: int) -> int:
    """R64, R75: facing (0 left, 1 right) from the second segment to the head, if they share a row."""
    if len(squares) > 1 and squares[0][2] == squares[1][2]:
        return int(squares[0][1] > squares[1][1])
    return otherwise


def spawn_stage(position: Position, told: Told) -> None:
    """Stage 8, R34."""
    seat = position["seat"]
    track = spawn_track(position)
    brood = position["brood"][seat]
    if brood is not None:
        if position["brood_left"][seat]:
            position["brood_left"][seat] -= 1
        if position["brood_left"][seat]:
            return
        _, order, oid = next(one for one in track if one[1]["kind"] == brood)
        where = spawn_square(position, order["where"])
        if where is None or not has_room(position, seat, brood):
            note(position, "a brood waits for a square" if where is None else "a brood waits for room")
            return  # it waits
        position["brood"][seat] = None
    else:
        if not track or position["options"]["brood"][SPAWNED.index(track[0][1]["kind"])]:
            return
        _, order, oid = track[0]
        where = spawn_square(position, order["where"])
        if where is None or not has_room(position, seat, order["kind"]):
            position["queues"][oid].remove(order)
            told.append((seat, "Spawn failed"))
            return
    position["queues"][oid].remove(order)
    told.append((seat, "Unit spawned"))
    new_unit(position, order["kind"], where, told)


def spawn_square(position: Position, wanted: Square | None) -> Square | None:
    """The chosen square if free and adjacent, else the first free neighbour."""
    near = beside(position, position["units"][position["queens"][position["seat"]]]["at"])
    free = [at for at in near if is_free(position, at)]
    return wanted if wanted in free else next(iter(free), None)


def new_unit(position: Position, kind: str, at: Square, told: Told) -> None:
    """A unit comes to a square: R37 and R72, but not R70."""
    oid = position["next_id"]
    position["next_id"] += 1
    kills = position["options"]["antlion_kills"] if kind == ANTLION else 0
    position["units"][oid] = {
        "kind": kind,
        "owner": position["seat"],
        "at": at,
        "hp": HIT_POINTS[kind],
        "kills": kills,
        "item": 0,
        "caught": False,
    }
    arrives(position, oid, told)


# PLACE.


def squares_for(position: Position, kind: str) -> list[Square]:
    """R36, R43: where an item may be placed, but for the choice of which."""
    seat = position["seat"]
    if kind == TERMITE:
        queens = [position["queens"][seat]]
        if position["options"]["termite_any_queen"]:
            queens.append(position["queens"][1 - seat])
        near = [at for queen in queens for at in beside(position, position["units"][queen]["at"])]
        return [at for at in near if is_free(position, at)]
    full = taken(position)
    return [
        (board, x, y)
        for board in range(3)
        for y in range(position["height"])
        for x in range(position["width"])
        if (board, x, y) not in full and not is_shaft_square(position, (board, x, y))
    ]


def hand(position: Position) -> list[int]:
    return sorted(oid for oid, item in position["items"].items() if item["hand"] == position["seat"])


def asks_to_place(position: Position) -> bool:
    """PLACE only comes if an item can be placed."""
    return any(squares_for(position, position["items"][oid]["kind"]) for oid in hand(position))


def place_items(position: Position, told: Told) -> None:
    """The orders by stamp; then the defaults."""
    for _, order, oid in spawn_track(position, "PlaceItem"):
        position["queues"][oid].remove(order)
        if order["item"] not in hand(position):
            told.append((position["seat"], "Order failed"))
            continue
        if order["where"] not in squares_for(position, position["items"][order["item"]]["kind"]):
            told.append((position["seat"], "Order failed"))
            continue
        told.append((position["seat"], "Order complete"))
        if order["where"] not in beside(position, position["units"][position["queens"][position["seat"]]]["at"]):
            note(position, f"{position['items'][order['item']]['kind']} placed far away")
        put(position, order["item"], order["where"], told)
        if position["ended"]:
            return
    for number in hand(position):
        note(position, f"{position['items'][number]['kind']} by default")
        queen = position["units"][position["queens"][position["seat"]]]
        if position["items"][number]["kind"] == TERMITE:
            near = beside(position, queen["at"])
        else:
            near = [at for at in neighbours(position, queen["at"]) if not is_shaft_square(position, at)]
        free = [at for at in near if is_free(position, at)]
        if free:
            put(position, number, free[0], told)
            if position["ended"]:
                return
        else:
            note(position, "an item stays in the hand")


def put(position: Position, number: int, at: Square, told: Told) -> None:
    kind = position["items"].pop(number)["kind"]
    position["placed"] += 1
    new_unit(position, kind, at, told)


# The round end.


def round_end(position: Position, dice: Dice, told: Told) -> None:
    position["bitten"] = []
    for number, site in enumerate(position["sites"]):  # R49 to R51
        near = neighbours(position, site)
        workers = [unit for unit in position["units"].values() if unit["kind"] == WORKER and unit["at"] in near]
        if position["left"][number] and workers:
            position["left"][number] -= 1
            if not position["left"][number]:
                told.append((None, "Excavation opened"))
    for number in sorted(position["worms"]):
        crawl(position, number, told)
        if position["ended"]:
            return
    for number in sorted(position["spiders"]):
        weave(position, number, dice)
        spider_strikes(position, number, told)
        if position["ended"]:
            return
    check_queens(position)
    if position["ended"]:
        return
    life = position["options"]["trail_life"]
    if life:
        for seat in (0, 1):
            aged = {at: age + 1 for at, age in position["trails"][seat].items()}
            position["trails"][seat] = {at: age for at, age in aged.items() if age < life}
    if position["round"] >= position["options"]["max_rounds"]:
        position["ended"], position["winner"] = "rounds", None
        note(position, "the last round")
        return
    position["round"] += 1


def crawl(position: Position, number: int, told: Told) -> None:
    """R60, R61, R65, R66, R75, R76."""
    worm = position["worms"][number]
    board, x, y = worm["squares"][0]
    is_right = worm["facing"] == 1
    ways = [((x + 1, y) if is_right else (x - 1, y), worm["facing"])]
    for dy in (1, -1) if is_right else (-1, 1):
        ways.append(((x, y + dy), 1 - worm["facing"]))
    full = taken(position)
    for (to_x, to_y), facing in ways:
        to = (board, to_x, to_y)
        if not (0 <= to_x < position["width"] and 0 <= to_y < position["height"]):
            continue
        if to in full and full[to] not in position["units"]:
            continue
        crushed = full.get(to)
        if facing != worm["facing"]:
            note(position, "a worm turns" if to[2] - y == (1 if is_right else -1) else "a worm turns the other way")
        worm["squares"], worm["facing"] = [to, *worm["squares"][:-1]], facing
        if crushed is not None:
            kind = position["units"][crushed]["kind"]
            note(position, f"a worm crushes: {kind}")
            die(position, crushed, "worm", told)
            blasts(position, [(crushed, to)] if kind == TERMITE else [], told)
        return
    note(position, "a worm is stuck")
    worm["segments"].reverse()
    worm["squares"].reverse()
    worm["facing"] = turned(worm["squares"], 1 - worm["facing"])


def weave(position: Position, number: int, dice: Dice) -> None:
    """R68, R69."""
    spider, options = position["spiders"][number], position["options"]
    if spider["weaves"]:
        if spider["radius"] < options["web_max"]:
            spider["radius"] += 1
            return
        held = [
            unit
            for unit in position["units"].values()
            if distance(position, spider["centre"], unit["at"]) <= spider["radius"]
        ]
        if options["web_persists"]:
            position["webs"].append((spider["centre"], spider["radius"]))
        spider["weaves"], spider["radius"], spider["goal"] = False, 0, None
        for unit in held:
            if unit["caught"]:
                note(position, "a web with a caught unit is given up")
            unit["caught"] = unit["caught"] and in_web(position, unit["at"])
    paths = spider_paths(position, spider["at"])
    if spider["goal"] not in paths:
        if spider["goal"]:
            note(position, "a spider's way is blocked")
        far = [at for at in paths if distance(position, spider["centre"], at) >= options["spider_relocate"]]
        far = [at for at in far if at != spider["at"]]  # a free square: not its own
        spider["goal"] = dice.pick(sorted(far)) if far else None
        if not far:
            note(position, "a spider has nowhere to go")
            return
    path = paths[spider["goal"]][: options["spider_speed"]]
    if path:
        spider["at"] = path[-1]
    if spider["at"] == spider["goal"]:
        spider["weaves"], spider["centre"], spider["goal"] = True, spider["at"], None


# What may be ordered (section 4).

ACCEPTED, FRAME, NEVER, LATER, NOTHING, DENIED, GONE = range(7)
"""Codes of refusals; 0 stands for none."""

GROUNDS = ("square", "ground", "site")
CARRIERS = {
    "NoOp": (*SPAWNED, QUEEN, TERMITE),
    "Move": (*SPAWNED, QUEEN, TERMITE),
    "PickUp": (WORKER,),
    "Drop": (WORKER,),
    "Attack": (*SPAWNED, TERMITE),
    "Convert": (YOUNG,),
    "Spawn": (QUEEN, "colony"),
    "PlaceItem": (QUEEN, "colony"),
}


def verdict(
    position: Position, objects: dict[int, tuple[str, int | None]], seat: int, on: int, kind: str, named: dict[str, Any]
) -> list[int]:
    """Return the codes of possible refusals of an order at the end of its queue, or [] if it is accepted.

    No rule says which of several faults is reported first.

    ``objects``: id -> kind and owner of all visible objects. ``named``: the arguments of the order: "to", "item",
    "target", "where" (an id and the square for which it stands, or None), "turns", "kinds", "items" (lists of id and
    number).
    """

    def unseen(oid: int) -> int:
        return GONE if oid < position["next_id"] else NOTHING

    if position["ended"]:
        return [NEVER]
    if on not in objects:
        return [unseen(on)]
    carrier, owner = objects[on]
    if owner != seat:
        return [DENIED]
    if carrier not in CARRIERS[kind]:
        return [NEVER]
    if kind == "PlaceItem" and (position["phase"] != "place" or seat != position["seat"] or not hand(position)):
        return [LATER]
    faults = []
    if kind == "NoOp" and not 1 <= named["turns"] <= 50:
        faults.append(FRAME)
    if kind == "Spawn" and (len(named["kinds"]) != 1 or named["kinds"][0] not in [[each, 1] for each in range(1, 5)]):
        faults.append(FRAME)
    if kind == "PlaceItem" and named["items"] not in [[[each, 1]] for each in hand(position)]:
        faults.append(FRAME)
    for word in ("to", "item", "target", "where"):
        if word in named and (word != "where" or named[word][0] != 0):
            oid, at = named[word]
            if oid not in objects:
                faults.append(unseen(oid))
            elif found := _target_verdict(objects[oid], seat, word, kind, at):
                faults.append(found)
    if kind == "Move":
        waiting = any(order["type"] == "Move" for order in position["queues"].get(on, []))
        if named["to"][1] == position["units"][on]["at"] and not waiting:
            faults.append(NEVER)
    if kind == "PlaceItem" and not faults and (found := _place_verdict(position, named)):
        faults.append(found)
    if not faults and len(position["queues"].get(on, [])) >= 16:
        faults.append(LATER)
    return faults


def _target_verdict(target: tuple[str, int | None], seat: int, word: str, kind: str, at: Square | None) -> int:
    what, owner = target
    if word in ("to", "where"):
        return ACCEPTED if what in GROUNDS and at is not None else FRAME
    if word == "item":
        return ACCEPTED if what == "item" else FRAME
    if what == "spider" and kind == "Attack":
        return NEVER
    allowed = (*SPAWNED, ANTLION, TERMITE, *((QUEEN, "segment") if kind == "Attack" else ()))
    if what not in allowed:
        return FRAME
    return NEVER if owner == seat or (kind == "Attack" and what == ANTLION) else ACCEPTED


def _place_verdict(position: Position, named: dict[str, Any]) -> int:
    kind, at = position["items"][named["items"][0][0]]["kind"], named["where"][1]
    if kind == ANTLION and is_shaft_square(position, at):
        return NEVER
    if kind == TERMITE:
        seats = (0, 1) if position["options"]["termite_any_queen"] else (position["seat"],)
        queens = [position["units"][position["queens"][one]]["at"] for one in seats]
        if all(at not in beside(position, queen) for queen in queens):
            return NEVER
    return ACCEPTED if is_free(position, at) else LATER
