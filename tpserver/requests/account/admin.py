"""Requests of accounts with a role: the account list, and operations."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer
from tpserver.requests.session.session import Session
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.accounts import Account

OWN_ACCOUNT, ACCOUNTS = BY_NAME["own_account"].number, BY_NAME["accounts"].number
ADMINISTERED = BY_NAME["administered"].number

ACCOUNTS_AT_ONCE = 100
"""Maximum accounts in an Accounts frame."""
LONGEST_SEARCH = 100
MOST_ARGUMENTS = 10
LONGEST_ARGUMENT = 2000
"""Maximum characters of an argument."""


@handles("get_own_account")
def get_own_account(session: Session, message: tp.GetOwnAccount) -> Answer:
    account = _present(session)
    operations = session.host.administration.operations_of(account)
    told = tp.OwnAccount(
        name=account.name,
        role=account.role,
        operations=operations,
        email=account.email,
        email_resets=account.email_resets,
    )
    return [session.payload(OWN_ACCOUNT, told)]


@handles("get_accounts")
def get_accounts(session: Session, message: tp.GetAccounts) -> Answer:
    """List all accounts, or those with a text in their names, the oldest first. Raises RequestError."""
    _check(session, "account list")
    store = session.host.registry.store
    text = message.search[:LONGEST_SEARCH]
    found = store.read(stored_accounts.some, message.start, text, ACCOUNTS_AT_ONCE + 1)
    told = tp.Accounts(following=found[ACCOUNTS_AT_ONCE].id if len(found) > ACCOUNTS_AT_ONCE else 0)
    for account in found[:ACCOUNTS_AT_ONCE]:
        told.accounts.add(
            name=account.name,
            role=account.role,
            state="removed" if account.removed is not None else "active" if account.may_log_in else "disabled",
            reason=account.disabled_reason or "",
            created=int(account.created),
            online=session.host.is_online(account.id),
        )
    return [session.payload(ACCOUNTS, told)]


@handles("administer")
async def administer(session: Session, message: tp.Administer) -> Answer:
    """Perform an operation of the operator, and return the lines of its output. Raises RequestError."""
    account = _check(session, message.operation)
    if len(message.arguments) > MOST_ARGUMENTS:
        raise RequestError(FailCode.REQUEST_TOO_BIG, f"an operation has at most {MOST_ARGUMENTS} arguments")
    if any(len(one.value) > LONGEST_ARGUMENT for one in message.arguments):
        raise RequestError(FailCode.REQUEST_TOO_BIG, f"an argument has at most {LONGEST_ARGUMENT} characters")
    arguments = {one.name: one.value for one in message.arguments}
    lines = await session.host.administration.perform(account, message.operation, arguments)
    return [session.payload(ADMINISTERED, tp.Administered(lines=lines))]


def _check(session: Session, operation: str) -> Account:
    """Return the account of a session if it may perform an operation now. Raises RequestError."""
    account = _present(session)
    if operation not in session.host.administration.operations_of(account):
        raise RequestError(
            FailCode.PERMISSION_DENIED, "only accounts with the role of an operator or a moderator can do this"
        )
    return account


def _present(session: Session) -> Account:
    """Return the present account, as its role may have changed since the login."""
    assert session.account is not None
    found = session.host.registry.store.read(stored_accounts.by_id, session.account.id)
    return session.account if found is None else found
