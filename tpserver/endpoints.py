"""Endpoints of a server for clients and browsers, from its configuration."""

from __future__ import annotations

from tpserver.config import Config
from tpserver.wire.net import PLAIN_PORT, WEB_PORT
from tpserver.wire.net.listeners import HTTP, EndpointSpec, encrypted, plain, web


def places_of(config: Config) -> list[EndpointSpec]:
    """Return the endpoints for clients. Raises CertificateError."""
    places = [EndpointSpec(endpoint) for endpoint in config.listen.endpoints]
    if config.listen.port is not None or not places:
        port = PLAIN_PORT if config.listen.port is None else config.listen.port
        places.insert(0, plain(port, config.listen.address))
    if config.tls.certificate is not None:
        places.append(encrypted(config.tls.certificate, config.tls.key, config.tls.port, config.tls.address))
    return places


def web_places_of(config: Config) -> list[EndpointSpec]:
    """Return the endpoints for browsers: one, or none."""
    chosen = config.web
    if chosen.endpoint == "off":
        return []
    if chosen.endpoint:
        return [EndpointSpec(chosen.endpoint, schemes=HTTP)]
    return [web(WEB_PORT if chosen.port is None else chosen.port, chosen.address)]
