"""Appearance and wording of a game, and scores, read from frames.

The Appearance frame has the appearance and the words, the Standing frame the scores. `names` decides in which words
clients show them.

Strangers write rulesets, and servers may be old or faulty. So the content of these frames is checked here again. The
page does the same in `web/core/appearance.js`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tpproto import tp_pb2

LONGEST_WORDS = 100
LONGEST_SENTENCE = 200
MOST_FIGURES = 8

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_COORDINATES = re.compile(r"(?:\d+:)?(-?\d{1,4}(?=,)|[a-zA-Z]{1,2}),? ?(-?\d{1,4})\b")
"""Start of a place name with its position: "5, 3", "b4", "0:5,3" on board 0."""
_BLANK = re.compile(r"\{(board|column|row)\}")
_PARAMETER = re.compile(r"\{([^{}|]*)(?:\|([^{}|]*)\|([^{}|]*))?\}")


@dataclass(frozen=True, slots=True)
class Words:
    """The singular name of something, and the plural word after a number of it.

    Both may be empty. If `nameless` is True, clients show such objects by these words instead of by their names.
    """

    one: str = ""
    each: str = ""
    nameless: bool = False

    def counted(self, amount: int) -> str:
        """Return an amount with its word, such as "3 hit points". Without a plural word the number is omitted."""
        return f"{amount} {self.one if amount == 1 else self.each}" if self.each else self.one


NO_WORDS = Words()


@dataclass(frozen=True, slots=True)
class OrderWords:
    """The words for a type of order.

    `name` is a verb. `parameters` has the words for the parameters, in their order. All texts may be empty. If `stays`
    is True, the order usually remains in the queue when a turn ends.
    """

    name: str = ""
    sentence: str = ""
    parameters: tuple[str, ...] = ()
    stays: bool = False

    def told(self, values: Mapping[str, "int | str"]) -> str:
        """Return the sentence with the values of parameters, by name. Numbers get their unit, if any."""

        def value(blank: re.Match[str]) -> str:
            name, one, several = blank.groups()
            found = values.get(name, blank[0])
            if one is not None and isinstance(found, int):
                return f"{found} {one if found == 1 else several}"
            return str(found)

        return _PARAMETER.sub(value, self.sentence)


NO_ORDER_WORDS = OrderWords()


@dataclass(frozen=True, slots=True)
class Appearance:
    """The appearance and words that a game declares, all optional.

    `players` has colors as "#rrggbb" by player id. `places` is the pattern for names of places, with {board}, {column}
    and {row}. `boards` has words by the name of a board. `kinds`, `designs`, `resources` and `orders` have words by id.
    """

    players: Mapping[int, str] = field(default_factory=dict)
    places: str = ""
    boards: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[int, Words] = field(default_factory=dict)
    designs: Mapping[int, Words] = field(default_factory=dict)
    resources: Mapping[int, Words] = field(default_factory=dict)
    orders: Mapping[int, OrderWords] = field(default_factory=dict)

    def place(self, name: str, board: str) -> str:
        """Return the game's word for a place by its name and board.

        Without such words this is the name itself.
        """
        where = _COORDINATES.match(name) if self.places else None
        if where is None:
            return name
        words = {"board": self.boards.get(board, board), "column": where[1], "row": where[2]}
        return _BLANK.sub(lambda blank: words[blank[1]], self.places)


PLAIN = Appearance()
"""The appearance of a game that declares nothing."""


def read_appearance(told: tp_pb2.Appearance) -> Appearance:
    """Return the usable part of the frame."""
    return Appearance(
        {number: colour for number, colour in enumerate(told.players, 1) if _COLOUR.fullmatch(colour)},
        told.places[:LONGEST_WORDS],
        {one.name: one.words[:LONGEST_WORDS] for one in told.boards},
        _words(told.object_types),
        _words(told.designs),
        _words(told.resources),
        {one.otype: _order_words(one) for one in told.orders},
    )


def _words(looks: Iterable[tp_pb2.Look]) -> dict[int, Words]:
    return {
        look.id: Words(look.words[:LONGEST_WORDS], look.each[:LONGEST_WORDS], look.nameless)
        for look in looks
        if look.words
    }


def _order_words(told: tp_pb2.OrderWords) -> OrderWords:
    parameters = tuple(one[:LONGEST_WORDS] for one in told.parameters)
    return OrderWords(told.name[:LONGEST_WORDS], told.sentence[:LONGEST_SENTENCE], parameters, told.stays)


def scores_of(standing: tp_pb2.Standing, player: int) -> list[tuple[str, int]]:
    """Return the figures of a player with their names; none if the game has none."""
    figures = next((one.figures for one in standing.scores if one.id == player), ())
    return [(one.name[:LONGEST_WORDS], one.number) for one in figures[:MOST_FIGURES]]


def on_dark(colour: str) -> str:
    """Return a color "#rrggbb", made light enough to read on a dark background."""
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    while 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 140:
        parts = [part + max(1, (255 - part) // 8) if part < 255 else part for part in parts]
    return "#{:02x}{:02x}{:02x}".format(*parts)
