"""Old turns: the plain command `history`, and the library's functions."""

import asyncio
import json
from typing import Any

import pytest

from tests.support.memory_client import MemoryServer, Served, write
from tpclient import Game, RequestFailed, open_game
from tpclient.connection import Login
from tpclient.games import game_and_purpose, login_name, turn_in
from tpproto.dialects import PB, TP03, TP04, Dialect

DIALECTS = ["tp03", "pb"]


@pytest.fixture
def played(workshop: Served) -> Served:
    """A game of the workshop in turn 2: in turn 0 Ann wished a new name for object 2, in turn 1 she said something."""
    ann, ben = workshop.server.seated["ann"], workshop.server.seated["ben"]
    workshop.do(workshop.server.carry_out, ann, "name 2 Newtown")
    workshop.do(write, ben, 1, "Nice name")
    workshop.do(workshop.server.carry_out, ann, "say hello")
    return workshop


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_turns_are_listed_with_what_came_in_each(played: Served, shell: Any) -> None:
    assert shell(played, "history") == (
        0,
        """\
first: 3 turns, the newest is 2
turn  name     what came
   0           Welcome
   1           Nice name
   2  Round 3  say hello
""",
        "",
    )


@pytest.mark.parametrize("dialect", ["tp04", "pb"])
def test_the_turns_as_data(played: Served, shell: Any, dialect: str) -> None:
    code, out, _ = shell(played, "history", "--json", dialect=dialect)
    facts = json.loads(out)
    assert (code, facts["game"]) == (0, "first")
    assert [(one["turn"], one["turn_name"], one["messages"]) for one in facts["turns"]] == [
        (0, None, ["Welcome"]),
        (1, None, ["Nice name"]),
        (2, "Round 3", ["say hello"]),
    ]


def test_only_the_newest_turns_are_listed(workshop: Served, shell: Any) -> None:
    for _ in range(41):
        workshop.do(workshop.server.close_turn)
    lines = shell(workshop, "history")[1].splitlines()
    assert lines[0] == "first: 42 turns, the newest is 41"
    assert len(lines) == 43
    assert lines[2].split()[0] == "2"
    assert lines[-1] == "and 2 turns before that, from turn 0 on."
    assert len(json.loads(shell(workshop, "history", "--json")[1])["turns"]) == 42


def test_tp03_cannot_list_turns_and_says_what_to_do(played: Served, shell: Any) -> None:
    code, out, err = shell(played, "history", dialect="tp03")
    assert (code, out) == (2, "")
    assert "name one, or say --dialect tp04" in err


def test_a_game_that_is_not_named_is_found(played: Served, shell: Any) -> None:
    """Of several games the one with a seat, as at any login."""
    played.do(played.server.create, "second")
    lines = shell(played, "history")[1].splitlines()
    assert lines[0] == "first: 3 turns, the newest is 2"


def test_to_list_the_turns_takes_no_seat(served: Served, shell: Any) -> None:
    """Nor does looking at one; a game that waits for players has none."""
    served.do(served.server.create, "first", "workshop", 2)
    for words in (["history"], ["history", "0"]):
        code, _, err = shell(served, *words)
        assert code == 3
        assert "not started" in err
    assert served.do(lambda: len(served.server.game().open_seats())) == 2


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_turn_is_shown_as_status_and_map_would_have(played: Served, shell: Any, dialect: str) -> None:
    """Player and turn, orders, and then the map."""
    code, out, err = shell(played, "history", "0", dialect=dialect)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("You are:    ann, looking at turn 0 of ")
    assert "Time left" not in out
    assert "Awaited" not in out
    assert "Orders:     1 queued" in lines
    assert "Messages:   1 new, 1 in all" in lines
    drawn = shell(played, "map", user="ann@first/turn/0", dialect=dialect)[1]
    assert out.endswith(f"\n\n{drawn}")
    if dialect != "tp03":
        assert "Turn:       [turn 0] Round 1" in lines


def test_a_turn_as_data(played: Served, shell: Any) -> None:
    """The documents of status and map in one, of the turn that is named."""

    def names(turn: str) -> list[str]:
        code, out, _ = shell(played, "history", turn, "--json")
        assert code == 0
        facts = json.loads(out)
        assert facts["status"]["turn"] == int(turn)
        assert facts["status"]["purpose"] == f"turn/{turn}"
        return [system["name"] for board in facts["map"] for system in board["systems"]]

    assert "Newtown" not in names("0")
    assert "Newtown" in names("1")


def test_the_map_of_a_turn_has_the_options_of_map(played: Served, shell: Any) -> None:
    for words in (["--resources"], ["--width", "3"], ["--skip", "1"]):
        drawn = shell(played, "map", *words, user="ann@first/turn/1")[1]
        assert shell(played, "history", "1", *words)[1].endswith(f"\n\n{drawn}")


def test_a_turn_that_is_not_there_is_refused_in_the_servers_words(played: Served, shell: Any) -> None:
    assert shell(played, "history", "3") == (
        3,
        "",
        "tpclient: refused: 'first' has no such turn; there are the turns 0 to 2.\n",
    )
    assert shell(played, "history", "soon")[0] == 2
    assert shell(played, "history", "-1")[0] == 2


@pytest.mark.parametrize("words", [["finish"], ["post", "ben", "Hello", "there"], ["orders"]])
def test_other_commands_take_the_name_of_a_turn(played: Served, shell: Any, words: list[str]) -> None:
    """Commands that read show the turn. Commands that change something are refused."""
    code, out, err = shell(played, *words, user="ann@first/turn/1")
    if words == ["orders"]:
        assert (code, err) == (0, "")
        assert "say hello" in out
    else:
        assert code == 3
        assert "old turn 1 of first" in err


# --- the library ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user", "game", "turn", "name"),
    [
        ("ann", "", None, "ann"),
        ("ann", "first", None, "ann@first"),
        ("ann", "first", 0, "ann@first/turn/0"),
        ("ann@first", "", 3, "ann@first/turn/3"),
        ("ann@first/watch", "", 3, "ann@first/turn/3"),
        ("ann@first/turn/9", "", 3, "ann@first/turn/3"),
        ("ann", "", 3, "ann@/turn/3"),
    ],
)
def test_the_name_to_log_in_by(user: str, game: str, turn: int | None, name: str) -> None:
    assert login_name(user, game, turn) == name
    if turn is not None:
        assert turn_in(game_and_purpose(name)[1]) == str(turn)


def test_what_names_no_turn() -> None:
    assert turn_in("watch") is None
    assert turn_in("") is None


def test_a_script_opens_a_game_at_a_turn(played: Served) -> None:
    """It reads what was there, what was ordered and what was written; to change it is refused."""
    with open_game(played.address, "ann", "ann's word", "first", turn=1) as game:
        assert game.turn == 1
        assert game.clock.turn_name == "Round 2"
        assert not game.is_awaited
        assert "Newtown" in [thing.name for thing in game.of_kind("Star System")]
        assert [order.parameters[0].string.string for queue in game.orders.values() for order in queue] == ["say hello"]
        assert [message.subject for message in game.messages()] == ["Welcome", "Nice name"]
        with pytest.raises(RequestFailed, match="old turn 1 of first"):
            game.finish()
    with open_game(played.address, "ann", "ann's word", turn=0) as game:
        assert game.turn == 0


@pytest.mark.parametrize("dialect", [TP03, TP04, PB])
def test_a_lost_connection_comes_back_to_the_same_turn(server: MemoryServer, dialect: Dialect) -> None:
    """Also when the game has gone on meanwhile; nothing is taken for another game."""
    ann, _ = server.begin("ann", "ben")
    server.carry_out(ann, "name 2 Newtown")

    async def follow() -> None:
        async def dial() -> Any:
            return server.link(dialect)

        async with Game(Login(dial, "ann", "ann's word", "first", turn=0)) as game:
            await game.start()
            before = {thing.id: thing.name for thing in game.universe.where(lambda thing: True)}
            assert "Newtown" not in before.values()
            server.hang_up()
            server.carry_out(ann, "name 3 Oldtown")
            await game.refresh()
            assert {thing.id: thing.name for thing in game.universe.where(lambda thing: True)} == before
            with pytest.raises(RequestFailed, match="old turn 0 of first"):
                await game.post(2, "Hello", "from the past")

    asyncio.run(follow())
