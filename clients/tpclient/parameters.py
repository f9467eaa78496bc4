"""The types of order parameters, one class each (TP04, Order frame).

A new type is a member of `Kind` and a class in `TYPES`. A method with an OrderParameter argument expects it from the
server, with its limits. Without a description from the server there are no limits.

Values in Python, and as typed text:

    coordinates           (x, y, z)                   X,Y,Z or X,Y, or an object for its position
    time                  a number of turns           the number
    object, player        an id                       the id, or the exact name
    relative coordinates  (object id, (x, y, z))      an object, or OBJECT@X,Y,Z
    range                 a number                    the number
    list, quantity list   ids, or {id: quantity}      ids or names with commas between them, NAME=2 for two of it
    string                text                        the text
    reference             an id                       the id, or a name
    reference list        ids                         ids or names with commas between them
    resource list         {resource id: quantity}     as a list

No value for a list makes the order a draft, which asks for the possible choices. In Python, an OrderParameter that the
caller made fits any type.
"""

import random
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from tpclient.columns import as_typed, listed, shown
from tpclient.errors import BadArgument, UnknownName
from tpclient.names import (
    find_object,
    find_player,
    find_reference,
    number_in,
    object_name,
    player_name,
    reference_name,
    resource_name,
    type_name,
)
from tpclient.objects import SpaceObject
from tpclient.universe import Universe
from tpproto import tp_pb2

Value = Any

SMALLEST, LARGEST = -(2**31), 2**31 - 1
"""The range of numbers that fit on the wire."""

FARTHEST = 2**63
"""Exclusive bound of the absolute value of a coordinate."""

GUESSES = (1, 0, 2, 5, 10, 100, 1000)
"""Numbers that a bot tries in turn while it does not know the limits."""

NOTHING_CHOSEN = "nothing chosen"

_POINT = re.compile(r"\s*(-?\d{1,19})\s*,\s*(-?\d{1,19})\s*(?:,\s*(-?\d{1,19})\s*)?\Z")

Point = tuple[int, int, int]
Counts = tuple[tuple[int, int], ...]
"""Ids, each with its number."""


class Kind(IntEnum):
    """The numbers of the parameter types. Each member is named like its field of OrderParameter, in capitals."""

    COORDINATES = 0
    TIME = 1
    OBJECT = 2
    PLAYER = 3
    RELATIVE_COORDINATES = 4
    RANGE = 5
    LIST = 6
    STRING = 7
    REFERENCE = 8
    REFERENCE_LIST = 9
    RESOURCE_LIST = 10
    QUANTITY_LIST = 11


class Bounds(NamedTuple):
    """The lowest and the highest number, and the step between numbers."""

    low: int = SMALLEST
    high: int = LARGEST
    step: int = 1

    def check(self, name: str, number: int) -> None:
        """Raise BadArgument if a number is out of bounds. `name` is the name of the parameter."""
        if not self.low <= number <= self.high:
            raise BadArgument(f"{name} goes from {self.low} to {self.high}, not to {number}.")


class ParameterType:
    """A type of order parameter."""

    kind: Kind
    wants: str
    """Description of the values in Python."""
    meaning: str
    """Description of the text that a player may type."""
    default: Value = None
    """The value of a missing argument. None means that the argument is required."""
    is_limited = False
    """True if only an Order frame of the server has the possible values."""
    allowed_field = ""
    """The field with the allowed types of things, if the server sends it.

    It is the same for all orders of a type.
    """

    @property
    def word(self) -> str:
        """The type's name, which is that of its field of OrderParameter."""
        return self.kind.name.lower()

    def build(self, value: Value) -> tp_pb2.OrderParameter:
        """Return the parameter with this value.

        Raises TypeError, ValueError, AttributeError or OverflowError if the value does not fit.
        """
        raise NotImplementedError

    def choice(self, parameter: tp_pb2.OrderParameter) -> Hashable:
        """Return the choice of the player, without limits that the server adds."""
        raise NotImplementedError

    def parse(self, universe: Universe, texts: Sequence[str]) -> Value:
        """Return the value of one or several typed texts. Raises UnknownName, or ValueError for a wrong format."""
        raise NotImplementedError

    def text(self, parameter: tp_pb2.OrderParameter) -> str:
        """Return the value as text for typing; "" if none is chosen."""
        if self.is_unset(parameter):
            return ""
        value = self.choice(parameter)
        return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)

    def picked(self, universe: Universe, text: str, number: int) -> str:
        """Return the typed text after the player has picked the thing with this id."""
        return str(number)

    def facts(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> dict[str, Any]:
        """Return the value as data: `value`, `words` if there is a name, and the server's limits."""
        value = self.choice(parameter)
        return {"value": list(value) if isinstance(value, tuple) else value}

    def is_unset(self, parameter: tp_pb2.OrderParameter) -> bool:
        """Return whether certainly no value is chosen yet."""
        return False

    def may_be_unset(self, parameter: tp_pb2.OrderParameter) -> bool:
        """Return whether the value may be the default before a choice."""
        return self.choice(parameter) in (0, "", (), (0, 0, 0))

    def stand_in(self, universe: Universe, thing: SpaceObject) -> Value:
        """Return a neutral value with which an incomplete order of `thing` can be probed. None if there is none."""
        return None

    def guess(self, chance: random.Random, thing: SpaceObject, failures: int) -> Value:
        """Return a random value for an order of `thing`. None leaves the parameter out.

        `failures` is the number of refusals of such an order while its limits are unknown.
        """
        return None

    def allowed(self, parameter: tp_pb2.OrderParameter) -> frozenset[int]:
        """Return the types of objects or references that the server allows; empty if it allows any."""
        return frozenset(getattr(getattr(parameter, self.word), self.allowed_field) if self.allowed_field else ())

    def limits(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> str:
        """Return the limits that the server states, in words; "" if none."""
        return ""

    def wanted(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> str:
        """Return the prompt of a form in words, with the server's limits."""
        return self.limits(universe, parameter) or self.meaning


class SingleType(ParameterType):
    """A type whose value is one field of its message."""

    value_field: str

    def build(self, value: Value) -> tp_pb2.OrderParameter:
        parameter = tp_pb2.OrderParameter()
        setattr(getattr(parameter, self.word), self.value_field, value)
        return parameter

    def choice(self, parameter: tp_pb2.OrderParameter) -> Any:
        return getattr(getattr(parameter, self.word), self.value_field)


class UndefinedType(ParameterType):
    """A type without a definition. Its parameters can be shown, but not given."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.meaning = f"a value of type {number}"

    @property
    def word(self) -> str:
        return f"type {self.number}"

    def choice(self, parameter: tp_pb2.OrderParameter) -> Hashable:
        return None

    def facts(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> dict[str, Any]:
        return {}


# --- places and things ------------------------------------------------------------------------------------------------


class PlaceType(ParameterType):
    """A type whose values may come from an object of the map."""

    def of_object(self, thing: SpaceObject) -> Value:
        """Return the value for an object."""
        raise NotImplementedError

    def object_in(self, value: Value) -> int | None:
        """Return the id of the object in a value; None if there is none."""
        return None

    def stand_in(self, universe: Universe, thing: SpaceObject) -> Value:
        return self.of_object(thing)


class CoordinatesType(PlaceType):
    kind = Kind.COORDINATES
    wants = "coordinates (x, y, z)"
    meaning = "coordinates X,Y,Z, or an object"

    def build(self, value: Value) -> tp_pb2.OrderParameter:
        return tp_pb2.OrderParameter(coordinates=_vector(value))

    def choice(self, parameter: tp_pb2.OrderParameter) -> Point:
        return _point(parameter.coordinates)

    def parse(self, universe: Universe, texts: Sequence[str]) -> Point:
        return _typed_point(texts[0]) or find_object(universe, texts[0]).position

    def picked(self, universe: Universe, text: str, number: int) -> str:
        thing = universe.objects.get(number)
        return ",".join(map(str, thing.position)) if thing is not None else str(number)

    def of_object(self, thing: SpaceObject) -> Point:
        return thing.position


class ObjectType(SingleType, PlaceType):
    kind = Kind.OBJECT
    wants = "the id of an object"
    meaning = "an object, by id or exact name"
    allowed_field = "valid_types"
    value_field = "object_id"

    def parse(self, universe: Universe, texts: Sequence[str]) -> int:
        return find_object(universe, texts[0]).id

    def facts(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> dict[str, Any]:
        number = parameter.object.object_id
        kinds = [type_name(universe, kind) for kind in parameter.object.valid_types]
        return {"value": number, "words": object_name(universe, number), "allowed": kinds}

    def is_unset(self, parameter: tp_pb2.OrderParameter) -> bool:
        """Return whether the id is 0 and the server allows no universe.

        Universes have type 0. If the server sends no allowed types, the result is False.
        """
        kinds = parameter.object.valid_types
        return not parameter.object.object_id and bool(kinds) and 0 not in kinds

    def limits(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> str:
        kinds = universe.object_descriptions
        names = [type_name(universe, kind) for kind in parameter.object.valid_types if kind in kinds]
        return " or ".join(names)

    def wanted(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> str:
        limits = self.limits(universe, parameter)
        return f"{limits}, by id, exact name, or picked" if limits else self.meaning

    def of_object(self, thing: SpaceObject) -> int:
        return thing.id

    def object_in(self, value: Value) -> int:
        return int(value)


class RelativeCoordinatesType(PlaceType):
    kind = Kind.RELATIVE_COORDINATES
    wants = "(object id, (x, y, z))"
    meaning = "an object, or OBJECT@X,Y,Z"

    def build(self, value: Value) -> tp_pb2.OrderParameter:
        number, place = value
        relative = tp_pb2.OrderRelativeCoordinates(object_id=number, pos=_vector(place))
        return tp_pb2.OrderParameter(relative_coordinates=relative)

    def choice(self, parameter: tp_pb2.OrderParameter) -> tuple[int, Point]:
        return parameter.relative_coordinates.object_id, _point(parameter.relative_coordinates.pos)

    def parse(self, universe: Universe, texts: Sequence[str]) -> tuple[int, Point]:
        name, found, offset = texts[0].rpartition("@")
        if not found:
            return find_object(universe, texts[0]).id, (0, 0, 0)
        point = _typed_point(offset)
        if point is None:
            raise ValueError(f"{offset!r} is no point")
        return find_object(universe, name).id, point

    def text(self, parameter: tp_pb2.OrderParameter) -> str:
        number, offset = self.choice(parameter)
        return f"{number}@{','.join(map(str, offset))}"

    def facts(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> dict[str, Any]:
        number, offset = self.choice(parameter)
        words = f"{object_name(universe, number)} @ {', '.join(map(str, offset))}"
        return {"value": number, "offset": list(offset), "words": words}

    def of_object(self, thing: SpaceObject) -> tuple[int, Point]:
        return thing.id, (0, 0, 0)

    def object_in(self, value: Value) -> int:
        return int(value[0])


class PlayerType(SingleType):
    kind = Kind.PLAYER
    wants = "the id of a player"
    meaning = "a player, by id or name"
    value_field = "player_id"

    def parse(self, universe: Universe, texts: Sequence[str]) -> int:
        return find_player(universe, texts[0])

    def facts(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> dict[str, Any]:
        number = parameter.player.player_id
        return {"value": number, "words": player_name(universe, number)}

    def is_unset(self, parameter: tp_pb2.OrderParameter) -> bool:
        return not parameter.player.player_id

    def stand_in(self, universe: Universe, thing: SpaceObject) -> int:
        return universe.me


class ReferenceType(SingleType):
    kind = Kind.REFERENCE
    wants = "an id"
    meaning = "an id or a name"
    allowed_field = "allowed"
    value_field = "reference"

    def parse(self, universe: Universe, texts: Sequence[str]) -> int:
        return find_reference(universe, texts[0])

    def facts(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> dict[str, Any]:
        facts: dict[str, Any] = {"value": parameter.reference.reference}
        if len(parameter.reference.allowed) == 1:
            facts["words"] = reference_name(universe, parameter.reference.allowed[0], parameter.reference.reference)
        return facts

    def stand_in(self, universe: Universe, thing: SpaceObject) -> int:
        return 0

    def guess(self, chance: random.Random, thing: SpaceObject, failures: int) -> int:
        return thing.id


class ReferenceListType(ParameterType):
    kind = Kind.REFERENCE_LIST
    wants = "ids"
    meaning = "ids or names"
    default = ()
    allowed_field = "allowed"

    def build(self, value: Value) -> tp_pb2.OrderParameter:
        return tp_pb2.OrderParameter(reference_list=tp_pb2.OrderReferenceList(references=list(value)))

    def choice(self, parameter: tp_pb2.OrderParameter) -> tuple[int, ...]:
        return tuple(parameter.reference_list.references)

    def parse(self, universe: Universe, texts: Sequence[str]) -> list[int]:
        parts = [part.strip() for text in texts for part in text.split(",")]
        return [find_reference(universe, part) for part in parts if part]

    def picked(self, universe: Universe, text: str, number: int) -> str:
        return f"{text.rstrip().rstrip(',')},{number}" if text.strip() else str(number)


# --- numbers and text -------------------------------------------------------------------------------------------------


class NumberType(SingleType):
    """A type whose values are whole numbers within bounds from the server."""

    is_limited = True

    def parse(self, universe: Universe, texts: Sequence[str]) -> int:
        number = int(as_typed(texts[0])) if len(texts[0]) < 20 else LARGEST + 1
        if not SMALLEST <= number <= LARGEST:
            raise ValueError(f"{texts[0]} does not fit on the wire")
        return number

    def stand_in(self, universe: Universe, thing: SpaceObject) -> int:
        return 1  # limits start at 1 more often than they include 0

    def guess(self, chance: random.Random, thing: SpaceObject, failures: int) -> int:
        return GUESSES[failures % len(GUESSES)]

    def bounds(self, parameter: tp_pb2.OrderParameter) -> Bounds:
        """Return the bounds from the server. If it sends none, the lowest number is not below the highest."""
        raise NotImplementedError


class TimeType(NumberType):
    kind = Kind.TIME
    wants = meaning = "a number of turns"
    value_field = "turns"

    def facts(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> dict[str, Any]:
        return {"value": parameter.time.turns, "max": parameter.time.max_time}

    def may_be_unset(self, parameter: tp_pb2.OrderParameter) -> bool:
        return True

    def bounds(self, parameter: tp_pb2.OrderParameter) -> Bounds:
        return Bounds(0, parameter.time.max_time)

    def limits(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> str:
        return f"a number of turns up to {parameter.time.max_time}"


class RangeType(NumberType):
    kind = Kind.RANGE
    wants = meaning = "a whole number"
    value_field = "value"

    def facts(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> dict[str, Any]:
        told = parameter.range
        return {"value": told.value, "min": told.min_value, "max": told.max_value, "step": told.increment}

    def may_be_unset(self, parameter: tp_pb2.OrderParameter) -> bool:
        return parameter.range.value == parameter.range.min_value

    def bounds(self, parameter: tp_pb2.OrderParameter) -> Bounds:
        told = parameter.range
        return Bounds(told.min_value, told.max_value, max(1, told.increment))

    def limits(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> str:
        low, high, step = self.bounds(parameter)
        return f"a whole number from {low} to {high}" + (f" in steps of {step}" if step > 1 else "")


class StringType(SingleType):
    kind = Kind.STRING
    wants = meaning = "text"
    default = ""
    value_field = "string"

    def parse(self, universe: Universe, texts: Sequence[str]) -> str:
        return texts[0]

    def facts(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> dict[str, Any]:
        return {"value": parameter.string.string, "longest": parameter.string.max_length}

    def guess(self, chance: random.Random, thing: SpaceObject, failures: int) -> str:
        return chance.choice(("Alpha", "Beta", "Gamma"))

    def wanted(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> str:
        longest = parameter.string.max_length
        return f"text of at most {longest} letters" if longest else self.meaning


# --- lists ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a list parameter: its id, its name, and the maximum that may be chosen. -1 means any number."""

    id: int
    name: str
    most: int


class SelectionType(ParameterType):
    """A type whose values are chosen from options of the server, with a number for each."""

    default = ()
    is_limited = True

    def choice(self, parameter: tp_pb2.OrderParameter) -> Counts:
        raise NotImplementedError

    def options(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> list[Option]:
        """Return the options that the server offers."""
        raise NotImplementedError

    def select(
        self, universe: Universe, about: str, parameter: tp_pb2.OrderParameter, texts: Iterable[str]
    ) -> dict[int, int]:
        """Return the typed choices among the server's options: number by id.

        `about`, the order type and the parameter, begins the sentences of errors.

        Each text has ids or names with commas between them; NAME=2 stands for two. A name may contain a comma. Options
        with the same name are equal, so their number is taken from the first ones. Raises UnknownName for a choice that
        is not offered, and BadArgument for too many of it.
        """
        options = self.options(universe, parameter)
        chosen: dict[int, int] = {}
        for text in texts:
            for word in [text] if _named(options, text) else _words(options, text):
                name, count = _counted(options, word)
                fitting = _named(options, name)
                if not fitting:
                    raise UnknownName(f"{about}: {word!r} cannot be chosen; {offer(options)}.")
                if not count:
                    raise BadArgument(f"{about}: {word!r} asks for none of it; leave it out.")
                left = count
                for option in fitting:
                    free = left if option.most < 0 else max(0, option.most - chosen.get(option.id, 0))
                    taken = min(left, free)
                    if taken:
                        chosen[option.id] = chosen.get(option.id, 0) + taken
                    left -= taken
                if left:
                    there = sum(option.most for option in fitting)
                    raise BadArgument(f"{about}: there are {there} of {name!r}, not more.")
        return chosen

    def chosen_name(self, universe: Universe, names: Mapping[int, str], number: int, count: int) -> str:
        """Return the name of some units of an option. `names` has the names by id."""
        return names.get(number, "")

    def facts(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> dict[str, Any]:
        options = self.options(universe, parameter)
        names = {option.id: option.name for option in options}
        rows, words = [], []
        for key, count in self.choice(parameter):
            name = self.chosen_name(universe, names, key, count)
            rows.append({"id": key, "name": name, "number": count})
            several = f"{count} " if count != 1 else ""
            words.append(f"{several}{name} ({key})" if name else f"{count} of {key}")
        choices = [{"id": option.id, "name": option.name, "max": option.most} for option in options]
        return {"value": rows, "words": ", ".join(words) or NOTHING_CHOSEN, "choices": choices}

    def limits(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> str:
        return offer(self.options(universe, parameter))


class ListType(SelectionType):
    kind = Kind.LIST
    wants = "ids, or {id: how many}"
    meaning = "a choice from a list"

    def build(self, value: Value) -> tp_pb2.OrderParameter:
        parameter = tp_pb2.OrderParameter()
        message = getattr(parameter, self.word)
        message.SetInParent()
        message.selection.extend(tp_pb2.Selection(id=key, number=count) for key, count in _counts(value))
        return parameter

    def choice(self, parameter: tp_pb2.OrderParameter) -> Counts:
        return tuple((row.id, row.number) for row in getattr(parameter, self.word).selection)

    def options(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> list[Option]:
        return [Option(item.id, item.name, item.max_number) for item in parameter.list.possible_selections]


class QuantityListType(ListType):
    kind = Kind.QUANTITY_LIST

    def options(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> list[Option]:
        return [Option(item.id, item.name, item.maximum) for item in parameter.quantity_list.possibles]


class ResourceListType(SelectionType):
    kind = Kind.RESOURCE_LIST
    wants = "{resource id: quantity}"
    meaning = "amounts of resources"

    def build(self, value: Value) -> tp_pb2.OrderParameter:
        rows = [tp_pb2.ResourceQuantity(resource_id=key, quantity=count) for key, count in _counts(value)]
        return tp_pb2.OrderParameter(resource_list=tp_pb2.OrderResourceList(selected=rows))

    def choice(self, parameter: tp_pb2.OrderParameter) -> Counts:
        return tuple((row.resource_id, row.quantity) for row in parameter.resource_list.selected)

    def options(self, universe: Universe, parameter: tp_pb2.OrderParameter) -> list[Option]:
        allowed = parameter.resource_list.allowed
        return [Option(one.resource_id, resource_name(universe, one.resource_id, 1), one.maximum) for one in allowed]

    def chosen_name(self, universe: Universe, names: Mapping[int, str], number: int, count: int) -> str:
        return resource_name(universe, number, count)

    def guess(self, chance: random.Random, thing: SpaceObject, failures: int) -> dict[int, int] | None:
        """Return a resource of the object every other time, because some games refuse an empty list."""
        return {chance.choice(sorted(thing.resources)): 1} if failures % 2 and thing.resources else None


def offer(options: Sequence[Option]) -> str:
    """Return the possible choices, in words."""
    if not options:
        return "nothing can be chosen now"
    return "choose from: " + listed(
        f"{shown(option.name)} ({option.id})" + ("" if option.most == 1 else f" up to {limit(option)}")
        for option in options
    )


def limit(option: Option) -> str:
    """Return the maximum of an option, in words."""
    return "any number" if option.most < 0 else str(option.most)


def _named(options: Sequence[Option], text: str) -> list[Option]:
    """Return the option with this id, or all with this name."""
    number = number_in(text)
    by_id = [option for option in options if option.id == number]
    return (
        by_id
        or [option for option in options if option.name == text.strip()]
        or [option for option in options if option.name.casefold() == text.strip().casefold()]
    )


def _words(options: Sequence[Option], text: str) -> list[str]:
    """Return the selections in a text with commas. Names may contain commas, so the longest match is taken."""
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
    """Return name and number of NAME=2. The whole word is the name if there is such an option."""
    name, found, number = word.rpartition("=")
    count = number_in(number)
    if _named(options, word) or not found or count is None:
        return word.strip(), 1
    return name.strip(), count


# --- all of them ------------------------------------------------------------------------------------------------------

TYPES: dict[int, ParameterType] = {
    one.kind: one
    for one in (
        CoordinatesType(),
        TimeType(),
        ObjectType(),
        PlayerType(),
        RelativeCoordinatesType(),
        RangeType(),
        ListType(),
        StringType(),
        ReferenceType(),
        ReferenceListType(),
        ResourceListType(),
        QuantityListType(),
    )
}
_BY_FIELD = {one.word: one for one in TYPES.values()}


def type_of(parameter: tp_pb2.ParameterDesc) -> ParameterType:
    """Return the type of a parameter by its description."""
    return TYPES.get(parameter.type) or UndefinedType(parameter.type)


def type_in(parameter: tp_pb2.OrderParameter) -> ParameterType:
    """Return the type of a parameter of an order, by its content."""
    return _BY_FIELD.get(parameter.WhichOneof("value") or "") or UndefinedType(-1)


def build(order: str, parameter: tp_pb2.ParameterDesc, value: Value) -> tp_pb2.OrderParameter:
    """Return a parameter of an order whose type is named `order`. The value None means that it is missing.

    Raises BadArgument for a value that is missing or does not fit.
    """
    if isinstance(value, tp_pb2.OrderParameter):
        return value
    known = _defined(order, parameter)
    if value is None:
        value = known.default
        if value is None:
            raise BadArgument(f"{order}: parameter {parameter.name!r} is missing; give {known.wants}.")
    try:
        return known.build(value)
    except (TypeError, ValueError, AttributeError, OverflowError):
        problem = f"{order}: parameter {parameter.name!r} has to be {known.wants}, not {value!r}."
        raise BadArgument(problem) from None


def parse(
    universe: Universe, order: str, parameter: tp_pb2.ParameterDesc, texts: Sequence[str], called: str = ""
) -> Value:
    """Return the value of the texts typed for a parameter that is not a selection.

    `order` is the name of the order type, `called` the name of the parameter for people. Raises BadArgument or
    UnknownName with the parameter and the allowed values.
    """
    known = _defined(order, parameter)
    name = called or parameter.name
    if len(texts) > 1 and known.default != ():
        raise BadArgument(f"{order}: {name} was given {len(texts)} times; give it once.")
    try:
        return known.parse(universe, texts)
    except ValueError:
        raise BadArgument(f"{order}: {name} has to be {known.meaning}, not {texts[0]!r}.") from None
    except UnknownName as error:
        raise UnknownName(f"{order}: {name}: {error}") from None


def stand_ins(universe: Universe, thing: SpaceObject, parameters: Iterable[tp_pb2.ParameterDesc]) -> dict[str, Value]:
    """Return neutral values by parameter name, with which an incomplete order of `thing` can be probed."""
    values = {one.name: type_of(one).stand_in(universe, thing) for one in parameters}
    return {name: value for name, value in values.items() if value is not None}


def parameter_facts(
    universe: Universe, parameter: tp_pb2.ParameterDesc, value: tp_pb2.OrderParameter
) -> dict[str, Any]:
    """Return one parameter of an order as data: `value`, its words, and the server's limits."""
    known = type_in(value)
    facts = {"name": parameter.name, "type": type_of(parameter).word, **known.facts(universe, value)}
    if known.is_unset(value):
        facts["words"] = NOTHING_CHOSEN
    return facts


def parameter_words(facts: Mapping[str, Any]) -> str:
    """Return the value in `parameter_facts`, in words."""
    value = facts.get("words", facts.get("value"))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _defined(order: str, parameter: tp_pb2.ParameterDesc) -> ParameterType:
    known = type_of(parameter)
    if isinstance(known, UndefinedType):
        raise BadArgument(f"{order}: parameter {parameter.name!r} has type {parameter.type}, which nobody has defined.")
    return known


def _point(vector: tp_pb2.Vector) -> Point:
    return vector.x, vector.y, vector.z


def _vector(value: Sequence[int]) -> tp_pb2.Vector:
    x, y, z = value
    return tp_pb2.Vector(x=x, y=y, z=z)


def _typed_point(text: str) -> Point | None:
    """Return the point of a typed X,Y,Z or X,Y; None for any other text.

    Raises ValueError for a point that is too far away.
    """
    match = _POINT.match(as_typed(text))
    if match is None:
        return None
    x, y, z = (int(part or 0) for part in match.groups())
    if max(abs(x), abs(y), abs(z)) >= FARTHEST:
        raise ValueError(f"{text} is too far away")
    return x, y, z


def _counts(value: Mapping[int, int] | Sequence[int]) -> list[tuple[int, int]]:
    if isinstance(value, Mapping):
        return [(int(key), int(count)) for key, count in value.items()]
    return [(int(key), 1) for key in value]
