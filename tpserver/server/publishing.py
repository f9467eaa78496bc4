"""Announcement of the games on the local network and at a metaserver."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import TypeVar

from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger

from tpserver import __version__
from tpserver.addresses import is_loopback
from tpserver.games.hall.registry import GameRegistry
from tpserver.publishing.lan import AnnouncedEndpoint, Lan, Service, services_of
from tpserver.publishing.listing import Location, PublicGame, public_games
from tpserver.publishing.listing import locations as locations_of
from tpserver.requests.entry.login import saved
from tpserver.server.process import Process
from tpserver.server.shutdown import Stage
from tpserver.wire.net.listeners import Listener

T = TypeVar("T")
log = Logger()

Ways = Sequence[tuple[str, Listener]]
"""Listeners for the games, each with the type of its location."""


def ways_of(listeners: Sequence[Listener], tunnel: Listener | None) -> Ways:
    """Return the locations of the games; ``tunnel`` is the listener for tunnels."""
    found = [("tps" if listener.secure else "tp", listener) for listener in listeners if listener.port]
    # Listeners that only this machine reaches are not announced to others.
    if tunnel is not None and tunnel.port and (not is_loopback(tunnel.host) or all(map(is_here, listeners))):
        found.append(("tp+https" if tunnel.secure else "tp+http", tunnel))
    return found


def is_here(listener: Listener) -> bool:
    """Return whether only this machine reaches a listener."""
    return not listener.port or is_loopback(listener.host)


def reachable(host: str) -> str:
    """Return a name by which other machines may reach a listener at ``host``."""
    return socket.gethostname() if host in ("0.0.0.0", "::") else host


def publish(process: Process, registry: GameRegistry, ways: Callable[[], Ways]) -> None:
    """Publish the games on the local network and at a metaserver, with the settings of the configuration."""
    config, name = process.config, process.config.server.name

    def public_ways() -> list[Location]:
        """Return the endpoints of the games for a metaserver."""
        host = config.metaserver.host
        # A public host of 127.0.0.1 means a metaserver on this machine.
        found = [(kind, listener) for kind, listener in ways() if is_loopback(host) or not is_here(listener)]
        return locations_of((kind, host, listener.port) for kind, listener in found)

    def when_saved(shown: T) -> Deferred[T]:
        """Return a Deferred that fires with data about games when all of it is durable."""
        waiting = saved(registry.games.values())
        return succeed(shown) if waiting is None else waiting.addCallback(lambda _: shown)

    def published() -> Deferred[tuple[Sequence[PublicGame], Sequence[Location]]]:
        return when_saved((public_games(registry, __version__, name), public_ways()))

    def services() -> Deferred[list[Service]]:
        found = [AnnouncedEndpoint(kind, listener.host, listener.port) for kind, listener in ways()]
        return when_saved(services_of(public_games(registry, __version__, name), found, config.lan.interface))

    if config.lan.announce == "on":
        process.start(Stage.PUBLISHING, Lan(process.reactor, process.pool("lan", 1), services, config.lan.interface))
        if not config.lan.interface and all(is_here(listener) for kind, listener in ways() if "http" not in kind):
            log.warn("lan.announce is on, but only this machine reaches the server; [listen] address says where")
    if not config.metaserver.url:
        return
    from tpserver.http_client import HttpClient  # it loads TLS
    from tpserver.publishing.publisher import Publisher, read_secret

    try:
        secret = read_secret(config.server.data)
    except OSError as error:
        log.error("the games are not published: no secret can be kept: {why}", why=error.strerror or str(error))
        return
    client = HttpClient(process.reactor, own_network=True)  # the operator chooses the host
    url, every = config.metaserver.url, config.metaserver.every_seconds
    process.start(Stage.PUBLISHING, Publisher(process.reactor, client, url, secret, every, published))
    if not public_ways():
        log.warn("metaserver.url is set, but only this machine reaches the server; [listen] address says where")
