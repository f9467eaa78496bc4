"""The last closing is taken back if it has revealed nothing.

The players agree on it, or a game master does it alone.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_games.auction import Auction

from tests.requests.test_create_game import make
from tests.support.server_in_memory import Client, Server, state_of
from tprules.api import Turn
from tpserver.games.core import phases
from tpserver.games.stored.replay import ReplayError, read_recorded, run_again
from tpserver.rules.discovery import Rulesets
from tpserver.store.games import snapshots as stored_snapshots

TEMPORARILY, DENIED = 3, 5


def sell_openly(turn: Turn[Any]) -> None:
    """Sell to the first seat that has bid, with dice in the hand that are drawn only of a bid of 1."""
    dice, orders = turn.dice("tie"), turn.orders()
    turn.queues.clear()
    turn.world.round += 1
    for order in orders[:1]:
        turn.world.won[order.seat] += 1
        if order.args["gold"] == 1:
            dice.roll()


class Open(Auction):
    """Auctions in which a closing reveals nothing, unless it draws dice."""

    name = "open"
    version = 1
    phases = tuple(replace(phase, stages=(sell_openly,), reveals_nothing=True) for phase in Auction.phases)


FOUND = Rulesets({"auction": Auction(), "open": Open()})


@pytest.fixture
def server(make_server: Any) -> Server:
    made: Server = make_server(found=FOUND)
    return made


def table(server: Server, ruleset: str = "open", **more: Any) -> list[Client]:
    server.create(ruleset=ruleset, clock="interval:3600", **more)
    return server.players(2, "pb")


def propose(client: Client, game: str = "first") -> Any:
    return client.ask("propose", game=game, kind="take-back")


def agree(client: Client, number: int = 1) -> Any:
    return client.ask("vote", game="first", id=number, vote="agree")


def finish(*clients: Client) -> None:
    for client in clients:
        assert client.ask("finished_turn").name == "okay"


def told(client: Client, subject: str) -> list[str]:
    return [message.body for message in client.messages() if message.subject == subject]


def world(server: Server, turn: int) -> Any:
    """The world with which a turn began."""
    found = server.store.read(stored_snapshots.by_turn, server.game().row.id, turn)
    assert found is not None
    return found.state["world"]


def replayed(server: Server, game: str = "first") -> str:
    return run_again(*server.store.read(read_recorded, game, server.found)).done


def test_the_last_turn_is_played_again_as_a_new_one(server: Server, tmp_path: Path):
    """Its sale is undone, all are notified, and the journal leads to the same digests, also after a crash."""
    ann, ben = table(server)
    finish(ann, ben)
    ann.bid(3)
    finish(ann, ben)
    game = server.game()
    assert (game.state.turn, game.can_go_back) == (2, True)
    assert world(server, 2) != world(server, 1)
    propose(ann)
    stamp = game.state.stamp
    assert agree(ben).text == "The last turn is taken back, and all players are notified"
    game = server.game()
    assert (game.state.turn, game.row.turn, game.row.state) == (3, 3, "running")
    assert world(server, 3) == world(server, 1)
    assert ann.queue(ann.home) == []
    assert game.state.stamp >= stamp > 0  # no order ever gets the stamp of another one
    assert told(ben, "A turn is taken back") == [
        "An agreement of the players has taken back turn 1; it is played again as turn 3."
    ]
    assert propose(ben).code == TEMPORARILY
    ben.bid(2)
    finish(ann, ben)
    assert server.game().state.turn == 4
    assert world(server, 4) != world(server, 2)
    assert "every digest is the same" in replayed(server)
    server = server.crashed(tmp_path / "copy.sqlite")
    assert server.game().can_go_back
    ann, ben = server.players(2, "pb")
    propose(ann), agree(ben, 2)
    assert server.game().state.turn == 5
    assert "every digest is the same" in replayed(server)
    server.stop()


def test_a_game_master_does_so_alone_and_an_owner_who_plays_does_not(server: Server):
    """Else the owner would take back the turn that the opponent has just played."""
    ann = server.connect("pb")
    ann.ask("create_account", username="ann", password="ann's word")
    ann.ask("login_account", username="ann", password="ann's word")
    assert make(ann, "mine", "open", clock="interval:3600", master=True).name == "okay"
    ben, cem = (server.player(name, "pb", "mine") for name in ("ben", "cem"))
    finish(ben, cem)
    assert propose(ann, "mine").text == "The last turn is taken back, and all players are notified"
    assert server.game("mine").state.turn == 2
    server.pass_time(60)
    owner = server.connect("pb")
    owner.ask("login_account", username="ann", password="ann's word")
    assert make(owner, "own", "open", clock="interval:3600").name == "okay"
    other = server.player("ben", "pb", "own")
    owner.ask("enter_game", game="own")
    finish(owner, other)
    assert propose(owner, "own").text.startswith("You have proposed to take back the last turn")
    assert server.game("own").state.turn == 1
    assert other.ask("vote", game="own", id=1, vote="refuse").name == "okay"
    assert told(ben, "A turn is taken back") == ["ann has taken back turn 0; it is played again as turn 2."]
    assert "every digest is the same" in replayed(server, "mine")


def test_what_has_revealed_something_is_not_taken_back(server: Server):
    """As in all games whose rules do not say otherwise, and before anything was closed."""
    ann, ben = table(server, "auction")
    finish(ann, ben)
    before = state_of(server.game())
    refused = propose(ann)
    assert refused.code == TEMPORARILY
    assert "revealed hidden things" in refused.text
    assert state_of(server.game()) == before
    server.create("third", "open")
    eve, fay = (server.player(name, "pb", "third") for name in ("eve", "fay"))
    eve.bid(1)
    finish(eve, fay)
    assert propose(eve, "third").code == TEMPORARILY  # dice were drawn
    server.create("second", "open")
    cem = server.player("cem", "pb", "second")
    server.player("dan", "pb", "second")
    assert propose(cem, "second").code == TEMPORARILY


def test_a_proposal_to_take_a_turn_back_lapses_with_the_next_one(server: Server):
    ann, ben = table(server)
    finish(ann, ben)
    propose(ann)
    finish(ann, ben)
    states = [one.state for one in ann.ask("get_proposals", game="first").message.proposals]
    assert states == ["lapsed"]
    assert server.game().state.turn == 2


def test_a_turn_that_cannot_be_saved_is_not_taken_back(make_server: Any):
    server = make_server(found=FOUND, delayed=True)
    ann, ben = table(server)
    finish(ann, ben)
    propose(ann)
    server.disk.at_once = False
    asked = ben.post("vote", game="first", id=1, vote="agree")
    server.disk.fail()
    assert asked.reply.code == TEMPORARILY
    server.disk.at_once = True
    server.pass_time(11)
    assert (server.game().state.turn, server.game().can_go_back) == (1, True)


def test_a_journal_that_takes_back_another_turn_is_found_out(server: Server):
    """The digest of the turn is that of another world."""
    ann, ben = table(server)
    ann.bid(3)
    finish(ann, ben)
    propose(ann), agree(ben)
    changed = "UPDATE journal SET body = replace(body, '\"back\"', '\"forth\"') WHERE kind = 'close'"
    server.store.write(lambda c: c.exec_driver_sql(changed))
    with pytest.raises(ReplayError, match="turn 2 differs"):
        replayed(server)


def test_in_swarm_a_move_is_taken_back_unless_dice_were_rolled_after_it(make_server: Any):
    """Each closing of a game is looked at: dice are drawn as a round begins, and then nothing can be taken back."""
    server = make_server()
    ann, ben = table(server, "swarm")
    found = set()
    for _ in range(12):
        game, turn = server.game(), server.game().state.turn
        (seat,) = phases.active(game)
        before = game.state.world.round
        finish((ann, ben)[seat])
        server.settle()
        game = server.game()
        if game.state.turn == turn or game.over:
            break
        found.add((game.state.world.round != before, game.can_go_back))
    assert (True, True) not in found
    assert (False, True) in found
