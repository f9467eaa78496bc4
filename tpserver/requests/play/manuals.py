"""Request for the manual of a ruleset."""

from __future__ import annotations

from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.api import Ruleset
from tprules.printable import quoted
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer
from tpserver.requests.session.session import Session
from tpserver.rules.manuals import manual_of

RULES = BY_NAME["rules"].number


def named_rules(session: Session, name: str) -> Ruleset[Any]:
    """Return the ruleset of this name, or that of the current game for an empty name.

    Raises RequestError for an unknown ruleset.
    """
    if name:
        usable = session.host.registry.rulesets.usable
        if name not in usable:  # only the operator gets the reason why a ruleset is not usable
            text = f"there is no ruleset {quoted(name)} (there are: {', '.join(sorted(usable)) or 'none'})"
            raise RequestError(FailCode.NO_SUCH_THING, text)
        return usable[name]
    if session.game is None:
        text = f"name a ruleset, or log in to a game as name@game, to {session.phrase}"
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text)
    return session.game.rules


@handles("get_rules")
def get_rules(session: Session, message: tp.GetRules) -> Answer:
    """Return the rules of a ruleset for players. Raises RequestError for an unknown ruleset."""
    rules = named_rules(session, message.ruleset)
    text, goal = manual_of(rules)
    told = tp.Rules(ruleset=rules.name, title=rules.title, version=str(rules.version), goal=goal, text=text)
    return [session.payload(RULES, told)]
