"""Requests before a game: connect, features, ping, login, accounts, games."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, gatherResults
from twisted.python.failure import Failure

from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, TP04
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.printable import quoted
from tpserver.accounts.accounts import LOCKDOWN, Busy, NotAdmitted, no_fresh_login
from tpserver.events import EVENTS
from tpserver.games.core import attendance
from tpserver.games.core.delayed_turn import newest_shown, not_yet
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game, durable
from tpserver.games.hall.directory import names_of
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.service.live_view import live_view
from tpserver.games.stored.history import PastGame
from tpserver.games.terms.chat_rules import PRIVATE, WORDS, press_of
from tpserver.games.terms.clock import known_clock
from tpserver.games.terms.delay import delay_of, is_shown_later
from tpserver.games.terms.delay import later as later_words
from tpserver.games.terms.delay import words as delay_words
from tpserver.games.terms.guests import NO, guests_of
from tpserver.games.terms.guests import WORDS as GUEST_WORDS
from tpserver.notices.channels import MAIL
from tpserver.notices.contacts import NotKept, check_target, is_mail_address
from tpserver.requests.play import turn_history
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer, Frames, okay
from tpserver.requests.session.session import Host, Session
from tpserver.store import StoreError
from tpserver.store import reliability as stored_reliability
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games import rows as stored_games
from tpserver.store.games.rows import GameRow
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.accounts import Account
from tpserver.typed_codes import plain_code

T = TypeVar("T")

FEATURES, GAME = BY_NAME["features"].number, BY_NAME["game"].number
CREATE_GAME = BY_NAME["create_game"].number

SECURE_HERE, SECURE_ELSEWHERE, HTTP_HERE, HTTP_ELSEWHERE = 1, 2, 3, 4
KEEP_ALIVE, PROPERTY_CALCULATION, ACCOUNT_CREATION = 5, 6, 1000
GAME_CREATION, PASSWORD_RESET, GUESTS, SIGN_IN = 1001, 1002, 1003, 1004
PADDING = 0x1D00
WATCH = "watch"
"""Suffix for a login as spectator (name@game/watch), without a seat and with a public view."""
TURN = "turn"
"""Suffix for a login that looks at an old turn (name@game/turn/7), and can change nothing."""
LONGEST_TURN = len(str(turn_history.LAST_TURN))
"""Maximum digits of a turn's number."""
ANY_GAME = "tp"
"""The name by which programs of 2005-2010 ask for a server's only game (tp://host/tp); the old server ignored it."""
LONGEST_WORD = 100
"""Characters of an invitation code that count; the rest is ignored."""
LONGEST_EMAIL = 254
"""Maximum characters of the mail address of an account, as in SMTP."""
LONGEST_COMMENT = 200
"""Maximum characters of the comment to an account."""
MOST_ATTEMPTS = 10
"""Maximum wrong passwords per connection; then it is closed."""


@handles("connect")
def connect(session: Session, message: tp.Connect) -> Answer:
    return [okay(session.dialect, f"Welcome; this is tpserver {session.host.version}")]


@handles("ping")
def ping(session: Session, message: tp.Ping) -> Answer:
    return [okay(session.dialect, "Still here")]


@handles("get_features")
def get_features(session: Session, message: tp.GetFeatures) -> Answer:
    features = [KEEP_ALIVE, PROPERTY_CALCULATION]
    if session.host.accounts.policy in ("open", "register"):
        features.append(ACCOUNT_CREATION)
    if (
        session.host.making.allowed
        and session.host.accounts.policy != LOCKDOWN
        and CREATE_GAME in session.dialect.kinds
    ):
        features.append(GAME_CREATION)
    if session.host.resets.offered and CREATE_GAME in session.dialect.kinds:
        features.append(PASSWORD_RESET)
    if session.host.guests.are_taken and CREATE_GAME in session.dialect.kinds:
        features.append(GUESTS)
    if session.host.sign_ins is not None and CREATE_GAME in session.dialect.kinds:
        features.append(SIGN_IN)
    kinds = {kind for kind, _, _ in session.host.addresses()}
    if session.peer.secure:
        features.append(SECURE_HERE)
    elif "tps" in kinds:
        features.append(SECURE_ELSEWHERE)
    if not kinds.isdisjoint(("tp+http", "tp+https")):
        features.append(HTTP_HERE if session.over_http else HTTP_ELSEWHERE)
    if session.dialect is not TP03:
        features.append(PADDING)
    return [session.payload(FEATURES, tp.Features(features=sorted(features)))]


@handles("set_filters")
def set_filters(session: Session, message: tp.SetFilters) -> Answer:
    """The response to this request is not padded yet; a filter stays set for the rest of the connection."""
    for number in message.filters:
        if number != PADDING:
            text = f"filter {number} is not offered; choose one of the features of this server"
            raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, text)
    if PADDING in message.filters and session.dialect in (TP04, TP04.padded):
        session.use = TP04.padded
    return [okay(session.dialect, "The filters are set")]


@dataclass(frozen=True, slots=True)
class Aim:
    """Target of a login: ``name``, ``name/watch`` or ``name/turn/N``."""

    game: str
    """Empty if no game is named."""
    purpose: str = ""
    """Empty, WATCH or TURN."""
    turn: str = ""
    """The number of a turn, as the client wrote it."""
    invitation: str = ""
    """A code that may admit the client to a game for invited players."""


def aim_of(text: str, invitation: str = "") -> Aim:
    """Return the target of a login from the text after the @ of a user name. Raises RequestError."""
    wanted, slash, purpose = text.partition("/")
    aim, _, which = purpose.partition("/")
    if slash and purpose != WATCH and aim != TURN:
        told = f"{quoted(purpose)} cannot be done in a game; name@game/{WATCH} and name@game/{TURN}/NUMBER can"
        raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, told)
    return Aim(wanted, aim, which, invitation)


@handles("login")
async def login(session: Session, message: tp.Login) -> Answer:
    if session.account is not None:
        raise refusals.already_logged_in()
    name, _, wanted = message.username.partition("@")
    aim = aim_of(wanted)
    cluster = session.host.registry.cluster
    if session.route is not None and aim.game and cluster is not None:
        cluster.go_to_holder(aim.game)  # before a password is checked, which is done there
    account = await admitted(session, let_in(session, name, message.password))
    return await go_in(session, account, aim)


async def let_in(session: Session, name: str, password: str) -> Account:
    """Return the account of a name and a password, or a token in its place. Raises NotAdmitted."""
    session.token, session.proven = None, 0.0
    found = await session.host.tokens.login(name, password)
    if found is None:
        account = await session.host.accounts.login(name, password, session.caller())
        session.note_proof()
    else:
        account, session.token = found
    check_lockdown(session.host, account)
    return account


def check_lockdown(host: Host, account: Account) -> None:
    """Raise NotAdmitted during a lockdown, unless an account plays here or has a role."""
    if not host.comes_in(account):
        raise NotAdmitted("this server is in lockdown; only accounts with a seat can log in")


async def admitted(session: Session, login: Coroutine[Any, Any, T]) -> T:
    """Return the result of a login; after too many wrong ones the connection is closed. Raises NotAdmitted."""
    found = await counted(session, login)
    if session.account is not None:
        raise refusals.already_logged_in()
    return found


async def counted(session: Session, login: Coroutine[Any, Any, T]) -> T:
    """Return the result of a password check, and count failures.

    Raises NotAdmitted, and RequestError after too many.
    """
    try:
        return await login
    except Busy:
        raise
    except NotAdmitted as error:
        session.attempts += 1
        EVENTS.login_refused(session.peer.address, str(error))
        if session.attempts >= MOST_ATTEMPTS:
            session.closing = True
            text = "too many wrong passwords; the connection is closed"
            raise RequestError(FailCode.PERMISSION_DENIED, text) from None
        raise


async def check_proof(session: Session, password: str) -> None:
    """Raise PasswordNeeded if a request may not add a login method to the account.

    The request must contain the password, or follow a recent login with the password or through a provider. A guest has
    only its token, and needs no password. Raises NotAdmitted for a wrong password.
    """
    account = session.account
    assert account is not None  # its requests need a login
    if account.is_guest:
        return
    if password:
        await counted(session, _check_password(session, account, password))
    elif not session.is_fresh():
        now = session.host.registry.store.read(stored_accounts.by_id, account.id)
        raise no_fresh_login(now or account)


async def _check_password(session: Session, account: Account, password: str) -> None:
    if not await session.host.accounts.is_password_of(account, password, session.caller()):
        raise NotAdmitted("this is not your password, so nothing has changed")
    session.note_proof()


async def go_in(session: Session, account: Account, aim: Aim) -> Answer:
    """Let an account enter a game, and answer with a welcome."""
    game, token = _game_meant(session, account, aim.game), session.token
    if token is not None and token.game is not None and game is not None and game.row.id != token.game:
        raise refusals.another_game()
    if aim.purpose == TURN:
        return await _look_back(session, account, game, aim.turn)
    if game is None:
        session.enter(account, None, None)
        return [okay(session.dialect, f"Welcome, {account.name}; log in as {account.name}@game to play")]
    if aim.purpose == WATCH:
        return await _watch(session, account, game)
    seat = game.seat_of(account.id)
    if seat is None:
        check_admitted(session, game, account, aim.invitation)
        seat = await session.host.registry.lobby.take_seat(game, account.id, account.name)
        game = session.host.registry.with_id(game.row.id)
    session.enter(account, game, seat)
    session.host.registry.seat_changes.came(game, seat)
    return [okay(session.dialect, f"Welcome to {game.name}, {account.name}; you are player {seat + 1}")]


async def _watch(session: Session, account: Account, game: Game) -> Answer:
    """Let an account without a seat watch a game, with the delay of the game."""
    shown = await shown_now(session, account, game)
    session.enter(account, shown, None)
    welcome = f"Welcome, {account.name}; you watch {game.name}"
    if not isinstance(shown, PastGame):
        return [okay(session.dialect, welcome)]
    game = session.host.registry.with_id(game.row.id)
    newest = newest_shown(game)
    if newest is None:
        return [okay(session.dialect, f"{welcome}: {not_yet(game)}")]
    late = f": the game shows its turns {later_words(shown.delay)}" if shown.delay else ""
    return [okay(session.dialect, f"Welcome, {account.name}; you watch turn {shown.turn} of {shown.newest}{late}")]


async def shown_now(session: Session, account: Account, game: Game) -> Game:
    """Return a game as an account without a seat sees it now.

    It is the game itself, or an older turn of a delayed game. Raises NotAdmitted, GameError, NotNow, NotSaved.
    """
    host = session.host
    if delay_of(game.row):
        await durable(game)  # an end that is not saved yet may come to nothing, and then all is still hidden
        game = host.registry.with_id(game.row.id)
    if problem := host.not_to_watch(account, game):
        raise NotAdmitted(problem)
    if is_shown_later(game.row):
        return await host.watching.open(game, lambda: not session.gone)
    live_view(game, host.registry.now())
    return game


def check_admitted(session: Session, game: Game, account: Account, word: str) -> None:
    """Raise NotAdmitted unless an account may take a seat of a game.

    ``word`` is an invitation code, or empty. Removed players and read-only tokens may not take a seat. Accounts that
    are less reliable than the game requires may not, and neither may guests if the game takes none. During a lockdown
    nobody may.
    """
    if session.token is not None and session.token.read_only:
        raise NotAdmitted(f"this token is read-only, and {account.name} has no seat in {game.name}")
    if session.host.accounts.policy == LOCKDOWN:
        raise NotAdmitted("this server is in lockdown; no seats can be taken")
    if account.is_guest and guests_of(game.row) == NO:
        raise NotAdmitted(f"the game {game.name!r} takes no guests; register an account first")
    if game.row.join != "open" and not is_invited(session, game, word):
        if word:
            raise NotAdmitted(f"this invitation to the game {game.name!r} is no longer valid; ask for a new one")
        raise NotAdmitted(f"the game {game.name!r} is for invited players only")
    store = session.host.registry.store
    if store.read(stored_ownership.was_removed, game.row.id, account.id):
        raise NotAdmitted(f"you were removed from the game {game.name!r}")
    if game.policy.reliability:
        due, kept = store.read(stored_reliability.of_accounts, [account.id]).get(account.id, (0, 0))
        if not game.policy.admits(due, kept):
            raise NotAdmitted(
                f"the game {game.name!r} is for players who have kept {game.policy.reliability} % of their turns; you "
                f"have kept {kept} of {due}"
            )


def is_invited(session: Session, game: Game, word: str) -> bool:
    """Return whether an invitation code is valid for a game."""
    known = session.host.registry.store.read(stored_ownership.invitation_of, game.row.id) if word else None
    return known is not None and hmac.compare_digest(known, digest_of(word))


def digest_of(word: str) -> bytes:
    """Return the stored digest of an invitation code."""
    return hashlib.sha256(plain_code(word[:LONGEST_WORD]).encode(errors="replace")).digest()


async def _look_back(session: Session, account: Account, game: Game | None, which: str) -> Answer:
    """Log in to an old turn; ``which`` is its number as the client wrote it."""
    if game is None:
        game = _only_game(session, account)
    is_number = which.isascii() and which.isdecimal() and len(which) <= LONGEST_TURN
    turn = int(which) if is_number else None
    shown, seat = await turn_history.opened(session, account, game, turn)
    session.enter(account, shown, seat)
    seen = "" if seat is None else f"; you were player {seat + 1}"
    text = f"Welcome to {shown.name}, {account.name}; this is its turn {turn}, and nothing can be changed{seen}"
    return [okay(session.dialect, text)]


def _game_meant(session: Session, account: Account, wanted: str) -> Game | None:
    """Return the named game, or the only possible one; None on a server without games.

    Old programs request the game ``tp``, which means the only one unless a game has that name.
    """
    registry = session.host.registry
    if not wanted and session.token is not None and session.token.game is not None:
        return registry.with_id(session.token.game)
    if wanted and wanted.casefold() != ANY_GAME:
        return registry.named(wanted)
    every = registry.directory.rows()
    if wanted and any(row.name.casefold() == ANY_GAME for row in every):
        return registry.named(wanted)
    rows = [row for row in every if row.state != "over"]
    if len(rows) == 1:
        return registry.with_id(rows[0].id)
    seats = registry.store.read(stored_games.with_seat_of, account.id)
    mine = [row for row in rows if row.id in seats]
    found = list(islice(_loadable(registry, mine), 2))
    if len(found) == 1:
        return found[0]
    if not rows:
        # All games are over: a player of one of them need not name it to see its end.
        ended = list(islice(_loadable(registry, [row for row in every if row.id in seats]), 2))
        return ended[0] if len(ended) == 1 else None
    raise GameError(f"there are several games ({names_of(mine or rows)}); log in as {account.name}@game")


def _only_game(session: Session, account: Account) -> Game:
    """Return the only game of the server, also if it is over. Raises GameError if there is none, or another."""
    rows = session.host.registry.directory.rows()
    if not rows:
        raise GameError("there is no game with old turns to show")
    if len(rows) > 1:
        raise GameError(f"there are several games ({names_of(rows)}); log in as {account.name}@game/{TURN}/NUMBER")
    return session.host.registry.with_id(rows[0].id)


def _loadable(registry: GameRegistry, rows: Iterable[GameRow]) -> Iterator[Game]:
    """Yield the games of these rows, skipping those that cannot be loaded."""
    for row in rows:
        with suppress(GameError):
            yield registry.with_id(row.id)


@handles("create_account")
async def create_account(session: Session, message: tp.CreateAccount) -> Answer:
    check_email(message.email)
    if len(message.comment) > LONGEST_COMMENT:
        raise refusals.text_too_long("the comment", LONGEST_COMMENT)
    name = message.username.partition("@")[0]
    account = await session.host.accounts.register(
        name, message.password, message.email, message.comment, session.caller()
    )
    code = await own_address(session, account, message.email)
    return [okay(session.dialect, f"The account {account.name} is made; log in with it{code}")]


async def own_address(session: Session, account: Account, email: str) -> str:
    """Send a code to the address of a new account; return the addition to the answer.

    Once verified, the address may reset the password of the account.
    """
    book = session.host.notices
    if MAIL not in book.terms.channels or not is_mail_address(email):
        return ""
    with suppress(NotKept, StoreError):
        await book.add(account.id, MAIL, email, resets=True, is_first=True)
        return ". A code is on its way to your address: type it among your notices"
    return ""


def check_email(text: str) -> None:
    """Check a mail address, which may be empty. Raises RequestError or NotKept."""
    if len(text) > LONGEST_EMAIL:
        raise refusals.text_too_long("the address", LONGEST_EMAIL)
    if text:
        check_target(MAIL, text, own_network=False)


@handles("get_games")
def get_games(session: Session, message: tp.GetGames) -> Frames:
    """List the games.

    The facts about them must be durable, also for clients that are in no game.
    """
    registry = session.host.registry
    rows, seats = registry.directory.rows(), registry.directory.seat_counts()
    payloads = (_game_payload(session, row, *seats.get(row.id, (0, 0))) for row in rows)
    return Frames(session.dialect, len(rows), payloads, settled=lambda: saved(registry.games.values()))


def saved(games: Iterable[Game]) -> Deferred[None] | None:
    """Return what to wait for until everything that these games show is durable; None if it is."""
    waiting = [durable(game) for game in games if not game.saving.all_saved()]
    if not waiting:
        return None
    return gatherResults(waiting, consumeErrors=True).addCallbacks(lambda _: None, _first_failure)


def _game_payload(session: Session, row: GameRow, taken: int, seats: int) -> bytes:
    """Return the payload of a Game frame, encoded again only if something in it has changed."""
    host = session.host
    game = host.registry.games.get(row.id)
    tells: tuple[object, ...] = (row, taken, seats)
    if game is not None:
        tells += (
            len(game.subscribers),
            game.closing,
            *(game.name_of(seat) for seat in attendance.awaited_if_playable(game)),
        )
    elif row.resting is not None:
        tells += host.registry.directory.seat_names(row.id)
    kept = host.game_payloads.get((session.dialect.name, row.id))
    if kept is None or kept[0] != tells:
        payload = session.payload(GAME, game_frame(session, row, taken, seats))
        kept = host.game_payloads[session.dialect.name, row.id] = (tells, payload)
    return kept[1]


def _first_failure(failure: Failure) -> Failure:
    failed: Failure = failure.value.subFailure  # type: ignore[union-attr] # gatherResults fails with FirstError
    return failed


def game_frame(session: Session, row: GameRow, taken: int, seats: int) -> tp.Game:
    """Return the Game frame with the public facts, whether the game is in memory or not."""
    game = session.host.registry.games.get(row.id)
    clock = known_clock(row.clock)
    comment = [row.state, row.clock if clock is None or clock.is_simple() else clock.words()]
    comment.append(f"{taken} of {seats} seats taken")
    if row.join != "open":
        comment.append("for invited players only")
    if delay := delay_of(row):
        comment.append(delay_words(delay))
    if (press := press_of(row)) != PRIVATE:
        comment.append(WORDS[press])
    if row.anonymous:
        comment.append("anonymous")
    if (guests := guests_of(row)) != NO:
        comment.append(GUEST_WORDS[guests])
    parameters = [
        tp.GameParameter(id=7, string_value=row.name),
        tp.GameParameter(id=8, string_value=row.name),
        tp.GameParameter(id=9, int_value=row.turn),
        tp.GameParameter(id=1, int_value=taken),
        tp.GameParameter(id=2, int_value=0 if game is None else len(game.subscribers)),
    ]
    if clock is not None and clock.seconds:
        parameters.append(tp.GameParameter(id=10, int_value=clock.seconds))
    awaited: Sequence[str] = ()
    if game is None:
        names = session.host.registry.directory.seat_names(row.id)
        awaited = [names[seat] for seat in session.host.registry.directory.resting(row.id).awaited]
    elif not game.closing:
        awaited = [game.name_of(seat) for seat in attendance.awaited_if_playable(game)]
    if awaited:
        comment.append(f"awaited: {', '.join(awaited)}")
    parameters.append(tp.GameParameter(id=5, string_value="; ".join(comment)))
    if row.deadline is not None:
        parameters.append(tp.GameParameter(id=6, int_value=int(row.deadline) & 0xFFFFFFFF))
    return tp.Game(
        name=row.name,
        tp=("0.3", "0.4"),
        server=session.host.version,
        server_type="tpserver",
        rule=row.ruleset,
        rule_version=str(row.ruleset_version),
        connections=[
            tp.GameConnection(type=kind, dns=name, ip="" if not _is_address(name) else name, port=port)
            for kind, name, port in session.host.addresses()
        ],
        parameters=parameters,
        created=int(row.created),
    )


def _is_address(name: str) -> bool:
    return name.replace(".", "").isdigit() or ":" in name
