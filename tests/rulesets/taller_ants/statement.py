"""Second statement of the rules of Taller-Ants, from RULES.md alone.

It is slow and plain, and shares nothing with the game. A position is a dictionary, and a place is (x, y, z) with z 1
above and 0 below. Chance is a function `draw(n)` that returns 0 to n - 1. `close` returns what follows from a position
and the queues of its turn. An order is a tuple of its type and its arguments in the order of the page, section 4:
places, object ids, numbers, and selections.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

Place = tuple[int, int, int]
Position = dict[str, Any]
Unit = dict[str, Any]
Order = tuple[Any, ...]

# Section 4: N, NE, E, SE, S, SW, W, NW; y grows to the south.
STEPS = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)]
BLACK, RED = 0, 1
KILL, TAKE = 1, 2
AVOID, FIGHT = 1, 2
SMALL, LARGE = 1, 2
NEAR, FAR = 1, 2
CAPTIVE, COCOONED = 1, 2
BODY, WEB_POINT = 1, 2
# What can be dropped and picked up: by a spider, and by a group.
S_CAPTIVES, S_COCOONED, S_EGGS, S_FED = 1, 2, 3, 4
A_FOOD, A_COCOONED, A_EGGS, A_POINTS = 1, 2, 3, 4

DONE, WAITS = "done", "waits"


class Illegal(Exception):
    """The order is dropped, for this reason word of section 4."""


class Closing:
    """One closing: the position, which it changes, the queues by id of the unit, chance, and the reports."""

    def __init__(self, position: Position, queues: dict[int, list[Order]], draw: Callable[[int], int]) -> None:
        self.p = copy.deepcopy(position)
        self.queues = {oid: list(queue) for oid, queue in queues.items()}
        self.draw = draw
        self.reasons: list[str] = []
        """The reason words of the orders that were dropped, in order."""
        self.seen: list[str] = []
        """Rare situations that came up, for statistics."""

    def d6(self) -> int:
        return 1 + self.draw(6)


# --- The boards (section 2, R8, R68).


def terrain(p: Position, place: Place) -> str:
    return str(p["map"][place[1]][place[0]])


def on_board(p: Position, place: Place) -> bool:
    return 0 <= place[0] < p["width"] and 0 <= place[1] < p["height"]


def is_water(p: Position, place: Place) -> bool:
    return place[2] == 1 and on_board(p, place) and terrain(p, place) == "~"


def is_land(p: Position, place: Place) -> bool:
    return place[2] == 1 and on_board(p, place) and terrain(p, place) != "~"


def step(place: Place, direction: int) -> Place:
    return place[0] + STEPS[direction][0], place[1] + STEPS[direction][1], place[2]


def is_narrow(p: Position, place: Place) -> bool:
    """R8: on one of the four axes both neighbours are land."""
    return any(is_land(p, step(place, way)) and is_land(p, step(place, way + 4)) for way in range(4))


def distance(one: Place, other: Place) -> int:
    """R68; on one board."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def touch(one: Place, other: Place) -> bool:
    return one[2] == other[2] and distance(one, other) <= 1


def reading(place: Place) -> tuple[int, int, int]:
    """Ties: y, then x."""
    return place[2], place[1], place[0]


def around(places: Iterable[Place]) -> Callable[[Place], bool]:
    own = list(places)
    return lambda place: any(touch(one, place) for one in own)


def above(place: Place) -> Place:
    return place[0], place[1], 1


def all_places(p: Position, z: int) -> list[Place]:
    return [(x, y, z) for y in range(p["height"]) for x in range(p["width"])]


# --- What is where.


def stands_on(unit: Unit) -> list[Place]:
    """R83: a bridge has several squares."""
    return list(unit["bridge"]) if unit.get("bridge") else [unit["place"]]


def units_at(p: Position, place: Place) -> list[Unit]:
    return [unit for unit in p["units"].values() if place in stands_on(unit)]


def enemy_at(p: Position, seat: int, place: Place) -> bool:
    return any(unit["seat"] != seat for unit in units_at(p, place))


def of_kind(p: Position, kind: str, seat: int | None = None) -> list[Unit]:
    return [u for _, u in sorted(p["units"].items()) if u["kind"] == kind and seat in (None, u["seat"])]


def fungus(p: Position) -> list[Place]:
    """R15, R51: wards count as fungus for spiders."""
    return [place for one in p["fungi"].values() for place in one["squares"]] + list(p["wards"])


def holes(p: Position) -> list[Place]:
    return [colony["hole"] for colony in p["colonies"].values()]


def is_webbed(p: Position, place: Place) -> bool:
    return place in p["webs"]


def sinks(p: Position, place: Place) -> bool:
    """R8, R21: nothing holds goods there."""
    return is_water(p, place) and not is_webbed(p, place)


def strength(group: Unit) -> int:
    """R31, R32: red ants count twice."""
    return int(group["ants"]) * (2 if group["colour"] == RED else 1)


def load(group: Unit) -> int:
    return int(group["food"]) + 5 * len(group["eggs"])


def new_id(p: Position) -> int:
    p["next"] += 1
    return int(p["next"]) - 1


# --- Goods that are laid, fall and sink (R7, R8, R14, R69).


def lay_food(p: Position, place: Place, number: int) -> None:
    if number and not sinks(p, place):
        p["food"][place] = p["food"].get(place, 0) + number


def lay_points(p: Position, place: Place, number: int) -> None:
    if number and not sinks(p, place):
        p["points"][place] = p["points"].get(place, 0) + number


def lay_cocoon(p: Position, place: Place, ants: int) -> None:
    if ants and not sinks(p, place):
        p["goods"][new_id(p)] = {"kind": "cocoon", "place": place, "ants": ants}


def lay_clutch(p: Position, place: Place, eggs: int, fed: int) -> None:
    if eggs + fed and not sinks(p, place):
        p["goods"][new_id(p)] = {"kind": "clutch", "place": place, "eggs": eggs, "fed": fed}


def lay_egg(p: Position, place: Place, seat: int, colour: int, wait: int) -> None:
    if not sinks(p, place):
        p["goods"][new_id(p)] = {"kind": "egg", "seat": seat, "place": place, "colour": colour, "wait": wait}


def set_free(closing: Closing, place: Place, captive: tuple[int, int]) -> None:
    """R7, R14: a free group of one again; where nothing holds it, it drowns (R8)."""
    p = closing.p
    seat, colour = captive
    if sinks(p, place):
        closing.seen.append("a captive drowns")
        p["colonies"][seat]["killed"] += 1
        return
    if p["colonies"][seat]["out"]:
        closing.seen.append("an ant of a dead colony is set free")
    add_group(p, seat, colour, 1, place, 0)


def add_group(p: Position, seat: int, colour: int, ants: int, place: Place, ticks: int) -> Unit:
    oid = new_id(p)
    p["units"][oid] = {
        "kind": "group",
        "id": oid,
        "seat": seat,
        "colour": colour,
        "ants": ants,
        "place": place,
        "ticks": ticks,
        "food": 0,
        "points": 0,
        "eggs": [],
        "stance": AVOID,
        "wards": 0,
        "bridge": [],
        "near": None,
        "far": None,
        "ended": False,
    }
    return p["units"][oid]  # type: ignore[no-any-return]


def add_spider(p: Position, place: Place, cocooned: int, ticks: int) -> None:
    oid = new_id(p)
    p["units"][oid] = {
        "kind": "spider",
        "id": oid,
        "seat": 0,
        "place": place,
        "hp": p["options"]["spider_hp"],
        "ticks": ticks,
        "cocooned": cocooned,
        "eggs": 0,
        "fed": 0,
        "captives": [],
        "attacked": False,
        "acted": False,
        "ended": False,
        "reaction": KILL,
    }


def add_queen(p: Position, seat: int, place: Place, ticks: int) -> None:
    oid = new_id(p)
    hp = p["options"]["queen_hp"]
    p["units"][oid] = {"kind": "queen", "id": oid, "seat": seat, "place": place, "hp": hp, "ticks": ticks}


def remove_unit(closing: Closing, unit: Unit) -> None:
    del closing.p["units"][unit["id"]]
    closing.queues.pop(unit["id"], None)


def lose_ants(closing: Closing, group: Unit, number: int) -> None:
    """Take ants out of a group: what the others cannot carry falls (R69), and its bridge may collapse (R46)."""
    p = closing.p
    group["ants"] -= number
    place = stands_on(group)[0]  # R83
    left = group["ants"]
    falls = max(0, load(group) - 5 * left)
    food = min(group["food"], falls)
    group["food"] -= food
    lay_food(p, place, food)
    while len(group["eggs"]) > left:
        closing.seen.append("an egg falls")
        colour, wait = group["eggs"].pop()
        lay_egg(p, place, group["seat"], colour, wait)
    if not left:
        lay_points(p, place, group["points"])
        remove_unit(closing, group)
    if len(group["bridge"]) > left:
        collapse(closing, group)


def kill_ants(closing: Closing, group: Unit, number: int) -> None:
    closing.p["colonies"][group["seat"]]["killed"] += number
    lose_ants(closing, group, number)


def collapse(closing: Closing, group: Unit) -> None:
    """R46: to the near end with its owner's units on it; if an enemy stands there to the far one; else all drown."""
    p = closing.p
    squares, seat = group["bridge"], group["seat"]
    on_it = [unit for _, unit in sorted(p["units"].items()) if any(one in squares for one in stands_on(unit))]
    if any(unit["seat"] != seat for unit in on_it):
        closing.seen.append("an enemy is where a bridge collapses")
        on_it = [unit for unit in on_it if unit["seat"] == seat]
    closing.seen.append("a bridge collapses")
    for end in (group["near"], group["far"]):
        if not enemy_at(p, seat, end):
            if end == group["far"]:
                closing.seen.append("a bridge collapses to its far end")
            for unit in on_it:
                unit["place"] = end
            group["bridge"], group["near"], group["far"] = [], None, None
            group["ticks"] = 0
            if group["ants"] and closing.p["active"] != seat:
                closing.seen.append("ants of a collapsed bridge live")
            return
    closing.seen.append("all on a bridge drown")
    for unit in on_it:
        if unit["kind"] == "group":
            p["colonies"][unit["seat"]]["killed"] += unit["ants"]
        remove_unit(closing, unit)


def spider_dies(closing: Closing, spider: Unit) -> None:
    """R7."""
    p, place = closing.p, spider["place"]
    remove_unit(closing, spider)
    shares = [step(place, way) for way in range(8)]
    shares = [one for one in shares if is_land(p, one)][:3]
    if len(shares) < 3:
        closing.seen.append("a spider dies with little land around")
    lay_food(p, place, 5 + 5 * (3 - len(shares)))
    for one in shares:
        lay_food(p, one, 5)
    lay_cocoon(p, place, spider["cocooned"])
    lay_clutch(p, place, spider["eggs"], spider["fed"])
    for captive in spider["captives"]:
        set_free(closing, place, captive)


def hurt_spider(closing: Closing, spider: Unit, hp: int) -> None:
    spider["hp"] -= hp
    if spider["hp"] < 1:
        closing.seen.append("a spider is killed")
        spider_dies(closing, spider)


def hurt_queen(closing: Closing, queen: Unit, hp: int) -> None:
    queen["hp"] -= hp
    if queen["hp"] < 1:
        closing.seen.append("a queen is killed")
        remove_unit(closing, queen)


def sink_all(p: Position, place: Place) -> None:
    """R21."""
    p["food"].pop(place, None)
    p["points"].pop(place, None)
    for oid in [oid for oid, thing in p["goods"].items() if thing["place"] == place]:
        del p["goods"][oid]


# --- Moving (R8, R10, R11, R15, R42, R54, R60, R64, R67).


def exits(p: Position, unit: Unit, place: Place) -> list[Place | None]:
    """Return where a unit may go from a place: one for each direction, and the other side of a hole."""
    ways = [step(place, way) for way in range(8)]
    ok: list[Place | None] = [one if may_enter(p, unit, place, one) else None for one in ways]
    other = (place[0], place[1], 1 - place[2])
    through = unit["kind"] != "spider" and above(place) in holes(p) and not is_webbed(p, above(place))
    ok.append(other if through and may_enter(p, unit, place, other) else None)
    return ok


def may_enter(p: Position, unit: Unit, old: Place, new: Place) -> bool:
    if not on_board(p, new) or enemy_at(p, unit["seat"], new):
        return False
    if unit["kind"] == "spider":
        if is_water(p, new) and not is_narrow(p, new) and not is_webbed(p, new):
            return False
        near = [distance(new, one) for one in fungus(p)]
        if near and min(near) < 3:
            return min(near) > min(distance(old, one) for one in fungus(p))
        return True
    if new[2] == 0:
        return new in p["dug"]
    if is_water(p, new):
        own_bridge = any(new in one["bridge"] for one in of_kind(p, "group", unit["seat"]))
        return is_webbed(p, new) or own_bridge
    return True


def step_cost(p: Position, unit: Unit, place: Place) -> int:
    """Ticks to leave a place."""
    webbed = is_webbed(p, place)
    if unit["kind"] == "spider":
        return 1 if webbed else 2
    cost = 4 if unit["kind"] == "queen" else 2 if unit["colour"] == RED else 1
    return 2 * cost if webbed else cost


def ticks_to(p: Position, unit: Unit, goal: Place) -> dict[Place, int]:
    """Return the ticks from each place to the goal, where there is a way: worked out until nothing changes."""
    reached = {unit["place"]: exits(p, unit, unit["place"])}
    todo = [unit["place"]]
    while todo:
        for one in reached[todo.pop()]:
            if one is not None and one not in reached:
                reached[one] = exits(p, unit, one)
                todo.append(one)
    found = {goal: 0}
    if goal not in reached:
        return {}
    changed = True
    while changed:
        changed = False
        for place, ways in reached.items():
            rest = [found[one] for one in ways if one is not None and one in found]
            if rest and step_cost(p, unit, place) + min(rest) < found.get(place, 10**9):
                found[place] = step_cost(p, unit, place) + min(rest)
                changed = True
    return found


def move(closing: Closing, unit: Unit, goal: Place) -> str:
    p = closing.p
    if unit.get("bridge"):
        raise Illegal("bridging")
    if unit["kind"] == "spider" and goal[2] == 0:
        raise Illegal("below")
    moved = False
    while unit["place"] != goal:
        found = ticks_to(p, unit, goal)
        if unit["place"] not in found:
            raise Illegal("no path")
        cost = step_cost(p, unit, unit["place"])
        if unit["ticks"] < cost:
            return "partly" if moved else WAITS
        # Ties: the first direction in the order N..NW, then the hole.
        ways = [one for one in exits(p, unit, unit["place"]) if one is not None and one in found]
        best = min(found[one] for one in ways)
        new = next(one for one in ways if found[one] == best)
        if new[2] != unit["place"][2]:
            closing.seen.append("a step through a hole")
        if unit["kind"] == "spider" and any(distance(new, one) < 3 for one in fungus(p)):
            closing.seen.append("a spider escapes from fungus")
        unit["ticks"] -= cost
        unit["place"] = new
        moved = True
    return DONE


# --- The spider's orders.


def heal(closing: Closing, spider: Unit, points: int) -> str:
    wanted = min(points, closing.p["options"]["spider_hp"] - spider["hp"])
    if wanted <= 0:
        return DONE
    if spider["ticks"] < 2:
        return WAITS
    healed = min(wanted, spider["ticks"] // 2)
    spider["hp"] += healed
    spider["ticks"] -= 2 * healed
    return DONE


def eat(closing: Closing, spider: Unit, captives: int, cocooned: int) -> str:
    if captives > len(spider["captives"]) or cocooned > spider["cocooned"]:
        raise Illegal("not carried")
    for _ in range(captives):
        use_captive(closing, spider)
    spider["cocooned"] -= cocooned
    spider["hp"] = min(closing.p["options"]["spider_hp"], spider["hp"] + 2 * captives + 4 * cocooned)
    return DONE


def use_captive(closing: Closing, spider: Unit) -> None:
    """Captives first taken are first used; it is dead then."""
    seat, _ = spider["captives"].pop(0)
    closing.p["colonies"][seat]["killed"] += 1


def spider_drop(closing: Closing, spider: Unit, goods: dict[int, int]) -> str:
    p, place = closing.p, spider["place"]
    captives, cocooned, eggs, fed = (goods.get(kind, 0) for kind in (S_CAPTIVES, S_COCOONED, S_EGGS, S_FED))
    if captives > len(spider["captives"]) or cocooned > spider["cocooned"]:
        raise Illegal("not carried")
    if eggs > spider["eggs"] or fed > spider["fed"]:
        raise Illegal("not carried")
    for _ in range(captives):
        set_free(closing, place, spider["captives"].pop(0))
    spider["cocooned"] -= cocooned
    spider["eggs"] -= eggs
    spider["fed"] -= fed
    lay_cocoon(p, place, cocooned)
    lay_clutch(p, place, eggs, fed)
    return DONE


def spider_pick_up(closing: Closing, spider: Unit, place: Place, goods: dict[int, int]) -> str:
    p = closing.p
    if not touch(spider["place"], place):
        raise Illegal("not touching")
    left, took = dict(goods), 0
    for oid in sorted(p["goods"]):
        thing = p["goods"][oid]
        if thing["place"] != place:
            continue
        for kind, name, own in (
            (S_COCOONED, "ants", "cocooned"),
            (S_EGGS, "eggs", "eggs"),
            (S_FED, "fed", "fed"),
        ):
            if thing["kind"] == ("cocoon" if kind == S_COCOONED else "clutch"):
                number = min(left.get(kind, 0), thing[name])
                left[kind] = left.get(kind, 0) - number
                thing[name] -= number
                spider[own] += number
                took += number
        if thing["kind"] != "egg" and not thing.get("ants", 0) + thing.get("eggs", 0) + thing.get("fed", 0):
            del p["goods"][oid]
    if not took:
        raise Illegal("nothing there")
    return DONE


def feed_egg(closing: Closing, spider: Unit, egg: int, food: int, number: int) -> str:
    p = closing.p
    if egg == spider["id"]:
        clutch = spider
    else:
        clutch = p["goods"].get(egg)
        if clutch is None or clutch["kind"] != "clutch" or not touch(spider["place"], clutch["place"]):
            raise Illegal("not touching")
    if clutch["eggs"] < number:
        raise Illegal("no egg")
    if (len(spider["captives"]) if food == CAPTIVE else spider["cocooned"]) < number:
        raise Illegal("no ant")
    fed = sum(one["fed"] for one in of_kind(p, "spider")) + sum(one.get("fed", 0) for one in p["goods"].values())
    if len(of_kind(p, "spider")) + fed + number > p["options"]["max_spiders"]:  # R17
        raise Illegal("cap")
    clutch["eggs"] -= number
    clutch["fed"] += number
    for _ in range(number):
        if food == CAPTIVE:
            use_captive(closing, spider)
        else:
            spider["cocooned"] -= 1
    return DONE


def build_web(closing: Closing, spider: Unit, place: Place) -> str:
    p = closing.p
    if not touch(spider["place"], place):
        raise Illegal("not touching")
    if is_webbed(p, place):
        raise Illegal("web there")
    if enemy_at(p, 0, place) and not p["options"]["web_under_ants"]:
        raise Illegal("ants there")
    if place in fungus(p):
        raise Illegal("fungus")
    if is_water(p, place) and not is_narrow(p, place):
        raise Illegal("wide water")
    if spider["hp"] < 2:
        raise Illegal("hp")
    if spider["ticks"] < 2:
        return WAITS
    spider["ticks"] -= 2
    spider["hp"] -= 1
    p["webs"].add(place)
    if place in holes(p):
        closing.seen.append("a hole is covered")
    return DONE


def span_web(closing: Closing, spider: Unit, way: int) -> str:
    p = closing.p
    squares = []
    place = step(spider["place"], way)
    while is_water(p, place) and not is_webbed(p, place):
        squares.append(place)
        place = step(place, way)
    if any(one in group["bridge"] for group in of_kind(p, "group") for one in squares):
        raise Illegal("occupied")
    if not squares or not is_land(p, place) or len(squares) > 10:
        raise Illegal("no far bank")
    if spider["hp"] - len(squares) < 1:
        raise Illegal("hp")
    if spider["ticks"] < 2 * len(squares):
        return WAITS
    closing.seen.append("a web across water")
    spider["ticks"] -= 2 * len(squares)
    spider["hp"] -= len(squares)
    p["webs"].update(squares)
    return DONE


def destroy_web(closing: Closing, spider: Unit, place: Place) -> str:
    p = closing.p
    if not touch(spider["place"], place):
        raise Illegal("not touching")
    if not is_webbed(p, place):
        raise Illegal("no web")
    if is_water(p, place) and units_at(p, place):
        raise Illegal("occupied water")
    p["webs"].discard(place)
    if is_water(p, place):
        sink_all(p, place)
    return DONE


def cocoon(closing: Closing, spider: Unit, target: int, size: int, number: int) -> str:
    p = closing.p
    group = p["units"].get(target)
    if group is None or group["kind"] != "group" or not any(touch(spider["place"], one) for one in stands_on(group)):
        raise Illegal("not touching")
    if not all(is_webbed(p, one) for one in stands_on(group)):
        raise Illegal("not on web")
    if size == LARGE:
        number = group["ants"]
        if number > 5:
            raise Illegal("too many")
    elif number > group["ants"]:
        raise Illegal("too many")
    hp, ticks = (3, 10) if size == LARGE else (1, 4)
    if spider["hp"] - hp < 1:
        raise Illegal("hp")
    if spider["ticks"] < ticks:
        return WAITS
    closing.seen.append("ants are cocooned")
    spider["hp"] -= hp
    spider["ticks"] -= ticks
    spider["cocooned"] += number
    p["colonies"][group["seat"]]["cocooned"] += number
    lose_ants(closing, group, number)
    return DONE


def wrap(closing: Closing, spider: Unit, number: int) -> str:
    if not spider["captives"]:
        raise Illegal("no captive")
    if spider["ticks"] < 2:
        return WAITS
    number = min(number, len(spider["captives"]), spider["ticks"] // 2)
    for _ in range(number):
        seat, _ = spider["captives"].pop(0)
        closing.p["colonies"][seat]["cocooned"] += 1
    spider["cocooned"] += number
    spider["ticks"] -= 2 * number
    return DONE


def attack(closing: Closing, spider: Unit, target: int, choice: int, limit: int) -> str:
    p = closing.p
    victim = p["units"].get(target)
    if victim is None:
        raise Illegal("not touching")
    if victim["place"][2] == 0:
        raise Illegal("below")
    if not any(touch(spider["place"], one) for one in stands_on(victim)):
        raise Illegal("not touching")
    if spider["attacked"]:
        raise Illegal("already attacked")
    spider["attacked"] = True
    if victim["kind"] == "queen":  # R72
        closing.seen.append("a spider attacks a queen")
        queen = closing.d6() + closing.d6() + 6
        product = closing.d6() * closing.d6()
        if product > queen:
            hurt_queen(closing, victim, product - queen)
        elif product < queen:
            hurt_spider(closing, spider, 1)
        return DONE
    die = closing.d6()
    if die == 6 and victim["stance"] == AVOID:  # R34
        closing.seen.append("a group avoids")
        return DONE
    against_group(closing, spider, victim, die, choice, limit)
    return DONE


def against_group(closing: Closing, spider: Unit, group: Unit, die: int, choice: int, limit: int) -> None:
    """R31 to R33, R71: the ants' die was rolled."""
    total = die + strength(group)
    product = closing.d6() * closing.d6()
    if product == total:
        closing.seen.append("a tie of spider and group")
    elif product < total:
        hurt_spider(closing, spider, strength(group))
    elif choice == TAKE:
        closing.seen.append("an ant is taken")
        spider["captives"].append((group["seat"], group["colour"]))
        lose_ants(closing, group, 1)
    else:
        kills = product - total
        if group["colour"] == RED:
            kills = (kills + 1) // 2
        kills = min(kills, group["ants"])
        if limit:
            kills = min(kills, limit)
        kill_ants(closing, group, kills)


def lay_eggs(closing: Closing, spider: Unit) -> str:
    """R27."""
    if spider["ticks"] < 20 or spider["acted"]:
        return WAITS
    spider["hp"] -= 10
    if spider["hp"] < 1:
        closing.seen.append("a spider lays its last eggs")
    spider["ticks"] = 0
    spider["ended"] = True
    lay_clutch(closing.p, spider["place"], 10, 0)
    return DONE


def reaction(closing: Closing, spider: Unit, choice: int) -> str:
    spider["reaction"] = choice
    return DONE


# --- The ants' orders.


def ant_drop(closing: Closing, group: Unit, goods: dict[int, int]) -> str:
    p, place = closing.p, group["place"]
    food, eggs, points = (goods.get(kind, 0) for kind in (A_FOOD, A_EGGS, A_POINTS))
    if food > group["food"] or eggs > len(group["eggs"]) or points > group["points"]:
        raise Illegal("not carried")
    if group["bridge"] or any(place in one["bridge"] for one in of_kind(p, "group")):
        raise Illegal("bridging")
    for one in [place, *sorted(other_own_squares(p, group), key=reading)]:
        number = food
        if place[2] == 0 and p["options"]["store_per_square"]:  # R70
            number = max(0, min(food, p["options"]["store_per_square"] - p["food"].get(one, 0)))
        lay_food(p, one, number)
        group["food"] -= number
        food -= number
    if food:
        closing.seen.append("a store is full")
    for _ in range(eggs):
        colour, wait = group["eggs"].pop(0)
        lay_egg(p, place, group["seat"], colour, wait)
    lay_points(p, place, points)
    group["points"] -= points
    return DONE


def other_own_squares(p: Position, group: Unit) -> list[Place]:
    place = group["place"]
    return [one for one, seat in p["dug"].items() if seat == group["seat"] and one != place and touch(one, place)]


def ant_pick_up(closing: Closing, group: Unit, place: Place, goods: dict[int, int]) -> str:
    """R47, R81."""
    p = closing.p
    if not around(stands_on(group))(place):
        raise Illegal("not touching")
    left, took = dict(goods), 0

    def room(weight: int) -> bool:
        return load(group) + weight <= 5 * int(group["ants"])

    while left.get(A_FOOD, 0) and p["food"].get(place, 0) and room(1):
        take_food(p, place)
        group["food"] += 1
        left[A_FOOD] -= 1
        took += 1
    for oid in sorted(p["goods"]):
        thing = p["goods"][oid]
        if thing["place"] != place:
            continue
        kind, weight = (A_COCOONED, 2) if thing["kind"] == "cocoon" else (A_EGGS, 5)
        while left.get(kind, 0) and room(weight) and oid in p["goods"]:
            left[kind] -= 1
            took += 1
            if thing["kind"] == "egg":
                del p["goods"][oid]
                if thing["seat"] == group["seat"]:
                    group["eggs"].append((thing["colour"], thing["wait"]))
                else:
                    closing.seen.append("an enemy's ant egg is food")
                    group["food"] += 5
                continue
            if thing["kind"] == "cocoon":
                thing["ants"] -= 1
                group["food"] += 2
                empty = not thing["ants"]
            else:
                thing["fed" if thing["fed"] else "eggs"] -= 1  # fed eggs before eggs
                group["food"] += 5
                closing.seen.append("a spider's egg is food")
                empty = not thing["fed"] + thing["eggs"]
            if empty:
                del p["goods"][oid]
    points = min(left.get(A_POINTS, 0), p["points"].get(place, 0))
    if points:
        group["points"] += points
        p["points"][place] -= points
        if not p["points"][place]:
            del p["points"][place]
    if not took + points:
        raise Illegal("nothing there")
    return DONE


def take_food(p: Position, place: Place) -> None:
    p["food"][place] -= 1
    if not p["food"][place]:
        del p["food"][place]


def excavate(closing: Closing, group: Unit, ways: list[int]) -> str:
    p = closing.p
    if group["place"][2] == 1:
        raise Illegal("above ground")
    squares = [step(group["place"], way) for way in ways]
    if not all(on_board(p, one) for one in squares):
        raise Illegal("edge")
    if any(one in p["dug"] for one in squares):
        raise Illegal("already open")
    each = group["ants"] * (2 if group["colour"] == BLACK else 1)
    ticks = 2 * ((len(squares) + each - 1) // each)
    if group["ticks"] < ticks:
        return WAITS
    group["ticks"] -= ticks
    for one in squares:
        p["dug"][one] = group["seat"]
    return DONE


def collect_web(closing: Closing, group: Unit) -> str:
    p = closing.p
    if group["place"][2] == 0:
        raise Illegal("below")
    if not is_webbed(p, group["place"]):
        raise Illegal("no web")
    if is_water(p, group["place"]):
        raise Illegal("water")
    if group["ticks"] < 10:
        return WAITS
    p["webs"].discard(group["place"])
    group["points"] += group["ants"]
    group["ticks"] = 0
    if group["place"] in holes(p):
        closing.seen.append("a hole is uncovered")
    return DONE


def bridge(closing: Closing, group: Unit, way: int) -> str:
    p = closing.p
    if group["bridge"]:
        raise Illegal("bridging")
    squares = []
    place = step(group["place"], way)
    while is_water(p, place):
        squares.append(place)
        place = step(place, way)
    if not squares or not is_land(p, place) or not is_land(p, group["place"]):
        raise Illegal("no far bank")
    if group["ants"] < len(squares):
        raise Illegal("too few ants")
    if any(units_at(p, one) for one in squares):
        raise Illegal("occupied")
    if group["ticks"] < 2:
        return WAITS
    closing.seen.append("a bridge is built")
    group["near"], group["far"], group["bridge"] = group["place"], place, squares
    group["place"] = squares[0]
    group["ticks"] = 0
    return DONE


def unbridge(closing: Closing, group: Unit, end: int) -> str:
    p = closing.p
    if not group["bridge"]:
        raise Illegal("not bridging")
    place = group["near"] if end == NEAR else group["far"]
    others = [unit for one in group["bridge"] for unit in units_at(p, one) if unit is not group]
    if others or enemy_at(p, group["seat"], place):
        raise Illegal("occupied")
    closing.seen.append("a bridge ends")
    group["bridge"], group["near"], group["far"] = [], None, None
    group["place"] = place
    group["ticks"] = 0
    return DONE


def harvest(closing: Closing, group: Unit, place: Place) -> str:
    p = closing.p
    if not around(stands_on(group))(place):
        raise Illegal("not touching")
    if place in p["wards"]:
        raise Illegal("ward")
    mine = [one for one in p["fungi"].values() if place in one["squares"]]
    if not mine:
        raise Illegal("not touching")
    if mine[0]["exhausted"]:
        raise Illegal("exhausted")
    free = 5 * group["ants"] - load(group)
    if free <= 0:
        raise Illegal("no capacity")
    if group["ticks"] < 10:
        return WAITS
    group["ticks"] = 0
    taken = min(free, sum(closing.d6() for _ in range(group["ants"])))
    group["food"] += taken
    squares = mine[0]["squares"]
    for _ in range(taken // 5):
        if len(squares) > 1:
            near = sorted(squares, key=lambda one: (min(distance(one, own) for own in stands_on(group)), reading(one)))
            squares.remove(near[0])
    if len(squares) == 1:  # R50
        closing.seen.append("a fungus is exhausted")
        mine[0]["exhausted"] = True
    return DONE


def ward(closing: Closing, group: Unit, place: Place) -> str:
    p = closing.p
    if not around(stands_on(group))(place):
        raise Illegal("not touching")
    barred = not is_land(p, place) or is_webbed(p, place) or place in fungus(p) or place in holes(p)
    if barred or enemy_at(p, group["seat"], place):
        raise Illegal("not free")
    if group["food"] < 2:
        raise Illegal("no food")
    if group["wards"] >= group["ants"]:
        raise Illegal("limit")
    ticks = 2 * p["options"]["ward_cost_mp"]
    if group["ticks"] < ticks:
        return WAITS
    group["ticks"] -= ticks
    group["food"] -= 2
    group["wards"] += 1
    p["wards"].add(place)
    return DONE


def group_attack(closing: Closing, group: Unit, target: int) -> str:
    p = closing.p
    victim = p["units"].get(target)
    if victim is None:
        raise Illegal("not touching")
    if not any(touch(one, other) for one in stands_on(group) for other in stands_on(victim)):
        place = group["place"]
        other_side = (place[0], place[1], 1 - place[2])
        if above(place) not in holes(p) or other_side not in stands_on(victim):
            raise Illegal("not touching")
        if is_webbed(p, above(place)):
            raise Illegal("covered hole")
        if group["ticks"] >= 2:
            closing.seen.append("an attack through a hole")
    if group["ticks"] < 2:
        return WAITS
    group["ticks"] = 0
    die = closing.d6()
    if victim["kind"] == "spider":  # R71
        closing.seen.append("ants attack a spider")
        against_group(closing, victim, group, die, victim["reaction"], 0)
    elif victim["kind"] == "queen":  # R59
        total, queen = die + strength(group), closing.d6() + closing.d6() + 6
        closing.seen.append("ants attack a queen")
        if queen == total:
            closing.seen.append("a tie of queen and group")
        if queen >= total:
            kill_ants(closing, group, group["ants"])
        else:
            hurt_queen(closing, victim, total - queen)
    else:  # R58
        one, other = die + strength(group), closing.d6() + strength(victim)
        closing.seen.append("ants attack ants" if one != other else "a tie of ants and ants")
        if one != other:
            winner, loser = (group, victim) if one > other else (victim, group)
            keeps = abs(one - other)
            if winner["colour"] == RED:
                keeps = (keeps + 1) // 2
            kill_ants(closing, loser, loser["ants"])
            kill_ants(closing, winner, winner["ants"] - min(winner["ants"], keeps))
    return DONE


def raise_queen(closing: Closing, group: Unit, egg: int) -> str:
    p, seat = closing.p, group["seat"]
    if of_kind(p, "queen", seat):
        raise Illegal("queen lives")
    if egg == group["id"]:
        if not group["eggs"]:
            raise Illegal("no egg")
        place = stands_on(group)[0]
    else:
        thing = p["goods"].get(egg)
        if thing is None or thing["kind"] != "egg" or thing["seat"] != seat:
            raise Illegal("no egg")
        if not around(stands_on(group))(thing["place"]):
            raise Illegal("no egg")
        place = thing["place"]
    if group["food"] + sum(food_near(p, group, [group["id"]]).values()) < 5:
        raise Illegal("no food")
    if group["ticks"] < 10:
        return WAITS
    own = min(5, group["food"])
    group["food"] -= own
    eat_near(p, group, 5 - own, [group["id"]])
    if egg == group["id"]:
        group["eggs"].pop(0)
    else:
        del p["goods"][egg]
    group["ticks"] = 0
    add_queen(p, seat, place, 0)
    closing.seen.append("a queen is raised")
    return DONE


def food_near(p: Position, unit: Unit, but: list[int]) -> dict[Any, int]:
    """Return the food touching a unit: on the squares (y, x), then in own groups by id."""
    near = around(stands_on(unit))
    found: dict[Any, int] = {place: p["food"][place] for place in sorted(p["food"], key=reading) if near(place)}
    for group in of_kind(p, "group", unit["seat"]):
        if group["id"] not in but and group["food"] and any(near(one) for one in stands_on(group)):
            found[group["id"]] = group["food"]
    return found


def eat_near(p: Position, unit: Unit, number: int, but: list[int]) -> None:
    for where, food in food_near(p, unit, but).items():
        used = min(food, number)
        number -= used
        if isinstance(where, int):
            p["units"][where]["food"] -= used
        else:
            for _ in range(used):
                take_food(p, where)


def stance(closing: Closing, group: Unit, choice: int) -> str:
    group["stance"] = choice
    return DONE


# --- Regrouping (R41): as the phase of the ants ends.


def share(group: Unit, number: int, rest: int) -> tuple[int, int, int]:
    """Return food, eggs and web points that go with ``number`` of the ants (section 4); ``rest`` stay."""
    ants = group["ants"]
    eggs, points = len(group["eggs"]) * number // ants, group["points"] * number // ants
    food = group["food"] * number // ants
    food = min(food, 5 * number - 5 * eggs)
    food = max(food, group["food"] - (5 * rest - 5 * (len(group["eggs"]) - eggs)))
    return food, eggs, points


def hand_over(one: Unit, other: Unit, number: int) -> None:
    food, eggs, points = share(one, number, one["ants"] - number)
    one["ants"] -= number
    other["ants"] += number
    one["food"] -= food
    other["food"] += food
    one["points"] -= points
    other["points"] += points
    other["eggs"] += one["eggs"][:eggs]
    one["eggs"] = one["eggs"][eggs:]


def merge(closing: Closing, group: Unit, target: int, number: int) -> str:
    p = closing.p
    other = p["units"].get(target)
    if other is None or other is group or other["kind"] != "group" or other["seat"] != group["seat"]:
        raise Illegal("not together")
    if not any(place in stands_on(other) for place in stands_on(group)):  # R83
        raise Illegal("not together")
    if other["colour"] != group["colour"]:
        raise Illegal("colour")
    if number > group["ants"] or other["ants"] + number > 6:
        raise Illegal("too big")
    hand_over(group, other, number)
    other["ticks"] = min(group["ticks"], other["ticks"])
    closing.seen.append("groups merge")
    if not group["ants"]:
        remove_unit(closing, group)
    if len(group["bridge"]) > group["ants"]:
        collapse(closing, group)
    return DONE


def split(closing: Closing, group: Unit, number: int) -> str:
    if number >= group["ants"]:
        raise Illegal("too many")
    if group["bridge"]:
        raise Illegal("bridging")
    new = add_group(closing.p, group["seat"], group["colour"], 0, group["place"], group["ticks"])
    hand_over(group, new, number)
    new["stance"] = group["stance"]
    closing.seen.append("a group splits")
    return DONE


# --- The queen's orders.


def lay(closing: Closing, queen: Unit, red: int, black: int, made_of: int) -> str:
    p = closing.p
    wanted = [BLACK] * black + [RED] * red
    if not wanted:
        return DONE
    if made_of == BODY:
        if queen["hp"] < 2:
            raise Illegal("hp")
        if queen["ticks"] < 2:
            return WAITS
        number = possible = min(len(wanted), queen["hp"] - 1)
        number = min(number, queen["ticks"] // 2)
        queen["hp"] -= number
        queen["ticks"] -= 2 * number
    else:
        near = around([queen["place"]])
        places = [place for place in sorted(p["points"], key=reading) if near(place)]
        groups = [g for g in of_kind(p, "group", queen["seat"]) if g["points"] and any(near(o) for o in stands_on(g))]
        there = sum(p["points"][place] for place in places) + sum(group["points"] for group in groups)
        if not there:
            raise Illegal("no web point")
        number = left = possible = min(len(wanted), there)
        closing.seen.append("eggs of web points")
        for place in places:
            used = min(left, p["points"][place])
            left -= used
            p["points"][place] -= used
            if not p["points"][place]:
                del p["points"][place]
        for group in groups:
            used = min(left, group["points"])
            left -= used
            group["points"] -= used
    for colour in wanted[:number]:
        lay_egg(p, queen["place"], queen["seat"], colour, p["options"]["ant_hatch_delay"])
    if number == possible < len(wanted):  # the rest is consumed with a message
        closing.reasons.append("hp" if made_of == BODY else "no web point")
    return DONE


def feed_queen(closing: Closing, queen: Unit, number: int) -> str:
    p = closing.p
    there = sum(food_near(p, queen, []).values())
    if not there:
        raise Illegal("no food")
    number = min(number, there, p["options"]["queen_hp"] - queen["hp"])
    if number <= 0:
        raise Illegal("full")
    eat_near(p, queen, number, [])
    queen["hp"] += number
    return DONE


ORDERS: dict[str, Callable[..., str]] = {
    "Move": move,
    "Heal": heal,
    "Eat": eat,
    "Feed Egg": feed_egg,
    "Build Web": build_web,
    "Span Web": span_web,
    "Destroy Web": destroy_web,
    "Cocoon": cocoon,
    "Wrap": wrap,
    "Attack": attack,
    "Lay Eggs": lay_eggs,
    "Reaction": reaction,
    "Excavate": excavate,
    "Collect Web": collect_web,
    "Bridge": bridge,
    "Unbridge": unbridge,
    "Harvest": harvest,
    "Ward": ward,
    "Group Attack": group_attack,
    "Raise Queen": raise_queen,
    "Stance": stance,
    "Lay": lay,
    "Feed Queen": feed_queen,
}


def execute(closing: Closing, unit: Unit, order: Order) -> str:
    name, *args = order
    if name == "Drop":
        return (spider_drop if unit["kind"] == "spider" else ant_drop)(closing, unit, *args)
    if name == "Pick Up":
        return (spider_pick_up if unit["kind"] == "spider" else ant_pick_up)(closing, unit, *args)
    return ORDERS[name](closing, unit, *args)


# --- Section 5: the stages of a turn.


def close(position: Position, queues: dict[int, list[Order]], draw: Callable[[int], int]) -> Closing:
    closing = Closing(position, queues, draw)
    if position["phase"] == "setup":
        set_up(closing)
        advance(closing)
        return closing
    executed = act(closing)
    p = closing.p
    seat = p["active"]
    own = [unit for unit in p["units"].values() if unit["seat"] == seat]
    can_go_on = p["step"] + 1 < p["options"]["phase_steps"] and any(unit["ticks"] > 0 for unit in own)
    if executed and can_go_on and not is_gone(p, seat):
        closing.seen.append("another turn of the phase")
        p["step"] += 1
        return closing
    if seat:
        regroup(closing)
    else:
        cull(closing)
    p["opened"] = p["opened"] or not is_sealed(p)  # R75
    judge(closing)
    if p["phase"] != "over":
        advance(closing)
    return closing


def act(closing: Closing) -> bool:
    """Return whether at least one order was carried out."""
    p = closing.p
    line = [oid for oid in sorted(p["units"]) if p["units"][oid]["seat"] == p["active"] and oid < p["newest"]]
    executed = False
    while line:
        oid = line.pop(0)
        while oid in p["units"] and closing.queues.get(oid) and not p["units"][oid].get("ended"):
            unit, queue = p["units"][oid], closing.queues[oid]
            order = queue[0]
            if order[0] in ("Merge", "Split"):
                unit["ended"] = True
                break
            if order[0] == "Wait":
                queue.pop(0)
                executed = True
                line.append(oid)
                break
            try:
                done = execute(closing, unit, order)
            except Illegal as illegal:
                closing.reasons.append(str(illegal))
                if queue and queue[0] is order:
                    queue.pop(0)
                continue
            if done == WAITS:
                break
            executed = True
            if unit["kind"] == "spider" and order[0] != "Reaction":
                unit["acted"] = True
            if done == "partly":
                break
            if queue and queue[0] is order:
                queue.pop(0)
    return executed


def regroup(closing: Closing) -> None:
    """R80: what is at the head, and each Merge and Split directly behind it."""
    p = closing.p
    for oid in [oid for oid in sorted(p["units"]) if p["units"][oid]["seat"] == p["active"]]:
        while oid in p["units"] and closing.queues.get(oid) and closing.queues[oid][0][0] in ("Merge", "Split"):
            name, *args = closing.queues[oid].pop(0)
            try:
                (merge if name == "Merge" else split)(closing, p["units"][oid], *args)
            except Illegal as illegal:
                closing.reasons.append(str(illegal))


def cull(closing: Closing) -> None:
    """R15, R27."""
    p = closing.p
    for spider in of_kind(p, "spider"):
        if spider["hp"] < 1 or any(distance(spider["place"], one) <= 1 for one in fungus(p)):
            closing.seen.append("a spider is culled")
            spider_dies(closing, spider)


def is_gone(p: Position, seat: int) -> bool:
    """R4, R73."""
    if seat == 0:
        return not of_kind(p, "spider")
    eggs = [thing for thing in p["goods"].values() if thing["kind"] == "egg" and thing["seat"] == seat]
    return not [unit for unit in p["units"].values() if unit["seat"] == seat] and not eggs


def is_out(p: Position, seat: int) -> bool:
    return bool(p["colonies"][seat]["out"] if seat else p["spiders out"])


def seats(p: Position) -> list[int]:
    return [0, *p["colonies"]]


def web_need(p: Position) -> int:
    return -(-p["options"]["web_goal_percent"] * p["width"] * p["height"] // 100)


def cocooned(p: Position) -> int:
    """R3: carried by spiders or lying above."""
    carried = sum(spider["cocooned"] for spider in of_kind(p, "spider"))
    return carried + sum(thing.get("ants", 0) for thing in p["goods"].values() if thing["place"][2] == 1)


def stored(p: Position, seat: int) -> int:
    """R70."""
    most = p["options"]["store_per_square"]
    mine = [p["food"].get(place, 0) for place, owner in p["dug"].items() if owner == seat]
    return sum(min(food, most) if most else food for food in mine)


def ants(p: Position, seat: int) -> int:
    return sum(group["ants"] for group in of_kind(p, "group", seat))


def has_reached(p: Position, seat: int) -> bool:
    """R3, R38."""
    o = p["options"]
    if seat == 0:
        return len(p["webs"]) >= web_need(p) and cocooned(p) >= o["cocoon_goal"]
    return stored(p, seat) >= o["food_goal"] and ants(p, seat) >= o["ants_goal"]


def score(p: Position, seat: int) -> int:
    """Section 8."""
    o = p["options"]
    if is_out(p, seat):
        return -1
    if seat == 0:
        need, goal = web_need(p), o["cocoon_goal"]
        return 50 * min(len(p["webs"]), need) // need + 50 * min(cocooned(p), goal) // goal
    food, number = o["food_goal"], o["ants_goal"]
    return 50 * min(stored(p, seat), food) // food + 50 * min(ants(p, seat), number) // number


def judge(closing: Closing) -> None:
    """R74, R82."""
    p = closing.p
    before = [seat for seat in seats(p) if is_out(p, seat)]
    for seat in seats(p):
        if not is_out(p, seat) and is_gone(p, seat):
            closing.seen.append("the spiders are out" if seat == 0 else "a colony is out")
            if seat:
                p["colonies"][seat]["out"] = True
            else:
                p["spiders out"] = True
    left = [seat for seat in seats(p) if not is_out(p, seat)]
    if not left:
        closing.seen.append("the last ones vanish together")
        end(p, [seat for seat in seats(p) if seat not in before])
    elif len(left) == 1:
        end(p, left)
    else:
        for seat in [p["active"], *left]:
            if seat in left and has_reached(p, seat):
                if len([one for one in left if has_reached(p, one)]) > 1:
                    closing.seen.append("two reach their goals")
                closing.seen.append("the spider's goal" if seat == 0 else "a colony's goal")
                end(p, [seat])
                break


def end(p: Position, winners: list[int]) -> None:
    p["phase"] = "over"
    p["winners"] = sorted(winners)


def end_by_score(p: Position) -> None:
    best = max(score(p, seat) for seat in seats(p))
    end(p, [seat for seat in seats(p) if score(p, seat) == best])


def places(p: Position) -> dict[int, int]:
    """Section 8: the winner is first, the others by their score. Equal scores share a place."""
    worth = {seat: (seat in p["winners"], score(p, seat)) for seat in seats(p)}
    for seat in p["winners"]:
        worth[seat] = (True, 0)
    return {seat: 1 + sum(other > worth[seat] for other in worth.values()) for seat in worth}


def is_sealed(p: Position) -> bool:
    """R75: every living colony has its hole covered and no unit above."""
    for seat, colony in p["colonies"].items():
        if colony["out"]:
            continue
        if not is_webbed(p, colony["hole"]):
            return False
        if any(one[2] == 1 for unit in p["units"].values() if unit["seat"] == seat for one in stands_on(unit)):
            return False
    return True


def order_of_play(p: Position) -> list[int]:
    """R66."""
    colonies = list(p["colonies"])
    if p["options"]["ant_order"] == "alternate" and p["round"] % 2 == 0:
        colonies.reverse()
    return [0, *colonies]


def advance(closing: Closing) -> None:
    """Go on to the next phase that somebody has; grow and judge rounds between."""
    p = closing.p
    if p["phase"] == "setup":
        p["round"] = 1
        begin_round(closing)
        line = order_of_play(p)
    else:
        line = order_of_play(p)
        line = line[line.index(p["active"]) + 1 :]
    while True:
        for seat in line:
            if not is_out(p, seat):
                begin_phase(closing, seat)
                return
        p["sealed"] = 0 if p["opened"] else p["sealed"] + 1
        limit = p["options"]["seal_rounds"]
        if p["round"] >= p["options"]["max_rounds"]:
            closing.seen.append("the last round")
            end_by_score(p)
            return
        if limit and p["sealed"] >= limit:
            closing.seen.append("sealed for too long")
            end_by_score(p)
            return
        p["round"] += 1
        begin_round(closing)
        line = order_of_play(p)


def begin_round(closing: Closing) -> None:
    """R61 to R63: growth, and what was exhausted can be harvested again."""
    p = closing.p
    for _, one in sorted(p["fungi"].items()):
        one["exhausted"] = False
        if not grow(closing, one, False) and grow(closing, one, True):
            closing.seen.append("fungus grows onto a web")
    p["opened"] = not is_sealed(p)  # R75


def grow(closing: Closing, one: dict[str, Any], onto_webs: bool) -> bool:
    p = closing.p

    def is_free(place: Place) -> bool:
        if not is_land(p, place) or place in fungus(p) or place in holes(p):
            return False
        return is_webbed(p, place) == onto_webs

    ways = [[step(square, way) for square in sorted(one["squares"], key=reading)] for way in range(8)]
    ways = [[place for place in row if is_free(place)] for row in ways]
    ways = [row for row in ways if row]
    if not ways:
        return False
    row = ways[closing.draw(len(ways))]
    place = row[closing.draw(len(row))]
    one["squares"] = sorted([*one["squares"], place], key=reading)
    p["webs"].discard(place)
    return True


def begin_phase(closing: Closing, seat: int) -> None:
    p = closing.p
    p["active"], p["step"] = seat, 0
    p["phase"] = "ants" if seat else "spider"
    if seat:
        hatch_ants(closing, seat)
    else:
        hatch_spiders(closing)
    for unit in p["units"].values():
        if unit["seat"] != seat:
            continue
        unit["ticks"] = 10 if seat else 20
        if unit["kind"] == "group":
            unit["wards"], unit["ended"] = 0, False
        if unit["kind"] == "spider":
            unit["attacked"] = unit["acted"] = unit["ended"] = False
    p["newest"] = p["next"]


def hatch_spiders(closing: Closing) -> None:
    """R16, R86."""
    p = closing.p
    for oid in sorted(p["goods"]):
        clutch = p["goods"][oid]
        for _ in range(clutch.get("fed", 0)):
            closing.seen.append("a spider hatches")
            add_spider(p, clutch["place"], 0, 20)
        if clutch["kind"] == "clutch":
            clutch["fed"] = 0
            if not clutch["eggs"]:
                del p["goods"][oid]
    for spider in of_kind(p, "spider"):
        for _ in range(spider["fed"]):
            closing.seen.append("a spider hatches at its carrier")
            add_spider(p, spider["place"], 0, 20)
        spider["fed"] = 0


def hatch_ants(closing: Closing, seat: int) -> None:
    """R53, R65, R83."""
    p = closing.p
    eggs: list[tuple[int | None, int | None, int]] = []
    for oid in sorted(p["goods"]):
        if p["goods"][oid]["kind"] == "egg" and p["goods"][oid]["seat"] == seat:
            eggs.append((oid, None, 0))
    for group in of_kind(p, "group", seat):
        eggs += [(None, group["id"], number) for number in range(len(group["eggs"]))]
    waits = None
    if eggs and of_kind(p, "group", seat) and not of_kind(p, "queen", seat):
        closing.seen.append("an egg waits for a queen to be raised")
        waits = eggs[-1]
    kept: dict[int, list[tuple[int, int]]] = {group["id"]: [] for group in of_kind(p, "group", seat)}
    for egg in eggs:
        lying, carrier, number = egg
        if lying is not None:
            thing = p["goods"][lying]
            colour, wait, places = thing["colour"], thing["wait"], [thing["place"]]
        else:
            assert carrier is not None
            colour, wait = p["units"][carrier]["eggs"][number]
            places = stands_on(p["units"][carrier])
        hatches = wait <= 1 and egg != waits
        wait = max(0, wait - 1)
        if hatches:
            nest = {"bridge": places, "place": places[0], "seat": seat}
            needed = p["options"]["ant_hatch_food"]
            if sum(food_near(p, nest, []).values()) < needed:
                closing.seen.append("an egg without food waits")
                hatches = False
            else:
                eat_near(p, nest, needed, [])
        if not hatches:
            if lying is not None:
                p["goods"][lying]["wait"] = wait
            else:
                assert carrier is not None
                kept[carrier].append((colour, wait))
            continue
        if lying is not None:
            del p["goods"][lying]
        place = places[0]
        p["colonies"][seat]["hatched"] += 1
        room = [
            group
            for group in of_kind(p, "group", seat)
            if group["colour"] == colour and group["ants"] < 6 and place in stands_on(group)
        ]
        if room:
            room[0]["ants"] += 1
        else:
            add_group(p, seat, colour, 1, place, 10)
    for oid, left in kept.items():
        p["units"][oid]["eggs"] = left


# --- The setup (section 2; R1, R2, R35, R36).


def good_hole(p: Position, seat: int, place: Place) -> bool:
    south = 2 * place[1] >= p["height"]
    if place[2] != 1 or not is_land(p, place) or terrain(p, place) == "#" or place in fungus(p):
        return False
    return south == (seat == 1)


def good_start(p: Position, place: Place) -> bool:
    if place[2] != 1 or not is_land(p, place) or place in holes(p):
        return False
    return all(distance(place, one) >= 3 for one in fungus(p))


def nearest(p: Position, place: Place, good: Callable[[Place], bool]) -> Place:
    """Ties: y, then x."""
    return min([one for one in all_places(p, 1) if good(one)], key=lambda one: (distance(one, place), reading(one)))


def default_hole(p: Position, seat: int) -> Place:
    """In the middle of the half; or where it touches most fungus, and then as near to that place as possible."""
    w, h = p["width"], p["height"]
    wished = (w // 2 - 1, h - 2, 1) if seat == 1 else (w // 2, 1, 1)
    middle = nearest(p, wished, lambda place: good_hole(p, seat, place))
    if p["options"]["places"] == "middle":
        return middle
    good = [place for place in all_places(p, 1) if good_hole(p, seat, place)]
    touched = {place: sum(distance(place, one) <= 1 for one in fungus(p)) for place in good}
    best = [place for place in good if touched[place] == max(touched.values())]
    return min(best, key=lambda one: (distance(one, middle), reading(one)))


def default_start(p: Position) -> Place:
    """The default place of the map, which knows no ant holes; if there is one now, what is nearest to that place."""
    unchosen = {**p, "colonies": {}}
    default = nearest(p, (p["width"] - 2, p["height"] // 2 - 1, 1), lambda place: good_start(unchosen, place))
    if p["options"]["places"] == "fungus":
        holes_of_the_map = [default_hole(unchosen, 1), default_hole(unchosen, 2)]
        good = [one for one in all_places(p, 1) if good_start(unchosen, one) and one not in holes_of_the_map]
        away = {one: min(distance(one, hole) for hole in holes_of_the_map) for one in good}
        enough = min(8, max(away.values()))
        far = [one for one in good if away[one] >= enough]
        default = min(far, key=lambda one: (distance(one, default), reading(one)))
    return nearest(p, default, lambda place: good_start(p, place))


def set_up(closing: Closing) -> None:
    p = closing.p
    o = p["options"]
    first = 3 + 4 * p["width"] * p["height"]  # the homes' objects: homes and, after each, brood or colony

    def chosen(seat: int) -> Place | None:
        queue = closing.queues.pop(first + 2 * seat + 1, [])
        return queue[0][1] if queue else None

    for seat, colony in p["colonies"].items():
        place = chosen(seat)
        if place is None or not good_hole(p, seat, place):
            place = default_hole(p, seat)
        colony["hole"] = place
    place = chosen(0)
    if place is not None and not good_start(p, place):
        closing.reasons.append("bad start")
        place = None
    place = place or default_start(p)
    four = o["ant_setup"] == "four_groups"
    for seat, colony in p["colonies"].items():
        x, y, _ = colony["hole"]
        wide, high = (5, 4) if four else (3, 3)
        left = max(0, min(x - (2 if four else 1), p["width"] - wide))
        top = max(0, min(y - 1, p["height"] - high))
        for square in [(i, j, 0) for j in range(top, top + high) for i in range(left, left + wide)]:
            p["dug"].setdefault(square, seat)
    for seat, colony in p["colonies"].items():
        below = (*colony["hole"][:2], 0)
        if p["dug"][below] != seat:
            closing.seen.append("a hole in the other colony's rectangle")
        p["dug"][below] = seat
    if len([one for one, seat in p["dug"].items() if seat == 1]) < (20 if four else 9):
        closing.seen.append("rectangles overlap")
    for seat, colony in p["colonies"].items():
        below = (*colony["hole"][:2], 0)
        for colour in [BLACK, BLACK, RED, RED] if four else [BLACK, RED]:
            group = add_group(p, seat, colour, 5 if four else 6, below, 0)
            group["food"] = 0 if four else 15
            colony["hatched"] += group["ants"]
        add_queen(p, seat, below, 0)
        if four:
            mine = sorted([one for one, owner in p["dug"].items() if owner == seat], key=reading)
            for square in mine[:6]:
                p["food"][square] = 5
    add_spider(p, place, o["start_cocooned"], 0)


# --- Section 4: which orders are taken.

BAD_ORDER, NOT_HERE, NOT_YOURS, NO_SUCH_THING, WRONG_PHASE, GAME_OVER, QUEUE_FULL, ILLEGAL = 1, 2, 5, 4, 3, 2, 3, 2

CARRIERS = {
    "Move": "spider group queen",
    "Wait": "spider group queen",
    "Drop": "spider group",
    "Pick Up": "spider group",
    **dict.fromkeys(["Heal", "Eat", "Feed Egg", "Build Web", "Span Web", "Destroy Web", "Cocoon", "Wrap"], "spider"),
    **dict.fromkeys(["Attack", "Lay Eggs", "Reaction"], "spider"),
    **dict.fromkeys(["Excavate", "Collect Web", "Bridge", "Unbridge", "Harvest", "Ward", "Group Attack"], "group"),
    **dict.fromkeys(["Raise Queen", "Stance", "Merge", "Split"], "group"),
    **dict.fromkeys(["Lay", "Feed Queen"], "queen"),
}

RANGES: dict[str, dict[int, tuple[int, int]]] = {
    "Heal": {1: (1, 10)},
    "Eat": {1: (0, 50), 2: (0, 50)},
    "Feed Egg": {2: (1, 2), 3: (1, 5)},
    "Span Web": {1: (0, 7)},
    "Cocoon": {2: (1, 2), 3: (1, 2)},
    "Wrap": {1: (1, 50)},
    "Attack": {2: (1, 2), 3: (0, 6)},
    "Reaction": {1: (1, 2)},
    "Bridge": {1: (0, 7)},
    "Unbridge": {1: (1, 2)},
    "Stance": {1: (1, 2)},
    "Merge": {2: (1, 6)},
    "Split": {1: (1, 5)},
    "Lay": {1: (0, 20), 2: (0, 20), 3: (1, 2)},
    "Feed Queen": {1: (1, 10)},
}
"""The numbers and choices of orders that are taken, by their place in the order."""

TARGETS = {
    "Feed Egg": "clutch spider",
    "Cocoon": "group",
    "Attack": "group queen",
    "Group Attack": "spider group queen",
    "Raise Queen": "egg group",
    "Merge": "group",
}
"""Kinds of the object that an order names first."""


def refusal(p: Position, seat: int, oid: int, order: Order, queued: int) -> int:
    """Return the code with which an order to a unit is refused, 0 if it is taken; ``queued`` orders are before it.

    Nothing is hidden (``underground`` is open), and places are on the boards.
    """
    if any(not low <= order[at] <= high for at, (low, high) in RANGES.get(order[0], {}).items()):
        return BAD_ORDER
    things = {**p["units"], **p["goods"]}
    if order[0] in TARGETS and order[1] in things:
        thing = things[order[1]]
        if thing["kind"] not in TARGETS[order[0]].split():
            return BAD_ORDER
        if order[0] in ("Feed Egg", "Raise Queen") and order[1] in p["units"] and order[1] != oid:  # "or self"
            return BAD_ORDER
        if order[0] == "Group Attack" and thing["seat"] == seat:  # "of another player"
            return BAD_ORDER
    unit = p["units"].get(oid)
    if unit is None:
        return NO_SUCH_THING
    if unit["kind"] not in CARRIERS[order[0]].split():
        return NOT_HERE
    if unit["seat"] != seat:
        return NOT_YOURS
    if order[0] in TARGETS and order[1] not in things:
        return NO_SUCH_THING
    if is_out(p, seat):  # R73: units without orders
        return WRONG_PHASE
    if p["phase"] == "over":
        return GAME_OVER
    return QUEUE_FULL if queued >= 16 else 0


def setup_refusal(p: Position, seat: int, place: Place, queued: int) -> int:
    """Return the code with which the choice of the setup is refused, 0 if it is taken."""
    if queued:  # one slot
        return QUEUE_FULL
    if seat == 0:
        start = place[2] == 1 and is_land(p, place) and all(distance(place, one) >= 3 for one in fungus(p))
        return 0 if start else ILLEGAL
    return 0 if good_hole(p, seat, place) else ILLEGAL
