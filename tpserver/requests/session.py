"""The session of one connection, independent of the transport."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar

from google.protobuf.message import Message
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpproto import tp_pb2 as tp
from tpproto.descriptions import NOTHING, Lookup
from tpproto.dialects import TP03, Dialect
from tpproto.errors import FailCode, FrameError
from tpproto.frames import BY_NAME, FrameKind
from tpproto.stream import RawFrame
from tprules.api import Oid, Refusal, Seat
from tpserver.accounts.accounts import LOCKDOWN, Accounts, Busy, NotAdmitted, Requester
from tpserver.accounts.guests import Guests
from tpserver.accounts.kept_logins import KeptLogins
from tpserver.accounts.resets import PasswordResets
from tpserver.accounts.tokens import Tokens
from tpserver.addresses import network_of
from tpserver.concurrency import failure_of
from tpserver.events import EVENTS
from tpserver.fault_points import reached
from tpserver.games.agreements import NoSay, NoSuchProposal
from tpserver.games.delay import UNWATCHED, delay_of, is_shown_later, later
from tpserver.games.game import TIMER_STARTED, Game, GameElsewhere, GameError, NotNow, NotSaved, TimeLeft
from tpserver.games.history import History, NoSuchTurn, PastGame
from tpserver.games.registry import GameRegistry
from tpserver.games.seat_changes import no_seat_any_more
from tpserver.games.spectators import SpectatorTalk
from tpserver.games.vacations import NoSuchVacation
from tpserver.games.views import Queue
from tpserver.games.watching import Watching
from tpserver.notices.book import NoticeBook, NotKept, Terms, is_mail_address
from tpserver.notices.channels import MAIL
from tpserver.requests import refusals
from tpserver.requests.bounds import decoded
from tpserver.requests.kept_lists import KeptLists
from tpserver.requests.reading import Readers, Reading
from tpserver.requests.refusals import Refused
from tpserver.requests.responses import Frames, failed
from tpserver.store import StoreError
from tpserver.store import accounts as stored_accounts
from tpserver.store import creations as stored_creations
from tpserver.store import games as stored_games
from tpserver.store.accounts import Account
from tpserver.store.looks import LastLook
from tpserver.store.tokens import Token

if TYPE_CHECKING:  # it needs joserfc, which a server without providers does not have
    from tpserver.oidc.sign_ins import SignIns

T = TypeVar("T")
log = Logger()

Answer = list[bytes]
Handler = Callable[["Session", Message], "Answer | Frames | Coroutine[Deferred[Any], Any, Answer]"]

Reply = bytes | Deferred[bytes] | Iterator[bytes | Deferred[bytes]]
"""A whole response, now or later; or the pieces of a long one, which are produced as they are taken."""

_KEPT_CODES = {
    "invalid": FailCode.FRAME,
    "unknown": FailCode.NO_SUCH_THING,
    "limit": FailCode.UNAVAILABLE_TEMPORARILY,
    "denied": FailCode.PERMISSION_DENIED,
}

TIME_REMAINING = BY_NAME["time_remaining"].number


@dataclass(frozen=True, slots=True)
class Peer:
    """The client's end of a connection."""

    address: str
    secure: bool = False
    token: str = ""
    """The token of a kept login, which a browser's handshake brought; may be anything."""


Access = Literal["read", "change", "account"]
"""What a request does: looks at games, changes something in them, or is about the account, which no token lets do."""


class RequestType(NamedTuple):
    """One type of request, and who handles it."""

    kind: FrameKind
    handle: Handler
    is_open: bool
    """Whether it is answered before login."""
    quick: Callable[[Session, RawFrame], bytes | None] | None
    """Answers without decoding, or returns None where the request must be decoded."""
    needs_present: bool
    """Whether it changes something or is about what could be done now, and so is refused to who looks at the past."""
    access: Access
    """What a token must let its program do."""


@dataclass
class Making:
    """Whether accounts make games on a server, and those that are at it."""

    allowed: bool = True
    most_open: int = 8
    """Maximum games made by an account that are not over."""
    clock: str = "all-done"
    bring_bots: Callable[[Game], object] = lambda game: None
    """Called with a game that is new."""
    rests: dict[int, float] = field(default_factory=dict)
    """By account: until when it makes no other game, by the steady clock; infinite while it makes one."""

    def most_open_of(self, account: Account) -> int:
        """Return how many games of an account may be there that are not over: of a guest one."""
        return min(1, self.most_open) if account.is_guest else self.most_open


ACCOUNT_CHANGED = "this account was changed meanwhile; log in again"
TOKEN_REVOKED = "this token was revoked"
LOGGED_OUT = "this browser was logged out; log in with your name and password"
"""Why a session is ended, or does not go on elsewhere."""


async def _nothing(account: Account, operation: str, arguments: Mapping[str, str]) -> list[str]:
    raise Refused(FailCode.PERMISSION_DENIED, "nobody administers this server over the network")


@dataclass
class Administration:
    """What accounts whose role says so may do for the operator.

    ``operations_of`` returns which operations an account may perform, ``perform`` does one with arguments as text and
    returns lines, and raises Refused.
    """

    operations_of: Callable[[Account], Sequence[str]] = lambda account: ()
    perform: Callable[[Account, str, Mapping[str, str]], Coroutine[Any, Any, list[str]]] = _nothing


@dataclass
class Host:
    """What all sessions of a server share."""

    registry: GameRegistry
    accounts: Accounts
    version: str
    addresses: Callable[[], Sequence[tuple[str, str, int]]] = field(default=lambda: ())
    """(type, host, port) of every listener: tp, tps; of tunnels tp+http, tp+https."""
    requests: Mapping[int, RequestType] = field(default_factory=dict)
    """The requests by frame number: ``tpserver.requests.dispatch.REQUESTS``."""
    sessions: set[Session] = field(default_factory=set)
    game_payloads: dict[tuple[str, int], tuple[object, bytes]] = field(default_factory=dict)
    """By dialect and game id: the content of the game's last Game frame, and its payload."""
    making: Making = field(default_factory=Making)
    looks_at_reports: set[tuple[int, int]] = field(default_factory=set)
    """Moderators and the reports that they have looked at since the server started, which the audit has."""
    owner_changes: dict[int, list[float]] = field(default_factory=dict)
    """By account: when it has changed games that it has made, of late, by the steady clock."""
    notice_terms: Terms = field(default_factory=Terms)
    sign_ins: SignIns | None = None
    """Through which other servers accounts are logged in to; None: through none."""
    administration: Administration = field(default_factory=lambda: Administration())
    may_speak: Callable[[], bool] | None = None
    """Of a node of a cluster: whether it may tell now what it has in memory (`tpserver.cluster.lease`)."""
    logins: KeptLogins = field(init=False)
    tokens: Tokens = field(init=False)
    resets: PasswordResets = field(init=False)
    guests: Guests = field(init=False)
    notices: NoticeBook = field(init=False)
    readers: Readers = field(init=False)
    history: History = field(init=False)
    watching: Watching = field(init=False)
    spectators: SpectatorTalk = field(init=False)

    def __post_init__(self) -> None:
        registry = self.registry
        self.logins = KeptLogins(registry.store, registry.now, registry.steady)
        self.tokens = Tokens(registry.store, registry.now)
        self.resets = PasswordResets(self.accounts, registry.now, registry.steady)
        self.resets.offered = MAIL in self.notice_terms.channels
        self.resets.is_address = is_mail_address
        self.guests = Guests(self.accounts, registry.now, registry.steady)
        self.guests.is_online = self.is_online
        self.notices = NoticeBook(registry.store, registry.now, self.notice_terms)
        self.readers = Readers(registry.timers, registry.now)
        registry.seat_changes.unseated.append(self._unseated)
        registry.seat_changes.narrowed.append(self._narrowed)
        registry.seat_changes.seated.append(self._seated)
        registry.removed.append(self._removed)
        registry.dropped.append(self._dropped)
        registry.looking.append(self._is_looked_at)
        self.history = History(registry.store, registry.lifecycle.compute, registry.timers, registry.steady)
        self.watching = Watching(registry, self.history, registry.timers)
        self.spectators = SpectatorTalk(registry, registry.steady)
        self.accounts.ended = self.end_sessions

    def is_online(self, account: int) -> bool:
        """Return whether somebody is connected who has logged in to an account."""
        return any(session.account_id == account for session in self.sessions)

    def _unseated(self, game: Game, seat: Seat, account: int, why: str) -> None:
        """End the sessions of an account that has lost a seat, also those that look at old turns as that seat."""
        for session in tuple(self.sessions):
            here = session.game
            if session.account_id == account and here is not None and here.row.id == game.row.id:
                session.end(why)

    def _narrowed(self, game: Game) -> None:
        """End the sessions of those who watch a game and may no more, also of those who look at its old turns."""
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

    def _seated(self, game: Game, account: int) -> None:
        """End the sessions in which an account watches a game, as it has a seat in it now."""
        for session in tuple(self.sessions):
            here = session.game
            if here is None or here.row.id != game.row.id or session.seat is not None:
                continue
            if session.account_id == account:
                session.end(plays_there(game.name))

    def _is_looked_at(self, game: Game) -> bool:
        """Return whether a session is in a game, or in its old turns."""
        return any(session.game is not None and session.game.row.id == game.row.id for session in self.sessions)

    def _removed(self, game: Game) -> None:
        """End the sessions that are in a game which is not there any more, also in its old turns."""
        for session in tuple(self.sessions):
            if session.game is not None and session.game.row.id == game.row.id:
                session.game_deleted(game.name)

    def _dropped(self, game: Game) -> None:
        """Have the sessions that look at old turns of a game go on where it is now: the others it has told itself."""
        for session in self.history.visitors():
            if isinstance(session, Session) and session.game is not None and session.game.row.id == game.row.id:
                session.game_moved(game.name)

    def not_to_watch(self, account: Account, game: Game) -> str:
        """Return why an account does not see what is public of a game, now or in an old turn; empty if it does.

        Whoever plays it would see more as a spectator than the others, or talk with those who do.
        """
        now = self.registry.with_id(game.row.id)
        row = now.row
        if row.join != "open" and self.registry.store.read(stored_creations.creator_of, row.id) != account.id:
            return f"the game {game.name!r} is for invited players only; nobody else may watch it"
        if is_shown_later(row) and delay_of(row) == UNWATCHED:
            return f"nobody watches the game {game.name!r} before it is over"
        return plays_there(game.name) if not now.over and now.seat_of(account.id) is not None else ""

    def end_sessions(self, account: int, why: str, spare: object = None) -> None:
        """End all sessions of an account but ``spare``, and what could let others in; each is told why at its next
        request."""
        self.logins.forget_tickets(account)
        if self.sign_ins is not None:
            self.sign_ins.forget(account)
        for session in tuple(self.sessions):
            if session.account_id == account and session is not spare:
                session.end(why)

    def comes_in(self, account: Account) -> bool:
        """Return whether an account is let in: if the server is locked down, it has a seat, or a role."""
        if self.accounts.policy != LOCKDOWN or account.role in ("operator", "moderator"):
            return True
        return bool(self.registry.store.read(stored_games.with_seat_of, account.id))

    def lock_down(self) -> None:
        """If the server is locked down, end the sessions of those who do not come in any more."""
        for session in tuple(self.sessions):
            account = session.account
            if account is not None and not self.comes_in(account):
                session.end("this server is locked down: only who plays in one of its games comes in")

    def end_token(self, token: int) -> None:
        """End the sessions that a token has let in."""
        for session in tuple(self.sessions):
            if session.token is not None and session.token.id == token:
                session.end(TOKEN_REVOKED)

    def end_logins(self, logins: Collection[int]) -> None:
        """End the sessions that these kept logins have let in."""
        for session in tuple(self.sessions):
            if session.kept_login in logins:
                session.end(LOGGED_OUT)


class FromElsewhere(bytes):
    """A response that another node has given, which this one passes on whether or not it may speak for itself."""

    __slots__ = ()


class Route(Protocol):
    """Of a session on a node of a cluster: how its client gets to the node that holds the game."""

    def elsewhere(self, session: Session, frame: RawFrame, error: GameElsewhere) -> Reply | None:
        """Have another node answer a request that this one cannot; None: the client is told why it is not done.

        The session ends by that, and goes on there.
        """

    def unspoken(self, session: Session, frame: RawFrame) -> Reply | None:
        """Have a request, which has changed nothing, answered where that may be; None: nobody waits for it any more.

        The session ends by that, if it has not, and goes on there.
        """

    def moved(self, session: Session) -> None:
        """Called when this node does not hold the game of a session any more, before the session leaves the game."""


FENCED = "fenced"
"""The code of a StoreError: another node holds the game."""

NO_NODE = "this server is cut off from its cluster, and says nothing that may be old; try again in a moment"


@dataclass(slots=True, eq=False)
class Session:
    """The session of one connection.  ``answer`` never raises; every error becomes a Fail frame.

    ``closing``: close the connection after sending the last response.  ``use``: the dialect of the frames to come,
    after a client has set filters; None if unchanged.
    """

    host: Host
    peer: Peer
    send: Callable[[bytes], None]
    closing: bool = False
    use: Dialect | None = None
    dialect: Dialect = TP03
    account: Account | None = None
    kept_login: int = 0
    """The id of the kept login that let the client in, or that it has got since; 0: a password did."""
    token: Token | None = None
    """The token that has let the client in, and says what it may do; None: a person's login has."""
    ended: str = ""
    """Why the server has ended this session; the next request gets this sentence, and the connection is closed."""
    game: Game | None = None
    seat: Seat | None = None
    attempts: int = 0
    told_turn: int | None = None
    """Of a session that another process had before: the turn of its game of which the client was told there."""
    untold_since: int | None = None
    """The turn after which one has begun of which a node could not tell the client; None: it knows of the last."""
    over_http: bool = False
    """Whether the connection has come through a listener for browsers, as a WebSocket or a tunnel."""
    look: LastLook | None = None
    """What the player had seen of the game before this connection went in; None where there is no seat."""
    lists: KeptLists = field(default_factory=KeptLists)
    """The lists that the client pages through."""
    reading: Reading | None = None
    """What was listed and not fetched yet; None until something is listed; created by ``reads``."""
    gone: bool = False
    left: int = 0
    """The frames of the present long response that have not been produced."""
    occupied: bool = False
    """Whether a login, which decides what may be requested, or a read of the store is in progress; no request may be
    answered until it ends."""
    unsaved_login: RawFrame | None = None
    """The login, while what it shows is not saved: if that fails, nobody has logged in."""
    route: Route | None = None
    """Set after the session is created, on a node of a cluster."""

    def __post_init__(self) -> None:
        self.host.sessions.add(self)

    # --- responses --------------------------------------------------------------------------------------------------

    def answer(self, frame: RawFrame) -> Reply:
        """Return the response to a request; a Deferred fires with it and never fails.

        The pieces of a long response have to be taken before the next request is answered.  A response is released only
        when the store holds everything it shows.  Not to be called while ``occupied``.
        """
        may_speak = self.host.may_speak
        if may_speak is None:
            return self._answered(frame)
        return self._spoken(self._answered(frame), frame, may_speak) if may_speak() else self._unspoken(frame)

    def _spoken(self, reply: Reply, frame: RawFrame, may_speak: Callable[[], bool]) -> Reply:
        """Return a response, or what takes its place where this server may not speak as a node any more.

        The look is the last thing before the response leaves: this process may have been frozen while it was made.
        """
        if isinstance(reply, Deferred):
            return reply.addCallback(self._spoken_later, frame, may_speak)
        if isinstance(reply, bytes):
            return reply if isinstance(reply, FromElsewhere) or may_speak() else self._unspoken(frame)
        return self._spoken_pieces(reply, frame.dialect, frame.sequence, may_speak)

    def _spoken_later(self, ready: bytes, frame: RawFrame, may_speak: Callable[[], bool]) -> Any:
        if isinstance(ready, FromElsewhere):
            return ready
        if frame is self.unsaved_login:
            return self._unspoken(frame)
        if may_speak():
            return ready
        request = self.host.requests.get(frame.kind)
        if request is not None and request.access != "read":
            # What it has saved was saved while nobody else had the game, and what it has not was not done: neither
            # changes, and to refuse what was done would be wrong.
            return ready
        return self._unspoken(frame)

    def _unspoken(self, frame: RawFrame) -> Reply:
        """Have another node answer a request, or this one as it will be; before login it is refused."""
        reply = None if self.route is None or self.account is None else self.route.unspoken(self, frame)
        return self._silent(frame.dialect, frame.sequence) if reply is None else reply

    def _spoken_pieces(
        self, pieces: Iterator[bytes | Deferred[bytes]], dialect: Dialect, sequence: int, may_speak: Callable[[], bool]
    ) -> Iterator[bytes | Deferred[bytes]]:
        announced = 1  # frames that were not sent yet: before the first piece the client knows of one answer
        for piece in pieces:
            if not may_speak():
                self.left = 0
                yield self._silent(dialect, sequence) * announced
                return
            announced = self.left
            yield piece

    def _silent(self, dialect: Dialect, sequence: int) -> bytes:
        return self.refuse(FailCode.UNAVAILABLE_TEMPORARILY, NO_NODE, sequence, dialect)

    def _answered(self, frame: RawFrame) -> Reply:
        EVENTS.frames += 1
        reached("session: asked")
        dialect, sequence = frame.dialect, frame.sequence
        self.dialect = dialect
        game, request = self.game, self.host.requests.get(frame.kind)
        if (
            game is not None
            and request is not None
            and (quick := request.quick) is not None
            and game.all_saved()
            and (self.token is None or self.host.registry.now() < self.token.ends)
        ):
            ready = quick(self, frame)
            if ready is not None:
                return ready
        comes_in = self.account is None  # as it is before the login, if this is one
        try:
            result = self._handled(frame, request)
            if isinstance(result, Frames):
                if result.settled is None and game is not None:
                    # Of this object: the game may become stale and be replaced while the response is produced.
                    result.settled = game.when_durable
                payloads = result.take()
                if result.left:
                    return self._pieces(dialect, sequence, payloads, result)
                return self._released(dialect.join_payloads(sequence, payloads), _waited_for(result), dialect, sequence)
        except BaseException as error:
            if not isinstance(error, Exception):
                raise
            if isinstance(error, GameElsewhere) and (reply := self._elsewhere(frame, error)) is not None:
                return reply
            # A refusal shows game state, too.
            return self._released(self._fail(dialect, sequence, error), self._unsaved(game), dialect, sequence)
        if isinstance(result, Deferred):
            self.occupied = True
            result.addBoth(self._ended)
            later: Deferred[bytes] = result.addCallback(lambda payloads: dialect.join_payloads(sequence, payloads))
            later.addErrback(self._not_here, frame)
            later.addErrback(self._failed, dialect, sequence)
            return later.addCallback(self._released_later, game, frame if comes_in else None, dialect, sequence)
        return self._released(dialect.join_payloads(sequence, result), self._unsaved(game), dialect, sequence)

    def _ended(self, result: T) -> T:
        """Mark the session as not occupied any more, whether the work succeeded or failed."""
        self.occupied = False
        return result

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        """Return an encoded Fail frame for an error that the connection found."""
        return dialect.join_payloads(sequence, [failed(dialect, Refused(FailCode(code), text))])

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

    def _pieces(
        self, dialect: Dialect, sequence: int, payloads: Answer, frames: Frames
    ) -> Iterator[bytes | Deferred[bytes]]:
        """Produce a long response piece by piece; after an error the frames that are left are Fail frames, so that
        their number stays as announced."""
        head = dialect.join_payloads(sequence, payloads[:1])
        ready = dialect.join_payloads(sequence, payloads)
        self.left = frames.left
        yield self._released(ready, _waited_for(frames), dialect, sequence, len(payloads) - 1, head)
        while frames.left:
            left = frames.left
            try:
                payloads = frames.take()
            except Exception as error:
                self.left = 0
                yield dialect.join_payloads(sequence, [failed(dialect, self.refused(error))] * left)
                return
            self.left = frames.left
            ready = dialect.join_payloads(sequence, payloads)
            yield self._released(ready, _waited_for(frames), dialect, sequence, len(payloads))

    def _released_later(
        self, ready: bytes, game: Game | None, login: RawFrame | None, dialect: Dialect, sequence: int
    ) -> bytes | Deferred[bytes]:
        """Hold a response back as ``_released`` does.  If it is to a login, and saving fails, nobody has logged in."""
        waiting = self._unsaved(game)
        if waiting is not None and login is not None and self.account is not None:
            self.unsaved_login = login
            waiting.addCallbacks(self._login_saved, self._go_out)
        return self._released(ready, waiting, dialect, sequence)

    def _login_saved(self, result: T) -> T:
        if not self.gone:  # else it has gone on elsewhere, as one that has not logged in
            self.unsaved_login = None
        return result

    def _go_out(self, failure: Failure) -> Failure:
        self.unsaved_login = None
        self.leave()
        self.account, self.token, self.kept_login = None, None, 0
        return failure

    def _released(
        self,
        ready: bytes,
        waiting: Deferred[None] | None,
        dialect: Dialect,
        sequence: int,
        count: int = 1,
        head: bytes = b"",
    ) -> bytes | Deferred[bytes]:
        """Hold frames back until everything they show is saved; if saving fails, return `head` and `count` Fail
        frames."""
        reached("session: answered")
        if waiting is None:
            return ready
        return waiting.addCallbacks(
            lambda _: ready, lambda failure: head + self._failed(failure, dialect, sequence) * count
        )

    def _handled(self, frame: RawFrame, request: RequestType | None) -> Answer | Frames | Deferred[Answer]:
        if request is None or frame.kind not in frame.dialect.kinds:
            what = frame.dialect.kind(frame.kind).title
            raise Refused(FailCode.FRAME, f"{what} is an answer; servers send it, clients do not")
        if self.ended:
            self.closing = True
            raise Refused(FailCode.PERMISSION_DENIED, self.ended)
        if self.account is None and not request.is_open:
            raise Refused(FailCode.UNAVAILABLE_TEMPORARILY, f"{request.kind.title} is for players; log in first")
        if (
            request.needs_present
            and isinstance(self.game, PastGame)
            and not self.game.is_watched
            and self.account is not None
        ):
            raise refusals.only_the_past(self.game.turn, self.game.name, self.account.name)
        message = decoded(request.kind, frame, self.lookup())
        if self.token is not None and self.account is not None:
            self._check_token(self.token, request, message)
        result = request.handle(self, message)
        return Deferred.fromCoroutine(result) if isinstance(result, Coroutine) else result

    def _check_token(self, token: Token, request: RequestType, message: Message) -> None:
        """Raise Refused for what a token does not let do."""
        if self.host.registry.now() >= token.ends:
            self.end("this token has expired; make another one")
            self.closing = True
            raise Refused(FailCode.PERMISSION_DENIED, self.ended)
        if self.account is not None and self.account.is_guest:
            return  # it has no password, and logs in by this token alone
        if request.access == "account":
            raise Refused(FailCode.PERMISSION_DENIED, "a token is for games only; log in with the password for that")
        if request.access == "change" and token.read_only:
            raise Refused(FailCode.PERMISSION_DENIED, "this token lets look only, and change nothing")
        if token.game is None:
            return
        named = getattr(message, "game", "")
        if named or isinstance(message, tp.CreateGame):
            row = self.host.registry.row_named(named.partition("/")[0])
            if row is None or row.id != token.game:
                raise refusals.another_game()

    def _unsaved(self, game: Game | None) -> Deferred[None] | None:
        """Return what to wait for until the store holds everything of ``game``, the game of the request.

        That game may have become stale, and been replaced in this session, while the request was handled.
        """
        game = game or self.game
        return None if game is None else game.when_durable()

    def _failed(self, failure: Failure, dialect: Dialect, sequence: int) -> bytes:
        return self._fail(dialect, sequence, failure.value or NotSaved("unknown"), failure)

    def _not_here(self, failure: Failure, frame: RawFrame) -> Any:
        if not isinstance(failure.value, GameElsewhere):
            return failure
        reply = self._elsewhere(frame, failure.value)
        return failure if reply is None else reply

    def _elsewhere(self, frame: RawFrame, error: GameElsewhere) -> Reply | None:
        return None if self.route is None or self.gone else self.route.elsewhere(self, frame, error)

    def _fail(self, dialect: Dialect, sequence: int, error: BaseException, failure: Failure | None = None) -> bytes:
        return dialect.join_payloads(sequence, [failed(dialect, self.refused(error, failure))])

    def refused(self, error: BaseException, failure: Failure | None = None) -> Refused:
        """Return the refusal to send for any error; unexpected errors are logged."""
        if isinstance(error, Refused):
            return error
        if isinstance(error, Refusal):
            return Refused(FailCode(int(error.code)), error.text)
        if isinstance(error, FrameError):
            return Refused(error.code, error.text)
        if isinstance(error, NoSuchTurn | NoSuchProposal | NoSuchVacation):
            return Refused(FailCode.NO_SUCH_THING, str(error))
        if isinstance(error, GameElsewhere):
            text = error.for_clients
            if error.address and self.game is not None:
                text += "; ask for it from a connection that is in no game"
            return Refused(FailCode.UNAVAILABLE_TEMPORARILY, text)
        if isinstance(error, Busy | NotNow):
            return Refused(FailCode.UNAVAILABLE_TEMPORARILY, str(error))
        if isinstance(error, NotKept):
            return Refused(_KEPT_CODES[error.kind], str(error))
        if isinstance(error, NotAdmitted | NoSay):
            return Refused(FailCode.PERMISSION_DENIED, str(error))
        if isinstance(error, GameError):
            return Refused(FailCode.UNAVAILABLE_PERMANENTLY, str(error))
        if isinstance(error, NotSaved) or (isinstance(error, StoreError) and (error.is_fault or error.code == FENCED)):
            text = error.for_clients
            if self.host.registry.store.gone is not None:
                text = (
                    "the server has lost its database and saves nothing until its operator has put it back; "
                    "nothing was changed"
                )
            return Refused(FailCode.UNAVAILABLE_TEMPORARILY, text)
        log.failure("a request of {peer} failed", failure or failure_of(error), peer=self.peer.address)
        text = "the server failed on this request; the operator has been told"
        return Refused(FailCode.UNAVAILABLE_TEMPORARILY, text)

    # --- account, game and seat -------------------------------------------------------------------------------------

    @property
    def logged_in(self) -> bool:
        """Whether the client has logged in."""
        return self.account is not None

    @property
    def account_id(self) -> int | None:
        """The id of the account that has logged in, None before."""
        return None if self.account is None else self.account.id

    def owns(self, game: int, account: Account) -> bool:
        """Return whether an account has made a game, by its id: it sees at least what a spectator sees."""
        return self.host.registry.store.read(stored_creations.creator_of, game) == account.id

    def may_ask(self, kind: int) -> bool:
        """Return whether a request is open to the session as it is: before login few are, after its end none."""
        request = self.host.requests.get(kind)
        return request is not None and not self.ended and (request.is_open or self.account is not None)

    def caller(self) -> Requester:
        """Return who makes the request, for the accounts."""
        return Requester(network_of(self.peer.address), lambda: self.gone)

    def lookup(self) -> Lookup:
        """Return what is needed to encode and decode the orders and objects of the game."""
        return NOTHING if self.game is None else self.game.description.lookup

    def playing(self, what: str) -> tuple[Game, Seat]:
        """Return the game and the seat.  Raises Refused for clients without a seat."""
        game = self.seeing(what)
        if self.seat is None:
            raise Refused(FailCode.PERMISSION_DENIED, f"{what} is for players; you only watch this game")
        return game, self.seat

    def seeing(self, what: str) -> Game:
        """Return the game that is played or watched.  Raises Refused if there is none."""
        if self.game is None:
            raise Refused(FailCode.UNAVAILABLE_TEMPORARILY, f"{what} needs a game; log in as name@game")
        return self.game

    def watched(self) -> Game | None:
        """Return the game that is watched now, as it is now; None for players and for who looks at an old turn."""
        game = self.game
        if game is None or self.seat is not None or (isinstance(game, PastGame) and not game.is_watched):
            return None
        return self.host.registry.with_id(game.row.id) if isinstance(game, PastGame) else game

    def number_of(self, number: int) -> int:
        """Return the number of a player or board; 0 stands for the session's own.

        Clients request their own player, so spectators have a number, too: the one after the last seat's.  It is never
        shown to others and owns nothing; the board with that number is the one on which spectators write to each other.
        """
        if number or self.game is None:
            return number
        return 1 + (len(self.game.players) if self.seat is None else self.seat)

    def enter(self, account: Account, game: Game | None, seat: Seat | None, *, again: bool = False) -> None:
        """Set account, game and seat of the session; does nothing if the connection is gone, or was ended, already.

        ``again``: the client has not come in now, another process had its session before.  Raises NotAdmitted if the
        account was changed, or has lost the seat, while its client was led into the game.
        """
        if self.gone or self.ended:
            return
        if self.account is None:
            # If it was changed while its client was led into a game, this was not among the sessions that were ended.
            now = self.host.registry.store.read(stored_accounts.by_id, account.id)
            if now is None or now.password_hash != account.password_hash or not now.may_log_in:
                raise NotAdmitted(ACCOUNT_CHANGED)
        if game is not None and seat is not None and not self._has_seat(account, game, seat):
            # Whoever is not in the game yet is not among the sessions that end when the seat is somebody else's.
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
        """Show another old turn in place of this one; does nothing if the connection is gone, or was ended, already.

        What was listed of the turn before, and not fetched yet, is fetched from this one.
        """
        if self.game is None:
            return
        self._unfollow()
        self.game = past
        past.subscribers.add(self)

    def end(self, reason: str) -> None:
        """Let the client see and do nothing more; it is told why at its next request."""
        self.leave()
        self.account, self.kept_login, self.ended = None, 0, reason

    def _unfollow(self) -> None:
        """Get no notifications of the game any more, and read no more of what it was when its lists were asked for."""
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

    def fail_payload(self, error: Refused) -> bytes:
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
        """Use this object of the game, which was read from the store again, in place of the stale one.

        The stale game's present view may show what was never saved, so it is not read any more; older views were saved.
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
        """The game is not there any more: this connection is in none."""
        self.end(f"the game {name} was deleted by the operator of this server")

    def game_moved(self, name: str) -> None:
        """This server holds the game no more: this connection goes to where it is held, or is in none."""
        if self.route is not None:
            self.route.moved(self)
        if not self.gone:
            self.end(f"this server does not hold the game {name} any more; log in again")

    # --- repeatable reading -----------------------------------------------------------------------------------------

    def reads(self) -> Reading:
        """Return the record of what is listed and not fetched yet, creating it if need be."""
        if self.reading is None:
            self.reading = Reading()
        self.host.readers.add(self.reading)
        return self.reading

    def tell(self, oid: Oid, queue: Queue | None) -> None:
        """Record that the client was told a queue's length and may read each slot; None: the queue is empty."""
        if queue is not None:
            self.reads().tell(oid, queue, self.host.registry.now())
        elif self.reading is not None:
            self.reading.told.pop(oid, None)

    def changed(self, oid: Oid) -> None:
        """Record that the client has changed an order queue: it now sees the queue and its object as they are."""
        if self.reading is not None:
            self.reading.changed(oid)


def plays_there(game: str) -> str:
    """Return what is told to whoever would watch a game of this name and has a seat in it."""
    return f"you have a seat in the game {game!r}, and whoever plays does not watch besides"


def _waited_for(frames: Frames) -> Deferred[None] | None:
    return None if frames.settled is None else frames.settled()


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
