"""The edge as a whole: listeners, connections, files of the page, and the socket at which holders arrive.

It opens no database and loads no ruleset.  What it needs to know of games the holder tells it.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.logger import Logger

from tpserver import files
from tpserver.admin.socket_protocol import PathTooLong, Refused, SocketPath
from tpserver.config import Config
from tpserver.edge import link_pb2 as link
from tpserver.edge.relayed import Edge, HolderEndFactory
from tpserver.games.turn_timers import steady_seconds
from tpserver.net.errors import CertificateError, ListenError
from tpserver.net.factory import ConnectionFactory
from tpserver.net.limits import allow_open_files
from tpserver.net.listeners import NOTHING, Listener, Listeners, listen
from tpserver.net.proxies import ProxiedFactory, Proxies
from tpserver.places import places_of, web_places_of

if TYPE_CHECKING:
    from tpserver.web.browsers import Browsers

SOCKET = "edge.socket"
"""The socket in the data directory at which the process that holds the games arrives."""

log = Logger()


class CannotKeep(Exception):
    """The edge cannot start; what it has opened is closed.  The message is one sentence."""


class EdgeProcess:
    """The edge.  Call `start` on the reactor's thread, and `stop` before the reactor stops.

    `inherited` are sockets that are listening already, by `EndpointSpec.key`; `read_config` reads the configuration
    again, and raises Refused.
    """

    def __init__(
        self,
        config: Config,
        reactor: Any,
        inherited: Mapping[str, int] = NOTHING,
        read_config: Callable[[], Config] | None = None,
        set_log_level: Callable[[str], None] = lambda level: None,
    ) -> None:
        self.config = config
        self.reactor = reactor
        reactor.seconds = steady_seconds
        self.edge = Edge(reactor, self._places, self.reload)
        self._read_config = read_config
        self._set_log_level = set_log_level
        self._inherited = inherited
        self._connections = ConnectionFactory(self.edge.session, config.limits, reactor, time.perf_counter)
        self._proxies = Proxies(config.proxy.addresses)
        self._connections.limiter.is_proxy = self._proxies.has
        self._listeners = self._web_listeners = Listeners(())
        self._browsers: Browsers | None = None
        self._path: SocketPath | None = None
        self._port: Any = None

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """The listeners for clients and browsers, with the real ports."""
        return (*self._listeners.all, *self._web_listeners.all)

    def sockets(self) -> dict[str, int]:
        """Return the sockets at which the next edge can listen, by `EndpointSpec.key`."""
        return {**self._listeners.sockets(), **self._web_listeners.sockets()}

    async def start(self) -> None:
        """Listen for holders and clients.  Raises CannotKeep."""
        try:
            await self._start()
        except (ListenError, CertificateError, PathTooLong) as error:
            await self.stop()
            raise CannotKeep(str(error)) from None

    async def _start(self) -> None:
        config = self.config
        self._prepare_socket(config.server.data)
        outside: Callable[[Any], Any] = lambda factory: factory  # noqa: E731 - of one line either way
        if config.proxy.header:
            outside = partial(
                ProxiedFactory, proxies=self._proxies, clock=self.reactor, seconds=config.limits.frame_seconds
            )
        self._listeners = await listen(self.reactor, self._connections, places_of(config), self._inherited, outside)
        if places := web_places_of(config):
            from tpserver.edge.pages import RelayedPages, RelayedSignIns
            from tpserver.web.browsers import Browsers

            self._browsers = Browsers(
                self._connections,
                self.reactor,
                config.web.ping_seconds,
                config.web.origins,
                self._health,
                self._proxies,
                config.web.tunnel == "on",
            )
            pages = RelayedPages(self.edge)
            self._browsers.keep_logins(pages, lambda logins: None)
            self._browsers.stop_notices(pages.stop_notices)
            self._browsers.show_calendars(pages)
            self._browsers.sign_in(RelayedSignIns(self.edge))
            try:
                self._web_listeners = await listen(self.reactor, self._browsers.factory, places, self._inherited)
            except ListenError as error:
                raise ListenError(f"{error} (browsers: --web-port PORT, or --web off)") from None
        fitting = allow_open_files(config.limits.connections)
        if fitting < config.limits.connections:
            log.warn(
                "the system allows this process files for {fitting} connections only, not {wanted}",
                fitting=fitting,
                wanted=config.limits.connections,
            )
        self._listen_for_holders(config.server.data)

    def _prepare_socket(self, directory: Path) -> None:
        try:
            files.make_directory(directory, 0o700)
        except OSError as error:
            raise ListenError(f"the data directory {directory} cannot be made: {error.strerror or error}") from None
        self._path = SocketPath(directory, SOCKET)
        path = self._path.path
        if _somebody_listens(path):
            raise ListenError(f"a server runs already on the data in {directory}: stop that one, or name other data")

    def _listen_for_holders(self, directory: Path) -> None:
        assert self._path is not None
        path = self._path.path
        try:
            if Path(path).is_socket():
                Path(path).unlink()
            # Twisted sets the mode between bind and listen: nobody can connect before it is set.
            self._port = self.reactor.listenUNIX(path, HolderEndFactory(self.edge), mode=0o600, wantPID=False)
        except (CannotListenError, OSError) as error:
            reason = getattr(error, "socketError", error)
            why = getattr(reason, "strerror", None) or reason
            raise ListenError(f"the socket {directory / SOCKET} cannot be opened: {why}") from None

    async def stop(self) -> None:
        """Accept nobody, close the connections after their pending responses, then the link."""
        await self._listeners.close()
        await self._web_listeners.close()
        if self._browsers is not None:
            self._browsers.close()
        await self._connections.close()
        self.edge.stop()
        if self._port is not None:
            await maybeDeferred(self._port.stopListening)
        if self._path is not None:
            self._path.close()

    def reload(self) -> None:
        """Read the configuration and the certificates again, and take over limits, origins and the level of the log.

        The holder tells the operator what waits for a restart.
        """
        if self._read_config is None:
            return
        try:
            new = self._read_config()
            certificate = next((at.place.tls for at in self._listeners.all if at.place.tls is not None), None)
            if certificate is not None and new.tls.certificate is not None:
                from tpserver.net.tls import certificate_options

                certificate.renew(certificate_options(new.tls.certificate, new.tls.key))
        except (Refused, CertificateError) as error:
            log.error("reload: {why}", why=str(error))
            return
        self._connections.use(replace(new.limits, memory_bytes=self.config.limits.memory_bytes))
        if self._browsers is not None:
            self._browsers.origins.allow(new.web.origins)
        self._set_log_level(new.log.level)
        log.info("reload: the process that keeps the connections has taken over limits, origins and certificates")

    def _places(self) -> list[link.Place]:
        groups = ((self._listeners, False), (self._web_listeners, True))
        return [
            link.Place(host=at.host, port=at.port, secure=at.secure, web=is_web)
            for listeners, is_web in groups
            for at in listeners.all
        ]

    def _health(self) -> dict[str, object] | None:
        if self.edge.holder is None:
            return None
        if self.edge.status.problem:
            return {"problem": self.edge.status.problem}
        return {"games": self.edge.status.games, "connections": self._connections.limiter.count}


def _somebody_listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(path)
        except OSError:
            return False
    return True


def run_reactor(reactor: Any, process: EdgeProcess, ready: Callable[[], Awaitable[None]]) -> None:
    """Start the edge, call `ready`, and serve until a signal comes.  Raises what starting raises."""
    errors: list[BaseException] = []

    async def everything() -> None:
        try:
            await process.start()
            await ready()
        except Exception as error:
            errors.append(error)
            if reactor.running:
                reactor.stop()

    reactor.addSystemEventTrigger("before", "shutdown", lambda: Deferred.fromCoroutine(process.stop()))
    reactor.callWhenRunning(lambda: Deferred.fromCoroutine(everything()))
    reactor.run()
    if errors:
        raise errors[0]
