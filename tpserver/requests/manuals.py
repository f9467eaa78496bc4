"""The request for the rules that players read."""

from __future__ import annotations

from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.api import Ruleset
from tprules.printable import quoted
from tpserver.requests.refusals import Refused
from tpserver.requests.session import Answer, Session
from tpserver.rules.manuals import manual_of

RULES = BY_NAME["rules"].number


def named_rules(session: Session, name: str, request: str) -> Ruleset[Any]:
    """Return the ruleset of this name, or if that is empty of the game that is played.  Raises Refused if there is
    none; ``request`` is what was asked."""
    if name:
        usable = session.host.registry.rulesets.usable
        if name not in usable:  # why another one cannot be used is for the operator
            text = f"there is no ruleset {quoted(name)} (there are: {', '.join(sorted(usable)) or 'none'})"
            raise Refused(FailCode.NO_SUCH_THING, text)
        return usable[name]
    if session.game is None:
        text = f"{request} needs the name of a ruleset, or a game that is played"
        raise Refused(FailCode.UNAVAILABLE_TEMPORARILY, text)
    return session.game.rules


def get_rules(session: Session, message: tp.GetRules) -> Answer:
    """Return the rules of a ruleset for players.  Raises Refused for one that is not there."""
    rules = named_rules(session, message.ruleset, "GetRules")
    text, goal = manual_of(rules)
    told = tp.Rules(
        ruleset=rules.name, title=rules.title or rules.name, version=str(rules.version), goal=goal, text=text
    )
    return [session.payload(RULES, told)]
