"""Stored games: loading, replay, and old turns."""
