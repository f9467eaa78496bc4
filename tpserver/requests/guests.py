"""Requests of guests: to come in as one, and to become an account like all others."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpserver.events import EVENTS
from tpserver.requests import refusals
from tpserver.requests.login import LONGEST_EMAIL
from tpserver.requests.refusals import Refused
from tpserver.requests.session import Answer, Session

GUEST, ACCOUNT = BY_NAME["guest"].number, BY_NAME["account"].number


async def play_as_guest(session: Session, message: tp.PlayAsGuest) -> Answer:
    """Make an account for a guest, and log in to it.  Raises NotAdmitted, and Busy for one too many."""
    if session.account is not None:
        raise refusals.already_logged_in()
    host = session.host
    account, token, secret = await host.guests.come(session.caller())
    host.registry.label_guest(account.id, is_guest=True)
    session.token = token
    session.enter(account, None, None)
    return [session.payload(GUEST, tp.Guest(name=account.name, secret=secret, days=host.guests.terms.days))]


async def become_account(session: Session, message: tp.BecomeAccount) -> Answer:
    """Give the account of a guest a name and a password; what let the guest in before has ended, but this connection.

    Raises NotAdmitted, Refused.
    """
    guest, host = session.account, session.host
    assert guest is not None  # only who is logged in gets here
    if not guest.is_guest:
        raise Refused(FailCode.UNAVAILABLE_PERMANENTLY, f"{guest.name} is no guest, but has a name and a password")
    if len(message.email) > LONGEST_EMAIL:
        raise refusals.text_too_long("the address", LONGEST_EMAIL)
    name = message.username.partition("@")[0]
    account = await host.accounts.become(guest, name, message.password, message.email, session.caller(), session)
    host.registry.label_guest(account.id, is_guest=False)
    host.registry.renamed(account.id, account.name)
    if session.account is not None:
        session.account, session.token, session.kept_login = account, None, 0
    EVENTS.guest_became(guest.name, account.name, session.peer.address)
    return [session.payload(ACCOUNT, tp.Account(name=account.name))]
