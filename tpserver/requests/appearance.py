"""The requests for what a game looks like, and for how all stand in it."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpserver.requests.manuals import named_rules
from tpserver.requests.session import Answer, Session
from tpserver.rules.appearances import appearance_of

APPEARANCE, STANDING = BY_NAME["appearance"].number, BY_NAME["standing"].number


def get_appearance(session: Session, message: tp.GetAppearance) -> Answer:
    """Return what a ruleset looks like.  Raises Refused for one that is not there."""
    return [session.payload(APPEARANCE, appearance_of(named_rules(session, message.ruleset, "GetAppearance")))]


def get_standing(session: Session, message: tp.GetStanding) -> Answer:
    """Return how all stand in the turn that the connection is in, as the player or spectator may know it."""
    game, seat = session.seeing("GetStanding"), session.seat
    standing, actions = game.standing(seat), None if seat is None else game.actions(seat)
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
