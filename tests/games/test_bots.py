"""Bots in seats: how they get them, their turns, and their failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar

import pytest
from test_games.auction import Auction, World
from twisted.internet.defer import Deferred

from tests.support.server_in_memory import Server, result_of
from tprules.api import BotTurn, Order
from tpserver import bots as bots_module
from tpserver.bots import Bots
from tpserver.games.core import attendance
from tpserver.games.core.game import Game
from tpserver.rules.call_limits import WATCHDOG
from tpserver.rules.discovery import Rulesets
from tpserver.store.games import journal as stored_journal
from tpserver.store.people import accounts as stored_accounts


class Bidder(Auction):
    """An auction whose bots bid all that they have, or do what the test says."""

    name = "bidder"
    plays: ClassVar[Callable[[BotTurn[World]], None] | None] = None

    def bot(self, turn: BotTurn[World]) -> None:
        if self.plays is None:
            turn.give(bid(turn, turn.world.gold[turn.seat]))
        else:
            type(self).plays(turn)


class Hasty(Bidder):
    """The turn ends after each order."""

    name = "hasty"
    phases = tuple(replace(phase, ends_after="each") for phase in Auction.phases)


class Deluded(Bidder):
    """Its bots believe that they are rich."""

    name = "deluded"

    def known(self, world: World, seat: int) -> World:
        return replace(world, gold=[9] * len(world.gold))


class Later:
    """An executor that runs work when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Deferred[Any], Callable[[], Any]]] = []

    def __call__(self, work: Callable[[], Any]) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        self.waiting.append((done, work))
        return done

    def work(self) -> None:
        done, work = self.waiting.pop(0)
        done.callback(work())


def bid(turn: BotTurn[World], gold: int) -> Order:
    return Order(turn.seat, 2 + turn.seat, "Bid", {"gold": gold, "words": ""})


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Iterator[Server]:
    yield make_server(found=Rulesets({rules.name: rules for rules in (Auction(), Bidder(), Hasty(), Deluded())}))
    Bidder.plays = None


@pytest.fixture
def bots(server: Server) -> Bots:
    return server.start_bots()


def begin(
    server: Server, bots: Bots, seats: int = 2, count: int = 2, rules: str = "bidder", rounds: int = 5, **more: Any
) -> Game:
    """Create the game "lots" and have its bots come."""
    bots.look(server.create("lots", rules, seats, bots=count, options={"rounds": rounds}, **more))
    return server.game("lots")


def test_a_game_of_bots_plays_itself_to_the_end(server: Server, bots: Bots):
    """They take the seats in order, give their orders, and finish their turns, without any connection."""
    game = begin(server, bots)
    assert [(player.name, player.bot, player.account) for player in game.players] == [
        ("bot-1", True, None),
        ("bot-2", True, None),
    ]
    assert game.over
    assert game.state.turn == 5
    assert game.state.world.gold != [9, 9]


def test_a_ruleset_without_a_bot_is_played_at_random(server: Server, bots: Bots):
    game = begin(server, bots, rules="auction")
    assert game.over
    assert sum(game.state.world.won) > 0


def test_the_same_seed_plays_the_same_game(make_server: Callable[..., Server]):
    """The bots' dice depend on nothing but the seed, the seat and the turn."""
    digests = set()
    for _ in range(2):
        server = make_server(found=Rulesets({"auction": Auction()}))
        digests.add(begin(server, server.start_bots(), rules="auction").digest)
    assert len(digests) == 1


def test_seats_for_people_stay_open(server: Server, bots: Bots):
    """The game starts when the last of them is taken; then the bot has its turn, and the others are waited for."""
    game = begin(server, bots, seats=3, count=1)
    assert [player.name for player in game.players] == ["bot-1", "", ""]
    assert not game.started
    ann, ben = server.players(2, game="lots")
    assert game.started
    assert attendance.awaited(game) == [1, 2]
    races = [player.race for player in ann.ask("get_player", ids=[1, 2]).things]
    assert races == ["Bot", "Human"], "clients call bots bots"
    ann.ask("finished_turn")
    ben.ask("finished_turn")
    assert game.state.turn == 1
    assert attendance.awaited(game) == [1, 2]


def test_a_person_who_has_a_bots_name_keeps_it(server: Server, bots: Bots):
    server.store.write(lambda connection: stored_accounts.add(connection, "Bot-1", "theirs", now=1.0))
    assert [player.name for player in begin(server, bots).players] == ["bot-2", "bot-3"]


def test_nobody_can_register_as_a_bot(server: Server):
    answer = server.connect().ask("login", username="Bot-7", password="word")
    assert answer.name == "fail"
    assert "bot-1" in answer.text


@pytest.mark.parametrize("has_account", [False, True], ids=["without account", "with the account of an old version"])
def test_bots_play_on_after_a_restart(server: Server, has_account: bool):
    game = server.create("lots", "bidder", 2, bots=1)
    account = result_of(server.accounts.add("robot", "word")).id if has_account else None
    result_of(server.registry.lobby.take_seat(game, account, "bot-1", bot=True))
    server.player("ann", game="lots")
    again = server.restarted()
    assert attendance.awaited(again.game("lots")) == [0, 1]
    again.start_bots().look_at_all()
    assert attendance.awaited(again.game("lots")) == [1]
    again.stop()


def test_orders_of_a_bot_are_checked_and_journaled_like_all(server: Server, bots: Bots):
    """A refused one is left out; the accepted one is in the journal under the bot's seat, and its turn is finished."""

    def plays(turn: BotTurn[World]) -> None:
        refusal = turn.give(bid(turn, 99))
        assert refusal is not None
        assert refusal.reason == "poor" or "0 to 9" in refusal.text
        assert turn.give(bid(turn, 2)) is None
        assert turn.give(bid(turn, 2)) is not None

    Bidder.plays = plays
    game = begin(server, bots, count=1)
    server.player("ann", game="lots")
    assert [order.args["gold"] for queue in game.state.queues.values() for order in queue] == [2]
    assert game.finished == {0}
    entries = server.store.read(lambda connection: stored_journal.after(connection, game.row.id, 0))
    assert [(entry.kind, entry.seat) for entry in entries[-2:]] == [("insert", 0), ("finished", 0)]


def test_an_order_that_only_the_known_world_accepts_is_left_out(server: Server, bots: Bots):
    """An order that the true world refuses does not keep the bot from finishing its turn."""
    game = server.create("lots", "deluded", 1, bots=1, options={"rounds": 2, "gold": 3})
    bots.look(game)
    assert game.over
    assert game.state.world.won == [0]


def test_an_order_may_end_the_turn(server: Server, bots: Bots):
    """Where a phase ends after each order, nobody else is waited for."""
    game = begin(server, bots, count=1, rules="hasty", rounds=4)
    server.player("ann", game="lots")
    assert game.over


def test_a_bot_sees_its_own_orders_and_nobody_else_s(server: Server, bots: Bots):
    """As they were when it was asked."""
    seen: list[list[int]] = []

    def plays(turn: BotTurn[World]) -> None:
        seen.append([order.seat for order in turn.plan.before])

    Bidder.plays = plays
    game = server.create("lots", "bidder", 2, options={"rounds": 5})
    server.player("ann", game="lots").bid(1)
    server.player("ben", game="lots").bid(2)
    game.players[1].bot = True
    bots.look(game)
    assert seen == [[1]]


def test_chance_is_another_in_each_turn_and_seat(server: Server, bots: Bots):
    drawn: list[int] = []
    Bidder.plays = lambda turn: drawn.append(turn.dice.below(2**32))
    begin(server, bots, rounds=3)
    assert len(set(drawn)) == len(drawn) == 6


@pytest.mark.parametrize("fault", ["raises", "exits", "loops"])
def test_a_bot_that_fails_ends_its_turn_without_orders(
    server: Server, bots: Bots, logged: list[str], monkeypatch: pytest.MonkeyPatch, fault: str
):
    """The game is not suspended, all others play, and the log has it once."""
    monkeypatch.setattr(bots_module, "BOT_SECONDS", 0.02)
    monkeypatch.setattr(WATCHDOG, "_interval", 0.01)

    def plays(turn: BotTurn[World]) -> None:
        turn.give(bid(turn, 1))
        while fault == "loops":
            pass
        raise SystemExit if fault == "exits" else ValueError("confused")

    Bidder.plays = plays
    game = begin(server, bots, rounds=3)
    assert game.over
    assert game.state.world.won == [0, 0]
    assert len([line for line in logged if "lots: the bot of ruleset bidder failed" in line]) == 1


@pytest.mark.parametrize("plays", [None, lambda turn: None], ids=["an order", "none"])
def test_what_a_bot_chose_for_a_turn_that_is_over_is_dropped(server: Server, plays: Any):
    """It is asked again for the new turn, which it has not finished yet."""
    Bidder.plays = plays
    later = Later()
    bots = server.start_bots(later)
    game = begin(server, bots, count=1)
    server.player("ann", game="lots")
    assert len(later.waiting) == 1
    server.close_turn("lots")
    later.work()
    assert (game.state.turn, game.state.queues, game.finished) == (1, {}, set())
    later.work()
    assert game.finished == {0}


def test_bots_of_a_held_game_wait_until_it_is_resumed(server: Server):
    later = Later()
    bots = server.start_bots(later)
    game = begin(server, bots, count=1)
    server.player("ann", game="lots")
    server.registry.suspensions.broke(game, ValueError("broken"), "go on")
    later.work()
    assert (game.finished, later.waiting) == (set(), [])
    result_of(server.registry.control.resume(game))
    later.work()
    assert game.finished == {0}


def test_a_server_that_stops_gives_no_more_orders(server: Server):
    later = Later()
    bots = server.start_bots(later)
    game = begin(server, bots, count=1)
    server.player("ann", game="lots")
    bots.stop()
    later.work()
    assert (game.state.queues, game.finished) == ({}, set())


def test_others_are_served_between_the_orders_of_a_bot(server: Server):
    """After each slice of time, which here every order takes."""
    seconds = count()
    bots = server.start_bots(clock=lambda: float(next(seconds)))

    def plays(turn: BotTurn[World]) -> None:
        for _ in range(3):
            assert turn.give(Order(turn.seat, 2, "Gift", {"to": 3, "coins": [[1, 1]]})) is None

    Bidder.plays = plays
    game = begin(server, bots, count=1)
    server.player("ann", game="lots")
    assert (len(game.state.queues[2]), game.finished) == (1, set())
    server.settle()
    assert (len(game.state.queues[2]), game.finished) == (3, {0})


def test_what_could_not_be_saved_is_done_again(make_server: Callable[..., Server]):
    """The game is read from the store again, and the bot is asked again."""
    server = make_server(delayed=True, found=Rulesets({"bidder": Bidder()}))
    later = Later()
    begin(server, server.start_bots(later), count=1)
    server.player("ann", game="lots")
    server.disk.at_once = False
    later.work()
    assert server.game("lots").finished == {0}
    server.disk.fail()
    server.disk.at_once = True
    assert server.game("lots").finished == set()
    later.work()
    assert server.game("lots").finished == {0}
    assert server.game("lots").saving.all_saved()
