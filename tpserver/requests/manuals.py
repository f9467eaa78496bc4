"""The request for the rules that players read."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.printable import quoted
from tpserver.requests.refusals import Refused
from tpserver.requests.session import Answer, Session
from tpserver.rules.manuals import manual_of

RULES = BY_NAME["rules"].number


def get_rules(session: Session, message: tp.GetRules) -> Answer:
    """Return the rules of a ruleset for players.  Raises Refused for one that is not there."""
    if message.ruleset:
        usable = session.host.registry.rulesets.usable
        if message.ruleset not in usable:  # why another one cannot be used is for the operator
            text = f"there is no ruleset {quoted(message.ruleset)} (there are: {', '.join(sorted(usable)) or 'none'})"
            raise Refused(FailCode.NO_SUCH_THING, text)
        rules = usable[message.ruleset]
    elif session.game is None:
        raise Refused(
            FailCode.UNAVAILABLE_TEMPORARILY, "GetRules needs the name of a ruleset, or a game that is played"
        )
    else:
        rules = session.game.rules
    text, goal = manual_of(rules)
    told = tp.Rules(
        ruleset=rules.name, title=rules.title or rules.name, version=str(rules.version), goal=goal, text=text
    )
    return [session.payload(RULES, told)]
