"""Announcement of the games on the local network, by multicast DNS.

Each game is a service `_tp._tcp`. Its other endpoints are `_tps._tcp`, `_tp-http._tcp` and `_tp-https._tcp`. The TXT
record has the facts of `listing`. The module needs `zeroconf`, from the extra `lan`. That package runs threads itself,
and only one thread of this server calls it.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.addresses import is_loopback
from tpserver.concurrency import Clock, Executor
from tpserver.periodic import Repeated
from tpserver.publishing.listing import PublicGame

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

log = Logger()

LOOK_SECONDS = 20.0
"""Seconds between checks for changes. Only changes are sent."""

STOP_SECONDS = 5.0
"""Maximum seconds that a stopping server waits for the withdrawal of its services."""

LIVES_SECONDS = 120
"""Seconds for which listeners may remember a service without a new query."""

LONGEST_NAME = 50
"""Maximum bytes of the name of a service.

DNS has 63, and "-2" is added if the name exists already.
"""


class NoZeroconf(Exception):
    """The package `zeroconf` is missing. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class AnnouncedEndpoint:
    """An open listener: one of `listing.KINDS`, its address, and its port."""

    kind: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Service:
    """A service without its addresses: type and name as in DNS, without the domain."""

    type: str
    name: str
    host: str
    port: int
    facts: tuple[tuple[str, str], ...]

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Key of the service. Different services have different keys."""
        return self.type, self.name, self.host, self.port


def services_of(games: Sequence[PublicGame], listeners: Sequence[AnnouncedEndpoint], interface: str) -> list[Service]:
    """Return the services of games.

    There is one of each type, at the first listener of its kind that the network can reach. `interface` is the address
    of the one interface on which they are announced. If it is empty, that is all interfaces, and listeners at a
    loopback address are left out.
    """
    ways: dict[str, AnnouncedEndpoint] = {}
    for at in listeners:
        if interface in (at.host, "") or at.host in ("0.0.0.0", "::"):
            if not interface and is_loopback(at.host):
                continue
            ways.setdefault(at.kind, at)
    return [
        Service(f"_{at.kind.replace('+', '-')}._tcp", _label(game.name), at.host, at.port, game.facts)
        for game in games
        for at in ways.values()
    ]


def _label(name: str) -> str:
    """Return the name of a service without dots. A dot begins another label, and has a meaning in browsers."""
    return name.replace(".", "-").encode()[:LONGEST_NAME].decode(errors="ignore").strip() or "tpserver"


class Lan:
    """Announces services while it is started.

    `run` runs work in one thread, in order. `wanted` returns a Deferred of the services to announce now. It is called
    every LOOK_SECONDS. `interface` is that of `services_of`. Raises NoZeroconf.
    """

    def __init__(
        self, clock: Clock, run: Executor, wanted: Callable[[], Deferred[list[Service]]], interface: str = ""
    ) -> None:
        try:
            import zeroconf  # noqa: F401 - whether it is there
        except ImportError:
            raise NoZeroconf("lan.announce is on, which needs zeroconf: pip install 'tpserver[lan]'") from None
        self._clock = clock
        self._run = run
        self._wanted = wanted
        self._announcer = Announcer(interface)
        self._looking = Repeated(clock, LOOK_SECONDS, self._look)
        self._complained = False

    def start(self) -> None:
        """Begin the announcements."""
        self._looking.start()

    def stop(self) -> Deferred[None]:
        """Withdraw all services; the Deferred fires after that, or after STOP_SECONDS."""
        if not self._looking.stop():
            return succeed(None)
        self._announcer.is_ending = True
        done = self._run(self._announcer.close)
        done.addTimeout(STOP_SECONDS, self._clock)  # type: ignore[arg-type] # a reactor
        return done.addErrback(lambda failure: None)

    def _look(self) -> Deferred[None]:
        doing = maybeDeferred(self._wanted)
        doing.addCallback(lambda services: self._run(lambda: self._announcer.announce(services)))
        return doing.addCallbacks(self._went_well, self._failed)

    def _went_well(self, _: object) -> None:
        self._complained = False

    def _failed(self, failure: Failure) -> None:
        """Try again later, as the network may return; the operator gets one message."""
        if not self._complained:
            self._complained = True
            log.warn("the games cannot be announced on the network: {why}", why=failure.getErrorMessage()[:200])


def _zeroconf_without_nsec() -> type[Zeroconf]:
    """Return a Zeroconf that sends no NSEC records.

    The client library of 2008 cannot skip the data of an unknown record type, and stops listening.
    """
    from zeroconf import Zeroconf
    from zeroconf._dns import DNSNsec
    from zeroconf._protocol.outgoing import DNSOutgoing

    class WithoutNsec(Zeroconf):
        def async_send(self, out: DNSOutgoing, *more: Any, **also: Any) -> None:
            out.answers = [answer for answer in out.answers if not isinstance(answer[0], DNSNsec)]
            out.additionals = [record for record in out.additionals if not isinstance(record, DNSNsec)]
            if out.questions or out.answers or out.authorities:
                super().async_send(out, *more, **also)

    return WithoutNsec


class Announcer:
    """Announces services in the thread of the caller; calls must not overlap."""

    def __init__(self, interface: str) -> None:
        self._interface = interface
        self._zeroconf: Zeroconf | None = None
        self._announced: dict[tuple[str, str, str, int], tuple[Service, ServiceInfo]] = {}
        self.is_ending = False
        """Set, in any thread, before `close` is called. A new service takes a second, and no more of them begin."""

    def announce(self, services: Sequence[Service]) -> None:
        """Announce these services from now on, and no others. Raises OSError and the errors of zeroconf."""
        from zeroconf import InterfaceChoice

        wanted = {service.key: service for service in services}
        if wanted and self._zeroconf is None:
            interfaces = [self._interface] if self._interface else InterfaceChoice.All
            self._zeroconf = _zeroconf_without_nsec()(interfaces=interfaces)
        if self._zeroconf is None:
            return
        for key in [key for key in self._announced if key not in wanted]:
            self._zeroconf.unregister_service(self._announced.pop(key)[1])
        for key, service in wanted.items():
            if self.is_ending:
                return
            known = self._announced.get(key)
            if known is None:
                info = self._info(service)
                self._zeroconf.register_service(info, ttl=LIVES_SECONDS, allow_name_change=True)
                self._announced[key] = service, info
            elif known[0] != service:
                info = self._info(service, known[1].name)
                self._zeroconf.update_service(info)
                self._announced[key] = service, info

    def close(self) -> None:
        """Withdraw all services."""
        zeroconf, self._zeroconf = self._zeroconf, None
        self._announced.clear()
        if zeroconf is not None:
            zeroconf.close()

    def _info(self, service: Service, name: str = "") -> Any:
        from zeroconf import ServiceInfo

        domain = f"{service.type}.local."
        return ServiceInfo(
            domain,
            name or f"{service.name}.{domain}",
            port=service.port,
            properties=dict(service.facts),
            server=f"{_label(socket.gethostname().partition('.')[0])}.local.",
            addresses=[ipaddress.ip_address(address).packed for address in self._addresses(service.host)],
        )

    def _addresses(self, host: str) -> list[str]:
        """Return the addresses of a listener for other machines."""
        if host not in ("0.0.0.0", "::"):
            return [host.partition("%")[0]]
        if self._interface:
            return [self._interface]
        import ifaddr

        # A listener on all IPv6 addresses also listens on all IPv4 addresses, which are all that old browsers know.
        found = [str(one.ip) for adapter in ifaddr.get_adapters() for one in adapter.ips if one.is_IPv4]
        return [address for address in found if not is_loopback(address)]
