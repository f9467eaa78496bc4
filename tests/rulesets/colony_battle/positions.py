"""Positions and orders in the notation of the rule page, section 10.

A position is a line such as `Q0@0:1,6 W0a@0:3,6 +I S1@0:5,5 hp=2 A1@0:8,3 k=1 spider@0:8,3 r=3 S(e1)=0`. A piece is its
kind, its owner (with a letter to tell equal pieces apart), and @ board:x,y. `worm@0:8,3-3,3 right` is a worm with its
head at 8,3 and its tail at 3,3. `termite@0:5,6` and `antlion@0:5,6` are tokens. `S(e1)=0`, `S(e2)=` and `S(th)=` are
the remaining digs. Queens without a position stand in the corners of the lowest board.
"""

from __future__ import annotations

import re
from typing import Any

from tprules.api import Order, Refusal, parse_options
from tprules.api.advance import Advanced, advance, opening
from tprules.api.order_checks import State, apply, insertion, removal
from tprules.colony_battle import RULESET
from tprules.colony_battle.world import ANTLION, LEFT, QUEEN, RIGHT, TERMITE, Item, Spider, Unit, World, Worm

LETTERS = "WSDYQAT"
"""Worker, soldier, drone, young queen, queen, antlion, termite bomb."""

TOKENS = {"antlion": ANTLION, "termite": TERMITE}
KINDS = {"worker": 1, "soldier": 2, "drone": 3, "young": 4}
SITES = {"e1": 0, "e2": 1, "th": 2}
EMPTY = {"worms": "", "spiders": "", "items": "", "item_kinds": "0,0", "first_player": "0"}

_UNIT = re.compile(r"([WSDYQAT])([01])([a-z]?)@(.+)")


class Position:
    """A game in a position, to be played on."""

    def __init__(self, text: str, **options: Any) -> None:
        chosen = parse_options(RULESET.options, EMPTY | options)
        self.seed = b"vectors"
        world = opening(RULESET, chosen, 2, self.seed).state.world
        self.names: dict[str, int] = {}
        self.done: Advanced[World] | None = None
        self._last_spider = 0
        for seat, corner in enumerate(((2, 0, 12), (2, 16, 12))):
            self.names[f"Q{seat}"] = world.colonies[seat].queen
            world.units[world.colonies[seat].queen].square = world.layout.square(corner)
        self.state = State(world, "main")
        words = text.split()
        for index, word in enumerate(words):
            self._add(word, words[index + 1 :])
        self.changed()

    @property
    def world(self) -> World:
        return self.state.world

    def changed(self, seat: int | None = None, first: int | None = None, placing: bool = False) -> None:
        """Take note that the world was changed by hand, and set whose turn it is."""
        world, old = self.world, self.state
        if seat is not None:
            world.seat, world.first = seat, seat if first is None else first
        world.placing = placing
        world.occupy()
        self.state = State(world, "place" if placing else "main", old.turn, old.queues, old.stamp)

    def square(self, text: str, board: int = 0) -> int:
        """Return the square of ``board:x,y`` or ``x,y``."""
        level, colon, rest = text.rpartition(":")
        x, y = rest.split(",")
        return self.world.layout.square((int(level) if colon else board, int(x), int(y)))

    def system(self, text: str, board: int = 0) -> int:
        return self.world.system(self.square(text, board))

    # Setting up.

    def _add(self, word: str, after: list[str]) -> None:
        world = self.world
        if match := re.fullmatch(r"S\((e1|e2|th)\)=(\d+)", word):
            world.left[SITES[match[1]]] = int(match[2])
        elif match := _UNIT.fullmatch(word):
            self._add_unit(*match.groups(), after)
        elif word.startswith("spider@"):
            square = self.square(word.partition("@")[2])
            radius = int(after[0][2:]) if after and after[0].startswith("r=") else 0
            self.names["spider"] = oid = world.new_id()
            world.spiders[oid] = Spider(square, square, radius)
        elif match := re.fullmatch(r"worm([a-z]?)@(\d+):(\d+),(\d+)-(\d+),(\d+)", word):
            self._add_worm(f"worm{match[1]}", [int(number) for number in match.groups()[1:]], after[0])
        elif word.partition("@")[0] in TOKENS:
            kind, _, place = word.partition("@")
            self.names["item"] = oid = world.new_id()
            world.items[oid] = Item(TOKENS[kind], self.square(place))

    def _add_unit(self, letter: str, owner: str, mark: str, place: str, after: list[str]) -> None:
        world, kind, square = self.world, LETTERS.index(letter), self.square(place)
        name = letter + owner + mark
        if kind == QUEEN:
            world.units[self.names[name]].square = square
        else:
            assert name not in self.names, f"{name} is there twice"
            self.names[name] = world.add_unit(kind, int(owner), square)
        unit = world.units[self.names[name]]
        for word in after:
            if re.match(r"hp=|k=|\+I", word) is None:
                break
            if word.startswith("hp="):
                unit.hit_points = int(word[3:])
            elif word.startswith("k="):
                unit.kills = int(word[2:])
            else:
                self.names["item"] = unit.item = world.new_id()
                world.items[unit.item] = Item(TERMITE, carrier=self.names[name])

    def _add_worm(self, name: str, numbers: list[int], facing: str) -> None:
        world = self.world
        board, x, y, tail_x, tail_y = numbers
        dx, dy = (tail_x > x) - (tail_x < x), (tail_y > y) - (tail_y < y)
        count = 1 + max(abs(tail_x - x), abs(tail_y - y))
        squares = [world.layout.square((board, x + dx * step, y + dy * step)) for step in range(count)]
        self.names[name] = oid = world.new_id()
        world.worms[oid] = Worm([world.new_id() for _ in squares], squares, {"left": LEFT, "right": RIGHT}[facing])

    def give(self, kind: int, seat: int) -> Position:
        """Put an item into a hand, in the phase in which it is placed."""
        self.names["item"] = oid = self.world.new_id()
        self.world.items[oid] = Item(kind, hand=seat)
        self.changed(seat, placing=True)
        return self

    # Playing.

    def play(self, seat: int, text: str = "") -> Position:
        """Play a main phase of a seat with these orders; no round ends by it."""
        self.changed(seat)
        self.orders(text)
        return self.close()

    def round_end(self) -> Position:
        """Let a round end, with no turn before it but what is queued for the second player."""
        self.changed(1, 0)
        return self.close()

    def close(self) -> Position:
        self.done = advance(RULESET, self.state, self.seed)
        self.state = self.done.state
        return self

    def orders(self, text: str) -> list[Order]:
        """Insert orders such as ``W0 move 3,3; Y0 convert S1``."""
        return [self.order(one.strip()) for one in text.split(";") if one.strip()]

    def order(self, text: str, seat: int | None = None) -> Order:
        """Insert one order, or raise its Refusal."""
        name, verb, *rest = text.split()
        on = self.names.get(name, self.world.next_id + 1000)
        order, args = self._arguments(on, verb, rest)
        owner = int(name[1]) if seat is None else seat
        change = insertion(RULESET, self.state, owner, on, order, args)
        apply(self.state, change)
        return change.order

    def cancel(self, name: str, slot: int = 0) -> None:
        """Remove an order."""
        apply(self.state, removal(RULESET, self.state, int(name[1]), self.names[name], slot))

    def refused(self, text: str, seat: int | None = None) -> int:
        """Return the code with which an order is refused."""
        before = {on: list(queue) for on, queue in self.state.queues.items()}
        try:
            self.order(text, seat)
        except Refusal as refusal:
            assert self.state.queues == before
            assert refusal.text
            return int(refusal.code)
        raise AssertionError(f"{text} is accepted")

    def _arguments(self, on: int, verb: str, rest: list[str]) -> tuple[str, dict[str, Any]]:
        unit = self.world.units.get(on)
        board = unit.square // self.world.layout.area if unit else 0
        if verb == "move":
            return "Move", {"destination": self._object(rest[0], board)}
        if verb == "pickup":
            return "PickUp", {"item": self._object(rest[0] if rest else "item", board)}
        if verb == "drop":
            return "Drop", {}
        if verb == "wait":
            return "NoOp", {"duration": int(rest[0])}
        if verb in ("attack", "convert"):
            return verb.capitalize(), {"target": self._object(rest[0], board)}
        if verb == "spawn":
            kinds = [[KINDS[kind] if kind in KINDS else int(kind), 1] for kind in rest[0].split("+")]
            return "Spawn", {"kind": kinds, "where": self._object(rest[1], board) if rest[1:] else 0}
        assert verb == "place"
        kind = {"antlion": ANTLION, "termite": TERMITE}[rest[0]]
        held = [oid for oid, item in self.world.items.items() if item.kind == kind]
        return "PlaceItem", {"item": [[held[0] if held else 7, 1]], "where": self._object(rest[1], board)}

    def _object(self, text: str, board: int) -> int:
        """Return the object that a word of an order names: a number, a piece, ``segment:x,y``, a site, or a square."""
        if text.startswith("segment:"):
            return self.world.occupied[self.square(text.removeprefix("segment:"), board)]
        if text in SITES:
            return self.world.site_object(SITES[text])
        if text.isdigit():
            return int(text)
        return self.names[text] if text in self.names else self.system(text, board)

    # Looking.

    def at(self, place: str) -> str:
        """Return what is on a square: ``W0``, ``segment``, ``spider``, or nothing."""
        oid = self.world.occupied.get(self.square(place))
        if oid is None:
            return ""
        if oid in self.world.units:
            unit = self.world.units[oid]
            return f"{LETTERS[unit.kind]}{unit.owner}"
        return "spider" if oid in self.world.spiders else "segment"

    def stands(self, text: str) -> bool:
        """Assert that every piece of a line such as ``W0a@0:4,3 hp=1 A1@0:8,3 k=2`` is there."""
        unit = None
        for word in text.split():
            if match := _UNIT.fullmatch(word):
                letter, owner, mark, place = match.groups()
                assert self.at(place) == letter + owner, f"at {place} is {self.at(place) or 'nothing'}, not {word}"
                oid = self.world.occupied[self.square(place)]
                if mark:
                    assert oid == self.names[letter + owner + mark], f"at {place} is another than {word}"
                unit = self.world.units[oid]
            elif word.startswith("hp="):
                assert unit.hit_points == int(word[3:]), f"{unit} has not {word}"
            elif word.startswith("k="):
                assert unit.kills == int(word[2:]), f"{unit} has not {word}"
            elif word == "+I":
                assert unit.item, f"{unit} carries nothing"
            else:
                raise AssertionError(f"unknown word {word}")
        return True

    def gone(self, *names: str) -> bool:
        """Return True if none of the pieces is left."""
        return not any(self.world.exists(self.names[name]) for name in names)

    def unit(self, name: str) -> Unit:
        return self.world.units[self.names[name]]

    def queue(self, name: str) -> list[str]:
        """Return the types of the orders that a unit has."""
        return [order.type for order in self.state.queues.get(self.names[name], [])]

    def told(self, seat: int | None = None) -> list[str]:
        """Return the subjects of the reports of the last closing to a seat (or to all)."""
        return [report.subject for report in self.done.reports if report.to == seat]

    def trail(self, seat: int) -> list[str]:
        """Return the squares with a trail, by name."""
        return sorted(self.world.layout.name(square) for square in self.world.colonies[seat].trail)

    def worm(self, name: str = "worm") -> tuple[list[str], str]:
        """Return the squares of a worm, its head first, without the board, and where it faces."""
        worm = self.world.worms[self.names[name]]
        return self.body(worm)

    def body(self, worm: Worm) -> tuple[list[str], str]:
        names = [self.world.layout.name(square).partition(":")[2] for square in worm.squares]
        return names, "right" if worm.facing == RIGHT else "left"

    @property
    def spider(self) -> Spider:
        return self.world.spiders[self.names["spider"]]

    def spider_at(self) -> str:
        return self.world.layout.name(self.spider.square)
