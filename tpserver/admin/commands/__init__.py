"""Operator's commands, each declared once.

These modules load neither Twisted nor the store, as the command line needs the declarations at once. Functions import
such modules in their bodies.
"""

from tpserver.admin.commands import accounts, games, server
from tpserver.admin.commands.declaration import COMMANDS

__all__ = ["COMMANDS", "accounts", "games", "server"]
