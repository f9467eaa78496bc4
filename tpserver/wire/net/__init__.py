"""Connections: listeners, frame streams, and limits. No rules, no SQL."""

PLAIN_PORT = 6923
"""TP03, TP04 and Protocol Buffers without TLS."""
WEB_PORT = 8080
"""Browsers and WebSocket."""
ADMIN_PORT = 6925
"""Administration consoles."""
METASERVER_PORT = 8090
"""A metaserver, which is a separate program."""
