"""Orders typed by hand: every parameter type by what its description says, and what is said when it does not fit."""

import json
from typing import Any

import pytest

from tpproto import tp_pb2 as tp

YARD, POST = 4, 5
"""Ann's and bob's objects in the workshop."""


def given(workshop: Any) -> Any:
    """The parameters of the last order."""
    return workshop.game.orders[YARD][-1].parameters


def add(shell: Any, workshop: Any, *words: str, dialect: str = "tp04") -> tuple[int, str, str]:
    code, out, err = shell(workshop, "order", "add", *words, user="ann", dialect=dialect)
    return code, out, err


@pytest.mark.parametrize("dialect", ["tp03", "tp04", "pb"])
def test_objects_players_and_places(workshop: Any, shell: Any, dialect: str) -> None:
    """Objects and players by name or id, coordinates as numbers or as somebody's place; values alone go in order."""
    words = ["Yard", "Send", "To=5, 3", "for=bob", "PLACE=1,-2"]
    line = "Yard (4), order 0: Send: To = 5, 3 (2); For = bob; Place = 1, -2, 0\n"
    assert add(shell, workshop, *words, dialect=dialect) == (0, line, "")
    to, player, place = given(workshop)
    assert (to.object.object_id, player.player.player_id) == (2, 2)
    assert (place.coordinates.x, place.coordinates.y, place.coordinates.z) == (1, -2, 0)
    assert add(shell, workshop, "4", "send", "Place=Post", "2", "2", dialect=dialect)[0] == 0
    assert given(workshop)[2].coordinates.x == 80


def test_lists(workshop: Any, shell: Any) -> None:
    """By name with an amount, by id, names with commas and equals signs in them; alike options are used up in turn."""
    words = ["Yard", "Build", "Parts=bolt, long=2, plate=3", "Parts=nut=2", "Fuel=Coal=4", "Crew=5=1000"]
    code, out, err = add(shell, workshop, *words)
    assert (code, err) == (0, "")
    assert out == (
        "Yard (4), order 0: Build: Parts = 2 bolt, long (1), plate (2), 2 plate (3), nut=2 (7); "
        "Fuel = 4 Coals (1); Crew = 1000 sailor (5)\n"
    )
    parts, fuel, crew = given(workshop)
    assert [(one.id, one.number) for one in parts.list.selection] == [(1, 2), (2, 1), (3, 2), (7, 1)]
    assert [(one.resource_id, one.quantity) for one in fuel.resource_list.selected] == [(1, 4)]
    assert [(one.id, one.number) for one in crew.quantity_list.selection] == [(5, 1000)]


def test_a_list_that_was_left_out(workshop: Any, shell: Any) -> None:
    """It is said what can be chosen, and nothing is ordered; an empty value means none on purpose."""
    offer = (
        "tpclient: Build needs Parts=VALUE (choose from: bolt, long (1) up to 3, plate (2), plate (3) up to 2, "
        "nut=2 (7) up to 5).\n"
    )
    assert add(shell, workshop, "Yard", "Build", "Fuel=", "Crew=") == (2, "", offer)
    assert workshop.game.given == []
    assert add(shell, workshop, "Yard", "Build", "Fuel=", "Crew=", "Parts=1")[0] == 0
    assert not given(workshop)[1].resource_list.selected


def test_everything_that_was_left_out_is_named_at_once(workshop: Any, shell: Any) -> None:
    """Lists with their choices and numbers with their limits, beside what needs no limits; text may be left out."""
    bid = [tp.ParameterDesc(name=name, type=kind) for name, kind in (("To", 2), ("Parts", 6), ("Level", 5), ("Why", 7))]
    workshop.game.put("order_descs", tp.OrderDesc(id=9, name="Bid", parameters=bid))
    workshop.game.tables["queues"][YARD].order_types.append(9)
    needs = (
        "tpclient: Bid needs To=VALUE (an object, by id or exact name) and Parts=VALUE (choose from: bolt, long (1) up "
        "to 3, plate (2), plate (3) up to 2, nut=2 (7) up to 5) and Level=VALUE (a whole number from 2 to 8 in steps "
        "of 2).\n"
    )
    assert add(shell, workshop, "Yard", "Bid") == (2, "", needs)
    assert workshop.game.given == []


def test_of_one_name_mine_is_meant(workshop: Any, shell: Any) -> None:
    """Who is to act has to take my orders; where anything may be meant, the ids are asked for."""
    other = tp.Object()
    other.CopyFrom(workshop.game.tables["objects"][POST])
    other.name = "Yard"
    workshop.game.put("objects", other)
    assert add(shell, workshop, "Yard", "Tune", "2", "2")[1].startswith("Yard (4), order 0: ")
    code, _, err = shell(workshop, "object", "Yard", user="ann")
    assert (code, err) == (
        2,
        "tpclient: 2 objects are called 'Yard'; name one by its id: 4 (Plain), 5 (Plain).\n",
    )


def test_numbers(workshop: Any, shell: Any) -> None:
    assert add(shell, workshop, "Yard", "Tune", "4", "Turns=-1")[0] == 0
    assert (given(workshop)[0].range.value, given(workshop)[1].time.turns) == (4, -1)


def test_text_and_references(workshop: Any, shell: Any) -> None:
    """Text may be left out and may have anything in it; references are ids or names of anything."""
    assert add(shell, workshop, "Yard", "Wish", "About=Coal", "Near=Post@-1,2,3", "Also=bob, 9", "Words=a=b, c")[0] == 0
    words, about, also, near = given(workshop)
    assert words.string.string == "a=b, c"
    assert about.reference.reference == 1
    assert list(also.reference_list.references) == [2, 9]
    assert (near.relative_coordinates.object_id, near.relative_coordinates.pos.x) == (POST, -1)
    assert add(shell, workshop, "Yard", "Wish", "About=3", "Near=5, 3")[0] == 0


def test_probe_gives_nothing(workshop: Any, shell: Any) -> None:
    """It shows what the order would be and what can be chosen, and nothing is in the queue."""
    code, out, _ = shell(workshop, "order", "probe", "Yard", "Build", "Parts=plate", user="ann")
    assert code == 0
    assert out.splitlines() == [
        "Yard (4): Build: Parts = plate (2); Fuel = nothing chosen; Crew = nothing chosen",
        "Parts, to choose from:",
        "  id  name        up to",
        "  1   bolt, long      3",
        "  2   plate           1",
        "  3   plate           2",
        "  7   nut=2           5",
        "Fuel, to choose from:",
        "  id  name  up to",
        "  1   Coal      9",
        "Crew, to choose from:",
        "  id  name    up to",
        "  5   sailor  any number",
        "Not given, only probed.",
    ]
    assert workshop.game.given == []
    data = json.loads(shell(workshop, "order", "probe", "Yard", "Tune", "2", "3", "--json", user="ann")[1])
    assert data["inserted"] is False
    assert data["parameters"][0] == {"name": "Level", "type": "range", "value": 2, "min": 2, "max": 8, "step": 2}


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["Yard", "Fly"], 2, "There is no order type 'Fly'; this object takes: Build, Send, Tune, Wish."),
        (["Post", "Fly"], 2, "There is no order type 'Fly'; in this game there are: Build, Send, Tune, Wish."),
        (["Nowhere", "Send"], 2, "There is no object 'Nowhere'; there are: All (0), Plain (1), "),
        (["Yard", "Send"], 2, "Send needs To=VALUE (an object, by id or exact name) and For=VALUE (a player, by id"),
        (["Yard", "Send", "to=x", "2", "2"], 2, "Send: To: There is no object 'x'; there are: All (0), "),
        (["Yard", "Send", "2", "carol", "2"], 2, "Send: For: There is no player 'carol'; there are: ann (1), bob (2)."),
        (["Yard", "Send", "2", "2", "2", "2"], 2, "'2' is one value too many: Send takes 3."),
        (["Yard", "Send", "To=1", "To=2", "2", "2"], 2, "Send: To was given 2 times; give it once."),
        (["Yard", "Send", "Where=2"], 2, "Send has no parameter 'Where'; it has: 'To', 'For', 'Place'."),
        (["Yard", "Send", "2", "2", f"Place={10**19},0"], 2, "Send: Place: There is no object "),
        (["Yard", "Tune"], 2, "Tune needs Level=VALUE (a whole number from 2 to 8 in steps of 2) and Turns=VALUE (a "),
        (["Yard", "Tune", "much", "1"], 2, "Tune: Level has to be a whole number, not 'much'."),
        (["Yard", "Tune", str(2**31), "1"], 2, f"Tune: Level has to be a whole number, not '{2**31}'."),
        (["Yard", "Tune", "9", "1"], 3, "refused: Level: give a whole number from 2 to 8 in steps of 2, not 9."),
        (["Yard", "Build", "Parts=gold", "", ""], 2, "Build: Parts: 'gold' cannot be chosen; choose from: bolt, long"),
        (["Yard", "Build", "Parts=plate=4", "", ""], 2, "Build: Parts: there are 3 of 'plate', not more."),
        (["Yard", "Build", "Parts=1=0", "", ""], 2, "Build: Parts: '1=0' asks for none of it; leave it out."),
        (["Yard", "Wish", "About=nothing", "Near=2"], 2, "Wish: About: No object or order type or board"),
        (["Yard", "Wish", "About=1", "Near=2@here"], 2, "Wish: Near has to be an object, or OBJECT@X,Y,Z, not '2@he"),
        (["Post", "Tune", "2", "2"], 3, "refused: There is no queues 5."),
    ],
)
def test_what_does_not_fit(workshop: Any, shell: Any, words: list[str], code: int, sentence: str) -> None:
    """One sentence names the parameter and what is allowed; what the server refuses is its own sentence."""
    found, out, err = add(shell, workshop, *words)
    assert (found, out) == (code, "")
    assert err.startswith("tpclient: ")
    assert sentence in err
    assert err.count("\n") == 1
    assert workshop.game.given == []


@pytest.mark.parametrize("dialect", ["tp03", "tp04", "pb"])
def test_the_queue_is_shown_and_emptied(workshop: Any, shell: Any, dialect: str) -> None:
    """`orders` shows what is queued, `orders OBJECT` also what it takes; `order remove` takes slots or all."""
    assert shell(workshop, "orders", user="ann", dialect=dialect)[:2] == (0, "No orders are queued.\n")
    for level in (2, 4, 6, 8):
        assert add(shell, workshop, "Yard", "Tune", str(level), "1", dialect=dialect)[0] == 0
    rows = [f"  {slot}  Tune: Level = {2 * slot + 2}; Turns = 1" for slot in range(4)]
    assert shell(workshop, "orders", user="ann", dialect=dialect)[1].splitlines() == ["Yard (4)", *rows]
    one = shell(workshop, "orders", "Yard", user="ann", dialect=dialect)[1].splitlines()
    assert one[:5] == ["Yard (4)", *rows]
    assert one[5:9] == ["", "Takes", "  Build: To build", "    Parts= a choice from a list"]
    assert shell(workshop, "order", "remove", "Yard", "0", "2", user="ann", dialect=dialect)[0] == 0
    assert [order.parameters[0].range.value for order in workshop.game.orders[YARD]] == [4, 8]


def test_removing_wants_slots(workshop: Any, shell: Any) -> None:
    """Neither nothing nor both is taken for all; a slot that is not there is refused by the server."""
    for words in ([], ["0", "--all"]):
        code, _, err = shell(workshop, "order", "remove", "Yard", *words, user="ann")
        assert code == 2
        assert "Say which orders are to go" in err
    code, _, err = shell(workshop, "order", "remove", "Yard", "7", user="ann")
    assert (code, err) == (3, "tpclient: refused: There is no order 7.\n")
    assert shell(workshop, "order", "remove", "Yard", "x", user="ann")[0] == 2
