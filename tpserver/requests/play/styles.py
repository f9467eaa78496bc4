"""Requests for the appearance of a ruleset, and for the current scores."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpserver.games.core import current_scores
from tpserver.requests.play.manuals import named_rules
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.responses import Answer
from tpserver.requests.session.session import Session
from tpserver.rules.appearances import appearance_of

APPEARANCE, STANDING = BY_NAME["appearance"].number, BY_NAME["standing"].number


@handles("get_appearance")
def get_appearance(session: Session, message: tp.GetAppearance) -> Answer:
    """Return the appearance of a ruleset. Raises RequestError for an unknown ruleset."""
    return [session.payload(APPEARANCE, appearance_of(named_rules(session, message.ruleset)))]


@handles("get_standing")
def get_standing(session: Session, message: tp.GetStanding) -> Answer:
    """Return the scores and regions of the connection's turn that the player or spectator may see."""
    game, seat = session.seeing(), session.seat
    standing, actions = (
        current_scores.standing(game, seat),
        None if seat is None else current_scores.actions(game, seat),
    )
    told = tp.Standing(turn=game.state.turn)
    for one, figures in sorted(standing.scores.items()):
        rows = [tp.Figure(name=game.text(name), number=number) for name, number in figures.items()]
        told.scores.append(tp.PlayerScore(id=one + 1, figures=rows))
    for region in standing.regions:
        owner = 0 if region.owner is None else region.owner + 1
        told.regions.append(tp.Region(ids=region.places, owner=owner, name=game.text(region.name)))
    if actions is not None:
        told.counts_actions, (told.actions_used, told.actions) = True, actions
    return [session.payload(STANDING, told)]
