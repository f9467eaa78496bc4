"""Session of one connection, independent of the transport."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar, cast

from google.protobuf.message import Message
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpproto import tp_pb2 as tp
from tpproto.descriptions import NOTHING, Lookup
from tpproto.dialects import TP03, Dialect
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME, FrameKind
from tpproto.stream import RawFrame
from tprules.api import Oid, Seat
from tpserver.accounts.accounts import LOCKDOWN, Accounts, NotAdmitted, Requester
from tpserver.accounts.guests import Guests
from tpserver.accounts.kept_logins import KeptLogins
from tpserver.accounts.resets import PasswordResets
from tpserver.accounts.tokens import Tokens
from tpserver.addresses import network_of
from tpserver.events import EVENTS
from tpserver.games.core.errors import GameElsewhere
from tpserver.games.core.game import Game
from tpserver.games.core.time_left import TIMER_STARTED, TimeLeft
from tpserver.games.core.views import Queue
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.seats.presence import plays_there
from tpserver.games.seats.seat_service import no_seat_any_more
from tpserver.games.service.spectator_feed import Watching
from tpserver.games.service.spectators import SpectatorTalk
from tpserver.games.stored.history import History, PastGame
from tpserver.games.terms.delay import UNWATCHED, delay_of, is_shown_later, later
from tpserver.network_counts import RequestCounts
from tpserver.notices.channels import MAIL
from tpserver.notices.contacts import NoticeBook, Terms, is_mail_address
from tpserver.requests.session.cursors import KeptLists
from tpserver.requests.session.questions import Questions
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.repeatable_reads import Readers, Reading
from tpserver.requests.session.responses import Answer, Frames, Reply, failed
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games import rows as stored_games
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.accounts import Account
from tpserver.store.people.last_seen import LastLook
from tpserver.store.people.tokens import Token

if TYPE_CHECKING:  # it needs joserfc, which a server without providers does not have
    from tpserver.accounts.oidc.sign_ins import SignIns

T = TypeVar("T")
log = Logger()

Handler = Callable[["Session", Any], "Answer | Frames | Coroutine[Deferred[Any], Any, Answer]"]
QuickHandler = Callable[["Session", RawFrame], "bytes | None"]

FRESH_SECONDS = 600.0
"""Seconds after a login by password or provider in which login methods are added without another proof."""

TIME_REMAINING = BY_NAME["time_remaining"].number


@dataclass(frozen=True, slots=True)
class Peer:
    """The client's end of a connection."""

    address: str
    secure: bool = False
    token: str = ""
    """The token of a kept login, which a browser's handshake brought; may be anything."""


Access = Literal["read", "change", "account"]
"""Kind of a request: it reads games, changes them, or concerns the account, which no token allows."""


class RequestType(NamedTuple):
    """One type of request, and its handler."""

    kind: FrameKind
    handle: Handler
    is_open: bool
    """True if it is answered before login."""
    quick: QuickHandler | None
    """Answers without decoding, or returns None where the request must be decoded."""
    needs_present: bool
    """True if it changes something or is about current possibilities, and so is refused at an old turn."""
    access: Access
    """The access that a token must grant."""
    is_once: bool = True
    """True if it is not carried out again when its response was lost."""
    phrase: str = ""
    """An infinitive for people that may follow "log in to"."""


@dataclass
class CreationPolicy:
    """Policy of a server for games of accounts, and the accounts that are creating one now."""

    allowed: bool = True
    most_open: int = 8
    """Maximum games of an account that are not over."""
    clock: str = "all-done"
    bring_bots: Callable[[Game], object] = lambda game: None
    """Called with a game that is new."""
    rests: dict[int, float] = field(default_factory=dict)
    """By account: the steady time until which it creates no other game; infinite while it creates one."""

    def most_open_of(self, account: Account) -> int:
        """Return the maximum number of an account's games that are not over; at most one for a guest."""
        return min(1, self.most_open) if account.is_guest else self.most_open


GAMES_OF_NETWORK, GAMES_SECONDS = 40, 3600.0
"""Maximum games that the accounts of a network create in so many seconds."""

ACCOUNT_CHANGED = "this account was changed meanwhile; log in again"
TOKEN_REVOKED = "this token was revoked"
LOGGED_OUT = "this browser was logged out; log in with your name and password"
"""Reasons for the end of a session, or for its refusal on another node."""


async def _nothing(account: Account, operation: str, arguments: Mapping[str, str]) -> list[str]:
    raise RequestError(FailCode.PERMISSION_DENIED, "nobody administers this server over the network")


@dataclass
class Administration:
    """Operations that accounts with a role may perform.

    ``operations_of`` returns the operations of an account. ``perform`` carries one out with arguments as text, and
    returns lines. It raises RequestError.
    """

    operations_of: Callable[[Account], Sequence[str]] = lambda account: ()
    perform: Callable[[Account, str, Mapping[str, str]], Coroutine[Any, Any, list[str]]] = _nothing


@dataclass
class Host:
    """Common data of all sessions of a server."""

    registry: GameRegistry
    accounts: Accounts
    version: str
    requests: Mapping[int, RequestType]
    """The requests by frame number: ``tpserver.requests.dispatch.REQUESTS``."""
    answer: Callable[[Session, RawFrame], Reply]
    """The steps of every request: ``tpserver.requests.session.pipeline.answer``."""
    addresses: Callable[[], Sequence[tuple[str, str, int]]] = field(default=lambda: ())
    """(type, host, port) of every listener: tp, tps; of tunnels tp+http, tp+https."""
    game_payloads: dict[tuple[str, int], tuple[object, bytes]] = field(default_factory=dict)
    """By dialect and game id: the content of the game's last Game frame, and its payload."""
    making: CreationPolicy = field(default_factory=CreationPolicy)
    looks_at_reports: set[tuple[int, int]] = field(default_factory=set)
    """Moderators and the reports that they have viewed since the server started, as in the audit."""
    owner_changes: dict[int, list[float]] = field(default_factory=dict)
    """By account: times of its recent changes of games that it owns, by the steady clock."""
    notice_terms: Terms = field(default_factory=Terms)
    sign_ins: SignIns | None = None
    """Sign-in through other servers; None: there is none."""
    administration: Administration = field(default_factory=lambda: Administration())
    may_speak: Callable[[], bool] | None = None
    """On a cluster node: returns whether it may send data from its memory now (`tpserver.cluster.lease`)."""
    tag: Callable[[], str] = str
    """Returns the prefix of tickets, see `KeptLogins`."""
    sessions: set[Session] = field(init=False)
    """All sessions; the games have the same set."""
    new_games: RequestCounts = field(init=False)
    """The games that networks have made recently."""
    making_networks: RequestCounts = field(init=False)
    """The networks that have created games within a day: those are not new."""
    logins: KeptLogins = field(init=False)
    tokens: Tokens = field(init=False)
    resets: PasswordResets = field(init=False)
    guests: Guests = field(init=False)
    notices: NoticeBook = field(init=False)
    readers: Readers = field(init=False)
    history: History = field(init=False)
    watching: Watching = field(init=False)
    spectators: SpectatorTalk = field(init=False)
    questions: Questions = field(init=False)

    def __post_init__(self) -> None:
        registry = self.registry
        self.sessions = cast("set[Session]", registry.presence.sessions)  # nothing else is added to it
        self.new_games = RequestCounts(GAMES_OF_NETWORK, GAMES_SECONDS, registry.steady)
        self.making_networks = RequestCounts(GAMES_OF_NETWORK, 86400.0, registry.steady)
        self.logins = KeptLogins(registry.store, registry.now, registry.steady, self.tag)
        self.tokens = Tokens(registry.store, registry.now)
        self.resets = PasswordResets(self.accounts, registry.now, registry.steady, is_mail_address)
        self.resets.offered = MAIL in self.notice_terms.channels
        self.guests = Guests(self.accounts, registry.now, registry.steady, self.is_online)
        self.notices = NoticeBook(self.accounts, registry.now, self.notice_terms)
        self.readers = Readers(registry.timers, registry.now)
        self.history = History(registry.store, registry.turns.compute, registry.timers, registry.steady)
        self.watching = Watching(registry, self.history, registry.timers)
        self.spectators = SpectatorTalk(registry, registry.steady)
        self.questions = Questions(registry.timers, registry.steady)

    def is_online(self, account: int) -> bool:
        """Return whether a connection is logged in to an account."""
        return self.registry.presence.is_online(account)

    def end_limited_spectators(self, game: Game) -> None:
        """End the sessions that may no longer watch a game, also at its old turns."""
        for session in tuple(self.sessions):
            here, account = session.game, session.account
            if here is None or account is None or session.seat is not None or here.row.id != game.row.id:
                continue
            problem = self.not_to_watch(account, here)
            if not problem and is_shown_later(game.row) and not isinstance(here, PastGame):
                problem = f"the game {game.name!r} shows its turns {later(delay_of(game.row))} now; watch it again"
            if problem:
                session.end(problem)
        self.watching.changed(game)

    def move_visitors(self, game: Game) -> None:
        """Move the sessions at old turns of a game to its new node; the game has moved the others itself."""
        for session in self.history.visitors():
            if isinstance(session, Session) and session.game is not None and session.game.row.id == game.row.id:
                session.game_moved(game.name)

    def not_to_watch(self, account: Account, game: Game) -> str:
        """Return why an account may not watch a game; empty if it may.

        The same applies to its old turns. A player would see more as a spectator than the other players, or could talk
        with spectators.
        """
        now = self.registry.with_id(game.row.id)
        row = now.row
        if row.join != "open" and self.registry.store.read(stored_ownership.creator_of, row.id) != account.id:
            return f"the game {game.name!r} is for invited players only; nobody else may watch it"
        if is_shown_later(row) and delay_of(row) == UNWATCHED:
            return f"nobody watches the game {game.name!r} before it is over"
        return plays_there(game.name) if not now.over and now.seat_of(account.id) is not None else ""

    def end_sessions(self, account: int, why: str, spare: object = None) -> None:
        """End all sessions of an account except ``spare``.

        Tickets and other pending ways to log in end, too. Each client gets the reason, ``why``, at its next request.
        """
        self.logins.forget_tickets(account)
        if self.sign_ins is not None:
            self.sign_ins.forget(account)
        for session in tuple(self.sessions):
            if session.account_id == account and session is not spare:
                session.end(why)

    def comes_in(self, account: Account) -> bool:
        """Return whether an account may log in: during a lockdown it needs a seat or a role."""
        if self.accounts.policy != LOCKDOWN or account.role in ("operator", "moderator"):
            return True
        return bool(self.registry.store.read(stored_games.with_seat_of, account.id))

    def lock_down(self) -> None:
        """During a lockdown, end the sessions of accounts that may not log in."""
        for session in tuple(self.sessions):
            account = session.account
            if account is not None and not self.comes_in(account):
                session.end("this server is in lockdown; only accounts with a seat can log in")

    def end_token(self, token: int) -> None:
        """End the sessions of a token."""
        for session in tuple(self.sessions):
            if session.token is not None and session.token.id == token:
                session.end(TOKEN_REVOKED)

    def end_logins(self, logins: Collection[int]) -> None:
        """End the sessions of these kept logins."""
        for session in tuple(self.sessions):
            if session.kept_login in logins:
                session.end(LOGGED_OUT)


class Route(Protocol):
    """The way of a client's session to the node that holds its game, in a cluster."""

    def elsewhere(self, session: Session, frame: RawFrame, error: GameElsewhere) -> bytes | Deferred[bytes] | None:
        """Let another node answer a request that this one cannot.

        The session ends here and continues there. None: the client gets the error.
        """

    def unspoken(self, session: Session, frame: RawFrame) -> bytes | Deferred[bytes] | None:
        """Let the right node answer a request that has changed nothing.

        The session ends here, if it has not, and continues there. None: the client is gone.
        """

    def moved(self, session: Session) -> None:
        """Called when this node no longer holds the game of a session, before the session leaves the game."""


@dataclass(slots=True, eq=False)
class Session:
    """The session of one connection. ``answer`` never raises; every error becomes a Fail frame.

    ``closing``: close the connection after sending the last response. ``use``: the dialect of the frames to come,
    after a client has set filters; None if unchanged.
    """

    host: Host
    peer: Peer
    send: Callable[[bytes], None]
    closing: bool = False
    use: Dialect | None = None
    dialect: Dialect = TP03
    phrase: str = ""
    """The phrase of the present request, see `RequestType`."""
    account: Account | None = None
    kept_login: int = 0
    """The id of the kept login that logged the client in, or was created since; 0: a password logged it in."""
    token: Token | None = None
    """The token of the login, with its permissions; None: a person has logged in."""
    ended: str = ""
    """Why the server has ended this session; the next request gets this sentence, and the connection is closed."""
    game: Game | None = None
    seat: Seat | None = None
    proven: float = 0.0
    """Time in unix seconds when a password or a provider logged the client in; 0: a kept login or a token did."""
    attempts: int = 0
    told_turn: int | None = None
    """For a session from another process: the last turn of its game that the client knew there."""
    untold_since: int | None = None
    """The last turn that the client knows, if a node could not notify it of the next; None: the current one."""
    over_http: bool = False
    """True if the connection came through a listener for browsers, as a WebSocket or a tunnel."""
    look: LastLook | None = None
    """Last-seen marker of the player before this connection entered the game; None without a seat."""
    lists: KeptLists = field(default_factory=KeptLists)
    """The lists that the client pages through."""
    reading: Reading | None = None
    """Ids listed and not yet fetched; None until something is listed; created by ``reads``."""
    gone: bool = False
    left: int = 0
    """The frames of the present long response that have not been produced."""
    occupied: bool = False
    """True while a login or a read of the store is in progress.

    A login decides which requests are allowed. No request may be answered until it ends.
    """
    unsaved_login: RawFrame | None = None
    """The login until its results are saved: if that fails, the client is not logged in."""
    route: Route | None = None
    """Set after the session is created, on a node of a cluster."""

    def __post_init__(self) -> None:
        self.host.sessions.add(self)

    # --- responses --------------------------------------------------------------------------------------------------

    def answer(self, frame: RawFrame) -> Reply:
        """Return the response to a request; a Deferred fires with it and never fails.

        The pieces of a long response have to be taken before the next request is answered. A response is released only
        when the store holds everything it shows. Not to be called while ``occupied``.
        """
        return self.host.answer(self, frame)

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        """Return an encoded Fail frame for an error that the connection found."""
        return dialect.join_payloads(sequence, [failed(dialect, RequestError(FailCode(code), text))])

    kept_bytes: ClassVar[int] = 0
    """The bytes of requests that are kept here; requests are done at once, so there are none."""

    def note_reading(self, is_behind: bool) -> None:
        """The connection takes no more pieces of a long response from a client that does not read: nothing to do."""

    def connection_lost(self) -> None:
        """Called when the connection is gone."""
        self.gone = True
        self.leave()
        self.host.sessions.discard(self)
        self.lists = KeptLists()

    def watch_login(self, frame: RawFrame, waiting: Deferred[None]) -> None:
        """Log the client out again if its login, which has succeeded, cannot be saved."""
        self.unsaved_login = frame
        waiting.addCallbacks(self._login_saved, self._login_lost)

    def _login_saved(self, result: T) -> T:
        if not self.gone:  # else it has gone on elsewhere, as one that has not logged in
            self.unsaved_login = None
        return result

    def _login_lost(self, failure: Failure) -> Failure:
        self.unsaved_login = None
        self.leave()
        self.account, self.token, self.kept_login, self.proven = None, None, 0, 0.0
        return failure

    # --- account, game and seat -------------------------------------------------------------------------------------

    @property
    def logged_in(self) -> bool:
        """True if the client has logged in."""
        return self.account is not None

    @property
    def account_id(self) -> int | None:
        """The id of the account that is logged in; None before login."""
        return None if self.account is None else self.account.id

    def owns(self, game: int, account: Account) -> bool:
        """Return whether an account owns a game, by its id: it sees at least what a spectator sees."""
        return self.host.registry.store.read(stored_ownership.creator_of, game) == account.id

    def may_ask(self, kind: int) -> bool:
        """Return whether the session may send a request now: few before login, none after its end."""
        request = self.host.requests.get(kind)
        return request is not None and not self.ended and (request.is_open or self.account is not None)

    def note_proof(self) -> None:
        """Record that the client gave the password of the account."""
        self.proven = self.host.registry.now()

    def is_fresh(self) -> bool:
        """Return whether a password or a provider logged the client in recently, so that no proof is needed."""
        return 0.0 <= self.host.registry.now() - self.proven < FRESH_SECONDS

    def caller(self) -> Requester:
        """Return the author of the request, for the accounts."""
        return Requester(network_of(self.peer.address), lambda: self.gone)

    def lookup(self) -> Lookup:
        """Return the data for encoding and decoding the orders and objects of the game."""
        return NOTHING if self.game is None else self.game.description.lookup

    def playing(self) -> tuple[Game, Seat]:
        """Return the game and the seat. Raises RequestError for clients without a seat."""
        game = self.seeing()
        if self.seat is None:
            raise RequestError(FailCode.PERMISSION_DENIED, f"only players can {self.phrase}; you watch this game")
        return game, self.seat

    def seeing(self) -> Game:
        """Return the game that is played or watched. Raises RequestError if there is none."""
        if self.game is None:
            raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, f"log in to a game as name@game to {self.phrase}")
        return self.game

    def watched(self) -> Game | None:
        """Return the watched game in its current state; None for players and for sessions at an old turn."""
        game = self.game
        if game is None or self.seat is not None or (isinstance(game, PastGame) and not game.is_watched):
            return None
        return self.host.registry.with_id(game.row.id) if isinstance(game, PastGame) else game

    def number_of(self, number: int) -> int:
        """Return the number of a player or board; 0 stands for the session's own.

        Clients request their own player, so spectators have a number, too: the one after the last seat's. It is never
        shown to others and owns nothing. The board with that number is the spectators' board.
        """
        if number or self.game is None:
            return number
        return 1 + (len(self.game.players) if self.seat is None else self.seat)

    def enter(self, account: Account, game: Game | None, seat: Seat | None, *, again: bool = False) -> None:
        """Set account, game and seat of the session.

        Does nothing if the connection is closed or the session ended. ``again``: the session comes from another
        process. Raises NotAdmitted if the account was changed, or has lost the seat, during the login.
        """
        if self.gone or self.ended:
            return
        if self.account is None:
            # If it was changed while its client was led into a game, this was not among the sessions that were ended.
            now = self.host.registry.store.read(stored_accounts.by_id, account.id)
            if now is None or now.password_hash != account.password_hash or not now.may_log_in:
                raise NotAdmitted(ACCOUNT_CHANGED)
        if game is not None and seat is not None and not self._has_seat(account, game, seat):
            # A session outside of the game is not ended when another account gets the seat.
            raise NotAdmitted(no_seat_any_more(game.name))
        if game is not None and seat is None and (problem := self.host.not_to_watch(account, game)):
            raise NotAdmitted(problem)
        self.account, self.game, self.seat = account, game, seat
        if not again:
            EVENTS.logged_in(account.name, self.peer.address, "" if game is None else game.name, seat)
        if game is not None:
            if not isinstance(game, PastGame):
                self.host.registry.in_use(game)
            game.subscribers.add(self)
            if seat is not None and not isinstance(game, PastGame):
                self.look = self.host.registry.looks.come_in(game, seat)

    def _has_seat(self, account: Account, game: Game, seat: Seat) -> bool:
        """Return whether an account has a seat of a game now, whatever turn of it is shown."""
        now = self.host.registry.with_id(game.row.id) if isinstance(game, PastGame) else game
        return now.seat_of(account.id) == seat

    def show(self, past: PastGame) -> None:
        """Show another old turn in place of this one.

        Does nothing if the connection is closed or the session ended. Ids listed in the turn before, and not fetched
        yet, are fetched from this one.
        """
        if self.game is None:
            return
        self._unfollow()
        self.game = past
        past.subscribers.add(self)

    def end(self, reason: str) -> None:
        """End the session's access; the client gets the reason at its next request."""
        self.leave()
        self.account, self.kept_login, self.ended = None, 0, reason

    def _unfollow(self) -> None:
        """Stop notifications of the game, and forget the listed state of it."""
        if self.game is not None:
            self.game.subscribers.discard(self)
        if self.reading is not None:
            self.host.readers.remove(self.reading)
            self.reading = None

    def leave(self) -> None:
        self._unfollow()
        self.host.history.leave(self)
        self.game = self.seat = self.look = None

    def payload(self, kind: int, message: Message) -> bytes:
        """Return the payload of a frame in the dialect of the present request."""
        return self.dialect.payload(kind, message, self.lookup())

    def fail_payload(self, error: RequestError) -> bytes:
        return failed(self.dialect, error)

    # --- notifications ----------------------------------------------------------------------------------------------

    def time_left(self, left: TimeLeft) -> None:
        """Send an unrequested TimeRemaining frame; only these have sequence number 0."""
        if self.host.may_speak is not None and not self.host.may_speak():
            if left.reason == TIMER_STARTED and self.untold_since is None:
                self.untold_since = left.turn - 1
            return
        self.untold_since = None
        dialect = self.use or self.dialect
        self.send(dialect.join_payloads(0, [time_payload(dialect, left)]))
        if left.reason == TIMER_STARTED and self.game is not None and self.seat is not None:
            self.host.registry.looks.see_turn(self.game, self.seat, left.turn)

    def game_reloaded(self, game: Game) -> None:
        """Replace a stale game by this object, read from the store again.

        The stale game's current view may show unsaved changes, so it is not read again. Older views were saved.
        """
        lost = None if self.game is None else self.game.views.get(self.seat)
        if lost is not None:
            lost.forgotten = True
        if self.reading is not None:
            self.reading.reloaded()
        self.game = game
        if self.seat is not None and game.seat_of(self.account_id or 0) != self.seat:
            self.end(no_seat_any_more(game.name))  # it was taken a moment ago, which could not be saved

    def game_deleted(self, name: str) -> None:
        """End the session, as its game was deleted."""
        self.end(f"the game {name} was deleted by the operator of this server")

    def game_moved(self, name: str) -> None:
        """Move the connection to the node that holds the game now, or end it if there is none."""
        if self.route is not None:
            self.route.moved(self)
        if not self.gone:
            self.end(f"the game {name} is no longer on this server; log in again")

    # --- repeatable reading -----------------------------------------------------------------------------------------

    def reads(self) -> Reading:
        """Return the record of ids that are listed and not fetched yet, creating it if necessary."""
        if self.reading is None:
            self.reading = Reading()
        self.host.readers.add(self.reading)
        return self.reading

    def tell(self, oid: Oid, queue: Queue | None) -> None:
        """Record that the client got a queue's length and may read each slot; None: the queue is empty."""
        if queue is not None:
            self.reads().tell(oid, queue, self.host.registry.now())
        elif self.reading is not None:
            self.reading.told.pop(oid, None)

    def changed(self, oid: Oid) -> None:
        """Record that the client has changed an order queue: it now sees the queue and its object as they are."""
        if self.reading is not None:
            self.reading.changed(oid)


def time_payload(dialect: Dialect, left: TimeLeft) -> bytes:
    """Return the payload of a TimeRemaining frame, which all connections of a game with the same dialect share."""
    payload = left.encoded.get(dialect.name)
    if payload is None:
        frame = tp.TimeRemaining(
            time=left.seconds,
            reason=left.reason,
            turn=left.turn,
            turn_name=left.title,
            waiting=left.waiting,
            watch_delay=left.delay,
            present_turn=left.present,
        )
        payload = left.encoded[dialect.name] = dialect.payload(TIME_REMAINING, frame)
    return payload
