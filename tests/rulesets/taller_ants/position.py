"""Positions in the notation of the rule page, and games that begin there.

A position is a text of tokens. `2:` before a token names its seat (else 1), and `_` after the coordinates means below.
Numbers in brackets are ticks, and braces hold what a unit carries::

    S@(9,1)20[20]{cocooned=2,captives=1b+1r}   spider, 20 hp; captives by seat and color
    B5@(6,4)[10]{food=7,eggs=br,points=3}      black group of five; R is red; bridge=S makes it a bridge to the south
    Q@(6,4)_10                                 queen
    W@(0,0)..(13,6)                            webs; also V wards, D excavated (below), each one square or a rectangle
    F@(1,1)(2,1)                               a fungus group
    f5@(4,4)_  p3@(4,4)  C3@(4,4)              loose food, web points, a Cocoon of three
    c10+2@(4,4)  eb@(4,4)_                     a Clutch of ten eggs and two fed ones, a black ant egg
    H@(6,12)                                   hole

Units are called by letter and number in the order of the text (S1, B1, B2, Q1). A colony without a unit gets a queen
far away, and a spider player without a spider gets a spider far away. So no player is eliminated by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tprules.api import Dice, Refusal, Selection, Turn, parse_options
from tprules.api.advance import advance
from tprules.api.order_checks import State, apply, insertion
from tprules.api.ruleset import find_order_type
from tprules.kit.compass import DIRECTIONS
from tprules.taller_ants import RULESET
from tprules.taller_ants.board import MEADOW, Board
from tprules.taller_ants.world import (
    ANTS,
    BLACK,
    RED,
    SPIDER,
    AntEgg,
    Clutch,
    Cocoon,
    Colony,
    Fungus,
    Group,
    Queen,
    Spider,
    World,
    settings_from,
)

BARE = Board.of(14, "." * 196)
MEADOW_BOARD = Board.drawn(MEADOW.split())

_TOKEN = re.compile(
    r"(?:(?P<seat>\d):)?(?P<what>[SBRQWVDFfpCceH])(?P<number>\d*|[br])(?:\+(?P<fed>\d+))?@(?P<squares>(?:\(\d+,\d+\)|\.\.)+)"
    r"(?P<below>_?)(?P<hp>-?\d*)(?:\[(?P<ticks>\d+)\])?(?:\{(?P<more>[^}]*)\})?"
)
_COLOURS = {"b": BLACK, "r": RED}


class ScriptedDice:
    """Dice with given values. Growth draws as usual, unless its values are given as well."""

    def __init__(self, rolls: Iterable[int], script: list[Any] | None = None) -> None:
        self.rolls = list(rolls)
        self.picks = script
        self.offered: list[list[Any]] = []

    def roll(self, sides: int = 6) -> int:
        assert self.rolls, "more dice are drawn than the vector names"
        return self.rolls.pop(0)

    def pick(self, items: Any) -> Any:
        assert self.picks, "more is drawn than the vector names"
        self.offered.append(list(items))
        return items[self.picks.pop(0)]


def reader(monkeypatch: Any) -> Any:
    """Return a function that reads a position and returns a ``Game``."""

    def read(text: str = "", phase: str | int = "spider", *, meadow: bool = False, **options: Any) -> Game:
        return Game(monkeypatch, text, 0 if phase == "spider" else int(phase), meadow, options)

    return read


class Game:
    """A game that goes on from a position."""

    def __init__(self, monkeypatch: Any, text: str, seat: int, meadow: bool, options: dict[str, Any]) -> None:
        self._monkeypatch = monkeypatch
        tokens = [_match(token) for token in text.split()]
        seats = 3 if options.pop("seats", 2) == 3 or any(token["seat"] == "2" for token in tokens) or seat == 2 else 2
        settings = settings_from(parse_options(RULESET.options, options))
        board = MEADOW_BOARD if meadow else BARE
        colonies = [Colony(13), Colony(195)][: seats - 1]
        self.world = World(board.width, board.drawing, settings, colonies, round=1, active=seat)
        self.world.next_id = self.world.homes_end()
        self.world.stage = ANTS if seat else SPIDER
        self.named: dict[str, int] = {}
        if meadow and not any(token["what"] == "F" for token in tokens):
            for squares in self.world.board.fungi:
                self.world.fungi[self.world.new_id()] = Fungus(list(squares))
        for token in tokens:
            self._put(token)
        self._complete()
        for unit in self.world.units.values():
            if isinstance(unit, Group):
                self.world.colony(unit.seat).hatched += unit.ants
        self.state = State(self.world, self.world.stage)
        self.reports: list[Any] = []

    # Reading.

    def _put(self, token: dict[str, str]) -> None:
        world, what = self.world, token["what"]
        seat = int(token["seat"] or 1)
        places = list(self._places(token))
        place = places[0]
        more = _more(token["more"] or "")
        if what in "SBRQ":
            oid = world.new_id()
            name = what + str(1 + sum(known[0] == what for known in self.named))
            self.named[name] = oid
            self._put_unit(oid, what, seat, place, token, more)
            if world.board.below(place):
                world.dug.setdefault(place, seat)
        elif what == "W":
            world.webs.update(places)
        elif what == "V":
            world.wards.update(places)
        elif what == "D":
            world.dug.update({world.board.area + square % world.board.area: seat for square in places})
        elif what == "F":
            world.fungi[world.new_id()] = Fungus(sorted(places))
        elif what == "f":
            world.food.update(dict.fromkeys(places, int(token["number"])))
        elif what == "p":
            world.web_points[place] = int(token["number"])
        elif what == "H":
            world.colony(seat).hole = place
            world.dug[world.board.other_side(place)] = seat
        else:
            oid = world.new_id()
            name = what + str(1 + sum(known[0] == what for known in self.named))
            self.named[name] = oid
            if what == "C":
                world.goods[oid] = Cocoon(oid, place, int(token["number"]))
            elif what == "c":
                world.goods[oid] = Clutch(oid, place, int(token["number"]), int(token["fed"] or 0))
            else:
                world.goods[oid] = AntEgg(oid, seat, place, _COLOURS[token["number"]], 1)

    def _put_unit(
        self, oid: int, what: str, seat: int, place: int, token: dict[str, str], more: dict[str, str]
    ) -> None:
        world = self.world
        if what == "S":
            ticks = int(token["ticks"] or 20)
            spider = Spider(oid, place, int(token["hp"] or 20), ticks)
            spider.cocooned, spider.eggs, spider.fed = (int(more.get(key, 0)) for key in ("cocooned", "eggs", "fed"))
            spider.captives = [[int(one[0]), _COLOURS[one[1]]] for one in more.get("captives", "").split("+") if one]
            spider.reaction = 2 if more.get("reaction") == "take" else 1
            world.add(spider)
            return
        ticks = int(token["ticks"] or 10)
        if what == "Q":
            world.add(Queen(oid, seat, place, int(token["hp"] or 10), ticks))
            return
        group = Group(oid, seat, BLACK if what == "B" else RED, int(token["number"]), place, ticks)
        group.food, group.web_points = int(more.get("food", 0)), int(more.get("points", 0))
        group.eggs = [[_COLOURS[colour], 1] for colour in more.get("eggs", "")]
        group.stance = 2 if more.get("stance") == "fight" else 1
        if "bridge" in more:
            direction = DIRECTIONS.index(more["bridge"])
            group.near, square = place, world.board.ways[place][direction]
            while world.board.water[square]:
                group.bridge.append(square)
                square = world.board.ways[square][direction]
            group.far, group.place = square, group.bridge[0]
        world.add(group)

    def _complete(self) -> None:
        world = self.world
        if not world.spiders():
            oid = world.new_id()
            world.add(Spider(oid, world.board.at(0, 13), 20, 20))
        for seat, colony in enumerate(world.colonies, 1):
            below = world.board.other_side(colony.hole)
            world.dug.setdefault(below, seat)
            if not world.own(seat) and not world.eggs(seat):
                world.add(Queen(world.new_id(), seat, below, 10, 10))
        world.newest = world.next_id

    def _places(self, token: dict[str, str]) -> Iterator[int]:
        pairs = [(int(x), int(y)) for x, y in re.findall(r"\((\d+),(\d+)\)", token["squares"])]
        if ".." in token["squares"]:
            (left, top), (right, bottom) = pairs
            pairs = [(x, y) for y in range(top, bottom + 1) for x in range(left, right + 1)]
        return (self.place(x, y, bool(token["below"])) for x, y in pairs)

    # Playing.

    def place(self, x: int, y: int, below: bool = False) -> int:
        return self.world.board.at(x, y) + (self.world.board.area if below else 0)

    def square(self, x: int, y: int, below: bool = False) -> int:
        """Return the object of a square."""
        return self.world.system(self.place(x, y, below))

    def __getitem__(self, name: str) -> Any:
        oid = self.named[name]
        return self.state.world.units.get(oid) or self.state.world.goods[oid]

    def order(self, name: str, kind: str, **args: Any) -> None:
        """Give an order; lists are given as one number or a list of numbers or pairs, units by name."""
        apply(self.state, self.insertion(name, kind, **args))

    def insertion(self, name: str | int, kind: str, seat: int | None = None, **args: Any) -> Any:
        on = self.named[name] if isinstance(name, str) else name
        unit = self.state.world.units.get(on)
        if seat is None:
            seat = unit.seat if unit else 0
        declared = find_order_type(RULESET, kind)
        assert declared is not None
        values = {}
        for param, value in args.items():
            if isinstance(value, str):
                value = self.named[value]
            if isinstance(declared.params[param], Selection):
                value = _picked(value)
            values[param] = value
        return insertion(RULESET, self.state, seat, on, kind, values)

    def refused(self, name: str | int, kind: str, seat: int | None = None, **args: Any) -> tuple[str, int]:
        """Return class and code with which an order is refused; nothing may have changed."""
        before = RULESET.dump(self.state.world), dict(self.state.queues)
        try:
            self.insertion(name, kind, seat, **args)
        except Refusal as refusal:
            assert (RULESET.dump(self.state.world), dict(self.state.queues)) == before
            assert refusal.text
            return refusal.reason, int(refusal.code)
        raise AssertionError("the order was accepted")

    def close(self, *rolls: int, grow: list[int] | None = None) -> ScriptedDice:
        """Close the phase with these dice; ``grow`` are the draws of growth. Return the dice of growth."""
        dice, growth = ScriptedDice(rolls), ScriptedDice((), grow)

        def scripted(turn: Any, name: str) -> Any:
            if name == "act":
                return dice
            return growth if grow is not None else Dice.named(turn.seed, turn.number, name)

        with self._monkeypatch.context() as patched:
            patched.setattr(Turn, "dice", scripted)
            done = advance(RULESET, self.state, b"vector")
        assert not dice.rolls, f"the dice {dice.rolls} were not drawn"
        self.state, self.world = done.state, done.state.world
        self.reports = done.reports
        return growth

    # Looking.

    @property
    def reasons(self) -> list[str]:
        """The reason words of the orders that were dropped, in order."""
        bodies = [report.body for report in self.reports if report.subject == "Order Invalid"]
        assert all(": Illegal: " in body for body in bodies)
        return [re.findall(r"\(([a-z ]+)\)", body)[-1] for body in bodies]

    @property
    def subjects(self) -> list[str]:
        return [report.subject for report in self.reports]

    def has(self, token: str) -> bool:
        """Return whether such a unit or thing is there: kind, seat, number, place, and what else is named."""
        wanted = _match(token)
        seat, more = int(wanted["seat"] or 1), _more(wanted["more"] or "")
        place = next(self._places(wanted))
        return any(_looks(thing, wanted, seat, place, more) for thing in self._things())

    def _things(self) -> Iterator[Any]:
        yield from self.world.units.values()
        yield from self.world.goods.values()

    def queue(self, name: str) -> list[str]:
        return [order.type for order in self.state.queues.get(self.named[name], [])]

    def webs(self) -> set[tuple[int, int]]:
        return {self.world.board.coordinates(place) for place in self.world.webs}

    def food(self) -> dict[tuple[int, int], int]:
        return {self.world.board.coordinates(place): amount for place, amount in self.world.food.items()}


def _match(token: str) -> dict[str, str]:
    found = _TOKEN.fullmatch(token)
    assert found, f"no such token: {token}"
    return found.groupdict()


def _more(text: str) -> dict[str, str]:
    return dict(part.split("=") for part in text.split(",") if part)


def _picked(value: Any) -> list[list[int]]:
    items = value if isinstance(value, list) else [value]
    return [[item, 1] if isinstance(item, int) else list(item) for item in items]


def _looks(thing: Any, wanted: dict[str, str], seat: int, place: int, more: dict[str, str]) -> bool:
    what, number = wanted["what"], wanted["number"]
    if place not in getattr(thing, "places", (thing.place,)):
        return False
    if isinstance(thing, Spider):
        facts = [(what, "S"), (wanted["hp"], str(thing.hp)), (wanted["ticks"], str(thing.ticks))]
        facts += [(more.get(key), str(getattr(thing, key))) for key in ("cocooned", "eggs", "fed")]
        facts.append((more.get("captives"), str(len(thing.captives))))
    elif isinstance(thing, Group):
        facts = [(what, "BR"[thing.colour]), (number, str(thing.ants)), (wanted["ticks"], str(thing.ticks))]
        facts += [(str(seat), str(thing.seat)), (more.get("food"), str(thing.food))]
        facts += [(more.get("points"), str(thing.web_points)), (more.get("eggs"), _letters(thing.eggs))]
    elif isinstance(thing, Queen):
        facts = [(what, "Q"), (str(seat), str(thing.seat))]
        facts += [(wanted["hp"], str(thing.hp)), (wanted["ticks"], str(thing.ticks))]
    elif isinstance(thing, Cocoon):
        facts = [(what, "C"), (number, str(thing.ants))]
    elif isinstance(thing, Clutch):
        facts = [(what, "c"), (number, str(thing.eggs)), (wanted["fed"], str(thing.fed))]
    else:
        facts = [(what, "e"), (number, "br"[thing.colour]), (str(seat), str(thing.seat))]
    return all(want in (None, "") or want == have for want, have in facts)


def _letters(eggs: list[list[int]]) -> str:
    return "".join("br"[colour] for colour, _ in eggs)
