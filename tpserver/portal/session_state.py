"""State of a session that survives the replacement of its engine.

An engine writes it, the portal keeps it, and the next engine reads it. Account, game and seat are checked again as at a
login. A client can continue lists that it pages through. Ids that were listed but not fetched show the present state,
as for the oldest readers of a seat (`tpserver.requests.session.repeatable_reads`).
"""

from __future__ import annotations

import hashlib

from google.protobuf.message import DecodeError

from tpproto.dialects import TP03, TP04
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games.core import time_notices
from tpserver.games.core.errors import GameElsewhere, GameError, NotNow
from tpserver.games.core.game import Game
from tpserver.games.core.saving import NotSaved
from tpserver.games.core.time_left import TIMER_STARTED, WARNING
from tpserver.games.seats.presence import plays_there
from tpserver.games.seats.seat_service import no_seat_any_more
from tpserver.games.stored.history import PastGame
from tpserver.portal import link_pb2 as link
from tpserver.portal.portal_session import DIALECTS
from tpserver.requests.entry.login import shown_now
from tpserver.requests.play import turn_history
from tpserver.requests.session.cursors import MOST_LISTS
from tpserver.requests.session.session import ACCOUNT_CHANGED, LOGGED_OUT, TOKEN_REVOKED, Session
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import logins as stored_logins
from tpserver.store.people import tokens as stored_tokens
from tpserver.store.people.accounts import Account
from tpserver.store.people.last_seen import LastLook
from tpserver.store.tables import LARGEST_INTEGER

MOST_CARRIED_IDS = 4096
"""Maximum ids in lists of a session that survive a process. A client starts longer lists again."""


class Carried:
    """The last transmitted state of one session, so that nothing is sent twice."""

    __slots__ = ("_mark",)

    def __init__(self) -> None:
        self._mark: tuple[object, ...] = ()

    def news(self, session: Session) -> bytes:
        """Return the state of a session if it has changed since the last call, else an empty value."""
        game, account = session.game, _account(session)
        mark = (
            session.dialect,
            session.use,
            session.ended,
            session.attempts,
            None if account is None else (account.id, account.password_hash),
            session.kept_login,
            session.proven,
            None if session.token is None else session.token.id,
            None
            if game is None
            else (game.row.id, _turn_told(game, session), isinstance(game, PastGame) and game.turn),
            session.seat,
            session.lists.last_key,
        )
        if mark == self._mark:
            return b""
        self._mark = mark
        return state_of(session)


def state_of(session: Session) -> bytes:
    """Return the state of a session for `resume`."""
    state = link.State(
        dialect=session.dialect.name,
        padded=session.use is TP04.padded,
        attempts=session.attempts,
        ended=session.ended,
        kept_login=session.kept_login,
        proven=session.proven,
        token=0 if session.token is None else session.token.id,
        last_key=session.lists.last_key,
    )
    if (account := _account(session)) is not None:
        state.account, state.credential = account.id, credential_of(account)
    game = session.game
    if game is not None:
        state.game = game.row.id
        state.turn = _turn_told(game, session)
        if session.seat is not None:
            state.seat = session.seat
        if isinstance(game, PastGame):
            state.past_turn, state.watched = game.turn, game.is_watched
    if session.look is not None:
        state.has_look, state.look_turn, state.look_letter = True, *session.look
    left = MOST_CARRIED_IDS
    for key, kept in session.lists.unfinished():
        left -= len(kept)
        if left < 0:
            break
        state.lists.append(link.List(key=key, latest=kept.latest, numbers=kept.numbers))
    return state.SerializeToString()


def _account(session: Session) -> Account | None:
    """Return the account of a durable login. After an unsaved one the client must log in again elsewhere."""
    return session.account if session.unsaved_login is None else None


def game_of(data: bytes) -> int:
    """Return the id of the game in a session's state, or 0 without a game or for an invalid state."""
    try:
        return link.State.FromString(data).game
    except DecodeError:
        return 0


def _turn_told(game: Game, session: Session | None = None) -> int:
    """Return the last turn of the players that a client knows."""
    if session is not None and session.untold_since is not None:
        return session.untold_since
    return game.newest if isinstance(game, PastGame) and game.is_watched else game.row.turn


def credential_of(account: Account) -> bytes:
    """Return a value that changes with the password of an account, and does not reveal it."""
    return hashlib.sha256(account.password_hash.encode()).digest()


async def resume(session: Session, data: bytes) -> None:
    """Give a new session this state, as far as possible.

    If the session cannot continue, or the data is invalid, the client gets the reason with its next request. On a
    cluster node it raises GameElsewhere if another node holds the game, and GameElsewhere or NotNow if that is unknown
    now. The session has not entered a game then.
    """
    try:
        state = link.State.FromString(data)
    except DecodeError:
        state = None
    if state is None or max(state.account, state.kept_login, state.token, state.game) > LARGEST_INTEGER:
        session.end("this connection cannot go on; connect again")
        return
    session.dialect = DIALECTS.get(state.dialect, TP03)
    session.use = TP04.padded if state.padded else None
    session.attempts, session.ended = state.attempts, state.ended
    lists = {
        each.key: (list(zip(each.numbers[::2], each.numbers[1::2], strict=False)), each.latest)
        for each in state.lists[:MOST_LISTS]
    }
    session.lists.restore(lists, state.last_key)
    if session.ended or not state.account:
        return
    try:
        await _enter(session, state)
    except GameElsewhere:
        raise
    except NotNow as error:
        if session.route is not None:
            raise
        session.end(str(error))
    except (NotAdmitted, GameError, NotSaved) as error:
        session.end(str(error))


async def _enter(session: Session, state: link.State) -> None:
    """Log the account in again. Raises NotAdmitted, GameError, NotNow or NotSaved."""
    host = session.host
    store = host.registry.store
    account = store.read(stored_accounts.by_id, state.account)
    if account is None or credential_of(account) != state.credential or not account.may_log_in:
        raise NotAdmitted(ACCOUNT_CHANGED)
    if not host.comes_in(account):
        raise NotAdmitted("this server is in lockdown; only accounts with a seat can log in")
    kept = {login.id for login in store.read(stored_logins.of_account, account.id)} if state.kept_login else ()
    if state.kept_login and state.kept_login not in kept:
        raise NotAdmitted(LOGGED_OUT)
    if state.token:
        tokens = {token.id: token for token in store.read(stored_tokens.of_account, account.id)}
        session.token = tokens.get(state.token)
        if session.token is None:
            raise NotAdmitted(TOKEN_REVOKED)
    if not state.game:
        session.enter(account, None, None, again=True)
    else:
        game = host.registry.with_id(state.game)
        seat = state.seat if state.HasField("seat") else None
        session.told_turn = state.turn
        if state.HasField("past_turn") and not state.watched:
            session.seat = seat
            old, found = await turn_history.opened(session, account, game, state.past_turn)
            if found != seat:
                raise NotAdmitted(no_seat_any_more(game.name) if found is None else plays_there(game.name))
            session.enter(account, old, seat, again=True)
        else:
            # The delay for spectators may have grown, so it is checked again.
            shown = game if seat is not None else await shown_now(session, account, game)
            session.enter(account, shown, seat, again=True)
            _tell_turn(session, shown, state)
    session.kept_login, session.proven = state.kept_login, state.proven
    if state.has_look:
        session.look = LastLook(state.look_turn, state.look_letter)


def _tell_turn(session: Session, shown: Game, state: link.State) -> None:
    """Notify a client of a turn that is newer than the last one it knows.

    The spectators' turn may be another one, too. At another node the client may have been notified that a turn is being
    computed, but not of the result. So it always gets the time remaining.
    """
    if session.game is not shown:
        return
    was = state.past_turn if state.HasField("past_turn") else state.turn
    is_new = was != (shown.turn if isinstance(shown, PastGame) else shown.row.turn)
    if is_new or state.turn != _turn_told(shown) or session.route is not None:
        session.time_left(
            time_notices.time_left(shown, TIMER_STARTED if is_new else WARNING, session.host.registry.now())
        )
