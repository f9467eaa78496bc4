"""Proposals of the players of a game and their votes, as text and as data."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from tpclient.clocks import own_time
from tpclient.columns import listed
from tpclient.errors import RequestFailed
from tpproto import tp_pb2
from tpproto.errors import FailCode

OPEN = "open"
AGREE, REFUSE, WITHDRAW = "agree", "refuse", "withdraw"

STATES = {"agreed": "agreed on", "refused": "refused", "withdrawn": "withdrawn", "lapsed": "over, nothing came of it"}
"""States of a proposal, in words."""

SEATS = "seats"
"""The kind of a proposal about absent players."""

CLOCK, POLICY, PLAYER, REASON = "clock", "policy", "player", "reason"
"""Values of `ProposalOffer.asks`: the argument of a kind of proposal."""

ASKED = {CLOCK: "a clock", POLICY: "a policy", PLAYER: "a player", REASON: "a reason"}
"""Values of `ProposalOffer.asks`, in words."""


class Proposing(Protocol):
    """A connection, or an object that sends requests through one."""

    def propose(self, game: str, kind: str, seconds: int = 0, **arguments: Any) -> Awaitable[str]: ...


async def or_proposed(asked: Awaitable[str], by: Proposing, game: str, kind: str, **arguments: Any) -> str:
    """Return the server's text on a change by the owner of a game. If others have to agree, propose it."""
    try:
        return await asked
    except RequestFailed as refusal:
        if refusal.code != FailCode.NEEDS_CONSENT:
            raise
    return await by.propose(game, kind, **arguments)


NameOf = Callable[[int], str]


def proposal_words(one: tp_pb2.Proposal, name_of: NameOf) -> str:
    """Return a proposal in one line.

    With its votes, the awaited voters, and its end.
    """
    who = name_of(one.player) if one.player else "the owner"
    if one.state != OPEN:
        refused = f" by {listed(map(name_of, one.refusing))}" if one.refusing else ""
        return f"{who} proposed {one.words}: {STATES.get(one.state, one.state)}{refused}"
    agree = f"agreed by {listed(map(name_of, one.agreeing)) or 'nobody'}"
    waiting = f", waits for {listed(map(name_of, one.waiting))}" if one.waiting else ""
    return f"{who} proposes {one.words}: {agree}{waiting}; until {own_time(one.until)}"


def proposal_facts(one: tp_pb2.Proposal, name_of: NameOf) -> dict[str, Any]:
    """Return a proposal as data. Times are unix seconds."""

    def people(numbers: Sequence[int]) -> list[dict[str, Any]]:
        return [{"player": number, "name": name_of(number)} for number in numbers]

    return {
        "id": one.id,
        "kind": one.kind,
        "words": one.words,
        "player": one.player,
        "state": one.state,
        "turn": one.turn,
        "made": one.made,
        "until": one.until,
        "agreeing": people(one.agreeing),
        "refusing": people(one.refusing),
        "waiting": people(one.waiting),
    }


def offer_words(offer: tp_pb2.ProposalOffer) -> str:
    """Return a kind of proposal as one line: its name, its effect, and why it is not possible now."""
    wanted = "seconds" if offer.most else ASKED.get(offer.asks, offer.asks)
    asks = f", asks for {wanted}" if wanted else ""
    at_once = " (at once)" if offer.alone else ""
    problem = f" - not now: {offer.problem}" if offer.problem else ""
    return f"{offer.kind}: {offer.help}{asks}{at_once}{problem}"


def votable(told: tp_pb2.Proposals, me: int, vote: str) -> list[tp_pb2.Proposal]:
    """Return the open proposals on which the player `me` can give this vote."""
    mine = [one for one in told.proposals if one.state == OPEN and one.player == me]
    if vote == WITHDRAW:
        return mine
    voted = [one.id for one in told.proposals if me in one.agreeing or me in one.refusing]
    return [one for one in told.proposals if one.state == OPEN and one.id not in voted]
