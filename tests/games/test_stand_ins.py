"""The bot of the rules in seats of absent players.

Players may also leave their seats to it for some turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from test_games.auction import Auction, World

from tests.games.test_absent_players import TURN, records
from tests.games.test_bots import Bidder, Later
from tests.games.test_clock_turns import kinds, told
from tests.support.server_in_memory import Client, Server, result_of
from tprules.api import BotTurn, Order
from tpserver.bots import Bots
from tpserver.games.core import attendance
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.seats.seat_service import MOST_AUTOPILOTS
from tpserver.games.stored.replay import read_recorded, run_again
from tpserver.games.terms.seat_policy import MOST_AUTOPILOT, SeatPolicy
from tpserver.rules.discovery import Rulesets

FOUND = Rulesets({"auction": Auction(), "bidder": Bidder()})
BOT = SeatPolicy(absent_after=1, absent="bot")


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Iterator[Server]:
    made = make_server(found=FOUND)
    made.registry.load_all()
    yield made
    Bidder.plays = None


@pytest.fixture
def bots(server: Server) -> Bots:
    return server.start_bots()


def bids_one(turn: BotTurn[World]) -> None:
    turn.give(Order(turn.seat, 2 + turn.seat, "Bid", {"gold": 1, "words": ""}))


def begin(server: Server, seats: int = 2, clock: str = f"interval:{TURN}", **more: Any) -> list[Client]:
    Bidder.plays = staticmethod(bids_one)
    server.create("first", "bidder", seats, clock=clock, **more)
    return [server.player(name, "pb") for name in ("ann", "ben", "cem")[:seats]]


def turn(server: Server) -> int:
    return server.game().state.turn


def replayed(server: Server) -> None:
    """Run the game again from its journal; this fails if a digest differs."""
    run_again(*server.store.read(read_recorded, "first", FOUND))


def autopilot(server: Server, seat: int, turns: int) -> None:
    result_of(server.registry.seat_changes.set_autopilot(server.game(), seat, turns))


# --- absent players ---------------------------------------------------------------------------------------------------


def test_the_bot_plays_for_who_is_absent_until_he_is_back(server: Server, bots: Bots):
    """Its orders are like all; the turn waits for it, and not for the player."""
    ann, ben = begin(server, policy=BOT)
    ann.ask("finished_turn")
    server.pass_time(TURN)
    assert (turn(server), server.game().finished, attendance.awaited(server.game())) == (1, {1}, [0])
    assert [order.seat for queue in server.game().state.queues.values() for order in queue] == [1]
    text = (
        "ben has missed a turn. The game does not wait for them until they are back. Until then the bot of the rules "
        "plays for them."
    )
    assert told(ann, "Not waited for") == [text]
    ann.ask("finished_turn")
    assert (turn(server), records(server)[1]) == (2, (1, 0, 1))
    ben.ask("unfinish_turn")
    assert attendance.awaited(server.game()) == [0, 1]
    ann.ask("finished_turn")
    assert turn(server) == 2
    ben.ask("finished_turn")
    assert (turn(server), records(server)[1]) == (3, (2, 1, 0))
    replayed(server)


def test_a_turn_does_not_end_before_the_bot_has_chosen(server: Server):
    later = Later()
    bots = server.start_bots(later)
    ann, _ = begin(server, policy=BOT)
    ann.ask("finished_turn")
    server.pass_time(TURN)
    ann.ask("finished_turn")
    assert (turn(server), len(later.waiting)) == (1, 1)
    later.work()
    assert turn(server) == 2
    bots.stop()


def test_whoever_comes_back_while_the_bot_chooses_plays_himself(server: Server):
    """The bot's choice is dropped, and the player's turn is not finished. The bot plays on for another player."""
    later = Later()
    bots = server.start_bots(later)
    ann, ben, _ = begin(server, 3, policy=BOT)
    ann.ask("finished_turn")
    server.pass_time(TURN)
    ben.bid(3)
    later.work()
    assert [order.args["gold"] for queue in server.game().state.queues.values() for order in queue] == [3]
    later.work()
    assert attendance.awaited(server.game()) == [0, 1]
    bots.stop()


def test_no_bot_plays_while_nobody_is_there(server: Server, bots: Bots):
    """The turns go by the clock, with the orders that the rules give."""
    begin(server, policy=BOT)
    server.pass_time(TURN)
    assert (turn(server), server.game().finished) == (1, frozenset())
    server.pass_time(TURN - 1)
    assert turn(server) == 1


def test_bots_go_on_for_absent_players_after_a_restart(server: Server):
    ann, _ = begin(server, policy=BOT)
    ann.ask("finished_turn")
    server.pass_time(TURN)
    assert attendance.awaited(server.game()) == [0, 1]  # there was no bot
    server = server.restarted()
    server.start_bots().look_at_all()
    assert attendance.awaited(server.game()) == [0]


def test_rules_without_a_bot_of_their_own_play_for_nobody(server: Server):
    """A random bot would harm the player."""
    with pytest.raises(GameError, match="no bot of their own"):
        server.create("other", "auction", policy=BOT)
    server.create("first", "auction")
    server.players(2)
    with pytest.raises(GameError, match="no bot of their own"):
        result_of(server.registry.seat_changes.set_policy(server.game(), BOT, "The operator"))
    with pytest.raises(GameError, match="no bot of their own"):
        autopilot(server, 0, 1)
    with pytest.raises(GameError, match="rules or bot, not 'dog'"):
        server.create("other", "bidder", policy=SeatPolicy(absent="dog"))


# --- autopilot --------------------------------------------------------------------------------------------------------


def test_the_bot_plays_as_many_turns_as_a_player_leaves_to_it(server: Server, bots: Bots):
    """It begins at once. The player is notified of each turn, all of the beginning and end. No turn counts as due."""
    ann, ben = begin(server)
    autopilot(server, 1, 2)
    assert server.game().finished == {1}
    ann.ask("finished_turn")
    assert (turn(server), server.game().finished, server.game().players[1].record.autopilot) == (1, {1}, 1)
    ann.ask("finished_turn")
    assert (turn(server), attendance.awaited(server.game()), records(server)[1]) == (2, [0, 1], (0, 0, 0))
    assert told(ben, "Autopilot") == [
        "ben leaves 2 turns to the bot of the rules.",
        "The bot of the rules has played this turn for you. It plays 1 more turn of yours.",
        "The bot of the rules has played this turn for you. You play again now.",
        "ben plays again, and the bot no more for them.",
    ]
    assert told(ann, "Autopilot") == [
        "ben leaves 2 turns to the bot of the rules.",
        "ben plays again, and the bot no more for them.",
    ]
    assert kinds(server).count("autopilot") == 1
    replayed(server)


@pytest.mark.parametrize("act", ["order", "unfinish", "end"])
def test_a_player_ends_it_at_any_time(server: Server, bots: Bots, act: str):
    ann, ben = begin(server)
    autopilot(server, 1, 5)
    if act == "end":
        autopilot(server, 1, 0)
        ben.ask("unfinish_turn")
    elif act == "order":
        ben.bid(2)
        ben.ask("unfinish_turn")
    else:
        ben.ask("unfinish_turn")
    assert (server.game().players[1].record.autopilot, attendance.awaited(server.game())) == (0, [0, 1])
    assert told(ann, "Autopilot")[1:] == ["ben plays again, and the bot no more for them."]
    server = server.restarted()
    assert not attendance.bot_plays(server.game(), 1)


def test_a_game_that_all_have_left_to_the_bot_goes_by_its_clock(server: Server, bots: Bots):
    """No player returns to see its end. Games with only the operator's bots still play as fast as they can."""
    begin(server)
    autopilot(server, 0, 3)
    autopilot(server, 1, 3)
    assert (turn(server), attendance.awaited(server.game())) == (0, [])
    server.pass_time(TURN - 1)
    assert turn(server) == 0
    server.pass_time(1)
    assert (turn(server), attendance.awaited(server.game()), records(server)) == (1, [], [(0, 0, 0), (0, 0, 0)])
    server.create("bots", "bidder", 2, bots=2, clock=f"interval:{TURN}")
    bots.look(server.game("bots"))
    assert server.game("bots").over


def test_whoever_finishes_a_turn_that_the_bot_has_finished_finishes_that_one_only(server: Server, bots: Bots):
    """It ends as its player is back, and nobody has said anything of the next."""
    _, ben = begin(server)
    autopilot(server, 0, 3)
    autopilot(server, 1, 3)
    ben.ask("finished_turn")
    assert (turn(server), attendance.awaited(server.game())) == (1, [1])


def test_how_often_and_for_how_long_is_bounded(server: Server):
    begin(server)
    before = server.game().last_entry
    for wrong in (-1, MOST_AUTOPILOT + 1):
        with pytest.raises(GameError, match="1 to 100 turns"):
            autopilot(server, 0, wrong)
    autopilot(server, 0, 0)
    assert server.game().last_entry == before
    for number in range(MOST_AUTOPILOTS):
        autopilot(server, 0, 2 + number % 2)
    server = server.restarted()
    with pytest.raises(NotNow, match="20 times in this turn"):
        autopilot(server, 0, 9)
    assert server.game().players[0].record.autopilot == 3


def test_the_bot_does_not_play_for_who_has_resigned_and_nobody_waits(server: Server, bots: Bots):
    """A player who resigned is neither absent nor present. The bot of the rules plays on for others only."""
    ann, _, cem = begin(server, 3, policy=BOT)
    cem.ask("propose", game="first", kind="resign")
    server.settle()
    server.pass_time(TURN)
    game = server.game()
    assert [attendance.is_absent(game, seat) for seat in range(3)] == [True, True, False]
    assert not attendance.bot_plays(game, 2) and attendance.awaited(game) == [0, 1]
    assert not attendance.somebody_is_there(game), (
        "only absent players are left, and those who resigned count for nobody"
    )
    ann.ask("finished_turn")
    server.settle()
    assert attendance.bot_plays(server.game(), 1) and not attendance.bot_plays(server.game(), 2)
    assert server.game().state.turn == 2, "ben's bot is done, and nobody waits for cem"
    replayed(server)
