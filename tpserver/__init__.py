"""The game server: connections, games, accounts and the store.

It contains no rules. It finds rulesets by their entry points.
"""

__version__ = "0.1.0"
