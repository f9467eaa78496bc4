"""Orders typed as plain commands: every parameter type, and the errors."""

import json
from typing import Any

import pytest

from tests.support.memory_client import TEXT_AND_REFERENCES, Served, offer_sailors
from tests.support.workshop import POST, YARD
from tpclient.parameters import Kind
from tpproto import tp_pb2 as tp

HELD = "5 Coals (6 minable, 7 inaccessible)"


def orders(workshop: Served) -> list[tp.Order]:
    """The queue of the yard."""
    found: list[tp.Order] = workshop.do(workshop.server.seated["ann"].queue, YARD)
    return found


def given(workshop: Served) -> Any:
    """The parameters of the last order."""
    return orders(workshop)[-1].parameters


def add(shell: Any, workshop: Served, *words: str, dialect: str = "tp04") -> tuple[int, str, str]:
    code, out, err = shell(workshop, "order", "add", *words, dialect=dialect)
    return code, out, err


@pytest.mark.parametrize("dialect", ["tp03", "pb"])
def test_objects_players_and_places(workshop: Served, shell: Any, dialect: str) -> None:
    """Objects and players by name or id, coordinates as numbers or as somebody's place; values alone go in order."""
    words = ["Yard", "Send", "To=5, 3", "for=ben", "PLACE=1,-2"]
    line = "Yard (4), order 0: Send: To = 5, 3 (2); For = ben; Place = 1, -2, 0 (takes 1 turn)\n"
    assert add(shell, workshop, *words, dialect=dialect) == (0, line, "")
    to, player, place = given(workshop)
    assert (to.object.object_id, player.player.player_id) == (2, 2)
    assert (place.coordinates.x, place.coordinates.y, place.coordinates.z) == (1, -2, 0)
    assert add(shell, workshop, "4", "send", "Place=Post", "2", "2", dialect=dialect)[0] == 0
    assert given(workshop)[2].coordinates.x == 80


def test_lists(workshop: Served, shell: Any) -> None:
    """By name with an amount, by id, names with commas and equals signs in them; alike options are used up in turn."""
    code, out, err = add(shell, workshop, "Yard", "Build", "Parts=bolt, long=2, plate=3", "Parts=nut=2", "Fuel=Coal=4")
    assert (code, err) == (0, "")
    assert out == (
        "Yard (4), order 0: Build: Parts = 2 bolt, long (1), plate (2), 2 plate (3), nut=2 (7); Fuel = 4 Coals (1)"
        " (takes 1 turn)\n"
    )
    parts, fuel = given(workshop)
    assert [(one.id, one.number) for one in parts.list.selection] == [(1, 2), (2, 1), (3, 2), (7, 1)]
    assert [(one.resource_id, one.quantity) for one in fuel.resource_list.selected] == [(1, 4)]


def test_a_list_of_another_server(workshop: Served, shell: Any) -> None:
    """Of what there is any number of, any number can be chosen, by id."""
    taken = workshop.server.take(("Crew", Kind.QUANTITY_LIST), offer=offer_sailors)
    assert add(shell, workshop, "Yard", "Wish", "Crew=5=1000")[:2] == (
        0,
        "Yard (4), order 0: Wish: Crew = 1000 sailor (5)\n",
    )
    assert [(one.id, one.number) for one in taken[0].parameters[0].quantity_list.selection] == [(5, 1000)]
    choices = shell(workshop, "order", "probe", "Yard", "Wish", "Crew=5")[1].splitlines()
    assert choices[-3:-1] == ["  id  name    up to", "  5   sailor  any number"]


def test_a_list_that_was_left_out(workshop: Served, shell: Any) -> None:
    """It is said what can be chosen, and nothing is ordered; an empty value means none on purpose."""
    offer = (
        "tpclient: Build needs Parts=VALUE (choose from: bolt, long (1) up to 3, plate (2), plate (3) up to 2, "
        "nut=2 (7) up to 5).\n"
    )
    assert add(shell, workshop, "Yard", "Build", "Fuel=") == (2, "", offer)
    assert orders(workshop) == []
    assert add(shell, workshop, "Yard", "Build", "Fuel=", "Parts=1")[0] == 0
    assert not given(workshop)[1].resource_list.selected


def test_everything_that_was_left_out_is_named_at_once(workshop: Served, shell: Any) -> None:
    """Lists with their choices and numbers with their limits, beside what needs no limits; text may be left out."""
    needs = (
        "tpclient: Bid needs To=VALUE (an object, by id or exact name) and Parts=VALUE (choose from: bolt, long (1) up "
        "to 3, plate (2), plate (3) up to 2, nut=2 (7) up to 5) and Level=VALUE (a whole number from 1 to 7 in steps "
        "of 2).\n"
    )
    assert add(shell, workshop, "Yard", "Bid") == (2, "", needs)
    assert orders(workshop) == []


def test_of_one_name_mine_is_meant(workshop: Served, shell: Any) -> None:
    """An acting object has to take my orders. Where any object may be meant, the command asks for the id."""
    server = workshop.server
    workshop.do(server.carry_out, server.seated["ben"], f"name {POST} Yard")
    assert add(shell, workshop, "Yard", "Tune", "1", "2")[1].startswith("Yard (4), order 0: ")
    code, _, err = shell(workshop, "object", "Yard")
    assert code == 2
    assert err == f"tpclient: 2 objects are called 'Yard'; name one by its id: 4 ({HELD}), 5 ({HELD}).\n"


def test_numbers(workshop: Served, shell: Any) -> None:
    assert add(shell, workshop, "Yard", "Tune", "3", "Turns=6")[0] == 0
    assert (given(workshop)[0].range.value, given(workshop)[1].time.turns) == (3, 6)


def test_text_and_references(workshop: Served, shell: Any) -> None:
    """Text may be left out and may have anything in it; references are ids or names of anything."""
    taken = workshop.server.take(*TEXT_AND_REFERENCES)
    assert add(shell, workshop, "Yard", "Wish", "About=Coal", "Near=Post@-1,2,3", "Also=ben, 9", "Words=a=b, c")[0] == 0
    words, about, also, near = taken[0].parameters
    assert words.string.string == "a=b, c"
    assert about.reference.reference == 1
    assert list(also.reference_list.references) == [2, 9]
    assert (near.relative_coordinates.object_id, near.relative_coordinates.pos.x) == (POST, -1)
    assert add(shell, workshop, "Yard", "Wish", "About=3", "Near=5, 3")[0] == 0
    for words, sentence in (
        (["About=nothing", "Near=2"], "Wish: About: No object or order type or board"),
        (["About=1", "Near=2@here"], "Wish: Near has to be an object, or OBJECT@X,Y,Z, not '2@he"),
    ):
        code, out, err = add(shell, workshop, "Yard", "Wish", *words)
        assert (code, out) == (2, "")
        assert err.startswith(f"tpclient: {sentence}")
    assert len(taken) == 2


def test_probe_gives_nothing(workshop: Served, shell: Any) -> None:
    """It shows what the order would be and what can be chosen, and nothing is in the queue."""
    code, out, _ = shell(workshop, "order", "probe", "Yard", "Build", "Parts=plate")
    assert code == 0
    assert out.splitlines() == [
        "Yard (4): Build: Parts = plate (2); Fuel = nothing chosen (takes 1 turn)",
        "Parts, to choose from:",
        "  id  name        up to",
        "  1   bolt, long      3",
        "  2   plate           1",
        "  3   plate           2",
        "  7   nut=2           5",
        "Fuel, to choose from:",
        "  id  name  up to",
        "  1   Coal      9",
        "Not given, only probed.",
    ]
    assert orders(workshop) == []
    data = json.loads(shell(workshop, "order", "probe", "Yard", "Tune", "1", "3", "--json")[1])
    assert data["inserted"] is False
    level = {"name": "Level", "called": "Level", "type": "range", "value": 1, "min": 1, "max": 7, "step": 2}
    assert data["parameters"][0] == level


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["Yard", "Fly"], 2, "There is no order type 'Fly'; this object takes: Build, Send, Tune, Wish, Bid."),
        (
            ["Post", "Fly"],
            2,
            "no order type 'Fly'; in this game there are: Build, Send, Tune, Wish, Move, Bid.",
        ),
        (["Nowhere", "Send"], 2, "There is no object 'Nowhere'; there are: All (0), Plain (1), "),
        (["Yard", "Send"], 2, "Send needs To=VALUE (an object, by id or exact name) and For=VALUE (a player, by id"),
        (["Yard", "Send", "to=x", "2", "2"], 2, "Send: To: There is no object 'x'; there are: All (0), "),
        (["Yard", "Send", "2", "carol", "2"], 2, "Send: For: There is no player 'carol'; there are: ann (1), ben (2)."),
        (["Yard", "Send", "2", "2", "2", "2"], 2, "'2' is one value too many: Send takes 3."),
        (["Yard", "Send", "To=1", "To=2", "2", "2"], 2, "Send: To was given 2 times; give it once."),
        (["Yard", "Send", "Where=2"], 2, "Send has no parameter 'Where'; it has: 'To', 'For', 'Place'."),
        (["Yard", "Send", "2", "2", f"Place={10**19},0"], 2, "Send: Place: There is no object "),
        (["Yard", "Tune"], 2, "Tune needs Level=VALUE (a whole number from 1 to 7 in steps of 2) and Turns=VALUE (a "),
        (["Yard", "Tune", "much", "1"], 2, "Tune: Level has to be a whole number, not 'much'."),
        (["Yard", "Tune", str(2**31), "1"], 2, f"Tune: Level has to be a whole number, not '{2**31}'."),
        (["Yard", "Tune", "9", "1"], 3, "refused: Level: give a whole number from 1 to 7 in steps of 2, not 9."),
        (["Yard", "Build", "Parts=gold", ""], 2, "Build: Parts: 'gold' cannot be chosen; choose from: bolt, long"),
        (["Yard", "Build", "Parts=plate=4", ""], 2, "Build: Parts: there are 3 of 'plate', not more."),
        (["Yard", "Build", "Parts=1=0", ""], 2, "Build: Parts: '1=0' asks for none of it; leave it out."),
        (["Post", "Tune", "1", "2"], 3, "refused: Object 5 is not yours"),
    ],
)
def test_what_does_not_fit(workshop: Served, shell: Any, words: list[str], code: int, sentence: str) -> None:
    """One sentence names the parameter and what is allowed; what the server refuses is its own sentence."""
    found, out, err = add(shell, workshop, *words)
    assert (found, out) == (code, "")
    assert err.startswith("tpclient: ")
    assert sentence in err
    assert err.count("\n") == 1
    assert orders(workshop) == []


@pytest.mark.parametrize("dialect", ["tp03", "pb"])
def test_the_queue_is_shown_and_emptied(workshop: Served, shell: Any, dialect: str) -> None:
    """`orders` shows what is queued, `orders OBJECT` also what it takes; `order remove` takes slots or all."""
    assert shell(workshop, "orders", dialect=dialect)[:2] == (0, "No orders are queued.\n")
    for level in (1, 3, 5, 7):
        assert add(shell, workshop, "Yard", "Tune", str(level), "1", dialect=dialect)[0] == 0
    rows = [f"  {slot}  Tune: Level = {2 * slot + 1}; Turns = 1 (takes 1 turn)" for slot in range(4)]
    assert shell(workshop, "orders", dialect=dialect)[1].splitlines() == [f"Yard (4), {HELD}", *rows]
    one = shell(workshop, "orders", "Yard", dialect=dialect)[1].splitlines()
    assert one[:5] == [f"Yard (4), {HELD}", *rows]
    assert one[5:9] == ["", "Takes", "  Build: To build", "    Parts= a choice from a list"]
    assert shell(workshop, "order", "remove", "Yard", "0", "2", dialect=dialect)[0] == 0
    assert [order.parameters[0].range.value for order in orders(workshop)] == [3, 7]


def test_removing_wants_slots(workshop: Served, shell: Any) -> None:
    """Neither nothing nor both is taken for all; a slot that is not there is refused by the server."""
    for words in ([], ["0", "--all"]):
        code, _, err = shell(workshop, "order", "remove", "Yard", *words)
        assert code == 2
        assert "Say which orders are to go" in err
    code, _, err = shell(workshop, "order", "remove", "Yard", "7")
    assert (code, err) == (3, "tpclient: refused: There is no order in slot 7; this queue has 0.\n")
    assert shell(workshop, "order", "remove", "Yard", "x")[0] == 2
