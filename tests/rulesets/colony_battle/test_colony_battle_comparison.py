"""Colony Battle equals the second statement of its rules.

Both get the same dice and orders, and every position is compared. With `python -m pytest -m soak -s` this file compares
100,000 positions, and prints positions, situations and differences.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

import pytest

from tests.rulesets.colony_battle import statement
from tests.rulesets.colony_battle.positions import EMPTY
from tests.rulesets.difference import difference, smallest
from tprules.api import Dice, Order, Refusal, parse_options
from tprules.api.advance import Advanced, advance, copied, opening
from tprules.api.order_checks import State, apply, insertion, removal, replayed_insertion
from tprules.api.ruleset import find_phase
from tprules.colony_battle import RULESET
from tprules.colony_battle.world import NO_KIND, NOBODY, NOWHERE, Spider, World

KINDS = ("worker", "soldier", "drone", "young queen", "queen", "antlion", "termite bomb")
"""In the order of the game's numbers."""

SMALL_MAP = {
    "width": 13,
    "height": 9,
    "starts": "0:4,4 0:8,4",
    "entrance1": "0:6,4",
    "entrance2": "1:6,6",
    "throne": "2:6,4",
    "items": "0:3,4 0:9,4 0:4,6 0:8,2 0:4,2 0:8,6 0:2,4 0:10,4",
    "worms": "0:12,0 right 4 0:0,8 left 4 1:8,2 right 5",
    "spiders": "0:6,8 1:1,1 2:9,1",
}
"""Everything is near everything."""

RARE = {
    "a blast kills a queen": 8,
    "both queens die": 1,
    "chain of three blasts": 5,
    "a blast kills a carrier": 2,
    "an attack kills a queen": 3,
    "a bitten queen has one left": 20,
    "a spider kills a termite bomb": 12,
    "a spider kills an antlion": 3,
    "a spider runs to a second one": 8,
    "a spider does not get to its prey": 10,
    "a caught unit steps to another square of web": 6,
    "a web with a caught unit is given up": 8,
    "Antlion spent": 3,
    "a worm crushes: queen": 1,
    "a worm crushes: termite bomb": 1,
    "a worm crushes: antlion": 1,
    "a worm turns the other way": 2,
    "a head is eaten": 5,
    "the last segment is eaten": 2,
    "Worm split": 4,
    "conversion of antlion": 1,
    "conversion of termite bomb": 2,
    "conversion of young queen": 2,
    "attack through a shaft": 2,
    "a step through a shaft": 15,
    "a step more by a trail": 50,
    "others have moved already": 30,
    "a brood is cancelled": 8,
    "a brood waits for room": 10,
    "no room for a brood": 40,
    "Excavation opened": 6,
    "Item activated": 3,
    "termite bomb by default": 3,
    "termite bomb placed far away": 2,
    "antlion placed far away": 8,
    "the throne is occupied or closed": 3,
    "the last round": 15,
}
"""Situations, and how often each comes in 1,000 positions at least."""

RARER = (
    "the throne is entered",
    "a worm is stuck",
    "two spiders strike at one arrival",
    "an item under a worm or spider",
    "a brood waits for a square",
    "a conversion beyond the cap",
    "conversion of a carrier",
    "a spider's way is blocked",
    "antlion by default",
    "two termite bombs fight",
)
"""Situations, each of which comes at least once in 5,000 positions. Others are so rare that they are only counted."""


class Failure(AssertionError):
    """The game and the statement differ."""


# Reading a position of the game.


_SQUARES: dict[Any, dict[int, statement.Square]] = {}
"""Object -> square, for each map that was seen."""


class Map:
    """The squares for which the objects of a game stand, the same from its opening to its end."""

    def __init__(self, state: State[World], options: dict[str, Any]) -> None:
        world = state.world
        self.layout = world.layout
        width, self.width, self.height = options["width"], options["width"], options["height"]
        self.sites = [self.spot(each) for each in world.layout.sites]
        self.options = {**options, "adjacency": int(options["adjacency"])}
        self.homes = [colony.home + 1 for colony in world.colonies]  # the planet there takes orders
        key = (width, self.height, tuple(self.sites), tuple(self.homes))
        if key not in _SQUARES:
            _SQUARES[key] = self._squares(world)
        self.squares = _SQUARES[key]
        self.system = {at: oid for oid, at in reversed(self.squares.items())}

    def _squares(self, world: World) -> dict[int, statement.Square]:
        found = {}
        for oid, level in RULESET.sight(world, None).items():
            shown = RULESET.show(world, oid, level)
            if shown.kind in ("square", "ground", "site"):
                x, y, z = (each // scale for each, scale in zip(shown.at, (1000, 1000, -100_000), strict=True))
                at = (z, x - z * (self.width + 3), y)
                if 0 <= at[1] < self.width and 0 <= y < self.height:  # no home
                    found[oid] = at
        return found

    def spot(self, square: int) -> statement.Square:
        return self.layout.spot(square)

    def square(self, at: statement.Square) -> int:
        return self.layout.square(at)

    def order(self, order: Order) -> dict[str, Any]:
        """Return an order as the statement has it."""
        args = dict(order.args)
        plain: dict[str, Any] = {"stamp": order.stamp, "type": order.type}
        if order.type == "Move":
            plain["to"] = self.squares.get(args["destination"])
        elif order.type == "NoOp":
            plain["turns"] = args["duration"]
        elif order.type == "Spawn":
            plain |= {"kind": KINDS[args["kind"][0][0] - 1], "where": self.squares.get(args["where"])}
        elif order.type == "PlaceItem":
            plain |= {"item": args["item"][0][0], "where": self.squares.get(args["where"])}
        else:
            plain |= args
        return plain

    def read(self, state: State[World]) -> statement.Position:
        """Return a position of the game as the statement has it."""
        world, spot = state.world, self.spot
        return {
            "options": self.options,
            "width": self.width,
            "height": self.height,
            "sites": self.sites,
            "left": list(world.left),
            "units": {
                oid: {
                    "kind": KINDS[unit.kind],
                    "owner": unit.owner,
                    "at": spot(unit.square),
                    "hp": unit.hit_points,
                    "kills": unit.kills,
                    "item": unit.item,
                    "caught": unit.caught,
                }
                for oid, unit in world.units.items()
            },
            "items": {
                oid: {
                    "kind": KINDS[item.kind],
                    "at": None if item.square == NOWHERE else spot(item.square),
                    "carrier": item.carrier,
                    "hand": None if item.hand == NOBODY else item.hand,
                }
                for oid, item in world.items.items()
            },
            "worms": {
                oid: {
                    "segments": list(worm.segments),
                    "squares": [spot(square) for square in worm.squares],
                    "facing": worm.facing,
                }
                for oid, worm in world.worms.items()
            },
            "spiders": {
                oid: {
                    "at": spot(spider.square),
                    "centre": spot(spider.centre),
                    "radius": spider.radius,
                    "weaves": spider.weaves,
                    "goal": None if spider.goal == NOWHERE else spot(spider.goal),
                }
                for oid, spider in world.spiders.items()
            },
            "webs": [(spot(centre), radius) for centre, radius in world.webs],
            "trails": [{spot(square): age for square, age in colony.trail.items()} for colony in world.colonies],
            "brood": [None if colony.brood == NO_KIND else KINDS[colony.brood] for colony in world.colonies],
            "brood_left": [colony.brood_left for colony in world.colonies],
            "queens": [colony.queen for colony in world.colonies],
            "homes": self.homes,
            "queues": {oid: [self.order(order) for order in queue] for oid, queue in state.queues.items() if queue},
            "seat": world.seat,
            "phase": state.phase,
            "first": world.first,
            "round": world.round,
            "next_id": world.next_id,
            "placed": world.placed,
            "bitten": [tuple(each) for each in world.bitten],
            "ended": world.ended,
            "winner": None if world.winner == NOBODY else world.winner,
        }


TARGETS = ("Move", "PickUp", "Attack", "Convert")
"""Types of order that name one object."""

SPOKEN_OF = (
    *("Excavation opened", "Unit lost", "Unit spawned", "Spawn failed", "Order failed", "Order complete"),
    *("Item picked up", "Item activated", "Place your item", "Queen bitten", "Queen hit", "Caught in a web"),
    *("Unit converted", "Antlion spent", "Worm split", "Your turn", "Game over"),
)
"""RULES.md, section 7."""


def told(done: Advanced[World]) -> list[tuple[Any, ...]]:
    """Return what the game reports as the statement has it."""
    found: list[tuple[Any, ...]] = []
    for report in done.reports:
        if report.subject == "Unit lost":
            found.append((report.to, report.subject, report.body.rpartition(": ")[2].rstrip(".")))
        elif report.subject in SPOKEN_OF:
            found.append((report.to, report.subject))
    return found


# Comparing.


class Case(NamedTuple):
    """One closing: a state with its orders, and the seed of the dice."""

    map: Map
    state: State[World]
    seed: bytes

    def done(self) -> Advanced[World]:
        return advance(RULESET, self.state, self.seed)

    def expected(self) -> tuple[statement.Position, statement.Told]:
        position = self.map.read(self.state)
        reports = statement.closing(position, Dice.named(self.seed, self.state.turn, 0, "spiders"))
        return position, reports

    def difference(self) -> str:
        return compared(self.map, self.done(), *self.expected())

    def written(self) -> str:
        position = self.map.read(self.state)
        rest = {key: value for key, value in position.items() if key not in ("options", "units", "queues", "trails")}
        units = [
            f"{unit['kind']} {oid} of {unit['owner']} at {unit['at']} hp {unit['hp']} kills {unit['kills']}"
            f"{' caught' if unit['caught'] else ''}{' +I' if unit['item'] else ''}"
            for oid, unit in position["units"].items()
        ]
        options = {
            key: value
            for key, value in self.map.options.items()
            if value != parse_options(RULESET.options, {}).get(key)
        }
        queues = [f"{oid}: {queue}" for oid, queue in position["queues"].items()]
        lines = [f"turn {self.state.turn}, seed {self.seed!r}", f"options {options}", *units, *queues]
        return "\n".join([*lines, str(rest), f"trails {[list(each) for each in position['trails']]}"])

    def small(self) -> Case:
        """The same with as few orders, units and other things as still differ."""
        case = self

        def fails(other: Case) -> bool:
            try:
                return bool(other.difference())
            except Exception:  # a position that cannot be
                return False

        def without(kind: str) -> Case:
            parts = _parts(case.state, kind)
            keep = smallest(parts, lambda left: fails(_with(case, kind, left)))
            return _with(case, kind, keep)

        for kind in ("orders", "units", "spiders", "worms", "items", "trails"):
            case = without(kind)
        return case


def _parts(state: State[World], kind: str) -> list[Any]:
    world = state.world
    if kind == "orders":
        return [order for queue in state.queues.values() for order in queue]
    if kind == "trails":
        return [(seat, square) for seat in (0, 1) for square in world.colonies[seat].trail]
    return list(getattr(world, kind))


def _with(case: Case, kind: str, parts: list[Any]) -> Case:
    """The case with only these things of a kind; queens stay, and so do items that are not on a square."""
    state = copied(RULESET, case.state)
    world = state.world
    if kind == "orders":
        state.queues = {on: [one for one in queue if one in parts] for on, queue in state.queues.items()}
        state.queues = {on: queue for on, queue in state.queues.items() if queue}
    elif kind == "trails":
        for seat in (0, 1):
            trail = world.colonies[seat].trail
            for square in [square for square in trail if (seat, square) not in parts]:
                del trail[square]
    else:
        things = getattr(world, kind)
        for oid in list(things):
            is_kept = kind == "units" and (things[oid].kind == 4 or things[oid].item)
            is_kept = is_kept or (kind == "items" and things[oid].square == NOWHERE)
            if oid not in parts and not is_kept:
                del things[oid]
                state.queues.pop(oid, None)
        world.occupy()
    return case._replace(state=state)


def compared(map_: Map, done: Advanced[World], position: statement.Position, reports: statement.Told) -> str:
    """Return the first difference after a closing."""
    game = map_.read(done.state)
    position.pop("notes", None)
    position = dict(position, queues={oid: queue for oid, queue in position["queues"].items() if queue})
    for each in (game, position):
        each["bitten"] = [] if each["ended"] else sorted(each["bitten"])
        each["phase"] = "" if each["ended"] else each["phase"]
    if found := difference(game, position):
        return found
    heard = [Counter(told(done)), Counter(tuple(report) for report in reports)]
    if found := difference(*(dict(sorted(each.items(), key=str)) for each in heard), "told"):
        return found
    if done.state.over != bool(position["ended"]):
        return f"over: the game has {done.state.over}"
    if done.state.over:
        places = {seat: 1 if position["winner"] in (None, seat) else 2 for seat in (0, 1)}
        if done.outcome is None or dict(done.outcome.places) != places:
            return f"places: the game has {done.outcome}, the statement {places}"
        return ""
    awaited = list(find_phase(RULESET, done.state.phase).active(done.state.world))
    return "" if awaited == [position["seat"]] else f"awaited: the game has {awaited}"


class Comparison:
    """Compares closings, and counts positions and situations."""

    def __init__(self) -> None:
        self.positions = self.orders_judged = 0
        self.seen: Counter[str] = Counter()

    def opening(self, map_: Map, state: State[World], seed: bytes) -> None:
        """Compare the opening of a game."""
        game = map_.read(state)
        units = [(unit["kind"], unit["owner"], unit["at"], unit["hp"]) for unit in game["units"].values()]
        spiders = [(one["at"], one["centre"], one["radius"], one["weaves"]) for one in game["spiders"].values()]
        shown = {
            "units": units,
            "items": [(item["kind"], item["at"]) for item in game["items"].values()],
            "worms": [(worm["squares"], worm["facing"]) for worm in game["worms"].values()],
            "spiders": spiders,
            **{key: game[key] for key in ("left", "first", "seat", "round", "phase")},
        }
        if found := difference(shown, statement.opening(map_.options, Dice.named(seed, "setup"))):
            raise Failure(f"opening with {map_.options}, seed {seed!r}: {found}")
        self.positions += 1

    def closing(self, map_: Map, state: State[World], seed: bytes, history: str, given: list[Any]) -> State[World]:
        case = Case(map_, state, seed)
        try:
            done, (position, reports) = case.done(), case.expected()
        except (LookupError, TypeError, AssertionError, ValueError) as fault:
            raise Failure(f"{fault!r}\n{history}, orders {given}\n{case.written()}") from fault
        if found := compared(map_, done, dict(position), reports):
            small = case.small()
            raise Failure(f"{found}\n{history}, orders {given}\nmade small: {small.difference()}\n{small.written()}")
        self.positions += 1
        self.count(map_.read(state), position, reports)
        return done.state

    def verdict(self, map_: Map, state: State[World], order: Order, refused: Refusal | None) -> None:
        """Compare what the game says of one more order at the end of a queue."""
        world = state.world
        objects = {}
        for oid in (
            {order.on, *order.args.values()} if order.type in TARGETS else {order.on, order.args.get("where", 0)}
        ):
            if oid in RULESET.sight(world, order.seat):
                shown = RULESET.show(world, oid, RULESET.sight(world, order.seat)[oid])
                objects[oid] = (shown.kind, shown.owner)
        named: dict[str, Any] = {}
        for key, value in order.args.items():
            word = {"destination": "to", "duration": "turns", "kind": "kinds"}.get(key, key)
            if word in ("to", "target", "where") or (word == "item" and order.type == "PickUp"):
                named[word] = (value, map_.squares.get(value))
            else:
                named["items" if word == "item" else word] = value
        position = map_.read(state)
        expected = statement.verdict(position, objects, order.seat, order.on, order.type, named)
        self.orders_judged += 1
        found = int(refused.code) if refused else 0
        if found not in (expected or [0]):
            text = f"order {order}, objects {objects}: the game says {refused!r} ({found}), the statement {expected}"
            raise Failure(f"{text}\n{Case(map_, state, b'').written()}")

    def count(self, was: Any, now: Any, reports: statement.Told) -> None:
        self.seen.update(now.get("notes", ()))
        self.seen.update("/".join(str(each) for each in report[1:]) for report in reports)


# Games and positions.


def some_options(dice: Dice) -> dict[str, Any]:
    """Return options over the whole of their limits, mostly on a small map."""

    def between(low: int, high: int) -> int:
        return low + dice.below(high - low + 1)

    if dice.below(8) == 0:
        return parse_options(RULESET.options, {"max_rounds": between(10, 30)})
    chosen: dict[str, Any] = {
        **SMALL_MAP,
        "adjacency": dice.pick(("4", "4", "8")),
        "dig_turns": [between(1, 4) for _ in range(3)],
        "items_hidden": bool(dice.below(2)),
        "spider_relocate": between(1, 6),
        "spider_speed": between(1, 8),
        "web_max": between(1, 4),
        "web_persists": bool(dice.below(2)),
        "move_cap": between(1, 6) if dice.below(4) else between(1, 50),
        "caps": [between(0, 6) for _ in range(4)],
        "brood": [between(0, 3) for _ in range(4)],
        "antlion_range": between(0, 4),
        "antlion_kills": between(1, 4),
        "blast_range": between(0, 5),
        "blast_damage": between(1, 4),
        "trail_life": dice.pick((0, 0, 1, 2, 3)),
        "termite_any_queen": bool(dice.below(2)),
        "max_rounds": between(10, 25),
    }
    return parse_options(RULESET.options, chosen)


def crowd(map_: Map, state: State[World], dice: Dice) -> None:
    """Turn an opening into a position in which much is about to happen.

    All units are near one square, in some stage of a game.
    """
    world = state.world
    world.left[:] = [dice.pick((0, 0, 1, left)) for left in world.left]
    spread = 2 + dice.below(3)
    centre = dice.pick(map_.sites)
    centre = (dice.pick((0, 1, 2, centre[0], centre[0], centre[0])), centre[1], centre[2])
    through = dice.below(3) == 0
    if through:  # both ends of a shaft
        number = dice.below(2)
        world.left[number], centre, spread = 0, map_.sites[number], 1 + dice.below(2)
    near = [
        at
        for at in map_.system
        if max(abs(at[1] - centre[1]), abs(at[2] - centre[2])) <= spread
        and (at[0] == centre[0] or (through and at[0] == centre[0] + 1) or dice.below(6) == 0)
        and not (at in map_.sites and world.left[map_.sites.index(at)])
    ]
    world.occupy()
    free = [map_.square(at) for at in sorted(near) if map_.square(at) not in world.occupied]
    free = dice.shuffled(free)

    def take() -> int:
        return free.pop() if free else NOWHERE

    landings = [(board + 1, x, y) for board, x, y in map_.sites[:2]]
    for spider in world.spiders.values():
        square = take()
        if dice.below(2) and square != NOWHERE and map_.spot(square) not in (*map_.sites, *landings):
            spider.square = square
            spider.centre = square if dice.below(2) else map_.square(dice.pick(sorted(near)))
            spider.radius = dice.below(world.settings.web_max + 1)
            if map_.spot(spider.centre)[0] != map_.spot(square)[0]:
                spider.centre = square
    ends = [map_.square((centre[0] + lower, *centre[1:])) for lower in (0, 1)] if through else []
    if dice.below(2):
        free = [*(one for one in free if one not in ends), *ends]
    for seat in (0, 1):
        queen = world.units[world.colonies[seat].queen]
        if dice.below(4) and (square := take()) != NOWHERE:
            queen.square = square
        queen.hit_points = dice.pick((10, 10, 1, 2, 3, 5))
        queen.caught = dice.below(4) == 0
    free = [*(one for one in free if one not in ends), *(one for one in ends if one in free)]
    for _ in range(4 + dice.below(16)):
        kind = dice.pick((0, 0, 1, 1, 2, 3, 3, 5, 6, 6))
        square = take()
        if square == NOWHERE or (kind == 5 and map_.spot(square) in (*map_.sites, *landings)):
            continue
        oid = world.add_unit(kind, dice.below(2), square)
        unit = world.units[oid]
        unit.caught = kind != 5 and dice.below(4) == 0
        if kind == 1:
            unit.hit_points = 1 + dice.below(3)
        if kind == 5:
            unit.kills = 1 + dice.below(world.settings.antlion_kills)
        if kind == 0 and dice.below(4) == 0:
            free_items = [number for number, item in world.items.items() if item.square != NOWHERE]
            if free_items:
                unit.item = dice.pick(free_items)
                world.items[unit.item].square, world.items[unit.item].carrier = NOWHERE, oid
    for item in world.items.values():
        if item.square != NOWHERE and dice.below(2) and near:
            item.square = map_.square(dice.pick(sorted(near)))
    for seat in (0, 1):
        for at in near:
            if dice.below(4) == 0:
                world.colonies[seat].trail[map_.square(at)] = 0
    if dice.below(3) == 0 and world.items:
        item = world.items[dice.pick(sorted(world.items))]
        if item.square != NOWHERE:
            item.square, item.hand = NOWHERE, dice.below(2)
    if dice.below(3) == 0:
        world.round = world.settings.max_rounds - dice.below(2)
    if dice.below(2):
        world.seat = world.first
    else:
        world.seat = 1 - world.first
    world.occupy()
    for worm in world.worms.values():
        crawl_near(map_, world, worm, near, dice)
    if dice.below(5) == 0:
        enclose(map_, world, dice)
    for item in world.items.values():
        if item.square != NOWHERE and dice.below(6) == 0:
            item.square = dice.pick(sorted(world.occupied))
    for seat in (0, 1):
        if dice.below(3) == 0:
            colony, kind = world.colonies[seat], dice.below(4)
            colony.brood, colony.brood_left = kind, dice.below(3)
            args = {"kind": [[kind + 1, 1]], "where": 0}
            if dice.below(4):
                apply(state, replayed_insertion(state, Order(seat, colony.queen, "Spawn", args), 0))
    for spider_at in [spider.square for spider in world.spiders.values()]:  # nobody but queens lives beside a spider
        for at in statement.neighbours(map_.read(state), map_.spot(spider_at)):
            oid = world.occupied.get(map_.square(at))
            if oid in world.units and world.units[oid].kind != 4:
                if world.units[oid].item:
                    item = world.items[world.units[oid].item]
                    item.square, item.carrier = spider_at, 0
                del world.units[oid]
    world.occupy()
    state.seen.clear()


def enclose(map_: Map, world: World, dice: Dice) -> None:
    """Lay a worm around a square from three sides, and close the fourth side.

    There is either the head of another worm, which is stuck then, or a whole worm, with a spider inside.
    """
    if len(world.worms) < 3 or not world.spiders:
        return
    first, _, last = world.worms.values()
    if len(last.segments) < 5:
        return
    board, x, y = dice.below(3), 4 + dice.below(map_.width - 6), 2 + dice.below(map_.height - 4)
    ring = [(x, y + 1), (x + 1, y + 1), (x + 1, y), (x + 1, y - 1), (x, y - 1)]
    has_spider = dice.below(2)
    fourth = [(x - 1, y + 1), (x - 1, y), (x - 1, y - 1)] if has_spider else [(x, y), (x - 1, y), (x - 2, y)]
    fourth = fourth[: len(first.segments)]
    inside = map_.square((board, x, y))
    squares = [map_.square((board, *at)) for at in (*ring, *fourth, (x, y))]
    if any(at in world.occupied for at in squares) or any(map_.spot(at) in map_.sites for at in squares):
        return
    last.squares[:], last.segments[:], last.facing = squares[:5], last.segments[:5], dice.below(2)
    first.squares[:], first.segments[:] = squares[5 : 5 + len(fourth)], first.segments[: len(fourth)]
    first.facing = 1
    if has_spider and map_.spot(inside)[1:] not in [site[1:] for site in map_.sites]:
        spider = next(iter(world.spiders.values()))
        spider.square = spider.centre = inside
        spider.radius, spider.weaves, spider.goal = world.settings.web_max, True, NOWHERE
    world.occupy()


def crawl_near(map_: Map, world: World, worm: Any, near: list[statement.Square], dice: Dice) -> None:
    """Lay a worm straight or bent somewhere near, if there is room."""
    if not dice.below(3):
        return
    squares = [dice.pick(near)]
    length = min(1 + dice.below(5), len(worm.segments))
    direction = dice.pick(statement.FOUR)
    while len(squares) < length:
        board, x, y = squares[-1]
        dx, dy = direction if dice.below(4) else dice.pick(statement.FOUR)
        squares.append((board, x + dx, y + dy))
    free = [at for at in squares if at in map_.system and map_.square(at) not in world.occupied]
    if free == squares and len(set(squares)) == length:
        worm.squares[:], worm.segments[:] = [map_.square(at) for at in squares], worm.segments[:length]
        straight = length > 1 and squares[0][2] == squares[1][2]
        worm.facing = int(squares[0][1] > squares[1][1]) if straight else dice.below(2)
        world.occupy()


def give_orders(comparison: Comparison, map_: Map, state: State[World], dice: Dice) -> None:
    """Let both seats give random orders, some of which cannot be done; take some back; put some in unchecked."""
    for _ in range(4 + dice.below(16)):
        order = random_order(map_, state, dice)
        if order is None:
            continue
        slot = -1 if dice.below(8) else dice.below(3)
        change = refused = None
        try:
            change = insertion(RULESET, state, order.seat, order.on, order.type, order.args, slot)
        except Refusal as refusal:
            refused = refusal
        if slot == -1 and (change is None or not change.order.draft):
            comparison.verdict(map_, state, order, refused)
        if change is not None and not change.order.draft:
            apply(state, change)
    filled = sorted(oid for oid, queue in state.queues.items() if queue)
    if filled and dice.below(4) == 0:
        oid = dice.pick(filled)
        queue = state.queues[oid]
        apply(state, removal(RULESET, state, queue[0].seat, oid, dice.below(len(queue))))


def random_order(map_: Map, state: State[World], dice: Dice) -> Order | None:
    """Return an order that may well come to something."""
    world = state.world
    seat = dice.pick((world.seat, world.seat, world.seat, 1 - world.seat))
    if dice.below(12) == 0:
        return wild_order(state, seat, dice)
    own = sorted(oid for oid, unit in world.units.items() if unit.owner == seat)
    others = sorted(oid for oid, unit in world.units.items() if unit.owner != seat)
    queen = world.colonies[seat].queen
    if state.phase == "place" and seat == world.seat and dice.below(2):
        held = sorted(oid for oid, item in world.items.items() if item.hand == seat)
        other = world.units[world.colonies[dice.below(2)].queen].square
        where = dice.pick(sorted(map_.system)) if dice.below(3) == 0 else _near(map_, other, dice, 1)
        return Order(
            seat,
            dice.pick((queen, map_.homes[seat])),
            "PlaceItem",
            {"item": [[dice.pick(held), 1]] if held else [], "where": map_.system[where]},
        )
    oid = dice.pick(own) if dice.below(6) else queen
    if dice.below(8) == 0:
        oid = next((one for one in own if world.units[one].kind == 3), oid)
    unit = world.units[oid]
    kind = KINDS[unit.kind]
    if kind == "queen" and dice.below(2):
        where = map_.system[_near(map_, unit.square, dice, 1)] if dice.below(2) else 0
        on = dice.pick((queen, map_.homes[seat]))
        return Order(seat, on, "Spawn", {"kind": [[1 + dice.below(4), 1]], "where": where})
    enemies = [one for one in others if _touch(map_, state, unit.square, world.units[one].square)]
    if not enemies and dice.below(2):
        for worm in world.worms.values():
            for one, square in zip(worm.segments, worm.squares, strict=True):
                if _touch(map_, state, unit.square, square):
                    enemies.append(one)
    if dice.below(10) == 0 and kind != "antlion" and world.spiders:
        spider = world.spiders[dice.pick(sorted(world.spiders))]
        return Order(seat, oid, "Move", {"destination": map_.system[_near(map_, spider.square, dice, 1)]})
    if enemies and kind not in ("queen", "antlion") and dice.below(2):
        verb = "Convert" if kind == "young queen" and dice.below(4) else "Attack"
        return Order(seat, oid, verb, {"target": dice.pick(enemies)})
    if others and kind != "antlion" and dice.below(3) == 0:
        goal = _near(map_, world.units[dice.pick(others)].square, dice, 1)
        return Order(seat, oid, "Move", {"destination": map_.system[goal]})
    throne = map_.square(map_.sites[2])
    if kind == "queen" and _touch(map_, state, unit.square, throne) and dice.below(2):
        return Order(seat, oid, "Move", {"destination": map_.system[map_.sites[2]]})
    choice = dice.below(12)
    if choice == 0:
        return Order(seat, oid, "NoOp", {"duration": 1 + dice.below(3)})
    if kind == "worker" and choice in (1, 2, 3):
        lying = sorted(world.items, key=lambda one: (_apart(map_, unit.square, world.items[one].square), one))
        if choice == 3 or not lying:
            return Order(seat, oid, "Drop", {})
        return Order(seat, oid, "PickUp", {"item": lying[0] if dice.below(4) else dice.pick(lying)})
    if choice < 7 and kind != "queen":
        segments = [one for worm in world.worms.values() for one in worm.segments]
        places = {
            one: square
            for worm in world.worms.values()
            for one, square in zip(worm.segments, worm.squares, strict=True)
        }
        places |= {one: world.units[one].square for one in others}
        targets = sorted([*others, *segments], key=lambda one: (_apart(map_, unit.square, places[one]), one))
        targets = [one for one in targets[:3] if dice.below(2)] or targets
        verb = "Convert" if kind == "young queen" and dice.below(3) else "Attack"
        return Order(seat, oid, verb, {"target": targets[0] if dice.below(6) else dice.pick(targets)})
    if dice.below(6) == 0:
        goal = dice.pick(sorted(map_.system))
    elif dice.below(5) == 0:
        goal = dice.pick(map_.sites)
    else:
        goal = _near(map_, unit.square, dice, 1 + dice.below(5))
    return Order(seat, oid, "Move", {"destination": map_.system[goal]})


def wild_order(state: State[World], seat: int, dice: Dice) -> Order:
    """Return any order, most likely one that is refused."""
    world = state.world
    sight = sorted(RULESET.sight(world, seat))[1:]
    pieces = sorted([*world.units, *world.items, *world.spiders, *world.worms])
    pieces += [one for worm in world.worms.values() for one in worm.segments]
    pieces += [colony.home + 1 for colony in world.colonies]

    def some() -> int:
        return dice.pick((dice.pick(pieces), dice.pick(pieces), dice.pick(sight), 999_999))

    kind = dice.pick(sorted(statement.CARRIERS))
    if kind == "NoOp":
        args: dict[str, Any] = {"duration": dice.pick((1, 50, 51, 999))}
    elif kind == "Spawn":
        args = {"kind": dice.pick(([[5, 1]], [[1, 2]], [[1, 1], [2, 1]], [[3, 1]])), "where": some()}
    elif kind == "PlaceItem":
        args = {"item": [[dice.pick(pieces), 1]], "where": some()}
    else:
        key = {"Move": "destination", "PickUp": "item", "Attack": "target", "Convert": "target"}.get(kind)
        args = {key: some()} if key else {}
    return Order(seat, some() if dice.below(3) == 0 else dice.pick(sorted(world.units)), kind, args)


def _touch(map_: Map, state: State[World], one: int, other: int) -> bool:
    """Return True if two squares are neighbors, also through a shaft."""
    a, b = map_.spot(one), map_.spot(other)
    if a[0] == b[0]:
        return _apart(map_, one, other) == 1
    upper = min(a, b)
    opened = [site for site, left in zip(map_.sites[:2], state.world.left, strict=False) if not left]
    return a[1:] == b[1:] and abs(a[0] - b[0]) == 1 and upper in opened


def _apart(map_: Map, one: int, other: int) -> int:
    if other == NOWHERE:
        return 99
    a, b = map_.spot(one), map_.spot(other)
    return 50 * (a[0] != b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2])


def _near(map_: Map, square: int, dice: Dice, reach: int) -> statement.Square:
    board, x, y = map_.spot(square)
    dx = dice.below(2 * reach + 1) - reach
    rest = reach - abs(dx)
    at = (board, x + dx, y + dice.below(2 * rest + 1) - rest)
    return at if at in map_.system else (board, x, y)


def play(comparison: Comparison, number: int) -> None:
    """Play some turns of a game from its opening, or from a made position."""
    dice = Dice.named(b"statement", "colony battle", number)
    options, seed = some_options(dice), str(number).encode()
    state = opening(RULESET, options, 2, seed).state
    map_ = Map(state, options)
    comparison.opening(map_, state, seed)
    is_made = number % 10 != 9
    if is_made:
        crowd(map_, state, dice)
    given: list[Any] = []
    made = f"game {number}, seed {seed!r}, {'made position' if is_made else 'opening'}"
    for _ in range(3 + dice.below(4) if is_made else 15):
        if state.over:
            return
        try:
            give_orders(comparison, map_, state, dice)
        except Failure as failure:
            raise Failure(f"{failure}\n{made}, orders {given}") from None
        given.append({oid: [map_.order(one) for one in queue] for oid, queue in state.queues.items()})
        state = comparison.closing(map_, state, seed, made, given)


def compare(positions: int, first: int = 0) -> Comparison:
    """Compare at least so many positions, beginning with the game of this number."""
    comparison = Comparison()
    for number in count(first):
        play(comparison, number)
        if comparison.positions >= positions:
            break
    return comparison


def told_and_held(comparison: Comparison) -> None:
    """Print the counts, and fail if a situation is rarer than it should be."""
    seen = comparison.seen
    print(f"\nColony Battle: {comparison.positions} positions, {comparison.orders_judged} orders judged, no difference")
    for each in sorted({*seen, *RARE, *RARER}):
        print(f"  {seen[each]:6}  {each} (at least {RARE.get(each, 0)} in 1,000 positions)")
    times = comparison.positions / 1000
    missing = {each: seen[each] for each, least in RARE.items() if seen[each] < int(least * times)}
    missing |= {each: 0 for each in RARER if times >= 5 and not seen[each]}
    assert not missing, f"too rare: {missing}"


def test_the_game_is_the_statement():
    """400 positions."""
    told_and_held(compare(400))


def test_a_game_that_ends_between_two_strikes(position):
    """R73: a bomb arrives beside two spiders; its blast kills a queen, and the other spider bites the other queen."""
    game = position("T0@0:6,3 Q1@0:8,5 hp=1 Q0@0:10,2 hp=9")
    world = game.world
    for square in ("0:8,4", "0:9,3", "0:10,3"):
        at = game.square(square)
        world.spiders[world.new_id()] = Spider(at, at, 0)
    game.changed(0)
    options = parse_options(RULESET.options, {**EMPTY, "blast_range": 3})
    world.settings = replace(world.settings, blast_range=3)
    game.order("T0 move 8,3")
    comparison = Comparison()
    state = comparison.closing(Map(game.state, options), game.state, b"", "", [])
    assert (state.over, state.world.winner) == (True, 0)
    assert comparison.seen["two spiders strike at one arrival"]
    assert comparison.seen["a blast kills a queen"]


def test_a_difference_is_told_with_its_game_and_made_small(monkeypatch):
    """A wrong rule is found; the text has what the game was played with, and a case with fewer orders."""
    monkeypatch.setattr(statement, "STEPS", {**statement.STEPS, statement.SOLDIER: 3})
    with pytest.raises(Failure) as failure:
        compare(1000)
    text = str(failure.value)
    assert all(each in text for each in ("game ", "seed ", "orders ", "the statement", "made small: "))
    whole, _, small = text.partition("made small: ")
    assert small.count("'Move") <= whole.count("'Move")


@pytest.mark.thorough
def test_the_game_is_the_statement_for_longer():
    """5,000 other positions."""
    told_and_held(compare(2000, 10**6))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_the_game_is_the_statement_for_long(part):
    """100,000 other positions, in ten parts."""
    told_and_held(compare(10_000, 10**7 * (part + 1)))
