"""Requests about what the players of a game agree on: what is proposed, proposing, and voting."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tprules.printable import quoted
from tpserver.games.agreements import NUDGE, newest_first, words_of
from tpserver.games.delay import is_shown_later
from tpserver.games.game import Game, GameError
from tpserver.requests.game_setup import row_of
from tpserver.requests.login import saved
from tpserver.requests.responses import Frames, okay
from tpserver.requests.session import Answer, Session
from tpserver.store.accounts import Account
from tpserver.store.proposals import Proposal

PROPOSALS = BY_NAME["proposals"].number

MOST_ENDED = 20
"""Maximum proposals that have ended, per Proposals frame."""


def get_proposals(session: Session, message: tp.GetProposals) -> Frames:
    """Return what the players of a game have proposed to each other, and what the account can propose.

    Of a game that is shown later, what is proposed now is for its players and whoever has made it.
    Raises Refused, GameError, and NotAdmitted of a game for others.  What is told must be durable.
    """
    registry = session.host.registry
    game = registry.with_id(row_of(session, message.game, "GetProposals").id)
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
        )
    frames = iter([session.payload(PROPOSALS, told)])
    return Frames(session.dialect, 1, frames, settled=lambda: saved([game]))


def _is_shown(session: Session, game: Game) -> bool:
    account = _account(session)
    return not is_shown_later(game.row) or game.seat_of(account.id) is not None or session.owns(game.row.id, account)


def _tell(session: Session, game: Game, told: tp.Proposals) -> None:
    """Tell what is proposed, and who is on vacation."""
    told.proposals.extend(_told(session, game, one) for one in newest_first(game.proposals, MOST_ENDED))
    now = session.host.registry.now()
    for player in game.players if game.clock.vacation and not game.over else ():
        for one in player.vacations if player.seat not in game.resigned else ():
            if one.ends > max(now, one.begins):
                told.vacations.add(player=player.seat + 1, begins=int(one.begins), ends=int(one.ends))


async def propose(session: Session, message: tp.Propose) -> Answer:
    """Propose something to the players of a game.  Raises GameError, NotNow, NoSay."""
    game = _game(session, message.game)
    agreements = session.host.registry.agreements
    words = await agreements.propose(game, message.kind, message.seconds, _account(session))
    if message.kind == NUDGE:
        session.host.notices.changed()
    return [okay(session.dialect, words)]


async def vote(session: Session, message: tp.Vote) -> Answer:
    """Agree to a proposal, refuse it, or withdraw one's own.  Raises GameError, NotNow, NoSay."""
    game = _game(session, message.game)
    words = await session.host.registry.agreements.vote(game, message.id, message.vote, _account(session))
    return [okay(session.dialect, words)]


def _game(session: Session, name: str) -> Game:
    """Return the game of this name.  Raises GameError."""
    registry = session.host.registry
    row = registry.row_named(name)
    if row is None:
        raise GameError(f"there is no game {quoted(name)}")
    return registry.with_id(row.id)


def _told(session: Session, game: Game, proposal: Proposal) -> tp.Proposal:
    waiting = session.host.registry.agreements.awaited(game, proposal)
    return tp.Proposal(
        id=proposal.number,
        kind=proposal.kind,
        words=words_of(proposal),
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
    """Return the account of a session that is logged in."""
    assert session.account is not None
    return session.account
