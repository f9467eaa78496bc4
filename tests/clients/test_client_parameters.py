"""Order parameter types: the clients know every type of the schema."""

from random import Random
from typing import Any

import pytest

from tpclient.errors import BadArgument
from tpclient.objects import Amount, SpaceObject
from tpclient.orders import build_order, choices
from tpclient.parameters import (
    TYPES,
    Bounds,
    Kind,
    NumberType,
    ParameterType,
    PlaceType,
    SelectionType,
    UndefinedType,
    parameter_facts,
    parameter_words,
    parse,
    type_in,
    type_of,
)
from tpclient.universe import Universe
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP04

FIELDS = tp.OrderParameter.DESCRIPTOR.oneofs_by_name["value"].fields
NUMBERS = {field.name: field.GetOptions().Extensions[tp.parameter] for field in FIELDS}

VALUES: dict[Kind, tuple[Any, str, Any]] = {
    Kind.COORDINATES: ((1, -2, 3), "1,-2,3", (1, -2, 3)),
    Kind.TIME: (4, "4", 4),
    Kind.OBJECT: (5, "5", 5),
    Kind.PLAYER: (6, "6", 6),
    Kind.RELATIVE_COORDINATES: ((5, (1, -2, 3)), "5@1,-2,3", (5, (1, -2, 3))),
    Kind.RANGE: (-7, "-7", -7),
    Kind.LIST: ({8: 2}, "8=2", ((8, 2),)),
    Kind.STRING: (" as it is ", " as it is ", " as it is "),
    Kind.REFERENCE: (9, "9", 9),
    Kind.REFERENCE_LIST: ([5, 9], "5,9", (5, 9)),
    Kind.RESOURCE_LIST: ({10: 3}, "10=3", ((10, 3),)),
    Kind.QUANTITY_LIST: ({11: 4}, "11=4", ((11, 4),)),
}
"""By type: a value in Python, as it is typed, and what was chosen by it."""

OFFERED = {
    Kind.LIST: tp.OrderParameter(
        list=tp.OrderList(possible_selections=[tp.PossibleSelection(id=8, name="eight", max_number=2)])
    ),
    Kind.RESOURCE_LIST: tp.OrderParameter(
        resource_list=tp.OrderResourceList(allowed=[tp.ResourceMaximum(resource_id=10, maximum=3)])
    ),
    Kind.QUANTITY_LIST: tp.OrderParameter(
        quantity_list=tp.OrderQuantityList(possibles=[tp.QuantityOption(id=11, name="eleven", maximum=-1)])
    ),
}


@pytest.fixture
def universe() -> Universe:
    found = Universe(TP04, Descriptions())
    found.objects[5] = SpaceObject(5, 3, "Planet", "Rock", 0, (), 1, (7, 8, 9), resources={10: Amount(1, 0, 0)})
    found.players[6] = tp.Player(id=6, name="ann")
    found.resources[10] = tp.Resource(id=10, singular_name="ton", plural_name="tons")
    return found


def test_every_type_of_the_schema_has_a_class() -> None:
    """By its number, and called as the field that it fills. A type that is added to the schema is missing here."""
    assert {kind: known.word for kind, known in TYPES.items()} == {number: name for name, number in NUMBERS.items()}
    assert {kind.name.lower(): int(kind) for kind in Kind} == NUMBERS
    assert len({type(known) for known in TYPES.values()}) == len(TYPES)
    assert set(VALUES) == set(TYPES), "each of them is tried below"


@pytest.mark.parametrize("known", TYPES.values(), ids=lambda known: known.word)
def test_a_value_is_built_typed_and_told(universe: Universe, known: ParameterType) -> None:
    """The same value in Python, as text and on the wire; it fills its own field, and goes back and forth."""
    value, text, chosen = VALUES[known.kind]
    description = tp.ParameterDesc(name="It", type=known.kind)
    order = build_order(tp.OrderDesc(id=1, name="Try", parameters=[description]), 2, {"It": value})
    (built,) = order.parameters
    assert built.WhichOneof("value") == known.word
    assert type_of(description) is type_in(built) is known
    assert choices(order) == (1, chosen)
    if isinstance(known, SelectionType):
        offered = OFFERED[known.kind]
        assert known.select(universe, "Try: It", offered, [text]) == value
        assert known.limits(universe, offered).startswith("choose from: ")
    else:
        assert parse(universe, "Try", description, [text]) == value
        assert known.text(built) == text
    facts = parameter_facts(universe, description, built)
    assert (facts["name"], facts["type"]) == ("It", known.word)
    assert parameter_words(facts)
    assert not known.is_unset(built)
    assert known.may_be_unset(built) is (known.kind == Kind.TIME)
    assert known.wants and known.meaning and known.wanted(universe, tp.OrderParameter())


@pytest.mark.parametrize("known", TYPES.values(), ids=lambda known: known.word)
def test_what_is_made_up_fits(universe: Universe, known: ParameterType) -> None:
    """Whatever stands in for a value, is guessed, or is meant by an object can be sent; so can what was left out."""
    thing = universe.objects[5]
    made_up = [known.stand_in(universe, thing), *(known.guess(Random(1), thing, failures) for failures in range(3))]
    made_up += [known.default, known.of_object(thing) if isinstance(known, PlaceType) else None]
    fitting = [value for value in made_up if value is not None]
    assert fitting
    for value in fitting:
        assert known.build(value).WhichOneof("value") == known.word
    with pytest.raises((TypeError, ValueError, AttributeError, OverflowError)):
        known.build(object())


@pytest.mark.parametrize(
    ("kind", "told", "bounds"),
    [
        (Kind.TIME, tp.OrderParameter(time=tp.OrderTime(max_time=6)), Bounds(0, 6, 1)),
        (Kind.RANGE, tp.OrderParameter(range=tp.OrderRange(min_value=2, max_value=8, increment=3)), Bounds(2, 8, 3)),
    ],
)
def test_what_is_beyond_the_bounds_is_said(kind: Kind, told: tp.OrderParameter, bounds: Bounds) -> None:
    """The lowest and the highest may be given, what is beyond is refused with both in a sentence."""
    known = TYPES[kind]
    assert isinstance(known, NumberType)
    assert known.bounds(told) == bounds
    for number in bounds[:2]:
        bounds.check("It", number)
    for number in (bounds.low - 1, bounds.high + 1):
        with pytest.raises(BadArgument, match=f"^It goes from {bounds.low} to {bounds.high}, not to {number}\\.$"):
            bounds.check("It", number)


def test_a_type_that_nobody_has_defined(universe: Universe) -> None:
    """It has no value: it is shown as what it is, and refused when it is to be given."""
    description = tp.ParameterDesc(name="It", type=99)
    assert isinstance(type_of(description), UndefinedType)
    assert isinstance(type_in(tp.OrderParameter()), UndefinedType)
    assert parameter_facts(universe, description, tp.OrderParameter()) == {"name": "It", "type": "type 99"}
    problem = r"^Try: parameter 'It' has type 99, which nobody has defined\.$"
    with pytest.raises(BadArgument, match=problem):
        build_order(tp.OrderDesc(name="Try", parameters=[description]), 2, {"It": 1})
    with pytest.raises(BadArgument, match=problem):
        parse(universe, "Try", description, ["1"])
