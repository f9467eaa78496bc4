"""Plain commands that show the game.

The expected output was worked out by hand from the opening of a small game of TaE.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.memory_client import Frames, Request, Served, write
from tests.support.workshop import BOAT, PLACE, SMALL_YARD
from tpproto import tp_pb2 as tp

DIALECTS = ["tp03", "pb"]


def test_status(tae: Served, shell: Any) -> None:
    """Player, server, turn, awaited players, queue, news, and pieces with their orders.

    Similar pieces share a row.
    """
    tae.do(write, tae.server.seated["ben"], 1, "Hello", "to you")
    assert shell(tae, "status", user="ann@first") == (
        0,
        """\
You are:    ann (player 1) in first (tae)
Game:       running; all-done; 2 of 2 seats taken; awaited: ann, ben
Goal:       You win if, when the game ends, the lowest of your four kinds of points (Money, Technology, People, Raw \
Materials) is higher than every other player's lowest.
Turn:       [turn 0] Turn 1: ann is first
Time left:  no deadline
Awaited:    ann (you), ben
Orders:     none queued
Messages:   2 new, 2 in all

id        what               holds                in                 takes
27        ann's Home Planet  1 Home Planet        ann's System       Exchange
28        Merchant Leader    MerchantLeaderShip   ann's Home Planet  Move
29        Scientist Leader   ScientistLeaderShip  ann's Home Planet  Move
30        Settler Leader     SettlerLeaderShip    ann's Home Planet  Move
31        Mining Leader      MiningLeaderShip     ann's Home Planet  Move
32 33     Bomber             Bomber               ann's Home Planet  Attack
34 35 36  Colonist Fleet     ScientistShip        ann's Home Planet  Colonize
37 38     Colonist Fleet     MiningShip           ann's Home Planet  ColonizeMining
39        Colonist Fleet     SettlerShip          ann's Home Planet  Colonize
""",
        "",
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_status_as_data(tae: Served, shell: Any, dialect: str) -> None:
    """The same for programs, in every dialect. TP03 has neither the name of the turn nor the awaited players."""
    code, out, _ = shell(tae, "status", "--json", dialect=dialect)
    facts = json.loads(out)
    assert code == 0
    assert facts["player"] == {"id": 1, "name": "ann"}
    assert (facts["turn"], facts["seconds"], facts["over"], facts["computing"]) == (0, None, False, False)
    takes = {tuple(one["takes"]) for one in facts["commands"]}
    assert takes == {("Move",), ("Exchange",), ("Colonize",), ("ColonizeMining",), ("Attack",)}
    assert facts["messages"] == {"all": 1, "new": 1}
    if dialect != "tp03":
        assert facts["turn_name"] == "Turn 1: ann is first"
        assert [one["name"] for one in facts["awaited"]] == ["ann", "ben"]
        assert facts["me_awaited"]


def welcoming(request: Request) -> Frames:
    """Log in as ever, with a welcome that does not name the game."""
    ((name, answer),) = request.answered()
    return [(name, tp.Okay(result="Welcome"))] if name == "okay" else [(name, answer)]


def test_status_is_of_one_turn(workshop: Served, shell: Any) -> None:
    """If a turn passes, or the game begins, while things are downloaded, they are looked at again."""

    def passing(request: Request) -> Frames:
        frames = request.answered()
        workshop.server.carry_out(workshop.server.seated["ben"], f"hide {BOAT}")
        return frames

    workshop.server.next_time("get_object_ids", passing)
    out = shell(workshop, "status")[1]
    assert "Turn:       [turn 1] Round 2" in out
    assert "Boat" not in out


@pytest.mark.parametrize(
    ("user", "is_told", "line"),
    [
        ("ann@first", False, "ann (player 1) in first (tae)"),
        ("ann@FIRST", False, "ann (player 1) in first (tae)"),
        ("ann", True, "ann (player 1) in first (tae)"),  # who has one seat need not name the game
        ("ann", False, "ann (player 1)"),
        ("cem@second/watch", True, "cem, watching second (auction)"),
    ],
)
def test_status_names_the_game(tae: Served, shell: Any, user: str, is_told: bool, line: str) -> None:
    """It is named at login, or else in the server's welcome. A spectator is no player."""
    tae.do(tae.server.create, "second")
    if not is_told:
        tae.server.scripts["login"] = welcoming
    assert shell(tae, "status", user=user)[1].splitlines()[0] == f"You are:    {line}"


def test_status_names_the_game_that_was_named_in_tp03(tae: Served, shell: Any) -> None:
    """TP03 cannot ask for the list of games, so what the player says is what is known."""
    tae.server.scripts["login"] = welcoming
    assert "You are:    ann (player 1) in first\n" in shell(tae, "status", user="ann@first", dialect="tp03")[1]
    assert "You are:    ann (player 1)\n" in shell(tae, "status", dialect="tp03")[1]


def test_time_that_is_left(workshop: Served, shell: Any) -> None:
    def left(seconds: int) -> str:
        clock = tp.TimeRemaining(time=seconds, turn=0, waiting=[1])
        workshop.server.scripts["get_time_remaining"] = lambda request: [("time_remaining", clock)]
        said: str = shell(workshop, "status")[1]
        return said

    assert "Time left:  1 d 1 h 1 min 1 s\n" in left(90061)
    assert "Time left:  the turn is being computed\n" in left(0)


def test_a_game_that_is_over(workshop: Served, shell: Any) -> None:
    workshop.do(workshop.server.carry_out, workshop.server.seated["ann"], "end")
    code, out, _ = shell(workshop, "status")
    assert code == 0
    assert "Time left:  the game is over\nAwaited:    nobody\n" in out


@pytest.mark.parametrize("dialect", DIALECTS)
def test_objects_are_a_tree(tae: Served, shell: Any, dialect: str) -> None:
    """Each object below what contains it, with its id, kind, owner and contents."""
    code, out, _ = shell(tae, "objects", dialect=dialect)
    lines = out.splitlines()
    assert (code, len(lines)) == (0, 1 + 2 + 12 * 2 + 2 * (2 + 4 + 2 + 6))
    assert lines[0].split() == ["id", "name", "kind", "owner", "holds"]
    assert lines[1].split() == ["0", "The", "Universe", "universe" if dialect == "pb" else "Universe"]
    assert lines[2].startswith(" 1    The Fertile Galaxy ")
    leader = next(line for line in lines if line.startswith("28 "))
    if dialect == "pb":  # only there the game has words for its pieces
        assert leader.split() == ["28", "merchant", "leader", "ship", "ann"]
    else:
        assert leader.split() == ["28", "Merchant", "Leader", "Fleet", "ann", "MerchantLeaderShip"]
    assert leader.lower().index("merchant") == lines[2].index("The") + 6


def test_some_objects(tae: Served, shell: Any) -> None:
    """--mine, --kind in any letters, --under an object by its name; then the place of each is named."""
    mine = shell(tae, "objects", "--mine", "--kind", "fleet")[1].splitlines()
    assert len(mine) == 1 + 4 + 2 + 6
    assert mine[0].split() == ["id", "name", "kind", "owner", "holds", "in"]
    assert all("ann" in line for line in mine[1:])
    inside = json.loads(shell(tae, "objects", "--under", "ben's System", "--json")[1])
    assert [one["kind"] for one in inside] == ["Star System", "Planet"] + ["Fleet"] * 12
    assert [one["depth"] for one in inside] == [0, 1] + [2] * 12
    assert shell(tae, "objects", "--mine", "--kind", "Galaxy")[:2] == (0, "There is no such object.\n")


def test_one_object(tae: Served, shell: Any) -> None:
    """Every group of the description with its parameters, then what it contains and takes."""
    assert (
        shell(tae, "object", "ann's Home Planet")[1]
        == """\
ann's Home Planet (27), Planet: The planet of a star system
in ann's System (26)

Positional
  Position  80001, 1, 0
  Velocity  0, 0, 0
  Size      2

Ownership
  Owner  player ann (1)

Orders
  Order Queue  0 orders

Resources
  Resource List  1 Home Planet

Contains
  28  Merchant Leader   MerchantLeaderShip
  29  Scientist Leader  ScientistLeaderShip
  30  Settler Leader    SettlerLeaderShip
  31  Mining Leader     MiningLeaderShip
  32  Bomber            Bomber
  33  Bomber            Bomber
  34  Colonist Fleet    ScientistShip
  35  Colonist Fleet    ScientistShip
  36  Colonist Fleet    ScientistShip
  37  Colonist Fleet    MiningShip
  38  Colonist Fleet    MiningShip
  39  Colonist Fleet    SettlerShip

Takes
  Exchange: Give colonists back and draw as many new ones when the turn ends
    Ships= a choice from a list; The colonists to give back
tpclient rules --about Exchange tells the rules of it.
"""
    )
    facts = json.loads(shell(tae, "object", "28", "--json")[1])
    assert facts["groups"]["Ships"] == {"Ship List": "1 x design MerchantLeaderShip (5)", "Damage": "0"}
    assert facts["takes"][0]["parameters"][0]["wants"] == "an object, by id or exact name"


def test_one_object_of_tp03(tae: Served, shell: Any) -> None:
    """TP03 describes no objects; what its six kinds have is shown in the same form."""
    out = shell(tae, "object", "28", dialect="tp03")[1]
    assert "Positional\n  Position  80001, 1, 0\n  Size      2\n" in out
    assert "Ownership\n  Owner  ann\n" in out
    assert "Holds\n  Ships  MerchantLeaderShip\n" in out


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_map(tae: Served, shell: Any, dialect: str) -> None:
    """Owners by their numbers, else letters of resources; homes stand south of the board; names number the edges."""
    letters = "AOU" if dialect == "pb" else "ATU"
    words = {
        "ATU": ("Alien Artifact", "Technological Advancement", "Uninhabitable planet"),
        "AOU": ("alien artifact", "colony of scientists", "uninhabitable planet"),
    }[letters]
    code, out, _ = shell(tae, "map", dialect=dialect)
    assert (code, out) == (
        0,
        f"""\
The Fertile Galaxy

2 {letters[:2]}  . {letters[:2]}  .
1  .  U  .  .
0  .  . {letters[:2]}  .
      1  2
   0  1  2  3

.   nobody and nothing
1   ann (you)
2   ben
A   {words[0]}
{letters[1]}   {words[1]}
U   {words[2]}
""",
    )


def test_the_ground_is_told_in_the_words_of_the_server(workshop: Served, shell: Any) -> None:
    """Objects and map show the meaning of a number from its description. Without that, they show the number."""
    workshop.do(workshop.server.carry_out, workshop.server.seated["ann"], f"hide {BOAT}")
    out = shell(workshop, "map")[1].splitlines()
    assert out[2] == "3 . , 1 2"
    assert out[5:7] == [",   Ground 9", ".   water"]
    assert "  Ground  water (4)\n" in shell(workshop, "object", "5, 3")[1]
    assert "  Ground  9\n" in shell(workshop, "object", str(SMALL_YARD))[1]
    systems = {one["id"]: one["ground"] for one in json.loads(shell(workshop, "map", "--json")[1])[0]["systems"]}
    assert (systems[PLACE], systems[SMALL_YARD]) == ("water", "Ground 9")


def test_a_number_that_says_whether(tae: Served, shell: Any) -> None:
    """Its description is "1 if ...", so it is shown as yes or no."""
    assert "  Inhabitable  no (0)\n" in shell(tae, "object", "1, 1")[1]
    systems = {one["name"]: one["ground"] for one in json.loads(shell(tae, "map", "--json")[1])[0]["systems"]}
    assert (systems["0, 1"], systems["1, 1"]) == ("Inhabitable: yes", "Inhabitable: no")


def test_the_map_of_resources(tae: Served, shell: Any) -> None:
    """The letter of the most common resource, and the amount of everything. Owners do not matter."""
    out = shell(tae, "map", "--resources")[1].splitlines()
    assert out[2:7] == ["2 A2  . A2  .", "1  . U1  .  .", "0  .  . A2  .", "     H1 H1", "   0  1  2  3"]


def test_a_map_that_is_too_wide(tae: Served, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is cut between columns, with a note how to see the rest; the terminal's width counts."""
    note = "1 column in the east cut off; --skip 3 shows what follows, --width 0 everything."
    cut = ["2 AT  . AT", "1  .  U  .", "0  .  . AT", "      1  2", "   0  1  2", note]
    assert shell(tae, "map", "--width", "11")[1].splitlines()[2:8] == cut
    monkeypatch.setenv("COLUMNS", "11")
    assert shell(tae, "map")[1].splitlines()[2:8] == cut
    assert shell(tae, "map", "--width", "0")[1].splitlines()[2] == "2 AT  . AT  ."
    assert shell(tae, "map", "--skip", "2")[1].splitlines()[2:7] == ["2 AT  .", "1  .  .", "0 AT  .", "   2", "   2  3"]
    assert shell(tae, "map", "--skip", "4")[1].splitlines()[2] == "All 4 columns are skipped; --skip 0 shows them."
    assert shell(tae, "map", "--width", "1")[1].splitlines()[2] == "2 AT"


def test_games_need_no_user(workshop: Served, shell: Any) -> None:
    workshop.do(workshop.server.create, "second")
    code, out, _ = shell(workshop, "games", user="")
    assert (code, [line.split()[0] for line in out.splitlines()]) == (0, ["game", "first", "second"])
    assert [one["name"] for one in json.loads(shell(workshop, "games", "--json", user="")[1])] == ["first", "second"]


EVIL = "\x1b[2J\u202eevil\nline"


def spoilt(request: Request) -> Frames:
    """Objects as a hostile server would send them."""
    frames = request.answered()
    for _, one in frames:
        if isinstance(one, tp.Object) and one.id == 2:
            one.name = EVIL
    return frames


def test_names_are_text_and_nothing_else(workshop: Served, shell: Any) -> None:
    """Control characters are written out. Data stay as they are, in ASCII."""
    workshop.server.scripts["get_objects_by_id"] = spoilt
    for words in (["objects"], ["object", "2"], ["map"], ["orders"], ["status"]):
        out = shell(workshop, *words)[1]
        assert "\x1b" not in out
        assert "\u202e" not in out
    assert "\\x1b[2J\\u202eevil\\nline" in shell(workshop, "objects")[1]
    data = shell(workshop, "objects", "--json")[1]
    assert data.isascii()
    assert EVIL in {one["name"] for one in json.loads(data)}


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (
            ["objects", "--kind", "Ship"],
            2,
            "No object is of the kind 'Ship'; there are: Fleet, Galaxy, Planet, Star ",
        ),
        (["objects", "--under", "Nowhere"], 2, "There is no object 'Nowhere'; give an id or an exact name."),
        (["object", "999"], 2, "There is no object '999'; give an id or an exact name."),
        (
            ["object", "Bomber"],
            2,
            "4 objects are called 'Bomber'; name one by its id: 32 (Bomber), 33 (Bomber), 46 (Bomber), 47 (Bomber).",
        ),
        (["map", "--width", "-1"], 2, "argument --width: "),
        (["status", "--address", "http://x"], 2, "'http://x': an address begins with tp:// or tps:// (TLS)"),
        (["status", "--address", "127.0.0.1:1"], 1, "Cannot connect to tp://127.0.0.1:1: nobody listens there."),
        (["status", "--password", "wrong"], 3, "refused: Wrong user name or password."),
        (["status", "--user", "\udcff"], 2, "'\\udcff' is no text in the encoding of this terminal."),
        (["orders", "ben's Home Planet"], 3, "refused: "),
    ],
)
def test_what_can_be_wrong(tae: Served, shell: Any, words: list[str], code: int, sentence: str) -> None:
    """One sentence on the error output, nothing on the other, and an exit code that says whose fault it is."""
    found, out, err = shell(tae, *words)
    assert (found, out) == (code, "")
    assert sentence in err
    assert "Traceback" not in err


def test_who_and_what_password(workshop: Served, shell: Any) -> None:
    """Both can come from the environment, the password from standard input too; without them it is said what to do."""
    logins: list[tp.Login] = []
    workshop.server.scripts["login"] = lambda request: logins.append(request.message)
    assert shell(workshop, "status", user="")[2] == (
        "tpclient: Say who you are: --user NAME, or NAME@GAME where there are several games, or set TPCLIENT_USER.\n"
    )
    assert shell(workshop, "orders", "--password-stdin", typed="ann's word\nmore")[0] == 0
    assert shell(workshop, "orders", "--password", "wrong")[0] == 3
    assert shell(workshop, "orders", user="ann@first")[0] == 0
    assert [(login.username, login.password) for login in logins] == [
        ("ann", "ann's word"),
        ("ann", "wrong"),
        ("ann@first", "ann's word"),
    ]


def test_register_makes_an_account(make_served: Callable[..., Served], shell: Any) -> None:
    served = make_served(policy="register")
    served.do(served.server.create, "first", "workshop", 1)
    assert shell(served, "orders", user="cem@first")[0] == 3
    assert shell(served, "orders", "--register", user="cem@first")[:2] == (0, "No orders are queued.\n")
    assert served.server.asked.count((None, "create_account")) == 1


def test_my_games_tell_what_is_new(tae: Served, shell: Any) -> None:
    """Since I looked last, by whatever client; `games` itself does not look."""

    def a_week_passes() -> None:
        ann, ben = tae.server.seated.values()
        ann.hang_up()
        for _ in range(7):
            tae.server.close_turn()
        assert ben.ask("post_message", id=1, slot=-1, subject="Hello", body="?").name == "okay"

    tae.do(a_week_passes)
    for _ in range(2):
        assert shell(tae, "games", "--mine", user="ann") == (
            0,
            """\
game   ruleset                             turn  state            new                 players
first  TaE: Tigris and Euphrates in space     7  you are awaited  7 turns, 1 message  ann, ben
""",
            "",
        )
    assert shell(tae, "messages", user="ann@first")[0] == 0
    (first,) = json.loads(shell(tae, "games", "--mine", "--json", user="ann")[1])
    assert (first["new_turns"], first["new_letters"]) == (0, 0)


def test_my_games(tae: Served, shell: Any) -> None:
    """Games with a seat of mine and their players, first the games that wait for me; in any dialect."""
    tae.do(tae.server.create, "later", "workshop", 2, clock="interval:3600")
    tae.do(tae.server.player, "ann", "tp04", "later")
    tae.do(tae.server.create, "other", "workshop", 2)
    assert shell(tae, "games", "--mine", user="ann@first") == (
        0,
        """\
game   ruleset                             turn  state            players
first  TaE: Tigris and Euphrates in space     0  you are awaited  ann, ben
later  Workshop                               0  waiting          ann, nobody yet
""",
        "",
    )
    code, out, _ = shell(tae, "games", "--mine", "--json", dialect="tp03")
    first, later = json.loads(out)
    assert (code, first["name"], first["awaited"], first["seconds"]) == (0, "first", True, None)
    assert first["seats"] == [{"name": name, "bot": False, "awaited": True} for name in ("ann", "ben")]
    assert (later["awaited"], later["state"], later["clock"]) == (False, "waiting", "interval:3600")
    assert (first["new_turns"], first["new_letters"]) == (0, 0)
    assert shell(tae, "games", "--mine", user="eve")[1] == "You have a seat in no game.\n"
    assert shell(tae, "games", "--mine", "--password", "wrong")[0] == 3
