"""Seats and decisions about absent players: in library and shell."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from tests.support.memory_client import MemoryServer, Served
from tests.support.server_in_memory import result_of
from tpclient.errors import BadArgument
from tpclient.seats import kept_words, seats_rows, state_words
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP04
from tpserver.games.terms.seat_policy import SeatPolicy


def test_a_seat_in_words() -> None:
    """All unusual facts about it, and no usual ones."""
    for seat, words in (
        (tp.SeatState(), "open"),
        (tp.SeatState(name="ann"), ""),
        (tp.SeatState(name="ann", awaited=True, missed=1), "awaited, missed the last turn"),
        (
            tp.SeatState(name="ann", absent=True, missed=3, seeks=True),
            "absent, missed 3 turns in a row, can be taken over",
        ),
        (tp.SeatState(name="ann", absent=True, bot_plays=True), "absent, the bot plays"),
        (tp.SeatState(name="ann", autopilot=1, bot_plays=True), "left to the bot for 1 turn"),
        (tp.SeatState(name="bot-1", bot=True, bot_plays=True), "bot"),
    ):
        assert state_words(seat) == words
    assert kept_words(tp.SeatState(due=4, kept=3, due_of_all=4, kept_of_all=3)) == "kept 3 of 4 here"
    assert kept_words(tp.SeatState(due=4, kept=3, due_of_all=9, kept_of_all=8)) == (
        "kept 3 of 4 here, 8 of 9 in all games"
    )
    assert seats_rows(tp.Seats(seats=[tp.SeatState(player=1)])) == [("1", "-", "open", "")]


def test_seats_in_the_library(server: MemoryServer) -> None:
    async def run() -> None:
        server.connect("pb").ask("create_account", username="ann", password="ann's word")
        connection = server.link(PB)
        await connection.connect()
        await connection.login_account("ann", "ann's word")
        await connection.create_game(
            tp.CreateGame(name="mine", ruleset="auction", seats=2, clock="interval:60", master=True)
        )
        server.player("dan", game="mine"), server.player("ben", game="mine")
        assert "all players are notified" in await connection.set_seat_policy("mine", tp.SeatPolicy(absent_after=2))
        seats = await connection.game_seats("mine")
        assert (seats.owned, seats.policy.absent_after, [one.name for one in seats.seats]) == (True, 2, ["dan", "ben"])
        assert "seeks a player" in await connection.remove_player("mine", 2)
        server.connect("pb").ask("create_account", username="cem", password="cem's word")
        other = server.link(PB)
        await other.connect()
        assert [(one.game, one.player) for one in await other.open_seats()] == [("mine", 2)]
        await other.login_account("cem", "cem's word")
        assert "You are player 2 of mine" in await other.take_seat("mine", 2)
        assert await other.open_seats() == []
        await other.enter_game("mine")
        assert "waits for you" in await other.say_here()
        old = server.link(TP04)
        with pytest.raises(BadArgument):
            await old.game_seats("mine")

    asyncio.run(run())


def test_who_is_away_is_told_at_the_shell_without_a_user(owned: Served, shell: Any) -> None:
    def pass_turn(server: MemoryServer) -> None:
        server.player("ann", game="mine").ask("finished_turn")
        server.pass_time(7200 + 60 + 600)

    owned.do(pass_turn, owned.server)
    code, out, err = shell(owned, "seats", dialect=None, user="")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "The game waits for everybody."
    assert [line.split() for line in out.splitlines()[2:]] == [
        ["1", "ann", "awaited", "kept", "1", "of", "1", "here"],
        ["2", "ben", "awaited,", "missed", "the", "last", "turn", "kept", "0", "of", "1", "here"],
    ]
    facts = json.loads(shell(owned, "seats", "mine", "--json", dialect=None, user="")[1])
    usual = {"absent_after": 0, "absent": "rules", "seek": False, "reliability": 0, "roll_call": 0}
    assert facts["policy"] == {**usual, "silent_days": 14}
    assert (facts["seats"][1]["missed"], facts["seats"][1]["kept_of_all"]) == (1, 0)


def test_whoever_has_made_the_game_decides_at_the_shell(mastered: Served, shell: Any) -> None:
    """One thing changes and the others stay; a seat is offered, and another takes it."""
    out = shell(mastered, "seats", "mine", "--absent-after", "2", dialect=None)[1]
    assert out.startswith("In mine now: the game does not wait for a player who has missed 2 turns in a row")
    out = shell(mastered, "seats", "--seek", "yes", "--reliability", "50", dialect=None)[1]
    assert "missed 2 turns in a row, until that player is back; somebody else can take the seat" in out
    code, _, err = shell(mastered, "seats", "mine", "--absent-after", "1", dialect=None, user="ben")
    assert (code, "only the owner of the game" in err.casefold()) == (3, True)
    assert shell(mastered, "open-seats", dialect=None, user="")[1] == "There are no open seats.\n"
    assert shell(mastered, "seats", "--remove", "2", dialect=None)[1].startswith("Seat 2 of mine seeks a player now")
    listed = shell(mastered, "open-seats", dialect=None, user="")[1].splitlines()
    assert listed[1].split() == [
        "mine",
        "Auction",
        "0",
        "2",
        "Player",
        "2",
        "(requires",
        "50",
        "%",
        "of",
        "turns",
        "kept)",
    ]
    mastered.do(lambda: mastered.server.connect("pb").ask("create_account", username="cem", password="cem's word"))
    out = shell(mastered, "take-seat", "mine", "2", dialect=None, user="cem")[1]
    assert out == "You are player 2 of mine now; all players are notified.\n"
    assert "game waits for you" in shell(mastered, "here", dialect=None, user="cem@mine")[1]
    code, _, err = shell(mastered, "autopilot", "3", dialect=None, user="cem@mine")
    assert (code, "no bot of their own" in err) == (3, True)


def test_the_days_of_silence_are_set_at_the_shell(mastered: Served, shell: Any) -> None:
    """The other settings stay, and the days stay when another setting changes."""
    game = mastered.server.game("mine")
    for words, days in ((["--silent-days", "3"], 3), (["--absent-after", "2"], 3), (["--silent-days", "0"], 0)):
        assert shell(mastered, "seats", "mine", *words, dialect=None)[0] == 0
        assert game.policy.silent_days == days
    assert shell(mastered, "seats", "mine", "--seek", "yes", dialect=None)[0] == 0
    assert (game.policy.silent_days, game.policy.absent_after) == (0, 2)
    code, _, err = shell(mastered, "seats", "mine", "--silent-days", "366", dialect=None)
    assert (code, "silent player after 1 to 365 days" in err) == (3, True)


def test_a_player_proposes_days_of_silence_at_the_shell(owned: Served, shell: Any) -> None:
    """The rest of the policy is as before; what is to change has to be said, with the kind of the proposal."""
    policy = SeatPolicy(absent_after=2, roll_call=60, silent_days=14)
    owned.do(lambda: result_of(owned.server.registry.seat_changes.set_policy(owned.server.game("mine"), policy, "x")))
    words = ("proposals", "--propose", "seats", "--silent-days", "5")
    code, out, _ = shell(owned, *words, user="ben@mine", dialect=None)
    assert (code, out.startswith("You have proposed another rule about absent players")) == (0, True)
    assert shell(owned, "proposals", "--agree", "1", user="ann@mine", dialect=None)[0] == 0
    assert owned.server.game("mine").policy == replace(policy, silent_days=5)
    code, _, err = shell(owned, *words[:3], user="ben@mine", dialect=None)
    assert (code, "Say what --propose seats is to change" in err) == (2, True)
    code, _, err = shell(owned, words[0], *words[3:], user="ben@mine", dialect=None)
    assert (code, "goes with --propose seats" in err) == (2, True)
    owner = shell(owned, "seats", "mine", "--silent-days", "7", dialect=None)[1]
    assert owner.startswith("You have proposed another rule about absent players")
    assert owned.server.game("mine").proposals[-1].arguments["policy"]["silent_days"] == 7


def test_an_owner_who_plays_proposes_to_remove_a_player_at_the_shell(owned: Served, shell: Any) -> None:
    out = shell(owned, "seats", "mine", "--absent-after", "2", "--remove", "2", dialect=None)[1]
    assert out.startswith(
        "You have proposed another rule about absent players: the game does not wait for a player who"
    )
    assert "\nYou have proposed to remove ben from seat 2, and all players are notified;" in out
    told = shell(owned, "proposals", user="ann@mine", dialect=None)[1]
    assert "\n  abort: end the game without a result, asks for a reason\n" in told
    code, out, _ = shell(owned, "proposals", "--propose", "abort", "--reason", "Late", user="ben@mine", dialect=None)
    assert (
        code,
        out.startswith("You have proposed to end the game without a result: Late, and all players are notified;"),
    ) == (
        0,
        True,
    )
