"""GetSeats, SetSeatPolicy and SayHere, which Protocol Buffers and JSON have; what old clients hear."""

from __future__ import annotations

from typing import Any

import pytest
from server_in_memory import Client, Server

from tests.requests.test_clock_requests import told
from tests.requests.test_home import at_home
from tests.requests.test_making import make
from tpproto import tp_pb2 as tp
from tpserver.games.seating import SeatPolicy

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 2, 3, 4, 5
TURN = 300


@pytest.fixture(params=["pb", "json"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def seats_of(client: Client, game: str = "") -> Any:
    return client.ask("get_seats", game=game).message


def made(server: Server, dialect: str = "pb", **more: Any) -> tuple[Client, Client]:
    """Return ann, who has made the game "mine", and ben, who plays in it with a program of 2010."""
    ann = server.connect(dialect)
    ann.ask("create_account", username="ann", password="ann's word")
    ann.ask("login_account", username="ann", password="ann's word")
    assert make(ann, "mine", clock=f"interval:{TURN}", **more).name == "okay"
    ben = server.player("ben", "tp04", "mine")
    ann.ask("enter_game", game="mine")
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
    """All are told, also those with programs of 2010; nobody else can do it."""
    ann, ben = made(server, dialect)
    assert ann.ask("set_seat_policy", game="mine", policy=tp.SeatPolicy(absent_after=3)).name == "okay"
    words = "the game does not wait for a player who has missed 3 turns in a row, until that player is back"
    assert told(ben, "Absent players") == [f"ann has decided: {words}."]
    assert server.game("mine").policy == SeatPolicy(absent_after=3)
    other = at_home(server, "cem")
    assert other.ask("set_seat_policy", game="mine", policy=tp.SeatPolicy(absent_after=1)).code == DENIED
    wrong = ann.ask("set_seat_policy", game="mine", policy=tp.SeatPolicy(absent_after=101))
    assert (wrong.code, "1 to 100 turns in a row" in wrong.text) == (PERMANENTLY, True)
    assert server.game("mine").policy == SeatPolicy(absent_after=3)


def test_a_game_is_not_made_with_a_policy_out_of_bounds(server: Server, dialect: str):
    ann = at_home(server)
    assert make(ann, "mine", policy=tp.SeatPolicy(absent_after=2**32 - 1)).code == PERMANENTLY
    assert server.registry.row_named("mine") is None


def test_an_absent_player_says_that_he_is_here(server: Server, dialect: str):
    """Then he is waited for; said again it changes nothing."""
    ann, _ = made(server, dialect, policy=tp.SeatPolicy(absent_after=1))
    pass_turn(server, ann)
    back = server.player("ben", dialect, "mine")
    assert server.game("mine").is_absent(1)
    assert back.ask("say_here").text == "You are back, and all are told"
    assert not server.game("mine").is_absent(1)
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
    assert ann.ask("set_autopilot", turns=0).text == "You play yourself"
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
