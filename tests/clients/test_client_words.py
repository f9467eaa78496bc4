"""Words of a game in the terminal's library and in plain commands.

Players may type the words and the protocol's names.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.memory_client import Served
from tpclient.appearance import NO_ORDER_WORDS, NO_WORDS, OrderWords, Words, read_appearance
from tpclient.errors import UnknownName
from tpclient.names import (
    amount_words,
    called_name,
    find_carrier,
    find_object,
    find_parameter,
    find_type,
    holdings,
    kind_name,
    object_name,
    order_name,
    parameter_name,
    reference_name,
    resource_name,
)
from tpclient.objects import Amount, SpaceObject
from tpclient.universe import Universe
from tpproto import tp_pb2
from tpproto.descriptions import Descriptions
from tpproto.dialects import PB
from tpserver.rules.discovery import discover


@pytest.fixture
def games(make_served: Callable[..., Served]) -> Served:
    """A server with a game of each of two rulesets, both of ann and ben."""
    served = make_served(found=discover())
    for ruleset in ("tae", "colony_battle"):
        served.do(served.server.begin, "ann", "ben", ruleset=ruleset, game=ruleset)
    return served


def pieces(shell: Any, games: Served, game: str, kind: str) -> list[dict[str, Any]]:
    code, out, err = shell(games, "objects", "--mine", "--kind", kind, "--json", user=f"ann@{game}", dialect="pb")
    assert code == 0, err
    found: list[dict[str, Any]] = json.loads(out)
    return found


def test_orders_are_told_and_typed_in_the_words_of_the_game(games: Served, shell: Any) -> None:
    """Verb, parameter and piece in any letters; told by the sentence of the game, and by its name it works as well."""

    def typed(*words: str, dialect: str = "pb") -> tuple[int, str, str]:
        code, out, err = shell(games, *words, user="ann@colony_battle", dialect=dialect)
        return code, out, err

    (queen,) = pieces(shell, games, "colony_battle", "queen")
    code, out, err = typed("order", "add", "QUEEN", "move", "Square=Surface 2,6")
    assert code == 0, err
    assert out == f"queen ({queen['id']}), order 0: Move to Surface 2,6 (takes 1 turn)\n"
    assert typed("order", "add", "queen", "wait", "TURNS=1")[1].endswith("order 1: Wait for 1 turn (takes 1 turn)\n")
    assert typed("order", "add", "Queen", "NoOp", "duration=2")[1].endswith("Wait for 2 turns (takes 2 turns)\n")
    assert "Move to Surface 2,6" in typed("orders")[1]
    assert "Move: destination = 0:2,6" in typed("orders", dialect="tp04")[1]
    code, out, err = typed("orders", "queen")
    assert "Wait: Wait for some of your turns" in out
    assert "  turns= a number of turns" in out
    assert "NoOp" not in out
    data = json.loads(typed("orders", "queen", "--json")[1])[0]
    assert [one["type"] for one in data["orders"]] == ["Move", "NoOp", "NoOp"]
    assert data["orders"][1]["called"] == "Wait"
    assert data["orders"][1]["parameters"][0]["called"] == "turns"
    assert typed("order", "add", "queen", "fly")[2].startswith(
        "tpclient: There is no order type 'fly'; this object takes: Wait, Move, Spawn"
    )


def test_pieces_of_one_name_are_called_by_what_they_are(games: Served, shell: Any) -> None:
    """Of TaE's colonist ships each by its kind; several of that are named by their ids."""
    ships = pieces(shell, games, "tae", "ship")
    assert {one["kind"] for one in ships} == {"Fleet"}
    code, out, _ = shell(games, "status", user="ann@tae", dialect="pb")
    assert code == 0
    assert "tae (TaE: Tigris and Euphrates in space)" in out
    assert "merchant leader" in out
    assert "Colonist Fleet" not in out
    assert "ColonizeMining" not in out
    assert "Colonist Fleet" in shell(games, "status", user="ann@tae", dialect="tp04")[1]
    code, _, err = shell(games, "order", "add", "bomber", "attack", "0, 0", user="ann@tae", dialect="pb")
    assert code == 2
    assert err.startswith("tpclient: 2 objects are called 'bomber'; name one by its id: ")


def test_rulesets_are_told_by_their_titles(games: Served, shell: Any) -> None:
    assert "Colony Battle" in shell(games, "games", dialect="pb")[1]
    (one,) = [one for one in json.loads(shell(games, "games", "--json", dialect="pb")[1]) if one["name"] == "tae"]
    assert (one["ruleset"], one["title"]) == ("tae", "TaE: Tigris and Euphrates in space")
    assert "colony_battle  colony_battle" in shell(games, "games", dialect="tp04")[1]


def test_protocol_buffers_are_spoken_where_nothing_is_said(games: Served, shell: Any) -> None:
    assert "merchant leader" in shell(games, "status", user="ann@tae", dialect=None)[1]


# --- the library


def universe_with(told: tp_pb2.Appearance) -> Universe:
    made = Universe(PB, Descriptions())
    made.appearance = read_appearance(told)
    for number, name in ((0, "All"), (1, "Board"), (2, "b4")):
        made.objects[number] = SpaceObject(number, number, f"Kind {number}", name, max(0, number - 1), (), 0)
    made.objects[4] = SpaceObject(4, 4, "Fleet", "AntFleet", 2, (), 0, queue=4, ships={1: 1})
    made.objects[5] = SpaceObject(
        5, 4, "Fleet", "AntFleet", 2, (), 0, queue=5, ships={1: 5}, resources={1: Amount(2, 0, 0)}
    )
    for number in (4, 5):
        made.queues[number] = tp_pb2.OrderQueue(id=number, order_types=[7, 8])
    made.designs[1] = tp_pb2.Design(id=1, name="BlackAnt")
    made.resources[1] = tp_pb2.Resource(id=1, singular_name="HitPoint", plural_name="HitPoints")
    for number, name in ((7, "NoOp"), (8, "Dig")):
        parameters = [tp_pb2.ParameterDesc(name=one, type=5) for one in ("duration", "reason")]
        made.order_descriptions[number] = tp_pb2.OrderDesc(id=number, name=name, parameters=parameters)
    return made


TOLD = tp_pb2.Appearance(
    object_types=[tp_pb2.Look(id=4, words="fleet", each="fleets", nameless=True)],
    designs=[tp_pb2.Look(id=1, words="black ant", each="black ants")],
    resources=[tp_pb2.Look(id=1, words="hit point", each="hit points")],
    orders=[tp_pb2.OrderWords(otype=7, name="Wait", sentence="Wait {duration|day|days}", parameters=["days", "why"])],
)


def test_things_are_called_by_words_or_else_by_names() -> None:
    for told, names in (
        (
            TOLD,
            ("black ant", "5 black ants", "5 black ants (5)", "fleet", "2 hit points", "Wait", "days", "hit points"),
        ),
        (
            tp_pb2.Appearance(),
            (
                "AntFleet",
                "AntFleet",
                "AntFleet (5)",
                "Fleet",
                "5 BlackAnt, 2 HitPoints",
                "NoOp",
                "duration",
                "HitPoints",
            ),
        ),
    ):
        universe = universe_with(told)
        kind = universe.order_descriptions[7]
        assert names == (
            called_name(universe, universe.objects[4]),
            called_name(universe, universe.objects[5]),
            object_name(universe, 5),
            kind_name(universe, universe.objects[4]),
            holdings(universe, universe.objects[5]),
            order_name(universe, kind),
            parameter_name(universe, kind, kind.parameters[0]),
            resource_name(universe, 1, 2),
        )
    assert reference_name(universe_with(TOLD), 9, 1) == "design black ant (1)"
    assert reference_name(universe_with(TOLD), 2, 7) == "order type Wait (7)"


def test_what_a_number_tells_nothing_of_is_told_by_words_alone() -> None:
    universe = universe_with(tp_pb2.Appearance(resources=[tp_pb2.Look(id=1, words="caught in a web")]))
    assert amount_words(universe, 1, Amount(1, 0, 0)) == "caught in a web"
    assert amount_words(universe, 1, Amount(0, 0, 0)) == ""


def test_names_go_before_words_and_ambiguous_words_are_refused() -> None:
    """A word that several orders, pieces or parameters have is refused in a sentence that names them."""
    universe = universe_with(TOLD)
    every = list(universe.order_descriptions.values())
    assert find_type(universe, "wAIT", every).id == 7
    assert find_type(universe, "noop", every).id == 7
    assert find_carrier(universe, "Black Ant").id == 4
    assert find_object(universe, "5 black ants").id == 5
    assert find_parameter(universe, every[0], "DAYS") == "duration"
    assert find_parameter(universe, every[0], "weeks") is None
    told = tp_pb2.Appearance()
    told.CopyFrom(TOLD)
    told.orders.add(otype=8, name="Wait", parameters=["time", "time"])
    universe = universe_with(told)
    every = list(universe.order_descriptions.values())
    with pytest.raises(UnknownName, match=r"2 order types are called 'wait'; name one of them: 'NoOp', 'Dig'\."):
        find_type(universe, "wait", every)
    assert find_type(universe, "Wait", every[:1]).id == 7
    with pytest.raises(
        UnknownName, match=r"Wait: several parameters are called 'time'; name one: 'duration', 'reason'\."
    ):
        find_parameter(universe, every[1], "time")
    universe.objects[5] = SpaceObject(5, 4, "Fleet", "AntFleet", 2, (), 0, queue=5, ships={1: 1})
    for find in (find_carrier, find_object):
        with pytest.raises(
            UnknownName, match=r"2 objects are called 'black ant'; name one by its id: 4 \(b4\), 5 \(b4\)\."
        ):
            find(universe, "black ant")


def test_words_are_bounded_and_sentences_filled_in() -> None:
    long = "w" * 5000
    look = tp_pb2.Look(id=1, words=long, each=long)
    orders = [tp_pb2.OrderWords(otype=1, name=long, sentence=long, parameters=[long])]
    read = read_appearance(tp_pb2.Appearance(designs=[look], orders=orders))
    assert (len(read.designs[1].one), len(read.designs[1].each)) == (100, 100)
    order = read.orders[1]
    assert (len(order.name), len(order.sentence), len(order.parameters[0])) == (100, 200, 100)
    sentence = OrderWords("Go", "Go to {to}: {many|step|steps}, {none} {odd}")
    assert sentence.told({"to": "b4", "many": 1, "odd": "{to}"}) == "Go to b4: 1 step, {none} {to}"
    assert sentence.told({"to": "b4", "many": 2, "odd": ""}) == "Go to b4: 2 steps, {none} "
    assert [Words("cube", "cubes").counted(number) for number in (0, 1, 2)] == ["0 cubes", "1 cube", "2 cubes"]
    assert (NO_WORDS.one, NO_ORDER_WORDS.name) == ("", "")
