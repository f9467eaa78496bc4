"""Ports for clients and browsers, of a server or of its portal."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from twisted.logger import Logger

from tpserver.config import Config
from tpserver.endpoints import places_of, web_places_of
from tpserver.periodic import Repeated
from tpserver.wire.net.client_header import MissingHeaders
from tpserver.wire.net.connection import SessionFactory
from tpserver.wire.net.errors import ListenError
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import ConnectionLimiter, allow_open_files
from tpserver.wire.net.listeners import Listeners, listen
from tpserver.wire.net.proxies import ProxiedFactory, Proxies
from tpserver.wire.net.sharing import Counts, SharedPort

if TYPE_CHECKING:
    from tpserver.wire.net.tls import ServerCertificate
    from tpserver.wire.web.browsers import Browsers

log = Logger()

COUNT_SECONDS = 0.25
"""Seconds after which the other processes of the server get the number of connections of this one."""


class ClientPorts:
    """Listeners for clients and browsers, and their connections.

    ``inherited`` are sockets that already listen, by ``EndpointSpec.key``. ``sessions`` creates the session of each
    connection.
    """

    def __init__(self, config: Config, reactor: Any, inherited: Mapping[str, int], sessions: SessionFactory) -> None:
        self._config = config
        self._reactor = reactor
        self._inherited = inherited
        missing = MissingHeaders(config.server.data, config.proxy.client_header, reactor.seconds)
        self._proxies = Proxies(config.proxy.addresses, config.proxy.client_header, missing.note)
        limiter = ConnectionLimiter(config.limits, is_proxy=self._proxies.has)
        self.connections = ConnectionFactory(sessions, config.limits, reactor, time.perf_counter, limiter)
        self.listeners = Listeners(())
        self.web_listeners = Listeners(())
        self.browsers: Browsers | None = None

    async def open(self, health: Callable[[], dict[str, object] | None]) -> None:
        """Listen; ``health`` returns the public status. Raises ListenError and CertificateError."""
        config, header = self._config, {}
        if config.proxy.header:
            header["outside"] = partial(
                ProxiedFactory, proxies=self._proxies, clock=self._reactor, seconds=config.limits.frame_seconds
            )
        self.listeners = await listen(self._reactor, self.connections, places_of(config), self._inherited, **header)
        if places := web_places_of(config):
            from tpserver.wire.web.browsers import Browsers  # it takes a tenth of a second, and 10 MB

            self.browsers = Browsers(
                self.connections,
                self._reactor,
                config.web.ping_seconds,
                config.web.origins,
                health,
                self._proxies,
                config.web.tunnel == "on",
            )
            try:
                self.web_listeners = await listen(self._reactor, self.browsers.factory, places, self._inherited)
            except ListenError as error:
                raise ListenError(f"{error} (browsers: --web-port PORT, or --web off)") from None

    def check_open_files(self) -> None:
        """Allow this process a file for each connection within the limits, or log a warning."""
        most = self._config.limits.connections
        fitting = allow_open_files(most)
        if fitting < most:
            text = "the system allows this process files for {fitting} connections only, not {wanted}"
            log.warn(text, fitting=fitting, wanted=most)

    @property
    def certificate(self) -> ServerCertificate | None:
        """The certificate that clients get; None without TLS."""
        return next((at.place.tls for at in self.listeners.all if at.place.tls is not None), None)

    def sockets(self) -> dict[str, int]:
        """Return the sockets that the next process can take over, by ``EndpointSpec.key``."""
        return {**self.listeners.sockets(), **self.web_listeners.sockets()}

    def use(self, config: Config) -> None:
        """Apply the limits and origins of a configuration that was read again."""
        self.connections.use(config.limits)
        if self.browsers is not None:
            self.browsers.origins.allow(config.web.origins)

    def share(self, counts: Counts) -> Repeated:
        """Accept connections as one of several processes, and report their number to the others."""

        def connections() -> int:
            return self.connections.limiter.count

        for listener in (*self.listeners.all, *self.web_listeners.all):
            SharedPort(self._reactor, listener.listening, counts, connections)
        counting = Repeated(self._reactor, COUNT_SECONDS, lambda: counts.put(connections()))
        counting.start()
        return counting

    async def close(self) -> None:
        """Accept no more connections; open connections stay."""
        await self.listeners.close()
        await self.web_listeners.close()

    def close_browsers(self) -> None:
        """End the browsers' connections except WebSockets."""
        if self.browsers is not None:
            self.browsers.close()
