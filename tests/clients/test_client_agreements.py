"""Agreements between players: in the library and at the shell."""

import asyncio
import json
from typing import Any

import pytest

from tests.support.memory_client import MemoryServer, Served
from tpclient.agreements import offer_words, proposal_words, votable
from tpclient.errors import BadArgument, RequestFailed
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP04

NAME = {1: "ann", 2: "ben", 3: "cem"}.__getitem__


def test_a_proposal_in_words() -> None:
    one = tp.Proposal(words="to stop the clock", player=1, state="open", agreeing=[1, 3], waiting=[2])
    assert proposal_words(one, NAME).startswith(
        "ann proposes to stop the clock: agreed by ann, cem, waits for ben; until "
    )
    one = tp.Proposal(words="to stop the clock", player=0, state="refused", refusing=[2])
    assert proposal_words(one, NAME) == "the owner proposed to stop the clock: refused by ben"
    offer = tp.ProposalOffer(kind="extension", help="give this turn more time", most=60, problem="the game is over")
    assert offer_words(offer) == "extension: give this turn more time, asks for seconds - not now: the game is over"


def test_on_which_proposals_a_player_can_vote() -> None:
    told = tp.Proposals()
    told.proposals.add(id=1, player=1, state="open", agreeing=[1])
    told.proposals.add(id=2, player=2, state="open", agreeing=[2])
    told.proposals.add(id=3, player=2, state="refused", refusing=[1])
    assert [one.id for one in votable(told, 1, "agree")] == [2]
    assert [one.id for one in votable(told, 1, "withdraw")] == [1]
    assert [one.id for one in votable(told, 2, "refuse")] == [1]


def test_players_agree_over_the_library(server: MemoryServer) -> None:
    server.create(clock="interval:60")
    ann, _ = server.players(2)
    assert ann

    async def run() -> None:
        connection = server.link(PB)
        await connection.connect()
        await connection.login("ben", "ben's word")
        told = await connection.proposals()
        assert [one.kind for one in told.offers][:3] == ["pause", "resume", "extension"]
        assert "proposed" in await connection.propose(told.game, "extension", 60)
        (one,) = (await connection.proposals("first")).proposals
        assert (one.words, list(one.waiting)) == ("to give this turn 1 minute more", [1])
        assert "withdrawn" in await connection.vote("first", one.id, "withdraw")
        with pytest.raises(RequestFailed):
            await connection.vote("first", one.id, "agree")
        with pytest.raises(BadArgument):
            await server.link(TP04).proposals()

    asyncio.run(run())


def test_players_agree_at_the_shell(owned: Served, shell: Any) -> None:
    """An owner who plays in the game takes part, too."""
    out = shell(owned, "proposals", user="ben@mine", dialect=None)[1]
    assert out.startswith(
        "Nothing is proposed.\nTo be proposed with --propose:\n  pause: stop the clock; orders are still"
    )
    out = shell(owned, "proposals", "--propose", "extension", "--seconds", "600", user="ben@mine", dialect=None)[1]
    assert out.startswith("You have proposed to give this turn 10 minutes more, and all players are notified;")
    assert (
        "\n  1  ben (you) proposes to give this turn 10 minutes more: agreed by ben (you), waits for ann; until " in out
    )
    out = shell(owned, "proposals", "--agree", "1", user="ann@mine", dialect=None)[1]
    assert out.startswith("This turn has more time, and all players are notified.\n")
    assert "\n  1  ben proposed to give this turn 10 minutes more: agreed on\n" in out
    assert "pause: stop the clock; orders are still taken\n" in out
    facts = json.loads(shell(owned, "proposals", "--propose", "pause", "--json", user="ann@mine", dialect=None)[1])
    assert facts["said"].startswith("You have proposed to stop the clock, and all players are notified;")
    assert facts["proposals"][0]["agreeing"] == [{"player": 1, "name": "ann (you)"}]
    code, _, err = shell(owned, "proposals", "--refuse", "1", user="ben@mine", dialect=None)
    assert (code, "already agreed on" in err) == (3, True)
    assert shell(owned, "proposals", "--seconds", "60", user="ben@mine", dialect=None)[0] == 2
