"""Supervisor: a small process that starts, watches and replaces servers."""
