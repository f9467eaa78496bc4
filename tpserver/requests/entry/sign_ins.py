"""Requests about sign-in providers (OpenID Connect) of an account.

Browsers do the rest over HTTP (`tpserver.wire.web.sign_in`).
"""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.printable import quoted
from tpserver.accounts.accounts import NotAdmitted
from tpserver.requests.entry.login import check_proof
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer, okay
from tpserver.requests.session.session import Session
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.accounts import Account

PROVIDERS, TICKET = BY_NAME["providers"].number, BY_NAME["ticket"].number


@handles("get_providers")
def get_providers(session: Session, message: tp.GetProviders) -> Answer:
    """List the providers; without a token the response also shows those that can log in to the account."""
    told, sign_ins = tp.Providers(), session.host.sign_ins
    account = session.account if session.token is None else None
    if account is not None:
        now = session.host.registry.store.read(stored_accounts.by_id, account.id)
        told.has_password = now is not None and bool(now.password_hash)
    if sign_ins is not None:
        connected = set() if account is None else {one.issuer for one in sign_ins.identities(account.id)}
        for one in sign_ins.offered:
            told.providers.add(
                id=one.id, name=one.name, makes_accounts=one.makes_accounts, connected=one.issuer in connected
            )
    return [session.payload(PROVIDERS, told)]


@handles("connect_provider")
async def connect_provider(session: Session, message: tp.ConnectProvider) -> Answer:
    """Return a ticket with which the browser signs in to connect the account."""
    account, sign_ins = _account(session), session.host.sign_ins
    if account.is_guest:
        raise refusals.not_as_guest("sign-in through other servers")
    if sign_ins is None or message.provider not in {one.id for one in sign_ins.offered}:
        raise _no_such(message.provider)
    await check_proof(session, message.password)
    from tpserver.accounts.oidc.sign_ins import TICKET_SECONDS

    try:
        ticket = sign_ins.ticket(account, message.provider)
    except NotAdmitted as error:
        raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, str(error)) from None
    return [session.payload(TICKET, tp.Ticket(ticket=ticket, seconds=TICKET_SECONDS))]


@handles("disconnect_provider")
async def disconnect_provider(session: Session, message: tp.DisconnectProvider) -> Answer:
    """Disconnect a provider from the account, unless it is the only login."""
    account, sign_ins = _account(session), session.host.sign_ins
    if sign_ins is None:
        raise _no_such(message.provider)
    try:
        await sign_ins.disconnect(account, message.provider)
    except KeyError:
        raise _no_such(message.provider) from None
    except NotAdmitted as error:
        raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, str(error)) from None
    return [okay(session.dialect, "It logs in to your account no more")]


def _no_such(provider: str) -> RequestError:
    text = f"your account is not connected with a provider {quoted(provider[:40])}, or this server knows none"
    return RequestError(FailCode.NO_SUCH_THING, text)


def _account(session: Session) -> Account:
    """Return the account of a session with a login."""
    assert session.account is not None
    return session.account
