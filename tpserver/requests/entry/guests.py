"""Requests of guests: playing as a guest, and registering."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpserver.events import EVENTS
from tpserver.requests.entry.login import check_email, own_address
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer
from tpserver.requests.session.session import Session

GUEST, ACCOUNT = BY_NAME["guest"].number, BY_NAME["account"].number


@handles("play_as_guest")
async def play_as_guest(session: Session, message: tp.PlayAsGuest) -> Answer:
    """Create an account for a guest, and log in to it. Raises NotAdmitted, and Busy for too many guests."""
    if session.account is not None:
        raise refusals.already_logged_in()
    host = session.host
    account, token, secret = await host.guests.come(session.caller())
    host.registry.labels.label_guest(account.id, is_guest=True)
    session.token = token
    session.enter(account, None, None)
    return [session.payload(GUEST, tp.Guest(name=account.name, secret=secret, days=host.guests.terms.days))]


@handles("become_account")
async def become_account(session: Session, message: tp.BecomeAccount) -> Answer:
    """Give the account of a guest a name and a password.

    Its earlier logins end, except this connection. Raises NotAdmitted, RequestError.
    """
    guest, host = session.account, session.host
    assert guest is not None  # the request requires a login
    if not guest.is_guest:
        raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, f"{guest.name} is not a guest account")
    check_email(message.email)
    name = message.username.partition("@")[0]
    account = await host.accounts.become(guest, name, message.password, message.email, session.caller(), session)
    host.registry.labels.label_guest(account.id, is_guest=False)
    host.registry.labels.renamed(account.id, account.name)
    if session.account is not None:
        session.account, session.token, session.kept_login = account, None, 0
        session.note_proof()
    await own_address(session, account, message.email)
    EVENTS.guest_became(guest.name, account.name, session.peer.address)
    return [session.payload(ACCOUNT, tp.Account(name=account.name))]
