"""Connections: listeners, frame streams, and the limits of a client.  No rules, no SQL."""
