"""Orders as they are typed: what each parameter type wants in words, and values from PARAM=VALUE.

How each type is written:

    object, player      its id, or its exact name
    coordinates         X,Y,Z or X,Y, or an object, which stands for its position
    relative            an object, or OBJECT@X,Y,Z
    number, turns       a whole number
    list, resources     ids or names with commas between them, NAME=2 for two of it; nothing for none
    text                as it is
    reference           an id, or a name

A name that has a comma itself is found as well, and a parameter may be given several times instead of with commas.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tpproto import tp_pb2

from ..columns import listed, shown
from ..errors import BadArgument, UnknownName
from ..names import (
    find_object,
    find_player,
    find_reference,
    number_in,
    resource_name,
)
from ..orders import Kind, Value
from ..universe import Universe

LISTS = frozenset({Kind.LIST, Kind.RESOURCE_LIST, Kind.QUANTITY_LIST})
"""Parameter types whose choices only an Order frame from the server tells."""

MEANING = {
    Kind.COORDINATES: "coordinates X,Y,Z, or an object",
    Kind.TIME: "a number of turns",
    Kind.OBJECT: "an object, by id or exact name",
    Kind.PLAYER: "a player, by id or name",
    Kind.RELATIVE_COORDINATES: "an object, or OBJECT@X,Y,Z",
    Kind.RANGE: "a whole number",
    Kind.LIST: "a choice from a list",
    Kind.STRING: "text",
    Kind.REFERENCE: "an id or a name",
    Kind.REFERENCE_LIST: "ids or names",
    Kind.RESOURCE_LIST: "amounts of resources",
    Kind.QUANTITY_LIST: "a choice from a list",
}
"""What a parameter of each type wants, in words."""

_SMALLEST, _LARGEST = -(2**31), 2**31 - 1
_POINT = re.compile(r"\s*(-?\d{1,19})\s*,\s*(-?\d{1,19})\s*(?:,\s*(-?\d{1,19})\s*)?\Z")
_FARTHEST = 2**63


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that a list parameter offers: its id, its name, and how many of it may be chosen; -1: any number."""

    id: int
    name: str
    most: int


def meaning(parameter: tp_pb2.ParameterDesc) -> str:
    """What a parameter wants, in words."""
    known = {int(kind): words for kind, words in MEANING.items()}
    return known.get(parameter.type, f"a value of type {parameter.type}")


def sorted_out(description: tp_pb2.OrderDesc, words: Sequence[str]) -> dict[str, list[str]]:
    """Which texts were given for which parameter: PARAM=VALUE, or a value alone for the next one still without.

    Raises UnknownName for a parameter that the order type does not have, BadArgument for one value too many.
    """
    names = [parameter.name for parameter in description.parameters]
    given: dict[str, list[str]] = {}
    alone: list[str] = []
    for word in words:
        fitting = [name for name in names if word.casefold().startswith(f"{name}=".casefold())]
        if fitting:
            name = max(fitting, key=len)
            given.setdefault(name, []).append(word[len(name) + 1 :])
        elif "=" in word:
            known = listed(map(repr, names)) or "none"
            wrong = word.partition("=")[0]
            raise UnknownName(f"{description.name} has no parameter {wrong!r}; it has: {known}.")
        else:
            alone.append(word)
    for word in alone:
        free = [name for name in names if name not in given]
        if not free:
            count = f"takes {len(names)}" if names else "takes none"
            raise BadArgument(f"{word!r} is one value too many: {description.name} {count}.")
        given[free[0]] = [word]
    return given


def value_of(universe: Universe, order: str, parameter: tp_pb2.ParameterDesc, texts: Sequence[str]) -> Value:
    """The value of one parameter that is no list. Raises BadArgument or UnknownName naming it and what is allowed."""
    if parameter.type not in _READERS:
        raise BadArgument(f"{order}: parameter {parameter.name!r} has type {parameter.type}, which nobody has defined.")
    if len(texts) > 1 and parameter.type != Kind.REFERENCE_LIST:
        raise BadArgument(f"{order}: {parameter.name} was given {len(texts)} times; give it once.")
    try:
        return _READERS[parameter.type](universe, texts)
    except _Unreadable:
        wanted = meaning(parameter)
        raise BadArgument(f"{order}: {parameter.name} has to be {wanted}, not {texts[0]!r}.") from None
    except UnknownName as error:
        raise UnknownName(f"{order}: {parameter.name}: {error}") from None


class _Unreadable(Exception):
    """A text that does not stand for such a value at all."""


def _whole(universe: Universe, texts: Sequence[str]) -> int:
    try:
        number = int(texts[0]) if len(texts[0]) < 20 else _LARGEST + 1
    except ValueError:
        raise _Unreadable from None
    if not _SMALLEST <= number <= _LARGEST:
        raise _Unreadable
    return number


def _point(text: str) -> tuple[int, int, int] | None:
    match = _POINT.match(text)
    if match is None:
        return None
    x, y, z = (int(part or 0) for part in match.groups())
    if max(abs(x), abs(y), abs(z)) >= _FARTHEST:
        raise _Unreadable
    return x, y, z


def _coordinates(universe: Universe, texts: Sequence[str]) -> tuple[int, int, int]:
    return _point(texts[0]) or find_object(universe, texts[0]).position


def _relative(universe: Universe, texts: Sequence[str]) -> tuple[int, tuple[int, int, int]]:
    name, found, offset = texts[0].rpartition("@")
    if not found:
        return find_object(universe, texts[0]).id, (0, 0, 0)
    point = _point(offset)
    if point is None:
        raise _Unreadable
    return find_object(universe, name).id, point


def _references(universe: Universe, texts: Sequence[str]) -> list[int]:
    return [find_reference(universe, part.strip(), ()) for text in texts for part in text.split(",") if part.strip()]


_READERS: dict[int, Callable[[Universe, Sequence[str]], Value]] = {
    Kind.COORDINATES: _coordinates,
    Kind.TIME: _whole,
    Kind.OBJECT: lambda universe, texts: find_object(universe, texts[0]).id,
    Kind.PLAYER: lambda universe, texts: find_player(universe, texts[0]),
    Kind.RELATIVE_COORDINATES: _relative,
    Kind.RANGE: _whole,
    Kind.STRING: lambda universe, texts: texts[0],
    Kind.REFERENCE: lambda universe, texts: find_reference(universe, texts[0], ()),
    Kind.REFERENCE_LIST: _references,
}

# --- lists ------------------------------------------------------------------------------------------------------------


def options_of(universe: Universe, value: tp_pb2.OrderParameter) -> list[Option]:
    """What a list parameter of an Order frame offers."""
    if value.HasField("list"):
        return [Option(item.id, item.name, item.max_number) for item in value.list.possible_selections]
    if value.HasField("resource_list"):
        return [
            Option(item.resource_id, resource_name(universe, item.resource_id, 1), item.maximum)
            for item in value.resource_list.allowed
        ]
    return [Option(item.id, item.name, item.maximum) for item in value.quantity_list.possibles]


def selection_of(order: str, parameter: str, options: Sequence[Option], texts: Iterable[str]) -> dict[int, int]:
    """What was chosen: how many by id.

    Options of one name are as good as each other, so a number of them is taken from the first ones. Raises UnknownName
    for what is not offered, BadArgument for more of it than there is.
    """
    chosen: dict[int, int] = {}
    for text in texts:
        for word in [text] if _named(options, text) else _words(options, text):
            name, count = _counted(options, word)
            fitting = _named(options, name)
            if not fitting:
                raise UnknownName(f"{order}: {parameter}: {word!r} cannot be chosen; {offer(options)}.")
            if not count:
                raise BadArgument(f"{order}: {parameter}: {word!r} asks for none of it; leave it out.")
            left = count
            for option in fitting:
                free = left if option.most < 0 else max(0, option.most - chosen.get(option.id, 0))
                taken = min(left, free)
                if taken:
                    chosen[option.id] = chosen.get(option.id, 0) + taken
                left -= taken
            if left:
                there = sum(option.most for option in fitting)
                raise BadArgument(f"{order}: {parameter}: there are {there} of {name!r}, not more.")
    return chosen


def offer(options: Sequence[Option]) -> str:
    """What can be chosen, in words."""
    if not options:
        return "nothing can be chosen now"
    return "choose from: " + listed(
        f"{shown(option.name)} ({option.id})" + ("" if option.most == 1 else f" up to {limit(option)}")
        for option in options
    )


def limit(option: Option) -> str:
    """How many of an option may be chosen, in words."""
    return "any number" if option.most < 0 else str(option.most)


def _named(options: Sequence[Option], text: str) -> list[Option]:
    """The option with this id, or all with this name."""
    number = number_in(text)
    by_id = [option for option in options if option.id == number]
    return (
        by_id
        or [option for option in options if option.name == text.strip()]
        or [option for option in options if option.name.casefold() == text.strip().casefold()]
    )


def _words(options: Sequence[Option], text: str) -> list[str]:
    """The selections of a text with commas, of which a name may have some itself: the longest that fit are taken."""
    parts = text.split(",")
    words: list[str] = []
    while parts:
        for length in range(len(parts), 0, -1):
            word = ",".join(parts[:length])
            if length == 1 or _named(options, _counted(options, word)[0]):
                break
        if word.strip():
            words.append(word.strip())
        parts = parts[length:]
    return words


def _counted(options: Sequence[Option], word: str) -> tuple[str, int]:
    """NAME=2 as name and number; the whole word is the name if there is such an option."""
    name, found, number = word.rpartition("=")
    count = number_in(number)
    if _named(options, word) or not found or count is None:
        return word.strip(), 1
    return name.strip(), count
