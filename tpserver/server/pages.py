"""Kept logins, sign-ins, notifications and calendars for browsers, in this and other processes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from tpserver.cluster.node import Node
from tpserver.config import Config
from tpserver.games.turns.turn_timers import steady_seconds
from tpserver.notices import calendar
from tpserver.notices.unsubscribe import stop as stop_notices
from tpserver.requests.entry.login import check_lockdown
from tpserver.requests.session.session import Host
from tpserver.server.process import Process
from tpserver.wire.net.errors import ListenError

if TYPE_CHECKING:
    from tpserver.accounts.oidc.sign_ins import SignIns
    from tpserver.portal.http_calls import Call
    from tpserver.portal.peer_links import NodeLinks
    from tpserver.wire.web.browsers import Browsers
    from tpserver.wire.web.resources import Logins
    from tpserver.wire.web.sign_in import SignInSteps


class Pages:
    """Services of the store that pages need."""

    def __init__(self, config: Config, host: Host) -> None:
        self._host = host
        self._stop = partial(stop_notices, host.accounts)
        self._feed = calendar.CalendarFeed(host.registry, time.time, config.server.name, config.notices.site)

    def serve(self, browsers: Browsers, node: Node | None, links: NodeLinks | None) -> None:
        """Serve browsers of this process. Other nodes of the cluster may have their tickets."""
        logins: Logins = self._host.logins
        sign_ins: SignInSteps | None = self._host.sign_ins
        if node is not None and links is not None:
            from tpserver.portal.http_calls import NodeLogins, NodeSignIns

            logins = NodeLogins(logins, node, links)
            sign_ins = None if sign_ins is None else NodeSignIns(sign_ins, node, links)
        browsers.keep_logins(logins, self._host.end_logins)
        browsers.stop_notices(self._stop)
        browsers.show_calendars(self._feed)
        if sign_ins is not None:
            browsers.sign_in(sign_ins)

    def calls(self) -> Mapping[str, Call]:
        """Return the calls with which a portal or another node serves its browsers."""
        from tpserver.portal.http_calls import calls, sign_in_call

        host = self._host
        found = calls(host.logins, host.end_logins, self._stop, self._feed)
        return found if host.sign_ins is None else {**found, **sign_in_call(host.sign_ins)}


def sign_ins_of(process: Process, host: Host) -> SignIns | None:
    """Return the sign-ins through providers, or None without a configured provider. Raises ListenError."""
    config, reactor = process.config, process.reactor
    if not config.oidc.providers:
        return None
    try:
        from tpserver.accounts.oidc.provider import OidcProvider
        from tpserver.accounts.oidc.sign_ins import SignIns
    except ImportError:
        text = "oidc.providers is set, but joserfc is not installed: pip install 'tpserver[oidc]'"
        raise ListenError(text) from None
    from tpserver.http_client import HttpClient  # it loads TLS

    providers = [
        OidcProvider(one, HttpClient(reactor, own_network=one.own_network), time.time, steady_seconds)
        for one in config.oidc.providers
    ]
    site, check = config.oidc.site or config.notices.site, partial(check_lockdown, host)
    return SignIns(providers, host.accounts, host.logins, site, check, time.time, steady_seconds)
