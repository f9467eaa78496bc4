"""Default ports."""

PLAIN_PORT = 6923
"""TP03, TP04 and Protocol Buffers without TLS."""
WEB_PORT = 8080
"""Browsers and WebSocket."""
