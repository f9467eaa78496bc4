"""Requests about agreements: proposals, proposing and voting."""

from __future__ import annotations

from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tprules.api.bots import has_bot
from tprules.printable import quoted
from tpserver.games.core.errors import GameError
from tpserver.games.core.events import NoticeQueued
from tpserver.games.core.game import Game
from tpserver.games.seats.proposals import ABORT, CLOCK, NUDGE, REMOVE, SEATS, newest_first, words_of
from tpserver.games.service.moderation import reason_of
from tpserver.games.terms.delay import is_shown_later
from tpserver.games.terms.seat_policy import BadPolicy, stored
from tpserver.requests.entry.login import saved
from tpserver.requests.lobby.clocks import clock_for_players
from tpserver.requests.lobby.game_setup import row_of
from tpserver.requests.lobby.seats import policy_of
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.responses import Answer, Frames, okay
from tpserver.requests.session.session import Session
from tpserver.store.games.proposals import Proposal
from tpserver.store.people.accounts import Account

PROPOSALS = BY_NAME["proposals"].number

MOST_ENDED = 20
"""Maximum ended proposals in a Proposals frame."""


@handles("get_proposals")
def get_proposals(session: Session, message: tp.GetProposals) -> Frames:
    """Return the proposals of a game, and those that the account can make.

    In a delayed game only the players and the owner see current proposals. The result must be durable. Raises
    RequestError, GameError, and NotAdmitted for a game that is closed to the account.
    """
    registry = session.host.registry
    game = registry.with_id(row_of(session, message.game).id)
    told = tp.Proposals(game=game.name)
    if _is_shown(session, game):
        _tell(session, game, told)
    for offer in registry.agreements.offers(game, _account(session)):
        told.offers.add(
            kind=offer.kind,
            help=offer.help,
            alone=offer.alone,
            problem=game.text(offer.problem),
            most=offer.most,
            final=offer.final,
            asks=offer.asks,
        )
    frames = iter([session.payload(PROPOSALS, told)])
    return Frames(session.dialect, 1, frames, settled=lambda: saved([game]))


def _is_shown(session: Session, game: Game) -> bool:
    account = _account(session)
    return not is_shown_later(game.row) or game.seat_of(account.id) is not None or session.owns(game.row.id, account)


def _tell(session: Session, game: Game, told: tp.Proposals) -> None:
    """Add the proposals and the vacations of players to the response."""
    told.proposals.extend(_told(session, game, one) for one in newest_first(game.proposals, MOST_ENDED))
    now = session.host.registry.now()
    for player in game.players if game.clock.vacation and not game.over else ():
        for one in player.vacations if player.seat not in game.resigned else ():
            if one.ends > max(now, one.begins):
                told.vacations.add(player=player.seat + 1, begins=int(one.begins), ends=int(one.ends))


@handles("propose")
async def propose(session: Session, message: tp.Propose) -> Answer:
    """Make a proposal to the players of a game. Raises GameError, NotNow, NoSay, RequestError."""
    game = _game(session, message.game)
    refusals.check_turn(message, game.state.turn)
    agreements = session.host.registry.agreements
    arguments = _arguments(session, game, message)
    words = await agreements.propose(game, message.kind, message.seconds, _account(session), arguments)
    if message.kind == NUDGE:
        session.host.registry.bus.publish(NoticeQueued())
    return [okay(session.dialect, words)]


def _arguments(session: Session, game: Game, message: tp.Propose) -> dict[str, Any] | None:
    """Return the arguments of a proposal in their stored form, None for a kind without any. Raises GameError."""
    if message.kind == CLOCK:
        clock = clock_for_players(message.clock)
        session.host.registry.clock_changes.check_clock(game, clock)
        return {"clock": str(clock)}
    if message.kind == SEATS:
        policy = policy_of(message.policy, game.policy)
        try:
            policy.check(has_bot(game.rules))
        except BadPolicy as error:
            raise GameError(str(error)) from None
        return {"policy": stored(policy)}
    if message.kind == REMOVE:
        there = None if game.hides_seats else game.player(message.player)
        if there is None or there.record.seeks:
            raise GameError(f"the game {game.name!r} has no player {message.player} who could be removed")
        return {"seat": there.seat}
    return {"reason": reason_of(message.reason)} if message.kind == ABORT else None


@handles("vote")
async def vote(session: Session, message: tp.Vote) -> Answer:
    """Agree to a proposal, refuse it, or withdraw an own one. Raises GameError, NotNow, NoSay."""
    game = _game(session, message.game)
    words = await session.host.registry.agreements.vote(game, message.id, message.vote, _account(session))
    return [okay(session.dialect, words)]


def _game(session: Session, name: str) -> Game:
    """Return the game of this name. Raises GameError."""
    registry = session.host.registry
    row = registry.directory.row_named(name)
    if row is None:
        raise GameError(f"there is no game {quoted(name)}")
    return registry.with_id(row.id)


def _told(session: Session, game: Game, proposal: Proposal) -> tp.Proposal:
    waiting = session.host.registry.agreements.awaited(game, proposal)
    return tp.Proposal(
        id=proposal.number,
        kind=proposal.kind,
        words=game.text(words_of(proposal)),
        player=0 if proposal.seat is None else proposal.seat + 1,
        state=proposal.state,
        made=int(proposal.made),
        until=int(proposal.until),
        agreeing=[seat + 1 for seat in proposal.agreeing],
        refusing=[seat + 1 for seat in proposal.refusing],
        waiting=[seat + 1 for seat in waiting],
        turn=proposal.turn,
    )


def _account(session: Session) -> Account:
    """Return the account of a session with a login."""
    assert session.account is not None
    return session.account
