"""The codec of worlds: stored data, independent copies, errors."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, is_dataclass, make_dataclass
from enum import Enum, IntEnum
from importlib.metadata import entry_points
from itertools import islice
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tprules.api import (
    Ruleset,
    WorldError,
    canonical,
    copy_world,
    dump_world,
    load_world,
    stored,
    stored_as_row,
)
from tprules.api import codec as codecs
from tprules.api.faults import why_it_failed
from tprules.testing.play import playing

SHIPPED = [point.load() for point in entry_points(group="tpserver.rulesets") if point.value.startswith("tprules.")]


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Spot(NamedTuple):
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Rules:
    limit: int
    names: tuple[str, ...] = ()


@stored_as_row
@dataclass(slots=True)
class Card:
    id: int
    colour: Colour
    marks: list[int] = field(default_factory=list)


@stored_as_row
@dataclass(slots=True)
class Coin:
    id: int
    worth: int


@dataclass(slots=True)
class Hand:
    red: int
    cards: list[Card] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    rules: Rules
    seats: list[Hand]
    step: Literal["deal", "play"] = "deal"
    size: Size = Size.SMALL
    open: bool = False
    best: Hand | None = None
    cards: dict[int, Card] = field(default_factory=dict)
    things: dict[int, Card | Coin] = field(default_factory=dict, metadata=stored(key="id"))
    scores: dict[str, int] = field(default_factory=dict)
    places: dict[Spot, Hand] = field(default_factory=dict)
    fallen: OrderedDict[int, int] = field(default_factory=OrderedDict)
    lying: OrderedDict[str, Coin] = field(default_factory=OrderedDict)
    taken: set[int] = field(default_factory=set)
    spots: set[tuple[int, int]] = field(default_factory=set)
    pair: tuple[int, list[int]] = (0, [])
    round_number: int = field(default=0, kw_only=True, metadata=stored(name="round"))
    total: int = field(init=False)

    def __post_init__(self) -> None:
        if self.rules.limit < 0:
            raise ValueError(f"a limit of {self.rules.limit} is below 0")
        self.total = sum(self.scores.values())


def a_table() -> Table:
    return Table(
        rules=Rules(5, ("a", "b")),
        seats=[Hand(1), Hand(2, [Card(7, Colour.RED, [3])]), Hand(3)],
        step="play",
        size=Size.LARGE,
        open=True,
        best=Hand(9),
        cards={20: Card(1, Colour.BLUE), 10: Card(2, Colour.RED, [1, 2])},
        things={9: Coin(9, 5), 4: Card(4, Colour.RED)},
        scores={"b": 2, "a": 1},
        places={Spot(2, 1): Hand(0), Spot(1, 9): Hand(0)},
        fallen=OrderedDict([(3, 1), (1, 2)]),
        lying=OrderedDict(b=Coin(1, 2), a=Coin(2, 2)),
        taken={1000, 2},
        spots={(x, 9 - x) for x in range(9)},
        pair=(4, [5]),
        round_number=6,
    )


STORED = {
    "rules": {"limit": 5, "names": ["a", "b"]},
    "seats": [
        {"red": 1, "cards": []},
        {"red": 2, "cards": [[7, "red", [3]]]},
        {"red": 3, "cards": []},
    ],
    "step": "play",
    "size": 2,
    "open": True,
    "best": {"red": 9, "cards": []},
    "cards": [[10, 2, "red", [1, 2]], [20, 1, "blue", []]],
    "things": [["Card", 4, "red", []], ["Coin", 9, 5]],
    "scores": {"a": 1, "b": 2},
    "places": [[[1, 9], {"red": 0, "cards": []}], [[2, 1], {"red": 0, "cards": []}]],
    "fallen": [[3, 1], [1, 2]],
    "lying": [["b", 1, 2], ["a", 2, 2]],
    "taken": [2, 1000],
    "spots": [[x, 9 - x] for x in range(9)],
    "pair": [4, [5]],
    "round": 6,
}
"""Each kind of value as the codec's table has it."""


def some_data() -> Any:
    return json.loads(json.dumps(STORED))


def test_what_is_stored():
    table = a_table()
    assert dump_world(table) == STORED
    assert json.dumps(dump_world(table)) == json.dumps(STORED), "in the same order"
    assert load_world(Table, some_data()) == table
    assert table.total == load_world(Table, some_data()).total == 3
    assert dump_world(copy_world(table)) == STORED


def test_a_copy_of_each_kind_is_independent():
    table = a_table()
    data = dump_world(table)
    for other in (copy_world(table), load_world(Table, data), data):
        for change in [*changes(other)]:
            change()
        assert dump_world(table) == STORED


def test_order_is_canonical():
    """By rising key, whatever was filled in first; an OrderedDict keeps its own order."""
    data = some_data()
    for name in ("cards", "things", "taken", "spots"):
        data[name].reverse()
    loaded = load_world(Table, data)
    assert json.dumps(dump_world(loaded)) == json.dumps(STORED)
    data["scores"] = {"b": 2, "a": 1}
    again = load_world(Table, data)
    assert [*again.scores] == ["a", "b"]
    assert [*load_world(Table, dump_world(loaded)).cards] == [10, 20]
    assert [*again.fallen] == [*copy_world(again).fallen] == [3, 1]


BAD: list[tuple[str, Callable[[Any], Any], str]] = [
    ("", lambda data: [], "a list is not an object"),
    ("", lambda data: data.pop("step"), "'step' is missing; allowed are rules, seats, step, size"),
    ("", lambda data: data.update(extra=1), "'extra' is unknown; allowed are rules, seats, step, size"),
    ("", lambda data: data["rules"].update(limit=-1), "a limit of -1 is below 0"),
    ("rules.limit", lambda data: data["rules"].update(limit="5"), "'5' is not a whole number"),
    ("rules.limit", lambda data: data["rules"].update(limit=True), "true is not a whole number"),
    ("rules.limit", lambda data: data["rules"].update(limit=5.0), "5.0 is not a whole number"),
    ("rules.names", lambda data: data["rules"].update(names="ab"), "'ab' is not a list"),
    ("rules.names[1]", lambda data: data["rules"].update(names=["a", None]), "null is not text"),
    ("seats[2].red", lambda data: data["seats"][2].update(red={}), "an object is not a whole number"),
    ("seats[1].cards[0]", lambda data: data["seats"][1]["cards"][0].pop(), "a list of 2 is not a list of 3: id, colou"),
    ("seats[1].cards[0].marks[1]", lambda data: data["seats"][1]["cards"][0][2].append("x"), "'x' is not a whole numb"),
    (
        "seats[1].cards[0].colour",
        lambda data: data["seats"][1]["cards"][0].__setitem__(1, "green"),
        "'green' is not one",
    ),
    ("step", lambda data: data.update(step="rest"), "'rest' is not one of 'deal', 'play'"),
    ("step", lambda data: data.update(step=[]), "a list is not one of 'deal', 'play'"),
    ("size", lambda data: data.update(size=True), "true is not one of 1, 2"),
    ("open", lambda data: data.update(open=1), "1 is not true or false"),
    ("best", lambda data: data.update(best=3), "3 is not an object"),
    ("cards[20].colour", lambda data: data["cards"][1].__setitem__(2, 7), "7 is not one of 'red', 'blue'"),
    ("cards[1]", lambda data: data["cards"].__setitem__(1, []), "a list of 0 is not a list of 2: key, value"),
    ("cards", lambda data: data["cards"].append(data["cards"][0]), "a key is there twice"),
    ("things[0]", lambda data: data["things"][0].__setitem__(0, "Dog"), "'Dog' is not one of Card, Coin"),
    ("things[1].worth", lambda data: data["things"][1].__setitem__(2, None), "null is not a whole number"),
    ("things", lambda data: data["things"].append(["Coin", 4, 1]), "two have the same id"),
    ("scores.a", lambda data: data["scores"].update(a="1"), "'1' is not a whole number"),
    ("scores['no word']", lambda data: data["scores"].update({"no word": "1"}), "'1' is not a whole number"),
    ("places[0].y", lambda data: data["places"][0][0].__setitem__(1, "9"), "'9' is not a whole number"),
    ("fallen[1]", lambda data: data["fallen"][1].__setitem__(1, "2"), "'2' is not a whole number"),
    ("fallen[0]", lambda data: data["fallen"][0].__setitem__(0, False), "false is not a whole number"),
    ("fallen[0]", lambda data: data["fallen"].__setitem__(0, "31"), "'31' is not a list of 2: key, value"),
    ("taken", lambda data: data["taken"].append(2), "an entry is there twice"),
    ("spots[0]", lambda data: data["spots"][0].append(2), "a list of 3 is not a list of 2: 0, 1"),
    ("pair[1][0]", lambda data: data["pair"][1].__setitem__(0, "5"), "'5' is not a whole number"),
]


@pytest.mark.parametrize("path, spoil, text", BAD, ids=lambda value: value if isinstance(value, str) else "")
def test_bad_data_are_refused_with_the_place(path, spoil, text):
    data = some_data()
    spoilt = spoil(data)
    with pytest.raises(WorldError) as found:
        load_world(Table, spoilt if path == "" and isinstance(spoilt, list) else data)
    assert found.value.path == path
    assert found.value.text.startswith(text)
    assert str(found.value) == (f"{path}: {found.value.text}" if path else found.value.text)


def test_what_is_said_is_short_and_printable():
    """It goes into logs and to operators; what is stored may be anything."""
    for nonsense in ("x" * 10**6, "\x1b[2J\n", 10**5000, [[]] * 1000):
        for spoilt in ({"rules": {"limit": 1, "names": nonsense}}, {"step": nonsense}):
            with pytest.raises(WorldError) as found:
                load_world(Table, some_data() | spoilt)
            assert len(str(found.value)) < 400
            assert str(found.value).isprintable()
    with pytest.raises(WorldError) as found:
        load_world(Table, some_data() | {"\x1b" * 10**6: 1})
    assert len(str(found.value)) < 1000
    assert str(found.value).isprintable()
    for key in ("x" * 10**6, "\x1b" * 10**6):
        with pytest.raises(WorldError) as found:
            load_world(Table, some_data() | {"scores": {key: "x"}})
        assert len(str(found.value)) < 1000
    assert why_it_failed(found.value).startswith("WorldError: scores['")


def test_collections_have_a_largest_size(monkeypatch):
    monkeypatch.setattr(codecs, "MOST_ITEMS", 5)
    for name, value in (
        ("taken", list(range(6))),
        ("cards", [[number, 1, "red", []] for number in range(6)]),
        ("scores", {str(number): 1 for number in range(6)}),
        ("seats", [{"red": 1, "cards": []}] * 6),
    ):
        with pytest.raises(WorldError, match=f"^{name}: 6 entries; at most 5 are allowed$"):
            load_world(Table, some_data() | {name: value})


@stored_as_row
@dataclass
class Late:
    one: int
    two: int = field(default=5, metadata=stored(since=2))
    three: list[int] = field(default_factory=list, metadata=stored(since=3))
    four: int = 0


def test_fields_that_were_added_later():
    """They have their default in older data, and are there in newer ones, whatever their place."""
    assert load_world(Late, [1, 4], 1) == Late(1, 5, [], 4)
    assert load_world(Late, [1, 2, 4], 2) == Late(1, 2, [], 4)
    assert load_world(Late, [1, 2, [3], 4], 3) == load_world(Late, [1, 2, [3], 4]) == Late(1, 2, [3], 4)
    for version, data in ((1, [1, 2, 4]), (2, [1, 4]), (3, [1, 2, 4]), (None, [1, 4])):
        with pytest.raises(WorldError):
            load_world(Late, data, version)
    with pytest.raises(TypeError, match=r"Early\.one: a field that was added later needs a default"):
        load_world(make_dataclass("Early", [("one", int, field(metadata=stored(since=2)))]), {})


@dataclass
class Parent:
    child: Parent | None = None


@stored_as_row
@dataclass
class Pin:
    """It can be changed, so it can be no key."""

    id: int


@pytest.mark.parametrize(
    "hint, text",
    [
        (float, "float cannot be stored; possible are int"),
        (Any, "cannot be stored"),
        (list, "list cannot be stored"),
        (list[float], "float cannot be stored"),
        (int | str, "is one of several types"),
        (dict[float, int], "float cannot be stored"),
        (set[Colour | None], "has no order"),
        (dict[Hand, int], "has no order"),
        (set[Pin], "has no order"),
        (tuple, "tuple cannot be stored"),
        (Parent, "Parent contains itself"),
        (object, "object cannot be stored"),
    ],
    ids=str,
)
def test_what_cannot_be_stored_is_said_at_once(hint, text):
    kind = make_dataclass("Some", [("thing", hint)])
    with pytest.raises(TypeError, match=text) as found:
        load_world(kind, {"thing": 1})
    assert "Some.thing" in str(found.value) or "Parent.child" in str(found.value)


def test_names_are_stored_once():
    kind = make_dataclass("Twice", [("one", int), ("two", int, field(metadata=stored(name="one")))])
    with pytest.raises(TypeError, match="Twice: two fields are stored under one name"):
        dump_world(kind(1, 2))
    kind = make_dataclass("Keyed", [("one", list[int], field(metadata=stored(key="id")))])
    with pytest.raises(TypeError, match=r"Keyed\.one: only the keys of a dict are attributes of its values"):
        dump_world(kind([]))


def test_a_stored_name_may_be_any_text():
    """It stands in generated source text, too, and in the paths of errors."""
    name = "{len(x)} 'it' \"is\" \\ it"
    kind = make_dataclass("Odd", [("one", list[int], field(metadata=stored(name=name)))])
    assert dump_world(kind([1])) == {name: [1]}
    assert load_world(kind, {name: [1]}) == kind([1])
    with pytest.raises(WorldError) as found:
        load_world(kind, {name: [1, "x"]})
    assert found.value.path == f"{name}[1]"


@pytest.mark.parametrize("function", [dump_world, copy_world])
def test_a_tuple_that_is_longer_or_shorter_than_its_type_says_is_not_cut(function):
    @dataclass
    class Pairs:
        pairs: list[tuple[int, list[int]]]

    assert function(Pairs([(1, [2])])) in ({"pairs": [[1, [2]]]}, Pairs([(1, [2])]))
    for wrong in ((1, [2], 3), (1,)):
        with pytest.raises(ValueError, match="is no tuple of 2"):
            function(Pairs([wrong]))


def test_only_dataclasses_are_worlds():
    with pytest.raises(TypeError, match="list is no dataclass"):
        dump_world([])
    with pytest.raises(NotImplementedError, match="world = World"):
        Ruleset[Any]().dump({})
    with pytest.raises(NotImplementedError, match="world = World"):
        Ruleset[Any]().load({}, 1)


# Random trees of dataclasses.

ROW = stored_as_row(make_dataclass("Row", [("number", int), ("word", str), ("many", list[int])]))
FROZEN = make_dataclass("Frozen", [("number", int), ("flags", tuple[bool, ...])], frozen=True)
TABLE = make_dataclass("Inner", [("rows", list[ROW]), ("maybe", FROZEN | None)])  # type: ignore[valid-type]  # made above

NUMBERS = st.integers(-(2**40), 2**40)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
ROWS = st.builds(ROW, NUMBERS, TEXT, st.lists(NUMBERS, max_size=3))
FROZENS = st.builds(FROZEN, NUMBERS, st.lists(st.booleans(), max_size=3).map(tuple))
TABLES = st.builds(TABLE, st.lists(ROWS, max_size=2), st.none() | FROZENS)

SIMPLE: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (int, NUMBERS),
    (bool, st.booleans()),
    (str, TEXT),
    (Colour, st.sampled_from(Colour)),
    (Size, st.sampled_from(Size)),
    (Literal["a", "b", 3], st.sampled_from(["a", "b", 3])),
    (Spot, st.builds(Spot, NUMBERS, NUMBERS)),
    (ROW, ROWS),
    (FROZEN, FROZENS),
    (TABLE, TABLES),
    (ROW | TABLE, ROWS | TABLES),
]
KEYS = [SIMPLE[place] for place in (0, 1, 2, 3, 4, 6)] + [(tuple[int, str], st.tuples(NUMBERS, TEXT))]


@st.composite
def hints(draw: st.DrawFn, depth: int = 2) -> tuple[Any, st.SearchStrategy[Any]]:
    """Return a type hint and a strategy for its values."""
    if not depth or draw(st.booleans()):
        return draw(st.sampled_from(SIMPLE))
    hint, values = draw(hints(depth - 1))
    key, keys = draw(st.sampled_from(KEYS))
    return draw(
        st.sampled_from(
            [
                (hint | None, st.none() | values),
                (list[hint], st.lists(values, max_size=3)),
                (tuple[hint, ...], st.lists(values, max_size=3).map(tuple)),
                (tuple[hint, key], st.tuples(values, keys)),
                (set[key], st.sets(keys, max_size=3)),
                (frozenset[key], st.frozensets(keys, max_size=3)),
                (dict[key, hint], st.dictionaries(keys, values, max_size=3)),
                (OrderedDict[key, hint], st.dictionaries(keys, values, max_size=3).map(OrderedDict)),
            ]
        )
    )


@st.composite
def worlds(draw: st.DrawFn) -> Any:
    found = draw(st.lists(hints(), max_size=4))
    kind = make_dataclass("Made", [(f"field_{place}", hint) for place, (hint, _) in enumerate(found)])
    if draw(st.booleans()):
        stored_as_row(kind)
    return kind(*[draw(values) for _, values in found])


def changes(value: Any) -> Iterator[Callable[[], Any]]:
    """Yield what would change a part of the value in place."""
    if is_dataclass(value):
        for name in value.__dataclass_fields__:
            yield from changes(getattr(value, name))
            if not value.__dataclass_params__.frozen:
                yield lambda name=name: setattr(value, name, None)
    elif isinstance(value, list | set | dict):
        yield from (
            change for item in [*(value.values() if isinstance(value, dict) else value)] for change in changes(item)
        )
        yield value.clear
        yield lambda: value.update({object(): 1}) if isinstance(value, dict) else None
    elif isinstance(value, tuple):
        for item in value:
            yield from changes(item)


@pytest.mark.thorough
@settings(deadline=None, max_examples=50)
@given(worlds())
def test_random_worlds_go_round(world):
    kind = type(world)
    data = dump_world(world)
    read = json.loads(canonical(data))
    loaded = load_world(kind, read)
    assert loaded == load_world(kind, data) == copy_world(world) == world
    assert canonical(dump_world(loaded)) == canonical(dump_world(copy_world(world))) == canonical(data)
    assert canonical(dump_world(load_world(kind, read))) == canonical(data), "loading does not change the data"


@settings(deadline=None, max_examples=50)
@given(worlds())
def test_a_copy_is_independent(world):
    """So are the dumped data, and what was loaded of them."""
    data = dump_world(world)
    before = canonical(data)
    for other in (copy_world(world), load_world(type(world), data)):
        for change in [*changes(other)]:
            change()
            assert canonical(dump_world(world)) == before == canonical(data)
    for change in [*changes(data)]:
        change()
    assert canonical(dump_world(world)) == before


def spots_in(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for step, item in enumerate(data) if isinstance(data, list) else data.items() if isinstance(data, dict) else ():
        yield from spots_in(item, (*path, step))


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_any_wrong_value_is_refused_with_its_place(data):
    """A value of a type that nothing in the world has is refused wherever it stands, and the path leads there."""
    world = data.draw(worlds() | st.builds(a_table))
    spoilt = json.loads(canonical(dump_world(world)))
    path = data.draw(st.sampled_from([*spots_in(spoilt)]))
    if path:
        within = spoilt
        for step in path[:-1]:
            within = within[step]
        within[path[-1]] = 0.5
    else:
        spoilt = 0.5
    with pytest.raises(WorldError) as found:
        load_world(type(world), spoilt)
    assert "0.5 is not " in found.value.text
    assert bool(found.value.path) == bool(path)


# The shipped games.


@pytest.mark.parametrize("rules", SHIPPED, ids=lambda rules: rules.name)
@settings(deadline=None, max_examples=2)
@given(seed=st.integers(0, 2**32), seats=st.integers(0, 10))
def test_worlds_of_games_go_round(rules, seed, seats):
    count = rules.seats[seats % len(rules.seats)]
    for step in islice(playing(rules, {}, count, seed), 0, 30, 6):
        world = step.done.state.world
        data = rules.dump(world)
        read = json.loads(canonical(data))
        loaded, copied = rules.load(read, rules.version), copy_world(world)
        assert loaded == copied == world
        assert json.dumps(rules.dump(loaded)) == json.dumps(rules.dump(copied)) == json.dumps(data)
        for other in (copied, loaded):
            for change in [*changes(other)]:
                change()
        assert json.dumps(rules.dump(world)) == json.dumps(data)


@pytest.mark.parametrize("rules", SHIPPED, ids=lambda rules: rules.name)
def test_spoilt_worlds_of_games_are_refused(rules):
    """Whatever stands where is needed, and of the right type."""
    *_, step = islice(playing(rules, {}, None, "spoilt"), 12)
    data = rules.dump(step.done.state.world)
    text = json.dumps(data)
    for path in [*spots_in(data)][1::3]:
        spoilt = json.loads(text)
        within = spoilt
        for at in path[:-1]:
            within = within[at]
        within[path[-1]] = 0.5
        with pytest.raises(WorldError, match=r"^[a-z]+.*: (0\.5|a list of \d+) is not ") as found:
            rules.load(spoilt, rules.version)
        assert found.value.path.startswith(path[0])
        del within[path[-1]]
        if isinstance(within, dict):
            with pytest.raises(WorldError, match=f"'{path[-1]}' is missing"):
                rules.load(spoilt, rules.version)


@pytest.mark.parametrize("name", ["tae", "taller_ants"])
def test_a_map_that_is_no_rectangle_is_refused(name):
    (rules,) = (each for each in SHIPPED if each.name == name)
    data = rules.dump(next(playing(rules)).done.state.world)
    for width in (0, -1, 13):
        with pytest.raises(WorldError, match=rf"^\d+ squares are no rows of {width}$"):
            rules.load(data | {"width": width}, rules.version)


@pytest.mark.parametrize("rules", SHIPPED, ids=lambda rules: rules.name)
def test_shipped_games_leave_their_worlds_to_the_codec(rules):
    assert rules.world is not None
    for name in ("dump", "load"):
        assert getattr(type(rules), name) is getattr(Ruleset, name)
