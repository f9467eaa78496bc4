"""Assembly of all services for browsers.

A server without a listener for browsers does not import it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.listeners import LOOPBACK, Listener
from tpserver.wire.net.proxies import Proxies
from tpserver.wire.web.connection import WebFactory
from tpserver.wire.web.files import Files, client_directory
from tpserver.wire.web.http import WebSite
from tpserver.wire.web.login_tokens import Credentials, LoginTokens
from tpserver.wire.web.resources import Feed, Logins, Origins, Root
from tpserver.wire.web.sign_in import SignInSteps, sign_in_resource
from tpserver.wire.web.websocket import WebSocketFactory


class Browsers:
    """Pages, login links and WebSockets; ``factory`` is for a listener.

    ``ping_seconds`` and ``origins`` are those of the configuration. ``health`` returns the public status while the
    server serves, else None. ``tunnels`` allows frames through HTTP.
    """

    def __init__(
        self,
        connections: ConnectionFactory,
        reactor: Any,
        ping_seconds: float,
        origins: Iterable[str],
        health: Callable[[], dict[str, object] | None],
        proxies: Proxies | None = None,
        tunnels: bool = False,
    ) -> None:
        self._reactor = reactor
        sockets = WebSocketFactory(connections, reactor, ping_seconds)
        self.origins = Origins(origins)
        self._site = Root(Files(client_directory()), sockets, self.origins, health, tunnels=tunnels)
        self.factory = WebFactory(connections, WebSite(connections, self._site, reactor))
        self.factory.proxies = proxies or Proxies()

    def login_link(self, listener: Listener, follow: Callable[[], Awaitable[Credentials]]) -> str | None:
        """Return a URL that logs its first visitor in with the result of `follow`, or None without pages."""
        if not listener.port or not self._site.files.has_pages:
            return None
        if self._site.link.links is None:
            self._site.link.links = LoginTokens(self._reactor.seconds)
        # The address of this machine for a listener at all of its addresses.
        here = replace(listener, host={"0.0.0.0": LOOPBACK, "::": "::1"}.get(listener.host, listener.host))
        return f"{here}/#link={self._site.link.links.offer(follow)}"

    def keep_logins(self, logins: Logins, end: Callable[[Collection[int]], None]) -> None:
        """Allow kept logins; ``end`` ends the connections of logins with these ids."""
        self._site.keep_logins(logins, end)

    def stop_notices(self, stop: Callable[[str], Awaitable[bool]]) -> None:
        """Let receivers stop their notifications. ``stop`` does it for a token and returns whether it was known."""
        self._site.stop_notices(stop)

    def show_calendars(self, feed: Feed) -> None:
        """Let calendar programs read the due times of turns."""
        self._site.show_calendars(feed)

    def sign_in(self, sign_ins: SignInSteps) -> None:
        """Let browsers sign in through providers of OpenID Connect."""
        self._site.sign_in(sign_in_resource(self._site.files, self.origins, sign_ins))

    def close(self) -> None:
        """End the browsers' connections except WebSockets."""
        self.factory.close()
