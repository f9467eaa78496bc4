"""Requests of an account: kept logins, entering a game, and its games."""

from __future__ import annotations

from collections.abc import Sequence

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.accounts.kept_logins import LONGEST_LABEL, TICKET_SECONDS
from tpserver.games.core import time_notices
from tpserver.games.core.game import Game
from tpserver.games.core.time_left import REQUESTED
from tpserver.games.hall.last_seen import new_turns
from tpserver.games.hall.summary import title_from
from tpserver.games.terms.anonymity import hides, names_told
from tpserver.games.terms.clock import seconds_left
from tpserver.games.terms.delay import is_shown_later
from tpserver.requests.entry.login import admitted, aim_of, check_lockdown, check_proof, go_in, let_in, saved
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer, Frames, okay
from tpserver.requests.session.session import Session
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games import rows as stored_games
from tpserver.store.games.rows import GameRow, SeatRow
from tpserver.store.people import last_seen as stored_last_seen
from tpserver.store.people.accounts import Account
from tpserver.store.people.last_seen import NEVER, LastLook

ACCOUNT, TICKET = BY_NAME["account"].number, BY_NAME["ticket"].number
KEPT_LOGINS, MY_GAMES = BY_NAME["kept_logins"].number, BY_NAME["my_games"].number

GAMES_AT_ONCE = 50
"""Maximum games per MyGames frame."""


@handles("login_account")
async def login_account(session: Session, message: tp.LoginAccount) -> Answer:
    """Log in to an account but to no game, by a password or as the browser of a kept login."""
    if session.account is not None:
        raise refusals.already_logged_in()
    kept = 0
    if message.username or message.password:
        name = message.username.partition("@")[0]  # of NAME@GAME, as EnterGame names the game
        account = await admitted(session, let_in(session, name, message.password))
    else:
        session.token = None
        account, login = await admitted(session, session.host.logins.login(session.peer.token))
        kept, session.proven = login.id, login.signed_in or 0.0
        check_lockdown(session.host, account)
    session.enter(account, None, None)
    session.kept_login = kept
    return [session.payload(ACCOUNT, tp.Account(name=account.name, login=kept))]


@handles("enter_game")
async def enter_game(session: Session, message: tp.EnterGame) -> Answer:
    """Enter a game, like Login with the name of a game. A connection does so once."""
    if session.game is not None:
        text = f"this connection is already in the game {session.game.name!r}; use another one"
        raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, text)
    aim, account = aim_of(message.game, message.invitation), _account(session)
    answer = await go_in(session, account, aim)
    if session.game is None and not session.gone:
        raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, "there are no games on this server yet")
    return answer


@handles("keep_login")
async def keep_login(session: Session, message: tp.KeepLogin) -> Answer:
    """Return a ticket, for which the web server sets the cookie of a kept login (`tpserver.wire.web.resources`)."""
    if len(message.label) > LONGEST_LABEL:
        raise refusals.text_too_long("the label", LONGEST_LABEL)
    await check_proof(session, message.password)
    label = printable(message.label, LONGEST_LABEL, KEPT_FOR_PLAYERS)
    ticket = session.host.logins.ticket(_account(session).id, label, session)
    return [session.payload(TICKET, tp.Ticket(ticket=ticket, seconds=TICKET_SECONDS))]


@handles("get_kept_logins")
def get_kept_logins(session: Session, message: tp.GetKeptLogins) -> Answer:
    told = tp.KeptLogins()
    for kept in session.host.logins.all(_account(session).id):
        told.logins.add(
            id=kept.id,
            label=kept.label,
            created=int(kept.created),
            used=int(kept.used),
            here=kept.id == session.kept_login,
        )
    return [session.payload(KEPT_LOGINS, told)]


@handles("revoke_login")
async def revoke_login(session: Session, message: tp.RevokeLogin) -> Answer:
    """End a kept login of the account, or all of them. Their connections end, too, except this one."""
    host = session.host
    gone = await host.logins.revoke(_account(session).id, message.id or None)
    if message.id and not gone:
        raise RequestError(FailCode.NO_SUCH_THING, f"you are not logged in at a place with the number {message.id}")
    mine, session.kept_login = session.kept_login, 0
    host.end_logins(set(gone))
    session.kept_login = 0 if mine in gone else mine
    return [okay(session.dialect, "You are logged out there" if message.id else "You are logged out everywhere")]


@handles("get_my_games")
def get_my_games(session: Session, message: tp.GetMyGames) -> Frames:
    """List the games that the account plays or owns, the newest first.

    The facts about them must be durable.
    """
    account, registry = _account(session), session.host.registry
    rows = [row for row in registry.directory.rows_of(account.id) if not message.start or row.id < message.start]
    if session.token is not None and session.token.game is not None:
        rows = [row for row in rows if row.id == session.token.game]
    shown = rows[:GAMES_AT_ONCE]
    told = tp.MyGames(following=shown[-1].id if len(rows) > len(shown) else 0)
    games = [registry.games[row.id] for row in shown if row.id in registry.games]
    elsewhere = [row.id for row in shown if row.id not in registry.games]
    seats = registry.store.read(stored_games.seats_by_game, elsewhere) if elsewhere else {}
    looks = registry.store.read(stored_last_seen.of_account, account.id, elsewhere) if elsewhere else {}
    made = registry.store.read(stored_ownership.made_by, account.id)
    for row in shown:
        if row.id in seats:
            told.games.append(_stored(session, account, row, seats[row.id], looks.get(row.id, NEVER)))
        else:
            told.games.append(_in_memory(session, account, registry.games[row.id]))
        told.games[-1].made = row.id in made
    return Frames(session.dialect, 1, iter([session.payload(MY_GAMES, told)]), settled=lambda: saved(games))


def _in_memory(session: Session, account: Account, game: Game) -> tp.MyGame:
    left = time_notices.time_left(game, REQUESTED, session.host.registry.now())
    told = _head(session, game.row)
    told.turn, told.turn_name, told.time = left.turn, left.title, left.seconds
    seat, hidden = game.seat_of(account.id), game.hides_players
    for player in game.players:
        told.seats.add(
            name=game.name_for(player.seat, seat),
            bot=session.host.registry.labels.is_bot(player, hidden) and not game.hides_seats,
            awaited=player.seat + 1 in left.waiting,
        )
    if seat is None:  # the owner, who does not play
        if is_shown_later(game.row):
            told.turn_name = ""  # the rules may put events of the game into it
        return told
    told.player = 1 + seat
    # A player in the game has seen all of it. The response has the news from before this connection, and since.
    is_here = session.game is game and session.seat == seat
    look = session.look if is_here and session.look is not None else game.players[seat].look
    told.new_turns = new_turns(game.row, left.turn, look)
    told.new_letters = game.boards[told.player].letters_after(look.letter)
    return told


def _stored(session: Session, account: Account, row: GameRow, seats: Sequence[SeatRow], look: LastLook) -> tp.MyGame:
    """Return the summary of a game without loading it."""
    told, known = _head(session, row), session.host.registry.directory.resting(row.id)
    now, names = session.host.registry.now(), names_told(row, seats, account.id)
    told.time = seconds_left(row.next_end(now), now)
    told.turn_name = title_from(known, names)
    hidden = hides(row)
    for seat, name in zip(seats, names, strict=True):
        is_bot = session.host.registry.labels.is_bot(seat, hidden)
        told.seats.add(
            name=name, bot=is_bot and not (hidden and row.started is None), awaited=seat.seat in known.awaited
        )
    told.player = next((1 + seat.seat for seat in seats if seat.account == account.id), 0)
    if not told.player:  # see above
        if is_shown_later(row):
            told.turn_name = ""
        return told
    told.new_turns = new_turns(row, row.turn, look)
    store = session.host.registry.store
    told.new_letters = store.read(stored_last_seen.letters_after, row.id, told.player, look.letter)
    return told


def _head(session: Session, row: GameRow) -> tp.MyGame:
    title = session.host.registry.rulesets.title_of(row.ruleset)
    version = str(row.ruleset_version)
    return tp.MyGame(
        name=row.name,
        ruleset=row.ruleset,
        title=title,
        version=version,
        state=row.state,
        turn=row.turn,
        clock=row.clock,
        invited=row.join != "open",
        anonymous=bool(row.anonymous),
    )


def _account(session: Session) -> Account:
    """Return the account of a session with a login."""
    assert session.account is not None
    return session.account
