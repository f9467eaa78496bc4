"""The host: connections, games, accounts and the store.  It contains no game; rulesets are found by entry points."""

__version__ = "0.1.0"
