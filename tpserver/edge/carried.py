"""What of a session outlives the process that had it: written by one holder, kept by the edge, read by the next.

Account, game and seat are checked as at a login.  Lists that a client has begun to page through go on.  What was listed
and not fetched yet is answered from the present, as for the oldest readers of a seat (`tpserver.requests.reading`).
"""

from __future__ import annotations

import hashlib

from google.protobuf.message import DecodeError

from tpproto.dialects import TP03, TP04
from tpserver.accounts.accounts import NotAdmitted
from tpserver.edge import link_pb2 as link
from tpserver.edge.relayed import DIALECTS
from tpserver.games.game import TIMER_STARTED, WARNING, Game, GameElsewhere, GameError, NotNow, NotSaved
from tpserver.games.history import PastGame
from tpserver.games.seat_changes import no_seat_any_more
from tpserver.requests import past
from tpserver.requests.kept_lists import MOST_LISTS
from tpserver.requests.login import shown_now
from tpserver.requests.session import ACCOUNT_CHANGED, LOGGED_OUT, TOKEN_REVOKED, Session, plays_there
from tpserver.store import accounts as stored_accounts
from tpserver.store import logins as stored_logins
from tpserver.store import tokens as stored_tokens
from tpserver.store.accounts import Account
from tpserver.store.looks import LastLook
from tpserver.store.tables import LARGEST_INTEGER

MOST_CARRIED_IDS = 4096
"""Maximum ids in the lists that outlive a process, of one session; a client begins longer ones anew."""


class Carried:
    """What was last told of one session, so that nothing is told twice."""

    __slots__ = ("_mark",)

    def __init__(self) -> None:
        self._mark: tuple[object, ...] = ()

    def news(self, session: Session) -> bytes:
        """Return the state of a session if it has changed since the last call, else nothing."""
        game, account = session.game, _account(session)
        mark = (
            session.dialect,
            session.use,
            session.ended,
            session.attempts,
            None if account is None else (account.id, account.password_hash),
            session.kept_login,
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
    """Return who has logged in, for certain: whose login is not saved yet has to log in where the session goes on."""
    return session.account if session.unsaved_login is None else None


def game_of(data: bytes) -> int:
    """Return the id of the game of a session with this state; 0: it is in none, or this is no state."""
    try:
        return link.State.FromString(data).game
    except DecodeError:
        return 0


def _turn_told(game: Game, session: Session | None = None) -> int:
    """Return which turn of the players a client was told of last."""
    if session is not None and session.untold_since is not None:
        return session.untold_since
    return game.newest if isinstance(game, PastGame) and game.is_watched else game.row.turn


def credential_of(account: Account) -> bytes:
    """Return what changes with the password of an account, and tells nothing of it."""
    return hashlib.sha256(account.password_hash.encode()).digest()


async def resume(session: Session, data: bytes) -> None:
    """Make a new session the one with this state, as far as it may go on; else the client is told why at its next
    request.

    What is no state leaves the session as it is.  On a node of a cluster it raises GameElsewhere if another
    one holds the game, and GameElsewhere or NotNow if nothing can be said of it now; the session has entered nothing
    then.
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
    """Let the account in again.  Raises NotAdmitted, GameError, NotNow or NotSaved."""
    host = session.host
    store = host.registry.store
    account = store.read(stored_accounts.by_id, state.account)
    if account is None or credential_of(account) != state.credential or not account.may_log_in:
        raise NotAdmitted(ACCOUNT_CHANGED)
    if not host.comes_in(account):
        raise NotAdmitted("this server is locked down: only who plays in one of its games comes in")
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
            old, found = await past.opened(session, account, game, state.past_turn)
            if found != seat:
                raise NotAdmitted(no_seat_any_more(game.name) if found is None else plays_there(game.name))
            session.enter(account, old, seat, again=True)
        else:
            # The game may be shown later than it was, as its spectators see: that is asked anew.
            shown = game if seat is not None else await shown_now(session, account, game)
            session.enter(account, shown, seat, again=True)
            _tell_turn(session, shown, state)
    session.kept_login = state.kept_login
    if state.has_look:
        session.look = LastLook(state.look_turn, state.look_letter)


def _tell_turn(session: Session, shown: Game, state: link.State) -> None:
    """Tell a client that a turn has begun since it was told of the last, or that another one is shown.

    From another node it may have heard that a turn is being computed, and nothing of what became of that: it is told
    how much time is left in any case.
    """
    if session.game is not shown:
        return
    was = state.past_turn if state.HasField("past_turn") else state.turn
    is_new = was != (shown.turn if isinstance(shown, PastGame) else shown.row.turn)
    if is_new or state.turn != _turn_told(shown) or session.route is not None:
        session.time_left(shown.time_left(TIMER_STARTED if is_new else WARNING, session.host.registry.now()))
