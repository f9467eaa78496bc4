"""The options, and the opening world for them (RULES.md, section 2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from tprules.api import Dice, Flag, Integer, IntegerList, OneOf, Option, OptionError, Text
from tprules.colony_battle.board import Layout, Spot, Square
from tprules.colony_battle.pieces import ANTLION, TERMITE
from tprules.colony_battle.world import LEFT, RIGHT, Settings, World, opened

_FACING = {"left": LEFT, "right": RIGHT}
_SPOT = re.compile(r"([0-9]{1,3}):([0-9]{1,3}),([0-9]{1,3})")
_WORM = re.compile(r"([0-9]{1,3}):([0-9]{1,3}),([0-9]{1,3}) (left|right)(?: ([0-9]{1,3})(?![0-9:]))?")

_OWN_LENGTH = 0
"""Stands for the default length of a worm."""


def _spots(least: int, most: int) -> Callable[[str], list[list[int]]]:
    """Return a reader, for an option, of a list of ``least`` to ``most`` squares."""

    def read(text: str) -> list[list[int]]:
        found = []
        for word in text.split():
            match = _SPOT.fullmatch(word)
            if match is None:
                raise ValueError(f"{word!r} is not a square such as 0:8,6 (board:x,y)")
            found.append([int(number) for number in match.groups()])
        if not least <= len(found) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise ValueError(f"give {wanted} squares, not {len(found)}")
        return found

    return read


def _read_spot(text: str) -> list[int]:
    return _spots(1, 1)(text)[0]


def _read_worms(text: str) -> list[list[int]]:
    """Return board, x and y of the head, facing and length of each worm."""
    words = re.sub(r"[();]", " ", text).split()
    worms: list[list[int]] = []
    line = " ".join(words)
    while line:
        match = _WORM.match(line)
        if match is None or line[match.end() : match.end() + 1].strip():
            raise ValueError(f"{line!r} does not begin with a worm such as 0:12,3 right 10 (head, facing, length)")
        board, x, y, facing, length = match.groups()
        worms.append([int(board), int(x), int(y), _FACING[facing], int(length) if length else _OWN_LENGTH])
        line = line[match.end() :].strip()
    if len(worms) > _MOST_CREATURES:
        raise ValueError(f"give at most {_MOST_CREATURES} worms, not {len(worms)}")
    if any(not 2 <= worm[4] <= _LONGEST_WORM for worm in worms if worm[4] != _OWN_LENGTH):
        raise ValueError(f"a worm has 2 to {_LONGEST_WORM} segments")
    return worms


_MOST_CREATURES = 6
_LONGEST_WORM = 32
_SQUARE = "a square such as 0:8,6 (board:x,y)"

OPTIONS: dict[str, Option] = {
    "width": Integer(17, "Columns of all three boards", 13, 64),
    "height": Integer(13, "Rows of all three boards", 9, 64),
    "adjacency": OneOf("4", "Whether squares have 4 neighbours, or 8 with those across the corners", ("4", "8")),
    "first_player": OneOf("random", "Who begins", ("random", "0", "1")),
    "starts": Text("0:1,6 0:15,6", "Where the queens begin", _spots(2, 2), allowed="two squares of board 0"),
    "entrance1": Text("0:8,6", "The entrance from board 0 to board 1", _read_spot, allowed=_SQUARE),
    "entrance2": Text("1:8,11", "The entrance from board 1 to board 2", _read_spot, allowed=_SQUARE),
    "throne": Text("2:8,1", "The burrow throne on board 2", _read_spot, allowed=_SQUARE),
    "dig_turns": IntegerList((3, 5, 10), "Rounds of excavation for the two entrances and the throne", 3, 1, 99),
    "items": Text(
        "0:4,2 0:12,2 0:4,10 0:12,10 1:3,3 1:13,3 2:4,6 2:12,6",
        "Where items lie at the beginning",
        _spots(0, 40),
        allowed="up to 40 squares",
    ),
    "item_kinds": IntegerList((4, 4), "How many of the items are antlions and termite bombs", 2, 0, 40),
    "items_hidden": Flag(True, "Whether nobody knows what an item is before it is activated"),
    "worms": Text(
        "0:12,3 right 1:4,8 left",
        "Earthworms: the square of the head, left or right, and the length if it is not worm_length",
        _read_worms,
        allowed="up to 6 worms such as 0:12,3 right 10",
    ),
    "worm_length": Integer(10, "Segments of an earthworm", 2, _LONGEST_WORM),
    "spiders": Text("1:8,1 2:8,6", "Where spiders begin", _spots(0, _MOST_CREATURES), allowed="up to 6 squares"),
    "web_max": Integer(6, "The largest radius of a web", 1, 12),
    "spider_speed": Integer(6, "Squares that a spider walks in a player's turn, and at the end of a round", 1, 20),
    "spider_relocate": Integer(10, "How far a spider goes at least to begin a new web", 1, 20),
    "move_cap": Integer(3, "Units that a player may move in a turn", 1, 50),
    "caps": IntegerList((10, 5, 2, 1), "The most workers, soldiers, drones and young queens of a player", 4, 0, 50),
    "brood": IntegerList((0, 1, 2, 3), "Turns a queen gives up for a worker, soldier, drone and young queen", 4, 0, 9),
    "antlion_range": Integer(3, "How near enemy ants may not come to an antlion", 0, 9),
    "antlion_kills": Integer(3, "Ants after which an antlion dies", 1, 99),
    "blast_range": Integer(4, "How far a termite bomb hurts", 0, 12),
    "blast_damage": Integer(2, "How much a termite bomb hurts", 1, 10),
    "trail_life": Integer(0, "Rounds for which a trail lasts; 0 is for ever", 0, 999),
    "web_persists": Flag(False, "Whether webs stay when their spider moves on"),
    "termite_any_queen": Flag(False, "Whether a termite bomb may be put beside either queen"),
    "max_rounds": Integer(200, "The game is a draw after this many rounds", 10, 5000),
}


def world_of(options: Mapping[str, Any], seats: int, dice: Dice) -> World:
    """Return the opening world of two seats; raise OptionError if the options do not fit together."""
    layout = _layout(options)
    _check_relocation(layout, options["spider_relocate"])
    taken: dict[Square, str] = dict.fromkeys(layout.sites, "a site")
    taken.update((square, "a landing") for square in layout.landings)
    shafts = dict(taken)
    starts = []
    for spot in options["starts"]:
        if spot[0] != 0:
            raise OptionError("starts", f"{_written(spot)} is not on board 0")
        starts.append(_free(layout, "starts", spot, taken))
        taken[starts[-1]] = "a queen"
    items = [_free(layout, "items", spot, shafts) for spot in options["items"]]
    spiders = []
    for spot in options["spiders"]:
        spiders.append(_free(layout, "spiders", spot, taken))
        taken[spiders[-1]] = "a spider"
    taken.update((square, "an item") for square in items)
    worms = []
    for *head, facing, length in options["worms"]:
        squares = []
        for step in range(length or options["worm_length"]):
            spot = (head[0], head[1] + (step if facing == LEFT else -step), head[2])
            squares.append(_free(layout, "worms", spot, taken))
            taken[squares[-1]] = "a worm"
        worms.append((squares, facing))
    antlions, termites = options["item_kinds"]
    if antlions + termites != len(items):
        text = f"{antlions} antlions and {termites} termite bombs are not the {len(items)} items of option items"
        raise OptionError("item_kinds", text)
    first = dice.below(2) if options["first_player"] == "random" else int(options["first_player"])
    kinds = dice.shuffled([ANTLION] * antlions + [TERMITE] * termites)
    tokens = list(zip(items, kinds, strict=True))
    return opened(layout, Settings.of(options), starts, tokens, worms, spiders, first)


def _layout(options: Mapping[str, Any]) -> Layout:
    """Return the boards with their sites (RULES.md, section 2)."""
    sites: list[Square] = []
    plain = Layout(options["width"], options["height"], options["adjacency"] == "8", (0, 0, 0))
    for board, name in enumerate(("entrance1", "entrance2", "throne")):
        spot = options[name]
        if spot[0] != board:
            raise OptionError(name, f"{_written(spot)} is not on board {board}")
        square = _free(plain, name, spot, {})
        if sites and square == sites[-1] + plain.area:
            raise OptionError(name, f"{_written(spot)} is right under the entrance to this board")
        sites.append(square)
    return Layout(plain.width, plain.height, plain.diagonals, (sites[0], sites[1], sites[2]))


def _check_relocation(layout: Layout, distance: int) -> None:
    """Check that from every square another is this far away (R69); the middle has the smallest such distance."""
    columns, rows = layout.width // 2, layout.height // 2
    most = max(columns, rows) if layout.diagonals else columns + rows
    if distance > most:
        text = f"a spider in the middle of a board cannot go {distance} squares away; at most {most} fit these boards"
        raise OptionError("spider_relocate", text)


def _free(layout: Layout, option: str, spot: Any, taken: Mapping[Square, str]) -> Square:
    """Return the square of a spot; raise OptionError if it does not exist or is taken."""
    place: Spot = tuple(spot)
    if not layout.holds(place):
        text = f"{_written(spot)} is not on the boards: 3 boards, {layout.width} columns, {layout.height} rows, from 0"
        raise OptionError(option, text)
    square = layout.square(place)
    if square in taken:
        raise OptionError(option, f"{_written(spot)} is taken by {taken[square]}")
    return square


def _written(spot: Any) -> str:
    board, x, y = spot
    return f"{board}:{x},{y}"
