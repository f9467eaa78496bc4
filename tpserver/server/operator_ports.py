"""Ports for metrics and administration consoles."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from twisted.logger import Logger

from tpserver.admin.console import Consoles, read_password
from tpserver.admin.context import AdminContext
from tpserver.server.process import Process
from tpserver.server.shutdown import Stage
from tpserver.wire.net.errors import ListenError
from tpserver.wire.net.listeners import EndpointSpec, Listeners, listen, plain, web

if TYPE_CHECKING:
    from tpserver.wire.web.metrics import Closings, Figure

log = Logger()


class OperatorPorts:
    """Listeners for metrics and consoles."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._listeners: list[Listeners] = []
        self.consoles: Consoles | None = None

    async def open(
        self, figures: Callable[[], tuple[list[Figure], Closings]], context: Callable[[], AdminContext]
    ) -> None:
        """Open the configured listeners. Raises ListenError."""
        config, reactor = self._process.config, self._process.reactor
        if config.metrics.port is not None:
            from tpserver.wire.web.metrics import NoMetrics, metrics_factory

            try:
                factory = metrics_factory(figures)
            except NoMetrics as error:
                raise ListenError(f"{error} ([metrics] in the configuration)") from None
            where = await self._listen(factory, web(config.metrics.port, config.metrics.address), "metrics")
            log.info("metrics: {where}/metrics", where=where)
        chosen = config.admin
        if chosen.user and chosen.password is not None:
            password, in_reactor = read_password(chosen.password), reactor.callFromThread
            self.consoles = Consoles(reactor, in_reactor, context, chosen.user, password, config.log.level, time.time)
            self._process.shutdown.add(Stage.CONSOLES, self.consoles.close)
            where = await self._listen(self.consoles.factory, plain(chosen.port, chosen.address), "consoles", "admin")
            log.info("administration consoles: {where}", where=where)

    async def _listen(self, factory: Any, place: EndpointSpec, use: str, section: str = "") -> str:
        try:
            listeners: Listeners = await listen(
                self._process.reactor, factory, [replace(place, use=use)], self._process.launch.sockets
            )
        except ListenError as error:
            raise ListenError(f"{error} ([{section or use}] in the configuration)") from None
        self._listeners.append(listeners)
        self._process.shutdown.add(Stage.PORTS, listeners.close)
        return str(listeners.all[0])

    def sockets(self) -> dict[str, int]:
        """Return the sockets that the next server can take over, by ``EndpointSpec.key``."""
        return {key: number for listeners in self._listeners for key, number in listeners.sockets().items()}
