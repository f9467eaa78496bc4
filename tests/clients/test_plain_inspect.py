"""Plain commands that look: what they print is worked out by hand from a small TaE position."""

import json
from typing import Any

import pytest

from tpproto import tp_pb2 as tp

BOARD = ". s* . / 0M # x"
"""Three columns, two rows: a scientist colony with an artifact, a leader of the first player, a destroyed system."""

DIALECTS = ["tp03", "tp04", "pb"]


@pytest.fixture
def served(serve: Any, tae_game: Any) -> Any:
    game = tae_game(BOARD, "ms", "p")
    for number, name in enumerate(("Wasteland", "Ruin", "Artifact", "Money", "Technology"), 1):
        game.put("resources", tp.Resource(id=number, singular_name=name, plural_name=f"{name}s"))
    game.turn_name = "Round one"
    return serve(game)


def test_status(served: Any, shell: Any) -> None:
    """Who, where, the turn, who is awaited, what is queued and new, and what takes which orders, alike things in one
    row."""
    served.game.write(1, "Hello", "to you")
    assert shell(served, "status", user="player0@one") == (
        0,
        """\
You are:    player0 (player 1) in one
Turn:       [turn 1] Round one
Time left:  no deadline
Awaited:    player0 (you), player1
Orders:     none queued
Messages:   1 new, 1 in all

id     what                   holds                in                     takes
4      Leader                 MerchantLeaderShip   0, 0                   Move
16     player0's Home Planet  1 of resource 8      player0's System       Exchange
17     Colonist Fleet         MerchantShip         player0's Home Planet  Colonize
18     Colonist Fleet         ScientistShip        player0's Home Planet  Colonize
19     Leader                 ScientistLeaderShip  player0's Home Planet  Move
20     Leader                 SettlerLeaderShip    player0's Home Planet  Move
21     Leader                 MiningLeaderShip     player0's Home Planet  Move
22 23  Bomber                 Bomber               player0's Home Planet  Attack
""",
        "",
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_status_as_data(served: Any, shell: Any, dialect: str) -> None:
    """The same for programs, in every dialect; TP03 knows neither the name of the turn nor who is awaited."""
    code, out, _ = shell(served, "status", "--json", dialect=dialect)
    facts = json.loads(out)
    assert code == 0
    assert facts["player"] == {"id": 1, "name": "player0"}
    assert (facts["turn"], facts["seconds"], facts["over"], facts["computing"]) == (1, None, False, False)
    assert {tuple(one["takes"]) for one in facts["commands"]} == {("Move",), ("Exchange",), ("Colonize",), ("Attack",)}
    assert facts["messages"] == {"all": 0, "new": 0}
    if dialect != "tp03":
        assert facts["turn_name"] == "Round one"
        assert [one["name"] for one in facts["awaited"]] == ["player0", "player1"]
        assert facts["me_awaited"]


@pytest.mark.parametrize(
    ("user", "welcome", "line"),
    [
        ("player0@one", "Welcome", "player0 (player 1) in one"),
        ("player0@ONE", "Welcome", "player0 (player 1) in one"),
        ("player0", "Welcome to one", "player0 (player 1) in one"),  # who has one seat need not name the game
        ("player0", "Welcome", "player0 (player 1)"),
        ("player0@two/watch", "Welcome; you watch two", "player0, watching two"),
    ],
)
def test_status_names_the_game(served: Any, shell: Any, user: str, welcome: str, line: str) -> None:
    """Named at login, or else in the server's welcome; who watches is no player."""
    served.server.welcome = welcome
    assert shell(served, "status", user=user)[1].splitlines()[0] == f"You are:    {line}"


def test_status_names_the_game_that_was_named_in_tp03(served: Any, shell: Any) -> None:
    """TP03 cannot ask for the list of games, so what the player says is what is known."""
    assert "You are:    player0 (player 1) in one\n" in shell(served, "status", user="player0@one", dialect="tp03")[1]
    assert "You are:    player0 (player 1)\n" in shell(served, "status", dialect="tp03")[1]


def test_status_tells_how_the_game_stands(served: Any, shell: Any) -> None:
    """In the words of the list of games."""
    served.game.comment = "paused; all-done; 2 of 2 seats taken"
    assert "Game:       paused; all-done; 2 of 2 seats taken\n" in shell(served, "status", user="player0@one")[1]


def test_time_that_is_left(served: Any, shell: Any) -> None:
    served.game.seconds = 90061
    assert "Time left:  1 d 1 h 1 min 1 s\n" in shell(served, "status")[1]
    served.game.seconds = 0
    assert "Time left:  the turn is being computed\n" in shell(served, "status")[1]


def test_a_game_that_is_over(served: Any, shell: Any) -> None:
    served.game.over, served.game.turn_name = True, "Game over: nobody won"
    code, out, _ = shell(served, "status")
    assert code == 0
    assert "Time left:  the game is over\nAwaited:    nobody\n" in out


@pytest.mark.parametrize("dialect", DIALECTS)
def test_objects_are_a_tree(served: Any, shell: Any, dialect: str) -> None:
    """Each object below what contains it, with its id, kind, owner and contents."""
    code, out, _ = shell(served, "objects", dialect=dialect)
    lines = out.splitlines()
    assert (code, len(lines)) == (0, 1 + len(served.game.tables["objects"]))
    assert lines[0].split() == ["id", "name", "kind", "owner", "holds"]
    assert lines[1].split() == ["0", "The", "Universe", "Universe"]
    assert lines[2].startswith(" 1    The Fertile Galaxy ")
    leader = next(line for line in lines if "MerchantLeaderShip" in line)
    assert leader.split() == ["4", "Leader", "Fleet", "player0", "MerchantLeaderShip"]
    assert leader.index("Leader") == lines[2].index("The") + 4


def test_some_objects(served: Any, shell: Any) -> None:
    """--mine, --kind in any letters, --under an object by its name; then the place of each is named."""
    mine = shell(served, "objects", "--mine", "--kind", "fleet")[1].splitlines()
    assert len(mine) == 1 + 2 + 4 + 2
    assert mine[0].split() == ["id", "name", "kind", "owner", "holds", "in"]
    assert all("player0" in line for line in mine[1:])
    inside = json.loads(shell(served, "objects", "--under", "player1's System", "--json")[1])
    assert [one["kind"] for one in inside] == ["Star System", "Planet"] + ["Fleet"] * 7
    assert [one["depth"] for one in inside] == [0, 1] + [2] * 7
    assert shell(served, "objects", "--mine", "--kind", "Galaxy")[:2] == (0, "There is no such object.\n")


def test_one_object(served: Any, shell: Any) -> None:
    """Every group of the description with its parameters, then what it contains and takes."""
    assert (
        shell(served, "object", "player0's Home Planet")[1]
        == """\
player0's Home Planet (16), Planet
in player0's System (15)

Positional
  Position  80001, 1, 0
  Size      2

Ownership
  Owner  player player0 (1)

Orders
  Order Queue  0 orders

Resources
  Resource List  1 of resource 8

Contains
  17  Colonist Fleet  MerchantShip
  18  Colonist Fleet  ScientistShip
  19  Leader          ScientistLeaderShip
  20  Leader          SettlerLeaderShip
  21  Leader          MiningLeaderShip
  22  Bomber          Bomber
  23  Bomber          Bomber

Takes
  Exchange
    Ships= a choice from a list
"""
    )
    facts = json.loads(shell(served, "object", "4", "--json")[1])
    assert facts["groups"]["Ships"] == {"Ship List": "1 x design MerchantLeaderShip (5)", "Damage": "0"}
    assert facts["takes"][0]["parameters"][0]["wants"] == "an object, by id or exact name"


def test_one_object_of_tp03(served: Any, shell: Any) -> None:
    """TP03 describes no objects; what its six kinds have is shown in the same form."""
    out = shell(served, "object", "4", dialect="tp03")[1]
    assert "Positional\n  Position  1, 80001, 0\n  Size      2\n" in out
    assert "Ownership\n  Owner  player0\n" in out
    assert "Holds\n  Ships  MerchantLeaderShip\n" in out


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_map(served: Any, shell: Any, dialect: str) -> None:
    """Owners by their numbers, else letters of resources; homes stand south of the board; names number the edges."""
    assert shell(served, "map", dialect=dialect) == (
        0,
        """\
The Fertile Galaxy

1  . AT  .
0  1  W  R
      1  2
   0  1  2

.   nobody and nothing
1   player0 (you)
2   player1
A   Artifact
R   Ruin
T   Technology
W   Wasteland
""",
        "",
    )


def described(game: Any, words: str) -> None:
    """Let the server say what the first number of a star system means."""
    kind = game.tables["object_descs"][2]
    kind.property_groups[1].parameters[0].description = words
    game.put("object_descs", kind)


def test_the_ground_is_told_in_the_words_of_the_server(served: Any, shell: Any) -> None:
    """What its description lists as the meaning of a number is what object and map say; without that, the number."""
    game = served.game
    for name, value in (("0, 1", 4), ("2, 1", 9)):
        (system,) = (one for one in game.tables["objects"].values() if one.name == name)
        system.parameters[2].integer.value = value
        game.put("objects", system)
    described(game, "0 rock, 1 is the soil, 4 narrow water; below 0")
    out = shell(served, "map")[1].splitlines()
    assert out[2] == "1  : AT  ;"
    assert out[7:9] == [":   narrow water", ";   Inhabitable 9"]
    assert "  Inhabitable  narrow water (4)\n" in shell(served, "object", "0, 1")[1]
    assert "  Inhabitable  9\n" in shell(served, "object", "2, 1")[1]
    systems = {one["name"]: one["ground"] for one in json.loads(shell(served, "map", "--json")[1])[0]["systems"]}
    assert (systems["0, 1"], systems["1, 1"], systems["1, 0"]) == ("narrow water", "soil", "rock")
    described(game, "1 if it can be lived in")
    assert "  Inhabitable  no (0)\n" in shell(served, "object", "1, 0")[1]


def test_the_map_of_resources(served: Any, shell: Any) -> None:
    """The letter of what there is most of, and the amount of everything; who is there does not matter."""
    out = shell(served, "map", "--resources")[1].splitlines()
    assert out[2:6] == ["1  . A2  .", "0  . W1 R1", "      .  .", "   0  1  2"]


def test_a_map_that_is_too_wide(served: Any, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is cut between columns, with a note how to see the rest; the terminal's width counts."""
    note = "1 column in the east cut off; --skip 2 shows what follows, --width 0 everything."
    cut = ["1  . AT", "0  1  W", "      1", "   0  1", note]
    assert shell(served, "map", "--width", "8")[1].splitlines()[2:7] == cut
    monkeypatch.setenv("COLUMNS", "8")
    assert shell(served, "map")[1].splitlines()[2:7] == cut
    assert shell(served, "map", "--width", "0")[1].splitlines()[2] == "1  . AT  ."
    assert shell(served, "map", "--skip", "2")[1].splitlines()[2:6] == ["1  .", "0  R", "   2", "   2"]
    assert shell(served, "map", "--skip", "3")[1].splitlines()[2] == "All 3 columns are skipped; --skip 0 shows them."
    assert shell(served, "map", "--width", "1")[1].splitlines()[2] == "1  ."


def test_games_need_no_user(served: Any, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shell(served, "games", user="")[:2] == (0, "game\none\ntwo\n")
    assert [one["name"] for one in json.loads(shell(served, "games", "--json", user="")[1])] == ["one", "two"]


def test_names_are_text_and_nothing_else(served: Any, shell: Any) -> None:
    """What could steer a terminal is written out; data stay as they are, in ASCII."""
    system = served.game.tables["objects"][2]
    system.name = "\x1b[2J\u202eevil\nline"
    served.game.put("objects", system)
    for words in (["objects"], ["object", "2"], ["map"], ["orders"], ["status"]):
        out = shell(served, *words)[1]
        assert "\x1b" not in out
        assert "\u202e" not in out
    assert "\\x1b[2J\\u202eevil\\nline" in shell(served, "objects")[1]
    data = shell(served, "objects", "--json")[1]
    assert data.isascii()
    assert system.name in {one["name"] for one in json.loads(data)}


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["objects", "--kind", "Ship"], 2, "No object is a 'Ship'; there are: Fleet, Galaxy, Planet, Star System, "),
        (["objects", "--under", "Nowhere"], 2, "There is no object 'Nowhere'; give an id or an exact name."),
        (["object", "999"], 2, "There is no object '999'; give an id or an exact name."),
        (
            ["object", "Bomber"],
            2,
            "4 objects are called 'Bomber'; name one by its id: 22 (Bomber), 23 (Bomber), 31 (Bomber), 32 (Bomber).",
        ),
        (["map", "--width", "-1"], 2, "argument --width: "),
        (["status", "--address", "http://x"], 2, "'http://x': an address begins with tp:// or tps:// (TLS)"),
        (["status", "--address", "127.0.0.1:1"], 1, "Cannot connect to tp://127.0.0.1:1: nobody listens there."),
        (["status", "--user", "stranger"], 3, "refused: Wrong user name or password."),
        (["status", "--user", "\udcff"], 2, "'\\udcff' is no text in the encoding of this terminal."),
        (["orders", "player1's Home Planet"], 3, "refused: "),
    ],
)
def test_what_can_be_wrong(served: Any, shell: Any, words: list[str], code: int, sentence: str) -> None:
    """One sentence on the error output, nothing on the other, and an exit code that says whose fault it is."""
    found, out, err = shell(served, *words)
    assert (found, out) == (code, "")
    assert sentence in err
    assert "Traceback" not in err


def test_who_and_what_password(served: Any, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both can come from the environment, the password from standard input too; without them it is said what to do."""
    assert shell(served, "status", user="")[2] == (
        "tpclient: Say who you are: --user NAME, or NAME@GAME where there are several games, or set TPCLIENT_USER.\n"
    )
    assert shell(served, "orders", "--password-stdin", typed="geheim\nmore")[0] == 0
    assert shell(served, "orders", "--password", "word")[0] == 0
    assert shell(served, "orders", user="player0@one")[0] == 0
    assert served.server.passwords == ["geheim", "word", "secret"]
    assert served.server.logins == ["player0", "player0", "player0@one"]


def test_register_makes_an_account(served: Any, shell: Any) -> None:
    served.server.accounts = set()
    assert shell(served, "orders", user="player1@one")[0] == 3
    assert shell(served, "orders", "--register", user="player1@one")[:2] == (0, "No orders are queued.\n")
    assert served.server.accounts == {"player1"}
