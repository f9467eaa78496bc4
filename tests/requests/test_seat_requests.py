"""GetSeats, SetSeatPolicy and SayHere.

Only Protocol Buffers and JSON have them. Also tested: the texts for old clients.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests.test_clock_requests import told
from tests.requests.test_create_game import make
from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import Client, Server, result_of
from tpproto import tp_pb2 as tp
from tpserver.games.core import attendance
from tpserver.games.terms.seat_policy import SeatPolicy, SeatRecord
from tpserver.store import reliability

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 2, 3, 4, 5
TURN = 300


@pytest.fixture(params=["pb", "json"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def seats_of(client: Client, game: str = "") -> Any:
    return client.ask("get_seats", game=game).message


def made(server: Server, dialect: str = "pb", **more: Any) -> tuple[Client, Client]:
    """Return ann, who has made the game "mine", and ben, who plays in it with a program of 2010.

    Where she is its game master, another one has her seat.
    """
    ann = server.connect(dialect)
    ann.ask("create_account", username="ann", password="ann's word")
    ann.ask("login_account", username="ann", password="ann's word")
    assert make(ann, "mine", clock=f"interval:{TURN}", **more).name == "okay"
    if more.get("master"):
        server.player("dan", "tp04", "mine")
    ben = server.player("ben", "tp04", "mine")
    ann.ask("enter_game", game="mine/watch" if more.get("master") else "mine")
    return ann, ben


def pass_turn(server: Server, *done: Client) -> None:
    """Let a turn pass in which only these are done."""
    for client in done:
        client.ask("finished_turn")
    server.pass_time(TURN)


def test_seats_tell_who_is_awaited_and_who_has_missed_turns(server: Server, dialect: str):
    """Also before login: it is public."""
    ann, _ = made(server, dialect, policy=tp.SeatPolicy(absent_after=2))
    pass_turn(server, ann)
    told = seats_of(server.connect(dialect), "MINE")
    assert (told.game, told.policy.absent_after, told.owned) == ("mine", 2, False)
    assert told.words == (
        "the game does not wait for a player who has missed 2 turns in a row, until that player is back"
    )
    assert [(one.player, one.name, one.bot, one.awaited, one.absent) for one in told.seats] == [
        (1, "ann", False, True, False),
        (2, "ben", False, True, False),
    ]
    assert [(one.missed, one.due, one.kept) for one in told.seats] == [(0, 1, 1), (1, 1, 0)]
    assert [(one.due_of_all, one.kept_of_all) for one in told.seats] == [(1, 1), (1, 0)]
    pass_turn(server, ann)
    told = seats_of(ann)
    assert [(one.awaited, one.absent) for one in told.seats] == [(True, False), (False, True)]
    assert told.owned


def test_seats_of_a_game_that_is_over_are_read_without_loading_it(server: Server, dialect: str):
    ann, _ = made(server, dialect)
    for _ in range(5):
        pass_turn(server, ann)
    assert server.game("mine").over
    server = server.restarted()
    told = seats_of(server.connect(dialect), "mine")
    assert [(one.name, one.missed, one.due, one.kept, one.absent) for one in told.seats] == [
        ("ann", 0, 5, 5, False),
        ("ben", 5, 5, 0, False),
    ]
    assert not server.registry.games


def test_of_a_game_for_invited_players_only_they_are_told_its_seats(server: Server, dialect: str):
    server.create("closed", join="invited")
    assert server.connect(dialect).ask("get_seats", game="closed").code == DENIED
    assert server.connect(dialect).ask("get_seats", game="").code == TEMPORARILY
    assert server.connect(dialect).ask("get_seats", game="none").code == PERMANENTLY


def test_whoever_has_made_a_game_changes_what_it_does_about_absent_players(server: Server, dialect: str):
    """All are notified, also players with programs of 2010. Nobody else can change it."""
    ann, ben = made(server, dialect, master=True)
    assert ann.ask("set_seat_policy", game="mine", policy=tp.SeatPolicy(absent_after=3)).name == "okay"
    words = "the game does not wait for a player who has missed 3 turns in a row, until that player is back"
    assert told(ben, "Absent players") == [f"ann has decided: {words}."]
    assert server.game("mine").policy == SeatPolicy(absent_after=3, silent_days=14)
    other = at_home(server, "cem")
    assert other.ask("set_seat_policy", game="mine", policy=tp.SeatPolicy(absent_after=1)).code == DENIED
    wrong = ann.ask("set_seat_policy", game="mine", policy=tp.SeatPolicy(absent_after=101))
    assert (wrong.code, "1 to 100 turns in a row" in wrong.text) == (PERMANENTLY, True)
    off = tp.SeatPolicy(absent_after=3, waits_for_silent=True)
    assert ann.ask("set_seat_policy", game="mine", policy=off).name == "okay"
    assert server.game("mine").policy == SeatPolicy(absent_after=3)
    wrong = tp.SeatPolicy(silent_days=366)
    assert ann.ask("set_seat_policy", game="mine", policy=wrong).code == PERMANENTLY


def test_a_game_is_not_made_with_a_policy_out_of_bounds(server: Server, dialect: str):
    ann = at_home(server)
    assert make(ann, "mine", policy=tp.SeatPolicy(absent_after=2**32 - 1)).code == PERMANENTLY
    assert server.registry.directory.row_named("mine") is None


def test_an_absent_player_says_that_he_is_here(server: Server, dialect: str):
    """Then he is waited for; said again it changes nothing."""
    ann, _ = made(server, dialect, policy=tp.SeatPolicy(absent_after=1))
    pass_turn(server, ann)
    back = server.player("ben", dialect, "mine")
    assert attendance.is_absent(server.game("mine"), 1)
    assert list(ann.ask("get_time_remaining").message.waiting) == [1]
    assert back.ask("say_here").text == "You are back, and all players are notified"
    assert not attendance.is_absent(server.game("mine"), 1)
    assert list(ann.ask("get_time_remaining").message.waiting) == [1, 2]
    assert told(ann, "Back again") == ["ben is back, and the game waits for them again."]
    before = server.game("mine").last_entry
    assert back.ask("say_here").text == "The game waits for you as for all others"
    assert server.game("mine").last_entry == before
    ann.ask("finished_turn")
    assert server.game("mine").state.turn == 1


def test_a_player_leaves_turns_to_the_bot_and_the_seats_tell_so(server: Server, dialect: str):
    """The bot itself plays where one runs, which is not here."""
    server.create("mine", "tae", 2, clock=f"interval:{TURN}")
    ann, ben = server.player("ann", dialect, "mine"), server.player("ben", "tp04", "mine")
    before = server.game("mine").last_entry
    assert ann.ask("set_autopilot", turns=101).code == PERMANENTLY
    assert server.game("mine").last_entry == before
    words = "The bot of the rules plays 3 turns, beginning with this one, for you, unless you give an order"
    assert words in ann.ask("set_autopilot", turns=3).text
    assert told(ben, "Autopilot") == ["ann leaves 3 turns to the bot of the rules."]
    seats = seats_of(server.connect(dialect), "mine")
    assert seats.has_bot
    assert [(one.autopilot, one.bot_plays) for one in seats.seats] == [(3, True), (0, False)]
    assert ann.ask("set_autopilot", turns=0).text == "You play your seat yourself"
    assert [(one.autopilot, one.bot_plays) for one in seats_of(ann).seats] == [(0, False), (0, False)]
    assert not seats_of(ann, made_auction(server)).has_bot


def made_auction(server: Server) -> str:
    return server.create("lots").name


def test_a_policy_says_what_plays_absent_seats(server: Server, dialect: str):
    ann = at_home(server)
    assert make(ann, "lots", policy=tp.SeatPolicy(absent_after=2, absent="bot")).code == PERMANENTLY
    refused = make(ann, "lots", policy=tp.SeatPolicy(absent_after=2, absent="cat"))
    assert "rules or bot, not 'cat'" in refused.text
    assert make(ann, "mine", "tae", policy=tp.SeatPolicy(absent_after=2, absent="bot")).name == "okay"
    told = seats_of(server.connect(dialect), "mine")
    assert (told.policy.absent, "the bot of the rules plays for them" in told.words) == ("bot", True)


# --- seats that seek somebody -----------------------------------------------------------------------------------------


def open_seats(client: Client) -> list[tuple[str, int, str, bool]]:
    told = client.ask("get_open_seats").message
    assert not told.following
    return [(one.game, one.player, one.name, one.bot) for one in told.seats]


def test_seats_that_seek_somebody_are_listed_and_taken(server: Server, dialect: str):
    """Before login as well; games for invited players are not listed."""
    ann, ben = made(server, dialect, master=True)
    stranger = server.connect(dialect)
    assert open_seats(stranger) == []
    assert (
        ann.ask("remove_player", game="mine", player=2).text
        == "Seat 2 of mine seeks a player now; all players are notified"
    )
    assert open_seats(stranger) == [("mine", 2, "Player 2", False)]
    assert [one.seeks for one in seats_of(ann).seats] == [False, True]
    cem = at_home(server, "cem")
    assert cem.ask("take_seat", game="mine", player=2).text == "You are player 2 of mine now; all players are notified"
    assert cem.ask("enter_game", game="mine").text == "Welcome to mine, cem; you are player 2"
    assert open_seats(stranger) == []
    assert ben.ask("get_time_remaining").code == DENIED


def test_the_list_of_open_seats_is_told_in_parts(server: Server, dialect: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tpserver.requests.lobby.seats.SEATS_AT_ONCE", 2)
    for name in ("one", "two", "three"):
        game = server.create(name)
        server.players(2, game=name)
        for player in game.players:
            player.record = SeatRecord(seeks=True)
    asking, start, found = server.connect(dialect), 0, []
    for _ in range(3):
        told = asking.ask("get_open_seats", start=start).message
        found.append([one.game for one in told.seats])
        start = told.following
    assert (found, start) == ([["three"] * 2, ["two"] * 2, ["one"] * 2], 0)


def test_who_may_not_take_a_seat_or_remove_a_player_is_refused(server: Server, dialect: str):
    """Each in a sentence, and nothing has changed."""
    ann, _ = made(server, dialect, master=True)
    cem = at_home(server, "cem")
    assert cem.ask("remove_player", game="mine", player=2).code == DENIED
    assert ann.ask("remove_player", game="mine", player=3).code == PERMANENTLY
    assert ann.ask("remove_player", game="mine", player=2**32 - 1).code == PERMANENTLY
    before = server.game("mine").last_entry
    for number in (0, 2, 3, 2**32 - 1):
        assert cem.ask("take_seat", game="mine", player=number).code == PERMANENTLY
    assert server.game("mine").last_entry == before
    ann.ask("remove_player", game="mine", player=2)
    dan = at_home(server, "dan")
    assert dan.ask("take_seat", game="mine", player=2).code == PERMANENTLY  # he has one
    removed = at_home(server, "ben")
    assert "removed from the game" in removed.ask("take_seat", game="mine", player=2).text


def test_a_seat_of_a_game_for_invited_players_needs_the_word(server: Server, dialect: str):
    ann = at_home(server, "ann", dialect)
    assert make(ann, "mine", bots=0, invited=True).name == "okay"
    word = ann.ask("get_invitation", game="mine").message.word
    ben = at_home(server, "ben", dialect)
    assert ben.ask("enter_game", game="mine", invitation=word).name == "okay"
    result_of(server.registry.seat_changes.remove_player(server.game("mine"), 1, "The operator"))
    assert open_seats(server.connect(dialect)) == []
    cem = at_home(server, "cem", dialect)
    assert cem.ask("take_seat", game="mine", player=2).code == DENIED
    word = ann.ask("get_invitation", game="mine").message.word
    assert cem.ask("take_seat", game="mine", player=2, invitation=word).name == "okay"


# --- reliability ------------------------------------------------------------------------------------------------------


def test_a_game_asks_for_reliable_players(server: Server, dialect: str):
    """Players with few turns so far may join. Players who missed many may not, neither at login nor for a seat."""
    ann = at_home(server, "ann", dialect)
    assert make(ann, "mine", seats=3, policy=tp.SeatPolicy(reliability=80)).name == "okay"
    number = at_home(server, "cem", dialect).session.account_id
    for turn in range(10):
        server.store.write(reliability.count, {number: turn < 7})
    refused = server.connect(dialect).ask("login", username="cem@mine", password="cem's word")
    words = "The game 'mine' is for players who have kept 80 % of their turns; you have kept 7 of 10."
    assert (refused.code, refused.text) == (DENIED, words)
    for _ in range(5):
        server.store.write(reliability.count, {number: True})
    assert server.connect(dialect).ask("login", username="cem@mine", password="cem's word").name == "okay"
    assert server.player("dan", dialect, "mine").session.seat == 2
    assert make(ann, "other", policy=tp.SeatPolicy(reliability=101)).code in (PERMANENTLY, TEMPORARILY)
    assert server.registry.directory.row_named("other") is None


def test_before_the_start_all_say_that_they_are_here(server: Server, dialect: str):
    """All see the end of the roll call and the present players. The owner sets its length like other settings."""
    ann = at_home(server, "ann", dialect)
    assert make(ann, "mine", policy=tp.SeatPolicy(roll_call=600)).name == "okay"
    ann.ask("enter_game", game="mine")
    server.player("ben", dialect, "mine")
    seats = seats_of(server.connect(dialect), "mine")
    assert (seats.policy.roll_call, seats.roll_ends) == (600, int(server.now()) + 600)
    assert [one.here for one in seats.seats] == [False, True]
    assert ann.ask("say_here").name == "okay"
    seats = seats_of(ann)
    assert (seats.roll_ends, [one.here for one in seats.seats], server.game("mine").started) == (
        0,
        [False, False],
        True,
    )
    wrong = tp.Propose(game="mine", kind="seats", policy=tp.SeatPolicy(roll_call=2**31))
    assert ann.say("propose", wrong).code == PERMANENTLY
