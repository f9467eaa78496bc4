"""Requests about what is written in a game."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpserver.games.press import WORDS, press_of
from tpserver.requests.game_setup import row_of
from tpserver.requests.session import Answer, Session

TALK = BY_NAME["talk"].number


def get_talk(session: Session, message: tp.GetTalk) -> Answer:
    """Return what can be written in a game.  Raises Refused, GameError, and NotAdmitted of a game for others."""
    row = row_of(session, message.game, "GetTalk")
    press = press_of(row)
    return [session.payload(TALK, tp.Talk(game=row.name, press=press, words=WORDS[press]))]
