"""Routing of a session in a cluster: to this node or the lease holder.

A client may connect to any node. Its session stays here while it is in no game, or in a game that this node holds. A
request for a game of another node goes there over the link between the nodes, with the whole session. All later
requests follow it.

If that node no longer holds the game (it ended, froze or is draining), the session returns here with its unanswered
requests. Then this node looks up the new lease holder, which may be this node itself. Meanwhile requests wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpproto.dialects import Dialect
from tpproto.stream import RawFrame
from tpserver.concurrency import Clock, Throttle, pause
from tpserver.games.core.errors import GameElsewhere, NotNow
from tpserver.portal.idempotency import Idempotency, RelayedRequest, whole
from tpserver.portal.portal_session import Edge, NoEngineLink, RelayedSession
from tpserver.portal.session_state import Carried, game_of, resume
from tpserver.requests.session.responses import FromElsewhere, Reply
from tpserver.requests.session.session import Session
from tpserver.store import StoreError

RETRY_SECONDS = 0.1
"""Minimum seconds before the next look for a lease holder, if none could be reached."""

PATIENCE = 60.0
"""Seconds after which a client gets a refusal because its game cannot be reached."""

NOT_REACHED = "the node that has your game could not be reached; log in again"

NOWHERE = NoEngineLink()

log = Logger()


class Nodes(Protocol):
    """The nodes of a cluster, as sessions use them."""

    clock: Clock
    once: Idempotency
    throttle: Throttle
    """Spreads the lookups of sessions without a place: there may be thousands, as a node dies."""
    local: Callable[[str, bool, Callable[[bytes], None], str], Session]
    """Creates sessions on this node."""

    def link_to(self, address: str) -> Edge:
        """Return the link to the node at an address, which may not be open yet.

        If it cannot be opened, or is closed, its sessions look for another node.
        """

    @property
    def address(self) -> str:
        """The address of this node."""
        ...

    @property
    def retry_seconds(self) -> float:
        """Seconds until the next try of a session without a place; more if there are many of them."""
        ...

    def holder_of(self, game: int) -> Deferred[str]:
        """Fires with the address of the other node that holds a game, empty if none does; fails with StoreError."""
        ...

    def place(self, session: RoutedSession, found: bool) -> None:
        """Record whether a session has found a place."""

    def follow(self, session: RelayedSession, routed: RoutedSession) -> None:
        """Remember the routed session of a session that another node has, to give it back."""

    def connection_id(self, number: int) -> str:
        """Return the id of a connection, with which those of its requests begin."""


class RoutedSession:
    """See `tpserver.wire.net.connection.Session`. ``relayed`` is its form while another node has it."""

    def __init__(self, nodes: Nodes, relayed: RelayedSession, address: str, secure: bool, token: str) -> None:
        self._nodes = nodes
        self._relayed = relayed
        self._asking = (address, secure, relayed.send, token)
        self._over_http = False
        self._gone = False
        self._since = 0.0  # since when nobody serves the session, by the clock
        self._last = ("", 0.0)  # the last node it has gone to, and when
        self._trying: Session | None = None  # here, while it is found out whether the session goes on here
        self._away: str | None = None  # the address to which that one has to go, empty if unknown
        self._local: Session | None = self._new_local()

    # --- tpserver.wire.net.connection.Session

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

    def elsewhere(self, session: Session, frame: RawFrame, error: GameElsewhere) -> bytes | Deferred[bytes] | None:
        """Move the session to the node that can answer a request; None if the client is in a game, which it keeps."""
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

    def unspoken(self, session: Session, frame: RawFrame) -> bytes | Deferred[bytes] | None:
        """Find a place for the session, as this node may not speak now, and repeat the request there."""
        if self._gone:
            return None
        if session is self._trying:
            self._away = ""
            return FromElsewhere()
        self.moved(session)
        return Deferred.fromCoroutine(whole(self._session.answer(frame))).addCallback(FromElsewhere)

    def moved(self, session: Session) -> None:
        """Look for a new place for the session, as this node no longer holds its game."""
        if session is self._trying:
            self._away = ""
        elif session is self._local:
            self._leave(session)
            self._find_place()

    # --- called by the link

    def given_back(self) -> None:
        """Take the session back from another node, and repeat its unanswered requests."""
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
        """End the session here; its state continues elsewhere."""
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
        """Let the session continue here, or at the node that holds its game, as soon as that is known."""
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
            await pause(nodes.clock, nodes.retry_seconds)

    async def _try_here(self) -> str | None:
        """Try to continue the session here and answer its pending requests.

        Return None on success, else the address of the right node, or an empty text if it is unknown.
        """
        session = self._trying = self._new_local()
        may_speak = session.host.may_speak
        self._away = None
        try:
            if self._relayed.state:
                await resume(session, self._relayed.state)
                if self._away is None and not self._gone:
                    self._note(session, Carried())  # it may know of a turn
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
        """Answer the pending requests here, until none is left, or one is for another node."""
        relayed, carried = self._relayed, Carried()
        while relayed.unanswered and self._away is None and not self._gone:
            request = relayed.unanswered[0]
            asked = RelayedRequest(request.number, request.frame, True, request.turn, len(relayed.unanswered) - 1)
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
