"""Requests about the account that has logged in itself: its password."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpserver.requests.responses import okay
from tpserver.requests.session import Answer, Session
from tpserver.store.accounts import Account


async def change_password(session: Session, message: tp.ChangePassword) -> Answer:
    """Give the account another password; all its other connections and kept logins end.  Raises NotAdmitted."""
    account = _account(session)
    await session.host.accounts.change_password(account, message.old, message.new, session.caller(), session)
    session.kept_login = 0
    return [okay(session.dialect, "Your password is changed, and you are logged out everywhere else")]


def _account(session: Session) -> Account:
    """Return the account of a session that is logged in."""
    assert session.account is not None
    return session.account
