"""The host: connections, games, accounts and the store.  It knows no game; rulesets come through entry points."""

__version__ = "0.1.0"
