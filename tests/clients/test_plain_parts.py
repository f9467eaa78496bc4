"""Parts of the plain commands: columns, map views, maps of any shape."""

from typing import Any

import pytest

from tpclient.columns import brief, listed, padded, shown, table, width
from tpclient.names import meanings_in
from tpclient.objects import Amount, SpaceObject
from tpclient.orders import is_unfinished
from tpclient.parameters import parameter_facts, parameter_words, type_in
from tpclient.plain.chart import all_letters, chart, letters_for
from tpclient.universe import Universe
from tpclient.views import read_map
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP04


def test_columns_hold_wide_letters_and_leave_out_what_is_empty() -> None:
    assert table(("id", "name", "empty", "n"), [(1, "蚁", "", -5), (10, "e\u0301", "", 20)]) == [
        "id  name   n",
        " 1  蚁    -5",
        "10  e\u0301     20",
    ]
    assert (width("蚁a\u0301"), padded("蚁", 3) + "|") == (3, "蚁 |")


def test_what_could_steer_a_terminal_is_written_out() -> None:
    assert shown("a\x1b[31m\u202e\u2028\t\x9b") == "a\\x1b[31m\\u202e\\u2028\\t\\x9b"
    assert shown("Zoë 蚁 e\u0301") == "Zoë 蚁 e\u0301"


def test_long_texts_are_cut() -> None:
    assert brief("one, two", 8) == "one, two"
    assert brief("one, two", 6) == "one…"


def test_long_lists_are_cut() -> None:
    assert listed("abcdef", 4) == "a, b, c, d and 2 more"
    assert listed("abcd", 4) == "a, b, c, d"


@pytest.fixture
def universe() -> Universe:
    """An empty universe with a root and one galaxy."""
    made = Universe(TP04, Descriptions())
    made.me = 2
    for number, name in ((1, "ann"), (2, "bob"), (30, "cyd")):
        made.players[number] = tp.Player(id=number, name=name)
    put(made, 0, 0, "All", 0)
    put(made, 1, 1, "Field", 0)
    return made


def put(
    universe: Universe, number: int, role: int, name: str, parent: int, at: tuple[int, int] = (0, 0), **more: Any
) -> None:
    thing = SpaceObject(number, role, "", name, parent, (), 0, (*at, 0), **more)
    universe.objects[number] = thing


def test_everything_belongs_to_the_icon_above_it(universe: Universe) -> None:
    """Owners and amounts over all depths, slices over the direct contents, the largest first, then the lower id."""
    put(universe, 2, 2, "sun", 1)
    put(universe, 3, 3, "ground", 2, resources={5: Amount(1, 2, 3), 6: Amount(0, 0, 0), 4: Amount(7, 0, 0)}, owner=30)
    put(universe, 4, 16, "nest", 3, owner=1, resources={7: Amount(9, 0, 0)})
    put(universe, 5, 3, "stone", 2, resources={5: Amount(1, 0, 0), 8: Amount(0, 8, 0)})
    (board,) = read_map(universe).boards
    (icon,) = board.icons
    assert (board.thing.id, icon.thing.id) == (1, 2)
    assert icon.owners == (1, 30)
    assert icon.amounts == {5: 7, 4: 7, 7: 9, 8: 8}
    assert icon.amount == 31
    assert icon.slices == ((8, 8), (4, 7), (5, 7))
    assert icon.largest == (8, 4, 5, 7)
    assert read_map(universe).icon_of == dict.fromkeys((2, 3, 4, 5), 2)


def test_objects_in_circles_have_no_icon(universe: Universe) -> None:
    """A server that says nonsense does not make us run in circles."""
    put(universe, 2, 2, "a", 3)
    put(universe, 3, 2, "b", 2)
    put(universe, 4, 2, "lost", 99)
    assert read_map(universe).boards == ()


def test_letters_of_resources(universe: Universe) -> None:
    """The first letter, then the beginnings of other words, then any letter of the name, then any letter at all."""
    names = ["Ant", "Team of People", "Tea", "Ants nest", "A", "Ameise", "蚁", "Tax"]
    for number, name in enumerate(names):
        universe.resources[number] = tp.Resource(id=number, singular_name=name)
    assert list(all_letters(universe)[0].values()) == ["A", "T", "E", "N", "B", "M", "C", "X"]


def test_letters_of_designs_are_no_letters_of_resources(universe: Universe) -> None:
    """Resources keep the letters that they have on the map without designs, however many of both there are."""
    for number in range(1, 41):
        universe.resources[number] = tp.Resource(id=number, singular_name=f"Raw {number}")
    without, _ = all_letters(universe)
    for number in range(1, 41):
        universe.designs[number] = tp.Design(id=number, name=f"Runner {number}")
    resources, designs = all_letters(universe)
    assert resources == without
    assert len({*resources.values(), *designs.values()} - {"?"}) == 78
    assert sorted([*resources.values(), *designs.values()]).count("?") == 2


def test_small_letters_of_the_own_name_before_strange_ones() -> None:
    assert letters_for({1: "Ab", 2: "Ab", 3: "Ab", 4: "Ab"}, small=[3]) == {1: "A", 2: "B", 3: "a", 4: "C"}


@pytest.mark.parametrize(
    ("words", "meanings"),
    [
        ("0 soil, 1 grass; below 0", {0: "soil", 1: "grass"}),
        ("1 if the star is destroyed", {1: "yes", 0: "no"}),
        ("0 is the surface, 2 the lowest board", {0: "surface", 2: "lowest board"}),
        ("1 and up, 0 before the first", {0: "before the first"}),
        ("Of its seat, 0 for none", {0: "none"}),
        ("Segments", {}),
        ("", {}),
    ],
)
def test_what_numbers_mean(words: str, meanings: dict[int, str]) -> None:
    """Descriptions as servers write them."""
    assert meanings_in(words) == meanings


def test_two_boards_and_letters_at_the_edge(universe: Universe) -> None:
    """Each galaxy is drawn with its own edges; names may be as "b4" or as "1:7,3" on board 1."""
    put(universe, 2, 1, "Below", 0)
    for number, (name, galaxy, at) in enumerate(
        [("a1", 1, (0, 0)), ("b1", 1, (10, 0)), ("b2", 1, (10, 10)), ("1:7,3", 2, (0, 0)), ("1:7,4", 2, (0, 5))], 10
    ):
        put(universe, number, 2, name, galaxy, at, owner=number - 9 if number < 12 else 0)
    assert chart(universe, read_map(universe).boards, resources=False, columns=0) == [
        "Field",
        "",
        "2   .",
        "1 1 2",
        "  a b",
        "",
        "Below",
        "",
        "4 .",
        "3 .",
        "  7",
        "",
        ".   nobody and nothing",
        "1   ann",
        "2   bob (you)",
    ]


def test_names_that_do_not_agree_number_no_edge(universe: Universe) -> None:
    put(universe, 10, 2, "0, 0", 1, (0, 0))
    put(universe, 11, 2, "1, 0", 1, (0, 9))
    assert chart(universe, read_map(universe).boards, resources=False, columns=0)[2:5] == [" .", " .", ""]


def test_several_in_one_place_and_several_owners(universe: Universe) -> None:
    """Facts that one mark cannot show get a separate sign, explained below the map."""
    put(universe, 10, 2, "left", 1, (0, 0))
    put(universe, 11, 3, "nest", 10, owner=1)
    put(universe, 12, 4, "ant", 10, owner=30)
    put(universe, 13, 2, "here", 1, (7, 0), owner=1)
    put(universe, 14, 2, "there", 1, (7, 0), owner=2)
    put(universe, 15, 2, "both", 1, (14, 0), owner=1)
    put(universe, 16, 4, "ant", 15, owner=2)
    assert chart(universe, read_map(universe).boards, resources=False, columns=0)[2:] == [
        " ** ++ 12",
        "",
        "**  several players",
        "++  several systems in one place",
        "1   ann",
        "2   bob (you)",
    ]


def test_places_without_a_grid(universe: Universe) -> None:
    """Far and near systems at odd places are drawn on a coarse grid, north on top, rows as high as two columns."""
    for number, at in enumerate([(0, 0), (1, 1), (600_000, 0), (0, 600_000)], 10):
        put(universe, number, 2, f"s{number}x", 1, at)
    drawn = chart(universe, read_map(universe).boards, resources=False, columns=0)[2:-2]
    assert len(drawn) == 31
    assert drawn[0] == " ."
    assert drawn[-1] == " ." + " " * 119 + "."


def test_large_amounts_are_short(universe: Universe) -> None:
    universe.resources[1] = tp.Resource(id=1, singular_name="Food")
    for number, amount in enumerate((5, 1500, 2_000_000), 10):
        put(universe, number, 2, "s", 1, (number, 0), resources={1: Amount(amount, 0, 0)})
    assert chart(universe, read_map(universe).boards, resources=True, columns=0)[2] == "  F5 F1k F2M"


def test_ten_thousand_objects_are_drawn_at_once(universe: Universe) -> None:
    """A map of a hundred by hundred systems is drawn without a noticeable wait, cut to the terminal."""
    for number in range(10_000):
        put(universe, 2 + number, 2, f"{number % 100}, {number // 100}", 1, (number % 100 * 1000, number // 100 * 1000))
    drawn = chart(universe, read_map(universe).boards, resources=False, columns=80)
    assert len(drawn) == 2 + 100 + 1 + 1 + 1 + 1
    assert max(map(width, drawn[:-3])) <= 80
    assert drawn[-3] == "74 columns in the east cut off; --skip 26 shows what follows, --width 0 everything."


def test_what_is_not_chosen_yet_is_no_value(universe: Universe) -> None:
    """Object 0 where no universe can be chosen, and player 0; in a draft also what is shown as the lowest."""
    unset = [
        tp.OrderParameter(object=tp.OrderObject(object_id=0, valid_types=[2])),
        tp.OrderParameter(player=tp.OrderPlayer()),
    ]
    chosen = [
        tp.OrderParameter(object=tp.OrderObject(object_id=0, valid_types=[0, 2])),
        tp.OrderParameter(object=tp.OrderObject(object_id=0)),
        tp.OrderParameter(object=tp.OrderObject(object_id=1, valid_types=[2])),
        tp.OrderParameter(player=tp.OrderPlayer(player_id=1)),
        tp.OrderParameter(range=tp.OrderRange(value=1, min_value=1, max_value=2)),
    ]
    for parameter in (*unset, *chosen):
        assert type_in(parameter).is_unset(parameter) == (parameter in unset)
        facts = parameter_facts(universe, tp.ParameterDesc(name="it"), parameter)
        assert (parameter_words(facts) == "nothing chosen") == (parameter in unset)
        assert is_unfinished(tp.Order(turns=1, parameters=[parameter])) == (parameter in unset)
    lowest = chosen[-1:]
    assert is_unfinished(tp.Order(turns=0, parameters=lowest)), "the lowest number of an order that takes no turns"
    assert not is_unfinished(tp.Order(turns=0, parameters=chosen)), "something in it was chosen"
    assert not is_unfinished(tp.Order(turns=0))
