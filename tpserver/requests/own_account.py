"""Requests about the account that has logged in itself: its password, and the tokens of its programs."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.printable import KEPT_FOR_PLAYERS, printable, quoted
from tpserver.accounts.tokens import LONGEST_LABEL, MOST_DAYS, MOST_TOKENS
from tpserver.requests import refusals
from tpserver.requests.login import counted
from tpserver.requests.refusals import Refused
from tpserver.requests.responses import okay
from tpserver.requests.session import Answer, Session
from tpserver.store import accounts as stored_accounts
from tpserver.store import games as stored_games
from tpserver.store.accounts import Account
from tpserver.store.tokens import Token

TOKENS, TOKEN = BY_NAME["tokens"].number, BY_NAME["token"].number


async def change_password(session: Session, message: tp.ChangePassword) -> Answer:
    """Give the account another password; all its other connections and kept logins end.  Raises NotAdmitted."""
    account = _account(session)
    if account.is_guest:
        raise refusals.not_as_guest("password")
    await session.host.accounts.change_password(account, message.old, message.new, session.caller(), session)
    session.kept_login = 0
    # By the password it is known whether the session may go on in another process, or at another node.
    session.account = session.host.registry.store.read(stored_accounts.by_id, account.id)
    return [okay(session.dialect, "Your password is changed, and you are logged out everywhere else")]


async def request_reset(session: Session, message: tp.RequestReset) -> Answer:
    """Have a mail sent by which a password is reset; the answer does not tell whether there is such an account."""
    await session.host.resets.ask(message.account.strip(), session.caller())
    return [okay(session.dialect, "If there is such an account and its address is known, a mail is on its way there")]


async def reset_password(session: Session, message: tp.ResetPassword) -> Answer:
    """Give the account of a code that came by mail another password.  Raises NotAdmitted."""
    await counted(session, session.host.resets.redeem(message.code, message.password, session.caller()))
    return [okay(session.dialect, "The password is changed, and all other logins have ended; log in with it")]


def get_tokens(session: Session, message: tp.GetTokens) -> Answer:
    tokens = session.host.tokens.all(_account(session).id)
    return [session.payload(TOKENS, tp.Tokens(tokens=[_told(session, token) for token in tokens]))]


async def create_token(session: Session, message: tp.CreateToken) -> Answer:
    """Make a token for all games of the account, or for one in which it has a seat; its text is told this once."""
    account, registry = _account(session), session.host.registry
    if account.is_guest:
        raise refusals.not_as_guest("tokens for programs")
    if len(message.label) > LONGEST_LABEL:
        raise refusals.text_too_long("the label", LONGEST_LABEL)
    label = printable(message.label.strip(), LONGEST_LABEL, KEPT_FOR_PLAYERS)
    if not label:
        raise Refused(FailCode.FRAME, "a token has a label, by which you know later what it is for")
    if not 1 <= message.days <= MOST_DAYS:
        raise Refused(FailCode.FRAME, f"a token is good for 1 to {MOST_DAYS} days, not for {message.days}")
    game = None
    if message.game:
        row = registry.row_named(message.game)
        if row is None or row.id not in registry.store.read(stored_games.with_seat_of, account.id):
            raise Refused(FailCode.NO_SUCH_THING, f"you have no seat in a game {quoted(message.game)}")
        game = row.id
    made = await session.host.tokens.create(account.id, label, game, message.read_only, message.days)
    if made is None:
        text = f"you have {MOST_TOKENS} tokens, and more cannot be kept; revoke one"
        raise Refused(FailCode.UNAVAILABLE_TEMPORARILY, text)
    token, secret = made
    told = _told(session, token)
    told.secret = secret
    return [session.payload(TOKEN, told)]


async def revoke_token(session: Session, message: tp.RevokeToken) -> Answer:
    """End a token of the account, and the connections that came by it."""
    if not await session.host.tokens.revoke(_account(session).id, message.id):
        raise Refused(FailCode.NO_SUCH_THING, f"you have no token with the number {message.id}")
    session.host.end_token(message.id)
    return [okay(session.dialect, "This token lets nobody in any more")]


def _told(session: Session, token: Token) -> tp.Token:
    row = None if token.game is None else session.host.registry.store.read(stored_games.by_id, token.game)
    return tp.Token(
        id=token.id,
        label=token.label,
        game="" if row is None else row.name,
        read_only=token.read_only,
        created=int(token.created),
        ends=int(token.ends),
        used=int(token.used or 0),
    )


def _account(session: Session) -> Account:
    """Return the account of a session that is logged in."""
    assert session.account is not None
    return session.account
