"""The session of a connection to a node of a cluster: here, or at the node that holds its game.

A client may connect to any node.  Its session is here as long as it is in no game, or in one that this node holds.  A
request for a game of another node goes there with the whole session, over the link between the two, and so does all
that follows.  Each time a node holds the game no more, because it was ended, frozen or drained, the session comes back
here with what is not answered; here it is found out who has the game now, which may be this node.  Meanwhile requests
wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpproto.dialects import Dialect
from tpproto.stream import RawFrame
from tpserver.concurrency import Clock, Throttle
from tpserver.edge.carried import Carried, game_of, resume
from tpserver.edge.once import Asked, Once, whole
from tpserver.edge.relayed import Edge, Nowhere, RelayedSession
from tpserver.games.game import GameElsewhere, NotNow
from tpserver.requests.session import FromElsewhere, Reply, Session
from tpserver.store import StoreError

RETRY_SECONDS = 0.1
"""Minimum seconds before it is asked again who holds a game, if nobody could be reached who does."""

PATIENCE = 60.0
"""Seconds after which a client is told that its game cannot be reached."""

NOT_REACHED = "the node that has your game could not be reached; log in again"

NOWHERE = Nowhere()

log = Logger()


class Nodes(Protocol):
    """The nodes of a cluster, as sessions use them."""

    clock: Clock
    once: Once
    throttle: Throttle
    """Spreads what sessions do that find out where they go on: thousands may, as a node dies."""
    local: Callable[[str, bool, Callable[[bytes], None], str], Session]
    """Creates sessions on this node."""

    def link_to(self, address: str) -> Edge:
        """Return the link to the node at an address, which may not be open yet; if it cannot be opened, or is closed,
        its sessions are given back."""

    @property
    def address(self) -> str:
        """Where this node is reached."""
        ...

    @property
    def retry_seconds(self) -> float:
        """How long a session waits that has found no place: the longer, the more of them there are."""
        ...

    def holder_of(self, game: int) -> Deferred[str]:
        """Fires with the address of the other node that holds a game, empty if none does; fails with StoreError."""
        ...

    def place(self, session: RoutedSession, found: bool) -> None:
        """Know whether a session has found a place."""

    def follow(self, session: RelayedSession, routed: RoutedSession) -> None:
        """Know whose session another node has, to give it back."""

    def connection_id(self, number: int) -> str:
        """Return the id of a connection, with which those of its requests begin."""


class RoutedSession:
    """See `tpserver.net.connection.Session`.  ``relayed`` is what it is while another node has it."""

    def __init__(self, nodes: Nodes, relayed: RelayedSession, address: str, secure: bool, token: str) -> None:
        self._nodes = nodes
        self._relayed = relayed
        self._asking = (address, secure, relayed.send, token)
        self._over_http = False
        self._gone = False
        self._since = 0.0  # since when nobody serves the session, by the clock
        self._last = ("", 0.0)  # the last node it has gone to, and when
        self._trying: Session | None = None  # here, while it is found out whether the session goes on here
        self._away: str | None = None  # where that one has to go: an address, empty if nobody knows
        self._local: Session | None = self._new_local()

    # --- tpserver.net.connection.Session

    @property
    def _session(self) -> Session | RelayedSession:
        return self._relayed if self._local is None else self._local

    @property
    def closing(self) -> bool:
        return self._session.closing

    @property
    def logged_in(self) -> bool:
        return self._session.logged_in

    @property
    def occupied(self) -> bool:
        return self._session.occupied

    @property
    def account_id(self) -> int | None:
        return self._session.account_id

    @property
    def use(self) -> Dialect | None:
        return self._session.use

    @property
    def kept_bytes(self) -> int:
        return self._session.kept_bytes

    @property
    def over_http(self) -> bool:
        return self._over_http

    @over_http.setter
    def over_http(self, over_http: bool) -> None:
        self._over_http = self._relayed.over_http = over_http
        if self._local is not None:
            self._local.over_http = over_http

    def answer(self, frame: RawFrame) -> Reply:
        return self._session.answer(frame)

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        return self._session.refuse(code, text, sequence, dialect)

    def note_reading(self, is_behind: bool) -> None:
        self._relayed.note_reading(is_behind)

    def connection_lost(self) -> None:
        self._gone = True
        for session in (self._local, self._trying):
            if session is not None:
                session.connection_lost()
        self._relayed.connection_lost()

    # --- Route: called by the session here

    def elsewhere(self, session: Session, frame: RawFrame, error: GameElsewhere) -> Reply | None:
        """Go with the session to the node that can answer a request; None: whoever is in a game does not leave it."""
        if session.game is not None or not error.address:
            return None
        if session is self._trying:
            self._away = error.address
            return FromElsewhere()
        self._leave(session)
        if error.address == self._nodes.address:
            self._find_place()  # this node was that one until its lease ran out, and is nobody at the moment
        else:
            self._go(error.address)
        reply = self._relayed.answer(frame)
        return FromElsewhere(reply) if isinstance(reply, bytes) else reply.addCallback(FromElsewhere)

    def unspoken(self, session: Session, frame: RawFrame) -> Reply | None:
        """Find out where the session goes on, as this node may say nothing at the moment, and ask again there."""
        if self._gone:
            return None
        if session is self._trying:
            self._away = ""
            return FromElsewhere()
        self.moved(session)
        return Deferred.fromCoroutine(whole(self._session.answer(frame))).addCallback(FromElsewhere)

    def moved(self, session: Session) -> None:
        """Find out where the session goes on, as this node does not hold its game any more."""
        if session is self._trying:
            self._away = ""
        elif session is self._local:
            self._leave(session)
            self._find_place()

    # --- called by the link

    def given_back(self) -> None:
        """Take the session, which another node has had; what it has not answered is asked again."""
        self._relayed.edge = NOWHERE
        self._relayed.holder_lost()
        if not self._gone:
            self._find_place()

    # --- inside

    def _new_local(self) -> Session:
        session = self._nodes.local(*self._asking)
        assert isinstance(session, Session)
        session.over_http = self._over_http
        session.route = self
        return session

    def _leave(self, session: Session) -> None:
        """End the session here; what was told of it goes on."""
        self._note(session, Carried())
        session.connection_lost()
        self._local = None

    def _note(self, session: Session, carried: Carried) -> None:
        relayed = self._relayed
        if state := carried.news(session):
            relayed.take_state(state)
        relayed.closing, relayed.use = session.closing, session.use
        is_in = session.logged_in and session.unsaved_login is None
        relayed.logged_in, relayed.account_id = is_in, session.account_id if is_in else None

    def _go(self, address: str) -> None:
        link = self._nodes.link_to(address)
        relayed = self._relayed
        relayed.edge = link
        link.sessions[relayed.number] = relayed
        self._nodes.follow(relayed, self)
        self._last = address, self._nodes.clock.seconds()
        if link.holder is not None:
            relayed.resume(link.holder)
            link.holder.flush_soon()

    def _find_place(self) -> None:
        relayed, now = self._relayed, self._nodes.clock.seconds()
        if relayed.was_served or not self._since:
            self._since, relayed.was_served = now, False
        self._nodes.place(self, found=False)
        Deferred.fromCoroutine(self._placed()).addErrback(self._failed).addBoth(
            lambda _: self._nodes.place(self, found=True)
        )

    async def _placed(self) -> None:
        """Have the session go on here, or at the node that holds its game, as soon as that is known."""
        nodes = self._nodes
        while not self._gone:
            address: str | None
            try:
                address = await nodes.holder_of(game) if (game := game_of(self._relayed.state)) else ""
            except StoreError:
                address = nodes.address
            await nodes.throttle.admit()
            if not address and not self._gone:
                address = await self._try_here()
            if address is None or self._gone:
                return
            if address == nodes.address:
                address = ""  # nobody knows
            now = nodes.clock.seconds()
            if now - self._since >= PATIENCE:
                self._give_up()
                return
            if address and (address != self._last[0] or now - self._last[1] >= nodes.retry_seconds):
                self._go(address)
                return
            pause: Deferred[None] = Deferred()
            nodes.clock.callLater(nodes.retry_seconds, pause.callback, None)
            await pause

    async def _try_here(self) -> str | None:
        """Have the session go on here and answer what was asked; return None if that works, else where it has to go,
        or an empty text if nobody knows."""
        session = self._trying = self._new_local()
        may_speak = session.host.may_speak
        self._away = None
        try:
            if self._relayed.state:
                await resume(session, self._relayed.state)
                if self._away is None and not self._gone:
                    self._note(session, Carried())  # it may have been told of a turn
            await self._catch_up(session)
        except GameElsewhere as error:
            self._away = error.address
        except (NotNow, StoreError):
            self._away = ""
        except BaseException:
            session.connection_lost()
            raise
        finally:
            self._trying = None
        if self._away is None and may_speak is not None and not may_speak():
            self._away = ""
        if self._away is None and not self._gone:
            self._local = session
            self._since = 0.0
            return None
        session.connection_lost()
        return self._away

    async def _catch_up(self, session: Session) -> None:
        """Answer here what was not answered elsewhere, until there is nothing left, or something is for elsewhere."""
        relayed, carried = self._relayed, Carried()
        while relayed.unanswered and self._away is None and not self._gone:
            request = relayed.unanswered[0]
            asked = Asked(request.number, request.frame, True, request.turn, len(relayed.unanswered) - 1)
            connection = self._nodes.connection_id(relayed.number)
            response = await whole(self._nodes.once.answer(connection, session, asked))
            if self._away is None and not self._gone:
                self._note(session, carried)
                relayed.end_request(response)
                if relayed.unanswered:
                    await self._nodes.throttle.admit()

    def _give_up(self) -> None:
        session = self._new_local()
        self._relayed.give_up()
        session.end(NOT_REACHED)
        self._local = session

    def _failed(self, failure: Failure) -> None:
        log.failure("the session of {address} could not go on", failure, address=self._asking[0])
        if not self._gone:
            self._give_up()
