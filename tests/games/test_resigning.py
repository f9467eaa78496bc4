"""Resignations and agreed draws: effects on turns, end and journal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_games.auction import Auction

from tests.support.server_in_memory import Client, Server, result_of, state_of
from tprules.api import Outcome
from tpserver.games.core import attendance, phases
from tpserver.games.core.game import RESIGN
from tpserver.games.stored.replay import read_recorded, run_again
from tpserver.rules.discovery import Rulesets
from tpserver.store.games import proposals as stored_proposals
from tpserver.store.games.proposals import AGREED, Proposal

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 2, 3, 4, 5


def propose(client: Client, kind: str, **more: Any) -> Any:
    return client.ask("propose", game="first", kind=kind, **more)


def vote(client: Client, word: str, number: int = 1) -> Any:
    return client.ask("vote", game="first", id=number, vote=word)


def table(server: Server, seats: int = 3, ruleset: str = "auction") -> list[Client]:
    server.create(ruleset=ruleset, seats=seats, clock="interval:3600")
    return server.players(seats, "pb")


def told(client: Client, subject: str) -> list[str]:
    return [message.body for message in client.messages() if message.subject == subject]


def replayed(server: Server) -> str:
    """Run the game again from its journal, which must lead to the same digests."""
    return run_again(*server.store.read(read_recorded, "first", server.found)).done


# --- resigning --------------------------------------------------------------------------------------------------------


def test_nobody_waits_for_who_has_resigned(server: Server):
    """The turn closes as soon as the others have finished, now and after each restart. All are notified."""
    ann, ben, cem = table(server)
    old = server.player("cem", "tp04")
    ben.ask("finished_turn"), cem.ask("finished_turn")
    assert propose(ann, "resign").text == "You have resigned, and all players are notified"
    server.settle()
    assert server.game().state.turn == 1
    assert told(old, "A player has resigned") == ["ann has resigned. The game no longer waits for ann."]
    server = server.restarted()
    ben, cem = (server.player(name, "pb") for name in ("ben", "cem"))
    assert list(ben.ask("get_time_remaining").message.waiting) == [2, 3]
    ben.ask("finished_turn"), cem.ask("finished_turn")
    assert server.game().state.turn == 2
    assert server.game().row.state == "running"
    assert "every digest is the same" in replayed(server)


def test_who_has_resigned_gives_no_orders_and_has_no_say(server: Server):
    """Earlier orders count. The game can still be viewed."""
    ann, ben, _ = table(server)
    assert ann.bid(1).name == "order"
    propose(ben, "pause")
    propose(ann, "resign")
    before = state_of(server.game())
    assert ann.bid(2).code == DENIED
    assert ann.ask("remove_order", id=ann.home, slots=[0]).code == DENIED
    assert ann.ask("get_legal_orders").code == DENIED
    assert propose(ann, "extension", seconds=60).code == DENIED
    assert propose(ann, "resign").code == DENIED
    assert vote(ann, "agree").code == DENIED
    assert state_of(server.game()) == before
    assert len(ann.queue(ann.home)) == 1
    (one, _) = sorted(ben.ask("get_proposals", game="first").message.proposals, key=lambda one: one.id)
    assert list(one.waiting) == [3]
    assert len(ann.ask("get_proposals", game="first").message.offers) == 0


def test_the_last_who_is_left_wins(server: Server):
    ann, ben, cem = table(server)
    propose(ann, "resign")
    assert server.game().row.state == "running"
    propose(cem, "resign")
    game = server.game()
    assert (game.row.state, game.row.turn, phases.title(game)) == ("over", 1, "Game over: ben won")
    assert game.outcome is not None
    assert dict(game.outcome.places) == {0: 2, 1: 1, 2: 2}
    assert told(ben, "Nobody is left to play with") == ["All others have resigned."]
    assert told(ben, "Game over")[0].startswith("1. ben")
    assert propose(ben, "resign").code == PERMANENTLY
    assert "every digest is the same" in replayed(server)
    server = server.restarted()
    assert phases.title(server.game()) == "Game over: ben won"


def test_a_game_that_only_bots_go_on_with_is_over(server: Server):
    server.create(seats=3, clock="interval:3600")
    ann = server.player("ann", "pb")
    for name in ("robot", "android"):
        result_of(server.registry.lobby.take_seat(server.game(), None, name, bot=True))
    assert server.game().row.state == "running"
    propose(ann, "resign")
    game = server.game()
    assert game.row.state == "over"
    assert game.outcome is not None
    assert dict(game.outcome.places) == {0: 3, 1: 1, 2: 1}


def test_who_has_resigned_comes_last_whatever_the_rules_say(server: Server):
    """The winner of the auction has won the most lots, as ann has before she leaves."""
    server.create(seats=3, options={"rounds": 1}, clock="interval:3600")
    ann, ben, cem = server.players(3, "pb")
    ann.bid(5)
    propose(ann, "resign")
    ben.ask("finished_turn"), cem.ask("finished_turn")
    server.settle()
    game = server.game()
    assert game.row.state == "over"
    assert game.outcome is not None
    assert game.outcome.places[0] == 3
    assert 1 in (game.outcome.places[1], game.outcome.places[2])
    assert "every digest is the same" in replayed(server)


def test_resigning_is_possible_while_the_game_is_paused_and_not_before_it_starts(server: Server):
    server.create(seats=3, clock="interval:3600")
    ann = server.player("ann", "pb")
    assert propose(ann, "resign").code == TEMPORARILY
    ben, cem = server.player("ben", "pb"), server.player("cem", "pb")
    server.undergo("pause")
    ben.ask("finished_turn"), cem.ask("finished_turn")
    assert propose(ann, "resign").name == "okay"
    server.settle()
    assert server.game().state.turn == 0
    server.undergo("resume")
    assert server.game().state.turn == 1


def test_a_resignation_outlives_a_crash_before_the_end_that_it_brings(server: Server, tmp_path: Path):
    """The server ends after the resignation is durable, and before the game is over; the next one ends it."""
    table(server, 2)
    game = server.game()
    resigned = Proposal(game.row.id, 1, RESIGN, 0, 0, 0, server.now(), server.now(), AGREED)
    result_of(server.store.write(stored_proposals.put, resigned))
    server = server.crashed(tmp_path / "crashed.sqlite")
    assert phases.title(server.game()) == "Game over: ben won"


class OneByOne(Auction):
    """Auctions in which one seat after the other has a turn."""

    name = "one_by_one"
    version = 1
    phases = tuple(replace(phase, active=lambda world: (world.round % len(world.gold),)) for phase in Auction.phases)


def test_a_turn_of_the_resigned_alone_closes_by_itself(make_server: Any):
    server = make_server(found=Rulesets({"one_by_one": OneByOne()}))
    ann, ben, cem = table(server, ruleset="one_by_one")
    propose(cem, "resign")
    ann.ask("finished_turn")
    ben.ask("finished_turn")
    server.settle()
    assert (server.game().state.turn, attendance.awaited(server.game())) == (3, [0])
    assert "every digest is the same" in replayed(server)


class Stubborn(Auction):
    """Auctions whose rules say themselves how they end when somebody resigns, or fail to."""

    name = "stubborn"
    version = 1
    says: Any = None

    def early_outcome(self, world: Any, seats: int, resigned: Any, is_draw: bool) -> Any:
        if self.says is not None:
            return self.says()
        return super().early_outcome(world, seats, resigned, True)


def test_rules_may_end_a_game_at_the_first_resignation(make_server: Any):
    server = make_server(found=Rulesets({"stubborn": Stubborn()}))
    ann, *_ = table(server, ruleset="stubborn")
    propose(ann, "resign")
    game = server.game()
    assert game.row.state == "over"
    assert game.outcome is not None
    assert dict(game.outcome.places) == {0: 3, 1: 1, 2: 1}


def fail() -> None:
    raise RuntimeError("as if a rule had failed")


@pytest.mark.parametrize("says", [fail, lambda: Outcome({0: 1}, "?"), lambda: Outcome({0: 2, 1: 2, 2: 2}, "?")])
def test_rules_that_fail_at_a_resignation_lose_nothing(make_server: Any, says: Any):
    rules = Stubborn()
    server = make_server(found=Rulesets({"stubborn": rules}))
    ann, ben, cem = table(server, ruleset="stubborn")
    rules.says = says
    assert propose(ann, "resign").name == "okay"
    assert server.game().row.state == "running"
    ben.ask("finished_turn"), cem.ask("finished_turn")
    assert server.game().state.turn == 1


# --- a draw -----------------------------------------------------------------------------------------------------------


def test_a_draw_that_all_agree_on_ends_the_game(server: Server):
    ann, ben, cem = table(server)
    propose(ann, "draw"), vote(ben, "agree")
    assert server.game().row.state == "running"
    assert vote(cem, "agree").text == "The game has ended in a draw, and all players are notified"
    game = server.game()
    assert (game.row.state, phases.title(game)) == ("over", "Game over: a draw")
    assert game.outcome is not None
    assert dict(game.outcome.places) == {0: 1, 1: 1, 2: 1}
    assert told(ann, "A draw") == ["An agreement of the players ends the game in a draw."]
    states = [(one.kind, one.state) for one in ann.ask("get_proposals", game="first").message.proposals]
    assert states == [("draw", "agreed")]
    assert "every digest is the same" in replayed(server)
    server = server.restarted()
    assert phases.title(server.game()) == "Game over: a draw"
    assert [(one.kind, one.state) for one in server.game().proposals] == [("draw", "agreed")]


def test_rules_may_allow_no_agreed_draw(make_server: Any):
    rules = Stubborn()
    rules.says = lambda: None
    server = make_server(found=Rulesets({"stubborn": rules}))
    ann, ben, cem = table(server, ruleset="stubborn")
    propose(ann, "draw"), vote(ben, "agree")
    assert "do not allow an agreed draw" in vote(cem, "agree").text
    assert server.game().row.state == "running"


def test_a_draw_leaves_out_who_has_resigned(server: Server):
    ann, ben, cem = table(server)
    propose(cem, "resign")
    propose(ann, "draw"), vote(ben, "agree", 2)
    game = server.game()
    assert game.outcome is not None
    assert dict(game.outcome.places) == {0: 1, 1: 1, 2: 3}
    assert phases.title(game) == "Game over: ann and ben won"


def test_nobody_agrees_on_a_draw_with_himself(server: Server):
    """A single present player waits for another. An absent player may return and agree."""
    ann, ben = table(server, 2)
    ann.ask("finished_turn")
    server.pass_time(3600)
    assert propose(ann, "draw").text.startswith("You have proposed a draw")
    assert server.game().row.state == "running"
    assert vote(ben, "agree").text == "The game has ended in a draw, and all players are notified"


def test_what_the_resigned_have_proposed_lapses_and_their_votes_count_no_more(server: Server):
    ann, ben, cem = table(server)
    propose(ann, "draw"), propose(ben, "pause")
    vote(cem, "agree", 2)
    propose(ann, "resign")
    found = {one.kind: one for one in ben.ask("get_proposals", game="first").message.proposals}
    assert {kind: one.state for kind, one in found.items()} == {"draw": "lapsed", "pause": "agreed", "resign": "agreed"}
    assert told(ben, "A proposal is over")[-1].endswith("the player who proposed it has resigned.")


def test_a_vote_of_who_has_left_makes_no_draw(server: Server):
    """The vote of ben, who has resigned, does not count. As dan has missed the last turn, ann stands alone."""
    ann, ben, cem, dan = table(server, 4)
    for client in (ann, ben, cem):
        client.ask("finished_turn")
    server.pass_time(3600)
    assert not attendance.is_asked(server.game(), 3)
    propose(ann, "draw"), vote(ben, "agree")
    propose(ben, "resign")
    propose(cem, "resign")
    server.settle()
    assert server.game().row.state == "running"
    assert vote(dan, "agree").text == "The game has ended in a draw, and all players are notified"


def test_a_draw_that_cannot_be_saved_has_not_happened(make_server: Any):
    server = make_server(delayed=True)
    ann, ben = table(server, 2)
    propose(ann, "draw")
    server.disk.at_once = False
    asked = ben.post("vote", game="first", id=1, vote="agree")
    assert not asked.came
    server.disk.fail()
    assert asked.reply.code == TEMPORARILY
    server.disk.at_once = True
    server.pass_time(11)
    assert server.game().row.state == "running"
    assert [(one.kind, one.state) for one in server.game().proposals] == [("draw", "open")]


@pytest.mark.parametrize("ruleset", ["tae", "antshouse", "swarm", "colony_battle", "taller_ants"])
def test_every_game_ends_by_draw_and_by_resignation_and_runs_again_to_the_same(server: Server, ruleset: str):
    server.create(ruleset=ruleset, seats=2, clock="interval:3600")
    ann, ben = server.players(2, "pb")
    ann.ask("finished_turn"), ben.ask("finished_turn")
    propose(ann, "draw"), vote(ben, "agree")
    assert phases.title(server.game()) == "Game over: a draw"
    assert "every digest is the same" in replayed(server)
    server.create("second", ruleset=ruleset, seats=2, clock="interval:3600")
    ann, ben = server.players(2, "pb", game="second")
    assert ann.ask("propose", game="second", kind="resign").name == "okay"
    assert phases.title(server.game("second")) == "Game over: ben won"
    assert "every digest is the same" in run_again(*server.store.read(read_recorded, "second", server.found)).done
