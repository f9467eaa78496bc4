"""The whole portal: listeners, connections, files of the page, and links.

Engines connect to its socket. The portal opens no database and loads no ruleset. The engine sends it the facts about
games that it needs.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from twisted.internet.defer import maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.logger import Logger

from tpserver import files
from tpserver.admin import reloading
from tpserver.admin.socket_protocol import OperationError, PathTooLong, SocketPath
from tpserver.client_ports import ClientPorts
from tpserver.config import Config
from tpserver.games.turns.turn_timers import steady_seconds
from tpserver.portal import link_pb2 as link
from tpserver.portal.portal_session import Edge, HolderEndFactory
from tpserver.wire.net.errors import CertificateError, ListenError
from tpserver.wire.net.listeners import NOTHING, Listener

SOCKET = "edge.socket"
"""The socket in the data directory for the process with the games."""

log = Logger()


class CannotKeep(Exception):
    """The portal cannot start, and has closed everything again. The message is one sentence."""


class EdgeProcess:
    """The portal process.

    Call `start` on the reactor's thread, and `stop` before the reactor stops. `inherited` are listening sockets, by
    `EndpointSpec.key`. `read_config` reads the configuration again, and raises OperationError.
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
        self._ports = ClientPorts(config, reactor, inherited, self.edge.session)
        self._path: SocketPath | None = None
        self._port: Any = None

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """The listeners for clients and browsers, with the real ports."""
        return (*self._ports.listeners.all, *self._ports.web_listeners.all)

    def sockets(self) -> dict[str, int]:
        """Return the listening sockets for the next portal, by `EndpointSpec.key`."""
        return self._ports.sockets()

    async def start(self) -> None:
        """Listen for engines and clients. Raises CannotKeep."""
        try:
            await self._start()
        except (ListenError, CertificateError, PathTooLong) as error:
            await self.stop()
            raise CannotKeep(str(error)) from None

    async def _start(self) -> None:
        self._prepare_socket(self.config.server.data)
        await self._ports.open(self.health)
        if (browsers := self._ports.browsers) is not None:
            from tpserver.portal.http_calls import RelayedPages, RelayedSignIns

            pages = RelayedPages(self.edge)
            browsers.keep_logins(pages, lambda logins: None)
            browsers.stop_notices(pages.stop_notices)
            browsers.show_calendars(pages)
            browsers.sign_in(RelayedSignIns(self.edge))
        self._ports.check_open_files()
        self._listen_for_holders(self.config.server.data)

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
            # Twisted sets the mode between bind and listen, so no process can connect before that.
            self._port = self.reactor.listenUNIX(path, HolderEndFactory(self.edge), mode=0o600, wantPID=False)
        except (CannotListenError, OSError) as error:
            reason = getattr(error, "socketError", error)
            why = getattr(reason, "strerror", None) or reason
            raise ListenError(f"the socket {directory / SOCKET} cannot be opened: {why}") from None

    async def stop(self) -> None:
        """Accept no connections, close the others after their pending responses, then close the link."""
        await self._ports.close()
        self._ports.close_browsers()
        await self._ports.connections.close()
        self.edge.stop()
        if self._port is not None:
            await maybeDeferred(self._port.stopListening)
        if self._path is not None:
            self._path.close()

    def reload(self) -> None:
        """Read the configuration and the certificates again.

        It applies limits, origins and the log level. The engine notifies the operator of changes that need a restart.
        """
        if self._read_config is None:
            return
        try:
            new = self._read_config()
        except OperationError as error:
            log.error("reload: {why}", why=str(error))
            return
        try:
            certificate = self._ports.certificate
            if certificate is not None and new.tls.certificate is not None:
                certificate.renew(new.tls.certificate, new.tls.key)
        except CertificateError as error:
            log.error("reload: {why}", why=str(error))
        new = reloading.taken_over(self.config, new, by_tls=certificate is not None)
        self._ports.use(new)
        self._set_log_level(new.log.level)
        log.info("reload: the process that keeps the connections has read the configuration again")

    def _places(self) -> list[link.Place]:
        groups = ((self._ports.listeners, False), (self._ports.web_listeners, True))
        return [
            link.Place(host=at.host, port=at.port, secure=at.secure, web=is_web)
            for listeners, is_web in groups
            for at in listeners.all
        ]

    def health(self) -> dict[str, object] | None:
        """Return the state of the engine for monitoring; None while there is no engine."""
        status = self.edge.status
        if self.edge.holder is None:
            return None
        if status.problem:
            return {"failing": status.problem}
        less = {"problem": status.less} if status.less else {}
        return {"games": status.games, "connections": self._ports.connections.limiter.count, **less}


def _somebody_listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(path)
        except OSError:
            return False
    return True
