"""Connections: of clients that speak the protocol itself (net), and of browsers (web)."""
