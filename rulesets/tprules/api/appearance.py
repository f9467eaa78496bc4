"""The declared appearance and wording of a game. All of it is optional.

Looks of kinds, designs and resources, colors of seats, and the words for these, for orders and for places. Also marks
over a position: scores, actions left, and regions. A client that ignores all this shows the same game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from tprules.api.symbols import COLOUR, unfit_symbol
from tprules.api.types import Oid, Seat
from tprules.printable import KEPT_FOR_PLAYERS, printable

MOST_BADGES = 2
"""Maximum resources that are shown as badges at a piece."""

MOST_FIGURES = 8
"""Maximum figures of a seat in the list of players."""

LONGEST_WORDS = 100
"""Maximum characters of a name or of words.

It applies to the names of figures, regions and boards. It also applies to the words for places, kinds, designs,
resources, orders and parameters.
"""

LONGEST_SENTENCE = 200
"""Maximum characters of the sentence for an order, with the names of its parameters in it."""

MOST_REGIONS = 512
"""Maximum regions."""

MOST_REGION_PLACES = 16_384
"""Maximum places in all regions together."""

HIGHEST = 2**53
"""Exclusive bound of the absolute value of a figure, so that every client can show it."""


@dataclass(frozen=True)
class Look:
    """The look of a kind of object, a design, or a resource on the ground.

    ``symbol`` is an SVG (``tprules.api.symbols``) and ``colour`` is ``#rrggbb``. The client decides about empty values.
    In the symbol ``currentColor`` is the ink of the client: on a piece, a color that is visible on its owner's color.

    ``words`` and ``each`` replace the names of the protocol, in lower case except for proper names. ``words`` names one
    of it ("merchant ship", "hit point"). ``each`` follows a number of it ("merchant ships", "hit points", "rounds of
    digging left"). A resource without ``each`` is shown by its words alone, as its amount means nothing to people:
    "caught in a web". If ``words`` are empty, the names are shown.
    """

    symbol: str = ""
    colour: str = ""
    words: str = ""
    each: str = ""


NO_LOOK = Look()


@dataclass(frozen=True)
class OrderWords:
    """The words for a type of order, in place of the protocol's names.

    ``name`` is a verb of the game ("Dig"), for a button. ``sentence`` describes a given order. It has the names of
    parameters in braces in place of their values: "Move to {Star System}". The words for one and several of it may
    follow the name of a number: "Heal {Points|hit point|hit points}". If it is empty, clients compose a sentence.
    ``params`` maps names of parameters to the words for them. Parameters without words keep their names. If ``stays``
    is True, such an order usually remains in the queue when a turn ends, until it is done.
    """

    name: str
    sentence: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    stays: bool = False


@dataclass(frozen=True)
class Places:
    """The name of a square whose object is named by its coordinates.

    Such names are "5, 3", "b4", or "0:5,3" on board 0. ``words`` may contain ``{board}``, ``{column}`` and ``{row}``,
    as "{board} {column},{row}". If it is empty, a place has the name of its object.
    """

    words: str = ""
    boards: Mapping[str, str] = field(default_factory=dict)
    """Name of a board -> a shorter name for it in ``words``."""


AS_NAMED = Places()


@dataclass(frozen=True)
class Appearance:
    """The appearance of a game, apart from its pieces."""

    seats: tuple[str, ...] = ()
    """The colors of the seats, ``#rrggbb``. Other seats have the client's own colors."""
    cells: Literal["square", "hexagon"] = "square"
    """The shape of the places of a board."""
    places: Places = AS_NAMED
    hand: str = ""
    """The name of the place for pieces whose kind is ``in_hand``, as "hand".

    If empty, the name of its object.
    """


class Region(NamedTuple):
    """Places that belong together. ``places`` are objects, usually star systems, that the seat sees."""

    places: tuple[Oid, ...]
    owner: Seat | None = None
    name: str = ""


Figures = Mapping[Seat, Mapping[str, int]]
"""Seat -> name -> number."""


def unfit_look(look: object) -> str:
    """Return one sentence about an error in a look, or ""."""
    if not isinstance(look, Look):
        return f"its look is {type(look).__name__}, not api.Look"
    if look.symbol != "" and (problem := unfit_symbol(look.symbol)):
        return f"its symbol cannot be shown: {problem}"
    if look.colour != "" and not _is_colour(look.colour):
        return f"its colour is {_said(look.colour)}, not written like #1a2b3c"
    for text in (look.words, look.each):
        if not _is_words(text):
            return f"it is called {_said(text)}, not a printable text of at most {LONGEST_WORDS} letters"
    if look.each and not look.words:
        return f"several of it are called {_said(look.each)}, and one is not called anything"
    return ""


_PLACEHOLDER = re.compile(r"\{([^{}|]*)(?:\|[^{}|]*\|[^{}|]*)?\}")


def unfit_order_words(words: object, params: Iterable[str]) -> str:
    """Return one sentence about an error in the words of an order type with these parameters, or ""."""
    if not isinstance(words, OrderWords):
        return f"its words are {type(words).__name__}, not api.OrderWords"
    if not words.name or not _is_words(words.name):
        return f"it is called {_said(words.name)}, not a printable text of 1 to {LONGEST_WORDS} letters"
    if not _is_words(words.sentence, LONGEST_SENTENCE):
        return f"its sentence is {_said(words.sentence)}, not a printable text of at most {LONGEST_SENTENCE} letters"
    known = list(params)
    for name in _PLACEHOLDER.findall(words.sentence):
        if name not in known:
            return f"its sentence names {_said(name)}, which is none of its parameters ({', '.join(known) or 'none'})"
    if set("{}") & set(_PLACEHOLDER.sub("", words.sentence)):
        return "its sentence has a brace that belongs to no parameter"
    called: Any = words.params
    if not isinstance(called, Mapping):
        return f"the words of its parameters are {type(called).__name__}, not a mapping"
    for name, text in called.items():
        if name not in known:
            return f"it has words for {_said(name)}, which is none of its parameters ({', '.join(known) or 'none'})"
        if not text or not _is_words(text):
            return f"its parameter {name} is called {_said(text)}, not a printable text of 1 to {LONGEST_WORDS} letters"
    stays: Any = words.stays
    return "" if isinstance(stays, bool) else f"stays is {_said(stays)}, not True or False"


def unfit_appearance(appearance: object) -> str:
    """Return one sentence about an error in an appearance, or ""."""
    if not isinstance(appearance, Appearance):
        return f"appearance is {type(appearance).__name__}, not api.Appearance"
    if not isinstance(appearance.seats, tuple) or len(appearance.seats) > 64:
        return "appearance.seats is not a tuple of at most 64 colours"
    for number, colour in enumerate(appearance.seats):
        if not _is_colour(colour):
            return f"the colour of seat {number} is {_said(colour)}, not written like #1a2b3c"
    if len(set(appearance.seats)) < len(appearance.seats):
        return "two seats have one colour"
    if appearance.cells not in ("square", "hexagon"):
        return f"cells are {_said(appearance.cells)}, not 'square' or 'hexagon'"
    if not _is_words(appearance.hand):
        return f"the hand is called {_said(appearance.hand)}, not a printable text of at most {LONGEST_WORDS} letters"
    return _unfit_places(appearance.places)


def _unfit_places(places: object) -> str:
    if not isinstance(places, Places):
        return f"places are {type(places).__name__}, not api.Places"
    if not isinstance(places.boards, Mapping) or len(places.boards) > 64:
        return "places.boards is not a mapping of at most 64 boards"
    for words in (places.words, *places.boards, *places.boards.values()):
        if not _is_words(words):
            return f"a place or board is called {_said(words)}, not a printable text of at most {LONGEST_WORDS} letters"
    return ""


def fit_figures(found: Any, seats: int) -> dict[Seat, dict[str, int]]:
    """Return the checked result of ``Ruleset.scores``. Raises ValueError with one sentence if it cannot be shown."""
    if not isinstance(found, Mapping):
        raise ValueError(f"scores() gave {type(found).__name__}, not a mapping of seats")
    figures: dict[Seat, dict[str, int]] = {}
    for seat, row in found.items():
        if not isinstance(seat, int) or seat not in range(seats):
            raise ValueError(f"scores() names the seat {_said(seat)}; there are {seats}")
        if not isinstance(row, Mapping) or len(row) > MOST_FIGURES:
            raise ValueError(f"scores() gave seat {seat} no mapping of at most {MOST_FIGURES} names")
        for name, number in row.items():
            if not name or not _is_words(name):
                raise ValueError(f"scores() has a figure called {_said(name)}")
            if not _is_whole(number):
                raise ValueError(f"scores() gave {_said(number)} for {name}, not a whole number")
        figures[seat] = dict(row)
    return figures


def fit_actions(found: Any) -> tuple[int, int] | None:
    """Return the checked result of ``Ruleset.actions``. Raises ValueError with one sentence if it cannot be shown."""
    if found is None:
        return None
    if not isinstance(found, tuple) or len(found) != 2 or not all(_is_whole(number) for number in found):
        raise ValueError(f"actions() gave {_said(found)}, not (used, most) in whole numbers")
    used, most = found
    if used < 0 or most < 0:
        raise ValueError(f"actions() gave {_said(found)}, which is less than none")
    return used, most


def fit_regions(found: Any, seats: int) -> list[Region]:
    """Return the checked result of ``Ruleset.regions``.

    Raises ValueError with one sentence if it cannot be shown, for example for more than MOST_REGIONS.
    """
    if not isinstance(found, Iterable):
        raise ValueError(f"regions() gave {type(found).__name__}, not regions")
    regions: list[Region] = []
    count = 0
    for region in found:
        if len(regions) == MOST_REGIONS:
            raise ValueError(f"regions() gave more than {MOST_REGIONS}")
        if not isinstance(region, Region):
            raise ValueError(f"regions() gave {_said(region)}, not api.Region")
        if not isinstance(region.places, tuple | list):
            raise ValueError(f"regions() gave places that are {type(region.places).__name__}, not a tuple")
        count += len(region.places)
        if count > MOST_REGION_PLACES:
            raise ValueError(f"regions() names more than {MOST_REGION_PLACES} places")
        if not all(type(oid) is int and 0 <= oid < 2**32 for oid in region.places):
            raise ValueError("regions() names a place that is no object")
        owner = region.owner
        if owner is not None and (type(owner) is not int or owner not in range(seats)):
            raise ValueError(f"regions() names the owner {_said(owner)}; there are {seats} seats")
        if not _is_words(region.name):
            raise ValueError(f"regions() has a region called {_said(region.name)}")
        regions.append(Region(tuple(region.places), owner, region.name))
    return regions


def _is_colour(text: object) -> bool:
    return isinstance(text, str) and COLOUR.fullmatch(text) is not None


def _is_whole(number: object) -> bool:
    return type(number) is int and abs(number) < HIGHEST


def _is_words(text: object, longest: int = LONGEST_WORDS) -> bool:
    if not isinstance(text, str) or len(text) > longest:
        return False
    return printable(text, longest, KEPT_FOR_PLAYERS) == text


def _said(value: object) -> str:
    """Return a short text for any value, for use in a sentence."""
    if isinstance(value, str):
        return repr(value[:40])
    return repr(value) if isinstance(value, int) and abs(value) < HIGHEST else type(value).__name__
