"""Requests about the own account: its password, and tokens for programs."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.printable import KEPT_FOR_PLAYERS, printable, quoted
from tpserver.accounts.tokens import LONGEST_LABEL, MOST_DAYS, MOST_TOKENS
from tpserver.requests.entry.login import check_proof, counted
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer, okay
from tpserver.requests.session.session import Session
from tpserver.store.games import rows as stored_games
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.accounts import Account
from tpserver.store.people.tokens import Token
from tpserver.store.people.ways_in import Dropped

TOKENS, TOKEN = BY_NAME["tokens"].number, BY_NAME["token"].number


@handles("change_password")
async def change_password(session: Session, message: tp.ChangePassword) -> Answer:
    """Give the account another password.

    All its other connections and kept logins end. Raises NotAdmitted.
    """
    account = _account(session)
    if account.is_guest:
        raise refusals.not_as_guest("password")
    dropped = Dropped(message.drop_addresses, message.drop_providers, message.drop_links)
    await session.host.accounts.change_password(
        account, message.old, message.new, session.caller(), session, dropped=dropped, is_fresh=session.is_fresh()
    )
    session.kept_login = 0
    session.note_proof()
    # The password shows whether the session may continue in another process or at another node.
    session.account = session.host.registry.store.read(stored_accounts.by_id, account.id)
    return [okay(session.dialect, "Your password is changed, and you are logged out everywhere else")]


@handles("request_reset")
async def request_reset(session: Session, message: tp.RequestReset) -> Answer:
    """Request a mail that resets a password; the response does not show whether the account exists."""
    await session.host.resets.ask(_account_meant(session, message.account.strip()), session.caller())
    return [okay(session.dialect, "If there is such an account and its address is known, a mail is on its way there")]


def _account_meant(session: Session, asked: str) -> str:
    """Return the name in NAME@GAME, as at login, if the game exists. The domain of a mail address has a dot."""
    name, _, aim = asked.partition("@")
    game = aim.partition("/")[0]
    is_game = bool(game) and "." not in game and session.host.registry.directory.row_named(game) is not None
    return name if is_game else asked


@handles("reset_password")
async def reset_password(session: Session, message: tp.ResetPassword) -> Answer:
    """Give the account of a code from a mail another password. Raises NotAdmitted."""
    await counted(session, session.host.resets.redeem(message.code, message.password, session.caller()))
    return [okay(session.dialect, "The password is changed, and all other logins have ended; log in with it")]


@handles("get_tokens")
def get_tokens(session: Session, message: tp.GetTokens) -> Answer:
    tokens = session.host.tokens.all(_account(session).id)
    return [session.payload(TOKENS, tp.Tokens(tokens=[_told(session, token) for token in tokens]))]


@handles("create_token")
async def create_token(session: Session, message: tp.CreateToken) -> Answer:
    """Create a token, and return its text.

    It is valid for all games of the account, or for one in which it has a seat. Only this response has the token's
    text.
    """
    account, registry = _account(session), session.host.registry
    if account.is_guest:
        raise refusals.not_as_guest("tokens for programs")
    if len(message.label) > LONGEST_LABEL:
        raise refusals.text_too_long("the label", LONGEST_LABEL)
    label = printable(message.label.strip(), LONGEST_LABEL, KEPT_FOR_PLAYERS)
    if not label:
        raise RequestError(FailCode.FRAME, "a token needs a label")
    if not 1 <= message.days <= MOST_DAYS:
        raise RequestError(FailCode.FRAME, f"a token can be valid for 1 to {MOST_DAYS} days, not {message.days}")
    game = None
    if message.game:
        row = registry.directory.row_named(message.game)
        if row is None or row.id not in registry.store.read(stored_games.with_seat_of, account.id):
            raise RequestError(FailCode.NO_SUCH_THING, f"you have no seat in a game {quoted(message.game)}")
        game = row.id
    await check_proof(session, message.password)
    made = await session.host.tokens.create(account.id, label, game, message.read_only, message.days)
    if made is None:
        text = f"you have {MOST_TOKENS} tokens, the maximum; revoke one first"
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text)
    token, secret = made
    told = _told(session, token)
    told.secret = secret
    return [session.payload(TOKEN, told)]


@handles("revoke_token")
async def revoke_token(session: Session, message: tp.RevokeToken) -> Answer:
    """End a token of the account, and the connections that used it."""
    if not await session.host.tokens.revoke(_account(session).id, message.id):
        raise RequestError(FailCode.NO_SUCH_THING, f"you have no token with the number {message.id}")
    session.host.end_token(message.id)
    return [okay(session.dialect, "Token revoked")]


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
    """Return the account of a session with a login."""
    assert session.account is not None
    return session.account
