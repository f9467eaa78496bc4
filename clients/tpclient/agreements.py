"""What the players of a game agree on, for people and as data: what is proposed, who has voted how, what I can do."""

from collections.abc import Callable, Sequence
from typing import Any

from tpproto import tp_pb2

from .clocks import own_time
from .columns import listed

OPEN = "open"
AGREE, REFUSE, WITHDRAW = "agree", "refuse", "withdraw"

STATES = {"agreed": "agreed on", "refused": "refused", "withdrawn": "withdrawn", "lapsed": "over, nothing came of it"}
"""What has become of a proposal, in words."""

NameOf = Callable[[int], str]


def proposal_words(one: tp_pb2.Proposal, name_of: NameOf) -> str:
    """A proposal in one line, with who has voted how, whose votes are awaited, and until when."""
    who = name_of(one.player) if one.player else "whoever made the game"
    if one.state != OPEN:
        refused = f" by {listed(map(name_of, one.refusing))}" if one.refusing else ""
        return f"{who} proposed {one.words}: {STATES.get(one.state, one.state)}{refused}"
    agree = f"agreed by {listed(map(name_of, one.agreeing)) or 'nobody'}"
    waiting = f", waits for {listed(map(name_of, one.waiting))}" if one.waiting else ""
    return f"{who} proposes {one.words}: {agree}{waiting}; until {own_time(one.until)}"


def proposal_facts(one: tp_pb2.Proposal, name_of: NameOf) -> dict[str, Any]:
    """A proposal as data; times are unix seconds."""

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
    """Something that can be proposed, in one line: its kind, what it does, and why it cannot be proposed now."""
    asks = ", asks for seconds" if offer.most else ""
    at_once = " (at once)" if offer.alone else ""
    problem = f" - not now: {offer.problem}" if offer.problem else ""
    return f"{offer.kind}: {offer.help}{asks}{at_once}{problem}"


def votable(told: tp_pb2.Proposals, me: int, vote: str) -> list[tp_pb2.Proposal]:
    """The open proposals on which the player `me` can vote so."""
    mine = [one for one in told.proposals if one.state == OPEN and one.player == me]
    if vote == WITHDRAW:
        return mine
    voted = [one.id for one in told.proposals if me in one.agreeing or me in one.refusing]
    return [one for one in told.proposals if one.state == OPEN and one.id not in voted]
