"""Comparison of Taller-Ants with the second statement of its rules.

It plays random games and positions made for rare situations. After every closing `compare` compares the whole position,
the remaining queues, chance, awaited players, reasons of dropped orders, and final places. It also compares which of
some orders to each unit are refused.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

from tests.rulesets.difference import smallest
from tests.rulesets.rules_compared import SEED, Difference, closed, same
from tests.rulesets.taller_ants import statement as stated
from tests.rulesets.taller_ants.keen import keen_bot
from tprules.api import Dice, Order, Refusal, canonical, parse_options
from tprules.api.advance import Advanced, opening
from tprules.api.bots import random_bot
from tprules.api.order_checks import State, apply, insertion
from tprules.api.ruleset import find_phase
from tprules.taller_ants import RULESET
from tprules.testing import busy_bot
from tprules.testing.play import give_orders

Place = stated.Place
Position = stated.Position

FIRST_SQUARE = 3
LONGEST_GAME = 4
"""Turns from a position that was made until another one is."""

MAPS = (
    "........../.1...~~.../....~~~.../...~~~..../..~~...22./........../.......2../......,.../.......#../..........",
    "......../.F..~.../...~~.../.~~~..../..~...../...#..F./......~./........",
)
"""Small ones with rivers that can be bridged, so that everything is near."""

FIELDS = {
    "Group": "id seat colour ants place ticks food points eggs stance wards bridge near far ended",
    "Spider": "id place hp ticks cocooned eggs fed captives attacked acted ended reaction",
    "Queen": "id seat place hp ticks",
    "Clutch": "id place eggs fed",
    "AntEgg": "id seat place colour wait",
    "Cocoon": "id place ants",
}
"""The stored fields of units and goods, in their order."""

KINDS = {
    "Group": "group",
    "Spider": "spider",
    "Queen": "queen",
    "Clutch": "clutch",
    "AntEgg": "egg",
    "Cocoon": "cocoon",
}


# Between the game's numbers and the statement's places.


def place_of(number: int, width: int, area: int) -> Place | None:
    if number < 0:
        return None
    return number % area % width, number % area // width, 1 if number < area else 0


def number_of(place: Place | None, width: int, area: int) -> int:
    if place is None:
        return -1
    return place[0] + width * place[1] + (0 if place[2] else area)


def read(state: State[Any]) -> Position:
    """Return the statement's position for a state of the game; every field of the stored world is used."""
    data = json.loads(canonical(RULESET.dump(state.world)))
    width, drawing = data.pop("width"), data.pop("drawing")
    area = len(drawing)

    def at(number: int) -> Place | None:
        return place_of(number, width, area)

    def thing(row: list[Any]) -> dict[str, Any]:
        found = {"kind": KINDS[row[0]], **dict(zip(FIELDS[row[0]].split(), row[1:], strict=True))}
        for name in ("place", "near", "far"):
            if name in found:
                found[name] = at(found[name])
        if found["kind"] == "group":
            found["eggs"] = [tuple(egg) for egg in found["eggs"]]
            found["bridge"] = [at(one) for one in found["bridge"]]
            if not found["bridge"]:  # what is stored then is of the last bridge, and without meaning
                found["near"] = found["far"] = None
        if found["kind"] == "spider":
            found["seat"] = 0
            found["captives"] = [tuple(one) for one in found["captives"]]
        return found

    units = {row[1]: thing(row) for row in data.pop("units")}
    goods = {row[1]: thing(row) for row in data.pop("goods")}
    for one in goods.values():
        del one["id"]
    colonies = {}
    for seat, (hole, out, hatched, killed, cocooned) in enumerate(data.pop("colonies"), 1):
        colonies[seat] = {"hole": at(hole), "out": out, "hatched": hatched, "killed": killed, "cocooned": cocooned}
    stage = data.pop("stage")
    found = {
        "width": width,
        "height": area // width,
        "map": [drawing[start : start + width] for start in range(0, area, width)],
        "options": data.pop("settings"),
        "phase": "over" if state.over else stage,
        "round": data.pop("round"),
        "active": data.pop("active"),
        "step": data.pop("step"),
        "newest": data.pop("newest"),
        "webs": {at(one) for one in data.pop("webs")},
        "wards": {at(one) for one in data.pop("wards")},
        "food": {at(one): number for one, number in data.pop("food")},
        "points": {at(one): number for one, number in data.pop("web_points")},
        "dug": {at(one): seat for one, seat in data.pop("dug")},
        "fungi": {
            oid: {"squares": sorted((at(one) for one in squares), key=stated.reading), "exhausted": exhausted}
            for oid, squares, exhausted in data.pop("fungi")
        },
        "units": units,
        "goods": goods,
        "colonies": colonies,
        "spiders out": data.pop("spiders_out"),
        "sealed": data.pop("sealed"),
        "opened": data.pop("opened"),
        "next": data.pop("next_id"),
        "winners": data.pop("winners"),
    }
    assert not data.pop("again"), "no turn is to be repeated between turns"
    assert list(data) == ["ended"], f"the stored world has more: {list(data)}"
    return found


def world_of(position: Position) -> Any:
    """Return the game's world for a position between two turns."""
    width, area = position["width"], position["width"] * position["height"]

    def number(place: Place | None) -> int:
        return number_of(place, width, area)

    def row(name: str, oid: int, found: dict[str, Any]) -> list[Any]:
        values: list[Any] = []
        for field in FIELDS[name].split():
            value = oid if field == "id" else found[field]
            if field in ("place", "near", "far"):
                value = number(value)
            if field == "bridge":
                value = [number(one) for one in value]
            if field in ("eggs", "captives") and isinstance(value, list):
                value = [list(one) for one in value]
            values.append(value)
        return [name, *values]

    names = {kind: name for name, kind in KINDS.items()}

    def numbered(places: dict[Place, int]) -> list[list[int]]:
        return sorted([number(place), amount] for place, amount in places.items())

    data = {
        "width": width,
        "drawing": "".join(position["map"]),
        "settings": position["options"],
        "colonies": [
            [number(one["hole"]), one["out"], one["hatched"], one["killed"], one["cocooned"]]
            for one in position["colonies"].values()
        ],
        "stage": position["phase"],
        "round": position["round"],
        "active": position["active"],
        "step": position["step"],
        "again": False,
        "newest": position["newest"],
        "webs": sorted(number(one) for one in position["webs"]),
        "wards": sorted(number(one) for one in position["wards"]),
        "food": numbered(position["food"]),
        "web_points": numbered(position["points"]),
        "dug": numbered(position["dug"]),
        "fungi": [
            [oid, sorted(number(one) for one in found["squares"]), found["exhausted"]]
            for oid, found in sorted(position["fungi"].items())
        ],
        "units": [row(names[one["kind"]], oid, one) for oid, one in sorted(position["units"].items())],
        "goods": [row(names[one["kind"]], oid, one) for oid, one in sorted(position["goods"].items())],
        "spiders_out": position["spiders out"],
        "sealed": position["sealed"],
        "opened": position["opened"],
        "next_id": position["next"],
        "ended": "",
        "winners": [],
    }
    return RULESET.load(data, RULESET.version)


PARAMS = {
    "Place Spider": "Square:place",
    "Choose Hole": "Square:place",
    "Move": "Square:place",
    "Drop": "Goods:goods",
    "Pick Up": "Square:place Goods:goods",
    "Heal": "Points",
    "Eat": "Captives Cocooned",
    "Feed Egg": "Egg With:one Number",
    "Build Web": "Square:place",
    "Span Web": "Direction:one",
    "Destroy Web": "Square:place",
    "Cocoon": "Group Size:one Number",
    "Wrap": "Number",
    "Attack": "Target Choice:one Limit",
    "Reaction": "Choice:one",
    "Excavate": "Directions:several",
    "Bridge": "Direction:one",
    "Unbridge": "End:one",
    "Harvest": "Square:place",
    "Ward": "Square:place",
    "Group Attack": "Target",
    "Raise Queen": "Egg",
    "Stance": "Choice:one",
    "Merge": "Group Number",
    "Split": "Number",
    "Lay": "Red Black With:one",
    "Feed Queen": "Number",
}
"""The parameters of orders and how the statement has them."""


def as_given(position: Position, order: stated.Order) -> dict[str, Any]:
    """Return the raw arguments of a statement's order for the game."""
    width, area = position["width"], position["width"] * position["height"]
    args = {}
    for param, value in zip(PARAMS.get(order[0], "").split(), order[1:], strict=True):
        name, _, how = param.partition(":")
        if how == "place":
            value = FIRST_SQUARE + 2 * number_of(value, width, area)
        elif how == "goods":
            value = [[kind, number] for kind, number in value.items()]
        elif how == "one":
            value = [[value, 1]]
        elif how == "several":
            value = [[one, 1] for one in value]
        args[name] = value
    return args


def as_stated(position: Position, order: Order) -> stated.Order:
    """Return the statement's order for one of the game."""
    width, area = position["width"], position["width"] * position["height"]
    args: list[Any] = []
    for param in PARAMS.get(order.type, "").split():
        name, _, how = param.partition(":")
        value = order.args[name]
        if how == "place":
            value = place_of((value - FIRST_SQUARE) // 2, width, area)
        elif how == "goods":
            value = dict(value)
        elif how == "one":
            value = value[0][0]
        elif how == "several":
            value = [one for one, _ in value]
        args.append(value)
    return order.type, *args


def queues_of(position: Position, state: State[Any]) -> dict[int, list[stated.Order]]:
    return {
        on: [as_stated(position, order) for order in queue if not order.draft] for on, queue in state.queues.items()
    }


# Comparing.


def compare_closing(before: State[Any]) -> tuple[Advanced[Any], stated.Closing]:
    """Close a turn in both; raise Difference."""
    done, draws = closed(RULESET, before)
    position = read(before)
    closing = stated.close(position, queues_of(position, before), draws)
    draws.finish()
    game = read(done.state)
    reasons = [one.body.rpartition("(")[2].partition(")")[0] for one in done.reports if one.subject == "Order Invalid"]
    same(closing.reasons, reasons, "reasons")
    same(closing.p, game)
    if done.state.over:
        assert done.outcome is not None
        same(closing.p["winners"], done.outcome.winners(), "winners")
        same(stated.places(closing.p), dict(done.outcome.places), "places")
    else:
        awaited = sorted(find_phase(RULESET, done.state.phase).active(done.state.world))
        same([closing.p["active"]], awaited, "awaited")
        left = {oid: queue for oid, queue in closing.queues.items() if queue}
        same(left, queues_of(game, done.state), "orders that are left")
    return done, closing


def compare_refusals(state: State[Any], p: Position, dice: random.Random) -> int:
    """Try orders of all sorts, right and wrong, and in the setup every square; return how many were tried."""
    area, tried = p["width"] * p["height"], 0
    if p["phase"] == "setup":
        for seat in stated.seats(p):
            name, on = "Choose Hole" if seat else "Place Spider", home(area, seat)
            queued = len(state.queues.get(on, []))
            for place in stated.all_places(p, 1) + stated.all_places(p, 0):
                args = as_given(p, (name, place))
                code = stated.setup_refusal(p, seat, place, queued)
                same(code, answer(state, seat, on, name, args), f"{name} {place}")
                tried += 1
        return tried
    for oid, unit in sorted(p["units"].items()):
        order = random_order(p, unit, dice)
        if order is None:
            continue
        seat, on = dice.choice([unit["seat"], unit["seat"], *stated.seats(p)]), oid
        if dice.random() < 0.2:
            on = dice.choice([*p["units"], p["next"] + 5])
        if order[0] in ("Drop", "Pick Up"):  # what can be selected depends on who carries it
            seat, on = unit["seat"], oid
        values = list(order)
        for at, (low, high) in stated.RANGES.get(order[0], {}).items():
            if dice.random() < 0.2:
                values[at] = dice.choice([low - 1, low, high, high + 1])
        if order[0] in stated.TARGETS and dice.random() < 0.2:
            values[1] = dice.choice([p["next"] + 7, *p["units"], *p["goods"]])
        order = tuple(values)
        code = stated.refusal(p, seat, on, order, len(state.queues.get(on, [])))
        same(code, answer(state, seat, on, order[0], as_given(p, order)), f"{order} of seat {seat} to {on}")
        tried += 1
    return tried


def home(area: int, seat: int) -> int:
    """Return the object of a seat's Brood or Colony."""
    return FIRST_SQUARE + 4 * area + 2 * seat + 1


def answer(state: State[Any], seat: int, on: int, name: str, args: dict[str, Any]) -> int:
    """Return the code with which the game refuses an order, 0 if it takes it, 100 if it keeps it as a draft."""
    try:
        change = insertion(RULESET, state, seat, on, name, args)
    except Refusal as refusal:
        return int(refusal.code)
    return 100 if change.order.draft else 0


# Playing.


def random_options(dice: random.Random) -> dict[str, Any]:
    return {
        "map": "text",
        "map_text": dice.choice(MAPS),
        "ant_setup": dice.choice(["four_groups", "two_groups"]),
        "web_goal_percent": dice.choice([10, 20, 50]),
        "cocoon_goal": dice.choice([3, 10, 20]),
        "food_goal": dice.choice([10, 40, 100]),
        "ants_goal": dice.choice([5, 10, 50]),
        "start_cocooned": dice.choice([0, 3, 10, 30]),
        "spider_hp": dice.choice([8, 20, 30]),
        "queen_hp": dice.choice([4, 10, 12]),
        "max_spiders": dice.choice([1, 3, 5, 10]),
        "store_per_square": dice.choice([0, 3, 5, 8]),
        "ant_hatch_delay": dice.choice([1, 1, 2, 5]),
        "ant_hatch_food": dice.choice([0, 0, 1, 3]),
        "ward_cost_mp": dice.choice([0, 0, 2]),
        "web_under_ants": dice.random() < 0.3,
        "phase_steps": dice.choice([1, 1, 2, 3]),
        "underground": "open",
        "ant_order": dice.choice(["fixed", "alternate"]),
        "places": dice.choice(["fungus", "middle"]),
        "max_rounds": dice.choice([5, 8, 60]),
        "seal_rounds": dice.choice([0, 1, 2, 10]),
    }


def opened(dice: random.Random, game: int) -> State[Any]:
    options = random_options(dice)
    return opening(RULESET, parse_options(RULESET.options, options), dice.choice([2, 3, 3]), f"{game}".encode()).state


Hints = list[tuple[int, stated.Order]]
"""Orders that are given first, so that something rare comes up: by id of the unit."""


def made(dice: random.Random, game: int) -> tuple[Position, Hints]:
    """Return a position in which all is near: units in a crowd, loaded, hurt, on webs and bridges, and goods around."""
    state = opened(dice, game)
    p = read(state)
    closing = stated.close(p, {}, dice.randrange)
    p = closing.p
    scene = dice.choice(["crowd", "crowd", "crowd", "crowd", "sealed", "vanishing", "covered"])
    middle = dice.randrange(2, p["width"] - 2), dice.randrange(2, p["height"] - 2)
    wide = dice.choice([2, 3, 5])
    above = [one for one in stated.all_places(p, 1) if stated.distance(one, (*middle, 1)) <= wide]
    for _ in range(dice.choice([0, 3, 10])):
        square = (*dice.choice(above)[:2], 0)
        p["dug"].setdefault(square, dice.choice(list(p["colonies"])))
    for place in above:
        if dice.random() < dice.choice([0.0, 0.3, 0.7]) and place not in stated.fungus(p):
            p["webs"].add(place)
    if dice.random() < 0.3:
        p["wards"].update(one for one in dice.sample(above, 2) if stated.is_land(p, one) and is_bare(p, one))
    if scene == "covered":
        p["webs"].update(dice.sample(stated.holes(p), 1))
    if scene == "sealed":
        p["webs"].update(stated.holes(p))
    if dice.random() < 0.2:
        ring_of_webs(p)
    scatter(p, above, scene, dice)
    if scene != "sealed" and dice.random() < 0.4:
        build_bridges(p, dice)
    for _ in range(dice.choice([0, 4, 12])):
        lay_something(p, dice.choice([*above, *p["dug"]]), dice)
    p["round"] = dice.choice([1, 2, p["options"]["max_rounds"], p["options"]["max_rounds"] - 1])
    p["active"] = dice.choice(stated.seats(p))
    p["phase"] = "ants" if p["active"] else "spider"
    p["sealed"] = dice.choice([0, 0, 1, 9])
    p["opened"] = dice.random() < 0.3
    for unit in p["units"].values():
        full = 20 if unit["kind"] == "spider" else 10
        unit["ticks"] = full if dice.random() < 0.8 else dice.randrange(full)
    for seat, colony in p["colonies"].items():
        if scene == "vanishing" and seat == 2 and p["active"] != seat and dice.random() < 0.5:
            for oid in [oid for oid, unit in p["units"].items() if unit["seat"] == seat]:
                del p["units"][oid]
            for oid in [oid for oid, thing in p["goods"].items() if thing.get("seat") == seat]:
                del p["goods"][oid]
        if stated.is_gone(p, seat) and seat != p["active"] and len(p["colonies"]) > 1 and dice.random() < 0.5:
            colony["out"] = True
    hints = aimed(p, dice) if scene == "crowd" else []
    p["newest"] = p["next"]
    p["opened"] = p["opened"] or not stated.is_sealed(p)
    return p, hints


def aimed(p: Position, dice: random.Random) -> Hints:
    """Change the position so that something rare is one order away; return that order, and others like it."""
    what = dice.choice(["vanish", "drown", "drown", "cover", "wards", "sink", "feed", "raise", "eggs", *["siege"] * 4])
    spiders = stated.of_kind(p, "spider")
    spider = spiders[0] if spiders else None
    groups = stated.of_kind(p, "group", 1)
    hole = p["colonies"][1]["hole"]
    if what == "drown":
        return aim_at_bridge(p, dice)
    if what == "wards" and groups:
        p["active"], p["phase"] = 1, "ants"
        group = groups[0]
        free = [one for one in stated.all_places(p, 1) if stated.is_land(p, one) and is_bare(p, one)]
        free = [one for one in free if any(stated.touch(one, own) for own in stated.stands_on(group))]
        group["food"], group["eggs"], group["ants"] = 5 * group["ants"], [], group["ants"]
        return [(group["id"], ("Ward", one)) for one in free[: group["ants"] + 1]]
    if what == "eggs" and groups and stated.stands_on(groups[0])[0][2] == 1:
        p["active"], p["phase"] = 1, "ants"
        group, place = groups[0], stated.stands_on(groups[0])[0]
        group.update(ants=max(2, group["ants"]), eggs=[], food=0)
        stated.lay_clutch(p, place, 2, 1)
        return [(group["id"], ("Pick Up", place, {stated.A_EGGS: 1}))]
    if what == "raise" and groups:
        p["active"], p["phase"] = 1, "ants"
        for queen in stated.of_kind(p, "queen", 1):
            del p["units"][queen["id"]]
        group = groups[0]
        group.update(ants=max(3, group["ants"]), eggs=[(0, 2), (1, 2)], food=dice.choice([4, 5]), ticks=10)
        return [(group["id"], ("Raise Queen", group["id"]))]
    if what == "siege":
        return aim_at_queen(p, dice)
    if spider is None:
        return []
    p["active"], p["phase"] = 0, "spider"
    if what == "vanish" and groups:
        group, place = groups[0], next(iter(p["fungi"].values()))["squares"][0]
        for colony in list(p["colonies"].values())[1:]:
            colony["out"] = True
        p["units"] = {spider["id"]: spider, group["id"]: group}
        p["goods"] = {}
        group.update(ants=1, eggs=[], food=0, bridge=[], near=None, far=None, stance=stated.FIGHT)
        group["place"] = spider["place"] = place
        beside = [stated.step(place, way) for way in range(8)]
        spider["place"] = next(one for one in beside if stated.is_land(p, one))
        spider["captives"] = []
        return [(spider["id"], ("Attack", group["id"], stated.KILL, 0))]
    beside = [stated.step(hole, way) for way in range(8)]
    beside = [one for one in beside if stated.is_land(p, one) and not stated.units_at(p, one)]
    if what == "cover" and beside and not stated.enemy_at(p, 0, hole):
        spider["place"] = dice.choice(beside)
        spider["hp"] = p["options"]["spider_hp"]
        return [(spider["id"], ("Build Web", hole)), (spider["id"], ("Build Web", spider["place"]))]
    narrow = [one for one in stated.all_places(p, 1) if stated.is_water(p, one) and stated.is_narrow(p, one)]
    narrow = [one for one in narrow if one not in p["webs"] and not stated.units_at(p, one)]
    if what == "sink" and narrow:
        spider["place"] = dice.choice(narrow)
        spider["captives"] = [(1, 0), (1, 1)]
        return [(spider["id"], ("Drop", {1: 1, 2: max(1, spider["cocooned"])})), (spider["id"], ("Drop", {1: 1}))]
    if what == "feed":
        spider["eggs"], spider["cocooned"] = 3, 5
        return [(spider["id"], ("Feed Egg", spider["id"], stated.COCOONED, 1)) for _ in range(4)]
    return []


def aim_at_queen(p: Position, dice: random.Random) -> Hints:
    """Groups of one colony around the queen of the other, all of which attack her."""
    for queen in stated.of_kind(p, "queen"):
        enemies = [one for one in stated.of_kind(p, "group") if one["seat"] != queen["seat"] and not one["bridge"]]
        around = [stated.step(queen["place"], way) for way in range(8)]
        hints: Hints = []
        for group in enemies:
            places = [one for one in around if stated.may_enter(p, group, group["place"], one)]
            if places:
                group["place"], group["ticks"] = dice.choice(places), 10
                hints.append((group["id"], ("Group Attack", queen["id"])))
        if hints:
            p["active"], p["phase"] = enemies[0]["seat"], "ants"
            queen["hp"] = p["options"]["queen_hp"]
            return hints
    return []


def aim_at_bridge(p: Position, dice: random.Random) -> Hints:
    """Enemies at one end of a bridge, or at both, one of whom attacks it."""
    build_bridges(p, dice)
    for group in stated.of_kind(p, "group"):
        if not group["bridge"]:
            continue
        group["ants"] = max(1, len(group["bridge"]))
        group["eggs"] = group["eggs"][: group["ants"]]
        group["food"] = min(group["food"], 5 * (group["ants"] - len(group["eggs"])))
        group["stance"] = stated.FIGHT
        for end in (group["near"], group["far"]):
            for unit in stated.units_at(p, end):
                del p["units"][unit["id"]]
        enemies = [u for u in p["units"].values() if u["seat"] != group["seat"] and not u.get("bridge")]
        enemies = [unit for unit in enemies if unit["kind"] != "queen"]
        if not enemies:
            return []
        first = dice.choice(enemies)
        first["place"] = group["near"]
        others = [unit for unit in enemies if unit["seat"] == first["seat"] and unit is not first]
        if others and dice.random() < 0.7:
            dice.choice(others)["place"] = group["far"]
        friends = [u for u in p["units"].values() if u["seat"] == group["seat"] and not u.get("bridge")]
        if friends:
            dice.choice(friends)["place"] = dice.choice(group["bridge"])
        p["active"] = first["seat"]
        p["phase"] = "ants" if p["active"] else "spider"
        if p["active"]:
            return [(first["id"], ("Group Attack", group["id"]))]
        return [(first["id"], ("Attack", group["id"], dice.choice([stated.KILL, stated.TAKE]), dice.choice([0, 1, 1])))]
    return []


def is_bare(p: Position, place: Place) -> bool:
    return place not in p["webs"] and place not in stated.fungus(p) and place not in stated.holes(p)


def ring_of_webs(p: Position) -> None:
    """Shut a group of fungus in with webs."""
    squares = next(iter(p["fungi"].values()))["squares"]
    for place in stated.all_places(p, 1):
        if stated.is_land(p, place) and is_bare(p, place) and any(stated.distance(place, one) == 1 for one in squares):
            p["webs"].add(place)


def scatter(p: Position, above: list[Place], scene: str, dice: random.Random) -> None:
    """Move the units about, and hurt and load them; some vanish."""
    for seat in list(p["colonies"]):
        for colour in (stated.BLACK, stated.RED):
            stated.add_group(p, seat, colour, dice.randrange(1, 7), next(iter(p["dug"])), 0)
    for _ in range(dice.choice([0, 1, 1, 3])):
        stated.add_spider(p, (0, 0, 1), 0, 0)
    units = sorted(p["units"].items())
    dice.shuffle(units)
    goes = {"vanishing": 0.75, "crowd": 0.2}.get(scene, 0.4)
    for oid, unit in units:
        if dice.random() < goes and (unit["kind"] != "spider" or dice.random() < 0.3):
            del p["units"][oid]
            continue
        inside = unit["kind"] != "spider" and (scene == "sealed" or dice.random() < 0.3)
        places = [one for one in (p["dug"] if inside else above) if may_stand(p, unit, one)]
        if unit["kind"] == "spider" and dice.random() < 0.9:
            places = [
                one for one in places if all(stated.distance(one, other) > 2 for other in stated.fungus(p))
            ] or places
        if unit["kind"] != "spider" and scene != "sealed" and dice.random() < 0.2:
            places = [one for one in stated.holes(p) if may_stand(p, unit, one)] or places
        if not places:
            del p["units"][oid]
            continue
        others = [one["place"] for one in p["units"].values() if one["seat"] != unit["seat"]]
        near = [one for one in places if any(stated.touch(one, other) for other in others)]
        unit["place"] = dice.choice(near if near and dice.random() < 0.5 else places)
        if unit["kind"] == "spider":
            unit["hp"] = min(p["options"]["spider_hp"], dice.choice([1, 2, 5, 11, 20, 30]))
            unit["cocooned"], unit["eggs"], unit["fed"] = (dice.choice([0, 0, 1, 4]) for _ in range(3))
            unit["fed"] = min(unit["fed"], 1)
            unit["captives"] = [(dice.choice(list(p["colonies"])), dice.randrange(2)) for _ in range(dice.randrange(4))]
            unit["reaction"] = dice.choice([1, 2])
        elif unit["kind"] == "queen":
            unit["hp"] = dice.randrange(1, p["options"]["queen_hp"] + 1)
        else:
            unit["ants"] = 1 if scene == "vanishing" else dice.choice([1, 2, 3, 5, 6])
            unit["eggs"] = [(dice.randrange(2), dice.choice([1, 1, 2])) for _ in range(dice.choice([0, 0, 1, 2]))]
            unit["eggs"] = unit["eggs"][: unit["ants"]]
            unit["food"] = dice.choice([0, 2, 5 * unit["ants"]])
            unit["food"] = min(unit["food"], 5 * (unit["ants"] - len(unit["eggs"])))
            unit["points"] = dice.choice([0, 0, 1, 5])
            unit["stance"] = dice.choice([1, 2])
    while len(stated.of_kind(p, "spider")) > p["options"]["max_spiders"]:
        del p["units"][stated.of_kind(p, "spider")[-1]["id"]]


def may_stand(p: Position, unit: dict[str, Any], place: Place) -> bool:
    if stated.enemy_at(p, unit["seat"], place):
        return False
    if not stated.is_water(p, place) or stated.is_webbed(p, place):
        return True
    return bool(unit["kind"] == "spider" and stated.is_narrow(p, place))


def build_bridges(p: Position, dice: random.Random) -> None:
    """Let groups beside water bridge it, and others stand on the bridge and at its ends."""
    groups = [one for one in stated.of_kind(p, "group") if one["place"][2] == 1 and stated.is_land(p, one["place"])]
    banks = [one for one in stated.all_places(p, 1) if stated.is_land(p, one)]
    for group in stated.of_kind(p, "group"):
        near, way = dice.choice(banks), dice.randrange(8)
        squares, place = [], stated.step(near, way)
        while stated.is_water(p, place) and not stated.units_at(p, place):
            squares.append(place)
            place = stated.step(place, way)
        if not squares or not stated.is_land(p, place) or len(squares) > 6:
            continue
        group["bridge"], group["near"], group["far"], group["place"] = squares, near, place, squares[0]
        group["ants"] = max(group["ants"], len(squares))
        for unit in groups + stated.of_kind(p, "spider") + stated.of_kind(p, "queen"):
            where = dice.choice([near, place, near, place, *(squares if unit["seat"] == group["seat"] else [near])])
            if not unit.get("bridge") and dice.random() < 0.4 and not stated.enemy_at(p, unit["seat"], where):
                unit["place"] = where
        return


def lay_something(p: Position, place: Place, dice: random.Random) -> None:
    kind = dice.randrange(6) if place[2] else dice.randrange(2, 6)  # spiders lay nothing below
    if kind == 0:
        stated.lay_cocoon(p, place, dice.randrange(1, 5))
    elif kind == 1:
        stated.lay_clutch(p, place, dice.randrange(3), dice.randrange(2))
    elif kind in (2, 3):
        stated.lay_egg(p, place, dice.choice(list(p["colonies"])), dice.randrange(2), dice.choice([1, 1, 2]))
    elif kind == 4:
        stated.lay_food(p, place, dice.randrange(1, 8))
    else:
        stated.lay_points(p, place, dice.randrange(1, 4))


def near_place(p: Position, unit: dict[str, Any], dice: random.Random, far: int = 1) -> Place:
    """Return a place beside a unit, mostly one on the board."""
    x, y, z = dice.choice(stated.stands_on(unit))
    for _ in range(9):
        place = x + dice.randint(-far, far), y + dice.randint(-far, far), z
        if stated.on_board(p, place):
            return place
    return x, y, z


def some_unit(p: Position, unit: dict[str, Any], dice: random.Random, kinds: tuple[str, ...], own: bool) -> int | None:
    """Return a unit, mostly one that touches."""
    found = [
        u for u in p["units"].values() if u["kind"] in kinds and (u["seat"] == unit["seat"]) == own and u is not unit
    ]
    near = [
        u for u in found if any(stated.distance(a, b) < 2 for a in stated.stands_on(u) for b in stated.stands_on(unit))
    ]
    chosen = dice.choice(near if near and dice.random() < 0.9 else found) if found else None
    return chosen["id"] if chosen else None


def some_goods(p: Position, unit: dict[str, Any], dice: random.Random, kind: str) -> int | None:
    found = [oid for oid, one in p["goods"].items() if one["kind"] == kind]
    near = [oid for oid in found if any(stated.touch(one, p["goods"][oid]["place"]) for one in stated.stands_on(unit))]
    return dice.choice(near if near and dice.random() < 0.9 else found) if found else None


def random_order(p: Position, unit: dict[str, Any], dice: random.Random) -> stated.Order | None:
    """Return an order for a unit: often one that could be carried out, often one that could not."""
    beside = near_place(p, unit, dice)
    if unit["kind"] == "spider":
        names = (
            "Move Move Wait Drop,Drop,PickUp,PickUp Heal Eat Feed,Feed Web,Web,Web Span,Span Destroy Cocoon,Cocoon Wrap"
        )
        names += " Attack,Attack,Attack Lay Reaction"
    elif unit["kind"] == "group":
        names = "Move,Move,Move Wait Drop,Drop PickUp,PickUp,PickUp Excavate Collect,Collect Bridge,Bridge,Bridge"
        names += " Unbridge,Unbridge Harvest,Harvest Ward,Ward GroupAttack,GroupAttack,GroupAttack Raise,Raise Stance"
        names += " Merge,Merge Split"
    else:
        names = "Move Wait Lay,Lay Feed"
    what = dice.choice(names.replace(",", " ").split())
    few = dice.choice([1, 1, 2, 3, 6])
    if what == "Move":
        far = dice.choice([1, 2, 4])
        goal = near_place(p, unit, dice, far)
        if dice.random() < 0.25:
            goal = (goal[0], goal[1], 1 - goal[2])
        if unit["kind"] != "spider" and dice.random() < 0.3:
            hole = dice.choice(stated.holes(p))
            goal = (hole[0], hole[1], dice.choice([0, 1]))
        return "Move", goal
    if what in ("Wait", "Collect") or (what == "Lay" and unit["kind"] == "spider"):
        return ({"Wait": "Wait", "Collect": "Collect Web", "Lay": "Lay Eggs"}[what],)
    if what in ("Drop", "PickUp"):
        kinds = [1, 2, 3, 4] if (unit["kind"] == "spider") == (what == "Drop") else [1, 3, 4]
        if what == "PickUp":
            kinds = [2, 3, 4] if unit["kind"] == "spider" else [1, 2, 3, 4]
        goods = {kind: few for kind in kinds if dice.random() < 0.5} or {kinds[0]: few}
        goods = dict.fromkeys(kinds, few) if dice.random() < 0.3 else goods
        if what == "PickUp":
            things = [one["place"] for one in p["goods"].values()] + list(p["food"]) + list(p["points"])
            things = [one for one in things if any(stated.touch(one, own) for own in stated.stands_on(unit))]
            return "Pick Up", dice.choice(things) if things else beside, goods
        if unit["kind"] == "spider":
            held = {1: len(unit["captives"]), 2: unit["cocooned"], 3: unit["eggs"], 4: unit["fed"]}
        else:
            held = {1: unit["food"], 3: len(unit["eggs"]), 4: unit["points"]}
        if dice.random() < 0.8:
            goods = {kind: dice.randint(1, held[kind]) for kind in goods if held[kind]} or goods
        return "Drop", goods
    if what == "Heal":
        return "Heal", dice.randint(1, 10)
    if what == "Eat":
        return "Eat", dice.choice([0, 1, len(unit["captives"])]), dice.choice([0, 1, unit["cocooned"]])
    if what == "Feed" and unit["kind"] == "spider":
        egg = unit["id"] if dice.random() < 0.4 else some_goods(p, unit, dice, "clutch")
        return None if egg is None else ("Feed Egg", egg, dice.choice([1, 2]), dice.choice([1, 1, 2]))
    if what in ("Web", "Destroy", "Ward"):
        return {"Web": "Build Web", "Destroy": "Destroy Web", "Ward": "Ward"}[what], beside
    if what in ("Span", "Bridge"):
        return {"Span": "Span Web", "Bridge": "Bridge"}[what], wet_way(p, unit, dice)
    if what == "Cocoon":
        target = some_unit(p, unit, dice, ("group",), False)
        return None if target is None else ("Cocoon", target, dice.choice([1, 2]), dice.choice([1, 2]))
    if what == "Wrap":
        return "Wrap", few
    if what == "Attack":
        target = some_unit(p, unit, dice, ("group", "group", "queen"), False)
        return None if target is None else ("Attack", target, dice.choice([1, 2]), dice.choice([0, 0, 1, 3]))
    if what in ("Reaction", "Stance"):
        return what, dice.choice([1, 2])
    if what == "Excavate":
        return "Excavate", sorted(dice.sample(range(8), dice.choice([1, 1, 2, 8])))
    if what == "Unbridge" and not unit["bridge"] and dice.random() < 0.8:
        return "Stance", dice.choice([1, 2])
    if what == "Unbridge":
        return "Unbridge", dice.choice([1, 2])
    if what == "Harvest":
        squares = [one for one in stated.fungus(p) if any(stated.touch(one, own) for own in stated.stands_on(unit))]
        return "Harvest", dice.choice(squares) if squares and dice.random() < 0.9 else beside
    if what == "GroupAttack":
        target = some_unit(p, unit, dice, ("spider", "group", "queen"), False)
        return None if target is None else ("Group Attack", target)
    if what == "Raise" and stated.of_kind(p, "queen", unit["seat"]) and dice.random() < 0.9:
        return "Split", 1
    if what == "Raise":
        egg = unit["id"] if dice.random() < 0.4 else some_goods(p, unit, dice, "egg")
        return None if egg is None else ("Raise Queen", egg)
    if what == "Merge":
        other = some_unit(p, unit, dice, ("group",), True)
        return None if other is None else ("Merge", other, few)
    if what == "Split":
        return "Split", dice.randint(1, 5)
    if what == "Lay":
        return "Lay", dice.randrange(3), dice.randrange(4), dice.choice([1, 2])
    return "Feed Queen", dice.randint(1, 10)


def wet_way(p: Position, unit: dict[str, Any], dice: random.Random) -> int:
    ways = [way for way in range(8) if stated.is_water(p, stated.step(unit["place"], way))]
    return dice.choice(ways) if ways and dice.random() < 0.9 else dice.randrange(8)


def choose(p: Position, state: State[Any], hints: Hints, dice: random.Random) -> None:
    """Give orders to the units of the active player; some are taken out again, some are given to others."""
    if p["phase"] == "setup":
        if dice.random() < 0.5:
            give_orders(RULESET, state, busy_bot, Dice(b"%d" % dice.randrange(10**9)))
        return
    for oid, order in hints:
        unit = p["units"][oid]
        apply(state, insertion(RULESET, state, unit["seat"], oid, order[0], as_given(p, order)))
    if not hints and dice.random() < 0.15:
        bot = dice.choice([keen_bot, random_bot])
        give_orders(RULESET, state, bot, Dice(b"%d" % dice.randrange(10**9)))
        return
    for oid, unit in sorted(p["units"].items()):
        if unit["seat"] != p["active"] and dice.random() < 0.95:
            continue
        if unit["seat"] and p["colonies"][unit["seat"]]["out"]:
            continue
        for _ in range(dice.choice([0, 1, 2, 3, 4])):
            order = random_order(p, unit, dice)
            if order is None:
                continue
            try:
                apply(state, insertion(RULESET, state, unit["seat"], oid, order[0], as_given(p, order)))
            except Refusal as refusal:
                if refusal.reason not in ("QueueFull", "full"):
                    raise Difference(f"{order} on {oid} is refused: {refusal.text}") from None


def compare(positions: int, first: int = 0) -> Counter[str]:
    """Compare that many positions, from the game of this number on; return how often each situation came up."""
    counts: Counter[str] = Counter()
    done = 0
    game = first
    while done < positions:
        done += compare_game(game, positions - done, counts)
        game += 1
    counts["games"] = game - first
    return counts


def compare_game(game: int, most: int, counts: Counter[str]) -> int:
    """Compare one game; return how many positions that were."""
    dice = random.Random(f"taller ants {game}")
    story: list[str] = []
    hints: Hints = []
    if dice.random() < 0.9:
        position, hints = made(dice, game)
        story.append(f"made: {position}")
        state = State(world_of(position), position["phase"], turn=dice.randrange(10**6))
        turns = LONGEST_GAME
    else:
        state = opened(dice, game)
        position = read(state)
        story.append(f"opening: {position}")
        turns = 5 * LONGEST_GAME
    try:
        same(position, read(state))
        for turn in range(min(turns, most)):
            choose(position, state, hints, dice)
            hints = []
            counts["refusals tried"] += compare_refusals(state, position, dice)
            story.append(f"turn {turn}, {position['phase']} {position['active']}: {queues_of(position, state)}")
            done, closing = compare_closing(state)
            counts.update(closing.seen)
            counts.update(f"Illegal {reason}" for reason in closing.reasons)
            state, position = done.state, closing.p
            if state.over:
                counts["refusals tried"] += compare_refusals(state, position, dice)
                return turn + 1
    except Difference as difference:
        raise Difference(explain(game, story, state, difference)) from None
    return min(turns, most)


def explain(game: int, story: list[str], state: State[Any], difference: Difference) -> str:
    """Return the game up to there, and the smallest position and orders that still differ."""
    lines = [f"Taller-Ants, game {game}: {difference}", *story]
    orders = sorted((order for queue in state.queues.values() for order in queue), key=lambda order: order.stamp)
    whole = read(state)
    removable = [
        (name, key) for name in ("units", "goods", "food", "points", "dug", "webs", "wards") for key in whole[name]
    ]

    def at(kept: list[Any], orders: list[Order]) -> State[Any]:
        position = read(state)
        for name in ("units", "goods", "food", "points", "dug"):
            position[name] = {key: value for key, value in position[name].items() if (name, key) in kept}
        for name in ("webs", "wards"):
            position[name] = {key for key in position[name] if (name, key) in kept}
        queues: dict[int, list[Order]] = {}
        for order in orders:
            queues.setdefault(order.on, []).append(order)
        return State(world_of(position), state.phase, state.turn, queues, state.stamp)

    def fails(kept: list[Any], orders: list[Order]) -> bool:
        try:
            compare_closing(at(kept, orders))
        except Difference as other:
            return str(other).split(":")[0].split("[")[0] == str(difference).split(":")[0].split("[")[0]
        except Exception:
            return False
        return False

    if fails(removable, orders):
        orders = smallest(orders, lambda fewer: fails(removable, fewer))
        kept = smallest(removable, lambda fewer: fails(fewer, orders))
        small = at(kept, orders)
        position = read(small)
        lines.append(f"made small, one turn (number {state.turn}, seed {SEED!r}): {position}")
        lines.append(f"orders {queues_of(position, small)}")
        try:
            compare_closing(small)
        except Difference as shorter:
            lines.append(f"there {shorter}")
    return "\n".join(lines)
